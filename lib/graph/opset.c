/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/opset.c - the table of elementwise operations as data: opset.def, one row each.
 */
#include "graph/opset.h"

#include <stddef.h>
#include <string.h>

const gnd__opinfo gnd__ops[GND__NOPS] = {
#define GND_OP(id, name, func, nin, rule, out, b, i, u, f, c, cost, doc)                           \
    {name, nin, GND__RULE_##rule, GND__OUT_##out, b, i, u, f, c, cost, doc},
#include "graph/opset.def"
#undef GND_OP
};

int gnd__op_find(const char *name)
{
    for (int op = 0; name && op < GND__NOPS; op++)
        if (!strcmp(name, gnd__ops[op].name))
            return op;
    return -1;
}

const char *gnd__op_text(gnd__op op, int kind)
{
    if ((unsigned)op >= GND__NOPS)
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
