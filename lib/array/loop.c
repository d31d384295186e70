/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/loop.c - gnd_while: a body becomes a recording, which is replayed and fed.
 *
 * The recording of a loop has the states as inputs. Its outputs are the next states and, for
 * checkpoints, the inputs themselves. That of gnd_while also has a counter word: the number of
 * steps made, or minus that once the condition was false. The host enqueues several steps before it
 * reads the word. If the loop ended among them, or one failed, the host restores the states before
 * them and repeats the right number of steps. So a step need not know of the condition, and the
 * effect of surplus steps is never seen. A backend that has loops (loop_new) runs them in turns
 * instead, each of which ends with the loop or at a limit (sched/cycle.c).
 */
#include "array/loop.h"

#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/loop.h>
#include <stdatomic.h>
#include <time.h>
#include "array/loop_priv.h"
#include "array/record.h"
#include "base/log.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"

enum {
    MOST_AHEAD = 1024,  /* most steps between two checks of the condition */
    AHEAD_NS = 1000000, /* most ns that they may take together */
    FIRST_TURN = 1024,  /* most steps of a loop on the device between two checks by the host */
    TURN_NS = 50000000, /* and the time that they may take together, later */
    HOST_STEPS = 64     /* steps before such a loop is made; a shorter loop does not repay that */
};

static int forced, device_now, device_steps;
static atomic_int turns;

void gnd__while_force(int steps)
{
    forced = steps;
}

int64_t gnd__while_device(int now, int steps)
{
    device_now = now;
    device_steps = steps;
    return atomic_exchange(&turns, 0);
}

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The number of steps to make next, if the last `k` took ns. */
static int64_t ahead(int64_t k, int64_t ns)
{
    if (forced)
        return forced;
    const int64_t fit = ns > 0 ? k * AHEAD_NS / ns : MOST_AHEAD,
                  most = 2 * k < MOST_AHEAD ? 2 * k : MOST_AHEAD;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

/* A condition, made of cond(state): a bool of shape () of the device, or NULL. */
static gnd_array *condition(gnd__loop *l, gnd_loop_cond *cond, gnd_array *const *state, void *arg)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *c = cond(state, arg), *bad = gnd__check(c, l->func, "what cond gives");
    if (bad) {
        gnd__loop_failed(l, bad);
        return NULL;
    }
    if (c->dtype != GND_BOOL)
        gnd__err(&l->e, GND_ERR_DTYPE, "%s: cond gives %s, no bool", l->func,
                 gnd_dtype_name((gnd_dtype)c->dtype));
    else if (c->ndim > 0)
        gnd__err(&l->e, GND_ERR_SHAPE,
                 "%s: cond gives shape %s, not (): gnd_all or gnd_any makes one bool of it",
                 l->func, gnd__shape_text(text, c->ndim, c->dim));
    if (!l->e.code && c->weak)
        c = gnd__strong(c, l->dev, GND_BOOL, l->func);
    return l->e.code || (c->kind == GND__ERROR && !gnd__loop_failed(l, gnd__same(c))) ? NULL : c;
}

/* Makes the recording of a step: from the states and the word to the next ones. */
static int record_while(gnd__loop *l, gnd_loop_cond *cond, gnd_loop_body *body, void *arg)
{
    gnd__loop_placeholders(l);
    body(l->in, l->made, arg);
    for (int i = 0; i < l->n; i++)
        if (!gnd__loop_check_next(l, i))
            return 0;
    if (!cond)
        return gnd__loop_record(l, l->n, l->n);
    gnd_array *go = condition(l, cond, l->made, arg);
    if (!go)
        return 0;
    gnd_array *word = l->in[l->n] = gnd_placeholder(l->dev, GND_INT64, 0, NULL);
    l->made[l->n] =
        gnd_where(gnd_less(word, gnd_int(0)), word,
                  gnd_where(go, gnd_add(word, gnd_int(1)), gnd_subtract(gnd_int(-1), word)));
    return gnd__loop_record(l, l->n + 1, l->n + 1);
}

