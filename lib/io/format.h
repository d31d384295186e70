/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/format.h - the contract between libgnd and libgnd-png.so and libgnd-zip.so, which lie where plugins do and are
 * loaded when a picture or an archive is first used: so the library itself needs the C library only, and a
 * program that saves no picture needs no libpng. Each exports gnd_format_entry, which gives its table to the gnd of
 * its own version and NULL to any other.
 */
#ifndef GND_IO_FORMAT_H
#define GND_IO_FORMAT_H

#include <gnd/backend.h>

struct gnd__out;

/* What libgnd lends. */
typedef struct gnd__lent {
    void *(*alloc)(size_t n);
    void (*release)(void *p);
    /* Puts n bytes into the file `out`; says where the next ones go. */
    gnd_status (*write)(struct gnd__out *out, const void *p, size_t n, gnd_err *e);
    gnd_status (*seek)(struct gnd__out *out, int64_t at, gnd_err *e);
    struct gnd__out *out;
} gnd__lent;

/* A picture that was read: rows of width pixels of 1 to 4 channels, without gaps, each of `bytes` bytes (1, or 2 in
 * this machine's order). data is of the lender's alloc. */
typedef struct gnd__png_picture {
    uint32_t width, height;
    int channels, bytes;
    void *data;
} gnd__png_picture;

typedef struct gnd__png_format {
    /* Writes height rows of width pixels of 1 to 4 bytes; all are above 0 and at most 2^31 - 1. */
    gnd_status (*write)(const gnd__lent *l, uint32_t width, uint32_t height, int channels, const uint8_t *data,
                        gnd_err *e);
    /* The picture in the n bytes of a file. GND_ERR_FORMAT: it is none, or damaged; GND_ERR_NOMEM. Memory for pixels
     * is taken only when the file is long enough to hold them. */
    gnd_status (*read)(const gnd__lent *l, const void *file, size_t n, gnd__png_picture *out, gnd_err *e);
} gnd__png_format;

typedef struct gnd__zip_member {
    const char *name;          /* in the archive: ends in .npy */
    const void *head, *data;   /* one behind the other */
    size_t nhead, ndata;
} gnd__zip_member;

typedef struct gnd__zip_format {
    /* An archive to read from; takes fd when it is GND_OK. GND_ERR_FORMAT: no archive. */
    gnd_status (*open)(int fd, void **zip, gnd_err *e);
    void (*close)(void *zip);
    /* One member; *file is NULL where there is none of that name. */
    gnd_status (*member)(void *zip, const char *name, void **file, gnd_err *e);
    /* Bytes read, 0 at the end, where the CRC is looked at; -1. */
    int64_t (*read)(void *file, void *buf, size_t n, gnd_err *e);
    void (*member_close)(void *file);
    /* Writes n > 0 members, deflated when compress is set; the same bytes for the same members. GND_ERR_NAME: two
     * have one name. */
    gnd_status (*write)(const gnd__lent *l, int n, const gnd__zip_member *m, int compress, gnd_err *e);
} gnd__zip_format;

/* The type of gnd_format_entry; what it gives is the format's table. */
typedef const void *(*gnd__format_entry)(const char *version);

/* The table of "png" or "zip", loaded on first use and kept. NULL: GND_ERR_UNSUPPORTED, and what is missing. */
const void *gnd__format(const char *name, gnd_err *e);

#endif
