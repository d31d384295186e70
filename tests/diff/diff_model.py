# SPDX-License-Identifier: BSD-3-Clause
#
# diff_model.py - the reference of the differential test: NumPy's arrays with, for each element, a
# bound on how far another correct implementation may be away.
#
# V holds val (what NumPy gives, in NumPy's dtype) and err (longdouble, >= 0). An operation computes
# its value in the working dtype and, in longdouble, its values at the corners val +- err of its
# arguments; the bound of the result is the spread of the corners, plus what the operation itself may
# round (`ulps` of the result), plus how far NumPy is from the longdouble value. So bounds follow the
# magnitudes that occur, a comparison of values closer than their bounds becomes uncertain by itself,
# and err == 0 asks for the exact bits.
import math
import numpy as np

LD = np.longdouble
CLD = np.clongdouble
TINY = np.finfo(LD).tiny


def kind(a):
    return a.dtype.kind


def high(a):
    """The same values in the widest dtype of their kind."""
    if kind(a) == 'c':
        return a.astype(CLD)
    return a.astype(LD)


def magnitude(d):
    """|d|, infinite where it is not a number."""
    m = np.abs(d).astype(LD)
    return np.where(np.isnan(m), LD(np.inf), m)


def spacing(a):
    """One unit in the last place of a's magnitude, in a's own dtype."""
    if kind(a) == 'c':
        part = np.float32 if a.dtype == np.complex64 else np.float64
        a = np.maximum(np.abs(a.real), np.abs(a.imag)).astype(part)
    if kind(a) != 'f':
        return np.zeros(a.shape, LD)
    s = np.spacing(np.abs(a)).astype(LD)
    return np.where(np.isfinite(s), s, LD(0))


class V:
    """A value with its bound."""
    __array_ufunc__ = None
    __slots__ = ('val', 'err', 'weak')

    def __init__(self, val, err=None, weak=False):
        self.val = np.asarray(val)
        self.err = np.zeros(self.val.shape, LD) if err is None else err
        self.weak = weak

    shape = property(lambda s: s.val.shape)
    ndim = property(lambda s: s.val.ndim)
    dtype = property(lambda s: s.val.dtype)
    size = property(lambda s: s.val.size)
    T = property(lambda s: s.move(lambda a: a.T))
    mT = property(lambda s: s.move(lambda a: a.swapaxes(-1, -2)))
    real = property(lambda s: op('real')(s))
    imag = property(lambda s: op('imag')(s))

    def move(self, f):
        """Elements only change place."""
        return V(f(self.val), f(self.err))

    def __bool__(self):
        raise TypeError('an array is neither true nor false: chained comparisons')

    def exact(self):
        return not self.err.any()

    def __getitem__(self, i):
        return self.move(lambda a: a[i])

    def reshape(self, *s):
        s = s[0] if len(s) == 1 and isinstance(s[0], tuple) else s
        return self.move(lambda a: a.reshape(s))

    def ravel(self):
        return self.move(np.ravel)

    def transpose(self, *axes):
        return self.move(lambda a: a.transpose(*axes))

    def swapaxes(self, i, j):
        return self.move(lambda a: a.swapaxes(i, j))

    def squeeze(self, axis=None):
        return self.move(lambda a: a.squeeze(axis))

    def astype(self, t):
        return cast(self, np.dtype(t))

    def __neg__(self): return op('negative')(self)
    def __pos__(self): return op('positive')(self)
    def __invert__(self): return op('bitwise_invert')(self)


def lift(x):
    """A Python number or an array as V."""
    return x if isinstance(x, V) else V(np.asarray(x), weak=True)


# --- elementwise ----------------------------------------------------------------------------------

class Op:
    """ulps: what an implementation may be off; kinds: what it takes; zero: whether the sign of a zero
    result is promised; f: NumPy's function; g: the same for the longdouble values, if another."""
    def __init__(self, f, nin, kinds, ulps=0, zero=True, g=None, text=None, out=None):
        self.f, self.nin, self.kinds, self.ulps = f, nin, kinds, ulps
        self.zero, self.g, self.text, self.out = zero, g or f, text, out


def corners(v):
    """The values that v may have, in longdouble."""
    h = high(v.val)
    if not v.err.any():
        return [h]
    e = v.err
    if kind(v.val) == 'c':
        return [h, h + e, h - e, h + 1j * e, h - 1j * e]
    if kind(v.val) == 'b':
        return [h, np.where(e > 0, 1 - h, h)]
    wild = np.isinf(e)
    if wild.any():    # anything may be there: a NaN where it is none here, and no NaN where it is one
        lost = wild & np.isnan(h)
        return [h, np.where(lost, LD(np.inf), h + e), np.where(lost, -LD(np.inf), h - e),
                np.where(wild, LD(np.nan), h)]
    return [h, h + e, h - e]


