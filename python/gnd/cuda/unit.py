# SPDX-License-Identifier: BSD-3-Clause
"""The text of a kernel: what it stands on, its device functions, itself; and the errors that debug=True can find."""
import warnings

from . import builtins, statements
from . import types as T
from .types import Array, TypingError
from .write import c_types, literal

BASE = '''#ifdef __CUDACC__
#define NB_CONSTANT const
#define NB_TABLE static __device__ const
#define NB_BARRIER() __syncthreads()
#define NB_FENCE() __threadfence()
#define NB_CAS32(p, a, b) atomicCAS((g_u32 *)(p), a, b)
#define NB_CAS64(p, a, b) atomicCAS((g_u64 *)(p), a, b)
#else
#define NB_CONSTANT __constant const
#define NB_TABLE __constant const
#define NB_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define NB_FENCE() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define NB_CAS32(p, a, b) atomic_cmpxchg(p, a, b)
#define NB_CAS64(p, a, b) atom_cmpxchg(p, a, b)
#endif
GND_FN g_i64 nb_wrap(g_i64 i, g_i64 n) { return i < 0 ? i + n : i; }
'''
ERROR = '''GND_FN void nb_error(GND_GLOBAL g_i64 *e, g_i64 code, g_i64 i, g_i64 n)
{
    if (NB_CAS32((volatile GND_GLOBAL g_u32 *)e, 0u, (g_u32)code) == 0u) {
        e[1] = i;
        e[2] = n;
        e[3] = (g_i64)GND_LID(0); e[4] = (g_i64)GND_LID(1); e[5] = (g_i64)GND_LID(2);
        e[6] = (g_i64)GND_GRP(0); e[7] = (g_i64)GND_GRP(1); e[8] = (g_i64)GND_GRP(2);
    }
}
'''
_told = []


class Unit:
    """The text for f with arguments of these types. wide: the device has float64."""

    def __init__(self, f, args, wide, debug):
        self.wide, self.debug, self.dynamic = wide, debug, False
        self.functions, self.order, self.extra, self.errors, self.busy = {}, [], {}, [], []
        self.kernel = statements.Function(f, args, self, 'kernel_' + ''.join(
            c if c.isascii() and c.isalnum() else '_' for c in f.__name__), True)

    def narrow(self, t):
        if self.wide or t not in (T.float64, T.complex128):
            return t
        if not _told:
            _told.append(1)
            warnings.warn('the device has no float64: kernels in Python compute in float32', stacklevel=2)
        return T.float32 if t is T.float64 else T.complex64

    def function(self, f, args):
        key = (f, tuple(args))
        g = self.functions.get(key)
        if g is None:
            if key in self.busy:
                raise TypingError(f'{f.__name__} calls itself: recursion is not possible in a kernel')
            self.busy.append(key)
            name = f'f{len(self.functions) + len(self.busy)}_' + ''.join(c for c in f.__name__ if c.isascii() and c.isalnum())
            g = statements.Function(f, args, self, name, False)
            self.busy.pop()
            self.functions[key] = g
            self.order.append(g)
        return g

    def atomic(self, name, t, space):
        f = f'nb_{name.rstrip("_")}_{t.short}_{space}'
        if t.bits == 64:
            self.extra.setdefault('pragma', '#ifndef __CUDACC__\n#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n'
                                            '#endif\n')
        self.extra.setdefault(f, builtins.atomic_text(name, t, space, f))
        return f

    def constant_array(self, a, t):
        for name, (b, _) in getattr(self, 'tables', {}).items():
            if b is a or b.dtype == a.dtype and b.shape == a.shape and b.tobytes() == a.tobytes():
                return name
        self.tables = getattr(self, 'tables', {})
        name = f'c{len(self.tables)}'
        self.tables[name] = (a, 0)
        text = ', '.join(literal(x, t) for x in a.reshape(-1).tolist()) or '0'
        self.extra[name] = f'NB_TABLE {t.c} {name}[] = {{{text}}};\n'
        return name

    def code(self, error, text, file, line):
        e = (error, text, file, line)
        if e not in self.errors:
            self.errors.append(e)
        return self.errors.index(e) + 1

    def parameters(self, g):
        return [f'{c} {n}' for p in g.parameters for c, n in zip(c_types(g.types[p]), g.names(p, g.types[p]))]

    def body(self, g):
        lines = g.heads + list(g.declarations()) + g.lines
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
        error = ['GND_GLOBAL g_i64 *nb_err', 'g_i64 nb_err0'] if self.debug else []
        for g in self.order:
            t = g.result or T.none
            c = c_types(t)
            if len(c) > 1:
                parts.append(f'typedef struct {{ {" ".join(f"{k} m{i};" for i, k in enumerate(c))} }} {g.name}_r;\n')
            result = f'{g.name}_r' if len(c) > 1 else c[0] if c else 'void'
            end = ''
            if c:
                end = '\n    ' + g.leave()
            parts.append(f'GND_FN {result} {g.name}({", ".join(self.parameters(g) + error[:1])})\n{{\n{self.body(g)}{end}\n}}\n')
        k = self.kernel
        own = self.parameters(k) + error + (['GND_LOCAL_PTR g_u64 *nb_dynamic'] if self.dynamic else [])
        parts.append(f'GND_KERNEL void {k.name}({", ".join(own)})\n{{\n{self.body(k)}\n}}\n')
        return ''.join(parts)

    def mask(self):
        """Bits of the arrays that are changed, in the order of the arguments."""
        mask = at = 0
        for t, changes in zip(self.kernel.args, self.kernel.changed()):
            for _ in range(arrays_in(t)):
                mask |= changes << at
                at += 1
        return mask | (1 << at if self.debug else 0)

    def raise_error(self, e):
        """The exception of the error array."""
        error, text, file, line = self.errors[int(e[0]) - 1]
        x = error(text.format(int(e[1]), int(e[2])) + f'\n  File "{file}", line {line}, in thread '
                  f'({", ".join(str(int(i)) for i in e[3:6])}) of block ({", ".join(str(int(i)) for i in e[6:9])})')
        raise x


def arrays_in(t):
    return 1 if isinstance(t, Array) else sum(map(arrays_in, getattr(t, 'items', ())))

