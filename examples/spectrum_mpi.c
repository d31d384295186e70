/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spectrum_mpi [N [PICTURE.png]] - the power spectrum of a noisy N x N field, spread over the
 * ranks: mpirun -n 4 spectrum_mpi 256 spectrum.png. Finds the wave that is hidden in the noise.
 */
#include <gnd.h>
#include <gnd/mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A wave of 9 periods down and 21 across, under noise of three times its amplitude. */
static gndm_array *field(gndm_ctx *c, int64_t n)
{
    const gnd_value item[2] = {gnd_value_int(n), gnd_value_int(n)}, size = gnd_value_tuple(2, item);
    const char *name = "size";
    gndm_array *noise = gndm_apply(c, NULL, "standard_normal", 1, &size, 1, &name);
    gndm_part *p = gndm_part_of(noise);
    int64_t from[2] = {0, 0}, to[2] = {0, 0};
    gndm_part_box(p, gndm_rank(c), from, to);
    gnd_array *y = gnd_arange_i64(gndm_device(c), from[0], to[0], 1, GND_FLOAT64);
    gnd_array *x = gnd_arange_i64(gndm_device(c), from[1], to[1], 1, GND_FLOAT64);
    const double unit = 2 * 3.14159265358979 / (double)n;
    gnd_array *phase = gnd_add(gnd_mul_f(gnd_at(y, ":, None"), 9 * unit), gnd_mul_f(x, 21 * unit));
    gndm_array *wave = gndm_wrap(c, gnd_astype(gnd_cos(phase), gnd_dtype_of(gndm_local(noise))), p);
    gndm_part_free(p);
    return gndm_binary("add", wave, gndm_with("multiply", noise, 3));
}

/* The logarithm of the power as a picture, from rank 0. */
static gnd_status picture(gndm_ctx *c, gndm_array *power, const char *png)
{
    const int64_t *shape = gndm_shape(power);
    gndm_part *all = gndm_part_replicated(c, 2, shape);
    gnd_array *x = gndm_local(gndm_redistribute(gndm_unary("log1p", power), all));
    gndm_part_free(all);
    if (gndm_rank(c))
        return GND_OK;
    x = gnd_fftshift(gnd_div(x, gnd_max(x, GND_ALL, 0)), GND_AXES(0, 1));
    return gnd_save_png(gnd_astype(gnd_mul_f(x, 255), GND_UINT8), png);
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 256;
    if (n < 32) {
        fprintf(stderr, "usage: spectrum_mpi [N [PICTURE.png]], N at least 32\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, 0);
    gndm_scope_begin(c);
    gnd_scope_begin();
    gnd_status st, drawn = GND_OK;
    gndm_array *x = field(c, n);
    gndm_array *power = gndm_unary("square", gndm_unary("abs", gndm_unary("fft2", x)));
    const double mean = gndm_item_f64(gndm_along("mean", power, GND_NONE), &st);
    const double most = gndm_item_f64(gndm_along("max", power, GND_NONE), NULL);
    const double energy = gndm_item_f64(gndm_along("sum", gndm_unary("square", x), GND_NONE), NULL);
    /* Each wave of a real field has two equal peaks, at opposite frequencies: look at those that
     * are not negative across. */
    const int64_t half = n / 2 + 1;
    const gnd_range across[2] = {GND_FULL, GND_SLICE(0, half)};
    gndm_array *right = gndm_index(power, 2, across);
    const int64_t at = gndm_item_i64(gndm_along("argmax", right, GND_NONE), NULL);
    if (st == GND_OK && argc > 2)
        drawn = picture(c, power, argv[2]);
    if (gndm_rank(c) == 0 && st == GND_OK)
        printf("%d rank%s: the peak is at (%d, %d), %.0f times the mean; Parseval holds to %.1g\n",
               gndm_size(c), gndm_size(c) > 1 ? "s" : "", (int)(at / half), (int)(at % half),
               most / mean, mean / energy - 1 < 0 ? 1 - mean / energy : mean / energy - 1);
    if (gndm_rank(c) == 0 && (st || drawn))
        fprintf(stderr, "spectrum_mpi: %s\n", st ? gndm_message(c) : gnd_message());
    gnd_scope_end();
    gndm_scope_end(c);
    gndm_close(c);
    MPI_Finalize();
    return st != GND_OK || drawn != GND_OK;
}
