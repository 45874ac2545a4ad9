// SPDX-License-Identifier: Apache-2.0
'use strict';
// require('pail-prover/snarkjs') before snarkjs is used, and its curves multiply and transform through Pail. `accelerate(curve)` does that
// for one curve of ffjavascript. Both keep the functions' arguments and results.
const pail = require('./index.js');

const CURVES = { bn128: pail.BN254, bls12381: pail.BLS12_381 };
// Below this many points the WebAssembly of ffjavascript is done before points are registered.
const FEWEST = 64;
const CHUNK = 1 << 22; // points or elements at a time: what fits one Uint8Array
const FEWEST_ELEMENTS = 256; // the same of a transform
const SMALL = 1 << 10; // integers up to here are kept as elements
const done = new WeakSet();
let context;

// Scalars of fewer than 32 bytes, as checks of setups have them, in 32.
function widened(scalars, n) {
  const width = scalars.byteLength / n;
  if (width === 32) return scalars;
  const wide = new Uint8Array(32 * n);
  for (let i = 0; i < n; i++) wide.set(scalars.subarray(i * width, (i + 1) * width), 32 * i);
  return wide;
}

function accelerateGroup(G, curve, group) {
  const original = G.multiExpAffine;
  const width = 2 * G.F.n8;

  // x and y as the group has them: Montgomery form, and 1 for z.
  function jacobian(point) {
    if (point.every((byte) => byte === 0)) return G.zero;
    const made = new Uint8Array(3 * G.F.n8);
    made.set(G.F.toMontgomery(point.slice(0, G.F.n8)), 0);
    made.set(G.F.toMontgomery(point.slice(G.F.n8)), G.F.n8);
    made.set(G.F.one, 2 * G.F.n8);
    return made;
  }

  G.multiExpAffine = async function multiExpAffine(buffBases, buffScalars, logger, logText) {
    const n = Math.floor(buffBases.byteLength / width);
    const scalarBytes = buffScalars.byteLength / n;
    if (n < FEWEST || !Number.isInteger(scalarBytes) || scalarBytes > 32) {
      return original.call(G, buffBases, buffScalars, logger, logText); // its sentences are for what is wrong
    }
    context ??= new pail.Context();
    let sum = G.zero;
    for (let from = 0; from < n; from += CHUNK) {
      const to = Math.min(n, from + CHUNK);
      if (logger) logger.debug(`Multiexp start: ${logText}: ${from}/${n}, ${context.backend}`);
      const whole = to - from === n;
      // BigBuffer, of which sections above 1 GiB are, has slice alone.
      const part = (buffer, size) => (whole && buffer instanceof Uint8Array ? buffer : buffer.slice(from * size, to * size));
      const bases = await context.bases(part(buffBases, width), { curve, group, encoding: pail.MONTGOMERY, validation: 0 });
      const point = await bases.msm(widened(part(buffScalars, scalarBytes), to - from));
      sum = whole ? jacobian(point) : G.add(sum, jacobian(point));
      if (logger) logger.debug(`Multiexp end: ${logText}: ${from}/${n}`);
    }
    return sum;
  };
}

// The bytes of what ffjavascript has for a vector: an array of elements, a Uint8Array, or a BigBuffer, of which slice makes a
// Uint8Array where it has one page. The result is of the same type.
function bytesOf(given, width) {
  if (!Array.isArray(given)) return given instanceof Uint8Array ? given : given.slice(0, given.byteLength);
  const made = new Uint8Array(width * given.length);
  given.forEach((element, i) => made.set(element, i * width));
  return made;
}

