/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/panels.c - see panels.h. A group has some columns of a panel in its registers, because each
 * column needs a search and an exchange, which take the time of a few barriers there and that of a
 * launch each otherwise. As these columns end, a second kernel applies them to the others of the
 * panel, a group for each.
 */
#include "prim/panels.h"

#include "base/dtype.h"
#include "prim/small.h"

/* Work-items of the group that factors, and words of 4 bytes that each has in registers; the most
 * columns at a time. Columns of a group that exchanges rows. */
enum { GROUP = 512, WORDS = 64, WIDE = 16, COLS = 4 };

/* The rows of each work-item, a power of 2 so that few texts are compiled. */
static int64_t each_of(int64_t rows, int64_t group)
{
    int64_t each = 1;
    while (each * group < rows)
        each *= 2;
    return each;
}

int gnd__panels_take(const gnd__target *t, gnd_dtype dtype, int64_t rows)
{
    const gnd_props *p = t->props;
    return !t->cpu && p->max_group >= 2 * GND__PANEL_MOST &&
           p->max_local[0] >= 2 * GND__PANEL_MOST && p->local_bytes >= 16 * 1024 &&
           each_of(rows, p->max_group < GROUP ? (int64_t)p->max_group : GROUP) *
                   (int64_t)gnd_dtype_size(dtype) / 4 <=
               WORDS;
}

static void macros(gnd__prog *p, int64_t group)
{
    gnd__pk_def(p, "#define GROUP %d\n", (int)group);
    gnd__pk_unroll(p);
    gnd__small_arithmetic(p);
}

static void pivots_of(gnd__prog *p, const gnd__lu_panel *x, int64_t before)
{
    gnd__pk_mem(p, "pivots", x->pivots, GND_INT32);
    gnd__pk_int(p, "at", x->at + before);
    gnd__pk_int(p, "first", x->first + before);
}

/* The columns from number j of the panel on; cols is at most wide. */
static void columns(gnd__prog *p, const gnd__lu_panel *x, int64_t j, int64_t cols, int64_t wide,
                    int64_t each, size_t group)
{
    const int64_t size = (int64_t)gnd_dtype_size(p->dtype), bytes = (x->rows - j) * cols * size;
    gnd__pmem a = x->a;
    a.off += j * (x->ld + 1) * size;
    gnd__pk_begin(p, "k_columns");
    macros(p, (int64_t)group);
    gnd__pk_def(p, "#define EACH %d\n#define WIDE %d\n#define STRICT %d\n#define LEAST %s\n",
                (int)each, (int)wide, x->strict,
                gnd__real_of(p->dtype) == GND_FLOAT64 ? "2.2250738585072014e-308"
                                                      : "1.17549435e-38f");
    gnd__pk_operand(p, "y", "begin", a);
    pivots_of(p, x, j);
    if (x->strict) {
        gnd__pk_check(p, "check");
        gnd__pk_int(p, "matrix", x->matrix);
    }
    gnd__pk_int(p, "ld", x->ld);
    gnd__pk_int(p, "rows", x->rows - j);
    gnd__pk_int(p, "cols", cols);
    gnd__pk_body(p, "lu_columns", p->dtype);
    gnd__pk_end1(p, 1, group, bytes, bytes);
}

/* What they mean for the other columns of the panel. */
static void others(gnd__prog *p, const gnd__lu_panel *x, int64_t j, int64_t cols, int64_t wide)
{
    const int64_t size = (int64_t)gnd_dtype_size(p->dtype);
    const size_t group = gnd__prog_group(p, 256);
    gnd__pmem a = x->a;
    a.off += j * size;
    if (x->cols == cols)
        return;
    gnd__pk_begin(p, "k_others");
    macros(p, (int64_t)group);
    gnd__pk_def(p, "#define WIDE %d\n", (int)wide);
    gnd__pk_operand(p, "y", "begin", a);
    pivots_of(p, x, j);
    gnd__pk_int(p, "ld", x->ld);
    gnd__pk_int(p, "rows", x->rows - j);
    gnd__pk_int(p, "cols", cols);
    gnd__pk_int(p, "left", j);
    gnd__pk_body(p, "lu_column", p->dtype);
    gnd__pk_end1(p, x->cols - cols, group, (x->rows - j) * x->cols * size,
                 (x->rows - j) * (x->cols - j - cols) * size);
}

void gnd__panel_lu(gnd__prog *p, const gnd__lu_panel *x)
{
    const size_t group = gnd__prog_group(p, GROUP);
    const int64_t words = (int64_t)gnd_dtype_size(p->dtype) / 4;
    for (int64_t j = 0; j < x->cols;) {
        const int64_t each = each_of(x->rows - j, (int64_t)group), room = WORDS / (each * words),
                      wide = room < WIDE ? room : WIDE,
                      cols = x->cols - j < wide ? x->cols - j : wide;
        columns(p, x, j, cols, wide, each, group);
        others(p, x, j, cols, wide);
        j += cols;
    }
}

void gnd__panel_exchange(gnd__prog *p, const gnd__lu_panel *x, gnd__pmem a, int64_t ld, int64_t n,
                         int64_t left, int64_t skip)
{
    const int64_t bytes = 2 * n * x->cols * (int64_t)gnd_dtype_size(p->dtype);
    const size_t group = gnd__prog_group(p, 2 * GND__PANEL_MOST);
    if (n <= 0)
        return;
    gnd__pk_begin(p, "k_exchange");
    macros(p, (int64_t)group);
    gnd__pk_def(p, "#define MOST %d\n#define COLS %d\n", GND__PANEL_MOST, COLS);
    gnd__pk_operand(p, "y", "begin", a);
    pivots_of(p, x, 0);
    gnd__pk_int(p, "ld", ld);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "left", left);
    gnd__pk_int(p, "skip", skip);
    gnd__pk_int(p, "count", x->cols);
    gnd__pk_body(p, "lu_rows", p->dtype);
    gnd__pk_end1(p, (n + COLS - 1) / COLS, group, bytes, bytes);
}

void gnd__panel_diagonal(gnd__prog *p, gnd__pmem a, int64_t step, int64_t n, int64_t matrix)
{
    const size_t group = gnd__prog_group(p, 256);
    gnd__pk_begin(p, "k_diagonal");
    macros(p, (int64_t)group);
    gnd__pk_operand(p, "y", "begin", a);
    gnd__pk_check(p, "check");
    gnd__pk_int(p, "step", step);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "matrix", matrix);
    gnd__pk_body(p, "diagonal_zero", p->dtype);
    gnd__pk_end1(p, 1, group, n * (int64_t)gnd_dtype_size(p->dtype), 0);
}
