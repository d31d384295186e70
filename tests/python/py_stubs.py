#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_stubs.py - the stubs that the build writes (python/src/stubs.py) are Python and name all that
# gnd has; every function shows its parameters and says what it does; mypy's stubtest compares them with
# the package, gnd.mpi included, where mypy is installed: in build/clients by ./quickstart check, or for this Python.
import ast
import importlib.util
import inspect
import os
import subprocess
import sys
import tempfile
import types

import pytap as t
from pytap import gnd


def names(tree):
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(a.asname or a.name for a in node.names)
        elif isinstance(node, ast.Assign):
            found.add(node.targets[0].id)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
    return found


def test_stubs():
    stubs = {}
    for name in ('__init__', '_core', 'linalg', 'fft', 'random', 'special', 'signal'):
        file = name + '.pyi'
        path = os.path.join(os.environ['GND_BUILDDIR'], 'python', 'gnd', file)
        there = os.path.exists(path)
        t.ok(there, f'{file} was written')
        stubs[file] = ast.parse(open(path, encoding='utf-8').read() if there else '')
    t.ok(os.path.exists(os.path.join(os.path.dirname(gnd.__file__), 'py.typed')), 'py.typed')
    public = {n for n in {*vars(gnd), *gnd._LAZY} if not n.startswith('_')}
    public -= {'snippets', 'kernels', 'asanyarray'}
    lacking = sorted(public - names(stubs['__init__.pyi']))
    if not t.ok(not lacking, 'every name of gnd'):
        t.say(lacking)
    for group in ('linalg', 'fft', 'random', 'special', 'signal'):
        lacking = {n for n in vars(getattr(gnd, group)) if not n.startswith('_')}
        t.ok(not lacking - names(stubs[f'{group}.pyi']), f'every name of gnd.{group}')
    array = next(n for n in stubs['_core.pyi'].body
                 if isinstance(n, ast.ClassDef) and n.name == 'ndarray')
    methods = {n.name for n in array.body if isinstance(n, ast.FunctionDef)} | {'real', 'imag'}
    lacking = {n for n in dir(gnd.ndarray) if not n.startswith('_')} - methods
    if not t.ok(not lacking, 'every method of ndarray'):
        t.say(sorted(lacking))


def test_methods():
    x = gnd.ones(2)
    t.ok(str(inspect.signature(gnd.ndarray.sum)).startswith('(self, /, axis=None') and
         str(inspect.signature(x.sum)).startswith('(axis=None') and str(inspect.signature(x.conj)) == '()',
         'methods show their parameters, bound or not')


def test_signatures():
    without = []
    modules = [gnd] + [getattr(gnd, g) for g in ('linalg', 'fft', 'random', 'special', 'signal')]
    for m in modules:
        for n, f in vars(m).items():
            if isinstance(f, (types.BuiltinFunctionType, types.FunctionType)) and n[0] != '_':
                try:
                    inspect.signature(f)
                    if not f.__doc__:
                        raise ValueError('no docstring')
                except ValueError as e:
                    without.append(f'{m.__name__}.{n}: {e}')
    if not t.ok(not without, 'every function has a signature and a docstring'):
        t.say(without)
    want = '(x, axis=None, dtype=None, *, keepdims=False, initial=None, where=True)'
    t.ok(str(inspect.signature(gnd.sum)) == want, 'that of gnd.sum')
    t.ok('The sum of elements' in gnd.sum.__doc__ and not hasattr(gnd, 'reduce'), 'help')


def test_stubtest():
    python = os.path.join(os.environ['GND_BUILDDIR'], 'clients', 'venv', 'bin', 'python')
    if not os.path.exists(python) or subprocess.run([python, '-c', 'import mypy'], capture_output=True).returncode:
        python = sys.executable
        if importlib.util.find_spec('mypy') is None:
            t.skip("mypy's stubtest", 'no mypy: ./quickstart check installs it')
            return
    allowed = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'stubtest-allow.txt')
    place = os.path.join(os.environ['GND_BUILDDIR'], 'python')
    with tempfile.TemporaryDirectory() as folder:
        got = subprocess.run([python, '-m', 'mypy.stubtest', 'gnd', '--concise', '--ignore-unused-allowlist',
                              '--allowlist', allowed], cwd=folder, env={**os.environ, 'MYPYPATH': place},
                             capture_output=True, text=True)
    if not t.ok(got.returncode == 0, "mypy's stubtest finds the stubs right"):
        t.say(got.stdout[-4000:] + got.stderr[-2000:])


t.run([test_stubs, test_methods, test_signatures, test_stubtest])
