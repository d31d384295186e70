/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/err.h - errors as values inside the library: a record that the caller owns, and one way to
 * fill it. gnd_err is public, because gnd/backend.h uses it too. The first error wins: setting a
 * record that already holds an error does nothing, so that cleanup cannot hide the cause.
 */
#ifndef GND_BASE_ERR_H
#define GND_BASE_ERR_H

#include <gnd/backend.h>
#include <stdarg.h>

/* Fills *e, unless e is NULL or already holds an error. Returns code. Formats like printf. */
gnd_status gnd__err(gnd_err *e, gnd_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, and stores the driver's own error number in e->native. */
gnd_status gnd__err_native(gnd_err *e, gnd_status code, int native, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Prepends "prefix: " to the message in *e. */
void gnd__err_prefix(gnd_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Makes e an error of the public function func: removes the names of the functions that it called
 * for its arguments ("item: ") and prepends "func: " unless the message begins with it. */
void gnd__err_named(gnd_err *e, const char *func);
/* Makes e an error raised by the public function func: replaces the function name that the message
 * begins with ("sum: ") by func, or prepends func if there is none. */
void gnd__err_of(gnd_err *e, const char *func);
void gnd__err_clear(gnd_err *e);

/* The calling thread's position in the user's program, as last set by gnd_here. */
typedef struct gnd__spot {
    const char *file; /* NULL: not set */
    int line;
} gnd__spot;
#if defined(__ELF__) && defined(__GNUC__)
extern _Thread_local gnd__spot gnd__here __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local gnd__spot gnd__here;
#endif
/* Completes a new error: adds the position once, and writes the message to the log. */
void gnd__err_made(gnd_err *e);

/* Ends a failing call that returns a status: stores the message for gnd_message, with "func: "
 * prepended unless it begins with that. Returns the status. */
gnd_status gnd__only_status(const char *func, const gnd_err *e);
/* For a failure with code of a call further down: attributes the message that gnd_message has to
 * func. Returns code. */
gnd_status gnd__message_named(const char *func, gnd_status code);
/* Stores a message of its own ("topk: out is NULL") for gnd_message. Returns code. */
gnd_status gnd__refuse(gnd_status code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
