#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_folds.py - reduce, accumulate, reduceat and at of the ufuncs, against NumPy: random shapes, axes, indices, dtypes.
import os
import random

import pytap as t
from pytap import gnd, np

ALL = bool(os.environ.get('GND_TEST_ALL'))
OPS = '''add multiply maximum minimum fmax fmin logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor gcd
lcm hypot'''.split() if ALL else ('multiply', 'fmax', 'logical_xor', 'gcd')
INTS = ('bitwise_and', 'bitwise_or', 'bitwise_xor', 'gcd', 'lcm')


def values(r, op, shape):
    dtype = r.choice(('int64', 'int32', 'uint8', 'bool')) if op in INTS else r.choice(('int32', 'float64', 'float32', 'bool'))
    if dtype == 'bool' and op in ('gcd', 'lcm', 'hypot'):
        dtype = 'int32'
    x = np.random.default_rng(r.randrange(1000)).integers(0 if dtype[0] == 'u' else -4, 5, shape)
    x = x > 0 if dtype == 'bool' else x.astype(dtype)
    if dtype[0] == 'f' and x.size and r.random() < .3:
        x.reshape(-1)[r.randrange(x.size)] = np.nan
    return x


def compare(name, f, *args):
    try:
        with np.errstate(all='ignore'):
            want = f(np, *args)
    except (ValueError, IndexError, TypeError) as e:
        try:
            f(gnd, *args)
            return t.ok(False, f'{name}: {type(e).__name__} is wanted')
        except type(e):
            return True
    got = f(gnd, *args)
    good = t.same(got, want, 1e-5 if np.asarray(want).dtype.kind == 'f' else 0)
    if not good:
        t.ok(False, name)
        t.say(f'{args}\n{gnd.asnumpy(got)!r}\nwanted {np.asarray(want)!r}')
    return good


def test_random():
    r = random.Random(11)
    for op in OPS:
        good = True
        for _ in range(8 if ALL else 1):
            shape = tuple(r.choice((1, 2, 3, 7, 10)) for _ in range(r.choice((1, 1, 2, 3))))
            axis = r.randrange(-len(shape), len(shape))
            x, n = values(r, op, shape), shape[axis]
            if not ALL:  # each shape is kernels to compile
                x, n, shape, axis = values(r, op, (7, 3)), 7, (7, 3), 0
            index = [r.randrange(n) for _ in range(r.randrange(1, 6))]
            good &= compare(f'{op}.reduce', lambda xp: getattr(xp, op).reduce(xp.asarray(x), axis=axis))
            good &= compare(f'{op}.accumulate', lambda xp: getattr(xp, op).accumulate(xp.asarray(x), axis))
            good &= compare(f'{op}.reduceat', lambda xp: getattr(xp, op).reduceat(xp.asarray(x), index, axis))
            y = np.nan_to_num(values(r, op, (len(index),))).astype(x.dtype)

            def at(xp):
                a = xp.asarray(x.ravel().copy())
                getattr(xp, op).at(a, xp.asarray(index), xp.asarray(y))
                return a
            if op != 'hypot' or x.dtype.kind == 'f':
                good &= compare(f'{op}.at', at)
        t.ok(good, op)


def test_special():
    x = np.arange(24).reshape(4, 6)
    for name, f in {
            'all axes': lambda xp: xp.bitwise_xor.reduce(xp.asarray(x), axis=None),
            'two axes': lambda xp: xp.gcd.reduce(xp.asarray(x), axis=(0, 1), keepdims=True),
            'no elements': lambda xp: xp.bitwise_or.reduce(xp.asarray(x[:0])),
            'no elements of fmax': lambda xp: xp.fmax.reduce(xp.asarray(x[:0])),
            'out': lambda xp: xp.fmin.accumulate(xp.asarray(x), 1, out=xp.zeros((4, 6), dtype=x.dtype)),
            'dtype': lambda xp: xp.add.reduceat(xp.asarray(x), [0, 2], dtype=np.float32),
            'an index out of range': lambda xp: xp.add.reduceat(xp.asarray(x), [0, 4]),
            'no indices': lambda xp: xp.add.reduceat(xp.asarray(x), xp.asarray(np.array([], int))),
            'of one operand': lambda xp: xp.sin.reduceat(xp.asarray(x), [0])}.items():
        t.ok(compare(name, f), name)
    a, b = x.copy(), gnd.asarray(x)
    np.multiply.at(a, (slice(1, 3), [0, 0, 5]), 3)
    gnd.multiply.at(b, (slice(1, 3), gnd.asarray([0, 0, 5])), 3)
    t.is_(b, a, 'at with a tuple')
    t.raises(NotImplementedError, lambda: gnd.power.accumulate(b), 'the order of whose elements matters', 'power')
    t.raises(TypeError, lambda: gnd.hypot.at(b, [0], 2.5), 'a result that does not fit')


t.run([test_random, test_special])
