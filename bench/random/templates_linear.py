# SPDX-License-Identifier: BSD-3-Clause
"""Templates of products, batches of small matrices, tall systems, transforms, attention and layers, and updates in
loops. Each is a function of a Draw (work.py) that returns a Work; KINDS names them by kind."""
from work import WIDE, In, Work

PRODUCTS = ('float32', 'float32', 'float32', 'float64', 'float16', 'bfloat16', 'complex64')


# Products

def product(d):
    """m x k by k x n: square, tall, wide, thin, outer."""
    dt = d.dtype(PRODUCTS)
    q = max(1, d.shrink) ** 0.4
    big, small = (100 / q ** 0.5, 3000 / q), (1, 40)
    ranges = d.pick((big, big, big), (big, big, big), (big, small, big), (big, big, small), (small, big, big),
                    (small, (1000, 3e5 / d.shrink), small), ((1e4, 1e6 / d.shrink), (3, 100), (3, 60)))
    m, k, n = (d.n(*r) for r in ranges)
    f = d.pick('x @ y', 'x @ y', 'x.T @ y', 'x @ y.T', 'x.T @ y.T')
    a = (k, m) if 'x.T' in f else (m, k)
    b = (n, k) if 'y.T' in f else (k, n)
    return Work('products', f, {'x': In(a, dt), 'y': In(b, dt)}, torch=f, tol=100, ops=m * k * n / 4)


def vector(d):
    dt = d.dtype(PRODUCTS)
    m, n = [max(2, v) for v in d.shape(2, d.total(3e7))]
    f = d.pick('x @ v', 'x.T @ u', 'u @ x', '(u @ x) * v', 'np.outer(u, v)')
    ins = {k: In({'x': (m, n), 'u': (m,), 'v': (n,)}[k], dt) for k in 'xuv' if k in f.replace('outer', '')}
    return Work('products', f, ins, torch=f.replace('np.', 'torch.'), tol=100)


def batched(d):
    dt = d.dtype(PRODUCTS)
    m, k, n = d.n(2, 130), d.n(2, 130), d.n(2, 130)
    b = max(2, int(d.total(1e7) / max(m * k, k * n, m * n)))
    f = d.pick('x @ y', 'x @ y', "np.einsum('bij,bjk->bik', x, y)", 'x @ w')
    ins = {'x': In((b, m, k), dt)}
    ins['w' if 'w' in f else 'y'] = In((k, n) if 'w' in f else (b, k, n), dt)
    return Work('products', f, ins, torch=f.replace('np.', 'torch.'), tol=100, ops=b * m * k * n / 4)


def gram(d):
    n, c = d.rows(d.total(2e7), 3, 300)
    dt = d.dtype(WIDE)
    f = d.pick('x.T @ x', '(x * w[:, None]).T @ x', 'x.T @ w')
    ins = {'x': In((n, c), dt)}
    if 'w' in f:
        ins['w'] = In((n,), dt)
    return Work('products', f, ins, torch=f, tol=100, ops=n * c * c / 4)


def quadratic(d):
    n, c = d.rows(d.total(1e7), 3, 500)
    f = d.pick('((x @ a) * x).sum(axis=1)', "np.einsum('ni,ij,nj->n', x, a, x)", 'np.exp(-0.01 * ((x @ a) ** 2))')
    return Work('products', f, {'x': In((n, c), 'float32'), 'a': In((c, c), 'float32')}, compiled=True, tol=200,
                torch=f.replace('np.', 'torch.').replace('axis', 'dim'), ops=n * c * c / 4)


def distances(d):
    m, n, c = d.n(20, 3000 / d.shrink ** 0.5), d.n(20, 3000 / d.shrink ** 0.5), d.n(2, 100)
    f = d.pick('np.sqrt(((x[:, None] - y) ** 2).sum(axis=-1))', 'np.abs(x[:, None] - y).sum(axis=-1)',
               '((x[:, None] - y) ** 2).sum(axis=-1).argmin(axis=1)')
    t = {'np.s': "torch.cdist(x, y, compute_mode='donot_use_mm_for_euclid_dist')", 'np.a': 'torch.cdist(x, y, 1)',
         '((x[': 'torch.cdist(x, y).argmin(dim=1)'}[f[:4]]
    return Work('products', f, {'x': In((m, c), 'float32'), 'y': In((n, c), 'float32')}, torch=t, compiled=True,
                tol=100, ops=m * n * c, check='ties' if 'argmin' in f else 'values')


