#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the npm package: the addon, the library and the plugin inside.
# usage: npm.sh INSTALLATION LIBDIR NODE_ADDON_API OUTPUT_FOLDER [NODE_HEADERS]
# INSTALLATION is where Pail is installed, LIBDIR its library folder relative to that, NODE_ADDON_API the npm package of
# that name. OUTPUT_FOLDER gets pail-prover-VERSION.tgz.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/script.sh"
case ${1-} in -*) no_option "$1" ;; esac
[ $# -ge 4 ] || refuse "four folders are wanted"
prefix=$1 libdir=$2 api=$3 output=$4 headers=${5-}
need_file library "$prefix/$libdir/libpail.so.1"
need_folder folder "$api"
source=$root/host/bindings/node
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" -DNODE_ADDON_API="$api" \
    ${headers:+-DNODE_HEADERS="$headers"} >"$work/log" 2>&1 && cmake --build "$work/build" >>"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
mkdir -p "$work/package/prebuilt/linux-x64" "$work/package/setups"
cp "$source"/*.js "$source"/*.d.ts "$source/package.json" "$source/README.md" "$work/package"
cp "$root/LICENSE" "$work/package"
cp "$root/tools/pail/kzg/setups/mainnet.txt" "$work/package/setups"
cp "$work/build/pail_node.node" "$prefix/$libdir/libpail.so.1" "$prefix/$libdir/pail/libpail-vulkan.so" \
    "$work/package/prebuilt/linux-x64"
strip --strip-unneeded "$work/package/prebuilt/linux-x64/"*
(cd "$work/package" && npm pack --pack-destination "$work" --silent >"$work/log" 2>&1) || {
    cat "$work/log" >&2
    exit 1
}
mkdir -p "$output"
cp "$work"/pail-*.tgz "$output"
