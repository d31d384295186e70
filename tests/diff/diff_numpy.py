#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# diff_numpy.py - the differential test: random expressions over random shapes, strides and dtypes,
# evaluated by gnd (tests/diff/diff_driver, one process per batch) and by NumPy; compares dtypes, shapes and
# values. Values must be equal where nothing rounds, and within bounds that follow the magnitudes
# where something does (diff_model.py). A failure is cut down to its smallest failing part and printed
# with what makes it happen again.
#
#     build/run --test tests/diff/diff_numpy.py --seed 7 --cases 500 --device opencl:0
import os
os.environ.setdefault('NPY_PROMOTION_STATE', 'weak')    # NumPy 1.24: NumPy 2's rules for scalars
import argparse
import collections
import concurrent.futures
import re
import subprocess
import sys
import tempfile
import time
import warnings

try:
    import numpy as np
except ImportError:
    print('1..0 # SKIP no NumPy (Debian: python3-numpy)')
    sys.exit(0)
if tuple(map(int, np.__version__.split('.')[:2])) < (1, 24):
    print(f'1..0 # SKIP NumPy {np.__version__}: 1.24 or newer is needed for the rules of NumPy 2')
    sys.exit(0)
warnings.simplefilter('ignore')
np.seterr(all='ignore')
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from diff_answers import parse              # noqa: E402
from diff_gen import Gen, used_in           # noqa: E402
from diff_model import high, magnitude      # noqa: E402

BATCH = 100


