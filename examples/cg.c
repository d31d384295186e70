/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cg [N] - conjugate gradients: Poisson's equation on a square of N x N points whose edge is held
 * at 0, until the residual is small, all steps on the device (gnd_while). The solution is known, so
 * its error can be said.
 */
#include <gnd.h>
#include <stdlib.h>

/* The state: the solution so far, the residual, the direction, the residual's square and that of
 * the first one. */
enum { X, R, P, RR, RR0, STATES };

/* -u_xx - u_yy with spacing 1: four times a point less its neighbours, with 0 outside. */
static gnd_array *laplace(gnd_array *u)
{
    gnd_array *y = gnd_pad(u, (int64_t[]){1, 1, 1, 1}, "constant", NULL);
    gnd_array *around = gnd_add(gnd_add(gnd_at(y, ":-2, 1:-1"), gnd_at(y, "2:, 1:-1")),
                                gnd_add(gnd_at(y, "1:-1, :-2"), gnd_at(y, "1:-1, 2:")));
    return gnd_sub(gnd_mul(u, gnd_real(4)), around);
}

static gnd_array *dot(gnd_array *a, gnd_array *b)
{
    return gnd_sum(gnd_mul(a, b), GND_ALL, 0);
}

static void step(gnd_array *const *s, gnd_array **next, void *arg)
{
    (void)arg;
    gnd_array *ap = laplace(s[P]);
    gnd_array *alpha = gnd_div(s[RR], dot(s[P], ap));
    next[X] = gnd_add(s[X], gnd_mul(alpha, s[P]));
    next[R] = gnd_sub(s[R], gnd_mul(alpha, ap));
    next[RR] = dot(next[R], next[R]);
    next[P] = gnd_add(next[R], gnd_mul(gnd_div(next[RR], s[RR]), s[P]));
    next[RR0] = s[RR0];
}

static gnd_array *far_off(gnd_array *const *s, void *arg)
{
    (void)arg;
    return gnd_greater(s[RR], gnd_mul(s[RR0], gnd_real(1e-10)));
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 200;
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    /* Of sin(pi x) sin(2 pi y) on the grid the operator makes a known multiple: so the solution is
     * known. */
    gnd_array *t =
        gnd_mul(gnd_arange_i64(dev, 1, n + 1, 1, GND_FLOAT32), gnd_real(GND_PI / (double)(n + 1)));
    gnd_array *want =
        gnd_add(gnd_mul(gnd_at(gnd_sin(t), ":, None"), gnd_sin(gnd_mul(t, gnd_real(2)))),
                gnd_mul(gnd_at(gnd_sin(gnd_mul(t, gnd_real(5))), ":, None"), gnd_sin(t)));
    gnd_array *b = laplace(want), *rr = dot(b, b), *out[STATES];
    gnd_array *init[STATES] = {gnd_zeros_like(b, GND_DTYPE_DEFAULT), b, b, rr, rr};
    int64_t steps;
    gnd_status s = gnd_while(STATES, init, far_off, step, NULL, 10 * n, out, &steps);
    gnd_array *left = gnd_sub(b, laplace(out[X]));
    double residual = gnd_item_f64(gnd_sqrt(gnd_div(dot(left, left), rr)), &s);
    double error = gnd_item_f64(gnd_max(gnd_abs(gnd_sub(out[X], want)), GND_ALL, 0), NULL);
    if (s == GND_OK)
        printf("cg: %lld steps on %s; residual %.1e of the right side, error %.1e\n",
               (long long)steps, gnd_device_id(dev), residual, error);
    else
        fprintf(stderr, "cg: %s\n", gnd_message());
    gnd_scope_end();
    gnd_close(dev);
    return s != GND_OK;
}
