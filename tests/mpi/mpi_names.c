/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_names.c [WAYS] - functions of distributed arrays, by texts of the expression language: a text
 * has the same value for distributed arrays, in ways of cutting (digits of dist_part; all of them
 * by default), as for arrays of gnd on one rank. Started by mpi_names.sh.
 */
#include "dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A text, and the tolerance as a part of the largest element; 0: the same bits. DEAR: PoCL compiles
 * kernels for it, on each rank. */
enum { DEAR = 1 };
typedef struct row {
    const char *text;
    double tol;
    int dear;
} row;

static const row rows[] = {
    /* joins and pieces */
    {"concat((x, y), axis=0)", 0, 0},
    {"concatenate((x, i, x), axis=1)", 0, 0},
    {"concat((x, v), axis=None)", 0, DEAR},
    {"concat((v, w, v[:0], w))", 0, DEAR},
    {"concat((x[3:], y[:3], x[:1]))", 0, 0},
    {"stack((x, y))", 0, 0},
    {"stack((x, i, y), axis=-1)", 0, 0},
    {"stack((v, v), axis=1)", 0, 0},
    {"vstack((x, x[0], y[:2]))", 0, 0},
    {"vstack((v, w[:60]))", 0, 0},
    {"hstack((x, y, i))", 0, 0},
    {"hstack((v, w))", 0, 0},
    {"dstack((x, y))", 0, 0},
    {"column_stack((v, w[:60], v))", 0, 0},
    {"append(x, y, axis=0)", 0, 0},
    {"append(x, y)", 0, 0},
    {"append(v, [1, 2])", 0, 0},
    {"block([[x, y], [i, x]])", 0, DEAR},
    {"block([v, w])", 0, 0},
    {"asarray([v, w[:60]])", 0, 0},
    {"p, q, r = split(x, [4, 9]); concat((r, p, q))", 0, 0},
    {"p, q, r = split(v, 3); q - r + p", 0, 0},
    {"p, q, r, s, t = array_split(x, 5); s", 0, 0},
    {"p, q = hsplit(x, 2); q", 0, 0},
    {"p, q = vsplit(x, [5]); q", 0, 0},
    {"p, q = dsplit(c, 2); q", 0, 0},
    {"p, q, r = unstack(x[:3]); r", 0, 0},
    /* shifts */
    {"roll(v, 7)", 0, 0},
    {"roll(x, -5)", 0, 0},
    {"roll(x, (3, -2), axis=(0, 1))", 0, 0},
    {"roll(x, 25, axis=0)", 0, 0},
    {"fftshift(x) + ifftshift(y, axes=0)", 0, DEAR},
    {"flip(x)", 0, 0},
    {"flip(v)", 0, 0},
    {"flip(c, axis=(0, 2))", 0, DEAR},
    {"flipud(x) + fliplr(y)", 0, 0},
    {"rot90(x)", 0, 0},
    {"rot90(x, 2) + x", 0, 0},
    {"rot90(c, 3, axes=(1, 2))", 0, 0},
    {"repeat(x, 3)", 0, 0},
    {"repeat(x, 2, axis=0)", 0, 0},
    {"repeat(x, 3, axis=1)", 0, 0},
    {"repeat(v[:5], [1, 0, 2, 3, 1])", 0, DEAR},
    {"tile(v, 2)", 0, 0},
    {"tile(x, (9, 1))", 0, DEAR},
    {"tile(x, (2, 2, 3))", 0, 0},
    {"resize(x, (7, 50))", 0, 0},
    {"pad(v, 3)", 0, 0},
    {"pad(x, ((2, 3), (1, 0)), mode='edge')", 0, DEAR},
    {"pad(x, 2, constant_values=5)", 0, 0},
    {"pad(v, (70, 3), mode='wrap')", 0, 0},
    {"pad(x, ((5, 2), (3, 3)), mode='reflect')", 0, DEAR},
    {"pad(x, ((30, 0), (0, 1)), mode='symmetric')", 0, DEAR},
    {"pad(x, 4, mode='linear_ramp', end_values=2)", 1e-6, DEAR},
    {"pad(x, 2, mode='maximum')", 0, 0},
    /* grids */
    {"broadcast_to(v, (4, 60))", 0, 0},
    {"broadcast_to(x[:, :1], (23, 12))", 0, DEAR},
    {"p, q = broadcast_arrays(x, x[0]); p + q", 0, 0},
    {"p, q = meshgrid(v, w); p * q", 0, 0},
    {"p, q = meshgrid(v, w, indexing='ij', sparse=True); p + q", 0, 0},
    {"p, q = ix_(k1, k1); p + q", 0, 0},
    {"subtract.outer(v, w[:7])", 0, 0},
    {"multiply.outer(x, k1)", 0, 0},
    /* diagonals */
    {"diagonal(x)", 0, 0},
    {"diagonal(x, 3)", 0, 0},
    {"diagonal(x, -8)", 0, 0},
    {"diagonal(c, 1, axis1=2, axis2=0)", 0, 0},
    {"trace(x, 1)", 1e-6, 0},
    {"trace(c, axis1=0, axis2=1)", 1e-6, 0},
    {"linalg.trace(s)", 1e-6, DEAR},
    {"diag(x, 2)", 0, 0},
    {"diag(v)", 0, 0},
    {"diag(v, -3)", 0, 0},
    {"diagflat(x[:3, :4], 2)", 0, 0},
    {"fill_diagonal(x, 7)", 0, 0},
    /* statistics */
    {"average(x)", 1e-6, DEAR},
    {"average(x, axis=0, weights=abs(y))", 1e-5, 0},
    {"average(x, axis=1, weights=w[:12], keepdims=True)", 1e-5, DEAR},
    {"p, q = average(i, axis=0, returned=True); p + q", 1e-6, DEAR},
    {"cov(x)", 2e-5, 0},
    {"cov(x, y, rowvar=False, bias=True)", 2e-5, 0},
    {"cov(z)", 2e-5, DEAR},
    {"corrcoef(x, rowvar=False)", 2e-5, DEAR},
    {"corrcoef(v, w[:60])", 2e-5, DEAR},
    {"diff(v)", 0, 0},
    {"diff(x, 3, axis=0)", 0, DEAR},
    {"diff(x, axis=1, prepend=1, append=y[:, :2])", 0, 0},
    {"diff(x, 30)", 0, 0},
    {"diff(b, axis=0)", 0, 0},
    {"ediff1d(x, to_begin=1, to_end=v[:2])", 0, 0},
    {"p, q = gradient(x); p + q", 0, 0},
    {"gradient(v, 0.5)", 0, 0},
    {"gradient(x, sqrt(arange(23) * 3 + 1), axis=0, edge_order=2)", 1e-6, DEAR},
    {"trapezoid(x, axis=0)", 1e-5, DEAR},
    {"trapezoid(v, cumsum(abs(w[:60]) + 1))", 1e-5, DEAR},
    {"trapezoid(x, dx=0.25)", 1e-5, 0},
    {"nansum(n)", 1e-5, DEAR},
    {"nansum(n, axis=1) + nanprod(n / 20, axis=1)", 1e-5, DEAR},
    {"nanmean(n, axis=0)", 1e-5, 0},
    {"nanmean(astype(i, float16))", 1e-3, DEAR},
    {"nanvar(n, axis=0, ddof=1)", 1e-5, DEAR},
    {"nanstd(n)", 1e-5, DEAR},
    {"nanmax(n, axis=0) + nanmin(n, axis=0)", 0, DEAR},
    {"nanmax(i, axis=1)", 0, DEAR},
    {"nanargmax(n[:20], axis=1) + nanargmin(i[:20], axis=1)", 0, DEAR},
    {"ptp(x, axis=0)", 0, DEAR},
    {"logsumexp(x, axis=0)", 1e-5, DEAR},
    {"softmax(v)", 1e-5, DEAR},
    {"log_softmax(x, axis=0)", 1e-5, 0},
    {"normalize(x) + standardize(y, axis=0)", 1e-5, DEAR},
    {"lexsort((k2, k1))", 0, DEAR},
    {"histogram_bin_edges(x)", 1e-6, DEAR},
    {"add.reduce(x)", 1e-5, 0},
    {"logical_or.reduce(b, axis=1)", 0, 0},
    {"maximum.accumulate(x)", 0, 0},
    {"add.accumulate(x, axis=1)", 1e-5, DEAR},
    /* cases */
    {"select([x > 2, x > 0], [x, 2 * y], -1)", 0, 0},
    {"choose(i % 3, [x, y, 5])", 0, DEAR},
    {"piecewise(x, [x > 1, x < -1], [2, -2, 0])", 0, 0},
    /* neighbours */
    {"sliding_window_view(v, 5)", 0, 0},
    {"sliding_window_view(x, (3, 2))", 0, DEAR},
    {"median_filter(x, 3)", 0, 0},
    {"rank_filter(x, 2, size=(3, 5), mode='mirror')", 0, DEAR},
    {"minimum_filter(x, size=4, mode='nearest') + maximum_filter(x, 3, mode='constant', cval=1)", 0,
     DEAR},
    {"grey_opening(x, (3, 3))", 0, DEAR},
    {"median_filter(x, 3, mode='wrap')", 0, 0},
    {"binary_erosion(b) | binary_dilation(b, iterations=2)", 0, DEAR},
    {"binary_closing(b, structure=ones((3, 3)))", 0, DEAR},
    {"convolve2d(x, y[:3, :4])", 1e-5, DEAR},
    {"convolve2d(x, y[:4, :3], mode='same', boundary='symm')", 1e-5, DEAR},
    {"convolve2d(x, y[:2, :3], mode='valid')", 1e-5, 0},
    {"fftconvolve(x, y[:3, :5], mode='same')", 1e-5, DEAR},
    {"fftconvolve(v, w[:9])", 1e-5, DEAR},
    /* norms */
    {"vector_norm(x)", 1e-5, DEAR},
    {"vector_norm(x, axis=0, ord=3, keepdims=True)", 1e-5, DEAR},
    {"vector_norm(z, axis=1) + vector_norm(z, axis=1, ord=inf)", 1e-5, DEAR},
    {"norm(x) + norm(x, 'fro') + norm(x, 1) + norm(x, -inf)", 1e-5, DEAR},
    {"norm(v, 0) + norm(i[0], 1)", 1e-5, 0},
    {"matrix_norm(s) + matrix_norm(s, ord=-1)", 1e-5, DEAR},
    {"matrix_norm(s, ord=2) + matrix_norm(s, ord='nuc')", 1e-5, 0},
    {"cond(t)", 1e-4, 0},
    {"cond(s, 1)", 1e-3, DEAR},
    /* sums of products */
    {"inner(x, y)", 1e-5, 0},
    {"inner(i, i)", 0, 0},
    {"inner(v, w[:60])", 1e-5, DEAR},
    {"tensordot(x, y, axes=((0,), (0,)))", 1e-5, 0},
    {"tensordot(c, c, axes=((2, 0), (2, 0)))", 1e-5, DEAR},
    {"tensordot(x, v[:4], axes=0)", 1e-6, 0},
    {"einsum('ij,kj->ki', x, y)", 1e-5, 0},
    {"einsum('ij,ij->j', x, y)", 1e-5, 0},
    {"einsum('ij->ji', x)", 0, 0},
    {"einsum('sij,sjk->sik', s, s)", 1e-5, DEAR},
    {"einsum('sii->s', s)", 1e-5, 0},
    {"einsum('ij,kj,k', x, y, w[:23])", 1e-5, 0},
    {"einsum('...j,j->...', x, w[:12])", 1e-5, 0},
    {"kron(x, y[:2, :3])", 0, 0},
    {"kron(v, w[:3])", 0, 0},
    {"matrix_power(s / 8, 5)", 1e-5, 0},
    {"matrix_power(s, -1)", 1e-3, 0},
    {"multi_dot([x, y.T, x, w[:12]])", 1e-5, 0},
    {"cross(x[:, :3], y[:, :3])", 1e-6, 0},
    /* matrices */
    {"u, d, e = svd(t, full_matrices=False); (u * d) @ e", 1e-5, 0},
    {"u, d, e = svd(t.T, full_matrices=False); (u * d) @ e", 1e-5, 0},
    {"svdvals(t)", 1e-5, 0},
    {"svdvals(t.T)", 1e-5, 0},
    {"svdvals(s)", 1e-5, 0},
    {"u, d, e = svd(s); (u * expand_dims(d, -2)) @ e", 1e-5, 0},
    {"matrix_rank(t) + matrix_rank(concat((t, t), axis=1))", 0, 0},
    {"pinv(t)", 1e-4, 0},
    {"pinv(t.T)", 1e-4, 0},
    {"eigvalsh(s + s.mT)", 1e-5, 0},
    {"d, e = eigh(s + s.mT); (e * expand_dims(d, -2)) @ e.mT", 1e-4, 0},
    {"p, l, u = lu(s); p @ l @ u", 1e-5, 0},
    {"expm(s / 9)", 1e-5, DEAR},
    {"solve_triangular(s[0] + 9 * eye(6), x[:6])", 1e-4, DEAR},
    {"cho_solve((cholesky(s[0] @ s[0].T + eye(6)), True), x[:6])", 1e-3, DEAR},
    {"polyfit(cumsum(abs(v)), v, 2)", 1e-3, DEAR},
    {"vander(v, 4)", 0, 0},
    /* changed elements */
    {"set_at(x, k3, 5)", 0, DEAR},
    {"set_at(x, x > 1, 0)", 0, 0},
    {"add_at(x, k1 % 7, y[:9])", 1e-6, DEAR},
    {"max_at(v, k1, w[:9])", 0, DEAR},
    {"put(x, [3, -1, 100], [7, 8])", 0, 0},
    {"putmask(x, x > 0, y)", 0, DEAR},
    {"putmask(x, b, w[:5])", 0, DEAR},
    {"place(x, b, w[:5])", 0, DEAR},
    {"copyto(x, w[:12], where=b)", 0, 0},
    {"put_along_axis(x, i[:3] % 23, 5, axis=0)", 0, DEAR},
    {"insert(x, 3, 7, axis=0)", 0, 0},
    {"insert(v, 4, w[:3])", 0, 0},
    {"insert(x, [1, 5], 9, axis=1)", 0, DEAR},
    {"delete(x, 4, axis=0)", 0, 0},
    {"delete(x, [0, 3, 22], axis=0)", 0, DEAR},
    {"delete(v, -1)", 0, 0},
    {"take(w[:9], i % 9)", 0, DEAR},
    {"view_dtype(x, int32) + view_dtype(x, int16)[:, ::2]", 0, DEAR},
    {"p, q = tril_indices_from(x); p + q", 0, 0},
    {"p, q = triu_indices(9); p - q", 0, 0},
    {"indices((9, 4))", 0, 0},
    {"x * (ndim(x) + size(x, 1))", 0, 0},
    {"x + array_equiv(x, x[0])", 0, DEAR},
};

