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

/* Whether fmt has no conversions but %s, %d, %lld, %c and %%. */
static int is_plain(const char *fmt)
{
    while ((fmt = strchr(fmt, '%')) != NULL) {
        const size_t n = fmt[1] == 'l' ? 3 : 1;
        if (n == 1 ? !fmt[1] || !strchr("sdc%", fmt[1]) : strncmp(fmt + 1, "lld", n) != 0)
            return 0;
        fmt += 1 + n;
    }
    return 1;
}

static void add_int(gnd__str *b, long long v)
{
    char text[24], *p = text + sizeof text;
    unsigned long long u = v < 0 ? 0 - (unsigned long long)v : (unsigned long long)v;
    do
        *--p = (char)('0' + u % 10);
    while ((u /= 10) != 0);
    if (v < 0)
        *--p = '-';
    gnd__str_addn(b, p, (size_t)(text + sizeof text - p));
}

/* The same as vsnprintf for a plain fmt, in a third of its time: texts of kernels are most of the
 * time of a plan. */
static void add_plain(gnd__str *b, const char *fmt, va_list ap)
{
    for (const char *p; (p = strchr(fmt, '%')) != NULL; fmt = p + 2) {
        const char *s;
        gnd__str_addn(b, fmt, (size_t)(p - fmt));
        switch (p[1]) {
        case 's':
            s = va_arg(ap, const char *);
            gnd__str_add(b, s ? s : "(null)");
            break;
        case 'd': add_int(b, va_arg(ap, int)); break;
        case 'c': gnd__str_addc(b, (char)va_arg(ap, int)); break;
        case 'l':
            add_int(b, va_arg(ap, long long));
            p += 2;
            break;
        default: gnd__str_addc(b, '%');
        }
    }
    gnd__str_add(b, fmt);
}

void gnd__str_addv(gnd__str *b, const char *fmt, va_list ap)
{
    if (b->bad)
        return;
    char small[256];
    va_list again;
    va_copy(again, ap);
    if (is_plain(fmt)) {
        add_plain(b, fmt, again);
        va_end(again);
        return;
    }
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
