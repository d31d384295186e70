#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh BUILD [RANKS...] - gnd's own code for work on distributed arrays on a simulated cluster of uneven nodes
# (SimGrid's SMPI; Debian: libsimgrid-dev), with even cuts and cuts by speed, on 64 ranks or as many as the arguments
# say. BUILD is the folder of a build. What is simulated: cost.c, and a network of 100 Gbit/s with 2 us from node to
# node.
#
# WORKS: heat (the default) and those of works.c; kmeans:speed is one with these cuts only, kmeans:speed@16 on 16 ranks.
# SIM_CFLAGS: options of the compiler, -O1 by default. CUTS: even speed. STEPS: the steps that are timed. SIM_MIX: speeds
# or devices. PER_NODE: elements of each node on average (of matmul and fft2 the side is rounded). FORM: heat's, stencil
# or halo.
set -eu
build=$(cd "${1:?run.sh BUILD [RANKS...]}" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/gnd-sim.XXXXXX")
trap 'rm -rf "$out"' EXIT
wrap='-Wl,--wrap=gnd_eval_all,--wrap=gnd_wait,--wrap=gnd_read,--wrap=gnd_from,--wrap=gnd_host_alloc,--wrap=gnd_host_free'
for name in create status free current use wait record event_done event_free; do wrap="$wrap,--wrap=gnd_stream_$name"; done
wrap="$wrap,--wrap=gnd_read_async,--wrap=gnd_from_async"
wrap="$wrap,--wrap=gnd_device_describe,--wrap=gethostname,--wrap=gndm__sample_split"
mkdir "$out/lib"
# shellcheck disable=SC2086 # options
compile() { smpicc ${SIM_CFLAGS--O1} -std=gnu11 -D_GNU_SOURCE -DGND_SIM -include "$here/cost.h" "-I$here" "-I$build/include" "-I$source/include" "$@"; }
(cd "$out/lib" && compile -c "$here/cost.c" "$source"/mpi/*.c)
for program in heat works; do
    compile -o "$out/$program" "$here/$program.c" "$out"/lib/*.o $wrap "-L$build/lib/.libs" -lgnd -lm
done
# Arrays of the null device, whose elements nobody writes, stay untouched pages only if malloc maps each of them anew.
export MALLOC_MMAP_THRESHOLD_=262144

# simulated SCALE PROGRAM ARGUMENT...
simulated() {
    scale=$1
    shift
    cat >"$out/platform.xml" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="0-$((ranks - 1))" speed="1Gf" bw="12.5GBps" lat="1us"/>
</platform>
XML
    GND_DEVICE=null GND_NULL_MEMORY=4096T GND_CACHE=0 SIM_SCALE=$scale LD_LIBRARY_PATH=$build/lib/.libs \
        smpirun -np "$ranks" -platform "$out/platform.xml" -hostfile "$out/hosts" \
        --cfg=smpi/simulate-computation:no --cfg=contexts/factory:thread --cfg=smpi/allreduce:rdb --cfg=smpi/allgather:rdb \
        --cfg=smpi/test:1e-6 --cfg=smpi/grow-injected-times:no --cfg=smpi/iprobe:1e-6 --cfg=smpi/shared-malloc-blocksize:4194304 --log=root.thresh:critical \
        "$@"
}

# The side of a square of that many elements, a multiple of 1024.
side() { awk -v n="$1" 'BEGIN { printf "%d", 1024 * int(sqrt(n) / 1024 + 0.5) }'; }

for all in ${*:-64}; do
    for item in ${WORKS:-heat}; do
        case $item in
            *@*) ranks=${item#*@} item=${item%@*} ;;
            *) ranks=$all ;;
        esac
        seq -f 'node%g' 0 $((ranks - 1)) >"$out/hosts"
        work=${item%:*}
        case $item in
            *:*) list=${item#*:} ;;
            *) list=${CUTS:-even speed} ;;
        esac
        for cuts in $list; do
            case $work in
                heat)
                    # 330 rows of 65536 columns for each rank, or what 64 of them have among more; a step takes some
                    # milliseconds
                    columns=65536
                    [ "$ranks" -le 64 ] || columns=$((65536 * 64 / ranks))
                    simulated $((16 * 65536 / columns)) "$out/heat" $((330 * ranks)) $columns "${STEPS:-5}" "$cuts" \
                        "${FORM:-stencil}"
                    continue
                    ;;
                cg) size=$((${PER_NODE:-268435456} / 65536 * ranks)) ;;
                kmeans) size=$((${PER_NODE:-268435456} / 16 * ranks)) ;;
                matmul | fft2) size=$(side $((${PER_NODE:-16777216} * ranks))) ;;
                *) size=$((${PER_NODE:-268435456} * ranks)) ;;
            esac
            simulated 1 "$out/works" "$work" "$size" "${STEPS:-5}" "$cuts"
        done
    done
done
