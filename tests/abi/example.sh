#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each example of one source file is built against the installed headers alone, and run on the installed plugin.
# usage: example.sh CMAKE BUILD_FOLDER EXAMPLES_FOLDER C_COMPILER C++_COMPILER LIBDIR FLAGS
set -eu
cmake=$1 build=$2 examples=$3 c_compiler=$4 cxx_compiler=$5 libdir=$6 flags=$7

[ -f "$build/cmake_install.cmake" ] || {
    echo "skipped: the build is another machine's, and cannot be installed here"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" 2>&1 || {
    cat "$work/install.log"
    exit 1
}
if [ -n "$flags" ]; then
    # Drivers keep memory for the life of the process, and nobody can name them once they are unloaded.
    export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
fi
plugin=${PAIL_TEST_PLUGIN:-$work/prefix/$libdir/pail/libpail-vulkan.so}
for source in "$examples"/*.c "$examples"/*/main.cpp; do
    program=$work/program
    case $source in
        *.c) set -- "$c_compiler" -std=c11 ;;
        *) set -- "$cxx_compiler" -std=c++17 ;;
    esac
    # shellcheck disable=SC2086 # the flags are words
    "$@" -Wall -Wextra -Wpedantic -Werror $flags -I"$work/prefix/include" "$source" \
        -o "$program" -ldl
    if "$program" "$plugin" >"$work/out" 2>"$work/err"; then
        cat "$work/out"
    elif grep -q '^status 300: ' "$work/err"; then
        echo "skipped: $(cat "$work/err")"
        exit 77
    else
        cat "$work/out" "$work/err"
        exit 1
    fi

    # A file that is no plugin is an error in words, not a crash.
    for bad in "$work/out" /nowhere/libpail-vulkan.so; do
        if "$program" "$bad" >"$work/out" 2>"$work/err" || [ ! -s "$work/err" ]; then
            echo "$bad: no error"
            exit 1
        fi
    done
done
