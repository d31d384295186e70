# SPDX-License-Identifier: BSD-3-Clause
"""Kernels written in Python, in Numba's language, on every device: jit, grid, shared.array, to_device and their like.
gnd.kernel is the same under another name. See doc/PYTHON.md."""
import numpy as np

from .. import _core
from .._core import Device, ndarray
from . import types
from .dispatch import Dispatcher, jit
from .library import Reduce, reduce, vectorize
from .stubs import (atomic, blockDim, blockIdx, cbrt, const, fma, grid, gridDim, gridsize, local, selp, shared,  # noqa: F401
                    syncthreads, threadfence, threadfence_block, threadfence_system, threadIdx)
from .types import (TypingError, boolean, complex64, complex128, float32, float64, int8, int16, int32, int64,  # noqa: F401
                    uint8, uint16, uint32, uint64, void)

declare_device = Dispatcher


def to_device(obj, stream=0, copy=True, to=None):
    """An array on the device with obj's elements; to: an array that gets them."""
    x = _core._from_numpy(np.asarray(obj), None)
    if to is None:
        return x
    to[...] = x
    return to


def device_array(shape, dtype=np.float64, strides=None, order='C', stream=0):
    """An array on the device; its elements are 0."""
    return _core._from_numpy(np.zeros(shape, dtype), None)


def device_array_like(ary, stream=0):
    """An array of ary's shape and dtype on the device."""
    return device_array(ary.shape, ary.dtype)


def pinned_array(shape, dtype=np.float64, strides=None, order='C'):
    """A NumPy array: gnd stages transfers itself."""
    return np.zeros(shape, dtype)


def mapped_array(shape, dtype=np.float64, strides=None, order='C', stream=0, portable=False, wc=False):
    """An array on the device."""
    return device_array(shape, dtype)


def _copy_to_host(self, ary=None, stream=0):
    """A copy as a NumPy array, or into ary."""
    x = self.asnumpy()
    if ary is None:
        return x
    ary[...] = x
    return ary


def _copy_to_device(self, ary, stream=0):
    """Gives the array the elements of ary."""
    self[...] = ary


ndarray.copy_to_host, ndarray.copy_to_device = _copy_to_host, _copy_to_device


def synchronize():
    """Waits for the current device."""
    Device().synchronize()


class Stream:
    """Accepted where Numba takes a stream: gnd keeps the order itself."""

    def synchronize(self):
        Device().synchronize()

    def auto_synchronize(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.synchronize()


def stream():
    """A Stream."""
    return Stream()


def is_available():
    """Whether a device is there."""
    try:
        Device()
    except RuntimeError:
        return False
    return True


def is_cuda_array(obj):
    return isinstance(obj, ndarray)


def as_cuda_array(obj, sync=True):
    from .._convert import asarray
    return asarray(obj)


def get_current_device():
    return Device()


__all__ = ['jit', 'grid', 'gridsize', 'to_device', 'reduce', 'vectorize', 'types', 'Reduce']
