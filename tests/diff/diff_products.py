# SPDX-License-Identifier: BSD-3-Clause
#
# diff_products.py - products of arrays for the differential test: what they should give, made of
# diff_fold's matrix product and of views, and random calls of them.
import numpy as np
import diff_model as m
from diff_fold import NAMES, eps_of, lift, matmul
from diff_model import LD, V, finish, high


def reshape(x, shape):
    return x.move(lambda v: np.reshape(v, shape))


def transpose(x, axes):
    return x.move(lambda v: np.transpose(v, axes))


def tensordot(a, b, axes=2):
    a, b = lift(a), lift(b)
    if isinstance(axes, int):
        axes = (range(a.ndim - axes, a.ndim), range(axes))
    ka, kb = ([k % x.ndim for k in ([s] if isinstance(s, int) else s)] for x, s in zip((a, b), axes))
    fa, fb = ([k for k in range(x.ndim) if k not in ks] for x, ks in ((a, ka), (b, kb)))
    shape = tuple(a.shape[k] for k in fa) + tuple(b.shape[k] for k in fb)
    n = int(np.prod([a.shape[k] for k in ka], dtype=int))
    if any(a.shape[i] != b.shape[k] for i, k in zip(ka, kb)):
        raise ValueError
    rows = int(np.prod([a.shape[k] for k in fa], dtype=int))
    columns = int(np.prod([b.shape[k] for k in fb], dtype=int))
    p = reshape(transpose(a, fa + ka), (rows, n)), reshape(transpose(b, kb + fb), (n, columns))
    return reshape(matmul(*p) if ka else m.op('multiply')(*p), shape)


def inner(a, b):
    return tensordot(a, b, (-1, -1)) if a.ndim and b.ndim else m.op('multiply')(a, b)


def dot(a, b):
    return tensordot(a, b, (-1, -2 if b.ndim > 1 else 0)) if a.ndim and b.ndim else m.op('multiply')(a, b)


def vecdot(a, b, axis=-1):
    a, b = (x.move(lambda v: np.moveaxis(v, axis, -1)) for x in (lift(a), lift(b)))
    if a.shape[-1] != b.shape[-1]:
        raise ValueError
    conj = m.op('conj')(a) if a.dtype.kind == 'c' else a
    return matmul(conj[..., None, :], b[..., :, None])[..., 0, 0]


def kron(a, b):
    n = max(a.ndim, b.ndim)
    sa, sb = ((1,) * (n - x.ndim) + x.shape for x in (a, b))
    pa = reshape(a, tuple(v for e in sa for v in (e, 1)))
    pb = reshape(b, tuple(v for e in sb for v in (1, e)))
    return reshape(m.op('multiply')(pa, pb), tuple(x * y for x, y in zip(sa, sb)))


def cross(a, b, axis=-1):
    a, b = (x.move(lambda v: np.moveaxis(v, axis, -1)) for x in (lift(a), lift(b)))
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError
    part = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        p, q = m.op('multiply')(a[..., j], b[..., k]), m.op('multiply')(a[..., k], b[..., j])
        part.append(m.op('subtract')(p, q))
    return NAMES['stack'](part, axis=axis)


def einsum(subscripts, *args):
    """One sum over all letters in longdouble; its bound from that over the magnitudes. Sums of some letters
    may come first, so nothing is known of results on the way that are not finite."""
    args = [lift(a) for a in args]
    val = np.asarray(np.einsum(subscripts, *[a.val for a in args]))
    if val.dtype.kind in 'biu':
        return V(val, None if all(a.exact() for a in args) else np.full(val.shape, np.inf, LD))
    wide = [high(a.val) for a in args]
    mid = np.asarray(np.einsum(subscripts, *wide))
    fine = [np.where(np.isfinite(np.abs(h)), np.abs(h), 0).astype(LD) for h in wide]
    least = np.einsum(subscripts, *fine)
    most = np.einsum(subscripts, *[f + np.where(np.isfinite(a.err), a.err, 0) for f, a in zip(fine, args)])
    terms = max([1] + [int(np.prod(a.shape, dtype=int)) for a in args])
    bound = most - least + least * eps_of(val.dtype) * LD(2 * terms + 8 * len(args))
    r = finish(val, mid, np.asarray(bound, LD), 1, zero=False)
    wild = any(not np.isfinite(np.abs(h)).all() or not np.isfinite(a.err).all() for h, a in zip(wide, args))
    odd = ~np.isfinite(np.abs(high(val))) | wild
    # numbers on the way may leave the range of small floats, or vanish in it
    top = np.finfo(val.dtype).max
    on_the_way = np.prod([f.sum() + 1 for f in fine]) if fine else 0
    r.err = np.where(odd | (on_the_way > top), LD(np.inf), r.err)
    return r


NAMES.update({'tensordot': tensordot, 'inner': inner, 'dot': dot, 'vecdot': vecdot, 'kron': kron, 'cross': cross,
              'einsum': einsum,
              'matrix_transpose': lambda x: x.move(lambda v: np.swapaxes(v, -1, -2))})


