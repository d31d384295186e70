/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench.h - the rows that gnd bench times, and what they work on.
 */
#ifndef GND_TOOL_BENCH_H
#define GND_TOOL_BENCH_H

#include "gnd.h"

typedef struct bench {
    gnd_device *dev;
    int gpu;             /* rows that take minutes on a CPU are for GPUs */
    int64_t n, side;     /* elements of x and y; M is side x side */
    gnd_array *x, *y, *m; /* float32, uniform in [0, 1); m is x as a matrix */
    gnd_array *a, *b;    /* what the row at hand works on, made by its setup */
    float *host;         /* n elements of host memory */
    float *pinned;       /* the same, pinned: made by a row of bench_transfers.c */
    gnd_status st;       /* of transfers, which give no array */
} bench;

typedef struct bench_row {
    char name[32];
    /* Before the row: fills w->a and w->b, which belong to the row's scope. NULL: nothing to do. */
    void (*setup)(bench *w, const struct bench_row *r);
    /* The work, as a user would write it. The result is evaluated by the caller; NULL when the call
     * did its work by itself, with its status in w->st. */
    gnd_array *(*call)(bench *w, const struct bench_row *r);
    double bytes;        /* the fewest that must be moved; 0: not what bounds the row */
    double flops;        /* of products; else 0 */
    gnd_dtype dtype;     /* of products and small arrays */
    int64_t dim, dim2;   /* dim2: of bench_science.c's, 0: one dimension */
    const char *text, *make; /* of bench_science.c: the expression, and that of its input */
} bench_row;

enum { BENCH_MAX_ROWS = 160 };
/* Fills rows (room for BENCH_MAX_ROWS) for the sizes and the device of w. The first is
 * the copy, by which others are judged. Returns their number. */
int bench_rows(const bench *w, bench_row *rows);
/* Those of bench_science.c, likewise. */
int bench_rows_science(const bench *w, bench_row *rows);
/* Those of bench_rng.c. */
int bench_rows_rng(const bench *w, bench_row *rows);
/* Those of bench_transfers.c, and the end of what they have made. */
int bench_rows_transfers(const bench *w, bench_row *rows);
void bench_transfers_end(bench *w);
/* Makes x, y, m and host memory. An exit status, complaints made. */
int bench_inputs(bench *w);
/* An array of uniform random numbers; seed tells one from another. */
gnd_array *bench_random(bench *w, gnd_dtype t, int ndim, const int64_t *shape, uint64_t seed);

#endif
