/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/err.h - errors as values inside the library: one caller-owned record, one way to fill it.
 * gnd_err is public (gnd/backend.h uses it too). The first error wins: setting a record that
 * already holds an error does nothing, so that cleanup cannot hide the cause.
 */
#ifndef GND_BASE_ERR_H
#define GND_BASE_ERR_H

#include <gnd/backend.h>
#include <stdarg.h>

/* Fills *e (when e is not NULL and holds no error yet) and returns code. Formats as printf. */
gnd_status gnd__err(gnd_err *e, gnd_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* As above with the driver's own error number kept in e->native. */
gnd_status gnd__err_native(gnd_err *e, gnd_status code, int native, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Puts "prefix: " before the message that *e holds. */
void gnd__err_prefix(gnd_err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The error as one of public function func: names of functions that it called that it called for its arguments ("item: ") are
 * taken away, and "func: " is put before, unless that is there. */
void gnd__err_named(gnd_err *e, const char *func);
/* The error as one that public function func makes: the name that the text begins with ("sum: ") becomes func, or
 * func is put before when there is none. */
void gnd__err_of(gnd_err *e, const char *func);
void gnd__err_clear(gnd_err *e);

/* Where the program is, as far as it says so (gnd_here), of the calling thread. */
typedef struct gnd__spot {
    const char *file; /* NULL: it does not */
    int line;
} gnd__spot;
#if defined(__ELF__) && defined(__GNUC__)
extern _Thread_local gnd__spot gnd__here __attribute__((tls_model("initial-exec")));
#else
extern _Thread_local gnd__spot gnd__here;
#endif
/* An error is made: it gets the place, once, and goes to the log. */
void gnd__err_made(gnd_err *e);

/* The end of a call that gives back a status and fails: keeps the message for gnd_message, with "func: " before it
 * unless it begins so; gives the status. */
gnd_status gnd__only_status(const char *func, const gnd_err *e);
/* Of a call below that has failed with code: what gnd_message has, as one of func's. Gives code. */
gnd_status gnd__message_named(const char *func, gnd_status code);
/* The same of a text of its own ("topk: out is NULL"). Gives code. */
gnd_status gnd__refuse(gnd_status code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
