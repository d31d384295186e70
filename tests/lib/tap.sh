# SPDX-License-Identifier: BSD-3-Clause
#
# tap.sh - TAP for shell scripts, and a scratch folder. Sourced, first of all:
#
#     . "$GND_SRCDIR/tests/lib/tap.sh"
#     check "adds up" test $((1 + 1)) = 2
#     done_testing
#
# Scripts run in the scratch folder, which is removed at the end.
set -u
: "${GND_SRCDIR:?run it by build/run --test}" "${GND_BUILDDIR:?run it by build/run --test}"
tap_n=0
tap_failed=0
scratch=$GND_BUILDDIR/scratch/$(basename "$0" .sh).$$
mkdir -p "$scratch"
trap 'cd / && rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch" || exit 99

# pass NAME, fail NAME, skip NAME REASON
pass() { tap_n=$((tap_n + 1)) && echo "ok $tap_n - $1"; }
fail() { tap_n=$((tap_n + 1)) && tap_failed=$((tap_failed + 1)) && echo "not ok $tap_n - $1"; }
skip() { tap_n=$((tap_n + 1)) && echo "ok $tap_n - $1 # SKIP $2"; }
# diag: standard input as comments.
diag() { sed 's/^/# /'; }
# check NAME COMMAND...: passes when the command does; what it said is shown when it does not.
check() {
    tap_name=$1
    shift
    if "$@" >tap.out 2>&1; then
        pass "$tap_name"
    else
        fail "$tap_name"
        echo "# failed: $*"
        head -n 40 tap.out | diag
    fi
}
# none NAME FILE: passes when the file, a list of offenders, is empty.
none() {
    if [ -s "$2" ]; then
        fail "$1"
        head -n 40 "$2" | diag
    else
        pass "$1"
    fi
}
skip_all() { echo "1..0 # SKIP $1" && exit 0; }
# plain_only WHY: the whole script is skipped in a build with sanitizers.
plain_only() { [ "$GND_TEST_SANITIZERS" = no ] || skip_all "$1"; }
done_testing() {
    echo "1..$tap_n"
    [ $tap_failed = 0 ]
    exit
}
