/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fft.h - the transform of a distributed vector, for fn_fft.c, and what its two files share.
 */
#ifndef GNDM_FFT_H
#define GNDM_FFT_H

#include "call.h"
#include "move.h"

/* A transform along one axis. n: its length; for a real transform, the number of reals. */
typedef struct gndm__fft {
    int inverse, real;
    int64_t n;
    gnd_norm norm;
} gndm__fft;

/* Whether gndm__fft_vector computes this transform: the vector is split, and so long that dividing
 * the work pays for the exchanges. */
int gndm__fft_fits(const gndm_array *x, const gndm__fft *f);
/* The transform of the vector x, which is padded with zeros or truncated as in NumPy. t is the
 * complex dtype of the transform. The cuts of the result are nearly proportional to those of x. */
gnd_status gndm__fft_vector(gndm_ctx *c, gndm_array *x, const gndm__fft *f, gnd_dtype t,
                            gndm_array **out);

/* --- layouts and moves (fft_moves.c) ---------------------------------------------------------- */

/* A partition of shape with axis d split in proportion to the cuts of the vector x. Each cut is a
 * multiple of `unit`, but at most the extent. */
gndm_part *gndm__fft_scaled(gndm_ctx *c, const gndm_array *x, int ndim, const int64_t *shape, int d,
                            int64_t unit);
/* The first index of a rank's part on axis d, and the part's extent. */
int64_t gndm__fft_start(const gndm_part *p, int rank, int d);
int64_t gndm__fft_extent(const gndm_part *p, int rank, int d);
/* Fetches the interval from[r] .. to[r] - 1 of the vector x on each rank r, with zeros beyond its
 * end. want is scratch memory for one box per rank. */
gnd_status gndm__fft_padded(gndm_ctx *c, gndm_array *x, const int64_t *from, const int64_t *to,
                            gndm__box *want, gnd_array **out);

/* A matrix (n1, n2) that is split by columns. Chunks of the columns may still be on their way. */
typedef struct gndm__columns {
    gndm_part *part;
    gnd_dtype dtype;
    gnd_array *lines; /* this rank's columns, one after the other: (count, n1) */
    int n, next; /* chunks that `lines` lacks, and the first that was not taken; n 0: none lacks */
    gndm__fetching q[GNDM__STAGES];
    gndm__wish wish[GNDM__STAGES];
    struct gndm__column_chunk {
        const struct gndm__columns *m;
        int i;
    } chunk[GNDM__STAGES];
} gndm__columns;

/* Makes the matrix of the vector x, padded with zeros. The exchanges of chunks may be held: the
 * next exchange is gndm__in_stages in m->n stages, which takes them. gndm__columns_free follows in
 * any case. */
gnd_status gndm__columns_fetch(gndm_ctx *c, gndm_array *x, int64_t n1, int64_t n2,
                               gndm__columns *m);
/* For the work of gndm__in_stages on m->lines: the next chunk, of which `lines` has x. */
gnd_array *gndm__columns_next(gndm__columns *m, gnd_array *x);
void gndm__columns_free(gndm_ctx *c, gndm__columns *m);

/* Converts the matrix y (n1, n2), with whole rows on each rank, to the vector of its columns; keeps
 * its first `keep` elements. work(rows, data) is applied to chunks of y's rows before they are
 * sent. It begins to compute them and returns them transposed. */
gnd_status gndm__fft_from_rows(gndm_ctx *c, const gndm_array *like, gndm_array *y, int64_t keep,
                               gnd_array *(*work)(gnd_array *rows, void *data), void *data,
                               gndm_array **out);

#endif
