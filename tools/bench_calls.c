/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_calls.c - the rows of gnd bench for what a call costs before anything is computed: an
 * addition of two arrays of 1000 elements, made and released, by the C function, by its name, and
 * by a handle that was looked up once.
 */
#include "bench.h"

#include <stdio.h>

static const gnd_function *add;

static void two_vectors(bench *w, const bench_row *r)
{
    w->a = bench_random(w, GND_FLOAT32, 1, &r->dim, 8);
    w->b = bench_random(w, GND_FLOAT32, 1, &r->dim, 9);
    add = gnd_function_find("add", 0);
}

static gnd_array *by_function(bench *w, const bench_row *r)
{
    gnd_array *y = gnd_add(w->a, w->b);
    (void)r;
    w->st = gnd_status_of(y);
    gnd_release(y);
    return NULL;
}

static gnd_array *by_name(bench *w, const bench_row *r)
{
    const gnd_value in[2] = {gnd_value_array(w->a), gnd_value_array(w->b)};
    gnd_value y;
    (void)r;
    w->st = gnd_call(w->dev, "add", 2, in, 0, NULL, &y);
    gnd_value_clear(&y);
    return NULL;
}

static gnd_array *by_handle(bench *w, const bench_row *r)
{
    const gnd_value in[2] = {gnd_value_array(w->a), gnd_value_array(w->b)};
    gnd_value y;
    (void)r;
    w->st = gnd_call_function(w->dev, add, 2, in, 0, NULL, &y);
    gnd_value_clear(&y);
    return NULL;
}

int bench_rows_calls(bench_row *rows)
{
    static const struct {
        const char *name;
        gnd_array *(*call)(bench *w, const bench_row *r);
    } all[] = {
        {"call_add_function", by_function}, {"call_add", by_name}, {"call_add_handle", by_handle}};
    const int n = (int)(sizeof all / sizeof all[0]);
    for (int i = 0; i < n; i++) {
        rows[i] = (bench_row){
            .setup = two_vectors, .call = all[i].call, .dtype = GND_FLOAT32, .dim = 1000};
        snprintf(rows[i].name, sizeof rows[i].name, "%s", all[i].name);
    }
    return n;
}
