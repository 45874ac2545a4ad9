#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the keys of tests/data: ledger.{zkey,wtns,wasm,vkey.json} from ledger.circom and input.json, and
# membership.{zkey,wasm,vkey.json} from membership.circom. They are byte for byte the same each time: every random
# contribution is a beacon with a fixed value. The trapdoors are therefore public, and the keys are worth nothing outside
# tests.
#
#   tools/make-data/make.sh [OUT]     OUT defaults to tests/data; about five minutes.
#
# Needs Node.js 20 or newer with npm; the tools and their versions are in package.json and package-lock.json.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tools/script.sh"
case ${1-} in -*) no_option "$1" ;; esac
[ $# -le 1 ] || refuse "\"$2\" is one folder too many"
here=$root/tools/make-data
mkdir -p "${1:-$here/../../tests/data}"
out=$(cd "${1:-$here/../../tests/data}" && pwd)
work=${PAIL_MAKE_DATA_DIR:-$(mktemp -d)}
mkdir -p "$work"
work=$(cd "$work" && pwd)
[ -n "${PAIL_MAKE_DATA_DIR:-}" ] || trap 'rm -rf "$work"' EXIT

beacon=00000000000000000000000000000000000000000000000000000000000a11ed

cp "$here/package.json" "$here/package-lock.json" "$work"
cd "$work"
npm ci --no-audit --no-fund --ignore-scripts
circom() { npx --no-install circom2 "$@"; }
snarkjs() { npx --no-install snarkjs "$@"; }

cp "$here"/*.circom .

# make NAME POWER INPUT: the domain has 2^POWER elements.
make() {
    name=$1 power=$2 input=$3
    circom "$name.circom" --r1cs --wasm --O2 -o .
    snarkjs wtns calculate "${name}_js/$name.wasm" "$input" "$name.wtns"
    snarkjs wtns check "$name.r1cs" "$name.wtns"
    cp "${name}_js/$name.wasm" .

    snarkjs powersoftau new bn128 "$power" pot_0.ptau
    snarkjs powersoftau beacon pot_0.ptau pot_1.ptau $beacon 10 -n="fixed beacon"
    snarkjs powersoftau prepare phase2 pot_1.ptau pot.ptau
    snarkjs groth16 setup "$name.r1cs" pot.ptau "${name}_0.zkey"
    snarkjs zkey beacon "${name}_0.zkey" "$name.zkey" $beacon 10 -n="fixed beacon"
    snarkjs zkey verify "$name.r1cs" pot.ptau "$name.zkey"
    snarkjs zkey export verificationkey "$name.zkey" "$name.vkey.json"

    # The proof of the data: a Groth16 proof made from them verifies.
    snarkjs groth16 prove "$name.zkey" "$name.wtns" proof.json public.json
    snarkjs groth16 verify "$name.vkey.json" public.json proof.json
}
make ledger 13 "$here/input.json"                            # 6712 constraints and 4 public rows
make membership 12 "$root/tests/data/membership.input.json" # 4022 and 4

set -- ledger.zkey ledger.wtns ledger.wasm ledger.vkey.json membership.zkey membership.wasm membership.vkey.json
cp "$@" "$out"
cd "$out"
sha256sum "$@"
