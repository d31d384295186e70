# SPDX-License-Identifier: BSD-3-Clause
#
# diff_linalg.py - decompositions and solvers for the differential test: NumPy's and SciPy's values with
# bounds from perturbation theory (Higham, Accuracy and Stability of Numerical Algorithms, 2002; Golub and
# Van Loan, Matrix Computations): a backward error of some n eps and the bounds of the operands, times
# the condition. And random calls of them, on matrices that stay far from singular where that decides
# whether there is a result at all.
import numpy as np
from diff_fold import NAMES, eps_of
from diff_model import LD, V, high, lift

try:
    from scipy.linalg import expm as scipy_expm
except ImportError:
    scipy_expm = None

INF = LD(np.inf)


def working(a):
    """The matrices in float64 or complex128, and the dtype of results."""
    t = np.dtype({'float32': 'float32', 'complex64': 'complex64', 'complex128': 'complex128'}.get(
        a.dtype.name, 'float64'))
    if a.dtype == np.float16:
        raise TypeError     # NumPy has none
    return a.val.astype(np.complex128 if a.dtype.kind == 'c' else np.float64), t


def real_of(t):
    return np.dtype({'complex64': 'float32', 'complex128': 'float64'}.get(t.name, t.name))


def fro(x, axes=(-2, -1)):
    return np.sqrt((np.abs(x).astype(LD)**2).sum(axes))


def moved(a, t):
    """How far each matrix may be away, in Frobenius' norm: the operand's bound and a backward error."""
    n = max(a.shape[-2:] + (1,))
    return fro(a.err) + fro(a.val) * LD(20 * n * float(eps_of(t)))


def result(val, t, bound, axes):
    """val in dtype t, every element within the bound of its matrix, which has lost `axes` axes."""
    val = np.asarray(val).astype(t)
    bound = np.asarray(bound, LD)
    b = bound.reshape(bound.shape + (1,) * axes) + LD(2 * float(eps_of(t))) * np.abs(high(val))
    b = np.where(np.isnan(b), INF, b)
    return V(val, np.array(np.broadcast_to(b, val.shape)))


def small(cond):
    """1 where first-order theory holds, else inf."""
    return np.where(cond < 0.1, LD(1), INF)


def inverse(a):
    """a, its dtype, its inverse, |a^-1| and what it may move by."""
    w, t = working(a)
    x = np.linalg.inv(w)
    d = moved(a, t)
    return w, t, x, fro(x), d


def det(a):
    w, t, _, ni, d = inverse(a)
    r = np.linalg.det(w)
    return result(r, t, 2 * np.abs(r) * ni * d * small(ni * d), 0)


class Pair(tuple):
    """Several results, of which one is taken."""


def slogdet(a):
    w, t, _, ni, d = inverse(a)
    sign, log = np.linalg.slogdet(w)
    s = result(sign, t, 2 * ni * d * small(ni * d), 0)
    if t.kind == 'f':
        s = V(s.val, np.where(ni * d < 0.1, LD(0), INF))
    return Pair((s, result(log, real_of(t), 2 * ni * d * small(ni * d), 0)))


def inv(a):
    _, t, x, ni, d = inverse(a)
    return result(x, t, 2 * ni * ni * d * small(ni * d), 2)


def solve(a, b):
    w, t, _, ni, d = inverse(a)
    wb, tb = working(b)
    t = np.result_type(t, tb)
    column = b.ndim == 1
    x = np.linalg.solve(w, wb[:, None] if column else wb)
    eb = fro(b.err, None) if column else fro(b.err)
    d = fro(a.err) + fro(a.val) * LD(20 * w.shape[-1] * float(eps_of(t)))
    bound = 2 * ni * (d * fro(x) + eb) * small(ni * d)
    return result(x[..., 0] if column else x, t, bound, 1 if column else 2)


def lower(a):
    """The Hermitian matrix of which a has the lower triangle."""
    def both(x, of):
        return np.tril(x) + np.swapaxes(of(np.tril(x, -1)), -1, -2)
    return V(both(a.val, np.conj), both(a.err, np.abs))


