# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_python.py - gnd.mpi on the ranks that mpi_python.sh starts: against NumPy, which every rank has whole. A check has
# passed if it has on all ranks; rank 0 tells. One rank: without mpi4py, several: with it, where it is installed.
import os
import random
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.environ['GND_SRCDIR'], 'tests', 'python'))
import pytap as t  # noqa: E402
from pytap import gnd  # noqa: E402
import gnd.mpi as gm  # noqa: E402

RANKS = int(os.environ.get('OMPI_COMM_WORLD_SIZE') or os.environ.get('PMI_SIZE') or 1)
ALL = 'GND_TEST_ALL' in os.environ
MPI = None
if RANKS > 1:
    try:
        import mpi4py
        mpi4py.rc.initialize = False
        from mpi4py import MPI
        if ' '.join(MPI.Get_library_version().rstrip('\0').split()) != ' '.join(gm._mpi._library().split()):
            MPI = None  # of another MPI than libgnd-mpi's
            del sys.modules['mpi4py.MPI']
        else:
            MPI.Init()
    except ImportError:
        pass
# What compiles kernels of its own in PoCL: the tests in C have them.
DEAR = set() if ALL else set('argmax|mean and std|cumsum|sort|unique|fft|norm|modf|an array of NumPy'.split('|'))
rng = np.random.default_rng(5)
choose = random.Random(5)


def ok(passed, name):
    """One check: on all ranks."""
    flags = ctx.wrap(np.asarray([bool(passed)])).asnumpy()
    if ctx.rank == 0:
        t.ok(flags.all(), name if flags.all() else f'{name}: wrong on ranks {np.flatnonzero(~flags).tolist()}')


def same(got, want, tolerance=1e-10):
    """Whether an array, a number or a tuple of arrays is what NumPy gives."""
    if isinstance(want, tuple):
        return len(got) == len(want) and all(same(g, w, tolerance) for g, w in zip(got, want))
    g, w = got.asnumpy() if isinstance(got, gm.ndarray) else np.asarray(got), np.asarray(want)
    if g.shape != w.shape or g.dtype != w.dtype:
        return False
    return bool(np.allclose(g, w, rtol=tolerance, atol=tolerance, equal_nan=True) if w.dtype.kind in 'fc' else (g == w).all())


def raises(error, f, name, text=''):
    try:
        f()
        ok(False, f'{name}: no exception')
    except Exception as e:
        right = isinstance(e, error) and text in str(e)
        ok(right, name if right else f'{name}: {type(e).__name__}: {e}')


def partitions(shape):
    """One with odd cuts, the last rank's part being empty. With GND_TEST_ALL for each axis, and an even one and copies."""
    if ALL or ctx.size == 1:
        yield ctx.partition(shape, by='even')
    if ALL:
        yield ctx.partition(shape, by='replicated')
    for d in range(len(shape) if ALL else 1):
        cuts = [None] * len(shape)
        cuts[d] = [0, *sorted(choose.choices(range(shape[d] + 1), k=ctx.size - 2)), shape[d], shape[d]]
        if ctx.size > 1:
            yield ctx.partition(shape, cuts=cuts)


