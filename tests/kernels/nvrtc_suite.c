/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nvrtc_suite.c - CUDA without a GPU: the kernels that gnd writes for a set of graphs in every
 * dtype (for "null:2", the null device of CUDA's dialect), and every function of kernels/, compiled
 * by NVRTC to machine code with the options of the plugin. For compute capability 7.0 where the
 * toolkit still has it, 8.0, 9.0 and its newest: the functions for each, and of the graphs every
 * second or fourth one in each dtype (all in float32) for one of them in turn; with GND_TEST_ALL
 * set every graph in every dtype for each, which takes minutes. Of the new kernels every fourth is
 * compiled. In a build with sanitizers it is every 48th: the texts are made there as well, but
 * NVRTC has no sanitizers. At the end every `@text` section of kernels/, the bodies of primitives,
 * must have been in some kernel, those of the shapes for CPUs too.
 */
#include "tap.h"

#include "base/words.h"
#include "codegen/prelude.h"
#include "graph/graph.h"
#include "nvrtcrun.h"
#include "prim/accumulate.h"
#include "prim/compact.h"
#include "prim/search.h"
#include "prim/sort.h"
#include "prim/solve.h"
#include "device/device.h"

#include <glob.h>
#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEN = 4096 };
static int arch[NVRTC_ARCHS], narch;
static char *seen[MAX_SEEN];
static int nseen;

/* Every function of kernels/ in one program: naming it is enough. */
static void test_functions(void)
{
    gnd__str body = {0}, src = {0};
    gnd_props props;
    gnd_err e = {0};
    char name[96];
    int n = 0;
    memset(&props, 0, sizeof props);
    props.dialect = GND_DIALECT_CUDA;
    props.has_f64 = 1;
    for (; !gnd__kernel_function(GND_DIALECT_CUDA, n, name, sizeof name); n++)
        gnd__str_addf(&body, "/* %s */\n", name);
    gnd__str_add(&body, "GND_KERNEL void k(GND_GLOBAL g_i32 *p) { *p = 0; }\n");
    if (tap_ok(!gnd__prelude(&src, gnd__str_get(&body), &props, &e), "a prelude of %d functions",
               n)) {
        gnd__str_add(&src, gnd__str_get(&body));
        for (int a = 0; a < narch; a++)
            tap_ok(nvrtc_build(gnd__str_get(&src), arch[a]), "%d functions for sm_%d", n, arch[a]);
    } else {
        tap_diag("%s", e.msg);
    }
    gnd__str_free(&body);
    gnd__str_free(&src);
}

/* Whether a text is new; takes a copy of it. */
static int is_new(const char *text, size_t n)
{
    for (int i = 0; i < nseen; i++)
        if (strlen(seen[i]) == n && !memcmp(seen[i], text, n))
            return 0;
    if (nseen == MAX_SEEN)
        tap_bail("more than %d kernels", MAX_SEEN);
    char *s = calloc(1, n + 1);
    if (!s)
        tap_bail("out of memory");
    memcpy(s, text, n);
    seen[nseen++] = s;
    return 1;
}

/* Compiles the text for sm, with what tensor cores have there; before 8.0 they have nothing. */
static int build_for(char *text, int sm)
{
    static const char wide[] = "#define WIDE_MMA 1";
    char *at = strstr(text, wide);
    if (sm < 80 && strstr(text, "mma.sync"))
        sm = 80;
    if (at && sm < 90)
        at[sizeof wide - 2] = '0';
    const int ok = nvrtc_build(text, sm);
    if (at)
        at[sizeof wide - 2] = '1';
    return ok;
}

/* Compiles the kernels of a plan that were not yet; 1 when all went. */
static int build_plan(const char *plan)
{
    static const char mark[] = "--- source of kernel ", end[] = "\n---\n";
    int ok = 1;
    for (const char *p = plan; (p = strstr(p, mark)) != NULL;) {
        const char *text = strchr(p, '\n');
        const char *stop = text ? strstr(text, end) : NULL;
        if (!stop)
            return 0;
        text++;
        if (is_new(text, (size_t)(stop + 1 - text))) {
            const int all = getenv("GND_TEST_ALL") != NULL, every = all               ? 1
                                                                    : tap_sanitized() ? 48
                                                                                      : 4;
            for (int a = 0; a < narch && ok; a++)
                if (all || ((nseen - 1) % every == 0 && (nseen - 1) / every % narch == a))
                    ok = build_for(seen[nseen - 1], arch[a]);
            if (!ok)
                tap_diag("%s", seen[nseen - 1]);
        }
        p = stop;
    }
    return ok;
}

/* x, y: 64 x 48; r: 48; c: 64 x 1. What a dtype does not have is passed over. */
static const char *const graphs[] = {
    "2*x + 3*y - sqrt(x*x + y*y)",
    "where(x > y, x + 1, y * y)",
    "x + r",
    "x * c - r",
    "x.T + 1",
    "x[::-1, ::2] + y[:, :24]",
    "x[3:9, 5] * 2",
    "sum(x)",
    "sum(x * y + 1, axis=0)",
    "sum(x, axis=1)",
    "prod(x, axis=1)",
    "mean(x, axis=0)",
    "var(x, axis=1)",
    "std(x)",
    "max(x, axis=1) - min(x, axis=1)",
    "max(x)",
    "argmax(x, axis=0)",
    "argmin(x)",
    "any(x > y)",
    "all(x >= y, axis=1)",
    "count_nonzero(x)",
    "exp(x - max(x, axis=1, keepdims=True))",
    "sum((x - mean(x)) ** 2)",
    "x @ y.T",
    "x @ r",
    "broadcast_to(x, (1000, 64, 48)).reshape(-1, 48).T @ broadcast_to(y, (1000, 64, 48)).reshape(-1, 48)",
    "x.astype(float32) + 1",
    "x.astype(float16)",
    "x.astype(bfloat16)",
    "x.astype(int8)",
    "x.astype(uint64)",
    "x.astype(complex128)",
    "concat([x, y], axis=1) + 1",
    "roll(x, 1, axis=0) + roll(roll(x, 1, axis=0), -1, axis=1)",
    "pad(x, 1)[:-2, 1:-1] + pad(x, 1)[2:, 1:-1] + x",
    "stack([x, y, x + y]) * 2",
    "tile(r, (3, 2))",
    "repeat(x, 3, axis=0)",
    "roll(x, 5)",
    "tril(x)",
    "clip(x, 0, 1)",
    "x // 3 % 2",
    "sin(x) * cos(y) + tanh(x)",
    "log1p(x) + expm1(y) + erf(x)",
    "x ** y + arctan2(x, y) + hypot(x, y)",
    "gamma(x) + digamma(y) + erfinv(x) + log_ndtr(y) + i0(r)",
    "sinc(x) + ldexp(logit(y), 3) + frexp(x)[0] * modf(y)[0]",
    "nan_to_num(x) + fmax(x, y)",
    "gcd(x, y) + lcm(x, r) + fmod(x, y)",
    "floor(x) + ceil(y) + round(x)",
    "real(x) + imag(y) + abs(x)",
    "x & y ^ x | y",
    "x << 3 >> 1",
    "isnan(x) | isfinite(y)",
    "x[:2, [1, 0, 5]] * x[[[1], [3]], [1, 2, 3]]",
    "set_at(x, ([1, 2, 1], [3, 4, 3]), r[:3])",
    "x[3:9:2, ::-3] = y[:3, ::3]; x",
    "x[1:-1, 1:] = 2 * y[1:-1, 1:]; x",
    "sum(broadcast_to(x, (1000000, 64, 48)))",
    "sum(broadcast_to(x, (1000000, 64, 48)), axis=0)",
    "broadcast_to(x, (1000000, 64, 48)) + y",
    "cumsum(x, axis=1)",
    "cumprod(x + y, axis=0)",
    "cummax(broadcast_to(x, (10, 64, 48)))",
    "cumulative_sum(broadcast_to(x, (1000, 64, 48)), axis=0, include_initial=True)",
    "cumsum(broadcast_to(x[0, 0], (1000000,)))",
    "take(x, randint(0, 64, 8001), 0)",
    "nancumprod(broadcast_to(x[0, :3], (1000000, 3)), axis=0)",
    "searchsorted(r, x)",
    "searchsorted(r, x + 1, side='right')",
    "interp(x, r, r)",
    "polyval(r, x)",
    "histogram(x, 10, (0, 1))[0]",
    "bincount((x > y).ravel(), length=2)",
    "bincount(x[0].astype(int32), length=100000)",
    "bincount(broadcast_to(x, (1000, 64, 48)).ravel().astype(int32), length=20000)",
    "cumsum(broadcast_to(x, (100, 64, 48)).reshape(100, 3072), axis=1)",
    "sort(x)",
    "argsort(x, axis=0)",
    "sort(broadcast_to(x, (100, 64, 48)).reshape(100, 3072))",
    "argsort(broadcast_to(x, (100, 64, 48)).reshape(100, 3072))",
    "sort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "argsort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "random(5000, dtype=float32) + rand(5000, dtype=float64)",
    "randn(5000, dtype=float32)",
    "integers(1000, size=5000) + randint(-3, 1 << 40, (64, 1))",
    "random.gamma(real(x)) + poisson(real(y)) * binomial(9, 0.5, (64, 48))",
    "normal(x, 2.0) * geometric(0.5, (64, 48)) + laplace(0.0, 1.0, (64, 48))",
};

/* The same in the shapes for CPUs, which any device runs when GND_KERNEL_SHAPE says so. */
static const char *const cpu_graphs[] = {
    "searchsorted(arange(50), arange(20000))",
    "pad(x, ((0, 0), (60, 60)))[:, 40:] + roll(pad(x, ((0, 0), (60, 60))), 1, axis=1)[:, 40:]",
    "2*x + 3*y - sqrt(x*x + y*y)",
    "x.T + r[:, None] + y.T",
    "sum(x)",
    "sum(x, axis=0) + max(y, axis=0)",
    "argmax(x, axis=1)",
    "x @ y.T",
    "cumsum(x, axis=1)",
    "cumprod(x + y, axis=0)",
    "cumsum(broadcast_to(x, (1000, 64, 48)).reshape(-1))",
    "cumsum(broadcast_to(x[0, :3], (1000000, 3)), axis=0)",
    "searchsorted(r, x)",
    "bincount(broadcast_to(x > y, (1000, 64, 48)).ravel(), length=2)",
    "bincount(real(x)[0].astype(int32), length=100000)",
    "sort(x)",
    "argsort(x, axis=0)",
    "sort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "argsort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "sort(broadcast_to(x, (100, 64, 48)).reshape(100, 3072))",
    "median(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "exp(x[:, :3] - c) * y[:, :3]",
    "x[:, :3] * 2 + c",
    "sum(exp(x[:, :45] - c), axis=1)",
    "exp(x[:, :45] - c) / sum(exp(x[:, :45] - c), axis=1, keepdims=True)",
    "take(x, integers(64, size=100), axis=0)[:, :5] + r[:5]",
    "put_along_axis(x, integers(64, size=(5, 48)), x[:5], axis=0)",
    "put(x, integers(3072, size=500), 2)",
    "fft(x)",
};

/* How a primitive may go otherwise: for a few dtypes. */
static const char *const prim_graphs[] = {
    "fft(x)",
    "ifft(x, axis=0)",
    "add_at(broadcast_to(x[0, 0], (9000,)), integers(9000, size=1100000), broadcast_to(x[0, 1], (1100000,)))",
    "add_at(broadcast_to(x, (3, 64, 48))[0, :20], integers(20, size=50000) , broadcast_to(x[0], (50000, 48)))",
    "fft(broadcast_to(x[0, 0], (3, 5000)))",
    "fft(broadcast_to(x[0, 0], (3, 4096)))",
    "fft(broadcast_to(x[0, 0], (3, 289)))",
    "rfft(real(x))",
    "irfft(x)",
    "solve(x[:48], r)",
    "qr(x)[0]",
    "qr(x.reshape(8, 8, 48))[0]",
    "qr(broadcast_to(x, (9, 64, 48)).reshape(576, 48))[0]",
    "qr(broadcast_to(x[0], (9, 130, 48)), 'complete')[1]",
    "svd(x)[1]",
    "inv(x[:48])",
    "det(x[:48].reshape(256, 3, 3))",
    "inv(x[:48].reshape(144, 4, 4))",
    "solve(x[:48].reshape(256, 3, 3), y[:48].reshape(256, 3, 3))",
    "cond(x[:48].reshape(256, 3, 3), 1)",
    "cholesky(x[:48].reshape(144, 4, 4))",
    "cholesky(x[:48])",
    "eigvalsh(x[:48])",
    "eigh(x[:48, :8].reshape(6, 8, 8))[1]",
    "eigvalsh(x[:40, :5].reshape(8, 5, 5))",
    "slogdet(x[:48, :12].reshape(4, 12, 12))[1]",
    "inv(x[:48, :12].reshape(4, 12, 12))",
    "solve(x[:60, :20].reshape(3, 20, 20), y[:60, :2].reshape(3, 20, 2))",
    "cholesky(x[:48, :12].reshape(4, 12, 12))",
    "cholesky(broadcast_to(x[:44, :44], (5, 44, 44)))",
    "cholesky(broadcast_to(x[0, :1], (4, 192, 192)))",
    "x.reshape(64, 8, 6) @ y.reshape(64, 6, 8)",
    "sort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "argsort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "sort(x[:, :5])",
    "argsort(x[:, :5])",
    "median(real(x))",
    "convolve(x[0], y[0])",
    "unique(real(x))",
    "topk(x.reshape(-1), 5)[1]",
    "searchsorted(broadcast_to(r, (1000, 48)).reshape(-1), x)",
    "searchsorted(broadcast_to(r, (200000, 48)).reshape(-1), broadcast_to(x, (100, 64, 48)), side='right')",
    "take(x, [[3], [1]], axis=0) + 1",
    "cumsum(broadcast_to(x, (1000, 64, 48))[:, :3].reshape(1000, 144), axis=0)",
    "s = x @ y.T; e = exp(s - max(s, axis=1, keepdims=True)); (e / sum(e, axis=1, keepdims=True)) @ y",
    "s = where(arange(64)[:, None] >= arange(64), x @ y.T * 0.5, -1e4); "
    "e = exp(s - max(s, axis=1, keepdims=True)); (e / sum(e, axis=1, keepdims=True)) @ y",
    "k = broadcast_to(broadcast_to(x, (5, 64, 48)).reshape(320, 48), (130, 320, 48)); "
    "s = where(arange(320)[:, None] >= arange(320), k @ k.swapaxes(1, 2) * 0.5, -1e4); "
    "e = exp(s - max(s, axis=2, keepdims=True)); (e / sum(e, axis=2, keepdims=True)) @ k",
};

/* On GPUs whose groups may not wait for one another. */
static const char *const apart_graphs[] = {
    "sort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "argsort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
};

/* every: 1 for all of the list, 2 for every second one. */
static void test_graphs(gnd_dtype t, const char *what, const char *const *list, size_t nlist,
                        size_t every)
{
    static const char *const names[] = {"x", "y", "r", "c"};
    static const int64_t shape[2] = {64, 48}, col[2] = {64, 1};
    static char zeros[64 * 48 * 16];
    gnd_device *dev = gnd_open("null:2");
    gnd_array *v[4] = {gnd_from(dev, t, 2, shape, zeros), gnd_from(dev, t, 2, shape, zeros),
                       gnd_from(dev, t, 1, shape + 1, zeros), gnd_from(dev, t, 2, col, zeros)};
    const int before = nseen;
    int done = 0, passed = 0, failed = 0;
    for (size_t i = 0; i < nlist; i++) {
        if ((i + (size_t)t) % every)
            continue;
        gnd_array *x = gnd_eval_names(dev, list[i], 4, names, v);
        gnd_status s = gnd_status_of(x);
        char *plan = s == GND_OK ? gnd_explain(1, &x, GND_EXPLAIN_SOURCE, &s) : NULL;
        if (plan) {
            done++;
            const int ok = build_plan(plan);
            passed += ok;
            if (!ok)
                tap_diag("%s of %s", list[i], gnd_dtype_name(t));
        } else if (s != GND_ERR_DTYPE) {
            failed++;
            tap_diag("%s of %s: %s: %s", list[i], gnd_dtype_name(t), gnd_status_name(s),
                     gnd_error(x));
        }
        free(plan);
        gnd_release(x);
    }
    tap_ok(done > (int)(nlist / 3 / every) && passed == done && !failed,
           "%s: %d of %d %s, %d new kernels", gnd_dtype_name(t), passed, done + failed, what,
           nseen - before);
    for (int i = 0; i < 4; i++)
        gnd_release(v[i]);
    gnd_close(dev);
}

/* The kernels of primitives for x of dtype t, 5000 elements, and its places in 100 and in 10^6. */
static gnd_array *prim_graph(gnd_device *dev, int i, gnd_array *x, gnd_array *at)
{
    const int64_t m[2] = {100, 1000000};
    if (i == 12) { /* nothing comes to what there is */
        gnd_array *p = gnd__checked_node(gnd_at(at, ":0"), "test", m[0], 0);
        return gnd__accumulate_node(GND__ACC_ADD, p, gnd_at(x, ":0"),
                                    gnd_zeros(dev, gnd_dtype_of(x), 1, m), m[0]);
    }
    if (i == 13)
        return gnd__member_node(x, gnd_at(x, "::-1"), 1);
    if (i == 14)
        return gnd_dtype_of(x) == GND_INT64
                   ? gnd__ties_node(at, gnd_astype(gnd_add(x, x), GND_UINT64))
                   : NULL;
    if (i == 17) { /* numbers of 4 bytes and of 8 */
        const gnd_dtype t = gnd_dtype_of(x);
        return t == GND_INT64    ? gnd__there_node(at, 100000)
               : t == GND_UINT32 ? gnd__there_node(gnd_add(x, x), 100000)
                                 : NULL;
    }
    if (i >= 15) { /* of 15000 elements: by counting */
        gnd_array *all = gnd_concat(3, (gnd_array *[]){x, x, x}, 0);
        return (i == 15 ? gnd_partition : gnd_argpartition)(all, 1, m, 0);
    }
    if (i >= 10)
        return gnd__search_node(x, gnd_at(x, "::-1"), i == 11);
    gnd_array *base = gnd_zeros(dev, gnd_dtype_of(x), 1, &m[i % 2]);
    gnd_array *p = gnd__checked_node(at, "test", m[i % 2], 0);
    gnd_array *table = gnd_zeros(dev, GND_INT64, 1, (int64_t[]){200});
    if (i == 6)
        return gnd__mask_node(gnd_not_equal(x, gnd_int(0)));
    if (i > 6)
        return i == 7   ? gnd__mask_values(table, gnd_add(x, x), 2000)
               : i == 8 ? gnd__mask_positions(table, 5000, 2000, GND_INT64)
                        : gnd__mask_ranks(table, 5000);
    if (i >= 2 && gnd_dtype_kind(gnd_dtype_of(x)) == 'c')
        return NULL;
    return gnd__accumulate_node(i < 2   ? GND__ACC_ADD
                                : i < 4 ? GND__ACC_MAX
                                        : GND__ACC_MIN,
                                p, x, base, m[i % 2]);
}

static void test_prims(gnd_dtype t)
{
    static char zeros[5000 * 16];
    const int64_t n = 5000;
    const int before = nseen;
    int done = 0, passed = 0;
    gnd_device *dev = gnd_open("null:2");
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, t, 1, &n, zeros), *at = gnd_from(dev, GND_INT64, 1, &n, zeros);
    for (int i = 0; i < 18; i++) {
        gnd_array *y = prim_graph(dev, i, x, at);
        gnd_status s;
        char *plan = y ? gnd_explain(1, &y, GND_EXPLAIN_SOURCE, &s) : NULL;
        if (y && !plan)
            tap_diag("primitive %d of %s: %s", i, gnd_dtype_name(t), gnd_message());
        done += y != NULL;
        passed += plan && build_plan(plan);
        free(plan);
    }
    tap_is_int(passed, done, "%s: primitives, %d new kernels", gnd_dtype_name(t), nseen - before);
    gnd_scope_end();
    gnd_close(dev);
}

