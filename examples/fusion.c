/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fusion - what becomes of a chain of operations: the plan before it runs, and what then ran.
 */
#include <gnd.h>
#include <stdlib.h>

int main(void)
{
    const int64_t n = 1 << 20;
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    gnd_array *x = gnd_linspace(dev, gnd_real(0), gnd_real(3), n, 1, GND_FLOAT32);
    gnd_array *y = gnd_linspace(dev, gnd_real(4), gnd_real(0), n, 1, GND_FLOAT32);
    gnd_eval_all(2, (gnd_array *[]){x, y}); /* in memory now; what follows only describes */

    /* 2*x + 3*y - sqrt(x*x + y*y), and mean((x - y)**2) */
    gnd_array *z = gnd_sub(gnd_add(gnd_mul(gnd_real(2), x), gnd_mul(gnd_real(3), y)),
                           gnd_sqrt(gnd_add(gnd_square(x), gnd_square(y))));
    gnd_array *m = gnd_mean(gnd_square(gnd_sub(x, y)), GND_ALL, 0);

    gnd_array *both[] = {z, m};
    for (int i = 0; i < 2; i++) {
        char *plan = gnd_explain(1, &both[i], 0, NULL);
        printf("%s:\n%s\n", i ? "mean((x - y)**2)" : "2*x + 3*y - sqrt(x*x + y*y)",
               plan ? plan : "no plan");
        free(plan);
    }

    gnd_stats before = {0}, after = {0};
    gnd_device_stats(dev, &before);
    gnd_status s = gnd_eval_all(2, both);
    double mean = s == GND_OK ? gnd_item_f64(m, &s) : 0;
    double last = s == GND_OK ? gnd_item_f64(gnd_at(z, "-1"), &s) : 0;
    gnd_device_stats(dev, &after);
    if (s == GND_OK)
        printf("The last of the first is %g (2*3 + 3*0 - 3), the mean is %.5f.\n"
               "%d kernels launched on %s, %d of them compiled anew.\n",
               last, mean, (int)(after.kernels_launched - before.kernels_launched),
               gnd_device_id(dev), (int)(after.kernels_built - before.kernels_built));
    else
        fprintf(stderr, "fusion: %s\n", gnd_error(m));
    gnd_scope_end();
    gnd_close(dev);
    return s != GND_OK;
}
