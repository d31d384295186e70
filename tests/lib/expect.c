/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expect.c - see expect.h.
 */
#include "expect.h"

#include <string.h>
#include "tap.h"

void expect_error(const char *what, gnd_array *x, gnd_status code, const char *text)
{
    const gnd_status st = gnd_status_of(x);
    if (!tap_ok(x && st == code && strstr(gnd_error(x), text), "%s", what))
        tap_diag("%s \"%s\", want %s with \"%s\"", gnd_status_name(st), gnd_error(x),
                 gnd_status_name(code), text);
    else if (gnd_ndim(x) || gnd_size(x) || !gnd_shape(x) || gnd_device_of(x) || gnd_nbytes(x) ||
             gnd_is_weak(x) || gnd_dtype_of(x) != GND_DTYPE_DEFAULT)
        tap_fail("%s: an error array is of no dtype, shape and device", what);
}

void expect_message(gnd_array *x, gnd_status code, const char *message)
{
    const gnd_status st = gnd_status_of(x);
    if (!tap_ok(st == code && !strcmp(gnd_error(x), message), "%s: %s", gnd_status_name(code),
                message))
        tap_diag("%s: %s", gnd_status_name(st), gnd_error(x));
}

void expect_array(gnd_array *x, gnd_dtype t, int ndim, const int64_t *dim, const char *what)
{
    int same = gnd_status_of(x) == GND_OK && gnd_dtype_of(x) == t && gnd_ndim(x) == ndim;
    for (int d = 0; d < ndim && same; d++)
        same = gnd_dim(x, d) == dim[d];
    if (!tap_ok(same, "%s", what))
        tap_diag("%s, %d dimensions: %s", gnd_dtype_name(gnd_dtype_of(x)), gnd_ndim(x),
                 gnd_error(x));
}

void expect_values(gnd_device *dev, const char *where, int n, const expect_value *v)
{
    for (int i = 0; i < n; i++) {
        gnd_array *y = gnd_eval(dev, v[i].text, NULL);
        if (!tap_is_f64(gnd_item_f64(y, NULL), v[i].want, "%s: %s", where, v[i].text))
            tap_diag("%s", gnd_error(y));
        gnd_release(y);
    }
}
