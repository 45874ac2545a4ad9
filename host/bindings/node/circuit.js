// SPDX-License-Identifier: Apache-2.0
'use strict';
// The witness of a circuit that circom has compiled to WebAssembly. This binding loads the file, and libpail-witness.so contains it
// (host/witness): it uses the language and WebAssembly alone. The interface of circuits: circom,
// code_producers/src/wasm_elements/common/witness_calculator.js.

const LIMBS = 8; // 32 bits each, of an element and of an input
const HEADER = 11 + LIMBS; // words before the values of a .wtns

const REASONS = { 1: 'Signal not found.', 2: 'Too many signals set.', 3: 'Signal already set.', 4: 'Assert Failed.', 5: 'Not enough memory.',
  6: 'Input signal array access exceeds the size.', 7: 'Out of bounds array access.' };

const FIELD = 'is over a field of another size than those of bn128 and bls12381';

// FNV-1a, 64 bits: the name of a signal, as circuits know it. Two words, the upper one first.
function hashed(name) {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < name.length; i++) hash = BigInt.asUintN(64, (hash ^ BigInt(name.charCodeAt(i))) * 0x100000001b3n);
  return [Number(hash >> 32n), Number(hash & 0xffffffffn)];
}

class Circuit {
  #calls;
  #read; // word i of what the circuit was last asked for
  #prime;
  #element = new Uint32Array(LIMBS);
  #error = '';
  #line = []; // parts of a line of the circuit's log

  /** log: called with each line that the circuit logs. */
  constructor(module, log) {
    const names = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
    if (!names.has('getVersion') && names.has('getNVars')) throw new Error('was compiled by circom 1; compile the circuit again with circom 2');
    for (const name of ['init', 'getFieldNumLen32', 'getRawPrime', 'getWitnessSize', 'getWitness', 'setInputSignal', 'readSharedRWMemory', 'writeSharedRWMemory']) {
      if (!names.has(name)) throw new Error(`is no circuit of circom: it has no function ${name}`);
    }
    const runtime = {
      exceptionHandler: (code) => {
        throw new Error(`${REASONS[code] ?? `Unknown error ${code}.`}${this.#error}`);
      },
      printErrorMessage: () => {
        this.#error += ` ${this.#message().trim()}`;
      },
      writeBufferMessage: () => {
        const text = this.#message();
        if (text !== '\n') return void this.#line.push(text);
        log(this.#line.join(' '));
        this.#line = [];
      },
      showSharedRWMemory: () => {
        let value = 0n;
        for (let i = LIMBS - 1; i >= 0; i--) value = (value << 32n) | BigInt(this.#read(i));
        if (names.has('getMinorVersion')) this.#line.push(`${value}`);
        else log(`${value}`); // before circom 2.0.7 each value is a line
      },
    };
    this.#calls = new WebAssembly.Instance(module, { runtime }).exports;
    const { getFieldNumLen32, getRawPrime, memory, getSharedRWMemoryStart, readSharedRWMemory } = this.#calls;
    if (getFieldNumLen32() !== LIMBS) throw new Error(FIELD);
    if (memory && getSharedRWMemoryStart) {
      let words = new Uint32Array(memory.buffer);
      const first = getSharedRWMemoryStart() / 4;
      this.#read = (i) => {
        if (words.length === 0) words = new Uint32Array(memory.buffer); // it has grown
        return words[first + i];
      };
      if (this.#read(0) === undefined || this.#read(LIMBS - 1) === undefined) throw new Error('is no circuit of circom: its values are outside its memory');
    } else {
      this.#read = (i) => readSharedRWMemory(i) >>> 0;
    }
    getRawPrime();
    this.#prime = Uint32Array.from({ length: LIMBS }, (_, i) => this.#read(i));
    if (this.#prime[LIMBS - 1] >>> 31) throw new Error(FIELD);
  }

  #message() {
    let text = '';
    for (let code = this.#calls.getMessageChar(); code !== 0; code = this.#calls.getMessageChar()) text += String.fromCharCode(code);
    return text;
  }

  /** Words of the .wtns. */
  get size() {
    return HEADER + LIMBS * this.#calls.getWitnessSize();
  }

  // The element of the field that a value is, in #element. False: it is not between -prime and prime.
  #take(values, at) {
    const negative = values[at + LIMBS - 1] >>> 31 !== 0;
    let carry = 0; // of value + prime, or borrow of value - prime
    for (let i = 0; i < LIMBS; i++) {
      const value = values[at + i];
      const sum = negative ? value + this.#prime[i] + carry : value - this.#prime[i] + carry;
      this.#element[i] = negative ? sum : value;
      carry = Math.floor(sum / 2 ** 32);
    }
    return carry !== 0;
  }

  #set(name, values, at, n) {
    const { getInputSignalSize, setInputSignal, writeSharedRWMemory } = this.#calls;
    const [upper, lower] = hashed(name);
    const size = getInputSignalSize ? getInputSignalSize(upper, lower) : n; // before circom 2.0.3 the circuit counts itself
    if (size < 0 || (size === 0 && n > 0)) throw new Error(`has no input signal "${name}"`);
    if (size !== n) throw new Error(`takes ${size} ${size === 1 ? 'value' : 'values'} of the input signal "${name}", not ${n}`);
    for (let i = 0; i < n; i++, at += LIMBS) {
      if (!this.#take(values, at)) throw new Error(`takes values below the order of its field, and value ${i} of the input signal "${name}" is not`);
      for (let j = 0; j < LIMBS; j++) writeSharedRWMemory(j, this.#element[j]);
      setInputSignal(upper, lower, i);
    }
  }

  /**
   * Calculates once; the memory of the circuit is wiped then. signals: [{name, n}]. values: Uint32Array, 8 words for each value of
   * each signal, little-endian, of an integer between -prime and prime in two's complement. wtns: Uint32Array of `size` zeros, in which the file is written as snarkjs writes it.
   */
  calculate(signals, values, wtns) {
    const { init, getInputSize, getWitnessSize, getWitness, memory } = this.#calls;
    try {
      init(0);
      let set = 0;
      for (const { name, n } of signals) {
        this.#set(name, values, LIMBS * set, n);
        set += n;
      }
      const needed = getInputSize ? getInputSize() : set;
      const given = signals.length > 8 ? `${signals.length} signals` : signals.map(({ name }) => `"${name}"`).join(', ');
      if (set !== needed) throw new Error(`takes ${needed} values of input signals in all, but only ${set} ${set === 1 ? 'is' : 'are'} given${given && `, of ${given}`}`);
      const count = getWitnessSize();
      const bytes = 4 * LIMBS * count;
      wtns.set([0x736e7477, 2, 2, 1, 8 + 4 * LIMBS, 0, 4 * LIMBS, ...this.#prime, count, 2, bytes % 2 ** 32, Math.floor(bytes / 2 ** 32)]);
      for (let i = 0, at = HEADER; i < count; i++) {
        getWitness(i);
        for (let j = 0; j < LIMBS; j++) wtns[at++] = this.#read(j);
      }
    } finally {
      this.#element.fill(0);
      if (memory) new Uint8Array(memory.buffer).fill(0);
    }
  }
}

module.exports = Circuit;
