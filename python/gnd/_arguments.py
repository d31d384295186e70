# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the table whose arguments NumPy takes in more forms or checks more strictly: they are brought to the
table's form on the host."""
import collections
import operator
import sys
import warnings

import numpy as np

from . import _core
from ._convert import asarray
from ._core import ndarray
from ._more import float_of


def _gnd():
    return sys.modules['gnd']


def _table(name):
    return _core._function(name, 0, name.rpartition('.')[2], None)


def _shape(x):
    return x.shape if hasattr(x, 'shape') else np.shape(x)


(_repeat, _delete, _pad, _dot, _cov, _vstack, _correlate, _conj, _randint, _nan_to_num, _bin_edges, _isin, _unique, _can_cast,
 _copy, _full, _full_like, _geomspace, _inner, _svd, _matrix_rank, _pinv) = map(_table, (
     'repeat', 'delete', 'pad', 'dot', 'cov', 'vstack', 'correlate', 'conj', 'random.randint', 'nan_to_num',
     'histogram_bin_edges', 'isin', 'unique', 'can_cast', 'copy', 'full', 'full_like', 'geomspace', 'inner', 'linalg.svd', 'linalg.matrix_rank',
     'linalg.pinv'))


# --- quantiles ----------------------------------------------------------------------------------------

def _weighted(name, a, q, axis, method, keepdims, weights, nans):
    """Quantiles of elements with weights, for the one method that has them: the first element, in sorted order, up to
    which the sum of the weights is q of all or more. nans: NaN have no weight; otherwise they make the result NaN."""
    g = _gnd()
    if method != 'inverted_cdf':
        raise ValueError(f"{name}: method {method!r} with weights: 'inverted_cdf' is wanted")
    a, w, q = asarray(a), asarray(weights), asarray(q)
    if w.shape != a.shape:
        if axis is None or isinstance(axis, tuple):
            raise TypeError(f'{name}: an axis must be given where weights of shape {w.shape} differ from {a.shape}')
        if w.ndim != 1 or w.shape[0] != a.shape[axis]:
            raise ValueError(f'{name}: weights of shape {w.shape} for an axis of {a.shape[axis]} elements')
        w = g.broadcast_to(w.reshape((-1,) + (1,) * (a.ndim - 1 - axis % a.ndim)), a.shape)
    if w.dtype.kind not in 'biuf' or bool((w < 0).any()):
        raise ValueError(f'{name}: weights must be 0 or more')
    axes = tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(k % a.ndim for k in axes)
    kept = [k for k in range(a.ndim) if k not in axes]
    rows = [g.permute_dims(x, (*kept, *axes)).reshape([a.shape[k] for k in kept] + [-1]) for x in (a, w)]
    bad = g.isnan(rows[0]) if a.dtype.kind == 'f' else None
    order = g.argsort(rows[0], axis=-1)
    values, w = g.take_along_axis(rows[0], order, -1), g.take_along_axis(rows[1], order, -1).astype(np.float64)
    if bad is not None and nans:
        w = g.where(g.isnan(values), 0.0, w)
    part = g.cumulative_sum(w, axis=-1)
    part = part / part[..., -1:]
    part = g.where(part == 0, -1.0, part)  # q = 0: elements without weight do not count
    at = (part < q.reshape(q.shape + (1,) * part.ndim)).sum(axis=-1)
    at = g.minimum(at, values.shape[-1] - 1)
    y = g.take_along_axis(g.broadcast_to(values, at.shape[:q.ndim] + values.shape), at[..., None], -1)[..., 0]
    if bad is not None and not nans:
        y = g.where(bad.any(axis=-1), np.nan, y).astype(a.dtype)
    return y.reshape(q.shape + tuple(1 if k in axes else n for k, n in enumerate(a.shape))) if keepdims else y


def _quantile_like(name, most, text, nans=False):
    table = _table(name)

    def f(a, q, axis=None, out=None, overwrite_input=False, method='linear', keepdims=False, *, weights=None):
        host = None if isinstance(q, ndarray) else np.asarray(q)
        if len(_shape(q)) > 2:
            raise ValueError(f'{name}: q of shape {_shape(q)}: a number or a list of numbers is wanted')
        if host is not None and host.dtype.kind in 'biuf' and not np.all((host >= 0) & (host <= most)):
            raise ValueError(f'{name}: q {q}: numbers from 0 to {most} are wanted')
        if weights is not None:
            y = _weighted(name, a, asarray(q) / most, axis, method, keepdims, weights, nans)
            return y if out is None else _write(out, y)
        if overwrite_input and isinstance(a, ndarray) and a.ndim:
            if axis is None and a.flags.c_contiguous:
                a.ravel().sort()
            elif isinstance(axis, int):
                a.sort(axis)
        keywords = {} if out is None else {'out': out}
        return table(a, q, axis=axis, method=method, keepdims=keepdims, **keywords)
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"""{text}{'' if nans else ' NaN in a slice gives NaN.'} method: NumPy's thirteen. overwrite_input=True sorts a in its
    place. weights: of the elements, for method='inverted_cdf'."""
    return f


