// SPDX-License-Identifier: Apache-2.0
'use strict';
// KZG of EIP-4844 and EIP-7594: functions of the names and arguments that c-kzg has, the same as promises, and a class that has
// the methods of micro-eth-signer's.
const { readFileSync } = require('node:fs');
const { readFile } = require('node:fs/promises');
const path = require('node:path');
const { native, refused, bad } = require('./native.js');
const { indices } = require('./vectors.js');

const SIZES = {
  BYTES_PER_BLOB: 131072, BYTES_PER_CELL: 2048, BYTES_PER_COMMITMENT: 48, BYTES_PER_FIELD_ELEMENT: 32, BYTES_PER_PROOF: 48,
  CELLS_PER_EXT_BLOB: 128, FIELD_ELEMENTS_PER_BLOB: 4096, FIELD_ELEMENTS_PER_CELL: 64,
};
const MAINNET = path.join(__dirname, 'setups', 'mainnet.txt');
const [COMMIT, PROVE, PROVE_BLOB, VERIFY, VERIFY_BLOBS, CELLS, RECOVER, VERIFY_CELLS] = [1, 2, 3, 4, 5, 6, 7, 8];
const WANT_CELLS = 1;

// The memory of c-kzg's tables of that width, and what the points take.
function budgetOf(precompute = 0) {
  if (!Number.isInteger(precompute) || precompute < 0 || precompute > 15) throw refused(RangeError, `precompute is ${precompute}, and is to be an integer from 0 to 15`);
  return 2 ** 25 + (precompute > 0 ? 786432 * 2 ** (precompute - 1) : 0);
}

// The text of a setup from lists of points in hexadecimal, such as JSON files have.
function textOf(setup) {
  const lists = ['g1_lagrange', 'g2_monomial', 'g1_monomial'].map((name) => {
    const list = setup?.[name];
    if (!Array.isArray(list) || !list.every((point) => typeof point === 'string')) throw bad(`the setup has no list ${name} of points in hexadecimal`);
    return list.map((point) => point.replace(/^0x/, ''));
  });
  if (lists[0].length !== lists[2].length) throw bad(`the setup has ${lists[0].length} points g1_lagrange, but ${lists[2].length} points g1_monomial`);
  return Buffer.from([lists[0].length, lists[1].length, ...lists.flat()].join('\n'));
}

// A source that the addon opens: a path, or the text of a setup. json: the text of a file of JSON.
function sourceOf(setup, json) {
  if (setup === undefined || setup === null) return MAINNET;
  if (typeof setup !== 'string') return ArrayBuffer.isView(setup) ? setup : textOf(setup);
  return json === undefined ? setup : textOf(parsed(setup, json));
}

function parsed(name, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw bad(`the setup ${name} is no JSON: ${error.message}`);
  }
}

const isJson = (setup) => typeof setup === 'string' && path.extname(setup) === '.json';
const unreadable = (error) => Object.assign(error, { code: 'PAIL_ERR_IO', message: `the setup cannot be read: ${error.message}` });

// The parts of an array, as views of it.
function parts(bytes, size) {
  return Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(size * i, size * (i + 1)));
}

// Copies of them in its place, each with an ArrayBuffer of its own.
function owned(bytes, size) {
  const made = parts(bytes, size).map((part) => part.slice());
  bytes.fill(0);
  return made;
}

const numbers = (list) => {
  if (!Array.isArray(list)) throw refused(TypeError, `cellIndices is ${list === null ? 'null' : `a value of the type ${typeof list}`}, and is to be an array`);
  return indices(list, BigUint64Array, 2 ** 32 - 1, 'cellIndices');
};

