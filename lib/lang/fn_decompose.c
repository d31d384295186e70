/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_decompose.c - the language's linear algebra: handlers of funcs.def. The names are those
 * of numpy.linalg, scipy.linalg and the Array API standard's linalg, with or without the prefix
 * `linalg.`.
 */
#include <math.h>
#include <gnd/array.h>
#include <gnd/decompose.h>
#include <gnd/elementwise.h>
#include <gnd/linalg.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "base/words.h"
#include "lang/call.h"

static int flag(gnd__args *c, int i, int *v)
{
    return gnd__arg_given(c, i) ? gnd__arg_bool(c, i, v) : 0;
}

/* Returns y as a tuple with the field names of the Array API standard. */
static int named(gnd__args *c, gnd_array **y, int n, gnd_status st, const char *fields)
{
    if (gnd__ret_tuple(c, y, n, st))
        return -1;
    c->out->seq->fields = fields;
    return 0;
}

int gnd__fn_svdvals(gnd__args *c)
{
    return gnd__ret_of(c, gnd_svdvals);
}
int gnd__fn_eigvals(gnd__args *c)
{
    return gnd__ret_of(c, gnd_eigvals);
}
int gnd__fn_inv(gnd__args *c)
{
    return gnd__ret_of(c, gnd_inv);
}
int gnd__fn_det(gnd__args *c)
{
    return gnd__ret_of(c, gnd_det);
}
int gnd__fn_expm(gnd__args *c)
{
    return gnd__ret_of(c, gnd_expm);
}

int gnd__fn_cholesky(gnd__args *c)
{
    int upper = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || flag(c, 1, &upper))
        return -1;
    return gnd__ret(c, gnd_cholesky(x, upper));
}

int gnd__fn_qr(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *y[2];
    int mode = x ? gnd__arg_word(c, 1, "reduced complete r raw", 0) : -1;
    if (mode < 0)
        return -1;
    if (mode == 3) { /* as NumPy's, transposed: in LAPACK's order of columns */
        const gnd_status packed = gnd_qr_packed(x, &y[0], &y[1]);
        gnd_array *h = y[0];
        y[0] = gnd_mT(h);
        gnd_release(h);
        return named(c, y, 2, packed, "h tau");
    }
    gnd_status st = gnd_qr(x, mode == 1, &y[0], &y[1]);
    if (mode < 2)
        return named(c, y, 2, st, "Q R");
    gnd_release(y[0]);
    return gnd__ret(c, y[1]);
}

int gnd__fn_lu(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *y[3];
    if (!x)
        return -1;
    gnd_status st = gnd_lu(x, &y[0], &y[1], &y[2]);
    return gnd__ret_tuple(c, y, 3, st);
}

int gnd__fn_svd(gnd__args *c)
{
    int full = 1, vectors = 1;
    gnd_array *x = gnd__arg_strong(c, 0), *y[3];
    if (!x || flag(c, 1, &full) || flag(c, 2, &vectors))
        return -1;
    if (!vectors)
        return gnd__ret(c, gnd_svdvals(x));
    gnd_status st = gnd_svd(x, full, &y[0], &y[1], &y[2]);
    return named(c, y, 3, st, "U S Vh");
}

/* UPLO, as 1 for the upper triangle, or -1 after an error. LAPACK and NumPy take lower case too. */
static int triangle(gnd__args *c)
{
    const int word = gnd__arg_word(c, 1, "L U l u", 0);
    return word < 0 ? -1 : word % 2;
}

int gnd__fn_eigh(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *y[2];
    int upper = x ? triangle(c) : -1;
    if (upper < 0)
        return -1;
    gnd_status st = gnd_eigh(x, upper, &y[0], &y[1]);
    return named(c, y, 2, st, "eigenvalues eigenvectors");
}

int gnd__fn_eigvalsh(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0);
    int upper = x ? triangle(c) : -1;
    return upper < 0 ? -1 : gnd__ret(c, gnd_eigvalsh(x, upper));
}

int gnd__fn_eig(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *y[2];
    if (!x)
        return -1;
    gnd_status st = gnd_eig(x, &y[0], &y[1]);
    return named(c, y, 2, st, "eigenvalues eigenvectors");
}

int gnd__fn_solve(gnd__args *c)
{
    gnd_array *a = gnd__arg_strong(c, 0), *b = a ? gnd__arg_strong(c, 1) : NULL;
    return b ? gnd__ret(c, gnd_solve(a, b)) : -1;
}

int gnd__fn_solve_triangular(gnd__args *c)
{
    gnd_array *a = gnd__arg_strong(c, 0), *b = a ? gnd__arg_strong(c, 1) : NULL;
    int64_t trans = 0;
    int lower = 0, unit = 0;
    if (!b || flag(c, 3, &lower) || flag(c, 4, &unit))
        return -1;
    if (c->arg[2].v.kind == GND__V_STR)
        trans = gnd__arg_word(c, 2, "N T C", 0);
    else if (gnd__arg_given(c, 2) && gnd__arg_int(c, 2, &trans))
        return -1;
    if (trans < 0 || trans > 2)
        return gnd__arg_value(c, 2, "0, 1 (transposed) or 2 (adjoint)");
    unsigned f = (lower ? GND_SOLVE_LOWER : 0u) | (unit ? GND_SOLVE_UNIT : 0u) |
                 (trans == 1 ? GND_SOLVE_TRANS : 0u) | (trans == 2 ? GND_SOLVE_ADJOINT : 0u);
    return gnd__ret(c, gnd_solve_triangular(a, b, f));
}

