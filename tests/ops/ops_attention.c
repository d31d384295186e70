/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_attention.c - softmax(q k^T) v, which GPUs compute by one kernel (prim/attention.h), beside
 * loops in double: scales, masks that broadcast in several ways, rows and columns beyond a block,
 * numbers of columns that are no multiple of 8 or 16, NaN and infinities, scores that the caller
 * holds; and expressions that look alike and must stay as they are. With the kernels for GPUs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prim/attention.h"
#include "ref.h"
#include "tap.h"

#define SOFTMAX                                                                                    \
    "e = exp(s - max(s, axis=-1, keepdims=True)); (e / sum(e, axis=-1, keepdims=True)) @ v"
#define SCORES "s = q @ k.swapaxes(-1, -2)"

typedef struct problem {
    gnd_device *dev;
    gnd_dtype t;
    int64_t b, m, n, c, d;
    gnd_array *x[4]; /* q, k, v, a */
    double *h[4];
} problem;

/* Numbers that every dtype holds; a mask of 0 and 1. `odd` is put at element `at` unless that is
 * -1.
 */
static void host(problem *p, int k, gnd_dtype t, int ndim, const int64_t *dim, int64_t at,
                 double odd)
{
    int64_t size = 1;
    for (int i = 0; i < ndim; i++)
        size *= dim[i];
    double *h = malloc((size_t)size * sizeof *h);
    float *f = malloc((size_t)size * sizeof *f);
    if (!h || !f)
        tap_bail("out of memory");
    for (int64_t i = 0; i < size; i++) {
        h[i] = t == GND_BOOL ? (double)ref_range(0, 1) : (double)ref_range(-16, 16) / 8;
        if (i == at)
            h[i] = odd;
        f[i] = (float)h[i];
    }
    gnd_array *x = gnd_from(p->dev, GND_FLOAT32, ndim, dim, f);
    p->x[k] = gnd_astype(x, t);
    p->h[k] = h;
    if (gnd_wait(p->x[k]))
        tap_bail("no input: %s", gnd_error(p->x[k]));
    gnd_release(x);
    free(f);
}

/* Where odd numbers go: element at[k] of array k becomes odd[k]. */
typedef struct odds {
    int64_t at[3];
    double odd[3];
} odds;

/* Makes the arrays; a is the mask, of rows and columns (how 0), of columns (1), of all axes (2). */
static void make(problem *p, gnd_dtype mask, int how, const odds *o)
{
    const int64_t dim[3][3] = {{p->b, p->m, p->c}, {p->b, p->n, p->c}, {p->b, p->n, p->d}},
                  a[3] = {p->b, p->m, p->n};
    ref_seed(7);
    for (int k = 0; k < 3; k++)
        host(p, k, p->t, 3, dim[k], o ? o->at[k] : -1, o ? o->odd[k] : 0);
    const int first = how == 2 ? 0 : how == 1 ? 2 : 1;
    host(p, 3, mask, 3 - first, a + first, -1, 0);
}

static void drop(problem *p)
{
    for (int i = 0; i < 4; i++) {
        gnd_release(p->x[i]);
        free(p->h[i]);
    }
}

/* What becomes of a score: kept where the mask is true (fill elsewhere), or added to it. */
enum { PLAIN, KEEP, DROP, ADD, CAUSAL, ROWS };

static double score(const problem *p, int64_t b, int64_t i, int64_t j, double scale, int what,
                    int how, double fill)
{
    const int64_t at = how == 1 ? j : ((how == 2 ? b : 0) * p->m + i) * p->n + j;
    double s = 0;
    for (int64_t c = 0; c < p->c; c++)
        s += p->h[0][(b * p->m + i) * p->c + c] * p->h[1][(b * p->n + j) * p->c + c];
    s *= scale;
    switch (what) {
    case KEEP: return p->h[3][at] != 0 ? s : fill;
    case DROP: return p->h[3][at] != 0 ? fill : s;
    case ADD: return s + p->h[3][at];
    case ROWS: return p->h[3][at] != 0 && i > 2 ? s : fill;
    case CAUSAL: return i >= j ? s : fill;
    default: return s;
    }
}

