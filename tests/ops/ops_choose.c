/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_choose.c - what gnd/index.h has to choose between arrays (select, piecewise, choose) and to
 * change the elements of a mask or a diagonal (putmask, copyto, fill_diagonal), against loops over
 * small numbers on the host.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ref.h"
#include "tap.h"

enum { ROWS = 3, COLS = 4, SIZE = ROWS * COLS };

static gnd_device *dev;
static const int64_t shape[2] = {ROWS, COLS}, row[1] = {COLS}, column[2] = {ROWS, 1};

/* An operand of shape (3, 4), (4,), (3, 1) or a scalar, and its element at each place of (3, 4). */
typedef struct operand {
    gnd_array *x;
    double v[SIZE];
} operand;

enum { WHOLE, ROW, COLUMN, WEAK, FORMS };

static double small(gnd_dtype t)
{
    const int kind = gnd_dtype_kind(t);
    return kind == 'b' ? (double)(ref_rnd() % 2) : (double)ref_range(kind == 'u' ? 0 : -5, 9);
}

/* An array of dtype t from doubles. */
static gnd_array *from(gnd_dtype t, int ndim, const int64_t *dim, const double *v)
{
    int64_t n = 1;
    float data[SIZE * 4];
    for (int d = 0; d < ndim; d++)
        n *= dim[d];
    for (int64_t i = 0; i < n; i++)
        data[i] = (float)v[i];
    return gnd_astype(gnd_from(dev, GND_FLOAT32, ndim, dim, data), t);
}

static operand make(gnd_dtype t, int form)
{
    operand o;
    double v[SIZE];
    for (int i = 0; i < SIZE; i++)
        v[i] = small(t);
    for (int i = 0; i < SIZE; i++)
        o.v[i] = v[form == WHOLE ? i : form == ROW ? i % COLS : form == COLUMN ? i / COLS : 0];
    o.x = form == WHOLE              ? from(t, 2, shape, v)
          : form == ROW              ? from(t, 1, row, v)
          : form == COLUMN           ? from(t, 2, column, v)
          : t == GND_BOOL            ? gnd_bool(v[0] != 0)
          : gnd_dtype_kind(t) == 'f' ? gnd_real(v[0])
                                     : gnd_int((int64_t)v[0]);
    return o;
}

/* Whether y has dtype t, that shape and these values. */
static void same(gnd_array *y, gnd_dtype t, int ndim, const int64_t *dim, const double *want,
                 const char *what)
{
    char why[300] = "";
    ref_arr got;
    int bad = -1;
    const int ok = ref_read(y, t, ndim, dim, &got, why, sizeof why);
    for (int i = 0; ok && bad < 0 && i < (int)ref_size(&got); i++) {
        const ref_num v = ref_nth(&got, i);
        const double d = v.kind == 'f' ? (double)v.re : v.kind == 'u' ? (double)v.u : (double)v.i;
        if (d != want[i]) {
            bad = i;
            snprintf(why, sizeof why, "element %d: %g, not %g", i, d, want[i]);
        }
    }
    if (!tap_ok(ok && bad < 0, "%s, %s", what, gnd_dtype_name(t)))
        tap_diag("%s", why);
    if (ok)
        ref_free(&got);
}

/* --- choosing --------------------------------------------------------------------------------- */

static void test_select(void)
{
    static const gnd_dtype type[4][3] = {{GND_FLOAT32, GND_FLOAT32, GND_FLOAT32},
                                         {GND_INT8, GND_INT32, GND_INT32},
                                         {GND_UINT8, GND_INT8, GND_INT16},
                                         {GND_BOOL, GND_FLOAT32, GND_FLOAT32}};
    for (int k = 0; k < 4; k++) {
        operand c[2] = {make(GND_BOOL, k % 3), make(GND_BOOL, (k + 1) % 3)};
        operand a[2] = {make(type[k][0], (k + 2) % 3), make(type[k][1], k % 2 ? ROW : WHOLE)};
        operand other = make(type[k][1], WEAK);
        double want[SIZE];
        for (int i = 0; i < SIZE; i++)
            want[i] = c[0].v[i] != 0   ? a[0].v[i]
                      : c[1].v[i] != 0 ? a[1].v[i]
                      : k % 2          ? 0
                                       : other.v[i];
        gnd_array *cond[2] = {c[0].x, c[1].x}, *choice[2] = {a[0].x, a[1].x};
        same(gnd_select(2, cond, choice, k % 2 ? NULL : other.x), type[k][2], 2, shape, want,
             "select");
    }
    gnd_array *yes = gnd_bool(1), *seven = gnd_int(7);
    gnd_array *y = gnd_select(1, &yes, &seven, NULL);
    tap_ok(gnd_is_weak(y) && gnd_item_i64(y, NULL) == 7, "of scalars alone: a scalar");
}

