// SPDX-License-Identifier: Apache-2.0
// Prints tests/vectors/pairings.json:  node pairings.mjs > ../vectors/pairings.json
// Values are 12 coordinates, little-endian, in the order of host/base/curves/pairing.h.
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import { Random } from './cases.mjs';
import { canonical, concat, groups, hex, littleEndian } from './forms.mjs';

const random = new Random('pairings');
const curves = { bn254, 'bls12-381': bls12_381 };

function value(width, { c0, c1 }) {
  const parts = [c0, c1].flatMap(({ c0, c1, c2 }) => [c0, c1, c2]);
  return concat(parts.flatMap(({ c0, c1 }) => [littleEndian(c0, width), littleEndian(c1, width)]));
}

function makeCase(curve, name, pairs) {
  const { g1, g2 } = groups[curve];
  const { fields, pairingBatch } = curves[curve];
  const finite = pairs.filter(([p, q]) => !p.is0() && !q.is0());
  const product = finite.length === 0 ? fields.Fp12.ONE : pairingBatch(finite.map(([p, q]) => ({ g1: p, g2: q })), true);
  return {
    name, curve, n: pairs.length,
    p: hex(concat(pairs.map(([p]) => canonical(g1, p)))),
    q: hex(concat(pairs.map(([, q]) => canonical(g2, q)))),
    value: hex(value(g1.width, product)),
  };
}

const cases = [];
for (const curve of Object.keys(curves)) {
  const { g1, g2 } = groups[curve];
  const point = (g) => g.Point.BASE.multiply((random.integer() % (g.r - 1n)) + 1n);
  const pair = () => [point(g1), point(g2)];
  const list = (n) => Array.from({ length: n }, pair);
  cases.push(
    makeCase(curve, 'generators', [[g1.Point.BASE, g2.Point.BASE]]),
    makeCase(curve, 'negative', [[g1.Point.BASE.negate(), g2.Point.BASE]]),
    makeCase(curve, 'random', list(1)),
    makeCase(curve, 'four', list(4)),
    makeCase(curve, 'nine', list(9)),
    makeCase(curve, 'infinities', [[g1.Point.ZERO, point(g2)], pair(), [point(g1), g2.Point.ZERO], [g1.Point.ZERO, g2.Point.ZERO]]),
    makeCase(curve, 'nothing', []),
  );
}
const lines = cases.map((one) => '    ' + JSON.stringify(one));
console.log(`{
  "source": "tests/oracle/pairings.mjs, @noble/curves 2.4.0",
  "cases": [
${lines.join(',\n')}
  ]
}`);
