/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/solve.c - decompositions and solvers as nodes. Operands are first copied to memory that the
 * library may overwrite, which also puts them in Fortran order; then one library call does the
 * work.
 */
#include "prim/solve.h"

#include <string.h>
#include "base/dtype.h"
#include "codegen/prelude.h"
#include "device/device.h"
#include "prim/blocked.h"
#include "prim/eigh_batch.h"
#include "host/lapack.h"
#include "prim/prim.h"
#include "prim/qr_batch.h"

enum { N_OP, N_M, N_N, N_K, N_BATCH, N_RCOND };

/* From this number of elements on, operands are stored if they are expressions, and transposed by a
 * kernel that works in tiles. */
enum { LARGE = 1 << 14 };
/* The order of matrices and the number of right sides from which on right sides are permuted
 * separately from the factors. */
enum { MANY_ROWS = 256, MANY = 64 };

static int is_eig(const gnd_solve_desc *s)
{
    return s->op == GND_SOLVE_EIG || s->op == GND_SOLVE_EIGVALS;
}

static gnd_dtype node_dtype(const gnd_solve_desc *s)
{
    gnd_dtype t = (gnd_dtype)s->dtype;
    return !is_eig(s) ? t : gnd__real_of(t) == GND_FLOAT64 ? GND_COMPLEX128 : GND_COMPLEX64;
}

/* The dtype of operand i's elements. */
static gnd_dtype operand_dtype(const gnd_solve_desc *s, int i)
{
    switch (gnd__solve_type(s, i)) {
    case 'r': return gnd__real_of((gnd_dtype)s->dtype);
    case 'i': return GND_INT32;
    case 'c': return node_dtype(s);
    default: return (gnd_dtype)s->dtype;
    }
}

int64_t gnd__solve_count(const gnd_solve_desc *s, int i)
{
    return (int64_t)(gnd__solve_bytes(s, i) / gnd_dtype_size(operand_dtype(s, i)));
}

int64_t gnd__solve_begin(const gnd_solve_desc *s, int i)
{
    int64_t at = 0;
    for (int j = 0; j < i; j++)
        if (gnd__solve_direction(s, j) & 2)
            at += gnd__solve_count(s, j);
    return at;
}

gnd_array *gnd__solve_node(const char *func, gnd_device *dev, const gnd_solve_desc *s, int nin,
                           gnd_array *const *in, gnd_array *bad)
{
    gnd_array *all[GND__PRIM_INS] = {NULL};
    gnd__primargs a;
    int64_t n = gnd__solve_begin(s, gnd__solve_operands(s));
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_SOLVE;
    a.func = func;
    for (int i = 0; i < nin; i++) {
        all[i] = in[i];
        a.mode[i] = in[i]->size >= LARGE && !gnd__eigh_batch_takes(dev->g, s) &&
                            !gnd__qr_batch_takes(dev->g, s)
                        ? GND__IN_COPY
                        : GND__IN_ONCE;
    }
    if (bad && bad->kind == GND__ERROR)
        return bad;
    if (bad) {
        all[nin] = bad;
        a.mode[nin] = GND__IN_MEM;
    }
    a.n[N_OP] = (int64_t)s->op | (int64_t)s->flags << 8 | (int64_t)s->dtype << 32;
    a.n[N_M] = s->m;
    a.n[N_N] = s->n;
    a.n[N_K] = s->k;
    a.n[N_BATCH] = s->nbatch;
    memcpy(&a.n[N_RCOND], &s->rcond, sizeof s->rcond);
    return gnd__prim_node(dev, &a, node_dtype(s), 1, &n, nin + (bad != NULL), all);
}

/* Copies input `in`, whose matrices have `have` elements each, to memory with room for `room`
 * elements each.
 */
