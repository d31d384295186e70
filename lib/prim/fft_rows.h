/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/fft_rows.h - one transform of rows, as the writers of its kernels see it.
 */
#ifndef GND_PRIM_FFT_ROWS_H
#define GND_PRIM_FFT_ROWS_H

#include "prim/prim.h"

enum { GND__FFT_PASSES = 15 };

typedef struct gnd__fft_rows {
    gnd__prog *p;
    gnd_dtype t;     /* the complex dtype */
    const char *sfx; /* its suffix */
    int kind, inverse, rank;
    int64_t n, count; /* length and number of rows */
    int half;         /* reals: rows are transformed as n complex numbers, which are 2 n reals */
    double scale;
    int radix[GND__FFT_PASSES], passes;
} gnd__fft_rows;

/* On GPUs (prim/fft_gpu.c): whether each group computes the roots itself, and the statements that
 * transform `many` rows by a group of `local` work-items. Prime factors from SUMMED on are passes
 * by sums. */
enum { GND__FFT_SUMMED = 17 };
int gnd__fft_inside(const gnd__fft_rows *r);
void gnd__fft_body_gpu(const gnd__fft_rows *r, gnd__str *b, long long many, long long local);

/* The tables cs and sn of transforms of odd lengths from 7 on. */
void gnd__fft_define_odd(const gnd__fft_rows *r, gnd__str *b);

/* On CPUs (prim/fft_cpu.c): how many rows a work-item takes at once, and the statements that
 * transform them. They read part i of the roots of all passes as WR(i): from a table in the
 * kernel's text, if it is short (tabled), or from memory. */
int gnd__fft_tabled(const gnd__fft_rows *r);
void gnd__fft_table_cpu(const gnd__fft_rows *r);
int gnd__fft_lanes(const gnd__fft_rows *r);
void gnd__fft_body_cpu(const gnd__fft_rows *r, gnd__str *b);

#endif
