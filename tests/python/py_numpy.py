#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_numpy.py - what NumPy's programs use beside arrays and functions of the table, against NumPy: ufuncs' keywords and
# methods, Fortran order, values by position, functions in place, polynomials, grids, bits, flat, casts of complex.
import warnings

import pytap as t
from pytap import both, gnd, np

rng = np.random.default_rng(7)
A = rng.integers(-9, 9, (3, 4))


def test_ufuncs():
    mask = A > 0
    both('out by position', lambda xp: xp.add(xp.asarray(A), 1, xp.zeros((3, 4), dtype=A.dtype)))
    both('where= and out=', lambda xp: xp.multiply(xp.asarray(A), 2, out=xp.ones((3, 4), dtype=A.dtype),
                                                   where=xp.asarray(mask)))
    both('dtype=', lambda xp: xp.add(xp.asarray(A), xp.asarray(A), dtype=np.float32))
    both('dtype= of another kind', lambda xp: xp.add(xp.asarray(A + 0.5), 1, dtype=np.int32))
    both('casting= of out', lambda xp: xp.add(xp.asarray(A), 0.5, out=xp.zeros((3, 4), dtype=np.int32),
                                              casting='unsafe'))
    both('out of a kind that does not fit', lambda xp: xp.add(xp.asarray(A), 0.5, out=xp.zeros((3, 4), dtype=int)))
    t.raises(ValueError, lambda: gnd.add(1, 2, casting='none'), 'an unknown casting', 'casting')
    t.raises(TypeError, lambda: gnd.add(gnd.ones(2), 2, color=1), 'an unknown keyword', 'color')
    both('two results into two arrays', lambda xp: xp.modf(xp.asarray(A + 0.25), out=(xp.zeros((3, 4)),
                                                                                     xp.zeros((3, 4)))))
    both('reduce', lambda xp: xp.maximum.reduce(xp.asarray(A), axis=1))
    both('accumulate', lambda xp: xp.add.accumulate(xp.asarray(A), axis=1))
    both('outer', lambda xp: xp.subtract.outer(xp.arange(3), xp.arange(4)))

    def at(xp):
        x = xp.zeros(4, dtype=int)
        xp.add.at(x, xp.asarray([0, 0, 2]), 5)
        xp.subtract.at(x, xp.asarray([1, 1]), 1)
        return x
    both('at', at)

    def at_of_another_kind(xp):
        x = xp.asarray(np.array([3, 9, 5], np.uint32))
        values = xp.asarray(np.array([7, 4, 6]))
        for u in (xp.add, xp.minimum, xp.multiply, xp.maximum, xp.subtract):
            u.at(x, xp.asarray([0, 0, 1]), values)
        xp.add.at(x, xp.asarray([0]), xp.asarray([-20]))
        xp.add.at(x, xp.asarray(np.array([], int)), xp.asarray(np.array([], float)))
        return x
    both('at with ints of another kind', at_of_another_kind)
    t.raises(TypeError, lambda: gnd.minimum.at(gnd.ones(2, dtype='u4'), [0], gnd.asarray([-1])), 'one that does not fit')
    t.ok((gnd.add.nin, gnd.add.nout, gnd.modf.nout, gnd.add.__name__) == (2, 1, 2, 'add') and
         isinstance(gnd.sin, gnd.ufunc), 'what a ufunc is')
    both('values behind out', lambda xp: xp.sum(xp.asarray(A), 0, None, None, True))
    both('out by position of a reduction', lambda xp: xp.asarray(A).max(1, xp.zeros(3, dtype=A.dtype)))
    t.raises(TypeError, lambda: gnd.sum(gnd.ones(2), 0, None, None, True, 0, True, 1), 'too many values')


