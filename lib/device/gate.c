/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/gate.c - finds and loads plugins, once per process, in the places of base/places.h. The
 * first gnd-NAME.so found for a NAME is used. A plugin is loaded when it is first needed: a program
 * on cuda:0 does not wait for the OpenCL drivers. A plugin that cannot be used stays in the list
 * with the reason. Plugins are never unloaded, because their code may still be on some thread's
 * stack.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* environ */
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "device/priv.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/places.h"

enum { MAX_BACKENDS = 16, MAX_NOTES = 16, MAX_FOUND = 64 };

/* All static: the list lives as long as the process and must not look like a leak. */
static gnd__backend store[MAX_BACKENDS];
static const gnd__backend *order[MAX_BACKENDS];
static int nbackends;
static char note_text[MAX_NOTES][512];
static const char *notes[MAX_NOTES];
static int nnotes;
static char where[1024];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static atomic_int loaded[MAX_BACKENDS]; /* for each entry of store */

static void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *fmt, ...)
{
    va_list ap;

    if (nnotes == MAX_NOTES)
        return;
    va_start(ap, fmt);
    vsnprintf(note_text[nnotes], sizeof note_text[0], fmt, ap);
    va_end(ap);
    notes[nnotes] = note_text[nnotes];
    gnd__log(GND__LOG_WARN, "%s", notes[nnotes]);
    nnotes++;
}

/* --- checking --------------------------------------------------------------------------------- */

/* The slots that a plugin must provide, as offsets into gnd__backend. */
#define SLOT(group, name)                                                                          \
    {                                                                                              \
#group "." #name, offsetof(gnd__backend, group.name)                                       \
    }
static const struct slot {
    const char *name;
    size_t off;
} required[] =
    {
        SLOT(device, count),    SLOT(device, props),        SLOT(device, open),
        SLOT(device, close),    SLOT(memory, alloc),        SLOT(memory, free),
        SLOT(memory, write),    SLOT(memory, read),         SLOT(memory, copy),
        SLOT(queue, queue_new), SLOT(queue, queue_free),    SLOT(queue, flush),
        SLOT(queue, finish),    SLOT(program, build),       SLOT(program, prog_free),
        SLOT(program, kernel),  SLOT(program, kernel_free), SLOT(program, launch),
},
  required_blas[] =
      {
          SLOT(blas, supports),
          SLOT(blas, gemm),
},
  required_fft[] =
      {
          SLOT(fft, supports),
          SLOT(fft, transform),
},
  required_solver[] =
      {
          SLOT(solver, supports),
          SLOT(solver, solve),
},
  required_replay[] = {
      SLOT(replay, list_new),
      SLOT(replay, list_run),
      SLOT(replay, list_free),
};

static const char *first_missing(const gnd__backend *b, const struct slot *s, size_t n)
{
    static void (*const none)(void);
    size_t i;

    for (i = 0; i < n; i++)
        if (memcmp((const char *)b + s[i].off, &none, sizeof none) == 0)
            return s[i].name;
    return NULL;
}

/* Copies whole slots only: a size that ends within a slot must not give half a pointer. */
static int copy_table(void *dst, size_t cap, const void *src)
{
    uint32_t size;

    if (!src)
        return 0;
    memcpy(&size, src, sizeof size);
    if (size == 0)
        return 0;
    if (size > cap)
        size = (uint32_t)cap;
    memcpy(dst, src, size - size % sizeof(void *));
    return 1;
}