function accelerateTransforms(Fr, curve) {
  const width = Fr.n8;

  async function transformed(inverse, given, n) {
    const input = bytesOf(given, width);
    context ??= new pail.Context();
    const vector = await context.vector(n, curve);
    try {
      for (let from = 0; from < n; from += CHUNK) {
        const whole = n <= CHUNK && input instanceof Uint8Array;
        await vector.write(whole ? input : input.slice(from * width, Math.min(from + CHUNK, n) * width), from, pail.MONTGOMERY);
      }
      await (inverse ? vector.intt() : vector.ntt());
      if (n <= CHUNK && input instanceof Uint8Array) return await vector.read(0, n, pail.MONTGOMERY);
      const made = new input.constructor(n * width);
      for (let from = 0; from < n; from += CHUNK) made.set(await vector.read(from, Math.min(CHUNK, n - from), pail.MONTGOMERY), from * width);
      return made;
    } finally {
      vector.close();
    }
  }

  for (const name of ['fft', 'ifft']) {
    const original = Fr[name];
    Fr[name] = async function (given, ...rest) {
      const n = Array.isArray(given) ? given.length : given.byteLength / width;
      const few = !(n >= FEWEST_ELEMENTS) || !Number.isInteger(Math.log2(n)) || n > 2 ** Fr.s;
      if (few || (Array.isArray(given) && given.some((element) => element.length !== width))) return original.call(Fr, given, ...rest);
      try {
        const made = await transformed(name === 'ifft', given, n);
        return Array.isArray(given) ? Array.from({ length: n }, (_, i) => made.slice(i * width, (i + 1) * width)) : made;
      } catch (error) {
        if (error.code !== 'PAIL_ERR_DATA') throw error;
        return original.call(Fr, given, ...rest); // an element is not below the order, and that is taken as it is there
      }
    };
  }
}

// Provers call the field's functions for every element, in the thread of JavaScript. These find the function of WebAssembly once,
// and copy each operand once.
function accelerateField(F) {
  const { tm, prefix, n8, pOp1, pOp2, pOp3 } = F;
  const { exports } = tm.instance;
  const put = (a, at) => tm.u8.set(a instanceof Uint8Array ? a : new Uint8Array(a), at);
  const unary = (name) => {
    const call = exports[`${prefix}_${name}`];
    return (a) => {
      put(a, pOp1);
      call(pOp1, pOp3);
      return tm.u8.slice(pOp3, pOp3 + n8);
    };
  };
  const binary = (name) => {
    const call = exports[`${prefix}_${name}`];
    return (a, b) => {
      put(a, pOp1);
      put(b, pOp2);
      call(pOp1, pOp2, pOp3);
      return tm.u8.slice(pOp3, pOp3 + n8);
    };
  };
  for (const name of ['add', 'sub', 'mul']) F[name] = binary(name);
  for (const name of ['neg', 'square', 'toMontgomery', 'fromMontgomery']) F[name] = unary(name);
  const kept = new Map(); // elements of small integers
  const { e } = F;
  F.e = (a, b) => {
    if (typeof a !== 'number' || b !== undefined || !(Math.abs(a) <= SMALL)) return e.call(F, a, b);
    if (!kept.has(a)) kept.set(a, e.call(F, a));
    return kept.get(a).slice();
  };
}

/** Lets a curve of ffjavascript multiply in G1 and G2 and transform in Fr through Pail; returns the curve. */
function accelerate(curve) {
  const number = CURVES[curve.name];
  if (!number) throw new RangeError(`Pail has no curve ${curve.name}`);
  if (!done.has(curve)) {
    accelerateGroup(curve.G1, number, pail.G1);
    accelerateGroup(curve.G2, number, pail.G2);
    accelerateTransforms(curve.Fr, number);
    accelerateField(curve.Fr);
    done.add(curve);
  }
  return curve;
}

// ffjavascript keeps its curves in these: each that is made from now on, and those there are.
for (const name of ['curve_bn128', 'curve_bls12381']) {
  let kept = globalThis[name];
  const taken = (curve) => (curve ? accelerate(curve) : curve);
  kept = taken(kept);
  Object.defineProperty(globalThis, name, {
    configurable: true,
    enumerable: true,
    get: () => kept,
    set: (curve) => {
      kept = taken(curve);
    },
  });
}

module.exports = { accelerate };
