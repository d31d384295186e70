# SPDX-License-Identifier: BSD-3-Clause
"""gnd.jit: a function is recorded once for each signature of its arguments, and replayed
afterwards."""
import collections
import functools
import threading
import types

import numpy as np

from . import _core
from ._convert import asarray
from ._core import Device, Error, ndarray

_CONSTANTS = (type(None), bool, str, bytes, type(Ellipsis), type, np.dtype, Device)
_NUMBERS = (int, float, complex)
_LEAF = 'leaf'
_KEPT = 64  # recordings kept per function
_inside = threading.local()  # .recording: whether this thread records


def recording():
    """Whether this thread records a function."""
    return getattr(_inside, 'recording', False)


def _flatten(obj, leaves, where):
    """Appends the arrays and numbers in obj to leaves. Returns the rest of obj, its structure, as a
    hashable object."""
    if isinstance(obj, (ndarray, np.ndarray, np.generic)) or type(obj) in _NUMBERS:
        leaves.append(obj)
        return _LEAF
    if isinstance(obj, (tuple, list)):
        return (type(obj), *[_flatten(o, leaves, where) for o in obj])
    if type(obj) is dict:
        return (dict, tuple(obj), *[_flatten(o, leaves, where) for o in obj.values()])
    if isinstance(obj, _CONSTANTS):
        return (None, type(obj), obj)
    raise TypeError(
        f'jit: {where} has a {type(obj).__name__}: arrays, numbers, strings, None, and '
        f'tuples, lists and '
        'dicts of them are possible; static_argnums= and static_argnames= name others')


def _unflatten(what, leaves):
    """The inverse of _flatten: an object of the structure `what`, with leaves from the iterator."""
    if what is _LEAF:
        return next(leaves)
    if what[0] is None:
        return what[2]
    if what[0] is dict:
        return {k: _unflatten(w, leaves) for k, w in zip(what[1], what[2:])}
    items = [_unflatten(w, leaves) for w in what[1:]]
    return what[0](*items) if hasattr(what[0], '_fields') else what[0](items)


def _kinds(obj):
    """The types in a static argument. They tell (1, 2) from (1.0, 2.0), which are equal."""
    return (type(obj), *map(_kinds, obj)) if isinstance(obj, tuple) else type(obj)


def _root(x):
    """The array that x is a view of, or x itself."""
    while x.base is not None:
        x = x.base
    return x


class _Recording:
    """f for one signature. f is called once, with placeholders for the arrays among the leaves and,
    if `numbers` is a dtype, for the numbers."""

    def __init__(self, f, name, rebuild, leaves, numbers, device):
        self.device, self.name = device, name
        self.inputs, places, given, seen = [], [], [], {}
        for i, x in enumerate(leaves):
            if type(x) in _NUMBERS and numbers is None:
                given.append(x)
                continue
            if id(x) not in seen or type(x) in _NUMBERS:  # an array given twice is one input
                number = type(x) in _NUMBERS
                places.append(
                    _core._placeholder(device, numbers if number else x.dtype,
                                       None if number else x.shape))
                self.inputs.append(i)
                seen[id(x)] = places[-1].copy()  # the same value in an array that f may write to
            given.append(seen[id(x)])
        args, keywords = rebuild(iter(given))
        _inside.recording = True
        try:
            result = f(*args, **keywords)
        except Error as e:
            if 'placeholder' not in str(e):
                raise
            raise TypeError(
                f'jit: {name} reads elements while it is recorded (by if, float(), print(), '
                f'asnumpy(), or a '
                'shape that depends on them): use gnd.where and its like, or name the argument in '
                'static_argnums') from e
        finally:
            _inside.recording = False
        leaves_out, new = [], []
        self.structure = _flatten(result, leaves_out, 'the result')
        mine = {id(given[i]): i for i in self.inputs}
        self.written = [
            i for i in self.inputs if type(leaves[i]) not in _NUMBERS and _core._version(given[i])
        ]
        self.results = []  # for each leaf of the result: (index of a leaf, index of an output, constant)
        for y in leaves_out:
            i = mine.get(id(y))
            if i is not None and type(leaves[i]) not in _NUMBERS:
                self.results.append((i, None, None))
            elif isinstance(y, ndarray):
                self.results.append((None, len(new), None))
                new.append(y)
            else:
                self.results.append((None, None, y.copy() if isinstance(y, np.ndarray) else y))
        self.first_written = len(new)
        new += [given[i] for i in self.written]
        self.n = len(new)
        self.recording = _core._record(tuple(places), tuple(new)) if new else None

    def _check_written(self, given, leaves):
        roots = [_root(leaves[i]) for i in self.inputs if isinstance(leaves[i], ndarray)]
        for i in self.written:
            others = [x for j, x in enumerate(given) if j != i and isinstance(x, np.ndarray)]
            if sum(r is _root(leaves[i]) for r in roots) > 1 or (
                    isinstance(given[i], np.ndarray)
                    and any(np.may_share_memory(given[i], x) for x in others)):
                raise ValueError(
                    f'jit: {self.name} writes to an array that shares its memory with another '
                    f'argument'
                )

    def __call__(self, given, leaves):
        """given: the leaves of the caller; leaves: the same with NumPy arrays as gnd arrays."""
        out = ()
        self._check_written(given, leaves)
        if self.recording is not None:
            out = _core._replay(self.recording, self.device,
                                tuple([leaves[i] for i in self.inputs]), self.n)
        for i, y in zip(self.written, out[self.first_written:]):
            leaves[i][...] = y
            if isinstance(given[i], np.ndarray):
                given[i][...] = y.asnumpy()
        return _unflatten(
            self.structure,
            iter([
                leaves[i] if i is not None else out[o] if o is not None else
                c.copy() if isinstance(c, np.ndarray) else c for i, o, c in self.results
            ]))


