# SPDX-License-Identifier: BSD-3-Clause
"""Polynomials given by their coefficients, highest power first: poly1d, poly, roots and arithmetic, as in NumPy."""
import operator
import sys
import warnings

import numpy as np

from ._convert import asarray, asnumpy
from ._core import ndarray


def _gnd():
    return sys.modules['gnd']


def _coefficients(p):
    if isinstance(p, poly1d):
        return p.coeffs
    p = asarray(p)
    if p.ndim > 1:
        raise ValueError(f'a polynomial of {p.ndim} dimensions: 1 is possible')
    return p.reshape(-1)


def _is_poly(*args):
    return any(isinstance(a, (poly1d, np.poly1d)) for a in args)


def _result(x, *args):
    return poly1d(x) if _is_poly(*args) else x


def trim_zeros(filt, trim='fb', axis=None):
    """filt without the zeros at its front ('f') and back ('b'), along an axis or several; None: along all axes."""
    trim = trim.lower()
    if set(trim) - set('fb'):
        raise ValueError(f"trim_zeros: trim {trim!r}: 'f', 'b' and 'fb' are possible")
    whole = asnumpy(filt)
    there = np.nonzero(np.atleast_1d(whole))
    if np.ndim(whole) == 0:
        return filt
    axes = range(len(there)) if axis is None else [a % len(there) for a in np.atleast_1d(axis)]
    key = []
    for k, n in enumerate(np.shape(whole)):
        at = there[k] if k in axes else None
        empty = at is not None and not len(at)
        first = 0 if at is None or 'f' not in trim else n if empty else int(at.min())
        last = n if at is None or 'b' not in trim else 0 if empty else int(at.max()) + 1
        key.append(slice(first, max(first, last)))
    return filt[key[0]] if len(key) == 1 else filt[tuple(key)]


def _sum(a1, a2, f):
    a, b = _coefficients(a1), _coefficients(a2)
    n = max(a.size, b.size)
    pad = _gnd().pad
    a = pad(a, (n - a.size, 0)) if a.size < n else a
    b = pad(b, (n - b.size, 0)) if b.size < n else b
    return _result(f(a, b), a1, a2)


def polyadd(a1, a2):
    """The sum of two polynomials."""
    return _sum(a1, a2, _gnd().add)


def polysub(a1, a2):
    """The difference of two polynomials."""
    return _sum(a1, a2, _gnd().subtract)


def polymul(a1, a2):
    """The product of two polynomials."""
    a, b = _trimmed(_coefficients(a1)), _trimmed(_coefficients(a2))
    return _result(_gnd().convolve(a, b), a1, a2)


def polyder(p, m=1):
    """The derivative of order m."""
    if m < 0:
        raise ValueError(f'polyder: order {m}: 0 or more is possible')
    y = _coefficients(p)
    for _ in range(int(m)):
        y = y[:-1] * _gnd().arange(y.size - 1, 0, -1)
    return _result(y, p)


def polyint(p, m=1, k=None):
    """The integral of order m, with the constants k."""
    if m < 0:
        raise ValueError(f'polyint: order {m}: 0 or more is possible')
    k = [0] * m if k is None else np.atleast_1d(asnumpy(k))
    k = list(k) * m if len(k) == 1 else list(k)
    if len(k) < m:
        raise ValueError(f'polyint: {len(k)} constants for order {m}')
    y = _coefficients(p)
    for i in range(m):
        y = _gnd().concatenate([y / _gnd().arange(y.size, 0, -1), asarray([k[i]], None)])
    return _result(y, p)


def eigenvalues(a):
    """Those of a matrix, real if a is and they are."""
    r = _gnd().linalg.eigvals(a)
    return r.real.copy() if r.dtype.kind == 'c' and a.dtype.kind != 'c' and not bool((r.imag != 0).any()) else r


def roots(p):
    """The roots of a polynomial: the eigenvalues of its companion matrix."""
    if not isinstance(p, poly1d) and asarray(p).ndim == 0:
        raise TypeError('roots: a number: a list of coefficients is wanted')
    p = _coefficients(p)
    if p.size == 0:
        return p.astype(np.float64)
    at = np.flatnonzero(asnumpy(p))
    if len(at) == 0:
        return _gnd().zeros(0)
    zeros = p.size - 1 - int(at[-1])
    p = p[int(at[0]):int(at[-1]) + 1]
    if p.dtype.kind not in 'fc':
        p = p.astype(np.float64)
    if p.size < 2:
        return _gnd().zeros(zeros)
    a = _gnd().eye(p.size - 1, k=-1, dtype=p.dtype)
    a[0] = -p[1:] / p[0]
    r = eigenvalues(a)
    return _gnd().concatenate([r, _gnd().zeros(zeros, dtype=r.dtype)]) if zeros else r


