/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/png.h - 8-bit PNG pictures from host memory, written with libpng. The file appears whole or
 * not at all.
 */
#ifndef GND_IO_PNG_H
#define GND_IO_PNG_H

#include <gnd/backend.h>

/* Writes height rows of width pixels of 1 (gray), 2 (gray, alpha), 3 (RGB) or 4 (RGBA) bytes, top
 * row first, without gaps. Errors: GND_ERR_SHAPE for other channels and for sizes that are 0 or
 * above 2^31 - 1, GND_ERR_IO, GND_ERR_NOMEM. */
gnd_status gnd__png_save(const char *path, int64_t width, int64_t height, int channels,
                         const uint8_t *data, gnd_err *e);

#endif
