// SPDX-License-Identifier: Apache-2.0
// Fuzzes whole multiplications against @noble/curves, and shrinks what fails:
//   node fuzz.mjs ANSWERS [--backend B] [--cases N] [--seconds S] [--seed S] [--max-n N] [--curve C] [--group G] [--knobs] [--case JSON] [--prove]
// ANSWERS is the program oracle_answers of the build, which stays open: many cases a second. Curve, group, form of points and
// scalars, jobs, offsets, duplicates, opposites, infinities, points outside the subgroup and special scalars are random; with
// --knobs accumulator, window, batches and the like too, for backends that have them. A case that fails is made smaller
// for as long as it fails, and printed as JSON; --case runs one again. --prove: a difference is made up for a certain kind of
// case, which has to be found and shrunk to the least that has it.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { Random, edgeScalars } from './cases.mjs';
import { canonical, concat, forms, groups, hex, littleEndian, montgomery, outsideSubgroup } from './forms.mjs';

const usage = 'usage: node fuzz.mjs ANSWERS [--backend B] [--cases N] [--seconds S] [--seed S] [--max-n N] [--curve C] [--group G] [--knobs] [--case JSON] [--prove]';
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    backend: { type: 'string', default: 'cpu' },
    cases: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now()) },
    'max-n': { type: 'string', default: '60' },
    curve: { type: 'string' },
    group: { type: 'string' },
    knobs: { type: 'boolean', default: false },
    case: { type: 'string' },
    prove: { type: 'boolean', default: false },
  },
});
if (positionals.length !== 1) {
  console.error(usage);
  process.exit(2);
}
const seconds = Number(values.seconds ?? Infinity);
const cases = Number(values.cases ?? (values.seconds === undefined ? 200 : Infinity));
const maxN = Number(values['max-n']);

