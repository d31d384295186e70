# SPDX-License-Identifier: BSD-3-Clause
"""Names of gnd that are no functions of its table: constants and types, compositions, and files that one rank writes.

A composition is gnd's own text (gnd/_more.py, _poly.py, _windows.py) with gnd.mpi in place of gnd, so both have the same
arguments, errors and results. What an operand is made of, every rank has."""
import functools
import sys
import types

import numpy as np

import gnd
from gnd import _more, _poly, _windows
from .._mpi import ndarray
from ._context import _on_ranks, current

COMPOSED = {
    _more: '''iscomplexobj isrealobj vdot matvec vecmat unravel_index ravel_multi_index packbits unpackbits real_if_close
              sort_complex common_type mask_indices diag_indices_from asarray_chkfinite apply_along_axis apply_over_axes
              mgrid ogrid r_ c_ array_repr array_str array2string tensorinv tensorsolve''',
    _poly: 'polyadd polysub polymul polyder polyint trim_zeros',
    _windows: 'bartlett blackman hamming hanning kaiser',
}
# gnd's functions of copies that every rank makes: their operands are few coefficients, or only shapes.
EVERYWHERE = 'poly polydiv roots'
READERS = 'frombuffer fromfile fromiter fromstring genfromtxt loadtxt'
CONSTANTS = 'e euler_gamma inf little_endian nan newaxis pi Device Error LinAlgError devices float_ int_ promote_types synchronize'

# Why names of gnd are not here, and what to do instead.
LACKING = {
    'as_strided': 'strides are of the memory of one device: gnd.mpi.sliding_window_view, reshape or slices',
    'asfortranarray': 'the order in memory is that of each rank: gnd.asfortranarray(x.local)',
    'isfortran': 'the order in memory is that of each rank: gnd.isfortran(x.local)',
    'require': 'the order in memory is that of each rank: gnd.require(x.local)',
    'evaluate': 'gnd.mpi.wait(x, y) computes on all ranks',
    'from_dlpack': 'foreign memory is of one rank: gnd.mpi.current().wrap(gnd.from_dlpack(y), partition)',
    'open_native': 'foreign memory is of one rank: gnd.mpi.current().wrap(gnd.open_native(...), partition)',
    'may_share_memory': 'there are no views of distributed arrays: no two share memory',
    'shares_memory': 'there are no views of distributed arrays: no two share memory',
    'poly1d': 'coefficients are few: gnd.poly1d or numpy.poly1d on every rank, and gnd.mpi.polyval of its coeffs',
    'ufunc': 'functions are called by name: gnd.mpi.add(x, y), gnd.mpi.sum for add.reduce',
    'random.Generator': 'the context draws, the same elements for any number of ranks: gnd.mpi.random.seed and its functions',
    'random.RandomState': 'the context draws: gnd.mpi.random.seed and its functions',
    'random.default_rng': 'the context draws: gnd.mpi.random.seed and its functions',
    'random.get_state': 'the context draws: gnd.mpi.random.seed begins it anew',
    'random.set_state': 'the context draws: gnd.mpi.random.seed begins it anew',
    'random.bytes': 'bytes are of the host: gnd.mpi.random.integers(0, 256, n, dtype=gnd.mpi.uint8)',
    'random.tomaxint': 'gnd.mpi.random.integers(0, 2**63 - 1, size)',
}


def _mpi():
    return sys.modules['gnd.mpi']


def copied(x):
    """An array of gnd's or NumPy's that every rank has, as a distributed one of which each rank has all."""
    ctx = current()
    x = gnd.asarray(x, device=ctx.device)
    return ctx._wrap(x, ctx._partition('replicated', x.shape, None, None, x.dtype))


def _operand(x, dtype=None, order=None):
    x = x if isinstance(x, ndarray) else copied(x if dtype is None else np.asarray(x, dtype))
    return x if dtype is None or x.dtype == dtype else x.astype(dtype)


def _asnumpy(x):
    return x.asnumpy() if isinstance(x, ndarray) else gnd.asnumpy(x)


def _composer(module):
    """Turns functions and objects of a module into those of gnd.mpi: the same code, with other global names."""
    names = dict(vars(module))

    def bound(f):
        g = types.FunctionType(f.__code__, names, f.__name__, f.__defaults__, f.__closure__)
        g.__kwdefaults__, g.__doc__, g.__module__ = f.__kwdefaults__, f.__doc__, 'gnd.mpi'
        return g

    def kind(c):
        return type(c.__name__, c.__bases__, {k: bound(v) if isinstance(v, types.FunctionType) else v
                                              for k, v in vars(c).items() if k not in ('__dict__', '__weakref__')})
    for name, value in vars(module).items():
        if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
            names[name] = bound(value)
    for name in ('_Grid', '_Joined'):
        if name in names:
            names[name] = kind(names[name])
    names.update(_gnd=_mpi, asarray=_operand, asnumpy=_asnumpy, ndarray=ndarray)
    if module is _more:
        names.update(mgrid=names['_Grid'](False), ogrid=names['_Grid'](True), r_=names['_Joined'](False),
                     c_=names['_Joined'](True))
    return names


