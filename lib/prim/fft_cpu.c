/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/fft_cpu.c - the kernels of Fourier transforms of rows on CPUs. Real and imaginary parts are
 * in arrays of their own, because compilers make no vectors of loops over pairs. The innermost
 * loop of a pass goes over the lanes: rows, if there are many short ones, else the points that have
 * consecutive roots.
 */
#include "prim/fft_rows.h"

#include <stdio.h>
#include "base/dtype.h"
#include "codegen/prelude.h"

/* A pass of radix q over points that are s apart. */
typedef struct pass {
    const gnd__fft_rows *r;
    gnd__str *b;
    const char *R; /* the real type */
    int q, from;   /* the pair of arrays that it reads, 0 or 1 */
    int lanes;     /* rows at once; 1: one row */
    long long s, nb, at;
    /* The values k of a point are nb + pad apart where they are read. Where the next pass reads,
     * `next` stretches of as many values each have `gap` positions between them. */
    long long pad, next, gap;
} pass;

#define ROWS_BYTES (48 * 1024) /* most private memory for several rows at once */

int gnd__fft_lanes(const gnd__fft_rows *r)
{
    const int64_t row = 2 * r->n * (int64_t)gnd_dtype_size(r->t);
    for (int lanes = r->t == GND_COMPLEX64 ? 16 : 8; lanes >= 4; lanes /= 2)
        if (r->count >= 2 * lanes && row * lanes <= ROWS_BYTES)
            return lanes;
    return 1;
}

/* A pass of 2, 3, 4, 5 or 8, which has its values in registers. */
static int is_short(int q)
{
    return q < 7 || q == 8;
}

/* The positions between stretches of n / q values where pass i reads, or in the result if there is
 * no pass i: values that are a multiple of a way of the nearest cache apart (4 KB), or of a quarter
 * of it, would share few sets of it. Passes of long odd lengths have none. */
static long long gap_of(const gnd__fft_rows *r, int lanes, int i)
{
    const int q = r->radix[i < r->passes ? i : r->passes - 1];
    const long long size = lanes * (long long)gnd_dtype_size(gnd__real_of(r->t)), line = 64;
    if ((i > 0 && !is_short(r->radix[i - 1])) || (i < r->passes && !is_short(r->radix[i])) ||
        r->n / q * size % 1024)
        return 0;
    return size < line ? line / size : 1;
}

/* The positions of the values k (text) of the current point: read, written, and its root. */
static void places(const pass *p, const char *k, char in[96], char out[96], char root[96])
{
    char lane[24] = "";
    if (p->lanes > 1)
        snprintf(lane, sizeof lane, " * %d + l", p->lanes);
    snprintf(in, 96, "(b * %lld + j + %s * %lld)%s", p->s, k, p->nb + p->pad, lane);
    if (p->nb == p->s) /* the last pass */
        snprintf(out, 96, "(j + %s * %lld)%s", k, p->s + p->gap, lane);
    else if (p->gap)
        snprintf(out, 96, "(b * %lld + j + %s * %lld + c * %lld)%s", p->s * p->q, k, p->s, p->gap,
                 lane);
    else
        snprintf(out, 96, "(b * %lld + j + %s * %lld)%s", p->s * p->q, k, p->s, lane);
    snprintf(root, 96, "2 * (%lld + (%s - 1) * %lld + j)", p->at, k, p->s);
}

/* Value k of the current point, times its root, as x and y. */
static void read_value(const pass *p, const char *k, int turned, const char *x, const char *y)
{
    char in[96], out[96], root[96];
    places(p, k, in, out, root);
    if (!turned || p->s == 1) {
        gnd__str_addf(p->b, "        %s = re%d[%s];\n        %s = im%d[%s];\n", x, p->from, in, y,
                      p->from, in);
        return;
    }
    gnd__str_addf(p->b,
                  "        {\n        const int at = %s;\n        const int wat = %s;\n"
                  "        const %s a = re%d[at], c = im%d[at], wx = WR(wat), wy = WR(wat + 1);\n"
                  "        %s = a * wx - c * wy;\n        %s = a * wy + c * wx;\n        }\n",
                  in, root, p->R, p->from, p->from, x, y);
}

