/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_labels.c - names of arrays and places in the program, in errors, plans, traces and the list
 * of what was not released; the log of errors; and the short forms: numbers, slices, rotated
 * values, the first of several errors. On the null device.
 */
#define GND_WHERE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnd.h>
#include "base/log.h"
#include "tap.h"

#define DIM(...)                                                                                   \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[])                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static gnd_device *dev;

static int has(const char *text, const char *part)
{
    if (strstr(text, part))
        return 1;
    tap_diag("\"%s\" has no \"%s\"", text, part);
    return 0;
}

/* What f writes to stderr with GND_LOG=level. */
static void logged(const char *level, void (*f)(void), char *text, size_t size)
{
    FILE *file = tmpfile();
    const int old = dup(2);
    fflush(stderr);
    dup2(fileno(file), 2);
    setenv("GND_LOG", level, 1);
    gnd__log_reset();
    f();
    fflush(stderr);
    dup2(old, 2);
    close(old);
    unsetenv("GND_LOG");
    gnd__log_reset();
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void names(void)
{
    gnd_scope_begin();
    gnd_array *v = gnd_empty(dev, GND_FLOAT32, DIM(3, 4)), *w = gnd_empty(dev, GND_FLOAT32, DIM(5));
    tap_ok(gnd_name(v, "velocity") == v && !strcmp(gnd_name_of(v), "velocity") &&
               !gnd_name_of(w)[0],
           "a name");
    tap_ok(has(gnd_error(gnd_add(w, v)), "axis -1 has 5 and 4 (x2 is 'velocity')"),
           "an error has it");
    gnd_name(w, "weight");
    tap_ok(has(gnd_error(gnd_add(w, v)), "(x1 is 'weight', x2 is 'velocity')"), "two names");
    gnd_array *ok = gnd_where(gnd_greater_f(v, 1), v, gnd_exp(v)),
              *c = gnd_empty(dev, GND_FLOAT32, DIM(7));
    tap_ok(!strstr(gnd_error(gnd_where(c, w, c)), "velocity"), "no names of another call's arrays");
    tap_ok(!strstr(gnd_error(gnd_add(c, gnd_ones(dev, GND_FLOAT32, DIM(2)))), "is '"),
           "no names where there are none");
    tap_ok(has(gnd_error(gnd_sum(v, GND_AXIS(7), 0)), "(x is 'velocity')"), "of an axis");
    gnd_wait(v);
    char *text = gnd_explain(1, &ok, 0, NULL);
    tap_ok(text && has(text, "on 'velocity'"), "a plan has it");
    free(text);
    gnd_name(v, "\xc3\xa9\n0123456789012345678901234567890123456789012345678901234567890123456789");
    tap_ok(strlen(gnd_name_of(v)) == 63 && !strchr(gnd_name_of(v), '\n'),
           "a long name is cut, and is one line");
    gnd_name(v, NULL);
    tap_ok(!gnd_name_of(v)[0] && !strstr(gnd_error(gnd_sum(v, GND_AXIS(7), 0)), "is '"),
           "no name any more");
    tap_ok(gnd_status_of(gnd_name(NULL, "x")) == GND_ERR_NULL, "a name for NULL");
    gnd_device_set_limit(dev, 1);
    gnd_array *big = gnd_name(gnd_exp(gnd_ones(dev, GND_FLOAT32, DIM(1000, 1000))), "field");
    tap_ok(gnd_wait(big) == GND_ERR_DEVMEM && !strncmp(gnd_message(), "wait: ", 6) &&
               has(gnd_message(), "float32 (1000, 1000) 'field'"),
           "no memory for an array with a name");
    gnd_array *line = gnd_arange_f64(dev, 0, 1e13, 1, GND_FLOAT32);
    tap_ok(gnd_wait(gnd_sort(line, 0, 0)) == GND_ERR_DEVMEM &&
               has(gnd_message(), "no memory for float32 (10000000000000,)") &&
               has(gnd_message(), " of sort: asked for"),
           "no memory for a sort");
    tap_ok(gnd_wait(gnd_sin(line)) == GND_ERR_DEVMEM &&
               has(gnd_message(), "no memory for float32 (10000000000000,)") &&
               has(gnd_message(), " of sin: asked for"),
           "no memory for an operation");
    static const float zeros[1000 * 1000];
    gnd_array *none = gnd_from(dev, GND_FLOAT32, DIM(1000, 1000), zeros);
    tap_ok(gnd_status_of(none) == GND_ERR_DEVMEM &&
               has(gnd_error(none), "from: no memory for float32 (1000, 1000)"),
           "no memory for an array from the host");
    gnd_device_set_limit(dev, 0);
    gnd_scope_end();
}

static void places(void)
{
    int line = 0, here;
    gnd_scope_begin();
    here = __LINE__ + 1;
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, DIM(3));
    tap_ok(gnd_made_at(x, &line) && strstr(gnd_made_at(x, NULL), "null_labels.c") && line == here,
           "where an array was made");
    char want[64];
    here = __LINE__ + 1;
    gnd_array *bad = gnd_add(x, gnd_ones(dev, GND_FLOAT32, DIM(4)));
    snprintf(want, sizeof want, "[null_labels.c:%d]", here);
    tap_ok(has(gnd_error(bad), want), "where an error was made");
    bad = gnd_exp(bad);
    tap_ok(has(gnd_error(bad), want) &&
               strstr(gnd_error(bad), ".c:") == strrchr(gnd_error(bad), '.'),
           "it is not made again where it is passed on");
    here = __LINE__ + 1;
    gnd_status st = gnd_wait(NULL);
    snprintf(want, sizeof want, "[null_labels.c:%d]", here);
    tap_ok(st == GND_ERR_NULL && has(gnd_message(), want), "of a status");
    gnd_array *(*f)(gnd_array *, gnd_array *) = gnd_add;
    (gnd_here)(NULL, 0);
    bad = f(x, NULL);
    tap_ok(!strchr(gnd_error(bad), '['), "no place when none is recorded");
    (gnd_scope_end)();
}

