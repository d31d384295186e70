/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_message.c - gnd_message after every public function that fails and returns a status: the
 * text of that failure, which names the function, and never the text of an earlier one. On the null
 * device.
 */
#include <string.h>

#include <gnd.h>
#include "tap.h"

static gnd_array *a34;

/* What an earlier failure left behind. */
static void before(void)
{
    char c;
    gnd_read(a34, &c, 1);
}

static void said(const char *call, gnd_status st, gnd_status code, const char *text)
{
    tap_ok(st == code && strstr(gnd_message(), text) == gnd_message(), "%s", call);
    if (st != code || strstr(gnd_message(), text) != gnd_message())
        tap_diag("%s \"%s\", want %s with \"%s\"", gnd_status_name(st), gnd_message(),
                 gnd_status_name(code), text);
}

#define SAYS(call, code, text) (before(), said(#call, call, code, text))

static void devices(gnd_device *dev)
{
    gnd_device_info info;
    gnd_stats stats;
    gnd_tune_info tune;
    gnd_default_set set;
    char path[4096];
    SAYS(gnd_device_list(-1, &info), GND_ERR_INDEX, "device_list: entry -1 of ");
    SAYS(gnd_device_list(0, NULL), GND_ERR_NULL, "device_list: info is NULL");
    SAYS(gnd_device_describe(dev, NULL), GND_ERR_NULL, "device_describe: info is NULL");
    SAYS(gnd_device_describe(NULL, &info), GND_ERR_NULL, "device_describe: the device is NULL");
    SAYS(gnd_device_stats(dev, NULL), GND_ERR_NULL, "device_stats: out is NULL");
    SAYS(gnd_device_stats(NULL, &stats), GND_ERR_NULL, "device_stats: the device is NULL");
    SAYS(gnd_device_reset_peak(NULL), GND_ERR_NULL, "device_reset_peak: the device is NULL");
    SAYS(gnd_device_trim(NULL), GND_ERR_NULL, "device_trim: the device is NULL");
    SAYS(gnd_device_set_limit(NULL, 1), GND_ERR_NULL, "device_set_limit: the device is NULL");
    SAYS(gnd_sync(NULL), GND_ERR_NULL, "sync: the device is NULL");
    SAYS(gnd_default_dtypes("no:such", &set), GND_ERR_DEVICE, "default_dtypes: ");
    SAYS(gnd_tune_get(dev, 1000, &tune), GND_ERR_INDEX, "tune_get: parameter 1000 of ");
    SAYS(gnd_tune_get(dev, 0, NULL), GND_ERR_NULL, "tune_get: info is NULL");
    SAYS(gnd_tune_set(dev, "x", 1), GND_ERR_NAME, "tune_set: there is no parameter 'x'");
    SAYS(gnd_tune_set(NULL, "x", 1), GND_ERR_NULL, "tune_set: the device is NULL");
    SAYS(gnd_tune_reset(NULL), GND_ERR_NULL, "tune_reset: the device is NULL");
    SAYS(gnd_tune_save(NULL), GND_ERR_NULL, "tune_save: the device is NULL");
    SAYS(gnd_tune_forget(NULL), GND_ERR_NULL, "tune_forget: the device is NULL");
    SAYS(gnd_tune_file(dev, NULL, 0, NULL), GND_ERR_NULL, "tune_file: buf is NULL");
    SAYS(gnd_tune_file(NULL, path, sizeof path, NULL), GND_ERR_NULL,
         "tune_file: the device is NULL");
}

