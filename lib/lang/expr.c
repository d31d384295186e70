/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/expr.c - gnd_eval and gnd_eval_names: pass names and arrays to the evaluator.
 */
#include <gnd/array.h>
#include <gnd/eval.h>
#include "base/mem.h"
#include "lang/expr.h"

#include <stdarg.h>

gnd_array *gnd_eval_names(gnd_device *dev, const char *text, int n, const char *const *names,
                          gnd_array *const *values)
{
    return gnd__expr_eval(dev, text, n, names, values);
}

gnd_array *gnd_eval(gnd_device *dev, const char *text, ...)
{
    va_list ap;
    int n = 0;
    va_start(ap, text);
    while (va_arg(ap, const char *)) {
        (void)va_arg(ap, gnd_array *);
        n++;
    }
    va_end(ap);
    const char **names = gnd__malloc(((size_t)n + 1) * sizeof *names);
    gnd_array **values = gnd__malloc(((size_t)n + 1) * sizeof *values);
    gnd_array *y;
    if (names && values) {
        va_start(ap, text);
        for (int i = 0; i < n; i++) {
            names[i] = va_arg(ap, const char *);
            values[i] = va_arg(ap, gnd_array *);
        }
        va_end(ap);
        y = gnd__expr_eval(dev, text, n, names, values);
    } else {
        y = gnd_fail(GND_ERR_NOMEM, "eval: out of host memory");
    }
    gnd__free(names);
    gnd__free(values);
    return y;
}
