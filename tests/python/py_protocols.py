#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_protocols.py - what other libraries see of an array: the buffer protocol, __array_interface__
# (of devices in host memory), shares_memory, NumPy's protocols, bfloat16 by ml_dtypes where it
# is installed, the memory pool, the import, exceptions by kind, and
# build/run's interpreter.
import importlib.util
import io
import os
import random
import subprocess
import sys

import pytap as t
from pytap import gnd, np

TYPES = ('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32',
         'float64', 'complex64', 'complex128')
HOST = str(gnd.Device().info()['kind']).lower().startswith('cpu')


class Foreign:
    """What has an __array_interface__ and nothing else."""

    def __init__(self, x):
        self.x = x
        self.__array_interface__ = x.__array_interface__


def test_buffers():
    pick = random.Random(5)
    for name in TYPES:
        good = True
        for shape in ((), (0,), (1,), (7,), (2, 0, 3), (3, 5), (2, 3, 4)):
            a = np.array([pick.randrange(100) for _ in range(int(np.prod(shape)))]).astype(name).reshape(shape)
            x = gnd.asarray(a)
            b, c = np.asarray(x), np.asarray(Foreign(x) if HOST else x)
            m = memoryview(x)
            good &= t.same(b, a) and t.same(c, a) and b.flags.writeable and c.flags.writeable != HOST
            good &= m.shape == shape and m.itemsize == a.itemsize and m.nbytes == a.nbytes and bytes(m) == a.tobytes()
            good &= b.dtype is np.dtype(name)
        t.ok(good, f'buffers of {name}')
    x = gnd.asarray(np.arange(60.).reshape(3, 4, 5))
    w = np.arange(60.).reshape(3, 4, 5)
    for what, key in (('a slice', np.s_[1:, ::2]), ('reversed', np.s_[::-1, :, ::-2]), ('new axes', np.s_[:, None, 2]),
                      ('one element', np.s_[1, 2, 3:4])):
        t.is_(np.asarray(x[key]), w[key], f'{what}')
        t.is_(np.asarray(x[key].T), w[key].T, f'{what}, transposed')
    t.is_(np.asarray(gnd.broadcast_to(x[0, 0], (2, 5))), np.broadcast_to(w[0, 0], (2, 5)), 'broadcast')
    t.is_(np.asarray(x + x), w + w, 'what is pending is computed')


def test_snapshots():
    x = gnd.arange(6.)
    view, m = np.asarray(x), memoryview(x)
    other = np.asarray(Foreign(x)) if HOST else view
    x += 100
    x[1:3] = 7
    t.ok(view.tolist() == other.tolist() == m.tolist() == [0., 1., 2., 3., 4., 5.], 'writes do not show in what was given out')
    view[0] = 9
    m[1] = 9
    t.ok(x.tolist() == [100., 7., 7., 103., 104., 105.], 'nor the other way round')
    gnd.ones(6) * 3
    t.ok(not HOST or other.tolist() == [0., 1., 2., 3., 4., 5.], '__array_interface__ has the value that was')
    t.raises(TypeError, lambda: io.BytesIO(b'abc').readinto(gnd.zeros(3, dtype='uint8')), 'a writer is refused')
    if HOST:
        t.raises(ValueError, lambda: other.__setitem__(0, 1), '__array_interface__ is read-only')
        y = gnd.ones(5)
        t.ok(np.asarray(Foreign(y)).ctypes.data == np.asarray(Foreign(y)).ctypes.data and
             np.shares_memory(np.asarray(Foreign(y)), y), 'and shares memory')
    else:
        t.ok(not hasattr(gnd.ones(3), '__array_interface__'), 'a GPU has no __array_interface__')
    before = gnd.Device().stats()['arrays']
    for _ in range(50):
        np.asarray(gnd.ones(10) + 1)
        memoryview(gnd.ones(3)).release()
        getattr(gnd.ones(4), '__array_interface__', None)
    t.ok(gnd.Device().stats()['arrays'] <= before, 'they leave nothing')


def test_shares():
    """Random views of one array, and of NumPy's: the same pairs share memory."""
    pick = random.Random(3)
    steps = (lambda v: v.T, lambda v: v[1:], lambda v: v[..., ::-2], lambda v: v[:2, None], lambda v: v[None, -1:],
             lambda v: v.reshape(v.shape[::-1]))
    bad = shared = 0
    for _ in range(300):
        both = []
        a, x = np.zeros((4, 6)), None
        x = gnd.asarray(a)
        for _ in range(2):
            v, w = x, a
            for f in pick.sample(steps, pick.randrange(3)):
                if w.ndim > 1 and f(w).size and np.shares_memory(f(w), w):
                    v, w = f(v), f(w)
            both.append((v, w))
        (v1, w1), (v2, w2) = both
        for f in (np.shares_memory, np.may_share_memory):
            bad += f(v1, v2) != f(w1, w2)
            shared += f(w1, w2)
    t.ok(not bad and 100 < shared < 600, f'shares_memory, may_share_memory: {shared} of 600 pairs share, {bad} differ')
    z = gnd.ones(3, dtype='complex64')
    t.ok(not np.shares_memory(z.real, z.imag) and gnd.shares_memory(z.real, z), 'of parts')
    t.ok(not gnd.shares_memory(z, z + 0) and not np.shares_memory(z, np.ones(3)), 'of other arrays')


