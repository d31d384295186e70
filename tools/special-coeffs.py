#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# special-coeffs.py - the coefficients in kernels/special.cl, double.cl and dinverse.cl: rational approximations
# of the smallest greatest relative error, by Remez's exchange algorithm in 60 digits. Needs mpmath. Prints, for each
# function and dtype, numerator and denominator as Horner's schemes, lowest coefficient innermost last;
# the denominator's lowest is 1.
#
#     python3 tools/special-coeffs.py [NAME...]
#
# A name chooses the jobs that begin with it; those of double.cl and dinverse.cl are called `64 ...` and print
# hexadecimal floats.
import sys

import mpmath as m
from mpmath import mp, mpf

mp.dps = 60


def horner(c, t):
    return m.polyval(c[::-1], t)


def alternation(errors, n):
    """Indices of n extrema whose errors alternate in sign; fewer when there are not so many."""
    ext = []
    for i, e in enumerate(errors):
        if ext and (ext[-1][1] > 0) == (e > 0):
            if abs(e) > abs(ext[-1][1]):
                ext[-1] = (i, e)
        else:
            ext.append((i, e))
    while len(ext) > n:
        k = min(range(len(ext) - 1), key=lambda k: max(abs(ext[k][1]), abs(ext[k + 1][1])))
        pair = max(abs(ext[k][1]), abs(ext[k + 1][1]))
        if len(ext) - n >= 2 and min(abs(ext[0][1]), abs(ext[-1][1])) >= pair:
            del ext[k:k + 2]
        else:
            ext.pop(0 if abs(ext[0][1]) < abs(ext[-1][1]) else -1)
    return [i for i, _ in ext]


def remez(f, a, b, degp, degq, shift=0):
    """(p, q, error): f(x) ~ p(x - shift) / q(x - shift) on [a, b], lowest coefficients first."""
    a, b, shift = mpf(a), mpf(b), mpf(shift)
    n = degp + degq + 2
    mid, half = (a + b) / 2, (b - a) / 2
    points = lambda k: [mid - half * m.cos(m.pi * i / k) for i in range(k + 1)]
    x, grid = points(n - 1), points(15 * n)
    values = [f(g) for g in grid]
    q, best = [mpf(1)] + [mpf(0)] * degq, None
    for _ in range(12):
        y = [f(v) for v in x]
        for _ in range(12):     # the equations are linear but for E q
            lhs, rhs = m.matrix(n, n), m.matrix(n, 1)
            for i in range(n):
                t = x[i] - shift
                for j in range(degp + 1):
                    lhs[i, j] = t**j
                for j in range(1, degq + 1):
                    lhs[i, degp + j] = -y[i] * t**j
                lhs[i, n - 1] = (-1)**i * abs(y[i]) * horner(q, t)
                rhs[i] = y[i]
            s = m.lu_solve(lhs, rhs)
            old, q = q, [mpf(1)] + [s[degp + j] for j in range(1, degq + 1)]
            if max(abs(u - v) for u, v in zip(q, old)) < mpf(10)**-25 * max(map(abs, q)):
                break
        p = [s[j] for j in range(degp + 1)]
        errors = [horner(p, g - shift) / horner(q, g - shift) / v - 1 for g, v in zip(grid, values)]
        worst = max(map(abs, errors))
        if best is None or worst < best[2]:
            best = p, q, worst
        at = alternation(errors, n)
        if worst < abs(s[n - 1]) * mpf('1.02') or len(at) < n:
            break
        x = [grid[i] for i in at]
    return best


# --- functions ------------------------------------------------------------------------------------

def inverse(logy, start):
    """z with log erfc(z) = logy, by Newton's method."""
    z = start
    for _ in range(60):
        c = m.erfc(z)
        d = (m.log(c) - logy) * c * m.sqrt(m.pi) / 2 * m.exp(z * z)
        z += d
        if abs(d) < mpf(10)**-52 * abs(z):
            break
    return z


def erfinv_centre(u):
    """erfinv(x) / x at u = 0.7225 - x^2."""
    x = m.sqrt(mpf('0.7225') - u)
    if x < mpf(10)**-25:
        return m.sqrt(m.pi) / 2
    z = x * m.sqrt(m.pi) / 2
    for _ in range(60):
        d = (m.erf(z) - x) * m.sqrt(m.pi) / 2 * m.exp(z * z)
        z -= d
        if abs(d) < mpf(10)**-55 * abs(z):
            break
    return z / x