quantile = _quantile_like('quantile', 1, 'The q-th quantiles along the axes, q from 0 to 1.')
percentile = _quantile_like('percentile', 100, 'The q-th percentiles along the axes, q from 0 to 100.')
nanquantile = _quantile_like('nanquantile', 1, 'The q-th quantiles along the axes without NaN, q from 0 to 1.', True)
nanpercentile = _quantile_like('nanpercentile', 100, 'The q-th percentiles along the axes without NaN, q from 0 to 100.',
                               True)


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


def _widths(array, pad_width):
    """The widths of a dictionary {axis: width or (before, after)} for each axis; other forms as they are."""
    if not isinstance(pad_width, dict):
        return pad_width
    widths = [(0, 0)] * asarray(array).ndim
    for axis, width in pad_width.items():
        if isinstance(width, int):
            widths[axis] = width, width
        elif isinstance(width, tuple) and len(width) == 2 and all(isinstance(n, int) for n in width):
            widths[axis] = width
        else:
            raise TypeError(f'pad: the width of axis {axis} is {width!r}: an int or a tuple of two ints is wanted')
    return widths


def pad(array, pad_width, mode='constant', **kwargs):
    """An array with more elements on both sides of its axes. mode: 'constant', 'edge', 'reflect', 'symmetric', 'wrap',
    'linear_ramp', 'maximum', 'minimum', 'mean', 'median', 'empty', or a function, which the host calls for each row.
    pad_width may be a dictionary from axes to widths. Keywords: constant_values, end_values, stat_length,
    reflect_type."""
    pad_width = _widths(array, pad_width)
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


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of a histogram's bins. The edges do not depend on weights, which need the shape of a."""
    if weights is not None:
        if isinstance(bins, str):
            raise TypeError(f'histogram_bin_edges: bins={bins!r} with weights: a number or edges are wanted')
        if _shape(weights) != _shape(a):
            raise ValueError(f'histogram_bin_edges: weights of shape {_shape(weights)} for an array of {_shape(a)}')
    return _bin_edges(a, bins, range)


def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is among the test elements. kind, NumPy's choice of a method, has no effect."""
    if kind not in (None, 'sort', 'table'):
        raise ValueError(f"isin: kind {kind!r}: None, 'sort' or 'table' is wanted")
    return _isin(element, test_elements, assume_unique, invert)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The different elements, sorted (also with sorted=False), and what is asked for: the first index of each, for each
    element of ar the index of its value, the counts."""
    return _unique(ar, return_index, return_inverse, return_counts, axis, equal_nan=equal_nan)


def can_cast(from_, to, casting='safe'):
    """Whether a dtype, or an array, can be cast to a dtype by NumPy's rule."""
    if casting == 'safe':
        return _can_cast(from_, to)
    return np.can_cast(from_.dtype if isinstance(from_, ndarray) else from_, to, casting)


def full(shape, fill_value, dtype=None, order='C', *, device=None):
    """An array of one value, or of an array that is broadcast to the shape."""
    keywords = {} if device is None else {'device': device}
    if not len(_shape(fill_value)):
        return _full(shape, fill_value, dtype, order, **keywords)
    fill_value = asarray(fill_value, **keywords)
    y = _gnd().empty(shape, fill_value.dtype if dtype is None else dtype, order, device=fill_value.device)
    y[...] = fill_value
    return y


def full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None):
    """One value, or an array that is broadcast, in the shape and the dtype of a."""
    keywords = {} if device is None else {'device': device}
    if not len(_shape(fill_value)):
        return _full_like(a, fill_value, dtype, order, subok, shape, **keywords)
    y = _gnd().empty_like(a, dtype, order, subok, shape, **keywords)
    y[...] = fill_value
    return y


