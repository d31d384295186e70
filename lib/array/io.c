/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/io.c - arrays from and to files: reads a file into host memory and uploads it; or
 * evaluates, reads back and writes. The formats are in lib/io.
 */
#include <stdio.h>
#include <string.h>
#include "device/device.h"
#include "graph/graph.h"
#include "array/host.h"
#include "array/steps.h"
#include "base/mem.h"
#include "graph/check.h"
#include "io/format.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/png.h"
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/io.h>

/* --- reading ---------------------------------------------------------------------------------- */

/* Uploads what was read and frees the host copy. */
static gnd_array *uploaded(const char *func, gnd_device *dev, gnd__npy *a)
{
    gnd_array *x = gnd__check_type(func, dev, a->dtype);
    if (!x)
        x = gnd_from(dev, a->dtype, a->ndim, a->shape, a->data);
    gnd__npy_free(a);
    return gnd__named(func, x);
}

/* Makes an array from a file that holds one; `load` reads it. */
static gnd_array *load_one(const char *func, gnd_device *dev, const char *path,
                           gnd_status (*load)(const char *, gnd__npy *, gnd_err *))
{
    gnd_err e = {.code = GND_OK};
    gnd__npy a;
    gnd_array *bad = gnd__check_device(func, dev);
    if (bad)
        return bad;
    if (!path)
        return gnd__fail(dev, GND_ERR_NULL, "%s: the path is NULL", func);
    if (load(path, &a, &e))
        return gnd__error_node(dev, &e);
    return uploaded(func, dev, &a);
}

gnd_array *gnd_load_npy(gnd_device *dev, const char *path)
{
    return load_one("load_npy", dev, path, gnd__npy_load);
}

gnd_array *gnd_load_npz(gnd_device *dev, const char *path, const char *name)
{
    gnd_err e = {.code = GND_OK};
    gnd__npz *z;
    gnd__npy a;
    gnd_array *bad = gnd__check_device("load_npz", dev);
    if (bad)
        return bad;
    if (!path || !name)
        return gnd__fail(dev, GND_ERR_NULL, "load_npz: the %s is NULL", path ? "name" : "path");
    if (gnd__npz_open(path, &z, &e))
        return gnd__error_node(dev, &e);
    gnd_status st = gnd__npz_read(z, name, &a, &e);
    gnd__npz_close(z);
    return st ? gnd__error_node(dev, &e) : uploaded("load_npz", dev, &a);
}

