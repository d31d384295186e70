/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exprdump.h - programs of the expression language as text.
 */
#ifndef EXPRDUMP_H
#define EXPRDUMP_H

/* The program of text in postfix form, "2 3 4 * +", or the error's message. malloc'ed by
 * gnd__malloc; NULL when memory is out. */
char *exprdump(const char *text);

#endif
