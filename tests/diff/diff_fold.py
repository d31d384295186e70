# SPDX-License-Identifier: BSD-3-Clause
#
# diff_fold.py - the reference's reductions, products of matrices and joins, with their bounds, and
# the names under which the expression language knows everything (for Python's eval).
import numpy as np
import diff_model as m
from diff_model import LD, TINY, V, finish, high, kind, lift, magnitude, spacing


def eps_of(t):
    t = {'c': np.float32 if t == np.complex64 else np.float64}.get(t.kind, t)
    return LD(np.finfo(t).eps) if np.dtype(t).kind == 'f' else LD(0)


def total(a, axis, keepdims):
    return np.asarray(np.sum(a, axis=axis, keepdims=keepdims))


def reduced(val, mid, bound):
    """val with the bound, and what NumPy itself is off. Zeros have no promised sign."""
    r = finish(val, np.asarray(mid), np.asarray(bound, LD), 1, zero=False)
    bad = ~np.isfinite(np.abs(high(r.val)))
    nan = np.isnan(high(r.val)) & ~np.isnan(np.asarray(bound, LD))
    r.err = np.where(bad & ~nan & (kind(val) != 'f'), LD(np.inf), r.err)
    return r


def bounded(v):
    """The bound where it is finite, for sums over elements of which some are not."""
    return np.where(np.isfinite(high(v.val)) if kind(v.val) in 'fc' else True, v.err, LD(0))


