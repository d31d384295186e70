# SPDX-License-Identifier: BSD-3-Clause
"""numpy.polynomial.polynomial: functions of power series, whose coefficients begin with the lowest power."""
import operator

import numpy as np

import gnd
from gnd import asarray, ndarray
from gnd._poly import eigenvalues

from .polyutils import as_series, trimcoef, trimseq

polytrim = trimcoef


def _constants(*values):
    return asarray(np.array(values))


polyzero, polyone, polyx, polydomain = _constants(0), _constants(1), _constants(0, 1), _constants(-1.0, 1.0)


def _degree(deg, what):
    try:
        n = operator.index(deg)
    except TypeError:
        raise TypeError(f'{what}: degree {deg!r}: an int is wanted') from None
    if n < 0:
        raise ValueError(f'{what}: degree {n}: 0 or more is possible')
    return n


def polyline(off, scl):
    """The series off + scl * x."""
    return asarray(np.array([off, scl] if scl != 0 else [off]))


def polyvander(x, deg):
    """The powers 0 to deg of the elements of x along a new last axis."""
    n = _degree(deg, 'polyvander')
    x = gnd.array(x, ndmin=1)
    if x.dtype.kind not in 'fc':
        x = x.astype(np.float64)
    powers = [gnd.ones_like(x)]
    for _ in range(n):
        powers.append(powers[-1] * x)
    return gnd.moveaxis(gnd.stack(powers), 0, -1)


def polycompanion(c):
    """The companion matrix of a series, whose eigenvalues are the roots."""
    c, = as_series([c])
    n = c.size - 1
    if n < 1:
        raise ValueError(f'polycompanion: {c.size} coefficients: at least 2 are wanted')
    a = gnd.eye(n, k=-1, dtype=c.dtype)
    a[:, -1] -= c[:-1] / c[-1]
    return a


def polyroots(c):
    """The roots of a series, sorted."""
    c, = as_series([c])
    if c.size < 2:
        return gnd.zeros(0, dtype=c.dtype)
    if c.size == 2:
        return -c[:1] / c[1]
    return gnd.sort(eigenvalues(polycompanion(c)))


def polyfromroots(roots):
    """The series with these roots, whose highest coefficient is 1."""
    if len(roots) == 0:
        return gnd.ones(1)
    roots, = as_series([roots], trim=False)
    c = gnd.ones(1, dtype=roots.dtype)
    for k in range(roots.size):
        c = gnd.concatenate([c[:1] * 0, c]) - gnd.concatenate([c * roots[k], c[:1] * 0])
    return c


def _padded(c1, c2):
    a, b = as_series([c1, c2])
    n = max(a.size, b.size)
    return [gnd.pad(v, (0, n - v.size)) if v.size < n else v for v in (a, b)]


def polyadd(c1, c2):
    """The sum of two series."""
    a, b = _padded(c1, c2)
    return trimseq(a + b)


def polysub(c1, c2):
    """The difference of two series."""
    a, b = _padded(c1, c2)
    return trimseq(a - b)


def polymulx(c):
    """The product of a series and x."""
    c, = as_series([c])
    return trimseq(gnd.pad(c, (1, 0)))


def polymul(c1, c2):
    """The product of two series."""
    a, b = as_series([c1, c2])
    return trimseq(gnd.convolve(a, b))


def polydiv(c1, c2):
    """Quotient and remainder of two series."""
    a, b = as_series([c1, c2])
    if not bool(b[-1] != 0):
        raise ZeroDivisionError('polydiv: the divisor is 0')
    q, r = gnd.polydiv(a[::-1], b[::-1])
    return (q[::-1], trimseq(r[::-1])) if a.size >= b.size else (a[:1] * 0, a)


def polypow(c, pow, maxpower=None):
    """A series to the power of an int."""
    n = _degree(pow, 'polypow')
    if maxpower is not None and n > maxpower:
        raise ValueError(f'polypow: the power {n} is above maxpower {maxpower}')
    c, = as_series([c])
    y = gnd.ones(1, dtype=c.dtype)
    for _ in range(n):
        y = gnd.convolve(y, c)
    return y


def polyval(x, c, tensor=True):
    """The values of a series at x. Further axes of c are further series; tensor=True: each at all of x."""
    c = gnd.array(c, ndmin=1)
    if c.dtype.kind not in 'fc':
        c = c + 0.0
    if isinstance(x, (tuple, list)):
        x = asarray(x)
    if isinstance(x, (ndarray, np.ndarray)):
        x = asarray(x)
        if tensor:
            c = c.reshape(c.shape + (1,) * x.ndim)
    y = c[-1] + x * 0
    for k in range(2, c.shape[0] + 1):
        y = c[-k] + y * x
    return y


def polyvalfromroots(x, r, tensor=True):
    """The values at x of the polynomial with the roots r."""
    r = gnd.array(r, ndmin=1)
    if r.dtype.kind not in 'fc':
        r = r + 0.0
    if isinstance(x, (tuple, list, ndarray, np.ndarray)):
        x = asarray(x)
        if tensor:
            r = r.reshape(r.shape + (1,) * x.ndim)
        elif x.ndim >= r.ndim:
            raise ValueError('polyvalfromroots: x needs fewer dimensions than r if tensor is False')
    return gnd.prod(x - r, axis=0)


def polyval2d(x, y, c):
    """The values of a series in two variables at the points (x, y)."""
    return polyval(y, polyval(x, c), tensor=False)


def polygrid2d(x, y, c):
    """The values of a series in two variables on the grid of x and y."""
    return polyval(y, polyval(x, c))


def _lists(k):
    return list(k) if hasattr(k, '__len__') else [k]


def polyder(c, m=1, scl=1, axis=0):
    """The derivative of order m, times scl at each step."""
    n = _degree(m, 'polyder')
    c = gnd.moveaxis(gnd.array(c, ndmin=1), axis, 0)
    if c.dtype.kind not in 'fc':
        c = c + 0.0
    if n >= c.shape[0]:
        c = c[:1] * 0
    else:
        for _ in range(n):
            powers = gnd.arange(1, c.shape[0], dtype=c.dtype)
            c = c[1:] * powers.reshape((-1,) + (1,) * (c.ndim - 1)) * scl
    return gnd.moveaxis(c, 0, axis)


def polyint(c, m=1, k=[], lbnd=0, scl=1, axis=0):  # noqa: B006
    """The integral of order m from lbnd with the constants k, times scl at each step."""
    n, k = _degree(m, 'polyint'), _lists(k)
    if len(k) > n:
        raise ValueError(f'polyint: {len(k)} constants for order {n}')
    c = gnd.moveaxis(gnd.array(c, ndmin=1), axis, 0)
    if c.dtype.kind not in 'fc':
        c = c + 0.0
    for constant in k + [0] * (n - len(k)):
        powers = gnd.arange(1, c.shape[0] + 1, dtype=c.dtype)
        c = c * scl / powers.reshape((-1,) + (1,) * (c.ndim - 1))
        c = gnd.concatenate([c[:1] * 0, c])
        c[0] += constant - polyval(lbnd, c)
    return gnd.moveaxis(c, 0, axis)


def polyfit(x, y, deg, rcond=None, full=False, w=None):
    """The series of degree deg that fits the points best in the sense of least squares. full: also a list of residuals,
    rank, singular values and rcond."""
    r = gnd.polyfit(x, y, _degree(deg, 'polyfit'), rcond, full, w)
    return (r[0][::-1], list(r[1:])) if full else r[::-1]
