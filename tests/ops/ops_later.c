/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_later.c - a library of decompositions that does not wait to tell which matrix has no inverse
 * or factor (solve_later in gnd/backend.h), which CUDA's plugin has: results are those of LAPACK,
 * evaluation succeeds, and whoever reads the result, or what was computed from it, gets the error.
 * The library here is LAPACK on mapped memory, put into the backend of the device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "device/device.h"
#include "host/lapack.h"
#include "matcheck.h"
#include "ref.h"
#include "tap.h"
#include <gnd/record.h>

static const gnd__backend *be;
static int calls, factored, made;

static gnd_status supports(gnd_dev *d, const gnd_solve_desc *s, int *yes, gnd_err *e)
{
    (void)d, (void)e;
    *yes = s->op == GND_SOLVE_CHOLESKY || s->op == GND_SOLVE_SOLVE ||
           ((s->op == GND_SOLVE_LU || s->op == GND_SOLVE_INV) && s->flags == 1) ||
           s->op == GND_SOLVE_TRIANGULAR ||
           (s->dtype == GND_FLOAT64 && s->nbatch == 1 &&
            (s->op == GND_SOLVE_Q || (s->op == GND_SOLVE_QR && s->flags == 2)));
    return GND_OK;
}

/* What LAPACK says of one matrix as its info. */
static int32_t info_of(gnd_status st, const gnd_err *why)
{
    const char *minor = strstr(why->msg, "order "), *at = strstr(why->msg, "U[");
    if (st == GND_OK)
        return 0;
    return minor ? atoi(minor + strlen("order ")) : at ? atoi(at + 2) + 1 : 1;
}

/* The inverse with its columns where the exchanges of the rows left them. */
static gnd_status apart(const gnd_solve_desc *s, char *const *mem, gnd_err *e)
{
    gnd_solve_desc lu = *s, inv = *s;
    const size_t n = (size_t)s->n, column = n * gnd_dtype_size((gnd_dtype)s->dtype);
    void *lu_mem[GND_SOLVE_MEMS] = {mem[0], mem[2]}, *inv_mem[GND_SOLVE_MEMS] = {mem[1]};
    int32_t *pivot = lu_mem[1];
    char *swap = malloc(column);
    lu.op = GND_SOLVE_LU;
    inv.flags = 0;
    memcpy(mem[1], mem[0], n * column);
    gnd_status st = gnd__lapack(&lu, lu_mem, e);
    if (st == GND_OK)
        st = gnd__lapack(&inv, inv_mem, e);
    for (size_t i = 0; i < n && st == GND_OK; i++) {
        char *a = mem[1] + i * column, *b = mem[1] + (size_t)(pivot[i] - 1) * column;
        memcpy(swap, a, column);
        memcpy(a, b, column);
        memcpy(b, swap, column);
    }
    free(swap);
    return st;
}

/* Reflectors of a matrix of float64. */
static gnd_status reflectors(const gnd_solve_desc *s, char *const *mem, gnd_err *e)
{
    typedef void geqrf_fn(const int *, const int *, double *, const int *, double *, double *,
                          const int *, int *);
    const int m = (int)s->m, n = (int)s->n, lwork = 64 * n;
    double *work = malloc((size_t)lwork * sizeof *work);
    void *found = gnd__lapack_routine(gnd__lapack_dtype(s->dtype), GND__GEQRF);
    geqrf_fn *geqrf;
    int info = -1;
    memcpy(&geqrf, &found, sizeof found);
    factored++;
    if (found && work)
        geqrf(&m, &n, (double *)(void *)mem[0], &m, (double *)(void *)mem[1], work, &lwork, &info);
    free(work);
    return info ? gnd__err(e, GND_ERR_INTERNAL, "geqrf: %d", info) : GND_OK;
}

/* Q of them: each is 1 - t v v^T, and the last one comes first. */
static void make_q(const gnd_solve_desc *s, char *const *mem)
{
    const int64_t m = s->m, n = s->n, cols = s->flags & 1 ? m : n;
    double *a = (double *)(void *)mem[0], *v = malloc((size_t)(m * n) * sizeof *v);
    const double *t = (const double *)(const void *)mem[1];
    made++;
    memcpy(v, a, (size_t)(m * n) * sizeof *v);
    for (int64_t i = 0; i < m * cols; i++)
        a[i] = i % m == i / m;
    for (int64_t k = n - 1; k >= 0; k--)
        for (int64_t j = 0; j < cols; j++) {
            double dot = a[j * m + k];
            for (int64_t i = k + 1; i < m; i++)
                dot += v[k * m + i] * a[j * m + i];
            a[j * m + k] -= t[k] * dot;
            for (int64_t i = k + 1; i < m; i++)
                a[j * m + i] -= t[k] * dot * v[k * m + i];
        }
    free(v);
}