def test_bytes():
    for d in ('?', 'u2', 'f2', 'f4', 'c16'):
        x = (np.arange(12).reshape(3, 4) * 0.75 - 3).astype(d)
        x.flat[-1] = np.nan if x.dtype.kind in 'fc' else 1
        both(f'byteswap of {d}', lambda xp: xp.asarray(x).byteswap().byteswap())
        t.ok(gnd.asarray(x)[::2, 1:].T.byteswap().asnumpy().tobytes() == x[::2, 1:].T.byteswap().tobytes(), 'its bytes')
    y = gnd.asarray(A.copy())
    v = y[1:]
    t.ok(v.byteswap(inplace=True) is v and (y.asnumpy()[1:] == A[1:].byteswap()).all() and
         (y.asnumpy()[0] == A[0]).all(), 'byteswap in place writes through a view')
    t.ok(gnd.zeros((0, 2)).byteswap().shape == (0, 2) and gnd.asarray(np.asfortranarray(A)).byteswap().flags.fnc,
         'byteswap of no elements, and in Fortran order')


def test_objects():
    for o in (None, ..., object(), t):
        for xp_first in (True, False):
            both('== of an object', lambda xp: xp.asarray(A) == o if xp_first else o == xp.asarray(A))
            both('!= of an object', lambda xp: xp.asarray(A) != o if xp_first else o != xp.asarray(A))
    t.ok((gnd.asarray(3.) == None).shape == () and bool(gnd.asarray(3.) != None), 'of no dimensions')  # noqa: E711

    class Other:
        def __eq__(self, other):
            return 'own'
    t.ok((gnd.ones(2) == Other()) == 'own', "an object's own comparison")
    t.raises(TypeError, lambda: gnd.ones(2) < None, 'there is no order')
    for bad in (np.array([1, 2], object), np.array(['a']), np.array([1.5])):
        t.raises(IndexError, lambda: gnd.arange(3)[bad], f'an index of dtype {bad.dtype}')
    both('angle of bools', lambda xp: xp.angle(xp.asarray(A > 0)))
    both('angle of small ints', lambda xp: xp.angle(xp.asarray(A.astype('i1'))))


def test_order():
    F = np.asfortranarray(A)
    x = gnd.asarray(F)
    t.ok(x.strides == F.strides and x.flags.f_contiguous and (x + 1).flags.f_contiguous and
         gnd.sqrt(abs(x)).strides == F.strides and not (x + gnd.asarray(A)).flags.f_contiguous,
         'elementwise results are in the order of their operands')
    for order in 'CFAK':
        both(f'ravel {order}', lambda xp: xp.asarray(F).ravel(order))
        t.ok(gnd.copy(x, order=order).strides == np.copy(F, order=order).strides and
             x.astype('f4', order=order).strides == F.astype('f4', order=order).strides and
             gnd.zeros_like(x, order=order).strides == np.zeros_like(F, order=order).strides, f'order={order!r}')
        if order != 'K':
            both(f'reshape {order}', lambda xp: xp.asarray(F).reshape((2, 6), order=order))
    y = gnd.zeros((2, 3), order='F')
    v = y.reshape(-1, order='F')
    v[1] = 7
    t.ok(y.strides == (8, 16) and float(y[1, 0]) == 7, 'a reshape in Fortran order is a view')
    t.ok(y.reshape(-1).base is None, 'one in C order is a copy')
    t.raises(ValueError, lambda: gnd.zeros(3, order='X'), 'an unknown order')
    t.ok(gnd.zeros_like(x, shape=(5,)).shape == (5,) and gnd.ndarray((2, 3)).shape == (2, 3), 'shape=, ndarray(shape)')


