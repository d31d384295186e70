/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dist.c - see dist.h.
 */
#include "dist.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

gndm_ctx *ctx;
gnd_device *dev;
int rank, size;

void dist_begin(int *argc, char ***argv, unsigned flags)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    ctx = gndm_open(MPI_COMM_WORLD, NULL, flags);
    if (gndm_status(ctx)) {
        if (rank == 0)
            printf("Bail out! %s\n", gndm_message(ctx));
        MPI_Finalize();
        exit(1);
    }
    dev = gndm_device(ctx);
    gnd_scope_begin();
}

int dist_end(void)
{
    gnd_scope_end();
    gndm_close(ctx);
    MPI_Finalize();
    return rank == 0 ? tap_done() : 0;
}

int dist_ok(int cond, const char *fmt, ...)
{
    char name[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    int all = cond != 0, come = 0;
    MPI_Request req;
    MPI_Iallreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &req);
    /* MPI's own wait would take the core on which another rank compiles. */
    for (int i = 0; !MPI_Test(&req, &come, MPI_STATUS_IGNORE) && !come; i++)
        if (i >= 100)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    if (!cond)
        printf("# rank %d: not so: %s: %s\n", rank, name, gndm_message(ctx));
    if (rank == 0)
        tap_ok(all, "%s", name);
    return all;
}

/* Elements a and b of a dtype: the distance as a part of `of`, or 0 for equal bits and NaNs. */
static double apart(gnd_dtype t, const char *a, const char *b, int64_t n, double tol)
{
    const size_t size_of = gnd_dtype_size(t);
    double worst = 0, largest = 0;
    if (t == GND_FLOAT16 || t == GND_BFLOAT16) { /* devices encode NaN in several ways */
        const unsigned inf = t == GND_FLOAT16 ? 0x7c00 : 0x7f80;
        const uint16_t *x = (const void *)a, *y = (const void *)b;
        for (int64_t i = 0; i < n; i++)
            if (x[i] != y[i] && ((x[i] & 0x7fff) <= inf || (y[i] & 0x7fff) <= inf))
                return INFINITY;
        return 0;
    }
    if (t != GND_FLOAT32 && t != GND_FLOAT64 && t != GND_COMPLEX64 && t != GND_COMPLEX128)
        return memcmp(a, b, (size_t)n * size_of) ? INFINITY : 0;
    const int wide = t == GND_FLOAT64 || t == GND_COMPLEX128;
    const int64_t m = gnd_dtype_kind(t) == 'c' ? 2 * n : n;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < m; i++) {
            const double x = wide ? ((const double *)(const void *)a)[i]
                                  : (double)((const float *)(const void *)a)[i];
            const double y = wide ? ((const double *)(const void *)b)[i]
                                  : (double)((const float *)(const void *)b)[i];
            if (pass == 0 && isfinite(y) && fabs(y) > largest)
                largest = fabs(y);
            if (pass == 0 || x == y || (isnan(x) && isnan(y)))
                continue;
            const double d = isfinite(x) && isfinite(y) ? fabs(x - y) / largest : INFINITY;
            worst = d > worst ? d : worst;
        }
    return tol > 0 && worst <= tol ? 0 : worst;
}

int dist_same(gndm_array *y, gnd_array *ref, double tol, const char *fmt, ...)
{
    char name[400], why[300] = "";
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(name, sizeof name, fmt, ap);
    va_end(ap);
    int ok = 1;
    if (gndm_status_of(y) || gnd_status_of(ref)) {
        snprintf(why, sizeof why, "%s|%s", gndm_error(y), gnd_error(ref));
        ok = 0;
    } else if (gndm_dtype_of(y) != gnd_dtype_of(ref) || gndm_ndim(y) != gnd_ndim(ref) ||
               memcmp(gndm_shape(y), gnd_shape(ref), (size_t)gnd_ndim(ref) * 8)) {
        snprintf(why, sizeof why, "%s %d axes (%lld...), not %s %d axes (%lld...)",
                 gnd_dtype_name(gndm_dtype_of(y)), gndm_ndim(y), (long long)gndm_shape(y)[0],
                 gnd_dtype_name(gnd_dtype_of(ref)), gnd_ndim(ref), (long long)gnd_shape(ref)[0]);
        ok = 0;
    } else {
        const size_t n = gnd_nbytes(ref);
        char *a = calloc(1, n + 1), *b = calloc(1, n + 1);
        const gnd_status s = gndm_read(y, a, n), t = gnd_read(ref, b, n);
        const double d = s || t ? 0 : apart(gnd_dtype_of(ref), a, b, gnd_size(ref), tol);
        ok = !s && !t && d == 0;
        if (!ok)
            snprintf(why, sizeof why, "%s%s apart by %g", s ? gndm_message(ctx) : "",
                     t ? gnd_message() : "", d);
        free(a);
        free(b);
    }
    gndm_release(y);
    if (!ok)
        printf("# rank %d: %s: %s\n", rank, name, why);
    return dist_ok(ok, "%s", name);
}

gndm_part *dist_part(int way, int ndim, const int64_t *shape)
{
    int grid[GND_MAX_NDIM];
    int64_t cut[64] = {0};
    const int64_t *cuts[GND_MAX_NDIM] = {NULL};
    for (int d = 0; d < ndim; d++)
        grid[d] = 1;
    if (ndim == 0 || way == 4)
        return gndm_part_replicated(ctx, ndim, shape);
    if (way == 0)
        return gndm_part_default(ctx, GND_FLOAT64, ndim, shape);
    if (way == 1) { /* part k has k + 1 shares, the second none */
        int64_t sum = 0, at = 0;
        for (int k = 0; k < size; k++)
            sum += k == 1 ? 0 : k + 1;
        for (int k = 0; k < size; k++) {
            at += k == 1 ? 0 : k + 1;
            cut[k + 1] = shape[0] * at / sum;
        }
        grid[0] = size;
        cuts[0] = cut;
        return gndm_part_cuts(ctx, ndim, shape, grid, cuts);
    }
    grid[ndim - 1] = size;
    if (way == 3 && ndim > 1 && size % 2 == 0) {
        grid[0] = 2;
        grid[ndim - 1] = size / 2;
    }
    return gndm_part_even(ctx, ndim, shape, grid);
}

gndm_array *dist_array(gnd_array *x, int way)
{
    gndm_part *p = dist_part(way, gnd_ndim(x), gnd_shape(x));
    char *data = malloc(gnd_nbytes(x) + 1);
    gnd_status s = gnd_read(x, data, gnd_nbytes(x));
    gndm_array *y = gndm_from(ctx, gnd_dtype_of(x), gnd_ndim(x), gnd_shape(x), data, p);
    if (s)
        printf("# rank %d: %s\n", rank, gnd_message());
    gndm_part_free(p);
    free(data);
    return y;
}

gnd_array *dist_sample(gnd_dtype t, int ndim, const int64_t *shape, uint32_t seed)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    double *v = malloc((size_t)n * 2 * sizeof *v + 1);
    uint64_t s = seed * UINT64_C(2654435761) + 88172645463325252u;
    for (int64_t i = 0; i < 2 * n; i++) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        v[i] = (double)(s >> 11) / 4503599627370496. - 1;
    }
    gnd_array *x =
        gnd_from(dev, gnd_dtype_kind(t) == 'c' ? GND_COMPLEX128 : GND_FLOAT64, ndim, shape, v);
    free(v);
    return gnd_astype(gnd_dtype_kind(t) == 'i' ? gnd_mul_f(x, 50) : x, t);
}
