# SPDX-License-Identifier: BSD-3-Clause
"""Types of kernels that are written in Python, with Numba's rules: what an operation gives, what two values of one
variable become. Knows no Python syntax and no text of kernels but the names of types."""
import numpy as np


class TypingError(TypeError):
    """What a kernel cannot say: the message has file, line and a caret."""


class Scalar:
    """A number of a NumPy dtype. One object for each. c: its C type as a value; mem: in memory, where float16 has its
    bits; short: what the names of kernels' functions end in."""

    def __init__(self, name, short, c, mem=None):
        self.name, self.short, self.c, self.mem, self.dtype = name, short, c, mem or c, np.dtype(name)
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

    @property
    def underlying_float(self):
        """The type of the parts of a complex number."""
        return float32 if self is complex64 else float64

    def __reduce__(self):
        return _scalar, (self.name,)


def _scalar(name):
    return SCALARS[name]


class Array:
    """An array: what its pointer points to, dimensions, the memory it is in. layout: 'C', elements in C order, or 'A',
    any strides, which are then parts of its values."""

    def __init__(self, dtype, ndim, layout='C', readonly=False, aligned=True, space='global'):
        self.dtype = self.scalar = dtype
        self.ndim, self.space, self.layout = ndim, space, layout

    def _key(self):
        return self.scalar, self.ndim, self.space, self.layout

    def __eq__(self, other):
        return isinstance(other, Array) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def __repr__(self):
        return f'array({self.scalar}, {self.ndim}d, {self.layout})'


class Tuple:
    """Items of any types; names: those of a named tuple's, or x, y, z, w of a vector."""

    def __init__(self, items, names=None):
        self.items, self.names = tuple(items), names

    def __eq__(self, other):
        return isinstance(other, Tuple) and (self.items, self.names) == (other.items, other.names)

    def __hash__(self):
        return hash((self.items, self.names))

    def __repr__(self):
        return f'Tuple({", ".join(map(repr, self.items))})'


class Vector:
    """float32x3 and its like: made of numbers and shorter vectors; its parts are x, y, z, w."""

    def __init__(self, base, size):
        self.base, self.size, self.name = base, size, f'{base}x{size}'
        self.type = Tuple([base] * size, tuple('xyzw'[:size]))

    def __repr__(self):
        return self.name


class NoneType:
    def __call__(self, *args):
        return Signature(args, self)

    def __repr__(self):
        return 'none'


class Signature:
    """The types of the arguments, and of the result; None: it is not said."""

    def __init__(self, args, result=None):
        self.args, self.result = tuple(args), result

    @property
    def return_type(self):
        return self.result

    def __repr__(self):
        return f'{self.args} -> {self.result}'


none = void = NoneType()
SCALARS = {n: Scalar(n, *c) for n, *c in [
    ('bool', 'b', 'g_b'), ('int8', 'i8', 'g_i8'), ('int16', 'i16', 'g_i16'), ('int32', 'i32', 'g_i32'),
    ('int64', 'i64', 'g_i64'), ('uint8', 'u8', 'g_u8'), ('uint16', 'u16', 'g_u16'), ('uint32', 'u32', 'g_u32'),
    ('uint64', 'u64', 'g_u64'), ('float16', 'f16', 'g_f32', 'g_u16'), ('float32', 'f32', 'g_f32'), ('float64', 'f64', 'g_f64'),
    ('complex64', 'c64', 'g_c64'), ('complex128', 'c128', 'g_c128')]}
int8, int16, int32, int64 = (SCALARS[f'int{n}'] for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (SCALARS[f'uint{n}'] for n in (8, 16, 32, 64))
float16, float32, float64, complex64, complex128 = (SCALARS[n] for n in (
    'float16', 'float32', 'float64', 'complex64', 'complex128'))
boolean = bool_ = b1 = SCALARS['bool']
intp = int_ = i8 = int64
uintp = uint = u8 = uint64
i1, i2, i4, u1, u2, u4 = int8, int16, int32, uint8, uint16, uint32
f2, f4, f8, c8, c16, float_, double = float16, float32, float64, complex64, complex128, float32, float64
byte, char, uchar, short, ushort, intc, uintc = uint8, int8, uint8, int16, uint16, int32, uint32
long_, ulong, longlong, ulonglong, bool_ = int64, uint64, int64, uint64, boolean
number_domain = frozenset(SCALARS.values()) - {boolean}
signed_domain, unsigned_domain = (frozenset(t for t in SCALARS.values() if t.kind == k) for k in 'iu')
integer_domain, real_domain = signed_domain | unsigned_domain, frozenset((float32, float64))
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
        return None if None in items else Tuple(items, getattr(type(v), '_fields', None))
    if isinstance(v, int):
        return int64
    dtype = getattr(v, 'dtype', None)
    if dtype is None:
        return None
    return of_dtype(dtype) if isinstance(v, np.generic) else Array(of_dtype(dtype), v.ndim)


def UniTuple(item, count):
    """A tuple of count items of one type."""
    return Tuple([item] * count)


def as_dtype(t):
    """NumPy's dtype of a type of numbers."""
    return t.dtype


# --- rules ------------------------------------------------------------------------------------------

def unify(a, b):
    """The type of a variable that is a and b; None: there is none."""
    if a == b or a is b:
        return a
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return SCALARS[np.result_type(a.dtype, b.dtype).name]
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        items = [unify(x, y) for x, y in zip(a.items, b.items)]
        return None if None in items else Tuple(items, a.names if a.names == b.names else None)
    if isinstance(a, Array) and isinstance(b, Array) and (a.scalar, a.ndim, a.space) == (b.scalar, b.ndim, b.space):
        return a if a.layout == 'A' else b
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


def distance(given, declared):
    """How far an argument is from the type of a signature: 0, the same; 1, more bits; 2, safe; 3, not; 4, a float as an int;
    None: never."""
    if isinstance(declared, Array) or isinstance(given, Array):
        same = isinstance(declared, Array) and isinstance(given, Array) and (declared.scalar, declared.ndim) == (
            given.scalar, given.ndim)
        return 0 if same else None
    if isinstance(declared, Scalar) and isinstance(given, Scalar):
        if declared is given:
            return 0
        if given.kind == 'c' and declared.kind != 'c':
            return None
        if np.can_cast(given.dtype, declared.dtype, 'safe') and not (given.bits == 64 and declared.kind in 'fc' and given.kind in 'iu'):
            return 1 if given.kind == declared.kind else 2
        return 4 if given.kind == 'f' and declared.kind in 'biu' else 3
    if isinstance(declared, Tuple) and isinstance(given, Tuple) and len(declared.items) == len(given.items):
        found = [distance(a, b) for a, b in zip(given.items, declared.items)]
        return None if None in found else max(found, default=0)
    return 0 if declared == given else None


def best(signatures, types, name):
    """The signature that is nearest to the types. TypeError where none is, or several are."""
    found = []
    for s in signatures:
        d = [distance(a, b) for a, b in zip(types, s.args)] if len(s.args) == len(types) else [None]
        if None not in d:
            found.append((tuple(d.count(k) for k in (4, 3, 2, 1)), s))
    if not found:
        raise TypeError(f'{name}: No matching definition for argument type(s) {", ".join(map(repr, types))}; there is '
                        f'{" and ".join(str(s.args) for s in signatures)}')
    least = min(f[0] for f in found)
    nearest = [s for f, s in found if f == least]
    if len(nearest) > 1:
        raise TypeError(f'{name}: Ambiguous overloading for argument type(s) {", ".join(map(repr, types))}: '
                        f'{" and ".join(str(s.args) for s in nearest)}')
    return nearest[0]


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
