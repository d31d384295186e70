#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_docs.py - the examples of doc/PYTHON.md, by doctest.
import doctest
import os

import pytap as t


def test_page():
    path = os.path.join(os.environ['GND_SRCDIR'], 'doc', 'PYTHON.md')
    failed, tried = doctest.testfile(path, module_relative=False, verbose=False)
    t.ok(failed == 0 and tried > 10, f'{tried} examples')


t.run([test_page])
