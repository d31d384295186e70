/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map_random.c - maps on GPUs of random numbers along one axis, without inputs.
 *
 * The four words of a block belong to neighbouring elements, so a work-item takes whole blocks, and
 * several of them, a group's width apart, which share the computations that depend only on the
 * stream: such a kernel is limited by instructions. With elements of 8 bytes a block fills two
 * vectors; if neighbouring work-items can exchange values, each of their stores then fills 32
 * bytes.
 */
#include "codegen/emit.h"

#include <stdio.h>
#include <string.h>

#define LARGE (1 << 18) /* points */

int gnd__cg_is_generator(const gnd__kir *k)
{
    int any = 0;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        if (in->kind == GND__I_LOAD || in->kind == GND__I_GATHER || in->kind == GND__I_WITHIN)
            return 0;
        any |= in->kind == GND__I_OP && gnd__ops[in->op].word_bits;
    }
    return any;
}

/* Whether some function of k has a text for two numbers at once; is busy. */
static int has_twos(const gnd__kir *k)
{
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_OP && gnd__ops[k->instr[i].op].two)
            return 1;
    return 0;
}

static int is_busy(const gnd__kir *k)
{
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_OP && gnd__ops[k->instr[i].op].busy)
            return 1;
    return 0;
}

static int rejects(const gnd__kir *k)
{
    for (int i = 0; i < k->ninstr; i++)
        if (k->instr[i].kind == GND__I_OP && gnd__ops[k->instr[i].op].tries)
            return 1;
    return 0;
}

/* Whether blocks of four words are used for elements of 8 bytes. */
static int takes_pairs(const gnd__cg *c)
{
    const gnd__kir *k = c->k;
    int any = 0;
    for (int i = 0; i < k->nout; i++)
        if (gnd_dtype_size((gnd_dtype)k->access[k->out[i].access].dtype) != 8)
            return 0;
    for (int i = 0; i < k->ninstr; i++)
        any |= k->instr[i].kind == GND__I_OP && gnd__ops[k->instr[i].op].word_bits == 32;
    return any && c->vector.width == 2 && gnd__kir_kept(k) >= LARGE;
}

/* Whether instruction i counts the elements from 0 on. */
static int counts_elements(const gnd__kir *k, int i)
{
    while (k->instr[i].kind == GND__I_CAST)
        i = k->instr[i].a[0];
    return k->instr[i].kind == GND__I_IOTA && k->access[k->instr[i].ref].stride[0] == 1 &&
           k->access[k->instr[i].ref].off == 0;
}

/* Finds the normal numbers whose vectors are whole blocks of a stream. */
static void find_twos(gnd__cg *c)
{
    for (int i = 0; i < c->k->ninstr; i++) {
        const gnd__instr *in = &c->k->instr[i];
        c->draw.twos[i] = c->vector.width % 4 == 0 && in->kind == GND__I_OP &&
                          gnd__ops[in->op].two && c->k->instr[in->a[1]].kind == GND__I_CONST &&
                          counts_elements(c->k, in->a[0]);
    }
}

/* Writes their words, of vector y0. */
static void words(gnd__cg *c)
{
    for (int i = 0; i < c->k->ninstr; i++) {
        const int key = c->draw.twos[i] ? c->k->instr[c->k->instr[i].a[1]].ref : 0;
        if (c->draw.twos[i])
            gnd__cgf(c, "    g_u32 four%d[%d];\n", i, c->vector.width);
        for (int b = 0; b < c->vector.width / 4 && c->draw.twos[i]; b++)
            gnd__cgf(c, "    gnd_philox_u64((%s)y0 * %d + %d, 0, c%d, four%d + %d);\n",
                     c->wide ? "g_u64" : "g_u32", c->vector.width / 4, b, key, i, 4 * b);
    }
}

/* Computes the elements x0 .. x0 + vec in the unions u. If some may be rejected, first without
 * drawing again, and once more with it if one was. */
