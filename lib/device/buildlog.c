/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/buildlog.c - see buildlog.h.
 */
#include "device/buildlog.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "base/strbuf.h"

/* Reads the decimal number at *p and advances *p. Returns -1 if there is no number or it is too
 * large. */
static int number(const char **p)
{
    long n = 0;
    const char *s = *p;
    while (*s >= '0' && *s <= '9' && n <= INT_MAX / 10 - 1)
        n = 10 * n + *s++ - '0';
    const int found = s > *p && !(*s >= '0' && *s <= '9');
    *p = s;
    return found ? (int)n : -1;
}

static const char *line_end(const char *p)
{
    const char *nl = strchr(p, '\n');
    return nl ? nl : p + strlen(p);
}

/* Writes the place that #line gives to a line of the text, `name:line`. Returns 0 if no #line
 * stands before it. */
static int place(gnd__str *out, const char *text, size_t len, int line)
{
    const char *end = text + len, *name = NULL;
    int namelen = 0, at = 0, from = 0;
    for (int i = 1; i < line; i++) {
        const char *nl = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
        if (!nl)
            return 0;
        if (nl - text > 6 && !memcmp(text, "#line ", 6)) {
            const char *p = text + 6;
            const int n = number(&p);
            const char *close = n >= 0 && p[0] == ' ' && p[1] == '"'
                                    ? memchr(p + 2, '"', (size_t)(nl - p - 2))
                                    : NULL;
            if (close) {
                name = p + 2;
                namelen = (int)(close - name);
                at = n;
                from = i + 1;
            }
        }
        text = nl + 1;
    }
    if (!name || text == end)
        return 0;
    gnd__str_addf(out, "%.*s:%d", namelen, name, at + line - from);
    return 1;
}

/* `<name>:line:column: `: returns what follows the line number, or NULL. */
static const char *whole_text(gnd__str *out, const char *p, const char *text, size_t len)
{
    const char *end = line_end(p), *close = memchr(p, '>', (size_t)(end - p));
    if (*p != '<' || !close || close[1] != ':')
        return NULL;
    const char *rest = close + 2;
    const int line = number(&rest);
    return line > 0 && *rest == ':' && place(out, text, len, line) ? rest : NULL;
}

/* The column that a caret shows: 2 blanks, then the source line, on the line before the caret's. 0
 * if there is none before the next message. */
static int caret(const char *p)
{
    for (p = line_end(p); *p; p = line_end(p + 1)) {
        const size_t blank = strspn(p + 1, " ");
        if (p[1 + blank] == '^')
            return (int)blank - 1;
        if (p[1] != ' ')
            return 0;
    }
    return 0;
}

/* `name(line): `: returns what follows the parenthesis, or NULL. */
static const char *parenthesis(gnd__str *out, const char *p)
{
    const char *end = line_end(p), *open = memchr(p, '(', (size_t)(end - p));
    if (!open || open == p || memchr(p, ' ', (size_t)(open - p)))
        return NULL;
    const char *rest = open + 1;
    const int line = number(&rest);
    if (line < 0 || rest[0] != ')' || rest[1] != ':')
        return NULL;
    gnd__str_addf(out, "%.*s:%d", (int)(open - p), p, line);
    const int column = caret(p);
    if (column > 0)
        gnd__str_addf(out, ":%d", column);
    return rest + 1;
}

char *gnd__buildlog_places(char *log, const char *text, size_t len)
{
    gnd__str out = {0};
    int changed = 0;
    for (const char *p = log; *p;) {
        const char *rest = whole_text(&out, p, text, len);
        if (!rest)
            rest = parenthesis(&out, p);
        changed |= rest != NULL;
        p = rest ? rest : p;
        const char *end = line_end(p);
        end += *end == '\n';
        gnd__str_addn(&out, p, (size_t)(end - p));
        p = end;
    }
    char *made = changed && !out.bad ? malloc(out.len + 1) : NULL;
    if (made) {
        memcpy(made, gnd__str_get(&out), out.len + 1);
        free(log);
    }
    gnd__str_free(&out);
    return made ? made : log;
}

const char *gnd__buildlog_error(const char *log)
{
    const char *p = strstr(log, "error");
    if (!p)
        return log;
    while (p > log && p[-1] != '\n')
        p--;
    return p;
}
