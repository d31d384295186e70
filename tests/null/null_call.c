/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_call.c - functions by name (gnd/call.h) on the null device: values of every kind, keywords,
 * results and who owns them, errors and their codes; every function of the table with wrong kinds,
 * unknown, double and missing arguments; what the tables say of themselves; every allocation
 * failing.
 */
#include <gnd.h>
#include "base/mem.h"
#include "sched/plan.h"
#include "tap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gnd_device *dev;

/* name(values), the last nkw with the blank-separated names of kw. */
static gnd_status call(const char *name, int n, const gnd_value *v, const char *kw, gnd_value *out)
{
    char names[8][32];
    const char *list[8];
    int nkw = 0;
    for (const char *p = kw; p && *p; p += strspn(p, " ")) {
        const size_t len = strcspn(p, " ");
        snprintf(names[nkw], sizeof names[0], "%.*s", (int)len, p);
        list[nkw] = names[nkw];
        nkw++;
        p += len;
    }
    return gnd_call(dev, name, n, v, nkw, list, out);
}

static void is_status(gnd_status got, gnd_status want, const char *what)
{
    if (!tap_is_str(gnd_status_name(got), gnd_status_name(want), "%s", what) && got)
        tap_diag("%s", gnd_message());
}

/* The call fails with that status, and the message has that text. */
static void fails(const char *name, int n, const gnd_value *v, const char *kw, gnd_status want,
                  const char *message)
{
    gnd_value out;
    const gnd_status got = call(name, n, v, kw, &out);
    tap_ok(got == want && out.tag == GND_V_NOTHING, "%s: %s", name, gnd_status_name(want));
    if (got != want)
        tap_diag("got %s", gnd_status_name(got));
    tap_has_str(got ? gnd_message() : "", message, "%s: its message", name);
    gnd_value_clear(&out);
}

static int is_array(const gnd_value *v, gnd_dtype t, int ndim, const int64_t *dim)
{
    if (v->tag != GND_V_ARRAY || gnd_dtype_of(v->as.array) != t || gnd_ndim(v->as.array) != ndim)
        return 0;
    for (int d = 0; d < ndim; d++)
        if (gnd_dim(v->as.array, d) != dim[d])
            return 0;
    return 1;
}

/* --- values ----------------------------------------------------------------------------------- */

