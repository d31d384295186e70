/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/gemm.c - the text and the launch of our own matrix product.
 *
 * GPU: groups of 16 x 16 work-items make a 32 x 32 tile of C, 2 x 2 elements each, with 16-deep
 * slices of A and B in local memory. CPU: one work-item makes a block of 4 rows by 32 columns of C in
 * private memory, walking k once; its inner loop runs along a row of B and vectorises.
 */
#include "prim/gemm.h"

#include <string.h>
#include "codegen/prelude.h"

static const char params[] =
    "    GND_CONST_GLOBAL MT *GND_RESTRICT a, const g_i64 oa,\n"
    "    GND_CONST_GLOBAL MT *GND_RESTRICT b, const g_i64 ob,\n"
    "    GND_GLOBAL MT *GND_RESTRICT c, const g_i64 oc,\n"
    "    const g_i64 M, const g_i64 N, const g_i64 K,\n"
    "    const g_i64 ab, const g_i64 ar, const g_i64 ac,\n"
    "    const g_i64 bb, const g_i64 br, const g_i64 bc,\n"
    "    const g_i64 cb, const g_i64 cr, const g_i64 cc, const g_i64 NB)\n{\n";

static const char batches[] =
    /* a device takes so many groups along the third axis only */
    "    for (g_i64 z = (g_i64)GND_GRP(2); z < NB; z += (g_i64)GND_NGRP(2)) {\n";

static const char cpu_body[] =
    "    const g_i64 j0 = (g_i64)GND_GID(0) * 32, i0 = (g_i64)GND_GID(1) * 4;\n"
    "    const int nj = N - j0 < 32 ? (int)(N - j0) : 32, ni = M - i0 < 4 ? (int)(M - i0) : 4;\n"
    "    T s[4][32];\n"
    "    for (int i = 0; i < 4; i++) for (int j = 0; j < 32; j++) s[i][j] = ZERO;\n"
    "    for (g_i64 k = 0; k < K; k++) {\n"
    "        T bv[32];\n"
    "        for (int j = 0; j < nj; j++) bv[j] = LD(b, ob + z * bb + k * br + (j0 + j) * bc);\n"
    "        for (int i = 0; i < ni; i++) {\n"
    "            const T av = LD(a, oa + z * ab + (i0 + i) * ar + k * ac);\n"
    "            for (int j = 0; j < nj; j++) s[i][j] = MAC(s[i][j], av, bv[j]);\n"
    "        }\n    }\n"
    "    for (int i = 0; i < ni; i++) for (int j = 0; j < nj; j++)\n"
    "        ST(c, oc + z * cb + (i0 + i) * cr + (j0 + j) * cc, s[i][j]);\n    }\n}\n";

static const char gpu_body[] =
    "    const int x = (int)GND_LID(0), y = (int)GND_LID(1), f = y * 16 + x;\n"
    "    const g_i64 tn = (N + 31) / 32, g = (g_i64)GND_GRP(0);\n"
    "    const g_i64 j0 = g % tn * 32, i0 = g / tn * 32;\n"
    "    T s[2][2];\n"
    "    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s[i][j] = ZERO;\n"
    "    for (g_i64 k0 = 0; k0 < K; k0 += 16) {\n"
    "        for (int e = f; e < 512; e += 256) {\n"
    /* neighbours read along the axis that is contiguous */
    "            const int p = ac == 1 ? e % 16 : e / 32, r = ac == 1 ? e / 16 : e % 32;\n"
    "            const int q = bc == 1 ? e / 32 : e % 16, t = bc == 1 ? e % 32 : e / 16;\n"
    "            la[p][r] = ZERO; lb[q][t] = ZERO;\n"
    "            if (i0 + r < M && k0 + p < K) la[p][r] = LD(a, oa + z * ab + (i0 + r) * ar + (k0 + p) * ac);\n"
    "            if (j0 + t < N && k0 + q < K) lb[q][t] = LD(b, ob + z * bb + (k0 + q) * br + (j0 + t) * bc);\n"
    "        }\n        GND_BARRIER();\n"
    "        for (int p = 0; p < 16; p++) {\n"
    "            const T a0 = la[p][y], a1 = la[p][y + 16], b0 = lb[p][x], b1 = lb[p][x + 16];\n"
    "            s[0][0] = MAC(s[0][0], a0, b0); s[0][1] = MAC(s[0][1], a0, b1);\n"
    "            s[1][0] = MAC(s[1][0], a1, b0); s[1][1] = MAC(s[1][1], a1, b1);\n"
    "        }\n        GND_BARRIER();\n    }\n"
    "    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) {\n"
    "        const g_i64 u = i0 + y + 16 * i, v = j0 + x + 16 * j;\n"
    "        if (u < M && v < N) ST(c, oc + z * cb + u * cr + v * cc, s[i][j]);\n    }\n    }\n}\n";

