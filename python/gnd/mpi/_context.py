# SPDX-License-Identifier: BSD-3-Clause
"""Contexts: MPI's begin and end, the communicator, arrays from data and files."""
import atexit
import sys
import traceback

import numpy as np

import gnd
from .. import _mpi
from .._mpi import Context, ndarray

_open: list = []  # contexts that are open, the last one is the current one
_DTYPES = ('bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 '
           'bfloat16').split()


def open(comm=None, device=None, *, even=False, check_calls=False, reproducible=False, timeout=None):
    """A context on a communicator of mpi4py's (None: that of all ranks; then mpi4py is not needed). All ranks call it.

    device: this rank's, a gnd.Device or its name, given by every rank or by none. None: that of GND_DEVICE, else the
    ranks of a node share its best devices in turn. even: default partitions are even, and speeds are not measured.
    check_calls: every call is compared over the ranks. reproducible: sums of floats have the same bits for any number
    of ranks. timeout: the longest time that later calls wait for other ranks, in seconds (600, or GND_MPI_TIMEOUT,
    which limits this call as well; 0: for ever).

    It is the current context until it is closed: functions that make arrays use it. In a `with` statement its device is
    the current one, and it is closed at the end; its arrays end with it."""
    handle = _handle(comm)
    flags = _mpi.EVEN * bool(even) | _mpi.CHECK_CALLS * bool(check_calls) | _mpi.REPRODUCIBLE * bool(reproducible)
    ctx = Context(handle, device, flags)
    if timeout is not None:
        ctx.set_timeout(timeout)
    _open.append(ctx)
    _mpi._use(ctx)
    return ctx


def current(arrays=()):
    """The current context; that of the first of the arrays, if there are any."""
    for x in arrays:
        if isinstance(x, ndarray):
            return x.context
    if not _open:
        raise RuntimeError('gnd.mpi: no context is open: gnd.mpi.open()')
    return _open[-1]


# --- MPI ----------------------------------------------------------------------------------------------------------

def _handle(comm):
    """Fortran's handle of the communicator, which is the same number for every user of one MPI."""
    module = sys.modules.get(type(comm).__module__) if comm is not None else sys.modules.get('mpi4py.MPI')
    if comm is not None and not (hasattr(comm, 'py2f') and hasattr(module, 'Get_library_version')):
        raise TypeError(f'gnd.mpi.open: comm: {type(comm)}: a communicator of mpi4py is wanted, or None')
    if module is not None:
        _same_library(module)
    state = _mpi._state()
    if state == 'over':
        raise RuntimeError('gnd.mpi.open: MPI is finalized already')
    if state == 'new':
        _initialize()
    return _mpi._world() if comm is None else comm.py2f()


def _same_library(module):
    """mpi4py and libgnd-mpi use one MPI: communicators of another one mean nothing here."""
    theirs, ours = module.Get_library_version(), _mpi._library()
    what = ' '.join(theirs.rstrip('\0').split()), ' '.join(ours.split())
    if what[0] != what[1]:
        raise RuntimeError(f'gnd.mpi.open: mpi4py uses {what[0][:80]}, and libgnd-mpi {what[1][:80]}: build gnd with the '
                           'MPI of mpi4py (./configure --with-mpi=openmpi or --with-mpi=mpich), or mpi4py with that of gnd '
                           '(MPICC=mpicc pip install --no-binary=mpi4py mpi4py)')
    if module.Is_initialized() != (_mpi._state() != 'new'):
        raise RuntimeError('gnd.mpi.open: mpi4py and libgnd-mpi have loaded two copies of the same MPI: install mpi4py '
                           'from the system, or build it with the system\'s MPI')


def _initialize():
    """MPI is this module's: it ends with the process, and an exception of one rank ends all of them, as with
    `python3 -m mpi4py`: the others would wait."""
    _mpi._initialize()
    atexit.register(_mpi._finalize)
    if hasattr(sys, 'ps1') or sys.flags.interactive:
        return
    before = sys.excepthook

    def ended(kind, value, trace):
        try:
            before(kind, value, trace)
        except Exception:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        _mpi._abort(1)
    sys.excepthook = ended


