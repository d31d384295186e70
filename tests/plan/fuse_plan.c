/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse_plan.c - what becomes of a graph: how many kernels, which bytes they read and write, as
 * gnd_explain tells on the null device and on the devices under test; that plans and kernels are
 * used again; very deep graphs, and very long loops in constant memory.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ref.h"
#include "tap.h"

enum { N = 1000, R = 40, C = 25 };

static gnd_device *dev;
static const char *where;
static int computes;
static gnd_array *x, *y, *m, *row, *col; /* N, N, (R, C), (C), (R, 1): float32 with elements */

typedef struct facts {
    long long kernels, calls, rd, wr, peak;
} facts;

static facts explain(int n, gnd_array *const *a)
{
    facts f = {-1, -1, -1, -1, -1};
    gnd_status st;
    char *text = gnd_explain(n, a, 0, &st), *last;
    if (!text) {
        tap_diag("gnd_explain: %s", gnd_status_name(st));
        return f;
    }
    last = text + strlen(text);
    while (last > text && (*last == '\n' || *last == 0))
        last--;
    while (last > text && last[-1] != '\n')
        last--;
    if (sscanf(last,
               "%lld kernels, %lld calls, %lld bytes read, %lld bytes written, %lld bytes peak",
               &f.kernels, &f.calls, &f.rd, &f.wr, &f.peak) != 5)
        tap_diag("the last line is: %s", last);
    free(text);
    return f;
}

/* The plan of n arrays has so many kernels (and calls), reads and writes so many bytes; -1: any. */
static void is_plan(int n, gnd_array *const *a, int kernels, long long rd, long long wr,
                    const char *name)
{
    facts f = explain(n, a);
    int ok =
        f.kernels == kernels && f.calls == 0 && (rd < 0 || f.rd == rd) && (wr < 0 || f.wr == wr);
    if (tap_ok(ok, "%s: %s: %d kernels", where, name, kernels))
        return;
    char *text = gnd_explain(n, a, 0, NULL);
    tap_diag("wanted %d kernels, %lld bytes read, %lld written:\n%s", kernels, rd, wr,
             text ? text : "no text");
    free(text);
}

static void is_one(gnd_array *a, int kernels, long long rd, long long wr, const char *name)
{
    is_plan(1, &a, kernels, rd, wr, name);
}

static gnd_array *data(int ndim, const int64_t *dim)
{
    ref_arr h;
    gnd_array *a = ref_make(dev, GND_FLOAT32, ndim, dim, REF_CONTIG, REF_REAL, &h);
    ref_free(&h);
    return a;
}

static gnd_array *expression(void)
{
    return gnd_subtract(gnd_add(gnd_multiply(gnd_int(2), x), gnd_multiply(gnd_int(3), y)),
                        gnd_sqrt(gnd_add(gnd_multiply(x, x), gnd_multiply(y, y))));
}

/* --- counts of kernels and bytes -------------------------------------------------------------- */

static void maps(void)
{
    const long long n = 4 * N, rc = 4 * R * C;
    is_one(expression(), 1, 2 * n, n, "2*x + 3*y - sqrt(x*x + y*y)");
    gnd_array *c = gnd_astype(gnd_add(gnd_astype(m, GND_FLOAT16), row), GND_INT32);
    c = gnd_multiply(gnd_add(c, gnd_int(7)), gnd_abs(gnd_T(gnd_flip(gnd_T(m), GND_ALL))));
    is_one(c, 1, -1, -1, "a chain with casts, a broadcast and views");
    is_one(gnd_add(gnd_multiply(m, row), col), 1, rc + 4 * C + 4 * R, rc, "broadcast operands");
    gnd_array *s = gnd_exp(gnd_add(x, y));
    gnd_array *two[] = {gnd_sin(s), gnd_cos(s)};
    is_plan(2, two, 1, 2 * n, 2 * n, "two results of one shape");
    is_one(gnd_add(gnd_multiply(s, s), gnd_sqrt(s)), 1, 2 * n, n, "a shared subexpression");
    gnd_array *e = gnd_exp(gnd_sin(row));
    is_one(gnd_add(m, e), 2, -1, -1, "an expensive producer under a broadcast is stored");
    is_one(gnd_add(m, gnd_add(row, gnd_int(1))), 1, -1, rc, "a cheap one is not");
    gnd_array *v = gnd_at(x, "1:"), *u = gnd_at(x, ":-1");
    is_one(gnd_subtract(v, u), 1, -1, n - 4, "differences of neighbours");
    gnd_array *view = gnd_at(m, "::2, 1");
    is_one(view, 0, 0, 0, "a view of data");
    is_one(gnd_add(gnd_arange_i64(dev, 0, N, 1, GND_FLOAT32), x), 1, n, n, "arange is not stored");
    is_one(gnd_multiply(gnd_full(dev, GND_FLOAT32, 1, (int64_t[]){N}, gnd_real(3)), x), 1, n, n,
           "full is not stored");
}

