// Compares `pail msm` with @noble/curves on random inputs:
//   node differential.mjs PAIL [--runs N] [--seed S] [--max-n N] [-- arguments for pail msm]
// Every failure prints the seed of its run; --runs 1 --seed SEED plays it again and keeps the files.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { G1, describe, msm, writeG1, writeInt } from './bn254.mjs';
import { Random, kinds } from './cases.mjs';

const split = process.argv.indexOf('--', 2);
const own = process.argv.slice(2, split < 0 ? undefined : split);
const passed = split < 0 ? [] : process.argv.slice(split + 1);
const { values, positionals } = parseArgs({
  args: own,
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now()) },
    'max-n': { type: 'string', default: '300' },
  },
});
if (positionals.length !== 1) {
  console.error('usage: node differential.mjs PAIL [--runs N] [--seed S] [--max-n N] [-- arguments for pail msm]');
  process.exit(2);
}
const pail = positionals[0];
const runs = Number(values.runs);
const maxN = Number(values['max-n']);

const folder = mkdtempSync(join(tmpdir(), 'pail-differential-'));
const bases = join(folder, 'bases');
const scalars = join(folder, 'scalars');
let failures = 0;

for (let run = 0; run < runs; run++) {
  const seed = runs === 1 ? values.seed : `${values.seed}.${run}`;
  const random = new Random(seed);
  const kind = random.pick(Object.keys(kinds));
  const n = random.below(maxN + 1);
  const encoding = random.pick(['montgomery', 'canonical']);
  const input = kinds[kind](random, n);
  const expected = describe(msm(G1, input.points, input.scalars));
  writeFileSync(bases, writeG1(input.points, encoding));
  writeFileSync(scalars, Buffer.concat(input.scalars.map(writeInt)));

  const command = ['msm', '--curve', 'bn254', '--group', 'g1', '--bases', bases, '--scalars', scalars,
    '--encoding', encoding, '--json', ...passed];
  let got;
  try {
    const { infinity, x, y } = JSON.parse(execFileSync(pail, command, { encoding: 'utf8' }));
    got = { infinity, x, y };
  } catch (error) {
    got = { error: error.message };
  }
  if (JSON.stringify(got) !== JSON.stringify(expected)) {
    failures++;
    console.log(`seed ${seed}: ${kind}, n = ${n}, ${encoding}\n  expected ${JSON.stringify(expected)}` +
      `\n  got      ${JSON.stringify(got)}`);
  }
}

if (failures > 0 && runs === 1) console.log(`kept ${folder}`);
else rmSync(folder, { recursive: true });
console.log(`${runs} runs, seed ${values.seed}: ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
