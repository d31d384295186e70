# SPDX-License-Identifier: BSD-3-Clause
"""A function of Python as text of a kernel: expressions. Each is visited with the types of its operands known, and gives
a Value: its type and C expressions (one for a number; a pointer and extents for an array; those of its items for a
tuple). What has to happen before an expression (a call that writes, a step of `and`) is put in front as statements.
Statements are in statements.py, functions that kernels may call in builtins.py."""
import ast
import operator

import numpy as np

from . import stubs, threads
from . import types as T
from .arrays import Arrays
from .types import Array, Scalar, Tuple, TypingError
from .value import Value, c_types, joined, literal, rounded, split, suffix

BINARY = {ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/', ast.FloorDiv: '//', ast.Mod: '%', ast.Pow: '**',
          ast.BitAnd: '&', ast.BitOr: '|', ast.BitXor: '^', ast.LShift: '<<', ast.RShift: '>>'}
KNOWN = {'<': operator.lt, '<=': operator.le, '>': operator.gt, '>=': operator.ge, '==': operator.eq, '!=': operator.ne}
IS = {ast.Is: '==', ast.IsNot: '!='}  # of numbers
COMPARE = {ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=', ast.Eq: '==', ast.NotEq: '!='}


class Expressions(Arrays):
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
        if isinstance(x, int) and not isinstance(x, type):  # of an IntEnum
            return self.constant(int(x), node)
        if isinstance(x, tuple) and all(isinstance(i, (bool, int, float, complex, np.generic, tuple)) for i in x):
            return joined([self.constant(i, node) for i in x], getattr(type(x), '_fields', None))
        if isinstance(x, np.ndarray):
            return self.unit.table(x, node, self)
        if x is None:
            return Value(T.none, [], steady=True)
        if isinstance(x, stubs.Lane):
            threads.need_warps(self, node, repr(x))
            return Value(T.int32, [x.text], positive=True, const=32 if x is stubs.warpsize else None)
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
        if isinstance(t, Array) and t.layout == 'A' and v.type == Array(t.scalar, t.ndim, 'C', space=t.space):
            return Value(t, v.parts + self.strides(v), steady=v.steady)
        if not isinstance(t, Scalar) or not isinstance(v.type, Scalar):
            self.fail(node, f'{self.about(v)} cannot be {t}')
        a = v.type
        if t.kind == 'f' and a.kind == 'f' and T.float16 in (a, t):
            if t is T.float16:
                return Value(t, [f'gnd_round_f16{"" if a is T.float32 else "_f64"}({v.text})'])
            return Value(t, [f'(({t.c})({v.text}))'])
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
            return Value(t, [f'(({t.c})gnd_{name}_{suffix(a)}({v.text}))'])
        if t is T.float16:  # of an int; odd rounding first, so that it is rounded once
            u = T.uint64 if a.kind == 'u' else T.int64
            return Value(t, [f'gnd_round_f16(gnd_odd_{u.short}(({u.c})({v.text})))'])
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
        if op in ('//', '%', '/') and self.unit.debug and t.kind in 'iuf':
            b = self.temp(b)
            self.check(f'{b.text} == 0', node, ZeroDivisionError, 'division by zero')
        x, y = self.cast(a, t, node), self.cast(b, t, node)
        s, positive = suffix(t), a.positive and b.positive and op != '-'
        if t.kind == 'c' and op in '*/' or op == '**' or op in ('//', '%') or op in ('<<', '>>'):
            name = {'*': 'mul', '/': 'div', '**': 'pow', '//': 'floordiv', '%': 'mod', '<<': 'shl', '>>': 'shr'}[op]
            return Value(t, [rounded(t, f'gnd_{name}_{s}({x.text}, {y.text})')], positive=positive and op != '<<')
        if t.kind == 'i' and op in '+-*':
            return Value(t, [f'(({t.c})((g_u64){x.text} {op} (g_u64){y.text}))'], positive=positive)
        return Value(t, [rounded(t, f'({x.text} {op} {y.text})')], positive=positive)

    def visit_BinOp(self, node):
        a, b = self.many([node.left, node.right])
        op = BINARY.get(type(node.op))
        if op is None:
            self.fail(node, f'{type(node.op).__name__} is not possible in a kernel')
        return self.binary(op, a, b, node)

    def visit_UnaryOp(self, node):
        v = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            if v.const is not None:
                return self.constant(not v.const, node)
            return Value(T.boolean, [f'(!{self.truth(v, node).text})'])
        self.scalars((v,), node)
        if isinstance(node.op, ast.USub):
            return self.negative(v, node)
        t = v.type if v.type.kind in 'fc' else T.arithmetic('+', v.type, v.type)
        v = self.cast(v, t, node)
        if isinstance(node.op, ast.Invert):
            if t.kind not in 'iu':
                self.fail(node, f'~{t} is not possible')
            return Value(t, [f'(~{v.text})'])
        return v

    def visit_Compare(self, node):
        values = self.many([node.left] + node.comparators)
        if len(values) > 2:
            values = [values[0]] + [self.temp(v) for v in values[1:-1]] + [values[-1]]
        parts = []
        for op, a, b in zip(node.ops, values, values[1:]):
            if isinstance(op, (ast.Is, ast.IsNot)) and T.none in (a.type, b.type):
                same = (a.type is b.type) == isinstance(op, ast.Is)
                if len(node.ops) == 1:
                    return self.constant(same, node)
                parts.append(str(int(same)))
                continue
            if a.obj is not None and b.obj is not None and isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
                same = (a.obj == b.obj) == isinstance(op, (ast.Eq, ast.Is))
                if len(node.ops) == 1:
                    return self.constant(bool(same), node)
                parts.append(str(int(same)))
                continue
            if isinstance(a.type, Tuple) and isinstance(b.type, Tuple) and isinstance(op, (ast.Eq, ast.NotEq)):
                parts.append(self.equal_tuples(a, b, isinstance(op, ast.Eq), node))
                continue
            if isinstance(op, (ast.In, ast.NotIn)) and isinstance(b.type, Tuple):
                parts.append(self.contains(a, b, isinstance(op, ast.In), node))
                continue
            self.scalars((a, b), node)
            c = COMPARE.get(type(op)) or IS.get(type(op))
            if c is None:
                self.fail(node, f'{type(op).__name__} is not possible in a kernel')
            if a.const is not None and b.const is not None and len(node.ops) == 1:
                return self.constant(bool(KNOWN[c](a.const, b.const)), node)
            parts.append(self.compare(c, a, b, node))
        return Value(T.boolean, ['(' + ' && '.join(parts) + ')' if len(parts) > 1 else parts[0]])

    def compare(self, c, a, b, node):
        """a c b as text."""
        self.scalars((a, b), node)
        kinds = a.type.kind + b.type.kind
        if kinds in ('iu', 'ui') and 64 in (a.type.bits if a.type.kind == 'u' else 0, b.type.bits if b.type.kind == 'u' else 0):
            a, b = self.temp(a), self.temp(b)  # a signed one below 0 is less than any unsigned one
            s = a if a.type.kind == 'i' else b
            both = f'(g_u64){a.text} {c} (g_u64){b.text}'
            if s.positive or s.const is not None and s.const >= 0:
                return f'({both})'
            return f'({s.text} < 0 ? {int(KNOWN[c](*((-1, 0) if s is a else (0, -1))))} : {both})'
        t = self.narrow(T.compared(a.type, b.type))
        if t.kind == 'c':
            if c not in ('==', '!='):
                self.fail(node, f'complex numbers have no order: {c}')
            x, y = (self.cast(v, t, node).text for v in (a, b))
            return f'({"" if c == "==" else "!"}gnd_eq_{t.short}({x}, {y}))'
        return f'({self.cast(a, t, node).text} {c} {self.cast(b, t, node).text})'

    def negative(self, v, node):
        """-v"""
        self.scalars((v,), node)
        t = v.type if v.type.kind in 'fc' else T.arithmetic('+', v.type, v.type)
        v = self.cast(v, t, node)
        if v.const is not None and not isinstance(v.const, bool) and t.kind != 'u':
            return Value(t, [literal(-v.const, t)], const=-v.const, positive=t.kind == 'i' and v.const <= 0)
        return Value(t, [f'(({t.c})(0 - (g_u64){v.text}))' if t.kind == 'i' else f'(-{v.text})'])

    def equal_tuples(self, a, b, equal, node):
        if len(a.type.items) != len(b.type.items):
            return '0' if equal else '1'
        self.scalars(split(a) + split(b), node)
        pairs = [self.equal(x, y, node) for x, y in zip(split(a), split(b))]
        text = ' && '.join(pairs) or '1'
        return f'({text})' if equal else f'(!({text}))'

    def contains(self, a, b, inside, node):
        a = self.temp(a)
        self.scalars([a] + split(b), node)
        text = ' || '.join(self.equal(a, x, node) for x in split(b)) or '0'
        return f'({text})' if inside else f'(!({text}))'

    def equal(self, a, b, node):
        t = self.narrow(T.compared(a.type, b.type))
        x, y = (self.cast(v, t, node).text for v in (a, b))
        return f'gnd_eq_{t.short}({x}, {y})' if t.kind == 'c' else f'({x} == {y})'

    def visit_NamedExpr(self, node):
        """name := value"""
        self.assign(node.target, self.visit(node.value), node)
        return self.visit(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))

    def visit_BoolOp(self, node):
        """`and`, `or`: the second is looked at only where the first says so."""
        first = self.visit_known(node.values[0])
        if first is not None:  # what is known here leaves nothing of the other side
            rest = ast.copy_location(ast.BoolOp(node.op, node.values[1:]), node) if len(node.values) > 2 else node.values[-1]
            return first if bool(first.const) == isinstance(node.op, ast.Or) else self.visit(rest)
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

    def visit_known(self, node):
        """The value of node where it is known and needs no statement, or None."""
        v, lines = self.captured(lambda: self.visit(node))
        return v if v.const is not None and not lines else None

    def visit_IfExp(self, node):
        test = self.visit(node.test)
        if test.const is not None:
            return self.visit(node.body if test.const else node.orelse)
        c = self.truth(test, node.test)
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
            if n in self.objects:
                return Value(None, [], obj=self.objects[n])
            if n in self.known:
                return self.known[n]
            n = self.version.get(n, n)
            t = self.types.get(n)
            if t is None:
                self.fail(node, f'{n} has no value here')
            if n in self.constants:
                return self.constants[n]
            return Value(t, self.names(n, t), positive=n not in self.signed, steady=n in self.parameters and n not in self.stored)
        return self.constant(self.outside(node), node)

    def visit_Call(self, node):
        from . import builtins
        if any(k.arg is None for k in node.keywords):
            self.fail(node, '** in a call is not possible in a kernel')
        return builtins.call(self, node)
