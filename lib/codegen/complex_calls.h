/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/complex_calls.h - the names of the calls of complex.def.
 */
#ifndef GND_CODEGEN_COMPLEX_CALLS_H
#define GND_CODEGEN_COMPLEX_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* The bit of the call whose macro has this name ("ADD"); 0: there is none. */
uint64_t gnd__complex_bit(const char *macro);
/* The macro for a function that the text calls ("exp"); NULL: there is none. */
const char *gnd__complex_function(const char *name, size_t len);

#endif
