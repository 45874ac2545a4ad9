// SPDX-License-Identifier: Apache-2.0
// A setup of KZG commitments with a known tau, for tests, in the format of c-kzg-4844's trusted_setup.txt.
import { bls12_381 } from '@noble/curves/bls12-381.js';

export const { Fr } = bls12_381.fields;
const G1 = bls12_381.G1.Point;
const G2 = bls12_381.G2.Point;

// 7 generates the multiplicative group of the scalar field.
const rootOfUnity = (n) => Fr.pow(7n, (Fr.ORDER - 1n) / BigInt(n));

// l_i(tau) = w^i (tau^n - 1) / (n (tau - w^i))
export function lagrange(n, tau) {
  const w = rootOfUnity(n);
  const numerator = Fr.sub(Fr.pow(tau, BigInt(n)), 1n);
  return Array.from({ length: n }, (_, i) => {
    const at = Fr.pow(w, BigInt(i));
    return Fr.mul(Fr.mul(at, numerator), Fr.inv(Fr.mul(BigInt(n), Fr.sub(tau, at))));
  });
}

export function reverseBits(i, n) {
  let reversed = 0;
  for (let bit = 1; bit < n; bit *= 2, i >>= 1) reversed = 2 * reversed + (i & 1);
  return reversed;
}

export function setup(n, m, tau) {
  const powers = Array.from({ length: Math.max(n, m) }, (_, i) => Fr.pow(tau, BigInt(i)));
  const points = (Point, scalars) => scalars.map((k) => Point.BASE.multiply(k).toHex(true));
  return [n, m, ...points(G1, lagrange(n, tau)), ...points(G2, powers.slice(0, m)), ...points(G1, powers.slice(0, n)), '']
    .join('\n');
}

// The commitment to a blob: its elements are the values of a polynomial at the roots in bit-reversed
// order, and this is that polynomial at tau.
export function commit(elements, tau) {
  const n = elements.length;
  const basis = lagrange(n, tau);
  const value = elements.reduce((sum, y, i) => Fr.add(sum, Fr.mul(y, basis[reverseBits(i, n)])), 0n);
  return (value === 0n ? G1.ZERO : G1.BASE.multiply(value)).toHex(true);
}
