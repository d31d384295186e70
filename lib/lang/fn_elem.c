/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/fn_elem.c - elementwise functions whose arguments are not all arrays, and small compositions
 * of elementwise operations: handlers of funcs.def.
 */
#include <gnd/array.h>
#include <gnd/info.h>
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
/* Whether a bound of clip is an int below (or above) all values of x's dtype: it limits nothing. */
static int is_beyond(const gnd__args *c, const gnd_array *x, int i, int above)
{
    const gnd_dtype t = gnd_dtype_of(x);
    const int kind = gnd_dtype_kind(t), given = c->arg[i].v.kind;
    const int64_t v = c->arg[i].v.i;
    gnd_int_info info;
    if ((kind != 'i' && kind != 'u') || (given != GND__V_INT && given != GND__V_UINT) ||
        gnd_iinfo(t, &info) != GND_OK)
        return 0;
    if (above)
        return (given == GND__V_UINT || v > 0) && (uint64_t)v > info.max;
    return given == GND__V_INT && v < info.min;
}

int gnd__fn_clip(gnd__args *c)
{
    gnd_array *in[3] = {gnd__arg_array(c, 0)};
    if (!in[0])
        return -1;
    const int low = gnd__arg_given(c, 1) && !is_beyond(c, in[0], 1, 0),
              high = gnd__arg_given(c, 2) && !is_beyond(c, in[0], 2, 1);
    if ((low && !(in[1] = gnd__arg_array(c, 1))) || (high && !(in[2] = gnd__arg_array(c, 2))))
        return -1;
    if (low && high)
        return gnd__ret(c, gnd__apply("clip", 3, in));
    if (!low && !high)
        return gnd__ret(c, gnd__again(in[0]));
    if (high)
        in[1] = in[2];
    return gnd__ret(c, gnd__apply(low ? "maximum" : "minimum", 2, in));
}
