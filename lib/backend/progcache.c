/* SPDX-License-Identifier: BSD-3-Clause
 *
 * backend/progcache.c - from a source text to a kernel that can be launched: from memory (by the
 * whole text), else from disk (by device, driver, compiler and text), else compiled, and then put
 * in both (on disk when the device is closed, where a backend takes long to give a binary).
 * Programs and kernels live as long as the device is open. What the disk does wrong costs a
 * compilation, never an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backend/disk.h"
#include "backend/priv.h"
#include "backend/trace.h"
#include "base/env.h"
#include "base/log.h"
#include "base/table.h"
#include "base/mem.h"

/* Passed to build(); what a backend needs beyond that it adds itself. */
static const char options[] = "";

struct prog {
    gnd_prog *p;
    struct gnd__kernel *kernels;
    int unsaved;          /* compiled, and to be put on disk at the end */
};

struct gnd__progcache {
    gnd__table *progs;      /* source text -> struct prog */
    gnd__disk *disk;      /* NULL: none */
    int disk_asked;       /* whether disk and key were determined */
    gnd__str key;         /* what the disk's keys begin with; the source follows */
};

gnd_status gnd__progs_new(gnd__gdev *d, gnd_err *e)
{
    d->progs = gnd__calloc(1, sizeof *d->progs);
    if (d->progs)
        d->progs->progs = gnd__table_new();
    if (d->progs && d->progs->progs)
        return GND_OK;
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
        gnd__free(k);
    }
    if (pr->p)
        d->be->program.prog_free(pr->p);
    pr->p = NULL;
}

/* --- disk ------------------------------------------------------------------------------------- */

/* At the first program, not at open: a program that launches nothing touches no folder. */
static gnd__disk *disk_of(gnd__gdev *d)
{
    struct gnd__progcache *c = d->progs;
    const gnd_program_ops *ops = &d->be->program;
    char text[1024];

    if (c->disk_asked)
        return c->disk;
    c->disk_asked = 1;
    if (!ops->cache_key || !ops->binary_get || !ops->binary_load)
        return NULL;
    text[0] = '\0';
    if (ops->cache_key(d->dev, text, sizeof text, NULL) != GND_OK)
        return NULL;
    text[sizeof text - 1] = '\0';
    gnd__str_addf(&c->key, "gnd kernel 1\nbackend %s %s\nkey %s\noptions %s\n", d->be->name,
                  d->be->version, text, options);
    if (!c->key.bad)
        c->disk = gnd__disk_open();
    return c->disk;
}

/* The whole key of a source: what all keys begin with, then the text. 0 when out of memory. */
static int disk_key(gnd__gdev *d, const char *src, size_t len, gnd__str *key)
{
    *key = (gnd__str){ 0 };
    gnd__str_addn(key, d->progs->key.s, d->progs->key.len);
    for (int i = 0; i < GND__NTUNE; i++)
        if (d->tune.v[i] != gnd__tune_rows[i].dflt)
            gnd__str_addf(key, "%s %d\n", gnd__tune_rows[i].name, d->tune.v[i]);
    gnd__str_addn(key, src, len);
    if (!key->bad)
        return 1;
    gnd__str_free(key);
    return 0;
}

static gnd_prog *disk_load(gnd__gdev *d, const char *src, size_t len)
{
    gnd__disk *disk = disk_of(d);
    gnd_prog *p = NULL;
    gnd__str key;
    size_t n;
    void *bin;

    if (!disk || !disk_key(d, src, len, &key))
        return NULL;
    if (gnd__disk_get(disk, key.s, key.len, &bin, &n) == GND__DISK_HIT) {
        if (d->be->program.binary_load(d->dev, bin, n, &p, NULL) == GND_OK)
            d->n.disk_loads++;
        else
            p = NULL;
        free(bin);
    }
    gnd__str_free(&key);
    return p;
}

