/* SPDX-License-Identifier: BSD-3-Clause
 *
 * npy.c - reads and writes the header of .npy files. It deals with bytes only; rank 0 does all of
 * it.
 */
#include "npy.h"

#include <ctype.h>
#include <string.h>

static const char *const descr[GND_NDTYPES] = {
    [GND_BOOL] = "|b1",    [GND_INT8] = "|i1",      [GND_INT16] = "<i2",
    [GND_INT32] = "<i4",   [GND_INT64] = "<i8",     [GND_UINT8] = "|u1",
    [GND_UINT16] = "<u2",  [GND_UINT32] = "<u4",    [GND_UINT64] = "<u8",
    [GND_FLOAT16] = "<f2", [GND_BFLOAT16] = "<V2",  [GND_FLOAT32] = "<f4",
    [GND_FLOAT64] = "<f8", [GND_COMPLEX64] = "<c8", [GND_COMPLEX128] = "<c16",
};

int gndm__npy_write(const gndm__npy *h, char *buf, size_t size)
{
    enum { PREFIX = 10, ALIGN = 64 };
    int n = snprintf(buf + PREFIX, size - PREFIX,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (", descr[h->dtype]);
    for (int d = 0; d < h->ndim; d++)
        n += snprintf(buf + PREFIX + n, size - PREFIX - (size_t)n, d ? ", %lld" : "%lld",
                      (long long)h->shape[d]);
    n += snprintf(buf + PREFIX + n, size - PREFIX - (size_t)n, h->ndim == 1 ? ",), }" : "), }");
    int total = PREFIX + n + 1;
    total = (total + ALIGN - 1) / ALIGN * ALIGN;
    memset(buf + PREFIX + n, ' ', (size_t)(total - PREFIX - n - 1));
    buf[total - 1] = '\n';
    memcpy(buf, "\x93NUMPY\x01\x00", 8);
    buf[8] = (char)((total - PREFIX) & 255);
    buf[9] = (char)((total - PREFIX) >> 8);
    return total;
}

/* The text that follows 'key': in the header, or NULL. */
static const char *after(const char *text, const char *key)
{
    const char *s = strstr(text, key);
    if (!s)
        return NULL;
    for (s += strlen(key); *s == ' ' || *s == ':'; s++)
        ;
    return s;
}

static gnd_status dtype_of(const char *s, gndm__npy *h)
{
    char want[8];
    if (!s || (*s != '\'' && *s != '"'))
        return GND_ERR_FORMAT;
    const char order = s[1];
    const size_t n = strcspn(s + 2, "'\"");
    if (n == 0 || n + 2 > sizeof want)
        return GND_ERR_DTYPE;
    for (int t = 0; t < GND_NDTYPES; t++)
        if (strlen(descr[t] + 1) == n && !memcmp(descr[t] + 1, s + 2, n)) {
            h->dtype = (gnd_dtype)t;
            h->swapped = order == '>' && gnd_dtype_size((gnd_dtype)t) > 1;
            return order == '<' || order == '>' || order == '|' || order == '=' ? GND_OK
                                                                                : GND_ERR_FORMAT;
        }
    return GND_ERR_DTYPE;
}

static gnd_status shape_of(const char *s, gndm__npy *h)
{
    if (!s || *s++ != '(')
        return GND_ERR_FORMAT;
    for (h->ndim = 0;;) {
        while (*s == ' ' || *s == ',')
            s++;
        if (*s == ')')
            return GND_OK;
        char *end;
        if (!isdigit((unsigned char)*s) || h->ndim == GND_MAX_NDIM)
            return GND_ERR_FORMAT;
        h->shape[h->ndim++] = strtoll(s, &end, 10);
        s = *end == 'L' ? end + 1 : end;
    }
}

gnd_status gndm__npy_read(FILE *f, gndm__npy *h)
{
    unsigned char head[12];
    enum { MOST = 65536 };
    memset(h, 0, sizeof *h);
    if (fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY", 6) || head[6] < 1 || head[6] > 3)
        return GND_ERR_FORMAT;
    size_t n = head[8] | (size_t)head[9] << 8;
    h->offset = 10;
    if (head[6] > 1) {
        if (fread(head + 10, 1, 2, f) != 2)
            return GND_ERR_FORMAT;
        n |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
        h->offset = 12;
    }
    h->offset += (int64_t)n;
    char *text = n > 0 && n <= MOST ? malloc(n + 1) : NULL;
    if (!text)
        return GND_ERR_FORMAT;
    gnd_status st = fread(text, 1, n, f) == n ? GND_OK : GND_ERR_FORMAT;
    text[st ? 0 : n] = 0;
    const char *order = after(text, "'fortran_order'");
    if (!st && (!order || (strncmp(order, "True", 4) && strncmp(order, "False", 5))))
        st = GND_ERR_FORMAT;
    if (!st) {
        h->fortran = *order == 'T';
        st = dtype_of(after(text, "'descr'"), h);
    }
    if (!st)
        st = shape_of(after(text, "'shape'"), h);
    free(text);
    if (st)
        return st;
    int64_t bytes = (int64_t)gnd_dtype_size(h->dtype);
    for (int d = 0; d < h->ndim; d++)
        if (__builtin_mul_overflow(bytes, h->shape[d], &bytes))
            return GND_ERR_OVERFLOW;
    return fseek(f, 0, SEEK_END) || ftell(f) - h->offset < bytes ? GND_ERR_FORMAT : GND_OK;
}
