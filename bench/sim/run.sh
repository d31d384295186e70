#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh BUILD [RANKS...] - gnd's own code for halo, reductions and cuts on a simulated cluster of uneven nodes (SimGrid's SMPI;
# Debian: libsimgrid-dev), with even cuts and cuts by speed, on 64 ranks or as many as the arguments say. BUILD is the
# folder of a build. What is simulated: cost.c, and a network of 100 Gbit/s with 2 us from node to node.
set -eu
build=$(cd "${1:?run.sh BUILD [RANKS...]}" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
out=$(mktemp -d "${TMPDIR:-/tmp}/gnd-sim.XXXXXX")
trap 'rm -rf "$out"' EXIT
wrap='-Wl,--wrap=gnd_eval_all,--wrap=gnd_wait,--wrap=gnd_read,--wrap=gnd_from,--wrap=gnd_host_alloc,--wrap=gnd_host_free,--wrap=gethostname'
# shellcheck disable=SC2046 # a list of files
smpicc -O1 -std=gnu11 -D_GNU_SOURCE -DGND_SIM -include "$here/cost.h" "-I$here" "-I$build/include" \
    "-I$source/include" -o "$out/heat" "$here/heat.c" "$here/cost.c" \
    $(ls "$source"/mpi/*.c) $wrap "-L$build/lib/.libs" -lgnd -lm
# Arrays of the null device, whose elements nobody writes, stay untouched pages only if malloc maps each of them anew.
export MALLOC_MMAP_THRESHOLD_=262144
for ranks in ${*:-64}; do
    cat >"$out/platform.xml" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="0-$((ranks - 1))" speed="1Gf" bw="12.5GBps" lat="1us"/>
</platform>
XML
    seq -f 'node%g' 0 $((ranks - 1)) >"$out/hosts"
    # 330 rows of 65536 columns for each rank, or what 64 of them have among more; a step takes some milliseconds
    columns=65536
    [ "$ranks" -le 64 ] || columns=$((65536 * 64 / ranks))
    rows=$((330 * ranks)) scale=$((16 * 65536 / columns))
    for cuts in ${CUTS:-even speed}; do
        GND_DEVICE=null GND_CACHE=0 SIM_SCALE=$scale LD_LIBRARY_PATH=$build/lib/.libs \
            smpirun -np "$ranks" -platform "$out/platform.xml" -hostfile "$out/hosts" \
            --cfg=smpi/simulate-computation:no --cfg=contexts/factory:thread --cfg=smpi/allreduce:rdb --cfg=smpi/allgather:rdb \
            --cfg=smpi/test:1e-6 --cfg=smpi/iprobe:1e-6 --cfg=smpi/shared-malloc-blocksize:4194304 --log=root.thresh:critical \
            "$out/heat" $rows $columns "${STEPS:-5}" $cuts "${FORM:-stencil}"
    done
done
