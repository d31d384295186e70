/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/format.h - the contract between libgnd and libgnd-png.so and libgnd-zip.so. These lie in the
 * plugins' folders and are loaded when an image or an archive is first used, so that libgnd itself
 * needs only the C library. Each exports gnd_format_entry, which returns its table to a libgnd of
 * the same version and NULL to any other.
 */
#ifndef GND_IO_FORMAT_H
#define GND_IO_FORMAT_H

#include <gnd/backend.h>

struct gnd__out;

/* Functions of libgnd that a format library may call. */
typedef struct gnd__lent {
    void *(*alloc)(size_t n);
    void (*release)(void *p);
    /* Write n bytes to the file `out`; set the position of the next write. */
    gnd_status (*write)(struct gnd__out *out, const void *p, size_t n, gnd_err *e);
    gnd_status (*seek)(struct gnd__out *out, int64_t at, gnd_err *e);
    struct gnd__out *out;
} gnd__lent;

/* An image that was read: rows of width pixels of 1 to 4 channels, without gaps. Each channel has
 * `bytes` bytes (1, or 2 in native byte order). data comes from the alloc of gnd__lent. */
typedef struct gnd__png_picture {
    uint32_t width, height;
    int channels, bytes;
    void *data;
} gnd__png_picture;

typedef struct gnd__png_format {
    /* Writes height rows of width pixels of 1 to 4 bytes. All three are above 0 and at most 2^31 -
     * 1. */
    gnd_status (*write)(const gnd__lent *l, uint32_t width, uint32_t height, int channels,
                        const uint8_t *data, gnd_err *e);
    /* Decodes an image from the n bytes of a file. GND_ERR_FORMAT: not a PNG, or damaged;
     * GND_ERR_NOMEM. Allocates memory for pixels only if the file is long enough to hold them. */
    gnd_status (*read)(const gnd__lent *l, const void *file, size_t n, gnd__png_picture *out,
                       gnd_err *e);
} gnd__png_format;

typedef struct gnd__zip_member {
    const char *name;        /* name in the archive; ends in .npy */
    const void *head, *data; /* contents: head, then data */
    size_t nhead, ndata;
} gnd__zip_member;

typedef struct gnd__zip_format {
    /* Opens an archive for reading; takes ownership of fd on GND_OK. GND_ERR_FORMAT: not an
     * archive. */
    gnd_status (*open)(int fd, void **zip, gnd_err *e);
    void (*close)(void *zip);
    /* Opens a member; *file is NULL if there is none of that name. */
    gnd_status (*member)(void *zip, const char *name, void **file, gnd_err *e);
    /* Returns the bytes read; 0 at the end, where it checks the CRC; or -1. */
    int64_t (*read)(void *file, void *buf, size_t n, gnd_err *e);
    void (*member_close)(void *file);
    /* Writes n > 0 members, deflated if compress is set. Equal members give equal bytes.
     * GND_ERR_NAME: two members have the same name. */
    gnd_status (*write)(const gnd__lent *l, int n, const gnd__zip_member *m, int compress,
                        gnd_err *e);
} gnd__zip_format;

/* The type of gnd_format_entry. It returns the format's table. */
typedef const void *(*gnd__format_entry)(const char *version);

/* The table of "png" or "zip", loaded on first use and kept. NULL with GND_ERR_UNSUPPORTED: the
 * message says what is missing. */
const void *gnd__format(const char *name, gnd_err *e);

#endif
