# SPDX-License-Identifier: BSD-3-Clause
#
# diff_stat.py - statistics, reductions without NaN, differences, comparisons of arrays and polynomials
# for the differential test: what they should give, with bounds, and random calls of them. Values are
# NumPy's own where it has the function; bounds come from the same formula made of diff_model's
# operations, or from the magnitudes that a sum has.
import numpy as np
import diff_fold as fold
import diff_model as m
from diff_fold import NAMES, eps_of, lift, total
from diff_model import LD, V, high, kind, magnitude, spacing

INF = LD(np.inf)


def judged(val, model):
    """NumPy's val with the bound of a model of it, whose own value may be off by as much again."""
    val = np.asarray(val)
    assert val.shape == model.shape and val.dtype == model.dtype, (val.dtype, model.dtype)
    with np.errstate(all='ignore'):
        off = magnitude(high(val) - high(model.val))
        same = (val == model.val) | ((val != val) & (model.val != model.val))
    off = np.where(same, LD(0), off)
    if kind(val) == 'b':
        off = np.where(same, LD(0), LD(1))
    assert not (off > 64 * (model.err + spacing(val))).any() or not np.isfinite(off).all()
    return V(val, model.err + off)


def whole(x):
    return kind(x.val) in 'biu'


def as_float(x):
    return m.cast(x, np.dtype(np.float64)) if whole(x) else x


def undetermined(r, x, axis, keepdims=False):
    """r, whose elements that come of unknown ones are unknown (those may be NaN)."""
    r.err = np.where(np.any(np.isinf(x.err), axis=axis, keepdims=keepdims), INF, r.err)
    return r


# --- without NaN ----------------------------------------------------------------------------------

def filled(x, v):
    nan = np.isnan(x.val)
    return V(np.where(nan, x.dtype.type(v), x.val), np.where(nan, LD(0), x.err)), nan


def nan_sum(f, v):
    def g(x, axis=None, keepdims=False):
        if whole(x):
            return f(x, axis=axis, keepdims=keepdims)
        y, _ = filled(x, v)
        return undetermined(f(y, axis=axis, keepdims=keepdims), x, axis, keepdims)
    return g


def nanmean(x, axis=None, keepdims=False):
    if whole(x):
        return fold.mean_(x, axis=axis, keepdims=keepdims)
    y, nan = filled(x, 0)
    n = np.asarray(np.sum(~nan, axis=axis, keepdims=keepdims))
    s = fold.sum_(y, axis=axis, keepdims=keepdims)
    r = m.op('divide')(s, V(n.astype(s.val.real.dtype)))
    return undetermined(judged(np.nanmean(x.val, axis=axis, keepdims=keepdims), r), x, axis, keepdims)


def nanvar(x, axis=None, ddof=0, keepdims=False, root=False):
    if whole(x):
        return fold.var_(x, axis=axis, ddof=ddof, keepdims=keepdims, root=root)
    how = {'axis': axis, 'keepdims': keepdims}
    y, nan = filled(x, 0)
    val = np.asarray((np.nanstd if root else np.nanvar)(x.val, ddof=ddof, **how))
    h = high(x.val)
    mid = np.asarray(np.nanvar(h, ddof=ddof, **how))
    n = np.asarray(np.sum(~nan, **how))
    e = LD(eps_of(val.dtype)) * 8
    top = np.max(np.where(np.isfinite(h), np.abs(h), 0), initial=0, **how)
    worst = np.max(fold.bounded(y), initial=0, **how)
    d = worst + e * top
    good = np.where(mid > 0, mid, 0)
    scale = np.where(n > ddof, LD(1) * n / np.maximum(n - ddof, 1), 1)
    bound = (4 * np.sqrt(good) * d + 4 * d * d) * scale + 4 * e * good
    if root:
        low = np.sqrt(np.where(mid > bound, mid - bound, 0))
        mid = np.sqrt(mid)
        bound = np.maximum(np.sqrt(good + bound) - np.sqrt(good), np.sqrt(good) - low)
    r = fold.overflow(fold.reduced(val, mid, np.asarray(bound, LD)), y, axis, keepdims)
    return undetermined(r, x, axis, keepdims)


