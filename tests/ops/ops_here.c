/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_here.c - small computations on the calling thread (lib/sched/here.c) give the bits of the
 * device's kernels: every operation and every cast that has a loop, in each of its dtypes, with
 * special values; expressions over views, broadcasts and constants; between calls of the host's
 * libraries; and the order with work that is pending. NaNs equal each other. Skipped where the
 * device does not work in host memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "graph/opset.h"
#include "host/exact.h"
#include "sched/here.h"
#include "tap.h"

#include <fenv.h>
#include <gnd.h>

enum { N = 259, MOST = 1 << 16, GROUP = 8 };

typedef gnd_array *one(gnd_array *);
typedef gnd_array *two(gnd_array *, gnd_array *);
typedef gnd_array *three(gnd_array *, gnd_array *, gnd_array *);
typedef void any(void);
static any *const funcs[GND__NOPS] = {
#define GND_OP(id, name, func, ...) (any *)func,
#include "base/opset.def"
#undef GND_OP
};

static gnd_device *dev;

static uint64_t random_word(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13;
    s ^= s >> 7;
    return s ^= s << 17;
}

/* n elements of dtype t: special values, small numbers, and any bits. */
static gnd_array *values(gnd_dtype t, int64_t n)
{
    static const double special[] = {
        0.0,           -0.0,         1,      -1,      2.5,   -2.5,  0.5,   1e-40, -1e-40, 3e38,
        -3e38,         127.5,        128,    255.5,   -129,  32768, 65535, 1e308, 5e-324, 1 << 30,
        -2147483649.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19};
    unsigned char data[N * 8];
    const size_t size = gnd_dtype_size(t);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t bits = random_word();
        const double d = i % 3 ? (double)(int)(bits % 200) / 8 - 12
                               : special[bits % (sizeof special / sizeof *special)];
        const float f = i % 17 ? (float)d : (bits & 1) ? __builtin_nanf("") : __builtin_inff();
        const double g = i % 17 ? d : (bits & 1) ? __builtin_nan("") : -__builtin_inf();
        const int64_t small = i % 2 ? (int64_t)(bits % 9) - 4 : (int64_t)bits;
        const uint8_t yes = bits & 1;
        memcpy(data + (size_t)i * size,
               t == GND_FLOAT32   ? (const void *)&f
               : t == GND_FLOAT64 ? (const void *)&g
               : t == GND_BOOL    ? (const void *)&yes
                                  : (const void *)&small,
               size);
    }
    return gnd_from(dev, t, 1, &n, data);
}

/* Whether the first `count` elements of dtype t agree, and where they do not. */
static int same(gnd_dtype t, const char *a, const char *b, size_t bytes, size_t *where)
{
    const size_t size = gnd_dtype_size(t);
    for (size_t i = 0; i < bytes; i += size) {
        float f[2];
        double d[2];
        *where = i / size;
        if (!memcmp(a + i, b + i, size))
            continue;
        memcpy(&f[0], a + i, sizeof *f), memcpy(&f[1], b + i, sizeof *f);
        if (t == GND_FLOAT32 && f[0] != f[0] && f[1] != f[1])
            continue;
        if (t != GND_FLOAT64)
            return 0;
        memcpy(&d[0], a + i, sizeof *d), memcpy(&d[1], b + i, sizeof *d);
        if (d[0] == d[0] || d[1] == d[1])
            return 0;
    }
    return 1;
}

/* Compares y[], of the device, with z[], of the host, which must have run steps as `here` says.
 * Returns how many differ. */
