# SPDX-License-Identifier: BSD-3-Clause
"""@cuda.jit: a function of Python as a kernel, compiled once for each tuple of its arguments' types and device, and
launched by kernel[blocks, threads](...)."""
import numpy as np

from .. import _core
from .._core import Device, ndarray
from .._stream import using
from . import types as T
from .unit import Unit

_key, _PORTABLE = _core._kernel_key, 2


def warp_of(info):
    """Threads of a warp; 0: the device has none that kernels can name."""
    return 32 if info['backend'] == 'cuda' or 'nvidia' in info['vendor'].lower() else 0


class Compiled:
    """A kernel for one tuple of types, on one device. waits: its launches end before they return."""

    def __init__(self, f, args, device, debug):
        info = device.info()
        unit = Unit(f, args, info['has_float64'], debug, warp_of(info))
        self.source, self.mask, self.waits, self.unit = unit.text(), unit.mask(), debug or unit.prints, unit
        self.program = _core._compile(device, self.source, _PORTABLE, None)
        self.kernel = self.program.kernel(unit.kernel.name)
        self.device = device
        self.run = self.kernel.run

    def launch(self, grid, block, args, shared):
        if self.waits:
            e = _core._from_numpy(np.zeros(9, np.int64), self.device)
            self.run(grid, block, args + (e,), shared, self.mask)
            found = e.asnumpy()
            if found[0]:
                self.unit.raise_error(found)
        elif self.mask:
            self.run(grid, block, args, shared, self.mask)


class Launcher:
    """kernel[blocks, threads]: what is called with the arguments."""
    __slots__ = ('of', 'grid', 'block', 'shared', 'stream')

    def __init__(self, of, grid, block, shared, stream=None):
        self.of, self.grid, self.block, self.shared, self.stream = of, grid, block, shared, stream or None

    def __call__(self, *args):
        if self.stream is not None:
            with using(self.stream, _device(args)):
                return self.launch(args)
        return self.launch(args)

    def launch(self, args):
        key = _key(args)
        if key is not None:
            c = self.of.cache.get((key, _device(args)))
            if c is not None:
                if c.waits:
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
        self.py_func, self.is_device, self.debug, self.cache, self.compiled = f, device, bool(debug), {}, {}
        self.launchers, self.signatures, self.specializations = {}, list(signatures), {}
        self.__name__, self.__doc__, self.__module__ = f.__name__, f.__doc__, f.__module__
        self.__wrapped__ = f
        if not device:
            for s in self.signatures:  # so that what a kernel cannot say is found here, as Numba finds it
                Unit(f, s.args, True, self.debug, 32)

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
            got = Launcher(self, _extents(how[0], 'griddim'), _extents(how[1], 'blockdim'), shared,
                           how[2] if len(how) > 2 else None)
            if len(self.launchers) < 64 and (len(how) < 3 or not how[2]):
                self.launchers[how] = got
        return got

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """The same as kernel[griddim, blockdim, stream, sharedmem]."""
        return self[griddim, blockdim, stream, sharedmem]

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A launcher of at least ntasks threads along one axis."""
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        tpb = tpb or 128
        if ntasks == 0:
            return lambda *args: None
        return Launcher(self, (-(-ntasks // tpb),), (tpb,), sharedmem, stream)

    def __call__(self, *args):
        if self.is_device:
            return self.py_func(*args)
        raise ValueError(f'{self.__name__}: the launch configuration was not specified: {self.__name__}[blocks, threads](...) '
                         'launches it')

    def prepare(self, args, grid, block, shared):
        """A launch of types that are not compiled yet, or with arrays of NumPy's: those are copied there and back."""
        device, given, back = _device(args), [], []
        wide = device.info()['has_float64']
        names = self.py_func.__code__.co_varnames[:self.py_func.__code__.co_argcount]
        if len(args) != len(names):
            raise TypeError(f'{self.__name__} takes {len(names)} arguments, {len(args)} given')
        for n, a in zip(names, args):
            given.append(_argument(a, device, wide, back, n))
        given, key = tuple(given), _key(tuple(given))
        if key is None:  # numbers of NumPy's, named tuples
            key = tuple(map(T.of_value, given))
        key = (key, device)
        c = self.cache.get(key)
        if c is None:
            c = self.cache[key] = self.compiled_for([T.of_value(a) for a in given], device, wide)
        c.launch(grid, block, given, shared)
        for host, x in back:
            if host.flags.writeable:
                host[...] = x.asnumpy()

    def compiled_for(self, types, device, wide):
        """The kernel for types, those of the first signature that takes them; it may be there for other types."""
        if self.signatures:
            types = list(self.declared(types))
        if not wide:
            types = [_narrow(t) for t in types]
        same = (tuple(types), device)
        if same not in self.compiled:
            self.compiled[same] = Compiled(self.py_func, types, device, self.debug)
        return self.compiled[same]

    def declared(self, types):
        s = T.best(self.signatures, types, self.__name__)
        return [b if isinstance(b, T.Array) else a for a, b in zip(s.args, types)]

    def specialize(self, *args):
        """The kernel for the types of args alone."""
        if self.specialized:
            raise RuntimeError('Dispatcher already specialized')
        types = tuple(T.of_value(a) for a in args)
        if types not in self.specializations:
            self.specializations[types] = Dispatcher(self.py_func, False, self.debug, [T.Signature(types)])
        return self.specializations[types]

    @property
    def specialized(self):
        """Whether it is of one signature."""
        return len(self.signatures) == 1

    def _resources(self, name, signature):
        """What compiled kernels take: of the one for a signature, or by signatures."""
        if self.specialized and not self.compiled:
            device = Device()
            self.compiled_for(list(self.signatures[0].args), device, device.info()['has_float64'])
        found = {k: c.kernel.info(1)[name] for k, c in self.overloads.items()}
        if signature is not None:
            signature = tuple(getattr(signature, 'args', signature))
            return next(v for k, v in found.items() if all(_same(a, b) for a, b in zip(k, signature)))
        return next(iter(found.values())) if self.specialized and found else found

    def get_regs_per_thread(self, signature=None):
        """Registers of a thread; 0: the device does not tell."""
        return self._resources('num_regs', signature)

    def get_shared_mem_per_block(self, signature=None):
        """Bytes of shared memory."""
        return self._resources('shared_size_bytes', signature)

    def get_local_mem_per_thread(self, signature=None):
        """Bytes of a thread that registers do not hold; 0: the device does not tell."""
        return self._resources('local_size_bytes', signature)

    def get_max_threads_per_block(self, signature=None):
        """Threads of a block, at most."""
        return self._resources('max_threads_per_block', signature)

    @property
    def overloads(self):
        return {tuple(c.unit.kernel.args): c for c in self.compiled.values()}

    @property
    def nopython_signatures(self):
        return [T.Signature(c.unit.kernel.args, T.none) for c in self.compiled.values()]

    def inspect_source(self):
        """The text of each compiled kernel, in gnd's portable dialect; of one, the text alone."""
        texts = [c.source for c in self.compiled.values()]
        return texts[0] if len(texts) == 1 else texts

    def inspect_types(self, file=None):
        """Prints the types of the variables of each compiled kernel."""
        for c in self.compiled.values():
            k = c.unit.kernel
            print(f'{self.__name__}({", ".join(map(repr, k.args))})', file=file)
            for n, t in sorted(k.types.items()):
                print(f'    {n}: {t}', file=file)


