/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/eval.h - the expression language: NumPy's syntax, the same graph, the same fusion.
 */
#ifndef GND_EVAL_H
#define GND_EVAL_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The value of the last statement of text. After it come pairs of a name (const char *) and its
 * array (gnd_array *), then NULL:
 *     gnd_eval(dev, "exp(-0.5*((x-m)/s)**2) / (s*sqrt(2*pi))", "x", x, "m", m, "s", s, NULL);
 * dev is where arrays that the text itself makes (zeros, arange) live; NULL: the first array's.
 * Statements are separated by ';' or line ends; `name = expression` assigns, and `name[index] = value`
 * (or += and so on) gives the name a new array with these elements changed: the caller's array stays as
 * it is, and so do other names of it. Errors:
 * GND_ERR_SYNTAX, GND_ERR_NAME and those of the functions called; the message ends in a second line
 * with the text's line and a third with a caret under the place. */
GND_API gnd_array *gnd_eval(gnd_device *dev, const char *text, ...) GND_SENTINEL;
/* The same with n names and arrays. */
GND_API gnd_array *gnd_eval_names(gnd_device *dev, const char *text, int n, const char *const *names,
                                  gnd_array *const *values);

#ifdef __cplusplus
}
#endif
#endif
