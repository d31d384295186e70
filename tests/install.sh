#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# install.sh - make install into a staging folder; a program outside the tree then builds by
# pkg-config against what was installed, and runs.
. "$GND_SRCDIR/tests/tap.sh"

[ "$GND_TEST_SANITIZERS" = no ] || skip_all "a build with sanitizers is not for installing"
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
(cd "$GND_SRCDIR/include" && find . -name '*.h') | while read -r f; do
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

# From here on the installed files only.
LD_LIBRARY_PATH=$libdir
GND_BACKEND_PATH=$libdir/gnd
PATH=$prefix/bin:$PATH
export LD_LIBRARY_PATH GND_BACKEND_PATH PATH
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
if [ -x "$GND_BUILDDIR/tools/gnd" ]; then
    check "the installed gnd runs" "$prefix/bin/gnd" --version
    check "the installed gnd is the one on PATH" test "$(command -v gnd)" = "$prefix/bin/gnd"
fi
check "make uninstall DESTDIR=..." make -C "$GND_BUILDDIR" --no-print-directory -s uninstall "DESTDIR=$stage"
find "$stage" -type f -o -type l >left
none "make uninstall leaves nothing" left
done_testing
