#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# dlpack_numpy.py - the exchange of gnd/dlpack.h with a library that others wrote: NumPy's tensors to
# arrays and back, for every dtype and layout that NumPy exports, through libgnd.so.
import ctypes
import os
import sys

import numpy as np

count = failed = 0


def ok(good, name):
    global count, failed
    count += 1
    failed += not good
    print(('ok' if good else 'not ok'), count, '-', name)


def skip_all(why):
    print('1..0 # SKIP', why)
    sys.exit(0)


if os.environ.get('GND_TEST_SANITIZERS', 'no') != 'no':
    skip_all('an interpreter without sanitizers cannot load a library with them')
if not hasattr(np, 'from_dlpack'):
    skip_all('NumPy %s has no from_dlpack' % np.__version__)
try:
    gnd = ctypes.CDLL(os.environ['GND_BUILDDIR'] + '/lib/.libs/libgnd.so')
except OSError as e:
    skip_all('no shared library: %s' % e)

P = ctypes.c_void_p
for name, result, args in [
        ('gnd_open', P, [ctypes.c_char_p]), ('gnd_close', None, [P]), ('gnd_device_error', ctypes.c_char_p, [P]),
        ('gnd_device_status', ctypes.c_int, [P]), ('gnd_error', ctypes.c_char_p, [P]), ('gnd_release', None, [P]),
        ('gnd_status_of', ctypes.c_int, [P]), ('gnd_T', P, [P]), ('gnd_message', ctypes.c_char_p, []),
        ('gnd_from_dlpack_legacy', P, [P, P]), ('gnd_to_dlpack_legacy', P, [P, P]),
        ('gnd_from_dlpack', P, [P, P]), ('gnd_to_dlpack', P, [P, P])]:
    f = getattr(gnd, name)
    f.restype, f.argtypes = result, args
api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = P, [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = ctypes.py_object, [P, ctypes.c_char_p, P]
OLD, NEW = b'dltensor', b'dltensor_versioned' # names must outlive the capsules


class Tensor:
    """What an array exports, for np.from_dlpack."""

    def __init__(self, array, versioned):
        self.array, self.versioned = array, versioned

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        p = (gnd.gnd_to_dlpack if self.versioned else gnd.gnd_to_dlpack_legacy)(self.array, None)
        if not p:
            raise RuntimeError(gnd.gnd_message())
        return api.PyCapsule_New(p, NEW if self.versioned else OLD, None)

    def __dlpack_device__(self):
        return (1, 0)


def there_and_back(dev, a, versioned):
    """a as an array, transposed by the library, and back."""
    capsule = a.__dlpack__(max_version=(1, 0)) if versioned else a.__dlpack__()
    p = api.PyCapsule_GetPointer(capsule, NEW if versioned else OLD)
    x = (gnd.gnd_from_dlpack if versioned else gnd.gnd_from_dlpack_legacy)(dev, p)
    y = gnd.gnd_T(x)
    try:
        if gnd.gnd_status_of(y):
            raise RuntimeError(gnd.gnd_error(y))
        return np.from_dlpack(Tensor(y, versioned))
    finally:
        gnd.gnd_release(y)
        gnd.gnd_release(x)


def check(dev, a, name, versioned):
    try:
        b = there_and_back(dev, a, versioned)
        ok(b.dtype == a.dtype and b.shape == a.T.shape and np.array_equal(b, a.T), name)
    except Exception as e:
        lacks = 'has no float64' in str(e)
        ok(lacks, name + (' # SKIP ' + str(e) if lacks else ''))
        if not lacks:
            print('#', e)


spec = os.environ.get('GND_TEST_DEVICES', 'opencl:pocl').split(',')[0]
dev = gnd.gnd_open(spec.encode())
if gnd.gnd_device_status(dev):
    skip_all(gnd.gnd_device_error(dev).decode())
rng = np.random.default_rng(5)
try:
    np.zeros(1).__dlpack__(max_version=(1, 0))
    forms = [False, True]
except TypeError:
    forms = [False]
    print('# NumPy %s has the older structure only' % np.__version__)
for versioned in forms:
    form = 'DLPack 1' if versioned else 'the older structure'
    for t in ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32',
              'float64', 'complex64', 'complex128']:
        a = (rng.standard_normal((3, 4, 5)) * 50).astype(t)
        check(dev, a, '%s, %s' % (t, form), versioned)
    a = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    for b, name in [(a[:, ::2, 1:], 'slices'), (a[::-1, :, ::-2], 'backwards'), (a.T, 'transposed'),
                    (a[1, 2, 3:4], 'one element'), (a[:, :0], 'nothing'), (np.broadcast_to(a[0, 0], (4, 5)), 'broadcast'),
                    (np.asfortranarray(a), 'Fortran order'), (np.array(7, np.int32), 'a number')]:
        try:
            b.__dlpack__()
        except Exception:
            b = b.copy() # NumPy refuses to export what cannot be written to
        check(dev, b, '%s, %s' % (name, form), versioned)
gnd.gnd_close(dev)
print('1..%d' % count)
sys.exit(failed > 0)
