#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_standard.py - the tests of the Array API standard by its authors (data-apis/array-api-tests)
# on gnd. They are not in the tree: ./quickstart check fetches the commit that it names into
# build/array-api, or GND_ARRAY_API_TESTS names a checkout (with its submodule array-api) whose
# requirements this Python has. GND_ARRAY_API_EXAMPLES: examples of each test, 5 unless set; always
# the same ones. One point for each file of tests. What fails with NumPy too, and why, is in
# array-api-known.txt: those failures are counted, not forgiven elsewhere.
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytap as t

VERSION = '2025.12'
build = os.environ['GND_BUILDDIR']
checkout = os.environ.get('GND_ARRAY_API_TESTS') or os.path.join(build, 'array-api', 'tests')
examples = os.environ.get('GND_ARRAY_API_EXAMPLES', '5')


def skip(why):
    print(f'1..0 # SKIP {why}')
    sys.exit(0)


def python():
    """A Python that has what the tests need."""
    venv = os.path.join(build, 'array-api', 'venv', 'bin', 'python')
    for p in (venv, sys.executable):
        if os.path.exists(p) and not subprocess.run(
            [p, '-c', 'import numpy, pytest, hypothesis, ndindex, pytest_jsonreport'],
                capture_output=True).returncode:
            return p
    return skip(
        'no Python with pytest, hypothesis, ndindex and pytest-json-report: ./quickstart '
        'check installs them'
    )


def known():
    """The ids of the list, with their reasons: an id a line, below the line of its reason."""
    ids, reason = {}, ''
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'array-api-known.txt'),
              encoding='utf-8') as f:
        for line in map(str.strip, f):
            if line.startswith('#'):
                reason = line[1:].strip()
            elif line:
                ids[line] = reason
    return ids


def cases():
    """Runs the tests: (file, id, how it ended, text) of each, and how pytest ended."""
    report = os.path.join(build, 'scratch', f'array-api.{os.getpid()}.xml')
    os.makedirs(os.path.dirname(report), exist_ok=True)
    env = {
        **os.environ, 'ARRAY_API_TESTS_MODULE': 'gnd',
        'ARRAY_API_TESTS_VERSION': VERSION,
        'PYTHONHASHSEED': '0'
    }
    r = subprocess.run([
        python(), '-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--derandomize',
        '--tb=short', '--disable-deadline', '-W', 'ignore', f'--max-examples={examples}',
        f'--junitxml={report}', 'array_api_tests'
    ],
                       cwd=checkout,
                       env=env,
                       capture_output=True,
                       text=True)
    if r.returncode not in (0, 1):
        t.say(r.stdout[-3000:] + r.stderr[-3000:])
    found = []
    if os.path.exists(report):
        for c in ElementTree.parse(report).iter('testcase'):
            ended = next((e.tag for e in c if e.tag in ('failure', 'error', 'skipped')), 'passed')
            file = '.'.join(c.get('classname', '').split('.')[:2]) or c.get('name')
            found.append(
                (file, f"{c.get('classname')}::{c.get('name')}", ended, ''.join(e.text or ''
                                                                                for e in c)))
        os.remove(report)
    return found, r.returncode


def test_standard():
    found, status = cases()
    expected = known()
    t.ok(status in (0, 1) and len(found) > 1300, f'{len(found)} tests ran')
    files = dict.fromkeys(f for f, *_ in found)
    for file in files:
        mine = [c for c in found if c[0] == file]
        bad = [c for c in mine if c[2] in ('failure', 'error') and c[1] not in expected]
        if not t.ok(not bad, f'{file}: {len(mine)} tests'):
            for c in bad[:5]:
                t.say(f'{c[1]}\n' +
                      '\n'.join(line for line in c[3].splitlines() if line.startswith('E'))[:2000])
    count = {e: sum(c[2] == e for c in found) for e in ('passed', 'failure', 'error', 'skipped')}
    listed = sum(c[1] in expected and c[2] == 'failure' for c in found)
    t.say(
        f"{len(found)} tests of {VERSION}, {examples} examples each, on {t.gnd.Device()}: "
        f"{count['passed']} passed, "
        f"{count['failure'] + count['error']} failed ({listed} of them listed), "
        f"{count['skipped']} skipped"
    )


if not os.path.isdir(os.path.join(checkout, 'array-api', 'spec')):
    why = os.path.join(build, 'array-api.why')
    reason = open(why, encoding='utf-8').read().strip() if os.path.exists(
        why) else './quickstart check fetches them'
    skip(
        f'data-apis/array-api-tests is not in {os.path.relpath(checkout, build)} of the '
        f'build: {reason}'
    )
t.run([test_standard])
