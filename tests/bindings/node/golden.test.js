// SPDX-License-Identifier: Apache-2.0
'use strict';
// Pail for node against golden values:
//   CASES=cases.txt DATA=tests/data node --test golden.test.js
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const pail = require('pail-prover');

const { CASES, DATA } = process.env;
const data = (name) => path.join(DATA, name);
const read = (name) => JSON.parse(fs.readFileSync(data(name)));
const hex = (text) => new Uint8Array(Buffer.from(text === '-' ? '' : text, 'hex'));
const GENERATOR = new Uint8Array(64);
GENERATOR[0] = 1;
GENERATOR[32] = 2;
const twice = new Uint8Array([...GENERATOR, ...GENERATOR]);
const fiveSix = new Uint8Array(64);
fiveSix[0] = 5;
fiveSix[32] = 6;

test('cases', async () => {
  const context = new pail.Context();
  let n = 0;
  for (const line of fs.readFileSync(CASES, 'utf8').trim().split('\n')) {
    const [name, points, scalars, expected] = line.split(' ');
    const bases = await context.bases(hex(points));
    assert.deepStrictEqual(await bases.msm(hex(scalars)), hex(expected), name);
    assert.deepStrictEqual(bases.msmSync(hex(scalars)), hex(expected), name);
    n++;
  }
  assert.ok(n > 50);
});

test('a proof from inputs', async () => {
  const input = JSON.parse(fs.readFileSync(data('../../tools/make-data/input.json')));
  const [wasm, zkey] = [data('ledger.wasm'), data('ledger.zkey')];
  const { proof, publicSignals } = await pail.groth16.fullProve(input, wasm, zkey);
  assert.deepStrictEqual(publicSignals, read('ledger.public.json'));
  assert.ok(await pail.groth16.verify(read('ledger.vkey.json'), publicSignals, proof));
  const bytes = { type: 'mem', data: new Uint8Array(fs.readFileSync(wasm)) };
  const numbers = { blinding: BigInt(input.blinding), amount: input.amount.map(BigInt) };
  assert.deepStrictEqual((await pail.groth16.fullProve(numbers, bytes, zkey)).publicSignals, publicSignals);
  const wrong = (changed, words) => assert.rejects(pail.groth16.fullProve({ ...input, ...changed }, wasm, zkey),
    (error) => error.code === 'PAIL_ERR_DATA' && words.test(error.message));
  await wrong({ amount: [1] }, /takes 40 values of the input signal "amount", not 1/);
  await wrong({ other: 1 }, /no input signal "other"/);
  await wrong({ blinding: 1.5 }, /the input blinding is no integer/);
  await wrong({ amount: input.amount.map((one, i) => (i === 3 ? 'x' : one)) }, /the input amount\[3\] is no integer/);
  await wrong({ amount: input.amount.map((one, i) => (i === 0 ? '281474976710656' : one)) }, /Assert Failed\. Error in template Range/);
  await wrong({ blinding: 2n ** 254n }, /value 0 of the input signal "blinding" is not/);
  await assert.rejects(pail.groth16.fullProve(input, zkey, zkey), /is no WebAssembly/);
  await assert.rejects(pail.groth16.fullProve(input, data('none.wasm'), zkey), (error) => error.code === 'PAIL_ERR_IO');
});

test('typed arrays are read where they are', async () => {
  const room = new ArrayBuffer(256);
  new Uint8Array(room).set(twice, 64);
  const bases = await new pail.Context().bases(new Uint8Array(room, 64, 128));
  const eleven = await bases.msm(fiveSix);
  assert.strictEqual(eleven[0], 0xef);
  assert.strictEqual(bases.length, 2);
  for (const scalars of [Buffer.from(fiveSix), new BigUint64Array([5n, 0n, 0n, 0n, 6n, 0n, 0n, 0n]), new Uint32Array(fiveSix.buffer)]) {
    assert.deepStrictEqual(await bases.msm(scalars), eleven);
  }
  const eleventh = new Uint8Array(32);
  eleventh[0] = 11;
  assert.deepStrictEqual(await bases.msm(eleventh, { offset: 1 }), eleven);
});