static void test_values(gnd_array *x)
{
    gnd_value out, v[4], item[3], inner[2];
    tap_is_int(sizeof(gnd_value), 24, "a value has 24 bytes");
    v[0] = gnd_value_array(x);
    v[1] = gnd_value_int(0);
    is_status(call("sum", 2, v, "axis", &out), GND_OK, "sum(x, axis=0)");
    tap_ok(is_array(&out, GND_FLOAT32, 1, (int64_t[]){4}) && out.aux == GND_VALUE_OWNED,
           "an array of 4, owned");
    gnd_value_clear(&out);
    tap_is_int(out.tag, GND_V_NOTHING, "cleared, it is nothing");
    gnd_value_clear(&out);
    gnd_value_clear(NULL);
    gnd_value_clear(&v[0]);
    tap_ok(v[0].tag == GND_V_NOTHING && gnd_ndim(x) == 2,
           "an argument that is cleared gives nothing back");

    v[0] = gnd_value_tuple(2, (gnd_value[]){gnd_value_int(2), gnd_value_int(3)});
    v[1] = gnd_value_dtype(GND_INT16);
    is_status(call("zeros", 2, v, "dtype", &out), GND_OK, "zeros((2, 3), dtype=int16)");
    tap_ok(is_array(&out, GND_INT16, 2, (int64_t[]){2, 3}), "it has that shape and dtype");
    gnd_value_clear(&out);
    v[1] = gnd_value_string("uint8");
    is_status(call("ones", 2, v, NULL, &out), GND_OK, "ones((2, 3), 'uint8')");
    tap_ok(is_array(&out, GND_UINT8, 2, (int64_t[]){2, 3}), "a dtype by its name");
    gnd_value_clear(&out);
    v[1] = gnd_value_dtype(GND_FLOAT64);
    v[1].aux = GND_VALUE_PYTHON;
    is_status(call("ones", 2, v, NULL, &out), GND_OK, "ones((2, 3), float)");
    tap_ok(is_array(&out, gnd_default_float(dev), 2, (int64_t[]){2, 3}),
           "Python's float follows the device");
    gnd_value_clear(&out);

    /* lists and numbers */
    inner[0] = gnd_value_int(1);
    inner[1] = gnd_value_float(2.5);
    item[0] = gnd_value_tuple(2, inner);
    item[1] = item[0];
    v[0] = gnd_value_tuple(2, item);
    v[0].tag = GND_V_LIST;
    is_status(call("array", 1, v, NULL, &out), GND_OK, "array([(1, 2.5), (1, 2.5)])");
    tap_ok(is_array(&out, gnd_default_float(dev), 2, (int64_t[]){2, 2}), "a list becomes an array");
    gnd_value_clear(&out);
    v[0] = gnd_value_float(2);
    is_status(call("sqrt", 1, v, NULL, &out), GND_OK, "sqrt(2.0)");
    tap_ok(out.tag == GND_V_FLOAT && out.as.z.re == sqrt(2), "a number of a number");
    v[0].tag = GND_V_COMPLEX;
    v[0].as.z = (gnd_value_parts){3, 4};
    is_status(call("conj", 1, v, NULL, &out), GND_OK, "conj(3+4j)");
    tap_ok(out.tag == GND_V_COMPLEX && out.as.z.re == 3 && out.as.z.im == -4, "a complex number");
    v[0] = gnd_value_int(-1);
    v[0].aux = GND_VALUE_UNSIGNED;
    is_status(call("positive", 1, v, NULL, &out), GND_OK, "positive(2**64 - 1)");
    tap_ok(out.tag == GND_V_INT && out.aux == GND_VALUE_UNSIGNED && out.as.i == -1,
           "an int beyond int64");
    v[0] = gnd_value_bool(1);
    is_status(call("logical_not", 1, v, NULL, &out), GND_OK, "logical_not(True)");
    tap_ok(out.tag == GND_V_BOOL && out.as.i == 0, "a bool");
    gnd_array *weak = gnd_int(7);
    v[0] = gnd_value_array(weak);
    is_status(call("negative", 1, v, NULL, &out), GND_OK, "negative of a weak scalar");
    tap_ok(out.tag == GND_V_INT && out.as.i == -7, "which counts as its number");
    gnd_release(weak);

    /* indices: slices, None, ... */
    item[0] = gnd_value_int(1);
    item[1] = item[2] = gnd_value_none();
    inner[0] = gnd_value_tuple(3, item);
    inner[0].tag = GND_V_SLICE;
    inner[1] = gnd_value_none();
    inner[1].tag = GND_V_ELLIPSIS;
    v[0] = gnd_value_array(x);
    v[1] = gnd_value_tuple(2, inner);
    v[2] = gnd_value_float(0);
    is_status(call("set_at", 3, v, NULL, &out), GND_OK, "set_at(x, (slice(1, None), ...), 0.0)");
    tap_ok(is_array(&out, GND_FLOAT32, 2, (int64_t[]){3, 4}), "slices and ellipses");
    gnd_value_clear(&out);
    v[0] = gnd_value_int(5);
    is_status(call("slice", 1, v, NULL, &out), GND_OK, "slice(5)");
    tap_ok(out.tag == GND_V_SLICE && out.as.items.n == 3 && out.as.items.item[1].as.i == 5 &&
               out.as.items.item[0].tag == GND_V_NOTHING,
           "a slice as a result");
    gnd_value_clear(&out);

    /* None is given, which is another thing than not given */
    v[0] = gnd_value_array(x);
    v[1] = gnd_value_none();
    is_status(call("add.reduce", 2, v, "axis", &out), GND_OK, "add.reduce(x, axis=None)");
    tap_ok(is_array(&out, GND_FLOAT32, 0, NULL), "over all axes");
    gnd_value_clear(&out);
    is_status(call("add.reduce", 1, v, NULL, &out), GND_OK, "add.reduce(x)");
    tap_ok(is_array(&out, GND_FLOAT32, 1, (int64_t[]){4}), "over axis 0");
    gnd_value_clear(&out);
}

