/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_elementwise.c - every operation of the table on every dtype it takes, through the public
 * functions: promotion, casts, broadcasting, every layout, sizes that are multiples of nothing,
 * special values; conversions and mixed operands of every pair of dtypes. Operations are evaluated
 * eight at a time, so that they come out of one kernel. The functions themselves are measured more
 * closely in kernels_*.c.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/opset.h"
#include "mathref.h"
#include "mathspec.h"
#include "ref.h"
#include "tap.h"

#define GROUP 8

static const char *shape_name;
static int no_f64;  /* the device has no float64: what would promote to it stays float32 */
static int flushes; /* the driver's fmod gives 0 for subnormal results: rusticl's does */

typedef void (*any_func)(void);
static const any_func funcs[GND__NOPS] = {
#define GND_OP(id, name, func, ...) (any_func) func,
#include "base/opset.def"
#undef GND_OP
};

static gnd_array *apply(int op, gnd_array *const *a)
{
    switch (gnd__ops[op].nin) {
    case 1: return ((gnd_array * (*)(gnd_array *)) funcs[op])(a[0]);
    case 2: return ((gnd_array * (*)(gnd_array *, gnd_array *)) funcs[op])(a[0], a[1]);
    default:
        return ((gnd_array * (*)(gnd_array *, gnd_array *, gnd_array *)) funcs[op])(a[0], a[1],
                                                                                    a[2]);
    }
}

/* --- what dtype it is computed in, and what it gives ------------------------------------------ */

static gnd_dtype within(gnd_dtype t)
{
    return !no_f64 ? t : t == GND_FLOAT64 ? GND_FLOAT32 : t == GND_COMPLEX128 ? GND_COMPLEX64 : t;
}

static gnd_dtype compute_dtype(int op, gnd_dtype t)
{
    int kind = gnd_dtype_kind(t), whole = kind == 'b' || kind == 'i' || kind == 'u';
    switch (gnd__ops[op].rule) {
    case GND__RULE_PARTS:
        return kind == 'c'                                            ? t
               : (whole && gnd_dtype_size(t) > 2) || t == GND_FLOAT64 ? within(GND_COMPLEX128)
                                                                      : GND_COMPLEX64;
    case GND__RULE_LDEXP:
    case GND__RULE_FLOAT:
        return !whole                   ? t
               : gnd_dtype_size(t) == 1 ? GND_FLOAT16
               : gnd_dtype_size(t) == 2 ? GND_FLOAT32
                                        : within(GND_FLOAT64);
    case GND__RULE_DIVIDE: return whole ? within(GND_FLOAT64) : t;
    case GND__RULE_SHIFT:
    case GND__RULE_INT: return kind == 'b' ? GND_INT8 : t;
    case GND__RULE_LOGIC: return GND_BOOL;
    default: return t;
    }
}

static gnd_dtype out_dtype(int op, gnd_dtype ct)
{
    return gnd__ops[op].out == GND__OUT_BOOL    ? GND_BOOL
           : gnd__ops[op].out == GND__OUT_INT32 ? GND_INT32
           : gnd__ops[op].out != GND__OUT_REAL  ? ct
           : ct == GND_COMPLEX64                ? GND_FLOAT32
           : ct == GND_COMPLEX128               ? GND_FLOAT64
                                                : ct;
}

/* --- the reference on bools and ints: 128 bits hold every value and every result before it wraps
 * --- */

typedef __int128 wide;

