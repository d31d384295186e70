# SPDX-License-Identifier: BSD-3-Clause
"""Makes a workload's inputs, times it over the libraries as `gnd bench` does, and compares the values.

The time is the median of 5 batches of at least 30 ms of calls after two warm-up calls, by the wall clock, with one
wait at the end of a batch. The libraries take turns batch by batch, so that what else the machine does meets all."""
import contextlib
import signal
import statistics
import time
import zlib

import numpy as np

BATCHES, BATCH = 5, 0.03
EPS = {'float16': 1e-3, 'bfloat16': 8e-3, 'float32': 2e-7, 'complex64': 2e-7, 'float64': 1e-15, 'complex128': 1e-15}


class Late(Exception):
    """The time limit of a workload is over."""


@contextlib.contextmanager
def limit(seconds):
    """Raises Late in the block after `seconds`, between two steps of Python."""
    def over(*_):
        raise Late(f'more than {seconds:.0f} s')
    old = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, max(0.01, seconds))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def make_input(spec, seed):
    """The elements of an input (work.In) as an array of NumPy; bfloat16 as float32 that a bfloat16 holds."""
    g = np.random.default_rng(seed)
    dist, s, name = spec.dist, spec.shape, spec.dtype
    dt = np.dtype({'bfloat16': 'float32'}.get(name, name))
    if name == 'bool':
        return g.random(s, dtype=np.float32) < 0.5
    if isinstance(dist, tuple):
        return g.integers(0, dist[1], s, dtype=np.int64).astype(dt)
    if dist == 'perm':
        return g.permutation(s[0]).astype(dt)
    if dt.kind in 'iu':
        top = min(1000, int(np.iinfo(dt).max))
        return g.integers(0 if dt.kind == 'u' else -min(top, 100), top, s, dtype=np.int64).astype(dt)
    if dist == 'sorted':
        return np.sort(g.standard_normal(s, dtype=np.float32).astype(dt), axis=-1)
    wide = np.float64 if dt in (np.float64, np.complex128) else np.float32
    if dist == 'unit':
        x = g.random(s, dtype=wide)
    elif dist == 'pos':
        x = g.random(s, dtype=wide) + wide(0.5)
    elif dist == 'any':
        x = np.floor(g.random(s, dtype=wide) * 250)
    else:
        x = g.standard_normal(s, dtype=wide)
    if dist == 'nan':
        x[g.random(s, dtype=np.float32) < 0.1] = np.nan
    elif dist == 'spd':
        x = x @ x.swapaxes(-1, -2) / s[-1] + np.eye(s[-1], dtype=wide)
    elif dist in ('diag', 'unitdiag'):
        x = x / s[-1] ** 0.5 + 3 * np.eye(s[-1], dtype=wide)
        x = x / 3 if dist == 'unitdiag' else x
    if dt.kind == 'c':
        x = x + 1j * g.standard_normal(s, dtype=wide)
    x = x.astype(dt)
    if name == 'bfloat16':
        x = (x.view(np.uint32) & np.uint32(0xffff0000)).view(np.float32)
    return x


def inputs_of(work, seed):
    return {k: make_input(i, zlib.crc32(f'{seed} {work.number} {k}'.encode())) for k, i in work.inputs.items()}


def as_tuple(r):
    return tuple(r) if isinstance(r, (tuple, list)) else (r,)


def tolerance(work):
    """The error allowed, relative to the largest value of the reference."""
    worst = max([EPS.get(i.dtype, 0) for i in work.inputs.values()] + [2e-7]) if work.check != 'exact' else 0
    return worst * 4 * max(1.0, work.tol)


def error(work, got, ref):
    """How far results (tuples of NumPy's arrays) are from a reference: 0 to 1 within the tolerance; a text if they
    cannot be compared."""
    if len(got) != len(ref):
        return f'{len(got)} results, not {len(ref)}'
    worst = 0.0
    for a, b in zip(got, ref):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape:
            return f'shape {a.shape}, not {b.shape}'
        if a.size == 0:
            continue
        wide = complex if a.dtype.kind == 'c' or b.dtype.kind == 'c' else float
        a, b = a.astype(wide), b.astype(wide)
        if work.check == 'stats':
            m = abs(a.mean() - b.mean()) / (abs(b).std() + abs(b).mean() + 1e-9)
            worst = max(worst, float(m) / (8 / a.size ** 0.5 + 0.01))
            continue
        if work.check == 'ties' or work.check == 'mostly':  # indices of equal elements: nearly all agree
            worst = max(worst, float((a != b).mean()) / (0.02 if work.check == 'ties' else 0.05))
            continue
        if work.check == 'sorted':
            a, b = np.sort(a, axis=-1), np.sort(b, axis=-1)
        if work.check == 'abs':
            a, b = abs(a), abs(b)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return 'NaN at other places'
        fin = np.isfinite(a) & np.isfinite(b)
        if not (same | fin).all():
            return 'infinities at other places'
        scale = float(np.abs(b[fin]).max()) if fin.any() else 0
        gap = float(np.abs(a[fin] - b[fin]).max()) if fin.any() else 0
        worst = max(worst, gap / (scale + 1e-30) / tolerance(work) if gap else 0)
    return worst


