# SPDX-License-Identifier: BSD-3-Clause
"""setup.py - the extensions gnd._core and, where libgnd-mpi is, gnd._mpi for pip; what can be said without code is in pyproject.toml.

The extension is linked to an installed libgnd of the same version, which pkg-config finds, or to one that is built
here and put into the package with its plugins (gnd/_lib). GND_PYTHON_LIB chooses: "installed", "own", or the folder of
a build of this tree (such as that of ./quickstart), whose library is put into the package.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r'AC_INIT\(\[gnd\], \[([0-9.]+)\]', (ROOT / 'configure.ac').read_text())[1]
# The autotools' build is in build/ too: what pip builds has a folder of its own there.
BASE = 'build/wheel'


def run(command, **keywords):
    print('+', ' '.join(map(str, command)), flush=True)
    try:
        subprocess.run([str(c) for c in command], check=True, **keywords)
    except (OSError, subprocess.CalledProcessError) as e:
        sys.exit(f'setup.py: {e}')


def pkg_config(*options, of='gnd'):
    """The words that pkg-config says of gnd; None without it or without gnd."""
    try:
        r = subprocess.run([os.environ.get('PKG_CONFIG', 'pkg-config'), *options, of], capture_output=True, text=True)
    except OSError:
        return None
    return r.stdout.split() if r.returncode == 0 else None


def bootstrap():
    if (ROOT / '.git').exists() or not (ROOT / 'configure').exists():
        run(['./bootstrap'], cwd=ROOT)


def built(where):
    """Builds libgnd and its plugins in a folder, in which it is configured first if that was not done. Returns the
    library's path; its plugins are in the folder gnd beside it."""
    if not (where / 'config.status').exists():
        bootstrap()
        where.mkdir(parents=True, exist_ok=True)
        run([ROOT / 'configure', '-q', '--without-python', 'CFLAGS=' + os.environ.get('CFLAGS', '-O2')], cwd=where)
    stage = where / 'stage'
    shutil.rmtree(stage, ignore_errors=True)
    run(['make', '-s', f'-j{os.cpu_count() or 1}', 'install-runtime', f'DESTDIR={stage}'], cwd=where)
    found = list(stage.rglob(f'libgnd-{VERSION}.so.0'))
    if len(found) != 1:
        sys.exit(f'setup.py: {where}: one libgnd-{VERSION}.so.0 is expected in {stage}, not {len(found)}')
    return found[0]