FUNCTIONS = [
    ('numbers', lambda m, x: (2 * x + 1) / 3 - x ** 2),
    ('comparisons', lambda m, x: (x > 0.2) & ~(x <= 0.7) | (x == x[0, 0]) ^ (1 > x)),
    ('sqrt of abs', lambda m, x: m.sqrt(abs(-x))),
    ('where', lambda m, x: m.where(x > 0.5, x, -x)),
    ('sum', lambda m, x: m.sum(x, axis=0)),
    ('sum by keyword', lambda m, x: x.sum(axis=(0, 1), keepdims=True)),
    ('mean and std', lambda m, x: (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)),
    ('argmax', lambda m, x: x.argmax(axis=0)),
    ('cumsum', lambda m, x: m.cumsum(x, axis=0)),
    ('sort', lambda m, x: m.sort(x, axis=0)),
    ('matmul', lambda m, x: x.T @ x),
    ('clip', lambda m, x: m.clip(x, 0.2, 0.8)),
    ('transpose', lambda m, x: x.transpose(1, 0)),
    ('reshape', lambda m, x: x.reshape(-1)),
    ('an index', lambda m, x: x[1:-1, None, ::2]),
    ('an int', lambda m, x: x[-1]),
    ('rows by a list', lambda m, x: x[[3, 0, 3]]),
    ('a mask', lambda m, x: x[x > 0.5]),
    ('a list as an operand', lambda m, x: x + [1.0, 2.0, 3.0, 4.0, 5.0]),
    ('an array of NumPy', lambda m, x: np.arange(5.0) * x),
    ('astype', lambda m, x: (10 * x).astype(np.int32)),
    ('modf', lambda m, x: tuple(m.modf(3 * x))),
    ('unique', lambda m, x: m.unique((4 * x).astype(np.int64))),
    ('fft', lambda m, x: m.fft.fft(x, axis=0)),
    ('norm', lambda m, x: m.linalg.norm(x)),
    ('lists', lambda m, x: m.concatenate([x, m.stack((x[0], x[-1]))])),
    ('pieces and shifts', lambda m, x: m.pad(m.roll(m.split(x, [3, 5])[2], 2, axis=0), 1)),
    ('rows set', lambda m, x: m.insert(m.delete(x, 2, axis=0), 1, 5, axis=1)),
]


def test_functions():
    a = rng.random((9, 5))
    for p in partitions(a.shape):
        x = ctx.array(a, partition=p)
        wrong = []
        for name, f in FUNCTIONS:
            if name in DEAR:
                continue
            try:
                if not same(f(gm, x), f(np, a)):
                    wrong.append(name)
            except Exception as e:
                wrong.append(f'{name}: {type(e).__name__}: {e}')
        if wrong:
            t.say(wrong)
        ok(not wrong and x.partition == p, f'{len(FUNCTIONS) - len(DEAR)} functions of {p.boxes()}')


# Keys with arrays: one, several, beside ints, masks, new axes and ellipses, and those that are errors.
KEYS = [np.s_[:, [0, 2]], np.s_[[0, 1], [1, 2]], np.s_[[-1, 0], :, [1, -2]], np.s_[:, [[0], [1]], [1, 2]], np.s_[:, [5]], np.s_[[0, 7], 1, [0, 0]],
        np.s_[:, [0.5]], np.s_[:, [True, False]]]
if ALL:
    KEYS += [np.s_[..., [0, -1, 3]], np.s_[0, :, [1, 2]], np.s_[:, 0, [1, 2]], np.s_[[0, 1], None, [1, 2]], np.s_[[0, 1], ..., [1, 2]],
             np.s_[[0, 1], ..., [1, 2], [0, 3]], np.s_[[[0], [6]], :, [[1, 2]]], np.s_[2:, [2, 0], ::2], np.s_[:, :, []], np.s_[:, [True, False, True]],
             np.s_[[True] * 3 + [False] * 4, :, 1], np.s_[np.int64(3), [1, 2]], np.s_[:, np.arange(12).reshape(3, 4) % 5 < 2], np.s_[[1, 2], [0, 1], None],
             np.s_[[3], [1], 3], np.s_[[0, 9], [0, 0]], np.s_[0, 0, 0, [1]], np.s_[..., [1], ...]]


def attempt(f, x):
    """What f makes of x, or the type of its error."""
    try:
        return f(x)
    except Exception as e:
        return type(e)


def test_indices():
    a = rng.random((7, 3, 4))
    for p in partitions(a.shape):
        x = ctx.array(a, partition=p)
        wrong = []
        for key in KEYS:
            got, want = attempt(lambda z: z[key], x), attempt(lambda z: z[key], a)
            if not (got is want if isinstance(want, type) or isinstance(got, type) else same(got, want, 0)):
                wrong.append((key, got))
        i, j = gm.array([2, 0, -1]), np.array([2, 0, -1])
        pairs = [('arrays of all ranks', x[i, i], a[j, j]), ('of no rows', x[:0][:, [0, 2]], a[:0][:, [0, 2]])]
        if ALL:
            pairs += [('an array of all ranks', x[:, i], a[:, j]),
                      ('a mask of two axes', x[x[..., 0] > 0.5], a[a[..., 0] > 0.5])]
        wrong += [name for name, got, want in pairs if not same(got, want, 0)]
        b = a.copy()
        for z in (b, x):
            z[1:, [0, -1]] = 2
            z[[4, 4], :, 1] = 3
            z[..., np.arange(4) > 2] = 4
        ok(not wrong and same(x, b, 0) and x.partition == p, f'{len(KEYS)} keys of arrays in {p.boxes()}{wrong or ""}')
    raises(IndexError, lambda: x[gm.array([1, 9]), gm.array([0, 0])], 'an index out of range', 'out of bounds for axis 0')
    raises(IndexError, lambda: x[:, True], 'True as an index', 'x[None] adds an axis')
    raises(NotImplementedError, lambda: x.__setitem__(([0, 1], [0, 1]), 1), 'several arrays set', 'gnd.mpi.put')
    raises(NotImplementedError, lambda: x.__setitem__(gm.array([1]), 1), 'elements that a distributed array names', 'gnd.mpi.where')


