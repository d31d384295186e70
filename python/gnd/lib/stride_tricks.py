# SPDX-License-Identifier: BSD-3-Clause
"""numpy.lib.stride_tricks. What as_strided gives is read-only, and stays within the array that has the memory."""
from .. import asarray, broadcast_arrays, broadcast_shapes, broadcast_to, sliding_window_view  # noqa: F401


def as_strided(x, shape=None, strides=None, subok=False, writeable=False, *, check_bounds=None):
    """A read-only view of x's memory with this shape and these strides in bytes. ValueError: beyond the memory, strides
    that are no whole number of elements, or writeable=True."""
    if writeable:
        raise ValueError('as_strided: writeable=True: the result is read-only: write to x, or to a copy')
    x = asarray(x)
    shape = x.shape if shape is None else tuple(shape) if hasattr(shape, '__len__') else (shape,)
    strides = x.strides if strides is None else tuple(strides) if hasattr(strides, '__len__') else (strides,)
    root = x if x.base is None else x.base
    if root.flags.fnc:
        root = root.T
    size = x.itemsize
    if root.dtype != x.dtype:
        root = root.reshape(-1).view(x.dtype)
    if any(s % size for s in strides) or x._offset() % size:
        raise ValueError(f'as_strided: strides {strides}: multiples of {size} bytes are wanted')
    try:
        return root._strided(shape, tuple(s // size for s in strides), x._offset() // size)
    except IndexError as e:
        raise ValueError(str(e)) from None