static void write_value(const pass *p, const char *k, const char *x, const char *y)
{
    char in[96], out[96], root[96];
    places(p, k, in, out, root);
    gnd__str_addf(p->b, "        re%d[%s] = %s;\n        im%d[%s] = %s;\n", !p->from, out, x,
                  !p->from, out, y);
}

/* A pass of 2, 3, 4, 5 or 8: values in registers. */
static void short_pass(const pass *p)
{
    char k[12], x[16], y[16];
    const int cut = p->gap && p->nb > p->s; /* the loop over b, by stretches */
    const long long each = p->nb / p->s / (cut ? p->next : 1);
    if (cut)
        gnd__str_addf(
            p->b,
            "    for (int c = 0; c < %lld; c++) for (int b = c * %lld; b < (c + 1) * %lld; "
            "b++) for (int j = 0; j < %lld; j++)",
            p->next, each, each, p->s);
    else
        gnd__str_addf(p->b, "    for (int b = 0; b < %lld; b++) for (int j = 0; j < %lld; j++)",
                      each, p->s);
    if (p->lanes > 1)
        gnd__str_addf(p->b, " for (int l = 0; l < %d; l++)", p->lanes);
    gnd__str_addf(p->b, " {\n        %s x[%d], y[%d];\n", p->R, p->q, p->q);
    for (int step = 0; step < 2; step++) {
        for (int i = 0; i < p->q; i++) {
            snprintf(k, sizeof k, "%d", i);
            snprintf(x, sizeof x, "x[%d]", i);
            snprintf(y, sizeof y, "y[%d]", i);
            if (step)
                write_value(p, k, x, y);
            else
                read_value(p, k, i > 0, x, y);
        }
        if (!step)
            gnd__str_addf(p->b, "        gnd_sdft%d_%s(x, y);\n", p->q,
                          gnd__suffix(gnd__real_of(p->r->t)));
    }
    gnd__str_add(p->b, "    }\n");
}

/* The loop over the lanes of one pass of odd length: rows, points of different roots, or, in the
 * first pass, points without roots. */
static void lane_loop(const pass *p)
{
    if (p->lanes > 1)
        gnd__str_addf(p->b, "        for (int l = 0; l < %d; l++) {\n", p->lanes);
    else if (p->s == 1)
        gnd__str_add(
            p->b, "        for (int l = 0; l < cnt; l++) {\n        const int b = t + l, j = 0;\n");
    else
        gnd__str_add(p->b,
                     "        for (int l = 0; l < cnt; l++) {\n        const int j = t + l;\n");
}

#define POINTS 16 /* lanes of points in a pass of odd length */

/* The loops around it, which declare cnt lanes from t on. Returns the number of lanes. */
static int odd_loops(const pass *p)
{
    const long long n = p->s == 1 ? p->nb : p->s;
    if (p->lanes > 1) {
        gnd__str_addf(p->b, "    for (int b = 0; b < %lld; b++) for (int j = 0; j < %lld; j++) {\n",
                      p->nb / p->s, p->s);
        return p->lanes;
    }
    if (p->s > 1)
        gnd__str_addf(p->b, "    for (int b = 0; b < %lld; b++)\n", p->nb / p->s);
    gnd__str_addf(p->b,
                  "    for (int t = 0; t < %lld; t += %d) {\n"
                  "        const int cnt = %lld - t < %d ? (int)(%lld - t) : %d;\n",
                  n, POINTS, n, POINTS, n, POINTS);
    return POINTS;
}

/* A pass of an odd length from 7 on: sums and differences of the values i and q - i, and their
 * products with cosines and sines. */
