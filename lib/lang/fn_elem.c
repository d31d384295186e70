/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_elem.c - elementwise functions whose arguments are not all arrays, and small compositions
 * of elementwise operations: handlers of funcs.def.
 */
#include <gnd/array.h>
#include "lang/call.h"

static int unary(gnd__args *c, const char *op)
{
    gnd_array *x = gnd__arg_array(c, 0);
    return x ? gnd__ret(c, gnd__apply(op, 1, &x)) : -1;
}

int gnd__fn_real(gnd__args *c)
{
    return unary(c, "real");
}
int gnd__fn_imag(gnd__args *c)
{
    return unary(c, "imag");
}
int gnd__fn_conj(gnd__args *c)
{
    return unary(c, "conj");
}

/* None means that there is no bound. */
int gnd__fn_clip(gnd__args *c)
{
    gnd_array *in[3];
    int low = gnd__arg_given(c, 1), high = gnd__arg_given(c, 2);
    if (!(in[0] = gnd__arg_array(c, 0)) || (low && !(in[1] = gnd__arg_array(c, 1))) ||
        (high && !(in[2] = gnd__arg_array(c, 2))))
        return -1;
    if (low && high)
        return gnd__ret(c, gnd__apply("clip", 3, in));
    if (!low && !high)
        return gnd__ret(c, gnd__again(in[0]));
    if (high)
        in[1] = in[2];
    return gnd__ret(c, gnd__apply(low ? "maximum" : "minimum", 2, in));
}
