# SPDX-License-Identifier: BSD-3-Clause
"""Functions that change their first argument and return None, as in NumPy. The functions of the same names in the table
return new arrays, which are written to the argument."""
import numpy as np

from . import _core
from ._convert import asarray
from ._core import ndarray


def _table(name):
    return _core._function(name, 0, name.rpartition('.')[2], None)


_put, _place, _putmask, _fill_diagonal, _put_along_axis, _shuffle, _where = map(
    _table, ('put', 'place', 'putmask', 'fill_diagonal', 'put_along_axis', 'random.shuffle', 'where'))


def _target(x, name):
    if not isinstance(x, ndarray):
        raise TypeError(f'{name}: {type(x).__name__}: a gnd.ndarray is wanted, which is changed')
    return x


def copyto(dst, src, casting='same_kind', where=True):
    """Writes src to dst where the mask `where` is true."""
    _target(dst, 'copyto')
    source = src if isinstance(src, (bool, int, float, complex)) and not isinstance(src, np.generic) else asarray(src)
    kind = np.min_scalar_type(source) if not isinstance(source, ndarray) else source.dtype
    if not isinstance(source, ndarray) and kind.kind in 'iu' and dst.dtype.kind in 'iufc':
        kind = dst.dtype  # Python ints are weak
    elif not isinstance(source, ndarray) and kind.kind == 'f' and dst.dtype.kind in 'fc':
        kind = dst.dtype
    elif not isinstance(source, ndarray) and kind.kind == 'c' and dst.dtype.kind == 'c':
        kind = dst.dtype
    if not np.can_cast(kind, dst.dtype, casting):
        raise TypeError(f'copyto: {kind} cannot be cast to {dst.dtype} by the rule {casting!r}')
    if isinstance(source, int) and not isinstance(source, bool) and dst.dtype.kind in 'iu':
        limits = np.iinfo(dst.dtype)
        if not limits.min <= source <= limits.max:
            raise OverflowError(f'copyto: {source} is out of bounds for {dst.dtype}')
    source = asarray(source)
    while source.ndim > dst.ndim and source.shape[0] == 1:
        source = source[0]
    if where is True:
        dst[...] = source
        return
    where = asarray(where if isinstance(where, (ndarray, np.ndarray)) else np.asarray(where, bool))
    if where.dtype != bool:
        raise TypeError(f'copyto: where of dtype {where.dtype}: bools are wanted')
    dst[...] = _where(where, source.astype(dst.dtype), dst)


def put(a, ind, v, mode='raise'):
    """Sets elements at indices of the flattened array."""
    _target(a, 'put')[...] = _put(a, asarray(ind), v, mode=mode)


def place(arr, mask, vals):
    """Sets the elements where mask is true to the values in turn, which repeat."""
    _target(arr, 'place')
    if not isinstance(vals, ndarray):
        vals = asarray(vals)
    if vals.size:
        arr[...] = _place(arr, mask, vals)
    elif bool(asarray(mask).any()):
        raise ValueError('place: the mask is true somewhere, and there are no values')


def putmask(a, mask, values):
    """Sets the elements where mask is true to those of values, repeated to the size of a."""
    _target(a, 'putmask')
    kind = getattr(values, 'dtype', None)
    if kind is not None and not np.can_cast(kind, a.dtype):
        raise TypeError(f'putmask: {kind} cannot be cast to {a.dtype} by the rule \'safe\'')
    a[...] = _putmask(a, mask, values)


def fill_diagonal(a, val, wrap=False):
    """Sets the main diagonal."""
    _target(a, 'fill_diagonal')[...] = _fill_diagonal(a, val, wrap)


def put_along_axis(arr, indices, values, axis):
    """Sets the elements at the given indices along an axis; None: of the flattened array."""
    if axis is None:
        flat = _target(arr, 'put_along_axis').ravel()
        flat[...] = _put_along_axis(flat, indices, values, 0)
        if flat.base is None:
            arr[...] = flat.reshape(arr.shape)
        return
    _target(arr, 'put_along_axis')[...] = _put_along_axis(arr, indices, values, axis)


def shuffle(x, axis=0):
    """Puts the slices of x along an axis in random order."""
    if isinstance(x, ndarray) and not x.ndim:
        raise TypeError('shuffle: an array of 0 dimensions has no parts')
    _target(x, 'shuffle')[...] = _shuffle(x, axis)


FUNCTIONS = [copyto, put, place, putmask, fill_diagonal, put_along_axis]
RANDOM = [shuffle]
