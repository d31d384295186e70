# SPDX-License-Identifier: BSD-3-Clause
#
# diff_fft.py - the reference's Fourier transforms and convolutions, with their bounds, and random
# expressions of them. A transform's error is bounded by eps log2(n) times the sum of magnitudes that goes
# into an element; NumPy computes them in float64, and so does not add to it in float32.
import numpy as np
import diff_fold as fold
from diff_model import LD, V, kind, lift, magnitude

REAL_OUT = ('irfft', 'irfftn', 'irfft2', 'hfft')


def transform(name, many):
    f = getattr(np.fft, name)

    def g(x, n=None, axis=-1, norm=None, s=None, axes=None):
        if many:                                     # (x, s, axes, norm)
            s, axes = n if s is None else s, axis if axes is None and axis != -1 else axes
            if axes is None:
                axes = (-2, -1) if name.endswith('2') else None
        x = lift(x)
        single = x.dtype in (np.float16, np.float32, np.complex64)
        t = (np.float32 if name in REAL_OUT else np.complex64) if single else \
            (np.float64 if name in REAL_OUT else np.complex128)
        wide = x.val.astype(np.complex128 if kind(x.val) == 'c' else np.float64)
        val = f(wide, s, axes, norm) if many else f(wide, n, axis, norm)
        over = tuple(range(x.ndim)) if many and axes is None and s is None else \
            tuple(range(-len(s), 0)) if many and axes is None else axes if many else (axis,)
        size = float(np.prod([max(val.shape[a], x.shape[a]) for a in over]))
        inverse = name[0] == 'i' and name != 'ihfft' or name == 'ihfft'
        scale = size ** -0.5 if norm == 'ortho' else \
            1 / size if (norm != 'forward') == inverse else 1
        total = np.sum(magnitude(x.val), axis=over, keepdims=True) * LD(4 * scale)
        loose = np.sum(x.err, axis=over, keepdims=True) * LD(4 * scale)
        eps = np.finfo(np.float32 if single else np.float64).eps
        bound = total * LD(eps * (8 + 4 * np.log2(size + 1))) + loose
        # sums on the way, of all axes or of a convolution (Bluestein), may leave the range
        far = total / scale * size > np.finfo(np.float32 if single else np.float64).max / 64
        bound = np.where(np.isnan(bound) | far, LD(np.inf), bound)
        return V(val.astype(t), np.broadcast_to(bound, val.shape).astype(LD))
    return g


def line(f):
    def g(a, v, mode=None, method='auto'):
        a, v = lift(a), lift(v)
        args = (mode,) if mode else ()
        t = np.result_type(a.dtype, v.dtype)
        val = f(a.val.astype(t), v.val.astype(t), *args)
        if kind(val) in 'biu':
            return V(val, None if a.exact() and v.exact() else np.full(val.shape, np.inf, LD))
        h, k = magnitude(a.val) + a.err, magnitude(v.val) + v.err
        most = f(h.astype(np.float64), k.astype(np.float64), *args).astype(LD)
        least = f((h - a.err).astype(np.float64), (k - v.err).astype(np.float64), *args).astype(LD)
        wide = np.complex128 if kind(val) == 'c' else np.float64
        mid = f(a.val.astype(wide), v.val.astype(wide), *args)
        small = np.finfo(t).tiny
        bound = (most - least) * 2 + most * LD(fold.eps_of(val.dtype)) * (len(h) + len(k) + 60) + small
        # what lies beyond the ends is 0, also times an infinity
        wild = not (np.isfinite(h).all() and np.isfinite(k).all())
        bound = np.where(np.isfinite(bound) & (not wild), bound, LD(np.inf))
        return V(mid.astype(t), bound)
    return g


fold.NAMES.update({n: transform(n, n[-1] in 'n2') for n in
                   ('fft', 'ifft', 'rfft', 'irfft', 'hfft', 'ihfft', 'fftn', 'ifftn', 'rfftn', 'irfftn', 'fft2',
                    'ifft2', 'rfft2', 'irfft2')})
fold.NAMES.update({'convolve': line(np.convolve), 'correlate': line(np.correlate)})


def transforms(gen, shape, depth, kinds):
    """The text of a transform or convolution of that shape, by the generator's means (diff_gen.Gen)."""
    nd = len(shape)
    if not nd or 0 in shape:
        raise IndexError
    k = int(gen.rng.integers(nd))
    n = shape[k]
    norm = gen.pick(['', '', ", norm='ortho'", ", norm='forward'"])

    def of(m, want):
        return gen.sub(shape[:k] + (m,) + shape[k + 1:], depth, want)
    if nd == 1 and gen.chance(0.5):
        name, mode = gen.pick(['convolve', 'correlate']), gen.pick(['full', 'same', 'valid'])
        gen.note(name)
        m = int(gen.rng.integers(1, n + 1))
        first = n - m + 1 if mode == 'full' else n if mode == 'same' else n + m - 1
        if mode == 'same' and m > first:
            raise IndexError
        a, v = gen.sub((first,), depth, 'biuf'), gen.sub((m,), depth, 'iuf')
        return f"{name}({a}, {v}, '{mode}')"
    if 'c' not in kinds:
        name = gen.pick(['irfft', 'hfft', 'irfftn'])
        gen.note(name)
        if name == 'irfftn':
            k = nd - 1
            n = shape[k]
            return f"irfftn({of(n // 2 + 1, 'fc')}, {tuple(shape)}{norm})"
        return f"{name}({of(n // 2 + 1, 'fc')}, {n}, {k}{norm})"
    name = gen.pick(['fft', 'ifft', 'rfft', 'ihfft', 'fftn', 'ifft2', 'rfft2'])
    gen.note(name)
    if name in ('fft', 'ifft'):
        m = gen.pick([n, n, n + 1, max(1, n - 2)])
        return f"{name}({of(m, 'ifc')}, {n}, {k - nd}{norm})"
    if name in ('rfft', 'ihfft'):
        m = gen.pick([2 * n - 1, max(1, 2 * n - 2)])
        return f"{name}({of(m, 'if')}, axis={k}{norm})"
    if name == 'fftn':
        axes = tuple(int(a) for a in gen.rng.permutation(nd)[:int(gen.rng.integers(1, nd + 1))])
        return f"fftn({gen.sub(shape, depth, 'fc')}, axes={axes}{norm})"
    if nd < 2:
        raise IndexError
    if name == 'ifft2':
        return f"ifft2({gen.sub(shape, depth, 'fc')}, axes=(0, 1){norm})"
    k = nd - 1
    return f"rfft2({of(2 * shape[-1] - 1, 'f')}{norm})"
