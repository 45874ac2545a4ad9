// SPDX-License-Identifier: Apache-2.0
'use strict';
// pail-prover/kzg against values of c-kzg: KZG=kzg.txt DATA=tests/data node --test kzg.test.js
const assert = require('node:assert');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { Worker } = require('node:worker_threads');

const kzg = require('pail-prover/kzg');

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const digest = (list) => list.reduce((hash, one) => hash.update(one), createHash('sha256')).digest('hex');
const madeBlob = (number) => Uint8Array.from({ length: kzg.BYTES_PER_BLOB }, (_, k) => (k % 32 === 0 ? 0 : Math.floor((k * k + 31 * k) / 8) + 97 * number));
const NAMES = ['number', 'z', 'blob', 'commitment', 'proof', 'y', 'blobProof', 'cells', 'proofs'];
const golden = fs.readFileSync(process.env.KZG, 'utf8').trim().split('\n').map((line) => Object.fromEntries(line.split(' ').map((word, i) => [NAMES[i], word])));
const blobs = golden.map((one) => madeBlob(Number(one.number)));
const bytes = (text) => new Uint8Array(Buffer.from(text, 'hex'));
const [commitments, blobProofs] = ['commitment', 'blobProof'].map((name) => golden.map((one) => bytes(one[name])));
const z = bytes(golden[0].z);
const small = path.join(process.env.DATA, 'eip-4844/trusted_setup.txt');
const SMALL_BLOB = 8 * 32;

test('without a setup', async () => {
  assert.throws(() => kzg.blobToKzgCommitment(blobs[0]), { code: 'PAIL_ERR_ARGUMENT', message: /no setup is loaded/ });
  await assert.rejects(kzg.promises.computeCells(blobs[0]), /no setup is loaded/);
  assert.throws(() => kzg.loadTrustedSetup(16), { name: 'RangeError', code: 'PAIL_ERR_ARGUMENT', message: /precompute is 16/ });
  assert.throws(() => kzg.loadTrustedSetup(0, '/nowhere.txt'), { code: 'PAIL_ERR_IO', message: /nowhere/ });
  await assert.rejects(kzg.promises.loadTrustedSetup(0, '/nowhere.json'), { code: 'PAIL_ERR_IO', message: /nowhere/ });
  const opening = kzg.promises.loadTrustedSetup(); // the ceremony's
  await assert.rejects(kzg.promises.loadTrustedSetup(), /already loaded/);
  await opening;
  assert.throws(() => kzg.loadTrustedSetup(), { code: 'PAIL_ERR_ARGUMENT', message: /already loaded/ });
});

for (const [what, of] of [['at once', kzg], ['as promises', kzg.promises]]) {
  test(`golden values, ${what}`, async () => {
    for (const [i, one] of golden.entries()) {
      assert.strictEqual(digest([blobs[i]]), one.blob);
      assert.strictEqual(hex(await of.blobToKzgCommitment(blobs[i])), one.commitment);
      assert.deepStrictEqual((await of.computeKzgProof(blobs[i], z)).map(hex), [one.proof, one.y]);
      assert.strictEqual(hex(await of.computeBlobKzgProof(blobs[i], commitments[i])), one.blobProof);
    }
    const [cells, proofs] = await of.computeCellsAndKzgProofs(blobs[0]);
    assert.deepStrictEqual([cells.length, cells[0].length, proofs.length, proofs[0].length], [128, 2048, 128, 48]);
    assert.deepStrictEqual([digest(cells), digest(proofs)], [golden[0].cells, golden[0].proofs]);
    assert.strictEqual(digest(await of.computeCells(blobs[0])), golden[0].cells);
    const odd = Array.from({ length: 64 }, (_, i) => 2 * i + 1);
    const recovered = await of.recoverCellsAndKzgProofs(odd, odd.map((i) => cells[i]));
    assert.deepStrictEqual(recovered, [cells, proofs]);
  });

  test(`verification, ${what}`, async () => {
    const [proof, y] = [bytes(golden[0].proof), bytes(golden[0].y)];
    assert.strictEqual(await of.verifyKzgProof(commitments[0], z, y, proof), true);
    assert.strictEqual(await of.verifyKzgProof(commitments[0], y, z, proof), false);
    assert.strictEqual(await of.verifyBlobKzgProof(blobs[0], commitments[0], blobProofs[0]), true);
    assert.strictEqual(await of.verifyBlobKzgProof(blobs[0], commitments[0], blobProofs[1]), false);
    assert.strictEqual(await of.verifyBlobKzgProofBatch(blobs, commitments, blobProofs), true);
    assert.strictEqual(await of.verifyBlobKzgProofBatch(blobs, commitments, [...blobProofs].reverse()), false);
    assert.strictEqual(await of.verifyBlobKzgProofBatch([], [], []), true);
    const [cells, proofs] = await of.computeCellsAndKzgProofs(blobs[1]);
    const at = [3, 90, 127];
    const [some, theirs, one] = [at.map((i) => cells[i]), at.map((i) => proofs[i]), at.map(() => commitments[1])];
    assert.strictEqual(await of.verifyCellKzgProofBatch(one, at, some, theirs), true);
    assert.strictEqual(await of.verifyCellKzgProofBatch(one, [4, 90, 127], some, theirs), false);
    assert.strictEqual(await of.verifyCellKzgProofBatch([], [], [], []), true);
  });
}