def einsum(d):
    a, b, c, e = (d.n(3, 90) for _ in range(4))
    text, s, u = d.pick(('abc,cd->abd', (a, b, c), (c, e)), ('abc,abd->cd', (a, b, c), (a, b, e)),
                        ('abc,bd->acd', (a, b, c), (b, e)), ('abcd,cd->ab', (a, b, c, e), (c, e)),
                        ('abc,abc->ab', (a, b, c), (a, b, c)), ('ab,cb->ac', (a * 5, b), (c * 5, b)),
                        ('abc,acd->bd', (a, b, c), (a, c, e)))
    f = f"np.einsum('{text}', x, y)"
    return Work('products', f, {'x': In(s, 'float32'), 'y': In(u, 'float32')}, torch=f.replace('np.', 'torch.'),
                tol=100, ops=a * b * c * e)


def layer(d):
    dt = d.dtype(('float32', 'float32', 'float16', 'bfloat16'))
    q = d.shrink ** 0.4
    n, c, h = d.n(30, 5000 / q), d.n(20, 1500 / q), d.n(20, 3000 / q)
    f, t = d.pick(('np.maximum(x @ w + b, 0)', 'F.relu(F.linear(x, w.T, b))'),
                  ('t = x @ w + b\nreturn 0.5 * t * (1 + np.tanh(0.79788 * (t + 0.044715 * t * t * t)))',
                   "F.gelu(F.linear(x, w.T, b), approximate='tanh')"),
                  ('t = x @ w + b\nreturn t / (1 + np.exp(-t))', 'F.silu(F.linear(x, w.T, b))'))
    return Work('products', f, {'x': In((n, c), dt), 'w': In((c, h), dt), 'b': In((h,), dt)}, torch=t, compiled=True,
                tol=100, ops=n * c * h / 4)


# Batches of small matrices, and tall systems

