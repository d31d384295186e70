#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_jit.py - gnd.jit: replays give what the function gives, for new elements, shapes, numbers and
# structures; arrays that are written to; what is refused. gnd.benchmark.
import threading

import pytap as t
from pytap import gnd, np


def test_values():
    calls = []

    @gnd.jit
    def f(x, y, scale=2.0):
        calls.append(x.shape)
        return {'sum': (x + y) * scale, 'pair': (x - y, [x.sum(), 'text', None])}

    for k in range(3):
        a, b = np.full((2, 3), k + 1.5, 'f4'), np.arange(6, dtype='f4').reshape(2, 3) + k
        r = f(gnd.asarray(a), gnd.asarray(b), 2.0 + k)
        t.is_(r['sum'], (a + b) * np.float32(2 + k),
              f'call {k}: elements and a number that changes')
        t.is_(r['pair'][0], a - b, f'call {k}: a tuple in a dict')
        t.is_(r['pair'][1][0], a.sum(), f'call {k}: a list in it', 1e-6)
        t.ok(r['pair'][1][1:] == ['text', None] and type(r['pair']) is tuple,
             f'call {k}: constants')
    t.ok(len(calls) == 1, 'recorded once')
    f(gnd.ones(4), gnd.ones(4))
    f(gnd.ones(4, dtype='float32'), gnd.ones(4, dtype='float32'))
    t.ok(len(calls) == 3, 'and once for each shape and dtype')
    first = f(gnd.ones(4), gnd.ones(4))['sum']
    f(gnd.zeros(4), gnd.zeros(4))
    t.is_(first, np.full(4, 4.0), 'an earlier result keeps its elements')
    t.is_(f(np.ones(3), gnd.ones(3))['sum'], np.full(3, 4.0), 'an array of NumPy\'s')
    x = gnd.ones(3)
    t.is_(f(x, x)['sum'], np.full(3, 4.0), 'one array twice')
    t.ok(f.__name__ == 'f' and f.__wrapped__, 'its name')


def test_signature():
    seen = []

    @gnd.jit(static_argnums=1, static_argnames='how')
    def f(xs, n, how='up', flag=True):
        seen.append((n, how, flag))
        total = sum(xs[1:], xs[0])
        return total * n if how == 'up' else total / n

    x = gnd.arange(3.)
    t.is_(f([x, x], 3), 6 * np.arange(3.), 'a list, a static number')
    t.is_(f([x, x, x], 3), 9 * np.arange(3.), 'a list of another length')
    t.is_(f((x, x), 3, how='down'), 2 * np.arange(3.) / 3, 'a static name')
    t.is_(f([x, x], 3), 6 * np.arange(3.), 'the first again')
    f([x, x], 3, flag=False)
    t.ok(len(seen) == 4, 'recorded four times')
    mixed = gnd.jit(lambda x, y, s: (x * s, y * s))
    for s in (2.5, 3.5):
        r = mixed(gnd.ones(2, dtype='float32'), gnd.arange(2), s)
        t.ok(
            t.same(r[0], np.full(2, s, 'f4')) and t.same(r[1],
                                                         np.arange(2) * s),
            f'arrays of two dtypes and {s}')
    power = gnd.jit(lambda x, n: x * n)
    t.is_(power(gnd.arange(3), 2), np.arange(3) * 2, 'an int with ints')
    t.is_(power(gnd.arange(3), 2.5), np.arange(3) * 2.5, 'a float with ints')

    class Model:

        @gnd.jit(static_argnums=0)
        def run(self, x):
            return inner(x) + 1

    inner = gnd.jit(lambda x: x * 2)
    t.is_(Model().run(x), np.arange(3.) * 2 + 1, 'a method; a jitted function within')


def test_writes():

    @gnd.jit
    def step(u, dt):
        u[1:-1] += dt * (u[2:] - 2 * u[1:-1] + u[:-2])
        return u

    a = np.zeros(9)
    a[4] = 1
    u = gnd.asarray(a)
    seen = u[2:7]
    for k in range(20):
        r = step(u, 0.1 + 0.01 * k)
        a[1:-1] += (0.1 + 0.01 * k) * (a[2:] - 2 * a[1:-1] + a[:-2])
    t.is_(u, a, 'an argument is written to', 1e-14)
    t.is_(seen, a[2:7], 'its views see it', 1e-14)
    t.ok(r is u, 'an argument that is returned is the argument')
    v = gnd.zeros((2, 9))
    step(v[1], 0.0)
    h = np.zeros(9)
    h[4] = 1
    step(h, 0.5)
    t.ok(h[3] == 0.5 and h[4] == 0, 'an array of NumPy\'s is written to')

    @gnd.jit
    def more(x, y):
        x += 1
        return x, y * 2

    h = np.zeros(3)
    t.is_(more(h, np.ones(3))[0], np.ones(3), 'an array of NumPy\'s that is written to and returned')
    t.is_(more(h, np.ones(3))[0], np.full(3, 2.0), 'and again')
    t.is_(h, np.full(3, 2.0), 'in place')
    t.raises(ValueError, lambda: more(h, h), 'NumPy\'s arrays that overlap', 'shares its memory')
    move = gnd.jit(lambda x, y: x.fill(3) or y + 0)
    t.raises(ValueError, lambda: move(v[0], v[1]), 'a written argument that overlaps another',
             'shares its memory')
    x, y = gnd.zeros(3), gnd.ones(3)
    t.ok(
        t.same(move(x, y), np.ones(3)) and t.same(x, np.full(3, 3.0)),
        'a result beside what is written')


