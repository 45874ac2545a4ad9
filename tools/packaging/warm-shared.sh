#!/bin/sh
# Builds the pipelines that /etc/pail/warmup.json lists, for all users of this machine: into a folder that every cache reads
# below its own (docs/pipelines.md). Debian's package runs it when it is set up and whenever a driver of Vulkan has changed.
# Without that manifest it does nothing. Exit status: 0; a warm-up that fails costs time later, and must fail no upgrade.
set -u
root=${DPKG_ROOT:-}
manifest=$root/etc/pail/warmup.json
cache=$root/var/cache/pail-shared
[ -e "$manifest" ] || exit 0
if ! command -v pail >/dev/null; then
    echo "pail: nothing is built of $manifest: the command pail is not here" >&2
    exit 0
fi
# Only what this makes counts: not the environment of whoever runs apt, nor an older cache below.
unset PAIL_CACHE_DIR PAIL_BACKEND PAIL_LIMITS PAIL_DEBUG
[ -n "$root" ] || unset PAIL_BACKEND_PATH PAIL_CPU PAIL_FAULT VK_DRIVER_FILES VK_ICD_FILENAMES VK_ADD_DRIVER_FILES VK_LAYER_PATH
if said=$(PAIL_CACHE_LAYERS='' timeout 3600 pail warmup --manifest "$manifest" --cache-dir "$cache" 2>&1); then
    echo "pail: pipelines of $manifest are in $cache"
    # What was built for drivers of before goes at last.
    pail cache prune --dir "$cache" --unused-days 90 >/dev/null || true
else
    status=$?
    echo "pail: warm-up of $manifest failed with status $status: $(echo "$said" | tail -n 1)" >&2
    echo "pail: to try again, as root: $0" >&2
fi
[ -d "$cache" ] || exit 0
chmod -R u=rwX,go=rX "$cache"
exit 0
