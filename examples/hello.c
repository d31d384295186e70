/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hello [X.npy] - how far the elements of an array lie from the mean of their column.
 */
#include <gnd.h>

int main(int argc, char **argv)
{
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL); /* GND_DEVICE, else the best device here */
    gnd_array *x = argc > 1 ? gnd_load_npy(dev, argv[1])
                            : gnd_sin(gnd_reshape(gnd_arange_f64(dev, 0, 12, 1, GND_FLOAT32), 2,
                                                  (int64_t[]){3, 4}));
    gnd_array *d = gnd_sub(x, gnd_mean(x, GND_AXIS(0), GND_KEEPDIMS));
    gnd_array *rms = gnd_sqrt(gnd_mean(gnd_square(d), GND_ALL, 0));
    gnd_status s;
    double v = gnd_item_f64(rms, &s); /* any call above may have failed: the error arrives here */
    if (s == GND_OK)
        printf("rms %g, computed on %s\n", v, gnd_device_id(dev));
    else
        fprintf(stderr, "hello: %s\n", gnd_error(rms)); /* "load_npy: x.npy: truncated: ..." */
    gnd_scope_end(); /* releases every array made since its beginning */
    gnd_close(dev);
    return s != GND_OK;
}
