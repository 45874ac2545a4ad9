#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the source tarball: the same bytes for the same files, whoever makes it and wherever.
# usage: source.sh OUTPUT_FOLDER
# OUTPUT_FOLDER gets pail-VERSION.tar.xz. In a clone it has what git does not ignore, as it is in the folder; in an unpacked
# tarball all but build folders. Times are SOURCE_DATE_EPOCH, or that of the newest entry of debian/changelog. Prints the file.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/script.sh"
here=$root/tools/packaging
case ${1-} in -*) no_option "$1" ;; esac
[ $# -gt 0 ] || refuse "a folder is wanted"
[ $# -eq 1 ] || refuse "\"$2\" is one word too many"
version=$(sed -n 's/^project(pail VERSION \([^ ]*\).*/\1/p' "$root/CMakeLists.txt")
epoch=${SOURCE_DATE_EPOCH:-$(date -d "$(sed -n 's/^ -- .*>  //p' "$here/debian/changelog" | head -n 1)" +%s)}
mkdir -p "$1"
output=$(cd "$1" && pwd)/pail-$version.tar.xz
list=$(mktemp)
trap 'rm -f "$list"' EXIT
cd "$root"
# The prefix is empty at the top of a clone alone, and not in a folder that some other repository surrounds.
if [ -z "$(git rev-parse --show-prefix 2>/dev/null || echo none)" ]; then
    git ls-files -z --cached --others --exclude-standard >"$list"
else
    find . -path './build*' -prune -o -path ./debian -prune -o -name .git -prune -o -name node_modules -prune \
        -o -name __pycache__ -prune -o \( -type f -o -type l \) -printf '%P\0' >"$list"
fi
LC_ALL=C sort -z -o "$list" "$list"
# One thread: how xz cuts a file into blocks depends on their number. Rights of others are those of a usual umask.
tar --create --file=- --null --no-recursion --files-from="$list" --format=gnu --mtime="@$epoch" --owner=0 --group=0 \
    --numeric-owner --mode='u+rw,go+r,go-w,a+X' --transform="s,^,pail-$version/,S" | xz --threads=1 -6 >"$output.part"
mv "$output.part" "$output"
echo "$output"