def test_in_place():
    def changed(f):
        def g(xp):
            x = xp.asarray(A.copy())
            r = f(xp, x)
            return x if r is None else r
        return g
    both('copyto', changed(lambda xp, x: xp.copyto(x, 3, where=xp.asarray(A > 2))))
    both('copyto of floats to ints', changed(lambda xp, x: xp.copyto(x, xp.asarray(A + 0.5))))
    both('put', changed(lambda xp, x: xp.put(x, [0, 5], [-1, -2])))
    both('place', changed(lambda xp, x: xp.place(x, xp.asarray(A > 2), [7, 8])))
    both('putmask', changed(lambda xp, x: xp.putmask(x, xp.asarray(A > 2), xp.asarray([7, 8]))))
    both('fill_diagonal', changed(lambda xp, x: xp.fill_diagonal(x, 9)))
    both('put_along_axis', changed(lambda xp, x: xp.put_along_axis(x, xp.asarray([[1], [0], [2]]), 9, 1)))
    x = gnd.arange(10)
    gnd.random.shuffle(x)
    t.ok(sorted(x.tolist()) == list(range(10)), 'shuffle')
    t.raises(TypeError, lambda: gnd.copyto(np.zeros(2), 1), 'copyto of an array of NumPy', 'gnd.ndarray')

    def flat(xp):
        x = xp.asarray(A.T.copy()).T
        x.flat[3] = 50
        x.flat[4:8] = [1, 2]
        return x
    both('flat', flat)
    t.ok([int(v) for v in gnd.asarray(A).flat] == A.ravel().tolist() and len(gnd.asarray(A).flat) == 12, 'iteration of flat')


def test_complex():
    z = gnd.asarray([1 + 2j, 3 - 1j])
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter('always')
        a = z.astype(np.float64)
        b = gnd.zeros(2)
        b[:] = z
    t.ok([x.category for x in w] == [np.exceptions.ComplexWarning if hasattr(np, 'exceptions') else np.ComplexWarning] * 2
         and a.tolist() == b.tolist() == [1.0, 3.0], 'complex to real: a warning, and the real part')
    x = gnd.arange(3)
    t.ok(x.real is x and gnd.real(z).base is z and gnd.imag(z).tolist() == [2.0, -1.0], 'real and imag are views')


