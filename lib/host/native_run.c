/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/native_run.c - which primitives the host computes, and the calls that do (native.h).
 */
#include "base/dtype.h"
#include "host/native.h"

/* Elements of an input, and of a result; of a sorted row, which a device's thread sorts alone as
 * well. */
enum {
    MOST = 8192,
    MOST_MASKED = 65536,
    MOST_SORTED = 8192,
    MOST_RANKED = 8192,
    RANKED = 40, /* elements that take as long as another place */
    MOST_ROW = 32768,
    MOST_MOVED = 32768,
    SET_COST = 131072,
    MOST_SUMMED = 65536,
    MOST_RUNNING = 32768
};

static gnd__native_select *select_of(const gnd__native *w)
{
    const int half = w->t == GND_FLOAT16 || w->t == GND_BFLOAT16;
    return half ? NULL : gnd__native_select_of(w->op, (int)gnd_dtype_size(w->t));
}

/* Of the ints that are counted. */
static int kind_of(const gnd__native *w)
{
    return gnd_dtype_kind((gnd_dtype)w->op);
}

/* Bytes that are copied, eight of them for a row or element that is set besides. */
static int64_t set_cost(const gnd__native *w)
{
    const int64_t size = (int64_t)gnd_dtype_size(w->t), set = w->n * w->keep,
                  most = SET_COST / w->inner / w->keep;
    if (w->m > most || w->n > most)
        return SET_COST + 1;
    const int rows = w->op & GND__SET_INNER && !(w->op & GND__POS_INNER) && w->inner * size >= 16;
    return (w->m * w->keep + set) * w->inner * size + 8 * set * (rows ? 2 : w->inner);
}

/* Sums of ints along rows take a cycle for each element. */
static int is_running(const gnd__native *w)
{
    return w->op == 0 && w->inner == 1 && gnd_dtype_kind(w->t) != 'f';
}

int gnd__native_has(const gnd__native *w)
{
    const int kind = gnd_dtype_kind(w->t);
    switch (w->what) {
    case GND__NATIVE_MASK: return w->n > 0 && w->n <= MOST_MASKED;
    case GND__NATIVE_SELECT: return w->n > 0 && w->n <= MOST_MASKED && select_of(w) != NULL;
    case GND__NATIVE_SORT:
        return kind != 'c' && w->t != GND_FLOAT16 && w->t != GND_BFLOAT16 &&
               w->n <= (w->m == 1 ? MOST_ROW : MOST_SORTED / w->m);
    case GND__NATIVE_RANKS:
        return kind != 'c' && w->t != GND_FLOAT16 && w->t != GND_BFLOAT16 &&
               w->keep <= GND__NATIVE_PLACES &&
               (w->m == 1 ? w->n <= MOST_ROW : w->n + RANKED * (w->keep + 1) <= MOST_RANKED / w->m);
    case GND__NATIVE_PARTITION:
        return kind != 'c' && w->t != GND_FLOAT16 && w->t != GND_BFLOAT16 &&
               w->n <= MOST_ROW / w->m;
    case GND__NATIVE_SCAN:
        return w->n <= (is_running(w) ? MOST_RUNNING : MOST) / w->m / w->inner &&
               gnd__native_scan_of(w->op, w->t, w->inner > 1);
    case GND__NATIVE_COPY: return w->n * w->m <= MOST_MOVED;
    case GND__NATIVE_WIDEN: return w->n <= MOST;
    case GND__NATIVE_LAST: return w->n <= MOST && w->m <= MOST_MOVED;
    case GND__NATIVE_TALLY:
        return w->n + w->m / 4 <= 2 * MOST && (kind_of(w) == 'i' || kind_of(w) == 'u');
    case GND__NATIVE_SUMS:
        return kind != 'c' && w->t != GND_FLOAT16 && w->t != GND_BFLOAT16 && w->n <= MOST_SUMMED &&
               w->m <= MOST_SUMMED - w->n;
    case GND__NATIVE_SET: return set_cost(w) <= SET_COST;
    default: return 0;
    }
}

int gnd__native_run(const gnd__native *w, const char *const in[GND__NATIVE_INS], char *out)
{
    switch (w->what) {
    case GND__NATIVE_MASK: gnd__native_mask(in[0], w->n, out); return 1;
    case GND__NATIVE_SELECT: select_of(w)(in[0], in[1], w->n, out); return 1;
    case GND__NATIVE_SORT:
        return gnd__native_sort(w->t, in[0], out, w->m, w->n, w->inner, w->keep, w->op,
                                w->descending);
    case GND__NATIVE_RANKS: return gnd__native_ranks(w, in[0], (const void *)in[1], out);
    case GND__NATIVE_PARTITION: gnd__native_partition(w, in[0], in[1], out); return 1;
    case GND__NATIVE_SCAN:
        gnd__native_scan_of(w->op, w->t, w->inner > 1)(in[0], out, w->m, w->n, w->inner);
        return 1;
    case GND__NATIVE_COPY: gnd__native_copy(w, in[0], out); return 1;
    case GND__NATIVE_WIDEN: gnd__native_widen(w, in[0], out); return 1;
    case GND__NATIVE_LAST: gnd__native_last(w, (const void *)in[0], out); return 1;
    case GND__NATIVE_TALLY: gnd__native_tally(w, in[0], (void *)out); return 1;
    case GND__NATIVE_SUMS: return gnd__native_sums(w, (const void *)in[0], in[1], in[2], out);
    case GND__NATIVE_SET: gnd__native_set(w, (const void *)in[0], in[1], in[2], out); return 1;
    default: return 1;
    }
}
