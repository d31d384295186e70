/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/complex_calls.c - what the calls of complex.def are in both languages: see complex.h.
 *
 * OpenCL C: macros, in which the compiler chooses an expression by the types of the operands
 * (__builtin_choose_expr of clang, which all its compilers are). What is not chosen must compile as
 * well, so a real operand is 0 where complex ones are computed, and the other way round. CUDA:
 * overloads; what is defined once has a guard, as several texts may meet in a kernel. A real
 * operand has the precision of the complex one beside it.
 */
#include "codegen/complex_calls.h"

#include <string.h>
#include "codegen/complex.h"

static const struct row {
    int n;
    const char *macro, *name, *value, *real;
} rows[] = {
#define Z(n, macro, name, value, real) {n, macro, name, value, real},
#include "codegen/complex.def"
#undef Z
};
enum { NROW = sizeof rows / sizeof *rows };
_Static_assert(NROW <= 64, "a bit for each");

uint64_t gnd__complex_bit(const char *macro)
{
    for (int i = 0; i < NROW; i++)
        if (!strcmp(rows[i].macro, macro))
            return UINT64_C(1) << i;
    return 0;
}

const char *gnd__complex_function(const char *name, size_t len)
{
    for (int i = 0; i < NROW; i++)
        if (strlen(rows[i].name) == len && len > 0 && !memcmp(rows[i].name, name, len))
            return rows[i].macro;
    return NULL;
}

/* Appends text with its operands (the words a and b) between before and after, and # as suffix. */
static void put(gnd__str *out, const char *text, const char *suffix, const char *before,
                const char *after)
{
    for (const char *p = text; *p; p++) {
        const int alone = (p == text || !strchr("abcdefghijklmnopqrstuvwxyz_", p[-1])) &&
                          (!p[1] || !strchr("abcdefghijklmnopqrstuvwxyz_0123456789", p[1]));
        if (*p == '#')
            gnd__str_add(out, suffix);
        else if ((*p == 'a' || *p == 'b') && alone && (p == text || p[-1] != '.'))
            gnd__str_addf(out, "%s%c%s", before, *p, after);
        else
            gnd__str_addc(out, *p);
    }
}

/* --- OpenCL C --------------------------------------------------------------------------------- */

#define CHOOSE "__builtin_choose_expr"

static void opencl_common(int dtypes, gnd__str *out)
{
    const int narrow = dtypes & GND__Z64, wide = dtypes & GND__Z128;
    gnd__str_addf(out, "#define GNDZ_I64(v) %s\n",
                  narrow ? "__builtin_types_compatible_p(__typeof__(v), g_c64)" : "0");
    gnd__str_addf(out, "#define GNDZ_I128(v) %s\n",
                  wide ? "__builtin_types_compatible_p(__typeof__(v), g_c128)" : "0");
    gnd__str_add(out, "#define GNDZ_IS(v) (GNDZ_I64(v) || GNDZ_I128(v))\n"
                      "#define GNDZ_RE(v) " CHOOSE "(GNDZ_IS(v), 0.0f, v)\n");
    if (narrow)
        gnd__str_add(out, "#define GNDZ_C64(v) " CHOOSE
                          "(GNDZ_I64(v), v, gnd_cplx_c64((g_f32)GNDZ_RE(v), 0.0f))\n");
    if (wide)
        gnd__str_add(out, "#define GNDZ_C128(v) " CHOOSE
                          "(GNDZ_I128(v), v, gnd_cplx_c128((g_f64)GNDZ_RE(v), 0.0))\n");
    /* to64, to128: from any type */
    if (narrow && wide) {
        gnd__str_add(
            out,
            "#define GNDZ_TO64(v) " CHOOSE
            "(GNDZ_I128(v), gnd_cplx_c64((g_f32)GNDZ_C128(v).x, (g_f32)GNDZ_C128(v).y), GNDZ_C64(v))\n"
            "#define GNDZ_TO128(v) " CHOOSE
            "(GNDZ_I64(v), gnd_cplx_c128(GNDZ_C64(v).x, GNDZ_C64(v).y), GNDZ_C128(v))\n");
    } else {
        gnd__str_add(out,
                     narrow ? "#define GNDZ_TO64 GNDZ_C64\n" : "#define GNDZ_TO128 GNDZ_C128\n");
    }
    gnd__str_add(out, "#define GNDZ_AS(T, v) ({ __auto_type gndz_a = (v); ");
    if (narrow)
        gnd__str_add(out, CHOOSE "(GNDZ_I64(T), GNDZ_TO64(gndz_a), ");
    if (wide)
        gnd__str_add(out, CHOOSE "(GNDZ_I128(T), GNDZ_TO128(gndz_a), ");
    gnd__str_add(out, "(T)(" CHOOSE "(GNDZ_IS(T), 0, gndz_a))");
    gnd__str_addf(out, "%s; })\n", narrow && wide ? "))" : ")");
    gnd__str_add(out, "#define GNDZ_SET(l, v) ((l) = GNDZ_AS(__typeof__(l), v))\n");
    gnd__str_addf(out, "#define GNDZ_MAKE(T, re, im) GNDZ_AS(T, gnd_cplx_%s((%s)(re), (%s)(im)))\n",
                  wide ? "c128" : "c64", wide ? "g_f64" : "g_f32", wide ? "g_f64" : "g_f32");
}