test('many blobs at once', async () => {
  const all = await kzg.promises.computeCellsAndKzgProofsBatch(blobs);
  assert.deepStrictEqual(all.map((both) => both.map(digest)), golden.map((one) => [one.cells, one.proofs]));
  assert.deepStrictEqual(kzg.computeCellsAndKzgProofsBatch([]), []);
});

test('what is refused', async () => {
  const wrong = [
    [(of) => of.blobToKzgCommitment(blobs[0].subarray(1)), { name: 'RangeError', message: 'blob has 131071 bytes, and is to have 131072' }],
    [(of) => of.blobToKzgCommitment('0x'), { name: 'TypeError', message: /^blob is a string, and is to be a Uint8Array/ }],
    [(of) => of.computeKzgProof(blobs[0], z.subarray(1)), { name: 'RangeError', message: 'z has 31 bytes, and is to have 32' }],
    [(of) => of.verifyKzgProof(commitments[0], z, z), { name: 'TypeError', message: /^proof is undefined/ }],
    [(of) => of.computeBlobKzgProof(blobs[0], new Uint8Array(49)), { name: 'RangeError', message: 'commitment has 49 bytes, and is to have 48' }],
    [(of) => of.verifyBlobKzgProofBatch(blobs, commitments, blobProofs.slice(1)), { name: 'RangeError', message: 'proofs has the length 1, but blobs has 2' }],
    [(of) => of.verifyBlobKzgProofBatch(blobs[0], commitments, blobProofs), { name: 'TypeError', message: 'blobs is an object, and is to be an array' }],
    [(of) => of.verifyBlobKzgProofBatch(blobs, [commitments[0], z], blobProofs), { name: 'RangeError', message: 'commitments[1] has 32 bytes, and is to have 48' }],
    [(of) => of.recoverCellsAndKzgProofs([0, 1], [new Uint8Array(2048)]), { name: 'RangeError', message: 'cellIndices has the length 2, but cells has 1' }],
    [(of) => of.recoverCellsAndKzgProofs([-1], [new Uint8Array(2048)]), { name: 'RangeError', message: /^cellIndices\[0\] is -1/ }],
    [(of) => of.recoverCellsAndKzgProofs(5, []), { name: 'TypeError', message: /^cellIndices is a value of the type number/ }],
  ];
  for (const [call, error] of wrong) {
    assert.throws(() => call(kzg), { code: 'PAIL_ERR_ARGUMENT', ...error });
    await assert.rejects(call(kzg.promises), { code: 'PAIL_ERR_ARGUMENT', ...error });
  }
  const above = blobs[0].slice().fill(255, 32, 64); // element 1 is no scalar
  const few = Array.from({ length: 63 }, (_, i) => i);
  const bad = [
    [(of) => of.blobToKzgCommitment(above), /1/], [(of) => of.computeCells(above), /1/],
    [(of) => of.verifyBlobKzgProof(blobs[0], new Uint8Array(48), blobProofs[0]), /./],
    [(of) => of.recoverCellsAndKzgProofs(few, few.map(() => new Uint8Array(2048))), /63 cells/],
    [(of) => of.verifyCellKzgProofBatch([commitments[0]], [128], [new Uint8Array(2048)], [blobProofs[0]]), /128/],
  ];
  for (const [call, message] of bad) {
    assert.throws(() => call(kzg), { code: 'PAIL_ERR_DATA', message });
    await assert.rejects(call(kzg.promises), { code: 'PAIL_ERR_DATA', message });
  }
});

