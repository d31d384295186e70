/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_gemm.h - the part of conform.c on the blas group, included by it after its helpers:
 * gemm of every dtype and layout against three loops, with the bytes around C watched.
 */
#include <complex.h>
#include <math.h>

/* How the matrices lie: transposed or not, padding of the leading dimension, elements before. */
typedef struct layout {
    const char *name;
    int ta, tb;
    int64_t pad, off, nbatch;
    int bcast; /* B is the same in all batches */
    double alpha, beta;
    uint32_t flags; /* GND_GEMM_* */
    int row;        /* one row is added to all */
} layout;

static const layout layouts[] = {
    {"row x row", 0, 0, 0, 0, 1, 0, 1, 0, 0, 0},
    {"col x row", 1, 0, 0, 0, 1, 0, 1, 0, 0, 0},
    {"row x col, padded, offset", 0, 1, 3, 5, 1, 0, 1, 0, 0, 0},
    {"col x col, padded, alpha, beta", 1, 1, 1, 1, 1, 0, -0.5, 2, 0, 0},
    {"batch of 3, alpha, beta 1", 0, 0, 2, 7, 3, 0, 2, 1, 0, 0},
    {"batch of 3, one B, col", 1, 1, 0, 0, 3, 1, 1, 0, 0, 0},
    {"a row added, what is below 0", 0, 0, 0, 0, 1, 0, 1, 1, GND_GEMM_PLUS | GND_GEMM_RELU, 1},
    {"a row added, batch of 3, col, alpha", 1, 0, 2, 3, 3, 0, -2, 1, GND_GEMM_PLUS, 1},
    {"a matrix added, padded, batch of 3", 0, 1, 3, 5, 3, 0, 1, 1, GND_GEMM_PLUS, 0},
    {"a multiple of a matrix added, alpha", 0, 0, 0, 0, 1, 0, -0.5, 4, GND_GEMM_PLUS, 0},
};

/* The 16-bit floats: mant bits of fraction, and the exponent's bias. Rounds to nearest even. */
static uint16_t half_of(double v, int mant, int bias)
{
    const uint32_t sign = signbit(v) ? 0x8000u : 0, top = 2 * (uint32_t)bias + 1;
    int e;
    if (isnan(v))
        return (uint16_t)(top << mant | 1u << (mant - 1));
    if (v == 0)
        return (uint16_t)sign;
    frexp(v, &e);
    e = e - 1 < 1 - bias ? 1 - bias : e - 1;
    const uint32_t n = (uint32_t)rint(ldexp(fabs(v), mant - e));
    const uint32_t bits = ((uint32_t)(e + bias - 1) << mant) + n;
    return (uint16_t)(sign | (bits < top << mant ? bits : top << mant));
}

static double of_half(uint16_t h, int mant, int bias)
{
    const int e = (h & 0x7fff) >> mant, frac = h & ((1 << mant) - 1);
    const double v = e == 2 * bias + 1 ? (frac ? (double)NAN : (double)INFINITY)
                     : e               ? ldexp(frac + (1 << mant), e - bias - mant)
                                       : ldexp(frac, 1 - bias - mant);
    return h & 0x8000 ? -v : v;
}

static double complex get(const void *p, uint32_t dt, size_t i)
{
    switch (dt) {
    case GND_FLOAT16: return of_half(((const uint16_t *)p)[i], 10, 15);
    case GND_BFLOAT16: return of_half(((const uint16_t *)p)[i], 7, 127);
    case GND_FLOAT32: return ((const float *)p)[i];
    case GND_FLOAT64: return ((const double *)p)[i];
    case GND_COMPLEX64: return ((const float complex *)p)[i];
    default: return ((const double complex *)p)[i];
    }
}

static void put(void *p, uint32_t dt, size_t i, double complex v)
{
    switch (dt) {
    case GND_FLOAT16: ((uint16_t *)p)[i] = half_of(creal(v), 10, 15); break;
    case GND_BFLOAT16: ((uint16_t *)p)[i] = half_of(creal(v), 7, 127); break;
    case GND_FLOAT32: ((float *)p)[i] = (float)creal(v); break;
    case GND_FLOAT64: ((double *)p)[i] = creal(v); break;
    case GND_COMPLEX64: ((float complex *)p)[i] = (float complex)v; break;
    default: ((double complex *)p)[i] = v;
    }
}

