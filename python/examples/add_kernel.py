#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Numba's first kernel. Only the import differs: from numba import cuda."""
import numpy as np
from gnd import cuda


@cuda.jit
def add_kernel(x, y, out):
    idx = cuda.grid(1)
    if idx < x.shape[0]:
        out[idx] = x[idx] + y[idx]


n = 100000
x = np.arange(n).astype(np.float32)
y = 2 * x

x_device = cuda.to_device(x)
y_device = cuda.to_device(y)
out_device = cuda.device_array(shape=(n,), dtype=np.float32)

threadsperblock = 128
blockspergrid = (n + threadsperblock - 1) // threadsperblock
add_kernel[blockspergrid, threadsperblock](x_device, y_device, out_device)
out = out_device.copy_to_host()

print(out[:4], np.array_equal(out, x + y))
