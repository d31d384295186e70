/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/scatter.c - positions by index. The greatest position wins whatever the order of the
 * work-items, so the result does not depend on the device.
 */
#include "prim/scatter.h"

#include <string.h>
#include "prim/prim.h"

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
