/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_sort.c - sorts and what goes with them on the null device: shapes and dtypes, every error,
 * which kernels a plan has for short, middle and long rows, rows of more than 2^32 elements; and
 * whichever allocation fails on the way, an error says so and nothing is lost, with a scope or
 * without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "base/mem.h"
#include "expect.h"
#include "tap.h"

static gnd_device *dev, *cuda;

static void shapes(void)
{
    const int64_t d[3] = {3, 4, 5}, part[3] = {3, 2, 5}, none[3] = {3, 0, 5}, at = 2;
    gnd_array *out[2];
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT16, 3, d), *e = gnd_zeros(dev, GND_INT8, 3, none);
    expect_array(gnd_sort(x, 1, 0), GND_FLOAT16, 3, d, "sort");
    expect_array(gnd_argsort(x, -3, GND_DESCENDING), GND_INT64, 3, d, "argsort");
    tap_is_int(gnd_topk(x, 2, 1, 0, out), GND_OK, "topk");
    expect_array(out[0], GND_FLOAT16, 3, part, "its values");
    expect_array(out[1], GND_INT64, 3, part, "its indices");
    tap_is_int(gnd_topk(x, 0, 1, GND_SMALLEST, out), GND_OK, "topk of none");
    expect_array(out[0], GND_FLOAT16, 3, none, "no values");
    expect_array(out[1], GND_INT64, 3, none, "no indices");
    tap_is_int(gnd_topk(x, 1, 1, 0, NULL), GND_ERR_NULL, "topk to nowhere");
    expect_array(gnd_partition(x, 1, &at, 0), GND_FLOAT16, 3, d, "partition");
    expect_array(gnd_argpartition(x, 0, NULL, 0), GND_INT64, 3, d, "argpartition at no place");
    expect_array(gnd_lexsort(2, (gnd_array *[]){x, gnd_astype(x, GND_BOOL)}, 0), GND_INT64, 3, d,
                 "lexsort");
    expect_array(gnd_sort(e, 1, 0), GND_INT8, 3, none, "sort of nothing");
    expect_array(gnd_argsort(e, 2, 0), GND_INT64, 3, none, "argsort of nothing");
    expect_array(gnd_lexsort(1, &e, 1), GND_INT64, 3, none, "lexsort of nothing");
    gnd_scope_end();
}

static void errors(void)
{
    const int64_t d[2] = {3, 4}, e[2] = {4, 3}, at = 4, back = -5;
    gnd_array *out[2], *pair[2];
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_INT32, 2, d), *y = gnd_zeros(dev, GND_INT32, 2, e);
    gnd_array *gone = gnd_fail(GND_ERR_IO, "gone"), *one = gnd_zeros(dev, GND_INT32, 0, NULL);
    expect_message(gnd_sort(NULL, 0, 0), GND_ERR_NULL, "sort: x is NULL");
    expect_message(gnd_sort(gone, 0, 0), GND_ERR_IO, "gone");
    expect_message(gnd_argsort(x, 2, 0), GND_ERR_AXIS,
                   "argsort: axis 2 is out of range for 2 dimensions");
    expect_message(gnd_sort(one, 0, 0), GND_ERR_AXIS,
                   "sort: axis 0: an array of shape () has no axes");
    expect_message(gnd_sort(x, 0, 1), GND_ERR_ARG,
                   "sort: flags 0x1: 0 and GND_DESCENDING are possible");
    tap_is_int(gnd_topk(x, 5, 1, 0, out), GND_ERR_ARG, "topk of more than there are");
    expect_message(out[0], GND_ERR_ARG, "topk: k is 5, axis 1 has extent 4");
    expect_message(out[1], GND_ERR_ARG, "topk: k is 5, axis 1 has extent 4");
    tap_is_int(gnd_topk(x, -1, -2, 0, out), GND_ERR_ARG, "topk of less than none");
    expect_message(out[0], GND_ERR_ARG, "topk: k is -1, axis 0 has extent 3");
    tap_is_int(gnd_topk(x, 1, 0, GND_DESCENDING, out), GND_ERR_ARG, "topk, descending");
    expect_message(out[0], GND_ERR_ARG, "topk: flags 0x2: 0 and GND_SMALLEST are possible");
    expect_message(gnd_partition(x, 1, &at, 1), GND_ERR_INDEX,
                   "partition: kth 4 is out of range for axis 1 with extent 4");
    expect_message(gnd_argpartition(x, 1, &back, 1), GND_ERR_INDEX,
                   "argpartition: kth -5 is out of range for axis 1 with extent 4");
    expect_message(gnd_partition(x, 1, NULL, 1), GND_ERR_NULL, "partition: kth is NULL");
    expect_message(gnd_partition(x, -1, &at, 1), GND_ERR_ARG, "partition: -1 places");
    pair[0] = x, pair[1] = y;
    expect_message(gnd_lexsort(2, pair, 0), GND_ERR_SHAPE,
                   "lexsort: keys of shapes (3, 4) and (4, 3)");
    expect_message(gnd_lexsort(0, pair, 0), GND_ERR_ARG, "lexsort: 0 keys: it takes at least one");
    pair[1] = gone;
    expect_message(gnd_lexsort(2, pair, 0), GND_ERR_IO, "gone");
    pair[1] = x;
    expect_message(gnd_lexsort(2, pair, 7), GND_ERR_AXIS,
                   "lexsort: axis 7 is out of range for 2 dimensions");
    gnd_scope_end();
}

