/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_contract.c - sums of products over axes: inner, tensordot, einsum as products of matrices (or
 * of stacks of them), kron, powers and chains of products. Axes are permuted, which sends nothing,
 * and reshaped to matrices, which sends elements only where rows are no longer whole.
 */
#include "join.h"

#include <string.h>

/* --- two operands ----------------------------------------------------------------------------- */

/* An operand: an array and the letter of each axis. */
typedef struct term {
    gndm_array *x;
    int n;
    char axis[GND_MAX_NDIM + 1];
} term;

static int has(const char *letters, char l)
{
    return l && strchr(letters, l) != NULL;
}

static void add(char *letters, char l)
{
    const size_t n = strlen(letters);
    letters[n] = l;
    letters[n + 1] = 0;
}

static gndm_array *permuted(gndm_ctx *c, gndm_array *x, int n, const int *perm)
{
    gnd_value v[GND_MAX_NDIM];
    int same = 1;
    for (int d = 0; d < n; d++) {
        v[d] = gnd_value_int(perm[d]);
        same = same && perm[d] == d;
    }
    return same ? x : gndm__do(c, "permute_dims", "a v", x, gnd_value_tuple(n, v));
}

static gndm_array *reshaped(gndm_ctx *c, gndm_array *x, int n, const int64_t *shape)
{
    gnd_value v[GND_MAX_NDIM];
    if (!x->status && x->part->ndim == n &&
        !memcmp(x->part->shape, shape, (size_t)n * sizeof *shape))
        return x;
    for (int d = 0; d < n; d++)
        v[d] = gnd_value_int(shape[d]);
    return gndm__do(c, "reshape", "a v", x, gnd_value_tuple(n, v));
}

/* The operand's axes in the order of `letters`, of which it may lack some. */
static void order(gndm_ctx *c, term *t, const char *letters)
{
    int perm[GND_MAX_NDIM], n = 0;
    char axis[GND_MAX_NDIM + 1] = "";
    for (const char *l = letters; *l; l++)
        if (has(t->axis, *l)) {
            axis[n] = *l;
            perm[n++] = (int)(strchr(t->axis, *l) - t->axis);
        }
    if (!t->x->status)
        t->x = permuted(c, t->x, n, perm);
    memcpy(t->axis, axis, sizeof axis);
    t->n = n;
}

/* Sums over the axes of t that are not in `keep`. */
static void sum_out(gndm_ctx *c, term *t, const char *keep, gnd_dtype dtype)
{
    gnd_value v[GND_MAX_NDIM];
    int m = 0, n = 0;
    for (int d = 0; d < t->n; d++)
        if (!has(keep, t->axis[d]))
            v[m++] = gnd_value_int(d);
        else
            t->axis[n++] = t->axis[d];
    t->axis[n] = 0;
    t->n = n;
    if (m)
        t->x = gndm__do(c, "sum", "a axis:v dtype:t", t->x, gnd_value_tuple(m, v), dtype);
}

/* The letters of a, of which those in `in` (yes != 0) or not in it (yes 0), behind `to`. */
static void pick(char *to, const term *a, const char *in, int yes)
{
    size_t n = strlen(to);
    for (int d = 0; d < a->n; d++)
        if (has(in, a->axis[d]) == yes && !has(to, a->axis[d]))
            to[n++] = a->axis[d];
    to[n] = 0;
}

static int64_t extent(const term *t, const char *letters)
{
    int64_t n = 1;
    for (const char *l = letters; *l; l++)
        n *= t->x->part->shape[strchr(t->axis, *l) - t->axis];
    return n;
}