test('bytes that the class makes are wiped, also where a later argument is refused', () => {
  const one = new kzg.KZG(small, { backend: 'cpu', threads: 1 });
  const seen = [];
  const kinds = [[Buffer, 'from'], [Buffer, 'alloc'], [Uint8Array.prototype, 'slice']];
  const kept = kinds.map(([of, name]) => of[name]);
  kinds.forEach(([of, name], i) => {
    of[name] = function (...given) { const made = kept[i].apply(this, given); seen.push(made); return made; };
  });
  const blob = `0x${'07'.padStart(64, '0').repeat(8)}`;
  const failing = [() => one.computeBlobProof(blob, 'junk'), () => one.computeProof(Array(8).fill(7n), 'junk'), () => one.computeBlobProof([7n, 2n ** 256n], '00'),
    () => one.blobToKzgCommitment([7n, '0777']), () => one.recoverCellsAndProofs([0, 1], [blob, 'junk'])];
  try {
    for (const call of failing) assert.throws(call, { code: 'PAIL_ERR_DATA' });
    one.computeCells(blob), one.computeCellsAndProofs(blob), one.recoverCellsAndProofs([0], [blob]);
  } finally {
    kinds.forEach(([of, name], i) => { of[name] = kept[i]; });
  }
  assert.ok(seen.length > 10);
  assert.ok(seen.every((bytes) => !bytes.includes(7)));
});

test('a getter of a list runs before memory is taken', () => {
  const lists = [blobs, commitments, blobProofs].map((list) => list.map((bytes) => bytes.slice()));
  Object.defineProperty(lists[1], 1, { get() { structuredClone(lists[0][0].buffer, { transfer: [lists[0][0].buffer] }); return commitments[1]; } });
  assert.throws(() => kzg.verifyBlobKzgProofBatch(...lists), { message: /transferred/ });
});

test('promises leave the event loop free, and arguments may change at once', async () => {
  const given = blobs[0].slice();
  let [turns, settled] = [0, false];
  const promise = kzg.promises.computeCellsAndKzgProofs(given).finally(() => (settled = true));
  structuredClone(given.buffer, { transfer: [given.buffer] });
  while (!settled) {
    await new Promise(setImmediate);
    turns++;
  }
  assert.strictEqual(digest((await promise)[1]), golden[0].proofs);
  assert.ok(turns > 100, `${turns}`);
  const together = await Promise.all(Array.from({ length: 8 }, (_, i) => kzg.promises.blobToKzgCommitment(blobs[i % 2])));
  assert.deepStrictEqual(together.map(hex), together.map((_, i) => golden[i % 2].commitment));
});

// The setup's text as micro-eth-signer has it.
const lines = fs.readFileSync(small, 'utf8').split(/\s+/);
const setup = { g1_lagrange: lines.slice(2, 10).map((point) => `0x${point}`), g2_monomial: lines.slice(10, 13), g1_monomial: lines.slice(13, 21) };

const [major, minor] = process.versions.node.split('.').map(Number);
const old = major < 20 || (major === 20 && minor < 19) ? 'micro-eth-signer is for node 20.19 and later' : false;

test('what micro-eth-signer computes', { skip: old }, async () => {
  const theirs = new (await import('micro-eth-signer/kzg.js')).KZG(setup);
  const ours = new kzg.KZG(setup);
  for (const blob of [Array.from({ length: 8 }, (_, i) => BigInt(i * i + 3)), Array(8).fill(0n)]) {
    const commitment = theirs.blobToKzgCommitment(blob);
    assert.strictEqual(ours.blobToKzgCommitment(blob), commitment);
    assert.deepStrictEqual(ours.computeProof(blob, 5n), theirs.computeProof(blob, 5n));
    assert.strictEqual(ours.computeBlobProof(blob, commitment), theirs.computeBlobProof(blob, commitment));
  }
});

