/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/npz.h - NumPy's .npz archives: a zip file whose members are .npy files. The container is
 * libzip's work; the members are read and written by io/npy.h.
 */
#ifndef GND_IO_NPZ_H
#define GND_IO_NPZ_H

#include "io/npy.h"

typedef struct gnd__npz gnd__npz;

/* Opens for reading. GND_ERR_IO when the file cannot be read, GND_ERR_FORMAT when it is no zip. */
gnd_status gnd__npz_open(const char *path, gnd__npz **z, gnd_err *e);
/* z may be NULL. */
void gnd__npz_close(gnd__npz *z);
/* The member of that name (with or without ".npy"); GND_ERR_NAME when there is none. Its CRC must
 * be right, and nothing may come after the array. */
gnd_status gnd__npz_read(gnd__npz *z, const char *name, gnd__npy *out, gnd_err *e);

typedef struct gnd__npz_item {
    const char *name; /* without ".npy" */
    gnd_dtype dtype;
    int ndim;
    const int64_t *shape;
    const void *data; /* C-contiguous */
} gnd__npz_item;

/* Writes n arrays, deflated when compress is set. The file appears whole or not at all, and is the
 * same for the same arrays. GND_ERR_NAME when two have one name. */
gnd_status gnd__npz_save(const char *path, int n, const gnd__npz_item *items, int compress,
                         gnd_err *e);

#endif
