#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
#
# ledger.py - the tables of doc/ROWS.md, made from bench/results/. Between the lines
#
#     <!-- ledger NAME FILE... -->          (files below bench/results/, gnd's rows and the peers')
#     <!-- end -->
#
# it writes one line a row: gnd's time, the best peer's, their ratio, the share of the floor; and below
# why rows lag (bench/lagging.txt). A gnd device named after NAME (`cuda`, `opencl`) selects gnd's rows.
# `growth` instead of `ledger`: how times grow, of rows by `gnd bench --growth --json`; `memory`: the peak
# of each workload, of rows by `gnd bench --json`.
#
#     bench/ledger.py            prints what the document should be
#     bench/ledger.py --write    writes it
import fnmatch
import json
import math
import os
import re
import sys
import textwrap

top = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
document = os.path.join(top, 'doc', 'ROWS.md')


def objects(path):
    with open(path) as f:
        for line in f:
            try:
                r = json.loads(line)
            except ValueError:
                continue
            if 'row' in r:
                yield r


def lines(path):
    return (r for r in objects(path) if isinstance(r.get('ms'), (int, float)) and r['ms'] > 0)


def ours(name, files, key):
    """gnd's rows on a device called after NAME that have the key, the last of each."""
    found = {}
    for path in files:
        for r in objects(os.path.join(top, 'bench', 'results', path)):
            if r['framework'] == 'gnd' and r.get('device', '').startswith(name.split('-')[0]) and key in r:
                found[r['row']] = r
    return found


def reasons():
    out = []
    with open(os.path.join(top, 'bench', 'lagging.txt')) as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                where, rows, why = line.strip().split(None, 2)
                out.append((where, rows.split(','), why))
    return out


def why_slow(name, row):
    for where, rows, why in reasons():
        if fnmatch.fnmatchcase(name, where) and any(fnmatch.fnmatchcase(row, p) for p in rows):
            return why
    return '?'


def mean(xs):
    return math.exp(sum(map(math.log, xs)) / len(xs)) if xs else float('nan')


def table(name, files):
    ours, peers = {}, {}
    for path in files:
        for r in lines(os.path.join(top, 'bench', 'results', path)):
            if r['framework'] != 'gnd':
                best = peers.setdefault(r['row'], {})
                best[r['framework']] = min(r['ms'], best.get(r['framework'], r['ms']))
            elif r.get('device', '').startswith(name.split('-')[0]):
                if r['row'] not in ours or r['ms'] < ours[r['row']]['ms']:
                    ours[r['row']] = r
    out = ['', '| row | gnd ms | best peer ms | ratio | floor |', '|---|---|---|---|---|']
    ratios, lagging = {}, {}
    for row, r in ours.items():
        floor = f"{100 * r['floor_share']:.0f}%" if 0 < r.get('floor_share', 0) < 10 else ''
        if row not in peers:
            out.append(f"| {row} | {r['ms']:.4g} | | | {floor} |")
            continue
        who = min(peers[row], key=peers[row].get)
        ratio = ratios[row] = r['ms'] / peers[row][who]
        if ratio > 1.05:
            lagging.setdefault(why_slow(name, row), []).append(f'{row} {ratio:.2f}')
        out.append(f"| {row} | {r['ms']:.4g} | {peers[row][who]:.4g} {who} | {ratio:.2f} | {floor} |")
    lacking = sorted(set(peers) - set(ours))
    fast = sum(v <= 1.05 for v in ratios.values())
    text = f'{len(ratios)} rows with a peer; geometric mean of the ratios {mean(list(ratios.values())):.2f}'
    for who, said in (('cupy', 'CuPy'), ('numpy', 'NumPy')):
        alone = [ours[k]['ms'] / v[who] for k, v in peers.items() if k in ours and who in v]
        if alone:
            text += f', against {said} alone {mean(alone):.2f}'
    text += f'; {fast} of {len(ratios)} within 5% of the best peer or ahead.'
    if lacking:
        text += ' Not timed: ' + ', '.join(lacking) + '.'
    out += [''] + textwrap.wrap(text, 118) + ['', 'What lags, and why:', '']
    for why, which in lagging.items():
        out += textwrap.wrap(f"- {', '.join(which)}: {why}.", 118, subsequent_indent='  ')
    return '\n'.join(out + ['', ''])


def growth(name, files):
    """Cost by the law beside the smallest size: at most 1.25 holds; what falls (fixed costs) does."""
    out = ['', '| row | law | ms at n/16 | n/4 | n | cost at n/4 | at n |', '|---' * 7 + '|']
    above, rows = {}, ours(name, files, 'growth_ms')
    for row, r in rows.items():
        t, cost = r['growth_ms'], r['cost']
        out.append(f"| {row} | {r['law']} | {t[0]:.4g} | {t[1]:.4g} | {t[2]:.4g} | {cost[1]:.2f} | {cost[2]:.2f} |")
        if not r['holds']:
            above.setdefault(why_slow(name + '-growth', row), []).append(f'{row} {max(cost):.2f}')
    held = len(rows) - sum(map(len, above.values()))
    text = f'{held} of {len(rows)} rows cost in proportion to their law, or less.'
    out += [''] + textwrap.wrap(text, 118)
    if above:
        out += ['', 'What costs more, by how much, and why:', '']
    for why, which in above.items():
        out += textwrap.wrap(f"- {', '.join(which)}: {why}.", 118, subsequent_indent='  ')
    return '\n'.join(out + ['', ''])


def memory(name, files):
    mib = lambda b: f'{b / 2**20:.1f}' if b >= 2**17 else f'{b / 2**20:.3f}'
    out = ['', '| row | peak MiB | inputs | result | the algorithm | for |', '|---|---|---|---|---|---|']
    for row, r in ours(name, files, 'peak_bytes').items():
        out.append(f"| {row} | {mib(r['peak_bytes'])} | {mib(r['in_bytes'])} | {mib(r['out_bytes'])} | "
                   f"{mib(r['extra_bytes'])} | {r['extra_for']} |")
    return '\n'.join(out + ['', ''])


KINDS = {'ledger': table, 'growth': growth, 'memory': memory}


def main():
    with open(document) as f:
        old = f.read()
    new = re.sub(r'(<!-- (ledger|growth|memory) (\S+) ([^>]*?) -->\n).*?(?=<!-- end -->)',
                 lambda m: m[1] + KINDS[m[2]](m[3], m[4].split()), old, flags=re.S)
    if sys.argv[1:] == ['--write']:
        with open(document, 'w') as f:
            f.write(new)
    else:
        sys.stdout.write(new)


if __name__ == '__main__':
    main()