static int compare(int n, gnd_array *const *y, gnd_array *const *z, const int *here,
                   const char *const *name)
{
    static char a[MOST], b[MOST];
    int bad = 0;
    gnd__here_force(0);
    gnd_eval_all(n, y);
    for (int i = 0; i < n; i++) {
        const size_t bytes = gnd_nbytes(y[i]);
        size_t where = 0;
        gnd__here_force(0);
        gnd_status st = bytes <= MOST ? gnd_read(y[i], a, bytes) : GND_ERR_ARG;
        gnd_sync(dev);
        const uint64_t before = gnd__here_force(1);
        if (st == GND_OK)
            st = gnd_eval_all(1, &z[i]);
        const int ran = (int)(gnd__here_force(1) - before);
        if (st == GND_OK)
            st = gnd_read(z[i], b, bytes);
        if (st == GND_OK && ran == here[i] && same(gnd_dtype_of(y[i]), a, b, bytes, &where))
            continue;
        tap_diag("%s of %s: %s; %d of %d steps ran here; element %zu", name[i],
                 gnd_dtype_name(gnd_dtype_of(y[i])), st == GND_OK ? "compared" : gnd_message(), ran,
                 here[i], where);
        bad++;
    }
    return bad;
}

static gnd_array *apply(int op, gnd_array *const *x)
{
    return gnd__ops[op].nin == 1   ? ((one *)funcs[op])(x[0])
           : gnd__ops[op].nin == 2 ? ((two *)funcs[op])(x[0], x[1])
                                   : ((three *)funcs[op])(x[0], x[1], x[2]);
}

/* All operations on arrays of dtype t that have a loop there. */
static void operations(gnd_dtype t)
{
    gnd_array *y[GROUP], *z[GROUP], *x[3];
    const char *name[GROUP];
    int n = 0, bad = 0, total = 0, here[GROUP];
    gnd_scope_begin();
    for (int i = 0; i < 3; i++)
        x[i] = values(t, N);
    for (int op = 0; op <= GND__NOPS; op++) {
        if (op < GND__NOPS && gnd__exact_op(op, t)) {
            gnd_array *arg[3] = {x[0], x[1], x[2]};
            if (gnd__ops[op].rule == GND__RULE_WHERE)
                arg[0] = gnd_less(x[0], x[1]);
            if (gnd__ops[op].rule == GND__RULE_LOGIC || gnd_status_of(apply(op, arg)) != GND_OK)
                continue; /* of bools by way of casts; not of this dtype */
            name[n] = gnd__ops[op].name;
            here[n] = 1;
            y[n] = apply(op, arg);
            z[n++] = apply(op, arg);
        }
        if (n == GROUP || (op == GND__NOPS && n)) {
            bad += compare(n, y, z, here, name);
            total += n;
            n = 0;
        }
    }
    tap_ok(!bad && total > 10, "%d operations of %s", total, gnd_dtype_name(t));
    gnd_scope_end();
}

static void casts(gnd_dtype t, const gnd_dtype *to, int count)
{
    gnd_array *y[GROUP], *z[GROUP], *x;
    const char *name[GROUP];
    int n = 0, bad = 0, total = 0, here[GROUP];
    gnd_scope_begin();
    x = values(t, N);
    for (int i = 0; i <= count; i++) {
        if (i < count && to[i] != t) {
            name[n] = "cast";
            here[n] = 1;
            y[n] = gnd_astype(x, to[i]);
            z[n++] = gnd_astype(x, to[i]);
        }
        if (n == GROUP || (i == count && n)) {
            bad += compare(n, y, z, here, name);
            total += n;
            n = 0;
        }
    }
    tap_ok(!bad && total == count - 1, "%d casts of %s", total, gnd_dtype_name(t));
    gnd_scope_end();
}

/* x: (13, 19) float32; v: (19,) float32; k: (13, 1) int32; s: () float32; l: 259 int64; q: 3001
 * float32; w: 259 float64 with special values; b: 70001 float32. */
