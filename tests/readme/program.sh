#!/bin/sh
# usage: program.sh CMAKE BUILD_FOLDER README COMPILER LIBDIR SANITIZERS
set -eu
cmake=$1 build=$2 readme=$3 compiler=$4 libdir=$5 sanitizers=$6

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
awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$readme" >"$work/program.c"
grep -q 'int main' "$work/program.c"

export PKG_CONFIG_PATH="$work/pail/$libdir/pkgconfig"
flags=$(pkg-config --cflags --libs pail)
# shellcheck disable=SC2086 # words
"$compiler" -std=c11 -Wall -Wextra -Wpedantic -Werror ${sanitizers:+-fsanitize=$sanitizers} "$work/program.c" $flags \
    -o "$work/program"

# The plugin of the installation is found beside its library.
export LD_LIBRARY_PATH="$work/pail/$libdir"
for driver in "${VK_ICD_FILENAMES-}" /nonexistent.json; do
    if [ -n "$driver" ]; then
        export VK_ICD_FILENAMES="$driver" VK_DRIVER_FILES="$driver"
    fi
    wanted=vulkan
    [ "$driver" != /nonexistent.json ] || wanted=cpu
    "$work/program" | tee "$work/out"
    # 11 G has x = 0x...ef.
    grep -qx "computed by $wanted; x starts with 239" "$work/out"
done
