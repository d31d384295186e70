# SPDX-License-Identifier: BSD-3-Clause
"""@cuda.jit: a function of Python as a kernel, compiled once for each tuple of its arguments' types and device, and
launched by kernel[blocks, threads](...)."""
import numpy as np

from .. import _core
from .._core import Device, ndarray
from . import types as T

_key, _PORTABLE = _core._kernel_key, 2


class Compiled:
    """A kernel for one tuple of types, on one device."""

    def __init__(self, f, args, device, debug):
        from .unit import Unit
        unit = Unit(f, args, device.info()['has_float64'], debug)
        self.source, self.mask, self.debug, self.unit = unit.text(), unit.mask(), debug, unit
        self.program = _core._compile(device, self.source, _PORTABLE, None)
        self.kernel = self.program.kernel(unit.kernel.name)
        self.device = device
        self.run = self.kernel.run

    def launch(self, grid, block, args, shared):
        if self.debug:
            e = _core._from_numpy(np.zeros(9, np.int64), self.device)
            self.run(grid, block, args + (e,), shared, self.mask)
            found = e.asnumpy()
            if found[0]:
                self.unit.raise_error(found)
        elif self.mask:
            self.run(grid, block, args, shared, self.mask)


class Launcher:
    """kernel[blocks, threads]: what is called with the arguments."""
    __slots__ = ('of', 'grid', 'block', 'shared')

    def __init__(self, of, grid, block, shared):
        self.of, self.grid, self.block, self.shared = of, grid, block, shared

    def __call__(self, *args):
        key = _key(args)
        if key is not None:
            c = self.of.cache.get((key, _device(args)))
            if c is not None:
                if c.debug:
                    return c.launch(self.grid, self.block, args, self.shared)
                if c.mask:
                    c.run(self.grid, self.block, args, self.shared, c.mask)
                return None
        return self.of.prepare(args, self.grid, self.block, self.shared)


def _device(args):
    for a in args:
        if type(a) is ndarray:
            return a.device
    return Device()


class Dispatcher:
    """What @cuda.jit makes of a function."""

    def __init__(self, f, device=False, debug=False, signatures=()):
        self.py_func, self.is_device, self.debug, self.cache = f, device, bool(debug), {}
        self.launchers, self.signatures = {}, list(signatures)
        self.__name__, self.__doc__, self.__module__ = f.__name__, f.__doc__, f.__module__
        self.__wrapped__ = f

    def __getitem__(self, how):
        how = how if isinstance(how, tuple) else (how,)
        if self.is_device:
            raise TypeError(f'{self.__name__} is a device function: kernels call it')
        if not 2 <= len(how) <= 4:
            raise ValueError(f'{self.__name__}[blocks, threads, stream, shared memory] is wanted, {len(how)} given')
        try:
            got = self.launchers.get(how)
        except TypeError:
            got, how = None, tuple(tuple(h) if isinstance(h, list) else h for h in how)
        if got is None:
            shared = int(how[3]) if len(how) == 4 else 0
            got = Launcher(self, _extents(how[0]), _extents(how[1]), shared)
            if len(self.launchers) < 64 and (len(how) < 3 or not how[2]):
                self.launchers[how] = got
        return got

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """The same as kernel[griddim, blockdim, stream, sharedmem]."""
        return self[griddim, blockdim, stream, sharedmem]

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A launcher of at least ntasks threads along one axis."""
        tpb = tpb or 128
        if ntasks < 1:
            return lambda *args: None
        return Launcher(self, -(-ntasks // tpb), tpb, sharedmem)

    def __call__(self, *args):
        if self.is_device:
            return self.py_func(*args)
        raise ValueError(f'{self.__name__} is a kernel: {self.__name__}[blocks, threads](...) launches it')

    def prepare(self, args, grid, block, shared):
        """A launch of types that are not compiled yet, or with arrays of NumPy's: those are copied there and back."""
        device, given, back = _device(args), [], []
        wide = device.info()['has_float64']
        names = self.py_func.__code__.co_varnames
        for i, a in enumerate(args):
            given.append(_argument(a, device, wide, back, names[i] if i < len(names) else i))
        given, key = tuple(given), _key(tuple(given))
        if key is None:  # numbers of NumPy's
            key = tuple(map(T.of_value, given))
        key = (key, device)
        c = self.cache.get(key)
        if c is None:
            types = [T.of_value(a) for a in given]
            if not wide:
                types = [T.float32 if t is T.float64 else T.complex64 if t is T.complex128 else t for t in types]
            c = self.cache[key] = Compiled(self.py_func, types, device, self.debug)
        c.launch(grid, block, given, shared)
        for host, x in back:
            if host.flags.writeable:
                host[...] = x.asnumpy()

    @property
    def overloads(self):
        return {k: c for k, c in self.cache.items()}

    def inspect_source(self):
        """The text of each compiled kernel, in gnd's portable dialect; of one, the text alone."""
        texts = [c.source for c in self.cache.values()]
        return texts[0] if len(texts) == 1 else texts

    def inspect_types(self, file=None):
        """Prints the types of the variables of each compiled kernel."""
        for c in self.cache.values():
            k = c.unit.kernel
            print(f'{self.__name__}({", ".join(map(repr, k.args))})', file=file)
            for n, t in sorted(k.types.items()):
                print(f'    {n}: {t}', file=file)


def _argument(a, device, wide, back, name):
    if type(a) is ndarray or a is None or type(a) in T.PYTHON or isinstance(a, np.generic):
        return a
    if isinstance(a, tuple):
        return tuple(_argument(i, device, wide, back, name) for i in a)
    if isinstance(a, np.ndarray):
        x = a if wide or a.dtype not in (np.float64, np.complex128) else a.astype('c8' if a.dtype.kind == 'c' else 'f4')
        x = _core._from_numpy(x, device)
        back.append((a, x))
        return x
    raise T.TypingError(f'argument {name}: {type(a).__name__} is nothing that kernels take')


def _extents(e):
    return tuple(int(i) for i in e) if isinstance(e, (tuple, list)) else int(e)


def jit(func_or_sig=None, argtypes=None, device=False, inline=False, link=(), debug=None, opt=None, lineinfo=False,
        cache=False, fastmath=False, max_registers=None, **others):
    """A kernel, or with device=True a function of kernels: @jit, @jit(...), @jit('void(float32[:], int32)'). Signatures
    are accepted; kernels are compiled for the types that they meet. debug=True checks indices, divisions and asserts,
    and waits for each launch. The other options have no meaning here."""
    if link:
        raise NotImplementedError('jit: link: there is no code to link with')
    if callable(func_or_sig) and not isinstance(func_or_sig, (T.Signature, T.Scalar, T.NoneType)):
        return Dispatcher(func_or_sig, device, debug)
    given = func_or_sig if isinstance(func_or_sig, list) else [func_or_sig] if func_or_sig is not None else []
    signatures = [T.parse(s) if isinstance(s, str) else s for s in given]
    result = any(s.result not in (None, T.none) for s in signatures if isinstance(s, T.Signature))
    return lambda f: Dispatcher(f, device or result, debug, signatures)
