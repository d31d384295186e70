#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# install.sh - make install into a staging folder; a program outside the tree then builds by
# pkg-config against what was installed, and runs.
. "$GND_SRCDIR/tests/lib/tap.sh"

plain_only "a build with sanitizers is not for installing"
command -v pkg-config >/dev/null || skip_all "no pkg-config"

stage=$scratch/stage
case $scratch in *[[:space:]]*) # there libtool installs nothing
    stage=$(mktemp -d)
    trap 'cd / && rm -rf "$scratch" "$stage"' EXIT
    ;;
esac
check "make install DESTDIR=..." make -C "$GND_BUILDDIR" --no-print-directory -s install "DESTDIR=$stage"
pc=$(find "$stage" -name gnd.pc)
check "gnd.pc is installed" test -f "$pc"
prefix=$stage$(sed -n 's/^prefix=//p' "$pc")
for f in include/gnd.h include/gnd/version.h include/gnd/backend.h; do
    check "$f is installed" test -f "$prefix/$f"
done
(cd "$GND_SRCDIR/include" && find . -name '*.h') | if [ "$GND_TEST_MPI" = no ]; then grep -v gnd/mpi.h; else cat; fi |
    while read -r f; do
    test -f "$prefix/include/$f" || echo "$f"
done >missing
none "every public header is installed" missing

gnd_flags() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config "--define-variable=prefix=$prefix" "$@" gnd; }
check "pkg-config knows the version" test "$(gnd_flags --modversion)" = \
    "$(sed -n 's/^#define GND_VERSION_STRING "\(.*\)"/\1/p' "$prefix/include/gnd/version.h")"
libdir=$(gnd_flags --variable=libdir)
check "libgnd.so is where gnd.pc says" test -f "$libdir/libgnd.so"
soname=$(objdump -p "$libdir/libgnd.so" 2>/dev/null | sed -n 's/^ *SONAME *//p')
if [ -n "$soname" ]; then
    check "its soname has the version" test "$soname" = "libgnd-$(gnd_flags --modversion).so.0" -a -e "$libdir/$soname"
else
    skip "its soname has the version" "no objdump"
fi
check "no libtool archive of the inner library is installed" test ! -e "$libdir/libgndcore.la"

# What cannot be built as asked is an error of configure's, early and by name. refused SOURCE OPTION TEXT
refused() {
    rm -rf conf && mkdir conf
    (cd conf && "$1/configure" -q "$2" >out 2>&1) && return 1
    grep -qF -e "$3" conf/out || { cat conf/out; return 1; }
}
ln -s "$GND_SRCDIR" src
ln -s "$GND_SRCDIR" "a b"
check "configure by a path with blanks" refused "../a b" -C "blanks in the path of the sources, '../a b'"
if [ -e "$GND_SRCDIR/config.status" ]; then
    skip "configure refuses what it cannot do" "the source folder is a build"
else
    check "configure --with-cuda=PREFIX without its headers" refused ../src --with-cuda=/nowhere/no \
        "--with-cuda=/nowhere/no: there is no /nowhere/no/include/cuda.h"
    check "configure --with-cuda=PREFIX with blanks" refused ../src "--with-cuda=/no where" \
        "blanks in the path of --with-opencl or --with-cuda, '/no where'"
    check "configure --prefix with blanks" refused ../src "--prefix=/a b" "blanks in the folders to install into"
fi

# Without libpng and libzip: a pkg-config that does not know them.
cat >hide <<'SH'
#!/bin/sh
case " $* " in *" libpng"* | *" libzip"*) exit 1 ;; esac
exec pkg-config "$@"
SH
chmod +x hide
if [ -e "$GND_SRCDIR/config.status" ]; then
    skip "configure without libpng and libzip" "the source folder is a build"
else
    rm -rf conf && mkdir conf
    check "configure without libpng and libzip" sh -c 'cd conf && PKG_CONFIG=../hide ../src/configure >out 2>&1'
    check "it says so" grep -q 'pictures (PNG) *no (.*libpng-dev' conf/out
    check "of both" grep -q 'archives (NPZ) *no (.*libzip-dev' conf/out
    make -C conf -n all check TESTS= >conf/made 2>&1
    check "make would compile" grep -q 'lib/io/file.c' conf/made
    grep -Eo '[^ ]*(formats/|-lpng|-lzip)[^ ]*' conf/made >bad
    none "and not what needs them" bad