def spread(g, args):
    """g at the arguments' values, and how far it is from that at their corners."""
    import itertools
    lists = [corners(a) for a in args]
    mid = np.asarray(g(*[c[0] for c in lists]))
    worst = np.zeros(mid.shape, LD)
    if any(len(c) > 1 for c in lists):
        for pick in itertools.product(*lists):
            r = np.asarray(g(*pick))
            same = (r == mid) | ((r != r) & (mid != mid))
            if r.dtype.kind == 'b':
                worst = np.maximum(worst, np.where(same, LD(0), LD(1)))
            else:
                worst = np.maximum(worst, np.where(same, LD(0), magnitude(r - mid)))
    return mid, worst * LD(1.5)


def finish(val, mid, worst, ulps, zero=True):
    """val with the bound from the corners, the operation's own rounding and NumPy's."""
    if kind(val) == 'b':
        off = np.where(val == mid.astype(bool), LD(0), LD(1))
        return V(val, np.maximum(worst, off))
    if kind(val) in 'iu':
        return V(val, worst)
    h = high(val)
    err = worst
    fits = mid.astype(val.dtype)
    agree = (fits == val) | ((fits != fits) & (val != val))
    if ulps or kind(val) == 'c':
        off = magnitude(h - mid)
        if kind(val) == 'c':
            agree = agree & np.isfinite(val)
        off = np.where(agree & ~np.isfinite(off), LD(0), off)
        big = np.where(np.isfinite(np.abs(val)), spacing(val), LD(0))
        err = err + LD(ulps) * big + off
        if val.dtype == np.float16:
            # inf here may be finite in an implementation that keeps more bits on the way
            err = np.where(np.isinf(val) & np.isfinite(mid), LD(np.inf), err)
    else:
        err = err + np.where(agree, LD(0), magnitude(h - mid))
        if val.dtype == np.float16:
            err = err + spacing(val)
            err = np.where(np.isinf(val) & np.isfinite(mid), LD(np.inf), err)
    if kind(val) == 'c':
        err = np.maximum(err, TINY)
        err = np.where(np.isfinite(np.abs(val)), err, LD(np.inf))
    elif not zero:
        err = np.where(val == 0, np.maximum(err, TINY), err)
    return V(val, err)


def call(o, *args):
    args = [lift(a) for a in args]
    raw = [a.val.item() if a.weak else a.val for a in args]
    val = np.asarray(o.f(*raw))
    if all(kind(a.val) in 'biu' and a.exact() for a in args) and kind(val) in 'biu':
        return V(val)
    args = [V(np.broadcast_to(a.val, val.shape), np.broadcast_to(a.err, val.shape)) for a in args]
    if all(kind(a.val) in 'biu' for a in args) and kind(val) in 'biu':
        unsure = np.logical_or.reduce([a.err > 0 for a in args])
        return V(val, np.where(unsure, LD(np.inf), LD(0)))
    if all(a.exact() for a in args) and kind(val) == 'b':
        return V(val)
    mid, worst = spread(o.g, args)
    if o.ulps >= 4:    # not straight enough between corners that far apart
        worst = np.where(worst > magnitude(mid) / 8 + TINY, LD(np.inf), worst)
    if o.f in (np.sin, np.cos, np.tan):
        worst = np.where(args[0].err > 1 / 16, LD(np.inf), worst)
    if o.f in (np.power, np.float_power) and kind(val) == 'c':    # exp(w log z), with w log z rounded
        with np.errstate(all='ignore'):
            z, w = (high(np.asarray(a.val, np.complex128)) for a in args)
            turned = magnitude(w * np.log(z)) * magnitude(mid) * LD(2 * np.finfo(val.dtype).eps)
        worst = worst + np.where(np.isfinite(turned), turned, LD(0))
    return finish(val, mid, worst, o.ulps, o.zero)


def exactly(f):
    """Comparisons of ints of any dtypes, without a detour over float64."""
    def g(a, b):
        a, b = np.asarray(a), np.asarray(b)
        if {kind(a), kind(b)} == {'i', 'u'}:
            return f(a.astype(object), b.astype(object)).astype(bool)
        return f(a, b)
    return g


def whole(f):
    """NumPy 2's rounding functions leave ints as they are; NumPy 1's make them floats."""
    return lambda a: a if kind(np.asarray(a)) in 'iub' else f(a)


