/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/io.h - files: NumPy's .npy and .npz, PNG. A file that could not be written whole is not
 * there: writing goes to a temporary name, which is then renamed.
 */
#ifndef GND_IO_H
#define GND_IO_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The array of a .npy file (versions 1.0 to 3.0, both byte orders, both index orders). bfloat16 is
 * read from, and written as, '<V2' as the ml_dtypes package does. Object arrays (pickles) are
 * refused. Errors: GND_ERR_IO, GND_ERR_FORMAT, GND_ERR_DTYPE, GND_ERR_NOMEM, the device's. */
GND_API gnd_array *gnd_load_npy(gnd_device *dev, const char *path);
GND_API gnd_status gnd_save_npy(gnd_array *x, const char *path);
/* One array of a .npz file, by name (without ".npy"). GND_ERR_NAME when it has no such array. */
GND_API gnd_array *gnd_load_npz(gnd_device *dev, const char *path, const char *name);
/* n arrays under their names. */
GND_API gnd_status gnd_save_npz(const char *path, int n, const char *const *names, gnd_array *const *x);
/* An 8-bit picture from (h, w) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB or (h, w, 4) RGBA:
 * uint8 as it is, bool as 0 and 255, floats from [0, 1] scaled by 255, rounded and clipped, NaN
 * as 0. */
GND_API gnd_status gnd_save_png(gnd_array *x, const char *path);

#ifdef __cplusplus
}
#endif
#endif
