# SPDX-License-Identifier: BSD-3-Clause
#
# diff_take.py - indices and masks, for the differential test: what they give is as exact as what it is
# taken from. Indices are lists, or int expressions, which have to be exact themselves. Mixtures of every
# kind, and errors, are in diff_index.py.
import numpy as np
import diff_model as m
from diff_fold import NAMES, lift
from diff_model import V


def plain(i):
    """An index with arrays in the place of values; inexact ones are none."""
    if isinstance(i, tuple):
        return tuple(plain(k) for k in i)
    if isinstance(i, V):
        if i.err.any() or i.dtype.kind not in 'biu':
            raise ValueError('an inexact index')
        return i.val
    return i


V.__getitem__ = lambda self, i: self.move(lambda a: a[plain(i)])


def taken(f):
    return lambda x, i, axis=None: lift(x).move(lambda a: f(a, plain(i), axis))


def fitting(x, v):
    """v as x's dtype."""
    if v.dtype.kind == 'c' and x.dtype.kind != 'c':
        raise ValueError('complex into real')
    return m.cast(v, x.dtype)


def set_at(x, i, v):
    x, v = lift(x), lift(v)
    c = fitting(x, v)
    val, err = x.val.copy(), x.err.copy()
    val[plain(i)], err[plain(i)] = c.val, c.err
    return V(val, err)


def add_at(x, i, v):
    x, v = lift(x), lift(v)
    if x.err.any() or v.err.any() or x.dtype.kind not in 'iu' or not np.can_cast(v.dtype, x.dtype, 'same_kind'):
        raise ValueError('sums of ints only')
    val = x.val.copy()
    np.add.at(val, plain(i), v.val.astype(x.dtype))
    return V(val)


def put_along_axis(x, i, v, axis):
    x, v = lift(x), lift(v)
    c = fitting(x, v)
    val, err = x.val.copy(), x.err.copy()
    np.put_along_axis(val, plain(i), c.val, axis)
    np.put_along_axis(err, plain(i), c.err, axis)
    return V(val, err)


NAMES.update({
    'take': taken(np.take), 'take_along_axis': taken(np.take_along_axis),
    'compress': lambda c, x, axis=None: lift(x).move(lambda a: np.compress(plain(c), a, axis)),
    'set_at': set_at, 'add_at': add_at, 'put_along_axis': put_along_axis,
    'flatnonzero': lambda x: V(np.flatnonzero(plain(lift(x)))),
    'argwhere': lambda x: V(np.argwhere(plain(lift(x)))), 'True': True, 'False': False,
})


class Takes:
    """The random calls, a part of diff_gen.Gen."""

    def index(self, shape, depth, kinds):
        names = ['list', 'list', 'two', 'take', 'computed', 'along', 'mask', 'set', 'set', 'add', 'put', 'true']
        return getattr(self, 'index_' + self.pick(names))(shape, depth, kinds)

    def some(self, count, n):
        return [int(i) for i in self.rng.integers(-n, n, count)]

    def index_list(self, shape, depth, kinds):
        k, n = int(self.rng.integers(len(shape))), self.pick([1, 2, 3, 5, 9])
        self.note('index')
        x = self.sub(shape[:k] + (n,) + shape[k + 1:], depth, kinds)
        return f"{x}[{', '.join([':'] * k + [str(self.some(shape[k], n))])}]"

    def index_two(self, shape, depth, kinds):
        k, n, p = int(self.rng.integers(len(shape))), self.pick([1, 2, 4]), self.pick([1, 3])
        self.note('index')
        x = self.sub(shape[:k] + (n, p) + shape[k + 1:], depth, kinds)
        one = str(self.some(shape[k], p)) if self.chance(0.8) else str(int(self.rng.integers(-p, p)))
        return f"{x}[{', '.join([':'] * k + [str(self.some(shape[k], n)), one])}]"

    def index_take(self, shape, depth, kinds):
        k, n = int(self.rng.integers(len(shape))), self.pick([1, 2, 3, 8])
        self.note('take')
        x = self.sub(shape[:k] + (n,) + shape[k + 1:], depth, kinds)
        return f"take({x}, {self.some(shape[k], n)}, axis={k - (len(shape) if self.chance(0.3) else 0)})"

    def index_computed(self, shape, depth, kinds):
        n = self.pick([1, 3, 7, 20])
        i = f"{self.sub(shape, min(depth, 2), 'iu')} % {n}"
        self.note('index')
        return f"{self.sub((n,), depth, kinds)}[{i}]"

    def index_along(self, shape, depth, kinds):
        k, n = int(self.rng.integers(len(shape))), self.pick([1, 2, 5])
        i = f"{self.sub(shape, min(depth, 2), 'iu')} % {n}"
        self.note('take_along_axis')
        return f"take_along_axis({self.sub(shape[:k] + (n,) + shape[k + 1:], depth, kinds)}, {i}, {k})"

    def index_mask(self, shape, depth, kinds):
        k = int(self.rng.integers(len(shape)))
        mask = [True] * shape[k] + [False] * int(self.rng.integers(4))
        mask = [mask[int(i)] for i in self.rng.permutation(len(mask))]
        x = self.sub(shape[:k] + (len(mask),) + shape[k + 1:], depth, kinds)
        self.note('mask')
        if self.chance(0.4):
            return f"compress({mask}, {x}, axis={k})"
        return f"{x}[{', '.join([':'] * k + [str(mask)])}]"

    def index_set(self, shape, depth, kinds):
        k = int(self.rng.integers(len(shape)))
        if not shape[k]:
            raise IndexError
        at = self.some(int(self.rng.integers(1, 5)), shape[k])
        if k and self.chance(0.5):
            idx, r = f"(..., {', '.join([str(at)] + [':'] * (len(shape) - 1 - k))})", \
                shape[:k] + (len(at),) + shape[k + 1:]
        else: # the axes up to k, element by element
            idx = ''.join(f"{[j % n for j in at] if n else [0]}, " for n in shape[:k + 1])
            idx, r = f"({idx[:-1]})", (len(at),) + shape[k + 1:]
        v = self.pick(['0', '1']) if self.chance(0.3) else self.sub(self.part_of(r), depth, kinds)
        self.note('set')
        return f"set_at({self.sub(shape, depth, kinds)}, {idx}, {v})"

    def index_add(self, shape, depth, kinds):
        if 'i' not in kinds or not shape[0]:
            raise IndexError
        at = self.some(int(self.rng.integers(1, 9)), shape[0])
        self.note('add_at')
        v = self.sub(self.part_of((len(at),) + shape[1:]), min(depth, 2), 'i')
        return f"add_at({self.sub(shape, depth, 'i')}, {at}, {v})"

    def index_put(self, shape, depth, kinds):
        k = int(self.rng.integers(len(shape)))
        one = shape[:k] + (1,) + shape[k + 1:]
        if not shape[k]:
            raise IndexError
        i = f"{self.sub(one, min(depth, 2), 'iu')} % {shape[k]}"
        self.note('put_along_axis')
        return f"put_along_axis({self.sub(shape, depth, kinds)}, {i}, {self.sub(one, depth, kinds)}, {k})"

    def index_true(self, shape, depth, kinds):
        """How many are true depends on the values: only a count of them has a known shape."""
        if 'i' not in kinds or shape:
            raise IndexError
        x = self.sub(tuple(self.pick([1, 3, 8, 65]) for _ in range(int(self.rng.integers(1, 3)))), depth, 'biuf')
        self.note('nonzero')
        return self.pick([f"flatnonzero({x}).sum()", f"argwhere({x}).sum()", f"count_nonzero({x})"])