static void test_results(gnd_array *x)
{
    gnd_value out, v[3], item[2];
    v[0] = gnd_value_dtype(GND_FLOAT32);
    is_status(call("finfo", 1, v, NULL, &out), GND_OK, "finfo(float32)");
    tap_is_int(out.tag, GND_V_RECORD, "a record");
    tap_has_str(gnd_value_fields(&out), "bits eps", "it has names");
    const gnd_value *bits = gnd_value_field(&out, "bits"), *t = gnd_value_field(&out, "dtype");
    tap_ok(bits && bits->tag == GND_V_INT && bits->as.i == 32, "bits");
    tap_ok(t && t->tag == GND_V_DTYPE && t->as.dtype == GND_FLOAT32, "dtype, the last");
    tap_ok(!gnd_value_field(&out, "bit") && !gnd_value_field(&out, "") &&
               !gnd_value_field(&out, NULL),
           "no others");
    gnd_value_clear(&out);
    tap_ok(!gnd_value_fields(&out) && !gnd_value_fields(NULL), "nothing has no names");

    v[0] = gnd_value_array(x);
    is_status(call("svd", 1, v, NULL, &out), GND_OK, "svd(x)");
    tap_ok(out.tag == GND_V_TUPLE && out.as.items.n == 3, "a tuple of three");
    const gnd_value *s = gnd_value_field(&out, "S");
    tap_ok(s && is_array(s, GND_FLOAT32, 1, (int64_t[]){3}), "by the standard's name S");
    gnd_value_clear(&out);
    is_status(call("unstack", 1, v, NULL, &out), GND_OK, "unstack(x)");
    tap_ok(out.tag == GND_V_TUPLE && out.as.items.n == 3 && !gnd_value_fields(&out),
           "a tuple without names");
    /* a result, or a part of one, is an argument like any other */
    v[0] = out;
    v[0].tag = GND_V_LIST;
    gnd_value again;
    is_status(call("stack", 1, v, NULL, &again), GND_OK, "stack of it");
    tap_ok(is_array(&again, GND_FLOAT32, 2, (int64_t[]){3, 4}), "gives x's shape");
    gnd_value_clear(&again);
    gnd_array *row = gnd_retain(out.as.items.item[1].as.array);
    gnd_value_clear(&out);
    tap_ok(gnd_status_of(row) == GND_OK && gnd_dim(row, 0) == 4,
           "what is retained outlives the tuple");
    gnd_release(row);

    item[0] = gnd_value_array(x);
    item[1] = gnd_value_dtype(GND_FLOAT64);
    is_status(call("result_type", 2, item, NULL, &out), GND_OK, "result_type(x, float64)");
    tap_ok(out.tag == GND_V_DTYPE && out.as.dtype == GND_FLOAT64, "a dtype");
    is_status(call("seed", 1, (gnd_value[]){gnd_value_int(3)}, NULL, &out), GND_OK, "seed(3)");
    tap_is_int(out.tag, GND_V_NOTHING, "gives nothing");
    is_status(gnd_call(NULL, "zeros_like", 1, (gnd_value[]){gnd_value_array(x)}, 0, NULL, &out),
              GND_OK, "without a device");
    tap_ok(out.tag == GND_V_ARRAY && gnd_device_of(out.as.array) == dev,
           "the first array's is taken");
    gnd_value_clear(&out);

    /* scopes own results too */
    v[0] = gnd_value_array(x);
    gnd_scope_begin();
    is_status(call("exp", 1, v, NULL, &out), GND_OK, "exp(x) in a scope");
    gnd_scope_end();
    tap_is_int(call("sum", 1, &out, NULL, &again), GND_ERR_STATE, "ends with the scope");
}

static void test_methods(gnd_array *x)
{
    gnd_value out, v[3] = {gnd_value_array(x), gnd_value_int(4), gnd_value_int(3)};
    is_status(gnd_call_method(dev, "reshape", 3, v, 0, NULL, &out), GND_OK, "x.reshape(4, 3)");
    tap_ok(is_array(&out, GND_FLOAT32, 2, (int64_t[]){4, 3}), "has that shape");
    gnd_value_clear(&out);
    const gnd_function *f = gnd_function_find("sum", 0), *m = gnd_function_find("sum", 1);
    tap_ok(f && m && f != m && f == gnd_function_find("sum", 0),
           "handles are the same at every look");
    tap_ok(!gnd_function_find("nosuch", 0) && !gnd_function_find("zeros", 1) &&
               !gnd_function_find(NULL, 0),
           "or NULL");
    is_status(gnd_call_function(dev, m, 1, v, 0, NULL, &out), GND_OK, "a method by its handle");
    gnd_value_clear(&out);
    v[0] = gnd_value_string("text");
    tap_is_int(gnd_call_method(dev, "sum", 1, v, 0, NULL, &out), GND_ERR_NAME,
               "a string has no methods");
    tap_is_str(gnd_message(), "sum: a string has no methods", "says so");
    v[0] = gnd_value_array(x);
    tap_is_int(gnd_call_method(dev, "zeros", 1, v, 0, NULL, &out), GND_ERR_NAME,
               "zeros is no method");
    tap_is_str(gnd_message(), "call: 'zeros' is no method: write zeros(x)", "says so");
    tap_is_int(gnd_call_method(dev, "sum", 0, v, 0, NULL, &out), GND_ERR_TYPE,
               "a method of nothing");
    tap_is_int(gnd_call_method(dev, "sum", 1, v, 1, (const char *[]){"x"}, &out), GND_ERR_TYPE,
               "the object by a name");
}

