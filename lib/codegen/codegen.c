/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/codegen.c - chooses the form of a kernel and the width of its indices, and calls its
 * writer.
 */
#include "codegen/codegen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/env.h"
#include "codegen/rows.h"

/* The plugins for NVIDIA's devices say it at the end of the version. */
static int capability_of(const gnd_props *props)
{
    static const char before[] = "compute capability ";
    const char *at = strstr(props->version, before);
    int major, minor;
    if (!at || sscanf(at + sizeof before - 1, "%d.%d", &major, &minor) != 2 || major < 0 ||
        major > 1000 || minor < 0 || minor > 9)
        return 0;
    return 10 * major + minor;
}

gnd__target gnd__target_of(const gnd_props *props, const gnd__tune *tune)
{
    /* Mesa's llvmpipe silently ends every loop after 65535 iterations of a work-item (gallivm's
     * LP_MAX_TGSI_LOOP_ITERATIONS): kernels for CPUs loop longer than that, those for GPUs do
     * not */
    int short_loops = strstr(props->platform, "rusticl") != NULL;
    gnd__target t = {props,
                     props->kind == GND_DEV_CPU && !short_loops,
                     props->has_progress != 0,
                     tune,
                     capability_of(props),
                     NULL};
    const int shape = gnd__env_choice(GND__ENV_KERNEL_SHAPE, 0);
    if (shape)
        t.cpu = shape == GND__SHAPE_CPU && !short_loops;
    if (shape == GND__SHAPE_APART)
        t.waits = 0;
    return t;
}

/* m16n8k16, ldmatrix and cp.async are there from 8.0 on. */
int gnd__has_cores(const gnd__target *t)
{
    return !t->cpu && t->props->kind == GND_DEV_GPU && t->capability >= 80;
}

/* The margin is for rounding up to groups. */
static const int64_t limit = INT32_MAX - (1 << 22);

/* Whether axes a to b - 1 have more points than a 32-bit index can count. */
static int many_points(const gnd__kir *k, int a, int b)
{
    int64_t points = 1;
    for (int d = a; d < b; d++)
        if (__builtin_mul_overflow(points, k->dim[d], &points) || points > limit)
            return 1;
    return 0;
}

/* Whether the value that instruction i adds to an access, or its index, needs 64 bits. */
static int far_shift(const gnd__kir *k, int i)
{
    const gnd__instr *in = &k->instr[i];
    const int within = in->kind == GND__I_WITHIN;
    int64_t reach = 0;
    if (!within && in->kind != GND__I_PIECE)
        return 0;
    for (int s = in->a[within ? 0 : 1]; s >= 0; s = k->instr[s].a[1])
        if (__builtin_add_overflow(reach, llabs(k->instr[s].step), &reach) || reach > limit)
            return 1;
    if (within &&
        (in->step > limit || __builtin_add_overflow(reach, llabs(k->access[in->ref].off), &reach)))
        return 1;
    for (int d = 0; d < k->nkeep; d++) /* far_access has checked that no stride is too large */
        if (reach > limit ||
            __builtin_add_overflow(reach, llabs(k->access[in->ref].stride[d]) * (k->dim[d] - 1),
                                   &reach))
            return 1;
    return reach > limit;
}

static int far_access(const gnd__kir *k)
{
    const int n = k->nkeep + k->nred;
    for (int i = 0; i < k->naccess; i++) {
        int64_t reach = 0;
        for (int d = 0; d < n; d++) {
            int64_t s = k->access[i].stride[d], step;
            if (s < -limit || s > limit || k->dim[d] == 0)
                return s < -limit || s > limit;
            step = (s < 0 ? -s : s) * (k->dim[d] - 1);
            reach += step;
            if (step > limit || reach > limit)
                return 1;
        }
    }
    for (int i = 0; i < k->ninstr; i++)
        if (far_shift(k, i))
            return 1;
    return 0;
}

int gnd__cg_wide(const gnd__kir *k)
{
    return many_points(k, 0, k->nkeep + k->nred) || far_access(k);
}

int gnd__cg_wide_apart(const gnd__kir *k)
{
    return many_points(k, 0, k->nkeep) || many_points(k, k->nkeep, k->nkeep + k->nred) ||
           far_access(k);
}

/* Of 1024 bytes of parameters, which OpenCL guarantees, those for operands and indices. */
#define MOST_PARAMETERS 836

/* The bytes of the parameters. Strides become literals if as arguments they might exceed the
 * minimum that OpenCL guarantees (1024 bytes of parameters). */