static void copy_in(gnd__prog *p, int in, int scratch, int64_t begin, int64_t have, int64_t room)
{
    size_t local = gnd__prog_group(p, 256);
    int64_t n = p->in[in].size;
    if (p->args->mode[in] == GND__IN_COPY) {
        gnd__prog_copy(p, in,
                       (gnd__pmem){scratch >= 0 ? GND__PA_SCRATCH : GND__PA_OUT,
                                   scratch >= 0 ? scratch : 0,
                                   begin * (int64_t)gnd_dtype_size(p->in[in].dtype)},
                       have == room ? 0 : room);
        return;
    }
    gnd__pk_begin(p, "k_copy");
    gnd__pk_def(p, have == room ? "#define PLACE (begin + i)\n"
                                : "#define PLACE (begin + i / have * room + i %% have)\n");
    if (scratch >= 0)
        gnd__pk_mem(p, "y", scratch, p->in[in].dtype);
    else
        gnd__pk_out(p, "y");
    gnd__pk_in(p, "x", in);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "begin", begin);
    gnd__pk_int(p, "have", have);
    gnd__pk_int(p, "room", room);
    gnd__pk_body(p, "solve_copy", p->in[in].dtype);
    gnd__pk_native(p,
                   &(gnd__native){.what = GND__NATIVE_COPY,
                                  .t = p->in[in].dtype,
                                  .m = n / have,
                                  .n = have,
                                  .inner = room},
                   (gnd__pmem){GND__PA_IN, in, 0},
                   (gnd__pmem){scratch >= 0 ? GND__PA_SCRATCH : GND__PA_OUT,
                               scratch >= 0 ? scratch : 0,
                               begin * (int64_t)gnd_dtype_size(p->in[in].dtype)});
    gnd__pk_end1(p, (n + (int64_t)local - 1) / (int64_t)local, local, gnd__prog_reads(p, in),
                 n * (int64_t)gnd_dtype_size(p->in[in].dtype));
}

/* n reals or ints of scratch memory as values of the result. */
static void widen(gnd__prog *p, int scratch, gnd_dtype from, int64_t begin, int64_t n)
{
    size_t local = gnd__prog_group(p, 256);
    const char *to = gnd__suffix(p->dtype);
    gnd__pk_begin(p, "k_widen");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "x", scratch, from);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "begin", begin);
    if (gnd_dtype_kind(p->dtype) == 'c')
        gnd__pk_def(p, "#define VALUE(v) gnd_cplx_%s((%s)(v), 0)\n", to,
                    gnd__ctype_value(gnd__real_of(p->dtype)));
    else
        gnd__pk_def(p, "#define VALUE(v) ((%s)(v))\n", gnd__ctype_value(p->dtype));
    gnd__pk_body(p, "solve_widen", p->dtype);
    gnd__pk_native(
        p, &(gnd__native){.what = GND__NATIVE_WIDEN, .op = (int)from, .t = p->dtype, .n = n},
        (gnd__pmem){GND__PA_SCRATCH, scratch, 0},
        (gnd__pmem){GND__PA_OUT, 0, begin * (int64_t)gnd_dtype_size(p->dtype)});
    gnd__pk_end1(p, (n + (int64_t)local - 1) / (int64_t)local, local,
                 n * (int64_t)gnd_dtype_size(from), n * (int64_t)gnd_dtype_size(p->dtype));
}

/* Whether the device's library computes s. */
static int is_native(const gnd__prog *p, const gnd_solve_desc *s)
{
    int yes = 0;
    return gnd__gate_solver_supports(p->dev, s, &yes, NULL) == GND_OK && yes;
}

/* The verdict of nbatch matrices for a check: by the info of each, in scratch memory, and by input
 * `bad`, which tells which are not finite; -1: without one of these. */
static void verdict(gnd__prog *p, int64_t nbatch, int info, int bad)
{
    const size_t group = nbatch > 1 ? gnd__prog_group(p, 256) : 1;
    gnd__pk_begin(p, "k_verdict");
    gnd__pk_check(p, "check");
    if (info >= 0)
        gnd__pk_mem(p, "info", info, GND_INT32);
    if (bad >= 0)
        gnd__pk_in(p, "bad", bad);
    gnd__pk_int(p, "count", nbatch);
    gnd__pk_def(p, "#define GROUP %d\n#define FINITE(b) %s\n#define INFO(b) %s\n", (int)group,
                bad >= 0 ? "(IN_bad(b) == 0)" : "1", info >= 0 ? "info[b]" : "0");
    gnd__pk_body(p, "solve_verdict", GND_INT32);
    gnd__pk_end1(p, 1, group, nbatch * (bad >= 0 ? 5 : 4), 0);
}

