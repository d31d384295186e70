# SPDX-License-Identifier: BSD-3-Clause
#
# diff_manip.py - padding, windows, splits, stacks, blocks, what puts elements in and takes them out, for
# the differential test. Nearly all of it moves elements: NumPy's function moves the values and, the same
# way, their bounds.
import numpy as np
import diff_model as m
from diff_fold import NAMES, joined, lift
from diff_model import LD, V, spacing
from numpy.lib.stride_tricks import sliding_window_view


def moved(f):
    return lambda x, *a, **k: lift(x).move(lambda v: f(v, *a, **k))


def parts(f):
    """NumPy's splits: a list of values, each with its bounds."""
    def g(x, *a, **k):
        return tuple(V(v, e) for v, e in zip(f(x.val, *a, **k), f(x.err, *a, **k)))
    return g


def several(f):
    """Functions of a list of arrays, whose dtypes promote."""
    def g(arrays):
        return joined(lambda a, axis: f(a))(arrays)
    return g


def block(lists):
    leaves = []

    def flat(a):
        return [flat(i) for i in a] if isinstance(a, list) else leaves.append(lift(a)) or len(leaves) - 1

    def fill(a, v):
        return [fill(i, v) for i in a] if isinstance(a, list) else v[a]
    shape = flat(lists)
    t = np.result_type(*[a.dtype for a in leaves])
    cast = [m.cast(a, t) for a in leaves]
    return V(np.block(fill(shape, [a.val for a in cast])), np.block(fill(shape, [a.err for a in cast])))


def append(x, y, axis=None):
    x, y = lift(x), lift(y)
    return NAMES['concat']([x.ravel(), y.ravel()] if axis is None else [x, y], axis=axis or 0)


def insert(x, obj, values, axis=None):
    values = m.cast(lift(values), x.dtype)
    return V(np.insert(x.val, obj, values.val, axis), np.insert(x.err, obj, values.err, axis))


def pad(x, width, mode='constant', **k):
    if k.pop('reflect_type', 'even') == 'odd':
        return pad_odd(x, width, mode)
    err = dict(k)
    if 'constant_values' in k:
        err['constant_values'] = 0
    val = np.pad(x.val, width, mode, **k)
    if mode in ('maximum', 'minimum') and not x.exact():
        return V(val, np.pad(x.err, width, 'maximum', **err))    # at least that of the one taken
    if mode in ('maximum', 'minimum') and x.dtype.kind == 'f':   # of which zero is nobody's promise
        return V(val, np.where(val == 0, m.TINY, LD(0)))
    return V(val, np.pad(x.err, width, mode, **err))


def pad_odd(x, width, mode):
    """No wider than the axis: the reflected elements once."""
    skip = int(mode == 'reflect')
    for k, (before, after) in enumerate(width):
        if not before and not after:
            continue
        x = x.move(lambda v: np.moveaxis(v, k, 0))
        n, side = x.shape[0], [x]
        if before:
            left = m.op('subtract')(m.op('multiply')(x[:1], 2), x[skip:skip + before][::-1])
            side.insert(0, m.cast(left, x.dtype))
        if after:
            right = m.op('subtract')(m.op('multiply')(x[-1:], 2), x[n - skip - after:n - skip][::-1])
            side.append(m.cast(right, x.dtype))
        x = NAMES['concat'](side, axis=0).move(lambda v: np.moveaxis(v, 0, k))
    return x


def bounded(f, ulps):
    return lambda *a, **k: (lambda v: V(v, spacing(v) * LD(ulps)))(f(*a, **k))


NAMES.update({
    'rot90': moved(np.rot90), 'fliplr': moved(np.fliplr), 'flipud': moved(np.flipud),
    'rollaxis': moved(np.rollaxis), 'atleast_1d': moved(np.atleast_1d),
    'atleast_2d': moved(np.atleast_2d), 'atleast_3d': moved(np.atleast_3d), 'ravel': moved(np.ravel),
    'sliding_window_view': moved(sliding_window_view), 'split': parts(np.split),
    'array_split': parts(np.array_split), 'hsplit': parts(np.hsplit), 'vsplit': parts(np.vsplit),
    'dsplit': parts(np.dsplit), 'vstack': several(np.vstack), 'hstack': several(np.hstack),
    'dstack': several(np.dstack), 'column_stack': several(np.column_stack), 'block': block,
    'append': append, 'insert': insert, 'delete': moved(np.delete), 'resize': moved(np.resize),
    'diag': moved(np.diag), 'diagflat': moved(np.diagflat), 'pad': pad, 'slice': slice,
    'tri': lambda *a, **k: V(np.tri(*a, **k)), 'indices': lambda *a, **k: V(np.indices(*a, **k)),
    'tril_indices': lambda *a: tuple(V(i) for i in np.tril_indices(*a)),
    'triu_indices': lambda *a: tuple(V(i) for i in np.triu_indices(*a)),
    'logspace': bounded(np.logspace, 64), 'geomspace': bounded(np.geomspace, 64),
})