# --- methods of Context -------------------------------------------------------------------------------------------

def close(self):
    """Closes the context; its arrays are of no use any more. All ranks call it. Does nothing if it is closed."""
    if self in _open:
        _open.remove(self)
        _mpi._use(_open[-1] if _open else None)
    self._close()


def __enter__(self):
    self.device.__enter__()
    return self


def __exit__(self, kind, value, trace):
    if not self.closed:
        self.device.__exit__(kind, value, trace)
        self.close()


def __repr__(self):
    return 'gnd.mpi.Context(closed)' if self.closed else (
        f"gnd.mpi.Context(rank {self.rank} of {self.size}, {str(self.device)!r})")


def partition(self, shape, grid=None, *, cuts=None, by=None, dtype=float):
    """A partition of a shape. grid: how many parts each axis has; None: one axis is divided. cuts: for each axis the
    offsets of its parts, from 0 to its extent, or None where it is whole. by: 'bandwidth' or 'flops' (parts follow the
    measured speeds of the ranks), 'even', 'replicated' (each rank has everything); None: 'bandwidth', or 'even' in a
    context with even=True. dtype: that of the elements, by which parts are limited to half of a device's memory."""
    shape = _shape(shape)
    if cuts is not None:
        if grid is not None or by is not None:
            raise TypeError('partition: cuts say all: grid and by are for other partitions')
        cuts = tuple(None if c is None else tuple(int(i) for i in c) for c in cuts)
        if len(cuts) != len(shape):
            raise ValueError(f'partition: cuts of {len(cuts)} axes for a shape of {len(shape)}')
        return self._partition('cuts', shape, tuple(1 if c is None else len(c) - 1 for c in cuts), cuts, dtype)
    if by not in (None, 'bandwidth', 'flops', 'even', 'replicated'):
        raise ValueError(f"partition: by {by!r}: 'bandwidth', 'flops', 'even' and 'replicated' are possible")
    if by == 'replicated' and grid is not None:
        raise TypeError("partition: by 'replicated' has no grid")
    return self._partition(by or '', shape, None if grid is None else _shape(grid), None, dtype)


def _shape(shape):
    return tuple(int(n) for n in shape) if hasattr(shape, '__iter__') else (shape.__index__(),)


def array(self, obj, dtype=None, partition=None):
    """A distributed array of obj, which every rank has whole: an array of gnd's or NumPy's, or what NumPy converts."""
    if isinstance(obj, ndarray):
        raise TypeError('array: this array is distributed already: gnd.mpi.asarray, x.redistribute or x.copy')
    if isinstance(obj, gnd.ndarray) or dtype is not None and np.dtype(dtype) == 'bfloat16':
        x = gnd.asarray(obj, dtype, device=self.device)
        x = self._wrap(x, self._partition('replicated', x.shape, None, None, x.dtype))
        return x.redistribute(self._partition('', x.shape, None, None, x.dtype) if partition is None else partition)
    a = np.asarray(obj, dtype, 'C')
    a = a if a.dtype.isnative else a.astype(a.dtype.newbyteorder('='))
    return self._from(a.__array_interface__['data'][0], a.dtype, a.shape, partition)


def wrap(self, local, partition=None, axis=0):
    """A distributed array of the ranks' own parts, arrays with the shapes of the boxes of the partition. Without a
    partition the parts follow each other along an axis."""
    x = gnd.asarray(local, device=self.device)
    if partition is None:
        partition = _joined(self, x, axis)
    return self._wrap(x, partition)


def _on_ranks(self, values):
    """A few ints of each rank on every rank: an array of a row for each."""
    row = gnd.asarray(np.asarray(values, np.int64)[None], device=self.device)
    return self._wrap(row, self._partition('even', (self.size, row.shape[1]), (self.size, 1), None, row.dtype)).asnumpy()


