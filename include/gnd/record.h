/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/record.h - recordings: a computation is planned once and replayed with other inputs at almost
 * no host cost.
 *
 * A normal evaluation builds a graph, makes a plan, allocates memory and launches kernels one by
 * one, which takes a few microseconds. A recording does this once. It owns the memory of its
 * inputs, outputs and temporaries, and each replay repeats the same work on that memory:
 *
 *     gnd_array *x = gnd_placeholder(dev, GND_FLOAT32, 1, &n);
 *     gnd_array *y = gnd_sin(gnd_multiply(x, gnd_real(2)));
 *     gnd_recording *r = gnd_record(1, &x, 1, &y);
 *     while (next(numbers)) {
 *         gnd_recording_write(r, 0, numbers, n * sizeof *numbers);
 *         gnd_replay(r);
 *         gnd_recording_read(r, 0, results, n * sizeof *results);
 *     }
 *     gnd_recording_free(r);
 *
 * A repeated step, such as a time step of a differential equation, needs no host transfer in
 * between:
 *
 *     for (int k = 0; k < steps; k++) {
 *         gnd_replay(r);
 *         gnd_recording_feed(r, 0, 0);
 *     }
 *
 * The loop needs no error checks. Functions marked "Step" below set, feed or replay. After a step
 * fails, later steps do nothing and return the same error. The next gnd_recording_wait, _read or
 * _get reports the error once more and clears it.
 *
 * On CUDA two kernels or more become a CUDA graph. Elsewhere they are launched one after the other
 * with prepared arguments. Library calls (products, transforms, decompositions) run between the
 * graphs.
 * On OpenCL, runs of small kernels are merged into one kernel each, with bit-identical results. Up
 * to about 1000 elements this reduces the cost of a replay to between a fifth and an eighth. If the
 * merged kernel is in the kernel cache it is used from the 33rd replay on. Otherwise it is
 * compiled, which takes 0.2 to 4 s, once launching the small kernels has cost about as much.
 *
 * Everything else that the outputs depend on is fixed when the recording is made: elements of other
 * arrays (the recording keeps them alive), values of scalars, and draws of generators. Each replay
 * therefore gives the same random numbers. Shapes are fixed, so operations whose result shape
 * depends on values (nonzero, unique, boolean masks as indices) cannot be recorded.
 *
 * A recording may be used by one thread at a time. Closing its device counts as use.
 */
#ifndef GND_RECORD_H
#define GND_RECORD_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gnd_recording gnd_recording;

/* Makes the input of a recording: an array of the given shape and dtype t without elements
 * (GND_DTYPE_DEFAULT: the device's default float). Any operation accepts it. Reading it or an array
 * computed from it is GND_ERR_STATE; no fault is recorded. Errors: GND_ERR_NULL, GND_ERR_SHAPE,
 * GND_ERR_DTYPE, GND_ERR_OVERFLOW, GND_ERR_UNSUPPORTED (float64 on a device without it). */
GND_API gnd_array *gnd_placeholder(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);

/* Makes a number of dtype t (GND_DTYPE_DEFAULT: the device's default float), an input of shape ()
 * that a recording takes by value. It has no memory. gnd_recording_set_f64, _set_i64, _set with a
 * number and _write note the value; the next replay passes it to the kernels that use it as an
 * argument, so setting it costs no launch and no transfer. Where it is needed in memory (an operand
 * of a product, a transform, a decomposition or a user's kernel; an output) a kernel of the
 * recording stores it in each replay. Arrays and outputs cannot be its value (GND_ERR_ARG of
 * gnd_recording_set and _feed): use gnd_placeholder with shape () for those. Errors as for
 * gnd_placeholder. */
GND_API gnd_array *gnd_placeholder_number(gnd_device *dev, gnd_dtype t);

/* Records how nout > 0 arrays are computed from nin >= 0 placeholders. All must be on one device.
 * Compiles the kernels and allocates the memory; runs nothing. The caller keeps the ownership of
 * all arrays. The recording does not need them afterwards, and more recordings can be made from
 * them. Inputs have undefined elements until they are set; numbers are 0. Never returns NULL:
 * gnd_recording_status reports failures. GND_ERR_NULL; GND_ERR_ARG: nout < 1, an input is not a
 * placeholder, or is given twice; GND_ERR_DEVICE: arrays of two devices, or an output is a weak
 * scalar; GND_ERR_STATE: an output depends on a placeholder that is not an input; GND_ERR_INDEX: an
 * output depends on an index that is out of range; GND_ERR_DEVMEM; GND_ERR_NOMEM; the errors of the
 * arguments and of compilation. */
GND_API gnd_recording *gnd_record(int nin, gnd_array *const *in, int nout, gnd_array *const *out);
/* The status of r: GND_OK; the reason why it could not be made; the pending error of a step (see
 * above); GND_ERR_NULL; GND_ERR_STATE: its device was closed. */
GND_API gnd_status gnd_recording_status(const gnd_recording *r);
/* The message of that status; "" for GND_OK. Owned by r, and valid until the next call with r. */
GND_API const char *gnd_recording_error(const gnd_recording *r);
/* Waits for the device and frees r. NULL is ignored. Recordings do not belong to scopes. Using a
 * freed recording is GND_ERR_STATE, here and in all functions. If the device has failed, returns
 * its error; r is freed in any case. */
