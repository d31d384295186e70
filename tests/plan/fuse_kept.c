/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse_kept.c - what was expensive is computed once: sorts, decompositions, transforms, products
 * and reductions below something that is held stay in memory, whatever is read of them and through
 * which views; on random graphs too. What nobody needs any more goes, and memory has a bound: on
 * the null device, which counts, and on the devices under test.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { N = 4096, M = 32, READS = 10 };

static gnd_device *dev;
static const char *where;
static int computes;
static gnd_array *x, *m;

/* What the device has run since the last call: launches and library calls. */
static uint64_t ran(void)
{
    static uint64_t before;
    gnd_stats s;
    gnd_device_stats(dev, &s);
    const uint64_t now = s.kernels_launched + s.library_calls, n = now - before;
    before = now;
    return n;
}

static uint64_t bytes_in_use(void)
{
    gnd_stats s;
    gnd_device_stats(dev, &s);
    return s.bytes_in_use;
}

static uint64_t bytes_kept(void)
{
    gnd_stats s;
    gnd_device_stats(dev, &s);
    return s.bytes_kept;
}

/* --- the functions that users met ------------------------------------------------------------- */

static gnd_array *make_sort(void)
{
    return gnd_sort(x, 0, 0);
}
static gnd_array *make_sort_down(void)
{
    return gnd_sort(m, 0, GND_DESCENDING);
}
static gnd_array *make_argsort(void)
{
    return gnd_argsort(x, 0, 0);
}
static gnd_array *make_svdvals(void)
{
    return gnd_svdvals(m);
}
static gnd_array *make_fft(void)
{
    return gnd_fft(x, N, -1, GND_NORM_BACKWARD);
}
static gnd_array *make_inv(void)
{
    return gnd_inv(m);
}
static gnd_array *make_convolve(void)
{
    return gnd_convolve(x, x, GND_CONV_SAME, GND_CONV_AUTO);
}
static gnd_array *make_cumsum(void)
{
    return gnd_multiply(gnd_cumulative_sum(x, GND_AXIS(0), 0, GND_DTYPE_DEFAULT), gnd_int(2));
}
static gnd_array *make_product(void)
{
    return gnd_add(gnd_matmul(m, m), gnd_int(1));
}
static gnd_array *make_norms(void)
{
    return gnd_sqrt(gnd_sum(gnd_multiply(m, m), GND_AXIS(1), 0));
}
static gnd_array *make_mean(void)
{
    return gnd_mean(m, GND_AXIS(0), 0);
}
static gnd_array *make_std(void)
{
    return gnd_std(m, GND_AXIS(1), 0, 0);
}
static gnd_array *make_softmax(void)
{
    gnd_array *e = gnd_exp(gnd_subtract(m, gnd_max(m, GND_AXIS(1), GND_KEEPDIMS)));
    return gnd_divide(e, gnd_sum(e, GND_AXIS(1), GND_KEEPDIMS));
}
static gnd_array *make_add_at(void)
{
    gnd_array *i = gnd_astype(gnd_multiply(gnd_abs(x), gnd_int(100)), GND_INT64);
    gnd_range at = {.kind = GND_IDX_ARRAY, .array = gnd_remainder(i, gnd_int(N))};
    return gnd_add_at(gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){N}), 1, &at, x);
}
static gnd_array *make_permutation(void)
{
    gnd_rng r = gnd_rng_seed(7);
    return gnd_rng_permutation(&r, dev, N);
}

static const struct {
    const char *name;
    gnd_array *(*make)(void);
} made[] = {
    {"sort", make_sort},
    {"sort, downwards", make_sort_down},
    {"argsort", make_argsort},
    {"svdvals", make_svdvals},
    {"fft", make_fft},
    {"inv", make_inv},
    {"convolve", make_convolve},
    {"2 * cumsum", make_cumsum},
    {"matmul + 1", make_product},
    {"norms", make_norms},
    {"mean", make_mean},
    {"std", make_std},
    {"softmax", make_softmax},
    {"add_at", make_add_at},
    {"permutation", make_permutation},
};