/* Expressions whose trees are longer than their operations, and forms that stand for cheaper ones.
 */
static void same_values(void)
{
    const long long n = 4 * N;
    gnd_array *u = gnd_retain(x), *v = gnd_retain(y);
    for (int k = 0; k < 8; k++) { /* 7 operations a step; a tree of them doubles in each */
        gnd_array *u0 = u, *v0 = v;
        gnd_scope_begin();
        u = gnd_add(gnd_multiply(gnd_sin(u0), gnd_real(0.5)), v0);
        v = gnd_keep(gnd_subtract(v0, gnd_multiply(gnd_multiply(gnd_real(0.1), u), v0)));
        u = gnd_keep(u);
        gnd_scope_end();
        gnd_release(u0);
        gnd_release(v0);
    }
    gnd_array *r = gnd_add(u, v);
    gnd_release(u);
    gnd_release(v);
    is_one(r, 1, 2 * n, n, "8 steps of a loop");
    gnd_array *w[] = {gnd_repeat(gnd_repeat(m, 2, 0), 3, 1), gnd_repeat(gnd_repeat(m, 3, 1), 2, 0)};
    for (int i = 0; i < 2; i++)
        is_one(w[i], 1, -1, 6 * 4 * R * C, "repetitions along two axes");
    tap_ok(!computes ||
               gnd_item_f64(gnd_max(gnd_abs(gnd_subtract(w[0], w[1])), GND_ALL, 0), NULL) == 0,
           "%s: in either order", where);
    gnd_array *half[] = {gnd_divide(x, gnd_real(-0.25)), gnd_divide(x, gnd_int(8)),
                         gnd_divide(x, gnd_int(3)), gnd_divide(x, gnd_real(0x1p127))};
    for (int i = 0; i < 4; i++) {
        char *text = gnd_explain(1, &half[i], 0, NULL);
        tap_ok(text && strstr(text, i < 2 ? "multiply" : "divide"),
               "%s: a quotient by a constant: %s", where, i < 2 ? "a product" : "a quotient");
        free(text);
    }
    gnd_array *b = gnd_broadcast_to(m, 3, (int64_t[]){6, R, C}), *a = gnd_add(b, gnd_int(0));
    gnd_eval_all(1, &a);
    gnd_array *p = gnd_matmul(a, gnd_T(gnd_at(m, ":7")));
    const facts f = explain(1, &p);
    char *text = gnd_explain(1, &p, 0, NULL), rows[32];
    snprintf(rows, sizeof rows, "%dx%dx7 batch 1", 6 * R, C);
    tap_ok(f.kernels + f.calls == 1 && text && strstr(text, rows),
           "%s: a stack times a matrix is one product", where);
    free(text);
}