/* Random orders and draws: the text, with generators of one seed. */
static const row draws[] = {
    {"random.seed(7); permutation(41)", 1e-6, DEAR},
    {"random.seed(8); permutation(x)", 1e-6, 0},
    {"random.seed(9); shuffle(x, axis=1)", 1e-6, DEAR},
    {"random.seed(1); permuted(x, axis=0)", 1e-6, DEAR},
    {"random.seed(2); permuted(v)", 1e-6, DEAR},
    {"random.seed(3); choice(50, 31)", 1e-6, 0},
    {"random.seed(4); choice(v, (5, 8))", 1e-6, DEAR},
    {"random.seed(5); choice(x, 17, replace=False)", 1e-6, 0},
    {"random.seed(6); choice(5, 40, p=[0.1, 0.2, 0.3, 0.4, 0])", 1e-6, 0},
    {"random.seed(7); random.dirichlet([1, 2, 3], 20)", 1e-6, 0},
    {"random.seed(7); random.multinomial(20, [0.5, 0.25, 0.25], 21)", 1e-6, 0},
    {"random.seed(7); random.multivariate_normal(zeros(2), eye(2), 33)", 1e-6, 0},
};

enum { NAMES = 14 };
static const char *const names[NAMES] = {"x", "y", "v", "w", "i",  "n",  "b",
                                         "z", "c", "s", "t", "k1", "k2", "k3"};