/* Element k of y, in C order. */
static gnd_array *element(gnd_array *y, int64_t k)
{
    gnd_range at[2] = {{.kind = GND_IDX_INT}, {.kind = GND_IDX_INT}};
    const int n = gnd_ndim(y);
    for (int d = n - 1; d >= 0; d--) {
        at[d].start = k % gnd_dim(y, d);
        k /= gnd_dim(y, d);
    }
    return gnd_index(y, n, at);
}

/* Whether a plan of y is a look at what is there: no call, primitive or reduction. */
static int is_cheap(gnd_array *y)
{
    static const char *const dear[] = {"sum", "prod",   "max",    "min",   "any",
                                       "all", "argmax", "argmin", "matmul"};
    char *text = gnd_explain(1, &y, 0, NULL), *line, *rest = text, *word, *more;
    int cheap = text != NULL;
    while (rest && (line = strtok_r(rest, "\n", &rest)) != NULL) {
        if (!strncmp(line, "call", 4))
            cheap = 0;
        if (strncmp(line, "kernel", 6) || !(more = strchr(line, ':')))
            continue;
        for (more++; (word = strtok_r(more, " ", &more)) != NULL;) {
            cheap &= strchr(word, ':') == NULL;
            for (size_t i = 0; i < sizeof dear / sizeof *dear; i++)
                cheap &= strcmp(word, dear[i]) != 0;
        }
    }
    free(text);
    return cheap;
}

/* Reads `reads` elements of y; the first may cost, and what comes after it is a look. Returns the
 * worst of the later ones, in launches and calls; 100 for one that is no look. */
static int read_some(gnd_array *y, int reads)
{
    int worst = 0;
    for (int i = 0; i < reads; i++) {
        gnd_scope_begin();
        gnd_array *e = element(y, i * 7 % gnd_size(y));
        const int cheap = i == 0 || is_cheap(e);
        ran();
        unsigned char v[16];
        if (gnd_read(e, v, gnd_nbytes(e)) != GND_OK)
            tap_fail("%s: %s", where, gnd_message());
        const int n = (int)ran();
        if (i > 0 && (!cheap || n > worst))
            worst = cheap ? n : 100;
        gnd_scope_end();
    }
    return worst;
}

static void functions(void)
{
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        if (!computes && made[i].make == make_inv)
            continue; /* LAPACK meets zeros */
        gnd_scope_begin();
        gnd_array *y = made[i].make();
        int worst = read_some(y, READS);
        tap_ok(worst <= 1, "%s: %s is computed once for %d reads, in a scope", where, made[i].name,
               READS);
        y = gnd_keep(gnd_add(made[i].make(), made[i].make()));
        gnd_scope_end();
        worst = read_some(y, READS);
        tap_ok(worst <= 1, "%s: %s once, where a sum of two such is held", where, made[i].name);
        gnd_release(y);
    }
    tap_is_int(bytes_kept(), 0, "%s: nothing is kept that nobody needs", where);
}

/* --- batches, whole results, the rules of others ---------------------------------------------- */

static void batches(void)
{
    gnd_scope_begin();
    gnd_array *p = make_permutation();
    uint64_t first = 0, most = 0;
    for (int i = 0; i < 8; i++) {
        gnd_scope_begin();
        gnd_range at = {.kind = GND_IDX_SLICE, .start = i * 512, .stop = (i + 1) * 512};
        gnd_array *batch = gnd_take(x, gnd_index(p, 1, &at), 0),
                  *loss = gnd_mean(batch, GND_ALL, 0);
        char *plan = gnd_explain(1, &loss, 0, NULL);
        if (i > 0)
            tap_ok(plan && !strstr(plan, "sort"), "%s: batch %d sorts nothing", where, i);
        free(plan);
        ran();
        gnd_wait(loss);
        const uint64_t n = ran();
        first = i == 0 ? n : first;
        most = i > 0 && n > most ? n : most;
        gnd_scope_end();
    }
    tap_ok(first > most && most <= 2, "%s: batches of a permutation cost no sort (%d, then %d)",
           where, (int)first, (int)most);
    gnd_scope_end();
}

