// SPDX-License-Identifier: Apache-2.0
// Writes cases in the files that Ethereum's specifications publish theirs in:
//   node eip.mjs FOLDER
// FOLDER/eip-2537/*.json, FOLDER/eip-196/*.json and FOLDER/eip-4844/ are those of tests/data.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pippenger } from '@noble/curves/abstract/curve.js';
import { Random } from './cases.mjs';
import { bigEndian, concat, forms, groups, hex, outsideSubgroup } from './forms.mjs';
import { Fr, commit, setup } from './kzg.mjs';

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node eip.mjs FOLDER');
  process.exit(2);
}
const random = new Random('eip');

const sum = (g, points, scalars) =>
  points.length === 0 ? g.Point.ZERO : pippenger(g.Point, points, scalars.map((k) => k % g.r));

function write(name, cases) {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `[\n${cases.map((one) => '  ' + JSON.stringify(one)).join(',\n')}\n]\n`);
}

const pairs = (g, form, points, scalars) =>
  concat(points.flatMap((point, i) => [form.encode(g, point), bigEndian(scalars[i], 32)]));

const randomPoint = (g) => g.Point.BASE.multiply((random.integer() % (g.r - 1n)) + 1n);
const list = (n, make) => Array.from({ length: n }, (_, i) => make(i));

function msmCases(g, form, prefix) {
  const all = {
    'single': [[randomPoint(g)], [random.integer() % g.r]],
    'equal_points': [Array(2).fill(g.Point.BASE), [1n, 1n]],
    'opposite_points': [[g.Point.BASE, g.Point.BASE.negate()], [5n, 5n]],
    'scalar_zero': [[randomPoint(g)], [0n]],
    'scalar_order': [[randomPoint(g), randomPoint(g)], [g.r, g.r + 1n]],
    'scalar_256_bits': [list(3, () => randomPoint(g)), [(1n << 256n) - 1n, 1n << 255n, random.integer()]],
    'infinity': [[g.Point.ZERO], [random.integer()]],
    'infinities_among_points': [list(5, (i) => (i % 2 ? g.Point.ZERO : randomPoint(g))), list(5, () => random.integer())],
    'random_17': [list(17, () => randomPoint(g)), list(17, () => random.integer())],
  };
  return Object.entries(all).map(([name, [points, scalars]]) => ({
    Input: hex(pairs(g, form, points, scalars)),
    Expected: hex(form.encode(g, sum(g, points, scalars))),
    Name: prefix + name,
  }));
}

function addCases(g, form, prefix) {
  const p = randomPoint(g);
  const q = randomPoint(g);
  const zero = g.Point.ZERO;
  const all = { 'different': [p, q], 'equal': [p, p], 'opposite': [p, p.negate()], 'infinity_left': [zero, q], 'infinity_both': [zero, zero] };
  return Object.entries(all).map(([name, [a, b]]) => ({
    Input: hex(concat([form.encode(g, a), form.encode(g, b)])),
    Expected: hex(form.encode(g, a.add(b))),
    Name: prefix + name,
  }));
}

function mulCases(g, form, prefix) {
  const p = randomPoint(g);
  const all = { 'one': 1n, 'zero': 0n, 'minus_one': g.r - 1n, 'random': random.integer(), 'largest': (1n << 256n) - 1n };
  return Object.entries(all).map(([name, k]) => ({
    Input: hex(pairs(g, form, [p], [k])),
    Expected: hex(form.encode(g, sum(g, [p], [k]))),
    Name: prefix + name,
  }));
}