fi

# From here on the installed files only. The plugins are found beside the library, wherever that was put.
LD_LIBRARY_PATH=$libdir
unset GND_BACKEND_PATH
PATH=$prefix/bin:$PATH
export LD_LIBRARY_PATH PATH
cat >demo.c <<'C'
#include <gnd.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
    puts(gnd_version());
    return strcmp(gnd_version(), GND_VERSION_STRING) != 0;
}
C
# shellcheck disable=SC2046,SC2086 # flags are words
check "cc demo.c \$(pkg-config --cflags --libs gnd)" $CC demo.c -o demo $(gnd_flags --cflags --libs)
check "the program runs and has the headers' version" ./demo

# As README.md says it, and by whom sees to more: the headers are no system headers here.
cp "$GND_SRCDIR/examples/hello.c" hello.c
strict="-Wall -Wextra -pedantic -Wconversion -Wsign-conversion -Wcast-qual -Wundef -Werror"
for std in c99 c11; do
    # shellcheck disable=SC2046,SC2086
    check "examples/hello.c builds outside the tree as $std" $CC -std=$std $strict hello.c -o hello \
        $(gnd_flags --cflags --libs)
done
check "it runs" env GND_DEVICE=null:0 ./hello

# gnd-mpi.pc: the library, and the MPI for which it was built.
if [ "$GND_TEST_MPI" != no ]; then
    mpi_flags() { PKG_CONFIG_PATH=$(dirname "$pc") pkg-config "--define-variable=prefix=$prefix" "$@" gnd-mpi; }
    check "gnd-mpi.pc is installed, of gnd's version" test "$(mpi_flags --modversion)" = "$(gnd_flags --modversion)"
    check "libgnd-mpi.so is where it says" test -f "$(mpi_flags --variable=libdir)/libgnd-mpi.so"
    cat >ranks.c <<'C'
#include <gnd/mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, NULL, 0);
    const gnd_status st = gndm_status(c);
    printf("%d %s\n", gndm_size(c), gndm_message(c));
    gndm_close(c);
    MPI_Finalize();
    return st != GND_OK;
}
C
    # shellcheck disable=SC2046,SC2086
    check "cc ranks.c \$(pkg-config --cflags --libs gnd-mpi)" $CC -std=c11 -Wall -Wextra -Werror ranks.c -o ranks $(mpi_flags --cflags --libs)
    check "it runs on one rank" env GND_DEVICE=null:0 ./ranks
else
    check "gnd-mpi.pc is not installed without MPI" test ! -e "$(dirname "$pc")/gnd-mpi.pc"
fi

if [ -x "$GND_BUILDDIR/tools/gnd" ]; then
    check "the installed gnd runs" "$prefix/bin/gnd" --version
    check "the installed gnd is the one on PATH" test "$(command -v gnd)" = "$prefix/bin/gnd"
