# SPDX-License-Identifier: BSD-3-Clause
"""What a for loop of a kernel goes over: range, tuples, arrays, enumerate, zip."""
import ast

from . import types as T
from .types import Array, Scalar, Tuple
from .value import Value, joined, split


class Range:
    """range(start, stop, step), whose counter is the item itself."""

    def __init__(self, w, node, v):
        if not 1 <= len(v) <= 3:
            w.fail(node, 'range takes one to three ints')
        if any(not isinstance(i.type, Scalar) or i.type.kind not in 'biu' for i in v):
            w.fail(node, 'range takes ints')
        zero, one = w.constant(0, node), w.constant(1, node)
        start, stop, step = [zero, v[0], one] if len(v) == 1 else v + [one] if len(v) == 2 else v
        if step.const == 0:
            w.fail(node, 'the step of range is 0')
        self.start, self.stop, self.step = (w.temp(w.cast(i, T.int64, node)) for i in (start, stop, step))

    def head(self, k):
        start, stop, step = self.start.text, self.stop.text, self.step.text
        on = f'{k} < {stop}' if self.step.const and self.step.const > 0 else f'{k} > {stop}' if self.step.const else \
            f'({step} > 0 ? {k} < {stop} : {step} < 0 && {k} > {stop})'
        return f'for (g_i64 {k} = {start}; {on}; {k} += {step}) {{'

    def item(self, k):
        return Value(T.int64, [k], positive=self.start.positive and self.step.positive, steady=True)


class Items:
    """Anything that has a number of items and an item for each index."""

    def __init__(self, count, at):
        self.count, self.at = count, at

    def head(self, k):
        return f'for (g_i64 {k} = 0; {k} < {self.count}; {k}++) {{'

    def item(self, k):
        return self.at(k)


def index(k):
    return Value(T.int64, [k], positive=True, steady=True)


def iterable(w, node):
    """What a loop over node is."""
    if isinstance(node, ast.Call):
        f = w.visit(node.func).obj
        if f is range and not node.keywords:
            return Range(w, node, w.many(node.args))
        if f in (enumerate, zip, reversed):
            return items(w, node)
    return items(w, node)


def items(w, node):
    """Items of node: what zip and enumerate are made of too."""
    if isinstance(node, ast.Call):
        f = w.visit(node.func).obj
        if f is range:
            r = Range(w, node, w.many(node.args))
            n = w.temp(Value(T.int64, [f'nb_count({r.start.text}, {r.stop.text}, {r.step.text})'])).text
            return Items(n, lambda k: Value(T.int64, [f'({r.start.text} + {k} * {r.step.text})'],
                                            positive=r.start.positive and r.step.positive))
        if f is enumerate:
            words = {k.arg: k.value for k in node.keywords}
            if not node.args or len(node.args) + len(words) > 2 or set(words) - {'start'}:
                w.fail(node, 'enumerate takes something to count, and a start')
            of = items(w, node.args[0])
            at = node.args[1] if len(node.args) > 1 else words.get('start')
            first = w.temp(w.cast(w.visit(at), T.int64, node)) if at is not None else w.constant(0, node)
            return Items(of.count, lambda k: joined([
                index(k) if first.const == 0 else Value(T.int64, [f'({k} + {first.text})']), of.at(k)]))
        if f is reversed and len(node.args) == 1:
            of = items(w, node.args[0])
            return Items(of.count, lambda k: of.at(f'({of.count} - 1 - {k})'))
        if f is zip:
            of = [items(w, a) for a in node.args]
            if not of:
                return Items('0', lambda k: joined([]))
            n = of[0].count
            for o in of[1:]:
                n = w.temp(Value(T.int64, [f'({o.count} < {n} ? {o.count} : {n})'])).text
            return Items(n, lambda k: joined([o.at(k) for o in of]))
    v = w.temp(w.visit(node))
    if isinstance(v.type, Tuple):
        each = split(v)
        if not each:
            return Items('0', lambda k: w.constant(0, node))
        return Items(str(len(each)), lambda k: w.temp(w.chosen(each, k, node)))
    if isinstance(v.type, Array) and v.type.ndim:
        n = w.temp(Value(T.int64, [w.extents(v)[0]], positive=True)).text
        return Items(n, lambda k: w.element(v, [index(k)], node))
    w.fail(node, f'{w.about(v)}: a loop in a kernel is over range(...), a tuple, an array, enumerate or zip')