static void opencl_call(const struct row *r, int dtypes, gnd__str *out)
{
    gnd__str_addf(out, "#define GNDZ_%s(a%s) ({ __auto_type gndz_a = (a); ", r->macro,
                  r->n == 2 ? ", b" : "");
    if (r->n == 2)
        gnd__str_add(out, "__auto_type gndz_b = (b); ");
    int open = 0;
    for (int w = 0; w < 2; w++) { /* the wider type decides */
        const char *suffix = w ? "c64" : "c128", *bits = w ? "64" : "128";
        if (!(dtypes & (w ? GND__Z64 : GND__Z128)))
            continue;
        gnd__str_addf(out, CHOOSE "(GNDZ_I%s(gndz_a)", bits);
        if (r->n == 2)
            gnd__str_addf(out, " || GNDZ_I%s(gndz_b)", bits);
        gnd__str_add(out, ", ");
        put(out, r->value, suffix, w ? "GNDZ_TO64(gndz_" : "GNDZ_TO128(gndz_", ")");
        gnd__str_add(out, ", ");
        open++;
    }
    put(out, r->real, "", "GNDZ_RE(gndz_", ")");
    gnd__str_addf(out, "%s; })\n", open == 2 ? "))" : ")");
}

/* --- CUDA ------------------------------------------------------------------------------------- */

static void cuda_common(int dtypes, gnd__str *out)
{
    gnd__str_add(
        out, "#ifndef GNDZ_CONV\n#define GNDZ_CONV\n"
             "template <class T, class R> GND_FN T gndz_conv(T *, R x) { return (T)x; }\n#endif\n");
    for (int w = 0; w < 2; w++) {
        const char *t = w ? "c128" : "c64", *f = w ? "g_f64" : "g_f32";
        if (dtypes & (w ? GND__Z128 : GND__Z64))
            gnd__str_addf(
                out,
                "#ifndef GNDZ_CONV_%s\n#define GNDZ_CONV_%s\n"
                "template <class R> GND_FN g_%s gndz_conv(g_%s *, R x) { return gnd_cplx_%s((%s)x, 0); }\n"
                "GND_FN g_%s gndz_conv(g_%s *, g_%s x) { return x; }\n#endif\n",
                t, t, t, t, t, f, t, t, t);
    }
    if (dtypes == (GND__Z64 | GND__Z128))
        gnd__str_add(
            out,
            "#ifndef GNDZ_CONV_BOTH\n#define GNDZ_CONV_BOTH\n"
            "GND_FN g_c64 gndz_conv(g_c64 *, g_c128 x) { return gnd_cplx_c64((g_f32)x.x, (g_f32)x.y); }\n"
            "GND_FN g_c128 gndz_conv(g_c128 *, g_c64 x) { return gnd_cplx_c128(x.x, x.y); }\n#endif\n");
    gnd__str_add(
        out,
        "#ifndef GNDZ_STORE\n#define GNDZ_STORE\ntemplate <class L, class R> GND_FN L gndz_set(L &l, R x)\n"
        "{ l = gndz_conv((L *)0, x); return l; }\n#endif\n"
        "#define GNDZ_AS(T, x) gndz_conv((T *)0, x)\n#define GNDZ_SET(l, x) gndz_set(l, x)\n");
    const int wide = dtypes & GND__Z128;
    gnd__str_addf(out, "#define GNDZ_MAKE(T, re, im) GNDZ_AS(T, gnd_cplx_%s((%s)(re), (%s)(im)))\n",
                  wide ? "c128" : "c64", wide ? "g_f64" : "g_f32", wide ? "g_f64" : "g_f32");
}

