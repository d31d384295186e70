#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# diff_boxes.py - joins among elementwise operations and views, as random expressions against NumPy, bit by bit: pad
# in its modes, roll, concat, stack, tile, repeat, below slices, steps, flips, transpositions, reshapes, gathers, sums
# and extremes. All values are small whole numbers, so nothing rounds; some are NaN or infinite where a join leaves
# them out or moves them only.
#
#     build/run --test tests/diff/diff_boxes.py --seed 7 --cases 500 --device opencl:0
import argparse
import functools
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print('1..0 # SKIP no NumPy (Debian: python3-numpy)')
    sys.exit(0)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from diff_answers import parse              # noqa: E402

DTYPES = ['float32', 'float32', 'float32', 'float64', 'int32', 'int64', 'uint8', 'bool', 'float16', 'complex64']
PROGRAM = os.path.join(os.environ.get('GND_BUILDDIR', '.'), 'tests', 'diff', 'diff_driver')


class Case:
    """An expression with its value by NumPy. All arrays of a case have one dtype."""

    def __init__(self, rng, folder, number):
        self.rng, self.folder, self.number, self.files = rng, folder, number, {}
        self.dtype = np.dtype(rng.choice(DTYPES))
        self.wide = rng.random() < 0.35     # rows long enough for a CPU's way with conditions
        self.finite = rng.random() < 0.8

    def one_of(self, *what):
        return what[self.rng.integers(len(what))]

    def num(self, lo, hi):
        return int(self.rng.integers(lo, hi + 1))

    def leaf(self, shape):
        name = f'x{len(self.files)}'
        v = self.rng.integers(0, 2 if self.dtype == bool else 5, shape).astype(self.dtype)
        if not self.finite and self.dtype.kind in 'fc' and v.size:
            v.flat[self.num(0, v.size - 1)] = self.one_of(np.nan, np.inf)
        path = os.path.join(self.folder, f'{self.number}-{name}.npy')
        np.save(path, v)
        self.files[name] = path
        return name, v

    def shape(self):
        n = self.one_of(1, 1, 2, 2, 2, 3, 0)
        s = [self.num(1, 6) for _ in range(n)]
        if n and self.wide:
            s[-1] = self.num(130, 300)
        if n and self.rng.random() < 0.04:
            s[self.num(0, n - 1)] = 0
        return tuple(s)

    def value(self, shape, depth):
        """Text and value of that shape."""
        if depth <= 0:
            return self.leaf(shape)
        how = self.one_of('op', 'op', 'op', 'roll', 'roll', 'pad', 'pad', 'pad', 'concat', 'concat', 'view', 'view', 'stack',
                          'tile', 'repeat', 'repeated', 'reshape', 'take', 'same')
        return getattr(self, how)(shape, depth - 1) or self.op(shape, depth - 1)

    def op(self, shape, depth):
        a, x = self.value(shape, depth)
        b, y = self.value(shape if self.rng.random() < 0.8 else shape[self.num(0, len(shape)):], depth)
        if self.dtype == bool:
            f, s = self.one_of((np.logical_and, '&'), (np.logical_or, '|'), (np.not_equal, '!='))
            return f'(({a}) {s} ({b}))', f(x, y)
        if self.rng.random() < 0.3:
            return f'maximum({a}, {b})', np.maximum(x, y)
        return f'({a} + {b})', x + y

    def same(self, shape, depth):
        """One value in several places."""
        a, x = self.value(shape, depth)
        k, n = (self.num(0, len(shape) - 1), self.num(-3, 3)) if shape else (0, 0)
        if not shape:
            return None
        if self.dtype == bool:
            return f'({a} | roll({a}, {n}, axis={k}))', x | np.roll(x, n, k)
        return f'({a} + roll({a}, {n}, axis={k}) + flip({a}, {k}))', x + np.roll(x, n, k) + np.flip(x, k)

    def roll(self, shape, depth):
        a, x = self.value(shape, depth)
        if not shape:
            return None
        if self.rng.random() < 0.2:
            n = self.num(-9, 9)
            return f'roll({a}, {n})', np.roll(x, n)
        if len(shape) > 1 and self.rng.random() < 0.4:
            n = (self.num(-2, 2), self.num(-7, 7))
            return f'roll({a}, {n}, axis=(0, 1))', np.roll(x, n, (0, 1))
        n, k = self.num(-400, 400) if self.rng.random() < 0.2 else self.num(-2, 2), self.num(-len(shape), len(shape) - 1)
        return f'roll({a}, {n}, axis={k})', np.roll(x, n, k)

    def pad(self, shape, depth):
        inner, widths = [], []
        mode = self.one_of('constant', 'constant', 'constant', 'edge', 'wrap', 'reflect', 'symmetric')
        if not shape or 0 in shape:
            return None
        for n in shape:
            w = [self.num(0, min(2, n - 1)), 0]
            w[1] = self.num(0, min(3, n - 1 - w[0]))
            inner.append(n - sum(w))
            widths.append(tuple(w))
        a, x = self.value(tuple(inner), depth)
        if mode == 'constant' and self.rng.random() < 0.5:
            c = self.num(0, 1)
            text = 'True' if c and self.dtype == bool else 'False' if self.dtype == bool else c
            return f'pad({a}, {tuple(widths)}, constant_values={text})', np.pad(x, widths, constant_values=c)
        return f"pad({a}, {tuple(widths)}, mode='{mode}')", np.pad(x, widths, mode)

    def concat(self, shape, depth):
        if not shape:
            return None
        k, n = self.num(0, len(shape) - 1), self.num(2, 4)
        cuts = sorted(self.num(0, shape[k]) for _ in range(n - 1))
        parts = []
        for lo, hi in zip([0] + cuts, cuts + [shape[k]]):
            parts.append(self.value(shape[:k] + (hi - lo,) + shape[k + 1:], depth - 1))
        return f"concat([{', '.join(t for t, _ in parts)}], axis={k})", np.concatenate([v for _, v in parts], k)

    def stack(self, shape, depth):
        if not shape or not 2 <= shape[0] <= 4:
            return None
        parts = [self.value(shape[1:], depth - 1) for _ in range(shape[0])]
        return f"stack([{', '.join(t for t, _ in parts)}])", np.stack([v for _, v in parts])

    def view(self, shape, depth):
        """A view of something larger."""
        if len(shape) == 2 and self.rng.random() < 0.3:
            a, x = self.value(shape[::-1], depth)
            return f'({a}).T', x.T
        big, index = [], []
        for n in shape:
            lo, step, back = self.num(0, 3), self.one_of(1, 1, 1, 2, -1), self.num(0, 2)
            if n == 0 or step == 1:
                big.append(n + lo + back)
                index.append(f'{lo}:{lo + n}')
            elif step == 2:
                big.append(2 * n - 1 + lo + back)
                index.append(f'{lo}:{lo + 2 * n - 1}:2')
            else:
                big.append(n)
                index.append('::-1')
        if not shape:
            return None
        a, x = self.value(tuple(big), depth)
        text = ', '.join(index)
        return f'({a})[{text}]', eval(f'x[{text}]')

    def reshape(self, shape, depth):
        if len(shape) == 2:
            a, x = self.value((shape[0] * shape[1],), depth)
        elif len(shape) == 1 and shape[0] % 2 == 0:
            a, x = self.value((2, shape[0] // 2), depth)
        else:
            return None
        return f'reshape({a}, {shape})', x.reshape(shape)

    def tile(self, shape, depth):
        for k, n in enumerate(shape):
            for m in (2, 3):
                if n and n % m == 0:
                    times = tuple(m if d == k else 1 for d in range(len(shape)))
                    a, x = self.value(shape[:k] + (n // m,) + shape[k + 1:], depth)
                    return f'tile({a}, {times})', np.tile(x, times)
        return None

    def repeat(self, shape, depth):
        for k, n in enumerate(shape):
            for m in (2, 3):
                if n and n % m == 0:
                    a, x = self.value(shape[:k] + (n // m,) + shape[k + 1:], depth)
                    return f'repeat({a}, {m}, axis={k})', np.repeat(x, m, k)
        return None

    def repeated(self, shape, depth):
        """What is tiled beside what is repeated: one kernel, if parts of the axis suit both."""
        one, other = self.tile(shape, depth), self.repeat(shape, depth)
        if not one or not other:
            return None
        (a, x), (b, y) = one, other
        if self.dtype == bool:
            return f'({a} | {b})', x | y
        return f'({a} + {b})', x + y

    def take(self, shape, depth):
        if len(shape) != 1 or not shape[0]:
            return None
        a, x = self.value((shape[0] + 2,), depth)
        return f'take({a}, arange({shape[0]}))', np.take(x, np.arange(shape[0]))

    def large(self):
        """Pads of an array so large that they are views, and what neighbours in it give."""
        shape = self.one_of((70000,), (270, 250), (2, 130, 260))
        mode = self.one_of('edge', 'wrap', 'reflect', 'symmetric')
        widths = tuple((self.num(0, 3), self.num(1, 3)) for _ in shape)
        a, x = self.leaf(shape)
        text, p = f"pad({a}, {widths}, mode='{mode}')", np.pad(x, widths, mode)
        if self.rng.random() < 0.3:
            return text, p
        parts = []
        for _ in range(self.num(2, 4)):
            at = [self.num(0, sum(w)) for w in widths]
            parts.append(tuple(slice(i, i + n) for i, n in zip(at, shape)))
        index = [', '.join(f'{i.start}:{i.stop}' for i in part) for part in parts]
        s, f = ('|', np.logical_or) if self.dtype == bool else ('+', np.add)
        return f' {s} '.join(f'{text}[{i}]' for i in index), functools.reduce(f, [p[i] for i in parts])

    def whole(self):
        if self.rng.random() < 0.05:
            return self.large()
        a, x = self.value(self.shape(), self.num(2, 3))
        end = self.rng.random()
        if end < 0.1 and x.size and x.ndim and self.dtype != bool:
            return f'max({a}, axis=-1)', np.max(x, -1)
        if end < 0.2 and x.ndim and self.dtype.kind in 'iu':
            return f'sum({a}, axis=0)', np.sum(x, 0)
        if end < 0.25 and x.ndim == 1 and self.dtype.kind in 'iu':
            return f'sort({a})', np.sort(x)
        return a, x


def same(got, want):
    return (not isinstance(got, str) and got.dtype == want.dtype and got.shape == want.shape and
            np.array_equal(got, want, equal_nan=want.dtype.kind in 'fc'))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--seed', type=int, default=20)
    p.add_argument('--cases', type=int, default=40)
    p.add_argument('--device', default=os.environ.get('GND_TEST_DEVICES', 'opencl:pocl').split(',')[0])
    o = p.parse_args()
    for number, kernels in enumerate(['', 'gpu']):
        rng = np.random.default_rng(o.seed)
        env = dict(os.environ, **({'GND_KERNEL_SHAPE': kernels} if kernels else {}))
        with tempfile.TemporaryDirectory() as folder, np.errstate(all='ignore'):
            cases = []
            while len(cases) < o.cases:
                c = Case(rng, folder, len(cases))
                text, want = c.whole()
                if len(text) < 1500:
                    cases.append((text, np.asarray(want), c.files))
            lines = ['\t'.join([t] + [f'{n}={f}' for n, f in files.items()]) for t, _, files in cases]
            r = subprocess.run([PROGRAM] + (['--device', o.device] if o.device else ['--device', 'opencl']), env=env,
                               input='\n'.join(lines).encode() + b'\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if r.returncode == 2 and not number:
                print('1..0 # SKIP no device')
                return
            if not number:
                print('1..2')
            got = parse(r.stdout)
            bad = [i for i in range(len(cases)) if i >= len(got) or not same(got[i], cases[i][1])]
            for i in bad[:5]:
                print(f'# seed {o.seed} case {i}: {cases[i][0]}')
                for n, f in cases[i][2].items():
                    v = np.load(f)
                    print(f'#   {n}: {v.dtype} {v.shape}')
                if i < len(got) and isinstance(got[i], str):
                    print(f'#   {got[i]}')
                elif i < len(got):
                    print(f'#   got {got[i].dtype} {got[i].shape}, wanted {cases[i][1].dtype} {cases[i][1].shape}')
            if len(got) < len(cases):
                print('# ' + r.stderr.decode(errors='replace').strip()[-1500:].replace('\n', '\n# '))
            what = f'{o.cases} expressions' + (' with kernels as for GPUs' if kernels else '')
            print(f"{'not ' if bad else ''}ok {number + 1} - {what}, {len(bad)} wrong")


main()
