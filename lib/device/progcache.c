/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/progcache.c - compiled programs in memory, by their whole texts. They are kept until their
 * estimated size passes a limit; then programs whose kernels nobody holds are dropped, least
 * recently used first. progbuild.c makes them.
 */
#include <stdlib.h>
#include <string.h>
#include "device/progs.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"

/* Estimated host memory of a program. On CPUs the in-process compiler keeps its code (1.3 MB
 * measured with PoCL 5.0); elsewhere there are a binary and what the driver made of it. */
enum { CPU_BYTES = 5 << 18, GPU_BYTES = 1 << 16, TEXTS = 8 };
/* The programs' limit in bytes. On CPUs it is 1/MOST_PART of the host's memory if that is more. */
#define MOST ((uint64_t)512 << 20)
#define MOST_PART 16

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

void gnd__prog_strip(gnd__gdev *d, gnd__prog *pr)
{
    for (struct gnd__kernel *k = pr->kernels; k; k = k->next) {
        if (k->k)
            d->be->program.kernel_free(k->k);
        k->k = NULL;
    }
    if (pr->p)
        d->be->program.prog_free(pr->p);
    pr->p = NULL;
}

void gnd__prog_release(gnd__gdev *d, gnd__prog *pr)
{
    struct gnd__kernel *k;

    gnd__prog_strip(d, pr);
    while ((k = pr->kernels) != NULL) {
        pr->kernels = k->next;
        gnd__free(k->name);
        gnd__free(k->note);
        gnd__free(k);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *src, size_t len)
{
    return gnd__hash_bytes(src, len, 0).h[0];
}

static void unlink_prog(struct gnd__progcache *c, gnd__prog *pr)
{
    *(pr->newer ? &pr->newer->older : &c->newest) = pr->older;
    *(pr->older ? &pr->older->newer : &c->oldest) = pr->newer;
}

static void link_newest(struct gnd__progcache *c, gnd__prog *pr)
{
    pr->newer = NULL;
    pr->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = pr;
    c->newest = pr;
}

gnd__prog *gnd__prog_find(struct gnd__progcache *c, const char *src, size_t len)
{
    gnd__prog *pr = gnd__table_find(c->progs, src, len, hash_of(src, len));

    if (pr) {
        unlink_prog(c, pr);
        link_newest(c, pr);
    }
    return pr;
}

int gnd__prog_enter(gnd__gdev *d, gnd__prog *pr, const char *src, size_t len)
{
    pr->hash = hash_of(src, len);
    pr->bytes = (d->props.kind == GND_DEV_CPU ? CPU_BYTES : GPU_BYTES) + TEXTS * (uint64_t)len;
    if (gnd__table_enter(d->progs->progs, src, len, pr->hash, pr, NULL) != 0)
        return -1;
    link_newest(d->progs, pr);
    pr->holds++;
    d->n.progs++;
    d->n.prog_bytes += pr->bytes;
    return 0;
}

/* Drops programs, the oldest first, until all take at most `bytes` or the rest is held. Programs
 * not yet on disk are not stored: storing would cost a compilation where binaries come late, and
 * such drivers have a cache of their own. */
static void drop_progs(gnd__gdev *d, uint64_t bytes)
{
    struct gnd__progcache *c = d->progs;
    gnd__prog *pr = c->oldest, *newer;
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
        gnd__prog_release(d, pr);
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
        const gnd__prog *pr = value;
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
        gnd__prog_release(d, value);
        gnd__free(value);
    }
    gnd__table_free(c->progs, NULL);
    gnd__progdisk_close(&c->disk);
    gnd__free(c->wait);
    free(c->log);
    gnd__free(c);
    d->progs = NULL;
}

const char *gnd__gate_source(const gnd__gdev *d, const gnd__kernel *k, size_t *len)
{
    size_t at = 0;
    const void *src;
    void *value;

    while (gnd__table_next(d->progs->progs, &at, &src, len, &value))
        for (const struct gnd__kernel *x = ((const gnd__prog *)value)->kernels; x; x = x->next)
            if (x == k)
                return src;
    return NULL;
}
