# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the table whose arguments NumPy takes in more forms or checks more strictly: they are brought to the
table's form on the host."""
import operator
import sys
import warnings

import numpy as np

from . import _core
from ._convert import asarray
from ._core import ndarray


def _gnd():
    return sys.modules['gnd']


def _table(name):
    return _core._function(name, 0, name.rpartition('.')[2], None)


def _shape(x):
    return x.shape if hasattr(x, 'shape') else np.shape(x)


_repeat, _delete, _pad, _dot, _cov, _vstack, _correlate, _conj, _randint, _nan_to_num = map(_table, (
    'repeat', 'delete', 'pad', 'dot', 'cov', 'vstack', 'correlate', 'conj', 'random.randint', 'nan_to_num'))


# --- quantiles ----------------------------------------------------------------------------------------

def _quantile_like(name, most, text):
    table = _table(name)

    def f(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False):
        host = None if isinstance(q, ndarray) else np.asarray(q)
        if len(_shape(q)) > 2:
            raise ValueError(f'{name}: q of shape {_shape(q)}: a number or a list of numbers is wanted')
        if host is not None and host.dtype.kind in 'biuf' and not np.all((host >= 0) & (host <= most)):
            raise ValueError(f'{name}: q {q}: numbers from 0 to {most} are wanted')
        if overwrite_input and isinstance(a, ndarray) and a.ndim:
            if axis is None and a.flags.c_contiguous:
                a.ravel().sort()
            elif isinstance(axis, int):
                a.sort(axis)
        keywords = {} if out is None else {'out': out}
        return table(a, q, axis=axis, method=method, keepdims=keepdims, **keywords)
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"""{text} NaN in a slice gives NaN. method: NumPy's thirteen. overwrite_input=True sorts a in its
    place."""
    return f


quantile = _quantile_like('quantile', 1, 'The q-th quantiles along the axes, q from 0 to 1.')
percentile = _quantile_like('percentile', 100, 'The q-th percentiles along the axes, q from 0 to 100.')


# --- parts of arrays ----------------------------------------------------------------------------------

def repeat(a, repeats, axis=None):
    """Each element of a repeated along an axis; None: of the flattened array. One count, or one for each element."""
    kind = getattr(repeats, 'dtype', None)
    if kind is not None:
        if repeats.ndim > 1:
            raise ValueError(f'repeat: counts of shape {repeats.shape}: a number or one dimension is wanted')
        if not np.can_cast(kind, np.int64):
            raise TypeError(f"repeat: counts of {kind} cannot be cast to int64 by the rule 'safe'")
        if kind == bool:
            repeats = repeats.astype(np.int64)
    return _repeat(a, repeats, axis)


def delete(arr, obj, axis=None):
    """arr without the positions obj along an axis; None: of the flattened array. obj: an int, a slice, ints, or a mask of
    bools."""
    if not isinstance(obj, (slice, int)) or isinstance(obj, bool):
        given = obj if isinstance(obj, (ndarray, np.ndarray)) else np.asarray(obj)
        if given.dtype == bool:
            arr = asarray(arr)
            n = arr.size if axis is None else arr.shape[axis]
            if given.shape != (n,):
                raise ValueError(f'delete: a mask of shape {given.shape} for an axis of {n} elements')
        elif given.dtype.kind not in 'iu' and given.size:
            raise IndexError(f'delete: positions of dtype {given.dtype}: ints or bools are wanted')
    return _delete(arr, obj, axis)


def row_stack(tup, *, dtype=None, casting='same_kind'):
    """The deprecated name of vstack."""
    warnings.warn('row_stack is deprecated: use vstack', DeprecationWarning, stacklevel=2)
    return vstack(tup, dtype=dtype, casting=casting)


def vstack(tup, *, dtype=None, casting='same_kind'):
    """Arrays one below the other."""
    for x in tup if dtype is not None else ():
        kind = getattr(x, 'dtype', None)
        if kind is not None and not np.can_cast(kind, dtype, casting):
            raise TypeError(f'vstack: {kind} cannot be cast to {np.dtype(dtype)} by the rule {casting!r}')
    return _vstack(tup, dtype=dtype)


_PAD = frozenset(('constant_values', 'end_values', 'stat_length', 'reflect_type'))


def _pad_by(array, pad_width, function, keywords):
    """pad by a function(row, widths, axis, keywords), which changes a row of the padded array: NumPy's, on the host."""
    return asarray(np.pad(asarray(array).asnumpy(), pad_width, function, **keywords))