def test_more():
    both('unravel_index', lambda xp: xp.unravel_index(xp.asarray([5, 23]), (2, 3, 4), order='F'))
    both('out of bounds', lambda xp: xp.unravel_index(xp.asarray([24]), (2, 3, 4)))
    both('ravel_multi_index', lambda xp: xp.ravel_multi_index((xp.asarray([1, 5]), xp.asarray([2, -1])), (2, 4),
                                                              mode=('wrap', 'clip')))
    bits = rng.integers(0, 2, (3, 13))
    for order in ('big', 'little'):
        both(f'packbits {order}', lambda xp: xp.packbits(xp.asarray(bits), axis=1, bitorder=order))
        both(f'unpackbits {order}', lambda xp: xp.unpackbits(xp.asarray([[3], [200]], dtype='u1'), axis=1,
                                                             bitorder=order, count=6))
    both('vdot', lambda xp: xp.vdot(xp.asarray([1 + 2j, 3]), xp.asarray([1j, 2])), 1e-12)
    stack, vectors = rng.random((4, 2, 3)) + 1j, rng.random((4, 3)) * 1j
    lines = rng.random((2, 2)) * 1j
    t.is_(gnd.matvec(stack, vectors), np.matmul(stack, vectors[..., None])[..., 0], 'matvec', 1e-12)
    t.is_(gnd.vecmat(lines[:, None], stack[:2, None]), np.matmul(lines.conj()[:, None, None], stack[:2, None])[..., 0, :], 'vecmat', 1e-12)
    t.raises(ValueError, lambda: gnd.matvec(stack, vectors[:, :2]), 'matvec of other lengths', 'matvec: a matrix of shape (4, 2, 3)')
    t.raises(ValueError, lambda: gnd.eye(2) @ 2, 'a product of matrices with a number', 'matmul: an operand is a number')
    both('mgrid', lambda xp: xp.mgrid[0:3, 1:2:4j])
    both('ogrid', lambda xp: xp.ogrid[0:3, 5:1:-1])
    both('r_', lambda xp: xp.r_[xp.arange(3), 0, 7:9])
    both('c_', lambda xp: xp.c_[xp.arange(3), xp.arange(3) * 2.5])
    both('meshgrid, sparse', lambda xp: xp.meshgrid(xp.arange(3), xp.arange(4), sparse=True))
    both('linspace of arrays', lambda xp: xp.linspace(xp.asarray([0., 1.]), 5, 4, axis=1), 1e-12)
    both('linspace with its step', lambda xp: xp.linspace(0, 5, 4, retstep=True), 1e-12)
    both('apply_along_axis', lambda xp: xp.apply_along_axis(lambda r: r[::-1] * 2, 0, xp.asarray(A)))
    both('tril of a vector', lambda xp: xp.tril(xp.arange(3)))
    both('hstack with a dtype', lambda xp: xp.hstack([xp.arange(2), xp.arange(3)], dtype=np.float32))
    both('concatenate with casting=', lambda xp: xp.concatenate([xp.ones(2)], dtype=int, casting='safe'))
    both('cross with axes', lambda xp: xp.cross(xp.asarray(A[:, :3]), xp.asarray(A[:, 1:]), axisa=0, axisc=0))
    both('einsum with a dtype', lambda xp: xp.einsum('ij->i', xp.asarray(A), dtype=np.float64))
    x = gnd.asarray(A)
    t.ok(gnd.einsum('ij->ji', x).base is x, 'einsum that permutes axes is a view')
    chain = [np.ones((9, 2)), np.ones((2, 8)), np.ones((8, 3))]
    path, text = gnd.einsum_path('ij,jk,kl->il', *map(gnd.asarray, chain))
    t.ok((path, text) == np.einsum_path('ij,jk,kl->il', *chain), 'einsum_path')
    t.ok(gnd.einsum_path(x, [0, 1], x, [0, 2], optimize=False)[0] == ['einsum_path', (0, 1)], 'einsum_path of lists')
    t.is_(gnd.einsum('ij,jk,kl->il', *map(gnd.asarray, chain), optimize=path), np.linalg.multi_dot(chain),
          'einsum with a path', 1e-12)
    t.raises(ValueError, lambda: gnd.einsum_path('ij->i'), 'einsum_path of nothing', 'einsum_path: subscripts and at')
    t.ok([gnd.size(A, k) for k in (1, (0, -1), (), [0])] == [4, 12, 1, 3], 'size along axes')
    for axes, why in ((0, -2), 'axis -2 is named twice'), ((0, 2), 'axis 2 is out of range'):
        t.raises(gnd.exceptions.AxisError, lambda: gnd.size(x, axes), f'size along {axes}', f'size: {why}')
    both('round of bools', lambda xp: xp.round(xp.asarray([True, False])))
    t.is_(gnd.asarray([True, False]).round(-1), np.zeros(2, np.float16), 'round of bools to tens')
    for name, instead in ('nditer', 'gnd.asnumpy'), ('frompyfunc', 'gnd.vectorize'):
        t.ok(not hasattr(gnd, name), f'no {name}')
        t.raises(AttributeError, lambda: getattr(gnd, name), f'{name} says what to do', instead)
    w, v = gnd.linalg.eig(np.eye(2))
    t.ok(w.dtype == v.dtype == gnd.linalg.eigvals(np.eye(2)).dtype == np.complex128, 'eig is complex always')
    both('det of no square matrix', lambda xp: xp.linalg.det(xp.asarray(A * 1.0)))
    both('codes of dtypes', lambda xp: xp.zeros(2, 'd') + xp.ones(2, 'H'))
    both('tensorinv', lambda xp: xp.linalg.tensorinv(xp.eye(24).reshape(6, 4, 8, 3)), 1e-9)
    both('diag_indices of fewer than none', lambda xp: xp.diag_indices(-2))


