# SPDX-License-Identifier: BSD-3-Clause
"""The memory pool of a device by CuPy's names: get_default_memory_pool, MemoryPool."""
from ._core import Device


class MemoryPool:
    """The memory pool of a device. Each device has one, of which all arrays on it are made."""

    def __init__(self, device=None):
        self.device = Device(device)

    def used_bytes(self):
        """Bytes of arrays."""
        return self.device.stats()['bytes_in_use']

    def total_bytes(self):
        """Bytes that the pool holds: of arrays, and for later ones."""
        stats = self.device.stats()
        return max(stats['bytes_held'], stats['bytes_in_use'])

    def free_bytes(self):
        """Bytes that the pool holds for later arrays."""
        return self.total_bytes() - self.used_bytes()

    def free_all_blocks(self, stream=None):
        """Gives memory that no array uses back to the driver."""
        self.device.free_unused()

    def set_limit(self, size=None, fraction=None):
        """The most bytes that the pool may hold, or the most of the device's memory, from 0 to 1; size 0: no limit.
        MemoryError tells of arrays that do not fit."""
        if (size is None) == (fraction is None):
            raise ValueError('set_limit: one of size and fraction is to be given')
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f'set_limit: fraction {fraction} is not from 0 to 1')
            size = int(self.device.info()['memory'] * fraction)
        if size < 0:
            raise ValueError(f'set_limit: size {size} is negative')
        self.device.set_limit(size)

    def get_limit(self):
        """The limit in bytes; 0: there is none."""
        return self.device.stats()['bytes_limit']

    def __repr__(self):
        return f'<memory pool of {self.device}>'


def get_default_memory_pool():
    """The memory pool of the current device."""
    return MemoryPool()
