// SPDX-License-Identifier: Apache-2.0
// `pail witness` writes the bytes of `snarkjs wtns calculate`, for circuits of circomlib over both curves:
//   node witness.mjs PAIL MAKE_DATA [--times N]
// MAKE_DATA is tools/make-data with the packages of npm. --times N prints, for each circuit, the median of N runs of both
// commands with the start of their processes; beside them is the calculation alone: the circuit compiled, run, and its witness
// read, in pail witness and by the script that circom writes.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { times: { type: 'string', default: '0' } } });
if (positionals.length !== 2) {
  console.error('usage: node witness.mjs PAIL MAKE_DATA [--times N]');
  process.exit(2);
}
const pail = resolve(positionals[0]);
const made = resolve(positionals[1]);
const { resolve: find } = createRequire(join(made, 'package.json'));
const inputs = await import(pathToFileURL(join(made, 'circuits/inputs.mjs')));
const folder = mkdtempSync(join(tmpdir(), 'pail-witness-'));

const own = (name, main, n) => ({ include: `${name}.circom`, main, input: inputs[name](n).input });
const circomlib = (file, main, input) => ({ include: `circomlib/circuits/${file}.circom`, main, input });
const bits = (n) => Array.from({ length: n }, (_, i) => (i * 7) % 3 % 2);
const text = (body, input, prime) => ({ text: `template Main() { ${body} } component main = Main();`, input, prime });
const BASE = ['5299619240641551281634865583518297030282874472190772894086521144482721001553',
  '16950150798460657717958625567821834550301663161624707787222815936182638968203'];

const circuits = {
  'a product': text('signal input a; signal input b; signal output c; c <== a * b;', { a: '-3', b: '0x10' }),
  'a product, bls12381': text('signal input a[2]; signal output c; c <== a[0] * a[1];', { a: ['-1', '52435875175126190479447740508185965837690552500527637822603658699938581184512'] }, 'bls12381'),
  'a log': text('signal input a; signal output c; log("a is", a, "of", 7); log(a); c <== a * a;', { a: 123456789012345 }),
  'no inputs': text('signal output c; c <== 5;', {}),
  'arrays': text('signal input a[2][3]; signal input b; signal output c[3]; for (var i = 0; i < 3; i++) c[i] <== a[0][i] * a[1][i] + b;', { a: [[1, 2, 3], [4, 5, 6]], b: true }),
  'a bus': { ...text('', {}), text: 'bus Point() { signal x; signal y; } template Main() { input Point() p; input Point() q[2]; signal output c; c <== p.x * p.y + q[1].x; } component main = Main();',
    input: { p: { x: 2, y: 3 }, q: [{ x: 1, y: 1 }, { x: 7, y: 2 }] }, alone: [1n, 13n] },
  'bits': circomlib('bitify', 'Num2Bits(253)', { in: '7'.repeat(70) }),
  'bits, bls12381': { ...circomlib('bitify', 'Num2Bits(252)', { in: '7'.repeat(70) }), prime: 'bls12381' },
  'a comparison': circomlib('comparators', 'LessThan(64)', { in: ['18446744073709551615', '3'] }),
  'a division': circomlib('comparators', 'IsEqual()', { in: [5, '5'] }),
  'a multiplexer': circomlib('mux4', 'Mux4()', { c: Array.from({ length: 16 }, (_, i) => i * i), s: [1, 0, 1, 1] }),
  'a sum': circomlib('binsum', 'BinSum(32, 4)', { in: [bits(32), bits(32), bits(32), bits(32)] }),
  'MiMC': circomlib('mimc', 'MiMC7(91)', { x_in: '12', k: '45' }),
  'a sponge': circomlib('mimcsponge', 'MiMCSponge(4, 220, 2)', { ins: [1, 2, 3, 4], k: 0 }),
  'Pedersen': circomlib('pedersen', 'Pedersen(256)', { in: bits(256) }),
  'a point': circomlib('escalarmulany', 'EscalarMulAny(254)', { e: bits(254), p: BASE }),
  'Baby Jubjub': circomlib('babyjub', 'BabyPbk()', { in: '987654321' }),
  'Poseidon': circomlib('poseidon', 'Poseidon(6)', { inputs: [1, 2, 3, 4, 5, 6] }),
  'a Merkle path': own('merkle', `MerkleBatch(${inputs.MERKLE_DEPTH}, 1)`, 1),
  'a signature': own('eddsa', 'EddsaBatch(1)', 1),
  'SHA-256': own('sha256', `Sha256Message(${inputs.sha256Bytes(1)})`, 1),
  'SHA-256, bls12381': { ...own('sha256', `Sha256Message(${inputs.sha256Bytes(1)})`, 1), prime: 'bls12381' },
};

