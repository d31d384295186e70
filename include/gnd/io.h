/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/io.h - files: NumPy's .npy and .npz, PNG. A file is written under a temporary name,
 * FILE.HOST-N.tmp, and then renamed, so an incomplete file never appears. Temporary files of a
 * writer that was killed are removed by the next writer on the same machine. Overwriting keeps the
 * mode and owner of a file and follows symbolic links. A file with other names (hard links), or
 * with an owner that this user cannot set, is overwritten in place at the end to keep them; a
 * reader may then see a part of it.
 */
#ifndef GND_IO_H
#define GND_IO_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Loads a .npy file (versions 1.0 to 3.0, both byte orders, C and Fortran order). bfloat16 is read
 * and written as '<V2', as by the ml_dtypes package. Object arrays (pickles) are rejected. Errors:
 * GND_ERR_IO, GND_ERR_FORMAT, GND_ERR_DTYPE, GND_ERR_NOMEM, the errors of the device. */
GND_API gnd_array *gnd_load_npy(gnd_device *dev, const char *path);
/* Evaluates x and writes it to a .npy file in C order. On failure an existing file does not change.
 * Errors: GND_ERR_NULL, GND_ERR_IO, GND_ERR_NOMEM, the errors of x and of its evaluation. */
GND_API gnd_status gnd_save_npy(gnd_array *x, const char *path);
/* Loads one array of a .npz file by name, without ".npy". GND_ERR_NAME: no such array;
 * GND_ERR_UNSUPPORTED: gnd was built without libzip. */
GND_API gnd_array *gnd_load_npz(gnd_device *dev, const char *path, const char *name);
/* Writes n arrays with their names to a .npz file. GND_ERR_UNSUPPORTED as for gnd_load_npz. */
GND_API gnd_status gnd_save_npz(const char *path, int n, const char *const *names,
                                gnd_array *const *x);
/* Loads a PNG picture as uint8 of shape (h, w) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB or (h,
 * w, 4) RGBA; uint16 if the file has 16 bits per channel. Palettes and gray of 1, 2 and 4 bits are
 * expanded to 8 bits (white is 255), and a transparent color becomes alpha. No gamma correction is
 * applied. GND_ERR_IO; GND_ERR_FORMAT: not a PNG file, or a damaged one; GND_ERR_UNSUPPORTED: gnd
 * was built without libpng; GND_ERR_NOMEM; the errors of the device. */
GND_API gnd_array *gnd_load_png(gnd_device *dev, const char *path);
/* Writes an 8-bit picture from shape (h, w) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB or (h, w,
 * 4) RGBA. uint8 is written unchanged, bool as 0 and 255. Floats from [0, 1] are scaled by 255,
 * rounded and clipped; NaN is 0. GND_ERR_UNSUPPORTED: gnd was built without libpng. */
GND_API gnd_status gnd_save_png(gnd_array *x, const char *path);

#ifdef __cplusplus
}
#endif
#endif
