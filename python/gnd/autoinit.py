# SPDX-License-Identifier: BSD-3-Clause
"""PyCUDA's autoinit: there is nothing to initialise, for gnd opens a device when it is used."""
from .driver import Context as context  # noqa: F401,N813
