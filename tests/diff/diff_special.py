# SPDX-License-Identifier: BSD-3-Clause
#
# diff_special.py - operations beyond the Array API standard for the differential test: those that
# NumPy has, by diff_model's rules, and random calls of them.
import numpy as np
import diff_model as m
from diff_fold import NAMES
from diff_model import LD, Op, V, kind, lift


def in_longdouble(f):
    """f computed in longdouble and rounded once: where NumPy itself is not accurate, or its dtype is
    decided elsewhere (whole numbers of any width as float64)."""
    def g(a):
        a = np.asarray(a)
        r = f(a.astype(LD))
        return r if a.dtype == LD else r.astype(a.dtype if kind(a) == 'f' else np.float64)
    return g


def sinc(x):
    """By the exact remainder of x by 2; numpy.sinc rounds pi x first."""
    r = np.fmod(np.abs(x), 2)
    r = np.where(r > 1.5, r - 2, np.where(r > 0.5, 1 - r, r))    # the same sine of pi r
    return np.where(x == 0, LD(1), np.sin(PI * r) / (PI * np.abs(x)))


def i0(x):
    """The power series; numpy.i0's coefficients are for float64."""
    term, total = np.ones_like(x), np.ones_like(x)
    for k in range(1, 1200):
        term = term * (x / (2 * k))**2
        total = total + term
    return np.where(np.isnan(x), x, np.where(np.abs(x) > 800, LD(np.inf), total))


PI = LD('3.14159265358979323846264338327950288')
FLOAT, NUM, REAL, INT, ANY = 'biuf', 'iufc', 'biuf', 'iu', 'biufc'
OPS = {
    'cbrt': Op(np.cbrt, 1, FLOAT, 2),
    'exp2': Op(np.exp2, 1, FLOAT, 4),
    'deg2rad': Op(np.deg2rad, 1, FLOAT, 2),
    'rad2deg': Op(np.rad2deg, 1, FLOAT, 2),
    'sinc': Op(in_longdouble(sinc), 1, FLOAT, 5, zero=False),
    'i0': Op(in_longdouble(i0), 1, FLOAT, 8),
    'isposinf': Op(np.isposinf, 1, 'iuf', out='b'),
    'isneginf': Op(np.isneginf, 1, 'iuf', out='b'),
    'isreal': Op(np.isreal, 1, ANY, out='b'),
    'iscomplex': Op(np.iscomplex, 1, ANY, out='b'),
    'angle': Op(np.angle, 1, NUM, 6),
    'fmod': Op(np.fmod, 2, REAL, zero=False),
    'fmax': Op(np.fmax, 2, REAL, zero=False),
    'fmin': Op(np.fmin, 2, REAL, zero=False),
    'heaviside': Op(np.heaviside, 2, FLOAT),
    'gcd': Op(np.gcd, 2, 'biu'),
    'lcm': Op(np.lcm, 2, 'biu'),
    'logaddexp2': Op(np.logaddexp2, 2, FLOAT, 8, zero=False),
    'float_power': Op(np.float_power, 2, NUM, 16),
    'ldexp': Op(np.ldexp, 2, 'iuf'),
}
ALIASES = {'deg2rad': 'radians', 'rad2deg': 'degrees'}


def op(name):
    o = OPS[name]

    def f(*args):
        if any(kind(lift(a).val) == 'c' for a in args) and o.out != 'b':
            return m.call(Op(o.f, o.nin, o.kinds, max(o.ulps, m.COMPLEX_ULPS), False), *args)
        return m.call(o, *args)
    return f


def ldexp(x, e):
    """The exponent is a whole number in every precision."""
    x, e = lift(x), lift(e)
    if kind(x.val) == 'c' or kind(e.val) not in 'biu':
        raise TypeError
    f = lambda a: np.ldexp(a, np.clip(e.val, -20000, 20000).astype(np.int32))
    r = m.call(Op(f, 1, 'iuf'), x) if not x.weak else V(f(x.val.item()))
    r.err = np.where(np.broadcast_to(e.err > 0, r.shape), LD(np.inf), r.err)
    return r


def pair(f, *args):
    """A function with two results as two operations."""
    return tuple(m.call(Op(lambda *a, k=k: f(*a)[k], len(args), FLOAT), *args) for k in range(2))


def nan_to_num(x, nan=0.0, posinf=None, neginf=None):
    x = lift(x)
    val = np.asarray(np.nan_to_num(x.val, nan=nan, posinf=posinf, neginf=neginf))
    err = np.where(np.isfinite(x.val), x.err, np.where(x.err > 0, LD(np.inf), LD(0)))
    # what may be infinite elsewhere may be replaced there
    top = LD(np.finfo(val.dtype).max) if kind(val) in 'fc' else LD(np.inf)
    return V(val, np.where(np.abs(m.high(val)) + err >= top / 2, np.where(x.err > 0, LD(np.inf), err), err))


def angle(z, deg=False):
    return m.op('multiply')(op('angle')(z), 180 / np.pi) if deg else op('angle')(z)


def round_(x, decimals=0):
    return m.call(Op(lambda a: np.round(a, decimals), 1, NUM, zero=False), lift(x))


NAMES.update({name: op(name) for name in OPS})
NAMES.update({
    'radians': NAMES['deg2rad'], 'degrees': NAMES['rad2deg'], 'angle': angle, 'ldexp': ldexp,
    'nan_to_num': nan_to_num, 'around': round_,
    'modf': lambda x: pair(np.modf, x), 'frexp': lambda x: pair(np.frexp, x),
    'divmod': lambda a, b: (m.op('floor_divide')(a, b), m.op('remainder')(a, b)),
})


class Specials:
    """Steps of diff_gen's generator."""

    def special(self, shape, depth, kinds):
        name = self.pick(list(OPS) + ['modf', 'frexp', 'divmod', 'nan_to_num', 'around', 'ldexp'])
        o = OPS.get(name)
        if o and o.out == 'b' and 'b' not in kinds:
            raise ValueError
        self.note(name)
        s = lambda want: self.sub(shape, depth, want)
        if name == 'ldexp':
            e = self.sub(self.part_of(shape), depth, 'iu') if self.chance(0.7) else '3'
            return f"ldexp({s('iuf')}, {e})"
        if name in ('modf', 'frexp'):
            return f"{name}({s(FLOAT)})[{self.pick([0, 1])}]"
        if name == 'divmod':
            return f"divmod({s(REAL)}, {self.sub(self.part_of(shape), depth, REAL)})[{self.pick([0, 1])}]"
        if name == 'nan_to_num':
            return f"nan_to_num({s('iufc')}{self.pick(['', ', nan=2.5', ', posinf=100, neginf=-1.5'])})"
        if name == 'around':
            return f"around({s('iufc')}, {self.pick([0, 1, 2, 3, -1, -2])})"
        if name == 'angle':
            return f"angle({s('iufc')}{self.pick(['', ', deg=True'])})"
        shown = ALIASES[name] if name in ALIASES and self.chance(0.3) else name
        if o.nin == 1:
            return f"{shown}({s(o.kinds)})"
        y = self.sub(self.part_of(shape), depth, o.kinds) if self.chance(0.75) else self.pick(['2', '3'])
        return f"{shown}({s(o.kinds)}, {y})"
