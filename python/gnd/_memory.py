# SPDX-License-Identifier: BSD-3-Clause
"""The memory pool of a device under CuPy's names: get_default_memory_pool, MemoryPool."""
from ._core import Device


class MemoryPool:
    """The memory pool of a device. Each device has one pool, which holds all arrays on the device."""

    def __init__(self, device=None):
        self.device = Device(device)

    def used_bytes(self):
        """The bytes that arrays use."""
        return self.device.stats()['bytes_in_use']

    def total_bytes(self):
        """The bytes that the pool holds: used by arrays, and free for later ones."""
        stats = self.device.stats()
        return max(stats['bytes_held'], stats['bytes_in_use'])

    def free_bytes(self):
        """The bytes that the pool keeps free for later arrays."""
        return self.total_bytes() - self.used_bytes()

    def free_all_blocks(self, stream=None):
        """Gives memory that no array uses back to the driver."""
        self.device.free_unused()

    def set_limit(self, size=None, fraction=None):
        """Limits the pool to size bytes, or to a fraction of the device's memory, from 0 to 1. size 0: no limit. An
        array that does not fit raises MemoryError."""
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
        """The limit in bytes; 0: no limit."""
        return self.device.stats()['bytes_limit']

    def __repr__(self):
        return f'<memory pool of {self.device}>'


def get_default_memory_pool():
    """The memory pool of the current device."""
    return MemoryPool()
