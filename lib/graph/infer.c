/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/infer.c - elementwise operations: the compute dtype (NumPy 2's promotion with weak scalars,
 * and each operation's rule), the result's shape, and every argument error. Takes handles and
 * returns one new handle. Knows the table of operations, but not what they compute.
 */
#include "graph/fold.h"
#include "graph/check.h"
#include "graph/scope.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "device/device.h"

static const char *const arg_names[3] = {"x1", "x2", "x3"};

/* --- dtypes ----------------------------------------------------------------------------------- */

static int rank_of_kind(int kind)
{
    return kind == 'b' ? 0 : kind == 'c' ? 3 : kind == 'f' ? 2 : 1;
}

/* On a device without float64 no array has it, so it can only result from promotion. */
static gnd_dtype within(const gnd_device *dev, gnd_dtype t)
{
    if (!gnd__needs_f64(t) || gnd__device_has_f64(dev))
        return t;
    return t == GND_FLOAT64 ? GND_FLOAT32 : GND_COMPLEX64;
}

gnd_dtype gnd__weak_dtype(const gnd_device *dev, int kind)
{
    switch (kind) {
    case 'b': return GND_BOOL;
    case 'f': return gnd__device_float(dev);
    case 'c': return gnd__complex_of(gnd__device_float(dev));
    case 'u': return GND_UINT64; /* 2^63 and more */
    default: return GND_INT64;
    }
}

static int kind_of(const gnd_array *x)
{
    return x->weak ? x->p.value.kind : gnd_dtype_kind((gnd_dtype)x->dtype);
}

void gnd__operand_dtype(const gnd_array *x, uint32_t *set, int *weak)
{
    if (x->kind == GND__ERROR) /* has no dtype; whoever makes a node from it reports the error */
        return;
    if (!x->weak)
        *set |= (uint32_t)1 << x->dtype;
    else if (!*weak || rank_of_kind(x->p.value.kind) > rank_of_kind(*weak) ||
             (x->p.value.kind == 'u' && *weak == 'i'))
        *weak = x->p.value.kind;
}

gnd_dtype gnd__promote_all(const gnd_device *dev, uint32_t set, int weak)
{
    gnd_dtype t = GND_DTYPE_DEFAULT;
    int most = 0;
    for (uint32_t s = set; s; s &= s - 1) {
        int rank = rank_of_kind(gnd_dtype_kind((gnd_dtype)__builtin_ctz(s)));
        most = rank > most ? rank : most;
    }
    /* As in NumPy, promote the arrays of the strongest kind first and then the others with the
     * result: (int16, uint16, float32) give float32, although int16 and uint16 alone give int32. */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t s = set; s; s &= s - 1) {
            gnd_dtype ti = (gnd_dtype)__builtin_ctz(s);
            if ((rank_of_kind(gnd_dtype_kind(ti)) != most) == pass)
                t = t == GND_DTYPE_DEFAULT ? ti : gnd_promote(t, ti);
        }
    }
    if (t == GND_DTYPE_DEFAULT)
        return gnd__weak_dtype(dev, weak);
    if (weak)
        t = gnd__promote_weak(t, weak, gnd__device_float(dev));
    return within(dev, t);
}

gnd_dtype gnd__common_dtype(const gnd_device *dev, int n, gnd_array *const *x)
{
    uint32_t set = 0;
    int weak = 0;
    for (int i = 0; i < n; i++)
        gnd__operand_dtype(x[i], &set, &weak);
    return gnd__promote_all(dev, set, weak);
}

/* The compute dtype of an operation whose arguments promote to t. */
static gnd_dtype by_rule(gnd__rule rule, const gnd_device *dev, gnd_dtype t)
{
    int whole = strchr("biu", gnd_dtype_kind(t)) != NULL;
    switch (rule) {
    case GND__RULE_PARTS: return within(dev, gnd__complex_of(t));
    case GND__RULE_LDEXP:
    case GND__RULE_FLOAT: return whole ? within(dev, gnd__float_of(t)) : t;
    case GND__RULE_DIVIDE: return whole ? gnd__device_float(dev) : t;
    case GND__RULE_INT:
    case GND__RULE_SHIFT: return t == GND_BOOL ? GND_INT8 : t;
    case GND__RULE_LOGIC: return GND_BOOL;
    default: return t;
    }
}

