# SPDX-License-Identifier: BSD-3-Clause
"""gnd: NumPy's arrays on every vendor's GPU.

Functions, methods and signatures are generated from the library's table of functions, so every function of gnd is
available.
Additions to NumPy: Device, devices, evaluate, explain, synchronize, asnumpy, get_array_module.
"""
import re as _re
import types as _types
import sys as _sys

import numpy as _np
from numpy import (bool_, complex64, complex128, float16, float32, float64, int8, int16, int32, int64,  # noqa: F401
                   uint8, uint16, uint32, uint64)

from . import _core
from ._convert import (_clamped, array, asanyarray, asarray, ascontiguousarray, asfortranarray, asnumpy,  # noqa: F401
                       from_dlpack,
                       get_array_module, open_native)
from ._core import Device, Error, devices, evaluate, explain, ndarray  # noqa: F401
from ._info import Info as _Info, finfo, iinfo  # noqa: F401
from . import _arguments, _einsum, _flat, _inplace, _more, _names, _poly, _protocols, _ufunc, _views, _windows
from ._ufunc import ufunc  # noqa: F401
from ._signatures import shown as _shown

__version__ = _core.version
__array_api_version__ = '2025.12'
bool = _np.bool_
int_ = int64
float_ = float64
e, pi, inf, nan, newaxis = _np.e, _np.pi, _np.inf, _np.nan, None
LinAlgError = _np.linalg.LinAlgError


def synchronize():
    """Waits until all work given to the current device of this thread is done."""
    Device().synchronize()


def __array_namespace_info__():
    """The inspection object of the Array API standard: capabilities, devices, default dtypes."""
    return _Info()


_LAZY = {'ElementwiseKernel': 'snippets', 'ReductionKernel': 'snippets', 'snippets': '',
         'RawKernel': 'kernels', 'RawModule': 'kernels', 'fuse': 'kernels', 'kernels': '', 'compiler': '', 'driver': '',
         'cuda': '', 'kernel': '', 'lib': '', 'polynomial': '', 'mpi': '', 'vectorize': '_vectorize', 'jit': '_jit', 'benchmark': '_benchmark',
         'Stream': '_stream', 'Event': '_stream', 'get_current_stream': '_stream',
         'MemoryPool': '_memory', 'get_default_memory_pool': '_memory'}


_BY_ELEMENT = 'it would fetch every element from the device: write operations of whole arrays, a function for ' \
    'gnd.vectorize or gnd.jit, or iterate over gnd.asnumpy(x)'
_INSTEAD = {'nditer': _BY_ELEMENT, 'nested_iters': _BY_ELEMENT, 'ndenumerate': _BY_ELEMENT,
            'frompyfunc': 'its results are Python objects, which devices do not have: gnd.vectorize(f) runs f on the '
                          'device, and gnd.ElementwiseKernel is a function of several results'}


def __getattr__(name):
    """Loads some attributes at their first use."""
    if name not in _LAZY:
        why = f': {_INSTEAD[name]}' if name in _INSTEAD else ''
        raise AttributeError(f"module 'gnd' has no attribute {name!r}{why}")
    import importlib
    module = importlib.import_module('gnd.' + (_LAZY[name] or name))
    value = globals()[name] = getattr(module, name) if _LAZY[name] else module
    return value


def _fill_in():
    """Makes the functions and methods of the table, except those written in Python."""
    own = globals()
    modules = {}
    for group in ('linalg', 'fft', 'random', 'special', 'signal'):
        m = modules[group] = _types.ModuleType(f'gnd.{group}')
        own[group] = m
        _sys.modules[m.__name__] = m
    for m in (_views, _names, _inplace, _more, _poly, _windows, _einsum, _arguments):
        own.update((f.__name__, f) for f in m.FUNCTIONS)
    for group, functions in (('linalg', _more.LINALG + _views.LINALG + _arguments.LINALG), ('fft', _arguments.FFT), ('random', _inplace.RANDOM + _arguments.RANDOM)):
        for f in functions:
            setattr(modules[group], f.__name__, f)
    own.update(_more.OBJECTS)
    for name, value in _names.NAMES.items():
        own.setdefault(name, value)
    own['_polyval'] = _core._function('polyval', 0, 'polyval', None)
    for name, method, parameters, group, text in _core._functions():
        module, _, short = name.rpartition('.')
        if module and module not in modules:
            continue  # add.reduce and the like are methods of ufuncs
        doc = f'{short}({_shown(name, parameters, method)})\n--\n\n{text}'
        if method:
            if short not in ndarray.__dict__:
                doc = doc.replace('(', '($self, ', 1).replace('($self, )', '($self)', 1)
                setattr(ndarray, short, _core._method(name, short, doc))
            continue
        where = modules[module or group].__dict__ if (module or group) in modules else own
        if short in where:
            continue
        if own.get(short) in _views.FUNCTIONS:
            where[short] = own[short]
            continue
        nin, nout = _ufunc.OTHERS.get(name, (_core._operands(name), 1))
        f = _core._function(name, 0, short, doc, nin)
        where[short] = _ufunc.make(name, f, text, nin, nout) if nin else f


_fill_in()
eye, tril, triu = _clamped(eye, 2), _clamped(tril, 1), _clamped(triu, 1)  # noqa: F821
linalg.LinAlgError = LinAlgError  # noqa: F821
from ._random import Generator, RandomState, default_rng, get_state, set_state  # noqa: E402
for _f in (Generator, RandomState, default_rng, get_state, set_state):
    setattr(random, _f.__name__, _f)  # noqa: F821
del _f, Generator, RandomState, default_rng, get_state, set_state
from . import _einops  # noqa: E402
_einops.register()