/* Every matrix, with its info if it is wanted. */
static gnd_status each_matrix(gnd_queue *q, const gnd_solve_desc *s, int32_t *info, gnd_err *e)
{
    void *mapped[GND_SOLVE_MEMS] = {NULL};
    gnd_solve_desc one = *s;
    gnd_status st = GND_OK;
    const int count = gnd__solve_operands(s);
    one.nbatch = 1;
    for (int i = 0; i < count && st == GND_OK; i++)
        st = be->memory.map(q, s->mem[i], s->off[i], gnd__solve_bytes(s, i),
                            GND_MAP_READ | GND_MAP_WRITE, &mapped[i], e);
    for (int64_t b = 0; b < s->nbatch && st == GND_OK; b++) {
        char *mem[GND_SOLVE_MEMS] = {NULL};
        gnd_err why = {GND_OK, 0, ""};
        for (int i = 0; i < count; i++)
            mem[i] = (char *)mapped[i] + (size_t)b * gnd__solve_bytes(&one, i);
        const gnd_status got = s->op == GND_SOLVE_INV  ? apart(&one, mem, &why)
                               : s->op == GND_SOLVE_QR ? reflectors(&one, mem, &why)
                               : s->op == GND_SOLVE_Q  ? (make_q(&one, mem), GND_OK)
                                                       : gnd__lapack(&one, (void **)mem, &why);
        if (info)
            info[b] = info_of(got, &why);
        else if (got != GND_OK)
            st = got;
    }
    for (int i = 0; i < count; i++)
        if (mapped[i] && be->memory.unmap(q, s->mem[i], mapped[i], e) != GND_OK)
            st = GND_ERR_BACKEND;
    return st;
}

static gnd_status solve(gnd_queue *q, const gnd_solve_desc *s, gnd_err *e)
{
    return each_matrix(q, s, NULL, e);
}

static gnd_status solve_later(gnd_queue *q, const gnd_solve_desc *s, gnd_buf *info, uint64_t off,
                              gnd_err *e)
{
    void *p = NULL;
    gnd_status st = be->memory.map(q, info, off, (size_t)s->nbatch * 4, GND_MAP_WRITE, &p, e);
    calls++;
    if (st != GND_OK)
        return st;
    st = each_matrix(q, s, p, e);
    return be->memory.unmap(q, info, p, e) == GND_OK ? st : GND_ERR_BACKEND;
}

/* That y is computed without an error, and that its readers get this one. */
static void refused(gnd_array *y, const char *text)
{
    gnd_array *more = gnd_sum(gnd_multiply(y, gnd_int(2)), GND_ALL, 0);
    tap_is_int(gnd_eval_all(1, &y), GND_OK, "%s: nothing waits for the values", mat_where);
    tap_is_int(gnd_eval_all(1, &more), GND_OK, "%s: nor what follows", mat_where);
    tap_is_int(gnd_wait(more), GND_ERR_LINALG, "%s: the sum of it", mat_where);
    tap_is_str(gnd_error(more), text, "%s: %s", mat_where, text);
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: itself", mat_where);
    tap_is_str(gnd_error(y), text, "%s: %s", mat_where, text);
}

static void good(int64_t nb, int64_t n, int64_t k)
{
    mat a = mat_make(MAT_RANDOM, nb, n, n), b = mat_make(MAT_RANDOM, nb, n, k),
        eye = mat_eye(1, n, n), spd = mat_positive(&a, 0x1p-10);
    mat x = mat_get(gnd_solve(mat_put(&a), mat_put(&b)), nb, n, k);
    mat_solves(&a, &x, &b, 10.0 * (double)n, mat_named("solve", MAT_RANDOM, &a));
    mat inv = mat_get(gnd_inv(mat_put(&a)), nb, n, n);
    mat_solves(&a, &inv, &eye, 10.0 * (double)n, mat_named("inv", MAT_RANDOM, &a));
    gnd_array *l = gnd_cholesky(mat_put(&spd), 0);
    x = mat_get(gnd_cho_solve(l, 1, mat_put(&b)), nb, n, k);
    mat_solves(&spd, &x, &b, 10.0 * (double)n, mat_named("cholesky", MAT_RANDOM, &spd));
}

static void bad(int64_t nb, int64_t at, int64_t n, int64_t k)
{
    char text[128];
    mat a = mat_make(MAT_RANDOM, nb, n, n), b = mat_make(MAT_RANDOM, nb, n, k),
        spd = mat_positive(&a, 1);
    for (int64_t i = 0; i < n; i++) {
        a.p[(at * n + i) * n + 3] = 0;
        spd.p[(at * n + 2) * n + i] = spd.p[(at * n + i) * n + 2] = 0;
    }
    snprintf(text, sizeof text, "solve: matrix %d: singular: U[3, 3] is 0", (int)at);
    refused(gnd_solve(mat_put(&a), mat_put(&b)), text);
    snprintf(text, sizeof text, "inv: matrix %d: singular: U[3, 3] is 0", (int)at);
    refused(gnd_inv(mat_put(&a)), text);
    snprintf(text, sizeof text,
             "cholesky: matrix %d: not positive definite: the leading minor of order 3 is not "
             "positive",
             (int)at);
    refused(gnd_cholesky(mat_put(&spd), 0), text);
    spd.p[((nb - 1) * n + 4) * n + 1] = NAN; /* found before what the library says */
    snprintf(text, sizeof text,
             "cholesky: matrix %d: not positive definite: it has a NaN or an infinity",
             (int)nb - 1);
    refused(gnd_cholesky(mat_put(&spd), 0), text);
}

