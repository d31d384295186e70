/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuse/kir.c - passes over the kernel IR: merging of axes, the verifier, the byte count.
 */
#include "fuse/kir.h"

#include <stdlib.h>
#include <string.h>

int64_t gnd__kir_kept(const gnd__kir *k)
{
    int64_t n = 1;
    for (int d = 0; d < k->nkeep; d++)
        n *= k->dim[d];
    return n;
}

int64_t gnd__kir_reduced(const gnd__kir *k)
{
    int64_t n = 1;
    for (int d = k->nkeep; d < k->nkeep + k->nred; d++)
        n *= k->dim[d];
    return n;
}

/* Removes axis d from the space (its extent is 1, or it was merged into d - 1). */
static void remove_axis(gnd__kir *k, int d)
{
    int n = k->nkeep + k->nred;
    for (int j = d; j + 1 < n; j++)
        k->dim[j] = k->dim[j + 1];
    for (int i = 0; i < k->naccess; i++)
        for (int j = d; j + 1 < n; j++)
            k->access[i].stride[j] = k->access[i].stride[j + 1];
    if (d < k->nkeep)
        k->nkeep--;
    else
        k->nred--;
}

static void swap_axes(gnd__kir *k, int a, int b)
{
    int64_t t = k->dim[a];
    k->dim[a] = k->dim[b];
    k->dim[b] = t;
    for (int i = 0; i < k->naccess; i++) {
        t = k->access[i].stride[a];
        k->access[i].stride[a] = k->access[i].stride[b];
        k->access[i].stride[b] = t;
    }
}

/* The stride by which axes are ordered: that of the first access that moves along either axis. */
static int64_t rank_stride(const gnd__kir *k, int d)
{
    for (int i = 0; i < k->naccess; i++)
        if (!k->access[i].epilogue && k->access[i].slot >= 0 && k->access[i].stride[d])
            return llabs(k->access[i].stride[d]);
    return INT64_MAX;
}

/* Orders reduced axes by descending stride, so that the innermost one is contiguous. The result of
 * a sum may depend on the order, but the order depends only on shapes and strides. */
static void order_reduced(gnd__kir *k)
{
    for (int i = 0; i < k->nreds; i++)
        if (gnd__reds[k->red[i].op].place)
            return; /* an index refers to the original axes */
    for (int d = k->nkeep + 1; d < k->nkeep + k->nred; d++)
        for (int j = d; j > k->nkeep && rank_stride(k, j - 1) < rank_stride(k, j); j--)
            swap_axes(k, j - 1, j);
}

int gnd__kir_has_boxes(const gnd__kir *k)
{
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_WITHIN)
            return 1;
    return 0;
}

int gnd__kir_is_indexed(const gnd__kir *k, int a)
{
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].ref == a &&
            (k->instr[i].kind == GND__I_GATHER || k->instr[i].kind == GND__I_POINTER))
            return 1;
    return 0;
}

/* Whether access i is used only as the index of conditions without shifts, and moves by one along
 * axis d and not along d + 1. Then the condition 0 .. step - 1 is equivalent to 0 .. step * extent
 * - 1 on the merged axis. */
static int can_widen(const gnd__kir *k, int i, int d)
{
    int64_t n;
    if (k->access[i].slot >= 0 || k->access[i].stride[d] != 1 || k->access[i].stride[d + 1] != 0 ||
        __builtin_mul_overflow(k->access[i].off, k->dim[d + 1], &n))
        return 0;
    for (int a = 0; a < k->nkeep + k->nred; a++)
        if (a != d && k->access[i].stride[a] != 0)
            return 0;
    for (int j = 0; j < k->ninstr; j++) {
        const gnd__instr *in = &k->instr[j];
        if ((in->kind == GND__I_IOTA && in->ref == i) ||
            (in->kind == GND__I_WITHIN && in->ref == i &&
             (in->a[0] >= 0 || __builtin_mul_overflow(in->step, k->dim[d + 1], &n))))
            return 0;
    }
    return 1;
}