def pad(array, pad_width, mode='constant', **kwargs):
    """An array with more elements on both sides of its axes. mode: 'constant', 'edge', 'reflect', 'symmetric', 'wrap',
    'linear_ramp', 'maximum', 'minimum', 'mean', 'median', 'empty', or a function, which the host calls for each row.
    Keywords: constant_values, end_values, stat_length, reflect_type."""
    if callable(mode):
        return _pad_by(array, pad_width, mode, kwargs)
    more = set(kwargs) - _PAD - {'device', 'out'}
    if more:
        raise ValueError(f"pad: unsupported keywords {sorted(more)}: {', '.join(sorted(_PAD))} are possible")
    if isinstance(pad_width, (list, tuple)) and not len(pad_width):
        raise TypeError('pad: pad_width has no elements')
    return _pad(array, pad_width, mode, **kwargs)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """NaN and infinities replaced by numbers. copy=False: in x itself, which is returned."""
    y = _nan_to_num(x, True, nan, posinf, neginf)
    if copy or not isinstance(x, ndarray):
        return y
    x[...] = y
    return x


# --- sums of products ---------------------------------------------------------------------------------

def dot(a, b, out=None):
    """NumPy's dot: a sum over the last axis of a and the last but one of b. out needs the result's dtype and shape, in C
    order."""
    y = _dot(a, b)
    if out is None:
        return y
    if out.dtype != y.dtype or out.shape != y.shape or not out.flags.c_contiguous:
        raise ValueError(f'dot: out is {out.dtype} {out.shape}: {y.dtype} {y.shape} in C order is wanted')
    out[...] = y
    return out


def correlate(a, v, mode='valid', method='auto'):
    """The correlation of two vectors."""
    for x in (a, v):
        if len(_shape(x)) == 0:
            raise ValueError('correlate: a number: a vector is wanted')
    return _correlate(a, v, mode, method)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariance matrix. It warns where ddof leaves no degree of freedom."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f'cov: ddof {ddof}: an int is wanted')
    shapes = [_shape(x) for x in (m, y) if x is not None]
    if any(len(s) > 2 for s in shapes):
        raise ValueError(f'cov: shapes {shapes}: at most 2 dimensions are possible')
    if shapes[0] and shapes[0][0] == 0 and y is None:
        return _gnd().zeros((0, 0))
    n = 1 if not shapes[0] else shapes[0][-1] if rowvar or len(shapes[0]) < 2 else shapes[0][0]
    lost = (0 if bias else 1) if ddof is None else int(ddof)
    if fweights is None and aweights is None and n <= lost:
        warnings.warn(f'cov: Degrees of freedom <= 0: {n} observations and ddof {lost}', RuntimeWarning, stacklevel=2)
    return _cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)


def _method_conj(self):
    """The complex conjugate. An array that is not complex is returned itself."""
    return _conj(self) if self.dtype.kind == 'c' else self


def _method_dot(self, b, out=None):
    """NumPy's dot: a sum over the last axis of the array and the last but one of b."""
    return dot(self, b, out)


def _method_repeat(self, repeats, axis=None):
    """Each element repeated along an axis."""
    return repeat(self, repeats, axis)


# --- Fourier transforms -------------------------------------------------------------------------------

def _over(name, axes):
    table = _table(f'fft.{name}')

    def f(a, s=None, axes=axes, norm=None, out=None):
        if axes is not None and len(axes) == 0 and not s:
            return asarray(a) if out is None else _write(out, a)
        return table(a, s, axes, norm, **({} if out is None else {'out': out}))
    f.__name__ = f.__qualname__ = name
    inverse = 'inverse ' if name.startswith('i') else ''
    f.__doc__ = f'The {inverse}Fourier transform along several axes. Without axes the array itself.'
    return f


def _write(out, a):
    out[...] = a
    return out


fftn, ifftn, fft2, ifft2 = (_over(name, axes) for name, axes in (('fftn', None), ('ifftn', None), ('fft2', (-2, -1)),
                                                                 ('ifft2', (-2, -1))))


# --- random numbers -----------------------------------------------------------------------------------

def randint(low, high=None, size=None, dtype=None, endpoint=False, *, seed=None):
    """Uniform ints from low to below high; from 0 to below low without high. Limits that are floats are rounded toward
    0."""
    low, high = (int(v) if isinstance(v, (float, np.floating)) else v for v in (low, high))
    return _randint(low, high, size, dtype, endpoint, seed=seed)


def tomaxint(size=None):
    """Uniform ints from 0 to the largest int64."""
    return _randint(0, np.iinfo(np.int64).max, size, endpoint=True)


def _bytes(length):
    """That many random bytes."""
    return _randint(0, 256, operator.index(length), np.uint8).asnumpy().tobytes()


_bytes.__name__ = _bytes.__qualname__ = 'bytes'
FUNCTIONS = [quantile, percentile, repeat, delete, row_stack, vstack, pad, nan_to_num, dot, correlate, cov]
FFT = [fftn, ifftn, fft2, ifft2]
RANDOM = [randint, tomaxint, _bytes]
METHODS = {'conj': _method_conj, 'conjugate': _method_conj, 'dot': _method_dot, 'repeat': _method_repeat}
for _name, _f in METHODS.items():
    setattr(ndarray, _name, _f)