/* A recording tells of each run, also where one refused matrix makes another. */
static void recorded(int64_t n)
{
    mat a = mat_make(MAT_STRONG, 1, n, n);
    const int64_t dim[2] = {n, n};
    gnd_array *in = gnd_placeholder(mat_dev, mat_t, 2, dim), *out = gnd_inv(gnd_inv(in)),
              *good_one = gnd_reshape(mat_put(&a), 2, dim),
              *bad_one = gnd_zeros(mat_dev, mat_t, 2, dim);
    gnd_recording *r = gnd_record(1, &in, 1, &out);
    for (int run = 0; run < 4; run++) {
        const size_t size = (size_t)(n * n) * gnd_dtype_size(mat_t);
        void *to = malloc(size);
        gnd_recording_set(r, 0, run % 2 ? bad_one : good_one);
        gnd_replay(r);
        const gnd_status st = gnd_recording_read(r, 0, to, size);
        tap_is_int(st, run % 2 ? GND_ERR_LINALG : GND_OK, "%s: run %d", mat_where, run);
        free(to);
    }
    gnd_recording_free(r);
}

/* Of a call that fails on what a refused matrix left, in one evaluation, that matrix is the error.
 */
static void cause(int64_t n)
{
    const int64_t dim[2] = {n, n};
    gnd_array *y = gnd_svdvals(gnd_inv(gnd_zeros(mat_dev, mat_t, 2, dim)));
    tap_is_int(gnd_wait(y), GND_ERR_LINALG, "%s: singular values of no inverse", mat_where);
    tap_is_str(gnd_error(y), "inv: matrix 0: singular: U[0, 0] is 0", "%s: the cause", mat_where);
}

/* Q is made of reflectors, and not unless it is read. */
static void orthogonal(int64_t m, int64_t n, int complete)
{
    const int64_t k = m < n ? m : n, rows = complete ? m : k;
    mat a = mat_make(MAT_RANDOM, 1, m, n);
    gnd_array *q, *r;
    factored = made = 0;
    gnd_qr(mat_put(&a), complete, &q, &r);
    mat hr = mat_get(r, 1, rows, n);
    tap_ok(factored == 1 && made == 0, "%s: R alone: %d, %d", mat_where, factored, made);
    mat hq = mat_get(q, 1, m, rows);
    tap_ok(factored == 1 && made == 1, "%s: then Q: %d, %d", mat_where, factored, made);
    mat product = mat_mul(&hq, &hr), qt = mat_adjoint(&hq), one = mat_mul(&qt, &hq),
        eye = mat_eye(1, rows, rows);
    mat_equal(&product, &a, 40, "Q R");
    mat_equal(&one, &eye, 40, "Q^T Q");
    int64_t below = 0;
    for (int64_t i = 0; i < rows * n; i++)
        below += i / n > i % n && hr.p[i] != 0;
    tap_is_int(below, 0, "%s: R is upper", mat_where);
    gnd_qr(mat_put(&a), complete, &q, NULL);
    tap_is_int(gnd_wait(q), GND_OK, "%s: Q alone", mat_where);
}

static const gnd_dtype dtypes[] = {GND_COMPLEX64, GND_FLOAT64};

static void each(int i)
{
    MAT_GROUP(good(1, 23, 1); good(3, 40, 5); bad(1, 0, 12, 2); bad(3, 1, 20, 2));
    if (i == 1)
        MAT_GROUP(good(2, 300, 70); bad(70, 33, 33, 2); bad(1, 0, 256, 64); recorded(12); cause(9));
    if (i == 1)
        MAT_GROUP(orthogonal(17, 5, 0); orthogonal(17, 5, 1); orthogonal(4, 9, 0);
                  orthogonal(4, 9, 1); orthogonal(200, 90, 0));
}

static void on_device(gnd_device *d, const char *where)
{
    gnd__backend *own = (gnd__backend *)d->g->be;
    if (own->has_solver) /* its own is tested by ops_solve and others */
        return;
    if (!gnd__gate_can_map(d->g)) {
        tap_skip(1, "%s: the library of this test works in mapped memory", where);
        return;
    }
    const gnd_solver_ops before = own->solver;
    be = own;
    own->has_solver = 1;
    own->solver.supports = supports;
    own->solver.solve = solve;
    own->solver.solve_later = solve_later;
    calls = 0;
    mat_dtypes(d, where, 2, dtypes, 17, each);
    tap_ok(calls > 0, "%s: %d calls", where, calls);
    own->has_solver = 0;
    own->solver = before;
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
