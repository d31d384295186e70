# SPDX-License-Identifier: BSD-3-Clause
"""What is made of kernels in Python: reduce, and vectorize."""
import numpy as np

from .. import _core
from .._convert import asarray
from .._core import Device, ndarray
from .._stream import using
from . import stubs as cuda
from . import types as T
from .dispatch import Compiled, Dispatcher

_THREADS = 128


class Reduce:
    """@cuda.reduce: a function of two numbers as a reduction of an array."""

    def __init__(self, f):
        op = f if isinstance(f, Dispatcher) else Dispatcher(f, True)

        def reduction(x, y, n):
            part = cuda.shared.array(_THREADS, x.dtype)
            t = cuda.threadIdx.x
            if t < n:
                s = x[t]
                for i in range(t + _THREADS, n, _THREADS):
                    s = op(s, x[i])
                part[t] = s
            cuda.syncthreads()
            if t == 0:
                r = part[0]
                for k in range(1, min(n, _THREADS)):
                    r = op(r, part[k])
                y[0] = r
        self._kernel, self._op = Dispatcher(reduction), op

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        """The reduction of arr, of one dimension, and init; in res[0], when that is given."""
        with using(stream):
            return self._reduced(asarray(arr), size, res, init)

    def _reduced(self, x, size, res, init):
        x = x if size is None else x[:size]
        if x.ndim != 1:
            raise TypeError(f'reduce: an array of {x.ndim} dimensions: one is wanted')
        y = _core._from_numpy(np.zeros(1, x.dtype), x.device)
        if x.size:
            self._kernel[1, _THREADS](x, y, x.size)
            r = self._op.py_func(y.asnumpy()[0], x.dtype.type(init)) if init != 0 else y.asnumpy()[0]
        else:
            r = x.dtype.type(init)
        if res is None:
            return r
        res[0] = r
        return None


reduce = Reduce


class Vectorized:
    """@vectorize: a function of numbers as a function of arrays, which broadcast."""

    def __init__(self, f, signatures):
        self.__wrapped__ = self.py_func = f
        self.signatures, self.__name__, self.__doc__ = signatures, f.__name__, f.__doc__
        self.kernels, self.reduction = {}, None

    def reduce(self, arr, stream=0):
        """Of a function of two numbers: the reduction of an array of one dimension."""
        if self.reduction is None:
            self.reduction = Reduce(self.py_func)
        return self.reduction(arr, stream=stream)

    def __call__(self, *args, out=None, stream=0):
        with using(stream):
            return self._called(args, out)

    def _called(self, args, out):
        args = [np.asarray(a) if isinstance(a, (list, tuple)) else a for a in args]
        host = not any(isinstance(a, ndarray) for a in args)
        device = next((a.device for a in args if isinstance(a, ndarray)), None) or Device()
        types = [np.result_type(a) if not isinstance(a, ndarray) else a.dtype for a in args]
        signature = T.best(self.signatures, [T.of_dtype(a) for a in types], self.__name__) if self.signatures else None
        want = [t.dtype for t in signature.args] if signature else types
        arrays = [asarray(a, device=device).astype(t) for a, t in zip(args, want)]
        import gnd
        arrays = gnd.broadcast_arrays(*arrays)
        shape = arrays[0].shape
        k = self._kernel(tuple(map(T.of_dtype, want)), signature, device)
        y = _core._from_numpy(np.zeros(shape, k.unit.result.dtype), device)
        n = y.size
        if n:
            flat = y.reshape(-1)
            k.run(-(-n // _THREADS), _THREADS, tuple(gnd.reshape(a.copy(), (-1,)) for a in arrays) + (flat,), 0, k.mask)
        if out is not None:
            out[...] = y.asnumpy() if isinstance(out, np.ndarray) else y
            return out
        return y.asnumpy() if host else y

    def _kernel(self, types, signature, device):
        key = types, device
        k = self.kernels.get(key)
        if k is None:
            k = self.kernels[key] = compile_elementwise(self.py_func, types, signature, device)
        return k


def compile_elementwise(f, types, signature, device):
    """A kernel that calls f for each element; its unit's result is the type of f's."""
    from .unit import Unit
    names = [f'x{i}' for i in range(len(types))]
    space = {'f': Dispatcher(f, True), 'cuda': cuda}
    text = (f'def elementwise({", ".join(names)}, out):\n    i = cuda.grid(1)\n    if i < out.size:\n'
            f'        out[i] = f({", ".join(n + "[i]" for n in names)})\n')
    import linecache
    file = f'<elementwise {len(types)}>'
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, 'exec'), space)
    wide = device.info()['has_float64']
    arrays = [T.Array(t, 1) for t in types]
    result = signature.result if signature and signature.result else None
    if result is None:
        result = Unit(space['elementwise'], arrays + [T.Array(T.int64, 1)], wide, False).order[-1].result
    k = Compiled(space['elementwise'], arrays + [T.Array(result, 1)], device, False)
    k.unit.result = result
    return k


def vectorize(ftylist_or_function=(), target='cuda', **keywords):
    """A function of numbers as a function of arrays: @vectorize, @vectorize(['float32(float32, float32)'],
    target='gpu'). Any target means gnd's device."""
    if callable(ftylist_or_function):
        return Vectorized(ftylist_or_function, [])
    given = ftylist_or_function if isinstance(ftylist_or_function, (list, tuple)) else [ftylist_or_function]
    signatures = [T.parse(s) if isinstance(s, str) else s for s in given]
    return lambda f: Vectorized(f, signatures)