class Driver:
    def __init__(self, device, folder):
        self.device, self.folder = device, folder
        self.program = os.path.join(os.environ.get('GND_BUILDDIR', '.'), 'tests', 'diff', 'diff_driver')
        self.stats = []

    def files(self, arrays, tag):
        words = []
        for name, a in arrays.items():
            path = os.path.join(self.folder, f'{tag}-{name}.npy')
            np.save(path, a)
            words.append(f'{name}={path}')
        return words

    def run(self, lines):
        """The answers to lines, in order: an array, or a text that says what went wrong."""
        out = []
        while len(out) < len(lines):
            text = '\n'.join(lines[len(out):]) + '\n'
            p = subprocess.run([self.program, '--device', self.device], input=text.encode(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            got = parse(p.stdout)
            out += got
            err = p.stderr.decode(errors='replace').strip()
            if p.returncode == 2:
                return [f'no device: {err}'] * len(lines)
            if len(out) < len(lines):
                out.append(f'the process ended with status {p.returncode}: {err[-2000:]}')
            elif p.returncode:
                out[-1] = f'the process ended with status {p.returncode}: {err[-2000:]}'
            self.stats.append(err)
        return out


def differs(got, want):
    """None, or how the driver's answer is not what it should be."""
    if isinstance(got, str):
        return got
    v, e = want.val, want.err
    if got.dtype != v.dtype:
        return f'dtype {got.dtype}, not {v.dtype}'
    if got.shape != v.shape:
        return f'shape {got.shape}, not {v.shape}'
    if v.dtype.kind == 'b' and (got.view(np.uint8) > 1).any():
        return 'a bool that is neither 0 nor 1'
    both_nan = (got != got) & (v != v)
    same = (got == v) | both_nan
    if v.dtype.kind == 'f':
        same &= both_nan | (np.signbit(got) == np.signbit(v)) | (e > 0)
    if v.dtype.kind in 'biu':
        far = magnitude(got.astype(np.longdouble) - v.astype(np.longdouble))
    else:
        far = magnitude(high(got) - high(v))
    ok = same | (far <= e) | np.isinf(e)
    if v.dtype.kind == 'f':    # within the bound of the largest number is infinity, too
        top = np.longdouble(np.finfo(v.dtype).max) if v.dtype.itemsize > 2 else np.longdouble(65504)
        ok |= np.isinf(got) & (np.signbit(got) == np.signbit(v)) & (e > 0) & (magnitude(high(v)) + e >= top)
    if ok.all():
        return None
    i = tuple(int(k[0]) for k in np.nonzero(np.atleast_1d(~ok))) if v.ndim else ()
    return (f'{int((~ok).sum())} of {ok.size} elements; at {i}: {got[i]!r}, not {v[i]!r} within '
            f'{float(e[i]):.3g}')


def describe(a):
    data = a.tobytes()
    if len(data) > 3000:
        return None
    return f'np.frombuffer(bytes.fromhex("{data.hex()}"), "{a.dtype.name}").reshape({a.shape})'


def reproducer(text, arrays):
    if any(describe(a) is None for a in arrays.values()):
        return ['(arrays too large to print: use the seed and --only)']
    out = []
    if arrays:
        saves = '; '.join(f"np.save('{n}.npy', {describe(a)})" for n, a in arrays.items())
        out.append(f"python3 -c 'import numpy as np; {saves.replace(chr(39), chr(34))}'")
    out.append(f"gnd eval '{text}' " + ' '.join(f'{n}={n}.npy' for n in arrays))
    return out


def shrink(driver, gen, text, arrays, why):
    """The smallest part of the expression that differs too."""
    gen.arrays = arrays
    parts = sorted({p for p in gen.parts if len(p) < len(text)}, key=len)
    lines, values = [], []
    for i, p in enumerate(parts):
        have = {k: a for k, a in arrays.items() if used_in(p, k)}
        lines.append('\t'.join([p] + driver.files(have, f'part{i}')))
        values.append(gen.value(p))
    for p, got, want in zip(parts, driver.run(lines) if lines else [], values):
        bad = differs(got, want)
        if bad:
            return p, {k: a for k, a in arrays.items() if used_in(p, k)}, bad
    return text, arrays, why


def functions():
    """The names of the expression language that NumPy has too, and that these expressions could have:
    not those of random numbers, transforms and decompositions, nor what gives no array."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, 'lib')
    names, leave = set(), False
    for line in open(os.path.join(top, 'lang', 'funcs.def')):
        if line.startswith('/*') and 'fn_' in line:
            leave = any(w in line for w in ('fn_fft', 'fn_decompose', 'fn_random', 'fn_info'))
        m = re.match(r'FN\("([^"]+)"', line)
        if m and not leave:
            names.update(m[1].split())
    names.update(re.findall(r'^GND_OP\(\w+, "(\w+)"', open(os.path.join(top, 'base', 'opset.def')).read(), re.M))
    return {n for n in names if hasattr(np, n)} - {'empty', 'empty_like', 'broadcast_shapes'}


Case = collections.namedtuple('Case', 'id gen text want arrays')


class Test:
    def __init__(self, args, driver, without):
        self.args, self.driver, self.without = args, driver, without
        self.tally, self.sure = collections.Counter(), collections.Counter()
        self.failed = self.tests = 0

    def cases(self, group, first):
        """Cases of one expression: args.values of them, from the first-th on."""
        seed = self.args.seed
        gen = Gen(np.random.default_rng([seed, group]), self.without)
        text, want, arrays = gen.case()
        names = set(gen.used) | set(re.findall(r'([a-z_]\w*)\(', text))
        for k in range(first, first + self.args.values):
            if k and not arrays:
                return
            if k:
                try:
                    want, arrays = gen.again(text, arrays, np.random.default_rng([seed, group, k]))
                except (ValueError, IndexError): # not possible with these values, or not known
                    continue
            if self.args.only is None or f'{group}.{k}' == self.args.only:
                self.tally.update(names)
                yield Case(f'{group}.{k}', gen, text, want, arrays)

    def batch(self, groups):
        cases = [c for g, first in groups for c in self.cases(g, first)]
        lines = ['\t'.join([c.text] + self.driver.files(c.arrays, c.id)) for c in cases]
        return cases, lines

    def judge(self, cases, answers):
        bad = []
        for c, got in zip(cases, answers):
            why = differs(got, c.want)
            if self.args.verbose or self.args.only is not None:
                print(f'# {c.id}: {c.text}', flush=True)
            e = c.want.err
            self.sure['exact'] += int((e == 0).sum())
            self.sure['undetermined'] += int(np.isinf(e).sum())
            self.sure['bounded'] += int(((e > 0) & np.isfinite(e)).sum())
            self.sure['cases'] += 1
            self.sure['empty'] += e.size == 0
            self.sure['loose'] += e.size > 0 and bool(np.isinf(e).all())
            if why:
                bad.append((c, why))
        self.tests += 1
        name = f'{len(cases)} cases, {cases[0].id} to {cases[-1].id}' if cases else 'no cases'
        print(f"{'not ok' if bad else 'ok'} {self.tests} - {name}", flush=True)
        seen = set()
        for c, why in bad:
            self.failed += 1
            if c.text in seen or len(seen) >= 8:
                continue
            seen.add(c.text)
            small, have, why = shrink(self.driver, c.gen, c.text, c.arrays, why)
            print(f'# case {c.id} (--seed {self.args.seed} --only {c.id}): {c.text}')
            print(f'#   {small}')
            print(f'#   {why}')
            for line in reproducer(small, have):
                print(f'#   {line}')
        sys.stdout.flush()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--seed', type=int, default=20251)
    # With sanitizers a part of the cases, whose kernels the plain build's run has compiled.
    plain = os.environ.get('GND_TEST_SANITIZERS', 'no') == 'no'
    ap.add_argument('--cases', type=int, default=2000 if os.environ.get('GND_TEST_ALL') else 1000 if plain else 500)
    ap.add_argument('--values', type=int, default=5,
                    help='cases of one expression, with other values: they share their kernels')
    ap.add_argument('--only', help='one case of the seed, as EXPRESSION.VALUES')
    ap.add_argument('--budget', type=float, default=110,
                    help='seconds after which no new expressions are made: the cases that are missing '
                         'are more values of those that were, whose kernels are compiled')
    ap.add_argument('--device',
                    default=os.environ.get('GND_TEST_DEVICES', 'opencl:pocl').split(',')[0])
    ap.add_argument('--without', default='', help='dtypes to leave out, with commas')
    ap.add_argument('--jobs', type=int, default=2, help='processes at a time')
    ap.add_argument('--verbose', action='store_true', help='print each expression')
    args = ap.parse_args()
    without = [w for w in args.without.split(',') if w]
    print(f'# seed {args.seed}, {args.cases} cases, {args.values} of each expression, device '
          f'{args.device}, NumPy {np.__version__}', flush=True)
    began = time.time()
    with tempfile.TemporaryDirectory(prefix='gnd-diff-') as folder, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        driver = Driver(args.device, folder)
        probe = driver.run(['zeros(1)'])[0]
        if isinstance(probe, str):
            print(f'1..0 # SKIP {probe}')
            return 0
        if probe.dtype == np.float32:
            without += ['float64', 'complex128']
        test = Test(args, driver, without)
        waiting = collections.deque()
        size = max(1, BATCH // args.values)
        made = asked = 0        # expressions so far; cases so far
        again = []              # (expression, its next values)
        while asked < args.cases:
            if args.only is not None:
                groups, asked = [tuple(int(w) for w in args.only.split('.'))], args.cases
            elif time.time() - began < args.budget or not made:
                groups = [(g, 0) for g in range(made, made + size)]
                made += size
                again += [(g, args.values) for g, _ in groups]
            else:
                groups, again = again[:size], again[size:]
                again += [(g, k + args.values) for g, k in groups]
            cases, lines = test.batch(groups)
            asked += len(cases)
            waiting.append((cases, pool.submit(driver.run, lines)))
            if len(waiting) > args.jobs:
                cases, answers = waiting.popleft()
                test.judge(cases, answers.result())
        while waiting:
            cases, answers = waiting.popleft()
            test.judge(cases, answers.result())
        kernels = sum(int(s.split()[0]) for s in driver.stats if s[:1].isdigit())
    print(f'1..{test.tests}')
    print('# tally: ' + ' '.join(f'{k} {n}' for k, n in sorted(test.tally.items())))
    print('# in no case: ' + ' '.join(sorted(functions() - set(test.tally))))
    print('# elements: ' + ', '.join(f'{n} {k}' for k, n in test.sure.items()))
    print(f'# {made} expressions; {test.failed} cases failed; {kernels} kernels built; '
          f'{time.time() - began:.0f} s')
    return 1 if test.failed else 0


if __name__ == '__main__':
    sys.exit(main())