static void values(gnd__cg *c)
{
    const int may = rejects(c->k);
    if (may)
        gnd__cgf(c, "    int bad = 0;\n");
    for (int i = 0; i < c->k->ninstr; i++)
        if (c->draw.twos[i])
            gnd__cgf(c, "    g_f32 two%d = 0;\n", i);
    for (c->draw.tries = may; c->draw.tries >= 0; c->draw.tries--) {
        gnd__cgf(c,
                 "%s#pragma unroll\n    for (int l = 0; l < %d; l++) {\n    const I i0 = x0 | l;\n",
                 may && !c->draw.tries ? "    if (bad) {\n" : "", c->vector.width);
        gnd__cg_values(c, 0);
        gnd__cg_stores(c);
        gnd__cgf(c, may && !c->draw.tries ? "    }\n    }\n" : "    }\n");
    }
    c->draw.tries = 0;
}

/* One vector of the work-item. */
static void one_vector(gnd__cg *c)
{
    gnd__cgf(c, "    {\n    const I i0 = x0;\n");
    gnd__cg_vector_loads(c);
    values(c);
    gnd__cg_vector_stores(c);
    gnd__cgf(c, "    }\n");
}

/* Two vectors of 16 bytes. */
static void two_vectors(gnd__cg *c)
{
    const gnd__kir *k = c->k;
    gnd__cgf(c, "    {\n");
    for (int i = 0; i < k->nout; i++)
        gnd__cgf(c, "    union { uint4 v[2]; %s s[4]; } u%d;\n",
                 gnd__ctype_mem((gnd_dtype)k->access[k->out[i].access].dtype), k->out[i].access);
    values(c);
    for (int i = 0; i < k->nout; i++) {
        const int a = k->out[i].access;
        gnd__cgf(c,
                 "    {\n    const I i0 = x0;\n    gnd_storepairs_u64((GND_GLOBAL uint4 *)(p%d + ",
                 a);
        gnd__cg_address(c, a);
        gnd__cgf(c, "), u%d.v, (int)(f & 1));\n    }\n", a);
    }
    gnd__cgf(c, "    }\n");
}

gnd_status gnd__cg_map_random(gnd__cg *c, size_t local)
{
    const int64_t n = c->k->dim[0];
    const int pairs = takes_pairs(c), vec = pairs ? 4 : c->vector.width, normal = has_twos(c->k);
    const int turns = normal && n / vec >= LARGE << 6 ? 16
                      : n >= LARGE << 6               ? 8
                      : n >= LARGE << 3               ? 4
                                                      : 2;
    const int side = turns < 8 ? turns : 8; /* vectors in parallel, if there is much to do */
    c->draw.sized = is_busy(c->k);
    const int unroll = rejects(c->k) ? 1 : c->draw.sized ? side : 2;
    int64_t vectors;
    size_t groups, global;
    char end[48];
    c->vector.width = vec;
    if (c->draw.sized && local > 128)
        local = 128; /* smaller groups free their registers sooner */
    vectors = (n + c->vector.width - 1) / c->vector.width;
    groups = ((size_t)vectors + (size_t)turns * local - 1) / ((size_t)turns * local);
    global = groups * local;
    c->counts = 1;
    gnd__cgf(c, "    const I g = %d, f = (I)GND_GRP(0) * (%d * g) + (I)GND_LID(0);\n", (int)local,
             turns);
    if (pairs) /* all of a group */
        gnd__cgf(c, "    if (((I)GND_GRP(0) + 1) * (%d * g) <= n0 / 4) {\n", turns);
    else
        gnd__cgf(c, "    if (f + %d * g < n0 / %d) {\n", turns - 1, c->vector.width);
    find_twos(c);
    gnd__cgf(
        c,
        "#pragma unroll %d\n    for (int h = 0; h < %d; h++) {\n    const I y0 = f + h * g, x0 = y0 * %d;\n",
        unroll, turns, c->vector.width);
    words(c);
    if (pairs)
        two_vectors(c);
    else
        one_vector(c);
    memset(c->draw.twos, 0, sizeof c->draw.twos);
    snprintf(end, sizeof end, "n0 && i0 - x0 < %d", c->vector.width);
    gnd__cgf(c,
             "    }\n    } else {\n    for (int h = 0; h < %d && f + h * g <= n0 / %d; h++) {\n"
             "    const I x0 = (f + h * g) * %d;\n",
             turns, c->vector.width, c->vector.width);
    gnd__cg_leftover(c, 0, end);
    gnd__cgf(c, "    }\n    }\n");
    c->counts = 0;
    return gnd__cg_end(c, 1, &global, &local);
}