/* Reductions that a kernel computes on its way are stored by it too where the user holds them, or
 * what is made of them; where only a scope does, it stays one kernel that stores its result. */
static void on_the_way(void)
{
    gnd_scope_begin();
    gnd_array *big = gnd_keep(gnd_max(m, GND_AXIS(1), GND_KEEPDIMS));
    gnd_array *e = gnd_exp(gnd_subtract(m, big));
    gnd_array *all = gnd_keep(gnd_sqrt(gnd_sum(e, GND_AXIS(1), GND_KEEPDIMS)));
    gnd_array *y = gnd_keep(gnd_add(gnd_divide(e, gnd_multiply(all, all)), gnd_int(1)));
    gnd_scope_end(); /* nobody holds e any more */
    gnd_scope_begin();
    gnd_wait(y);
    gnd_release(y);
    tap_ok(is_cheap(gnd_add(big, gnd_int(1))),
           "%s: a maximum that a kernel of rows needed is there", where);
    tap_ok(is_cheap(gnd_add(all, gnd_int(1))), "%s: and what is made of a sum", where);
    gnd_release(big);
    gnd_release(all);
    gnd_array *r = gnd_keep(gnd_sqrt(gnd_sum(gnd_multiply(m, m), GND_AXIS(1), 0)));
    gnd_array *twice = gnd_multiply(r, gnd_int(2));
    char *text = gnd_explain(1, &twice, 0, NULL);
    tap_ok(text && strstr(text, "\n1 kernels"), "%s: a norm and its double are one kernel", where);
    free(text);
    gnd_wait(twice);
    tap_ok(is_cheap(gnd_add(r, gnd_int(1))), "%s: and the norm needs no sum any more", where);
    gnd_release(r);
    gnd_array *p = gnd_keep(gnd_matmul(m, m)), *q = gnd_add(p, m);
    gnd_wait(gnd_maximum(q, gnd_int(0)));
    tap_ok(is_cheap(gnd_add(p, gnd_int(1))), "%s: a product stays when more is computed with it",
           where);
    gnd_release(p);
    p = gnd_keep(gnd_add(gnd_matmul(m, m), gnd_int(3)));
    gnd_wait(gnd_maximum(p, gnd_int(0)));
    tap_ok(is_cheap(gnd_multiply(p, gnd_int(2))), "%s: and when a sum with it is held", where);
    gnd_release(p);
    gnd_scope_end();
    /* as it was: a few operations are computed again, many are stored */
    gnd_scope_begin();
    gnd_array *few = gnd_keep(gnd_add(gnd_multiply(x, x), gnd_int(1))), *many = x;
    for (int i = 0; i < 10; i++)
        many = gnd_add(gnd_multiply(many, x), gnd_int(1));
    gnd_keep(many);
    gnd_scope_end();
    gnd_scope_begin();
    uint64_t before = bytes_in_use();
    gnd_wait(gnd_add(gnd_flip(few, GND_ALL), gnd_int(1)));
    tap_ok(bytes_in_use() - before < 8 * N, "%s: few operations are not kept", where);
    before = bytes_in_use();
    gnd_wait(gnd_add(gnd_flip(many, GND_ALL), gnd_int(1)));
    tap_ok(bytes_in_use() - before >= 8 * N, "%s: 20 are", where);
    gnd_release(few);
    gnd_release(many);
    gnd_scope_end();
}

/* a + 1; a itself is not held. */
static gnd_array *one_more(gnd_array *a)
{
    gnd_array *y = gnd_add(a, gnd_int(1));
    gnd_release(a);
    return y;
}

/* --- memory ----------------------------------------------------------------------------------- */