/* SciPy's cho_solve. Its first argument is a tuple: the factor, and whether the factor is lower
 * triangular. */
int gnd__fn_cho_solve(gnd__args *c)
{
    gnd__val *v = &c->arg[0].v;
    int64_t lower;
    if (!gnd__val_is_seq(v) || v->seq->n != 2)
        return gnd__arg_wrong(c, 0, "a tuple (c, lower), as of SciPy's cho_factor");
    if (gnd__val_to_int(c->x, &v->seq->item[1], c->arg[0].at, &lower))
        return gnd__arg_wrong(c, 0, "a tuple (c, lower) with a bool");
    gnd_array *l = gnd__val_to_array(c->x, &v->seq->item[0], c->arg[0].at, "cho_solve: c");
    gnd_array *b = l ? gnd__arg_strong(c, 1) : NULL;
    return b ? gnd__ret(c, gnd_cho_solve(l, lower != 0, b)) : -1;
}

/* Reads a tolerance; None is -1. */
static int tolerance(gnd__args *c, int i, double *v)
{
    *v = -1;
    if (!gnd__arg_given(c, i))
        return 0;
    if (gnd__arg_real(c, i, v))
        return -1;
    return *v >= 0 ? 0 : gnd__arg_value(c, i, "at least 0");
}

/* Calls f with the tolerance in argument i, or for_each if the argument is an array of
 * tolerances. */
static int with_rtol(gnd__args *c, gnd_array *x, int i, gnd_array *(*f)(gnd_array *, double),
                     gnd_array *(*for_each)(gnd_array *, gnd_array *))
{
    double rtol;
    if (gnd__arg_given(c, i) && !gnd__val_is_number(&c->arg[i].v)) {
        gnd_array *each = gnd__arg_strong(c, i);
        return each ? gnd__ret(c, for_each(x, each)) : -1;
    }
    return tolerance(c, i, &rtol) ? -1 : gnd__ret(c, f(x, rtol));
}

/* (x, rcond=None, *, rtol=None): rcond and rtol are the same parameter. */
int gnd__fn_pinv(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0);
    if (x && gnd__arg_given(c, 1) && gnd__arg_given(c, 2))
        return gnd__arg_value(c, 2, "left out where rcond is given");
    return x ? with_rtol(c, x, gnd__arg_given(c, 1) ? 1 : 2, gnd_pinv, gnd_pinv_array) : -1;
}

/* (x, tol=None, *, rtol=None): tol is absolute. */
int gnd__fn_matrix_rank(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *tol;
    if (!x || !gnd__arg_given(c, 1))
        return x ? with_rtol(c, x, 2, gnd_matrix_rank, gnd_matrix_rank_array) : -1;
    if (gnd__arg_given(c, 2))
        return gnd__arg_value(c, 2, "left out where tol is given");
    if (!(tol = gnd__arg_strong(c, 1)))
        return -1;
    gnd_scope_begin();
    gnd_array *y = gnd_count_nonzero(
        gnd_greater(gnd_svdvals(x), gnd_expand_dims(tol, GND_AXIS(-1))), GND_AXIS(-1), 0);
    gnd_keep(y);
    gnd_scope_end();
    return gnd__ret(c, y);
}

int gnd__fn_lstsq(gnd__args *c)
{
    double rcond;
    gnd_array *a = gnd__arg_strong(c, 0), *b = a ? gnd__arg_strong(c, 1) : NULL, *y[4];
    if (!b || tolerance(c, 2, &rcond))
        return -1;
    gnd_status st = gnd_lstsq(a, b, rcond, &y[0], &y[1], &y[2], &y[3]);
    return gnd__ret_tuple(c, y, 4, st);
}

int gnd__fn_slogdet(gnd__args *c)
{
    gnd_array *x = gnd__arg_strong(c, 0), *y[2];
    if (!x)
        return -1;
    gnd_status st = gnd_slogdet(x, &y[0], &y[1]);
    return named(c, y, 2, st, "sign logabsdet");
}

int gnd__fn_matrix_power(gnd__args *c)
{
    int64_t n;
    gnd_array *x = gnd__arg_strong(c, 0);
    return !x || gnd__arg_int(c, 1, &n) ? -1 : gnd__ret(c, gnd_matrix_power(x, n));
}

/* Reads argument i as the order of a matrix norm: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf. None is
 * `none`. */