class BuildExt(build_ext):
    """Finds or builds libgnd, builds the extension, and lets the package write its stubs."""

    def run(self):
        wanted = os.environ.get('GND_PYTHON_LIB', '')
        version = pkg_config('--modversion')
        self.lib = None
        if wanted == 'installed' and version != [VERSION]:
            sys.exit(f'setup.py: GND_PYTHON_LIB=installed: pkg-config finds {"libgnd " + version[0] if version else "no libgnd"}, '
                     f'and {VERSION} is needed: PKG_CONFIG_PATH is to have the folder of its gnd.pc')
        if wanted == 'installed' or (not wanted and version == [VERSION]):
            print(f'setup.py: links to the installed libgnd {VERSION}')
        elif wanted in ('', 'own'):
            print(f'setup.py: builds libgnd {VERSION} and puts it into the package '
                  f'({"libgnd " + version[0] + " is" if version else "none is"} installed)')
            self.folder = Path(self.build_temp).resolve() / 'libgnd'
            self.lib = built(self.folder)
        else:
            self.folder = Path(wanted).resolve()
            if not (self.folder / 'config.status').exists():
                sys.exit(f'setup.py: GND_PYTHON_LIB={wanted}: "installed", "own" or the folder of a build is wanted')
            self.lib = built(self.folder)
        shutil.rmtree(self.home() / '_lib', ignore_errors=True)
        self.mpi = self.mpi_flags()
        if self.mpi is None:
            print('setup.py: no libgnd-mpi, so gnd.mpi will be an ImportError that says what to install')
            self.extensions = [e for e in self.extensions if e.name != 'gnd._mpi']
        self.force = True  # what was built before may be linked to another library
        super().run()
        self.write_stubs()

    def home(self):
        return Path(self.get_ext_fullpath('gnd._core')).resolve().parent

    def mpi_flags(self):
        """How gnd._mpi is compiled and linked; None where libgnd-mpi is not."""
        if not self.lib:
            words = pkg_config('--cflags', '--libs', of='gnd-mpi')
            return None if words is None else ([w for w in words if not w.startswith(('-L', '-l', '-Wl'))],
                                               [w for w in words if w.startswith(('-L', '-l', '-Wl'))])
        if not self.mpi_library():
            return None
        made = (self.folder / 'Makefile').read_text()
        return tuple(re.search(rf'^MPI_{what} = (.*)', made, re.M)[1].split() for what in ('CFLAGS', 'LIBS'))

    def mpi_library(self):
        return next(iter(self.lib.parent.glob(f'libgnd-mpi-{VERSION}.so.0')), None)

    def build_extension(self, ext):
        mpi = ext.name == 'gnd._mpi'
        if mpi:
            ext.extra_compile_args += self.mpi[0]
        if self.lib:
            there = self.home() / '_lib'
            if not there.exists():
                self.ship()
            ext.include_dirs += [str(ROOT / 'include'), str(self.folder / 'include')]
            ext.extra_link_args += [str(there / f.name) for f in (mpi and self.mpi_library(), self.lib) if f]
            ext.extra_link_args += ['-Wl,-rpath,$ORIGIN/_lib', *(self.mpi[1] if mpi else [])]
        else:
            libs = self.mpi[1] if mpi else pkg_config('--libs')
            ext.extra_compile_args += [] if mpi else pkg_config('--cflags')
            ext.extra_link_args += libs + [f'-Wl,-rpath,{f[2:]}' for f in libs if f.startswith('-L')]
        super().build_extension(ext)

    def ship(self):
        """Copies the libraries and what they load into the package."""
        there = self.home() / '_lib'
        (there / 'gnd').mkdir(parents=True)
        files = [(f, there / f.name) for f in (self.lib, self.mpi_library()) if f]
        files += [(f, there / 'gnd' / f.name) for f in sorted((self.lib.parent / 'gnd').glob('*.so'))]
        for source, copy in files:
            shutil.copy(source, copy)
            if shutil.which('strip'):
                run(['strip', '--strip-unneeded', copy])

    def write_stubs(self):
        package = self.home()
        path = os.pathsep.join(filter(None, (str(package.parent), os.environ.get('PYTHONPATH'))))
        run([sys.executable, '-B', ROOT / 'python' / 'src' / 'stubs.py', package], env={**os.environ, 'PYTHONPATH': path})

    def get_outputs(self):
        package = self.home()
        more = [*package.rglob('*.pyi'), *(package / '_lib').rglob('*.so*')]
        return super().get_outputs() + [str(f) for f in more]


class Sdist(sdist):
    """The tree with a configure that is made."""

    def run(self):
        bootstrap()
        super().run()


os.makedirs(ROOT / BASE, exist_ok=True)
os.chdir(ROOT)
setup(version=VERSION, license='BSD-3-Clause', cmdclass={'build_ext': BuildExt, 'sdist': Sdist},
      ext_modules=[Extension(name, sorted(glob.glob(f'python/{folder}/*.c')), depends=sorted(glob.glob('python/*/*.h')),
                             py_limited_api=True, define_macros=[('Py_LIMITED_API', '0x030A0000')],
                             extra_compile_args=['-fvisibility=hidden'])
                   for name, folder in (('gnd._core', 'src'), ('gnd._mpi', 'mpi'))],
      options={'bdist_wheel': {'py_limited_api': 'cp310'}, 'build': {'build_base': BASE}, 'egg_info': {'egg_base': BASE}})
