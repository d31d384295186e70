# SPDX-License-Identifier: BSD-3-Clause
#
# start.sh - how scripts of tests/mpi start programs on several ranks. Sourced after tap.sh; skips the test, with the
# reason, where there is no MPI.
[ "$GND_TEST_MPI" != no ] || skip_all "built without MPI (Debian: libopenmpi-dev)"
case $GND_TEST_MPI in
    ompi) names='mpirun.openmpi mpirun' ;;
    mpich) names='mpirun.mpich mpirun' ;;
    *) names=mpirun ;;
esac
mpirun=
for name in $names; do
    if [ -z "$mpirun" ] && command -v "$name" >/dev/null; then mpirun=$name; fi
done
[ -n "$mpirun" ] || skip_all "no mpirun (Debian: openmpi-bin or mpich)"
case $("$mpirun" --version 2>&1 | head -n 1) in
    *"Open MPI"* | *OpenRTE*) mpirun="$mpirun --oversubscribe --mca btl_base_warn_component_unused 0" ;;
esac
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1
GND_OPENCL_TURNS=1 POCL_MAX_PTHREAD_COUNT=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
: "${GND_MPI_TIMEOUT:=120}"
GND_DEVICE=${GND_TEST_DEVICES%%,*}
# Speeds are measured once for each number of ranks and kind of device, not at each start. Kernels are kept too.
GND_CACHE=1 GND_CACHE_DIR=$GND_BUILDDIR/cache/mpi
export GND_CACHE GND_CACHE_DIR GND_OPENCL_TURNS OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_mpi_yield_when_idle POCL_MAX_PTHREAD_COUNT \
    OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_rmaps_base_oversubscribe OMP_NUM_THREADS OPENBLAS_NUM_THREADS \
    GND_MPI_TIMEOUT GND_DEVICE
# What MPI itself keeps until the end is not ours to free.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

program_folder=$GND_BUILDDIR/tests/mpi
launcher= # of programs that are texts
# started RANKS PROGRAM [ARGUMENT...]: its checks as one of this script's for each; those that fail are shown.
# `pocl_flags`, if set: PoCL's flags in place of the test's.
started() {
    ranks=$1 prog=$2
    shift 2
    # mpi_handles measures speeds, with kernels as users run them.
    optimizer=POCL_EXTRA_BUILD_FLAGS=${pocl_flags-${POCL_EXTRA_BUILD_FLAGS-}}
    if [ "$prog" = mpi_handles ]; then optimizer=POCL_EXTRA_BUILD_FLAGS=; fi
    # shellcheck disable=SC2086 # a command and its options
    env "$optimizer" $mpirun -n "$ranks" $launcher "$program_folder/$prog" "$@" >out 2>err
    status=$?
    while read -r line; do
        case $line in
            "ok "*) tap_n=$((tap_n + 1)) && echo "ok $tap_n - $ranks ranks: ${line#ok * - }" ;;
            "not ok "*)
                tap_n=$((tap_n + 1)) tap_failed=$((tap_failed + 1))
                echo "not ok $tap_n - $ranks ranks: ${line#not ok * - }"
                ;;
            1..*) ;;
            *) echo "$line" ;;
        esac
    done <out
    if [ $status = 0 ] && grep -q '^1\.\.' out; then
        pass "$ranks ranks: $prog ends well"
    else
        fail "$ranks ranks: $prog ends well ($status)"
        head -n 20 err | diag
    fi
}