static void disk_store(gnd__gdev *d, const char *src, size_t len, gnd_prog *p)
{
    gnd__disk *disk = disk_of(d);
    gnd__str key;
    size_t n = 0;
    void *bin = NULL;

    if (!disk || !disk_key(d, src, len, &key))
        return;
    if (d->be->program.binary_get(p, &bin, &n, NULL) == GND_OK && bin) {
        if (n > 0 && gnd__disk_put(disk, key.s, key.len, bin, n))
            d->n.disk_stores++;
        free(bin);
    }
    gnd__str_free(&key);
}

void gnd__progs_delete(gnd__gdev *d)
{
    struct gnd__progcache *c = d->progs;
    size_t at = 0, len;
    const void *src;
    void *value;

    if (!c)
        return;
    while (gnd__table_next(c->progs, &at, &src, &len, &value)) {
        if (((struct prog *)value)->unsaved)
            disk_store(d, src, len, ((struct prog *)value)->p);
        prog_release(d, value);
        gnd__free(value);
    }
    gnd__table_free(c->progs, NULL);
    gnd__disk_close(c->disk);
    gnd__str_free(&c->key);
    gnd__free(c);
    d->progs = NULL;
}

/* --- building --------------------------------------------------------------------------------- */

/* A message per line: the log cuts long ones. */
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
    gnd__span span;

    gnd__span_begin(d, &span, GND__SPAN_HOST);
    if (st == GND_OK)
        st = d->be->program.build(d->dev, src, len, options, p, debug ? &log : NULL, e);
    gnd__span_end(d, &span, "compile", name, (int64_t)len);
    if (st == GND_OK) {
        d->n.builds++;
        gnd__log(GND__LOG_DEBUG, "%s: compiled %s, %zu bytes", d->id, name, len);
    } else {
        if (debug && st == GND_ERR_BUILD) {
            log_lines("source", src, len);
            log_lines("compiler", log ? log : "(said nothing)", log ? strlen(log) : 14);
        }
        snprintf(slot, sizeof slot, "building %.100s", name);
        st = gnd__gate_call_failed(d, slot, st, e);
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

/* The caller counts the call. */
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
    pr->kernels = k;
    *out = k;
    return GND_OK;

free_k:
    if (k)
        gnd__free(k->name);
    gnd__free(k);
    return st;
}

/* A program that is not in memory, with the kernel asked for in it. */
static gnd_status make_prog(gnd__gdev *d, const char *name, const char *src, size_t len,
                            struct prog *pr, gnd__kernel **k, gnd_err *e)
{
    gnd_status st = gnd__gate_tick(e);

    if (st != GND_OK)
        return gnd__gate_failed(d->id, name, st, e);
    pr->p = disk_load(d, src, len);
    if (pr->p) {
        st = make_kernel(d, pr, name, k, NULL);
        if (st == GND_OK)
            return GND_OK;
        /* A binary that loads and lacks its kernel is no good: as if it were not there. */
        prog_release(d, pr);
    }
    st = compile(d, name, src, len, &pr->p, e);
    if (st != GND_OK) {
        pr->p = NULL;
        return st;
    }
    st = make_kernel(d, pr, name, k, e);
    if (st == GND_OK && d->be->program.binary_late && d->be->program.binary_late(d->dev))
        pr->unsaved = 1;
    else if (st == GND_OK)
        disk_store(d, src, len, pr->p);
    return st;
}

gnd_status gnd__gate_kernel(gnd__gdev *d, const char *name, const char *src, size_t len,
                            gnd__kernel **k, gnd_err *e)
{
    struct prog *pr = gnd__table_get(d->progs->progs, src, len);
    gnd_status st;

    if (pr) {
        *k = find_kernel(pr, name);
        if (*k) {
            d->n.mem_hits++;
            return GND_OK;
        }
        st = gnd__gate_tick(e);
        if (st != GND_OK)
            return gnd__gate_failed(d->id, name, st, e);
        return make_kernel(d, pr, name, k, e);
    }
    *k = NULL;
    pr = gnd__calloc(1, sizeof *pr);
    if (!pr)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    st = make_prog(d, name, src, len, pr, k, e);
    if (st == GND_OK && gnd__table_put(d->progs->progs, src, len, pr, NULL) != 0)
        st = gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    if (st != GND_OK) {
        *k = NULL;
        prog_release(d, pr);
        gnd__free(pr);
    }
    return st;
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
