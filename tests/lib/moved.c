/* SPDX-License-Identifier: BSD-3-Clause
 *
 * moved.c - see moved.h.
 */
#include "moved.h"

#include <inttypes.h>
#include <string.h>
#include "tap.h"

gnd_device *mv_dev;
ref_arr mv_h[8];
int64_t mv_par[64];

void mv_follows(gnd_array *y, gnd_dtype t, int ndim, const int64_t *dim, mv_rule *from,
                const char *name)
{
    static const unsigned char zero[16];
    char why[300];
    ref_arr got;
    int64_t bad = -1;
    int ok = ref_read(y, t, ndim, dim, &got, why, sizeof why);
    for (int64_t i = 0; ok && bad < 0 && i < ref_size(&got); i++) {
        int64_t at[GND_MAX_NDIM];
        ref_unravel(ndim, dim, i, at);
        const void *want = from(at);
        if (memcmp(ref_at(&got, at), want ? want : zero, gnd_dtype_size(t)) != 0)
            bad = i;
    }
    if (!tap_ok(ok && bad < 0, "%s, %s", name, gnd_dtype_name(t)))
        tap_diag("%s: element %" PRId64, ok ? "another value" : why, bad);
    if (ok)
        ref_free(&got);
    gnd_release(y);
}

gnd_array *mv_make(int k, gnd_dtype t, int ndim, const int64_t *dim)
{
    return ref_make(mv_dev, t, ndim, dim, (ref_layout)(ref_rnd() % REF_NLAYOUTS), REF_REAL,
                    &mv_h[k]);
}

gnd_dtype mv_dtype(void)
{
    static int turn;
    gnd_dtype t;
    do
        t = (gnd_dtype)(turn++ % GND_NDTYPES);
    while (ref_lacks(mv_dev, t));
    return t;
}

void mv_done(int n, gnd_array **x)
{
    for (int i = 0; i < n; i++) {
        gnd_release(x[i]);
        ref_free(&mv_h[i]);
    }
}

void mv_shape(int ndim, int64_t low, int64_t high, int64_t *dim)
{
    for (int d = 0; d < ndim; d++)
        dim[d] = ref_range(low, high);
}

const void *mv_same(const int64_t *at)
{
    int64_t n = 0, i[GND_MAX_NDIM];
    for (int d = 0; d < mv_par[0]; d++)
        n = n * mv_par[1 + d] + at[d];
    ref_unravel(mv_h[0].ndim, mv_h[0].dim, n, i);
    return ref_at(&mv_h[0], i);
}

void mv_run(gnd_device *d, const char *spec, int n, void (*const *test)(void))
{
    mv_dev = d;
    tap_diag("%s", spec);
    ref_seed(7);
    ref_run(d, (size_t)n, test);
}
