# SPDX-License-Identifier: BSD-3-Clause
"""Prints the records of the random bench: ratios to the best peer and floors, a summary for each kind, and the worst
rows first. A result that disagrees with the reference counts for no side."""
import math


def wrong(record, name):
    e = record['error'].get(name, 0)
    return isinstance(e, str) or e > 1


def best_peer(record):
    """(name, ms) of the fastest peer with the right values, or None."""
    peers = [(ms, k) for k, ms in record['ms'].items() if k != 'gnd' and not wrong(record, k)]
    return min(peers)[::-1] if peers else None


def ratio(record):
    peer = best_peer(record)
    return record['ms']['gnd'] / peer[1] if peer and 'gnd' in record['ms'] and not wrong(record, 'gnd') else None


SLACK = 1 << 20


def memory_ratio(record):
    """gnd's peak of device memory by the least of the peers with the right values in as many bytes (not float32 where
    NumPy has float64); up to 1 MiB more is no difference, since allocators round that far. None: not known."""
    peaks, size = record.get('peak', {}), record.get('result_bytes', {})
    peers = [v for k, v in peaks.items() if k != 'gnd' and k in record['ms'] and not wrong(record, k) and
             size.get(k, 0) >= size.get('gnd', 0)]
    if 'gnd' not in peaks or not peers or wrong(record, 'gnd'):
        return None
    return peaks['gnd'] / min(peers) if peaks['gnd'] > min(peers) + SLACK else min(1, peaks['gnd'] / min(peers))


def mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else float('nan')


def line(record, bandwidth):
    """One row: ratio, gnd, the best peer, the floor, what it is."""
    r, peer, gnd = ratio(record), best_peer(record), record['ms'].get('gnd')
    floor = f'{record["bytes"] / bandwidth / gnd * 1e5:4.0f}%' if bandwidth and gnd else '    -'
    shown = f'{r:6.2f}' if r else '   -  '
    other = f'{peer[1]:10.4g} {peer[0]:<14}' if peer else f'{"-":>10} {"":<14}'
    mark = ''.join(f' !{k}: {record["error"][k]}' for k in record['error'] if wrong(record, k))
    return (f'{record["number"]:4} {shown} {gnd or float("nan"):10.4g} {other} {floor}  {record["kind"]}: '
            f'{record["text"]}{mark}')


HEAD = '   #  ratio     gnd ms    peer ms                 floor  workload'


def faults(records):
    """A line for each workload that gnd got wrong, or that failed."""
    out = []
    for r in records:
        if wrong(r, 'gnd'):
            out.append(f'  VALUES {r["number"]}: gnd is {r["error"]["gnd"]} of the tolerance from {r["reference"]}: '
                       f'{r["text"]}')
        if 'gnd' in r['why']:
            out.append(f'  FAILED {r["number"]}: {r["why"]["gnd"]}: {r["text"]}')
        elif 'gnd' not in r['error']:
            out.append(f'  UNCHECKED {r["number"]}: {r["why"]}: {r["text"]}')
    return out


def compiling(records):
    """A line about the first calls that compiled: what one kernel cost, the later calls' time taken off. Those that
    called no vendor's library are also given apart, because the first call of a library loads it."""
    took = [(r['kernels'], r['first_ms']['gnd'] - r['ms']['gnd']) for r in records if r.get('kernels')]
    own = [(r['kernels'], r['first_ms']['gnd'] - r['ms']['gnd']) for r in records
           if r.get('kernels') and not r.get('library_calls')]
    if not took:
        return []
    kernels, ms = (sum(t) for t in zip(*took))
    line = (f'  compiling: {kernels} kernels in {len(took)} first calls, {ms / kernels:.0f} ms a kernel, '
            f'{ms / len(took):.0f} ms a call')
    if own and len(own) < len(took):
        kernels, ms = (sum(t) for t in zip(*own))
        line += f'; {ms / kernels:.0f} ms a kernel in the {len(own)} calls without a library'
    return [line]