// Inputs that a precompile must refuse, with the words of go-ethereum.
function failCases(g, form, prefix) {
  const points = [randomPoint(g), randomPoint(g)];
  const good = pairs(g, form, points, [random.integer(), random.integer()]);
  const pointBytes = form.encode(g, g.Point.BASE).length;
  const second = pointBytes + 32;
  const change = (edit) => {
    const copy = Uint8Array.from(good);
    edit(copy);
    return copy;
  };
  const cases = [
    ['empty_input', new Uint8Array(0), 'invalid input length'],
    ['short_input', good.subarray(0, good.length - 1), 'invalid input length'],
    ['long_input', concat([good, new Uint8Array(1)]), 'invalid input length'],
    ['x_is_p', change((b) => b.set(bigEndian(g.p, 64), second)), 'invalid fp.Element encoding'],
    ['y_above_p', change((b) => b.fill(0xff, second + pointBytes - 48, second + pointBytes)), 'invalid fp.Element encoding'],
    ['top_bytes', change((b) => { b[second + 64 + 15] = 1; }), 'invalid field element top bytes'],
    ['not_on_curve', change((b) => { b[second + pointBytes - 1] ^= 1; }), 'invalid point: not on curve'],
    ['not_in_subgroup', change((b) => b.set(form.encode(g, outsideSubgroup(g)), second)),
      `g${g.parts} point is not in the correct subgroup`],
  ];
  return cases.map(([name, input, ExpectedError]) => ({ Input: hex(input), ExpectedError, Name: prefix + name }));
}

for (const [name, g] of Object.entries(groups['bls12-381'])) {
  const G = name.toUpperCase();
  const form = forms.eip2537;
  write(`eip-2537/msm_${G}_bls.json`, msmCases(g, form, `${name}msm_`));
  write(`eip-2537/add_${G}_bls.json`, addCases(g, form, `${name}add_`));
  write(`eip-2537/mul_${G}_bls.json`, mulCases(g, form, `${name}mul_`));
  write(`eip-2537/fail-msm_${G}_bls.json`, failCases(g, form, `${name}msm_`));
}

const bn = groups.bn254.g1;
const padded = addCases(bn, forms.eip196, 'add_');
padded.push({ Input: '', Expected: '00'.repeat(64), Name: 'add_nothing' });
const one = hex(forms.eip196.encode(bn, bn.Point.BASE));
padded.push({ Input: one, Expected: one, Name: 'add_short' });
padded.push({ Input: one + one + 'ff', Expected: hex(forms.eip196.encode(bn, bn.Point.BASE.double())), Name: 'add_long' });
write('eip-196/bn256Add.json', padded);
write('eip-196/bn256ScalarMul.json', mulCases(bn, forms.eip196, 'mul_'));

// Pairings: whether a product is one. The coordinates of EIP-197 are those of EIP-196.
const again = new Random('eip pairings');
const multiple = (g, k) => (k === 0n ? g.Point.ZERO : g.Point.BASE.multiply(((k % g.r) + g.r) % g.r));

function pairing(curve, form, left, right) {
  const { g1, g2 } = groups[curve];
  return concat(left.flatMap((a, i) => [form.encode(g1, multiple(g1, a)), form.encode(g2, multiple(g2, right[i]))]));
}

function pairingCases(curve, form, prefix) {
  const { r } = groups[curve].g1;
  const scalar = () => (again.integer() % (r - 1n)) + 1n;
  const balanced = (n) => {
    const left = list(n, scalar);
    const right = list(n, scalar);
    const sum = left.slice(1).reduce((s, a, i) => s + a * right[i + 1], 0n) % r;
    return [[(r - sum) % r, ...left.slice(1)], [1n, ...right.slice(1)]];
  };
  const all = {
    'generators': [[1n], [1n], 0],
    'opposite': [[1n, -1n], [1n, 1n], 1],
    'opposite_second': [[5n, 5n], [3n, -3n], 1],
    'equal': [[1n, 1n], [1n, 1n], 0],
    'infinity_first': [[0n], [scalar()], 1],
    'infinity_second': [[scalar()], [0n], 1],
    'infinity_among_others': [[0n, 2n, 3n, 4n], [9n, 3n, -2n, 0n], 1],
    'balanced_4': [...balanced(4), 1],
    'balanced_10': [...balanced(10), 1],
    'random_3': [list(3, scalar), list(3, scalar), 0],
  };
  return Object.entries(all).map(([name, [left, right, Expected]]) => ({
    Input: hex(pairing(curve, form, left, right)),
    Expected: hex(bigEndian(BigInt(Expected), 32)),
    Name: prefix + name,
  }));
}

