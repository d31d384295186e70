# SPDX-License-Identifier: BSD-3-Clause
"""Calls in kernels: by what is called. Casts, min, max, len, vectors, methods of values, device functions; `call` looks
in the tables of mathematics.py, threads.py and atomics.py too."""
import ast
import operator

import numpy as np

from .._ufunc import ufunc
from . import helpers, mathematics, stubs, threads, ufuncs
from . import types as T
from .atomics import atomic
from .types import Array, Scalar, Tuple
from .value import Value, c_types, joined, split


def call(w, node):
    f = node.func
    if isinstance(f, ast.Attribute):
        v = w.visit(f.value)
        if v.obj is None and v.type is not None:
            return method(w, node, v, f.attr)
    f = w.visit(f)
    if f.obj is None:
        w.fail(node, f'{f.type} cannot be called')
    o = f.obj
    if not getattr(type(o), '__hash__', None):
        w.fail(node, f'{o!r} cannot be called in a kernel')
    if o in threads.SPECIAL:
        return threads.SPECIAL[o](w, node)
    return plain(w, node, o, arguments(w, node))


def arguments(w, node):
    """The positional arguments; * in front of a tuple gives its items."""
    args = []
    for a, v in zip(node.args, w.many([a.value if isinstance(a, ast.Starred) else a for a in node.args])):
        if not isinstance(a, ast.Starred):
            args.append(v)
        elif isinstance(v.type, Tuple):
            args += split(w.temp(v))
        else:
            w.fail(a, f'{w.about(v)}: * is for tuples in a kernel')
    return args


def plain(w, node, o, args):
    """o(args)"""
    target = getattr(o, 'py_func', None)
    if target is None and callable(o) and hasattr(o, '__code__') and o not in KNOWN:
        target = o
    if target is not None:
        return device(w, node, target, args, o)
    if node.keywords:
        w.fail(node, 'keywords are not possible in this call')
    if isinstance(o, stubs.Atomic):
        return atomic(w, node, o.name, args)
    if isinstance(o, T.Vector):
        return vector(w, node, o, args)
    for table in (FUNCTIONS, threads.FUNCTIONS):
        if o in table:
            return table[o](w, node, args)
    if o is round and len(args) == 2 and args[0].type is not None and args[1].type is not T.none and args[0].type.kind == 'f':
        digits = [w.cast(args[0], w.narrow(T.float64), node), w.cast(args[1], T.int64, node)]
        return w.cast(device(w, node, helpers.round_digits, digits, helpers.round_digits), args[0].type, node)
    if isinstance(o, ufunc):
        o = getattr(np, o.__name__, o)
    if isinstance(o, np.ufunc):
        found = ufuncs.call(w, node, o, args)
    else:
        found = mathematics.call(w, node, o, args)
    if found is not None:
        return found
    if isinstance(o, (Scalar, type, np.dtype)):
        return cast(w, node, o, args)
    w.fail(node, f'{o!r} cannot be called in a kernel')


def device(w, node, f, args, o):
    """A call of a function that is compiled for these types, and for the things of Python's among its arguments."""
    args = bound(w, node, f, args)
    given = [a if a.obj is not None else None for a in args]
    declared = getattr(o, 'signatures', None)
    if declared and all(a.type is not None for a in args):
        try:
            declared = T.best(declared, [a.type for a in args], f.__name__)
        except TypeError as e:
            w.fail(node, str(e))
        args = [w.cast(a, w.narrow(t), node) if isinstance(t, Scalar) else a for a, t in zip(args, declared.args)]
    g = w.unit.function(f, [a.type for a in args], given, [a if a.const is not None else None for a in args], w)
    args = [a for a, n in zip(args, g.names_given) if n in g.parameters]
    nodes = dict(zip(g.names_given, node.args))
    for n, changes in zip(g.parameters, g.changed()):
        if changes and n in nodes:
            w.write_to(nodes[n])
    hidden = [w.hide(c, f'{g.name}_{n}', size, align) for n, (c, size, align) in g.hidden.items()]
    parts = [p for a in args for p in a.parts] + hidden + (['nb_err'] if w.unit.debug else [])
    text = f'{g.name}({", ".join(parts)})'
    t = g.result or T.none
    if t is T.none or not c_types(t):
        w.lines.append(text + ';')
        v = Value(t, [], steady=True)
    elif len(c_types(t)) == 1:
        v = w.temp(Value(t, [text]))
    else:
        w.count += 1
        r = f't{w.count}'
        w.lines.append(f'{g.name}_r {r} = {text};')
        v = Value(t, [f'{r}.m{i}' for i in range(len(c_types(t)))], steady=True)
    if w.unit.debug:
        w.lines.append(f'if (nb_err[0]) {{ {w.leave()} }}')
    want = declared.result if isinstance(declared, T.Signature) else None
    return w.cast(v, w.narrow(want), node) if isinstance(want, Scalar) and isinstance(t, Scalar) else v