// Each function: what the addon carries out, and what the caller gets of that. many: arguments are lists.
const FUNCTIONS = {
  blobToKzgCommitment: (blob) => ({ operation: COMMIT, inputs: [blob], made: ([commitment]) => commitment }),
  computeKzgProof: (blob, z) => ({ operation: PROVE, inputs: [blob, z], made: (both) => both }),
  computeBlobKzgProof: (blob, commitment) => ({ operation: PROVE_BLOB, inputs: [blob, commitment], made: ([proof]) => proof }),
  verifyKzgProof: (commitment, z, y, proof) => ({ operation: VERIFY, inputs: [commitment, z, y, proof] }),
  verifyBlobKzgProof: (blob, commitment, proof) => ({ operation: VERIFY_BLOBS, inputs: [blob, commitment, proof] }),
  verifyBlobKzgProofBatch: (blobs, commitments, proofs) => ({ operation: VERIFY_BLOBS, many: true, inputs: [blobs, commitments, proofs] }),
  computeCells: (blob) => ({ operation: CELLS, want: WANT_CELLS, inputs: [blob], made: ([cells], of) => owned(cells, of.cell) }),
  computeCellsAndKzgProofs: (blob) => ({ operation: CELLS, inputs: [blob], made: ([cells, proofs], of) => [owned(cells, of.cell), owned(proofs, of.point)] }),
  recoverCellsAndKzgProofs: (cellIndices, cells) => ({
    operation: RECOVER, many: true, inputs: [cells], at: numbers(cellIndices), made: ([all, proofs], of) => [owned(all, of.cell), owned(proofs, of.point)],
  }),
  verifyCellKzgProofBatch: (commitments, cellIndices, cells, proofs) => ({ operation: VERIFY_CELLS, many: true, inputs: [commitments, cells, proofs], at: numbers(cellIndices) }),
  /** [cells, proofs] for each of many blobs, in less time than one after another. Cells and proofs of all blobs have one ArrayBuffer each. */
  computeCellsAndKzgProofsBatch: (blobs) => ({
    operation: CELLS, many: true, inputs: [blobs],
    made: ([cells, proofs], of) => {
      const [ofBlobs, proofsOfBlobs] = [parts(cells, of.cells * of.cell), parts(proofs, of.cells * of.point)];
      return ofBlobs.map((one, i) => [parts(one, of.cell), parts(proofsOfBlobs[i], of.point)]);
    },
  }),
};

let loaded; // the setup of the functions, or undefined
let loading = false; // by a promise

function unloaded() {
  if (loaded || loading) throw refused(Error, 'a setup is already loaded: a process has one; other setups are objects of the class KZG');
}

function theSetup() {
  if (!loaded) throw refused(Error, 'no setup is loaded: call loadTrustedSetup() first');
  return loaded;
}

const made = (call, result, setup) => (call.made ? call.made(result, setup.sizes) : result);
// Lists are plain arrays by then: no getter and no proxy of the caller runs while the addon holds pointers.
const plain = (call) => (call.many ? call.inputs.map((list) => (Array.isArray(list) ? Array.from(list) : list)) : call.inputs);
const now = (setup, call) => made(call, setup.run(call.operation, call.want, plain(call), call.at, call.many), setup);
const later = async (setup, call) => made(call, await setup.start(call.operation, call.want, plain(call), call.at, call.many), setup);

// The setup is opened in this thread.
function opened(setup, budget, { backend, device, threads } = {}) {
  let json;
  try {
    json = isJson(setup) ? readFileSync(setup, 'utf8') : undefined;
  } catch (error) {
    throw unreadable(error);
  }
  return new native.Context(backend, device, threads).kzgSync(sourceOf(setup, json), budget);
}

// A promise of it, opened in another thread.
async function openedLater(setup, budget, { backend, device, threads } = {}) {
  const json = isJson(setup) ? await readFile(setup, 'utf8').catch((error) => { throw unreadable(error); }) : undefined;
  return new native.Context(backend, device, threads).kzg(sourceOf(setup, json), budget);
}

/**
 * Opens the setup that the functions use: the ceremony's, or a file as c-kzg has it (.txt or .json). precompute, from 0 to 15, lets
 * tables take as much memory as c-kzg's of that width.
 */
function loadTrustedSetup(precompute = 0, filePath = undefined) {
  unloaded();
  loaded = opened(filePath, budgetOf(precompute));
}

const functions = { loadTrustedSetup };
/** The same functions as promises: work is done by other threads, and arguments are copied before a call returns. */
const promises = {
  async loadTrustedSetup(precompute = 0, filePath = undefined) {
    unloaded();
    loading = true;
    try {
      loaded = await openedLater(filePath, budgetOf(precompute));
    } finally {
      loading = false;
    }
  },
};
for (const [name, callOf] of Object.entries(FUNCTIONS)) {
  functions[name] = (...given) => now(theSetup(), callOf(...given));
  promises[name] = async (...given) => later(theSetup(), callOf(...given));
}

// ---- The methods of micro-eth-signer ---------------------------------------------------------------------------------------

// Bytes from hexadecimal, with or without 0x.
function fromHex(text, what) {
  if (typeof text !== 'string' || !/^(0x)?([0-9a-fA-F]{2})*$/.test(text)) throw bad(`${what} is no text of hexadecimal bytes`);
  return Buffer.from(text.replace(/^0x/, ''), 'hex');
}

// Wipes arrays of bytes.
const wipe = (list) => {
  for (const one of list) one.fill(0);
};
const toHex = (bytes) => `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`;

