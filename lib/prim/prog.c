/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/prog.c - writing the program of a primitive: kernels with their parameters, scratch memory.
 */
#include "prim/prim.h"

#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "codegen/prelude.h"
#include "prim/gemm.h"
#include "prim/small.h"
#include "prim/solve.h"

const gnd__prim gnd__prims[GND__NPRIM] = {
#define GND_PRIM(ID, name, write) {name, write},
#include "prim/prims.def"
#undef GND_PRIM
};

static void nomem(gnd__prog *p)
{
    if (p->st == GND_OK)
        p->st = gnd__err(p->e, GND_ERR_NOMEM, "out of memory while writing a kernel");
}

void gnd__prog_fail(gnd__prog *p, gnd_status code, const char *fmt, ...)
{
    va_list ap;
    gnd__str s = {0};
    if (p->st != GND_OK)
        return;
    va_start(ap, fmt);
    gnd__str_addv(&s, fmt, ap);
    va_end(ap);
    p->st = gnd__err(p->e, code, "%s", gnd__str_get(&s));
    gnd__str_free(&s);
}

int gnd__prog_scratch(gnd__prog *p, int64_t nbytes)
{
    if (p->nscratch == GND__PROG_SCRATCH) {
        gnd__prog_fail(p, GND_ERR_INTERNAL, "a primitive with too much scratch memory");
        return 0;
    }
    p->scratch[p->nscratch] = (size_t)nbytes;
    return p->nscratch++;
}

static gnd__pkernel *cur(gnd__prog *p)
{
    return &p->k[p->nkernel - 1];
}

void gnd__pk_begin(gnd__prog *p, const char *name)
{
    if (p->st != GND_OK)
        return;
    if (p->nkernel == p->capkernel) {
        int c = p->capkernel ? 2 * p->capkernel : 8;
        void *q = gnd__realloc(p->k, (size_t)c * sizeof *p->k);
        if (!q) {
            nomem(p);
            return;
        }
        p->k = q;
        p->capkernel = c;
    }
    memset(&p->k[p->nkernel], 0, sizeof *p->k);
    p->k[p->nkernel++].name = name;
}

static void add_arg(gnd__prog *p, gnd__pakind kind, int ref, int64_t value, int esize)
{
    gnd__pkernel *k = cur(p);
    if (k->nargs == k->caparg) {
        int c = k->caparg ? 2 * k->caparg : 16;
        void *q = gnd__realloc(k->arg, (size_t)c * sizeof *k->arg);
        if (!q) {
            nomem(p);
            return;
        }
        k->arg = q;
        k->caparg = c;
    }
    k->arg[k->nargs].kind = (uint8_t)kind;
    k->arg[k->nargs].esize = (uint8_t)esize;
    k->arg[k->nargs].ref = ref;
    k->arg[k->nargs++].value = value;
}

static const char *comma(const gnd__pkernel *k)
{
    return k->head.len ? ",\n    " : "\n    ";
}

/* A pointer to elements of t, from memory and an offset. */
static void pointer(gnd__prog *p, const char *name, gnd__pakind mem, gnd__pakind off, int ref,
                    gnd_dtype t, const char *space)
{
    gnd__pkernel *k = cur(p);
    gnd__str_addf(&k->head, "%s%s %s *GND_RESTRICT b_%s,\n    const g_i64 o_%s", comma(k), space,
                  gnd__ctype_mem(t), name, name);
    add_arg(p, mem, ref, 0, 0);
    add_arg(p, off, ref, 0, (int)gnd_dtype_size(t));
    gnd__str_addf(&k->body, "    %s %s *GND_RESTRICT %s = b_%s + o_%s;\n", space, gnd__ctype_mem(t),
                  name, name, name);
}

void gnd__pk_in(gnd__prog *p, const char *name, int in)
{
    gnd__pkernel *k;
    const gnd__inl *inl;
    if (p->st != GND_OK)
        return;
    k = cur(p);
    inl = p->in[in].inl;
    if (!inl) {
        pointer(p, name, GND__PA_IN, GND__PA_INOFF, in, p->in[in].dtype, "GND_CONST_GLOBAL");
        gnd__str_addf(&k->defs, "#define IN_%s(i) gnd_ld_%s(%s, i)\n", name,
                      gnd__suffix(p->in[in].dtype), name);
        return;
    }
    /* the expression was written under the name "in0", "in1" ... */
    gnd__str_add(&k->head, gnd__str_get(&inl->params) + (k->head.len ? 0 : 1));
    for (int i = 0; i < inl->nargs; i++)
        add_arg(p, GND__PA_INL, in, i, 0);
    gnd__str_add(&k->defs, gnd__str_get(&inl->text));
    gnd__str_addf(&k->defs, "#define IN_%s(i) IN_in%d(i)\n", name, in);
}

