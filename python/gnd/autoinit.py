# SPDX-License-Identifier: BSD-3-Clause
"""PyCUDA's autoinit. It initializes nothing: gnd opens a device at its first use."""
from .driver import Context as context  # noqa: F401,N813
