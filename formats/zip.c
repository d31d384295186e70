/* SPDX-License-Identifier: BSD-3-Clause
 *
 * zip.c - libgnd-zip.so: archives by libzip (lib/io/format.h). An archive is written through a
 * source of our own into a file that libgnd has open. libzip alone would write a temporary file and
 * rename it once more, and lose the mode and owner that libgnd preserves.
 */
#include "io/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>
#include <gnd/version.h>

static gnd_status fail(gnd_err *e, gnd_status code, int native, const char *what, const char *why)
{
    if (e && !e->code) {
        e->code = code;
        e->native = native;
        snprintf(e->msg, sizeof e->msg, "%.200s%s%.200s", what, why ? ": " : "", why ? why : "");
    }
    return code;
}

/* An error of libzip: of the system where it has an errno, otherwise of the content. */
static gnd_status zip_err(gnd_err *e, zip_error_t *ze, const char *what)
{
    int os = zip_error_system_type(ze) == ZIP_ET_SYS;
    int native = os ? zip_error_code_system(ze) : zip_error_code_zip(ze);
    gnd_status code = os ? GND_ERR_IO : GND_ERR_FORMAT;
    if (zip_error_code_zip(ze) == ZIP_ER_MEMORY)
        code = GND_ERR_NOMEM;
    return fail(e, code, native, what, zip_error_strerror(ze));
}

/* --- reading ---------------------------------------------------------------------------------- */

static gnd_status open_zip(int fd, void **zip, gnd_err *e)
{
    zip_error_t ze;
    gnd_status st;
    int code = 0;
    *zip = zip_fdopen(fd, 0, &code);
    if (*zip)
        return GND_OK;
    zip_error_init_with_code(&ze, code);
    st = zip_err(e, &ze, "not a .npz file");
    zip_error_fini(&ze);
    return st;
}

static void close_zip(void *zip)
{
    zip_discard(zip);
}

static gnd_status member(void *zip, const char *name, void **file, gnd_err *e)
{
    zip_int64_t i = zip_name_locate(zip, name, 0);
    *file = i < 0 ? NULL : zip_fopen_index(zip, (zip_uint64_t)i, 0);
    return i < 0 || *file ? GND_OK : zip_err(e, zip_get_error(zip), "cannot read");
}

static int64_t read_member(void *file, void *buf, size_t n, gnd_err *e)
{
    size_t got = 0;
    while (got < n) {
        zip_int64_t r = zip_fread(file, (char *)buf + got, n - got);
        if (r < 0) {
            zip_err(e, zip_file_get_error(file), "damaged");
            return -1;
        }
        if (r == 0)
            break;
        got += (size_t)r;
    }
    return (int64_t)got;
}

static void close_member(void *file)
{
    zip_fclose(file);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* The file that libgnd has open, as a source of libzip's. */
typedef struct {
    const gnd__lent *lent;
    gnd_err err; /* of libgnd's; libzip knows only that there was one */
    zip_error_t ze;
    int64_t at, size;
} target;

static zip_int64_t on_failure(target *t, int code, int native)
{
    zip_error_set(&t->ze, code, native);
    return -1;
}

static zip_int64_t source(void *ctx, void *data, zip_uint64_t n, zip_source_cmd_t cmd)
{
    target *t = ctx;
    switch (cmd) {
    case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_WRITABLE;
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&t->ze, data, n);
    case ZIP_SOURCE_STAT: return on_failure(t, ZIP_ER_READ, ENOENT); /* nothing is there yet */
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE: /* the caller abandons the file */
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE: return 0;
    case ZIP_SOURCE_WRITE:
        if (t->lent->write(t->lent->out, data, n, &t->err))
            return on_failure(t, ZIP_ER_WRITE, EIO);
        t->at += (int64_t)n;
        t->size = t->at > t->size ? t->at : t->size;
        return (zip_int64_t)n;
    case ZIP_SOURCE_SEEK_WRITE: {
        zip_int64_t to = zip_source_seek_compute_offset((zip_uint64_t)t->at, (zip_uint64_t)t->size,
                                                        data, n, &t->ze);
        if (to < 0)
            return -1;
        if (t->lent->seek(t->lent->out, to, &t->err))
            return on_failure(t, ZIP_ER_SEEK, EIO);
        t->at = to;
        return 0;
    }
    case ZIP_SOURCE_TELL_WRITE: return t->at;
    default: return on_failure(t, ZIP_ER_OPNOTSUPP, 0);
    }
}

/* Adds one member, whose memory libzip reads when it closes. */
static gnd_status add(zip_t *zip, const gnd__zip_member *m, int compress, gnd_err *e)
{
    zip_buffer_fragment_t parts[2] = {
        {(zip_uint8_t *)(uintptr_t)m->head, m->nhead},
        {(zip_uint8_t *)(uintptr_t)m->data, m->ndata},
    };
    zip_source_t *src = zip_source_buffer_fragment(zip, parts, m->ndata ? 2 : 1, 0);
    zip_int64_t i = src ? zip_file_add(zip, m->name, src, ZIP_FL_ENC_UTF_8) : -1;
    if (i >= 0) {
        zip_set_file_compression(zip, (zip_uint64_t)i, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
        zip_file_set_dostime(zip, (zip_uint64_t)i, 0, 0x21, 0); /* 1 January 1980, always */
        return GND_OK;
    }
    zip_error_t *ze = zip_get_error(zip);
    char twice[160];
    snprintf(twice, sizeof twice, "two arrays are named %.*s", (int)strlen(m->name) - 4, m->name);
    gnd_status st = zip_error_code_zip(ze) == ZIP_ER_EXISTS ? fail(e, GND_ERR_NAME, 0, twice, NULL)
                                                            : zip_err(e, ze, "cannot add an array");
    if (src)
        zip_source_free(src);
    return st;
}

static gnd_status write_zip(const gnd__lent *l, int n, const gnd__zip_member *m, int compress,
                            gnd_err *e)
{
    target t = {.lent = l};
    gnd_status st = GND_OK;
    zip_error_init(&t.ze);
    zip_source_t *src = zip_source_function_create(source, &t, &t.ze);
    zip_t *zip = src ? zip_open_from_source(src, ZIP_CREATE | ZIP_TRUNCATE, &t.ze) : NULL;
    if (!zip) {
        st = zip_err(e, &t.ze, "cannot write");
        zip_source_free(src);
    }
    for (int i = 0; i < n && !st; i++)
        st = add(zip, &m[i], compress, e);
    if (!st && zip_close(zip)) {
        st = t.err.code ? fail(e, t.err.code, t.err.native, t.err.msg, NULL)
                        : zip_err(e, zip_get_error(zip), "write failed");
        zip_discard(zip);
    } else if (st && zip) {
        zip_discard(zip);
    }
    zip_error_fini(&t.ze);
    return st;
}

GND_API const void *gnd_format_entry(const char *version);
const void *gnd_format_entry(const char *version)
{
    static const gnd__zip_format format = {open_zip,    close_zip,    member,
                                           read_member, close_member, write_zip};
    return strcmp(version, GND_VERSION_STRING) ? NULL : &format;
}
