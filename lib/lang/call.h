/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/call.h - calling functions by name: the table's entries, and the interface of a handler. A
 * handler reads its arguments by their position in the signature with gnd__arg_*, which report
 * errors, and returns its result in *out with gnd__ret.
 */
#ifndef GND_LANG_CALL_H
#define GND_LANG_CALL_H

#include <gnd/call.h>
#include "lang/expr.h"

enum { GND__FN_PARAMS = 8 };

typedef struct gnd__args gnd__args;

/* One entry of funcs.def. names: separated by blanks; messages and listings use the first. params:
 * the signature in Python's form, with "x|a" for two names of one parameter, "*arrays" for any
 * number of values, and "*" before keyword-only parameters. calls: the C functions that do the
 * work, separated by blanks; may be empty. */
typedef struct gnd__fn {
    const char *names, *params, *calls, *doc;
    uint8_t where, group; /* GND__FN_*, GND__GROUP_* */
    int (*run)(gnd__args *);
} gnd__fn;

/* The module of Python's libraries that has a function. EXTENSIONS: NumPy, numpy.linalg,
 * scipy.special and so on do not have it. */
enum {
    GND__GROUP_MAIN,
    GND__GROUP_LINALG,
    GND__GROUP_FFT,
    GND__GROUP_RANDOM,
    GND__GROUP_SPECIAL,
    GND__GROUP_SIGNAL,
    GND__GROUP_EXTENSIONS
};

/* A function only; a method only; or both. A method's first parameter is the array. */
enum { GND__FN_F = 1, GND__FN_M = 2, GND__FN_FM = 3 };

/* A parameter of a signature. */
typedef struct gnd__param {
    uint16_t at, n; /* place and length of its names, "x|a", in the signature */
    uint8_t required, rest, keyword_only;
} gnd__param;

typedef struct gnd__sig {
    int n;
    gnd__param p[GND__FN_PARAMS];
} gnd__sig;

/* What a name in a call stands for: an entry of funcs.def, an elementwise operation, or a dtype.
 * Every name has its own gnd_function, and a method's differs from that of the function of the same
 * name. gnd/call.h exposes it as an opaque handle. */
struct gnd_function {
    char name[34];
    uint8_t method, python;   /* python: a dtype of Python, whose width depends on the device */
    int16_t entry, op, dtype; /* one is not -1: index in funcs.def, gnd__op, or gnd_dtype */
    const gnd__fn *fn;        /* the entry, or NULL */
    const gnd__sig *sig;
};

struct gnd__args {
    gnd__expr *x;
    const char *name; /* the function's name, for messages */
    size_t at;
    gnd__slot arg[GND__FN_PARAMS]; /* GND__V_MISSING: not given */
    const char *param[GND__FN_PARAMS];
    gnd__slot *rest; /* the values of a "*" parameter */
    int nrest;
    gnd__val *out;
};

/* Calls the function of that name with n values, in order; if method is set, the method of the
 * first value. */
int gnd__call(gnd__expr *x, const char *name, size_t len, size_t at, int method, gnd__slot *arg,
              int n, gnd__val *out);
/* The same for a function that was already looked up. Values are moved out of arg. */
int gnd__call_function(gnd__expr *x, const gnd_function *f, size_t at, gnd__slot *arg, int n,
                       gnd__val *out);
/* Looks a name up (lookup.c). NULL: there is no such function or method. */
const gnd_function *gnd__function(const char *name, size_t len, int method);
/* Function i, in the order of the tables. Every name has one; functions and methods are separate.
 * NULL at the end. */
const gnd_function *gnd__function_at(int i);
/* The i-th function when synonyms are left out, and a method that is also a function. NULL at the
 * end. */
const gnd_function *gnd__function_first(int i);
/* Entry i of funcs.def, NULL at the end. */
const gnd__fn *gnd__fn_entry(int i);
/* The length of the default value at s, up to the comma after it: "None, axis", "(-2, -1),
 * norm". */
size_t gnd__sig_default(const char *s);
/* Parses a signature. */
void gnd__sig_parse(const char *params, gnd__sig *s);
/* The signature of f in Python's form, "sum(x, axis=None)", cut to size bytes. Returns buf. */
const char *gnd__sig_show(const gnd_function *f, char *buf, size_t size);

/* --- arguments: each returns 0, or -1 with the error set (arrays: NULL) ----------------------- */
static inline int gnd__arg_given(const gnd__args *c, int i)
{
    return c->arg[i].v.kind != GND__V_MISSING && c->arg[i].v.kind != GND__V_NONE;
}
/* Reports an argument of the wrong kind: "sum: axis must be WANT, not 'up'", GND_ERR_TYPE. Returns
 * -1. */
int gnd__arg_wrong(gnd__args *c, int i, const char *want);
/* The same for an invalid value of the right kind: GND_ERR_ARG. */
int gnd__arg_value(gnd__args *c, int i, const char *want);
/* Reads a string that must be one of words ("full same valid"). Returns its index from 0; `missing`
 * if the argument is None or not given; -1 on an error. */
