/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/err.c - error records, which are filled once and prefixed on the way up, and the table of
 * status texts. See err.h. Depends on no other layer.
 */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

static void fill(gnd_err *e, gnd_status code, int native, const char *fmt, va_list ap)
{
    if (!e || e->code != GND_OK)
        return;
    e->code = code;
    e->native = native;
    if (vsnprintf(e->msg, sizeof e->msg, fmt, ap) < 0)
        e->msg[0] = '\0';
}

gnd_status gnd__err(gnd_err *e, gnd_status code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fill(e, code, 0, fmt, ap);
    va_end(ap);
    return code;
}

gnd_status gnd__err_native(gnd_err *e, gnd_status code, int native, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fill(e, code, native, fmt, ap);
    va_end(ap);
    return code;
}

void gnd__err_prefix(gnd_err *e, const char *fmt, ...)
{
    if (!e || e->code == GND_OK)
        return;
    char pre[sizeof e->msg];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(pre, sizeof pre - 2, fmt, ap);
    va_end(ap);
    if (n < 0)
        return;
    size_t len = strlen(pre);
    memcpy(pre + len, ": ", 3);
    len += 2;
    /* A text that is too long is cut at its end, because the prefix names the place. */
    size_t keep = strlen(e->msg);
    if (keep > sizeof e->msg - 1 - len)
        keep = sizeof e->msg - 1 - len;
    memmove(e->msg + len, e->msg, keep);
    memcpy(e->msg, pre, len);
    e->msg[len + keep] = '\0';
}

void gnd__err_named(gnd_err *e, const char *func)
{
    static const char *const readers[] = {"item: ",        "read: ",    "eval_all: ",      "wait: ",
                                          "flatnonzero: ", "nonzero: ", "put_along_axis: "};
    const size_t n = strlen(func);
    if (!strncmp(e->msg, func, n) && (e->msg[n] == ':' || e->msg[n] == '('))
        return;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        size_t r = strlen(readers[i]);
        if (strncmp(e->msg, readers[i], r) != 0)
            continue;
        memmove(e->msg, e->msg + r, strlen(e->msg + r) + 1);
        i = (size_t)-1; /* restart from the first */
    }
    if (!e->msg[0])
        snprintf(e->msg, sizeof e->msg, "%s", gnd_status_text(e->code));
    if (strncmp(e->msg, func, n) != 0 || e->msg[n] != ':')
        gnd__err_prefix(e, "%s", func);
}

void gnd__err_of(gnd_err *e, const char *func)
{
    const size_t n = strlen(func);
    if (!strncmp(e->msg, func, n) && (e->msg[n] == ':' || e->msg[n] == '('))
        return;
    const size_t name = strspn(e->msg, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (name && e->msg[name] == ':' && e->msg[name + 1] == ' ')
        memmove(e->msg, e->msg + name + 2, strlen(e->msg + name + 2) + 1);
    gnd__err_prefix(e, "%s", func);
}

void gnd__err_clear(gnd_err *e)
{
    if (!e)
        return;
    e->code = GND_OK;
    e->native = 0;
    e->msg[0] = '\0';
}

const char *gnd_status_text(gnd_status s)
{
    switch (s) {
#define X(name, value, text)                                                                       \
    case name: return text;
        GND_STATUS_LIST(X)
#undef X
    }
    return "an unknown status";
}

const char *gnd_status_name(gnd_status s)
{
    switch (s) {
#define X(name, value, text)                                                                       \
    case name: return #name;
        GND_STATUS_LIST(X)
#undef X
    }
    return "GND_ERR_?";
}
