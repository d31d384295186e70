# SPDX-License-Identifier: BSD-3-Clause
#
# diff_sort.py - the reference's sorts with their bounds, and random expressions of them.
import numpy as np
import diff_fold as fold
from diff_model import LD, TINY, V, high, kind, lift


def flattened(x, axis):
    return (x.ravel(), 0) if axis is None else (x, axis)


def order(val, axis, descending):
    """The stable order along the axis, NaN last in both directions."""
    if descending:
        val = ~val if kind(val) in 'iub' else -val
    return np.argsort(val, axis=axis, kind='stable')


def certain(x, axis):
    """Whether the places of the elements of a row are: none of them has a bound but 0."""
    return np.broadcast_to(np.all(x.err == 0, axis=axis, keepdims=True), x.shape)


def sort(x, axis=-1, kind=None, order_=None, *, descending=False, stable=True):
    x, axis = flattened(lift(x), axis)
    i = order(x.val, axis, descending)
    val = np.take_along_axis(x.val, i, axis)
    if x.exact():
        return V(val)
    if val.dtype.kind != 'f':
        return V(val, np.where(certain(x, axis), LD(0), LD(np.inf)))
    # the k-th of what lies between lower and upper ends lies between the k-th of those
    h = high(x.val)
    low, top = np.sort(h - x.err, axis), np.sort(h + x.err, axis)
    if descending:
        low, top = np.flip(low, axis), np.flip(top, axis)
    mid = high(val)
    err = np.maximum(top - mid, mid - low) + TINY
    doubt = ~np.all(np.isfinite(x.err) & np.isfinite(h), axis=axis, keepdims=True)
    err = np.where(certain(x, axis), LD(0), np.where(doubt, LD(np.inf), err))
    return V(val, err)


def argsort(x, axis=-1, kind=None, order_=None, *, descending=False, stable=True):
    x, axis = flattened(lift(x), axis)
    val = order(x.val, axis, descending)
    return V(val, np.where(certain(x, axis), LD(0), LD(np.inf)))


def topk(x, k, axis=-1, largest=True, sorted=True):
    x, axis = flattened(lift(x), axis)
    cut = [slice(None)] * x.ndim
    cut[axis] = slice(0, k)
    return tuple(f(x, axis, descending=largest)[tuple(cut)] for f in (sort, argsort))


def partition(x, kth, axis=-1):
    """Only what is at kth has a place."""
    x, axis = flattened(lift(x), axis)
    y = sort(x, axis)
    at = np.zeros(x.shape[axis], bool)
    at[kth] = True
    shape = [1] * x.ndim
    shape[axis] = -1
    return V(y.val, np.where(at.reshape(shape), y.err, LD(np.inf)))


def lexsort(keys, axis=-1):
    keys = [lift(k) for k in keys]
    val = np.lexsort(tuple(k.val for k in keys), axis=axis)
    sure = np.logical_and.reduce([certain(k, axis) for k in keys])
    return V(val, np.where(sure, LD(0), LD(np.inf)))


fold.NAMES.update({'sort': sort, 'argsort': argsort, 'topk': topk, 'partition': partition,
                   'lexsort': lexsort, 'True': True, 'False': False})
V.sort, V.argsort = sort, argsort


def sorts(gen, shape, depth, kinds):
    """The text of a sort of that shape, by the generator's means (diff_gen.Gen)."""
    nd = len(shape)
    if not nd:
        raise IndexError
    k = int(gen.rng.integers(nd))
    axis = gen.pick(['', f', axis={k}', f', axis={k - nd}'])
    k = k if axis else nd - 1
    name = gen.pick(['sort', 'sort', 'sort', 'argsort', 'topk', 'partition', 'lexsort'])
    gen.note(name)
    if name == 'partition':
        if not shape[k]:
            raise IndexError
        x = gen.sub(shape, depth, 'biuf')
        c = int(gen.rng.integers(-shape[k], shape[k]))
        at = gen.pick([str(c), f"({c}, {shape[k] // 2})"])
        return f"partition({x}, {at}{axis})"
    if name == 'lexsort':
        n = gen.pick([1, 2, 3])
        return f"lexsort(({', '.join(gen.sub(shape, depth, 'biuf') for _ in range(n))},){axis})"
    if name == 'topk':
        full = shape[:k] + (shape[k] + gen.pick([0, 1, 3, 30]),) + shape[k + 1:]
        how = gen.pick(['', ', largest=False'])
        return f"topk({gen.sub(full, depth, 'biufc')}, {shape[k]}{axis}{how})[{gen.pick(['0', '0', '1'])}]"
    how = axis + gen.pick(['', '', ', descending=True', ", stable=False" if name == 'sort' else ''])
    if gen.chance(0.2) and nd == 1:
        n = shape[0]
        f = gen.pick([i for i in range(1, 9) if n % i == 0])
        return f"{name}({gen.sub((f, n // f), depth, 'biufc')}, axis=None)"
    x = gen.sub(shape, depth, kinds if name == 'sort' else 'biufc')
    return f"{name}({x}{how})" if gen.chance(0.7) else f"{x}.{name}({how[2:]})"
