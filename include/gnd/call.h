/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/call.h - every function by its name, with values that say what they are: what bindings for other languages
 * are made of. The expression language calls through the same door, so whatever can be written in gnd_eval can be
 * called here, with the same names, keywords, defaults and messages.
 *
 *    gnd_value in[2] = {gnd_value_array(x), gnd_value_int(0)}, out;
 *    const char *keyword[] = {"axis"};
 *    if (gnd_call(dev, "sum", 2, in, 1, keyword, &out))
 *        puts(gnd_message());
 */
#ifndef GND_CALL_H
#define GND_CALL_H

#include <gnd/random.h>
#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- values ------------------------------------------------------------------------------------- */

/* What a value is. */
typedef enum gnd_tag {
    GND_V_NOTHING,  /* None */
    GND_V_ELLIPSIS, /* ... */
    GND_V_BOOL,     /* as.i: 0 or 1 */
    GND_V_INT,      /* as.i; with GND_VALUE_UNSIGNED the bits of a uint64_t */
    GND_V_FLOAT,    /* as.z.re */
    GND_V_COMPLEX,  /* as.z */
    GND_V_STRING,   /* as.text: bytes of UTF-8, not ended by a 0 */
    GND_V_DTYPE,    /* as.dtype; with GND_VALUE_PYTHON float, int, bool or complex: the dtype follows the device */
    GND_V_SLICE,    /* as.items: start, stop and step, each an int or nothing */
    GND_V_ARRAY,    /* as.array; a weak scalar counts as the number that it is */
    GND_V_TUPLE,    /* as.items; a result may have names for its items: gnd_value_fields */
    GND_V_LIST,     /* as.items */
    GND_V_RECORD    /* as.items, with names: results only */
} gnd_tag;

/* In aux. */
#define GND_VALUE_OWNED 1u    /* a result: gnd_value_clear gives back what it holds */
#define GND_VALUE_UNSIGNED 2u /* an int from 2^63 on */
#define GND_VALUE_PYTHON 4u   /* a dtype by one of Python's types */
#define GND_VALUE_NAMED 8u    /* a result whose items have names */

struct gnd_value;

/* A complex number. */
typedef struct gnd_value_parts {
    double re, im;
} gnd_value_parts;

/* n bytes. */
typedef struct gnd_value_text {
    const char *s;
    size_t n;
} gnd_value_text;

/* n values. */
typedef struct gnd_value_list {
    const struct gnd_value *item;
    int64_t n;
} gnd_value_list;

/* One value of 24 bytes that any language can lay out. Arguments are borrowed: nothing that they point to is kept or
 * released. A result is owned by the caller, with all that it points to: gnd_value_clear. */
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

/* None: of an argument that means that it is None, which is not always the same as not to give it. */
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

/* The string s, up to its 0. */
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

/* The array x, which stays the caller's. */
static inline gnd_value gnd_value_array(gnd_array *x)
{
    gnd_value v = {GND_V_ARRAY, 0, {0}};
    v.as.array = x;
    return v;
}

/* A tuple of n items, which have to be there as long as it is used. Another tag makes it a list or a slice. */
static inline gnd_value gnd_value_tuple(int64_t n, const gnd_value *item)
{
    gnd_value v = {GND_V_TUPLE, 0, {0}};
    v.as.items.item = item;
    v.as.items.n = n;
    return v;
}

/* Gives back what a result holds; it becomes nothing. Of a value that is no result nothing is given back. NULL: nothing
 * to do. */
GND_API void gnd_value_clear(gnd_value *v);
/* The names of the items of a record, or of a tuple that has some: in their order, a blank between them. NULL: v has
 * none. They live as long as the library. */
GND_API const char *gnd_value_fields(const gnd_value *v);
/* The item of that name, which belongs to v; NULL: there is none. */
GND_API const gnd_value *gnd_value_field(const gnd_value *v, const char *name);

/* --- calls -------------------------------------------------------------------------------------- */

/* A function under one of its names, or a method. Never freed, the same in all threads. */
typedef struct gnd_function gnd_function;

/* The function of a name, "sum", "linalg.norm" or "float32" (dtypes convert); method is 1 for a method, as x.sum is.
 * NULL: there is none. */
GND_API const gnd_function *gnd_function_find(const char *name, int method);
/* Calls f with n values, of which the last nkw have the names keywords[0] and on; a method's first value is the object.
 * dev is where new arrays live; NULL: on the device of the first array among the values. *out is the result, or nothing
 * when the call fails. Errors: those of the function; GND_ERR_TYPE: a value of the wrong kind, an unknown keyword, one
 * that is given twice, a value that is missing or too many; GND_ERR_ARG: the right kind, with a value that cannot be;
 * the text, which begins with the function's name, has gnd_message(). Like every function's, a result's arrays belong
 * to the innermost scope of the thread, or to the caller. */
GND_API gnd_status gnd_call_function(gnd_device *dev, const gnd_function *f, int n, const gnd_value *values, int nkw,
                                     const char *const *keywords, gnd_value *out);
/* The same by name. GND_ERR_NAME: there is no such function; the message suggests one. */
GND_API gnd_status gnd_call(gnd_device *dev, const char *name, int n, const gnd_value *values, int nkw,
                            const char *const *keywords, gnd_value *out);
/* The same for a method: values[0] is the object. */
GND_API gnd_status gnd_call_method(gnd_device *dev, const char *name, int n, const gnd_value *values, int nkw,
                                   const char *const *keywords, gnd_value *out);
/* The generator on which calls of this thread draw random numbers: of seed 0 until "seed" is called. Whoever has
 * generators of their own stores theirs there for a call, and reads it back. Never NULL; the thread's own. */
GND_API gnd_rng *gnd_call_rng(void);

#ifdef __cplusplus
}
#endif
#endif
