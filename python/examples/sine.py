#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CuPy's first program: the sine of a million numbers. Only the import differs: import cupy as cp."""
import gnd as cp
import numpy as np

x = np.random.rand(1000, 1000)
x_gpu = cp.asarray(x)
y_gpu = cp.sin(x_gpu)
y = cp.asnumpy(y_gpu)

print(type(y_gpu).__module__, y.shape, y.dtype, np.allclose(y, np.sin(x)))
