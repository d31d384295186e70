/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/npy.c - reads and writes whole .npy arrays; npy_head.c parses headers. Reads from a file, from
 * memory, or from any other source, such as a member of an .npz.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/npy.h"

#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/shape.h"
#include "io/file.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static gnd_status nomem(gnd_err *e, size_t n)
{
    return gnd__err(e, GND_ERR_NOMEM, "out of memory for %zu bytes", n);
}

static gnd_status truncated(gnd_err *e, const char *what, uint64_t promised, uint64_t there)
{
    return gnd__err(e, GND_ERR_FORMAT, "truncated: %s%" PRIu64 " bytes promised, %" PRIu64 " there",
                    what, promised, there);
}

/* Reads exactly n bytes; `what` names them in messages. */
static gnd_status exactly(gnd__npy_source *s, void *p, size_t n, const char *what, gnd_err *e)
{
    int64_t got = s->read(s->ctx, p, n, e);
    if (got < 0)
        return e && e->code ? e->code : GND_ERR_IO;
    if ((uint64_t)got < n)
        return truncated(e, what, n, (uint64_t)got);
    if (s->left >= 0)
        s->left -= got;
    return GND_OK;
}

/* Reports what a file that is not .npy appears to be. */
static gnd_status not_npy(const unsigned char *m, size_t n, gnd_err *e)
{
    const char *guess = "";
    if (n == 0)
        guess = ": it is empty";
    else if (n >= 4 && !memcmp(m, "PK\3\4", 4))
        guess = ": it is a zip archive, as .npz files are";
    else if (m[0] == 0x80)
        guess = ": it looks like a Python pickle, which gnd does not read";
    return gnd__err(e, GND_ERR_FORMAT, "not a .npy file%s", guess);
}

static gnd_status read_head(gnd__npy_source *s, gnd__npy_head *h, gnd_err *e)
{
    unsigned char m[12];
    int64_t got = s->read(s->ctx, m, 10, e);
    if (got < 0)
        return e && e->code ? e->code : GND_ERR_IO;
    if (got < 6 || memcmp(m, "\x93NUMPY", 6))
        return not_npy(m, (size_t)got, e);
    if (got < 10)
        return truncated(e, "", 10, (uint64_t)got);
    if (s->left >= 0)
        s->left -= 10;
    if (m[6] < 1 || m[6] > 3 || m[7] != 0)
        return gnd__err(e, GND_ERR_FORMAT, ".npy version %d.%d is not known", m[6], m[7]);
    uint32_t len = (uint32_t)m[8] | (uint32_t)m[9] << 8;
    if (m[6] > 1) {
        gnd_status st = exactly(s, m + 10, 2, "header: ", e);
        if (st)
            return st;
        len |= (uint32_t)m[10] << 16 | (uint32_t)m[11] << 24;
    }
    if (s->left >= 0 && len > s->left)
        return truncated(e, "header: ", len, (uint64_t)s->left);
    if (len > GND__NPY_MAX_HEADER)
        return gnd__err(e, GND_ERR_FORMAT, "a header of %" PRIu32 " bytes: at most %d are read",
                        len, GND__NPY_MAX_HEADER);
    char *text = gnd__malloc(len);
    if (!text)
        return nomem(e, len);
    gnd_status st = exactly(s, text, len, "header: ", e);
    if (!st)
        st = gnd__npy_parse_head(text, len, h, e);
    gnd__free(text);
    return st;
}

/* Reads n bytes of data. If it is unknown whether the file has that many, memory grows as they
 * arrive. */
static gnd_status read_data(gnd__npy_source *s, size_t n, void **data, gnd_err *e)
{
    const size_t first = (size_t)1 << 20;
    if (s->left >= 0 && n > (uint64_t)s->left)
        return truncated(e, "", n, (uint64_t)s->left);
    size_t cap = s->left < 0 && n > first ? first : n, have = 0;
    char *p = gnd__malloc(cap);
    gnd_status st = GND_OK;
    if (!p)
        return nomem(e, cap);
    for (;;) {
        int64_t got = s->read(s->ctx, p + have, cap - have, e);
        if (got < 0)
            st = e && e->code ? e->code : GND_ERR_IO;
        else if ((uint64_t)got < cap - have)
            st = truncated(e, "", n, have + (uint64_t)got);
        have = cap;
        if (st || have == n)
            break;
        cap = n / 2 < cap ? n : cap * 2;
        char *q = gnd__realloc(p, cap);
        if (!q) {
            st = nomem(e, cap);
            break;
        }
        p = q;
    }
    if (st) {
        gnd__free(p);
        return st;
    }
    if (s->left >= 0)
        s->left -= (int64_t)n;
    *data = p;
    return GND_OK;
}

static void swap_bytes(char *p, size_t nbytes, size_t unit)
{
    for (char *end = p + nbytes; p < end; p += unit)
        for (size_t i = 0; i < unit / 2; i++) {
            char c = p[i];
            p[i] = p[unit - 1 - i];
            p[unit - 1 - i] = c;
        }
}

static void copy_element(char *dst, const char *src, size_t esize)
{
    switch (esize) {
    case 1: *dst = *src; break;
    case 2: memcpy(dst, src, 2); break;
    case 4: memcpy(dst, src, 4); break;
    case 8: memcpy(dst, src, 8); break;
    default: memcpy(dst, src, 16); break;
    }
}

/* Converts src in Fortran order to dst in C order. The first axis is contiguous in src and the last
 * in dst; these two are traversed in tiles, so that whole cache lines are used. A counter runs over
 * the axes between. Requires ndim >= 2 and no extent of 0. */
