/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pagerank [N [TIMES]] - which of N pages (20,000) a reader who follows links at random sees most:
 * PageRank by a list of 8 N links, until it changes by less than 10^-6, all steps on the device
 * (gnd_while). A tenth of the pages has no links: from there the reader goes anywhere. TIMES > 1:
 * how long it takes, too.
 */
#include "share.h"

enum { LINKS = 8 };
enum {
    RANK,
    CHANGE,
    STATES
}; /* the state: each page's share of the reader's time, how much it changed in sum */

typedef struct web {
    gnd_device *dev;
    int64_t pages;
    gnd_array *from, *to, *out; /* of each link; how many links leave each page (float32) */
    gnd_array *rank;
    int64_t steps;
    gnd_status status;
} web;

static void step(gnd_array *const *s, gnd_array **next, void *arg)
{
    web *w = arg;
    const double n = (double)w->pages, follows = 0.85;
    gnd_array *stuck =
        gnd_sum(gnd_where(gnd_equal(w->out, gnd_real(0)), s[RANK], gnd_real(0)), GND_ALL, 0);
    gnd_array *share = gnd_div(s[RANK], gnd_maximum(w->out, gnd_real(1)));
    gnd_array *come = gnd_add_at(gnd_zeros_like(share, GND_DTYPE_DEFAULT), GND_IDX(GND_AT(w->to)),
                                 gnd_take(share, w->from, 0));
    next[RANK] = gnd_add_f(gnd_mul_f(gnd_add(come, gnd_div(stuck, gnd_real(n))), follows),
                           (1 - follows) / n);
    next[CHANGE] = gnd_sum(gnd_abs(gnd_sub(next[RANK], s[RANK])), GND_ALL, 0);
}

static gnd_array *moves(gnd_array *const *s, void *arg)
{
    (void)arg;
    return gnd_greater_f(s[CHANGE], 1e-6);
}

static void walk(void *arg)
{
    web *w = arg;
    gnd_scope_begin();
    gnd_array *even = gnd_full(w->dev, GND_FLOAT32, 1, &w->pages, gnd_real(1.0 / (double)w->pages));
    gnd_array *init[STATES] = {even, gnd_asarray(w->dev, gnd_real(1), GND_FLOAT32)}, *out[STATES];
    w->status = gnd_while(STATES, init, moves, step, w, 1000, out, &w->steps);
    gnd_assign(&w->rank, out[RANK]);
    if (w->status == GND_OK)
        w->status = gnd_wait(w->rank);
    gnd_scope_end();
}

int main(int argc, char **argv)
{
    const int64_t n = argc > 1 ? atoll(argv[1]) : 20000;
    gnd_scope_begin();
    gnd_device *dev = gnd_open(NULL);
    /* Links leave the first nine tenths of the pages, and most lead to pages of low numbers. */
    gnd_array *i = gnd_arange_i64(dev, 0, LINKS * n, 1, GND_INT64),
              *far = gnd_mul(spread(i, 1), spread(i, 1));
    gnd_array *from =
        gnd_bitwise_right_shift(gnd_mul(spread(i, 0), gnd_int(n - n / 10)), gnd_int(24));
    far = gnd_bitwise_right_shift(far, gnd_int(24));
    gnd_array *to = gnd_bitwise_right_shift(gnd_mul(far, gnd_int(n)), gnd_int(24));
    gnd_array *out = gnd_astype(gnd_bincount_of(from, NULL, n), GND_FLOAT32);
    web w = {dev, n, from, to, out, gnd_zeros(dev, GND_FLOAT32, 0, NULL), 0, GND_OK};
    gnd_eval_all(3, (gnd_array *[]){from, to, out});
    repeat(argc > 2 ? atoi(argv[2]) : 1, walk, &w);
    double first = gnd_item_f64(gnd_max(w.rank, GND_ALL, 0), &w.status);
    int64_t page = gnd_item_i64(gnd_argmax(w.rank, GND_ALL, 0), &w.status);
    double sum = gnd_item_f64(gnd_sum(w.rank, GND_ALL, 0), &w.status);
    double spreads =
        gnd_item_f64(gnd_mul_f(gnd_sum(gnd_square(w.rank), GND_ALL, 0), (double)n), &w.status);
    if (w.status == GND_OK)
        printf(
            "pagerank: %lld pages, %lld steps on %s; page %lld is first with %.7g; sum %.7g, of squares %.7g / N\n",
            (long long)n, (long long)w.steps, gnd_device_id(dev), (long long)page, first, sum,
            spreads);
    else
        fprintf(stderr, "pagerank: %s\n", gnd_message());
    gnd_release(w.rank); /* assigned: not the scope's */
    gnd_scope_end();
    gnd_close(dev);
    return w.status != GND_OK;
}
