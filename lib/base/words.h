/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/words.h - what must be one of some words, or is nearly one. A list of words is one string, with a blank
 * between them.
 */
#ifndef GND_BASE_WORDS_H
#define GND_BASE_WORDS_H

#include <stddef.h>

/* The number, from 0, of the n characters at s among the words of list; -1: it is none. fold: letters of either case
 * are the same. */
int gnd__word_find(const char *list, const char *s, size_t n, int fold);
/* "'full', 'same' or 'valid'" for the list "full same valid" and the quote "'", cut to size. */
void gnd__word_list(char *out, size_t size, const char *list, const char *quote);

/* The edit distance of two names (letters of other case count half), in halves of an edit. */
int gnd__near(const char *a, size_t na, const char *b, size_t nb);

#endif
