# SPDX-License-Identifier: BSD-3-Clause
#
# diff_search.py - places in sorted arrays, counts, histograms, quantiles, parts of an order and membership
# for the differential test: what they should give, with bounds, and random calls of them. What depends on
# an order, or on the side of an edge, is known only of what is exact, or further from it than its bound.
import numpy as np
import diff_fold as fold
import diff_model as m
import diff_sort
import diff_take  # noqa: F401: its names come before these
from diff_fold import NAMES, eps_of, lift
from diff_model import LD, TINY, V, high, kind, magnitude, spacing

INF = LD(np.inf)


def known(val, *args):
    """val, or nothing at all where an argument is not exact."""
    val = np.asarray(val)
    return V(val, None if all(a.exact() for a in args) else np.full(val.shape, INF))


def raw(x):
    return x.val.item() if x.weak else x.val


# --- places ---------------------------------------------------------------------------------------

def searchsorted(a, v, side='left', sorter=None):
    a, v = lift(a), lift(v)
    if sorter is None and a.exact() and (a.val[1:] < a.val[:-1]).any():
        raise ValueError('not sorted')
    args = (a, v) + (() if sorter is None else (sorter,))
    return known(np.searchsorted(a.val, raw(v), side, None if sorter is None else sorter.val), *args)


def digitize(x, bins, right=False):
    return known(np.digitize(x.val, bins.val, right), x, bins)


def interp(x, xp, fp, left=None, right=None, period=None):
    """NumPy's value; that of a slope times a distance, where xp is exact."""
    x, xp, fp = lift(x), lift(xp), lift(fp)
    val = np.asarray(np.interp(x.val, xp.val, fp.val, left, right, period))
    e = LD(np.finfo(np.float64).eps)
    if not xp.exact() or not x.exact() or not np.isfinite(high(fp.val)).all() or period is not None:
        return V(val, np.full(val.shape, INF))
    top = np.abs(high(fp.val)).max(initial=0)
    return V(val, np.where(np.isnan(val), LD(0), 16 * e * top + fp.err.max(initial=0) + TINY))


# --- counts ---------------------------------------------------------------------------------------

def sums(at, w, n):
    """The sums of w, float64, by place, with their bounds."""
    val, mid, err = np.zeros(n), np.zeros(n, LD), np.zeros(n, LD)
    np.add.at(val, at, w.val.astype(np.float64))
    np.add.at(mid, at, high(w.val))
    np.add.at(err, at, w.err + np.abs(high(w.val)) * LD(2) * np.finfo(np.float64).eps)
    err = np.where(np.isfinite(val), err + magnitude(high(val) - mid), np.where(np.isnan(err), LD(0), LD(0)))
    return V(val, err + TINY)


def bincount(x, weights=None, minlength=0):
    val = np.bincount(x.val, None if weights is None else weights.val, minlength)
    if weights is None or not x.exact() or not np.isfinite(weights.err).all():
        return known(val, x, *(() if weights is None else (weights,)))
    return sums(x.val, weights, len(val))


def edges_of(x, bins, range):
    """The edges, and whether they are exact."""
    if isinstance(bins, V):
        return bins.val, bins.exact()
    if not x.exact() and range is None:
        raise ValueError('edges of what is not exact')
    e = np.histogram_bin_edges(x.val, bins, range)
    wide = np.linspace(LD(e[0]), LD(e[-1]), bins + 1)
    return e, (wide == e).all()


def histogram_bin_edges(x, bins=10, range=None):
    e, sure = edges_of(x, bins, range)
    return V(e, None if sure else np.full(e.shape, 4 * spacing(np.abs(e).max())))


def close(x, e, sure):
    """Which elements of x may be on either side of an edge."""
    h, he = high(x.val).ravel(), high(e)
    tol = x.err.ravel() + (0 if sure else 4 * spacing(np.abs(e).max()))
    if not x.val.size:
        return np.zeros(0, bool)
    d = np.abs(h[:, None] - he[None, :]).min(axis=1)
    return (tol > 0) & (d <= tol) | ~np.isfinite(tol)


