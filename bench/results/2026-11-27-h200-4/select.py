#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""select.py DEVICE - selections beside CuPy and PyTorch: the best of five times, and peaks of device memory."""
import re, sys, time
import numpy as np, gnd
dev = sys.argv[1]
try: import cupy as cp
except Exception: cp = None
try: import torch
except Exception: torch = None

def best(call, sync):
    call(); call(); sync(); b = 1e9
    for _ in range(5):
        t = time.perf_counter()
        for _ in range(5): call()
        sync(); b = min(b, (time.perf_counter() - t) / 5)
    return b * 1e3
def peak(y):
    m = re.search(r'(\d+) bytes peak', gnd.explain(y)); return int(m[1]) / 1e6 if m else -1
def work():
    n = 100_000_000 if not dev.endswith('pocl') else 1_000_003
    g = np.random.default_rng(1); x = g.standard_normal(n, dtype='f4'); m = n * 6 // 10
    i = g.integers(0, 1000, 20_000_003).astype('i8'); r = g.standard_normal((60000, 149), dtype='f4')
    c = g.standard_normal((57891, 62)); h = g.standard_normal(10_000_001).astype('f8')
    yield 'top 10 of 10^8', x, lambda L, a: L.partition(a, n - 10)[n - 10:], lambda t: torch.topk(t, 10, sorted=False)
    yield 'partition 10^8 mid', x, lambda L, a: L.partition(a, n // 2), None
    yield 'partition 10^8 mid [k]', x, lambda L, a: L.partition(a, n // 2)[n // 2], lambda t: torch.kthvalue(t, n // 2 + 1)
    yield 'median 6e7', x[:m].copy(), lambda L, a: L.median(a), lambda t: torch.median(t)
    yield 'percentile 1e7 f8', h, lambda L, a: L.percentile(a, 90), None
    yield 'median 2e7 small int64', i, lambda L, a: L.median(a), lambda t: torch.median(t)
    yield 'partition mid 2e7 small int64', i, lambda L, a: L.partition(a, 10**7), None
    yield '31 of rows of 149', r, lambda L, a: L.partition(a, 118, axis=1)[:, 118:], lambda t: torch.topk(t, 31, dim=1, sorted=False)
    yield 'percentile axis 0', c, lambda L, a: L.percentile(a, 90, axis=0), lambda t: torch.quantile(t, 0.9, dim=0)
    yield 'argpartition 1e7', h, lambda L, a: L.argpartition(a, 1000)[:1000], lambda t: torch.topk(t, 1000, largest=False)
for name, x, f, ft in work():
    a = gnd.array(x, device=dev)
    a.wait()
    row = f'{name:32s}'
    keep = [None]
    def call(): keep[0] = f(gnd, a); keep[0].wait()
    row += f' gnd {best(call, lambda: None):8.3f} ms peak {peak(f(gnd, a)):9.1f} MB'
    if cp is not None and dev.startswith('cuda'):
        b = cp.asarray(x)
        try:
            row += f' cupy {best(lambda: f(cp, b), cp.cuda.Device().synchronize):8.3f}'
            pool = cp.get_default_memory_pool(); pool.free_all_blocks()
        except Exception as e: row += f' cupy {type(e).__name__}'
        del b
    if torch is not None and ft and dev.startswith('cuda'):
        t = torch.from_numpy(x).cuda(); torch.cuda.synchronize()
        try:
            torch.cuda.reset_peak_memory_stats(); ft(t); torch.cuda.synchronize()
            row += f' torch peak {torch.cuda.max_memory_allocated() / 1e6:9.1f} MB'
            row += f' {best(lambda: ft(t), torch.cuda.synchronize):8.3f} ms'
        except Exception as e: row += f' torch {type(e).__name__}'
        del t
    print(row, flush=True); del a, keep
