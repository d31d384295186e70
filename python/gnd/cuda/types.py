# SPDX-License-Identifier: BSD-3-Clause
"""Types of kernels that are written in Python, with Numba's rules: what an operation gives, what two values of one
variable become. Knows no Python syntax and no text of kernels but the names of types."""
import numpy as np


class TypingError(TypeError):
    """What a kernel cannot say: the message has file, line and a caret."""


class Scalar:
    """A number of a NumPy dtype. One object for each."""

    def __init__(self, name, short, c):
        self.name, self.short, self.c, self.dtype = name, short, c, np.dtype(name)
        self.kind, self.bits = self.dtype.kind, 8 * self.dtype.itemsize
        self.ndim = 0

    def __repr__(self):
        return self.name

    def __call__(self, *args):
        """float32(x) on the host; as a signature's result, the types of the arguments."""
        if args and all(isinstance(a, (Scalar, Array)) for a in args):
            return Signature(args, self)
        return self.dtype.type(*args)

    def __getitem__(self, key):
        """float32[:, :]"""
        return Array(self, len(key) if isinstance(key, tuple) else 1)


class Array:
    """An array in C order: what its pointer points to, dimensions, and the memory it is in."""

    def __init__(self, scalar, ndim, space='global'):
        self.scalar, self.ndim, self.space = scalar, ndim, space

    def _key(self):
        return self.scalar, self.ndim, self.space

    def __eq__(self, other):
        return isinstance(other, Array) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return f'array({self.scalar}, {self.ndim}d, C)'


class Tuple:
    def __init__(self, items):
        self.items = tuple(items)

    def __eq__(self, other):
        return isinstance(other, Tuple) and self.items == other.items

    def __hash__(self):
        return hash(self.items)

    def __repr__(self):
        return f'Tuple({", ".join(map(repr, self.items))})'


class NoneType:
    def __call__(self, *args):
        return Signature(args, self)

    def __repr__(self):
        return 'none'


class Signature:
    def __init__(self, args, result=None):
        self.args, self.result = tuple(args), result


none = void = NoneType()
SCALARS = {n: Scalar(n, s, c) for n, s, c in [
    ('bool', 'b', 'g_b'), ('int8', 'i8', 'g_i8'), ('int16', 'i16', 'g_i16'), ('int32', 'i32', 'g_i32'),
    ('int64', 'i64', 'g_i64'), ('uint8', 'u8', 'g_u8'), ('uint16', 'u16', 'g_u16'), ('uint32', 'u32', 'g_u32'),
    ('uint64', 'u64', 'g_u64'), ('float32', 'f32', 'g_f32'), ('float64', 'f64', 'g_f64'),
    ('complex64', 'c64', 'g_c64'), ('complex128', 'c128', 'g_c128')]}
int8, int16, int32, int64 = (SCALARS[f'int{n}'] for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (SCALARS[f'uint{n}'] for n in (8, 16, 32, 64))
float32, float64, complex64, complex128 = (SCALARS[n] for n in ('float32', 'float64', 'complex64', 'complex128'))
boolean = bool_ = b1 = SCALARS['bool']
intp = int_ = i8 = int64
uintp = uint = u8 = uint64
i1, i2, i4, u1, u2, u4 = int8, int16, int32, uint8, uint16, uint32
f4, f8, c8, c16, float_, double = float32, float64, complex64, complex128, float32, float64
PYTHON = {bool: boolean, int: int64, float: float64, complex: complex128}


def of_dtype(dtype):
    """The type of elements of a dtype, or of what names one. TypeError where kernels in Python have none."""
    if isinstance(dtype, Scalar):
        return dtype
    if dtype in PYTHON:
        return PYTHON[dtype]
    t = SCALARS.get(np.dtype(dtype).name)
    if t is None:
        raise TypingError(f'kernels in Python have no dtype {np.dtype(dtype)}')
    return t


def of_value(v):
    """The type of an argument; None: it is none."""
    if type(v) in PYTHON:
        return PYTHON[type(v)]
    if v is None:
        return none
    if isinstance(v, tuple):
        items = [of_value(i) for i in v]
        return None if None in items else Tuple(items)
    dtype = getattr(v, 'dtype', None)
    if dtype is None:
        return None
    return of_dtype(dtype) if isinstance(v, np.generic) else Array(of_dtype(dtype), v.ndim)


# --- rules ------------------------------------------------------------------------------------------

def unify(a, b):
    """The type of a variable that is a and b; None: there is none."""
    if a == b or a is b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return SCALARS[np.result_type(a.dtype, b.dtype).name]
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        items = [unify(x, y) for x, y in zip(a.items, b.items)]
        return None if None in items else Tuple(items)
    return None


def whole(a, b):
    """What ints give: at least 64 bits, signed where one of them is."""
    if a.kind == 'u' and b.kind == 'u':
        return uint64
    return int64


def arithmetic(op, a, b):
    """The type in which a op b is computed, which is that of its result; None: there is none."""
    integral = a.kind in 'biu' and b.kind in 'biu'
    if op in ('&', '|', '^'):
        return None if not integral else boolean if a is b is boolean else whole(a, b)
    if op in ('<<', '>>'):
        return (uint64 if a.kind == 'u' else int64) if integral else None
    if integral:
        return float64 if op == '/' else whole(a, b)
    if op in ('//', '%') and 'c' in (a.kind, b.kind):
        return None
    if op == '**' and a.kind in 'fc' and b.kind in 'biu':
        return a
    return SCALARS[np.result_type(a.dtype, b.dtype).name]


def compared(a, b):
    """The type in which a and b are compared."""
    return SCALARS[np.result_type(a.dtype, b.dtype).name]


def parse(text):
    """A signature as text: "void(float32[:], int32)", "float32(float32)", "(f4, i4)"."""
    import re
    if not re.fullmatch(r'[\w\s(),:\[\]]+', text):
        raise TypingError(f'signature {text!r}')
    names = {**SCALARS, **{k: v for k, v in globals().items() if isinstance(v, (Scalar, NoneType))}, 'void': none}
    m = re.fullmatch(r'\s*(\w+(?:\[[\s:,]*\])?)?\s*\((.*)\)\s*', text)
    if not m:
        raise TypingError(f'signature {text!r}: "void(float32[:], int32)" is one')

    def one(word):
        part = re.fullmatch(r'\s*(\w+)\s*(?:\[([\s:,1]*)\])?\s*', word)
        if not part or part[1] not in names:
            raise TypingError(f'signature {text!r}: {word.strip()!r} is no type')
        t = names[part[1]]
        return t if part[2] is None else Array(t, part[2].count(',') + 1)
    args = [w for w in re.split(r',(?![^\[]*\])', m[2]) if w.strip()]
    return Signature([one(w) for w in args], one(m[1]) if m[1] else None)
