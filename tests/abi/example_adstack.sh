#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The program that differentiates, on the plugin of PAIL_TEST_PLUGIN or the one given; with the validation layer, if there
# is one, on the program's own instance.
# usage: example_adstack.sh PROGRAM PLUGIN FLAGS
set -eu
program=$1 plugin=${PAIL_TEST_PLUGIN:-$2} flags=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "$flags" ]; then
    # As in example.sh.
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
fi
export VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation
export VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
status=0
"$program" "$plugin" >"$work/out" 2>&1 || status=$?
cat "$work/out"
if grep -q -e 'VUID-' -e 'SYNC-HAZARD' -e 'Validation Error' "$work/out"; then
    exit 1
fi
[ "$status" -eq 0 ] || exit "$status"

# Its sentences are what people see: the diagnosis names kernel, task and stack.
grep -q 'overflow: task [0-9a-f]\{8\}, stack 0, [0-9]* entries, launch 5' "$work/out"
grep -q 'kernel "beads", task 0 .*stack 0' "$work/out"

if "$program" "$work/out" >"$work/err" 2>&1 || ! grep -q out "$work/err"; then
    echo "what is no plugin gives no error"
    exit 1
fi