/* a := the sum of the products of a and b over the letters that are not in `keep`. */
static void contract(gndm_ctx *c, term *a, term *b, const char *keep, gnd_dtype t)
{
    char shared[2 * GND_MAX_NDIM + 1] = "", batch[2 * GND_MAX_NDIM + 1] = "";
    char inner[2 * GND_MAX_NDIM + 1] = "", rows[2 * GND_MAX_NDIM + 1] = "";
    char columns[2 * GND_MAX_NDIM + 1] = "", all[4 * GND_MAX_NDIM + 1];
    pick(shared, a, b->axis, 1);
    snprintf(all, sizeof all, "%s%s", keep, shared);
    sum_out(c, a, all, t);
    sum_out(c, b, all, t);
    if (a->x->status || b->x->status) {
        a->x = a->x->status ? a->x : b->x;
        return;
    }
    for (const char *l = shared; *l; l++)
        add(has(keep, *l) ? batch : inner, *l);
    pick(rows, a, shared, 0);
    pick(columns, b, shared, 0);
    snprintf(all, sizeof all, "%s%s%s", batch, rows, inner);
    order(c, a, all);
    snprintf(all, sizeof all, "%s%s%s", batch, inner, columns);
    order(c, b, all);
    if (a->x->status || b->x->status) {
        a->x = a->x->status ? a->x : b->x;
        return;
    }
    const int s = batch[0] != 0;
    const int64_t nb = extent(a, batch), m = extent(a, rows), k = extent(a, inner),
                  n = extent(b, columns);
    int64_t shape[GND_MAX_NDIM];
    int ndim = 0;
    for (const char *l = batch; *l; l++)
        shape[ndim++] = extent(a, (const char[]){*l, 0});
    for (const char *l = rows; *l; l++)
        shape[ndim++] = extent(a, (const char[]){*l, 0});
    for (const char *l = columns; *l; l++)
        shape[ndim++] = extent(b, (const char[]){*l, 0});
    const int64_t left[3] = {nb, m, k}, right[3] = {nb, k, n};
    gndm_array *x = reshaped(c, gndm__as(c, a->x, t), 2 + s, left + !s);
    gndm_array *y = reshaped(c, gndm__as(c, b->x, t), 2 + s, right + !s);
    a->x = reshaped(c, gndm__do(c, "matmul", "a a", x, y), ndim, shape);
    snprintf(all, sizeof all, "%s%s%s", batch, rows, columns);
    memcpy(a->axis, all, (size_t)ndim + 1);
    a->n = ndim;
}

/* --- inner, tensordot ------------------------------------------------------------------------- */

static void letters(term *t, gndm_array *x, char first)
{
    t->x = x;
    t->n = x->part->ndim;
    for (int d = 0; d < t->n; d++)
        t->axis[d] = (char)(first + d);
    t->axis[t->n] = 0;
}

/* The sum over pairs of axes; the other axes of a, then those of b. */
static gnd_status paired(gndm__args *a, gndm_array *x, gndm_array *y, int n, const int64_t *ax,
                         const int64_t *ay, gnd_array *like)
{
    term s, t;
    char keep[2 * GND_MAX_NDIM + 1] = "";
    if (gndm_elements(x) == 0 || gndm_elements(y) == 0 || gnd_ndim(like) > GND_MAX_NDIM)
        return gndm__fn_gathered(a);
    letters(&s, x, 'A');
    letters(&t, y, 'a');
    for (int i = 0; i < n; i++) {
        const int64_t d = ax[i] < 0 ? ax[i] + s.n : ax[i], e = ay[i] < 0 ? ay[i] + t.n : ay[i];
        t.axis[e] = s.axis[d];
    }
    pick(keep, &s, t.axis, 0);
    for (int d = 0; d < t.n; d++)
        if (t.axis[d] >= 'a')
            add(keep, t.axis[d]);
    contract(a->c, &s, &t, keep, gnd_dtype_of(like));
    return gndm__ret_like(a, s.x, like);
}

gnd_status gndm__fn_inner(gndm__args *a)
{
    static const int64_t last = -1;
    gndm_array *x = gndm__arg_array(a, "a"), *y = gndm__arg_array(a, "b");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x || !y || x->part->ndim == 0 || y->part->ndim == 0)
        return st ? st : gndm__fn_gathered(a);
    return paired(a, x, y, 1, &last, &last, like);
}

gnd_status gndm__fn_tensordot(gndm__args *a)
{
    gndm_array *x = gndm__arg_array(a, "x1"), *y = gndm__arg_array(a, "x2");
    const gnd_value *axes = gndm__arg(a, "axes");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    int64_t ax[GND_MAX_NDIM], ay[GND_MAX_NDIM];
    if (st || !x || !y)
        return st ? st : gndm__fn_gathered(a);
    int n = 2, m;
    if (gndm__is_list(axes) && axes->as.items.n == 2) {
        n = gndm__ints(&axes->as.items.item[0], GND_MAX_NDIM, ax);
        m = gndm__ints(&axes->as.items.item[1], GND_MAX_NDIM, ay);
    } else {
        n = m = axes ? (axes->tag == GND_V_INT ? (int)axes->as.i : -1) : 2;
        for (int i = 0; i < n; i++) {
            ax[i] = x->part->ndim - n + i;
            ay[i] = i;
        }
    }
    if (n < 0 || n != m)
        return gndm__fn_gathered(a);
    return paired(a, x, y, n, ax, ay, like);
}