void gnd__pk_out(gnd__prog *p, const char *name)
{
    if (p->st == GND_OK)
        pointer(p, name, GND__PA_OUT, GND__PA_OUTOFF, 0, p->dtype, "GND_GLOBAL");
}

void gnd__pk_mem(gnd__prog *p, const char *name, int scratch, gnd_dtype t)
{
    if (p->st == GND_OK)
        pointer(p, name, GND__PA_SCRATCH, GND__PA_SCRATCHOFF, scratch, t, "GND_GLOBAL");
}

void gnd__pk_operand(gnd__prog *p, const char *name, const char *begin, gnd__pmem m)
{
    if (m.kind == GND__PA_SCRATCH)
        gnd__pk_mem(p, name, m.ref, p->dtype);
    else
        gnd__pk_out(p, name);
    gnd__pk_int(p, begin, m.off / (int64_t)gnd_dtype_size(p->dtype));
}

void gnd__pk_int(gnd__prog *p, const char *name, int64_t value)
{
    if (p->st != GND_OK)
        return;
    gnd__str_addf(&cur(p)->head, "%sconst g_i64 %s", comma(cur(p)), name);
    add_arg(p, GND__PA_INT, 0, value, 0);
}

void gnd__pk_check(gnd__prog *p, const char *name)
{
    if (p->st != GND_OK)
        return;
    gnd__str_addf(&cur(p)->head, "%sGND_GLOBAL g_i32 *b_%s, const g_i32 o_%s", comma(cur(p)), name,
                  name);
    gnd__str_addf(&cur(p)->body, "    GND_GLOBAL g_i32 *%s = b_%s + 4 * (g_i64)o_%s;\n", name, name,
                  name);
    add_arg(p, GND__PA_CHECK, 0, 0, 0);
    add_arg(p, GND__PA_CHECKID, 0, 0, 0);
}

void gnd__pk_def(gnd__prog *p, const char *fmt, ...)
{
    va_list ap;
    if (p->st != GND_OK)
        return;
    va_start(ap, fmt);
    gnd__str_addv(&cur(p)->defs, fmt, ap);
    va_end(ap);
}

void gnd__pk_unroll(gnd__prog *p)
{
    gnd__pk_def(p, p->t->props->kind == GND_DEV_CPU ? "#define UNROLL\n#define UNROLL4\n"
                                                    : "#define UNROLL _Pragma(\"unroll\")\n"
                                                      "#define UNROLL4 _Pragma(\"unroll 4\")\n");
}

static void text(gnd__prog *p, gnd__str *out, const char *name, gnd_dtype t)
{
    if (!gnd__kernel_text(out, name, (gnd_dialect)p->t->props->dialect, t))
        gnd__prog_fail(p, GND_ERR_INTERNAL, "kernels/ has no text %s", name);
}

void gnd__pk_defs(gnd__prog *p, const char *name, gnd_dtype t)
{
    if (p->st == GND_OK)
        text(p, &cur(p)->defs, name, t);
}

void gnd__pk_body(gnd__prog *p, const char *name, gnd_dtype t)
{
    if (p->st == GND_OK)
        text(p, &cur(p)->body, name, t);
}

void gnd__pk_add(gnd__prog *p, const char *s)
{
    if (p->st == GND_OK)
        gnd__str_add(&cur(p)->body, s);
}

void gnd__pk_native(gnd__prog *p, const gnd__native *w, gnd__pmem in, gnd__pmem out)
{
    if (p->st != GND_OK)
        return;
    cur(p)->native = *w;
    cur(p)->native_mem[0] = in;
    cur(p)->native_mem[1] = out;
}

void gnd__pk_resident(gnd__prog *p, int groups)
{
    if (p->st == GND_OK)
        cur(p)->resident = groups;
}

