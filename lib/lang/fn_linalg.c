/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_linalg.c - the language's products of arrays: handlers of funcs.def.
 */
#include <string.h>
#include <gnd/array.h>
#include <gnd/linalg.h>
#include "base/mem.h"
#include "lang/call.h"

typedef gnd_array *(*product)(gnd_array *, gnd_array *);

/* Reads both arguments as arrays; numbers become 0-d arrays of the device. */
static int two(gnd__args *c, gnd_array **a, gnd_array **b)
{
    return (*a = gnd__arg_strong(c, 0)) && (*b = gnd__arg_strong(c, 1)) ? 0 : -1;
}

static int of_arrays(gnd__args *c, product f)
{
    gnd_array *a, *b;
    return two(c, &a, &b) ? -1 : gnd__ret(c, f(a, b));
}

/* Numbers stay weak scalars, so a product with a number has the dtype of the other factor. */
static int of_any(gnd__args *c, product f)
{
    gnd_array *a = gnd__arg_array(c, 0), *b = a ? gnd__arg_array(c, 1) : NULL;
    return b ? gnd__ret(c, f(a, b)) : -1;
}

int gnd__fn_matmul(gnd__args *c)
{
    return of_arrays(c, gnd_matmul);
}
int gnd__fn_outer(gnd__args *c)
{
    return of_arrays(c, gnd_outer);
}
int gnd__fn_kron(gnd__args *c)
{
    return of_arrays(c, gnd_kron);
}
int gnd__fn_dot(gnd__args *c)
{
    return of_any(c, gnd_dot);
}
int gnd__fn_inner(gnd__args *c)
{
    return of_any(c, gnd_inner);
}

int gnd__fn_matrix_transpose(gnd__args *c)
{
    return gnd__ret_of(c, gnd_matrix_transpose);
}

/* x1, x2, axis */
static int along(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_array *, int))
{
    int axis = -1;
    gnd_array *a, *b;
    if (two(c, &a, &b) || (gnd__arg_given(c, 2) && gnd__arg_axis(c, 2, &axis)))
        return -1;
    return gnd__ret(c, f(a, b, axis));
}

int gnd__fn_vecdot(gnd__args *c)
{
    return along(c, gnd_vecdot);
}
int gnd__fn_cross(gnd__args *c)
{
    return along(c, gnd_cross);
}

/* Reads the axes of one operand: an int, or a tuple or list of ints. */
static int axes_of(gnd__args *c, const gnd__val *v, int *axis, int *n)
{
    int64_t k;
    int r = 0;
    if (!gnd__val_is_seq(v)) {
        *n = 1;
        r = gnd__val_to_int(c->x, v, c->arg[2].at, &k);
        axis[0] = r || k < -99 || k > 99 ? 99 : (int)k;
        return r > 0 ? gnd__arg_wrong(c, 2, "an int or a pair of axes") : r;
    }
    if (v->seq->n > GND_MAX_NDIM)
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[2].at, "%s: %lld axes", c->name,
                              (long long)v->seq->n);
    *n = (int)v->seq->n;
    for (int i = 0; i < *n && !r; i++) {
        r = gnd__val_to_int(c->x, &v->seq->item[i], c->arg[2].at, &k);
        axis[i] = r || k < -99 || k > 99 ? 99 : (int)k;
    }
    return r > 0 ? gnd__arg_wrong(c, 2, "an int or a pair of axes") : r;
}

/* axes: the number of axes, or (axes of x1, axes of x2), each an int or a sequence. */
int gnd__fn_tensordot(gnd__args *c)
{
    int axis[2][GND_MAX_NDIM], n[2];
    int64_t count = 2;
    gnd_array *a, *b;
    if (two(c, &a, &b))
        return -1;
    const gnd__val *v = &c->arg[2].v;
    if (!gnd__val_is_seq(v)) {
        if (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, &count))
            return -1;
        return gnd__ret(c, gnd_tensordot(a, b, count < -1 || count > 99 ? 99 : (int)count));
    }
    if (v->seq->n != 2)
        return gnd__arg_wrong(c, 2, "an int or a pair of axes");
    for (int k = 0; k < 2; k++)
        if (axes_of(c, &v->seq->item[k], axis[k], &n[k]))
            return -1;
    if (n[0] != n[1])
        return gnd__expr_fail(c->x, GND_ERR_AXIS, c->arg[2].at, "%s: %d axes go with %d", c->name,
                              n[0], n[1]);
    return gnd__ret(c, gnd_tensordot_axes(a, b, n[0], axis[0], axis[1]));
}

