# SPDX-License-Identifier: BSD-3-Clause
"""Values of kernels in Python: a type and C expressions (one for a number; a pointer, extents and perhaps strides for an
array; those of its items for a tuple), and numbers as text."""
import math

from . import types as T
from .types import Array, Scalar, Tuple

SPACES = {'global': 'GND_GLOBAL', 'shared': 'GND_LOCAL_PTR', 'local': '', 'const': 'NB_CONSTANT'}


class Value:
    """What an expression is. const: its number, where that is known. obj: a thing of Python's (a module, a function).
    place: of an element, what can be assigned to."""
    __slots__ = ('type', 'parts', 'const', 'obj', 'positive', 'steady', 'place')

    def __init__(self, type, parts, const=None, obj=None, positive=False, steady=False, place=None):
        self.type, self.parts, self.const, self.obj, self.place = type, parts, const, obj, place
        self.positive, self.steady = positive, steady or const is not None

    @property
    def text(self):
        return self.parts[0]


def c_types(t):
    """The C types of a value's parts."""
    if isinstance(t, Scalar):
        return [t.c]
    if isinstance(t, Array):
        return [f'{SPACES[t.space]} {t.scalar.mem} *'] + ['g_i64'] * (t.ndim * (2 if t.layout == 'A' else 1))
    return [c for i in t.items for c in c_types(i)] if isinstance(t, Tuple) else []


def split(v):
    """The items of a tuple."""
    items, at = [], 0
    for t in v.type.items:
        n = len(c_types(t))
        items.append(Value(t, v.parts[at:at + n], steady=v.steady, const=v.const[len(items)] if v.const is not None else None))
        at += n
    return items


def joined(items, names=None):
    """A tuple of values; const: theirs, where all are known."""
    const = tuple(i.const for i in items) if items and all(i.const is not None for i in items) else None
    v = Value(Tuple([i.type for i in items], names), [p for i in items for p in i.parts], steady=all(i.steady for i in items))
    v.const = const
    return v


def literal(x, t):
    """A number as C text of type t."""
    if t.kind == 'c':
        half = T.float32 if t is T.complex64 else T.float64
        return f'gnd_cplx_{t.short}({literal(x.real, half)}, {literal(x.imag, half)})'
    if t.kind == 'f':
        x = float(x)
        if math.isnan(x) or math.isinf(x):
            s = f'GND_{"NAN" if math.isnan(x) else "INF"}_{suffix(t)}'
            return f'(-{s})' if x < 0 else s
        x = float(t.dtype.type(x))
        s = repr(x) + ('f' if t is not T.float64 else '')
        return f'({s})' if s[0] == '-' else s
    x = int(x)
    if t.kind == 'u':
        return f'(({t.c}){x}u)' if x < 2**32 else f'((({t.c}){x >> 32}u << 32) | {x & 0xffffffff}u)'
    if -2**31 < x < 2**31:
        return f'(({t.c}){x})' if x >= 0 else f'(({t.c})({x}))'
    x &= 2**64 - 1
    return f'(({t.c})(((g_u64){x >> 32}u << 32) | {x & 0xffffffff}u))'


def suffix(t):
    """What the functions of kernels that compute in t end in: float16 is computed in float32 and rounded."""
    return 'f32' if t is T.float16 else t.short


def rounded(t, text):
    """A float32 that is to be float16."""
    return f'gnd_round_f16({text})' if t is T.float16 else text
