# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that a form runs over: for each its arrays, its namespace, and the few things that NumPy's users
write differently in it (the L of a form). It knows nothing of templates."""
import math
import os

import numpy as np

DTYPES = ('bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'bfloat16',
          'float32', 'float64', 'complex64', 'complex128')
try:
    import ml_dtypes
    BF16 = ml_dtypes.bfloat16
except ImportError:
    BF16 = None


def compile_form(text, names, scope):
    """A function of `names` with the body `text`; an expression is returned."""
    lines = text.strip().split('\n')
    if not lines[-1].lstrip().startswith('return'):
        lines[-1] = 'return ' + lines[-1]
    code = f'def form({", ".join(names)}):\n' + '\n'.join('    ' + line for line in lines) + '\n'
    space = dict(scope)
    exec(compile(code, '<form>', 'exec'), space)
    return space['form']


class Lib:
    """One library. name; np: its namespace; dt: dtypes by name."""
    name = 'numpy'
    erf = None

    def __init__(self):
        self.np = np
        self.dt = {k: getattr(np, k, None) for k in DTYPES if k not in ('bool', 'bfloat16')}
        self.dt['bool'], self.dt['bfloat16'] = np.bool_, BF16
        self.g = np.random.default_rng(1)
        try:
            from scipy.special import erf
            self.erf = erf
        except ImportError:
            self.erf = np.vectorize(math.erf, otypes=[np.float64])

    # of the harness
    def put(self, a, dtype):
        return a

    def get(self, r):
        return np.asarray(r)

    def run(self, r):
        """Starts what was not started."""

    def sync(self):
        """Waits for everything."""

    def free(self):
        """Gives memory back that the library keeps."""

    def counts(self):
        """(kernels compiled, calls of vendors' libraries) so far; None: this library does not tell."""

    def peak(self, call, nbytes):
        """The most device memory during a call, in bytes, of the inputs (nbytes) too and with what `call` returns;
        None: this library does not tell."""
        return None

    def function(self, work):
        """[(suffix, function)]: the forms of the workload that this library runs."""
        names = list(work.inputs)
        return [('', compile_form(work.form, names, {'np': self.np, 'L': self, 'S': np.s_}))]

    # of forms
    def cast(self, x, dtype):
        return x.astype(self.dt[dtype])

    def set(self, x, key, value):
        x[key] = value
        return x

    def add_at(self, x, index, value):
        np.add.at(x, index, value)
        return x

    def cummax(self, x, axis):
        return self.np.maximum.accumulate(x, axis=axis)

    def win(self, x, n, axis=None):
        return np.lib.stride_tricks.sliding_window_view(x, n, axis=axis)

    def random(self, shape, dtype='float32'):
        return self.g.random(shape, dtype=self.dt[dtype])

    def normal(self, shape, dtype='float32'):
        return self.g.standard_normal(shape, dtype=self.dt[dtype])

    def integers(self, n, shape):
        return self.g.integers(0, n, shape)

    def permutation(self, x):
        return self.g.permutation(x)

    def exponential(self, shape):
        return self.g.exponential(1.0, shape)


class NumPy(Lib):
    pass


class NumExpr(Lib):
    name = 'numexpr'

    def __init__(self):
        super().__init__()
        import numexpr
        self.ne = numexpr

    def function(self, work):
        if not work.numexpr:
            return []
        text, ne = work.numexpr, self.ne
        names = list(work.inputs)
        return [('', lambda *a: ne.evaluate(text, local_dict=dict(zip(names, a)), global_dict={}))]


class Gnd(Lib):
    name = 'gnd'

    def __init__(self, device):
        super().__init__()
        import gnd
        self.gnd = self.np = gnd
        self.device = gnd.Device(device) if device else gnd.Device()
        self.device.use()
        self.dt['bfloat16'] = 'bfloat16'
        self.erf = gnd.special.erf
        self.g = gnd.random.default_rng(1)

    def put(self, a, dtype):
        x = self.gnd.asarray(a)
        x = x if dtype != 'bfloat16' else x.astype(self.dt['bfloat16'])
        self.gnd.evaluate(x)
        return x

    def get(self, r):
        try:
            wide = str(r.dtype) != 'bfloat16'
        except TypeError:  # the dtype of NumPy is another package's, which is not installed
            wide = False
        return self.gnd.asnumpy(r if wide else r.astype(np.float32))

    def run(self, r):
        self.gnd.evaluate(*r)

    def sync(self):
        self.gnd.synchronize()

    def counts(self):
        s = self.device.stats()
        return s['kernels_built'], s['library_calls']

    def peak(self, call, nbytes):
        self.sync()
        self.device.reset_peak()
        before = self.device.stats()['bytes_in_use']
        call()
        self.sync()
        return nbytes + self.device.stats()['bytes_peak'] - before

    def win(self, x, n, axis=None):
        return self.gnd.sliding_window_view(x, n, axis) if axis is not None else self.gnd.sliding_window_view(x, n)

    def add_at(self, x, index, value):
        return self.gnd.add_at(x, index, value)

    def cummax(self, x, axis):
        return self.gnd.cummax(x, axis)

    def random(self, shape, dtype='float32'):
        return self.gnd.random.random(shape, dtype=self.dt[dtype])

    def normal(self, shape, dtype='float32'):
        return self.gnd.random.standard_normal(shape, dtype=self.dt[dtype])

    def integers(self, n, shape):
        return self.gnd.random.integers(0, n, shape)

    def permutation(self, x):
        return self.gnd.random.permutation(x)

    def exponential(self, shape):
        return self.gnd.random.exponential(1.0, shape)


class CuPy(Lib):
    name = 'cupy'

    def __init__(self):
        super().__init__()
        import cupy
        import cupyx.scipy.special
        self.np = self.cp = cupy
        self.dt['bfloat16'] = None
        self.erf = cupyx.scipy.special.erf
        self.g = cupy.random.default_rng(1)

    def put(self, a, dtype):
        if dtype == 'bfloat16':
            raise TypeError('no bfloat16')
        return self.cp.asarray(a)

    def get(self, r):
        return self.cp.asnumpy(r)

    def sync(self):
        self.cp.cuda.Device().synchronize()

    def peak(self, call, nbytes):
        pool = self.cp.get_default_memory_pool()
        most, before = 0, pool.used_bytes()

        class Watch(self.cp.cuda.MemoryHook):
            name = 'watch'

            def malloc_postprocess(self, **_):
                nonlocal most
                most = max(most, pool.used_bytes())
        with Watch():
            call()
        return nbytes + max(0, most - before)

    def free(self):
        self.cp.get_default_memory_pool().free_all_blocks()
        self.cp.fft.config.get_plan_cache().clear()

    def add_at(self, x, index, value):
        self.cp.add.at(x, index, value)
        return x

    def win(self, x, n, axis=None):
        return self.cp.lib.stride_tricks.sliding_window_view(x, n, axis=axis)

    def permutation(self, x):
        return self.cp.random.permutation(x)

    def exponential(self, shape):
        return self.g.exponential(1.0, shape)


class Jax(Lib):
    name = 'jax'

    def __init__(self):
        os.environ.setdefault('XLA_PYTHON_CLIENT_PREALLOCATE', 'false')
        import jax
        import jax.numpy
        import jax.scipy.special
        jax.config.update('jax_enable_x64', True)
        jax.config.update('jax_default_matmul_precision', 'highest')  # not by TF32, as the others
        super().__init__()
        self.jax, self.np = jax, jax.numpy
        self.dt['bfloat16'] = jax.numpy.bfloat16
        self.erf = jax.scipy.special.erf
        self.key = jax.random.key(1)
        self.last = None

    def put(self, a, dtype):
        return self.jax.device_put(self.np.asarray(a, dtype=self.dt[dtype]))

    def get(self, r):
        return np.asarray(r.astype(self.np.float32) if r.dtype == self.np.bfloat16 else r)

    def run(self, r):
        self.last = r

    def sync(self):
        if self.last is not None:
            self.jax.block_until_ready(self.last)
            self.last = None

    def free(self):
        self.last = None
        self.jax.clear_caches()

    def peak(self, call, nbytes):
        """By XLA's analysis of the program: what it has beside the inputs."""
        m = call.function.lower(*call.arrays).compile().memory_analysis()
        return nbytes + m.temp_size_in_bytes + m.output_size_in_bytes - m.alias_size_in_bytes

    def function(self, work):
        return [('', self.jax.jit(super().function(work)[0][1]))]

    def set(self, x, key, value):
        return x.at[key].set(value)

    def add_at(self, x, index, value):
        return x.at[index].add(value)

    def cummax(self, x, axis):
        return self.jax.lax.cummax(x, axis)

    def win(self, x, n, axis=None):
        if axis is None:
            axis, n = tuple(range(x.ndim)), n if isinstance(n, tuple) else (n,)
        axis = axis if isinstance(axis, tuple) else (axis,)
        for a, m in zip(axis, n if isinstance(n, tuple) else (n,)):
            a %= x.ndim
            idx = self.np.arange(x.shape[a] - m + 1)[:, None] + self.np.arange(m)
            x = self.np.moveaxis(self.np.take(x, idx, axis=a), a + 1, -1)
        return x

    # numbers drawn inside of a jitted function with one key: the work is the same for each call
    def random(self, shape, dtype='float32'):
        return self.jax.random.uniform(self.key, shape, dtype=self.dt[dtype])

    def normal(self, shape, dtype='float32'):
        return self.jax.random.normal(self.key, shape, dtype=self.dt[dtype])

    def integers(self, n, shape):
        return self.jax.random.randint(self.key, shape, 0, n, dtype=self.np.int64)

    def permutation(self, x):
        return self.jax.random.permutation(self.key, x)

    def exponential(self, shape):
        return self.jax.random.exponential(self.key, shape, dtype=self.np.float64)


class Torch(Lib):
    name = 'torch'

    def __init__(self, compiled=True):
        super().__init__()
        import torch
        import torch.nn.functional
        self.torch, self.F, self.compiled = torch, torch.nn.functional, compiled
        self.dt = {k: getattr(torch, k, None) for k in DTYPES}
        self.where = 'cuda' if torch.cuda.is_available() else 'cpu'
        self.erf = torch.erf
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False

    def put(self, a, dtype):
        x = self.torch.from_numpy(np.ascontiguousarray(a)).to(self.where)
        return x.to(self.torch.bfloat16) if dtype == 'bfloat16' else x

    def get(self, r):
        r = r.resolve_conj().resolve_neg()
        return (r.float() if r.dtype == self.torch.bfloat16 else r).cpu().numpy()

    def sync(self):
        if self.where == 'cuda':
            self.torch.cuda.synchronize()

    def peak(self, call, nbytes):
        if self.where != 'cuda':
            return None
        self.sync()
        self.torch.cuda.reset_peak_memory_stats()
        before = self.torch.cuda.memory_allocated()
        call()
        self.sync()
        return nbytes + self.torch.cuda.max_memory_allocated() - before

    def free(self):
        if self.compiled:
            self.torch._dynamo.reset()
        if self.where == 'cuda':
            self.torch.cuda.empty_cache()

    def function(self, work):
        if not work.torch:
            return []
        text = work.torch
        if text is True:
            text = work.form.replace('np.concatenate', 'torch.cat').replace('np.', 'torch.')
        scope = {'torch': self.torch, 'F': self.F, 'L': self, 'S': np.s_}
        f = compile_form(text, list(work.inputs), scope)
        forms = [('', f)]
        if work.compiled and self.compiled:
            forms.append((' compiled', self.torch.compile(f, dynamic=False)))
        return forms

    def cast(self, x, dtype):
        return x.to(self.dt[dtype])

    def add_at(self, x, index, value):
        return x.index_add_(0, index, value) if not isinstance(index, tuple) else x.index_put_(index, value, True)

    def win(self, x, n, axis=None):
        if axis is None:
            axis = tuple(range(x.dim()))
            n = n if isinstance(n, tuple) else (n,)
        axis = axis if isinstance(axis, tuple) else (axis,)
        for a, m in zip(axis, n if isinstance(n, tuple) else (n,)):
            x = x.unfold(a, m, 1)
        return x

    def random(self, shape, dtype='float32'):
        return self.torch.rand(shape, dtype=self.dt[dtype], device=self.where)

    def normal(self, shape, dtype='float32'):
        return self.torch.randn(shape, dtype=self.dt[dtype], device=self.where)

    def integers(self, n, shape):
        return self.torch.randint(0, n, shape, device=self.where)

    def permutation(self, x):
        return x[self.torch.randperm(x.shape[0], device=self.where)]

    def exponential(self, shape):
        return self.torch.empty(shape, dtype=self.torch.float64, device=self.where).exponential_()


def make(names, compiled):
    """The libraries of `names` that are installed, and the reasons for those that are not."""
    libs, why = [], []
    for name in names:
        try:
            libs.append({'numpy': NumPy, 'numexpr': NumExpr, 'cupy': CuPy, 'jax': Jax,
                         'torch': lambda: Torch(compiled)}[name]())
        except ImportError as e:
            why.append(f'{name}: {e}')
    return libs, why
