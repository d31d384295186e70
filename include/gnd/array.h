/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/array.h - arrays as handles: owners and scopes, errors, what they are, reading, plans.
 */
#ifndef GND_ARRAY_H
#define GND_ARRAY_H

#include <gnd/types.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- owners ---------------------------------------------------------------------------------- */

/* Begins a scope of the calling thread: arrays made from now on belong to it. Scopes nest. */
GND_API void gnd_scope_begin(void);
/* Releases every array made in the innermost scope, unless kept. GND_ERR_STATE without a scope. */
GND_API gnd_status gnd_scope_end(void);
/* Moves x from its scope to the enclosing one, or to the caller, who then releases it, when there is
 * none. Returns x. */
GND_API gnd_array *gnd_keep(gnd_array *x);
/* One more owner of x, who calls gnd_release. Returns x. */
GND_API gnd_array *gnd_retain(gnd_array *x);
/* One owner less; the last one frees x. What the graph still needs stays alive by itself. An array
 * that belongs to a scope is released by the scope: releasing it by hand takes it out of the scope.
 * NULL is fine. An array that is gone must not be used any more. Where that is noticed it is GND_ERR_STATE ("add:
 * x1 is no array any more: it was released"), and a release too many does nothing but a line in the log; each one
 * is noticed by a library that was built with ./configure --enable-sanitizers. */
GND_API void gnd_release(gnd_array *x);
/* Puts value into *var and releases what was there: x = f(x) in a loop that must not grow. Takes
 * over the caller's (or the scope's) ownership of value. Returns value. */
GND_API gnd_array *gnd_assign(gnd_array **var, gnd_array *value);

/* --- errors ---------------------------------------------------------------------------------- */

/* The status that x holds: GND_OK, or its error; GND_ERR_NULL for NULL. Evaluates nothing: an error
 * that only the device can find arrives with gnd_read or gnd_wait, and from then on here. */
GND_API gnd_status gnd_status_of(const gnd_array *x);
/* The message: "matmul: shapes (3, 4) and (5, 6): 4 != 5"; "" when there is none. Owned by x. */
GND_API const char *gnd_error(const gnd_array *x);
/* The message of the calling thread's last call that failed and returned a status (gnd_read, gnd_svd,
 * gnd_save_npy ...): the text that goes with that status. "" before any. Valid until the next one. Questions for
 * a status are no such calls: what gnd_status_of, gnd_device_status and gnd_recording_status tell has its text in
 * gnd_error, gnd_device_error and gnd_recording_error. */
GND_API const char *gnd_message(void);
/* An array that holds an error, for functions of yours that return arrays. Formats as printf. */
GND_API gnd_array *gnd_fail(gnd_status code, const char *fmt, ...) GND_PRINTF(2, 3);

/* --- what an array is ------------------------------------------------------------------------ */

/* For an array that holds an error, and NULL: GND_DTYPE_DEFAULT, 0 dimensions, size 0, no device. */
GND_API gnd_dtype gnd_dtype_of(const gnd_array *x);
GND_API int gnd_ndim(const gnd_array *x);
/* gnd_ndim(x) extents, owned by x; never NULL. */
GND_API const int64_t *gnd_shape(const gnd_array *x);
/* The extent of one axis (negative ones count from the end); -1 when there is no such axis. */
GND_API int64_t gnd_dim(const gnd_array *x, int axis);
/* Number of elements. */
GND_API int64_t gnd_size(const gnd_array *x);
/* Bytes that gnd_read gives. */
GND_API size_t gnd_nbytes(const gnd_array *x);
/* NULL for a scalar, which belongs to no device. */
GND_API gnd_device *gnd_device_of(const gnd_array *x);
/* 1 for a weak scalar (gnd_real ... and what is computed from those alone). */
GND_API int gnd_is_weak(const gnd_array *x);

/* --- evaluation ------------------------------------------------------------------------------ */

/* Evaluates x, waits, and writes its elements in C order to dst, which has room for nbytes bytes:
 * exactly gnd_nbytes(x), else GND_ERR_SHAPE. All errors that the computation can have. */
GND_API gnd_status gnd_read(gnd_array *x, void *dst, size_t nbytes);
/* The value of an array of one element, converted. On failure 0 (NaN) and *s tells, if not NULL. */
GND_API double gnd_item_f64(gnd_array *x, gnd_status *s);
GND_API int64_t gnd_item_i64(gnd_array *x, gnd_status *s);
/* Starts the evaluation of n arrays as one plan, without waiting for the device. */
GND_API gnd_status gnd_eval_all(int n, gnd_array *const *x);
/* Evaluates x and waits for it. */
GND_API gnd_status gnd_wait(gnd_array *x);
/* A copy of x on another device (x itself when it is there already). */
GND_API gnd_array *gnd_to_device(gnd_array *x, gnd_device *dev);

/* --- text ------------------------------------------------------------------------------------ */

/* Prints x as NumPy's print does, and a line feed. Of a failure gnd_message has the text. */
GND_API gnd_status gnd_print(gnd_array *x, FILE *out);
/* The same text, without the line feed, malloc'ed: the caller frees it with free(). NULL on failure, which *s (may be
 * NULL) and gnd_message tell. */
GND_API char *gnd_to_string(gnd_array *x, gnd_status *s);

enum { GND_EXPLAIN_SOURCE = 1 };
/* The plan by which n arrays would be evaluated now, as text: a line `kernel K: ...` for each kernel
 * and under it, indented, what it fuses and the bytes it reads and writes; a line `call K: ...` for
 * each library call; last `K kernels, L calls, R bytes read, W bytes written, P bytes peak`. With
 * GND_EXPLAIN_SOURCE also each kernel's text. Evaluates nothing. malloc'ed: free() it. On failure
 * NULL, and *s tells, if not NULL. */
GND_API char *gnd_explain(int n, gnd_array *const *x, unsigned flags, gnd_status *s);

#ifdef __cplusplus
}
#endif
#endif
