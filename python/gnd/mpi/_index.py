# SPDX-License-Identifier: BSD-3-Clause
"""What C leaves to Python: indices that are arrays, assignments to elements, out=."""
import numpy as np

import gnd
from .. import _mpi
from .._mpi import ndarray

def _is_mask(key):
    return getattr(key, 'dtype', None) == bool and hasattr(key, 'shape')


def _array(key):
    """An entry as an array, or None for ints, slices, None and ...: what every rank has as NumPy's."""
    if isinstance(key, ndarray):
        return key
    if isinstance(key, gnd.ndarray):
        return gnd.asnumpy(key)
    if key is None or key is Ellipsis or isinstance(key, slice) or hasattr(key, '__index__') and not hasattr(key, 'shape') \
            and not isinstance(key, bool):
        return None
    i = np.asarray(key)
    return i.astype(np.int64) if i.size == 0 and isinstance(key, (list, tuple)) else i


def _entries(x, key):
    """A key for x: (entry, axis of x) for each int, slice and array, (None, None) for a new axis, and (..., None) for an
    ellipsis of no axes, which separates arrays. A mask becomes an array of ints for each of its axes, an array of ints
    without axes an int."""
    out, axis = [], 0
    arrays = [_array(k) for k in key]
    used = sum(0 if k is None or k is Ellipsis else i.ndim if i is not None and i.dtype == bool else 1
               for k, i in zip(key, arrays))
    dots = sum(k is Ellipsis for k in key)
    if dots > 1 or used > x.ndim:
        raise IndexError(f'index: {used} entries for {x.ndim} axes, {dots} ellipses: at most one is possible')
    if not dots:
        key, arrays = (*key, Ellipsis), [*arrays, None]
    for k, i in zip(key, arrays):
        if k is None:
            out.append((None, None))
            continue
        if k is Ellipsis:
            out += [(slice(None), d) for d in range(axis, axis + x.ndim - used)] or [(Ellipsis, None)] * dots
            axis += x.ndim - used
            continue
        if i is None:
            found = [k]
        elif i.dtype == bool:
            if i.ndim == 0 or tuple(i.shape) != x.shape[axis:axis + i.ndim]:
                raise IndexError(f'index: a mask of shape {tuple(i.shape)} for the extents {x.shape[axis:axis + i.ndim]} of a '
                                 'distributed array: x[None] adds an axis, gnd.mpi.where chooses by one number')
            found = list(_mpi_functions().nonzero(i) if isinstance(i, ndarray) else np.nonzero(i))
        elif i.dtype.kind not in 'iu':
            raise IndexError(f'index: an array of {i.dtype}: ints, bools, slices, None and ... are possible')
        else:
            found = [i if i.ndim else int(i)]
        for f in found:
            out.append((f, axis))
            axis += 1
    return out


def _in_range(i, n, axis):
    """An array of indices from 0 to n - 1; the elements of a distributed one are looked at by all ranks."""
    bad = (i < -n) | (i >= n)
    if bool(bad.any()):
        raise IndexError(f'index {"of a distributed array" if isinstance(i, ndarray) else i[bad].flat[0]} is out of bounds '
                         f'for axis {axis} with size {n}')
    i = i.astype(np.int64)
    return _mpi_functions().where(i < 0, i + n, i) if isinstance(i, ndarray) else np.where(i < 0, i + n, i)


def _mpi_functions():
    from gnd import mpi
    return mpi


def get(x, key):
    """x[key] with arrays of ints or masks among the entries, as in NumPy. One array is take along its axis. Several are
    one index into their axes flattened: those axes are brought together, which sends elements unless they are neighbours
    and all but the first of them are whole on each rank; then take sends what is asked for."""
    mpi = _mpi_functions()
    key = key if isinstance(key, tuple) else (key,)
    if len(key) == 1 and _is_mask(key[0]) and tuple(key[0].shape) == x.shape and x.ndim:
        return mpi.extract(key[0], x)
    entries = _entries(x, key)
    y = x[tuple(slice(None) if hasattr(k, 'shape') else k for k, _ in entries)]
    chosen = [e for e, (k, _) in enumerate(entries) if hasattr(k, 'shape') or hasattr(k, '__index__')]
    together = chosen[-1] - chosen[0] == len(chosen) - 1
    first = chosen[0] if together else 0  # the axis of the result at which those of the arrays begin
    axes, arrays, d = [], [], 0
    for k, axis in entries:
        if hasattr(k, 'shape'):
            axes.append(d)
            arrays.append((k, axis))
        d += k is not Ellipsis and (hasattr(k, 'shape') or not hasattr(k, '__index__'))
    if len(arrays) == 1:
        i, at = arrays[0][0], axes[0]
        i = i if isinstance(i, ndarray) else _in_range(i, y.shape[at], arrays[0][1])
    else:
        i, at = 0, axes[0]
        shape = np.broadcast_shapes(*(k.shape for k, _ in arrays))
        for (k, axis), d in zip(arrays, axes):
            i = i * y.shape[d] + _in_range(k, y.shape[d], axis)
        if axes != list(range(at, at + len(axes))):
            y = mpi.moveaxis(y, axes, list(range(at, at + len(axes))))
        n = int(np.prod(y.shape[at:at + len(axes)]))
        y = y.reshape(y.shape[:at] + (n,) + y.shape[at + len(axes):])
        i = i if isinstance(i, ndarray) or i.shape == shape else np.broadcast_to(i, shape)
    ni = i.ndim
    y = mpi.take(y, i if isinstance(i, ndarray) else np.ascontiguousarray(i, np.int64), axis=at)
    return y if at == first else mpi.moveaxis(y, list(range(at, at + ni)), list(range(first, first + ni)))