/* The float dtype that holds the floats of two arrays of bools or ints: int16 and uint16 give
 * float32, although the int dtype that holds both gives float64. */
static gnd_dtype float_of_both(const gnd_device *dev, gnd_array *const *x)
{
    uint32_t set = (uint32_t)1 << gnd__float_of((gnd_dtype)x[0]->dtype);
    set |= (uint32_t)1 << gnd__float_of((gnd_dtype)x[1]->dtype);
    return gnd__promote_all(dev, set, 0);
}

/* "add: bool is not allowed: ...", with the allowed kinds and, if there is one, a workaround. */
static gnd_array *not_allowed(gnd__op op, gnd_device *dev, gnd_dtype t)
{
    static const struct {
        gnd_dtype like;
        const char *name;
    } kinds[] = {
        {GND_BOOL, "bools"},
        {GND_INT32, "ints"},
        {GND_FLOAT32, "floats"},
        {GND_COMPLEX64, "complex"},
    };
    const gnd__opinfo *o = &gnd__ops[op];
    const char *names[4], *hint = "";
    int n = 0;
    for (int i = 0; i < (o->rule == GND__RULE_PARTS ? 3 : 4); i++)
        if (gnd__op_text(op, gnd_dtype_kind(by_rule(o->rule, NULL, kinds[i].like))))
            names[n++] = kinds[i].name;
    char list[64] = "";
    for (int i = 0; i < n; i++) {
        size_t len = strlen(list);
        snprintf(list + len, sizeof list - len, "%s%s",
                 i == 0       ? ""
                 : i == n - 1 ? " and "
                              : ", ",
                 names[i]);
    }
    switch (gnd_dtype_kind(t)) {
    case 'b':
        hint = op == GND__OP_SUBTRACT   ? ": take gnd_logical_xor, or gnd_astype first"
               : op == GND__OP_NEGATIVE ? ": take gnd_logical_not, or gnd_astype first"
                                        : ": gnd_astype first";
        break;
    case 'f': hint = ": gnd_astype to an int dtype first"; break;
    case 'c': hint = ": take gnd_real_part, gnd_imag_part or gnd_abs first"; break;
    default: break;
    }
    return gnd__fail(dev, GND_ERR_DTYPE, "%s: %s is not allowed: %s only%s", o->name,
                     gnd_dtype_name(t), list, hint);
}

/* --- comparisons ------------------------------------------------------------------------------ */

/* The comparison with its sides swapped. */
static gnd__op mirrored(gnd__op op)
{
    switch (op) {
    case GND__OP_LESS: return GND__OP_GREATER;
    case GND__OP_LESS_EQUAL: return GND__OP_GREATER_EQUAL;
    case GND__OP_GREATER: return GND__OP_LESS;
    case GND__OP_GREATER_EQUAL: return GND__OP_LESS_EQUAL;
    default: return op;
    }
}

/* Compares a signed int array i exactly with a uint64 array u: a negative i is less than every u;
 * any other i equals itself as uint64. */
static gnd_array *compare_mixed(gnd__op op, gnd_array *i, gnd_array *u)
{
    gnd__scalar zero = {.kind = 'i'};
    gnd_array *z = gnd__const(NULL, GND_INT64, &zero, 1);
    int or_negative = op == GND__OP_LESS || op == GND__OP_LESS_EQUAL || op == GND__OP_NOT_EQUAL;
    gnd_array *sign = gnd__elementwise(or_negative ? GND__OP_LESS : GND__OP_GREATER_EQUAL, 2,
                                       (gnd_array *[]){i, z});
    gnd_array *iu = gnd__cast_node(i, GND_UINT64);
    gnd_array *cmp = gnd__elementwise(op, 2, (gnd_array *[]){iu, u});
    /* cmp comes first, so that its error about shapes is the one reported. */
    return gnd__elementwise(or_negative ? GND__OP_LOGICAL_OR : GND__OP_LOGICAL_AND, 2,
                            (gnd_array *[]){cmp, sign});
}

