/* SPDX-License-Identifier: BSD-3-Clause
 *
 * matcheck.h - checks shared by tests of decompositions and solvers: residuals of factors, of
 * systems and of triangles, on matrices of mats.h.
 */
#ifndef MATCHECK_H
#define MATCHECK_H

#include "mats.h"

/* "WHAT of KIND NB of M x N" for messages, until the next call; k MAT_NKINDS: without the kind. */
const char *mat_named(const char *what, mat_kind k, const mat *a);
/* (a - f g) z for the probe z. */
mat mat_off(const mat *a, const mat *f, const mat *g);
/* Checks a x = b in c eps (|a| |x| + |b|); b may be a batch of 1. */
void mat_solves(const mat *a, const mat *x, const mat *b, double c, const char *what);
/* Checks every element of t x = b by itself, in (4 n + 4) eps of |t| |x|, t being the triangle of a
 * that the flags of gnd_solve_triangular name, as these take it; k is for the message. */
void mat_triangle_solves(const mat *a, const mat *x, const mat *b, unsigned flags, mat_kind k);

/* each(i) for each of n dtypes that d has, as the setting (mats.h), with random numbers from the
 * seed on; one skip for a dtype that it lacks, one for all where there is no LAPACK. */
void mat_dtypes(gnd_device *d, const char *where, int n, const gnd_dtype *t, uint64_t seed,
                void (*each)(int i));

/* Statements with a scope of their own and the host's memory given back behind them. */
#define MAT_GROUP(...)                                                                             \
    do {                                                                                           \
        gnd_scope_begin();                                                                         \
        __VA_ARGS__;                                                                               \
        gnd_scope_end();                                                                           \
        mat_free_all();                                                                            \
    } while (0)

#endif
