#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# exports.sh - libgnd.so exports what the headers declare and nothing else, a plugin exports its
# one entry, and nothing is linked that the design says is loaded or not needed at all.
. "$GND_SRCDIR/tests/lib/tap.sh"

plain_only "sanitizers link their own libraries: the plain build's run does it"
for tool in nm readelf; do
    command -v $tool >/dev/null || skip_all "no $tool (Debian: binutils)"
done

# Names without the symbol versions; the linker's own marks are nobody's API.
exported() { nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u; }
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
libc='^(libc|libm|libdl|libpthread|librt|ld-linux[-a-z0-9_]*|ld64)\.so'

lib=$GND_BUILDDIR/lib/.libs/libgnd.so
exported "$lib" >have
check "libgnd.so exports something" test -s have
grep -Ev '^gnd_[^_]' have >bad
none "libgnd.so exports only gnd_ names" bad

# Declared: in the preprocessed headers, what is marked as visible.
printf '#include <gnd.h>\n#include <gnd/backend.h>\n' >all.c
# shellcheck disable=SC2086 # CC may hold flags
$CC -std=c11 -E -P -DGND_BUILD "-I$GND_BUILDDIR/include" "-I$GND_SRCDIR/include" all.c >all.i
tr '\n;' ' \n' <all.i | sed -n 's/.*visibility("default").*[ *]\(gnd_[A-Za-z0-9_]*\) *(.*/\1/p' | sort -u >declared
check "the headers declare functions" test -s declared
comm -13 have declared >missing
none "libgnd.so has every function that the headers declare" missing
comm -23 have declared >undeclared
none "the headers declare every function that libgnd.so exports" undeclared

nm -D --undefined-only "$lib" | awk '$NF ~ /^gnd_/ { print $NF }' >bad
none "libgnd.so lacks nothing of its own" bad

needed "$lib" | grep -Ev "$libc" >bad
none "libgnd.so links the C library only" bad
# A program that loads libgnd later, as Python does, has at least 1664 bytes of glibc's surplus for
# the thread-local data of all libraries that it loads so.
readelf -lW "$lib" | awk '$1 == "TLS" { print $6 }' >tls
check "libgnd.so has thread-local data" test -s tls
[ $(($(cat tls))) -le 1280 ] && : >bad || cp tls bad
none "... of at most 1280 bytes" bad
grep -rlE 'include *<(png|zip|zlib)\.h>' "$GND_SRCDIR/lib" "$GND_SRCDIR/include" "$GND_SRCDIR/tools" >bad
none "nor does it need headers of other libraries" bad
for name in png zip; do
    format=$GND_BUILDDIR/formats/.libs/libgnd-$name.so
    if [ ! -f "$format" ]; then
        skip "libgnd-$name.so exports its entry only" "configured without lib$name"
        continue
    fi
    exported "$format" >have
    check "libgnd-$name.so exports its entry only" test "$(cat have)" = gnd_format_entry
    needed "$format" | grep -Ev "$libc|^lib$name|^libz\." >bad
    none "libgnd-$name.so links lib$name and the C library only" bad
done
mpi=$GND_BUILDDIR/mpi/.libs/libgnd-mpi.so
if [ "$GND_TEST_MPI" = no ]; then
    skip "libgnd-mpi.so" "built without MPI"
else
    exported "$mpi" | sed 's/^gndm_open_[a-z]*$/gndm_open/' >have
    # shellcheck disable=SC2086 # flags are words
    echo '#include <gnd/mpi.h>' | $CC -std=c11 -E -P -DGND_BUILD $GND_TEST_MPI_CFLAGS "-I$GND_BUILDDIR/include" \
        "-I$GND_SRCDIR/include" - | tr '\n;' ' \n' | sed -n 's/.*visibility("default").*[ *]\(gndm_[A-Za-z0-9_]*\) *(.*/\1/p' |
        sed 's/^gndm_open_[a-z]*$/gndm_open/' | sort -u >declared
    check "gnd/mpi.h declares functions" test -s declared
    comm -3 have declared >bad
    none "libgnd-mpi.so exports what gnd/mpi.h declares, and nothing else" bad
fi
[ -n "$GND_BACKEND_PATH" ] || skip "plugins" "none was built"
for name in opencl cuda; do
    plugin=$GND_BUILDDIR/backends/$name/.libs/gnd-$name.so name=gnd-$name.so
    case :$GND_BACKEND_PATH: in
        *:"$(dirname "$plugin")":*) ;;
        *) continue ;;
    esac
    exported "$plugin" | grep -vx gnd_backend_entry >bad
    none "$name exports gnd_backend_entry only" bad
    exported "$plugin" >have
    check "$name exports gnd_backend_entry" grep -qx gnd_backend_entry have
    case $name in gnd-opencl.so) also='|^libOpenCL\.so' ;; *) also= ;; esac
    needed "$plugin" | grep -Ev "$libc$also" >bad
    none "$name links its loader and the C library only" bad
done
done_testing
