# SPDX-License-Identifier: BSD-3-Clause
"""numpy.lib's part that gnd has."""
from . import stride_tricks  # noqa: F401
