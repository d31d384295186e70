# SPDX-License-Identifier: BSD-3-Clause
"""Methods of gnd.mpi.ndarray and gnd.mpi.Partition."""
import sys

import numpy as np

import gnd
from .._mpi import Partition, ndarray
from . import _composed, _index
from ._context import _address

_table: dict = {}


def add(short, name, text):
    """A method of gnd's table: the function of that name."""
    _table.setdefault(short, (name, text))


def _method(short, name, text):
    def method(self, *args, **keywords):
        where = sys.modules['gnd.mpi']
        for part in name.split('.'):
            where = getattr(where, part)
        return where(self, *args, **keywords)
    method.__name__, method.__qualname__, method.__doc__ = short, f'ndarray.{short}', text
    return method


def reshape(self, *shape):
    """The array in another shape, its elements in C order; one extent may be -1."""
    return sys.modules['gnd.mpi'].reshape(self, shape[0] if len(shape) == 1 and hasattr(shape[0], '__iter__') else shape)


def transpose(self, *axes):
    """The array with its axes in another order; without axes: reversed."""
    axes = axes[0] if len(axes) == 1 and not hasattr(axes[0], '__index__') else axes
    return sys.modules['gnd.mpi'].permute_dims(self, tuple(axes) if axes else tuple(range(self.ndim))[::-1])


def astype(self, dtype, *, copy=True):
    """The array converted to dtype. copy=False: the array itself if it has that dtype."""
    return self if not copy and self.dtype == dtype else sys.modules['gnd.mpi'].astype(self, np.dtype(dtype))


def asnumpy(self, root=None):
    """The elements as numpy.ndarray on every rank, the same bits everywhere; with root on that rank alone, and None on
    the others. All ranks call it."""
    if root is not None and not 0 <= root < self.context.size:
        raise ValueError(f'asnumpy: root {root}: there are {self.context.size} ranks')
    if root is not None and root != self.context.rank:
        self._read(0, 0, root)
        return None
    out = np.empty(self.shape, self.dtype)
    self._read(_address(out), out.nbytes, root)
    return out


def item(self):
    """The value of an array of one element, the same on every rank."""
    if self.size != 1:
        raise ValueError(f'item: an array of {self.size} elements')
    return self.asnumpy().item()


def tolist(self):
    """All elements as numbers in nested lists, on every rank."""
    return self.asnumpy().tolist()


def wait(self):
    """Computes the array on all ranks and waits; a failure of any rank is raised on all. Returns the array."""
    self.context.wait(self)
    return self


def fill(self, value):
    """Sets all elements to a value."""
    self[...] = value


def _widths(self, below, above, what):
    def one(w):
        w = (w,) * self.ndim if hasattr(w, '__index__') else tuple(int(n) for n in w)
        if len(w) != self.ndim:
            raise ValueError(f'{what}: borders of {len(w)} axes for an array of {self.ndim}')
        return w
    below = one(below)
    return below, below if above is None else one(above)


def put(self, ind, v, mode='raise'):
    """Sets the elements at places of the flattened array to values, which are repeated as needed."""
    _index.store(self, sys.modules['gnd.mpi'].put(self, ind, v, mode), 'put')


def view(self, dtype=None):
    """The bytes of the elements as elements of another dtype; a copy, as all indexing is. None: the array itself."""
    return self if dtype is None else sys.modules['gnd.mpi'].eval(f'view_dtype(x, {np.dtype(dtype).name})', x=self)


def byteswap(self, inplace=False):
    """The elements with their bytes in reverse order. inplace=True: sets the array to them and returns it."""
    y = self.context.wrap(self.local.byteswap(), self.partition)
    return _index.store(self, y, 'byteswap') if inplace else y


def tobytes(self, order='C'):
    """The bytes of all elements, on every rank."""
    return self.asnumpy().tobytes(order)


def tofile(self, fid, sep='', format='%s'):
    """Writes all elements to a file: rank 0 gets them, and writes."""
    _composed._written('tofile', [self], lambda a: a[0].tofile(fid, sep, format))


def halo(self, below, above=None, periodic=False):
    """(array, start): the part of this rank with a border of the neighbours' elements, and the place in the whole of its
    first element. below, above: how wide it is, an int or one for each axis (above: as below). Beyond the ends of the
    array it wraps around, or is left out."""
    return self._halo(*_widths(self, below, above, 'halo'), periodic)


def stencil(self, f, below, above=None, mode='wrap'):
    """The array that f makes of this one: f gets a gnd array with a border (below and above: an int, or one for each
    axis; above: as below) and returns one of the shape without it, of the same dtype everywhere. It is called for several
    pieces of a part, and computes inner elements while borders are under way; in it there are gnd's functions alone.
    mode: 'wrap', 'constant' (zeros) or 'edge'. An exception of f on one rank is raised on all when data is exchanged
    next."""
    below, above = _widths(self, below, above, 'stencil')
    return self._stencil(f, below, above, mode)