# Names that are no functions of gnd's table; f(m, z): m is gnd.mpi or NumPy, z has the arrays that test_composed makes.
COMPOSED = [
    ('constants', lambda m, z: np.array([m.pi, m.e, m.inf, m.euler_gamma]) * (m.newaxis is None)),
    ('types', lambda m, z: m.zeros(3, dtype=m.int16)),
    ('vdot', lambda m, z: m.vdot(z['c'], z['c'])),
    ('matvec', lambda m, z: m.matvec(z['a'], z['c']) if m is gm else z['a'] @ z['c']),
    ('vecmat', lambda m, z: m.vecmat(z['w'], z['a']) if m is gm else z['w'].conj() @ z['a']),
    ('unravel_index', lambda m, z: m.unravel_index(z['i'], (5, 7))),
    ('ravel_multi_index', lambda m, z: m.ravel_multi_index((z['i'] % 5, z['i'] % 7), (5, 7))),
    ('packbits', lambda m, z: m.packbits(z['b'], axis=1)),
    ('unpackbits', lambda m, z: m.unpackbits(z['u'], axis=1, count=30)),
    ('fromfunction', lambda m, z: m.fromfunction(lambda x, y: x * 10 + y, (7, 5))),
    ('hanning', lambda m, z: m.hanning(9)),
    ('r_', lambda m, z: m.r_[z['v'], 1:4, 7.5]),
    ('mgrid', lambda m, z: m.mgrid[0:4, 1:3]),
    ('text', lambda m, z: np.array([m.array_repr(z['v']), m.array_str(z['a'])])),
    ('polyder', lambda m, z: m.polyder(z['v'])),
    ('polymul', lambda m, z: m.polymul(z['v'], z['w'])),
    ('polydiv', lambda m, z: m.polydiv(z['v'], z['v'][:3])),
    ('loadtxt', lambda m, z: m.loadtxt(['1 2', '3 4'])),
    ('einsum_path', lambda m, z: np.array([str(m.einsum_path('ij,jk->ik', z['a'], z['a'].T)[0])])),
    ('shape and kinds', lambda m, z: np.array([*m.shape(z['a']), m.iscomplexobj(z['c']), m.isrealobj(z['c'])])),
]
DEAR_COMPOSED = [
    ('packbits of columns', lambda m, z: m.packbits(z['b'], axis=0)), ('packbits of all', lambda m, z: m.packbits(z['b'])),
    ('real_if_close', lambda m, z: m.real_if_close(z['c'])), ('sort_complex', lambda m, z: m.sort_complex(z['c'])),
    ('mask_indices', lambda m, z: m.mask_indices(4, m.triu, 1)), ('diag_indices_from', lambda m, z: m.diag_indices_from(z['a'][:5])),
    ('asarray_chkfinite', lambda m, z: m.asarray_chkfinite(z['a'])),
    ('apply_along_axis', lambda m, z: m.apply_along_axis(lambda r: r[:2] * 2, 1, z['a'])),
    ('apply_over_axes', lambda m, z: m.apply_over_axes(m.sum, z['a'], [0, 1])), ('ogrid', lambda m, z: tuple(m.ogrid[0:4, 0:1:5j])),
    ('c_', lambda m, z: m.c_[z['v'], z['v']]), ('polyadd', lambda m, z: m.polyadd(z['v'], z['c'])),
    ('polysub', lambda m, z: m.polysub(z['c'], z['v'])), ('polyint', lambda m, z: m.polyint(z['v'], 2)),
    ('trim_zeros', lambda m, z: m.trim_zeros(z['v'] * (z['v'] > 0.5))), ('poly', lambda m, z: m.poly(z['v'])),
    ('roots', lambda m, z: np.sort_complex(m.roots(z['v']).asnumpy() if m is gm else m.roots(z['v']))),
    ('bartlett', lambda m, z: m.bartlett(9)), ('blackman', lambda m, z: m.blackman(9)), ('hamming', lambda m, z: m.hamming(9)),
    ('kaiser', lambda m, z: m.kaiser(9, 3)), ('windows of a point and none', lambda m, z: (m.hanning(1), m.hanning(0))),
    ('fromiter', lambda m, z: m.fromiter(range(9), float)), ('frombuffer', lambda m, z: m.frombuffer(bytes(range(16)), np.uint8)),
    ('tensorinv', lambda m, z: m.linalg.tensorinv(m.eye(24).reshape((4, 6, 8, 3)))),
    ('tensorsolve', lambda m, z: m.linalg.tensorsolve(2 * m.eye(6).reshape((2, 3, 6)), m.ones((2, 3)))),
]