def test_foreign_types():
    x, words = gnd.ones(3), np.array(['a', 'b', 'c'])
    got = np.broadcast_arrays(x, None)
    t.ok(got[1].dtype == object and got[0].tolist() == [1., 1., 1.], "NumPy's functions with objects run on the host")
    t.ok(np.concatenate([words, words]).shape == (6,) and np.array_equal(words, x) is False, 'and with text')


def test_bfloat16():
    x = gnd.ones(3, dtype='bfloat16')
    if importlib.util.find_spec('ml_dtypes') is None:
        t.raises(TypeError, lambda: x.dtype, 'bfloat16 without ml_dtypes', 'install ml_dtypes')
        return
    import ml_dtypes
    a = np.array([1, 2.5, -3, np.inf], ml_dtypes.bfloat16)
    t.ok(gnd.asarray(a).dtype == a.dtype and (gnd.asnumpy(gnd.asarray(a)) == a).all(), 'bfloat16 there and back')
    t.ok((np.asarray(x) == np.ones(3)).all() and np.asarray(x).dtype == a.dtype, 'numpy.asarray')
    t.ok(not hasattr(x, '__array_interface__'), 'no __array_interface__')
    t.ok((gnd.asarray(a) * 2).dtype == a.dtype and gnd.asarray(a).astype('float32').dtype == np.float32, 'computing')
    t.ok(gnd.finfo('bfloat16').bits == 16 and gnd.zeros(2, dtype=ml_dtypes.bfloat16).dtype == a.dtype, 'finfo, dtype=')


def test_modules():
    x = gnd.ones(3)
    t.ok(gnd.get_array_module(x) is gnd and gnd.get_array_module(np.ones(3), x) is gnd and
         gnd.get_array_module(np.ones(3), 2) is np, 'get_array_module')
    t.ok(x.__array_namespace__() is gnd and x.__array_namespace__(api_version='2024.12') is gnd, '__array_namespace__')
    t.raises(ValueError, lambda: x.__array_namespace__(api_version='1999.1'), 'of an unknown version')

    @gnd.fuse
    def f(a, b):
        return a * b + 1

    @gnd.fuse(kernel_name='g')
    def g(a):
        return a + 1
    t.ok(f(x, 2).tolist() == [3.] * 3 and g(x).tolist() == [2.] * 3, 'fuse')
    t.ok('kernel' in gnd.explain(gnd.sin(x) + 1) and '{' in gnd.explain(gnd.sin(x) + 1, source=True), 'explain')


