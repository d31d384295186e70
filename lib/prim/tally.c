/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/tally.c - counting ints: see kernels/tally.cl.
 */
#include "prim/search.h"

#include <string.h>
#include "device/device.h"
#include "prim/choices.h"
#include "prim/prim.h"

enum {
    EACH = 8,
    EACH_ATOMIC = 4,
    SLOTS = 8192,
    COPIES_LOG2 = 5,
    GROUPS_PER_UNIT = 3, /* of 512 work-items, which then have 42 registers each */
    PARTS = 4,           /* the most parts of the bits of what is there */
    RUN = 4096,
    WAYS = 4, /* counters of a number in a run, for up to so many numbers */
    WAYS_MOST = 2048,
    DEAL_GROUP = 512,
    DEAL_EACH = 16,
    DEAL_SHIFT = 13,       /* the largest bin, whose counters a group has in local memory */
    DEAL_BINS = 127,       /* bins if they need not be larger; one more for what is not counted */
    DEAL_MOST = 511,       /* the most bins */
    DEAL_SLICES = 8,       /* groups per unit that count */
    DEAL_VALUES = 1 << 20, /* the fewest elements */
    DEAL_SPARSE = 4        /* the fewest elements for each number */
};

/* The number of counters of a group in local memory: a power of two; 0 if n counters do not fit. */
static int64_t slots(const gnd_props *props, int64_t n)
{
    int64_t s = SLOTS;
    while (s * 4 + 128 > (int64_t)props->local_bytes)
        s /= 2;
    return n <= s ? s : 0;
}

gnd_array *gnd__tally_node(gnd_array *x, int64_t n)
{
    gnd__primargs p;
    memset(&p, 0, sizeof p);
    p.id = GND__PRIM_TALLY;
    p.mode[0] = GND__IN_ONCE;
    return gnd__prim_node(x->dev, &p, GND_INT64, 1, &n, 1, &x);
}

gnd_array *gnd__bins_node(gnd_array *x, gnd_array *edges, gnd_array *span)
{
    const int64_t n = edges->size - 1;
    gnd__primargs p;
    memset(&p, 0, sizeof p);
    p.id = GND__PRIM_TALLY;
    p.mode[0] = GND__IN_AGAIN;
    p.mode[1] = GND__IN_MEM;
    p.mode[2] = GND__IN_ONCE;
    return gnd__prim_node(x->dev, &p, GND_INT64, 1, &n, 3, (gnd_array *[]){x, edges, span});
}

int gnd__bins_pay(const gnd_device *dev, int64_t n)
{
    return !gnd__for_cpu(dev) && n <= slots(&dev->g->props, n);
}

int gnd__there_pays(const gnd_device *dev, int64_t n)
{
    const gnd_props *p = &dev->g->props;
    return !gnd__for_cpu(dev) && n > SLOTS && n <= PARTS * 8 * (int64_t)p->local_bytes;
}

gnd_array *gnd__there_node(gnd_array *x, int64_t n)
{
    gnd__primargs p;
    memset(&p, 0, sizeof p);
    p.id = GND__PRIM_THERE;
    p.mode[0] = GND__IN_AGAIN;
    return gnd__prim_node(x->dev, &p, GND_BOOL, 1, &n, 1, &x);
}

static int64_t up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The macros of loops over m elements of the input with `each` at once. Indices of 32 bits where
 * they cannot overflow: a loop looks far beyond the last one. */
static void loop_defs(gnd__prog *p, int64_t m, int each)
{
    gnd__pk_int(p, "m", m);
    gnd__pk_def(p, "#define EACH %d\n#define INDEX %s\n", each,
                m <= INT32_MAX / 2 ? "g_i32" : "g_i64");
}

/* Numbers too many for the counters of a group: see tally_deal. Returns 0 if there are too few
 * elements, or too many numbers. y has zeros. */
