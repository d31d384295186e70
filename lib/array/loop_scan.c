/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/loop_scan.c - gnd_scan: a body with states and rows becomes a recording, replayed once for
 * each row. Inputs are set to rows of xs, and rows of ys to outputs, without copies on the host.
 */
#include "array/loop_priv.h"

#include <gnd/array.h>
#include <gnd/loop.h>
#include <stdio.h>
#include <string.h>
#include "array/place.h"
#include "array/record.h"
#include "base/mem.h"
#include "graph/check.h"
#include "graph/scope.h"
#include "sched/check.h"

/* The rows of xs, and placeholders for one of each. */
static int take_rows(gnd__loop *l, gnd_array *const *xs, int64_t *length)
{
    char text[GND__SHAPE_TEXT];
    if (*length < -1 || (*length == -1 && l->nx == 0))
        return gnd__loop_refuse(l, GND_ERR_ARG, "length %lld%s", (long long)*length,
                                *length == -1 ? " is that of xs, and there are none" : "");
    for (int i = 0; i < l->nx; i++) {
        if (xs[i]->ndim == 0)
            return gnd__loop_refuse(l, GND_ERR_SHAPE, "xs[%d] has shape () and no rows", i);
        if (*length == -1)
            *length = xs[i]->dim[0];
        if (xs[i]->dim[0] != *length)
            return gnd__loop_refuse(
                l, GND_ERR_SHAPE, "xs[%d] has shape %s, but there are %lld steps", i,
                gnd__shape_text(text, xs[i]->ndim, xs[i]->dim), (long long)*length);
        l->in[l->n + i] =
            gnd_placeholder(l->dev, (gnd_dtype)xs[i]->dtype, xs[i]->ndim - 1, xs[i]->dim + 1);
    }
    return 1;
}

static int check_row(gnd__loop *l, int i)
{
    char name[48];
    gnd_array **x = &l->made[l->n + i];
    snprintf(name, sizeof name, "y[%d]", i);
    if (!*x)
        return gnd__loop_refuse(l, GND_ERR_ARG, "the body does not set %s", name);
    gnd_array *bad = gnd__check(*x, l->func, name);
    if (bad)
        return gnd__loop_failed(l, bad);
    if ((*x)->weak)
        *x = gnd__strong(*x, l->dev, GND_DTYPE_DEFAULT, l->func);
    return (*x)->kind != GND__ERROR || gnd__loop_failed(l, gnd__same(*x));
}

static int record_scan(gnd__loop *l, gnd_scan_body *body, void *arg)
{
    gnd__loop_placeholders(l);
    body(l->in, l->in + l->n, l->made, l->made + l->n, arg);
    for (int i = 0; i < l->n; i++)
        if (!gnd__loop_check_next(l, i))
            return 0;
    for (int i = 0; i < l->ny; i++)
        if (!check_row(l, i))
            return 0;
    return gnd__loop_record(l, l->n + l->nx, l->n + l->ny);
}

/* Makes arrays of `length` rows for the results of the body. On failure all are released. */
static int make_ys(gnd__loop *l, int64_t length, gnd_array **ys)
{
    for (int i = 0; i < l->ny; i++) {
        const gnd_array *row = gnd__recording_output(l->r, l->n + i);
        int64_t dim[GND_MAX_NDIM + 1] = {length};
        gnd_array *bad = NULL;
        memcpy(dim + 1, row->dim, row->ndim * sizeof *dim);
        bad = gnd__check_shape("scan", l->dev, (gnd_dtype)row->dtype, row->ndim + 1, dim);
        ys[i] = bad ? bad : gnd__placed(l->dev, (gnd_dtype)row->dtype, row->ndim + 1, dim);
        if (ys[i]->kind != GND__ERROR)
            continue;
        gnd__loop_failed(l, ys[i]);
        gnd__loop_release(i, ys);
        return 0;
    }
    return 1;
}

/* Gets nodes with the elements of xs in C order, as references. */
static int ready_all(gnd__loop *l, gnd_array *const *xs, gnd_array **x)
{
    gnd_status st = GND_OK;
    gnd__gate_lock(l->dev->g);
    for (int i = 0; i < l->nx && st == GND_OK; i++) {
        st = gnd__ready(xs[i], &x[i], &l->e);
        if (st == GND_OK)
            st = gnd__checks_pass(xs[i]->data.st, &l->e);
    }
    gnd__gate_unlock(l->dev->g);
    if (st != GND_OK)
        gnd__err_prefix(&l->e, "scan");
    return st == GND_OK;
}

static int run_scan(gnd__loop *l, gnd_array *const *x, int64_t length, int backward, gnd_array **ys)
{
    for (int64_t k = 0; k < length; k++) {
        const int64_t row = backward ? length - 1 - k : k;
        for (int i = 0; i < l->nx; i++)
            gnd__recording_row_in(l->r, l->n + i, x[i], row);
        gnd_replay(l->r);
        for (int i = 0; i < l->ny; i++)
            gnd__recording_row_out(l->r, l->n + i, ys[i], row);
        gnd_recording_feed_all(l->r, l->n, l->number, l->number);
        if ((k % GND__LOOP_QUEUED == GND__LOOP_QUEUED - 1 || k == length - 1) &&
            !gnd__loop_ok(l, gnd_recording_wait(l->r)))
            return 0;
    }
    return 1;
}

/* Runs the scan, after all arguments were checked and the body was recorded. */
static void scan(gnd__loop *l, gnd_array *const *xs, int64_t length, int backward, gnd_array **out,
                 gnd_array **ys)
{
    gnd_array **x = gnd__calloc((size_t)l->nx + 1, sizeof *x);
    if (!x)
        gnd__err(&l->e, GND_ERR_NOMEM, "scan: out of host memory");
    else if (ready_all(l, xs, x) && gnd__loop_set(l, l->init) && make_ys(l, length, ys) &&
             !(run_scan(l, x, length, backward, ys) && gnd__loop_get(l, l->n + l->ny, out)))
        gnd__loop_release(l->ny, ys);
    for (int i = 0; x && i < l->nx && x[i]; i++)
        gnd__unref(x[i]);
    gnd__free(x);
}

gnd_status gnd_scan(int n, gnd_array *const *init, int nx, gnd_array *const *xs, int64_t length,
                    int backward, int ny, gnd_scan_body *body, void *arg, gnd_array **out,
                    gnd_array **ys)
{
    gnd__loop l = {.func = "scan", .n = n, .nx = nx, .ny = ny};
    int ok = gnd__loop_count_ok(&l, n, init, "init") && gnd__loop_count_ok(&l, n, out, "out") &&
             gnd__loop_count_ok(&l, nx, xs, "xs") && gnd__loop_count_ok(&l, ny, ys, "ys");
    if (ok && !body)
        ok = gnd__loop_refuse(&l, GND_ERR_NULL, "body is NULL");
    if (ok && n == 0 && ny == 0)
        ok = gnd__loop_refuse(&l, GND_ERR_ARG, "no state and no rows: nothing is computed");
    if (ok && gnd__loop_take_init(&l, init, nx, xs)) {
        gnd_scope_begin(); /* scope of the body */
        ok = take_rows(&l, xs, &length) && record_scan(&l, body, arg);
        gnd_scope_end();
        if (ok)
            scan(&l, xs, length, backward, out, ys);
    }
    const gnd_status st = gnd__loop_finish(&l, n, out);
    for (int i = 0; st != GND_OK && ys && i < ny; i++)
        ys[i] = gnd__error_node(l.dev, &l.e);
    return st;
}
