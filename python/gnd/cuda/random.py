# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers within kernels, with Numba's names and numbers: xoroshiro128+ (Blackman and Vigna), a state for each
thread. States are an array of two uint64 for each thread; each is 2^64 numbers behind the one before it."""
import functools
import math

import numpy as np

from .. import _core

_JUMP = (0xbeac0467eba5facb, 0xd86b048b86aa9922)
_ALL = 2**64 - 1
TWO_PI_32, TWO_PI_64 = np.float32(2 * math.pi), 2 * math.pi


def xoroshiro128p_next(states, index):
    """The next 64 bits of a state."""
    s0 = states[index, 0]
    s1 = states[index, 1]
    result = s0 + s1
    s1 = s1 ^ s0
    states[index, 0] = ((s0 << 55) | (s0 >> 9)) ^ s1 ^ (s1 << 14)
    states[index, 1] = (s1 << 36) | (s1 >> 28)
    return result


def xoroshiro128p_uniform_float64(states, index):
    """A float64 of [0, 1), and the next state."""
    return (xoroshiro128p_next(states, index) >> 11) * (1.0 / 9007199254740992.0)


def xoroshiro128p_uniform_float32(states, index):
    """A float32 of [0, 1], and the next state."""
    return np.float32(xoroshiro128p_uniform_float64(states, index))


def xoroshiro128p_normal_float32(states, index):
    """A float32 of the standard normal distribution, by Box and Muller; the state goes on by two."""
    u = xoroshiro128p_uniform_float32(states, index)
    v = xoroshiro128p_uniform_float32(states, index)
    return math.sqrt(np.float32(-2.0) * math.log(u)) * math.cos(TWO_PI_32 * v)


def xoroshiro128p_normal_float64(states, index):
    """A float64 of the standard normal distribution, by Box and Muller; the state goes on by two."""
    u = xoroshiro128p_uniform_float64(states, index)
    v = xoroshiro128p_uniform_float64(states, index)
    return math.sqrt(-2.0 * math.log(u)) * math.cos(TWO_PI_64 * v)


# --- states: on the host ------------------------------------------------------------------------------

def _jumped(s0, s1):
    """A state 2^64 numbers further, in Python's ints."""
    t0 = t1 = 0
    for word in _JUMP:
        for b in range(64):
            if word >> b & 1:
                t0, t1 = t0 ^ s0, t1 ^ s1
            s1 ^= s0
            s0, s1 = ((s0 << 55 | s0 >> 9) ^ s1 ^ s1 << 14) & _ALL, (s1 << 36 | s1 >> 28) & _ALL
    return t0, t1


@functools.cache
def _jump_columns():
    """The jump as a matrix of bits: what it makes of each bit of a state; shape (128, 2)."""
    return np.array([_jumped(1 << b & _ALL if b < 64 else 0, 1 << b - 64 if b > 63 else 0) for b in range(128)], np.uint64)


def _times(columns, states):
    """States, of shape (n, 2), multiplied by a matrix of bits."""
    out = np.zeros_like(states)
    for b in range(128):
        chosen = -(states[:, b // 64] >> np.uint64(b % 64) & np.uint64(1)).astype(np.int64)
        out ^= chosen.view(np.uint64)[:, None] & columns[b]
    return out


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0):
    """States of n threads on the device; seed: an int. The first subsequence_start are left out. The same numbers as
    Numba's."""
    n, start = int(n), int(subsequence_start)
    if n < 0 or start < 0:
        raise ValueError(f'create_xoroshiro128p_states: n={n}, subsequence_start={start}: 0 or more is wanted')
    z = (int(seed) + 0x9E3779B97F4A7C15) & _ALL
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _ALL
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _ALL
    z ^= z >> 31
    states, columns = np.array([[z, z]], np.uint64), _jump_columns()
    while len(states) < n + start:  # twice as many: those that are there, jumped over their number
        states = np.concatenate([states, _times(columns, states)])
        columns = _times(columns, columns)
    return _core._from_numpy(np.ascontiguousarray(states[start:start + n]), None)
