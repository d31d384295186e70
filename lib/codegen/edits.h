/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/edits.h - changes of a source text that are noted first and written later. A change
 * replaces some bytes by another text. Shorter texts are filled with blanks, so that the rest of
 * the line keeps its columns. Pure text; knows no language.
 */
#ifndef GND_CODEGEN_EDITS_H
#define GND_CODEGEN_EDITS_H

#include <stdint.h>
#include "base/strbuf.h"

typedef struct gnd__edit {
    uint32_t at, len;    /* bytes of the source */
    uint32_t text, size; /* the new text: bytes of gnd__edits.text */
    uint32_t order;      /* of those at one place, the first noted is written first */
} gnd__edit;

typedef struct gnd__edits {
    gnd__edit *edit;
    uint32_t n, cap;
    int sorted, bad; /* bad: out of memory */
    gnd__str text;
} gnd__edits;

/* Notes that len bytes at `at` become what is printed. len 0: an insertion. */
void gnd__edit_add(gnd__edits *x, size_t at, size_t len, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Appends src[from, to) with the changes that begin there. Those that overlap one before them are
 * left out. out->bad when memory is out. */
void gnd__edits_copy(gnd__edits *x, const char *src, size_t from, size_t to, gnd__str *out);
void gnd__edits_clear(gnd__edits *x);
void gnd__edits_free(gnd__edits *x);

#endif