/* --- random numbers --------------------------------------------------------------------------- */

static void test_rng(void)
{
    gnd_value out;
    is_status(call("seed", 1, (gnd_value[]){gnd_value_int(11)}, NULL, &out), GND_OK, "seed(11)");
    const gnd_rng start = gnd_rng_seed(11);
    tap_ok(!memcmp(gnd_call_rng(), &start, sizeof start), "the thread's generator has the seed");
    is_status(call("random.normal", 1, (gnd_value[]){gnd_value_int(3)}, "size", &out), GND_OK,
              "normal(size=3)");
    gnd_value_clear(&out);
    tap_ok(gnd_call_rng()->key == start.key && gnd_call_rng()->calls > start.calls,
           "a call goes on");
    const uint64_t calls = gnd_call_rng()->calls;
    is_status(
        call("normal", 2, (gnd_value[]){gnd_value_int(3), gnd_value_int(1)}, "size seed", &out),
        GND_OK, "normal(size=3, seed=1)");
    gnd_value_clear(&out);
    tap_is_int(gnd_call_rng()->calls, calls, "one with a seed of its own does not");
    *gnd_call_rng() = gnd_rng_seed(5);
    is_status(call("random.random", 1, (gnd_value[]){gnd_value_int(3)}, NULL, &out), GND_OK,
              "random(3)");
    gnd_value_clear(&out);
    tap_is_int(gnd_call_rng()->key, gnd_rng_seed(5).key, "a generator that was put there is used");
}

/* --- errors ----------------------------------------------------------------------------------- */

