/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/array.h - array handles: ownership and scopes, errors, properties, evaluation, printing.
 */
#ifndef GND_ARRAY_H
#define GND_ARRAY_H

#include <gnd/types.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- ownership ------------------------------------------------------------------------------- */

/* Opens a scope on the calling thread. Arrays that the thread makes from now on belong to it.
 * Scopes nest. */
GND_API void gnd_scope_begin(void);
/* Closes the innermost scope of the calling thread and releases every array made in it, except
 * those passed to gnd_keep. GND_ERR_STATE: no scope is open. */
GND_API gnd_status gnd_scope_end(void);
/* Moves x from its scope to the enclosing scope. If there is no enclosing scope, the caller owns x
 * and must release it. Returns x. */
GND_API gnd_array *gnd_keep(gnd_array *x);
/* Adds one owner of x. Each owner calls gnd_release once. Returns x. */
GND_API gnd_array *gnd_retain(gnd_array *x);
/* Removes one owner of x; the last owner frees it. Nodes that other arrays still need stay alive.
 * An array that belongs to a scope is released by that scope; calling gnd_release on it removes it
 * from the scope. NULL is ignored. A released array must not be used again. Every function detects
 * this and reports GND_ERR_STATE ("add: x1 is a released array"). Query functions
 * answer as they do for an error array. An extra gnd_release only writes a line to the log.
 * Detection fails in one case: exactly 15 other arrays (or 30, 45, ...) have used the same memory
 * since. A library built with ./configure --enable-sanitizers delays the reuse of memory. */
GND_API void gnd_release(gnd_array *x);
/* Stores value in *var and releases the previous *var. Use it for x = f(x) in a loop, so that
 * memory does not grow. Takes over the ownership of value from the caller or the scope. Returns
 * value. */
GND_API gnd_array *gnd_assign(gnd_array **var, gnd_array *value);

/* Shifts a history of n values: var[0] becomes value, var[1] the old var[0], and so on. The old
 * var[n - 1] is released. Example: `gnd_rotate(2, u, next)`, where u[0] is the current step and
 * u[1] the previous one. Takes over the ownership of value. Returns value. GND_ERR_NULL,
 * GND_ERR_ARG (n < 1): nothing is changed. */
GND_API gnd_array *gnd_rotate(int n, gnd_array **var, gnd_array *value);

/* --- errors ---------------------------------------------------------------------------------- */

/* The status of x: GND_OK, or the error that x holds; GND_ERR_NULL for NULL. Evaluates nothing. An
 * error that only the device can detect is reported by gnd_read or gnd_wait, and by this function
 * afterwards. */
GND_API gnd_status gnd_status_of(const gnd_array *x);
/* The error message of x, such as "matmul: shapes (3, 4) and (5, 6): 4 != 5"; "" if x holds no
 * error. Owned by x. */
GND_API const char *gnd_error(const gnd_array *x);
/* The message of the last call on this thread that returned a failing status (gnd_read, gnd_svd,
 * gnd_save_npy ...). "" before the first failure. Valid until the next failure. Functions that
 * query a status do not set it: use gnd_error with gnd_status_of, gnd_device_error with
 * gnd_device_status, and gnd_recording_error with gnd_recording_status. */
GND_API const char *gnd_message(void);
/* Makes an array that holds an error, for user functions that return arrays. fmt is a printf
 * format. */
GND_API gnd_array *gnd_fail(gnd_status code, const char *fmt, ...) GND_PRINTF(2, 3);

/* Collects the first error of several calls. Initialize it to zeros. Later errors do not replace
 * the first. */
typedef struct gnd_first_error {
    gnd_status status; /* GND_OK: no error so far */
    char message[576]; /* its message, or "" */
} gnd_first_error;
/* If *first holds no error and st is one, stores st and gnd_message() in *first. st is the result
 * of the preceding call. Returns st.
 *     gnd_first_error first = { 0 };
 *     gnd_try(&first, gnd_read(x, data, sizeof data));
 *     gnd_try(&first, gnd_save_npy(y, "y.npy"));
 *     if (first.status) ...
 */
GND_API gnd_status gnd_try(gnd_first_error *first, gnd_status st);
/* Does the same with the error that x holds, if any. Returns x. */
GND_API gnd_array *gnd_try_array(gnd_first_error *first, gnd_array *x);

/* --- names and source locations, for messages ------------------------------------------------ */

/* Gives x a name of at most 63 bytes. The name appears in error messages ("add: shapes (3, 4) and
 * (5,) do not broadcast ... (x2 is 'velocity')"), in gnd_explain, in traces and in the list of
 * arrays that were not released. NULL or "" removes the name. Names need not be unique. They do not
 * affect results, and arrays computed from x do not inherit them. Returns x. GND_ERR_NULL,
 * GND_ERR_STATE. */
