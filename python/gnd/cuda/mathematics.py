# SPDX-License-Identifier: BSD-3-Clause
"""Numbers' functions that kernels may call: math, cmath, operator, bits, cuda.fp16, and NumPy's of one or two numbers."""
import cmath
import math
import operator

import numpy as np

from . import stubs
from . import types as T
from .value import Value, joined, literal, rounded, suffix

# math.f: the function of kernels/ with one or two floats.
MATH = {getattr(math, n): n for n in (
    'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'exp', 'expm1', 'log1p',
    'log2', 'log10', 'erf', 'erfc', 'lgamma', 'gamma')}
MATH |= {getattr(np, n): n for n in ('sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh', 'exp', 'expm1', 'log1p', 'log2', 'log10', 'exp2')}
MATH |= {np.arcsin: 'asin', np.arccos: 'acos', np.arctan: 'atan', np.arcsinh: 'asinh', np.arccosh: 'acosh', np.arctanh: 'atanh'}
MATH |= {stubs.exp2: 'exp2'} | ({math.exp2: 'exp2'} if hasattr(math, 'exp2') else {})
MATH2 = {math.atan2: 'atan2', math.hypot: 'hypot', math.pow: 'pow', np.arctan2: 'atan2', np.hypot: 'hypot'}
CMATH = {getattr(cmath, n): n for n in ('sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh', 'exp', 'sqrt', 'log10', 'asin', 'acos',
                                        'atan', 'asinh', 'acosh', 'atanh')}
# What both languages have as one overloaded function.
PLAIN = {math.sqrt: 'sqrt', math.fabs: 'fabs', np.sqrt: 'sqrt', np.fabs: 'fabs', stubs.cbrt: 'cbrt', np.cbrt: 'cbrt',
         np.floor: 'floor', np.ceil: 'ceil', np.trunc: 'trunc', np.rint: 'rint'} | (
             {math.cbrt: 'cbrt'} if hasattr(math, 'cbrt') else {})
PLAIN2 = {math.copysign: 'copysign', math.fmod: 'fmod', math.remainder: 'remainder', np.copysign: 'copysign'}
OPERATORS = {operator.add: '+', operator.sub: '-', operator.mul: '*', operator.truediv: '/', operator.floordiv: '//',
             operator.mod: '%', operator.pow: '**', operator.and_: '&', operator.or_: '|', operator.xor: '^',
             operator.lshift: '<<', operator.rshift: '>>'}
OPERATORS |= {getattr(operator, n): OPERATORS[getattr(operator, n[1:] + ('_' if n in ('iand', 'ior') else ''))] for n in (
    'iadd', 'isub', 'imul', 'itruediv', 'ifloordiv', 'imod', 'ipow', 'iand', 'ior', 'ixor', 'ilshift', 'irshift')}
COMPARISONS = {operator.lt: '<', operator.le: '<=', operator.gt: '>', operator.ge: '>=', operator.eq: '==', operator.ne: '!='}


def floating(w, v, node):
    """v as a float: ints are float64."""
    w.scalars((v,), node)
    if v.type.kind == 'c':
        w.fail(node, f'{v.type}: cmath has functions of complex numbers')
    return w.cast(v, v.type if v.type.kind == 'f' else w.narrow(T.float64), node)


def two(w, args, node):
    """Two floats of one type, and it."""
    x, y = (floating(w, a, node) for a in args)
    t = T.unify(x.type, y.type)
    return w.cast(x, t, node), w.cast(y, t, node), t


def call(w, node, o, args):
    """o(args), or None where o is nothing of these."""
    n = len(args)
    if o in MATH and n == 1 or o in PLAIN and n == 1:
        x = floating(w, args[0], node)
        f = f'gnd_{MATH[o]}_{suffix(x.type)}' if o in MATH else PLAIN[o]
        return Value(x.type, [rounded(x.type, f'{f}({x.text})')])
    if o in MATH2 and n == 2:
        x, y, t = two(w, args, node)
        return Value(t, [rounded(t, f'gnd_{MATH2[o]}_{suffix(t)}({x.text}, {y.text})')])
    if o in PLAIN2 and n == 2:
        x, y, t = two(w, args, node)
        return Value(t, [rounded(t, f'{PLAIN2[o]}({x.text}, {y.text})')])
    if o in CMATH and n == 1:
        x = complex_of(w, args[0], node)
        return Value(x.type, [f'gnd_{CMATH[o]}_{x.type.short}({x.text})'])
    if o in OPERATORS and n == 2:
        return w.binary(OPERATORS[o], *args, node)
    if o in COMPARISONS and n == 2:
        return Value(T.boolean, [w.compare(COMPARISONS[o], *args, node)])
    f = FUNCTIONS.get(o)
    if f and n in f[0]:
        return f[1](w, node, *args)
    if f:
        w.fail(node, f'{getattr(o, "__name__", o)} takes {" or ".join(map(str, f[0]))} numbers, {n} given')
    return None


def complex_of(w, v, node):
    w.scalars((v,), node)
    return w.temp(w.cast(v, v.type if v.type.kind == 'c' else w.narrow(T.complex128), node))


