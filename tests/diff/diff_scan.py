# SPDX-License-Identifier: BSD-3-Clause
#
# diff_scan.py - the reference's running sums, products and extremes, and unwrap, with their bounds, and
# random expressions of them.
import numpy as np
import diff_fold as fold
import diff_model as m
from diff_model import LD, TINY, V, finish, high, kind, lift, magnitude


def flattened(x, axis):
    return (x.ravel(), 0) if axis is None else (x, axis)


def default(x):
    return {'b': np.int64, 'i': np.int64, 'u': np.uint64}.get(x.dtype.kind, x.dtype)


def steps(val, axis, most):
    """1, 2, 3 ... along the axis, up to most: how many roundings an element may have."""
    shape = [1] * val.ndim
    shape[axis] = val.shape[axis]
    return np.minimum(np.arange(1, val.shape[axis] + 1), most).astype(LD).reshape(shape)


def settle(r, x, axis):
    """As diff_fold.overflow: what becomes infinite or NaN on the way may come otherwise."""
    if kind(r.val) not in 'fc':
        return r
    any_so_far = np.logical_or.accumulate
    inf_in = any_so_far(~np.isfinite(high(x.val)), axis=axis)
    unsure = any_so_far(~np.isfinite(x.err), axis=axis)
    wild = ~np.isfinite(np.abs(high(r.val))) & ~inf_in
    r.err = np.where(wild | unsure, LD(np.inf), r.err)
    return r


def cumsum(x, axis=None, dtype=None):
    x, axis = flattened(lift(x), axis)
    x = m.cast(x, np.dtype(dtype.dtype if dtype is not None else default(x)))
    val = np.cumsum(x.val, axis=axis, dtype=x.dtype)
    if kind(val) in 'iub':
        return V(val, np.cumsum(x.err, axis=axis))
    h = high(x.val)
    finite = np.where(np.isfinite(h), np.abs(h), 0)
    bound = np.cumsum(fold.bounded(x), axis=axis) + \
        np.cumsum(finite, axis=axis) * fold.eps_of(val.dtype) * steps(val, axis, 72)
    return settle(fold.reduced(val, np.cumsum(h, axis=axis), bound), x, axis)


def cumprod(x, axis=None, dtype=None):
    x, axis = flattened(lift(x), axis)
    x = m.cast(x, np.dtype(dtype.dtype if dtype is not None else default(x)))
    val = np.cumprod(x.val, axis=axis, dtype=x.dtype)
    if kind(val) in 'iub':
        return V(val, np.where(np.cumsum(x.err, axis=axis) > 0, LD(np.inf), LD(0)))
    h = high(x.val)
    mid = np.cumprod(h, axis=axis)
    most = np.cumprod(np.abs(h) + x.err, axis=axis)
    bound = magnitude(most - np.abs(mid)) + \
        np.abs(mid) * fold.eps_of(val.dtype) * 2 * steps(val, axis, 1 << 30)
    r = settle(fold.reduced(val, mid, bound), x, axis)
    span = np.cumsum(np.abs(np.log2(np.where(np.isfinite(h) & (h != 0), np.abs(h), 1))), axis=axis)
    top = 15 if val.dtype == np.float16 else 126 if val.dtype in (np.float32, np.complex64) else 1022
    r.err = np.where(span > top * 0.9, LD(np.inf), r.err)
    return r


def extreme(f):
    def g(x, axis=None):
        x, axis = flattened(lift(x), axis)
        val = f.accumulate(x.val, axis=axis)
        if x.exact():
            return V(val, np.where(val == 0, TINY, LD(0)) if kind(val) == 'f' else None)
        h, e = high(x.val), x.err
        hi, lo = f.accumulate(h + e, axis=axis), f.accumulate(h - e, axis=axis)
        return V(val, np.where(np.isnan(high(val)), LD(0), magnitude(hi - lo)) + TINY)
    return g


def standard(f, first):
    """The standard's form, of NumPy's."""
    def g(x, axis=None, dtype=None, include_initial=False):
        y = f(x, 0 if axis is None else axis, dtype)
        if not include_initial:
            return y
        axis = 0 if axis is None else axis
        shape = list(y.shape)
        shape[axis] = 1
        return V(np.concatenate([np.full(shape, first, y.dtype), y.val], axis),
                 np.concatenate([np.zeros(shape, LD), y.err], axis))
    return g


