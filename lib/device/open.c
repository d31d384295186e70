/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/open.c - from a device specification ("opencl:1", "opencl:pocl", "pocl", or none) to an
 * open device. Every failure lists what is available instead. The null backend is used only if
 * named.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "device/priv.h"
#include "device/trace.h"
#include "base/env.h"
#include "base/log.h"
#include "base/mem.h"

/* gnd_props carries no size: a plugin of the same GND_BACKEND_MAJOR fills it as its own header
 * declares it. */
_Static_assert(sizeof(gnd_props) == 824 && offsetof(gnd_props, reason) == 564,
               "gnd_props is that of contract 2");

/* Serialises calls that belong to no open device. */
static pthread_mutex_t listing = PTHREAD_MUTEX_INITIALIZER;

/* What to look for. */
struct query {
    const gnd__backend *only; /* NULL: all but null */
    const char *text;         /* "": any device */
};

struct found {
    const gnd__backend *b;
    int index;
    gnd_props props;
};

gnd_status gnd__gate_props(const gnd__backend *b, int i, gnd_props *p, gnd_err *e)
{
    gnd_status st;
    char id[64];

    memset(p, 0, sizeof *p);
    snprintf(id, sizeof id, "%s:%d", b->name, i);
    if (b->why.code)
        return gnd__err(e, GND_ERR_DEVICE, "backend %s: %s", b->name, b->why.msg);
    if (i < 0 || i >= b->ndev)
        return gnd__err(e, GND_ERR_DEVICE, "no device %s: the backend has %d", id, b->ndev);
    st = gnd__gate_tick(e);
    if (st == GND_OK) {
        pthread_mutex_lock(&listing);
        st = b->device.props(i, p, e);
        pthread_mutex_unlock(&listing);
    }
    if (st != GND_OK)
        return gnd__gate_failed(id, "device.props", st, e);
    p->name[sizeof p->name - 1] = p->vendor[sizeof p->vendor - 1] = '\0';
    p->platform[sizeof p->platform - 1] = p->driver[sizeof p->driver - 1] = '\0';
    p->version[sizeof p->version - 1] = p->reason[sizeof p->reason - 1] = '\0';
    p->bus[sizeof p->bus - 1] = '\0';
    return GND_OK;
}

/* Like gnd__gate_props, but turns a failure into the reason why the device cannot be opened. */
static void props_or_reason(const gnd__backend *b, int i, gnd_props *p)
{
    gnd_err e;

    memset(&e, 0, sizeof e);
    if (gnd__gate_props(b, i, p, &e) != GND_OK) {
        memset(p, 0, sizeof *p);
        snprintf(p->name, sizeof p->name, "(unknown)");
        snprintf(p->reason, sizeof p->reason, "%.231s", e.msg);
    }
}

/* --- matching --------------------------------------------------------------------------------- */

static int has_text(const char *hay, const char *text)
{
    return strcasestr(hay, text) != NULL;
}

/* 2: the text is in the names; 1: only in the version texts ("OpenCL 3.0 PoCL ..."); 0: not
 * found. */
static int matches(const gnd_props *p, const char *text)
{
    if (has_text(p->platform, text) || has_text(p->name, text) || has_text(p->vendor, text))
        return 2;
    if (strcasecmp(text, "pocl") == 0 && has_text(p->platform, "Portable Computing Language"))
        return 2;
    return has_text(p->version, text) || has_text(p->driver, text);
}

/* Lower is better. Devices that open come first, then direct matches of the text, GPUs, float64. */
static int score(const gnd_props *p, int match)
{
    int kind = p->kind == GND_DEV_GPU ? 0 : p->kind == GND_DEV_OTHER ? 1 : 2;
    return (p->reason[0] ? 100 : 0) + (match == 2 ? 0 : 50) + kind * 10 + (p->has_f64 ? 0 : 1);
}

/* Finds the best device that matches q. Returns 0 if there is none. */
static int pick(const struct query *q, struct found *out)
{
    const gnd__backend *const *list;
    int n = gnd__gate_found(&list), i, j, m, s, best = 1000;
    gnd_props p;

    for (i = 0; i < n && best > 0; i++) { /* stop at a device with the best possible score */
        const gnd__backend *b = list[i];
        if (q->only ? q->only != b : strcmp(b->name, "null") == 0)
            continue;
        gnd__gate_need(b);
        if (b->why.code)
            continue;
        for (j = 0; j < b->ndev; j++) {
            props_or_reason(b, j, &p);
            m = q->text[0] ? matches(&p, q->text) : 2;
            s = score(&p, m);
            if (m && s < best) {
                best = s;
                out->b = b;
                out->index = j;
                out->props = p;
            }
        }
    }
    return best < 1000;
}

