# SPDX-License-Identifier: BSD-3-Clause
"""What kernels may call: math, min, max, casts, cuda.grid, arrays in shared and local memory, atomic operations, and
device functions. Tables by the thing that is called; `call` looks there."""
import ast
import cmath
import math

import numpy as np

from . import stubs
from . import types as T
from .types import Array, Scalar, Tuple
from .write import Value, literal, joined, split

# math.f: the function of kernels/ with one or two floats.
MATH = {getattr(math, n): n for n in ('sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh',
                                      'atanh', 'exp', 'expm1', 'log1p', 'log2', 'log10', 'erf', 'erfc', 'lgamma', 'gamma')}
MATH2 = {math.atan2: 'atan2', math.hypot: 'hypot', math.pow: 'pow'}
CMATH = {getattr(cmath, n): n for n in ('sin', 'cos', 'tan', 'sinh', 'cosh', 'tanh', 'exp', 'sqrt', 'log', 'asin', 'acos',
                                        'atan', 'asinh', 'acosh', 'atanh')}
PLAIN = {math.sqrt: 'sqrt', math.fabs: 'fabs', np.sqrt: 'sqrt'}
NUMPY = {np.sin: 'sin', np.cos: 'cos', np.tan: 'tan', np.exp: 'exp', np.arctan2: 'atan2'}
ATOMIC = {'add': 'a + v', 'sub': 'a - v', 'min': 'v < a ? v : a', 'max': 'v > a ? v : a', 'and_': 'a & v', 'or_': 'a | v',
          'xor': 'a ^ v', 'exch': 'v', 'inc': 'a >= v ? 0 : a + 1', 'dec': 'a == 0 || a > v ? v : a - 1'}


def floating(w, v, node):
    w.scalars((v,), node)
    if v.type.kind == 'c':
        w.fail(node, f'{v.type}: cmath has functions of complex numbers')
    return w.cast(v, v.type if v.type.kind == 'f' else w.narrow(T.float64), node)


def call(w, node):
    f = w.visit(node.func) if not isinstance(node.func, ast.Attribute) else method_or(w, node)
    if isinstance(f, Value) and f.obj is None:
        w.fail(node, f'{f.type} cannot be called')
    o = f.obj if isinstance(f, Value) else f
    special = SPECIAL.get(o) if o.__hash__ else None
    if special:
        return special(w, node)
    if node.keywords:
        w.fail(node, 'keywords are not possible in this call')
    args = w.many(node.args)
    if isinstance(o, Method):
        return o.f(w, node, o.value, args)
    if isinstance(o, stubs.Atomic):
        return atomic(w, node, o.name, args)
    if isinstance(o, (Scalar, type)) or isinstance(o, np.dtype):
        return cast(w, node, o, args)
    if (o in MATH or o in NUMPY and o is not np.arctan2) and len(args) == 1:
        x = floating(w, args[0], node)
        return Value(x.type, [f'gnd_{MATH.get(o) or NUMPY[o]}_{x.type.short}({x.text})'])
    if o in MATH2 or o is np.arctan2:
        return math2(w, node, MATH2.get(o, 'atan2'), args)
    if o in CMATH and len(args) == 1:
        x = w.cast(args[0], args[0].type if args[0].type.kind == 'c' else w.narrow(T.complex128), node)
        return Value(x.type, [f'gnd_{CMATH[o]}_{x.type.short}({x.text})'])
    if o in PLAIN and len(args) == 1:
        x = floating(w, args[0], node)
        return Value(x.type, [f'{PLAIN[o]}({x.text})'])
    plain = FUNCTIONS.get(o) if o.__hash__ else None
    if plain:
        return plain(w, node, args)
    target = getattr(o, 'py_func', None)
    if target is None and callable(o) and hasattr(o, '__code__'):
        target = o
    if target is None:
        w.fail(node, f'{o!r} cannot be called in a kernel')
    return device(w, node, target, args)


class Method:
    __hash__ = object.__hash__

    def __init__(self, f, value):
        self.f, self.value = f, value


def method_or(w, node):
    """A method of a value (z.conjugate()), or what a name of a module is."""
    v = w.visit(node.func.value)
    if v.obj is None and v.type is not None and node.func.attr == 'conjugate':
        return Method(lambda w, n, v, a: Value(v.type, [f'gnd_conj_{v.type.short}({v.text})']) if v.type.kind == 'c' else v, v)
    return w.visit(node.func)


