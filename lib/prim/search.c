/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/search.c - places in a sorted array, by halving: see kernels/search.cl.
 */
#include "prim/search.h"

#include <string.h>
#include "codegen/prelude.h"
#include "prim/prim.h"

enum {
    EACH_GPU = 4,
    EACH_CPU = 16,
    TOP_BYTES = 16384,
    GROUPS_PER_UNIT = 16,
    EACH_INDEXED = 2,
    INDEXED_PER_UNIT = 8,
    INDEX_PAYS = 128,  /* an index needs at least one value for this number of elements */
    TABLE = 65536,     /* numbers from the first element to the last one that a table has */
    TABLE_PAYS = 16384 /* values */
};

/* The smallest n for which indices have 64 bits. The numbers added to an index stay below 2^31. */
#define WIDE ((int64_t)1 << 30)

/* What a search gives, n[0] of its arguments. */
enum { BEFORE, BEHIND, FOUND, MISSING };

static gnd_array *search(gnd_array *a, gnd_array *x, int what, gnd_dtype t)
{
    gnd__primargs p;
    memset(&p, 0, sizeof p);
    p.id = GND__PRIM_SEARCH;
    p.mode[0] = GND__IN_MEM;
    p.mode[1] = GND__IN_ONCE;
    p.n[0] = what;
    return gnd__prim_node(x->dev, &p, t, x->ndim, x->dim, 2, (gnd_array *[]){a, x});
}

gnd_array *gnd__search_node(gnd_array *a, gnd_array *x, int right)
{
    return search(a, x, right ? BEHIND : BEFORE, GND_INT64);
}

gnd_array *gnd__member_node(gnd_array *a, gnd_array *x, int invert)
{
    return search(a, x, invert ? MISSING : FOUND, GND_BOOL);
}

static int64_t up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The number of nodes of the tree that fit into a group's memory, a power of two. */
static int64_t nodes(const gnd__prog *p)
{
    const int64_t size = (int64_t)gnd_dtype_size(p->in[0].dtype),
                  room = (int64_t)p->t->props->local_bytes;
    int64_t n = 1;
    while (2 * n * (size < 4 ? 4 : size) <=
           (room < TOP_BYTES ? room : TOP_BYTES)) /* 16-bit floats are stored as floats */
        n *= 2;
    return n;
}

/* The number of levels worthwhile if a group searches for `keys` values in n elements. */
static int levels(int64_t top, int64_t n, int64_t keys)
{
    int l = 0;
    while ((int64_t)2 << l <= top && (int64_t)2 << l <= n && (int64_t)2 << l <= keys)
        l++;
    return l;
}

/* The elements of the array that an index is made of: see kernels/search.cl. */
typedef struct tree {
    int64_t leaf, fan; /* elements of a part, entries of a node */
    int levels;        /* 0: there is none */
    int64_t top, all;  /* entries of the uppermost level; of all levels, with padding */
} tree;

/* The index of the array; levels is 0 if it would take more reads than it saves. */
static tree index_of(const gnd__prog *p)
{
    const int64_t size = (int64_t)gnd_dtype_size(p->in[0].dtype), n = p->in[0].size,
                  room = nodes(p);
    tree x = {.leaf = size < 8 ? 64 / size : 8, .fan = size < 4 ? 32 / size : 8};
    int64_t count = n;
    if (p->t->cpu || n <= 2 * room || p->in[1].size < n / INDEX_PAYS)
        return x;
    do {
        count = up(count, x.levels ? x.fan : x.leaf);
        x.all += up(count, x.fan) * x.fan;
        x.levels++;
    } while (count > room);
    x.top = count;
    return x;
}

static void make_index(gnd__prog *p, const tree *x, int scratch)
{
    const gnd_dtype t = p->in[0].dtype;
    const size_t local = gnd__prog_group(p, 256);
    gnd__pk_begin(p, "k_index");
    gnd__pk_mem(p, "s", scratch, t);
    gnd__pk_in(p, "a", 0);
    gnd__pk_int(p, "n", p->in[0].size);
    gnd__pk_int(p, "all", x->all);
    gnd__pk_def(p, "#define LEAF %d\n#define FAN %d\n#define LEVELS %d\n", (int)x->leaf,
                (int)x->fan, x->levels);
    gnd__pk_body(p, "search_index", t);
    gnd__pk_end1(p, up(x->all, (int64_t)local), local, gnd__prog_reads(p, 0),
                 x->all * (int64_t)gnd_dtype_size(t));
}

static void order_defs(gnd__prog *p, int each)
{
    const gnd_dtype t = p->in[0].dtype;
    const char *of = gnd__suffix(t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t);
    const int64_t what = p->args->n[0];
    gnd__pk_def(p, "#define IX %s\n#define EACH %d\n#define AFTER(x, v) gnd_%s_%s(x, v)\n",
                p->in[0].size < WIDE ? "g_i32" : "g_i64", each, what == BEHIND ? "upto" : "before",
                of);
    if (what == BEFORE || what == BEHIND)
        gnd__pk_def(p, "#define PUT(i, at, v) y[i] = (g_i64)(at)\n");
    else
        gnd__pk_def(p,
                    "#define PUT(i, at, v) y[i] = "
                    "gnd_same_%s(IN_a((at) < (IX)n ? (at) : (IX)n - 1), v) == %d\n",
                    of, what == FOUND);
}