/* The largest difference from the loops, relative to the largest value; NaN at other places: 1. */
static double off_by(const problem *p, const double *got, double scale, int what, int how,
                     double fill)
{
    double worst = 0, size = 1e-30, *s = calloc((size_t)p->n, sizeof *s);
    for (int64_t r = 0; r < p->b * p->m; r++) {
        double top = -INFINITY, sum = 0;
        for (int64_t j = 0; j < p->n; j++) {
            s[j] = score(p, r / p->m, r % p->m, j, scale, what, how, fill);
            top = s[j] > top || isnan(s[j]) ? s[j] : top;
        }
        for (int64_t j = 0; j < p->n; j++)
            sum += s[j] = exp(s[j] - top);
        for (int64_t d = 0; d < p->d; d++) {
            double y = 0;
            for (int64_t j = 0; j < p->n; j++)
                y += s[j] / sum * p->h[2][(r / p->m * p->n + j) * p->d + d];
            const double g = got[r * p->d + d];
            if (isnan(y) || isnan(g)) {
                worst = isnan(y) && isnan(g) ? worst : 1e30;
                continue;
            }
            size = fabs(y) > size ? fabs(y) : size;
            worst = fabs(y - g) > worst ? fabs(y - g) : worst;
        }
    }
    free(s);
    return worst / size;
}

/* Computes `text` and compares it; it must be one kernel of its own. */
static void check(problem *p, const char *text, double scale, int what, int how, double fill)
{
    static const char *const names[4] = {"q", "k", "v", "a"};
    const double tol = p->t == GND_FLOAT32 ? 3e-6 : p->t == GND_FLOAT16 ? 2e-3 : 1.6e-2;
    const int64_t dim[3] = {p->b, p->m, p->d}, size = p->b * p->m * p->d;
    gnd_array *y = gnd_eval_names(p->dev, text, 4, names, p->x);
    gnd_status st;
    char why[200] = "", *plan = gnd_explain(1, &y, 0, &st);
    ref_arr r;
    double *got = calloc((size_t)size, sizeof *got), e = 1e30;
    const int one = plan && strstr(plan, "attention: attention") && !strstr(plan, "matmul");
    if (ref_read(y, p->t, 3, dim, &r, why, sizeof why)) {
        for (int64_t i = 0; i < size; i++)
            got[i] = (double)ref_nth(&r, i).re;
        ref_free(&r);
        e = off_by(p, got, scale, what, how, fill);
    }
    if (!tap_ok(e < tol && one, "%s, %d of %d x %d x %d x %d: %s", gnd_dtype_name(p->t), (int)p->b,
                (int)p->m, (int)p->n, (int)p->c, (int)p->d, text))
        tap_diag("off by %g %s\n%s", e, why, plan ? plan : gnd_message());
    free(plan);
    free(got);
    gnd_release(y);
}

static const struct {
    const char *text;
    int what, how;
    double scale, fill;
} forms[] = {
    {SCORES " * 0.25; " SOFTMAX, PLAIN, 0, 0.25, 0},
    {SCORES " / 3; s = where(a, s, -1e4); " SOFTMAX, KEEP, 0, 1 / 3., -1e4},
    {SCORES "; s = where(a, -inf, s); " SOFTMAX, DROP, 2, 1, -INFINITY},
    {SCORES " * 0.5 + a; " SOFTMAX, ADD, 1, 0.5, 0},
    {SCORES "; s = where(arange(s.shape[1])[:, None] >= arange(s.shape[2]), s, -1e4); " SOFTMAX,
     CAUSAL, 0, 1, -1e4},
};

static void each_form(gnd_device *dev, gnd_dtype t, int first, int step)
{
    for (int i = first; i < 5; i += step) {
        problem p = {.dev = dev, .t = t, .b = 2, .m = 70, .n = 131, .c = 20, .d = 17};
        make(&p, forms[i].what == ADD ? t : GND_BOOL, forms[i].how, NULL);
        check(&p, forms[i].text, forms[i].scale, forms[i].what, forms[i].how, forms[i].fill);
        drop(&p);
    }
}

