/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/tally.c - counting ints: see kernels/tally.cl.
 */
#include "prim/search.h"

#include <string.h>
#include "prim/prim.h"

enum { EACH = 4, SLOTS = 8192, COPIES_LOG2 = 5, GROUPS_PER_UNIT = 4, RUN = 4096 };

gnd_array *gnd__tally_node(gnd_array *x, int64_t n)
{
    gnd__primargs p;
    memset(&p, 0, sizeof p);
    p.id = GND__PRIM_TALLY;
    p.mode[0] = GND__IN_ONCE;
    return gnd__prim_node(x->dev, &p, GND_INT64, 1, &n, 1, &x);
}

static int64_t up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The number of counters of a group in local memory: a power of two; 0 if n counters do not fit. */
static int64_t slots(const gnd__prog *p, int64_t n)
{
    int64_t s = SLOTS;
    while (s * 4 > (int64_t)p->t->props->local_bytes)
        s /= 2;
    return n <= s ? s : 0;
}

static void on_gpu(gnd__prog *p)
{
    const int64_t n = p->size, m = p->in[0].size, units = p->t->props->compute_units,
                  in_group = slots(p, n);
    const size_t local = gnd__prog_group(p, in_group ? 512 : 256);
    const int low = m <= UINT32_MAX && p->t->props->little_endian;
    int64_t groups = up(m, (int64_t)local * EACH);
    int shift = 0;
    if (!low && !p->t->props->has_atomic64) {
        gnd__prog_fail(p, GND_ERR_UNSUPPORTED,
                       "counting %lld elements: this device has no 64-bit atomics; "
                       "count in parts",
                       (long long)m);
        return;
    }
    gnd__prog_fill(p, -1, GND_INT64, n, "0");
    gnd__pk_begin(p, "k_tally");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "x", 0);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "m", m);
    gnd__pk_def(p, "#define EACH %d\n#define GCOUNT gnd_gcount_%s\n", EACH, low ? "u32" : "u64");
    if (in_group) {
        /* each group adds n counters to the result, so it counts at least n elements */
        groups = least(least(groups, GROUPS_PER_UNIT * (units > 0 ? units : 1)), up(m, n));
        while (shift < COPIES_LOG2 && n << (shift + 1) <= in_group)
            shift++;
        gnd__pk_int(p, "shift", shift);
        gnd__pk_def(p, "#define SLOTS %d\n", (int)in_group);
    }
    gnd__pk_body(p, in_group ? "tally_local" : "tally_global", GND_INT64);
    gnd__pk_end1(p, groups, local, gnd__prog_reads(p, 0), 8 * n);
}

static void on_cpu(gnd__prog *p)
{
    const int64_t n = p->size, m = p->in[0].size,
                  units = p->t->props->compute_units > 0 ? p->t->props->compute_units : 1;
    const gnd_dtype t = m <= UINT32_MAX ? GND_UINT32 : GND_INT64;
    /* Each run has its own counters. The number of runs is limited so that adding up the counters
     * takes no longer than counting. */
    const int64_t most = least(up(m, RUN), 2 * units), runs = least(most, 1 + m / n),
                  run = up(m, runs);
    const int64_t part = up(n, least(up(n, RUN), 4 * units));
    int own = -1;
    if (runs > 1)
        own = gnd__prog_scratch(p, runs * n * (int64_t)gnd_dtype_size(t));
    gnd__pk_begin(p, "k_tally");
    if (runs > 1)
        gnd__pk_mem(p, "c", own, t);
    else
        gnd__pk_out(p, "c");
    gnd__pk_in(p, "x", 0);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "m", m);
    gnd__pk_int(p, "run", run);
    gnd__pk_body(p, "tally_run", runs > 1 ? t : GND_INT64);
    gnd__pk_end1(p, runs, 1, gnd__prog_reads(p, 0), runs * n * (int64_t)gnd_dtype_size(t));
    if (runs == 1)
        return;
    gnd__pk_begin(p, "k_tally_sum");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "c", own, t);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "run", part);
    gnd__pk_int(p, "runs", runs);
    gnd__pk_body(p, "tally_sum", t);
    gnd__pk_end1(p, up(n, part), 1, runs * n * (int64_t)gnd_dtype_size(t), 8 * n);
}

void gnd__prim_tally(gnd__prog *p)
{
    if (p->size == 0)
        return;
    if (p->in[0].size == 0)
        gnd__prog_fill(p, -1, GND_INT64, p->size, "0");
    else if (p->t->cpu)
        on_cpu(p);
    else
        on_gpu(p);
    p->native = (gnd__native){.what = GND__NATIVE_TALLY,
                              .op = (int)p->in[0].dtype,
                              .t = GND_INT64,
                              .m = p->size,
                              .n = p->in[0].size};
}
