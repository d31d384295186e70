#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_nccl.sh - NCCL below libgnd-mpi without a GPU: nccl_fake.inc gives a CUDA plugin that computes on PoCL, a driver
# whose streams are threads, and an NCCL that moves bytes by files. What is moved and reduced is compared with gnd alone;
# each reason to go without NCCL is told; failures of its calls are the same error on all ranks.
. "$GND_SRCDIR/tests/lib/tap.sh"
if [ "$GND_TEST_SANITIZERS" != no ] && [ -z "${GND_TEST_ALL-}" ]; then skip_all "under the sanitizers with GND_TEST_ALL"; fi
plugin=$GND_BUILDDIR/backends/opencl/.libs/gnd-opencl.so
[ -f "$plugin" ] || skip_all "the OpenCL plugin is not built"
case $GND_TEST_DEVICES in *pocl*) ;; *) skip_all "no PoCL among the devices of this run" ;; esac
. "$GND_SRCDIR/tests/mpi/start.sh"
case $GND_TEST_MPI in mpich) module=mpich ;; *) module=ompi-c ;; esac

# shellcheck disable=SC2046 # flags are words
$CC -std=gnu11 -O1 -fPIC -shared -I"$GND_BUILDDIR/include" -I"$GND_SRCDIR/include" \
    $(pkg-config --cflags OpenCL 2>/dev/null) -o gnd-cuda.so -x c "$GND_SRCDIR/tests/mpi/nccl_fake.inc" \
    -ldl -lpthread -lOpenCL 2>err || skip_all "no OpenCL to compile with: $(head -n 1 err)"
# shellcheck disable=SC2046 # flags are words
$CC -std=gnu11 -O1 -fPIC -shared -D_GNU_SOURCE $(pkg-config --cflags "$module" 2>/dev/null) -o aware.so -x c \
    "$GND_SRCDIR/tests/mpi/aware_fake.inc" -ldl 2>err || fail "a CUDA-aware MPI to compile" && diag <err
mkdir files none
for folder in . none; do ln -s "$scratch/gnd-cuda.so" $folder/libcuda.so.1; done
ln -s gnd-cuda.so libnccl.so.2
: >none/libnccl.so.2 # before one that the machine may have
GND_BACKEND_PATH=$scratch FAKE_OPENCL=$plugin FAKE_DIR=$scratch/files GND_DEVICE=cuda:0
libraries=$LD_LIBRARY_PATH
LD_LIBRARY_PATH=$scratch:$libraries
export GND_BACKEND_PATH FAKE_OPENCL FAKE_DIR GND_DEVICE LD_LIBRARY_PATH

# quick RANKS PROGRAM [ARGUMENT...]: started, with kernels that PoCL's optimizer did not see. Those of `tell`, `fails` and
# `fails-large` are optimized, because these measure speeds; gnd's cache would give them the others.
quick() {
    if [ -z "${GND_TEST_ALL-}" ]; then pocl_flags=${POCL_EXTRA_BUILD_FLAGS--cl-opt-disable} GND_CACHE=0; fi
    started "$@"
    unset pocl_flags
    GND_CACHE=1
}

# Everything, with a group of 2 ranks; with GND_TEST_ALL also beside a rank that has the same GPU as another.
# A few hundred bytes for a stage: transforms go in several stages, and work begins before all have come.
GND_MPI_STAGE=3000 FAKE_LOG=1 quick 2 mpi_nccl
check "elements went through NCCL" grep -q 'fake ncclSend' err
check "reductions too" grep -q 'fake ncclAllReduce' err
check "no memory was pinned for messages of MPI" test "$(grep -c 'fake host_alloc' err)" = 0
check "the communicator is destroyed at the end" grep -q 'fake ncclCommDestroy' err
if [ -n "${GND_TEST_ALL-}" ]; then FAKE_GPUS=2 quick 3 mpi_nccl; fi

# Messages of 100 bytes and more are copied from GPU to GPU, in chunks of 1024, through slots that are used in turn; also
# in two groups, with GND_TEST_ALL.
GND_MPI_PEER=100 GND_MPI_STAGE=3000 FAKE_LOG=1 quick 3 mpi_nccl large
check "elements went from GPU to GPU" test "$(grep -c 'fake cuMemcpyDtoDAsync 1024' err)" -gt 100
check "no window is left over" test -z "$(ls files)"
if [ -n "${GND_TEST_ALL-}" ]; then
    GND_MPI_PEER=100 GND_MPI_STAGE=3000 quick 2 mpi_nccl
    GND_MPI_PEER=100 GND_MPI_NODE=3 quick 5 mpi_nccl large
    GND_MPI_PEER=100 FAKE_GPUS=3 quick 4 mpi_nccl large
fi

