/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/record.h - a computation that is repeated with other numbers: recorded once, replayed with hardly
 * any cost of the host.
 *
 * An evaluation builds a graph, finds its plan, takes memory and launches kernels one by one: a few
 * microseconds. A recording has all of that behind it. It owns memory for its inputs, its outputs and what
 * is between, and a replay does the same work on it again:
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
 * A step that is repeated, such as that of a differential equation, needs no host between:
 *
 *     for (int k = 0; k < steps; k++) {
 *         gnd_replay(r);
 *         gnd_recording_feed(r, 0, 0);
 *     }
 *
 * Nothing has to be checked on the way. Setting, feeding and replaying are steps: after one that fails the steps that
 * follow do nothing and give the same error, until gnd_recording_wait, _read or _get gives it once more and the
 * recording can go on.
 *
 * On CUDA the kernels become a CUDA graph; elsewhere they are launched one after the other with arguments
 * that are made once. Products, transforms and decompositions of libraries are called between graphs. By OpenCL
 * replays on the same memory make one kernel of each run of small ones, which gives the same bits: with up to 1000
 * elements a replay then costs a fifth to an eighth. The 33rd replay does so when that kernel is in the kernel cache.
 * Else it is compiled, which takes 0.2 to 4 s, when launching the small ones has cost about as much.
 *
 * What else the outputs depend on is as it was when the recording was made: the elements of other arrays
 * (which it keeps), the values of scalars, and the draws of generators: each replay gives the same random
 * numbers. Shapes are fixed, so what needs elements to know a shape (nonzero, unique, masks as indices)
 * cannot be recorded.
 *
 * A recording is used by one thread at a time, which includes closing its device.
 */
#ifndef GND_RECORD_H
#define GND_RECORD_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gnd_recording gnd_recording;

/* An array of dtype t (GND_DTYPE_DEFAULT: the device's default float) and a shape that has no elements
 * yet: the input of a recording. Anything can be computed with it, but nothing that comes from it can be
 * read: reading gives GND_ERR_STATE, and changes nothing. Errors: GND_ERR_NULL,
 * GND_ERR_SHAPE, GND_ERR_DTYPE, GND_ERR_OVERFLOW, GND_ERR_UNSUPPORTED (float64 on a device without). */
GND_API gnd_array *gnd_placeholder(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape);

/* Records how nout > 0 arrays come from nin >= 0 placeholders of the same device, which has to be the
 * device of all. Kernels are compiled here, memory is taken, nothing runs. The arrays stay the caller's;
 * the recording does not need them, and others may be made of the same ones. Inputs hold undefined
 * elements until they are set. Never NULL: a failure is in gnd_recording_status(). GND_ERR_NULL,
 * GND_ERR_ARG (nout < 1, an input that is no placeholder, or twice the same), GND_ERR_DEVICE (arrays of two
 * devices, an output that is a scalar), GND_ERR_STATE (an output depends on a placeholder that is not
 * among the inputs), GND_ERR_INDEX (an index of an array that an output depends on), GND_ERR_DEVMEM,
 * GND_ERR_NOMEM, the error of an argument, and what compiling may give. */
GND_API gnd_recording *gnd_record(int nin, gnd_array *const *in, int nout, gnd_array *const *out);
/* GND_OK; why it could not be made; the error of a step (above) that nobody was told yet; GND_ERR_NULL; GND_ERR_STATE
 * when its device was closed. */
GND_API gnd_status gnd_recording_status(const gnd_recording *r);
/* The text of that status, "" when all is well. It belongs to the recording, and holds until its next call. */
GND_API const char *gnd_recording_error(const gnd_recording *r);
/* Waits for the device and gives everything back. NULL is fine. A recording belongs to no scope, and one that was freed is
 * GND_ERR_STATE, here and everywhere. Where the device
 * has failed, what it says of that is the result, and everything is given back all the same. */
GND_API gnd_status gnd_recording_free(gnd_recording *r);