def _joined(self, x, axis):
    """The partition of parts that follow each other along an axis."""
    known = _on_ranks(self, [x.ndim, axis] + list(x.shape[:14]) + [0] * (14 - len(x.shape)))
    if not (known[:, :2] == known[0, :2]).all():
        raise ValueError(f'wrap: the parts of the ranks have {known[:, 0].tolist()} axes, to be joined along '
                         f'{known[:, 1].tolist()}')
    if not -x.ndim <= axis < x.ndim or x.ndim > 14:
        raise ValueError(f'wrap: axis {axis} of parts with {x.ndim} axes')
    axis %= x.ndim
    extents = known[:, 2:2 + x.ndim]
    others = np.delete(extents, axis, 1)
    if not (others == others[0]).all():
        raise ValueError(f'wrap: the parts of the ranks have shapes {[tuple(r) for r in extents.tolist()]}: they differ '
                         f'along other axes than {axis}')
    cut = [0, *np.cumsum(extents[:, axis]).tolist()]
    shape = x.shape[:axis] + (cut[-1],) + x.shape[axis + 1:]
    return partition(self, shape, cuts=[cut if d == axis and self.size > 1 else None for d in range(x.ndim)])


def _address(a):
    return (a.view(np.uint16) if a.dtype == 'bfloat16' else a).__array_interface__['data'][0]


def scatter(self, obj, dtype=None, partition=None, root=0):
    """A distributed array of obj, which one rank has; what the others give is not looked at."""
    if not 0 <= root < self.size:
        raise ValueError(f'scatter: root {root}: there are {self.size} ranks')
    head, a, wrong = [0] * 18, None, None
    if self.rank == root:
        try:
            a = np.asarray(gnd.asnumpy(obj) if isinstance(obj, gnd.ndarray) else obj, dtype, 'C')
            a = a if a.dtype.isnative else a.astype(a.dtype.newbyteorder('='))
            if a.ndim > 14 or a.dtype.name not in _DTYPES:
                raise ValueError(f'scatter: {a.ndim} axes of {a.dtype}: at most 14, of a dtype of gnd, are possible')
            head = [1, _DTYPES.index(a.dtype.name), a.ndim, *a.shape, *[0] * (15 - a.ndim)]
        except Exception as e:
            wrong = e
    head = _on_ranks(self, head)[root].tolist()
    if wrong is not None:
        raise wrong
    if not head[0]:
        raise ValueError(f'scatter: rank {root} has no array, and says why')
    return self._from(0 if a is None else _address(a), _DTYPES[head[1]], tuple(head[3:3 + head[2]]), partition, root)


def load(self, path, partition=None):
    """The array of a .npy file, of which each rank reads its part."""
    return self._load(path, partition)


def save_state(self, folder, step, **arrays):
    """Writes a checkpoint: arrays with their names and an int, a .npy file each, and the file `manifest` last. One that
    was interrupted leaves the one before it as it is."""
    self._save_state(folder, step, tuple(arrays), tuple(arrays.values()))


def load_state(self, folder, *names, **partitions):
    """(step, {name: array}) of a checkpoint, written on any number of ranks. partitions: name=partition."""
    names = tuple(names) + tuple(n for n in partitions if n not in names)
    step, arrays = self._load_state(folder, names, tuple(partitions.get(n) for n in names))
    return step, dict(zip(names, arrays))


def _operands(self, arrays):
    return tuple(arrays), tuple(x if isinstance(x, ndarray) else array(
        self, x, partition=self._partition('replicated', np.shape(x), None, None, float)) for x in arrays.values())


def eval(self, text, **arrays):
    """The value of an expression in NumPy's syntax over distributed arrays: ctx.eval('x / x.std(axis=0)', x=x). Other
    arrays and numbers are ones that every rank has."""
    return self._eval(text, *_operands(self, arrays), False)


def explain(self, text, **arrays):
    """How eval computes: a line for each function with what it moves, and the plan of this rank's part, as text."""
    return self._eval(text, *_operands(self, arrays), True)


def wait(self, *arrays):
    """Computes arrays on all ranks and waits; a failure of any rank is raised on all."""
    self._wait(arrays)


for _f in (close, __enter__, __exit__, __repr__, partition, array, wrap, scatter, load, save_state, load_state, eval, explain,
           wait):
    _f.__qualname__ = f'Context.{_f.__name__}'
    setattr(Context, _f.__name__, _f)
