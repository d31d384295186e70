/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/npy.h - NumPy's .npy files (NEP 1; format versions 1.0 to 3.0) to and from host memory. Reads
 * every gnd dtype in either byte order and either array order; gives native, C-contiguous data.
 * Memory for data that a header promises is allocated only as far as the file has been seen to hold
 * it.
 *
 * bfloat16: NumPy has no such type. The ml_dtypes package stores it as raw two-byte items, descr
 * '<V2', and so does gnd. Two-byte void items are therefore read as bfloat16.
 */
#ifndef GND_IO_NPY_H
#define GND_IO_NPY_H

#include "base/strbuf.h"

#include <gnd/backend.h>

/* An array on the host. data is C-contiguous and native; after success it is never NULL. */
typedef struct gnd__npy {
    gnd_dtype dtype;
    int ndim;
    int64_t shape[GND_MAX_NDIM];
    void *data;
    size_t nbytes;
} gnd__npy;

/* The contents of a header. */
typedef struct gnd__npy_head {
    gnd_dtype dtype;
    int ndim;
    int64_t shape[GND_MAX_NDIM];
    int fortran; /* the data are in Fortran order */
    int swap;    /* the data are not in this machine's byte order */
    size_t nbytes;
} gnd__npy_head;

/* A source of bytes. read returns fewer than n only at the end, and -1 on failure with e filled.
 * left is the number of bytes certainly available, or -1; memory is then allocated as data
 * arrive. */
typedef struct gnd__npy_source {
    int64_t (*read)(void *ctx, void *buf, size_t n, gnd_err *e);
    void *ctx;
    int64_t left;
} gnd__npy_source;

/* The longest header accepted, in bytes. Those of plain arrays have 128 to 800. */
#define GND__NPY_MAX_HEADER 65536

/* Reads one array and leaves bytes after it unread. Errors: GND_ERR_IO from the system;
 * GND_ERR_FORMAT a malformed or truncated file; GND_ERR_DTYPE a dtype that gnd does not have
 * (strings, objects, records ...); GND_ERR_SHAPE more than GND_MAX_NDIM dimensions; GND_ERR_NOMEM.
 * On failure *out is zeroed. */
gnd_status gnd__npy_load(const char *path, gnd__npy *out, gnd_err *e);
gnd_status gnd__npy_read(gnd__npy_source *s, gnd__npy *out, gnd_err *e);
/* Frees the data; a zeroed record is allowed. */
void gnd__npy_free(gnd__npy *a);

/* Writes C-contiguous data (may be NULL if empty). The file appears complete or not at all. */
gnd_status gnd__npy_save(const char *path, gnd_dtype t, int ndim, const int64_t *shape,
                         const void *data, gnd_err *e);

/* Parses the text of a header: the dictionary, len bytes, not terminated. */
gnd_status gnd__npy_parse_head(const char *text, size_t len, gnd__npy_head *h, gnd_err *e);
/* Appends everything before the data: magic, version 1.0 (which always suffices for 32 dimensions)
 * and dictionary, padded to 64 bytes. Equals NumPy's output byte for byte. */
void gnd__npy_put_head(gnd__str *b, gnd_dtype t, int ndim, const int64_t *shape, int fortran);

#endif