def test_pool():
    pool = gnd.get_default_memory_pool()
    n = pool.used_bytes()
    x = gnd.zeros(1 << 20, dtype='uint8') + 1
    x.wait()
    t.ok(pool.used_bytes() >= n + (1 << 20) and pool.total_bytes() >= pool.used_bytes() and
         pool.free_bytes() == pool.total_bytes() - pool.used_bytes(), 'used_bytes, total_bytes, free_bytes')
    pool.set_limit(size=pool.total_bytes() + (1 << 20))
    t.ok(pool.get_limit() > 1 << 20 and gnd.Device().stats()['bytes_limit'] == pool.get_limit(), 'get_limit')
    t.raises(MemoryError, lambda: (gnd.zeros(1 << 26, dtype='uint8') + 1).wait(), 'an array beyond the limit')
    pool.set_limit(size=0)
    t.ok((gnd.zeros(1 << 26, dtype='uint8') + 1).wait()[0] == 1, 'without limit there is room')
    del x
    pool.free_all_blocks()
    t.ok(pool.free_bytes() <= 1 << 26, 'free_all_blocks')
    pool.set_limit(fraction=0.5)
    t.ok(pool.get_limit() == gnd.Device().info()['memory'] // 2, 'a fraction')
    pool.set_limit(size=0)
    t.raises(ValueError, lambda: pool.set_limit(), 'set_limit of nothing')


def test_import():
    code = ('import sys, gnd; '
            'maps = open("/proc/self/maps").read(); print([n for n in ("gnd-opencl", "gnd-cuda", "libOpenCL", "libcuda", '
            '"libpocl") if n in maps], "einops" in sys.modules)')
    r = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    t.ok(r.stdout.strip() == '[] False', f'import gnd loads no plugin and no driver: {r.stdout.strip()}{r.stderr[-500:]}')
    r = subprocess.run([sys.executable, '-c', 'import gnd; d = gnd.devices(); x = gnd.ones(3, device="null:0") + 1; '
                        'print(x.shape, all(e["backend"] == "null" or e["reason"] for e in d))'], capture_output=True,
                       text=True, env={**os.environ, 'GND_BACKEND_PATH': '/nowhere', 'OCL_ICD_VENDORS': '/nowhere'})
    t.ok(r.stdout.startswith('(3,)'), f'and works without a driver{r.stderr[-500:]}')


def test_errors():
    """The same mistakes are the same kinds of exceptions, of gnd's text."""
    kinds = (IndexError, OverflowError, MemoryError, np.linalg.LinAlgError, AttributeError, TypeError, ValueError)

    def kind(text, xp):
        x = xp.arange(5.)
        names = {'xp': xp, 'x': x, 'i': xp.arange(5), 'm': xp.ones((2, 3))}
        try:
            np.asarray(eval(text, names))
        except Exception as e:
            return next((k for k in kinds if isinstance(e, k)), type(e)), str(e)
        return None, ''
    cases = '''x[7]; x[[1, 9]]; x[1.5]; x['a']; x[:, 0]; x[1, 2]; x.__setitem__(9, 1); x.__setitem__(slice(2), [1, 2, 3])
        xp.take(x, [7]); xp.reshape(x, (2, 3)); xp.sum(x, axis=3); xp.sum(x, axis='a'); x + xp.ones(3); x @ xp.ones(3)
        xp.stack([x, xp.ones(3)]); xp.concatenate([m, xp.ones((3, 2))]); xp.ones(-1); xp.sin(); xp.sin('a'); x.nosuch
        xp.linalg.inv(xp.zeros((2, 2))); xp.linalg.solve(xp.zeros((2, 2)), xp.ones(2)); xp.ones(3) | 1; x.__iadd__(1j)
        xp.linalg.cholesky(-xp.eye(2)); xp.max(xp.zeros(0)); xp.argmax(xp.zeros(0))
        bool(x); float(x); len(x[0, ...]); int(xp.asarray(float('nan'))); int(xp.asarray(float('inf'))); hash(x)
        xp.expand_dims(x, axis=5); xp.squeeze(m, axis=0); xp.moveaxis(m, 0, 5); xp.transpose(m, (0, 0)); xp.repeat(i, -1)
        xp.zeros((10**9, 10**9)) + 1; x.item(9); xp.full(3, 2**64, dtype='int64'); range(3)[x[0]]; xp.einsum('ij,jk', x, x)
        xp.broadcast_to(x, (2, 3)); xp.ones(3, dtype='nosuch'); xp.fft.fft(x, n=0); iter(x[0, ...])'''
    for text in cases.replace('\n', ';').split(';'):
        want, got = kind(text.strip(), np), kind(text.strip(), gnd)
        if not t.ok(want[0] is got[0] is not None and got[1], f'{text.strip()}: {getattr(want[0], "__name__", want[0])}'):
            t.say(f'NumPy: {want}\ngnd: {got}')


def test_interpreter():
    """`build/run python3` has NumPy though the first python3 on PATH is another."""
    run = os.path.join(os.environ['GND_BUILDDIR'], 'run')
    scratch = os.path.join(os.environ['GND_BUILDDIR'], 'scratch', f'py_protocols.{os.getpid()}')
    os.makedirs(scratch)
    fake = os.path.join(scratch, 'python3')
    with open(fake, 'w', encoding='ascii') as f:
        f.write('#!/bin/sh\necho another\nexit 3\n')
    os.chmod(fake, 0o755)
    env = {k: v for k, v in os.environ.items() if k not in ('VIRTUAL_ENV', 'PYTHONPATH', 'LD_LIBRARY_PATH')}
    path = scratch + ':/usr/bin:/bin'
    words = [run, 'python3', '-c', 'import gnd; print(gnd.sin(gnd.arange(3.)))']
    r = subprocess.run(words, capture_output=True, text=True, env={**env, 'PATH': path})
    t.ok(r.stdout.startswith('[0.') and r.returncode == 0, f"README's line: {r.stdout.strip()} {r.stderr[-300:]}")
    r = subprocess.run(words, capture_output=True, text=True, env={**env, 'PATH': path, 'VIRTUAL_ENV': scratch})
    t.ok(r.stdout.strip() == 'another', 'an active virtual environment is left alone')
    os.remove(fake)
    os.rmdir(scratch)


t.run([test_buffers, test_snapshots, test_shares, test_foreign_types, test_bfloat16, test_modules, test_pool, test_import, test_errors, test_interpreter])
