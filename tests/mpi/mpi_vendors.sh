#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# mpi_vendors.sh - PoCL, Intel's OpenCL runtime for CPUs (build/intel) and PoCL again in one communicator: expressions give
# what one rank of PoCL gives. With GND_TEST_ALL reproducible sums and products have the same bits as on PoCL alone.
. "$GND_SRCDIR/tests/lib/tap.sh"
plain_only "Intel's runtime has a compiler with threads and memory of its own"
. "$GND_SRCDIR/tests/mpi/start.sh"
lib=$(find "$GND_BUILDDIR/intel" -name libintelocl.so 2>/dev/null | head -n 1)
[ -n "$lib" ] || skip_all "Intel's OpenCL runtime is not in build/intel: $(cat "$GND_BUILDDIR/intel.why" 2>/dev/null ||
    echo './quickstart check installs it')"

# Rank 1 sees Intel's driver alone, the others PoCL's.
mkdir icd
echo "$lib" >icd/intel.icd
cat >rank <<END
#!/bin/sh
case \${OMPI_COMM_WORLD_RANK-\${PMI_RANK-}} in
    1)
        OCL_ICD_VENDORS=$scratch/icd/ GND_DEVICE=opencl:0
        LD_LIBRARY_PATH="${lib%/*}\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
        export OCL_ICD_VENDORS GND_DEVICE LD_LIBRARY_PATH
        ;;
esac
exec "\$@"
END
chmod +x rank
# mixed ARGUMENT...: gnd on the three ranks.
mixed() {
    # shellcheck disable=SC2086 # a command and its options
    $mpirun -n 3 ./rank "$GND_BUILDDIR/tools/.libs/gnd" "$@" >out 2>err </dev/null || head -n 20 err | diag
}

mixed devices --mpi
if ! grep -q '^rank 1' out; then skip_all "no ranks on Intel's runtime here: $(head -n 1 err)"; fi
diag <out
check "the ranks have devices of two names" test "$(sed -n 's/^rank [0-2]: //p' out | sort -u | wc -l)" = 2
while IFS= read -r text; do
    gnd eval "$text" >want 2>&1
    mixed eval --mpi "$text"
    check "$text" diff want out
done <<'END'
sort((arange(301) * 77) % 301)[::30]
(arange(35).reshape(7, 5) @ arange(15).reshape(5, 3)).astype(int64)
cumsum(arange(100) * 0.25)[9::10]
END
if [ -n "${GND_TEST_ALL-}" ]; then
    launcher=./rank
    started 3 mpi_files .
    sed -n 's/^# bits //p' out >bits
    launcher=
    started 3 mpi_files .
    check "reproducible sums and products have the same bits on unlike vendors" sh -c "sed -n 's/^# bits //p' out | diff bits -"
fi
done_testing
