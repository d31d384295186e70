/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null_list.c - the null backend's replay group. A list is a copy of the launches; running
 * it launches them one by one, so that tests see each.
 */
#include <string.h>
#include "device/null_priv.h"
#include "base/err.h"
#include "base/mem.h"

static void list_free(gnd_list *t)
{
    for (uint32_t i = 0; t->l && i < t->n; i++)
        gnd__free((void *)t->l[i].args);
    gnd__free(t->l);
    gnd__free(t->k);
    gnd__free(t);
    gnd__null_object(-1);
}

static gnd_status list_new(gnd_queue *q, uint32_t n, gnd_kern *const *k, const gnd_klaunch *l,
                           gnd_list **out, gnd_err *e)
{
    gnd_list *t = gnd__calloc(1, sizeof *t);

    if (!t)
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    gnd__null_object(1);
    t->q = q;
    t->n = n;
    t->k = gnd__malloc(n * sizeof *k);
    t->l = gnd__calloc(n, sizeof *l);
    for (uint32_t i = 0; i < n && t->k && t->l; i++) {
        const size_t bytes = l[i].nargs * sizeof *l[i].args;
        gnd_karg *args = gnd__malloc(bytes);
        t->l[i] = l[i];
        t->l[i].args = args;
        t->k[i] = k[i];
        if (!args) {
            list_free(t);
            return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
        }
        memcpy(args, l[i].args, bytes);
    }
    if (!t->k || !t->l) {
        list_free(t);
        return gnd__err(e, GND_ERR_NOMEM, "out of host memory");
    }
    gnd__null_note("list of %u\n", (unsigned)n);
    *out = t;
    return GND_OK;
}

static gnd_status list_run_in(gnd_list *t, gnd_queue *q, gnd_err *e)
{
    gnd_status st = GND_OK;

    gnd__null_note("replay of %u\n", (unsigned)t->n);
    for (uint32_t i = 0; i < t->n && st == GND_OK; i++)
        st = gnd__null_run(q, t->k[i], &t->l[i], e);
    return st;
}

static gnd_status list_run(gnd_list *t, gnd_err *e)
{
    return list_run_in(t, t->q, e);
}

static gnd_status list_value(gnd_list *t, uint32_t i, uint32_t arg, const gnd_karg *a, gnd_err *e)
{
    gnd_karg *to;
    if (i >= t->n || arg >= t->l[i].nargs)
        return gnd__err(e, GND_ERR_ARG, "argument %u of launch %u of %u", (unsigned)arg,
                        (unsigned)i, (unsigned)t->n);
    to = (gnd_karg *)&t->l[i].args[arg];
    if (to->kind != GND_ARG_VALUE || a->kind != GND_ARG_VALUE || to->nbytes != a->nbytes)
        return gnd__err(e, GND_ERR_ARG, "argument %u of launch %u is no value of %u bytes",
                        (unsigned)arg, (unsigned)i, (unsigned)a->nbytes);
    *to = *a;
    return GND_OK;
}

const gnd_replay_ops gnd__null_replay_ops = {
    .size = sizeof(gnd_replay_ops),
    .flags = GND_REPLAY_CHEAP,
    .list_new = list_new,
    .list_run = list_run,
    .list_free = list_free,
    .list_value = list_value,
    .list_run_in = list_run_in,
};