/* x op v where the int v is outside the range of x's int dtype: the result is the same for all
 * elements. */
static gnd_array *compare_outside(gnd__op op, gnd_array *x, const gnd__scalar *v)
{
    int above = v->kind == 'u' || v->i > 0;
    gnd__scalar yes = {.kind = 'b'};
    yes.i =
        op == GND__OP_NOT_EQUAL || (above ? op == GND__OP_LESS || op == GND__OP_LESS_EQUAL
                                          : op == GND__OP_GREATER || op == GND__OP_GREATER_EQUAL);
    return gnd__filled(x->dev, GND_BOOL, x->ndim, x->dim, &yes);
}

/* Handles comparisons that need more than promotion; NULL: this is not one. */
static gnd_array *compare_special(gnd__op op, gnd_array *const *x, gnd_dtype t)
{
    for (int k = 0; k < 2; k++) {
        gnd_array *a = x[k], *b = x[!k];
        gnd__op as_op = k ? mirrored(op) : op; /* a as_op b */
        if (b->weak && !a->weak && !gnd__scalar_fits(t, &b->p.value))
            return compare_outside(as_op, a, &b->p.value);
        if (!a->weak && !b->weak && b->dtype == GND_UINT64 &&
            gnd_dtype_kind((gnd_dtype)a->dtype) == 'i')
            return compare_mixed(as_op, a, b);
    }
    return NULL;
}

/* --- elementwise ------------------------------------------------------------------------------ */

static gnd_array *fold(gnd__op op, int nin, gnd_array *const *x)
{
    gnd__scalar in[3], out;
    for (int i = 0; i < nin; i++)
        in[i] = x[i]->p.value;
    switch (gnd__fold(op, nin, in, &out)) {
    case 0: break;
    case GND__FOLD_TOO_LARGE:
        return gnd__fail(NULL, GND_ERR_OVERFLOW,
                         "%s: the result fits neither int64 nor uint64: use real scalars",
                         gnd__ops[op].name);
    default: return not_allowed(op, NULL, gnd__common_dtype(NULL, nin, x));
    }
    return gnd__const(NULL, gnd__weak_dtype(NULL, out.kind), &out, 1);
}

/* Argument x of op as dtype t of dev; x itself if it already is. */
static gnd_array *operand(const gnd__opinfo *o, gnd_array *x, gnd_device *dev, gnd_dtype t)
{
    if (!x->weak)
        return (gnd_dtype)x->dtype == t ? x : gnd__cast_node(x, t);
    if (t == GND_BOOL) { /* logic and conditions: true means non-zero, also for complex values */
        gnd__scalar c = gnd__converted(&x->p.value, t);
        return gnd__const(dev, t, &c, 0);
    }
    return gnd__strong(x, dev, t, o->name);
}

/* The int argument x of ldexp as int32. Values outside int32 are clipped, which does not change the
 * result. */
static gnd_array *exponent(const gnd__opinfo *o, gnd_array *x, gnd_device *dev)
{
    gnd_dtype t = (gnd_dtype)x->dtype;
    gnd__scalar end[2] = {{.kind = 'i'}, {.kind = 'i'}};
    end[0].i = -1000000;
    end[1].i = 1000000;
    if (x->weak) {
        const gnd__scalar *v = &x->p.value;
        gnd__scalar e = v->kind == 'u' || v->i > end[1].i ? end[1] : v->i < end[0].i ? end[0] : *v;
        e.kind = 'i';
        return gnd__const(dev, GND_INT32, &e, 0);
    }
    if (t != GND_INT64 && t != GND_UINT64 && t != GND_UINT32)
        return operand(o, x, dev, GND_INT32);
    gnd_array *most = gnd__const(NULL, GND_INT64, &end[1], 1);
    gnd_array *y = gnd__elementwise(GND__OP_MINIMUM, 2, (gnd_array *[]){x, most});
    if (t == GND_INT64) {
        gnd_array *least = gnd__const(NULL, GND_INT64, &end[0], 1);
        y = gnd__elementwise(GND__OP_MAXIMUM, 2, (gnd_array *[]){y, least});
    }
    return y->kind == GND__ERROR ? y : gnd__cast_node(y, GND_INT32);
}

