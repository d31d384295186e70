/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/strbuf.h - a growing string with a sticky out-of-memory flag that is checked once, at the
 * end.
 */
#ifndef GND_BASE_STRBUF_H
#define GND_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

typedef struct gnd__str {
    char *s; /* terminated; NULL if empty */
    size_t len, cap;
    int bad; /* an allocation failed; s holds the text from before */
} gnd__str;

void gnd__str_add(gnd__str *b, const char *s);
void gnd__str_addn(gnd__str *b, const char *s, size_t n);
void gnd__str_addc(gnd__str *b, char c);
void gnd__str_addf(gnd__str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gnd__str_addv(gnd__str *b, const char *fmt, va_list ap);
void gnd__str_clear(gnd__str *b); /* empties it and keeps the memory */
void gnd__str_free(gnd__str *b);
/* The text ("" if empty), owned by b. */
const char *gnd__str_get(const gnd__str *b);

#endif
