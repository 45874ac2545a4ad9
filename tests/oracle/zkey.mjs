// SPDX-License-Identifier: Apache-2.0
// The multi-scalar multiplications of a Groth16 proof, and what its key and witness are made of:
//   node zkey.mjs KEY.zkey WITNESS.wtns > EXPECTED.json
// The reader, the transforms and the arithmetic here share nothing with Pail's.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { G1, G2, describe, msm, p, r, readG1, readG2, readInt, readScalars } from './bn254.mjs';

function readSections(path, magic) {
  const file = readFileSync(path);
  if (file.toString('latin1', 0, 4) !== magic) throw new Error(`${path} is no .${magic} file`);
  const sections = new Map();
  let at = 12;
  for (let i = file.readUInt32LE(8); i > 0; i--) {
    const type = file.readUInt32LE(at);
    const size = Number(file.readBigUInt64LE(at + 4));
    sections.set(type, file.subarray(at + 12, at + 12 + size));
    at += 12 + size;
  }
  return sections;
}

function readKey(path) {
  const sections = readSections(path, 'zkey');
  const header = sections.get(2);
  if (readInt(header, 4) !== p || readInt(header, 40) !== r) throw new Error(`${path} is not for BN254`);
  return {
    sections,
    nVars: header.readUInt32LE(72),
    nPublic: header.readUInt32LE(76),
    domain: header.readUInt32LE(80),
  };
}

function readWitness(path) {
  const sections = readSections(path, 'wtns');
  if (readInt(sections.get(1), 4) !== r) throw new Error(`${path} is not for BN254`);
  return readScalars(sections.get(2));
}

function power(base, exponent) {
  let result = 1n;
  for (; exponent > 0n; exponent >>= 1n, base = (base * base) % r) {
    if (exponent & 1n) result = (result * base) % r;
  }
  return result;
}

const inverse = (x) => power(x, r - 2n);

// sum of values[j] root^(ij), by recursion over even and odd j.
function transform(values, root) {
  const n = values.length;
  if (n === 1) return values;
  const square = (root * root) % r;
  const even = transform(values.filter((_, j) => j % 2 === 0), square);
  const odd = transform(values.filter((_, j) => j % 2 === 1), square);
  const result = new Array(n);
  for (let i = 0, w = 1n; i < n / 2; i++, w = (w * root) % r) {
    const t = (w * odd[i]) % r;
    result[i] = (even[i] + t) % r;
    result[i + n / 2] = (even[i] + r - t) % r;
  }
  return result;
}

// Values of a polynomial on the domain to its values on the domain times the primitive root of twice the order.
function shift(values, root, half) {
  const n = BigInt(values.length);
  const scale = inverse(n);
  const coefficients = transform(values, inverse(root)).map((x) => (x * scale) % r);
  for (let i = 0, g = 1n; i < coefficients.length; i++, g = (g * half) % r) {
    coefficients[i] = (coefficients[i] * g) % r;
  }
  return transform(coefficients, root);
}

function quotient(key, witness) {
  const section = key.sections.get(4);
  const inverseR2 = inverse(power(2n, 512n));
  const a = new Array(key.domain).fill(0n);
  const b = new Array(key.domain).fill(0n);
  const count = section.readUInt32LE(0);
  for (let i = 0, at = 4; i < count; i++, at += 44) {
    const row = section.readUInt32LE(at) === 0 ? a : b;
    const constraint = section.readUInt32LE(at + 4);
    const value = (readInt(section, at + 12) * inverseR2) % r;
    row[constraint] = (row[constraint] + value * witness[section.readUInt32LE(at + 8)]) % r;
  }
  const c = a.map((x, i) => (x * b[i]) % r);
  // 5 is the smallest non-residue; r - 1 = 2^28 * odd.
  const half = power(5n, (r - 1n) / (2n * BigInt(key.domain)));
  const root = (half * half) % r;
  const [sa, sb, sc] = [a, b, c].map((values) => shift(values, root, half));
  return sa.map((x, i) => (((x * sb[i] - sc[i]) % r) + r) % r);
}

const [keyPath, witnessPath] = process.argv.slice(2);
if (witnessPath === undefined) {
  console.error('usage: node zkey.mjs KEY.zkey WITNESS.wtns');
  process.exit(2);
}
const key = readKey(keyPath);
const witness = readWitness(witnessPath);
if (witness.length !== key.nVars) throw new Error(`${witness.length} values for ${key.nVars} variables`);

const rest = witness.slice(key.nPublic + 1);
const h = quotient(key, witness);
const inputs = {
  A: [G1, readG1(key.sections.get(5), 'montgomery'), witness],
  B1: [G1, readG1(key.sections.get(6), 'montgomery'), witness],
  B2: [G2, readG2(key.sections.get(7), 'montgomery'), witness],
  C: [G1, readG1(key.sections.get(8), 'montgomery'), rest],
  H: [G1, readG1(key.sections.get(9), 'montgomery'), h],
};

const result = {
  zkey: basename(keyPath),
  wtns: basename(witnessPath),
  source: 'tests/oracle/zkey.mjs, @noble/curves 2.4.0',
  statistics: {
    variables: key.nVars,
    public: key.nPublic,
    domain: key.domain,
    witness_zeros: witness.filter((x) => x === 0n).length,
    witness_ones: witness.filter((x) => x === 1n).length,
  },
  msm: {},
  proofs: [],
};
const sums = {};
for (const [name, [Point, points, scalars]] of Object.entries(inputs)) {
  sums[name] = msm(Point, points, scalars);
  result.msm[name] = {
    n: points.length,
    infinities: points.filter((point) => point.is0()).length,
    ...describe(sums[name]),
  };
}

// The proof for given r and s, as snarkjs writes it.
function prove(blindR, blindS) {
  const header = key.sections.get(2);
  const g1 = (at) => readG1(header.subarray(at, at + 64), 'montgomery')[0];
  const g2 = (at) => readG2(header.subarray(at, at + 128), 'montgomery')[0];
  const [alpha1, beta1, beta2, delta1, delta2] = [g1(84), g1(148), g2(212), g1(468), g2(532)];
  const times = (point, scalar) => (scalar === 0n ? point.subtract(point) : point.multiply(scalar));
  const a = alpha1.add(sums.A).add(times(delta1, blindR));
  const b1 = beta1.add(sums.B1).add(times(delta1, blindS));
  const b = beta2.add(sums.B2).add(times(delta2, blindS));
  const c = sums.C.add(sums.H).add(times(a, blindS)).add(times(b1, blindR)).subtract(times(delta1, (blindR * blindS) % r));
  const text = (x) => (typeof x === 'bigint' ? x.toString() : [x.c0.toString(), x.c1.toString()]);
  const triple = (point, one) => [...[point.toAffine()].flatMap(({ x, y }) => [text(x), text(y)]), one];
  return {
    r: blindR.toString(),
    s: blindS.toString(),
    publics: witness.slice(1, key.nPublic + 1).map(text),
    proof: {
      pi_a: triple(a, '1'), pi_b: triple(b, ['1', '0']), pi_c: triple(c, '1'), protocol: 'groth16', curve: 'bn128',
    },
  };
}
result.proofs.push(prove(0n, 0n), prove(r - 1n, 1n), prove(power(3n, 1000n), power(5n, 1001n)));
console.log(JSON.stringify(result, null, 2));