def poly(seq_of_zeros):
    """The coefficients of the polynomial with these roots, or the characteristic polynomial of a square matrix."""
    x = asarray(seq_of_zeros)
    if x.ndim == 2 and x.shape[0] == x.shape[1] and x.shape[0]:
        x = _gnd().linalg.eigvals(x)
    elif x.ndim == 0:
        raise TypeError('poly: a number: a list of roots or a square matrix is wanted')
    elif x.ndim != 1:
        raise ValueError(f'poly: shape {x.shape}: roots or a square matrix are wanted')
    if x.size == 0:
        return 1.0
    a = _gnd().ones(1, dtype=x.dtype if x.dtype.char in 'fFdD' else np.float64)
    for i in range(x.size):
        a = _gnd().concatenate([a, a[:1] * 0]) - _gnd().concatenate([a[:1] * 0, a * x[i]])
    if a.dtype.kind == 'c':
        z = asnumpy(x)
        if (np.sort(z) == np.sort(z.conj())).all():
            a = a.real.copy()
    return a


def polydiv(u, v):
    """Quotient and remainder of two polynomials."""
    a, b = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    t = np.result_type(a.dtype, b.dtype)
    a, b = a.astype(t), b.astype(t)
    m, n = a.size - 1, b.size - 1
    q = _gnd().zeros(max(m - n + 1, 1), dtype=t)
    for k in range(m - n + 1):
        d = a[k] / b[0]
        q[k] = d
        a[k:k + n + 1] -= d * b
    r = _trimmed(a[max(m - n + 1, 0):] if m >= n else a)
    return _result(q, u, v), _result(r, u, v)


def _trimmed(x):
    x = trim_zeros(x, 'f')
    return x if x.size else asarray(np.zeros(1, x.dtype))


def _is_array(x):
    """Whether x, the left operand of a polynomial, is an array. As in NumPy, the operator then works elementwise on the
    coefficients."""
    return isinstance(x, (ndarray, np.ndarray)) and x.ndim > 0


class poly1d:  # noqa: N801
    """A polynomial of one variable, with arithmetic; see numpy.poly1d."""
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        self._variable = variable or getattr(c_or_r, 'variable', None) or 'x'
        c = c_or_r.coeffs if isinstance(c_or_r, (poly1d, np.poly1d)) else c_or_r
        c = asarray(poly(c) if r else c)
        if c.ndim > 1:
            raise ValueError(f'poly1d: {c.ndim} dimensions: 1 is possible')
        self._coeffs = _trimmed(c.reshape(-1))

    @property
    def variable(self):
        return self._variable

    @property
    def order(self):
        return self._coeffs.size - 1

    o = order

    @property
    def roots(self):
        return roots(self._coeffs)

    r = roots

    @property
    def coeffs(self):
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coeffs:
            raise AttributeError('coeffs cannot be assigned')

    c = coef = coefficients = coeffs

    def __array__(self, dtype=None, copy=None):
        x = self._coeffs.asnumpy()
        return x if dtype is None else x.astype(dtype)

    def get(self):
        """The polynomial as numpy.poly1d."""
        return np.poly1d(self._coeffs.asnumpy(), variable=self._variable)

    def set(self, polyin):
        """Takes the coefficients and the variable of a numpy.poly1d."""
        self._coeffs, self._variable = asarray(polyin.coeffs), polyin.variable

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __call__(self, val):
        return polyval(self, val)

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self._coeffs)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(polyadd(self, other))

    def __radd__(self, other):
        return asarray(other) + self._coeffs if _is_array(other) else poly1d(polyadd(other, self))

    def __sub__(self, other):
        return poly1d(polysub(self, other))

    def __rsub__(self, other):
        return asarray(other) - self._coeffs if _is_array(other) else poly1d(polysub(other, self))

    def __mul__(self, other):
        return poly1d(self._coeffs * other if np.isscalar(other) else polymul(self, other))

    def __rmul__(self, other):
        return asarray(other) * self._coeffs if _is_array(other) else self * other

    def __truediv__(self, other):
        return poly1d(self._coeffs / other) if np.isscalar(other) else polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        return poly1d(other / self._coeffs) if np.isscalar(other) else polydiv(poly1d(other), self)

    def __pow__(self, n):
        if not np.isscalar(n) or int(n) != n or n < 0:
            raise ValueError(f'a polynomial to the power of {n}: an int of 0 or more is possible')
        p = poly1d([1])
        for _ in range(operator.index(n)):
            p = p * self
        return p

    def __eq__(self, other):
        if not isinstance(other, (poly1d, np.poly1d)):
            return NotImplemented
        a, b = self._coeffs.asnumpy(), asnumpy(other.coeffs)
        return a.shape == b.shape and bool((a == b).all())

    def __getitem__(self, power):
        at = self.order - power
        return self._coeffs[at] if 0 <= power <= self.order else self._coeffs.dtype.type(0)

    def __setitem__(self, power, value):
        if power < 0:
            raise ValueError(f'the power {power}: 0 or more is possible')
        if power > self.order:
            self._coeffs = _gnd().pad(self._coeffs, (power - self.order, 0))
        self._coeffs[self.order - power] = value

    def deriv(self, m=1):
        """The derivative of order m."""
        return poly1d(polyder(self._coeffs, m))

    def integ(self, m=1, k=0):
        """The integral of order m."""
        return poly1d(polyint(self._coeffs, m, k))