function compiled(name, { include, main, text: source, prime = 'bn128' }) {
  const file = join(folder, 'main.circom');
  writeFileSync(file, `pragma circom 2.2.0;\n${source ?? `include "${include}";\ncomponent main = ${main};`}\n`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [find('circom2/cli.js'), file, '-l', join(made, 'circuits'), '-l', join(made, 'node_modules'),
    '-o', folder, '--wasm', '--O1', '--prime', prime], { cwd: '/', encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name}: circom: ${stdout}${stderr}`);
  return join(folder, 'main_js/main.wasm');
}

function timed(run) {
  const took = [];
  for (let i = 0; i < Math.max(1, Number(values.times)); i++) {
    const begin = performance.now();
    run();
    took.push(performance.now() - begin);
  }
  return took.sort((a, b) => a - b)[took.length >> 1];
}

// The calculation alone, by circom's own script in a process of its own, which prints milliseconds.
const alone = `
  const [, , wasm, input, builder] = process.argv;
  (async () => {
    const [bytes, values, make] = [require('fs').readFileSync(wasm), JSON.parse(require('fs').readFileSync(input), (_, value) => (typeof value === 'number' ? String(value) : value)), require(builder)];
    const begin = performance.now();
    await (await make(bytes)).calculateWTNSBin(values, 0);
    console.log(performance.now() - begin);
  })();`;

let failures = 0;
const rows = [];
try {
  const script = join(folder, 'alone.js');
  writeFileSync(script, alone);
  for (const [name, circuit] of Object.entries(circuits)) {
    const wasm = compiled(name, circuit);
    const [json, ours, theirs] = ['input.json', 'ours.wtns', 'theirs.wtns'].map((file) => join(folder, file));
    writeFileSync(json, JSON.stringify(circuit.input, (_, value) => (typeof value === 'bigint' ? `${value}` : value)));
    for (const file of [ours, theirs]) rmSync(file, { force: true });
    const quiet = { stdio: ['ignore', 'ignore', 'ignore'] };
    const run = (file, ...words) => execFileSync(file, words, quiet);
    const row = { circuit: name, pail: timed(() => run(pail, 'witness', wasm, json, ours)) };
    if (circuit.alone) { // snarkjs knows no buses
      const bytes = readFileSync(ours);
      for (const [i, value] of circuit.alone.entries()) if (bytes.readBigUInt64LE(76 + 32 * i) !== value) failures++;
      continue;
    }
    row.snarkjs = timed(() => run(process.execPath, find('snarkjs').replace(/build\/main\.cjs$|main\.js$/, 'cli.js').replace('build/cli.js', 'build/cli.cjs'), 'wtns', 'calculate', wasm, json, theirs));
    if (!readFileSync(ours).equals(readFileSync(theirs))) {
      failures++;
      console.log(`${name}: another witness than that of snarkjs`);
    }
    if (Number(values.times) > 0) {
      row.pailAlone = JSON.parse(execFileSync(pail, ['witness', '--json', wasm, json, ours], { stdio: ['ignore', 'pipe', 'ignore'] })).circuit_ms;
      const builder = join(folder, 'main_js/witness_calculator.js');
      row.circomAlone = Number(execFileSync(process.execPath, [script, wasm, json, builder], { encoding: 'utf8' }).trim().split('\n').at(-1));
    }
    rows.push(row);
  }
} finally {
  rmSync(folder, { recursive: true });
}
if (Number(values.times) > 0) {
  const line = (...cells) => console.log(cells.map((cell, i) => (i === 0 ? cell.padEnd(22) : String(cell).padStart(14))).join(''));
  line('ms', 'pail', 'snarkjs', 'ratio', 'pail alone', 'circom alone');
  for (const row of rows) {
    line(row.circuit, ...[row.pail, row.snarkjs].map((ms) => ms.toFixed(0)), (row.snarkjs / row.pail).toFixed(1), ...[row.pailAlone, row.circomAlone].map((ms) => ms.toFixed(1)));
  }
}
console.log(`${rows.length} witnesses, ${failures} failures`);
process.exitCode = failures > 0 || rows.length < 20 ? 1 : 0;