def _everywhere(name):
    f = getattr(gnd, name)

    @functools.wraps(f)
    def g(*args):
        r = f(*(gnd.asarray(_asnumpy(a), device=current().device) if isinstance(a, ndarray) else a for a in args))
        return tuple(map(copied, r)) if isinstance(r, tuple) else copied(r)
    g.__module__ = 'gnd.mpi'
    return g


def _reader(name):
    def f(*args, **keywords):
        return current().array(getattr(np, name)(*args, **keywords))
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f'numpy.{name} of the same arguments on every rank, as a distributed array.'
    return f


def shape(a):
    """The extents of a, a tuple."""
    return tuple(np.shape(a)) if not hasattr(a, 'shape') else tuple(a.shape)


def asanyarray(a, dtype=None):
    """gnd.mpi.asarray: there are no subclasses."""
    return _mpi().asarray(a, dtype)


def min_scalar_type(a):
    """The smallest dtype that holds a number; for an array its dtype."""
    return a.dtype if isinstance(a, ndarray) else gnd.min_scalar_type(a)


def get_array_module(*args):
    """gnd.mpi if one of the arguments is a distributed array, else gnd.get_array_module."""
    return _mpi() if any(isinstance(a, ndarray) for a in args) else gnd.get_array_module(*args)


def einsum_path(*operands, **keywords):
    """gnd.einsum_path: NumPy's order of the products, from the shapes alone."""
    return gnd.einsum_path(*(np.broadcast_to(np.float64(0), a.shape) if isinstance(a, ndarray) else a for a in operands),
                           **keywords)


def fromfunction(function, shape, *, dtype=float, **keywords):
    """The array that function makes of the indices along each axis, distributed arrays of the shape: each rank computes its
    part."""
    mpi, n = _mpi(), len(tuple(shape))
    axes = [mpi.arange(m, dtype=np.dtype(dtype)).reshape((1,) * d + (m,) + (1,) * (n - 1 - d)) for d, m in enumerate(shape)]
    return function(*mpi.broadcast_arrays(*axes) if n > 1 else axes, **keywords)


# --- files that one rank writes -------------------------------------------------------------------------------------

def _written(name, arrays, write):
    """Rank 0 has the arrays whole, and writes; if it cannot, that is an error of all ranks."""
    ctx = current(arrays)
    arrays = [a.asnumpy(root=0) if isinstance(a, ndarray) else _asnumpy(a) for a in arrays]
    wrong = None
    if ctx.rank == 0:
        try:
            write(arrays)
        except Exception as e:
            wrong = e
    failed = _on_ranks(ctx, [wrong is not None])[0, 0]
    if wrong is not None:
        raise wrong
    if failed:
        raise OSError(f'{name}: rank 0 could not write, and says why')


def savetxt(fname, X, *args, **kwargs):
    """Writes an array as text: rank 0 gets all elements, and writes."""
    _written('savetxt', [X], lambda a: np.savetxt(fname, a[0], *args, **kwargs))


def _savez(name, file, args, kwds):
    n, keys = len(args), list(kwds)
    _written(name, [*args, *kwds.values()], lambda a: getattr(np, name)(file, *a[:n], **dict(zip(keys, a[n:]))))


def savez(file, *args, **kwds):
    """Writes arrays as a .npz file: rank 0 gets all elements, and writes."""
    _savez('savez', file, args, kwds)


def savez_compressed(file, *args, **kwds):
    """Writes arrays as a compressed .npz file: rank 0 gets all elements, and writes."""
    _savez('savez_compressed', file, args, kwds)


OWN = [shape, asanyarray, min_scalar_type, get_array_module, einsum_path, fromfunction, savetxt, savez, savez_compressed]


def install(own):
    """Puts the names into gnd.mpi; types replace the functions of the same names, so that they can be dtypes."""
    for name, value in vars(gnd).items():
        if isinstance(value, type) and issubclass(value, np.generic):
            own[name] = value
    own.update(gnd._names.NAMES)
    own.update((n, getattr(gnd, n)) for n in CONSTANTS.split())
    for module, names in COMPOSED.items():
        made = _composer(module)
        for n in names.split():
            (vars(own['linalg']) if n.startswith('tensor') else own)[n] = made[n]
    own.update((n, _everywhere(n)) for n in EVERYWHERE.split())
    own.update((n, _reader(n)) for n in READERS.split())
    own.update((f.__name__, f) for f in OWN)
