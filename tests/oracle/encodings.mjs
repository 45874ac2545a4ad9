// SPDX-License-Identifier: Apache-2.0
// Prints tests/vectors/encodings.json:  node encodings.mjs > ../vectors/encodings.json
import { Random } from './cases.mjs';
import { canonical, concat, forms, groups, hex, outsideSubgroup, realY, xOffCurve } from './forms.mjs';

const random = new Random('encodings');

const valid = (name, g, form, point, validation = 'subgroup') =>
  ({ name, validation, encoded: hex(form.encode(g, point)), point: hex(canonical(g, point)) });
const refused = (name, encoded, error, validation = 'none') => ({ name, validation, encoded: hex(encoded), error });

function changed(bytes, change) {
  const copy = Uint8Array.from(bytes);
  change(copy);
  return copy;
}

function* goodPoints(g) {
  yield ['infinity', g.Point.ZERO];
  yield ['generator', g.Point.BASE];
  yield ['minus generator', g.Point.BASE.negate()];
  for (let i = 0; i < 3; i++) {
    const point = g.Point.BASE.multiply((random.integer() % (g.r - 1n)) + 1n);
    yield [`random ${i}`, point];
    yield [`minus random ${i}`, point.negate()];
  }
}

// A point that is on the curve, with the outcome of each validation.
function* anywhere(name, g, form, point) {
  for (const one of [point, point.negate()]) {
    yield valid(name, g, form, one, 'curve');
    if (!one.isTorsionFree()) yield refused(name, form.encode(g, one), 'subgroup of order r', 'subgroup');
  }
}

const numberAt = (bytes, at, value, size, little) => {
  for (let i = 0; i < size; i++, value >>= 8n) bytes[little ? at + i : at + size - 1 - i] = Number(value & 255n);
};

function* badUncompressed(g, form) {
  const good = form.encode(g, g.Point.BASE);
  const size = good.length / (2 * g.parts);
  for (let i = 0; i < 2 * g.parts; i++) {
    const name = { 1: ['x', 'y'], 2: form === forms.eip196 ? ['x.c1', 'x.c0', 'y.c1', 'y.c0'] : ['x.c0', 'x.c1', 'y.c0', 'y.c1'] }[g.parts][i];
    yield refused(`${name} is p`, changed(good, (b) => numberAt(b, i * size, g.p, size)), `${name} is 0x`);
    yield refused(`${name} is all ones`, changed(good, (b) => b.fill(255, i * size + size - g.width, (i + 1) * size)),
      `${name} is 0x${'ff'.repeat(g.width)}, not below the modulus`);
    for (const at of size > g.width ? [0, 7, 15] : []) {
      yield refused(`byte ${at} of ${name}`, changed(good, (b) => { b[i * size + at] = 1; }), `the top 16 bytes of ${name} are not zero`);
    }
  }
  yield refused('off the curve', changed(good, (b) => { b[b.length - 1] ^= 1; }), 'not on the curve', 'curve');
  yield refused('x alone', changed(good, (b) => b.fill(0, b.length / 2)), 'not on the curve', 'curve');
  yield refused('y alone', changed(good, (b) => b.fill(0, 0, b.length / 2)), 'not on the curve', 'curve');
}

// Every combination of flags with a good x, and with x = 0.
function* flagCases(g, name, form, at) {
  const faults = {
    zcash: { 0x00: 'compression flag', 0x20: 'compression flag', 0x40: 'compression flag', 0x60: 'compression flag',
      0xc0: 'not every other bit', 0xe0: 'sign flag' },
    gnark: { 0x00: 'uncompressed', 0x40: 'not every other bit' },
    arkworks: { 0x40: 'not every other bit', 0xc0: 'sign flag' },
  }[name];
  const step = 256 - form.mask;
  for (const point of [g.Point.BASE, g.Point.ZERO]) {
    const bytes = form.encode(g, point);
    for (let bits = 0; bits < 256; bits += step) {
      const encoded = changed(bytes, (b) => { b[at] = (b[at] & ~form.mask) | bits; });
      if (hex(encoded) === hex(bytes) || (!point.is0() && hex(encoded) === hex(form.encode(g, point.negate())))) continue;
      const label = `${point.is0() ? 'x = 0' : 'generator'} with flags ${bits.toString(16)}`;
      const infinity = faults[bits] === 'not every other bit';
      if (faults[bits] !== undefined && !(point.is0() && infinity)) yield refused(label, encoded, faults[bits]);
    }
  }
}

function* badCompressed(g, name, form) {
  const good = form.encode(g, g.Point.BASE);
  const little = name === 'arkworks';
  const at = little ? good.length - 1 : 0;
  yield* flagCases(g, name, form, at);
  const infinity = form.encode(g, g.Point.ZERO);
  for (const i of new Set([0, 1, good.length / 2, good.length - 1])) {
    yield refused(`infinity with byte ${i}`, changed(infinity, (b) => { b[i] |= 1; }), 'not every other bit');
  }
  for (let i = 0; i < g.parts; i++) {
    const part = ['x', little ? ['x.c0', 'x.c1'][i] : ['x.c1', 'x.c0'][i]][g.parts - 1];
    const encoded = changed(good, (b) => {
      const flags = b[at] & form.mask;
      numberAt(b, i * g.width, g.p, g.width, little);
      b[at] |= flags;
    });
    yield refused(`${part} is p`, encoded, `${part} is 0x`);
  }
  const x = xOffCurve(g);
  const nowhere = { is0: () => false, toAffine: () => ({ x, y: g.Point.BASE.toAffine().y }) };
  yield refused('x of no point', form.encode(g, nowhere), 'no point on the curve');
}

function* casesOf(name, form, g) {
  for (const [label, point] of goodPoints(g)) {
    const one = valid(label, g, form, point);
    if (name === 'zcash' && one.encoded !== point.toHex(true)) throw new Error(`@noble/curves writes ${point.toHex(true)}`);
    yield one;
  }
  const outside = outsideSubgroup(g);
  if (outside !== null) yield* anywhere('outside the subgroup', g, form, outside);
  if (g.parts === 2) yield* anywhere('y.c1 = 0', g, form, realY(g));
  if (form.mask === undefined) yield* badUncompressed(g, form);
  else yield* badCompressed(g, name, form);
}

const tables = [];
for (const [name, form] of Object.entries(forms)) {
  for (const [groupName, g] of Object.entries(groups[form.curve])) {
    const lines = [...casesOf(name, form, g)].map((one) => '      ' + JSON.stringify(one));
    tables.push(`    {"form": "${name}", "curve": "${form.curve}", "group": "${groupName}", "cases": [\n${lines.join(',\n')}\n    ]}`);
  }
}
console.log(`{
  "source": "tests/oracle/encodings.mjs, @noble/curves 2.4.0",
  "about": "a case decodes to the canonical point, or is refused with these words, under its validation",
  "tables": [
${tables.join(',\n')}
  ]
}`);