def histogram(x, bins=10, range=None, density=False, weights=None):
    e, sure = edges_of(x, bins, range)
    # of a range of ints, or of x in another dtype, edges are float64 in either
    val, got = np.histogram(x.val, e if isinstance(bins, V) else bins, range,
                            weights=None if weights is None else weights.val)
    val, unsure = np.asarray(val), close(x, e, sure)
    err = np.zeros(val.shape, LD)
    if unsure.any():
        err[:] = INF
    elif weights is not None and kind(val) in 'fc':
        if not np.isfinite(high(weights.val)).all() or not np.isfinite(weights.err).all():
            err[:] = INF
        else:
            size = np.histogram(x.val, e, weights=np.abs(high(weights.val)).astype(np.float64))[0]
            slack = np.histogram(x.val, e, weights=weights.err.astype(np.float64))[0]
            err = size * (x.size + 4) * eps_of(val.dtype) + slack + TINY
    elif weights is not None and not weights.exact():
        err[:] = INF
    h = V(val, err)
    if density:
        d = V(np.diff(e).astype(np.float64))
        total = fold.sum_(m.cast(h, np.dtype(np.float64)))
        h = m.op('divide')(m.op('divide')(m.cast(h, np.dtype(np.float64)), d), total)
        h.err = h.err + 8 * spacing(h.val) + (0 if sure else np.abs(h.val) * 1e-5)
    return h, V(e, None if sure else np.full(e.shape, 4 * spacing(np.abs(e).max())))


def histogram2d(x, y, bins=10, range=None):
    b = [bins, bins] if not isinstance(bins, (tuple, list)) else bins
    got = [edges_of(v, n, None if range is None else range[i]) for i, (v, n) in enumerate(zip((x, y), b))]
    val, _, _ = np.histogram2d(x.val, y.val, [n.val if isinstance(n, V) else n for n in b], range)
    unsure = any(close(v, *g).any() for v, g in zip((x, y), got))
    return (V(val, np.full(val.shape, INF) if unsure else None),) + \
        tuple(V(e, None if sure else np.full(e.shape, 4 * spacing(np.abs(e).max()))) for e, sure in got)


# --- order ----------------------------------------------------------------------------------------

def quantile(f, x, q, axis, keepdims, **how):
    """NumPy 2's: a number q takes the dtype of x."""
    x = lift(x)
    y = x.val.astype(np.float64) if kind(x.val) in 'biu' else x.val
    a = LD(8) * eps_of(y.dtype)
    val = np.asarray(f(y, *q, axis=axis, keepdims=keepdims, **how))
    plain = q and isinstance(q[0], (int, float)) or not q
    if kind(y) == 'f' and plain:
        val = val.astype(y.dtype)
    if how.get('method') in TAKING:
        r = V(val.astype(x.dtype))
        if not x.exact():
            r.err = np.full(val.shape, INF)
        return r
    h = np.where(np.isfinite(high(y)), np.abs(high(y)), 0)
    top = np.max(h, axis=axis, keepdims=keepdims, initial=0) if y.size else np.zeros((), LD)
    worst = np.max(x.err, axis=axis, keepdims=keepdims, initial=0) if y.size else np.zeros((), LD)
    wild = np.any(np.isinf(high(y)), axis=axis, keepdims=keepdims)    # inf - inf on the way, or not
    huge = top * 2 > (np.finfo(y.dtype).max if kind(y) == 'f' else INF)
    err = np.where(wild | huge, INF, top * a + worst + TINY)
    return V(val, np.broadcast_to(err, val.shape).astype(LD))


TAKING = ('lower', 'higher', 'nearest', 'inverted_cdf', 'closest_observation')


def quantiles(f):
    def g(x, *q, axis=None, keepdims=False, **how):
        return quantile(f, x, q, axis, keepdims, **how)
    return g


def partition(x, kth, axis=-1):
    """What is at kth has a place; before the first of them nothing is above, behind the last nothing below."""
    x, axis = diff_sort.flattened(lift(x), axis)
    y = diff_sort.sort(x, axis)
    n = x.shape[axis]
    at = np.zeros(n, bool)
    at[np.asarray(kth)] = True
    shape = [1] * x.ndim
    shape[axis] = -1
    h = high(y.val).astype(LD)
    err = np.full(y.shape, INF)
    ks = [0] + sorted({int(k) % n for k in np.atleast_1d(kth)}) + [n - 1]
    if x.exact():
        with np.errstate(all='ignore'):
            for lo, hi in zip(ks[:-1], ks[1:]):
                cut = [slice(None)] * x.ndim
                cut[axis] = slice(lo, hi + 1)
                cut = tuple(cut)
                low, top = np.take(h, [lo], axis), np.take(h, [hi], axis)
                away = np.maximum(magnitude(h[cut] - low), magnitude(top - h[cut]))
                err[cut] = np.where(np.isnan(away), INF, away)
    return V(y.val, np.where(at.reshape(shape), y.err, err))


