/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/rest.c - how the elements of a row are computed on CPU devices. Lanes of light values are
 * all in registers. The end of a row is no block of lanes: values that are dear are computed side
 * by side, of which compilers make vectors, and wait in arrays z for the reductions that take them
 * one after the other.
 */
#include "codegen/emit.h"

#define LIGHT 16     /* most cost of a value that is computed for 64 lanes at once, in additions */
#define LIGHT_REDS 2 /* most reductions of which 64 lanes are in registers */
#define RUN 32       /* values of an array, as in kernels/reduce_cpu.cl and kernels/rows_cpu.cl */

int gnd__cg_rest_dear(const gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int dear = 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        if (in->epilogue)
            continue;
        if (in->kind == GND__I_OP)
            dear |= gnd__ops[in->op].cost >= GND__CG_DEAR;
        else if (in->kind != GND__I_LOAD && in->kind != GND__I_IOTA && in->kind != GND__I_CONST &&
                 in->kind != GND__I_CAST && in->kind != GND__I_RED)
            return 0;
    }
    return dear && !gnd__words_any(c);
}

int gnd__cg_wide_floats(const gnd__cg *c)
{
    for (int i = 0; i < c->k->ninstr; i++)
        if (gnd_dtype_kind((gnd_dtype)c->k->instr[i].dtype) == 'c')
            return 0;
    return gnd__prelude_cpu(c->t->props) && gnd__cg_rest_dear(c);
}

const char *gnd__cg_abreast(const gnd__cg *c, int light)
{
    return light ? "gnd_lanes_i32" : gnd__cg_wide_floats(c) ? "gnd_wide_f64" : "";
}

int gnd__cg_light_lanes(const gnd__cg *c, int last)
{
    const gnd__kir *k = c->k;
    int cost = 0;
    if (k->nred == 0) /* of one element: there is no axis `last` */
        return 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        const int size = (int)gnd_dtype_size((gnd_dtype)in->dtype);
        const int half = gnd_dtype_kind((gnd_dtype)in->dtype) == 'f' && size == 2;
        if (in->epilogue)
            continue;
        if (half || gnd_dtype_kind((gnd_dtype)in->dtype) == 'c' ||
            (in->kind != GND__I_LOAD && in->kind != GND__I_CONST && in->kind != GND__I_CAST &&
             in->kind != GND__I_OP && in->kind != GND__I_RED) ||
            (in->kind == GND__I_LOAD &&
             (k->access[in->ref].stride[last] < 0 || k->access[in->ref].stride[last] > 2)))
            return 0;
        cost += in->kind == GND__I_OP ? gnd__ops[in->op].cost : 1;
    }
    for (int j = 0; j < k->nreds; j++)
        if (k->red[j].fn || gnd__reds[k->red[j].op].place)
            return 0;
    return k->nreds <= LIGHT_REDS && cost <= LIGHT;
}

/* Whether the reductions that are written take the value of instruction i. */
static int is_taken(const gnd__cg *c, int i)
{
    for (int j = 0; j < c->k->nreds; j++)
        if (c->k->red[j].value == i && !(c->part.skip_red >> j & 1))
            return 1;
    return 0;
}

void gnd__cg_rest(gnd__cg *c, gnd__rest what, const char *at)
{
    for (int i = 0; i < c->k->ninstr; i++) {
        const char *T = gnd__ctype_value((gnd_dtype)c->k->instr[i].dtype);
        if (!is_taken(c, i))
            continue;
        if (what == GND__REST_ARRAYS)
            gnd__cgf(c, "    %s z%d[%d];\n", T, i, RUN);
        else if (what == GND__REST_KEEP)
            gnd__cgf(c, "    z%d[%s] = v%d;\n", i, at, i);
        else
            gnd__cgf(c, "    const %s v%d = z%d[%s];\n", T, i, i, at);
    }
}
