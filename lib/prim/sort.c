/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/sort.c - the parts that sort and argsort share: nodes, representation of elements, choice of
 * the method.
 *
 * Long rows use a radix sort, 8 bits per pass, least significant digit first. Each pass counts the
 * digits of each block of a row, turns the counts into positions, and moves the elements. On a GPU
 * a group first sorts a tile by the digit in local memory, so that it writes runs; on a CPU a
 * work-item goes through a block.
 */
#include "prim/sort.h"

#include <string.h>
#include "base/dtype.h"
#include "codegen/prelude.h"
#include "prim/sort_priv.h"

/* --- nodes ------------------------------------------------------------------------------------ */

static gnd_array *node(gnd_array *x, int id, int descending, gnd_dtype t, int64_t from,
                       int64_t keep, int cut)
{
    gnd__primargs a;
    int64_t dim[GND_MAX_NDIM];
    memset(&a, 0, sizeof a);
    a.id = id;
    a.mode[0] = GND__IN_AGAIN;
    a.n[GND__SORT_DESCENDING] = descending;
    a.n[GND__SORT_FROM] = from;
    a.n[GND__SORT_CUT] = cut;
    memcpy(dim, x->dim, (size_t)x->ndim * sizeof dim[0]);
    dim[x->ndim - 1] = keep;
    return gnd__prim_node(x->dev, &a, t, x->ndim, dim, 1, &x);
}

gnd_array *gnd__sort_node(gnd_array *x, int descending)
{
    return node(x, GND__PRIM_SORT, descending, (gnd_dtype)x->dtype, 0, x->dim[x->ndim - 1], 0);
}

gnd_array *gnd__argsort_node(gnd_array *x, int descending, int64_t keep)
{
    return node(x, GND__PRIM_ARGSORT, descending, GND_INT64, 0, keep, 0);
}

gnd_array *gnd__sort_node_of_part(gnd_array *x, int descending, int indices, int64_t from,
                                  int64_t keep)
{
    return node(x, indices ? GND__PRIM_ARGSORT : GND__PRIM_SORT, descending,
                indices ? GND_INT64 : (gnd_dtype)x->dtype, from, keep, 1);
}

/* --- elements --------------------------------------------------------------------------------- */

static void describe(gnd__sorter *s)
{
    int size = (int)gnd_dtype_size(s->t), cplx = gnd_dtype_kind(s->t) == 'c';
    s->digits = size + cplx;
    if (!s->arg)
        s->esize = size;
    else if (cplx)
        s->esize = size + 8;
    else
        s->esize = size == 8 || s->n > UINT32_MAX ? 16 : 8;
}

/* The element as macros: of values, and of keys with an index. pass 0 makes elements of the input.
 */
static void value_defs(gnd__sorter *s)
{
    gnd__prog *p = s->p;
    int size = (int)gnd_dtype_size(s->t), kind = gnd_dtype_kind(s->t);
    if (kind == 'c') {
        gnd__pk_defs(p, size == 8 ? "sort_value_c64" : "sort_value_c128", s->t);
        return;
    }
    gnd__pk_def(p, "#define UINT g_u%d\n#define SIGN %s\n", 8 * size,
                kind == 'i' ? "(g_u64)1 << (8 * sizeof(ELEM) - 1)" : "0");
    gnd__pk_defs(p, size == 8 ? "sort_value8" : "sort_value4", s->t);
    gnd__pk_defs(p, kind == 'f' ? "sort_pad_nan" : "sort_pad", s->t);
}

static void arg_defs(gnd__sorter *s, int first)
{
    gnd__prog *p = s->p;
    int cplx = gnd_dtype_kind(s->t) == 'c';
    if (s->esize == 24) {
        gnd__pk_defs(p, "sort_arg16", s->t);
    } else if (s->esize == 16) {
        gnd__pk_defs(p, "sort_arg8", s->t);
        gnd__pk_defs(p, cplx ? "sort_arg8_complex" : "sort_arg8_real", s->t);
    } else {
        gnd__pk_defs(p, "sort_arg4", s->t);
    }
    if (first)
        gnd__pk_defs(p,
                     s->esize == 24   ? "sort_arg_c128_first"
                     : cplx           ? "sort_arg_c64_first"
                     : s->esize == 16 ? "sort_arg8_first"
                                      : "sort_arg4_first",
                     s->t);
}

/* Loops of constant length over arrays in registers, which a GPU's compiler must unroll. On a CPU,
 * which runs the GPU's kernels in tests, that takes seconds of compilation. */
void gnd__sort_unroll_defs(gnd__prog *p)
{
    gnd__pk_def(
        p, p->t->props->kind == GND_DEV_CPU
               ? "#define UNROLL\n#define UNROLL8\n"
               : "#define UNROLL _Pragma(\"unroll\")\n#define UNROLL8 _Pragma(\"unroll 8\")\n");
}

void gnd__sort_defs(gnd__sorter *s, int first, int elem)
{
    gnd__prog *p = s->p;
    gnd__pk_int(p, "flip", s->descending ? -1 : 0);
    gnd__pk_def(
        p,
        "#define FIRST %d\n#define SINGLE %d\n#define ARG %d\n#define CUT %d\n#define WIDE %d\n"
        "#define COUNT %s\n#define TPG %d\n#define IPT %d\n#define DEAR %d\n",
        first, s->digits == 1, s->arg, !s->arg && s->keep < s->n, s->wide,
        s->wide ? "g_i64" : "g_u32", (int)s->tpg, (int)s->ipt,
        first && p->in[0].inl && p->in[0].inl->dear);
    gnd__sort_unroll_defs(p);
    if (s->arg || elem == GND__SORT_KEYED)
        arg_defs(s, first);
    else
        value_defs(s);
    gnd__pk_defs(p, "sort_give", s->t);
}