def test_composed():
    i = rng.integers(0, 35, (7, 4))
    z = dict(a=rng.random((7, 5)), v=rng.random(7), w=rng.random(7), c=rng.random(5) + 1j * rng.random(5), i=i, b=rng.random((7, 9)) > 0.5,
             u=(7 * i).astype(np.uint8))
    spread = {k: ctx.array(v, partition=next(partitions(v.shape))) for k, v in z.items()}
    wrong = []
    for name, f in COMPOSED + (DEAR_COMPOSED if ALL else []):
        try:
            if not same(f(gm, spread), f(np, z)):
                wrong.append(name)
        except Exception as e:
            wrong.append(f'{name}: {type(e).__name__}: {e}')
    if wrong:
        t.say(wrong)
    ok(not wrong, f'{len(COMPOSED)} names that are composed')
    hidden = {n for n in dir(gnd) if not n.startswith('_') and n not in gnd._LAZY} - set(dir(gm)) - set(gm._composed.LACKING)
    hidden |= {f'{m}.{n}' for m in ('linalg', 'fft', 'random', 'special', 'signal') for n in
               set(dir(getattr(gnd, m))) - set(dir(getattr(gm, m))) if not n.startswith('_') and f'{m}.{n}' not in gm._composed.LACKING}
    ok(not hidden, f'names of gnd that gnd.mpi has not say why {sorted(hidden) or ""}')
    raises(AttributeError, lambda: gm.random.default_rng, 'a generator', 'gnd.mpi.random.seed')
    raises(AttributeError, lambda: gm.poly1d, 'poly1d', 'gnd.mpi.polyval')
    raises(ValueError, lambda: gm.vdot(spread['v'], spread['c']), 'vdot of unlike sizes', 'vdot: 7 and 5 elements')
    folder = sys.argv[1]
    gm.savetxt(folder + '/a.txt', spread['a'])
    gm.savez(folder + '/z.npz', spread['v'], w=spread['w'])
    with np.load(folder + '/z.npz') as f:
        ok(same(np.loadtxt(folder + '/a.txt'), z['a']) and same(f['arr_0'], z['v'], 0) and same(f['w'], z['w'], 0),
           'files that one rank writes')
    raises(OSError, lambda: gm.savetxt('/nowhere/x', spread['a']), 'a file that rank 0 cannot write')


