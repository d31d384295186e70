# SPDX-License-Identifier: BSD-3-Clause
"""vectorize: turns a function of numbers into a function of arrays, like numpy.vectorize, on the device. The function
runs once for each path through its branches, with arrays in place of numbers, so that NumPy's dtype rules hold. A
function that cannot run this way (loops over values, casts to numbers) becomes a kernel in Numba's language."""
import operator
import sys

import numpy as np

from ._convert import asarray
from ._core import ndarray

_WAYS = 64   # most paths through a function; with more it becomes a kernel
_DEPTH = 24  # most branches on one path; a loop over values has more


class _Untraced(Exception):
    """Raised if the function needs a number but has an array."""


class _Number:
    """An array that behaves like one number: it has operators, and its truth value chooses a branch."""
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, x, ways):
        self._x, self._ways = x, ways

    def __bool__(self):
        return self._ways.choose(self._x)

    def _needs(self, *args):
        raise _Untraced

    __int__ = __float__ = __complex__ = __index__ = __len__ = __iter__ = __getitem__ = __array__ = __round__ = _needs

    def __getattr__(self, name):
        raise _Untraced

    def __array_ufunc__(self, f, method, *args, **keywords):
        if method != '__call__' or 'out' in keywords or 'where' in keywords:
            raise _Untraced
        u = getattr(sys.modules['gnd'], f.__name__, None)
        return self._ways.number(f.__name__, u, args, keywords)


def _operator(name, f):
    def forward(self, *others):
        return self._ways.number(name, f, (self,) + others)

    def backward(self, other):
        return self._ways.number(name, f, (other, self))
    return forward, backward


for _n in 'add sub mul truediv floordiv mod pow lshift rshift and or xor'.split():
    _f = getattr(operator, f'__{_n}__')
    _a, _b = _operator(_n, _f)
    setattr(_Number, f'__{_n}__', _a)
    setattr(_Number, f'__r{_n}__', _b)
for _n in 'neg pos abs invert eq ne lt le gt ge'.split():
    setattr(_Number, f'__{_n}__', _operator(_n, getattr(operator, f'__{_n}__'))[0])
del _n, _f, _a, _b


class _Ways:
    """The paths through a function. Each branch is taken first with a true condition, then with a false one."""

    def __init__(self, f, args):
        self.args, self.f, self.taken, self.conditions = args, f, [], []

    def number(self, name, f, args, keywords={}):
        if f is None or any(not isinstance(a, (_Number, int, float, complex, np.generic)) for a in args):
            raise _Untraced
        y = f(*(a._x if isinstance(a, _Number) else a for a in args), **keywords)
        return tuple(_Number(v, self) for v in y) if isinstance(y, tuple) else _Number(y, self)

    def choose(self, x):
        at = len(self.conditions)
        if at == _DEPTH:
            raise _Untraced
        self.conditions.append(x if x.dtype == bool else x != 0)
        if at == len(self.taken):
            self.taken.append(True)
        return self.taken[at]

    def all(self):
        """For each path through the function: its conditions with the side taken at each, its results, and whether they
        are a tuple."""
        found = []
        while True:
            self.conditions = []
            y = self.f(*(_Number(a, self) if isinstance(a, ndarray) else a for a in self.args))
            found.append((list(zip(self.conditions, self.taken)), [
                v._x if isinstance(v, _Number) else v for v in (y if isinstance(y, tuple) else (y,))],
                isinstance(y, tuple)))
            while self.taken and not self.taken[-1]:
                self.taken.pop()
            if not self.taken:
                return found
            if len(found) == _WAYS:
                raise _Untraced
            self.taken[-1] = False


def _joined(ways, k, depth, shape):
    """Result k of the paths as one array. The paths do not differ before that depth."""
    if len(ways) == 1:
        return ways[0][1][k]
    condition = ways[0][0][depth][0]
    yes, no = ([w for w in ways if w[0][depth][1] is side] for side in (True, False))
    return sys.modules['gnd'].where(condition, _joined(yes, k, depth + 1, shape), _joined(no, k, depth + 1, shape))


def _dtype(y, name):
    t = y.dtype if isinstance(y, ndarray) else np.asarray(y).dtype
    if t.kind not in 'biufcV':
        raise TypeError(f'{name}: a result of type {type(y).__name__}: numbers are wanted')
    return t