void gnd__sort_keep_params(gnd__sorter *s)
{
    gnd__pk_int(s->p, "from", s->from);
    gnd__pk_int(s->p, "keep", s->keep);
}

void gnd__sort_digit_defs(gnd__sorter *s)
{
    gnd__pk_def(s->p, "#define DIGITS %d\n#define DWORDS %d\n", s->digits, (s->digits + 3) / 4);
    gnd__pk_defs(s->p, "sort_digits", s->t);
}

static size_t tile_bytes(size_t tpg, size_t ipt)
{
    size_t slots = tpg * ipt, least = 8 * (tpg + 32) + 2 * tpg;
    slots += slots / 32;
    return 4 * (slots > least ? slots : least);
}

/* Groups of 32 to 512 work-items, the smaller ones with fewer elements each; up to 3 KiB of local
 * memory are needed beside the tile. Elements of several words take more registers: there are fewer
 * of them, unless that makes the row fit. */
int gnd__sort_tile(gnd__sorter *s, int64_t n)
{
    size_t most = s->esize > 8 ? 8 : 16, tpg = 32, ipt = 4;
    size_t group = gnd__prog_group(s->p, 512);
    while (group > 32 && tile_bytes(group, most) + 3 * 1024 > s->p->t->props->local_bytes)
        group /= 2;
    if (group < 32)
        return 0;
    while ((int64_t)(tpg * ipt) < n && (tpg < group || ipt < most))
        if (ipt == 4 || tpg == group || (tpg >= 256 && ipt < most && s->esize <= 4))
            ipt *= 2;
        else
            tpg *= 2;
    s->tpg = tpg;
    s->ipt = ipt;
    return 1;
}

void gnd__sort_tile_defs(gnd__sorter *s)
{
    gnd__prog *p = s->p;
    gnd__pk_def(p, "#define BUFW %d\n", (int)(tile_bytes(s->tpg, s->ipt) / 4));
    if (s->esize >= 8)
        gnd__pk_defs(p,
                     s->esize == 8    ? "sort_words8"
                     : s->esize == 16 ? "sort_words16"
                                      : "sort_words24",
                     s->t);
    gnd__pk_defs(p, "sort_each", s->t);
    gnd__pk_defs(p, "sort_tile", s->t);
    /* 1024 work-items at once, of 64 registers, or half as many */
    gnd__pk_resident(p, (int)((s->ipt == 16 && s->esize > 4 ? 512 : 1024) / s->tpg));
}

gnd_dtype gnd__sort_mem(const gnd__sorter *s)
{
    return s->esize == 1   ? GND_UINT8
           : s->esize == 2 ? GND_UINT16
           : s->esize == 4 ? GND_UINT32
                           : GND_UINT64;
}

/* --- the choice ------------------------------------------------------------------------------- */

static void sort(gnd__prog *p, int arg)
{
    gnd__sorter s;
    const gnd__pin *x = &p->in[0];
    memset(&s, 0, sizeof s);
    if (p->size == 0)
        return;
    s.p = p;
    s.t = x->dtype;
    s.arg = arg;
    s.descending = p->args->n[GND__SORT_DESCENDING] != 0;
    s.n = x->dim[x->ndim - 1];
    s.from = p->args->n[GND__SORT_FROM];
    s.keep = p->dim[p->ndim - 1];
    s.rows = x->size / s.n;
    describe(&s);
    p->native = (gnd__native){.what = GND__NATIVE_SORT,
                              .op = arg,
                              .descending = s.descending,
                              .t = s.t,
                              .m = s.rows,
                              .n = s.n,
                              .inner = s.from,
                              .keep = s.keep};
    if (s.n <= GND__SORT_SHORT) {
        gnd__sort_short(&s);
    } else if (p->t->cpu) {
        /* few long rows: all work-items share each, in four kernels a pass, which few of them do
         * later than one alone; k_rows counts with 32 bits */
        if (s.n <= (p->t->props->compute_units <= 4 ? 65536 : 16384) ||
            (s.n <= UINT32_MAX && s.rows >= 4 * (int64_t)p->t->props->compute_units))
            gnd__sort_rows(&s);
        else
            gnd__sort_long(&s);
    } else if (!gnd__sort_tile(&s, s.n)) {
        gnd__prog_fail(p, GND_ERR_UNSUPPORTED,
                       "%s: this device takes work-groups of %u work-items only",
                       gnd__prims[p->args->id].name, p->t->props->max_group);
    } else if ((int64_t)(s.tpg * s.ipt) >= s.n && arg && s.from == 0 &&
               s.keep <= GND__SORT_SELECT && 4 * s.keep <= s.n) {
        gnd__sort_select(&s);
    } else if (gnd__sort_warps(&s)) {
        /* done */
    } else if ((int64_t)(s.tpg * s.ipt) >= s.n) {
        gnd__sort_rows(&s);
    } else {
        gnd__sort_long(&s);
    }
}

void gnd__prim_sort(gnd__prog *p)
{
    sort(p, 0);
}

void gnd__prim_argsort(gnd__prog *p)
{
    sort(p, 1);
}
