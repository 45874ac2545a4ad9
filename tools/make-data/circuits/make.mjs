// SPDX-License-Identifier: Apache-2.0
// Compiles circuits of this folder with circom, and makes witnesses and insecure keys for them:
//   node make.mjs --setup PROGRAM [--prime bls12381] OUT CIRCUIT:SIZE...
// CIRCUIT is merkle (paths in a tree of Poseidon hashes), sha256 (blocks of a message) or eddsa (signatures). SIZE is how many
// of these, or 2^K: as many as have room in a domain of 2^K. OUT gets CIRCUIT-SIZE.r1cs, .wtns and .zkey, with "2^16" written
// "2p16". PROGRAM is insecure_setup of a build: it knows the secrets of the keys that it makes.
//
// Needs Node.js 20.19 or newer, and `npm ci --no-audit --no-fund --ignore-scripts` in the folder above. circom is a program in
// WebAssembly, and its npm package has no files beyond 2 GiB of memory: sha256:16 takes 1.8, sha256:2^20 more than there is.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as snarkjs from 'snarkjs';
import { MERKLE_DEPTH, eddsa, merkle, sha256, sha256Bytes } from './inputs.mjs';

// constraints: what circom makes of n, which is looked at after each compilation.
const circuits = {
  merkle: {
    main: (n) => `component main {public [root]} = MerkleBatch(${MERKLE_DEPTH}, ${n})`,
    constraints: (n) => 242 * MERKLE_DEPTH * n,
    publics: () => 1,
    inputs: merkle,
  },
  sha256: {
    main: (n) => `component main = Sha256Message(${sha256Bytes(n)})`,
    constraints: (n) => 30840 * n - 675,
    publics: () => 2,
    inputs: sha256,
    everyPrime: true,
  },
  eddsa: {
    main: (n) => `component main {public [key, message]} = EddsaBatch(${n})`,
    constraints: (n) => 4207 * n,
    publics: (n) => 3 * n,
    inputs: eddsa,
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { setup: { type: 'string' }, prime: { type: 'string', default: 'bn128' } },
});
const [folder, ...specs] = positionals;
const here = import.meta.dirname;
if (values.setup === undefined || specs.length === 0) fail('usage: node make.mjs --setup PROGRAM [--prime bls12381] OUT CIRCUIT:SIZE...', 2);
if (!['bn128', 'bls12381'].includes(values.prime)) fail(`--prime ${values.prime}: bn128 or bls12381`, 2);

function fail(sentence, status = 1) {
  console.error(`make.mjs: ${sentence}`);
  process.exit(status);
}

// The rows of the constant and the public values are in the domain, too.
function most(circuit, log2) {
  let n = 0;
  while (circuit.constraints(n + 1) + circuit.publics(n + 1) + 1 <= 2 ** log2) n++;
  return n;
}

function understood(spec) {
  const [, name, power, size] = /^([a-z0-9]+):(2\^)?([0-9]{1,5})$/.exec(spec) ?? [];
  const circuit = circuits[name];
  if (circuit === undefined) fail(`${spec}: is not CIRCUIT:SIZE with a circuit out of ${Object.keys(circuits).join(', ')}`, 2);
  if (values.prime !== 'bn128' && !circuit.everyPrime) fail(`${spec}: its constants are those of bn128 alone`, 2);
  if (power && size > 28) fail(`${spec}: domains end at 2^28`, 2);
  const n = power ? most(circuit, Number(size)) : Number(size);
  if (n === 0) fail(`${spec}: is too small, for the least has ${circuit.constraints(1)} constraints`, 2);
  return { spec, name, circuit, n };
}

async function make({ spec, name, circuit, n }) {
  const work = mkdtempSync(join(out, 'make-'));
  try {
    const begin = performance.now();
    writeFileSync(join(work, 'main.circom'), `pragma circom 2.1.0;\ninclude "${name}.circom";\n${circuit.main(n)};\n`);
    // It opens nothing outside its working directory.
    const compiled = spawnSync(process.execPath, [createRequire(import.meta.url).resolve('circom2/cli.js'), join(work, 'main.circom'),
      '-l', here, '-l', join(here, '../node_modules'), '-o', work, '--r1cs', '--wasm', '--O2', '--prime', values.prime],
    { cwd: '/', encoding: 'utf8' });
    if (compiled.status !== 0) fail(`${spec}: circom: ${(compiled.stdout + compiled.stderr).trim()}`);
    const compiledAt = performance.now();
    const r1cs = join(work, 'main.r1cs');
    const { nConstraints } = await snarkjs.r1cs.info(r1cs);
    if (nConstraints !== circuit.constraints(n)) fail(`${spec}: ${nConstraints} constraints in place of ${circuit.constraints(n)}`);

    const { input, publics } = circuit.inputs(n);
    const wtns = join(work, 'main.wtns');
    await snarkjs.wtns.calculate(input, join(work, 'main_js/main.wasm'), wtns);
    const shown = (await snarkjs.wtns.exportJson(wtns)).slice(1, publics.length + 1);
    if (String(shown) !== String(publics)) fail(`${spec}: the public values are ${shown}, not ${publics}`);
    if (!await snarkjs.wtns.check(r1cs, wtns)) fail(`${spec}: the witness does not satisfy the circuit`);
    const checkedAt = performance.now();

    const zkey = join(work, 'main.zkey');
    execFileSync(resolve(values.setup), ['key', r1cs, zkey], { stdio: 'inherit' });
    const seconds = [compiledAt - begin, checkedAt - compiledAt, performance.now() - checkedAt].map((ms) => (ms / 1000).toFixed(1));
    const file = join(out, spec.replace(':', '-').replace('^', 'p'));
    for (const kind of ['r1cs', 'wtns', 'zkey']) renameSync(join(work, `main.${kind}`), `${file}.${kind}`);
    console.log(`${file}: ${nConstraints} constraints; compiled in ${seconds[0]} s, witness ${seconds[1]} s, key ${seconds[2]} s`);
  } finally {
    rmSync(work, { recursive: true });
  }
}

const out = resolve(folder);
const wanted = specs.map(understood);
mkdirSync(out, { recursive: true });
for (const one of wanted) await make(one);
process.exit(0); // the threads of snarkjs stay
