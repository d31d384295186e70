/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/tune.c - see tune.h.
 */
#include "base/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const gnd__tune_row gnd__tune_rows[GND__NTUNE] = {
#define GND_TUNE(id, name, kernels, step, least, most, dflt, text)                                 \
    {#name, text, kernels, step, least, most, dflt},
#include "base/tune.def"
#undef GND_TUNE
};

void gnd__tune_defaults(gnd__tune *t)
{
    for (int i = 0; i < GND__NTUNE; i++)
        t->v[i] = gnd__tune_rows[i].dflt;
}

int gnd__tune_library(gnd_dtype t)
{
    return t == GND_FLOAT32      ? GND__TUNE_LIBRARY_F32
           : t == GND_FLOAT64    ? GND__TUNE_LIBRARY_F64
           : t == GND_COMPLEX64  ? GND__TUNE_LIBRARY_C64
           : t == GND_COMPLEX128 ? GND__TUNE_LIBRARY_C128
                                 : -1;
}

int gnd__tune_find(const char *name)
{
    for (int i = 0; i < GND__NTUNE; i++)
        if (!strcmp(gnd__tune_rows[i].name, name))
            return i;
    return -1;
}

gnd_status gnd__tune_check(int i, int64_t value, gnd_err *e)
{
    const gnd__tune_row *r = &gnd__tune_rows[i];
    if (value >= r->least && value <= r->most && (r->step == '1' || (value & (value - 1)) == 0))
        return GND_OK;
    return gnd__err(e, GND_ERR_ARG, "%s is %s from %d to %d, not %lld", r->name,
                    r->step == '1'  ? "a number"
                    : r->least == 0 ? "0 or a power of two"
                                    : "a power of two",
                    r->least, r->most, (long long)value);
}

void gnd__tune_write(const gnd__tune *t, const char *comment, gnd__str *out)
{
    gnd__str_add(out, "gnd-tune 1\n");
    if (comment)
        gnd__str_addf(out, "# %s\n", comment);
    for (int i = 0; i < GND__NTUNE; i++)
        gnd__str_addf(out, "%s %d\n", gnd__tune_rows[i].name, t->v[i]);
    gnd__str_add(out, "end\n");
}

/* Reads one line "NAME VALUE". */
static gnd_status read_line(const char *line, gnd__tune *t, unsigned *seen, gnd_err *e)
{
    char name[32], *end;
    size_t len = strcspn(line, " ");
    int i;
    if (len == 0 || len >= sizeof name || line[len] != ' ')
        return gnd__err(e, GND_ERR_FORMAT, "'%.40s' is not a name and a number", line);
    memcpy(name, line, len);
    name[len] = '\0';
    i = gnd__tune_find(name);
    if (i < 0)
        return gnd__err(e, GND_ERR_FORMAT, "there is no parameter '%s'", name);
    if (*seen & 1u << i)
        return gnd__err(e, GND_ERR_FORMAT, "%s is given twice", name);
    long v = strtol(line + len + 1, &end, 10);
    if (end == line + len + 1 || *end)
        return gnd__err(e, GND_ERR_FORMAT, "%s has no number: '%.40s'", name, line + len + 1);
    if (gnd__tune_check(i, v, e))
        return GND_ERR_FORMAT;
    t->v[i] = (int)v;
    *seen |= 1u << i;
    return GND_OK;
}

gnd_status gnd__tune_read(const char *text, size_t n, gnd__tune *t, gnd_err *e)
{
    gnd_err why = {0};
    unsigned seen = 0;
    int number = 0, ended = 0;
    gnd__tune_defaults(t);
    for (size_t at = 0; at < n && !why.code;) {
        char line[128];
        const char *nl = memchr(text + at, '\n', n - at);
        size_t len = nl ? (size_t)(nl - (text + at)) : n - at;
        number++;
        if (ended)
            gnd__err(&why, GND_ERR_FORMAT, "text after the line 'end'");
        else if (!nl || len >= sizeof line || memchr(text + at, '\0', len))
            gnd__err(&why, GND_ERR_FORMAT, "the line is incomplete, too long or not text");
        if (why.code)
            break;
        memcpy(line, text + at, len);
        line[len] = '\0';
        at += len + 1;
        if (number == 1 && strcmp(line, "gnd-tune 1"))
            gnd__err(&why, GND_ERR_FORMAT, "the first line must be 'gnd-tune 1', not '%.40s'",
                     line);
        else if (number > 1 && !strcmp(line, "end"))
            ended = 1;
        else if (number > 1 && line[0] != '#')
            why.code = read_line(line, t, &seen, &why);
    }
    if (!why.code && !ended)
        gnd__err(&why, GND_ERR_FORMAT, "the file is incomplete: the line 'end' is missing");
    if (!why.code)
        return GND_OK;
    gnd__tune_defaults(t);
    return gnd__err(e, GND_ERR_FORMAT, "line %d: %.400s", number, why.msg);
}