/* Sets input i (from 0) to the elements of x, of the input's dtype and shape and on its device (evaluated if need be,
 * copied; no wait). The next replay uses them; they stay until set again. For an input of shape () x may be a number
 * (gnd_real(0.1), gnd_int(3) ...): then nothing is copied, it is an argument of a small kernel. A step.
 * GND_ERR_NULL, GND_ERR_STATE (the device was closed; x comes from a placeholder), GND_ERR_ARG (no such input),
 * GND_ERR_DTYPE (also a float for an int input, a complex number for a real one), GND_ERR_OVERFLOW (an int that the
 * input's dtype has not), GND_ERR_SHAPE, GND_ERR_DEVICE, and the errors of evaluating x. */
GND_API gnd_status gnd_recording_set(gnd_recording *r, int i, gnd_array *x);
/* Sets input i of shape () to the number v, without an array: gnd_recording_set(r, i, gnd_real(v)). */
GND_API gnd_status gnd_recording_set_f64(gnd_recording *r, int i, double v);
/* Sets input i of shape () to the int v, without an array: gnd_recording_set(r, i, gnd_int(v)). */
GND_API gnd_status gnd_recording_set_i64(gnd_recording *r, int i, int64_t v);
/* Copies nbytes, all that input i has, from the host in C order to the memory of the input; src may change
 * afterwards. A step. Errors as of gnd_recording_set; GND_ERR_SHAPE when nbytes is another number. */
GND_API gnd_status gnd_recording_write(gnd_recording *r, int i, const void *src, size_t nbytes);

/* Sets input i, of the same dtype and shape, to output o as the last replay left it: what
 * gnd_recording_set(r, i, gnd_recording_get(r, o)) does, without an array between and without a wait. So a
 * step is repeated: gnd_replay(r), gnd_recording_feed(r, 0, 0), gnd_replay(r) ... An output with memory of its own
 * that is as large as the input's, and an input as output, are not copied: memory changes places, and so do two or
 * three buffers that rotate. Other outputs (views; results that share memory) are copied. An output that is an
 * input, or a view of one, is what that input holds now. A step. GND_ERR_NULL, GND_ERR_STATE (the device was
 * closed), GND_ERR_ARG (no such output or input), GND_ERR_DTYPE, GND_ERR_SHAPE. */
GND_API gnd_status gnd_recording_feed(gnd_recording *r, int o, int i);
/* n of them at once: input i[k] gets what output o[k] is before any of these inputs changes. With inputs as outputs
 * that makes a difference: two inputs can so change places. NULL lists when n is 0. Errors as above. */
GND_API gnd_status gnd_recording_feed_all(gnd_recording *r, int n, const int *o, const int *i);

/* Does the work once more, behind what the device was given before; does not wait, but where a step is the
 * host's (LAPACK). What only the device can find (indices out of range) is an error of the next
 * gnd_recording_get, _read or _wait. After an error outputs may be those of this replay, of the one before, or
 * in between. A step. GND_ERR_NULL, GND_ERR_STATE (the device was closed), GND_ERR_LINALG (a decomposition that does
 * not exist), GND_ERR_DEVMEM, GND_ERR_NOMEM, the error of a recording that could not be made. */
GND_API gnd_status gnd_replay(gnd_recording *r);

/* What output o (from 0) is after the last replay, as an array with elements of its own, which later
 * replays do not change. Before the first replay the elements are undefined. Waits where the recording has
 * indices to check. GND_ERR_NULL, GND_ERR_ARG (no such output), GND_ERR_INDEX (an index was out of range
 * in a replay since the last look; said once), GND_ERR_STATE (the device was closed), GND_ERR_DEVMEM, the error of a
 * step. */
GND_API gnd_array *gnd_recording_get(gnd_recording *r, int o);
/* Copies nbytes, all that output o has, in C order to dst. Errors as of gnd_recording_get; GND_ERR_SHAPE
 * when nbytes is another number. */
GND_API gnd_status gnd_recording_read(gnd_recording *r, int o, void *dst, size_t nbytes);
/* Waits until the replays are done, and says whether they went well: GND_ERR_INDEX, GND_ERR_NULL,
 * GND_ERR_STATE (the device was closed), the error of a step, or what the device reports. */
GND_API gnd_status gnd_recording_wait(gnd_recording *r);

#ifdef __cplusplus
}
#endif
#endif
