/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tap.c - see tap.h. Knows only the C library, so that it can test anything.
 */
#include "tap.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int planned = -1, count, failed;
static const char *todo;

/* Writes text so that each of its lines is a TAP comment. */
static void comment(const char *text)
{
    const char *p = text;
    while (*p) {
        size_t n = strcspn(p, "\n");
        printf("# %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
    fflush(stdout);
}

/* A name goes on the result's line: '#' would begin a directive, a newline would end it. */
static void name_line(const char *fmt, va_list ap)
{
    char name[512];
    vsnprintf(name, sizeof name, fmt, ap);
    for (char *p = name; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
        else if (*p == '#')
            *p = '$';
    fputs(name, stdout);
}

static int result(const char *file, int line, int pass, const char *fmt, va_list ap)
{
    count++;
    printf("%s %d - ", pass ? "ok" : "not ok", count);
    name_line(fmt, ap);
    if (todo)
        printf(" # TODO %s", todo);
    putchar('\n');
    if (!pass) {
        if (!todo)
            failed++;
        printf("#   failed at %s:%d\n", file, line);
    }
    fflush(stdout);
    return pass;
}

void tap_plan(int n)
{
    planned = n;
    printf("1..%d\n", n);
    fflush(stdout);
}

void tap_skip_all(const char *why, ...)
{
    va_list ap;
    va_start(ap, why);
    fputs("1..0 # SKIP ", stdout);
    name_line(why, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout);
    exit(0);
}

void tap_bail(const char *why, ...)
{
    va_list ap;
    va_start(ap, why);
    fputs("Bail out! ", stdout);
    name_line(why, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout);
    exit(1);
}

void tap_skip(int n, const char *why, ...)
{
    for (int i = 0; i < n; i++) {
        va_list ap;
        va_start(ap, why);
        printf("ok %d # SKIP ", ++count);
        name_line(why, ap);
        va_end(ap);
        putchar('\n');
    }
    fflush(stdout);
}

void tap_todo(const char *why)
{
    todo = why;
}

void tap_diag(const char *fmt, ...)
{
    char buf[8192];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    comment(buf);
}

int tap_done(void)
{
    if (planned < 0)
        printf("1..%d\n", count);
    else if (planned != count)
        printf("# planned %d checks but made %d\n", planned, count);
    if (failed)
        printf("# %d of %d checks failed\n", failed, count);
    fflush(stdout);
    return failed || (planned >= 0 && planned != count);
}

int tap_sanitized(void)
{
    const char *s = getenv("GND_TEST_SANITIZERS");
    return s && strcmp(s, "no") != 0;
}

int tap_count(void)
{
    return count;
}

int tap_failed(void)
{
    return failed;
}

int tap__ok(const char *file, int line, int pass, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    result(file, line, pass, fmt, ap);
    va_end(ap);
    return pass;
}

int tap__is_int(const char *file, int line, int64_t got, int64_t want, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int pass = result(file, line, got == want, fmt, ap);
    va_end(ap);
    if (!pass)
        tap_diag("   got %" PRId64 "\n  want %" PRId64, got, want);
    return pass;
}

int tap__is_f64(const char *file, int line, double got, double want, const char *fmt, ...)
{
    int same = (isnan(got) && isnan(want)) || (got == want && !signbit(got) == !signbit(want));
    va_list ap;
    va_start(ap, fmt);
    result(file, line, same, fmt, ap);
    va_end(ap);
    if (!same)
        tap_diag("   got %.17g (%a)\n  want %.17g (%a)", got, got, want, want);
    return same;
}

int tap__near(const char *file, int line, double got, double want, double tol, const char *fmt, ...)
{
    int same = fabs(got - want) <= tol;
    va_list ap;
    va_start(ap, fmt);
    result(file, line, same, fmt, ap);
    va_end(ap);
    if (!same)
        tap_diag("   got %.17g\n  want %.17g within %g", got, want, tol);
    return same;
}

int tap__is_str(const char *file, int line, const char *got, const char *want, const char *fmt, ...)
{
    int same = got && want ? !strcmp(got, want) : got == want;
    va_list ap;
    va_start(ap, fmt);
    result(file, line, same, fmt, ap);
    va_end(ap);
    if (!same)
        tap_diag("   got: %s\n  want: %s", got ? got : "(NULL)", want ? want : "(NULL)");
    return same;
}

int tap__has_str(const char *file, int line, const char *got, const char *want, const char *fmt,
                 ...)
{
    int has = got && want && strstr(got, want);
    va_list ap;
    va_start(ap, fmt);
    result(file, line, has, fmt, ap);
    va_end(ap);
    if (!has)
        tap_diag("   got: %s\n  without: %s", got ? got : "(NULL)", want ? want : "(NULL)");
    return has;
}

int tap__is_mem(const char *file, int line, const void *got, const void *want, uint64_t n,
                const char *fmt, ...)
{
    const unsigned char *a = got, *b = want;
    uint64_t at = 0;
    while (at < n && a[at] == b[at])
        at++;
    va_list ap;
    va_start(ap, fmt);
    result(file, line, at == n, fmt, ap);
    va_end(ap);
    if (at < n)
        tap_diag("  byte %" PRIu64 " of %" PRIu64 ": got 0x%02x, want 0x%02x", at, n, a[at], b[at]);
    return at == n;
}
