/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/cycle.c - see record.h: a loop over a recording that the backend runs on the device.
 * Feeding moves places from block to block, so the calls of consecutive steps differ. After a few
 * steps the places are where they were: this cycle of versions is found without running anything,
 * and becomes one list of the backend (loop_new).
 *
 * A recording has such a loop if all its steps are launches and no output has to be copied when it
 * is fed. Library calls are made by the host, and copies are no launches.
 */
#include "sched/record_priv.h"

#include <string.h>
#include "base/log.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/graph.h"

enum { STEPS = GND__VERSIONS };

struct gnd__cycle {
    int nfeed, *out, *in; /* output out[k] is fed to input in[k] */
    gnd__block **moved;   /* the blocks that move in a step */
    gnd__block *control;  /* int64: the limit, the last word */
    int n;
    int64_t launches[STEPS];
    gnd_list *list;
};

static gnd_status nomem(gnd_err *e)
{
    return gnd__err(e, GND_ERR_NOMEM, "out of memory while making a loop");
}

/* Moves places as feeding does after a run. Returns 0, and moves nothing, if an output needs a
 * copy. */
static int feed(gnd__recorded *r, const struct gnd__cycle *c)
{
    for (int k = 0; k < c->nfeed; k++)
        if (!(c->moved[k] = gnd__recorded_block(r, c->out[k], c->in[k])))
            return 0;
    for (int k = 0; k < c->nfeed; k++)
        gnd__recorded_place(r, c->in[k], c->moved[k]);
    return 1;
}

static int launches_only(const gnd__rversion *v)
{
    int n = 0;
    for (int i = 0; i < v->nitem; i++) {
        if (v->item[i].type != GND__S_LAUNCH)
            return 0;
        n += v->item[i].n;
    }
    return n;
}

/* The launches of version v (at least one), and the position of output `word` after them. */
static gnd_status step_of(const gnd__recorded *r, const gnd__rversion *v, int word,
                          gnd__loop_step *s, gnd_err *e)
{
    const gnd__data *w = &r->out[word]->data;
    const size_t n = (size_t)launches_only(v);
    s->k = gnd__malloc(n * sizeof *s->k);
    s->l = gnd__malloc(n * sizeof *s->l);
    s->word = w->st->block;
    s->off = (uint64_t)w->off * sizeof(int64_t);
    if (!s->k || !s->l)
        return nomem(e);
    for (int i = 0; i < v->nitem; i++) {
        const gnd__ritem *t = &v->item[i];
        memcpy(s->k + s->n, t->kernel, (size_t)t->n * sizeof *s->k);
        memcpy(s->l + s->n, t->launch, (size_t)t->n * sizeof *s->l);
        s->n += t->n;
    }
    return GND_OK;
}

/* Whether the places are in the blocks at[]. The first call fills at[]. */
static int is_again(const gnd__recorded *r, gnd__block **at, int first)
{
    int again = !first;
    for (int i = 0; i < r->nplace; i++) {
        if (first)
            at[i] = r->place[i].st->block;
        again &= at[i] == r->place[i].st->block;
    }
    return again;
}

/* Makes the next step and moves the places as it does. *why: the reason why there is no loop. */
static gnd_status next_step(gnd__recorded *r, struct gnd__cycle *c, int word, gnd__loop_step *s,
                            const char **why, gnd_err *e)
{
    gnd__rversion *v;
    gnd_status x = gnd__version_here(r, &v, e);
    if (x == GND_OK)
        x = gnd__put_values(r, v, e);
    if (x != GND_OK)
        return x;
    v->used = ++r->runs;
    c->launches[c->n++] = launches_only(v);
    if (c->launches[c->n - 1] == 0) {
        *why = "a step is not of launches alone";
        return GND_OK;
    }
    x = step_of(r, v, word, s, e);
    if (x == GND_OK && !feed(r, c))
        *why = "a state is copied";
    return x;
}

/* Collects steps until the places are where they were before the first one, and makes the list.
 */
static gnd_status find_steps(gnd__recorded *r, struct gnd__cycle *c, int word, const char **why,
                             gnd_err *e)
{
    gnd__loop_step step[STEPS];
    memset(step, 0, sizeof step);
    gnd__block **at = gnd__malloc((size_t)r->nplace * sizeof *at);
    gnd_status x = at ? GND_OK : nomem(e);
    while (x == GND_OK && !*why) {
        gnd__recorded_apart(r);
        if (is_again(r, at, c->n == 0))
            break;
        if (c->n == STEPS)
            *why = "its memory is not where it was after some steps";
        else
            x = next_step(r, c, word, &step[c->n], why, e);
    }
    if (x == GND_OK && !*why)
        x = gnd__gate_loop_new(r->dev->g, c->n, step, c->control, &c->list, e);
    for (int i = 0; i < STEPS; i++) {
        gnd__free(step[i].k);
        gnd__free(step[i].l);
    }
    gnd__free(at);
    return x;
}

