/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kernelrun.h - runs kernel text on an OpenCL CPU device directly, without the library's backends:
 * for tests of the functions in kernels/. libOpenCL is loaded at run time.
 */
#ifndef KERNELRUN_H
#define KERNELRUN_H

#include <gnd/backend.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "graph/opset.h"

typedef struct krun krun;

/* The first device of PoCL, or of the platform whose name holds GND_TEST_PLATFORM; NULL and the
 * reason when there is none. */
krun *krun_open(const char **why);
void krun_close(krun *k);
/* What the prelude needs to know. */
const gnd_props *krun_props(const krun *k);
/* Puts the prelude before body and compiles; replaces the program before. 0, or -1 after a
 * diagnostic with the compiler's log. */
int krun_build(krun *k, const char *body);
/* Runs n work-items of kernel name(out, in[0], in[1], ...), arrays of so many bytes each. 0, or -1
 * after a diagnostic. */
int krun_run(krun *k, const char *name, size_t n, void *out, size_t out_bytes, int nin,
             const void *const *in, const size_t *in_bytes);

/* The same of kernel k_FUNC_SUFFIX, whose one or two inputs and result have n elements of dtype t.
 */
int krun_elements(krun *k, const char *func, gnd_dtype t, size_t n, void *out, int nin,
                  const void *const *in);

/* main() of a test of functions one by one, where the device takes those of CPUs with float64; else
 * the whole program is skipped, with the reason. Compiles the operations op(0) ... op(n - 1) for t,
 * and `more`, and runs test(k, i) of those that the arguments name. Without arguments: of all, and
 * then others(k), which may be NULL. */
int krun_functions(int argc, char **argv, gnd_dtype t, int n, gnd__op (*op)(int), const char *more,
                   void (*test)(krun *, int), void (*others)(krun *));

/* The dtype of op's result for compute dtype t, and a kernel k_OP_SUFFIX(out, a0, a1, a2) of it,
 * with arguments of dtype t (the first of where: bool), appended to body. Any dialect. */
gnd_dtype krun_out_dtype(gnd__op op, gnd_dtype t);
void krun_add_op(gnd__str *body, gnd__op op, gnd_dtype t);

#endif