// 32 bytes, big-endian, of a bigint or of 64 hexadecimal digits.
function scalar(value, what) {
  if (typeof value !== 'bigint') return fromHex(value, what);
  if (value < 0n || value >> 256n !== 0n) throw bad(`${what} is ${value}, which does not fit 32 bytes`);
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

function blobOf(blob, what = 'the blob') {
  if (!Array.isArray(blob)) return fromHex(blob, what);
  const made = Buffer.alloc(32 * blob.length);
  let element = Buffer.alloc(0);
  try {
    blob.forEach((value, i) => {
      element = scalar(value, `element ${i} of ${what}`);
      if (element.length !== 32) throw bad(`element ${i} of ${what} has ${element.length} bytes, and is to have 32`);
      made.set(element, 32 * i);
      element.fill(0);
    });
    return made;
  } catch (error) {
    wipe([made, element]);
    throw error;
  }
}
const each = (list, what, read = fromHex) => {
  if (!Array.isArray(list)) throw refused(TypeError, `${what} is no array`);
  const made = [];
  try {
    for (const [i, one] of list.entries()) made.push(read(one, `${what}[${i}]`));
    return made;
  } catch (error) {
    wipe(made);
    throw error;
  }
};
// Texts of cells, which are wiped.
const texts = (cells) => {
  const made = cells.map(toHex);
  wipe(cells);
  return made;
};

// The verdict on a proof: whatever is wrong with what is proved, it is not valid.
function valid(verify) {
  try {
    return verify();
  } catch (error) {
    if (error.code === 'PAIL_ERR_DATA' || (error instanceof RangeError && error.code === 'PAIL_ERR_ARGUMENT')) return false;
    throw error;
  }
}

/**
 * Has the methods of micro-eth-signer's class: texts in hexadecimal, and blobs also as arrays of integers. setup: the object that
 * micro-eth-signer takes, with g1_monomial and without an encoding; a path; or the ceremony's. memoryBudget: most bytes of points
 * and tables, 0: 160 MiB; or precompute, as loadTrustedSetup() takes it.
 */
class KZG {
  #setup;

  constructor(setup = undefined, { precompute = undefined, memoryBudget = 0, ...options } = {}) {
    if (setup?.encoding !== undefined) throw refused(TypeError, `the setup has the encoding ${setup.encoding}, and is to have compressed points`);
    this.#setup = opened(setup, precompute === undefined ? memoryBudget : budgetOf(precompute), options);
  }

  // given: functions that make bytes of texts, which are wiped, and indices.
  #run(name, ...given) {
    const mine = [];
    try {
      const values = given.map((one) => {
        if (typeof one !== 'function') return one;
        const bytes = one();
        mine.push(...[bytes].flat());
        return bytes;
      });
      return now(this.#setup, FUNCTIONS[name](...values));
    } finally {
      wipe(mine);
    }
  }

  blobToKzgCommitment(blob) {
    return toHex(this.#run('blobToKzgCommitment', () => blobOf(blob)));
  }

  computeProof(blob, z) {
    return this.#run('computeKzgProof', () => blobOf(blob), () => scalar(z, 'z')).map(toHex);
  }

  verifyProof(commitment, z, y, proof) {
    return valid(() => this.#run('verifyKzgProof', () => fromHex(commitment, 'the commitment'), () => scalar(z, 'z'), () => scalar(y, 'y'), () => fromHex(proof, 'the proof')));
  }

  computeBlobProof(blob, commitment) {
    return toHex(this.#run('computeBlobKzgProof', () => blobOf(blob), () => fromHex(commitment, 'the commitment')));
  }

  verifyBlobProof(blob, commitment, proof) {
    return valid(() => this.#run('verifyBlobKzgProof', () => blobOf(blob), () => fromHex(commitment, 'the commitment'), () => fromHex(proof, 'the proof')));
  }

  verifyBlobProofBatch(blobs, commitments, proofs) {
    return valid(() => this.#run('verifyBlobKzgProofBatch', () => each(blobs, 'blobs', blobOf), () => each(commitments, 'commitments'), () => each(proofs, 'proofs')));
  }

  computeCells(blob) {
    return texts(this.#run('computeCells', () => blobOf(blob)));
  }

  computeCellsAndProofs(blob) {
    return this.#run('computeCellsAndKzgProofs', () => blobOf(blob)).map(texts);
  }

  /** Indices in any order, as in micro-eth-signer. */
  recoverCellsAndProofs(cellIndices, cells) {
    const order = [...numbers(cellIndices).keys()].sort((a, b) => (cellIndices[a] < cellIndices[b] ? -1 : 1));
    const sorted = (made) => (made.length === order.length ? order.map((i) => made[i]) : made);
    return this.#run('recoverCellsAndKzgProofs', sorted(cellIndices), () => sorted(each(cells, 'cells'))).map(texts);
  }

  verifyCellKzgProofBatch(commitments, cellIndices, cells, proofs) {
    return this.#run('verifyCellKzgProofBatch', () => each(commitments, 'commitments'), cellIndices, () => each(cells, 'cells'), () => each(proofs, 'proofs'));
  }

  /** Frees the setup with the last work that uses it. */
  close() {
    this.#setup.close();
  }
}

module.exports = { ...SIZES, ...functions, promises, KZG };