def nan_extreme(f, v):
    def g(x, axis=None, keepdims=False):
        if whole(x):
            return fold.extreme(f)(x, axis=axis, keepdims=keepdims)
        y, nan = filled(x, v)
        r = fold.extreme(f)(y, axis=axis, keepdims=keepdims)
        none = np.all(nan, axis=axis, keepdims=keepdims)
        r = V(np.where(none, x.dtype.type(np.nan), r.val), np.where(none, LD(0), r.err))
        return undetermined(r, x, axis, keepdims)
    return g


def nan_index(f, v):
    """-1 where there are only NaN; never the index of a NaN (NumPy's is for [nan, inf])."""
    def g(x, axis=None, keepdims=False):
        if whole(x):
            return fold.index_of(f)(x, axis=axis, keepdims=keepdims)
        y, nan = filled(x, v)
        val = f(y.val, axis=axis, keepdims=True)
        at = np.where(np.take_along_axis(nan, val, axis) if axis is not None else nan.ravel()[val],
                      np.argmax(~nan, axis=axis, keepdims=True), val)
        at = np.where(np.all(nan, axis=axis, keepdims=True), -1, at)
        at = at if keepdims else np.squeeze(at, axis)
        return V(at, None if x.exact() else np.full(at.shape, INF))
    return g


# --- statistics -----------------------------------------------------------------------------------

def ptp(x, axis=None, keepdims=False):
    high_, low = (fold.extreme(f)(x, axis=axis, keepdims=keepdims) for f in (np.max, np.min))
    return m.op('subtract')(high_, low)


def average(x, axis=None, weights=None, keepdims=False):
    if weights is None:
        return fold.mean_(x, axis=axis, keepdims=keepdims)
    t = np.result_type(x.dtype, weights.dtype, *([np.float64] if whole(x) else []))
    w = m.cast(weights, t)
    if w.shape != x.shape:
        w = w.reshape(tuple(n if k == axis % x.ndim else 1 for k, n in enumerate(x.shape)))
    p = fold.sum_(m.op('multiply')(m.cast(x, t), w), axis=axis, keepdims=keepdims)
    wide = V(np.broadcast_to(w.val, x.shape), np.broadcast_to(w.err, x.shape))
    r = m.op('divide')(p, fold.sum_(wide, axis=axis, keepdims=keepdims))
    try:
        r = judged(np.average(x.val, axis=axis, weights=weights.val, keepdims=keepdims), r)
    except ZeroDivisionError:   # NumPy's, for weights that sum to 0
        pass
    return undetermined(r, x, axis, keepdims)


def moments(x, rowvar, ddof):
    """(value, bound) of the covariances."""
    val = np.atleast_2d(np.cov(x.val, rowvar=rowvar, ddof=ddof))
    rows = np.atleast_2d(high(x.val)) if rowvar or x.ndim < 2 else high(x.val).T
    err = np.atleast_2d(x.err) if rowvar or x.ndim < 2 else x.err.T
    if not np.isfinite(rows).all() or not np.isfinite(err).all() or rows.shape[1] <= ddof:
        return val, np.full(val.shape, INF)
    e = LD(np.finfo(val.real.dtype).eps)
    n = rows.shape[1]
    d = np.abs(rows - rows.mean(axis=1, keepdims=True))
    off = err + err.mean(axis=1, keepdims=True) + 8 * e * np.abs(rows).max(axis=1, keepdims=True)
    bound = (d + off) @ (d + off).T - d @ d.T + e * (n + 8) * (d @ d.T)
    return val, bound / LD(n - ddof) + spacing(val)


def cov(x, rowvar=True, ddof=1):
    val, bound = moments(x, rowvar, ddof)
    shape = () if val.size == 1 else val.shape
    return V(val.reshape(shape), bound.reshape(shape))