/* What a product of this dtype is made of. Sums of integers wrap, bool is any(and). */
static void macros(gnd__str *s, gnd_dtype t)
{
    const char *sfx = gnd__suffix(t), *T = gnd__ctype_value(t);
    int kind = gnd_dtype_kind(t);
    gnd__str_addf(s, "typedef %s MT;\ntypedef %s T;\n", gnd__ctype_mem(t), T);
    gnd__str_addf(s, "#define LD(p, i) gnd_ld_%s(p, i)\n", sfx);
    if (t == GND_FLOAT16 || t == GND_BFLOAT16)
        gnd__str_addf(s, "#define ST(p, i, v) gnd_st_%s(p, i, gnd_round_%s(v))\n", sfx, sfx);
    else
        gnd__str_addf(s, "#define ST(p, i, v) gnd_st_%s(p, i, v)\n", sfx);
    gnd__str_addf(s, kind == 'c' ? "#define ZERO gnd_cplx_%s(0, 0)\n" : "#define ZERO (T)0\n", sfx);
    if (kind == 'b')
        gnd__str_add(s, "#define MAC(s, a, b) (T)((s) | ((a) & (b)))\n");
    else if (kind == 'c')
        gnd__str_addf(s, "#define MAC(s, a, b) ((s) + gnd_mul_%s(a, b))\n", sfx);
    else if (kind == 'f')
        gnd__str_add(s, "#define MAC(s, a, b) fma(a, b, s)\n");
    else
        gnd__str_addf(s, "#define MAC(s, a, b) (T)((%s)(s) + (%s)(a) * (%s)(b))\n",
                      gnd_dtype_size(t) == 8 ? "g_u64" : "g_u32",
                      gnd_dtype_size(t) == 8 ? "g_u64" : "g_u32",
                      gnd_dtype_size(t) == 8 ? "g_u64" : "g_u32");
}

gnd_status gnd__gemm_own(const gnd_gemm *g, const gnd__target *t, gnd__gemm_kernel *out, gnd_err *e)
{
    gnd__str text = { 0 };
    gnd_status st;
    const int64_t v[13] = { g->m, g->n, g->k, g->a.batch, g->a.row, g->a.col,
                            g->b.batch, g->b.row, g->b.col, g->c.batch, g->c.row, g->c.col, g->nbatch };
    memset(out, 0, sizeof *out);
    memcpy(out->value, v, sizeof v);
    out->name = "k_matmul";
    macros(&text, (gnd_dtype)g->dtype);
    gnd__str_add(&text, "GND_KERNEL void k_matmul(\n");
    gnd__str_add(&text, params);
    if (!t->cpu)
        gnd__str_add(&text, "    GND_LOCAL T la[16][33], lb[16][33];\n");
    gnd__str_add(&text, batches);
    gnd__str_add(&text, t->cpu ? cpu_body : gpu_body);
    if (t->cpu) {
        out->global[0] = (size_t)((g->n + 31) / 32);
        out->global[1] = (size_t)((g->m + 3) / 4);
        out->local[0] = out->local[1] = out->local[2] = 1;
    } else {
        out->global[0] = (size_t)((g->n + 31) / 32) * (size_t)((g->m + 31) / 32) * 16;
        out->global[1] = 16;
        out->local[0] = out->local[1] = 16;
        out->local[2] = 1;
    }
    out->global[2] = (size_t)(g->nbatch < 65535 ? g->nbatch : 65535);
    st = gnd__prelude(&out->src, gnd__str_get(&text), t->props, e);
    gnd__str_add(&out->src, gnd__str_get(&text));
    if (st == GND_OK && (text.bad || out->src.bad))
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory while writing a kernel");
    if (st != GND_OK)
        gnd__str_free(&out->src);
    gnd__str_free(&text);
    return st;
}
