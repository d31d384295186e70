# SPDX-License-Identifier: BSD-3-Clause
"""What C leaves to Python: indices that are arrays, assignments to elements, out=."""
import numpy as np

import gnd
from .. import _mpi
from .._mpi import ndarray

_HERE = ('ints, slices, None and ..., or one array of ints, or a mask of the array\'s own shape; else write gnd.mpi.take or '
         'gnd.mpi.where')


def _is_mask(key):
    return getattr(key, 'dtype', None) == bool and hasattr(key, 'shape')


def _array(key):
    """An index as an array: lists are arrays too, which every rank has."""
    return key if hasattr(key, 'dtype') else np.asarray(key) if isinstance(key, list) else None


def get(x, key):
    """x[key] of an array of ints along the first axis, or of a mask."""
    from gnd import mpi
    i = _array(key[0] if isinstance(key, tuple) and len(key) == 1 else key)
    if i is None or i.dtype.kind not in 'biu' or i.dtype == bool and i.shape != x.shape:
        what = 'a mask of shape %s' % (i.shape,) if i is not None and i.dtype == bool else repr(type(key).__name__)
        raise NotImplementedError(f'index {what} of a distributed array of shape {x.shape}: it takes {_HERE}')
    return mpi.extract(i, x) if i.dtype == bool else mpi.take(x, i if i.size else i.astype(np.int64), axis=0)


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
    """The elements that an index of ints, slices and ... names, as an array of bools on every rank: one vector for each
    axis, so it is as cheap as its axes are short. None: all."""
    key = key if isinstance(key, tuple) else (key,)
    if any(k is None or isinstance(k, bool) or not (k is Ellipsis or isinstance(k, slice) or hasattr(k, '__index__')
                                                    and not hasattr(k, 'shape')) for k in key):
        raise NotImplementedError('x[key] = value of a distributed array takes ints, slices and ..., or a mask of its own '
                                  'shape')
    if key.count(Ellipsis) > 1 or len(key) - key.count(Ellipsis) > x.ndim:
        raise IndexError(f'index: {len(key) - key.count(Ellipsis)} entries for {x.ndim} axes, one ellipsis at most')
    at = key.index(Ellipsis) if Ellipsis in key else len(key)
    rest = key[at + 1:]
    key = key[:at] + (slice(None),) * (x.ndim - at - len(rest)) + rest
    mask = None
    for d, k in enumerate(key):
        if isinstance(k, slice) and k.indices(x.shape[d]) == (0, x.shape[d], 1):
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