test('the class of micro-eth-signer', () => {
  const one = new kzg.KZG(small, { backend: 'cpu', threads: 1 });
  const blob = Array.from({ length: 8 }, (_, i) => BigInt(i * i + 3));
  const text = `0x${blob.map((value) => value.toString(16).padStart(64, '0')).join('')}`;
  const commitment = one.blobToKzgCommitment(blob);
  assert.match(commitment, /^0x[0-9a-f]{96}$/);
  assert.strictEqual(one.blobToKzgCommitment(text), commitment);
  assert.strictEqual(one.blobToKzgCommitment(blob.map((value) => value.toString(16).padStart(64, '0'))), commitment);
  const [proof, y] = one.computeProof(blob, 5n);
  assert.ok(one.verifyProof(commitment, 5n, y, proof) && one.verifyProof(commitment, `0x${'5'.padStart(64, '0')}`, BigInt(y), proof));
  assert.ok(!one.verifyProof(commitment, 6n, y, proof));
  assert.ok(!one.verifyProof('0x00', 5n, y, proof), 'a point that is too short is of no valid proof');
  assert.ok(!one.verifyProof('junk', 5n, y, proof));
  const blobProof = one.computeBlobProof(blob, commitment);
  assert.ok(one.verifyBlobProof(text, commitment, blobProof) && !one.verifyBlobProof(text, commitment, proof));
  assert.ok(one.verifyBlobProofBatch([text, text], [commitment, commitment], [blobProof, blobProof]));
  assert.ok(!one.verifyBlobProofBatch([text], [commitment, commitment], [blobProof, blobProof]));
  const [cells, proofs] = one.computeCellsAndProofs(text);
  assert.deepStrictEqual([cells[0], cells.length, proofs.length], [text, 2, 2]);
  assert.deepStrictEqual(one.computeCells(text), cells);
  assert.deepStrictEqual(one.recoverCellsAndProofs([1], [cells[1]]), [cells, proofs]);
  assert.deepStrictEqual(one.recoverCellsAndProofs([1, 0], [cells[1], cells[0]]), [cells, proofs], 'in any order');
  assert.throws(() => one.recoverCellsAndProofs([1, 0], [cells[1]]), { name: 'RangeError' });
  assert.throws(() => one.recoverCellsAndProofs([0, -1], [cells[1], cells[0]]), { message: /^cellIndices\[1\] is -1/ });
  assert.throws(() => new kzg.KZG(small, { backend: 'cpu', memoryBudget: 100 }), { code: 'PAIL_ERR_HOST_MEMORY' });
  // The setup as an object.
  assert.strictEqual(new kzg.KZG(setup).blobToKzgCommitment(text), commitment);
  const place = fs.mkdtempSync(path.join(require('node:os').tmpdir(), 'kzg-'));
  fs.writeFileSync(path.join(place, 'setup.json'), JSON.stringify(setup));
  assert.strictEqual(new kzg.KZG(path.join(place, 'setup.json')).blobToKzgCommitment(text), commitment);
  fs.rmSync(place, { recursive: true });
  assert.throws(() => new kzg.KZG({ ...setup, g1_monomial: undefined }), { code: 'PAIL_ERR_DATA', message: /g1_monomial/ });
  assert.throws(() => new kzg.KZG({ ...setup, g1_monomial: setup.g1_monomial.slice(1) }), { code: 'PAIL_ERR_DATA', message: /8 points g1_lagrange, but 7/ });
  assert.throws(() => new kzg.KZG({ ...setup, g1_monomial: [...setup.g1_monomial.slice(1), '00'] }), { code: 'PAIL_ERR_DATA' });
  assert.throws(() => new kzg.KZG({ ...setup, encoding: 'fast_v1' }), { code: 'PAIL_ERR_ARGUMENT', message: /fast_v1/ });
  for (const wrong of [text.slice(0, -2), 'text', blob.slice(1), [...blob.slice(1), 2n ** 256n]]) assert.throws(() => one.blobToKzgCommitment(wrong), { code: /^PAIL_ERR_(DATA|ARGUMENT)$/ });
  one.close();
  assert.throws(() => one.blobToKzgCommitment(blob), { code: 'PAIL_ERR_ARGUMENT', message: /closed/ });
});

test('workers, each with a setup of its own, and one that is ended', async () => {
  const program = `const { KZG } = require('pail-prover/kzg');
    const { workerData, parentPort } = require('node:worker_threads');
    const one = new KZG(workerData, { backend: 'cpu', threads: 1 });
    for (let i = 0; i < 20; i++) var told = one.blobToKzgCommitment(Array(8).fill(7n));
    parentPort.postMessage(told);`;
  const expected = new kzg.KZG(small).blobToKzgCommitment(Array(8).fill(7n));
  const told = await Promise.all(Array.from({ length: 3 }, () => new Promise((good, failed) => new Worker(program, { eval: true, workerData: small }).once('message', good).once('error', failed))));
  assert.deepStrictEqual(told, [expected, expected, expected]);
  const endless = `const kzg = require('pail-prover/kzg');
    const { workerData, parentPort } = require('node:worker_threads');
    kzg.loadTrustedSetup(0, workerData);
    for (let i = 0; i < 50; i++) void kzg.promises.computeCells(new Uint8Array(${SMALL_BLOB}));
    parentPort.postMessage('begun');`;
  const worker = new Worker(endless, { eval: true, workerData: small });
  await new Promise((good, failed) => worker.once('message', good).once('error', failed));
  await worker.terminate();
  assert.strictEqual(hex(await kzg.promises.blobToKzgCommitment(blobs[0])), golden[0].commitment); // here all goes on
});
