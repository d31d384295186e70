# SPDX-License-Identifier: BSD-3-Clause
#
# diff_gen.py - random expressions for the differential test. An expression is made from its result's
# shape downwards: each step chooses something that gives that shape, and asks for operands of the
# shapes that it needs. What is asked for may be restricted to kinds of dtypes (a string of NumPy's
# kind letters); a step whose result has another kind is taken back. The text is all that counts: what
# it should give is found by Python's own eval on the reference's arrays (diff_fold.NAMES), so that
# precedence is checked too.
import numpy as np
import diff_fft
import diff_scan
import diff_sort
from diff_fold import NAMES
from diff_linalg import Linear
from diff_manip import Manip
from diff_model import OPS, V
from diff_products import Products
from diff_search import Search
from diff_sets import Sets
from diff_special import Specials
from diff_stat import Stat
from diff_take import Takes

DTYPES = {'b': ['bool'], 'i': ['int8', 'int16', 'int32', 'int64'],
          'u': ['uint8', 'uint16', 'uint32', 'uint64'], 'f': ['float16', 'float32', 'float64'],
          'c': ['complex64', 'complex128']}
# float32 and float64 are what people use.
WEIGHT = {'float32': 6, 'float64': 4, 'int64': 3, 'int32': 2, 'bool': 2, 'uint8': 2}
EXTENTS = [1, 1, 2, 3, 3, 4, 5, 7, 8, 17]


class Retry(Exception):
    """This choice leads nowhere: take another."""