def test_choices():
    x, c = np.arange(6.) - 2, rng.integers(0, 3, 4)
    both('piecewise of functions', lambda xp: xp.piecewise(xp.asarray(x), [xp.asarray(x) < 0, xp.asarray(x) > 2],
                                                           [lambda v: -v, lambda v: v.sum(), 7]))
    both('piecewise of an array', lambda xp: xp.piecewise(xp.asarray(x), [xp.asarray(x) < 0], xp.asarray([3, 4])))
    both('piecewise of too many', lambda xp: xp.piecewise(xp.asarray(x), [xp.asarray(x) < 0], [1, 2, 3]))
    both('choose in an array', lambda xp: xp.choose(xp.asarray(c), xp.asarray(A)))
    both('stack of an array', lambda xp: xp.stack(xp.asarray(A), axis=1))
    both('lexsort of an array', lambda xp: xp.lexsort(xp.asarray(A)))

    def along(xp):
        y = xp.asarray(A.copy())
        xp.put_along_axis(y, xp.asarray([1, 7]), xp.asarray([50, 60]), axis=None)
        return y
    both('put_along_axis of the flattened array', along)
    both('axes of matmul', lambda xp: xp.matmul(xp.asarray(A), xp.asarray(A), axes=[(1, 0), (0, 1), (1, 0)]))
    # NumPy 1 raises TypeError, NumPy 2 AxisError.
    t.raises(ValueError, lambda: gnd.matmul(gnd.asarray(A), gnd.asarray(A), axes=[(1, 0), 0, (1, 0)]), 'axes of matmul: too few')
    for subscripts in ('ij...->...ji', 'j...', '...ij', 'ii->i', 'ij->i'):
        y = A[:, :3] * 1.0
        both(f'einsum {subscripts}', lambda xp: xp.einsum(subscripts, xp.asarray(y), dtype=np.complex64), 1e-5)
    both('fft2 along all axes', lambda xp: xp.fft.fft2(xp.arange(24.).reshape(2, 3, 4), axes=None), 1e-12)
    both('fft2', lambda xp: xp.fft.fft2(xp.arange(24.).reshape(2, 3, 4)), 1e-12)
    for name in ('bartlett', 'blackman', 'hamming', 'hanning'):
        both(name, lambda xp: getattr(xp, name)(7), 1e-12)
    both('kaiser', lambda xp: xp.kaiser(6, 4.5), 1e-9)
    both('lstsq with rcond=-1', lambda xp: xp.linalg.lstsq(xp.asarray(A * 1.0).T, xp.asarray(A[0] * 1.0), rcond=-1), 1e-9)
    both('convolve of a number', lambda xp: xp.convolve(xp.asarray(3.), xp.arange(4.)), 1e-12)
    t.ok(type(gnd.add(1, 2)) is np.int64 and type(gnd.sqrt(2.0)) is np.float64 and gnd.less(1, 2) is np.True_,
         'functions of numbers alone')


def test_vectorize():
    a, b = rng.integers(-5, 5, (3, 4)).astype(np.int8), rng.integers(-5, 5, 4).astype(np.int8)

    def branches(x, y):
        if x > 2:
            return y
        elif not x:
            return x + 1.5
        return max(x, y) - min(x, y)

    def loop(x, n):
        s = x
        while n > 0:
            s, n = s + n, n - 1
        return s
    for name, f in {'arithmetic': lambda x, y: (x + y) * y - (x & y), 'branches': branches, 'a loop': loop,
                    'two results': lambda x, y: (x == y, -y), 'NumPy': lambda x, y: np.hypot(x, y)}.items():
        both(f'vectorize: {name}', lambda xp: xp.vectorize(f)(xp.asarray(a), xp.asarray(b)), 1e-3)
    both('vectorize: otypes', lambda xp: xp.vectorize(lambda x: x, otypes='f')(xp.zeros(0)))
    both('vectorize: no elements', lambda xp: xp.vectorize(lambda x: x)(xp.zeros(0)))
    t.is_(gnd.vectorize(lambda x, k: x * k, excluded={'k'})(gnd.arange(3), k=5), np.arange(3) * 5, 'vectorize: excluded')
    t.raises(TypeError, lambda: gnd.vectorize(lambda x: 'text')(gnd.arange(3)), 'vectorize: text')
    f = gnd.vectorize(['float32(float32, float32)'], target='gpu')(lambda x, y: x * y)
    t.is_(f(gnd.asarray(a[0]), 2.0), a[0].astype('f4') * 2, "vectorize: Numba's signatures")


