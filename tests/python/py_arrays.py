#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_arrays.py - gnd.ndarray: operators, indices, numbers, text, other libraries' protocols, errors; functions by name
# over dtypes against NumPy.
import copy
import inspect
import pickle
import subprocess
import sys

import pytap as t
from pytap import gnd, np

DTYPES = ['bool', 'uint8', 'int64', 'float32', 'complex128']
rng = np.random.default_rng(3)


def some(dtype, shape):
    x = rng.integers(0, 2 if dtype == 'bool' else 20, shape)
    return (x + (1j * x if dtype.startswith('complex') else 0)).astype(dtype)


def test_operators():
    binary = ['__add__', '__sub__', '__mul__', '__truediv__', '__floordiv__', '__mod__', '__pow__', '__and__', '__or__',
              '__xor__', '__lt__', '__le__', '__eq__', '__ne__', '__gt__', '__ge__', '__radd__', '__rsub__', '__rmul__']
    for d in DTYPES:
        a, b = some(d, (3, 4)), some(d, (4,)) + np.ones((), d)
        b = b.astype(d)
        cases = []
        for op in binary:
            for other in (b, 2):
                try:
                    with np.errstate(all='ignore'):
                        want = getattr(a, op)(other)
                except TypeError:
                    continue
                if want is NotImplemented or want.dtype == 'float16' or (d == 'bool' and op in ('__pow__',)):
                    continue
                got = getattr(gnd.asarray(a), op)(gnd.asarray(other) if other is b else other)
                # NumPy before 2 looks at the value of a Python number, later ones and gnd at its kind.
                if other is not b and np.lib.NumpyVersion(np.__version__) < '2.0.0':
                    want = want.astype(got.dtype)
                cases.append((op, type(other).__name__, got, want))
        gnd.evaluate(*(c[2] for c in cases))
        bad = [c for c in cases if not t.same(c[2], c[3], 1e-5)]
        if not t.ok(not bad, f'operators of {d}'):
            t.say(bad[:2])
    x = gnd.arange(6)
    t.is_(-x, -np.arange(6), 'negative')
    t.is_(abs(-x), np.arange(6), 'abs')
    t.is_(~x, ~np.arange(6), 'invert')
    t.is_(gnd.ones((2, 3)) @ gnd.ones((3, 2)), np.full((2, 2), 3.), 'matmul')
    q, r = divmod(x, 4)
    t.ok(t.same(q, np.arange(6) // 4) and t.same(r, np.arange(6) % 4), 'divmod')
    t.is_(np.arange(6) + x, 2 * np.arange(6), 'an array of NumPy + one of gnd is gnd\'s')
    t.ok(isinstance(np.float64(2) * x, gnd.ndarray), 'a scalar of NumPy * one of gnd too')


def test_indices():
    a = rng.random((5, 6, 3))
    x = gnd.asarray(a)
    keys = [2, -1, slice(1, 4), (slice(None, None, 2), 3), (..., 0), None, (1, None, slice(None), 2), ([0, 3], slice(1, 3)),
            (np.array([1, 2]), np.array([[0], [5]])), a > 0.5, (a[:, 0, 0] > 0.3, 1), (slice(4, 0, -2), ..., [2, 0]),
            (0, 0, 0), (), ...]
    for k in keys:
        t.is_(x[k], a[k], f'x[{k!r}]'.replace('\n', ' ')[:60])
    for k in keys:
        b, y = a.copy(), x.copy()
        b[k] = 9
        y[k] = 9
        t.is_(y, b, f'x[{k!r}] = 9'.replace('\n', ' ')[:60])
    far = (None, 10**30, -10**30, 2**63 - 1, -2**63, -2**63 + 1, 2)
    bad = [k for k in (slice(b, e, s) for b in far for e in far for s in (None, 1, -1, 10**30, -10**30, -2**63, 3))
           for at in (k, (k, [0, 2])) if not np.array_equal(gnd.asnumpy(x[at]), a[at])]
    t.ok(not bad, f'slices with numbers beyond 64 bits{bad[:3] or ""}')
    t.raises(ValueError, lambda: x[::0], 'a step of 0', 'slice step cannot be zero')
    t.raises(IndexError, lambda: x[7], 'an index out of range', 'out of bounds')
    t.raises(IndexError, lambda: x[0, 0, 0, 0], 'too many indices', 'too many indices')
    t.raises(IndexError, lambda: x[1.5], 'a float as an index')
    t.raises(ValueError, lambda: x.__setitem__(slice(0, 2), np.zeros((3, 3))), 'a value that does not broadcast')


def test_numbers():
    t.ok(int(gnd.asarray(3.7)) == 3 and float(gnd.asarray(2)) == 2.0 and complex(gnd.asarray(1j)) == 1j, 'int, float, complex')
    t.ok([1, 2, 3][gnd.asarray(1)] == 2, 'an index')
    t.ok(bool(gnd.asarray([1])) and not gnd.asarray(0), 'bool')
    t.raises(ValueError, lambda: bool(gnd.ones(2)), 'bool of many', 'ambiguous')
    t.raises(TypeError, lambda: float(gnd.ones(2)), 'float of many')
    t.raises(TypeError, lambda: len(gnd.asarray(1)), 'len of no dimension')
    t.raises(TypeError, lambda: hash(gnd.ones(2)), 'no hash')
    t.ok(gnd.arange(3).tolist() == [0, 1, 2] and gnd.arange(6).reshape(2, 3).item(1, 2) == 5, 'tolist, item')
    x = np.arange(6.).reshape(2, 3)
    t.ok(repr(gnd.asarray(x)) == repr(x) and str(gnd.asarray(x)) == str(x) and f'{gnd.asarray(1.5):.2f}' == '1.50',
         'text')
    y = gnd.asarray(x)
    t.ok((y.shape, y.ndim, y.size, y.itemsize, y.nbytes, y.strides) == (x.shape, 2, 6, 8, 48, x.strides) and
         y.T.strides == x.T.strides and y.dtype == x.dtype, 'what an array is')
    t.is_(pickle.loads(pickle.dumps(y)), x, 'pickle')
    z = copy.deepcopy(y)
    z[0] = 0
    t.is_(y, x, 'a deep copy is another array')
    t.ok(2.0 in y and 77 not in y, 'in')


def raises(kind, f):
    try:
        f()
    except kind:
        return True
    return False


def dlpack(x, g):
    shares = True
    try:
        y = gnd.from_dlpack(x, copy=False)
    except BufferError:
        shares = False  # the device does not work in host memory
    if shares:
        at = gnd._core._native(y)
        t.ok(at[1] == x.ctypes.data and at[4] == x.strides, 'from_dlpack: the same memory')
        t.is_(y + 1, x + 1, 'computes with it')
        y[0, 0] = 99
        t.ok(x[0, 0] != 99 and y[0, 0] == 99, 'writing to the array does not change it')
        back = gnd._core._from_dlpack(g.__dlpack__(max_version=(1, 0)), g.device, 2)
        t.ok(gnd._core._native(back)[1] == gnd._core._native(g)[1], '__dlpack__: the same memory')
        t.is_(gnd.from_dlpack(x[:, ::-1], copy=False), x[:, ::-1], 'any strides')
        odd = np.frombuffer(b'\0' * 17, 'uint8')[1:].view('float32')
        t.ok(raises(BufferError, lambda: gnd.from_dlpack(odd, copy=False)), 'memory that is not aligned')
    else:
        t.ok(raises(BufferError, lambda: g.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=False)), 'no host memory')
    copy = gnd.from_dlpack(x, copy=True)
    t.ok(gnd._core._native(copy)[1] != x.ctypes.data, 'from_dlpack: a copy')
    t.ok(raises(BufferError, lambda: g.__dlpack__(copy=False)), 'the older structure is a copy')
    t.ok(raises(BufferError, lambda: g.__dlpack__(dl_device=(10, 0))), 'another device')
    kind, index = g.__dlpack_device__()
    t.ok(kind == (2 if str(g.device).startswith('cuda') else 1) and index >= 0, '__dlpack_device__')
    t.ok(hasattr(g, '__cuda_array_interface__') == (kind == 2), '__cuda_array_interface__')
    if str(g.device).startswith('opencl'):
        t.ok(raises(TypeError, lambda: gnd.open_native('opencl')), 'open_native without a queue')
        own = gnd.open_native('opencl', queue=gnd._core._device_native(g.device)[3])
        t.is_(gnd.asarray(x, device=own) * 2, x * 2, 'open_native')


def test_other_libraries():
    x = np.arange(6, dtype='float32').reshape(2, 3)
    g = gnd.asarray(x)
    t.ok(np.array_equal(np.asarray(g), x) and isinstance(np.asarray(g), np.ndarray), '__array__')
    t.ok(isinstance(np.sin(g), gnd.ndarray) and isinstance(np.concatenate([g, g]), gnd.ndarray), 'NumPy\'s functions stay')
    t.is_(np.add.reduce(g), x.sum(axis=0), 'add.reduce')
    t.is_(gnd.from_dlpack(x), x, 'DLPack in')
    dlpack(x, g)
    if g.__dlpack_device__()[0] == 1:  # NumPy takes host memory alone
        t.ok(np.array_equal(np.from_dlpack(g), x), 'DLPack out')
    else:
        t.raises(BufferError, lambda: np.from_dlpack(g), 'DLPack out: NumPy refuses device memory')
    t.ok(g.__array_namespace__() is gnd and gnd.get_array_module(g) is gnd and gnd.get_array_module(x) is np, 'namespaces')
    big = x.astype('>f4')
    t.is_(gnd.asarray(big), x, 'the other order of bytes')
    t.is_(gnd.asarray(x.T), x.T, 'any strides')
    t.is_(gnd.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]), 'lists')
    t.is_(gnd.asarray([g[0], g[1]]), x, 'lists of arrays')
    d = gnd.Device('null:0')
    t.ok(g.device == gnd.Device() and gnd.zeros(3, device=d).device == d, 'device=')
    t.ok(gnd.zeros_like(g, device=d).device == d and gnd.astype(g, 'int32', device=d).device == d, 'device= beside an array')
    with d:
        t.ok(gnd.zeros(2).device == d, 'with a device')
    t.ok(gnd.zeros(2).device == gnd.Device(), 'and after')
    t.raises(RuntimeError, lambda: gnd.Device('opencl:nobody'), 'a device that is not there')


