# SPDX-License-Identifier: BSD-3-Clause
"""einsum and cross with NumPy's forms of arguments. Permutations and diagonals of one array are views."""
import string
import sys
import warnings

import numpy as np

from . import _core
from ._convert import asarray
from ._core import ndarray

_table_einsum, _table_cross = (_core._function(n, 0, n, None) for n in ('einsum', 'cross'))


def _gnd():
    return sys.modules['gnd']


def _axes(subscripts, ndim):
    """The axis labels of a single operand and of the result, with numbers for the axes of an ellipsis. None: the call
    sums, or its subscripts are wrong."""
    left, arrow, right = subscripts.replace(' ', '').partition('->')
    labels = left.replace('...', '')
    rest = tuple(range(ndim - len(labels))) if '...' in left else ()
    if not arrow:
        right = '...' * ('...' in left) + ''.join(sorted(c for c in labels if labels.count(c) == 1))
    if not (labels + right.replace('...', '')).isalpha() and labels:
        return None
    parts = []
    for side in (left, right):
        before, dots, after = side.partition('...')
        parts.append(tuple(before) + (rest if dots else ()) + tuple(after))
    a, b = parts
    return parts if len(a) == ndim and set(a) == set(b) and len(set(b)) == len(b) else None


def _view(x, labels, result):
    """The view of x with the axes `result`: an axis named twice is a diagonal. None: the extents differ."""
    labels = list(labels)
    for c in list(dict.fromkeys(labels)):
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            if x.shape[i] != x.shape[j]:
                return None
            x = x._diagonal(i, j, False)
            labels = labels[:i] + labels[i + 1:j] + labels[j + 1:] + [c]
    return x._permute(tuple(labels.index(c) for c in result))


def _letters(subscripts):
    """Subscripts given as a list of ints from 0 to 51 and Ellipsis."""
    text = ''
    for s in subscripts:
        if s is Ellipsis:
            text += '...'
            continue
        try:
            k = s.__index__()
        except AttributeError:
            raise TypeError(f'einsum: the subscript {s!r}: ints and Ellipsis are possible') from None
        if not 0 <= k < 52:
            raise ValueError(f'einsum: the subscript {k}: ints from 0 to 51 are possible')
        text += (string.ascii_uppercase + string.ascii_lowercase)[k]
    return text


def _as_text(args):
    """einsum(a, [0, 1], b, [1, 2], [0, 2]) as subscripts and operands."""
    args = list(args)
    result = '->' + _letters(args.pop()) if len(args) % 2 else ''
    if not args or any(not hasattr(s, '__iter__') for s in args[1::2]):
        raise TypeError("einsum: subscripts must be text like 'ij,jk->ik' or a list after each operand")
    return ','.join(map(_letters, args[1::2])) + result, args[::2]


def einsum(*operands, dtype=None, order='K', casting='safe', optimize=False, out=None):
    """Sums of products in Einstein's notation: einsum('ij,jk->ik', a, b) or einsum(a, [0, 1], b, [1, 2], [0, 2]). A
    permutation of the axes of one array or its diagonals are a view. As in NumPy, dtype= has no effect if nothing is
    added or multiplied."""
    if len(operands) < 2:
        raise ValueError('einsum: subscripts and at least one operand are wanted')
    subscripts, operands = (operands[0], operands[1:]) if isinstance(operands[0], str) else _as_text(operands)
    if not any(isinstance(x, ndarray) for x in operands):
        operands = [asarray(x) for x in operands]
    if len(operands) == 1 and out is None:
        x = asarray(operands[0])
        axes = _axes(subscripts, x.ndim)
        y = None if axes is None else _view(x, *axes)
        if y is not None:
            return y
        dtype = None if axes is not None else dtype
    if dtype is not None:
        for x in operands:
            if isinstance(x, ndarray) and not np.can_cast(x.dtype, dtype, casting):
                raise TypeError(f'einsum: {x.dtype} cannot be cast to {np.dtype(dtype)} by the rule {casting!r}')
        operands = [x.astype(dtype) if isinstance(x, ndarray) else x for x in operands]
    keywords = {} if out is None else {'out': out}
    y = _table_einsum(subscripts, *operands, optimize=bool(optimize), **keywords)
    return _core._ordered(y, order == 'F') if order in ('C', 'F') and out is None else y


def einsum_path(*operands, optimize='greedy', einsum_call=False):
    """NumPy's order of the products of an einsum, and a text about its cost, from the shapes alone. einsum takes the
    order as optimize=, which has it choose its own order."""
    if len(operands) < 2:
        raise ValueError('einsum_path: subscripts and at least one operand are wanted')
    subscripts, operands = (operands[0], operands[1:]) if isinstance(operands[0], str) else _as_text(operands)
    shapes = [np.broadcast_to(np.float64(0), np.shape(x)) for x in operands]
    return np.einsum_path(subscripts, *shapes, optimize=optimize, einsum_call=einsum_call)


def _in_space(x):
    """Vectors of two elements with a third one, which is 0."""
    return _gnd().pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 1)]) if x.shape[-1] == 2 else x


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of two or three elements along axes; axis replaces axisa, axisb and axisc. Of two
    vectors of two elements it is a number, the third element."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asarray(a), asarray(b)
    a, b = (x if k == -1 else _gnd().moveaxis(x, k, -1) for x, k in ((a, axisa), (b, axisb)))
    if a.shape[-1:] == (3,) == b.shape[-1:] and axisc == -1:  # the usual case costs the host one call
        return _table_cross(a, b)
    if a.shape[-1] == 2 or b.shape[-1] == 2:
        warnings.warn('cross: vectors of two elements are deprecated: use three', DeprecationWarning, stacklevel=2)
        if a.shape[-1] == b.shape[-1]:
            return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return _gnd().moveaxis(_table_cross(_in_space(a), _in_space(b)), -1, axisc)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """A read-only view of the diagonal of axes axis1 and axis2, which becomes the last axis. offset > 0: above the main
    one."""
    a = asarray(a)
    i, j = (_axis(k, a.ndim) for k in (axis1, axis2))
    if i == j:
        raise ValueError(f'diagonal: axis1 and axis2 are both axis {i}')
    first = [max(-offset, 0), max(offset, 0)]
    n = max(min(a.shape[i] - first[0], a.shape[j] - first[1]), 0)
    key = [slice(None)] * a.ndim
    key[i], key[j] = (slice(k, k + n) for k in first)
    return a[tuple(key)]._diagonal(i, j, True)


def _axis(k, ndim):
    if ndim < 2:
        raise ValueError(f'diagonal: an array of {ndim} dimensions: two or more are wanted')
    if not -ndim <= k < ndim:
        raise _core.AxisError(f'diagonal: axis {k} is out of range for {ndim} dimensions')
    return k % ndim


FUNCTIONS = [einsum, einsum_path, cross, diagonal]
setattr(ndarray, 'diagonal', diagonal)
