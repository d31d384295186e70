/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernels_nvrtc.c - every function of kernels/ and every operation of the table, for every dtype,
 * compiled as CUDA C++ by NVRTC where the CUDA toolkit is (no GPU is needed), and as OpenCL C by
 * PoCL.
 */
#include "tap.h"

#include "base/dtype.h"
#include "codegen/prelude.h"
#include "graph/opset.h"
#include "kernelrun.h"
#include "nvrtcrun.h"

#include <stdlib.h>
#include <string.h>

/* body after its prelude; the caller frees it. 0: there is none. */
static int with_prelude(gnd__str *src, const char *body)
{
    gnd_props props;
    gnd_err e = {0};
    memset(&props, 0, sizeof props);
    props.dialect = GND_DIALECT_CUDA;
    props.has_f64 = 1;
    props.has_atomic64 = 1;
    if (gnd__prelude(src, body, &props, &e)) {
        tap_diag("%s", e.msg);
        return 0;
    }
    gnd__str_add(src, body);
    return 1;
}

static int cuda_build(const char *body)
{
    gnd__str src = {0};
    const int ok = with_prelude(&src, body) && nvrtc_build(gnd__str_get(&src), 80);
    gnd__str_free(&src);
    return ok;
}

/* What the machine will do, by the instructions of PTX: every operation rounds by itself, division
 * and root are the correctly rounded ones, subnormals stay; float16 is converted by the hardware,
 * once on each way, and computed in float32. */
static void test_instructions(void)
{
    static const char *const want[] = {"mul.rn.f32",  "add.rn.f32",  "div.rn.f32",
                                       "sqrt.rn.f32", "cvt.f32.f16", "cvt.rn.f16.f32"};
    static const char *const bad[] = {"fma.rn", "mad.", ".ftz", ".approx", "add.f16", "mul.f16"};
    gnd__str src = {0};
    char *ptx = NULL;
    if (with_prelude(&src, "GND_KERNEL void k(GND_GLOBAL g_f32 *p, GND_GLOBAL g_u16 *h) {\n"
                           "    p[0] = p[1] * p[2] + p[3] / p[4] - sqrt(p[5]);\n"
                           "    gnd_st_f16(h, 0, gnd_ld_f16(h, 1) + gnd_ld_f16(h, 2));\n}\n"))
        ptx = nvrtc_ptx(gnd__str_get(&src), 80);
    if (!tap_ok(ptx != NULL, "PTX"))
        tap_diag("%s", gnd__str_get(&src));
    for (size_t i = 0; ptx && i < sizeof want / sizeof *want; i++)
        if (!tap_ok(strstr(ptx, want[i]) != NULL, "  has %s", want[i]))
            tap_diag("%.6000s", ptx);
    for (size_t i = 0; ptx && i < sizeof bad / sizeof *bad; i++)
        tap_ok(strstr(ptx, bad[i]) == NULL, "  has no %s", bad[i]);
    free(ptx);
    gnd__str_free(&src);
}

/* A kernel of each operation that takes dtype t. */
static void add_ops(gnd__str *body, gnd_dtype t)
{
    for (int op = 0; op < GND__NOPS; op++)
        if (gnd__op_text((gnd__op)op, gnd_dtype_kind(t)))
            krun_add_op(body, (gnd__op)op, t);
}

/* Naming a function is enough to have it compiled. */
static int add_functions(gnd__str *body, gnd_dialect d, int f64)
{
    char name[96];
    int n = 0;
    gnd__str_clear(body);
    for (; !gnd__kernel_function(d, n, name, sizeof name); n++)
        if (f64 || (!strstr(name, "_f64") && !strstr(name, "_c128")))
            gnd__str_addf(body, "/* %s */\n", name);
    gnd__str_add(body, "GND_KERNEL void k(GND_GLOBAL g_i32 *p) { *p = 0; }\n");
    return n;
}

int main(void)
{
    const char *why = NULL, *why_not = NULL;
    if (tap_sanitized())
        tap_skip_all("others' compilers have no sanitizers: the plain build's run does this");
    int nvrtc = nvrtc_load(&why_not);
    krun *k = krun_open(&why);
    gnd__str body = {0};

    int n = add_functions(&body, GND_DIALECT_CUDA, 1);
    if (!nvrtc)
        tap_skip(2 + GND_NDTYPES, "%s", why_not);
    else {
        test_instructions();
        tap_ok(cuda_build(gnd__str_get(&body)), "CUDA: %d functions", n);
        for (int t = 0; t < GND_NDTYPES; t++) {
            gnd__str_clear(&body);
            add_ops(&body, (gnd_dtype)t);
            tap_ok(cuda_build(gnd__str_get(&body)), "CUDA: operations on %s",
                   gnd_dtype_name((gnd_dtype)t));
        }
    }
    if (!k)
        tap_skip(1 + GND_NDTYPES, "%s", why);
    else {
        int f64 = krun_props(k)->has_f64;
        n = add_functions(&body, GND_DIALECT_OPENCL, f64);
        tap_ok(!krun_build(k, gnd__str_get(&body)), "OpenCL: %d functions", n);
        for (int t = 0; t < GND_NDTYPES; t++) {
            if (gnd__needs_f64((gnd_dtype)t) && !f64) {
                tap_skip(1, "no float64 on the OpenCL device");
                continue;
            }
            gnd__str_clear(&body);
            add_ops(&body, (gnd_dtype)t);
            tap_ok(!krun_build(k, gnd__str_get(&body)), "OpenCL: operations on %s",
                   gnd_dtype_name((gnd_dtype)t));
        }
    }
    krun_close(k);
    gnd__str_free(&body);
    return tap_done();
}
