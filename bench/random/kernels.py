#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the CUDA plugin's compiler takes for the kernels of a seed's workloads, without a GPU: README.md.

The kernels are those that gnd.explain() shows for the null device of CUDA's dialect, each text once. NVRTC compiles
them with the options of backends/cuda/compile.c. What a workload evaluates on its way to its result is not among
them, and the null device has no libraries: products, transforms and decompositions are gnd's own kernels there, so
these kinds are left out unless --kinds names them."""
import argparse
import ctypes
import glob
import os
import re
import statistics
import sys
import tempfile
import time

import numpy as np

import libs
import measure
import run  # which turns the driver's cache off

LIBRARY = ('products', 'transforms', 'tall systems', 'small matrices')
NAMES = ('libnvrtc.so.13', 'libnvrtc.so.12', '/usr/local/cuda/lib64/libnvrtc.so.13',
         '/usr/local/cuda/lib64/libnvrtc.so.12')
MOST_BYTES = 1 << 30


def plugin_options():
    """The options that backends/cuda/compile.c gives gnd's own kernels."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, '..', '..', 'backends', 'cuda', 'compile.c')) as f:
        text = f.read()
    fixed = re.search(r'fixed\[\] = \{(.*?)\};', text, re.S).group(1)
    return re.findall(r'"([^"]+)"', fixed + re.search(r'minimal\[\] = (.*?);', text).group(1))


class Nvrtc:
    """NVRTC. compile() gives the seconds of the processor, the machine code, and milliseconds by phase."""

    def __init__(self, path, options):
        for name in [path] if path else NAMES:
            try:
                self.lib = ctypes.CDLL(name)
                break
            except OSError as e:
                why = e
        else:
            sys.exit(f'kernels.py: no NVRTC: {why}')
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.lib.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f'{major.value}.{minor.value}'
        self.options = [w for w in options if w != '--minimal' or (major.value, minor.value) >= (12, 4)]
        self.phases = os.path.join(tempfile.gettempdir(), f'gnd-nvrtc-{os.getpid()}')
        self.compile('extern "C" __global__ void k() {}')  # what the first call loads is not a kernel's

    def text(self, p, what):
        n = ctypes.c_size_t()
        getattr(self.lib, f'nvrtcGet{what}Size')(p, ctypes.byref(n))
        buf = ctypes.create_string_buffer(n.value)
        getattr(self.lib, f'nvrtcGet{what}')(p, buf)
        return buf.raw

    def compile(self, text, phases=False):
        options = self.options + ([f'--time={self.phases}'] if phases else [])
        words = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
        p, parts = ctypes.c_void_p(), {}
        t = time.process_time()
        r = self.lib.nvrtcCreateProgram(ctypes.byref(p), text.encode(), b'gnd.cu', 0, None, None)
        r = r or self.lib.nvrtcCompileProgram(p, len(options), words)
        t = time.process_time() - t
        if r:
            sys.exit(f'kernels.py: NVRTC {self.version}, error {r}: ' +
                     (self.text(p, 'ProgramLog').decode(errors='replace') if p else ''))
        code = self.text(p, 'CUBIN')
        self.lib.nvrtcDestroyProgram(ctypes.byref(p))
        if phases:
            with open(self.phases) as f:
                rows = [[w.strip() for w in line.split(',')] for line in f]
            os.remove(self.phases)
            parts = {row[1]: float(row[2]) for row in rows if len(row) > 2 and row[2].replace('.', '').isdigit()}
        return t, code, parts


def texts_of(o):
    """[(name, text)]: the kernels of the seed's workloads."""
    gnd, seen, out = libs.Gnd('null:2'), set(), []
    for w in run.draw(o.seed, o.count, o.shrink, True, o.kinds.split(',') if o.kinds else
                      [k for k in run.KINDS if k not in LIBRARY]):
        try:
            if sum(i.nbytes() for i in w.inputs.values()) > MOST_BYTES:
                raise MemoryError('its inputs are larger than 1 GiB')
            mine = [gnd.put(a, w.inputs[k].dtype) for k, a in measure.inputs_of(w, o.seed).items()]
            plan = gnd.gnd.explain(*measure.as_tuple(gnd.function(w)[0][1](*mine)), source=True)
        except Exception as e:  # the null device computes nothing, so what reads values on its way may fail
            print(f'left out: {w.number} {w.kind}: {" ".join(str(e).split())[:90]}')
            continue
        for k, text in enumerate(re.findall(r'--- source of kernel \d+\n(.*?\n)---\n', plan, re.S)):
            if text not in seen:
                seen.add(text)
                out.append((f'{w.number:03}-{k:02} {w.kind}: {w.text()}', text))
    return out


