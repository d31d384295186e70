/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kmeans_mpi [POINTS [PICTURE.png]] - Lloyd's algorithm over the ranks: mpirun -n 4 kmeans_mpi
 * 100000 clusters.png. Points stay where they are. The sums of the clusters are a product of
 * matrices whose inner axis is cut, so that only K x 3 numbers of each rank travel.
 */
#include <gnd.h>
#include <gnd/mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { K = 4 };

/* Points round the corners of a square with sides of 8, one after the other. */
static gndm_array *points(gndm_ctx *c, int64_t n)
{
    const gnd_value item[2] = {gnd_value_int(n), gnd_value_int(2)}, size = gnd_value_tuple(2, item);
    const char *name = "size";
    gndm_array *x = gndm_apply(c, NULL, "standard_normal", 1, &size, 1, &name);
    gndm_part *p = gndm_part_of(x);
    int64_t from[2] = {0, 0}, to[2] = {0, 0};
    gndm_part_box(p, gndm_rank(c), from, to);
    gnd_array *i = gnd_arange_i64(gndm_device(c), from[0], to[0], 1, GND_INT64);
    gnd_array *corner[2] = {gnd_remainder(i, gnd_int(2)),
                            gnd_remainder(gnd_floor_divide(i, gnd_int(2)), gnd_int(2))};
    gnd_array *y = gnd_mul_f(gnd_astype(gnd_stack(2, corner, 1), GND_FLOAT32), 8);
    gndm_array *z = gndm_wrap(c, gnd_add(gndm_local(x), y), p);
    gndm_part_free(p);
    return z;
}

/* The centres (K, 2), which every rank has, after one step, and the mean squared distance before.
 */
static gndm_array *step(gndm_ctx *c, gndm_array *x, gndm_array *centre, double *distance)
{
    gndm_array *away = gndm_binary("subtract", gndm_at(x, ":, None, :"), centre);
    gndm_array *square = gndm_along("sum", gndm_unary("square", away), 2);
    *distance = gndm_item_f64(gndm_along("mean", gndm_along("min", square, 1), GND_NONE), NULL);
    gnd_array *number = gnd_arange_i64(gndm_device(c), 0, K, 1, GND_INT64);
    gndm_array *nearest = gndm_at(gndm_along("argmin", square, 1), ":, None");
    const gnd_value v[2] = {gndm_value(nearest), gnd_value_array(number)};
    gndm_array *member = gndm_apply(c, NULL, "equal", 2, v, 0, NULL);
    const gnd_value to[2] = {gndm_value(gndm_unary("permute_dims", member)),
                             gnd_value_dtype(gndm_dtype_of(x))};
    gndm_array *weight = gndm_apply(c, NULL, "astype", 2, to, 0, NULL);
    gndm_array *count = gndm_with("maximum", gndm_along("sum", weight, 1), 1);
    return gndm_binary("divide", gndm_binary("matmul", weight, x), gndm_at(count, ":, None"));
}

/* The points as a picture of 240 x 240, from rank 0: each cluster has a colour. */
static gnd_status picture(gndm_ctx *c, gndm_array *x, gndm_array *centre, const char *png)
{
    static const char text[] =
        "k = ((x[:, None] - m)**2).sum(2).argmin(1)\n"
        "p = clip(((x + 6) * 12).astype(int64), 0, 239)\n"
        "n = bincount((k * 240 + 239 - p[:, 1]) * 240 + p[:, 0], minlength=4 * 240 * 240)\n"
        "ink = minimum(n.reshape(4, 240, 240, 1) * 96, 255)\n"
        "colour = array([[0, 1, 1], [1, 0, 1], [1, 1, 0], [.4, .6, .8]])[:, None, None]\n"
        "(255 - ink * colour).min(0).astype(uint8)";
    gndm_part *all = gndm_part_replicated(c, 2, gndm_shape(x));
    gnd_array *whole = gndm_local(gndm_redistribute(x, all));
    gndm_part_free(all);
    if (gndm_rank(c))
        return GND_OK;
    return gnd_save_png(gnd_eval(gndm_device(c), text, "x", whole, "m", gndm_local(centre), NULL),
                        png);
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 4000;
    if (n < 4) {
        fprintf(stderr, "usage: kmeans_mpi [N [PICTURE.png]], N at least 4\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, 0);
    gndm_scope_begin(c);
    gnd_scope_begin();
    gndm_array *x = points(c, n);
    gndm_array *centre = gndm_retain(gndm_at(x, "0:4"));
    double distance = INFINITY, before;
    gnd_status drawn = GND_OK;
    int steps = 0;
    do {
        before = distance;
        gndm_scope_begin(c);
        gnd_scope_begin();
        gndm_assign(&centre, gndm_retain(step(c, x, centre, &distance)));
        gnd_scope_end();
        gndm_scope_end(c);
    } while (++steps < 50 && distance < 0.9999 * before);
    if (distance < 2.2 && argc > 2)
        drawn = picture(c, x, centre, argv[2]);
    if (drawn)
        fprintf(stderr, "kmeans_mpi: %s\n", gnd_message());
    if (gndm_rank(c) == 0 && distance < 2.2)
        printf("%d rank%s: %d steps, mean squared distance %.3f\n", gndm_size(c),
               gndm_size(c) > 1 ? "s" : "", steps, distance);
    else if (gndm_rank(c) == 0)
        fprintf(stderr, "kmeans_mpi: no clusters: %g %s\n", distance, gndm_message(c));
    gnd_scope_end();
    gndm_scope_end(c);
    gndm_close(c);
    MPI_Finalize();
    return !(distance < 2.2) || drawn != GND_OK;
}
