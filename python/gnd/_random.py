# SPDX-License-Identifier: BSD-3-Clause
"""gnd.random: random number generators. A counter-based generator (Philox) computes the numbers from the seed and the
count of previous calls, so they are the same on every device."""
import functools
import os
import sys
import threading

from . import _core


def get_state():
    """The state of this thread's generator, as bytes."""
    return _core._rng(None)


def set_state(state):
    """Sets this thread's generator to a state from get_state or Generator.state."""
    _core._rng(state)


class Generator:
    """A random number generator with its own state; the methods are the functions of gnd.random."""

    def __init__(self, seed=None):
        seed = int.from_bytes(os.urandom(8), 'little') if seed is None else int(seed)
        if not 0 <= seed < 1 << 64:
            raise ValueError(f'Generator: seed {seed}: an int from 0 to 2**64 - 1 is wanted')
        self.state = _core._seeded(seed)
        self._lock = threading.RLock()

    def __getstate__(self):
        return {'state': self.state}

    def __setstate__(self, values):
        self.state = values['state']
        self._lock = threading.RLock()

    def __getattr__(self, name):
        f = getattr(sys.modules['gnd.random'], name, None) if not name.startswith('_') else None
        if f is None or name in ('seed', 'Generator', 'default_rng', 'get_state', 'set_state'):
            raise AttributeError(f'Generator has no method {name}')

        @functools.wraps(f)
        def method(*args, **keywords):
            with self._lock:  # threads that share a generator draw different numbers
                before = _core._rng(None)
                _core._rng(self.state)
                try:
                    return f(*args, **keywords)
                finally:
                    self.state = _core._rng(None)
                    _core._rng(before)
        self.__dict__[name] = method  # found there from now on
        return method

    def __dir__(self):
        return [n for n in dir(sys.modules['gnd.random']) if not n.startswith('_')]


class RandomState(Generator):
    """A generator that can be seeded again, under the name of NumPy's legacy generator."""

    def seed(self, seed=None):
        """Starts again from a seed; None: one from the system."""
        Generator.__init__(self, seed)

    def get_state(self):
        """The state, as bytes."""
        return self.state

    def set_state(self, state):
        """Sets the state to one from get_state."""
        self.state = state


def default_rng(seed=None):
    """A Generator. seed: an int, None (a seed from the system), or a Generator, which is returned itself."""
    return seed if isinstance(seed, Generator) else Generator(seed)