test('errors', async () => {
  const context = new pail.Context();
  const bad = twice.slice();
  bad[64] = 3;
  await assert.rejects(context.bases(bad), { code: 'PAIL_ERR_DATA', message: /1/ });
  await assert.rejects(context.bases(new Uint8Array(127)), { code: 'PAIL_ERR_ARGUMENT', message: /127 bytes/ });
  await assert.rejects(context.bases('text'), TypeError);
  await assert.rejects(context.key('/nowhere.zkey'), { code: 'PAIL_ERR_IO', message: /nowhere/ });
  await assert.rejects(context.key(new Uint8Array(100)), { code: 'PAIL_ERR_DATA' });
  const bases = await context.bases(twice);
  await assert.rejects(bases.msm(new Uint8Array(31)), { code: 'PAIL_ERR_ARGUMENT', message: /31 bytes/ });
  await assert.rejects(bases.msm(fiveSix, { offset: 1 }), { code: 'PAIL_ERR_ARGUMENT' });
  await assert.rejects(bases.msm(fiveSix, { offset: -1 }), RangeError);
  // A wrong value is named, and its place.
  for (const [call, sentence] of [
    [() => bases.msm(undefined), 'scalars is undefined, and is to be a Uint8Array or another typed array of integers'],
    [() => context.bases('text'), 'points is a string, and is to be a Uint8Array or another typed array of integers'],
    [() => context.bases(twice, { curve: '1' }), 'curve is a string, and is to be a number'],
    [() => context.key(5), 'zkey, unless a path, is a number, and is to be a Uint8Array or another typed array of integers'],
    [() => bases.msm(fiveSix, { offset: 0.5 }), 'offset is 0.5, and is to be an integer from 0 to 9007199254740991'],
    [() => context.vector(-1), 'n is -1, and is to be an integer from 0 to 9007199254740991'],
    [async () => new pail.Context({ backend: 5 }), 'backend is a number, and is to be a string'],
    [async () => new pail.Context({ device: '0' }), 'device is a string, and is to be a number']]) {
    await assert.rejects(call, { code: 'PAIL_ERR_ARGUMENT', message: sentence });
  }
  assert.throws(() => bases.msmSync(new Uint8Array(31)), { code: 'PAIL_ERR_ARGUMENT' });
  assert.throws(() => new pail.Context({ backend: 'nothing' }), { code: 'PAIL_ERR_ARGUMENT', message: /nothing/ });
});

test('what is no number is not taken for the default', async () => {
  const context = new pail.Context({ backend: 'cpu', device: null, threads: undefined });
  for (const options of [{ backend: 5 }, { device: '0' }, { threads: {} }]) assert.throws(() => new pail.Context(options), TypeError);
  for (const options of [{ device: 2 ** 32 }, { device: -1 }, { threads: 0.5 }, { threads: NaN }]) assert.throws(() => new pail.Context(options), RangeError);
  assert.throws(() => new pail.Context({ backend: 'cpu\0x' }), { code: 'PAIL_ERR_ARGUMENT', message: /zero byte/ });
  for (const name of ['curve', 'group', 'encoding', 'validation']) {
    await assert.rejects(context.bases(twice, { [name]: '1' }), TypeError);
    await assert.rejects(context.bases(twice, { [name]: 2 ** 32 + 1 }), RangeError);
  }
  const bases = await context.bases(twice);
  await assert.rejects(bases.msm(fiveSix, { encoding: 'montgomery' }), TypeError);
  await assert.rejects(bases.msm(fiveSix, { offset: '0' }), TypeError);
  assert.throws(() => bases.msmSync(fiveSix, 0.5), RangeError);
  await assert.rejects(context.key('/nowhere\0.zkey'), { code: 'PAIL_ERR_ARGUMENT', message: /zero byte/ });
  const key = await context.key(data('ledger.zkey'));
  await assert.rejects(key.prove(data('ledger.wtns'), { blinding: [1, 2] }), TypeError);
});

test('typed arrays that have no bytes of their own', async () => {
  const bases = await new pail.Context().bases(twice);
  const gone = fiveSix.slice();
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  const wrong = [[gone, /transferred/], [new Uint8Array(new SharedArrayBuffer(64)), /SharedArrayBuffer/],
    [new Float64Array(8), /floats/], [new Float32Array(16), /floats/], [new DataView(fiveSix.buffer), /Uint8Array/]];
  for (const [scalars, message] of wrong) {
    await assert.rejects(bases.msm(scalars), { name: 'TypeError', message });
    assert.throws(() => bases.msmSync(scalars), { name: 'TypeError', message });
  }
});

test('proofs', async () => {
  const context = new pail.Context();
  const key = await context.key(data('ledger.zkey'));
  const fixed = await key.prove(data('ledger.wtns'), { blinding: new Uint8Array(64) });
  assert.deepStrictEqual(fixed.proof, read('ledger.proof.json'));
  assert.deepStrictEqual(fixed.publicSignals, read('ledger.public.json'));
  const fromBytes = await (await context.key(fs.readFileSync(data('ledger.zkey')))).prove(fs.readFileSync(data('ledger.wtns')));
  assert.ok(await key.verify(fromBytes.publicSignals, fromBytes.proof));
  assert.ok(!(await key.verify(['5', ...fromBytes.publicSignals.slice(1)], fromBytes.proof)));
  await assert.rejects(key.prove(new Uint8Array(100)), { code: 'PAIL_ERR_DATA' });
});