def test_functions():
    a = rng.random((4, 5)) + 0.5
    x = gnd.asarray(a)
    calls = ['sum(axis=0)', 'mean()', 'std(axis=1, keepdims=True)', 'max()', 'argmax(axis=1)', 'cumsum(axis=0)', 'prod()',
             'var(axis=0)', 'any()', 'all(axis=0)', 'round()', 'clip(0.6, 1.0)']
    for c in calls:
        t.is_(eval(f'x.{c}'), eval(f'a.{c}'), f'x.{c}', 1e-12)
    pairs = [('sort(v, axis=0)', 1), ('exp(v)', 1), ('linalg.inv(v[:4, :4])', 1), ('linalg.norm(v)', 1), ('fft.fft(v)', 1),
             ('concatenate([v, v])', 1), ('stack([v, v], axis=1)', 1), ('where(v > 1, v, 0)', 1), ('einsum("ij,kj->ik", v, v)', 1),
             ('transpose(v)', 1), ('swapaxes(v, 0, 1)', 1), ('moveaxis(v, 0, 1)', 1), ('squeeze(v[None])', 1), ('flip(v)', 1),
             ('pad(v, 1)', 1), ('roll(v, 2, axis=1)', 1), ('tile(v, 2)', 1), ('take(v, [0, 2], axis=1)', 1),
             ('histogram(v, 4)[0]', 1), ('linspace(0, 1, 7)', 1), ('arange(2, 9, 3)', 1), ('eye(3)', 1), ('full((2, 2), 7)', 1)]
    for text, _ in pairs:
        t.is_(eval('gnd.' + text, {'gnd': gnd, 'v': x}), eval('np.' + text, {'np': np, 'v': a}), text, 1e-10)
    q, r = gnd.linalg.qr(x)
    t.is_(q @ r, a, 'linalg.qr gives a tuple', 1e-12)
    t.ok(gnd.linalg.svd(x).S.shape == (4,), 'linalg.svd has names')
    t.ok('axis' in inspect.signature(gnd.sum).parameters and gnd.sum.__doc__, 'signatures and docstrings')
    t.ok('axis' in inspect.signature(gnd.ndarray.sum).parameters, 'of methods too')
    t.raises(TypeError, lambda: gnd.sum(x, axes=0), 'an unknown keyword', 'sum')
    t.raises(ValueError, lambda: gnd.ones((2, 3)) + gnd.ones(4), 'shapes that do not broadcast', 'add')
    t.raises(ValueError, lambda: gnd.sum(x, axis=5), 'an axis out of range', 'sum')
    t.raises(IndexError, lambda: gnd.sum(x, axis=5), 'which is an IndexError too, as NumPy\'s', 'sum')
    t.raises(ValueError, lambda: gnd.expand_dims(x, axis=7), 'an axis out of range of a view', 'expand_dims')
    t.ok(type(gnd.finfo(gnd.float32).eps) is float and gnd.finfo(x).dtype == np.float64 and gnd.iinfo('int8').max == 127,
         'finfo, iinfo')
    t.raises(np.linalg.LinAlgError, lambda: gnd.linalg.inv(gnd.zeros((2, 2))).asnumpy(), 'a singular matrix')
    t.raises(AttributeError, lambda: gnd.nobody, 'a name that is not there')


