// SPDX-License-Identifier: Apache-2.0
'use strict';
// Vectors of Pail for node against sums that are computed here, on the CPU backend and on a device of Vulkan:
//   node --test vectors.test.js
const assert = require('node:assert');
const { test } = require('node:test');

const pail = require('pail-prover');

const ORDERS = {
  [pail.BN254]: 21888242871839275222246405745257275088548364400416034343698204186575808495617n,
  [pail.BLS12_381]: 52435875175126190479447740508185965837690552500527637822603658699938581184513n,
};
const R = 1n << 256n;

function toBytes(numbers) {
  const made = new Uint8Array(32 * numbers.length);
  numbers.forEach((number, i) => {
    for (let j = 0, rest = number; j < 32; j++, rest >>= 8n) made[32 * i + j] = Number(rest & 255n);
  });
  return made;
}

function fromBytes(bytes) {
  return Array.from({ length: bytes.length / 32 }, (_, i) => bytes.slice(32 * i, 32 * i + 32).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n));
}

function power(base, exponent, r) {
  let made = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % r) if (rest & 1n) made = (made * square) % r;
  return made;
}

// 0, the highest, and numbers that look random.
function some(n, r, seed = 1n) {
  const made = [];
  for (let i = 0, x = seed; i < n; i++) made.push(i === 1 ? 0n : i === 2 ? r - 1n : (x = (x * x * 7n + 3n + BigInt(i)) % r));
  return made;
}

const reversed = (k, bits) => Number.parseInt([...k.toString(2).padStart(bits, '0')].reverse().join('') || '0', 2);

// The sum that the boundary's header gives.
function transform(a, root, shift, r) {
  return a.map((_, k) => a.reduce((sum, one, j) => (sum + one * power((shift * power(root, BigInt(k), r)) % r, BigInt(j), r)) % r, 0n));
}