static void test_errors(gnd_array *x)
{
    gnd_value out, v[12];
    gnd_array *bad = gnd_fail(GND_ERR_IO, "the disk is full");
    v[0] = gnd_value_array(x);
    v[1] = gnd_value_string("up");
    v[2] = gnd_value_int(0);
    fails("summ", 1, v, NULL, GND_ERR_NAME, "call: unknown function 'summ': did you mean 'sum'?");
    fails("len", 1, v, NULL, GND_ERR_NAME,
          "call: there is no function 'len': write x.shape[0], or x.size");
    fails("sum", 2, v, "axis", GND_ERR_TYPE,
          "sum: axis must be an int or a tuple of ints, not 'up'");
    fails("sum", 2, v, "axsi", GND_ERR_TYPE,
          "sum has no argument 'axsi': did you mean 'axis'? It is sum(x, axis=None");
    v[1] = gnd_value_int(0);
    fails("sum", 3, v, "axis axis", GND_ERR_TYPE, "sum: 'axis' is given twice");
    fails("sum", 3, (gnd_value[]){v[0], v[1], v[2]}, "axis", GND_ERR_TYPE,
          "sum: 'axis' is given twice");
    fails("reshape", 1, v, NULL, GND_ERR_TYPE,
          "reshape: 'shape' is missing: it is reshape(x, shape, *, copy=None)");
    fails("matrix_transpose", 2, v, NULL, GND_ERR_TYPE, "matrix_transpose: too many arguments");
    fails("sin", 2, v, NULL, GND_ERR_TYPE, "sin takes 1 argument, not 2: it is sin(x)");
    fails("add", 2, v, "out", GND_ERR_TYPE, "add has no keyword arguments: it is add(x1, x2)");
    fails("float32", 0, v, NULL, GND_ERR_TYPE, "float32 takes one value");
    v[1] = gnd_value_int(7);
    fails("sum", 2, v, NULL, GND_ERR_AXIS, "sum: axis 7 is out of range");
    fails("take", 3, (gnd_value[]){v[0], gnd_value_int(0), gnd_value_string("warp")}, "mode",
          GND_ERR_ARG, "take: mode must be 'raise', 'wrap' or 'clip', not 'warp'");
    fails("zeros", 2, (gnd_value[]){gnd_value_int(3), gnd_value_string("float33")}, NULL,
          GND_ERR_DTYPE, "zeros: 'float33' is no dtype: did you mean 'float32'?");
    fails("zeros", 1, (gnd_value[]){gnd_value_float(2.5)}, NULL, GND_ERR_TYPE,
          "zeros: shape must be an int");
    fails("zeros", 1, (gnd_value[]){gnd_value_int(-1)}, NULL, GND_ERR_SHAPE, "zeros: ");
    fails("set_at", 3, (gnd_value[]){v[0], gnd_value_int(9), gnd_value_int(0)}, NULL, GND_ERR_INDEX,
          "set_at: ");
    fails("bitwise_and", 2, (gnd_value[]){v[0], v[0]}, NULL, GND_ERR_DTYPE, "bitwise_and: ");
    fails("sqrt", 1, (gnd_value[]){gnd_value_string("2")}, NULL, GND_ERR_TYPE,
          "sqrt: an array is needed, not a string");
    fails("add", 2, (gnd_value[]){v[0], gnd_value_none()}, NULL, GND_ERR_TYPE,
          "add: an array is needed, not None");

    /* arrays that are none */
    fails("sum", 1, (gnd_value[]){gnd_value_array(NULL)}, NULL, GND_ERR_NULL,
          "sum: an array argument is NULL");
    fails("sin", 1, (gnd_value[]){gnd_value_array(NULL)}, NULL, GND_ERR_NULL, "sin: ");
    fails("sum", 1, (gnd_value[]){gnd_value_array(bad)}, NULL, GND_ERR_IO, "the disk is full");
    fails("sin", 1, (gnd_value[]){gnd_value_array(bad)}, NULL, GND_ERR_IO, "the disk is full");
    gnd_release(bad);
    gnd_array *dead = gnd_zeros(dev, GND_INT8, 0, NULL);
    gnd_release(dead);
    fails("sum", 1, (gnd_value[]){gnd_value_array(dead)}, NULL, GND_ERR_STATE,
          "sum: an argument is a released array");
    fails("sin", 1, (gnd_value[]){gnd_value_array(dead)}, NULL, GND_ERR_STATE, "sin: ");
    fails("array", 1, (gnd_value[]){gnd_value_tuple(1, (gnd_value[]){gnd_value_array(NULL)})}, NULL,
          GND_ERR_NULL, "array: an array argument is NULL");

    /* values that are none */
    v[1] = gnd_value_none();
    v[1].tag = 99;
    fails("sum", 2, v, NULL, GND_ERR_ARG, "sum: an argument has the tag 99, which there is not");
    fails("add", 2, v, NULL, GND_ERR_ARG, "add: an argument has the tag 99");
    v[1] = gnd_value_tuple(2, NULL);
    fails("sum", 2, v, NULL, GND_ERR_NULL, "sum: a tuple among the arguments has 2 items at NULL");
    v[1].as.items.n = -1;
    fails("sum", 2, v, NULL, GND_ERR_ARG, "sum: a tuple among the arguments has -1 items");
    v[1] = gnd_value_tuple(1, v);
    v[1].tag = GND_V_SLICE;
    fails("set_at", 3, v, NULL, GND_ERR_ARG,
          "set_at: a slice of 1 items: it has start, stop and step");
    v[1] = gnd_value_dtype((gnd_dtype)77);
    fails("zeros_like", 2, v, NULL, GND_ERR_DTYPE,
          "zeros_like: 77 among the arguments is no dtype");
    v[1] = gnd_value_string("");
    v[1].as.text.s = NULL;
    fails("zeros_like", 2, v, NULL, GND_ERR_NULL,
          "zeros_like: a string among the arguments is NULL");
    gnd_value self[2] = {gnd_value_none(), gnd_value_none()};
    self[0] = gnd_value_tuple(1, &self[1]);
    self[1] = gnd_value_tuple(1, &self[0]);
    fails("array", 1, self, NULL, GND_ERR_OVERFLOW, "array: lists of too many items or levels");

    /* calls that are none */
    v[0] = gnd_value_array(x);
    const gnd_function *f = gnd_function_find("sum", 0);
    tap_is_int(gnd_call_function(dev, NULL, 1, v, 0, NULL, &out), GND_ERR_NULL, "no function");
    tap_is_int(gnd_call(dev, NULL, 1, v, 0, NULL, &out), GND_ERR_NULL, "no name");
    tap_is_int(gnd_call_method(dev, NULL, 1, v, 0, NULL, &out), GND_ERR_NULL, "no method's name");
    tap_is_int(gnd_call_function(dev, f, 1, v, 0, NULL, NULL), GND_ERR_NULL,
               "no place for the result");
    tap_is_int(gnd_call_function(dev, f, 1, NULL, 0, NULL, &out), GND_ERR_NULL, "no values");
    tap_is_int(gnd_call_function(dev, f, 1, v, 1, NULL, &out), GND_ERR_NULL, "no keywords");
    tap_is_int(gnd_call_function(dev, f, 1, v, 1, (const char *[]){NULL}, &out), GND_ERR_NULL,
               "a keyword is NULL");
    tap_is_int(gnd_call_function(dev, f, 1, v, 1, (const char *[]){""}, &out), GND_ERR_TYPE,
               "a keyword is empty");
    tap_is_int(gnd_call_function(dev, f, -1, v, 0, NULL, &out), GND_ERR_ARG,
               "fewer values than none");
    tap_is_int(gnd_call_function(dev, f, 1, v, 2, NULL, &out), GND_ERR_ARG,
               "more names than values");
    tap_is_int(gnd_call(NULL, "zeros", 1, (gnd_value[]){gnd_value_int(1)}, 0, NULL, &out),
               GND_ERR_DEVICE, "no device");
    tap_has_str(gnd_message(), "zeros: no device is given", "says so");
    gnd_device *none = gnd_open("null:99");
    tap_ok(gnd_call(none, "zeros", 1, (gnd_value[]){gnd_value_int(1)}, 0, NULL, &out) < 0,
           "a device that is none");
    tap_has_str(gnd_message(), "zeros: ", "says so");
    gnd_close(none);
    for (int i = 0; i < 12; i++)
        v[i] = gnd_value_array(x);
    is_status(call("broadcast_arrays", 12, v, NULL, &out), GND_OK, "many values");
    tap_is_int(out.as.items.n, 12, "as many arrays");
    gnd_value_clear(&out);
}

