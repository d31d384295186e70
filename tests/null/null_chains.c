/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_chains.c - chains of views that are longer than any graph may be: what they leave behind
 * (nodes, host allocations), which array a view of a view refers to, and how often a graph that
 * becomes deep is evaluated. On the null device: counts, no elements.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "device/null.h"
#include "base/mem.h"
#include "graph/graph.h"
#include "tap.h"

#define MILLION 1000000

static gnd_device *dev;

static int64_t live(void)
{
    gnd_stats st;
    return gnd_device_stats(dev, &st) ? -1 : (int64_t)st.arrays;
}

/* *x becomes y, a new handle, and loses its own. */
static void to(gnd_array **x, gnd_array *y)
{
    gnd_release(*x);
    *x = y;
}

static gnd_array *base(int ndim, const int64_t *dim)
{
    gnd_array *e = gnd_empty(dev, GND_FLOAT32, ndim, dim), *y = gnd_add_f(e, 1);
    gnd_release(e);
    return y;
}

/* --- one round of each kind: what comes after x, which it leaves alone ------------------------ */

static gnd_array *at(gnd_array *x, int n, const gnd_range *r)
{
    return gnd_index(x, n, r);
}

static gnd_array *transposed(gnd_array *x, int i)
{
    (void)i;
    return gnd_T(x);
}

static gnd_array *rest(gnd_array *x, int i) /* of one axis */
{
    (void)i;
    return at(x, 1, &(gnd_range){GND_IDX_SLICE, 1, GND_NONE, 1, NULL});
}

static gnd_array *flipped(gnd_array *x, int i)
{
    return gnd_flip(x, GND_AXIS(i % gnd_ndim(x)));
}

static gnd_array *swapped(gnd_array *x, int i)
{
    return i % 2 ? gnd_moveaxis(x, 1, (int[]){0}, (int[]){-1}) : gnd_swapaxes(x, 0, -1);
}

static gnd_array *reshaped(gnd_array *x, int i) /* of 6000 elements */
{
    static const int64_t dim[3][3] = {{6000}, {20, 300}, {10, 20, 30}};
    return gnd_reshape(x, 1 + i % 3, dim[i % 3]);
}

static gnd_array *same_shape(gnd_array *x, int i)
{
    (void)i;
    return gnd_reshape(x, gnd_ndim(x), gnd_shape(x));
}

static gnd_array *ones(gnd_array *x, int i)
{
    return i % 2 ? gnd_squeeze(x, GND_ALL) : gnd_expand_dims(x, GND_AXIS(1));
}

static gnd_array *wider(gnd_array *x, int i) /* of one row, or many equal ones */
{
    const int64_t dim[3] = {2 + i % 5, gnd_dim(x, 0), gnd_dim(x, 1)};
    if (i % 2)
        return at(x, 1, &(gnd_range){.kind = GND_IDX_INT, .start = -1});
    return gnd_broadcast_to(x, 3, dim);
}

static gnd_array *diagonals(gnd_array *x, int i) /* of a matrix that is as wide as it can be */
{
    const int64_t dim[2] = {3, gnd_dim(x, -1)};
    return i % 2 ? gnd_diagonal(x, 0, 0, 1) : gnd_broadcast_to(x, 2, dim);
}

/* Windows of windows, of which every round leaves an axis behind: three terms an axis, and more
 * than strides of pairs could say. The first axis ends up as short as the others. */
static gnd_array *windows(gnd_array *x, int i)
{
    static const gnd_range last = {GND_IDX_INT, -1, 0, 0, NULL};
    const gnd_range r[2] = {{.kind = GND_IDX_ELLIPSIS}, last};
    if (gnd_ndim(x) < 4)
        return gnd_sliding_window_view(x, 1, (int64_t[]){gnd_dim(x, 0) > 3 ? 2 : 1}, (int[]){0});
    gnd_array *moved = i % 5 ? gnd_moveaxis(x, 1, (int[]){1}, (int[]){3}) : gnd_retain(x),
              *y = at(moved, 2, r);
    gnd_release(moved);
    return y;
}

/* Rows of a matrix left out, flat, left out again, a matrix again: reshapes that index maps of the
 * matrix's axes cannot say and strides can. The size stays the same. */
