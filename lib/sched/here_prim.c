/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/here_prim.c - primitives of few elements on the calling thread (host/native.h), in place of
 * all steps of their program, or of one. An input that is an expression is computed first, into
 * memory of the host.
 */
#include <string.h>
#include "base/mem.h"
#include "device/device.h"
#include "graph/graph.h"
#include "sched/here_priv.h"

/* Where operand m of a program is: its slot, and bytes behind the slot's beginning. */
static void find(const gnd__here_slots *at, const gnd__pmem *m, gnd_dtype t, int32_t *slot,
                 int64_t *off)
{
    *off = m->off;
    if (m->kind == GND__PA_IN) {
        *slot = at->place[m->ref].slot;
        *off += at->place[m->ref].l.off * (int64_t)gnd_dtype_size(t);
    } else {
        *slot = m->kind == GND__PA_OUT ? at->out : at->scratch + m->ref;
    }
}

struct gnd__here *gnd__here_prim(const gnd__pgraph *g, const gnd__prog *prog, const gnd__native *w,
                                 const gnd__pmem *mem, int nin, const gnd__here_slots *at,
                                 int steps)
{
    struct gnd__here *h;
    if (!w->what || nin > 2 || steps < 1 || !gnd__here_may(g) || !gnd__native_has(w) ||
        !(h = gnd__calloc(1, sizeof *h)))
        return NULL;
    h->owners = 1;
    h->native = *w;
    h->steps = steps;
    h->computed = -1;
    h->nin = nin;
    find(at, &mem[nin], GND_UINT8, &h->out.slot, &h->out.off);
    for (int i = 0; i < nin; i++) {
        const gnd__pin *x = mem[i].kind == GND__PA_IN ? &prog->in[mem[i].ref] : NULL;
        if (!x || x->mem) {
            find(at, &mem[i], x ? x->dtype : GND_UINT8, &h->in[i].slot, &h->in[i].off);
        } else if (h->computed < 0 && gnd__here_element(h, g, &at->kir[mem[i].ref])) {
            h->computed = i;
            h->nbytes = (size_t)(x->size * (int64_t)gnd_dtype_size(x->dtype));
        } else {
            gnd__here_free(h);
            return NULL;
        }
    }
    return h;
}

gnd_status gnd__here_native(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g,
                            const struct gnd__here *h, int *did, gnd_err *e)
{
    gnd__gdev *d = g->dev->g;
    const char *in[2] = {NULL, NULL};
    char *own = h->computed < 0 ? NULL : gnd__malloc(h->nbytes);
    gnd_status r = h->computed < 0 || own ? GND_OK : GND_ERR_NOMEM;
    if (r == GND_OK && own)
        r = gnd__here_points(s, p, g, h, own, did, e);
    else if (r == GND_OK)
        r = gnd__gate_here(d, e);
    for (int i = 0; i < h->nin && r == GND_OK; i++) {
        if (i == h->computed) {
            in[i] = own;
            continue;
        }
        r = gnd__plan_need(s, p, d, h->in[i].slot, e);
        if (r == GND_OK)
            in[i] = gnd__bind_address(s, p, g, h->in[i].slot) + h->in[i].off;
    }
    if (r == GND_OK)
        r = gnd__plan_need(s, p, d, h->out.slot, e);
    if (r == GND_OK &&
        !gnd__native_run(&h->native, in, gnd__bind_address(s, p, g, h->out.slot) + h->out.off))
        r = GND_ERR_NOMEM;
    gnd__free(own);
    *did = r == GND_OK;
    return r == GND_ERR_NOMEM ? gnd__err(e, r, "out of memory while evaluating") : r;
}