/* --- the tables ------------------------------------------------------------------------------- */

/* Counts what is wrong with a call that has to fail with GND_ERR_TYPE, the message beginning with
 * the function. */
static int refused(const gnd_function *f, int n, const gnd_value *v, int nkw, const char *const *kw,
                   const char *what)
{
    const char *name = gnd_function_name(f, 0);
    gnd_value out;
    const gnd_status s = gnd_call_function(dev, f, n, v, nkw, kw, &out);
    const char *said = s ? gnd_message() : "";
    const size_t len = strlen(name);
    const int ok = s == GND_ERR_TYPE && out.tag == GND_V_NOTHING && !strncmp(said, name, len) &&
                   (said[len] == ':' || said[len] == ' ');
    if (!ok)
        tap_diag("%s, %s: %s, %s", name, what, gnd_status_name(s), said);
    gnd_value_clear(&out);
    return !ok;
}

/* Calls f with k odd values of kind `kind` where values are needed, the others arrays or ints. 1:
 * what no input may reach, or a message without the name. */
static int odd_call(const gnd_function *f, const gnd_function_info *info, int place,
                    const gnd_value *odd, gnd_array *x, int plain)
{
    gnd_value v[GND_PARAMETERS], out;
    int n = 0;
    for (; n < info->nparameters && info->parameter[n].kind < GND_PARAMETER_REST; n++) {
        v[n] = n == place ? *odd : plain ? gnd_value_int(2) : gnd_value_array(x);
        if (n > place && info->parameter[n].value[0])
            break; /* what can be left out behind */
    }
    if (n < info->nparameters && info->parameter[n].kind == GND_PARAMETER_REST)
        v[n++] = *odd;
    const gnd_status s = gnd_call_function(dev, f, n, v, 0, NULL, &out);
    const char *name = gnd_function_name(f, 0), *said = s ? gnd_message() : "";
    gnd_value_clear(&out);
    const int bad =
        s == GND_ERR_INTERNAL || (s && (!said[0] || strncmp(said, name, strlen(name)) != 0));
    if (bad)
        tap_diag("%s with tag %u at %d: %s: %s", name, odd->tag, place, gnd_status_name(s), said);
    return bad;
}