static wide floor_div(wide a, wide b)
{
    return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static wide power(wide a, wide b)
{
    uint64_t r = 1, base = (uint64_t)a;
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    for (; b > 0; b /= 2, base *= base)
        if (b % 2)
            r *= base;
    return (wide)r;
}

static wide gcd(wide a, wide b)
{
    return b == 0 ? a < 0 ? -a : a : gcd(b, a % b);
}

static wide int_ref(int op, gnd_dtype t, const wide *x)
{
    wide a = x[0], b = x[1], bits = (wide)gnd_dtype_size(t) * 8;
    int out = b < 0 || b >= bits, boolean = t == GND_BOOL;
    switch (op) {
    case GND__OP_ABS: return a < 0 ? -a : a;
    case GND__OP_ADD: return boolean ? a | b : a + b;
    case GND__OP_SUBTRACT: return a - b;
    case GND__OP_MULTIPLY: return (wide)((uint64_t)a * (uint64_t)b);
    case GND__OP_FLOOR_DIVIDE: return floor_div(a, b);
    case GND__OP_REMAINDER: return b == 0 ? 0 : a - b * floor_div(a, b);
    case GND__OP_POW: return power(a, b);
    case GND__OP_NEGATIVE: return -a;
    case GND__OP_RECIPROCAL: return a == 1 || a == -1 ? a : 0;
    case GND__OP_SQUARE: return (wide)((uint64_t)a * (uint64_t)a);
    case GND__OP_SIGN: return (a > 0) - (a < 0);
    case GND__OP_POSITIVE:
    case GND__OP_CEIL:
    case GND__OP_FLOOR:
    case GND__OP_TRUNC:
    case GND__OP_ROUND:
    case GND__OP_REAL:
    case GND__OP_CONJ: return a;
    case GND__OP_IMAG:
    case GND__OP_ISPOSINF:
    case GND__OP_ISNEGINF:
    case GND__OP_ISINF:
    case GND__OP_ISNAN: return 0;
    case GND__OP_ISFINITE: return 1;
    case GND__OP_FMAX:
    case GND__OP_MAXIMUM: return a > b ? a : b;
    case GND__OP_FMIN:
    case GND__OP_MINIMUM: return a < b ? a : b;
    case GND__OP_FMOD: return b == 0 ? 0 : a % b;
    case GND__OP_GCD: return gcd(a, b);
    case GND__OP_LCM:
        return a == 0 || b == 0
                   ? 0
                   : (wide)((uint64_t)((a < 0 ? -a : a) / gcd(a, b)) * (uint64_t)(b < 0 ? -b : b));
    case GND__OP_CLIP: a = a > b ? a : b; return a < x[2] ? a : x[2];
    case GND__OP_WHERE: return a != 0 ? b : x[2];
    case GND__OP_EQUAL: return a == b;
    case GND__OP_NOT_EQUAL: return a != b;
    case GND__OP_LESS: return a < b;
    case GND__OP_LESS_EQUAL: return a <= b;
    case GND__OP_GREATER: return a > b;
    case GND__OP_GREATER_EQUAL: return a >= b;
    case GND__OP_LOGICAL_AND: return a && b;
    case GND__OP_LOGICAL_OR: return a || b;
    case GND__OP_LOGICAL_XOR: return !a != !b;
    case GND__OP_LOGICAL_NOT: return !a;
    case GND__OP_BITWISE_AND: return a & b;
    case GND__OP_BITWISE_OR: return a | b;
    case GND__OP_BITWISE_XOR: return a ^ b;
    case GND__OP_BITWISE_INVERT: return boolean ? !a : ~a;
    case GND__OP_BITWISE_LEFT_SHIFT: return out ? 0 : (wide)((uint64_t)a << (int)b);
    case GND__OP_BITWISE_RIGHT_SHIFT: return out ? (a < 0 ? -1 : 0) : a >> (int)b;
    default: return 0;
    }
}

/* --- the reference for all; *bound: how far off is right, in ulp; negative: not compared ------ */

static int truth(ref_num v)
{
    return v.kind == 'u'   ? v.u != 0
           : v.kind == 'f' ? v.re != 0
           : v.kind == 'c' ? v.re != 0 || v.im != 0
                           : v.i != 0;
}

/* The exponent of ldexp, where it is not beyond all that matters. */
static ref_num exponent(ref_num v)
{
    if (v.kind == 'u')
        return ref_float(v.u > 5000 ? 5000 : (long double)v.u);
    return ref_float(v.i > 5000 ? 5000 : v.i < -5000 ? -5000 : (long double)v.i);
}

static ref_num reference(int op, gnd_dtype t, const ref_num *in, double *bound)
{
    gnd_dtype ct = compute_dtype(op, t), ot = out_dtype(op, ct);
    int kind = gnd_dtype_kind(ct), half = ct == GND_FLOAT16 || ct == GND_BFLOAT16;
    int cost = gnd__ops[op].cost;
    ref_num x[3];
    for (int i = 0; i < gnd__ops[op].nin; i++)
        x[i] = ct == GND_BOOL || (op == GND__OP_WHERE && i == 0) ? ref_int(truth(in[i]))
               : op == GND__OP_LDEXP && i == 1                   ? exponent(in[i])
                                                                 : ref_as(ct, in[i]);
    *bound = cost == 1 ? 0.5 : cost == 4 ? 4 : 16;
    if (op == GND__OP_WHERE)
        return x[x[0].i ? 1 : 2];
    if (kind == 'b' || kind == 'i' || kind == 'u') {
        wide v[3] = {0, 0, 0};
        for (int i = 0; i < gnd__ops[op].nin; i++)
            v[i] = kind == 'u' ? (wide)x[i].u : (wide)x[i].i;
        wide r = int_ref(op, ct, v);
        return ref_as(ot, (ref_num){.kind = gnd_dtype_kind(ot) == 'u' ? 'u' : 'i',
                                    .i = (int64_t)r,
                                    .u = (uint64_t)r});
    }
    if (kind == 'c') {
        mathref_c z[3], w;
        double loose = 0;
        for (int i = 0; i < gnd__ops[op].nin; i++)
            z[i] = (mathref_c){x[i].re, x[i].im};
        w = mathref_complex((gnd__op)op, ct == GND_COMPLEX64, z, &loose);
        *bound = ot == GND_BOOL ? 0 : isinf(loose) ? -1 : (cost == 1 ? 4 : 16) * (1 + loose);
        return ot == GND_BOOL ? ref_int(w.re != 0)
                              : (ref_num){.kind = gnd_dtype_kind(ot), .re = w.re, .im = w.im};
    }
    long double v[3] = {0, 0, 0}, r;
    for (int i = 0; i < gnd__ops[op].nin; i++)
        v[i] = x[i].re;
    if (op == GND__OP_NEXTAFTER && half) {
        /* by the order of the bits */
        uint16_t h;
        if (isnan(v[0]) || isnan(v[1]) || v[0] == v[1]) {
            r = isnan(v[0]) ? v[0] : v[1];
        } else {
            ref_put(ct, &h, ref_float(v[0] == 0 ? 0 : v[0]));
            if (v[0] == 0)
                h = v[1] > 0 ? 1 : 0x8001;
            else
                h = (uint16_t)((v[0] < v[1]) == (v[0] > 0) ? h + 1 : h - 1);
            r = ref_get(ct, &h).re;
        }
    } else {
        r = mathref_real((gnd__op)op, ct != GND_FLOAT64, v);
    }
    if (mathspec_bound((gnd__op)op) > 0)
        *bound = mathspec_bound((gnd__op)op);
    if (half)
        *bound = 0.51;
    /* some errors are in units of something larger */
    long double scale = fabsl(mathspec_scale((gnd__op)op, v, r));
    if (isfinite(r) && scale > fabsl(r))
        *bound += 16 * (double)(scale / (fabsl(r) + 1e-30L));
    if (op == GND__OP_MULTIPLY || op == GND__OP_ADD || op == GND__OP_SUBTRACT ||
        op == GND__OP_SQUARE)
        *bound = 0.501;
    return ot == GND_BOOL ? ref_int(r != 0) : ot == GND_INT32 ? ref_int((int64_t)r) : ref_float(r);
}

/* --- comparing -------------------------------------------------------------------------------- */

static int compare(int op, gnd_dtype t, gnd_array *y, const ref_arr *in, int ndim,
                   const int64_t *dim, char *why, size_t cap)
{
    gnd_dtype ot = out_dtype(op, compute_dtype(op, t));
    ref_arr got;
    int ok = 1, flushed = 0;
    if (!ref_read(y, ot, ndim, dim, &got, why, cap))
        return 0;
    for (int64_t k = 0; k < ref_size(&got) && ok; k++) {
        ref_num x[3], want, g = ref_nth(&got, k);
        double bound, err;
        char s[5][64];
        for (int i = 0; i < gnd__ops[op].nin; i++)
            x[i] = ref_nth(&in[i], k);
        want = reference(op, t, x, &bound);
        err = bound < 0 ? 0 : ref_ulps(ot, g, want, 0);
        if (err <= bound || bound < 0)
            continue;
        if (flushes && (op == GND__OP_REMAINDER || op == GND__OP_FMOD) &&
            (ot == GND_FLOAT32 || ot == GND_BFLOAT16) && g.re == 0 && fabsl(want.re) < 0x1p-126L) {
            flushed++;
            continue;
        }
        ok = 0;
        int n = gnd__ops[op].nin;
        snprintf(why, cap, "element %" PRId64 ": of %s %s %s: %s, not %s (%.3g ulp)", k,
                 ref_text(x[0], s[0], 64), n > 1 ? ref_text(x[1], s[1], 64) : "",
                 n > 2 ? ref_text(x[2], s[2], 64) : "", ref_text(g, s[3], 64),
                 ref_text(want, s[4], 64), err);
    }
    if (flushed)
        tap_skip(1, "rusticl flushes subnormals in fmod: %d elements of %s, %s", flushed,
                 gnd__ops[op].name, gnd_dtype_name(t));
    ref_free(&got);
    return ok;
}

static const struct {
    int ndim;
    int64_t dim[4];
} shapes[] = {
    {2, {7, 37}},       {3, {3, 5, 11}}, {1, {1031}}, {2, {37, 6}},
    {4, {2, 3, 1, 19}}, {0, {0}},        {2, {5, 0}},
};

/* Up to eight operations on arrays of dtype t in these layouts, as one plan. */
static void group(gnd_device *dev, gnd_dtype t, const int *op, int n, int shape, int layout)
{
    ref_arr host[3];
    gnd_array *a[3], *y[GROUP];
    char names[300] = "", all_why[2500] = "", why[400];
    int bad = 0, ndim = shapes[shape].ndim;
    const int64_t *dim = shapes[shape].dim;
    gnd_scope_begin();
    for (int i = 0; i < 3; i++)
        a[i] = ref_make(dev, t, ndim, dim, (ref_layout)((layout + i * 2) % REF_NLAYOUTS),
                        gnd_dtype_kind(t) == 'c' ? REF_REAL : REF_SPECIAL, &host[i]);
    for (int i = 0; i < n; i++)
        y[i] = apply(op[i], a);
    gnd_eval_all(n, y);
    for (int i = 0; i < n; i++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", gnd__ops[op[i]].name);
        if (compare(op[i], t, y[i], host, ndim, dim, why, sizeof why))
            continue;
        bad++;
        snprintf(all_why + strlen(all_why), sizeof all_why - strlen(all_why), "%s: %s\n",
                 gnd__ops[op[i]].name, why);
    }
    if (!tap_ok(!bad, "%s: %s, shape %d, %s:%s", shape_name, gnd_dtype_name(t), shape,
                ref_layout_name((ref_layout)layout), names))
        tap_diag("%s", all_why);
    for (int i = 0; i < 3; i++)
        ref_free(&host[i]);
    gnd_scope_end();
}

/* Whether op takes arguments that all have dtype t. */
static int takes(int op, gnd_dtype t)
{
    int kind = gnd_dtype_kind(t);
    if ((op == GND__OP_LDEXP && (kind == 'f' || kind == 'c')) || /* ops_special.c */
        (op == GND__OP_FROM_PARTS && kind == 'c'))
        return 0;
    return gnd__op_text((gnd__op)op, gnd_dtype_kind(compute_dtype(op, t))) != NULL;
}

/* All operations on dtype t; layouts and shapes take turns, shifted by `turn`. */
static void operations(gnd_device *dev, gnd_dtype t, int turn)
{
    int op[GROUP], n = 0, refused = 0, allowed = 0;
    ref_seed((uint64_t)t * 7 + (uint64_t)turn);
    for (int o = 0; o <= GND__NOPS; o++) {
        if (o < GND__NOPS && !takes(o, t)) {
            gnd_scope_begin();
            gnd_array *x = gnd_zeros(dev, t, 0, NULL), *a[3] = {x, x, x};
            refused += gnd_status_of(apply(o, a)) == GND_ERR_DTYPE;
            allowed++;
            gnd_scope_end();
            continue;
        }
        if (o < GND__NOPS)
            op[n++] = o;
        if (n == GROUP || (o == GND__NOPS && n > 0)) {
            group(dev, t, op, n, (turn + t) % 5, turn % REF_NLAYOUTS);
            turn++;
            n = 0;
        }
    }
    tap_is_int(refused, allowed, "%s: operations that %s does not take say so", shape_name,
               gnd_dtype_name(t));
}

/* Every layout and shape with a few operations. */
static void layouts(gnd_device *dev)
{
    const int op[] = {GND__OP_ADD, GND__OP_MAXIMUM, GND__OP_LESS, GND__OP_WHERE};
    for (int s = 0; s < (int)(sizeof shapes / sizeof *shapes); s++)
        for (int l = 0; l < REF_NLAYOUTS; l++)
            if (shape_name[0] == 'g' || (s + l) % 2 == 0)
                group(dev, l % 2 ? GND_FLOAT32 : GND_INT16, op, 4, s, l);
}

/* --- pairs of dtypes -------------------------------------------------------------------------- */

/* Small values that every dtype holds exactly. */
static void small(ref_arr *a)
{
    int64_t n = ref_size(a);
    for (int64_t i = 0; i < n; i++)
        ref_put(a->t, a->p + i * (int64_t)gnd_dtype_size(a->t), ref_int(i % 12));
}

static void pairs(gnd_device *dev)
{
    const int64_t n = 45;
    for (int t = 0; t < GND_NDTYPES; t++) {
        gnd_array *sum[GND_NDTYPES], *cast[GND_NDTYPES];
        gnd_dtype with[GND_NDTYPES]; /* those that the device has */
        int nwith = 0;
        if (ref_skip(dev, (gnd_dtype)t, 1))
            continue;
        for (int u = 0; u < GND_NDTYPES; u++)
            if (!ref_skip(dev, (gnd_dtype)u, 1))
                with[nwith++] = (gnd_dtype)u;
        ref_arr x = ref_new((gnd_dtype)t, 1, &n);
        int bad = 0;
        char why[300] = "";
        gnd_scope_begin();
        small(&x);
        gnd_array *a = gnd_from(dev, (gnd_dtype)t, 1, &n, x.p);
        for (int k = 0; k < nwith; k++) {
            ref_arr y = ref_new(with[k], 1, &n);
            small(&y);
            sum[k] = gnd_add(a, gnd_flip(gnd_from(dev, with[k], 1, &n, y.p), GND_ALL));
            cast[k] = gnd_astype(a, with[k]);
            ref_free(&y);
        }
        for (int k = 0; k < nwith; k += GROUP) {
            gnd_eval_all(k + GROUP > nwith ? nwith - k : GROUP, sum + k);
            gnd_eval_all(k + GROUP > nwith ? nwith - k : GROUP, cast + k);
        }
        for (int k = 0; k < nwith; k++) {
            ref_arr got;
            gnd_dtype u = with[k], p = within(gnd_promote((gnd_dtype)t, u));
            if (gnd_dtype_kind((gnd_dtype)t) == 'c' && gnd_dtype_kind(u) != 'c' && u != GND_BOOL) {
                bad += gnd_status_of(cast[k]) != GND_ERR_DTYPE;
            } else if (!ref_read(cast[k], u, 1, &n, &got, why, sizeof why)) {
                bad++;
            } else {
                for (int64_t i = 0; i < n; i++) {
                    int64_t v = t == GND_BOOL ? i % 12 != 0 : i % 12;
                    bad += ref_ulps(u, ref_nth(&got, i), ref_as(u, ref_int(v)), 0) > 0;
                }
                ref_free(&got);
            }
            if (!ref_read(sum[k], p, 1, &n, &got, why, sizeof why)) {
                bad++;
                continue;
            }
            for (int64_t i = 0; i < n; i++) {
                int64_t v = i % 12, w = (n - 1 - i) % 12;
                v = t == GND_BOOL ? v != 0 : v;
                w = u == GND_BOOL ? w != 0 : w;
                bad += ref_ulps(p, ref_nth(&got, i), ref_as(p, ref_int(v + w)), 0) > 0;
            }
            ref_free(&got);
        }
        if (!tap_is_int(bad, 0, "%s: %s with and as every dtype", shape_name,
                        gnd_dtype_name((gnd_dtype)t)))
            tap_diag("%s", why);
        ref_free(&x);
        gnd_scope_end();
    }
}

/* What is about halfway between two numbers of 16 bits is rounded once. */
static void halfway(gnd_device *dev)
{
    static const gnd_dtype from[] = {GND_INT32, GND_UINT32, GND_INT64, GND_UINT64, GND_FLOAT64};
    static const gnd_dtype to[] = {GND_FLOAT16, GND_BFLOAT16};
    enum { N = 45 };
    const int64_t n = N;
    for (int t = 0; t < 5; t++)
        for (int u = 0; u < 2; u++) {
            ref_arr x = ref_new(from[t], 1, &n), got;
            char why[300] = "";
            int bad = 0;
            if (ref_skip(dev, from[t], 1))
                continue;
            gnd_scope_begin();
            for (int i = 0; i < N; i++) {
                const int bits = gnd_dtype_size(from[t]) == 4 ? 29 : 61;
                const int64_t v =
                    (((int64_t)(257 + 2 * i) << (bits - 8)) >> i % (bits - 9)) + i % 3 - 1;
                const long double f = ldexpl(2049 + 2 * i, -i) + ldexpl(i % 3 - 1, -30 - i);
                ref_put(from[t], x.p + i * (int64_t)gnd_dtype_size(from[t]),
                        t == 4 ? ref_float(f) : ref_int(v));
            }
            gnd_array *y = gnd_astype(gnd_from(dev, from[t], 1, &n, x.p), to[u]);
            if (ref_read(y, to[u], 1, &n, &got, why, sizeof why)) {
                for (int64_t i = 0; i < N; i++)
                    bad += ref_ulps(to[u], ref_nth(&got, i), ref_as(to[u], ref_nth(&x, i)), 0) > 0;
                ref_free(&got);
            } else {
                bad = 1;
            }
            tap_is_int(bad, 0, "%s to %s is rounded once%s", gnd_dtype_name(from[t]),
                       gnd_dtype_name(to[u]), why);
            ref_free(&x);
            gnd_scope_end();
        }
}

static void on_device(gnd_device *dev, const char *spec)
{
    int turn = 0;
    no_f64 = ref_lacks(dev, GND_FLOAT64);
    gnd_device_info info = {0};
    flushes = gnd_device_describe(dev, &info) == GND_OK && strstr(info.platform, "rusticl");
    tap_diag("%s, kernels shaped for %s", spec, shape_name);
    /* Intel's compiler is the second one for most of these: every fourth dtype */
    const int part = strstr(info.platform, "Intel") && !getenv("GND_TEST_ALL");
    for (int t = 0; t < GND_NDTYPES; t++) {
        if (shape_name[0] != 'c' && t % 3 != 2) /* half of the work is the compiler's */
            continue;
        if (part && shape_name[0] == 'c' && t % 4 && t != GND_FLOAT16 && t != GND_FLOAT32)
            continue;
        if (!ref_skip(dev, (gnd_dtype)t, 1))
            operations(dev, (gnd_dtype)t, turn++);
    }
    layouts(dev);
    if (shape_name[0] == 'c' && !part)
        pairs(dev);
    halfway(dev);
    gnd_stats s;
    if (gnd_device_stats(dev, &s) == GND_OK)
        tap_diag("%d kernels built, %d from disk", (int)s.kernels_built, (int)s.kernels_from_disk);
}

int main(void)
{
    static const char *const shape[] = {"cpu", "gpu"};
    for (int i = 0; i < 2; i++) {
        shape_name = shape[i];
        setenv("GND_KERNEL_SHAPE", shape[i], 1);
        ref_devices(on_device);
    }
    return tap_done();
}
