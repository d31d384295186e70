/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/here_prim.c - primitives of few elements on the calling thread (host/native.h), in place of
 * all steps of their program, or of one. An input that is an expression is computed first, into
 * memory of the host. And kernels of steps that ran here, built when the device first runs them.
 * Also what callers ask of a step, and the count of its owners.
 */
#include <string.h>
#include "base/mem.h"
#include "device/device.h"
#include "graph/graph.h"
#include "sched/here_priv.h"
#include "sched/maker.h"

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
    if (!w->what || nin > GND__NATIVE_INS || steps < 1 || !gnd__here_may(g) ||
        !gnd__native_has(w) || !(h = gnd__calloc(1, sizeof *h)))
        return NULL;
    h->owners = 1;
    h->native = *w;
    h->steps = steps;
    h->nin = nin;
    find(at, &mem[nin], GND_UINT8, &h->out.slot, &h->out.off);
    for (int i = 0; i < nin; i++) {
        const gnd__pin *x = mem[i].kind == GND__PA_IN ? &prog->in[mem[i].ref] : NULL;
        if (!x || x->mem) {
            find(at, &mem[i], x ? x->dtype : GND_UINT8, &h->in[i].slot, &h->in[i].off);
        } else if ((h->in[i].from = gnd__here_element(g, &at->kir[mem[i].ref]))) {
            h->in[i].nbytes = (size_t)(x->size * (int64_t)gnd_dtype_size(x->dtype));
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
    const char *in[GND__NATIVE_INS] = {NULL};
    char *own[GND__NATIVE_INS] = {NULL};
    gnd_status r = gnd__gate_here(d, e);
    for (int i = 0; i < h->nin && r == GND_OK; i++) {
        if (h->in[i].from) {
            in[i] = own[i] = gnd__malloc(h->in[i].nbytes);
            r = own[i] ? gnd__here_points(s, p, g, h->in[i].from, own[i], did, e) : GND_ERR_NOMEM;
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
    for (int i = 0; i < h->nin; i++)
        gnd__free(own[i]);
    *did = r == GND_OK;
    return r == GND_ERR_NOMEM ? gnd__err(e, r, "out of memory while evaluating") : r;
}

gnd_status gnd__here_later(struct gnd__here *h, const gnd__gkernel *gk, gnd__form *form, gnd_err *e)
{
    h->form = form;
    h->name = gk->name;
    h->len = gk->src.len;
    h->text = gnd__strdup(gnd__str_get(&gk->src));
    return h->text ? GND_OK : gnd__plan_nomem(e);
}

gnd_status gnd__here_build(gnd__gdev *d, gnd__step *st, gnd_err *e)
{
    struct gnd__here *h = st->here;
    const gnd_status r = gnd__gate_kernel(d, h->name, h->text, h->len, &st->kernel, e);
    if (r != GND_OK)
        return r;
    gnd__plan_note(st->kernel, h->form);
    gnd__free(h->text);
    h->form = NULL;
    h->text = NULL;
    return GND_OK;
}

size_t gnd__here_bytes(const struct gnd__here *h)
{
    size_t n = !h ? 0 : sizeof *h + (h->text ? h->len : 0) + (size_t)h->nbox * sizeof *h->box;
    for (int i = 0; h && i < h->nin; i++)
        n += gnd__here_bytes(h->in[i].from);
    return n;
}

int gnd__here_steps(const gnd__step *st)
{
    return st->here->steps;
}

void gnd__here_hold(struct gnd__here *h)
{
    h->owners++;
}
