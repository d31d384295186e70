/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/progbuild.c - from source text to a launchable kernel. It comes from memory (by the whole
 * text), else from disk (by device, driver, compiler and text), else it is compiled and stored in
 * both. Of a plan's kernels those to compile are compiled together at its end (builds.c), where the
 * backend can do that: until then, and after a failure, their programs are in memory without code.
 * Where a backend takes long to produce a binary, it is stored on disk when the device is closed
 * (progdisk.c). A disk failure costs a compilation and is never an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "device/buildlog.h"
#include "device/progs.h"
#include "device/trace.h"
#include "base/env.h"
#include "base/log.h"
#include "base/mem.h"

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

/* What follows a compilation that ended with st: counts it, or tells of the failure. Takes log. */
static gnd_status compiled(gnd__gdev *d, const char *name, const char *src, size_t len,
                           gnd_status st, char *log, gnd_err *e)
{
    char slot[128];
    if (st == GND_OK) {
        d->n.builds++;
        gnd__log(GND__LOG_DEBUG, "%s: compiled %s, %zu bytes", d->id, name, len);
        free(log);
        return st;
    }
    if (gnd__env_bool(GND__ENV_DEBUG, 0) && st == GND_ERR_BUILD) {
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

static gnd_status compile(gnd__gdev *d, const char *name, const char *src, size_t len, gnd_prog **p,
                          gnd_err *e)
{
    gnd_status st = gnd__gate_tick(e);
    char *log = NULL;
    const int64_t began = gnd__clock();
    gnd__span span;

    gnd__span_begin(d, &span, GND__SPAN_HOST);
    if (st == GND_OK)
        st = d->be->program.build(d->dev, src, len, GND__BUILD_OPTIONS, p, &log, e);
    gnd__span_end(d, &span, "compile", name, (int64_t)len);
    st = compiled(d, name, src, len, st, log, e);
    if (st == GND_OK)
        gnd__compiling_end(d, began);
    return st;
}

static struct gnd__kernel *find_kernel(const gnd__prog *pr, const char *name)
{
    struct gnd__kernel *k;

    for (k = pr->kernels; k; k = k->next)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

/* pr's kernel of that name, made if there is none, perhaps without code; NULL if out of memory. */
static struct gnd__kernel *want_kernel(gnd__prog *pr, const char *name)
{
    struct gnd__kernel *k = find_kernel(pr, name);

    if (k)
        return k;
    k = gnd__calloc(1, sizeof *k);
    if (k)
        k->name = gnd__strdup(name);
    if (!k || !k->name) {
        gnd__free(k);
        return NULL;
    }
    k->next = pr->kernels;
    k->holds = &pr->holds;
    pr->kernels = k;
    return k;
}

/* Gives the kernel of that name its code. The caller has counted the call. */
static gnd_status make_kernel(gnd__gdev *d, gnd__prog *pr, const char *name, gnd__kernel **out,
                              gnd_err *e)
{
    struct gnd__kernel *k = want_kernel(pr, name);

    if (!k)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    const gnd_status st = k->k ? GND_OK : d->be->program.kernel(pr->p, name, &k->k, e);
    if (st != GND_OK)
        return gnd__gate_call_failed(d, name, st, e);
    *out = k;
    return GND_OK;
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

/* Puts pr among those to compile together, and gets one of its kernels, without code. */
static gnd_status postpone(gnd__gdev *d, gnd__prog *pr, const char *name, const char *src,
                           size_t len, gnd__kernel **k, gnd_err *e)
{
    struct gnd__progcache *c = d->progs;
    gnd__build b = {.name = gnd__strdup(name), .src = gnd__strndup(src, len), .owner = pr};

    b.len = len;
    if (b.name && b.src && c->nwait == c->capwait) {
        gnd__build *more = gnd__realloc(c->wait, (2 * c->capwait + 8) * sizeof *more);
        if (more) {
            c->wait = more;
            c->capwait = 2 * c->capwait + 8;
        }
    }
    if (b.name && b.src && c->nwait < c->capwait && (*k = want_kernel(pr, name)) != NULL) {
        c->wait[c->nwait++] = b;
        pr->waiting = 1;
        return GND_OK;
    }
    gnd__build_free(&b);
    return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
}

/* Where a compiled program goes beside memory. */
static void keep(gnd__gdev *d, gnd__prog *pr, const char *src, size_t len)
{
    if (d->be->program.binary_late && d->be->program.binary_late(d->dev))
        pr->unsaved = 1;
    else
        gnd__progdisk_store(d, &d->progs->disk, &(gnd__unsaved){src, len, pr->p, 1});
}

/* Loads or compiles a program without code, now or at the plan's end, and gets one of its kernels.
 * *k stays NULL if the program is not on disk and may_compile is 0. */
static gnd_status make_prog(gnd__gdev *d, const char *name, const char *src, size_t len,
                            int may_compile, gnd__prog *pr, gnd__kernel **k, gnd_err *e)
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
        gnd__prog_strip(d, pr);
    }
    if (!may_compile)
        return GND_OK;
    if (d->progs->together)
        return postpone(d, pr, name, src, len, k, e);
    st = compile(d, name, src, len, &pr->p, e);
    if (st != GND_OK) {
        pr->p = NULL;
        return st;
    }
    st = make_kernel(d, pr, name, k, e);
    if (st == GND_OK)
        keep(d, pr, src, len);
    return st;
}

/* A kernel of a program that is in memory, perhaps without code. */
static gnd_status find_in(gnd__gdev *d, const char *name, const char *src, size_t len,
                          int may_compile, gnd__prog *pr, gnd__kernel **k, gnd_err *e)
{
    gnd_status st = GND_OK;

    if (pr->p && (st = gnd__gate_tick(e)) != GND_OK)
        return gnd__gate_failed(d->id, name, st, e);
    if (pr->p)
        return make_kernel(d, pr, name, k, e);
    if (!pr->waiting)
        return make_prog(d, name, src, len, may_compile, pr, k, e);
    *k = may_compile ? want_kernel(pr, name) : NULL;
    return *k || !may_compile ? GND_OK
                              : gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
}

static gnd_status find_or_make(gnd__gdev *d, const char *name, const char *src, size_t len,
                               int may_compile, gnd__kernel **k, gnd_err *e)
{
    struct gnd__progcache *c = d->progs;
    gnd__prog *pr = gnd__prog_find(c, src, len);
    gnd_status st;

    *k = pr ? find_kernel(pr, name) : NULL;
    if (*k && (*k)->k) {
        d->n.mem_hits++;
        pr->holds++;
        return GND_OK;
    }
    *k = NULL;
    if (pr) {
        st = find_in(d, name, src, len, may_compile, pr, k, e);
        pr->holds += st == GND_OK && *k;
        return st;
    }
    pr = gnd__calloc(1, sizeof *pr);
    if (!pr)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    st = make_prog(d, name, src, len, may_compile, pr, k, e);
    if (st == GND_OK && *k && gnd__prog_enter(d, pr, src, len) == 0)
        return GND_OK;
    if (st == GND_OK && *k)
        st = gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", d->id);
    *k = NULL;
    if (pr->waiting) /* as the last one */
        gnd__build_free(&c->wait[--c->nwait]);
    gnd__prog_release(d, pr);
    gnd__free(pr);
    return st;
}

/* Loads what b became, and gives the kernels that were asked for their code. */
static gnd_status load(gnd__gdev *d, gnd__build *b, gnd_err *e)
{
    gnd__prog *pr = b->owner;
    gnd_status st = b->st == GND_OK ? gnd__gate_tick(&b->e) : b->st;

    if (st != GND_OK && e)
        *e = b->e;
    st = compiled(d, b->name, b->src, b->len, st, b->log, e);
    b->log = NULL;
    if (st != GND_OK)
        return st;
    st = d->be->program.binary_load(d->dev, b->bin, b->nbin, &pr->p, e);
    if (st != GND_OK) {
        pr->p = NULL;
        return gnd__gate_call_failed(d, b->name, st, e);
    }
    for (struct gnd__kernel *k = pr->kernels; k && st == GND_OK; k = k->next) {
        gnd__kernel *same;
        st = make_kernel(d, pr, k->name, &same, e);
    }
    if (st == GND_OK)
        keep(d, pr, b->src, b->len);
    else
        gnd__prog_strip(d, pr);
    return st;
}

void gnd__gate_builds_begin(gnd__gdev *d)
{
    d->progs->together = gnd__builds_can(d);
}

gnd_status gnd__gate_builds_end(gnd__gdev *d, gnd_status st, gnd_err *e)
{
    struct gnd__progcache *c = d->progs;
    const int64_t began = gnd__clock();
    const size_t n = c->nwait;

    c->together = 0;
    c->nwait = 0;
    if (n == 0)
        return st;
    const int wanted = st == GND_OK;
    if (wanted)
        gnd__builds_run(d, c->wait, n);
    for (size_t i = 0; i < n; i++) {
        ((gnd__prog *)c->wait[i].owner)->waiting = 0;
        const gnd_status one = wanted ? load(d, &c->wait[i], st == GND_OK ? e : NULL) : st;
        st = st == GND_OK ? one : st;
        gnd__build_free(&c->wait[i]);
    }
    if (wanted)
        gnd__compiling_end(d, began);
    return st;
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
