#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_programs.py - the programs of python/examples, each in a process of its own: programs of
# CuPy's, Numba's and PyCUDA's users, word for word but for their imports; what they print says
# whether the values are right. tests/mpi/mpi_python.sh runs those over MPI (*_mpi.py).
import os
import re
import subprocess
import sys

import pytap as t

FOLDER = os.path.join(os.environ['GND_SRCDIR'], 'python', 'examples')
PRINTS = {
    'sine': r"gnd \(1000, 1000\) float(32|64) True",
    'add_kernel': r"\[0\. 3\. 6\. 9\.\] True",
    'twice': 'True\nTrue\nTrue',
    'mandelbrot': r'768 x 512: [0-9.]+ s, plain Python [0-9.]+ s: [0-9]+ times as fast; the '
                  r'same image'
}


def test_programs():
    there = sorted(
        f[:-3] for f in os.listdir(FOLDER)
        if f.endswith('.py') and not f.endswith('_mpi.py'))
    t.ok(there == sorted(PRINTS), 'every program is known here')
    for name in there:
        r = subprocess.run(
            [sys.executable, '-B', os.path.join(FOLDER, name + '.py')],
            capture_output=True,
            text=True)
        t.ok(
            r.returncode == 0 and re.fullmatch(PRINTS.get(name, ''), r.stdout.strip()) is not None,
            name)
        t.say(r.stdout + r.stderr)


t.run([test_programs])
