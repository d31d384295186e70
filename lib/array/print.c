/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/print.c - arrays as text. Of a long array only the printed elements are computed and read:
 * the first and last three along each axis.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "array/host.h"
#include "array/steps.h"
#include "base/mem.h"
#include "graph/check.h"
#include "io/text.h"
#include <gnd/array.h>
#include <gnd/view.h>

gnd_status gnd__host_copy(const char *func, gnd_array *x, void **data)
{
    size_t n = gnd__nbytes(x);
    gnd_status st = GND_OK;
    *data = gnd__malloc(n ? n : 1);
    if (!*data)
        return gnd__refuse(GND_ERR_NOMEM, "%s: out of host memory", func);
    if (x->weak)
        gnd__store_scalar((gnd_dtype)x->dtype, *data, &x->p.value);
    else
        st = gnd__message_named(func, gnd_read(x, *data, n));
    if (st) {
        gnd__free(*data);
        *data = NULL;
    }
    return st;
}

/* x reduced to its printed elements: both ends of each axis along which edge is smaller. */
static gnd_array *corners(gnd_array *x, const int64_t *edge)
{
    gnd_array *y = x;
    for (int k = 0; k < x->ndim && y->kind != GND__ERROR; k++) {
        if (edge[k] == x->dim[k])
            continue;
        int64_t half = edge[k] / 2;
        gnd_array *end[2] = {gnd__slice(y, k, 0, half), gnd__slice(y, k, x->dim[k] - half, half)};
        y = gnd_concat(2, end, k);
    }
    return y;
}

static gnd_status no_memory(const char *func)
{
    const gnd_err e = {.code = GND_ERR_NOMEM, .msg = "out of host memory"};
    return gnd__only_status(func, &e);
}

/* After a failure gnd_message has the text. */
static gnd_status to_text(const char *func, gnd_array *x, gnd__str *text)
{
    gnd_array *bad = gnd__check(x, func, "x");
    if (bad) {
        gnd_status code = gnd__only_status(func, bad->p.err);
        gnd_release(bad);
        return code;
    }
    int64_t edge[GND_MAX_NDIM];
    void *data;
    const gnd__inner in = gnd__enter(func);
    gnd_array *part = gnd__text_edges(x->ndim, x->dim, edge) ? corners(x, edge) : x;
    gnd_status st = gnd_status_of(part);
    if (st) {
        gnd_err e = {.code = st};
        snprintf(e.msg, sizeof e.msg, "%s", gnd_error(part));
        gnd__only_status(func, &e);
    } else {
        st = gnd__host_copy(func, part, &data);
    }
    gnd__leave_all(in, 0, NULL);
    if (st)
        return st;
    gnd_err e = {.code = GND_OK};
    if (gnd__text_corners(text, (gnd_dtype)x->dtype, x->ndim, x->dim, data, &e))
        st = gnd__only_status(func, &e);
    else if (text->bad)
        st = no_memory(func);
    gnd__free(data);
    return st;
}

char *gnd_to_string(gnd_array *x, gnd_status *s)
{
    gnd__str text = {0};
    char *copy = NULL;
    gnd_status st = to_text("to_string", x, &text);
    if (!st) {
        copy = malloc(text.len + 1); /* owned by the user, so not counted */
        if (copy)
            memcpy(copy, gnd__str_get(&text), text.len + 1);
        else
            st = no_memory("to_string");
    }
    gnd__str_free(&text);
    if (s)
        *s = st;
    return copy;
}

gnd_status gnd_print(gnd_array *x, FILE *out)
{
    gnd__str text = {0};
    if (!out)
        return gnd__refuse(GND_ERR_NULL, "print: out is NULL");
    gnd_status st = to_text("print", x, &text);
    if (!st && (fputs(gnd__str_get(&text), out) < 0 || putc('\n', out) < 0))
        st = gnd__only_status("print",
                              &(gnd_err){.code = GND_ERR_IO, .msg = "the file cannot be written"});
    gnd__str_free(&text);
    return st;
}