/* Writes the axes in s, a list of numbers and ..., as letters. Returns the end of the text, or NULL
 * on an error. */
static char *sublist(gnd__args *c, const gnd__slot *s, char *to)
{
    int64_t k = -1;
    for (int64_t i = 0; i < s->v.seq->n; i++) {
        const gnd__val *v = &s->v.seq->item[i];
        if (v->kind == GND__V_ELLIPSIS) {
            memcpy(to, "...", 3);
            to += 3;
        } else if (gnd__val_to_int(c->x, v, s->at, &k) || k < 0 || k > 51) {
            gnd__expr_fail(c->x, GND_ERR_ARG, s->at, "%s: axes are numbers from 0 to 51 or ...",
                           c->name);
            return NULL;
        } else {
            *to++ = (char)(k < 26 ? 'A' + k : 'a' + k - 26);
        }
    }
    return to;
}

/* einsum(x, [0, 1], y, [1, 2], [0, 2]): a list of axes after each operand, and optionally one for
 * the result. `optimize` is accepted for compatibility with NumPy; the cheapest order of
 * contractions is always used. */
static int einsum_lists(gnd__args *c)
{
    const int n = (c->nrest + 1) / 2;
    size_t size = (size_t)n + 8;
    for (int i = 0; i < c->nrest; i++)
        if (i % 2 == 0 || i == c->nrest - 1) {
            if (!gnd__val_is_seq(&c->rest[i].v))
                return gnd__expr_fail(c->x, GND_ERR_ARG, c->rest[i].at,
                                      "%s: a list of axes must be behind each "
                                      "operand, not %s",
                                      c->name, gnd__val_name(&c->rest[i].v));
            size += 3 * (size_t)c->rest[i].v.seq->n;
        }
    gnd_array **x = gnd__calloc((size_t)n, sizeof *x);
    char *text = gnd__malloc(size), *to = text;
    int good = x && text;
    for (int i = 0; i < n && good; i++) {
        x[i] = i ? gnd__val_to_array(c->x, &c->rest[2 * i - 1].v, c->rest[2 * i - 1].at,
                                     "einsum: an operand")
                 : gnd__arg_array(c, 0);
        if (i)
            *to++ = ',';
        good = x[i] && (to = sublist(c, &c->rest[2 * i], to));
    }
    if (good && c->nrest % 2 == 0) {
        memcpy(to, "->", 2);
        good = (to = sublist(c, &c->rest[c->nrest - 1], to + 2)) != NULL;
    }
    if (good)
        *to = 0;
    const int r = good        ? gnd__ret(c, gnd_einsum(text, n, x))
                  : x && text ? -1
                              : gnd__expr_nomem(c->x);
    gnd__free(text);
    gnd__free(x);
    return r;
}

int gnd__fn_einsum(gnd__args *c)
{
    const gnd__val *v = &c->arg[0].v;
    int n, r = -1;
    if (v->kind != GND__V_STR && c->nrest > 0 && gnd__val_is_seq(&c->rest[0].v))
        return einsum_lists(c);
    if (v->kind != GND__V_STR)
        return gnd__arg_wrong(c, 0, "a string like 'ij,jk->ik'");
    gnd_array **x = gnd__rest_arrays(c, &n);
    char *text = x ? gnd__malloc(v->str.n + 1) : NULL;
    if (text) {
        memcpy(text, v->str.s, v->str.n);
        text[v->str.n] = 0;
        r = gnd__ret(c, gnd_einsum(text, n, x));
    } else if (x) {
        r = gnd__expr_nomem(c->x);
    }
    gnd__free(text);
    gnd__free(x);
    return r;
}
