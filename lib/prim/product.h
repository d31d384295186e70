/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/product.h - a matrix product, and the operations after it, as calls of a library, as a
 * reduction or as our own kernels (prim/gemm.h), and the choice between these. Operands whose
 * layout a library does not accept are copied; batch axes that can be combined are one axis, and
 * the calls use the longest.
 */
#ifndef GND_PRIM_PRODUCT_H
#define GND_PRIM_PRODUCT_H

#include "base/shape.h"
#include "device/gate.h"
#include "fuse/kir.h"

/* The layouts of the operands, and the operations after the product: an addend (or NULL), a maximum
 * with 0, and factors whose values are known when the plan runs. */
typedef struct gnd__product_parts {
    const gnd__layout *a, *b, *plus;
    int relu, alpha, beta;
} gnd__product_parts;

typedef struct gnd__product {
    gnd__layout l[3];    /* of a, b and the addend; of copies of a and b if there are any */
    gnd__layout from[2]; /* ... and of the arrays from which these are copied */
    int copied[2];
    gnd_gemm gemm;                   /* the first of `outer` calls; no buffers */
    int64_t stride[4][GND_MAX_NDIM]; /* strides of the batch axes: a, b, c and the addend */
    /* number of batch axes over which calls iterate, with their extents in loop */
    int nloop;
    int64_t loop[GND_MAX_NDIM];
    int64_t outer;
} gnd__product;

typedef enum gnd__product_way {
    GND__BY_LIBRARY,
    GND__BY_REDUCTION,
    GND__BY_TERMS,
    GND__BY_KERNELS
} gnd__product_way;

/* Fills x for the product node a, of 2 axes or more. Returns 0 if no library accepts the addend's
 * layout. */
int gnd__product_form(gnd__product *x, const gnd_array *a, const gnd__product_parts *of);
/* Describes call o of x->outer. */
gnd_gemm gnd__product_call(const gnd__product *x, int64_t o);
/* Writes a product with a vector as a kernel in IR, for the originals of the operands (x->from).
 * slot: of a, b and the result; aligned: whether the elements of a and b begin at multiples of 16
 * bytes. */
gnd_status gnd__product_reduction(const gnd__product *x, const gnd_array *a, const int32_t slot[3],
                                  const int aligned[2], gnd__kir *k, gnd_err *e);
/* The same for a product of at most GND__PRODUCT_TERMS terms: a map, which adds them. */
#define GND__PRODUCT_TERMS 4
gnd_status gnd__product_terms(const gnd__product *x, const gnd_array *a, const int32_t slot[3],
                              const int aligned[2], gnd__kir *k, gnd_err *e);
/* Whether the library of d computes g: it is worth asking (base/measured.def and the tuned
 * parameters), and it accepts g. d is locked. */
int gnd__product_library(gnd__gdev *d, const gnd_gemm *g);
/* The method for a product without operations after it. */
gnd__product_way gnd__product_choose(gnd__gdev *d, const gnd_gemm *g);

#endif
