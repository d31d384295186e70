/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/strbuf.c - the growing string of strbuf.h. After a failed allocation every later addition
 * does nothing, so that a caller checks b->bad once, at the end.
 */
#include "base/strbuf.h"

#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Makes room for n more bytes and the terminator. */
static int room(gnd__str *b, size_t n)
{
    if (b->bad)
        return 0;
    if (n < b->cap - b->len)
        return 1;
    if (n > (size_t)PTRDIFF_MAX / 2 - b->len - 1)
        return b->bad = 1, 0;
    size_t cap = b->cap ? b->cap : 64;
    while (cap - b->len <= n)
        cap *= 2;
    char *s = gnd__realloc(b->s, cap);
    if (!s)
        return b->bad = 1, 0;
    b->s = s;
    b->cap = cap;
    b->s[b->len] = '\0';
    return 1;
}

void gnd__str_add(gnd__str *b, const char *s)
{
    gnd__str_addn(b, s, strlen(s));
}

void gnd__str_addn(gnd__str *b, const char *s, size_t n)
{
    if (n == 0 || !room(b, n))
        return;
    memcpy(b->s + b->len, s, n);
    b->len += n;
    b->s[b->len] = '\0';
}

void gnd__str_addc(gnd__str *b, char c)
{
    gnd__str_addn(b, &c, 1);
}

void gnd__str_addf(gnd__str *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    gnd__str_addv(b, fmt, ap);
    va_end(ap);
}

void gnd__str_addv(gnd__str *b, const char *fmt, va_list ap)
{
    if (b->bad)
        return;
    char small[256];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(small, sizeof small, fmt, ap);
    if (n < 0) {
        b->bad = 1;
    } else if ((size_t)n < sizeof small) {
        gnd__str_addn(b, small, (size_t)n);
    } else if (room(b, (size_t)n)) {
        vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void gnd__str_clear(gnd__str *b)
{
    b->len = 0;
    b->bad = 0;
    if (b->s)
        b->s[0] = '\0';
}

void gnd__str_free(gnd__str *b)
{
    gnd__free(b->s);
    *b = (gnd__str){0};
}

const char *gnd__str_get(const gnd__str *b)
{
    return b->s ? b->s : "";
}
