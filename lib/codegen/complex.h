/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/complex.h - the operators and functions of complex numbers in pieces of the user's code
 * (codegen/snippet.h). C has none for them: OpenCL C would multiply the parts of two vectors. So an
 * expression x * y + 1 becomes GNDZ_ADD(GNDZ_MUL(x, y), 1), in which the compiler chooses by the
 * types of the operands. Text to text.
 */
#ifndef GND_CODEGEN_COMPLEX_H
#define GND_CODEGEN_COMPLEX_H

#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"

/* The dtypes of a text: bits. */
enum { GND__Z64 = 1, GND__Z128 = 2 };

/* Appends `text`, statements or (value) one expression, with calls instead of operators; *used gets
 * a bit for each kind of call. Line numbers are kept. GND_ERR_UNSUPPORTED names WHAT, line and
 * column. */
gnd_status gnd__complex_text(const char *what, const char *text, int value, gnd__str *out,
                             uint64_t *used, gnd_err *e);
/* The first appends the definitions of these calls for those dtypes, the second the lines that
 * undefine them. */
void gnd__complex_begin(uint64_t used, int dtypes, gnd__str *out);
void gnd__complex_end(uint64_t used, gnd__str *out);

#endif