static void test_piecewise(void)
{
    static const gnd_dtype type[3] = {GND_FLOAT32, GND_INT32, GND_UINT8};
    for (int k = 0; k < 3; k++) {
        operand x = make(type[k], WHOLE), c[2] = {make(GND_BOOL, k), make(GND_BOOL, (k + 1) % 3)};
        operand v[2] = {make(k == 1 ? GND_FLOAT32 : type[k], k ? WHOLE : WEAK), make(type[k], ROW)};
        operand other = make(type[k], k == 2 ? COLUMN : WEAK);
        double want[SIZE];
        for (int i = 0; i < SIZE; i++)
            want[i] = c[1].v[i] != 0 ? v[1].v[i] : c[0].v[i] != 0 ? v[0].v[i] : k ? other.v[i] : 0;
        gnd_array *cond[2] = {c[0].x, c[1].x}, *value[2] = {v[0].x, v[1].x};
        same(gnd_piecewise(x.x, 2, cond, value, k ? other.x : NULL), type[k], 2, shape, want,
             "piecewise");
    }
    operand x = make(GND_FLOAT32, WHOLE);
    const double none[SIZE] = {0};
    same(gnd_piecewise(x.x, 0, NULL, NULL, NULL), GND_FLOAT32, 2, shape, none,
         "piecewise of no conditions");
}

static void test_choose(void)
{
    operand a[3] = {make(GND_INT16, WHOLE), make(GND_INT32, ROW), make(GND_INT32, COLUMN)};
    gnd_array *choice[3] = {a[0].x, a[1].x, a[2].x};
    double index[SIZE], want[SIZE];
    for (int mode = GND_INDEX_RAISE; mode <= GND_INDEX_CLIP; mode++) {
        for (int i = 0; i < SIZE; i++) {
            const int p = (int)(mode == GND_INDEX_RAISE ? ref_range(0, 2) : ref_range(-4, 6));
            index[i] = p;
            want[i] = a[mode == GND_INDEX_WRAP ? (p + 6) % 3 : p < 0 ? 0 : p > 2 ? 2 : p].v[i];
        }
        same(gnd_choose(from(GND_INT32, 2, shape, index), 3, choice, (gnd_index_mode)mode),
             GND_INT32, 2, shape, want, "choose");
    }
    operand b = make(GND_BOOL, ROW);
    for (int i = 0; i < SIZE; i++)
        want[i] = a[b.v[i] != 0].v[i];
    same(gnd_choose(b.x, 2, choice, GND_INDEX_RAISE), GND_INT32, 2, shape, want, "choose by bools");
    memset(index, 0, sizeof index);
    for (int k = 0; k < 2; k++) {
        index[5] = k ? -1 : 3;
        gnd_array *y = gnd_choose(from(GND_INT8, 2, shape, index), 3, choice, GND_INDEX_RAISE);
        tap_is_int(gnd_wait(y), GND_ERR_INDEX, k ? "no negative index" : "none beyond the last");
        tap_has_str(gnd_error(y),
                    k ? "choose: a negative index" : "choose: index 3 is out of range", "says so");
    }
}

/* --- changed elements ------------------------------------------------------------------------- */

static void test_putmask(void)
{
    static const gnd_dtype type[3] = {GND_FLOAT32, GND_INT32, GND_UINT8};
    static const int64_t flat = SIZE;
    for (int64_t n = 1; n <= 20; n = n * 2 + 3) { /* 1 5 13 */
        const gnd_dtype t = type[n % 3];
        operand x = make(t, WHOLE), m = make(GND_BOOL, WHOLE);
        double v[20], want[SIZE];
        for (int i = 0; i < n; i++)
            v[i] = small(t);
        for (int i = 0; i < SIZE; i++)
            want[i] = m.v[i] != 0 ? v[i % n] : x.v[i];
        same(
            gnd_putmask(x.x, n > 1 ? m.x : gnd_reshape(m.x, 1, &flat), from(GND_FLOAT32, 1, &n, v)),
            t, 2, shape, want, "putmask");
    }
    operand x = make(GND_INT32, WHOLE), m = make(GND_BOOL, WHOLE);
    const int64_t none = 0;
    same(gnd_putmask(x.x, m.x, gnd_zeros(dev, GND_INT32, 1, &none)), GND_INT32, 2, shape, x.v,
         "putmask of no values");
}

