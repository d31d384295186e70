/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heat [PNG] - two hot bodies cool: the heat equation on a plate without edges (left meets right,
 * top meets bottom), by explicit steps over shifted arrays; four moments as one picture.
 */
#include <gnd.h>

enum { N = 240, STEPS = 1500, SHOTS = 4 };

static gnd_array *shifted(gnd_array *u, int64_t by, int axis)
{
    return gnd_roll(u, 1, &by, &axis);
}

/* One step of u' = u_xx + u_yy; stable for rates up to 1/4. */
static gnd_array *step(gnd_array *u, double rate)
{
    gnd_array *next = gnd_add(gnd_add(shifted(u, 1, 0), shifted(u, -1, 0)),
                              gnd_add(shifted(u, 1, 1), shifted(u, -1, 1)));
    return gnd_add(gnd_mul_f(u, 1 - 4 * rate), gnd_mul_f(next, rate));
}

/* White over yellow and red to black, as iron glows. */
static gnd_array *glow(gnd_array *u)
{
    gnd_array *rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = gnd_clip_f(gnd_sub_f(gnd_mul_f(u, 3), i), 0, 1);
    return gnd_stack(3, rgb, 2);
}

int main(int argc, char **argv)
{
    const char *png = argc > 1 ? argv[1] : "heat.png";
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    gnd_array *x = gnd_arange_i64(dev, 0, N, 1, GND_FLOAT32), *y = gnd_at(x, ":, None");
    gnd_array *away = gnd_hypot(gnd_sub_f(x, 85), gnd_sub_f(y, 95));
    gnd_array *ball = gnd_less_f(away, 42);
    gnd_array *bar = gnd_logical_and(gnd_less_f(gnd_abs(gnd_sub_f(x, 150)), 60),
                                     gnd_less_f(gnd_abs(gnd_sub_f(y, 180)), 14));
    gnd_array *u = gnd_astype(gnd_logical_or(ball, bar), GND_FLOAT32), *shot[SHOTS];
    double before = gnd_item_f64(gnd_mean(u, GND_ALL, 0), NULL);

    for (int i = 0, k = 0; i <= STEPS; i++) {
        if (i * (SHOTS - 1) == k * STEPS)
            shot[k++] = gnd_retain(u);
        gnd_scope_begin(); /* the array of the step before goes when the new one is assigned */
        gnd_assign(&u, step(u, 0.24));
        gnd_eval_all(1, &u);
        gnd_scope_end();
    }
    gnd_array *row = gnd_concat(SHOTS, shot, 1);
    double after = gnd_item_f64(gnd_mean(u, GND_ALL, 0), NULL);
    gnd_status s = gnd_save_png(glow(row), png);
    gnd_stats stats = {0};
    gnd_device_stats(dev, &stats);
    if (s == GND_OK)
        printf("%s: %d steps on %s; mean warmth %.5f before, %.5f after; %.1f MB at most.\n", png,
               STEPS, gnd_device_id(dev), before, after, (double)stats.bytes_peak / 1e6);
    else
        fprintf(stderr, "heat: %s\n", gnd_message());
    for (int k = 0; k < SHOTS; k++)
        gnd_release(shot[k]); /* retained, and u assigned: no longer the scope's */
    gnd_release(u);
    gnd_scope_end();
    gnd_close(dev);
    return s != GND_OK;
}