def polyval(p, x):
    """The values of the polynomial p at x. If x is a polynomial: their composition."""
    if not _is_poly(p) and asarray(p).ndim == 0:
        raise TypeError('polyval: p is a number: a list of coefficients is wanted')
    if _is_poly(x):
        y = poly1d(x) * 0
        for c in _coefficients(p):
            y = y * x + poly1d(c)
        return y
    return _gnd()._polyval(_coefficients(p), x if np.isscalar(x) else asarray(x))


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The coefficients of the polynomial that fits the points best in the sense of least squares. full: also residuals,
    rank, singular values and rcond. cov: also the covariance matrix of the coefficients, 'unscaled' or scaled by chi
    squared over the degrees of freedom."""
    x, y, deg = asarray(x), asarray(y), int(deg)
    if x.ndim != 1 or not x.size or y.ndim not in (1, 2) or x.shape[0] != y.shape[0]:
        raise TypeError(f'polyfit: x of shape {x.shape} and y of shape {y.shape}: one dimension, not empty, and as many '
                        f'elements or rows are wanted')
    if w is not None:
        w = asarray(w)
        if w.shape != x.shape:
            raise TypeError(f'polyfit: w of shape {w.shape}: the shape of x, {x.shape}, is wanted')
    if deg < 0:
        raise ValueError(f'polyfit: degree {deg}: 0 or more is possible')
    x, y, n = x + 0.0, y + 0.0, deg + 1
    rcond = x.size * float(np.finfo(x.dtype).eps) if rcond is None else rcond
    a = _gnd().vander(x, n)
    if w is not None:
        w = w + 0.0
        if not np.can_cast(w.dtype, a.dtype, 'same_kind') or not np.can_cast(w.dtype, y.dtype, 'same_kind'):
            raise TypeError(f'polyfit: w of dtype {w.dtype} cannot be cast to {a.dtype} of x and {y.dtype} of y')
        a, y = (a * w[:, None]).astype(a.dtype), (y * (w[:, None] if y.ndim == 2 else w)).astype(y.dtype)
    if np.float16 in (a.dtype, y.dtype):
        raise TypeError('polyfit: float16: x and y must be float32 or float64 for least squares')
    scale = _gnd().sqrt((a * a).sum(axis=0))
    a = a / scale
    c, residuals, rank, s = _gnd().linalg.lstsq(a, y, rcond)
    c = (c.T / scale).T
    if full:
        return c, residuals, rank, s, rcond
    jit = sys.modules.get('gnd._jit')
    if not (jit and jit.recording()) and int(rank) != n:
        warnings.warn(f'polyfit: rank {int(rank)} of {n} coefficients: the points do not determine them', _RankWarning,
                      stacklevel=2)
    if not cov:
        return c
    base = _gnd().linalg.inv(a.T @ a) / (scale[:, None] * scale)
    fac = 1
    if not (isinstance(cov, str) and cov == 'unscaled'):
        if x.size <= n:
            raise ValueError(f'polyfit: {x.size} points for {n} coefficients: a covariance needs more')
        fac = residuals / (x.size - n)
    return c, base * fac if y.ndim == 1 else base[:, :, None] * fac


_RankWarning = getattr(getattr(np, 'exceptions', np), 'RankWarning', None) or getattr(np, 'RankWarning')
FUNCTIONS = [polyfit, poly1d, poly, roots, polyadd, polysub, polymul, polydiv, polyder, polyint, polyval, trim_zeros]
