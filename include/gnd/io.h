/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/io.h - files: NumPy's .npy and .npz, PNG. A file that could not be written whole is not
 * there: writing goes to a temporary name, FILE.HOST-N.tmp, which is then renamed; what a writer
 * that was killed left there the next one on that machine removes. A file that is saved over keeps
 * its mode and owner, and a symbolic link is followed. One with other names (hard links), or with
 * an owner that this user cannot give, is written over in place at the end, so that it keeps these
 * too; then a reader may see a part of it meanwhile.
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
/* Writes x, evaluated, to a .npy file, in C order. The file is complete or, on failure, as it
 * was. Errors: GND_ERR_NULL, GND_ERR_IO, GND_ERR_NOMEM, x's own and those of its evaluation. */
GND_API gnd_status gnd_save_npy(gnd_array *x, const char *path);
/* One array of a .npz file, by name (without ".npy"). GND_ERR_NAME when it has no such array;
 * GND_ERR_UNSUPPORTED when gnd was built without libzip. */
GND_API gnd_array *gnd_load_npz(gnd_device *dev, const char *path, const char *name);
/* n arrays under their names. GND_ERR_UNSUPPORTED as for gnd_load_npz. */
GND_API gnd_status gnd_save_npz(const char *path, int n, const char *const *names,
                                gnd_array *const *x);
/* A PNG picture: uint8 of shape (h, w) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB or (h, w, 4)
 * RGBA; uint16 for files of 16 bits a channel. Palettes and gray of 1, 2 and 4 bits are expanded to
 * 8 (white is 255), a transparent colour becomes alpha. The values are the file's: nothing is
 * corrected for gamma. Errors: GND_ERR_IO; GND_ERR_FORMAT: no picture, or a damaged one;
 * GND_ERR_UNSUPPORTED: gnd was built without libpng; GND_ERR_NOMEM, the device's. */
GND_API gnd_array *gnd_load_png(gnd_device *dev, const char *path);
/* An 8-bit picture from (h, w) gray, (h, w, 2) gray and alpha, (h, w, 3) RGB or (h, w, 4) RGBA:
 * uint8 as it is, bool as 0 and 255, floats from [0, 1] scaled by 255, rounded and clipped, NaN
 * as 0. GND_ERR_UNSUPPORTED when gnd was built without libpng. */
GND_API gnd_status gnd_save_png(gnd_array *x, const char *path);

#ifdef __cplusplus
}
#endif
#endif
