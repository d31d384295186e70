/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/attention.c - see attention.h. The program is one kernel (kernels/attention.cl): on tensor
 * cores for elements of 16 bits on NVIDIA's GPUs, else in float32.
 */
#include "prim/attention.h"

#include <stdlib.h>
#include <string.h>
#include "base/dtype.h"
#include "codegen/prelude.h"
#include "device/device.h"
#include "prim/prim.h"

/* How, and whether the scale divides; the bits of scale and fill; at[] of PLACE. */
enum { N_HOW, N_SCALE, N_FILL, N_ROW, N_COLUMN, N_FIRST };
enum { DIVIDE = 16 };

/* The most columns of q and v; work-items of a group; rows of k and v that it takes at a time.
 * Bytes of local memory that the kernel may have: a work-group of any CUDA device has them without
 * asking.
 */
enum { MOST_COLUMNS = 128, WIDE = 80, GROUP = 128, BLOCK = 64, ROOM = 48 * 1024 };
/* The most elements of a piece of k or v in float32; the most that sums of places come to. */
enum { MOST_PIECE = 2560, MOST_COLUMNS_PIECE = 40, MOST_PLACE = 1 << 30 };
/* The most nodes of both sides of a comparison of places. It is worth a launch to look at v before
 * if there are more than FEW_BLOCKS blocks of k, and WAVES groups for each compute unit. */
enum { MOST_PARTS = 16, FEW_BLOCKS = 4, WAVES = 4 };

/* --- recognising it --------------------------------------------------------------------------- */

/* The inputs of x, unless it has elements or is of another kind. */
static gnd_array *const *of_op(const gnd_array *x, gnd__op op)
{
    return x->kind == GND__OP && x->p.op == (int32_t)op && !x->data.st ? x->in : NULL;
}

static const gnd_array *uncast(const gnd_array *x)
{
    while (x->kind == GND__CAST && !x->data.st && x->in &&
           gnd__dtype_is_float((gnd_dtype)x->in[0]->dtype))
        x = x->in[0];
    return x;
}

/* Whether x is what reduction r makes of s along its last axis, which is kept with extent 1. */
static int is_reduced(const gnd_array *x, gnd__red r, const gnd_array *s)
{
    const int last = s->ndim - 1;
    x = uncast(x);
    if (x->ndim != s->ndim || x->dim[last] != 1 || x->data.st || !x->in)
        return 0;
    const gnd_array *y = x->in[0];
    if (y->ndim != last)
        return 0;
    for (int d = 0; d < last; d++)
        if (y->dim[d] != x->dim[d])
            return 0;
    if (x->kind == GND__VIEW) {
        for (int d = 0; d < last; d++)
            if (x->p.view->start[d])
                return 0;
        uint32_t found = 0;
        for (int i = 0; i < x->p.view->nterm; i++) {
            const gnd__term *t = &x->p.view->term[i];
            if (t->step != 1 || t->axis != t->to)
                return 0;
            found |= (uint32_t)1 << t->to;
        }
        for (int d = 0; d < last; d++)
            if (y->dim[d] > 1 && !(found >> d & 1))
                return 0;
    } else if (x->kind != GND__RESHAPE) {
        return 0;
    }
    y = uncast(y);
    return y->kind == GND__REDUCE && !y->data.st && y->in && y->p.red.op == (int32_t)r &&
           y->p.red.mask == (uint32_t)1 << last && uncast(y->in[0]) == uncast(s);
}

static int is_number(const gnd_array *x, double *v)
{
    const gnd__scalar *p = &x->p.value;
    if (x->kind != GND__CONST || !strchr("fi", p->kind))
        return 0;
    *v = p->kind == 'f' ? p->re : (double)p->i;
    return 1;
}

/* A sum of places: at[0] * row + at[1] * column + at[2]; `parts` more nodes may be looked at. */
typedef struct place {
    int64_t at[3];
    int parts;
} place;

/* Whether `times` times 0, 1, 2, ... along x's only axis of more than one element, if it has one,
 * can be added to p. */