static void rule(void)
{
    enum { BIG = 1 << 20 };
    gnd_scope_begin();
    gnd_array *b = gnd_astype(
        gnd_remainder(gnd_arange_i64(dev, 0, BIG, 1, GND_INT64), gnd_int(1001)), GND_INT32);
    gnd_wait(b);
    gnd_device_trim(dev);
    const uint64_t used = bytes_in_use(), size = 4 * BIG;
    gnd_array *s = one_more(gnd_sort(b, 0, 0));
    gnd_device_set_limit(dev, used + 4 * size - 1);
    gnd_wait(element(s, 3));
    gnd_sync(dev);
    tap_is_int(bytes_kept(), 0, "%s: more than a quarter of the free memory is not kept", where);
    gnd_device_set_limit(dev, used + 5 * size);
    gnd_wait(element(s, 4));
    tap_is_int(bytes_kept(), size, "%s: a quarter is", where);
    gnd_array *t = one_more(gnd_sort(gnd_negative(b), 0, 0));
    gnd_wait(element(t, 3));
    tap_is_int(bytes_kept(), size, "%s: but only one", where);
    gnd_scope_end();
    tap_is_int(bytes_kept(), 0, "%s: the scope's end gives it back", where);
    gnd_device_set_limit(dev, 0);
    /* What would be kept makes no evaluation fail that needs no more than there is without. */
    gnd_scope_begin();
    b = gnd_astype(gnd_remainder(gnd_arange_i64(dev, 0, BIG, 1, GND_INT64), gnd_int(1001)),
                   GND_INT32);
    gnd_wait(b);
    gnd_device_trim(dev);
    gnd_device_set_limit(dev, bytes_in_use() + 5 * size + 4096);
    gnd_array *y = gnd_add(gnd_sort(b, 0, 0), gnd_int(1)), *most = gnd_max(y, GND_ALL, 0);
    gnd_array *w = gnd_multiply(gnd_arange_i64(dev, 0, 9 * (BIG / 2), 1, GND_INT32), most);
    int32_t v = 0;
    tap_is_int(gnd_wait(w), GND_OK, "%s: memory that is short keeps nothing, and fails nothing",
               where);
    gnd_read(element(w, 2), &v, sizeof v);
    if (computes)
        tap_is_int(v, 2002, "%s: and the result is right", where);
    gnd_device_set_limit(dev, 0);
    gnd_scope_end();
}

/* A loop that looks at what it has: memory and nodes stay as they are. */
static void loop(void)
{
    gnd_stats early = {0}, late = {0};
    gnd_scope_begin();
    gnd_array *u = gnd_keep(gnd_multiply(x, gnd_int(1)));
    gnd_scope_end();
    for (int i = 0; i < 300; i++) {
        gnd_scope_begin();
        gnd_array *mean = gnd_mean(u, GND_ALL, 0);
        gnd_assign(&u, gnd_subtract(gnd_flip(gnd_sort(u, 0, 0), GND_ALL), mean));
        if (i % 3 == 0)
            (void)gnd_item_f64(element(u, 5), NULL);
        gnd_scope_end();
        gnd_device_stats(dev, i < 20 ? &early : &late);
    }
    tap_ok(late.bytes_peak <= early.bytes_peak && late.arrays <= early.arrays + 40,
           "%s: a loop with a look in it takes constant memory (%d bytes, %d arrays)", where,
           (int)late.bytes_in_use, (int)late.arrays);
    gnd_release(u);
}

/* --- random graphs of ints: any order of reads, the same values, nothing dear twice ----------- */

enum { SIDE = 12, NODES = 24 };

static gnd_array *grow(gnd_array *a, gnd_array *b, int op)
{
    const gnd_axes last = GND_AXIS(1);
    switch (op) {
    case 0: return gnd_sort(a, 1, 0);
    case 1: return gnd_sort(a, 0, GND_DESCENDING);
    case 2: return gnd_cumulative_sum(a, last, 0, GND_INT64);
    case 3: return gnd_add(a, gnd_sum(b, last, GND_KEEPDIMS));
    case 4: return gnd_subtract(a, gnd_max(b, GND_AXIS(0), GND_KEEPDIMS));
    case 5: return gnd_matmul(a, b);
    case 6: return gnd_T(a);
    case 7: return gnd_flip(a, last);
    case 8: return gnd_add(gnd_multiply(a, gnd_int(3)), b);
    case 9: return gnd_maximum(gnd_add(gnd_matmul(a, gnd_T(b)), gnd_int(1)), gnd_int(0));
    case 10: return gnd_add(gnd_sum(gnd_multiply(a, b), GND_ALL, 0), b);
    default: return gnd_concat(2, (gnd_array *[]){gnd_at(a, "3:"), gnd_at(b, ":3")}, 0);
    }
}

