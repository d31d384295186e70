# SPDX-License-Identifier: BSD-3-Clause
"""Methods of gnd.ndarray for other libraries (NumPy's protocols, DLPack, the Array API standard, pickle), and methods
that change an array in place."""
import sys
import warnings
from typing import Any

import numpy as np

from . import _core
from ._bytes import byteswap
from ._convert import _fortran, asarray, asnumpy, ordered
from ._core import ndarray
from ._names import ComplexWarning

_RENAMED = {'true_divide': 'divide', 'absolute': 'abs', 'conjugate': 'conj', 'invert': 'bitwise_invert',
            'left_shift': 'bitwise_left_shift', 'right_shift': 'bitwise_right_shift', 'arcsin': 'asin',
            'arccos': 'acos', 'arctan': 'atan', 'arctan2': 'atan2', 'arcsinh': 'asinh', 'arccosh': 'acosh',
            'arctanh': 'atanh', 'power': 'pow'}


def _array(self, dtype=None, copy=None):
    if copy is False:
        raise ValueError('an array of gnd cannot be a numpy.ndarray without a copy, and copy is False')
    x = self.asnumpy()
    return x if dtype is None else x.astype(dtype, copy=False)


def _array_ufunc(self, ufunc, method, *inputs, out=None, **keywords):
    gnd = sys.modules['gnd']
    f = getattr(gnd, _RENAMED.get(ufunc.__name__, ufunc.__name__), None)
    if f is None or keywords.pop('where', True) is not True:
        return NotImplemented
    if method == 'reduce':
        name = {'add': 'sum', 'multiply': 'prod', 'maximum': 'max', 'minimum': 'min', 'logical_and': 'all',
                'logical_or': 'any'}.get(ufunc.__name__)
        if name is None:
            return NotImplemented
        f = getattr(gnd, name)
        keywords.setdefault('axis', 0)
        keywords = {k: v for k, v in keywords.items() if v is not None or k == 'axis'}
    elif method in ('outer', 'at', 'accumulate', 'reduceat') and hasattr(f, method):
        f = getattr(f, method)
    elif method != '__call__':
        return NotImplemented
    if any(isinstance(o, np.ndarray) for o in out or ()):
        result = asarray(f(*inputs, **keywords)).asnumpy()
        np.copyto(out[0], result, casting='same_kind')
        return out[0]
    if out is not None:
        keywords['out'] = out[0] if len(out) == 1 else out
    return f(*inputs, **keywords)


def _array_function(self, function, types, args, kwargs):
    where = sys.modules['gnd']
    for part in function.__module__.split('.')[1:]:
        if not part.startswith('_'):
            where = getattr(where, part, None)
    f = getattr(where, function.__name__, None) or getattr(sys.modules['gnd'], function.__name__, None)
    if f is None:
        return NotImplemented
    kwargs.pop('like', None)
    if any(map(_foreign, args)) or (function is np.broadcast_arrays and any(a is None for a in args)):
        return function(*map(_on_host, args), **{k: _on_host(a) for k, a in kwargs.items()})
    return f(*args, **kwargs)


def _foreign(a):
    """Whether a is a NumPy array of a type that gnd does not have: objects, text, dates."""
    return isinstance(a, np.ndarray) and a.dtype.kind in 'OSUMm'


def _on_host(a):
    if isinstance(a, (tuple, list)):
        return type(a)(map(_on_host, a)) if type(a) in (tuple, list) else a
    return a.asnumpy() if isinstance(a, ndarray) else a


def _namespace(self, /, *, api_version=None):
    if api_version not in (None, '2021.12', '2022.12', '2023.12', '2024.12', '2025.12'):
        raise ValueError(f'__array_namespace__: version {api_version!r} is unknown; the newest is 2025.12')
    return sys.modules['gnd']


