#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_pip.py - pip builds the package: an sdist of the tree, and from it a wheel with the library and
# its plugins inside, which is used outside of the tree by this Python and by those that
# GND_TEST_PYTHONS names. No network. The library is that of this build. With GND_TEST_ALL pip builds
# it too, auditwheel, where it is installed, repairs the wheel, and a second wheel links to an
# installed library.
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import pytap as t

SOURCE, BUILD = os.environ['GND_SRCDIR'], os.environ['GND_BUILDDIR']
BACKEND = 'from setuptools import build_meta as b; '
PROGRAM = '''
import os, sys
import gnd, numpy
assert gnd.__file__.startswith(sys.argv[1]), gnd.__file__
x = gnd.sin(gnd.arange(3., device=sys.argv[2]))
assert numpy.allclose(gnd.asnumpy(x), numpy.sin(numpy.arange(3.))) or sys.argv[2] == 'null:0'
with open('/proc/self/maps') as f:
    names = {line.split()[-1] for line in f if '/' in line}
print(*sorted(n for n in names if 'libgnd-' in n or 'gnd-opencl' in n))
'''


def command(words, where=None, **environment):
    """How a command ended; the settings of build/run, which find what is not installed, are not for it."""
    drop = ('LD_LIBRARY_PATH', 'PYTHONPATH', 'GND_BACKEND_PATH', 'CFLAGS', 'GND_PYTHON_LIB', 'GND_DEVICE')
    env = {k: v for k, v in os.environ.items() if k not in drop}
    env.update(environment)
    return subprocess.run(words, cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def works(words, name, where=None, **environment):
    r = command(words, where, **environment)
    if not t.ok(r.returncode == 0, name):
        t.say(r.stdout[-3000:])
    return r.stdout if r.returncode == 0 else None


def skip(why):
    print(f'1..0 # SKIP {why}')
    sys.exit(0)


def pythons():
    """Interpreters from 3.10 on that have NumPy, by version."""
    found = {}
    for p in [sys.executable, *os.environ.get('GND_TEST_PYTHONS', '').split()]:
        r = command([p, '-c', 'import sys, numpy; print(*sys.version_info[:2], numpy.__version__)'])
        if r.returncode == 0:
            found[tuple(map(int, r.stdout.split()[:2])), r.stdout.split()[2]] = p
    return found


def make_sdist(folder):
    """An sdist of a copy of the tree, unpacked; its folder."""
    tree = os.path.join(folder, 'tree')
    out = {'.git', 'build', '.libs', '.deps', 'autom4te.cache', '__pycache__', os.path.basename(BUILD)}
    shutil.copytree(SOURCE, tree, ignore=lambda d, names: out & set(names), symlinks=True)
    works([sys.executable, '-c', BACKEND + f'b.build_sdist({folder!r})'], 'an sdist', tree)
    found = glob.glob(os.path.join(folder, 'gnd-*.tar.gz'))
    if not t.ok(len(found) == 1, 'one file'):
        return None
    with tarfile.open(found[0]) as f:
        f.extractall(folder)
    unpacked = found[0][:-len('.tar.gz')]
    r = command(['git', 'ls-files'], SOURCE)
    if r.returncode == 0 and r.stdout:
        lacking = [n for n in r.stdout.splitlines() if not os.path.exists(os.path.join(unpacked, n))
                   and os.path.exists(os.path.join(SOURCE, n))
                   and not n.startswith(('.github', '.git', '.clang-tidy'))]
        if not t.ok(not lacking, 'it has every file of the tree'):
            t.say('\n'.join(lacking))
    t.ok(os.path.exists(os.path.join(unpacked, 'configure')), 'and configure')
    shutil.rmtree(tree)
    return unpacked


def make_wheel(source, folder, **environment):
    os.makedirs(folder)
    works([sys.executable, '-m', 'pip', 'wheel', '-q', '--no-build-isolation', '--no-deps', '--no-index', '-w', folder, '.'],
          f'pip wheel . ({environment["GND_PYTHON_LIB"]})', source, **environment)
    found = glob.glob(os.path.join(folder, '*.whl'))
    name = os.path.basename(found[0]) if found else ''
    t.ok(re.fullmatch(r'gnd-[0-9.]+-cp310-abi3-linux_\w+\.whl', name), f'its name: {name}')
    return found[0] if found else None


def use_wheel(wheel, folder, own):
    """Every Python uses the wheel; own: the library is in it, else in that folder."""
    with zipfile.ZipFile(wheel) as f:
        f.extractall(folder)
        names = f.namelist()
    for n in ('gnd/_core.abi3.so', 'gnd/py.typed', 'gnd/__init__.pyi', 'gnd/_core.pyi', 'gnd/fft.pyi', 'gnd/cuda/__init__.py'):
        t.ok(n in names, f'it has {n}')
    t.ok(any(n.startswith('gnd/_lib/libgnd-') for n in names) == (own is True), 'and the library, or not')
    lib = os.path.join(folder, 'gnd', '_lib') if own is True else own
    device = 'opencl:pocl' if os.path.exists(os.path.join(lib, 'gnd', 'gnd-opencl.so')) else 'null:0'
    for (version, numpy), p in pythons().items():
        out = works([p, '-c', PROGRAM, folder, device], f'Python {version[0]}.{version[1]} with NumPy {numpy} uses it',
                    folder, PYTHONPATH=folder)
        loaded = (out or '').split()
        t.ok(any(n.startswith(lib + '/libgnd-') for n in loaded) and
             (device == 'null:0' or any(n.startswith(lib + '/gnd/') for n in loaded)),
             'with its library and plugins')


def installed(folder):
    """make install of this build there: the folders of its library and of its gnd.pc."""
    if works(['make', '-s', 'install-runtime', 'install-data', f'DESTDIR={folder}'], 'make install', BUILD) is None:
        return None, None
    pc = glob.glob(os.path.join(folder, '**', 'gnd.pc'), recursive=True)[0]
    with open(pc, encoding='utf-8') as f:
        text = f.read()
    with open(pc, 'w', encoding='utf-8') as f:
        f.write(re.sub(r'^prefix=', f'prefix={folder}', text, flags=re.M))
    return os.path.dirname(os.path.dirname(pc)), os.path.dirname(pc)


def audit(wheel, folder):
    if command([sys.executable, '-m', 'auditwheel', '--version']).returncode:
        print('ok - auditwheel # SKIP it is not installed'.replace('ok -', f'ok {t._count + 1} -'))
        t._count += 1
        return
    works([sys.executable, '-m', 'auditwheel', 'repair', '--exclude', 'libOpenCL.so.1', '--exclude', 'libcuda.so.1', '-w',
           folder, wheel], 'auditwheel repair')
    found = glob.glob(os.path.join(folder, '*.whl'))
    t.ok(len(found) == 1 and 'manylinux' in found[0], f'a wheel for manylinux: {list(map(os.path.basename, found))}')
    if found:
        use_wheel(found[0], os.path.join(folder, 'used'), True)


def test_pip():
    with tempfile.TemporaryDirectory() as folder:
        source = make_sdist(folder)
        if not source:
            return
        every = 'GND_TEST_ALL' in os.environ
        wheel = make_wheel(source, os.path.join(folder, 'whole'), GND_PYTHON_LIB='own' if every else BUILD,
                           CFLAGS='-O1' if every else '-O0')
        if wheel:
            use_wheel(wheel, os.path.join(folder, 'two'), True)
        if wheel and every:
            audit(wheel, os.path.join(folder, 'audited'))
        if every:
            test_installed(source, folder)
        r = command([sys.executable, 'setup.py', '-q', 'build_ext'], source, GND_PYTHON_LIB='installed', PKG_CONFIG_PATH=folder,
                    PKG_CONFIG_LIBDIR=folder)
        t.ok(r.returncode and 'PKG_CONFIG_PATH is to have the folder of its gnd.pc' in r.stdout,
             'without an installed libgnd it says what to do')


def test_installed(source, folder):
    lib, pc = installed(os.path.join(folder, 'stage'))
    if lib:
        wheel = make_wheel(source, os.path.join(folder, 'linked'), GND_PYTHON_LIB='installed', PKG_CONFIG_PATH=pc,
                           CFLAGS='-O0')
        if wheel:
            use_wheel(wheel, os.path.join(folder, 'one'), lib)


for module in ('pip', 'setuptools', 'wheel'):
    if command([sys.executable, '-c', f'import {module}']).returncode:
        skip(f'this Python has no {module} (Debian: python3-{module})')
t.run([test_pip])
