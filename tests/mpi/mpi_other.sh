#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_other.sh - libgnd-mpi and programs of tests/mpi with the MPI that the build does not use (MPICH beside Open MPI, or
# the other way round), compiled here and run on 2 and 3 ranks; with GND_TEST_ALL all programs on 1, 2, 3, 4 and 7, or on as
# many as the arguments say.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "the plain build's run does it"
command -v pkg-config >/dev/null || skip_all "no pkg-config"
case $GND_TEST_MPI in
    no) skip_all "built without MPI (Debian: libopenmpi-dev)" ;;
    ompi) module=mpich other=mpich ;;
    *) module=ompi-c other=ompi ;;
esac
pkg-config --exists $module || skip_all "no second MPI: pkg-config does not know $module (Debian: libmpich-dev, mpich)"
used=$GND_TEST_MPI
GND_TEST_MPI=$other
. "$GND_SRCDIR/tests/mpi/start.sh"

include="-I$GND_BUILDDIR/include -I$GND_SRCDIR/include -I$GND_SRCDIR/tests/lib"
# shellcheck disable=SC2046,SC2086 # flags are words
{
    flags="-std=gnu11 -O1 -fPIC -ffp-contract=off -D_GNU_SOURCE $include $(pkg-config --cflags $module)"
    check "libgnd-mpi with $other" $CC $flags -DGND_BUILD -shared -o libgnd-mpi.so "$GND_SRCDIR"/mpi/*.c \
        "-L$GND_BUILDDIR/lib/.libs" -lgnd $(pkg-config --libs $module)
    programs='mpi_arrays mpi_faults'
    if [ -n "${GND_TEST_ALL-}" ]; then
        programs="$programs mpi_handles mpi_eval mpi_files mpi_sort mpi_shape mpi_linear mpi_factor mpi_names mpi_random mpi_root mpi_refused"
    fi
    for t in $programs; do
        check "$t with $other" $CC $flags -o $t "$GND_SRCDIR/tests/mpi/$t.c" "$GND_SRCDIR/tests/mpi/dist.c" \
            "$GND_SRCDIR/tests/lib/tap.c" -L. -lgnd-mpi "-L$GND_BUILDDIR/lib/.libs" -lgnd $(pkg-config --libs $module) -lm
    done
    # A program of one MPI does not link to the library of the other.
    printf '#include <gnd/mpi.h>\nint main(void) { return gndm_open(MPI_COMM_WORLD, 0, 0) == 0; }\n' >one.c
    if $CC $flags -o one one.c "-L$GND_BUILDDIR/mpi/.libs" -lgnd-mpi "-L$GND_BUILDDIR/lib/.libs" -lgnd \
        $(pkg-config --libs $module) 2>one.err; then
        fail "a program for $other does not link to the library for $used"
    else
        check "a program for $other does not link to the library for $used" grep -q gndm_open_ one.err
    fi
}
LD_LIBRARY_PATH=$scratch:$LD_LIBRARY_PATH
export LD_LIBRARY_PATH
program_folder=$scratch
if [ -n "${GND_TEST_ALL-}" ]; then
    for p in ${*:-1 2 3 4 7}; do
        started "$p" mpi_arrays 1
        started "$p" mpi_faults
        started "$p" mpi_handles
        started "$p" mpi_eval
        mkdir -p "files$p" && started "$p" mpi_files "files$p"
        started "$p" mpi_sort few
        started "$p" mpi_shape few
        started "$p" mpi_linear 1
        GND_MPI_BLOCK=8 started "$p" mpi_factor
        started "$p" mpi_names
        started "$p" mpi_random
        started "$p" mpi_root
        case $p in 3) started 3 mpi_refused ;; esac
    done
else
    started 3 mpi_faults
    started 2 mpi_arrays 1
fi
done_testing