void gnd__pk_end(gnd__prog *p, const size_t groups[3], const size_t local[3], int64_t rd,
                 int64_t wr)
{
    gnd__pkernel *k;
    gnd__str own = {0};
    if (p->st != GND_OK)
        return;
    k = cur(p);
    gnd__str_add(&own, gnd__str_get(&k->defs));
    /* the size of a group limits the registers of each work-item */
    if (local[0] * local[1] * local[2] == 1)
        gnd__str_add(&own, "GND_KERNEL void ");
    else if (p->t->props->dialect == GND_DIALECT_CUDA && k->resident > 1)
        gnd__str_addf(&own, "GND_KERNEL void __launch_bounds__(%d, %d) ",
                      (int)(local[0] * local[1] * local[2]), k->resident);
    else if (p->t->props->dialect == GND_DIALECT_CUDA)
        gnd__str_addf(&own, "GND_KERNEL void __launch_bounds__(%d) ",
                      (int)(local[0] * local[1] * local[2]));
    else
        gnd__str_addf(&own, "GND_KERNEL __attribute__((reqd_work_group_size(%d, %d, %d))) void ",
                      (int)local[0], (int)local[1], (int)local[2]);
    gnd__str_addf(&own, "%s(%s)\n{\n%s}\n", k->name, gnd__str_get(&k->head),
                  gnd__str_get(&k->body));
    for (int d = 0; d < 3; d++) {
        k->local[d] = local[d];
        k->global[d] = groups[d] * local[d];
        if (groups[d] != 1 || local[d] != 1)
            k->ndim = d + 1;
    }
    if (k->ndim == 0)
        k->ndim = 1;
    k->rd = rd;
    k->wr = wr;
    if (own.bad || k->head.bad || k->defs.bad || k->body.bad)
        nomem(p);
    else
        p->st = gnd__prelude_kept(p->t->preludes, &k->src, &own, p->t->props, p->e);
    gnd__str_add(&k->src, gnd__str_get(&own));
    if (k->src.bad)
        nomem(p);
    gnd__str_free(&own);
    gnd__str_free(&k->head);
    gnd__str_free(&k->defs);
    gnd__str_free(&k->body);
}

void gnd__pk_end1(gnd__prog *p, int64_t groups, size_t local, int64_t rd, int64_t wr)
{
    const size_t g[3] = {(size_t)groups, 1, 1}, l[3] = {local, 1, 1};
    gnd__pk_end(p, g, l, rd, wr);
}

void gnd__prog_fill(gnd__prog *p, int scratch, gnd_dtype t, int64_t n, const char *value)
{
    size_t local = gnd__prog_group(p, 256);
    if (n == 0)
        return;
    gnd__pk_begin(p, "k_fill");
    if (scratch < 0)
        gnd__pk_out(p, "y");
    else
        gnd__pk_mem(p, "y", scratch, t);
    gnd__pk_int(p, "n", n);
    gnd__pk_def(p, "#define VALUE %s\n", value);
    gnd__pk_body(p, "fill", t);
    gnd__pk_end1(p, (n + (int64_t)local - 1) / (int64_t)local, local, 0,
                 n * (int64_t)gnd_dtype_size(t));
}

static void add_call(gnd__prog *p, gnd__pcall call, const char *name, int n, const gnd__pmem *mem)
{
    gnd__pk_begin(p, name);
    if (p->st != GND_OK)
        return;
    cur(p)->call = call;
    for (int i = 0; i < n; i++) {
        add_arg(p, mem[i].kind, mem[i].ref, 0, 0);
        add_arg(p, (gnd__pakind)(mem[i].kind + 1), mem[i].ref, mem[i].off, 1);
    }
}

void gnd__prog_fft(gnd__prog *p, const gnd_fft_desc *f, gnd__pmem in, gnd__pmem out)
{
    gnd__pmem mem[2] = {in, out};
    add_call(p, GND__PC_FFT, "k_transform", 2, mem);
    if (p->st == GND_OK)
        cur(p)->fft = *f;
}

void gnd__prog_solve(gnd__prog *p, const gnd_solve_desc *s, int n, const gnd__pmem *mem)
{
    int yes = 0;
    add_call(p, GND__PC_SOLVE, "k_solve", n, mem);
    if (p->st != GND_OK)
        return;
    cur(p)->solve = *s;
    cur(p)->on_host = gnd__gate_solver_supports(p->dev, s, &yes, NULL) != GND_OK || !yes;
}

void gnd__prog_solve_later(gnd__prog *p, const gnd_solve_desc *s, int n, const gnd__pmem *mem,
                           int info)
{
    gnd__pmem all[GND_SOLVE_MEMS];
    memcpy(all, mem, (size_t)n * sizeof *all);
    all[n] = (gnd__pmem){GND__PA_SCRATCH, info, 0};
    add_call(p, GND__PC_SOLVE, "k_solve", n + 1, all);
    if (p->st != GND_OK)
        return;
    cur(p)->solve = *s;
    cur(p)->later = 1;
}

void gnd__prog_copy(gnd__prog *p, int in, gnd__pmem to, int64_t room)
{
    const gnd__pmem mem[2] = {{GND__PA_IN, in, 0}, to};
    add_call(p, GND__PC_COPY, "k_copy", 2, mem);
    if (p->st == GND_OK)
        cur(p)->room = room;
}

