/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/loop.c - gnd_while and gnd_scan: bodies become recordings, which are replayed and fed.
 *
 * The recording of a loop has the states as inputs, and as outputs the next states and, for
 * checkpoints, the inputs themselves. That of gnd_while has a word beside: how many steps were
 * made, or minus that since the condition was false. The host puts some steps into the queue before
 * it looks at the word. Where the loop was to end among them, or something failed, it goes back to
 * the states before them and makes the steps again that there are: so the steps themselves need not
 * know of the condition, and what they do too much is not seen. A backend that has loops (loop_new)
 * runs them in turns instead, each of which ends with the loop or at a limit (sched/cycle.c).
 */
#include "array/loop.h"

#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/loop.h>
#include <gnd/record.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "array/place.h"
#include "array/record.h"
#include "base/log.h"
#include "base/mem.h"
#include "device/device.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "sched/check.h"

enum {
    MOST_AHEAD = 1024,  /* steps between two looks at the condition */
    AHEAD_NS = 1000000, /* and what they may take together */
    FIRST_TURN = 1024,  /* steps of a loop on the device between two looks of the host */
    TURN_NS = 50000000, /* and what they may take together, later */
    HOST_STEPS = 64,    /* steps before such a loop is made: shorter ones do not pay for it */
    QUEUED = 1024 /* steps after which a loop without a condition waits: queues are not endless */
};

typedef struct loop {
    const char *func;
    gnd_err e; /* the first that went wrong */
    gnd_device *dev;
    int n, nx, ny;
    gnd_array **init; /* n states: references */
    gnd_array **in;   /* n + nx + 1 placeholders: states, rows, the word */
    gnd_array **made; /* n + ny + 1 + n: next states, rows, the word, the states themselves */
    int *number;      /* 0, 1, 2 ...: outputs k are fed to inputs k */
    gnd_recording *r;
} loop;

/* --- arguments -------------------------------------------------------------------------------- */

/* The error of `bad`, as the loop's own when it is its first. */
static int failed(loop *l, gnd_array *bad)
{
    const size_t n = strlen(l->func);
    if (!l->e.code) {
        l->e = *bad->p.err;
        if (strncmp(l->e.msg, l->func, n) != 0 || l->e.msg[n] != ':')
            gnd__err_prefix(&l->e, "%s", l->func);
    }
    gnd_release(bad);
    return 0;
}

