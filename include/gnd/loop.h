/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/loop.h - loops whose steps the device makes one after the other: until a condition is false (gnd_while), or
 * along an axis of arrays (gnd_scan). They are made of a recording (gnd/record.h): the body is called once, with
 * placeholders, and what it makes of them is repeated.
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
 *     gnd_while(2, (gnd_array *[]){ x, gnd_add(x, gnd_real(1)) }, moves, step, NULL, 10000, out, &steps);
 *
 * The state of a loop are n arrays of one device, of any dtypes and shapes, which no step changes. What a body uses
 * beside the state is as it was when the loop began: other arrays, numbers, the draws of generators.
 * What needs elements to know a shape (nonzero, unique, masks as indices) cannot be in a body, nor can a loop of this
 * kind: steps within a step are written out, by a loop of C in the body.
 *
 * Errors come as a status with gnd_message, and as error arrays in all results.
 */
#ifndef GND_LOOP_H
#define GND_LOOP_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether there is another step: a bool of shape (), computed from the state, which stays the caller's. */
typedef gnd_array *gnd_loop_cond(gnd_array *const *state, void *arg);
/* A step: next[i] becomes what state[i] is after it, of the same dtype and shape; it may be another state itself, or a
 * number. It is called in a scope of its own, which releases what it makes; it must not read elements. */
typedef void gnd_loop_body(gnd_array *const *state, gnd_array **next, void *arg);

/* while (steps < most && cond(state)) state = body(state): out[i] is in the end what init[i] was at the beginning,
 * *steps (may be NULL) how many steps were made. cond NULL: `most` steps. A state that is a number gets the default
 * dtype of its kind. The result is, bit for bit, that of a loop of the host over recorded steps.
 *
 * The device looks at the condition after each step, the host once in about a millisecond: the steps that were made
 * after the condition was false are thrown away. So cond is called twice: for init, and for the state after a step.
 * Indices out of range and decompositions that do not exist are errors only of steps that the loop makes.
 *
 * GND_ERR_NULL, GND_ERR_ARG (n < 1, most < 0, a next[i] that was not set), GND_ERR_DTYPE and GND_ERR_SHAPE (next[i] is
 * not like state[i]; cond is no bool of shape ()), GND_ERR_DEVICE (only numbers, or two devices), GND_ERR_STATE (what
 * comes from a placeholder of somebody else), the errors of the arrays that body and cond make, of gnd_record and of
 * gnd_replay. */
GND_API gnd_status gnd_while(int n, gnd_array *const *init, gnd_loop_cond *cond, gnd_loop_body *body, void *arg,
                             int64_t most, gnd_array **out, int64_t *steps);

/* A step of gnd_scan: as above, and x[i] is a row of xs[i], without its first axis; y[i] becomes a row of ys[i]. */
typedef void gnd_scan_body(gnd_array *const *state, gnd_array *const *x, gnd_array **next, gnd_array **y, void *arg);

/* length steps, step k with rows k of the nx arrays xs, which have that many; the ny arrays ys are made of what the
 * steps give, row by row along a first axis. length -1: as many as xs have rows. backward != 0: from the last row to
 * the first, rows of ys likewise. n, nx and ny may be 0 (their lists NULL), but not n and ny both.
 * GND_ERR_ARG (n, nx, ny or length negative, or no length at all), GND_ERR_SHAPE (xs of shape (), of different lengths,
 * or not of `length`), GND_ERR_OVERFLOW (ys would be too large), and those of gnd_while. */
GND_API gnd_status gnd_scan(int n, gnd_array *const *init, int nx, gnd_array *const *xs, int64_t length, int backward,
                            int ny, gnd_scan_body *body, void *arg, gnd_array **out, gnd_array **ys);

#ifdef __cplusplus
}
#endif
#endif
