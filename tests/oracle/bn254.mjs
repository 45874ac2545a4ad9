// SPDX-License-Identifier: Apache-2.0
// BN254 by @noble/curves: bytes in, one point out.
import { bn254 } from '@noble/curves/bn254.js';
import { pippenger } from '@noble/curves/abstract/curve.js';

export const G1 = bn254.G1.Point;
export const G2 = bn254.G2.Point;
const Fp = bn254.fields.Fp;
const Fr = bn254.fields.Fr;
export const p = Fp.ORDER;
export const r = Fr.ORDER;
const R = 1n << 256n;
const inverseR = Fp.inv(R % p);

export function readInt(bytes, offset = 0) {
  let value = 0n;
  for (let i = 31; i >= 0; i--) value = (value << 8n) | BigInt(bytes[offset + i]);
  return value;
}

export function writeInt(value) {
  const bytes = new Uint8Array(32);
  for (let i = 0; i < 32; i++, value >>= 8n) bytes[i] = Number(value & 255n);
  return bytes;
}

function coordinate(bytes, offset, encoding) {
  const value = readInt(bytes, offset);
  if (value >= p) throw new Error(`coordinate at byte ${offset} is not below p`);
  return encoding === 'montgomery' ? Fp.mul(value, inverseR) : value;
}

const allZero = (bytes) => bytes.every((byte) => byte === 0);

// Affine points of 64 bytes, x then y, all zero for infinity.
export function readG1(bytes, encoding) {
  const points = [];
  for (let at = 0; at < bytes.length; at += 64) {
    if (allZero(bytes.subarray(at, at + 64))) {
      points.push(G1.ZERO);
      continue;
    }
    const point = G1.fromAffine({ x: coordinate(bytes, at, encoding), y: coordinate(bytes, at + 32, encoding) });
    point.assertValidity();
    points.push(point);
  }
  return points;
}

// Affine points of 128 bytes: x.c0, x.c1, y.c0, y.c1.
export function readG2(bytes, encoding) {
  const points = [];
  for (let at = 0; at < bytes.length; at += 128) {
    if (allZero(bytes.subarray(at, at + 128))) {
      points.push(G2.ZERO);
      continue;
    }
    const c = [0, 32, 64, 96].map((offset) => coordinate(bytes, at + offset, encoding));
    const point = G2.fromAffine({ x: { c0: c[0], c1: c[1] }, y: { c0: c[2], c1: c[3] } });
    point.assertValidity();
    points.push(point);
  }
  return points;
}

export function writeG1(points, encoding) {
  const bytes = new Uint8Array(64 * points.length);
  points.forEach((point, i) => {
    if (point.is0()) return;
    const { x, y } = point.toAffine();
    const encode = (value) => writeInt(encoding === 'montgomery' ? (value * R) % p : value);
    bytes.set(encode(x), 64 * i);
    bytes.set(encode(y), 64 * i + 32);
  });
  return bytes;
}

export function readScalars(bytes) {
  const scalars = [];
  for (let at = 0; at < bytes.length; at += 32) scalars.push(readInt(bytes, at));
  return scalars;
}

// Scalars are any integers: a multiple of r more or less gives the same sum in a group of order r.
export const msm = (Point, points, scalars) => pippenger(Point, points, scalars.map((k) => k % r));

const hex = (value) => '0x' + value.toString(16).padStart(64, '0');

// The members `infinity`, `x` and `y` of what `pail msm --json` prints.
export function describe(point) {
  if (point.is0()) {
    const zero = point instanceof G2 ? [hex(0n), hex(0n)] : hex(0n);
    return { infinity: true, x: zero, y: zero };
  }
  const { x, y } = point.toAffine();
  const coordinateText = (value) => (typeof value === 'bigint' ? hex(value) : [hex(value.c0), hex(value.c1)]);
  return { infinity: false, x: coordinateText(x), y: coordinateText(y) };
}
