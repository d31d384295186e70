# SPDX-License-Identifier: BSD-3-Clause
"""ElementwiseKernel with raw outputs, of which any element may be written, or with given outputs that keep the elements
that are not assigned. Each combination of dtypes gets a kernel of its own in the portable dialect. It does not fuse."""
import re

import numpy as np

from . import _core
from ._core import Device, ndarray

_PORTABLE = 2
TYPES = {'bool': 'g_b', **{f'{u}int{n}': f'g_{u[:1] or "i"}{n}' for u in ('', 'u') for n in (8, 16, 32, 64)},
         'float32': 'g_f32', 'float64': 'g_f64'}
LIMIT = 128  # work-items per group


class Parameter:
    def __init__(self, text, output):
        words = text.split()
        self.raw, self.output = words[0] == 'raw', output
        if len(words) != 2 + self.raw or not words[-1].isidentifier():
            raise SyntaxError(f'elementwise_kernel: parameter {text.strip()!r}: "TYPE NAME" or "raw TYPE NAME" is wanted')
        self.type, self.name = words[-2:]
        self.letter = re.fullmatch('[A-Z]', self.type) is not None
        if not self.letter:
            np.dtype(self.type)


class RawOutputs:
    """A kernel with the method call(inputs, outputs, size, device) of _core.Snippet."""

    def __init__(self, in_params, out_params, operation, name, preamble):
        self.params = [Parameter(p, k) for k, text in enumerate((in_params, out_params)) for p in text.split(',') if p.strip()]
        self.operation, self.name, self.preamble, self.kernels = operation, name, preamble or '', {}
        self.nin = sum(not p.output for p in self.params)

    def dtypes(self, args):
        """The dtype of each parameter: the declared one, or for a letter the dtype of the arrays with that letter."""
        letters = {}
        for p, a in zip(self.params, args):
            if p.letter and isinstance(a, ndarray) and letters.setdefault(p.type, a.dtype) != a.dtype:
                raise TypeError(f'{self.name}: {p.name} is {a.dtype}, and {p.type} is {letters[p.type]}')
        found = []
        for p, a in zip(self.params, args):
            d = letters.get(p.type) if p.letter else np.dtype(p.type)
            if d is None:
                raise TypeError(f'{self.name}: nothing tells the dtype {p.type} of {p.name}')
            if isinstance(a, ndarray) and a.dtype != d:
                raise TypeError(f'{self.name}: {p.name} is {a.dtype}, {d} is wanted')
            if d.name not in TYPES:
                raise TypeError(f'{self.name}: {p.name}: {d} is not possible where an output is raw or keeps its elements')
            found.append(d)
        return found

    def call(self, ins, outs, size, device):
        import gnd
        arrays = [a for a, p in zip(ins + outs, self.params) if isinstance(a, ndarray)]
        device = arrays[0].device if arrays else Device()
        dtypes = self.dtypes(ins + (outs or (None,) * (len(self.params) - self.nin)))
        plain = [a for a, p in zip(ins + outs, self.params) if isinstance(a, ndarray) and not p.raw]
        shape = gnd.broadcast_shapes(*(a.shape for a in plain)) if plain else (size,)
        n = int(np.prod(shape, dtype=np.int64))
        outs = outs or tuple(_core._from_numpy(np.zeros(shape, d), device) for d in dtypes[self.nin:])
        given = []
        for p, a in zip(self.params, ins + outs):
            if isinstance(a, ndarray) and not p.raw and a.shape != shape:
                if p.output:
                    raise ValueError(f'{self.name}: {p.name} has shape {a.shape}, {shape} is wanted')
                a = gnd.broadcast_to(a, shape)
            given.append(a)
            if p.raw:
                given.append(a.size if isinstance(a, ndarray) else 1)
        numbers = tuple(not isinstance(a, ndarray) for a in ins)
        if any(p.raw and k for p, k in zip(self.params, numbers)):
            raise TypeError(f'{self.name}: a number for a raw parameter')
        key = (tuple(dtypes), numbers, device)
        if key not in self.kernels:
            self.kernels[key] = _core._compile(device, self.text(dtypes, numbers), _PORTABLE, None).kernel('raw_outputs')
        if n:
            self.kernels[key].launch((-(-n // LIMIT),), (LIMIT,), (*given, n), 0)
        return outs

    def text(self, dtypes, numbers):
        defines, params, before, after = {}, [], [], []
        code = self.operation.replace('_ind.size()', '(n)')
        for k, (p, d) in enumerate(zip(self.params, dtypes)):
            t = TYPES[d.name]
            defines[p.type] = t
            if k < self.nin and numbers[k]:
                params.append(f'{t} {p.name}')
            elif p.raw:
                params.append(f'{"GND_GLOBAL" if p.output else "GND_CONST_GLOBAL"} {t} *{p.name}')
                params.append(f'g_i64 {p.name}_size')
                code = re.sub(rf'\b{p.name}\s*\.\s*size\(\)', f'({p.name}_size)', code)
            else:
                params.append(f'{"GND_GLOBAL" if p.output else "GND_CONST_GLOBAL"} {t} *{p.name}_of')
                before.append(f'{t} {p.name} = {p.name}_of[i];')
                if p.output:
                    after.append(f'{p.name}_of[i] = {p.name};')
        lines = [f'#define {a} {b}' for a, b in defines.items()] + [re.sub(r'\b__device__\b', 'GND_FN', self.preamble)]
        return '\n'.join(lines) + f'''
GND_KERNEL void raw_outputs({", ".join(params + ["g_i64 n"])})
{{
    g_i64 i = GND_GID(0);
    if (i >= n)
        return;
    {" ".join(before)}
    {{
{code};
    }}
    {" ".join(after)}
}}
'''
