/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/template.c - the names of dtypes in kernels, and the expansion of templates ($T, $t ...)
 * for one dtype.
 */
#include "base/dtype.h"
#include "codegen/prelude.h"

static const char *const suffixes[GND_NDTYPES] = {
    [GND_BOOL] = "b",      [GND_INT8] = "i8",       [GND_INT16] = "i16",
    [GND_INT32] = "i32",   [GND_INT64] = "i64",     [GND_UINT8] = "u8",
    [GND_UINT16] = "u16",  [GND_UINT32] = "u32",    [GND_UINT64] = "u64",
    [GND_FLOAT16] = "f16", [GND_BFLOAT16] = "bf16", [GND_FLOAT32] = "f32",
    [GND_FLOAT64] = "f64", [GND_COMPLEX64] = "c64", [GND_COMPLEX128] = "c128",
};

static const char *const ctypes[GND_NDTYPES] = {
    [GND_BOOL] = "g_b",      [GND_INT8] = "g_i8",       [GND_INT16] = "g_i16",
    [GND_INT32] = "g_i32",   [GND_INT64] = "g_i64",     [GND_UINT8] = "g_u8",
    [GND_UINT16] = "g_u16",  [GND_UINT32] = "g_u32",    [GND_UINT64] = "g_u64",
    [GND_FLOAT16] = "g_f32", [GND_BFLOAT16] = "g_f32",  [GND_FLOAT32] = "g_f32",
    [GND_FLOAT64] = "g_f64", [GND_COMPLEX64] = "g_c64", [GND_COMPLEX128] = "g_c128",
};

const char *gnd__suffix(gnd_dtype t)
{
    return gnd__dtype_ok(t) ? suffixes[t] : "";
}

const char *gnd__ctype_value(gnd_dtype t)
{
    return gnd__dtype_ok(t) ? ctypes[t] : "";
}

const char *gnd__ctype_mem(gnd_dtype t)
{
    return t == GND_FLOAT16 || t == GND_BFLOAT16 ? "g_u16" : gnd__ctype_value(t);
}

/* The unsigned type of t's width. */
static gnd_dtype unsigned_of(gnd_dtype t)
{
    switch (gnd_dtype_size(t)) {
    case 1: return GND_UINT8;
    case 2: return GND_UINT16;
    case 4: return GND_UINT32;
    default: return GND_UINT64;
    }
}

/* The text for the letter after a $; NULL if it has none. */
static const char *placeholder(char c, gnd_dtype own, const char *const *arg)
{
    gnd_dtype t = own == GND_FLOAT16 || own == GND_BFLOAT16 ? GND_FLOAT32 : own;
    gnd_dtype real = gnd__real_of(t), u = unsigned_of(t);
    switch (c) {
    case '0':
    case '1':
    case '2':
    case '3':
    case '4': return arg ? arg[c - '0'] : NULL;
    case 'T': return ctypes[t];
    case 't': return suffixes[t];
    case 'n': return suffixes[own];
    case 'U': return ctypes[u];
    case 'u': return suffixes[u];
    case 'W': return gnd_dtype_size(t) > 4 ? "g_u64" : "g_u32";
    case 'R': return ctypes[real];
    case 'r': return suffixes[real];
    case 'f': return real == GND_FLOAT64 ? "" : "f";
    default: return NULL;
    }
}

void gnd__expand(gnd__str *out, const char *templ, gnd_dtype t, const char *const arg[GND__OP_ARGS])
{
    const char *from = templ;
    for (const char *p = templ; gnd__dtype_ok(t) && *p; p++) {
        const char *s = *p == '$' ? placeholder(p[1], t, arg) : NULL;
        if (!s)
            continue;
        gnd__str_addn(out, from, (size_t)(p - from));
        gnd__str_add(out, s);
        from = ++p + 1;
    }
    gnd__str_add(out, from);
}