/* The bytes that a search writes. */
static int64_t written(const gnd__prog *p)
{
    return p->in[1].size * (int64_t)gnd_dtype_size(p->dtype);
}

static void indexed(gnd__prog *p, const tree *x)
{
    const gnd_dtype t = p->in[0].dtype;
    const int64_t m = p->in[1].size, units = p->t->props->compute_units;
    const int64_t size = (int64_t)gnd_dtype_size(t);
    const size_t local = gnd__prog_group(p, 256);
    const int64_t most = INDEXED_PER_UNIT * (units > 0 ? units : 1);
    const int each = EACH_INDEXED, s = gnd__prog_scratch(p, x->all * size);
    int64_t groups = up(m, (int64_t)local * each);
    int l = 0;
    while ((int64_t)1 << l < x->top)
        l++;
    make_index(p, x, s);
    gnd__pk_begin(p, "k_search");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "a", 0);
    gnd__pk_mem(p, "s", s, t);
    gnd__pk_in(p, "v", 1);
    gnd__pk_int(p, "n", p->in[0].size);
    gnd__pk_int(p, "m", m);
    gnd__pk_int(p, "levels", l);
    gnd__pk_def(
        p,
        "#define TOP %d\n#define LEAF %d\n#define FAN %d\n#define LEVELS %d\n#define ESIZE %d\n"
        "#define MEM %s\n#define UNROLL %s\n",
        (int)nodes(p), (int)x->leaf, (int)x->fan, x->levels, (int)size, gnd__ctype_mem(t),
        p->t->props->kind == GND_DEV_CPU ? "" : "_Pragma(\"unroll\")");
    order_defs(p, each);
    gnd__pk_body(p, "search_indexed", t);
    gnd__pk_end1(p, groups < most ? groups : most, local,
                 gnd__prog_reads(p, 0) + gnd__prog_reads(p, 1), written(p));
}

/* Whether a table of places may serve: of many whole numbers on a CPU. */
static int may_tabulate(const gnd__prog *p)
{
    const char kind = gnd_dtype_kind(p->in[0].dtype);
    return p->t->cpu && (kind == 'i' || kind == 'u') && p->in[0].size > 0 && p->in[0].size < WIDE &&
           p->in[1].size >= TABLE_PAYS;
}

/* Writes the kernel that makes the table, in scratch memory; returns that. */
static int make_table(gnd__prog *p)
{
    const int64_t bytes = (TABLE + 2) * (int64_t)sizeof(int32_t);
    const int s = gnd__prog_scratch(p, bytes);
    gnd__pk_begin(p, "k_table");
    gnd__pk_mem(p, "s", s, GND_INT32);
    gnd__pk_in(p, "a", 0);
    gnd__pk_int(p, "n", p->in[0].size);
    gnd__pk_def(p, "#define IX g_i32\n#define TABLE %d\n", TABLE);
    gnd__pk_body(p, "search_table", p->in[0].dtype);
    gnd__pk_end1(p, 1, 1, gnd__prog_reads(p, 0), bytes);
    return s;
}

void gnd__prim_search(gnd__prog *p)
{
    const gnd_dtype t = p->in[0].dtype;
    const int64_t n = p->in[0].size, m = p->in[1].size, units = p->t->props->compute_units;
    const int cpu = p->t->cpu;
    const size_t local = cpu ? 1 : gnd__prog_group(p, 256);
    int64_t groups, run = 0;
    int l = 0, table = -1;
    const tree x = index_of(p);
    if (m == 0)
        return;
    if (may_tabulate(p))
        table = make_table(p);
    if (x.levels) {
        indexed(p, &x);
        return;
    }
    if (cpu) { /* some runs for each core, in whole lanes */
        run = up(up(m, 4 * (units > 0 ? units : 1)), EACH_CPU) * EACH_CPU;
        groups = up(m, run);
    } else {
        const int64_t each = (int64_t)local * EACH_GPU,
                      most = GROUPS_PER_UNIT * (units > 0 ? units : 1);
        groups = up(m, each) < most ? up(m, each) : most;
        l = levels(nodes(p), n, up(m, groups));
    }
    gnd__pk_begin(p, "k_search");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "a", 0);
    gnd__pk_in(p, "v", 1);
    if (table >= 0) {
        gnd__pk_mem(p, "s", table, GND_INT32);
        if (p->args->n[0] == BEFORE || p->args->n[0] == BEHIND)
            gnd__pk_def(p, "#define TABLED v < least ? 0 : within ? (g_i64)s[%d + k] : (g_i64)n\n",
                        p->args->n[0] == BEHIND ? 2 : 1);
        else
            gnd__pk_def(p, "#define TABLED (within && s[1 + k] != s[2 + k]) == %d\n",
                        p->args->n[0] == FOUND);
    }
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "m", m);
    gnd__pk_int(p, cpu ? "run" : "most", cpu ? run : up(n, (int64_t)1 << l));
    if (!cpu) {
        gnd__pk_int(p, "levels", l);
        gnd__pk_def(p, "#define TOP %d\n", (int)nodes(p));
    }
    order_defs(p, cpu ? EACH_CPU : EACH_GPU);
    if (table >= 0)
        gnd__pk_body(p, "search_tabled", t);
    gnd__pk_body(p, cpu ? "search_cpu" : "search_gpu", t);
    gnd__pk_end1(p, groups, local, gnd__prog_reads(p, 0) + gnd__prog_reads(p, 1), written(p));
}