def real_of(t):
    return T.float32 if t is T.complex64 else T.float64


def is_(name):
    def f(w, node, x):
        w.scalars((x,), node)
        if x.type.kind == 'c':
            x = w.temp(x)
            return Value(T.boolean, [f'gnd_is{name}_{x.type.short}({x.text})'])
        if x.type.kind in 'biu':
            return w.constant(name == 'finite', node)
        x, s = w.temp(x), suffix(x.type)
        return Value(T.boolean, [{'nan': f'({x.text} != {x.text})', 'inf': f'(fabs({x.text}) == GND_INF_{s})',
                                  'finite': f'(fabs({x.text}) < GND_INF_{s})'}[name]])
    return f


def log(w, node, x, base=None):
    x = floating(w, x, node)
    y = Value(x.type, [rounded(x.type, f'gnd_log_{suffix(x.type)}({x.text})')])
    return y if base is None else w.binary('/', y, log(w, node, base), node)


def clog(w, node, x, base=None):
    x = complex_of(w, x, node)
    y = Value(x.type, [f'gnd_log_{x.type.short}({x.text})'])
    return y if base is None else w.binary('/', w.temp(y), w.temp(clog(w, node, base)), node)


def whole(name):
    """math.floor and its like: an int."""
    def f(w, node, x):
        w.scalars((x,), node)
        if x.type.kind in 'biu':
            return w.cast(x, T.int64, node)
        return w.cast(Value(x.type, [f'{name}({x.text})']), T.int64, node)
    return f


def round_(w, node, v, digits=None):
    """An int; of floats with digits, builtins.py has it."""
    return whole('rint')(w, node, v)


def scaled(factor):
    """math.degrees and math.radians."""
    def f(w, node, x):
        x = floating(w, x, node)
        return w.binary('*', x, Value(x.type, [literal(factor, x.type)], const=None), node)
    return f


def modf(w, node, x):
    x = w.temp(floating(w, x, node))
    part = f'(fabs({x.text}) == GND_INF_{suffix(x.type)} ? ({x.type.c})0 : {x.text} - trunc({x.text}))'
    return joined([Value(x.type, [f'copysign({part}, {x.text})']), Value(x.type, [f'trunc({x.text})'])])


def frexp(w, node, x):
    x = w.temp(floating(w, x, node))
    s = suffix(x.type)
    return joined([Value(x.type, [f'gnd_frexpm_{s}({x.text})']), Value(T.int32, [f'gnd_frexpe_{s}({x.text})'])])


def ldexp(w, node, x, e):
    x, e = floating(w, x, node), w.cast(e, T.int32, node)
    return Value(x.type, [rounded(x.type, f'gnd_ldexp_{suffix(x.type)}({x.text}, {e.text})')])


def nextafter(w, node, x, y):
    x, y, t = two(w, (x, y), node)
    return Value(t, [f'gnd_nextafter_f16({x.text}, {y.text})' if t is T.float16 else f'nextafter({x.text}, {y.text})'])


def phase(w, node, z):
    z = complex_of(w, z, node)
    s, r = z.type.short, real_of(z.type)
    return Value(r, [f'gnd_atan2_{r.short}(gnd_im_{s}({z.text}), gnd_re_{s}({z.text}))'])


def polar(w, node, z):
    z = complex_of(w, z, node)
    return joined([absolute(w, node, z), phase(w, node, z)])


def rect(w, node, r, phi):
    r, phi, t = two(w, (r, phi), node)
    r, phi = w.temp(r), w.temp(phi)
    c = T.complex64 if t is T.float32 else w.narrow(T.complex128)
    x, y = (f'({r.text} != 0 || {phi.text} - {phi.text} == 0 ? {r.text} * gnd_{f}_{t.short}({phi.text}) : ({t.c})0)'
            for f in ('cos', 'sin'))  # of 0 and an infinite angle: 0
    y = f'({phi.text} == 0 ? copysign(({t.c})1, {r.text}) * {phi.text} : {y})'  # of an infinite r too
    return Value(c, [f'gnd_cplx_{c.short}({x}, {y})'])


def absolute(w, node, v):
    w.scalars((v,), node)
    t = v.type
    if t.kind == 'c':
        r, z = real_of(t), w.temp(v).text
        return Value(r, [f'gnd_hypot_{r.short}(gnd_re_{t.short}({z}), gnd_im_{t.short}({z}))'])
    if t.kind == 'f':
        return Value(t, [f'fabs({v.text})'])
    v = w.temp(w.cast(v, t if t.bits == 64 else T.int64, node))
    return v if t.kind in 'ub' else Value(v.type, [f'({v.text} < 0 ? 0 - {v.text} : {v.text})'], positive=True)


def conjugate(w, node, v):
    return Value(v.type, [f'gnd_conj_{v.type.short}({v.text})']) if v.type.kind == 'c' else v


