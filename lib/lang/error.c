/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/error.c - the messages of the expression language: one line with the error and its position,
 * the line of the text, and a caret under the column. The line is cut to a window around the
 * position, so that the message fits in an error record. A call by name has no text: its messages
 * begin with the function's name.
 */
#include "lang/expr.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/mem.h"

enum { WINDOW = 72, WINDOW_BYTES = 150, INDENT = 2 };

static int is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Appends n bytes of s, with control characters replaced by spaces. */
static size_t put_clean(char *buf, size_t at, size_t size, const char *s, size_t n)
{
    for (size_t i = 0; i < n && at + 1 < size; i++) {
        unsigned char c = (unsigned char)s[i];
        buf[at++] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
    }
    return at;
}

/* Writes two lines to buf, each after a line break: the line of the text that contains byte `at`,
 * and a caret under that byte. */
static void snippet(const gnd__expr *x, size_t at, char *buf, size_t size, size_t *line,
                    size_t *col)
{
    size_t begin = at, end = at;
    *line = 1;
    for (size_t i = 0; i < at; i++)
        *line += x->text[i] == '\n';
    while (begin > 0 && x->text[begin - 1] != '\n')
        begin--;
    while (end < x->len && x->text[end] != '\n')
        end++;
    if (end > begin && x->text[end - 1] == '\r' && end > at)
        end--;
    *col = 1;
    for (size_t i = begin; i < at; i++)
        *col += !is_tail((unsigned char)x->text[i]);
    /* A window of whole characters: at most three fifths of it before the position, the rest after
     * it. */
    size_t from = at, to = at, chars = 0, before = 0;
    while (from > begin && before < WINDOW * 3 / 5 && at - from < WINDOW_BYTES / 2) {
        do
            from--;
        while (from > begin && is_tail((unsigned char)x->text[from]));
        before++;
    }
    while (to < end && before + chars < WINDOW && to - from < WINDOW_BYTES) {
        do
            to++;
        while (to < end && is_tail((unsigned char)x->text[to]));
        chars++;
    }
    const char *lead = from > begin ? "..." : "";
    size_t k = 0;
    k += (size_t)snprintf(buf, size, "\n%*s%s", INDENT, "", lead);
    k = put_clean(buf, k, size, x->text + from, to - from);
    if (to < end)
        k = put_clean(buf, k, size, "...", 3);
    snprintf(buf + k, size - k, "\n%*s^", (int)(INDENT + strlen(lead) + before), "");
}

/* The message of a call by name. */
static int fail_call(gnd__expr *x, gnd_status code, const char *fmt, va_list ap)
{
    const size_t n = strlen(x->func);
    vsnprintf(x->err.msg, sizeof x->err.msg, fmt, ap);
    x->err.code = code;
    if (strncmp(x->err.msg, x->func, n) || x->err.msg[n] != ' ') /* "sin takes 1 argument" */
        gnd__err_named(&x->err, x->func);
    return -1;
}

int gnd__expr_fail(gnd__expr *x, gnd_status code, size_t at, const char *fmt, ...)
{
    if (x->err.code)
        return -1;
    if (!x->text) {
        va_list ap;
        va_start(ap, fmt);
        fail_call(x, code, fmt, ap);
        va_end(ap);
        return -1;
    }
    char tail[WINDOW_BYTES + WINDOW + 40], head[64];
    size_t line, col, max = sizeof x->err.msg;
    if (at > x->len)
        at = x->len;
    snippet(x, at, tail, sizeof tail, &line, &col);
    if (memchr(x->text, '\n', x->len))
        snprintf(head, sizeof head, "eval: line %zu, column %zu: ", line, col);
    else
        snprintf(head, sizeof head, "eval: column %zu: ", col);
    /* If there is not enough room, the message itself is cut. */
    size_t room = max - strlen(head) - strlen(tail);
    char msg[sizeof x->err.msg];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(msg, room, fmt, ap);
    va_end(ap);
    if (n >= (int)room && room > 4)
        memcpy(msg + room - 4, "...", 4);
    for (char *p = msg; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
    const size_t before = strlen(head), own = strlen(msg);
    memcpy(x->err.msg, head, before);
    memcpy(x->err.msg + before, msg, own);
    memcpy(x->err.msg + before + own, tail, strlen(tail) + 1);
    x->err.code = code;
    return -1;
}

int gnd__expr_nomem(gnd__expr *x)
{
    if (!x->err.code) {
        x->err.code = GND_ERR_NOMEM;
        snprintf(x->err.msg, sizeof x->err.msg, "%s: out of host memory",
                 x->text ? "eval" : x->func);
    }
    return -1;
}

int gnd__expr_grow(gnd__expr *x, void *p, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return 0;
    uint32_t more = *cap ? *cap * 2 : 64;
    if (more < *cap)
        return gnd__expr_nomem(x);
    void *old, *q;
    memcpy(&old, p, sizeof old);
    q = gnd__realloc(old, (size_t)more * size);
    if (!q)
        return gnd__expr_nomem(x);
    memcpy(p, &q, sizeof q);
    *cap = more;
    return 0;
}
