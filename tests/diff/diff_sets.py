# SPDX-License-Identifier: BSD-3-Clause
#
# diff_sets.py - results whose shape depends on values (sets, what a mask picks, where something is true)
# and assignments, for the differential test. They stand on top of an expression: nothing else could be
# asked to have their shape. What they look at is exact; the elements they pick need not be.
import numpy as np
import diff_model as m
import diff_stat  # noqa: F401: some names here are other names of its
from diff_fold import NAMES, lift
from diff_manip import moved, several
from diff_model import LD, TINY, V, kind
from diff_take import fitting, plain


def exact(x):
    if not x.exact():
        raise ValueError('not exact')
    return x.val


def zeros_free(val):
    """Which of equal zeros stands for them is nobody's promise."""
    val = np.asarray(val)
    return V(val, np.where(val == 0, TINY, LD(0)) if kind(val) in 'fc' else None)


def unique(x, return_index=False, return_inverse=False, return_counts=False, axis=None, equal_nan=True):
    v = exact(lift(x))
    if v.dtype.kind == 'c' and axis is not None:
        raise TypeError
    r = np.unique(v, True, True, True, axis=axis, equal_nan=equal_nan)
    inverse = r[2].reshape(v.shape) if axis is None else r[2]
    want = [(True, zeros_free(r[0])), (return_index, V(r[1])), (return_inverse, V(inverse)),
            (return_counts, V(r[3]))]
    out = tuple(a for w, a in want if w)
    return out if len(out) > 1 else out[0]


def standard(*things):
    """The standard's forms: every NaN is one of its own."""
    def g(x):
        k = dict.fromkeys(things, True)
        r = unique(x, **k, equal_nan=False)
        if 'return_inverse' in things and np.isnan(exact(x)).sum() > 1:
            raise ValueError('which NaN is which')
        return r
    return g


def two(f):
    def g(a, b, assume_unique=False, return_indices=False):
        a, b = lift(a), lift(b)
        t = np.result_type(a.dtype, b.dtype)
        if return_indices:
            r = f(exact(a), exact(b), return_indices=True)
            return (zeros_free(r[0]), V(r[1]), V(r[2]))
        return zeros_free(f(exact(a).astype(t), exact(b).astype(t)))
    return g


def setdiff1d(a, b, assume_unique=False):
    """What is left of a: in a's dtype, whatever b's is."""
    r = two(np.setdiff1d)(a, b)
    return V(r.val.astype(lift(a).dtype), r.err)


def picked(c, x):
    return lift(x).move(lambda a: np.extract(plain(lift(c)) != 0, a))


def assign(self, i, v):
    c, i = fitting(self, lift(v)), plain(i)
    self.val[i], self.err[i] = c.val, c.err


V.__setitem__ = assign


def put(x, i, v):
    i = np.asarray(plain(lift(i)))
    v = lift(v)
    y = x.reshape(-1).move(np.copy)
    if v.size:
        y[i.ravel()] = v.move(lambda a: np.resize(a, i.size))
    return y.reshape(x.shape)


def place(x, c, v):
    v = lift(v)
    y, c = x.reshape(-1).move(np.copy), plain(lift(c)).ravel() != 0
    y[c] = v.move(lambda a: np.resize(a, int(c.sum())))
    return y.reshape(x.shape)


def like(v):
    def g(x, *a, dtype=None):
        return V(np.full(x.shape, *(a or (v,)), dtype=dtype.dtype if dtype else x.dtype))
    return g


NAMES.update({
    'unique': unique, 'unique_values': standard(), 'unique_counts': standard('return_counts'),
    'unique_inverse': standard('return_inverse'),
    'unique_all': standard('return_index', 'return_inverse', 'return_counts'),
    'union1d': two(np.union1d), 'intersect1d': two(np.intersect1d), 'setdiff1d': setdiff1d,
    'setxor1d': two(np.setxor1d), 'extract': picked, 'put': put, 'place': place,
    'nonzero': lambda x: tuple(V(i) for i in np.nonzero(plain(lift(x)))),
    'zeros_like': like(0), 'ones_like': like(1), 'full_like': like(None), 'copy': moved(np.copy),
    'identity': lambda n, dtype=None: V(np.identity(n, dtype.dtype if dtype else None)),
    'meshgrid': lambda *x, indexing='xy': tuple(
        V(v, e) for v, e in zip(np.meshgrid(*[a.val for a in x], indexing=indexing),
                                np.meshgrid(*[a.err for a in x], indexing=indexing))),
    'broadcast_arrays': lambda *x: tuple(
        V(v, e) for v, e in zip(np.broadcast_arrays(*[lift(a).val for a in x]),
                                np.broadcast_arrays(*[lift(a).err for a in x]))),
    'unstack': lambda x, axis=0: tuple(x.move(lambda a: np.moveaxis(a, axis, 0)[i]) for i in range(x.shape[axis])),
    'tril_indices_from': lambda x, k=0: tuple(V(i) for i in np.tril_indices_from(x.val, k)),
    'triu_indices_from': lambda x, k=0: tuple(V(i) for i in np.triu_indices_from(x.val, k)),
    'concatenate': NAMES['concat'], 'row_stack': several(np.vstack), 'conjugate': NAMES['conj'],
    'trapz': NAMES['trapezoid'], 'amax': NAMES['max'], 'amin': NAMES['min'], 'transpose': moved(np.transpose),
    'true_divide': NAMES['divide'],
})


