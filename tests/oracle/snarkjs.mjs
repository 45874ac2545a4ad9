// SPDX-License-Identifier: Apache-2.0
// Compares `pail verify` with snarkjs on valid proofs, and where a proof, a public value or a key was changed:
//   node snarkjs.mjs PAIL DATA [--runs N] [--seed S]
// DATA is tests/data. N cases are changed, at least a quarter of them of each kind; changes take turns. Both must take or refuse the same, but for what Pail alone refuses: numbers that are not reduced.
// With a proof that snarkjs makes, the bytes that its program writes are compared with what is in its object, too.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as snarkjs from 'snarkjs';
import { Random } from './cases.mjs';
import { groups } from './forms.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '200' }, seed: { type: 'string', default: String(Date.now()) } },
});
if (positionals.length !== 2) {
  console.error('usage: node snarkjs.mjs PAIL DATA [--runs N] [--seed S]');
  process.exit(2);
}
const [pail, data] = positionals;
const random = new Random(`snarkjs ${values.seed}`);
const folder = mkdtempSync(join(tmpdir(), 'pail-snarkjs-'));

const read = (path) => JSON.parse(readFileSync(path));
const load = (path, joint) => Object.fromEntries(['vkey', 'public', 'proof'].map((file) => [file, read(`${path}${joint}${file}.json`)]));
const cases = {
  ledger: load(join(data, 'ledger'), '.'),
  ...Object.fromEntries(readdirSync(join(data, 'groth16')).map((name) => [name, load(join(data, 'groth16', name), '/')])),
};

const curveOf = ({ vkey }) => groups[vkey.curve === 'bn128' ? 'bn254' : 'bls12-381'];
const plus = (text, k) => String(BigInt(text) + k);
const points = ['pi_a', 'pi_b', 'pi_c'];
const keyPoints = ['vk_alpha_1', 'vk_beta_2', 'vk_gamma_2', 'vk_delta_2'];

const negative = (p, c) => (Array.isArray(c) ? c.map((one) => negative(p, one)) : String((p - BigInt(c)) % p));
const infinity = (point) => (Array.isArray(point[0]) ? [['0', '0'], ['1', '0'], ['0', '0']] : ['0', '1', '0']);
const generator = ({ g1, g2 }, point) => {
  const isG2 = Array.isArray(point[0]);
  const { x, y } = (isG2 ? g2 : g1).Point.BASE.toAffine();
  return isG2 ? [[String(x.c0), String(x.c1)], [String(y.c0), String(y.c1)], ['1', '0']] : [String(x), String(y), '1'];
};

// A member of the proof; at infinity snarkjs looks at nothing but the third coordinate, and Pail at all.
const finite = ({ proof }) => proof[random.pick(points.filter((name) => String(proof[name][2]) !== String(infinity(proof[name])[2])))];

// Each changes a case; what a change cannot be made to stays as it is.
const nothing = () => {};
const changes = {};
changes.proof = {
  coordinate: (one) => {
    const at = finite(one);
    const i = random.below(2);
    if (Array.isArray(at[i])) at[i][random.below(2)] = plus(at[i][0], 1n);
    else at[i] = plus(at[i], 1n);
  },
  negative: (one) => {
    const at = finite(one);
    at[1] = negative(curveOf(one).g1.p, at[1]);
  },
  negativeTwice: (one) => ['pi_a', 'pi_b'].forEach((name) => { one.proof[name][1] = negative(curveOf(one).g1.p, one.proof[name][1]); }),
  infinity: ({ proof }) => {
    const name = random.pick(points);
    proof[name] = infinity(proof[name]);
  },
  allInfinity: ({ proof }) => points.forEach((name) => { proof[name] = infinity(proof[name]); }),
  generator: (one) => {
    const name = random.pick(points);
    one.proof[name] = generator(curveOf(one), one.proof[name]);
  },
  swapped: ({ proof }) => { [proof.pi_a, proof.pi_c] = [proof.pi_c, proof.pi_a]; },
};
const publicPlusOrder = (one) => { if (one.public.length > 0) one.public[0] = plus(one.public[0], curveOf(one).g1.r); };
changes.public = {
  publicPlusOrder,
  publicPlusOne: (one) => { if (one.public.length > 0) one.public[0] = String((BigInt(one.public[0]) + 1n) % curveOf(one).g1.r); },
  publicRandom: (one) => { if (one.public.length > 0) one.public[random.below(one.public.length)] = String(random.integer() % curveOf(one).g1.r); },
  publicsReversed: (one) => { one.public.reverse(); },
  publicMissing: (one) => { one.public.pop(); },
  publicTooMany: (one) => { one.public.push('0'); },
};
const move = (point) => {
  if (Array.isArray(point[0])) point[0][random.below(2)] = plus(point[0][0], 1n);
  else point[random.below(2)] = plus(point[0], 1n);
};
changes.key = {
  keyCoordinate: ({ vkey }) => move(vkey[random.pick(keyPoints)]),
  keyInfinity: ({ vkey }) => {
    const name = random.pick(keyPoints);
    vkey[name] = infinity(vkey[name]);
  },
  keyGenerator: (one) => {
    const name = random.pick(keyPoints);
    one.vkey[name] = generator(curveOf(one), one.vkey[name]);
  },
  // Of the first alone: where a public value is 0, snarkjs does not see that its point is on no curve.
  icCoordinate: ({ vkey }) => move(vkey.IC[0]),
  icMissing: ({ vkey }) => { vkey.IC.pop(); },
  icNegative: (one) => {
    const point = random.pick(one.vkey.IC);
    if (point[2] === '1') point[1] = negative(curveOf(one).g1.p, point[1]);
  },
  keyNegative: (one) => {
    const at = one.vkey[random.pick(keyPoints)];
    at[1] = negative(curveOf(one).g1.p, at[1]);
  },
  keySwapped: ({ vkey }) => { [vkey.vk_gamma_2, vkey.vk_delta_2] = [vkey.vk_delta_2, vkey.vk_gamma_2]; },
  icSwapped: ({ vkey }) => { if (vkey.IC.length > 1) [vkey.IC[0], vkey.IC[1]] = [vkey.IC[1], vkey.IC[0]]; },
};

