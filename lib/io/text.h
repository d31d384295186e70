/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/text.h - arrays as text, exactly as NumPy's str() and print() give them with default options:
 * 8 digits of precision, lines of 75 columns, and above 1000 elements only the first and last 3
 * along each axis.
 *
 * The rules are those of NumPy 2.0 to 2.2. (From 2.3 on NumPy changes to scientific notation at 1e6
 * for float32 and at 1e3 for float16; gnd does so at 1e8 for all, as before.) bfloat16, which NumPy
 * does not have, follows the same rules with as many digits as distinguish its values.
 */
#ifndef GND_IO_TEXT_H
#define GND_IO_TEXT_H

#include "base/strbuf.h"

#include <gnd/backend.h>

/* Elements shown at each end of an axis of a long array. */
#define GND__TEXT_EDGE 3

/* Which elements of an array of that shape are printed. Along axis k: all if edge[k] == shape[k];
 * the first 3 and the last 3 if edge[k] < shape[k] (edge[k] is then 6). Returns 1 if there is such
 * an axis. A caller with the array on a device reads only these elements. */
int gnd__text_edges(int ndim, const int64_t *shape, int64_t *edge);

/* Appends the text of an array of that shape, given only its printed elements: data is C-contiguous
 * with the shape that gnd__text_edges gives. No newline at the end. Errors: GND_ERR_DTYPE,
 * GND_ERR_OVERFLOW, GND_ERR_NOMEM. */
gnd_status gnd__text_corners(gnd__str *out, gnd_dtype t, int ndim, const int64_t *shape,
                             const void *data, gnd_err *e);

/* The common format of the elements of one printed array. */
typedef struct gnd__text_float {
    gnd_dtype t;     /* float16 ... float64 */
    int exponent;    /* scientific notation */
    int plus;        /* always print a sign (imaginary parts) */
    int precision;   /* digits after the point: a maximum, or exact if exponent is set */
    int left, right; /* columns before and after the point */
    int exp_digits;  /* digits of the exponent */
} gnd__text_float;

typedef struct gnd__text_format {
    gnd_dtype t;
    int kind;
    int width; /* integers */
    gnd__text_float re, im;
} gnd__text_format;

/* The longest text of one element, with its terminator. */
#define GND__TEXT_MAX 160

/* Determines the common format of count elements at data. */
void gnd__text_format_of(gnd__text_format *f, gnd_dtype t, const void *data, int64_t count);
/* Writes the element at p in that format, padded. Returns its length. */
int gnd__text_element(const gnd__text_format *f, const void *p, char buf[GND__TEXT_MAX]);
/* Writes the single element at p like str() of a NumPy scalar. Returns its length. */
int gnd__text_scalar(gnd_dtype t, const void *p, char buf[GND__TEXT_MAX]);

#endif
