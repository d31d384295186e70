/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/bits.c - elementwise functions of the representation of numbers: gnd_bitwise_count and
 * gnd_spacing. They are composed of operations of the table, which fuse.
 */
#include <math.h>
#include "array/steps.h"
#include "graph/check.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/special.h>

gnd_array *gnd_bitwise_count(gnd_array *x)
{
    static const gnd_dtype of_size[] = {GND_UINT8, GND_UINT8, GND_UINT16, GND_UINT16, GND_UINT32};
    gnd_array *bad = gnd__check_strong(x, "bitwise_count", "x");
    const int kind = bad ? 0 : gnd_dtype_kind(gnd_dtype_of(x));
    if (bad)
        return bad;
    if (kind != 'b' && kind != 'i' && kind != 'u')
        return gnd__fail(x->dev, GND_ERR_DTYPE,
                         "bitwise_count: %s is not allowed: ints and bools have bits",
                         gnd_dtype_name(gnd_dtype_of(x)));
    const size_t bytes = gnd_dtype_size(gnd_dtype_of(x));
    const gnd_dtype t = bytes == 8 ? GND_UINT64 : of_size[bytes];
    const uint64_t all = UINT64_MAX >> (64 - 8 * bytes);
    const gnd__inner in = gnd__enter("bitwise_count");
    /* Counts of 2, 4 and 8 bits in parallel; a product sums them in its highest byte. */
    gnd_array *v = gnd_astype(kind == 'i' ? gnd_abs(x) : x, t);
    gnd_array *two = gnd_uint(all & 0x3333333333333333u);
    v = gnd_subtract(v, gnd_bitwise_and(gnd_bitwise_right_shift(v, gnd_int(1)),
                                        gnd_uint(all & 0x5555555555555555u)));
    v = gnd_add(gnd_bitwise_and(v, two),
                gnd_bitwise_and(gnd_bitwise_right_shift(v, gnd_int(2)), two));
    v = gnd_bitwise_and(gnd_add(v, gnd_bitwise_right_shift(v, gnd_int(4))),
                        gnd_uint(all & 0x0f0f0f0f0f0f0f0fu));
    if (bytes > 1)
        v = gnd_bitwise_right_shift(gnd_multiply(v, gnd_uint(all & 0x0101010101010101u)),
                                    gnd_int((int64_t)(8 * bytes - 8)));
    return gnd__leave(in, gnd_astype(v, GND_UINT8));
}

gnd_array *gnd_spacing(gnd_array *x)
{
    gnd_array *bad = gnd__check_strong(x, "spacing", "x");
    if (bad)
        return bad;
    if (gnd_dtype_kind(gnd_dtype_of(x)) == 'c')
        return gnd__fail(x->dev, GND_ERR_DTYPE, "spacing: %s is not allowed: take its parts",
                         gnd_dtype_name(gnd_dtype_of(x)));
    const gnd__inner in = gnd__enter("spacing");
    if (gnd_dtype_kind(gnd_dtype_of(x)) != 'f')
        x = gnd_nextafter(x, x); /* as a float; infinity alone would make it the default float */
    /* -0 + 0 is 0 */
    gnd_array *far = gnd_copysign(gnd_real(INFINITY), gnd_add(x, gnd_int(0)));
    return gnd__leave(in, gnd_subtract(gnd_nextafter(x, far), x));
}
