/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels_prelude.c - the text before a kernel: what is used, once, in order; errors; templates.
 * Needs no device.
 */
#include "tap.h"

#include "base/err.h"
#include "base/mem.h"
#include "codegen/prelude.h"

#include <stdio.h>
#include <string.h>

static gnd_props device(gnd_dialect d, int f64)
{
    gnd_props p;
    memset(&p, 0, sizeof p);
    snprintf(p.name, sizeof p.name, "a device");
    p.dialect = d;
    p.has_f64 = (uint32_t)f64;
    return p;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, what)) != NULL; p++)
        n++;
    return n;
}

static void test_text(void)
{
    gnd_props p = device(GND_DIALECT_OPENCL, 1);
    gnd_err e = {0};
    gnd__str s = {0};
    tap_is_int(gnd__prelude(&s, "gnd_sqrt_c64(z); gnd_exp_c64(z)", &p, &e), GND_OK, "OpenCL");
    const char *t = gnd__str_get(&s);
    tap_is_int(count(t, "g_c64 gnd_sqrt_c64("), 1, "what is asked for");
    tap_is_int(count(t, "#define gnd_hypot_f32("), 1, "what that needs");
    tap_is_int(count(t, "#define gnd_cplx_c64("), 1, "what both need, once");
    tap_is_int(count(t, "gnd_log"), 0, "nothing else");
    tap_is_int(count(t, "g_f64") + count(t, "fp64"), 0, "no float64");
    tap_is_int(count(t, "$"), 0, "no placeholder is left");
    tap_ok(strstr(t, "#define gnd_hypot_f32(") < strstr(t, "g_c64 gnd_sqrt_c64("), "in order");
    tap_has_str(t, "#pragma OPENCL FP_CONTRACT OFF", "no contraction");

    gnd__str_clear(&s);
    tap_is_int(gnd__prelude(&s, "g_f64 x;", &p, &e), GND_OK, "float64");
    tap_has_str(gnd__str_get(&s), "cl_khr_fp64 : enable", "its pragma");

    gnd__str_clear(&s);
    p = device(GND_DIALECT_CUDA, 1);
    tap_is_int(gnd__prelude(&s, "gnd_cplx_c128(a, b)", &p, &e), GND_OK, "CUDA");
    tap_is_int(count(gnd__str_get(&s), "OPENCL"), 0, "no OpenCL in it");
    tap_is_int(count(gnd__str_get(&s), "static __device__ g_c128 gnd_cplx_c128(") +
                   count(gnd__str_get(&s), "GND_FN g_c128 gnd_cplx_c128("),
               1, "CUDA's own function");
    gnd__str_free(&s);
}

static void test_errors(void)
{
    gnd_props p = device(GND_DIALECT_OPENCL, 0);
    gnd_err e = {0};
    gnd__str s = {0};
    tap_is_int(gnd__prelude(&s, "gnd_exp_c128(z)", &p, &e), GND_ERR_UNSUPPORTED, "no float64");
    tap_has_str(e.msg, "a device", "the message names the device");
    gnd__err_clear(&e);
    tap_is_int(gnd__prelude(&s, "gnd_nothing_f32(z)", &p, &e), GND_ERR_INTERNAL, "no function");
    tap_has_str(e.msg, "gnd_nothing_f32", "the message names it");
    gnd__err_clear(&e);
    tap_is_int(gnd__prelude(&s, "gnd_floordiv_c64(z)", &p, &e), GND_ERR_INTERNAL, "no such dtype");
    gnd__err_clear(&e);
    tap_is_int(gnd__prelude(&s, "gnd_x(z)", &p, &e), GND_ERR_INTERNAL, "no suffix");
    gnd__err_clear(&e);
    p.dialect = 9;
    tap_is_int(gnd__prelude(&s, "", &p, &e), GND_ERR_UNSUPPORTED, "no dialect");
    gnd__str_free(&s);

    /* Out of memory at every place. */
    p = device(GND_DIALECT_OPENCL, 1);
    int failed = 0, wrong = 0;
    for (long n = 1; n < 1000; n++) {
        long live = gnd__mem_live();
        gnd_err err = {0};
        gnd__str out = {0};
        gnd__mem_fail_at(n);
        gnd_status st = gnd__prelude(&out, "gnd_asin_c128(z)", &p, &err);
        gnd__mem_fail_at(0);
        gnd__str_free(&out);
        wrong += gnd__mem_live() != live;
        if (st == GND_OK)
            break;
        wrong += st != GND_ERR_NOMEM;
        failed++;
    }
    tap_ok(failed > 5 && !wrong, "out of memory %d times: reported, nothing lost", failed);
}

static void test_expand(void)
{
    static const char *const arg[GND__OP_ARGS] = {"a", "b", "c", "d"};
    static const struct {
        gnd_dtype t;
        const char *want;
    } cases[] = {
        {GND_BFLOAT16, "a b c|g_f32 f32 bf16|g_u32 u32 g_u32|g_f32 f32 f|$x $"},
        {GND_INT16, "a b c|g_i16 i16 i16|g_u16 u16 g_u32|g_i16 i16 f|$x $"},
        {GND_INT64, "a b c|g_i64 i64 i64|g_u64 u64 g_u64|g_i64 i64 f|$x $"},
        {GND_COMPLEX128, "a b c|g_c128 c128 c128|g_u64 u64 g_u64|g_f64 f64 |$x $"},
        {GND_FLOAT64, "a b c|g_f64 f64 f64|g_u64 u64 g_u64|g_f64 f64 |$x $"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gnd__str s = {0};
        gnd__expand(&s, "$0 $1 $2|$T $t $n|$U $u $W|$R $r $f|$x $", cases[i].t, arg);
        tap_is_str(gnd__str_get(&s), cases[i].want, "template for %s", gnd_dtype_name(cases[i].t));
        gnd__str_free(&s);
    }
    tap_is_str(gnd__ctype_mem(GND_FLOAT16), "g_u16", "memory of float16");
    tap_is_str(gnd__suffix(GND_BOOL), "b", "suffix");
}

int main(void)
{
    test_text();
    test_errors();
    test_expand();
    return tap_done();
}
