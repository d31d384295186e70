# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's functions in kernels: of numbers, np.maximum(a, b), and with an output, element by element of it:
np.add(x, y, out). What mathematics.py has for numbers of math is used where it is the same."""
import numpy as np

from . import mathematics as M
from . import types as T
from .types import Array
from .value import Value, suffix

BINARY = {np.add: '+', np.subtract: '-', np.multiply: '*', np.divide: '/', np.floor_divide: '//', np.remainder: '%',
          np.power: '**', np.bitwise_and: '&', np.bitwise_or: '|', np.bitwise_xor: '^', np.left_shift: '<<',
          np.right_shift: '>>'}
COMPARE = {np.less: '<', np.less_equal: '<=', np.greater: '>', np.greater_equal: '>=', np.equal: '==', np.not_equal: '!='}
LOGICAL = {np.logical_and: '&&', np.logical_or: '||', np.logical_xor: '!='}
# Of complex numbers too: gnd_NAME_c64.
COMPLEX = {np.sin: 'sin', np.cos: 'cos', np.tan: 'tan', np.sinh: 'sinh', np.cosh: 'cosh', np.tanh: 'tanh', np.exp: 'exp',
           np.expm1: 'expm1', np.log: 'log', np.log2: 'log2', np.log10: 'log10', np.log1p: 'log1p', np.sqrt: 'sqrt',
           np.arcsin: 'asin', np.arccos: 'acos', np.arctan: 'atan', np.arcsinh: 'asinh', np.arccosh: 'acosh',
           np.arctanh: 'atanh'}


def extreme(greater, nan):
    """np.maximum and its like. nan: a NaN is the result, else the other number."""
    def f(w, node, a, b):
        w.scalars((a, b), node)
        t = w.narrow(T.unify(a.type, b.type))
        a, b = w.temp(w.cast(a, t, node)).text, w.temp(w.cast(b, t, node)).text
        name = 'max' if greater else 'min'
        if t.kind == 'c':
            return Value(t, [f'gnd_{"" if nan else "f"}{name}_{t.short}({a}, {b})'])
        if t.kind == 'f' and not nan:
            return Value(t, [f'f{name}({a}, {b})'])
        first = f'{a} != {a} || ' if t.kind == 'f' else ''
        return Value(t, [f'({first}{a} {">" if greater else "<"} {b} ? {a} : {b})'])
    return f


def invert(w, node, v):
    w.scalars((v,), node)
    if v.type.kind not in 'biu':
        w.fail(node, f'~{v.type} is not possible')
    return Value(v.type, [f'(!{v.text})' if v.type.kind == 'b' else f'(({v.type.c})~{v.text})'])


def sign(w, node, v):
    v = w.temp(v)
    if v.type.kind == 'c':
        return Value(v.type, [f'gnd_sign_{v.type.short}({v.text})'])
    same = f'{v.text} != {v.text} ? {v.text} : ' if v.type.kind == 'f' else ''
    return Value(v.type, [f'(({v.type.c})({same}{v.text} > 0 ? 1 : {v.text} < 0 ? -1 : 0))'])


OTHERS = {
    np.maximum: extreme(True, True), np.minimum: extreme(False, True), np.fmax: extreme(True, False),
    np.fmin: extreme(False, False), np.invert: invert, np.negative: lambda w, node, v: w.negative(v, node), np.sign: sign,
    np.positive: lambda w, node, v: v, np.absolute: M.absolute, np.conjugate: lambda w, node, v: M.conjugate(w, node, v),
    np.deg2rad: M.scaled(np.pi / 180), np.rad2deg: M.scaled(180 / np.pi), np.square: lambda w, node, v: w.binary(
        '*', w.temp(v), w.temp(v), node),
    np.logical_not: lambda w, node, v: Value(T.boolean, [f'(!{w.truth(v, node).text})']),
    np.exp2: lambda w, node, v: of_float(w, node, v, 'exp2'),
}


def of_float(w, node, v, name):
    x = M.floating(w, v, node)
    return Value(x.type, [f'gnd_{name}_{suffix(x.type)}({x.text})'])


def of_numbers(w, node, o, args):
    """o of numbers, or None."""
    if o in BINARY:
        return w.binary(BINARY[o], *args, node)
    if o in COMPARE and 'c' in (args[0].type.kind, args[1].type.kind) and o not in (np.equal, np.not_equal):
        t = w.narrow(T.unify(args[0].type, args[1].type))  # NumPy's order: by the real part, then by the imaginary part
        a, b = (w.cast(v, t, node).text for v in (args if o in (np.less, np.less_equal) else args[::-1]))
        return Value(T.boolean, [f'(gnd_{"lt" if o in (np.less, np.greater) else "le"}_{t.short}({a}, {b}))'])
    if o in COMPARE:
        return Value(T.boolean, [w.compare(COMPARE[o], *args, node)])
    if o in LOGICAL:
        a, b = (w.truth(a, node).text for a in args)
        return Value(T.boolean, [f'({a} {LOGICAL[o]} {b})'])
    if o in OTHERS:
        return OTHERS[o](w, node, *args)
    if o in COMPLEX and args[0].type.kind == 'c':
        x = w.temp(args[0])
        return Value(x.type, [f'gnd_{COMPLEX[o]}_{x.type.short}({x.text})'])
    return M.call(w, node, o, args)


def call(w, node, o, args):
    """o(numbers), or o(numbers or arrays, out); None where o is none that kernels have."""
    if o.nout != 1 or len(args) not in (o.nin, o.nin + 1):
        w.fail(node, f'{o.__name__} takes {o.nin} inputs, or these and an output: {len(args)} given')
    if len(args) == o.nin:
        if any(isinstance(a.type, Array) for a in args):
            w.fail(node, f'{o.__name__} of an array takes the array for its results as the last argument')
        w.scalars(args, node)
        return of_numbers(w, node, o, args)
    *ins, out = [w.temp(a) for a in args]
    if not isinstance(out.type, Array):
        w.fail(node, f'{o.__name__}: {w.about(out)} is no array for the results')
    w.write_to(node.args[o.nin])
    for a in ins:
        if isinstance(a.type, Array) and a.type.ndim > out.type.ndim:
            w.fail(node, f'{a.type} does not fit into {out.type}')

    def element(at):
        found = of_numbers(w, node, o, [w.broadcast(a, at) if isinstance(a.type, Array) else a for a in ins])
        return found or w.fail(node, f'{o!r} cannot be called in a kernel')
    w.each(out, element, node)
    return Value(T.none, [], steady=True)
