#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_cupy.py - CuPy's own tests (tests/cupy_tests of cupy/cupy) on gnd in CuPy's place: of those that pass with NumPy in
# CuPy's place. They are not in the tree: GND_CUPY_TESTS names a checkout, else the test is skipped. cupy_alias.py
# puts a module in CuPy's place. GND_CUPY_PARTS: some of the folders ("math linalg"); GND_CUPY_SAMPLE: at most so many
# of each test function, drawn by GND_TEST_SEED. What fails and why is in cupy-known.txt; a point for each folder fails
# for every other failure.
import json
import os
import re
import subprocess
import sys

import pytap as t

PARTS = """math linalg fft logic statistics manipulation creation lib sorting indexing random functional io polynomial
binary padding misc core""".split()
# CuPy's own machinery: fusion, kernels' sources, callbacks of cuFFT. Files that do not import without it run nowhere.
LEFT_OUT = re.compile(r'fft_tests/test_callback|fusion_tests|'
                      r'core_tests/test_(core|dlpack|cub_reduction|carray|include)\b')
INI = """[pytest]
markers =
    slow
    multi_gpu
    parallel_threads
    iterations
    thread_unsafe
xfail_strict = true
filterwarnings = ignore
"""
here = os.path.dirname(os.path.abspath(__file__))
scratch = os.path.join(os.environ['GND_BUILDDIR'], 'scratch', f'cupy.{os.getpid()}')
checkout = os.environ.get('GND_CUPY_TESTS', '')


def skip(why):
    print(f'1..0 # SKIP {why}')
    sys.exit(0)


def run(part, alias, only=None):
    """How each test of a folder ended: a dict of its id, (outcome, text)."""
    report = os.path.join(scratch, f'{part}.{alias}.json')
    env = {**os.environ, 'CUPY_ALIAS': alias, 'CUPY_CHECKOUT': checkout, 'CUPY_REPORT': report,
           'CUPY_SEED': os.environ.get('GND_TEST_SEED', '1'), 'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1',
           'PYTHONPATH': os.pathsep.join([here, os.path.join(checkout, 'tests'), os.environ.get('PYTHONPATH', '')])}
    if only is not None:
        env['CUPY_ONLY'] = report + '.ids'
        with open(env['CUPY_ONLY'], 'w', encoding='utf-8') as f:
            json.dump(only, f)  # ids may have line ends in them
        if 'GND_CUPY_SAMPLE' in os.environ:
            env['CUPY_SAMPLE'] = os.environ['GND_CUPY_SAMPLE']
    subprocess.run([sys.executable, '-B', '-m', 'pytest', '-q', '-p', 'cupy_alias', '-p', 'no:cacheprovider',
                    '-c', os.path.join(scratch, 'pytest.ini'), f'--rootdir={checkout}/tests', '--noconftest',
                    '-p', 'pytester', '--import-mode=importlib', '-m', 'not slow and not multi_gpu',
                    '--continue-on-collection-errors', '--tb=no', f'cupy_tests/{part}_tests'],
                   cwd=os.path.join(checkout, 'tests'), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    found = {}
    if os.path.exists(report):
        with open(report, encoding='utf-8') as f:
            for line in f:
                r = json.loads(line)
                found[r['id']] = (r['end'], r['text'])
    return found


def known():
    """The patterns of ids that fail, with their reasons: a pattern a line, below the line of its reason."""
    patterns, reason = [], ''
    with open(os.path.join(here, 'cupy-known.txt'), encoding='utf-8') as f:
        for line in map(str.strip, f):
            if line.startswith('#'):
                reason = line[1:].strip()
            elif line:
                patterns.append((re.compile(line), reason))
    return patterns


def test_cupy():
    os.makedirs(scratch, exist_ok=True)
    with open(os.path.join(scratch, 'pytest.ini'), 'w', encoding='utf-8') as f:
        f.write(INI)
    patterns, total, passed = known(), 0, 0
    for part in os.environ.get('GND_CUPY_PARTS', ' '.join(PARTS)).split():
        want = [i for i, (end, _) in run(part, 'numpy').items() if end == 'passed' and not LEFT_OUT.search(i)]
        got = run(part, 'gnd', want)
        good = sum(end == 'passed' for end, _ in got.values())
        bad = {i: text for i, (end, text) in got.items()
               if end != 'passed' and not any(p.search(i) for p, _ in patterns)}
        total, passed = total + len(got), passed + good
        t.say(f'{part}: {len(want)} pass with NumPy, {len(got)} of them ran with gnd, {good} passed')
        if not t.ok(got and not bad, f'{part}: no failure that is not listed'):
            for i in list(bad)[:50]:
                t.say(f'{i}\n    ' + bad[i][-300:].replace('\n', '\n    '))
    t.say(f'{passed} of {total}')


if not os.path.isdir(os.path.join(checkout, 'tests', 'cupy_tests')):
    skip('GND_CUPY_TESTS names no checkout of cupy/cupy')
t.run([test_cupy])