static void odd_pass(const pass *p)
{
    const int q = p->q, h = q / 2, lanes = odd_loops(p);
    gnd__str *b = p->b;
    gnd__str_addf(b, "        %s x[%d][%d] = {{0}}, y[%d][%d] = {{0}};\n", p->R, q, lanes, q,
                  lanes);
    lane_loop(p);
    read_value(p, "0", 0, "x[0][l]", "y[0][l]");
    gnd__str_addf(b, "        }\n        for (int k = 1; k < %d; k++)\n", q);
    lane_loop(p);
    read_value(p, "k", 1, "x[k][l]", "y[k][l]");
    gnd__str_addf(
        b,
        "        }\n        for (int k = 1; k <= %d; k++) for (int l = 0; l < %d; l++) {\n"
        "        const %s a = x[k][l], c = y[k][l], d = x[%d - k][l], e = y[%d - k][l];\n"
        "        x[k][l] = a + d;\n        y[k][l] = c + e;\n"
        "        x[%d - k][l] = a - d;\n        y[%d - k][l] = c - e;\n        }\n",
        h, lanes, p->R, q, q, q, q);
    gnd__str_addf(b,
                  "        for (int u = 0; u <= %d; u++) {\n"
                  "        %s ex[%d], ey[%d], ox[%d], oy[%d];\n        int m = 0;\n"
                  "        for (int l = 0; l < %d; l++) {\n"
                  "        ex[l] = x[0][l];\n        ey[l] = y[0][l];\n        ox[l] = oy[l] = 0;\n"
                  "        }\n        for (int i = 1; i <= %d; i++) {\n"
                  "        m += u;\n        m -= m >= %d ? %d : 0;\n"
                  "        const %s c = cs%d[m], s = sn%d[m];\n"
                  "        for (int l = 0; l < %d; l++) {\n"
                  "        ex[l] += c * x[i][l];\n        ey[l] += c * y[i][l];\n"
                  "        ox[l] += s * y[%d - i][l];\n        oy[l] -= s * x[%d - i][l];\n"
                  "        }\n        }\n",
                  h, p->R, lanes, lanes, lanes, lanes, lanes, h, q, q, p->R, q, q, lanes, q, q);
    lane_loop(p);
    write_value(p, "u", "ex[l] + ox[l]", "ey[l] + oy[l]");
    gnd__str_add(b, "        }\n        if (u)\n");
    lane_loop(p);
    gnd__str_addf(b, "        const int v = %d - u;\n", q);
    write_value(p, "v", "ex[l] - ox[l]", "ey[l] - oy[l]");
    gnd__str_add(b, "        }\n        }\n    }\n");
}

/* --- roots ------------------------------------------------------------------------------------ */

#define TABLE_BYTES (512 * 1024)

int gnd__fft_tabled(const gnd__fft_rows *r)
{
    return r->p->t->props->kind == GND_DEV_CPU &&
           r->n * (int64_t)gnd_dtype_size(r->t) <= TABLE_BYTES;
}

void gnd__fft_table_cpu(const gnd__fft_rows *r)
{
    const int wide = r->t == GND_COMPLEX128;
    const long double turn = 6.283185307179586476925286766559006L;
    long long s = 1;
    gnd__pk_def(r->p, "__constant %s roots_[%lld] = {", gnd__ctype_value(gnd__real_of(r->t)),
                2 * (long long)r->n);
    for (int i = 0; i < r->passes; s *= r->radix[i++])
        for (long long k = 1; k < r->radix[i]; k++)
            for (long long j = 0; j < s; j++) {
                const long double a = turn * (long double)(k * j) / (long double)(s * r->radix[i]);
                gnd__pk_def(r->p, wide ? "%.17e,%.17e,\n" : "%.9ef,%.9ef,\n",
                            (double)__builtin_cosl(a), (double)-__builtin_sinl(a));
            }
    gnd__pk_def(r->p, "0};\n#define WR(i) roots_[i]\n");
}

/* --- rows of reals, in pairs ------------------------------------------------------------------ */

/* The table of w^k = exp(-pi i k/n) for k = 0 .. n/2. */
static void half_table(const gnd__fft_rows *r)
{
    const int wide = r->t == GND_COMPLEX128;
    const long double turn = 3.141592653589793238462643383279503L;
    gnd__pk_def(r->p, "__constant %s halves_[%lld] = {", gnd__ctype_value(gnd__real_of(r->t)),
                2 * (long long)(r->n / 2 + 1));
    for (int64_t k = 0; k <= r->n / 2; k++) {
        const long double a = turn * (long double)k / (long double)r->n;
        gnd__pk_def(r->p, wide ? "%.17e,%.17e,\n" : "%.9ef,%.9ef,\n", (double)__builtin_cosl(a),
                    (double)-__builtin_sinl(a));
    }
    gnd__pk_def(r->p, "};\n");
}

/* The position of value k in arrays of q stretches. */
static void define_position(const gnd__fft_rows *r, const char *name, int q, long long gap)
{
    if (gap)
        gnd__pk_def(r->p, "#define %s(k) ((k) + (int)((g_u32)(k) / %lldu) * %lld)\n", name,
                    (long long)r->n / q, gap);
    else
        gnd__pk_def(r->p, "#define %s(k) (k)\n", name);
}