def nextafter(a, b):
    """In the working dtype only: elsewhere the next number is another one."""
    a, b = lift(a), lift(b)
    val = np.asarray(np.nextafter(*[v.val.item() if v.weak else v.val for v in (a, b)]))
    return V(val, np.where((a.err > 0) | (b.err > 0), LD(np.inf), np.zeros(val.shape, LD)))


def erf(a):
    a = np.asarray(a)
    r = np.vectorize(math.erf, otypes=[np.float64])(a.astype(np.float64)) if a.size else \
        np.zeros(a.shape)
    if a.dtype == LD:
        return r.astype(LD)
    return r.astype(np.result_type(np.sin(np.zeros((), a.dtype))))


FLOAT, NUM, REAL, INT, ANY = 'biuf', 'iufc', 'biuf', 'iu', 'biufc'
OPS = {
    'add': Op(np.add, 2, ANY, text='+'),
    'subtract': Op(np.subtract, 2, NUM, text='-'),
    'multiply': Op(np.multiply, 2, ANY, text='*'),
    'divide': Op(np.divide, 2, ANY, 1, text='/'),
    'floor_divide': Op(np.floor_divide, 2, REAL, 1, zero=False, text='//'),
    'remainder': Op(np.remainder, 2, REAL, 1, zero=False, text='%'),
    'pow': Op(np.power, 2, 'fc', 16, text='**'),
    'bitwise_and': Op(np.bitwise_and, 2, 'biu', text='&'),
    'bitwise_or': Op(np.bitwise_or, 2, 'biu', text='|'),
    'bitwise_xor': Op(np.bitwise_xor, 2, 'biu', text='^'),
    'bitwise_left_shift': Op(np.left_shift, 2, INT, text='<<'),
    'bitwise_right_shift': Op(np.right_shift, 2, INT, text='>>'),
    'less': Op(exactly(np.less), 2, REAL, g=np.less, text='<', out='b'),
    'less_equal': Op(exactly(np.less_equal), 2, REAL, g=np.less_equal, text='<=', out='b'),
    'greater': Op(exactly(np.greater), 2, REAL, g=np.greater, text='>', out='b'),
    'greater_equal': Op(exactly(np.greater_equal), 2, REAL, g=np.greater_equal, text='>=', out='b'),
    'equal': Op(exactly(np.equal), 2, ANY, g=np.equal, text='==', out='b'),
    'not_equal': Op(exactly(np.not_equal), 2, ANY, g=np.not_equal, text='!=', out='b'),
    'negative': Op(np.negative, 1, NUM, text='-'),
    'positive': Op(np.positive, 1, NUM, text='+'),
    'bitwise_invert': Op(np.invert, 1, 'biu', text='~'),
    'logical_and': Op(np.logical_and, 2, ANY, out='b'),
    'logical_or': Op(np.logical_or, 2, ANY, out='b'),
    'logical_xor': Op(np.logical_xor, 2, ANY, out='b'),
    'logical_not': Op(np.logical_not, 1, ANY, out='b'),
    'maximum': Op(np.maximum, 2, REAL, zero=False),
    'minimum': Op(np.minimum, 2, REAL, zero=False),
    'copysign': Op(np.copysign, 2, FLOAT),
    'nextafter': Op(np.nextafter, 2, FLOAT),
    'hypot': Op(np.hypot, 2, FLOAT, 4),
    'atan2': Op(np.arctan2, 2, FLOAT, 6),
    'logaddexp': Op(np.logaddexp, 2, FLOAT, 8, zero=False),
    'abs': Op(np.abs, 1, ANY, 0),
    'square': Op(np.square, 1, NUM),
    'reciprocal': Op(np.reciprocal, 1, 'fc', 1),
    'sqrt': Op(np.sqrt, 1, ANY, 1),
    'sign': Op(np.sign, 1, 'iuf', zero=False),
    'ceil': Op(whole(np.ceil), 1, 'iuf'),
    'floor': Op(whole(np.floor), 1, 'iuf'),
    'trunc': Op(whole(np.trunc), 1, 'iuf'),
    'round': Op(whole(np.rint), 1, 'iuf'), 'rint': Op(whole(np.rint), 1, 'f'),
    'exp': Op(np.exp, 1, ANY, 4),
    'expm1': Op(np.expm1, 1, ANY, 4),
    'log': Op(np.log, 1, ANY, 4),
    'log1p': Op(np.log1p, 1, ANY, 4),
    'log2': Op(np.log2, 1, ANY, 4),
    'log10': Op(np.log10, 1, ANY, 4),
    'erf': Op(erf, 1, FLOAT, 4),
    'sin': Op(np.sin, 1, ANY, 4),
    'cos': Op(np.cos, 1, ANY, 4),
    'tan': Op(np.tan, 1, ANY, 5),
    'asin': Op(np.arcsin, 1, ANY, 5),
    'acos': Op(np.arccos, 1, ANY, 5),
    'atan': Op(np.arctan, 1, ANY, 5),
    'sinh': Op(np.sinh, 1, ANY, 5),
    'cosh': Op(np.cosh, 1, ANY, 5),
    'tanh': Op(np.tanh, 1, ANY, 5),
    'asinh': Op(np.arcsinh, 1, ANY, 6),
    'acosh': Op(np.arccosh, 1, ANY, 6),
    'atanh': Op(np.arctanh, 1, ANY, 6),
    'real': Op(np.real, 1, ANY),
    'imag': Op(np.imag, 1, ANY),
    'conj': Op(np.conjugate, 1, NUM),
    'isfinite': Op(np.isfinite, 1, ANY, out='b'),
    'isinf': Op(np.isinf, 1, ANY, out='b'),
    'isnan': Op(np.isnan, 1, ANY, out='b'),
    'signbit': Op(np.signbit, 1, 'f', out='b'),
}
# Complex elementary functions in one precision step less care: NumPy's own are off by some ulps.
COMPLEX_ULPS = 16