def device(w, node, f, args):
    """A call of a function that is compiled for these types."""
    for a in args:
        if a.obj is not None:
            w.fail(node, f'{a.obj!r} cannot be an argument in a kernel')
    g = w.unit.function(f, [a.type for a in args])
    for a, changes in zip(node.args, g.changed()):
        if changes:
            w.write_to(a)
    given = [p for a in args for p in a.parts] + (['nb_err'] if w.unit.debug else [])
    text = f'{g.name}({", ".join(given)})'
    t = g.result or T.none
    if t is T.none:
        w.lines.append(text + ';')
        v = Value(T.none, [], steady=True)
    elif isinstance(t, Scalar) or len(g_parts(t)) == 1:
        v = w.temp(Value(t, [text]))
    else:
        w.count += 1
        r = f't{w.count}'
        w.lines.append(f'{g.name}_r {r} = {text};')
        v = Value(t, [f'{r}.m{i}' for i in range(len(g_parts(t)))], steady=True)
    if w.unit.debug:
        w.lines.append(f'if (nb_err[0]) {{ {w.leave()} }}')
    return v


def g_parts(t):
    from .write import c_types
    return c_types(t)


def cast(w, node, o, args):
    if len(args) == 2 and o is complex:
        t = w.narrow(T.complex128)
        r = T.float32 if t is T.complex64 else T.float64
        return Value(t, [f'gnd_cplx_{t.short}({w.cast(args[0], r, node).text}, {w.cast(args[1], r, node).text})'])
    if o is tuple and len(args) == 1 and isinstance(args[0].type, Tuple):
        return args[0]
    try:
        t = w.narrow(T.of_dtype(o))
    except (TypeError, ValueError):
        w.fail(node, f'{o!r} cannot be called in a kernel')
    if len(args) != 1:
        w.fail(node, f'{t} takes one number')
    return w.cast(args[0], t, node)


def math2(w, node, name, args):
    if len(args) != 2:
        w.fail(node, f'{name} takes two numbers')
    x, y = (floating(w, a, node) for a in args)
    t = T.unify(x.type, y.type)
    return Value(t, [f'gnd_{name}_{t.short}({w.cast(x, t, node).text}, {w.cast(y, t, node).text})'])


def extreme(sign):
    def f(w, node, args):
        if len(args) == 1 and isinstance(args[0].type, Tuple):
            args = split(args[0])
        w.scalars(args, node)
        if not args:
            w.fail(node, 'min and max take numbers')
        t = args[0].type
        for a in args[1:]:
            t = T.unify(t, a.type)
        t = w.narrow(t)
        v = w.temp(w.cast(args[0], t, node))
        for a in args[1:]:
            b = w.temp(w.cast(a, t, node))
            v = w.temp(Value(t, [f'({b.text} {sign} {v.text} ? {b.text} : {v.text})'], positive=v.positive and b.positive))
        return v
    return f


def absolute(w, node, args):
    w.scalars(args, node)
    v, t = args[0], args[0].type
    if t.kind == 'c':
        r = T.float32 if t is T.complex64 else T.float64
        z = w.temp(v).text
        return Value(r, [f'gnd_hypot_{r.short}(gnd_re_{t.short}({z}), gnd_im_{t.short}({z}))'])
    if t.kind == 'f':
        return Value(t, [f'fabs({v.text})'])
    v = w.temp(w.cast(v, t if t.bits == 64 else T.int64, node))
    return v if t.kind in 'ub' else Value(v.type, [f'({v.text} < 0 ? 0 - {v.text} : {v.text})'], positive=True)


def rounded(name, to_int=True):
    def f(w, node, args):
        w.scalars(args, node)
        v = args[0]
        if v.type.kind in 'biu':
            return w.cast(v, T.int64, node)
        if len(args) == 2:
            k = w.cast(args[1], v.type, node)
            p = w.temp(Value(v.type, [f'gnd_pow_{v.type.short}({literal(10, v.type)}, {k.text})']))
            return Value(v.type, [f'(rint({v.text} * {p.text}) / {p.text})'])
        r = Value(v.type, [f'{name}({v.text})'])
        return w.cast(r, T.int64, node) if to_int else r
    return f