/* A library for transforms, as CUDA has one: what comes before and after its calls. */
static gnd_status any_transform(gnd_dev *d, const gnd_fft_desc *f, int *yes, gnd_err *e)
{
    (void)d, (void)f, (void)e;
    *yes = 1;
    return GND_OK;
}

static void test_library(gnd_dtype t)
{
    static const char *const list[] = {"fft(x)", "ifft(x + y)", "ifft(x)", "irfft(x)",
                                       "fft(x, norm='ortho')"};
    gnd_device *dev = gnd_open("null:2");
    gnd__backend *b = (gnd__backend *)dev->g->be;
    b->has_fft = 1;
    b->fft.supports = any_transform;
    test_graphs(t, "transforms by a library", list, sizeof list / sizeof *list, 1);
    b->has_fft = 0;
    gnd_close(dev);
}

/* A library for products, with which decompositions are made in blocks; and LU as CPUs have it. */
static gnd_status any_product(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e)
{
    (void)d, (void)g, (void)e;
    *yes = 1;
    return GND_OK;
}

static void test_blocked(gnd_dtype t)
{
    static const char *const list[] = {"cholesky(x[:48])", "solve(x[:48], y[:48])", "qr(x)[0]",
                                       "solve_triangular(x[:48], y[:48], trans=2)"};
    gnd_device *dev = gnd_open("null:2");
    gnd__backend *b = (gnd__backend *)dev->g->be;
    const int had = b->has_blas;
    gnd_status (*before)(gnd_dev *, const gnd_gemm *, int *, gnd_err *) = b->blas.supports;
    b->has_blas = 1;
    b->blas.supports = any_product;
    setenv("GND_SOLVER", "blocked", 1);
    test_graphs(t, "decompositions in blocks", list, sizeof list / sizeof *list, 1);
    unsetenv("GND_SOLVER");
    b->has_blas = had;
    b->blas.supports = before;
    gnd_close(dev);
}

