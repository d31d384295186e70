/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/npz.c - see npz.h. What a zip directory says about sizes is not trusted: memory for a member
 * grows as its bytes come.
 */
#include "io/npz.h"

#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/shape.h"
#include "io/file.h"

#include <string.h>
#include <unistd.h>
#include <zip.h>

struct gnd__npz {
    zip_t *zip;
    char path[208]; /* for messages */
};

/* An error of libzip: of the system where it has an errno, otherwise of the content. */
static gnd_status zip_err(gnd_err *e, zip_error_t *ze, const char *what)
{
    int os = zip_error_system_type(ze) == ZIP_ET_SYS;
    int native = os ? zip_error_code_system(ze) : zip_error_code_zip(ze);
    gnd_status code = os ? GND_ERR_IO : GND_ERR_FORMAT;
    if (zip_error_code_zip(ze) == ZIP_ER_MEMORY)
        code = GND_ERR_NOMEM;
    return gnd__err_native(e, code, native, "%s: %s", what, zip_error_strerror(ze));
}

gnd_status gnd__npz_open(const char *path, gnd__npz **out, gnd_err *e)
{
    char text[208];
    int fd, code = 0;
    int64_t size;
    *out = NULL;
    gnd__npz *z = gnd__calloc(1, sizeof *z);
    gnd_status st = z ? gnd__in_open(path, &fd, &size, e)
                      : gnd__err(e, GND_ERR_NOMEM, "out of memory");
    if (!st) {
        z->zip = zip_fdopen(fd, 0, &code);
        if (!z->zip) {
            zip_error_t ze;
            close(fd);
            zip_error_init_with_code(&ze, code);
            st = zip_err(e, &ze, "not a .npz file");
            zip_error_fini(&ze);
        }
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
    zip_discard(z->zip);
    gnd__free(z);
}

static int64_t from_zip(void *ctx, void *buf, size_t n, gnd_err *e)
{
    zip_file_t *f = ctx;
    size_t got = 0;
    while (got < n) {
        zip_int64_t r = zip_fread(f, (char *)buf + got, n - got);
        if (r < 0) {
            zip_err(e, zip_file_get_error(f), "damaged");
            return -1;
        }
        if (r == 0)
            break;
        got += (size_t)r;
    }
    return (int64_t)got;
}

static gnd_status read_member(gnd__npz *z, zip_uint64_t i, gnd__npy *out, gnd_err *e)
{
    zip_file_t *f = zip_fopen_index(z->zip, i, 0);
    if (!f)
        return zip_err(e, zip_get_error(z->zip), "cannot read");
    gnd_err own = {0}; /* tells an error of the reader from none when e is NULL */
    gnd__npy_source s = {from_zip, f, -1};
    gnd_status st = gnd__npy_read(&s, out, &own);
    if (!st) {
        char more; /* libzip checks the CRC when it comes to the end */
        int64_t n = from_zip(f, &more, 1, &own);
        if (n > 0)
            gnd__err(&own, GND_ERR_FORMAT, "damaged: bytes after the array");
        if (n != 0) {
            st = own.code;
            gnd__npy_free(out);
        }
    }
    if (st)
        gnd__err_native(e, st, own.native, "%s", own.msg);
    zip_fclose(f);
    return st;
}

gnd_status gnd__npz_read(gnd__npz *z, const char *name, gnd__npy *out, gnd_err *e)
{
    memset(out, 0, sizeof *out);
    gnd__str full = {0};
    gnd__str_addf(&full, "%s.npy", name);
    zip_int64_t i = full.bad ? -1 : zip_name_locate(z->zip, gnd__str_get(&full), 0);
    if (i < 0)
        i = zip_name_locate(z->zip, name, 0);
    gnd_status st;
    if (full.bad)
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory");
    else if (i < 0)
        st = gnd__err(e, GND_ERR_NAME, "no array of that name");
    else
        st = read_member(z, (zip_uint64_t)i, out, e);
    gnd__str_free(&full);
    if (st)
        gnd__err_prefix(e, "load_npz: %s: %.100s", z->path, name);
    return st;
}

/* Adds one member. head becomes the text of its header, which libzip reads when it closes. */
static gnd_status add(zip_t *zip, const gnd__npz_item *a, gnd__str *head, int compress, gnd_err *e)
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
    gnd__str name = {0};
    gnd__str_addf(&name, "%s.npy", a->name);
    if (head->bad || name.bad) {
        gnd__str_free(&name);
        return gnd__err(e, GND_ERR_NOMEM, "out of memory");
    }
    zip_buffer_fragment_t parts[2] = {
        {(zip_uint8_t *)head->s, head->len},
        {(zip_uint8_t *)a->data, (zip_uint64_t)count * esize},
    };
    gnd_status st = GND_OK;
    zip_source_t *src = zip_source_buffer_fragment(zip, parts, count ? 2 : 1, 0);
    zip_int64_t i = src ? zip_file_add(zip, name.s, src, ZIP_FL_ENC_UTF_8) : -1;
    if (i < 0) {
        zip_error_t *ze = zip_get_error(zip);
        if (zip_error_code_zip(ze) == ZIP_ER_EXISTS)
            st = gnd__err(e, GND_ERR_NAME, "two arrays are named %.100s", a->name);
        else
            st = zip_err(e, ze, "cannot add an array");
        if (src)
            zip_source_free(src);
    } else {
        zip_set_file_compression(zip, (zip_uint64_t)i, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
        zip_file_set_dostime(zip, (zip_uint64_t)i, 0, 0x21, 0); /* 1 January 1980, always */
    }
    gnd__str_free(&name);
    return st;
}

/* Writes the archive over the file at tmp. */
static gnd_status write_zip(const char *tmp, int n, const gnd__npz_item *items, int compress,
                            gnd_err *e)
{
    int code = 0;
    gnd__str *heads = gnd__calloc((size_t)n, sizeof *heads);
    if (!heads)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory");
    gnd_status st = GND_OK;
    zip_t *zip = zip_open(tmp, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!zip) {
        zip_error_t ze;
        zip_error_init_with_code(&ze, code);
        st = zip_err(e, &ze, "cannot write");
        zip_error_fini(&ze);
    }
    for (int i = 0; i < n && !st; i++)
        st = add(zip, &items[i], &heads[i], compress, e);
    if (!st && zip_close(zip)) {
        st = zip_err(e, zip_get_error(zip), "write failed");
        zip_discard(zip);
    } else if (st && zip) {
        zip_discard(zip);
    }
    for (int i = 0; i < n; i++)
        gnd__str_free(&heads[i]);
    gnd__free(heads);
    return st;
}

gnd_status gnd__npz_save(const char *path, int n, const gnd__npz_item *items, int compress,
                         gnd_err *e)
{
    static const char empty[22] = "PK\5\6"; /* a zip without members, which libzip does not write */
    char text[208];
    gnd__out o;
    gnd_status st = gnd__out_open(&o, path, e);
    if (!st) {
        if (!o.tmp)
            st = gnd__err(e, GND_ERR_IO, "cannot write: not a regular file");
        else if (n <= 0)
            st = gnd__out_write(&o, empty, sizeof empty, e);
        else
            st = write_zip(o.tmp, n, items, compress, e);
        if (st)
            gnd__out_abandon(&o);
        else
            st = gnd__out_commit(&o, e);
    }
    if (st)
        gnd__err_prefix(e, "save_npz: %s", gnd__path_text(path, text));
    return st;
}
