# SPDX-License-Identifier: BSD-3-Clause
"""The classes of work that lagged when only the rows of `gnd bench` had been tuned, each by the examples that showed
it, with their sizes: `run.py --classes`. They are not drawn, so that their times can be followed."""
from work import In, Work


def windows(n):
    taps = ' + '.join(f'{c} * x[{i}:{i - 6 or None}]' for i, c in enumerate((1, 6, 15, 20, 15, 6, 1)))
    across = ' + '.join(f'{c} * t[:, {i}:{i - 6 or None}]' for i, c in enumerate((1, 6, 15, 20, 15, 6, 1)))
    image = {'x': In((n(2001), 1999), 'uint8', 'any')}
    color = {'x': In((n(1501), 2003, 3), 'uint8', 'any')}
    return [
        Work('convolution', "np.convolve(x, w, 'valid')", {'x': In((n(1000000),)), 'w': In((101,))}, tol=40,
             torch='F.conv1d(x[None, None], w.flip(0)[None, None])[0, 0]'),
        Work('convolution', f't = {taps}\nreturn {across}'.replace(':None', ':'), {'x': In((n(2001), 1999))},
             torch=True, compiled=True, tol=60),
        Work('small dtypes', 'np.rot90(x).copy()', image, torch='torch.rot90(x).contiguous()'),
        Work('small dtypes', "L.cast(x[:, ::-1], 'float32') / 255", image, compiled=True,
             torch='torch.flip(x, (1,)).float() / 255'),
        Work('small dtypes', 'x[..., 0] * 0.299 + x[..., 1] * 0.587 + x[..., 2] * 0.114', color, torch=True,
             compiled=True, tol=1e5),
        Work('small dtypes', '(x > 100).sum(axis=(0, 1))', color, torch='(x > 100).sum(dim=(0, 1))', compiled=True),
        Work('small dtypes', 'x.transpose(2, 0, 1).copy()', color, torch='x.permute(2, 0, 1).contiguous()'),
    ]


def matrices(n):
    def batch(f, b, k, dtype='float32', dist='diag', more=None):
        return Work('small matrices', f, {'a': In((n(b), k, k), dtype, dist), **(more or {})}, tol=1000,
                    torch=f.replace('np.', 'torch.'))
    tall = {'x': In((n(10000), 100)), 'y': In((n(10000),))}
    return [
        batch('np.linalg.det(a)', 1000000, 3), batch('np.linalg.det(a)', 1000000, 4),
        batch('np.linalg.inv(a)', 1000000, 3), batch('np.linalg.inv(a)', 1000000, 4),
        batch('np.linalg.solve(a, v)', 100000, 4, more={'v': In((n(100000), 4, 1))}),
        batch('np.linalg.solve(a, v)', 20000, 8, 'float64', more={'v': In((n(20000), 8, 1), 'float64')}),
        batch('np.linalg.cholesky(a)', 2000, 64, dist='spd'), batch('np.linalg.eigh(a)[0]', 1000, 32, dist='spd'),
        Work('tall systems', 'np.linalg.lstsq(x, y, rcond=None)[0]', tall, tol=1000,
             torch='torch.linalg.lstsq(x, y[:, None]).solution[:, 0]'),
        Work('tall systems', 'np.linalg.svd(x, full_matrices=False)[1]', {'x': In((n(2000), 50))}, tol=1000,
             torch='torch.linalg.svd(x, full_matrices=False).S'),
    ]


