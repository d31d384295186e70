#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# diff_forms.py - the differential test of NumPy's forms in the expression language: methods of ufuncs, where= and
# initial= of reductions, select, piecewise, choose, putmask, copyto, fill_diagonal, ix_, diag_indices, spacing,
# bitwise_count, lists of ints from 2**63 on, names with np. before them; on arrays of random shapes and dtypes, evaluated
# by gnd (tests/diff/diff_driver) and by NumPy. Elements are small whole numbers, so results are equal bit for bit, but
# for means. Where NumPy raises an error, gnd must give one; errors that name what to write are a list of their own.
#
#     build/run --test tests/diff/diff_forms.py --seed 7 --cases 500
import argparse
import os
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from diff_numpy import Driver, reproducer    # noqa: E402  (ends here without NumPy)
import numpy as np                           # noqa: E402

DTYPES = ['float32'] * 3 + ['float64', 'int32', 'int64', 'uint8', 'int8', 'bool', 'float16', 'uint64', 'complex64']
REAL = [t for t in DTYPES if t != 'complex64']


def bitwise_count(x):
    a = np.abs(x.astype(object)) if x.dtype.kind == 'i' else x.astype(object)
    return np.array([bin(int(v)).count('1') for v in a.ravel()], np.uint8).reshape(x.shape)


def putmask(x, m, v):
    x = x.copy()
    np.putmask(x, m, v)
    return x


def copyto(x, v, **k):
    x = x.copy()
    np.copyto(x, v, **k)
    return x


def fill_diagonal(x, v, wrap=False):
    x = x.copy()
    np.fill_diagonal(x, v, wrap=wrap)
    return x


def at(ufunc):
    def changed(x, i, v):
        x = x.copy()
        ufunc.at(x, i, v)
        return x
    return changed


def select(cond, choice, default=0):
    """As NumPy 2, where numbers are weak: they take the dtype of the arrays."""
    strong = [c for c in choice if isinstance(c, np.ndarray)]
    t = np.result_type(*strong)
    if t == bool:
        t = np.dtype('int64')
    return np.select(cond, [np.asarray(c, t) for c in choice], np.asarray(default, t))


def asarray(v):
    """Lists of ints from 2**63 on: uint64, where NumPy takes float64 as soon as another int is there."""
    return np.array(v, 'uint64')


class Ufunc:
    """A ufunc whose at gives the changed array."""
    def __init__(self, f):
        self.reduce, self.accumulate, self.outer, self.at = f.reduce, f.accumulate, f.outer, at(f)


NAMES = {n: getattr(np, n) for n in 'sum prod max min any all mean var std nansum nanprod nanmax nanmin nanmean nanvar '
                                    'nanstd piecewise choose ix_ diag_indices spacing ndim size ascontiguousarray percentile'.split()}
NAMES.update({n: Ufunc(getattr(np, n)) for n in 'add multiply maximum minimum subtract logical_and logical_or less hypot '
                                                'bitwise_xor floor_divide power'.split()})
NAMES.update(select=select, asarray=asarray, bitwise_count=bitwise_count, putmask=putmask, copyto=copyto, fill_diagonal=fill_diagonal)


