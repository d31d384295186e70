#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_cuda.py - kernels written in Python: each runs on the device and, thread by thread, in plain Python, with the same
# result; random ones too (a seed is printed; GND_TEST_SEED sets it). Then what they refuse, debug=True, reduce,
# vectorize.
import importlib.util
import math
import os
import random
import subprocess
import sys
import tempfile
import types as pytypes

import pytap as t
from pytap import gnd, np
from gnd import cuda

SEED = int(os.environ.get('GND_TEST_SEED', '1'))
OFFSET, SIZES = 3, (2, 5)


class Threads:
    """Plain Python's `cuda`: one thread after the other."""

    def __init__(self, block, thread, blocks, threads):
        at = [pytypes.SimpleNamespace(x=v[0], y=v[1], z=v[2]) for v in (block, thread, blocks, threads)]
        self.blockIdx, self.threadIdx, self.gridDim, self.blockDim = at
        self.local = pytypes.SimpleNamespace(array=lambda shape, dtype: np.zeros(shape, dtype))
        self.const = pytypes.SimpleNamespace(array_like=lambda a: a)
        self.atomic = pytypes.SimpleNamespace(
            add=self.add, max=lambda a, i, v: a.__setitem__(i, max(a[i], v)), sub=lambda a, i, v: self.add(a, i, -v))

    @staticmethod
    def add(a, i, v):
        old = a[i]
        a[i] += v
        return old

    def grid(self, n):
        g = [b * d + i for b, d, i in zip(*(tuple(vars(v).values()) for v in (self.blockIdx, self.blockDim, self.threadIdx)))]
        return g[0] if n == 1 else tuple(g[:n])

    def gridsize(self, n):
        g = [b * d for b, d in zip(vars(self.gridDim).values(), vars(self.blockDim).values())]
        return g[0] if n == 1 else tuple(g[:n])


def simulated(f, blocks, threads, *args):
    blocks, threads = ((tuple(v) + (1, 1))[:3] for v in (blocks, threads))
    with np.errstate(all='ignore'):
        for b in np.ndindex(blocks[::-1]):
            for i in np.ndindex(threads[::-1]):
                space = {**f.__globals__, 'cuda': Threads(b[::-1], i[::-1], blocks, threads)}
                pytypes.FunctionType(f.__code__, space, f.__name__, None, f.__closure__)(*args)


def both(name, f, blocks, threads, *args, tolerance=1e-12):
    """f on the device, on copies of args, and simulated: the arrays are the same."""
    mine = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    plain = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    cuda.jit(f)[blocks, threads](*mine)
    simulated(f, blocks, threads, *plain)
    same = all(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True) for a, b in zip(mine, plain)
               if isinstance(a, np.ndarray))
    if not t.ok(same, name):
        t.say(f'{mine}\n{plain}')


