/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/npz.c - see npz.h. libgnd-zip.so (formats/zip.c) handles the container. Sizes in the zip
 * directory are not trusted: memory for a member grows as its bytes arrive.
 */
#include "io/npz.h"

#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/shape.h"
#include "io/file.h"
#include "io/format.h"

#include <string.h>
#include <unistd.h>

struct gnd__npz {
    const gnd__zip_format *f;
    void *zip;
    char path[208]; /* for messages */
};

gnd_status gnd__npz_open(const char *path, gnd__npz **out, gnd_err *e)
{
    char text[208];
    int fd = -1;
    int64_t size;
    *out = NULL;
    gnd__npz *z = gnd__calloc(1, sizeof *z);
    gnd_status st =
        z ? gnd__in_open(path, &fd, &size, e) : gnd__err(e, GND_ERR_NOMEM, "out of memory");
    if (!st) {
        z->f = gnd__format("zip", e);
        st = z->f ? z->f->open(fd, &z->zip, e) : GND_ERR_UNSUPPORTED;
        if (st)
            close(fd);
    }
    if (st) {
        gnd__free(z);
        gnd__err_prefix(e, "load_npz: %s", gnd__path_text(path, text));
        return st;
    }
    strncpy(z->path, gnd__path_text(path, text), sizeof z->path - 1);
    *out = z;
    return GND_OK;
}

void gnd__npz_close(gnd__npz *z)
{
    if (!z)
        return;
    z->f->close(z->zip);
    gnd__free(z);
}

/* Reads a member to its end and closes it. */
static gnd_status read_member(gnd__npz *z, void *file, gnd__npy *out, gnd_err *e)
{
    gnd_err own = {0}; /* distinguishes an error of the reader from success if e is NULL */
    gnd__npy_source s = {z->f->read, file, -1};
    gnd_status st = gnd__npy_read(&s, out, &own);
    if (!st) {
        char more; /* libzip checks the CRC at the end of the member */
        int64_t n = z->f->read(file, &more, 1, &own);
        if (n > 0)
            gnd__err(&own, GND_ERR_FORMAT, "damaged: bytes after the array");
        if (n != 0) {
            st = own.code;
            gnd__npy_free(out);
        }
    }
    if (st)
        gnd__err_native(e, st, own.native, "%s", own.msg);
    z->f->member_close(file);
    return st;
}

gnd_status gnd__npz_read(gnd__npz *z, const char *name, gnd__npy *out, gnd_err *e)
{
    memset(out, 0, sizeof *out);
    gnd__str full = {0};
    gnd__str_addf(&full, "%s.npy", name);
    void *file = NULL;
    gnd_status st = full.bad ? gnd__err(e, GND_ERR_NOMEM, "out of memory")
                             : z->f->member(z->zip, gnd__str_get(&full), &file, e);
    if (!st && !file)
        st = z->f->member(z->zip, name, &file, e);
    if (!st)
        st = file ? read_member(z, file, out, e)
                  : gnd__err(e, GND_ERR_NAME, "no array of that name");
    gnd__str_free(&full);
    if (st)
        gnd__err_prefix(e, "load_npz: %s: %.100s", z->path, name);
    return st;
}

/* Prepares a for writing: its header's text goes to head, its name in the archive to name. */
static gnd_status describe(const gnd__npz_item *a, gnd__str *head, gnd__str *name,
                           gnd__zip_member *m, gnd_err *e)
{
    size_t esize = gnd_dtype_size(a->dtype);
    if (!gnd__dtype_ok(a->dtype))
        return gnd__err(e, GND_ERR_DTYPE, "%.100s: no dtype", a->name);
    if (a->ndim < 0 || a->ndim > GND_MAX_NDIM)
        return gnd__err(e, GND_ERR_SHAPE, "%.100s: %d dimensions", a->name, a->ndim);
    int64_t count = gnd__shape_size(a->ndim, a->shape, esize);
    if (count < 0)
        return gnd__err(e, GND_ERR_OVERFLOW, "%.100s: the shape overflows 64 bits", a->name);
    gnd__npy_put_head(head, a->dtype, a->ndim, a->shape, 0);
    gnd__str_addf(name, "%s.npy", a->name);
    if (head->bad || name->bad)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory");
    *m = (gnd__zip_member){name->s, head->s, a->data, head->len, (size_t)count * esize};
    return GND_OK;
}

static gnd_status write_zip(const gnd__zip_format *f, gnd__out *o, int n,
                            const gnd__npz_item *items, int compress, gnd_err *e)
{
    const gnd__lent lent = {gnd__malloc, gnd__free, gnd__out_write, gnd__out_seek, o};
    gnd__str *text = gnd__calloc((size_t)n, 2 * sizeof *text);
    gnd__zip_member *m = gnd__calloc((size_t)n, sizeof *m);
    gnd_status st = text && m ? GND_OK : gnd__err(e, GND_ERR_NOMEM, "out of memory");
    for (int i = 0; i < n && !st; i++)
        st = describe(&items[i], &text[2 * i], &text[2 * i + 1], &m[i], e);
    if (!st)
        st = f->write(&lent, n, m, compress, e);
    for (int i = 0; text && i < 2 * n; i++)
        gnd__str_free(&text[i]);
    gnd__free(text);
    gnd__free(m);
    return st;
}

gnd_status gnd__npz_save(const char *path, int n, const gnd__npz_item *items, int compress,
                         gnd_err *e)
{
    static const char empty[22] = "PK\5\6"; /* a zip without members, which libzip cannot write */
    char text[208];
    gnd__out o;
    const gnd__zip_format *f = n > 0 ? gnd__format("zip", e) : NULL;
    gnd_status st = n > 0 && !f ? GND_ERR_UNSUPPORTED : gnd__out_open(&o, path, e);
    if (!st) {
        if (!o.tmp)
            st = gnd__err(e, GND_ERR_IO, "cannot write: not a regular file");
        else if (n <= 0)
            st = gnd__out_write(&o, empty, sizeof empty, e);
        else
            st = write_zip(f, &o, n, items, compress, e);
        if (st)
            gnd__out_abandon(&o);
        else
            st = gnd__out_commit(&o, e);
    }
    if (st)
        gnd__err_prefix(e, "save_npz: %s", gnd__path_text(path, text));
    return st;
}