def test_poly():
    p, q = np.poly1d([2., -3., 1.]), np.poly1d([1., 4.])
    g, h = gnd.poly1d([2., -3., 1.]), gnd.poly1d([1., 4.])
    for name, f in {'sum': lambda a, b: a + b, 'difference': lambda a, b: a - b, 'product': lambda a, b: a * b,
                    'power': lambda a, b: b ** 3, 'derivative': lambda a, b: a.deriv(), 'integral': lambda a, b: a.integ(2),
                    'at a polynomial': lambda a, b: a(b), 'quotient': lambda a, b: (a / b)[0],
                    'remainder': lambda a, b: (a / b)[1]}.items():
        t.is_(f(g, h).coeffs, f(p, q).coeffs, f'polynomials: {name}', 1e-12)
    t.is_(g(gnd.asarray([1., 2.])), p(np.asarray([1., 2.])), 'polynomials: values')
    t.ok(str(g) == str(p) and g == g.get() and g[1] == -3 and g[7] == 0 and g.order == 2, 'polynomials: text, items')
    t.is_(gnd.sort(gnd.roots([1., -6., 11., -6., 0.])), np.sort(np.roots([1., -6., 11., -6., 0.])), 'roots', 1e-9)
    t.is_(gnd.poly([1., 2., 3.]), np.poly([1., 2., 3.]), 'poly', 1e-12)


def test_bits():
    x = np.arange(12.).reshape(3, 4)
    for to in ('i8', 'u4', 'f2', 'c16'):
        y = gnd.asarray(x).view(to)
        t.ok(y.strides == x.view(to).strides, f'view({to}): strides')
        t.ok((y.asnumpy().view('u1') == x.view(to).view('u1')).all(), f'view({to})')
    a, b = x.copy(), gnd.asarray(x)
    for z in (a, b):
        z[1:].view(np.int32)[:, ::2] = 7
    t.ok((a == b.asnumpy()).all(), 'writing through a view of another dtype')
    t.ok((gnd.asarray(x).byteswap().asnumpy().view('u8') == x.byteswap().view('u8')).all(), 'byteswap')
    t.raises(ValueError, lambda: gnd.asarray(x).T.view('i4'), 'view of columns', 'in a row')
    from gnd.lib.stride_tricks import as_strided
    n = np.arange(20, dtype='i4')
    t.ok((as_strided(gnd.asarray(n)[2:], (3, 4), (8, 4)).asnumpy() ==
          np.lib.stride_tricks.as_strided(n[2:], (3, 4), (8, 4))).all(), 'as_strided')
    t.raises(ValueError, lambda: as_strided(gnd.asarray(n), (30,), (4,)), 'as_strided beyond the memory', 'not within')


def test_polyfit():
    few = np.array([1., 2.]), np.array([3., 5.])
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter('always')
        both('polyfit of two points and degree 3', lambda xp: xp.polyfit(*map(xp.asarray, few), 3), 1e-8)
    t.ok([w.category.__name__ for w in said] == ['RankWarning'] * 2, 'both warn of the rank')
    x, y = np.linspace(0, 3, 8), rng.random((8, 2))
    for weight in (None, np.linspace(1, 2, 8)):
        both('polyfit with its residuals', lambda xp: xp.polyfit(xp.asarray(x), xp.asarray(y), 2, None, True, weight)[:2], 1e-8)
        for cov in (True, 'unscaled'):
            both(f'polyfit with covariance {cov}', lambda xp: xp.polyfit(xp.asarray(x), xp.asarray(y), 2, w=weight, cov=cov),
                 1e-8)
    t.is_(gnd.add(gnd.poly1d([1., 2.]), gnd.asarray([1., 1.])), np.asarray([2., 3.]), 'an object with __array__')


def test_random_state():
    r = gnd.random.RandomState(5)
    a = r.standard_normal(4)
    r.seed(5)
    t.ok(a.tolist() == r.standard_normal(4).tolist() != gnd.random.RandomState(6).standard_normal(4).tolist(),
         'RandomState gives the same again for a seed')
    state = r.get_state()
    a = r.rand(3)
    r.set_state(state)
    t.ok(a.tolist() == r.rand(3).tolist(), 'and for a state')


t.run([test_bits, test_polyfit, test_random_state, test_ufuncs, test_bytes, test_objects, test_order, test_in_place, test_complex,
       test_more, test_choices, test_vectorize, test_poly])
