// snarkjs takes the proofs of `pail prove`, and Pail those of snarkjs, with the same keys and witnesses:
//   node prove.mjs PAIL SETUP DATA [--backend NAME]
//   node prove.mjs PAIL --circuits FOLDER [--backend NAME]
// SETUP is the program insecure_setup of the build, DATA is tests/data. Circuits are made up, over both curves, with no
// public values and with one other value, at domains that a circuit just fits and just does not. (Without any other value
// snarkjs cannot prove.) FOLDER has keys and witnesses as tools/make-data/circuits/make.mjs makes them, each NAME.zkey with
// NAME.wtns.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as snarkjs from 'snarkjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { backend: { type: 'string', default: 'cpu' }, circuits: { type: 'string' } },
});
if (positionals.length !== (values.circuits === undefined ? 3 : 1)) {
  console.error('usage: node prove.mjs PAIL SETUP DATA [--backend NAME], or PAIL --circuits FOLDER [--backend NAME]');
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
  execFileSync(pail, ['prove', '--backend', values.backend, '--no-check', zkey, wtns, proof, publics], quiet);
  // Without public values snarkjs's verifier fails by itself, of its own proofs as well.
  if (read(publics).length > 0) expect(`${name}: Pail's proof`, await snarkjs.groth16.verify(key, read(publics), read(proof)));
  expect(`${name}: Pail's proof, by Pail`, verifies(zkey, publics, proof));
  const theirs = await snarkjs.groth16.prove(zkey, wtns);
  const [theirProof, theirPublics] = ['their.proof.json', 'their.public.json'].map((file) => join(folder, file));
  writeFileSync(theirProof, JSON.stringify(theirs.proof));
  writeFileSync(theirPublics, JSON.stringify(theirs.publicSignals));
  expect(`${name}: the proof of snarkjs`, verifies(zkey, theirPublics, theirProof));
  expect(`${name}: public values`, JSON.stringify(theirs.publicSignals) === JSON.stringify(read(publics)));
  expect(`${name}: the layout of a proof`, readFileSync(proof, 'utf8') === JSON.stringify(read(proof), null, 1));
  expect(`${name}: names and order`, Object.keys(theirs.proof).join() === Object.keys(read(proof)).join());
}
rmSync(folder, { recursive: true });
console.log(`${runs} comparisons over ${cases.length} keys: ${failures} failed`);
process.exit(failures === 0 && runs > 0 ? 0 : 1);
