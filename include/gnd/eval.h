/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/eval.h - the expression language: NumPy's syntax on the same graph, with the same fusion.
 */
#ifndef GND_EVAL_H
#define GND_EVAL_H

#include <gnd/call.h>
#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Evaluates text and returns the value of its last statement. text is followed by pairs of a name
 * (const char *) and its array (gnd_array *), and then NULL:
 *     gnd_eval(dev, "exp(-0.5*((x-m)/s)**2) / (s*sqrt(2*pi))", "x", x, "m", m, "s", s, NULL);
 * dev is the device of arrays that the text itself makes (zeros, arange); NULL: the device of the
 * first array. Statements are separated by ';' or line ends. `name = expression` assigns.
 * `name[index] = value` (or += and so on) binds the name to a new array with these elements
 * changed; the caller's array and other names for it keep their values. Errors: GND_ERR_SYNTAX,
 * GND_ERR_NAME, and those of the called functions. The second line of the message is the line of
 * the text; the third has a caret under the place. */
GND_API gnd_array *gnd_eval(gnd_device *dev, const char *text, ...) GND_SENTINEL;
/* Same as gnd_eval, with n names and arrays in lists. */
GND_API gnd_array *gnd_eval_names(gnd_device *dev, const char *text, int n,
                                  const char *const *names, gnd_array *const *values);

/* --- arrays of another library ---------------------------------------------------------------- */

/* Values whose tag is GND_V_OBJECT or larger are arrays of another library ("objects"). gnd does
 * not access their contents. */
enum { GND_V_OBJECT = 64 };

/* The functions of another library on its arrays, such as the distributed arrays of libgnd-mpi
 * (gndm_eval). Each function gets arg as its first argument. If a function returns an error,
 * `message` returns its message. */
typedef struct gnd_eval_objects {
    const char *noun; /* what an object is called in messages: "a distributed array" */
    gnd_device *dev;  /* the device of arrays that are made from lists */
    void *arg;
    /* Calls a function by name. Operators have the names of functions ("add", "matmul"). Values are
     * borrowed; at least one is an object, or makes() is true for the function. *out is an object,
     * a number, None, an array of dev, or a tuple of these. The language owns it and clears it. */
    gnd_status (*call)(void *arg, const char *name, int n, const gnd_value *values, int nkw,
                       const char *const *keywords, gnd_value *out);
    /* Whether the function returns an object although no argument is one ("arange"). */
    int (*makes)(void *arg, const char *name);
    /* Indexes x with n entries: ints, slices, None, an ellipsis, arrays, lists or objects. */
    gnd_status (*index)(void *arg, const gnd_value *x, int n, const gnd_value *idx, gnd_value *out);
    /* Stores the dtype, the number of dimensions and the shape of x. shape has room for
     * GND_MAX_NDIM extents. */
    gnd_status (*describe)(void *arg, const gnd_value *x, gnd_dtype *t, int *ndim, int64_t *shape);
    /* Releases a result of call or index. */
    void (*clear)(void *arg, gnd_value *x);
    const char *(*message)(void *arg);
} gnd_eval_objects;

/* Same as gnd_eval_names, with n named values that may be objects. Functions and operators with an
 * object among their arguments are called through `of`. *out is an object, which the caller
 * releases by of->clear; or an array of of->dev or a weak scalar, which the caller releases by
 * gnd_value_clear. On failure *out is None, and gnd_message has the message. Assignment to elements
 * of objects and default_rng are not supported. Errors: those of gnd_eval, and those of the
 * functions of `of`. */
GND_API gnd_status gnd_eval_values(const gnd_eval_objects *of, const char *text, int n,
                                   const char *const *names, const gnd_value *values,
                                   gnd_value *out);

#ifdef __cplusplus
}
#endif
#endif