def put(x, key, value):
    """x[key] = value, where every element gets the same value or key is everything: as where() does."""
    from gnd import mpi
    if _is_mask(key) and tuple(key.shape) == x.shape:
        mask = key
    else:
        mask = _mask(x, key)
    if mask is not None and np.ndim(value) if not isinstance(value, ndarray) else value.ndim and mask is not None:
        raise NotImplementedError(f'x[...] = an array of shape {np.shape(value) if not isinstance(value, ndarray) else value.shape}'
                                  ': elements of distributed arrays are set to one number; gnd.mpi.where(mask, y, x) takes '
                                  'them from another array')
    _cast('setitem', value, x.dtype)
    if mask is None:
        y = mpi.astype(mpi.add(mpi.zeros_like(x), value) if x.dtype != bool else mpi.logical_or(mpi.zeros_like(x), value), x.dtype)
        return store(x, y, 'setitem')
    store(x, mpi.where(mask, gnd.asarray(value, x.dtype, device=x.context.device) if not isinstance(value, ndarray)
                       else value.astype(x.dtype), x), 'setitem')


def _cast(name, value, dtype):
    """Assignments cast as NumPy's: everything but complex numbers to real ones."""
    kind = getattr(value, 'dtype', np.asarray(0 if isinstance(value, ndarray) else value).dtype).kind
    if kind == 'c' and dtype.kind != 'c':
        raise TypeError(f'{name}: a complex value for an array of {dtype}')


def _mask(x, key):
    """The elements that an index of ints, slices, ... and one array names, as an array of bools on every rank: one vector for each
    axis, so it is as cheap as its axes are short. None: all."""
    key = key if isinstance(key, tuple) else (key,)
    if any(k is None or isinstance(k, (bool, ndarray)) for k in key):
        raise NotImplementedError('x[key] = value of a distributed array takes ints, slices, ... and one array of ints or bools '
                                  'that every rank has, or a mask of its own shape: gnd.mpi.where(mask, value, x) for others')
    entries = _entries(x, key)
    if sum(hasattr(k, 'shape') for k, _ in entries) > 1:
        raise NotImplementedError('x[key] = value of a distributed array takes one array of ints: for several use x[...] = '
                                  'gnd.mpi.put(x, gnd.mpi.ravel_multi_index(arrays, x.shape), value)')
    mask = None
    for k, d in entries:
        if k is Ellipsis or isinstance(k, slice) and k.indices(x.shape[d]) == (0, x.shape[d], 1):
            continue
        v = np.zeros(x.shape[d], bool)
        try:
            v[k] = True
        except IndexError:
            raise IndexError(f'index {k} is out of range for axis {d} of {x.shape[d]} elements') from None
        v = gnd.asarray(v.reshape((-1,) + (1,) * (x.ndim - d - 1)), device=x.context.device)
        mask = v if mask is None else mask & v
    return mask


def store(x, y, name='out'):
    """Gives x the value y, which is cast by NumPy's rule same_kind, in x's partition; returns x."""
    if not isinstance(x, ndarray):
        raise TypeError(f'{name}: {type(x)}: a gnd.mpi.ndarray is wanted')
    if not isinstance(y, ndarray):
        raise TypeError(f'{name}: the result is no array')
    if x.shape != y.shape:
        raise ValueError(f'{name}: the result has shape {y.shape}, and what it is to be written to {x.shape}')
    if y.dtype != x.dtype:
        if not np.can_cast(y.dtype, x.dtype, 'same_kind'):
            raise TypeError(f"{name}: the result of dtype {y.dtype} cannot be cast to {x.dtype} with casting rule "
                            "'same_kind'")
        y = y.astype(x.dtype)
    return x._become(y.redistribute(x.partition))


def install():
    _mpi._set_index(get, put)
