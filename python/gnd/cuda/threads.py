# SPDX-License-Identifier: BSD-3-Clause
"""What threads of a kernel are and have in common: grid, barriers and votes, shared, local and constant arrays, warps."""
import math

import numpy as np

from . import stubs
from . import types as T
from .types import Array
from .value import Value, joined


def grid(form):
    def f(w, node, args):
        n = args[0].const if len(args) == 1 else None
        if n not in (1, 2, 3):
            w.fail(node, 'grid and gridsize take 1, 2 or 3')
        items = [Value(T.int64, [f'({" * ".join(f"(g_i64){s.part(w, a).text}" for s in form[:2])}{third(w, form, a)})'],
                       positive=True) for a in 'xyz'[:n]]
        return items[0] if n == 1 else joined(items)
    return f


def third(w, form, axis):
    return f' + {form[2].part(w, axis).text}' if len(form) > 2 else ''


def statement(text):
    def f(w, node, args):
        w.lines.append(text)
        return Value(T.none, [], steady=True)
    return f


def vote(test):
    """syncthreads_count and its like: a barrier, and how many threads said so."""
    def f(w, node, args):
        if len(args) != 1:
            w.fail(node, 'one predicate is wanted')
        p = w.truth(args[0], node)
        w.unit.need('votes')
        v = w.hide('g_u32', 'votes', 1)
        return w.temp(Value(T.int32, [f'((g_i32)(nb_votes({p.text}, {v}){test}))'], positive=True))
    return f


# --- arrays ------------------------------------------------------------------------------------------

def array_of(space):
    def f(w, node):
        words = {k.arg: k.value for k in node.keywords}
        named = dict(zip(('shape', 'dtype', 'alignment'), node.args), **words)
        if not {'shape', 'dtype'} <= set(named) <= {'shape', 'dtype', 'alignment'}:
            w.fail(node, f'{space}.array takes shape and dtype')
        items = shape_of(w, named['shape'])
        t = dtype_of(w, named['dtype'])
        align = alignment(w, named['alignment']) if 'alignment' in named else ''
        size = math.prod(items)
        if space == 'shared' and size == 0:
            if not w.kernel:
                w.fail(node, 'dynamic shared memory is asked for in the kernel: give the array to the function')
            w.unit.dynamic = True
            return Value(Array(t, 1, space=space), [f'((GND_LOCAL_PTR {t.mem} *)nb_dynamic)', f'(nb_bytes / {t.dtype.itemsize})'],
                         steady=True)
        if space == 'shared':
            w.count += 1
            name = w.hide(t.mem, f's{w.count}', size, align)
        else:
            w.count += 1
            name = f'l{w.count}'
            w.heads.append(f'{t.mem} {name}[{max(size, 1)}]{align};')
        return Value(Array(t, len(items), space=space), [name] + [str(i) for i in items], steady=True)
    return f


def dtype_of(w, node):
    v = w.visit(node)
    try:
        return w.narrow(T.of_dtype(v.obj))
    except (TypeError, ValueError):
        w.fail(node, f"Invalid NumPy dtype specified: {w.about(v)}: kernels have no arrays of it")


def alignment(w, node):
    n = w.visit(node).const
    if n is None:
        return ''
    if type(n) is not int or n <= 0 or n & n - 1:
        w.fail(node, f'alignment {n}: a power of 2 is wanted')
    return f' __attribute__((aligned({n})))'


def shape_of(w, node):
    """The extents, which have to be known."""
    v = w.visit(node)
    items = v.const if isinstance(v.const, tuple) else (v.const,)
    if v.obj is not None and isinstance(v.obj, tuple):
        items = v.obj
    if not all(isinstance(i, (int, np.integer)) and i >= 0 for i in items):
        w.fail(node, 'the shape has to be known when the kernel is compiled')
    return [int(i) for i in items]


def constant_array(w, node, args):
    if len(args) == 1 and isinstance(args[0].type, Array) and args[0].type.space == 'const':
        return args[0]
    a = args[0].const if len(args) == 1 and args[0].const is not None else args[0].obj if len(args) == 1 else None
    if not isinstance(a, (np.ndarray, tuple, list, np.generic)):
        w.fail(node, 'const.array_like takes an array of NumPy\'s')
    return w.unit.table(np.asarray(a), node, w)


# --- warps -------------------------------------------------------------------------------------------

WARP = {'shfl_sync': 'idx', 'shfl_up_sync': 'up', 'shfl_down_sync': 'down', 'shfl_xor_sync': 'xor'}


def need_warps(w, node, name):
    if w.unit.warp != 32:
        w.fail(node, f'{name} is not possible: this device has no warps of 32 threads (CUDA devices have)')
    w.unit.need('warps')