class Gen:
    def __init__(self, rng, without):
        self.rng, self.arrays = rng, {}
        self.without = without

    def pick(self, seq):
        return seq[int(self.rng.integers(len(seq)))]

    def chance(self, p):
        return self.rng.random() < p

    def dtype(self, of=DTYPES):
        return self.pick([t for t in of if t not in self.without])

    def shape(self, low=0, high=3):
        s = [self.pick([1, 2, 3, 4, 7]) for _ in range(int(self.rng.integers(low, high + 1)))]
        if s and self.chance(0.06):
            s[int(self.rng.integers(len(s)))] = 0
        return tuple(s)

    def array(self, shape, dtype=None, high=10):
        t = np.dtype(dtype or self.dtype())
        a = self.rng.integers(0 if t.kind in 'bu' else -3, 2 if t.kind == 'b' else high, shape)
        return self.name(np.asarray(a).astype(t))

    def name(self, a):
        n = f'{"abcdefghijkl"[len(self.arrays)]}{len(self.arrays)}'
        self.arrays[n] = a
        return n

    def part(self, s):
        """A shape that broadcasts to s."""
        s = tuple(1 if self.chance(0.2) else n for n in s)
        return s[int(self.rng.integers(len(s) + 1)):] if self.chance(0.3) else s

    def mask(self, s):
        return self.name(self.rng.random(self.part(s)) < self.pick([0.1, 0.5, 0.9]))

    def axis(self, s):
        how = int(self.rng.integers(4))
        if how == 0 or not s:
            return ''
        k = int(self.rng.integers(len(s)))
        return f', axis={k - (len(s) if self.chance(0.3) else 0)}'

    # --- cases ---------------------------------------------------------------------------------------

    def reduced(self):
        s = self.shape()
        f = self.pick(['sum', 'prod', 'max', 'min', 'any', 'all', 'mean'])
        t = self.dtype(REAL if f in ('max', 'min') else DTYPES)
        if f in ('sum', 'prod', 'mean') and t == 'float16':
            t = 'float32'
        x = self.array(s, t, 3 if f == 'prod' else 10)
        args = self.axis(s)
        if self.chance(0.3):
            args += ', keepdims=True'
        if f not in ('any', 'all', 'mean') and self.chance(0.7):
            args += f', initial={self.pick([0, 1, 3])}' if t != 'bool' else ', initial=1'
        if self.chance(0.7):
            args += f', where={self.mask(s)}'
        dot = self.chance(0.3)
        return f'{x}.{f}({args.lstrip(", ")})' if dot else f'{f}({x}{args})'

    def spread(self):
        """Variances, and what leaves NaN out."""
        s = self.shape()
        f = self.pick(['var', 'std', 'nansum', 'nanprod', 'nanmax', 'nanmin', 'nanmean', 'nanvar', 'nanstd'])
        t = self.dtype([d for d in (REAL if f in ('nanmax', 'nanmin') else DTYPES) if d != 'float16'])
        x = self.array(s, t, 3 if f == 'nanprod' else 10)
        if f.startswith('nan') and self.arrays[x].dtype.kind in 'fc':
            self.arrays[x] = np.where(self.rng.random(s) < 0.3, self.arrays[x].dtype.type(np.nan), self.arrays[x])
        args = self.axis(s)
        if f in ('nansum', 'nanprod', 'nanmax', 'nanmin') and self.chance(0.7):
            args += f', initial={self.pick([0, 1, 3])}' if t != 'bool' else ', initial=1'
        if f in ('var', 'std', 'nanvar', 'nanstd') and self.chance(0.5):
            args += ', ddof=1'
        if self.chance(0.3):
            args += ', keepdims=True'
        if self.chance(0.7):
            args += f', where={self.mask(s)}'
        return f'{f}({x}{args})'

    def ufunc_reduce(self):
        s = self.shape(1)
        f = self.pick(['add', 'multiply', 'maximum', 'minimum', 'logical_and', 'logical_or'])
        x = self.array(s, self.dtype([t for t in REAL if t != 'float16']), 3)
        args = self.axis(s)
        if self.chance(0.4) and not f.startswith('logical'):
            args += f', initial={self.pick([0, 1])}'
            args += f', where={self.mask(s)}' if self.chance(0.5) else ''
        return f'{self.pick(["", "np."])}{f}.reduce({x}{args})'

    def ufunc_accumulate(self):
        s = self.shape(1)
        x = self.array(s, self.dtype([t for t in REAL if t not in ('float16', 'bool')]), 3)
        return f'{self.pick(["", "np."])}{self.pick(["add", "multiply", "maximum", "minimum"])}.accumulate({x}{self.axis(s)})'

    def ufunc_outer(self):
        f = self.pick(['add', 'subtract', 'multiply', 'maximum', 'less', 'bitwise_xor', 'floor_divide', 'hypot'])
        ints = ['int32', 'uint8', 'int64']
        t = ints if f in ('bitwise_xor', 'floor_divide') else ['float32', 'int32'] if f == 'hypot' else REAL[:7]
        x, y = self.array(self.shape(0, 2), self.dtype(t)), self.array(self.shape(0, 2), self.dtype(t))
        if f == 'floor_divide':
            self.arrays[y] = np.where(self.arrays[y] == 0, self.arrays[y].dtype.type(2), self.arrays[y])
        return f'{f}.outer({x}, {y})'

    def ufunc_at(self):
        n, k = self.pick([3, 7]), self.pick([1, 2, 9])
        x = self.array((n,), self.dtype(['float32', 'int32', 'int64']))
        i, v = self.name(self.rng.integers(-n, n, (k,))), self.array((k,), 'int32')
        return f'{self.pick(["", "np."])}{self.pick(["add", "maximum", "minimum"])}.at({x}, {i}, {v})'

    def select(self):
        s, n = self.shape(), int(self.rng.integers(1, 4))
        cond = [self.mask(s) for _ in range(n)]
        choice = [str(self.pick([0, 1, 5])) if self.chance(0.2) else self.array(self.part(s)) for _ in range(n)]
        if all(c.isdigit() for c in choice):
            choice[0] = self.array(s)
        default = f', {self.pick([0, 1, "default=2"])}' if self.chance(0.5) else ''
        return f'select([{", ".join(cond)}], [{", ".join(choice)}]{default})'

    def piecewise(self):
        s, n = self.shape(1), int(self.rng.integers(1, 4))
        x = self.array(s)
        cond = [self.name(self.rng.random(s) < 0.4) for _ in range(n)]
        v = [str(int(self.rng.integers(0, 2))) for _ in range(n + int(self.rng.integers(2)))]
        return f'piecewise({x}, [{", ".join(cond)}], [{", ".join(v)}])'

    def choose(self):
        s, n = self.shape(), int(self.rng.integers(1, 5))
        t = self.dtype(['int64', 'int32', 'uint8', 'int8'])
        mode = self.pick(['raise', 'raise', 'wrap', 'clip'])
        a = self.rng.integers(0, n, s) if mode == 'raise' else self.rng.integers(0 if t[0] == 'u' else -9, 10, s)
        if mode == 'raise' and self.chance(0.1) and np.size(a):
            np.asarray(a).flat[0] = self.pick([n, -1 if t[0] != 'u' else n])
        c = [self.array(self.part(s)) for _ in range(n)]
        return f"choose({self.name(np.asarray(a).astype(t))}, [{', '.join(c)}], mode='{mode}')"

    def putmask(self):
        s = self.shape(1)
        t = self.dtype()
        x = self.array(s, t)
        v = '1' if self.chance(0.2) else self.array((int(self.rng.integers(1, 6)),), t)
        return f'putmask({x}, {self.name(self.rng.random(s) < 0.5)}, {v})'

    def copyto(self):
        s = self.shape()
        x, v = self.array(s), '1' if self.chance(0.2) else self.array(self.part(s))
        w = f', where={self.mask(s)}' if self.chance(0.5) else ''
        return f'copyto({x}, {v}{w})'

    def fill_diagonal(self):
        n = self.pick([1, 3, 4])
        s = (n,) * 3 if self.chance(0.2) else (self.pick([1, 2, 3, 7, 11]), self.pick([1, 2, 3, 5]))
        x = self.array(s)
        v = '1' if self.chance(0.5) else self.array((int(self.rng.integers(1, 4)),), 'uint8')
        if v != '1' and self.arrays[x].dtype == bool:
            v = '1'
        return f'fill_diagonal({x}, {v}{self.pick(["", ", wrap=True", ", True"])})'

    def grid(self):
        s = (self.pick([2, 3, 5]), self.pick([1, 4]))
        x = self.array(s)
        i = self.name(self.rng.random(s[0]) < 0.5) if self.chance(0.3) else self.name(self.rng.integers(0, s[0], 3))
        j = str(self.rng.integers(0, s[1], 2).tolist()) if self.chance(0.5) else self.name(self.rng.integers(0, s[1], 2))
        if self.chance(0.3):
            return f'{self.array((4, 4))}[diag_indices({self.pick([0, 2, 4])})]'
        return f'{x}[ix_({i}, {j})]'

    def numbers(self):
        how = int(self.rng.integers(7))
        s = self.shape()
        if how == 0:
            t = self.dtype(['int8', 'uint8', 'int32', 'int64', 'uint64', 'bool'])
            i = np.iinfo(t) if t != 'bool' else None
            a = self.rng.integers(i.min, i.max, s, dtype=t, endpoint=True) if i else self.rng.random(s) < 0.5
            a = np.asarray(a)
            if i and a.size:
                a = a.copy()
                a.flat[0] = self.pick([i.min, i.max])
            return f'bitwise_count({self.name(a)})'
        if how == 1:
            a = np.asarray(self.rng.normal(0, 1, s) * 10.0 ** self.rng.integers(-30, 30, s)).astype(
                self.dtype(['float32', 'float64'])) # NumPy's of a negative float16 has no sign
            a = np.where(self.rng.random(s) < 0.2, a.dtype.type(self.pick([0.0, -0.0, np.inf, -np.inf, np.nan, -1])), a)
            return f'spacing({self.name(a)})'
        x = self.array(s)
        if how == 2:
            return f'ndim({x}) * 100 + size({x})'
        if how == 3 and s:
            return f'size({x}, {int(self.rng.integers(len(s)))})'
        if how == 4:
            return f'ascontiguousarray({x})'
        if how == 5:
            v = [self.pick([0, 2**63, 2**64 - 1, 2**63 + 1, 7]) for _ in range(3)] + [2**63]
            return f'asarray({v})' if self.chance(0.5) else f'{self.array((3,), "uint64")} {self.pick(["<", "==", "+", ">="])} {v[0]}'
        return f'percentile({self.array((7,), self.dtype(["float32", "float16", "int32", "float64"]))}, [25, 50, 99])'

    KINDS = ['reduced', 'spread', 'reduced', 'spread', 'ufunc_reduce', 'ufunc_accumulate', 'ufunc_outer', 'ufunc_at',
             'select', 'piecewise', 'choose', 'putmask', 'copyto', 'fill_diagonal', 'grid', 'numbers', 'numbers']