static void reductions(void)
{
    const long long n = 4 * N, rc = 4 * R * C;
    gnd_array *d = gnd_subtract(x, y);
    is_one(gnd_sum(gnd_multiply(d, d), GND_ALL, 0), 1, 2 * n, 4, "((x - y)**2).sum()");
    gnd_array *mm[] = {gnd_max(x, GND_ALL, 0), gnd_min(x, GND_ALL, 0)};
    is_plan(2, mm, 1, n, 8, "max and min of one array");
    is_one(gnd_subtract(gnd_max(m, GND_AXIS(1), 0), gnd_min(m, GND_AXIS(1), 0)), 1, rc, 4 * R,
           "max - min along an axis");
    is_one(gnd_sqrt(gnd_mean(gnd_multiply(m, m), GND_AXIS(1), 0)), 1, rc, 4 * R, "sqrt(mean(m*m))");
    is_one(gnd_sqrt(gnd_mean(gnd_multiply(m, m), GND_AXIS(0), GND_KEEPDIMS)), 1, rc, 4 * C,
           "sqrt(mean(m*m)), keepdims");
    gnd_array *var = gnd_var(x, GND_ALL, 0, 0);
    facts v = explain(1, &var);
    tap_ok((v.kernels == 2 && v.rd == 2 * n + 4 && v.wr == 8) ||
               (v.kernels == 1 && v.rd == n && v.wr == 4), /* rows in registers, on GPUs */
           "%s: var: 2 kernels, or 1 that reads once", where);
    is_one(gnd_std(m, GND_AXIS(0), 0, 1), 2, -1, -1, "std along an axis");
    gnd_array *e = gnd_exp(gnd_subtract(m, gnd_max(m, GND_AXIS(1), GND_KEEPDIMS)));
    gnd_array *soft = gnd_divide(e, gnd_sum(e, GND_AXIS(1), GND_KEEPDIMS));
    facts f = explain(1, &soft);
    char *text = gnd_explain(1, &soft, 0, NULL);
    if (!tap_ok(f.kernels >= 1 && f.kernels <= 4, "%s: softmax in at most 4 kernels", where))
        tap_diag("%s", text ? text : "no text");
    free(text);
    is_one(gnd_sum(gnd_multiply(m, row), GND_AXIS(0), 0), 1, rc + 4 * C, 4 * C,
           "a reduction of a product with a broadcast row");
    is_one(gnd_sum(gnd_at(m, "::-1, 3:7"), GND_ALL, 0), 1, 4 * R * 4, 4, "a reduction of a view");
}

/* --- plans and kernels are used again --------------------------------------------------------- */

static void reuse(void)
{
    gnd_stats a, b;
    gnd_wait(expression());
    gnd_device_stats(dev, &a);
    for (int i = 0; i < 10; i++) {
        gnd_scope_begin();
        gnd_wait(expression());
        gnd_wait(gnd_sum(expression(), GND_ALL, 0));
        gnd_scope_end();
    }
    gnd_device_stats(dev, &b);
    tap_is_int(b.plans_made - a.plans_made, 1, "%s: one structure is planned once", where);
    tap_is_int(b.plans_reused - a.plans_reused, 19, "%s: and its plan used again", where);
    tap_ok(b.kernels_built + b.kernels_from_disk - a.kernels_built - a.kernels_from_disk <= 2,
           "%s: one structure is built once", where);
    /* the same structure with other constants and other data */
    a = b;
    for (int i = 0; i < 5; i++)
        gnd_wait(gnd_sqrt(gnd_add(gnd_multiply(gnd_real(i + 0.5), i & 1 ? x : y), gnd_int(i))));
    gnd_device_stats(dev, &b);
    tap_is_int(b.plans_made - a.plans_made, 1, "%s: other values, the same plan", where);
    tap_ok(b.kernels_built + b.kernels_from_disk - a.kernels_built - a.kernels_from_disk <= 1,
           "%s: other values, the same kernel", where);
    gnd_array *once = expression();
    gnd_wait(once);
    gnd_device_stats(dev, &a);
    gnd_wait(once);
    gnd_device_stats(dev, &b);
    tap_is_int(b.kernels_launched, a.kernels_launched,
               "%s: what has elements is not computed again", where);
    tap_is_int(b.plans_made + b.plans_reused, a.plans_made + a.plans_reused, "%s: nor planned",
               where);
    /* an intermediate that was evaluated is read, not computed */
    gnd_array *s = gnd_exp(x), *t = gnd_add(s, y);
    gnd_wait(s);
    is_one(t, 1, 8 * N, 4 * N, "an intermediate with elements is read");
}

