/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/opset.c - the table of elementwise operations as data: opset.def, one row each.
 */
#include "graph/opset.h"

#include "base/dtype.h"

#include <stddef.h>
#include <string.h>

const gnd__opinfo gnd__ops[GND__NALLOPS] = {
#define GND_OP(id, name, func, nin, rule, out, b, i, u, f, c, cost, doc, near)                     \
    {name, nin, GND__RULE_##rule, GND__OUT_##out, b, i, u, f, c, cost, doc, near, 0, 0, 0, 0, 0, 0},
#include "base/opset.def"
#undef GND_OP
#define GND_FN(id, name, nin, i, u, f, c, cost)                                                    \
    {name, nin, GND__RULE_NONE, GND__OUT_SAME, 0, i, u, f, c, cost, "", 0, 0, 0, 0, 0, 0, 0},
#define GND_RANDOM(id, name, nin, text, cost, bits, word, fill, tries, two, busy)                  \
    {name, nin, GND__RULE_NONE, GND__OUT_SAME, 0,    0,     text, 0,   0, cost,                    \
     "",   0,   bits,           word,          fill, tries, two,  busy},
#include "graph/fnset.def"
#undef GND_FN
#undef GND_RANDOM
};

const gnd__redinfo gnd__reds[GND__NRED] = {
#define GND_RED(id, name, op, identity, place, ordered, compensated)                               \
    {name, GND__OP_##op, GND__##identity, place, ordered, compensated},
#include "graph/redset.def"
#undef GND_RED
};

int gnd__op_find(const char *name)
{
    for (int op = 0; name && op < GND__NOPS; op++)
        if (!strcmp(name, gnd__ops[op].name))
            return op;
    return -1;
}

gnd_dtype gnd__op_arg(gnd__op op, int i, gnd_dtype t)
{
    gnd__rule rule = gnd__ops[op].rule;
    if (rule == GND__RULE_WHERE && i == 0)
        return GND_BOOL;
    return rule == GND__RULE_LDEXP && i == 1 ? GND_INT32 : t;
}

gnd_dtype gnd__op_out(gnd__op op, gnd_dtype t)
{
    switch (gnd__ops[op].out) {
    case GND__OUT_BOOL: return GND_BOOL;
    case GND__OUT_INT32: return GND_INT32;
    case GND__OUT_REAL: return gnd__real_of(t);
    default: return t;
    }
}

int gnd__op_main(gnd__op op)
{
    return gnd__ops[op].rule == GND__RULE_LDEXP ? 0 : gnd__ops[op].nin - 1;
}

const char *gnd__op_text(gnd__op op, int kind)
{
    if ((unsigned)op >= GND__NALLOPS)
        return NULL;
    const gnd__opinfo *o = &gnd__ops[op];
    switch (kind) {
    case 'b': return o->text_b;
    case 'i': return o->text_i;
    case 'u': return o->text_u;
    case 'f': return o->text_f;
    case 'c': return o->text_c;
    default: return NULL;
    }
}