/* --- einsum ----------------------------------------------------------------------------------- */

/* A letter that is more than once in an operand: the diagonal of these axes. */
static void diagonals(gndm_ctx *c, term *t)
{
    for (int d = 0; d < t->n; d++)
        for (int e = d + 1; e < t->n; e++) {
            if (t->axis[e] != t->axis[d])
                continue;
            const char l = t->axis[d];
            t->x = gndm__diagonal(c, t->x, 0, d, e);
            memmove(t->axis + e, t->axis + e + 1, (size_t)(t->n - e));
            memmove(t->axis + d, t->axis + d + 1, (size_t)(t->n - 1 - d));
            t->n--;
            t->axis[t->n - 1] = l;
            t->axis[t->n] = 0;
            e = d;
        }
}

/* Reads the subscripts of n operands: their letters, and those of the result. Returns 0 if each
 * operand has a letter for each axis, without an ellipsis, and a letter has one extent. */
static int read_subscripts(const gnd_value *v, int n, term *t, char *result)
{
    int64_t size[128] = {0};
    char count[128] = {0};
    int i = 0, m = 0, arrow = 0;
    if (v->tag != GND_V_STRING)
        return -1;
    for (size_t k = 0; k < v->as.text.n; k++) {
        const char l = v->as.text.s[k];
        if (l == ' ')
            continue;
        if (l == '-' && k + 1 < v->as.text.n && v->as.text.s[k + 1] == '>') {
            arrow = 1;
            k++;
            m = 0;
        } else if (l == ',' && !arrow && i + 1 < n) {
            i++;
            m = 0;
        } else if (((l >= 'a' && l <= 'z') || (l >= 'A' && l <= 'Z')) && m < GND_MAX_NDIM) {
            char *to = arrow ? result : t[i].axis;
            to[m++] = l;
            to[m] = 0;
            count[(int)l] += !arrow;
        } else {
            return -1;
        }
    }
    if (i + 1 != n)
        return -1;
    for (i = 0; i < n; i++) {
        t[i].n = (int)strlen(t[i].axis);
        if (t[i].n != t[i].x->part->ndim)
            return -1;
        for (int d = 0; d < t[i].n; d++) {
            int64_t *s = &size[(int)t[i].axis[d]];
            if (t[i].x->part->shape[d] == 0 || (*s && *s != t[i].x->part->shape[d]))
                return -1;
            *s = t[i].x->part->shape[d];
        }
    }
    m = arrow ? m : 0;
    for (int l = 'A'; l <= 'z' && !arrow; l++)
        if (count[l] == 1 && m < GND_MAX_NDIM) {
            result[m++] = (char)l;
            result[m] = 0;
        }
    return 0;
}

/* einsum with letters: one operand after the other is multiplied with the product of those before.
 */
gnd_status gndm__fn_einsum(gndm__args *a)
{
    gndm_ctx *c = a->c;
    const int n = a->n - a->nkw - 1;
    char result[GND_MAX_NDIM + 1] = "";
    gnd_array *like;
    gnd_status st = gndm__expect(a, &like);
    term *t = st || n < 1 ? NULL : calloc((size_t)n, sizeof *t);
    if (!st && n > 0 && !t) /* the others have another way */
        st = gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    if (st || !t)
        return st ? st : gndm__fn_gathered(a);
    int fits = gnd_dtype_of(like) != GND_BOOL;
    for (int i = 0; i < n && fits; i++) {
        t[i].x = gndm__as_array(&a->v[1 + i]);
        fits = t[i].x != NULL;
    }
    if (!fits || read_subscripts(&a->v[0], n, t, result)) {
        free(t);
        return gndm__fn_gathered(a);
    }
    const gnd_dtype dt = gnd_dtype_of(like);
    for (int i = 0; i < n; i++)
        diagonals(c, &t[i]);
    for (int i = 1; i < n; i++) {
        char keep[52 + GND_MAX_NDIM + 1] = "";
        strcpy(keep, result);
        for (int k = i + 1; k < n; k++)
            for (int d = 0; d < t[k].n; d++)
                if (!has(keep, t[k].axis[d]))
                    add(keep, t[k].axis[d]);
        contract(c, &t[0], &t[i], keep, dt);
    }
    sum_out(c, &t[0], result, dt);
    order(c, &t[0], result);
    st = gndm__ret_like(a, t[0].x, like);
    free(t);
    return st;
}

