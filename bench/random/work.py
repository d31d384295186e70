# SPDX-License-Identifier: BSD-3-Clause
"""What a workload is, and how its sizes, dtypes and expressions are drawn.

A template (templates_*.py) takes a Draw and returns a Work. It knows no library: a form is text.
"""
import dataclasses
import math
import random

FLOATS = ('float32', 'float32', 'float32', 'float64', 'float16', 'bfloat16')
WIDE = ('float32', 'float32', 'float32', 'float64')
INTS = ('int32', 'int64', 'uint8', 'int16', 'int8', 'uint16', 'uint32', 'uint64')
BYTES = {'bool': 1, 'int8': 1, 'uint8': 1, 'int16': 2, 'uint16': 2, 'int32': 4, 'uint32': 4, 'int64': 8,
         'uint64': 8, 'float16': 2, 'bfloat16': 2, 'float32': 4, 'float64': 8, 'complex64': 8, 'complex128': 16}


@dataclasses.dataclass
class In:
    """An input: dist is 'unit' [0, 1), 'pos' [0.5, 1.5), 'normal', 'spd' (matrices), 'diag' (well-conditioned
    matrices), ('below', n) for integers in [0, n), 'any' for integers of the dtype's range (at most 1000),
    'nan' (normal, each tenth NaN), 'sorted', 'perm' (a permutation), 'half' (bool)."""
    shape: tuple
    dtype: str = 'float32'
    dist: object = 'normal'

    def size(self):
        return math.prod(self.shape)

    def nbytes(self):
        return self.size() * BYTES[self.dtype]


@dataclasses.dataclass
class Work:
    """A workload. `form` is the body of a function of np, L (libs.py), S (numpy.s_) and the inputs; `torch` that of
    torch, F, L, S and the inputs, True if it is `form` with torch's names, None if PyTorch has no form.
    `compiled`: torch.compile is tried too. `ops`: operations of NumPy's reference, about. `check`: 'values',
    'sorted' (the order along the last axis is open), 'abs' (signs are open), 'stats' (random numbers: the mean
    alone)."""
    kind: str
    form: str
    inputs: dict
    torch: object = None
    compiled: bool = False
    numexpr: str = None
    tol: float = 1.0
    check: str = 'values'
    ops: float = 0
    nbytes: float = 0
    number: int = 0

    def text(self):
        ins = ', '.join(f'{k}: {i.dtype}{list(i.shape)}' for k, i in self.inputs.items())
        return ' '.join('; '.join(self.form.strip().split('\n')).split()) + (f'   [{ins}]' if ins else '')

    def elements(self):
        return sum(i.size() for i in self.inputs.values())