def test_data():
    for dtype in 'bool int8 uint16 int64 float16 float32 complex64 >f8'.split() if ALL else ('bool', '>f8', 'complex64'):
        a = (rng.random((4, 3, 2)) * 100).astype(dtype)
        for b in (a, a[::2, ::-1], a.T, a[:0], a[0, 0, 0]) if ALL else (a.T, a[:0], a[0, 0, 0]):
            ok(same(ctx.array(b), b.astype(b.dtype.newbyteorder('=')), 0), f'{dtype} {b.shape} there and back')
    a = rng.random((7, 4)).astype(np.float32)
    x = gm.array(gnd.asarray(a), partition=ctx.partition(a.shape, by='even'))
    ok(same(x, a, 0) and same(gnd.asnumpy(x.local), a[x.partition.box()], 0), "an array of gnd's, and its local part")
    ok(x.shape == (7, 4) and x.dtype == np.float32 and x.ndim == 2 and x.size == 28 and len(x) == 7 and x.nbytes == 112,
       'shape, dtype, ndim, size, len, nbytes')
    root = ctx.size - 1
    whole = x.asnumpy(root=root)
    ok((whole is None) == (ctx.rank != root) and (whole is None or same(whole, a, 0)), 'gathered on one rank')
    ok(same(ctx.scatter(a if ctx.rank == root else None, root=root), a, 0), 'scattered from one rank')
    ok(same(ctx.scatter(np.float32(3), root=0), np.float32(3), 0), 'a number scattered')
    p = next(partitions(a.shape))
    y = ctx.scatter(gnd.asarray(a) if ctx.rank == root else None, dtype=np.float16, partition=p, root=root)
    ok(y.partition == p and same(y, a.astype(np.float16), 0), "gnd's array scattered in another dtype")
    b = gm.array(2.5).asnumpy(root=root)
    ok(b == 2.5 and b.shape == () if ctx.rank == root else b is None, 'a number gathered')
    raises(ValueError, lambda: x.asnumpy(root=ctx.size), 'a root that is not there', f'there are {ctx.size} ranks')
    raises(ValueError, lambda: ctx.scatter(a, root=-1), 'a root that is not there', f'there are {ctx.size} ranks')
    raises(ValueError, lambda: ctx.scatter(np.zeros((2, 2), 'U1') if ctx.rank == root else None, root=root),
           'what one rank cannot scatter is an error of all') if ctx.rank != root else raises(
        (TypeError, ValueError), lambda: ctx.scatter(np.zeros((2, 2), 'U1'), root=root),
        'what one rank cannot scatter is an error of all')
    mine = np.full((2, ctx.rank), ctx.rank, np.int16)
    y = ctx.wrap(mine, axis=1)
    ok(same(y, np.concatenate([np.full((2, r), r, np.int16) for r in range(ctx.size)], 1), 0), 'parts joined along an axis')
    z = x.redistribute(ctx.partition(a.shape, by='replicated'))
    ok(same(gnd.asnumpy(z.local), a, 0) and 'has [0:7, 0:4]' in repr(z), 'redistributed; its repr')
    ok(float(x.sum()) == float(x.sum()) and int(gm.array(3)) == 3 and bool(gm.array(True)) and complex(gm.array(2)) == 2,
       'float, int, bool, complex')
    ok(f'{gm.array(2.5):.2f}' == '2.50' and gm.array([1, 2]).tolist() == [1, 2] and [int(i) for i in gm.arange(3)] == [0, 1, 2],
       'format, tolist, iteration')
    gm.random.seed(11)
    numbers = gm.random.normal(size=(50, 2))
    gnd.random.seed(11)
    ok(same(numbers, gnd.asnumpy(gnd.random.normal(size=(50, 2))), 0), "random numbers are gnd's")
    p = ctx.partition((8, 6), by='even')
    ok(gm.zeros((8, 6), partition=p).partition == p, 'partition= of what makes arrays')


def test_assignments():
    a = rng.random((6, 4))
    for p in partitions(a.shape):
        b, x = a.copy(), ctx.array(a, partition=p)
        for z, m in ((b, np), (x, gm)):
            z[1:-1, 0] = 2
            z[-1] = m.sum(z)
            z[z > 1.5] = 0.25
            z[..., ::3] = 7
            z *= 2
            z += np.arange(4)
            m.multiply(z, 3, out=z)
        ok(same(x, b) and x.partition == p, f'assignments in {p.boxes()}')
    x = gm.arange(5)
    y = x
    x += 1
    ok(y is x and same(x, np.arange(1, 6)), 'in place changes the object')
    raises(TypeError, lambda: x.__iadd__(0.5), 'same_kind', "cannot be cast to int64")
    raises(ValueError, lambda: gm.arange(1).__iadd__(x), 'in place does not broadcast the left side')
    raises(NotImplementedError, lambda: x.__setitem__(slice(2), [1, 2]), 'an array to elements', 'gnd.mpi.where')
    raises(IndexError, lambda: x.__setitem__(9, 1), 'an index out of range')


