#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shows that packages install on a clean Debian 12 and prove there, and how long that takes. As root; needs debootstrap and
# a mirror of Debian.
# usage: try.sh ROOT DEB... | try.sh ROOT pail-prover-VERSION.tgz
# ROOT is a folder with a clean system; where there is none, one is made. It is changed: the next try wants a fresh one,
# or "cp -a" of one that is kept. What is measured is "apt install" or "npm install" with its downloads, and the proof.
# Then, of packages of Debian: they are installed over themselves, and the proof verifies again; a driver's package is installed
# once more, which has to build pipelines for all users; and all packages are purged, which has to leave nothing but the cache
# in the home of who proved.
# Exit status: 0 the proof verifies, both took less than a minute, and what follows is as it should be.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/script.sh"
data=$root/tests/data
for word; do
    case $word in -*) no_option "$word" ;; esac
done
[ $# -ge 2 ] || refuse "a folder and packages are wanted"
root=$1
shift
for package; do
    need_file package "$package"
done
[ "$(id -u)" -eq 0 ] || refuse "chroot and apt want root"
if [ ! -e "$root/etc/debian_version" ]; then
    say "making a clean system in $root"
    debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" >&2
        exit 1
    }
fi
rm -rf "$root/try"
mkdir "$root/try"
cp "$@" "$data/ledger.zkey" "$data/ledger.wtns" "$data/ledger.vkey.json" "$root/try"
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        sh -euc "cd /try; $1"
}
# timed NAME COMMAND: seconds of the clock, into the variable of that name.
timed() {
    before=$(date +%s%N)
    inside "$2" >"$root/try/log" 2>&1 || {
        cat "$root/try/log" >&2
        say "$1 failed"
        exit 1
    }
    eval "$1=$((($(date +%s%N) - before) / 1000000))"
}
inside 'apt-get -q update' >/dev/null
case $1 in
*.deb)
    timed install 'apt-get -q install -y ./*.deb'
    timed proof 'pail prove ledger.zkey ledger.wtns proof.json public.json && pail verify ledger.vkey.json public.json proof.json && pail info'
    cat "$root/try/log"
    ;;
*.tgz)
    inside 'apt-get -q install -y --no-install-recommends nodejs npm' >/dev/null 2>&1 # what the user has already
    if inside 'command -v cc || command -v make'; then
        say "a compiler is there: that nothing is compiled would not be shown"
        exit 1
    fi
    timed install 'npm install --no-audit --no-fund ./pail-prover-*.tgz'
    cat >"$root/try/prove.js" <<'END'
const fs = require('fs'), { groth16 } = require('pail-prover');
groth16.prove('ledger.zkey', 'ledger.wtns').then(async ({ proof, publicSignals }) => {
    const valid = await groth16.verify(JSON.parse(fs.readFileSync('ledger.vkey.json')), publicSignals, proof);
    console.log(proof, valid);
    process.exitCode = valid ? 0 : 1;
});
END
    timed proof 'node prove.js'
    cat "$root/try/log"
    ;;
*)
    say "\"$1\" is neither a package of Debian (.deb) nor of npm (.tgz)"
    exit 2
    ;;
esac
echo "install: $install ms, proof and verification: $proof ms, on $(uname -m) with $(nproc) processors"
[ $((install + proof)) -lt 60000 ] || {
    say "that is more than a minute"
    exit 1
}
case $1 in
*.deb) ;;
*) exit 0 ;;
esac
inside 'apt-get -q install -y --reinstall ./*.deb && pail verify ledger.vkey.json public.json proof.json' >"$root/try/log" 2>&1 || {
    cat "$root/try/log" >&2
    say "an upgrade to the same version failed"
    exit 1
}
inside 'mkdir -p /etc/pail
    echo "{\"shapes\": [{\"curve\": \"none\", \"adstack\": true}]}" >/etc/pail/warmup.json
    apt-get -q install -y --reinstall mesa-vulkan-drivers' >"$root/try/log" 2>&1 || true
if ! grep -o 'pail: pipelines of .* are in /var/cache/pail-shared' "$root/try/log"; then
    cat "$root/try/log" >&2
    say "a driver's package changed, and no pipelines were built"
    exit 1
fi
# A user with a cache of its own that is empty.
inside 'mkdir /try/own; chown nobody /try/own
    runuser -u nobody -- env PAIL_CACHE_DIR=/try/own pail warmup --backend vulkan --manifest /etc/pail/warmup.json --expect-hits' \
    >"$root/try/log" 2>&1 || {
    cat "$root/try/log" >&2
    say "a user does not find the pipelines"
    exit 1
}
tail -n 1 "$root/try/log"
inside 'apt-get -q purge -y pail "libpail*"' >"$root/try/log" 2>&1 || {
    cat "$root/try/log" >&2
    exit 1
}
left=$(find "$root" -xdev \( -path "$root/try" -o -path "$root/root/.cache/pail" -o -path "$root/var/log" -o -path "$root/proc" -o -path "$root/sys" \) -prune -o \
    -ipath '*pail*' -print | grep -v '/var/cache/apt/' || true)
[ -z "$left" ] || {
    say "left after the purge: $left"
    exit 1
}
echo "purged: nothing is left but the user's ~/.cache/pail"