class Draw:
    """Draws from a seed. `shrink` divides the numbers of elements."""

    def __init__(self, seed, shrink=1):
        self.r = random.Random(seed)
        self.shrink = shrink
        self.bf16 = True

    def pick(self, *values):
        return self.r.choice(values)

    def chance(self, p):
        return self.r.random() < p

    def dtype(self, choices):
        while True:
            d = self.r.choice(choices)
            if d != 'bfloat16' or self.bf16:
                return d

    def n(self, lo, hi):
        """A number of [lo, hi], log-uniform, most often odd and no power of two."""
        lo, hi = max(1, int(lo)), max(1, int(hi))
        v = int(round(math.exp(self.r.uniform(math.log(lo), math.log(max(lo, hi))))))
        if v > 8 and v % 2 == 0 and self.r.random() < 0.7:
            v += 1 if v < hi else -1
        return max(lo, v)

    def total(self, most=3e7, least=300):
        """A number of elements: tiny, small, medium or large."""
        lo, hi = self.r.choice(((least, 3e3), (1e4, 2e5), (3e5, 3e6), (3e6, most), (3e6, most), (3e6, most)))
        lo, hi = min(lo, most), min(hi, most)
        return max(int(least), int(self.n(lo, hi) / (self.shrink if hi > 3e3 else 1)))

    def shape(self, axes, total):
        """Extents with about `total` elements: square, tall, wide or with a narrow axis somewhere."""
        if axes == 1:
            return (self.n(total * 0.7, total),)
        logs = [self.r.uniform(0.3, 1) for _ in range(axes)]
        how = self.r.random()
        if how < 0.25:
            logs[0] *= 5  # tall
        elif how < 0.4:
            logs[-1] *= 5  # long rows
        elif how < 0.5:
            logs[self.r.randrange(axes)] *= 0.15
        k = math.log(total) / sum(logs)
        return tuple(max(1, int(round(math.exp(v * k))) | (1 if self.r.random() < 0.7 else 0)) for v in logs)

    def rows(self, total, lo=3, hi=20000):
        """(rows, columns) with columns in [lo, hi]."""
        c = self.n(lo, max(lo, min(hi, total / 2)))
        return max(1, total // c), c

    def axes(self, ndim):
        """A set of axes that is not empty, as an int, a tuple or None."""
        k = self.r.randint(1, ndim)
        if k == ndim and self.chance(0.7):
            return None
        a = tuple(sorted(self.r.sample(range(ndim), k)))
        return a[0] if len(a) == 1 else a

    def view(self, name, ndim):
        """A view of an array as text; often the array itself. The result has as many axes."""
        v = self.r.random()
        if v < 0.6 or ndim == 0:
            return name
        if v < 0.7 and ndim >= 2:
            return f'{name}.T' if ndim == 2 else f'{name}.swapaxes({self.r.randrange(ndim - 1)}, {ndim - 1})'
        parts = [':'] * ndim
        parts[self.r.randrange(ndim)] = self.pick('1:', '::2', ':-1', '1:-1', '::3')
        if self.chance(0.3):
            parts[-1] = self.pick('1:', '::2', ':-1')
        return f'{name}[{", ".join(parts)}]'


def expression(d, names, depth, kind):
    """An expression of `depth` operations of elementwise functions over names: kind 'float', 'int' or 'complex'."""
    if depth <= 0:
        return d.r.choice(names)
    a = expression(d, names, depth - 1 - d.r.randrange(2), kind)
    v = d.r.random()
    if v < 0.55:
        b = expression(d, names, d.r.randrange(depth), kind)
        if kind == 'int':
            return d.pick('({} + {})', '({} - {})', '({} * {})', '({} & {})', '({} | {})', '({} ^ {})',
                          'np.minimum({}, {})', 'np.maximum({}, {})', 'np.where({} > 3, {}, 1)').format(a, b)
        if kind == 'complex':
            return d.pick('({} + {})', '({} - {})', '({} * {})').format(a, b)
        return d.pick('({} + {})', '({} - {})', '({} * {})', '({} + 0.5 * {})', '({} / (1.5 + {}**2))',
                      'np.maximum({}, {})', 'np.minimum({}, {})', 'np.hypot({}, {})',
                      'np.where({} > 0.3, {}, 0.25)').format(a, b)
    if kind == 'int':
        return d.pick('({} + 3)', '({} >> 1)', '({} * 5)', '({} // 3)', '({} % 7)', 'np.abs({})').format(a)
    if kind == 'complex':
        return d.pick('({} * (0.5 + 1j))', '({} + 1j)', 'np.conj({})', '({} / 2)').format(a)
    return d.pick('np.sin({})', 'np.cos({})', 'np.tanh({})', 'np.sqrt(np.abs({}))', 'np.exp(-np.abs({}))',
                  'np.log1p(np.abs({}))', '({} * 1.7)', '(1 - {})', '({} ** 2)', 'np.clip({}, -0.5, 0.75)',
                  'np.floor({} * 4)', 'np.abs({})', 'np.arctan({})', '(1 / (1 + np.exp(-{})))').format(a)