static gnd_array *plain[NAMES];

static void fill(void)
{
    const int64_t m[2] = {23, 12}, line = 60, longer = 90, cube[3] = {9, 4, 6}, s[3] = {7, 6, 6},
                  tall[2] = {91, 6}, nine = 9;
    const int64_t k1[9] = {3, 1, 4, 1, 5, 9, 2, 6, 5}, k3[4] = {0, 22, 7, 8};
    const int64_t four = 4;
    plain[0] = gnd_mul_f(dist_sample(GND_FLOAT32, 2, m, 1), 4);
    plain[1] = gnd_mul_f(dist_sample(GND_FLOAT32, 2, m, 2), 4);
    plain[2] = gnd_mul_f(dist_sample(GND_FLOAT32, 1, &line, 3), 4);
    plain[3] = gnd_mul_f(dist_sample(GND_FLOAT32, 1, &longer, 4), 4);
    plain[4] = gnd_remainder(gnd_abs(dist_sample(GND_INT32, 2, m, 5)), gnd_int(11));
    plain[5] = gnd_where(gnd_less(plain[1], gnd_real(-2)), gnd_real(NAN), plain[0]);
    plain[6] = gnd_greater(plain[0], gnd_real(-1.5));
    plain[7] = dist_sample(GND_COMPLEX64, 2, m, 6);
    plain[8] = dist_sample(GND_FLOAT32, 3, cube, 7);
    plain[9] = dist_sample(GND_FLOAT32, 3, s, 8);
    plain[10] = dist_sample(GND_FLOAT32, 2, tall, 9);
    plain[11] = gnd_from(dev, GND_INT64, 1, &nine, k1);
    plain[12] = gnd_flip(plain[11], GND_ALL);
    plain[13] = gnd_from(dev, GND_INT64, 1, &four, k3);
}

