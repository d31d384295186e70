/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/progcache.c - from source text to a launchable kernel. It comes from memory (by the whole
 * text), else from disk (by device, driver, compiler and text), else it is compiled and stored in
 * both. Where a backend takes long to produce a binary, it is stored on disk when the device is
 * closed (progdisk.c). Programs are kept until their estimated size passes a limit; then programs
 * whose kernels nobody holds are dropped, least recently used first. A disk failure costs a
 * compilation and is never an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/buildlog.h"
#include "device/priv.h"
#include "device/progdisk.h"
#include "device/trace.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/table.h"
#include "base/mem.h"

/* Estimated host memory of a program. On CPUs the in-process compiler keeps its code (1.3 MB
 * measured with PoCL 5.0); elsewhere there are a binary and what the driver made of it. */
enum { CPU_BYTES = 5 << 18, GPU_BYTES = 1 << 16, TEXTS = 8 };
/* The programs' limit in bytes. On CPUs it is 1/MOST_PART of the host's memory if that is more. */
#define MOST ((uint64_t)512 << 20)
#define MOST_PART 16

struct prog {
    gnd_prog *p;
    struct gnd__kernel *kernels;
    int unsaved; /* compiled, to be stored on disk when the device is closed */
    int broken;  /* the disk has no usable binary of it */
    int holds;   /* holds on its kernels by plans, recordings and others */
    uint64_t hash, bytes;
    struct prog *newer, *older; /* list ordered by last use */
};

struct gnd__progcache {
    gnd__table *progs; /* source text -> struct prog */
    gnd__progdisk disk;
    struct prog *newest, *oldest;
    uint64_t most;   /* limit of the programs' bytes */
    char *log;       /* compiler log of the last program that failed to compile, or NULL */
    uint64_t needed; /* a higher limit if held programs need it; else 0 */
};

gnd_status gnd__progs_new(gnd__gdev *d, gnd_err *e)
{
    d->progs = gnd__calloc(1, sizeof *d->progs);
    if (d->progs)
        d->progs->progs = gnd__table_new();
    if (d->progs && d->progs->progs) {
        const uint64_t part = d->props.kind == GND_DEV_CPU ? d->props.mem_bytes / MOST_PART : 0;
        d->progs->most = part > MOST ? part : MOST;
        return GND_OK;
    }
    gnd__free(d->progs);
    d->progs = NULL;
    return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
}

static void prog_release(gnd__gdev *d, struct prog *pr)
{
    struct gnd__kernel *k;

    while ((k = pr->kernels) != NULL) {
        pr->kernels = k->next;
        d->be->program.kernel_free(k->k);
        gnd__free(k->name);
        gnd__free(k->note);
        gnd__free(k);
    }
    if (pr->p)
        d->be->program.prog_free(pr->p);
    pr->p = NULL;
}

/* --- memory ----------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *src, size_t len)
{
    return gnd__hash_bytes(src, len, 0).h[0];
}

static void unlink_prog(struct gnd__progcache *c, struct prog *pr)
{
    *(pr->newer ? &pr->newer->older : &c->newest) = pr->older;
    *(pr->older ? &pr->older->newer : &c->oldest) = pr->newer;
}

static void link_newest(struct gnd__progcache *c, struct prog *pr)
{
    pr->newer = NULL;
    pr->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = pr;
    c->newest = pr;
}

/* Drops programs, the oldest first, until all take at most `bytes` or the rest is held. Programs
 * not yet on disk are not stored: storing would cost a compilation where binaries come late, and
 * such drivers have a cache of their own. */
static void drop_progs(gnd__gdev *d, uint64_t bytes)
{
    struct gnd__progcache *c = d->progs;
    struct prog *pr = c->oldest, *newer;
    uint64_t n = 0;

    for (; pr && d->n.prog_bytes > bytes; pr = newer) {
        newer = pr->newer;
        if (pr->holds)
            continue;
        if (n++ == 0)
            (void)gnd__gate_settle(d, NULL); /* the queue may be running them; the next wait reports
                                                failures */
        unlink_prog(c, pr);
        gnd__table_take(c->progs, pr->hash, pr);
        d->n.prog_bytes -= pr->bytes;
        d->n.progs--;
        d->n.progs_dropped++;
        prog_release(d, pr);
        gnd__free(pr);
    }
    if (n)
        gnd__log(GND__LOG_DEBUG, "%s: dropped %llu programs, %llu bytes are left", d->id,
                 (unsigned long long)n, (unsigned long long)d->n.prog_bytes);
}