def _dlpack(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
    versioned = max_version is not None and max_version[0] >= 1
    own = _dlpack_device(self)
    kind, index = own if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
    if kind not in (1, own[0], 4) or index != (0 if kind == 1 else _index(self)):
        raise BufferError(f'__dlpack__: device {dl_device}: the array is on {own}')
    if kind == 2 and stream == 0:
        raise ValueError('__dlpack__: stream 0 is ambiguous: 1 is the legacy default stream, 2 the per-thread one')
    if kind != 2:
        stream = 0
    return _core._to_dlpack(self, versioned, kind, 0 if copy is None else 1 if copy else 2,
                            1 if stream is None else stream)


def _index(self):
    return int(str(self.device).split(':')[1].split('@')[0])


def _dlpack_device(self):
    return (2, _index(self)) if str(self.device).startswith('cuda:') else (1, 0)


def _cuda_array_interface(self):
    if not str(self.device).startswith('cuda:') or self.dtype == 'bfloat16':
        raise AttributeError(f'__cuda_array_interface__: {self.dtype} on {self.device}')
    kind, address, _, _, strides = _core._native(self)
    return {'shape': self.shape, 'typestr': self.dtype.str, 'data': (address, True), 'strides': strides, 'version': 3,
            'stream': _core._device_native(self.device)[3]}


def _array_interface(self):
    if self.dtype == 'bfloat16':
        raise AttributeError('__array_interface__: bfloat16 is no type of NumPy itself')
    try:
        address, strides = _core._pinned(self)
    except BufferError as e:
        raise AttributeError(f'__array_interface__: {e}') from None
    return {'shape': self.shape, 'typestr': self.dtype.str, 'data': (address, True), 'strides': strides, 'version': 3}


def _restore(x, device):
    try:
        return asarray(x, device=device)
    except RuntimeError:  # that device does not exist here: the current one
        return asarray(x)


def _reduce(self):
    x = self.asnumpy()
    return _restore, (np.asfortranarray(x) if self.flags.fnc else x, str(self.device))


def _deepcopy(self, memo):
    return self.copy()


def _format(self, spec):
    if self.ndim and spec:
        raise TypeError(f'a format {spec!r} is for arrays without dimensions; this one has {self.ndim}')
    return format(self.item(), spec) if spec else str(self)


def _contains(self, value):
    return bool((self == value).any())


def _astype(self, dtype, order='K', casting='unsafe', subok=True, copy=True, *, device=None):
    """The array converted to dtype. copy=False: returns the array itself if it has that dtype. casting as in NumPy."""
    x = self if device is None else _core.to_device(self, device)
    if casting != 'unsafe' and not np.can_cast(x.dtype, np.dtype(dtype), casting):
        raise TypeError(f'astype: {x.dtype} cannot be cast to {np.dtype(dtype)} by the rule {casting!r}')
    if x.dtype.kind == 'c' and np.dtype(dtype).kind not in 'cb':
        warnings.warn('Casting complex values to real discards the imaginary part', ComplexWarning, stacklevel=2)
        x = x.real
    if not copy and x.dtype == dtype:
        return ordered(x, order)
    return ordered(_astype_function(x, dtype), 'F' if _fortran(x, order) else 'C', True)


_astype_function = _core._function('astype', 0, 'astype', None)
_copy_function = _core._function('copy', 0, 'copy', None)


def _copy(self, order='C'):
    """A copy of the array."""
    return _copy_function(self, order)


def _fill(self, value):
    """Sets all elements to a value, in place."""
    self[...] = value


def _sort(self, axis=-1, kind=None, order=None, *, stable=None):
    """Sorts along an axis, in place."""
    self[...] = sys.modules['gnd'].sort(self, axis=axis)


def _partition(self, kth, axis=-1, kind='introselect', order=None):
    """Moves the element with sorted position kth to that position, and smaller ones before it, in place."""
    self[...] = sys.modules['gnd'].partition(self, kth, axis=axis)


def _put(self, indices, values, mode='raise'):
    """Sets elements at indices of the flattened array, in place."""
    sys.modules['gnd'].put(self, indices, values, mode=mode)


def _tolist(self):
    """The elements as Python numbers in nested lists."""
    return self.asnumpy().tolist()


def _tobytes(self, order='C'):
    """The bytes of the elements."""
    return self.asnumpy().tobytes(order)


def _to_device(self, device, /, *, stream=None):
    """The array on another device; the array itself if it is already there. stream: the stream that copies."""
    if stream is None:
        return _core.to_device(self, device)
    from ._stream import using
    with using(stream):
        return _core.to_device(self, device)


def _get(self, stream=None, order='C', blocking=True, out=None):
    """A copy as numpy.ndarray: see gnd.asnumpy."""
    return asnumpy(self, stream, order, out)


_FLAGS = ('C_CONTIGUOUS', 'F_CONTIGUOUS', 'OWNDATA', 'WRITEABLE', 'ALIGNED', 'WRITEBACKIFCOPY')
_FLAG_NAMES = {'C': 'c_contiguous', 'CONTIGUOUS': 'c_contiguous', 'F': 'f_contiguous', 'FORTRAN': 'f_contiguous', 'O': 'owndata',
               'W': 'writeable', 'A': 'aligned', 'X': 'writebackifcopy', 'B': 'behaved', 'CA': 'carray', 'FA': 'farray',
               **{n: n.lower() for n in (*_FLAGS, 'FNC', 'FORC', 'BEHAVED', 'CARRAY', 'FARRAY')}}


class _Flags:
    """NumPy's flags of an array. WRITEABLE can be set; the memory is always aligned."""
    __slots__ = ('_array', 'c_contiguous', 'f_contiguous', 'owndata', 'forc', 'fnc')
    _array: Any
    c_contiguous: bool
    f_contiguous: bool
    owndata: bool
    forc: bool
    fnc: bool

    def __init__(self, x):
        c, f = x._dense & 1 != 0, x._dense & 2 != 0
        self._set(_array=x, c_contiguous=c, f_contiguous=f, owndata=x.base is None, forc=c or f, fnc=f and not c)

    def _set(self, **values):
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def writeable(self) -> bool:
        """Whether elements can be assigned."""
        return self._array._writeable

    @property
    def behaved(self) -> bool:
        """aligned and writeable"""
        return self.writeable

    @property
    def carray(self) -> bool:
        """behaved and c_contiguous"""
        return self.writeable and self.c_contiguous

    @property
    def farray(self) -> bool:
        """behaved and fnc"""
        return self.writeable and self.fnc

    @property
    def contiguous(self) -> bool:
        """The same as c_contiguous."""
        return self.c_contiguous

    @property
    def aligned(self) -> bool:
        """Always true."""
        return True

    @property
    def writebackifcopy(self) -> bool:
        """Always false."""
        return False

    def __setattr__(self, name, value):
        if name != 'writeable':
            raise AttributeError(f'flags: {name} cannot be set: writeable can')
        self._array._writeable = value

    def __getitem__(self, name):
        if name not in _FLAG_NAMES:
            raise KeyError(f'flags: {name!r}: one of {", ".join(_FLAG_NAMES)} is wanted')
        return getattr(self, _FLAG_NAMES[name])

    def __setitem__(self, name, value):
        if name not in _FLAG_NAMES:
            raise KeyError(f'flags: {name!r}: WRITEABLE can be set')
        setattr(self, _FLAG_NAMES[name], value)

    def __eq__(self, other):
        return isinstance(other, _Flags) and all(self[n] == other[n] for n in _FLAGS)

    def __repr__(self):
        return ''.join(f'  {n} : {self[n]}\n' for n in _FLAGS)


def _setflags(self, write=None, align=None, uic=None):
    """Sets the flag WRITEABLE. The flags ALIGNED and WRITEBACKIFCOPY cannot be changed."""
    if align is not None and not align or uic:
        raise ValueError('setflags: only write can be changed: memory of gnd is aligned, and nothing is written back')
    if write is not None:
        self._writeable = write


def _tofile(self, fid, sep='', format='%s'):
    """Writes the elements to a file, as bytes or, with sep, as text."""
    self.asnumpy().tofile(fid, sep, format)


METHODS = {'__array__': _array, '__array_ufunc__': _array_ufunc, '__array_function__': _array_function,
           '__array_namespace__': _namespace, '__dlpack__': _dlpack, '__dlpack_device__': _dlpack_device,
           '__cuda_array_interface__': property(_cuda_array_interface),
           '__array_interface__': property(_array_interface), '__reduce__': _reduce, '__copy__': _copy, '__deepcopy__': _deepcopy, '__format__': _format,
           '__contains__': _contains, 'astype': _astype, 'copy': _copy, 'fill': _fill, 'sort': _sort, 'partition': _partition, 'put': _put,
           'byteswap': byteswap, 'tolist': _tolist, 'tobytes': _tobytes, 'to_device': _to_device,
           'get': _get, 'flags': property(_Flags), 'setflags': _setflags, 'tofile': _tofile, '__array_priority__': 100}
for _name, _f in METHODS.items():
    setattr(ndarray, _name, _f)
