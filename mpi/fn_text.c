/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fn_text.c - functions that are compositions written in the expression language: rows of
 * compose.def. A row's text sees the parameters of the function by name, `t`, the dtype of the
 * result, and `wide`, float32 for a result of 16 bits and t for others. gnd computes dtype and
 * shape of the result, and finds the errors, on placeholders before.
 */
#include "call.h"

#include <string.h>

typedef struct composition {
    const char *names; /* separated by blanks */
    const char *kinds; /* of the dtype of the first array, or "" for all */
    const char *given; /* the parameters that may be given */
    const char *text;
} composition;

static const composition rows[] = {
#define TEXT(names, kinds, given, text) {names, kinds, given, text},
#include "compose.def"
#undef TEXT
    {NULL, NULL, NULL, NULL},
};

/* The default of a parameter, which is written in Python's syntax. */
static gnd_value initial(const char *s)
{
    if (!strcmp(s, "True") || !strcmp(s, "False"))
        return gnd_value_bool(s[0] == 'T');
    if (*s == '\'')
        return (gnd_value){GND_V_STRING, 0, {.text = {s + 1, strlen(s) - 2}}};
    if (!*s || !strcmp(s, "None"))
        return gnd_value_none();
    return strpbrk(s, ".e") ? gnd_value_float(strtod(s, NULL)) : gnd_value_int(strtoll(s, NULL, 0));
}

gnd_status gndm__fn_text(gndm__args *a)
{
    gndm_array *x = a->n ? gndm__as_array(&a->v[0]) : NULL;
    const char kind[2] = {x ? gnd_dtype_kind(x->dtype) : 0};
    const composition *row = rows;
    while (x && row->names &&
           !(gndm__word(row->names, a->name) && (!*row->kinds || strstr(row->kinds, kind)) &&
             gndm__only(a, row->given)))
        row++;
    if (!x || !row->names)
        return gndm__fn_lines(a);
    gnd_array *like;
    const gnd_status st = gndm__expect(a, &like);
    if (st)
        return st;
    const char *names[GND_PARAMETERS + 2];
    gnd_value v[GND_PARAMETERS + 2];
    int n = 0;
    for (int i = 0; i < a->info->nparameters; i++) {
        const gnd_value *arg = gndm__arg(a, a->info->parameter[i].name);
        names[n] = a->info->parameter[i].name;
        v[n++] = arg ? *arg : initial(a->info->parameter[i].value);
    }
    const gnd_dtype t = gnd_dtype_of(like);
    names[n] = "t";
    v[n++] = gnd_value_dtype(t);
    names[n] = "wide";
    v[n++] = gnd_value_dtype(t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t);
    return gndm__ret_like(a, gndm__text(a->c, row->text, n, names, v), like);
}
