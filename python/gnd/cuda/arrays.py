# SPDX-License-Identifier: BSD-3-Clause
"""Elements, rows, slices and attributes of arrays, and items of tuples: what a[...] and a.name are in a kernel."""
import ast
import enum

from . import stubs
from . import types as T
from .types import Array, Scalar, Tuple
from .value import SPACES, Value, joined, literal, split

FULL = ast.Slice(None, None, None)


class Arrays:
    """A part of Expressions, in write.py."""

    def visit_Attribute(self, node):
        v = self.visit(node.value)
        if isinstance(v.obj, stubs.Special) and node.attr in ('x', 'y', 'z'):
            return v.obj.part(self, node.attr)
        if v.obj is not None:
            try:
                return self.constant(getattr(v.obj, node.attr), node)
            except AttributeError as e:
                self.fail(node, str(e))
        t = v.type
        if isinstance(t, Array) and node.attr in ATTRIBUTES:
            return ATTRIBUTES[node.attr](self, v, node)
        if isinstance(t, Tuple) and node.attr in (t.names or ()):
            return split(v)[t.names.index(node.attr)]
        if isinstance(t, Scalar) and node.attr in ('real', 'imag'):
            if t.kind == 'c':
                r = T.float32 if t is T.complex64 else T.float64
                return Value(r, [f'gnd_{node.attr[:2]}_{t.short}({self.temp(v).text})'])
            return v if node.attr == 'real' else Value(t, [literal(0, t)], const=0)
        self.fail(node, f'{self.about(v)} has no {node.attr} in a kernel')

    def extents(self, v):
        return v.parts[1:1 + v.type.ndim]

    def strides(self, v):
        """Elements from one index to the next, for each axis."""
        n = self.extents(v)
        if v.type.layout == 'A':
            return v.parts[1 + v.type.ndim:]
        return [' * '.join(n[d + 1:]) and '(' + ' * '.join(n[d + 1:]) + ')' or '((g_i64)1)' for d in range(len(n))]

    def size(self, v):
        return Value(T.int64, ['(' + ' * '.join(self.extents(v) or ['((g_i64)1)']) + ')'], positive=True)

    def transposed(self, v):
        t = v.type
        if t.ndim < 2:
            return v
        v = self.temp(v)
        return Value(Array(t.scalar, t.ndim, 'A', space=t.space),
                     v.parts[:1] + self.extents(v)[::-1] + self.strides(v)[::-1], steady=True)

    # --- elements and slices ------------------------------------------------------------------------

    def place(self, node):
        """What value[index] is; an element's `place` can be assigned to."""
        v = self.visit(node.value)
        if not isinstance(v.type, Array):
            return self.item(v, node)
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if any(self.is_slice(i) for i in index):
            return self.sliced(v, index, node)
        at = self.many(index)
        if len(at) == 1 and isinstance(at[0].type, Tuple):
            at = split(at[0])
        return self.element(v, at, node)

    def is_slice(self, i):
        return isinstance(i, ast.Slice) or isinstance(i, ast.Constant) and i.value in (Ellipsis, None)

    def position(self, i, extent, axis, node):
        """An index as text, counted from the front."""
        if not isinstance(i.type, Scalar) or i.type.kind not in 'biu':
            self.fail(node, f'{self.about(i)} is no index: ints are')
        if i.const is not None and i.const < 0 or not (i.positive or i.type.kind == 'u'):
            k = f'nb_wrap({i.text}, {extent})'
        else:
            k = i.text if i.type is T.int64 else f'(g_i64){i.text}'
        return self.checked(k, extent, axis, node) if self.unit.debug else k

    def element(self, v, at, node):
        t, shape = v.type, self.extents(v)
        if len(at) > t.ndim:
            self.fail(node, f'{len(at)} indices for {t}')
        at = [self.position(i, n, d, node) for d, (i, n) in enumerate(zip(at, shape))]
        strides = self.strides(v) if t.layout == 'A' else None
        if strides:
            place = ' + '.join(f'{k} * {s}' for k, s in zip(at, strides))
        else:
            place = ''
            for k, n in zip(at, shape):
                place = f'({place}) * {n} + {k}' if place else k
        rest = shape[len(at):]
        if rest:
            if not strides and place:
                place = f'({place})' + ''.join(f' * {n}' for n in rest)
            return Value(Array(t.scalar, len(rest), t.layout, space=t.space),
                         [f'({v.text} + ({place or 0}))'] + rest + (strides[len(at):] if strides else []))
        return self.loaded(t.scalar, f'{v.text}[{place or 0}]')

    def loaded(self, t, place):
        return Value(t, [f'gnd_unpack_f16({place})' if t is T.float16 else place], positive=t.kind in 'bu', place=place)

    def put(self, place, v, node):
        """Stores v as the element `place`."""
        t = place.type
        text = self.cast(v, t, node).text
        self.lines.append(f'{place.place} = {f"gnd_pack_f16({text})" if t is T.float16 else text};')

    def sliced(self, v, index, node):
        """value[index] with slices, ... and None in it: an array of any strides."""
        t = v.type
        known = sum(not (isinstance(i, ast.Constant) and i.value in (Ellipsis, None)) for i in index)
        if known > t.ndim or sum(isinstance(i, ast.Constant) and i.value is Ellipsis for i in index) > 1:
            self.fail(node, f'{known} indices for {t}')
        full, axes = t.ndim - known, []
        for i in index:
            axes += [FULL] * full if isinstance(i, ast.Constant) and i.value is Ellipsis else [i]
        if not any(isinstance(i, ast.Constant) and i.value is Ellipsis for i in index):
            axes += [FULL] * full
        v = self.temp(v)
        shape, strides, d = self.extents(v), [self.temp(Value(T.int64, [s])).text for s in self.strides(v)], 0
        offset, extents, steps, plain = [], [], [], t.layout == 'C'
        for i in axes:
            if isinstance(i, ast.Constant) and i.value is None:
                extents, steps = extents + ['((g_i64)1)'], steps + ['((g_i64)0)']
                continue
            if isinstance(i, ast.Slice):
                whole = i.lower is i.upper is i.step is None
                plain = plain and (whole or not extents and i.step is None)
                start, count, step = ('((g_i64)0)', shape[d], None) if whole else self.bounds(i, shape[d], node)
                extents, steps = extents + [count], steps + [f'({strides[d]} * {step})' if step else strides[d]]
            else:
                plain = plain and not extents
                start = self.position(self.visit(i), shape[d], d, node)
            offset.append(f'{start} * {strides[d]}')
            d += 1
        if not extents:
            return self.loaded(t.scalar, f'{v.text}[{" + ".join(offset) or 0}]')
        r = Value(Array(t.scalar, len(extents), 'C' if plain else 'A', space=t.space),
                  [f'({v.text} + ({" + ".join(offset) or 0}))'] + extents + ([] if plain else steps))
        return self.temp(r)

    def bounds(self, i, extent, node):
        """Start, count and step (None: 1) of a slice."""
        n = self.temp(Value(T.int64, [extent])).text

        def part(e):
            v = self.visit(e) if e is not None else None
            if v is None or v.type is T.none:
                return None
            if not isinstance(v.type, Scalar) or v.type.kind not in 'biu':
                self.fail(e, f'{self.about(v)} is no bound of a slice: ints are')
            return self.temp(self.cast(v, T.int64, e))
        low, high, step = (part(e) for e in (i.lower, i.upper, i.step))
        if step is not None and step.const == 0:
            self.fail(node, 'the step of a slice is 0')
        k = step.text if step is not None else '((g_i64)1)'
        up = step is None or step.const is not None and step.const > 0
        start = f'nb_bound({low.text}, {n}, {k})' if low else '((g_i64)0)' if up else f'({k} < 0 ? {n} - 1 : 0)'
        stop = f'nb_bound({high.text}, {n}, {k})' if high else n if up else f'({k} < 0 ? (g_i64)-1 : {n})'
        start, stop = (self.temp(Value(T.int64, [e])).text for e in (start, stop))
        return start, f'nb_count({start}, {stop}, {k})', None if step is None else k

    def fill(self, to, v, node):
        """a[...] = v for an array: v is a number, or an array that broadcasts."""
        t = to.type
        to, v = self.temp(to), self.temp(v)
        if isinstance(v.type, Array):
            if v.type.ndim > t.ndim:
                self.fail(node, f'{v.type} does not fit into {t}')
        else:
            self.scalars((v,), node)
        self.each(to, lambda at: self.broadcast(v, at) if isinstance(v.type, Array) else v, node)

    def each(self, to, value, node):
        """Loops over the elements of an array: value(indices) is stored in each."""
        at = []
        for n in self.extents(to):
            self.count += 1
            at.append(f't{self.count}')
            self.lines.append(f'for (g_i64 {at[-1]} = 0; {at[-1]} < {n}; {at[-1]}++) {{')
        v = value(at)
        place = ' + '.join(f'{k} * {s}' for k, s in zip(at, self.strides(to)))
        self.put(Value(to.type.scalar, [''], place=f'{to.text}[{place or 0}]'), v, node)
        self.lines += ['}'] * len(at)

    def broadcast(self, v, at):
        """The element of an array at the last of the indices; an axis of one element has it everywhere."""
        own = zip(at[len(at) - v.type.ndim:], self.extents(v), self.strides(v))
        return self.loaded(v.type.scalar, f'{v.text}[{" + ".join(f"({n} == 1 ? 0 : {k}) * {s}" for k, n, s in own) or 0}]')

    # --- tuples -------------------------------------------------------------------------------------

    def item(self, v, node):
        if isinstance(v.obj, type) and issubclass(v.obj, enum.Enum):
            name = self.visit(node.slice).obj
            if name in v.obj.__members__:
                return self.constant(v.obj[name], node)
        if type(v.obj).__name__ == 'ndarray':
            self.fail(node, 'an array of gnd\'s is an argument: give it to the kernel')
        if not isinstance(v.type, Tuple):
            self.fail(node, f'{self.about(v)} has no elements')
        items = split(v)
        if isinstance(node.slice, ast.Slice):
            ends = [None if e is None else self.visit(e).const for e in (node.slice.lower, node.slice.upper, node.slice.step)]
            if any(e is not None and c is None for e, c in zip((node.slice.lower, node.slice.upper, node.slice.step), ends)):
                self.fail(node, 'the slice of a tuple has to be constant')
            return joined(items[slice(*ends)])
        i = self.visit(node.slice)
        if i.const is not None:
            if not -len(items) <= i.const < len(items):
                self.fail(node, f'index {i.const} of {len(items)} items')
            return items[i.const]
        self.scalars([i], node)
        if not items:
            self.fail(node, 'the tuple is empty')
        i = self.temp(Value(T.int64, [f'nb_wrap({i.text}, {len(items)})']))
        if self.unit.debug:
            self.check(f'{i.text} < 0 || {i.text} >= {len(items)}', node, IndexError, 'tuple index out of range')
        return self.chosen(items, i.text, node)

    def chosen(self, items, index, node):
        """The item of an index that is known at run time: all have one type."""
        t = items[0].type
        for k in items[1:]:
            t = None if t is None else T.unify(t, k.type)
        if t is None or any(k.type is None for k in items) or isinstance(t, Scalar) and any(
                k.type.kind != t.kind for k in items):
            self.fail(node, 'an index of a tuple of several types has to be a constant')
        items = [self.temp(self.cast(k, t, node)) for k in items]
        parts = list(items[-1].parts)
        for k in range(len(items) - 2, -1, -1):
            parts = [f'({index} == {k} ? {a} : {b})' for a, b in zip(items[k].parts, parts)]
        return Value(t, parts, positive=all(k.positive for k in items))

    def visit_Subscript(self, node):
        return self.place(node)