/* A library call whose verdict a check gets, so that nothing waits for that. */
static void solve_later(gnd__prog *p, const gnd_solve_desc *s, int n, const gnd__pmem *mem, int bad)
{
    const int info = gnd__prog_scratch(p, s->nbatch * (int64_t)sizeof(int32_t));
    gnd__prog_solve_later(p, s, n, mem, info);
    verdict(p, s->nbatch, info, bad);
}

/* The call, with the host's wait if the library has no other way. */
static void solve_call(gnd__prog *p, const gnd_solve_desc *s, int n, const gnd__pmem *mem)
{
    if (gnd__gate_solves_later(p->dev, s))
        solve_later(p, s, n, mem, -1);
    else
        gnd__prog_solve(p, s, n, mem);
}

/* The order of the rows after the exchanges of LAPACK's pivots (int32, n of each matrix); inverse:
 * the place of each row in it. */
static int order(gnd__prog *p, const gnd_solve_desc *s, int pivot, int inverse)
{
    const int place = gnd__prog_scratch(p, s->n * s->nbatch * (int64_t)sizeof(int32_t));
    const size_t local = gnd__prog_group(p, 256);
    const int64_t blocks = (s->n + (int64_t)local - 1) / (int64_t)local;
    gnd__pk_begin(p, "k_order");
    gnd__pk_mem(p, "place", place, GND_INT32);
    gnd__pk_mem(p, "pivot", pivot, GND_INT32);
    gnd__pk_int(p, "n", s->n);
    gnd__pk_int(p, "blocks", blocks);
    gnd__pk_def(p, "#define INVERSE %d\n", inverse);
    gnd__pk_body(p, "solve_order", GND_INT32);
    gnd__pk_end1(p, blocks * s->nbatch, local, 4 * s->n * s->nbatch, 4 * s->n * s->nbatch);
    return place;
}

/* Moves the columns of an inverse to their places, if the device's library leaves them in others.
 */
static int inverse_apart(gnd__prog *p, const gnd_solve_desc *s)
{
    gnd_solve_desc apart = *s;
    const int64_t n = s->n, all = n * n * s->nbatch, size = (int64_t)gnd_dtype_size(p->dtype);
    const size_t local = gnd__prog_group(p, 256);
    const int64_t blocks = (n + (int64_t)local - 1) / (int64_t)local;
    apart.flags = 1;
    if (s->op != GND_SOLVE_INV || !is_native(p, &apart))
        return 0;
    const int a = gnd__prog_scratch(p, all * size), x = gnd__prog_scratch(p, all * size);
    const int pivot = gnd__prog_scratch(p, n * s->nbatch * (int64_t)sizeof(int32_t));
    const gnd__pmem mem[3] = {
        {GND__PA_SCRATCH, a, 0}, {GND__PA_SCRATCH, x, 0}, {GND__PA_SCRATCH, pivot, 0}};
    copy_in(p, 0, a, 0, n * n, n * n);
    solve_call(p, &apart, 3, mem);
    const int places = order(p, s, pivot, 1);
    gnd__pk_begin(p, "k_columns");
    gnd__pk_out(p, "y");
    gnd__pk_mem(p, "x", x, p->dtype);
    gnd__pk_mem(p, "place", places, GND_INT32);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "blocks", blocks);
    gnd__pk_body(p, "solve_columns", p->dtype);
    gnd__pk_end1(p, blocks * n * s->nbatch, local, all * size, all * size);
    return 1;
}

/* A system with many right sides. They are copied in the order of the eliminated rows, because
 * libraries would exchange them one after the other. */
