// SPDX-License-Identifier: Apache-2.0
'use strict';
// Files of snarkjs for a circuit of repeated squares, x[i + 1] = x[i]^2, without a ceremony: tau is known. write() makes a circuit
// whose domain has 2^log elements in both PLONK and FFLONK.
const fs = require('node:fs');
const path = require('node:path');

const TAU = 123456789n;

function uint(number, bytes) {
  const made = Buffer.alloc(bytes);
  for (let i = 0, rest = BigInt(number); i < bytes; i++, rest >>= 8n) made[i] = Number(rest & 255n);
  return made;
}

// The container that they all have: type, version, and sections of {number: bytes}.
function container(file, type, version, sections) {
  const parts = [Buffer.from(type), uint(version, 4), uint(Object.keys(sections).length, 4)];
  for (const [number, bytes] of Object.entries(sections)) parts.push(uint(number, 4), uint(bytes.byteLength, 8), bytes);
  fs.writeFileSync(file, Buffer.concat(parts));
}

// Wires: 1, the last square, which is public, then all others.
function writeCircuit(name, r, squares) {
  const values = [3n];
  for (let i = 0; i < squares; i++) values.push((values[i] * values[i]) % r);
  const term = (i) => Buffer.concat([uint(1, 4), uint(i === squares ? 1 : i + 2, 4), uint(1, 32)]);
  const constraints = Array.from({ length: squares }, (_, i) => [term(i), term(i), term(i + 1)]);
  const wires = squares + 2;
  container(name('r1cs'), 'r1cs', 1, {
    1: Buffer.concat([uint(32, 4), uint(r, 32), uint(wires, 4), uint(1, 4), uint(0, 4), uint(1, 4), uint(wires, 8), uint(squares, 4)]),
    2: Buffer.concat(constraints.flat()),
    3: Buffer.concat(Array.from({ length: wires }, (_, i) => uint(i, 8))),
  });
  container(name('wtns'), 'wtns', 2, {
    1: Buffer.concat([uint(32, 4), uint(r, 32), uint(wires, 4)]),
    2: Buffer.concat([1n, values[squares], ...values.slice(0, squares)].map((value) => uint(value, 32))),
  });
}

// L_i(tau) G = w^i (tau^n - 1) / (n (tau - w^i)) G, behind those of smaller domains, which are not read.
async function lagrange({ Fr, G1 }, log) {
  const n = 2 ** log;
  const tau = Fr.e(TAU);
  const factor = Fr.div(Fr.sub(Fr.exp(tau, n), Fr.one), Fr.e(n));
  const points = new Uint8Array((2 * n - 1) * 64);
  for (let i = 0, x = Fr.one; i < n; i++, x = Fr.mul(x, Fr.w[log])) {
    const value = Fr.mul(Fr.div(x, Fr.sub(tau, x)), factor);
    points.set(G1.toAffine(G1.timesScalar(G1.g, Fr.toObject(value))), (n - 1 + i) * 64);
  }
  return points;
}

// tau^i G, as many as are asked for.
function powers(G, Fr, count) {
  const points = new Uint8Array(count * 2 * G.F.n8);
  for (let i = 0; i < count; i++) points.set(G.toAffine(G.g), i * 2 * G.F.n8);
  return G.batchApplyKey(points, Fr.one, Fr.e(TAU));
}

/** protocol: 'plonk' or 'fflonk'. A promise of the paths of {zkey, wtns} in a folder. */
async function write(snarkjs, curve, folder, protocol, log) {
  const n = 2 ** log;
  const name = (ending) => path.join(folder, `${protocol}${log}.${ending}`);
  writeCircuit(name, BigInt(curve.r), n - 4); // a gate each, one for the public value, and FFLONK adds two
  container(name('ptau'), 'ptau', 1, {
    1: Buffer.concat([uint(32, 4), uint(curve.q, 32), uint(log + 4, 4), uint(log + 4, 4)]),
    2: await powers(curve.G1, curve.Fr, protocol === 'plonk' ? n + 6 : 9 * n + 18),
    3: await powers(curve.G2, curve.Fr, 2),
    12: protocol === 'plonk' ? await lagrange(curve, log) : new Uint8Array(0),
  });
  if ((await snarkjs[protocol].setup(name('r1cs'), name('ptau'), name('zkey'))) === -1) throw new Error(`${protocol}.setup failed`);
  return { zkey: name('zkey'), wtns: name('wtns') };
}

module.exports = { write };
