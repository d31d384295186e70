/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/call.h - calls of functions by name with tagged values, for bindings of other languages. The
 * expression language uses the same calls. Everything that gnd_eval accepts can be called here,
 * with the same names, keywords, defaults and messages.
 *
 *     gnd_value in[2] = {gnd_value_array(x), gnd_value_int(0)}, out;
 *     const char *keyword[] = {"axis"};
 *     if (gnd_call(dev, "sum", 2, in, 1, keyword, &out))
 *         puts(gnd_message());
 */
#ifndef GND_CALL_H
#define GND_CALL_H

#include <gnd/random.h>
#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- values ----------------------------------------------------------------------------------- */

/* The kind of a value. */
typedef enum gnd_tag {
    GND_V_NOTHING,  /* None */
    GND_V_ELLIPSIS, /* ... */
    GND_V_BOOL,     /* as.i: 0 or 1 */
    GND_V_INT,      /* as.i; with GND_VALUE_UNSIGNED the bits of a uint64_t */
    GND_V_FLOAT,    /* as.z.re */
    GND_V_COMPLEX,  /* as.z */
    GND_V_STRING,   /* as.text: UTF-8 bytes, not terminated by a 0 */
    GND_V_DTYPE,    /* as.dtype; with GND_VALUE_PYTHON one of Python's types float, int, bool or
                       complex: the dtype follows the device */
    GND_V_SLICE,    /* as.items: start, stop and step; each is an int or None */
    GND_V_ARRAY,    /* as.array; a weak scalar is treated as a number */
    GND_V_TUPLE,    /* as.items; the items of a result may have names: gnd_value_fields */
    GND_V_LIST,     /* as.items */
    GND_V_RECORD    /* as.items, with names; only in results */
} gnd_tag;

/* Flags in gnd_value.aux. */
#define GND_VALUE_OWNED 1u    /* a result: gnd_value_clear frees its contents */
#define GND_VALUE_UNSIGNED 2u /* an int of 2^63 or more */
#define GND_VALUE_PYTHON 4u   /* a dtype given as one of Python's types */
#define GND_VALUE_NAMED 8u    /* a result whose items have names */

struct gnd_value;

/* A complex number. */
typedef struct gnd_value_parts {
    double re, im;
} gnd_value_parts;

/* A string of n bytes. */
typedef struct gnd_value_text {
    const char *s;
    size_t n;
} gnd_value_text;

/* A list of n values. */
typedef struct gnd_value_list {
    const struct gnd_value *item;
    int64_t n;
} gnd_value_list;

/* A value. It has 24 bytes and a layout that other languages can declare. Arguments are borrowed:
 * gnd does not keep or release what they point to. Results, and everything they point to, are owned
 * by the caller, who calls gnd_value_clear. */
typedef struct gnd_value {
    uint32_t tag; /* gnd_tag */
    uint32_t aux; /* GND_VALUE_*, else 0 */
    union {
        int64_t i;
        gnd_value_parts z;
        gnd_value_text text;
        gnd_dtype dtype;
        gnd_array *array;
        gnd_value_list items;
    } as;
} gnd_value;

/* None, passed explicitly. This may differ from omitting the argument. */
static inline gnd_value gnd_value_none(void)
{
    gnd_value v = {GND_V_NOTHING, 0, {0}};
    return v;
}

/* True or False. */
static inline gnd_value gnd_value_bool(int b)
{
    gnd_value v = {GND_V_BOOL, 0, {0}};
    v.as.i = b != 0;
    return v;
}

/* An int. */
static inline gnd_value gnd_value_int(int64_t i)
{
    gnd_value v = {GND_V_INT, 0, {0}};
    v.as.i = i;
    return v;
}

/* A float. */
static inline gnd_value gnd_value_float(double d)
{
    gnd_value v = {GND_V_FLOAT, 0, {0}};
    v.as.z.re = d;
    return v;
}

/* The string s, terminated by a 0. It is not copied. */
static inline gnd_value gnd_value_string(const char *s)
{
    gnd_value v = {GND_V_STRING, 0, {0}};
    v.as.text.s = s;
    while (s[v.as.text.n])
        v.as.text.n++;
    return v;
}

/* A dtype. */
static inline gnd_value gnd_value_dtype(gnd_dtype t)
{
    gnd_value v = {GND_V_DTYPE, 0, {0}};
    v.as.dtype = t;
    return v;
}

/* The array x. The caller keeps its ownership. */
static inline gnd_value gnd_value_array(gnd_array *x)
{
    gnd_value v = {GND_V_ARRAY, 0, {0}};
    v.as.array = x;
    return v;
}

/* A tuple of n items. The items must stay valid while the tuple is used. Change the tag to make a
 * list or a slice. */