static const struct {
    const char *text;
    int here;
} exprs[] = {
    {"x * 2 + v - k", 1},
    {"x[::-1, ::3] * v[::3]", 1},
    {"x.T + k[:, 0]", 1},
    {"where(x > s, x, -x) * s", 1},
    {"broadcast_to(v, (5, 3, 19)) + x[0]", 1},
    {"(x[:, None, ::2] + v[None, ::4, None]) * (k[:, :, None] > 2)", 1},
    {"l[::-2] // 7 + arange(130)", 1}, /* functions of kernels/ */
    {"exp(x - x.max(axis=1, keepdims=True))", 2},
    {"take(v, abs(l) % 19)", 1}, /* indices */
    {"x[k[:, 0] % 13] * 2", 2},
    {"x[:, l[:5] % 19] + k", 2},
    {"take_along_axis(x, abs(k) % 19, axis=1)", 1},
    {"take(v, l[:60] % 19).sum()", 1},
    {"roll(x, 3, axis=1) + x", 3},
    {"pad(x, 2) * 2", 6},
    {"concatenate([v, v[::-1], s[None]]) + 1", 4},
    {"concatenate([x[:4], x[5:7], x[:9]])", 3},
    {"pad(v, (130, 5), constant_values=2)", 1},
    {"roll(q[:400], 33) - q[:400]", 1},
    {"concatenate([x[:, :3], x[::-1, 3:]], axis=1)", 2},
    {"tile(v, 9)[::-1] * 2", 2},
    {"roll(l[:250].reshape((5, 10, 5)), (2, -3, 1), axis=(0, 1, 2)) + 1", 7},
    {"concatenate([x[::2, 1:], x[:7, :1] * 2, x[::-2, :3]], axis=1)", 3},
    {"concatenate([k.astype(int8), x[::-1].astype(int8).T[:13]], axis=1)", 2},
    {"pad(concatenate([l[:9], l[::-9]]), 2, mode='edge') - l[:42]", 3},
    {"repeat(x.T, 3, axis=0)", 1}, /* moved, not computed */
    {"(l[:252] + 0).reshape((3, 7, 12)).transpose((2, 0, 1)).reshape(84, 3)", 1},
    {"q[:3000].reshape((50, 4, 15)).transpose((1, 0, 2)).reshape(3000)", 1},
    {"(l[:, None] % 19 == arange(19)).astype(float32)", 2},
    {"l[::-2] + arange(130) * 3", 1},
    {"arange(0, 5, dtype=float64) + x[:5, :5].T", 2},
    {"sqrt(abs(x)) / (1 + x * x)", 1},
    {"s + 1", 1},
    {"x[3, 4] * s", 1},
    {"l.sum()", 1},
    {"(l > 3).any()", 1},
    {"all(l < 3)", 1},
    {"l.max() - l.min()", 1},
    {"prod(l[:70])", 1},
    {"(x * x + 1).sum()", 1},
    {"q.sum()", 1},
    {"q.astype(float64).mean()", 1},
    {"w.sum() - w.max()", 1}, /* NaNs and infinities */
    {"x.sum(axis=1, keepdims=True) / 19", 1},
    {"x[:, ::-2].max(axis=1)", 1},
    {"prod(x[:, 3:5], axis=1) * 2", 1},
    {"(s * 3)[None].sum()", 1},
    {"x[:, 3:3].sum(axis=1)", 1}, /* of nothing */
    {"(q * q).sum() + s", 1},
    {"x.sum(axis=0)", 1},                            /* goes down the columns */
    {"q[:2000].reshape((200, 10)).mean(axis=0)", 1}, /* in parts */
    {"w[:252].reshape((3, 7, 12)).sum(axis=(0, 1)) + 1", 1},
    {"w[:252].reshape((3, 7, 12)).sum(axis=1)", 1},
    {"min(l[:252].reshape((7, 3, 12)), axis=1)", 1},
    {"q[:2990].reshape((5, 2, 299)).sum(axis=(0, 1)) * v[0]", 1},
    {"x[:, :, None].min(axis=(0, 1))", 1},
    {"(q[:1500].reshape((5, 300)) * k[:5]).sum(axis=0)", 1}, /* more columns than a block */
    {"max(l[:2, None] - q[:2400].reshape((2, 2, 600))[:, 1, :150].astype(int64), axis=0)", 1},
    {"cumsum(q)", 1}, /* primitives */
    {"cumsum(x * 2, axis=0) + 1", 2},
    {"cumsum(l[:50].reshape((2, 5, 5)), axis=1)", 1},
    {"maximum.accumulate(w)", 1},
    {"cumprod(1 + x / 100, axis=1)", 1},
    {"sort(w)", 1},
    {"sort(x[:, ::-1], axis=0)", 1},
    {"argsort(w)", 1},
    {"argsort(l // 3)", 2},
    {"sort(x.astype(int8), axis=1)", 1},
    {"argsort(x * 0)", 1},
    {"argsort(-w, stable=True)", 1},
    {"x[x > s]", 1},
    {"nonzero(x > s)[1]", 2},
    {"q[q > 0].sum()", 2},
    {"nonzero(b[:30001] > 6500)[0]", 1},
    {"b[:65536][b[:65536] > 6000]", 1},
    {"l[l > 1] * 2", 2},
    {"unique(l // 4)", 2},
    {"sum(x.astype(int16), axis=1)", 1},
    {"min(l[:150].reshape((50, 3)), axis=1)", 1},
    {"argmax(x)", 1},
    {"argmin(w)", 1}, /* of NaNs */
    {"argmax(l[:250].reshape((5, 50)) // 8, axis=1)", 1},
    {"argmin(abs(q) > 3)", 1},
    {"argmax(x, axis=0)", 1}, /* of elements that are apart */
    {"argmin(w[:252].reshape((14, 18)), axis=0)", 1},
    {"argmax(q[:1998].reshape((666, 3)), axis=0)", 1},
    {"argmin(l[:252].reshape((3, 7, 12)) // 4, axis=1)", 1},
    {"argmax((b[:6000] // 100).reshape((2000, 3)), axis=0)", 1}, /* several rows at once */
    {"argmin(abs(b[:9000] * s).reshape((3, 1000, 3)), axis=1)", 1},
    {"argmin(b[:20000].reshape((20, 1000)) // 3000, axis=1)", 1},
    {"argmax(b[:1600].reshape((100, 16)).astype(uint8), axis=0)", 1},
    {"q[:1800].reshape((600, 3))[:, k[:4, 0] % 3]", 2}, /* columns by index */
    {"q[:1800].reshape((600, 3))[k[:12] % 13, l[:3] % 3]", 3},
    {"x.T * 2 + k.T", 1}, /* several rows at once */
    {"q[:3000].reshape((750, 4)).T + 1", 1},
    {"q[:1000].reshape((500, 2)).sum(axis=1)", 1},
    {"(q * q - q)[:2000].reshape((125, 16)).max(axis=1)", 1},
    {"l[:250].reshape((2, 25, 5)).min(axis=2) - 1", 1},
    {"q[:2940].reshape((20, 7, 21))[:, ::2, 1:-1].mean(axis=2)", 1},
    {"argmax(q[:2000].reshape((100, 20)), axis=1)", 1},
    {"q[:2000].reshape((100, 20)) - q[:100, None]", 1},
    {"w[:256].reshape((2, 128)).sum(axis=1)", 1}, /* in lanes */
    {"(l[:256] * 3).reshape((2, 128)).sum(axis=1)", 1},
    {"take(q[:2000].reshape((100, 20)), k[:, 0], axis=1)", 2},
    {"take_along_axis(x, argsort(x, axis=1), axis=1)", 2},
    {"roll(q[:2000].reshape((100, 20)), 3, axis=1)", 2},
    {"bincount(k[5:, 0].astype(uint8), minlength=40)", 1}, /* steps of primitives */
    {"eigvalsh(x[:, :13])", 1},
    {"solve(x[:, :13], x[:, 14])", 2},
    {"eigvals(x[:6, :6].astype(float32)).real", 1},
    {"eigvalsh(c)", 2},
    {"put(x, k[:, 0] * 2, v)", 2},
    {"sin(x)", 1},
    {"b.sum()", 1}, /* rows in parts */
    {"b[:33500].astype(float64).mean()", 1},
    {"min(b)", 1},
    {"b[:66000].reshape((2, 33000)).max(axis=1)", 1},
    {"sqrt((b[:50001] * b[:50001]).sum()) + s", 1},
    {"prod(b[:33003])", 1},
    {"max(concatenate([b[:33000], w.astype(float32)]))", 2}, /* NaN */
    {"sort(b[:16000])", 1},                                  /* by digits */
    {"sort(b[:8000].astype(float64))", 1},
    {"sort(b[:6000], descending=True)", 1},
    {"argsort(b[:8000], descending=True)", 1},
    {"argsort((b[:8000] / 100).astype(int64))", 2},
    {"sort(b[:9000].astype(int16))", 1},
    {"sort(b[:9000].astype(uint8))", 1},
    {"sort((b[:8000] * 1000).astype(int64))", 1},
    {"sort(b[:3500].astype(int64) * 2 + (arange(3500) == 3) * 4611686018427387904)", 2},
    {"argsort(b[:3500].astype(uint64) * 2 + (arange(3500) == 3) * 4611686018427387904)", 2},
    {"sort(trunc(b[:8000] / 3000))", 1}, /* zeros of both signs */
    {"sort(where(b[:5000] > 2000, w[3] / w[0] * 0, b[:5000] * 1.5))", 3},
    {"sort(b[:5000])[::-1][:3000] - sort(b[:5000])[:3000]", 2},
    {"sort(b[:400].reshape((4, 100)), axis=1)", 1},
    {"partition(b[:5000], 4990)[4990:]", 1},
    {"partition(b[:20000], 19990)[19990:]", 2}, /* parts of long rows */
    {"partition(b[:20000].astype(float64), 7)[:8]", 2},
    {"partition(b[:9000], 4000)", 2},
    {"partition(-b[:12001], 11000)[10990:]", 2},
    {"argpartition(b[:9000] // 3, 600)[590:3000]", 2},
    {"partition((b[:9000] * 100).astype(int16), 8990)[8980:]", 2},
    {"partition((b[:9000] / 100).astype(int64), 4400)[:4500]", 3},
    {"partition(b[:9000].astype(uint32), 0)", 2},
    {"partition(where(b[:9000] > 2000, w[3] / w[0] * 0, b[:9000]), 8500)[700:8700]", 4},
    {"median(b[:3000])", 5}, /* places of rows */
    {"median(x, axis=1)", 2},
    {"percentile(b[:3000].reshape((3, 1000)), array([5, 50, 95.0]), axis=1)", 8},
    {"percentile(b[:1500].reshape((300, 5)).astype(float64), array([0, 3, 100.0]), axis=0)", 8},
    {"quantile(w, 0.25)", 5}, /* of NaNs */
    {"nanquantile(w, 0.75)", 5},
    {"median(l[:256].astype(int8))", 4},
    {"median(l[:256].reshape((2, 128)) % 3, axis=1)", 5},
    {"median(b[:20000] // 7)", 5},
    {"partition(b[:5000].astype(float64), 17)[17]", 1},
    {"argpartition(b[:5000], 5)[:5]", 1},
    {"x.astype(float16) + 1", 0},
    {"x + 1j", 0},
    {"ones((7, 3)) - zeros(3)", 1},
    {"x[5:5] + 1", 0}, /* no points: nothing runs */
};

