/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/linalg/einsum_parse.c - parses the subscripts of gnd_einsum: letters, ellipses, the explicit
 * or implied result, and the extents that the operands give them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "ops/linalg/einsum.h"
#include "graph/check.h"

static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "einsum('ij,jk'): WHY": the part that all messages begin with. */
#define FAIL(e, code, fmt, ...)                                                                    \
    gnd__fail((e)->dev, code, "%s('%.80s'): " fmt, (e)->func, (e)->text, __VA_ARGS__)

/* The label of a letter; a new one if need be, -1 when there are too many. */
static int label_of(gnd__ein *e, char letter)
{
    for (int i = 0; i < e->nlabel; i++)
        if (e->letter[i] == letter && letter != '.')
            return i;
    if (e->nlabel == GND__EIN_LABELS)
        return -1;
    e->letter[e->nlabel] = letter;
    e->extent[e->nlabel] = 1;
    e->first[e->nlabel][0] = -1;
    return e->nlabel++;
}

/* One term of the subscripts. ell: where its ellipsis is among the letters, or -1. */
typedef struct term {
    int n, ell;
    char letter[GND_MAX_NDIM];
} term;

/* Reads a term up to a comma, "->" or the end; which: for messages. */
static gnd_array *read_term(gnd__ein *e, const char **at, term *t, const char *which)
{
    const char *p = *at;
    t->n = 0;
    t->ell = -1;
    for (;; p++) {
        if (*p == ' ')
            continue;
        if (!*p || *p == ',' || (p[0] == '-' && p[1] == '>'))
            break;
        if (p[0] == '.' && p[1] == '.' && p[2] == '.') {
            if (t->ell >= 0)
                return FAIL(e, GND_ERR_ARG, "%s has two ellipses", which);
            t->ell = t->n;
            p += 2;
        } else if (!is_letter(*p)) {
            return FAIL(e, GND_ERR_ARG, "'%c' in %s: letters, '...', ',' and '->' are possible", *p,
                        which);
        } else if (t->n == GND_MAX_NDIM) {
            return FAIL(e, GND_ERR_ARG, "more than %d letters in %s", GND_MAX_NDIM, which);
        } else {
            t->letter[t->n++] = *p;
        }
    }
    *at = p;
    return NULL;
}

/* Axis d of operand i has a label: its extent must go with what the label has. */
static gnd_array *meet(gnd__ein *e, int i, int d, int label, const gnd_array *x)
{
    int64_t n = x->dim[d];
    int8_t *first = e->first[label];
    e->axis[i][d] = (int8_t)label;
    for (int k = 0; k < d; k++)
        if (e->axis[i][k] == label && x->dim[k] != n)
            return FAIL(e, GND_ERR_SHAPE,
                        "operand %d: axes %d and %d are both '%c', with %" PRId64 " and %" PRId64
                        " elements",
                        i, k, d, e->letter[label], x->dim[k], n);
    if (n != 1 && e->extent[label] != 1 && n != e->extent[label])
        return FAIL(e, GND_ERR_SHAPE,
                    "operand %d, axis %d ('%s'): %" PRId64 ", but operand %d, axis %d has %" PRId64,
                    i, d, e->letter[label] == '.' ? "..." : (char[2]){e->letter[label]}, n,
                    first[0], first[1], e->extent[label]);
    if (first[0] < 0 || e->extent[label] == 1) {
        e->extent[label] = n;
        first[0] = (int8_t)i;
        first[1] = (int8_t)d;
    }
    return NULL;
}

/* The labels of operand i's axes. Those under an ellipsis, aligned at the end, are the first
 * labels. */
static gnd_array *place(gnd__ein *e, int i, const term *t, const gnd_array *x)
{
    char text[GND__SHAPE_TEXT];
    int under = x->ndim - t->n;
    if (under < 0 || (under > 0 && t->ell < 0))
        return FAIL(e, GND_ERR_SHAPE,
                    "operand %d has %d dimension%s, of shape %s, its subscripts %d%s", i, x->ndim,
                    x->ndim == 1 ? "" : "s", gnd__shape_text(text, x->ndim, x->dim), t->n,
                    under < 0 ? "" : " and no '...'");
    for (int d = 0, k = 0; d < x->ndim; d++) {
        int label;
        if (t->ell >= 0 && d >= t->ell && d < t->ell + under)
            label = e->ell - under + (d - t->ell);
        else if ((label = label_of(e, t->letter[k++])) < 0)
            return FAIL(e, GND_ERR_ARG, "more than %d different subscripts", GND__EIN_LABELS);
        gnd_array *bad = meet(e, i, d, label, x);
        if (bad)
            return bad;
    }
    return NULL;
}

