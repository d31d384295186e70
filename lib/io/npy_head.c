/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/npy_head.c - parses and writes the header of a .npy file: a Python dictionary literal with the
 * keys descr, fortran_order and shape. Accepts exactly that and reports what is wrong otherwise.
 * Knows nothing of files.
 */
#include "io/npy.h"

#include "base/dtype.h"
#include "base/err.h"
#include "base/shape.h"

#include <inttypes.h>
#include <string.h>

/* This machine's byte order in NumPy's notation. */
static char native_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? '<' : '>';
}

typedef struct {
    const char *p, *end;
    gnd_err *e;
} cursor;

static void space(cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t' || *c->p == '\r'))
        c->p++;
}

/* The next character that is not a space; 0 at the end. */
static char peek(cursor *c)
{
    space(c);
    return c->p < c->end ? *c->p : '\0';
}

static int take(cursor *c, char ch)
{
    if (peek(c) != ch)
        return 0;
    c->p++;
    return 1;
}

static gnd_status bad(cursor *c, const char *what)
{
    return gnd__err(c->e, GND_ERR_FORMAT, "malformed header: %s", what);
}

/* A quoted string without escapes. */
static gnd_status string(cursor *c, const char **s, size_t *n)
{
    char quote = peek(c);
    if (quote != '\'' && quote != '"')
        return bad(c, c->p < c->end ? "a string was expected" : "it ends too early");
    const char *from = ++c->p;
    while (c->p < c->end && *c->p != quote && *c->p != '\\' && *c->p != '\n')
        c->p++;
    if (c->p == c->end || *c->p != quote)
        return bad(c, "a string does not end, or has escapes");
    *s = from;
    *n = (size_t)(c->p++ - from);
    return GND_OK;
}

static int word(cursor *c, const char *w)
{
    size_t n = strlen(w);
    space(c);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, w, n))
        return 0;
    c->p += n;
    return 1;
}

/* "<f8" and similar; also NumPy's names, which numpy.dtype accepts too. */
static gnd_status descr_string(cursor *c, gnd__npy_head *h)
{
    const char *s;
    size_t n;
    gnd_status st = string(c, &s, &n);
    if (st)
        return st;
    int shown = n > 40 ? 40 : (int)n;
    char d[16] = "";
    if (n < sizeof d)
        memcpy(d, s, n);
    d[n < sizeof d ? n : 0] = '\0';

    const char *t = d;
    char order = *t == '<' || *t == '>' || *t == '|' || *t == '=' ? *t++ : '=';
    int given = order == '<' || order == '>';
    h->swap = given && order != native_order();

    static const struct {
        char text[4];
        gnd_dtype t;
    } codes[] = {
        {"b1", GND_BOOL},    {"?", GND_BOOL},     {"i1", GND_INT8},      {"i2", GND_INT16},
        {"i4", GND_INT32},   {"i8", GND_INT64},   {"u1", GND_UINT8},     {"u2", GND_UINT16},
        {"u4", GND_UINT32},  {"u8", GND_UINT64},  {"f2", GND_FLOAT16},   {"V2", GND_BFLOAT16},
        {"f4", GND_FLOAT32}, {"f8", GND_FLOAT64}, {"c8", GND_COMPLEX64}, {"c16", GND_COMPLEX128},
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (!strcmp(t, codes[i].text)) {
            h->dtype = codes[i].t;
            if (h->dtype == GND_BFLOAT16 && !given) /* no order given: little-endian */
                h->swap = native_order() != '<';
            return GND_OK;
        }
    h->dtype = gnd_dtype_parse(d);
    if (h->dtype != GND_DTYPE_DEFAULT && h->dtype != GND_BFLOAT16)
        return GND_OK;

    const char *why = "";
    switch (*t) {
    case 'O': why = ": Python objects are pickled, and gnd does not unpickle"; break;
    case 'S':
    case 'a':
    case 'U': why = ": strings"; break;
    case 'V': why = ": raw bytes"; break;
    case 'M':
    case 'm': why = ": dates and times"; break;
    case 'f':
    case 'c': why = ": floats of that size"; break;
    default: break;
    }
    return gnd__err(c->e, GND_ERR_DTYPE, "dtype '%.*s' is not supported%s", shown, s, why);
}

static gnd_status descr(cursor *c, gnd__npy_head *h)
{
    char ch = peek(c);
    if (ch == '[')
        return gnd__err(c->e, GND_ERR_DTYPE, "structured dtypes are not supported");
    if (ch == '(')
        return gnd__err(c->e, GND_ERR_DTYPE, "subarray dtypes are not supported");
    return descr_string(c, h);
}

static gnd_status shape(cursor *c, gnd__npy_head *h)
{
    int n = 0, comma = 1;
    if (!take(c, '('))
        return bad(c, "the shape is no tuple");
    while (!take(c, ')')) {
        int64_t v = 0;
        char ch = peek(c);
        if (ch == '-')
            return bad(c, "a negative size");
        if (ch < '0' || ch > '9' || !comma)
            return bad(c, "the shape is no tuple of integers");
        for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
            if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *c->p - '0', &v))
                return gnd__err(c->e, GND_ERR_FORMAT, "the shape overflows 64 bits");
        if (c->p < c->end && *c->p == 'L') /* Python 2 wrote long integers this way */
            c->p++;
        if (n < GND_MAX_NDIM)
            h->shape[n] = v;
        n++;
        comma = take(c, ',');
    }
    if (n == 1 && !comma) /* (3) is a number, not a tuple */
        return bad(c, "the shape is no tuple");
    if (n > GND_MAX_NDIM)
        return gnd__err(c->e, GND_ERR_SHAPE, "%d dimensions: gnd has at most %d", n, GND_MAX_NDIM);
    h->ndim = n;
    return GND_OK;
}