/* --- depth ------------------------------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void deep(void)
{
    const int64_t n = 100;
    float v[100], want[100];
    gnd_array *z;
    gnd_scope_begin();
    gnd_array *start = gnd_arange_i64(dev, 0, n, 1, GND_FLOAT32);
    /* without handles on the way: 10,000 operations below one sink */
    z = gnd_retain(start);
    for (int i = 0; i < 10000; i++)
        gnd_assign(&z, i % 3 == 0   ? gnd_add(z, gnd_int(1))
                       : i % 3 == 1 ? gnd_multiply(z, gnd_real(0.5))
                                    : gnd_subtract(z, gnd_real(0.25)));
    tap_is_int(gnd_wait(z), GND_OK, "%s: 10,000 operations in a row", where);
    for (int i = 0; i < n; i++) {
        want[i] = (float)i;
        for (int k = 0; k < 10000; k++)
            want[i] = k % 3 == 0 ? want[i] + 1 : k % 3 == 1 ? want[i] * 0.5f : want[i] - 0.25f;
    }
    if (computes) {
        gnd_read(z, v, sizeof v);
        tap_is_mem(v, want, sizeof v, "%s: and their values", where);
    }
    gnd_release(z);
    /* with handles on every node of the way: the scope has them */
    z = start;
    for (int i = 0; i < 10000; i++)
        z = gnd_add(z, gnd_int(1));
    tap_is_int(gnd_wait(z), GND_OK, "%s: 10,000 operations, each with a handle", where);
    if (computes) {
        gnd_read(z, v, sizeof v);
        tap_ok(v[0] == 10000 && v[99] == 10099, "%s: and their values", where);
    }
    gnd_scope_end();
    /* a tree of doublings: 2^64 paths, 64 nodes */
    gnd_scope_begin();
    z = gnd_ones(dev, GND_FLOAT32, 1, &n);
    for (int i = 0; i < 64; i++)
        z = gnd_add(z, z);
    tap_is_int(gnd_wait(z), GND_OK, "%s: 64 doublings", where);
    if (computes) {
        gnd_read(z, v, sizeof v);
        tap_ok(v[0] == 0x1p64f, "%s: and their value", where);
    }
    gnd_scope_end();
}

/* The kernels and calls of a plan, together: a product is either. */
static void is_steps(int n, gnd_array *const *a, long long steps, const char *name)
{
    facts f = explain(n, a);
    tap_is_int(f.kernels + f.calls, steps, "%s: %s", where, name);
}

/* A product r with what follows it: `steps` in all, of which a call that takes everything is the
 * only one. */
static void is_product(gnd_array *r, int steps, const char *what)
{
    const facts f = explain(1, &r);
    tap_ok(f.kernels + f.calls == steps && (steps > 1 || f.calls == 1),
           "%s: %s: %d kernels, %d calls", where, what, (int)f.kernels, (int)f.calls);
}

static gnd_array *product(void)
{
    return gnd_matmul(gnd_T(m), m);
}

