#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_views.py - NumPy's mutation over gnd's values: random programs of views, writes through them and reads, the same
# in NumPy; and what is a view. Prints its seed; GND_TEST_SEED sets it.
import gc
import itertools
import os
import random
import weakref

import pytap as t
from pytap import gnd, np

SEED = int(os.environ.get('GND_TEST_SEED', '1'))


def some_slice(r, n):
    a, b = sorted((r.randint(0, n), r.randint(0, n)))
    return r.choice([slice(None), slice(a, b), slice(None, None, -1), slice(a, None, 2), slice(b, a, -1),
                     slice(-n, None, 3), slice(None, -1)])


def some_view(r, shape):
    """A function that makes a view of an array of that shape."""
    kind = r.randrange(6)
    if kind == 0 and shape:
        key = tuple(some_slice(r, n) if r.random() < 0.7 or n == 0 else r.randrange(-n, n) for n in shape)
        return lambda a: a[key + (...,)]
    if kind == 1:
        return lambda a: a.T
    if kind == 2 and shape:
        axes = list(range(len(shape)))
        r.shuffle(axes)
        return lambda a: a.transpose(axes)
    if kind == 3:
        at = r.randrange(len(shape) + 1)
        return lambda a: a[(slice(None),) * at + (None,)]
    if kind == 4:
        return lambda a: a.reshape(-1)
    n = int(np.prod(shape))
    d = r.choice([i for i in (1, 2, 3, 4) if n % i == 0])
    return lambda a: a.reshape((d, n // d))


def one_program(r):
    """Steps on a pair of arrays, gnd's and NumPy's; the first that differs, or None."""
    shape = tuple(r.choice([0, 1, 2, 3, 4, 6]) if r.random() < 0.2 else r.choice([2, 3, 4, 6]) for _ in range(r.randint(1, 3)))
    base = np.arange(int(np.prod(shape)), dtype=r.choice(['float64', 'int32', 'float32'])).reshape(shape)
    pairs = [(gnd.asarray(base), base.copy())]
    steps = [f'arange {shape}']
    for _ in range(12):
        g, n = r.choice(pairs)
        kind = r.randrange(5)
        if kind <= 1 and n.ndim < 6:
            f = some_view(r, n.shape)
            pairs.append((f(g), f(n)))
            steps.append(f'view {n.shape} -> {pairs[-1][1].shape}')
        elif kind == 2:
            v = r.randrange(100)
            g[...] = v
            n[...] = v
            steps.append(f'{n.shape} = {v}')
        elif kind == 3:
            key = tuple(some_slice(r, k) for k in n.shape) or ...
            g[key] += 3
            n[key] += 3
            steps.append(f'{n.shape}[{key}] += 3')
        else:
            og, on = r.choice(pairs)
            try:
                n[...] = on + 1
            except ValueError:
                continue
            g[...] = og + 1
            steps.append(f'{n.shape} = {on.shape} + 1')
    for i, (a, b) in enumerate(pairs):
        if not t.same(a, b):
            return steps + [f'array {i}: got {a.asnumpy()}, wanted {b}']
    return None


def test_programs():
    r = random.Random(SEED)
    for batch in range(2):
        bad = next((s for s in (one_program(r) for _ in range(20)) if s), None)
        if not t.ok(bad is None, f'20 random programs of views and writes, batch {batch} of seed {SEED}'):
            t.say('\n'.join(map(str, bad)))


def test_views():
    x = gnd.arange(12.).reshape(3, 4)
    y = x[1:]
    y[0] = 5
    t.is_(x, np.array([[0, 1, 2, 3], [5, 5, 5, 5], [8, 9, 10, 11.]]), 'y = x[1:]; y[0] = 5 changes x')
    x.T[0, 0] = -1
    t.is_(x[0, 0], np.float64(-1), 'so does x.T[0, 0] = -1')
    t.ok(x[[0, 1]].base is None and (x + 1).base is None and x[0, 0].base is None, 'copies have no base')
    t.ok(x.T.reshape(-1).base is None and x[:, 1:].reshape(-1).base is None, 'reshapes that NumPy copies are copies')
    t.ok(x[1:].reshape(-1).base is not None, 'a reshape of whole rows is a view')
    z = gnd.asarray(np.array([1 + 2j, 3 - 1j]))
    z.real[:] = 7
    z.imag += 1
    t.is_(z, np.array([7 + 3j, 7 + 0j]), 'the parts of complex numbers are views')
    for row in x:
        row += 1
    t.is_(x[0], np.array([0, 2, 3, 4.]), 'rows met by iteration are views')
    x[1:] = x[:-1]
    t.is_(x[2], np.array([6, 6, 6, 6.]), 'an assignment that overlaps takes the old elements')
    t.raises(ValueError, lambda: gnd.broadcast_to(x, (2, 3, 4)).__setitem__(0, 1), 'a broadcast view is read-only',
             'read-only')
    s = gnd.asarray(np.arange(5))
    t.raises(TypeError, lambda: s.__iadd__(1.5), 'int += float is an error', 'same_kind')
    a = gnd.zeros(3)
    gnd.add(gnd.ones(3), 1, out=a[::-1])
    t.is_(a, np.full(3, 2.), 'out= writes through a view')


def views(m):
    """For each function of one array: its result for a 3 by 3 array."""
    lib = np.lib if m is np else m.lib
    return {
        'diagonal': lambda x: m.diagonal(x, 1), 'diag': lambda x: m.diag(x, -1), 'trim': lambda x: m.trim_zeros(x[0]),
        'windows': lambda x: lib.stride_tricks.sliding_window_view(x[::2], (2, 2)),
        'windows of one axis twice': lambda x: lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(-1, 1)),
        'atleast_1d': m.atleast_1d, 'atleast_2d': lambda x: m.atleast_2d(x[0]), 'atleast_3d of a vector': lambda x: m.atleast_3d(x[0]),
        'atleast_3d': m.atleast_3d, 'rot90': m.rot90, 'rot90 twice': lambda x: m.rot90(x, 2), 'rot90 back': lambda x: m.rot90(x, -1, (1, 0)),
        'rollaxis': lambda x: m.rollaxis(x, 1), 'rollaxis to the end': lambda x: m.rollaxis(x[None], 0, 3),
        'imag of floats': lambda x: x.imag, 'broadcast_to': lambda x: m.broadcast_to(x, (2, 3, 3)),
        'astype': lambda x: x.astype(x.dtype, copy=False), 'squeeze': lambda x: m.squeeze(x[:1]), 'flip': m.flip,
        'a view of a view that is read-only': lambda x: m.diagonal(x)[1:], 'moveaxis': lambda x: m.moveaxis(x, source=0, destination=1),
        'meshgrid': lambda x: m.meshgrid(x[0], x[1], copy=False, sparse=True)[1], 'sort': m.sort, 'conj': lambda x: x.conj(),
    }


def test_sharing():
    """What shares memory with its argument, what can be written, and what is seen of it on either side."""
    def seen(m, name):
        x = m.asarray(np.arange(1., 10).reshape(3, 3))
        y = views(m)[name](x)
        out = [m.shares_memory(x, y), y.flags.writeable]
        try:
            y[0] = 99
            out.append(True)
        except ValueError:
            out.append(False)
        x[1] = 5
        return [tuple(map(bool, out)), y.strides, np.asarray(x).tolist(), np.asarray(y).tolist()]
    for name in views(np):
        want, got = seen(np, name), seen(gnd, name)
        if not t.ok(got == want, f'{name}: shared, writeable, and what is seen of writes'):
            t.say(f'got {got}\nwanted {want}')
    x = gnd.asarray(np.arange(4.).reshape(2, 2))
    a, b = gnd.unstack(x, axis=1)
    b += 10
    gnd.linalg.diagonal(x)
    t.is_(x, np.array([[0, 11], [2, 13.]]), 'unstack makes views')
    t.raises(ValueError, lambda: gnd.linalg.diagonal(x).fill(0), 'linalg.diagonal is read-only', 'made by diagonal')
    t.ok(gnd.astype(x, x.dtype, copy=False) is x, 'astype(copy=False) gives the array itself')
    for bad in (((2, 2), 0), ((4, 1), None), ((-1, 1), None), ((1, 1), (0, 2))):
        t.raises(ValueError, lambda: gnd.sliding_window_view(x, *bad), f'sliding_window_view {bad}')
    f = gnd.arange(4.)
    want = np.arange(4.)
    f.view('float32')[...] = f.view('int32')
    want.view('float32')[...] = want.view('int32').copy()
    t.is_(f, want, 'an assignment from a view of another dtype casts')


def test_order():
    x, k = gnd.arange(120.).reshape(4, 5, 6), gnd.arange(120).reshape(4, 5, 6)
    n, m = x.asnumpy(), k.asnumpy()
    for p in itertools.permutations(range(3)):
        t.is_(x.transpose(p) * 2 - x.transpose(p) ** 2, n.transpose(p) * 2 - n.transpose(p) ** 2, f'maps of axes {p}')
        t.is_(gnd.where(k.transpose(p) > 50, x.transpose(p), 1 / (1 + k.transpose(p))),
              np.where(m.transpose(p) > 50, n.transpose(p), 1 / (1 + m.transpose(p))), f'where, of two dtypes, of axes {p}')
        t.is_((x + k).transpose(p)[::-1, None] + 1 + x.transpose(p)[0], (n + m).transpose(p)[::-1, None] + 1 + n.transpose(p)[0],
              f'and of other views of axes {p}')
    y = x.transpose(2, 0, 1) + 1
    gnd.evaluate(y)
    for f in (gnd.ascontiguousarray, np.from_dlpack, np.asarray, lambda a: np.asarray(memoryview(a.tobytes())).view('f8').reshape(6, 4, 5)):
        t.ok((np.asarray(f(y)) == n.transpose(2, 0, 1) + 1).all() and np.asarray(f(y)).flags.c_contiguous, 'and C order for others')
    t.is_((x.transpose(1, 0, 2)[:, None] + x[0, :1]).sum(axis=2), (n.transpose(1, 0, 2)[:, None] + n[0, :1]).sum(axis=2), 'with a broadcast')
    t.is_(x[:, :0].transpose(2, 1, 0) + 1, n[:, :0].transpose(2, 1, 0) + 1, 'of nothing')


def test_flags():
    x = gnd.ones((2, 3))
    old, row = x.flags, x[0]
    t.ok(str(old) == str(np.ones((2, 3)).flags) and all(old[k] == np.ones((2, 3)).flags[k] for k in (
        'C', 'F', 'O', 'W', 'A', 'X', 'B', 'CA', 'FA', 'FNC', 'FORC', 'CARRAY', 'CONTIGUOUS')), 'flags print and have the names of NumPy')
    t.ok(old == gnd.ones((2, 3)).flags and old.contiguous and old.aligned and old.behaved and not old.writebackifcopy, 'and attributes')
    t.raises(KeyError, lambda: old['Q'], 'a flag that is not there')
    t.raises(AttributeError, lambda: setattr(old, 'owndata', False), 'a flag that cannot be set')
    x.flags.writeable = False
    t.ok(not old.writeable and not x[1:].flags.writeable and row.flags.writeable, 'writeable is of an array, and of views made of it')
    for name, f in (('an element', lambda: x.__setitem__(0, 1)), ('fill', lambda: x.fill(2)), ('sort', lambda: x.sort()),
                    ('+=', lambda: x.__iadd__(1)), ('out=', lambda: gnd.add(x, 1, out=x)), ('copyto', lambda: gnd.copyto(x, 2)),
                    ('put', lambda: x.put([0], 2)), ('a view', lambda: x.T.__setitem__(0, 1))):
        t.raises(ValueError, f, f'{name} of an array that is read-only', 'read-only')
    t.raises(ValueError, lambda: setattr(x[0].flags, 'writeable', True), 'its views stay so', 'a view of an array')
    t.raises(ValueError, lambda: gnd.broadcast_to(x, (2, 2, 3)).setflags(write=True), 'what has no memory of its own, too', 'broadcast_to')
    t.raises(ValueError, lambda: x.setflags(align=False), 'setflags: other flags', 'only write')
    t.ok(x.copy().flags.writeable and (x + 1).flags.writeable, 'copies and results can be written')
    row[0] = 7
    x.setflags(write=True)
    x[1] = 2
    t.is_(x, np.array([[7, 1, 1], [2, 2, 2.]]), 'and the array again when the flag is set')


def test_memory():
    x = gnd.zeros((64, 64))
    x[1:-1, 1:-1] += 1
    x.wait()
    before = x.device.stats()
    for _ in range(300):
        x[1:-1, 1:-1] += 1
    x.wait()
    after = x.device.stats()
    t.is_(x[3, 3], np.float64(301), '300 updates of a view')
    t.ok(after['bytes_in_use'] <= before['bytes_in_use'] + 4 * x.nbytes and after['arrays'] <= before['arrays'] + 64,
         'they leave no memory behind')
    y = gnd.arange(100001.)
    for _ in range(100000):
        y = y[1:]
    t.is_(y, np.array([100000.]), '100000 slices of slices')
    gone = weakref.ref(y)
    del y
    gc.collect()
    t.ok(gone() is None, 'and they go')


t.run([test_views, test_sharing, test_order, test_flags, test_memory, test_programs])
