/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nativemem.c - see nativemem.h.
 */
#include "nativemem.h"

#include "tap.h"

void native_count(void *ctx)
{
    ++*(int *)ctx;
}

const int64_t native_dims[2] = {4, 6};

gnd_array *native_plus(gnd_array *x, int v)
{
    gnd_array *n = gnd_int(v), *y = gnd_add(x, n);
    gnd_release(n);
    return y;
}

gnd_native_array native_host(gnd_dtype t, void *p)
{
    gnd_native_array m;
    tap_is_int(gnd_native_fill(&m, t, 2, native_dims), GND_OK, "gnd_native_fill: %s",
               gnd_dtype_name(t));
    m.kind = GND_NATIVE_HOST;
    m.address = (uint64_t)(uintptr_t)p;
    return m;
}

int native_in_host(gnd_device *dev)
{
    float f[4] = {0};
    int64_t n = 4;
    gnd_native_array m;
    gnd_native_fill(&m, GND_FLOAT32, 1, &n);
    m.kind = GND_NATIVE_HOST;
    m.address = (uint64_t)(uintptr_t)f;
    gnd_array *x = gnd_from_native(dev, &m, NULL, NULL);
    const gnd_status st = gnd_status_of(x);
    if (st != GND_OK)
        tap_diag("%s", gnd_error(x));
    gnd_release(x);
    return st == GND_OK;
}
