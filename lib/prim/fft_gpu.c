/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/fft_gpu.c - the statements of a transform's kernel on GPUs: a group transforms rows in local
 * memory, pass after pass, with the elements of a pass in registers or, for long factors, by sums.
 */
#include "prim/fft.h"
#include "prim/fft_rows.h"

#include "base/dtype.h"
#include "base/strbuf.h"
#include "codegen/prelude.h"

/* On GPUs each group computes the roots of up to INSIDE elements itself, in local memory, where the
 * launch that makes a table for all would take longer: for up to FEW elements in all rows. */
enum { INSIDE = 1024, FEW = 1 << 17 };

int gnd__fft_inside(const gnd__fft_rows *r)
{
    return !r->p->t->cpu && r->n <= INSIDE && r->count <= FEW / r->n;
}

/* Whether an earlier pass has the radix of pass i. */
static int repeats(const gnd__fft_rows *r, int i)
{
    for (int j = 0; j < i; j++)
        if (r->radix[j] == r->radix[i])
            return 1;
    return 0;
}

/* The tables for transforms of odd lengths. */
void gnd__fft_define_odd(const gnd__fft_rows *r, gnd__str *b)
{
    static const double pi2 = 6.283185307179586476925286766559;
    const char *R = gnd__ctype_value(gnd__real_of(r->t));
    for (int i = 0; i < r->passes; i++) {
        int q = r->radix[i];
        if (q < 7 || q == 8 || repeats(r, i))
            continue;
        for (int sine = 0; sine < 2; sine++) {
            gnd__str_addf(b, "    const %s %s%d[%d] = {", R, sine ? "sn" : "cs", q, q);
            for (int k = 0; k < q; k++)
                gnd__str_addf(b, "%s%.17e%s", k ? ", " : "",
                              sine ? __builtin_sin(pi2 * k / q) : __builtin_cos(pi2 * k / q),
                              gnd__real_of(r->t) == GND_FLOAT64 ? "" : "f");
            gnd__str_add(b, "};\n");
        }
    }
}

/* Transforms v[0 .. q), named by `v`. */
static void transform(const gnd__fft_rows *r, gnd__str *b, int q, const char *v)
{
    if (q == 7 || q > 8)
        gnd__str_addf(b, "{ %s o[%d]; gnd_dftr_%s(%s, o, %d, cs%d, sn%d); }\n",
                      gnd__ctype_value(r->t), q, r->sfx, v, q, q, q);
    else
        gnd__str_addf(b, "gnd_dft%d_%s(%s);\n", q, r->sfx, v);
}

/* A pass of q elements by sums: each work-item computes `per` of the n * many results, element k of
 * those at distance nb from b. They are read from local memory, into which a first pass brings the
 * rows. */
static void sums_gpu(const gnd__fft_rows *r, gnd__str *b, int i, long long s, long long at,
                     long long many, long long local)
{
    const char *T = gnd__ctype_value(r->t), *R = gnd__ctype_value(gnd__real_of(r->t));
    const int q = r->radix[i], last = i == r->passes - 1;
    const long long n = r->n, all = n * many, per = (all + local - 1) / local, nb = n / q;
    if (i == 0)
        gnd__str_addf(b,
                      "    for (int t = lid; t < %lld && first + t / %lld < count; t += %lld)\n"
                      "        m[t] = LOAD(first + t / %lld, t %% %lld);\n    GND_BARRIER();\n",
                      all, n, local, n, n);
    gnd__str_addf(b,
                  "    {\n    %s v[%lld];\n#pragma unroll\n"
                  "    for (int u = 0; u < %lld; u++) {\n"
                  "        const int t = lid + u * %lld, row = t / %lld, o = t %% %lld;\n"
                  "        const int k = o / %lld, b = o %% %lld, j = b %% %lld;\n"
                  "        %s re = 0, im = 0;\n        int e = 0;\n#pragma unroll 1\n"
                  "        for (int c = 0; c < %d && t < %lld; c++) {\n"
                  "            const %s w0 = g%d[e];\n",
                  T, per, per, local, n, n, nb, nb, s, R, q, all, T, q);
    if (s == 1)
        gnd__str_addf(b, "            const %s z = m[row * %lld + b + c * %lld];\n", T, n, nb);
    else
        gnd__str_addf(b,
                      "            %s z = m[row * %lld + b + c * %lld];\n"
                      "            if (c)\n                z = gnd_mul_%s(z, w[%lld + (c - 1) * "
                      "%lld + j]);\n",
                      T, n, nb, r->sfx, at, s);
    gnd__str_addf(b,
                  "            re += z.x * w0.x - z.y * w0.y;\n"
                  "            im += z.x * w0.y + z.y * w0.x;\n"
                  "            e += k;\n            e -= e >= %d ? %d : 0;\n        }\n"
                  "        v[u] = gnd_cplx_%s(re, im);\n    }\n",
                  q, q, r->sfx);
    if (!last)
        gnd__str_add(b, "    GND_BARRIER();\n");
    gnd__str_addf(b,
                  "#pragma unroll\n    for (int u = 0; u < %lld; u++) {\n"
                  "        const int t = lid + u * %lld, row = t / %lld, o = t %% %lld;\n"
                  "        const int k = o / %lld, b = o %% %lld, j = b %% %lld;\n"
                  "        const int to = (b - j) * %d + j + k * %lld;\n",
                  per, local, n, n, nb, nb, s, q, s);
    if (last)
        gnd__str_addf(b,
                      "        if (t < %lld && first + row < count) {\n"
                      "            STORE(first + row, to, v[u]);\n        }\n    }\n    }\n",
                      all);
    else
        gnd__str_addf(b,
                      "        if (t < %lld)\n            m[row * %lld + to] = v[u];\n    }\n"
                      "    }\n    GND_BARRIER();\n",
                      all, n);
}

