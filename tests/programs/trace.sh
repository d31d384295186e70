#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# trace.sh - GND_TRACE=FILE: the file is JSON in Chrome's trace event format; what was planned,
# compiled, launched, called and read is in it, on the host and on the device, in order.
. "$GND_SRCDIR/tests/lib/tap.sh"

dev=${GND_TEST_DEVICES:-opencl:pocl}
dev=${dev%%,*}
command -v python3 >/dev/null || skip_all "no python3 to read the trace with"
gnd eval 1 -d "$dev" >/dev/null 2>err || skip_all "no device $dev: $(head -n 1 err)"

# holds NAME FILE CONDITION: a Python expression over spans (host, device: lists of spans by time).
holds() {
    check "$1" python3 - "$2" "$3" <<'EOF'
import json, sys
events = json.load(open(sys.argv[1]))
spans = sorted((e for e in events if e['ph'] == 'X'), key=lambda e: e['ts'])
device = [e for e in spans if e['pid'] >= 10**9]
host = [e for e in spans if e['pid'] < 10**9]
names = lambda category, where=host: [e['name'] for e in where if e['cat'] == category]
if not eval(sys.argv[2]):
    print(sys.argv[2], *events, sep='\n')
    sys.exit(1)
EOF
}

expr='x = arange(1000.).reshape(20, 50); (sin(x) * 2).sum() + (x @ x.T)[0, 0]'
check "a cold cache" env GND_CACHE=0 GND_TRACE=cold.json gnd eval "$expr" -d "$dev"
# With a trace the device runs every step; without one the calling thread may, and compiles no kernel for it. A process
# stores kernels for a limited time at its end, on a busy machine not all of them.
check "a warm cache" sh -c "for i in 1 2 3 4; do GND_TRACE=first.json gnd eval '$expr' -d $dev || exit; done
    GND_TRACE=warm.json gnd eval '$expr' -d $dev"
holds "evaluation, plan and compilations" cold.json \
    'len(names("compile")) >= 2 and "plan" in names("host") and "evaluate" in names("host")'
holds "a warm cache compiles nothing" warm.json 'not names("compile") and names("kernel")'
holds "a kernel is called by what it does" warm.json 'any("sin" in n for n in names("kernel"))'
holds "products and transfers" warm.json \
    'any("matmul" in n for n in names("library") + names("kernel")) and "read" in names("transfer")'
holds "what the host puts into the queue, the device does, in that order" warm.json \
    'len(device) > 2 and names("kernel") == names("kernel", device)'
holds "the device does one thing at a time" warm.json \
    'all(a["ts"] + a["dur"] <= b["ts"] + 1 for a, b in zip(device, device[1:]))'
holds "times and bytes are no less than 0" warm.json \
    'all(e["dur"] >= 0 for e in spans) and all(v >= 0 for e in spans for v in e.get("args", {}).values())'
holds "host and device have names, memory is counted" warm.json \
    'sum(e["name"] == "process_name" for e in events) == 2 and any(e["ph"] == "C" for e in events)'
check "an evaluation that fails" sh -c "! GND_TRACE=bad.json gnd eval 'arange(3)[[5]] + 0' -d $dev"
holds "leaves a whole file" bad.json 'names("kernel")'
check "a process that forks" env GND_TRACE=fork.json "GND_TEST_DEVICES=$dev" "$GND_BUILDDIR/tests/fault/fault_fork"
holds "leaves a whole file, too" fork.json 'names("kernel")'
check "a device without a clock" env GND_TRACE=null.json gnd explain 'arange(9.).sum()' -d null:0
holds "has host spans only" null.json 'not device'
GND_TRACE=no/such/folder/t.json gnd eval 1 -d "$dev" >out 2>err && rc=0 || rc=$?
check "a file that cannot be written is an error" test "$rc" = 1
check "which names it" grep -F "GND_TRACE: no/such/folder/t.json: No such file" err
done_testing
