#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as C11 and as C++11, under each compiler there is.
# usage: headers.sh INCLUDE_FOLDER...
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
includes=
for folder; do
    includes="$includes -I$folder"
done
strict="-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wundef"

compiled=0
for folder; do
    for header in "$folder"/pail/*.h; do
        name=${header#"$folder"/}
        # Twice: the guard is part of the header.
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" >"$work/alone.c"
        printf 'int alone(void);\nint alone(void) { return 0; }\n' >>"$work/alone.c"
        for compiler in gcc clang; do
            command -v "$compiler" >/dev/null || continue
            # shellcheck disable=SC2086 # the options are words
            "$compiler" -std=c11 $strict -Wpadded -Wstrict-prototypes $includes \
                -c "$work/alone.c" -o "$work/alone.o"
            echo "$name: C11 with $compiler"
            compiled=$((compiled + 1))
        done
        for compiler in g++ clang++; do
            command -v "$compiler" >/dev/null || continue
            # shellcheck disable=SC2086
            "$compiler" -x c++ -std=c++11 $strict $includes -c "$work/alone.c" -o "$work/alone.o"
            echo "$name: C++11 with $compiler"
            compiled=$((compiled + 1))
        done
    done
done
if [ "$compiled" -eq 0 ]; then
    echo "skipped: none of gcc, clang, g++, clang++ is here"
    exit 77
fi