/* Replaces a power with the exponent 2, 1/2 or -1 by a product (as NumPy does), a root or a
 * reciprocal: the same within an ulp and far faster. Otherwise returns op. */
static gnd__op power_as(gnd__op op, gnd_array *const *x, gnd_dtype t)
{
    if (op != GND__OP_POW || !x[1]->weak)
        return op;
    const gnd__scalar *v = &x[1]->p.value;
    const double n = v->kind == 'i' ? (double)v->i : v->kind == 'f' ? v->re : 0;
    gnd__op as = n == 2 ? GND__OP_SQUARE : op;
    if (gnd_dtype_kind(t) == 'f')
        as = n == 0.5 ? GND__FN_ROOT : n == -1 ? GND__OP_RECIPROCAL : as;
    return gnd__op_text(as, gnd_dtype_kind(t)) ? as : op;
}

/* If in[1] is a constant power of two whose reciprocal is a normal number of its dtype, a real
 * float, makes it that reciprocal: the product has the same bits as the quotient, and a division
 * takes a GPU as long as many other operations. */
static gnd__op division_as(gnd__op op, gnd_array **in)
{
    const gnd_array *c = in[1];
    int e;
    if (op != GND__OP_DIVIDE || c->kind != GND__CONST || c->ndim != 0 || c->weak ||
        gnd_dtype_kind((gnd_dtype)c->dtype) != 'f' || c->p.value.kind != 'f' ||
        fabs(frexp(c->p.value.re, &e)) != 0.5)
        return op;
    const int least = c->dtype == GND_FLOAT16 ? -14 : c->dtype == GND_FLOAT64 ? -1022 : -126;
    if (1 - e < least || 1 - e > -least)
        return op;
    const gnd__scalar v = {.kind = 'f', .re = 1 / c->p.value.re};
    in[1] = gnd__const(c->dev, (gnd_dtype)c->dtype, &v, 0);
    return in[1]->kind == GND__ERROR ? op : GND__OP_MULTIPLY;
}

/* The node of an operation on arguments of its dtypes. */
static gnd_array *made(gnd__op op, gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim,
                       int nin, gnd_array *const *in)
{
    gnd_array *y = NULL;
    for (int i = 0; i < nin && !y; i++)
        if (in[i]->kind == GND__VIEW) {
            y = gnd__op_in_order(op, dev, t, ndim, dim, nin, in);
            break;
        }
    return y ? y : gnd__op_node(op, dev, t, ndim, dim, nin, in);
}

/* The common case, handled without the tables of promotion: arrays of one float dtype, one shape
 * and one device, and weak scalars that are not complex. NULL: other arguments. */
static gnd_array *elementwise_plain(gnd__op op, int nin, gnd_array *const *x)
{
    const gnd__opinfo *o = &gnd__ops[op];
    const gnd_array *a = NULL;
    gnd_array *in[3];
    int scalars = 0;
    if (!o->text_f || o->rule == GND__RULE_LOGIC || o->rule == GND__RULE_WHERE ||
        o->rule == GND__RULE_LDEXP || o->rule == GND__RULE_PARTS || op == GND__OP_POW)
        return NULL;
    for (int i = 0; i < nin; i++) {
        const gnd_array *b = x[i];
        if (!b || !gnd__alive(b) || b->kind == GND__ERROR ||
            __atomic_load_n(&b->fault, __ATOMIC_ACQUIRE))
            return NULL;
        if (b->weak) {
            if (b->p.value.kind == 'c')
                return NULL;
            scalars = 1;
        } else if (!a) {
            if (!b->dev || !gnd__dtype_is_float((gnd_dtype)b->dtype))
                return NULL;
            a = b;
        } else if (b->dev != a->dev || b->dtype != a->dtype || b->ndim != a->ndim) {
            return NULL;
        } else {
            for (int k = 0; k < a->ndim; k++)
                if (a->dim[k] != b->dim[k])
                    return NULL;
        }
    }
    if (!a)
        return NULL;
    gnd_dtype t = (gnd_dtype)a->dtype, out = gnd__op_out(op, t);
    if (out != t && out != GND_BOOL) /* the result's size in bytes might overflow */
        return NULL;
    if (!scalars)
        return made(op, a->dev, out, a->ndim, a->dim, nin, x);
    const gnd__inner inner = gnd__enter(NULL);
    for (int i = 0; i < nin; i++) {
        in[i] = x[i];
        if (x[i]->weak) {
            gnd__scalar v = gnd__converted(&x[i]->p.value, t);
            in[i] = gnd__const(a->dev, t, &v, 0);
        }
    }
    op = division_as(op, in);
    return gnd__leave(inner, made(op, a->dev, out, a->ndim, a->dim, nin, in));
}

