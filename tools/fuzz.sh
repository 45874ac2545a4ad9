#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the readers of files and of trees, and calls of the boundary:  tools/fuzz.sh [SECONDS] [TARGET...]
# 60 seconds for each of them by default; the targets are the folders of tests/fuzz/corpus. --list prints their names. Needs
# clang with its runtime (Debian: clang libclang-rt-14-dev).
# New inputs stay in build-fuzz/corpus; an input that fails is written beside them, and its path is the last line. libFuzzer
# takes a seed of the clock and prints it, or that of PAIL_FUZZ_SEED; PAIL_FUZZ_BUILD is another folder than build-fuzz.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/tools/script.sh"
build=${PAIL_FUZZ_BUILD:-$root/build-fuzz}
targets=$(cd "$root/tests/fuzz/corpus" && echo *)
[ "${1:-}" != --list ] || { printf '%s\n' $targets; exit; }
case ${1-} in -*) no_option "$1" ;; esac
seconds=${1:-60}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $targets
need_number SECONDS "$seconds"
for target; do
    need_folder target "$root/tests/fuzz/corpus/$target"
done

command -v clang > /dev/null || { say "clang is missing (Debian: apt-get install clang)"; exit 1; }
mkdir -p "$build"
export LSAN_OPTIONS="suppressions=$root/tests/lsan.supp:print_suppressions=0" # drivers leak
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DPAIL_FUZZ=ON > "$build/configure.log" \
    || { cat "$build/configure.log" >&2; exit 1; }
for target in "$@"; do
    cmake --build "$build" --target "fuzz_$target"
    mkdir -p "$build/corpus/$target"
    "$build/fuzz/fuzz_$target" -max_total_time="$seconds" -seed="${PAIL_FUZZ_SEED:-0}" -max_len=8192 -artifact_prefix="$build/corpus/$target-failed-" \
        "$build/corpus/$target" "$root/tests/fuzz/corpus/$target"
done
