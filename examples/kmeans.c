/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kmeans [N [TIMES]] - finds six clouds of N points (2000) each in the plane: Lloyd's method until
 * no point changes its cloud, all steps on the device (gnd_while). TIMES > 1: how long it takes,
 * too.
 */
#include "share.h"

enum { CLOUDS = 6 };

/* The state: which centre each point is nearest to, the centres, how many points have changed. */
enum { NEAREST, CENTRES, CHANGED, STATES };

static gnd_array *nearest(gnd_array *points, gnd_array *centres)
{
    gnd_array *d = gnd_sub(gnd_at(points, ":, None, :"), gnd_at(centres, "None, :, :"));
    return gnd_argmin(gnd_sum(gnd_square(d), GND_AXIS(2), 0), GND_AXIS(1), 0);
}

/* Every centre goes to the mean of its points; one that has none stays. */
static void step(gnd_array *const *s, gnd_array **next, void *points)
{
    gnd_array *k = gnd_arange_i64(gnd_device_of(points), 0, CLOUDS, 1, GND_INT64);
    gnd_array *mine = gnd_astype(gnd_equal(gnd_at(s[NEAREST], ":, None"), k), GND_FLOAT32);
    gnd_array *count = gnd_at(gnd_sum(mine, GND_AXIS(0), 0), ":, None");
    gnd_array *sum = gnd_matmul(gnd_matrix_transpose(mine), points);
    next[CENTRES] = gnd_where(gnd_greater(count, gnd_real(0)),
                              gnd_div(sum, gnd_maximum(count, gnd_real(1))), s[CENTRES]);
    next[NEAREST] = nearest(points, next[CENTRES]);
    next[CHANGED] =
        gnd_sum(gnd_astype(gnd_not_equal(next[NEAREST], s[NEAREST]), GND_INT64), GND_ALL, 0);
}

static gnd_array *moves(gnd_array *const *s, void *points)
{
    (void)points;
    return gnd_greater(s[CHANGED], gnd_int(0));
}

typedef struct clouds {
    gnd_array *points, *start, *out[STATES];
    int64_t steps;
    gnd_status status;
} clouds;

static void find(void *arg)
{
    clouds *c = arg;
    gnd_array *out[STATES];
    gnd_scope_begin();
    gnd_array *init[STATES] = {nearest(c->points, c->start), c->start, gnd_int(1)};
    c->status = gnd_while(STATES, init, moves, step, c->points, 1000, out, &c->steps);
    for (int i = 0; i < STATES; i++)
        gnd_assign(&c->out[i], out[i]);
    if (c->status == GND_OK)
        c->status = gnd_wait(c->out[CENTRES]);
    gnd_scope_end();
}

int main(int argc, char **argv)
{
    const int64_t each = argc > 1 ? atoll(argv[1]) : 2000;
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    /* Clouds round the corners of a hexagon: directions and normal distances (Box and Muller). */
    gnd_array *turn =
        gnd_mul_f(gnd_arange_i64(dev, 0, CLOUDS, 1, GND_FLOAT32), 2 * GND_PI / CLOUDS);
    gnd_array *corner[2] = {gnd_mul_f(gnd_cos(turn), 10), gnd_mul_f(gnd_sin(turn), 10)};
    gnd_array *i = gnd_arange_i64(dev, 0, CLOUDS * each, 1, GND_INT64);
    gnd_array *towards = gnd_mul_f(spread01(i, 1), 2 * GND_PI);
    gnd_array *away = gnd_mul_f(gnd_sqrt(gnd_mul_f(gnd_log(spread01(i, 2)), -2)), 2.5);
    gnd_array *noise[2] = {gnd_mul(away, gnd_cos(towards)), gnd_mul(away, gnd_sin(towards))};
    gnd_array *corners = gnd_stack(2, corner, 1), *which = gnd_remainder(i, gnd_int(CLOUDS));
    gnd_array *points = gnd_add(gnd_take(corners, which, 0), gnd_stack(2, noise, 1));

    /* The first centres: one point of each cloud, but drawn to the middle. */
    clouds c = {.points = points, .start = gnd_mul_f(gnd_at(points, ":6"), 0.1)};
    for (int k = 0; k < STATES; k++)
        c.out[k] = gnd_zeros(dev, GND_FLOAT32, 0, NULL);
    repeat(argc > 2 ? atoi(argv[2]) : 1, find, &c);
    gnd_array *centres = c.out[CENTRES], *label = c.out[NEAREST];
    gnd_array *distance =
        gnd_sum(gnd_square(gnd_sub(points, gnd_take(centres, label, 0))), GND_AXIS(1), 0);
    double off = gnd_item_f64(gnd_max(gnd_abs(gnd_sub(centres, corners)), GND_ALL, 0), &c.status);
    double wrong = gnd_item_f64(gnd_sum(gnd_not_equal(nearest(points, centres), label), GND_ALL, 0),
                                &c.status);
    double mean = gnd_item_f64(gnd_mean(distance, GND_ALL, 0), &c.status);
    if (c.status == GND_OK)
        printf(
            "kmeans: %lld steps on %s; centres are off by %.3f at most, and %.0f points belong elsewhere; squared "
            "distances are %.7g in the mean\n",
            (long long)c.steps, gnd_device_id(dev), off, wrong, mean);
    else
        fprintf(stderr, "kmeans: %s\n", gnd_message());
    for (int k = 0; k < STATES; k++)
        gnd_release(c.out[k]); /* assigned: not the scope's */
    gnd_scope_end();
    gnd_close(dev);
    return c.status != GND_OK;
}
