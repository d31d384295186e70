#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# kernels_peers.py - times CuPy's side of the rows user_kernel_1000, user_elementwise_2p26 and
# user_reduction_2p26 of `gnd bench`, by the same method: two warm-up calls, then the median of 5 batches
# of at least 30 ms of calls with one wait at the end of each. One JSON object a line. Needs CuPy.
#
#     bench/kernels_peers.py [--n ELEMENTS]
import argparse
import json
import statistics
import time

import cupy as cp

parser = argparse.ArgumentParser()
parser.add_argument('--n', type=int, default=1 << 26)
n = parser.parse_args().n
sync = cp.cuda.Device().synchronize


def report(row, call):
    for _ in range(2):
        call()
        sync()
    start = time.perf_counter()
    call()
    sync()
    one = time.perf_counter() - start
    calls = max(1, min(20000, int(0.03 / max(one, 1e-7))))
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            call()
        sync()
        if time.perf_counter() - start >= 0.03:
            break
        calls *= 2
    times = []
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        sync()
        times.append((time.perf_counter() - start) / calls)
    print(json.dumps({'row': row, 'framework': 'cupy', 'ms': round(1e3 * statistics.median(times), 6)}), flush=True)


twice = cp.RawKernel('''extern "C" __global__ void twice(const float *x, float *y, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }''', 'twice')
squared = cp.ElementwiseKernel('T x, T y', 'T z', 'z = (x - y) * (x - y)', 'squared_diff')
norm = cp.ReductionKernel('T x', 'T y', 'x * x', 'a + b', 'y = sqrt(a)', '0', 'l2norm')

small = cp.random.random(1000).astype(cp.float32)
given = cp.empty_like(small)


def launch_new():
    y = cp.empty(1000, cp.float32)
    twice((4,), (256,), (small, y, cp.int32(1000)))


size = f'2p{n.bit_length() - 1}' if n & (n - 1) == 0 else str(n)
report('user_kernel_1000', lambda: twice((4,), (256,), (small, given, cp.int32(1000))))
report('user_kernel_1000_new', launch_new)  # its output is a new array, as gnd's is
x, y = (cp.random.random(n).astype(cp.float32) for _ in range(2))
report('user_elementwise_' + size, lambda: squared(x, y))
report('user_reduction_' + size, lambda: norm(x))