def flow(x, out, n):
    i = cuda.grid(1)
    if i >= out.size:
        return
    s = 0
    for k in range(n, -1, -2):
        if k == 3:
            continue
        s += x[k] * k
    j = 0
    while True:
        j += 1
        if j > i and j % 3 == 1 or j > 20:
            break
    a, b = i, -j
    a, b = b, a
    out[i] = s + j + (a // 3) * 100 + (a % 3) + (1 if 0 <= b < 4 else 2) + 7 / (i + 1) + 2 ** (b % 5)


def matrix(a, out):
    i, j = cuda.grid(2)
    if i < a.shape[0] and j < a.shape[1]:
        row = a[i]
        line = out[-1 - i]
        line[j] = row[-1 - j] + a[i, j] * len(a) + row.size + a.ndim + OFFSET * SIZES[1]
        line[j] += 1


def maths(x, out):
    i = cuda.grid(1)
    v = x[i]
    out[i] = math.sin(v) + math.exp(-v) * math.sqrt(abs(v)) + max(v, 0.5, 1) - min(v, i) + math.floor(v) + round(v, 1) \
        + math.atan2(v, 2.0) + float(int(v * 10)) + np.float32(v) + math.pi + (not v > 1) + math.hypot(v, 1) + math.log(v + 9)


def numbers(x, z, out):
    i = cuda.grid(1)
    c = z[i] * complex(0, 2) + 1
    c = c * c - z[i] / (1 + 2j)
    out[i] = c.real + c.imag * 2 + abs(c) + x[i] - x[(i + 1) % x.size]


def memory(x, hits, out):
    i = cuda.grid(1)
    w = cuda.local.array(4, np.float64)
    for k in range(4):
        w[k] = x[i] * k
    cuda.atomic.add(hits, i % 3, 1)
    cuda.atomic.max(hits, 3, i)
    out[i] = w[3] - w[1] + cuda.gridsize(1)


def test_both():
    x = np.random.default_rng(3).random(16) * 4 - 1
    both('loops, conditions, tuples, division', flow, (2,), (8,), np.arange(20) * 3, np.zeros(13), 9)
    both('two dimensions, rows, negative indices, globals', matrix, (2, 2), (3, 3), np.arange(20.).reshape(4, 5), np.zeros((4, 5)))
    both('functions', maths, (2,), (8,), x, np.zeros(16))
    both('complex numbers', numbers, (2,), (8,), np.arange(16, dtype='u1'), x + 1j * x[::-1], np.zeros(16))
    both('local memory, atomic operations', memory, (2,), (8,), x, np.zeros(4, 'i4'), np.zeros(16))


def expression(r, depth):
    # Comparisons become numbers: the sum of two of NumPy's bools is a bool, in Numba's rules an int.
    if depth == 0:
        return r.choice(['i', 'x[i]', 'y[i]', 'y[-1 - i]', 's', str(r.randint(-3, 9)), f'{r.random():.3f}'])
    a, b = expression(r, depth - 1), expression(r, depth - 1)
    return r.choice([f'({a} + {b})', f'({a} - {b})', f'({a} * {b})', f'({a} / (abs({b}) + 1))', f'({a} // (abs({b}) + 1))',
                     f'({a} % (abs({b}) + 1))', f'min({a}, {b})', f'({a} if {b} > 0 else {b})', f'abs({a})',
                     f'float({a} > {b} or {b} < 2)', f'math.sqrt(abs({a}))', f'float({a})', f'-({a})', f'int(1 < {a} <= {b})'])


def random_kernel(r, name):
    e = [expression(r, r.randint(1, 3)) for _ in range(4)]
    return (f'def {name}(x, y, out):\n    i = cuda.grid(1)\n    s = 0.0\n    for k in range({r.randint(1, 4)}):\n'
            f'        s += k * 0.5\n        if {e[0]} > s:\n            s -= {e[1]} / 64\n        elif k == 2:\n            break\n'
            f'    u, v = {e[2]}, i\n    out[i] = u + {e[3]} + v\n')


def test_random():
    r = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'random_kernels.py')
        names = [f'k{i}' for i in range(12)]
        with open(path, 'w') as f:
            f.write('import math\nfrom gnd import cuda\n' + '\n\n'.join(random_kernel(r, n) for n in names))
        spec = importlib.util.spec_from_file_location('random_kernels', path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for n in names:
            both(f'random kernel {n} of seed {SEED}', getattr(module, n), (1,), (8,), np.arange(8), np.linspace(-2, 3, 8), np.zeros(8),
                 tolerance=1e-9)


@cuda.jit
def add_kernel(x, y, out):
    idx = cuda.grid(1)
    if idx < x.shape[0]:
        out[idx] = x[idx] + y[idx]


@cuda.jit(device=True)
def ordered(a, b):
    if a > b:
        return b, a
    return a, b


@cuda.jit('void(float32[:], float32[:])')
def reverse(x, out):
    tile = cuda.shared.array(shape=(8,), dtype=cuda.float32)
    i = cuda.threadIdx.x
    tile[i] = x[cuda.blockIdx.x * cuda.blockDim.x + i]
    cuda.syncthreads()
    low, high = ordered(tile[i], tile[-1 - i])
    out[cuda.grid(1)] = high * 10 + low


def test_launch():
    n = 1000
    x = np.arange(n).astype(np.float32)
    threadsperblock = 128
    blockspergrid = (n + threadsperblock - 1) // threadsperblock
    d_x, d_y = cuda.to_device(x), cuda.to_device(2 * x)
    d_out = cuda.device_array_like(d_x)
    add_kernel[blockspergrid, threadsperblock](d_x, d_y, d_out)
    t.ok(np.array_equal(d_out.copy_to_host(), 3 * x), "Numba's add_kernel")
    host = np.zeros(n, np.float32)
    add_kernel[(blockspergrid,), (threadsperblock,), cuda.stream()](x, x, host)
    t.ok(np.array_equal(host, 2 * x), 'arrays of NumPy are copied there and back')
    add_kernel.forall(n)(d_x, d_x, d_out[::-1])
    t.is_(d_out, (2 * x)[::-1], 'forall, through a view')
    add_kernel[8, 128](d_x, d_x, d_x)
    t.is_(d_x, 2 * x, 'one array as all arguments')
    t.ok(len(add_kernel.cache) == 1 and 'GND_KERNEL' in add_kernel.inspect_source(), 'compiled once')
    out = cuda.device_array(16, np.float32)
    reverse[2, 8](x[:16], out)
    want = np.concatenate([np.maximum(b, b[::-1]) * 10 + np.minimum(b, b[::-1]) for b in (x[:8], x[8:16])])
    t.is_(out, want, 'shared memory and a device function with two results')
    total = cuda.reduce(lambda a, b: a + b)
    t.ok(total(np.arange(1000)) == 499500 and total(np.arange(5.), init=2) == 12, 'reduce')
    f = cuda.vectorize(['float32(float32, float32)'], target='gpu')(lambda a, b: a * b + 1)
    t.is_(f(gnd.asarray(x[:6]).reshape(2, 3), np.float32(2)), (x[:6] * 2 + 1).reshape(2, 3), 'vectorize')
    from gnd import kernel
    t.ok(kernel.jit is cuda.jit, 'gnd.kernel')
    code = 'import sys, gnd; assert "gnd.cuda" not in sys.modules; from gnd import cuda; assert gnd.cuda is cuda'
    t.ok(subprocess.run([sys.executable, '-c', code], env=os.environ).returncode == 0, 'loaded when it is used')


def test_programs():
    x = np.random.default_rng(SEED).random((1000, 1000))
    t.ok(np.allclose(gnd.asnumpy(gnd.sin(gnd.asarray(x))), np.sin(x), rtol=1e-14), 'the sine of a 1000 x 1000 array')
    path = os.path.join(os.environ['GND_SRCDIR'], 'python', 'examples', 'mandelbrot.py')
    spec = importlib.util.spec_from_file_location('mandelbrot', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    image, same, device, python = module.main(128, 192, 50, 8)
    t.ok(same and image.max() == 50, f'the Mandelbrot set, {python / device:.0f} times as fast as plain Python')


def unknown(a):
    i = cuda.grid(1)
    a[i] = undefined_name + i  # noqa: F821


def two_types(a):
    v = a[0]
    if v > 0:
        v = a
    a[0] = 1


def with_list(a):
    b = [1, 2]
    a[0] = len(b)


def outside(a):
    a[cuda.grid(1) + 1] = 1


def asserts(a):
    assert a[0] > 0, 'a is not positive'


def test_refused():
    a = gnd.zeros(4)
    for f, text in ((unknown, "name 'undefined_name' is not defined"), (two_types, 'a variable has one type'),
                    (with_list, 'List is not possible')):
        try:
            cuda.jit(f)[1, 4](a)
            t.ok(False, f.__name__)
        except TypeError as e:
            line = str(e).splitlines()
            t.ok(isinstance(e, cuda.TypingError) and text in line[0] and 'py_cuda.py", line' in line[1] and '^' in line[-1],
                 f'{f.__name__}: the line and a caret')
    t.raises(IndexError, lambda: cuda.jit(debug=True)(outside)[1, 4](a), 'debug: an index out of bounds',
             'index 4 is out of bounds for axis 0 with size 4')
    t.raises(AssertionError, lambda: cuda.jit(asserts, debug=True)[1, 1](gnd.zeros(1)), 'debug: assert', 'not positive')
    cuda.jit(debug=True)(outside)[1, 3](a)
    t.is_(a[1:], np.ones(3), 'debug: without an error')
    t.raises(ValueError, lambda: add_kernel(a, a, a), 'a kernel without a grid', '[blocks, threads]')
    t.raises(TypeError, lambda: add_kernel[1, 1](a, a), 'too few arguments', 'takes 3 arguments, 2 given')
    t.raises(TypeError, lambda: add_kernel[1, 1](a, a, 'x'), 'no argument for kernels')
    t.raises(TypeError, lambda: cuda.grid(1), 'grid outside')


t.run([test_both, test_random, test_launch, test_programs, test_refused])