static int dealt(gnd__prog *p, int64_t units)
{
    const int64_t n = p->size, m = p->in[0].size, tiles = up(m, DEAL_GROUP * DEAL_EACH);
    int shift = 4, nbins = 128;
    while (shift < DEAL_SHIFT && up(n, (int64_t)1 << shift) > DEAL_BINS)
        shift++;
    const int64_t bins = up(n, (int64_t)1 << shift);
    while (nbins < bins + 1)
        nbins *= 2;
    if (bins > DEAL_MOST || m < DEAL_VALUES || m / DEAL_SPARSE < n || m > INT32_MAX ||
        !p->t->props->little_endian || p->t->props->local_bytes < 48 << 10 ||
        gnd__prog_group(p, DEAL_GROUP) != DEAL_GROUP)
        return 0;
    const int64_t slices = up(DEAL_SLICES * units, bins), each = up(tiles, slices),
                  places = 2 * tiles * DEAL_GROUP * DEAL_EACH, table = 4 * bins * tiles;
    const int lp = gnd__prog_scratch(p, places), off = gnd__prog_scratch(p, table);
    for (int last = 0; last < 2; last++) {
        gnd__pk_begin(p, last ? "k_bins" : "k_deal");
        if (last)
            gnd__pk_out(p, "y");
        gnd__pk_mem(p, "lp", lp, last ? GND_UINT16 : GND_UINT32);
        gnd__pk_mem(p, "off", off, GND_UINT32);
        if (!last)
            gnd__pk_in(p, "x", 0);
        gnd__pk_int(p, "n", n);
        gnd__pk_int(p, "m", m);
        gnd__pk_int(p, "bins", bins);
        gnd__pk_int(p, "tiles", tiles);
        gnd__pk_int(p, "each", each);
        gnd__pk_def(p, "#define TPG %d\n#define IPT %d\n#define NBINS %d\n#define SHIFT %d\n",
                    DEAL_GROUP, DEAL_EACH, nbins, shift);
        gnd__pk_def(p, "#define GCOUNT gnd_gcount_u32\n");
        if (!last) {
            gnd__pk_defs(p, "warps", GND_UINT32);
            gnd__pk_defs(p, "deal_scan", GND_UINT32);
        }
        gnd__pk_body(p, last ? "tally_bins" : "tally_deal", GND_INT64);
        gnd__pk_resident(p, last ? 4 : 3);
        gnd__pk_end1(p, last ? bins * up(tiles, each) : tiles, DEAL_GROUP,
                     last ? places + table : gnd__prog_reads(p, 0), last ? 8 * n : places + table);
    }
    return 1;
}

