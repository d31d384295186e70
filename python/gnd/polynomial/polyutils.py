# SPDX-License-Identifier: BSD-3-Clause
"""numpy.polynomial.polyutils: series of coefficients, lowest power first, and domains."""
import numpy as np

import gnd
from gnd import asarray, asnumpy, ndarray


def trimseq(seq):
    """seq without the zeros at its end; at least one element stays. The result is a view if seq is an array."""
    if isinstance(seq, ndarray) and seq.ndim == 0:
        raise TypeError('trimseq: a number: a series is wanted')
    if isinstance(seq, ndarray) and seq.ndim > 1:
        raise ValueError(f'trimseq: a series of {seq.ndim} dimensions: 1 is possible')
    if len(seq) == 0:
        return seq
    there = np.flatnonzero(asnumpy(seq))
    return seq[:int(there[-1]) + 1 if len(there) else 1]


def as_series(alist, trim=True):
    """A list of series with a common dtype of floats or complex numbers, from a list of series or the rows of an
    array."""
    if isinstance(alist, ndarray) and alist.ndim > 2:
        raise ValueError(f'as_series: an array of {alist.ndim} dimensions: at most 2 are possible')
    series = [gnd.array(a, ndmin=1) for a in alist]
    for a in series:
        if a.size == 0:
            raise ValueError('as_series: a series has no coefficients')
        if a.ndim != 1:
            raise ValueError(f'as_series: a series of {a.ndim} dimensions: 1 is possible')
        if a.dtype == bool:
            raise ValueError('as_series: bools: numbers are wanted')
    if trim:
        series = [trimseq(a) for a in series]
    t = gnd.common_type(*series)
    return [a.astype(t) for a in series]


def trimcoef(c, tol=0):
    """c without the coefficients at its end that are at most tol in magnitude; a single 0 if all are."""
    if tol < 0:
        raise ValueError(f'trimcoef: tol {tol}: 0 or more is possible')
    c, = as_series([c])
    there = np.flatnonzero(np.abs(asnumpy(c)) > tol)
    return c[:int(there[-1]) + 1].copy() if len(there) else c[:1] * 0


def getdomain(x):
    """The smallest interval that holds the points x; of complex points the corners of a rectangle."""
    x, = as_series([x], trim=False)
    parts = [x.real, x.imag] if x.dtype.kind == 'c' else [x]
    low, high = ([f(p) for p in parts] for f in (gnd.min, gnd.max))
    if len(parts) == 2:
        return gnd.stack([low[0] + 1j * low[1], high[0] + 1j * high[1]])
    return gnd.stack([low[0], high[0]])


def mapparms(old, new):
    """Offset and scale of the linear map from the interval old to the interval new."""
    a, b = (asarray(v) for v in (old, new))
    width = a[1] - a[0]
    return (a[1] * b[0] - a[0] * b[1]) / width, (b[1] - b[0]) / width


def mapdomain(x, old, new):
    """x under the linear map from the interval old to the interval new."""
    offset, scale = mapparms(old, new)
    return offset + scale * asarray(x)