def test_errors():
    x = gm.ones((4, 3))
    raises(ValueError, lambda: x + gm.ones(4), 'shapes that do not broadcast', 'add: shapes (4, 3) and (4,)')
    raises(np.linalg.LinAlgError, lambda: gm.linalg.inv(x), 'LinAlgError')
    raises(IndexError, lambda: x[7], 'an index')
    raises(TypeError, lambda: gnd.sum(x), "gnd's functions name gnd.mpi", 'gnd.mpi.sum')
    raises(TypeError, lambda: np.mean(x), "so do NumPy's", 'gnd.mpi.mean')
    raises(TypeError, lambda: np.add(x, 1), 'a ufunc of NumPy')
    raises(TypeError, lambda: gm.sum(x, axes=3), 'an unknown keyword', 'axes')
    raises(AttributeError, lambda: gm.as_strided, 'a function that is not there', 'sliding_window_view')
    raises(TypeError, lambda: gm.sum([x, x]), 'a list of distributed arrays', 'stack')
    raises(OSError, lambda: gm.load('/nowhere/x.npy'), 'a file that is not there')
    raises(TypeError, lambda: x.redistribute(3), 'no partition', 'gnd.mpi.Partition')
    raises(ValueError, lambda: ctx.partition((4,), cuts=[[0, 5]] if ctx.size == 1 else [[0] * ctx.size + [5]]).shape and
           ctx.partition((4,), cuts=[[0, 5, 4] + [4] * ctx.size]), 'cuts that do not fit')
    raises(IndexError, lambda: x.partition.box(99), 'a rank that is not there')
    raises(TypeError, lambda: hash(x), 'no hash')
    raises(TypeError, lambda: gm.open('world'), 'no communicator', 'mpi4py')
    with gm.open(even=True) as second:
        other = gm.ones(4)
        ok(other.context is second and gm.zeros(2).context is second, 'the current context is the newest')
        raises(gnd.Error, lambda: x[:, 0] + other, 'arrays of two contexts')
    ok(second.closed and gm.zeros(2).context is ctx, 'after it the one before')
    raises(ValueError, lambda: other + 1, 'an array whose context is closed', 'closed')
    ok('closed' in repr(other) and 'closed' in repr(second), 'their repr')


def test_stencil():
    a = rng.random((9, 6))

    def f(b):
        return b[1:-1, 1:-1] + b[2:, 1:-1] - b[1:-1, :-2]
    for p in partitions(a.shape):
        x = ctx.array(a, partition=p)
        for mode in ('wrap', 'constant', 'edge'):
            ok(same(x.stencil(f, 1, mode=mode), f(np.pad(a, 1, mode))), f'a stencil, {mode}, in {p.boxes()}')
        b, start = x.halo((1, 0), (2, 1))
        box = p.box()
        want = a[max(box[0].start - 1, 0):box[0].stop + 2, box[1].start:box[1].stop + 1]
        ok(not b.size or same(gnd.asnumpy(b), want, 0), f'a border in {p.boxes()}')

    def g(b):
        if ctx.rank == ctx.size - 1:
            raise KeyError('no such thing')
        return b[1:-1]

    def use():
        y = gm.ones(40, partition=ctx.partition((40,), by='even')).stencil(g, 1)
        y.wait()
    raises(gnd.Error, use, 'an exception in the function of a stencil is one of all ranks', 'raised KeyError in line')
    raises(gnd.Error, lambda: gm.ones(40).stencil(lambda b: gm.ones(3), 1).wait(), 'calls on the context in it', 'RuntimeError')
    kept = []
    x = ctx.array(np.arange(40.))
    y = x.stencil(lambda b: kept.append(b * 2) or b[1:-1], 1)
    ok(same(y, np.arange(40.)) and all(np.isfinite(gnd.asnumpy(k)).all() for k in kept), 'what the function keeps outlives it')


