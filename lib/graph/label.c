/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/label.c - see label.h; and the public functions on names and places (gnd/array.h).
 */
#include "graph/label.h"

#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "graph/check.h"
#include <gnd/array.h>

enum {
    NAME = 64,
    ARGS = 4
}; /* the length of the longest name; the most arguments that an error names */

/* State of the calling thread: the named arguments that its function has checked. */
static _Thread_local struct {
    int n;
    char func[40];
    char arg[ARGS][24], name[ARGS][NAME];
} args;

/* Adds a label to x. If file is NULL, it keeps the place that x has. Returns 0, or -1 if out of
 * memory. */
static int put(gnd_array *x, const char *name, const char *file, int line)
{
    gnd__label *old = __atomic_load_n(&x->label, __ATOMIC_ACQUIRE), *l;
    size_t n = strlen(name);
    n = n < NAME ? n : NAME - 1;
    while (n && n == NAME - 1 && (name[n] & 0xc0) == 0x80) /* do not split a character */
        n--;
    l = gnd__malloc(sizeof *l + n + 1);
    if (!l)
        return -1;
    for (size_t i = 0; i < n; i++) /* messages are single lines */
        l->name[i] = (unsigned char)name[i] < 0x20 || name[i] == 0x7f ? ' ' : name[i];
    l->name[n] = '\0';
    do {
        l->file = old && !file ? old->file : file;
        l->line = old && !file ? old->line : line;
        l->before = old;
    } while (
        !__atomic_compare_exchange_n(&x->label, &old, l, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return 0;
}

void gnd__label_place(gnd_array *x)
{
    (void)put(x, "", gnd__here.file, gnd__here.line);
}

void gnd__label_free(gnd__label *l)
{
    for (gnd__label *before; l; l = before) {
        before = l->before;
        gnd__free(l);
    }
}

const char *gnd__what_text(char buf[GND__WHAT_TEXT], const gnd_array *x)
{
    const gnd__label *l = gnd__label_of(x);
    char shape[GND__SHAPE_TEXT];
    int n =
        snprintf(buf, GND__WHAT_TEXT, "%s %s",
                 x->kind == GND__ERROR ? "an error" : gnd_dtype_name((gnd_dtype)x->dtype),
                 x->kind == GND__ERROR ? x->p.err->msg : gnd__shape_text(shape, x->ndim, x->dim));
    n = n < 320 ? n : 320;
    if (l && l->name[0])
        n += snprintf(buf + n, GND__WHAT_TEXT - (size_t)n, " '%s'", l->name);
    if (l && l->file)
        snprintf(buf + n, GND__WHAT_TEXT - (size_t)n, ", made at %.80s:%d", l->file, l->line);
    return buf;
}

/* --- in errors -------------------------------------------------------------------------------- */

void gnd__label_arg(const char *func, const char *arg, const gnd_array *x)
{
    const char *name = gnd__name_of(x);
    if (args.n && strncmp(args.func, func, sizeof args.func - 1) != 0)
        args.n = 0;
    for (int i = 0; i < args.n; i++) /* it was checked already: this is another call */
        if (!strcmp(args.arg[i], arg))
            args.n = i;
    if (!name[0] || args.n == ARGS)
        return;
    snprintf(args.func, sizeof args.func, "%s", func);
    snprintf(args.arg[args.n], sizeof args.arg[0], "%s", arg);
    snprintf(args.name[args.n++], sizeof args.name[0], "%s", name);
}

void gnd__label_error(gnd_err *e)
{
    const size_t f = strlen(args.func);
    if (!args.n || strncmp(e->msg, args.func, f) != 0 || e->msg[f] != ':')
        return;
    size_t n = strlen(e->msg);
    for (int i = 0; i < args.n && n < sizeof e->msg - 1; i++)
        n += (size_t)snprintf(e->msg + n, sizeof e->msg - n, "%s%s is '%s'%s", i ? ", " : " (",
                              args.arg[i], args.name[i], i == args.n - 1 ? ")" : "");
    args.n = 0;
}

/* --- public ----------------------------------------------------------------------------------- */

gnd_array *gnd_name(gnd_array *x, const char *name)
{
    if (!x || !gnd__alive(x))
        return gnd__check(x, "name", "x");
    if (x != gnd__nomem())
        (void)put(x, name ? name : "", NULL, 0); /* out of memory leaves the label unchanged: names
                                                    are only for messages */
    return x;
}

const char *gnd_name_of(const gnd_array *x)
{
    return x && gnd__alive(x) ? gnd__name_of(x) : "";
}

const char *gnd_made_at(const gnd_array *x, int *line)
{
    const gnd__label *l = x && gnd__alive(x) ? gnd__label_of(x) : NULL;
    if (line)
        *line = l ? l->line : 0;
    return l ? l->file : NULL;
}
