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

#include <string.h>

/* Compiles body after its prelude. 1 when it went. */
static int cuda_build(const char *body)
{
    gnd_props props;
    gnd__str src = {0};
    gnd_err e = {0};
    int ok = 0;
    memset(&props, 0, sizeof props);
    props.dialect = GND_DIALECT_CUDA;
    props.has_f64 = 1;
    props.has_atomic64 = 1;
    if (gnd__prelude(&src, body, &props, &e)) {
        tap_diag("%s", e.msg);
    } else {
        gnd__str_add(&src, body);
        ok = nvrtc_build(gnd__str_get(&src), 80);
    }
    gnd__str_free(&src);
    return ok;
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
    int nvrtc = nvrtc_load(&why_not);
    krun *k = krun_open(&why);
    gnd__str body = {0};

    int n = add_functions(&body, GND_DIALECT_CUDA, 1);
    if (!nvrtc)
        tap_skip(1 + GND_NDTYPES, "%s", why_not);
    else {
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