// ---- The process under test ----
class Answers {
  start() {
    this.child = spawn(positionals[0], [values.backend], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.waiting = null;
    this.child.stdin.on('error', () => {}); // it has ended, which `exit` tells
    createInterface({ input: this.child.stdout }).on('line', (line) => this.answer(JSON.parse(line)));
    this.child.on('error', (error) => { console.error(error.message); process.exit(2); });
    this.child.on('exit', (code, signal) => {
      if (!this.answered) { // it cannot begin, which no case is to blame for
        console.error(`${positionals[0]} ended with ${signal ?? code} before any answer`);
        process.exit(2);
      }
      this.child = null;
      this.answer({ status: `the process ended with ${signal ?? code}` });
    });
  }

  answer(value) {
    this.answered = true;
    this.waiting?.(value);
    this.waiting = null;
  }

  ask(line) {
    if (!this.child) this.start();
    return new Promise((resolve) => {
      this.waiting = resolve;
      this.child.stdin.write(JSON.stringify(line) + '\n');
    });
  }

  end() {
    this.child?.stdin.end();
  }
}

// ---- Cases ----
// A case is small and says everything: items are [point, scalar], a point being the multiple of the generator, "0" for infinity,
// or "o" and a number for a point outside the subgroup; scalars are decimal.
const known = new Map();

function pointOf(g, name) {
  const key = `${g.p}.${g.parts}.${name}`;
  if (!known.has(key)) {
    let point = g.Point.ZERO;
    if (name.startsWith('o')) point = outsideSubgroup(g, BigInt(name.slice(1)));
    else if (BigInt(name) !== 0n) point = g.Point.BASE.multiply(((BigInt(name) % g.r) + g.r) % g.r);
    known.set(key, point);
  }
  return known.get(key);
}

const isPlain = (c) => c.items.some(([point]) => point.startsWith('o'));

// The integer that a scalar's bytes mean; what is in Montgomery form is below r.
const meant = (c, g, scalar) => (c.scalars === 'montgomery' ? BigInt(scalar) % g.r : BigInt(scalar));

function expectedOf(c, job) {
  const g = groups[c.curve][c.group];
  const items = c.items.slice(job.offset, job.offset + job.n).map(([point], i) => [point, meant(c, g, c.items[i][1])]);
  let multiple = 0n; // of the generator
  let sum = g.Point.ZERO;
  for (const [point, scalar] of items) {
    if (!point.startsWith('o')) multiple += BigInt(point) * scalar;
    else sum = sum.add(plain(g, pointOf(g, point), scalar));
  }
  multiple = ((multiple % g.r) + g.r) % g.r;
  return multiple === 0n ? sum : sum.add(g.Point.BASE.multiply(multiple));
}

// Calls in which a scalar is no number modulo r.
function plain(g, point, scalar) {
  let sum = g.Point.ZERO;
  for (let bit = 255n; bit >= 0n; bit--) {
    sum = sum.double();
    if ((scalar >> bit) & 1n) sum = sum.add(point);
  }
  return sum;
}

function lineOf(c) {
  const g = groups[c.curve][c.group];
  const write = { canonical, montgomery }[c.form] ?? forms[c.form].encode;
  const radix = c.scalars === 'montgomery' ? 1n << 256n : 1n;
  return {
    curve: c.curve, group: c.group, form: c.form, scalar_form: c.scalars, validation: c.validation, jobs: c.jobs, knobs: c.knobs,
    points: hex(concat(c.items.map(([point]) => write(g, pointOf(g, point))))),
    scalars: hex(concat(c.items.map(([, s]) => littleEndian(radix === 1n ? BigInt(s) : (meant(c, g, s) * radix) % g.r, 32)))),
  };
}

function randomKnobs(random) {
  const accumulator = random.pick(['auto', 'xyzz', 'walker', 'coop', 'debug']);
  const knobs = { accumulator, window: 2 + random.below(10), batches: random.below(6), residency: random.pick(['device', 'host']) };
  if (accumulator !== 'debug') knobs.threads = random.pick([0, 1, 7, 300]);
  if (accumulator === 'walker' || accumulator === 'coop') knobs.slots = 1 + random.below(8);
  if (accumulator === 'coop') knobs['inversion-group'] = random.pick([1, 2, 4, 8, 16]);
  return Object.fromEntries(Object.entries(knobs).filter(() => random.below(2)).map(([key, value]) => [key, String(value)]));
}

function randomItem(random, g, items, outside) {
  const shape = random.below(8);
  let point = String(1 + random.below(40));
  if (shape === 0) point = '0';
  else if (shape === 1 && items.length) point = random.pick(items)[0];
  else if (shape === 2 && items.length && !items[0][0].startsWith('o')) point = String(-BigInt(random.pick(items.filter(([p]) => !p.startsWith('o')))?.[0] ?? 1));
  else if (shape === 3) point = String(g.r - 1n - BigInt(random.below(3)));
  else if (outside && shape < 6) point = `o${1 + random.below(8)}`;
  const kind = random.below(5);
  let scalar = random.integer();
  if (kind === 0) scalar = random.pick(edgeScalars(g));
  else if (kind === 1 && items.length) scalar = BigInt(random.pick(items)[1]);
  else if (kind === 2) scalar = random.integer(1 + random.below(256));
  else if (kind === 3) scalar = BigInt(random.below(4));
  return [point, String(scalar)];
}

function randomCase(random) {
  const curve = values.curve ?? random.pick(Object.keys(groups));
  const group = values.group ?? random.pick(['g1', 'g1', 'g2']);
  const g = groups[curve][group];
  const outside = g !== groups.bn254.g1 && random.below(6) === 0;
  const items = [];
  const n = outside ? random.below(9) : random.below(1 + random.below(maxN + 1));
  while (items.length < n) items.push(randomItem(random, g, items, outside));
  const others = Object.keys(forms).filter((name) => forms[name].curve === curve);
  const jobs = [];
  do {
    const offset = random.below(4) ? 0 : random.below(n + 1);
    jobs.push({ offset, n: random.below(3) ? n - offset : random.below(n - offset + 1) });
  } while (jobs.length < 4 && random.below(4) === 0);
  const c = { curve, group, form: random.pick(['canonical', 'montgomery', ...others]), scalars: random.pick(['canonical', 'canonical', 'montgomery']),
    validation: random.pick(['none', 'curve', 'subgroup']), items, jobs, knobs: values.knobs ? randomKnobs(random) : {} };
  if (isPlain(c)) {
    c.scalars = 'canonical';
    if (c.validation === 'subgroup') c.validation = 'curve';
  }
  return c;
}

// ---- Verdicts ----
const refusals = ['PAIL_ERR_UNSUPPORTED', 'PAIL_ERR_ARGUMENT'];

// Two equal points with scalars that are both odd, in one job: made up for --prove.
function madeUp(c, job) {
  const items = c.items.slice(job.offset, job.offset + job.n).map(([point], i) => [point, BigInt(c.items[i][1])]);
  return items.some(([p, s], i) => p !== '0' && s & 1n && items.slice(0, i).some(([q, t]) => p === q && t & 1n));
}

// Nothing where all is well; a case that the backend does not take with its knobs is none.
async function complaint(answers, c) {
  const got = await answers.ask(lineOf(c));
  const set = Object.keys(c.knobs).length > 0;
  if (got.status !== 'PAIL_OK') return set && refusals.includes(got.status) ? undefined : `${got.status}: ${got.sentence ?? ''}`;
  if (got.results.length !== c.jobs.length) return `${got.results.length} results for ${c.jobs.length} jobs`;
  for (const [i, job] of c.jobs.entries()) {
    const g = groups[c.curve][c.group];
    const sum = expectedOf(c, job);
    let wanted = hex(canonical(g, sum));
    if (values.prove && madeUp(c, job)) wanted = 'made up';
    const { point, infinity } = got.results[i];
    if (point !== wanted || infinity !== sum.is0()) return `job ${i}: expected ${wanted}, got ${point}`;
  }
  return undefined;
}

// ---- Shrinking ----
// Without items from .. from + n - 1; jobs keep what is left of theirs.
function without(c, from, n) {
  const items = c.items.filter((_, i) => i < from || i >= from + n);
  const jobs = c.jobs.map((job) => {
    const offset = Math.min(job.offset, items.length);
    return { offset, n: Math.min(job.n, items.length - offset) };
  });
  return { ...c, items, jobs };
}

const withItem = (c, i, item) => ({ ...c, items: c.items.map((old, k) => (k === i ? item : old)) });

// Smaller cases, the boldest first.
function* smaller(c) {
  for (let n = c.items.length; n >= 1; n = Math.floor(n / 2))
    for (let from = 0; from < c.items.length; from += n) yield without(c, from, n);
  for (let i = 0; c.jobs.length > 1 && i < c.jobs.length; i++) yield { ...c, jobs: c.jobs.filter((_, k) => k !== i) };
  for (const key of Object.keys(c.knobs)) yield { ...c, knobs: Object.fromEntries(Object.entries(c.knobs).filter(([k]) => k !== key)) };
  for (const [key, plainest] of [['form', 'canonical'], ['scalars', 'canonical'], ['validation', 'none'], ['group', 'g1'], ['curve', 'bn254']]) {
    const next = { ...c, [key]: plainest };
    if (key === 'curve' && !['canonical', 'montgomery'].includes(next.form)) continue; // goes with the curve
    if (c[key] !== plainest && !(isPlain(c) && (key === 'group' || key === 'curve'))) yield next;
  }
  for (const [i, job] of c.jobs.entries()) {
    const jobs = (one) => c.jobs.map((old, k) => (k === i ? one : old));
    if (job.offset > 0) yield { ...c, jobs: jobs({ offset: 0, n: job.n }) };
    if (job.n > 0) yield { ...c, jobs: jobs({ offset: job.offset, n: job.n - 1 }) };
  }
  for (const [i, [point, scalar]] of c.items.entries()) {
    for (const p of ['0', '1', '2']) if (point !== p && !(point === '1' && p === '2') && point !== '0') yield withItem(c, i, [p, scalar]);
    const s = BigInt(scalar);
    for (const t of [0n, 1n, s >> 128n, s >> 32n, s >> 1n, s - 1n]) if (t >= 0n && t < s) yield withItem(c, i, [point, String(t)]);
  }
  // Equal things together, so that they stay equal.
  for (const name of new Set(c.items.map(([point]) => point)))
    if (!['0', '1'].includes(name)) yield { ...c, items: c.items.map(([p, s]) => [p === name ? '1' : p, s]) };
  for (const name of new Set(c.items.map(([, scalar]) => scalar)))
    if (BigInt(name) > 1n) yield { ...c, items: c.items.map(([p, s]) => [p, s === name ? String(BigInt(name) >> 1n) : s]) };
}

async function shrink(answers, c) {
  let tries = 0;
  for (let found = true; found && tries < 3000;) {
    found = false;
    for (const next of smaller(c)) {
      if (++tries > 3000) break;
      if ((await complaint(answers, next)) !== undefined) {
        c = next;
        found = true;
        break;
      }
    }
  }
  return c;
}

// ---- Run ----
async function main() {
  const answers = new Answers();
  const begin = Date.now();
  let failed = 0;
  let done = 0;
  const report = async (c, name) => {
    failed++;
    const least = await shrink(answers, c);
    console.log(`${name}: ${await complaint(answers, least)}\n  of ${c.items.length} points, shrunk to ${least.items.length}; again:\n` +
      `  node fuzz.mjs ${positionals[0]} --backend ${values.backend}${values.prove ? ' --prove' : ''} --case '${JSON.stringify(least)}'`);
    return least;
  };
  if (values.case !== undefined) {
    const said = await complaint(answers, JSON.parse(values.case));
    console.log(said ?? 'right');
    answers.end();
    return said === undefined ? 0 : 1;
  }
  for (; done < cases && (Date.now() - begin) / 1000 < seconds && failed < 5; done++) {
    const name = `seed ${values.seed}.${done}`;
    const c = randomCase(new Random(`${values.seed}.${done}`));
    if ((await complaint(answers, c)) === undefined) continue;
    const least = await report(c, name);
    if (!values.prove) continue;
    answers.end();
    const good = least.items.length === 2 && least.jobs.length === 1 && least.items.every(([p, s]) => p === '1' && s === '1') &&
      least.form === 'canonical' && least.curve === 'bn254' && least.group === 'g1' && Object.keys(least.knobs).length === 0;
    console.log(good ? 'shrunk to the least case' : 'this is not the least case');
    return good ? 0 : 1;
  }
  answers.end();
  console.log(`${done} cases, seed ${values.seed}, ${Math.round(done / ((Date.now() - begin) / 1000))} a second: ${failed} failed`);
  return failed === 0 && !values.prove ? 0 : 1;
}

process.exitCode = await main();
