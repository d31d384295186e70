/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/reflect.c - see reflect.h. As in panels.c, a group has some columns of a panel in its
 * registers, and a second kernel applies what becomes of them to the others, a group for each.
 */
#include "prim/reflect.h"

#include "base/dtype.h"
#include "codegen/prelude.h"
#include "prim/small.h"

/* Work-items of a group, words of 4 bytes that each has in registers, the most columns at a time,
 * and bytes of local memory for the sums of all work-items. */
enum { GROUP = 256, WORDS = 128, WIDE = 16, SUMS = 32 * 1024, LOCAL = 44 * 1024 };

/* The rows of each work-item, a power of 2 so that few texts are compiled. */
static int64_t each_of(int64_t rows)
{
    int64_t each = 1;
    while (each * GROUP < rows)
        each *= 2;
    return each;
}

int gnd__reflect_takes(const gnd__target *t, gnd_dtype dtype, int64_t rows)
{
    const gnd_props *p = t->props;
    return !t->cpu && p->max_group >= GROUP && p->max_local[0] >= GROUP &&
           p->local_bytes >= LOCAL && each_of(rows) * (int64_t)gnd_dtype_size(dtype) / 4 <= WORDS;
}

static void macros(gnd__prog *p, int64_t each, int64_t wide)
{
    const char *const t = gnd__suffix(p->dtype), *const r = gnd__suffix(gnd__real_of(p->dtype));
    gnd__pk_def(p, "#define GROUP %d\n#define EACH %d\n#define WIDE %d\n", GROUP, (int)each,
                (int)wide);
    gnd__pk_unroll(p);
    gnd__small_arithmetic(p);
    if (gnd_dtype_kind(p->dtype) == 'c') {
        gnd__pk_def(p, "#define GREATER(z) fmax(fabs((z).x), fabs((z).y))\n");
        gnd__pk_def(p, "#define STANDS(z, rest) ((rest) == 0 && (z).y == 0)\n");
        gnd__pk_def(
            p, "#define SCALED(z, e) gnd_cplx_%s(gnd_ldexp_%s((z).x, e), gnd_ldexp_%s((z).y, e))\n",
            t, r, r);
        gnd__pk_def(p, "#define SHRUNK(z) gnd_cplx_%s((z).x * down * more, (z).y * down * more)\n",
                    t);
    } else {
        gnd__pk_def(p, "#define GREATER(z) fabs(z)\n#define STANDS(z, rest) ((rest) == 0)\n");
        gnd__pk_def(p, "#define SCALED(z, e) gnd_ldexp_%s(z, e)\n", t);
        gnd__pk_def(p, "#define SHRUNK(z) ((z) * down * more)\n");
    }
    gnd__pk_defs(p, "reflect_sums", p->dtype);
}

static void operands(gnd__prog *p, gnd__pmem a, int64_t ld, int64_t rows, int64_t cols)
{
    gnd__pk_operand(p, "y", "begin", a);
    gnd__pk_int(p, "ld", ld);
    gnd__pk_int(p, "rows", rows);
    gnd__pk_int(p, "cols", cols);
}

/* The factors from number j on. */
static void factors(gnd__prog *p, int tau, int64_t j)
{
    gnd__pk_mem(p, "all_tau", tau, p->dtype);
    gnd__pk_int(p, "from", j);
    gnd__pk_def(p, "#define tau (all_tau + from)\n");
}

void gnd__reflect_panel(gnd__prog *p, gnd__pmem a, int64_t ld, int64_t rows, int64_t cols, int tau)
{
    const int64_t size = (int64_t)gnd_dtype_size(p->dtype), words = size / 4;
    for (int64_t j = 0; j < cols;) {
        const int64_t m = rows - j, each = each_of(m), room = WORDS / (each * words),
                      most = SUMS / (GROUP * size) < WIDE ? SUMS / (GROUP * size) : WIDE,
                      wide = room < most ? room : most, n = cols - j < wide ? cols - j : wide;
        gnd__pmem here = a;
        here.off += j * (ld + 1) * size;
        gnd__pk_begin(p, "k_reflectors");
        macros(p, each, wide);
        operands(p, here, ld, m, n);
        factors(p, tau, j);
        gnd__pk_body(p, "reflect_columns", p->dtype);
        gnd__pk_end1(p, 1, GROUP, m * n * size, m * n * size);
        if (j + n < cols) {
            gnd__pk_begin(p, "k_reflect");
            macros(p, each, wide);
            operands(p, here, ld, m, n);
            factors(p, tau, j);
            gnd__pk_body(p, "reflect_column", p->dtype);
            gnd__pk_end1(p, cols - j - n, GROUP, m * (cols - j) * size, m * (cols - j - n) * size);
        }
        j += n;
    }
}

void gnd__reflect_vectors(gnd__prog *p, gnd__pmem v, gnd__pmem a, int64_t ld, int64_t rows,
                          int64_t cols, int tau)
{
    const int64_t n = rows * cols, size = (int64_t)gnd_dtype_size(p->dtype);
    gnd__pk_begin(p, "k_vectors");
    macros(p, 1, 1);
    operands(p, v, ld, rows, cols);
    gnd__pk_operand(p, "x", "begin_x", a);
    factors(p, tau, 0);
    gnd__pk_body(p, "reflect_vectors", p->dtype);
    gnd__pk_end1(p, (n + GROUP - 1) / GROUP, GROUP, n * size, n * size);
}

void gnd__reflect_inverse(gnd__prog *p, gnd__pmem g, gnd__pmem one, int64_t cols, int tau)
{
    const int64_t n = cols * cols, size = (int64_t)gnd_dtype_size(p->dtype);
    gnd__pk_begin(p, "k_inverse");
    macros(p, 1, 1);
    operands(p, g, cols, cols, cols);
    gnd__pk_operand(p, "x", "begin_x", one);
    factors(p, tau, 0);
    gnd__pk_body(p, "reflect_inverse", p->dtype);
    gnd__pk_end1(p, (n + GROUP - 1) / GROUP, GROUP, n * size, 2 * n * size);
}
