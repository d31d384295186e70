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
 * NULL is fine. An array that is gone must not be used any more. Every function notices that: it is GND_ERR_STATE
 * ("add: x1 is no array any more: it was released"), questions answer as for an error, and a release too many does
 * nothing but a line in the log. Not noticed is a handle that was released so long ago that exactly 15 other arrays (or
 * 30, 45 ...) have had its memory since; a library that was built with ./configure --enable-sanitizers gives memory to
 * other arrays later. */
GND_API void gnd_release(gnd_array *x);
/* Puts value into *var and releases what was there: x = f(x) in a loop that must not grow. Takes
 * over the caller's (or the scope's) ownership of value. Returns value. */
GND_API gnd_array *gnd_assign(gnd_array **var, gnd_array *value);

/* The same for the n last values of something, the last one first: var[0] becomes value, var[1] what var[0] was and
 * so on, and what was in var[n - 1] is released: `gnd_rotate(2, u, next)` where u[0] is now and u[1] the step before.
 * GND_ERR_NULL, GND_ERR_ARG (n < 1): nothing has changed then. */
GND_API gnd_array *gnd_rotate(int n, gnd_array **var, gnd_array *value);

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

/* The first error of several calls, all 0 at first: later ones do not overwrite it. */
typedef struct gnd_first_error {
    gnd_status status;   /* GND_OK: there was none */
    char message[576];   /* that goes with it; "" */
} gnd_first_error;
/* Notes st, of the call before, in *first, with gnd_message, unless there is an error already. Returns st:
 *     gnd_first_error first = { 0 };
 *     gnd_try(&first, gnd_read(x, data, sizeof data));
 *     gnd_try(&first, gnd_save_npy(y, "y.npy"));
 *     if (first.status) ...
 */
GND_API gnd_status gnd_try(gnd_first_error *first, gnd_status st);
/* The same with the error that x holds, if any. Returns x. */
GND_API gnd_array *gnd_try_array(gnd_first_error *first, gnd_array *x);

/* --- names and places, for messages ---------------------------------------------------------- */

/* Gives x a name (at most 63 bytes), which errors, gnd_explain, traces and the list of what was not released tell
 * ("add: shapes (3, 4) and (5,) do not broadcast ... (x2 is 'velocity')"). NULL or "": it has none any more. Names need
 * not differ, and change no result; what is computed from x has none. Returns x. GND_ERR_NULL, GND_ERR_STATE. */
GND_API gnd_array *gnd_name(gnd_array *x, const char *name);
/* The name of x; "" when it has none. Owned by x. */
GND_API const char *gnd_name_of(const gnd_array *x);
/* Where the program is: errors that the calling thread meets end in that place ("... [heat.c:42]"), and arrays that
 * it makes remember it, until the next call. file is not copied; NULL: say nothing any more. A source file that
 * defines GND_WHERE before it includes gnd.h calls this before each call of the library (gnd/where.h). */
GND_API void gnd_here(const char *file, int line);
/* Where x was made: the file, and *line (may be NULL); NULL and 0 when that was not recorded. */
GND_API const char *gnd_made_at(const gnd_array *x, int *line);

/* --- what an array is ------------------------------------------------------------------------ */

/* The dtype of x. GND_DTYPE_DEFAULT for an array that holds an error, and for NULL. */
GND_API gnd_dtype gnd_dtype_of(const gnd_array *x);
/* The number of dimensions of x. 0 for an array that holds an error, and for NULL. */
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
/* The value of an array of one element. Ints of 64 bits are rounded to the nearest double. A complex number whose
 * imaginary part is not 0 is GND_ERR_DTYPE. On failure NaN, and *s tells, if not NULL. */
GND_API double gnd_item_f64(gnd_array *x, gnd_status *s);
/* The value of an array of one element as an int. A fraction is cut off, as Python's int() does. What does not fit, NaN
 * too, is GND_ERR_OVERFLOW. On failure 0. */
GND_API int64_t gnd_item_i64(gnd_array *x, gnd_status *s);
/* gnd_item_i64 for ints from 0 to 2^64 - 1. */
GND_API uint64_t gnd_item_u64(gnd_array *x, gnd_status *s);
/* The value as a complex number, z[0] + z[1] i. On failure NaN for both. GND_ERR_NULL: z is NULL. */
GND_API gnd_status gnd_item_c128(gnd_array *x, double z[2]);
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
