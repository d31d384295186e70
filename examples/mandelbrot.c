/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mandelbrot [PNG] - how long z = z*z + c stays near 0, for each c of a picture: a loop over whole
 * arrays in constant memory, and colours computed from what it counted.
 */
#include <gnd.h>

enum { WIDTH = 900, HEIGHT = 600, STEPS = 120, AT_ONCE = 5, FAR = 10000 };

/* |z|^2, without the root that abs takes. */
static gnd_array *norm(gnd_array *z)
{
    return gnd_add(gnd_square(gnd_real_part(z)), gnd_square(gnd_imag_part(z)));
}

/* Waves of colour along mu, shifted for each channel; black where it is 0. */
static gnd_array *channel(gnd_array *mu, double shift)
{
    gnd_array *wave = gnd_cos(gnd_add(gnd_mul(gnd_real(0.9), gnd_sqrt(mu)), gnd_real(shift)));
    gnd_array *bright = gnd_sub(gnd_real(0.5), gnd_mul(gnd_real(0.5), wave));
    return gnd_where(gnd_greater(mu, gnd_real(0)), bright, gnd_real(0));
}

int main(int argc, char **argv)
{
    const char *png = argc > 1 ? argv[1] : "mandelbrot.png";
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    gnd_array *x = gnd_linspace(dev, gnd_real(-2.4), gnd_real(1.2), WIDTH, 1, GND_FLOAT32);
    gnd_array *y = gnd_linspace(dev, gnd_real(1.2), gnd_real(-1.2), HEIGHT, 1, GND_FLOAT32);
    gnd_array *c = gnd_add(x, gnd_mul(gnd_complex(0, 1), gnd_at(y, ":, None"))); /* complex64 */

    gnd_array *z = gnd_zeros_like(c, GND_DTYPE_DEFAULT), *count = gnd_zeros_like(c, GND_FLOAT32);
    for (int i = 1; i <= STEPS; i++) {
        gnd_scope_begin(); /* what a step makes goes with it, but for what is assigned */
        gnd_array *near = gnd_less(norm(z), gnd_real(FAR));
        gnd_assign(&count, gnd_add(count, near));
        gnd_assign(&z, gnd_where(near, gnd_add(gnd_square(z), c), z));
        if (i % AT_ONCE == 0)
            gnd_eval_all(2, (gnd_array *[]){z, count}); /* so one kernel makes five steps */
        gnd_scope_end();
    }

    /* The count, made smooth by how far z got; 0 for those that never left. */
    gnd_array *far = gnd_div(gnd_log(norm(z)), gnd_log(gnd_real(FAR)));
    gnd_array *left = gnd_less(count, gnd_real(STEPS));
    gnd_array *mu = gnd_maximum(gnd_sub(count, gnd_log2(far)), gnd_real(0));
    mu = gnd_where(left, mu, gnd_real(0));
    gnd_array *rgb[] = {channel(mu, -1.5), channel(mu, -0.9), channel(mu, 0.0)};
    gnd_array *picture = gnd_stack(3, rgb, 2); /* (HEIGHT, WIDTH, 3) */
    gnd_array *share = gnd_mean(gnd_logical_not(left), GND_ALL, 0);

    gnd_status s = gnd_save_png(picture, png);
    if (s == GND_OK)
        printf("%s: %d by %d, %.4f of it stayed near after %d steps on %s.\n", png, WIDTH, HEIGHT,
               gnd_item_f64(share, NULL), STEPS, gnd_device_id(dev));
    else
        fprintf(stderr, "mandelbrot: %s\n", gnd_error(picture)[0] ? gnd_error(picture) : png);
    gnd_release(z); /* assigned, so no longer the scope's */
    gnd_release(count);
    gnd_scope_end();
    gnd_close(dev);
    return s != GND_OK;
}
