#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# diff_index.py - the differential test of indexing: random mixtures of ints, slices, new axes, an
# ellipsis, arrays of ints and masks, on arrays of random shapes, strides and dtypes, evaluated by gnd
# (tests/diff/diff_driver) and by NumPy: elements read, set and accumulated, and the functions of indices and
# masks. Values are exact in every dtype, so results must be equal bit for bit; where NumPy raises an
# error, gnd must give one.
#
#     build/run --test tests/diff/diff_index.py --seed 7 --cases 500 --device opencl:0
import argparse
import collections
import os
import sys
import tempfile
import time
import warnings
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from diff_numpy import Driver, reproducer    # noqa: E402  (ends here without NumPy)
import numpy as np                           # noqa: E402
warnings.simplefilter('error', DeprecationWarning)  # indices that NumPy did not look at yet

DTYPES = ['float32'] * 4 + ['int32', 'int64', 'float64', 'uint8', 'bool', 'complex64', 'int16', 'float16']
INDEX_DTYPES = ['int64'] * 4 + ['int32', 'uint8', 'int8', 'uint64', 'uint16']
EXTENTS = [1, 2, 3, 3, 4, 5, 7]


class Gen:
    def __init__(self, rng, without):
        self.rng, self.arrays = rng, {}
        self.dtypes = [t for t in DTYPES if t not in without]

    def pick(self, seq):
        return seq[int(self.rng.integers(len(seq)))]

    def chance(self, p):
        return self.rng.random() < p

    def name(self, a):
        n = f'{"abcdefghijklmnop"[len(self.arrays)]}{len(self.arrays)}'
        self.arrays[n] = a
        return n

    def shape(self, low=0, high=4):
        s = [self.pick(EXTENTS) for _ in range(int(self.rng.integers(low, high + 1)))]
        if s and self.chance(0.04):
            s[int(self.rng.integers(len(s)))] = 0
        if s and self.chance(0.04):
            s[int(self.rng.integers(len(s)))] = int(self.pick([63, 129, 4099]))
        return tuple(s)

    def data(self, shape, dtype):
        t = np.dtype(dtype)
        low = 0 if t.kind in 'bu' else -9
        a = self.rng.integers(low, 2 if t.kind == 'b' else 10, shape)
        if t.kind == 'c':
            a = a + 1j * self.rng.integers(-9, 10, shape)
        return np.asarray(a).astype(t)

    def x(self, shape, dtype=None):
        """The text of an array of that shape: a name, or a view or an expression of one."""
        t = dtype or self.pick(self.dtypes)
        how = int(self.rng.integers(8))
        if how == 0 and len(shape) > 1:
            return self.name(self.data(shape[::-1], t)) + '.T'
        if how == 1 and shape:
            return self.name(self.data(shape[:-1] + (2 * shape[-1],), t)) + '[..., ::-2]'
        if how == 2 and t != 'bool':
            return f'({self.name(self.data(shape, t))} + {self.name(self.data(shape[-1:], t))})'
        return self.name(self.data(shape, t))

    def ints(self, shape, n, dtype=None):
        """Indices of an axis of n elements, seldom one that is out of range."""
        t = np.dtype(dtype or self.pick(INDEX_DTYPES))
        low = 0 if t.kind == 'u' else -n
        if n == 0 and 0 not in shape and self.chance(0.8):
            shape = shape + (0,)
        a = self.rng.integers(low, max(n, low + 1), shape)
        if self.chance(0.02) and a.size:
            a.flat[int(self.rng.integers(a.size))] = self.pick([n, n + 3, -n - 1 if t.kind == 'i' else n])
        return a.astype(t)

    def index(self, shape):
        """The text of an index of an array of that shape."""
        b = tuple(self.pick([1, 2, 3, 5]) for _ in range(int(self.rng.integers(0, 3))))
        parts, d, ellipsis = [], 0, False
        arrays = self.chance(0.85)
        while d < len(shape):
            n = shape[d]
            how = int(self.rng.integers(16))
            if arrays and how < 5:
                s = tuple(1 if self.chance(0.2) else k for k in b[int(self.rng.integers(len(b) + 1)):])
                if self.chance(0.15) and s:
                    parts.append(str(self.ints(s, n, 'int64').tolist()))
                else:
                    parts.append(self.name(self.ints(s, n)))
            elif arrays and how == 5:
                k = int(self.rng.integers(1, min(3, len(shape) - d) + 1))
                m = self.rng.random(self.emptied(shape[d:d + k])) < self.pick([0.1, 0.5, 0.9])
                parts.append(self.name(m))
                d += k - 1
            elif how == 6 and n:
                parts.append(str(int(self.rng.integers(-n, n))))
            elif how == 7 and not ellipsis:
                d += int(self.rng.integers(0, len(shape) - d + 1)) - 1
                parts.append('...')
                ellipsis = True
            elif how == 8:
                parts.append('None')
                d -= 1
            elif how == 9 and arrays:
                parts.append(self.pick(['True', 'False', 'True']))
                d -= 1
            elif how < 12:
                parts.append(':')
            else:
                w = [str(int(self.rng.integers(-n - 1, n + 2))) if self.chance(0.6) else '' for _ in range(2)]
                parts.append(f"{w[0]}:{w[1]}:{self.pick(['', '2', '-1', '3', '-2'])}")
            d += 1
            if d >= len(shape) - 1 and self.chance(0.25):
                break
        return ', '.join(parts) or '...'

    def emptied(self, shape):
        """The shape of a mask over axes of that shape: seldom with extents of 0, which stand for any."""
        return tuple(0 if self.chance(0.5) else n for n in shape) if self.chance(0.1) else shape

    def mask_index(self, shape):
        """A mask over the first axes alone, and its text."""
        k = int(self.rng.integers(1, len(shape) + 1))
        return self.name(self.rng.random(self.emptied(shape[:k])) < self.pick([0, 0.1, 0.5, 0.9, 1]))

    def value(self, shape, t, more=False):
        """Something that broadcasts to that shape; more: or would without an axis of extent 1."""
        if self.chance(0.3) and t != 'bool':
            return self.pick(['0', '1', '3'])
        s = tuple(1 if self.chance(0.2) else n for n in shape)
        if self.chance(0.3):
            s = s[int(self.rng.integers(len(s) + 1)):]
        elif more and self.chance(0.1):
            s = (1,) + s
        return self.x(s, t)

    # --- cases: each gives the text for gnd and that for NumPy -------------------------------------

    def read(self):
        s = self.shape(1)
        x = self.x(s)
        i = self.mask_index(s) if self.chance(0.25) else self.index(s)
        return f'{x}[{i}]', None

    def write(self):
        s, t = self.shape(1), self.pick(self.dtypes)
        x = self.name(self.data(s, t))
        i = self.mask_index(s) if self.chance(0.25) else self.index(s)
        try:
            r = eval(f'x[{i}]', dict(self.arrays), {'x': self.arrays[x]}).shape
        except (IndexError, DeprecationWarning):
            r = ()
        if self.chance(0.03):
            r = r + (2,)
        op = self.pick(['', '', '', '+', '*'])
        if t == 'bool':
            op = ''
        v = self.value(r, t, not op and len(r) != 1) # which NumPy refuses for a whole mask
        return f'{x}[{i}] {op}= {v}; {x}', None

    def accumulate(self):
        s, t = self.shape(1), self.pick(self.dtypes)
        x = self.name(self.data(s, t))
        names = {'add_at': 'np.add.at', 'max_at': 'np.maximum.at', 'min_at': 'np.minimum.at'}
        f = self.pick(list(names) if t != 'complex64' else ['add_at'])
        b = tuple(self.pick([1, 2, 5, 40]) for _ in range(int(self.rng.integers(0, 3))))
        k = int(self.rng.integers(1, len(s) + 1))
        idx = [self.name(self.ints(b, n)) for n in s[:k]]
        text = idx[0] if k == 1 else f"({', '.join(idx)})"
        v = self.value(b + s[k:], t)
        return f'{f}({x}, {text}, {v})', f'{names[f]}({x}, {text}, {v}); {x}'

    def take(self):
        s = self.shape(1)
        k = int(self.rng.integers(len(s)))
        x = self.x(s)
        b = self.shape(0, 2)
        mode, far = (f", mode='{self.pick(['wrap', 'clip', 'raise'])}'", 5) if self.chance(0.3) else ('', 1)
        if self.chance(0.3):
            return f'take({x}, {self.name(self.ints(b, far * int(np.prod(s)), "int64"))}{mode})', None
        t = self.pick([t for t in INDEX_DTYPES if t != 'uint64'])     # which np.take refuses
        axis = k - (len(s) if self.chance(0.3) else 0)
        return f'take({x}, {self.name(self.ints(b, far * s[k], t))}, axis={axis}{mode})', None

    def along(self):
        s = self.shape(1)
        k = int(self.rng.integers(len(s)))
        t = self.pick(self.dtypes)
        x = self.name(self.data(s, t))
        b = tuple(self.pick([1, 2, 6]) if d == k else n if self.chance(0.8) else 1 for d, n in enumerate(s))
        i = self.name(self.ints(b, s[k]))
        if self.chance(0.5):
            return f'take_along_axis({x}, {i}, {k})', None
        # NumPy does not say which of several values wins: so that there is one
        v = self.value(tuple(1 if d == k else n for d, n in enumerate(b)), t)
        if any(m != n for d, (m, n) in enumerate(zip(s, b)) if d != k):
            v = f'full(1, 1, dtype={t})'
        return f'put_along_axis({x}, {i}, {v}, {k})', f'put_along_axis({x}, {i}, {v}, {k}); {x}'

    def where(self):
        s = self.shape(1)
        x = self.x(s)
        how = int(self.rng.integers(6))
        if how == 0:
            return f'nonzero({x})[{int(self.rng.integers(len(s)))}]', None
        if how == 1:
            return f'argwhere({x})', None
        if how == 2:
            return f'flatnonzero({x})', None
        if how == 3:
            return f'where({x})[{int(self.rng.integers(len(s)))}]', None
        k = int(self.rng.integers(len(s)))
        if how == 4:
            n = max(0, s[k] + self.pick([0, 0, -1]))
            return f'compress({self.name(self.data((n,), "bool"))}, {x}, axis={k})', None
        return f'extract({self.name(self.data(s, "bool"))}, {x})', None

    KINDS = [('read', 5), ('write', 5), ('accumulate', 2), ('take', 1.5), ('along', 1), ('where', 1.5)]

    def case(self):
        names, w = zip(*self.KINDS)
        w = np.array(w, float)
        kind = names[int(self.rng.choice(len(names), p=w / w.sum()))]
        text, numpy = getattr(self, kind)()
        return kind, text, numpy or text


