/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/checked.h - checked mode of users' kernels: accesses through pointers to global memory
 * become calls of kernels/checked.cl. Text to text, by tokens: the text is what the device compiles
 * otherwise, so that CUDA C for OpenCL devices has its address spaces already.
 *
 * A checked kernel has more hidden parameters behind the offsets: for each pointer to global memory
 * the bytes of its array (gndn_I), then the table of checks and the entry, and scratch memory of
 * GND__CHECKED_BYTES with its offset.
 *
 * Rewritten are p[i], *p, p->f, (p + i)[j], __ldg and the pointers given to atomic functions, where
 * p is a name that the text declares as such a pointer: a parameter, a variable. On OpenCL the
 * functions of the source get the launch's bounds as a first argument. On CUDA a block has them in
 * shared memory, and pointers to other memory pass.
 */
#ifndef GND_CODEGEN_CHECKED_H
#define GND_CODEGEN_CHECKED_H

#include "codegen/user.h"

enum { GND__CHECKED_BYTES = 8192 };

/* The definitions. They come before everything else of the text. */
gnd_status gnd__checked_prelude(const gnd__usource *u, gnd_dialect d, gnd__str *out, gnd_err *e);
/* Hidden parameters of a kernel, each after a comma, and the start of its body. */
void gnd__checked_params(const gnd__ukernel *k, gnd_dialect d, gnd__str *out);
void gnd__checked_body(const gnd__ukernel *k, gnd_dialect d, gnd__str *out);
/* Rewrites `out` from byte `from` to its end. GND_ERR_UNSUPPORTED: a macro accesses memory through
 * its parameter. */
gnd_status gnd__checked_text(const gnd__usource *u, gnd_dialect d, size_t from, gnd__str *out,
                             gnd_err *e);

#endif