def sum_(x, axis=None, dtype=None, keepdims=False):
    x = lift(x) if dtype is None else m.cast(lift(x), np.dtype(dtype))
    val = np.asarray(np.sum(x.val, axis=axis, keepdims=keepdims))
    if kind(val) in 'iu':
        return V(val, total(x.err, axis, keepdims))
    n = max(1, x.size // max(1, val.size))
    h = high(x.val)
    finite = np.where(np.isfinite(h), np.abs(h), 0)
    bound = total(bounded(x), axis, keepdims) + total(finite, axis, keepdims) * eps_of(val.dtype) * \
        LD(min(n, 8))
    return overflow(reduced(val, total(h, axis, keepdims), bound), x, axis, keepdims)


def overflow(r, x, axis, keepdims):
    """An infinity or NaN that comes of a sum on the way, not of the elements, may come otherwise."""
    if kind(r.val) not in 'fc':
        return r
    hf = high(x.val)
    inf_in = np.asarray(np.any(~np.isfinite(hf), axis=axis, keepdims=keepdims))
    unsure = np.asarray(np.any(~np.isfinite(x.err), axis=axis, keepdims=keepdims))
    wild = ~np.isfinite(np.abs(high(r.val))) & ~inf_in
    r.err = np.where(wild | unsure, LD(np.inf), r.err)
    return r


def prod_(x, axis=None, dtype=None, keepdims=False):
    x = lift(x) if dtype is None else m.cast(lift(x), np.dtype(dtype))
    val = np.asarray(np.prod(x.val, axis=axis, keepdims=keepdims))
    if kind(val) in 'iu':
        return V(val, np.where(total(x.err, axis, keepdims) > 0, LD(np.inf), LD(0)))
    n = max(1, x.size // max(1, val.size))
    h = high(x.val)
    mid = np.prod(h, axis=axis, keepdims=keepdims)
    most = np.prod(np.abs(h) + x.err, axis=axis, keepdims=keepdims)
    bound = magnitude(most - np.abs(mid)) + np.abs(mid) * eps_of(val.dtype) * LD(2 * n)
    r = overflow(reduced(val, mid, bound), x, axis, keepdims)
    # Partial products may leave the range whatever the order of the others.
    span = np.abs(np.log2(np.where(np.isfinite(h) & (h != 0), np.abs(h), 1))).sum(
        axis=axis, keepdims=keepdims)
    top = 15 if val.dtype == np.float16 else 126 if val.dtype in (np.float32, np.complex64) else 1022
    r.err = np.where(span > top * 0.9, LD(np.inf), r.err)
    return r


def mean_(x, axis=None, dtype=None, keepdims=False):
    x = lift(x) if dtype is None else m.cast(lift(x), np.dtype(dtype))
    val = np.asarray(np.mean(x.val, axis=axis, keepdims=keepdims))
    n = x.size // max(1, val.size)
    h = high(x.val)
    finite = np.where(np.isfinite(h), np.abs(h), 0)
    bound = (total(bounded(x), axis, keepdims) + total(finite, axis, keepdims) *
             eps_of(val.dtype) * LD(min(max(n, 1), 8))) / LD(max(n, 1))
    mid = total(h, axis, keepdims) / LD(n) if n else np.full(val.shape, np.nan, h.dtype)
    return overflow(reduced(val, mid, bound), x, axis, keepdims)


def var_(x, axis=None, dtype=None, ddof=0, keepdims=False, root=False):
    x = lift(x) if dtype is None else m.cast(lift(x), np.dtype(dtype))
    val = np.asarray(np.var(x.val, axis=axis, ddof=ddof, keepdims=keepdims))
    h = high(x.val)
    n = x.size // max(1, val.size)
    with np.errstate(all='ignore'):
        mid = np.asarray(np.var(h, axis=axis, ddof=ddof, keepdims=keepdims))
        e = LD(eps_of(val.dtype)) * 8
        top = np.max(np.where(np.isfinite(h), np.abs(h), 0), axis=axis, keepdims=keepdims) if n else \
            np.zeros(val.shape, LD)
        worst = np.max(bounded(x), axis=axis, keepdims=keepdims) if n else np.zeros(val.shape, LD)
        d = worst + e * top
        scale = LD(n) / LD(n - ddof) if n > ddof else LD(1)
        dev = np.sqrt(np.where(mid > 0, mid, 0))
        bound = (4 * dev * d + 4 * d * d) * scale + 4 * e * np.where(np.isfinite(mid), mid, 0)
        if root:
            rval, rmid = np.sqrt(val), np.sqrt(mid)
            low = np.sqrt(np.where(mid > bound, mid - bound, 0))
            bound = np.maximum(np.sqrt(np.where(mid > 0, mid, 0) + bound) - rmid, rmid - low)
            bound = np.where(np.isnan(bound), 0, bound)
            val, mid = rval, rmid
    if n <= ddof:
        bound = np.full(val.shape, np.inf, LD)
    return overflow(reduced(val, mid, bound), x, axis, keepdims)


def std_(x, axis=None, dtype=None, ddof=0, keepdims=False):
    return var_(x, axis, dtype, ddof, keepdims, root=True)


def extreme(f):
    def g(x, axis=None, keepdims=False):
        x = lift(x)
        val = np.asarray(f(x.val, axis=axis, keepdims=keepdims))
        if x.exact():
            r = V(val)
            if kind(val) == 'f':
                r.err = np.where(val == 0, TINY, LD(0))
            return r
        h, e = high(x.val), x.err
        hi = f(h + e, axis=axis, keepdims=keepdims)
        lo = f(h - e, axis=axis, keepdims=keepdims)
        return V(val, np.where(np.isnan(high(val)), LD(0), magnitude(hi - lo)) + TINY)
    return g


def index_of(f):
    def g(x, axis=None, keepdims=False):
        x = lift(x)
        val = np.asarray(f(x.val, axis=axis, keepdims=keepdims))
        return V(val, None if x.exact() else np.full(val.shape, np.inf, LD))
    return g


def truth(f):
    def g(x, axis=None, keepdims=False):
        x = lift(x)
        val = np.asarray(f(x.val, axis=axis, keepdims=keepdims))
        unsure = (np.abs(high(x.val)) <= x.err) & (x.err > 0) if kind(x.val) != 'b' else x.err > 0
        t = x.val != 0
        a = f(t & ~unsure, axis=axis, keepdims=keepdims)
        b = f(t | unsure, axis=axis, keepdims=keepdims)
        return V(val, np.asarray(np.where(a == b, LD(0), LD(1)), LD))
    return g


def count_nonzero(x, axis=None, keepdims=False):
    x = lift(x)
    unsure = (np.abs(high(x.val)) <= x.err) & (x.err > 0) if kind(x.val) != 'b' else x.err > 0
    val = np.asarray(np.count_nonzero(x.val, axis=axis, keepdims=keepdims))
    return V(val, np.asarray(total(unsure.astype(LD), axis, keepdims), LD))


# --- products -------------------------------------------------------------------------------------

def matmul(a, b):
    a, b = lift(a), lift(b)
    val = np.asarray(np.matmul(a.val, b.val))
    if kind(val) == 'b':
        return V(val, None if a.exact() and b.exact() else np.full(val.shape, np.inf, LD))
    if kind(val) in 'iu':
        return V(val, None if a.exact() and b.exact() else np.full(val.shape, np.inf, LD))
    ha, hb = high(a.val), high(b.val)
    k = a.shape[-1]
    fa, fb = (np.where(np.isfinite(h), np.abs(h), 0) for h in (ha, hb))
    ea, eb = bounded(a), bounded(b)
    bound = np.matmul(fa + ea, fb + eb) - np.matmul(fa, fb)
    bound = bound + np.matmul(fa, fb) * eps_of(val.dtype) * LD(k + 4)
    r = reduced(val, np.matmul(ha, hb), np.asarray(bound, LD))
    # Infinities and NaN by rows and columns: where any operand is not finite, NaN and inf must agree
    # only if NumPy and longdouble do.
    wild = ~np.isfinite(np.abs(high(r.val)))
    same = np.asarray(np.matmul(ha, hb)).astype(val.dtype)
    agree = (same == r.val) | (np.isnan(same) & np.isnan(r.val))
    r.err = np.where(wild & (~agree | (kind(val) == 'c')), LD(np.inf), r.err)
    unsure = np.matmul((~np.isfinite(a.err)).astype(LD), np.ones(b.shape, LD)) + \
        np.matmul(np.ones(a.shape, LD), (~np.isfinite(b.err)).astype(LD))
    r.err = np.where(np.asarray(unsure) > 0, LD(np.inf), r.err)
    return r


V.__matmul__ = matmul
V.__rmatmul__ = lambda b, a: matmul(a, b)


def joined(f):
    def g(arrays, axis=0):
        arrays = [lift(a) for a in arrays]
        t = np.result_type(*[a.dtype for a in arrays])
        cast = [m.cast(a, t) for a in arrays]
        return V(f([a.val for a in cast], axis), f([a.err for a in cast], axis))
    return g


def moved(f):
    return lambda x, *a, **k: lift(x).move(lambda v: f(v, *a, **k))


def outer(a, b):
    return m.op('multiply')(a.ravel()[:, None], b.ravel()[None, :])


def diff(x, axis=-1):
    i = [slice(None)] * x.ndim
    hi, lo = list(i), list(i)
    hi[axis], lo[axis] = slice(1, None), slice(None, -1)
    return m.op('not_equal' if x.dtype == bool else 'subtract')(x[tuple(hi)], x[tuple(lo)])


def methods():
    for name, f in (('sum', sum_), ('prod', prod_), ('mean', mean_), ('var', var_), ('std', std_),
                    ('max', extreme(np.max)), ('min', extreme(np.min)), ('any', truth(np.any)),
                    ('all', truth(np.all)), ('argmax', index_of(np.argmax)),
                    ('argmin', index_of(np.argmin))):
        setattr(V, name, f)
        NAMES[name] = f


class Dtype:
    """A dtype that can be called, as NumPy's scalar types."""
    def __init__(self, name):
        self.dtype = np.dtype(name)

    def __call__(self, x):
        return m.cast(lift(x), self.dtype)


def triangle(f):
    return lambda x, k=0: x.move(lambda v: f(v, k))


NAMES = {name: m.op(name) for name in m.OPS}
NAMES.update({
    'where': m.where, 'clip': m.clip, 'matmul': matmul,
    'concat': joined(lambda a, axis: np.concatenate(a, axis=axis)),
    'stack': joined(lambda a, axis: np.stack(a, axis=axis)),
    'roll': moved(np.roll), 'tile': moved(np.tile), 'repeat': moved(np.repeat),
    'flip': moved(np.flip), 'expand_dims': moved(np.expand_dims), 'squeeze': moved(np.squeeze),
    'moveaxis': moved(np.moveaxis), 'broadcast_to': moved(np.broadcast_to),
    'permute_dims': moved(np.transpose), 'diagonal': moved(np.diagonal),
    'reshape': moved(np.reshape), 'swapaxes': moved(np.swapaxes),
    'tril': triangle(np.tril), 'triu': triangle(np.triu),
    'zeros': lambda *a, **k: V(np.zeros(*a, **k)), 'ones': lambda *a, **k: V(np.ones(*a, **k)),
    'full': lambda *a, **k: V(np.full(*a, **k)), 'eye': lambda *a, **k: V(np.eye(*a, **k)),
    'arange': lambda *a, **k: V(np.arange(*a, **k)),
    'linspace': lambda *a, **k: (lambda v: V(v, spacing(v) * LD(2)))(np.linspace(*a, **k)),
    'zeros_like': lambda x: V(np.zeros_like(x.val)), 'ones_like': lambda x: V(np.ones_like(x.val)),
    'count_nonzero': count_nonzero, 'outer': outer, 'diff': diff,
    'power': m.op('pow'), 'arctan2': m.op('atan2'), 'arccos': m.op('acos'), 'absolute': m.op('abs'),
    'mod': m.op('remainder'), 'invert': m.op('bitwise_invert'),
    'inf': float('inf'), 'nan': float('nan'), 'pi': np.pi, 'e': np.e, 'None': None,
})
methods()
for _t in ('bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 '
           'complex64 complex128').split():
    NAMES[_t] = Dtype(_t)