NAMES = {n: getattr(np, n) for n in 'take take_along_axis put_along_axis nonzero argwhere flatnonzero where '
                                    'compress extract full'.split()}
NAMES.update({t: np.dtype(t) for t in DTYPES})


def numpy_value(text, arrays):
    """What NumPy gives, or the error it raises."""
    names = dict(NAMES, np=np, **{n: a.copy() for n, a in arrays.items()})
    *before, last = text.split('; ')
    try:
        for s in before:
            exec(s, names)
        return np.asarray(eval(last, names))
    except (IndexError, ValueError, DeprecationWarning, TypeError, OverflowError) as e:
        return e


def differs(got, want):
    if isinstance(want, Exception):
        return None if isinstance(got, str) and got.startswith('error') else f'no error, NumPy: {want!r}'
    if isinstance(got, str):
        return got
    if got.dtype != want.dtype or got.shape != want.shape:
        return f'{got.dtype} {got.shape}, not {want.dtype} {want.shape}'
    ok = got == want
    if ok.all():
        return None
    i = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(~ok))) if want.ndim else ()
    return f'{int((~ok).sum())} of {ok.size} elements; at {i}: {got[i]!r}, not {want[i]!r}'


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--seed', type=int, default=4711)
    ap.add_argument('--cases', type=int, default=80)
    ap.add_argument('--only', type=int)
    ap.add_argument('--budget', type=float, default=240, help='seconds after which no case is begun')
    ap.add_argument('--device', default=os.environ.get('GND_TEST_DEVICES', 'opencl:pocl').split(',')[0])
    args = ap.parse_args()
    began, tally, failed, tests, errors = time.time(), collections.Counter(), 0, 0, 0
    with tempfile.TemporaryDirectory(prefix='gnd-index-') as folder:
        driver = Driver(args.device, folder)
        probe = driver.run(['zeros(1)'])[0]
        if isinstance(probe, str):
            print(f'1..0 # SKIP {probe}')
            return 0
        without = ['float64'] if probe.dtype == np.float32 else []
        todo = list(range(args.cases)) if args.only is None else [args.only]
        while todo and time.time() - began < args.budget:
            batch, todo = todo[:40], todo[40:]
            cases, lines = [], []
            for i in batch:
                g = Gen(np.random.default_rng([args.seed, i]), without)
                kind, text, numpy = g.case()
                cases.append((i, kind, text, g.arrays, numpy_value(numpy, g.arrays)))
                lines.append('\t'.join([text] + driver.files(g.arrays, i)))
            bad = []
            for (i, kind, text, arrays, want), got in zip(cases, driver.run(lines)):
                tally[kind] += 1
                errors += isinstance(want, Exception)
                why = differs(got, want)
                if args.only is not None:
                    print(f'# {text}')
                if why:
                    bad.append((i, text, arrays, why))
            tests += 1
            print(f"{'not ok' if bad else 'ok'} {tests} - {len(cases)} cases, {batch[0]} to {batch[-1]}", flush=True)
            for i, text, arrays, why in bad:
                failed += 1
                print(f'# case {i} (--seed {args.seed} --only {i}): {text}\n#   {why}')
                for line in reproducer(text, arrays):
                    print(f'#   {line}')
    print(f'1..{tests}')
    print('# tally: ' + ' '.join(f'{k} {n}' for k, n in sorted(tally.items())))
    print(f'# {failed} cases failed; {errors} errors in NumPy; {time.time() - began:.0f} s')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
