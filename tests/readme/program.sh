#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: program.sh CMAKE BUILD_FOLDER COMPILER LIBDIR SANITIZERS PAGE...
set -eu
cmake=$1 build=$2 compiler=$3 libdir=$4 sanitizers=$5
shift 5

[ -f "$build/cmake_install.cmake" ] || {
    echo "skipped: the build is another machine's, and cannot be installed here"
    exit 77
}
command -v pkg-config >/dev/null || {
    echo "skipped: pkg-config is not here"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/pail" >"$work/install.log" 2>&1 || {
    cat "$work/install.log"
    exit 1
}
export PKG_CONFIG_PATH="$work/pail/$libdir/pkgconfig"
flags=$(pkg-config --cflags --libs pail)

# The plugin of the installation is found beside its library.
export LD_LIBRARY_PATH="$work/pail/$libdir"
computes_by() {
    if ! "$work/program" >"$work/out" 2>"$work/err"; then
        cat "$work/out" "$work/err"
        return 1
    fi
    cat "$work/out"
    # 11 G has x = 0x...ef.
    grep -qx "computed by $1; x starts with 239" "$work/out"
}
refused="backend 'vulkan', which PAIL_BACKEND asks for, cannot serve this machine"

skipped=
for page; do
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >"$work/program.c"
    grep -q 'int main' "$work/program.c"
    # shellcheck disable=SC2086 # words
    "$compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror $sanitizers "$work/program.c" $flags \
        -o "$work/program"

    export PAIL_BACKEND=cpu
    computes_by cpu
    # Without a device it fails in words and, where there are sanitizers, without a leak.
    if VK_ICD_FILENAMES=/nonexistent.json VK_DRIVER_FILES=/nonexistent.json PAIL_BACKEND=vulkan "$work/program" 2>"$work/err"; then
        exit 1 # another backend in its place
    fi
    cat "$work/err"
    grep -q "$refused" "$work/err"
    if grep -q LeakSanitizer "$work/err"; then
        exit 1
    fi
    (
        unset PAIL_BACKEND
        export VK_ICD_FILENAMES=/nonexistent.json VK_DRIVER_FILES=/nonexistent.json
        computes_by cpu
    )

    export PAIL_BACKEND=vulkan
    if ! computes_by vulkan; then
        grep -q "^$refused" "$work/err" && [ "$(wc -l <"$work/err")" -eq 1 ] || exit 1
        skipped=$(cat "$work/err")
    fi
done
[ -z "$skipped" ] || {
    echo "skipped: $skipped"
    exit 77
}