def _same(a, b):
    """Whether two types are one, whatever the order of arrays' elements."""
    if isinstance(a, T.Array) and isinstance(b, T.Array):
        return (a.scalar, a.ndim) == (b.scalar, b.ndim)
    return a == b


def _narrow(t):
    """The type on a device without float64."""
    if isinstance(t, T.Tuple):
        return T.Tuple([_narrow(i) for i in t.items], t.names)
    if isinstance(t, T.Array):
        return T.Array(_narrow(t.scalar), t.ndim, t.layout, space=t.space)
    return T.float32 if t is T.float64 else T.complex64 if t is T.complex128 else t


class In:
    """kernel[...](cuda.In(x)): an array of NumPy's that is not copied back."""

    def __init__(self, array):
        self.array = array


class Out(In):
    """An array of NumPy's that is copied back, as every array that a kernel changes is."""


InOut = Out


def _argument(a, device, wide, back, name):
    if isinstance(a, In):
        return _argument(a.array, device, wide, back if isinstance(a, Out) else [], name)
    if type(a) is ndarray or a is None or type(a) in T.PYTHON or isinstance(a, (np.generic, int)):
        return a
    if isinstance(a, tuple):
        items = [_argument(i, device, wide, back, name) for i in a]
        return type(a)(*items) if hasattr(a, '_fields') else tuple(items)
    if isinstance(a, np.ndarray):
        x = a if wide or a.dtype not in (np.float64, np.complex128) else a.astype('c8' if a.dtype.kind == 'c' else 'f4')
        try:
            x = _core._from_numpy(x, device)
        except TypeError as e:
            raise T.TypingError(f'argument {name}: {e}') from None
        back.append((a, x))
        return x
    raise T.TypingError(f'argument {name}: {type(a).__name__} is nothing that kernels take')


def _extents(e, what):
    """A grid or a block as a tuple of ints."""
    items = tuple(e) if isinstance(e, (tuple, list)) else (e,)
    if not 1 <= len(items) <= 3:
        raise ValueError(f'{what} must be a sequence of 1, 2 or 3 integers, got {list(items)}')
    if any(isinstance(i, bool) or not hasattr(i, '__index__') for i in items):
        raise TypeError(f'{what} must be a sequence of integers, got {list(items)}')
    return tuple(int(i) for i in items)


def signature(s):
    """A signature out of what jit takes: text, a Signature, a tuple of types."""
    if isinstance(s, str):
        return T.parse(s)
    if isinstance(s, T.Signature):
        return s
    if isinstance(s, tuple) and all(isinstance(t, (T.Scalar, T.Array, T.Tuple)) for t in s):
        return T.Signature(s)
    raise TypeError(f'jit: {s!r} is no signature: "void(float32[:], int32)" is one')


def jit(func_or_sig=None, argtypes=None, device=False, inline=False, link=(), debug=None, opt=None, lineinfo=False,
        cache=False, fastmath=False, max_registers=None, **others):
    """A kernel, or with device=True a function of kernels: @jit, @jit(...), @jit('void(float32[:], int32)'). Of the
    arguments of a signature numbers get its types, and arrays have to have them; without one kernels are compiled for
    the types that they meet. debug=True checks indices, divisions and asserts, and waits for each launch. The other
    options have no meaning here."""
    if link:
        raise NotImplementedError('jit: link: there is no code to link with')
    func_or_sig = argtypes if func_or_sig is None else func_or_sig
    if isinstance(func_or_sig, Dispatcher):
        return func_or_sig
    if callable(func_or_sig) and not isinstance(func_or_sig, (T.Signature, T.Scalar, T.NoneType)):
        return Dispatcher(func_or_sig, device, debug)
    given = func_or_sig if isinstance(func_or_sig, list) else [func_or_sig] if func_or_sig is not None else []
    signatures = [signature(s) for s in given]
    if not device and any(s.result not in (None, T.none) for s in signatures):
        raise TypeError('jit: a kernel returns nothing: its signature begins with void; device=True makes a function')
    return lambda f: Dispatcher(f, device, debug, signatures)