/* The kernels of a plan, by their names in order, "count passes positions move ...". */
static void plan(gnd_array *x, const char *want, const char *what)
{
    char got[600] = "";
    gnd_status s;
    char *text = gnd_explain(1, &x, 0, &s), *at = text;
    tap_is_int(s, GND_OK, "%s: a plan", what);
    while (at && (at = strstr(at, "sort: "))) {
        int n = (int)strcspn(at += 6, " \n");
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%.*s", *got ? " " : "", n, at);
    }
    tap_is_str(got, want, "%s", what);
    free(text);
}

/* apart: groups may not wait for one another. */
static void plans(int apart)
{
    const char *some =
        !apart ? "fill count places passes move move move move"
               : "count passes positions move count positions move count positions move "
                 "count positions move";
    const char *one = apart ? "count positions move" : "fill count places move";
    const int64_t n[4] = {64, 8192, 16385, 5000000000};
    if (apart)
        setenv("GND_KERNEL_SHAPE", "gpu-apart", 1);
    gnd_scope_begin();
    for (int k = 0; k < 4; k++) {
        gnd_array *x = gnd_zeros(cuda, GND_FLOAT32, 1, &n[k]), *y = gnd_astype(x, GND_UINT8),
                  *top[2];
        char what[80];
        snprintf(what, sizeof what, "%lld elements%s", (long long)n[k],
                 apart ? ", groups apart" : "");
        plan(gnd_sort(x, 0, 0), k == 0 ? "short" : k == 1 ? "rows" : some, what);
        plan(gnd_argsort(x, 0, 0), k == 0 ? "short" : k == 1 ? "rows" : some, what);
        plan(gnd_argsort(y, 0, 0), k == 0 ? "short" : k == 1 ? "rows" : one, what);
        tap_is_int(gnd_topk(x, 9, 0, 0, top), GND_OK, "%s: topk", what);
        plan(top[1],
             k == 0   ? "short"
             : k == 1 ? "fill bound select"
             : k == 2 ? "fill bound select short"
                      : "fill bound select fill bound select fill bound select",
             what);
    }
    gnd_scope_end();
    unsetenv("GND_KERNEL_SHAPE");
}

/* --- allocations that fail -------------------------------------------------------------------- */

enum { CALLS = 8 };

