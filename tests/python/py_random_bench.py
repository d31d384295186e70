#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_random_bench.py - bench/random: what a seed draws is the same each time, wrong values are found and do not
# count, and a few workloads of one seed give NumPy's values. No times.
import os
import subprocess
import sys
import tempfile

import numpy as np
import pytap
from pytap import ok, say

here = os.path.join(os.environ['GND_SRCDIR'], 'bench', 'random')
sys.path.insert(0, here)
sys.dont_write_bytecode = True
import classes  # noqa: E402
import ledger  # noqa: E402
import measure  # noqa: E402
import run  # noqa: E402
from work import In, Work  # noqa: E402

SEED = int(os.environ.get('GND_TEST_SEED', '19'))


def test_draw():
    many = run.draw(SEED, 400, 20, True, None)
    again = run.draw(SEED, 400, 20, True, None)
    ok([w.text() for w in many] == [w.text() for w in again], f'seed {SEED} draws the same 400 workloads twice')
    ok([w.text() for w in run.draw(SEED + 1, 400, 20, True, None)] != [w.text() for w in many], 'another seed others')
    ok({w.kind for w in many} == set(run.KINDS), 'every kind is drawn')
    ok(all(k in w.form for w in many for k in w.inputs), 'every form reads its inputs')
    ok(len({w.text() for w in many}) > 380, 'workloads differ')
    fixed = classes.works(1)
    ok(len(fixed) > 50 and all(k in w.form for w in fixed for k in w.inputs), 'the classes read their inputs as well')


def test_errors():
    w = Work('map', 'x', {'x': In((50,))})
    x = np.random.default_rng(1).standard_normal(50).astype(np.float32)
    ok(measure.error(w, [x], [x]) == 0, 'equal values have no error')
    y = x.copy()
    y[7] += 0.01
    ok(measure.error(w, [y], [x]) > 1, 'one other value is an error')
    y[7] = np.nan
    ok(isinstance(measure.error(w, [y], [x]), str), 'so is a NaN')
    ok(isinstance(measure.error(w, [x[1:]], [x]), str) and isinstance(measure.error(w, [], [x]), str), 'and a shape')
    record = {'ms': {'gnd': 2.0, 'a': 1.0, 'b': 4.0}, 'error': {'gnd': 0, 'a': 3.0, 'b': 0.5}, 'why': {}}
    ok(ledger.best_peer(record) == ('b', 4.0) and ledger.ratio(record) == 0.5, 'a peer with other values does not count')
    ok(ledger.ratio({**record, 'error': {'gnd': 'shape'}}) is None, 'nor does gnd')


def test_values():
    for what, shrink, kinds, n in ((['--seed', str(SEED), '--count', '8'], '100', 'map,reduction,masked,joins,scans', 8),
                                   (['--classes'], '1000', 'columns,scans', 7)):
        p = subprocess.run([sys.executable, '-B', os.path.join(here, 'run.py'), '--shrink', shrink, '--values', '--limit',
                            '30', '--peers', 'numpy', '--device', os.environ['GND_DEVICE'], '--kinds', kinds] + what,
                           capture_output=True, text=True)
        if not ok(p.returncode == 0 and f'{n} of {n} workloads agree' in p.stdout, f'{n} workloads give NumPy\'s values'):
            say(p.stdout + p.stderr)


def test_kernels():
    """kernels.py: a seed's kernels by NVRTC, and a folder of texts beside itself."""
    with tempfile.TemporaryDirectory() as out:
        one = [sys.executable, '-B', os.path.join(here, 'kernels.py'), '--runs', '1']
        p = subprocess.run(one + ['--seed', str(SEED), '--count', '2', '--kinds', 'map', '--out', out],
                           capture_output=True, text=True)
        if 'no NVRTC' in p.stderr:
            pytap.skip('the kernels of two workloads by NVRTC', p.stderr.strip())
            return
        n = len([f for f in os.listdir(out) if f.endswith('.cubin')])
        good = p.returncode == 0 and n > 0 and f': {n} kernels of ' in p.stdout
        if not ok(good, f'the {n} kernels of two workloads'):
            say(p.stdout + p.stderr)
        p = subprocess.run(one + ['--texts', out, '--texts', out], capture_output=True, text=True)
        ok(p.returncode == 0 and p.stdout.count(f'{out}: {n} kernels of ') == 2, 'a folder of texts beside itself')


pytap.run([test_draw, test_errors, test_values, test_kernels])