def statistics(n):
    narrow, gaps = {'x': In((n(1000000), 50))}, {'x': In((n(1000000), 50), dist='nan')}
    picture = {'x': In((n(32), 64, 56, 58))}
    rows = {'x': In((n(4096), 5120), 'float16'), 'g': In((5120,), 'float16')}
    return [
        Work('columns', '(x - x.mean(axis=0)) / x.std(axis=0)', narrow, compiled=True, tol=60,
             torch='(x - x.mean(dim=0)) / x.std(dim=0, correction=0)'),
        Work('columns', 'np.cov(x, rowvar=False)', narrow, torch='torch.cov(x.T)', compiled=True, tol=60),
        Work('columns', 'np.nanmean(x, axis=0)', gaps, torch='torch.nanmean(x, dim=0)', compiled=True, tol=60),
        Work('columns', 'np.nanstd(x, axis=0)', gaps, compiled=True, tol=60,
             torch='m = torch.nanmean(x, dim=0)\nreturn torch.sqrt(torch.nanmean((x - m) ** 2, dim=0))'),
        Work('columns', 'm = x.max(axis=0)\nreturn m + np.log(np.exp(x - m).sum(axis=0))', narrow, compiled=True,
             torch='torch.logsumexp(x, dim=0)', tol=60),
        Work('columns', 'm = x.mean(axis=(0, 2, 3), keepdims=True)\nv = x.var(axis=(0, 2, 3), keepdims=True)\n'
             'return (x - m) / np.sqrt(v + 1e-3)', picture, compiled=True, tol=60,
             torch='F.batch_norm(x, None, None, None, None, True, 0.1, 1e-3)'),
        Work('rows', 'x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-3) * g', rows, compiled=True, tol=60,
             torch='F.rms_norm(x, (5120,), g, 1e-3)'),
        Work('rows', 'm = x.max(axis=1, keepdims=True)\nl = x - m - np.log(np.exp(x - m).sum(axis=1, keepdims=True))\n'
             'return -np.take_along_axis(l, y[:, None], axis=1).mean()',
             {'x': In((n(8191), 1003)), 'y': In((n(8191),), 'int64', ('below', 1003))}, compiled=True, tol=60,
             torch='F.cross_entropy(x, y)'),
        Work('rows', 't = np.where(k, x, -1e9)\ne = np.exp(t - t.max(axis=1, keepdims=True))\n'
             'return e / e.sum(axis=1, keepdims=True)', {'x': In((n(30011), 297)), 'k': In((n(30011), 297), 'bool', 'half')},
             compiled=True, torch='F.softmax(x.masked_fill(~k, -1e9), dim=1)', tol=20),
        Work('rows', 'i = np.argmin(x, axis=1)\nreturn np.take_along_axis(x, i[:, None], axis=1)[:, 0]',
             {'x': In((n(100003), 97))}, compiled=True,
             torch='i = torch.argmin(x, dim=1)\nreturn torch.gather(x, 1, i[:, None])[:, 0]'),
        Work('rows', 'x * np.minimum(1, 2 / np.sqrt((x * x).sum(axis=1, keepdims=True)))', {'x': In((n(100003), 97))},
             torch='x * (2 / torch.linalg.vector_norm(x, dim=1, keepdim=True)).clamp(max=1)', compiled=True, tol=20),
    ]


def consumed(n):
    long, table = In((n(10000019),)), In((n(1000),), dist='sorted')
    return [
        Work('consumed at once', 'x[x > 0].mean()', {'x': long}, torch=True, tol=60),
        Work('consumed at once', 'g, h = np.gradient(x)\nreturn np.sqrt(g * g + h * h)', {'x': In((n(3001), 2999))},
             torch='g, h = torch.gradient(x)\nreturn torch.sqrt(g * g + h * h)', compiled=True, tol=16),
        Work('consumed at once', 'np.interp(x, s, v)', {'x': long, 's': table, 'v': In(table.shape)}, tol=2000),
        Work('consumed at once', 'np.digitize(x, s)', {'x': long, 's': table},
             torch='torch.bucketize(x, s, right=True)'),
        Work('consumed at once', '((x[1:] + x[:-1]) * (t[1:] - t[:-1])).sum() / 2',
             {'x': In((n(5000003),), 'float64', 'pos'), 't': In((n(5000003),), 'float64', 'sorted')}, compiled=True,
             torch='torch.trapezoid(x, t)', tol=200),
        Work('consumed at once', 'np.cross(x, y)', {'x': In((n(3000000), 3)), 'y': In((n(3000000), 3))},
             torch='torch.linalg.cross(x, y)', compiled=True, tol=40),
        Work('consumed at once', 'np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)', {'x': In((n(1501), 1499))},
             torch='x.repeat_interleave(2, 0).repeat_interleave(2, 1)', compiled=True),
        Work('consumed at once', f'x.reshape({n(1501)}, 2, 1499, 2).max(axis=(1, 3))', {'x': In((2 * n(1501), 2998))},
             torch='F.max_pool2d(x[None, None], 2)[0, 0]'),
    ]


