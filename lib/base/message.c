/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/message.c - the text that goes with a returned status: a call that fails and gives back a status keeps
 * its message for the calling thread. See err.h; gnd_message (gnd/array.h) shows it.
 */
#include "base/err.h"

#include <gnd/array.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[sizeof((gnd_err *)0)->msg + 64];

gnd_status gnd__only_status(const char *func, const gnd_err *e)
{
    size_t n = strlen(func); /* the layers below may have said it already */
    int named = !strncmp(e->msg, func, n) && e->msg[n] == ':';
    if (e->code != GND_OK)
        snprintf(message, sizeof message, "%s%s%s", named ? "" : func, named ? "" : ": ",
                 e->msg[0] ? e->msg : gnd_status_text(e->code));
    return e->code;
}

gnd_status gnd__refuse(gnd_status code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    return code;
}

const char *gnd_message(void)
{
    return message;
}