/* A library that leaves the columns of an inverse elsewhere, or tells how rows were exchanged, and
 * leaves its verdict to the caller. Nothing is run. */
static gnd_status later(gnd_queue *q, const gnd_solve_desc *s, gnd_buf *info, uint64_t off,
                        gnd_err *e)
{
    (void)q, (void)s, (void)info, (void)off, (void)e;
    return GND_OK;
}

static gnd_status apart(gnd_dev *d, const gnd_solve_desc *s, int *yes, gnd_err *e)
{
    (void)d, (void)e;
    *yes = s->op == GND_SOLVE_TRIANGULAR || s->op == GND_SOLVE_CHOLESKY ||
           ((s->op == GND_SOLVE_INV || s->op == GND_SOLVE_LU) && s->flags == 1);
    return GND_OK;
}

static void test_apart(gnd_dtype t)
{
    static const char *const list[] = {"inv(x[:48])", "cholesky(x[:48])",
                                       "solve(resize(x, (300, 300)), resize(x, (300, 64)))"};
    gnd_device *dev = gnd_open("null:2");
    gnd__backend *b = (gnd__backend *)dev->g->be;
    const int had = b->has_solver;
    gnd_status (*before)(gnd_dev *, const gnd_solve_desc *, int *, gnd_err *) = b->solver.supports;
    b->has_solver = 1;
    b->solver.supports = apart;
    b->solver.solve_later = later;
    test_graphs(t, "inverses and systems by a library", list, 3, 1);
    b->has_solver = had;
    b->solver.supports = before;
    b->solver.solve_later = NULL;
    gnd_close(dev);
}

