# SPDX-License-Identifier: BSD-3-Clause
"""Statements of a kernel, and a function as a whole for types of its arguments. A variable has one type, which all its
assignments are unified to: a function is visited again until none changes."""
import ast
import builtins as python
import collections
import inspect
import textwrap

from . import types as T
from .types import Array, Scalar, Tuple, TypingError
from .iterate import iterable
from .value import Value, c_types, split
from .write import BINARY, Expressions


class Function(Expressions):
    """One function for one tuple of types; `unit` is the text that it belongs to. given: of its parameters, things of
    Python's and numbers that are known."""

    def __init__(self, f, args, unit, name, kernel, given=()):
        self.f, self.args, self.unit, self.name, self.kernel = f, args, unit, name, kernel
        try:
            lines, start = inspect.getsourcelines(f)
        except (OSError, TypeError):
            raise TypingError(f'{f.__name__}: its source is not there: kernels have to be in a file') from None
        self.file, self.first = inspect.getsourcefile(f), start - 1
        self.lines_of = textwrap.dedent(''.join(lines)).splitlines()
        self.node = definition(self.lines_of, f)
        a = self.node.args
        if a.vararg or a.kwarg or a.kwonlyargs or a.posonlyargs:
            self.fail(self.node, 'a kernel has plain parameters')
        names = [p.arg for p in a.args]
        if len(args) != len(names):
            raise TypeError(f'{f.__name__} takes {len(names)} arguments, {len(args)} given')
        self.names_given = names
        self.objects = {n: v.obj for n, v in zip(names, given) if v is not None and v.obj is not None}
        self.known = {n: v for n, v in zip(names, given) if v is not None and v.obj is None}
        self.parameters = [n for n in names if n not in self.objects and n not in self.known]
        closure = inspect.getclosurevars(f) if f.__closure__ else None
        self.free = closure.nonlocals if closure else {}
        body = self.node.body if isinstance(self.node, ast.FunctionDef) else [ast.Return(
            self.node.body, lineno=self.node.body.lineno, col_offset=self.node.body.col_offset)]
        self.body = body
        self.stored = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        counts = collections.Counter(n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        self.once, self.constants = {n: k == 1 for n, k in counts.items()}, {}
        self.local = set(names) | self.stored
        for n in self.stored & set(self.known):
            self.fail(self.node, f'{n} has to be known when the kernel is compiled, and it is assigned to')
        self.types = {n: t for n, t in zip(names, args) if n in self.parameters}
        self.signed, self.result, self.hidden = set(self.parameters), None, {}
        self.written = set()
        self.settle()

    def hide(self, c, name, size, align=''):
        """The name of memory of the group that the kernel has and gives to this function."""
        self.hidden[name] = (c, size, align)
        return name

    def settle(self):
        """Visits the body until no type changes."""
        for _ in range(100):
            before = dict(self.types), set(self.signed), self.result, set(self.written)
            self.lines, self.heads, self.count, self.hidden, self.specials = [], [], 0, {}, {}
            self.aliases, self.constants, self.version, self.loops = {}, {}, {}, []
            for s in self.body:
                self.statement(s)
            if before == (self.types, self.signed, self.result, self.written):
                return
        self.fail(self.node, 'the types of its variables have no end')

    def outside(self, node):
        for where in (self.free, self.f.__globals__, vars(python)):
            if node.id in where:
                return where[node.id]
        self.fail(node, f"name '{node.id}' is not defined")

    def names(self, n, t):
        """The C variables of variable n."""
        if n in self.aliases:
            return self.aliases[n]
        n = n.replace('.', '_v')
        stem = n + '_' if n.isascii() else 'u' + n.encode().hex() + '_'
        c = c_types(t)
        return [stem] if len(c) == 1 else [f'{stem}{i}' for i in range(len(c))]

    def declarations(self):
        """Of variables that are no parameters."""
        for n, t in sorted(self.types.items()):
            if n not in self.parameters and n not in self.aliases:
                for c, p in zip(c_types(t), self.names(n, t)):
                    yield f'{c} {p};' if c.endswith('*') else f'{c} {p} = 0;' if not c.startswith(('g_c64', 'g_c128')) or c.endswith('*') else f'{c} {p};'

    # --- statements ---------------------------------------------------------------------------------

    def statement(self, node):
        f = getattr(self, 'do_' + type(node).__name__, None)
        if f is None:
            self.fail(node, f'{type(node).__name__} is not possible in a kernel')
        self.lines.append(f'/* {self.first + node.lineno} */') if self.unit.debug else None
        f(node)

    def block(self, nodes):
        for s in nodes:
            self.statement(s)

    def assign(self, target, v, node):
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(v.type, Array) and v.type.ndim == 1:
                self.fail(node, 'an array cannot be unpacked: its extent is not known')
            if not isinstance(v.type, Tuple) or len(v.type.items) != len(target.elts):
                self.fail(node, f'{self.about(v)} has not {len(target.elts)} items')
            for t, i in zip(target.elts, split(self.temp(v))):
                self.assign(t, i, node)
            return
        if isinstance(target, ast.Subscript):
            return self.store(target, v, node)
        if not isinstance(target, ast.Name):
            self.fail(target, f'an assignment to {type(target).__name__} is not possible in a kernel')
        n = target.id
        if self.once.get(n) and v.const is not None and isinstance(v.type, (Scalar, Tuple)) and n not in self.parameters:
            self.constants[n] = v
        if v.obj is not None or v.type is None:
            if n in self.types or self.objects.get(n, v.obj) is not v.obj:
                self.fail(node, f'{self.about(v)} cannot be the value of a variable with other values')
            self.objects[n] = v.obj
            return
        if v.type is T.none:
            self.fail(node, f'{n} would be None')
        n = self.version.get(n, n)
        old = self.types.get(n)
        t = v.type if old is None else T.unify(old, v.type)
        if t is None and node in self.body:  # from here on another variable, which no loop and no branch brings back
            v = self.temp(v)
            n = self.version[target.id] = f'{target.id}.{len(self.version)}_{node.lineno}'
            t = v.type
        if t is None:
            self.fail(node, f'{n} is {old} and {v.type}: a variable has one type')
        self.types[n] = self.narrow(t) if isinstance(t, Scalar) else t
        if not v.positive:
            self.signed.add(n)
        v = self.cast(v, self.types[n], node)
        names = self.names(n, self.types[n])
        if len(names) > 1 and not all(p.isdigit() for p in v.parts[1:]):
            v = self.temp(v)
        self.lines += [f'{a} = {b};' for a, b in zip(names, v.parts)]

    def store(self, target, v, node):
        if v.obj is not None or v.type in (None, T.none):
            self.fail(node, f'{self.about(v)} cannot be an element of an array')
        v = self.temp(v) if not v.steady else v
        place = self.place(target)
        self.write_to(target.value)
        if isinstance(place.type, Array):
            return self.fill(place, v, node)
        if place.place is None:
            self.fail(node, 'only elements of arrays can be assigned to')
        self.put(place, v, node)

    def write_to(self, node):
        """Notes that an array's elements are changed; those of parameters count."""
        while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name):
            self.written.add(node.id)

    def origin(self, n):
        """The parameters that variable n may show: itself, and those that are assigned to it."""
        found, todo = set(), [n]
        while todo:
            k = todo.pop()
            if k in found:
                continue
            found.add(k)
            for s in self.body:
                for a in ast.walk(s):
                    to, value = bound_by(a)
                    if any(isinstance(x, ast.Name) and x.id == k for t in to for x in ast.walk(t)):
                        todo += [x.id for x in ast.walk(value) if isinstance(x, ast.Name)]
        return found

    def changed(self):
        """The parameters whose elements may be changed."""
        all_ = set().union(*(self.origin(n) for n in self.written)) if self.written else set()
        return [p in all_ for p in self.parameters]

    def do_Assign(self, node):
        v = self.visit(node.value)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and isinstance(v.type, Array) and v.obj is None \
                and v.type.space != 'global' and isinstance(node.value, ast.Call):
            self.types[node.targets[0].id] = v.type
            self.aliases[node.targets[0].id] = v.parts
            return
        if len(node.targets) > 1:
            v = self.temp(v)
        for t in node.targets:
            self.assign(t, v, node)

    def do_AnnAssign(self, node):
        if node.value is not None:
            self.assign(node.target, self.visit(node.value), node)

    def do_AugAssign(self, node):
        op = BINARY.get(type(node.op))
        if op is None:
            self.fail(node, f'{type(node.op).__name__} is not possible in a kernel')
        if isinstance(node.target, ast.Name):
            load = ast.Name(node.target.id, ast.Load())
            a, b = self.many([ast.copy_location(load, node.target), node.value])
            return self.assign(node.target, self.binary(op, a, b, node), node)
        place = self.place(node.target)
        if isinstance(place.type, Array):
            to, v = self.temp(place), self.temp(self.visit(node.value))
            self.write_to(node.target.value)
            return self.each(to, lambda at: self.binary(op, self.broadcast(to, at), self.broadcast(v, at) if isinstance(
                v.type, Array) else v, node), node)
        if place.place is None:
            self.fail(node, 'only elements of arrays can be assigned to')
        old = self.temp(place)
        v = self.visit(node.value)
        self.write_to(node.target.value)
        self.put(place, self.binary(op, old, v, node), node)

    def do_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return
        v = self.visit(node.value)
        self.lines += [f'(void)({v.text});'] if isinstance(v.type, Scalar) and '(' in v.text and not v.steady else []

    def do_Pass(self, node):
        pass

    def do_Break(self, node):
        if self.loops and self.loops[-1]:
            self.lines.append(f'{self.loops[-1]} = 1;')
        self.lines.append('break;')

    def do_Continue(self, node):
        self.lines.append('continue;')

    def do_If(self, node):
        test = self.visit(node.test)
        if test.const is not None or test.obj is not None:  # what is known here leaves nothing of the other side
            return self.block(node.body if (test.const if test.obj is None else test.obj) else node.orelse)
        self.lines.append(f'if ({self.truth(test, node.test).text}) {{')
        self.block(node.body)
        if node.orelse:
            self.lines.append('} else {')
            self.block(node.orelse)
        self.lines.append('}')

    def looped(self, node, flag):
        """The body of a loop whose head stands there, and its else, which a break leaves out."""
        self.loops.append(flag)
        self.block(node.body)
        self.loops.pop()
        self.lines.append('}')
        if flag:
            self.lines.append(f'if (!{flag}) {{')
            self.block(node.orelse)
            self.lines.append('}')

    def broken(self, node):
        """The variable that tells whether a break left the loop; None: nobody asks."""
        if not node.orelse:
            return None
        self.count += 1
        self.lines.append(f'g_b t{self.count} = 0;')
        return f't{self.count}'

    def do_While(self, node):
        flag = self.broken(node)
        test, lines = self.captured(lambda: self.truth(self.visit(node.test), node.test))
        if lines:
            self.lines += ['while (1) {', *lines, f'if (!{test.text}) break;']
        else:
            self.lines.append(f'while ({test.text}) {{')
        self.looped(node, flag)

    def do_For(self, node):
        flag = self.broken(node)
        over = iterable(self, node.iter)
        self.count += 1
        k = f't{self.count}'
        self.lines.append(over.head(k))
        self.assign(node.target, over.item(k), node)
        self.looped(node, flag)

    def do_Return(self, node):
        v = self.visit(node.value) if node.value is not None else Value(T.none, [], steady=True)
        if v.obj is not None:
            self.fail(node, f'{self.about(v)} cannot be returned')
        if self.kernel:
            if v.type is not T.none:
                self.fail(node, 'a kernel returns nothing: device=True makes a function that does')
            self.lines.append('return;')
            return
        t = v.type if self.result is None else T.unify(self.result, v.type)
        if t is None:
            self.fail(node, f'it returns {self.result} and {v.type}')
        self.result = self.narrow(t) if isinstance(t, Scalar) else t
        v = self.cast(v, self.result, node) if t is not T.none else v
        if len(v.parts) > 1:
            self.lines.append(f'{{ {self.name}_r r = {{{", ".join(v.parts)}}}; return r; }}')
        else:
            self.lines.append(f'return {v.parts[0] if v.parts else ""};')

    # --- errors that debug=True finds -----------------------------------------------------------------

    def leave(self):
        """A return out of an error."""
        t = self.result
        if self.kernel or t in (None, T.none):
            return 'return;'
        if len(c_types(t)) > 1:
            return f'{{ {self.name}_r r; return r; }}'
        return 'return gnd_cplx_%s(0, 0);' % t.short if isinstance(t, Scalar) and t.kind == 'c' else 'return 0;'

    def check(self, bad, node, error, text, detail='0, 0'):
        code = self.unit.code(error, text, self.f.__name__, self.file, self.first + node.lineno)
        self.lines.append(f'if ({bad}) {{ nb_error(nb_err, {code}, {detail}); {self.leave()} }}')

    def checked(self, k, extent, axis, node):
        i = self.temp(Value(T.int64, [k]))
        self.check(f'{i.text} < 0 || {i.text} >= {extent}', node, IndexError,
                   f'index {{0}} is out of bounds for axis {axis} with size {{1}}', f'{i.text}, {extent}')
        return i.text

    def do_Assert(self, node):
        test = self.truth(self.visit(node.test), node.test)
        if self.unit.debug:
            text = self.message([node.msg] if node.msg else [])
            self.check(f'!{test.text}', node, AssertionError, str(text).replace('{', '{{').replace('}', '}}'))

    def message(self, nodes):
        """The text of an exception: what is known of its arguments."""
        values = [self.visit(n) for n in nodes]
        return ', '.join(str(v.const if v.obj is None else v.obj) for v in values if v.const is not None or v.obj is not None)

    def do_Raise(self, node):
        e = node.exc
        call = e.func if isinstance(e, ast.Call) else e
        error = self.visit(call).obj if call is not None else None
        if not (isinstance(error, type) and issubclass(error, Exception)):
            self.fail(node, 'raise of an exception\'s class is possible')
        text = self.message(e.args) if isinstance(e, ast.Call) else ''
        if self.unit.debug:
            self.check('1', node, error, text.replace('{', '{{').replace('}', '}}'))
        else:
            self.lines.append(self.leave())


def bound_by(node):
    """What a statement or := gives a value, and the value: of a loop what it goes over."""
    if isinstance(node, ast.Assign):
        return node.targets, node.value
    if isinstance(node, (ast.NamedExpr, ast.AnnAssign)) and node.value is not None:
        return [node.target], node.value
    if isinstance(node, ast.For):
        return [node.target], node.iter
    return [], None


def definition(lines, f):
    """The node of f in its source: a def, or a lambda in a statement."""
    text = '\n'.join(lines)
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a lambda in the middle of a call, or a decorator's arguments
        tree = ast.parse('(' + text.strip().rstrip(',)') + ')') if text.strip().startswith('lambda') else None
    for n in ast.walk(tree) if tree else ():
        if isinstance(n, ast.FunctionDef) and n.name == f.__code__.co_name:
            return n
    for n in ast.walk(tree) if tree else ():
        if isinstance(n, ast.Lambda) and f.__code__.co_name == '<lambda>' and \
                [a.arg for a in n.args.args] == list(f.__code__.co_varnames[:f.__code__.co_argcount]):
            return n
    raise TypingError(f'{f.__name__}: its source cannot be read')


__all__ = ["Function"]
