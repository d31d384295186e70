/* SPDX-License-Identifier: BSD-3-Clause
 *
 * programs_data.h - those of bench/programs_c.c that analyse data: PageRank, k-means, principal
 * components, logistic regression; and the numbers that all programs draw.
 */
#ifndef PROGRAMS_DATA_H
#define PROGRAMS_DATA_H

#include <stddef.h>
#include <stdint.h>

/* Sequence k of 24-bit integers, at i. */
int64_t programs_spread(int64_t i, int k);
/* The same in (0, 1). */
double programs_unit(int64_t i, int k);
/* Zeros; ends the process when there is no memory. */
void *programs_room(size_t n, size_t size);

/* Makes the inputs of the programs. */
void programs_data(void);
double programs_pagerank(void);
double programs_kmeans(void);
double programs_pca(void);
double programs_logistic(void);

#endif
