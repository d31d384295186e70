/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/elementwise.c - the public elementwise functions, one for each line of base/opset.def: each
 * hands its arguments to gnd__elementwise, which checks them and makes the node.
 */
#include <gnd/elementwise.h>

#include "graph/graph.h"

#define DEFINE_1(id, func)                                                                         \
    gnd_array *func(gnd_array *x)                                                                  \
    {                                                                                              \
        return gnd__elementwise(GND__OP_##id, 1, &x);                                              \
    }
#define DEFINE_2(id, func)                                                                         \
    gnd_array *func(gnd_array *x1, gnd_array *x2)                                                  \
    {                                                                                              \
        gnd_array *x[2] = {x1, x2};                                                                \
        return gnd__elementwise(GND__OP_##id, 2, x);                                               \
    }
#define DEFINE_3(id, func)                                                                         \
    gnd_array *func(gnd_array *x1, gnd_array *x2, gnd_array *x3)                                   \
    {                                                                                              \
        gnd_array *x[3] = {x1, x2, x3};                                                            \
        return gnd__elementwise(GND__OP_##id, 3, x);                                               \
    }

#define GND_OP(id, name, func, nin, rule, out, b, i, u, f, c, cost, doc, near)                     \
    DEFINE_##nin(id, func)
#include "base/opset.def"
#undef GND_OP