static int add_iota(const gnd_array *x, int64_t times, place *p)
{
    for (int d = 0; d < x->ndim; d++) {
        if (x->dim[d] != 1 && x->dim[d] != x->size)
            return 0;
        p->at[2 - x->ndim + d] += x->dim[d] > 1 ? times : 0;
    }
    return 1;
}

/* Whether the int64 array x, of which the last axes are rows and columns of scores, is a sum of
 * places that do not wrap; `times` of it, 1 or -1, are added to p. */
static int is_place(const gnd_array *x, int64_t times, place *p)
{
    double v;
    if (p->parts-- == 0)
        return 0;
    if (x->kind == GND__CONST) {
        if (!is_number(x, &v) || x->p.value.kind != 'i' || x->p.value.i < -MOST_PLACE ||
            x->p.value.i > MOST_PLACE)
            return 0;
        p->at[2] += times * x->p.value.i;
        return 1;
    }
    if (x->dtype != GND_INT64 || x->ndim > 2)
        return 0;
    if (x->kind == GND__OP && x->in && (x->p.op == GND__OP_ADD || x->p.op == GND__OP_SUBTRACT))
        return is_place(x->in[0], times, p) &&
               is_place(x->in[1], x->p.op == GND__OP_ADD ? times : -times, p);
    if (x->kind == GND__IOTA)
        return x->size <= MOST_PLACE && add_iota(x, times, p);
    if ((x->kind != GND__VIEW && x->kind != GND__RESHAPE) || !x->in ||
        x->in[0]->kind != GND__IOTA || x->in[0]->size > MOST_PLACE)
        return 0;
    if (x->kind == GND__RESHAPE)
        return add_iota(x, times, p);
    p->at[2] += times * x->p.view->start[0];
    for (int i = 0; i < x->p.view->nterm; i++)
        p->at[2 - x->ndim + x->p.view->term[i].to] += times * x->p.view->term[i].step;
    return 1;
}

/* Makes KEEP or DROP of x by a comparison of places PLACE, if their numbers are small. */
static void by_place(gnd__attention *x, int64_t rows, int64_t cols)
{
    static const struct {
        gnd__op op;
        int less, equal;
    } kinds[] = {{GND__OP_GREATER_EQUAL, 0, 1},
                 {GND__OP_GREATER, 0, 0},
                 {GND__OP_LESS_EQUAL, 1, 1},
                 {GND__OP_LESS, 1, 0}};
    const gnd_array *m = x->m;
    for (int i = 0; i < 4 && m->kind == GND__OP && m->in; i++) {
        place p = {.parts = MOST_PARTS};
        int64_t *at = p.at;
        if (m->p.op != (int32_t)kinds[i].op || !is_place(m->in[0], kinds[i].less ? -1 : 1, &p) ||
            !is_place(m->in[1], kinds[i].less ? 1 : -1, &p))
            continue;
        at[2] -= !kinds[i].equal;
        for (int k = 0; k < 3 && x->how == GND__SCORES_DROP; k++)
            at[k] = -at[k] - (k == 2);
        for (int k = 0; k < 3; k++)
            if (at[k] < -MOST_PLACE || at[k] > MOST_PLACE)
                return;
        /* the kernel looks at the places of whole blocks */
        if (llabs(at[0]) * (rows + 2 * BLOCK) + llabs(at[1]) * (cols + BLOCK) >= MOST_PLACE)
            return;
        memcpy(x->at, at, sizeof x->at);
        x->how = GND__SCORES_PLACE;
        x->m = NULL;
        return;
    }
}

/* Whether x broadcasts to the scores s in a way that the kernel knows: along all batch axes or
 * none.
 */
static int mask_fits(const gnd_array *x, const gnd_array *s)
{
    const int extra = s->ndim - x->ndim;
    int64_t all = 1, own = 1;
    if (extra < 0 || x->kind == GND__CONST)
        return 0;
    for (int d = 0; d < s->ndim - 2; d++) {
        all *= s->dim[d];
        own *= d < extra ? 1 : x->dim[d - extra];
    }
    return own == 1 || own == all;
}

