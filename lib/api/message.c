/* SPDX-License-Identifier: BSD-3-Clause
 *
 * api/message.c - the text that goes with a returned status: calls that give back no array keep
 * their message for the calling thread.
 */
#include <stdio.h>
#include <string.h>
#include "api/host.h"
#include <gnd/array.h>

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

const char *gnd_message(void)
{
    return message;
}
