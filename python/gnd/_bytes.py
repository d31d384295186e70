# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of elements: ndarray.byteswap, a kernel in the portable dialect."""
from . import _core

_CODE = """GND_KERNEL void byteswap(GND_CONST_GLOBAL void *x, GND_GLOBAL void *y, g_i64 n, g_i64 size)
{
    g_i64 i = GND_GID(0);
    if (i < n)
        ((GND_GLOBAL g_u8 *)y)[i] = ((GND_CONST_GLOBAL g_u8 *)x)[i / size * size + size - 1 - i % size];
}
"""
_PORTABLE = 2
_GROUP = 128  # work-items per group
_kernels: dict = {}


def byteswap(self, inplace=False):
    """The elements with their bytes in reverse order. The real and imaginary parts of a complex element are reversed
    separately. The dtype does not change. inplace=True: writes the result to the array and returns the array."""
    size = self.itemsize // 2 if self.dtype.kind == 'c' else self.itemsize
    y = self.copy(order='C')
    n = y.nbytes
    if size > 1 and n:
        device = self.device
        if device not in _kernels:
            _kernels[device] = _core._compile(device, _CODE, _PORTABLE, None).kernel('byteswap')
        _kernels[device].launch((-(-n // _GROUP),), (_GROUP,), (self, y, n, size), 0)
    if inplace:
        self[...] = y
        return self
    return y if self.flags.c_contiguous or not self.flags.f_contiguous else _core._ordered(y, True)
