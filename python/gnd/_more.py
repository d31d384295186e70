# SPDX-License-Identifier: BSD-3-Clause
"""NumPy functions composed of other gnd functions: flat indices, bits, functions along axes, grids, and arrays from
text, files and iterables, which NumPy reads."""
import operator
import pickle
import sys

import numpy as np

from . import _core
from ._convert import asarray, asnumpy
from ._core import ndarray


def _gnd():
    return sys.modules['gnd']


def shape(a):
    """The extents of a, a tuple."""
    return asarray(a).shape


def isfortran(a):
    """Whether the array is in Fortran order and not in C order."""
    return a.flags.fnc


def iscomplexobj(x):
    """Whether the dtype is complex."""
    return asarray(x).dtype.kind == 'c'


def isrealobj(x):
    """Whether the dtype is not complex."""
    return asarray(x).dtype.kind != 'c'


def vdot(a, b):
    """The sum of conj(a) * b over all elements."""
    a, b = asarray(a), asarray(b)
    if a.size != b.size:
        raise ValueError(f'vdot: {a.size} and {b.size} elements')
    return _gnd().vecdot(a.ravel(), b.ravel())


def matvec(x1, x2):
    """The products of matrices (..., m, n) with vectors (..., n): an array (..., m)."""
    return _of_vectors('matvec', x1, x2, 1)


def vecmat(x1, x2):
    """The products of conjugated vectors (..., n) with matrices (..., n, m): an array (..., m)."""
    return _of_vectors('vecmat', x2, x1, 0)


def _of_vectors(name, matrix, vector, left):
    matrix, vector = asarray(matrix), asarray(vector)
    if matrix.ndim < 2 or vector.ndim < 1:
        raise ValueError(f'{name}: a matrix and a vector are wanted, not shapes {matrix.shape} and {vector.shape}')
    if matrix.shape[-1 if left else -2] != vector.shape[-1]:
        raise ValueError(f'{name}: a matrix of shape {matrix.shape} and a vector of {vector.shape[-1]} elements')
    if left:
        return (matrix @ vector[..., None])[..., 0]
    return (vector.conj()[..., None, :] @ matrix)[..., 0, :]


def _steps(dims, order):
    if order not in ('C', 'F'):
        raise ValueError(f"order {order!r}: 'C' or 'F' is wanted")
    if np.prod(dims, dtype=object) >= 1 << 63:
        raise ValueError(f'an array of shape {dims} has too many elements for an index')
    dims = dims if order == 'C' else dims[::-1]
    steps = [1]
    for n in dims[:0:-1]:
        steps.insert(0, steps[0] * n)
    return steps if order == 'C' else steps[::-1]


def _extents(dims):
    return tuple(map(operator.index, dims if hasattr(dims, '__len__') else (dims,)))


def _whole(x, what):
    x = asarray(x)
    if x.dtype.kind not in 'biu' and x.size:
        raise TypeError(f'{what}: indices of dtype {x.dtype}: ints are wanted')
    return x.astype(np.int64)


