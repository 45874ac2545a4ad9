'use strict';
// Pail for node against golden values, and against snarkjs and ffjavascript:
//   CASES=cases.txt DATA=tests/data node --test golden.test.js
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test, after } = require('node:test');
const { Worker } = require('node:worker_threads');

const pail = require('pail');
const { accelerate } = require('pail/snarkjs');
const snarkjs = require('snarkjs');
const ffjavascript = require('ffjavascript');

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

after(async () => {
  for (const name of ['curve_bn128', 'curve_bls12381']) await globalThis[name]?.terminate();
});

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
  await assert.rejects(bases.msm(undefined), TypeError);
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

test('a worker that is ended while it multiplies', async () => {
  const program = `const pail = require('pail');
    const n = 1 << 12;
    const points = new Uint8Array(64 * n);
    for (let i = 0; i < n; i++) { points[64 * i] = 1; points[64 * i + 32] = 2; }
    const scalars = new Uint8Array(32 * n).fill(7);
    const context = new pail.Context({ backend: 'cpu' });
    context.bases(points).then((bases) => {
      for (let i = 0; i < 8; i++) bases.msm(scalars, { signal: i % 2 ? new AbortController().signal : undefined });
      require('node:worker_threads').parentPort.postMessage(bases.length);
    });`;
  for (let i = 0; i < 4; i++) {
    const worker = new Worker(program, { eval: true });
    assert.strictEqual(await new Promise((told, failed) => worker.once('message', told).once('error', failed)), 1 << 12);
    await worker.terminate();
  }
  const bases = await new pail.Context({ backend: 'cpu' }).bases(twice); // here all goes on
  assert.deepStrictEqual(await bases.msm(fiveSix), bases.msmSync(fiveSix));
});

test('an AbortSignal', async () => {
  const context = new pail.Context({ threads: 1 });
  const n = 1 << 16;
  const points = new Uint8Array(64 * n);
  for (let i = 0; i < n; i++) points.set(GENERATOR, 64 * i);
  const bases = await context.bases(points, { validation: 0 });
  const scalars = new Uint8Array(32 * n).fill(0x5a);
  await assert.rejects(bases.msm(scalars, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  const controller = new AbortController();
  const reason = new Error('no longer wanted');
  setTimeout(() => controller.abort(reason), 20);
  await assert.rejects(bases.msm(scalars, { signal: controller.signal }), reason);
  const unused = new AbortController();
  const result = await bases.msm(scalars, { signal: unused.signal });
  assert.deepStrictEqual(result, await bases.msm(scalars));
  assert.strictEqual(result.length, 64);
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

test('groth16 as snarkjs has it', async () => {
  const vkey = read('ledger.vkey.json');
  const [zkey, wtns] = [data('ledger.zkey'), data('ledger.wtns')];
  const mem = (file) => ({ type: 'mem', data: new Uint8Array(fs.readFileSync(file)) });
  for (const given of [[zkey, wtns], [mem(zkey), mem(wtns)], [zkey, wtns]]) {
    const { proof, publicSignals } = await pail.groth16.prove(...given);
    assert.ok(await snarkjs.groth16.verify(vkey, publicSignals, proof));
    assert.ok(await pail.groth16.verify(vkey, publicSignals, proof));
    assert.ok(!(await pail.groth16.verify(vkey, ['1', ...publicSignals.slice(1)], proof)));
    assert.ok(!(await pail.groth16.verify(vkey, publicSignals, { ...proof, pi_a: ['1', '1', '1'] })));
    for (const last of ['2', '0', ['1']]) { // as snarkjs, which computes with it
      assert.ok(!(await pail.groth16.verify(vkey, publicSignals, { ...proof, pi_a: [...proof.pi_a.slice(0, 2), last] })));
      assert.ok(!(await pail.groth16.verify(vkey, publicSignals, { ...proof, pi_b: [...proof.pi_b.slice(0, 2), [last, '0']] })));
    }
  }
  await assert.rejects(pail.groth16.prove('/nowhere.zkey', wtns), { code: 'PAIL_ERR_IO' });
});

test('one line switches snarkjs', async () => {
  const { proof, publicSignals } = await snarkjs.groth16.prove(data('ledger.zkey'), data('ledger.wtns'));
  const { multiExpAffine } = globalThis.curve_bn128.G1; // which snarkjs made, with ours inside
  assert.match(multiExpAffine.toString(), /pail/);
  assert.deepStrictEqual(publicSignals, read('ledger.public.json'));
  assert.ok(await snarkjs.groth16.verify(read('ledger.vkey.json'), publicSignals, proof));
});

test('multiExpAffine gives what ffjavascript gives', async () => {
  for (const name of ['bn128', 'bls12381']) {
    const build = name === 'bn128' ? ffjavascript.buildBn128 : ffjavascript.buildBls12381;
    const theirs = await build(true); // a curve of its own, single-threaded
    const ours = accelerate(await build(true));
    for (const group of ['G1', 'G2']) {
      const [G, H] = [theirs[group], ours[group]];
      assert.notStrictEqual(G.multiExpAffine, H.multiExpAffine);
      for (const [n, width] of [[63, 32], [64, 32], [100, 32], [200, 4]]) {
        const bases = new Uint8Array(n * 2 * G.F.n8);
        const scalars = new Uint8Array(n * width);
        for (let i = 0; i < n; i++) {
          const point = i % 7 === 3 ? G.zeroAffine : G.toAffine(G.timesScalar(G.g, 3 * i + 1));
          bases.set(point, i * 2 * G.F.n8);
          for (let j = 0; j < width; j++) scalars[i * width + j] = (i * 73 + j * 151 + 17) % 256;
        }
        const [expected, found] = [await G.multiExpAffine(bases, scalars), await H.multiExpAffine(bases, scalars)];
        assert.ok(G.eq(expected, found), `${name} ${group}, ${n} points, scalars of ${width} bytes`);
        assert.ok(G.eq(await H.multiExpAffine(bases, new Uint8Array(n * width)), G.zero));
      }
      await assert.rejects(H.multiExpAffine(new Uint8Array(128 * 2 * G.F.n8), new Uint8Array(33)), /Scalar size/);
    }
    await theirs.terminate();
    await ours.terminate();
  }
});
