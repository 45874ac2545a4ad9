#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the pipelines that /etc/pail/warmup.json lists, for all users of this machine: into a folder that every cache reads
# below its own (docs/pipelines.md). Debian's package runs it when it is set up and whenever a driver of Vulkan has changed.
# Without that manifest it does nothing. Exit status: 0; a warm-up that fails costs time later, and must fail no upgrade.
set -u
case ${1-} in
'' | --clean) ;;
--help)
    sed -n '1d; /^#/!q; s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
*)
    echo "pail: $0 knows no word \"$1\"" >&2
    exit 2
    ;;
esac
# The environment of whoever runs apt does not count. Folders and files that it names (HOME, XDG_*, VK_*, LD_*, PATH) may
# belong to a user, and the Vulkan loader would run layers in them as root.
if [ "${1-}" != --clean ]; then
    exec /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DPKG_ROOT="${DPKG_ROOT:-}" /bin/sh "$0" --clean
fi
manifest=$DPKG_ROOT/etc/pail/warmup.json
cache=$DPKG_ROOT/var/cache/pail-shared
pail=$DPKG_ROOT/usr/bin/pail
[ -e "$manifest" ] || exit 0
if [ ! -x "$pail" ]; then
    echo "pail: nothing is built of $manifest: the command $pail is not here" >&2
    exit 0
fi
# An older cache below does not count either.
if said=$(PAIL_CACHE_LAYERS='' timeout 3600 "$pail" warmup --manifest "$manifest" --cache-dir "$cache" 2>&1); then
    echo "pail: pipelines of $manifest are in $cache"
    # Pipelines for drivers of before go at last.
    "$pail" cache prune --dir "$cache" --unused-days 90 >/dev/null || true
else
    status=$?
    echo "pail: warm-up of $manifest failed with status $status: $(echo "$said" | tail -n 1)" >&2
    echo "pail: to try again, as root: $0" >&2
fi
[ -d "$cache" ] || exit 0
chmod -R u=rwX,go=rX "$cache"
exit 0