static void after_products(void)
{
    gnd_device_info info = {0};
    gnd_device_describe(dev, &info);
    gnd_scope_begin();
    /* OpenBLAS' results get all that follows, cuBLASLt's no maximum, CLBlast's nothing that is
     * added */
    const int library = explain(1, (gnd_array *[]){product()}).calls > 0;
    const int whole = library && !strcmp(info.kind, "cpu"),
              sums = whole || (library && !strcmp(info.backend, "cuda"));
    gnd_array *p = product(),
              *cube = gnd_multiply(gnd_multiply(p, p), gnd_multiply(p, gnd_real(0.044715)));
    gnd_array *gelu =
        gnd_multiply(gnd_multiply(gnd_real(0.5), p),
                     gnd_add(gnd_tanh(gnd_multiply(gnd_add(p, cube), gnd_real(0.7978845608028654))),
                             gnd_int(1)));
    gnd_array *m2 = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){gnd_dim(p, 0), gnd_dim(p, 1)});
    gnd_eval_all(1, &m2);
    /* a product of its own for each: one that others need too stays alone, in memory */
    is_product(gnd_maximum(gnd_add(product(), row), gnd_int(0)), whole ? 1 : 2,
               "a row and relu after a product");
    is_product(gnd_add(product(), row), sums ? 1 : 2, "a row after a product");
    is_steps(1, &gelu, 2, "gelu after a product is one kernel");
    is_steps(1, (gnd_array *[]){gnd_maximum(gnd_add(product(), row), gnd_int(1))}, 2,
             "the maximum with 1");
    p = product();
    is_steps(2, (gnd_array *[]){gnd_maximum(gnd_add(p, row), gnd_int(0)), p}, 2,
             "a product that is asked for too");
    p = product();
    gnd_array *also = gnd_exp(p);
    is_steps(1, (gnd_array *[]){gnd_add(p, row)}, 2, "a product that something else needs");
    gnd_release(also);
    is_steps(1, (gnd_array *[]){gnd_add(product(), gnd_subtract(row, gnd_int(2)))}, 2,
             "what is added is not in memory");
    gnd_array *both =
        gnd_add(gnd_multiply(gnd_real(-1.5), product()), gnd_multiply(m2, gnd_int(2)));
    is_product(both, sums ? 1 : 2, "a multiple of a product and of a matrix");
    is_steps(1, (gnd_array *[]){gnd_add(product(), gnd_at(col, ":25"))}, 2,
             "what is added is a column");
    gnd_scope_end();
}

/* The product of a and a multiple of b, or of a multiple of a and b: whether a kernel writes the
 * multiple, and its bits. */
static void of_multiple(gnd_array *a, gnd_array *b, int second, double factor, int writes)
{
    gnd_array *in[2] = {a, b}, *stored[2] = {a, b}, *f = gnd_real(factor);
    in[second] = gnd_multiply(in[second], f);
    stored[second] = gnd_multiply(stored[second], f);
    gnd_eval_all(1, &stored[second]);
    gnd_array *p = gnd_matmul(in[0], in[1]), *q = gnd_matmul(stored[0], stored[1]);
    char *text = gnd_explain(1, &p, 0, NULL);
    const char *product = text ? strstr(text, "matmul") : NULL,
               *multiple = text ? strstr(text, ": multiply\n") : NULL;
    tap_ok(product && (multiple && multiple < product) == writes,
           "%s: the multiple by %g, operand %d, is %s", where, factor, second,
           writes ? "written" : "not written");
    free(text);
    tap_ok(!computes || gnd_item_f64(gnd_astype(gnd_array_equal(p, q, 1), GND_FLOAT64), NULL) == 1,
           "%s: its bits", where);
}

/* A factor that is a power of two becomes one of the product. Others round. */
static void of_multiples(void)
{
    gnd_scope_begin();
    gnd_array *t = gnd_T(gnd_at(m, ":7")), *half = gnd_astype(m, GND_FLOAT16),
              *narrow = gnd_at(m, ":, :5");
    gnd_eval_all(1, &half);
    of_multiple(m, t, 0, 2, 0);
    of_multiple(m, t, 0, -0.125, 0);
    of_multiple(gnd_T(t), gnd_T(m), 1, -1, 0);
    of_multiple(gnd_T(t), gnd_T(m), 1, 0x1p63, 0);
    of_multiple(m, t, 0, 3, 1);
    of_multiple(m, t, 0, 0, 1);
    of_multiple(m, t, 0, INFINITY, 1);
    of_multiple(half, gnd_T(gnd_at(half, ":7")), 0, 2, 1); /* products may exceed its range */
    of_multiple(narrow, gnd_at(m, ":5"), 0, 2, 1);         /* the result is larger */
    gnd_array *one = gnd_sum(gnd_at(m, ":1, :1"), GND_ALL, 0);
    gnd_eval_all(1, &one);
    gnd_array *wide = gnd_broadcast_to(gnd_multiply(one, gnd_int(2)), 2, (int64_t[]){R, C}),
              *p = gnd_matmul(wide, t),
              *q = gnd_multiply(gnd_matmul(gnd_broadcast_to(one, 2, (int64_t[]){R, C}), t),
                                gnd_int(2));
    tap_ok(!computes || gnd_item_f64(gnd_astype(gnd_array_equal(p, q, 1), GND_FLOAT64), NULL) == 1,
           "%s: a view of a multiple of a number", where);
    gnd_scope_end();
}

