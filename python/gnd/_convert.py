# SPDX-License-Identifier: BSD-3-Clause
"""Conversion between arrays and other objects: asarray, array, asnumpy, from_dlpack."""
import functools
import sys

import numpy as np

from . import _core
from ._core import ndarray


def _bfloat16(dtype):
    return dtype == 'bfloat16' or getattr(dtype, 'name', None) == 'bfloat16'


def _nested(obj):
    """Whether a nested sequence contains a gnd array."""
    while isinstance(obj, (list, tuple)) and obj:
        if any(isinstance(o, ndarray) for o in obj):
            return True
        obj = obj[0]
    return False


_ORDERS = tuple('CFAKcfak')


def _fortran(x, order):
    """Whether an array made from x is in Fortran order. order= decides; otherwise the order of x."""
    if order is not None and order not in _ORDERS:
        raise ValueError(f"order {order!r}: 'C', 'F', 'A' or 'K' is wanted")
    if order in ('C', 'c', 'F', 'f'):
        return order in ('F', 'f')
    if isinstance(x, ndarray):
        return x._dense == 2
    flags = getattr(x, 'flags', None)
    return bool(flags is not None and getattr(flags, 'fnc', False))


def ordered(x, order, copy=False):
    """x in the order given by order=. copy=False: returns x itself if it has that order."""
    fortran = _fortran(x, order)
    if not copy and (order in (None, 'K', 'A', 'k', 'a') or x._dense & (2 if fortran else 1)):
        return x
    return _core._ordered(x, fortran)


def asarray(a, dtype=None, order=None, *, device=None, copy=None):
    """a as an array. A gnd array is returned itself, or converted to dtype and moved to device if need be. Anything
    that NumPy converts to an array, including numbers and nested lists, is copied. copy=True: always copies;
    copy=False: ValueError if a copy is needed. order: 'C' or 'F' for the strides; otherwise the order of a."""
    if type(a) is ndarray and dtype is None and device is None and not copy:
        if order is None or (order == 'C' and a._dense & 1):
            return a  # what the rest comes to, in a third of the time
    x = _asarray(a, dtype, device, copy)
    if order is None and not (isinstance(a, np.ndarray) and a.flags.fnc):
        return x
    if x is a:
        x = ordered(x, order)
        if copy is False and x is not a:
            raise ValueError(f'asarray: order {order!r} needs a copy, and copy is False')
        return x
    return _core._ordered(x, True) if _fortran(a, order) else x


def _asarray(obj, dtype, device, copy):
    if isinstance(obj, ndarray):
        x = obj if device is None else _core.to_device(obj, device)
        if dtype is not None and x.dtype != dtype:
            if copy is False:
                raise ValueError(f'asarray: {x.dtype} to {np.dtype(dtype)} needs a copy, and copy is False')
            return x.astype(dtype)
        return x.copy() if copy else x
    if copy is False:
        raise ValueError(f'asarray: {type(obj).__name__} to a gnd array needs a copy, and copy is False')
    if _nested(obj):
        obj = _stacked(obj)
        return obj if dtype is None else obj.astype(dtype)
    if _bfloat16(dtype):
        return _core._from_numpy(np.asarray(obj, np.float32), device).astype('bfloat16')
    if not isinstance(obj, (np.ndarray, np.generic)) and hasattr(obj, '__dlpack__') and not hasattr(obj, '__array__'):
        x = from_dlpack(obj, device=device, copy=True)
        return x if dtype is None else x.astype(dtype)
    return _core._from_numpy(np.asarray(obj, None if dtype is None else np.dtype(dtype)), device)


def asfortranarray(a, dtype=None):
    """Same as asarray, with at least one dimension, in Fortran order."""
    x = asarray(a, dtype, 'F')
    return x if x.ndim else x[None]


def _stacked(obj):
    stack = _core._function('stack', 0, 'stack', None)
    return stack([_stacked(o) if isinstance(o, (list, tuple)) else asarray(o) for o in obj])


def array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, device=None):
    """A new array from object, as by asarray, with at least ndmin dimensions."""
    x = asarray(object, dtype, order, device=device, copy=copy if isinstance(object, ndarray) else None)
    return x[(None,) * (ndmin - x.ndim) + (...,)] if x.ndim < ndmin else x


def asanyarray(a, dtype=None, order=None, *, device=None, copy=None):
    """Same as asarray."""
    return asarray(a, dtype, order, device=device, copy=copy)


def ascontiguousarray(a, dtype=None, *, device=None, copy=None):
    """Same as asarray, with at least one dimension, in C order."""
    x = asarray(a, dtype, 'C', device=device, copy=copy)
    return x if x.ndim else x[None]


def asnumpy(x, stream=None, order='C', out=None, *, blocking=True):
    """A copy as numpy.ndarray. Evaluates x, in the stream if one is given. out: a NumPy array that receives the
    elements and is returned. The call always waits; blocking has no effect. Other objects are passed to
    numpy.asarray."""
    if not isinstance(x, ndarray):
        y = np.asarray(x)
    elif stream is None:
        y = x.asnumpy()
    else:
        from ._stream import using
        with using(stream, x.device):
            y = x.asnumpy()
    if out is not None:
        if out.shape != y.shape:
            raise ValueError(f'asnumpy: out of shape {out.shape}, the array has {y.shape}')
        out[...] = y
        return out
    return np.asarray(y, order=order)


def get_array_module(*args):
    """gnd if an argument is a gnd array, else numpy."""
    return sys.modules['gnd'] if any(isinstance(a, ndarray) for a in args) else np


def from_dlpack(x, /, *, device=None, copy=None):
    """An object with __dlpack__ as an array. The array uses the object's own memory if the device can work in it: host
    memory on devices that use host memory, CUDA memory on the same CUDA device. That memory must not change while the
    array is used. Other memory is copied. copy=True: always a copy; copy=False: BufferError if a copy is needed."""
    if isinstance(x, ndarray):
        return asarray(x, device=device, copy=copy)
    keywords = {}
    if x.__dlpack_device__()[0] in (2, 13):  # CUDA: the device's stream waits for the work on x
        device = _core.Device(device)
        keywords['stream'] = _core._device_native(device)[3] if str(device).startswith('cuda') else 1
    try:
        capsule = x.__dlpack__(max_version=(1, 1), **keywords)
    except TypeError:
        capsule = x.__dlpack__(**keywords)
    return _core._from_dlpack(capsule, device, 0 if copy is None else 1 if copy else 2)


def open_native(backend, *, queue=0, context=0, device=0):
    """A device on a context and queue that the program owns, given as numbers: open_native('cuda',
    queue=torch.cuda.current_stream().cuda_stream). Work is done in the order of that queue. The device stays open until
    the program ends, and so must the context and the queue."""
    return _core._open_native(backend, device, context, queue)


def _clamped(f, place):
    """f with an argument k (at that position) that may be an int of any size. Beyond 2**62 all k mean the same, since
    no array has such a diagonal."""
    @functools.wraps(f)
    def clamped(*args, **keywords):
        def near(k):
            return max(-2**62, min(2**62, k)) if isinstance(k, int) else k
        if 'k' in keywords:
            keywords['k'] = near(keywords['k'])
        return f(*args[:place], *map(near, args[place:place + 1]), *args[place + 1:], **keywords)
    return clamped