class Names:
    """np.NAME"""
    def __getattr__(self, name):
        return NAMES[name]


def numpy_value(text, arrays):
    names = dict(NAMES, np=Names(), **{n: a.copy() for n, a in arrays.items()})
    with np.errstate(all='ignore'):
        try:
            return np.asarray(eval(text, names))
        except (IndexError, ValueError, TypeError, OverflowError) as e:
            return e


def differs(got, want, near):
    if isinstance(want, Exception):
        return None if isinstance(got, str) and got.startswith('error') else f'no error, NumPy: {want!r}'
    if isinstance(got, str):
        return got
    if got.dtype != want.dtype or got.shape != want.shape:
        return f'{got.dtype} {got.shape}, not {want.dtype} {want.shape}'
    ok = (got == want) | ((got != got) & (want != want))
    if near:
        with np.errstate(all='ignore'):
            ok |= np.abs(got - want) <= near * np.finfo(got.dtype).eps * np.abs(want)
    if np.all(ok):
        return None
    i = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(~ok))) if want.ndim else ()
    return f'{int((~ok).sum())} of {ok.size} elements; at {i}: {got[i]!r}, not {want[i]!r}'


ERRORS = [
    ('max(ones(3), where=ones(3) > 0)', 'needs initial='),
    ('sum(ones(3), where=ones(3))', 'sum: where must be an array of bools, not of float64'),
    ('sum(ones(3), where=ones((2, 3)) > 0)', "sum: where has shape (2, 3), which does not broadcast to x's, (3,)"),
    ('select([ones(3) > 0], [1, 2])', '1 conditions and 2 choices'),
    ('select([ones(3)], [ones(3)])', 'conditions are bools'),
    ('piecewise(ones(3), [ones(3) > 0], [1, 2, 3])', 'or one more'),
    ('choose(ones(3, dtype=int), [])', 'no choices'),
    ('choose(asarray([0, 5]), [1, 2])', 'index 5 is out of range'),
    ('putmask(ones(3), ones(2) > 0, 1)', 'putmask: mask has shape (2,), x has shape (3,)'),
    ('copyto(ones(3, dtype=int32), ones(3))', "casting='unsafe'"),
    ('copyto(ones(3, dtype=int32), 2.5)', "casting='unsafe'"),
    ('fill_diagonal(ones(3), 1)', 'at least two dimensions'),
    ('fill_diagonal(ones((2, 2, 3)), 1)', 'all extents are equal'),
    ('ix_(ones((2, 2), dtype=int))', 'each has one'),
    ('default_rng(7)', 'a generator of random numbers'),
    ('default_rng(1, 2)', 'default_rng(seed=None)'),
    ('default_rng(-1)', 'not an int of 0 or more'),
    ('default_rng("a")', 'not an int of 0 or more'),
    ('default_rng(3).sin(2)', "generators have no method 'sin'"),
    ('default_rng(3) + 1', 'a generator of random numbers'),
    ('default_rng(3).normal', 'a generator of random numbers has no attributes'),
    ('random.RandomState(3)', 'write default_rng(n)'),
    ('0 < ones(3) < 2', 'write (a < b) & (b < c)'),
    ('bitwise_count(ones(3))', 'ints and bools have bits'),
    ('size(ones(3), 1)', 'axis 1 is out of range'),
    ('sin.reduce(ones(3))', 'sin.reduce'),
    ('ones(3, dtype=int64) + 2**63', 'does not fit int64'),
]