int gnd__arg_word(gnd__args *c, int i, const char *words, int missing);
/* The argument as an array; a number becomes a weak scalar. The argument owns the array. */
gnd_array *gnd__arg_array(gnd__args *c, int i);
/* The same, but a number becomes a 0-d array of the device. */
gnd_array *gnd__arg_strong(gnd__args *c, int i);
gnd_array *gnd__slot_strong(gnd__args *c, gnd__slot *s, const char *param);
/* The argument as a weak scalar, for parameters that accept nothing else. An array of one element
 * is read. */
gnd_array *gnd__arg_scalar(gnd__args *c, int i);
/* If argument i is an array of at least ndim dimensions, replaces it by the tuple of its parts
 * along axis 0. */
int gnd__arg_parts(gnd__args *c, int i, int ndim);
/* The n arrays of a list or tuple, or the parts of one array along axis 0. The caller frees the
 * block with gnd__free, but does not own the arrays. */
gnd_array **gnd__arg_arrays(gnd__args *c, int i, int *n);
/* The same for the values of the "*" parameter. */
gnd_array **gnd__rest_arrays(gnd__args *c, int *n);
int gnd__arg_int(gnd__args *c, int i, int64_t *v);
int gnd__arg_bool(gnd__args *c, int i, int *v);
/* copy=: True, False, None or not given have the same effect, because arrays are values. */
int gnd__arg_copy(gnd__args *c, int i);
/* order=: 'C', 'F', 'A' or 'K' have the same effect, because arrays have no order. Python's package
 * remembers it. */
int gnd__arg_order(gnd__args *c, int i);
int gnd__arg_real(gnd__args *c, int i, double *v);
int gnd__arg_axis(gnd__args *c, int i, int *axis);
/* None or not given: GND_DTYPE_DEFAULT. */
int gnd__arg_dtype(gnd__args *c, int i, gnd_dtype *t);
/* None or not given: GND_ALL. () is the empty set. */
int gnd__arg_axes(gnd__args *c, int i, gnd_axes *axes);
/* The common arguments of reductions: returns x (argument 0) and sets *axes (argument 1) and *flags
 * (keepdims is the index of that argument). */
gnd_array *gnd__arg_reduced(gnd__args *c, int keepdims, gnd_axes *axes, unsigned *flags);
/* The number of values in argument i: of elements of an array, of items of a tuple or list; 1 for
 * anything else. */
int64_t gnd__arg_length(const gnd__args *c, int i);
/* Reads an int, or up to max ints from a tuple, a list or a 1-d integer array (which is
 * evaluated). */
int gnd__arg_ints(gnd__args *c, int i, int64_t *v, int max, int *n);
/* The same for any value. Returns 1 without an error if it is none of these. */
int gnd__slot_ints(gnd__args *c, gnd__slot *s, int64_t *v, int max, int *n);
/* Reads the values of the "*" parameter as ints: reshape(2, 3) or reshape((2, 3)). */
int gnd__rest_ints(gnd__args *c, int64_t *v, int max, int *n);
/* The device of new arrays; an error if there is none. */
int gnd__arg_device(gnd__args *c, gnd_device **dev);

/* --- results ---------------------------------------------------------------------------------- */
/* Returns the array a and takes ownership of its handle. */
int gnd__ret(gnd__args *c, gnd_array *a);
/* Return f(x) for x = argument 0. gnd__ret_int also passes argument 1 as an int, 0 if not given;
 * gnd__ret_axes passes it as a set of axes. */
int gnd__ret_of(gnd__args *c, gnd_array *(*f)(gnd_array *));
int gnd__ret_int(gnd__args *c, gnd_array *(*f)(gnd_array *, int64_t));
int gnd__ret_axes(gnd__args *c, gnd_array *(*f)(gnd_array *, gnd_axes));
/* Returns a tuple of n arrays and takes ownership of their handles. status: the result of the call
 * that made them. */
int gnd__ret_tuple(gnd__args *c, gnd_array **a, int n, gnd_status status);
/* Applies the elementwise operation of that name to n arrays. The caller keeps the arrays. */
gnd_array *gnd__apply(const char *op, int n, gnd_array *const *a);

/* --- values of gnd/call.h (call_api.c): 0, or -1 with the error set --------------------------- */
/* *out = v; the caller clears it with gnd_value_clear. The caller still drops v, from which an
 * array may have been moved. Objects stay owned by v. */
int gnd__value_give(gnd__expr *x, gnd__val *v, gnd_value *out);
/* *out = v. Strings, arrays and objects stay owned by the caller. */
int gnd__value_take(gnd__expr *x, const gnd_value *v, gnd__val *out);

#define FN(names, params, where, run, group, calls, doc) int gnd__fn_##run(gnd__args *c);
#include "lang/funcs.def"
#undef FN

#endif