def test_results():
    f = gnd.jit(lambda x: (x + 1, np.zeros(3)))
    a = f(gnd.arange(3.))[1]
    a[0] = 7
    t.is_(f(gnd.arange(3.))[1], np.zeros(3), 'an array of NumPy\'s in the result is another each time')
    g = gnd.jit(lambda x, s: x * s[0], static_argnums=1)
    x = gnd.arange(3)
    t.ok(g(x, (2, )).dtype == x.dtype and g(x, (2.0, )).dtype != x.dtype,
         'static arguments of other types')


def test_refused():
    x = gnd.arange(3.)
    t.raises(TypeError, lambda: gnd.jit(lambda x: x if x.sum() > 2 else -x)(x), 'if of an element',
             'reads elements')
    t.raises(TypeError, lambda: gnd.jit(lambda x: float(x[0]))(x), 'float of an element',
             'reads elements')
    t.raises(Exception, lambda: gnd.jit(lambda x: gnd.nonzero(x)[0])(x),
             'a shape that depends on elements')
    t.raises(TypeError, lambda: gnd.jit(lambda x, s: x)(x, {1, 2}), 'a set', 'static_argnums')
    t.raises(TypeError, lambda: gnd.jit(static_argnums=1)(lambda x, s: x)(x, []), 'a static list',
             'hashed')
    t.raises(TypeError, lambda: gnd.jit(lambda x: {1})(x), 'a set as the result', 'the result')
    t.raises(TypeError, lambda: gnd.jit(3), 'no function')
    f = gnd.jit(lambda x, n: x * n)
    small = gnd.arange(3).astype('int8')
    f(small, 3)
    t.raises(OverflowError, lambda: f(small, 1000), 'a number that the dtype does not hold')
    t.is_(f(small, 4), np.arange(3, dtype='i1') * np.int8(4), 'and the next call works')


def test_threads():
    f = gnd.jit(lambda x, s: gnd.sin(x) * s)
    x = gnd.asarray(np.linspace(0, 1, 50))
    bad = []

    def work(k):
        for i in range(30):
            s = float(k * 100 + i)
            if not np.array_equal(f(x, s).asnumpy(), (gnd.sin(x) * s).asnumpy()):
                bad.append(s)

    threads = [threading.Thread(target=work, args=(k, )) for k in range(4)]
    for th in threads:
        th.start()
    for th in threads:
        th.join()
    t.ok(not bad, 'four threads call one function')
    g = gnd.jit(lambda x: x + 1)
    for n in range(1, 80):
        g(gnd.ones(n))
    t.ok(len(g._recordings) == 64, 'at most 64 signatures are kept')
    g.clear_cache()
    t.is_(g(gnd.ones(2)), np.full(2, 2.0), 'after clear_cache()')


def test_benchmark():
    calls = []

    def f(x, y=1):
        calls.append(y)
        return {'z': [x + y]}

    r = gnd.benchmark(f, (gnd.ones(3), ), {'y': 2}, n_repeat=5, n_warmup=2)
    t.ok(calls == [2] * 7 and r.cpu_times.shape == (5, ) and r.gpu_times.shape == (1, 5),
         'benchmark: 2 calls and 5')
    t.ok((r.gpu_times[0] >= r.cpu_times).all() and r.cpu_times.min() > 0,
         'the device is done after the host')
    t.ok(str(r).startswith('f ') and 'CPU' in str(r) and 'GPU-0' in str(r), 'its text')
    t.ok(
        len(
            gnd.benchmark(f, (gnd.ones(3), ), n_repeat=10**9, max_duration=0.01,
                          name='g').cpu_times) < 10**6, 'max_duration')
    t.raises(ValueError, lambda: gnd.benchmark(f, [1]), 'args that are no tuple', 'args')


t.run([test_values, test_signature, test_writes, test_results, test_refused, test_threads, test_benchmark])