for (const backend of ['cpu', 'vulkan']) {
  let context;
  let reason = false;
  try {
    context = new pail.Context({ backend });
  } catch (error) {
    reason = `no context of ${backend}: ${error.message}`;
  }
  const check = (name, run) => test(`${backend}: ${name}`, { skip: reason }, run);

  async function stored(numbers, curve = pail.BN254) {
    const vector = await context.vector(numbers.length, curve);
    await vector.write(toBytes(numbers));
    return vector;
  }
  const numbers = async (vector, ...range) => fromBytes(await vector.read(...range));

  check('elements are written and read', async () => {
    for (const curve of [pail.BN254, pail.BLS12_381]) {
      const r = ORDERS[curve];
      const vector = await context.vector(5, curve);
      assert.deepStrictEqual([vector.length, vector.curve, await numbers(vector)], [5, curve, [0n, 0n, 0n, 0n, 0n]]);
      await vector.write(toBytes([7n, r - 1n]), 2);
      assert.deepStrictEqual(await numbers(vector), [0n, 0n, 7n, r - 1n, 0n]);
      assert.deepStrictEqual(await numbers(vector, 2, 1), [7n]);
      assert.deepStrictEqual(await numbers(vector, 5), []);
      assert.deepStrictEqual(await numbers(vector, 2, 2, pail.MONTGOMERY), [(7n * R) % r, ((r - 1n) * R) % r]);
      await vector.write(toBytes([(9n * R) % r]), 0, pail.MONTGOMERY);
      assert.deepStrictEqual(await numbers(vector, 0, 1), [9n]);
      vector.close();
      await assert.rejects(vector.read(), { code: 'PAIL_ERR_ARGUMENT', message: /closed/ });
      vector.close();
    }
  });

  check('transforms', async () => {
    for (const [curve, logs] of [[pail.BN254, [0, 1, 2, 3, 5]], [pail.BLS12_381, [3]]]) {
      const r = ORDERS[curve];
      for (const log of logs) {
        const n = 2 ** log;
        const root = fromBytes(pail.rootOfUnity(curve, log))[0];
        assert.strictEqual(power(root, BigInt(n), r), 1n);
        if (log > 0) assert.strictEqual(power(root, BigInt(n) / 2n, r), r - 1n);
        const a = some(n, r);
        const vector = await stored(a, curve);
        await vector.ntt();
        const values = transform(a, root, 1n, r);
        assert.deepStrictEqual(await numbers(vector), values);
        await vector.intt();
        assert.deepStrictEqual(await numbers(vector), a);
        const other = (root * root * root) % r; // another root of that order, and a coset
        const result = await context.vector(n, curve);
        for (const [rootOf, shift] of [[toBytes([other]), 5n], [other, 5]]) {
          await context.run([pail.ntt(result, vector, { root: rootOf, shift })]);
          assert.deepStrictEqual(await numbers(result), transform(a, other, 5n, r));
        }
        await context.run([pail.intt(result, result, { root: other, shift: 5 }), pail.ntt(result, result, { bitReversed: true })]);
        const found = await numbers(result);
        values.forEach((value, k) => assert.strictEqual(found[reversed(k, log)], value));
        await result.intt({ bitReversed: true });
        assert.deepStrictEqual(await numbers(result), a);
      }
    }
  });

  check('several transforms, in a part of a vector', async () => {
    const r = ORDERS[pail.BN254];
    const a = some(20, r);
    const [vector, result] = [await stored(a), await stored(some(20, r, 5n))];
    const before = await numbers(result);
    await context.run([pail.ntt(result, vector, { logN: 2, n: 8, rOffset: 4, aOffset: 9 })]);
    const root = fromBytes(pail.rootOfUnity(pail.BN254, 2))[0];
    const expected = [...before.slice(0, 4), ...transform(a.slice(9, 13), root, 1n, r), ...transform(a.slice(13, 17), root, 1n, r), ...before.slice(12)];
    assert.deepStrictEqual(await numbers(result), expected);
    await result.intt({ logN: 2, n: 8, rOffset: 4 });
    assert.deepStrictEqual(await numbers(result), [...before.slice(0, 4), ...a.slice(9, 17), ...before.slice(12)]);
  });

  check('element by element', async () => {
    const r = ORDERS[pail.BLS12_381];
    const [a, b, c] = [1n, 2n, 3n].map((seed) => some(6, r, seed));
    const [va, vb, vc] = await Promise.all([a, b, c].map((one) => stored(one, pail.BLS12_381)));
    const of = (f) => a.map((_, i) => ((f(a[i], b[i], c[i], i) % r) + r) % r);
    const cases = [
      [(v) => pail.add(v, va, vb), of((x, y) => x + y)], [(v) => pail.sub(v, va, vb), of((x, y) => x - y)],
      [(v) => pail.mul(v, va, vb), of((x, y) => x * y)], [(v) => pail.mulSub(v, va, vb, vc), of((x, y, z) => x * y - z)],
      [(v) => pail.powers(v, va, { scale: 3n, shift: 11 }), of((x, _, __, i) => 3n * power(11n, BigInt(i), r) * x)],
      [(v) => pail.powers(v, va), of((x) => x)], [(v) => pail.copy(v, va), of((x) => x)],
    ];
    const result = await context.vector(6, pail.BLS12_381);
    for (const [operation, expected] of cases) {
      await context.run([operation(result)]);
      assert.deepStrictEqual(await numbers(result), expected);
    }
    await context.run([pail.copy(result, va), pail.add(result, result, vb), pail.sub(result, result, vc, { rOffset: 1, aOffset: 1, cOffset: 9, bOffset: 3, n: 2 })]);
    assert.deepStrictEqual(await numbers(result), of((x, y, _, i) => x + y - (i === 1 || i === 2 ? c[i + 2] : 0n)));
    await context.run([]);
  });

  check('sparse products', async () => {
    const r = ORDERS[pail.BN254];
    const a = some(4, r);
    const matrix = await context.matrix([0, 2, 2, 5], [0, 3, 1, 1, 2], toBytes([2n, r - 1n, 3n, 4n, 5n]), 4);
    assert.strictEqual(matrix.length, 3);
    const [vector, result] = [await stored(a), await context.vector(4)];
    await context.run([pail.spmv(result, matrix, vector, { rOffset: 1 })]);
    assert.deepStrictEqual(await numbers(result), [0n, (2n * a[0] + (r - 1n) * a[3]) % r, 0n, (7n * a[1] + 5n * a[2]) % r]);
    const same = await context.matrix(new BigUint64Array([0n, 1n]), new Uint32Array([3]), toBytes([R % r]), 4, pail.BN254, pail.MONTGOMERY);
    await context.run([pail.spmv(result, same, vector)]);
    assert.deepStrictEqual(await numbers(result, 0, 1), [a[3]]);
    same.close();
    await assert.rejects(context.run([pail.spmv(result, same, vector)]), { code: 'PAIL_ERR_ARGUMENT', message: /closed/ });
    await assert.rejects(context.matrix([0, 1], [4], toBytes([1n]), 4), { code: 'PAIL_ERR_DATA' });
    await assert.rejects(context.matrix([0, 1], [0], toBytes([r]), 4), { code: 'PAIL_ERR_DATA' });
    const wrong = [[[0, 2], [0], toBytes([1n])], [[], [], toBytes([])], [[0, 1], [0], toBytes([1n, 2n])], [[0, 1.5], [0], toBytes([1n])],
      [[0, 1], [-1], toBytes([1n])], [[0, 1], [2 ** 32], toBytes([1n])], [['0', 1], [0], toBytes([1n])], [undefined, [0], toBytes([1n])]];
    for (const [starts, columns, values] of wrong) await assert.rejects(context.matrix(starts, columns, values, 4), { code: 'PAIL_ERR_ARGUMENT' });
  });

  check('multiplications by a vector', async () => {
    const points = new Uint8Array(64 * 3);
    for (let i = 0; i < 3; i++) points.set([1], 64 * i), points.set([2], 64 * i + 32);
    const bases = await context.bases(points);
    const vector = await stored([5n, 6n, 7n]);
    const of = (scalars) => bases.msmSync(toBytes(scalars));
    assert.deepStrictEqual(await bases.msm(vector), of([18n]));
    assert.deepStrictEqual(await bases.msm(vector, { scalarOffset: 1, offset: 1 }), of([13n]));
    assert.deepStrictEqual(await bases.msm(vector, { n: 2 }), of([11n]));
    assert.deepStrictEqual(await bases.msm(vector, { signal: new AbortController().signal }), of([18n]));
    await assert.rejects(bases.msm(vector, { offset: 1 }), { code: 'PAIL_ERR_ARGUMENT' });
    await assert.rejects(bases.msm(vector, { scalarOffset: 4 }), { code: 'PAIL_ERR_ARGUMENT' });
    const elsewhere = await new pail.Context({ backend }).vector(3);
    await assert.rejects(bases.msm(elsewhere), { code: 'PAIL_ERR_ARGUMENT', message: /context/ });
    await assert.rejects(context.run([pail.add(vector, elsewhere, vector)]), { code: 'PAIL_ERR_ARGUMENT', message: /context/ });
  });

  check('errors', async () => {
    const r = ORDERS[pail.BN254];
    const vector = await stored(some(8, r));
    const before = await numbers(vector);
    const argument = (message) => ({ code: 'PAIL_ERR_ARGUMENT', message });
    await assert.rejects(vector.write(toBytes([1n, 2n, r])), { code: 'PAIL_ERR_DATA', message: /elements\[2\]/ });
    await assert.rejects(vector.write(new Uint8Array(33)), argument(/33 bytes/));
    await assert.rejects(vector.write(toBytes([1n, 1n]), 7), argument(/7/));
    await assert.rejects(vector.write('text'), { name: 'TypeError', ...argument(/elements is a string, and is to be a Uint8Array/) });
    for (const range of [[7, 2], [9], [9, 0], [0, 9]]) await assert.rejects(vector.read(...range), argument(/8/));
    for (const range of [[-1], [0.5], [0, -1], [0, 'all']]) await assert.rejects(vector.read(...range), argument(/number|integer/));
    await assert.rejects(vector.ntt({ root: 5n }), argument(/root/));
    await assert.rejects(vector.ntt({ root: pail.rootOfUnity(pail.BN254, 4) }), argument(/root/));
    await assert.rejects(vector.ntt({ n: 6 }), argument(/power of two/));
    await assert.rejects(vector.ntt({ shift: 0 }), argument(/shift/));
    await assert.rejects(vector.ntt({ shift: r }), argument(/shift/));
    for (const shift of [-1, 1.5, R, 'five', {}, new Uint8Array(31)]) await assert.rejects(vector.ntt({ shift }), argument(/shift/));
    await assert.rejects(vector.ntt({ logN: 29 }), argument(/2\^29/));
    const short = await context.vector(4);
    const other = await context.vector(8, pail.BLS12_381);
    await assert.rejects(context.run([pail.copy(vector, short)]), argument(/ops\[0\]/));
    await assert.rejects(context.run([pail.copy(short, vector, { n: 4 }), pail.add(vector, vector, other)]), argument(/ops\[1\]/));
    await assert.rejects(context.run([pail.copy(vector, vector, { rOffset: 1, n: 4 })]), argument(/ops\[0\]/));
    for (const wrong of [undefined, {}, { kind: 'toString' }, pail.add(vector, vector), pail.add(vector, vector, {})]) await assert.rejects(context.run([wrong]), { name: 'TypeError', ...argument(/operation 0/) });
    for (const wrong of [5, undefined, {}]) await assert.rejects(context.run(wrong), { name: 'TypeError', ...argument(/list/) });
    assert.deepStrictEqual(await numbers(vector), before);
    await assert.rejects(context.vector(-1), argument(/n is -1/));
    await assert.rejects(context.vector(8, 3), { code: /^PAIL_ERR_(ARGUMENT|UNSUPPORTED)$/, message: /curve/ });
    for (const [curve, log] of [[3, 1], [pail.BN254, 29], [pail.BLS12_381, 33], [pail.BN254, -1], ['1', 1]]) assert.throws(() => pail.rootOfUnity(curve, log), { code: 'PAIL_ERR_ARGUMENT' });
  });
}
