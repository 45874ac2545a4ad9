// SPDX-License-Identifier: Apache-2.0
// Prints tests/vectors/msm_bn254_g1.json:  node vectors.mjs > ../vectors/msm_bn254_g1.json
import { G1, describe, msm, writeG1, writeInt } from './bn254.mjs';
import { Random, edgeScalars, kinds } from './cases.mjs';
import { groups } from './forms.mjs';

const sizes = [0, 1, 2, 3, 31, 100, 255, 257];
const kindsAt = (n) => (n <= 31 ? Object.keys(kinds) : ['mixture', n === 100 ? 'opposites' : 'edge']);

const hex = (bytes) => Buffer.from(bytes).toString('hex');

function makeCase(name, points, scalars) {
  return {
    name,
    n: points.length,
    bases: hex(writeG1(points, 'canonical')),
    scalars: hex(Buffer.concat(scalars.map(writeInt))),
    expected: describe(msm(G1, points, scalars)),
  };
}

const cases = [];
for (const n of sizes) {
  for (const kind of n === 0 ? ['uniform'] : kindsAt(n)) {
    const { points, scalars } = kinds[kind](new Random(`${kind}-${n}`), n);
    cases.push(makeCase(`${kind}-${n}`, points, scalars));
  }
}
for (const scalar of edgeScalars(groups.bn254.g1)) cases.push(makeCase(`generator-times-${scalar}`, [G1.BASE], [scalar]));

const lines = cases.map((one) => '    ' + JSON.stringify(one));
console.log(`{
  "source": "tests/oracle/vectors.mjs, @noble/curves 2.4.0",
  "curve": "bn254",
  "group": "g1",
  "encoding": "bases: affine x, y, canonical, 32 bytes little-endian each, all zero is infinity; scalars: 32 bytes little-endian",
  "cases": [
${lines.join(',\n')}
  ]
}`);