static int matrix_ord(gnd__args *c, int i, gnd_matrix_ord none, gnd_matrix_ord *ord)
{
    static const char want[] = "'fro', 'nuc', 1, -1, 2, -2, inf or -inf";
    static const struct {
        double v;
        gnd_matrix_ord ord;
    } numbers[] = {{1, GND_ORD_1},      {-1, GND_ORD_NEG_1},     {2, GND_ORD_2},
                   {-2, GND_ORD_NEG_2}, {INFINITY, GND_ORD_INF}, {-INFINITY, GND_ORD_NEG_INF}};
    double v;
    *ord = none;
    if (!gnd__arg_given(c, i))
        return 0;
    if (c->arg[i].v.kind == GND__V_STR) {
        int k = gnd__word_find("fro nuc", c->arg[i].v.str.s, c->arg[i].v.str.n, 0);
        *ord = k == 1 ? GND_ORD_NUC : GND_ORD_FRO;
        return k < 0 ? gnd__arg_value(c, i, want) : 0;
    }
    if (gnd__arg_real(c, i, &v))
        return -1;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k].v == v) {
            *ord = numbers[k].ord;
            return 0;
        }
    return gnd__arg_value(c, i, want);
}

int gnd__fn_matrix_norm(gnd__args *c)
{
    gnd_matrix_ord ord;
    int keep = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || matrix_ord(c, 1, GND_ORD_FRO, &ord) || flag(c, 2, &keep))
        return -1;
    return gnd__ret(c, gnd_matrix_norm(x, ord, keep ? GND_KEEPDIMS : 0));
}

int gnd__fn_vector_norm(gnd__args *c)
{
    gnd_axes axes;
    double ord = 2;
    int keep = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || gnd__arg_axes(c, 1, &axes) || (gnd__arg_given(c, 2) && gnd__arg_real(c, 2, &ord)) ||
        flag(c, 3, &keep))
        return -1;
    return gnd__ret(c, gnd_vector_norm(x, axes, keep ? GND_KEEPDIMS : 0, ord));
}

/* The norm of the matrices in the axes row and col of x. */
static gnd_array *norm_of_axes(gnd_array *x, int64_t row, int64_t col, gnd_matrix_ord ord, int keep)
{
    const int from[2] = {(int)row, (int)col}, to[2] = {-2, -1};
    gnd_scope_begin();
    gnd_array *y = gnd_matrix_norm(gnd_moveaxis(x, 2, from, to), ord, 0);
    if (keep)
        y = gnd_expand_dims(y, GND_AXES(row, col));
    gnd_keep(y);
    gnd_scope_end();
    return y;
}

/* NumPy's norm: of all elements, of vectors along one axis, or of matrices in two axes. */
int gnd__fn_norm(gnd__args *c)
{
    gnd_axes axes = GND_ALL;
    int64_t ax[2];
    int keep = 0, n = 0;
    double ord = 2;
    gnd_matrix_ord mord;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || flag(c, 3, &keep))
        return -1;
    unsigned flags = keep ? GND_KEEPDIMS : 0;
    if (gnd__arg_given(c, 2) && (gnd__arg_ints(c, 2, ax, 2, &n) || gnd__arg_axes(c, 2, &axes)))
        return -1;
    if (n == 2 || (n == 0 && gnd__arg_given(c, 1) && gnd_ndim(x) == 2)) {
        if (matrix_ord(c, 1, GND_ORD_FRO, &mord))
            return -1;
        return gnd__ret(c, n == 2 ? norm_of_axes(x, ax[0], ax[1], mord, keep)
                                  : gnd_matrix_norm(x, mord, flags));
    }
    if (n == 0 && gnd__arg_given(c, 1) && gnd_ndim(x) != 1)
        return gnd__arg_value(c, 1, "given with an axis for an array of that many dimensions");
    if (gnd__arg_given(c, 1) && gnd__arg_real(c, 1, &ord))
        return -1;
    return gnd__ret(c, gnd_vector_norm(x, axes, flags, ord));
}

int gnd__fn_cond(gnd__args *c)
{
    gnd_matrix_ord ord;
    gnd_array *x = gnd__arg_strong(c, 0);
    return !x || matrix_ord(c, 1, GND_ORD_2, &ord) ? -1 : gnd__ret(c, gnd_cond(x, ord));
}

int gnd__fn_multi_dot(gnd__args *c)
{
    int n;
    gnd_array **x = gnd__arg_arrays(c, 0, &n);
    if (!x)
        return -1;
    gnd_array *y = gnd_multi_dot(n, x);
    gnd__free(x);
    return gnd__ret(c, y);
}

/* trace of the Array API standard: over the last two axes. */
int gnd__fn_linalg_trace(gnd__args *c)
{
    int64_t offset = 0;
    gnd_dtype t;
    gnd_array *x = gnd__arg_strong(c, 0);
    if (!x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &offset)) || gnd__arg_dtype(c, 2, &t))
        return -1;
    return gnd__ret(c, gnd_trace(x, offset, -2, -1, t));
}

int gnd__fn_linalg_diagonal(gnd__args *c)
{
    int64_t offset = 0;
    gnd_array *x = gnd__arg_strong(c, 0);
    return !x || (gnd__arg_given(c, 1) && gnd__arg_int(c, 1, &offset))
               ? -1
               : gnd__ret(c, gnd_diagonal(x, offset, -2, -1));
}