static void fails(void)
{
    gnd_release(gnd_exp(gnd_add(NULL, NULL)));
    gnd_wait(NULL);
}

static void log_of_errors(void)
{
    char text[4096];
    gnd_scope_begin();
    logged("debug", fails, text, sizeof text);
    tap_ok(has(text, "error: GND_ERR_NULL: add: x1 is NULL") &&
               has(text, "error: GND_ERR_NULL: wait: "),
           "the log has each error");
    const char *first = strstr(text, "add: x1");
    tap_ok(first && !strstr(first + 1, "add: x1"), "once");
    logged("info", fails, text, sizeof text);
    tap_ok(!strstr(text, "error: "), "and only the log of debug");
    gnd_scope_end();
}

static gnd_array *left[3];

static void leave(void)
{
    gnd_device *d = gnd_open("null:1");
    left[0] = gnd_name(gnd_ones(d, GND_FLOAT32, DIM(2, 3)), "orphan");
    left[1] = gnd_exp(left[0]);
    left[2] = gnd_exp(left[1]);
    gnd_release(left[2]);
    gnd_close(d);
}

static void tidy(void)
{
    gnd_device *d = gnd_open("null:1");
    gnd_release(gnd_exp(gnd_keep(gnd_ones(d, GND_FLOAT32, DIM(2, 3)))));
    gnd_scope_begin();
    gnd_ones(d, GND_FLOAT32, DIM(2, 3));
    gnd_scope_end();
    gnd_close(d);
    gnd_close(d);
}

static void leaks(void)
{
    char text[4096];
    logged("warn", leave, text, sizeof text);
    tap_ok(has(text, "close: 2 arrays of null:1 were not released"), "how many arrays are left");
    tap_ok(has(text, "float32 (2, 3) 'orphan', made at ") && has(text, "null_labels.c:"),
           "what the first of them is");
    tap_ok(gnd_read(left[1], text, 24) == GND_ERR_STATE && gnd_status_of(left[0]) == GND_ERR_STATE,
           "they are gone");
    logged("warn", tidy, text, sizeof text);
    tap_ok(has(text, "close: 1 array of") && has(text, "closed already"),
           "one is left, and a device that is closed twice");
    logged("error", leave, text, sizeof text);
    tap_ok(!text[0], "nothing without being asked");
}

static int same(gnd_array *x, gnd_array *y)
{
    return gnd_status_of(x) == GND_OK && gnd_status_of(y) == GND_OK &&
           gnd_dtype_of(x) == gnd_dtype_of(y) && gnd_ndim(x) == gnd_ndim(y) &&
           !memcmp(gnd_shape(x), gnd_shape(y), (size_t)gnd_ndim(x) * sizeof(int64_t));
}