static void test_copyto(void)
{
    static const gnd_dtype type[3] = {GND_FLOAT32, GND_INT32, GND_INT16};
    for (int k = 0; k < 6; k++) {
        const gnd_dtype t = type[k % 3];
        operand x = make(t, WHOLE), s = make(k == 4 ? GND_FLOAT32 : GND_INT32, k % 4),
                m = make(GND_BOOL, (k + 1) % 3);
        double want[SIZE];
        for (int i = 0; i < SIZE; i++)
            want[i] = k % 2 || m.v[i] != 0 ? s.v[i] : x.v[i];
        same(
            gnd_copyto(x.x, s.x, k == 4 ? GND_CAST_UNSAFE : GND_CAST_SAME_KIND, k % 2 ? NULL : m.x),
            t, 2, shape, want, "copyto");
    }
    static const struct {
        gnd_dtype from, to;
        gnd_casting least;
    } rule[] = {
        {GND_INT32, GND_INT32, GND_CAST_NO},
        {GND_INT16, GND_INT32, GND_CAST_SAFE},
        {GND_INT32, GND_INT16, GND_CAST_SAME_KIND},
        {GND_UINT8, GND_INT16, GND_CAST_SAFE},
        {GND_UINT32, GND_INT32, GND_CAST_SAME_KIND},
        {GND_INT8, GND_UINT8, GND_CAST_UNSAFE},
        {GND_INT64, GND_FLOAT32, GND_CAST_SAME_KIND},
        {GND_FLOAT32, GND_INT64, GND_CAST_UNSAFE},
        {GND_BOOL, GND_UINT8, GND_CAST_SAFE},
        {GND_UINT8, GND_BOOL, GND_CAST_UNSAFE},
        {GND_FLOAT32, GND_FLOAT16, GND_CAST_SAME_KIND},
        {GND_FLOAT32, GND_COMPLEX64, GND_CAST_SAFE},
    };
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        for (int casting = GND_CAST_NO; casting <= GND_CAST_UNSAFE; casting++) {
            gnd_array *x = gnd_zeros(dev, rule[i].to, 1, row),
                      *s = gnd_zeros(dev, rule[i].from, 1, row);
            const int may = casting >= (int)rule[i].least || rule[i].least == GND_CAST_NO;
            tap_is_int(gnd_status_of(gnd_copyto(x, s, (gnd_casting)casting, NULL)),
                       may ? GND_OK : GND_ERR_DTYPE, "copyto: %s into %s by rule %d",
                       gnd_dtype_name(rule[i].from), gnd_dtype_name(rule[i].to), casting);
        }
}

static void test_fill_diagonal(void)
{
    static const int64_t dim[5][3] = {{3, 3}, {3, 5}, {7, 3}, {3, 3, 3}, {0, 4}};
    for (int k = 0; k < 5; k++)
        for (int wrap = 0; wrap < 2; wrap++) {
            const int ndim = k == 3 ? 3 : 2;
            double v[64], want[64], value[2];
            int64_t size = 1, two = 1 + wrap;
            for (int d = 0; d < ndim; d++)
                size *= dim[k][d];
            for (int64_t i = 0; i < size; i++)
                want[i] = v[i] = small(GND_INT32);
            value[0] = 20, value[1] = 30;
            int64_t put = 0;
            for (int64_t i = 0; i < size; i++) {
                int64_t at[3];
                ref_unravel(ndim, dim[k], i, at);
                int on = at[0] == at[1] && (ndim == 2 || at[1] == at[2]);
                if (wrap && ndim == 2) /* again below a gap of one row */
                    on = at[0] % (dim[k][1] + 1) == at[1];
                if (on)
                    want[i] = value[put++ % two];
            }
            same(gnd_fill_diagonal(from(GND_INT32, ndim, dim[k], v),
                                   wrap ? from(GND_INT32, 1, &two, value) : gnd_int(20), wrap),
                 GND_INT32, ndim, dim[k], want, wrap ? "fill_diagonal, wrapped" : "fill_diagonal");
        }
}

/* --- errors ----------------------------------------------------------------------------------- */