def bound(w, node, f, args):
    """The arguments in the order of f's parameters: keywords and defaults among them."""
    names = f.__code__.co_varnames[:f.__code__.co_argcount]
    words = {k.arg: w.visit(k.value) for k in node.keywords}
    defaults = dict(zip(names[::-1], (f.__defaults__ or ())[::-1]))
    for n in names[len(args):]:
        if n in words:
            args.append(words.pop(n))
        elif n in defaults:
            args.append(w.constant(defaults[n], node))
    if words or len(args) != len(names):
        w.fail(node, f'{f.__name__} takes {len(names)} arguments ({", ".join(names)})')
    return args


def power(w, node, args):
    if len(args) != 2:
        w.fail(node, 'pow takes two numbers')
    return w.binary('**', *args, node)


def is_instance(w, node, args):
    """isinstance(value, tuple) and of Python's numbers: known when the kernel is compiled."""
    kinds = {int: 'iu', float: 'f', complex: 'c', bool: 'b'}
    classes = args[1].obj if len(args) == 2 else None
    classes = classes if isinstance(classes, tuple) else (classes,)
    if not all(c is tuple or c in kinds for c in classes):
        w.fail(node, 'isinstance is of tuple, int, float, complex and bool in a kernel')
    t = args[0].type
    return w.constant(any(isinstance(t, Tuple) if c is tuple else isinstance(t, Scalar) and t.kind in kinds[c] for c in classes), node)


def cast(w, node, o, args):
    if len(args) == 2 and (o is complex or o in (T.complex64, T.complex128, np.complex64, np.complex128)):
        t = w.narrow(T.complex128 if o is complex else T.of_dtype(o))
        r = mathematics.real_of(t)
        return Value(t, [f'gnd_cplx_{t.short}({w.cast(args[0], r, node).text}, {w.cast(args[1], r, node).text})'])
    if o is tuple and len(args) == 1 and isinstance(args[0].type, Tuple):
        return args[0]
    if isinstance(o, type) and issubclass(o, tuple) and getattr(o, '_fields', None) and len(args) == len(o._fields):
        return joined(args, o._fields)
    try:
        t = w.narrow(T.of_dtype(o))
    except (TypeError, ValueError):
        w.fail(node, f'{o!r} cannot be called in a kernel')
    if not args and o in T.PYTHON:
        return w.constant(o(), node)
    if len(args) != 1:
        w.fail(node, f'{t} takes one number')
    if o is int and isinstance(args[0].type, Scalar) and args[0].type.kind in 'iu':
        return w.cast(args[0], T.arithmetic('+', args[0].type, args[0].type), node)
    return w.cast(args[0], t, node)


def vector(w, node, o, args):
    """float32x3(a, b, c): of numbers and vectors that are as many together."""
    items = [i for a in args for i in (split(a) if isinstance(a.type, Tuple) else [a])]
    w.scalars(items, node)
    if len(items) != o.size:
        w.fail(node, f'{o.name} takes {o.size} numbers, {len(items)} given')
    return w.temp(joined([w.cast(i, w.narrow(o.base), node) for i in items], o.type.names))


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
        if t.kind == 'c':
            w.fail(node, 'complex numbers have no order')
        v = w.temp(w.cast(args[0], t, node))
        for a in args[1:]:
            b = w.temp(w.cast(a, t, node))
            v = w.temp(Value(t, [f'({b.text} {sign} {v.text} ? {b.text} : {v.text})'], positive=v.positive and b.positive))
        return v
    return f


def length(w, node, args):
    t = args[0].type if len(args) == 1 else None
    if isinstance(t, Tuple):
        return w.constant(len(t.items), node)
    if isinstance(t, Array) and t.ndim:
        return Value(T.int64, [args[0].parts[1]], positive=True)
    w.fail(node, f'{t} has no length')


# --- methods -----------------------------------------------------------------------------------------