static void compare(const char *text, gndm_array *const *spread, double tol, int way)
{
    gndm_scope_begin(ctx);
    gnd_scope_begin();
    gnd_array *ref = gnd_eval_names(dev, text, NAMES, names, plain);
    gndm_array *y = gndm_eval(ctx, text, NAMES, names, spread);
    dist_same(y, ref, tol, "way %d: %s", way, text);
    gnd_scope_end();
    gndm_scope_end(ctx);
}

/* Errors are those of one rank, on all ranks. */
static void refusals(gndm_array *const *spread)
{
    static const char *const texts[] = {"concat((x, v))", "stack((x, c))", "pad(x, -1)",
                                        "einsum('ij,kl->im', x, y)", "as_strided(x, (2,), (1,))"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gndm_array *y = gndm_eval(ctx, texts[i], NAMES, names, spread);
        dist_ok(gndm_status_of(y) != GND_OK, "%s: %.100s", texts[i], gndm_error(y));
        gndm_release(y);
    }
}

/* Every function of gnd has a class but as_strided; results that are no arrays. */
static void others(gndm_array *x)
{
    const char *name, *lacks = "";
    int gathered = 0, n = 0, missing = 0;
    for (int i = 0; gnd_function_at(i); i++)
        for (int k = 0; (name = gnd_function_name(gnd_function_at(i), k)); k++) {
            gnd_function_info info;
            gnd_function_describe(gnd_function_at(i), &info);
            const char *cls = info.signature[0] ? gndm_function_class(name) : "a method";
            n++;
            gathered += cls && !strcmp(cls, "gathered");
            missing += !cls;
            lacks = cls ? lacks : name;
        }
    dist_ok(missing == 1 && !strcmp(lacks, "as_strided"), "all of %d names have a class, not %s", n,
            lacks);
    dist_ok(gathered == 3, "%d names are always gathered", gathered);
    const gnd_value e[2] = {gnd_value_int(3), gnd_value_int(1)};
    const gnd_value shapes[2] = {gnd_value_tuple(2, e), gnd_value_tuple(1, e)};
    gnd_value out, v = gndm_value(x);
    gnd_status st = gndm_call(ctx, "broadcast_shapes", 2, shapes, 0, NULL, &out);
    dist_ok(!st && out.tag == GND_V_TUPLE && out.as.items.n == 2 && out.as.items.item[1].as.i == 3,
            "broadcast_shapes");
    gndm_value_clear(&out);
    st = gndm_call(ctx, "size", 1, &v, 0, NULL, &out);
    dist_ok(!st && out.tag == GND_V_INT && out.as.i == gndm_elements(x), "size");
    v = gnd_value_dtype(GND_FLOAT32);
    st = gndm_call(ctx, "finfo", 1, &v, 0, NULL, &out);
    dist_ok(!st && gnd_value_field(&out, "eps"), "finfo");
    gndm_value_clear(&out);
}

static void all_of(const row *r, size_t n, gndm_array *const *spread, int way, int few,
                   const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (!(few && r[i].dear) && (!word || strstr(r[i].text, word)))
            compare(r[i].text, spread, r[i].tol, way);
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    const int few = argc < 2;
    const char *ways = few ? "1" : argv[1], *word = argc > 2 ? argv[2] : NULL;
    fill();
    for (const char *way = ways; *way; way++) {
        gndm_array *spread[NAMES];
        gndm_scope_begin(ctx);
        for (int i = 0; i < NAMES; i++)
            spread[i] = dist_array(plain[i], *way - '0');
        all_of(rows, sizeof rows / sizeof *rows, spread, *way - '0', few, word);
        all_of(draws, sizeof draws / sizeof *draws, spread, *way - '0', few, word);
        if (way == ways && !word) {
            refusals(spread);
            others(spread[0]);
        }
        gndm_scope_end(ctx);
    }
    return dist_end();
}
