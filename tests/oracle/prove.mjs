// SPDX-License-Identifier: Apache-2.0
// snarkjs takes the proofs of `pail prove`, and Pail those of snarkjs, with the same keys and witnesses:
//   node prove.mjs PAIL SETUP DATA [--backend NAME]...
//   node prove.mjs PAIL --circuits FOLDER [--backend NAME]...
// SETUP is the program insecure_setup of the build, DATA is tests/data. Circuits are made up, over both curves, with no
// public values and with one other value, at domains that a circuit just fits and just does not. (Without any other value
// snarkjs cannot prove.) Of keys in which two points have changed places, both refuse the same. FOLDER has keys and witnesses
// as tools/make-data/circuits/make.mjs makes them, each NAME.zkey with NAME.wtns. Each backend proves; snarkjs once, for all.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as snarkjs from 'snarkjs';
import { Random } from './cases.mjs';

const SECTIONS = [5, 6, 7, 8, 9]; // points of a key: each changed in a key of each curve

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { backend: { type: 'string', multiple: true, default: ['cpu'] }, circuits: { type: 'string' } },
});
if (positionals.length !== (values.circuits === undefined ? 3 : 1)) {
  console.error('usage: node prove.mjs PAIL SETUP DATA [--backend NAME]..., or PAIL --circuits FOLDER [--backend NAME]...');
  process.exit(2);
}
const [pail, setup, data] = positionals;
const folder = mkdtempSync(join(tmpdir(), 'pail-prove-'));
const read = (path) => JSON.parse(readFileSync(path));

const cases = [];
function takeCircuits() {
  for (const file of readdirSync(values.circuits).sort()) {
    if (!file.endsWith('.zkey')) continue;
    const name = file.slice(0, -'.zkey'.length);
    cases.push([name, join(values.circuits, file), join(values.circuits, `${name}.wtns`)]);
  }
}

async function makeUp() {
  cases.push(['ledger', join(data, 'ledger.zkey'), join(data, 'ledger.wtns')]);
  for (const curve of ['bn254', 'bls12-381']) {
    for (const [constraints, publics] of [[1, 1], [7, 0], [8, 0], [30, 30], [300, 2]]) {
      const name = `${curve}, ${constraints} constraints, ${publics} public`;
      const [r1cs, wtns, zkey] = ['r1cs', 'wtns', 'zkey'].map((file) => join(folder, `${curve}-${constraints}-${publics}.${file}`));
      execFileSync(setup, ['circuit', curve, String(constraints), String(publics), r1cs, wtns]);
      execFileSync(setup, ['key', r1cs, zkey]);
      if (!await snarkjs.wtns.check(r1cs, wtns)) throw new Error(`${name}: the witness does not satisfy the circuit`);
      cases.push([name, zkey, wtns]);
    }
  }
}

if (values.circuits === undefined) await makeUp();
else takeCircuits();

let failures = 0;
let runs = 0;
function expect(what, good) {
  runs++;
  if (good) return;
  failures++;
  console.log(`${what}: failed`);
}

const verifies = (...files) => spawnSync(pail, ['verify', ...files]).status === 0;

const [proof, publics] = ['proof.json', 'public.json'].map((file) => join(folder, file));
const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
for (const [name, zkey, wtns] of cases) {
  const key = await snarkjs.zKey.exportVerificationKey(zkey);
  const theirs = await snarkjs.groth16.prove(zkey, wtns);
  const [theirProof, theirPublics] = ['their.proof.json', 'their.public.json'].map((file) => join(folder, file));
  writeFileSync(theirProof, JSON.stringify(theirs.proof));
  writeFileSync(theirPublics, JSON.stringify(theirs.publicSignals));
  expect(`${name}: the proof of snarkjs`, verifies(zkey, theirPublics, theirProof));
  for (const backend of values.backend) {
    const here = `${name}, ${backend}`;
    execFileSync(pail, ['prove', '--backend', backend, '--no-check', zkey, wtns, proof, publics], quiet);
    // Without public values snarkjs's verifier fails by itself, of its own proofs as well.
    if (read(publics).length > 0) expect(`${here}: Pail's proof`, await snarkjs.groth16.verify(key, read(publics), read(proof)));
    expect(`${here}: Pail's proof, by Pail`, verifies(zkey, publics, proof));
    expect(`${here}: public values`, JSON.stringify(theirs.publicSignals) === JSON.stringify(read(publics)));
    expect(`${here}: the layout of a proof`, readFileSync(proof, 'utf8') === JSON.stringify(read(proof), null, 1));
    expect(`${here}: names and order`, Object.keys(theirs.proof).join() === Object.keys(read(proof)).join());
  }
}

// A key of which two points have changed places gives both the same: a proof that is valid, because the two stand for the same
// number in this witness, or that is not.
function swapped(bytes, random, section) {
  const changed = Buffer.from(bytes);
  const at = {};
  for (let i = 12; i < changed.length; i += 12 + Number(changed.readBigUInt64LE(i + 4))) {
    at[changed.readUInt32LE(i)] = { from: i + 12, size: Number(changed.readBigUInt64LE(i + 4)) };
  }
  const n8 = changed.readUInt32LE(at[2].from);
  const pointBytes = n8 * (section === 7 ? 4 : 2);
  const { from, size } = at[section];
  const [p, q] = [0, 1].map(() => from + pointBytes * random.below(size / pointBytes));
  const kept = Buffer.from(changed.subarray(p, p + pointBytes));
  changed.copy(changed, p, q, q + pointBytes);
  kept.copy(changed, q);
  return changed;
}

const random = new Random('keys');
let refused = 0;
for (const [name, zkey, wtns] of values.circuits === undefined ? cases.filter(([caseName]) => caseName.includes('300')) : []) {
  const key = await snarkjs.zKey.exportVerificationKey(zkey);
  const changed = join(folder, 'changed.zkey');
  for (const section of SECTIONS) {
    writeFileSync(changed, swapped(readFileSync(zkey), random, section));
    const theirs = await snarkjs.groth16.prove(changed, wtns);
    const valid = await snarkjs.groth16.verify(key, theirs.publicSignals, theirs.proof);
    const { status } = spawnSync(pail, ['prove', '--backend', values.backend[0], changed, wtns, proof, publics]);
    expect(`${name}: changed section ${section}, exit status ${status}`, status === (valid ? 0 : 1));
    refused += !valid;
  }
}
if (values.circuits === undefined) expect(`${refused} changed keys refused`, refused >= SECTIONS.length);

rmSync(folder, { recursive: true });
console.log(`${runs} comparisons over ${cases.length} keys: ${failures} failed`);
process.exit(failures === 0 && runs > 0 ? 0 : 1);