/* The product below the scores s; its factors and the mask in x. */
static gnd_array *const *product_of(const gnd_array *s, gnd__attention *x)
{
    gnd_array *const *in;
    double v;
    x->scale = 1;
    if ((in = of_op(s, GND__OP_WHERE))) {
        const int drop = is_number(in[1], &x->fill);
        if (!drop && !is_number(in[2], &x->fill))
            return NULL;
        x->how = drop ? GND__SCORES_DROP : GND__SCORES_KEEP;
        x->m = in[0];
        s = in[1 + drop];
    } else if ((in = of_op(s, GND__OP_ADD))) {
        const int left = in[0]->kind == GND__MATMUL ||
                         ((of_op(in[0], GND__OP_MULTIPLY) || of_op(in[0], GND__OP_DIVIDE)) &&
                          (is_number(in[0]->in[1], &v) || is_number(in[0]->in[0], &v)));
        x->how = GND__SCORES_ADD;
        x->m = in[left];
        s = in[!left];
    }
    if ((in = of_op(s, GND__OP_MULTIPLY))) {
        const int right = is_number(in[1], &x->scale);
        if (!right && !is_number(in[0], &x->scale))
            return NULL;
        s = in[!right];
    } else if ((in = of_op(s, GND__OP_DIVIDE))) {
        x->divide = 1;
        if (!is_number(in[1], &x->scale))
            return NULL;
        s = in[0];
    }
    return s->kind == GND__MATMUL && !s->data.st ? s->in : NULL;
}

/* Bytes of local memory of the kernel in float32 for groups of that many rows of q: pieces of q,
 * the weights, and pieces of k or v. */
static int64_t room(int64_t rows)
{
    return ((rows + 4) * (MOST_COLUMNS_PIECE + BLOCK) + MOST_PIECE + 4 * MOST_COLUMNS_PIECE) * 4;
}

/* Whether the kernel takes it: with few rows of q and many of k, products over all of the device
 * are faster. */
static int takes(const gnd_device *dev, const gnd_array *p, const gnd_array *q, const gnd_array *v)
{
    const gnd_props *props = &dev->g->props;
    const int64_t m = p->dim[p->ndim - 2], n = p->dim[p->ndim - 1], c = q->dim[q->ndim - 1],
                  d = v->dim[v->ndim - 1];
    const int64_t groups = (m + BLOCK - 1) / BLOCK * (p->size / (m * n));
    return !gnd__target_of(props, &dev->g->tune).cpu && c <= MOST_COLUMNS && d <= MOST_COLUMNS &&
           m >= 8 && (n <= 2048 || 4 * groups >= (int64_t)props->compute_units) &&
           props->max_group >= GROUP && props->max_local[0] >= GROUP &&
           (int64_t)props->local_bytes >= room(BLOCK / 2) && n < INT32_MAX &&
           p->size / n < INT32_MAX;
}

static int same_batch(const gnd_array *a, const gnd_array *b)
{
    return a->ndim == b->ndim && !memcmp(a->dim, b->dim, (size_t)(a->ndim - 2) * sizeof *a->dim);
}

static int recognise(const gnd_array *p, const gnd_array *v, gnd__attention *x)
{
    gnd_array *const *in = of_op(p, GND__OP_DIVIDE), *const * exps, *const * minus, *const * both;
    if (!in || !(exps = of_op(uncast(in[0]), GND__OP_EXP)) ||
        !(minus = of_op(exps[0], GND__OP_SUBTRACT)))
        return 0;
    const gnd_array *s = minus[0];
    if (s->size != p->size || s->ndim != p->ndim || !same_batch(p, v) ||
        !is_reduced(in[1], GND__SUM, in[0]) || !is_reduced(minus[1], GND__MAX, s) ||
        !(both = product_of(s, x)))
        return 0;
    x->q = both[0];
    x->kt = both[1];
    if (x->how == GND__SCORES_KEEP || x->how == GND__SCORES_DROP)
        by_place(x, s->dim[s->ndim - 2], s->dim[s->ndim - 1]);
    /* the mask may have made more rows or columns of the product */
    return same_batch(x->q, p) && same_batch(x->kt, p) && x->q->dtype == p->dtype &&
           x->q->dim[p->ndim - 2] == p->dim[p->ndim - 2] &&
           x->kt->dim[p->ndim - 1] == p->dim[p->ndim - 1] && (!x->m || mask_fits(x->m, s)) &&
           (!x->m || x->m->dtype == (x->how == GND__SCORES_ADD ? p->dtype : GND_BOOL)) &&
           takes(p->dev, p, x->q, v);
}

