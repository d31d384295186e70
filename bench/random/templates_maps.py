# SPDX-License-Identifier: BSD-3-Clause
"""Templates of maps, stencils, reductions, row operations, and joins and views. Each is a function of a Draw
(work.py) that returns a Work; KINDS names them by kind."""
from work import FLOATS, INTS, WIDE, In, Work, expression


# Maps

def map_float(d):
    dt = d.dtype(FLOATS)
    axes = d.pick(1, 1, 2, 2, 3, 4, 5)
    s = d.shape(axes, d.total())
    names = ['x', 'y', 'z'][:d.r.randint(1, 3)]
    ins = {}
    for k in names:
        ins[k] = In(tuple(1 if k != 'x' and d.chance(0.25) else n for n in s), dt)
    e = expression(d, names, d.r.randint(2, 6), 'float')
    if not any(c.isalpha() and f'{k}' in e for k in names for c in k):
        e = ' + '.join(names)
    ins = {k: v for k, v in ins.items() if k in e.replace('np.', '').replace('exp', '').replace('maximum', '')
           .replace('hypot', '').replace('minimum', '')} or {'x': ins['x']}
    if 'x' not in ins:
        e, ins['x'] = f'(x + {e})', In(s, dt)
    plain = all(c not in e for c in ('hypot', 'maximum', 'minimum', 'clip'))
    ne = e.replace('np.', '').replace('arctan', 'arctan') if plain and dt in ('float32', 'float64') else None
    # torch's clip takes numbers, its maximum tensors: the texts agree
    return Work('map', e, ins, torch=True, compiled=True, numexpr=ne, tol=20)


def map_int(d):
    dt = d.pick(*INTS)
    s = d.shape(d.pick(1, 2, 3), d.total())
    e = expression(d, ['x', 'y'], d.r.randint(2, 4), 'int')
    return Work('map', f'x + {e} - y', {'x': In(s, dt, 'any'), 'y': In(s, dt, 'any')}, torch=True, compiled=True)


def map_complex(d):
    dt = d.pick('complex64', 'complex128')
    s = d.shape(d.pick(1, 2), d.total(1e7))
    e = expression(d, ['z', 'w'], 3, 'complex')
    if d.chance(0.5):
        e = f'np.abs({e} + z * w)'
    else:
        e = f'z + {e} * w'
    return Work('map', e, {'z': In(s, dt), 'w': In(s, dt)}, torch=True)


def map_cast(d):
    a, b = d.pick(*(INTS + ('float16', 'float32', 'float64', 'bool'))), d.dtype(FLOATS + INTS[:3])
    s = d.shape(d.pick(1, 2, 3), d.total())
    v = d.view('x', len(s))
    e = f"L.cast({v}, '{b}')"
    if b.startswith('float') and d.chance(0.5):
        e += ' * 0.0039'
    return Work('map', e, {'x': In(s, a, 'any')}, torch=e, compiled=True, tol=4)


def map_logic(d):
    s = d.shape(d.pick(1, 2), d.total())
    e = d.pick('(x > 0) & (y < 0.5) | ~np.isfinite(x)', 'np.isnan(x) | (np.abs(x - y) < 0.1)',
               'np.logical_and(x > y, y > 0) ^ (x < -1)', 'np.sign(x) * (y > 0)', 'np.where(x > y, 1, 0)')
    return Work('map', e, {'x': In(s, 'float32'), 'y': In(s, 'float32')}, torch=True, compiled=True)


def map_outer(d):
    m, n = d.rows(d.total(2e7), 20, 5000)
    e = d.pick('x[:, None] * y[None, :]', 'np.sqrt((x[:, None] - y) ** 2 + 1)', 'np.exp(-(x[:, None] - y) ** 2)',
               'x[:, None] > y')
    dt = d.pick('float32', 'float64')
    return Work('map', e, {'x': In((m,), dt), 'y': In((n,), dt)}, torch=True, compiled=True, tol=4)


def map_poly(d):
    s = d.shape(d.pick(1, 2), d.total())
    dt = d.dtype(WIDE)
    e = '((0.3 * x + 0.7) * x - 1.1) * x + 2'
    return Work('map', e, {'x': In(s, dt)}, torch=True, compiled=True, numexpr=e, tol=4)