# Statements that change x in place in NumPy: x after them.
IN_PLACE = [
    'x = np.zeros(5); np.add.at(x, [1, 1, 2], 1.5); x',
    'x = np.zeros(5); np.maximum.at(x, [1, 1, 2], [1., 2., 3.]); x',
    'x = np.zeros(5); np.minimum.at(x, [1, 1, 2], -1.); x',
    'x = np.zeros((3, 4)); np.fill_diagonal(x, 5); x',
    'x = np.arange(6); np.putmask(x, x > 2, -1); x',
    'x = np.zeros(3); np.copyto(x, 7, where=[True, False, True]); x',
    'x = np.arange(6); np.put(x, [0, 3], 9); x',
    'x = np.arange(6); np.place(x, x > 3, [7, 8]); x',
    'x = np.arange(6).reshape(2, 3); np.put_along_axis(x, np.asarray([[0], [2]]), 9, 1); x',
    'x = np.asarray([3, 1, 2]); x.sort(); x',
    'x = np.asarray([3, 1, 2]); y = x + 0; y.partition(1); x * 10 + y[1]',
    'x = np.arange(50); np.random.shuffle(x); np.sort(x)',
    'x = np.arange(50); rng = np.random.default_rng(3); rng.shuffle(x); np.asarray([x.sum(), np.any(x != np.arange(50))])',
    'r = np.random.default_rng(3); a = r.normal(size=4); b = np.random.default_rng(3).normal(size=4); np.all(a == b)',
    'r = np.random.default_rng(3); s = r; a = r.random(4); b = s.random(4); np.any(a == b)',
    'r = np.random.default_rng(seed=3); np.all(r.integers(0, 9, size=20) < 9)',
    'a = np.random.default_rng().random(4); b = np.random.default_rng(None).random(4); np.any(a == b)',
    'x = np.arange(50); y = x; np.random.shuffle(x); np.any(x != np.arange(50))',
]
ERRORS += [
    ('x = ones((2, 3)); x[0].sort(); x', 'sort as a statement changes the array of a name'),
    ('x = ones((2, 3)); add.at(x[0], [1], 1.); x', 'add.at as a statement changes the array of a name'),
    ('fill_diagonal(ones((3, 3)), 2); 1', 'fill_diagonal as a statement changes the array of a name'),
]


