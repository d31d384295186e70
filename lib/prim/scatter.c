/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/scatter.c - positions by index. The greatest position wins whatever the order of the
 * work-items, so the result does not depend on the device.
 *
 * On CPUs an update is one kernel instead. A work-item has a range of places: it copies what was
 * there, reads all positions in their order, and sets those in its range. The last one wins.
 */
#include "prim/scatter.h"

#include <string.h>
#include "device/device.h"
#include "prim/choices.h"
#include "prim/prim.h"

/* Up to this number of a CPU's units, or of elements for each position and unit, it is best that
 * every unit reads all positions. A work-item has at least so many elements. */
enum { FEW_UNITS = 8, POSITIONS = 16, LEAST = 8192 };

gnd_array *gnd__last_node(gnd_array *idx, int64_t n)
{
    gnd__primargs a;
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_LAST;
    a.mode[0] = GND__IN_ONCE;
    return gnd__prim_node(idx->dev, &a, idx->size < INT32_MAX ? GND_INT32 : GND_INT64, 1, &n, 1,
                          &idx);
}

void gnd__prim_last(gnd__prog *p)
{
    int64_t n = p->in[0].size;
    size_t local = gnd__prog_group(p, 256);
    gnd__prog_fill(p, -1, p->dtype, p->size, "0");
    if (n == 0 || p->size == 0)
        return;
    if (p->dtype == GND_INT64 && !p->t->props->has_atomic64)
        gnd__prog_fail(
            p, GND_ERR_UNSUPPORTED,
            "%lld indices in one update: this device has no 64-bit atomics; update in parts",
            (long long)n);
    p->native = (gnd__native){.what = GND__NATIVE_LAST, .t = p->dtype, .m = p->size, .n = n};
    gnd__pk_begin(p, "k_last");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "idx", 0);
    gnd__pk_int(p, "n", n);
    gnd__pk_body(p, "last", p->dtype);
    gnd__pk_end1(p, (n + (int64_t)local - 1) / (int64_t)local, local, gnd__prog_reads(p, 0),
                 n * (int64_t)gnd_dtype_size(p->dtype));
}

/* --- updates ---------------------------------------------------------------------------------- */

int gnd__set_passes(const gnd_array *base, const gnd__places *s)
{
    const int64_t units = (int64_t)base->dev->g->props.compute_units;
    return gnd__for_cpu(base->dev) && base->dtype != GND_FLOAT16 && base->dtype != GND_BFLOAT16 &&
           base->size <= GND__PRIM_MOST &&
           (units <= FEW_UNITS || s->n <= (s->m + s->n) * s->width / units * POSITIONS);
}

gnd_array *gnd__set_node(gnd_array *base, gnd_array *pos, gnd_array *value, const gnd__places *s)
{
    gnd__primargs a;
    gnd_array *in[3] = {pos, value, base};
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_SET;
    /* each work-item reads all positions; a value may be read for many places */
    a.mode[0] = GND__IN_AGAIN;
    a.mode[1] = value->size / s->n * s->m >= base->size ? GND__IN_ONCE : GND__IN_AGAIN;
    a.mode[2] = GND__IN_ONCE;
    a.n[0] = s->m;
    a.n[1] = s->n;
    a.n[2] = s->width;
    a.n[3] = s->has;
    return gnd__prim_node(base->dev, &a, (gnd_dtype)base->dtype, 1, &base->size, 3, in);
}

/* The type that numbers of elements have in the text: that of the inputs' own, so that compilers
 * see that they are successive. */
static const char *number(const gnd__prog *p)
{
    int wide = p->size > INT32_MAX / 2;
    for (int i = 0; i < p->nin; i++)
        wide |= p->in[i].size > INT32_MAX / 2 || (p->in[i].inl && p->in[i].inl->wide);
    return wide ? "g_i64" : "g_i32";
}

void gnd__prim_set(gnd__prog *p)
{
    const int64_t m = p->args->n[0], n = p->args->n[1], width = p->args->n[2], has = p->args->n[3],
                  batches = p->size / (m * width), units = (int64_t)p->t->props->compute_units;
    const int64_t inner = has & GND__SET_INNER ? width : 1, each = has & GND__SET_EACH ? n : 1;
    /* two work-items for each unit, unless they would read positions most of the time */
    int64_t items = units * (n * batches <= p->size / (8 * units + 1) ? 2 : 1), parts;
    if (p->size == 0)
        return;
    p->native = (gnd__native){.what = GND__NATIVE_SET,
                              .op = (int)has,
                              .t = p->dtype,
                              .m = m,
                              .n = n,
                              .inner = width,
                              .keep = batches};
    items = items < p->size / LEAST ? items : p->size / LEAST;
    items = items > 1 ? items : 1;
    parts = batches >= 2 * items ? 1 : (items + batches - 1) / batches;
    parts = parts < m ? parts : m;
    const int64_t rows = (m + parts - 1) / parts;
    parts = (m + rows - 1) / rows;
    const int64_t share = (batches + items - 1) / items;
    gnd__pk_begin(p, "k_set");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "pos", 0);
    gnd__pk_in(p, "value", 1);
    gnd__pk_in(p, "base", 2);
    gnd__pk_int(p, "m", m);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "batches", batches);
    gnd__pk_int(p, "rows", rows);
    gnd__pk_int(p, "parts", parts);
    gnd__pk_int(p, "share", share);
    gnd__pk_int(p, "outer", has & GND__SET_OUTER ? each * inner : 0);
    gnd__pk_int(p, "next", has & GND__SET_EACH ? inner : 0);
    if (width > 1)
        gnd__pk_int(p, "width", width);
    gnd__pk_def(p, "#define X %s\n#define WIDTH %s\n#define INNER %d\n", number(p),
                width > 1 ? "(X)width" : "1", has & GND__SET_INNER && width > 1);
    gnd__pk_def(p, "#define POS_OUTER %d\n#define POS_INNER %d\n", (has & GND__POS_OUTER) != 0,
                has & GND__POS_INNER && width > 1);
    gnd__pk_body(p, "set_places", p->dtype);
    gnd__pk_end1(p, (batches + share - 1) / share * parts, 1,
                 gnd__prog_reads(p, 0) + gnd__prog_reads(p, 1) + gnd__prog_reads(p, 2),
                 p->size * (int64_t)gnd_dtype_size(p->dtype));
}
