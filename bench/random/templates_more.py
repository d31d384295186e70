# SPDX-License-Identifier: BSD-3-Clause
"""Templates of gathers and scatters, sorts and selections, scans, statistics and random numbers. Each is a function
of a Draw (work.py) that returns a Work; KINDS names them by kind."""
from work import FLOATS, INTS, WIDE, In, Work


# Gathers and scatters

def gather(d):
    dt = d.dtype(FLOATS + ('int32', 'uint8', 'complex64'))
    dist = 'any' if dt in INTS else 'normal'
    n, m = d.total(2e7), d.total(1e7)
    ix = d.pick('int64', 'int32')
    f = d.pick('x[i]', 'x[i] * 2 + 1', 'np.take(x, i)')
    return Work('gathers and scatters', f, {'x': In((n,), dt, dist), 'i': In((m,), ix, ('below', n))},
                torch=f.replace('np.take(x, i)', 'x[i]'))


def gather_rows(d):
    dt = d.dtype(FLOATS)
    n, c = d.rows(d.total(1e7), 3, 2000)
    m = max(2, int(d.total(1e7) / c))
    f, t = d.pick(('x[i]', 'F.embedding(i, x)'), ('x[i].sum(axis=0)', 'x[i].sum(dim=0)'),
                  ('x[i] + y', 'F.embedding(i, x) + y'))
    ins = {'x': In((n, c), dt), 'i': In((m,), 'int64', ('below', n))}
    if 'y' in f:
        ins['y'] = In((c,), dt)
    if 'sum' in f:
        ins['x'].dtype = d.dtype(WIDE)
        ins['x'].dist = 'pos'
    return Work('gathers and scatters', f, ins, torch=t, tol=40)


def gather_columns(d):
    n, c = [max(3, v) for v in d.shape(2, d.total(1e7))]
    m = d.n(3, c)
    return Work('gathers and scatters', 'x[:, i]', {'x': In((n, c), d.dtype(WIDE)),
                                                    'i': In((m,), 'int64', ('below', c))}, torch='x[:, i]')


def gather_pairs(d):
    n, c = [max(3, v) for v in d.shape(2, d.total(1e7))]
    m = d.total(5e6)
    return Work('gathers and scatters', 'x[i, j]', {'x': In((n, c), 'float32'), 'i': In((m,), 'int64', ('below', n)),
                                                    'j': In((m,), 'int64', ('below', c))}, torch='x[i, j]')