class Gen(Linear, Manip, Products, Search, Sets, Specials, Stat, Takes):
    def __init__(self, rng, without=()):
        self.rng, self.without = rng, set(without)
        self.arrays, self.parts, self.used = {}, [], []

    def pick(self, seq):
        return seq[int(self.rng.integers(len(seq)))]

    def chance(self, p):
        return self.rng.random() < p

    # --- leaves ---------------------------------------------------------------------------------

    def dtype(self, kinds):
        names = [t for k in kinds for t in DTYPES[k] if t not in self.without]
        if not names:
            raise Retry
        w = np.array([WEIGHT.get(t, 1) for t in names], float)
        return np.dtype(names[int(self.rng.choice(len(names), p=w / w.sum()))])

    def data(self, shape, t):
        r, n = self.rng, int(np.prod(shape, dtype=int))
        if t.kind == 'b':
            a = r.integers(0, 2, n)
        elif t.kind in 'iu':
            top = min(np.iinfo(t).max, 2**40)
            a = r.integers(0 if t.kind == 'u' else -9, 10, n)
            if self.chance(0.25):
                a = r.integers(0 if t.kind == 'u' else -top, top, n)
        else:
            a = r.standard_normal(n) * self.pick([1, 1, 1, 10, 0.01])
            if t.kind == 'c':
                a = a + 1j * r.standard_normal(n)
            elif self.chance(0.3) and n:
                special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, np.finfo(t).max,
                           np.finfo(t).tiny, 0.5, 2.5]
                for _ in range(int(r.integers(1, 4))):
                    a[int(r.integers(n))] = special[int(r.integers(len(special)))]
            elif self.chance(0.2):
                a = np.round(a * 4) / 4
        return np.asarray(a).astype(t).reshape(shape)

    def array(self, shape, t):
        name = 'abcdefghijklmnopqrstuvwxyz'[len(self.arrays)] + str(len(self.arrays))
        if len(self.arrays) >= 20:
            raise Retry
        self.arrays[name] = self.data(shape, t)
        return name

    def leaf(self, shape, kinds):
        t = self.dtype(kinds)
        nd = len(shape)
        how = int(self.rng.integers(9))
        same = [n for n, a in self.arrays.items() if a.shape == shape and a.dtype.kind in kinds]
        if same and self.chance(0.4):
            return self.pick(same)
        if how == 0 and nd > 1:
            return self.array(shape[::-1], t) + '.T'
        if how == 1 and nd:
            k = int(self.rng.integers(nd))
            wide = tuple(2 * n + 1 if i == k else n for i, n in enumerate(shape))
            cut = [':'] * k + ['1::2']
            return f"{self.array(wide, t)}[{', '.join(cut)}]"
        if how == 2 and nd:
            k = int(self.rng.integers(nd))
            return f"{self.array(shape, t)}[{', '.join([':'] * k + ['::-1'])}]"
        if how == 3 and nd:
            k = int(self.rng.integers(nd))
            one = shape[:k] + (1,) + shape[k + 1:]
            return f"broadcast_to({self.array(one, t)}, {shape})"
        if how == 4 and nd < 4:
            return f"{self.array(shape + (3,), t)}[..., {int(self.rng.integers(-3, 3))}]"
        if how == 5 and nd == 1 and 'i' in kinds:
            self.note('arange')
            return f"arange({shape[0]})"
        if how == 5 and nd == 1 and 'f' in kinds and shape[0] > 1 and 'float64' not in self.without:
            self.note('linspace')
            return f"linspace(-1, {self.pick([1, 2.5, 10])}, {shape[0]})"
        if how == 6 and nd == 2:
            self.note('eye')
            return f"eye({shape[0]}, {shape[1]}, {int(self.rng.integers(-1, 2))}, dtype={t.name})"
        if how == 7:
            self.note('full')
            return f"full({shape}, {self.pick([0, 1, 2, 5])}, dtype={t.name})"
        return self.array(shape, t)

    # --- steps ----------------------------------------------------------------------------------

    def note(self, what):
        self.used.append(what)

    def sub(self, shape, depth, kinds):
        """An operand's text, in brackets when it is not simple."""
        text = self.make(shape, depth - 1, kinds)
        return text if self.simple(text) or self.chance(0.05) else f"({text})"

    @staticmethod
    def simple(text):
        depth = 0
        for c in text:
            depth += (c in '([') - (c in ')]')
            if depth == 0 and (c in '+-*/%@&|^<>=!~ ' or c.isspace()):
                return False
        return True

    def part_of(self, shape):
        """A shape that broadcasts to this one."""
        s = [1 if self.chance(0.15) else n for n in shape]
        return tuple(s[int(self.rng.integers(len(s) + 1)):]) if self.chance(0.2) else tuple(s)

    def unary(self, shape, depth, kinds):
        names = [n for n, o in OPS.items() if o.nin == 1]
        name = self.pick(names)
        o = OPS[name]
        if o.out == 'b' and 'b' not in kinds:
            raise Retry
        want = ''.join(k for k in o.kinds)
        x = self.sub(shape, depth, want)
        self.note(name)
        if o.text:
            return f"{o.text}{x}"
        if name in ('real', 'imag') and self.chance(0.5):
            return f"{x}.{name}"
        alias = {'acos': 'arccos', 'abs': 'absolute'}
        return f"{alias[name] if name in alias and self.chance(0.3) else name}({x})"

    def binary(self, shape, depth, kinds):
        names = [n for n, o in OPS.items() if o.nin == 2]
        arith = ['add', 'subtract', 'multiply', 'divide']
        name = self.pick(arith) if self.chance(0.35) else self.pick(names)
        o = OPS[name]
        if o.out == 'b' and 'b' not in kinds:
            raise Retry
        x = self.sub(shape, depth, o.kinds)
        if self.chance(0.3):
            lit = {'iu': ['1', '2', '3'], 'fc': ['2', '0.5', '2.0', '3']}
            y = self.pick(lit.get(o.kinds, ['1', '2', '3', '7', '0.5', '2.5', '1e3']))
            if o.kinds == 'biu':
                y = self.pick(['1', '3', '6'])
        else:
            y = self.sub(self.part_of(shape), depth, o.kinds)
            if self.chance(0.3):
                x, y = y, x
        self.note(name)
        if o.text and self.chance(0.85):
            return f"{x} {o.text} {y}" if self.chance(0.8) else f"{x}{o.text}{y}"
        alias = {'pow': 'power', 'atan2': 'arctan2', 'remainder': 'mod'}
        return f"{alias[name] if name in alias and self.chance(0.3) else name}({x}, {y})"

    def int_pow(self, shape, depth, kinds):
        self.note('pow')
        return f"{self.sub(shape, depth, 'iu')}**{self.pick(['0', '1', '2', '3'])}"

    def where(self, shape, depth, kinds):
        self.note('where')
        y = self.pick(['0', '1', '2.5']) if self.chance(0.2) else \
            self.sub(self.part_of(shape), depth, kinds)
        return f"where({self.sub(self.part_of(shape), depth, 'biuf')}, {self.sub(shape, depth, kinds)}, {y})"

    def clip(self, shape, depth, kinds):
        self.note('clip')
        lo, hi = self.pick([('0', '3'), ('None', '1'), ('1', 'None'), ('1', '2')])
        return f"clip({self.sub(shape, depth, 'iuf')}, {lo}, {hi})"

    def cast(self, shape, depth, kinds):
        t = self.dtype(kinds)
        x = self.sub(shape, depth, {'b': 'biuf', 'i': 'biu', 'u': 'bu', 'f': 'biuf',
                                    'c': 'biufc'}[t.kind])
        self.note('astype')
        return f"{x}.astype({t.name})" if self.chance(0.7) else f"{t.name}({x})"

    def float_to_int(self, shape, depth, kinds):
        t = self.dtype('i')
        x = self.sub(shape, depth, 'f')
        self.note('astype')
        return f"where(isfinite({x}), clip({x}, -100, 100), 0).astype({t.name})"

    def reduce(self, shape, depth, kinds):
        name = self.pick(['sum', 'sum', 'mean', 'max', 'min', 'prod', 'var', 'std', 'any', 'all',
                          'argmax', 'argmin', 'count_nonzero'])
        want = {'max': 'biuf', 'min': 'biuf', 'argmax': 'biuf', 'argmin': 'biuf', 'any': 'biufc',
                'all': 'biufc', 'count_nonzero': 'biufc'}.get(name, 'biufc')
        nd = len(shape)
        k = int(self.rng.integers(nd + 1))
        n = self.pick([1, 2, 3, 5, 8, 33]) if self.chance(0.93) else self.pick([100, 257])
        full = shape[:k] + (n,) + shape[k:]
        axis, keep = str(k - (nd + 1) if self.chance(0.3) else k), ''
        if 1 in shape and self.chance(0.5):
            k = shape.index(1)
            full, axis, keep = shape[:k] + (n,) + shape[k + 1:], str(k), ', keepdims=True'
        elif nd < 3 and name[:3] != 'arg' and self.chance(0.2):
            full = shape[:k] + (n, self.pick([1, 2, 4])) + shape[k:]
            axis = f"({k}, {k + 1})"
        elif nd == 0:
            full = tuple(self.pick(EXTENTS) for _ in range(int(self.rng.integers(1, 4))))
            axis = ''
        more = ''
        if name in ('var', 'std') and self.chance(0.3):
            more = ', ddof=1'
        x = self.sub(full, depth, want)
        if not axis:
            more = more[2:]
        self.note(name)
        if name != 'count_nonzero' and self.chance(0.6):
            return f"{x}.{name}({'axis=' + axis if axis else ''}{keep}{more})"
        return f"{name}({x}{', axis=' + axis if axis else ''}{keep}{', ' if more and not axis else ''}{more})"

    def view(self, shape, depth, kinds):
        nd = len(shape)
        how = int(self.rng.integers(12))
        s = lambda sh: self.sub(sh, depth, kinds)
        self.note('view')
        if how == 0:
            return s(shape[::-1]) + '.T'
        if how == 1 and nd:
            perm = [int(i) for i in self.rng.permutation(nd)]
            src = tuple(shape[perm.index(i)] for i in range(nd))
            return f"permute_dims({s(src)}, {tuple(perm)})"
        if how == 2:
            total = int(np.prod(shape, dtype=int))
            f = self.pick([i for i in range(1, 9) if total % i == 0] or [1])
            src = self.pick([(total,), (f, total // f), (total // f, f), (1, total)])
            return f"{s(src)}.reshape({', '.join(map(str, shape)) or '()'})"
        if how == 3 and nd:
            k = int(self.rng.integers(nd))
            lo, hi = int(self.rng.integers(0, 3)), int(self.rng.integers(0, 3))
            src = shape[:k] + (shape[k] + lo + hi,) + shape[k + 1:]
            cut = f"{lo or ''}:{-hi if hi else ''}"
            return f"{s(src)}[{', '.join([':'] * k + [cut])}]"
        if how == 4 and nd < 5:
            k = int(self.rng.integers(nd + 1))
            n = self.pick([1, 2, 3])
            i = int(self.rng.integers(-n, n))
            return f"{s(shape[:k] + (n,) + shape[k:])}[{', '.join([':'] * k + [str(i)])}]"
        if how == 5 and 1 in shape:
            k = shape.index(1)
            src = shape[:k] + shape[k + 1:]
            return self.pick([f"expand_dims({s(src)}, {k})",
                              f"{s(src)}[{', '.join([':'] * k + ['None'])}]"])
        if how == 6 and nd < 5:
            k = int(self.rng.integers(nd + 1))
            return f"squeeze({s(shape[:k] + (1,) + shape[k:])}, axis={k})"
        if how == 7 and nd:
            return f"flip({s(shape)}, axis={int(self.rng.integers(-nd, nd))})"
        if how == 8 and nd:
            return f"broadcast_to({s(self.part_of(shape))}, {shape})"
        if how == 9 and nd:
            n = shape[-1]
            off = int(self.rng.integers(-1, 2))
            src = (n + max(0, -off), n + max(0, off)) + shape[:-1]
            return f"diagonal({s(src)}, {off})"
        if how == 10 and nd > 1:
            return f"swapaxes({s(shape[:-2] + (shape[-1], shape[-2]))}, -1, -2)"
        if how == 11 and nd > 1:
            return f"moveaxis({s(shape[1:] + shape[:1])}, -1, 0)"
        raise Retry

    def join(self, shape, depth, kinds):
        nd = len(shape)
        if not nd:
            raise Retry
        how = int(self.rng.integers(6))
        k = int(self.rng.integers(nd))
        n = shape[k]
        s = lambda sh: self.sub(sh, depth, kinds)
        if how == 0:
            self.note('concat')
            cut = int(self.rng.integers(0, n + 1))
            parts = [s(shape[:k] + (c,) + shape[k + 1:]) for c in (cut, n - cut)]
            return f"concat([{', '.join(parts)}], axis={k})"
        if how == 1 and 0 < n <= 4:
            self.note('stack')
            return f"stack([{', '.join(s(shape[:k] + shape[k + 1:]) for _ in range(n))}], axis={k})"
        if how == 2:
            self.note('roll')
            return f"roll({s(shape)}, {int(self.rng.integers(-5, 6))}, axis={k})"
        if how == 3 and n and n % 2 == 0:
            self.note('repeat')
            return f"repeat({s(shape[:k] + (n // 2,) + shape[k + 1:])}, 2, axis={k})"
        if how == 4 and shape[-1] and shape[-1] % 2 == 0:
            self.note('tile')
            return f"tile({s(shape[:-1] + (shape[-1] // 2,))}, 2)"
        if how == 5 and nd > 1:
            self.note('tril')
            return f"{self.pick(['tril', 'triu'])}({s(shape)}, {int(self.rng.integers(-1, 2))})"
        raise Retry

    def matmul(self, shape, depth, kinds):
        k = self.pick([1, 2, 3, 8, 17])
        self.note('matmul')
        s = lambda sh: self.sub(sh, depth, kinds)
        if len(shape) == 0:
            return f"{s((k,))} @ {s((k,))}"
        if len(shape) == 1 or self.chance(0.15):
            return f"{s(shape + (k,))} @ {s((k,))}"
        a, b = shape[:-2] + (shape[-2], k), (k, shape[-1])
        if self.chance(0.4):
            b = shape[:-2] + b
        return self.pick(["{} @ {}", "matmul({}, {})"]).format(s(a), s(b))

    def scan(self, shape, depth, kinds):
        return diff_scan.scan(self, shape, depth, kinds)

    def transform(self, shape, depth, kinds):
        return diff_fft.transforms(self, shape, depth, kinds)

    def order(self, shape, depth, kinds):
        return diff_sort.sorts(self, shape, depth, kinds)

    STEPS = [('binary', 9), ('unary', 7), ('reduce', 4), ('view', 4), ('where', 2), ('cast', 2),
             ('join', 2), ('matmul', 1), ('product', 1), ('manip', 2), ('special', 2), ('clip', 1),
             ('scan', 1), ('order', 1), ('transform', 0.7), ('stat', 2), ('index', 2), ('search', 2), ('linear', 1),
             ('int_pow', 0.5), ('float_to_int', 0.5)]

    def make(self, shape, depth, kinds):
        """The text of an expression of that shape; its value is among self.parts."""
        if depth <= 0 or int(np.prod(shape, dtype=int)) > 4000:
            return self.leaf(shape, kinds)
        names, w = zip(*self.STEPS)
        w = np.array(w, float)
        for _ in range(12):
            state = len(self.parts), len(self.used), set(self.arrays)
            try:
                step = names[int(self.rng.choice(len(names), p=w / w.sum()))]
                text = getattr(self, step)(shape, depth, kinds)
                self.check(text, shape, kinds)
                return text
            except (Retry, TypeError, ValueError, ZeroDivisionError, OverflowError, SyntaxError,
                    IndexError, AttributeError):
                del self.parts[state[0]:], self.used[state[1]:]
                for name in set(self.arrays) - state[2]:
                    del self.arrays[name]
        return self.leaf(shape, kinds)

    def value(self, text):
        *before, last = text.split('; ')    # assignments
        names = {k: V(a.copy() if before else a) for k, a in self.arrays.items()}
        with np.errstate(all='ignore'):
            for s in before:
                exec(s, dict(NAMES), names)
            return eval(last, dict(NAMES), names)

    def check(self, text, shape, kinds):
        v = self.value(text)
        if not isinstance(v, V) or v.shape != shape or v.dtype.kind not in kinds or \
                v.dtype.name in self.without:
            raise Retry
        self.parts.append(text)

    def again(self, text, arrays, rng):
        """The same expression with other values: (value, arrays). Nothing is compiled for it again."""
        self.rng = rng
        self.arrays = {k: self.data(a.shape, a.dtype) for k, a in arrays.items()}
        return self.value(text), dict(self.arrays)

    def of_any_shape(self):
        """The text of something of diff_sets."""
        for _ in range(20):
            self.arrays, self.parts, self.used = {}, [], []
            try:
                text = self.top()
                if self.value(text).dtype.name not in self.without:
                    return text
            except (Retry, TypeError, ValueError, ZeroDivisionError, OverflowError, SyntaxError,
                    IndexError, AttributeError):
                pass
        return 'arange(3)'

    def case(self):
        """(text, value, arrays): one random expression."""
        r = self.rng
        if self.chance(0.15):
            text = self.of_any_shape()
            return text, self.value(text), {k: a for k, a in self.arrays.items() if used_in(text, k)}
        nd = int(r.choice(5, p=[0.12, 0.28, 0.32, 0.2, 0.08]))
        shape = tuple(self.pick(EXTENTS) for _ in range(nd))
        if nd and self.chance(0.06):
            k = int(r.integers(nd))
            shape = shape[:k] + (0,) + shape[k + 1:]
        elif nd and self.chance(0.04):
            shape = shape[:-1] + (self.pick([129, 1000, 1025]),)
        kinds = self.pick(['f', 'f', 'f', 'biuf', 'biufc', 'iu', 'b', 'c'])
        text = self.make(shape, int(r.integers(1, 7)), kinds)
        return text, self.value(text), {k: a for k, a in self.arrays.items() if used_in(text, k)}


def used_in(text, name):
    import re
    return re.search(rf"(?<![\w.]){name}\b", text) is not None