static int refuse(loop *l, gnd_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(loop *l, gnd_status code, const char *fmt, ...)
{
    char text[sizeof l->e.msg];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    gnd__err(&l->e, code, "%s: %s", l->func, text);
    return 0;
}

static int usable(loop *l, gnd_array *x, const char *list, int i)
{
    char name[32];
    snprintf(name, sizeof name, "%s[%d]", list, i);
    gnd_array *bad = gnd__check(x, l->func, name);
    if (bad)
        return failed(l, bad);
    if (x->dev && l->dev && x->dev != l->dev)
        gnd__err(&l->e, GND_ERR_DEVICE, "%s: arrays of two devices, %s and %s", l->func,
                 gnd__device_id(l->dev), gnd__device_id(x->dev));
    if (x->dev)
        l->dev = x->dev;
    return l->e.code == GND_OK;
}

static int count_ok(loop *l, int n, const void *list, const char *name)
{
    if (n < 0)
        gnd__err(&l->e, GND_ERR_ARG, "%s: %d arrays in %s", l->func, n, name);
    else if (n > 0 && !list)
        gnd__err(&l->e, GND_ERR_NULL, "%s: %s is NULL", l->func, name);
    return l->e.code == GND_OK;
}

/* The states that the loop begins with, numbers as arrays of the device. */
static int take_init(loop *l, gnd_array *const *init, int nx, gnd_array *const *xs)
{
    for (int i = 0; i < l->n; i++)
        if (!usable(l, init[i], "init", i))
            return 0;
    for (int i = 0; i < nx; i++)
        if (!usable(l, xs[i], "xs", i))
            return 0;
    if (!l->dev)
        return refuse(l, GND_ERR_DEVICE,
                      "only numbers, which have no device: make one an array of a device");
    l->init = gnd__calloc((size_t)l->n + 1, sizeof(gnd_array *));
    l->in = gnd__calloc((size_t)l->n + (size_t)l->nx + 1, sizeof(gnd_array *));
    l->made = gnd__calloc(2 * (size_t)l->n + (size_t)l->ny + 1, sizeof(gnd_array *));
    l->number = gnd__calloc((size_t)l->n + 1, sizeof(int));
    if (!l->init || !l->in || !l->made || !l->number)
        return refuse(l, GND_ERR_NOMEM, "out of host memory");
    for (int i = 0; i < l->n; i++) {
        l->init[i] = init[i]->weak ? gnd__strong(init[i], l->dev, GND_DTYPE_DEFAULT, l->func)
                                   : gnd__same(init[i]);
        l->number[i] = i;
        if (l->init[i]->kind == GND__ERROR)
            return failed(l, gnd__same(l->init[i]));
    }
    l->number[l->n] = l->n; /* the word */
    return 1;
}

/* --- the body --------------------------------------------------------------------------------- */

/* What the body made as state i: like the state, or an error. */
static int check_next(loop *l, int i)
{
    char a[GND__SHAPE_TEXT], b[GND__SHAPE_TEXT], name[48];
    const gnd_array *s = l->in[i];
    gnd_array *x = l->made[i];
    const gnd_dtype t = (gnd_dtype)s->dtype;
    snprintf(name, sizeof name, "next[%d]", i);
    if (!x)
        return refuse(l, GND_ERR_ARG, "the body does not set %s", name);
    gnd_array *bad = gnd__check(x, l->func, name);
    if (bad)
        return failed(l, bad);
    if (x->weak && gnd__promote_weak(t, x->p.value.kind, GND_FLOAT64) == t)
        l->made[i] = x = gnd__strong(x, l->dev, t, l->func);
    if (x->kind == GND__ERROR)
        return failed(l, gnd__same(x));
    if (x->dtype != s->dtype)
        gnd__err(&l->e, GND_ERR_DTYPE,
                 "%s: state %d is %s, what the body makes of it %s: gnd_astype helps", l->func, i,
                 gnd_dtype_name(t), gnd_dtype_name((gnd_dtype)x->dtype));
    else if (x->ndim != s->ndim ||
             (x->ndim && memcmp(x->dim, s->dim, x->ndim * sizeof *x->dim) != 0))
        gnd__err(&l->e, GND_ERR_SHAPE, "%s: state %d has shape %s, what the body makes of it %s",
                 l->func, i, gnd__shape_text(a, s->ndim, s->dim),
                 gnd__shape_text(b, x->ndim, x->dim));
    return l->e.code == GND_OK;
}

static int check_row(loop *l, int i)
{
    char name[48];
    gnd_array **x = &l->made[l->n + i];
    snprintf(name, sizeof name, "y[%d]", i);
    if (!*x)
        return refuse(l, GND_ERR_ARG, "the body does not set %s", name);
    gnd_array *bad = gnd__check(*x, l->func, name);
    if (bad)
        return failed(l, bad);
    if ((*x)->weak)
        *x = gnd__strong(*x, l->dev, GND_DTYPE_DEFAULT, l->func);
    return (*x)->kind != GND__ERROR || failed(l, gnd__same(*x));
}

/* Records the outputs; nmade of l->made so far, the states themselves come behind. */
static int record(loop *l, int nin, int nmade)
{
    for (int i = 0; i < l->n; i++)
        l->made[nmade++] = l->in[i];
    l->r = gnd_record(nin, l->in, nmade, l->made);
    const gnd_status st = gnd_recording_status(l->r);
    const char *text = gnd_recording_error(l->r);
    if (st != GND_OK)
        gnd__err(&l->e, st, "%s: %s", l->func, !strncmp(text, "record: ", 8) ? text + 8 : text);
    return st == GND_OK;
}

static void make_placeholders(loop *l)
{
    for (int i = 0; i < l->n; i++)
        l->in[i] = gnd_placeholder(l->dev, (gnd_dtype)l->init[i]->dtype, l->init[i]->ndim,
                                   l->init[i]->dim);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* A step of the recording failed, or none did. */
static int went_well(loop *l, gnd_status st)
{
    if (st != GND_OK && !l->e.code) {
        const char *m = gnd_message();
        gnd__err(&l->e, st, "%s: %s", l->func, m);
    }
    return st == GND_OK;
}

static int set_states(loop *l, gnd_array *const *x)
{
    gnd_status st = GND_OK;
    for (int i = 0; i < l->n; i++)
        st = gnd_recording_set(l->r, i, x[i]);
    return went_well(l, st);
}

/* The states as they are: the outputs from `first` on. On failure those that were made are
 * released. */
static int get_states(loop *l, int first, gnd_array **out)
{
    for (int i = 0; i < l->n; i++) {
        out[i] = gnd_recording_get(l->r, first + i);
        if (out[i]->kind != GND__ERROR)
            continue;
        if (!l->e.code)
            gnd__err(&l->e, out[i]->p.err->code, "%s: %s", l->func, out[i]->p.err->msg);
        for (int k = 0; k <= i; k++)
            gnd_release(out[k]);
        return 0;
    }
    return 1;
}

static void release_all(int n, gnd_array **x)
{
    for (int i = 0; i < n; i++)
        gnd_release(x[i]);
}

/* --- while ------------------------------------------------------------------------------------ */

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

/* How many steps come next, when the last `k` took so long. */
static int64_t ahead(int64_t k, int64_t ns)
{
    if (forced)
        return forced;
    const int64_t fit = ns > 0 ? k * AHEAD_NS / ns : MOST_AHEAD,
                  most = 2 * k < MOST_AHEAD ? 2 * k : MOST_AHEAD;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

/* A condition, made of cond(state): a bool of shape () of the device, or NULL. */
static gnd_array *condition(loop *l, gnd_loop_cond *cond, gnd_array *const *state, void *arg)
{
    char text[GND__SHAPE_TEXT];
    gnd_array *c = cond(state, arg), *bad = gnd__check(c, l->func, "what cond gives");
    if (bad) {
        failed(l, bad);
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
    return l->e.code || (c->kind == GND__ERROR && !failed(l, gnd__same(c))) ? NULL : c;
}

/* The recording of a step: states and the word to those after it. */
static int record_while(loop *l, gnd_loop_cond *cond, gnd_loop_body *body, void *arg)
{
    make_placeholders(l);
    body(l->in, l->made, arg);
    for (int i = 0; i < l->n; i++)
        if (!check_next(l, i))
            return 0;
    if (!cond)
        return record(l, l->n, l->n);
    gnd_array *go = condition(l, cond, l->made, arg);
    if (!go)
        return 0;
    gnd_array *word = l->in[l->n] = gnd_placeholder(l->dev, GND_INT64, 0, NULL);
    l->made[l->n] =
        gnd_where(gnd_less(word, gnd_int(0)), word,
                  gnd_where(go, gnd_add(word, gnd_int(1)), gnd_subtract(gnd_int(-1), word)));
    return record(l, l->n + 1, l->n + 1);
}

/* Steps of the recording, so many; with the word when there is one. */
static gnd_status repeat(loop *l, int64_t steps, int word)
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

/* Without a condition. */
static int run_all(loop *l, int64_t most)
{
    for (int64_t k = 0; k < most; k += QUEUED) {
        repeat(l, most - k < QUEUED ? most - k : QUEUED, 0);
        if (!went_well(l, gnd_recording_wait(l->r)))
            return 0;
    }
    return 1;
}

/* k steps after `done` of them, and what they come to: *done is more then, *going says whether
 * there are others. saved are the states before, if k > 1. */
static int batch(loop *l, int64_t k, gnd_array *const *saved, int64_t *done, int *going)
{
    int64_t word = 0;
    repeat(l, k, 1);
    const gnd_status st = gnd_recording_read(l->r, l->n, &word, sizeof word);
    if (st == GND_OK && word != *done + k && (word >= 0 || -word <= *done || -word > *done + k))
        return refuse(l, GND_ERR_INTERNAL, "%lld steps counted, %lld made", (long long)word,
                      (long long)(*done + k));
    if (st == GND_OK && word >= 0) {
        *done = word;
        return 1;
    }
    if (k == 1) {
        *going = 0;
        if (st == GND_OK)
            *done = -word;
        return went_well(l, st);
    }
    if (st != GND_OK)
        gnd_recording_wait(l->r); /* what else there is to tell of these steps */
    if (!set_states(l, saved))
        return 0;
    if (st == GND_OK) { /* it ended on the way */
        repeat(l, -word - *done, 1);
        *done = -word;
        *going = 0;
        return went_well(l, gnd_recording_wait(l->r));
    }
    /* Something failed, maybe in a step too many: one by one */
    if (!went_well(l, gnd_recording_set_i64(l->r, l->n, *done)))
        return 0;
    for (int64_t i = 0; i < k && *going; i++)
        if (!batch(l, 1, NULL, done, going))
            return 0;
    return 1;
}

/* At most k steps by the device, which ends the loop where it is to end. If that fails the states
 * are those before, and the host goes on: its steps tell what is wrong. */
static int turn(loop *l, int64_t k, gnd_array *const *saved, int64_t *done, int *going, int *cycle)
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
    gnd_recording_wait(l->r); /* what else there is to tell of these steps */
    return set_states(l, saved) && went_well(l, gnd_recording_set_i64(l->r, l->n, *done));
}

/* How many steps of a cycle of so many come next, when the last k took so long. */
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
static int look_for_cycle(loop *l, int64_t done, int64_t k, int *cycle)
{
    int n = 0;
    if (*cycle != 0 || forced || (!device_now && (done < HOST_STEPS || k == 1)))
        return 1;
    if (!went_well(l, gnd__recording_cycle(l->r, l->n + 1, l->number, l->number, l->n, &n)))
        return 0;
    *cycle = n ? n : -1;
    return 1;
}

static int run_while(loop *l, int64_t most, int64_t *done)
{
    gnd_array **saved = gnd__malloc(((size_t)l->n + 1) * sizeof *saved);
    int64_t k = forced ? forced : 1, last = 0, ns = 0;
    int going = 1, cycle = 0, ok = saved != NULL;
    if (!saved)
        gnd__err(&l->e, GND_ERR_NOMEM, "%s: out of host memory", l->func);
    if (ok)
        ok = went_well(l, gnd_recording_set_i64(l->r, l->n, 0));
    while (ok && going && *done < most && (ok = look_for_cycle(l, *done, k, &cycle))) {
        const int64_t from = *done, want = cycle > 0 ? next_turn(cycle, last, ns) : k,
                      n = want < most - from ? want : most - from;
        const int save = cycle > 0 || n > 1;
        if (save && !get_states(l, l->n + 1, saved)) {
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
            release_all(l->n, saved);
        if (cycle <= 0)
            k = ahead(n, ns);
    }
    gnd__free(saved);
    return ok;
}

/* The end of a loop whose results are out, or that failed: the results belong to the scope outside.
 */
static gnd_status finish(loop *l, int n, gnd_array **out)
{
    if (l->r)
        gnd_recording_free(l->r);
    for (int i = 0; l->init && i < l->n && l->init[i]; i++)
        gnd_release(l->init[i]);
    gnd__free(l->init);
    gnd__free(l->in);
    gnd__free(l->made);
    gnd__free(l->number);
    if (l->e.code == GND_OK)
        return GND_OK;
    for (int i = 0; out && i < n; i++)
        out[i] = gnd__error_node(l->dev, &l->e);
    return gnd__only_status(l->func, &l->e);
}

/* The condition of the states that the loop begins with. */
static int begins(loop *l, gnd_loop_cond *cond, void *arg)
{
    gnd_status st;
    gnd_scope_begin();
    gnd_array *c = condition(l, cond, l->init, arg);
    const int64_t go = c ? gnd_item_i64(c, &st) : 0;
    if (c)
        went_well(l, st);
    gnd_scope_end();
    return go != 0;
}

gnd_status gnd_while(int n, gnd_array *const *init, gnd_loop_cond *cond, gnd_loop_body *body,
                     void *arg, int64_t most, gnd_array **out, int64_t *steps)
{
    loop l = {.func = "while", .n = n};
    int64_t done = 0;
    if (steps)
        *steps = 0;
    if (n < 1)
        gnd__err(&l.e, GND_ERR_ARG, "while: %d states: at least one is needed", n);
    else if (!init || !body || !out)
        gnd__err(&l.e, GND_ERR_NULL, "while: %s is NULL", !init ? "init" : !body ? "body" : "out");
    else if (most < 0)
        gnd__err(&l.e, GND_ERR_ARG, "while: at most %lld steps", (long long)most);
    if (l.e.code || !take_init(&l, init, 0, NULL))
        return finish(&l, n, out);
    gnd_scope_begin(); /* of the body */
    const int ok = record_while(&l, cond, body, arg);
    gnd_scope_end();
    if (!ok)
        return finish(&l, n, out);
    if (most == 0 || (cond && !begins(&l, cond, arg))) {
        for (int i = 0; i < n && !l.e.code; i++)
            out[i] = gnd__same(l.init[i]);
        return finish(&l, n, out);
    }
    if (set_states(&l, l.init) && (cond ? run_while(&l, most, &done) : run_all(&l, most)) &&
        get_states(&l, cond ? n + 1 : n, out) && steps)
        *steps = cond ? done : most;
    return finish(&l, n, out);
}

/* --- scan ------------------------------------------------------------------------------------- */

/* The rows of xs, and placeholders for one of each. */
static int take_rows(loop *l, gnd_array *const *xs, int64_t *length)
{
    char text[GND__SHAPE_TEXT];
    if (*length < -1 || (*length == -1 && l->nx == 0))
        return refuse(l, GND_ERR_ARG, "length %lld%s", (long long)*length,
                      *length == -1 ? " is that of xs, and there are none" : "");
    for (int i = 0; i < l->nx; i++) {
        if (xs[i]->ndim == 0)
            return refuse(l, GND_ERR_SHAPE, "xs[%d] has shape () and no rows", i);
        if (*length == -1)
            *length = xs[i]->dim[0];
        if (xs[i]->dim[0] != *length)
            return refuse(l, GND_ERR_SHAPE, "xs[%d] has shape %s, but there are %lld steps", i,
                          gnd__shape_text(text, xs[i]->ndim, xs[i]->dim), (long long)*length);
        l->in[l->n + i] =
            gnd_placeholder(l->dev, (gnd_dtype)xs[i]->dtype, xs[i]->ndim - 1, xs[i]->dim + 1);
    }
    return 1;
}

static int record_scan(loop *l, gnd_scan_body *body, void *arg)
{
    make_placeholders(l);
    body(l->in, l->in + l->n, l->made, l->made + l->n, arg);
    for (int i = 0; i < l->n; i++)
        if (!check_next(l, i))
            return 0;
    for (int i = 0; i < l->ny; i++)
        if (!check_row(l, i))
            return 0;
    return record(l, l->n + l->nx, l->n + l->ny);
}

/* Arrays of `length` rows for what the body gives. On failure nothing is left of them. */
static int make_ys(loop *l, int64_t length, gnd_array **ys)
{
    for (int i = 0; i < l->ny; i++) {
        const gnd_array *row = gnd__recording_output(l->r, l->n + i);
        int64_t dim[GND_MAX_NDIM + 1] = {length};
        gnd_array *bad = NULL;
        memcpy(dim + 1, row->dim, row->ndim * sizeof *dim);
        bad = gnd__check_shape("scan", l->dev, (gnd_dtype)row->dtype, row->ndim + 1, dim);
        ys[i] = bad ? bad : gnd__placed(l->dev, (gnd_dtype)row->dtype, row->ndim + 1, dim);
        if (ys[i]->kind != GND__ERROR)
            continue;
        failed(l, ys[i]);
        release_all(i, ys);
        return 0;
    }
    return 1;
}

/* The elements of xs in C order: references. */
static int ready_all(loop *l, gnd_array *const *xs, gnd_array **x)
{
    gnd_status st = GND_OK;
    gnd__gate_lock(l->dev->g);
    for (int i = 0; i < l->nx && st == GND_OK; i++) {
        st = gnd__ready(xs[i], &x[i], &l->e);
        if (st == GND_OK)
            st = gnd__checks_pass(xs[i]->data.st, &l->e);
    }
    gnd__gate_unlock(l->dev->g);
    if (st != GND_OK)
        gnd__err_prefix(&l->e, "scan");
    return st == GND_OK;
}

static int run_scan(loop *l, gnd_array *const *x, int64_t length, int backward, gnd_array **ys)
{
    for (int64_t k = 0; k < length; k++) {
        const int64_t row = backward ? length - 1 - k : k;
        for (int i = 0; i < l->nx; i++)
            gnd__recording_row_in(l->r, l->n + i, x[i], row);
        gnd_replay(l->r);
        for (int i = 0; i < l->ny; i++)
            gnd__recording_row_out(l->r, l->n + i, ys[i], row);
        gnd_recording_feed_all(l->r, l->n, l->number, l->number);
        if ((k % QUEUED == QUEUED - 1 || k == length - 1) &&
            !went_well(l, gnd_recording_wait(l->r)))
            return 0;
    }
    return 1;
}

/* With all arguments checked and the body recorded. */
static void scan(loop *l, gnd_array *const *xs, int64_t length, int backward, gnd_array **out,
                 gnd_array **ys)
{
    gnd_array **x = gnd__calloc((size_t)l->nx + 1, sizeof *x);
    if (!x)
        gnd__err(&l->e, GND_ERR_NOMEM, "scan: out of host memory");
    else if (ready_all(l, xs, x) && set_states(l, l->init) && make_ys(l, length, ys) &&
             !(run_scan(l, x, length, backward, ys) && get_states(l, l->n + l->ny, out)))
        release_all(l->ny, ys);
    for (int i = 0; x && i < l->nx && x[i]; i++)
        gnd__unref(x[i]);
    gnd__free(x);
}

gnd_status gnd_scan(int n, gnd_array *const *init, int nx, gnd_array *const *xs, int64_t length,
                    int backward, int ny, gnd_scan_body *body, void *arg, gnd_array **out,
                    gnd_array **ys)
{
    loop l = {.func = "scan", .n = n, .nx = nx, .ny = ny};
    int ok = count_ok(&l, n, init, "init") && count_ok(&l, n, out, "out") &&
             count_ok(&l, nx, xs, "xs") && count_ok(&l, ny, ys, "ys");
    if (ok && !body)
        ok = refuse(&l, GND_ERR_NULL, "body is NULL");
    if (ok && n == 0 && ny == 0)
        ok = refuse(&l, GND_ERR_ARG, "no state and no rows: nothing is computed");
    if (ok && take_init(&l, init, nx, xs)) {
        gnd_scope_begin(); /* of the body */
        ok = take_rows(&l, xs, &length) && record_scan(&l, body, arg);
        gnd_scope_end();
        if (ok)
            scan(&l, xs, length, backward, out, ys);
    }
    const gnd_status st = finish(&l, n, out);
    for (int i = 0; st != GND_OK && ys && i < ny; i++)
        ys[i] = gnd__error_node(l.dev, &l.e);
    return st;
}