static gnd_array *slid(gnd_array *x, int i)
{
    const int64_t flat[1] = {-1}, square[2] = {-1, 4};
    switch (i % 4) {
    case 0: return gnd_reshape(x, 1, flat);
    case 1: return at(x, 1, &(gnd_range){GND_IDX_SLICE, i % 3, GND_NONE, 1, NULL});
    case 2: {
        const int64_t n = gnd_size(x) - gnd_size(x) % 4;
        gnd_array *y = at(x, 1, &(gnd_range){GND_IDX_SLICE, 0, n, 1, NULL}),
                  *z = gnd_reshape(y, 2, square);
        gnd_release(y);
        return z;
    }
    default: return at(x, 1, &(gnd_range){GND_IDX_SLICE, 1, GND_NONE, 1, NULL});
    }
}

/* Axes (a, b * c) and (a * b, c) by turns, with one of a left out between: strides can say each,
 * maps of the axes before cannot. */
static gnd_array *regrouped(gnd_array *x, int i)
{
    const int64_t a = gnd_size(x) / 12 - 1;
    gnd_array *less = at(x, 1, &(gnd_range){GND_IDX_SLICE, i % 2 ? 3 : 1, GND_NONE, 1, NULL});
    gnd_array *y = gnd_reshape(less, 2, i % 2 ? (int64_t[]){a, 12} : (int64_t[]){3 * a, 4});
    gnd_release(less);
    return y;
}

typedef struct chain {
    const char *name;
    gnd_array *(*next)(gnd_array *x, int i);
    int ndim;
    int64_t dim[3];
    int rounds;
    int most; /* nodes that one look at the base may take */
} chain;

static const chain chains[] = {
    {"T", transposed, 3, {10, 20, 30}, MILLION, 1},
    {"x[1:]", rest, 1, {MILLION + 10}, MILLION, 1},
    {"flip", flipped, 3, {10, 20, 30}, MILLION / 10, 1},
    {"swapaxes and moveaxis", swapped, 3, {10, 20, 30}, MILLION / 10, 1},
    {"reshape", reshaped, 1, {6000}, MILLION / 10, 1},
    {"reshape to the same shape", same_shape, 2, {60, 100}, MILLION / 10, 1},
    {"expand_dims and squeeze", ones, 2, {60, 100}, MILLION / 10, 1},
    {"broadcast_to and x[-1]", wider, 2, {60, 100}, MILLION / 10, 1},
    {"broadcast_to and diagonal", diagonals, 1, {3}, MILLION / 10, 1},
    {"windows", windows, 3, {4000, 3, 3}, MILLION / 10, 1},
    {"slices and reshapes", slid, 2, {2 * MILLION, 4}, MILLION / 10, 3},
    {"slices and other reshapes", regrouped, 2, {MILLION, 12}, MILLION / 10, 12},
};

/* Rounds of one kind on what has elements or not: so many nodes and host allocations are alive all
 * the time, and one kernel at most computes the end, or none where there is nothing to compute. */
static void long_chain(const chain *c, int stored)
{
    gnd_array *x = base(c->ndim, c->dim);
    int64_t most = 0;
    if (stored)
        gnd_wait(x);
    long mem = gnd__mem_live(), more = 0;
    const int64_t before = live() - 1; /* what x is made of */
    for (int i = 0; i < c->rounds; i++) {
        to(&x, c->next(x, i));
        if (i % 1000 < 8) {
            most = live() - before > most ? live() - before : most;
            more = gnd__mem_live() - mem > more ? gnd__mem_live() - mem : more;
        }
    }
    tap_ok(most > 0 && most <= 1 + c->most, "%d rounds of %s on %s data: %d nodes at most",
           c->rounds, c->name, stored ? "stored" : "pending", (int)most);
    tap_ok(more <= 10 + 2 * c->most, "  and %ld allocations", more);
    gnd__null_reset();
    tap_is_int(gnd_wait(x), GND_OK, "  it is evaluated (%s)", gnd_error(x));
    const long kernels = gnd__null_launches();
    tap_ok(kernels <= 2, "  by %ld kernels", kernels);
    gnd_release(x);
    tap_is_int(live(), 0, "  nothing is left");
}

/* --- what no view can say --------------------------------------------------------------------- */

/* A transposition and a reshape that needs the copy, over and over: elements move each time, and
 * are stored. */
static void copies(int rounds, int from)
{
    gnd_array *x = base(2, (int64_t[]){60, 100});
    int64_t most = 0;
    if (from)
        gnd_wait(x);
    gnd__null_reset();
    for (int i = 0; i < rounds; i++) {
        gnd_array *t = gnd_T(x);
        to(&x, gnd_reshape(t, 2, (int64_t[]){60, 100}));
        gnd_release(t);
        most = live() > most ? live() : most;
    }
    tap_is_int(gnd_wait(x), GND_OK, "%d times .T.reshape on %s data (%s)", rounds,
               from ? "stored" : "pending", gnd_error(x));
    tap_ok(most <= 2 * GND__DEEP + 10, "  %d nodes at most", (int)most);
    tap_ok(gnd__null_launches() >= rounds && gnd__null_launches() <= rounds + 2 + rounds / 50,
           "  %ld kernels: one each", gnd__null_launches());
    gnd_release(x);
    tap_is_int(live(), 0, "  nothing is left");
}