gnd_array *gnd_load_png(gnd_device *dev, const char *path)
{
    return load_one("load_png", dev, path, gnd__png_load);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* GND_OK, or the error of x. */
static gnd_status usable(const char *func, const gnd_array *x)
{
    gnd_array *bad = gnd__check(x, func, "x");
    gnd_status st = bad ? gnd__told(bad) : GND_OK;
    if (bad)
        gnd_release(bad);
    return st;
}

gnd_status gnd_save_npy(gnd_array *x, const char *path)
{
    gnd_err e = {.code = GND_OK};
    void *data;
    gnd_status st = usable("save_npy", x);
    if (!st && !path)
        st = gnd__refuse(GND_ERR_NULL, "save_npy: the path is NULL");
    if (!st)
        st = gnd__host_copy("save_npy", x, &data);
    if (st)
        return st;
    if (gnd__npy_save(path, (gnd_dtype)x->dtype, x->ndim, x->dim, data, &e))
        st = gnd__only_status("save_npy", &e);
    gnd__free(data);
    return st;
}

gnd_status gnd_save_npz(const char *path, int n, const char *const *names, gnd_array *const *x)
{
    if (!path || (n > 0 && (!names || !x)))
        return gnd__refuse(GND_ERR_NULL, "save_npz: %s NULL",
                           !path    ? "the path is"
                           : !names ? "names is"
                                    : "x is");
    if (n < 0)
        return gnd__refuse(GND_ERR_ARG, "save_npz: %d arrays", n);
    gnd_status st = GND_OK;
    for (int i = 0; i < n && !st; i++)
        st = names[i] ? usable("save_npz", x[i])
                      : gnd__refuse(GND_ERR_NULL, "save_npz: name %d is NULL", i);
    if (st)
        return st;
    gnd__npz_item *item = gnd__calloc(n ? (size_t)n : 1, sizeof *item);
    if (!item)
        return gnd__refuse(GND_ERR_NOMEM, "save_npz: out of host memory");
    for (int i = 0; i < n && !st; i++) {
        void *data;
        st = gnd__host_copy("save_npz", x[i], &data);
        if (!st)
            item[i] =
                (gnd__npz_item){names[i], (gnd_dtype)x[i]->dtype, x[i]->ndim, x[i]->dim, data};
    }
    gnd_err e = {.code = GND_OK};
    if (!st && gnd__npz_save(path, n, item, 0, &e))
        st = gnd__only_status("save_npz", &e);
    for (int i = 0; i < n; i++)
        gnd__free((void *)(uintptr_t)item[i].data);
    gnd__free(item);
    return st;
}

/* Converts to bytes 0 to 255 for an image; or an error. */
static gnd_array *as_bytes(gnd_array *x)
{
    gnd_dtype t = (gnd_dtype)x->dtype;
    if (t == GND_UINT8)
        return x;
    if (t == GND_BOOL)
        return gnd_multiply(gnd_astype(x, GND_UINT8), gnd_int(255));
    if (gnd_dtype_kind(t) != 'f')
        return gnd__fail(x->dev, GND_ERR_DTYPE, "save_png: %s: take uint8, bool or a float",
                         gnd_dtype_name(t));
    gnd_array *f = gnd__as(x, t == GND_FLOAT64 ? t : GND_FLOAT32), *zero = gnd_real(0);
    gnd_array *some = gnd_where(gnd_isnan(f), zero, f);
    gnd_array *scaled = gnd_multiply(gnd_clip(some, zero, gnd_real(1)), gnd_real(255));
    return gnd_astype(gnd_round(scaled), GND_UINT8);
}

gnd_status gnd_save_png(gnd_array *x, const char *path)
{
    gnd_err e = {.code = GND_OK};
    gnd_array *bad = gnd__check_strong(x, "save_png", "x");
    if (bad || !path) {
        gnd_status st =
            bad ? gnd__told(bad) : gnd__refuse(GND_ERR_NULL, "save_png: the path is NULL");
        if (bad)
            gnd_release(bad);
        return st;
    }
    int channels = x->ndim == 2 ? 1 : x->ndim == 3 && x->dim[2] < 5 ? (int)x->dim[2] : 0;
    if (channels < 1 || (x->ndim == 3 && channels < 2)) {
        char text[GND__SHAPE_TEXT];
        gnd__err(&e, GND_ERR_SHAPE, "shape %s: (h, w), (h, w, 2), (h, w, 3) or (h, w, 4) is needed",
                 gnd__shape_text(text, x->ndim, x->dim));
        return gnd__only_status("save_png", &e);
    }
    const gnd__inner in = gnd__enter("save_png");
    gnd_array *bytes = as_bytes(x);
    void *data;
    gnd_status st = gnd_status_of(bytes);
    if (!st)
        st = gnd__host_copy("save_png", bytes, &data);
    else
        gnd__only_status("save_png", bytes->p.err);
    gnd__leave_all(in, 0, NULL);
    if (st)
        return st;
    if (gnd__png_save(path, x->dim[1], x->dim[0], channels, data, &e))
        st = gnd__only_status("save_png", &e);
    gnd__free(data);
    return st;
}

gnd_status gnd_format_usable(const char *format)
{
    gnd_err e = {GND_OK, 0, ""};
    if (!format)
        return gnd__refuse(GND_ERR_NULL, "format_usable: format is NULL");
    const int zip = !strcmp(format, "npz");
    if (!zip && strcmp(format, "png"))
        return gnd__refuse(GND_ERR_NAME, "format_usable: no format '%.40s': npz or png", format);
    return gnd__format(zip ? "zip" : "png", &e) ? GND_OK : gnd__only_status("format_usable", &e);
}