/* The result's labels as given after "->". */
static gnd_array *say_result(gnd__ein *e, const term *t)
{
    if (t->ell < 0 && e->ell > 0)
        return FAIL(e, GND_ERR_ARG,
                    "the operands have %d ax%s under '...', the result has no '...'", e->ell,
                    e->ell == 1 ? "is" : "es");
    for (int k = 0; k <= t->n; k++) {
        int label = -1;
        for (int d = 0; k == t->ell && d < e->ell && e->nout < GND_MAX_NDIM; d++)
            e->out[e->nout++] = (int8_t)(d);
        if (k == t->n)
            break;
        for (int j = 0; j < e->nlabel; j++)
            if (e->letter[j] == t->letter[k])
                label = j;
        if (label < 0)
            return FAIL(e, GND_ERR_ARG, "'%c' of the result is in no operand", t->letter[k]);
        for (int j = 0; j < e->nout; j++)
            if (e->out[j] == label)
                return FAIL(e, GND_ERR_ARG, "'%c' is twice in the result", t->letter[k]);
        if (e->nout == GND_MAX_NDIM)
            return FAIL(e, GND_ERR_SHAPE, "more than %d axes in the result", GND_MAX_NDIM);
        e->out[e->nout++] = (int8_t)label;
    }
    return NULL;
}

/* Without "->": the axes under the ellipsis, then the letters that occur once, in order of ASCII.
 */
static gnd_array *imply_result(gnd__ein *e, const char *text)
{
    for (int d = 0; d < e->ell; d++)
        e->out[e->nout++] = (int8_t)(d);
    for (int c = 'A'; c <= 'z'; c++) {
        const char *at = is_letter((char)c) ? strchr(text, c) : NULL;
        if (!at || strchr(at + 1, c))
            continue;
        if (e->nout == GND_MAX_NDIM)
            return FAIL(e, GND_ERR_SHAPE, "more than %d axes in the result", GND_MAX_NDIM);
        e->out[e->nout++] = (int8_t)label_of(e, (char)c);
    }
    return NULL;
}

gnd_array *gnd__ein_parse(gnd__ein *e, const char *func, const char *subscripts, int n,
                          gnd_array *const *x)
{
    term t;
    char which[24];
    memset(e, 0, sizeof *e);
    e->func = func;
    if (!subscripts)
        return gnd__fail(NULL, GND_ERR_NULL, "%s: the subscripts are NULL", func);
    e->text = subscripts;
    if (n < 1 || n > GND_EINSUM_OPERANDS)
        return gnd__fail(NULL, GND_ERR_ARG, "%s: %d operands: 1 to %d are possible", func, n,
                         GND_EINSUM_OPERANDS);
    gnd_array *bad = gnd__check_list(func, n, x, &e->dev);
    if (bad)
        return bad;
    e->n = n;

    /* the ellipses first: theirs are the first labels */
    const char *p = subscripts;
    for (int i = 0; i < n; i++) {
        snprintf(which, sizeof which, "operand %d", i);
        if ((bad = read_term(e, &p, &t, which)))
            return bad;
        if (t.ell >= 0 && x[i]->ndim - t.n > e->ell)
            e->ell = x[i]->ndim - t.n;
        if (i < n - 1 && *p != ',')
            return FAIL(e, GND_ERR_ARG, "%d operands, and subscripts of %d", n, i + 1);
        p += i < n - 1;
    }
    if (*p == ',')
        return FAIL(e, GND_ERR_ARG, "%d operand%s, and subscripts of more", n, n == 1 ? "" : "s");
    for (int d = 0; d < e->ell; d++)
        label_of(e, '.');
    p = subscripts;
    for (int i = 0; i < n; i++, p++)
        if ((bad = read_term(e, &p, &t, which)) || (bad = place(e, i, &t, x[i])))
            return bad;
    p--;
    if (*p) {
        p += 2;
        if ((bad = read_term(e, &p, &t, "the result")))
            return bad;
        if (*p)
            return FAIL(e, GND_ERR_ARG, "'%c' in the result: letters and '...' are possible", *p);
        bad = say_result(e, &t);
    } else {
        bad = imply_result(e, subscripts);
    }
    if (bad)
        return bad;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < x[i]->ndim; d++)
            if (x[i]->dim[d] != 1)
                e->set[i] |= (uint64_t)1 << e->axis[i][d];
    for (int d = 0; d < e->nout; d++)
        if (e->extent[e->out[d]] != 1)
            e->out_set |= (uint64_t)1 << e->out[d];
    return NULL;
}