static void expressions(void)
{
    static float data[13 * 19], many[3001], long_row[70001];
    const int64_t nmany = 3001, nlong = 70001;
    int32_t rows[13];
    const int64_t dim[2] = {13, 19}, tall[2] = {13, 1}, square[2] = {9, 9};
    int bad = 0;
    for (int i = 0; i < 13 * 19; i++)
        data[i] = (float)(int)(random_word() % 1000) / 16 - 30;
    for (int i = 0; i < nmany; i++)
        many[i] = (float)(int)(random_word() % 100000) / 7 - 5000;
    for (int i = 0; i < nlong; i++)
        long_row[i] = (float)(int)(random_word() % 1000000) / 70 - 7000;
    for (int i = 0; i < 13; i++)
        rows[i] = i - 5;
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, dim, data), *l = values(GND_INT64, N);
    gnd_array *v = gnd_from(dev, GND_FLOAT32, 1, dim + 1, data + 40);
    gnd_array *k = gnd_from(dev, GND_INT32, 2, tall, rows);
    gnd_array *s = gnd_from(dev, GND_FLOAT32, 0, NULL, data + 7);
    gnd_array *c = gnd_from(dev, GND_COMPLEX64, 2, square, many);
    gnd_array *q = gnd_from(dev, GND_FLOAT32, 1, &nmany, many), *w = values(GND_FLOAT64, N);
    gnd_array *b = gnd_from(dev, GND_FLOAT32, 1, &nlong, long_row);
    for (size_t i = 0; i < sizeof exprs / sizeof *exprs; i++) {
        gnd_array *y[2];
        for (int j = 0; j < 2; j++)
            y[j] = gnd_eval(dev, exprs[i].text, "x", x, "v", v, "k", k, "s", s, "l", l, "q", q, "w",
                            w, "c", c, "b", b, NULL);
        bad += compare(1, &y[0], &y[1], &exprs[i].here, &exprs[i].text);
    }
    tap_ok(!bad, "%zu expressions", sizeof exprs / sizeof *exprs);
    gnd_scope_end();
}