class Products:
    """The random calls, a part of diff_gen.Gen."""

    def tensor_product(self, shape, s):
        """Extents to sum over, put among the others' in any order."""
        cut = int(self.rng.integers(len(shape) + 1))
        pairs = [self.pick([1, 2, 3, 5]) for _ in range(self.pick([0, 1, 1, 2]))]
        sides, axes = [], []
        for free in (shape[:cut], shape[cut:]):
            dims = [(e, None) for e in free]
            for i, e in enumerate(pairs):
                dims.insert(int(self.rng.integers(len(dims) + 1)), (e, i))
            sides.append(tuple(e for e, _ in dims))
            at = {i: k for k, (_, i) in enumerate(dims) if i is not None}
            axes.append(tuple(at[i] - (len(dims) if self.chance(0.3) else 0) for i in range(len(pairs))))
        how = f"axes=({axes[0]}, {axes[1]})"
        if len(pairs) == 1 and self.chance(0.5):
            how = f"axes=({axes[0][0]}, {axes[1][0]})"
        return f"tensordot({s(sides[0])}, {s(sides[1])}, {how})"

    def subscripts(self, shape, s):
        """Up to four operands with the result's letters and a few more, each in some of them, some of extent
        1 where another has the full one, in any order, at times one letter twice."""
        letters = list('abcdefghijkABCD')
        self.rng.shuffle(letters)
        out, more = letters[:len(shape)], letters[len(shape):len(shape) + int(self.rng.integers(4))]
        extent = dict(zip(out, shape)) | {x: self.pick([1, 2, 3, 3, 4, 6]) for x in more}
        n = self.pick([1, 2, 2, 2, 3, 4])
        terms = [[x for x in extent if self.chance(0.5)] for _ in range(n)]
        for x in extent:
            if not any(x in t for t in terms):
                self.pick(terms).append(x)
        for t in terms:
            self.rng.shuffle(t)
        dots = len(shape) > 0 and self.chance(0.25)   # the first axes of the result under an ellipsis
        under = out[:int(self.rng.integers(len(shape) + 1))] if dots else []
        texts, calls = [], []
        for k, t in enumerate(terms):
            own = [x for x in t if x not in under]
            if own and self.chance(0.15):
                own.append(self.pick(own))
            axes = list(own)
            has = under[int(self.rng.integers(len(under) + 1)):] if k and under else under
            if dots:
                axes[:0] = has
            one = {x for x in axes if axes.count(x) == 1 and k and self.chance(0.1) and
                   (x in under or any(x in o for o in terms[:k]))}
            texts.append(('...' if dots else '') + ''.join(own))
            calls.append(s(tuple(1 if x in one else extent[x] for x in axes)))
        text = ','.join(texts)
        rest = ''.join(x for x in out if x not in under)
        implied = ''.join(sorted(x for x in extent if x not in under and text.count(x) == 1))
        if implied != rest or self.chance(0.5):
            text += '->' + ('...' if dots else '') + rest
        return f"einsum('{text}', {', '.join(calls)})"

    def product(self, shape, depth, kinds):
        s = lambda sh: self.sub(sh, depth, kinds)
        nd, k = len(shape), self.pick([1, 2, 3, 8, 17, 40])
        cut = int(self.rng.integers(nd + 1))
        name = self.pick(['tensordot', 'tensordot', 'inner', 'dot', 'vecdot', 'outer', 'kron', 'cross',
                          'matrix_transpose', 'einsum', 'einsum', 'einsum'])
        self.note(name)
        if name == 'einsum':
            return self.subscripts(shape, s)
        if name == 'tensordot' and self.chance(0.6):
            return self.tensor_product(shape, s)
        if name == 'tensordot':
            n = self.pick([0, 1, 2])
            mid = tuple(self.pick([1, 2, 4]) for _ in range(n))
            return f"tensordot({s(shape[:cut] + mid)}, {s(mid + shape[cut:])}{'' if n == 2 else f', {n}'})"
        if name == 'inner':
            return f"inner({s(shape[:cut] + (k,))}, {s(shape[cut:] + (k,))})"
        if name == 'dot':
            last = shape[cut:]
            return f"dot({s(shape[:cut] + (k,))}, {s(last[:-1] + (k,) + last[-1:])})"
        if name == 'vecdot':
            if nd and self.chance(0.3):
                at = int(self.rng.integers(nd + 1))
                full = shape[:at] + (k,) + shape[at:]
                return f"vecdot({s(full)}, {s(full)}, axis={at})"
            return f"vecdot({s(shape + (k,))}, {s(self.part_of(shape) + (k,))})"
        if name == 'outer' and nd == 2:
            return f"outer({s((shape[0],))}, {s((shape[1],))})"
        if name == 'kron' and nd:
            a = tuple(self.pick([f for f in range(1, e + 1) if e % f == 0] or [1]) for e in shape)
            b = tuple(e // f for e, f in zip(shape, a))
            return f"kron({s(a)}, {s(b)})"
        if name == 'cross' and 3 in shape:
            at = shape.index(3)
            if at == nd - 1 and self.chance(0.5):
                return f"cross({s(shape)}, {s(self.part_of(shape[:-1]) + (3,))})"
            return f"cross({s(shape)}, {s(shape)}, axis={at - (nd if self.chance(0.5) else 0)})"
        if name == 'matrix_transpose' and nd > 1:
            return f"matrix_transpose({s(shape[:-2] + (shape[-1], shape[-2]))})"
        raise IndexError # another step