def fma(w, node, a, b, c):
    w.scalars((a, b, c), node)
    t = T.unify(T.unify(a.type, b.type), c.type)
    t = w.narrow(t if t.kind == 'f' else T.float64)
    return Value(t, [rounded(t, f'fma({", ".join(w.cast(v, t, node).text for v in (a, b, c))})')])


def select(w, node, c, a, b):
    w.scalars((a, b), node)
    t = w.narrow(T.unify(a.type, b.type))
    return Value(t, [f'({w.truth(c, node).text} ? {w.cast(a, t, node).text} : {w.cast(b, t, node).text})'])


def bits(name, result=None):
    """A function of an int's bits: of 32 or 64 of them."""
    def f(w, node, v):
        w.scalars((v,), node)
        if v.type.kind not in 'biu':
            w.fail(node, f'{v.type}: {name} is of ints')
        n = 64 if v.type.bits == 64 else 32
        w.unit.need('bits')
        t = result or (T.int64 if n == 64 else T.int32) if v.type.kind != 'u' else T.SCALARS[f'uint{n}']
        return Value(t, [f'(({t.c})nb_{name}{n}((g_u{n})({w.cast(v, T.SCALARS[f"uint{n}"], node).text})))'], positive=name != 'brev')
    return f


def half(text, result=T.float16):
    """A function of cuda.fp16: text with {0}, {1}, {2} in float32."""
    def f(w, node, *args):
        x = [w.temp(w.cast(a, T.float16, node)).text for a in args]
        return Value(result, [text.format(*x) if result is not T.float16 else rounded(T.float16, text.format(*x))])
    return f


FUNCTIONS = {
    math.isnan: ((1,), is_('nan')), math.isinf: ((1,), is_('inf')), math.isfinite: ((1,), is_('finite')),
    cmath.isnan: ((1,), is_('nan')), cmath.isinf: ((1,), is_('inf')), cmath.isfinite: ((1,), is_('finite')),
    np.isnan: ((1,), is_('nan')), np.isinf: ((1,), is_('inf')), np.isfinite: ((1,), is_('finite')),
    math.log: ((1, 2), log), np.log: ((1,), log), cmath.log: ((1, 2), clog),
    math.floor: ((1,), whole('floor')), math.ceil: ((1,), whole('ceil')), math.trunc: ((1,), whole('trunc')),
    round: ((1, 2), round_), math.degrees: ((1,), scaled(180 / math.pi)), math.radians: ((1,), scaled(math.pi / 180)),
    np.degrees: ((1,), scaled(180 / math.pi)), np.radians: ((1,), scaled(math.pi / 180)),
    math.modf: ((1,), modf), math.frexp: ((1,), frexp), math.ldexp: ((2,), ldexp),
    cmath.phase: ((1,), phase), cmath.polar: ((1,), polar), cmath.rect: ((2,), rect),
    abs: ((1,), absolute), operator.abs: ((1,), absolute), np.abs: ((1,), absolute), stubs.fma: ((3,), fma),
    stubs.selp: ((3,), select), stubs.popc: ((1,), bits('popc')), stubs.clz: ((1,), bits('clz')),
    stubs.ffs: ((1,), bits('ffs')), stubs.brev: ((1,), bits('brev')),
    operator.neg: ((1,), lambda w, node, v: w.negative(v, node)),
    operator.not_: ((1,), lambda w, node, v: Value(T.boolean, [f'(!{w.truth(v, node).text})'])),
}
if hasattr(math, 'nextafter'):
    FUNCTIONS[math.nextafter] = ((2,), nextafter)
FUNCTIONS[np.nextafter] = ((2,), nextafter)
for _name, _text in (('hadd', '{0} + {1}'), ('hsub', '{0} - {1}'), ('hmul', '{0} * {1}'), ('hdiv', '{0} / {1}'),
                     ('hmax', 'fmax({0}, {1})'), ('hmin', 'fmin({0}, {1})')):
    FUNCTIONS[getattr(stubs.fp16, _name)] = ((2,), half(_text))
FUNCTIONS[stubs.fp16.hfma] = ((3,), half('fma({0}, {1}, {2})'))
for _name, _text in (('hneg', '-{0}'), ('habs', 'fabs({0})'), ('hrcp', '1.0f / {0}'), ('hrsqrt', '1.0f / sqrt({0})'),
                     ('hsqrt', 'sqrt({0})'), ('hceil', 'ceil({0})'), ('hfloor', 'floor({0})'), ('htrunc', 'trunc({0})'),
                     ('hrint', 'rint({0})'), *((f'h{n}', f'gnd_{n}_f32({{0}})') for n in (
                         'sin', 'cos', 'log', 'log2', 'log10', 'exp', 'exp2')), ('hexp10', 'gnd_pow_f32(10.0f, {0})')):
    FUNCTIONS[getattr(stubs.fp16, _name)] = ((1,), half(_text))
for _name, _sign in (('heq', '=='), ('hne', '!='), ('hge', '>='), ('hgt', '>'), ('hle', '<='), ('hlt', '<')):
    FUNCTIONS[getattr(stubs.fp16, _name)] = ((2,), half('({0} ' + _sign + ' {1})', T.boolean))
