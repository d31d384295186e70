# SPDX-License-Identifier: BSD-3-Clause
"""PyCUDA's interface for kernels: SourceModule(source).get_function(name)(a, block=(4, 4, 1), grid=(1, 1)).
gnd/driver.py has In, Out, InOut, mem_alloc and so on."""
import numpy as np

from . import driver
from .kernels import RawModule, _Function, _extents, bytes_of
from ._core import Device, ndarray
from ._stream import using


class SourceModule:
    """The kernels of a source in CUDA C, OpenCL C or the portable dialect. options: ['-DNAME=VALUE', ...]. PyCUDA's
    other arguments for nvcc are accepted and have no effect, except include_dirs, which raises NotImplementedError."""

    def __init__(self, source, nvcc='nvcc', options=None, keep=False, no_extern_c=False, arch=None, code=None,
                 cache_dir=None, include_dirs=(), *, language=None):
        if include_dirs:
            raise NotImplementedError('SourceModule: include_dirs: the source has to be whole')
        self._module = RawModule(source, options=options or (), language=language)
        self._module.compile()

    def get_function(self, name):
        """The kernel of that name; AttributeError if there is none."""
        return Function(self._module, name)


class Function(_Function):
    """A kernel: f(arguments, block=(x, y, z), grid=(x, y), shared=0). Arguments are gnd arrays, which the kernel may
    change, allocations of driver.mem_alloc, driver.In, Out and InOut of NumPy arrays, and NumPy numbers."""

    def __init__(self, module, name):
        module._program(Device()).kernel(name)
        super().__init__(module, name)

    def __call__(self, *args, block=None, grid=(1, 1), shared=0, stream=None, texrefs=(), time_kernel=False):
        if block is None:
            raise ValueError('SourceModule: block=(x, y, z) is wanted')
        given, after = [], []
        device = next((a.device for a in args if isinstance(a, ndarray)), None) or Device()
        parameters = self._kernel(device).parameters
        for i, a in enumerate(args):
            if isinstance(a, driver.ArgumentHandler):
                x = a.to_device(device)
                after.append((a, x))
            elif isinstance(a, driver.DeviceAllocation):
                x = a.array(parameters[i][3] if i < len(parameters) else None, device)
            elif isinstance(a, np.ndarray) and a.ndim:
                raise TypeError(f'{self.name}: argument {i} is an array of NumPy\'s: write driver.In, Out or InOut')
            else:
                x = a
            given.append(x)
        with using(stream, device):
            self._kernel(device).launch(_extents(grid), _extents(block), tuple(given), bytes_of(shared))
            for a, x in after:
                a.from_device(x)

    def prepare(self, arg_types, shared=None):
        """Accepted without effect: the types of the parameters are read from the source."""
        return self

    def prepared_call(self, grid, block, *args, shared_size=0):
        """Launches the kernel, with PyCUDA's other order of arguments."""
        self(*args, grid=grid, block=block, shared=shared_size)


__all__ = ["SourceModule", "Function"]
