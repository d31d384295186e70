# SPDX-License-Identifier: BSD-3-Clause
"""Names that mean something in a kernel alone: threadIdx, grid, shared.array, syncthreads, atomic."""


def _only(name):
    def f(*args, **keywords):
        raise TypeError(f'cuda.{name} is for kernels: a function with @cuda.jit that is launched')
    f.__name__ = f.__qualname__ = name
    return f


class Special:
    """threadIdx and its like: .x, .y, .z are known in kernels only."""

    def __init__(self, name, form):
        self.name, self.form = name, form

    def __repr__(self):
        return f'cuda.{self.name}'


class Atomic:
    """atomic.add(array, index, value): the element's old value."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *args):
        raise TypeError(f'cuda.atomic.{self.name} is for kernels')


class shared:
    array = staticmethod(_only('shared.array'))


class local:
    array = staticmethod(_only('local.array'))


class const:
    array_like = staticmethod(_only('const.array_like'))


class atomic:
    add, sub, min, max, and_, or_, xor, inc, dec, exch, cas, compare_and_swap = map(Atomic, (
        'add', 'sub', 'min', 'max', 'and_', 'or_', 'xor', 'inc', 'dec', 'exch', 'cas', 'compare_and_swap'))


grid, gridsize, syncthreads = _only('grid'), _only('gridsize'), _only('syncthreads')
threadfence, threadfence_block, threadfence_system = map(_only, ('threadfence', 'threadfence_block', 'threadfence_system'))
fma, selp, cbrt = _only('fma'), _only('selp'), _only('cbrt')
threadIdx, blockIdx = Special('threadIdx', 'GND_LID({})'), Special('blockIdx', 'GND_GRP({})')
blockDim, gridDim = Special('blockDim', 'GND_LSZ({})'), Special('gridDim', 'GND_NGRP({})')
