/* SPDX-License-Identifier: BSD-3-Clause
 *
 * csv.h - figures for the examples from a file.
 */
#ifndef CSV_H
#define CSV_H

#include <stddef.h>

/* Reads lines "x,y" into x and y, which have room for most; lines that begin with # are comments,
 * a y of nan is a missing figure. Their number, or -1 with place and reason in why (cap bytes). */
int csv_pairs(const char *path, int most, float *x, float *y, char *why, size_t cap);

#endif