def small(d):
    n = d.pick(2, 3, 3, 4, 4, 5, 6, 7, 8, 11, 16, 20, 31, 32)
    b = max(2, int(d.total(1e7) / (n * n)))
    dt = d.pick('float32', 'float64')
    f, dist = d.pick(('np.linalg.det(a)', 'diag'), ('np.linalg.inv(a)', 'diag'),
                     ('np.linalg.solve(a, v)', 'diag'), ('np.linalg.cholesky(a)', 'spd'),
                     ('np.linalg.eigvalsh(a)', 'spd'), ('np.linalg.eigh(a)[0]', 'spd'), ('np.linalg.slogdet(a)[1]', 'diag'))
    if 'eig' in f:
        b = max(2, b // 10)
    ins = {'a': In((b, n, n), dt, dist)}
    if 'v' in f.replace('solve', '').replace('inv', '').replace('eigvalsh', ''):
        ins['v'] = In((b, n, d.pick(1, 1, 3)), dt)
    return Work('small matrices', f, ins, torch=f.replace('np.', 'torch.'), tol=1000, ops=b * n * n * max(n, 8))


def small_product(d):
    n = d.pick(2, 3, 3, 4, 5, 7, 8, 13, 16)
    b = max(2, int(d.total(1e7) / (n * n)))
    dt = d.pick('float32', 'float64')
    f = d.pick('a @ c', 'a @ v', 'a.swapaxes(1, 2) @ a', 'np.trace(a, axis1=1, axis2=2)', 'a @ c @ a', '(a @ v)[..., 0]')
    ins = {'a': In((b, n, n), dt)}
    if 'c' in f.replace('trace', '').replace('swapaxes', ''):
        ins['c'] = In((b, n, n), dt)
    if 'v' in f:
        ins['v'] = In((b, n, 1), dt)
    t = f if 'trace' not in f else 'torch.einsum("bii->b", a)'
    return Work('small matrices', f, ins, torch=t, tol=100)


def cross(d):
    n = d.total(3e6)
    dt = d.pick('float32', 'float64')
    f, t = d.pick(('np.cross(x, y)', 'torch.linalg.cross(x, y)'),
                  ('c = np.cross(x, y)\nreturn c / np.sqrt((c * c).sum(axis=1, keepdims=True))',
                   'F.normalize(torch.linalg.cross(x, y), dim=1)'), ('(x * y).sum(axis=1)', '(x * y).sum(dim=1)'))
    return Work('small matrices', f, {'x': In((n, 3), dt), 'y': In((n, 3), dt)}, torch=t, compiled=True, tol=40)


def tall(d):
    c = d.n(2, 120 / d.shrink ** 0.3)
    n = max(c + 3, int(d.total(3e6, 500) / c))
    dt = d.pick('float32', 'float64')
    f, t = d.pick(('np.linalg.lstsq(x, y, rcond=None)[0]', "torch.linalg.lstsq(x, y[:, None]).solution[:, 0]"),
                  ('np.linalg.qr(x)[1]', 'torch.linalg.qr(x).R'),
                  ('np.linalg.svd(x, full_matrices=False)[1]', 'torch.linalg.svd(x, full_matrices=False).S'),
                  ('np.linalg.solve(x.T @ x, x.T @ y)', 'torch.linalg.solve(x.T @ x, x.T @ y)'))
    ins = {'x': In((n, c), dt)}
    if 'y' in f:
        ins['y'] = In((n,), dt)
    return Work('tall systems', f, ins, torch=t, tol=1000, check='abs', ops=n * c * c * 2)


def dense(d):
    n = d.n(20, 700 / d.shrink ** 0.3)
    dt = d.pick('float32', 'float64')
    f, dist = d.pick(('np.linalg.solve(a, v)', 'diag'), ('np.linalg.inv(a)', 'diag'), ('np.linalg.cholesky(a)', 'spd'),
                     ('np.linalg.eigvalsh(a)', 'spd'), ('np.linalg.det(a)', 'unitdiag'))
    ins = {'a': In((n, n), dt, dist)}
    if '(a, v' in f:
        ins['v'] = In((n,), dt)
    return Work('tall systems', f, ins, torch=f.replace('np.', 'torch.'), tol=3000, ops=n ** 3 * 2)


# Transforms

def transform(d):
    dt = d.pick('complex64', 'complex64', 'complex128', 'float32', 'float64')
    lengths = (60, 100, 243, 360, 500, 1000, 1001, 1920, 2187, 4095, 4096, 6000, 10007, 65536, 99999, 100000, 1048576)
    n = d.pick(*(v for v in lengths if v < 2e6 / d.shrink))
    b = max(1, int(d.total(1e7) / n))
    real = dt.startswith('float')
    f = d.pick('np.fft.rfft(x)', 'np.abs(np.fft.rfft(x)) ** 2', f'np.fft.irfft(np.fft.rfft(x) * 2, {n})') if real else \
        d.pick('np.fft.fft(x)', 'np.fft.ifft(x)', 'np.abs(np.fft.fft(x))', 'np.fft.fft(x, axis=0)')
    return Work('transforms', f, {'x': In((b, n), dt)}, torch=f.replace('np.', 'torch.').replace('axis', 'dim'),
                tol=60, ops=b * n * 20)


def transform2(d):
    s = [max(12, v) for v in d.shape(2, d.total(1e7, 1000))]
    b = d.pick(1, 1, 3)
    f = d.pick('np.fft.fft2(x)', 'np.fft.ifft2(np.fft.fft2(x) * 0.5)', 'np.fft.rfft2(x.real)',
               'np.fft.fftshift(np.abs(np.fft.fft2(x)))')
    return Work('transforms', f, {'x': In((b, s[0] // b + 2, s[1]), 'complex64')}, torch=f.replace('np.', 'torch.'),
                tol=60, ops=s[0] * s[1] * 40)


def convolution(d):
    n = d.total(5e6, 2000)
    k = d.n(50, max(60, n / 10))
    m = 1 << (n + k - 2).bit_length()
    f = f'np.fft.irfft(np.fft.rfft(x, {m}) * np.fft.rfft(h, {m}), {m})[:{n + k - 1}]'
    return Work('transforms', f, {'x': In((n,), 'float32'), 'h': In((k,), 'float32')}, torch=f.replace('np.', 'torch.'),
                tol=100, ops=n * 60)


# Attention and layers

def attention(d):
    dt = d.dtype(('float32', 'float16', 'bfloat16', 'float32'))
    b, h, c = d.n(1, 6), d.n(1, 12), d.pick(16, 32, 64, 80, 128)
    t = d.n(20, 1500 / d.shrink ** 0.4)
    causal = d.chance(0.4)
    f = f's = q @ k.swapaxes(-1, -2) * {round(c ** -0.5, 5)}\n'
    if causal:
        f += f"s = np.where(np.arange({t})[:, None] >= np.arange({t}), s, -1e4)\n"
    f += ('e = np.exp(s - s.max(axis=-1, keepdims=True))\nreturn (e / e.sum(axis=-1, keepdims=True)) @ v')
    ins = {n: In((b, h, t, c), dt) for n in 'qkv'}
    return Work('attention and layers', f, ins, tol=100, ops=b * h * t * t * (c / 2 + 20),
                torch=f'F.scaled_dot_product_attention(q, k, v, is_causal={causal})')


def group_norm(d):
    b, g, k, h = d.n(1, 20), d.pick(2, 4, 8), d.n(2, 20), d.n(5, 70)
    f = (f'y = x.reshape({b}, {g}, -1)\nm = y.mean(axis=-1, keepdims=True)\nv = y.var(axis=-1, keepdims=True)\n'
         f'return ((y - m) / np.sqrt(v + 1e-3)).reshape({b}, {g * k}, {h}, {h})')
    return Work('attention and layers', f, {'x': In((b, g * k, h, h), d.dtype(('float32', 'float16')))}, compiled=True,
                torch=f'F.group_norm(x, {g}, None, None, 1e-3)', tol=60)


def conv_layer(d):
    b, c, o, h, k = d.n(1, 9), d.n(1, 40), d.n(1, 50), d.n(9, 70), d.pick(1, 3, 3, 5)
    f = f"np.einsum('bchwij,ocij->bohw', L.win(x, ({k}, {k}), axis=(2, 3)), w)"
    return Work('attention and layers', f, {'x': In((b, c, h, h + 1), 'float32'), 'w': In((o, c, k, k), 'float32')},
                torch='F.conv2d(x, w)', tol=100, ops=b * c * o * h * h * k * k)


def swiglu(d):
    dt = d.dtype(('float32', 'float16', 'bfloat16'))
    n, c = d.rows(d.total(2e7), 10, 6000)
    c += c % 2
    f = f'a, b = x[:, :{c // 2}], x[:, {c // 2}:]\nreturn a / (1 + np.exp(-a)) * b'
    t = 'a, b = x.chunk(2, dim=1)\nreturn F.silu(a) * b'
    return Work('attention and layers', f, {'x': In((n, c), dt)}, torch=t, compiled=True, tol=20)


def residual_norm(d):
    dt = d.dtype(('float32', 'float16', 'bfloat16'))
    n, c = d.rows(d.total(2e7), 10, 6000)
    f = ('t = x + y\nm = t.mean(axis=1, keepdims=True)\nv = ((t - m) ** 2).mean(axis=1, keepdims=True)\n'
         'return t, (t - m) / np.sqrt(v + 1e-3) * g')
    t = f't = x + y\nreturn t, F.layer_norm(t, ({c},), g, None, 1e-3)'
    return Work('attention and layers', f, {'x': In((n, c), dt), 'y': In((n, c), dt), 'g': In((c,), dt)}, torch=t,
                compiled=True, tol=60)


def rotary(d):
    dt = d.dtype(('float32', 'float16', 'bfloat16'))
    b, t, h, c = d.n(1, 5), d.n(20, 900), d.n(1, 12), d.pick(16, 32, 64)
    f = (f'a, b = x[..., :{c}], x[..., {c}:]\n'
         'return np.concatenate([a * co - b * si, a * si + b * co], axis=-1)')
    return Work('attention and layers', f, {'x': In((b, h, t, 2 * c), dt), 'co': In((t, c), dt), 'si': In((t, c), dt)},
                torch=f.replace('np.concatenate', 'torch.cat').replace('axis', 'dim'), compiled=True, tol=8)


# Updates in loops

def heat(d):
    m, n = [max(9, v) for v in d.shape(2, d.total(5e6, 900))]
    k = d.r.randint(5, 15)
    f = (f'u = x.copy()\nfor _ in range({k}):\n    u = L.set(u, S[1:-1, 1:-1], u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + '
         'u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]))\nreturn u')
    return Work('loops', f, {'x': In((m, n), d.dtype(WIDE))}, torch=f.replace('.copy()', '.clone()'), compiled=True,
                tol=40, ops=m * n * k * 6)


def wave(d):
    n, k = d.total(5e6, 900), d.r.randint(5, 15)
    f = (f'u, w = x, x\nfor _ in range({k}):\n    a = np.roll(u, 1) + np.roll(u, -1) - 2 * u\n'
         '    u, w = 2 * u - w + 0.1 * a, u\nreturn u')
    return Work('loops', f, {'x': In((n,), d.dtype(WIDE))}, torch=True, compiled=True, tol=100, ops=n * k * 6)


def many(d):
    """Many small operations, one after the other."""
    n, k = d.n(10, 20000), d.r.randint(5, 12)
    f = f'for i in range({k}):\n    x = np.sin(x) * 0.5 + y\n    y = y - 0.1 * x * y\nreturn x + y'
    return Work('loops', f, {'x': In((n,), 'float32'), 'y': In((n,), 'float32')}, torch=True, compiled=True, tol=40)


def descent(d):
    n, c = d.rows(d.total(5e6, 900), 2, 100)
    k = d.r.randint(2, 5)
    f = (f'w = np.zeros_like(x[0])\nfor _ in range({k}):\n    p = 1 / (1 + np.exp(-(x @ w)))\n'
         f'    w = w - 0.1 * (x.T @ (p - y)) / {n}\nreturn w')
    return Work('loops', f, {'x': In((n, c), 'float32'), 'y': In((n,), 'float32', 'unit')}, torch=True, compiled=True,
                tol=200, ops=n * c * k * 2)


def power(d):
    n, k = d.n(30, 2000 / d.shrink ** 0.5), d.r.randint(3, 8)
    f = f'for _ in range({k}):\n    v = a @ v\n    v = v / np.sqrt((v * v).sum())\nreturn v'
    return Work('loops', f, {'a': In((n, n), 'float32', 'unit'), 'v': In((n,), 'float32', 'pos')}, torch=True,
                compiled=True, tol=100, ops=n * n * k)


def mandelbrot(d):
    m, n = [max(9, v) for v in d.shape(2, d.total(5e6, 900))]
    k = d.r.randint(5, 15)
    f = (f"z, n = c * 0, L.cast(np.abs(c) * 0, 'int32')\nfor _ in range({k}):\n    z = z * z + c\n"
         "    n = n + (np.abs(z) < 2)\nreturn n")
    return Work('loops', f, {'c': In((m, n), 'complex64')}, torch=f.replace('np.', 'torch.'), compiled=False,
                tol=3e3, ops=m * n * k * 8, check='mostly')


def nbody(d):
    n = d.n(30, 4000 / d.shrink ** 0.5)
    f = ('r = p[None] - p[:, None]\ns = (r * r).sum(axis=-1) + 1e-2\nreturn (r / (s * np.sqrt(s))[..., None]).sum(axis=1)')
    return Work('loops', f, {'p': In((n, 3), 'float32')}, torch=f.replace('axis', 'dim').replace('np.', 'torch.'),
                compiled=True, tol=200, ops=n * n * 20)


def kmeans(d):
    n, c, k = d.total(1e6, 300), d.n(2, 40), d.n(2, 50)
    f = (f'j = ((x * x).sum(axis=1)[:, None] - 2 * (x @ m.T) + (m * m).sum(axis=1)).argmin(axis=1)\n'
         f"s = L.add_at(np.zeros(({k}, {c}), dtype=L.dt['float32']), j, x)\n"
         f'return s / np.maximum(np.bincount(j, minlength={k}), 1)[:, None]')
    t = (f'j = ((x * x).sum(1)[:, None] - 2 * (x @ m.T) + (m * m).sum(1)).argmin(1)\n'
         f's = torch.zeros(({k}, {c}), device=x.device).index_add_(0, j, x)\n'
         f'return s / torch.bincount(j, minlength={k}).clamp(min=1)[:, None]')
    return Work('loops', f, {'x': In((n, c), 'float32'), 'm': In((k, c), 'float32')}, torch=t, tol=3000,
                ops=n * c * k)


KINDS = {
    'products': [product, product, product, vector, batched, gram, quadratic, distances, einsum, layer],
    'small matrices': [small, small, small, small_product, cross],
    'tall systems': [tall, tall, dense],
    'transforms': [transform, transform, transform2, convolution],
    'attention and layers': [attention, attention, group_norm, conv_layer, swiglu, residual_norm, rotary],
    'loops': [heat, wave, many, descent, power, mandelbrot, nbody, kmeans],
}
