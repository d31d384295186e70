# SPDX-License-Identifier: BSD-3-Clause
"""Elementwise functions as objects with NumPy's attributes and methods (reduce, accumulate, outer, at), and their
keywords where=, casting=, dtype= and order=."""
import sys
from typing import Any

import numpy as np

from . import _core
from ._core import ndarray
from ._convert import asarray

# Functions of the table that are ufuncs in NumPy, besides its elementwise operations: (operands, results).
OTHERS = {'conj': (1, 1), 'conjugate': (1, 1), 'frexp': (1, 2), 'modf': (1, 2), 'divmod': (2, 2), 'spacing': (1, 1),
          'float_power': (2, 1), 'bitwise_count': (1, 1), 'fabs': (1, 1), 'rint': (1, 1),
          'matmul': (2, 1)}
_CASTINGS = ('no', 'equiv', 'safe', 'same_kind', 'unsafe')
_KEYWORDS = frozenset(('out', 'where', 'casting', 'order', 'dtype', 'subok'))
_TRUTH = frozenset("""less less_equal greater greater_equal equal not_equal logical_and logical_or logical_xor
                   logical_not isnan isinf isfinite signbit""".split())
_OF_X = frozenset(('fix', 'i0', 'sinc', 'isposinf', 'isneginf'))  # plain functions in NumPy: f(x=...)
_ufuncs: 'dict[str, ufunc]' = {}


