#!/bin/sh
# Makes tests/data/ledger.{zkey,wtns,vkey.json} from ledger.circom and input.json, byte for byte the same each time:
# every random contribution is a beacon with a fixed value. The trapdoor is therefore public, and the key is worth
# nothing outside tests.
#
#   tools/make-data/make.sh [OUT]     OUT defaults to tests/data; about three minutes.
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

power=13 # 6712 constraints and 4 public rows need a domain of 2^13
beacon=00000000000000000000000000000000000000000000000000000000000a11ed

cp "$here/package.json" "$here/package-lock.json" "$work"
cd "$work"
npm ci --no-audit --no-fund --ignore-scripts
circom() { npx --no-install circom2 "$@"; }
snarkjs() { npx --no-install snarkjs "$@"; }

cp "$here/ledger.circom" .
circom ledger.circom --r1cs --wasm --O2 -o .
snarkjs wtns calculate ledger_js/ledger.wasm "$here/input.json" ledger.wtns
snarkjs wtns check ledger.r1cs ledger.wtns

snarkjs powersoftau new bn128 $power pot_0.ptau
snarkjs powersoftau beacon pot_0.ptau pot_1.ptau $beacon 10 -n="fixed beacon"
snarkjs powersoftau prepare phase2 pot_1.ptau pot.ptau
snarkjs groth16 setup ledger.r1cs pot.ptau ledger_0.zkey
snarkjs zkey beacon ledger_0.zkey ledger.zkey $beacon 10 -n="fixed beacon"
snarkjs zkey verify ledger.r1cs pot.ptau ledger.zkey
snarkjs zkey export verificationkey ledger.zkey ledger.vkey.json

# The proof of the data: a Groth16 proof made from them verifies.
snarkjs groth16 prove ledger.zkey ledger.wtns proof.json public.json
snarkjs groth16 verify ledger.vkey.json public.json proof.json

cp ledger.zkey ledger.wtns ledger.vkey.json "$out"
cd "$out"
sha256sum ledger.zkey ledger.wtns ledger.vkey.json
