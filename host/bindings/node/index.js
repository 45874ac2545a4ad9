'use strict';
// Pail for node. Points and scalars are typed arrays of integers, read where they are: they may not be written, nor their buffers
// transferred, until the promise that they went into has settled. Encodings are those of the README.
const native = require('./prebuilt/linux-x64/pail_node.node');

const BN254 = 1, BLS12_381 = 2, G1 = 1, G2 = 2, CANONICAL = 0, MONTGOMERY = 1, JACOBIAN = 2;
const CURVES = { bn128: BN254, bn254: BN254, bls12381: BLS12_381 };
const WIDTHS = { [BN254]: 32, [BLS12_381]: 48 };

// A promise of `start(flag)` that an AbortSignal ends at once. What cannot be stopped runs on, and its result is dropped.
async function abortable(signal, start) {
  if (!signal) return start();
  signal.throwIfAborted();
  const flag = new native.Flag();
  let raise;
  const aborted = new Promise((_, reject) => {
    raise = () => {
      flag.raise();
      reject(signal.reason);
    };
    signal.addEventListener('abort', raise, { once: true });
  });
  const work = start(flag);
  work.catch(() => {}); // told by `aborted`, or below
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', raise);
  }
}

/** A device of a backend. */
class Context {
  #native;

  /** options.backend: 'vulkan' or 'cpu'; options.device: its number; options.threads: for work on the CPU. */
  constructor(options = {}) {
    this.#native = new native.Context(options.backend, options.device, options.threads);
  }

  get backend() {
    return this.#native.backend;
  }

