# SPDX-License-Identifier: BSD-3-Clause
"""Streams and events under CuPy's names. Each thread has a current stream on each device, which receives the thread's
work. Arrays may be used in any stream: gnd orders the work on their memory. See doc/STREAMS.md."""
import threading

from . import _core
from ._core import Device, evaluate


class _Current(threading.local):
    """The streams of a thread. of: the current stream of each device, which is kept alive. before: the streams that
    `with` replaced."""

    def __init__(self):
        self.of, self.before = {}, []


_current = _Current()


def get_current_stream(device=None):
    """The current stream of this thread on a device; None: on the current device."""
    device = Device(device)
    s = _current.of.get(device)
    return Stream(null=True, device=device) if s is None else s


class _Null:
    """Stream.null: the default stream of the current device."""

    def __get__(self, stream: object, of: 'type[Stream]') -> 'Stream':
        return of(null=True)


class Stream:
    """An in-order stream of a device; null=True: the device's default stream. `with stream:` or stream.use() makes it
    the thread's current stream, in which the thread evaluates, uploads, reads, replays and launches. An array is
    computed in the stream that is current when it is evaluated or read, not when the operation is called. ptds=True
    means null=True. non_blocking and priority have no effect: no stream waits for the default one."""
    null = _Null()

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None, *, device=None):
        self.device, self._default = Device(device), bool(null or ptds)
        self._of = _core._Stream(self.device, self._default)

    def __enter__(self):
        before = get_current_stream(self.device)
        self.use()
        _current.before.append(before)
        return self

    def __exit__(self, *why):
        _current.before.pop().use()

    def use(self):
        """Makes the stream the current one of this thread on its device. Returns the stream."""
        self._of.use()
        _current.of[self.device] = self
        return self

    def synchronize(self):
        """Waits until all work given to the stream is done, and raises errors of that work."""
        self._of.synchronize()

    def record(self, event=None):
        """Returns an Event, the given one or a new one, that is done when all work given to the stream so far is
        done."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Makes work that is given to the stream from now on wait until the event is done. The host does not wait."""
        self._of.wait_event(event._at())

    @property
    def done(self):
        """Whether all work given to the stream is done."""
        return self._of.done()

    @property
    def ptr(self):
        """The driver's queue as a number: a cudaStream_t, a cl_command_queue."""
        return self._of.ptr()

    def __eq__(self, other):
        return isinstance(other, Stream) and self.device == other.device and (
            self._of is other._of or self._default and other._default)

    def __hash__(self):
        return hash((self.device, None if self._default else id(self._of)))

    def __repr__(self):
        return f"<{'default ' * self._default}stream of {self.device}>"


class Event:
    """A point in the work given to a stream. It has no times; use gnd.benchmark to measure. An event that was not
    recorded is done, as in CuPy. The arguments have no effect."""

    def __init__(self, block=False, disable_timing=True, interprocess=False):
        self._of = None

    def _at(self):
        if self._of is None:
            raise ValueError('wait_event: the event was not recorded')
        return self._of

    def record(self, stream=None):
        """Records the event: it is done when all work given to the stream so far is done. None: the current stream."""
        self._of = (get_current_stream() if stream is None else stream)._of.record()

    def synchronize(self):
        """Waits for the event."""
        if self._of is not None:
            self._of.synchronize()

    @property
    def done(self):
        """Whether the event is done. Does not wait."""
        return self._of is None or self._of.done()


class _Here:
    """The context of using(None): the current stream does not change."""

    def __enter__(self):
        return self

    def __exit__(self, *why):
        pass


_here = _Here()


def using(stream, device=None):
    """A context in which `stream`, an argument of a function, is the current stream. None or 0: the current stream does
    not change. device: the device of the work, which must be the stream's device."""
    if stream is None or isinstance(stream, int) and stream == 0:
        return _here
    if not isinstance(stream, Stream):
        raise TypeError(f'stream: {stream!r}: a gnd.Stream, None or 0 is wanted')
    if device is not None and device != stream.device:
        raise ValueError(f'stream: it is of {stream.device}, and the arrays are on {device}')
    return stream


def computed(arrays, stream):
    """The arrays. Starts to compute them in `stream`; None: they are computed when they are needed."""
    if stream is not None:
        for x in arrays:
            with using(stream, x.device):
                evaluate(x)
    return arrays