def corrcoef(x, rowvar=True):
    c, b = moments(x, rowvar, 1)
    val = np.asarray(np.corrcoef(x.val, rowvar=rowvar))
    var = np.diag(c).real.astype(LD)
    with np.errstate(all='ignore'):
        off = np.diag(b) / var
        off = np.where(off < 0.1, off, INF)
        sd = np.sqrt(var)
        bound = (2 * b / np.outer(sd, sd) + 2 * np.abs(c).astype(LD) / np.outer(sd, sd) *
                 (off[:, None] + off[None, :]) + 16 * np.finfo(c.real.dtype).eps)
        bound = np.where(np.isfinite(bound) & np.isfinite(np.atleast_2d(val)), bound, INF)
    return V(val, bound.reshape(val.shape))


def trace(x, offset=0):
    return fold.sum_(x.move(lambda v: np.diagonal(v, offset)), axis=-1)


def logsumexp(x, axis=None, keepdims=False):
    """NumPy's logaddexp.reduce, which rounds at every step."""
    y = as_float(x)
    if y.dtype == np.float16 or axis is None:
        raise TypeError
    val = np.asarray(np.logaddexp.reduce(y.val, axis=axis, keepdims=keepdims))
    e, n = eps_of(val.dtype), LD(x.shape[axis])
    bound = np.max(y.err, axis=axis, keepdims=keepdims, initial=0) * 2
    bound = bound + 8 * e * n * (np.where(np.isfinite(val), np.abs(val), 0) + 2)
    return undetermined(V(val, bound), y, axis, keepdims)


# --- differences ----------------------------------------------------------------------------------

def part(x, axis, lo, hi):
    i = [slice(None)] * x.ndim
    i[axis] = slice(lo, hi)
    return x[tuple(i)]


def diff(x, n=1, axis=-1, prepend=None, append=None):
    parts = [p for p in (prepend, x, append) if p is not None]
    if len(parts) > 1 and n:
        x = NAMES['concat'](parts, axis=axis)
    for _ in range(n):
        op = m.op('not_equal' if x.dtype == bool else 'subtract')
        x = op(part(x, axis, 1, None), part(x, axis, None, -1)) if x.shape[axis] else x
    return x


def ediff1d(x, to_end=None, to_begin=None):
    if x.dtype == bool:
        raise TypeError
    ends = [None if p is None else p.ravel() for p in (to_begin, to_end)]
    parts = [p for p in (ends[0], diff(x.ravel()), ends[1]) if p is not None]
    np.ediff1d(x.val, *(None if p is None else p.val for p in ends[::-1]))  # its errors
    parts = [m.cast(p, x.dtype) for p in parts]
    return NAMES['concat'](parts) if len(parts) > 1 else parts[0]


def gradient(f, spacing=None, axis=0, edge_order=1):
    y = as_float(f)
    h = spacing
    val = np.gradient(y.val, *([] if h is None else [h.val if isinstance(h, V) else h]), axis=axis,
                      edge_order=edge_order)
    n = y.shape[axis]
    if isinstance(h, V):
        h = as_float(h)
        d = diff(h)
        d = d.reshape(tuple(n - 1 if k == axis % y.ndim else 1 for k in range(y.ndim)))
    else:
        d = V(np.full([n - 1 if k == axis % y.ndim else 1 for k in range(y.ndim)], 1 if h is None else h))
    at = [part(y, axis, i, n - 2 + i if i < 2 else None) for i in range(3)]
    p, q = part(d, axis, None, -1), part(d, axis, 1, None)
    s = p + q
    mid = at[0] * (-q / (p * s)) + at[1] * ((q - p) / (p * q)) + at[2] * (p / (q * s))
    out = []
    for last in (0, 1):
        e = [part(y, axis, n - 1 - i if last else i, n - i if last else i + 1) for i in range(edge_order + 1)]
        g = [part(d, axis, n - 2 - i if last else i, n - 1 - i if last else i + 1) for i in range(edge_order)]
        g = [-v for v in g] if last else g
        if edge_order == 1:
            out.append((e[1] - e[0]) / g[0])
            continue
        p, q = g
        s = p + q
        out.append(e[0] * (-(p * 2 + q) / (p * s)) + e[1] * (s / (p * q)) + e[2] * (-p / (q * s)))
    r = NAMES['concat']([out[0], mid, out[1]], axis=axis)
    r = m.cast(r, y.dtype)
    r.err = r.err + 8 * spacing_of(y, r)
    return judged(val, r)