/* --- have all been met? ----------------------------------------------------------------------- */

/* Whether a kernel that was compiled has the section, for any dtype. */
static int was_met(const char *name)
{
    gnd__str text = {0};
    int met = 0;
    for (int t = 0; t < GND_NDTYPES && !met; t++) {
        gnd__str_clear(&text);
        if (!gnd__kernel_text(&text, name, GND_DIALECT_CUDA, (gnd_dtype)t))
            break;
        for (int i = 0; i < nseen && !met; i++)
            met = strstr(seen[i], gnd__str_get(&text)) != NULL;
    }
    gnd__str_free(&text);
    return met;
}

/* Every section `@text NAME` of kernels/, the bodies of primitives. */
static void test_sections(void)
{
    char path[4096], line[256], name[64];
    /* OpenCL C: what stands before a user's kernel (ops_kernel), and a product in OpenCL's vectors,
     * for OpenCL's CPU devices only (ops_matmul) */
    const char *dir = getenv("GND_SRCDIR"), *opencl = "opencl_c checked matmul_block";
    glob_t g;
    int n = 0, missing = 0;
    snprintf(path, sizeof path, "%s/kernels/*.cl", dir ? dir : ".");
    if (glob(path, 0, NULL, &g)) {
        tap_skip(1, "no %s", path);
        return;
    }
    for (size_t i = 0; i < g.gl_pathc; i++) {
        FILE *f = fopen(g.gl_pathv[i], "r");
        while (f && fgets(line, sizeof line, f)) {
            if (sscanf(line, "//@text %63s", name) != 1)
                continue;
            n++;
            if (gnd__word_find(opencl, name, strlen(name), 0) < 0 && !was_met(name)) {
                missing++;
                tap_diag("%s: %s is in no kernel that was compiled", g.gl_pathv[i], name);
            }
        }
        if (f)
            fclose(f);
    }
    globfree(&g);
    tap_is_int(missing, 0, "%d bodies of primitives, all of them met", n);
}