/* Random words, and what is made of them. */
static void draws(void)
{
    const int64_t dim[2] = {13, 19}, few = 300;
    const int here[] = {1, 1, 1, 1, 2, 3};
    const char *const name[] = {"random", "random", "uniform", "uniform", "permutation", "shuffle"};
    gnd_array *y[2][6];
    gnd_scope_begin();
    gnd_array *x = gnd_astype(values(GND_INT64, N), GND_INT32);
    gnd_eval_all(1, &x);
    for (int i = 0; i < 2; i++) {
        gnd_rng g = gnd_rng_seed(7);
        y[i][0] = gnd_rng_random(&g, dev, GND_FLOAT32, 2, dim);
        y[i][1] = gnd_rng_random(&g, dev, GND_FLOAT64, 1, &few);
        y[i][2] = gnd_rng_uniform(&g, dev, GND_FLOAT32, 2, dim, gnd_real(-3), gnd_real(2));
        y[i][3] = gnd_rng_uniform(&g, dev, GND_FLOAT64, 1, &few, gnd_real(5), gnd_real(6));
        y[i][4] = gnd_rng_permutation(&g, dev, few);
        y[i][5] = gnd_rng_shuffle(&g, x, 0);
    }
    tap_ok(!compare(6, y[0], y[1], here, name), "random words");
    gnd_scope_end();
}