class ufunc:  # noqa: N801
    """An elementwise function, with the methods of numpy.ufunc that gnd supports."""

    def __init__(self, name, doc, nin, nout):
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc
        self.__module__ = 'gnd'
        self.nin, self.nout, self.nargs = nin, nout, nin + nout
        self._methods = {}

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return call(self.__name__, args, keywords)

    @property
    def __signature__(self):
        import inspect
        return inspect.signature(type(self).__call__)

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return self.__name__

    def _method(self, what):
        """The table's function for this method, or None."""
        if what not in self._methods:
            try:
                self._methods[what] = _core._function(f'{self.__name__}.{what}', 0, what, None)
            except AttributeError:
                self._methods[what] = None
        return self._methods[what]

    def _binary(self, what):
        if self.nin != 2 or self.nout != 1:
            raise ValueError(f'{self.__name__}.{what}: only functions of two operands have it')

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, **keywords):
        """Reduces the array along axes with the function."""
        self._binary('reduce')
        if dtype is not None:
            keywords['dtype'] = dtype
        f = self._method('reduce')
        if f is not None:
            return f(asarray(array), axis=axis, out=out, keepdims=keepdims, **keywords)
        from ._folds import fold
        if keywords.keys() - {'dtype'}:
            raise NotImplementedError(f'{self.__name__}.reduce has no {" and ".join(sorted(keywords.keys() - {"dtype"}))}=')
        result = fold(self, array, axis, dtype, keepdims)
        return result if out is None else _write(f'{self.__name__}.reduce', result, out, True, 'same_kind')

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Reduces the array along an axis with the function, and returns all intermediate results."""
        self._binary('accumulate')
        keywords = {} if dtype is None else {'dtype': dtype}
        f = self._method('accumulate')
        if f is not None:
            return f(asarray(array), axis=axis, out=out, **keywords)
        from ._folds import scan
        result = scan(self, array, axis, dtype)
        return result if out is None else _write(f'{self.__name__}.accumulate', result, out, True, 'same_kind')

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """Reduces the elements from each index up to the next index, exclusive, along an axis."""
        self._binary('reduceat')
        from ._folds import segments
        result = segments(self, array, indices, axis, dtype)
        return result if out is None else _write(f'{self.__name__}.reduceat', result, out, True, 'same_kind')

    def outer(self, a, b, /, **keywords):
        """Applies the function to each pair of an element of a and an element of b."""
        self._binary('outer')
        a, b = asarray(a), asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **keywords)

    def at(self, a, indices, b=None, /):
        """Applies the function in place to the indexed elements of a; repeatedly, if an index repeats."""
        if not isinstance(a, ndarray):
            raise TypeError(f'{self.__name__}.at: {type(a).__name__}: a gnd.ndarray is wanted')
        if self.nin == 1:
            if b is not None:
                raise ValueError(f'{self.__name__}.at: the function has one operand')
            a[indices] = self(a[indices])
            return
        b = _for_at(self, a, b)
        if isinstance(b, ndarray) and not np.can_cast(b.dtype, a.dtype, 'same_kind') and not a[indices].size:
            return
        if self.__name__ == 'subtract':
            if isinstance(b, int) and a.dtype.kind in 'iu':
                b = np.asarray(b).astype(a.dtype)
            a[...] = _ufuncs['add']._method('at')(a, indices, -asarray(b))
        elif self._method('at') is not None:
            a[...] = self._method('at')(a, indices, b)
        else:
            from ._folds import at
            at(self, a, indices, b)


def _for_at(u, a, b):
    """The values b of u.at for an array a of ints. NumPy computes in the common dtype and casts the result to that of
    a. b is converted to the dtype of a if that gives the same result."""
    if isinstance(b, (bool, int, float, complex)) and not isinstance(b, np.generic):
        return b
    b = asarray(b)
    if a.dtype.kind not in 'iu' or b.dtype.kind not in 'iu' or np.can_cast(b.dtype, a.dtype, 'same_kind'):
        return b
    if u.__name__ in ('add', 'subtract', 'multiply') or not b.size:
        return b.astype(a.dtype)
    info = np.iinfo(a.dtype)
    return b.astype(a.dtype) if info.min <= int(b.min()) and int(b.max()) <= info.max else b


def make(name, f, doc, nin, nout=1):
    """The ufunc of that name whose call is f."""
    kind = type('ufunc', (ufunc,), {'__call__': staticmethod(f), '__module__': 'gnd'})
    u = _ufuncs[name] = kind(name, doc, nin, nout)
    return u


def _cast_input(name, x, dtype, casting):
    if isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic):
        return asarray(x, np.result_type(dtype, x)) if np.result_type(dtype, x) == dtype else asarray(x)
    x = asarray(x)
    if x.dtype != dtype and not np.can_cast(x.dtype, dtype, casting):
        raise TypeError(f'{name}: an operand of dtype {x.dtype} cannot be cast to {dtype} with casting rule {casting!r}')
    return x.astype(dtype)


def _write(name, result, out, where, casting):
    if not isinstance(out, ndarray):
        raise TypeError(f'{name}: out: {type(out).__name__}: a gnd.ndarray is wanted')
    result = asarray(result)
    if not np.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(f'{name}: the result of dtype {result.dtype} cannot be cast to out of dtype {out.dtype} with '
                        f'casting rule {casting!r}')
    if np.broadcast_shapes(result.shape, out.shape) != out.shape:
        raise ValueError(f'{name}: the result of shape {result.shape} does not broadcast to out of shape {out.shape}')
    if where is not True:
        where = asarray(where)
        if where.dtype != bool:
            raise TypeError(f'{name}: where of dtype {where.dtype}: bools are wanted')
        result = sys.modules['gnd'].where(where, result.astype(out.dtype), out)
        if result.shape != out.shape:
            raise ValueError(f'{name}: where of shape {where.shape} does not broadcast to out of shape {out.shape}')
    out[...] = result
    return out


def _call_casting(name, args, keywords):
    """Calls a function that joins arrays, with casting=: the rule by which they are cast to the dtype of dtype= or
    out=."""
    casting = keywords.pop('casting')
    if casting not in _CASTINGS:
        raise ValueError(f'{name}: casting {casting!r}: one of {", ".join(_CASTINGS)} is wanted')
    f, out, dtype = getattr(sys.modules['gnd'], name), keywords.pop('out', None), keywords.pop('dtype', None)
    if out is not None and dtype is not None:
        raise TypeError(f'{name}: out and dtype at once')
    arrays = [asarray(a) for a in args[0]]
    to = out.dtype if out is not None else dtype
    if to is not None:
        for a in arrays:
            if not np.can_cast(a.dtype, to, casting):
                raise TypeError(f'{name}: {a.dtype} cannot be cast to {np.dtype(to)} by the rule {casting!r}')
        arrays = [a.astype(to) for a in arrays]
    result = f(arrays, *args[1:], **keywords)
    return result if out is None else _write(name, result, out, True, 'unsafe')


def _matmul(u, args, axes=None, **keywords):
    """matmul with axes=: the axes of the matrices (or of a vector) in the operands and in the result."""
    if 'axis' in keywords or 'keepdims' in keywords:
        raise TypeError('matmul: axis= and keepdims= are for functions of vectors: axes= names those of the matrices')
    if not isinstance(axes, list):
        raise TypeError(f'matmul: axes: a list of tuples is wanted, not {type(axes).__name__}')
    a, b = map(asarray, args[:2])
    core = [min(x.ndim, 2) for x in (a, b)]
    core.append(sum(core) - 2)
    if len(axes) != 3 and not (len(axes) == 2 and core[2] == 0):
        raise ValueError(f'matmul: axes has {len(axes)} entries: one for each operand and the result')
    axes = list(axes) + [()] * (3 - len(axes))
    for i, (ax, n) in enumerate(zip(axes, core)):
        axes[i] = ax = (ax,) if hasattr(ax, '__index__') and n == 1 else ax
        if hasattr(ax, '__index__'):
            raise _core.AxisError(f'matmul: axes[{i}] is one axis: {n} are wanted')
        if not isinstance(ax, tuple):
            raise TypeError(f'matmul: axes[{i}]: a tuple is wanted, not {type(ax).__name__}')
        if len(ax) != n:
            raise _core.AxisError(f'matmul: axes[{i}] has {len(ax)} axes: {n} are wanted')
    move, last = sys.modules['gnd'].moveaxis, ((), (-1,), (-2, -1))
    out = keywords.pop('out', args[2] if len(args) > 2 else None)
    y = u(move(a, axes[0], last[core[0]]), move(b, axes[1], last[core[1]]), **keywords)
    y = move(y, last[core[2]], axes[2])
    out = out[0] if isinstance(out, tuple) else out
    return y if out is None else _write('matmul', y, out, True, keywords.get('casting', 'same_kind'))


def call(name, args, keywords):
    """Calls the ufunc of that name, with all of NumPy's keywords. Without out=, elements of the result for which where=
    is False are undefined, as in NumPy."""
    u = _ufuncs.get(name)
    if u is None:
        return _call_casting(name, args, keywords)
    if name == 'matmul' and not keywords.keys().isdisjoint(('axes', 'axis', 'keepdims')):
        return _matmul(u, args, **keywords)
    if not args and 'x' in keywords and name in _OF_X:
        args = (keywords.pop('x'),)
    for k in keywords:
        if k not in _KEYWORDS:
            raise TypeError(f'{name} has no argument {k!r}: it has {", ".join(sorted(_KEYWORDS))}')
    inputs, out = args[:u.nin], keywords.get('out')
    if len(args) > u.nin:
        if len(args) > u.nargs or out is not None:
            raise TypeError(f'{name} takes from {u.nin} to {u.nargs} values, and out once')
        out = args[u.nin:]
    if out is not None:
        out = out if isinstance(out, tuple) else (out,)
        out = None if all(o is None for o in out) else out + (None,) * (u.nout - len(out))
    where, casting = keywords.get('where', True), keywords.get('casting', 'same_kind')
    if casting not in _CASTINGS:
        raise ValueError(f'{name}: casting {casting!r}: one of {", ".join(_CASTINGS)} is wanted')
    dtype = keywords.get('dtype')
    dtype = None if dtype is None else np.dtype(dtype)
    if dtype is not None and not (name in _TRUTH and dtype == bool):
        inputs = [_cast_input(name, x, dtype, casting) for x in inputs]
    result = u(*inputs)
    results = result if isinstance(result, tuple) else (result,)
    if dtype is not None and any(asarray(r).dtype != dtype for r in results if name != 'frexp'):
        raise TypeError(f'{name}: no loop for dtype {dtype}')
    if out is not None:
        results = tuple(r if o is None else _write(name, r, o, where, casting) for r, o in zip(results, out))
    elif keywords.get('order') in ('F', 'f'):
        results = tuple(_core._ordered(asarray(r), True) for r in results)
    elif keywords.get('order') in ('C', 'c'):
        results = tuple(_core._ordered(asarray(r), False) for r in results)
    return results if isinstance(result, tuple) else results[0]
