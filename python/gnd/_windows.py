# SPDX-License-Identifier: BSD-3-Clause
"""Window functions, as in NumPy: m points, symmetric, in the default float dtype. For m below 1 the result is empty."""
import math
import sys

import numpy as np


def _gnd():
    return sys.modules['gnd']


def _points(m, name):
    """(x, None) with the m points x, evenly spaced from -1 to 1; or (None, the window) for fewer than two points."""
    if isinstance(m, (str, bytes)) or getattr(m, 'ndim', 0):
        raise TypeError(f'{name}: M must be a number, not {m!r}')
    gnd, m = _gnd(), float(m)
    if m < 1:
        return None, gnd.zeros(0)
    if m == 1:
        return None, gnd.ones(1)
    return gnd.arange(1 - m, m, 2) / (m - 1), None


def bartlett(M):
    """A triangle that is 0 at both ends."""
    x, y = _points(M, 'bartlett')
    return y if x is None else 1 - abs(x)


def _cosines(M, name, *weights):
    x, y = _points(M, name)
    if x is None:
        return y
    return sum((w * _gnd().cos(k * math.pi * x) for k, w in enumerate(weights[1:], 1)), weights[0] + 0 * x)


def hanning(M):
    """A raised cosine that is 0 at both ends."""
    return _cosines(M, 'hanning', 0.5, 0.5)


def hamming(M):
    """A raised cosine that is 0.08 at both ends."""
    return _cosines(M, 'hamming', 0.54, 0.46)


def blackman(M):
    """A sum of three cosine terms that is 0 at both ends."""
    return _cosines(M, 'blackman', 0.42, 0.5, 0.08)


def kaiser(M, beta):
    """The Kaiser window: i0(beta sqrt(1 - x**2)) / i0(beta) for x from -1 to 1."""
    x, y = _points(M, 'kaiser')
    if x is None:
        return y
    gnd = _gnd()
    return gnd.i0(beta * gnd.sqrt(1 - x * x)) / float(np.i0(float(beta)))


FUNCTIONS = [bartlett, hanning, hamming, blackman, kaiser]