def without_nan(f, v):
    def g(x, axis=None, dtype=None):
        x = lift(x)
        if kind(x.val) in 'fc':
            nan = np.isnan(x.val)
            x = V(np.where(nan, x.dtype.type(v), x.val), np.where(nan, LD(0), x.err))
        return f(x, axis, dtype)
    return g


def unwrap(x, discont=None, axis=-1, *, period=2 * np.pi):
    x = lift(x)
    val = np.unwrap(x.val, discont, axis, period=period)
    if kind(val) in 'iu':
        return V(val, None if x.exact() else np.full(val.shape, np.inf, LD))
    h = high(x.val)
    d = np.diff(h, axis=axis, prepend=np.take(h, [0], axis)) if h.shape[axis] else h
    half = LD(period) / 2
    # a step near half a period may be corrected or not; and what is not exact may be any step
    off = np.abs(np.remainder(d - half, LD(period)))
    near = (np.minimum(off, period - off) < 1e-3 * period) | ~np.isfinite(d) | (x.err > 0)
    if discont is not None:
        near |= np.abs(np.abs(d) - discont) < 1e-3 * period
    unsure = np.logical_or.accumulate(near, axis=axis)
    size = np.cumsum(np.where(np.isfinite(d), np.abs(d), 0), axis=axis) + np.abs(h) + LD(period)
    bound = np.where(unsure, LD(np.inf), size * fold.eps_of(val.dtype) * 4 * steps(val, axis, 1 << 30))
    return finish(val, high(val), bound, 1, zero=False)


cumulative_sum, cumulative_prod = standard(cumsum, 0), standard(cumprod, 1)
fold.NAMES.update({
    'cumsum': cumsum, 'cumprod': cumprod, 'cumulative_sum': cumulative_sum,
    'cumulative_prod': cumulative_prod, 'cummax': extreme(np.maximum), 'cummin': extreme(np.minimum),
    'nancumsum': without_nan(cumsum, 0), 'nancumprod': without_nan(cumprod, 1), 'unwrap': unwrap,
    'True': True,
})
V.cumsum, V.cumprod = cumsum, cumprod


def scan(gen, shape, depth, kinds):
    """The text of a scan of that shape, by the generator's means (diff_gen.Gen)."""
    nd = len(shape)
    if not nd:
        raise IndexError
    k = int(gen.rng.integers(nd))
    axis = k - nd if gen.chance(0.3) else k
    name = gen.pick(['cumsum', 'cumsum', 'cumprod', 'cummax', 'cummin', 'nancumsum', 'nancumprod',
                     'cumulative_sum', 'cumulative_prod', 'unwrap'])
    gen.note(name)
    if name == 'unwrap':
        how = gen.pick(['', ', period=5', ', period=6', ', discont=4, period=7.5'])
        return f"unwrap({gen.sub(shape, depth, 'if')}, axis={axis}{how})"
    want = 'biuf' if name in ('cummax', 'cummin') else 'biufc'
    if name[:4] == 'cumu':
        more = ''
        if shape[k] > 0 and gen.chance(0.5):
            shape, more = shape[:k] + (shape[k] - 1,) + shape[k + 1:], ', include_initial=True'
        if nd > 1 or gen.chance(0.5):
            more = f', axis={axis}{more}'
        return f"{name}({gen.sub(shape, depth, want)}{more})"
    if nd == 1 and gen.chance(0.3):
        n = shape[0]
        f = gen.pick([i for i in range(1, 9) if n % i == 0])
        return f"{name}({gen.sub((f, n // f), depth, want)})"
    if name in ('cumsum', 'cumprod') and gen.chance(0.5):
        # complex numbers are not cast to real ones; floats to ints not where they may not fit
        t, want = gen.pick([('', want), (', dtype=float32', 'biuf'), (', dtype=int32', 'biu')])
        return f"{gen.sub(shape, depth, want)}.{name}(axis={axis}{t})"
    return f"{name}({gen.sub(shape, depth, want)}, {axis})"
