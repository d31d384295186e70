/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pca [N [TIMES]] - principal components of N rows (20,000) of 16 columns that hide three factors:
 * the eigenvectors of the covariance matrix. TIMES > 1: how long it takes, too.
 */
#include "share.h"

enum { COLUMNS = 16, KEPT = 3 };

typedef struct pca {
    gnd_array *x;
    float variance[COLUMNS]; /* ascending */
    double rms, extent;      /* of what is left; the largest coordinate along the first component */
    gnd_status status;
} pca;

/* Three factors of the rows, as the columns weigh them, and a tenth of disorder. */
static gnd_array *table(gnd_device *dev, int64_t n)
{
    gnd_array *i = gnd_arange_i64(dev, 0, n, 1, GND_INT64), *row[KEPT];
    for (int k = 0; k < KEPT; k++)
        row[k] = gnd_mul_f(gnd_sub_f(spread01(i, k), 0.5), KEPT - k);
    gnd_array *j = gnd_arange_i64(dev, 0, COLUMNS, 1, GND_INT64),
              *k = gnd_arange_i64(dev, 1, KEPT + 1, 1, GND_FLOAT32);
    gnd_array *weights =
        gnd_cos(gnd_mul(gnd_at(k, ":, None"), gnd_add_f(gnd_astype(j, GND_FLOAT32), 1)));
    gnd_array *cell = gnd_add(gnd_at(gnd_mul(i, gnd_int(COLUMNS)), ":, None"), j);
    return gnd_add(gnd_matmul(gnd_stack(KEPT, row, 1), weights),
                   gnd_mul_f(gnd_sub_f(spread01(cell, 0), 0.5), 0.1));
}

static void components(void *arg)
{
    pca *p = arg;
    gnd_scope_begin();
    gnd_array *w, *v, *x = gnd_sub(p->x, gnd_mean(p->x, GND_AXIS(0), 0));
    gnd_array *covariance =
        gnd_div(gnd_matmul(gnd_matrix_transpose(x), x), gnd_real((double)gnd_dim(x, 0) - 1));
    p->status = gnd_eigh(covariance, 0, &w, &v);
    gnd_array *main = gnd_at(v, ":, -3:"), *scores = gnd_matmul(x, main);
    gnd_array *left = gnd_sub(x, gnd_matmul(scores, gnd_matrix_transpose(main)));
    if (p->status == GND_OK)
        p->status = gnd_read(w, p->variance, sizeof p->variance);
    p->rms = gnd_item_f64(gnd_sqrt(gnd_mean(gnd_square(left), GND_ALL, 0)), &p->status);
    p->extent = gnd_item_f64(gnd_max(gnd_abs(gnd_at(scores, ":, -1")), GND_ALL, 0), &p->status);
    gnd_scope_end();
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 20000;
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    pca p = {.x = table(dev, n)};
    repeat(argc > 2 ? atoi(argv[2]) : 1, components, &p);
    if (p.status == GND_OK)
        printf(
            "pca: %lld rows on %s; variances %.7g %.7g %.7g, then %.7g; %.7g at most along the first, rms of "
            "the rest %.7g\n",
            (long long)n, gnd_device_id(dev), p.variance[COLUMNS - 1], p.variance[COLUMNS - 2],
            p.variance[COLUMNS - 3], p.variance[COLUMNS - 4], p.extent, p.rms);
    else
        fprintf(stderr, "pca: %s\n", gnd_message());
    gnd_scope_end();
    gnd_close(dev);
    return p.status != GND_OK;
}