def length(w, node, args):
    t = args[0].type
    if isinstance(t, Tuple):
        return w.constant(len(t.items), node)
    if isinstance(t, Array) and t.ndim:
        return Value(T.int64, [args[0].parts[1]], positive=True)
    w.fail(node, f'{t} has no length')


def is_(name):
    def f(w, node, args):
        x = w.temp(floating(w, args[0], node))
        e = {'nan': f'({x.text} != {x.text})', 'inf': f'(fabs({x.text}) == GND_INF_{x.type.short})',
             'finite': f'(fabs({x.text}) < GND_INF_{x.type.short})'}[name]
        return Value(T.boolean, [e])
    return f


def log(w, node, args):
    x = floating(w, args[0], node)
    y = Value(x.type, [f'gnd_log_{x.type.short}({x.text})'])
    return y if len(args) == 1 else w.binary('/', y, log(w, node, args[1:]), node)


def one_float(text):
    def f(w, node, args):
        x = floating(w, args[0], node)
        return Value(x.type, [text.format(w.temp(x).text)])
    return f


def fma(w, node, args):
    t = w.narrow(T.unify(T.unify(args[0].type, args[1].type), args[2].type))
    return Value(t, [f'fma({", ".join(w.cast(a, t, node).text for a in args)})'])


def select(w, node, args):
    c, a, b = args
    t = T.unify(a.type, b.type)
    return Value(t, [f'({w.truth(c, node).text} ? {w.cast(a, t, node).text} : {w.cast(b, t, node).text})'])


# --- threads -----------------------------------------------------------------------------------------

def grid(form):
    def f(w, node, args):
        n = args[0].const if len(args) == 1 else None
        if n not in (1, 2, 3):
            w.fail(node, 'grid and gridsize take 1, 2 or 3')
        items = [Value(T.int64, [form.format(d)], positive=True) for d in range(n)]
        return items[0] if n == 1 else joined(items)
    return f


def statement(text):
    def f(w, node, args):
        w.lines.append(text)
        return Value(T.none, [], steady=True)
    return f


def array_of(space):
    def f(w, node):
        words = {k.arg: k.value for k in node.keywords}
        named = dict(zip(('shape', 'dtype'), node.args), **words)
        if set(named) != {'shape', 'dtype'}:
            w.fail(node, f'{space}.array takes shape and dtype')
        shape, dtype = w.visit(named['shape']), w.visit(named['dtype'])
        items = split_constants(w, shape, named['shape'])
        try:
            t = w.narrow(T.of_dtype(dtype.obj))
        except (TypeError, ValueError):
            w.fail(node, f'{w.about(dtype)} is no dtype of kernels')
        if not w.kernel and space == 'shared':
            w.fail(node, 'shared memory is made in the kernel: give the array to the function')
        w.count += 1
        name = f'{space[0]}{w.count}'
        size = math.prod(items)
        if space == 'shared' and size == 0:
            w.unit.dynamic = True
            return Value(Array(t, 1, space), [f'((GND_LOCAL_PTR {t.c} *)nb_dynamic)', '0'], steady=True)
        w.heads.append(f'{"GND_LOCAL " if space == "shared" else ""}{t.c} {name}[{size}];')
        return Value(Array(t, len(items), space), [name] + [str(i) for i in items], steady=True)
    return f


def split_constants(w, shape, node):
    if shape.const is not None:
        return [int(shape.const)]
    if isinstance(node, ast.Tuple):
        items = [w.visit(e).const for e in node.elts]
    else:
        o = w.outside(node) if isinstance(node, ast.Name) and node.id not in w.local else None
        items = list(o) if isinstance(o, tuple) else [None]
    if not all(isinstance(i, (int, np.integer)) for i in items):
        w.fail(node, 'the shape has to be known when the kernel is compiled')
    return [int(i) for i in items]


def constant_array(w, node, args):
    a = args[0].obj
    if not hasattr(a, 'dtype'):
        w.fail(node, 'const.array_like takes an array of NumPy\'s')
    a = np.ascontiguousarray(a)
    t = T.of_dtype(a.dtype)
    if t.kind == 'c':
        w.fail(node, 'constant arrays of complex numbers are not possible')
    name = w.unit.constant_array(a, t)
    return Value(Array(t, a.ndim, 'const'), [name] + [str(n) for n in a.shape], steady=True)