/* The roots of all passes but the first, as fft_roots of fft.cl has them. */
static void roots_gpu(const gnd__fft_rows *r, gnd__str *b, long long local)
{
    long long s = r->radix[0], at = s - 1;
    if (r->passes > 1)
        gnd__str_addf(b, "    GND_LOCAL %s w[%lld];\n", gnd__ctype_value(r->t), (long long)r->n);
    for (int i = 1; i < r->passes; i++) {
        const long long q = r->radix[i];
        gnd__str_addf(b,
                      "    for (int t = lid; t < %lld; t += %lld) {\n"
                      "        const g_u64 k = (g_u64)((t / %lld + 1) * (t %% %lld));\n"
                      "        w[%lld + t] = gnd_cplx_%s(ROOT(k, %lld, 0), ROOT(k, %lld, 1));\n"
                      "    }\n",
                      (q - 1) * s, local, s, s, at, r->sfx, q * s, q * s);
        at += (q - 1) * s;
        s *= q;
    }
    if (r->passes > 1)
        gnd__str_add(b, "    GND_BARRIER();\n");
}

/* The roots of the passes by sums, in local memory: work-items side by side read different ones. */
static void sums_roots(const gnd__fft_rows *r, gnd__str *b, long long local)
{
    for (int i = 0; i < r->passes && r->radix[i] >= GND__FFT_SUMMED; i++)
        if (!repeats(r, i))
            gnd__str_addf(b,
                          "    GND_LOCAL %s g%d[%d];\n    for (int t = lid; t < %d; t += %lld)\n"
                          "        g%d[t] = gnd_cplx_%s(cs%d[t], -sn%d[t]);\n",
                          gnd__ctype_value(r->t), r->radix[i], r->radix[i], r->radix[i], local,
                          r->radix[i], r->sfx, r->radix[i], r->radix[i]);
}

void gnd__fft_body_gpu(const gnd__fft_rows *r, gnd__str *b, long long many, long long local)
{
    const char *T = gnd__ctype_value(r->t);
    long long s = 1, at = 0, n = r->n;
    gnd__str_addf(b,
                  "    GND_LOCAL %s m[%lld];\n    const int lid = (int)GND_LID(0);\n"
                  "    const g_i64 first = (g_i64)GND_GRP(0) * %lld;\n",
                  T, n * many, many);
    gnd__fft_define_odd(r, b);
    sums_roots(r, b, local);
    if (gnd__fft_inside(r))
        roots_gpu(r, b, local);
    for (int i = 0; i < r->passes; i++) {
        int q = r->radix[i];
        if (q >= GND__FFT_SUMMED) {
            sums_gpu(r, b, i, s, at, many, local);
            at += (q - 1) * s;
            s *= q;
            continue;
        }
        long long nb = n / q, per = (nb * many + local - 1) / local;
        int last = i == r->passes - 1;
        gnd__str_addf(
            b,
            "    {\n    %s v[%lld][%d];\n#pragma unroll\n    for (int u = 0; u < %lld; u++) {\n"
            "        const int t = lid + u * %lld, row = t / %lld, b = t %% %lld;\n"
            "        const int j = b %% %lld;\n        if (t < %lld%s) {\n",
            T, per, q, per, local, nb, nb, s, nb * many,
            i == 0 || last ? " && first + row < count" : "");
        for (int k = 0; k < q; k++) {
            if (i == 0)
                gnd__str_addf(b, "        v[u][%d] = LOAD(first + row, b + %lld);\n", k, k * nb);
            else if (k == 0)
                gnd__str_addf(b, "        v[u][0] = m[row * %lld + b];\n", n);
            else
                gnd__str_addf(
                    b, "        v[u][%d] = gnd_mul_%s(m[row * %lld + b + %lld], w[%lld + j]);\n", k,
                    r->sfx, n, k * nb, at + (k - 1) * s);
        }
        gnd__str_add(b, "        ");
        transform(r, b, q, "v[u]");
        if (last) {
            for (int k = 0; k < q; k++)
                gnd__str_addf(b, "        STORE(first + row, (b - j) * %d + j + %lld, v[u][%d]);\n",
                              q, k * s, k);
            gnd__str_add(b, "        }\n    }\n    }\n");
            break;
        }
        gnd__str_addf(b,
                      "        }\n    }\n%s#pragma unroll\n    for (int u = 0; u < %lld; u++) {\n"
                      "        const int t = lid + u * %lld, row = t / %lld, b = t %% %lld;\n"
                      "        const int j = b %% %lld;\n        if (t < %lld) {\n",
                      i ? "    GND_BARRIER();\n" : "", per, local, nb, nb, s, nb * many);
        for (int k = 0; k < q; k++)
            gnd__str_addf(b, "        m[row * %lld + (b - j) * %d + j + %lld] = v[u][%d];\n", n, q,
                          k * s, k);
        gnd__str_add(b, "        }\n    }\n    }\n    GND_BARRIER();\n");
        at += (q - 1) * s;
        s *= q;
    }
}