class Vectorized:
    """A function of numbers as a function of arrays. The arrays are broadcast."""

    def __init__(self, f, otypes=None, doc=None, excluded=None):
        self.pyfunc, self.__name__ = f, getattr(f, '__name__', 'vectorize')
        self.__doc__ = f.__doc__ if doc is None else doc
        self.otypes = None if otypes is None else [np.dtype(t) for t in otypes]
        self.excluded = set() if excluded is None else set(excluded)
        self._kernel = None

    def __call__(self, *args, **keywords):
        over = [i for i in range(len(args)) if i not in self.excluded]
        names = [n for n in keywords if n not in self.excluded]
        given = [args[i] for i in over] + [keywords[n] for n in names]
        if not given:
            raise ValueError(f'{self.__name__}: no arguments to take elements of')
        arrays = sys.modules['gnd'].broadcast_arrays(*map(asarray, given))
        if not arrays[0].size and self.otypes is None:
            raise ValueError(f'{self.__name__}: no elements: otypes= is needed')
        full = list(args)

        def f(*values):
            for i, v in zip(over, values):
                full[i] = v
            return self.pyfunc(*full, **{**keywords, **dict(zip(names, values[len(over):]))})
        try:
            results, several = self._traced(f, arrays)
        except (_Untraced, TypeError):  # a TypeError of the function itself is raised by the kernel again
            if len(over) < len(args) or keywords:
                raise TypeError(f'{self.__name__}: a function with loops over values or casts takes neither keywords '
                                f'nor excluded arguments') from None
            results, several = [self._compiled(f, arrays)], False
        return tuple(results) if several else results[0]

    def _first(self, f, arrays):
        """The dtypes of the results for the first elements. NumPy gives all results these dtypes."""
        y = f(*(a.ravel()[0].asnumpy()[()] for a in arrays))
        return [_dtype(v, self.__name__) for v in (y if isinstance(y, tuple) else (y,))]

    def _traced(self, f, arrays):
        ways = _Ways(f, arrays).all()
        n, several = len(ways[0][1]), ways[0][2]
        if any(len(w[1]) != n for w in ways):
            raise TypeError(f'{self.__name__}: {n} results in one branch and another number in another')
        types = [{_dtype(w[1][k], self.__name__) for w in ways} for k in range(n)]
        if self.otypes is not None:
            if len(self.otypes) != n:
                raise ValueError(f'{self.__name__}: {len(self.otypes)} otypes for {n} results')
            wanted = self.otypes
        elif all(len(t) == 1 for t in types):
            wanted = [t.pop() for t in types]
        else:
            wanted = self._first(f, arrays)
        shape, results = arrays[0].shape, []
        for k, t in enumerate(wanted):
            typed = [(w[0], [asarray(v).astype(t) for v in w[1]], w[2]) for w in ways]
            y = _joined(typed, k, 0, shape)
            results.append(y if y.shape == shape else sys.modules['gnd'].broadcast_to(y, shape).copy())
        return results, several

    def _compiled(self, f, arrays):
        if self._kernel is None:
            from .cuda.library import Vectorized as kernel
            self._kernel = kernel(self.pyfunc, [])
        y = self._kernel(*arrays)
        t = self.otypes[0] if self.otypes is not None else self._first(f, arrays)[0]
        return y.astype(t)


def vectorize(pyfunc=None, otypes=None, doc=None, excluded=None, cache=False, signature=None, **numba):
    """A function of numbers as a function of arrays, with numpy.vectorize's arguments. It is a decorator too. The
    function becomes operations on arrays, or a kernel if it has loops over values. With signatures in place of the
    function, or with target=, this is Numba's vectorize (cuda.vectorize)."""
    if numba or isinstance(pyfunc, (str, list, tuple)):
        from . import cuda
        return cuda.vectorize(() if pyfunc is None else pyfunc, **numba)
    if signature is not None:
        raise NotImplementedError('vectorize: signature=: functions of whole axes: apply_along_axis has them')
    if pyfunc is None:
        return lambda f: Vectorized(f, otypes, doc, excluded)
    return Vectorized(pyfunc, otypes, doc, excluded)
