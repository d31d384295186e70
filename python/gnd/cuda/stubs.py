# SPDX-License-Identifier: BSD-3-Clause
"""Names that mean something in a kernel alone: threadIdx, grid, shared.array, syncthreads, atomic."""
from . import types as _T
from .value import Value as _Value, joined as _joined


def _only(name):
    def f(*args, **keywords):
        raise TypeError(f'cuda.{name} is for kernels: a function with @cuda.jit that is launched')
    f.__name__ = f.__qualname__ = name
    return f


class Special:
    """threadIdx and its like: .x, .y, .z are known in kernels only."""

    def __init__(self, name, form):
        self.name, self.form = name, form

    def part(self, w, axis):
        """One of the three, read once at the beginning of the function: PoCL 3.1 compiles loops with barriers wrongly
        whose conditions call get_local_size."""
        name = f'nb_{self.name}_{axis}'
        w.specials[name] = f'const g_i32 {name} = (g_i32){self.form.format("xyz".index(axis))};'
        return _Value(_T.int32, [name], positive=True, steady=True)

    def value(self, w):
        """All three, as a tuple."""
        return _joined([self.part(w, axis) for axis in 'xyz'])

    def __repr__(self):
        return f'cuda.{self.name}'


class Lane:
    """laneid and warpsize: numbers of devices with warps."""

    def __init__(self, name, text):
        self.name, self.text = name, text

    def __repr__(self):
        return f'cuda.{self.name}'


class Atomic:
    """atomic.add(array, index, value): the element's old value."""

    def __init__(self, name):
        self.name = self.__name__ = name

    def __call__(self, *args):
        raise TypeError(f'cuda.atomic.{self.name} is for kernels')


class shared:
    array = staticmethod(_only('shared.array'))


class local:
    array = staticmethod(_only('local.array'))


class const:
    array_like = staticmethod(_only('const.array_like'))


class atomic:
    add, sub, min, max, nanmin, nanmax, and_, or_, xor, inc, dec, exch, cas, compare_and_swap = map(Atomic, (
        'add', 'sub', 'min', 'max', 'nanmin', 'nanmax', 'and_', 'or_', 'xor', 'inc', 'dec', 'exch', 'cas', 'compare_and_swap'))


class fp16:
    """float16 by functions; the operators do the same."""
    (hadd, hsub, hmul, hdiv, hfma, hneg, habs, hmax, hmin, heq, hne, hge, hgt, hle, hlt, hsin, hcos, hlog, hlog2, hlog10, hexp,
     hexp2, hexp10, hsqrt, hrsqrt, hrcp, hceil, hfloor, htrunc, hrint) = (staticmethod(_only('fp16.' + n)) for n in (
         'hadd hsub hmul hdiv hfma hneg habs hmax hmin heq hne hge hgt hle hlt hsin hcos hlog hlog2 hlog10 hexp hexp2 hexp10 '
         'hsqrt hrsqrt hrcp hceil hfloor htrunc hrint').split())


grid, gridsize = _only('grid'), _only('gridsize')
syncthreads, syncthreads_count, syncthreads_and, syncthreads_or, syncwarp = map(_only, (
    'syncthreads', 'syncthreads_count', 'syncthreads_and', 'syncthreads_or', 'syncwarp'))
threadfence, threadfence_block, threadfence_system = map(_only, ('threadfence', 'threadfence_block', 'threadfence_system'))
fma, selp, cbrt, popc, clz, ffs, brev, exp2 = map(_only, ('fma', 'selp', 'cbrt', 'popc', 'clz', 'ffs', 'brev', 'exp2'))
shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync = map(_only, (
    'shfl_sync', 'shfl_up_sync', 'shfl_down_sync', 'shfl_xor_sync'))
ballot_sync, any_sync, all_sync, eq_sync, match_any_sync, match_all_sync, activemask, lanemask_lt, nanosleep = map(_only, (
    'ballot_sync', 'any_sync', 'all_sync', 'eq_sync', 'match_any_sync', 'match_all_sync', 'activemask', 'lanemask_lt',
    'nanosleep'))
threadIdx, blockIdx = Special('threadIdx', 'GND_LID({})'), Special('blockIdx', 'GND_GRP({})')
blockDim, gridDim = Special('blockDim', 'GND_LSZ({})'), Special('gridDim', 'GND_NGRP({})')
laneid, warpsize = Lane('laneid', '((g_i32)nb_lane())'), Lane('warpsize', '((g_i32)32)')
