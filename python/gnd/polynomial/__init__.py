# SPDX-License-Identifier: BSD-3-Clause
"""numpy.polynomial's functions of power series: gnd.polynomial.polynomial and gnd.polynomial.polyutils. Coefficients
begin with the lowest power."""
from . import polynomial, polyutils  # noqa: F401