static void test_tables(gnd_array *x)
{
    static const char *const groups = " main linalg fft random special signal extensions ";
    static const char *const unknown[] = {"no_such_keyword"};
    const gnd_function *f;
    const char *name;
    gnd_function_info info;
    int count = 0, names = 0, bad = 0, lost = 0, keywords = 0, twice = 0, missing = 0, many = 0,
        odd = 0, shown = 0;
    gnd_value v[GND_PARAMETERS + 2],
        item[3] = {gnd_value_none(), gnd_value_none(), gnd_value_none()};
    for (int i = 0; i < GND_PARAMETERS + 2; i++)
        v[i] = gnd_value_array(x);
    gnd_value kinds[] = {gnd_value_none(),         gnd_value_none(),
                         gnd_value_bool(1),        gnd_value_int(-3),
                         gnd_value_float(NAN),     gnd_value_int(INT64_MIN),
                         gnd_value_string("?"),    gnd_value_dtype(GND_COMPLEX64),
                         gnd_value_tuple(3, item), gnd_value_tuple(0, NULL),
                         gnd_value_tuple(3, item), gnd_value_array(x)};
    kinds[1].tag = GND_V_ELLIPSIS;
    kinds[8].tag = GND_V_SLICE;
    kinds[10].tag = GND_V_LIST;
    for (; (f = gnd_function_at(count)); count++) {
        char group[32];
        int rest = 0, required = 0, method;
        bad += gnd_function_describe(f, &info) != GND_OK;
        method = !info.signature[0]; /* the object comes first */
        snprintf(group, sizeof group, " %s ", info.group);
        bad += !strstr(groups, group) || !info.doc[0] || info.doc[strlen(info.doc) - 1] != '.' ||
               info.nparameters > GND_PARAMETERS ||
               strncmp(info.calls, "gnd_", info.calls[0] ? 4 : 0);
        shown += !info.signature[0] && !info.method[0];
        for (int k = 0; (name = gnd_function_name(f, k)); k++, names++) {
            const gnd_function *g = gnd_function_find(name, method);
            lost += !g || strcmp(gnd_function_name(g, 0), info.name) != 0;
        }
        for (int k = 0; k < info.nparameters; k++) {
            const gnd_parameter *p = &info.parameter[k];
            rest |= p->kind == GND_PARAMETER_REST;
            required += p->kind <= GND_PARAMETER_ANY && !p->value[0];
            bad += !p->name[0] || strpbrk(p->name, "|,= ") || strpbrk(p->others, "|,=");
            shown += info.signature[0] && !strstr(info.signature, p->name);
            /* a parameter by both its names is given twice */
            char other[24];
            snprintf(other, sizeof other, "%.*s", (int)strcspn(p->others, " "), p->others);
            if (p->kind != GND_PARAMETER_REST && p->kind != GND_PARAMETER_PLACE && (k || !method))
                twice += refused(f, 2 + method, v, 2,
                                 (const char *[]){p->name, other[0] ? other : p->name}, "twice");
        }
        keywords += refused(f, 1 + method, v, 1, unknown, "an unknown keyword");
        if (required)
            missing += refused(f, 0, NULL, 0, NULL, "nothing given");
        if (!rest)
            many += refused(f, info.nparameters + 1, v, 0, NULL, "one too many");
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            for (int place = 0; place < (info.nparameters ? info.nparameters : 1); place++)
                for (int plain = 0; plain < 2; plain++)
                    odd += odd_call(f, &info, place, &kinds[k], x, plain);
    }
    tap_ok(count > 400 && names > 550, "%d functions with %d names", count, names);
    tap_is_int(bad, 0, "each is described");
    tap_is_int(shown, 0, "with a signature that has every parameter");
    tap_is_int(lost, 0, "and found by all its names");
    tap_is_int(keywords, 0, "each refuses an unknown keyword");
    tap_is_int(twice, 0, "one that is given twice");
    tap_is_int(missing, 0, "to be called with nothing");
    tap_is_int(many, 0, "and with one value too many");
    tap_is_int(odd, 0, "each takes values of every kind, or says what is wrong");
    tap_ok(!gnd_function_at(-1) && !gnd_function_name(NULL, 0) &&
               !gnd_function_name(gnd_function_at(0), -1),
           "no others");
    tap_is_int(gnd_function_describe(NULL, &info), GND_ERR_NULL, "no function has no description");
    tap_is_int(gnd_function_describe(gnd_function_at(0), NULL), GND_ERR_NULL,
               "nor a place that is none");
    gnd_function_describe(gnd_function_find("unique", 0), &info);
    tap_is_str(info.parameter[0].others, "ar", "unique: x is ar too");
    tap_is_str(info.parameter[5].value, "True", "equal_nan is True");
    tap_is_int(info.parameter[5].kind, GND_PARAMETER_KEYWORD, "by its name only");
    gnd_function_describe(gnd_function_find("reshape", 1), &info);
    tap_is_str(info.method, "x.reshape(*shape, copy=None)", "a method's signature");
    tap_is_str(info.signature, "", "alone: the function is another entry");
    gnd_function_describe(gnd_function_find("amax", 1), &info);
    tap_is_str(info.signature, "amax(x, axis=None, *, keepdims=False, initial=None, where=True)",
               "a function's");
    tap_is_str(info.method, "x.amax(axis=None, *, keepdims=False, initial=None, where=True)",
               "that is a method too");
    gnd_function_describe(gnd_function_find("where", 0), &info);
    tap_is_str(info.signature, "where(condition, x=None, y=None)", "where");
    gnd_function_describe(gnd_function_find("expit", 0), &info);
    tap_is_str(info.signature, "expit(x, /)", "an operation's has its parameters by place");
    tap_is_str(info.calls, "gnd_sigmoid", "it is gnd_sigmoid in C");
    tap_is_str(info.group, "special", "of scipy.special");
    tap_is_str(gnd_function_name(gnd_function_find("float", 0), 0), "float",
               "Python's float is a function of its own");
}

