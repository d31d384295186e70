/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/holes.c - the holes that every shape may have: see holes.h. Each is a call of emit.c,
 * values.c, accum.c or words.c with the arguments as they stand in the shape.
 */
#include "codegen/holes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An accumulator as it is written, "L[l]": its name and its index. */
typedef struct operand {
    char name[16];
    const char *index;
} operand;

static operand operand_of(gnd__cg *c, const char *s)
{
    const size_t n = strcspn(s, "[");
    operand o = {"", s + n};
    if (n == 0 || n >= sizeof o.name)
        gnd__err(c->e, GND_ERR_INTERNAL, "kernels/: \"%s\" is no accumulator", s);
    else
        memcpy(o.name, s, n);
    return o;
}

static void values(void *who, const gnd__holeargs *a)
{
    (void)a;
    gnd__cg_values(who, 0);
}

static void results(void *who, const gnd__holeargs *a)
{
    (void)a;
    gnd__cg_values(who, 1);
}

static void stores(void *who, const gnd__holeargs *a)
{
    (void)a;
    gnd__cg_stores(who);
}

/* The first argument of all holes of vectors is the number of elements of a vector. */
static void vector_loads(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    c->vector.width = atoi(a->v[0]);
    gnd__cg_vector_loads(c);
    c->vector.width = 1;
}

static void lane_values(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    c->vector.width = atoi(a->v[0]);
    gnd__cg_values(c, 0);
    c->vector.width = 1;
}

static void lane_stores(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    c->vector.width = atoi(a->v[0]);
    gnd__cg_stores(c);
    c->vector.width = 1;
}

static void rest_arrays(void *who, const gnd__holeargs *a)
{
    (void)a;
    gnd__cg_rest(who, GND__REST_ARRAYS, NULL);
}

static void rest_keep(void *who, const gnd__holeargs *a)
{
    gnd__cg_rest(who, GND__REST_KEEP, a->v[0]);
}

static void rest_take(void *who, const gnd__holeargs *a)
{
    gnd__cg_rest(who, GND__REST_TAKE, a->v[0]);
}

static void vector_stores(void *who, const gnd__holeargs *a)
{
    gnd__cg *c = who;
    c->vector.width = atoi(a->v[0]);
    gnd__cg_vector_stores(c);
    c->vector.width = 1;
}

static void private_vectors(void *who, const gnd__holeargs *a)
{
    gnd__cg_private(who, atoi(a->v[0]));
}

static void address(void *who, const gnd__holeargs *a)
{
    gnd__cg_address(who, atoi(a->v[0]));
}

static void indices(void *who, const gnd__holeargs *a)
{
    gnd__cg_unflatten(who, a->v[0], atoi(a->v[1]), atoi(a->v[2]));
}

static void words_declare(void *who, const gnd__holeargs *a)
{
    (void)a;
    gnd__words_declare(who);
}

static void words_fill(void *who, const gnd__holeargs *a)
{
    gnd__words_fill(who, atoi(a->v[0]), a->v[1], a->v[2]);
}

static void declare(void *who, const gnd__holeargs *a)
{
    const operand o = operand_of(who, a->v[0]);
    gnd__acc_declare(who, o.name, o.index);
}

static void init(void *who, const gnd__holeargs *a)
{
    const operand o = operand_of(who, a->v[0]);
    gnd__acc_init(who, o.name, o.index);
}

static void finish(void *who, const gnd__holeargs *a)
{
    const operand o = operand_of(who, a->v[0]);
    gnd__acc_finish(who, o.name, o.index);
}

static void step(void *who, const gnd__holeargs *a)
{
    const operand o = operand_of(who, a->v[0]);
    gnd__acc_step(who, o.name, o.index, a->v[1]);
}

static void combine(gnd__cg *c, const gnd__holeargs *a, int exact)
{
    const operand to = operand_of(c, a->v[0]), from = operand_of(c, a->v[1]);
    gnd__acc_combine(c, to.name, to.index, from.name, from.index, exact);
}

static void add(void *who, const gnd__holeargs *a)
{
    combine(who, a, 1);
}

static void fold(void *who, const gnd__holeargs *a)
{
    combine(who, a, 0);
}

static void copy(void *who, const gnd__holeargs *a)
{
    const operand to = operand_of(who, a->v[0]), from = operand_of(who, a->v[1]);
    gnd__acc_copy(who, to.name, to.index, from.name, from.index);
}

static void keys(void *who, const gnd__holeargs *a)
{
    gnd__acc_to_keys(who, a->v[0], a->v[1]);
}

static void tree(void *who, const gnd__holeargs *a)
{
    gnd__acc_tree(who, a->v[0], a->v[1], a->v[2], atoi(a->v[3]), 0);
}

static void tree_all(void *who, const gnd__holeargs *a)
{
    gnd__acc_tree(who, a->v[0], a->v[1], a->v[2], atoi(a->v[3]), 1);
}

static void down(void *who, const gnd__holeargs *a)
{
    const operand to = operand_of(who, a->v[0]), from = operand_of(who, a->v[1]);
    gnd__acc_pass(who, "down", to.name, to.index, from.name, from.index, atoi(a->v[2]));
}

static void head(void *who, const gnd__holeargs *a)
{
    const operand o = operand_of(who, a->v[0]);
    gnd__acc_pass(who, "head", o.name, o.index, o.name, o.index, atoi(a->v[1]));
}

static void part_store(void *who, const gnd__holeargs *a)
{
    const operand o = operand_of(who, a->v[0]);
    gnd__acc_part_store(who, o.name, o.index, a->v[1]);
}

static void part_load(void *who, const gnd__holeargs *a)
{
    gnd__acc_part_load(who, a->v[0], a->v[1]);
}

static const gnd__hole all[] = {
    {"values", values, 0, 0},
    {"results", results, 0, 0},
    {"stores", stores, 0, 0},
    {"vector_loads", vector_loads, 0, 1},
    {"lane_values", lane_values, 0, 1},
    {"lane_stores", lane_stores, 0, 1},
    {"vector_stores", vector_stores, 0, 1},
    {"private_vectors", private_vectors, 0, 1},
    {"address", address, 0, 1},
    {"indices", indices, 0, 3},
    {"rest_arrays", rest_arrays, 0, 0},
    {"rest_keep", rest_keep, 0, 1},
    {"rest_take", rest_take, 0, 1},
    {"words_declare", words_declare, 0, 0},
    {"words_fill", words_fill, 0, 3},
    {"declare", declare, 0, 1},
    {"init", init, 0, 1},
    {"finish", finish, 0, 1},
    {"step", step, 0, 2},
    {"add", add, 0, 2},
    {"fold", fold, 0, 2},
    {"copy", copy, 0, 2},
    {"keys", keys, 0, 2},
    {"tree", tree, 0, 4},
    {"tree_all", tree_all, 0, 4},
    {"down", down, 0, 3},
    {"head", head, 0, 2},
    {"part_store", part_store, 0, 2},
    {"part_load", part_load, 0, 2},
};

void gnd__cg_shape(gnd__cg *c, const char *name, const gnd__hole *own, int n, void *who)
{
    const gnd__holes table[] = {{own, n, who, 1}, {all, (int)(sizeof all / sizeof *all), c, 0}};
    gnd__fill_shape(&c->body, name, table, 2, c->e);
}
