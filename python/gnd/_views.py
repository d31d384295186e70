# SPDX-License-Identifier: BSD-3-Clause
"""Functions that return views, as in NumPy: writing to a view writes to its source."""
import builtins
import operator

import numpy as np

from . import _core
from ._core import ndarray
from ._convert import asarray


def _axis(a, n, what):
    a = a.__index__()
    if not -n <= a < n:
        raise _core.AxisError(f'{what}: axis {a} is out of range for {n} dimensions')
    return a % n


def _axes(axis, n, what):
    axes = [_axis(a, n, what) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(set(axes)) != len(axes):
        raise ValueError(f'{what}: an axis is named twice in {axis}')
    return axes


def _shape(shape):
    if len(shape) == 1 and hasattr(shape[0], '__len__'):
        shape = shape[0]
    return tuple(shape)


def reshape(x, /, shape, order='C', *, copy=None):
    """x in another shape, with its elements in C or Fortran order. One extent may be -1. The result is a view if
    NumPy's is. copy=True: always a copy; copy=False: ValueError if a view is not possible."""
    x = asarray(x)
    if order not in tuple('CFAcfa'):
        raise ValueError(f"reshape: order {order!r} is not permitted: 'C', 'F' or 'A' is wanted")
    if isinstance(copy, str):
        raise ValueError(f"reshape: copy={copy!r}: strings are not allowed for 'copy': True, False or None is wanted")
    shape = tuple(shape) if hasattr(shape, '__iter__') else (shape,)
    if order in ('F', 'f') or order in ('A', 'a') and x.flags.fnc:
        y = x.T._reshape(shape[::-1])
        y = y.T if y.base is not None else _core._ordered(y.T, True)
    else:
        y = x._reshape(shape)
    if copy is False and y.base is None:
        raise ValueError(f'reshape: Unable to avoid creating a copy: shape {x.shape} to {shape} needs one')
    return y.copy() if copy else y


def _by_strides(strides):
    """The axes in the order of their strides, the largest first. An axis of stride 0 stays where it is, as NumPy's
    iterators have it: insertion from the last axis on, past what does not compare."""
    axes = list(range(len(strides)))[::-1]
    for i in range(1, len(axes)):
        place, s = i, abs(strides[axes[i]])
        for j in range(i - 1, -1, -1):
            other = abs(strides[axes[j]])
            if s and other:
                if s >= other:
                    break
                place = j
        axes.insert(place, axes.pop(i))
    return axes[::-1]


def ravel(a, order='C'):
    """a flattened in C or Fortran order, or ('K') in the order of its strides. The result is a view if NumPy's is."""
    if order in ('K', 'k'):
        a = asarray(a)
        if a.ndim > 1:
            a = a._permute(_by_strides(a.strides))
        order = 'C'
    y = reshape(a, (-1,), order)
    return y if y.base is None or y.flags.c_contiguous else y.copy()


def permute_dims(a, axes=None):
    """A view of a with permuted axes; None reverses them."""
    a = asarray(a)
    return a.T if axes is None else a._permute(tuple(axes))


def transpose(a, axes=None):
    """A view of a with permuted axes; None reverses them."""
    return permute_dims(a, axes)


def matrix_transpose(x, /):
    """A view of x with the last two axes swapped."""
    return asarray(x).mT


def swapaxes(a, axis1, axis2):
    """A view of a with two axes swapped."""
    a = asarray(a)
    axes = list(range(a.ndim))
    i, j = _axis(axis1, a.ndim, 'swapaxes'), _axis(axis2, a.ndim, 'swapaxes')
    axes[i], axes[j] = axes[j], axes[i]
    return a._permute(axes)


def moveaxis(a, source, destination):
    """A view of a with axes source moved to positions destination; the others keep their order."""
    a = asarray(a)
    old, new = _axes(source, a.ndim, 'moveaxis'), _axes(destination, a.ndim, 'moveaxis')
    if len(old) != len(new):
        raise ValueError(f'moveaxis: {len(old)} axes to {len(new)} places')
    order = [i for i in range(a.ndim) if i not in old]
    for place, axis in sorted(zip(new, old)):
        order.insert(place, axis)
    return a._permute(order)


def rollaxis(a, axis, start=0):
    """A view of a with one axis moved before the axis start."""
    a = asarray(a)
    n, axis = a.ndim, _axis(axis, a.ndim, 'rollaxis')
    to = start + n if start < 0 else start
    if not 0 <= to <= n:
        raise _core.AxisError(f'rollaxis: start {start} is out of range for {n} dimensions')
    return moveaxis(a, axis, to - (axis < to))


def expand_dims(a, axis=0):
    """A view of a with new axes of extent 1 at these positions of the result."""
    a = asarray(a)
    n = a.ndim + (len(axis) if isinstance(axis, (tuple, list)) else 1)
    new = _axes(axis, n, 'expand_dims')
    return a[tuple(None if i in new else slice(None) for i in range(n)) + (...,)]


def squeeze(a, axis=None):
    """A view of a without these axes, which have extent 1; None: without all axes of extent 1."""
    a = asarray(a)
    shape = a.shape
    if not shape and axis in (0, -1, (0,), (-1,)):
        return a[...]
    gone = [i for i, n in enumerate(shape) if n == 1] if axis is None else _axes(axis, a.ndim, 'squeeze')
    for i in gone:
        if shape[i] != 1:
            raise ValueError(f'squeeze: axis {i} has {shape[i]} elements, not 1')
    return a[tuple(0 if i in gone else slice(None) for i in range(a.ndim)) + (...,)]


def _at_least(n, widen, text):
    def f(*arrays):
        made = tuple(x if x.ndim >= n else x[widen[x.ndim]] for x in map(asarray, arrays))
        return made[0] if len(made) == 1 else made
    f.__name__ = f.__qualname__ = f'atleast_{n}d'
    f.__doc__ = f"Views of the arrays with at least {text}; one array alone, several as a tuple."
    return f


_all = slice(None)
atleast_1d = _at_least(1, [(None,)], 'one dimension')
atleast_2d = _at_least(2, [(None, None), (None, _all)], 'two dimensions: a vector becomes a row')
atleast_3d = _at_least(3, [(None,) * 3, (None, _all, None), (_all, _all, None)],
                       'three dimensions: the new axes are around a vector and after the axes of a matrix')


def flip(m, axis=None):
    """A view of m reversed along the axes; None: along all axes."""
    m = asarray(m)
    over = range(m.ndim) if axis is None else _axes(axis, m.ndim, 'flip')
    return m[tuple(slice(None, None, -1) if i in over else slice(None) for i in range(m.ndim)) + (...,)]


def rot90(m, k=1, axes=(0, 1)):
    """A view of m after k quarter turns in the plane of two axes, from the first one towards the second."""
    m = asarray(m)
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError(f'rot90: axes {axes}: two are wanted')
    a, b = _axes(axes, m.ndim, 'rot90')
    k %= 4
    if k % 2 == 0:
        return flip(m, (a, b)) if k else m[...]
    return swapaxes(flip(m, b), a, b) if k == 1 else flip(swapaxes(m, a, b), b)


def unstack(x, /, *, axis=0):
    """Views of the parts of x along an axis, without that axis: a tuple."""
    x = asarray(x)
    axis = _axis(axis, x.ndim, 'unstack')
    return tuple(x[(_all,) * axis + (i, ...)] for i in range(x.shape[axis]))


def diag(v, k=0):
    """The matrix with the vector v on diagonal k; of a matrix a read-only view of its diagonal k."""
    v = asarray(v)
    return v.diagonal(k) if v.ndim == 2 else _core_function('diag')(v, k)


def _linalg_diagonal(x, /, *, offset=0):
    """Read-only views of the diagonals of matrices, the last two axes."""
    return asarray(x).diagonal(offset, -2, -1)


_linalg_diagonal.__name__ = _linalg_diagonal.__qualname__ = 'diagonal'


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    """A read-only view of all windows of a shape within x: an axis of n elements has n - w + 1 windows of w elements,
    whose elements are along new axes, the last ones. axis=None: a window for each axis."""
    if writeable:
        raise ValueError('sliding_window_view: writeable=True: the result is read-only: write to x, or to a copy')
    x = asarray(x)
    sizes = tuple(window_shape) if hasattr(window_shape, '__iter__') else (window_shape,)
    axes = tuple(range(x.ndim)) if axis is None else tuple(axis) if hasattr(axis, '__iter__') else (axis,)
    if len(sizes) != len(axes):
        raise ValueError(f'sliding_window_view: {len(sizes)} windows for {len(axes)} axes')
    return x._windows(sizes, tuple(_axis(a, x.ndim, 'sliding_window_view') for a in axes))


def meshgrid(*arrays, copy=True, sparse=False, indexing='xy'):
    """The coordinates of a grid from one axis of coordinates each: a tuple. copy=False: read-only views of the arrays."""
    if copy:
        return _core_function('meshgrid')(*arrays, sparse=sparse, indexing=indexing)
    if indexing not in ('xy', 'ij'):
        raise ValueError(f"meshgrid: indexing {indexing!r}: 'xy' or 'ij' is wanted")
    n = len(arrays)
    place = [1, 0, *range(2, n)] if indexing == 'xy' and n > 1 else range(n)
    parts = [asarray(a).reshape((1,) * k + (-1,) + (1,) * (n - 1 - k)) for a, k in zip(arrays, place)]
    return tuple(parts) if sparse else broadcast_arrays(*parts)


def astype(x, dtype, /, *, copy=True, device=None):
    """x converted to dtype. copy=False: x itself if it has that dtype."""
    if not isinstance(x, ndarray):
        raise TypeError(f'astype: {type(x).__name__}: a gnd.ndarray is wanted')
    return x.astype(dtype, copy=copy, device=device)


def _cuts(n, at, equal):
    """The slices of an axis of n elements: so many sections, or cut at these indices."""
    if hasattr(at, '__index__') and not getattr(at, 'ndim', 0):
        k = operator.index(at)
        if k <= 0:
            raise ValueError(f'split: {k} sections: 1 or more are possible')
        if equal and n % k:
            raise ValueError(f'split: array split does not result in an equal division: {n} elements into {k} sections')
        ends = [i * (n // k) + min(i, n % k) for i in range(k + 1)]
    else:
        ends = [0, *(operator.index(i) for i in (at.tolist() if hasattr(at, 'tolist') else at)), n]
    return [slice(a, b) for a, b in zip(ends, ends[1:])]


def _split(x, at, axis, equal):
    x = asarray(x)
    axis = _axis(axis, x.ndim, 'split')
    return [x[(slice(None),) * axis + (s,)] for s in _cuts(x.shape[axis], at, equal)]


def split(ary, indices_or_sections, axis=0):
    """Views of equal sections of an array along an axis, or of the parts between these indices."""
    return _split(ary, indices_or_sections, axis, True)


def array_split(ary, indices_or_sections, axis=0):
    """Same as split, but the sections may differ by one element."""
    return _split(ary, indices_or_sections, axis, False)


def _split_along(name, least, axis, text):
    def f(ary, indices_or_sections):
        x = asarray(ary)
        if x.ndim < least:
            raise ValueError(f'{name}: an array of {x.ndim} dimensions: {least} or more are wanted')
        return split(x, indices_or_sections, min(axis, x.ndim - 1))
    f.__name__ = f.__qualname__ = name
    f.__doc__ = text
    return f


hsplit = _split_along('hsplit', 1, 1, 'split along the second axis, the first one of a vector.')
vsplit = _split_along('vsplit', 2, 0, 'split along the first axis.')
dsplit = _split_along('dsplit', 3, 2, 'split along the third axis.')


def flipud(m):
    """A view of m reversed along the first axis."""
    return flip(m, axis=0)


def fliplr(m):
    """A view of m reversed along the second axis."""
    return flip(m, axis=1)


def real(val):
    """The real part: a view of a complex array, else val itself."""
    return asarray(val).real


def imag(val):
    """The imaginary part: a view of a complex array, else zeros."""
    return asarray(val).imag


def broadcast_to(array, shape, subok=False):
    """A read-only view of array broadcast to a shape."""
    return asarray(array)._broadcast(tuple(shape) if hasattr(shape, '__iter__') else (shape,))


def broadcast_arrays(*arrays, subok=False):
    """Read-only views of the arrays broadcast to their common shape."""
    arrays = [asarray(a) for a in arrays]
    shape = _core_function('broadcast_shapes')(*(a.shape for a in arrays))
    return tuple(a if a.shape == shape else a._broadcast(shape) for a in arrays)


def _shadow(x):
    """The root of x, and a function that makes a NumPy array with x's layout in memory that stands for the root's.
    Arrays share memory only if they have the same root. The memory is never read or written."""
    root = x if x.base is None else x.base
    return root, lambda memory: np.ndarray(x.shape, x.dtype, memory, x._offset(), x.strides)


def _sharing(f, a, b, **keywords):
    (a_root, a_in), (b_root, b_in) = ((x, None) if not isinstance(x, ndarray) else _shadow(x) for x in (a, b))
    if a_in and b_in:
        if a_root is not b_root:
            return False
        memory = np.empty(max(a_root.nbytes, 1), np.uint8)
        return f(a_in(memory), b_in(memory), **keywords)
    # x.__array_interface__ and DLPack may have given out the memory of x.
    return f(*(_host(x) if isinstance(x, ndarray) else x for x in (a, b)), **keywords)


def _host(x):
    kind, address, _, _, strides = _core._native(x)
    if not address or kind == 3:
        return np.empty(0)

    class Seen:
        __array_interface__ = {'shape': x.shape, 'typestr': x.dtype.str, 'data': (address, True), 'strides': strides,
                               'version': 3}
    return np.asarray(Seen())


def shares_memory(a, b, /, max_work=None):
    """Whether writing to one of the arrays could change the other: true for views of one array that have an element in
    common. A NumPy array may share memory that DLPack gave out."""
    return _sharing(np.shares_memory, a, b, max_work=max_work)


def may_share_memory(a, b, /, max_work=None):
    """Whether the memory ranges of both arrays overlap, in NumPy's layout. max_work=None compares only the ranges."""
    return _sharing(np.may_share_memory, a, b, max_work=max_work)


def _core_function(name):
    return _core._function(name, 0, name, None)


# --- methods --------------------------------------------------------------------------------------

def _method_reshape(self, *shape, order='C', copy=None):
    return reshape(self, _shape(shape), order, copy=copy)


def _method_transpose(self, *axes):
    if not axes or axes == (None,):
        return self.T
    return self._permute(_shape(axes))


def _method_flatten(self, order='C'):
    return ravel(self, order).copy()


def _method_view(self, dtype=None, type=None):
    """A view of the same memory with another dtype. The length of the last axis changes by the ratio of the dtypes'
    sizes. Writing to the result writes to the array."""
    if type is None and isinstance(dtype, builtins.type) and issubclass(dtype, ndarray):
        dtype = None
    elif type is not None and type is not ndarray:
        raise TypeError(f'view: type {type}: gnd.ndarray is the only one')
    if dtype is None or np.dtype(dtype) == self.dtype:
        return self[...]
    return self._dtype(np.dtype(dtype))


def _method_squeeze(self, axis=None):
    return squeeze(self, axis)


FUNCTIONS = [split, array_split, hsplit, vsplit, dsplit, reshape, ravel, permute_dims, transpose, matrix_transpose, swapaxes,
             moveaxis, rollaxis, expand_dims, squeeze, atleast_1d, atleast_2d, atleast_3d, flip, flipud, fliplr, rot90,
             unstack, diag, sliding_window_view, meshgrid, astype, real, imag, broadcast_to, broadcast_arrays,
             shares_memory, may_share_memory]
LINALG = [_linalg_diagonal]
METHODS = {'reshape': _method_reshape, 'transpose': _method_transpose, 'flatten': _method_flatten, 'ravel': ravel,
           'squeeze': _method_squeeze, 'view': _method_view, 'swapaxes': swapaxes}
for _name, _f in METHODS.items():
    setattr(ndarray, _name, _f)
