/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_sinks.c - thousands of arrays evaluated at once, on the null device: grouping visits a
 * number of nodes, works and dependencies that grows linearly with the number of sinks, whatever
 * the sinks are. The count is gnd__pgraph.looked; no time is measured.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gnd.h>
#include "fuse/fuse.h"
#include "tap.h"

enum { FEW = 1000, MANY = 4000 };

static gnd_device *dev;
static gnd_array *x, *m;  /* float32, (4) and (4, 4), with elements */
static gnd_array *shared; /* of the kind at hand: what all sinks use; may be NULL */

static gnd_array *sum_rows(gnd_array *a)
{
    return gnd_sum(a, GND_AXIS(1), GND_KEEPDIMS);
}

/* --- sink i of each kind --------------------------------------------------------------------- */

static gnd_array *added(int i)
{
    return gnd_add(x, gnd_int(i));
}

static gnd_array *of_many_shapes(int i)
{
    int64_t n = 4 + i;
    return gnd_add(gnd_ones(dev, GND_FLOAT32, 1, &n), gnd_int(i));
}

/* Too many operations for two of them in one kernel. */
static gnd_array *long_one(int i)
{
    gnd_array *a = gnd_add(x, gnd_int(i));
    for (int k = 0; k < 40; k++)
        a = gnd_sin(a);
    return a;
}

static gnd_array *reduced(int i)
{
    return gnd_sum(gnd_multiply(m, gnd_int(i)), GND_ALL, 0);
}

static gnd_array *normalized(int i)
{
    gnd_array *a = gnd_multiply(m, gnd_int(i));
    return gnd_divide(a, sum_rows(a));
}

/* Every sink reads one row sum. */
static gnd_array *divided(int i)
{
    if (!shared)
        shared = sum_rows(gnd_sin(m));
    return gnd_divide(gnd_add(m, gnd_int(i)), shared);
}

static gnd_array *product(int i)
{
    return gnd_maximum(gnd_add(gnd_matmul(m, gnd_multiply(m, gnd_int(i))), x), gnd_int(0));
}

static gnd_array *filled(int i)
{
    static const int64_t four = 4;
    return gnd_matmul(m, gnd_multiply(gnd_full(dev, GND_FLOAT32, 1, &four, gnd_int(i)), x));
}

static gnd_array *viewed(int i)
{
    return gnd_T(gnd_matmul(m, gnd_multiply(m, gnd_int(i))));
}

static gnd_array *joined(int i)
{
    return gnd_concat(2, (gnd_array *[]){gnd_add(x, gnd_int(i)), x}, 0);
}

static gnd_array *taken(int i)
{
    return gnd_take(x, gnd_astype(gnd_multiply(x, gnd_int(i)), GND_INT32), 0);
}

/* Each waits for the one before it. */
static gnd_array *in_a_chain(int i)
{
    shared = i ? gnd_matmul(m, gnd_add(shared, gnd_int(i))) : m;
    return gnd_add(shared, gnd_int(1));
}

static const struct kind {
    const char *name;
    gnd_array *(*sink)(int i);
    int many;
} kinds[] = {
    {"sums", added, MANY},
    {"arrays of different shapes", of_many_shapes, MANY},
    {"long operations", long_one, MANY},
    {"reductions", reduced, MANY},
    {"normalized rows", normalized, MANY},
    {"rows divided by one sum", divided, MANY},
    {"products and what follows them", product, MANY},
    {"products of fills", filled, MANY},
    {"views of products", viewed, MANY},
    {"joins", joined, MANY},
    {"gathers", taken, MANY},
    {"products in a chain", in_a_chain, MANY / 4}, /* of 2,000 operations at most */
};

/* Works of n sinks, and what grouping looked at for them; -1: it failed. */
static long group(const struct kind *k, int n, uint64_t *looked)
{
    gnd__pgraph g;
    gnd_err e = {GND_OK, 0, ""};
    gnd_array **sink = malloc((size_t)n * sizeof *sink);
    long works = -1;
    memset(&g, 0, sizeof g);
    shared = NULL;
    gnd_scope_begin();
    for (int i = 0; i < n; i++)
        sink[i] = k->sink(i);
    if (gnd__collect(&g, dev, n, sink, &e) == GND_OK) {
        g.gpu = g.follow = 1;
        if (gnd__group(&g, &e) == GND_OK)
            works = g.norder;
    }
    if (e.code)
        tap_diag("%s: %s", k->name, e.msg);
    *looked = g.looked;
    gnd__pgraph_free(&g);
    gnd_scope_end();
    free(sink);
    return works;
}

int main(void)
{
    const int64_t four[2] = {4, 4};
    dev = gnd_open("null");
    if (gnd_device_status(dev))
        tap_skip_all("no null device: %s", gnd_device_error(dev));
    x = gnd_ones(dev, GND_FLOAT32, 1, four);
    m = gnd_ones(dev, GND_FLOAT32, 2, four);
    if (gnd_wait(x) || gnd_wait(m))
        tap_bail("no arrays: %s", gnd_message());
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *k = &kinds[i];
        const int few = k->many / (MANY / FEW);
        uint64_t a = 0, b = 0;
        const long works = group(k, few, &a), more = group(k, k->many, &b);
        tap_ok(works > 0 && more > (MANY / FEW - 1) * works, "%s: %d are %ld works, %d are %ld",
               k->name, few, works, k->many, more);
        tap_ok(a >= (uint64_t)works && (double)b <= 1.3 * MANY / FEW * (double)a,
               "  for which grouping looked at %llu and %llu things", (unsigned long long)a,
               (unsigned long long)b);
    }
    gnd_release(x);
    gnd_release(m);
    gnd_close(dev);
    return tap_done();
}
