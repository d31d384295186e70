/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_replay.c - the rows of gnd bench for recordings (gnd/record.h): a call is a replay. The row
 * called compiled sets the recording's inputs before each replay, as a compiled function of another
 * framework does with its arguments; the others replay with the inputs unchanged.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { SMALL = 1000, GRID = 64, STEPS = 50, OFTEN = 1000 };

static const char chain[] = "2*a + 3*b - sqrt(a*a + b*b)";

/* --- setups: w->a, w->b and the recording ---------------------------------------------------- */

static void record(bench *w, int nin, gnd_array *const *in, gnd_array *out)
{
    gnd_array *data[2] = {w->a, w->b};
    gnd_recording_free(w->recording);
    w->recording = gnd_record(nin, in, 1, &out);
    for (int i = 0; i < nin; i++)
        gnd_recording_set(w->recording, i, data[i]);
}

static void record_text(bench *w, const bench_row *r)
{
    int64_t n = SMALL;
    gnd_array *in[2];
    for (int i = 0; i < 2; i++)
        in[i] = gnd_placeholder(w->dev, GND_FLOAT32, 1, &n);
    w->a = bench_random(w, GND_FLOAT32, 1, &n, 25);
    w->b = bench_random(w, GND_FLOAT32, 1, &n, 26);
    record(w, 2, in, gnd_eval(w->dev, r->text, "a", in[0], "b", in[1], NULL));
}

static void make_grid(bench *w, const bench_row *r)
{
    int64_t shape[2] = {r->dim, r->dim};
    w->a = bench_random(w, GND_FLOAT32, 2, shape, 27);
}

static void record_heat(bench *w, const bench_row *r)
{
    make_grid(w, r);
    int64_t shape[2] = {r->dim, r->dim};
    gnd_array *u = gnd_placeholder(w->dev, GND_FLOAT32, 2, shape);
    record(w, 1, &u, bench_heat(w, u, STEPS));
    /* The row is what a replay costs in the long run: small launches may become one once they have
     * taken as long as compiling that one (gnd/record.h). */
    for (int i = 0; r->dim == GRID && i < OFTEN; i++)
        gnd_replay(w->recording);
}

/* --- calls ------------------------------------------------------------------------------------ */

static gnd_array *done(bench *w)
{
    return w->st ? gnd_fail(w->st, "%s", gnd_message()) : NULL;
}

static gnd_array *replay(bench *w, const bench_row *r)
{
    (void)r;
    w->st = gnd_replay(w->recording);
    return done(w);
}

static gnd_array *set_and_replay(bench *w, const bench_row *r)
{
    (void)r;
    w->st = gnd_recording_set(w->recording, 0, w->a);
    if (!w->st)
        w->st = gnd_recording_set(w->recording, 1, w->b);
    if (!w->st)
        w->st = gnd_replay(w->recording);
    return done(w);
}

static gnd_array *heat(bench *w, const bench_row *r)
{
    (void)r;
    return bench_heat(w, w->a, STEPS);
}

/* --- the table -------------------------------------------------------------------------------- */

int bench_rows_replay(const bench *w, bench_row *rows)
{
    const struct {
        const char *name, *text;
        int64_t dim;
        void (*setup)(bench *w, const bench_row *r);
        gnd_array *(*call)(bench *w, const bench_row *r);
    } all[] = {
        {"small_chain_1000_compiled", chain, 0, record_text, set_and_replay},
        {"small_chain_1000_replay", chain, 0, record_text, replay},
        {"small_add_1000_replay", "a + b", 0, record_text, replay},
        {"small_heat_64x50", NULL, GRID, make_grid, heat},
        {"small_heat_64x50_replay", NULL, GRID, record_heat, replay},
        {"w_heat_4096x50_replay", NULL, bench_side(w, 4096, 0), record_heat, replay},
    };
    const int n = sizeof all / sizeof *all;
    for (int i = 0; i < n; i++) {
        rows[i] = (bench_row){
            .setup = all[i].setup, .call = all[i].call, .text = all[i].text, .dim = all[i].dim};
        snprintf(rows[i].name, sizeof rows[i].name, "%s", all[i].name);
    }
    rows[n - 1].law = 'n'; /* what others do is host time, whatever their sizes */
    return n;
}

void bench_replay_end(bench *w)
{
    gnd_recording_free(w->recording);
    w->recording = NULL;
}
