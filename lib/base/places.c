/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/places.c - see places.h. For a static library, "the library" is the program that contains
 * it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "base/places.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/env.h"

/* --- beside the library ----------------------------------------------------------------------- */

/* Writes the absolute path of the file that this code was mapped from, with links resolved; returns
 * 0 if it is unknown. dladdr gives a relative path when LD_LIBRARY_PATH has one, and the program
 * may have changed its working directory since, so the path comes from the system. */
static int own_file(char *buf)
{
    static const char mark;
    char line[GND__PLACE_PATH + 128];
    Dl_info info;
    int found = 0;

    if (dladdr(&mark, &info) && info.dli_fname && info.dli_fname[0] == '/')
        return realpath(info.dli_fname, buf) != NULL;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        uintptr_t from, to;
        const char *path = strchr(line, '/');
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2 || !path ||
            (uintptr_t)&mark < from || (uintptr_t)&mark >= to)
            continue;
        line[strcspn(line, "\n")] = '\0';
        found = realpath(path, buf) != NULL;
    }
    if (f)
        fclose(f);
    return found;
}

/* Writes the folder gnd beside the library. Returns 0 if there is none or if it equals `other`. In
 * a set-user-id program the folder is not trusted: the program may be started through a hard link
 * in somebody else's folder. */
static int beside(char *buf, const char *other)
{
    char self[PATH_MAX];
    struct stat sb, so;

    if (getauxval(AT_SECURE) || !own_file(self))
        return 0;
    *strrchr(self, '/') = '\0';
    if ((size_t)snprintf(buf, GND__PLACE_PATH, "%s/gnd", self) >= GND__PLACE_PATH ||
        stat(buf, &sb) || !S_ISDIR(sb.st_mode))
        return 0;
    return !other || stat(other, &so) || sb.st_dev != so.st_dev || sb.st_ino != so.st_ino;
}

/* --- all of them ------------------------------------------------------------------------------ */

void gnd__places(void (*see)(const gnd__place *p, const char *why, void *ctx), void *ctx)
{
    const char *list = gnd__env_string(GND__ENV_BACKEND_PATH), *own = NULL;
    char why[GND__PLACE_WHY];
    gnd__place p = {.named = 1};

    for (size_t len; list && *list; list += len + (list[len] == ':')) {
        len = strcspn(list, ":");
        if (len == 0)
            continue;
        snprintf(p.path, sizeof p.path, "%.*s",
                 (int)(len < sizeof p.path ? len : sizeof p.path - 1), list);
        if (len >= sizeof p.path) {
            snprintf(why, sizeof why, "GND_BACKEND_PATH: an entry of %zu characters", len);
            see(NULL, why, ctx);
        } else if (p.path[0] != '/') {
            snprintf(why, sizeof why, "GND_BACKEND_PATH: '%.400s' is not an absolute path: refused",
                     p.path);
            see(NULL, why, ctx);
        } else {
            see(&p, "", ctx);
        }
    }
#ifdef GND_PKGLIBDIR
    own = GND_PKGLIBDIR;
#endif
    p.named = 0;
    p.beside = 1;
    if (beside(p.path, own))
        see(&p, "", ctx);
    p.beside = 0;
    snprintf(p.path, sizeof p.path, "%s", own ? own : "");
    if (own)
        see(&p, "", ctx);
}

/* --- whom to trust ---------------------------------------------------------------------------- */

int gnd__place_may(const gnd__place *p, const char *path, char *why)
{
    const mode_t others = S_IWGRP | S_IWOTH;
    char self[PATH_MAX];
    struct stat sb, lib, dir;

    why[0] = '\0';
    if ((!p->named && !p->beside) || stat(path, &sb))
        return 1; /* the package's own folder; otherwise opening reports the error */
    int owned = sb.st_uid == 0 || sb.st_uid == geteuid();
    mode_t open = sb.st_mode & others;
    /* A user who can replace the library can run code without a plugin. */
    if (p->beside && own_file(self) && !stat(self, &lib)) {
        *strrchr(self, '/') = '\0';
        if (!stat(self, &dir)) {
            owned |= sb.st_uid == lib.st_uid || sb.st_uid == dir.st_uid;
            open &= dir.st_mode & S_ISVTX ? others : ~dir.st_mode;
        }
    }
    if (owned && !open)
        return 1;
    const int refused = p->beside || geteuid() == 0;
    snprintf(why, GND__PLACE_WHY, "%s%.300s: %s %s it%s", p->named ? "GND_BACKEND_PATH: " : "",
             path, owned ? "others than its owner" : "another user", owned ? "may write" : "owns",
             refused ? ": refused" : ", and what is there is run");
    return !refused;
}