/* Backends whose absence is worth reporting. */
static const char *const known[] = {"cuda", "opencl"};
enum { NKNOWN = sizeof known / sizeof *known };

/* Writes "opencl:0 NAME (PLATFORM), ..." for the devices present, or why there are none. Cut to
 * fit. */
static void present(char *buf, size_t cap, const gnd__backend *only)
{
    const gnd__backend *const *list;
    int n = gnd__gate_backends(&list), i, j, any = 0, absent = 0;
    size_t len = 0;
    gnd_props p;

#define ADD(...)                                                                                   \
    do {                                                                                           \
        if (len < cap)                                                                             \
            len += (size_t)snprintf(buf + len, cap - len, __VA_ARGS__);                            \
    } while (0)
    buf[0] = '\0';
    for (i = 0; i < n; i++) {
        if (only ? only != list[i] : strcmp(list[i]->name, "null") == 0)
            continue;
        for (j = 0; j < list[i]->ndev; j++) {
            props_or_reason(list[i], j, &p);
            ADD("%s%s:%d %.60s (%.60s)", any++ ? ", " : "", list[i]->name, j, p.name, p.platform);
        }
    }
    if (any)
        goto cut;
    for (i = 0; i < NKNOWN && !only; i++) {
        for (j = 0; j < n && strcmp(list[j]->name, known[i]) != 0;)
            j++;
        if (j < n)
            continue;
        ADD("%s%s: gnd-%s.so is not installed", any++ ? "; " : "no device; ", known[i], known[i]);
        absent = 1;
    }
    for (i = 0; i < n; i++) {
        if (only ? only != list[i] : strcmp(list[i]->name, "null") == 0)
            continue;
        ADD("%s%s: %.160s", any++ ? "; " : "no device; ", list[i]->name, list[i]->why.msg);
    }
    if (absent) {
        const char *const *note;
        const int noted = gnd__gate_notes(&note);
        ADD("; looked in %.140s (GND_BACKEND_PATH names more folders)", gnd__gate_where());
        for (i = 0; i < noted; i++)
            ADD("; %s", note[i]);
    }
#undef ADD
cut:
    if (len >= cap && cap > 4)
        strcpy(buf + cap - 4, "...");
}

static int all_digits(const char *s)
{
    return *s && s[strspn(s, "0123456789")] == '\0';
}

/* Parses a spec into a query, or into a device number (*index >= 0). */
static gnd_status parse(const char *spec, struct query *q, int *index, gnd_err *e)
{
    size_t head = strcspn(spec, ":"), k;
    const gnd__backend *const *list;
    int n = gnd__gate_found(&list), i;
    char there[400];
    long number;

    memset(q, 0, sizeof *q);
    *index = -1;
    q->text = spec;
    for (i = 0; i < n; i++)
        if (strlen(list[i]->name) == head && strncasecmp(list[i]->name, spec, head) == 0)
            q->only = list[i];
    if (!q->only) {
        for (k = 0; k < NKNOWN; k++) {
            if (strlen(known[k]) != head || strncasecmp(known[k], spec, head) != 0)
                continue;
            present(there, sizeof there, NULL);
            return gnd__err(
                e, GND_ERR_DEVICE,
                "backend %s: not installed (no gnd-%s.so in %.100s: GND_BACKEND_PATH names more folders); "
                "present: %s",
                known[k], known[k], gnd__gate_where(), there);
        }
        if (!all_digits(spec))
            return GND_OK;
        present(there, sizeof there, NULL);
        return gnd__err(e, GND_ERR_DEVICE,
                        "a device is BACKEND:NUMBER or a text, not '%.20s'; present: %s", spec,
                        there);
    }
    gnd__gate_need(q->only);
    if (q->only->why.code)
        return gnd__err(e, GND_ERR_DEVICE, "backend %s: %s", q->only->name, q->only->why.msg);
    if (q->only->ndev == 0)
        return gnd__err(e, GND_ERR_DEVICE, "backend %s has no device: %s", q->only->name,
                        q->only->why.msg);
    q->text = spec[head] ? spec + head + 1 : "";
    if (!all_digits(q->text))
        return GND_OK;
    number = strlen(q->text) < 9 ? atol(q->text) : 999999999;
    if (number >= q->only->ndev) {
        present(there, sizeof there, q->only);
        return gnd__err(e, GND_ERR_DEVICE, "no device %s:%.20s; present: %s", q->only->name,
                        q->text, there);
    }
    *index = (int)number;
    return GND_OK;
}

