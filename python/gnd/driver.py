# SPDX-License-Identifier: BSD-3-Clause
"""Names of PyCUDA's driver: In, Out, InOut, mem_alloc, memcpy_htod, memcpy_dtoh, to_device, from_device, Stream,
Event."""
import numpy as np

from . import _core, _stream
from ._core import Device, ndarray


class ArgumentHandler:
    """A NumPy array as an argument of a kernel. It is copied to the device before the launch (In), back after it (Out),
    or both (InOut)."""
    reads = writes = True

    def __init__(self, array):
        if not isinstance(array, np.ndarray):
            raise TypeError(f'{type(self).__name__}: {type(array).__name__}: a numpy.ndarray is wanted')
        self.host = array

    def to_device(self, device):
        return _core._from_numpy(self.host, device)

    def from_device(self, x):
        if self.writes:
            self.host[...] = x.asnumpy()


class In(ArgumentHandler):
    writes = False


class Out(ArgumentHandler):
    reads = False


class InOut(ArgumentHandler):
    pass


class DeviceAllocation:
    """Device memory from mem_alloc. Its dtype is that of the data copied to it, or that of the kernel's parameter."""

    def __init__(self, nbytes):
        self.nbytes = int(nbytes)
        self._array = None

    def array(self, dtype, device):
        """The memory as an array of dtype."""
        x = self._array
        if dtype is None:
            dtype = np.dtype('uint8') if x is None else x.dtype
        if x is None:
            x = _core._from_numpy(np.zeros(self.nbytes // dtype.itemsize, dtype), device)
        elif x.dtype != dtype and x.dtype.kind + dtype.kind not in ('cf', 'bu', 'bi'):
            x = _core._from_numpy(x.asnumpy().reshape(-1).view(dtype), x.device)
        self._array = x
        return x

    def free(self):
        """Gives the memory back."""
        self._array = None


def mem_alloc(nbytes):
    """nbytes of memory on the device."""
    return DeviceAllocation(nbytes)


def memcpy_htod(dest, src):
    """Copies a NumPy array to an allocation."""
    src = np.ascontiguousarray(src)
    if src.nbytes > dest.nbytes:
        raise ValueError(f'memcpy_htod: {src.nbytes} bytes, the allocation has {dest.nbytes}')
    if src.nbytes < dest.nbytes:
        old = dest.array(None, Device()).asnumpy().reshape(-1).view(np.uint8)
        old[:src.nbytes] = src.reshape(-1).view(np.uint8)
        src = old.view(src.dtype) if dest.nbytes % src.itemsize == 0 else old
    dest._array = _core._from_numpy(src.reshape(-1), None)


def memcpy_dtoh(dest, src):
    """Copies an allocation or a gnd array to a NumPy array, which may have fewer bytes."""
    x = src.asnumpy() if isinstance(src, ndarray) else src.array(None, Device()).asnumpy()
    data = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
    if dest.nbytes > data.size:
        raise ValueError(f'memcpy_dtoh: {dest.nbytes} bytes, the source has {data.size}')
    dest[...] = data[:dest.nbytes].view(dest.dtype).reshape(dest.shape)


def to_device(array):
    """An allocation with a copy of a NumPy array."""
    a = DeviceAllocation(array.nbytes)
    memcpy_htod(a, array)
    return a


def from_device(src, shape, dtype):
    """A new NumPy array with the contents of an allocation."""
    out = np.empty(shape, dtype)
    memcpy_dtoh(out, src)
    return out


class Event(_stream.Event):
    """A point in the work given to a stream, without a time."""

    def __init__(self, flags=0):
        super().__init__()

    def record(self, stream=None):
        """Records the event: it is done when all work given to the stream so far is done. Returns the event."""
        super().record(stream)
        return self

    def query(self):
        """Whether the event is done."""
        return self.done


class Stream(_stream.Stream):
    """gnd.Stream with PyCUDA's names."""

    def __init__(self, flags=0):
        super().__init__()

    @property
    def handle(self):
        """The driver's queue as a number."""
        return self.ptr

    def is_done(self):
        """Whether all work given to the stream is done."""
        return self.done

    def wait_for_event(self, event):
        """Makes work that is given to the stream from now on wait until the event is done."""
        self.wait_event(event)


def init():
    """Accepted without effect: devices are opened at their first use."""


class Context:
    """The part of PyCUDA's context that programs commonly use."""

    @staticmethod
    def synchronize():
        """Waits for the current device."""
        Device().synchronize()
