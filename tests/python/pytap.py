# SPDX-License-Identifier: BSD-3-Clause
#
# pytap.py - TAP for the tests of the Python package: imports gnd, or skips the whole script with the reason.
import os
import subprocess
import sys
import traceback

import numpy as np

# Under the sanitizers' build those that cost a few seconds; GND_TEST_ALL: all.
SANITIZED = ('py_life.py', 'py_protocols.py', 'py_streams.py')


def sanitized():
    """Starts the script again in an interpreter that loads the sanitizers first, as they want to be. The interpreter
    keeps memory until it ends, and memory that was freed has to be used again for checks of memory that grows."""
    if os.path.basename(sys.argv[0]) not in SANITIZED and not os.environ.get('GND_TEST_ALL'):
        print('1..0 # SKIP under the sanitizers with GND_TEST_ALL')
        sys.exit(0)
    found = [subprocess.run([*os.environ.get('CC', 'cc').split(), f'-print-file-name={n}'], capture_output=True,
                            text=True).stdout.strip() for n in ('libasan.so', 'libstdc++.so.6')]
    if not all(map(os.path.isabs, found)):
        print('1..0 # SKIP the compiler has no libasan.so to load first')
        sys.exit(0)
    os.environ['LD_PRELOAD'] = ' '.join(found)
    os.environ['ASAN_OPTIONS'] = os.environ.get('ASAN_OPTIONS', '') + ':detect_leaks=0:quarantine_size_mb=4'
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, '-B', *sys.argv])


if os.environ.get('GND_TEST_SANITIZERS', 'no') != 'no' and 'libasan' not in os.environ.get('LD_PRELOAD', ''):
    sanitized()
if not os.path.exists(os.path.join(os.environ['GND_BUILDDIR'], 'python', 'gnd', '_core.abi3.so')):
    print('1..0 # SKIP the Python package is not built (Debian: python3-dev)')
    sys.exit(0)
os.environ.setdefault('GND_DEVICE', os.environ.get('GND_TEST_DEVICES', 'opencl:pocl').split(',')[0])
import gnd  # noqa: E402

_count = _failed = 0


def ok(passed, name):
    """One check; returns whether it passed."""
    global _count, _failed
    _count += 1
    _failed += not passed
    print(f"{'ok' if passed else 'not ok'} {_count} - {name}".replace('#', '$'), flush=True)
    return passed


def skip(name, reason):
    """A check that cannot be made here."""
    global _count
    _count += 1
    print(f'ok {_count} - {name} # SKIP {reason}', flush=True)


def say(text):
    for line in str(text).splitlines():
        print('#', line)


def same(got, want, tolerance=0.0):
    """Whether an array of gnd's has the dtype, the shape and the elements of one of NumPy's."""
    g = gnd.asnumpy(got)
    w = np.asarray(want)
    if g.shape != w.shape or g.dtype != w.dtype:
        return False
    if w.dtype.kind in 'fc':
        with np.errstate(all='ignore'):
            return bool(np.allclose(g, w, rtol=tolerance, atol=tolerance, equal_nan=True))
    return bool((g == w).all())


def is_(got, want, name, tolerance=0.0):
    if not ok(same(got, want, tolerance), name):
        say(f'got {gnd.asnumpy(got)!r}\nwanted {np.asarray(want)!r}')


def raises(error, f, name, text=''):
    """The call f() ends in that exception, whose message has the text."""
    try:
        f()
        ok(False, name)
        say('no exception')
    except Exception as e:
        if not ok(isinstance(e, error) and text in str(e), name):
            say(f'{type(e).__name__}: {e}')


def both(name, f, tolerance=0.0):
    """f of NumPy and of gnd give the same, or exceptions of one kind."""
    try:
        want = f(np)
    except Exception as e:
        raises(type(e).__mro__[-4] if isinstance(e, TypeError) else type(e), lambda: f(gnd), name)
        return
    got = f(gnd)
    if isinstance(want, (tuple, list)):
        ok(len(got) == len(want) and all(same(g, w, tolerance) for g, w in zip(got, want)), name)
    else:
        is_(got, want, name, tolerance)


def run(tests):
    """Calls the functions; an exception is a failed check."""
    for t in tests:
        try:
            t()
        except Exception:
            ok(False, t.__name__)
            say(traceback.format_exc())
    print(f'1..{_count}')
    sys.exit(_failed != 0)
