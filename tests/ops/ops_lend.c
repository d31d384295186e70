/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_lend.c - inputs of recordings that are set to arrays, which lend their memory where nothing
 * is in a list (lib/sched/lend.c): random sequences of settings, writes, feeds, replays and reads,
 * beside a model on the host. Arrays are released as soon as they are set, and others take their
 * memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

#include <gnd.h>

enum { SIDE = 24, N = SIDE * SIDE, STEPS = 400, INPUTS = 2, OUTPUTS = 4 };

static gnd_device *dev;
static unsigned long long state;

static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)(state >> 33) % n;
}

static void fill(float *v)
{
    for (int i = 0; i < N; i++)
        v[i] = (float)(below(17) - 8);
}

/* What recording `kind` leaves: 0 elementwise, in one launch; 1 with a product; 2 with several
 * launches, which backends make a list. Output 2 is input 0, output 3 a view of input 1. */
static void outputs(int kind, gnd_array *const *in, gnd_array **out)
{
    out[0] = gnd_add(gnd_multiply(in[0], gnd_int(2)), in[1]);
    out[1] = gnd_subtract(in[1], gnd_abs(in[0]));
    if (kind == 1)
        out[0] = gnd_add(gnd_matmul(in[0], gnd_sign(in[1])), gnd_int(1));
    if (kind == 2)
        out[1] =
            gnd_add(gnd_sort(in[0], -1, 0), gnd_cumulative_sum(in[1], GND_AXIS(1), 0, GND_FLOAT32));
    out[2] = in[0];
    out[3] = gnd_flip(in[1], GND_AXIS(0));
}

/* Wraps the model's values, so that feeds do not grow them: the recordings' do the same. */
static gnd_array *small(gnd_array *x)
{
    return gnd_remainder(x, gnd_int(9));
}

static gnd_recording *recorded(int kind)
{
    const int64_t dim[2] = {SIDE, SIDE};
    gnd_array *in[INPUTS], *out[OUTPUTS];
    gnd_scope_begin();
    for (int i = 0; i < INPUTS; i++)
        in[i] = gnd_placeholder(dev, GND_FLOAT32, 2, dim);
    outputs(kind, in, out);
    out[0] = small(out[0]);
    out[1] = small(out[1]);
    gnd_recording *r = gnd_record(INPUTS, in, OUTPUTS, out);
    gnd_scope_end();
    return r;
}

typedef struct model {
    int kind;
    float in[INPUTS][N], out[OUTPUTS][N];
} model;

/* The first two outputs of a replay, by the library without recordings. */
static gnd_status run(model *m)
{
    const int64_t dim[2] = {SIDE, SIDE};
    gnd_array *in[INPUTS], *out[OUTPUTS];
    gnd_status st = GND_OK;
    gnd_scope_begin();
    for (int i = 0; i < INPUTS; i++)
        in[i] = gnd_from(dev, GND_FLOAT32, 2, dim, m->in[i]);
    outputs(m->kind, in, out);
    for (int o = 0; o < 2 && !st; o++)
        st = gnd_read(small(out[o]), m->out[o], sizeof m->out[o]);
    gnd_scope_end();
    return st;
}

/* Outputs that are inputs have their values of now. */
static const float *value(model *m, int o)
{
    if (o == 2)
        return m->in[0];
    for (int i = 0; o == 3 && i < N; i++)
        m->out[3][i] = m->in[1][(SIDE - 1 - i / SIDE) * SIDE + i % SIDE];
    return m->out[o];
}

/* An array of v's elements: with memory of its own, a view of more, or still to be computed. */
static gnd_array *made(const float *v)
{
    const int64_t dim[2] = {SIDE, SIDE}, more[2] = {2 * SIDE, SIDE};
    static float wide[2 * N];
    const int how = below(4);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, dim, v);
    if (how == 1) { /* after other elements */
        memcpy(wide + N, v, N * sizeof *v);
        return gnd_at(gnd_from(dev, GND_FLOAT32, 2, more, wide), "24:");
    }
    if (how == 2)
        return gnd_T(gnd_add(gnd_T(x), gnd_int(0)));
    return how == 3 ? gnd_multiply(gnd_int(1), x) : x;
}