static void widen(gnd__kir *k, int i, int d)
{
    k->access[i].off *= k->dim[d + 1];
    k->access[i].stride[d] = k->dim[d + 1];
    k->access[i].stride[d + 1] = 1;
    for (int j = 0; j < k->ninstr; j++)
        if (k->instr[j].kind == GND__I_WITHIN && k->instr[j].ref == i)
            k->instr[j].step *= k->dim[d + 1];
}

/* Whether every access treats axes d and d + 1 as one. */
static int mergeable(const gnd__kir *k, int d)
{
    for (int i = 0; i < k->naccess; i++) {
        const gnd__access *a = &k->access[i];
        int64_t outer;
        if (a->epilogue && d >= k->nkeep)
            continue;
        if ((__builtin_mul_overflow(a->stride[d + 1], k->dim[d + 1], &outer) ||
             a->stride[d] != outer) &&
            !can_widen(k, i, d))
            return 0;
    }
    return 1;
}

void gnd__kir_collapse(gnd__kir *k)
{
    for (int d = k->nkeep + k->nred - 1; d >= 0; d--)
        if (k->dim[d] == 1)
            remove_axis(k, d);
    order_reduced(k);
    for (int d = k->nkeep + k->nred - 2; d >= 0; d--) {
        if (d == k->nkeep - 1 || !mergeable(k, d))
            continue; /* a kept and a reduced axis never merge */
        for (int i = 0; i < k->naccess; i++)
            if (can_widen(k, i, d))
                widen(k, i, d);
        k->dim[d] *= k->dim[d + 1];
        for (int i = 0; i < k->naccess; i++)
            k->access[i].stride[d] = k->access[i].stride[d + 1];
        remove_axis(k, d + 1);
    }
}

int gnd__kir_nargs(const gnd__kir *k, const gnd__instr *in)
{
    static const int8_t n[] = {0, 0, 0, -1, 1, 2, 0, 2, 1, 2, 2, 2, 3, -1, 0};
    return in->kind == GND__I_OP     ? gnd__ops[in->op].nin
           : in->kind == GND__I_CALL ? k->fn[in->ref]->nin
                                     : n[in->kind];
}

const gnd__snippet *gnd__kir_before(const gnd__kir *k)
{
    for (int i = 0; i < k->nfn; i++)
        if (k->fn[i]->before)
            return k->fn[i];
    return NULL;
}

gnd_status gnd__kir_verify(const gnd__kir *k, gnd_err *e)
{
    int nargs[] = {0, 0, 0, -1, 1, 1, 0, 1, 1, 0, 1, 0, 3, -1, 0};
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        int n = in->kind == GND__I_OP     ? gnd__ops[in->op].nin
                : in->kind == GND__I_CALL ? k->fn[in->ref]->nin
                                          : nargs[in->kind];
        int limit = in->kind == GND__I_CONST ? k->nconst
                    : in->kind == GND__I_RED ? k->nreds
                    : in->kind == GND__I_OP || in->kind == GND__I_CAST || in->kind == GND__I_CALL
                        ? 1 << 14
                        : k->naccess;
        if (!gnd__dtype_ok((gnd_dtype)in->dtype) || (n == 0 && (in->ref < 0 || in->ref >= limit)))
            return gnd__err(e, GND_ERR_INTERNAL, "kernel IR: value %d is malformed", i);
        for (int j = 0; j < n; j++)
            if (in->a[j] < 0 || in->a[j] >= i || (k->instr[in->a[j]].epilogue && !in->epilogue))
                return gnd__err(e, GND_ERR_INTERNAL, "kernel IR: argument %d of value %d", j, i);
        for (int j = n; j < 2 && (in->kind == GND__I_WITHIN || in->kind == GND__I_SHIFT ||
                                  in->kind == GND__I_PIECE);
             j++)
            if (in->a[j] >= i)
                return gnd__err(e, GND_ERR_INTERNAL, "kernel IR: argument %d of value %d", j, i);
        if (in->kind == GND__I_WITHIN && (k->reduce || k->access[in->ref].slot >= 0))
            return gnd__err(e, GND_ERR_INTERNAL, "kernel IR: condition %d", i);
        if (in->kind == GND__I_OP &&
            !gnd__op_text((gnd__op)in->op, gnd_dtype_kind((gnd_dtype)in->ctype)))
            return gnd__err(e, GND_ERR_INTERNAL, "kernel IR: %s has no text for %s",
                            gnd__ops[in->op].name, gnd_dtype_name((gnd_dtype)in->ctype));
    }
    for (int i = 0; i < k->nout; i++)
        if (k->out[i].value < 0 || k->out[i].value >= k->ninstr || k->out[i].access >= k->naccess ||
            (k->out[i].access >= 0 &&
             k->access[k->out[i].access].dtype != k->instr[k->out[i].value].dtype))
            return gnd__err(e, GND_ERR_INTERNAL, "kernel IR: output %d", i);
    return GND_OK;
}

