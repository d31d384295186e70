/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/lists.c - the calls of the replay group: lists of launches, and loops. A list is made for
 * the queue of the current stream, and run in that of the stream which is current then.
 */
#include "base/log.h"
#include "base/mem.h"
#include "device/call.h"
#include "device/priv.h"

gnd_status gnd__gate_list_new(gnd__gdev *d, int n, gnd__kernel *const *k, const gnd_klaunch *l,
                              gnd_list **list, gnd_err *e)
{
    gnd_kern **kern;
    gnd_err why = {GND_OK, 0, ""};
    gnd_status st;

    *list = NULL;
    if (!d->be->has_replay || (d->streams && !d->be->replay.list_run_in))
        return GND_OK;
    kern = gnd__malloc((size_t)n * sizeof *kern);
    if (!kern)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    for (int i = 0; i < n; i++)
        kern[i] = k[i]->k;
    st = gnd__gate_tick(e);
    if (st == GND_OK) {
        st = d->be->replay.list_new(d->queue, (uint32_t)n, kern, l, list, &why);
        if (st == GND_ERR_NOMEM || st == GND_ERR_DEVMEM) {
            if (e)
                *e = why;
        } else if (st != GND_OK) {
            gnd__log(GND__LOG_INFO, "%s: %d launches are no list: %s", d->id, n, why.msg);
            *list = NULL;
            st = GND_OK;
        }
    }
    gnd__free(kern);
    return done(d, "list_new", st, e);
}

/* A plugin without list_run_in runs a list in the queue for which it was made. Such lists are made
 * only while the default stream is the only one (list_new), so that is the queue of stream 0. */
static gnd_status run_there(gnd__gdev *d, gnd_list *list, gnd_err *e)
{
    const int here = gnd__gate_stream(d);
    gnd_status st = here ? gnd__gate_stream_order(d, 0, here, e) : GND_OK;
    if (st == GND_OK)
        st = d->be->replay.list_run(list, e);
    return st == GND_OK && here ? gnd__gate_stream_order(d, here, 0, e) : st;
}

static inline gnd_status run(gnd__gdev *d, gnd_list *list, gnd_err *e)
{
    if (!UNLIKELY(d->streams != NULL))
        return d->be->replay.list_run(list, e);
    return d->be->replay.list_run_in ? d->be->replay.list_run_in(list, d->queue, e)
                                     : run_there(d, list, e);
}

gnd_status gnd__gate_list_run(gnd__gdev *d, gnd_list *list, int n, gnd_err *e)
{
    gnd_status st;
    CALL(DEVICE, "kernel", "replay", -1, run(d, list, e));
    if (st == GND_OK)
        d->n.launches += (uint64_t)n;
    return done(d, "list_run", st, e);
}

gnd_status gnd__gate_list_time(gnd__gdev *d, gnd_list *list, int n, int64_t *ns, gnd_err *e)
{
    gnd_status st = gnd__gate_finish(d, e);
    const int64_t began = gnd__clock();
    if (st == GND_OK)
        st = gnd__gate_list_run(d, list, n, e);
    if (st == GND_OK)
        st = gnd__gate_finish(d, e);
    *ns = gnd__clock() - began;
    return st;
}

int gnd__gate_lists_vary(const gnd__gdev *d)
{
    return d->be->has_replay && d->be->replay.list_value != NULL;
}

gnd_status gnd__gate_list_value(gnd__gdev *d, gnd_list *list, int i, int arg, const gnd_karg *a,
                                gnd_err *e)
{
    gnd_status st = gnd__gate_tick(e);
    if (st == GND_OK)
        st = d->be->replay.list_value(list, (uint32_t)i, (uint32_t)arg, a, e);
    return done(d, "list_value", st, e);
}

int gnd__gate_loops(const gnd__gdev *d)
{
    return d->be->has_replay && d->be->replay.loop_new != NULL;
}

/* The steps as the backend takes them, followed by its kernels in the same allocation. */
static gnd_loop_step *loop_steps(int n, const gnd__loop_step *step)
{
    size_t kernels = 0;
    for (int i = 0; i < n; i++)
        kernels += (size_t)step[i].n;
    gnd_loop_step *s = gnd__malloc((size_t)n * sizeof *s + kernels * sizeof(gnd_kern *));
    gnd_kern **k = s ? (gnd_kern **)(s + n) : NULL;
    for (int i = 0; s && i < n; i++) {
        s[i] = (gnd_loop_step){.n = (uint32_t)step[i].n,
                               .k = k,
                               .l = step[i].l,
                               .word = step[i].word->buf,
                               .off = step[i].word->off + step[i].off};
        for (int j = 0; j < step[i].n; j++)
            *k++ = step[i].k[j]->k;
    }
    return s;
}

gnd_status gnd__gate_loop_new(gnd__gdev *d, int n, const gnd__loop_step *step,
                              const gnd__block *control, gnd_list **list, gnd_err *e)
{
    gnd_err why = {GND_OK, 0, ""};
    *list = NULL;
    if (d->streams && !d->be->replay.list_run_in)
        return GND_OK;
    gnd_loop_step *s = loop_steps(n, step);
    if (!s)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    gnd_status st = gnd__gate_tick(e);
    if (st == GND_OK) {
        st = d->be->replay.loop_new(d->queue, (uint32_t)n, s, control->buf, control->off, list,
                                    &why);
        if (st == GND_ERR_NOMEM || st == GND_ERR_DEVMEM) {
            if (e)
                *e = why;
        } else if (st != GND_OK) {
            gnd__log(GND__LOG_INFO, "%s: a loop is run by the host: %s", d->id, why.msg);
            *list = NULL;
            st = GND_OK;
        }
    }
    gnd__free(s);
    return done(d, "loop_new", st, e);
}

void gnd__gate_list_free(gnd__gdev *d, gnd_list *list)
{
    if (list && !gnd__forked)
        d->be->replay.list_free(list);
}
