/* SPDX-License-Identifier: BSD-3-Clause
 *
 * huber.c - an elementwise kernel of the program's own inside a reduction: the mean Huber loss of
 * residuals. The subtraction, the kernel and the sum are computed together, and y and t are read
 * once. The same by gnd_where is the check.
 *
 *     huber
 */
#include <gnd.h>
#include <math.h>
#include <stdio.h>

int main(void)
{
    const int64_t n = 3001;
    gnd_device *dev = gnd_open(NULL);
    gnd_stats before, after;
    gnd_ekernel *loss =
        gnd_elementwise_kernel("T r, T delta", "T y",
                               "T a = r < 0 ? -r : r;\n"
                               "y = a <= delta ? (T)0.5 * r * r : delta * (a - (T)0.5 * delta);",
                               "huber", NULL);
    gnd_scope_begin();
    gnd_rng g = gnd_rng_seed(7);
    gnd_array *y = gnd_rng_standard_normal(&g, dev, GND_FLOAT32, 1, &n);
    gnd_array *t = gnd_rng_standard_normal(&g, dev, GND_FLOAT32, 1, &n);
    gnd_eval_all(2, (gnd_array *[]){y, t});
    gnd_array *r = gnd_subtract(y, t), *delta = gnd_real(1.5), *each = NULL;
    gnd_elementwise_call(loss, 2, (gnd_array *[]){r, delta}, NULL, &each);
    gnd_array *mean = gnd_mean(each, GND_ALL, 0);
    gnd_device_stats(dev, &before);
    const double got = gnd_item_f64(mean, NULL);
    gnd_device_stats(dev, &after);
    const int launches = (int)(after.kernels_launched - before.kernels_launched);

    gnd_array *a = gnd_abs(r), *half = gnd_multiply(gnd_multiply(r, r), gnd_real(0.5));
    gnd_array *far = gnd_multiply(gnd_subtract(a, gnd_real(0.75)), gnd_real(1.5));
    gnd_array *where = gnd_mean(gnd_where(gnd_less_equal(a, delta), half, far), GND_ALL, 0);
    const double want = gnd_item_f64(where, NULL);
    const int bad =
        gnd_status_of(mean) || gnd_status_of(where) || !(fabs(got - want) <= 1e-6 * want);
    if (gnd_status_of(mean))
        fprintf(stderr, "huber: %s\n", gnd_error(mean));
    else
        printf("huber: a mean loss of %.4f, %d launch%s, %s\n", got, launches,
               launches == 1 ? "" : "es", bad ? "which differs" : "as by where");
    gnd_scope_end();
    gnd_ekernel_free(loss);
    gnd_close(dev);
    return bad;
}
