// SPDX-License-Identifier: Apache-2.0
'use strict';
// Pail for node against snarkjs and ffjavascript, and inside them:
//   DATA=tests/data node --test snarkjs.test.js
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test, after } = require('node:test');

const pail = require('pail-prover');
const snarkjs = require('snarkjs'); // before Pail: verification is theirs alone
const ffjavascript = require('ffjavascript');
const { write } = require('./squares.js');
const { accelerate } = require('pail-prover/snarkjs');

const { DATA } = process.env;
const data = (name) => path.join(DATA, name);
const read = (name) => JSON.parse(fs.readFileSync(data(name)));
const bytes = (given) => Buffer.from(given.slice(0, given.byteLength));

after(async () => {
  for (const name of ['curve_bn128', 'curve_bls12381']) await globalThis[name]?.terminate();
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

// Proofs and public values that nobody made by proving. Where snarkjs throws, and where it takes another form of a number or of a
// point, Pail says false; otherwise both say the same.
test('what is not trusted is false, and no failure', async () => {
  const [vkey, proof, publics] = [read('ledger.vkey.json'), read('ledger.proof.json'), read('ledger.public.json')];
  const r = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
  const p = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
  const [x, y] = proof.pi_a;
  const scaled = (point) => [`${(BigInt(point[0]) * 4n) % p}`, `${(BigInt(point[1]) * 8n) % p}`, '2'];
  const first = (value) => [value, ...publics.slice(1)];
  const a = (...point) => ({ ...proof, pi_a: point });
  const both = [
    [publics, proof], [publics.map(BigInt), proof], [publics, { ...proof, protocol: undefined, curve: undefined }], // true
    [first('5'), proof], [first(`${BigInt(publics[0]) + r}`), proof], [first(`${2n ** 256n}`), proof], [first(`${2n ** 300n}`), proof],
    [publics, a('1', '1', '1')], [publics, a(`${2n ** 256n}`, y, '1')], [publics, a(x, `${2n ** 300n}`, '1')],
    [publics, a('0', '0', '1')], [publics, a('0', '1', '0')], [publics, a(x, y, '0')],
    [publics, { ...proof, pi_b: [[`${2n ** 256n}`, '1'], ['1', '1'], ['1', '0']] }], [publics, { ...proof, pi_c: proof.pi_a }],
    [publics.slice(1), proof], [[], proof], [first('-5'), proof],
  ];
  const stricter = [
    [first(`0x${BigInt(publics[0]).toString(16)}`), proof], [publics, a(x, y)], [publics, a(...scaled(proof.pi_a))],
    [publics, a(`${BigInt(x) + p}`, y, '1')], [publics, a(x, `${2n ** 256n + BigInt(y)}`, '1')],
  ];
  const thrown = [
    [publics, {}], [publics, null], [publics, undefined], [publics, 'proof'], [undefined, proof], [null, proof], [{}, proof],
    [[...publics, '1'], proof], [first(null), proof], [first('five'), proof], [first({}), proof], [first(''), proof], [first(1.5), proof], [publics, a()],
    [publics, { ...proof, pi_a: null }], [publics, { ...proof, pi_b: [x, y, '1'] }], [publics, a(x, 'y', '1')], [publics, a({}, [], '1')],
  ];
  const theirs = async (given) => snarkjs.groth16.verify(vkey, ...structuredClone(given)).catch(() => 'thrown');
  const key = await new pail.Context({ backend: 'cpu' }).key(data('ledger.zkey'));
  const ours = async (given) => {
    const found = await pail.groth16.verify(vkey, ...given);
    assert.strictEqual(await key.verify(...given), found);
    return found;
  };
  const shown = (given) => require('node:util').inspect(given, { depth: 4 }).slice(0, 2000);
  let valid = 0;
  for (const given of both) {
    const found = await ours(given);
    assert.strictEqual(found, await theirs(given), shown(given));
    valid += found;
  }
  assert.strictEqual(valid, 3);
  for (const given of stricter) assert.deepStrictEqual([await ours(given), await theirs(given)], [false, true], shown(given));
  for (const given of thrown) {
    assert.strictEqual(await ours(given), false, shown(given));
    assert.notStrictEqual(await theirs(given), true, shown(given));
  }
  const deep = JSON.parse(`${'['.repeat(1e5)}${']'.repeat(1e5)}`);
  for (const given of [[first('9'.repeat(1e7)), proof], [deep, proof], [publics, deep], [publics, a(x, deep, '1')]]) assert.strictEqual(await ours(given), false);
  for (const verify of [snarkjs.groth16.verify, pail.groth16.verify]) assert.ok(await verify({ ...vkey, nPublic: 7 }, publics, proof));
  for (const wrong of [undefined, {}, { ...vkey, curve: 'bn' }, { ...vkey, IC: [] }, { ...vkey, IC: undefined }, { ...vkey, vk_beta_2: vkey.vk_alpha_1 }]) {
    await assert.rejects(pail.groth16.verify(wrong, publics, proof), { code: /^PAIL_ERR_(ARGUMENT|DATA)$/ }); // the key is the caller's
  }
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

// Elements, in Montgomery form: the lowest and the highest among random ones.
function elements(Fr, n) {
  const made = new Uint8Array(n * Fr.n8);
  let one = Fr.e(7);
  for (let i = 0; i < n; i++) {
    made.set(i % 5 === 1 ? Fr.zero : i % 7 === 2 ? Fr.negone : one, i * Fr.n8);
    one = Fr.add(Fr.square(one), Fr.one);
  }
  return made;
}

test('fft and ifft give the bytes that ffjavascript gives', async () => {
  for (const name of ['bn128', 'bls12381']) {
    const build = name === 'bn128' ? ffjavascript.buildBn128 : ffjavascript.buildBls12381;
    const theirs = await build(true);
    const ours = accelerate(await build(true));
    const most = name === 'bn128' && process.env.PAIL_TEST_LONG ? 16 : 12;
    for (const call of ['fft', 'ifft']) {
      assert.match(ours.Fr[call].toString(), /transformed/);
      assert.doesNotMatch(theirs.Fr[call].toString(), /transformed/);
      for (let log = 0; log <= most; log++) {
        const given = elements(theirs.Fr, 2 ** log);
        const [kept, expected] = [given.slice(), await theirs.Fr[call](given.slice())];
        const same = (found, what) => assert.ok(bytes(expected).equals(bytes(found)), `${name}: ${call} of 2^${log}, ${what}`);
        const found = await ours.Fr[call](given, 'jacobian', 'affine');
        same(found, 'a Uint8Array');
        assert.strictEqual(found.constructor, expected.constructor);
        assert.ok(bytes(kept).equals(bytes(given)), 'what was given has changed');
        const big = new ffjavascript.BigBuffer(given.byteLength);
        big.set(given, 0);
        const ofBig = await ours.Fr[call](big);
        same(ofBig, 'a BigBuffer');
        assert.strictEqual(ofBig.constructor, (await theirs.Fr[call](big)).constructor);
        if (log > 10) continue;
        const list = await ours.Fr[call](theirs.buffer2array(given, 32));
        assert.ok(Array.isArray(list) && list.length === 2 ** log);
        same(theirs.array2buffer(list, 32), 'an array');
      }
      const unreduced = new Uint8Array(32 * 512).fill(0xff); // is computed with, there
      assert.ok(bytes(await theirs.Fr[call](unreduced)).equals(bytes(await ours.Fr[call](unreduced))));
      for (const n of [0, 3, 300, 513]) await assert.rejects(ours.Fr[call](new Uint8Array(32 * n)), /multiple of 2/);
    }
    await theirs.terminate();
    await ours.terminate();
  }
});

test('the field of provers has the same functions', async () => {
  const theirs = (await ffjavascript.buildBn128(true)).Fr;
  const ours = accelerate(await ffjavascript.buildBn128(true)).Fr;
  assert.notStrictEqual(ours.mul, Object.getPrototypeOf(ours).mul);
  assert.strictEqual(theirs.mul, Object.getPrototypeOf(theirs).mul);
  const all = elements(theirs, 40);
  const at = (i) => all.slice(32 * i, 32 * i + 32);
  const same = (a, b, what) => assert.ok(bytes(a).equals(bytes(b)), what);
  for (let i = 0; i < 40; i++) {
    for (const name of ['neg', 'square', 'toMontgomery', 'fromMontgomery']) same(theirs[name](at(i)), ours[name](at(i)), name);
    for (let j = 0; j < 40; j++) for (const name of ['add', 'sub', 'mul']) same(theirs[name](at(i), at(j)), ours[name](at(i), at(j)), name);
  }
  same(theirs.add(at(3).buffer, Array.from(at(4))), ours.add(at(3).buffer, Array.from(at(4))), 'bytes of other kinds');
  for (const value of [0, -0, 1, -1, 5, -8, 1024, -1024, 1025, 2 ** 40, 5n, -5n, '77', theirs.p, theirs.p + 1n]) same(theirs.e(value), ours.e(value), `${value}`);
  same(theirs.e('ff', 16), ours.e('ff', 16));
  ours.e(5)[0] ^= 1; // is the caller's
  same(theirs.e(5), ours.e(5));
});

test('proofs of PLONK and FFLONK are accepted', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pail-'));
  try {
    const curve = await ffjavascript.getCurveFromName('bn128');
    assert.match(curve.Fr.fft.toString(), /transformed/);
    for (const protocol of ['plonk', 'fflonk']) {
      const { zkey, wtns } = await write(snarkjs, curve, folder, protocol, 8);
      const { proof, publicSignals } = await snarkjs[protocol].prove(zkey, wtns);
      const vkey = await snarkjs.zKey.exportVerificationKey(zkey);
      assert.ok(await snarkjs[protocol].verify(vkey, publicSignals, proof));
      assert.ok(!(await snarkjs[protocol].verify(vkey, ['1'], proof)));
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});
