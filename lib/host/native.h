/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/native.h - primitives of few elements on the calling thread, in memory that host and device
 * share, with the bits of the kernels that a CPU device runs. native.c is made from the texts of
 * these kernels by tools/gen-native.awk; nativesort.c is the stable order, which is unique, as
 * are the parts of it that nativerank.c has; nativecount.c has what is made of ints and copies.
 */
#ifndef GND_HOST_NATIVE_H
#define GND_HOST_NATIVE_H

#include <gnd/types.h>

enum { GND__NATIVE_INS = 3, GND__NATIVE_PLACES = 24 /* of GND__NATIVE_RANKS, at most */ };
/* What is computed. */
typedef enum gnd__native_what {
    GND__NATIVE_NONE,
    GND__NATIVE_MASK,   /* of n elements */
    GND__NATIVE_SELECT, /* op: what; n elements of the mask */
    GND__NATIVE_SORT,   /* op: 1: indices; m rows of n; keep from place `inner` on; descending */
    GND__NATIVE_SCAN,   /* op; m, n, inner */
    GND__NATIVE_COPY,   /* m runs of n elements, each to the next place with room for `inner` */
    GND__NATIVE_WIDEN, /* n reals or ints to float or complex elements; op: the dtype that they have
                        */
    GND__NATIVE_LAST,  /* for m places, the last of n positions (int64) that names each; op: 0 */
    GND__NATIVE_TALLY, /* for m places, how many of n ints name each; op: the ints' dtype */
    GND__NATIVE_RANKS, /* of m rows of n elements those at `keep` places when sorted; descending;
                          inputs: elements, places (keep, m), the shape of the result */
    GND__NATIVE_PARTITION, /* op: 1: indices; m rows of n in three parts; keep from place `inner`
                              on; descending; inputs: elements, a pivot for each row */
    GND__NATIVE_SUMS, /* n values, in rows of `inner`, added in m places; op: 1: to a base; inputs:
                         positions of rows (counted in rows), values, base */
    GND__NATIVE_SET   /* n positions set some of m rows of `inner` elements, in each of
                   `keep` batches; op: what has which axes; inputs: positions, values, base */
} gnd__native_what;
/* GND__NATIVE_SET: what values and positions have an axis for. */
enum {
    GND__SET_OUTER = 1, /* values: for each batch, */
    GND__SET_EACH = 2,  /* for each position, */
    GND__SET_INNER = 4, /* for each element of a row */
    GND__POS_OUTER = 8, /* positions: for each batch, */
    GND__POS_INNER = 16 /* for each element of a row */
};
typedef struct gnd__native {
    gnd__native_what what;
    int op, descending;
    gnd_dtype t; /* of the result's elements; GND__NATIVE_SORT: of the sorted ones */
    int64_t m, n, inner, keep;
} gnd__native;

/* Whether the host has it, and it is little enough to be done sooner than by another thread. */
int gnd__native_has(const gnd__native *w);
/* Computes it from inputs in C order. Returns 0 if memory is short. */
int gnd__native_run(const gnd__native *w, const char *const in[GND__NATIVE_INS], char *out);

/* The table of a mask of n bytes, as prim/compact.c describes it. */
void gnd__native_mask(const void *mask, int64_t n, void *table);

/* The elements of x (positions: 0, values: 1, ranks: 2; prim/compact.c) that the table of n
 * elements selects, of `size` bytes each. x is used by values only. NULL: the host has none. */
typedef void gnd__native_select(const void *table, const void *x, int64_t n, void *y);
gnd__native_select *gnd__native_select_of(int what, int size);

/* Scans of (m, n, inner) elements along n, n > 0 (prim/scan.h: op), for inner = 1, or columns.
 * NULL: the host has none. */
typedef void gnd__native_scan(const void *x, void *y, int64_t m, int64_t n, int64_t inner);
gnd__native_scan *gnd__native_scan_of(int op, gnd_dtype t, int columns);

/* See GND__NATIVE_COPY and those after it. Positions are places; ints that are none are not
 * counted. gnd__native_sums returns 0 if memory is short. */
void gnd__native_copy(const gnd__native *w, const char *x, char *y);
void gnd__native_widen(const gnd__native *w, const char *x, char *y);
void gnd__native_last(const gnd__native *w, const int64_t *x, char *y);
void gnd__native_tally(const gnd__native *w, const char *x, int64_t *y);
int gnd__native_sums(const gnd__native *w, const int64_t *pos, const char *value, const char *base,
                     char *y);
void gnd__native_set(const gnd__native *w, const int64_t *pos, const char *value, const char *base,
                     char *y);

/* See GND__NATIVE_RANKS (which returns 0 if memory is short) and GND__NATIVE_PARTITION. */
int gnd__native_ranks(const gnd__native *w, const char *x, const int64_t *place, char *y);
void gnd__native_partition(const gnd__native *w, const char *x, const char *pivot, char *y);

/* The m greatest of n keys, or the least, in any order. n is at least GND__NATIVE_TOP(m); held:
 * room for twice as many. */
#define GND__NATIVE_TOP(m) (2 * (m) + 4 * GND__NATIVE_LOOK)
enum { GND__NATIVE_LOOK = 64 };
void gnd__native_top_u32(const uint32_t *k, int64_t n, int64_t m, int least, uint32_t *held);
void gnd__native_top_u64(const uint64_t *k, int64_t n, int64_t m, int least, uint64_t *held);

/* Rows of n elements of a real dtype but float16 and bfloat16, sorted: `keep` of each, from place
 * `first` on, go to y, as elements, or as indices (int64) if `arg`. NaN is last, equal elements
 * keep their order. Returns 0 if memory is short. */
int gnd__native_sort(gnd_dtype t, const void *x, void *y, int64_t rows, int64_t n, int64_t first,
                     int64_t keep, int arg, int descending);

#endif