function pairingFaults(form) {
  const { g1, g2 } = groups['bls12-381'];
  const good = pairing('bls12-381', form, [2n, 3n], [3n, -2n]);
  const change = (edit) => {
    const copy = Uint8Array.from(good);
    edit(copy);
    return copy;
  };
  const second = good.length / 2;
  return [
    ['g1_x_is_p', change((b) => b.set(bigEndian(g1.p, 64), second)), 'invalid fp.Element encoding'],
    ['g2_y_above_p', change((b) => b.fill(0xff, b.length - 48)), 'invalid fp.Element encoding'],
    ['top_bytes', change((b) => { b[second + 128] = 1; }), 'invalid field element top bytes'],
    ['g1_not_on_curve', change((b) => { b[second + 127] ^= 1; }), 'invalid point: not on curve'],
    ['g2_not_on_curve', change((b) => { b[b.length - 1] ^= 1; }), 'invalid point: not on curve'],
    ['g1_not_in_subgroup', change((b) => b.set(form.encode(g1, outsideSubgroup(g1)), second)), 'g1 point is not in the correct subgroup'],
    ['g2_not_in_subgroup', change((b) => b.set(form.encode(g2, outsideSubgroup(g2)), second + 128)), 'g2 point is not in the correct subgroup'],
  ].map(([name, input, ExpectedError]) => ({ Input: hex(input), ExpectedError, Name: `bls_pairing_${name}` }));
}

write('eip-196/bn256Pairing.json', [{ Input: '', Expected: hex(bigEndian(1n, 32)), Name: 'pairing_nothing' },
  ...pairingCases('bn254', forms.eip196, 'pairing_')]);
write('eip-2537/pairing_check_bls.json', pairingCases('bls12-381', forms.eip2537, 'bls_pairing_'));
write('eip-2537/fail-pairing_check_bls.json', pairingFaults(forms.eip2537));

// A setup of 8 points instead of 4096; the rest is as in EIP-4844.
const size = 8;
const tau = random.integer() % Fr.ORDER;
mkdirSync(join(folder, 'eip-4844'), { recursive: true });
writeFileSync(join(folder, 'eip-4844/trusted_setup.txt'), setup(size, 3, tau));

function writeBlob(name, blob, output) {
  const at = join(folder, 'eip-4844/blob_to_kzg_commitment', name);
  mkdirSync(at, { recursive: true });
  const text = output === null ? 'null' : `'0x${output}'`;
  writeFileSync(join(at, 'data.yaml'), `input:\n  blob: '0x${hex(blob)}'\noutput: ${text}\n`);
}
const blobOf = (elements) => concat(elements.map((e) => bigEndian(e, 32)));
const blobs = {
  zeros: list(size, () => 0n),
  twos: list(size, () => 2n),
  random: list(size, () => random.integer() % Fr.ORDER),
  one_element: list(size, (i) => (i === 3 ? Fr.ORDER - 1n : 0n)),
};
for (const [name, elements] of Object.entries(blobs)) writeBlob(`valid_blob_${name}`, blobOf(elements), commit(elements, tau));
writeBlob('invalid_blob_order', blobOf(list(size, (i) => (i === size - 1 ? Fr.ORDER : 1n))), null);
writeBlob('invalid_blob_short', blobOf(blobs.random).subarray(0, 32 * size - 1), null);
writeBlob('invalid_blob_long', concat([blobOf(blobs.random), new Uint8Array(1)]), null);
