# SPDX-License-Identifier: BSD-3-Clause
"""x.flat: the elements in C order, for reading and writing."""
from ._core import ndarray


class flatiter:  # noqa: N801
    """An iterator over the elements of an array in C order, which can be indexed as if it had one dimension."""
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, x):
        self._base, self.index = x, 0

    @property
    def base(self):
        return self._base

    def __len__(self):
        return self._base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= len(self):
            raise StopIteration
        self.index += 1
        return self._base.ravel()[self.index - 1]

    def _key(self, key):
        if isinstance(key, tuple):
            if len(key) != 1:
                raise IndexError('flat has one dimension')
            key = key[0]
        if key is None:
            raise IndexError('flat has one dimension, and takes no new axes')
        return key

    def __getitem__(self, key):
        return self._base.ravel()[self._key(key)].copy()

    def __setitem__(self, key, value):
        x = self._base.ravel()
        key = self._key(key)
        n = x[key].size
        if hasattr(value, '__len__') and n:
            import numpy as np
            value = (value.asnumpy() if isinstance(value, ndarray) else np.asarray(value)).ravel()
            value = np.resize(value, n) if value.size else value
        x[key] = value
        if x.base is None:  # ravel() copied: the elements are not contiguous
            self._base[...] = x.reshape(self._base.shape)

    def copy(self):
        """The elements as a new array of one dimension."""
        return self._base.flatten()

    def __array__(self, dtype=None, copy=None):
        x = self._base.asnumpy().ravel()
        return x if dtype is None else x.astype(dtype)

    def __eq__(self, other):
        return self._base.ravel() == _array(other)

    def __ne__(self, other):
        return self._base.ravel() != _array(other)

    def __lt__(self, other):
        return self._base.ravel() < _array(other)

    def __le__(self, other):
        return self._base.ravel() <= _array(other)

    def __gt__(self, other):
        return self._base.ravel() > _array(other)

    def __ge__(self, other):
        return self._base.ravel() >= _array(other)


def _array(x):
    return x._base.ravel() if isinstance(x, flatiter) else x


def _set_flat(self, value):
    flatiter(self)[:] = value


setattr(ndarray, 'flat', property(flatiter, _set_flat, doc='The elements in C order, an iterator that can be indexed.'))
