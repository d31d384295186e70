#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""PyCUDA's tutorial, and the demonstration of its documents. Only the imports differ: pycuda for gnd."""
import gnd.autoinit  # noqa: F401
import gnd.driver as cuda
import numpy
from gnd.compiler import SourceModule

a = numpy.random.randn(4, 4)
a = a.astype(numpy.float32)

a_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)

mod = SourceModule("""
  __global__ void twice(float *a)
  {
    int idx = threadIdx.x + threadIdx.y*4;
    a[idx] *= 2;
  }
  """)

func = mod.get_function("twice")
func(a_gpu, block=(4, 4, 1))

a_doubled = numpy.empty_like(a)
cuda.memcpy_dtoh(a_doubled, a_gpu)
print(numpy.array_equal(a_doubled, 2 * a))

b = a.copy()
func(cuda.InOut(b), block=(4, 4, 1))
print(numpy.array_equal(b, 2 * a))

mod = SourceModule("""
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
""")

multiply_them = mod.get_function("multiply_them")

a = numpy.random.randn(400).astype(numpy.float32)
b = numpy.random.randn(400).astype(numpy.float32)

dest = numpy.zeros_like(a)
multiply_them(
        cuda.Out(dest), cuda.In(a), cuda.In(b),
        block=(400, 1, 1), grid=(1, 1))

print(numpy.array_equal(dest, a * b))
