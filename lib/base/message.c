/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/message.c - keeps the message of a call that returns a failing status, per thread, for
 * gnd_message (gnd/array.h). See err.h.
 */
#include "base/err.h"
#include "base/hash.h"
#include "base/log.h"

#include <gnd/array.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[sizeof((gnd_err *)0)->msg + 64];

#if defined(__ELF__) && defined(__GNUC__)
_Thread_local gnd__spot gnd__here __attribute__((tls_model("initial-exec")));
#else
_Thread_local gnd__spot gnd__here;
#endif

void gnd_here(const char *file, int line)
{
    gnd__here = (gnd__spot){file, line};
}

/* Completes an error text in a buffer of `size` bytes: appends the position unless the text has
 * one, and logs the text unless it was the last one logged. */
static void made(gnd_status code, char *text, size_t size)
{
    static _Thread_local gnd__hash last;
    gnd__hash now;
    size_t n = strlen(text);
    if (gnd__here.file && (!n || text[n - 1] != ']')) {
        const char *file = strrchr(gnd__here.file, '/');
        char place[128];
        int m = snprintf(place, sizeof place, " [%.90s:%d]", file ? file + 1 : gnd__here.file,
                         gnd__here.line);
        if (n + (size_t)m >= size)
            n = size - 1 - (size_t)m; /* the end of the text is cut */
        memcpy(text + n, place, (size_t)m + 1);
    }
    if (!gnd__log_on(GND__LOG_DEBUG))
        return;
    now = gnd__hash_bytes(text, strlen(text), 0);
    if (!memcmp(&now, &last, sizeof now))
        return;
    last = now;
    gnd__log(GND__LOG_DEBUG, "error: %s: %s", gnd_status_name(code), text);
}

void gnd__err_made(gnd_err *e)
{
    made(e->code, e->msg, sizeof e->msg);
}

gnd_status gnd__only_status(const char *func, const gnd_err *e)
{
    gnd_err named = *e;
    if (e->code == GND_OK)
        return GND_OK;
    gnd__err_named(&named, func);
    snprintf(message, sizeof message, "%s", named.msg);
    made(e->code, message, sizeof message);
    return e->code;
}

gnd_status gnd__message_named(const char *func, gnd_status code)
{
    gnd_err e = {.code = code};
    snprintf(e.msg, sizeof e.msg, "%.*s", (int)sizeof e.msg - 1, message);
    return gnd__only_status(func, &e);
}

gnd_status gnd__refuse(gnd_status code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    made(code, message, sizeof message);
    return code;
}

const char *gnd_message(void)
{
    return message;
}