/* Numbers that are made of random words, whole and from an odd position of the stream on. */
static void draws_of_words(void)
{
    enum { KINDS = 9 };
    const int64_t few = 333;
    const int here[] = {1, 1};
    int bad = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        const gnd_dtype t = kind % 2 ? GND_FLOAT64 : GND_FLOAT32;
        gnd_array *y[2][2];
        char text[2][40];
        const char *const name[2] = {text[0], text[1]};
        gnd_scope_begin();
        for (int i = 0; i < 2; i++)
            for (int part = 0; part < 2; part++) {
                gnd_rng g = gnd_rng_seed(11);
                gnd_array *z =
                    kind < 2   ? gnd_rng_standard_normal(&g, dev, t, 1, &few)
                    : kind < 4 ? gnd_rng_exponential(&g, dev, t, 1, &few, gnd_int(1))
                    : kind < 6 ? gnd_rng_laplace(&g, dev, t, 1, &few, gnd_int(0), gnd_int(1))
                    : kind < 8 ? gnd_rng_logistic(&g, dev, t, 1, &few, gnd_int(0), gnd_int(1))
                               /* of which half of the words are rejected */
                               : gnd_rng_integers(&g, dev, GND_INT64, 1, &few, gnd_int(-5),
                                                  gnd_int(((int64_t)1 << 31) - 4), 0);
                y[i][part] = part ? gnd_slice(z, 0, 3, 298) : z;
                snprintf(text[part], sizeof text[part], "random numbers %d%s", kind,
                         part ? ", a part" : "");
            }
        bad += compare(2, y[0], y[1], here, name);
        gnd_scope_end();
    }
    tap_ok(!bad, "%d kinds of random numbers", KINDS);
}

