/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/loop.h - loops on the device: gnd_while repeats a step until a condition is false, gnd_scan
 * runs along an axis of arrays. A loop is based on a recording (gnd/record.h): the body is called
 * once, with placeholders, and the operations that it makes are replayed.
 *
 *     // x = cos(x) until it does not move
 *     static gnd_array *moves(gnd_array *const *s, void *arg)
 *     {
 *         return gnd_any(gnd_greater(gnd_abs(gnd_sub(s[0], s[1])), gnd_real(1e-6)), GND_ALL, 0);
 *     }
 *     static void step(gnd_array *const *s, gnd_array **next, void *arg)
 *     {
 *         next[0] = gnd_cos(s[0]);
 *         next[1] = s[0];
 *     }
 *     gnd_array *out[2];
 *     int64_t steps;
 *     gnd_while(2, (gnd_array *[]){ x, gnd_add(x, gnd_real(1)) }, moves, step, NULL, 10000, out,
 *               &steps);
 *
 * The state of a loop is a list of n arrays of one device, of any dtypes and shapes. No step
 * changes a dtype or shape. Everything else that the body uses keeps the value that it had when the
 * loop began: other arrays, numbers, and draws of generators. A body cannot contain operations
 * whose result shape depends on values (nonzero, unique, boolean masks as indices), nor another
 * loop of this kind. An inner loop is written in C in the body; its steps are unrolled.
 *
 * Errors are returned as a status with gnd_message, and all results are error arrays.
 */
#ifndef GND_LOOP_H
#define GND_LOOP_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Decides whether another step follows. Returns a bool array of shape (), computed from the state.
 * The caller owns the state. */
typedef gnd_array *gnd_loop_cond(gnd_array *const *state, void *arg);
/* One step. Sets next[i] to the new value of state[i], with the same dtype and shape. next[i] may
 * be another state array or a number. The function runs in a scope of its own, which releases the
 * arrays that it makes. It must not read elements. */
typedef void gnd_loop_body(gnd_array *const *state, gnd_array **next, void *arg);

/* Runs while (steps < most && cond(state)) state = body(state). init[i] is the initial value and
 * out[i] the final value of state i. *steps (may be NULL) receives the number of steps. cond
 * NULL: runs `most` steps. A number in init gets the default dtype of its kind. The result is
 * bit-identical to a host loop over recorded steps.
 *
 * The device evaluates the condition after each step; the host checks it about once per
 * millisecond. Steps made after the condition became false are discarded. On CUDA devices the loop
 * itself can be on the device (GND_CUDA_LOOPS in doc/ENVIRONMENT.md). cond is called twice:
 * for init, and for the state after a step. Indices out of range and decompositions that do not
 * exist are errors only in steps that the loop keeps.
 *
 * GND_ERR_NULL; GND_ERR_ARG: n < 1, most < 0, or a next[i] was not set; GND_ERR_DTYPE,
 * GND_ERR_SHAPE: next[i] differs from state[i], or cond does not return a bool of shape ();
 * GND_ERR_DEVICE: only numbers, or two devices; GND_ERR_STATE: an array depends on a placeholder
 * of another recording; the errors of arrays that body and cond make, of gnd_record and of
 * gnd_replay. */
GND_API gnd_status gnd_while(int n, gnd_array *const *init, gnd_loop_cond *cond,
                             gnd_loop_body *body, void *arg, int64_t most, gnd_array **out,
                             int64_t *steps);

/* One step of gnd_scan: as gnd_loop_body, with rows of the inputs and outputs. x[i] is a row of
 * xs[i], without its first axis. The function sets y[i] to a row of ys[i]. */
typedef void gnd_scan_body(gnd_array *const *state, gnd_array *const *x, gnd_array **next,
                           gnd_array **y, void *arg);

/* Runs `length` steps. Step k gets row k of each of the nx arrays xs, whose first axes must have
 * that length. The rows that the steps return become the ny arrays ys, stacked along a new first
 * axis. length -1: the length of the first axis of xs. backward != 0: runs from the last row to the
 * first and fills ys in the same order. n, nx and ny may be 0 (and their lists NULL), but n and ny
 * not both. GND_ERR_ARG: n, nx, ny or length is negative, or the length is unknown; GND_ERR_SHAPE:
 * an array of xs has shape (), or their lengths differ from each other or from `length`;
 * GND_ERR_OVERFLOW: ys would be too large; the errors of gnd_while. */
GND_API gnd_status gnd_scan(int n, gnd_array *const *init, int nx, gnd_array *const *xs,
                            int64_t length, int backward, int ny, gnd_scan_body *body, void *arg,
                            gnd_array **out, gnd_array **ys);

#ifdef __cplusplus
}
#endif
#endif
