/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/text.c - the brackets, lines and ellipses of a printed array; text_format.c writes the
 * elements. The rules are those of numpy/_core/arrayprint.py (_formatArray), written anew.
 */
#include "io/text.h"

#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/shape.h"

#include <string.h>

enum { LINE_WIDTH = 75, THRESHOLD = 1000 };

typedef struct {
    gnd__str *out;
    gnd__text_format format;
    int ndim;
    const int64_t *shape;
    int64_t edge[GND_MAX_NDIM];
    int64_t step[GND_MAX_NDIM]; /* elements of data from one index of the axis to the next */
    const char *data;
    size_t esize;
} printer;

int gnd__text_edges(int ndim, const int64_t *shape, int64_t *edge)
{
    int64_t n = gnd__shape_size(ndim, shape, 1);
    int cut = 0;
    for (int k = 0; k < ndim; k++) {
        edge[k] = shape[k];
        if ((n > THRESHOLD || n < 0) && shape[k] > 2 * GND__TEXT_EDGE) {
            edge[k] = 2 * GND__TEXT_EDGE;
            cut = 1;
        }
    }
    return cut;
}

static void spaces(gnd__str *out, size_t n)
{
    for (; n > 0; n--)
        gnd__str_addc(out, ' ');
}

/* Appends a word to the line that began at *line in out. Starts a new line with that indent if the
 * word would pass column `width`, unless the line holds nothing but its indent. */
static void add_word(gnd__str *out, size_t *line, size_t indent, size_t width, const char *word,
                     size_t n)
{
    size_t used = out->len - *line;
    if (used > indent && used + n > width && !out->bad) {
        while (out->len > *line && out->s[out->len - 1] == ' ')
            out->len--;
        gnd__str_addc(out, '\n');
        *line = out->len;
        spaces(out, indent);
    }
    gnd__str_addn(out, word, n);
}

/* Prints the last axis. The opening bracket stands in the column before the indent and counts as
 * one space of it, so *line begins indent columns before the first word. */
static void print_row(printer *p, const char *at, size_t indent, size_t width)
{
    gnd__str *out = p->out;
    int axis = p->ndim - 1;
    int64_t n = p->edge[axis];
    size_t line = out->len - indent; /* out has at least indent bytes: see print_axis */
    char word[GND__TEXT_MAX];
    for (int64_t i = 0; i < n; i++) {
        if (i == GND__TEXT_EDGE && n < p->shape[axis]) {
            add_word(out, &line, indent, width, "...", 3);
            gnd__str_addc(out, ' ');
        }
        int len = gnd__text_element(&p->format, at + (size_t)i * p->esize, word);
        add_word(out, &line, indent, width, word, (size_t)len);
        if (i + 1 < n)
            gnd__str_addc(out, ' ');
    }
}

/* Prints axis `axis` of the part at `at`, in brackets. The text before it on the line has indent -
 * 1 columns. width shrinks by one at each level for the closing bracket. The depth is at most
 * GND_MAX_NDIM. */
static void print_axis(printer *p, int axis, const char *at, size_t indent, size_t width)
{
    gnd__str *out = p->out;
    gnd__str_addc(out, '[');
    if (out->bad)
        return;
    if (axis == p->ndim - 1) {
        print_row(p, at, indent, width - 1);
    } else {
        int64_t n = p->edge[axis];
        for (int64_t i = 0; i < n && !out->bad; i++) {
            if (i > 0)
                spaces(out, indent);
            if (i == GND__TEXT_EDGE && n < p->shape[axis]) {
                gnd__str_add(out, "...");
                for (int k = axis + 1; k < p->ndim; k++)
                    gnd__str_addc(out, '\n');
                spaces(out, indent);
            }
            print_axis(p, axis + 1, at + (size_t)(i * p->step[axis]) * p->esize, indent + 1,
                       width - 1);
            for (int k = axis + 1; k < p->ndim && i + 1 < n; k++)
                gnd__str_addc(out, '\n');
        }
    }
    gnd__str_addc(out, ']');
}

static gnd_status check(gnd_dtype t, int ndim, const int64_t *shape, int64_t *count, gnd_err *e)
{
    if (!gnd__dtype_ok(t))
        return gnd__err(e, GND_ERR_DTYPE, "no dtype");
    if (ndim < 0 || ndim > GND_MAX_NDIM)
        return gnd__err(e, GND_ERR_SHAPE, "%d dimensions", ndim);
    *count = gnd__shape_size(ndim, shape, gnd_dtype_size(t));
    if (*count < 0)
        return gnd__err(e, GND_ERR_OVERFLOW, "the shape overflows 64 bits");
    return GND_OK;
}

gnd_status gnd__text_corners(gnd__str *out, gnd_dtype t, int ndim, const int64_t *shape,
                             const void *data, gnd_err *e)
{
    printer p = {.ndim = ndim, .shape = shape, .data = data, .esize = gnd_dtype_size(t)};
    int64_t count = 0;
    gnd_status st = check(t, ndim, shape, &count, e);
    if (st)
        return st;
    if (ndim == 0) {
        char word[GND__TEXT_MAX];
        gnd__text_scalar(t, data, word);
        gnd__str_add(out, word);
    } else if (count == 0) {
        gnd__str_add(out, "[]");
    } else {
        /* Built separately, because the printer refers to earlier positions of its own text. */
        gnd__str text = {0};
        int64_t n = 1;
        gnd__text_edges(ndim, shape, p.edge);
        for (int k = ndim - 1; k >= 0; k--) {
            p.step[k] = n;
            n *= p.edge[k];
        }
        gnd__text_format_of(&p.format, t, data, n);
        p.out = &text;
        print_axis(&p, 0, data, 1, LINE_WIDTH);
        if (text.bad)
            out->bad = 1;
        else
            gnd__str_addn(out, text.s, text.len);
        gnd__str_free(&text);
    }
    return out->bad ? gnd__err(e, GND_ERR_NOMEM, "out of memory for the text") : GND_OK;
}
