// SPDX-License-Identifier: Apache-2.0
'use strict';
// Memory that JavaScript takes away while Pail for node works, work that is aborted, and workers that end:
//   DATA=tests/data node --test lifetimes.test.js
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');

const pail = require('pail-prover');

const data = (name) => path.join(process.env.DATA, name);
const GENERATOR = new Uint8Array(64);
GENERATOR[0] = 1;
GENERATOR[32] = 2;

function repeated(bytes, times) {
  const made = new Uint8Array(bytes.length * times);
  for (let i = 0; i < times; i++) made.set(bytes, i * bytes.length);
  return made;
}

// A file of snarkjs with a section of nothing behind the others, so that it takes a while to read.
function padded(file, bytes) {
  const small = fs.readFileSync(file);
  const made = new Uint8Array(small.length + 12 + bytes);
  made.set(small);
  const view = new DataView(made.buffer);
  view.setUint32(8, view.getUint32(8, true) + 1, true);
  view.setUint32(small.length, 99, true);
  view.setBigUint64(small.length + 4, BigInt(bytes), true);
  return made;
}

const spoiled = [
  ['written to', (array) => array.fill(0xff)],
  ['transferred', (array) => structuredClone(array.buffer, { transfer: [array.buffer] })],
];

for (const [what, spoil] of spoiled) {
  test(`arrays may be ${what} as soon as a call has returned`, async () => {
    const context = new pail.Context({ backend: 'cpu' });
    const n = 1 << 12;
    const call = (start, array) => {
      const promise = start(array);
      spoil(array);
      return promise;
    };
    const bases = await call((points) => context.bases(points, { validation: 1 }), repeated(GENERATOR, n));
    const scalars = new Uint8Array(32 * n).fill(7);
    const expected = bases.msmSync(scalars);
    assert.deepStrictEqual(await call((array) => bases.msm(array), scalars.slice()), expected);
    const vector = await context.vector(n);
    await call((array) => vector.write(array), scalars.slice());
    assert.deepStrictEqual(await vector.read(), scalars);
    assert.deepStrictEqual(await bases.msm(vector), expected);
    const key = await call((array) => context.key(array), padded(data('ledger.zkey'), 1 << 20));
    const { proof, publicSignals } = await call((array) => key.prove(array), padded(data('ledger.wtns'), 1 << 24));
    assert.ok(await key.verify(publicSignals, proof));
  });
}

test('an AbortSignal', async () => {
  const context = new pail.Context({ backend: 'cpu', threads: 1 });
  const n = 1 << 16;
  const bases = await context.bases(repeated(GENERATOR, n), { validation: 0 });
  const scalars = new Uint8Array(32 * n).fill(0x5a);
  const vector = await context.vector(n);
  await vector.write(new Uint8Array(32 * n).fill(0x1a));
  const key = await context.key(data('ledger.zkey'));
  const reason = new Error('no longer wanted');
  const calls = [(signal) => bases.msm(scalars, { signal }), (signal) => bases.msm(vector, { signal }), (signal) => key.prove(data('ledger.wtns'), { signal })];
  for (const call of calls) {
    await assert.rejects(call(AbortSignal.abort()), { name: 'AbortError' });
    await assert.rejects(call('signal'), { name: 'TypeError', code: 'PAIL_ERR_ARGUMENT' });
    for (const wait of [0, 5, 20]) { // in the queue, or under way
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), wait);
      await call(controller.signal).then(() => assert.ok(!controller.signal.aborted), (error) => assert.strictEqual(error, reason));
    }
    await call(new AbortController().signal);
  }
  assert.deepStrictEqual(await bases.msm(scalars, { signal: new AbortController().signal }), await bases.msm(scalars));
});

test('an aborted call that has not begun settles before others', async () => {
  const context = new pail.Context({ backend: 'cpu', threads: 1 });
  const n = 1 << 18;
  const bases = await context.bases(repeated(GENERATOR, n), { validation: 0 });
  const scalars = new Uint8Array(32 * n).fill(0x5a);
  // Each thread of the pool has one: what comes behind them has not begun.
  const running = new AbortController();
  const first = Array.from({ length: Number(process.env.UV_THREADPOOL_SIZE ?? 4) }, () => bases.msm(scalars, { signal: running.signal }));
  const waiting = new AbortController();
  const last = bases.msm(scalars, { signal: waiting.signal });
  const settled = [];
  const note = (name) => (error) => settled.push([name, error.message]);
  const all = [...first.map((one) => one.catch(note('running'))), last.catch(note('waiting'))];
  waiting.abort(new Error('waiting'));
  await last.catch(() => running.abort(new Error('running')));
  await Promise.all(all);
  assert.deepStrictEqual(settled, ['waiting', ...first.map(() => 'running')].map((name) => [name, name]));
});

test('a worker that is ended while it works', async () => {
  const program = `const pail = require('pail-prover');
    const { workerData, parentPort } = require('node:worker_threads');
    const n = 1 << 12;
    const points = new Uint8Array(64 * n);
    for (let i = 0; i < n; i++) { points[64 * i] = 1; points[64 * i + 32] = 2; }
    const scalars = new Uint8Array(32 * n).fill(7);
    const context = new pail.Context({ backend: 'cpu' });
    async function work() {
      const [bases, vector, key] = await Promise.all([context.bases(points), context.vector(n), context.key(workerData + 'zkey')]);
      for (let i = 0; i < 4; i++) {
        const signal = i % 2 ? new AbortController().signal : undefined;
        void bases.msm(scalars, { signal });
        void key.prove(workerData + 'wtns', { signal });
        void vector.write(scalars).then(() => vector.ntt());
        void context.key(workerData + 'zkey');
      }
      parentPort.postMessage(bases.length);
    }
    work();`;
  for (let i = 0; i < 4; i++) {
    const worker = new Worker(program, { eval: true, workerData: data('ledger.') });
    assert.strictEqual(await new Promise((told, failed) => worker.once('message', told).once('error', failed)), 1 << 12);
    await worker.terminate();
  }
  const bases = await new pail.Context({ backend: 'cpu' }).bases(GENERATOR); // here all goes on
  assert.deepStrictEqual(await bases.msm(new Uint8Array(32).fill(1, 0, 1)), GENERATOR);
});

test('workers at the same time, each with a context of its own', async () => {
  const program = `const pail = require('pail-prover');
    const { workerData, parentPort } = require('node:worker_threads');
    (async () => {
      const key = await new pail.Context({ backend: 'cpu' }).key(workerData + 'zkey');
      const made = await Promise.all([1, 2].map(() => key.prove(workerData + 'wtns')));
      parentPort.postMessage(made);
    })();`;
  const workers = Array.from({ length: 3 }, () => new Worker(program, { eval: true, workerData: data('ledger.') }));
  const made = await Promise.all(workers.map((worker) => new Promise((told, failed) => worker.once('message', told).once('error', failed))));
  const vkey = JSON.parse(fs.readFileSync(data('ledger.vkey.json')));
  for (const { proof, publicSignals } of made.flat()) assert.ok(await pail.groth16.verify(vkey, publicSignals, proof));
});