class Manip:
    """The random calls, a part of diff_gen.Gen."""

    def at(self, shape):
        """An axis, and how it may be written."""
        k = int(self.rng.integers(len(shape)))
        return k, k - (len(shape) if self.chance(0.3) else 0)

    def manip(self, shape, depth, kinds):
        names = ['rot90', 'flips', 'window', 'window', 'pad', 'pad', 'pad', 'split', 'split', 'stacks',
                 'stacks', 'block', 'insert', 'insert', 'delete', 'delete', 'append', 'resize', 'diag',
                 'least', 'made', 'made']
        s = lambda sh: self.sub(tuple(sh), depth, kinds)
        return getattr(self, 'manip_' + self.pick(names))(shape, s, kinds)

    def manip_rot90(self, shape, s, kinds):
        a, b = (int(v) for v in self.rng.permutation(len(shape))[:2])
        k = int(self.rng.integers(-4, 6))
        src = list(shape)
        if k % 2:
            src[a], src[b] = src[b], src[a]
        self.note('rot90')
        return f"rot90({s(src)}, {k}, ({a}, {b}))"

    def manip_flips(self, shape, s, kinds):
        name = self.pick(['fliplr', 'flipud', 'rollaxis'])
        self.note(name)
        if name == 'rollaxis' and len(shape) > 1:
            return f"rollaxis({s(shape[1:] + shape[:1])}, -1)"
        return f"{name}({s(shape)})"

    def manip_window(self, shape, s, kinds):
        k, axis = self.at(shape[:-1])
        src = list(shape[:-1])
        src[k] += shape[-1] - 1
        self.note('sliding_window_view')
        return f"sliding_window_view({s(src)}, {shape[-1]}, {axis})"

    def manip_pad(self, shape, s, kinds):
        mode = self.pick(['constant', 'edge', 'reflect', 'symmetric', 'wrap', 'maximum', 'minimum', 'odd'])
        k, _ = self.at(shape)
        src, width = list(shape), [(0, 0)] * len(shape)
        for d in range(len(shape)):
            if (d == k or self.chance(0.2)) and shape[d] > 1:
                n = int(self.rng.integers(1 if mode != 'constant' else 0, shape[d]))
                before = int(self.rng.integers(shape[d] - n + 1))
                most = n - (mode in ('reflect', 'odd')) if mode in ('reflect', 'symmetric', 'odd', 'wrap') \
                    else 99
                if max(before, shape[d] - n - before) > max(most, 0):
                    raise IndexError # NumPy 1 has it wrong
                src[d], width[d] = n, (before, shape[d] - n - before)
        self.note('pad ' + mode)
        more = ''
        if mode == 'constant' and self.chance(0.6):
            more = f", constant_values={self.pick(['1', '(0, 1)', '1.0'])}"
        if mode in ('maximum', 'minimum') and self.chance(0.4):
            more = f", stat_length={self.pick(['1', '2', '(3, 1)'])}"
        if mode == 'odd':
            mode, more = self.pick(['reflect', 'symmetric']), ", reflect_type='odd'"
        if len(shape) == 1 and self.chance(0.5) and more[-4:] != "odd'":
            width = width[0]
        return f"pad({s(src)}, {width if isinstance(width, tuple) else tuple(width)}, '{mode}'{more})"

    def manip_split(self, shape, s, kinds):
        k, axis = self.at(shape)
        src = list(shape)
        name = self.pick(['split', 'array_split', 'hsplit', 'vsplit', 'dsplit', 'at'])
        self.note('split' if name == 'at' else name)
        if name == 'at':
            a, b = int(self.rng.integers(4)), int(self.rng.integers(4))
            src[k] += a + b
            return f"split({s(src)}, [{a}, {-b if b else src[k]}], {axis})[1]"
        n = self.pick([1, 2, 3])
        if name[1:] == 'split':
            k = {'h': 1 if len(shape) > 1 else 0, 'v': 0, 'd': 2}[name[0]]
        src[k] = n * shape[k]
        i = int(self.rng.integers(-n, n))
        if name == 'array_split' and n > 1:
            src[k], i = src[k] + 1, int(self.rng.integers(1, n))
        return f"{name}({s(src)}, {n}{f', {axis}' if name in ('split', 'array_split') else ''})[{i}]"

    def manip_stacks(self, shape, s, kinds):
        name = self.pick(['vstack', 'hstack', 'dstack', 'column_stack'])
        nd = len(shape)
        k = {'vstack': 0, 'hstack': min(1, nd - 1), 'dstack': 2, 'column_stack': 1}[name]
        cut = int(self.rng.integers(0, shape[k] + 1))
        src = [shape[:k] + (c,) + shape[k + 1:] for c in (cut, shape[k] - cut)]
        if nd == 2 and name in ('vstack', 'column_stack') and shape[k] > 1 and self.chance(0.5):
            src = [(shape[1 - k],), shape[:k] + (shape[k] - 1,) + shape[k + 1:]]
        self.note(name)
        return f"{name}([{', '.join(s(p) for p in src)}])"

    def manip_block(self, shape, s, kinds):
        a, b = (int(self.rng.integers(0, e + 1)) for e in shape[-2:])
        lead = shape[:-2]
        self.note('block')
        if len(shape) == 1:
            return f"block([{s((b,))}, {s((shape[0] - b,))}])"
        rows = [[s(lead + (h, w)) for w in (b, shape[-1] - b)] for h in (a, shape[-2] - a)]
        return f"block([{', '.join('[' + ', '.join(r) + ']' for r in rows)}])"

    def manip_insert(self, shape, s, kinds):
        k, axis = self.at(shape)
        n = int(self.rng.integers(1, min(shape[k], 4) + 1))
        left = shape[k] - n
        src = shape[:k] + (left,) + shape[k + 1:]
        at = [int(self.rng.integers(-left, left + 1)) for _ in range(n)]
        one = n == 1 and self.chance(0.5)
        value = self.pick(['0', '1', '7'] if 'b' not in kinds else ['0', '1'])
        if self.chance(0.6):
            rest = shape[:k] + shape[k + 1:]
            value = self.sub(rest if one else shape[:k] + (n,) + shape[k + 1:], 1, 'b')
        flat = f', axis={axis}' if len(shape) > 1 or self.chance(0.5) else ''
        self.note('insert')
        return f"insert({s(src)}, {at[0] if one else at}, {value}{flat})"

    def manip_delete(self, shape, s, kinds):
        k, axis = self.at(shape)
        how, n = self.pick(['int', 'list', 'slice']), int(self.rng.integers(1, 5))
        total = shape[k] + (1 if how == 'int' else n)
        src = shape[:k] + (total,) + shape[k + 1:]
        flat = f', axis={axis}' if len(shape) > 1 or self.chance(0.5) else ''
        if how == 'int':
            obj = str(int(self.rng.integers(-total, total)))
        elif how == 'list':
            obj = [int(v) - (total if self.chance(0.3) else 0) for v in self.rng.permutation(total)[:n]]
        else:
            step = self.pick([1, 2, 3])
            first = int(self.rng.integers(0, max(1, total - (n - 1) * step)))
            if first + (n - 1) * step >= total:
                raise IndexError
            obj = f"slice({first}, {first + (n - 1) * step + 1}, {step})"
            if self.chance(0.4) and first:
                obj = f"slice({first + (n - 1) * step}, {first - 1}, {-step})"
        self.note('delete')
        return f"delete({s(src)}, {obj}{flat})"

    def manip_append(self, shape, s, kinds):
        k, axis = self.at(shape)
        cut = int(self.rng.integers(0, shape[k] + 1))
        src = [shape[:k] + (c,) + shape[k + 1:] for c in (cut, shape[k] - cut)]
        self.note('append')
        return f"append({s(src[0])}, {s(src[1])}{f', axis={axis}' if len(shape) > 1 else ''})"

    def manip_resize(self, shape, s, kinds):
        self.note('resize')
        src = tuple(self.pick([1, 2, 3, 5, 8]) for _ in range(int(self.rng.integers(1, 3))))
        return f"resize({s(src)}, {shape})"

    def manip_diag(self, shape, s, kinds):
        self.note('diag')
        if len(shape) == 1:
            k = int(self.rng.integers(-2, 3))
            return f"diag({s((shape[0] + max(0, -k), shape[0] + max(0, k)))}, {k})"
        n = int(self.rng.integers(0, shape[0] + 1))
        k = (shape[0] - n) * self.pick([-1, 1])
        return f"{self.pick(['diag', 'diagflat'])}({s((n,))}, {k})"

    def manip_least(self, shape, s, kinds):
        name = self.pick(['atleast_1d', 'atleast_2d', 'atleast_3d', 'ravel'])
        self.note(name)
        if name == 'ravel':
            f = self.pick([i for i in range(1, 9) if shape[0] % i == 0] or [1])
            return f"ravel({s((f, shape[0] // f))})"
        return f"{name}({s([n for i, n in enumerate(shape) if n != 1 or self.chance(0.5)])})"

    def manip_made(self, shape, s, kinds):
        name = self.pick(['tri', 'indices', 'triu_indices', 'tril_indices', 'logspace', 'geomspace'])
        self.note(name)
        if name == 'tri':
            return f"tri({shape[0]}, {shape[1]}, {int(self.rng.integers(-2, 3))}, dtype={self.dtype(kinds).name})"
        if name == 'indices':
            return f"indices({shape})[{int(self.rng.integers(len(shape)))}]"
        if name[0] == 't':
            for _ in range(40):
                n, k, c = (int(self.rng.integers(lo, 6)) for lo in (1, -3, 1))
                if len(getattr(np, name)(n, k, c)[0]) == shape[0]:
                    return f"{name}({n}, {k}, {c})[{self.pick([0, 1])}]"
            raise IndexError
        ends = self.pick(['0, 2', '-1, 1.5']) if name == 'logspace' else self.pick(['1, 1000', '-2, -0.5'])
        return f"{name}({ends}, {shape[0]})"
