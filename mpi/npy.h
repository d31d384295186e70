/* SPDX-License-Identifier: BSD-3-Clause
 *
 * npy.h - the header of .npy files.
 */
#ifndef GNDM_NPY_H
#define GNDM_NPY_H

#include "ctx.h"

typedef struct gndm__npy {
    gnd_dtype dtype;
    int ndim, fortran, swapped;          /* Fortran order; the other byte order */
    int64_t shape[GND_MAX_NDIM], offset; /* offset: where the elements begin in the file */
} gndm__npy;

/* Room for any header that gndm__npy_write makes. */
enum { GNDM__NPY_BYTES = 1024 };
/* Writes the header to buf and returns its number of bytes. */
int gndm__npy_write(const gndm__npy *h, char *buf, size_t size);
/* Reads the header at the start of f. GND_ERR_FORMAT: it is malformed, or the file is too short for
 * its shape; GND_ERR_DTYPE: gnd has no such elements; GND_ERR_OVERFLOW. */
gnd_status gndm__npy_read(FILE *f, gndm__npy *h);

#endif