/* Columns of all residues that tensor cores care about, and rows of an aligned length. */
static void sizes(gnd_device *dev, gnd_dtype t)
{
    static const int64_t size[][5] = {{1, 8, 1, 1, 1},
                                      {3, 64, 64, 16, 16},
                                      {1, 65, 200, 80, 72},
                                      {1, 33, 129, 128, 128},
                                      {2, 9, 70, 40, 24}};
    for (int i = 0; i < 5; i++) {
        problem p = {.dev = dev,
                     .t = t,
                     .b = size[i][0],
                     .m = size[i][1],
                     .n = size[i][2],
                     .c = size[i][3],
                     .d = size[i][4]};
        make(&p, GND_BOOL, 0, NULL);
        check(&p, forms[i % 2 ? 4 : 0].text, i % 2 ? 1 : 0.25, i % 2 ? CAUSAL : PLAIN, 0, -1e4);
        drop(&p);
    }
}

/* Scales below 0, of 0, and so large that only the largest score counts. */
static void scales(gnd_device *dev, gnd_dtype t)
{
    static const struct {
        const char *text;
        double scale;
    } by[] = {{SCORES " * -0.25; " SOFTMAX, -0.25},
              {SCORES " * 0; " SOFTMAX, 0},
              {SCORES " * 60000; " SOFTMAX, 60000}};
    for (int i = 0; i < 3; i++) {
        problem p = {.dev = dev, .t = t, .b = 2, .m = 70, .n = 131, .c = 20, .d = 17};
        make(&p, GND_BOOL, 0, NULL);
        check(&p, by[i].text, by[i].scale, PLAIN, 0, 0);
        drop(&p);
    }
}

/* A NaN in q, and infinities in k and v: behind the diagonal too, where weights are 0. */
static void not_finite(gnd_device *dev, gnd_dtype t)
{
    const odds o[2] = {{{25, 20 * 131 + 3, 17 * 130 + 5}, {NAN, INFINITY, INFINITY}},
                       {{-1, -1, 17 * 127}, {0, 0, NAN}}};
    for (int i = 0; i < 2; i++) {
        problem p = {.dev = dev, .t = t, .b = 2, .m = 70, .n = 131, .c = 20, .d = 17};
        make(&p, GND_BOOL, 0, &o[i]);
        check(&p, forms[4].text, 1, CAUSAL, 0, -1e4);
        drop(&p);
    }
}

/* So many groups that blocks of v are looked at by a kernel of its own, and with 16-bit elements a
 * group has 128 rows; on a GPU with every kind of mask. */
static void many(gnd_device *dev, gnd_dtype t, int gpu)
{
    static const int form[4] = {4, 4, 1, 3};
    for (int k = 0; k < (gpu ? 4 : 2); k++) {
        const int i = form[k]; /* a NaN within v, and in its last rows, which are no whole block */
        const odds o = {{-1, -1, (300 + (k == 1 ? 290 : 100)) * 17}, {0, 0, NAN}};
        problem p = {.dev = dev, .t = t, .b = gpu ? 300 : 8, .m = 130, .n = 300, .c = 20, .d = 17};
        make(&p, forms[i].what == ADD ? t : GND_BOOL, forms[i].how, &o);
        check(&p, forms[i].text, forms[i].scale, forms[i].what, forms[i].how, forms[i].fill);
        drop(&p);
    }
}

/* Rows of which every score is -inf are NaN, as the formula has it; where every score is the lowest
 * number of the dtype, they are means. */
