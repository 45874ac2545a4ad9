'use strict';
// require('pail/snarkjs') before snarkjs is used, and its curves multiply through Pail. `accelerate(curve)` does that for one
// curve of ffjavascript. Both keep the functions' arguments and results.
const pail = require('./index.js');

const CURVES = { bn128: pail.BN254, bls12381: pail.BLS12_381 };
// Below this many points the WebAssembly of ffjavascript is done before points are registered.
const FEWEST = 64;
const CHUNK = 1 << 22; // points at a time: what fits one Uint8Array of scalars and points
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

/** Lets G1 and G2 of a curve of ffjavascript multiply through Pail; returns the curve. */
function accelerate(curve) {
  const number = CURVES[curve.name];
  if (!number) throw new RangeError(`Pail has no curve ${curve.name}`);
  if (!done.has(curve)) {
    accelerateGroup(curve.G1, number, pail.G1);
    accelerateGroup(curve.G2, number, pail.G2);
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
