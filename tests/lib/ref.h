/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ref.h - plain arrays on the host: strided views of owned memory, single elements in the widest
 * types, comparison in units in the last place; and functions that make the same array on a device
 * in several layouts. For tests that compare a device with obviously correct loops.
 */
#ifndef REF_H
#define REF_H

#include <gnd.h>

#include "devices.h"

/* One element: bool and signed ints in i, unsigned ones in u, floats in re, complex in re and im.
 */
typedef struct ref_num {
    int kind; /* 'b' 'i' 'u' 'f' 'c' */
    int64_t i;
    uint64_t u;
    long double re, im;
} ref_num;

typedef struct ref_arr {
    gnd_dtype t;
    int ndim;
    int64_t dim[GND_MAX_NDIM], stride[GND_MAX_NDIM]; /* strides in elements */
    unsigned char *p;                                /* element (0, 0, ...) */
    unsigned char *own;                              /* the memory, when it belongs to this view */
} ref_arr;

/* --- random numbers; the same ones at every run ----------------------------------------------- */
void ref_seed(uint64_t seed);
uint64_t ref_rnd(void);
int64_t ref_range(int64_t low, int64_t high); /* low and high are possible */

/* --- elements --------------------------------------------------------------------------------- */
ref_num ref_get(gnd_dtype t, const void *p);
/* The float16 or bfloat16 that is nearest to v, of two the even one. */
uint16_t ref_half(gnd_dtype t, long double v);
/* Rounds to nearest; ints wrap. */
void ref_put(gnd_dtype t, void *p, ref_num v);
ref_num ref_int(int64_t v);       /* kind 'i' */
ref_num ref_float(long double v); /* kind 'f' */
/* v as a C conversion gives it in dtype t (float to int within range only). */
ref_num ref_as(gnd_dtype t, ref_num v);
/* got's error in units in the last place of want's dtype t; 0 when both are NaN or equal; infinite
 * when one is NaN or infinite alone, for signed zeros that differ when `zeros` is not 0, and for
 * ints and bools that differ. Complex: the larger error of the parts in ulp of the larger part; of
 * NaN, whether both have one in some part. */
double ref_ulps(gnd_dtype t, ref_num got, ref_num want, int zeros);
/* The spacing of t's values at |v|, at least the smallest one. */
long double ref_ulp_at(gnd_dtype t, long double v);
/* A NaN, or a complex number with one. */
int ref_is_nan(ref_num v);
/* got is want of dtype t, or near it: each part within tol. HUGE_VALL: any number will do. */
int ref_near(gnd_dtype t, ref_num got, ref_num want, long double tol);
/* "1.5" or "(1, -0)". */
const char *ref_text(ref_num v, char *buf, size_t cap);

/* --- arrays ----------------------------------------------------------------------------------- */
/* Contiguous zeros. */
ref_arr ref_new(gnd_dtype t, int ndim, const int64_t *dim);
void ref_free(ref_arr *a);
int64_t ref_size(const ref_arr *a);
void *ref_at(const ref_arr *a, const int64_t *idx);
/* The element with C-order number n. */
ref_num ref_nth(const ref_arr *a, int64_t n);
void ref_unravel(int ndim, const int64_t *dim, int64_t n, int64_t *idx);

enum {
    REF_SMALL,    /* ints in -9 .. 9, floats in multiples of 1/8 up to 4: many equal ones */
    REF_REAL,     /* floats in -4 .. 4 of full precision, ints over their whole range */
    REF_NEAR_ONE, /* floats of magnitude 0.5 to 2, ints odd: for products */
    REF_SPECIAL   /* zeros, infinities, NaN, subnormals, extremes among the ones of REF_REAL */
};
void ref_fill(ref_arr *a, int how);

/* --- the same array on a device and here ------------------------------------------------------ */
typedef enum ref_layout {
    REF_CONTIG = 0,
    REF_OFFSET,     /* all but the first element of the last axis: vectors do not align */
    REF_TRANSPOSED, /* axes reversed */
    REF_NEGATIVE,   /* every second element of the last axis, backwards */
    REF_BROADCAST,  /* the first axis repeats one element (contiguous when there is none) */
    REF_EVALUATED,  /* as OFFSET, the view evaluated before */
    REF_STRIDED,    /* as NEGATIVE along the first axis, and the last one permuted to the front */
    REF_NLAYOUTS
} ref_layout;
const char *ref_layout_name(ref_layout l);
/* An array of that shape, filled, and the host's view of the same elements. */
gnd_array *ref_make(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim, ref_layout l,
                    int how, ref_arr *host);

/* Reads x; 0 and a message in why when it fails or has another dtype or shape. */
int ref_read(gnd_array *x, gnd_dtype t, int ndim, const int64_t *dim, ref_arr *out, char *why,
             size_t cap);

#endif
