/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/words.h - finds words in lists and similar words. A list is one string of words separated by
 * single blanks.
 */
#ifndef GND_BASE_WORDS_H
#define GND_BASE_WORDS_H

#include <stddef.h>

/* The index, from 0, of the n characters at s in the list, or -1. fold: ignore case. */
int gnd__word_find(const char *list, const char *s, size_t n, int fold);
/* Writes the list "full same valid" as "'full', 'same' or 'valid'" with the quote "'". Cut to
 * size. */
void gnd__word_list(char *out, size_t size, const char *list, const char *quote);

/* The edit distance of two names in half edits; a difference in case is half an edit. */
int gnd__near(const char *a, size_t na, const char *b, size_t nb);

#endif
