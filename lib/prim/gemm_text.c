/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/gemm_text.c - what the texts of all kernels for products have in common: see gemm_priv.h.
 */
#include "prim/gemm_priv.h"

#include "codegen/prelude.h"

gnd_dtype gnd__gemm_acc(gnd_dtype t)
{
    return t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
}

void gnd__gemm_macros(gnd__str *s, const gnd_gemm *g, gnd_dtype out, int unroll)
{
    const gnd_dtype t = (gnd_dtype)g->dtype;
    const char *sum = g->alpha < 0 ? "((old) - (v))" : "((old) + (v))";
    const char *sfx = gnd__suffix(t), *T = gnd__ctype_value(t),
               *U = gnd_dtype_size(t) == 8 ? "g_u64" : "g_u32";
    int kind = gnd_dtype_kind(t);
    gnd__str_addf(s, "typedef %s MT;\ntypedef %s T;\ntypedef %s OT;\ntypedef %s PT;\n",
                  gnd__ctype_mem(t), T, gnd__ctype_mem(out), gnd__ctype_mem(gnd__gemm_acc(t)));
    gnd__str_addf(s, "#define LD(p, i) gnd_ld_%s(p, i)\n#define LDP(p, i) gnd_ld_%s(p, i)\n", sfx,
                  gnd__suffix(gnd__gemm_acc(t)));
    if (out == GND_FLOAT16 || out == GND_BFLOAT16)
        gnd__str_addf(s, "#define ST(p, i, v) gnd_st_%s(p, i, gnd_round_%s(v))\n", sfx, sfx);
    else
        gnd__str_addf(s, "#define ST(p, i, v) gnd_st_%s(p, i, NEW(gnd_ld_%s(p, i), v))\n",
                      gnd__suffix(out), gnd__suffix(out));
    gnd__str_addf(s, "#define NEW(old, v) %s\n",
                  g->beta != 0   ? sum
                  : g->alpha < 0 ? "(-(v))"
                                 : "(v)");
    gnd__str_addf(s, kind == 'c' ? "#define ZERO gnd_cplx_%s(0, 0)\n" : "#define ZERO (T)0\n", sfx);
    if (kind == 'b')
        gnd__str_add(
            s, "#define MAC(s, a, b) (T)((s) | ((a) & (b)))\n#define ADD(s, a) (T)((s) | (a))\n");
    else if (kind == 'c')
        gnd__str_addf(
            s, "#define MAC(s, a, b) ((s) + gnd_mul_%s(a, b))\n#define ADD(s, a) ((s) + (a))\n",
            sfx);
    else if (kind == 'f')
        gnd__str_add(s, "#define MAC(s, a, b) fma(a, b, s)\n#define ADD(s, a) ((s) + (a))\n");
    else
        gnd__str_addf(s,
                      "#define MAC(s, a, b) (T)((%s)(s) + (%s)(a) * (%s)(b))\n"
                      "#define ADD(s, a) (T)((%s)(s) + (%s)(a))\n",
                      U, U, U, U, U);
    /* on a CPU that uses this form nevertheless, unrolling would only slow compilation */
    gnd__str_add(
        s, unroll ? "#define UNROLL _Pragma(\"unroll\")\n#define UNROLL4 _Pragma(\"unroll 4\")\n"
                  : "#define UNROLL\n#define UNROLL4\n");
}

gnd_status gnd__gemm_finish(gnd__gemm_kernel *k, gnd__str *text, const char *body, gnd_dtype t,
                            const gnd_props *p, gnd_err *e)
{
    gnd_status st;
    gnd__str_add(text, ")\n{\n");
    if (!gnd__kernel_text(text, body, (gnd_dialect)p->dialect, t))
        text->bad = 1;
    gnd__str_add(text, "}\n");
    st = gnd__prelude(&k->src, gnd__str_get(text), p, e);
    gnd__str_add(&k->src, gnd__str_get(text));
    if (st == GND_OK && (text->bad || k->src.bad))
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(text);
    return st;
}
