#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# run.sh - make fuzz: builds the harnesses with clang and libFuzzer in BUILD/libfuzzer and runs each for a while:
#
#     run.sh SOURCE BUILD SECONDS [NAME ...]
#
# What is found is in BUILD/libfuzzer/found, and inputs that reached something are in BUILD/libfuzzer/corpus. Status 77:
# there is no clang with libFuzzer, and why. With FUZZ_QUICK=1 the build is in BUILD/libfuzzer-quick, not optimized and
# without the other sanitizers: for runs of seconds, since clang takes five times as long to compile the other. The
# harnesses of a build with sanitizers (fuzz/plain.c) run what was found there.
set -eu
src=$1 build=$2 seconds=$3
shift 3
if [ $# = 0 ]; then set -- $(cd "$src/fuzz" && grep -l LLVMFuzzerTestOneInput ./*.c | sed 's|^\./||; s|\.c$||; /^plain$/d'); fi
dir=$build/libfuzzer flags='-O1 -gline-tables-only' sanitizers=address,undefined,fuzzer-no-link
if [ -n "${FUZZ_QUICK-}" ]; then
    dir=$build/libfuzzer-quick flags='-O0 -gline-tables-only' sanitizers=fuzzer-no-link
fi
mkdir -p "$dir/found"
cd "$dir"

# A clang whose libFuzzer links; the last one that was tried tells why not.
echo '#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n) { return (int)(n & 0) + (p == 0 && n > 1); }' >probe.c
cc=
for c in clang clang-22 clang-21 clang-20 clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
    command -v "$c" >/dev/null || continue
    if "$c" -fsanitize=fuzzer,address,undefined probe.c -o probe >probe.out 2>&1; then cc=$c && break; fi
done
if [ -z "$cc" ]; then
    if [ -s probe.out ]; then
        echo "clang has no libFuzzer (Debian 12: libclang-rt-14-dev, Ubuntu 24.04: libclang-rt-18-dev): $(head -n 1 probe.out)"
    else
        echo "clang was not found (Debian 12: clang libclang-rt-14-dev, Ubuntu 24.04: clang libclang-rt-18-dev)"
    fi
    exit 77
fi

if [ ! -f Makefile ] || [ "$src/configure" -nt Makefile ]; then
    "$src/configure" -q CC="$cc" CFLAGS="$flags" --without-opencl --without-cuda \
        --enable-sanitizers=$sanitizers >configure.out 2>&1 ||
        { tail -n 20 configure.out && exit 1; }
fi
targets=
for name; do targets="$targets fuzz/$name"; done
# shellcheck disable=SC2086 # a list of words
make -s -j"$(nproc)" kernels/data.c include/gnd/elementwise.h formats/libgnd-zip.la $targets >make.out 2>&1 || { tail -n 20 make.out && exit 1; }

# The language's words: its functions and operations, from their tables.
awk -F'"' 'BEGIN { print "# made by run.sh" }
    /^FN\(/ || /^GND_OP\(/ { n = split($2, w, " "); for (i = 1; i <= n; i++) print "\"" w[i] "(\"" }' \
    "$src/lib/lang/funcs.def" "$src/lib/base/opset.def" >expr.dict
failed=0
for name; do
    mkdir -p "corpus/$name"
    for f in "$src/fuzz/corpus/$name.txt" $([ "$name" != expr ] || echo "$src/tests/lib/exprs.txt"); do
        if [ -f "$f" ]; then
            awk -v d="corpus/$name/line-$(basename "$f" .txt)" \
                '!/^#/ && NF { f = sprintf("%s-%03d", d, NR); printf "%s", $0 >f; close(f) }' "$f"
        fi
    done
    set -- "corpus/$name"
    if [ -d "$src/fuzz/corpus/$name" ]; then set -- "$@" "$src/fuzz/corpus/$name"; fi
    dict=$src/fuzz/dict/$name
    if [ "$name" = expr ]; then dict=expr.dict; fi
    if [ -f "$dict" ]; then set -- "-dict=$dict" "$@"; fi
    status=0
    GND_BACKEND_PATH=$dir/formats/.libs UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=allocator_may_return_null=1 \
        "./fuzz/$name" -max_total_time="$seconds" -seed=1 -timeout=30 -rss_limit_mb=3072 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="found/$name-" "$@" >"$name.out" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$name.out")
    if [ "$status" = 0 ]; then
        echo "fuzz $name: ${runs:-0} inputs in $seconds s, nothing found"
    else
        failed=1
        echo "fuzz $name: FOUND, status $status (log: $dir/$name.out)"
        grep -E -A12 'ERROR|runtime error|does not hold|Test unit written' "$name.out" | head -n 40
    fi
done
exit $failed