/* |x|, by a kernel of which the host has no loop. */
static gnd_array *launched(gnd_array *x)
{
    return gnd_abs(gnd_astype(x, GND_COMPLEX64));
}

/* Work that is pending: what follows is enqueued after it, and small work waits for nobody. */
static void order(void)
{
    const int64_t n = 1 << 20, few = 100;
    float last[100];
    int bad = 0;
    gnd_scope_begin();
    gnd_array *big = gnd_ones(dev, GND_FLOAT32, 1, &n);
    gnd_eval_all(1, &big);
    gnd_sync(dev);
    uint64_t before = gnd__here_force(1);
    for (int i = 0; i < 20; i++) {
        gnd_array *y = gnd_add_f(gnd_sin(big), i), *tail, *z;
        gnd_eval_all(1, &y);
        tail = gnd_slice(y, 0, -few, GND_NONE);
        z = gnd_mul_f(tail, 2);
        gnd_eval_all(1, &z);
        bad += gnd_read(z, last, sizeof last) != GND_OK;
        for (int j = 0; j < few; j++)
            bad += last[j] != 2 * (last[0] / 2) || last[0] < 2 * (float)i + 1.6f ||
                   last[0] > 2 * (float)i + 1.7f;
    }
    tap_ok(!bad, "small work that follows large work");
    tap_is_int(gnd__here_force(1) - before, 0, "it is enqueued behind it");
    before = gnd__here_force(1);
    gnd_array *small = gnd_ones(dev, GND_FLOAT32, 1, &few);
    gnd_array *y = launched(small), *z = gnd_add_f(small, 1);
    gnd_eval_all(1, &small);
    gnd_eval_all(1, &z);
    tap_is_int(gnd__here_force(1) - before, 2, "of an idle device it runs here");
    gnd_eval_all(1, &y);
    gnd_array *w = gnd_add_f(small, 2);
    gnd_eval_all(1, &w);
    tap_is_int(gnd__here_force(1) - before, 2, "behind a kernel it does not");
    gnd_scope_end();
}

/* Three steps of a power iteration, which normalises after each product. */
static gnd_array *iterate(gnd_array *a, gnd_array *v)
{
    for (int i = 0; i < 3; i++) {
        v = gnd_matmul(a, v);
        v = gnd_div(v, gnd_sqrt(gnd_sum(gnd_mul(v, v), GND_ALL, 0)));
    }
    return v;
}

/* Calls of the host's libraries wait for the queue: small steps between them run here, also where
 * a kernel of the same plan was enqueued before. */
static void calls(void)
{
    const int64_t side[2] = {32, 32};
    const int here[] = {6, 6};
    const char *const name[] = {"products and steps", "the same after a kernel"};
    float data[32 * 32];
    gnd_device_info info;
    if (gnd_device_describe(dev, &info) != GND_OK || !strstr(info.libraries, "OpenBLAS")) {
        tap_skip(1, "no library of the host's computes products");
        return;
    }
    for (int i = 0; i < 32 * 32; i++)
        data[i] = (float)(random_word() % 1000) / 1000;
    gnd_scope_begin();
    gnd_array *a = gnd_from(dev, GND_FLOAT32, 2, side, data);
    gnd_array *v = gnd_from(dev, GND_FLOAT32, 1, side, data), *y[2], *z[2];
    for (int i = 0; i < 2; i++) {
        gnd_array *first = i ? launched(v) : v;
        y[i] = iterate(a, first);
        z[i] = iterate(a, first);
    }
    tap_ok(!compare(2, y, z, here, name), "steps between products");
    gnd_scope_end();
}