def erfcinv_tail(r):
    """erfcinv(y) at r = sqrt(-log y)."""
    return inverse(-r * r, r)


ROOT = m.findroot(m.digamma, mpf('1.46163214496836'))


def digamma_factor(t):
    """digamma(1 + t) / (1 + t - ROOT)."""
    with m.workdps(90):
        d = 1 + t - ROOT
        return m.psi(1, ROOT) if abs(d) < mpf(10)**-25 else m.digamma(1 + t) / d


def erf_factor(u):
    """erf(x) / x at u = x^2."""
    x = m.sqrt(u)
    return m.erf(x) / x if u else 2 / m.sqrt(m.pi)


def erfcx(v):
    """exp(x^2) erfc(x) (x + 1.5) at v = 1 / (x + 1.5)."""
    x = 1 / v - mpf('1.5')
    return m.erfc(x) * m.exp(x * x) / v


def stirling(z):
    """What Stirling's formula leaves of gamma(x) at z = 1 / x."""
    x = 1 / z
    return m.exp(m.loggamma(x) - ((x - mpf(1) / 2) * m.log(x) - x + m.log(2 * m.pi) / 2))


def i0_small(y):
    """I0(x) at y = x^2 / 4."""
    return m.besseli(0, 2 * m.sqrt(y))


def i0_large(z):
    """sqrt(x) exp(-x) I0(x) at z = 1 / x; its asymptotic series where that is exact enough."""
    if z == 0:
        return 1 / m.sqrt(2 * m.pi)
    x = 1 / z
    if x < 100:
        return m.besseli(0, x) * m.exp(-x) * m.sqrt(x)
    s, term = mpf(0), mpf(1)
    for k in range(1, int(2 * x) - 2):
        s, term = s + term, term * (2 * k - 1)**2 / (8 * x * k)
        if term < mpf(10)**-58:
            break
    return s / m.sqrt(2 * m.pi)


def factor(f, series):
    """f in 90 digits, and near 0 by the series' coefficients: where the parts of f cancel."""
    def g(z):
        with m.workdps(90):
            return sum(c * z**i for i, c in enumerate(series)) if abs(z) < mpf(10)**-12 else f(z)
    return g


def root(z):
    return m.sqrt(z) if z > 0 else mpf(10)**-40


def log_factor(z):
    """(log((1 + s)/(1 - s)) - 2s)/(s z) at z = s^2."""
    s = root(z)
    return (2 * m.atanh(s) / s - 2) / z


