/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/linalg.h - products of matrices.
 */
#ifndef GND_LINALG_H
#define GND_LINALG_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* NumPy's matmul: (..., m, k) by (..., k, n), the leading axes broadcast; a 1-d operand is a row on
 * the left, a column on the right, and its axis is not in the result. All dtypes; ints wrap, bool
 * is any(and), float16 and bfloat16 accumulate in float32. float32 is computed in float32 (never
 * tf32). Errors: GND_ERR_NULL, GND_ERR_SHAPE, GND_ERR_DEVICE, the arrays' own. */
GND_API gnd_array *gnd_matmul(gnd_array *a, gnd_array *b);

#ifdef __cplusplus
}
#endif
#endif