/* The same under operations, several views each, all held by a scope. */
static void mixed(int rounds)
{
    gnd_scope_begin();
    gnd_array *x = base(2, (int64_t[]){64, 64});
    gnd_status st = GND_OK;
    for (int i = 0; i < rounds && st == GND_OK; i++) {
        gnd_array *a = gnd_reshape(gnd_T(x), 2, (int64_t[]){16, 256}),
                  *b = gnd_flip(gnd_T(a), GND_AXIS(0));
        gnd_array *c = gnd_reshape(gnd_reshape(b, 1, (int64_t[]){4096}), 2, (int64_t[]){64, 64});
        x = gnd_add(gnd_T(gnd_flip(c, GND_ALL)), gnd_reshape(gnd_T(c), 2, (int64_t[]){64, 64}));
        st = gnd_status_of(x);
    }
    tap_is_int(gnd_wait(x), GND_OK, "%d rounds of six views and an addition (%s)", rounds,
               gnd_error(x));
    gnd_scope_end();
}

/* s = s + x[0]; x = x[1:] */
static void loop(int rounds)
{
    gnd_array *x = base(1, (int64_t[]){MILLION}), *s = gnd_zeros(dev, GND_FLOAT32, 0, NULL);
    const gnd_range first = {.kind = GND_IDX_INT};
    int64_t most = 0;
    for (int i = 0; i < rounds; i++) {
        gnd_array *e = at(x, 1, &first);
        to(&s, gnd_add(s, e));
        gnd_release(e);
        to(&x, rest(x, i));
        most = live() > most ? live() : most;
    }
    tap_is_int(gnd_wait(s), GND_OK, "%d rounds of s = s + x[0]; x = x[1:] (%s)", rounds,
               gnd_error(s));
    tap_ok(most <= 2 * GND__DEEP + 20, "  %d nodes at most", (int)most);
    gnd_release(s);
    gnd_release(x);
    tap_is_int(live(), 0, "  nothing is left");
}

/* --- limits of one kernel --------------------------------------------------------------------- */

/* Two gathers by 20 arrays of indices each share an input and a shape, so that they would be one
 * kernel. */
static void gathers(void)
{
    enum { D = 20 };
    int64_t dim[D], n = 5;
    gnd_range r[D];
    gnd_scope_begin();
    for (int d = 0; d < D; d++) {
        dim[d] = d < 4 ? 3 : 1;
        r[d] = (gnd_range){.kind = GND_IDX_ARRAY, .array = gnd_empty(dev, GND_INT64, 1, &n)};
    }
    gnd_array *y[4];
    for (int i = 0; i < 4; i++) {
        y[i] = gnd_index(base(D, dim), D, r);
        r[i].array = gnd_empty(dev, GND_INT64, 1, &n);
    }
    tap_is_int(gnd_eval_all(4, y), GND_OK, "four gathers by 20 arrays each (%s)", gnd_error(y[0]));
    gnd_scope_end();
}

/* Sums of four, of sums of four, ... are written out where they are used: 4^8 terms, were it not
 * for limits. */
static void sums(void)
{
    int64_t dim[8];
    gnd_scope_begin();
    for (int d = 0; d < 8; d++)
        dim[d] = 4;
    gnd_array *x = base(8, dim);
    for (int d = 0; d < 8; d++)
        x = gnd_sum(gnd_T(x), GND_AXIS(0), 0);
    tap_is_int(gnd_wait(x), GND_OK, "sums of four, eight times (%s)", gnd_error(x));
    gnd_scope_end();
}

/* --- what a view looks at --------------------------------------------------------------------- */