def after(text):
    """What NumPy has after the statements of text."""
    names = {'np': np}
    *statements, last = text.split('; ')
    exec('\n'.join(statements), names)
    return np.asarray(eval(last, names))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--seed', type=int, default=4711)
    ap.add_argument('--cases', type=int, default=40)
    ap.add_argument('--only', type=int)
    ap.add_argument('--device', default=os.environ.get('GND_TEST_DEVICES', 'opencl:pocl').split(',')[0])
    args = ap.parse_args()
    failed = tests = 0
    with tempfile.TemporaryDirectory(prefix='gnd-forms-') as folder:
        driver = Driver(args.device, folder)
        probe = driver.run(['zeros(1)'])[0]
        if isinstance(probe, str):
            print(f'1..0 # SKIP {probe}')
            return 0
        without = ['float64'] if probe.dtype == np.float32 else []
        todo = list(range(args.cases)) if args.only is None else [args.only]
        cases, lines = [], []
        for i in todo:
            g = Gen(np.random.default_rng([args.seed, i]), without)
            text = getattr(g, Gen.KINDS[i % len(Gen.KINDS)])()
            cases.append((i, text, g.arrays, numpy_value(text, g.arrays)))
            lines.append('\t'.join([text] + driver.files(g.arrays, i)))
        for (i, text, arrays, want), got in zip(cases, driver.run(lines)):
            near = 4 * any(w in text for w in ('mean', 'percentile', 'hypot')) or 64 * any(w in text for w in ('var(', 'std('))
            why = differs(got, want, near)
            tests += 1
            print(f"{'not ok' if why else 'ok'} {tests} - case {i}: {text}")
            if why:
                failed += 1
                print(f'# --seed {args.seed} --only {i}\n#   {why}')
                for line in reproducer(text, arrays):
                    print(f'#   {line}')
        for text, got in zip(IN_PLACE, driver.run(IN_PLACE) if args.only is None else []):
            why = differs(got, after(text), 0)
            tests += 1
            failed += bool(why)
            print(f"{'not ok' if why else 'ok'} {tests} - {text}")
            if why:
                print(f'#   {why}')
        for (text, part), got in zip(ERRORS, driver.run([t for t, _ in ERRORS]) if args.only is None else []):
            bad = not (isinstance(got, str) and part in got)
            tests += 1
            failed += bad
            print(f"{'not ok' if bad else 'ok'} {tests} - error: {text}")
            if bad:
                print(f'#   {got!r}, not with {part!r}')
    print(f'1..{tests}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