void gnd__gate_adopt(gnd__backend *b, const gnd_backend *in)
{
    const char *file = b->path[0] ? b->path : b->name, *missing;
    gnd_backend t;
    gnd_status st;

    if (in->major != GND_BACKEND_MAJOR) {
        gnd__err(&b->why, GND_ERR_BACKEND, "%s: made for backend ABI %u, this gnd has ABI %u", file,
                 in->major, GND_BACKEND_MAJOR);
        return;
    }
    if (in->size == 0) {
        gnd__err(&b->why, GND_ERR_BACKEND, "%s: its gnd_backend has size 0", file);
        return;
    }
    memset(&t, 0, sizeof t);
    memcpy(&t, in, in->size < sizeof t ? in->size - in->size % sizeof(void *) : sizeof t);
    if (!t.name || strcmp(t.name, b->name) != 0) {
        gnd__err(&b->why, GND_ERR_BACKEND, "%s: calls itself '%.40s', not '%s'", file,
                 t.name ? t.name : "(no name)", b->name);
        return;
    }
    snprintf(b->version, sizeof b->version, "%s", t.version ? t.version : "");

#define GROUP(group)                                                                               \
    if (!copy_table(&b->group, sizeof b->group, t.group)) {                                        \
        gnd__err(&b->why, GND_ERR_BACKEND, "%s: required group " #group " is %s", file,            \
                 t.group ? "of size 0" : "missing");                                               \
        return;                                                                                    \
    }
    GROUP(device)
    GROUP(memory)
    GROUP(queue)
    GROUP(program)
#undef GROUP
    missing = first_missing(b, required, sizeof required / sizeof *required);
    if (!missing && b->memory.map && !b->memory.unmap)
        missing = "memory.unmap (there is memory.map)";
#define GROUP(group)                                                                               \
    if (!missing && t.group) {                                                                     \
        if (!copy_table(&b->group, sizeof b->group, t.group)) {                                    \
            gnd__err(&b->why, GND_ERR_BACKEND, "%s: group " #group " is of size 0", file);         \
            return;                                                                                \
        }                                                                                          \
        b->has_##group = 1;                                                                        \
        missing = first_missing(b, required_##group,                                               \
                                sizeof required_##group / sizeof *required_##group);               \
    }
    GROUP(blas)
    GROUP(fft)
    GROUP(solver)
    GROUP(replay)
#undef GROUP
    if (missing) {
        gnd__err(&b->why, GND_ERR_BACKEND, "%s: required entry %s is missing", file, missing);
        return;
    }
    st = b->device.count(&b->ndev, &b->why);
    if (st == GND_OK && b->ndev < 0)
        st = gnd__err(&b->why, GND_ERR_BACKEND, "%d devices", b->ndev);
    if (st != GND_OK) {
        b->ndev = 0;
        gnd__gate_failed(file, "device.count", st, &b->why);
        return;
    }
    /* Having no device is not an error: keep the reason and clear the code. */
    b->why.code = GND_OK;
    if (b->ndev > 0)
        b->why.msg[0] = '\0';
    else if (!b->why.msg[0])
        strcpy(b->why.msg, "no device");
}

/* --- loading ---------------------------------------------------------------------------------- */

static gnd__backend *find(const char *name)
{
    int i;

    for (i = 0; i < nbackends; i++)
        if (strcmp(store[i].name, name) == 0)
            return &store[i];
    return NULL;
}

static void remember(const char *path, const char *name)
{
    if (find(name))
        return;
    if (nbackends == MAX_BACKENDS - 1) { /* one entry is reserved for null */
        note("%s: more than %d backends", path, MAX_BACKENDS - 1);
        return;
    }
    gnd__backend *b = &store[nbackends++];
    snprintf(b->name, sizeof b->name, "%s", name);
    snprintf(b->path, sizeof b->path, "%s", path);
}

static void load(gnd__backend *b)
{
    gnd_backend_entry_fn entry;
    const gnd_backend *in;
    const char *text;
    void *lib, *sym;

    gnd__fork_watch(1);
    lib = dlopen(b->path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        text = dlerror();
        gnd__err(&b->why, GND_ERR_BACKEND, "cannot be loaded: %s", text ? text : b->path);
        goto log;
    }
    sym = dlsym(lib, "gnd_backend_entry");
    if (!sym) {
        gnd__err(&b->why, GND_ERR_BACKEND, "%s: no symbol gnd_backend_entry: not a plugin of gnd",
                 b->path);
        goto log;
    }
    memcpy(&entry, &sym, sizeof entry);
    in = entry(GND_BACKEND_MAJOR, GND_BACKEND_MINOR, &b->why);
    if (!in) {
        gnd__gate_failed(b->path, "gnd_backend_entry", GND_ERR_BACKEND, &b->why);
        goto log;
    }
    memset(&b->why, 0, sizeof b->why);
    gnd__gate_adopt(b, in);
log:
    if (b->ndev == 0)
        gnd__fork_watch(-1);
    if (b->why.code)
        gnd__log(GND__LOG_WARN, "backend %s: %s", b->name, b->why.msg);
    else
        gnd__log(GND__LOG_INFO, "backend %s: %d device%s, from %s", b->name, b->ndev,
                 b->ndev == 1 ? "" : "s", b->path);
}

/* Extracts NAME from a file name gnd-NAME.so. Returns 0 if the file has another name. */
static int plugin_name(const char *file, char *name, size_t cap)
{
    size_t len = strlen(file), i;

    if (len < 8 || memcmp(file, "gnd-", 4) != 0 || memcmp(file + len - 3, ".so", 3) != 0)
        return 0;
    len -= 7;
    if (len >= cap)
        return 0;
    for (i = 0; i < len; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", file[4 + i]))
            return 0;
    memcpy(name, file + 4, len);
    name[len] = '\0';
    return strcmp(name, "null") != 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Adds the plugin at path, unless other users could have put it there. */
static void offer(const gnd__place *p, const char *path, const char *name)
{
    char why[GND__PLACE_WHY];
    const int may = gnd__place_may(p, path, why);

    if (why[0])
        note("%s", why);
    if (may)
        remember(path, name);
}

static void search_folder(const gnd__place *p)
{
    char found[MAX_FOUND][48], path[4096], name[32];
    DIR *h = opendir(p->path);
    struct dirent *ent;
    int i, n = 0;

    if (!h) {
        if (p->named && errno == ENOENT)
            gnd__log(GND__LOG_INFO, "GND_BACKEND_PATH: there is no %s", p->path);
        else if (p->named)
            note("GND_BACKEND_PATH: %s: %s", p->path, strerror(errno));
        return;
    }
    while ((ent = readdir(h)) != NULL) {
        if (!plugin_name(ent->d_name, name, sizeof name))
            continue;
        if (n == MAX_FOUND) {
            note("%s: more than %d plugins", p->path, MAX_FOUND);
            break;
        }
        snprintf(found[n++], sizeof found[0], "%.47s", ent->d_name);
    }
    closedir(h);
    qsort(found, (size_t)n, sizeof found[0], by_text);
    for (i = 0; i < n; i++) {
        plugin_name(found[i], name, sizeof name);
        if ((size_t)snprintf(path, sizeof path, "%s/%s", p->path, found[i]) < sizeof path)
            offer(p, path, name);
    }
}

/* The callback for gnd__places. */
static void search_place(const gnd__place *p, const char *why, void *unused)
{
    char text[GND__PLACE_WHY], name[32];
    const size_t n = strlen(where);
    const char *base;
    struct stat sb;

    (void)unused;
    if (!p) {
        note("%s", why);
        return;
    }
    if (snprintf(where + n, sizeof where - n, "%s%s", n ? ", " : "", p->path) < 0)
        where[n] = '\0';
    if (p->named && stat(p->path, &sb) == 0 && !S_ISDIR(sb.st_mode)) {
        base = strrchr(p->path, '/') + 1;
        if (plugin_name(base, name, sizeof name))
            offer(p, p->path, name);
        else
            note("GND_BACKEND_PATH: %s: neither a folder nor called gnd-NAME.so", p->path);
        return;
    }
    const int may = gnd__place_may(p, p->path, text);
    if (text[0])
        note("%s", text);
    if (may)
        search_folder(p);
}

/* --- the list --------------------------------------------------------------------------------- */

static int rank(const gnd__backend *b)
{
    static const char *const preferred[] = {"cuda", "opencl"};
    size_t i;

    for (i = 0; i < sizeof preferred / sizeof *preferred; i++)
        if (strcmp(b->name, preferred[i]) == 0)
            return (int)i;
    return strcmp(b->name, "null") == 0 ? 99 : 50;
}

static int by_rank(const void *a, const void *b)
{
    const gnd__backend *x = *(const gnd__backend *const *)a, *y = *(const gnd__backend *const *)b;
    int d = rank(x) - rank(y);
    return d ? d : strcmp(x->name, y->name);
}

/* A misspelt variable would otherwise be ignored silently. */
static void look_at_names(void)
{
    for (char **v = environ; v && *v; v++) {
        const char *meant = gnd__env_meant(*v);
        if (meant)
            note("%.*s: there is no such variable: did you mean %s?", (int)strcspn(*v, "="), *v,
                 meant);
    }
}

static void search_all(void)
{
    int i;

    look_at_names();
    gnd__places(search_place, NULL);
    strcpy(store[nbackends].name, "null");
    gnd__gate_adopt(&store[nbackends], gnd__null_tables());
    atomic_store(&loaded[nbackends++], 1);
    for (i = 0; i < nbackends; i++)
        order[i] = &store[i];
    qsort(order, (size_t)nbackends, sizeof *order, by_rank);
}

void gnd__gate_need(const gnd__backend *b)
{
    const ptrdiff_t i = b - store;

    if (atomic_load_explicit(&loaded[i], memory_order_acquire))
        return;
    if (gnd__forked) { /* only this thread exists in the child, and another one may have held the
                          lock */
        memset(&store[i].why, 0, sizeof store[i].why);
        store[i].ndev = 0;
        gnd__fork_error(&store[i].why);
        return;
    }
    pthread_mutex_lock(&loading);
    if (!atomic_load_explicit(&loaded[i], memory_order_relaxed)) {
        load(&store[i]);
        atomic_store_explicit(&loaded[i], 1, memory_order_release);
    }
    pthread_mutex_unlock(&loading);
}

int gnd__gate_found(const gnd__backend *const **list)
{
    pthread_once(&once, search_all);
    *list = order;
    return nbackends;
}

int gnd__gate_backends(const gnd__backend *const **list)
{
    const int n = gnd__gate_found(list);
    int i;

    for (i = 0; i < n; i++)
        gnd__gate_need(order[i]);
    return n;
}

int gnd__gate_notes(const char *const **list)
{
    pthread_once(&once, search_all);
    *list = notes;
    return nnotes;
}

const char *gnd__gate_where(void)
{
    pthread_once(&once, search_all);
    return where[0] ? where : "no folder";
}