class Parted(V):
    """Indices of a partition: what is known of them is what they pick."""
    __slots__ = ('of', 'kth', 'axis')


def argpartition(x, kth, axis=-1):
    x, axis = diff_sort.flattened(lift(x), axis)
    i = diff_sort.order(x.val, axis, False)
    p = Parted(i, np.full(i.shape, INF))
    p.of, p.kth, p.axis = x, kth, axis
    return p


def along(take):
    def f(x, i, axis=None):
        if isinstance(i, Parted):
            if i.of.val is not x.val or i.axis != axis:
                raise ValueError('other elements')
            return partition(x, i.kth, axis)
        return take(x, i, axis)
    return f


def isin(x, y, assume_unique=False, invert=False):
    x, y = lift(x), lift(y)
    return known(np.isin(x.val, raw(y), invert=invert), x, y)


NAMES.update({
    'searchsorted': searchsorted, 'digitize': digitize, 'interp': interp, 'bincount': bincount,
    'histogram': histogram, 'histogram_bin_edges': histogram_bin_edges, 'histogram2d': histogram2d,
    'histogramdd': lambda x, bins, range=None: (lambda r: (r[0], r[1:]))(
        histogram2d(x[:, 0], x[:, 1], bins, range)),
    'quantile': quantiles(np.quantile), 'percentile': quantiles(np.percentile),
    'nanquantile': quantiles(np.nanquantile), 'nanpercentile': quantiles(np.nanpercentile),
    'median': quantiles(np.median), 'nanmedian': quantiles(np.nanmedian), 'isin': isin,
    'partition': partition, 'argpartition': argpartition,
    'take_along_axis': along(NAMES['take_along_axis']), 'array': lambda a: V(np.array(a)),
})