def map_erf(d):
    s = d.shape(1, d.total(1e7))
    dt = d.dtype(WIDE)
    e = '0.5 * x * (1 + L.erf(x * 0.7071))'
    return Work('map', e, {'x': In(s, dt)}, torch='F.gelu(x)' if False else e, compiled=True, tol=8)


# Stencils

def laplace(d):
    dt = d.dtype(WIDE + ('float16',))
    s = d.shape(2, d.total(2e7, 2500))
    s = tuple(max(5, v) for v in s)
    e = 'x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]'
    return Work('stencil', e, {'x': In(s, dt)}, torch=True, compiled=True, tol=16)


def stencil3(d):
    k = max(5, d.n(11, 250 / max(1, d.shrink) ** 0.33))
    e = ('x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, 1:-1] + x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1] + '
         'x[1:-1, 1:-1, :-2] + x[1:-1, 1:-1, 2:] - 6 * x[1:-1, 1:-1, 1:-1]')
    return Work('stencil', e, {'x': In((k, k + 2, k + 1), d.dtype(WIDE))}, torch=True, compiled=True, tol=16)


def taps(d):
    """A filter of several taps along one axis, by slices."""
    k = d.r.randint(3, 9)
    m, n = d.rows(d.total(2e7, 2000), 40, 5000)
    w = [round(d.r.uniform(-1, 1), 2) for _ in range(k)]
    if d.chance(0.5):
        e = ' + '.join(f'{c} * x[:, {i}:{i - k + 1 or None}]' for i, c in enumerate(w)).replace(':None', ':')
    else:
        m, n = n, m
        e = ' + '.join(f'{c} * x[{i}:{i - k + 1 or None}]' for i, c in enumerate(w)).replace(':None', ':')
        m = max(m, 40)
    return Work('stencil', e, {'x': In((m, max(n, 12)), d.dtype(WIDE))}, torch=True, compiled=True, tol=16)


def blur(d):
    """A separable blur: columns, then rows."""
    k = d.pick(3, 5, 7)
    w = [round(d.r.uniform(0.1, 1), 2) for _ in range(k)]
    a = ' + '.join(f'{c} * x[{i}:{i - k + 1 or None}]' for i, c in enumerate(w)).replace(':None', ':')
    b = ' + '.join(f'{c} * t[:, {i}:{i - k + 1 or None}]' for i, c in enumerate(w)).replace(':None', ':')
    s = tuple(max(20, v) for v in d.shape(2, d.total(1e7, 2500)))
    return Work('stencil', f't = {a}\nreturn {b}', {'x': In(s, d.dtype(WIDE))}, torch=True, compiled=True, tol=16)


def gradient(d):
    s = tuple(max(5, v) for v in d.shape(2, d.total(2e7, 2500)))
    if d.chance(0.5):
        return Work('stencil', 'g, h = np.gradient(x)\nreturn np.sqrt(g * g + h * h)',
                    {'x': In(s, d.dtype(WIDE))}, torch='g, h = torch.gradient(x)\nreturn torch.sqrt(g * g + h * h)',
                    compiled=True, tol=16)
    return Work('stencil', 'np.hypot(x[1:-1, 2:] - x[1:-1, :-2], x[2:, 1:-1] - x[:-2, 1:-1])',
                {'x': In(s, 'float32')}, torch=True, compiled=True, tol=16)


def life(d):
    s = tuple(max(8, v) for v in d.shape(2, d.total(1e7, 2500)))
    form = ('n = np.roll(x, 1, 0) + np.roll(x, -1, 0) + np.roll(x, 1, 1) + np.roll(x, -1, 1)\n'
            'return np.where((n == 3) | ((n == 2) & (x == 1)), 1, 0)')
    return Work('stencil', form, {'x': In(s, d.pick('uint8', 'int32', 'int8'), ('below', 2))}, torch=True, compiled=True)


def window_mean(d):
    m, n = d.rows(d.total(1e7, 2000), 60, 3000)
    k = d.r.randint(3, 30)
    op = d.pick('mean', 'max', 'sum')
    e = f'L.win(x, {k}, axis=1).{op}(axis=-1)'
    t = {'mean': f'F.avg_pool1d(x[:, None], {k}, 1)[:, 0]', 'max': f'F.max_pool1d(x[:, None], {k}, 1)[:, 0]',
         'sum': f'L.win(x, {k}, axis=1).sum(dim=-1)'}[op]
    return Work('stencil', e, {'x': In((m, n), 'float32')}, torch=t, tol=16, ops=m * n * k)