/* A loop of updates never read: evaluated on the way, memory and nodes stay bounded. */
static void long_loop(void)
{
    gnd_stats before, middle, after;
    double t0 = seconds();
    gnd_scope_begin();
    gnd_array *z = gnd_keep(gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){256}));
    gnd_scope_end();
    gnd_device_stats(dev, &before);
    gnd_device_reset_peak(dev);
    memset(&middle, 0, sizeof middle);
    for (int i = 0; i < 100000; i++) {
        gnd_scope_begin();
        gnd_assign(&z, gnd_add(gnd_multiply(z, gnd_real(0.5)), gnd_int(1)));
        gnd_scope_end();
        if (i == 20000)
            gnd_device_stats(dev, &middle);
    }
    gnd_device_stats(dev, &after);
    tap_ok(after.bytes_peak <= before.bytes_in_use + 64 * 1024,
           "%s: 100,000 updates of one array take "
           "constant memory (%lld bytes more)",
           where, (long long)(after.bytes_peak - before.bytes_in_use));
    tap_ok(after.arrays <= middle.arrays + 3 * 3000, "%s: and a bounded number of nodes (%lld)",
           where, (long long)after.arrays);
    tap_is_int(gnd_wait(z), GND_OK, "%s: the loop's array", where);
    if (computes)
        tap_is_f64(gnd_item_f64(gnd_at(z, "7"), NULL), 2, "%s: its value", where);
    gnd_release(z);
    tap_diag("%s: the loop took %.2f s", where, seconds() - t0);
}

static void all(const char *spec, int real)
{
    where = spec;
    computes = real;
    gnd_scope_begin();
    x = data(1, (int64_t[]){N});
    y = data(1, (int64_t[]){N});
    m = data(2, (int64_t[]){R, C});
    row = data(1, (int64_t[]){C});
    col = data(2, (int64_t[]){R, 1});
    maps();
    same_values();
    reductions();
    reuse();
    deep();
    after_products();
    of_multiples();
    long_loop();
    gnd_scope_end();
    gnd_stats s;
    gnd_sync(dev);
    gnd_device_stats(dev, &s);
    tap_diag("%s: %lld arrays, %lld bytes in use at the end, %d kernels built, %d from disk", spec,
             (long long)s.arrays, (long long)s.bytes_in_use, (int)s.kernels_built,
             (int)s.kernels_from_disk);
}

static void on_device(gnd_device *d, const char *spec)
{
    dev = d;
    all(spec, strcmp(spec, "null:0") != 0);
}

/* On GPUs, float64 that is made from as many bytes is computed again, not stored. */
static void compact(void)
{
    enum { ROWS = 100000, COLS = 3, BYTES = ROWS * COLS * 4 };
    dev = gnd_open("null:2");
    where = "null:2";
    gnd_scope_begin();
    for (int k = 0; k < 2; k++) {
        const gnd_dtype t = k ? GND_FLOAT64 : GND_FLOAT32;
        gnd_array *z = gnd_zeros(dev, t, 2, (int64_t[]){ROWS, COLS});
        gnd_wait(z);
        gnd_array *c = gnd_cov(z, NULL, 0, 1, NULL, NULL, GND_FLOAT64);
        const facts f = explain(1, &c);
        tap_ok(k ? f.peak >= 2 * BYTES : f.peak >= 0 && f.peak < BYTES + BYTES / 2,
               "%s: centred values of %s are %s (%lld bytes)", where, gnd_dtype_name(t),
               k ? "stored" : "not stored", f.peak);
    }
    gnd_scope_end();
    gnd_close(dev);
}

int main(void)
{
    ref_null_and_devices(on_device);
    compact();
    return tap_done();
}
