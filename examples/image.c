/* SPDX-License-Identifier: BSD-3-Clause
 *
 * image [N [TIMES [PNG]]] - an image pipeline: a gray picture of N x N points (512) with noise is
 * blurred by Gauss's bell, its edges are found where the gradient is steep, and its histogram is
 * made even. TIMES > 1: how long it takes, too. PNG: a file for the result, with the edges in
 * white.
 */
#include "share.h"
#include <math.h>

enum { LEVELS = 256, REACH = 6 };

typedef struct pipeline {
    gnd_array *picture, *bell, *result;
    double edges, steepest, mean, deviation;
    gnd_status status;
} pipeline;

/* Waves, a disc, and noise; from 0 to 1, most of it dark. */
static gnd_array *picture(gnd_device *dev, int64_t n)
{
    gnd_array *i = gnd_arange_i64(dev, 0, n, 1, GND_INT64);
    gnd_array *cell = gnd_add(gnd_at(gnd_mul(i, gnd_int(n)), ":, None"), i);
    gnd_array *x = gnd_div(gnd_astype(i, GND_FLOAT32), gnd_real((double)n)),
              *y = gnd_at(x, ":, None");
    gnd_array *waves = gnd_mul(gnd_sin(gnd_mul_f(x, 17)), gnd_cos(gnd_mul_f(y, 13)));
    gnd_array *disc = gnd_less_f(gnd_hypot(gnd_sub_f(x, 0.6), gnd_sub_f(y, 0.4)), 0.25);
    gnd_array *light = gnd_add(gnd_add_f(gnd_mul_f(waves, 0.1), 0.2),
                               gnd_mul_f(gnd_astype(disc, GND_FLOAT32), 0.4));
    return gnd_add(light, gnd_mul_f(gnd_sub_f(spread01(cell, 0), 0.5), 0.1));
}

static gnd_array *blurred(gnd_array *x, gnd_array *bell)
{
    gnd_array *down = gnd_conv2d(x, gnd_at(bell, ":, None"), GND_CONV_SAME, GND_BOUNDARY_SYMM, NULL,
                                 GND_CONV_DIRECT);
    return gnd_conv2d(down, gnd_at(bell, "None, :"), GND_CONV_SAME, GND_BOUNDARY_SYMM, NULL,
                      GND_CONV_DIRECT);
}

/* The length of the gradient, by central differences, over one point. */
static gnd_array *steepness(gnd_array *x)
{
    gnd_array *p = gnd_pad(x, (int64_t[]){1, 1, 1, 1}, "edge", NULL);
    return gnd_mul_f(gnd_hypot(gnd_sub(gnd_at(p, "2:, 1:-1"), gnd_at(p, ":-2, 1:-1")),
                               gnd_sub(gnd_at(p, "1:-1, 2:"), gnd_at(p, "1:-1, :-2"))),
                     0.5);
}

/* Each level becomes the share of the points that are no lighter. */
static gnd_array *equalised(gnd_array *x)
{
    gnd_array *level = gnd_astype(gnd_clip_f(gnd_mul_f(x, LEVELS), 0, LEVELS - 1), GND_INT32);
    gnd_array *count = gnd_bincount_of(gnd_ravel(level), NULL, LEVELS);
    gnd_array *upto = gnd_astype(gnd_cumulative_sum(count, GND_AXIS(0), 0, GND_INT64), GND_FLOAT32);
    return gnd_take(gnd_div(upto, gnd_at(upto, "-1")), level, 0);
}

static void process(void *arg)
{
    pipeline *p = arg;
    gnd_scope_begin();
    gnd_array *smooth = blurred(p->picture, p->bell), *steep = steepness(smooth),
              *even = equalised(smooth);
    gnd_array *edge = gnd_greater_f(steep, 0.03);
    gnd_assign(&p->result, gnd_where(edge, gnd_real(1), even));
    gnd_array *found[] = {gnd_mean(edge, GND_ALL, 0), gnd_max(steep, GND_ALL, 0),
                          gnd_mean(even, GND_ALL, 0), gnd_std(even, GND_ALL, 0, 0), p->result};
    p->status = gnd_eval_all(5, found);
    p->edges = gnd_item_f64(found[0], &p->status);
    p->steepest = gnd_item_f64(found[1], &p->status);
    p->mean = gnd_item_f64(found[2], &p->status);
    p->deviation = gnd_item_f64(found[3], &p->status);
    gnd_scope_end();
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 512, width = 2 * REACH + 1;
    float bell[2 * REACH + 1], sum = 0;
    for (int i = -REACH; i <= REACH; i++)
        sum += bell[i + REACH] = expf(-0.125f * (float)(i * i)); /* a deviation of 2 points */
    for (int i = 0; i < 2 * REACH + 1; i++)
        bell[i] /= sum;
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    pipeline p = {picture(dev, n),
                  gnd_from(dev, GND_FLOAT32, 1, &width, bell),
                  gnd_zeros(dev, GND_FLOAT32, 0, NULL),
                  0,
                  0,
                  0,
                  0,
                  GND_OK};
    repeat(argc > 2 ? atoi(argv[2]) : 1, process, &p);
    if (p.status == GND_OK && argc > 3)
        p.status = gnd_save_png(p.result, argv[3]);
    if (p.status == GND_OK)
        printf(
            "image: %lld x %lld on %s; steepest %.7g, %.7g of it edges; evened to %.7g, deviation %.7g\n",
            (long long)n, (long long)n, gnd_device_id(dev), p.steepest, p.edges, p.mean,
            p.deviation);
    else
        fprintf(stderr, "image: %s\n", gnd_message());
    gnd_release(p.result); /* assigned: not the scope's */
    gnd_scope_end();
    gnd_close(dev);
    return p.status != GND_OK;
}