def _number(f):
    return lambda w, v, node: w.constant(f(v.type), node)


ATTRIBUTES = {
    'shape': lambda w, v, node: joined([Value(T.int64, [p], positive=True, const=extent(p)) for p in w.extents(v)]),
    'strides': lambda w, v, node: joined([Value(T.int64, [f'({s} * {v.type.scalar.dtype.itemsize})']) for s in w.strides(v)]),
    'ndim': _number(lambda t: t.ndim), 'itemsize': _number(lambda t: t.scalar.dtype.itemsize),
    'size': lambda w, v, node: w.size(v), 'T': lambda w, v, node: w.transposed(v),
    'nbytes': lambda w, v, node: Value(T.int64, [f'({w.size(v).text} * {v.type.scalar.dtype.itemsize})'], positive=True),
    'dtype': lambda w, v, node: Value(None, [], obj=v.type.scalar),
}


def _part(k):
    """The real or imaginary parts of an array, as an array of floats."""
    def f(w, v, node):
        t = v.type
        if t.scalar.kind != 'c':
            if k:
                w.fail(node, f'{t} has no imag in a kernel')
            return v
        r, v = T.float32 if t.scalar is T.complex64 else T.float64, w.temp(v)
        return w.temp(Value(Array(r, t.ndim, 'A', space=t.space), [
            f'(({SPACES[t.space]} {r.c} *){v.text} + {k})', *w.extents(v), *(f'({s} * 2)' for s in w.strides(v))]))
    return f


ATTRIBUTES |= {'real': _part(0), 'imag': _part(1)}


def extent(text):
    """The number of an extent of a local or shared array."""
    return int(text) if text.isdigit() else None