F = m.factorial
TAIL = m.sqrt(-m.log(mpf('0.15')))
JOBS = [
    # function, interval, degrees and shift; for float32 and float64
    ('erfinv, centre', erfinv_centre, (0, '0.7225'), (4, 3, 0), (8, 7, 0)),
    ('erfcinv, r < 5', erfcinv_tail, (TAIL, 5), None, (8, 7, '1.25')),
    ('erfcinv, r >= 5', erfcinv_tail, (5, '27.4'), None, (8, 7, 5)),
    ('erfcinv, all r', erfcinv_tail, (TAIL, '10.3'), (5, 4, '1.25'), None),
    ('erf, |x| <= 1/2', erf_factor, (0, '0.25'), (4, 0, 0), None),
    ('exp(x^2) erfc, x >= 1/2', erfcx, (1 / mpf('11.7'), '0.5'), (9, 0, '0.28'), None),
    ('gamma, [1, 2]', lambda t: m.gamma(1 + t), (0, 1), (4, 4, 0), None),
    ('gamma, x >= 8', stirling, ('0.02', '0.125'), (3, 0, 0), None),
    ('digamma, [1, 2]', digamma_factor, (0, 1), (3, 3, 0), (6, 5, 0)),
    ('i0, x <= 8', i0_small, (0, 16), (10, 0, 0), None),
    ('i0, x <= 15', i0_small, (0, '56.25'), None, (20, 0, 0)),
    ('i0, x > 8', i0_large, (0, '0.125'), (6, 0, 0), None),
    ('i0, x > 15', i0_large, (0, m.mpf(1) / 15), None, (13, 0, 0)),
    ('64 exp', factor(lambda r: (m.expm1(r) - r) / r**2, [1 / F(k + 2) for k in range(6)]), ('-0.3467', '0.3467'),
     None, (10, 0, 0)),
    ('64 log', factor(log_factor, [mpf(2) / (2 * k + 3) for k in range(6)]), (0, '0.02945'), None, (6, 0, 0)),
    ('64 pow', factor(lambda z: (log_factor(z) * 3 / 2 - 1) / z, [mpf(3) / (2 * k + 5) for k in range(6)]),
     (0, '0.02945'), None, (7, 0, 0)),
    ('64 sin', factor(lambda z: (m.sin(root(z)) / root(z) - 1) / z, [(-1)**(k + 1) / F(2 * k + 3) for k in range(6)]),
     (0, '0.62'), None, (5, 0, 0)),
    ('64 half turn', factor(lambda z: (m.sin(root(z)) / root(z) - 1) / z,
                            [(-1)**(k + 1) / F(2 * k + 3) for k in range(6)]), (0, '2.468'), None, (5, 0, 0)),
    ('64 cos', factor(lambda z: ((m.cos(root(z)) - 1) / z + mpf(1) / 2) / z,
                      [(-1)**k / F(2 * k + 4) for k in range(6)]),
     (0, '0.62'), None, (5, 0, 0)),
    ('64 sinh', factor(lambda z: (m.sinh(root(z)) / root(z) - 1) / z, [1 / F(2 * k + 3) for k in range(6)]), (0, 1),
     None, (7, 0, 0)),
    ('64 tanh', factor(lambda z: (m.tanh(root(z)) / root(z) - 1) / z, [-mpf(1) / 3, mpf(2) / 15, -mpf(17) / 315]),
     (0, '0.3026'), None, (3, 3, 0)),
    ('64 atan', factor(lambda z: (m.atan(root(z)) / root(z) - 1) / z,
                       [(-1)**(k + 1) / mpf(2 * k + 3) for k in range(6)]), (0, '0.1915'), None, (11, 0, 0)),
    ('64 asin', factor(lambda z: (m.asin(root(z)) / root(z) - 1) / z, [mpf(1) / 6, mpf(3) / 40, mpf(15) / 336]),
     (0, '0.25'), None, (5, 4, 0)),
    ('64 erf', factor(lambda z: (m.erf(root(z)) / root(z) - 2 / m.sqrt(m.pi)) / z,
                      [2 / m.sqrt(m.pi) * (-1)**(k + 1) / F(k + 1) / (2 * k + 3) for k in range(6)]), (0, 1),
     None, (11, 0, 0)),
    ('64 erfc', erfcx, (1 / mpf('7.5'), '0.4'), None, (17, 0, '0.27')),
]


def hexadecimal(c):
    return ', '.join(float(v).hex() for v in c)


def text(c, digits, suffix, indent='        '):
    words = [m.nstr(v, digits, min_fixed=-4, max_fixed=6) + suffix for v in c]
    out = ''.join(f'{w} + t * (' for w in words[:-1]) + words[-1] + ')' * (len(c) - 1)
    lines, line = [], indent
    for w in out.split(' '):
        if len(line) + len(w) > 96:
            lines.append(line.rstrip())
            line = indent + '   '
        line += w + ' '
    return '\n'.join(lines + [line.rstrip()])


def main():
    names = sys.argv[1:]
    if not names:
        print('digamma: root - 1 =', m.nstr(ROOT - 1, 45))
    for name, f, (a, b), *degrees in JOBS:
        if names and not any(name.startswith(n) for n in names):
            continue
        for d, digits, suffix in zip(degrees, (10, 19), ('f', '')):
            if d:
                p, q, e = remez(f, a, b, *d)
                print(f"{name}, {'float32' if suffix else 'float64'}: error 2^{float(m.log(e, 2)):.1f}, "
                      f'shift {d[2]}')
                if name.startswith('64'):
                    print(hexadecimal(p), hexadecimal(q) if d[1] else '', sep='\n', flush=True)
                    continue
                print(text(p, digits, suffix))
                if d[1]:
                    print(text(q, digits, suffix))


if __name__ == '__main__':
    main()