def spacing_of(y, r):
    """What forms of the same formula may differ by: roundings of the elements that go into it."""
    h = np.where(np.isfinite(high(y.val)), np.abs(high(y.val)), 0)
    return np.full(r.shape, h.max(initial=0) * eps_of(y.dtype)) + spacing(r.val)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = as_float(y)
    d = dx
    if x is not None:
        x = as_float(x)
        d = diff(x, axis=axis if x.ndim > 1 else 0)
        if x.ndim == 1:
            d = d.reshape(tuple(-1 if k == axis % y.ndim else 1 for k in range(y.ndim)))
    val = np.trapz(y.val, None if x is None else x.val, dx=dx, axis=axis)
    pair = m.op('multiply')(part(y, axis, 1, None) + part(y, axis, None, -1), d) / 2.0
    return undetermined(judged(val, fold.sum_(pair, axis=axis)), y, axis)


# --- comparisons ----------------------------------------------------------------------------------

def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """NumPy 2's formula; NumPy 1 takes complex infinities apart."""
    a, b = lift(a), lift(b)
    if whole(b):
        b = m.cast(b, np.dtype(np.float64)) if not b.weak else V(np.asarray(float(b.val)), weak=True)
    if a.dtype == bool:
        a = m.cast(a, b.dtype)
    d = m.op('abs')(m.op('subtract')(a, b))
    bound = m.op('add')(m.op('multiply')(m.op('abs')(b), rtol), atol)
    r = m.op('logical_and')(m.op('less_equal')(d, bound), m.op('isfinite')(b))
    r = m.op('logical_or')(r, m.op('equal')(a, b))
    if equal_nan:
        r = m.op('logical_or')(r, m.op('logical_and')(m.op('isnan')(a), m.op('isnan')(b)))
    unknown = np.isinf(np.broadcast_to(a.err, r.shape)) | np.isinf(np.broadcast_to(b.err, r.shape))
    r.err = np.where(unknown, INF, r.err)
    return r


def all_of(x):
    return fold.truth(np.all)(x)


def array_equal(a, b, equal_nan=False):
    if a.shape != b.shape:
        return V(np.asarray(False))
    r = m.op('equal')(a, b)
    if equal_nan:
        r = m.op('logical_or')(r, m.op('logical_and')(m.op('isnan')(a), m.op('isnan')(b)))
    return undetermined(undetermined(all_of(r), a, None), b, None)


def array_equiv(a, b):
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return V(np.asarray(False))
    return all_of(m.op('equal')(a, b))


# --- polynomials ----------------------------------------------------------------------------------

def polyval(p, x):
    y = m.op('multiply')(x, 0)
    for i in range(p.shape[0]):
        y = m.op('add')(m.op('multiply')(y, x) if i else y, p[i])
    return judged(np.polyval(p.val, x.val), y)


def vander(x, n=None, increasing=False):
    val = np.vander(x.val, n, increasing=increasing)
    y = m.cast(x, val.dtype)
    if kind(val) == 'i':
        return V(val, None if x.exact() else np.full(val.shape, INF))
    columns = [V(np.ones(x.shape, val.dtype))]
    while len(columns) < max(val.shape[1], 1):
        columns.append(m.op('multiply')(columns[-1], y))
        columns[-1].err = columns[-1].err + 8 * spacing(columns[-1].val)
    columns = columns[:val.shape[1]] if increasing else columns[:val.shape[1]][::-1]
    if not columns:
        return V(val)
    err = np.stack([c.err for c in columns], axis=1)
    return V(val, np.where(np.isfinite(np.abs(val)) | (kind(val) != 'c'), err, INF))


def polyfit(x, y, deg):
    if y.dtype == np.float16:   # not known to NumPy's linalg
        raise TypeError
    sure = np.isfinite(np.abs(y.val)).all() and np.isfinite(y.err).all()
    val = np.polyfit(x.val, y.val if sure else np.zeros_like(y.val), deg)
    if not sure:
        return V(val, np.full(val.shape, INF))
    p = np.abs(np.linalg.pinv(np.vander(x.val, deg + 1))).astype(LD)
    return V(val, p @ (y.err + 1e4 * eps_of(val.real.dtype) * np.abs(high(y.val))) + spacing(val))