static void arrays(gnd_device *dev)
{
    gnd_array *o[40], *none = NULL, *v = gnd_empty(dev, GND_FLOAT32, 1, (int64_t[]){5}),
                      *broken = gnd_fail(GND_ERR_IO, "mine: of my own");
    gnd_float_info f;
    gnd_int_info i;
    gnd_rng g = gnd_rng_seed(1);
    char bytes[GND_RNG_BYTES] = {0};
    double range[2] = {1, 0};
    SAYS(gnd_wait(NULL), GND_ERR_NULL, "wait: the array is NULL");
    SAYS(gnd_eval_all(1, NULL), GND_ERR_NULL, "eval_all: x is NULL");
    SAYS(gnd_eval_all(1, &none), GND_ERR_NULL, "eval_all: the array is NULL");
    SAYS(gnd_read(NULL, bytes, 1), GND_ERR_NULL, "read: the array is NULL");
    SAYS(gnd_print(NULL, stdout), GND_ERR_NULL, "print: x is NULL");
    SAYS(gnd_print(a34, NULL), GND_ERR_NULL, "print: out is NULL");
    SAYS(gnd_finfo(GND_INT8, &f), GND_ERR_DTYPE, "finfo: ");
    SAYS(gnd_iinfo(GND_BOOL, &i), GND_ERR_DTYPE, "iinfo: ");
    SAYS(gnd_meshgrid(1, &v, 0, NULL), GND_ERR_NULL, "meshgrid: out is NULL");
    SAYS(gnd_meshgrid(2, NULL, 0, o), GND_ERR_NULL, "meshgrid: ");
    SAYS(gnd_broadcast_arrays(1, &v, NULL), GND_ERR_NULL, "broadcast_arrays: out is NULL");
    SAYS(gnd_broadcast_arrays(2, (gnd_array *[]){a34, v}, o), GND_ERR_SHAPE, "broadcast_arrays: ");
    SAYS(gnd_broadcast_shapes(1, NULL, NULL, NULL, NULL), GND_ERR_NULL, "broadcast_shapes: ");
    SAYS(gnd_unstack(a34, 7, o), GND_ERR_AXIS, "unstack: axis 7 ");
    SAYS(gnd_split(a34, 5, 0, o), GND_ERR_SHAPE, "split: axis 0 ");
    SAYS(gnd_array_split(a34, 0, 0, o), GND_ERR_ARG, "array_split: 0 parts");
    SAYS(gnd_split_at(a34, 1, NULL, 0, o), GND_ERR_NULL, "split_at: ");
    SAYS(gnd_hsplit(a34, 3, o), GND_ERR_SHAPE, "hsplit: ");
    SAYS(gnd_vsplit(v, 1, o), GND_ERR_SHAPE, "vsplit: ");
    SAYS(gnd_dsplit(v, 1, o), GND_ERR_SHAPE, "dsplit: ");
    SAYS(gnd_tril_indices(dev, -1, 0, 0, o), GND_ERR_SHAPE, "tril_indices: ");
    SAYS(gnd_triu_indices_from(v, 0, o), GND_ERR_SHAPE, "triu_indices_from: ");
    SAYS(gnd_nonzero(NULL, o), GND_ERR_NULL, "nonzero: x is NULL");
    SAYS(gnd_topk(a34, 9, 0, 0, o), GND_ERR_ARG, "topk: k is 9");
    SAYS(gnd_topk(a34, 1, 0, 0, NULL), GND_ERR_NULL, "topk: out is NULL");
    SAYS(gnd_unique(NULL, 0, o), GND_ERR_NULL, "unique: x is NULL");
    SAYS(gnd_unique_along(a34, 3, 0, o), GND_ERR_AXIS, "unique_along: axis 3 ");
    SAYS(gnd_intersect1d_indices(a34, NULL, o), GND_ERR_NULL, "intersect1d_indices: ");
    SAYS(gnd_histogram(a34, 0, NULL, NULL, NULL, 0, o), GND_ERR_ARG, "histogram: ");
    SAYS(gnd_histogramdd(1, &v, (int64_t[]){3}, range, NULL, NULL, 0, o), GND_ERR_ARG,
         "histogramdd: ");
    SAYS(gnd_frexp(NULL, o, o + 1), GND_ERR_NULL, "frexp: x is NULL");
    SAYS(gnd_modf(v, o, NULL), GND_ERR_NULL, "modf: whole is NULL");
    SAYS(gnd_divmod(a34, v, o, o + 1), GND_ERR_SHAPE, "divmod: shapes (3, 4) and (5,)");
    SAYS(gnd_qr(v, 0, o, o + 1), GND_ERR_SHAPE, "qr: ");
    SAYS(gnd_qr_packed(v, o, o + 1), GND_ERR_SHAPE, "qr_packed: ");
    SAYS(gnd_lu(v, o, o + 1, o + 2), GND_ERR_SHAPE, "lu: ");
    SAYS(gnd_svd(v, 0, o, o + 1, o + 2), GND_ERR_SHAPE, "svd: ");
    SAYS(gnd_eigh(a34, 0, o, o + 1), GND_ERR_SHAPE, "eigh: ");
    SAYS(gnd_eig(a34, o, o + 1), GND_ERR_SHAPE, "eig: ");
    SAYS(gnd_slogdet(a34, o, o + 1), GND_ERR_SHAPE, "slogdet: ");
    SAYS(gnd_lstsq(a34, v, -1, o, o + 1, o + 2, o + 3), GND_ERR_SHAPE,
         "lstsq: shapes (3, 4) and (5,)");
    SAYS(gnd_svd(broken, 0, o, o + 1, o + 2), GND_ERR_IO, "mine: of my own");
    SAYS(gnd_rng_save(NULL, bytes), GND_ERR_NULL, "rng_save: g is NULL");
    SAYS(gnd_rng_restore(&g, bytes, sizeof bytes), GND_ERR_FORMAT, "rng_restore: ");
    SAYS(gnd_save_npy(a34, NULL), GND_ERR_NULL, "save_npy: the path is NULL");
    SAYS(gnd_save_npy(NULL, "x.npy"), GND_ERR_NULL, "save_npy: x is NULL");
    SAYS(gnd_save_npz(NULL, 0, NULL, NULL), GND_ERR_NULL, "save_npz: the path is NULL");
    SAYS(gnd_save_npz("x.npz", 1, (const char *[]){NULL}, &v), GND_ERR_NULL,
         "save_npz: name 0 is NULL");
    SAYS(gnd_save_png(a34, NULL), GND_ERR_NULL, "save_png: the path is NULL");
    SAYS(gnd_save_png(v, "x.png"), GND_ERR_SHAPE, "save_png: shape (5,)");
    SAYS(gnd_replay(NULL), GND_ERR_NULL, "replay: ");
    SAYS(gnd_recording_set(NULL, 0, v), GND_ERR_NULL, "recording_set: ");
    SAYS(gnd_recording_write(NULL, 0, bytes, 1), GND_ERR_NULL, "recording_write: ");
    SAYS(gnd_recording_feed(NULL, 0, 0), GND_ERR_NULL, "recording_feed: ");
    SAYS(gnd_recording_read(NULL, 0, bytes, 1), GND_ERR_NULL, "recording_read: ");
    SAYS(gnd_recording_wait(NULL), GND_ERR_NULL, "recording_wait: ");
}

int main(void)
{
    gnd_device *dev = gnd_open("null:0");
    gnd_scope_begin();
    a34 = gnd_empty(dev, GND_FLOAT32, 2, (int64_t[]){3, 4});
    devices(dev);
    arrays(dev);
    gnd_scope_end();
    a34 = gnd_empty(dev, GND_FLOAT32, 2, (int64_t[]){3, 4});
    SAYS(gnd_scope_end(), GND_ERR_STATE, "scope_end: there is no scope");
    gnd_release(a34);
    gnd_close(dev);
    return tap_done();
}
