#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_stencils.py - stencils and joins of large arrays, with kernels as for GPUs (rows of points, loads that share an
# address, work-items without conditions), against NumPy, bit by bit: all values are whole numbers. The extents are
# such that a kernel has that form, and just too small for it.
import os

os.environ.setdefault('GND_KERNEL_SHAPE', 'gpu')
import pytap as t  # noqa: E402
from pytap import gnd, np  # noqa: E402

rng = np.random.default_rng(int(os.environ.get('GND_TEST_SEED', '5')))


def heat(x, lib):
    v = x.copy()
    v[1:-1, 1:-1] = x[:-2, 1:-1] + 2 * x[2:, 1:-1] + 3 * x[1:-1, :-2] + 4 * x[1:-1, 2:] - 5 * x[1:-1, 1:-1]
    return v


def square(x, lib, k=2):
    """(k + 1) x (k + 1) points, the views of x in no order."""
    m, n = x.shape
    at = [(i, j) for i in range(k + 1) for j in range(k + 1)]
    return sum((1 + s) * x[i:m - k + i, j:n - k + j] for s, (i, j) in enumerate(at[::2] + at[1::2]))


def far(x, lib):
    """Shifts by 8, which are shared, and by 9, which are not."""
    return x[9:-9, 9:-9] + x[1:-17, 9:-9] * 2 + x[17:-1, 9:-9] * 3 + x[9:-9, 1:-17] * 4 + x[9:-9, 18:] * 5 + x[:-18, 9:-9] * 6


def back(x, lib):
    y = x[::-1, ::-2]
    return y[1:, 1:] + y[:-1, 1:] * 2 + y[1:, :-1] * 3 + y[:-1, :-1] * 4


def two(x, lib):
    """Stencils of two arrays, and a factor for each row."""
    y = x * 1
    lib.evaluate(y) if lib is gnd else None
    return (x[:-2, 1:] + x[1:-1, 1:] + x[2:, 1:] + x[2:, :-1] - y[:-2, 1:] * y[1:-1, :-1] - y[2:, :-1] * y[2:, 1:]) * x[2:, :1]


def flat(x, lib):
    """One axis, with shifts of whole rows."""
    return x[:-3] + x[1:-2] * 2 + x[2:-1] * 3 + x[3:] * 4


def gradient(x, lib):
    g, h = lib.gradient(x * 2)
    return g * g + h


def life(x, lib):
    n = lib.roll(x, 1, 0) + lib.roll(x, -1, 0) + lib.roll(x, 1, 1) + lib.roll(x, -1, 1)
    return lib.where((n == 3) | ((n == 2) & (x == 1)), 1, 0)


def thin(x, lib):
    """A box of one row, and of one column, in the middle of others."""
    m, n = x.shape[0] // 2, x.shape[1] // 2
    y = lib.concatenate([x[:m], x[:1] * 7, x[m:]], axis=0) * 3
    z = lib.concatenate([x[:, :n + 1], x[:, :1] + 5, x[:, n + 1:]], axis=1)
    return y[1:] + z[:, 1:]


def pads(x, lib):
    return lib.pad(x, ((2, 3), (1, 4))) * 2 + lib.pad(x, ((1, 4), (5, 0)), mode='edge') - lib.pad(x, ((4, 1), (2, 3)), mode='reflect')


def rows(x, lib):
    """Rolls along an axis that an array does not have."""
    y = lib.broadcast_to(x[1], x.shape)
    return lib.roll(y, 1, 0) + x * lib.roll(y, 2, 1) + lib.roll(lib.broadcast_to(x[:, :1], x.shape), 3, 1)


def wrapped(x, lib):
    """A stencil of rolled arrays, whose joins shift indices."""
    y = lib.roll(lib.roll(x, 3, 0), -5, 1)
    return y[1:, :-1] + y[:-1, 1:] * 2 + y[1:, 1:] * 3 + y[:-1, :-1] * 4


def test_values():
    for shape in ((131, 2011), (95, 2803), (350, 768), (351, 767), (1024, 259)):
        a = rng.integers(0, 4, shape)
        for k, form in enumerate((heat, square, far, back, two, flat, gradient, life, thin, pads, rows, wrapped)):
            dtype = ('float32', 'int32', 'float64', 'float32', 'int16')[k % 5]
            n = a.astype(dtype)
            want = form(n, np)
            got = gnd.asnumpy(form(gnd.asarray(n), gnd))
            t.ok(got.shape == want.shape and np.array_equal(got, want), f'{form.__name__} of {shape} {dtype}')


def test_deep():
    a = rng.integers(0, 4, (3, 130, 811)).astype('float32')
    for form in (lambda x, lib: x[:, 1:-1, 1:-1] + x[:, :-2, 1:-1] * 2 + x[:, 2:, :-2] * 3 + x[:, 1:-1, 2:] * 4,
                 lambda x, lib: lib.roll(x, (1, 2, 3), (0, 1, 2)) + x,
                 lambda x, lib: lib.pad(x, 1, mode='edge')[1:, 1:, 1:] * 2):
        t.ok(np.array_equal(gnd.asnumpy(form(gnd.asarray(a), gnd)), form(a, np)), 'three axes')


def test_lags():
    """Views with a shift that changes from call to call are one kernel, which is compiled once."""
    a = rng.integers(0, 4, (130, 2100)).astype('float32')
    x, device = gnd.asarray(a), gnd.Device()
    good = True
    for k in range(1, 13, 2):
        good &= np.array_equal(gnd.asnumpy(x[:, k:] * x[:, :-k] + 1), a[:, k:] * a[:, :-k] + 1)
        if k == 1:
            before = device.stats()['kernels_built'] + device.stats()['kernels_from_disk']
    after = device.stats()['kernels_built'] + device.stats()['kernels_from_disk']
    t.ok(good and after == before, f'six lags: {after - before} kernels after the first')


t.run([test_values, test_deep, test_lags])