def test_random():
    gnd.random.seed(5)
    a = gnd.random.random(4)
    gnd.random.seed(5)
    t.is_(gnd.random.random(4), a.asnumpy(), 'a seed gives the same numbers')
    g, h = gnd.random.default_rng(7), gnd.random.default_rng(7)
    t.ok(np.array_equal(g.normal(size=3).asnumpy(), h.normal(size=3).asnumpy()), 'generators of one seed agree')
    t.ok(not np.array_equal(g.normal(size=3).asnumpy(), gnd.random.default_rng(8).normal(size=3).asnumpy()), 'of two not')


def test_alone():
    code = 'import sys, gnd; sys.exit(bool(gnd.Device and 0))'
    r = subprocess.run([sys.executable, '-c', code], env={**__import__('os').environ, 'GND_BACKEND_PATH': '/nowhere'})
    t.ok(r.returncode == 0, 'importing needs no device')
    code = ('import gnd, resource\nx = gnd.ones(10)\n'
            'for i in range(20000):\n    y = (x + i)[2:]\nm = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n'
            'for i in range(60000):\n    y = (x + i)[2:]\n'
            'n = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\nassert n < m + 2000, (m, n)\n'
            'assert x.device.stats()["arrays"] < 50')
    r = subprocess.run([sys.executable, '-c', code], env={**__import__('os').environ, 'GND_DEVICE': 'null:0'})
    t.ok(r.returncode == 0, '60000 operations leave no memory behind')
    code = ('import gnd\nfor dt in gnd.float32, gnd.float64:\n    x = gnd.linspace(0.1, 9, 5).astype(dt)\n'
            '    for f in (gnd.sinc, gnd.frexp, gnd.special.gamma, gnd.special.gammaln, gnd.special.digamma):\n'
            '        y = f(x)\n        [v.wait() for v in (y if isinstance(y, tuple) else (y,))]')
    r = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                       env={**__import__('os').environ, 'GND_CACHE': '0'})
    t.ok(r.returncode == 0 and not r.stderr, 'built-in functions compile at the first attempt, so PoCL prints nothing')
    t.say(r.stderr)


t.run([test_operators, test_indices, test_numbers, test_other_libraries, test_functions, test_random, test_alone])