static inline gnd_value gnd_value_tuple(int64_t n, const gnd_value *item)
{
    gnd_value v = {GND_V_TUPLE, 0, {0}};
    v.as.items.item = item;
    v.as.items.n = n;
    return v;
}

/* Frees the contents of a result and sets it to None. Frees nothing for a value that is not a
 * result. NULL is ignored. */
GND_API void gnd_value_clear(gnd_value *v);
/* The item names of a record, or of a tuple with named items: in order, separated by blanks. NULL
 * if v has no names. The string is valid as long as the library is loaded. */
GND_API const char *gnd_value_fields(const gnd_value *v);
/* The item with this name; it belongs to v. NULL if there is none. */
GND_API const gnd_value *gnd_value_field(const gnd_value *v, const char *name);

/* --- calls ------------------------------------------------------------------------------------ */

/* A function under one of its names, or a method. Never freed; shared by all threads. */
typedef struct gnd_function gnd_function;

/* Finds a function by name, such as "sum", "linalg.norm" or "float32" (dtypes convert). method is 1
 * for a method (x.sum), else 0. NULL if there is none. */
GND_API const gnd_function *gnd_function_find(const char *name, int method);
/* Calls f with n values. The last nkw values are keyword arguments with the names keywords[0] to
 * keywords[nkw - 1]. The first value of a method is the object. dev is the device of new arrays;
 * NULL: the device of the first array among the values. *out receives the result, or None on
 * failure. Arrays in results belong to the innermost scope of the thread, or to the caller.
 * GND_ERR_TYPE: a value of the wrong kind, an unknown or repeated keyword, a missing or extra
 * value; GND_ERR_ARG: a value of the right kind that is not allowed; other errors are those of the
 * function. gnd_message() has the message, which begins with the function's name. */
GND_API gnd_status gnd_call_function(gnd_device *dev, const gnd_function *f, int n,
                                     const gnd_value *values, int nkw, const char *const *keywords,
                                     gnd_value *out);
/* Same as gnd_call_function, for a function given by name. GND_ERR_NAME: no such function; the
 * message suggests one. */
GND_API gnd_status gnd_call(gnd_device *dev, const char *name, int n, const gnd_value *values,
                            int nkw, const char *const *keywords, gnd_value *out);
/* Same as gnd_call, for a method. values[0] is the object. */
GND_API gnd_status gnd_call_method(gnd_device *dev, const char *name, int n,
                                   const gnd_value *values, int nkw, const char *const *keywords,
                                   gnd_value *out);
/* The generator from which calls of this thread draw random numbers. Its seed is 0 until "seed" is
 * called. To use another generator, store it here before a call and read it back afterwards. Never
 * NULL; owned by the thread. */
GND_API gnd_rng *gnd_call_rng(void);

/* --- lists of functions ----------------------------------------------------------------------- */

/* How a parameter may be passed. */
typedef enum gnd_parameter_kind {
    GND_PARAMETER_PLACE,  /* by position only, as the operands of add */
    GND_PARAMETER_ANY,    /* by position or by name */
    GND_PARAMETER_REST,   /* any number of values: *arrays */
    GND_PARAMETER_KEYWORD /* by name only */
} gnd_parameter_kind;

/* A parameter. */
typedef struct gnd_parameter {
    char name[24];
    char others[24]; /* alternative names separated by blanks, or "" */
    char value[24];  /* default in Python syntax: "None", "'xy'", "1e-05"; "" if required */
    gnd_parameter_kind kind;
} gnd_parameter;

enum { GND_PARAMETERS = 8 }; /* maximum number of parameters of a function */

/* The description of a function. The strings are valid as long as the library is loaded. */
typedef struct gnd_function_info {
    const char *name;    /* its first name */
    const char *group;   /* main, linalg, fft, random, special, signal: its place in Python's
                            libraries; or extensions */
    const char *doc;     /* one line about the result */
    const char *calls;   /* the C functions that do the work, separated by blanks; or "" */
    char signature[192]; /* "sum(x, axis=None, ...)"; "" if it is only a method */
    char method[192];    /* "x.sum(axis=None, ...)"; "" if it is not a method */
    int nparameters;     /* number of parameters; the first parameter of a method is the object */
    gnd_parameter parameter[GND_PARAMETERS];
} gnd_function_info;

/* Function i of all functions, from 0. Each function is listed once, under its first name; if it is
 * also a method, the function is listed. NULL after the last one. */
GND_API const gnd_function *gnd_function_at(int i);
/* Name i of f, from 0; NULL after the last one. */
GND_API const char *gnd_function_name(const gnd_function *f, int i);
/* Fills *info with the description of f. GND_ERR_NULL. */
GND_API gnd_status gnd_function_describe(const gnd_function *f, gnd_function_info *info);

#ifdef __cplusplus
}
#endif
#endif
