# SPDX-License-Identifier: BSD-3-Clause
"""Kernels written in Python, in Numba's language, on every device: jit, grid, shared.array, to_device and their like.
gnd.kernel is the same under another name. See doc/PYTHON.md."""
import contextlib
import time

import numpy as np

from .. import _core, _stream
from .._convert import asarray, asnumpy
from .._core import Device, ndarray
from .._stream import using
from . import types
from .dispatch import Dispatcher, In, InOut, Out, jit  # noqa: F401
from .library import Reduce, reduce, vectorize
from .stubs import *  # noqa: F401, F403
from .types import TypingError, void  # noqa: F401

# float32, intp, f4, double and the other names of types.
globals().update({n: v for n, v in vars(types).items() if isinstance(v, types.Scalar) and n[0] != '_'})
# float32x3 and its like, and their names in CUDA C: float3.
VECTORS = {}
for _t, _c in (('int8', 'char'), ('uint8', 'uchar'), ('int16', 'short'), ('uint16', 'ushort'), ('int32', 'int'),
               ('uint32', 'uint'), ('int64', 'long'), ('uint64', 'ulong'), ('float32', 'float'), ('float64', 'double')):
    for _n in (1, 2, 3, 4):
        _v = types.Vector(types.SCALARS[_t], _n)
        VECTORS[_v.name] = VECTORS[f'{_c}{_n}'] = _v
        if _c in ('long', 'ulong'):
            VECTORS[f'{_c}long{_n}'] = _v
globals().update(VECTORS)
del _t, _c, _n, _v


declare_device = Dispatcher


def to_device(obj, stream=0, copy=True, to=None):
    """An array on the device with obj's elements; to: an array that gets them."""
    with using(stream):
        x = _core._from_numpy(np.asarray(obj), None)
        if to is None:
            return x
        to[...] = x
    return to


def device_array(shape, dtype=np.float64, strides=None, order='C', stream=0):
    """An array on the device; its elements are 0."""
    if order not in ('C', 'A', 'F'):
        raise ValueError(f'device_array: order {order!r}: "C" is wanted')
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
    """A copy as a NumPy array, or into ary. It waits for the copy, whatever the stream."""
    return asnumpy(self, stream or None, out=ary)


def _copy_to_device(self, ary, stream=0):
    """Gives the array the elements of ary."""
    with using(stream):
        self[...] = ary


for _name, _f in (('copy_to_host', _copy_to_host), ('copy_to_device', _copy_to_device)):
    setattr(ndarray, _name, _f)


def pinned_array_like(ary):
    """A NumPy array of ary's shape and dtype."""
    return np.zeros(ary.shape, ary.dtype)


def mapped_array_like(ary, stream=0, portable=False, wc=False):
    """An array of ary's shape and dtype on the device."""
    return device_array(ary.shape, ary.dtype)


managed_array = mapped_array


def synchronize():
    """Waits for the current device."""
    Device().synchronize()


class Stream(_stream.Stream):
    """gnd.Stream with Numba's names."""

    @contextlib.contextmanager
    def auto_synchronize(self):
        """At the end of the `with` statement all work given to the stream is done."""
        yield self
        self.synchronize()


def stream():
    """A new Stream of the current device."""
    return Stream()


def default_stream():
    """The default Stream of the current device."""
    return Stream(null=True)


per_thread_default_stream = legacy_default_stream = default_stream


class Event(_stream.Event):
    """A point of the work given to a stream. With timing, record() waits for that work: the device has no clock here."""

    def __init__(self, timing=True):
        super().__init__()
        self.timing, self.at = timing, None

    def record(self, stream=0):
        """The event comes when all work given until now to the stream is done; 0: to the current one."""
        super().record(stream or None)
        if self.timing:
            self.synchronize()
            self.at = time.perf_counter()

    def wait(self, stream=0):
        """Work given to the stream from now on begins when the event has come."""
        (stream or _stream.get_current_stream()).wait_event(self)

    def query(self):
        """Whether the event has come."""
        return self.done

    def elapsed_time(self, other):
        """Milliseconds of the host's clock from this event to another; their streams were idle at both."""
        if self.at is None or other.at is None:
            raise ValueError('elapsed_time: an event was not recorded, or without timing')
        return (other.at - self.at) * 1000


def event(timing=True):
    """An Event."""
    return Event(timing)


def event_elapsed_time(start, end):
    """Milliseconds between two events."""
    return start.elapsed_time(end)


@contextlib.contextmanager
def defer_cleanup():
    """Accepted: gnd frees memory itself."""
    yield


@contextlib.contextmanager
def pinned(*arrays):
    """Accepted: gnd stages transfers itself."""
    yield


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
    return asarray(obj)


def get_current_device():
    return Device()


__all__ = ['jit', 'grid', 'gridsize', 'to_device', 'reduce', 'vectorize', 'types', 'Reduce']