int64_t gnd__kir_work(const gnd__kir *k)
{
    int64_t work = k->nreds + k->nout;
    for (int i = 0; i < k->ninstr; i++)
        work += k->instr[i].kind == GND__I_OP     ? gnd__ops[k->instr[i].op].cost
                : k->instr[i].kind == GND__I_CALL ? k->fn[k->instr[i].ref]->cost
                                                  : 1;
    for (int d = 0; d < k->nkeep + k->nred; d++)
        if (__builtin_mul_overflow(work, k->dim[d], &work))
            return INT64_MAX;
    return work;
}

void gnd__kir_bytes(const gnd__kir *k, int64_t *rd, int64_t *wr)
{
    *rd = *wr = 0;
    for (int i = 0; i < k->naccess; i++) {
        const gnd__access *a = &k->access[i];
        int n = a->epilogue ? k->nkeep : k->nkeep + k->nred, written = 0;
        /* number of points, and of elements from the first to the last of them */
        int64_t count = 1, reach = 1;
        if (a->slot < 0)
            continue;
        for (int d = 0; d < n; d++) {
            count *= a->stride[d] || k->dim[d] == 0 ? k->dim[d] : 1;
            reach += llabs(a->stride[d]) * (k->dim[d] - 1);
        }
        for (int j = 0; j < k->nout; j++)
            written |= k->out[j].access == i;
        /* windows overlap: then there are fewer elements than points */
        *(written ? wr : rd) += (count > reach && reach > 0 ? reach : count) *
                                (int64_t)gnd_dtype_size((gnd_dtype)a->dtype);
    }
}

/* Whether access i reads the elements that output y writes, each at the point that writes it, and
 * nothing else of k reads that slot. */
static int is_read_in_place(const gnd__kir *k, int i, const gnd__access *y)
{
    const gnd__access *x = &k->access[i];
    if (x == y || x->slot < 0 || x->slot == y->slot || x->epilogue || x->off != y->off ||
        gnd_dtype_size((gnd_dtype)x->dtype) != gnd_dtype_size((gnd_dtype)y->dtype) ||
        memcmp(x->stride, y->stride, (size_t)(k->nkeep + k->nred) * sizeof x->stride[0]) != 0)
        return 0;
    for (int j = 0; j < k->naccess; j++)
        if (j != i && k->access[j].slot == x->slot)
            return 0;
    for (int j = 0; j < k->ninstr; j++)
        if (k->instr[j].ref == i &&
            (k->instr[j].kind == GND__I_GATHER || k->instr[j].kind == GND__I_PIECE))
            return 0;
    return 1;
}

int gnd__kir_over(const gnd__kir *k)
{
    const gnd__access *y =
        k->nout == 1 && k->out[0].access >= 0 ? &k->access[k->out[0].access] : NULL;
    if (!y || y->epilogue || (k->reduce && !k->rows) || k->nfn || gnd__kir_has_boxes(k))
        return -1;
    for (int i = 0; i < k->naccess; i++)
        if (is_read_in_place(k, i, y))
            return i;
    return -1;
}
