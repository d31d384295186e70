#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws workloads from a seed and times gnd beside other libraries on them: README.md."""
import argparse
import json
import os
import random
import sys
import time
import warnings

import numpy as np

import classes
import ledger
import libs as libraries
import measure
import templates_linear
import templates_maps
import templates_more
import work as works

# NVRTC and CUDA's driver keep what they compiled in a cache of their own: first calls are to be cold in every run
os.environ.setdefault('CUDA_CACHE_DISABLE', '1')

KINDS = {**templates_maps.KINDS, **templates_more.KINDS, **templates_linear.KINDS}


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--seed', type=int, default=None, help='what is drawn; default: by the time')
    p.add_argument('--count', type=int, default=150, help='workloads (default: 150)')
    p.add_argument('--device', default=None, help='gnd\'s device (default: its default device)')
    p.add_argument('--peers', default=None, help='of numpy, numexpr, cupy, torch, jax; default: by the device')
    p.add_argument('--shrink', type=float, default=None, help='divides the numbers of elements (default: 1; on CPUs 20)')
    p.add_argument('--time', type=float, default=480, help='seconds in all; then no further workload (default: 480)')
    p.add_argument('--limit', type=float, default=6, help='seconds for a workload in a library (default: 6)')
    p.add_argument('--kinds', default=None, help='only these kinds, parted by commas; prefixes are enough')
    p.add_argument('--only', default=None, help='only the workloads with these numbers, parted by commas')
    p.add_argument('--classes', action='store_true', help='nothing is drawn: the classes of work of classes.py')
    p.add_argument('--values', action='store_true', help='compare the values, take no times; fails if gnd is wrong')
    p.add_argument('--best', action='store_true', help='the best batch, not the median: for machines that are shared')
    p.add_argument('--no-compile', action='store_true', help='PyTorch without torch.compile')
    p.add_argument('--list', action='store_true', help='print what is drawn, and run nothing')
    p.add_argument('--worst', type=int, default=25, help='rows with plans at the end (default: 25)')
    p.add_argument('--beside', help="the --json file of another run: gnd's times are compared with gnd's there")
    p.add_argument('--json', default=None, help='write the records to this file, one a line')
    return p.parse_args()


def draw(seed, count, shrink, bf16, kinds):
    """The workloads of a seed. Each has a Draw of its own, so that one of them can be run alone."""
    order = random.Random(seed)
    names = [k for k in KINDS if not kinds or any(k.startswith(p) for p in kinds)]
    if not names:
        sys.exit(f'run.py: no kind begins with {kinds}; there are {", ".join(KINDS)}')
    out = []
    while len(out) < count:
        turn = list(names)
        order.shuffle(turn)
        for kind in turn[:count - len(out)]:
            d = works.Draw(order.getrandbits(60), shrink)
            d.bf16 = bf16
            template = d.r.choice(KINDS[kind])
            w = template(d)
            w.number = len(out)
            out.append(w)
    return out


def bandwidth_of(gnd, shrink):
    """Bytes a second of a copy that adds, of 2^26 / shrink elements."""
    n = int(2 ** 26 / min(shrink, 8))
    x = gnd.put(np.zeros(n, np.float32), 'float32')
    side = measure.Side(gnd, '', lambda a: a + 1, [x])
    side.start(6)
    for _ in range(measure.BATCHES):
        side.batch()
    return 8 * n / side.ms() * 1e3


def plan(gnd, work, seed):
    """gnd's plan of a workload, as text."""
    arrays = measure.inputs_of(work, seed)
    mine = [gnd.put(a, work.inputs[k].dtype) for k, a in arrays.items()]
    try:
        r = measure.as_tuple(gnd.function(work)[0][1](*mine))
        return '\n'.join(str(gnd.gnd.explain(x)) for x in r[:1])
    except Exception as e:
        return f'{type(e).__name__}: {e}'


def main():
    o = arguments()
    warnings.filterwarnings('ignore')
    np.seterr(all='ignore')
    begin = time.monotonic()
    o.seed = int(time.time()) % 1000000 if o.seed is None else o.seed
    gnd = libraries.Gnd(o.device)
    cuda = 'cuda' in str(gnd.device) or 'nvidia' in str(gnd.device.info()['vendor']).lower()
    o.shrink = o.shrink or (1 if cuda else 20)
    peers = (o.peers if o.peers is not None else 'cupy,torch,jax' if cuda else 'numpy,numexpr').split(',')
    libs, why = libraries.make([p for p in peers if p], not o.no_compile)
    reference = next((lib for lib in libs if lib.name == 'numpy'), None) or libraries.NumPy()
    # a form draws bfloat16 where something can check it
    bf16 = libraries.BF16 is not None or any(lib.name in ('torch', 'jax') for lib in libs)
    kinds = o.kinds.split(',') if o.kinds else None
    if o.classes:
        todo = [w for w in classes.works(o.shrink) if (not kinds or any(w.kind.startswith(k) for k in kinds)) and
                (bf16 or all(i.dtype != 'bfloat16' for i in w.inputs.values()))]
    else:
        todo = draw(o.seed, o.count, o.shrink, bf16, kinds)
    if o.only:
        todo = [w for w in todo if w.number in {int(v) for v in o.only.split(',')}]
    if o.list:
        for w in todo:
            print(f'{w.number:4} {w.kind}: {w.text()}')
        return 0
    width = 0 if o.values else bandwidth_of(gnd, o.shrink)
    print(f'{"classes" if o.classes else f"seed {o.seed}"}, {gnd.device}, beside {", ".join(lib.name for lib in libs)}; copy {width / 1e9:.0f} GB/s'
          f'{"".join("; without " + w for w in why)}', flush=True)
    records, out = [], open(o.json, 'w') if o.json else None
    print(ledger.HEAD)
    for w in todo:
        if time.monotonic() - begin > o.time:
            print(f'the time is over: {len(todo) - len(records)} workloads are left', flush=True)
            break
        try:
            record = measure.measure(w, gnd, libs, reference, o.seed, o)
        except Exception as e:  # of the harness itself: no memory, say. It must not end the run, nor go unseen
            record = {'number': w.number, 'kind': w.kind, 'text': w.text(), 'reference': None, 'ms': {}, 'error': {},
                      'why': {'gnd': f'not measured: {type(e).__name__}: {e}'}, 'first_ms': {}, 'bytes': 0}
        record.update(seed=o.seed, shrink=o.shrink, device=str(gnd.device))
        records.append(record)
        if not o.values and (ledger.ratio(record) or 0) > 1.1:
            record['plan'] = plan(gnd, w, o.seed)
        print(ledger.line(record, width), flush=True)
        if out:
            out.write(json.dumps(record) + '\n')
            out.flush()
        for lib in [gnd] + libs:
            lib.free()
    print(ledger.summary(records))
    if not o.values:
        print(ledger.worst(records, width, o.worst))
    if o.beside:
        with open(o.beside) as f:
            print(ledger.beside(records, [json.loads(text) for text in f]))
    sys.stdout.flush()
    bad = [r for r in records if ledger.wrong(r, 'gnd') or 'gnd' in r['why']]
    return 1 if bad and o.values else 0


if __name__ == '__main__':
    code = main()
    sys.stdout.flush()
    os._exit(code)  # some libraries wait at their end
