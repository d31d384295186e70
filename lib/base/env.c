/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/env.c - reads and checks the environment variables of the table in env.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "base/env.h"

#include "base/err.h"
#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { WORD, CHOICE, BOOL, SIZE, PATH, FOLDER, FOLDERS };

static const struct {
    const char *name, *words;
    int kind;
} vars[GND__ENV_COUNT] = {
#define X(id, name, kind, words) [GND__ENV_##id] = {name, words, kind},
    GND__ENV_LIST(X)
#undef X
};

static const char *get_secure(const char *name)
{
#ifdef __linux__
    return secure_getenv(name);
#else
    return getuid() == geteuid() && getgid() == getegid() ? getenv(name) : NULL;
#endif
}

const char *gnd__env_string(gnd__env_id id)
{
    const char *s = vars[id].kind >= PATH ? get_secure(vars[id].name) : getenv(vars[id].name);
    return s && *s ? s : NULL;
}

/* True and false values alternate. */
static const char booleans[] = "1 0 yes no on off true false";

int gnd__env_choice(gnd__env_id id, int dflt)
{
    const char *s = gnd__env_string(id);
    const int n = s ? gnd__word_find(vars[id].words, s, strlen(s), 0) : -1;
    return n < 0 ? dflt : n + 1;
}

int gnd__env_bool(gnd__env_id id, int dflt)
{
    const char *s = gnd__env_string(id);
    const int n = s ? gnd__word_find(booleans, s, strlen(s), 1) : -1;
    return n < 0 ? dflt : n % 2 == 0;
}

int gnd__parse_size(const char *s, uint64_t *bytes)
{
    static const char suffixes[] = "KMGT";
    uint64_t v = 0;
    if (*s < '0' || *s > '9')
        return -1;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return -2;
    if (*s) {
        char c = *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s;
        const char *at = strchr(suffixes, c);
        if (!at || s[1])
            return -1;
        if (__builtin_mul_overflow(v, (uint64_t)1 << (10 * (at - suffixes + 1)), &v))
            return -2;
    }
    *bytes = v;
    return 0;
}

uint64_t gnd__env_size(gnd__env_id id, uint64_t dflt)
{
    const char *s = gnd__env_string(id);
    if (s)
        gnd__parse_size(s, &dflt);
    return dflt;
}

gnd_status gnd__env_check(gnd__env_id id, gnd_err *e)
{
    const char *s = gnd__env_string(id), *name = vars[id].name;
    char words[128] = "";
    uint64_t bytes;
    int bad = 0;
    if (!s)
        return GND_OK;
    switch (vars[id].kind) {
    case CHOICE:
        bad = !gnd__env_choice(id, 0);
        gnd__word_list(words, sizeof words, vars[id].words, "");
        break;
    case BOOL:
        bad = gnd__env_bool(id, -1) < 0;
        strcpy(words, "0 or 1");
        break;
    case SIZE:
        bad = gnd__parse_size(s, &bytes);
        strcpy(words, "a size (as in 512M)");
        break;
    case FOLDER:
        bad = s[0] != '/';
        strcpy(words, "an absolute path");
        break;
    case FOLDERS:
        for (const char *c = s; *c && !bad; c += strcspn(c, ":"), c += *c == ':')
            bad = *c != '/' && *c != ':';
        strcpy(words, "absolute paths with colons between them");
        break;
    default: break;
    }
    if (bad == -2)
        return gnd__err(e, GND_ERR_OVERFLOW, "%s=%.64s: too large", name, s);
    return bad ? gnd__err(e, GND_ERR_ARG, "%s=%.64s: not %s", name, s, words) : GND_OK;
}

gnd_status gnd__env_check_all(gnd_err *e)
{
    gnd_status st = GND_OK;
    for (int id = 0; id < GND__ENV_COUNT && st == GND_OK; id++)
        st = gnd__env_check((gnd__env_id)id, e);
    return st;
}

const char *gnd__env_meant(const char *entry)
{
    const size_t n = strcspn(entry, "=");
    const char *best = NULL;
    if (n < 5 || strncmp(entry, "GND_", 4))
        return NULL;
    int least = 2 * (int)(n - 4) / 3 + 1; /* at most a third of the letters after GND_ */
    for (int id = 0; id < GND__ENV_COUNT; id++) {
        const int d = gnd__near(entry, n, vars[id].name, strlen(vars[id].name));
        if (d == 0)
            return NULL;
        if (d < least) {
            least = d;
            best = vars[id].name;
        }
    }
    return best;
}