static gnd_array *call(int i, gnd_array *x, gnd_array **other)
{
    const int64_t at = 1, n = 8193;
    gnd_array *out[2], *row;
    *other = NULL;
    switch (i) {
    case 0: return gnd_sort(x, 0, 0);
    case 1: return gnd_argsort(x, 0, GND_DESCENDING);
    case 2:
        (void)gnd_topk(x, 2, 0, 0, out);
        *other = out[1];
        return out[0];
    case 3: return gnd_partition(x, 1, &at, 1);
    case 4: return gnd_argpartition(x, 1, &at, -2);
    case 5: return gnd_lexsort(2, (gnd_array *[]){x, x}, 0);
    case 6: /* in parts */
        row = gnd_zeros(dev, GND_INT32, 1, &n);
        (void)gnd_topk(row, 2, 0, 0, out);
        gnd_release(row);
        *other = out[1];
        return out[0];
    default:
        (void)gnd_topk(x, 9, 0, 0, out);
        *other = out[1];
        return out[0];
    }
}

static void allocations(int scoped)
{
    const int64_t d[2] = {3, 4};
    int lost = 0, mute = 0;
    gnd_array *x = gnd_zeros(dev, GND_INT32, 2, d);
    for (int i = 0; i < CALLS; i++)
        for (long n = 1, failed = 1; failed && n < 200; n++) {
            long before = gnd__mem_live();
            gnd_array *other;
            if (scoped)
                gnd_scope_begin();
            gnd__mem_fail_at(n);
            gnd_array *y = call(i, x, &other);
            gnd__mem_fail_at(0);
            gnd_status st =
                gnd_status_of(y) != GND_OK ? gnd_status_of(y) : gnd_status_of(other ? other : y);
            failed = st == GND_ERR_NOMEM;
            mute += failed && !*gnd_error(y) && !(other && *gnd_error(other));
            gnd_release(y);
            if (other)
                gnd_release(other);
            if (scoped)
                gnd_scope_end();
            if (gnd__mem_live() != before && lost++ < 9)
                tap_diag("call %d, allocation %ld: %ld stay", i, n, gnd__mem_live() - before);
        }
    tap_is_int(mute, 0, "where an allocation fails, that is what they say");
    tap_is_int(lost, 0, "and nothing is lost, %s scope", scoped ? "with a" : "without");
    gnd_release(x);
}

/* How many kernels of a plan have few copies of what they sort. */
static int dear_kernels(gnd_array *x)
{
    gnd_status s;
    char *text = gnd_explain(1, &x, GND_EXPLAIN_SOURCE, &s), *at = text;
    int n = 0;
    tap_is_int(s, GND_OK, "a plan with its source");
    for (; at && (at = strstr(at, "#define DEAR 1")); at++)
        n++;
    free(text);
    return n;
}

/* Elements that take long to compute are compiled in few copies: by the kernels that read them,
 * which are the count and the first move of long rows. */
static void dear(void)
{
    const int64_t n = 3000000, few = 3000;
    gnd_rng g = gnd_rng_seed(1);
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(cuda, GND_FLOAT32, 1, &n);
    tap_is_int(gnd_eval_all(1, &x), GND_OK, "memory");
    tap_is_int(dear_kernels(gnd_sort(x, 0, 0)), 0, "a sort of memory");
    tap_is_int(dear_kernels(gnd_sort(gnd_add(x, x), 0, 0)), 0, "of a sum");
    tap_is_int(dear_kernels(gnd_sort(gnd_rng_random(&g, cuda, GND_FLOAT32, 1, &n), 0, 0)), 2,
               "of random numbers");
    tap_is_int(dear_kernels(gnd_sort(gnd_rng_random(&g, cuda, GND_FLOAT32, 1, &few), 0, 0)), 1,
               "of few random numbers");
    gnd_scope_end();
}

int main(void)
{
    dev = gnd_open("null");
    cuda = gnd_open("null:2");
    shapes();
    errors();
    plans(0);
    plans(1);
    dear();
    allocations(0);
    allocations(1);
    gnd_close(dev);
    gnd_close(cuda);
    return tap_done();
}
