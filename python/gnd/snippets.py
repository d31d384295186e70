# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made from pieces of C, under CuPy's names: ElementwiseKernel and ReductionKernel. Unlike CuPy's kernels, they
fuse with the operations before and after them. The language of the pieces is the portable dialect
(doc/USERKERNELS.md)."""
import re

import numpy as np

from . import _core
from ._core import ndarray
from ._raw_outputs import RawOutputs
from ._stream import computed


def _names(params):
    return [p.split()[-1] for p in params.split(',') if p.strip()]


def _arguments(name, args, keywords, nin, nout, names):
    """(inputs, outputs) from positional arguments, nin or nin + nout of them; keywords name inputs."""
    args = list(args)
    for p in names[len(args):nin]:
        if p in keywords:
            args.append(keywords.pop(p))
    if keywords:
        raise TypeError(f'{name}() has no argument {next(iter(keywords))!r}')
    if len(args) not in (nin, nin + nout):
        raise TypeError(f'{name}() takes {nin} inputs, or these and {nout} outputs: {len(args)} arguments given')
    args = [a.item() if isinstance(a, np.generic) and a.dtype.kind in 'biufc' else a for a in args]
    return tuple(args[:nin]), tuple(args[nin:])


def _keeps(operation, name):
    """Whether the operation may read or keep the old elements of a given output: its first use is not an unconditional
    assignment."""
    first = re.search(rf'\b{name}\b', operation)
    return first is not None and not (re.match(rf'{name}\s*=(?!=)', operation[first.start():]) and re.search(
        r'(^|;)\s*$', operation[:first.start()]) and not re.search(r'\b(if|for|while|switch|return)\b', operation[:first.start()]))


class _Snippet:
    """The common base of both kinds. _in and _out hold the names of the parameters."""

    @property
    def nin(self):
        """The number of inputs."""
        return len(self._in)

    @property
    def nout(self):
        """The number of outputs."""
        return len(self._out)

    @property
    def nargs(self):
        """The number of inputs and outputs."""
        return len(self._in) + len(self._out)

    def __repr__(self):
        return f'<{type(self).__name__} {self.name}>'


class ElementwiseKernel(_Snippet):
    """A kernel that computes each element of its outputs: ElementwiseKernel('T x, T y', 'T z', 'z = x + y', 'add').

    in_params, out_params: "TYPE NAME", separated by commas. A capital letter as TYPE stands for the dtype of its
    arguments. Parameters may be `raw`. operation: statements that assign the outputs; i is the index of the element in
    C order, n the number of elements. Any element of a raw output may be written, as o[k]; such a kernel does not fuse.
    preamble: functions and macros. return_tuple: calls return a tuple for a single output too. no_return: calls return
    None, so the outputs are given as arguments. A call with stream= computes at once in that stream. reduce_dims
    and options have no effect. Errors: ValueError, TypeError and SyntaxError for wrong parameters; at a call
    RuntimeError, with line and column, for code that does not compile."""

    def __init__(self, in_params, out_params, operation, name='kernel', reduce_dims=True, preamble='',
                 no_return=False, return_tuple=False, loop_prep='', after_loop='', options=()):
        if loop_prep or after_loop:
            raise NotImplementedError('ElementwiseKernel: loop_prep and after_loop are not there: an element is '
                                      'computed by itself')
        self.in_params, self.out_params, self.operation, self.name = in_params, out_params, operation, name
        self.preamble, self.return_tuple, self.no_return = preamble, return_tuple, no_return
        self._in, self._out = _names(in_params), _names(out_params)
        self._raw = [p.split()[0] == 'raw' for p in (in_params + ',' + out_params).split(',') if p.strip()]
        self._whole = None
        self._keeps = any(_keeps(operation, name) or not re.search(rf'\b{name}\b', operation) for name in self._out)
        self._kernel = RawOutputs(in_params, out_params, operation, name, preamble) if any(self._raw[len(self._in):]) else \
            _core._elementwise(len(self._out), in_params, out_params, operation if operation.strip() else ';', name, preamble or None)

    def __call__(self, *args, size=None, block_size=-1, stream=None, **keywords):
        """Returns the outputs: an array, or a tuple of several. args: the inputs (arrays, numbers), optionally followed
        by the arrays that receive the outputs. size: the number of elements, if every array is raw."""
        ins, outs = _arguments(self.name, args, keywords, self.nin, self.nout, self._in)
        if size is not None and (int(size) != size or size < 1):
            raise ValueError(f'{self.name}: size={size!r}: an int of at least 1 is wanted')
        if block_size == 0 or block_size < -1:
            raise ValueError(f'{self.name}: block_size={block_size}: an int of at least 1 is wanted, or -1')
        sized = [isinstance(a, ndarray) and not raw for a, raw in zip(ins + outs, self._raw)]
        if size is not None and any(sized):
            raise ValueError("Specified 'size' can be used only where all arrays are raw")
        if size is None and not any(sized):
            raise ValueError('Loop size is undecided. It is size=, or that of an array that is not raw')
        flat = outs if any(sized[:self.nin]) else tuple(y.reshape(-1) for y in outs)
        if size is None and flat is not outs:  # only the outputs tell the size: results have one axis
            size = flat[0].size
        kernel = self._kernel
        if outs and self._keeps and not isinstance(kernel, RawOutputs):  # old elements of the outputs are needed
            self._whole = kernel = self._whole or RawOutputs(self.in_params, self.out_params, self.operation, self.name,
                                                             self.preamble)
        got = kernel.call(ins, flat, int(size or 0), None)
        got = computed(outs or got, stream)
        if self.no_return:
            return None
        return got[0] if len(got) == 1 and not self.return_tuple else got


class ReductionKernel(_Snippet):
    """A kernel that reduces: ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'norm').

    map_expr: the value of an element. reduce_expr: combines two values a and b. post_map_expr: assigns the outputs from
    the reduced value a. identity: the neutral value of reduce_expr. reduce_type: the type of a and b; None: that of the
    first output. The other parameters are those of ElementwiseKernel."""

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name='reduce_kernel',
                 reduce_type=None, reduce_dims=True, preamble='', options=()):
        self.in_params, self.out_params, self.map_expr, self.reduce_expr = in_params, out_params, map_expr, reduce_expr
        self.post_map_expr, self.identity, self.name = post_map_expr, str(identity), name
        self.reduce_type, self.preamble = reduce_type, preamble
        self._in, self._out = _names(in_params), _names(out_params)
        self._kernel = _core._reduction(len(self._out), in_params, out_params, map_expr, reduce_expr, post_map_expr,
                                        self.identity, name, reduce_type, preamble or None)

    def __call__(self, *args, out=None, axis=None, keepdims=False, stream=None, **keywords):
        """The outputs, reduced over axis: an int, a tuple of ints, or None for all axes."""
        ins, outs = _arguments(self.name, args, keywords, self.nin, self.nout, self._in)
        if out is not None:
            if outs:
                raise TypeError(f'{self.name}: outputs are given twice: as arguments, and as out')
            outs = (out,) if isinstance(out, ndarray) else tuple(out)
        axes = None if axis is None else tuple(axis) if isinstance(axis, (tuple, list)) else (int(axis),)
        got = computed(self._kernel.reduce(ins, outs, axes, bool(keepdims), None), stream)
        return got[0] if len(got) == 1 else got
