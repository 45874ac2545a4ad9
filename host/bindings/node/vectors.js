// SPDX-License-Identifier: Apache-2.0
'use strict';
// Vectors over the scalar field of a curve, and operations on them: values that Context.run takes. Unless stated otherwise they are
// element-wise, on n elements of r from rOffset on and of the operands from their offsets on; without n up to the end of r. r may be
// an operand at the same offset, except in spmv; otherwise no operand may overlap r. root, shift and scale are integers below the
// order of the curve's groups: a bigint, a number, or 32 bytes.
const { native, BN254, CANONICAL, refused, packed } = require('./native.js');

const KINDS = { ntt: 1, intt: 2, spmv: 3, add: 4, sub: 5, mul: 6, mulSub: 7, powers: 8, copy: 9 };
const OPERANDS = { ntt: 'ra', intt: 'ra', spmv: 'ra', add: 'rab', sub: 'rab', mul: 'rab', mulSub: 'rabc', powers: 'ra', copy: 'ra' };
const natives = new WeakMap(); // the object of the addon that a Vector or a Matrix has

function nativeOf(object, Class, what) {
  if (!(object instanceof Class)) throw refused(TypeError, `${what} is no ${Class.name}`);
  return natives.get(object);
}

/** The 32 bytes of the root of unity of order 2^logN that snarkjs and .zkey files use. */
const rootOfUnity = (curve, logN) => native.rootOfUnity(curve, logN);

// The common part of a Vector and a Matrix. Memory is freed by close, with the last work that uses it, or with the object.
class Stored {
  constructor(made) {
    natives.set(this, made);
  }

  get length() {
    return natives.get(this).length;
  }

  close() {
    natives.get(this).close();
  }
}
if (Symbol.dispose) Stored.prototype[Symbol.dispose] = Stored.prototype.close;

/** Elements in the memory of a device: a promise of one is Context.vector(n, curve). */
class Vector extends Stored {
  #run;

  constructor(made, run) {
    super(made);
    this.#run = run;
  }

  get curve() {
    return natives.get(this).curve;
  }

  /** Writes elements, 32 bytes each, from element `offset` on. */
  async write(elements, offset = 0, encoding = CANONICAL) {
    return natives.get(this).write(elements, offset, encoding);
  }

  /** A promise of n elements from element `offset` on, 32 bytes each; without n up to the end. */
  async read(offset = 0, n = undefined, encoding = CANONICAL) {
    return natives.get(this).read(offset, n, encoding);
  }

  /** Transforms the vector in place; options as of the operation. */
  async ntt(options) {
    return this.#run([ntt(this, this, options)]);
  }

  /** The inverse. */
  async intt(options) {
    return this.#run([intt(this, this, options)]);
  }
}

/** A sparse matrix that is registered with a context; length is its number of rows. */
class Matrix extends Stored {}

function number(value, what) {
  const bytes = ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : packed(value, 32);
  if (bytes?.length !== 32) throw refused(RangeError, `${what} is ${value}, which is no element of 32 bytes`);
  return bytes.slice();
}

const transform = (kind, r, a, { rOffset = 0, aOffset = a === r ? rOffset : 0, ...options } = {}) => ({ kind, r, a, rOffset, aOffset, ...options });

/**
 * The number-theoretic transform of each of n / 2^logN polynomials, whose coefficients are consecutive in a:
 * r[k] = the sum over j of a[j] (shift root^k)^j. Options: root, of order 2^logN (rootOfUnity); logN (that of n); shift (1);
 * bitReversed: the value at shift root^k has the index with the bits of k in reverse; rOffset, aOffset, n.
 */
const ntt = (r, a = r, options = {}) => transform('ntt', r, a, options);
/** The inverse of ntt: from values at shift root^k to coefficients. */
const intt = (r, a = r, options = {}) => transform('intt', r, a, options);
/** r = matrix a: as many elements of r as the matrix has rows, and of a as it has columns. */
const spmv = (r, matrix, a, options = {}) => ({ kind: 'spmv', r, matrix, a, ...options });
/** r = a + b. */
const add = (r, a, b, options) => ({ kind: 'add', r, a, b, ...options });
/** r = a - b. */
const sub = (r, a, b, options) => ({ kind: 'sub', r, a, b, ...options });
/** r = a b. */
const mul = (r, a, b, options) => ({ kind: 'mul', r, a, b, ...options });
/** r = a b - c. */
const mulSub = (r, a, b, c, options) => ({ kind: 'mulSub', r, a, b, c, ...options });
/** r[i] = scale shift^i a[i]. */
const powers = (r, a, options) => ({ kind: 'powers', r, a, ...options }); // scale and shift
/** r = a. */
const copy = (r, a, options) => ({ kind: 'copy', r, a, ...options });

// An operation as the addon takes it.
function flat(op, i) {
  const kind = op && Object.hasOwn(KINDS, op.kind) && KINDS[op.kind];
  if (!kind) throw refused(TypeError, `operation ${i} was not made by ntt or one of the functions beside it`);
  const made = { ...op, kind };
  for (const name of OPERANDS[op.kind]) made[name] = nativeOf(op[name], Vector, `${name} of operation ${i}`);
  if (op.kind === 'spmv') made.matrix = nativeOf(op.matrix, Matrix, `matrix of operation ${i}`);
  for (const name of ['root', 'shift', 'scale']) if (op[name] !== undefined) made[name] = number(op[name], `${name} of operation ${i}`);
  return made;
}

// Integers as the boundary has them, in an array of that type.
function indices(given, Type, most, what) {
  if (given instanceof Type) return given;
  const all = Array.from(given ?? [undefined]);
  const wrong = all.findIndex((one) => typeof one !== 'bigint' && !Number.isSafeInteger(one));
  const outside = all.findIndex((one) => one < 0 || one > most);
  const at = wrong >= 0 ? wrong : outside;
  if (at >= 0) throw refused(RangeError, `${what}[${at}] is ${all[at]}, no integer from 0 to ${most}`);
  return Type === BigUint64Array ? BigUint64Array.from(all, BigInt) : Type.from(all, Number);
}

/** A promise of a Matrix of a native context. */
async function matrixOf(context, rowStarts, columns, values, nColumns, curve = BN254, encoding = CANONICAL) {
  const starts = indices(rowStarts, BigUint64Array, 2n ** 64n - 1n, 'rowStarts');
  const at = indices(columns, Uint32Array, 2 ** 32 - 1, 'columns');
  return new Matrix(await context.matrix(starts, at, values, nColumns, curve, encoding));
}

module.exports = {
  Vector, Matrix, matrixOf, flat, nativeOf, indices, operations: { ntt, intt, spmv, add, sub, mul, mulSub, powers, copy, rootOfUnity },
};
