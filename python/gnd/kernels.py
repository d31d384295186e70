# SPDX-License-Identifier: BSD-3-Clause
"""Kernels in CUDA C, OpenCL C or the portable dialect, under CuPy's names: RawKernel, RawModule. gnd/compiler.py has
PyCUDA's names. A launch changes its arrays, except those whose pointers are const in the source."""
import re

from . import _core
from ._core import Device, ndarray
from ._stream import using

_LANGUAGES = {'opencl': 0, 'cuda': 1, 'portable': 2}
_COMPILERS = ('nvrtc', 'nvcc')


def language_of(code, language=None):
    """The number of the source's language: the given one, else the one that the marks of its kernels tell (CUDA C:
    __global__)."""
    if language is not None:
        if language not in _LANGUAGES:
            raise ValueError(f'language {language!r}: there are {", ".join(map(repr, _LANGUAGES))}')
        return _LANGUAGES[language]
    words = re.sub(r'//[^\n]*|/\*.*?\*/', ' ', code, flags=re.S)
    if re.search(r'\bGND_KERNEL\b', words):
        return 2
    return 0 if re.search(r'\b(__kernel|kernel\s+void)\b', words) and '__global__' not in words else 1


def options_of(options):
    """Options as a tuple (as in CuPy) or a string, converted to the string that gnd takes: -D NAME, -D NAME=VALUE.
    Options of nvcc that do not change the meaning are left out."""
    words = options.split() if isinstance(options, str) else [str(o) for o in options]
    kept, take = [], False
    for w in words:
        if take or w.startswith('-D'):
            kept.append(w)
            take = w == '-D' and not take
        elif not re.match(r'-*(std=|use_fast_math|I|arch|lineinfo|G$|O\d|w$|default-device|extra-device)', w):
            raise ValueError(f'options: {w!r}: there are -D NAME and -D NAME=VALUE')
    return ' '.join(kept) or None


def bytes_of(shared_mem):
    n = int(shared_mem)
    if n < 0:
        raise ValueError(f'shared_mem={n}: a number of bytes is wanted')
    return n


class RawModule:
    """The kernels of a source. They are compiled at the first use of one of them, for the device that is then current.

    code, options (-D NAME=VALUE) and backend ('nvrtc', 'nvcc': both mean the device's own compiler) are as in CuPy.
    path: a file with the source. language: 'cuda', 'opencl' or 'portable'; None: told by the marks of the kernels."""

    def __init__(self, code=None, *, path=None, options=(), backend='nvrtc', translate_cucomplex=False,
                 enable_cooperative_groups=False, name_expressions=None, jitify=False, language=None):
        if (code is None) == (path is None):
            raise TypeError('RawModule: one of code and path is wanted')
        if path is not None:
            with open(path) as f:
                code = f.read()
        if backend not in _COMPILERS:
            raise ValueError(f'RawModule: backend {backend!r}: there are {_COMPILERS}')
        if enable_cooperative_groups or name_expressions or jitify or translate_cucomplex:
            raise NotImplementedError('RawModule: cooperative groups, name_expressions (templates), jitify and '
                                      'translate_cucomplex are not there')
        self.code, self.options, self.backend = code, options, backend
        self._options = options_of(options)
        self._language = language_of(code, language)
        self._programs = {}

    def _program(self, device):
        p = self._programs.get(device)
        if p is None:
            p = self._programs[device] = _core._compile(device, self.code, self._language, self._options)
        return p

    def compile(self, log_stream=None):
        """Compiles for the current device now."""
        self._program(Device())

    @property
    def names(self):
        """The kernels, in the order of the source."""
        return self._program(Device()).names

    def get_function(self, name):
        """The kernel of that name. AttributeError, which tells the nearest name, if there is none."""
        self._program(Device()).kernel(name)
        return _Function(self, name)


class _Function:
    """A kernel of a module: kernel(grid, block, args, shared_mem=0)."""

    def __init__(self, module, name):
        self._module, self.name, self._kernels = module, name, {}

    @property
    def code(self):
        return self._module.code

    @property
    def options(self):
        return self._module.options

    @property
    def backend(self):
        return self._module.backend

    def _kernel(self, device):
        k = self._kernels.get(device)
        if k is None:
            k = self._kernels[device] = self._module._program(device).kernel(self.name)
        return k

    def __call__(self, grid, block, args, *, shared_mem=0, stream=None):
        """Launches grid groups of block work-items (ints or tuples of one to three ints). The arrays in args get new
        values, except those whose pointers are const. Numbers take the types of their parameters. stream: the stream of
        the launch; None: the current one."""
        device = next((a.device for a in args if isinstance(a, ndarray)), None) or Device()
        with using(stream, device):
            self._kernel(device).launch(_extents(grid), _extents(block), tuple(args), bytes_of(shared_mem))

    def compile(self, log_stream=None):
        self._kernel(Device())

    @property
    def parameters(self):
        """(name, type, kind, dtype or None, lanes) of each parameter; kind: in, inout, number, shared."""
        return self._kernel(Device()).parameters

    @property
    def attributes(self):
        """The resources that the kernel uses, under CuPy's names; 0: the device does not report it."""
        return {k: v for k, v in self._kernel(Device()).info(1).items() if k not in ('block', 'grid', 'multiple')}

    @property
    def num_regs(self):
        """The number of registers per work-item."""
        return self.attributes['num_regs']

    @property
    def local_size_bytes(self):
        """The bytes of private memory per work-item outside registers."""
        return self.attributes['local_size_bytes']

    @property
    def shared_size_bytes(self):
        """The bytes of local memory that the source declares."""
        return self.attributes['shared_size_bytes']

    @property
    def max_threads_per_block(self):
        """The largest number of work-items per group."""
        return self.attributes['max_threads_per_block']

    def __repr__(self):
        return f'<kernel {self.name}>'


def _extents(e):
    return tuple(int(i) for i in e) if isinstance(e, (tuple, list)) else int(e)


class RawKernel(_Function):
    """One kernel of a source: RawKernel(code, name)(grid, block, args, shared_mem=0). See RawModule for the rest."""

    def __init__(self, code, name, options=(), backend='nvrtc', translate_cucomplex=False, *,
                 enable_cooperative_groups=False, jitify=False, language=None):
        super().__init__(RawModule(code, options=options, backend=backend, translate_cucomplex=translate_cucomplex,
                                   enable_cooperative_groups=enable_cooperative_groups, jitify=jitify,
                                   language=language), name)


def fuse(*args, **keywords):
    """A decorator, with or without arguments, that returns the function itself: gnd fuses operations in any case."""
    if len(args) == 1 and callable(args[0]) and not keywords:
        return args[0]
    return lambda f: f