static void nothing_left(gnd_device *dev, gnd_dtype t)
{
    const double low = t == GND_FLOAT16    ? -65504
                       : t == GND_BFLOAT16 ? -0x1.fep127
                                           : -0x1.fffffep127;
    char text[2][400];
    for (int i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i],
                 SCORES "; s = where(a & (arange(s.shape[1])[:, None] > 2), s, %s%.17g); " SOFTMAX,
                 i ? "" : "-inf + ", i ? low : 0);
    problem p = {.dev = dev, .t = t, .b = 2, .m = 70, .n = 131, .c = 20, .d = 17};
    make(&p, GND_BOOL, 1, NULL);
    for (int i = 0; i < 2; i++)
        check(&p, text[i], 1, ROWS, 1, i ? low : -INFINITY);
    drop(&p);
}

/* Masks that compare places, and others that must be read: `how` they are kept, and at[]. */
static void places(gnd_device *dev)
{
#define OF(mask) SCORES "; r = arange(70)[:, None]; c = arange(80); s = where(" mask ", s, -1e4)"
#define TWICE(x) x "; " x "; " x "; " x "; " x "; " x
    static const char *const names[4] = {"q", "k", "v", "a"};
    static const struct {
        const char *text;
        gnd__scores how;
        int64_t at[3];
    } is[] = {
        {OF("r >= c"), GND__SCORES_PLACE, {1, -1, 0}},
        {OF("c < r + 3"), GND__SCORES_PLACE, {1, -1, 2}},
        {OF("5 + r - c > c[::-1] - r"), GND__SCORES_PLACE, {2, 0, -75}},
        {OF("r[2:3] + 4 >= c"), GND__SCORES_PLACE, {0, -1, 6}},
        {OF("r >= arange(1)"), GND__SCORES_PLACE, {1, 0, 0}},
        {OF("r >= arange(1).reshape(1, 1) + 7"), GND__SCORES_PLACE, {1, 0, -7}},
        {OF("arange(1)[:, None] + 9 >= c"), GND__SCORES_PLACE, {0, -1, 9}},
        {OF("arange(1).reshape(()) + 9 >= c"), GND__SCORES_PLACE, {0, -1, 9}},
        {OF("r + 9223372036854775807 >= c + 9223372036854775807"), GND__SCORES_KEEP, {0}},
        {OF("r - -9223372036854775808 >= c"), GND__SCORES_KEEP, {0}},
        {OF("r + 1073741824 + 1073741824 >= c"), GND__SCORES_KEEP, {0}},
        {OF("r >= c.astype(int32)"), GND__SCORES_KEEP, {0}},
        {OF("arange(70 * 80).reshape(70, 80) >= 70"), GND__SCORES_KEEP, {0}},
        /* 2^42 paths to one node */
        {"x = arange(70); " TWICE(TWICE("x = x + x")) "; " TWICE("x = x + x") "; " OF(
             "x[:, None] >= c"),
         GND__SCORES_KEEP,
         {0}},
    };
    problem p = {.dev = dev, .t = GND_FLOAT32, .b = 2, .m = 70, .n = 80, .c = 20, .d = 17};
    make(&p, GND_BOOL, 0, NULL);
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        char text[1000];
        gnd__attention x;
        snprintf(text, sizeof text,
                 "%s; e = exp(s - max(s, axis=-1, keepdims=True)); e / sum(e, axis=-1, "
                 "keepdims=True)",
                 is[i].text);
        gnd_array *w = gnd_eval_names(dev, text, 4, names, p.x);
        const int yes = gnd__attention_of(w, p.x[2], &x);
        if (!tap_ok(yes && x.how == is[i].how && !memcmp(x.at, is[i].at, sizeof x.at),
                    "how a mask is kept: %s", is[i].text))
            tap_diag("%d: %d, %d %d %d %s", yes, yes ? (int)x.how : -1, (int)x.at[0], (int)x.at[1],
                     (int)x.at[2], gnd_error(w));
        if (yes)
            gnd__attention_drop(&x);
        gnd_release(w);
    }
    drop(&p);
}