/* Makes k steps of the recording, which include the word if there is one. */
static gnd_status repeat(gnd__loop *l, int64_t steps, int word)
{
    gnd_status st = GND_OK;
    for (int64_t k = 0; k < steps && st == GND_OK; k++) {
        gnd_replay(l->r);
        if (word)
            gnd_recording_feed(l->r, l->n, l->n);
        st = gnd_recording_feed_all(l->r, l->n, l->number, l->number);
    }
    return st;
}

/* Runs a loop without a condition. */
static int run_all(gnd__loop *l, int64_t most)
{
    for (int64_t k = 0; k < most; k += GND__LOOP_QUEUED) {
        repeat(l, most - k < GND__LOOP_QUEUED ? most - k : GND__LOOP_QUEUED, 0);
        if (!gnd__loop_ok(l, gnd_recording_wait(l->r)))
            return 0;
    }
    return 1;
}

/* Makes k more steps. Increases *done by the valid ones, and sets *going to whether others follow.
 * saved: the states before, if k > 1. */
static int batch(gnd__loop *l, int64_t k, gnd_array *const *saved, int64_t *done, int *going)
{
    int64_t word = 0;
    repeat(l, k, 1);
    const gnd_status st = gnd_recording_read(l->r, l->n, &word, sizeof word);
    if (st == GND_OK && word != *done + k && (word >= 0 || -word <= *done || -word > *done + k))
        return gnd__loop_refuse(l, GND_ERR_INTERNAL, "%lld steps counted, %lld made",
                                (long long)word, (long long)(*done + k));
    if (st == GND_OK && word >= 0) {
        *done = word;
        return 1;
    }
    if (k == 1) {
        *going = 0;
        if (st == GND_OK)
            *done = -word;
        return gnd__loop_ok(l, st);
    }
    if (st != GND_OK)
        gnd_recording_wait(l->r); /* reports other failures of these steps */
    if (!gnd__loop_set(l, saved))
        return 0;
    if (st == GND_OK) { /* it ended within these steps */
        repeat(l, -word - *done, 1);
        *done = -word;
        *going = 0;
        return gnd__loop_ok(l, gnd_recording_wait(l->r));
    }
    /* A step failed, possibly one after the end: repeats them one by one */
    if (!gnd__loop_ok(l, gnd_recording_set_i64(l->r, l->n, *done)))
        return 0;
    for (int64_t i = 0; i < k && *going; i++)
        if (!batch(l, 1, NULL, done, going))
            return 0;
    return 1;
}

/* Makes at most k steps on the device, which ends the loop at the right step. If that fails the
 * states are those before, and the host continues, because its steps give the right error. */
static int turn(gnd__loop *l, int64_t k, gnd_array *const *saved, int64_t *done, int *going,
                int *cycle)
{
    int64_t word = 0;
    atomic_fetch_add(&turns, 1);
    if (gnd__recording_turn(l->r, *done, *done + k, &word) == GND_OK) {
        *done = word < 0 ? -word : word;
        *going = word >= 0;
        return 1;
    }
    gnd__log(GND__LOG_INFO, "while: %lld steps on the device failed, the host makes them: %s",
             (long long)k, gnd_message());
    *cycle = -1;
    gnd_recording_wait(l->r); /* reports other failures of these steps */
    return gnd__loop_set(l, saved) && gnd__loop_ok(l, gnd_recording_set_i64(l->r, l->n, *done));
}

/* The number of steps to make next, in cycles of `cycle` steps, if the last k took ns. */
static int64_t next_turn(int cycle, int64_t k, int64_t ns)
{
    const int64_t fit = k == 0   ? FIRST_TURN
                        : ns > 0 ? (int64_t)((double)k * TURN_NS / (double)ns)
                                 : k,
                  most = k == 0 ? FIRST_TURN : 4 * k;
    const int64_t n = device_steps ? device_steps : fit < most ? fit : most;
    return n < cycle ? cycle : n - n % cycle;
}