/* Long rows of bools: what the beginning decides is not launched. The element that decides is at
 * `at`; -1: none. */
static void deciding(int64_t n, int64_t at, int all, int ran)
{
    uint8_t *data = malloc((size_t)n), got = 2;
    gnd_scope_begin();
    memset(data, all, (size_t)n);
    if (at >= 0)
        data[at] = (uint8_t)!all;
    gnd_array *x = gnd_from(dev, GND_BOOL, 1, &n, data);
    gnd_eval_all(1, &x);
    gnd_sync(dev);
    const uint64_t before = gnd__here_force(1);
    gnd_array *y = all ? gnd_all(x, GND_ALL, 0) : gnd_any(x, GND_ALL, 0);
    gnd_status st = gnd_eval_all(1, &y);
    const int count = (int)(gnd__here_force(1) - before);
    if (st == GND_OK)
        st = gnd_read(y, &got, 1);
    tap_ok(st == GND_OK && got == (at >= 0 ? !all : all) && count == ran,
           "%s of a long row, decided at %lld", all ? "all" : "any", (long long)at);
    gnd_scope_end();
    free(data);
}

/* A thread that rounds otherwise leaves it to the device. */
static void rounding(void)
{
    const int64_t few = 100;
    gnd_scope_begin();
    gnd_sync(dev);
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 1, &few), *y = gnd_add_f(x, 1e-9);
    float first = 0, data[100];
    fesetround(FE_UPWARD);
    const uint64_t before = gnd__here_force(1);
    const gnd_status st = gnd_eval_all(1, &y);
    const uint64_t after = gnd__here_force(1);
    fesetround(FE_TONEAREST);
    if (gnd_read(y, data, sizeof data) == GND_OK)
        first = data[0];
    tap_ok(st == GND_OK && after == before && first == 1, "rounding upwards is not the device's");
    gnd_scope_end();
}

int main(void)
{
    static const gnd_dtype all[] = {GND_FLOAT32, GND_FLOAT64, GND_BOOL,   GND_INT8,
                                    GND_INT64,   GND_UINT8,   GND_UINT32, GND_INT16,
                                    GND_INT32,   GND_UINT16,  GND_UINT64};
    const int count = sizeof all / sizeof *all, some = getenv("GND_TEST_ALL") ? count : 5;
    dev = gnd_open(NULL);
    if (gnd_device_status(dev) != GND_OK)
        tap_skip_all("%s", gnd_device_error(dev));
    gnd__gate_lock(dev->g);
    const int reaches = gnd__gate_shares(dev->g) && gnd__gate_reaches(dev->g);
    gnd__gate_unlock(dev->g);
    if (!reaches)
        tap_skip_all("%s does not work in host memory", gnd_device_id(dev));
    for (int i = 0; i < some; i++)
        operations(all[i]);
    for (int i = 0; i < some; i++)
        casts(all[i], all, count);
    expressions();
    draws();
    draws_of_words();
    calls();
    order();
    deciding(1 << 18, 100, 1, 1);
    deciding(1 << 18, 200000, 1, 0);
    deciding(1 << 18, -1, 1, 0);
    deciding(1 << 18, 0, 0, 1);
    deciding(1 << 18, (1 << 18) - 1, 0, 0);
    deciding(1 << 18, -1, 0, 0);
    deciding(70001, 70000, 0, 1); /* rows of this length are read to their end */
    deciding(70001, 4097, 1, 1);
    deciding(70001, -1, 0, 1);
    deciding(70001, -1, 1, 1);
    rounding();
    gnd_close(dev);
    return tap_done();
}
