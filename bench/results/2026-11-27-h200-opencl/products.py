#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""products.py DEVICE - the least times of products of matrices and of attention."""
import sys
import time

import gnd
import numpy as np


def put(shape, dtype):
    x = gnd.asarray(np.random.default_rng(1).standard_normal(shape).astype(np.float32)).astype(dtype)
    gnd.evaluate(x)
    return x


def show(name, f, flops, seconds=0.1):
    gnd.evaluate(f())
    gnd.synchronize()
    least, n, start = 1e9, 1, time.perf_counter()
    while time.perf_counter() - start < seconds:
        t = time.perf_counter()
        for _ in range(n):
            gnd.evaluate(f())
        gnd.synchronize()
        t = time.perf_counter() - t
        least = min(least, t / n)
        n *= 2 if t < 0.01 else 1
    print(f'{name:40s} {least * 1e3:9.4f} ms {flops / least / 1e12:8.1f} TF', flush=True)


def attention(q, k, v, mask=None):
    s = q @ k.transpose(0, 1, 3, 2) * 0.125
    if mask is not None:
        s = gnd.where(mask, s, -1e9)
    e = gnd.exp(s - s.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True)) @ v


gnd.Device(sys.argv[1]).use()
for dt in ('float16', 'bfloat16', 'float64'):
    for n in [1001, 2048] if dt == 'bfloat16' else [128, 256, 512, 1000, 1001, 1024, 1536, 2048, 4096]:
        a, b = put((n, n), dt), put((n, n), dt)
        show(f'{dt} {n}', lambda: a @ b, 2 * n**3)
    if dt == 'bfloat16':
        continue
    c = put((2048, 2048), dt)
    show(f'{dt} 2048 c.T @ c', lambda: c.T @ c, 2 * 2048**3)
    show(f'{dt} 2048 c @ c.T', lambda: c @ c.T, 2 * 2048**3)
    x, y = put((64, 4096), dt), put((4096, 4096), dt)
    show(f'{dt} 64 x 4096 x 4096', lambda: x @ y, 2 * 64 * 4096**2)
    z = put((32, 256, 256), dt)
    show(f'{dt} 32 of 256', lambda: z @ z, 2 * 32 * 256**3)
    u, w = put((100, 8192), dt), put((8192, 100), dt)
    show(f'{dt} 100 x 8192 x 100', lambda: u @ w, 2 * 100 * 100 * 8192)
for dt in ('float16', 'bfloat16'):
    q, k, v = (put((4, 12, 1024, 64), dt) for _ in range(3))
    i = gnd.arange(1024)
    show(f'attention {dt}', lambda: attention(q, k, v), 4 * 48 * 1024**2 * 64)
    show(f'attention causal {dt}', lambda: attention(q, k, v, i[:, None] >= i), 2 * 48 * 1024**2 * 64)