fi
# found FOLDER: the gnd of that installation finds its own plugins and formats.
found() {
    LD_LIBRARY_PATH=$1/lib GND_LOG=info "$1/bin/gnd" devices >devices 2>log
    for name in opencl cuda; do
        [ ! -f "$1/lib/gnd/gnd-$name.so" ] || grep -qF "from $(realpath "$1")/lib/gnd/gnd-$name.so" log ||
            { cat devices log; return 1; }
    done
}
if [ "$libdir" = "$prefix/lib" ] && [ -x "$prefix/bin/gnd" ]; then
    check "the staged installation finds its plugins" found "$prefix"
    cp -a "$prefix" copy
    check "so does a copy" found "$PWD/copy"
    mkdir far && mv copy/lib far/lib && mv copy/bin far/bin
    (cd far && LD_LIBRARY_PATH=lib ./bin/gnd devices) >devices 2>log
    rm -f far/lib/gnd/gnd-*.so
    LD_LIBRARY_PATH=$PWD/far/lib far/bin/gnd devices >without
    if [ -f "$prefix/lib/gnd/gnd-opencl.so" ]; then
        check "by a relative path too" grep -q '^opencl' devices
        grep 'is not installed' devices >bad
        none "all of them" bad
        check "without them, what is missing is said, and where" grep -qF \
            "gnd-opencl.so is not installed in $(realpath far)/lib/gnd" without
        check "and what to do" grep -qF "GND_BACKEND_PATH names more folders" without
        mkdir -p far/others && cp "$prefix"/lib/gnd/gnd-opencl.so far/others
        if [ "$(id -u)" = 0 ]; then
            mv far/others/* far/lib/gnd/ && chmod 777 far/lib/gnd && chown 1234 far/lib/gnd
            LD_LIBRARY_PATH=$PWD/far/lib far/bin/gnd devices >without
            check "what others could put beside the library is not loaded" grep -qF \
                "$(realpath far)/lib/gnd: another user owns it: refused" without
            chmod 755 far/lib/gnd && chown 0 far/lib/gnd
        else
            skip "what others could put beside the library is not loaded" "only root can give folders away"
        fi
    fi
    cat >npz.c <<'C'
#include <gnd.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    gnd_device *dev = gnd_open("null:0");
    const float v[4] = {1, 2, 3, 4};
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, (const int64_t[]){2, 2}, v);
    const char *name = "x";
    const gnd_status png = gnd_save_png(gnd_astype(x, GND_UINT8), "x.png");
    if (argc > 1 && (png != GND_ERR_UNSUPPORTED || !strstr(gnd_message(), argv[1])))
        return printf("%d %s\n", png, gnd_message()), 1;
    const gnd_status zip = gnd_save_npz("x.npz", 1, &name, &x);
    if (argc > 1 ? zip != GND_ERR_UNSUPPORTED || !strstr(gnd_message(), argv[1]) : png || zip)
        return printf("%d %d %s\n", png, zip, gnd_message()), 2;
    gnd_close(dev);
    return 0;
}
C
    # shellcheck disable=SC2046,SC2086
    check "a program that saves pictures and archives" $CC npz.c -o npz $(gnd_flags --cflags --libs)
    if [ -f "$prefix/lib/gnd/libgnd-png.so" ] && [ -f "$prefix/lib/gnd/libgnd-zip.so" ]; then
        check "finds what it needs beside the library" ./npz
        for name in png zip; do
            rm -f "far/lib/gnd/libgnd-$name.so"
            printf 'no library' >"far/lib/gnd/libgnd-$name.so"
        done
        check "is told when that cannot be loaded" env "LD_LIBRARY_PATH=$PWD/far/lib" ./npz "cannot be used: "
        LD_LIBRARY_PATH=$PWD/far/lib far/bin/gnd devices >without
        check "gnd devices says so" grep -q '^PNG pictures: absent: libgnd-png.so cannot be used: ' without
        rm -f far/lib/gnd/libgnd-*.so
    else
        skip "finds what it needs beside the library" "configured without libpng or libzip"
    fi
    LD_LIBRARY_PATH=$PWD/far/lib far/bin/gnd devices >without
    check "gnd devices says that archives cannot be used" grep -q \
        '^\.npz files: absent: libgnd-zip.so is not installed in .*libzip-dev' without
    check "nor pictures" grep -q '^PNG pictures: absent: libgnd-png.so is not installed in .*libpng-dev' without
    LD_LIBRARY_PATH=$PWD/far/lib far/bin/gnd devices --json >without
    check "gnd devices --json says so too" test "$(grep -cE \
        '^    "(npz|png)": [{]"usable": false, "reason": "libgnd-(zip|png).so is not installed in ' without)" = 2
    check "is told when it is not there" env "LD_LIBRARY_PATH=$PWD/far/lib" ./npz "is not installed in "
fi
# A static library's place is the program's.
if [ -f "$GND_BUILDDIR/tests/unit/unit_npz" ] && [ -f "$prefix/lib/gnd/libgnd-zip.so" ]; then
    mkdir -p alone/gnd && cp "$GND_BUILDDIR/tests/unit/unit_npz" alone/
    cp "$prefix/lib/gnd/libgnd-zip.so" alone/gnd/
    ./alone/unit_npz >tap 2>&1
    check "a program with the library in it finds what is beside it" sh -c '! grep -q "built without\|^not ok" tap'
else
    skip "a program with the library in it finds what is beside it" "no such program or no libzip"
fi
check "make uninstall DESTDIR=..." make -C "$GND_BUILDDIR" --no-print-directory -s uninstall "DESTDIR=$stage"
find "$stage" -type f -o -type l >left
none "make uninstall leaves nothing" left
done_testing