/* Weights that are read as well; expressions that differ in one place are no attention. */
static void others(gnd_device *dev)
{
    static const char *const names[4] = {"q", "k", "v", "a"};
    static const char *const unlike[] = {
        SCORES "; e = exp(s - max(s, axis=-1, keepdims=True)); (e / sum(e * 1, axis=-1, "
               "keepdims=True)[:, ::-1]) @ v",
        SCORES "; e = exp(s - max(s * 2, axis=-1, keepdims=True)); (e / sum(e, axis=-1, "
               "keepdims=True)) @ v",
        SCORES "; e = exp(s - max(s, axis=-1, keepdims=True)); (e / sum(e, axis=-1, "
               "keepdims=True)[:, ::-1]) @ v",
        SCORES "; e = exp(s - max(s, axis=-1, keepdims=True)); (e / max(e, axis=-1, "
               "keepdims=True)) @ v",
        SCORES "; e = exp(s - max(s, axis=-1, keepdims=True)); (e / sum(e, axis=1, "
               "keepdims=True)) @ v",
        SCORES "; e = exp(s - max(s, axis=-1, keepdims=True)); (e / "
               "broadcast_to(sum(e, axis=-1)[:, :1, None], (2, 70, 1))) @ v",
        SCORES "; s = s * s; " SOFTMAX,
        "s = where(a, q[:, :1] @ k.swapaxes(-1, -2), -1); " SOFTMAX};
    problem p = {.dev = dev, .t = GND_FLOAT32, .b = 2, .m = 70, .n = 70, .c = 20, .d = 17};
    gnd_status st;
    make(&p, GND_BOOL, 0, NULL);
    for (size_t i = 0; i < sizeof unlike / sizeof *unlike; i++) {
        gnd_array *y = gnd_eval_names(dev, unlike[i], 4, names, p.x);
        char *plan = gnd_explain(1, &y, 0, &st);
        tap_ok(plan && !strstr(plan, "attention"), "not attention: %s", unlike[i]);
        free(plan);
        gnd_release(y);
    }
    gnd_array *w =
        gnd_eval_names(dev,
                       SCORES "; e = exp(s - max(s, axis=-1, keepdims=True)); e / sum(e, axis=-1, "
                              "keepdims=True)",
                       4, names, p.x);
    gnd_array *y[2] = {gnd_matmul(w, p.x[2]), w};
    char *plan = gnd_explain(2, y, 0, &st);
    tap_ok(plan && strstr(plan, "attention") && strstr(plan, "matmul"),
           "weights that are asked for are computed too");
    free(plan);
    tap_is_int(gnd_wait(w), GND_OK, "the weights alone");
    gnd_array *z = gnd_matmul(w, p.x[2]);
    plan = gnd_explain(1, &z, 0, &st);
    tap_ok(plan && !strstr(plan, "attention"), "and once they are there, they are multiplied");
    free(plan);
    gnd_array *same = gnd_all(gnd_isclose(y[0], z, 1e-5, 1e-5, 0), GND_ALL, 0);
    tap_ok(gnd_item_i64(same, &st) == 1 && !st, "with the same result");
    gnd_release(same);
    gnd_release(z);
    gnd_release(y[0]);
    gnd_release(w);
    drop(&p);
}

static void all(gnd_device *dev, const char *spec)
{
    const int gpu = strncmp(spec, "opencl:pocl", 11) != 0 || getenv("GND_TEST_ALL");
    tap_diag("%s", spec);
    each_form(dev, GND_FLOAT32, 1, gpu ? 1 : 2);
    not_finite(dev, GND_FLOAT32);
    many(dev, GND_FLOAT32, gpu);
    nothing_left(dev, GND_FLOAT32);
    places(dev);
    others(dev);
    if (!gpu) {
        tap_skip(1, "sizes, and forms in float16, on a GPU alone: each compiles for seconds here");
        return;
    }
    for (int i = 0; i < 3; i++) {
        const gnd_dtype t = (gnd_dtype[]){GND_FLOAT32, GND_FLOAT16, GND_BFLOAT16}[i];
        sizes(dev, t);
        scales(dev, t);
        if (t != GND_FLOAT32) {
            each_form(dev, t, 0, 1);
            not_finite(dev, t);
            many(dev, t, 1);
            nothing_left(dev, t);
        }
    }
}

int main(void)
{
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(all);
    return tap_done();
}