def test_files():
    folder = sys.argv[1]
    a = rng.random((7, 5))
    if ctx.rank == 0:
        np.save(folder + '/a.npy', a)
    ctx.wait(gm.zeros(1))
    gm.sum(gm.ones(ctx.size)).wait()  # rank 0 has written
    x = gm.load(folder + '/a.npy', partition=ctx.partition(a.shape, by='even'))
    ok(same(x, a, 0), 'a file of NumPy')
    gm.save(folder + '/b.npy', x + 1)
    ok(same(np.load(folder + '/b.npy'), a + 1, 0), 'a file for NumPy')
    ctx.save_state(folder + '/state', 17, u=x, v=x[0])
    step, back = ctx.load_state(folder + '/state', 'v', u=ctx.partition(a.shape, by='replicated'))
    ok(step == 17 and same(back['u'], a, 0) and same(back['v'], a[0], 0), 'a checkpoint')
    raises(AttributeError, lambda: ctx.load_state(folder + '/state', 'w'), 'a name that it has not', 'w')


def test_tools():
    a = rng.random((6, 4))
    x = gm.array(a)
    ok(same(gm.eval('(x - x.mean(axis=0)) * w', x=x, w=np.arange(4.)), (a - a.mean(0)) * np.arange(4.)), 'eval')
    raises(ValueError, lambda: gm.eval('x +', x=x), 'a text that is wrong')
    ok('reduction' in gm.explain('x.sum(axis=0)', x=x), 'explain')
    before = ctx.stats()
    y = (x * 2 + 1) / 3
    ok(ctx.stats() == before, 'elementwise functions send nothing')
    y.sum().asnumpy()
    ok(ctx.size == 1 or ctx.stats()['messages'] > before['messages'], 'a sum does')
    info = ctx.ranks()
    ok(len(info) == ctx.size and info[ctx.rank]['bandwidth'] > 0 and abs(sum(i['share'] for i in info) - 1) < 1e-6, 'ranks')
    ok(gm.sum.__doc__.startswith('The sum') and 'reduction' in gm.sum.__doc__ and 'axis' in gm.sum.__text_signature__,
       'docstrings and signatures')


def test_methods():
    a = rng.random((6, 4))
    x = gm.array(a)
    ok(x.itemsize == 8 and x.tobytes() == a.tobytes(), 'itemsize and tobytes')
    ok(same(x.view('int64'), a.view('int64'), 0) and same(x.byteswap().byteswap(), a, 0), 'view and byteswap')
    ok(x.byteswap().tobytes() == a.byteswap().tobytes(), 'bytes in reverse order')
    x.put([3, -1], [7, 8])
    a.put([3, -1], [7, 8])
    ok(same(x, a, 0), 'put')
    x.tofile(sys.argv[1] + '/raw')
    ok(same(gm.fromfile(sys.argv[1] + '/raw').reshape(a.shape), a, 0), 'tofile')
    lacking = [n for n in dir(gnd.ndarray) if not n.startswith('_') and not hasattr(gm.ndarray, n)]
    for name in lacking:
        raises(AttributeError, lambda n=name: getattr(x, n), f'{name} says why it is not there', f'array has no {name}: ')
    ok(len(lacking) == 8, f'the other methods of gnd: all but {lacking}')


def test_communicators():
    if MPI is None:
        return
    raises(ValueError, lambda: gm.open(MPI.COMM_NULL), 'COMM_NULL')
    part = MPI.COMM_WORLD.Split(ctx.rank % 2, ctx.rank)
    with gm.open(part, even=True) as half:
        total = int(half.wrap([ctx.rank]).sum())
        right = half.size == part.size and half.rank == part.rank and total == sum(range(ctx.rank % 2, ctx.size, 2))
    part.Free()
    ok(right, 'a communicator of some ranks')


ctx = gm.open(MPI.COMM_WORLD if MPI else None, even=RANKS > 1, timeout=100)
ok(ctx.size == RANKS and not ctx.closed, f"{ctx.size} ranks, {'by mpi4py' if MPI else 'without mpi4py'}")
tests = [test_data, test_errors, test_files, test_tools, test_methods, test_communicators]
for test in tests + ([test_functions, test_indices, test_composed, test_assignments, test_stencil] if ALL or ctx.size > 1 else []):
    test()
ctx.close()
if MPI:
    MPI.Finalize()
if RANKS > 1 and MPI is None:
    t.skip("mpi4py's communicators", 'no mpi4py of this MPI (Debian: python3-mpi4py)')
if ctx.closed and os.environ.get('OMPI_COMM_WORLD_RANK', os.environ.get('PMI_RANK', '0')) == '0':
    print(f'1..{t._count}', flush=True)
sys.exit(t._failed != 0)
