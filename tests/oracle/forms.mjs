// SPDX-License-Identifier: Apache-2.0
// Points of both curves and both groups in the forms that other programs write them in.
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';

const group = (curve, number, width) => ({
  Point: curve[`G${number}`].Point,
  F: number === 1 ? curve.fields.Fp : curve.fields.Fp2,
  p: curve.fields.Fp.ORDER,
  r: curve.fields.Fr.ORDER,
  width,
  parts: number,
});

export const groups = {
  bn254: { g1: group(bn254, 1, 32), g2: group(bn254, 2, 32) },
  'bls12-381': { g1: group(bls12_381, 1, 48), g2: group(bls12_381, 2, 48) },
};

export function bigEndian(value, size) {
  const bytes = new Uint8Array(size);
  for (let i = size - 1; i >= 0; i--, value >>= 8n) bytes[i] = Number(value & 255n);
  return bytes;
}

export const littleEndian = (value, size) => bigEndian(value, size).reverse();
export const hex = (bytes) => Buffer.from(bytes).toString('hex');
export const concat = (list) => Uint8Array.from(Buffer.concat(list));

// Elements of the base field in a coordinate: [c], or [c0, c1].
const elements = (c) => (typeof c === 'bigint' ? [c] : [c.c0, c.c1]);

// Above its negative; where c1 is not zero, by c1.
export const isLargest = ({ p }, y) => 2n * (elements(y).findLast((c) => c !== 0n) ?? 0n) > p;

const affine = (point) => {
  const { x, y } = point.toAffine();
  return [x, y];
};

// Bases as they are registered: x, y, little-endian, all zero for infinity; each element times `factor`.
export function canonical(g, point, factor = 1n) {
  if (point.is0()) return new Uint8Array(2 * g.parts * g.width);
  return concat(affine(point).flatMap(elements).map((c) => littleEndian((c * factor) % g.p, g.width)));
}

export const montgomery = (g, point) => canonical(g, point, 1n << BigInt(8 * g.width));

// The members `infinity`, `x` and `y` of what `pail msm --json` prints.
export function describe(g, point) {
  const digits = (c) => '0x' + c.toString(16).padStart(2 * g.width, '0');
  const zero = g.parts === 1 ? 0n : { c0: 0n, c1: 0n };
  const [x, y] = (point.is0() ? [zero, zero] : affine(point)).map((c) => elements(c).map(digits));
  return { infinity: point.is0(), x: g.parts === 1 ? x[0] : x, y: g.parts === 1 ? y[0] : y };
}

function uncompressed(g, point, size, highFirst) {
  if (point.is0()) return new Uint8Array(2 * g.parts * size);
  const ordered = affine(point).flatMap((c) => (highFirst ? elements(c).reverse() : elements(c)));
  return concat(ordered.map((c) => bigEndian(c, size)));
}

// Bits of the byte that holds the flags: `flags` of smallest, largest, infinity.
function compressed(g, point, flags, little) {
  const x = point.is0() ? Array(g.parts).fill(0n) : elements(affine(point)[0]);
  const bytes = little
    ? concat(x.map((c) => littleEndian(c, g.width)))
    : concat(x.reverse().map((c) => bigEndian(c, g.width)));
  const bits = point.is0() ? flags[2] : flags[isLargest(g, affine(point)[1]) ? 1 : 0];
  bytes[little ? bytes.length - 1 : 0] |= bits;
  return bytes;
}

export const forms = {
  eip196: { curve: 'bn254', encode: (g, point) => uncompressed(g, point, 32, true) },
  eip2537: { curve: 'bls12-381', encode: (g, point) => uncompressed(g, point, 64, false) },
  zcash: { curve: 'bls12-381', mask: 0xe0, encode: (g, point) => compressed(g, point, [0x80, 0xa0, 0xc0], false) },
  gnark: { curve: 'bn254', mask: 0xc0, encode: (g, point) => compressed(g, point, [0x80, 0xc0, 0x40], false) },
  arkworks: { curve: 'bn254', mask: 0xc0, encode: (g, point) => compressed(g, point, [0, 0x80, 0x40], true) },
};

// ---- Points that a random multiple of the generator will not be ----

// The constant b of y^2 = x^3 + b.
export function constant(g) {
  const { x, y } = g.Point.BASE.toAffine();
  return g.F.sub(g.F.sqr(y), g.F.mul(g.F.sqr(x), x));
}

const element = (g, c) => (g.parts === 1 ? c : { c0: c, c1: 1n });

function rootOrNull(g, a) {
  try {
    return g.F.sqrt(a);
  } catch {
    return null;
  }
}

const squareOfY = (g, x) => g.F.add(g.F.mul(g.F.sqr(x), x), constant(g));

// Coordinates x, from x = `from` on in its lowest element, that no point has.
export function xOffCurve(g, from = 1n) {
  for (let c = from; ; c++) {
    if (rootOrNull(g, squareOfY(g, element(g, c))) === null) return element(g, c);
  }
}

// A point on the curve that is not in the subgroup of order r; null where there is none.
export function outsideSubgroup(g, from = 1n) {
  if (g.Point === bn254.G1.Point) return null;
  for (let c = from; ; c++) {
    const x = element(g, c);
    const y = rootOrNull(g, squareOfY(g, x));
    if (y === null) continue;
    const point = g.Point.fromAffine({ x, y });
    if (!point.isTorsionFree()) return point;
  }
}

// In G2, a point whose y has c1 = 0, so that c0 decides about its sign: a cube root of y^2 - b. With
// q - 1 = 3^s t, c^k with 3 k = 1 mod t is that root but for a factor of the group of order 3^s.
export function realY(g) {
  const { F } = g;
  const b = constant(g);
  const order = F.ORDER - 1n;
  let t = order;
  let sylow = 1n;
  for (; t % 3n === 0n; t /= 3n) sylow *= 3n;
  const k = t % 3n === 2n ? (t + 1n) / 3n : (2n * t + 1n) / 3n;
  let root;
  for (let c = 2n; ; c++) {
    root = F.pow({ c0: c, c1: 1n }, t);
    if (!F.eql(F.pow(root, sylow / 3n), F.ONE)) break;
  }
  for (let c = 1n; ; c++) {
    const y = { c0: c, c1: 0n };
    const cube = F.sub(F.sqr(y), b);
    let x = F.pow(cube, k);
    for (let i = 0n; i < sylow; i++, x = F.mul(x, root)) {
      if (F.eql(F.mul(F.sqr(x), x), cube)) return g.Point.fromAffine({ x, y });
    }
  }
}