int gnd__gate_progs_full(gnd__gdev *d)
{
    struct gnd__progcache *c = d->progs;

    if (d->n.prog_bytes <= c->most)
        c->needed = 0;
    if (d->n.prog_bytes <= c->most || d->n.prog_bytes <= c->needed)
        return 0;
    drop_progs(d, c->most - c->most / 4); /* drop several at once, because it waits for the queue */
    return d->n.prog_bytes > c->most;
}

void gnd__gate_progs_needed(gnd__gdev *d)
{
    d->progs->needed = d->n.prog_bytes + d->progs->most / 4;
}

void gnd__gate_progs_limit(gnd__gdev *d, uint64_t nbytes)
{
    d->progs->most = nbytes;
}

void gnd__gate_kernel_hold(gnd__kernel *k)
{
    if (k)
        ++*k->holds;
}

void gnd__gate_kernel_done(gnd__kernel *k)
{
    if (k)
        --*k->holds;
}

/* Stores the programs that are not on disk yet. */
static void store_unsaved(gnd__gdev *d)
{
    struct gnd__progcache *c = d->progs;
    gnd__unsaved *u = gnd__calloc(d->n.progs + 1, sizeof *u);
    size_t n = 0, at = 0, len;
    const void *src;
    void *value;

    while (u && gnd__table_next(c->progs, &at, &src, &len, &value)) {
        const struct prog *pr = value;
        if (pr->unsaved)
            u[n++] = (gnd__unsaved){src, len, pr->p, pr->broken};
    }
    gnd__progdisk_store_some(d, &c->disk, u, n);
    gnd__free(u);
}

void gnd__progs_delete(gnd__gdev *d)
{
    struct gnd__progcache *c = d->progs;
    size_t at = 0, len;
    const void *src;
    void *value;

    if (!c)
        return;
    store_unsaved(d);
    while (gnd__table_next(c->progs, &at, &src, &len, &value)) {
        prog_release(d, value);
        gnd__free(value);
    }
    gnd__table_free(c->progs, NULL);
    gnd__progdisk_close(&c->disk);
    free(c->log);
    gnd__free(c);
    d->progs = NULL;
}

/* --- building --------------------------------------------------------------------------------- */

/* One message per line, because the log cuts long messages. */
static void log_lines(const char *title, const char *text, size_t len)
{
    const char *end = text + len, *nl;

    gnd__log(GND__LOG_ERROR, "--- %s", title);
    for (; text < end; text = nl + 1) {
        nl = memchr(text, '\n', (size_t)(end - text));
        if (!nl)
            nl = end;
        gnd__log(GND__LOG_ERROR, "%.*s", (int)(nl - text), text);
    }
}

static gnd_status compile(gnd__gdev *d, const char *name, const char *src, size_t len, gnd_prog **p,
                          gnd_err *e)
{
    gnd_status st = gnd__gate_tick(e);
    char *log = NULL, slot[128];
    int debug = gnd__env_bool(GND__ENV_DEBUG, 0);
    const int64_t began = gnd__clock();
    gnd__span span;

    gnd__span_begin(d, &span, GND__SPAN_HOST);
    if (st == GND_OK)
        st = d->be->program.build(d->dev, src, len, GND__BUILD_OPTIONS, p, &log, e);
    gnd__span_end(d, &span, "compile", name, (int64_t)len);
    if (st == GND_OK) {
        d->n.builds++;
        gnd__compiling_end(d, began);
        gnd__log(GND__LOG_DEBUG, "%s: compiled %s, %zu bytes", d->id, name, len);
    } else {
        if (debug && st == GND_ERR_BUILD) {
            log_lines("source", src, len);
            log_lines("compiler", log ? log : "(said nothing)", log ? strlen(log) : 14);
        }
        if (st == GND_ERR_BUILD && log) {
            log = gnd__buildlog_places(log, src, len);
            if (e)
                snprintf(e->msg, sizeof e->msg, "%.400s", gnd__buildlog_error(log));
        }
        snprintf(slot, sizeof slot, "building %.100s", name);
        st = gnd__gate_call_failed(d, slot, st, e);
        free(d->progs->log);
        d->progs->log = log;
        return st;
    }
    free(log);
    return st;
}

static struct gnd__kernel *find_kernel(const struct prog *pr, const char *name)
{
    struct gnd__kernel *k;

