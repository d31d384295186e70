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
 * On CUDA the kernels become a CUDA graph; elsewhere they are launched one after the other with arguments
 * that are made once. Products, transforms and decompositions of libraries are called between graphs. By OpenCL the
 * 33rd replay makes one kernel of each run of small ones, which is compiled then (0.2 to 4 s, unless it is in the
 * kernel cache) and gives the same bits: with up to 1000 elements a replay costs a fifth to an eighth from then on.
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
/* GND_OK, or why it could not be made; GND_ERR_NULL; GND_ERR_STATE when its device was closed. The text
 * belongs to the recording, "" when all is well. */
GND_API gnd_status gnd_recording_status(const gnd_recording *r);
GND_API const char *gnd_recording_error(const gnd_recording *r);
/* Waits for the device and gives everything back. NULL is fine. A recording belongs to no scope. Where the device
 * has failed, what it says of that is the result, and everything is given back all the same. */
GND_API gnd_status gnd_recording_free(gnd_recording *r);

/* Copies to the memory of input i (from 0): the elements of x, of the input's dtype and shape and on its
 * device (evaluated if need be; no wait), or nbytes, all of them, from the host in C order (src may change
 * afterwards). The next replay uses them; they stay until set again. GND_ERR_NULL, GND_ERR_STATE
 * (the device was closed; x comes from a placeholder), GND_ERR_ARG (no such input), GND_ERR_DTYPE,
 * GND_ERR_SHAPE, GND_ERR_DEVICE, and the errors of evaluating x. */
GND_API gnd_status gnd_recording_set(gnd_recording *r, int i, gnd_array *x);
GND_API gnd_status gnd_recording_write(gnd_recording *r, int i, const void *src, size_t nbytes);

/* Copies output o, as the last replay left it, to the memory of input i of the same dtype and shape: what
 * gnd_recording_set(r, i, gnd_recording_get(r, o)) does, without an array between and without a wait. So a
 * step is repeated: gnd_replay(r), gnd_recording_feed(r, 0, 0), gnd_replay(r) ... An output that is an
 * input, or a view of one, is what that input holds now. GND_ERR_NULL, GND_ERR_STATE (the device was
 * closed), GND_ERR_ARG (no such output or input), GND_ERR_DTYPE, GND_ERR_SHAPE. */
GND_API gnd_status gnd_recording_feed(gnd_recording *r, int o, int i);

/* Does the work once more, behind what the device was given before; does not wait, but where a step is the
 * host's (LAPACK). What only the device can find (indices out of range) is an error of the next
 * gnd_recording_get, _read or _wait. After an error outputs may be those of this replay, of the one before, or
 * in between. GND_ERR_NULL, GND_ERR_STATE (the device was closed), GND_ERR_LINALG (a decomposition that does
 * not exist), GND_ERR_DEVMEM, GND_ERR_NOMEM, the error of a recording that could not be made. */
GND_API gnd_status gnd_replay(gnd_recording *r);

/* What output o (from 0) is after the last replay: as an array with elements of its own, which later
 * replays do not change; or nbytes, all of them, at dst in C order. Before the first replay the elements
 * are undefined. GND_ERR_NULL, GND_ERR_ARG (no such output), GND_ERR_SHAPE (nbytes), GND_ERR_INDEX (an index
 * was out of range in a replay since the last look; said once), GND_ERR_STATE (the device was closed),
 * GND_ERR_DEVMEM. Both wait where the recording has indices to check. */
GND_API gnd_array *gnd_recording_get(gnd_recording *r, int o);
GND_API gnd_status gnd_recording_read(gnd_recording *r, int o, void *dst, size_t nbytes);
/* Waits until the replays are done, and says whether they went well: GND_ERR_INDEX, GND_ERR_NULL,
 * GND_ERR_STATE (the device was closed), or what the device reports. */
GND_API gnd_status gnd_recording_wait(gnd_recording *r);

#ifdef __cplusplus
}
#endif
#endif