# --- atomic operations --------------------------------------------------------------------------------

def atomic(w, node, name, args):
    """atomic.add(array, index, value) and its like; the old element."""
    if name == 'compare_and_swap':
        args, nodes = [args[0], w.constant(0, node), *args[1:]], node.args
        name = 'cas'
    else:
        nodes = node.args
    want = 4 if name == 'cas' else 3
    if len(args) != want or not isinstance(args[0].type, Array):
        w.fail(node, f'atomic.{name} takes an array, an index and {want - 2} value{"s" if want > 3 else ""}')
    at = split(args[1]) if isinstance(args[1].type, Tuple) else [args[1]]
    p = w.element(args[0], at, node)
    if not isinstance(p.type, Scalar):
        w.fail(node, 'atomic operations are of single elements')
    t, space = p.type, args[0].type.space
    if t.bits not in (32, 64) or t.kind not in 'iuf' or t.kind == 'f' and name in ('and_', 'or_', 'xor', 'inc', 'dec'):
        w.fail(node, f'atomic.{name} of {t} is not possible')
    values = [w.cast(a, t, node).text for a in args[2:]]
    f = w.unit.atomic(name, t, space)
    w.write_to(nodes[0])
    return w.temp(Value(t, [f'{f}(&{p.text}, {", ".join(values)})']))


def atomic_text(name, t, space, f):
    """The function: by compare and swap of the element's bits."""
    u = f'g_u{t.bits}'
    to, back = (f'GND_BITS_{t.short}({{}})', f'GND_FROM_{t.short}({{}})') if t.kind == 'f' else (f'({u})({{}})', f'({t.c})({{}})')
    p = {'global': 'GND_GLOBAL', 'shared': 'GND_LOCAL_PTR', 'local': ''}[space]
    if name == 'cas':
        new, params, stop = 'v', f'{t.c} c, {t.c} v', 'if (a != c) return a;'
    else:
        new, params, stop = ATOMIC[name], f'{t.c} v', ''
    if t.kind == 'i' and name in ('add', 'sub'):
        new = f'({t.c})((g_u64)a {new[2]} (g_u64)v)'
    return f'''GND_FN {t.c} {f}({p} {t.c} *p, {params})
{{
    volatile {p} {u} *q = (volatile {p} {u} *)p;
    {u} old = *q;
    while (1) {{
        const {t.c} a = {back.format('old')};
        {stop}
        const {u} seen = NB_CAS{t.bits}(q, old, {to.format(f'({t.c})({new})')});
        if (seen == old)
            return a;
        old = seen;
    }}
}}
'''


FUNCTIONS = {
    min: extreme('<'), max: extreme('>'), abs: absolute, round: rounded('rint'), math.floor: rounded('floor'),
    math.ceil: rounded('ceil'), math.trunc: rounded('trunc'), len: length, math.isnan: is_('nan'), math.isinf: is_('inf'),
    math.isfinite: is_('finite'), math.log: log, math.copysign: lambda w, n, a: copysign(w, n, a),
    math.fmod: lambda w, n, a: plain2(w, n, a, 'fmod'), math.radians: one_float('({0} * 0.017453292519943295f)'),
    stubs.grid: grid('(g_i64)GND_GID({0})'), stubs.gridsize: grid('((g_i64)GND_LSZ({0}) * (g_i64)GND_NGRP({0}))'),
    stubs.syncthreads: statement('NB_BARRIER();'), stubs.threadfence: statement('NB_FENCE();'),
    stubs.threadfence_block: statement('NB_FENCE();'), stubs.threadfence_system: statement('NB_FENCE();'),
    stubs.const.array_like: constant_array, stubs.fma: fma, stubs.selp: select, stubs.cbrt: one_float('cbrt({0})'),
}
del FUNCTIONS[math.radians]
SPECIAL = {stubs.shared.array: array_of('shared'), stubs.local.array: array_of('local')}


def copysign(w, node, args):
    return plain2(w, node, args, 'copysign')


def plain2(w, node, args, name):
    x, y = (floating(w, a, node) for a in args)
    t = T.unify(x.type, y.type)
    return Value(t, [f'{name}({w.cast(x, t, node).text}, {w.cast(y, t, node).text})'])