/* Makes a cycle without steps and list. */
static gnd_status cycle_new(gnd__recorded *r, int n, const int *o, const int *i, gnd_err *e)
{
    const size_t some = (size_t)n + 1;
    struct gnd__cycle *c = r->cycle = gnd__calloc(1, sizeof *c);
    if (!c)
        return nomem(e);
    c->nfeed = n;
    c->out = gnd__malloc(some * sizeof *c->out);
    c->in = gnd__malloc(some * sizeof *c->in);
    c->moved = gnd__malloc(some * sizeof *c->moved);
    if (!c->out || !c->in || !c->moved)
        return nomem(e);
    memcpy(c->out, o, (size_t)n * sizeof *o);
    memcpy(c->in, i, (size_t)n * sizeof *i);
    return gnd__pool_alloc(r->dev->g, 2 * sizeof(int64_t), &c->control, e);
}

gnd_status gnd__cycle_make(gnd__recorded *r, int n, const int *o, const int *i, int word,
                           int *steps, gnd_err *e)
{
    const char *why = NULL;
    *steps = 0;
    if (!gnd__gate_loops(r->dev->g))
        return GND_OK;
    gnd_status x = gnd__recorded_own(r, e);
    if (x != GND_OK)
        return x;
    gnd__block **at = gnd__malloc((size_t)r->nplace * sizeof *at);
    if (!at)
        return nomem(e);
    (void)is_again(r, at, 1);
    x = cycle_new(r, n, o, i, e);
    if (x == GND_OK)
        x = find_steps(r, r->cycle, word, &why, e);
    if (x == GND_OK && r->cycle->list)
        *steps = r->cycle->n;
    for (int k = 0; k < r->nplace && !*steps; k++)
        r->place[k].st->block = at[k];
    gnd__free(at);
    if (!*steps)
        (void)gnd__cycle_free(r, NULL); /* the list has not run */
    if (why)
        gnd__log(GND__LOG_INFO, "%s: a loop is run by the host: %s", r->dev->g->id, why);
    return x;
}

gnd_status gnd__cycle_run(gnd__recorded *r, int64_t made, int64_t limit, int64_t *word, gnd_err *e)
{
    struct gnd__cycle *c = r->cycle;
    gnd__gdev *d = r->dev->g;
    gnd_status x = gnd__gate_write(d, c->control, 0, &limit, sizeof limit, e);
    if (x == GND_OK)
        x = gnd__recorded_use(r, e);
    if (x == GND_OK)
        x = gnd__gate_list_run(d, c->list, 0, e);
    if (x == GND_OK)
        x = gnd__gate_read(d, word, c->control, sizeof limit, sizeof *word, e);
    if (x != GND_OK)
        return x;
    const int64_t now = *word < 0 ? -*word : *word, steps = now - made;
    if (steps < 1 || now > limit || (*word >= 0 && now < limit))
        return gnd__err(e, GND_ERR_INTERNAL, "a loop from step %lld to %lld gave the word %lld",
                        (long long)made, (long long)limit, (long long)*word);
    for (int64_t k = 0; k < (steps - 1) % c->n + 1; k++) {
        gnd__recorded_apart(r);
        (void)feed(r, c); /* it succeeded when the loop was made */
    }
    for (int k = 0; k < c->n; k++)
        d->n.launches += (uint64_t)(c->launches[k] * ((steps + c->n - 1 - k) / c->n));
    return gnd__checks_again(r->checks, e);
}

gnd_status gnd__cycle_free(gnd__recorded *r, gnd_err *e)
{
    struct gnd__cycle *c = r->cycle;
    gnd__gdev *d = r->dev->g;
    if (!c)
        return GND_OK;
    const gnd_status x = c->list ? gnd__gate_settle(d, e) : GND_OK;
    gnd__gate_list_free(d, c->list);
    if (c->control)
        gnd__pool_free(d, c->control);
    gnd__free(c->out);
    gnd__free(c->in);
    gnd__free(c->moved);
    gnd__free(c);
    r->cycle = NULL;
    return x;
}
