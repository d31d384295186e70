# SPDX-License-Identifier: BSD-3-Clause
"""The text of a kernel: what it stands on, its device functions, itself; and the errors that debug=True can find."""
import warnings

import numpy as np

from . import atomics, statements
from . import types as T
from .texts import BASE, ERROR, NEEDED
from .types import Array, TypingError
from .value import Value, c_types, literal

_told: list[int] = []


class Unit:
    """The text for f with arguments of these types. wide: the device has float64; warp: threads of a warp, or 0."""

    def __init__(self, f, args, wide, debug, warp=0):
        self.wide, self.debug, self.dynamic, self.warp, self.tables, self.prints = wide, debug, False, warp, {}, False
        self.functions, self.order, self.extra, self.errors, self.busy, self.count = {}, [], {}, [], [], 0
        self.kernel = statements.Function(f, args, self, 'kernel_' + ''.join(
            c if c.isascii() and c.isalnum() else '_' for c in f.__name__), True)

    def narrow(self, t):
        if self.wide or t not in (T.float64, T.complex128):
            return t
        if not _told:
            _told.append(1)
            warnings.warn('the device has no float64: kernels in Python compute in float32', stacklevel=2)
        return T.float32 if t is T.float64 else T.complex64

    def function(self, f, args, objects, numbers, w):
        """A device function for arguments of these types and, where they are things of Python's, for these. If that is
        not possible, for the numbers that are known, too: for shapes of shared arrays, and for what they leave out."""
        key = (f, tuple(args), tuple(id(v.obj) if v else None for v in objects))
        if key in self.functions:
            return self.functions[key]
        known = (*key, tuple(v.const if v else None for v in numbers))
        g = self.functions.get(known)
        if g is not None:
            return g
        try:
            return self.made(key, f, args, objects)
        except TypingError:
            if not any(numbers):
                raise
            try:
                return self.made(known, f, args, [o or n for o, n in zip(objects, numbers)])
            except TypingError:
                pass
            raise

    def made(self, key, f, args, given):
        if key in self.busy:
            raise TypingError(f'{f.__name__} calls itself: recursion is not possible in a kernel')
        self.busy.append(key)
        self.count += 1
        name = f'f{self.count}_' + ''.join(c for c in f.__name__ if c.isascii() and c.isalnum())
        try:
            g = statements.Function(f, args, self, name, False, given)
        finally:
            self.busy.pop()
        self.functions[key] = g
        self.order.append(g)
        return g

    def need(self, name):
        """Functions of texts.py."""
        self.extra.setdefault(name, NEEDED[name])

    def atomic(self, name, t, space):
        f = f'nb_{name.rstrip("_")}_{t.short}_{space}'
        if t.bits == 64:
            self.extra.setdefault('pragma', '#ifndef __CUDACC__\n#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n'
                                            '#endif\n')
        self.extra.setdefault(f, atomics.atomic_text(name, t, space, f))
        return f

    def table(self, a, node, w):
        """An array of NumPy's as a constant one."""
        try:
            t = T.of_dtype(a.dtype)
        except TypeError as e:
            w.fail(node, str(e))
        if not self.wide and t in (T.float64, T.complex128):
            t = self.narrow(t)
            a = a.astype(t.dtype)
        a = np.ascontiguousarray(a).reshape(a.shape)
        key = a.dtype.str, a.tobytes()
        if key not in self.tables:
            name = self.tables[key] = f'c{len(self.tables)}'
            part = T.float32 if t is T.complex64 else T.float64 if t is T.complex128 else T.uint16 if t is T.float16 else t
            text = ', '.join(literal(x, part) for x in a.reshape(-1).view(part.dtype).tolist()) or '0'
            self.extra[name] = f'NB_TABLE {part.mem} {name}[] __attribute__((aligned(16))) = {{{text}}};\n'
        name = self.tables[key]
        pointer = f'((NB_CONSTANT {t.mem} *){name})' if t.kind == 'c' else name
        return Value(Array(t, a.ndim, space='const'), [pointer] + [f'((g_i64){n})' for n in a.shape], steady=True)

    def code(self, error, text, name, file, line):
        e = (error, text, name, file, line)
        if e not in self.errors:
            self.errors.append(e)
        return self.errors.index(e) + 1

    def parameters(self, g):
        return [f'{c} {n}' for p in g.parameters for c, n in zip(c_types(g.types[p]), g.names(p, g.types[p]))]

    def body(self, g):
        hidden = [f'GND_LOCAL {c} {n}[{size}]{align};' for n, (c, size, align) in g.hidden.items()] if g.kernel else []
        lines = hidden + list(g.specials.values()) + g.heads + list(g.declarations()) + g.lines
        depth, out = 1, []
        for s in lines:
            depth -= s.startswith('}')
            out.append('    ' * depth + s)
            depth += s.endswith('{')
        return '\n'.join(out)

    def text(self):
        """All of it, in the portable dialect."""
        parts = [BASE, *self.extra.values()]
        if self.debug:
            parts.append(ERROR)
        error = ['GND_GLOBAL g_i64 *nb_err', 'g_i64 nb_err0'] if self.debug or self.prints else []
        for g in self.order:
            t = g.result or T.none
            c = c_types(t)
            if len(c) > 1:
                parts.append(f'typedef struct {{ {" ".join(f"{k} m{i};" for i, k in enumerate(c))} }} {g.name}_r;\n')
            result = f'{g.name}_r' if len(c) > 1 else c[0] if c else 'void'
            end = ''
            if c:
                end = '\n    ' + g.leave()
            parts.append(f'GND_FN {result} {g.name}({", ".join(self.parameters(g) + hidden(g) + error[:1 if self.debug else 0])})\n{{\n{self.body(g)}{end}\n}}\n')
        k = self.kernel
        own = self.parameters(k) + error + (
            ['g_i64 nb_bytes', 'GND_LOCAL_PTR g_u64 *nb_dynamic'] if self.dynamic else [])
        parts.append(f'GND_KERNEL void {k.name}({", ".join(own)})\n{{\n{self.body(k)}\n}}\n')
        return ''.join(parts)

    def mask(self):
        """Bits of the arrays that are changed, in the order of the arguments."""
        mask = at = 0
        for t, changes in zip(self.kernel.args, self.kernel.changed()):
            for _ in range(arrays_in(t)):
                mask |= changes << at
                at += 1
        return mask | (1 << at if self.debug or self.prints else 0)

    def raise_error(self, e):
        """The exception of the error array."""
        error, text, name, file, line = self.errors[int(e[0]) - 1]
        x = error(text.format(int(e[1]), int(e[2])) + f"\n  In function '{name}', file {file}, line {line}, "
                  f'tid=[{", ".join(str(int(i)) for i in e[3:6])}] ctaid=[{", ".join(str(int(i)) for i in e[6:9])}]')
        raise x


def hidden(g):
    """Parameters for memory of the group."""
    return [f'GND_LOCAL_PTR {c} *{n}' for n, (c, _, _) in g.hidden.items()]


def arrays_in(t):
    return 1 if isinstance(t, Array) else sum(map(arrays_in, getattr(t, 'items', ())))

