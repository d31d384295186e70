#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_life.py - what becomes of objects and processes: many operations leave no memory, arrays and
# files behind (an argument says how many; 100000 unless given); weak references, copies, pickles;
# forked and spawned processes.
import copy
import gc
import multiprocessing
import os
import pickle
import sys
import weakref

import pytap as t
from pytap import gnd, np

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 100000


def used():
    """Resident memory in KiB, and open files, of this process."""
    with open('/proc/self/statm', encoding='ascii') as f:
        pages = int(f.read().split()[1])
    return pages * os.sysconf('SC_PAGE_SIZE') // 1024, len(os.listdir('/proc/self/fd'))


def work(n, x, f, host):
    """n operations and more: nodes, views, writes, numbers, exceptions, transfers, replays."""
    for i in range(n // 10):
        y = (x + i) * 2.5
        v = y[2:]
        v[0] = i
        z = y.reshape(2, 5).T
        z += 1
        float(z.sum())
        if i % 10 == 0:
            try:
                y + gnd.ones(3)
            except ValueError:
                pass
            gnd.asnumpy(gnd.asarray(host) + 1)
            a, b = f({'x': y}, float(i))
            pickle.loads(pickle.dumps(v))
            weakref.ref(y)


def test_leaks():
    device = gnd.Device('null:0')
    with device:
        x, host = gnd.ones(10), np.ones(10)
        f = gnd.jit(lambda d, s: (d['x'] * s, d['x'].sum()))
        work(STEPS // 5, x, f, host)
        gc.collect()
        arrays, before = device.stats()['arrays'], used()
        work(STEPS, x, f, host)
        gc.collect()
        after = used()
    t.say(f'{STEPS} operations: resident memory {before[0]} KiB, then {after[0]} KiB')
    t.ok(after[0] < before[0] + 2048, 'memory does not grow')
    t.ok(after[1] == before[1], 'open files do not')
    t.ok(device.stats()['arrays'] <= arrays, 'arrays do not')


def test_weak():
    x = gnd.arange(6.)
    gone = []
    r = weakref.ref(x, gone.append)
    v = x[1:]
    t.ok(r() is x, 'a weak reference')
    del x
    t.ok(r() is not None and not gone, 'a view keeps its source')
    v[0] = 9
    t.ok(r()[1:].tolist() == v.tolist() and float(r()[1]) == 9, 'which is written to')
    del v
    t.ok(r() is None and len(gone) == 1, 'and then both go')
    d = weakref.WeakValueDictionary(a=gnd.ones(2))
    t.ok(len(d) == 0, 'a dictionary of weak references')


def test_copies():
    for name, a in (('float64', np.arange(6.).reshape(2, 3)), ('bool', np.array([True, False])),
                    ('complex64', np.ones(3, 'c8')), ('uint8', np.zeros((0, 2), 'u1')),
                    ('float16', np.ones(2, 'f2')), ('int64', np.array(7))):
        x = gnd.asarray(a)
        for p in range(pickle.HIGHEST_PROTOCOL + 1):
            y = pickle.loads(pickle.dumps(x, p))
            if not (t.same(y, a) and y.device == x.device):
                t.ok(False, f'pickle of {name} by protocol {p}')
        t.is_(pickle.loads(pickle.dumps(x)), a, f'pickles of {name}')
    x = gnd.arange(12.).reshape(3, 4)
    v = x[1:, ::2]
    for what, y in (('copy.copy', copy.copy(v)), ('copy.deepcopy', copy.deepcopy(v)),
                    ('pickle', pickle.loads(pickle.dumps(v))), ('.copy()', v.copy())):
        w = np.arange(12.).reshape(3, 4)[1:, ::2]
        same = t.same(y, w)
        y[...] = 0
        t.ok(same and t.same(v, w) and y.base is None, f'{what} of a view')
    both = pickle.loads(pickle.dumps({'x': x, 'again': x}))
    t.ok(both['x'] is both['again'], 'an array twice in a pickle is one')


def in_child(x):
    """For forked children: says how computing ends."""
    try:
        float((x + 1).sum())
    except RuntimeError as e:
        return str(e)
    return 'it computed'


def total(x):
    return float((x * 2).sum()), x + 1


def test_fork():
    x = gnd.ones(5)
    float(x.sum())
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        os.write(write, in_child(x).encode())
        os._exit(3)
    os.close(write)
    with os.fdopen(read) as f:
        said = f.read()
    t.ok('fork' in said and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3,
         'a forked child that computes has an error')
    t.say(said)
    p = multiprocessing.get_context('fork').Process(target=in_child, args=(x,))
    p.start()
    p.join(60)
    t.ok(p.exitcode == 0, 'a forked child of multiprocessing ends')
    t.ok(float((x + 1).sum()) == 10.0, 'the parent goes on')


def test_spawn():
    arrays = [gnd.full(4, k, dtype='float32') for k in range(3)]
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        results = pool.map(total, arrays)
    t.ok([r[0] for r in results] == [0.0, 8.0, 16.0], 'spawned processes take arrays and compute')
    t.is_(results[2][1], np.full(4, 3, 'f4'), 'and give arrays back')


if __name__ == '__main__':
    t.run([test_leaks, test_weak, test_copies, test_fork, test_spawn])