def method(w, node, v, name):
    """value.name(...)"""
    f = METHODS.get((type(v.type), name))
    if f is None or node.keywords:
        w.fail(node, f'{v.type} has no method {name} in a kernel')
    return f(w, node, v, arguments(w, node))


def reshaped(w, node, v, args):
    """Of an array in C order: the same elements."""
    if len(args) == 1 and isinstance(args[0].type, Tuple):
        args = split(args[0])
    w.scalars(args, node)
    if v.type.layout != 'C':
        w.fail(node, 'reshape of a view whose elements are not in C order is not possible in a kernel')
    v = w.temp(v)
    shape = [w.temp(w.cast(a, T.int64, node)) for a in args]
    known = ' * '.join(a.text for a in shape) or '1'
    total = w.size(v).text
    parts = [a.text if a.positive or (a.const or -1) > 0 else f'({a.text} < 0 ? {total} / (-({known})) : {a.text})' for a in shape]
    return w.temp(Value(Array(v.type.scalar, len(parts), space=v.type.space), [v.text] + parts))


def ravel(w, node, v, args):
    if v.type.layout != 'C':
        w.fail(node, 'ravel of a view whose elements are not in C order is not possible in a kernel')
    return w.temp(Value(Array(v.type.scalar, 1, space=v.type.space), [v.text, w.size(v).text]))


def item(w, node, v, args):
    """a.item(): of one element; a.item(i), of one dimension."""
    at = args or [w.constant(0, node)] * v.type.ndim
    if len(at) != v.type.ndim:
        w.fail(node, f'item takes {v.type.ndim} indices')
    return w.element(v, at, node)


METHODS = {
    (Scalar, 'conjugate'): lambda w, node, v, args: mathematics.conjugate(w, node, v),
    (Scalar, 'bit_count'): lambda w, node, v, args: mathematics.bits('popc')(w, node, v),
    (Array, 'reshape'): reshaped, (Array, 'ravel'): ravel, (Array, 'flatten'): ravel, (Array, 'item'): item,
    (Array, 'transpose'): lambda w, node, v, args: w.transposed(v),
}
def printed(w, node, args):
    """print(...): numbers, texts that are known, and tuples of these, in one line."""
    form, given = [], []

    def add(text, values=()):
        form.append(text)
        given.extend(values)

    def one(v):
        if isinstance(v.obj, str):
            add(v.obj.replace('\\', '\\\\').replace('"', '\\"').replace('%', '%%').replace('\n', '\\n'))
        elif isinstance(v.obj, stubs.Special):
            one(v.obj.value(w))
        elif isinstance(v.type, Tuple):
            add('(')
            for k, i in enumerate(split(v)):
                add(', ' if k else '')
                one(i)
            add(',)' if len(v.type.items) == 1 else ')')
        elif not isinstance(v.type, Scalar) or v.type.kind == 'c':
            w.fail(node, f'{w.about(v)} cannot be printed in a kernel')
        elif v.type.kind == 'f':
            add('%f', [f'({"g_f64" if w.unit.wide else "g_f32"})({v.text})'])
        elif v.type.kind == 'b':
            add('%s', [v])
        else:
            add('%" NB_LONG "' + ('u' if v.type.kind == 'u' else 'd'), [f'(g_{v.type.kind}64)({v.text})'])
    for k, a in enumerate(args):
        add(' ' if k else '')
        one(w.temp(a))
    w.unit.prints = True
    emit(w, ''.join(form), given)
    return Value(T.none, [], steady=True)


def emit(w, form, given):
    """One printf for each combination of bools."""
    at = next((k for k, v in enumerate(given) if isinstance(v, Value)), None)
    if at is None:
        w.lines.append(f'printf("{form}\\n"{"".join(", " + g for g in given)});')
        return
    before, after = form.split('%s', 1)
    w.lines.append(f'if ({given[at].text}) {{')
    emit(w, before + 'True' + after, given[:at] + given[at + 1:])
    w.lines.append('} else {')
    emit(w, before + 'False' + after, given[:at] + given[at + 1:])
    w.lines.append('}')


FUNCTIONS = {print: printed, pow: power, isinstance: is_instance, min: extreme('<'), max: extreme('>'), len: length, operator.getitem: lambda w, node, args: w.element(
    args[0], split(args[1]) if isinstance(args[1].type, Tuple) else [args[1]], node)}
KNOWN = frozenset(FUNCTIONS) | frozenset(threads.FUNCTIONS) | frozenset(mathematics.FUNCTIONS) | {stubs.cbrt, stubs.exp2}