def copy(a, order='K', subok=False):
    """A copy of a."""
    return _copy(a, order)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, device=None):
    """num numbers from start to stop with a constant ratio; along a new axis if start or stop is an array."""
    keywords = {} if device is None else {'device': device}
    if all(isinstance(v, (int, float, complex)) and not isinstance(v, np.generic) for v in (start, stop)):
        return _geomspace(start, stop, num, endpoint, dtype, **keywords)
    g = _gnd()
    t = float_of(start, stop)
    start, stop = g.broadcast_arrays(asarray(start, **keywords).astype(t), asarray(stop, **keywords).astype(t))
    if bool(((start == 0) | (stop == 0)).any()):
        raise ValueError('geomspace: a limit is 0: numbers with a constant ratio do not reach it')
    sign = start / abs(start) if t.kind == 'c' else g.sign(start)
    y = g.logspace(g.log10(start / sign), g.log10(stop / sign), num, endpoint)
    if num > 0:
        y[0] = start / sign
    if num > 1 and endpoint:
        y[-1] = stop / sign
    y = g.moveaxis(y * sign, 0, axis)
    return y if dtype is None else y.astype(dtype)


# --- Hermitian matrices -------------------------------------------------------------------------------

SVDResult = collections.namedtuple('SVDResult', 'U S Vh')


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """The singular value decomposition of matrices, or their singular values alone. hermitian=True: by the eigenvalues
    of matrices that equal their conjugate transpose."""
    if not hermitian:
        return _svd(a, full_matrices, compute_uv)
    g = _gnd()
    a = asarray(a)
    if not compute_uv:
        return g.flip(g.sort(abs(g.linalg.eigvalsh(a)), axis=-1), -1)
    values, vectors = g.linalg.eigh(a)
    order = g.flip(g.argsort(abs(values), axis=-1), -1)
    values = g.take_along_axis(values, order, -1)
    u = g.take_along_axis(vectors, order[..., None, :], -1)
    sign = g.where(values < 0, -1, 1).astype(values.dtype)
    return SVDResult(u, abs(values), g.conj((u * sign[..., None, :]).mT))


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """The number of singular values that are not small. That of a vector is 1, or 0 if all its elements are 0."""
    if len(_shape(A)) < 2:
        return (asarray(A) != 0).any().astype(np.int64)
    if not hermitian:
        return _matrix_rank(A, tol, rtol=rtol)
    if tol is not None and rtol is not None:
        raise ValueError('matrix_rank: tol and rtol at once')
    A = asarray(A)
    s = svd(A, compute_uv=False, hermitian=True)
    if tol is None:
        eps = float(np.finfo(s.dtype).eps)
        limit = s.max(axis=-1, keepdims=True) * (max(A.shape[-2:]) * eps if rtol is None else _last(rtol))
    else:
        limit = _last(tol)
    return _gnd().count_nonzero(s > limit, axis=-1)


def _last(x):
    x = asarray(x)
    return x[..., None] if x.ndim else x


def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """The pseudo-inverses of matrices. Singular values below rcond (rtol) times the largest count as 0."""
    if not hermitian or 0 in _shape(a):
        return _pinv(a, rcond, rtol=rtol)
    if rcond is not None and rtol is not None:
        raise ValueError('pinv: rcond and rtol at once')
    a = asarray(a)
    u, s, vt = svd(a, full_matrices=False, hermitian=True)
    if rcond is None:
        rcond = 1e-15 if rtol is None else rtol
    keep = s > _last(rcond) * s.max(axis=-1, keepdims=True)
    s = _gnd().where(keep, 1 / s, 0.0).astype(s.dtype)
    return vt.mT.conj() @ (s[..., None] * u.mT.conj())


# --- sums of products ---------------------------------------------------------------------------------

def dot(a, b, out=None):
    """NumPy's dot: a sum over the last axis of a and the last but one of b. out needs the result's dtype and shape, in C
    order."""
    a, b = asarray(a), asarray(b)
    y = _dot(a, b)
    if out is None:
        return y
    if out.dtype != y.dtype or out.shape != y.shape or not out.flags.c_contiguous:
        raise ValueError(f'dot: out is {out.dtype} {out.shape}: {y.dtype} {y.shape} in C order is wanted')
    out[...] = y
    return out


def inner(a, b):
    """The sums of products over the last axes of a and b."""
    return _inner(asarray(a), asarray(b))


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
FUNCTIONS = [quantile, percentile, nanquantile, nanpercentile, repeat, delete, row_stack, vstack, pad, nan_to_num,
             histogram_bin_edges, isin, unique, can_cast, copy, full, full_like, geomspace, dot, inner, correlate, cov]
LINALG: list = [svd, matrix_rank, pinv]
FFT = [fftn, ifftn, fft2, ifft2]
RANDOM = [randint, tomaxint, _bytes]
METHODS = {'conj': _method_conj, 'conjugate': _method_conj, 'dot': _method_dot, 'repeat': _method_repeat}
for _name, _f in METHODS.items():
    setattr(ndarray, _name, _f)
