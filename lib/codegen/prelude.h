/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/prelude.h - the text before a kernel's own: types, and those functions of kernels/ (the
 * embedded gnd__kernels_text) that the text uses, for the dtypes that it uses them with. Pure text
 * to text; knows no graph and no device but the properties.
 *
 * Types of values: g_b (a bool: unsigned char 0 or 1), g_i8 ... g_u64, g_f32, g_f64, g_c64, g_c128.
 * Suffixes of dtypes: b i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128. float16 and
 * bfloat16 values are g_f32 in kernels; in memory they are g_u16. Names that codegen itself uses:
 * gnd_round_f16(x), gnd_round_bf16(x) (a g_f32 rounded to that dtype's grid), gnd_round_f16_f64,
 * gnd_round_bf16_f64 (from g_f64, one rounding, as g_f32), gnd_ld_SUFFIX(p, i), gnd_st_SUFFIX(p, i,
 * v) (one element in memory), gnd_cplx_c64(re, im), gnd_re_c64(z), gnd_im_c64(z) and c128's,
 * gnd_f2i32_f32(x) gnd_f2i64_f32(x) gnd_f2u64_f32(x) and the same _f64 (float to int without
 * undefined behaviour, x86's results), and the macros GND_KERNEL (a kernel's qualifiers),
 * GND_GLOBAL, GND_LOCAL, GND_CONST_GLOBAL, GND_RESTRICT, GND_GID(d), GND_LID(d), GND_GRP(d),
 * GND_LSZ(d), GND_NGRP(d) (d: a literal 0, 1 or 2), GND_BARRIER(), GND_INF_f32, GND_NAN_f32 and
 * f64's, GND_FN (a function's qualifiers), GND_INLINE (those of a function for CPUs: LLVM
 * vectorises no loop that calls one). GND_LOCAL is for arrays in a kernel, GND_LOCAL_PTR for
 * parameters that point there. Names of a kernel's own must not begin with gnd_.
 */
#ifndef GND_CODEGEN_PRELUDE_H
#define GND_CODEGEN_PRELUDE_H

#include <gnd/backend.h>
#include "base/strbuf.h"
#include "base/table.h"
#include "graph/opset.h"

/* Appends the prelude that `body` needs to out: pragmas, types, macros, functions, in an order that
 * compiles. GND_ERR_INTERNAL names a gnd_ function that kernels/ does not have. */
gnd_status gnd__prelude(gnd__str *out, const char *body, const gnd_props *props, gnd_err *e);

/* The same. `kept`, unless it is NULL, holds the preludes of up to 64 texts and saves making them
 * again: a table of strings, which the caller frees with gnd__free. The table is for one device. */
gnd_status gnd__prelude_kept(gnd__table *kept, gnd__str *out, const gnd__str *body,
                             const gnd_props *props, gnd_err *e);

/* Whether the functions of kernels/ for CPUs with float64 (`cpu`) are included. */
int gnd__prelude_cpu(const gnd_props *props);

/* The name of function i of kernels/ in that dialect, for a dtype each ("gnd_mul_c64"), into buf;
 * -1 when there are not so many. For tests. */
int gnd__kernel_function(gnd_dialect d, int i, char *buf, size_t cap);

/* Appends the text `name` of kernels/, a template expanded for dtype t. Returns 0 if there is no
 * such text. */
int gnd__kernel_text(gnd__str *out, const char *name, gnd_dialect d, gnd_dtype t);

/* "f32" for GND_FLOAT32 and so on. */
const char *gnd__suffix(gnd_dtype t);
/* "g_f32": the C type of a value; "g_u16" for memory of float16. */
const char *gnd__ctype_value(gnd_dtype t);
const char *gnd__ctype_mem(gnd_dtype t);

/* Expands a template: $T $t $U $u $W $R $r for dtype t (the compute dtype) and $0 to $3 by arg. */
void gnd__expand(gnd__str *out, const char *templ, gnd_dtype t,
                 const char *const arg[GND__OP_ARGS]);

#endif