class Jitted:
    """The function that gnd.jit returns."""

    def __init__(self, f, static_argnums, static_argnames):
        functools.update_wrapper(self, f)
        self._f, self._name = f, getattr(f, '__name__', str(f))
        self._nums, self._names = static_argnums, static_argnames
        self._recordings, self._lock = collections.OrderedDict(), threading.RLock()

    def __get__(self, obj, kind=None):
        return self if obj is None else types.MethodType(self, obj)

    def __call__(self, *args, **keywords):
        if recording():
            return self._f(*args, **keywords)  # it becomes part of the recording
        given = []
        nums = {n % len(args) for n in self._nums if -len(args) <= n < len(args)}
        static = tuple([args[i] if i in nums else None for i in range(len(args))] +
                       [keywords[k] for k in self._names if k in keywords])
        what = tuple([
            None if i in nums else _flatten(a, given, f'argument {i}') for i, a in enumerate(args)
        ])
        named = tuple([(k, None if k in self._names else _flatten(v, given, f'argument {k}'))
                       for k, v in keywords.items()])
        device = next((x.device for x in given if isinstance(x, ndarray)), None) or Device()
        leaves = [
            x if isinstance(x, ndarray) or type(x) in _NUMBERS else asarray(x, device=device)
            for x in given
        ]
        numbers = _dtype_of_numbers(leaves)
        key = (what, named, static, _kinds(static), device, numbers,
               _signatures(leaves, numbers))
        with self._lock:
            try:
                r = self._recordings.get(key)
            except TypeError as e:
                raise TypeError(
                    f'jit: {self._name}: a static argument cannot be hashed: {e}') from None
            if r is None:

                def rebuild(it):
                    a = [args[i] if i in nums else _unflatten(w, it) for i, w in enumerate(what)]
                    return a, {
                        k: keywords[k] if w is None else _unflatten(w, it)
                        for k, w in named
                    }

                r = _Recording(self._f, self._name, rebuild, leaves, numbers, device)
                self._recordings[key] = r
                if len(self._recordings) > _KEPT:
                    self._recordings.popitem(last=False)
            else:
                self._recordings.move_to_end(key)
            return r(given, leaves)

    def clear_cache(self):
        """Frees the recordings and the memory that they own."""
        with self._lock:
            self._recordings.clear()


def _dtype_of_numbers(leaves):
    """The dtype in which Python numbers are passed by value: the common dtype of all arrays, if it
    can hold the numbers; else None."""
    dtypes = {x.dtype for x in leaves if isinstance(x, ndarray)}
    if len(dtypes) != 1:
        return None
    dtype = dtypes.pop()
    most = max((_NUMBERS.index(type(x)) for x in leaves if type(x) in _NUMBERS), default=None)
    kinds = ('iufc', 'fc', 'c')
    return None if most is None or dtype.kind not in kinds[most] else dtype


def _signatures(leaves, numbers):
    """The part of the signature that comes from the leaves: shapes and dtypes, which arrays are the
    same, and the numbers that are not inputs."""
    seen = {}
    return tuple([(type(x), None if numbers is not None else repr(x)) if type(x) in _NUMBERS else
                  (x.shape, x.dtype, seen.setdefault(id(x), i)) for i, x in enumerate(leaves)])


def jit(f=None, *, static_argnums=(), static_argnames=()):
    """A function that gives the results of f at less cost. f is recorded at the first call with
    arguments of a signature (shapes, dtypes, device, structure), and replayed at later calls.
    Arguments and results are arrays, numbers and nested tuples, lists and dicts of them. A replay
    writes to the arrays that f writes to. Strings, None, and the arguments that static_argnums and
    static_argnames name are part of the signature. So are numbers, unless all arrays have one dtype
    that can hold them; then they may change without another recording. f must not read elements
    while it is recorded. Everything else keeps its value from the recording: other arrays, and the
    random numbers of gnd.random. clear_cache() frees the recordings."""
    nums = (static_argnums, ) if isinstance(static_argnums, int) else tuple(static_argnums)
    names = (static_argnames, ) if isinstance(static_argnames, str) else tuple(static_argnames)
    if f is None:
        return lambda g: jit(g, static_argnums=nums, static_argnames=names)
    if not callable(f):
        raise TypeError(f'jit: {type(f).__name__}: a function is wanted')
    return Jitted(f, nums, names)