void gnd__prog_gemm(gnd__prog *p, const gnd_gemm *g, const gnd__pmem mem[3])
{
    const int64_t size = (int64_t)gnd_dtype_size((gnd_dtype)g->dtype);
    add_call(p, GND__PC_GEMM, "k_product", 3, mem);
    if (p->st != GND_OK)
        return;
    cur(p)->gemm = *g;
    cur(p)->rd = size * (g->m * g->k + g->k * g->n + (g->beta != 0 ? g->m * g->n : 0));
    cur(p)->wr = size * g->m * g->n;
}

/* A kernel of a product. mem and size: the memory of its operands, and bytes of their elements. */
static void product_kernel(gnd__prog *p, gnd__gemm_kernel *k, const gnd__pmem *mem,
                           const size_t *size)
{
    gnd__pk_begin(p, k->name);
    if (p->st != GND_OK)
        return;
    for (int i = 0; i < k->nmem; i++) {
        const gnd__pmem *m = &mem[k->mem[i]];
        add_arg(p, m->kind, m->ref, 0, 0);
        add_arg(p, (gnd__pakind)(m->kind + 1), m->ref, m->off / (int64_t)size[k->mem[i]],
                (int)size[k->mem[i]]);
    }
    for (int i = 0; i < k->nvalue; i++)
        add_arg(p, GND__PA_INT, 0, k->value[i], 0);
    memcpy(cur(p)->global, k->global, sizeof k->global);
    memcpy(cur(p)->local, k->local, sizeof k->local);
    cur(p)->ndim = 3;
    cur(p)->src = k->src;
    memset(&k->src, 0, sizeof k->src);
}

void gnd__prog_product(gnd__prog *p, const gnd_gemm *g, const gnd__pmem mem[3], int *parts)
{
    const size_t size = gnd_dtype_size((gnd_dtype)g->dtype), sizes[4] = {size, size, size, size};
    gnd__gemm_kernels own;
    if (p->st != GND_OK)
        return;
    p->st = gnd__gemm_own(g, p->t, &own, p->e);
    const size_t room = (size_t)own.nparts * size;
    if (own.nparts > 0 && *parts < 0)
        *parts = gnd__prog_scratch(p, (int64_t)room);
    if (own.nparts > 0 && p->scratch[*parts] < room)
        p->scratch[*parts] = room;
    const gnd__pmem all[4] = {mem[0], mem[1], mem[2], {GND__PA_SCRATCH, *parts, 0}};
    for (int i = 0; i < own.n; i++)
        product_kernel(p, &own.k[i], all, sizes);
    if (p->st == GND_OK) {
        cur(p)->rd = (int64_t)size * (g->m * g->k + g->k * g->n + (g->beta != 0 ? g->m * g->n : 0));
        cur(p)->wr = (int64_t)size * g->m * g->n;
    }
    gnd__gemm_free(&own);
}

void gnd__prog_panel(gnd__prog *p, const gnd__panel *s, int n, const gnd__pmem *mem)
{
    add_call(p, GND__PC_PANEL, s->count ? "k_host" : "k_panel", n, mem);
    if (p->st != GND_OK)
        return;
    cur(p)->panel = *s;
    if (s->count) {
        cur(p)->rd = (int64_t)gnd__panel_bytes(s, 0);
        cur(p)->wr = (int64_t)gnd__panel_bytes(s, 1);
    }
}

int64_t gnd__prog_reads(const gnd__prog *p, int in)
{
    return p->in[in].inl ? p->in[in].inl->rd
                         : p->in[in].size * (int64_t)gnd_dtype_size(p->in[in].dtype);
}

size_t gnd__prog_group(const gnd__prog *p, size_t want)
{
    while (want > 1 && (want > p->t->props->max_group || want > p->t->props->max_local[0]))
        want /= 2;
    return want;
}

gnd_status gnd__prim_verdict(const gnd__primargs *a, const int32_t word[4], gnd_err *e)
{
    const gnd_status st =
        a->id == GND__PRIM_SMALL ? gnd__small_verdict(a, word, e) : gnd__solve_verdict(a, word, e);
    gnd__err_prefix(e, "%s", a->func);
    return st;
}

void gnd__prog_free(gnd__prog *p)
{
    for (int i = 0; i < p->nkernel; i++) {
        gnd__str_free(&p->k[i].head);
        gnd__str_free(&p->k[i].defs);
        gnd__str_free(&p->k[i].body);
        gnd__str_free(&p->k[i].src);
        gnd__free(p->k[i].arg);
    }
    gnd__free(p->k);
    p->k = NULL;
    p->nkernel = 0;
}
