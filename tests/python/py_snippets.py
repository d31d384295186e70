#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_snippets.py - ElementwiseKernel and ReductionKernel with CuPy's signatures, against NumPy: dtypes by letters,
# broadcasting, views, outputs that are given, raw arguments, axes, and what is refused.
import gc

import pytap as t
from pytap import gnd, np

RNG = np.random.default_rng(3)


def test_elementwise():
    diff = gnd.ElementwiseKernel('T x, T y', 'T z', 'z = (x - y) * (x - y)', 'squared_diff')
    for dtype in ('f4', 'i4', 'i8', 'u2'):
        a, b = (RNG.integers(0, 50, s).astype(dtype) for s in ((3, 1, 5), (4, 1)))
        t.is_(diff(gnd.asarray(a), gnd.asarray(b)), (a - b) * (a - b), f'{dtype}, broadcast')
    a = RNG.random((6, 7)).astype('f4')
    x = gnd.asarray(a)
    t.is_(diff(x[::-2, 1:], 2), (a[::-2, 1:] - 2) ** 2, 'a view and a number', 1e-6)
    t.is_(diff(x, y=3), (a - 3) ** 2, 'a parameter by its name', 1e-6)
    t.is_(gnd.sqrt(diff(x, 1)).sum(), np.abs(a - 1).sum(dtype='f4'), 'in an expression', 1e-5)
    t.is_(diff(x[:0], 1), a[:0], 'no elements')
    t.is_(diff(x[0, 0], 1), ((a[0, 0] - 1) ** 2).astype('f4'), 'of 0 axes', 1e-6)
    both = gnd.ElementwiseKernel('float32 x, int32 n', 'float32 y, bool big', 'y = x * n; big = y > 1', 'both')
    y, big = both(x, 3)
    t.is_(y, a * np.float32(3), 'two outputs: the first')
    t.is_(big, a * np.float32(3) > 1, 'and the second')
    anywhere = gnd.ElementwiseKernel('raw T x, raw T y, T f', 'raw T z', 'int j = n - 1 - i; z[j] = x[i] + y[i] * f + x.size()')
    t.is_(anywhere(gnd.arange(6.)[:4], gnd.ones(6)[::2], np.float64(2), size=3), np.array([8.0, 7.0, 6.0]), 'a raw output')
    h = gnd.zeros((2, 3), dtype=gnd.int32)
    count = gnd.ElementwiseKernel('T x', 'raw int32 h, T y', 'if (i > 3) h[i % 2 + 3] = (int)x; y = -x', 'count')
    got = count(gnd.arange(6.).reshape(2, 3), h[::-1], gnd.zeros((2, 3)))
    t.is_(h, np.array([[4, 5, 0], [0, 0, 0]], np.int32), 'a raw output through a view')
    t.is_(got[1], -np.arange(6.).reshape(2, 3), 'beside one that is not raw')
    t.raises(TypeError, lambda: count(gnd.arange(6.), h, gnd.zeros(6, dtype=gnd.float32)), 'two dtypes of one letter', 'y is float32')
    t.raises(ValueError, lambda: anywhere(gnd.ones(4), gnd.ones(4), 1.0), 'no size', 'Loop size is undecided')
    y = gnd.arange(4.)
    gnd.ElementwiseKernel('T x', 'T y', 'y += x')(gnd.ones(4), y)
    t.is_(y, np.arange(4.) + 1, 'an output that is given has its elements')
    gnd.ElementwiseKernel('T x', 'T y', 'if (i > 1) y = x')(gnd.zeros(4), y)
    t.is_(y, np.array([1.0, 2, 0, 0]), 'and keeps what is not assigned')
    ramp = gnd.ElementwiseKernel('raw T x, T f', 'T y', 'y = f * x[n - 1 - i]', 'ramp')
    t.is_(ramp(gnd.arange(6.)[::2], 2.0, size=3), np.array([8.0, 4.0, 0.0]), 'raw, with a size')
    helped = gnd.ElementwiseKernel('T x', 'T y', 'y = twice(x)', 'helped',
                                   preamble='static float twice(float v) { return 2 * v; }')
    t.is_(helped(x), 2 * a, 'a preamble')
    t.ok((diff.nin, diff.nout, diff.nargs, diff.name) == (2, 1, 3, 'squared_diff'), 'what it takes')


