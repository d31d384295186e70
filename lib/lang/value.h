/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/value.h - the values of expressions: Python's numbers, arrays, tuples and lists, and values
 * that are only arguments (None, ..., slices, dtypes, strings). Copies share their contents by
 * reference counts. Numbers stay numbers until they are combined with an array; then they become
 * weak scalars.
 */
#ifndef GND_LANG_VALUE_H
#define GND_LANG_VALUE_H

#include <gnd/eval.h>
#include <gnd/random.h>
#include <gnd/types.h>

typedef enum gnd__vkind {
    GND__V_MISSING, /* an argument that was not given */
    GND__V_NONE,
    GND__V_ELLIPSIS,
    GND__V_BOOL,
    GND__V_INT,
    GND__V_UINT,
    GND__V_FLOAT,
    GND__V_COMPLEX, /* BOOL, INT, UINT, FLOAT, COMPLEX: in the order of Python's numeric tower */
    GND__V_STR,
    GND__V_DTYPE,
    GND__V_SLICE,
    GND__V_ARRAY,
    GND__V_TUPLE,
    GND__V_LIST,
    GND__V_RECORD, /* the result of finfo or iinfo: values with names */
    GND__V_RNG,    /* the result of default_rng */
    GND__V_OBJECT  /* an array of another library (object.c) */
} gnd__vkind;

/* A shared array: own is 1 when the last reference releases it. */
typedef struct gnd__held {
    int refs, own;
    gnd_array *a;
} gnd__held;

/* A shared generator: all names of it draw from the same sequence. */
typedef struct gnd__gen {
    int refs;
    gnd_rng g;
} gnd__gen;

/* A shared array of another library: own is 1 when the last reference clears it. */
typedef struct gnd__object {
    int refs, own;
    const gnd_eval_objects *of;
    gnd_value v;
} gnd__object;

struct gnd__seq;

typedef struct gnd__val {
    int kind;   /* gnd__vkind */
    int python; /* 1 for the dtypes float, int, bool and complex, which depend on the device */
    union {
        int64_t i; /* BOOL, INT; UINT: the bits of an int from 2^63 on */
        struct {
            double re, im;
        } z; /* FLOAT: re only; COMPLEX */
        struct {
            const char *s;
            size_t n;
        } str;
        gnd_dtype t;
        gnd__held *held;
        gnd__gen *gen;
        gnd__object *object;
        struct gnd__seq *seq; /* TUPLE, LIST, SLICE (3 items), RECORD */
    };
} gnd__val;

typedef struct gnd__seq {
    int refs, depth;   /* depth: levels of nested sequences, including this one */
    int64_t n, leaves; /* leaves: items that are not sequences, at any depth */
    /* the names of the items as attributes, "bits eps max", for TUPLE and RECORD; or NULL */
    const char *fields;
    gnd__val item[];
} gnd__seq;

struct gnd__expr;

/* Adds a reference to the contents of v; returns *v. */
gnd__val gnd__val_ref(const gnd__val *v);
/* Drops v's reference; v becomes GND__V_MISSING. */
void gnd__val_drop(gnd__val *v);
/* The kind of v for messages: "a tuple", "an int". */
const char *gnd__val_name(const gnd__val *v);
static inline int gnd__val_is_number(const gnd__val *v)
{
    return v->kind >= GND__V_BOOL && v->kind <= GND__V_COMPLEX;
}
/* The value of an int, bool or float. */
static inline double gnd__val_real(const gnd__val *v)
{
    return v->kind == GND__V_UINT  ? (double)(uint64_t)v->i
           : v->kind <= GND__V_INT ? (double)v->i
                                   : v->z.re;
}
static inline int gnd__val_is_seq(const gnd__val *v)
{
    return v->kind == GND__V_TUPLE || v->kind == GND__V_LIST;
}
gnd__val gnd__val_int(int64_t i);
gnd__val gnd__val_uint(uint64_t u); /* UINT, or INT if the value fits */
gnd__val gnd__val_bool(int b);
gnd__val gnd__val_float(double d);
gnd__val gnd__val_complex(double re, double im);

/* The other functions return 0, or -1 with x->err set. at: the position for the error. */

/* *v = a tuple, list or slice of n items, which are moved out of item. */
int gnd__val_seq(struct gnd__expr *x, gnd__val *v, int kind, gnd__val *item, int64_t n, size_t at);
/* The same with names of the items, for a record or a named tuple. fields is a constant. */
int gnd__val_named(struct gnd__expr *x, gnd__val *v, int kind, const char *fields, gnd__val *item,
                   int64_t n, size_t at);
/* Stores the item of v with that name in *item, as a new reference. Returns 1, or 0 if there is
 * none. */
int gnd__val_field(const gnd__val *v, const char *name, size_t n, gnd__val *item);
/* *v = the array a; takes ownership of its handle. An error in a becomes x->err; a weak scalar
 * becomes a number. */
int gnd__val_array(struct gnd__expr *x, gnd__val *v, gnd_array *a, size_t at);
/* *v = the array a (for a weak scalar: its number). The caller keeps its handle. */
int gnd__val_borrow(struct gnd__expr *x, gnd__val *v, gnd_array *a);
/* Whether a, which is not NULL, is the handle of a released array. */
int gnd__is_released(const gnd_array *a);
/* A new handle for the same value. */
gnd_array *gnd__again(gnd_array *a);
/* Converts v to an array in place: numbers to weak scalars, lists and tuples to arrays of the
 * device. Returns the array, which v owns; NULL on failure. what: "sum: x", for the message. */
gnd_array *gnd__val_to_array(struct gnd__expr *x, gnd__val *v, size_t at, const char *what);
/* Converts v to an int. v may be an int, a bool, or an integer array of one element, which is
 * evaluated. Returns 1 without an error if it is none of these. */
int gnd__val_to_int(struct gnd__expr *x, const gnd__val *v, size_t at, int64_t *i);

/* Python's arithmetic on numbers (number.c); op is a gnd__tok. */
int gnd__num_unary(struct gnd__expr *x, int op, gnd__val *a, size_t at);
int gnd__num_binary(struct gnd__expr *x, int op, gnd__val *a, const gnd__val *b, size_t at);

#endif
