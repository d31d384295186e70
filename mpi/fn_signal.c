/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_signal.c - convolutions and correlations of a distributed vector with a shorter one, which
 * every rank gets in full. Each rank computes its part of the result from its part of the long
 * vector and a border of its neighbours' elements. If the long vector is not much longer than the
 * other one, every rank computes everything.
 */
#include "shuffle.h"

#include <string.h>

/* The partition of the elements first .. first + count of the full convolution: cut like x, except
 * that the first and the last part include what lies outside x. */
static gndm_part *part_after(gndm_ctx *c, const gndm_part *p, int64_t first, int64_t count)
{
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (!cut)
        return gndm__part_lost(c);
    for (int r = 0; r <= c->size; r++) {
        const int64_t at = p->cut[0][r] - first;
        cut[r] = at < 0 ? 0 : at > count ? count : at;
    }
    cut[0] = 0;
    cut[c->size] = count;
    gndm_part *y = gndm__part_new(c, 1, &count);
    gndm__part_split(c, y, 0, c->size, 1, cut);
    free(cut);
    return y;
}

/* The elements of x that a rank needs for its part of the result: they begin m - 1 elements before
 * the part. */
static void needed(const gndm_part *after, int rank, int64_t first, int64_t n, int64_t m,
                   gndm__box *b)
{
    gndm__part_box(after, rank, b);
    const int64_t start = b->start[0] + first - m + 1, stop = b->stop[0] + first;
    if (b->start[0] >= b->stop[0]) {
        memset(b, 0, sizeof *b);
        return;
    }
    b->start[0] = start < 0 ? 0 : start;
    b->stop[0] = stop > n ? n : stop;
}

gnd_status gndm__fn_convolve(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "a"), *k = gndm__arg_array(a, "v");
    const int flip = !strcmp(a->name, "correlate");
    gnd_value v;
    gnd_status st = gndm__try(a, &v);
    if (st)
        return st;
    if (!x || !k || v.tag != GND_V_ARRAY || !gndm__part_split_anywhere(x->part) ||
        gndm_elements(x) < 2 * c->size * gndm_elements(k))
        return gndm__fn_gathered(a);
    const gnd_value *mode = gndm__arg(a, "mode"), *way = gndm__arg(a, "method");
    const char how = mode && mode->tag == GND_V_STRING ? mode->as.text.s[0] : flip ? 'v' : 'f';
    const char by = way && way->tag == GND_V_STRING ? way->as.text.s[0] : 'a';
    x = gndm__vector(c, x);
    gndm_part *all = gndm__part_new(c, 1, k->part->shape);
    k = gndm__moved(c, k, all);
    gndm_part_free(all);
    if (x->status || k->status)
        return gndm__check(c, x->status ? x : k);
    const int64_t n = x->part->shape[0], m = k->part->shape[0];
    const int64_t first = how == 'f' ? 0 : how == 's' ? (m - 1) / 2 : m - 1;
    const gnd_dtype t = gnd_dtype_of(v.as.array);
    gndm_part *after = part_after(c, x->part, first, gnd_dim(v.as.array, 0));
    gndm__box *want = calloc((size_t)c->size, sizeof *want), mine;
    gnd_array *box = NULL;
    if (!want || after->status) {
        st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    } else {
        for (int r = 0; r < c->size; r++)
            needed(after, r, first, n, m, &want[r]);
        st = gndm__fetch(c, x, want, &box);
    }
    if (!st) {
        gnd_array *kernel = k->local, *y;
        gndm__part_box(after, c->rank, &mine);
        const int64_t own = mine.stop[0] - mine.start[0];
        const int64_t at = mine.start[0] + first - want[c->rank].start[0];
        if (flip)
            kernel =
                gnd_flip(gnd_dtype_kind(k->dtype) == 'c' ? gnd_conj(kernel) : kernel, GND_AXIS(0));
        y = own ? gnd_convolve(box, kernel, GND_CONV_FULL,
                               by == 'd'   ? GND_CONV_DIRECT
                               : by == 'f' ? GND_CONV_FFT
                               : by == 'b' ? GND_CONV_BLOCKS
                                           : GND_CONV_AUTO)
                : gnd_zeros(c->dev, t, 1, &own);
        if (own)
            y = gnd_slice(y, 0, at, at + own);
        st = gndm__ret_array(a, gndm__array(c, t, after, y));
    }
    free(want);
    gndm_part_free(after);
    return st;
}
