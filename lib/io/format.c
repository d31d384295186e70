/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/format.c - see format.h. A library that could not be loaded is searched for again the next
 * time, since it may have been installed meanwhile. Nothing is ever unloaded.
 */
#include "io/format.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/places.h"
#include <gnd/version.h>

typedef struct format {
    const char *name, *library;
    const void *table;
} format;

static format formats[] = {{"png", "libpng", NULL}, {"zip", "libzip", NULL}};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct search {
    format *f;
    char where[200], why[300];
} search;

static void look(const gnd__place *p, const char *why, void *ctx)
{
    search *s = ctx;
    char file[GND__PLACE_PATH + 32], said[GND__PLACE_WHY];
    const size_t n = strlen(s->where);

    (void)why;
    if (!p || s->f->table)
        return;
    snprintf(s->where + n, sizeof s->where - n, "%s%s", n ? ", " : "", p->path);
    snprintf(file, sizeof file, "%s/libgnd-%s.so", p->path, s->f->name);
    if (access(file, F_OK))
        return;
    if (!gnd__place_may(p, p->path, said) || !gnd__place_may(p, file, said)) {
        snprintf(s->why, sizeof s->why, "%.290s", said);
        return;
    }
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL),
         *sym = lib ? dlsym(lib, "gnd_format_entry") : NULL;
    gnd__format_entry entry;
    if (!sym) {
        const char *text = dlerror();
        snprintf(s->why, sizeof s->why, "%.290s", text ? text : file);
        return;
    }
    memcpy(&entry, &sym, sizeof entry);
    s->f->table = entry(GND_VERSION_STRING);
    if (!s->f->table)
        snprintf(s->why, sizeof s->why, "%.250s is not of gnd %s", file, GND_VERSION_STRING);
}

const void *gnd__format(const char *name, gnd_err *e)
{
    format *f = &formats[strcmp(name, formats[0].name) != 0];
    search s = {.f = f};

    pthread_mutex_lock(&lock);
    if (!f->table)
        gnd__places(look, &s);
    const void *table = f->table;
    pthread_mutex_unlock(&lock);
    if (!table && s.why[0])
        gnd__err(e, GND_ERR_UNSUPPORTED, "libgnd-%s.so cannot be used: %s", f->name, s.why);
    else if (!table)
        gnd__err(e, GND_ERR_UNSUPPORTED,
                 "libgnd-%s.so is not installed in %s (GND_BACKEND_PATH names more folders): gnd "
                 "makes it where it is built with %s (Debian: %s-dev)",
                 f->name, s.where[0] ? s.where : "any folder", f->library, f->library);
    return table;
}
