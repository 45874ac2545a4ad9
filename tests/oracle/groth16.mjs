// SPDX-License-Identifier: Apache-2.0
// Writes Groth16 keys, public values and proofs in snarkjs's JSON:
//   node groth16.mjs FOLDER DATA
// FOLDER/groth16/CASE/{vkey,public,proof}.json are valid: who knows the secrets of a setup can make a proof for any public
// values, which is how they are made. FOLDER/ledger.proof.json is the proof of tests/data/ledger with r = s = 0, put
// together from the multiplications in ledger.expected.json, and ledger.public.json its public values; DATA is tests/data.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { G1, G2, readG1, readG2, readScalars } from './bn254.mjs';
import { Random } from './cases.mjs';
import { groups } from './forms.mjs';

const [folder, data] = process.argv.slice(2);
if (data === undefined) {
  console.error('usage: node groth16.mjs FOLDER DATA');
  process.exit(2);
}

// Coordinates as snarkjs has them: x, y, 1, or 0, 1, 0 for infinity.
function coordinates(point) {
  const zero = point.is0();
  const { x, y } = zero ? { x: 0n, y: 1n } : point.toAffine();
  const text = (c) => (typeof c === 'bigint' ? String(c) : [String(c.c0), String(c.c1)]);
  const isG2 = point instanceof groups.bn254.g2.Point || point instanceof groups['bls12-381'].g2.Point;
  const small = (n) => (isG2 ? [String(n), '0'] : String(n));
  return zero ? [small(0), small(1), small(0)] : [text(x), text(y), small(1)];
}

// An array without elements as snarkjs's CLI writes it.
const text = (value) => (Array.isArray(value) && value.length === 0 ? '[\n]' : JSON.stringify(value, null, 1));

function write(path, value) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text(value));
}

function makeCase(name, curve, nPublic, { infinities = false } = {}) {
  const random = new Random(`groth16 ${name}`);
  const { g1, g2 } = groups[curve];
  const { r } = g1;
  const curveName = curve === 'bn254' ? 'bn128' : 'bls12381';
  const mod = (k) => ((k % r) + r) % r;
  const scalar = () => (random.integer() % (r - 1n)) + 1n;
  const point = ({ Point }, k) => (mod(k) === 0n ? Point.ZERO : Point.BASE.multiply(mod(k)));
  const power = (base, exponent) => {
    let result = 1n;
    for (; exponent > 0n; exponent >>= 1n, base = mod(base * base)) if (exponent & 1n) result = mod(result * base);
    return result;
  };
  const [alpha, beta, gamma, delta, a, b] = Array.from({ length: 6 }, scalar);
  const ic = Array.from({ length: nPublic + 1 }, (_, i) => (infinities && i % 2 ? 0n : scalar()));
  const publics = Array.from({ length: nPublic }, (_, i) => (i === 0 ? r - 1n : i === 1 ? 0n : scalar()));
  const sum = publics.reduce((s, x, i) => s + x * ic[i + 1], ic[0]);
  // e(A, B) = e(alpha, beta) e(sum, gamma) e(C, delta); with infinities C is one: a b is then what it takes.
  const c = infinities ? 0n : mod((a * b - alpha * beta - sum * gamma) * power(delta, r - 2n));
  const a2 = infinities ? mod((alpha * beta + sum * gamma) * power(b, r - 2n)) : a;
  write(join(folder, 'groth16', name, 'vkey.json'), {
    protocol: 'groth16', curve: curveName, nPublic,
    vk_alpha_1: coordinates(point(g1, alpha)), vk_beta_2: coordinates(point(g2, beta)),
    vk_gamma_2: coordinates(point(g2, gamma)), vk_delta_2: coordinates(point(g2, delta)),
    IC: ic.map((k) => coordinates(point(g1, k))),
  });
  write(join(folder, 'groth16', name, 'public.json'), publics.map(String));
  write(join(folder, 'groth16', name, 'proof.json'), {
    pi_a: coordinates(point(g1, a2)), pi_b: coordinates(point(g2, b)), pi_c: coordinates(point(g1, c)),
    protocol: 'groth16', curve: curveName,
  });
}

for (const [curve, short] of [['bn254', 'bn254'], ['bls12-381', 'bls12_381']]) {
  makeCase(`${short}_0`, curve, 0);
  makeCase(`${short}_3`, curve, 3);
  makeCase(`${short}_infinities`, curve, 4, { infinities: true });
}

// ---- The ledger ----

function section(file, type) {
  for (let at = 12; ; at += 12 + Number(file.readBigUInt64LE(at + 4))) {
    if (file.readUInt32LE(at) === type) return file.subarray(at + 12, at + 12 + Number(file.readBigUInt64LE(at + 4)));
  }
}

const key = readFileSync(join(data, 'ledger.zkey'));
const { msm } = JSON.parse(readFileSync(join(data, 'ledger.expected.json')));
const header = section(key, 2);
const nPublic = header.readUInt32LE(76);
const [alpha1] = readG1(header.subarray(84, 148), 'montgomery');
const [beta2] = readG2(header.subarray(212, 340), 'montgomery');
const sum1 = ({ x, y }) => G1.fromAffine({ x: BigInt(x), y: BigInt(y) });
const element = ([c0, c1]) => ({ c0: BigInt(c0), c1: BigInt(c1) });
const sum2 = ({ x, y }) => G2.fromAffine({ x: element(x), y: element(y) });
write(join(folder, 'ledger.proof.json'), {
  pi_a: coordinates(alpha1.add(sum1(msm.A))), pi_b: coordinates(beta2.add(sum2(msm.B2))),
  pi_c: coordinates(sum1(msm.C).add(sum1(msm.H))), protocol: 'groth16', curve: 'bn128',
});
const witness = readScalars(section(readFileSync(join(data, 'ledger.wtns')), 2).subarray(0, 32 * (nPublic + 1)));
write(join(folder, 'ledger.public.json'), witness.slice(1).map(String));
