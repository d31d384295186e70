/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/eval.h - the expression language: NumPy's syntax on the same graph, with the same fusion.
 */
#ifndef GND_EVAL_H
#define GND_EVAL_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Evaluates text and returns the value of its last statement. text is followed by pairs of a name
 * (const char *) and its array (gnd_array *), and then NULL:
 *     gnd_eval(dev, "exp(-0.5*((x-m)/s)**2) / (s*sqrt(2*pi))", "x", x, "m", m, "s", s, NULL);
 * dev is the device of arrays that the text itself makes (zeros, arange); NULL: the device of the
 * first array. Statements are separated by ';' or line ends. `name = expression` assigns.
 * `name[index] = value` (or += and so on) binds the name to a new array with these elements
 * changed; the caller's array and other names for it keep their values. Errors: GND_ERR_SYNTAX,
 * GND_ERR_NAME, and those of the called functions. The second line of the message is the line of
 * the text; the third has a caret under the place. */
GND_API gnd_array *gnd_eval(gnd_device *dev, const char *text, ...) GND_SENTINEL;
/* Same as gnd_eval, with n names and arrays in lists. */
GND_API gnd_array *gnd_eval_names(gnd_device *dev, const char *text, int n,
                                  const char *const *names, gnd_array *const *values);

#ifdef __cplusplus
}
#endif
#endif