/* Finds the device that q and index (from parse) name, and its props. */
static gnd_status choose(const struct query *q, int index, const char *spec, struct found *f,
                         gnd_err *e)
{
    char there[400];
    gnd_status st;

    if (index >= 0) {
        f->b = q->only;
        f->index = index;
        if ((st = gnd__gate_props(f->b, index, &f->props, e)) != GND_OK)
            return st;
    } else if (!pick(q, f)) {
        present(there, sizeof there, NULL);
        if (!spec[0])
            return gnd__err(e, GND_ERR_DEVICE, "%s", there);
        return gnd__err(e, GND_ERR_DEVICE, "no device matches '%.60s'; present: %s", spec, there);
    }
    if (f->props.reason[0])
        return gnd__err(e, GND_ERR_DEVICE, "%s:%d %.60s cannot be opened: %s", f->b->name, f->index,
                        f->props.name, f->props.reason);
    return GND_OK;
}

/* --- opening ---------------------------------------------------------------------------------- */

static gnd__gdev *gdev_new(const gnd__backend *b)
{
    pthread_mutexattr_t attr;
    gnd__gdev *d = gnd__calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->be = b;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&d->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    return d;
}

static void gdev_free(gnd__gdev *d)
{
    pthread_mutex_destroy(&d->lock);
    gnd__free(d);
}

/* The rest, when d has its device and queue, which end if this fails, and d with them. */
static gnd_status complete(gnd__gdev *d, gnd__gdev **out, gnd_err *e)
{
    gnd_status st = gnd__pool_new(d, e);
    if (st != GND_OK)
        goto free_queue;
    if ((st = gnd__progs_new(d, e)) != GND_OK)
        goto delete_pool;
    gnd__tunefile_load(d);
    if ((st = gnd__trace_open(d, e)) != GND_OK)
        goto delete_progs;
    gnd__log(GND__LOG_INFO, "%s opened: %s (%s, %s)", d->id, d->props.name, d->props.platform,
             d->props.driver);
    if (!d->be->path[0]) /* plugins count from the time they are loaded */
        gnd__fork_watch(1);
    *out = d;
    return GND_OK;

delete_progs:
    gnd__progs_delete(d);
delete_pool:
    gnd__pool_delete(d);
free_queue:
    d->be->queue.queue_free(d->queue);
    d->be->device.close(d->dev);
    gdev_free(d);
    return st;
}

static gnd_status open_found(const struct found *f, gnd__gdev **out, gnd_err *e)
{
    gnd_status st;
    gnd__gdev *d = gdev_new(f->b);
    *out = NULL;
    if (!d)
        return gnd__err(e, GND_ERR_NOMEM, "%s:%d: out of host memory", f->b->name, f->index);
    d->index = f->index;
    d->props = f->props;
    snprintf(d->id, sizeof d->id, "%s:%d", f->b->name, f->index);
    if ((st = gnd__gate_tick(e)) == GND_OK) {
        pthread_mutex_lock(&listing);
        st = f->b->device.open(f->index, &d->dev, e);
        pthread_mutex_unlock(&listing);
    }
    if (st != GND_OK) {
        st = gnd__gate_failed(d->id, "open", st, e);
        goto free_d;
    }
    if ((st = gnd__gate_tick(e)) == GND_OK)
        st = f->b->queue.queue_new(d->dev, gnd__queue_flags(), &d->queue, e);
    if (st != GND_OK) {
        st = gnd__gate_failed(d->id, "queue_new", st, e);
        goto close_dev;
    }
    return complete(d, out, e);

close_dev:
    f->b->device.close(d->dev);
free_d:
    gdev_free(d);
    return st;
}

