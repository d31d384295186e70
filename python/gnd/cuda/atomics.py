# SPDX-License-Identifier: BSD-3-Clause
"""atomic.add and its like: loops of compare and swap, of 32 or 64 bits, in global and shared memory."""
from .types import Array, Scalar, Tuple
from .value import Value, split

ATOMIC = {'add': 'a + v', 'sub': 'a - v', 'min': 'v < a ? v : a', 'max': 'v > a ? v : a', 'and_': 'a & v', 'or_': 'a | v',
          'xor': 'a ^ v', 'exch': 'v', 'inc': 'a >= v ? 0 : a + 1', 'dec': 'a == 0 || a > v ? v : a - 1',
          'nanmin': 'v < a || a != a ? v : a', 'nanmax': 'v > a || a != a ? v : a'}


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
