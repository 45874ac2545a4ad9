#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/demo with a program that is built, and what it says when something is wrong.
# usage: demo.sh DEMO PAIL DATA
set -eu
demo=$1 pail=$2 data=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# run STATUS ARGUMENT...: what it prints is in the file out.
run() {
    expected=$1
    shift
    status=0
    "$demo" "$@" >out 2>&1 || status=$?
    [ "$status" = "$expected" ] || {
        cat out
        echo "demo.sh: tools/demo $*: exit status $status in place of $expected"
        exit 1
    }
}
says() {
    grep -q -- "$1" out || {
        cat out
        echo "demo.sh: it does not say \"$1\""
        exit 1
    }
}

run 2 nope.zkey
says '^tools/demo: there is no file "nope.zkey"; "tools/demo --help" shows'
run 2 "$data/ledger.zkey"
says 'and ".*/ledger.zkey" is alone'
run 2 --pail
says '^tools/demo: --pail has no value'
run 2 --pail nope
says '^tools/demo: there is no program "nope"'
[ -z "$(ls -A | grep -vx out)" ]

# A build without SpiderMonkey proves from witnesses alone.
if ! "$pail" witness "$data/membership.wasm" "$data/membership.input.json" made.wtns 2>why; then
    cat why
    grep -q '^pail: there is no libpail-witness.so' why
    run 1 --pail "$pail"
    says '^pail: there is no libpail-witness.so'
    says '^tools/demo: failed: no proof was made$'
    run 0 --pail "$pail" "$data/ledger.zkey" "$data/ledger.wtns"
    echo "skipped: there is no libpail-witness.so (Debian: libmozjs-102-dev)"
    exit 77
fi

# One processor is the CPU backend's.
made="cpu software" software=yes
[ "$("$pail" info | grep -c '^  device [0-9]*: .* (cpu), ')" -gt 1 ] || made=cpu software=
echo "with what this machine has: $made"
run 0 ${software:+--software} --pail "$pail"
says '^== A member of a Merkle tree'
says 'membership.zkey: bn254, '
says '^circuit .*membership.wasm: '
says '^valid (bn254, public values: 3'
says 'r = s = 0: the proof does not hide its witness'
says '^ all  *[0-9]'
says "the proofs with r = s = 0 are the same to the byte: cpu, .*@noble/curves$"
"$pail" verify "$data/membership.vkey.json" demo/best.public.json demo/best.proof.json
for name in $made; do
    cmp demo/$name.proof.json "$data/ledger.proof.json"
    cmp demo/$name.public.json "$data/ledger.public.json"
done
cp demo/best.proof.json first
run 0 --pail "$pail"
if cmp -s demo/best.proof.json first; then
    echo "demo.sh: the first proof has no random part"
    exit 1
fi
if [ -e demo/software.proof.json ]; then
    echo "demo.sh: a software driver was not asked for"
    exit 1
fi

echo "without one"
export VK_ICD_FILENAMES=/nonexistent.json VK_DRIVER_FILES=/nonexistent.json
run 1 --software --pail "$pail"
says '^tools/demo: failed: --software: there is no software driver'
run 0 --pail "$pail"
says 'the same to the byte: cpu, @noble/curves$'
run 0 --pail "$pail" "$data/ledger.zkey" "$data/ledger.wtns"
says '^tools/demo: nothing to compare with$'

# The CPU backend in place of a software driver whose proof ends with another digit.
cat >other <<END
#!/bin/sh
case " \$* " in
' info ') printf 'backend vulkan 1\n  device 0: a driver (cpu), score 1\n\nbackend cpu\n'; exit ;;
*' --backend vulkan '*) ;;
*) exec "$pail" "\$@" ;;
esac
shift 7
"$pail" prove --backend cpu --insecure-fixed-blinding "\$@" || exit
[ "\${KEPT-}" ] || sed -i '3s/^..../  "7/' "\$3"
END
chmod +x other
echo "a backend that has another proof"
export KEPT=yes
run 0 --software --pail ./other
unset KEPT
says 'the same to the byte: cpu, software, @noble/curves$'
run 1 --pail ./other --software
says '^tools/demo: failed: the software driver has another proof than cpu$'

echo "a witness that does not satisfy the circuit"
head -c 100000 "$data/ledger.wtns" >bad.wtns
printf '\1\2\3' >>bad.wtns
tail -c +100004 "$data/ledger.wtns" >>bad.wtns
run 1 --pail "$pail" "$data/ledger.zkey" bad.wtns
says 'does not satisfy the circuit of'
says '^tools/demo: failed: no proof was made$'
[ ! -e demo/best.proof.json ]