int gnd__attention_of(gnd_array *p, const gnd_array *v, gnd__attention *x)
{
    const gnd_dtype t = (gnd_dtype)p->dtype;
    if (p->kind != GND__OP || p->p.op != GND__OP_DIVIDE || p->ndim < 2 || !p->size ||
        (t != GND_FLOAT32 && t != GND_FLOAT16 && t != GND_BFLOAT16) || v->dtype != p->dtype)
        return 0;
    memset(x, 0, sizeof *x);
    gnd__gate_lock(p->dev->g);
    const int yes = recognise(p, v, x);
    if (yes) {
        gnd__ref(x->q);
        gnd__ref(x->kt);
        if (x->m)
            gnd__ref(x->m);
    }
    gnd__gate_unlock(p->dev->g);
    return yes;
}

void gnd__attention_drop(gnd__attention *x)
{
    gnd__unref(x->q);
    gnd__unref(x->kt);
    if (x->m)
        gnd__unref(x->m);
}

/* --- the node and its program ----------------------------------------------------------------- */

static int64_t bits_of(double v)
{
    const float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

gnd_array *gnd__attention_node(const gnd__attention *x, gnd_array *k, gnd_array *v)
{
    gnd__primargs a;
    int64_t dim[GND_MAX_NDIM];
    const int narrow = v->dtype != GND_FLOAT32, nd = v->ndim;
    memset(&a, 0, sizeof a);
    a.id = GND__PRIM_ATTENTION;
    a.mode[3] = GND__IN_AGAIN;
    a.n[N_HOW] = x->how + (x->divide && !narrow ? DIVIDE : 0);
    memcpy(a.n + N_ROW, x->at, sizeof x->at);
    a.n[N_SCALE] = bits_of(x->divide && narrow ? 1 / x->scale : x->scale);
    a.n[N_FILL] = bits_of(x->fill);
    memcpy(dim, v->dim, (size_t)nd * sizeof *dim);
    dim[nd - 2] = x->q->dim[nd - 2];
    return gnd__prim_node(v->dev, &a, (gnd_dtype)v->dtype, nd, dim, 3 + (x->m != NULL),
                          (gnd_array *[]){x->q, k, v, x->m});
}

/* The mask as the kernel reads it: macros, and its strides along batches, rows and columns. */
static void mask(gnd__prog *p, int64_t batch)
{
    static const char *const name[3] = {"at_row", "at_col", "at_first"};
    const gnd__scores how = (gnd__scores)(p->args->n[N_HOW] % DIVIDE);
    gnd__pk_def(p, "#define MASK %d\n#define KEEP %d\n",
                how == GND__SCORES_PLACE ? 3
                : how == GND__SCORES_ADD ? 2
                                         : how != GND__SCORES_PLAIN,
                how == GND__SCORES_KEEP);
    if (how == GND__SCORES_PLAIN)
        return;
    gnd__pk_int(p, "fill_bits", p->args->n[N_FILL]);
    for (int i = 0; i < 3 && how == GND__SCORES_PLACE; i++)
        gnd__pk_int(p, name[i], p->args->n[N_ROW + i]);
    if (how == GND__SCORES_PLACE)
        return;
    const gnd__pin *m = &p->in[3];
    const int64_t rows = m->ndim > 1 ? m->dim[m->ndim - 2] : 1,
                  cols = m->ndim > 0 ? m->dim[m->ndim - 1] : 1;
    gnd__pk_in(p, "m", 3);
    gnd__pk_int(p, "mb", batch > 1 && m->size == batch * rows * cols ? rows * cols : 0);
    gnd__pk_int(p, "mr", rows > 1 ? cols : 0);
    gnd__pk_int(p, "mc", cols > 1);
}

/* The largest divisor of c of 16 to MOST_COLUMNS_PIECE, or 32. */
static int64_t piece_of(int64_t c)
{
    for (int64_t k = c < MOST_COLUMNS_PIECE ? c : MOST_COLUMNS_PIECE; k >= 16; k--)
        if (c % k == 0)
            return k;
    return c < 32 ? c : 32;
}

/* The elements of k and v, and how far loops are unrolled: on a CPU that runs this nevertheless,
 * unrolling would only slow compilation. */
static void elements(gnd__prog *p)
{
    gnd__pk_def(p, "typedef %s MT;\n#define LD(p, i) gnd_ld_%s(p, i)\n", gnd__ctype_mem(p->dtype),
                gnd__suffix(p->dtype));
    gnd__pk_def(p, p->t->props->kind == GND_DEV_CPU
                       ? "#define UNROLL\n#define UNROLL4\n#define UNROLL16\n"
                       : "#define UNROLL _Pragma(\"unroll\")\n"
                         "#define UNROLL4 _Pragma(\"unroll 4\")\n"
                         "#define UNROLL16 _Pragma(\"unroll 16\")\n");
}

/* Which blocks of rows of v have a NaN or an infinity, in scratch memory, or -1: groups that leave
 * out blocks ask. Of few blocks they look themselves, which saves a launch. */
static int odd_blocks(gnd__prog *p, int64_t n, int64_t d, int64_t batch)
{
    const gnd__scores how = (gnd__scores)(p->args->n[N_HOW] % DIVIDE);
    const int64_t blocks = (n + BLOCK - 1) / BLOCK * batch;
    if (n <= FEW_BLOCKS * BLOCK || how == GND__SCORES_PLAIN || how == GND__SCORES_ADD)
        return -1;
    const int odds = gnd__prog_scratch(p, blocks * (int64_t)sizeof(int32_t));
    gnd__pk_begin(p, "k_odds");
    gnd__pk_def(p, "#define D %d\n#define WG %d\n", (int)d, GROUP);
    gnd__pk_in(p, "v", 2);
    gnd__pk_mem(p, "odds", odds, GND_INT32);
    gnd__pk_int(p, "N", n);
    elements(p);
    gnd__pk_body(p, "attention_odds", p->dtype);
    gnd__pk_end1(p, blocks, GROUP, gnd__prog_reads(p, 2), blocks * (int64_t)sizeof(int32_t));
    return odds;
}

/* The macros of the kernel in float32, for groups that have br rows. */
static void in_float(gnd__prog *p, int64_t br, int64_t c, int64_t d)
{
    const int64_t ck = piece_of(c);
    const int tm = (int)(br * 16 / GROUP), dj = (int)((d + 15) / 16);
    const int64_t each = (ck * BLOCK / 4 + GROUP - 1) / GROUP * 4; /* in fours along rows of k */
    int64_t vk = BLOCK;
    while (vk * d > MOST_PIECE)
        vk /= 2;
    const int64_t each_v = (vk * d + GROUP - 1) / GROUP, room_k = ck * (BLOCK + 4);
    gnd__pk_def(p, "#define TM %d\n#define DJ %d\n#define QP %d\n#define CK %d\n#define VK %d\n",
                tm, dj, (int)br + 4, (int)ck, (int)vk);
    gnd__pk_def(p, "#define TV %d\n#define DV %d\n", tm < 4 ? tm : 4,
                d % 4 == 0 && dj % 4 == 0   ? 4
                : d % 2 == 0 && dj % 2 == 0 ? 2
                                            : 1);
    gnd__pk_def(p, "#define EACH %d\n#define EACH_Q %d\n#define PIECE %d\n",
                (int)(each > each_v ? each : each_v), (int)((ck * br + GROUP - 1) / GROUP),
                (int)(room_k > vk * d ? room_k : vk * d));
    if (p->dtype == GND_FLOAT32)
        gnd__pk_def(p, "#define ST(p, i, v) ((p)[i] = (v))\n");
    else
        gnd__pk_def(p, "#define ST(p, i, v) gnd_st_%s(p, i, v)\n", gnd__suffix(p->dtype));
    gnd__pk_def(p, "#define SCALE(x) ((x) %c scale)\n", p->args->n[N_HOW] & DIVIDE ? '/' : '*');
    gnd__pk_def(p, p->t->props->dialect == GND_DIALECT_CUDA
                       ? "#define SHUFFLES 1\n#define CROSS(v, n) gnd_cross_f32(v, n)\n"
                       : "#define SHUFFLES 0\n");
    gnd__pk_def(p, "#define LOCAL_ALIGN __attribute__((aligned(16)))\n");
}

/* The macros of the kernel on tensor cores: rows of local memory, and its instructions. */
static void on_cores(gnd__prog *p, int64_t c, int64_t d)
{
    const int is_f16 = p->dtype == GND_FLOAT16;
    const int pc = (int)(c + 15) / 16 * 16 + 8, pd = (int)(d + 15) / 16 * 16 + 8;
    gnd__pk_def(p, "#define PC %d\n#define PD %d\n#define STAGES %d\n", pc, pd,
                2 * BLOCK * (pc + pd) * 2 <= ROOM ? 2 : 1);
    gnd__pk_def(p, "#define T16 \"%s\"\n#define ODD16 %s\n", is_f16 ? "f16" : "bf16",
                is_f16 ? "0x7c00" : "0x7f80");
    gnd__pk_def(p, "#define LOCAL_ALIGN __attribute__((aligned(16)))\n");
    gnd__pk_defs(p, "cores_names", p->dtype);
    gnd__pk_defs(p, "cores_asm", p->dtype);
    gnd__pk_defs(p, "attention_tile", p->dtype);
}

void gnd__prim_attention(gnd__prog *p)
{
    const int nd = p->ndim, narrow = p->dtype != GND_FLOAT32,
              cores = narrow && gnd__has_cores(p->t),
              plain = p->args->n[N_HOW] % DIVIDE == GND__SCORES_PLAIN;
    const int64_t m = p->dim[nd - 2], d = p->dim[nd - 1], n = p->in[1].dim[nd - 2],
                  c = p->in[1].dim[nd - 1], batch = p->size / (m * d);
    const int64_t units = p->t->props->compute_units;
    int64_t br = BLOCK, turns = 1;
    if (!cores &&
        (room(br) > (int64_t)p->t->props->local_bytes || (m + br - 1) / br * batch < units * 3 / 2))
        br = BLOCK / 2;
    if (!cores && (m + br - 1) / br * batch < units && br < BLOCK)
        br = BLOCK / 4;
    /* twice as many rows read local memory half as often; with more columns they fill the registers
     */
    if (cores && c <= WIDE && d <= WIDE && m > 4 * BLOCK &&
        (m + 2 * BLOCK - 1) / (2 * BLOCK) * batch >= 2 * units)
        turns = 2;
    const int64_t blocks = (m + turns * br - 1) / (turns * br);
    const int odds = blocks * batch < WAVES * units ? -1 : odd_blocks(p, n, d, batch);
    gnd__pk_begin(p, "k_attention");
    gnd__pk_def(p, "#define C %d\n#define D %d\n#define WG %d\n#define BR %d\n#define TURNS %d\n",
                (int)c, (int)d, GROUP, (int)br, (int)turns);
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "q", 0);
    gnd__pk_in(p, "k", 1);
    gnd__pk_in(p, "v", 2);
    mask(p, batch);
    gnd__pk_def(p, "#define ODDS %d\n", odds >= 0);
    if (odds >= 0)
        gnd__pk_mem(p, "odds", odds, GND_INT32);
    gnd__pk_int(p, "scale_bits", p->args->n[N_SCALE]);
    gnd__pk_int(p, "B", batch);
    gnd__pk_int(p, "M", m);
    gnd__pk_int(p, "N", n);
    gnd__pk_int(p, "NR", blocks);
    elements(p);
    if (cores) {
        on_cores(p, c, d);
        gnd__pk_resident(p, turns > 1 || blocks * batch < WAVES * units ? 2
                            : c <= WIDE && d <= WIDE                    ? 4
                            : plain                                     ? 2
                                                                        : 3);
    } else {
        in_float(p, br, c, d);
    }
    gnd__pk_body(p, cores ? "attention_mma" : "attention", p->dtype);
    gnd__pk_end1(p, blocks * batch, GROUP,
                 gnd__prog_reads(p, 0) + blocks * (gnd__prog_reads(p, 1) + gnd__prog_reads(p, 2)),
                 p->size * (int64_t)gnd_dtype_size(p->dtype));
}