/* A group of 1024 work-items must fit the registers whatever the compiler takes (255 for each would
 * be four times what there is): the kernel names its group, here in the shape for CPUs, whose
 * groups are that large. */
static void test_bounds(void)
{
    static const char zeros[4096 * 4];
    gnd_status s = GND_OK;
    gnd_device *dev = gnd_open("null:2");
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){4096}, zeros);
    gnd_array *y = gnd_exp(x);
    char *plan = gnd_explain(1, &y, GND_EXPLAIN_SOURCE, &s);
    if (!tap_ok(plan && strstr(plan, "void __launch_bounds__(1024) k_map("),
                "a large group bounds the registers"))
        tap_diag("%s", plan ? plan : gnd_status_name(s));
    free(plan);
    gnd_release(y);
    gnd_release(x);
    gnd_close(dev);
}

/* A short body takes four float32 at once, a long one fewer: each is one more copy of it. */
static void test_long_body(void)
{
    static const char zeros[4096 * 4];
    gnd_device *dev = gnd_open("null:2");
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){4096}, zeros);
    gnd_scope_begin();
    for (int n = 1; n <= 20; n += 19) {
        gnd_status s = GND_OK;
        gnd_array *y = x;
        for (int i = 0; i < n; i++)
            y = gnd_sin(gnd_add(y, x));
        char *plan = gnd_explain(1, &y, GND_EXPLAIN_SOURCE, &s);
        if (!tap_ok(plan && !strstr(plan, "uint4") == (n > 1) && build_plan(plan),
                    "%d sines of float32 %s", n, n > 1 ? "for one element" : "for a vector"))
            tap_diag("%s", plan ? plan : gnd_status_name(s));
        free(plan);
    }
    gnd_scope_end();
    gnd_release(x);
    gnd_close(dev);
}