  /** Registers packed points: a promise of Bases. */
  async bases(points, { curve = BN254, group = G1, encoding = CANONICAL, validation = 1 } = {}) {
    return new Bases(await this.#native.bases(points, curve, group, encoding, validation));
  }

  /** Opens a proving key, the path of a .zkey or its bytes: a promise of a Key. */
  async key(zkey) {
    return new Key(await this.#native.key(file(zkey)));
  }
}

/** Points that are registered with a context. */
class Bases {
  #native;

  constructor(made) {
    this.#native = made;
  }

  get length() {
    return this.#native.length;
  }

  /** A promise of the sum of scalars[i] * bases[offset + i], a point as bases have it. */
  async msm(scalars, { offset = 0, encoding = CANONICAL, signal } = {}) {
    return abortable(signal, (flag) => this.#native.msm(scalars, offset, encoding, flag));
  }

  /** The same, at once: for multiplications of a few points. */
  msmSync(scalars, offset = 0, encoding = CANONICAL) {
    return this.#native.msmSync(scalars, offset, encoding);
  }
}

/** A Groth16 proving key that is registered with a context. */
class Key {
  #native;

  constructor(made) {
    this.#native = made;
  }

  /** A promise of {proof, publicSignals}, as snarkjs has them. blinding: 64 bytes, r and s: for tests alone. */
  async prove(witness, { blinding, signal } = {}) {
    const made = await abortable(signal, () => this.#native.prove(file(witness), blinding));
    return { proof: JSON.parse(made.proof), publicSignals: JSON.parse(made.publics) };
  }

  /** Whether a proof of this key is valid. */
  async verify(publicSignals, proof) {
    const key = this.#native.verifying();
    return native.verify(key, packedProof(proof, key.curve), packedPublics(publicSignals));
  }
}

// As snarkjs takes files: a path, bytes, or {type: 'mem', data}.
function file(given) {
  return given !== null && typeof given === 'object' && given.type === 'mem' ? given.data : given;
}

function integer(number, width, what) {
  let rest = BigInt(number);
  const bytes = new Uint8Array(width);
  if (rest < 0n || rest >> BigInt(8 * width) !== 0n) throw new RangeError(`${what} ${number} does not fit ${width} bytes`);
  for (let i = 0; rest > 0n; i++, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

function bad(sentence) {
  return Object.assign(new Error(sentence), { code: 'PAIL_ERR_DATA' });
}

// A number of JSON, as snarkjs writes it, or as JavaScript holds it without loss.
const isNumber = (one) => typeof one === 'bigint' || (Number.isSafeInteger(one) && one >= 0) || (typeof one === 'string' && /^[0-9]+$/.test(one));
const cited = (one) => JSON.stringify(one, (_, value) => (typeof value === 'bigint' ? `${value}` : value));

// A point of JSON: x, y and 1, or 0, 1 and 0 for infinity; in G2 pairs with 0 in the second place of 1.
function packedPoint(point, width, pairs) {
  const size = pairs ? 2 : 1;
  const isCoordinate = (one) => (pairs ? Array.isArray(one) && one.length === 2 && one.every(isNumber) : isNumber(one));
  if (!Array.isArray(point) || point.length !== 3 || !point.every(isCoordinate)) throw bad(`the point ${cited(point)} has not three coordinates${pairs ? ', each a pair' : ''}`);
  const numbers = point.flat().map(BigInt);
  const packed = new Uint8Array(2 * size * width);
  const last = numbers.slice(2 * size);
  const rest = (all) => all.slice(1).every((number) => number === 0n);
  if (last[0] === 0n && rest(last) && numbers[size] === 1n && rest(numbers.slice(size, 2 * size)) && numbers[0] === 0n
    && rest(numbers.slice(0, size))) return packed;
  if (last[0] !== 1n || !rest(last)) throw bad(`the point ${cited(point)} does not end with 1`);
  numbers.slice(0, 2 * size).forEach((number, i) => packed.set(integer(number, width, 'the coordinate'), i * width));
  return packed;
}

function packedProof(proof, curve) {
  const width = WIDTHS[curve];
  return { a: packedPoint(proof.pi_a, width, false), b: packedPoint(proof.pi_b, width, true), c: packedPoint(proof.pi_c, width, false) };
}

function packedPublics(publicSignals) {
  if (!Array.isArray(publicSignals) || !publicSignals.every(isNumber)) throw bad(`the public values ${cited(publicSignals)} are no list of numbers`);
  const packed = new Uint8Array(32 * publicSignals.length);
  publicSignals.forEach((value, i) => packed.set(integer(value, 32, 'the public value'), 32 * i));
  return packed;
}

let shared; // a context of the best backend, and the last key that it proved with
function sharedContext() {
  shared ??= { context: new Context(), file: undefined, key: undefined };
  return shared;
}

/** Functions of the names and arguments that snarkjs.groth16 has. */
const groth16 = {
  /** A promise of {proof, publicSignals}. The key stays registered until another one is proved with, if it is a path. */
  async prove(zkey, wtns, { signal } = {}) {
    const state = sharedContext();
    const given = file(zkey);
    let key;
    if (typeof given !== 'string') {
      key = state.context.key(given);
    } else {
      const { mtimeNs, size, ino } = await require('node:fs/promises').stat(given, { bigint: true }).catch(() => ({}));
      const name = [given, mtimeNs, size, ino].join();
      if (state.file !== name) Object.assign(state, { file: name, key: state.context.key(given) });
      key = state.key;
      key.catch(() => state.key === key && (state.file = undefined));
    }
    return (await key).prove(wtns, { signal });
  },

  /** Whether a proof is valid. As snarkjs: false where a point is no point of its group. */
  async verify(vkey, publicSignals, proof) {
    const curve = CURVES[vkey.curve];
    if (!curve) throw new RangeError(`there is no curve ${vkey.curve}`);
    const width = WIDTHS[curve];
    const ic = new Uint8Array(2 * width * vkey.IC.length);
    vkey.IC.forEach((point, i) => ic.set(packedPoint(point, width, false), 2 * width * i));
    const key = { curve, ic, alpha1: packedPoint(vkey.vk_alpha_1, width, false) };
    for (const name of ['beta', 'gamma', 'delta']) key[`${name}2`] = packedPoint(vkey[`vk_${name}_2`], width, true);
    try {
      return await native.verify(key, packedProof(proof, curve), packedPublics(publicSignals));
    } catch (error) {
      if (error.code === 'PAIL_ERR_DATA') return false;
      throw error;
    }
  },
};

module.exports = { BN254, BLS12_381, G1, G2, CANONICAL, MONTGOMERY, JACOBIAN, Context, groth16, version: native.version };
