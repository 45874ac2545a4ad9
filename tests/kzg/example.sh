#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example that proves the cells of a block: of made blobs with the ceremony's setup, of files with a setup of 8 points, and
# what it refuses.
# usage: example.sh PROGRAM SOURCES
set -eu
program=$1 sources=$2
small=$sources/tests/data/eip-4844/trusted_setup.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# prints STATUS WORDS ARGUMENTS...: the exit status, and what one line of the output has.
prints() {
    wanted=$1 words=$2 status=0
    shift 2
    "$program" "$@" >"$work/out" 2>&1 || status=$?
    if [ "$status" -ne "$wanted" ] || ! grep -q -e "$words" "$work/out"; then
        cat "$work/out"
        echo "cells $*: exit status $status, and \"$words\" is wanted with $wanted"
        exit 1
    fi
}

prints 0 '^cells of the last blob: valid (' -n 2 -m 40 "$sources/tools/pail/kzg/setups/mainnet.txt"
cat "$work/out"
for line in '^2 blobs, 256 cells: ms' '^  scalars: checks and transforms' '^  sums of points of the setup' '^  transforms of points' '^  all' \
    '^memory: setup [1-9][0-9.]* MiB on the host, [1-9]'; do
    grep -q "$line" "$work/out" || {
        echo "no line $line"
        exit 1
    }
done
head -c 256 /dev/zero >"$work/zeros"
head -c 512 /dev/zero >"$work/two"
prints 0 '^3 blobs, 6 cells' -t 1 "$small" "$work/zeros" "$work/two"
printf x >>"$work/two"
prints 1 "two: its size is no multiple of the 256 bytes of a blob" "$small" "$work/two"
: >"$work/nothing"
prints 1 "nothing: its size is no multiple" "$small" "$work/nothing"
head -c 256 /dev/zero | tr '\0' '\377' >"$work/above"
prints 1 '^cells: .*0' "$small" "$work/zeros" "$work/above"
prints 1 '^/nowhere: ' "$small" /nowhere
prints 1 '^the setup: .*nowhere' /nowhere
for wrong in '-n 0' '-n x' '-m -1' '-x' ''; do
    # shellcheck disable=SC2086 # words
    prints 2 '^usage: cells ' $wrong ${wrong:+"$small"}
done
