/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/horner.c - polynomials by Horner's rule, as one loop over the coefficients: see
 * kernels/horner.cl.
 */
#include "prim/horner.h"

#include <string.h>
#include "codegen/prelude.h"
#include "prim/prim.h"

/* Values per work-item, whose chains of operations run in parallel. */
enum { EACH_GPU = 1, EACH_CPU = 16 };

gnd_array *gnd__horner_node(gnd_array *p, gnd_array *x, gnd_array *y)
{
    gnd__primargs a;
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_HORNER;
    a.func = "polyval";
    a.mode[0] = GND__IN_AGAIN;
    a.mode[1] = a.mode[2] = GND__IN_ONCE;
    return gnd__prim_node(x->dev, &a, (gnd_dtype)x->dtype, x->ndim, x->dim, 3,
                          (gnd_array *[]){p, x, y});
}

/* #define name(a, b), the operation on two values of the result's dtype. */
static void define(gnd__prog *p, const char *name, gnd__op op)
{
    const char *const arg[GND__OP_ARGS] = {"(a)", "(b)", "", "", ""};
    gnd__str text = {0};
    gnd__expand(&text, gnd__op_text(op, gnd_dtype_kind(p->dtype)), p->dtype, arg);
    gnd__pk_def(p, "#define %s(a, b) %s\n", name, gnd__str_get(&text));
    gnd__str_free(&text);
}

void gnd__prim_horner(gnd__prog *p)
{
    const int64_t m = p->size, size = (int64_t)gnd_dtype_size(p->dtype);
    const int each = p->t->cpu ? EACH_CPU : EACH_GPU;
    const size_t local = p->t->cpu ? 1 : gnd__prog_group(p, 256);
    if (m == 0)
        return;
    gnd__pk_begin(p, "k_horner");
    gnd__pk_out(p, "r");
    gnd__pk_in(p, "p", 0);
    gnd__pk_in(p, "x", 1);
    gnd__pk_in(p, "y", 2);
    gnd__pk_int(p, "n", p->in[0].dim[0]);
    gnd__pk_int(p, "m", m);
    gnd__pk_def(p, "#define EACH %d\n#define AT(k, i) %s\n", each,
                p->in[0].ndim > 1 ? "((k) * m + (i))" : "(k)");
    define(p, "ADD", GND__OP_ADD);
    define(p, "MUL", GND__OP_MULTIPLY);
    gnd__pk_body(p, "horner", p->dtype);
    gnd__pk_end1(p, (m + (int64_t)local * each - 1) / ((int64_t)local * each), local,
                 gnd__prog_reads(p, 0) + gnd__prog_reads(p, 1) + gnd__prog_reads(p, 2), m * size);
}