static void short_forms(void)
{
    gnd_stats before, after;
    gnd_scope_begin();
    gnd_array *x = gnd_ones(dev, GND_INT32, DIM(4, 5)), *f = gnd_ones(dev, GND_FLOAT32, DIM(4, 5));
    tap_ok(gnd_dtype_of(gnd_mul_i(x, 2)) == GND_INT32 &&
               gnd_dtype_of(gnd_mul_f(x, 2)) == GND_FLOAT64 &&
               gnd_dtype_of(gnd_mul_f(f, 2)) == GND_FLOAT32,
           "numbers have the dtypes of gnd_int and gnd_real");
    tap_ok(gnd_item_f64(gnd_sub_f(gnd_real(5), 2), NULL) == 3 &&
               gnd_item_f64(gnd_f_sub(5, gnd_real(2)), NULL) == 3 &&
               gnd_item_i64(gnd_i_pow(2, gnd_int(5)), NULL) == 32 &&
               gnd_item_i64(gnd_pow_i(gnd_int(5), 2), NULL) == 25 &&
               gnd_item_f64(gnd_f_div(1, gnd_int(4)), NULL) == 0.25 &&
               gnd_item_i64(gnd_mod_i(gnd_int(-7), 3), NULL) == 2,
           "numbers on either side");
    tap_ok(gnd_item_i64(gnd_clip_i(gnd_int(9), 2, 5), NULL) == 5 &&
               gnd_item_f64(gnd_clip_f(gnd_real(-1), 0, 1), NULL) == 0 &&
               gnd_item_i64(gnd_where_i(gnd_bool(0), gnd_int(4), 7), NULL) == 7 &&
               gnd_item_f64(gnd_where_f(gnd_bool(1), gnd_real(4), 7), NULL) == 4,
           "clip and where");
    tap_ok(has(gnd_error(gnd_bitwise_and_f(x, 2)), "bitwise_and: float64"),
           "errors are the operation's");
    tap_ok(same(gnd_slice(x, 1, 1, -1), gnd_at(x, ":, 1:-1")) &&
               same(gnd_slice(x, -2, GND_NONE, 2), gnd_at(x, ":2")) &&
               same(gnd_slice(x, 0, 3, 1), gnd_at(x, "3:1")) && same(gnd_slice(x, 0, -99, 99), x),
           "slices of one axis");
    tap_ok(gnd_status_of(gnd_slice(x, 2, 0, 1)) == GND_ERR_AXIS &&
               has(gnd_error(gnd_slice(x, 2, 0, 1)), "slice: axis 2"),
           "of no axis");
    tap_ok(same(gnd_index(x, GND_IDX(GND_SLICE(1, -1), GND_STEP(GND_NONE, GND_NONE, 2))),
                gnd_at(x, "1:-1, ::2")) &&
               same(gnd_index(x, GND_IDX(GND_ELEM(-1), GND_NEWAXIS, GND_FULL)),
                    gnd_at(x, "-1, None, :")) &&
               same(gnd_index(x, GND_IDX(GND_DOTS, GND_ELEM(0))), gnd_at(x, "..., 0")) &&
               same(gnd_index(x, GND_IDX(GND_AT(gnd_arange_i64(dev, 0, 3, 1, GND_INT64)))),
                    gnd_at(x, ":3")),
           "entries of an index");
    gnd_scope_end();

    gnd_device_stats(dev, &before);
    gnd_array *u[3] = {gnd_ones(dev, GND_FLOAT32, DIM(3)), gnd_zeros(dev, GND_FLOAT32, DIM(3)),
                       NULL};
    gnd_array *was = u[0], *next = NULL;
    for (int i = 0; i < 10; i++) {
        gnd_scope_begin();
        next = gnd_sub(gnd_mul_f(u[0], 2), u[1]);
        was = u[0];
        tap_ok(gnd_rotate(3, u, next) == next && u[0] == next && u[1] == was, "values go round: %d",
               i);
        gnd_scope_end();
    }
    tap_ok(gnd_status_of(u[0]) == GND_OK && gnd_status_of(u[2]) == GND_OK && u[2],
           "they are the caller's");
    gnd_rotate(3, u, u[0]);
    tap_ok(u[0] == u[1], "one that is there already");
    gnd_scope_begin();
    tap_ok(gnd_status_of(gnd_rotate(0, u, u[0])) == GND_ERR_ARG &&
               gnd_status_of(gnd_rotate(1, NULL, u[0])) == GND_ERR_NULL && u[0] == u[1],
           "nothing changes when an argument is wrong");
    gnd_scope_end();
    for (int i = 0; i < 3; i++)
        gnd_release(u[i]);
    gnd_array *one = gnd_ones(dev, GND_FLOAT32, DIM(3)), *two = gnd_mul_f(one, 2);
    gnd_release(one);
    gnd_release(two);
    gnd_device_stats(dev, &after);
    tap_is_int((long long)after.arrays, (long long)before.arrays, "nothing is left of them");
}

static void first_error(void)
{
    gnd_first_error e = {GND_OK, ""};
    char c;
    gnd_scope_begin();
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, DIM(3));
    tap_ok(gnd_try(&e, gnd_wait(x)) == GND_OK && e.status == GND_OK && !e.message[0], "no error");
    tap_ok(gnd_try(&e, gnd_read(x, &c, 1)) == GND_ERR_SHAPE && e.status == GND_ERR_SHAPE &&
               has(e.message, "read: "),
           "the first");
    gnd_try(&e, gnd_wait(NULL));
    gnd_try(&e, gnd_wait(x));
    gnd_array *bad = gnd_add(x, NULL);
    tap_ok(gnd_try_array(&e, bad) == bad && e.status == GND_ERR_SHAPE && has(e.message, "read: "),
           "stays");
    e = (gnd_first_error){GND_OK, ""};
    gnd_try_array(&e, bad);
    tap_ok(e.status == GND_ERR_NULL && has(e.message, "add: x2 is NULL"), "of an array");
    tap_ok(gnd_try(NULL, GND_ERR_IO) == GND_ERR_IO && gnd_try_array(NULL, x) == x, "nowhere");
    gnd_scope_end();
}

int main(void)
{
    dev = gnd_open("null:0");
    names();
    places();
    log_of_errors();
    leaks();
    short_forms();
    first_error();
    gnd_close(dev);
    return tap_done();
}