def cholesky(a):
    a = lower(a)
    w, t, _, ni, d = inverse(a)
    r = np.linalg.cholesky(w)
    y = result(r, t, 2 * ni * fro(r) * d * small(ni * d), 2)
    return V(y.val, np.where(np.tril(np.ones(w.shape[-2:], bool)), y.err, LD(0)))


def eigvalsh(a):
    a = lower(a)
    w, t = working(a)
    return result(np.linalg.eigvalsh(w), real_of(t), moved(a, t), 1)


def svdvals(a):
    w, t = working(a)
    return result(np.linalg.svd(w, compute_uv=False), real_of(t), moved(a, t), 1)


class Factors:
    """Q and R of a: only their product is compared."""
    def __init__(self, a, part=None):
        self.a, self.part = a, part

    def __getitem__(self, i):
        return Factors(self.a, i)

    def __matmul__(self, other):
        w, t = working(self.a)
        return result(w, t, moved(self.a, t), 2)


def pinv(a, rtol):
    w, t = working(a)
    s = np.linalg.svd(w, compute_uv=False)
    x, d = np.linalg.pinv(w, rtol), moved(a, t)
    sure = small(d / s[..., -1]) * small(1e-4 * s[..., 0] / s[..., -1])
    return result(x, t, 2 * fro(x)**2 * d * sure, 2)


def lstsq(a, b, rcond):
    w, t = working(a)
    wb, tb = working(b)
    t = np.result_type(t, tb)
    x, _, rank, s = np.linalg.lstsq(w, wb, rcond=rcond)
    d, ni = moved(a, t), fro(np.linalg.pinv(w))
    r = fro(w @ x - wb, None)
    sure = small(d / s[-1]) * small(1e-4 * s[0] / s[-1])
    bound = 2 * (ni * (d * fro(x, None) + fro(b.err, None)) + ni * ni * d * r) * sure
    eps = LD(20 * max(w.shape) * float(eps_of(t)))
    return Pair((result(x, t, bound + eps * ni * fro(wb, None) * sure, x.ndim), None,
                 V(np.asarray(rank, np.int64), np.where(np.isfinite(sure), LD(0), INF))))


def matrix_rank(a, rtol):
    w, t = working(a)
    s, d = np.linalg.svd(w, compute_uv=False), moved(a, t)[..., None]
    cut = rtol * s[..., :1]
    unsure = (np.abs(s - cut) <= 2 * d + 1e-6 * cut).any(-1)
    return V(np.asarray((s > cut).sum(-1), np.int64), np.where(unsure, INF, LD(0)))


def matrix_power(a, n):
    w, t = working(a)
    if n < 0:
        w, t, x, ni, d = inverse(a)
        d = 2 * ni * ni * d * small(ni * d)
        size = ni
    else:
        d, size = moved(a, t), fro(w)
    k = abs(n)
    bound = k * (size + d)**max(k - 1, 0) * d * 2 if k else d * 0
    return result(np.linalg.matrix_power(w, n), t, bound, 2)


def expm(a):
    if scipy_expm is None:
        raise TypeError
    w, t = working(a)
    d = moved(a, t)
    return result(scipy_expm(w), t, 20 * np.exp(fro(w) + d) * d, 2)


def norm_of(w, p):
    return np.asarray(np.linalg.norm(w, p, axis=(-2, -1)))


def matrix_norm(a, ord='fro'):
    w, t = working(a)
    return result(norm_of(w, ord), real_of(t), max(w.shape[-2:]) * moved(a, t), 0)


def cond(a, p=None):
    w, t, x, ni, d = inverse(a)
    p = 2 if p is None else p
    r = norm_of(w, p) * norm_of(x, p)
    return result(r, real_of(t), r * 4 * w.shape[-1]**2 * ni * d * small(ni * d), 0)


NAMES.update({'det': det, 'slogdet': slogdet, 'inv': inv, 'solve': solve, 'cholesky': cholesky,
              'eigvalsh': eigvalsh, 'svdvals': svdvals, 'qr': lambda a: Factors(a), 'pinv': pinv,
              'lstsq': lstsq, 'matrix_rank': matrix_rank, 'matrix_power': matrix_power, 'expm': expm,
              'matrix_norm': matrix_norm, 'cond': cond})