static int parameter_bytes(const gnd__kir *k, int wide)
{
    int n = k->nkeep + k->nred, bytes = 0;
    for (int i = 0; i < k->naccess; i++) {
        bytes += 16;
        for (int d = 0; d < n; d++)
            bytes +=
                k->access[i].stride[d] != 0 && k->access[i].stride[d] != 1 ? (wide ? 8 : 4) : 0;
    }
    for (int i = 0; i < k->nconst; i++)
        bytes += (int)gnd_dtype_size((gnd_dtype)k->const_dtype[i]);
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_WITHIN || k->instr[i].kind == GND__I_SHIFT)
            bytes += wide ? 8 : 4;
    return bytes + n * 8;
}

int gnd__cg_must_bake(const gnd__kir *k, int wide)
{
    return parameter_bytes(k, wide) > MOST_PARAMETERS;
}

static void begin_gen(gnd__gen *out)
{
    out->nkernel = out->npart = 0;
    out->part_count = 0;
    for (int i = 0; i < 2; i++) {
        memset(&out->k[i].src, 0, sizeof out->k[i].src);
        out->k[i].nargs = out->k[i].nshared = 0;
    }
}

gnd_status gnd__codegen(const gnd__kir *k, const gnd__target *t, gnd__gen *out, gnd_err *e)
{
    gnd__cg c;
    gnd_status st;
    gnd_err local;
    memset(&local, 0, sizeof local);
    begin_gen(out);
    gnd__cg_init(&c, k, t, out, &local);
    c.wide = gnd__cg_wide(k);
    c.bake = gnd__cg_must_bake(k, c.wide);
    c.quick = !t->cpu && !c.wide && k->nkeep + k->nred > 1 &&
              parameter_bytes(k, 0) + 8 * (k->nkeep + k->nred) <= MOST_PARAMETERS;
    if (k->rows)
        st = t->cpu ? gnd__cg_rows_cpu(&c) : gnd__cg_rows(&c);
    else if (!k->reduce)
        st = gnd__cg_map(&c);
    else
        st = t->cpu ? gnd__cg_reduce_cpu(&c) : gnd__cg_reduce_gpu(&c);
    gnd__str_free(&c.body);
    if (st != GND_OK && e && e->code == GND_OK)
        *e = local;
    return st;
}

gnd_status gnd__codegen_pieces(const gnd__kir *const *k, int n, const gnd__target *t, gnd__gen *out,
                               int *done, gnd_err *e)
{
    gnd__cg c;
    gnd_status st;
    gnd_err local_err;
    size_t local, groups = 0, global;
    int bytes = 64;
    memset(&local_err, 0, sizeof local_err);
    begin_gen(out);
    *done = 0;
    gnd__cg_init(&c, k[0], t, out, &local_err);
    c.piece.count = n;
    c.piece.gid = "g_";
    for (int i = 0; i < n; i++) {
        c.k = k[i];
        c.wide |= gnd__cg_wide(k[i]);
        bytes += parameter_bytes(k[i], 1) + 16;
        if (t->cpu || k[i]->reduce || !gnd__cg_is_piece(&c))
            return GND_OK;
        if (k[i]->nfn > 0)
            return GND_OK;
        for (int j = 0; j < k[i]->ninstr; j++) /* all use one table, a parameter with one name */
            if (k[i]->instr[j].kind == GND__I_CHECK)
                return GND_OK;
    }
    if (bytes > 900)
        return GND_OK;
    *done = 1;
    local = gnd__cg_group(&c, 256);
    for (int i = 0; i < n; i++) {
        gnd__str before = c.body;
        size_t own = 0;
        memset(&c.body, 0, sizeof c.body);
        c.k = k[i];
        c.piece.number = i;
        gnd__cg_map_piece(&c, local, &own);
        gnd__str_addf(&before,
                      "    if (GND_GRP(0) < %zu) {\n    const I g_ = (I)(GND_GID(0) - %zu);\n%s    "
                      "return;\n    }\n",
                      groups + own, groups * local, gnd__str_get(&c.body));
        before.bad |= c.body.bad;
        gnd__str_free(&c.body);
        c.body = before;
        groups += own;
    }
    global = groups * local;
    st = gnd__cg_end(&c, 1, &global, &local);
    gnd__str_free(&c.body);
    if (st != GND_OK && e && e->code == GND_OK)
        *e = local_err;
    return st;
}

void gnd__gen_free(gnd__gen *g)
{
    for (int i = 0; i < 2; i++)
        gnd__str_free(&g->k[i].src);
}
