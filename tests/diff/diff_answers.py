# SPDX-License-Identifier: BSD-3-Clause
#
# diff_answers.py - what tests/diff/diff_driver.c writes, for the programs that compare with NumPy: for each line that
# it was given, a line "ok DTYPE EXTENT..." and the elements, or a line that says what went wrong.
import numpy as np


def parse(data):
    """The answers in data, in order: an array, or a text. What was cut off is left out."""
    out, at = [], 0
    while at < len(data):
        end = data.find(b'\n', at)
        if end < 0:
            break
        word = data[at:end].decode(errors='replace').split()
        at = end + 1
        if word[0] != 'ok':
            out.append(' '.join(word))
            continue
        t = np.dtype(np.uint16 if word[1] == 'bfloat16' else word[1])
        shape = tuple(map(int, word[2:]))
        n = int(np.prod(shape, dtype=int)) * t.itemsize
        if at + n > len(data):
            break
        out.append(np.frombuffer(data[at:at + n], t).reshape(shape))
        at += n
    return out