/* The overloads of r for dtype t in which one operand has another type. */
static void cuda_overloads(const struct row *r, const char *t, gnd__str *out)
{
    static const char *const two[3][2] = {{"", "g_%s a, g_%s b"},
                                          {"template <class R> ", "g_%s a, R b"},
                                          {"template <class R> ", "R a, g_%s b"}};
    const int one = r->n == 1;
    for (int k = 0; k < (one ? 1 : 3); k++) {
        gnd__str_addf(out, "%sGND_FN auto gndz_%s(", one ? "" : two[k][0], r->macro);
        if (one)
            gnd__str_addf(out, "g_%s a", t);
        else
            for (const char *p = two[k][1]; *p; p++)
                if (*p == '%')
                    p++, gnd__str_add(out, t);
                else
                    gnd__str_addc(out, *p);
        gnd__str_add(out, ") { return ");
        if (k == 0) {
            put(out, r->value, t, "", "");
        } else {
            put(out, r->value, t,
                !strcmp(t, "c64") ? "gndz_conv((g_c64 *)0, " : "gndz_conv((g_c128 *)0, ", ")");
        }
        gnd__str_add(out, "; }\n");
    }
}

static void cuda_call(const struct row *r, int dtypes, gnd__str *out)
{
    gnd__str_addf(
        out,
        "#ifndef GNDZ_F_%s\n#define GNDZ_F_%s\ntemplate <class A%s> GND_FN auto gndz_%s(A a%s) { return ",
        r->macro, r->macro, r->n == 2 ? ", class B" : "", r->macro, r->n == 2 ? ", B b" : "");
    put(out, r->real, "", "", "");
    gnd__str_add(out, "; }\n#endif\n");
    for (int w = 0; w < 2; w++) {
        const char *t = w ? "c128" : "c64";
        if (!(dtypes & (w ? GND__Z128 : GND__Z64)))
            continue;
        gnd__str_addf(out, "#ifndef GNDZ_F_%s_%s\n#define GNDZ_F_%s_%s\n", r->macro, t, r->macro,
                      t);
        cuda_overloads(r, t, out);
        gnd__str_add(out, "#endif\n");
    }
    if (dtypes == (GND__Z64 | GND__Z128) && r->n == 2) {
        gnd__str_addf(out, "#ifndef GNDZ_F_%s_BOTH\n#define GNDZ_F_%s_BOTH\n", r->macro, r->macro);
        for (int k = 0; k < 2; k++) {
            gnd__str_addf(out, "GND_FN auto gndz_%s(g_%s a, g_%s b) { return ", r->macro,
                          k ? "c64" : "c128", k ? "c128" : "c64");
            put(out, r->value, "c128", "gndz_conv((g_c128 *)0, ", ")");
            gnd__str_add(out, "; }\n");
        }
        gnd__str_add(out, "#endif\n");
    }
    gnd__str_addf(out,
                  r->n == 2 ? "#define GNDZ_%s(a, b) gndz_%s(a, b)\n"
                            : "#define GNDZ_%s(a) gndz_%s(a)\n",
                  r->macro, r->macro);
}

/* --- both ------------------------------------------------------------------------------------- */

void gnd__complex_begin(uint64_t used, int dtypes, gnd__str *out)
{
    gnd__str_add(out, "#ifdef __OPENCL_VERSION__\n");
    opencl_common(dtypes, out);
    for (int i = 0; i < NROW; i++)
        if (used >> i & 1)
            opencl_call(&rows[i], dtypes, out);
    gnd__str_add(out, "#else\n");
    cuda_common(dtypes, out);
    for (int i = 0; i < NROW; i++)
        if (used >> i & 1)
            cuda_call(&rows[i], dtypes, out);
    gnd__str_add(out, "#endif\n");
}

void gnd__complex_end(uint64_t used, gnd__str *out)
{
    static const char *const common[] = {"I64",  "I128",  "IS", "RE",  "C64", "C128",
                                         "TO64", "TO128", "AS", "SET", "MAKE"};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        gnd__str_addf(out, "#undef GNDZ_%s\n", common[i]);
    for (int i = 0; i < NROW; i++)
        if (used >> i & 1)
            gnd__str_addf(out, "#undef GNDZ_%s\n", rows[i].macro);
}