NAMES.update({
    'nansum': nan_sum(fold.sum_, 0), 'nanprod': nan_sum(fold.prod_, 1), 'nanmean': nanmean,
    'nanvar': nanvar, 'nanstd': lambda *a, **k: nanvar(*a, root=True, **k),
    'nanmax': nan_extreme(np.max, -np.inf), 'nanmin': nan_extreme(np.min, np.inf),
    'nanargmax': nan_index(np.argmax, -np.inf), 'nanargmin': nan_index(np.argmin, np.inf),
    'ptp': ptp, 'average': average, 'cov': cov, 'corrcoef': corrcoef, 'trace': trace,
    'logsumexp': logsumexp, 'diff': diff, 'ediff1d': ediff1d, 'gradient': gradient,
    'trapezoid': trapezoid, 'isclose': isclose, 'array_equal': array_equal, 'array_equiv': array_equiv,
    'allclose': lambda *a, **k: all_of(isclose(*a, **k)), 'polyval': polyval, 'vander': vander,
    'polyfit': polyfit, 'True': True, 'False': False,
})


class Stat:
    """The random calls, a part of diff_gen.Gen. Where a shape cannot come of a function another step is
    asked for."""

    REDUCED = ('nansum nanprod nanmean nanvar nanstd nanmax nanmin nanargmax nanargmin ptp average '
               'logsumexp trapezoid').split()
    OTHERS = ('cov corrcoef trace diff diff ediff1d gradient gradient isclose allclose array_equal '
              'array_equiv polyval vander polyfit').split()

    def stat(self, shape, depth, kinds):
        s = lambda sh, k: self.sub(sh, depth, k)
        name = self.pick(self.REDUCED + self.OTHERS)
        text = self.reduced(name, shape, s) if name in self.REDUCED else getattr(self, 'make_' + name)(shape, s)
        self.note(name)
        return text

    def reduced(self, name, shape, s):
        nd, n = len(shape), self.pick([1, 2, 3, 5, 8, 33])
        k = int(self.rng.integers(nd + 1))
        full, keep = shape[:k] + (n,) + shape[k:], ''
        if 1 in shape and self.chance(0.5) and name != 'trapezoid':
            k = shape.index(1)
            full, keep = shape[:k] + (n,) + shape[k + 1:], ', keepdims=True'
        axis = f"axis={k - len(full) if self.chance(0.3) else k}"
        real = {'nanmax': 'biuf', 'nanmin': 'biuf', 'nanargmax': 'biuf', 'nanargmin': 'biuf', 'ptp': 'iuf',
                'logsumexp': 'iuf'}.get(name, 'biufc')
        x = s(full, real)
        if name == 'average' and self.chance(0.7):
            w = s(full if self.chance(0.5) else (n,), 'iuf')
            return f"average({x}, {axis}, weights={w}{keep})"
        if name == 'trapezoid':
            how = self.pick(['', ', dx=0.5', f", {self.places(n)}", f", {s((n,), 'iuf')}"])
            return f"trapezoid({x}{how}, {axis})"
        more = ', ddof=1' if name in ('nanvar', 'nanstd') and self.chance(0.4) else ''
        if nd == 0 and not keep and self.chance(0.5) and name != 'logsumexp':
            return f"{name}({x}{more})"
        return f"{name}({x}, {axis}{more}{keep})"

    def places(self, n):
        """Coordinates in order."""
        return self.pick([f"linspace(-1, 2, {n})" if n > 1 and 'float64' not in self.without else
                          f"arange({n})", f"arange({n})", f"arange({n})**2 + 1"])

    def make_cov(self, shape, s, name='cov', more=('', ', ddof=0', ', rowvar=False')):
        n = self.pick([2, 3, 8, 33])
        how = self.pick(more)
        if shape == ():
            return f"{name}({s((n,), 'biufc')}{how})"
        if shape[0] < 2 or len(shape) > 2 or shape[0] != shape[-1]:
            raise IndexError
        full = (n, shape[0]) if 'rowvar' in how else (shape[0], n)
        return f"{name}({s(full, 'biufc')}{how}){'[-1]' if len(shape) == 1 else ''}"

    def make_corrcoef(self, shape, s):
        return self.make_cov(shape, s, 'corrcoef', ('', ', rowvar=False'))

    def make_trace(self, shape, s):
        n = self.pick([1, 2, 3, 5])
        return f"trace({s((n, n + 1) + shape, 'biufc')}, {self.pick([-1, 0, 1])})"

    def make_diff(self, shape, s):
        k = int(self.rng.integers(len(shape)))
        times = self.pick([1, 1, 2, 3])
        ends = {'prepend': self.pick([0, 0, 1]), 'append': self.pick([0, 0, 2])}
        n = shape[k] + times - sum(ends.values())
        if n < 0:
            raise IndexError
        with_k = lambda e: shape[:k] + (e,) + shape[k + 1:]
        more = ''.join(f", {w}={s(with_k(e), 'biuf')}" for w, e in ends.items() if e)
        return f"diff({s(with_k(n), 'biufc')}, n={times}, axis={k - (len(shape) if self.chance(0.3) else 0)}{more})"

    def make_ediff1d(self, shape, s):
        if len(shape) != 1 or not shape[0]:
            raise IndexError
        end = self.pick([0, 1, 2])
        n = shape[0] + 1 - end
        if n < 1:
            raise IndexError
        full = self.pick([(n,)] + [(f, n // f) for f in (2, 3) if n % f == 0])
        return f"ediff1d({s(full, 'iufc')}" + (f", {self.pick(['to_end', 'to_begin'])}={s((end,), 'iu')})" if end else ')')

    def make_gradient(self, shape, s):
        k = int(self.rng.integers(len(shape)))
        n = shape[k]
        order = 2 if n > 2 and self.chance(0.4) else 1
        if n < 3:
            raise IndexError
        how = self.pick(['', ', 0.5', ', 2', f", {self.places(n)}"])
        return f"gradient({s(shape, 'iuf')}{how}, axis={k - (len(shape) if self.chance(0.3) else 0)}, edge_order={order})"

    def make_isclose(self, shape, s):
        x, how = s(shape, 'biufc'), self.pick(['', ', equal_nan=True', ', rtol=0.1', ', rtol=0, atol=1'])
        y = self.pick(['1', '0.5', 'inf']) if self.chance(0.2) else s(self.part_of(shape), 'biufc')
        return f"isclose({y}, {x}{how})" if self.chance(0.3) else f"isclose({x}, {y}{how})"

    def whole_pair(self, shape, s):
        if shape != ():
            raise IndexError
        full = tuple(self.pick([0, 1, 2, 3, 5]) for _ in range(int(self.rng.integers(1, 4))))
        x = s(full, 'biufc')
        return full, x, x if self.chance(0.5) else s(full, 'biuf')

    def make_allclose(self, shape, s):
        _, x, y = self.whole_pair(shape, s)
        return f"allclose({x}, {y}{self.pick(['', ', equal_nan=True', ', rtol=1, atol=9'])})"

    def make_array_equal(self, shape, s):
        full, x, y = self.whole_pair(shape, s)
        y = s(full[1:], 'biuf') if self.chance(0.1) else y
        return f"array_equal({x}, {y}{self.pick(['', ', equal_nan=True'])})"

    def make_array_equiv(self, shape, s):
        full, x, y = self.whole_pair(shape, s)
        y = s(self.part_of(full), 'biuf') if self.chance(0.3) else y
        return f"array_equiv({x}, {y})"

    def make_polyval(self, shape, s):
        return f"polyval({s((self.pick([1, 2, 4]),), 'iuf')}, {s(shape, 'iufc')})"

    def make_vander(self, shape, s):
        if len(shape) != 2:
            raise IndexError
        return f"vander({s(shape[:1], 'biufc')}, {shape[1]}{self.pick(['', ', increasing=True'])})"

    def make_polyfit(self, shape, s):
        if not shape or len(shape) > 2 or not 1 <= shape[0] <= 4 or 'float64' in self.without:
            raise IndexError
        n = self.pick([5, 8, 33])
        return f"polyfit(linspace(-1, 2, {n}), {s((n,) + shape[1:], 'iufc')}, {shape[0] - 1})"
