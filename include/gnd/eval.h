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

/* Tags of gnd_value from here on are those of another library's arrays, which gnd does not look
 * into. */
enum { GND_V_OBJECT = 64 };

/* The functions of a library whose arrays the language computes with: libgnd-mpi's distributed
 * arrays are such (gndm_eval). arg is the first argument of each function. Functions with a status
 * leave their message for `message`. */
typedef struct gnd_eval_objects {
    const char *noun; /* what one is, for messages: "a distributed array" */
    gnd_device *dev;  /* device of arrays that lists become */
    void *arg;
    /* Calls a function by name; operators have the names of functions ("add", "matmul"). Values are
     * borrowed, and some of them are objects. *out is an object, a number, None, an array of dev or
     * a tuple of such, owned by the language. */
    gnd_status (*call)(void *arg, const char *name, int n, const gnd_value *values, int nkw,
                       const char *const *keywords, gnd_value *out);
    /* Whether a function that gets no object makes one ("arange"). */
    int (*makes)(void *arg, const char *name);
    /* x[idx]: n entries, which are ints, slices, None, an ellipsis, arrays, lists or objects. */
    gnd_status (*index)(void *arg, const gnd_value *x, int n, const gnd_value *idx, gnd_value *out);
    /* What an object is. shape has GND_MAX_NDIM entries. */
    gnd_status (*describe)(void *arg, const gnd_value *x, gnd_dtype *t, int *ndim, int64_t *shape);
    /* Ends the ownership of a result of call or index. */
    void (*clear)(void *arg, gnd_value *x);
    const char *(*message)(void *arg);
} gnd_eval_objects;

/* Evaluates text as gnd_eval_names, with n values of names, some of which are objects. Functions
 * and operators that get an object are calls of `of`. *out is an object, which the caller clears,
 * or an array of of->dev or a weak scalar, for gnd_value_clear. On failure *out is None, and
 * gnd_message has the message. Elements of objects cannot be assigned, and default_rng is not
 * there. Errors: those of gnd_eval, and those of the functions of `of`. */
GND_API gnd_status gnd_eval_values(const gnd_eval_objects *of, const char *text, int n,
                                   const char *const *names, const gnd_value *values,
                                   gnd_value *out);

#ifdef __cplusplus
}
#endif
#endif