/* --- kron, powers, chains --------------------------------------------------------------------- */

/* kron: every rank has the second operand whole, and its part of the first one. */
gnd_status gndm__fn_kron(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "a"), *y = gndm__arg_array(a, "b");
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st || !x || !y || x->part->ndim != y->part->ndim || !gndm__part_split_anywhere(x->part))
        return st ? st : gndm__fn_gathered(a);
    y = gndm__everywhere(c, y);
    if (y->status)
        return gndm__check(c, y);
    const int ndim = x->part->ndim;
    gndm_part *p = gndm__part_new(c, ndim, gnd_shape(like));
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    for (int d = 0; d < ndim && cut; d++) {
        for (int k = 0; k <= x->part->grid[d] && x->part->grid[d] > 1; k++)
            cut[k] = x->part->cut[d][k] * y->part->shape[d];
        gndm__part_split(c, p, d, x->part->grid[d], x->part->stride[d], cut);
    }
    free(cut);
    gnd_array *z = gnd_status_of(x->local) ? x->local : gnd_kron(x->local, y->local);
    const gnd_status r = cut ? gndm__ret_like(a, gndm__array(c, gnd_dtype_of(like), p, z), like)
                             : gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", a->name);
    gndm_part_free(p);
    return r;
}

/* matrix_power by repeated squares. */
gnd_status gndm__fn_matrix_power(gndm__args *a)
{
    gndm_ctx *c = a->c;
    gndm_array *x = gndm__arg_array(a, "x"), *y = NULL;
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    int64_t n = gndm__arg_int(a, "n", 0);
    if (st || !x || n == 0 || x->part->ndim < 2 || n == INT64_MIN)
        return st ? st : gndm__fn_gathered(a);
    if (n < 0) {
        x = gndm__do(c, "inv", "a", x);
        n = -n;
    }
    for (; n && !x->status; n /= 2) {
        if (n % 2)
            y = y ? gndm__do(c, "matmul", "a a", y, x) : x;
        if (n > 1)
            x = gndm__do(c, "matmul", "a a", x, x);
    }
    return gndm__ret_like(a, x->status ? x : y, like);
}

/* multi_dot: the order of products with the least work, by its usual recurrence. */
gnd_status gndm__fn_multi_dot(gndm__args *a)
{
    enum { MOST = 64 };
    gndm_ctx *c = a->c;
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    int n = 0;
    gndm_array **x = st ? NULL : gndm__list(a, gndm__arg(a, "arrays"), &n);
    if (st || !x || n < 2 || n > MOST)
        return st ? st : gndm__fn_gathered(a);
    double size[MOST + 1], least[MOST][MOST] = {{0}};
    int at[MOST][MOST];
    for (int i = 0; i < n; i++) { /* a vector at an end is a matrix of one row or column */
        if (x[i]->status)
            return gndm__check(c, x[i]);
        const gndm_part *p = x[i]->part;
        size[i] = p->ndim > 1 || i ? (double)p->shape[0] : 1;
        if (i == n - 1)
            size[n] = p->ndim > 1 ? (double)p->shape[1] : 1;
    }
    for (int len = 1; len < n; len++)
        for (int i = 0; i + len < n; i++) {
            least[i][i + len] = -1;
            for (int k = i; k < i + len; k++) {
                const double w =
                    least[i][k] + least[k + 1][i + len] + size[i] * size[k + 1] * size[i + len + 1];
                if (least[i][i + len] < 0 || w < least[i][i + len]) {
                    least[i][i + len] = w;
                    at[i][i + len] = k;
                }
            }
        }
    /* the products of the tree, from a stack of intervals */
    gndm_array *done[MOST][MOST] = {{NULL}};
    int stack[2 * MOST][2], top = 0;
    stack[top][0] = 0;
    stack[top++][1] = n - 1;
    while (top) {
        const int i = stack[top - 1][0], j = stack[top - 1][1];
        if (i == j) {
            done[i][j] = x[i];
            top--;
            continue;
        }
        const int k = at[i][j];
        if (done[i][k] && done[k + 1][j]) {
            done[i][j] = gndm__do(c, "matmul", "a a", done[i][k], done[k + 1][j]);
            top--;
            continue;
        }
        if (!done[i][k]) {
            stack[top][0] = i;
            stack[top++][1] = k;
        } else {
            stack[top][0] = k + 1;
            stack[top++][1] = j;
        }
    }
    return gndm__ret_like(a, done[0][n - 1], like);
}