/* Graph number `seed` into node[]; each is evaluated when it is made, or none. */
static void build(uint64_t seed, gnd_array **node, int eager)
{
    ref_seed(seed);
    for (int i = 0; i < NODES; i++) {
        gnd_scope_begin();
        if (i < 3) {
            int64_t v[SIDE * SIDE];
            for (int k = 0; k < SIDE * SIDE; k++)
                v[k] = ref_range(-9, 9);
            node[i] = gnd_keep(gnd_from(dev, GND_INT64, 2, (int64_t[]){SIDE, SIDE}, v));
        } else {
            gnd_array *a = node[ref_range(i < 8 ? 0 : i - 8, i - 1)],
                      *b = node[ref_range(0, i - 1)];
            node[i] = gnd_keep(grow(a, b, (int)ref_range(0, 11)));
        }
        if (eager)
            gnd_wait(node[i]);
        gnd_scope_end();
    }
}

static void random_graphs(int n)
{
    int wrong = 0, again = 0, failed = 0;
    for (int t = 0; t < n; t++) {
        gnd_array *want[NODES], *got[NODES];
        build(1000 + (uint64_t)t, want, 1);
        build(1000 + (uint64_t)t, got, 0);
        for (int i = 3; i < NODES; i++)
            if (ref_range(0, 2) == 0) { /* some are not held */
                gnd_release(got[i]);
                got[i] = NULL;
            }
        for (int k = 0; k < 30; k++) {
            const int i = (int)ref_range(0, NODES - 1);
            int64_t a = 0, b = 0;
            if (!got[i])
                continue;
            gnd_scope_begin();
            const int64_t at = ref_range(0, SIDE * SIDE - 1);
            gnd_array *e = element(got[i], at);
            failed += gnd_read(e, &a, sizeof a) != GND_OK ||
                      gnd_read(element(want[i], at), &b, sizeof b) != GND_OK;
            wrong += computes && a != b;
            if (!is_cheap(
                    element(got[i], at))) /* another element may lie in another part of a join */
                again++;
            gnd_scope_end();
            if (ref_range(0, 3) == 0) {
                gnd_release(got[i]);
                got[i] = NULL;
            }
        }
        for (int i = 0; i < NODES; i++) {
            gnd_release(want[i]);
            if (got[i])
                gnd_release(got[i]);
        }
    }
    tap_is_int(failed, 0, "%s: %d random graphs are read", where, n);
    tap_is_int(wrong, 0, "%s: with the values that one operation after the other has", where);
    tap_is_int(again, 0, "%s: and nothing expensive twice", where);
    tap_is_int(bytes_kept(), 0, "%s: in the end nothing is kept", where);
}

static void all(const char *spec, int real)
{
    where = spec;
    computes = real;
    ref_seed(1);
    ref_arr h;
    x = ref_make(dev, GND_FLOAT32, 1, (int64_t[]){N}, REF_CONTIG, REF_REAL, &h);
    ref_free(&h);
    m = ref_make(dev, GND_FLOAT32, 2, (int64_t[]){M, M}, REF_CONTIG, REF_REAL, &h);
    ref_free(&h);
    functions();
    batches();
    on_the_way();
    rule();
    loop();
    random_graphs(real ? 1 : 40);
    gnd_release(x);
    gnd_release(m);
}

static void on_device(gnd_device *d, const char *spec)
{
    dev = d;
    all(spec, strcmp(spec, "null:0") != 0);
}

int main(void)
{
    ref_null_and_devices(on_device);
    return tap_done();
}