// Data that Pail refuses whatever snarkjs makes of it: the same point by other numbers.
const unreduced = (one) => { one.proof.pi_a[0] = plus(one.proof.pi_a[0], curveOf(one).g1.p); };

function verifyHere(one) {
  const paths = ['vkey', 'public', 'proof'].map((file) => {
    const path = join(folder, `${file}.json`);
    writeFileSync(path, JSON.stringify(one[file]));
    return path;
  });
  const done = spawnSync(pail, ['verify', ...paths], { encoding: 'utf8' });
  return { status: done.status, said: (done.stdout + done.stderr).trim() };
}

async function verifyThere(one) {
  try {
    return await snarkjs.groth16.verify(one.vkey, one.public, one.proof);
  } catch {
    return false;
  }
}

let failures = 0;
let valid = 0;
let runs = 0;
async function compare(name, changeName, change) {
  const one = structuredClone(cases[name]);
  change(one);
  const isChanged = JSON.stringify(one) !== JSON.stringify(cases[name]);
  const { status, said } = verifyHere(one);
  runs++;
  if (change === unreduced) {
    if (status === 3) return true;
  } else {
    const theirs = await verifyThere(one);
    valid += theirs;
    if (theirs ? status === 0 : status === 1 || status === 3) return isChanged;
  }
  failures++;
  console.log(`${name}, ${changeName}: Pail's status is ${status}: ${said}`);
  return isChanged;
}

for (const name of Object.keys(cases)) {
  await compare(name, 'nothing', nothing);
  await compare(name, 'publicPlusOrder', publicPlusOrder);
  await compare(name, 'unreduced', unreduced);
}
const changed = { proof: 0, public: 0, key: 0 };
const kinds = Object.keys(changed);
for (let i = 0, n = 0; n < Number(values.runs); i++) {
  const kind = kinds[i % kinds.length];
  const names = Object.keys(changes[kind]);
  const change = names[Math.floor(i / kinds.length) % names.length];
  if (!await compare(random.pick(Object.keys(cases)), change, changes[kind][change])) continue; // there was nothing to change
  changed[kind]++;
  n++;
}
if (Math.min(...Object.values(changed)) < Number(values.runs) / 4) {
  failures++;
  console.log(`too few of one kind: ${JSON.stringify(changed)}`);
}

// A proof that snarkjs's program makes: Pail takes it.
const made = ['proof', 'public'].map((file) => join(folder, `made.${file}.json`));
execFileSync(process.execPath, [join(import.meta.dirname, 'node_modules/snarkjs/build/cli.cjs'), 'groth16', 'prove',
  join(data, 'ledger.zkey'), join(data, 'ledger.wtns'), ...made]);
for (const key of ['ledger.vkey.json', 'ledger.zkey']) {
  const done = spawnSync(pail, ['verify', join(data, key), made[1], made[0]], { encoding: 'utf8' });
  runs++;
  valid++;
  if (done.status !== 0) {
    failures++;
    console.log(`a new proof, ${key}: ${done.stderr}`);
  }
}
const text = readFileSync(made[0], 'utf8');
if (text !== JSON.stringify(JSON.parse(text), null, 1)) {
  failures++;
  console.log('snarkjs writes another layout than that of tests/data');
}

rmSync(folder, { recursive: true });
console.log(`${runs} cases, ${valid} of them valid; changed: ${changed.proof} proofs, ${changed.public} lists of public values, `
  + `${changed.key} keys; seed ${values.seed}: ${failures} failed`);
process.exit(failures === 0 && valid > 0 ? 0 : 1);
