#!/bin/sh
# The shared objects export what their headers promise, and nothing else.
# usage: exports.sh NM PLUGIN LIBRARY HEADER_OF_LIBRARY...
set -eu
nm=$1 plugin=$2 library=$3
shift 3

# A of nm's: the names of versions.
exported() {
    "$nm" -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort
}

status=0
expect() { # FILE NAMES
    found=$(exported "$1")
    if [ "$found" != "$2" ]; then
        printf '%s exports:\n%s\nbut should export:\n%s\n' "$1" "$found" "$2"
        status=1
    fi
}

expect "$plugin" pail_backend_open
# A declaration may be broken into lines: join them before looking for the name.
promised=$(cat "$@" | tr '\n' ' ' |
    grep -o 'PAIL_API [^;(]*(' | grep -o 'pail_[a-z0-9_]*(' | tr -d '(' | LC_ALL=C sort)
if [ -z "$promised" ]; then
    echo "no function found in $*"
    exit 1
fi
expect "$library" "$promised"
exit "$status"
