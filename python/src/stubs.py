#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the stubs of the Python package (gnd/*.pyi) from gnd's table and the package itself, which
has to be on PYTHONPATH: make does it after the extension is built, and pip.

    python3 python/src/stubs.py FOLDER
"""
import inspect
import os
import re
import sys

import gnd
import gnd.cuda  # it adds methods
from gnd import _core
from gnd import _protocols
from gnd._signatures import shown

HEAD = '''# SPDX-License-Identifier: BSD-3-Clause
# Written by python/src/stubs.py from gnd's table of functions.
'''
IMPORTS = '''from collections.abc import Sequence
from typing import Any, final

'''
TYPES = IMPORTS + '''import numpy
from numpy.typing import ArrayLike as _NumpyArrayLike, DTypeLike as DTypeLike

ArrayLike = ndarray | _NumpyArrayLike
DeviceLike = Device | str | None
Axis = int | Sequence[int] | None
Shape = int | Sequence[int]

version: str
'''
MAIN = '''from . import (compiler as compiler, cuda as cuda, driver as driver, kernel as kernel,
               lib as lib, mpi as mpi, polynomial as polynomial)
from ._benchmark import benchmark as benchmark
from ._core import (ArrayLike as ArrayLike, Axis as Axis, Device as Device,
                    DeviceLike as DeviceLike, DTypeLike as DTypeLike, Error as Error,
                    Shape as Shape, ndarray as ndarray)
from ._info import finfo as finfo, iinfo as iinfo
from ._jit import jit as jit
from ._poly import poly1d as poly1d
from ._ufunc import ufunc as ufunc
from ._stream import (Event as Event, Stream as Stream,
                      get_current_stream as get_current_stream)
from ._memory import (MemoryPool as MemoryPool,
                      get_default_memory_pool as get_default_memory_pool)
from ._vectorize import vectorize as vectorize
from .kernels import RawKernel as RawKernel, RawModule as RawModule, fuse as fuse
from .snippets import (ElementwiseKernel as ElementwiseKernel,
                       ReductionKernel as ReductionKernel)

_bool = builtins.bool
_int = builtins.int
_float = builtins.float
__array_api_version__: str

def __array_namespace_info__() -> Any: ...

e: builtins.float
pi: builtins.float
inf: builtins.float
nan: builtins.float
newaxis: None
exceptions: Any
mgrid: Any
ogrid: Any
r_: Any
c_: Any

'''
GROUPS = ('linalg', 'fft', 'random', 'special', 'signal')
ARRAYS = frozenset(
    'x x1 x2 a b y v a1 a2 ar1 ar2 f c condition mask values sample src dst'.split())
TUPLES = frozenset('nonzero broadcast_shapes tril_indices triu_indices tril_indices_from lstsq '
                   'triu_indices_from diag_indices ix_ histogram2d histogramdd'.split())
RETURNS = {
    'result_type':
    'numpy.dtype[Any]',
    'isdtype':
    'bool',
    'can_cast':
    'bool',
    'ndim':
    'int',
    **dict.fromkeys(
        '''where unique unique_all unique_counts unique_inverse svd qr eig eigh slogdet
               gradient average size intersect1d seed polyfit'''.split(), 'Any')
}


def type_of(name, default, group):
    """The type of a parameter by its name and its default, a text or None."""
    if name in ('device', 'dtype') and default != '0':
        return 'DeviceLike' if name == 'device' else 'DTypeLike' + (
            '' if default != 'None' else ' | None')
    if name == 'axis':
        return 'Axis'
    if name in ('shape', 'size', 'newshape') and group != 'signal':
        return 'Shape' + (' | None' if default == 'None' else '')
    if name in ARRAYS or name == 'where':
        return 'ArrayLike' + (' | None' if default == 'None' else '')
    if name == 'optimize':  # einsum takes paths as well
        return 'Any'
    if default in ('True', 'False'):
        return 'bool'
    if default and default[0] in '\'"' and name != 'ord':
        return 'str'
    return 'Any'


def function(name, parameters, group):
    """A function of the table as a line of a stub."""
    short, parts, out = name.rpartition('.')[2], [], []
    for p in re.split(r', (?![^(]*\))', parameters) if parameters else ():
        if p in ('*', '/'):
            parts.append(p)
            continue
        n, _, default = p.partition('=')
        bare = n.lstrip('*')
        kind = 'ArrayLike' if n == '*arrays' else type_of(bare, default or None, group)
        parts.append(f'{n}: {kind}' + (' = ...' if default else ''))
    result = RETURNS.get(short, 'ndarray')
    if short in TUPLES or short in _tuples:
        result = 'tuple[Any, ...]'
    out.append(f"def {short}({', '.join(parts)}) -> {result}: ...")
    return out[0]


def python_function(f, name, method=False):
    """A function written in Python as a line of a stub."""
    parts, star, slash = [], False, False
    ps = list(inspect.signature(f).parameters.values())
    for i, p in enumerate(ps):
        if slash and p.kind is not p.POSITIONAL_ONLY:
            parts.append('/')
            slash = False
        slash = slash or p.kind is p.POSITIONAL_ONLY
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append('*')
            star = True
        star = star or p.kind is p.VAR_POSITIONAL
        mark = {p.VAR_POSITIONAL: '*', p.VAR_KEYWORD: '**'}.get(p.kind, '')
        has = p.default is not p.empty
        kind = type_of(p.name, repr(p.default) if has else None, 'main')
        parts.append(p.name if method and not i else f'{mark}{p.name}: {kind}' +
                     (' = ...' if has else ''))
    return f"def {name}({', '.join(parts + ['/'] * slash)}) -> {_PYTHON.get(name, 'Any')}: ..."


_PYTHON = dict.fromkeys(
    '''asarray array asanyarray ascontiguousarray from_dlpack reshape ravel permute_dims transpose
    matrix_transpose swapaxes moveaxis expand_dims squeeze flip flipud fliplr broadcast_to copy
    astype flatten to_device wait'''.split(), 'ndarray')
_PYTHON.update(synchronize='None',
               evaluate='None',
               explain='str',
               asnumpy='numpy.ndarray[Any, Any]',
               get='numpy.ndarray[Any, Any]',
               fill='None',
               sort='None',
               put='None',
               tobytes='bytes')
_tuples = set()


def core():
    """gnd._core: the types."""
    lines = [HEAD, TYPES, 'def __getattr__(name: str) -> Any: ...', '']
    lines += ['class Error(RuntimeError): ...', '', '@final', 'class Device:']
    lines += [
        '    id: str', '    def __new__(cls, spec: Device | str | None = ...) -> Device: ...',
        '    def __enter__(self) -> Device: ...',
        '    def __exit__(self, *args: Any) -> None: ...', '    def use(self) -> None: ...',
        '    def synchronize(self) -> None: ...', '    def info(self) -> dict[str, Any]: ...',
        '    def stats(self) -> dict[str, int]: ...',
        '    def set_limit(self, nbytes: int, /) -> None: ...',
        '    def reset_peak(self) -> None: ...', '    def free_unused(self) -> None: ...', ''
    ]
    lines += [
        'def devices() -> list[dict[str, Any]]: ...', 'def evaluate(*arrays: ndarray) -> None: ...',
        'def explain(*arrays: ndarray, source: bool = ...) -> str: ...',
        'def to_device(x: ndarray, device: DeviceLike) -> ndarray: ...', ''
    ]
    lines += ['@final', 'class ndarray:']
    own = {
        'shape': 'tuple[int, ...]',
        'strides': 'tuple[int, ...]',
        'ndim': 'int',
        'size': 'int',
        'itemsize': 'int',
        'nbytes': 'int',
        'dtype': 'numpy.dtype[Any]',
        'device': 'Device',
        'base': 'ndarray | None',
        'flags': 'Any',
        'flat': 'Any',
        **dict.fromkeys(('T', 'mT'), 'ndarray')
    }
    for n, kind in own.items():
        lines += ['    @property', f'    def {n}(self) -> {kind}: ...']
    lines += [
        '    real: ndarray', '    imag: ndarray', '    __hash__: None  # type: ignore[assignment]'
    ]
    numbers = {
        '__bool__': 'bool',
        '__int__': 'int',
        '__float__': 'float',
        '__complex__': 'complex',
        '__index__': 'int',
        '__len__': 'int',
        '__iter__': 'Any',
        '__str__': 'str',
        '__repr__': 'str'
    }
    lines += [f'    def {n}(self) -> {kind}: ...' for n, kind in numbers.items()]
    lines += [
        f'    def __{m}pow__(self, other: Any, mod: Any = ..., /) -> ndarray: ...' for m in ('', 'r')
    ]
    lines += ['    def __ipow__(self, other: Any, /) -> ndarray: ...  # type: ignore[misc]']
    for op in 'add sub mul truediv floordiv mod matmul and or xor lshift rshift'.split():
        lines += [
            f'    def __{m}{op}__(self, other: Any, /) -> ndarray: ...' for m in ('', 'r', 'i')
            if hasattr(gnd.ndarray, f'__{m}{op}__')
        ]
    lines += [
        f'    def __{op}__(self, other: Any, /) -> Any: ...'
        for op in ('eq', 'ne', 'lt', 'le', 'gt', 'ge')
    ]
    lines += [f'    def __{op}__(self) -> ndarray: ...' for op in ('neg', 'pos', 'abs', 'invert')]
    lines += [
        '    def __getitem__(self, key: Any, /) -> ndarray: ...',
        '    def __setitem__(self, key: Any, value: Any, /) -> None: ...'
    ]
    for n, f in _protocols.METHODS.items():
        if not n.startswith('__') or n == '__reduce__':
            continue
        if isinstance(f, property):
            lines += ['    @property', f'    def {n}(self) -> dict[str, Any]: ...']
        else:
            lines.append('    ' + python_function(f, n, True) if callable(f) else f'    {n}: int')
    table = {n: (p, g) for n, m, p, g, _ in _core._functions() if m}
    for n in sorted(k for k in dir(gnd.ndarray)
                    if not k.startswith('_') and k not in own and k not in ('real', 'imag')):
        f = getattr(gnd.ndarray, n)
        if n in table and inspect.ismethoddescriptor(f):
            text = function(n, shown(n, table[n][0], True), table[n][1])
            lines.append('    ' + text.replace('(', '(self, ', 1).replace('(self, )', '(self)'))
        else:
            lines.append('    ' + python_function(f, n, True))
    return '\n'.join(lines) + '\n'


def modules():
    """The text of each stub by its file name."""
    table = {(n, m): (p, g, t) for n, m, p, g, t in _core._functions()}
    _tuples.update(
        n.rpartition('.')[2] for (n, m), (p, g, t) in table.items() if t.endswith('a tuple.'))
    use = ('from ._core import ArrayLike, Axis, DeviceLike, DTypeLike, Shape, ndarray\n'
           'from ._ufunc import ufunc\n\n')
    texts = {'_core.pyi': core()}
    for group in GROUPS:
        m = getattr(gnd, group)
        lines = []
        for n in sorted(vars(m)):
            f, row = vars(m)[n], table.get((f'{group}.{n}', 0)) or table.get((n, 0))
            if n.startswith('_') or isinstance(f, type):
                continue
            lines.append(
                f'{n}: ufunc' if isinstance(f, gnd.ufunc) else python_function(f, n) if inspect.isfunction(f) or not row else function(
                    n, shown(n, row[0]), group))
        classes = [
            f'from {f.__module__} import {n} as {n}' for n, f in sorted(vars(m).items())
            if isinstance(f, type) and n != 'LinAlgError'
        ]
        if hasattr(m, 'LinAlgError'):
            classes.append('from numpy.linalg import LinAlgError as LinAlgError')
        texts[group + '.pyi'] = HEAD + IMPORTS + use + '\n'.join(classes + lines) + '\n'
    lines = []
    for n in sorted(vars(gnd)):
        f, row = vars(gnd)[n], table.get((n, 0))
        if n.startswith('_') or n in GROUPS or inspect.ismodule(f) or n in gnd._LAZY or (
                n in gnd._names.NAMES):
            continue
        if isinstance(f, type) or not callable(f):
            continue
        if isinstance(f, gnd.ufunc):
            lines.append(f'{n}: ufunc')
            continue
        python = (inspect.isfunction(f) and not hasattr(f, '__wrapped__')) or not row
        lines.append(python_function(f, n) if python else function(n, shown(n, row[0]), 'main'))
    dtypes = [
        n for n in sorted(vars(gnd))
        if n in gnd._names.NAMES and n != 'exceptions' or isinstance(vars(gnd)[n], type) and vars(
            gnd)[n].__module__ == 'numpy' and n not in ('bool', 'int_', 'float_')
    ]
    names = ', '.join(f'{n} as {n}' for n in dtypes)
    head = HEAD + 'import builtins\n' + IMPORTS + 'import numpy\nfrom numpy import bool_ as bool, int64 as int_, float64 as float_\n' + f'from numpy import ({names})\n'
    head = wrapped(head)
    head += 'from numpy.linalg import LinAlgError as LinAlgError\n\n'
    head += f"from . import {', '.join(f'{g} as {g}' for g in GROUPS)}\n"
    head += MAIN
    lines = [t for t in lines if not t.startswith(('def iinfo', 'def bool('))]
    text = re.sub(r'(?<=: |> )(bool|int|float)\b', r'_\1', '\n'.join(lines))
    texts['__init__.pyi'] = head + text + '\n'
    return {n: wrapped(t) for n, t in {**texts, **mpi_modules()}.items()}


MPI = IMPORTS + '''import builtins

import numpy
from numpy.typing import ArrayLike as _NumpyArrayLike, DTypeLike as DTypeLike

from .. import Device as Device, ndarray as _local
from numpy import bool_ as bool, int64 as int_, float64 as float_

e: builtins.float
euler_gamma: builtins.float
pi: builtins.float
inf: builtins.float
nan: builtins.float
little_endian: builtins.bool
newaxis: None
mgrid: Any
ogrid: Any
r_: Any
c_: Any
ArrayLike = ndarray | _local | _NumpyArrayLike
DeviceLike = Device | str | None
Axis = int | Sequence[int] | None
Shape = int | Sequence[int]
'''


def of_any(f, name, method=False):
    """The line of a function whose parameters may be anything."""
    parts, star = [], ''
    for p in inspect.signature(f).parameters.values():
        if p.kind == p.KEYWORD_ONLY and not star:
            star = '*, '
            parts += ['*'] if not any(q.startswith('*') for q in parts) else []
        mark = {p.VAR_POSITIONAL: '*', p.VAR_KEYWORD: '**'}.get(p.kind, '')
        first = method and not parts and p.name == 'self'
        parts.append('self' if first else f"{mark}{p.name}: Any{'' if p.default is p.empty else ' = ...'}")
        if p.kind == p.POSITIONAL_ONLY:
            parts = [q for q in parts if q != '/'] + ['/']
    return f"def {name}({', '.join(parts)}) -> Any: ..."


def mpi_class(c):
    """A class of gnd.mpi: what is written in Python and in C."""
    kinds = {'closed': 'bool', 'rank': 'int', 'size': 'int', 'ndim': 'int', 'nbytes': 'int', 'device': 'Device',
             'shape': 'tuple[int, ...]', 'dtype': 'numpy.dtype[Any]', 'partition': 'Partition', 'context': 'Context',
             'local': '_local'}
    lines = ['@final', f'class {c.__name__}:']
    for n, f in sorted(vars(c).items()):
        if n.startswith('_') and n not in ('__enter__', '__exit__', '__iter__', '__array__', '__array_ufunc__', '__array_function__'):
            continue
        if inspect.isdatadescriptor(f):
            lines += ['    @property', f"    def {n}(self) -> {kinds.get(n, 'ndarray')}: ..."]
        elif inspect.isfunction(f) and str(inspect.signature(f)) != '(self, *args, **keywords)':
            lines.append('    ' + python_function(f, n, True).replace('-> ndarray', '-> Any'))
        else:
            lines.append('    ' + (of_any(f, n, True) if callable(f) else f'{n}: {f}'))
    if c.__name__ == 'ndarray':
        for op in 'add sub mul truediv floordiv mod matmul and or xor lshift rshift'.split():
            lines += [f'    def __{m}{op}__(self, other: Any, /) -> ndarray: ...' for m in ('', 'r', 'i')]
        lines += [f'    def __{m}pow__(self, other: Any, mod: Any = ..., /) -> ndarray: ...' for m in ('', 'r')]
        lines += ['    def __ipow__(self, other: Any, /) -> ndarray: ...  # type: ignore[misc]']
        lines += [f'    def __{op}__(self, other: Any, /) -> Any: ...' for op in ('eq', 'ne', 'lt', 'le', 'gt', 'ge')]
        lines += [f'    def __{op}__(self) -> ndarray: ...' for op in ('neg', 'pos', 'abs', 'invert')]
        lines += [f'    def __{n}__(self) -> {n}: ...' for n in ('int', 'float', 'complex')]
        lines += ['    def __bool__(self) -> bool: ...', '    def __len__(self) -> int: ...',
                  '    def __getitem__(self, key: Any, /) -> ndarray: ...',
                  '    def __setitem__(self, key: Any, value: Any, /) -> None: ...']
    return lines + ['']


def mpi_modules():
    """Those of gnd.mpi, where it is."""
    try:
        from gnd import mpi
    except ImportError:
        return {}
    table = {n: (shown(n, p), g) for n, m, p, g, _ in _core._functions() if not m}
    texts = {}

    def lines_of(where, group):
        lines = []
        for n, f in sorted(vars(where).items()):
            if n.startswith('_') or not callable(f) or isinstance(f, type) or f is vars(gnd).get(n):
                continue
            if inspect.isfunction(f):
                lines.append(python_function(f, n))
                continue
            row = table.get(f'{group}.{n}') or table.get(n)
            if not row or '*' in row[0].replace('*, ', ''):
                lines.append(of_any(f, n))
                continue
            shown = row[0].replace('*, device=None', '').replace(', device=None', '').rstrip(', ')
            more = f"{'' if '*' in shown else '*, '}partition: Partition | None = ..., out: ndarray | None = ...) -> Any: ..."
            lines.append(re.sub(r'\) -> .*', f', {more}', function(n, shown, row[1])))
        return [t.replace('(, *, ', '(*, ') for t in lines]

    for group in GROUPS:
        texts[f'mpi/{group}.pyi'] = HEAD + IMPORTS + 'from . import ArrayLike, Axis, DTypeLike, Partition, Shape, ndarray\n\n' + (
            '\n'.join(lines_of(getattr(mpi, group), group)) + '\n')
    own = [t for c in (mpi.Context, mpi.Partition, mpi.ndarray) for t in mpi_class(c)]
    alike = [n for n, f in sorted(vars(mpi).items()) if n[0] != '_' and n not in GROUPS and f is vars(gnd).get(n) and (
        n not in ('bool', 'int_', 'float_') and not isinstance(f, (float, bool, type(None))))]
    alike = 'from .. import (' + ', '.join(f'{n} as {n}' for n in alike if n not in ('Device', 'ndarray')) + ')\n'
    text = MPI + alike + f"from . import {', '.join(f'{g} as {g}' for g in GROUPS)}\n\n" + '\n'.join(own + lines_of(mpi, '')) + '\n'
    # The module has functions of these names.
    texts['mpi/__init__.pyi'] = HEAD + re.sub(r'(?<=[:>=|] |.\[)(bool|int|float|complex)\b', r'builtins.\1', text)
    texts['_mpi.pyi'] = HEAD + 'from typing import Any\n\n' + ''.join(
        f'{n}: int\n' for n, v in sorted(vars(mpi._mpi).items()) if isinstance(v, int)) + 'def __getattr__(name: str) -> Any: ...\n'
    return texts


def wrapped(text):
    """Lines of at most 99 columns."""
    out = []
    for line in text.split('\n'):
        indent = ' ' * (line.find('(') + 1 or 8)
        while len(line) > 99 and ', ' in line[:98]:
            cut = line.rfind(', ', 0, 98) + 1
            out.append(line[:cut])
            line = indent + line[cut + 1:]
        out.append(line)
    return '\n'.join(out)


if __name__ == '__main__':
    for file, text in modules().items():
        with open(os.path.join(sys.argv[1], file), 'w', encoding='utf-8') as f:
            f.write(text)