/* The backend of that name, loaded. */
static gnd_status named_backend(const char *name, const gnd__backend **b, gnd_err *e)
{
    const gnd__backend *const *list;
    int n = gnd__gate_found(&list), i;
    char there[400];
    for (i = 0; i < n && strcasecmp(list[i]->name, name) != 0;)
        i++;
    if (i == n) {
        present(there, sizeof there, NULL);
        return gnd__err(e, GND_ERR_DEVICE, "backend %.40s: not installed; present: %s", name,
                        there);
    }
    gnd__gate_need(list[i]);
    *b = list[i];
    return list[i]->why.code
               ? gnd__err(e, GND_ERR_DEVICE, "backend %s: %s", list[i]->name, list[i]->why.msg)
               : GND_OK;
}

gnd_status gnd__gate_open_native(const char *backend, const gnd_dev_native *n, gnd__gdev **out,
                                 gnd_err *e)
{
    static atomic_uint last;
    const gnd__backend *b;
    gnd__gdev *d;
    gnd_status st = gnd__env_check_all(e);

    *out = NULL;
    if (st != GND_OK || (st = named_backend(backend, &b, e)) != GND_OK)
        return st;
    if (!b->device.open_native)
        return gnd__err(
            e, GND_ERR_UNSUPPORTED,
            "backend %s has no entry device.open_native: install a plugin for interface %u "
            "or newer, or use gnd_open",
            b->name, GND_BACKEND_MAJOR);
    d = gdev_new(b);
    if (!d)
        return gnd__err(e, GND_ERR_NOMEM, "%s: out of host memory", b->name);
    if ((st = gnd__gate_tick(e)) == GND_OK) {
        pthread_mutex_lock(&listing);
        st = b->device.open_native(n, gnd__queue_flags(), &d->index, &d->dev, &d->queue, e);
        pthread_mutex_unlock(&listing);
    }
    if (st != GND_OK) {
        st = gnd__gate_failed(b->name, "context and queue", st, e);
        goto free_d;
    }
    if ((st = gnd__gate_props(b, d->index, &d->props, e)) != GND_OK)
        goto close;
    d->native = atomic_fetch_add(&last, 1) + 1;
    snprintf(d->id, sizeof d->id, "%s:%d@%u", b->name, d->index, d->native);
    return complete(d, out, e);

close:
    b->queue.queue_free(d->queue);
    b->device.close(d->dev);
free_d:
    gdev_free(d);
    return st;
}

/* spec, or GND_DEVICE if spec is empty; *from_env tells which. Never NULL. */
static const char *effective(const char *spec, int *from_env)
{
    const char *env;

    *from_env = 0;
    if (spec && spec[0])
        return spec;
    env = gnd__env_string(GND__ENV_DEVICE);
    *from_env = env != NULL;
    return *from_env ? env : "";
}

static gnd_status find_device(const char *spec, struct found *f, gnd_err *e)
{
    struct query q;
    gnd_status st = gnd__env_check_all(e);
    int number, from_env;

    if (st != GND_OK)
        return st;
    spec = effective(spec, &from_env);
    st = parse(spec, &q, &number, e);
    if (st == GND_OK)
        st = choose(&q, number, spec, f, e);
    if (st != GND_OK && from_env && e)
        gnd__err_prefix(e, "GND_DEVICE");
    return st;
}

gnd_status gnd__gate_resolve(const char *spec, const gnd__backend **b, int *index, gnd_err *e)
{
    struct found f;
    gnd_status st = find_device(spec, &f, e);

    if (st == GND_OK) {
        *b = f.b;
        *index = f.index;
    }
    return st;
}

/* Opens the best device or fails. Silently taking a slower one could cost hours. */
gnd_status gnd__gate_open(const char *spec, gnd__gdev **d, gnd_err *e)
{
    struct found f;
    gnd_status st;

    *d = NULL;
    st = find_device(spec, &f, e);
    return st == GND_OK ? open_found(&f, d, e) : st;
}

void gnd__gate_close(gnd__gdev *d)
{
    const int plugin = d && d->be->path[0];

    if (!d || gnd__forked) /* everything is left as it is, also in the list of open devices */
        return;
    gnd__gate_lock(d);
    (void)gnd__queues_wait(d, NULL);
    if (d->holds) {
        d->closed = 1;
        gnd__gate_unlock(d);
        return;
    }
    gnd__trace_close(d);
    gnd__progs_delete(d);
    gnd__pool_delete(d);
    gnd__queues_free(d);
    gnd__gate_unlock(d);
    pthread_mutex_lock(&listing);
    d->be->device.close(d->dev);
    pthread_mutex_unlock(&listing);
    gdev_free(d);
    if (!plugin)
        gnd__fork_watch(-1);
}