static gnd_status step(gnd_recording *r, model *m, int *bad)
{
    static float v[INPUTS][N], got[N];
    const int i = below(INPUTS), o = below(OUTPUTS);
    gnd_status st = GND_OK;
    switch (below(8)) {
    case 0:
    case 1:
    case 2:
        fill(m->in[i]);
        gnd_scope_begin();
        st = gnd_recording_set(r, i, made(m->in[i]));
        gnd_scope_end();
        gnd_scope_begin(); /* which may take memory that is free now */
        fill(v[0]);
        for (int k = below(3); k > 0; k--)
            (void)gnd_wait(made(v[0]));
        gnd_scope_end();
        break;
    case 3:
        fill(m->in[i]);
        st = gnd_recording_write(r, i, m->in[i], sizeof m->in[i]);
        break;
    case 4:
        memcpy(v[0], value(m, o), sizeof v[0]);
        memcpy(m->in[i], v[0], sizeof v[0]);
        st = gnd_recording_feed(r, o, i);
        break;
    case 5: {
        const int from[2] = {o, below(OUTPUTS)}, to[2] = {i, 1 - i};
        for (int k = 0; k < 2; k++)
            memcpy(v[k], value(m, from[k]), sizeof v[k]);
        for (int k = 0; k < 2; k++)
            memcpy(m->in[to[k]], v[k], sizeof v[k]);
        st = gnd_recording_feed_all(r, 2, from, to);
        break;
    }
    default:
        st = gnd_replay(r);
        if (!st)
            st = run(m);
        break;
    }
    if (!st && below(2)) {
        st = gnd_recording_read(r, o, got, sizeof got);
        *bad += memcmp(got, value(m, o), sizeof got) != 0;
    }
    return st;
}

static void sequences(gnd_device *d, const char *spec)
{
    static model m;
    dev = d;
    for (int kind = 0; kind < 3; kind++) {
        gnd_recording *r = recorded(kind);
        int bad = 0, at = 0;
        state = (unsigned)kind + 1;
        memset(&m, 0, sizeof m);
        m.kind = kind;
        gnd_status st = gnd_recording_status(r);
        for (int i = 0; i < INPUTS && !st; i++)
            st = gnd_recording_write(r, i, m.in[i], sizeof m.in[i]);
        st = st ? st : gnd_replay(r);
        st = st ? st : run(&m);
        for (; at < STEPS && !st && !bad; at++)
            st = step(r, &m, &bad);
        tap_ok(!st && !bad, "%s: recording %d after %d steps: %s", spec, kind, at,
               st ? gnd_recording_error(r) : "the model's values");
        tap_is_int(gnd_recording_free(r), GND_OK, "%s: freed", spec);
    }
}

/* Sets input 0 to the first n of `all` elements of the value v, which the caller's scope does not
 * hold. used: the bytes in use before the array is made, and after it is released. */
static gnd_status set_to(gnd_recording *r, int64_t n, int64_t all, int v, uint64_t *used)
{
    char first[32];
    gnd_stats s;
    gnd_sync(dev);
    gnd_device_stats(dev, &s);
    used[0] = s.bytes_in_use;
    gnd_scope_begin();
    gnd_array *x = gnd_full(dev, GND_FLOAT32, 1, &all, gnd_int(v));
    gnd_status st = gnd_wait(x);
    snprintf(first, sizeof first, ":%lld", (long long)n);
    st = st ? st : gnd_recording_set(r, 0, gnd_at(x, first));
    gnd_scope_end();
    gnd_device_stats(dev, &s);
    used[1] = s.bytes_in_use;
    return st;
}

/* A recording of one launch holds the memory that it is lent, until it is set again. */
static void memory(gnd_device *d, const char *spec)
{
    enum { SIZE = 1 << 20 };
    const int64_t n = SIZE;
    uint64_t used[3][2] = {{0}};
    gnd_status st = GND_OK;
    double got[3] = {0};
    dev = d;
    gnd_scope_begin();
    gnd_array *x = gnd_placeholder(d, GND_FLOAT32, 1, &n), *y = gnd_add(x, gnd_int(1));
    gnd_recording *r = gnd_record(1, &x, 1, &y);
    for (int k = 0; k < 3; k++) {
        st = st ? st : set_to(r, n, k < 2 ? n : 3 * n, 5 + k, used[k]);
        st = st ? st : gnd_replay(r);
        gnd_scope_begin();
        got[k] = gnd_item_f64(gnd_at(gnd_recording_get(r, 0), "77"), NULL);
        gnd_scope_end();
    }
    tap_ok(!st && got[0] == 6 && got[1] == 7 && got[2] == 8,
           "%s: set, released and replayed: %g, %g, %g", spec, got[0], got[1], got[2]);
    tap_is_int((int64_t)(used[0][1] - used[0][0]), 4 * SIZE, "%s: the memory is held", spec);
    tap_is_int((int64_t)(used[1][1] - used[1][0]), 0, "%s: one array's at a time", spec);
    tap_is_int((int64_t)(used[2][1] - used[2][0]), -4 * SIZE, "%s: a part is copied", spec);
    gnd_recording_free(r);
    gnd_scope_end();
}

int main(void)
{
    ref_devices(sequences);
    ref_devices(memory);
    return tap_done();
}
