# SPDX-License-Identifier: BSD-3-Clause
"""Properties of dtypes and devices: finfo, iinfo, and __array_namespace_info__ of the Array API
standard."""
import numpy as np

from ._core import Device, devices, ndarray

_KINDS = {
    'bool': ('bool', ),
    'signed integer': ('int8', 'int16', 'int32', 'int64'),
    'unsigned integer': ('uint8', 'uint16', 'uint32', 'uint64'),
    'real floating': ('float32', 'float64'),
    'complex floating': ('complex64', 'complex128')
}
_KINDS['integral'] = _KINDS['signed integer'] + _KINDS['unsigned integer']
_KINDS['numeric'] = _KINDS['integral'] + _KINDS['real floating'] + _KINDS['complex floating']


def _dtype_of(x):
    return x.dtype if isinstance(x, (ndarray, np.ndarray, np.generic)) else x


class finfo:  # noqa: N801
    """Limits of a floating-point dtype or of an array's dtype: the attributes of numpy.finfo, with
    Python floats as numbers."""

    def __init__(self, dtype):
        dtype = _dtype_of(dtype)
        if 'bfloat16' in (dtype, getattr(dtype, 'name', None)):
            import ml_dtypes  # type: ignore[import-not-found, unused-ignore]
            self._limits = ml_dtypes.finfo('bfloat16')
        else:
            self._limits = np.finfo(dtype)

    def __getattr__(self, name):
        value = None if name == '_limits' else getattr(self._limits, name, None)
        if value is None:
            raise AttributeError(f'finfo has no attribute {name!r}')
        return float(value) if name != 'dtype' and not isinstance(value, (int, str)) else value

    def __repr__(self):
        return repr(self._limits)


def iinfo(type):
    """Limits of an integer dtype or of an array's dtype, as in numpy.iinfo."""
    return np.iinfo(_dtype_of(type))


class Info:
    """The inspection object with the methods that the standard requires."""

    def capabilities(self):
        return {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 32}

    def default_device(self):
        return Device()

    def devices(self):
        return tuple(
            Device(d['id']) for d in devices() if not d['reason'] and d['backend'] != 'null')

    def default_dtypes(self, *, device=None):
        wide = (Device() if device is None else Device(device)).info()['has_float64']
        return {
            'real floating': np.dtype('float64' if wide else 'float32'),
            'complex floating': np.dtype('complex128' if wide else 'complex64'),
            'integral': np.dtype('int64'),
            'indexing': np.dtype('int64')
        }

    def dtypes(self, *, device=None, kind=None):
        wide = (Device() if device is None else Device(device)).info()['has_float64']
        kinds = _KINDS if kind is None else kind if isinstance(kind, tuple) else (kind, )
        names = dict.fromkeys(n for k in kinds for n in _KINDS[k])
        return {n: np.dtype(n) for n in names if wide or n not in ('float64', 'complex128')}