GND_API gnd_array *gnd_name(gnd_array *x, const char *name);
/* The name of x, or "". Owned by x. */
GND_API const char *gnd_name_of(const gnd_array *x);
/* Sets the source location of the calling thread until the next call. Error messages end with it
 * ("... [heat.c:42]"), and arrays remember the location where they were made. file is not copied.
 * file NULL clears the location. A source file that defines GND_WHERE before it includes gnd.h
 * calls this function before each call of the library (gnd/where.h). */
GND_API void gnd_here(const char *file, int line);
/* The source location where x was made: returns the file and sets *line (line may be NULL). NULL
 * and 0 if it was not recorded. */
GND_API const char *gnd_made_at(const gnd_array *x, int *line);

/* --- properties ------------------------------------------------------------------------------ */

/* The dtype of x. GND_DTYPE_DEFAULT if x is NULL or holds an error. */
GND_API gnd_dtype gnd_dtype_of(const gnd_array *x);
/* The number of dimensions of x. 0 if x is NULL or holds an error. */
GND_API int gnd_ndim(const gnd_array *x);
/* The gnd_ndim(x) extents of x, owned by x. Never NULL. */
GND_API const int64_t *gnd_shape(const gnd_array *x);
/* The extent of one axis; negative axes count from the end. -1 if there is no such axis. */
GND_API int64_t gnd_dim(const gnd_array *x, int axis);
/* The number of elements of x. */
GND_API int64_t gnd_size(const gnd_array *x);
/* The size of x in bytes, as gnd_read writes it. */
GND_API size_t gnd_nbytes(const gnd_array *x);
/* The device of x. NULL for a weak scalar, which belongs to no device. */
GND_API gnd_device *gnd_device_of(const gnd_array *x);
/* 1 for a weak scalar: gnd_real and the like, and results computed from weak scalars only. */
GND_API int gnd_is_weak(const gnd_array *x);

/* --- evaluation ------------------------------------------------------------------------------ */

/* Evaluates x, waits, and copies its elements to dst in C order. nbytes must equal gnd_nbytes(x)
 * (GND_ERR_SHAPE). Also returns any error of the computation. */
GND_API gnd_status gnd_read(gnd_array *x, void *dst, size_t nbytes);
/* The value of an array of one element as a double. 64-bit ints are rounded to the nearest double.
 * GND_ERR_DTYPE: a complex number whose imaginary part is not 0. On failure returns NaN and sets *s
 * (s may be NULL). */
GND_API double gnd_item_f64(gnd_array *x, gnd_status *s);
/* The value of an array of one element as an int. Fractions are truncated, as by Python's int().
 * GND_ERR_OVERFLOW: the value does not fit, or is NaN. On failure returns 0 and sets *s (s may be
 * NULL). */
GND_API int64_t gnd_item_i64(gnd_array *x, gnd_status *s);
/* Same as gnd_item_i64, for ints from 0 to 2^64 - 1. */
GND_API uint64_t gnd_item_u64(gnd_array *x, gnd_status *s);
/* Stores the value of an array of one element in z as a complex number, z[0] + z[1] i. On failure
 * both are NaN. GND_ERR_NULL: z is NULL. */
GND_API gnd_status gnd_item_c128(gnd_array *x, double z[2]);
/* Evaluates n arrays in one plan. Starts the work and does not wait for the device. */
GND_API gnd_status gnd_eval_all(int n, gnd_array *const *x);
/* Evaluates x and waits until it is computed. */
GND_API gnd_status gnd_wait(gnd_array *x);
/* A copy of x on another device. Returns x itself if it is already there. */
GND_API gnd_array *gnd_to_device(gnd_array *x, gnd_device *dev);

/* --- text ------------------------------------------------------------------------------------ */

/* Prints x as NumPy's print does, followed by a line feed. On failure gnd_message has the
 * message. */
GND_API gnd_status gnd_print(gnd_array *x, FILE *out);
/* The text of gnd_print without the line feed. Allocated by malloc; the caller calls free(). On
 * failure returns NULL and sets *s (s may be NULL) and gnd_message. */
GND_API char *gnd_to_string(gnd_array *x, gnd_status *s);

enum { GND_EXPLAIN_SOURCE = 1 };
/* The plan that would evaluate n arrays, as text. It has a line `kernel K: ...` for each kernel,
 * followed by indented lines with the fused operations and the bytes read and written. It has a
 * line `call K: ...` for each library call. The last line is `K kernels, L calls, R bytes read, W
 * bytes written, P bytes peak`. With GND_EXPLAIN_SOURCE it also has the source of each kernel.
 * Evaluates nothing. Allocated by malloc; the caller calls free(). On failure returns NULL and sets
 * *s (s may be NULL). */
GND_API char *gnd_explain(int n, gnd_array *const *x, unsigned flags, gnd_status *s);

#ifdef __cplusplus
}
#endif
#endif