def beside(records, others):
    """The text that compares gnd's times on two devices: `others` are the records of the same workloads on the second."""
    theirs = {r['number']: r for r in others}
    pairs = [(r['ms']['gnd'] / o['ms']['gnd'], r, o) for r in records if 'gnd' in r['ms']
             for o in [theirs.get(r['number'], {'ms': {}})] if 'gnd' in o['ms'] and o['text'] == r['text']]
    if not pairs:
        return 'no workload was timed in both runs'
    out = [f'gnd on {pairs[0][1]["device"]} beside gnd on {pairs[0][2]["device"]}, {len(pairs)} workloads:']
    for name, calls in ('without', False), ('with', True):
        group = sorted((p for p in pairs if bool(p[2].get('library_calls')) == calls), key=lambda p: -p[0])
        if group:
            out.append(f'  {name} a vendor\'s library there: {len(group)}, geometric mean {mean([p[0] for p in group]):.2f}, '
                       f'above 3 {sum(p[0] > 3 for p in group)}')
            out += [f'    {p[0]:6.2f} {p[1]["number"]}: {p[1]["ms"]["gnd"]:.4g} and {p[2]["ms"]["gnd"]:.4g} ms: '
                    f'{p[1]["text"][:90]}' for p in group[:8] if p[0] > 1.15]
    return '\n'.join(out)


def summary(records):
    """The text of the summary."""
    rows = [r for r in records if ratio(r)]
    if not any(r['ms'] for r in records):
        right = sum(not wrong(r, 'gnd') and 'gnd' not in r['why'] and 'gnd' in r['error'] for r in records)
        return '\n'.join([f'{right} of {len(records)} workloads agree'] + faults(records))
    values = [ratio(r) for r in rows]
    out = [f'{len(rows)} workloads with a peer of {len(records)}: geometric mean {mean(values):.2f}; within 5% '
           f'{sum(v <= 1.05 for v in values)}, within 10% {sum(v <= 1.1 for v in values)}, slower than 1.5 times '
           f'{sum(v > 1.5 for v in values)}, than twice {sum(v > 2 for v in values)}; '
           f'first calls of gnd {sum(r["first_ms"].get("gnd", 0) for r in records) / max(1, len(records)):.0f} ms each']
    out += compiling(records)
    names = sorted({k for r in rows for k in r['ms'] if k != 'gnd'})
    for name in names:
        pairs = [r['ms']['gnd'] / r['ms'][name] for r in rows if name in r['ms'] and not wrong(r, name)]
        if pairs:
            out.append(f'  against {name} alone: {mean(pairs):.2f} ({len(pairs)} workloads)')
    kinds = {}
    for r in rows:
        kinds.setdefault(r['kind'], []).append(ratio(r))
    for k in sorted(kinds, key=lambda k: -mean(kinds[k])):
        v = kinds[k]
        out.append(f'  {k:24} {mean(v):6.2f}  ({len(v)}, worst {max(v):.2f})')
    mem = sorted((r for r in rows if memory_ratio(r)), key=lambda r: -memory_ratio(r))
    if mem:
        out.append(f'  memory: {len(mem)} workloads, peak by the least peer\'s: geometric mean '
                   f'{mean([memory_ratio(r) for r in mem]):.2f}, above 1.2 {sum(memory_ratio(r) > 1.2 for r in mem)}')
        out += [f'    {memory_ratio(r):5.2f} {r["number"]}: MB ' +
                ', '.join(f'{k} {v / 1e6:.1f}' for k, v in r['peak'].items()) + f': {r["text"][:110]}'
                for r in mem[:12] if memory_ratio(r) > 1.2]
    out += faults(records)
    lacking = [r for r in records if not ratio(r) and 'gnd' in r['ms'] and not wrong(r, 'gnd')]
    out += [f'  no peer {r["number"]}: {r["text"]}: {r["why"]}' for r in lacking[:10]]
    return '\n'.join(out)


def worst(records, bandwidth, count):
    """The rows with the highest ratios, with gnd's plans."""
    rows = sorted((r for r in records if ratio(r)), key=lambda r: -ratio(r))[:count]
    out = ['', f'the worst {len(rows)}:', HEAD]
    for r in rows:
        out.append(line(r, bandwidth))
        out.append('       ' + ', '.join(f'{k} {v:.4g}' for k, v in sorted(r['ms'].items(), key=lambda p: p[1])))
        out += ['       ' + s for s in r.get('plan', '').strip().split('\n')[:14]]
    return '\n'.join(out)