gnd_status gnd__npy_parse_head(const char *text, size_t len, gnd__npy_head *h, gnd_err *e)
{
    static const char *const names[] = {"descr", "fortran_order", "shape"};
    cursor c = {text, text + len, e};
    unsigned seen = 0;
    gnd_status s;
    memset(h, 0, sizeof *h);
    if (!take(&c, '{'))
        return bad(&c, "no dictionary");
    while (!take(&c, '}')) {
        const char *key;
        size_t n;
        int k = 0;
        if ((s = string(&c, &key, &n)))
            return s;
        while (k < 3 && (strlen(names[k]) != n || memcmp(names[k], key, n)))
            k++;
        if (k == 3)
            return gnd__err(e, GND_ERR_FORMAT, "malformed header: unknown key '%.*s'",
                            n > 40 ? 40 : (int)n, key);
        if (seen >> k & 1)
            return gnd__err(e, GND_ERR_FORMAT, "malformed header: '%s' twice", names[k]);
        seen |= 1u << k;
        if (!take(&c, ':'))
            return bad(&c, "':' was expected");
        if (k == 0)
            s = descr(&c, h);
        else if (k == 2)
            s = shape(&c, h);
        else if ((h->fortran = word(&c, "True")) || word(&c, "False"))
            s = GND_OK;
        else
            s = bad(&c, "fortran_order is neither True nor False");
        if (s)
            return s;
        if (!take(&c, ',') && peek(&c) != '}')
            return bad(&c, c.p < c.end ? "',' or '}' was expected" : "it ends too early");
    }
    if (peek(&c) || c.p < c.end)
        return bad(&c, "text after the dictionary");
    for (int k = 0; k < 3; k++)
        if (!(seen >> k & 1))
            return gnd__err(e, GND_ERR_FORMAT, "malformed header: no '%s'", names[k]);

    size_t esize = gnd_dtype_size(h->dtype);
    int64_t count = gnd__shape_size(h->ndim, h->shape, esize);
    if (count < 0 || (uint64_t)count * esize > PTRDIFF_MAX)
        return gnd__err(e, GND_ERR_FORMAT, "the shape overflows 64 bits");
    h->nbytes = (size_t)count * esize;
    if (esize == 1)
        h->swap = 0;
    return GND_OK;
}

void gnd__npy_put_head(gnd__str *b, gnd_dtype t, int ndim, const int64_t *dim, int fortran)
{
    size_t start = b->len, esize = gnd_dtype_size(t);
    char order = esize == 1 ? '|' : native_order();
    int kind = t == GND_BFLOAT16 ? 'V' : gnd_dtype_kind(t);
    gnd__str_addn(b, "\x93NUMPY\1\0??", 10);
    gnd__str_addf(b, "{'descr': '%c%c%zu', 'fortran_order': %s, 'shape': ", order, kind, esize,
                  fortran ? "True" : "False");
    gnd__shape_print(b, ndim, dim);
    gnd__str_add(b, ", }");
    /* As NumPy does: spaces so that the extent of the axis that can grow may take 21 digits in
     * place, then padding to a multiple of 64 including the final newline. */
    if (ndim > 0) {
        int64_t grows = dim[fortran ? ndim - 1 : 0];
        int digits = 1;
        for (int64_t v = grows; v >= 10; v /= 10)
            digits++;
        gnd__str_addf(b, "%*s", 21 - digits, "");
    }
    while (!b->bad && (b->len - start + 1) % 64)
        gnd__str_addc(b, ' ');
    gnd__str_addc(b, '\n');
    if (b->bad)
        return;
    size_t len = b->len - start - 10;
    b->s[start + 8] = (char)(unsigned char)(len & 0xff);
    b->s[start + 9] = (char)(unsigned char)(len >> 8);
}