def places(n):
    many, most, rows = n(10000019), n(100000000), n(1000000)
    return [
        Work('scatters and selections', "L.add_at(np.zeros((10000, 16), dtype=L.dt['float32']), i, v)",
             {'i': In((rows,), 'int64', ('below', 10000)), 'v': In((rows, 16), dist='pos')}, tol=60,
             torch='torch.zeros((10000, 16), device=v.device).index_add_(0, i, v)'),
        Work('scatters and selections', 'L.permutation(x)', {'x': In((many,))}, torch='L.permutation(x)',
             check='stats'),
        Work('scatters and selections', f'np.partition(x, {most - 10})[{most - 10}:]', {'x': In((most,))},
             torch='torch.topk(x, 10, sorted=False).values', check='sorted'),
        Work('scatters and selections', 'np.percentile(x, 90)', {'x': In((many,))}, tol=20),
        Work('scatters and selections', 'np.median(x)', {'x': In((many,))}, tol=20),
        Work('scatters and selections', f'np.partition(x, {many // 2})[{many // 2}]', {'x': In((many,))},
             torch=f'torch.kthvalue(x, {many // 2 + 1}).values'),
        Work('scans', 'np.cumsum(x)', {'x': In((many,), 'float64', 'pos')}, torch='torch.cumsum(x, dim=0)', tol=60),
    ]


def layers(n):
    attention = ('s = q @ k.swapaxes(-1, -2) * 0.125\ne = np.exp(s - s.max(axis=-1, keepdims=True))\n'
                 'return (e / e.sum(axis=-1, keepdims=True)) @ v')
    return [
        Work('layers', attention, {k: In((4, 12, n(1024), 64), 'float16') for k in 'qkv'}, tol=100,
             torch='F.scaled_dot_product_attention(q, k, v)'),
        Work('layers', 't = x @ w + b\nreturn 0.5 * t * (1 + np.tanh(0.79788 * (t + 0.044715 * t * t * t)))',
             {'x': In((n(4096), 1023), 'bfloat16'), 'w': In((1023, 4095), 'bfloat16'), 'b': In((4095,), 'bfloat16')},
             torch="F.gelu(F.linear(x, w.T, b), approximate='tanh')", compiled=True, tol=300),
        Work('layers', 'x @ y', {'x': In((n(2048), 2048), 'float16'), 'y': In((2048, 2048), 'float16')}, torch=True,
             tol=100),
        Work('layers', 'x @ y', {'x': In((n(2048), 2048), 'bfloat16'), 'y': In((2048, 2048), 'bfloat16')}, torch=True,
             tol=100),
        Work('layers', 'x @ y', {'x': In((n(2048), 2048), 'float64'), 'y': In((2048, 2048), 'float64')}, torch=True,
             tol=100),
        Work('layers', 'np.fft.fft(x)', {'x': In((n(1000), 4096), 'complex64')}, torch=True, tol=60),
        Work('layers', 'np.fft.fft(x)', {'x': In((1, n(1 << 22)), 'complex64')}, torch=True, tol=60),
    ]


def launches(n):
    life = ('for _ in range(5):\n    c = np.roll(x, 1, 0) + np.roll(x, -1, 0)\n    c = c + x\n'
            '    c = c + np.roll(c, 1, 1) + np.roll(c, -1, 1) - x\n'
            '    x = np.where((c == 3) | ((c == 2) & (x == 1)), 1, 0)\nreturn x')
    wave = ('u, w = x, x\nfor _ in range(20):\n    a = np.roll(u, 1) + np.roll(u, -1) - 2 * u\n'
            '    u, w = 2 * u - w + 0.1 * a, u\nreturn u')
    return [
        Work('launches', 'for i in range(25):\n    x = np.sin(x) * 0.5\n    x = x + y\nreturn x',
             {'x': In((1000,)), 'y': In((1000,))}, torch=True, compiled=True, tol=40),
        Work('launches', life, {'x': In((n(501), 499), 'int32', ('below', 2))}, torch=True, compiled=True),
        Work('launches', wave, {'x': In((n(100003),))}, torch=True, compiled=True, tol=100),
    ]


def works(shrink):
    """All of them in order. `shrink` divides the first extent, down to 40."""
    def n(extent):
        return max(min(extent, 40), int(extent / shrink))
    parts = (windows, matrices, statistics, consumed, places, layers, launches)
    out = [w for part in parts for w in part(n)]
    for number, w in enumerate(out):
        w.number = number
    return out
