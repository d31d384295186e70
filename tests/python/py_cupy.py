#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_cupy.py - CuPy's own tests (tests/cupy_tests of cupy/cupy) on gnd in CuPy's place: of those that pass with NumPy in
# CuPy's place. They are not in the tree: GND_CUPY_TESTS names a checkout, else the test is skipped. cupy_alias.py
# puts a module in CuPy's place. GND_CUPY_PARTS: some of the folders ("math linalg"); GND_CUPY_SAMPLE: at most so many
# of each test function, drawn by GND_TEST_SEED; GND_CUPY_JOBS: processes at once; GND_CUPY_SECONDS: after that time with
# gnd no further tests begin; GND_CUPY_REPORT: a file that gets a line of JSON for each test as it ends. What fails and
# why is in cupy-known.txt; a point for each folder fails for every other failure.
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import time

import pytap as t

PARTS = """polynomial binary io misc functional padding indexing creation random sorting lib manipulation statistics
linalg core logic fft math""".split()
# CuPy's own machinery: fusion, kernels' sources, callbacks of cuFFT. Files that do not import without it run nowhere.
LEFT_OUT = re.compile(r'fft_tests/test_callback|fusion_tests|'
                      r'core_tests/test_(core|dlpack|cub_reduction|carray|include)\b')
CHUNK = 100  # tests of a process
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
jobs = int(os.environ.get('GND_CUPY_JOBS', '1'))


def skip(why):
    print(f'1..0 # SKIP {why}')
    sys.exit(0)


def pytest(file, alias, name, only, until):
    """Runs the tests of a file, or only those with these ids, in a process: a dict of id, (outcome, text)."""
    report = os.path.join(scratch, f'{name}.json')
    env = {**os.environ, 'CUPY_ALIAS': alias, 'CUPY_CHECKOUT': checkout, 'CUPY_REPORT': report,
           'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1',
           'PYTEST_DISABLE_PLUGIN_AUTOLOAD': '1',
           'PYTHONPATH': os.pathsep.join([here, os.path.join(checkout, 'tests'), os.environ.get('PYTHONPATH', '')])}
    if only is not None:
        env['CUPY_ONLY'] = report + '.ids'
        with open(env['CUPY_ONLY'], 'w', encoding='utf-8') as f:
            json.dump(only, f)  # ids may have line ends in them
    try:
        subprocess.run([sys.executable, '-B', '-m', 'pytest', '-q', '-p', 'cupy_alias', '-p', 'no:cacheprovider',
                        '-c', os.path.join(scratch, 'pytest.ini'), f'--rootdir={checkout}/tests', '--noconftest',
                        '-p', 'pytester', '--import-mode=importlib', '-m', 'not slow and not multi_gpu',
                        '--continue-on-collection-errors', '--tb=no', file],
                       cwd=os.path.join(checkout, 'tests'), env=env, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False, timeout=max(until - time.monotonic(), 1))
    except subprocess.TimeoutExpired:
        pass
    found = {}
    if os.path.exists(report):
        with open(report, encoding='utf-8') as f:
            for line in f:
                if line.endswith('\n'):
                    r = json.loads(line)
                    found[r['id']] = (r['end'], r['text'])
    return found


def with_gnd(file, name, only, until):
    """The same with gnd. If the process ends early, its next test counts as failed, and another process goes on."""
    found, k = {}, 0
    while only and time.monotonic() < until:
        new = pytest(file, 'gnd', f'{name}.{k}', only, until)
        found.update(new)
        only = [i for i in only if i not in new]
        k += 1
        if only and time.monotonic() < until:
            found[only.pop(0)] = ('failed', 'the process ended, or has no such test')
    return found


def sample(ids):
    """At most GND_CUPY_SAMPLE of each test function."""
    if 'GND_CUPY_SAMPLE' not in os.environ:
        return ids
    most, count, kept = int(os.environ['GND_CUPY_SAMPLE']), {}, []
    for i in random.Random(int(os.environ.get('GND_TEST_SEED', '1'))).sample(ids, len(ids)):
        key = re.sub(r'_param_\d+_\{.*?\}(?=::)', '', i, flags=re.S).partition('[')[0]
        count[key] = count.get(key, 0) + 1
        if count[key] <= most:
            kept.append(i)
    kept = set(kept)
    return [i for i in ids if i in kept]


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


def baseline(pool, parts):
    """The ids that pass with NumPy: a dict of folder, dict of file, ids."""
    files = [(p, f) for p in parts for f in sorted(os.listdir(os.path.join(checkout, f'tests/cupy_tests/{p}_tests')))
             if re.fullmatch(r'test_\w+\.py', f)]
    ends = [pool.submit(pytest, f'cupy_tests/{p}_tests/{f}', 'numpy', f'numpy.{p}.{f}', None, time.monotonic() + 3600)
            for p, f in files]
    want = {p: {} for p in parts}
    for (p, f), end in zip(files, ends):
        want[p][f] = [i for i, (how, _) in end.result().items() if how == 'passed' and not LEFT_OUT.search(i)]
    return want


def judge(part, want, got, patterns):
    """The point of a folder."""
    good = sum(end == 'passed' for end, _ in got.values())
    bad = {i: text for i, (end, text) in got.items() if end != 'passed' and not any(p.search(i) for p, _ in patterns)}
    t.say(f'{part}: {want} pass with NumPy, {len(got)} of them ran with gnd, {good} passed')
    if not t.ok(got and not bad, f'{part}: no failure that is not listed'):
        for i in list(bad)[:50]:
            t.say(f'{i}\n    ' + bad[i][-300:].replace('\n', '\n    '))
    return good


def test_cupy():
    os.makedirs(scratch, exist_ok=True)
    with open(os.path.join(scratch, 'pytest.ini'), 'w', encoding='utf-8') as f:
        f.write(INI)
    parts, patterns = os.environ.get('GND_CUPY_PARTS', ' '.join(PARTS)).split(), known()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, \
            open(os.environ.get('GND_CUPY_REPORT', os.devnull), 'a', encoding='utf-8') as report:
        want = baseline(pool, parts)
        until = time.monotonic() + int(os.environ.get('GND_CUPY_SECONDS', '1000000'))
        ends, draw = {}, random.Random(int(os.environ.get('GND_TEST_SEED', '1')))
        for p in parts:
            chunks = [(f, k, ids[k:k + CHUNK]) for f, ids in ((f, sample(ids)) for f, ids in want[p].items())
                      for k in range(0, len(ids), CHUNK)]
            draw.shuffle(chunks)  # those that the time does not suffice for are drawn
            for f, k, ids in chunks:
                ends[pool.submit(with_gnd, f'cupy_tests/{p}_tests/{f}', f'gnd.{p}.{f}.{k}', ids, until)] = p
        got = {p: {} for p in parts}
        for end in concurrent.futures.as_completed(ends):
            got[ends[end]].update(end.result())
            for i, (how, text) in end.result().items():
                report.write(json.dumps({'id': i, 'end': how, 'text': text[-400:]}) + '\n')
            report.flush()
    passed = sum(judge(p, sum(map(len, want[p].values())), got[p], patterns) for p in parts)
    ran, all_of_them = sum(map(len, got.values())), sum(len(i) for p in parts for i in want[p].values())
    t.say(f'{all_of_them} pass with NumPy, {ran} of them ran with gnd, {passed} passed: {100 * passed / max(ran, 1):.2f}%')


if not os.path.isdir(os.path.join(checkout, 'tests', 'cupy_tests')):
    skip('GND_CUPY_TESTS names no checkout of cupy/cupy')
t.run([test_cupy])