/* One in so many graphs: small integers differ in little. */
static size_t every_of(gnd_dtype t)
{
    if (t == GND_FLOAT32 || getenv("GND_TEST_ALL"))
        return 1;
    return strchr("iu", gnd_dtype_kind(t)) && t != GND_INT64 && t != GND_UINT64 ? 4 : 2;
}

#define GRAPHS(list) list, sizeof list / sizeof *list

int main(void)
{
    static const gnd_dtype few[5] = {GND_FLOAT32, GND_COMPLEX64, GND_FLOAT16, GND_COMPLEX128,
                                     GND_INT64};
    const char *why;
    if (!nvrtc_load(&why))
        tap_skip_all("%s", why);
    narch = nvrtc_archs(arch);
    if (!tap_ok(narch > 0, "NVRTC %s, %d architectures", nvrtc_version(), narch))
        return tap_done();
    test_functions();
    for (int t = 0; t < GND_NDTYPES; t++)
        test_graphs((gnd_dtype)t, "graphs", GRAPHS(graphs), every_of((gnd_dtype)t));
    for (int t = 0; t < GND_NDTYPES; t++)
        test_prims((gnd_dtype)t);
    for (int i = 0; i < 5; i++)
        test_graphs(few[i], "primitives", GRAPHS(prim_graphs), 1);
    test_library(GND_COMPLEX64);
    test_library(GND_COMPLEX128);
    test_blocked(GND_FLOAT32);
    test_blocked(GND_COMPLEX128);
    test_apart(GND_FLOAT32);
    test_apart(GND_COMPLEX128);
    test_long_body();
    setenv("GND_KERNEL_SHAPE", "gpu-apart", 1);
    test_graphs(GND_FLOAT32, "graphs for groups apart", GRAPHS(apart_graphs), 1);
    test_graphs(GND_BOOL, "graphs for groups apart", GRAPHS(apart_graphs), 1);
    setenv("GND_KERNEL_SHAPE", "cpu", 1);
    test_blocked(GND_FLOAT32); /* panels by the host */
    for (int i = 0; i < 5; i += 2) {
        test_graphs(few[i], "graphs for CPUs", GRAPHS(cpu_graphs), 1);
        test_prims(few[i]);
    }
    test_bounds();
    test_sections();
    for (int i = 0; i < nseen; i++)
        free(seen[i]);
    return tap_done();
}