static void fortran_to_c(char *dst, const char *src, int ndim, const int64_t *dim, size_t esize)
{
    enum { TILE = 32 };
    int64_t dst0 = 1, src1 = 1, at[GND_MAX_NDIM] = {0}, mid = 1;
    int last = ndim - 1;
    for (int k = 1; k < ndim; k++)
        dst0 *= dim[k];
    for (int k = 0; k < last; k++)
        src1 *= dim[k];
    for (int k = 1; k < last; k++)
        mid *= dim[k];
    for (int64_t m = 0; m < mid; m++) {
        int64_t d = 0, s = 0, step = dim[last];
        for (int k = last - 1; k >= 1; k--, step *= dim[k + 1])
            d += at[k] * step;
        step = dim[0];
        for (int k = 1; k < last; step *= dim[k], k++)
            s += at[k] * step;
        for (int64_t i0 = 0; i0 < dim[0]; i0 += TILE)
            for (int64_t j0 = 0; j0 < dim[last]; j0 += TILE)
                for (int64_t i = i0; i < i0 + TILE && i < dim[0]; i++)
                    for (int64_t j = j0; j < j0 + TILE && j < dim[last]; j++)
                        copy_element(dst + (size_t)(d + i * dst0 + j) * esize,
                                     src + (size_t)(s + i + j * src1) * esize, esize);
        for (int k = last - 1; k >= 1 && ++at[k] == dim[k]; k--)
            at[k] = 0;
    }
}

static gnd_status to_native(const gnd__npy_head *h, void **data, gnd_err *e)
{
    size_t esize = gnd_dtype_size(h->dtype);
    if (h->swap)
        swap_bytes(*data, h->nbytes, gnd_dtype_kind(h->dtype) == 'c' ? esize / 2 : esize);
    if (h->dtype == GND_BOOL) { /* kernels rely on 0 and 1 */
        unsigned char *p = *data;
        for (size_t i = 0; i < h->nbytes; i++)
            p[i] = p[i] != 0;
    }
    if (!h->fortran || h->ndim < 2 || h->nbytes == 0)
        return GND_OK;
    void *c = gnd__malloc(h->nbytes);
    if (!c)
        return nomem(e, h->nbytes);
    fortran_to_c(c, *data, h->ndim, h->shape, esize);
    gnd__free(*data);
    *data = c;
    return GND_OK;
}

gnd_status gnd__npy_read(gnd__npy_source *s, gnd__npy *out, gnd_err *e)
{
    gnd__npy_head h;
    void *data = NULL;
    memset(out, 0, sizeof *out);
    gnd_status st = read_head(s, &h, e);
    if (st)
        return st;
    if ((st = read_data(s, h.nbytes, &data, e)))
        return st;
    if ((st = to_native(&h, &data, e))) {
        gnd__free(data);
        return st;
    }
    out->dtype = h.dtype;
    out->ndim = h.ndim;
    memcpy(out->shape, h.shape, sizeof out->shape);
    out->data = data;
    out->nbytes = h.nbytes;
    return GND_OK;
}

static int64_t from_fd(void *ctx, void *buf, size_t n, gnd_err *e)
{
    return gnd__in_read(*(int *)ctx, buf, n, e);
}

gnd_status gnd__npy_load(const char *path, gnd__npy *out, gnd_err *e)
{
    char text[208];
    int fd;
    gnd__npy_source s = {from_fd, &fd, -1};
    memset(out, 0, sizeof *out);
    gnd_status st = gnd__in_open(path, &fd, &s.left, e);
    if (!st) {
        st = gnd__npy_read(&s, out, e);
        close(fd);
    }
    if (st)
        gnd__err_prefix(e, "load_npy: %s", gnd__path_text(path, text));
    return st;
}

void gnd__npy_free(gnd__npy *a)
{
    gnd__free(a->data);
    memset(a, 0, sizeof *a);
}

static gnd_status save(gnd__out *o, gnd_dtype t, int ndim, const int64_t *shape, const void *data,
                       gnd_err *e)
{
    size_t esize = gnd_dtype_size(t);
    int64_t count = gnd__shape_size(ndim, shape, esize);
    if (count < 0)
        return gnd__err(e, GND_ERR_OVERFLOW, "the shape overflows 64 bits");
    gnd__str head = {0};
    gnd__npy_put_head(&head, t, ndim, shape, 0);
    gnd_status st = head.bad ? nomem(e, 128) : gnd__out_write(o, head.s, head.len, e);
    gnd__str_free(&head);
    return st ? st : gnd__out_write(o, data, (size_t)count * esize, e);
}

gnd_status gnd__npy_save(const char *path, gnd_dtype t, int ndim, const int64_t *shape,
                         const void *data, gnd_err *e)
{
    char text[208];
    gnd__out o;
    gnd_status st = GND_OK;
    if (!gnd__dtype_ok(t))
        st = gnd__err(e, GND_ERR_DTYPE, "no dtype");
    else if (ndim < 0 || ndim > GND_MAX_NDIM)
        st = gnd__err(e, GND_ERR_SHAPE, "%d dimensions", ndim);
    else
        st = gnd__out_open(&o, path, e);
    if (!st) {
        st = save(&o, t, ndim, shape, data, e);
        if (st)
            gnd__out_abandon(&o);
        else
            st = gnd__out_commit(&o, e);
    }
    if (st)
        gnd__err_prefix(e, "save_npy: %s", gnd__path_text(path, text));
    return st;
}
