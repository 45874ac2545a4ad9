// SPDX-License-Identifier: Apache-2.0
// Inputs of the circuits in this folder: the same for the same circuit and number.
import { createHash } from 'node:crypto';
import { babyjubjub } from '@noble/curves/misc.js';
import { poseidon2, poseidon5 } from 'poseidon-lite';

// Integers below 2^248, from SHA-256 over a counter.
function numbers(seed) {
  let counter = 0;
  return () => BigInt(`0x${createHash('sha256').update(`${seed} ${counter++}`).digest('hex')}`) >> 8n;
}

export const MERKLE_DEPTH = 10;

// Paths to places all over one tree.
export function merkle(paths) {
  const next = numbers('merkle');
  const levels = [Array.from({ length: 2 ** MERKLE_DEPTH }, next)];
  while (levels.at(-1).length > 1) {
    const below = levels.at(-1);
    levels.push(Array.from({ length: below.length / 2 }, (_, i) => poseidon2([below[2 * i], below[2 * i + 1]])));
  }
  const places = Array.from({ length: paths }, () => Number(next() % BigInt(2 ** MERKLE_DEPTH)));
  const input = {
    root: levels[MERKLE_DEPTH][0],
    leaf: places.map((place) => levels[0][place]),
    place: places,
    beside: places.map((place) => levels.slice(0, -1).map((level, i) => level[(place >> i) ^ 1])),
  };
  return { input, publics: [input.root] };
}

// The longest message that fits, with its padding of at least 9 bytes.
export const sha256Bytes = (blocks) => 64 * blocks - 9;

export function sha256(blocks) {
  const next = numbers('sha256');
  const message = Array.from({ length: sha256Bytes(blocks) }, () => Number(next() & 0xffn));
  const digest = createHash('sha256').update(Uint8Array.from(message)).digest('hex');
  return { input: { message }, publics: [digest.slice(0, 32), digest.slice(32)].map((half) => BigInt(`0x${half}`)) };
}

// circomlib's base point, of the order of the subgroup.
const BASE = babyjubjub.Point.fromAffine({
  x: 5299619240641551281634865583518297030282874472190772894086521144482721001553n,
  y: 16950150798460657717958625567821834550301663161624707787222815936182638968203n,
});
const ORDER = babyjubjub.Point.Fn.ORDER;

// S B = R + 8 h A with h = Poseidon(R, A, M), as circomlib verifies it.
export function eddsa(signatures) {
  const next = numbers('eddsa');
  const input = { key: [], message: [], nonce: [], response: [] };
  for (let i = 0; i < signatures; i++) {
    const [secret, blinding, message] = [next(), next(), next()];
    const [key, nonce] = [secret, blinding].map((k) => BASE.multiply(k).toAffine());
    const h = poseidon5([nonce.x, nonce.y, key.x, key.y, message]);
    input.key.push([key.x, key.y]);
    input.message.push(message);
    input.nonce.push([nonce.x, nonce.y]);
    input.response.push((blinding + 8n * h * secret) % ORDER);
  }
  return { input, publics: [...input.key.flat(), ...input.message] };
}