NAMES['inf'] = np.inf
ORDS = ["'fro'", "'nuc'", '1', '-1', '2', '-2', 'inf', '-inf']


class Linear:
    """The random calls, a part of diff_gen.Gen."""

    def matrix(self, shape, depth, kinds):
        """Finite numbers of at most some size."""
        if 'c' in kinds and (self.chance(0.4) or not set(kinds) & set('iuf')):
            return self.array(shape, self.dtype('c'))
        x = self.sub(shape, min(depth, 2), 'if')    # it is there twice
        return f"where(isfinite({x}), clip({x}, -1, 1), 0.5)"

    def strong(self, shape, depth, kinds):
        """The same, far from singular."""
        x, n = self.matrix(shape, depth, kinds), shape[-1]
        return f"({x} + {100 * n if x[:5] != 'where' else 3 * n} * eye({n}, {n}, 0, dtype=float32))"

    def linear(self, shape, depth, kinds):
        if 'f' not in kinds and 'c' not in kinds and 'i' not in kinds or any(e == 0 or e > 40 for e in shape):
            raise IndexError    # another step
        nd = len(shape)
        k = self.pick([1, 2, 3, 5, 8])
        names = ['det', 'slogdet', 'matrix_norm', 'cond', 'matrix_rank']
        if nd:
            names += ['eigvalsh', 'svdvals']
        if nd > 1:
            names += ['solve', 'pinv']
            if shape[-1] == shape[-2]:
                names += ['inv', 'cholesky', 'matrix_power', 'expm', 'qr']
            if nd == 2:
                names += ['lstsq']
        name = self.pick(names)
        self.note(name)
        if name in ('det', 'slogdet', 'cond'):
            a = self.strong(shape + (k, k), depth, kinds)
            if name == 'cond':
                return f"cond({a}, {self.pick(ORDS)})" if self.chance(0.7) else f"cond({a})"
            return f"det({a})" if name == 'det' else f"slogdet({a})[{self.pick([0, 1])}]"
        if name == 'matrix_norm':
            return f"matrix_norm({self.matrix(shape + (k, self.pick([1, 3, 4])), depth, kinds)}, ord={self.pick(ORDS)})"
        if name == 'matrix_rank':
            return f"matrix_rank({self.matrix(shape + (k, self.pick([1, 3, 4])), depth, kinds)}, rtol=0.01)"
        if name == 'svdvals':
            sides = (shape[-1], shape[-1] + self.pick([0, 0, 2]))
            return f"svdvals({self.matrix(shape[:-1] + (sides if self.chance(0.5) else sides[::-1]), depth, kinds)})"
        if name == 'eigvalsh':
            return f"eigvalsh({self.hermitian(shape + shape[-1:], depth, kinds)})"
        if name == 'solve':
            n = shape[-2]
            b = self.matrix(shape, depth, kinds)
            return f"solve({self.strong(shape[:-2] + (n, n), depth, kinds)}, {b})"
        if name == 'pinv':
            return f"pinv({self.matrix(shape[:-2] + (shape[-1], shape[-2]), depth, kinds)}, rtol=1e-9)"
        if name == 'lstsq':
            m = shape[0] + self.pick([0, 1, 5])
            a = self.matrix((m, shape[0]), depth, kinds)
            return f"lstsq({a}, {self.matrix((m, shape[1]), depth, kinds)}, rcond=1e-9)[0]"
        if name == 'cholesky':
            return f"cholesky({self.hermitian(shape, depth, kinds)})"
        a = self.strong(shape, depth, kinds)
        if name == 'inv':
            return f"inv({a})"
        if name == 'qr':
            return f"qr({a})[0] @ qr({a})[1]"
        if name == 'matrix_power':
            return f"matrix_power({a}, {self.pick([-2, -1, 0, 1, 2, 3, 5])})"
        return f"expm({self.matrix(shape, depth, 'f')})"

    def hermitian(self, shape, depth, kinds):
        """Positive definite; the triangle above is not read."""
        return self.strong(shape, depth, ''.join(set(kinds) - {'c'}) or 'f')
