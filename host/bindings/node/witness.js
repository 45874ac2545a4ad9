// SPDX-License-Identifier: Apache-2.0
'use strict';
// From inputs to a witness: the circuit's WebAssembly runs in this process, in the thread of JavaScript.
const { bad, refused } = require('./native.js');
const Circuit = require('./circuit.js');

const LIMIT = 2n ** 255n;

// 8 words of a value, little-endian, in two's complement.
function put(words, at, value, place) {
  let rest;
  if (typeof value === 'boolean' || typeof value === 'bigint' || Number.isSafeInteger(value)) rest = BigInt(value);
  else if (typeof value === 'string' && /^-?([0-9]{1,160}|0[xX][0-9a-fA-F]{1,160})$/.test(value)) rest = value[0] === '-' ? -BigInt(value.slice(1)) : BigInt(value);
  else throw bad(`the input ${place} is no integer: a bigint, a safe number, or a string of decimal or, after 0x, hexadecimal digits`);
  if (rest < -LIMIT || rest >= LIMIT) throw bad(`the input ${place} has more than 255 bits`);
  for (let i = 0; i < 8; i++, rest >>= 32n) words[at + i] = Number(BigInt.asUintN(32, rest));
}

// Values of arrays of any depth, behind each other, with their places.
function values(given, place, found) {
  if (Array.isArray(given)) given.forEach((one, i) => values(one, `${place}[${i}]`, found));
  else found.push([given, place]);
  return found;
}

const isBus = (given) => (Array.isArray(given) ? isBus(given[0]) : given !== null && typeof given === 'object');

// Signals by their names; members of buses are "bus.member", of arrays of buses "buses[0].member".
function signals(given, name, found) {
  if (!isBus(given)) found.push({ name, values: values(given, name, []) });
  else if (Array.isArray(given)) given.forEach((one, i) => signals(one, `${name}[${i}]`, found));
  else for (const [key, one] of Object.entries(given)) signals(one, name ? `${name}.${key}` : key, found);
  return found;
}

/** The witness of inputs, in the form of a .wtns file. Who has it wipes it. */
function witness(input, module) {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) throw refused(TypeError, 'input is no object of input signals');
  const all = Object.keys(input).length ? signals(input, '', []) : [];
  const words = new Uint32Array(8 * all.reduce((sum, { values: own }) => sum + own.length, 0));
  let wtns;
  try {
    let at = 0;
    for (const { values: own } of all) for (const [value, place] of own) put(words, 8 * at++, value, place);
    const circuit = new Circuit(module, (line) => console.log(line));
    wtns = new Uint32Array(circuit.size);
    circuit.calculate(all.map(({ name, values: own }) => ({ name, n: own.length })), words, wtns);
    return new Uint8Array(wtns.buffer);
  } catch (error) {
    wtns?.fill(0);
    throw error.code ? error : bad(`the circuit ${error.message}`);
  } finally {
    words.fill(0);
  }
}

module.exports = { witness };