static gnd_mat place(int trans, int64_t rows, int64_t cols, const layout *l, int64_t *total)
{
    gnd_mat m = {.off = (uint64_t)l->off};
    m.row = trans ? 1 : cols + l->pad;
    m.col = trans ? rows + l->pad : 1;
    const int64_t one = trans ? m.col * cols : m.row * rows;
    m.batch = one + 2;
    *total = l->off + l->nbatch * m.batch + 1;
    return m;
}

static size_t at(const gnd_mat *m, int64_t b, int64_t i, int64_t j)
{
    return (size_t)((int64_t)m->off + b * m->batch + i * m->row + j * m->col);
}

/* One product against three loops in double; everything outside C's elements must stay. Inputs are
 * small integers, so single precision is exact too, and 16 bits round once. 1: right, 0: wrong, -1:
 * not supported. */
static int gemm_case(uint32_t dt, size_t es, const layout *l, int64_t m, int64_t n, int64_t k,
                     char *why, size_t cap)
{
    int64_t na, nb, nc, np = 1;
    gnd_gemm g = {.dtype = dt,
                  .m = m,
                  .n = n,
                  .k = k,
                  .nbatch = l->nbatch,
                  .alpha = l->alpha,
                  .beta = l->beta};
    g.a = place(l->ta, m, k, l, &na);
    g.b = place(l->tb, k, n, l, &nb);
    g.c = place(0, m, n, l, &nc);
    if (l->bcast)
        g.b.batch = 0;
    int yes = 0, right = 1;
    g.flags = l->flags;
    if (g.flags & GND_GEMM_PLUS) {
        g.plus = place(0, l->row ? 1 : m, n, l, &np);
        if (l->row)
            g.plus.row = 0;
    }
    if (g.flags && !be->blas->follows) {
        snprintf(why, cap, "no entry blas.follows");
        return -1;
    }
    err.msg[0] = 0;
    if ((g.flags ? be->blas->follows : be->blas->supports)(dev, &g, &yes, &err) != GND_OK || !yes) {
        if (err.msg[0])
            snprintf(why, cap, "%s", err.msg);
        else
            snprintf(why, cap, "its call takes no %s",
                     g.flags & GND_GEMM_RELU   ? "ReLU after it"
                     : g.flags & GND_GEMM_PLUS ? "sum with it"
                                               : "such product");
        return -1;
    }
    char *a = malloc((size_t)na * es), *b = malloc((size_t)nb * es), *c = malloc((size_t)nc * es);
    char *got = malloc((size_t)nc * es), *plus = malloc((size_t)np * es);
    if (!a || !b || !c || !got || !plus)
        tap_bail("out of memory");
    for (int64_t i = 0; i < na; i++)
        put(a, dt, (size_t)i, (int)(rnd() % 9) - 4 + I * ((int)(rnd() % 9) - 4));
    for (int64_t i = 0; i < nb; i++)
        put(b, dt, (size_t)i, (int)(rnd() % 9) - 4 + I * ((int)(rnd() % 9) - 4));
    for (int64_t i = 0; i < nc; i++)
        put(c, dt, (size_t)i,
            l->beta == 0 || l->flags & GND_GEMM_PLUS ? (double)NAN : (int)(rnd() % 9) - 4);
    for (int64_t i = 0; i < np; i++)
        put(plus, dt, (size_t)i, (int)(rnd() % 9) - 4);
    g.plus.buf = new_buf((size_t)np * es);
    mem->write(q, g.plus.buf, 0, plus, (size_t)np * es, &err);
    g.a.buf = new_buf((size_t)na * es);
    g.b.buf = new_buf((size_t)nb * es);
    g.c.buf = new_buf((size_t)nc * es);
    mem->write(q, g.a.buf, 0, a, (size_t)na * es, &err);
    mem->write(q, g.b.buf, 0, b, (size_t)nb * es, &err);
    mem->write(q, g.c.buf, 0, c, (size_t)nc * es, &err);
    const gnd_status s = be->blas->gemm(q, &g, &err);
    if (s != GND_OK || mem->read(q, got, g.c.buf, 0, (size_t)nc * es, &err) != GND_OK) {
        snprintf(why, cap, "status %d: %s", s, err.msg);
        right = 0;
    }
    for (int64_t bi = 0; bi < l->nbatch && right; bi++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double complex sum = 0;
                for (int64_t x = 0; x < k; x++)
                    sum += get(a, dt, at(&g.a, bi, i, x)) * get(b, dt, at(&g.b, bi, x, j));
                const size_t ic = at(&g.c, bi, i, j);
                sum *= l->alpha;
                if (l->beta != 0 && !(l->flags & GND_GEMM_PLUS))
                    sum += l->beta * get(c, dt, ic);
                if (l->flags & GND_GEMM_PLUS)
                    sum += l->beta * get(plus, dt, at(&g.plus, bi, i, j));
                if (l->flags & GND_GEMM_RELU && creal(sum) < 0)
                    sum = 0;
                put(c, dt, ic, sum);
            }
    if (right && memcmp(got, c, (size_t)nc * es) != 0) {
        for (int64_t i = 0; i < nc && right; i++) {
            const double complex x = get(got, dt, (size_t)i), y = get(c, dt, (size_t)i);
            if (x != y && !(isnan(creal(x)) && isnan(creal(y)))) {
                snprintf(why, cap, "element %lld is %g%+gi, should be %g%+gi", (long long)i,
                         creal(x), cimag(x), creal(y), cimag(y));
                right = 0;
            }
        }
    }
    mem->free(g.a.buf);
    mem->free(g.b.buf);
    mem->free(g.c.buf);
    mem->free(g.plus.buf);
    free(plus);
    free(a);
    free(b);
    free(c);
    free(got);
    return right;
}

