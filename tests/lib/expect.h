/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expect.h - checks of arrays' metadata and of error messages, for tests of shapes and of wrong
 * arguments. Each call is one check.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include <gnd.h>

/* A shape as two arguments: how many extents, and they. */
#define DIM(...)                                                                                   \
    (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[])                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* x is an error array with that status, whose message has that text, and nothing else of an array.
 */
void expect_error(const char *what, gnd_array *x, gnd_status code, const char *text);
#define FAILS(call, code, text) expect_error(#call, call, code, text)
/* x has that status, and that is all of its message. */
void expect_message(gnd_array *x, gnd_status code, const char *message);
/* x is no error and of that dtype and shape. */
void expect_array(gnd_array *x, gnd_dtype t, int ndim, const int64_t *dim, const char *what);
/* The expressions give these numbers on dev; where is for messages. */
typedef struct expect_value {
    const char *text;
    double want;
} expect_value;
void expect_values(gnd_device *dev, const char *where, int n, const expect_value *v);

#endif
