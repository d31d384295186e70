#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_streams.py - gnd.Stream and Event by CuPy's, Numba's and PyCUDA's names: which stream is current where, that work
# is done there, and that values are the same whatever the streams.
import gc
import random
import threading
import time

import pytap as t
from pytap import gnd, np
from gnd import _core, cuda, driver

current = gnd.get_current_stream


def native():
    """The queue where the thread's work goes, as the library says it."""
    return _core._device_native(gnd.Device())[3]


def test_current():
    first = current()
    a, b = gnd.Stream(non_blocking=True), gnd.Stream(device=gnd.Device())
    t.ok(first == gnd.Stream.null == gnd.Stream(null=True) and a != b and a != first and hash(a) != hash(b) and
         hash(first) == hash(gnd.Stream.null), 'streams are equal when they are the same')
    t.ok(len({first.ptr, a.ptr, b.ptr}) == 3 and native() == first.ptr, 'ptr is a queue of its own')
    with a as same:
        inside = current() is a is same and native() == a.ptr
        with b:
            t.ok(current() is b and native() == b.ptr, 'with in with')
        t.ok(inside and current() is a and native() == a.ptr, 'the one before is current again')
    try:
        with a:
            raise KeyError
    except KeyError:
        pass
    t.ok(current() == first and native() == first.ptr, 'after an exception too')
    with a:
        b.use()
    t.ok(current() == first, 'with ends what use() began in it')
    ptr = gnd.Stream().use().ptr
    gc.collect()
    t.ok(native() == ptr != first.ptr and current().ptr == ptr, 'the current stream lives without a name')
    seen = []
    thread = threading.Thread(target=lambda: seen.append((current() == first, native() == first.ptr)))
    thread.start()
    thread.join()
    t.ok(seen == [(True, True)], 'another thread has its own')
    gnd.Stream.null.use()
    null = gnd.Device('null:0')
    with null, gnd.Stream() as s:
        t.ok(s.device == null == current().device and gnd.get_current_stream(first.device) == first,
             'each device has a current one')
    for k in range(200):
        gnd.Stream()
    t.ok(True, 'streams are freed: 63 can be')


def test_refused():
    s, other = gnd.Stream(), gnd.Stream(device='null:0')
    x = gnd.ones(3)
    t.raises(TypeError, lambda: x.get(stream=5), 'a number is no stream', 'a gnd.Stream')
    t.raises(ValueError, lambda: x.get(stream=other), "another device's stream", 'the arrays are on')
    t.raises(ValueError, lambda: gnd.Event() and s.wait_event(gnd.Event()), 'an event that was not recorded')
    t.raises(RuntimeError, lambda: other.wait_event(s.record()), "another device's event")
    t.raises(TypeError, lambda: _core._Stream(None, False).wait_event(s), 'wait_event of a stream')
    kept = []

    def many():
        while len(kept) < 70:
            kept.append(gnd.Stream())
    t.raises(NotImplementedError, many, 'more than 63 streams')


def test_values():
    """Random programs in several streams, against NumPy."""
    r = random.Random(4)
    for k in range(6):
        streams = [gnd.Stream() for _ in range(3)] + [gnd.Stream.null]
        host = [np.arange(50.) + i for i in range(3)]
        here = [gnd.asarray(h) for h in host]
        for _ in range(40):
            i, j = r.randrange(3), r.randrange(3)
            with r.choice(streams):
                if r.random() < .4:
                    n = r.randrange(1, 50)
                    host[i][n:] -= host[j][:-n]
                    here[i][n:] -= here[j][:-n]
                else:
                    host[i] = np.sin(host[j]) + host[i]
                    here[i] = gnd.sin(here[j]) + here[i]
                if r.random() < .5:
                    gnd.evaluate(here[i])
                if r.random() < .1:
                    streams[r.randrange(3)] = gnd.Stream()
        ok = all(t.same(x, h, 1e-12) for x, h in zip(here, host))
        if not t.ok(ok, f'program {k}'):
            break


def test_events():
    s, o = gnd.Stream(), gnd.Stream()
    e = gnd.Event()
    t.ok(e.done, 'an event that was not recorded is done')
    x = gnd.asarray(np.arange(200000.))
    with s:
        for _ in range(20):
            x = gnd.sin(x) + 1
            gnd.evaluate(x)
        e.record()
    o.wait_event(e)
    f = s.record()
    f.synchronize()
    s.synchronize()
    t.ok(e.done and f.done and s.done and isinstance(f, gnd.Event), 'done after synchronize')
    with s:
        gnd.evaluate(x + 1)
    until = time.monotonic() + 60
    while not s.done and time.monotonic() < until:
        pass
    t.ok(s.done, 'done without a wait')
    with o:
        y = x * 2
    o.synchronize()
    gnd.synchronize()
    t.ok(o.done and t.same(y, x.get() * 2), 'in the stream that waited')


def test_functions():
    s = cuda.stream()
    h = np.arange(10, dtype=np.float32)
    seen = []

    @cuda.jit
    def twice(x, y):
        i = cuda.grid(1)
        if i < x.size:
            y[i] = 2 * x[i]
    d = cuda.to_device(h, stream=s)
    y = cuda.device_array_like(d)
    with s.auto_synchronize():
        twice[1, 32, s](d, y)
        seen.append(current() != s)
    out = np.zeros(10, np.float32)
    t.ok(seen == [True] and y.copy_to_host(out, stream=s) is out and (out == 2 * h).all(), "Numba's kernel[.., stream]")
    twice.forall(10, stream=s)(y, d)
    t.is_(d, 4 * h, 'forall')
    t.raises(ValueError, lambda: twice[1, 32, gnd.Stream(device='null:0')](d, y), "another device's stream")
    t.raises(TypeError, lambda: twice[1, 32, 'x'](d, y), 'text is no stream')
    d.copy_to_device(h, stream=s)
    add = cuda.reduce(lambda a, b: a + b)
    t.ok(add(d, stream=s) == h.sum(), 'reduce')
    e, f = cuda.event(), cuda.event(timing=False)
    e.record(s)
    f.record(s)
    f.wait(s)
    f.synchronize()
    t.ok(f.query() and e.query() and cuda.event_elapsed_time(e, e) == 0 and
         cuda.default_stream() == gnd.Stream.null, 'its events')
    t.raises(ValueError, lambda: e.elapsed_time(f), 'an event without timing')
    k = gnd.RawKernel('__kernel void k(__global float *x) { x[get_global_id(0)] += 1; }', 'k')
    k((1,), (10,), (d,), stream=s)
    z = gnd.ElementwiseKernel('T x', 'T y', 'y = x * x', 'square')(d, stream=s)
    got = np.empty((10,), np.float32)
    t.ok(z.get(s, out=got) is got and (got == (h + 1) ** 2).all() and
         (gnd.asnumpy(z, stream=s) == got).all(), "CuPy's stream=")
    p, q = driver.Stream(), driver.Event()
    p.wait_for_event(q.record(p))
    p.synchronize()
    t.ok(q.query() and p.is_done() and p.handle == p.ptr, "PyCUDA's")


t.run([test_current, test_refused, test_values, test_events, test_functions])