/* Applies op, in an inner scope, to arguments that are not errors and of which at least one belongs
 * to dev. */
static gnd_array *elementwise_any(gnd__op op, int nin, gnd_array *const *x, gnd_device *dev)
{
    const gnd__opinfo *o = &gnd__ops[op];
    gnd_array *bad;
    /* the condition and the exponent do not affect the dtype */
    int skip = o->rule == GND__RULE_WHERE, own = o->rule == GND__RULE_LDEXP ? 1 : nin - skip;
    gnd_dtype given = gnd__common_dtype(dev, own, x + skip);
    if (o->rule == GND__RULE_CMP && (bad = compare_special(op, x, given)))
        return bad;
    gnd_dtype t = by_rule(o->rule, dev, given);
    if (o->rule == GND__RULE_FLOAT && nin == 2 && !x[0]->weak && !x[1]->weak &&
        strchr("biu", gnd_dtype_kind(given)))
        t = float_of_both(dev, x);
    if (!gnd__op_text(op, gnd_dtype_kind(t)) ||
        (o->rule == GND__RULE_PARTS && gnd_dtype_kind(given) == 'c'))
        return not_allowed(op, dev, given);
    if (o->rule == GND__RULE_LDEXP && !strchr("biu", kind_of(x[1])))
        return gnd__fail(dev, GND_ERR_DTYPE,
                         "%s: x2 is %s: bools and ints only: gnd_astype to an "
                         "int dtype first",
                         o->name, gnd_dtype_name((gnd_dtype)x[1]->dtype));
    gnd_dtype out = gnd__op_out(op, t);

    gnd__shape s;
    if ((bad = gnd__check_broadcast(o->name, dev, out, nin, x, &s)))
        return bad;

    gnd_array *in[3];
    for (int i = 0; i < nin; i++) {
        in[i] = o->rule == GND__RULE_LDEXP && i == 1 ? exponent(o, x[i], dev)
                                                     : operand(o, x[i], dev, gnd__op_arg(op, i, t));
        if (in[i]->kind == GND__ERROR)
            return in[i];
    }
    const gnd__op as = op == GND__OP_DIVIDE ? division_as(op, in) : power_as(op, x, t);
    return made(as, dev, out, s.ndim, s.dim, as == op || op == GND__OP_DIVIDE ? nin : 1, in);
}

gnd_array *gnd__elementwise(gnd__op op, int nin, gnd_array *const *x)
{
    const gnd__opinfo *o = &gnd__ops[op];
    gnd_device *dev;
    gnd_array *bad = elementwise_plain(op, nin, x);
    if (bad)
        return bad;
    for (int i = 0; i < nin; i++)
        if ((bad = gnd__check(x[i], o->name, nin == 1 ? "x" : arg_names[i])))
            return bad;
    if ((bad = gnd__check_devices(o->name, nin, x, &dev)))
        return bad;
    if (!dev)
        return fold(op, nin, x);
    const gnd__inner in = gnd__enter(NULL);
    return gnd__leave(in, elementwise_any(op, nin, x, dev));
}
