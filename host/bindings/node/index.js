// SPDX-License-Identifier: Apache-2.0
'use strict';
// Pail for node. Points, scalars and elements are typed arrays of integers. They are copied before a function returns its promise,
// and copies of secrets are wiped. Encodings are those of the README.
const { readFile, stat } = require('node:fs/promises');
const { native, BN254, BLS12_381, G1, CANONICAL, constants, refused, bad, packed } = require('./native.js');
const { witness } = require('./witness.js');
const { Vector, Matrix, matrixOf, flat, nativeOf, operations } = require('./vectors.js');

const CURVES = { bn128: BN254, bn254: BN254, bls12381: BLS12_381 };
const WIDTHS = { [BN254]: 32, [BLS12_381]: 48 };

// A promise of `start(flag)`. An AbortSignal ends it, and it settles once nothing of it runs any more.
async function abortable(signal, start) {
  if (!signal) return start();
  if (!(signal instanceof AbortSignal)) throw refused(TypeError, 'signal is no AbortSignal');
  signal.throwIfAborted();
  const flag = new native.Flag();
  const raise = () => flag.raise();
  signal.addEventListener('abort', raise, { once: true });
  try {
    const made = await start(flag);
    signal.throwIfAborted();
    return made;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
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

  /** A promise of a Vector of n elements of a curve's scalar field, all 0. */
  async vector(n, curve = BN254) {
    return new Vector(await this.#native.vector(n, curve), (ops) => this.run(ops));
  }

  /**
   * Registers a sparse matrix: a promise of a Matrix. Row i has the entries rowStarts[i] to rowStarts[i + 1] - 1 of columns and
   * values, which are 32 bytes each; rowStarts has one number more than there are rows.
   */
  async matrix(rowStarts, columns, values, nColumns, curve = BN254, encoding = CANONICAL) {
    return matrixOf(this.#native, rowStarts, columns, values, nColumns, curve, encoding);
  }

  /** Operations (ntt and the others), each of which sees the results of those before it: a promise of their end. */
  async run(ops) {
    if (typeof ops?.[Symbol.iterator] !== 'function') throw refused(TypeError, 'the operations are no list');
    return this.#native.run(Array.from(ops, flat));
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

  /**
   * A promise of the sum of scalars[i] * bases[offset + i], a point as bases have it. scalars: bytes, or a Vector, of which n
   * elements from scalarOffset on are taken; without n up to its end.
   */
  async msm(scalars, { offset = 0, encoding = CANONICAL, scalarOffset = 0, n, signal } = {}) {
    if (scalars instanceof Vector) {
      return abortable(signal, (flag) => this.#native.msmVector(nativeOf(scalars, Vector), offset, scalarOffset, n, flag));
    }
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
    const made = await abortable(signal, (flag) => this.#native.prove(file(witness), blinding, flag));
    return { proof: JSON.parse(made.proof), publicSignals: JSON.parse(made.publics) };
  }

  /** True if a proof of this key is valid; false whatever is wrong with it. */
  async verify(publicSignals, proof) {
    return verified(this.#native.verifying(), publicSignals, proof);
  }
}

// As snarkjs takes files: a path, bytes, or {type: 'mem', data}.
function file(given) {
  return given !== null && typeof given === 'object' && given.type === 'mem' ? given.data : given;
}

// A number of JSON, as snarkjs writes it, or as JavaScript holds it without loss. More than 160 digits fit no coordinate, and take
// time to read.
const isNumber = (one) => typeof one === 'bigint' || (Number.isSafeInteger(one) && one >= 0) || (typeof one === 'string' && /^0*[0-9]{1,160}$/.test(one));

function cited(one) {
  try {
    return `${JSON.stringify(one, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`.slice(0, 200);
  } catch { // arrays within arrays, too many or for ever
    return typeof one;
  }
}

function coordinate(number, width, what) {
  const bytes = packed(BigInt(number), width);
  if (!bytes) throw bad(`${what} ${cited(number)} does not fit ${width} bytes`);
  return bytes;
}

// A point of JSON: x, y and 1, or 0, 1 and 0 for infinity; in G2 pairs with 0 in the second place of 1.
function packedPoint(point, width, pairs) {
  const size = pairs ? 2 : 1;
  const isCoordinate = (one) => (pairs ? Array.isArray(one) && one.length === 2 && one.every(isNumber) : isNumber(one));
  if (!Array.isArray(point) || point.length !== 3 || !point.every(isCoordinate)) throw bad(`the point ${cited(point)} has not three coordinates${pairs ? ', each a pair' : ''}`);
  const numbers = point.flat().map(BigInt);
  const made = new Uint8Array(2 * size * width);
  const last = numbers.slice(2 * size);
  const rest = (all) => all.slice(1).every((number) => number === 0n);
  if (last[0] === 0n && rest(last) && numbers[size] === 1n && rest(numbers.slice(size, 2 * size)) && numbers[0] === 0n
    && rest(numbers.slice(0, size))) return made;
  if (last[0] !== 1n || !rest(last)) throw bad(`the point ${cited(point)} does not end with 1`);
  numbers.slice(0, 2 * size).forEach((number, i) => made.set(coordinate(number, width, 'the coordinate'), i * width));
  return made;
}

function packedProof(proof, curve) {
  if (proof === null || typeof proof !== 'object') throw bad(`the proof ${cited(proof)} is no object`);
  const width = WIDTHS[curve];
  return { a: packedPoint(proof.pi_a, width, false), b: packedPoint(proof.pi_b, width, true), c: packedPoint(proof.pi_c, width, false) };
}

function packedPublics(publicSignals) {
  if (!Array.isArray(publicSignals) || !publicSignals.every(isNumber)) throw bad(`the public values ${cited(publicSignals)} are no list of numbers`);
  const made = new Uint8Array(32 * publicSignals.length);
  publicSignals.forEach((value, i) => made.set(coordinate(value, 32, 'the public value'), 32 * i));
  return made;
}

// True if a proof is valid. Its content is not trusted: whatever is wrong with that, it is not valid.
async function verified(key, publicSignals, proof) {
  try {
    return await native.verify(key, packedProof(proof, key.curve), packedPublics(publicSignals));
  } catch (error) {
    if (error.code === 'PAIL_ERR_DATA') return false;
    throw error;
  }
}

// A verification key of JSON, as the addon has it.
function packedKey(vkey) {
  const curve = CURVES[vkey?.curve];
  if (!curve) throw refused(RangeError, `there is no curve ${cited(vkey?.curve)}`);
  const width = WIDTHS[curve];
  if (!Array.isArray(vkey.IC) || vkey.IC.length === 0) throw bad('the verification key has no points IC');
  const key = { curve, ic: new Uint8Array(2 * width * vkey.IC.length), alpha1: packedPoint(vkey.vk_alpha_1, width, false) };
  vkey.IC.forEach((point, i) => key.ic.set(packedPoint(point, width, false), 2 * width * i));
  for (const name of ['beta', 'gamma', 'delta']) key[`${name}2`] = packedPoint(vkey[`vk_${name}_2`], width, true);
  return key;
}

// Names a file as it is now.
async function stamped(path) {
  const { mtimeNs, size, ino } = await stat(path, { bigint: true }).catch(() => ({}));
  return [path, mtimeNs, size, ino].join();
}

let lastCircuit = {}; // the module of the last path

// A promise of the circuit's WebAssembly.Module.
async function compiled(wasm) {
  const given = file(wasm);
  const compile = async (bytes) => {
    try {
      return await WebAssembly.compile(bytes);
    } catch (error) {
      throw bad(`the circuit ${typeof given === 'string' ? `${given} ` : ''}is no WebAssembly, such as circom writes with --wasm: ${error.message}`);
    }
  };
  if (typeof given !== 'string') {
    if (!ArrayBuffer.isView(given) && !(given instanceof ArrayBuffer)) throw refused(TypeError, 'wasm is neither a path nor bytes');
    return compile(given);
  }
  const name = await stamped(given);
  if (lastCircuit.name !== name) {
    const bytes = await readFile(given).catch((error) => {
      throw Object.assign(error, { code: 'PAIL_ERR_IO', message: `the circuit cannot be read: ${error.message}` });
    });
    lastCircuit = { name, module: await compile(bytes) };
  }
  return lastCircuit.module;
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
      const name = await stamped(given);
      if (state.file !== name) Object.assign(state, { file: name, key: state.context.key(given) });
      key = state.key;
      key.catch(() => state.key === key && (state.file = undefined));
    }
    return (await key).prove(wtns, { signal });
  },

  /**
   * The same from the inputs of a circuit: wasm is what circom 2 compiles it to, which runs in this thread; it stays compiled until
   * another one is proved with, if it is a path.
   */
  async fullProve(input, wasm, zkey, { signal } = {}) {
    const wtns = witness(input, await compiled(wasm));
    try {
      return await groth16.prove(zkey, wtns, { signal });
    } finally {
      wtns.fill(0);
    }
  },

  /** True if a proof is valid; false whatever is wrong with the proof and its public values. */
  async verify(vkey, publicSignals, proof) {
    return verified(packedKey(vkey), publicSignals, proof);
  },
};

module.exports = { ...constants, Context, Vector, Matrix, ...operations, groth16, version: native.version };
