// SPDX-License-Identifier: Apache-2.0
'use strict';
// The addon, and what the files around it share.
const native = require('./prebuilt/linux-x64/pail_node.node');

const constants = { BN254: 1, BLS12_381: 2, G1: 1, G2: 2, CANONICAL: 0, MONTGOMERY: 1, JACOBIAN: 2 };

// A failure with the name of a status, as the addon has them.
const failure = (Class, code, sentence) => Object.assign(new Class(sentence), { code });
const refused = (Class, sentence) => failure(Class, 'PAIL_ERR_ARGUMENT', sentence);
const bad = (sentence) => failure(Error, 'PAIL_ERR_DATA', sentence);

// An integer in so many bytes, little-endian; undefined if it is none, or does not fit.
function packed(number, width) {
  if (typeof number !== 'bigint' && !Number.isSafeInteger(number)) return undefined;
  let rest = BigInt(number);
  if (rest < 0n || rest >> BigInt(8 * width) !== 0n) return undefined;
  const bytes = new Uint8Array(width);
  for (let i = 0; rest > 0n; i++, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

module.exports = { native, ...constants, constants, refused, bad, packed };
