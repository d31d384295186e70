# SPDX-License-Identifier: BSD-3-Clause
"""reduce, accumulate, reduceat and at for ufuncs whose methods are not in the table. They support associative
functions, in a number of steps that grows with the logarithm of the length (Hillis and Steele, Data parallel
algorithms, 1986)."""
import numpy as np

from ._convert import asarray, asnumpy

# Associative and commutative functions, with their identities (None: the function has none).
IDENTITY = {'add': 0, 'multiply': 1, 'logical_and': True, 'logical_or': False, 'logical_xor': False, 'bitwise_and': -1,
            'bitwise_or': 0, 'bitwise_xor': 0, 'maximum': None, 'minimum': None, 'fmax': None, 'fmin': None, 'gcd': 0,
            'lcm': None, 'hypot': 0, 'logaddexp': -np.inf, 'logaddexp2': -np.inf}
_WIDENED = frozenset(('add', 'multiply'))


def _able(u, what):
    name = u.__name__
    if name not in IDENTITY:
        raise NotImplementedError(f'{name}.{what}: the order of the elements matters, so it would be a loop over them: '
                                  f'gnd has it for {", ".join(sorted(IDENTITY))}')


def _operand(u, x, dtype, what):
    """x in the dtype of the function's results: bool for logical functions, 64-bit ints for sums and products, as in
    NumPy."""
    _able(u, what)
    x = asarray(x)
    if dtype is not None:
        return x.astype(dtype, copy=False)
    if u.__name__.startswith('logical_'):
        return x if x.dtype == bool else x != 0
    if u.__name__ in _WIDENED and x.dtype.kind in 'biu' and x.dtype.itemsize < 8:
        return x.astype(np.uint64 if x.dtype.kind == 'u' else np.int64)
    if u.__name__ in ('hypot', 'logaddexp', 'logaddexp2') and x.dtype.kind in 'biu':
        return x.astype(np.float64)
    return x


def _axis(axis, ndim, what):
    axis = axis.__index__()
    if not -ndim <= axis < ndim:
        from . import _core
        raise _core.AxisError(f'{what}: axis {axis} is out of range for {ndim} dimensions')
    return axis % ndim


def _at(axis, what):
    return (slice(None),) * axis + (what,)


def fold(u, x, axis, dtype, keepdims):
    """u.reduce along one axis, several axes, or all (None)."""
    from . import expand_dims, full
    x = _operand(u, x, dtype, 'reduce')
    x = abs(x) if u.__name__ in ('gcd', 'hypot') else x  # NumPy folds from the identity 0: f(0, x) is abs(x)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted({_axis(a, x.ndim, u.__name__ + '.reduce') for a in axes}, reverse=True)
    for a in axes:
        n = x.shape[a]
        if n == 0:
            empty = IDENTITY[u.__name__]
            if empty is None:
                raise ValueError(f'{u.__name__}.reduce: no elements along axis {a}, and no value for none')
            x = full(x.shape[:a] + (1,) + x.shape[a + 1:], empty, dtype=x.dtype)
        while n > 1:
            half = n // 2
            y = u(x[_at(a, slice(0, half))], x[_at(a, slice(half, 2 * half))])
            if n % 2:
                y[_at(a, slice(0, 1))] = u(y[_at(a, slice(0, 1))], x[_at(a, slice(n - 1, n))])
            x, n = y, half
        x = x[_at(a, 0)]
    for a in reversed(axes) if keepdims else ():
        x = expand_dims(x, a)
    return x


def scan(u, x, axis, dtype, what='accumulate', first=None):
    """u.accumulate. first: for each element the index at which its segment begins; None: all elements are one
    segment."""
    from . import arange, where
    x = _operand(u, x, dtype, what)
    a = _axis(axis, x.ndim, f'{u.__name__}.{what}')
    n = x.shape[a]
    longest = n
    x = x.copy()
    if first is not None:
        longest = int((np.arange(n) - first).max()) + 1 if n else 0
        first = asarray(np.asarray(first, np.int64)).reshape((n,) + (1,) * (x.ndim - a - 1))
        place = arange(n).reshape(first.shape)
    k = 1
    while k < longest:
        late = _at(a, slice(k, None))
        y = u(x[_at(a, slice(0, n - k))], x[late])
        x[late] = y if first is None else where(place[k:] - k >= first[k:], y, x[late])
        k *= 2
    return x


def segments(u, x, indices, axis, dtype):
    """u.reduceat: reduces the elements from each index up to the next index, exclusive. If the next index is not
    greater, the result is the element at the index."""
    from . import take
    x = _operand(u, x, dtype, 'reduceat')
    a = _axis(axis, x.ndim, u.__name__ + '.reduceat')
    start, n = np.atleast_1d(asnumpy(indices)), x.shape[a]
    if start.dtype.kind not in 'iu' and start.size or start.ndim != 1:
        raise TypeError(f'{u.__name__}.reduceat: indices of dtype {start.dtype} and shape {start.shape}: a list of ints '
                        'is wanted')
    start = start.astype(np.int64)
    if start.size and not (0 <= start.min() and start.max() < n):
        wrong = start[(start < 0) | (start >= n)][0]
        raise IndexError(f'{u.__name__}.reduceat: index {wrong} is out of range for an axis of {n} elements')
    stop = np.maximum(np.append(start[1:], n), start + 1)
    length = stop - start
    first = np.repeat(np.cumsum(length) - length, length)  # for each taken element, the begin of its segment
    taken = np.arange(first.size) - first + np.repeat(start, length)
    x = scan(u, take(x, asarray(taken), axis=a), a, x.dtype, 'reduceat', first)
    return take(x, asarray(np.cumsum(length) - 1), axis=a)


def at(u, x, indices, b):
    """u.at for indices that may repeat: the values for each element are reduced first."""
    from . import broadcast_to
    _able(u, 'at')
    places = np.arange(x.size).reshape(x.shape)[_host(indices)]
    b = broadcast_to(asarray(b), places.shape).ravel()
    order = np.argsort(places.ravel(), kind='stable')
    sorted_places = places.ravel()[order]
    start = np.flatnonzero(np.diff(sorted_places, prepend=-1))
    if not start.size:
        return
    b = segments(u, b[asarray(order)], start, 0, b.dtype if u.__name__ in _WIDENED else None)
    to, flat = asarray(sorted_places[start]), x.ravel().copy()
    y = u(flat[to], b)
    if not np.can_cast(y.dtype, x.dtype, 'same_kind'):
        raise TypeError(f'{u.__name__}.at: the result of dtype {y.dtype} cannot be cast to {x.dtype}')
    flat[to] = y
    x[...] = flat.reshape(x.shape)


def _host(indices):
    if isinstance(indices, tuple):
        return tuple(i if isinstance(i, slice) or i is None or i is Ellipsis else asnumpy(i) for i in indices)
    return indices if isinstance(indices, slice) or indices is Ellipsis else asnumpy(indices)