def pool(d):
    k = d.pick(2, 3, 4)
    a, b = [max(3, int(v // k)) for v in d.shape(2, d.total(2e7, 2500))]
    op = d.pick('max', 'mean')
    e = f'x.reshape({a}, {k}, {b}, {k}).{op}(axis=(1, 3))'
    t = f'F.{"max" if op == "max" else "avg"}_pool2d(x[None, None], {k})[0, 0]'
    return Work('stencil', e, {'x': In((a * k, b * k), 'float32')}, torch=t, tol=16)


def convolve(d):
    n, k = d.total(3e6, 2000), d.pick(5, 9, 21, 51, 101)
    n = max(n, 200)
    dt = d.dtype(WIDE)
    t = f'F.conv1d(x[None, None], w.flip(0)[None, None])[0, 0]'
    return Work('stencil', "np.convolve(x, w, 'valid')", {'x': In((n,), dt), 'w': In((k,), dt)}, torch=t, tol=40,
                ops=n * k)


def conv2(d):
    s = tuple(max(20, v) for v in d.shape(2, d.total(3e6, 2500)))
    k = d.pick(3, 5, 7)
    e = "np.einsum('ijkl,kl->ij', L.win(x, (%d, %d)), w)" % (k, k)
    if d.chance(0.4):
        e = "(L.win(x, (%d, %d)) * w).sum(axis=(2, 3))" % (k, k)
    return Work('stencil', e, {'x': In(s, 'float32'), 'w': In((k, k), 'float32')},
                torch='F.conv2d(x[None, None], w[None, None])[0, 0]', tol=40, ops=s[0] * s[1] * k * k)


def diffs(d):
    m, n = d.rows(d.total(2e7, 2000), 4, 5000)
    a = d.pick(0, 1)
    return Work('stencil', f'np.diff(x, axis={a})', {'x': In((max(m, 3), n), d.dtype(WIDE + ('int32', 'int16')), 'any')},
                torch=f'torch.diff(x, dim={a})', compiled=True)


# Reductions

def reduce_float(d):
    dt = d.dtype(FLOATS)
    axes = d.pick(1, 2, 2, 3, 3, 4, 5)
    s = d.shape(axes, d.total())
    op = d.pick('sum', 'mean', 'max', 'min', 'sum', 'var', 'std', 'argmax', 'prod')
    v = d.view('x', axes)
    a = d.axes(axes)
    if op == 'argmax' and isinstance(a, tuple):
        a = a[0]
    if op in ('sum', 'prod') and dt in ('float16', 'bfloat16'):
        op = 'mean'
    dist = 'pos' if op in ('sum', 'mean') else 'normal'
    if op == 'prod':
        v, dist = f'(0.99999 + {v} * 0.000001)', 'unit'
    e = f'{v}.{op}(axis={a})'
    t = {'sum': f'{v}.sum(dim={a})', 'mean': f'{v}.mean(dim={a})', 'max': f'torch.amax({v}, dim={a})',
         'min': f'torch.amin({v}, dim={a})', 'var': f'torch.var({v}, dim={a}, correction=0)',
         'std': f'torch.std({v}, dim={a}, correction=0)', 'argmax': f'{v}.argmax(dim={a})',
         'prod': f'{v}.prod(dim={a})' if isinstance(a, int) else (f'{v}.prod()' if a is None else None)}[op]
    if a is None and op in ('max', 'min'):
        t = t.replace(', dim=None', '')
    return Work('reduction', e, {'x': In(s, dt, dist)}, torch=t, compiled=True, tol=40)


def reduce_int(d):
    dt = d.pick(*(INTS + ('bool', 'bool')))
    axes = d.pick(1, 2, 3)
    s = d.shape(axes, d.total())
    op = d.pick('sum', 'max', 'min', 'any', 'all', 'count_nonzero')
    a = d.axes(axes)
    e = f'np.{op}({d.view("x", axes)}, axis={a})'
    t = None
    if op == 'sum':
        t = e.replace('np.', 'torch.').replace('axis', 'dim')
    elif op in ('any', 'all', 'count_nonzero'):
        t = e.replace('np.', 'torch.').replace('axis', 'dim').replace(', dim=None', '')
    elif dt != 'bool':
        t = e.replace('np.', 'torch.a').replace('axis', 'dim').replace(', dim=None', '')
    return Work('reduction', e, {'x': In(s, dt, 'any' if dt != 'bool' else 'half')}, torch=t, compiled=True)


def reduce_expr(d):
    dt = d.dtype(WIDE)
    axes = d.pick(1, 2, 3)
    s = d.shape(axes, d.total())
    a = d.axes(axes)
    e = expression(d, ['x', 'y'], d.r.randint(1, 3), 'float')
    form = f'(2 + np.tanh(x * y + {e})).sum(axis={a})'
    return Work('reduction', form, {'x': In(s, dt), 'y': In(s, dt)}, torch=True, compiled=True, tol=40)


def masked(d):
    dt = d.dtype(WIDE)
    n = d.total()
    e = d.pick('x[x > 0].mean()', 'x[x > 0].sum()', 'x[(x > -1) & (x < 1)].mean()', 'np.where(x > 0, x, 0).sum()',
               'x[x > 0.5].max()', 'x[y > 0].sum()', '(x * (y > 0)).sum() / (y > 0).sum()', 'x[x < 0].size',
               'x[np.abs(x) < 2].std()')
    e = e.replace('x[x < 0].size', '(x < 0).sum()')
    t = e.replace('.std()', '.std(correction=0)')
    ins = {'x': In((n,), dt)}
    if 'y' in e:
        ins['y'] = In((n,), dt)
    return Work('masked reduction', e, ins, torch=t.replace('np.', 'torch.'), tol=60)


def norms(d):
    dt = d.dtype(WIDE)
    s = d.rows(d.total(), 3, 5000)
    e = d.pick('np.linalg.norm(x)', 'np.linalg.norm(x, axis=1)', 'np.linalg.norm(x, axis=0)',
               'np.abs(x).max(axis=1)', 'np.abs(x).sum(axis=0)', 'np.sqrt((x * x).mean())',
               '(x * x).sum(axis=1)')
    t = {'np.abs(x).max(axis=1)': 'torch.amax(x.abs(), dim=1)'}.get(e, e.replace('np.', 'torch.').replace(
        'axis', 'dim'))
    return Work('reduction', e, {'x': In(s, dt)}, torch=t, compiled=True, tol=40)


def vdot(d):
    dt = d.dtype(WIDE)
    n = d.total()
    e = d.pick('np.dot(x, y)', '((x - y) ** 2).mean()', 'np.abs(x - y).max()', '(x * y).sum() / (x * x).sum()')
    t = e.replace('np.', 'torch.').replace(').max()', ').amax()')
    return Work('reduction', e, {'x': In((n,), dt, 'pos'), 'y': In((n,), dt, 'pos')}, torch=t, compiled=True, tol=40)


# Operations of rows

def row_op(d):
    dt = d.dtype(FLOATS)
    s = d.rows(d.total(), 5, 20000)
    how = d.r.randrange(8)
    ins, ne, tol = {'x': In(s, dt)}, None, 20
    if how == 0:
        f = 'e = np.exp(x - x.max(axis=1, keepdims=True))\nreturn e / e.sum(axis=1, keepdims=True)'
        t = 'F.softmax(x, dim=1)'
    elif how == 1:
        f = 'm = x.max(axis=1, keepdims=True)\nreturn x - m - np.log(np.exp(x - m).sum(axis=1, keepdims=True))'
        t = 'F.log_softmax(x, dim=1)'
    elif how == 2:
        ins['g'], ins['b'] = In(s[1:], dt), In(s[1:], dt)
        f = ('m = x.mean(axis=1, keepdims=True)\nv = x.var(axis=1, keepdims=True)\n'
             'return (x - m) / np.sqrt(v + 1e-3) * g + b')
        t, tol = f'F.layer_norm(x, ({s[1]},), g, b, 1e-3)', 60
    elif how == 3:
        ins['g'] = In(s[1:], dt)
        f = 'return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-3) * g'
        t, tol = f'F.rms_norm(x, ({s[1]},), g, 1e-3)', 60
    elif how == 4:
        f = 'return x / np.sqrt((x * x).sum(axis=1, keepdims=True))'
        t = 'F.normalize(x, dim=1)'
    elif how == 5:
        f = ('lo, hi = x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)\n'
             'return (x - lo) / (hi - lo + 1e-3)')
        t = 'lo, hi = torch.aminmax(x, dim=1, keepdim=True)\nreturn (x - lo) / (hi - lo + 1e-3)'
    elif how == 6:
        f = 'return x * np.minimum(1, 2 / np.sqrt((x * x).sum(axis=1, keepdims=True)))'
        t = 'x * (2 / torch.linalg.vector_norm(x, dim=1, keepdim=True)).clamp(max=1)'
    else:
        f = 'm = x.max(axis=1)\nreturn m + np.log(np.exp(x - m[:, None]).sum(axis=1))'
        t = 'torch.logsumexp(x, dim=1)'
    return Work('rows', f, ins, torch=t, compiled=True, tol=tol)


def cross_entropy(d):
    s = d.rows(d.total(2e7), 5, 20000)
    f = ('m = x.max(axis=1, keepdims=True)\nl = x - m - np.log(np.exp(x - m).sum(axis=1, keepdims=True))\n'
         'return -np.take_along_axis(l, y[:, None], axis=1).mean()')
    return Work('rows', f, {'x': In(s, 'float32'), 'y': In(s[:1], 'int64', ('below', s[1]))},
                torch='F.cross_entropy(x, y)', compiled=True, tol=60)


def masked_softmax(d):
    s = d.rows(d.total(2e7), 5, 5000)
    f = ('t = np.where(k, x, -1e9)\ne = np.exp(t - t.max(axis=1, keepdims=True))\n'
         'return e / e.sum(axis=1, keepdims=True)')
    return Work('rows', f, {'x': In(s, 'float32'), 'k': In(s, 'bool', 'half')},
                torch='F.softmax(x.masked_fill(~k, -1e9), dim=1)', compiled=True, tol=20)


def nearest(d):
    s = d.rows(d.total(2e7), 4, 3000)
    f = d.pick('i = np.argmin(x, axis=1)\nreturn np.take_along_axis(y, i[:, None], axis=1)[:, 0]',
               'i = np.argmax(x * y, axis=1)\nreturn i, np.take_along_axis(x, i[:, None], axis=1)')
    return Work('rows', f, {'x': In(s, 'float32'), 'y': In(s, 'float32')}, compiled=True,
                torch=f.replace('np.take_along_axis', 'torch.gather').replace(
                    ', i[:, None], axis=1)', ', 1, i[:, None])').replace('np.', 'torch.').replace('axis', 'dim'))


# Joins and views

def join(d):
    dt = d.dtype(FLOATS + INTS + ('complex64', 'bool'))
    m, n = d.rows(d.total(1.5e7), 3, 3000)
    how = d.r.randrange(5)
    dist = 'any' if dt in INTS else 'half' if dt == 'bool' else 'normal'
    ins = {'x': In((m, n), dt, dist), 'y': In((m, n), dt, dist)}
    if how == 0:
        a = d.pick(0, 1)
        f = f'np.concatenate([x, y], axis={a})'
    elif how == 1:
        f = f'np.stack([x, y], axis={d.pick(0, 1, 2)})'
    elif how == 2:
        f = 'np.concatenate([x[::2], y[1::3]], axis=0)'
    elif how == 3:
        f = 'np.concatenate([x[:, 1:], y[:, :1], x[:, :1]], axis=1)'
    else:
        f = f'np.stack([x, y, x], axis=-1).reshape({m}, {3 * n})'
    return Work('joins and views', f, ins, torch=f.replace('np.', 'torch.').replace('axis=', 'dim='), compiled=True)


def rearrange(d):
    dt = d.dtype(FLOATS + INTS + ('complex64', 'bool'))
    dist = 'any' if dt in INTS else 'half' if dt == 'bool' else 'normal'
    axes = d.pick(2, 2, 3, 3, 4, 5)
    s = d.shape(axes, d.total())
    p = list(range(axes))
    while p == list(range(axes)):
        d.r.shuffle(p)
    f = f'x.transpose({tuple(p)})'.replace('((', '(').replace('))', ')')
    t = f'x.permute({tuple(p)}).contiguous()'
    if dt not in ('bool',) and d.chance(0.4):
        f, t = f + ' + 1', t.replace('.contiguous()', '') + ' + 1'
    else:
        f = f'np.ascontiguousarray({f})'
    return Work('joins and views', f, {'x': In(s, dt, dist)}, torch=t, compiled=True)


def image(d):
    dt = d.pick('uint8', 'uint8', 'float32', 'uint16')
    h, w = [max(9, v) for v in d.shape(2, d.total(1e7, 3000))]
    how = d.r.randrange(7)
    s = (h, w, 3)
    f, t = [
        ('np.rot90(x).copy()', 'torch.rot90(x).contiguous()'),
        ('x[:, ::-1].copy()', 'torch.flip(x, (1,))'),
        ("L.cast(x[::-1], 'float32') / 255", "torch.flip(x, (0,)).float() / 255"),
        ("L.cast(x, 'float32') @ g", "x.float() @ g"),
        ("L.cast(0.299 * x[:, :, 0] + 0.587 * x[:, :, 1] + 0.114 * x[:, :, 2], 'uint8')",) * 2,
        ('np.ascontiguousarray(x.transpose(2, 0, 1))', 'x.permute(2, 0, 1).contiguous()'),
        ('np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)', 'x.repeat_interleave(2, 0).repeat_interleave(2, 1)'),
    ][how]
    ins = {'x': In(s, dt, 'any')}
    if how == 3:
        ins['g'] = In((3,), 'float32', 'unit')
    return Work('joins and views', f, ins, torch=t, compiled=how < 6, tol=20, check='values')


def spread(d):
    dt = d.dtype(WIDE + ('int32', 'uint8'))
    dist = 'any' if dt in INTS else 'normal'
    m, n = [max(3, v) for v in d.shape(2, d.total(5e6))]
    how = d.r.randrange(7)
    k = d.r.randint(2, 5)
    f, t = [
        (f'np.tile(x, ({k}, 2))', f'torch.tile(x, ({k}, 2))'),
        (f'np.repeat(x, {k}, axis=1)', f'x.repeat_interleave({k}, 1)'),
        (f'np.repeat(x, {k}, axis=0)', f'x.repeat_interleave({k}, 0)'),
        (f'np.roll(x, {k}, axis=1)', f'torch.roll(x, {k}, 1)'),
        (f'np.pad(x, ((1, 2), ({k}, 1)))', f'F.pad(x, ({k}, 1, 1, 2))'),
        ("np.pad(x, ((2, 2), (1, 1)), mode='edge')", 'F.pad(x[None, None], (1, 1, 2, 2), mode="replicate")[0, 0]'),
        ('np.tril(x)', 'torch.tril(x)'),
    ][how]
    return Work('joins and views', f, {'x': In((m, n), dt, dist)}, torch=t, compiled=True)


def reshapes(d):
    dt = d.dtype(FLOATS)
    a, b, c = d.shape(3, d.total())
    f = d.pick(f'x.transpose(1, 0, 2).reshape({b}, {a * c}) * 2', f'x.reshape({a}, {b * c}).T + 1',
               f'x.transpose(2, 1, 0).reshape(-1) - 1', 'x[:, ::2, ::-1] * 3')
    t = f.replace('transpose', 'permute') if '::-1' not in f else 'torch.flip(x[:, ::2], (2,)) * 3'
    return Work('joins and views', f, {'x': In((a, b, c), dt)}, torch=t, compiled=True, tol=4)


KINDS = {
    'map': [map_float, map_float, map_float, map_int, map_complex, map_cast, map_logic, map_outer, map_poly, map_erf],
    'stencil': [laplace, stencil3, taps, blur, gradient, life, window_mean, pool, convolve, conv2, diffs],
    'reduction': [reduce_float, reduce_float, reduce_float, reduce_int, reduce_int, reduce_expr, norms, vdot],
    'masked reduction': [masked],
    'rows': [row_op, row_op, row_op, cross_entropy, masked_softmax, nearest],
    'joins and views': [join, rearrange, rearrange, image, image, spread, reshapes],
}
