/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/exact.h - loops over elements in host memory, one for each operation and dtype whose result
 * is exact or correctly rounded, so that every compiler gives the same bits. exact.c is made from
 * base/opset.def and the functions of kernels/ for CPUs by tools/gen-exact.awk. What is not there
 * (functions that need the device's own, float16, bfloat16, complex arithmetic) is the device's
 * alone.
 */
#ifndef GND_HOST_EXACT_H
#define GND_HOST_EXACT_H

#include <gnd/types.h>

/* z[i] = op(x[i], y[i], w[i]) for i below n; z overlaps no argument. Arguments that the operation
 * does not have are not read. */
typedef void gnd__loop(void *z, const void *x, const void *y, const void *w, size_t n);

/* The loop of an operation (its number in base/opset.def) with compute dtype t, and that of a cast;
 * NULL if there is none. A cast to the same dtype has none. */
gnd__loop *gnd__exact_op(int op, gnd_dtype t);
gnd__loop *gnd__exact_cast(gnd_dtype from, gnd_dtype to);

/* *z = op(*z, x[i]) for i below n, one after the other, of operations that reductions use; z is
 * apart from x. NULL if there is none. */
typedef void gnd__run(void *z, const void *x, size_t n);
gnd__run *gnd__exact_run(int op, gnd_dtype t);
/* z[l] = op(z[l], x[l + i * GND__EXACT_LANES]) for l below GND__EXACT_LANES and i below n, one i
 * after the other, of such operations on floats. NULL if there is none. */
enum { GND__EXACT_LANES = 64 };
gnd__run *gnd__exact_lanes(int op, gnd_dtype t);

/* The first greatest element, or least one, or the first NaN, of those before and x[i] for i below
 * n: *best is the element, *place its number, -1 if there are none before; x[0] has number `from`.
 * GND__PLACES_DOWN: the same of each of n columns, of which x is the row of number `from`, and best
 * and place are of the rows before it. GND__PLACES_JOIN: of n columns, x has the elements whose
 * numbers are place[from + i], in any order. gnd__exact_place: NULL if there is none for dtype t.
 */
typedef void gnd__place_loop(void *best, int64_t *place, const void *x, int64_t from, size_t n);
typedef enum gnd__places { GND__PLACES_ROW, GND__PLACES_DOWN, GND__PLACES_JOIN } gnd__places;
gnd__place_loop *gnd__exact_place(gnd_dtype t, int least, gnd__places how);

/* Whether the calling thread computes as the device does: rounds to nearest, and keeps subnormals.
 * A program may have changed that for its thread. */
int gnd__exact_here(void);

#endif
