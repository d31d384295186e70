/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/numbers.c - see record.h: inputs of a recording that are numbers. While a recording is
 * made, it notes which arguments of its launches they are. When a version runs, the numbers that
 * were set since its last run are written into its launches and its lists.
 */
#include "sched/record_priv.h"

#include <string.h>
#include "device/device.h"
#include "graph/graph.h"
#include "base/mem.h"

/* The input whose value argument a of a step is; -1 if none. */
static int input_of(const gnd__pgraph *g, const gnd__sarg *a)
{
    for (int i = 0; i < g->nnumber && a->kind == GND__A_CONST; i++)
        if (g->number[i].in && g->node[a->ref].a == g->number[i].as)
            return i;
    return -1;
}

int gnd__step_has_number(const gnd__pgraph *g, const gnd__step *st)
{
    for (int32_t i = 0; i < st->nargs && g->nnumber > 0; i++)
        if (input_of(g, &st->arg[i]) >= 0)
            return 1;
    return 0;
}

gnd_status gnd__note_values(gnd__recorded *r, const gnd__pgraph *g, const gnd__step *st,
                            gnd__ritem *t, int launch, gnd_err *e)
{
    for (int32_t i = 0; i < st->nargs && g->nnumber > 0; i++) {
        const int k = input_of(g, &st->arg[i]);
        if (k < 0)
            continue;
        if (r->nvalue == r->capvalue) {
            const int cap = r->capvalue ? 2 * r->capvalue : 16;
            gnd__mvalue *v = gnd__realloc(r->value, (size_t)cap * sizeof *v);
            if (!v)
                return gnd__rnomem(e);
            r->value = v;
            r->capvalue = cap;
        }
        r->value[r->nvalue++] = (gnd__mvalue){launch, i, k};
        t->nvalue++;
    }
    return GND_OK;
}

int gnd__recorded_by_value(const gnd__recorded *r, int i)
{
    return r->in[i] && r->in[i]->kind == GND__CONST;
}

void gnd__recorded_value(gnd__recorded *r, int i, const gnd__scalar *v)
{
    r->in[i]->p.value = *v;
    r->set[i] = ++r->sets;
}

/* Writes the values that changed since version v had them into these launches and, if there is one,
 * their list. */
static gnd_status put(const gnd__recorded *r, const gnd__rversion *v, int n,
                      const gnd__mvalue *value, gnd_klaunch *launch, gnd_list *list, gnd_err *e)
{
    gnd_status x = GND_OK;
    for (int i = 0; i < n && x == GND_OK; i++) {
        const gnd__mvalue *u = &value[i];
        const gnd_array *c = r->in[u->number];
        gnd_karg *a = (gnd_karg *)&launch[u->launch].args[u->arg];
        if (r->set[u->number] <= v->sets)
            continue;
        gnd__bind_constant(a, c, (gnd_dtype)c->dtype);
        if (list)
            x = gnd__gate_list_value(r->dev->g, list, u->launch, u->arg, a, e);
    }
    return x;
}

gnd_status gnd__put_values(gnd__recorded *r, gnd__rversion *v, gnd_err *e)
{
    gnd_status x = GND_OK;
    for (int i = 0; i < v->nitem && x == GND_OK && v->sets != r->sets; i++) {
        gnd__ritem *t = &v->item[i];
        x = put(r, v, t->nvalue, r->value + t->value, t->launch, t->list, e);
        if (x == GND_OK && t->merged_list)
            x = put(r, v, t->merged.nvalue, t->merged.value, t->merged.launch, t->merged_list, e);
    }
    if (x == GND_OK)
        v->sets = r->sets;
    return x;
}
