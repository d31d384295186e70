# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that lie across the devices of the ranks of an MPI communicator: gnd's functions on distributed arrays.

    with gnd.mpi.open() as ctx:                          # or open(comm) with a communicator of mpi4py's
        x = gnd.mpi.random.normal(size=(100000, 50))     # each rank has a part
        print(float(((x - x.mean(axis=0)) ** 2).sum()))

All ranks call the same functions in the same order. doc/CLUSTERS.md says what each function moves.
"""
import sys as _sys
import types as _types

import gnd as _gnd

try:
    from .. import _mpi
except ImportError as _e:
    if 'cannot open shared object' in str(_e):
        raise ImportError(f'gnd.mpi: {_e}: install the MPI that gnd was built with (Debian: libopenmpi3 and openmpi-bin)'
                          ) from None
    raise ImportError('gnd.mpi: this build of gnd has no distributed arrays, which need an MPI. Install one (Debian: '
                      'libopenmpi-dev and openmpi-bin), then configure and build gnd, or pip install it, once more: '
                      f'"clusters (MPI)" is to be yes [{_e}]') from None
from .._mpi import Context, Partition, ndarray  # noqa: F401,E402
from .._signatures import shown as _shown  # noqa: E402
from . import _composed, _index, _methods  # noqa: E402
from ._context import current, open  # noqa: F401,E402

_CLASSES = {}  # of each function: how it works on distributed arrays
_MISSING = {}


def _documented(name, parameters, text):
    cls = _mpi._class(name)
    short = name.rpartition('.')[2]
    return (f'{short}({parameters})\n--\n\n{text}\n\nOn distributed arrays: {cls}. partition=: that of the result; out=: '
            'an array that gets it.')


def _fill_in():
    """Makes the functions and methods of gnd's table that distributed arrays have."""
    own = globals()
    modules = {}
    for group in ('linalg', 'fft', 'random', 'special', 'signal'):
        m = modules[group] = own[group] = _types.ModuleType(f'gnd.mpi.{group}', f'gnd.{group} on distributed arrays')
        _sys.modules[m.__name__] = m
    for name, method, parameters, group, text in _gnd._core._functions():
        module, _, short = name.rpartition('.')
        if module and module not in modules:
            continue
        where = modules[module or group].__dict__ if (module or group) in modules else own
        if _mpi._class(name) is None:
            if not method:
                _MISSING[module or group, short] = True
            continue
        if method:
            _methods.add(short, name, text)
            continue
        if short in where:
            continue
        shown = _shown(name, parameters).replace('*, device=None', '').replace(', device=None', '').rstrip(', ')
        star = '' if '*' in shown else '*, '
        shown = f"{shown}{', ' if shown else ''}{star}partition=None, out=None"
        where[short] = _mpi._function(name, short, _documented(name, shown, text), group == 'linalg')
        _CLASSES[name] = _mpi._class(name)


_fill_in()
_composed.install(globals())
_index.install()
_methods.install()
linalg.LinAlgError = _gnd.LinAlgError  # noqa: F821
random.__getattr__ = lambda name: _lacks('random.' + name)  # type: ignore[name-defined]  # noqa: F821


def array(obj, dtype=None, partition=None):
    """A distributed array of obj, which every rank has whole: an array of gnd's or NumPy's, or what NumPy converts."""
    return current().array(obj, dtype, partition)


def asarray(obj, dtype=None, partition=None):
    """The same; a distributed array is returned itself, converted to dtype and moved to the partition."""
    if not isinstance(obj, ndarray):
        return current().array(obj, dtype, partition)
    x = obj if dtype is None or obj.dtype == dtype else obj.astype(dtype)
    return x if partition is None else x.redistribute(partition)


def asnumpy(x, root=None):
    """The elements of x as numpy.ndarray, on every rank; with root on that rank alone, and None on the others."""
    return x.asnumpy(root)


def load(path, partition=None):
    """The array of a .npy file, of which each rank reads its part."""
    return current().load(path, partition)


def save(path, x):
    """Writes x as a .npy file, each rank its part."""
    x.save(path)


def eval(text, **arrays):
    """The value of an expression in NumPy's syntax over distributed arrays: eval('x / x.std(axis=0)', x=x)."""
    return current(arrays.values()).eval(text, **arrays)


def explain(text, **arrays):
    """How eval computes: a line for each function with what it moves, and the plan of this rank's part, as text."""
    return current(arrays.values()).explain(text, **arrays)


def wait(*arrays):
    """Computes arrays on all ranks and waits; a failure of any rank is raised on all."""
    if arrays:
        arrays[0].context.wait(*arrays)


def stencil(x, f, below, above=None, mode='wrap'):
    """The array that f makes of x: see ndarray.stencil."""
    return x.stencil(f, below, above, mode)


def _lacks(name):
    """The error of a name that is not here."""
    if name in _composed.LACKING:
        raise AttributeError(f'gnd.mpi has no {name}: {_composed.LACKING[name]}')
    raise AttributeError(f"module 'gnd.mpi' has no attribute {name!r}")


def __getattr__(name):
    if name in _composed.LACKING:
        _lacks(name)
    if ('main', name) in _MISSING or hasattr(_gnd, name):
        raise AttributeError(f'gnd.mpi has no {name}: compute it with gnd.{name} on what this rank has (x.local), or on a '
                             'copy of all elements (x.asnumpy())')
    raise AttributeError(f"module 'gnd.mpi' has no attribute {name!r}")
