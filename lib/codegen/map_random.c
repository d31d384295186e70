/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/map_random.c - maps on GPUs of random numbers along one axis, without inputs.
 *
 * The four words of a block belong to neighbouring elements, so a work-item takes whole blocks, and
 * several of them, a group's width apart, which share the computations that depend only on the
 * stream: such a kernel is limited by instructions. With elements of 8 bytes a block fills two
 * vectors; if neighbouring work-items can exchange values, each of their stores then fills 32
 * bytes. The texts are shapes of kernels/map_random.cl.
 */
#include "codegen/holes.h"

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
static int takes_pairs(const gnd__cg *c, int vec)
{
    const gnd__kir *k = c->k;
    int any = 0;
    for (int i = 0; i < k->nout; i++)
        if (gnd_dtype_size((gnd_dtype)k->access[k->out[i].access].dtype) != 8)
            return 0;
    for (int i = 0; i < k->ninstr; i++)
        any |= k->instr[i].kind == GND__I_OP && gnd__ops[k->instr[i].op].word_bits == 32;
    return any && vec == 2 && gnd__kir_kept(k) >= LARGE;
}

/* Whether instruction i counts the elements from 0 on. */
static int counts_elements(const gnd__kir *k, int i)
{
    while (k->instr[i].kind == GND__I_CAST)
        i = k->instr[i].a[0];
    return k->instr[i].kind == GND__I_IOTA && k->access[k->instr[i].ref].stride[0] == 1 &&
           k->access[k->instr[i].ref].off == 0;
}

/* The data that fill the shape. */
typedef struct random_writer {
    gnd__cg *c;
    int vec;
    uint8_t twos[GND__KIR_INSTR]; /* numbers in pairs, whose vectors are whole blocks of a stream */
} random_writer;

static void find_twos(random_writer *w)
{
    const gnd__kir *k = w->c->k;
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        w->twos[i] = w->vec % 4 == 0 && in->kind == GND__I_OP && gnd__ops[in->op].two &&
                     k->instr[in->a[1]].kind == GND__I_CONST && counts_elements(k, in->a[0]);
    }
}

/* Writes their words. */
static void write_words(void *who, const gnd__holeargs *a)
{
    const random_writer *w = who;
    const gnd__kir *k = w->c->k;
    (void)a;
    for (int i = 0; i < k->ninstr; i++) {
        if (!w->twos[i])
            continue;
        gnd__cgf(w->c, "    g_u32 four%d[%d];\n", i, w->vec);
        for (int b = 0; b < w->vec / 4; b++) {
            const gnd__hole own[] = {
                {"i", .number = i},
                {"index", .text = w->c->wide ? "g_u64" : "g_u32"},
                {"blocks", .number = w->vec / 4},
                {"block", .number = b},
                {"first", .number = 4 * b},
                {"key", .number = k->instr[k->instr[i].a[1]].ref},
            };
            gnd__cg_shape_of(w->c, "map_random_block", own, NULL);
        }
    }
}

static void write_twos(void *who, const gnd__holeargs *a)
{
    const random_writer *w = who;
    (void)a;
    for (int i = 0; i < w->c->k->ninstr; i++)
        if (w->twos[i])
            gnd__cgf(w->c, "    g_f32 two%d = 0;\n", i);
}

static void write_elements(void *who, const gnd__holeargs *a)
{
    const random_writer *w = who;
    const gnd__hole own[] = {{"vec", .number = w->vec}};
    (void)a;
    memcpy(w->c->draw.twos, w->twos, sizeof w->twos);
    gnd__cg_shape_of(w->c, "map_random_elements", own, NULL);
    memset(w->c->draw.twos, 0, sizeof w->twos);
}

static void write_tries(void *who, const gnd__holeargs *a)
{
    const random_writer *w = who;
    w->c->draw.tries = 1;
    write_elements(who, a);
    w->c->draw.tries = 0;
}

static void write_pair_unions(void *who, const gnd__holeargs *a)
{
    const random_writer *w = who;
    const gnd__kir *k = w->c->k;
    (void)a;
    for (int i = 0; i < k->nout; i++)
        gnd__cgf(w->c, "    union { uint4 v[2]; %s s[4]; } u%d;\n",
                 gnd__ctype_mem((gnd_dtype)k->access[k->out[i].access].dtype), k->out[i].access);
}

static void write_pair_stores(void *who, const gnd__holeargs *a)
{
    const random_writer *w = who;
    (void)a;
    for (int i = 0; i < w->c->k->nout; i++) {
        const gnd__hole own[] = {{"out", .number = w->c->k->out[i].access}};
        gnd__cg_shape_of(w->c, "map_random_pair", own, NULL);
    }
}

gnd_status gnd__cg_map_random(gnd__cg *c, int vec, size_t local)
{
    const int64_t n = c->k->dim[0];
    const int pairs = takes_pairs(c, vec), normal = has_twos(c->k), may = rejects(c->k);
    random_writer w = {.c = c, .vec = pairs ? 4 : vec};
    const int turns = normal && n / w.vec >= LARGE << 6 ? 16
                      : n >= LARGE << 6                 ? 8
                      : n >= LARGE << 3                 ? 4
                                                        : 2;
    const int side = turns < 8 ? turns : 8; /* vectors in parallel, if there is much to do */
    c->draw.sized = is_busy(c->k);
    c->counts = 1;
    if (c->draw.sized && local > 128)
        local = 128; /* smaller groups free their registers sooner */
    find_twos(&w);
    const gnd__hole own[] = {
        {"local", .number = (int64_t)local},
        {"turns", .number = turns},
        {"behind", .number = turns - 1},
        {"vec", .number = w.vec},
        {"pairs", .number = pairs},
        {"unroll", .number = may             ? 1
                             : c->draw.sized ? side
                                             : 2},
        {"may", .number = may},
        {"words", .write = write_words},
        {"twos", .write = write_twos},
        {"tries", .write = write_tries},
        {"elements", .write = write_elements},
        {"pair_unions", .write = write_pair_unions},
        {"pair_stores", .write = write_pair_stores},
    };
    gnd__cg_shape_of(c, "map_random", own, &w);
    const size_t vectors = (size_t)((n + w.vec - 1) / w.vec), each = (size_t)turns * local;
    const size_t global = (vectors + each - 1) / each * local;
    return gnd__cg_end(c, 1, &global, &local);
}