static void looks_at(void)
{
    gnd_array *b = base(2, (int64_t[]){6, 10}), *t = gnd_T(b), *u = gnd_flip(t, GND_ALL);
    tap_ok(t->in[0] == b && u->in[0] == b,
           "a view of a view looks at what has elements to compute");
    gnd_array *same = gnd_T(t);
    tap_ok(same->kind == GND__RESHAPE && same->in[0] == b && gnd_dim(same, 1) == 10,
           "  T of T at all of it");
    gnd_array *split = gnd_reshape(t, 3, (int64_t[]){2, 5, 6}),
              *row = at(split, 1, &(gnd_range){.kind = GND_IDX_INT});
    tap_ok(split->kind == GND__VIEW && split->in[0] == b && row->in[0] == b,
           "  a reshape that splits an axis too");
    gnd_array *flat = gnd_reshape(t, 1, (int64_t[]){60}), *part = rest(flat, 0);
    tap_ok(flat->kind == GND__RESHAPE && flat->in[0] == t && part->in[0] == flat,
           "  one that needs a copy does not");
    gnd_array *again = gnd_reshape(flat, 2, (int64_t[]){10, 6});
    tap_ok(again->in[0] == b && gnd_dim(again, 0) == 10, "  what takes it back does");
    gnd_release(again);

    /* u gets elements: views that are made then look at these */
    tap_is_int(gnd_wait(u), GND_OK, "a view is evaluated");
    gnd_array *v = gnd_flip(u, GND_ALL);
    tap_ok(u->data.st && !b->data.st && v->in[0] == u, "  a view of it looks at its elements");
    gnd_release(v);

    /* t only has its axes in another order: b is stored, and t shows its elements */
    tap_is_int(gnd_wait(t), GND_OK, "axes in another order are evaluated");
    tap_ok(b->data.st && t->data.st == b->data.st, "  in the order below");
    gnd_release(t);
    gnd_release(b);
    gnd_release(same);
    gnd_release(u);
    gnd_release(split);
    gnd_release(row);
    gnd_release(flat);
    gnd_release(part);
    tap_is_int(live(), 0, "nothing is left");
}

/* A view that is asked for, and another one made before that: what took much to compute is computed
 * once; and what is stored in the order below, if only the axes are in another order (turned). */
static void shares(int ops, int turned, int want)
{
    const int64_t n[2] = {100, 100};
    gnd_array *b = base(2, n);
    for (int i = 0; i < ops; i++)
        to(&b, gnd_sin(b));
    gnd_array *t = turned ? gnd_T(b) : gnd_flip(b, GND_ALL), *u = rest(t, 0);
    gnd_release(b);
    b = u->in[0];
    tap_is_int(gnd_wait(t), GND_OK, "a view of %d operations is evaluated", ops);
    tap_is_int(b->data.st != NULL, want, "  they are %sstored for another view of them",
               want ? "" : "not ");
    tap_is_int(gnd_wait(u), GND_OK, "  which is evaluated");
    gnd_release(t);
    gnd_release(u);
    tap_is_int(live(), 0, "nothing is left");
}

/* --- graphs that are deep and cannot be evaluated --------------------------------------------- */

static int tried;
static void (*evaluates)(gnd_array *x);

static void counts(gnd_array *x)
{
    tried++;
    evaluates(x);
}

static void refuses(gnd_array *x)
{
    (void)x;
    tried++;
}

static void deep(void (*hook)(gnd_array *x), const char *name, int placeholder, int least, int most)
{
    const int64_t n = 4;
    gnd_array *x = placeholder ? gnd_placeholder(dev, GND_FLOAT32, 1, &n) : base(1, &n);
    evaluates = gnd__on_deep;
    gnd__on_deep = hook;
    tried = 0;
    for (int i = 0; i < 100000; i++)
        to(&x, gnd_sin(x));
    gnd__on_deep = evaluates;
    tap_ok(tried >= least && tried <= most,
           "100000 operations on %s: evaluated %d times on the way", name, tried);
    gnd_release(x);
    tap_is_int(live(), 0, "  nothing is left");
}

int main(void)
{
    (void)gnd__mem_count(); /* from here on allocations are counted */
    dev = gnd_open("null");
    if (gnd_device_status(dev))
        tap_bail("null: %s", gnd_device_error(dev));
    gnd_array *x = base(1, (int64_t[]){4}); /* what the device makes once */
    gnd_wait(x);
    gnd_release(x);
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        for (int stored = 0; stored < 2; stored++)
            long_chain(&chains[i], stored);
    copies(500, 0);
    copies(20000, 1);
    mixed(3000);
    loop(20000);
    gathers();
    sums();
    looks_at();
    shares(3, 0, 0);
    shares(3, 1, 1);
    shares(20, 0, 1);
    deep(counts, "data", 0, 45, 52);
    deep(counts, "a placeholder", 1, 5, 7);
    deep(refuses, "what cannot be evaluated", 0, 5, 7);
    gnd_close(dev);
    tap_is_int(gnd__null_objects(), 0, "no object is left");
    return tap_done();
}
