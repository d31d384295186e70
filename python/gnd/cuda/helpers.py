# SPDX-License-Identifier: BSD-3-Clause
"""Functions that kernels may call, written as kernels are: they are compiled with the kernel that calls them."""
import math


def round_digits(x, digits):
    """round(x, digits), as CPython without its dtoa does."""
    if math.isinf(x) or math.isnan(x):
        return x
    if digits >= 0:
        if digits > 22:
            p, q = 10.0 ** (digits - 22), 1e22
        else:
            p, q = 10.0 ** digits, 1.0
        y = (x * p) * q
        if math.isinf(y):
            return x
    else:
        p, q = 10.0 ** -digits, 1.0
        y = x / p
    z = float(round(y))
    if math.fabs(y) > 4503599627370496.0:
        z = y
    if math.fabs(y - z) == 0.5:
        z = 2.0 * round(y / 2.0)
    if digits >= 0:
        return (z / q) / p
    return z * p
