# SPDX-License-Identifier: BSD-3-Clause
"""__array_namespace_info__ of the Array API standard."""
import numpy as np

from ._core import Device, devices

_KINDS = {'bool': ('bool',), 'signed integer': ('int8', 'int16', 'int32', 'int64'),
          'unsigned integer': ('uint8', 'uint16', 'uint32', 'uint64'), 'real floating': ('float32', 'float64'),
          'complex floating': ('complex64', 'complex128')}
_KINDS['integral'] = _KINDS['signed integer'] + _KINDS['unsigned integer']
_KINDS['numeric'] = _KINDS['integral'] + _KINDS['real floating'] + _KINDS['complex floating']


class Info:
    """The methods that the standard requires."""

    def capabilities(self):
        return {'boolean indexing': True, 'data-dependent shapes': True, 'max dimensions': 32}

    def default_device(self):
        return Device()

    def devices(self):
        return tuple(Device(d['id']) for d in devices() if not d['reason'] and d['backend'] != 'null')

    def default_dtypes(self, *, device=None):
        wide = (Device() if device is None else Device(device)).info()['has_float64']
        return {'real floating': np.dtype('float64' if wide else 'float32'),
                'complex floating': np.dtype('complex128' if wide else 'complex64'), 'integral': np.dtype('int64'),
                'indexing': np.dtype('int64')}

    def dtypes(self, *, device=None, kind=None):
        wide = (Device() if device is None else Device(device)).info()['has_float64']
        kinds = _KINDS if kind is None else kind if isinstance(kind, tuple) else (kind,)
        names = dict.fromkeys(n for k in kinds for n in _KINDS[k])
        return {n: np.dtype(n) for n in names if wide or n not in ('float64', 'complex128')}