/* Makes the loop on the device once steps are short and many. *cycle: 0, not there yet; -1, never.
 */
static int look_for_cycle(gnd__loop *l, int64_t done, int64_t k, int *cycle)
{
    int n = 0;
    if (*cycle != 0 || forced || (!device_now && (done < HOST_STEPS || k == 1)))
        return 1;
    if (!gnd__loop_ok(l, gnd__recording_cycle(l->r, l->n + 1, l->number, l->number, l->n, &n)))
        return 0;
    *cycle = n ? n : -1;
    return 1;
}

static int run_while(gnd__loop *l, int64_t most, int64_t *done)
{
    gnd_array **saved = gnd__malloc(((size_t)l->n + 1) * sizeof *saved);
    int64_t k = forced ? forced : 1, last = 0, ns = 0;
    int going = 1, cycle = 0, ok = saved != NULL;
    if (!saved)
        gnd__err(&l->e, GND_ERR_NOMEM, "%s: out of host memory", l->func);
    if (ok)
        ok = gnd__loop_ok(l, gnd_recording_set_i64(l->r, l->n, 0));
    while (ok && going && *done < most && (ok = look_for_cycle(l, *done, k, &cycle))) {
        const int64_t from = *done, want = cycle > 0 ? next_turn(cycle, last, ns) : k,
                      n = want < most - from ? want : most - from;
        const int save = cycle > 0 || n > 1;
        if (save && !gnd__loop_get(l, l->n + 1, saved)) {
            ok = 0;
            break;
        }
        const int64_t begin = clock_ns();
        if (cycle > 0) {
            ok = turn(l, n, saved, done, &going, &cycle);
            last = n;
        } else {
            ok = batch(l, n, saved, done, &going);
        }
        ns = clock_ns() - begin;
        if (save)
            gnd__loop_release(l->n, saved);
        if (cycle <= 0)
            k = ahead(n, ns);
    }
    gnd__free(saved);
    return ok;
}

/* Evaluates the condition of the initial states. */
static int begins(gnd__loop *l, gnd_loop_cond *cond, void *arg)
{
    gnd_status st;
    gnd_scope_begin();
    gnd_array *c = condition(l, cond, l->init, arg);
    const int64_t go = c ? gnd_item_i64(c, &st) : 0;
    if (c)
        gnd__loop_ok(l, st);
    gnd_scope_end();
    return go != 0;
}

gnd_status gnd_while(int n, gnd_array *const *init, gnd_loop_cond *cond, gnd_loop_body *body,
                     void *arg, int64_t most, gnd_array **out, int64_t *steps)
{
    gnd__loop l = {.func = "while", .n = n};
    int64_t done = 0;
    if (steps)
        *steps = 0;
    if (n < 1)
        gnd__err(&l.e, GND_ERR_ARG, "while: %d states: at least one is needed", n);
    else if (!init || !body || !out)
        gnd__err(&l.e, GND_ERR_NULL, "while: %s is NULL", !init ? "init" : !body ? "body" : "out");
    else if (most < 0)
        gnd__err(&l.e, GND_ERR_ARG, "while: at most %lld steps", (long long)most);
    if (l.e.code || !gnd__loop_take_init(&l, init, 0, NULL))
        return gnd__loop_finish(&l, n, out);
    gnd_scope_begin(); /* scope of the body */
    const int ok = record_while(&l, cond, body, arg);
    gnd_scope_end();
    if (!ok)
        return gnd__loop_finish(&l, n, out);
    if (most == 0 || (cond && !begins(&l, cond, arg))) {
        for (int i = 0; i < n && !l.e.code; i++)
            out[i] = gnd__same(l.init[i]);
        return gnd__loop_finish(&l, n, out);
    }
    if (gnd__loop_set(&l, l.init) && (cond ? run_while(&l, most, &done) : run_all(&l, most)) &&
        gnd__loop_get(&l, cond ? n + 1 : n, out) && steps)
        *steps = cond ? done : most;
    return gnd__loop_finish(&l, n, out);
}