def shuffle(name):
    def f(w, node, args):
        need_warps(w, node, f'cuda.{name}')
        if len(args) != 3:
            w.fail(node, f'{name} takes a mask, a value and a lane')
        mask, v, lane = w.cast(args[0], T.uint32, node), args[1], w.cast(args[2], T.int32, node)
        w.scalars((v,), node)
        t = v.type
        if t.kind not in 'iufb' or t is T.float16:
            w.fail(node, f'{t}: numbers of 32 and 64 bits go from lane to lane')
        n = 64 if t.bits == 64 else 32
        u = T.SCALARS[f'uint{n}']
        bits = f'GND_BITS_{t.short}({v.text})' if t.kind == 'f' else f'({u.c})({v.text})'
        got = f'nb_shfl{n}_{WARP[name]}({mask.text}, {bits}, {lane.text})'
        return w.temp(Value(t, [f'GND_FROM_{t.short}({got})' if t.kind == 'f' else f'(({t.c}){got})']))
    return f


def ballot(name, form, t):
    def f(w, node, args):
        need_warps(w, node, f'cuda.{name}')
        if len(args) != 2:
            w.fail(node, f'{name} takes a mask and a predicate')
        m, p = w.temp(w.cast(args[0], T.uint32, node)), w.truth(args[1], node)
        b = w.temp(Value(T.uint32, [f'nb_ballot({m.text}, {p.text})']))
        return Value(t, [form.format(b=b.text, m=m.text)])
    return f


def match(every):
    def f(w, node, args):
        name = 'match_all_sync' if every else 'match_any_sync'
        need_warps(w, node, f'cuda.{name}')
        if len(args) != 2:
            w.fail(node, f'{name} takes a mask and a value')
        t = args[1].type
        w.scalars((args[1],), node)
        if t.kind not in 'iufb' or t is T.float16:
            w.fail(node, f'{t}: numbers of 32 and 64 bits are compared')
        bits = f'GND_BITS_{t.short}({args[1].text})' if t.kind == 'f' else f'(g_u64)({args[1].text})'
        m = w.temp(w.cast(args[0], T.uint32, node))
        r = w.temp(Value(T.uint32, [f'nb_match({m.text}, (g_u64)({bits}))']))
        if not every:
            return r
        return joined([Value(T.uint32, [f'({r.text} == {m.text} ? {r.text} : 0u)']), Value(T.boolean, [f'({r.text} == {m.text})'])])
    return f


def warp_value(name, text, t):
    def f(w, node, args):
        need_warps(w, node, f'cuda.{name}')
        return w.temp(Value(t, [text], positive=True))
    return f


def syncwarp(w, node, args):
    """Within a warp a barrier of its threads; without warps it cannot be said."""
    need_warps(w, node, 'cuda.syncwarp')
    m = w.cast(args[0], T.uint32, node).text if args else '0xffffffffu'
    w.lines.append(f'nb_syncwarp({m});')
    return Value(T.none, [], steady=True)


FUNCTIONS = {
    stubs.grid: grid((stubs.blockIdx, stubs.blockDim, stubs.threadIdx)), stubs.gridsize: grid((stubs.blockDim, stubs.gridDim)),
    stubs.syncthreads: statement('NB_BARRIER();'), stubs.threadfence: statement('NB_FENCE();'),
    stubs.threadfence_block: statement('NB_FENCE();'), stubs.threadfence_system: statement('NB_FENCE();'),
    stubs.syncthreads_count: vote(''), stubs.syncthreads_or: vote(' != 0u'), stubs.syncthreads_and: vote(
        ' == (g_u32)(GND_LSZ(0) * GND_LSZ(1) * GND_LSZ(2))'),
    stubs.const.array_like: constant_array, stubs.syncwarp: syncwarp, stubs.ballot_sync: ballot('ballot_sync', '{b}', T.uint32),
    stubs.any_sync: ballot('any_sync', '({b} != 0u)', T.boolean), stubs.all_sync: ballot('all_sync', '({b} == {m})', T.boolean),
    stubs.eq_sync: ballot('eq_sync', '({b} == {m} || {b} == 0u)', T.boolean),
    stubs.match_any_sync: match(False), stubs.match_all_sync: match(True),
    stubs.activemask: warp_value('activemask', 'nb_activemask()', T.uint32),
    stubs.lanemask_lt: warp_value('lanemask_lt', '((1u << nb_lane()) - 1u)', T.uint32),
    stubs.nanosleep: lambda w, node, args: Value(T.none, [], steady=True),
} | {getattr(stubs, n): shuffle(n) for n in WARP}
SPECIAL = {stubs.shared.array: array_of('shared'), stubs.local.array: array_of('local')}