def unravel_index(indices, shape, order='C'):
    """The indices along each axis, a tuple, for indices into the flattened array."""
    dims = _extents(shape)
    steps = _steps(dims, 'C' if order is None else order)
    x = _whole(indices, 'unravel_index')
    n = int(np.prod(dims, dtype=object))
    if x.size and bool(((x < 0) | (x >= n)).any()):
        raise ValueError(f'unravel_index: an index is out of bounds for an array of {n} elements')
    return tuple(x // step % max(d, 1) for step, d in zip(steps, dims))


def ravel_multi_index(multi_index, dims, mode='raise', order='C'):
    """The indices into the flattened array for indices along each axis. mode: 'raise', 'wrap' or 'clip', one for all
    axes or one for each."""
    dims = _extents(dims)
    steps = _steps(dims, 'C' if order is None else order)
    modes = (mode,) * len(dims) if isinstance(mode, str) else tuple(mode)
    parts = [_whole(p, 'ravel_multi_index') for p in multi_index]
    if len(parts) != len(dims) or len(modes) != len(dims):
        raise ValueError(f'ravel_multi_index: {len(parts)} indices and {len(modes)} modes for {len(dims)} extents')
    total = 0
    for x, d, m, step in zip(parts, dims, modes, steps):
        if m == 'raise':
            if bool(((x < 0) | (x >= d)).any()):
                raise ValueError(f'ravel_multi_index: an index is out of bounds for an axis of {d} elements')
        elif m not in ('wrap', 'clip'):
            raise ValueError(f"mode {m!r}: 'raise', 'wrap' or 'clip' is wanted")
        else:
            x = x % d if m == 'wrap' else _gnd().clip(x, 0, d - 1)
        total = x * step + total
    return total


def _byte_weights(bitorder):
    if bitorder not in ('big', 'little'):
        raise ValueError(f"bitorder {bitorder!r}: 'big' or 'little' is wanted")
    return asarray(np.array([128, 64, 32, 16, 8, 4, 2, 1] if bitorder == 'big' else [1, 2, 4, 8, 16, 32, 64, 128],
                            np.uint8))


def packbits(a, axis=None, bitorder='big'):
    """Packs bools into the bits of uint8, eight elements in each, along an axis; None: of the flattened array."""
    a = asarray(a)
    if a.dtype.kind not in 'biu':
        raise TypeError(f'packbits: dtype {a.dtype}: bools or ints are wanted')
    weights = _byte_weights(bitorder)
    a = a.ravel() if axis is None else _gnd().moveaxis(a, axis, -1)
    n = -a.shape[-1] % 8
    a = _gnd().pad((a != 0).astype(np.uint8), [(0, 0)] * (a.ndim - 1) + [(0, n)])
    r = (a.reshape(a.shape[:-1] + (a.shape[-1] // 8, 8)) * weights).sum(axis=-1, dtype=np.uint8)
    return r if axis is None else _gnd().moveaxis(r, -1, axis)


def unpackbits(a, axis=None, count=None, bitorder='big'):
    """The bits of uint8 as elements 0 and 1 along an axis; None: of the flattened array. count: the number to keep."""
    a = asarray(a)
    if a.dtype != np.uint8:
        raise TypeError(f'unpackbits: dtype {a.dtype}: uint8 is wanted')
    weights = _byte_weights(bitorder)
    a = a.ravel() if axis is None else _gnd().moveaxis(a, axis, -1)
    r = ((a[..., None] & weights) != 0).astype(np.uint8).reshape(a.shape[:-1] + (8 * a.shape[-1],))
    if count is not None:
        r = r[..., :count] if count <= r.shape[-1] else _gnd().pad(r, [(0, 0)] * (r.ndim - 1) + [
            (0, count - r.shape[-1])])
    return r if axis is None else _gnd().moveaxis(r, -1, axis)


def float_of(*values):
    """The dtype of floats or complex numbers that holds the values. Python's numbers are weak."""
    numbers = [v for v in values if isinstance(v, (int, float, complex)) and not isinstance(v, np.generic)]
    return np.result_type(1.0, *numbers, *(asarray(v).dtype for v in values if not any(v is n for n in numbers)))


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """num evenly spaced numbers from start to stop; along a new axis if start or stop is an array. retstep: returns a
    tuple with the spacing."""
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, np.generic) for v in (start, stop))
    keywords = {} if device is None else {'device': device}
    num = num.__index__()
    if num < 0:
        raise ValueError(f'linspace: num {num}: 0 or more is possible')
    parts = num - 1 if endpoint else num
    if numbers:
        y = _table_linspace(start, stop, num, endpoint, dtype, **keywords)
        return (y, (stop - start) / parts if parts else np.nan) if retstep else y
    t = float_of(start, stop)
    start, stop = asarray(start, **keywords).astype(t), asarray(stop, **keywords).astype(t)
    step = (stop - start) / parts if parts else (stop - start) * np.nan
    at = _gnd().arange(num, dtype=t).reshape((num,) + (1,) * step.ndim)
    y = at * (step if parts else stop - start) + start
    if endpoint and num > 1:
        y[-1] = stop
    if dtype is not None:
        y = (_gnd().floor(y) if np.dtype(dtype).kind in 'iu' else y).astype(dtype)
    y = _gnd().moveaxis(y, 0, axis) if axis != 0 else y
    return (y, step) if retstep else y


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0, *, device=None):
    """num numbers from base**start to base**stop with a constant ratio; along a new axis if any of these is an
    array."""
    if all(isinstance(v, (int, float)) and not isinstance(v, np.generic) for v in (start, stop, base)):
        keywords = {} if device is None else {'device': device}
        return _table_logspace(start, stop, num, endpoint, base, dtype, **keywords)
    shape = np.broadcast_shapes(*(asarray(v).shape for v in (start, stop, base)))
    start, stop, base = (_gnd().broadcast_to(asarray(v), shape) for v in (start, stop, base))
    y = linspace(start, stop, num, endpoint, axis=axis, device=device)
    y = _gnd().expand_dims(base, axis) ** y if base.ndim else base ** y
    return y if dtype is None else y.astype(dtype)


def piecewise(x, condlist, funclist, *args, **kw):
    """For each element the value of its last true condition: a number, an element of an array, or the result of a
    function(elements, *args, **kw). One value more than conditions is for all other elements, which are 0 without
    it."""
    x = asarray(x)
    if not any(map(callable, funclist)):
        return _table_piecewise(x, condlist, funclist)
    several = x.ndim == 0 or isinstance(condlist, (list, tuple)) and isinstance(condlist[0], (list, tuple, ndarray))
    several = several or isinstance(condlist, ndarray) and condlist.ndim > 1
    conditions = [asarray(c).astype(bool) for c in (condlist if several else [condlist])]
    n = len(conditions)
    if len(funclist) not in (n, n + 1):
        raise ValueError(f'piecewise: {n} conditions and {len(funclist)} functions: {n} or {n + 1} are wanted')
    if len(funclist) == n + 1:
        other = conditions[0]
        for c in conditions[1:]:
            other = other | c
        conditions.append(~other)
    y = _gnd().zeros_like(x)
    for c, f in zip(conditions, funclist):
        if not callable(f):
            y[c] = f
        else:
            v = x[c]
            if v.size:
                y[c] = f(v, *args, **kw)
    return y


_table_linspace, _table_logspace, _table_piecewise = (
    _core._function(n, 0, n, None) for n in ('linspace', 'logspace', 'piecewise'))


def real_if_close(a, tol=100):
    """The real part of a if all imaginary parts are below tol times the dtype's epsilon (below tol itself if tol <= 1);
    else a."""
    a = asarray(a)
    if a.dtype.kind != 'c':
        return a
    tol = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return a.real if bool((abs(a.imag) < tol).all()) else a


def sort_complex(a):
    """The elements sorted along the last axis, as complex numbers."""
    b = _gnd().sort(asarray(a), axis=-1)
    if b.dtype.kind == 'c':
        return b
    return b.astype(np.complex64 if b.dtype in ('int8', 'int16', 'uint8', 'uint16') else np.complex128)


def common_type(*arrays):
    """The float or complex type that holds all arrays; ints count as float64."""
    types = [np.dtype(a.dtype) for a in arrays]
    for t in types:
        if t.kind not in 'iufc':
            raise TypeError(f'common_type: {t}: numbers are wanted')
    return np.result_type(np.float16, *(np.float64 if t.kind in 'iu' else t for t in types)).type


def mask_indices(n, mask_func, k=0):
    """The indices at which mask_func(ones((n, n)), k) is not zero."""
    return _gnd().nonzero(mask_func(_gnd().ones((n, n), dtype=int), k) != 0)


def diag_indices_from(arr):
    """The indices of the main diagonal of an array with equal extents."""
    if not isinstance(arr, ndarray):
        raise TypeError(f'diag_indices_from: {type(arr).__name__}: a gnd.ndarray is wanted')
    if arr.ndim < 2 or len(set(arr.shape)) != 1:
        raise ValueError(f'diag_indices_from: shape {arr.shape}: two or more equal extents are wanted')
    return _gnd().diag_indices(arr.shape[0], arr.ndim)


def require(a, dtype=None, requirements=None):
    """a as an array with these requirements: 'C' or 'F' for its order, 'O' for its own data."""
    wants = {str(r).upper() for r in ([requirements] if isinstance(requirements, str) else requirements or [])}
    short = {'C_CONTIGUOUS': 'C', 'CONTIGUOUS': 'C', 'F_CONTIGUOUS': 'F', 'FORTRAN': 'F', 'OWNDATA': 'O'}
    wants = {short.get(w, w) for w in wants}
    if wants - set('CFO'):
        raise ValueError(f"require: {', '.join(sorted(wants - set('CFO')))}: C, F and O are possible")
    if {'C', 'F'} <= wants:
        raise ValueError('require: C and F at once')
    x = asarray(a, dtype, 'C' if 'C' in wants else 'F' if 'F' in wants else None)
    return x.copy() if 'O' in wants and x.base is not None else x


def asarray_chkfinite(a, dtype=None, order=None):
    """asarray; ValueError if it has NaN or infinities."""
    x = asarray(a, dtype, order)
    if x.dtype.kind in 'fc' and not bool(_gnd().isfinite(x).all()):
        raise ValueError('asarray_chkfinite: the array has NaN or infinities')
    return x


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Applies func1d(row, *args, **kwargs) to each row of arr along an axis. The axes of its result replace that
    axis."""
    arr = asarray(arr)
    if not -arr.ndim <= axis < arr.ndim:
        raise _core.AxisError(f'apply_along_axis: axis {axis} is out of range for {arr.ndim} dimensions')
    axis %= arr.ndim
    rows = _gnd().moveaxis(arr, axis, -1)
    outer = rows.shape[:-1]
    if 0 in outer:
        raise ValueError('apply_along_axis: no rows: the shape of a result is not known')
    made = [asarray(func1d(rows[i], *args, **kwargs)) for i in np.ndindex(outer)]
    r = _gnd().stack(made).reshape(outer + made[0].shape)
    return _gnd().moveaxis(r, tuple(range(len(outer), r.ndim)), tuple(range(axis, axis + made[0].ndim)))


def apply_over_axes(func, a, axes):
    """Applies func(a, axis) for each axis in turn."""
    a = asarray(a)
    for axis in np.atleast_1d(asnumpy(axes)):
        axis = int(axis) % a.ndim if int(axis) < 0 else int(axis)
        r = func(a, axis)
        a = r if r.ndim == a.ndim else _gnd().expand_dims(r, axis)
        if a.ndim != r.ndim and r.ndim != a.ndim - 1:
            raise ValueError('apply_over_axes: the function changed the number of dimensions')
    return a


# --- grids ------------------------------------------------------------------------------------------

class _Grid:
    """mgrid and ogrid: a grid of coordinates, indexed by slices. A complex step is a number of points."""

    def __init__(self, sparse):
        self._sparse = sparse

    def _axis(self, s):
        start = 0 if s.start is None else s.start
        if isinstance(s.step, complex):
            return _gnd().linspace(start, s.stop, int(abs(s.step)))
        return _gnd().arange(start, s.stop, 1 if s.step is None else s.step)

    def _between(self, key):
        """The grid of slices with arrays as start or stop: the coordinates are start + i * step, with the arrays'
        axes."""
        for s in key:
            if not isinstance(s.step, complex):
                raise ValueError(f'{s}: between arrays a complex step is wanted, a number of points')
        counts = [int(abs(s.step)) for s in key]
        at = [_gnd().arange(n) for n in counts] if self._sparse else _gnd().indices(counts, dtype=float)
        axes = []
        for k, (s, n) in enumerate(zip(key, counts)):
            start = asarray(0 if s.start is None else s.start)
            axes.append(at[k] * ((asarray(s.stop) - start) / max(n - 1, 1)) + start)
        if not self._sparse:
            return _gnd().stack(axes)
        return tuple(a[tuple(slice(None) if i == k else None for i in range(len(axes)))] for k, a in enumerate(axes))

    def __getitem__(self, key):
        arrays = any(getattr(v, 'ndim', 0) for s in (key if isinstance(key, tuple) else (key,)) for v in (s.start, s.stop))
        if not isinstance(key, tuple):
            return self._between((key,))[0] if arrays else self._axis(key)
        if arrays:
            return self._between(key)
        axes = [self._axis(s) for s in key]
        t = np.result_type(*(a.dtype for a in axes)) if axes else np.dtype(int)
        axes = _gnd().meshgrid(*(a.astype(t) for a in axes), indexing='ij')
        if self._sparse:
            return tuple(a[tuple(slice(None) if i == k else slice(1) for i in range(len(axes)))]
                         for k, a in enumerate(axes))
        return _gnd().stack(axes) if axes else asarray(np.array([], int))


class _Joined:
    """r_ and c_: arrays and numbers joined by indexing; slices are ranges."""

    def __init__(self, columns):
        self._columns = columns

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        parts, numbers = [], []
        for k in key:
            if isinstance(k, str) or isinstance(k, slice) and isinstance(k.step, complex):
                raise NotImplementedError(f'{k!r} in r_: arrays, numbers and slices of numbers are possible')
            if isinstance(k, slice):
                k = _Grid(False)[k]
            numbers.append(k if isinstance(k, (int, float, complex)) else asarray(k).dtype)
            x = asarray(k)
            parts.append(x.reshape(-1, 1) if self._columns and x.ndim < 2 else x[None] if x.ndim == 0 else x)
        t = np.result_type(*numbers)
        return _gnd().concatenate([p.astype(t) for p in parts], axis=-1 if self._columns else 0)


mgrid, ogrid, r_, c_ = _Grid(False), _Grid(True), _Joined(False), _Joined(True)


# --- conversion from and to text, files and iterables -----------------------------------------------

def _reader(name):
    def f(*args, **keywords):
        return asarray(getattr(np, name)(*args, **keywords))
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f'numpy.{name} of the same arguments, as an array of the device.'
    return f


fromfunction, fromiter, frombuffer, fromstring, fromfile, loadtxt, genfromtxt = map(
    _reader, ('fromfunction', 'fromiter', 'frombuffer', 'fromstring', 'fromfile', 'loadtxt', 'genfromtxt'))


class NpzFile(dict):
    """The arrays of a .npz file by their names. All are read at once, so there is nothing to close."""

    @property
    def files(self):
        return list(self)

    def close(self):
        """Does nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def load(file, mmap_mode=None, allow_pickle=None):
    """The array of a .npy file or of a file from ndarray.dump (allow_pickle=True), or the arrays of a .npz file by
    their names."""
    x = np.load(file, mmap_mode=mmap_mode, allow_pickle=bool(allow_pickle))
    if isinstance(x, (np.ndarray, ndarray)):
        return asarray(x)
    with x:
        return NpzFile((k, asarray(x[k])) for k in x.files)


def dump(self, file):
    """Writes the pickled array to a file: an open one, or one of that name."""
    if hasattr(file, 'write'):
        pickle.dump(self, file, protocol=2)
        return
    with open(file, 'wb') as f:
        pickle.dump(self, f, protocol=2)


def dumps(self):
    """The pickled array, as bytes."""
    return pickle.dumps(self, protocol=2)


for _f in (dump, dumps):
    setattr(ndarray, _f.__name__, _f)


def save(file, arr, allow_pickle=None):
    """Writes an array as a .npy file."""
    np.save(file, asnumpy(arr), allow_pickle=bool(allow_pickle))


def savez(file, *args, **kwds):
    """Writes arrays as a .npz file."""
    np.savez(file, *map(asnumpy, args), **{k: asnumpy(v) for k, v in kwds.items()})


def savez_compressed(file, *args, **kwds):
    """Writes arrays as a compressed .npz file."""
    np.savez_compressed(file, *map(asnumpy, args), **{k: asnumpy(v) for k, v in kwds.items()})


def savetxt(fname, X, *args, **kwargs):
    """Writes an array as text."""
    np.savetxt(fname, asnumpy(X), *args, **kwargs)


def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """The text of an array with its dtype."""
    return np.array_repr(asnumpy(arr), max_line_width, precision, suppress_small)


def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """The text of an array."""
    return np.array_str(asnumpy(a), max_line_width, precision, suppress_small)


def array2string(a, *args, **kwargs):
    """The text of an array; see numpy.array2string."""
    return np.array2string(asnumpy(a), *args, **kwargs)


# --- linear algebra ---------------------------------------------------------------------------------

def tensorinv(a, ind=2):
    """The inverse of a with respect to tensordot over ind axes."""
    a = asarray(a)
    if ind <= 0:
        raise ValueError(f'tensorinv: ind {ind}: 1 or more is possible')
    outer, inner = a.shape[:ind], a.shape[ind:]
    return _gnd().linalg.inv(a.reshape(int(np.prod(outer)), -1)).reshape(inner + outer)


def tensorsolve(a, b, axes=None):
    """The x with tensordot(a, x, x.ndim) == b."""
    a, b = asarray(a), asarray(b)
    if axes is not None:
        a = _gnd().moveaxis(a, axes, tuple(range(a.ndim - len(axes), a.ndim)))
    inner = a.shape[b.ndim:]
    return _gnd().linalg.solve(a.reshape(-1, int(np.prod(inner))), b.ravel()).reshape(inner)


def lstsq(a, b, rcond=None):
    """The x that minimizes norm(a @ x - b), the residual sums of squares, the rank, and the singular values of a.
    Singular values below rcond times the largest count as 0. rcond=-1: the dtype's epsilon; None: the epsilon times the
    larger extent."""
    a, b = asarray(a), asarray(b)
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise np.linalg.LinAlgError(f'lstsq: shapes {a.shape} and {b.shape}: a matrix and a vector or matrix of as '
                                    f'many rows are wanted')
    if rcond is not None and rcond < 0:
        t = np.result_type(a.dtype, b.dtype)
        rcond = float(np.finfo(t if t.kind in 'fc' else np.float64).eps)
    x, residuals, rank, s = _table_lstsq(a, b, rcond)
    return x, residuals, rank.astype(np.int32), s


_table_lstsq = _core._function('linalg.lstsq', 0, 'lstsq', None)
LINALG = [tensorinv, tensorsolve, lstsq]
FUNCTIONS = [linspace, logspace, piecewise, shape, isfortran, iscomplexobj, isrealobj, vdot, matvec, vecmat, unravel_index, ravel_multi_index, packbits, unpackbits, real_if_close, sort_complex,
             common_type, mask_indices, diag_indices_from, require, asarray_chkfinite, apply_along_axis, apply_over_axes,
             fromfunction, fromiter, frombuffer, fromstring, fromfile, loadtxt, genfromtxt, load, save, savez,
             savez_compressed, savetxt, array_repr, array_str, array2string]
OBJECTS = {'mgrid': mgrid, 'ogrid': ogrid, 'r_': r_, 'c_': c_}