class Sets:
    """The random calls, a part of diff_gen.Gen."""

    def top(self):
        """An expression of any shape."""
        names = ['unique', 'unique', 'forms', 'two', 'two', 'two', 'true', 'masked', 'masked', 'assign', 'assign',
                 'assign', 'repeated', 'grid']
        nd = self.pick([1, 1, 2, 2, 3])
        shape = tuple(self.pick([0, 1, 2, 3, 5, 8, 17] if self.chance(0.2) else [2, 3, 5, 8, 17]) for _ in range(nd))
        return getattr(self, 'top_' + self.pick(names))(shape)

    def some_of(self, shape, kinds='biuf'):
        """With repetitions, as a rule."""
        if self.chance(0.3):
            return self.sub(shape, 2, kinds)
        x = self.leaf(shape, kinds)
        return f"round({x})" if self.chance(0.4) and 'f' in kinds else x

    def top_unique(self, shape):
        self.note('unique')
        if len(shape) == 2 and 0 not in shape and self.chance(0.4):
            x = self.leaf(shape, 'biu')
            return f"unique({x} % 2, axis={self.pick([0, 1, -1])})"
        x = self.some_of(shape, self.pick(['biuf', 'iu', 'f', 'c']))
        which = self.pick(['', ', equal_nan=False', ', return_index=True', ', return_inverse=True',
                           ', return_counts=True', ', True, True, True'])
        n = 1 + which.count('True')
        return f"unique({x}{which})" + (f"[{int(self.rng.integers(n))}]" if n > 1 else '')

    def top_forms(self, shape):
        name = self.pick(['unique_values', 'unique_counts', 'unique_inverse', 'unique_all'])
        self.note(name)
        n = {'unique_values': 1, 'unique_all': 4}.get(name, 2)
        return f"{name}({self.some_of(shape)})" + (f"[{int(self.rng.integers(n))}]" if n > 1 else '')

    def top_two(self, shape):
        name = self.pick(['union1d', 'intersect1d', 'setdiff1d', 'setxor1d'])
        self.note(name)
        k = self.pick(['biu', 'iuf', 'f', 'i'])
        x, y = self.some_of(shape, k), self.some_of((self.pick([0, 1, 5, 33]),), k)
        if name == 'intersect1d' and self.chance(0.4):
            return f"intersect1d({x}, {y}, return_indices=True)[{self.pick([0, 1, 2])}]"
        return f"{name}({x}, {y})"

    def top_true(self, shape):
        name = self.pick(['nonzero', 'argwhere', 'flatnonzero', 'method'])
        self.note('nonzero' if name == 'method' else name)
        x, k = self.some_of(shape, 'biufc'), int(self.rng.integers(len(shape)))
        if name == 'method':
            return f"({x}).nonzero()[{k}]"
        return f"{name}({x})" + (f"[{k}]" if name == 'nonzero' else '')

    def top_masked(self, shape):
        x = self.sub(shape, self.pick([1, 2, 3]), 'biufc')
        c = self.leaf(shape, 'b') if self.chance(0.5) else f"{self.leaf(shape, 'iuf')} > {self.pick([0, 1])}"
        how = self.pick(['mask', 'mask', 'part', 'extract', 'compress'])
        self.note(how if how != 'part' else 'mask')
        if how == 'mask':
            return f"{x}[{c}]"
        if how == 'extract':
            return f"extract({c}, {x})"
        c = self.leaf(shape[:1], 'b')
        return f"{x}[{c}]" if how == 'part' else f"compress({c}, {x}, axis=0)"

    def place(self, shape):
        """An index that has at most one array."""
        parts, array = [], False
        for n in shape:
            how = int(self.rng.integers(6))
            if how == 0 and n:
                parts.append(str(int(self.rng.integers(-n, n))))
            elif how == 1 and n and not array:
                parts.append(str(self.some(self.pick([1, 2, 4]), n)))
                array = True
            elif how == 2 and not array:
                parts.append(self.array((n,), np.dtype(bool)))
                array = True
            elif how == 3:
                parts.append(self.pick(['::2', '1:', ':-1', '::-1', '1::3']))
            else:
                parts.append(':')
        return ', '.join(parts[:max(1, int(self.rng.integers(len(parts) + 1)))])

    def top_assign(self, shape):
        if self.chance(0.2) and 0 not in shape:
            name, kinds = self.pick(['put', 'place']), self.pick(['iu', 'f'])
            n = int(np.prod(shape))
            at = f"{self.leaf(shape, 'b')}" if name == 'place' else self.some(self.pick([1, 3, 8]), n)
            self.note(name)
            x = self.leaf(shape, kinds)
            return f"{name}({x}, {at}, {self.leaf((self.pick([1, 2, 5]),), 'iu' if kinds == 'iu' else 'iuf')})"
        t = self.dtype('iuf' if self.chance(0.8) else 'bc')
        x = self.array(shape, t)
        k = t.kind
        if self.chance(0.3):
            c = f"{x} > {self.pick([0, 1])}" if k in 'iuf' else self.array(shape, np.dtype(bool))
            self.note('mask assignment')
            v = self.pick(['0', '1', '7']) if k != 'b' else '1'
            return f"{x}[{c}] {self.pick(['=', '=', '+=', '*=']) if k != 'b' else '='} {v}; {x}"
        i = self.place(shape)
        picks = self.value(f"{x}[{i}]").shape
        self.note('assignment')
        v = self.pick(['0', '1', '3']) if self.chance(0.3) or k == 'b' else \
            self.array(picks if self.chance(0.7) else picks[1:], t)
        op = self.pick(['=', '=', '=', '+=', '-=', '*=']) if k != 'b' else '='
        return f"{x}[{i}] {op} {v}; {x}"

    def top_repeated(self, shape):
        k = int(self.rng.integers(len(shape)))
        self.note('repeat')
        return f"repeat({self.sub(shape, 2, 'biuf')}, {self.leaf((shape[k],), 'iu')} % 3, axis={k})"

    def top_grid(self, shape):
        nd, s = len(shape), lambda sh, k='biuf': self.sub(sh, 2, k)
        name = self.pick(['meshgrid', 'broadcast_arrays', 'unstack', 'identity', 'zeros_like', 'ones_like', 'full_like',
                          'concatenate', 'row_stack', 'conjugate', 'trapz', 'amax', 'amin', 'transpose', 'copy',
                          'tril_indices_from', 'triu_indices_from', 'true_divide', 'ones', 'zeros'])
        self.note(name)
        x, ij = s(shape), self.pick(['', ", indexing='ij'"])
        return {
            'meshgrid': f"meshgrid({s(shape[:1])}, {s((3,))}{ij})[{self.pick([0, 1])}]",
            'broadcast_arrays': f"broadcast_arrays({x}, {s(self.part_of(shape))})[{self.pick([0, 1])}]",
            'unstack': f"unstack({s((2,) + shape)})[{self.pick([0, -1])}]",
            'identity': f"identity({shape[0]}) + {s(shape[:1])}",
            'zeros_like': f"zeros_like({x})", 'ones_like': f"ones_like({x}, dtype=float32)",
            'full_like': f"full_like({x}, 1)", 'ones': f"ones({shape}) + {x}", 'zeros': f"zeros({shape}) + {x}",
            'concatenate': f"concatenate([{x}, {s(shape)}], axis=-1)",
            'row_stack': f"row_stack([{x}, {x}])", 'conjugate': f"conjugate({s(shape, 'c')})",
            'trapz': f"trapz({s(shape[:-1] + (5,))})", 'transpose': f"transpose({x})", 'copy': f"copy({x})",
            'amax': f"amax({s(shape + (3,))}, axis=-1)", 'amin': f"amin({s(shape + (3,))}, axis=-1)",
            'tril_indices_from': f"tril_indices_from({s((3, 5))}, 1)[0]",
            'triu_indices_from': f"triu_indices_from({s((4, 3))})[1]",
            'true_divide': f"true_divide({x}, {s(shape)})",
        }[name]
