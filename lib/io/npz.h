/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/npz.h - NumPy's .npz archives: zip files whose members are .npy files. libzip handles the
 * container, io/npy.h the members.
 */
#ifndef GND_IO_NPZ_H
#define GND_IO_NPZ_H

#include "io/npy.h"

typedef struct gnd__npz gnd__npz;

/* Opens for reading. GND_ERR_IO: the file cannot be read; GND_ERR_FORMAT: it is not a zip
 * archive. */
gnd_status gnd__npz_open(const char *path, gnd__npz **z, gnd_err *e);
/* z may be NULL. */
void gnd__npz_close(gnd__npz *z);
/* Reads the member of that name (with or without ".npy"); GND_ERR_NAME if there is none. Its CRC
 * must be correct, and nothing may follow the array. */
gnd_status gnd__npz_read(gnd__npz *z, const char *name, gnd__npy *out, gnd_err *e);

typedef struct gnd__npz_item {
    const char *name; /* without ".npy" */
    gnd_dtype dtype;
    int ndim;
    const int64_t *shape;
    const void *data; /* C-contiguous */
} gnd__npz_item;

/* Writes n arrays, deflated if compress is set. The file appears complete or not at all, and equal
 * arrays give equal files. GND_ERR_NAME: two arrays have the same name. */
gnd_status gnd__npz_save(const char *path, int n, const gnd__npz_item *items, int compress,
                         gnd_err *e);

#endif