class Side:
    """One form of one library: its function over its inputs, its times."""

    def __init__(self, lib, suffix, function, arrays):
        self.lib, self.name, self.f, self.arrays = lib, lib.name + suffix, function, arrays
        self.times, self.reps, self.slow = [], 1, False
        self.why, self.first, self.result = None, None, None
        self.kernels, self.library_calls = None, None  # of the first call, where the library counts them

    def call(self):
        r = as_tuple(self.f(*self.arrays))
        self.lib.run(r)
        return r

    def start(self, seconds):
        """The first calls, which compile, and the number of calls of a batch."""
        before = self.lib.counts()
        t = time.perf_counter()
        self.result = self.call()
        self.lib.sync()
        self.first = time.perf_counter() - t
        if before:
            self.kernels, self.library_calls = (b - a for a, b in zip(before, self.lib.counts()))
        one = self.once()
        if one * BATCHES > seconds:
            self.times, self.slow = [one], True
            return
        one = self.once()
        self.reps = max(1, min(5000, int(BATCH / max(one, 1e-7)) + 1))

    def once(self):
        t = time.perf_counter()
        self.call()
        self.lib.sync()
        return time.perf_counter() - t

    def batch(self):
        """One batch. A result lives until the next call has made its own, as in a program's loop."""
        t = time.perf_counter()
        for _ in range(self.reps):
            r = self.call()
        self.lib.sync()
        self.times.append((time.perf_counter() - t) / self.reps)
        del r

    def ms(self, best=False):
        return (min if best else statistics.median)(self.times) * 1e3


class Call:
    """A side's call, for Lib.peak."""

    def __init__(self, side):
        self.function, self.arrays, self.side = side.f, side.arrays, side

    def __call__(self):
        return self.side.call()


def peaks_of(sides, nbytes):
    """The most device memory of each side, in bytes, where its library tells."""
    out = {}
    for side in sides:
        try:
            peak = side.lib.peak(Call(side), nbytes)
        except Exception:  # a measurement that one library has not for this form
            peak = None
        if peak:
            out[side.name] = int(peak)
    return out


def sides_of(work, libs, arrays, seconds, timed=True):
    """The forms of all libraries, started; those that cannot have .why."""
    sides = []
    for lib in libs:
        try:
            mine = [lib.put(a, work.inputs[k].dtype) for k, a in arrays.items()]
            forms = lib.function(work)
        except Exception as e:  # a library without the dtype or the form
            side = Side(lib, '', None, None)
            side.why = f'{type(e).__name__}: {str(e)[:160]}'
            sides.append(side)
            continue
        for suffix, f in forms:
            side = Side(lib, suffix, f, mine)
            sides.append(side)
            try:
                with limit(5 * seconds):  # compilers count here
                    if timed:
                        side.start(seconds)
                    else:
                        side.result = side.call()
                        lib.sync()
            except Exception as e:
                side.why = f'{type(e).__name__}: {" ".join(str(e).split())[:160]}'
    return sides


def measure(work, gnd, libs, reference, seed, options):
    """The record of a workload: times, errors, floors. `reference` is NumPy's Lib."""
    arrays = inputs_of(work, seed)
    cheap = options.shrink > 1 or max(work.ops, work.elements()) < 4e6 or not any(
        lib.name in ('cupy', 'jax', 'torch') for lib in libs)
    ref, ref_by = None, None
    if cheap and not any(lib.name == 'numpy' for lib in libs):
        libs_ref = sides_of(work, [reference], arrays, options.limit, timed=False)
        if libs_ref and not libs_ref[0].why:
            ref, ref_by = [reference.get(r) for r in libs_ref[0].result], 'numpy'
    sides = sides_of(work, [gnd] + libs, arrays, options.limit, timed=not options.values)
    order = {'numpy': 0, 'cupy': 1, 'jax': 2, 'torch': 3}
    if ref is None:
        for side in sorted(sides, key=lambda s: order.get(s.lib.name, 9)):
            if side.lib is not gnd and not side.why:
                ref, ref_by = [side.lib.get(r) for r in side.result], side.name
                break
    record = {'number': work.number, 'kind': work.kind, 'text': work.text(), 'reference': ref_by, 'ms': {}, 'why': {},
              'first_ms': {}, 'error': {}, 'result_bytes': {}}
    out_bytes = 0
    for side in sides:
        if side.why:
            record['why'][side.name] = side.why
            continue
        try:
            got = [side.lib.get(r) for r in side.result]
        except Exception as e:
            side.why = record['why'][side.name] = f'{type(e).__name__}: {" ".join(str(e).split())[:160]}'
            continue
        record['result_bytes'][side.name] = size = sum(r.nbytes for r in got)
        if side.lib is gnd:
            out_bytes = size
        if ref is not None:
            e = error(work, got, ref)
            record['error'][side.name] = e if isinstance(e, str) else round(e, 4)
        side.result = got = None
    if not options.values:
        live = [s for s in sides if not s.why]
        for _ in range(BATCHES):
            for side in live:
                if side.why or side.slow:
                    continue
                try:
                    with limit(options.limit):
                        side.batch()
                except Exception as e:
                    side.why = record['why'][side.name] = f'{type(e).__name__}: {" ".join(str(e).split())[:160]}'
        for side in live:
            if side.times:
                record['ms'][side.name] = round(side.ms(options.best), 6)
                record['first_ms'][side.name] = round(side.first * 1e3, 2)
            if side.kernels is not None:
                record['kernels'], record['library_calls'] = side.kernels, side.library_calls
        record['peak'] = peaks_of(live, sum(i.nbytes() for i in work.inputs.values()))
    record['bytes'] = int(work.nbytes or sum(i.nbytes() for i in work.inputs.values()) + out_bytes)
    return record
