# SPDX-License-Identifier: BSD-3-Clause
"""gnd.benchmark, like cupyx.profiler.benchmark: measures the time of a call on the host, and the
time until the device is done."""
import math
import time

import numpy as np

from ._core import Device, evaluate, ndarray


class Result:
    """The result of benchmark: name, cpu_times (seconds of each call on the host), gpu_times (seconds
    until the device was done, one row)."""

    def __init__(self, name, cpu, gpu):
        self.name, self.cpu_times, self.gpu_times = name, np.array(cpu), np.array([gpu])

    def to_str(self, show_gpu=False):
        """Mean, standard deviation, minimum and maximum, in microseconds."""
        rows = [('CPU', self.cpu_times)] + [(f'GPU-{i}', row)
                                            for i, row in enumerate(self.gpu_times) if show_gpu]
        cells = [
            f'{what}: {t.mean() * 1e6:9.3f} us   +/- {t.std() * 1e6:.3f} (min: '
            f'{t.min() * 1e6:9.3f} / max: '
            f'{t.max() * 1e6:9.3f}) us' for what, t in rows
        ]
        return f"{self.name:<20}:    {'     '.join(cells)}"

    def __str__(self):
        return self.to_str(show_gpu=True)

    __repr__ = __str__


def _arrays(obj):
    if isinstance(obj, ndarray):
        return [obj]
    if isinstance(obj, dict):
        obj = list(obj.values())
    return [x for o in obj for x in _arrays(o)] if isinstance(obj, (tuple, list)) else []


def benchmark(func,
              args=(),
              kwargs=None,
              n_repeat=10000,
              *,
              name=None,
              n_warmup=10,
              max_duration=math.inf,
              devices=None):
    """Calls func(*args, **kwargs) n_warmup times, then n_repeat times or for max_duration seconds,
    and measures the latter calls. The arrays in the result are evaluated. A call is measured until
    its work is given to the device (cpu_times), and until the device is done (gpu_times). devices:
    the devices to wait for; None: the current one."""
    if not callable(func):
        raise ValueError(f'benchmark: {type(func).__name__}: a function is wanted')
    if not isinstance(args, tuple):
        raise ValueError(f'benchmark: args: {type(args).__name__}: a tuple is wanted')
    if n_repeat < 1 or n_warmup < 0:
        raise ValueError(
            f'benchmark: n_repeat {n_repeat}, n_warmup {n_warmup}: at least 1 and 0 are wanted')
    where = [d if isinstance(d, Device) else Device(d) for d in devices or (None, )]
    keywords, cpu, gpu = kwargs or {}, [], []

    def call():
        start = time.perf_counter()
        evaluate(*_arrays(func(*args, **keywords)))
        given = time.perf_counter()
        for d in where:
            d.synchronize()
        return given - start, time.perf_counter() - start

    for _ in range(n_warmup):
        call()
    begun = time.perf_counter()
    while len(cpu) < n_repeat and (not cpu or time.perf_counter() - begun < max_duration):
        times = call()
        cpu.append(times[0])
        gpu.append(times[1])
    return Result(name or getattr(func, '__name__', repr(func)), cpu, gpu)