# Several groups: of three and two ranks, and of two and one, which exchanges by MPI alone. With GND_TEST_ALL also of two
# and two, of three and one, two whose third rank has the GPU of the first, and everything else over three and two.
GND_MPI_NODE=3 FAKE_LOG=1 quick 5 mpi_nccl trees
check "NCCL inside the nodes" test "$(grep -c 'fake ncclReduceScatter' err)" = 45
check "and again after MPI between them" test "$(grep -c 'fake ncclAllGather' err)" = 45
GND_MPI_NODE=2 quick 3 mpi_nccl trees
if [ -n "${GND_TEST_ALL-}" ]; then
    GND_MPI_NODE=2 quick 4 mpi_nccl trees
    GND_MPI_NODE=3 quick 4 mpi_nccl trees
    GND_MPI_NODE=3 FAKE_GPUS=2 quick 5 mpi_nccl trees
    GND_MPI_NODE=3 quick 5 mpi_nccl
fi
check "no message is left over" test -z "$(ls files)"
if [ -n "${GND_TEST_ALL-}" ]; then
    FAKE_FAIL='ncclReduceScatter 1 2' GND_MPI_NODE=3 started 5 mpi_nccl fails-large 'ncclReduceScatter: invalid usage'
    rm -f files/* # messages to the rank that failed
fi

# told NAME TEXT [VARIABLE=VALUE...]: what 2 ranks say of their ways to exchange.
told() {
    name=$1 text=$2
    shift 2
    # shellcheck disable=SC2086 # a command and its options
    env "$@" $mpirun -n 2 "$program_folder/mpi_nccl" tell >out 2>err
    if grep -qF "$text" out; then pass "$name: $text"; else
        fail "$name: $text"
        cat out err | head -n 20 | diag
    fi
}
told "both ranks, required" "rank 1: nccl: " GND_MPI_NCCL=1
check "with copies between GPUs" grep -qF "; copies: ;" out
told "one GPU for two" "rank 1: staged: rank 0 has the same GPU, 0000:00:00.0" FAKE_GPUS=1
check "the first is then alone" grep -qF "rank 0: staged: no other rank of the node can use it" out
told "an old NCCL" "libnccl.so.2 has version code 2708: 2.10 or a newer 2.x is needed" FAKE_CODE=2708
told "no NCCL" "libnccl.so.2: file too short" LD_LIBRARY_PATH="$scratch/none:$libraries"
told "not wanted" "rank 1: staged: GND_MPI_NCCL=0" GND_MPI_NCCL=0
told "required in vain" "rank 1: gndm_open: GND_MPI_NCCL=1, and there is no NCCL: " GND_MPI_NCCL=1 FAKE_GPUS=1
told "neither" "rank 1: gndm_open: GND_MPI_NCCL: not 0 or 1 [rank 0]" GND_MPI_NCCL=maybe
told "a failure at the start" "rank 0: staged: ncclCommInitRank: unhandled cuda error [rank 1]" \
    FAKE_FAIL='ncclCommInitRank 1 1'
told "not wanted" "copies: GND_MPI_PEER=0;" GND_MPI_PEER=0
told "no window for others" "copies: cuIpcOpenMemHandle: CUDA_ERROR [rank 1];" FAKE_FAIL='cuIpcOpenMemHandle 1 1'
told "copies that move nothing" "rank 0: nccl: " FAKE_LOST=1
check "NCCL moves all" grep -qF 'copies: the test exchange moved wrong bytes [rank 0];' out
told "no number" "rank 1: gndm_open: GND_MPI_PEER: not 0, nor a number of bytes up to 2^40 [rank 0]" GND_MPI_PEER=-4
told "a failure of the test exchange" "rank 1: staged: gndm_open: ncclGroupEnd: unhandled cuda error [rank 1]" \
    FAKE_FAIL='ncclGroupEnd 1 1'

FAKE_FAIL='ncclReduceScatter 1 2' GND_MPI_NODE=2 started 3 mpi_nccl fails-large 'ncclReduceScatter: invalid usage'
# After the test exchange at the start: call 2 and later are the program's.
for call in 'ncclSend 1 2:ncclSend: invalid usage' 'ncclGroupEnd 1 2:ncclGroupEnd: unhandled cuda error' \
    'ncclAllReduce 1 1:ncclAllReduce: invalid usage' 'cuStreamWaitEvent 1 10:cuStreamWaitEvent: CUDA_ERROR'; do
    FAKE_FAIL=${call%%:*} started 2 mpi_nccl fails "${call#*:}"
done
GND_MPI_PEER=100 FAKE_FAIL='cuMemcpyDtoDAsync 1 5' started 2 mpi_nccl fails 'cuMemcpyDtoDAsync: CUDA_ERROR'
if [ -n "${GND_TEST_ALL-}" ]; then
    GND_MPI_PEER=100 FAKE_FAIL='cuStreamWaitValue32 1 8' started 2 mpi_nccl fails 'cuStreamWaitValue32: CUDA_ERROR'
fi
# In the third stage of an exchange: two are under way. Calls of the queue's waits come after all stages.
for call in 'ncclGroupEnd 1 4:ncclGroupEnd: unhandled cuda error' 'cuStreamWaitEvent 1 19:cuStreamWaitEvent: CUDA_ERROR'; do
    GND_MPI_STAGE=300 FAKE_FAIL=${call%%:*} quick 2 mpi_nccl fails-stages "${call#*:}"
done
# Of a vector: while chunks of columns arrive, and with GND_TEST_ALL while they leave.
GND_MPI_STAGE=3000 FAKE_FAIL='ncclGroupEnd 1 4' quick 2 mpi_nccl fails-vector 'ncclGroupEnd: unhandled cuda error'
if [ -n "${GND_TEST_ALL-}" ]; then
    GND_MPI_STAGE=3000 FAKE_FAIL='ncclGroupEnd 1 12' quick 2 mpi_nccl fails-vector 'ncclGroupEnd: unhandled cuda error'
fi
FAKE_FAIL='cuEventQuery 1 5' quick 2 mpi_nccl breaks "wait: during an exchange by NCCL: cuEventQuery: CUDA_ERROR_LAUNCH_FAILED"

# CUDA-aware MPI: device memory is sent and received, also beside a rank that uses its host's; a test at the start.
# (A library before that of the sanitizers is one of ours.)
export GND_MPI_NCCL=0 ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
aware() { quick "$@" && sort err | uniq -c | sort -rn | sed -n 's/^ *\([0-9]* fake MPI_.*\)/# \1/p' | head -n 3; }
LD_PRELOAD=$scratch/aware.so aware 2 mpi_nccl
check "MPI sends from the device" grep -q 'fake MPI_Isend from the device' err
check "and receives there" grep -q 'fake MPI_Irecv to the device' err
LD_PRELOAD=$scratch/aware.so GND_MPI_CHUNK=40 GND_MPI_STAGE=1000 aware 3 mpi_exchange
GND_MPI_NCCL="" LD_PRELOAD=$scratch/aware.so GND_MPI_NODE=2 quick 3 mpi_nccl trees
# Staging memory, of a device in the host's memory and of one that copies through streams.
GND_MPI_CHUNK=40 GND_MPI_STAGE=1000 FAKE_LOG=1 quick 3 mpi_exchange
check "the host copies" test "$(grep -c 'fake read_async' err)" = 0
GND_MPI_CHUNK=40 GND_MPI_STAGE=1000 FAKE_LOG=1 FAKE_APART=1 quick 5 mpi_exchange
check "12 chunks in each direction serve all messages" test "$(grep -c 'fake host_alloc 40' err)" = 120
check "streams copy" test "$(grep -c 'fake read_async' err)" -gt 1000
GND_MPI_CHUNK=100000 FAKE_APART=1 quick 2 mpi_exchange
FAKE_APART=1 FAKE_FAIL='read_async 1 1' quick 2 mpi_nccl fails-copy
FAKE_APART=1 FAKE_FAIL='read_async 1 1' quick 2 mpi_nccl fails-copy-alone
FAKE_FAIL='host_alloc 1 2' quick 2 mpi_nccl fails-ring
LD_PRELOAD=$scratch/aware.so GND_MPI_STAGE=3000 FAKE_LOG=1 aware 2 mpi_nccl large
check "and none through pinned memory" test "$(grep -c 'fake host_alloc' err)" = 0
check "stages are sent from the device" test "$(grep -c 'fake MPI_Isend from the device' err)" -gt 100
told "both ranks, required" "rank 1: cuda-aware: " GND_MPI_CUDA=1 LD_PRELOAD="$scratch/aware.so"
told "wrong bytes" "rank 0: staged: GND_MPI_NCCL=0; MPI: the test message through device memory came with" \
    FAKE_WRONG=1 LD_PRELOAD="$scratch/aware.so"
told "not wanted" "rank 0: staged: GND_MPI_NCCL=0; MPI: GND_MPI_CUDA=0" GND_MPI_CUDA=0 LD_PRELOAD="$scratch/aware.so"
told "required in vain" "gndm_open: GND_MPI_CUDA=1, and MPI cannot use the device: this MPI " GND_MPI_CUDA=1
told "no number" "rank 1: gndm_open: GND_MPI_NODE: not a number of ranks [rank 0]" GND_MPI_NODE=two
told "no bytes" "rank 1: gndm_open: GND_MPI_STAGE: not a number of bytes from 1 to 2^40 [rank 0]" GND_MPI_STAGE=-1
told "no chunk" "rank 1: gndm_open: GND_MPI_CHUNK: not a number of bytes from 16 to 2^30 [rank 0]" GND_MPI_CHUNK=8
told "neither" "rank 1: gndm_open: GND_MPI_CUDA: not 0 or 1 [rank 0]" GND_MPI_CUDA=maybe
done_testing
