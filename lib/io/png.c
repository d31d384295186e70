/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/png.c - see png.h. libgnd-png.so (formats/png.c) handles the format itself.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/png.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/file.h"
#include "io/format.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static gnd_status save(const char *path, uint32_t width, uint32_t height, int channels,
                       const uint8_t *data, gnd_err *e)
{
    gnd__out out;
    const gnd__lent lent = {gnd__malloc, gnd__free, gnd__out_write, gnd__out_seek, &out};
    const gnd__png_format *f = gnd__format("png", e);
    if (!f)
        return GND_ERR_UNSUPPORTED;
    gnd_status st = gnd__out_open(&out, path, e);
    if (st)
        return st;
    st = f->write(&lent, width, height, channels, data, e);
    if (!st)
        return gnd__out_commit(&out, e);
    gnd__out_abandon(&out);
    return st;
}

gnd_status gnd__png_save(const char *path, int64_t width, int64_t height, int channels,
                         const uint8_t *data, gnd_err *e)
{
    char text[208];
    gnd_status st;
    if (channels < 1 || channels > 4)
        st = gnd__err(e, GND_ERR_SHAPE, "%d channels: a picture has 1 to 4", channels);
    else if (width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX)
        st = gnd__err(e, GND_ERR_SHAPE, "a picture of %" PRId64 " x %" PRId64 " pixels", width,
                      height);
    else
        st = save(path, (uint32_t)width, (uint32_t)height, channels, data, e);
    if (st)
        gnd__err_prefix(e, "save_png: %s", gnd__path_text(path, text));
    return st;
}

/* --- reading ---------------------------------------------------------------------------------- */

enum { SIGNATURE = 8, FIRST_BLOCK = 1 << 16 };

/* Reads a whole file that begins like a PNG, as it arrives. The caller frees *file, of *n bytes. */
static gnd_status read_all(int fd, uint8_t **file, size_t *n, gnd_err *e)
{
    size_t cap = FIRST_BLOCK, want = SIGNATURE;
    *n = 0;
    *file = gnd__malloc(cap);
    while (*file) {
        int64_t got = gnd__in_read(fd, *file + *n, want, e);
        if (got < 0)
            return e && e->code ? e->code : GND_ERR_IO;
        *n += (size_t)got;
        if (want == SIGNATURE && (*n < want || memcmp(*file, "\x89PNG\r\n\x1a\n", SIGNATURE) != 0))
            return gnd__err(e, GND_ERR_FORMAT, "not a PNG file%s", *n ? "" : ": it is empty");
        if ((size_t)got < want)
            return GND_OK;
        if (*n == cap) {
            uint8_t *more = cap > SIZE_MAX / 2 ? NULL : gnd__realloc(*file, 2 * cap);
            if (!more)
                break;
            *file = more;
            cap *= 2;
        }
        want = cap - *n;
    }
    return gnd__err(e, GND_ERR_NOMEM, "out of memory for a file of more than %zu bytes", *n);
}

static gnd_status load(const char *path, gnd__npy *out, gnd_err *e)
{
    const gnd__lent lent = {.alloc = gnd__malloc, .release = gnd__free};
    const gnd__png_format *f = gnd__format("png", e);
    gnd__png_picture pic;
    uint8_t *file = NULL;
    int64_t size;
    size_t n;
    int fd;
    if (!f)
        return GND_ERR_UNSUPPORTED;
    gnd_status st = gnd__in_open(path, &fd, &size, e);
    if (st)
        return st;
    st = read_all(fd, &file, &n, e);
    close(fd);
    if (!st)
        st = f->read(&lent, file, n, &pic, e);
    gnd__free(file);
    if (st)
        return st;
    *out =
        (gnd__npy){.dtype = pic.bytes == 1 ? GND_UINT8 : GND_UINT16,
                   .ndim = pic.channels == 1 ? 2 : 3,
                   .shape = {pic.height, pic.width, pic.channels},
                   .data = pic.data,
                   .nbytes = (size_t)pic.height * pic.width * (size_t)(pic.channels * pic.bytes)};
    return GND_OK;
}

gnd_status gnd__png_load(const char *path, gnd__npy *out, gnd_err *e)
{
    char text[208];
    memset(out, 0, sizeof *out);
    gnd_status st = load(path, out, e);
    if (st)
        gnd__err_prefix(e, "load_png: %s", gnd__path_text(path, text));
    return st;
}