class Search:
    """The random calls, a part of diff_gen.Gen."""

    METHODS = ['linear', 'lower', 'higher', 'midpoint', 'nearest', 'inverted_cdf', 'averaged_inverted_cdf',
               'interpolated_inverted_cdf', 'hazen', 'weibull', 'median_unbiased', 'normal_unbiased']
    # NumPy before 2.1 takes the wrong neighbour in a tie: 4 of 0 .. 4 at 0.9
    METHODS += ['closest_observation'] if np.quantile(np.arange(5), 0.9, method='closest_observation') == 3 else []

    def search(self, shape, depth, kinds):
        names = ['searchsorted', 'searchsorted', 'digitize', 'interp', 'bincount', 'bincount', 'histogram',
                 'histogram', 'histogram2d', 'quantile', 'quantile', 'quantile', 'partition', 'isin', 'isin']
        return getattr(self, 'search_' + self.pick(names))(shape, depth, kinds)

    def values(self, shape, kinds):
        """Something exact: an array, or little made of it."""
        return self.sub(shape, self.pick([1, 1, 1, 2]), kinds)

    def search_searchsorted(self, shape, depth, kinds):
        k = self.pick(['biu', 'iuf', 'f', 'biufc'])
        a, v = self.leaf((self.pick([0, 1, 2, 5, 17, 100]),), k), self.values(shape, k)
        side = self.pick(['', ", side='right'", ", side='left'"])
        self.note('searchsorted')
        if self.chance(0.25):
            return f"searchsorted({a}, {v}{side}, sorter=argsort({a}))"
        s = f"sort({a})"
        return f"{s}.searchsorted({v}{side})" if self.chance(0.2) else f"searchsorted({s}, {v}{side})"

    def search_digitize(self, shape, depth, kinds):
        n = self.pick([1, 2, 3, 9, 40])
        b = self.pick([f"sort({self.leaf((n,), 'iu')})", f"arange({n})", f"flip(sort({self.leaf((n,), 'i')}))",
                       f"arange({n}, 0, -1)"])
        self.note('digitize')
        return f"digitize({self.values(shape, 'biuf')}, {b}{self.pick(['', ', True', ', right=True'])})"

    def search_interp(self, shape, depth, kinds):
        n = self.pick([1, 2, 5, 33])
        more = self.pick(['', '', ', left=-1, right=7.5', ', left=nan'])
        self.note('interp')
        return f"interp({self.values(shape, 'biuf')}, arange({n}), {self.leaf((n,), 'iuf')}{more})"

    def search_bincount(self, shape, depth, kinds):
        if len(shape) != 1 or not shape[0]:
            raise IndexError
        n = self.pick([0, 1, 5, 33, 200])
        x = f"{self.leaf((n,), self.pick('iu'))} % {shape[0]}" if n else self.leaf((n,), 'i')
        w = f", {self.values((n,), 'biuf')}" if self.chance(0.5) else ''
        self.note('bincount')
        return f"bincount({x}{w}, minlength={shape[0]})"

    def search_histogram(self, shape, depth, kinds):
        if len(shape) != 1 or not shape[0]:
            raise IndexError
        n = shape[0]
        full = self.pick([(0,), (1,), (7,), (33,), (5, 4)])
        x = self.values(full, self.pick(['iu', 'f', 'biuf']))
        bins = self.pick([str(n), str(n), f"arange({n + 1})"])
        more = self.pick(['', ', range=(-2, 2)', ', range=(0, 4)']) if bins[0] != 'a' else ''
        self.note('histogram')
        if self.chance(0.2) and bins[0] != 'a' and n > 1:
            return f"histogram_bin_edges({x}, {n - 1}{more})"
        more += self.pick(['', '', ', density=True'])
        if self.chance(0.3):
            more += f", weights={self.values(full, 'iuf')}"
        return f"histogram({x}, {bins}{more})[0]"

    def search_histogram2d(self, shape, depth, kinds):
        if len(shape) != 2 or not all(shape):
            raise IndexError
        n, (a, b) = self.pick([1, 7, 33]), shape
        self.note('histogram2d')
        if self.chance(0.3):
            self.note('histogramdd')
            return f"histogramdd({self.values((n, 2), 'iuf')}, ({a}, {b}), ((-2, 2), (0, 4)))[0]"
        x, y = self.values((n,), 'iuf'), self.values((n,), 'iuf')
        how = self.pick([f"({a}, {b}), ((-2, 2), (0, 4))", f"[arange({a + 1}), arange({b + 1})]",
                         f"({a}, {b})"])
        return f"histogram2d({x}, {y}, {how})[0]"

    def search_quantile(self, shape, depth, kinds):
        name = self.pick(['median', 'nanmedian', 'quantile', 'quantile', 'percentile', 'nanquantile',
                          'nanpercentile'])
        nd, n = len(shape), self.pick([1, 2, 3, 5, 8, 33])
        self.note(name)
        out = shape
        arrays = name[-3:] == 'ile' and nd and shape[0] == 2 and self.chance(0.6)
        if arrays:
            shape, nd = shape[1:], nd - 1
        k = int(self.rng.integers(nd + 1))
        full = shape[:k] + (n,) + shape[k:]
        axis = f", axis={k - nd - 1 if self.chance(0.3) else k}"
        if nd == 0 and self.chance(0.5):
            full, axis = self.pick([(n,), (3, n)]), ''
        x = self.sub(full, depth, 'biuf')
        if name[-3:] != 'ile':
            return f"{name}({x}{axis})"
        q = self.pick([0, 0.25, 0.5, 1, 0.1, 0.9]) * (100 if 'percent' in name else 1)
        q = f"array([0.25, {q}])" if arrays else q
        how = f", method='{self.pick(self.METHODS)}'" if self.chance(0.6) else ''
        return f"{name}({x}, {q}{axis}{how})"

    def search_partition(self, shape, depth, kinds):
        if not shape or 0 in shape:
            raise IndexError
        k = int(self.rng.integers(len(shape)))
        c = int(self.rng.integers(-shape[k], shape[k]))
        self.note('argpartition')
        x = self.array(shape, self.dtype(kinds.replace('c', '') or 'f'))
        return f"take_along_axis({x}, argpartition({x}, {c}, axis={k}), {k})"

    def search_isin(self, shape, depth, kinds):
        k = self.pick(['biu', 'iuf', 'biufc'])
        of = self.pick([(0,), (1,), (5,), (3, 4), (40,)])
        self.note('isin')
        y = f"[{self.pick(['1', '1, 2', '-3, 0, 4'])}]" if self.chance(0.2) else self.values(of, k)
        return f"isin({self.values(shape, k)}, {y}{self.pick(['', ', invert=True'])})"
