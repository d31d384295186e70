#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# py_tour.py [--write] - python/tour.ipynb runs from its first cell to its last, and each cell prints
# what the notebook shows. By nbclient in a kernel of its own, where ./quickstart check installed that
# (build/clients); else here, cell by cell, without the statements that draw when matplotlib is lacking.
# --write: stores what the cells give, with the pictures, in the notebook.
import ast
import base64
import contextlib
import io
import json
import os
import struct
import subprocess
import sys

BUILD, SOURCE = os.environ['GND_BUILDDIR'], os.environ['GND_SRCDIR']
NOTEBOOK = os.path.join(SOURCE, 'python', 'tour.ipynb')
VENV = os.path.join(BUILD, 'clients', 'venv', 'bin', 'python')
NEEDS = 'import nbclient, ipykernel, matplotlib, numpy'

if os.environ.get('GND_TEST_SANITIZERS', 'no') == 'no' and not sys.executable.startswith(os.path.dirname(VENV)) \
        and os.path.exists(VENV) and subprocess.run([VENV, '-c', NEEDS], capture_output=True).returncode == 0:
    os.execv(VENV, [VENV, '-B', *sys.argv])

import pytap as t  # noqa: E402


def text_of(outputs):
    """What a cell prints and what its last expression is, as one text."""
    parts = []
    for o in outputs:
        if o['output_type'] == 'stream':
            parts.append(''.join(o['text']))
        elif o['output_type'] == 'execute_result':
            parts.append(''.join(o['data'].get('text/plain', '')) + '\n')
        elif o['output_type'] == 'error':
            parts.append(f"{o['ename']}: {o['evalue']}\n")
    return ''.join(parts).strip()


def pictures(outputs):
    """The sizes of the PNG pictures of a cell."""
    found = []
    for o in outputs:
        png = o.get('data', {}).get('image/png')
        if png:
            found.append(struct.unpack('>II', base64.b64decode(''.join(png))[16:24]))
    return found


def by_nbclient(notebook):
    """The outputs of each cell of code, or None without nbclient."""
    try:
        import nbformat
        from nbclient import NotebookClient
    except ImportError:
        return None
    run = nbformat.reads(json.dumps(notebook), 4)
    NotebookClient(run, timeout=300, kernel_name='python3', allow_errors=True,
                   resources={'metadata': {'path': os.path.dirname(NOTEBOOK)}}).execute()
    return [c['outputs'] for c in run['cells'] if c['cell_type'] == 'code']


def draws_in(statement):
    """Whether a statement needs matplotlib."""
    names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
    names |= {a.name.partition('.')[0] for n in ast.walk(statement) if isinstance(n, ast.Import) for a in n.names}
    return bool(names & {'matplotlib', 'plt', 'figure', 'axes'})


def here(notebook):
    """The same by this interpreter."""
    names, results = {'__name__': '__main__'}, []
    try:
        import matplotlib
        matplotlib.use('Agg')
        draws = True
    except ImportError:
        draws = False
    for cell in notebook['cells']:
        if cell['cell_type'] != 'code':
            continue
        source = ''.join(cell['source'])
        tree, out, last = ast.parse(source), io.StringIO(), None
        # kernels written in Python read their source
        import linecache
        file = f'<cell {len(results)}>'
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        if not draws:
            tree.body = [n for n in tree.body if not draws_in(n)]
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(';'):
            last = ast.Expression(tree.body.pop().value)
        outputs = []
        with contextlib.redirect_stdout(out):
            exec(compile(tree, file, 'exec'), names)
            value = eval(compile(last, file, 'eval'), names) if last else None
        if out.getvalue():
            outputs.append({'output_type': 'stream', 'text': out.getvalue()})
        if value is not None and 'plt' not in source:
            outputs.append({'output_type': 'execute_result', 'data': {'text/plain': repr(value)}})
        results.append(outputs)
    return results


def write(notebook, results):
    code = [c for c in notebook['cells'] if c['cell_type'] == 'code']
    for number, (cell, outputs) in enumerate(zip(code, results), 1):
        cell['execution_count'] = number
        cell['outputs'] = [{**o, 'execution_count': number} if o['output_type'] == 'execute_result' else o
                           for o in outputs if o['output_type'] != 'stream' or o.get('name') != 'stderr']
    with open(NOTEBOOK, 'w', encoding='utf-8') as f:
        json.dump(notebook, f, indent=1, ensure_ascii=False, sort_keys=True)
        f.write('\n')


def test_tour():
    with open(NOTEBOOK, encoding='utf-8') as f:
        notebook = json.load(f)
    results = by_nbclient(notebook)
    how = 'nbclient' if results is not None else 'this interpreter'
    if results is None:
        results = here(notebook)
    if '--write' in sys.argv:
        write(notebook, results)
    cells = [c for c in notebook['cells'] if c['cell_type'] == 'code']
    t.ok(len(cells) > 10 and len(results) == len(cells), f'{len(cells)} cells run, by {how}')
    for number, (cell, outputs) in enumerate(zip(cells, results), 1):
        name = f"{number}: {''.join(cell['source']).splitlines()[0][:60]}"
        want, got = text_of(cell['outputs']), text_of(outputs)
        if not t.ok(got == want, name):
            t.say(f'got {got}\nthe notebook shows {want}')
        if how == 'nbclient' and pictures(cell['outputs']):
            t.ok(pictures(outputs) == pictures(cell['outputs']), 'and its picture')


t.run([test_tour])