def along_axis(d):
    n, c = [max(3, v) for v in d.shape(2, d.total(1e7))]
    a = d.pick(0, 1)
    m = max(1, c // 2) if a else c
    k = n if a else max(1, n // 2)
    return Work('gathers and scatters', f'np.take_along_axis(x, i, axis={a})',
                {'x': In((n, c), d.dtype(WIDE)), 'i': In((k, m), 'int64', ('below', c if a else n))},
                torch=f'torch.gather(x, {a}, i)')


def lut(d):
    s = d.shape(d.pick(2, 3), d.total(3e7))
    dt = d.pick('uint8', 'float32', 'int32')
    return Work('gathers and scatters', 't[x]', {'x': In(s, 'uint8', ('below', 256)), 't': In((256,), dt, 'any')},
                torch='t[x.long()]', compiled=True)


def add_at(d):
    n, m = d.n(10, 3e6), d.total(1e7)
    dt = d.dtype(WIDE + ('int32', 'int64'))
    z = f"L.add_at(np.zeros({n}, dtype=L.dt['{dt}']), i, v)"
    t = f"torch.zeros({n}, dtype=v.dtype, device=v.device).index_add_(0, i, v)"
    return Work('gathers and scatters', z, {'i': In((m,), 'int64', ('below', n)),
                                            'v': In((m,), dt, 'any' if dt in INTS else 'pos')}, torch=t, tol=60)


def add_rows(d):
    n, c = d.n(10, 1e5), d.pick(2, 3, 7, 16, 33, 64, 100)
    m = max(3, int(d.total(2e7) / c))
    dt = d.dtype(WIDE)
    z = f"L.add_at(np.zeros(({n}, {c}), dtype=L.dt['{dt}']), i, v)"
    t = f"torch.zeros(({n}, {c}), dtype=v.dtype, device=v.device).index_add_(0, i, v)"
    return Work('gathers and scatters', z, {'i': In((m,), 'int64', ('below', n)), 'v': In((m, c), dt, 'pos')},
                torch=t, tol=60, ops=m * c * 10)


def set_rows(d):
    n, c = d.rows(d.total(1e7), 1, 500)
    m = max(1, n // d.r.randint(2, 10))
    f = 'L.set(x.copy(), i, v)'
    i = In((m,), 'int64', 'perm')
    return Work('gathers and scatters', f, {'x': In((n, c), 'float32'), 'i': i, 'v': In((m, c), 'float32')},
                torch='x.index_copy(0, i, v)')


def bincount(d):
    n, m = d.n(3, 1e6), d.total(2e7)
    w = d.chance(0.5)
    ins = {'i': In((m,), d.pick('int64', 'int32', 'uint8') if n < 256 else 'int64', ('below', n))}
    if w:
        ins['w'] = In((m,), 'float64', 'unit')
    f = f'np.bincount(i, {"weights=w, " if w else ""}minlength={n})'
    if not w:
        return Work('gathers and scatters', f, ins, torch=f.replace('np.', 'torch.'))
    return Work('gathers and scatters', f, ins, torch=f'torch.bincount(i, w, {n})', tol=100)


def histogram(d):
    m, b = d.total(2e7), d.pick(7, 10, 50, 100, 256, 1000)
    return Work('gathers and scatters', f'np.histogram(x, bins={b}, range=(-3, 3))[0]', {'x': In((m,), 'float32')},
                torch=f'torch.histc(x, {b}, -3, 3)', tol=300)


def select(d):
    m = d.total(2e7)
    f = d.pick('x[x > 0.5]', 'x[y]', 'np.nonzero(x > 0)[0]', 'np.flatnonzero(y)', 'x[~y] * 2')
    t = {'np.nonzero(x > 0)[0]': 'torch.nonzero(x > 0)[:, 0]', 'np.flatnonzero(y)': 'torch.nonzero(y)[:, 0]'}.get(f, f)
    ins = {}
    if 'x' in f.replace('flatnonzero', ''):
        ins['x'] = In((m,), d.dtype(WIDE))
    if 'y' in f:
        ins['y'] = In((m,), 'bool', 'half')
    return Work('gathers and scatters', f, ins, torch=t)


def select_rows(d):
    n, c = d.rows(d.total(2e7), 2, 500)
    return Work('gathers and scatters', 'x[k]', {'x': In((n, c), d.dtype(WIDE)), 'k': In((n,), 'bool', 'half')},
                torch='x[k]')


def one_hot(d):
    n, c = d.rows(d.total(1e7), 3, 300)
    f = f"L.cast(i[:, None] == np.arange({c}), 'float32')"
    return Work('gathers and scatters', f, {'i': In((n,), 'int64', ('below', c))},
                torch=f'F.one_hot(i, {c}).float()')


# Sorts and selections

def sort(d):
    dt = d.dtype(FLOATS[:5] + INTS)
    dist = 'any' if dt in INTS else 'normal'
    if d.chance(0.5):
        s, f = (d.total(1e7),), d.pick('np.sort(x)', 'x.argsort()', 'np.sort(x)[::-1].copy()')
        t = {'np.sort(x)': 'torch.sort(x).values', 'x.argsort()': 'torch.argsort(x)'}.get(
            f, 'torch.sort(x, descending=True).values')
    else:
        s = d.rows(d.total(1e7), 3, 5000)
        a = d.pick(1, 1, 0)
        f = d.pick(f'np.sort(x, axis={a})', f'np.argsort(x, axis={a})')
        t = f.replace('np.', 'torch.').replace('axis', 'dim') + ('.values' if 'np.sort' in f else '')
    if 'argsort' in f and dist == 'any':
        dt, dist = 'float32', 'normal'
    if 'argsort' in f and dt == 'float16':
        dt = 'float32'
    n = 1
    for v in s:
        n *= v
    return Work('sorts and selections', f, {'x': In(s, dt, dist)}, torch=t, ops=n * 40, check='ties' if 'arg' in f
                else 'values')


def top(d):
    if d.chance(0.4):
        n = d.total(3e7, 2000)
        k = d.pick(1, 5, 10, 33, 100)
        return Work('sorts and selections', f'np.partition(x, {n - k})[{n - k}:]', {'x': In((n,), 'float32')},
                    torch=f'torch.topk(x, {k}, sorted=False).values', check='sorted', ops=n * 10)
    m, n = d.rows(d.total(1e7), 40, 20000)
    k = d.pick(1, 2, 5, 10, 31)
    return Work('sorts and selections', f'np.partition(x, {n - k}, axis=1)[:, {n - k}:]', {'x': In((m, n), 'float32')},
                torch=f'torch.topk(x, {k}, dim=1, sorted=False).values', check='sorted', ops=m * n * 10)


def quantiles(d):
    dt = d.dtype(WIDE)
    if d.chance(0.5):
        s, a, c = (d.total(1e7),), '', ''
    else:
        s, ax = d.shape(2, d.total(5e6)), d.pick(0, 1)
        a, c = f', axis={ax}', f', dim={ax}'
    f = d.pick(f'np.median(x{a})', f'np.percentile(x, 90{a})', f'np.percentile(x, [5, 50, 95]{a})',
               f'np.quantile(x, 0.3{a})')
    t = {f'np.median(x{a})': f'torch.quantile(x, 0.5{c})', f'np.percentile(x, 90{a})': f'torch.quantile(x, 0.9{c})',
         f'np.quantile(x, 0.3{a})': f'torch.quantile(x, 0.3{c})'}.get(
             f, f'torch.quantile(x, torch.tensor([0.05, 0.5, 0.95], dtype=x.dtype, device=x.device){c})')
    return Work('sorts and selections', f, {'x': In(s, dt)}, torch=t, tol=20, ops=10 * In(s).size())


def unique(d):
    n, k = d.total(1e7), d.n(5, 1e6)
    dt = d.pick('int32', 'int64')
    f, t = d.pick(('np.unique(x)', 'torch.unique(x)'),
                  ('np.unique(x, return_counts=True)', 'torch.unique(x, return_counts=True)'),
                  ('np.unique(x, return_inverse=True)', 'torch.unique(x, return_inverse=True)'))
    return Work('sorts and selections', f, {'x': In((n,), dt, ('below', k))}, torch=t, ops=n * 40)


def search(d):
    n, m = d.total(1e6), d.total(1e7)
    dt = d.dtype(WIDE)
    f, t = d.pick(('np.searchsorted(s, x)', 'torch.searchsorted(s, x)'), ('np.digitize(x, s)', 'torch.bucketize(x, s, right=True)'),
                  ('np.interp(x, s, v)', None))
    ins = {'s': In((n,), dt, 'sorted'), 'x': In((m,), dt)}
    if 'v' in f:
        ins['v'] = In((n,), dt)
    return Work('sorts and selections', f, ins, torch=t, tol=2000, ops=m * 20)


def lexsort(d):
    n = d.total(5e6)
    return Work('sorts and selections', 'np.lexsort((x, i))', {'x': In((n,), 'float32'), 'i': In((n,), 'int32', (
        'below', 100))}, ops=n * 60, torch='j = torch.argsort(x, stable=True)\n'
        'return j[torch.argsort(i[j], stable=True)]')


def isin(d):
    n, m = d.total(5e6), d.n(5, 1e5)
    return Work('sorts and selections', 'np.isin(x, v)', {'x': In((n,), 'int64', ('below', 10 * m)),
                                                          'v': In((m,), 'int64', ('below', 10 * m))},
                torch='torch.isin(x, v)', ops=n * 40)


# Scans

def scan(d):
    dt = d.dtype(('float32', 'float32', 'float64', 'int32', 'int64', 'float16'))
    axes = d.pick(1, 1, 2, 2, 3)
    s = d.shape(axes, d.total())
    a = d.r.randrange(axes)
    v = d.view('x', axes)
    dist = 'any' if dt.startswith('int') else 'pos'
    if dt == 'float16':
        f, t = f'L.cummax({v}, {a})', f'torch.cummax({v}, dim={a}).values'
        return Work('scans', f, {'x': In(s, dt)}, torch=t)
    how = d.r.randrange(4)
    if how == 0 and axes > 1 and not dt.startswith('int'):
        f, t = f'np.cumprod(1 + {v} * 1e-6, axis={a})', f'torch.cumprod(1 + {v} * 1e-6, dim={a})'
    elif how == 1:
        f, t = f'L.cummax({v}, {a})', f'torch.cummax({v}, dim={a}).values'
        if not dt.startswith('int'):
            dist = 'normal'
    else:
        f, t = f'np.cumsum({v}, axis={a})', f'torch.cumsum({v}, dim={a})'
    return Work('scans', f, {'x': In(s, dt, dist)}, torch=t, tol=60)


def moving(d):
    m, n = d.rows(d.total(2e7, 3000), 100, 10000)
    k = d.r.randint(3, 50)
    f = f'c = np.cumsum(x, axis=1)\nreturn (c[:, {k}:] - c[:, :-{k}]) / {k}'
    return Work('scans', f, {'x': In((m, n), d.dtype(WIDE), 'pos')}, compiled=True, tol=2000,
                torch=f.replace('np.cumsum(x, axis=1)', 'torch.cumsum(x, dim=1)'))


def drawdown(d):
    n = d.total(2e7)
    f = '(x / L.cummax(x, 0) - 1).min()'
    return Work('scans', f, {'x': In((n,), d.dtype(WIDE), 'pos')}, torch='(x / torch.cummax(x, 0).values - 1).amin()',
                tol=20)


# Statistics

def columns(d):
    """Statistics of the columns of tables that are often narrow."""
    n, c = d.rows(d.total(2e7, 1000), 2, 200)
    dt = d.dtype(WIDE)
    f, t = d.pick(
        ('x.mean(axis=0)', 'x.mean(dim=0)'), ('x.std(axis=0)', 'x.std(dim=0, correction=0)'),
        ('(x - x.mean(axis=0)) / x.std(axis=0)', '(x - x.mean(dim=0)) / x.std(dim=0, correction=0)'),
        ('np.cov(x, rowvar=False)', 'torch.cov(x.T)'), ('np.corrcoef(x, rowvar=False)', 'torch.corrcoef(x.T)'),
        ('x - x.max(axis=0)', 'x - x.amax(dim=0)'),
        ('m = x.max(axis=0)\nreturn m + np.log(np.exp(x - m).sum(axis=0))', 'torch.logsumexp(x, dim=0)'),
        ('(x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0) + 1)',
         'lo, hi = torch.aminmax(x, dim=0)\nreturn (x - lo) / (hi - lo + 1)'),
        ('x.argmax(axis=0)', 'x.argmax(dim=0)'))
    return Work('statistics', f, {'x': In((n, c), dt)}, torch=t, compiled=True, tol=60, ops=n * c * 4)


def nans(d):
    s = d.rows(d.total(2e7), 3, 3000)
    dt = d.dtype(WIDE)
    a = d.pick(0, 1, None)
    f = d.pick(f'np.nanmean(x, axis={a})', f'np.nanstd(x, axis={a})', f'np.nansum(x, axis={a})',
               f'np.nanmax(x, axis={a})')
    t = {'mean': f'torch.nanmean(x, dim={a})', 'sum': f'torch.nansum(x, dim={a})',
         'max': f'torch.amax(torch.nan_to_num(x, nan=-1e30), dim={a})'.replace(', dim=None', ''),
         'std': f'm = torch.nanmean(x, dim={a}, keepdim=True)\nreturn torch.sqrt(torch.nanmean((x - m) ** 2, dim={a}))'
         if a is not None else 'torch.sqrt(torch.nanmean((x - torch.nanmean(x)) ** 2))'}[f[6:f.index('(')]]
    if s[0] < 40:
        s = (40, s[1])
    return Work('statistics', f, {'x': In((max(s[0], 40), max(s[1], 40)), dt, 'nan')}, torch=t, compiled=True, tol=60)


def weighted(d):
    n, c = d.rows(d.total(2e7), 2, 300)
    f, t = d.pick(('(x * w[:, None]).sum(axis=0) / w.sum()', '(x * w[:, None]).sum(dim=0) / w.sum()'),
                  ('np.average(x, axis=0, weights=w)', '(w @ x) / w.sum()'))
    return Work('statistics', f, {'x': In((n, c), 'float32', 'pos'), 'w': In((n,), 'float32', 'unit')}, torch=t,
                compiled=True, tol=60)


def trapezoid(d):
    n, c = d.rows(d.total(2e7, 1000), 10, 5000)
    f = '((x[:, 1:] + x[:, :-1]) * (t[1:] - t[:-1])).sum(axis=1) / 2'
    dt = d.dtype(WIDE)
    return Work('statistics', f, {'x': In((n, c), dt, 'pos'), 't': In((c,), dt, 'sorted')}, compiled=True, tol=200,
                torch='torch.trapezoid(x, t, dim=1)')


def batch_norm(d):
    b, c, h = d.n(2, 33), d.n(3, 130), d.n(5, 60)
    t = 'F.batch_norm(x, None, None, g, h, True, 0.1, 1e-3)'
    f = ('m = x.mean(axis=(0, 2, 3), keepdims=True)\nv = x.var(axis=(0, 2, 3), keepdims=True)\n'
         'return (x - m) / np.sqrt(v + 1e-3) * g[:, None, None] + h[:, None, None]')
    return Work('statistics', f, {'x': In((b, c, h, h + 2), 'float32'), 'g': In((c,), 'float32'), 'h': In(
        (c,), 'float32')}, torch=t, compiled=True, tol=60)


def group_stats(d):
    n, g = d.total(1e7), d.n(3, 1e4)
    f = (f"s = L.add_at(np.zeros({g}, dtype=L.dt['float32']), i, x)\n"
         f"c = np.bincount(i, minlength={g})\nreturn s / np.maximum(c, 1)")
    t = (f's = torch.zeros({g}, device=x.device).index_add_(0, i, x)\nc = torch.bincount(i, minlength={g})\n'
         'return s / c.clamp(min=1)')
    return Work('statistics', f, {'x': In((n,), 'float32', 'pos'), 'i': In((n,), 'int64', ('below', g))}, torch=t,
                tol=60)


# Random numbers

def draw(d):
    s = d.shape(d.pick(1, 2), d.total())
    f = d.pick(f'L.random({s})', f'L.normal({s})', f'L.integers(1000, {s})', f'L.exponential({s})',
               f"L.random({s}, 'float64')", f"L.normal({s}, 'float64')")
    return Work('random numbers', f, {}, torch=f, check='stats', nbytes=In(s, 'float64' if 'normal' not in f else
                                                                           'float32').nbytes())


def draw_use(d):
    n = d.total(2e7)
    f = d.pick(f'x * (L.random(({n},)) > 0.2) * 1.25', f'x + 0.1 * L.normal(({n},))',
               f'(L.random(({n},)) ** 2 + L.random(({n},)) ** 2 < 1).mean()', f'(L.random(({n},)) < x).sum()')
    t = f if '1.25' not in f else 'F.dropout(x, 0.2)'
    t = t.replace('< 1).mean()', '< 1).float().mean()')
    return Work('random numbers', f, {'x': In((n,), 'float32', 'unit')} if 'x' in f else {}, torch=t, check='stats',
                compiled=True)


def shuffle(d):
    n, c = d.rows(d.total(1e7), 1, 100)
    return Work('random numbers', 'L.permutation(x)', {'x': In((n, c), 'float32')}, torch='L.permutation(x)',
                check='stats')


KINDS = {
    'gathers and scatters': [gather, gather_rows, gather_columns, gather_pairs, along_axis, lut, add_at, add_rows,
                             set_rows, bincount, histogram, select, select_rows, one_hot],
    'sorts and selections': [sort, sort, top, top, quantiles, quantiles, unique, search, lexsort, isin],
    'scans': [scan, scan, scan, moving, drawdown],
    'statistics': [columns, columns, columns, nans, weighted, trapezoid, batch_norm, group_stats],
    'random numbers': [draw, draw, draw_use, shuffle],
}
