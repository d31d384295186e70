/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench.h - the rows that gnd bench times, and their inputs.
 */
#ifndef GND_TOOL_BENCH_H
#define GND_TOOL_BENCH_H

#include "gnd.h"

typedef struct bench {
    gnd_device *dev;
    int gpu;           /* rows that take minutes on a CPU are for GPUs */
    int64_t n, side;   /* elements of x and y; M is side x side */
    int64_t n0, side0; /* those that the rows' names tell */
    int on_device;     /* inputs are made by gnd's generator on the device, which takes less time */
    int cpu_time; /* batches are timed by the process's own clock: work of others does not count */
    int shrink;   /* every row has 1/4^shrink of the elements that its name tells; -3 to 3 */
    int by_work;  /* added to shrink for rows that take n^1.5 operations */
    gnd_array *x, *y, *m;     /* float32, uniform in [0, 1); m is x as a matrix */
    gnd_array *a, *b;         /* what the row at hand works on, made by its setup */
    float *host;              /* n elements of host memory */
    float *pinned;            /* the same, pinned: made by a row of bench_transfers.c */
    gnd_recording *recording; /* made by the setup of a row of bench_replay.c */
    gnd_status st;            /* of transfers, which give no array */
} bench;

typedef struct bench_row {
    char name[32];
    /* Before the row: fills w->a and w->b, which belong to the row's scope. NULL: nothing to do. */
    void (*setup)(bench *w, const struct bench_row *r);
    /* The work, as a user would write it. The result is evaluated by the caller; NULL when the call
     * did its work by itself, with its status in w->st. */
    gnd_array *(*call)(bench *w, const struct bench_row *r);
    double bytes;            /* the fewest that must be moved; 0: not what bounds the row */
    double flops;            /* of products; else 0 */
    gnd_dtype dtype;         /* of products and small arrays */
    int64_t dim, dim2;       /* dim2: of bench_science.c's, 0: one dimension */
    const char *text, *make; /* of bench_science.c: the expression, and the one of its input */
    char law;     /* how time grows with n elements: 'n', 'l' (n log n), 'q' (n^1.5), 0 (not) */
    double extra; /* of workloads: bytes that are needed in addition to inputs and outputs, and */
    const char *extra_for; /* for what; NULL: not known */
} bench_row;

enum { BENCH_MAX_ROWS = 160 };
/* Fills rows (room for BENCH_MAX_ROWS) for the sizes and the device of w, including those of
 * float64 if the device lacks it. The first is the copy, with which others are compared. Returns
 * their number. */
int bench_rows(const bench *w, bench_row *rows);
/* Those of bench_science.c, likewise. */
int bench_rows_science(const bench *w, bench_row *rows);
/* Those of bench_rng.c. */
int bench_rows_rng(const bench *w, bench_row *rows);
/* All of them, in order; *copy: a copy of the first. */
int bench_all_rows(const bench *w, bench_row *rows, bench_row *copy);
/* Those of bench_calls.c. */
int bench_rows_calls(bench_row *rows);
/* The rows of bench_kernels.c; the second function frees their objects. */
int bench_rows_kernels(const bench *w, bench_row *rows);
void bench_kernels_end(void);
/* The rows of bench_transfers.c; the second function frees their objects. */
int bench_rows_transfers(const bench *w, bench_row *rows);
void bench_transfers_end(bench *w);
/* Those of bench_replay.c, and the end of the last recording. */
int bench_rows_replay(const bench *w, bench_row *rows);
void bench_replay_end(bench *w);
/* u after that many steps of the row w_heat; evaluates nothing. */
gnd_array *bench_heat(bench *w, gnd_array *u, int steps);
/* Makes x, y, m and host memory. An exit status, complaints made. */
int bench_inputs(bench *w);
/* An array of uniform random numbers; seed tells one from another. */
gnd_array *bench_random(bench *w, gnd_dtype t, int ndim, const int64_t *shape, uint64_t seed);

/* --- timing (bench_time.c); the message of a failure goes to why, of 200 bytes ---------------- */

enum { BENCH_WHY = 200 };
/* Makes the row's inputs w->a and w->b, in the scope at hand, and waits for them. */
gnd_status bench_setup(bench *w, const bench_row *r, char *why);
/* Seconds of so many calls and a wait; negative on failure. */
double bench_batch(bench *w, const bench_row *r, int calls, char *why);
/* Calls of a batch of at least 30 ms, after two warm-up calls; 0 on failure. */
int bench_calls(bench *w, const bench_row *r, char *why);
/* Seconds of a call, with setup, by the method of doc/PERFORMANCE.md; negative on failure. */
double bench_run(bench *w, const bench_row *r, char *why);

/* What one call needs of the device's memory, in bytes. */
typedef struct bench_memory {
    double peak, in, out; /* at most, inputs included; the row's own inputs, its result */
} bench_memory;
/* Calls the row once, with setup. -1 on failure. */
int bench_peak(bench *w, const bench_row *r, bench_memory *m, char *why);
/* Whether no more was needed than inputs, results and r->extra (and 1 MiB, and 1/16: blocks are
 * rounded). */
int bench_memory_fits(const bench_row *r, const bench_memory *m);

/* The most elements that gnd bench --growth gives the rows of a device. */
int64_t bench_growth_size(const gnd_device_info *info);
/* gnd bench --growth (bench_growth.c): n rows at w->n0 / 16, w->n0 / 4 and w->n0 elements; an exit
 * status. */
int bench_growth(bench *w, int n, const bench_row *rows, int json);

/* Where a name tells `size` (of an axis: elements are its square), what the row has at the shrink
 * of w. */
static inline int64_t bench_side(const bench *w, int64_t size, int by_work)
{
    const int k = w->shrink + (by_work ? w->by_work : 0);
    return k < 0 ? size << -k : size >> k;
}
/* The same for a number of elements. */
static inline int64_t bench_size(const bench *w, int64_t size, int by_work)
{
    const int k = 2 * (w->shrink + (by_work ? w->by_work : 0));
    return k < 0 ? size << -k : size >> k;
}

#endif