static void on_gpu(gnd__prog *p)
{
    const int64_t n = p->size, m = p->in[0].size, units = p->t->props->compute_units,
                  in_group = slots(p->t->props, n);
    const size_t local = gnd__prog_group(p, in_group ? 512 : 256);
    const int low = m <= UINT32_MAX && p->t->props->little_endian;
    const int each = in_group ? EACH : EACH_ATOMIC, width = p->nin == 3;
    int64_t groups = up(m, (int64_t)local * each);
    int shift = 0;
    if (!low && !p->t->props->has_atomic64) {
        gnd__prog_fail(p, GND_ERR_UNSUPPORTED,
                       "counting %lld elements: this device has no 64-bit atomics; "
                       "count in parts",
                       (long long)m);
        return;
    }
    gnd__prog_fill(p, -1, GND_INT64, n, "0");
    if (!in_group && dealt(p, units > 0 ? units : 1))
        return;
    gnd__pk_begin(p, "k_tally");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "x", 0);
    if (width) {
        gnd__pk_in(p, "edge", 1);
        gnd__pk_in(p, "span", 2);
        gnd__pk_def(
            p, p->in[0].dtype == GND_FLOAT32
                   ? "#define FEW 1.7881393e-6f\n#define TINY 8.271806e-25f\n"
                   : "#define FEW 3.3306690738754696e-15\n#define TINY 1.4996968138956309e-241\n");
    }
    gnd__pk_int(p, "n", n);
    loop_defs(p, m, each);
    gnd__pk_def(p, "#define GCOUNT gnd_gcount_%s\n", low ? "u32" : "u64");
    if (in_group) {
        /* each group adds n counters to the result, so it counts at least n elements */
        groups = least(least(groups, GROUPS_PER_UNIT * (units > 0 ? units : 1)), up(m, n));
        while (shift < COPIES_LOG2 && n << (shift + 1) <= in_group)
            shift++;
        gnd__pk_int(p, "shift", shift);
        gnd__pk_def(p, "#define SLOTS %d\n", (int)in_group);
        gnd__pk_resident(p, GROUPS_PER_UNIT);
    }
    if (width)
        gnd__pk_defs(p, "tally_width_defs", p->in[0].dtype);
    if (in_group)
        gnd__pk_body(p, "tally_clear", GND_INT64);
    gnd__pk_body(p,
                 width      ? "tally_width"
                 : in_group ? "tally_local"
                            : "tally_global",
                 width ? p->in[0].dtype : GND_INT64);
    if (in_group)
        gnd__pk_body(p, "tally_total", GND_INT64);
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
    /* one counter is a chain of additions in memory: few numbers have several counters each */
    const int64_t ways = n <= WAYS_MOST && m >= WAYS * WAYS * n ? WAYS : 1, all = runs * ways;
    const int64_t part = up(n, least(up(n, RUN), 4 * units));
    int own = -1;
    if (all > 1)
        own = gnd__prog_scratch(p, all * n * (int64_t)gnd_dtype_size(t));
    gnd__pk_begin(p, "k_tally");
    if (all > 1)
        gnd__pk_mem(p, "c", own, t);
    else
        gnd__pk_out(p, "c");
    gnd__pk_in(p, "x", 0);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "m", m);
    gnd__pk_int(p, "run", run);
    gnd__pk_def(p, "#define WAYS %d\n", (int)ways);
    gnd__pk_body(p, "tally_run", all > 1 ? t : GND_INT64);
    gnd__pk_end1(p, runs, 1, gnd__prog_reads(p, 0), all * n * (int64_t)gnd_dtype_size(t));
    if (all == 1)
        return;
    gnd__pk_begin(p, "k_tally_sum");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "c", own, t);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "run", part);
    gnd__pk_int(p, "runs", all);
    gnd__pk_body(p, "tally_sum", t);
    gnd__pk_end1(p, up(n, part), 1, all * n * (int64_t)gnd_dtype_size(t), 8 * n);
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
    if (p->nin == 1)
        p->native = (gnd__native){.what = GND__NATIVE_TALLY,
                                  .op = (int)p->in[0].dtype,
                                  .t = GND_INT64,
                                  .m = p->size,
                                  .n = p->in[0].size};
}

void gnd__prim_there(gnd__prog *p)
{
    const int64_t n = p->size, m = p->in[0].size,
                  units = p->t->props->compute_units > 0 ? p->t->props->compute_units : 1,
                  room = (int64_t)p->t->props->local_bytes / 4, all = up(n, 32),
                  parts = up(all, room), words = up(all, parts);
    const size_t local = gnd__prog_group(p, 512);
    if (n == 0)
        return;
    if (m == 0) {
        gnd__prog_fill(p, -1, GND_BOOL, n, "0");
        return;
    }
    /* groups for the same elements; each sets up to `words` words of the result */
    const int64_t groups = least(up(m, (int64_t)local * EACH),
                                 least(up(GROUPS_PER_UNIT * units, parts), up(m, words)));
    const int bits = gnd__prog_scratch(p, 4 * words * parts);
    gnd__prog_fill(p, bits, GND_UINT32, words * parts, "0");
    gnd__pk_begin(p, "k_mark");
    gnd__pk_mem(p, "bits", bits, GND_UINT32);
    gnd__pk_in(p, "x", 0);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "parts", parts);
    loop_defs(p, m, EACH);
    gnd__pk_def(p, "#define WORDS %d\n#define VALUE g_u%d\n", (int)words,
                gnd_dtype_size(p->in[0].dtype) <= 4 ? 32 : 64);
    gnd__pk_body(p, "there_mark", GND_UINT32);
    gnd__pk_resident(p, GROUPS_PER_UNIT);
    gnd__pk_end1(p, groups * parts, local, gnd__prog_reads(p, 0), 4 * words * parts);
    gnd__pk_begin(p, "k_there");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "bits", bits, GND_UINT32);
    gnd__pk_int(p, "n", n);
    gnd__pk_body(p, "there_end", GND_BOOL);
    const size_t each = gnd__prog_group(p, 256);
    gnd__pk_end1(p, up(n, (int64_t)each), each, 4 * words * parts, n);
}
