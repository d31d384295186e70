# SPDX-License-Identifier: BSD-3-Clause
#
# setup.py - the extension gnd._core, linked to an installed libgnd, which pkg-config finds. The rest is in
# pyproject.toml.
import glob
import subprocess
import sys

from setuptools import Extension, setup


def pkg_config(option):
    try:
        return subprocess.run(['pkg-config', option, 'gnd'], check=True, capture_output=True, text=True).stdout.split()
    except (OSError, subprocess.CalledProcessError) as e:
        sys.exit(f'libgnd is not installed, or PKG_CONFIG_PATH does not name the folder of gnd.pc: {e}')


libs = pkg_config('--libs')
folders = [f[2:] for f in libs if f.startswith('-L')]
setup(ext_modules=[Extension(
    'gnd._core', sorted(glob.glob('src/*.c')), depends=['src/py.h'], py_limited_api=True,
    define_macros=[('Py_LIMITED_API', '0x030A0000')], extra_compile_args=pkg_config('--cflags'),
    extra_link_args=libs + [f'-Wl,-rpath,{f}' for f in folders])],
    options={'bdist_wheel': {'py_limited_api': 'cp310'}})
