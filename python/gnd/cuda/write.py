# SPDX-License-Identifier: BSD-3-Clause
"""A function of Python as text of a kernel: expressions. Each is visited with the types of its operands known, and gives
a Value: its type and C expressions (one for a number; a pointer and extents for an array; those of its items for a
tuple). What has to happen before an expression (a call that writes, a step of `and`) is put in front as statements.
Statements are in statements.py, functions that kernels may call in builtins.py."""
import ast
import math

import numpy as np

from . import stubs
from . import types as T
from .types import Array, Scalar, Tuple, TypingError

SPACES = {'global': 'GND_GLOBAL', 'shared': 'GND_LOCAL_PTR', 'local': '', 'const': 'NB_CONSTANT'}
BINARY = {ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/', ast.FloorDiv: '//', ast.Mod: '%', ast.Pow: '**',
          ast.BitAnd: '&', ast.BitOr: '|', ast.BitXor: '^', ast.LShift: '<<', ast.RShift: '>>'}
COMPARE = {ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=', ast.Eq: '==', ast.NotEq: '!='}


class Value:
    """What an expression is. const: its number, where that is known. obj: a thing of Python's (a module, a function)."""
    __slots__ = ('type', 'parts', 'const', 'obj', 'positive', 'steady')

    def __init__(self, type, parts, const=None, obj=None, positive=False, steady=False):
        self.type, self.parts, self.const, self.obj = type, parts, const, obj
        self.positive, self.steady = positive, steady or const is not None

    @property
    def text(self):
        return self.parts[0]


def c_types(t):
    """The C types of a value's parts."""
    if isinstance(t, Scalar):
        return [t.c]
    if isinstance(t, Array):
        return [f'{SPACES[t.space]} {t.scalar.c} *'] + ['g_i64'] * t.ndim
    return [c for i in t.items for c in c_types(i)] if isinstance(t, Tuple) else []


def split(v):
    """The items of a tuple."""
    items, at = [], 0
    for t in v.type.items:
        n = len(c_types(t))
        items.append(Value(t, v.parts[at:at + n], steady=v.steady))
        at += n
    return items


def joined(items):
    return Value(Tuple(i.type for i in items), [p for i in items for p in i.parts], steady=all(i.steady for i in items))


def literal(x, t):
    """A number as C text of type t."""
    if t.kind == 'c':
        half = T.float32 if t is T.complex64 else T.float64
        return f'gnd_cplx_{t.short}({literal(x.real, half)}, {literal(x.imag, half)})'
    if t.kind == 'f':
        x = float(x)
        if math.isnan(x) or math.isinf(x):
            s = f'GND_{"NAN" if math.isnan(x) else "INF"}_{t.short}'
            return f'(-{s})' if x < 0 else s
        x = float(np.float32(x)) if t is T.float32 else x
        s = repr(x) + ('f' if t is T.float32 else '')
        return f'({s})' if s[0] == '-' else s
    x = int(x)
    if t.kind == 'u':
        return f'(({t.c}){x}u)' if x < 2**32 else f'((({t.c}){x >> 32}u << 32) | {x & 0xffffffff}u)'
    if -2**31 < x < 2**31:
        return f'(({t.c}){x})' if x >= 0 else f'(({t.c})({x}))'
    x &= 2**64 - 1
    return f'(({t.c})(((g_u64){x >> 32}u << 32) | {x & 0xffffffff}u))'


class Expressions:
    """What both functions and kernels have; `lines` is where statements go."""

    def fail(self, node, text):
        line = self.lines_of[node.lineno - 1] if node.lineno <= len(self.lines_of) else ''
        at = len(line.encode()[:node.col_offset].decode(errors='replace'))
        raise TypingError(f'{text}\n  File "{self.file}", line {self.first + node.lineno}\n    {line.rstrip()}\n    '
                          f'{" " * at}^')

    def temp(self, v):
        """v in variables of its own, so that it is computed once, here."""
        if v.steady or v.obj is not None:
            return v
        names = []
        for c, p in zip(c_types(v.type), v.parts):
            self.count += 1
            names.append(f't{self.count}')
            self.lines.append(f'{c} {names[-1]} = {p};')
        return Value(v.type, names, positive=v.positive, steady=True)

    def captured(self, f):
        """f()'s value, and the statements that it needs before."""
        before, self.lines = self.lines, []
        v = f()
        lines, self.lines = self.lines, before
        return v, lines

    def many(self, nodes):
        """The values of several expressions, in Python's order where one of them needs statements."""
        done = []
        for n in nodes:
            v, lines = self.captured(lambda: self.visit(n))
            if lines:
                done = [self.temp(d) for d in done]
                self.lines += lines
            done.append(v)
        return done

    def visit(self, node):
        f = getattr(self, 'visit_' + type(node).__name__, None)
        if f is None:
            self.fail(node, f'{type(node).__name__} is not possible in a kernel')
        return f(node)

    # --- numbers ------------------------------------------------------------------------------------

    def constant(self, x, node):
        """A thing of Python's that is known here."""
        if isinstance(x, (bool, int, float, complex)) and type(x) in T.PYTHON or isinstance(x, np.generic):
            if type(x) is int and not -2**63 <= x < 2**64:
                self.fail(node, f'{x} is no int of 64 bits')
            t = T.of_value(x) if type(x) is not int or x < 2**63 else T.uint64
            n = x.item() if isinstance(x, np.generic) else x
            t = self.narrow(t)
            return Value(t, [literal(n, t)], const=n, positive=t.kind in 'biu' and n >= 0)
        if isinstance(x, tuple):
            return joined([self.constant(i, node) for i in x])
        if x is None:
            return Value(T.none, [], steady=True)
        return Value(None, [], obj=x)

    def narrow(self, t):
        """float64 where the device has it."""
        return self.unit.narrow(t)

    def cast(self, v, t, node):
        """v as type t."""
        if v.type is t or v.type == t:
            return v
        if isinstance(t, Tuple) and isinstance(v.type, Tuple) and len(t.items) == len(v.type.items):
            return joined([self.cast(i, w, node) for i, w in zip(split(v), t.items)])
        if not isinstance(t, Scalar) or not isinstance(v.type, Scalar):
            self.fail(node, f'{self.about(v)} cannot be {t}')
        a = v.type
        if v.const is not None and t.kind != 'b' and (a.kind != 'c' or t.kind == 'c') and (a.kind != 'f' or t.kind in 'fc'):
            return Value(t, [literal(v.const, t)], const=v.const, positive=v.positive)
        positive = v.positive and t.kind in 'biu' and (t.bits >= a.bits or a.kind == 'b')
        if t.kind == 'b':
            return self.truth(v, node)
        if a.kind == 'c':
            if t.kind != 'c':
                self.fail(node, f'{a} cannot be {t}: write .real')
            w = self.temp(v).text
            r = T.float32.c if t is T.complex64 else T.float64.c
            return Value(t, [f'gnd_cplx_{t.short}(({r})gnd_re_{a.short}({w}), ({r})gnd_im_{a.short}({w}))'])
        if t.kind == 'c':
            r = T.float32 if t is T.complex64 else T.float64
            return Value(t, [f'gnd_cplx_{t.short}(({r.c})({v.text}), ({r.c})0)'])
        if a.kind == 'f' and t.kind in 'iu':
            name = 'f2u64' if t is T.uint64 else 'f2i64'
            return Value(t, [f'(({t.c})gnd_{name}_{a.short}({v.text}))'])
        return Value(t, [f'(({t.c})({v.text}))'], positive=positive, steady=v.steady)

    def about(self, v):
        return str(v.type) if v.obj is None else repr(v.obj)

    def truth(self, v, node):
        if v.type is T.boolean:
            return v
        if isinstance(v.type, Scalar) and v.type.kind == 'c':
            w = self.temp(v).text
            s = v.type.short
            return Value(T.boolean, [f'(gnd_re_{s}({w}) != 0 || gnd_im_{s}({w}) != 0)'])
        if isinstance(v.type, Scalar):
            return Value(T.boolean, [f'({v.text} != 0)'], steady=v.steady)
        self.fail(node, f'{self.about(v)} is neither true nor false')

    def scalars(self, values, node):
        for v in values:
            if not isinstance(v.type, Scalar):
                self.fail(node, f'{self.about(v)} is no number')

    def binary(self, op, a, b, node):
        if isinstance(a.type, Tuple) and isinstance(b.type, Tuple) and op == '+':
            return joined(split(a) + split(b))
        self.scalars((a, b), node)
        t = T.arithmetic(op, a.type, b.type)
        if t is None:
            self.fail(node, f'{a.type} {op} {b.type} is not possible')
        if a.const is not None and b.const is not None and op in ('+', '-', '*', '//', '%', '**', '<<', '>>'):
            try:
                n = {'+': lambda x, y: x + y, '-': lambda x, y: x - y, '*': lambda x, y: x * y,
                     '//': lambda x, y: x // y, '%': lambda x, y: x % y, '**': lambda x, y: x ** y,
                     '<<': lambda x, y: x << y, '>>': lambda x, y: x >> y}[op](a.const, b.const)
                if type(n) is int and type(a.const) is type(b.const) is int and -2**63 <= n < 2**63 and t is T.int64:
                    return self.constant(n, node)
            except (ArithmeticError, ValueError):
                pass
        t = self.narrow(t)
        if op == '**' and b.const in (2, 3) and t.kind in 'fiu':
            x = self.temp(self.cast(a, t, node))
            y = self.binary('*', x, x, node)
            return y if b.const == 2 else self.binary('*', y, x, node)
        if op in ('//', '%', '/') and self.unit.debug and t.kind in 'iuf' and a.type.kind in 'biu':
            b = self.temp(b)
            self.check(f'{b.text} == 0', node, ZeroDivisionError, 'division by zero')
        x, y = self.cast(a, t, node), self.cast(b, t, node)
        s, positive = t.short, a.positive and b.positive and op != '-'
        if t.kind == 'c' and op in '*/' or op == '**' or op in ('//', '%') or op in ('<<', '>>'):
            name = {'*': 'mul', '/': 'div', '**': 'pow', '//': 'floordiv', '%': 'mod', '<<': 'shl', '>>': 'shr'}[op]
            return Value(t, [f'gnd_{name}_{s}({x.text}, {y.text})'], positive=positive and op != '<<')
        if t.kind == 'i' and op in '+-*':
            return Value(t, [f'(({t.c})((g_u64){x.text} {op} (g_u64){y.text}))'], positive=positive)
        return Value(t, [f'({x.text} {op} {y.text})'], positive=positive)

    def visit_BinOp(self, node):
        a, b = self.many([node.left, node.right])
        op = BINARY.get(type(node.op))
        if op is None:
            self.fail(node, f'{type(node.op).__name__} is not possible in a kernel')
        return self.binary(op, a, b, node)

    def visit_UnaryOp(self, node):
        v = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return Value(T.boolean, [f'(!{self.truth(v, node).text})'])
        self.scalars((v,), node)
        t = v.type if v.type.kind in 'fc' else T.arithmetic('+', v.type, v.type)
        if v.const is not None and not isinstance(v.const, bool) and isinstance(node.op, ast.USub) and t.kind != 'u':
            return Value(t, [literal(-v.const, t)], const=-v.const, positive=t.kind == 'i' and v.const <= 0)
        v = self.cast(v, t, node)
        if isinstance(node.op, ast.UAdd):
            return v
        if isinstance(node.op, ast.Invert):
            if t.kind not in 'iu':
                self.fail(node, f'~{t} is not possible')
            return Value(t, [f'(~{v.text})'])
        return Value(t, [f'(({t.c})(0 - (g_u64){v.text}))' if t.kind == 'i' else f'(-{v.text})'])

    def visit_Compare(self, node):
        values = self.many([node.left] + node.comparators)
        if len(values) > 2:
            values = [values[0]] + [self.temp(v) for v in values[1:-1]] + [values[-1]]
        parts = []
        for op, a, b in zip(node.ops, values, values[1:]):
            if isinstance(op, (ast.Is, ast.IsNot)) and T.none in (a.type, b.type):
                parts.append(str(int((a.type is b.type) == isinstance(op, ast.Is))))
                continue
            self.scalars((a, b), node)
            c = COMPARE.get(type(op))
            if c is None:
                self.fail(node, f'{type(op).__name__} is not possible in a kernel')
            t = self.narrow(T.compared(a.type, b.type))
            if t.kind == 'c':
                if c not in ('==', '!='):
                    self.fail(node, f'complex numbers have no order: {c}')
                x, y = (self.cast(v, t, node).text for v in (a, b))
                parts.append(f'({"" if c == "==" else "!"}gnd_eq_{t.short}({x}, {y}))')
                continue
            parts.append(f'({self.cast(a, t, node).text} {c} {self.cast(b, t, node).text})')
        return Value(T.boolean, ['(' + ' && '.join(parts) + ')' if len(parts) > 1 else parts[0]])

    def visit_BoolOp(self, node):
        """`and`, `or`: the second is looked at only where the first says so."""
        word, done = (' && ', '') if isinstance(node.op, ast.And) else (' || ', '!')
        got = [self.captured(lambda n=n: self.visit(n)) for n in node.values]
        if all(v.type is T.boolean for v, _ in got) and not any(lines for _, lines in got[1:]):
            self.lines += got[0][1]
            return Value(T.boolean, ['(' + word.join(v.text for v, _ in got) + ')'])
        t = got[0][0].type
        self.scalars([v for v, _ in got], node)
        for v, _ in got[1:]:
            t = T.unify(t, v.type)
        t = self.narrow(t)
        self.count += 1
        name = f't{self.count}'
        self.lines += [f'{t.c} {name};']
        for v, lines in got:
            self.lines += lines
            keep, self.lines = self.lines, []
            w = self.cast(v, t, node)
            self.lines = keep + self.lines + [f'{name} = {w.text};']
            if v is not got[-1][0]:
                self.lines.append(f'if ({done}{self.truth(Value(t, [name], steady=True), node).text}) {{')
        self.lines += ['}'] * (len(got) - 1)
        return Value(t, [name], positive=all(v.positive for v, _ in got), steady=True)

    def visit_IfExp(self, node):
        c = self.truth(self.visit(node.test), node.test)
        (a, la), (b, lb) = (self.captured(lambda n=n: self.visit(n)) for n in (node.body, node.orelse))
        self.scalars((a, b), node)
        t = self.narrow(T.unify(a.type, b.type))
        positive = a.positive and b.positive
        (a, ma), (b, mb) = (self.captured(lambda v=v: self.cast(v, t, node)) for v in (a, b))
        if not (la or lb or ma or mb):
            return Value(t, [f'({c.text} ? {a.text} : {b.text})'], positive=positive)
        self.count += 1
        name = f't{self.count}'
        self.lines += [f'{t.c} {name};', f'if ({c.text}) {{', *la, *ma, f'{name} = {a.text};', '} else {', *lb, *mb,
                       f'{name} = {b.text};', '}']
        return Value(t, [name], positive=positive, steady=True)

    def visit_Constant(self, node):
        if isinstance(node.value, str) or node.value is Ellipsis:
            return Value(None, [], obj=node.value)
        return self.constant(node.value, node)

    def visit_Tuple(self, node):
        return joined(self.many(node.elts))

    # --- names, parts, calls ------------------------------------------------------------------------

    def visit_Name(self, node):
        n = node.id
        if n in self.local:
            t = self.types.get(n)
            if t is None:
                self.fail(node, f'{n} has no value here')
            return Value(t, self.names(n, t), positive=n not in self.signed)
        return self.constant(self.outside(node), node)

    def visit_Attribute(self, node):
        v = self.visit(node.value)
        if isinstance(v.obj, stubs.Special) and node.attr in ('x', 'y', 'z'):
            return Value(T.int32, [f'((g_i32){v.obj.form.format("xyz".index(node.attr))})'], positive=True, steady=True)
        if v.obj is not None:
            try:
                return self.constant(getattr(v.obj, node.attr), node)
            except AttributeError as e:
                self.fail(node, str(e))
        t = v.type
        if isinstance(t, Array):
            if node.attr == 'shape':
                return joined([Value(T.int64, [p], positive=True) for p in v.parts[1:]])
            if node.attr == 'ndim':
                return self.constant(t.ndim, node)
            if node.attr == 'size':
                return Value(T.int64, ['(' + ' * '.join(v.parts[1:] or ['1']) + ')'], positive=True)
            if node.attr == 'dtype':
                return Value(None, [], obj=t.scalar)
        if isinstance(t, Scalar) and node.attr in ('real', 'imag'):
            if t.kind == 'c':
                r = T.float32 if t is T.complex64 else T.float64
                return Value(r, [f'gnd_{node.attr[:2]}_{t.short}({self.temp(v).text})'])
            return v if node.attr == 'real' else Value(t, [literal(0, t)], const=0)
        self.fail(node, f'{self.about(v)} has no {node.attr} in a kernel')

    def place(self, node):
        """What array[index] names: its Value, where its text may be assigned to."""
        v = self.visit(node.value)
        if not isinstance(v.type, Array):
            return self.item(v, node)
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        at = self.many(index)
        if len(at) == 1 and isinstance(at[0].type, Tuple):
            at = split(at[0])
        return self.element(v, at, node)

    def element(self, v, at, node):
        t, shape = v.type, v.parts[1:]
        if len(at) > t.ndim:
            self.fail(node, f'{len(at)} indices for {t}')
        place = ''
        for d, i in enumerate(at):
            if not isinstance(i.type, Scalar) or i.type.kind not in 'biu':
                self.fail(node, f'{self.about(i)} is no index: ints are')
            if i.const is not None and i.const < 0 or not (i.positive or i.type.kind == 'u'):
                k = f'nb_wrap({i.text}, {shape[d]})'
            else:
                k = i.text if i.type is T.int64 else f'(g_i64){i.text}'
            if self.unit.debug:
                k = self.checked(k, shape[d], d, node)
            place = f'({place}) * {shape[d]} + {k}' if place else k
        rest = shape[len(at):]
        if rest:
            place = f'({place})' + ''.join(f' * {n}' for n in rest)
            return Value(Array(t.scalar, t.ndim - len(at), t.space), [f'({v.text} + {place})'] + rest)
        return Value(t.scalar, [f'{v.text}[{place or 0}]'], positive=t.scalar.kind in 'bu')

    def item(self, v, node):
        if not isinstance(v.type, Tuple):
            self.fail(node, f'{self.about(v)} has no elements')
        i = self.visit(node.slice)
        items = split(v)
        if i.const is not None:
            if not -len(items) <= i.const < len(items):
                self.fail(node, f'index {i.const} of {len(items)} items')
            return items[i.const]
        t = items[0].type
        self.scalars(items + [i], node)
        if any(k.type is not t for k in items):
            self.fail(node, 'an index of a tuple of several types has to be a constant')
        i = self.temp(Value(T.int64, [f'nb_wrap({i.text}, {len(items)})']))
        text = items[-1].text
        for k in range(len(items) - 2, -1, -1):
            text = f'({i.text} == {k} ? {items[k].text} : {text})'
        return Value(t, [text])

    def visit_Subscript(self, node):
        return self.place(node)

    def visit_Call(self, node):
        from . import builtins
        if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
            self.fail(node, '* and ** in a call are not possible in a kernel')
        return builtins.call(self, node)