static void test_gemm(void)
{
    static const struct {
        const char *name;
        uint32_t dt;
        size_t es;
    } types[] = {{"float32", GND_FLOAT32, 4},     {"float64", GND_FLOAT64, 8},
                 {"complex64", GND_COMPLEX64, 8}, {"complex128", GND_COMPLEX128, 16},
                 {"float16", GND_FLOAT16, 2},     {"bfloat16", GND_BFLOAT16, 2}};
    static const int64_t sizes[] = {0, 1, 2, 3, 17, 64, 65};
    enum { NS = sizeof sizes / sizeof *sizes };
    char text[256] = "", why[640] = "";
    if (!be->blas || !be->blas->supports || !be->blas->gemm) {
        tap_skip(1, "%s: no blas group", who);
        return;
    }
    if (be->blas->describe)
        be->blas->describe(dev, text, sizeof text, NULL);
    tap_diag("%s: blas is %s", who, text);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
            int wrong = 0, done = 0;
            for (int i = 0; i < NS * NS * NS && !wrong; i++) {
                const int64_t m = sizes[i / NS / NS], n = sizes[i / NS % NS], k = sizes[i % NS];
                const int r =
                    gemm_case(types[t].dt, types[t].es, &layouts[l], m, n, k, why, sizeof why);
                done += r >= 0;
                if (r == 0) {
                    tap_diag("m %lld n %lld k %lld: %s", (long long)m, (long long)n, (long long)k,
                             why);
                    wrong++;
                }
            }
            if (done == 0)
                tap_skip(1, "%s: gemm %s, %s: %s", who, types[t].name, layouts[l].name, why);
            else
                tap_ok(!wrong, "%s: gemm %s, %s (%d of %d sizes)", who, types[t].name,
                       layouts[l].name, done, NS * NS * NS);
        }

    int yes = 1;
    gnd_gemm g = {.dtype = GND_FLOAT32,
                  .m = 4,
                  .n = 4,
                  .k = 4,
                  .nbatch = 1,
                  .alpha = 1,
                  .a = {.row = 8, .col = 2},
                  .b = {.row = 4, .col = 1},
                  .c = {.row = 4, .col = 1}};
    OK(be->blas->supports(dev, &g, &yes, &err), "supports of strides (8, 2)");
    tap_ok(!yes, "%s: they are not supported", who);
    g.a = (gnd_mat){.row = 4, .col = 1};
    g.dtype = GND_INT32;
    be->blas->supports(dev, &g, &yes, NULL);
    tap_ok(!yes, "%s: int32 is not supported", who);
    g.dtype = GND_FLOAT32;
    g.a.buf = g.b.buf = g.c.buf = new_buf(64);
    g.c.off = 1;
    bad(be->blas->gemm(q, &g, &err), GND_OK, "gemm past the end of a buffer");
    mem->free(g.c.buf);
}