def op(name):
    o = OPS[name]
    if name == 'nextafter':
        return nextafter

    def f(*args):
        if o.ulps and any(kind(lift(a).val) == 'c' for a in args) or \
                name in ('abs', 'multiply', 'square') and kind(lift(args[0]).val) == 'c':
            o2 = Op(o.f, o.nin, o.kinds, max(o.ulps, COMPLEX_ULPS), False, o.g)
            return call(o2, *args)
        r = call(o, *args)
        if name in ('copysign', 'signbit'):    # a NaN's sign is nobody's promise
            nan = np.isnan(high(np.broadcast_to(lift(args[-1]).val, r.shape)))
            r.err = np.where(nan, LD(np.inf), r.err)
        return r
    return f


def binary_methods():
    for name, o in OPS.items():
        if o.nin != 2 or not o.text:
            continue
        dunder = {'+': 'add', '-': 'sub', '*': 'mul', '/': 'truediv', '//': 'floordiv', '%': 'mod',
                  '**': 'pow', '&': 'and', '|': 'or', '^': 'xor', '<<': 'lshift', '>>': 'rshift',
                  '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge', '==': 'eq', '!=': 'ne'}[o.text]
        setattr(V, f'__{dunder}__', lambda a, b, f=op(name): f(a, b))
        if o.out != 'b':
            setattr(V, f'__r{dunder}__', lambda a, b, f=op(name): f(b, a))


binary_methods()


def where(c, x, y):
    c, x, y = lift(c), lift(x), lift(y)
    val = np.where(c.val, x.val.item() if x.weak else x.val, y.val.item() if y.weak else y.val)
    t = np.result_type(*[v.val.dtype if not v.weak else type(v.val.item()) for v in (x, y)]) \
        if x.weak and y.weak else val.dtype
    if x.weak != y.weak:    # NumPy 1's where knows no weak scalars
        strong, weak = (y, x) if x.weak else (x, y)
        t = np.add(np.zeros((), strong.dtype), weak.val.item()).dtype if strong.dtype != bool or \
            not isinstance(weak.val.item(), bool) else np.dtype(bool)
    val = val.astype(t)
    with np.errstate(all='ignore'):
        cb = c.val.astype(bool)
        sure = np.where(cb, x.err, y.err)
        other = magnitude(high(np.broadcast_to(x.val, val.shape)) -
                          high(np.broadcast_to(y.val, val.shape))) + x.err + y.err
        err = np.where(np.broadcast_to(c.err > 0, val.shape), other, sure)
    return V(val, np.asarray(err, LD))


def clip(x, lo=None, hi=None):
    if lo is not None:
        x = op('maximum')(x, lo)
    return x if hi is None else op('minimum')(x, hi)


def cast(x, t):
    if t == x.dtype:
        return x
    with np.errstate(all='ignore'):
        val = x.val.astype(t)
        if kind(val) == 'b' or (kind(x.val) in 'biu' and kind(val) in 'biu'):
            mid, worst = spread(lambda a: a != 0, [x]) if kind(val) == 'b' else (val, x.err)
            return V(val, np.asarray(worst, LD))
        g = (lambda a: np.trunc(a)) if kind(val) in 'iu' else (lambda a: a)
        mid, worst = spread(g, [x])
        return finish(val, mid, worst, 1 if kind(val) in 'fc' and not np.can_cast(x.dtype, t) else 0)