    for (k = pr->kernels; k; k = k->next)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

/* The caller has counted the call. */
static gnd_status make_kernel(gnd__gdev *d, struct prog *pr, const char *name, gnd__kernel **out,
                              gnd_err *e)
{
    struct gnd__kernel *k = gnd__calloc(1, sizeof *k);
    gnd_status st = GND_ERR_NOMEM;

    if (k)
        k->name = gnd__strdup(name);
    if (!k || !k->name) {
        gnd__err(e, st, "%s: out of host memory", d->id);
        goto free_k;
    }
    st = d->be->program.kernel(pr->p, name, &k->k, e);
    if (st != GND_OK) {
        st = gnd__gate_call_failed(d, name, st, e);
        goto free_k;
    }
    k->next = pr->kernels;
    k->holds = &pr->holds;
    pr->kernels = k;
    *out = k;
    return GND_OK;

free_k:
    if (k)
        gnd__free(k->name);
    gnd__free(k);
    return st;
}

void *gnd__gate_kernel_note(const gnd__kernel *k)
{
    return k->note;
}

void gnd__gate_kernel_set_note(gnd__kernel *k, void *note)
{
    gnd__free(k->note);
    k->note = note;
}

/* Loads or compiles a program that is not in memory, and gets one of its kernels. *k stays NULL if
 * the program is not on disk and may_compile is 0. */
static gnd_status make_prog(gnd__gdev *d, const char *name, const char *src, size_t len,
                            int may_compile, struct prog *pr, gnd__kernel **k, gnd_err *e)
{
    gnd_status st = gnd__gate_tick(e);

    if (st != GND_OK)
        return gnd__gate_failed(d->id, name, st, e);
    pr->p = gnd__progdisk_load(d, &d->progs->disk, src, len, &pr->broken);
    if (pr->p) {
        st = make_kernel(d, pr, name, k, NULL);
        if (st == GND_OK)
            return GND_OK;
        pr->broken = 1;
        /* A binary that loads but lacks the kernel is unusable: treat it as absent. */
        prog_release(d, pr);
    }
    if (!may_compile)
        return GND_OK;
    st = compile(d, name, src, len, &pr->p, e);
    if (st != GND_OK) {
        pr->p = NULL;
        return st;
    }
    st = make_kernel(d, pr, name, k, e);
    if (st == GND_OK && d->be->program.binary_late && d->be->program.binary_late(d->dev))
        pr->unsaved = 1;
    else if (st == GND_OK)
        gnd__progdisk_store(d, &d->progs->disk, &(gnd__unsaved){src, len, pr->p, 1});
    return st;
}

static gnd_status find_or_make(gnd__gdev *d, const char *name, const char *src, size_t len,
                               int may_compile, gnd__kernel **k, gnd_err *e)
{
    struct gnd__progcache *c = d->progs;
    const uint64_t hash = hash_of(src, len);
    struct prog *pr = gnd__table_find(c->progs, src, len, hash);
    gnd_status st;

    if (pr) {
        unlink_prog(c, pr);
        link_newest(c, pr);
        *k = find_kernel(pr, name);
        if (*k) {
            d->n.mem_hits++;
            pr->holds++;
            return GND_OK;
        }
        st = gnd__gate_tick(e);
        if (st != GND_OK)
            return gnd__gate_failed(d->id, name, st, e);
        st = make_kernel(d, pr, name, k, e);
        pr->holds += st == GND_OK;
        return st;
    }
    *k = NULL;
    pr = gnd__calloc(1, sizeof *pr);
    if (!pr)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    pr->hash = hash;
    pr->bytes = (d->props.kind == GND_DEV_CPU ? CPU_BYTES : GPU_BYTES) + TEXTS * (uint64_t)len;
    st = make_prog(d, name, src, len, may_compile, pr, k, e);
    if (st == GND_OK && !*k) {
        gnd__free(pr);
        return GND_OK;
    }
    if (st == GND_OK && gnd__table_enter(c->progs, src, len, hash, pr, NULL) != 0)
        st = gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    if (st != GND_OK) {
        *k = NULL;
        prog_release(d, pr);
        gnd__free(pr);
        return st;
    }
    link_newest(c, pr);
    pr->holds++;
    d->n.progs++;
    d->n.prog_bytes += pr->bytes;
    return GND_OK;
}

const char *gnd__gate_build_log(const gnd__gdev *d)
{
    return d->progs->log ? d->progs->log : "";
}

gnd_status gnd__gate_kernel(gnd__gdev *d, const char *name, const char *src, size_t len,
                            gnd__kernel **k, gnd_err *e)
{
    return find_or_make(d, name, src, len, 1, k, e);
}

gnd_status gnd__gate_kernel_cached(gnd__gdev *d, const char *name, const char *src, size_t len,
                                   gnd__kernel **k, gnd_err *e)
{
    return find_or_make(d, name, src, len, 0, k, e);
}

const char *gnd__gate_source(const gnd__gdev *d, const gnd__kernel *k, size_t *len)
{
    size_t at = 0;
    const void *src;
    void *value;

    while (gnd__table_next(d->progs->progs, &at, &src, len, &value))
        for (const struct gnd__kernel *x = ((const struct prog *)value)->kernels; x; x = x->next)
            if (x == k)
                return src;
    return NULL;
}
