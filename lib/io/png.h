/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/png.h - PNG images from and to host memory, with libpng. Written files have 8 bits per channel
 * and appear complete or not at all.
 */
#ifndef GND_IO_PNG_H
#define GND_IO_PNG_H

#include "io/npy.h"

/* Writes height rows of width pixels of 1 (gray), 2 (gray, alpha), 3 (RGB) or 4 (RGBA) bytes, top
 * row first, without gaps. Errors: GND_ERR_SHAPE for other channels and for sizes that are 0 or
 * above 2^31 - 1, GND_ERR_IO, GND_ERR_NOMEM. */
gnd_status gnd__png_save(const char *path, int64_t width, int64_t height, int channels,
                         const uint8_t *data, gnd_err *e);

/* Reads an image as uint8, or as uint16 if it has 16 bits per channel: (h, w) gray, (h, w, 2) gray
 * and alpha, (h, w, 3) RGB, (h, w, 4) RGBA. Palettes, 1, 2 and 4 bits, interlacing and transparent
 * colours are expanded. Values are those of the file, without gamma correction. Free with
 * gnd__npy_free. Errors: GND_ERR_UNSUPPORTED without libgnd-png.so, GND_ERR_IO, GND_ERR_FORMAT,
 * GND_ERR_NOMEM; *out is then zeroed. */
gnd_status gnd__png_load(const char *path, gnd__npy *out, gnd_err *e);

#endif
