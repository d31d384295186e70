/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/vector.c - vectors: how wide the loads and stores of a kernel can be along an axis, and
 * their text.
 *
 * A vector of access A is the union uA, of which `v` is what one load moves and `s` its elements; a
 * vector loaded through an index is gN, of instruction N. Knows accesses and instructions of the
 * IR; values are written by values.c.
 */
#include "codegen/emit.h"

/* The widest vectors, up to v, in which gather `in` can be loaded along axis d. It must move
 * through memory along d while its indices stay the same. */
static int gather_width(const gnd__kir *k, const gnd__instr *in, int d, int v)
{
    uint8_t varies[GND__KIR_INSTR];
    if (k->access[in->ref].stride[d] != 1)
        return 1;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *a = &k->instr[i];
        varies[i] =
            (a->kind == GND__I_LOAD || a->kind == GND__I_IOTA || a->kind == GND__I_GATHER) &&
            k->access[a->ref].stride[d] != 0;
        for (int j = 0; j < GND__CALL_ARGS && a->kind != GND__I_CONST && a->kind != GND__I_LOAD &&
                        a->kind != GND__I_IOTA && a->kind != GND__I_RED;
             j++)
            varies[i] |= a->a[j] >= 0 && a->a[j] < i && varies[a->a[j]];
    }
    for (int i = in->a[0]; i >= 0; i = k->instr[i].a[1]) {
        if (k->instr[i].kind != GND__I_OFFSET || varies[i])
            return 1;
        while (k->instr[i].step % v)
            v /= 2;
    }
    return v;
}

int gnd__cg_vector_width(const gnd__kir *k, int d, int tail, int gathers)
{
    size_t largest = 1;
    int v, n = k->nkeep + k->nred;
    if (gnd__kir_has_boxes(k))
        return 1;
    for (int i = 0; i < k->naccess; i++) {
        const gnd__access *a = &k->access[i];
        if (a->slot < 0 || !gnd__cg_in_phase(k, i, 0))
            continue;
        if (a->stride[d] == 0)
            continue;
        if (a->stride[d] != 1 || !a->aligned)
            return 1;
        if (gnd_dtype_size((gnd_dtype)a->dtype) > largest)
            largest = gnd_dtype_size((gnd_dtype)a->dtype);
    }
    v = (int)(16 / largest);
    for (int i = 0; i < k->ninstr && v > 1; i++)
        if (k->instr[i].kind == GND__I_GATHER)
            v = gathers ? gather_width(k, &k->instr[i], d, v) : 1;
    for (; v > 1; v /= 2) {
        int ok = tail || k->dim[d] % v == 0;
        for (int i = 0; i < k->naccess && ok; i++)
            for (int j = 0; j < n; j++)
                if (j != d && k->access[i].slot >= 0 && k->access[i].stride[d] == 1 &&
                    gnd__cg_in_phase(k, i, 0) && k->access[i].stride[j] % v != 0)
                    ok = 0;
        if (ok)
            break;
    }
    return v < 1 ? 1 : v;
}

const char *gnd__cg_raw(size_t bytes)
{
    return bytes == 16  ? "uint4"
           : bytes == 8 ? "uint2"
           : bytes == 4 ? "g_u32"
           : bytes == 2 ? "g_u16"
                        : "g_u8";
}

/* Whether a load reads access a. Otherwise only gathers read it, at an offset. */
static int is_loaded(const gnd__kir *k, int a)
{
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_LOAD && k->instr[i].ref == a)
            return 1;
    return 0;
}

void gnd__cg_vector_loads(gnd__cg *c)
{
    for (int i = 0; i < c->k->naccess; i++) {
        const gnd__access *a = &c->k->access[i];
        const char *raw =
            gnd__cg_raw(gnd_dtype_size((gnd_dtype)a->dtype) * (size_t)c->vector.width);
        if (!c->vector.on[i])
            continue;
        gnd__cgf(c, "    union { %s v; %s s[%d]; } u%d;\n", raw,
                 gnd__ctype_mem((gnd_dtype)a->dtype), c->vector.width, i);
        if (gnd__cg_is_output(c->k, i) || !is_loaded(c->k, i))
            continue;
        if (c->vector.staged[i]) {
            gnd__cgf(c, "    u%d.v = ((GND_LOCAL_PTR const %s *)L%d)[h%d];\n", i, raw, i, i);
            continue;
        }
        gnd__cgf(c, "    u%d.v = *(GND_CONST_GLOBAL %s *)(p%d + ", i, raw, i);
        gnd__cg_address(c, i);
        gnd__cgf(c, ");\n");
    }
    for (int i = 0; i < c->k->ninstr && c->vector.gathers; i++) {
        const gnd__instr *in = &c->k->instr[i];
        if (in->kind == GND__I_GATHER && c->vector.on[in->ref])
            gnd__cgf(c, "    union { %s v; %s s[%d]; } g%d;\n",
                     gnd__cg_raw(gnd_dtype_size((gnd_dtype)in->dtype) * (size_t)c->vector.width),
                     gnd__ctype_mem((gnd_dtype)in->dtype), c->vector.width, i);
    }
}

void gnd__cg_private(gnd__cg *c, int n)
{
    for (int i = 0; i < c->k->naccess; i++)
        if (c->vector.on[i])
            gnd__cgf(c, "    struct { %s s[%d]; } u%d;\n",
                     gnd__ctype_mem((gnd_dtype)c->k->access[i].dtype), n, i);
}

void gnd__cg_vector_stores(gnd__cg *c)
{
    for (int i = 0; i < c->k->nout; i++) {
        const int a = c->k->out[i].access;
        if (!c->vector.on[a])
            continue;
        gnd__cgf(
            c, "    *(GND_GLOBAL %s *)(p%d + ",
            gnd__cg_raw(gnd_dtype_size((gnd_dtype)c->k->access[a].dtype) * (size_t)c->vector.width),
            a);
        gnd__cg_address(c, a);
        gnd__cgf(c, ") = u%d.v;\n", a);
    }
}