def texts_in(folder):
    """{name: text} of a folder's *.cu."""
    out = {}
    for path in glob.glob(os.path.join(folder, '*.cu')):
        with open(path) as f:
            out[os.path.basename(path)[:-3]] = f.read()
    return out


def write(folder, name, text, code):
    """A kernel's text and machine code."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + '.cu'), 'w') as f:
        f.write(text)
    with open(os.path.join(folder, name + '.cubin'), 'wb') as f:
        f.write(code)


def arguments():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--seed', type=int, default=19, help='what is drawn (default: 19)')
    p.add_argument('--count', type=int, default=100, help='workloads (default: 100)')
    p.add_argument('--shrink', type=float, default=8, help='divides the numbers of elements (default: 8)')
    p.add_argument('--kinds', default=None, help='only these kinds, parted by commas; prefixes are enough')
    p.add_argument('--texts', action='append', default=[],
                   help='compile the *.cu of this folder instead; of several, in turn, those with the same names')
    p.add_argument('--out', default=None, help='write the texts and the machine code into this folder')
    p.add_argument('--arch', default='sm_90', help='for this architecture (default: sm_90)')
    p.add_argument('--runs', type=int, default=3, help='compilations of each; the least counts (default: 3)')
    p.add_argument('--nvrtc', default=None, help='the file of NVRTC')
    p.add_argument('--option', action='append', default=[], help='one more option of NVRTC')
    p.add_argument('--without', action='append', default=[], help='without the options that begin so')
    p.add_argument('--worst', type=int, default=10, help='the slowest are listed (default: 10)')
    return p.parse_args()


def main():
    o = arguments()
    np.seterr(all='ignore')
    options = [w for w in plugin_options() if not any(w.startswith(x) for x in o.without)] + o.option
    nvrtc = Nvrtc(o.nvrtc, [f'--gpu-architecture={o.arch}'] + options)
    sets = [texts_in(folder) for folder in o.texts] or [dict(texts_of(o))]
    names = sorted(set.intersection(*[set(texts) for texts in sets]))
    if not names:
        sys.exit('kernels.py: no kernel')
    empty = min(nvrtc.compile('extern "C" __global__ void k(int *p) { *p = 1; }')[0] for _ in range(5 * o.runs))
    times, total = [[] for _ in sets], {}
    for name in names:
        best = [min(turn) for turn in zip(*[[nvrtc.compile(t[name])[0] for t in sets] for _ in range(o.runs)])]
        for of_set, t in zip(times, best):
            of_set.append(t * 1e3)
        _, code, parts = nvrtc.compile(sets[-1][name], True)
        for k, v in parts.items():
            total[k] = total.get(k, 0) + v
        if o.out:
            write(o.out, name.split()[0], sets[-1][name], code)
    print(f'NVRTC {nvrtc.version}, {" ".join(nvrtc.options)}; an empty kernel takes {empty * 1e3:.1f} ms')
    for texts, ms, folder in zip(sets, times, o.texts or [f'seed {o.seed}']):
        print(f'{folder}: {len(names)} kernels of {statistics.mean(len(texts[n]) for n in names):.0f} bytes: mean '
              f'{statistics.mean(ms):.1f}, median {statistics.median(ms):.1f}, most {max(ms):.1f} ms of the processor')
    print('by the clock: ' + ', '.join(f'{k} {100 * v / (sum(total.values()) or 1):.0f}%' for k, v in total.items()))
    for *ms, name in sorted(zip(*reversed(times), names), reverse=True)[:o.worst]:
        print(' '.join(f'{t:8.1f}' for t in reversed(ms)) + f'  {name[:100]}')
    return 0


if __name__ == '__main__':
    code = main()
    sys.stdout.flush()
    os._exit(code)