static int system_apart(gnd__prog *p, const gnd_solve_desc *s)
{
    gnd_solve_desc lu = *s, lower = *s, upper = *s;
    const int64_t n = s->n, size = (int64_t)gnd_dtype_size(p->dtype);
    const size_t local = gnd__prog_group(p, 256);
    const int64_t blocks = (n + (int64_t)local - 1) / (int64_t)local;
    lu.op = GND_SOLVE_LU, lu.flags = 1;
    lower.op = upper.op = GND_SOLVE_TRIANGULAR;
    lower.flags = GND_TRI_UNIT;
    upper.flags = GND_TRI_UPPER | GND_TRI_ANY; /* LU's verdict tells of a 0 */
    if (s->op != GND_SOLVE_SOLVE || n < MANY_ROWS || s->k < MANY || !is_native(p, &lu) ||
        !is_native(p, &lower) || !is_native(p, &upper))
        return 0;
    const int a = gnd__prog_scratch(p, n * n * s->nbatch * size);
    const int pivot = gnd__prog_scratch(p, n * s->nbatch * (int64_t)sizeof(int32_t));
    const gnd__pmem mem[2] = {{GND__PA_SCRATCH, a, 0}, {GND__PA_SCRATCH, pivot, 0}};
    const gnd__pmem system[2] = {mem[0], {GND__PA_OUT, 0, 0}};
    copy_in(p, 0, a, 0, n * n, n * n);
    solve_call(p, &lu, 2, mem);
    const int rows = order(p, s, pivot, 0);
    const int sides =
        p->in[1].inl || p->in[1].mem ? -1 : gnd__prog_scratch(p, n * s->k * s->nbatch * size);
    if (sides >= 0)
        copy_in(p, 1, sides, 0, n * s->k, n * s->k);
    gnd__pk_begin(p, "k_rows");
    gnd__pk_out(p, "y");
    if (sides >= 0) {
        gnd__pk_mem(p, "x", sides, p->dtype);
        gnd__pk_def(p, "#define IN_x(i) gnd_ld_%s(x, i)\n", gnd__suffix(p->dtype));
    } else {
        gnd__pk_in(p, "x", 1);
    }
    gnd__pk_mem(p, "row", rows, GND_INT32);
    gnd__pk_int(p, "n", n);
    gnd__pk_int(p, "k", s->k);
    gnd__pk_int(p, "blocks", blocks);
    gnd__pk_body(p, "solve_rows", p->dtype);
    gnd__pk_end1(p, blocks * s->k * s->nbatch, local, gnd__prog_reads(p, 1),
                 n * s->k * s->nbatch * size);
    gnd__prog_solve(p, &lower, 2, system);
    gnd__prog_solve(p, &upper, 2, system);
    return 1;
}

void gnd__prim_solve(gnd__prog *p)
{
    gnd_solve_desc s;
    gnd__pmem mem[GND_SOLVE_MEMS];
    int scratch[GND_SOLVE_MEMS], in = 0, n;
    memset(&s, 0, sizeof s);
    s.op = (uint32_t)(p->args->n[N_OP] & 255);
    s.flags = (uint32_t)(p->args->n[N_OP] >> 8 & 0xffffff);
    s.dtype = (uint32_t)(p->args->n[N_OP] >> 32);
    s.m = p->args->n[N_M];
    s.n = p->args->n[N_N];
    s.k = p->args->n[N_K];
    s.nbatch = p->args->n[N_BATCH];
    memcpy(&s.rcond, &p->args->n[N_RCOND], sizeof s.rcond);
    if (inverse_apart(p, &s) || system_apart(p, &s))
        return;
    n = gnd__solve_operands(&s);
    const int small_eigh = gnd__eigh_batch_takes(p->dev, &s);
    const int small =
        small_eigh || gnd__qr_batch_takes(p->dev, &s); /* these read the input themselves */
    for (int i = 0; i < n; i++) {
        int dir = gnd__solve_direction(&s, i);
        gnd_dtype t = operand_dtype(&s, i);
        int64_t count = gnd__solve_count(&s, i), begin = gnd__solve_begin(&s, i);
        scratch[i] = (dir == 1 && !small) || t != p->dtype
                         ? gnd__prog_scratch(p, (int64_t)gnd__solve_bytes(&s, i))
                         : -1;
        mem[i].kind = scratch[i] >= 0 ? GND__PA_SCRATCH : GND__PA_OUT;
        mem[i].ref = scratch[i] >= 0 ? scratch[i] : 0;
        mem[i].off = scratch[i] >= 0 ? 0 : begin * (int64_t)gnd_dtype_size(t);
        if (count == 0) {
            gnd__prog_fail(p, GND_ERR_INTERNAL, "a solver with an empty operand");
            return;
        }
        if (dir & 1 && !small) {
            copy_in(p, in, scratch[i], scratch[i] >= 0 ? 0 : begin, p->in[in].size / s.nbatch,
                    count / s.nbatch);
            in++;
        }
    }
    const int later = !small && !gnd__blocked_takes(p->dev, &s) && is_native(p, &s) &&
                      gnd__gate_solves_later(p->dev, &s);
    const int device = !small && gnd__blocked_device(p->dev, &s);
    if (in < p->nin && device)
        verdict(p, s.nbatch, -1, in);
    if (in < p->nin && !small && !later && !device) {
        const gnd__panel look = {.kind = GND__PANEL_FINITE,
                                 .dtype = GND_UINT8,
                                 .strict = s.op == GND_SOLVE_CHOLESKY,
                                 .rows = s.nbatch,
                                 .cols = 1,
                                 .ld = s.nbatch};
        gnd__prog_panel(p, &look, 1, &(gnd__pmem){GND__PA_IN, in, 0});
    }
    if (small_eigh)
        gnd__eigh_batch(p, &s, mem);
    else if (small)
        gnd__qr_batch(p, &s, mem);
    else if (later)
        solve_later(p, &s, n, mem, in < p->nin ? in : -1);
    else if (gnd__blocked_takes(p->dev, &s))
        gnd__blocked(p, &s, mem);
    else
        gnd__prog_solve(p, &s, n, mem);
    for (int i = 0; i < n; i++)
        if (gnd__solve_direction(&s, i) & 2 && scratch[i] >= 0)
            widen(p, scratch[i], operand_dtype(&s, i), gnd__solve_begin(&s, i),
                  gnd__solve_count(&s, i));
}

