/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/about.c - describes functions from the tables, for bindings, help and listings: the last
 * part of gnd/call.h. It calls none of the functions.
 */
#include <gnd/call.h>

#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/words.h"
#include "lang/call.h"

static const char *const groups[] = {
    [GND__GROUP_MAIN] = "main",
    [GND__GROUP_LINALG] = "linalg",
    [GND__GROUP_FFT] = "fft",
    [GND__GROUP_RANDOM] = "random",
    [GND__GROUP_SPECIAL] = "special",
    [GND__GROUP_SIGNAL] = "signal",
    [GND__GROUP_EXTENSIONS] = "extensions",
};

/* The C function of each operation, and the description of its result. */
static const char *const op_calls[][2] = {
#define GND_OP(id, name, func, nin, rule, out, b, i, u, f, c, cost, doc, near) {#func, doc},
#include "base/opset.def"
#undef GND_OP
};

/* Operations that NumPy does not have under these names: those of scipy.special, and gnd's own. */
static const struct {
    int group;
    const char *names;
} op_groups[] = {
    {GND__GROUP_SPECIAL,
     "erf xlogy sigmoid logit gamma lgamma digamma erfc erfinv erfcinv ndtr ndtri log_ndtr"},
    {GND__GROUP_EXTENSIONS, "rsqrt frexp_mantissa frexp_exponent modf_fraction from_parts"},
};

static int op_group(const char *name)
{
    for (size_t i = 0; i < sizeof op_groups / sizeof op_groups[0]; i++)
        if (gnd__word_find(op_groups[i].names, name, strlen(name), 0) >= 0)
            return op_groups[i].group;
    return GND__GROUP_MAIN;
}

static int same(const gnd_function *a, const gnd_function *b)
{
    return a->entry == b->entry && a->op == b->op && a->dtype == b->dtype &&
           a->python == b->python && a->method == b->method;
}

const gnd_function *gnd_function_at(int i)
{
    return gnd__function_first(i);
}

const char *gnd_function_name(const gnd_function *f, int i)
{
    const gnd_function *g;
    for (int k = 0; f && i >= 0 && (g = gnd__function_at(k)); k++)
        if (same(f, g) && i-- == 0)
            return g->name;
    return NULL;
}

/* --- parameters ------------------------------------------------------------------------------- */

static void copy(char *to, size_t size, const char *from, size_t n)
{
    snprintf(to, size, "%.*s", (int)n, from);
}

/* Describes parameter p of the signature s. */
static void tell(const char *s, const gnd__param *p, gnd_parameter *out)
{
    const char *names = s + p->at, *end = names + p->n;
    const size_t first = strcspn(names, "|,=");
    copy(out->name, sizeof out->name, names, first);
    if (names + first < end)
        copy(out->others, sizeof out->others, names + first + 1, p->n - first - 1);
    for (char *c = out->others; *c; c++)
        *c = *c == '|' ? ' ' : *c;
    if (*end == '=')
        copy(out->value, sizeof out->value, end + 1, gnd__sig_default(end + 1));
    out->kind = p->rest           ? GND_PARAMETER_REST
                : p->keyword_only ? GND_PARAMETER_KEYWORD
                                  : GND_PARAMETER_ANY;
}

/* Describes the n operands of a function that takes them by position only. */
static void tell_operands(int n, gnd_function_info *info)
{
    info->nparameters = n;
    for (int i = 0; i < n; i++)
        snprintf(info->parameter[i].name, sizeof info->parameter[i].name, n > 1 ? "x%d" : "x",
                 i + 1);
    const size_t len = strlen(info->signature);
    snprintf(info->signature + len - 1, sizeof info->signature - len + 1, ", /)");
}

gnd_status gnd_function_describe(const gnd_function *f, gnd_function_info *info)
{
    if (!f || !info)
        return gnd__refuse(GND_ERR_NULL, "function_describe: %s is NULL", f ? "info" : "f");
    int nin = 1; /* for a dtype as a function */
    memset(info, 0, sizeof *info);
    info->name = gnd_function_name(f, 0);
    info->calls = f->fn ? f->fn->calls : f->op >= 0 ? op_calls[f->op][0] : "gnd_astype gnd_asarray";
    info->doc = f->fn        ? f->fn->doc
                : f->op >= 0 ? op_calls[f->op][1]
                : f->python  ? "Numbers and arrays as this kind, in the device's width of it."
                             : "Numbers and arrays as this dtype.";
    info->group = groups[f->fn        ? f->fn->group
                         : f->op >= 0 ? op_group(gnd__expr_op_name(f->op, &nin))
                                      : GND__GROUP_MAIN];
    /* the function and the method of one entry have the same names */
    const gnd_function *kinds[2] = {f, f};
    for (int method = 0; method < 2; method++)
        if (f->method != method) {
            kinds[method] = gnd__function(f->name, strlen(f->name), method);
            if (kinds[method] && kinds[method]->entry != f->entry)
                kinds[method] = NULL;
        }
    if (kinds[0])
        gnd__sig_show(kinds[0], info->signature, sizeof info->signature);
    if (kinds[1] && f->entry >= 0)
        gnd__sig_show(kinds[1], info->method, sizeof info->method);
    if (!f->fn) {
        tell_operands(nin, info);
        return GND_OK;
    }
    info->nparameters = f->sig->n;
    for (int i = 0; i < f->sig->n; i++)
        tell(f->fn->params, &f->sig->p[i], &info->parameter[i]);
    return GND_OK;
}
