// SPDX-License-Identifier: Apache-2.0
// Compares `pail msm` with @noble/curves on random inputs:
//   node differential.mjs PAIL [--runs N] [--seed S] [--max-n N] [--curve C] [--group G] [--kind K] [--knobs] [-- arguments for pail msm]
// Curve, group and kind of input are random unless given; points of the second group are a quarter as many. Every failure
// prints the seed of its run; --runs 1 --seed SEED plays it again and keeps the files. With --knobs the accumulator's slots,
// placement and workgroup, the window and the batches are random too: for backends that have them. There a run takes seconds
// to make pipelines, of a second group many: accumulators, and curves and groups, take turns from one run to the next, so
// that few runs have each.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pippenger } from '@noble/curves/abstract/curve.js';
import { Random, kinds, outside } from './cases.mjs';
import { bigEndian, canonical, concat, describe, forms, groups, hex, littleEndian, montgomery } from './forms.mjs';

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
    curve: { type: 'string' },
    group: { type: 'string' },
    kind: { type: 'string' },
    knobs: { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1) {
  console.error('usage: node differential.mjs PAIL [--runs N] [--seed S] [--max-n N] [--curve C] [--group G] [--kind K] [--knobs] [-- arguments for pail msm]');
  process.exit(2);
}
const pail = positionals[0];
const runs = Number(values.runs);
const maxN = Number(values['max-n']);

const folder = mkdtempSync(join(tmpdir(), 'pail-differential-'));
const file = (name, bytes) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

// Without a subgroup to count modulo r in: doublings and additions.
function plainSum(g, points, scalars) {
  let sum = g.Point.ZERO;
  for (let bit = 255n; bit >= 0n; bit--) {
    sum = sum.double();
    points.forEach((point, i) => { if ((scalars[i] >> bit) & 1n) sum = sum.add(point); });
  }
  return sum;
}

// The number at the end of a seed, which is that of a run.
const turnOf = (seed) => Number(/\.(\d+)$/.exec(seed)?.[1] ?? 0);
const inTurn = (list, turn) => list[turn % list.length];

function randomKnobs(random, turn) {
  const accumulator = inTurn(['xyzz', 'walker', 'coop', 'debug'], turn + Math.floor(turn / 4)); // another one for each four runs
  const knobs = ['--accumulator', accumulator, '--window', 2 + random.below(10), '--batches', random.below(6),
    '--tpb', random.pick([16, 32, 64]), '--residency', random.pick(['device', 'host'])];
  if (accumulator !== 'debug') knobs.push('--threads', random.pick([0, 1, 7, 300]));
  if (accumulator === 'walker' || accumulator === 'coop')
    knobs.push('--slots', 1 + random.below(8), '--placement', random.pick(['private', 'workgroup', 'device']));
  if (accumulator === 'coop') knobs.push('--inversion-group', random.pick([1, 2, 4, 8, 16]));
  return knobs.map(String);
}

function makeRun(random, turn) {
  const curves = Object.keys(groups);
  const curve = values.curve ?? (values.knobs ? inTurn(curves, turn) : random.pick(curves));
  const group = values.group ?? (values.knobs ? inTurn(['g1', 'g1', 'g2', 'g2'], turn) : random.pick(['g1', 'g2']));
  const g = groups[curve][group];
  const names = Object.keys(kinds);
  if (g !== groups.bn254.g1) names.push('outside');
  const kind = values.kind ?? random.pick(names);
  const limit = group === 'g2' ? Math.ceil(maxN / 4) : maxN;
  const n = random.below((kind === 'outside' ? Math.min(limit, 20) : limit) + 1);
  const encodings = ['montgomery', 'canonical'];
  // Pairs must be of the subgroup, and of EIP-2537 at least one.
  if (kind !== 'outside' && n > 0) encodings.push(curve === 'bn254' ? 'eip196' : 'eip2537');
  const encoding = random.pick(encodings);
  const { points, scalars } = kind === 'outside' ? outside(random, n, g) : kinds[kind](random, n, g);
  const sum = kind === 'outside' ? plainSum(g, points, scalars) : pippenger(g.Point, points, scalars.map((k) => k % g.r));
  const knobs = values.knobs ? randomKnobs(random, turn) : [];
  return { curve, group, g, kind, n, encoding, points, scalars, sum, knobs };
}

function commandOf({ curve, group, g, encoding, points, scalars, knobs }) {
  const command = ['msm', '--group', group, '--encoding', encoding, '--json', ...knobs];
  if (encoding.startsWith('eip')) {
    const pairs = points.flatMap((point, i) => [forms[encoding].encode(g, point), bigEndian(scalars[i], 32)]);
    return [...command, '--pairs', file('pairs', concat(pairs)), ...passed];
  }
  const write = encoding === 'montgomery' ? montgomery : canonical;
  return [...command, '--curve', curve, '--bases', file('bases', concat(points.map((point) => write(g, point)))),
    '--scalars', file('scalars', concat(scalars.map((k) => littleEndian(k, 32)))), ...passed];
}

let failures = 0;
for (let run = 0; run < runs; run++) {
  const seed = runs === 1 ? values.seed : `${values.seed}.${run}`;
  const one = makeRun(new Random(seed), turnOf(seed));
  const expected = describe(one.g, one.sum);
  if (one.encoding.startsWith('eip')) expected.encoded = hex(forms[one.encoding].encode(one.g, one.sum));
  let got;
  try {
    const { infinity, x, y, encoded } = JSON.parse(execFileSync(pail, commandOf(one), { encoding: 'utf8' }));
    got = { infinity, x, y, encoded };
  } catch (error) {
    got = { error: error.message };
  }
  if (JSON.stringify(got) !== JSON.stringify(expected)) {
    failures++;
    console.log(`seed ${seed}: ${one.curve} ${one.group}, ${one.kind}, n = ${one.n}, ${one.encoding} ${one.knobs.join(' ')}\n` +
      `  expected ${JSON.stringify(expected)}\n  got      ${JSON.stringify(got)}`);
  }
}

if (failures > 0 && runs === 1) console.log(`kept ${folder}`);
else rmSync(folder, { recursive: true });
console.log(`${runs} runs, seed ${values.seed}: ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