/* Reads a row. Reals are the parts of r->n complex numbers. Of the conjugate-symmetric X of 2 n
 * elements, with a = X[k] and b = X[n - k], the numbers are z[k] = s + t, z[n - k] = conj(s - t)
 * with s = a + conj b and t = i w^-k (a - conj b). */
static void read_half(const gnd__fft_rows *r, gnd__str *b, const char *R, const char *T, int lanes)
{
    const long long n = (long long)r->n;
    if (r->kind == GND_FFT_R2C) {
        gnd__str_addf(b,
                      "        for (int k = 0; k < %lld; k++) {\n"
                      "        re0[FIRST(k) * %d + l] = IN_x(row * %lld + 2 * k);\n"
                      "        im0[FIRST(k) * %d + l] = IN_x(row * %lld + 2 * k + 1);\n        }\n",
                      n, lanes, 2 * n, lanes, 2 * n);
        return;
    }
    gnd__str_addf(b,
                  "        for (int k = 0; k <= %lld; k++) {\n"
                  "        const %s a = IN_x(row * %lld + k), c = IN_x(row * %lld + (%lld - k));\n"
                  "        const %s ay = k ? %sa.y : 0, cy = k ? %sc.y : 0;\n"
                  "        const %s wx = halves_[2 * k], wy = halves_[2 * k + 1];\n"
                  "        const %s sx = a.x + c.x, sy = ay - cy, dx = a.x - c.x, dy = ay + cy;\n"
                  "        const %s tx = wy * dx - wx * dy, ty = wx * dx + wy * dy;\n",
                  n / 2, T, n + 1, n + 1, n, R, r->inverse ? "" : "-", r->inverse ? "" : "-", R, R,
                  R);
    gnd__str_addf(
        b, /* the parts change places, because the transform is an inverse one */
        "        re0[FIRST(k) * %d + l] = sy + ty;\n        im0[FIRST(k) * %d + l] = sx + tx;\n"
        "        if (k) {\n        re0[FIRST(%lld - k) * %d + l] = ty - sy;\n"
        "        im0[FIRST(%lld - k) * %d + l] = sx - tx;\n        }\n        }\n",
        lanes, lanes, n, lanes, n, lanes);
}

/* Writes a row from the pair of arrays `from`. With a = Z[k] and b = Z[n - k] of the transform, the
 * result has s + t at k and conj(s - t) at n - k, where s = (a + conj b) / 2 and t = -i/2 w^k (a -
 * conj b). */