GND_API gnd_status gnd_recording_free(gnd_recording *r);

/* Sets input i (from 0) to the value of x, which has the input's dtype, shape and device. x is
 * evaluated if necessary; does not wait. The next replays use the new value until it is set again.
 * If no launches of the recording are in a list of the backend's (a CUDA graph, which two launches
 * or more without a library call between them become), nothing is copied: replays read x's memory,
 * which the recording holds until the input is set, written or fed again, unless x is a part of a
 * larger array. Otherwise x is copied. For an input of shape () x may be a number (gnd_real(0.1),
 * gnd_int(3) ...): it is passed as an argument of a small kernel, without a copy. For an input of
 * gnd_placeholder_number x must be a number. Step. GND_ERR_NULL; GND_ERR_STATE: the device was
 * closed, or x depends on a placeholder; GND_ERR_ARG: no such input, or an array for a number;
 * GND_ERR_DTYPE: also a float for an int input or a complex number for a real input;
 * GND_ERR_OVERFLOW: an int outside the range of the input's dtype; GND_ERR_SHAPE; GND_ERR_DEVICE;
 * the errors of evaluating x. */
GND_API gnd_status gnd_recording_set(gnd_recording *r, int i, gnd_array *x);
/* Sets input i of shape () to the number v without making an array. Same as gnd_recording_set(r, i,
 * gnd_real(v)). */
GND_API gnd_status gnd_recording_set_f64(gnd_recording *r, int i, double v);
/* Sets input i of shape () to the int v without making an array. Same as gnd_recording_set(r, i,
 * gnd_int(v)). */
GND_API gnd_status gnd_recording_set_i64(gnd_recording *r, int i, int64_t v);
/* Copies nbytes from host memory, in C order, to input i. nbytes must be the size of the input. src
 * may be changed after the call. Step. GND_ERR_SHAPE: nbytes differs from the size of the input;
 * else as for gnd_recording_set. */
GND_API gnd_status gnd_recording_write(gnd_recording *r, int i, const void *src, size_t nbytes);

/* Sets input i to the value that the last replay left in output o, which has the same dtype and
 * shape. It does what gnd_recording_set(r, i, gnd_recording_get(r, o)) does, without an
 * intermediate array and without waiting. Use it to repeat a step: gnd_replay(r),
 * gnd_recording_feed(r, 0, 0), gnd_replay(r) ... If the output owns memory of the same size as the
 * input's, or is itself an input, the buffers are exchanged instead of copied; two or three buffers
 * may rotate. Other outputs (views, and results that share memory) are copied. An output that is an
 * input, or a view of one, has that input's current value. Step. GND_ERR_NULL; GND_ERR_STATE: the
 * device was closed; GND_ERR_ARG: no such output or input, or the input is a number;
 * GND_ERR_DTYPE; GND_ERR_SHAPE. */
GND_API gnd_status gnd_recording_feed(gnd_recording *r, int o, int i);
/* Does n feeds at once: input i[k] gets the value that output o[k] has before any of these inputs
 * changes. This matters if inputs are outputs: two inputs can be exchanged. The lists may be NULL
 * if n is 0. Errors as for gnd_recording_feed. */
GND_API gnd_status gnd_recording_feed_all(gnd_recording *r, int n, const int *o, const int *i);

/* Runs the recorded work once more, after all work given to the device before. Does not wait,
 * unless a part runs on the host (LAPACK). Errors that only the device can detect (an index out of
 * range) are reported by the next gnd_recording_get, _read or _wait. After an error the outputs may
 * be those of this replay, of the previous one, or a mixture. Step. GND_ERR_NULL; GND_ERR_STATE:
 * the device was closed; GND_ERR_LINALG: a decomposition does not exist; GND_ERR_DEVMEM;
 * GND_ERR_NOMEM; the error of a recording that could not be made. */
GND_API gnd_status gnd_replay(gnd_recording *r);

/* The value of output o (from 0) after the last replay, as an array with elements of its own; later
 * replays do not change it. Undefined before the first replay. Waits if the recording has indices
 * to check. GND_ERR_NULL; GND_ERR_ARG: no such output; GND_ERR_INDEX: an index was out of range in
 * a replay since the last check (reported once); GND_ERR_STATE: the device was closed;
 * GND_ERR_DEVMEM; the error of a step. */
GND_API gnd_array *gnd_recording_get(gnd_recording *r, int o);
/* Copies output o, in C order, to dst. nbytes must be the size of the output. GND_ERR_SHAPE: nbytes
 * differs from it; else as for gnd_recording_get. */
GND_API gnd_status gnd_recording_read(gnd_recording *r, int o, void *dst, size_t nbytes);
/* Waits until all replays are done, and reports their errors: GND_ERR_INDEX, GND_ERR_NULL,
 * GND_ERR_STATE (the device was closed), the error of a step, or an error of the device. */
GND_API gnd_status gnd_recording_wait(gnd_recording *r);

#ifdef __cplusplus
}
#endif
#endif