/* --- every allocation fails ------------------------------------------------------------------- */

static void test_memory(gnd_array *x)
{
    gnd_value item[3] = {gnd_value_array(x), gnd_value_array(x), gnd_value_array(x)}, out;
    gnd_value v[1] = {gnd_value_tuple(3, item)};
    static const struct {
        const char *name;
        int list;
    } calls[] = {{"stack", 1},  {"svd", 0}, {"sum", 0}, {"sin", 0}, {"broadcast_arrays", 0},
                 {"unstack", 0}};
    int wrong = 0, leaks = 0, failed = 0;
    long made = 0;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const gnd_value *in = calls[i].list ? v : item;
        (void)call(calls[i].name, 1, in, NULL, &out); /* what is made once */
        gnd_value_clear(&out);
        const long live = gnd__mem_live();
        for (long n = 1;; n++) {
            gnd__mem_fail_at(n);
            const long before = gnd__mem_count();
            const gnd_status s = call(calls[i].name, 1, in, NULL, &out);
            const long these = gnd__mem_count() - before;
            gnd__mem_fail_at(0);
            gnd_value_clear(&out);
            leaks += gnd__mem_live() > live;
            failed += s == GND_ERR_NOMEM;
            wrong += s != GND_ERR_NOMEM && s != GND_OK;
            made++;
            if (these < n)
                break;
        }
    }
    tap_ok(failed > 20, "%ld allocations were made to fail, of which %d mattered", made, failed);
    tap_is_int(wrong, 0, "each of those gave out of memory");
    tap_is_int(leaks, 0, "and left nothing");
}

int main(void)
{
    dev = gnd_open("null:0");
    if (gnd_device_status(dev))
        tap_bail("null:0: %s", gnd_device_error(dev));
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 2, (int64_t[]){3, 4});
    long live = 0;
    for (int k = 0; k < 2; k++) { /* twice: what is made once stays */
        live = gnd__mem_live();
        test_values(x);
        test_results(x);
        test_methods(x);
        test_rng();
        test_errors(x);
    }
    tap_is_int(gnd__mem_live(), live, "nothing is left of it all");
    test_tables(x);
    gnd__repeat_force(
        1 << 30); /* a list that comes late would be taken for something that is left */
    test_memory(x);
    gnd__repeat_force(0);
    gnd_release(x);
    gnd_close(dev);
    return tap_done();
}