def _refuse(self, *args, **keywords):
    raise TypeError('a distributed array: its functions are those of gnd.mpi, such as gnd.mpi.sum(x), and x.asnumpy() copies '
                    'all elements to every rank')


def _refuse_function(self, function, types, args, kwargs):
    raise TypeError(f'{function.__module__}.{function.__name__} of a distributed array: gnd.mpi.{function.__name__} is what '
                    'distributed arrays have; x.asnumpy() copies all elements to every rank')


_LACKING = {
    'flat': 'x.ravel() is a distributed array',
    'base': 'there are no views',
    'flags': 'they are of the memory of one rank: x.local.flags',
    'setflags': 'they are of the memory of one rank: x.local.setflags(...)',
    'strides': 'they are of the memory of one rank: x.local.strides',
    'to_device': 'each rank has a device: gnd.mpi.open(device=)',
    'dump': 'gnd.mpi.save(path, x), or x.asnumpy()',
    'dumps': 'gnd.mpi.save(path, x), or x.asnumpy()',
}


def _getattr(self, name):
    why = _LACKING.get(name)
    raise AttributeError(f'a distributed array has no {name}: {why}' if why else
                         f"'gnd.mpi.ndarray' object has no attribute {name!r}")


def _repr(self):
    if self.context.closed:
        return 'gnd.mpi.ndarray(its context is closed)'
    box = ', '.join(f'{s.start}:{s.stop}' for s in self.partition.box())
    return (f'gnd.mpi.ndarray(shape={self.shape}, dtype={self.dtype}, rank {self.context.rank} of {self.context.size} has '
            f'[{box}])')


def _format(self, spec):
    return format(self.item(), spec) if spec else _repr(self)


def _iter(self):
    return (self[i] for i in range(len(self)))


def _complex(self):
    return complex(self.item())


def _reduce(self):
    raise TypeError('a distributed array cannot be pickled: x.save(path), or x.asnumpy()')


# --- partitions ---------------------------------------------------------------------------------------------------

def box(self, rank=None):
    """What a rank holds (None: this one), as a tuple of slices: whole[partition.box()] is this rank's part of an array of
    NumPy's."""
    return tuple(map(slice, *self._box(self.context.rank if rank is None else rank)))


def boxes(self):
    """The box of each rank."""
    return [self.box(r) for r in range(self.context.size)]


def _equal(self, other):
    if not isinstance(other, Partition):
        return NotImplemented
    return self.shape == other.shape and self.context is other.context and self.boxes() == other.boxes()


def _partition_repr(self):
    if self.context.closed:
        return f'gnd.mpi.Partition(shape={self.shape}, its context is closed)'
    texts = ['[' + ', '.join(f'{s.start}:{s.stop}' for s in b) + ']' for b in self.boxes()]
    return f"gnd.mpi.Partition(shape={self.shape}, {', '.join(texts)})"


def install():
    for short, (name, text) in _table.items():
        if not hasattr(ndarray, short):
            setattr(ndarray, short, _method(short, name, text))
    for f in (reshape, transpose, astype, asnumpy, item, tolist, wait, fill, put, view, byteswap, tobytes, tofile, halo, stencil):
        f.__qualname__ = f'ndarray.{f.__name__}'
        setattr(ndarray, f.__name__, f)
    ndarray.get = asnumpy
    ndarray.T = property(transpose, doc='The array with its axes reversed.')
    ndarray.mT = property(lambda self: sys.modules['gnd.mpi'].matrix_transpose(self),
                          doc='The array with its last two axes swapped.')
    ndarray.real = property(lambda self: sys.modules['gnd.mpi'].real(self), doc='The real parts.')
    ndarray.imag = property(lambda self: sys.modules['gnd.mpi'].imag(self), doc='The imaginary parts.')
    ndarray.itemsize = property(lambda self: self.dtype.itemsize, doc='The size of an element in bytes.')
    ndarray.device = property(lambda self: self.context.device, doc='The device of this rank.')
    for name, f in {'__repr__': _repr, '__format__': _format, '__iter__': _iter, '__complex__': _complex,
                    '__reduce__': _reduce, '__getattr__': _getattr, '__array__': _refuse, '__array_function__': _refuse_function}.items():
        setattr(ndarray, name, f)
    ndarray.__array_ufunc__ = None  # NumPy's operators leave it to those of this type
    for f in (box, boxes):
        f.__qualname__ = f'Partition.{f.__name__}'
        setattr(Partition, f.__name__, f)
    Partition.__repr__, Partition.__eq__, Partition.__hash__ = _partition_repr, _equal, None