static void test_errors(void)
{
    const int64_t five = 5, cube[3] = {2, 2, 3};
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 2, shape), *i = gnd_zeros(dev, GND_INT32, 2, shape);
    gnd_array *b = gnd_zeros(dev, GND_BOOL, 2, shape), *b5 = gnd_zeros(dev, GND_BOOL, 1, &five);
    gnd_array *x5 = gnd_zeros(dev, GND_FLOAT32, 1, &five), *odd[2] = {x, x5}, *null[1] = {NULL};
    gnd_array *huge = gnd_int(300);
    const struct {
        gnd_array *y;
        gnd_status want;
        const char *says;
    } bad[] = {
        {gnd_select(0, NULL, NULL, x), GND_ERR_ARG, "select: 0 conditions: at least one is needed"},
        {gnd_select(1, NULL, &x, NULL), GND_ERR_NULL, "select: the list of conditions is NULL"},
        {gnd_select(1, &b, null, NULL), GND_ERR_NULL, "select: choices[0] is NULL"},
        {gnd_select(1, &x, &x, NULL), GND_ERR_DTYPE,
         "select: conditions[0] is float32: conditions are bools"},
        {gnd_select(1, &b5, &x, NULL), GND_ERR_SHAPE,
         "select: shapes (5,) and (3, 4) do not broadcast"},
        {gnd_select(1, &b, &x5, NULL), GND_ERR_SHAPE,
         "select: shapes (3, 4) and (5,) do not broadcast"},
        {gnd_select(1, &b, (gnd_array *[]){gnd_zeros(dev, GND_INT8, 2, shape)}, huge),
         GND_ERR_OVERFLOW, "select: "},
        {gnd_piecewise(x, -1, NULL, NULL, NULL), GND_ERR_ARG, "piecewise: -1 conditions"},
        {gnd_piecewise(x, 1, &b5, &x, NULL), GND_ERR_SHAPE,
         "piecewise: conditions[0] has shape (5,), which does not broadcast to (3, 4)"},
        {gnd_piecewise(x, 1, &b, &x5, NULL), GND_ERR_SHAPE, "piecewise: values[0] has shape (5,)"},
        {gnd_piecewise(x, 1, &b, &x, x5), GND_ERR_SHAPE, "piecewise: otherwise has shape (5,)"},
        {gnd_piecewise(x, 1, &i, &x, NULL), GND_ERR_DTYPE, "piecewise: conditions[0] is int32"},
        {gnd_piecewise(i, 1, &b, (gnd_array *[]){gnd_zeros(dev, GND_COMPLEX64, 0, NULL)}, NULL),
         GND_ERR_DTYPE, "piecewise: "},
        {gnd_choose(x, 1, &x, GND_INDEX_RAISE), GND_ERR_DTYPE,
         "choose: indices is float32: ints are needed"},
        {gnd_choose(i, 0, NULL, GND_INDEX_RAISE), GND_ERR_ARG, "choose: no choices"},
        {gnd_choose(i, 2, odd, GND_INDEX_RAISE), GND_ERR_SHAPE,
         "choose: shapes (3, 4) and (5,) do not broadcast"},
        {gnd_choose(i, 1, &x5, GND_INDEX_CLIP), GND_ERR_SHAPE,
         "choose: shapes (5,) and (3, 4) do not broadcast"},
        {gnd_choose(i, 1, &x, (gnd_index_mode)3), GND_ERR_ARG,
         "choose: mode is 3, not GND_INDEX_RAISE"},
        {gnd_putmask(x, b5, x), GND_ERR_SHAPE,
         "putmask: mask has shape (5,), x has shape (3, 4): as many elements"},
        {gnd_copyto(i, x, GND_CAST_SAME_KIND, NULL), GND_ERR_DTYPE,
         "copyto: src is float32, which GND_CAST_SAME_KIND does not let become int32"},
        {gnd_copyto(x, x5, GND_CAST_SAFE, NULL), GND_ERR_SHAPE,
         "copyto: src has shape (5,), which does not broadcast"},
        {gnd_copyto(x, x, GND_CAST_SAFE, b5), GND_ERR_SHAPE, "copyto: where has shape (5,)"},
        {gnd_copyto(x, x, (gnd_casting)5, NULL), GND_ERR_ARG,
         "copyto: casting is 5, not GND_CAST_NO"},
        {gnd_fill_diagonal(x5, gnd_int(1), 0), GND_ERR_SHAPE,
         "fill_diagonal: x has shape (5,): at least two dimensions"},
        {gnd_fill_diagonal(gnd_zeros(dev, GND_INT8, 3, cube), gnd_int(1), 0), GND_ERR_SHAPE,
         "fill_diagonal: x has shape (2, 2, 3): beyond two dimensions all extents are equal"},
        {gnd_fill_diagonal(gnd_int(1), gnd_int(1), 0), GND_ERR_DEVICE,
         "fill_diagonal: x is a scalar"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        tap_is_int(gnd_status_of(bad[k].y), bad[k].want, "%s", bad[k].says);
        tap_is_int(strncmp(gnd_error(bad[k].y), bad[k].says, strlen(bad[k].says)), 0, "says so: %s",
                   gnd_error(bad[k].y));
    }
}

static void on_device(gnd_device *d, const char *spec)
{
    static void (*const test[])(void) = {test_select, test_piecewise,     test_choose, test_putmask,
                                         test_copyto, test_fill_diagonal, test_errors};
    dev = d;
    tap_diag("%s", spec);
    ref_seed(15);
    ref_run(dev, sizeof test / sizeof test[0], test);
}

int main(void)
{
    ref_devices(on_device);
    return tap_done();
}