static void write_half(const gnd__fft_rows *r, gnd__str *b, const char *R, int from, int lanes)
{
    const long long n = (long long)r->n;
    const char *plus = r->inverse ? "-" : "", *minus = r->inverse ? "" : "-";
    if (r->kind == GND_FFT_C2R) {
        gnd__str_addf(
            b,
            "        for (int k = 0; k < %lld; k++) {\n"
            "        y[row * %lld + 2 * k] = TIMES(im%d[LAST(k) * %d + l]);\n"
            "        y[row * %lld + 2 * k + 1] = TIMES(re%d[LAST(k) * %d + l]);\n        }\n",
            n, 2 * n, from, lanes, 2 * n, from, lanes);
        return;
    }
    gnd__str_addf(b,
                  "        for (int k = 0; k <= %lld; k++) {\n"
                  "        const int i = LAST(k) * %d + l, j = (k ? LAST(%lld - k) : 0) * %d + l;\n"
                  "        const %s ax = re%d[i], ay = im%d[i], cx = re%d[j], cy = im%d[j];\n"
                  "        const %s wx = halves_[2 * k] / 2, wy = halves_[2 * k + 1] / 2;\n"
                  "        const %s sx = (ax + cx) / 2, sy = (ay - cy) / 2;\n"
                  "        const %s dx = ax - cx, dy = ay + cy;\n"
                  "        const %s tx = wx * dy + wy * dx, ty = wy * dy - wx * dx;\n",
                  n / 2, lanes, n, lanes, R, from, from, from, from, R, R, R, R);
    gnd__str_addf(b,
                  "        y[row * %lld + k] = TIMES(gnd_cplx_%s(sx + tx, %s(sy + ty)));\n"
                  "        y[row * %lld + (%lld - k)] = TIMES(gnd_cplx_%s(sx - tx, %s(sy - ty)));\n"
                  "        }\n",
                  n + 1, r->sfx, plus, n + 1, n, r->sfx, minus);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* A loop over the values k of a row at positions `at` of arrays of q stretches. */
static void row_loop(const gnd__fft_rows *r, gnd__str *b, int q, long long gap)
{
    const int stretches = gap ? q : 1;
    const long long n = (long long)r->n / stretches;
    gnd__str_addf(b,
                  "        for (int c = 0; c < %d; c++) for (int k = c * %lld; k < (c + 1) * %lld; "
                  "k++) {\n        const int at = k + c * %lld;\n",
                  stretches, n, n, gap);
}

/* Reads row `row` to lane l of the first pair of arrays; writes it from the pair `from`. */
static void read_row(const gnd__fft_rows *r, gnd__str *b, const char *R, const char *T, int lanes)
{
    if (r->half) {
        read_half(r, b, R, T, lanes);
        return;
    }
    row_loop(r, b, r->radix[0], gap_of(r, lanes, 0));
    gnd__str_addf(b,
                  "        const %s z = LOAD(row, k);\n"
                  "        re0[at * %d + l] = z.x;\n        im0[at * %d + l] = z.y;\n        }\n",
                  T, lanes, lanes);
}

static void write_row(const gnd__fft_rows *r, gnd__str *b, const char *R, const char *T, int from,
                      int lanes)
{
    if (r->half) {
        write_half(r, b, R, from, lanes);
        return;
    }
    row_loop(r, b, r->radix[r->passes - 1], gap_of(r, lanes, r->passes));
    gnd__str_addf(b,
                  "        const %s z = gnd_cplx_%s(re%d[at * %d + l], im%d[at * %d + l]);\n"
                  "        STORE(row, k, z);\n        }\n",
                  T, r->sfx, from, lanes, from, lanes);
}

void gnd__fft_body_cpu(const gnd__fft_rows *r, gnd__str *b)
{
    const char *R = gnd__ctype_value(gnd__real_of(r->t)), *T = gnd__ctype_value(r->t);
    const int lanes = gnd__fft_lanes(r);
    long long room = 0;
    pass p = {.r = r, .b = b, .R = R, .lanes = lanes, .s = 1};
    for (int i = 0; i <= r->passes; i++) {
        const long long more = r->radix[i < r->passes ? i : i - 1] * gap_of(r, lanes, i);
        room = ((long long)r->n + more) * lanes > room ? ((long long)r->n + more) * lanes : room;
    }
    gnd__str_addf(
        b,
        "    const g_i64 first = (g_i64)GND_GID(0) * %d;\n    if (first >= count) return;\n"
        "    const int rows = count - first < %d ? (int)(count - first) : %d;\n"
        "    %s re0[%lld], im0[%lld], re1[%lld], im1[%lld];\n",
        lanes, lanes, lanes, R, room, room, room, room);
    gnd__fft_define_odd(r, b);
    if (r->half) {
        half_table(r);
        define_position(r, "FIRST", r->radix[0], gap_of(r, lanes, 0));
        define_position(r, "LAST", r->radix[r->passes - 1], gap_of(r, lanes, r->passes));
    }
    gnd__str_addf(b,
                  "    for (int l = 0; l < %d; l++) {\n"
                  "        const g_i64 row = first + (l < rows ? l : 0);\n",
                  lanes);
    read_row(r, b, R, T, lanes);
    gnd__str_add(b, "    }\n");
    for (int i = 0; i < r->passes; i++) {
        p.q = r->radix[i];
        p.nb = r->n / p.q;
        p.pad = gap_of(r, lanes, i);
        p.next = i + 1 < r->passes ? r->radix[i + 1] : 1;
        p.gap = gap_of(r, lanes, i + 1);
        if (is_short(p.q))
            short_pass(&p);
        else
            odd_pass(&p);
        p.at += (p.q - 1) * p.s;
        p.s *= p.q;
        p.from = !p.from;
    }
    gnd__str_add(b, "    for (int l = 0; l < rows; l++) {\n"
                    "        const g_i64 row = first + l;\n");
    write_row(r, b, R, T, p.from, lanes);
    gnd__str_add(b, "    }\n");
}