gnd_status gnd__solve_verdict(const gnd__primargs *a, const int32_t word[4], gnd_err *e)
{
    const gnd_solve_op op = (gnd_solve_op)(a->n[N_OP] & 255);
    const int64_t b = (int64_t)((uint64_t)(uint32_t)word[2] << 32 | (uint32_t)word[1]);
    const int info = word[3], cholesky = op == GND_SOLVE_CHOLESKY;
    if (op == GND_SOLVE_EIGH || op == GND_SOLVE_EIGVALSH) /* prim/eigh_batch.c */
        return gnd__solve_first(0, 1, INT32_MAX - word[0], e);
    if (info < 0)
        return gnd__err(e, GND_ERR_INTERNAL, "matrix %lld: the library: argument %d is wrong",
                        (long long)b, -info);
    if (info == 0)
        return gnd__solve_refused(cholesky, 0, b, e);
    return cholesky ? gnd__solve_not_positive(b, info, e)
                    : gnd__solve_singular(b, op == GND_SOLVE_TRIANGULAR, info - 1, e);
}

/* --- in C order ------------------------------------------------------------------------------- */

gnd_array *gnd__rows_node(const char *func, gnd_device *dev, const gnd_solve_desc *s, gnd_array *x)
{
    const int64_t q = s->m < s->n ? s->m : s->n;
    const int64_t n =
        s->nbatch * (s->op == GND_SOLVE_CHOLESKY ? s->n * s->n : s->m * q + q * s->n + s->m);
    gnd__primargs a;
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_ROWS;
    a.func = func;
    a.mode[0] = GND__IN_MEM;
    a.n[N_OP] = (int64_t)s->op | (int64_t)s->dtype << 32;
    a.n[N_M] = s->m;
    a.n[N_N] = s->n;
    a.n[N_BATCH] = s->nbatch;
    return gnd__prim_node(dev, &a, (gnd_dtype)s->dtype, 1, &n, 1, &x);
}

void gnd__prim_rows(gnd__prog *p)
{
    const gnd__panel all = {
        .kind = (p->args->n[N_OP] & 255) == GND_SOLVE_CHOLESKY ? GND__PANEL_CHOLESKY_ROWS
                                                               : GND__PANEL_LU_ROWS,
        .dtype = (uint32_t)p->dtype,
        .rows = p->args->n[N_M],
        .cols = p->args->n[N_N],
        .ld = p->args->n[N_N],
        .count = p->args->n[N_BATCH],
    };
    gnd__prog_panel(p, &all, 2, (gnd__pmem[2]){{GND__PA_IN, 0, 0}, {GND__PA_OUT, 0, 0}});
}
