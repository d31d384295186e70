#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_numba.py - Numba's own tests of its CUDA language (NVIDIA/numba-cuda) on gnd. They are not in the tree:
# GND_NUMBA_TESTS names a checkout, else the test is skipped. numba_alias.py puts gnd in Numba's place; each file of FILES
# runs in a process of its own. GND_NUMBA_FILES: some of them. What fails, and why, is in numba-known.txt; a point for
# each file fails for every other failure.
import os
import re
import subprocess
import sys

import pytap as t

VERSION = 'b18b944'
here = os.path.dirname(os.path.abspath(__file__))
checkout = os.environ.get('GND_NUMBA_TESTS', '')
FILES = """array array_args atomics blackscholes boolean casting complex complex_kernel constmem cuda_jit_no_types
dispatcher enums errors exception flow_control forall freevar frexp_ldexp globals idiv intrinsics iterators lang localmem mandel
math minmax montecarlo multithreads nondet operator optimization powi print py2_div_issue reduction slicing sm sm_creation ssa
stream_api sync ufuncs userexc vector_type vectorize vectorize_complex vectorize_decor vectorize_device vectorize_scalar_arg
warp_ops doc:globals doc:laplace doc:reduction doc:ufunc doc:vecadd""".split()


def known():
    """Names of tests, and of classes of them, that are known to fail: patterns."""
    with open(os.path.join(here, 'numba-known.txt'), encoding='utf-8') as f:
        lines = [line.split(None, 1) for line in f if line.strip() and line[0] != '#']
    return [(re.compile(p.replace('.', r'\.').replace('*', '.*') + '$'), why.strip()) for p, why in lines]


def results(file):
    """(how it ended, its name, why) of each test of a file."""
    module = f'doc_examples.test_{file[4:]}' if file.startswith('doc:') else f'cudapy.test_{file}'
    r = subprocess.run([sys.executable, '-B', os.path.join(here, 'numba_alias.py'), checkout, module], capture_output=True,
                       text=True, timeout=1200, check=False)
    lines = [line.split('\t') for line in r.stdout.splitlines()]
    return [(how, f'{file}.{name}', why) for how, name, why in lines], r


def test_numba():
    expected = known()
    count = dict.fromkeys(('passed', 'failed', 'skipped'), 0)
    for file in os.environ.get('GND_NUMBA_FILES', ' '.join(FILES)).split():
        found, r = results(file)
        for how, *_ in found:
            count[how] += 1
        bad = [f for f in found if f[0] == 'failed' and not any(p.match(f[1]) for p, _ in expected)]
        if not t.ok(found and r.returncode == 0 and not bad, f'{file}: {len(found)} tests'):
            t.say('\n'.join(f'{name}: {why[:300]}' for _, name, why in bad) or r.stderr[-2000:])
    t.say(f"numba-cuda {VERSION} on {t.gnd.Device()}: {count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")


if not os.path.isdir(os.path.join(checkout, 'numba_cuda', 'numba', 'cuda', 'tests')):
    print('1..0 # SKIP GND_NUMBA_TESTS names no checkout of NVIDIA/numba-cuda')
    sys.exit(0)
t.run([test_numba])