def test_outputs():
    copy = gnd.ElementwiseKernel('T x', 'U y', 'y = x', 'copy')
    whole = gnd.zeros((4, 6), dtype='float64')
    seen = whole[1]
    part = whole[1:3, ::2]
    got = copy(gnd.arange(6).reshape(2, 3), part)
    want = np.zeros((4, 6))
    want[1:3, ::2] = np.arange(6).reshape(2, 3)
    t.is_(whole, want, 'an output that is a view is written through')
    t.is_(seen, want[1], 'and what looks at the same sees it')
    t.ok(got is part, 'the output itself comes back')
    one = gnd.ElementwiseKernel('T x', 'T y', 'y = x', 'one', return_tuple=True)
    none = gnd.ElementwiseKernel('T x', 'T y', 'y = -x', 'none', no_return=True)
    z = gnd.zeros(3)
    t.ok(isinstance(one(z), tuple) and none(gnd.ones(3), z) is None, 'return_tuple and no_return')
    t.is_(z, -np.ones(3), 'what a kernel without a result wrote')


def test_reduction():
    norm = gnd.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'norm')
    a = RNG.random((5, 301, 3)).astype('f4')
    x = gnd.asarray(a)
    for axis in (None, 0, -1, (0, 2)):
        for keep in (False, True):
            t.is_(norm(x, axis=axis, keepdims=keep), np.sqrt((a * a).sum(axis=axis, keepdims=keep)),
                  f'axis {axis}, keepdims {keep}', 1e-5)
    t.is_(norm(x[:, :0], axis=1), np.zeros((5, 3), 'f4'), 'over no elements')
    dot = gnd.ReductionKernel('T x, T y', 'T z', 'x * y', 'a + b', 'z = a', '0', 'dot')
    t.is_(dot(x, x[::-1], axis=1), (a * a[::-1]).sum(axis=1), 'two inputs, a view', 1e-5)
    out = gnd.zeros((2, 5, 3), dtype='float32')
    row = out[1]
    t.ok(norm(x, out=row, axis=1) is row, 'out')
    t.is_(out[1], np.sqrt((a * a).sum(axis=1)), 'out has the result', 1e-5)
    wide = gnd.ReductionKernel('int8 x', 'int64 s', 'x', 'a + b', 's = a', '0', 'wide', reduce_type='int64')
    b = RNG.integers(-100, 100, 5000).astype('i1')
    t.is_(wide(gnd.asarray(b)), np.int64(b.sum(dtype='i8')), 'a type to reduce in')
    t.is_(norm(gnd.abs(x) - 1, axis=0), np.sqrt(((a - 1) ** 2).sum(axis=0)), 'of an expression', 1e-5)


def test_refused():
    add = gnd.ElementwiseKernel('T x, T y', 'T z', 'z = x + y', 'add')
    x, f = gnd.ones(4), gnd.ones(4, dtype='float32')
    t.raises(TypeError, lambda: add(x), 'too few', 'takes 2 inputs')
    t.raises(TypeError, lambda: add(x, f), 'two dtypes for a letter', 'float32')
    t.raises(ValueError, lambda: add(x, gnd.ones(3)), 'shapes that do not broadcast', '3')
    t.raises(TypeError, lambda: add(x, 'a'), 'a string', "class 'str'")
    t.raises(TypeError, lambda: add(x, x, w=1), 'an unknown name', "'w'")
    t.raises(ValueError, lambda: add(x, x, gnd.zeros(5)), 'an output of another shape', 'output 0')
    t.raises(RuntimeError, lambda: gnd.ElementwiseKernel('T x', 'T y', 'y = x;\n  y = zz;', 'bad')(x), 'what does not compile',
             'operation:2:7')
    t.raises(Exception, lambda: gnd.ElementwiseKernel('floot x', 'T y', 'y = x', 'bad'), 'an unknown type', 'floot')
    t.raises(NotImplementedError, lambda: gnd.ElementwiseKernel('T x', 'T y', 'y = x', loop_prep='int k;'), 'loop_prep')
    total = gnd.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0')
    t.raises(Exception, lambda: total(x, axis=1), 'an axis that is none', 'axis 1')


def test_leaks():
    kernels = [gnd.ElementwiseKernel('T x', 'T y', 'y = x + 1', 'again'),
               gnd.ReductionKernel('T x', 'T y', 'x', 'a + b', 'y = a', '0', 'again')]
    x = gnd.ones(100)

    def turn():
        for k in kernels:
            k(x)
            try:
                k(x, x, x)
            except TypeError:
                pass
        gnd.synchronize()
        gc.collect()
        return x.device.stats()['arrays']
    turn()
    t.ok(turn() == turn(), 'calls leave no array behind')


t.run([test_elementwise, test_outputs, test_reduction, test_refused, test_leaks])
