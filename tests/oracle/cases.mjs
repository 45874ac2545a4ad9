// SPDX-License-Identifier: Apache-2.0
// Inputs of multi-scalar multiplications, the same for the same seed.
import { createHash } from 'node:crypto';
import { groups, outsideSubgroup } from './forms.mjs';

// Bytes of SHA-256 over a seed and a counter.
export class Random {
  constructor(seed) {
    this.seed = seed;
    this.counter = 0;
  }

  integer(bits = 256) {
    const digest = createHash('sha256').update(`${this.seed}/${this.counter++}`).digest('hex');
    return BigInt('0x' + digest) & ((1n << BigInt(bits)) - 1n);
  }

  below(bound) {
    return Number(this.integer(64) % BigInt(bound));
  }

  pick(list) {
    return list[this.below(list.length)];
  }
}

export const edgeScalars = ({ r }) => [0n, 1n, 2n, r - 1n, r, r + 1n, 2n * r, (1n << 128n) - 1n, 1n << 253n, 1n << 254n,
  1n << 255n, (1n << 256n) - 1n];

// A point with no relation to its neighbours that anyone knows: a random multiple of the generator.
const randomPoint = (random, { Point, r }) => Point.BASE.multiply((random.integer() % (r - 1n)) + 1n);

const fill = (n, make) => Array.from({ length: n }, (_, i) => make(i));

// Each kind gives n points and n scalars.
const kindsOf = {
  uniform: (random, n, g) => ({
    points: fill(n, () => randomPoint(random, g)),
    scalars: fill(n, () => random.integer() % g.r),
  }),
  any256: (random, n, g) => ({
    points: fill(n, () => randomPoint(random, g)),
    scalars: fill(n, () => random.integer()),
  }),
  edge: (random, n, g) => ({
    points: fill(n, () => randomPoint(random, g)),
    scalars: fill(n, (i) => edgeScalars(g)[i % edgeScalars(g).length]),
  }),
  duplicates: (random, n, g) => {
    const point = randomPoint(random, g);
    return { points: fill(n, () => point), scalars: fill(n, () => random.integer() % g.r) };
  },
  equal: (random, n, g) => {
    const point = randomPoint(random, g);
    const scalar = random.integer() % g.r;
    return { points: fill(n, () => point), scalars: fill(n, () => scalar) };
  },
  // P, -P, Q, -Q, ...: equal scalars within a pair, so that every bucket cancels; an odd one stays.
  opposites: (random, n, g) => {
    const points = [];
    const scalars = [];
    for (let i = 0; i < n; i += 2) {
      const point = randomPoint(random, g);
      const scalar = random.integer() % g.r;
      points.push(point, point.negate());
      scalars.push(scalar, scalar);
    }
    return { points: points.slice(0, n), scalars: scalars.slice(0, n) };
  },
  infinities: (random, n, g) => ({
    points: fill(n, (i) => (i % 3 === 1 ? randomPoint(random, g) : g.Point.ZERO)),
    scalars: fill(n, () => random.integer() % g.r),
  }),
  multiples: (random, n, g) => ({
    points: fill(n, (i) => g.Point.BASE.multiply(BigInt(i + 1))),
    scalars: fill(n, () => random.integer() % g.r),
  }),
  bits: (random, n, g) => ({
    points: fill(n, () => randomPoint(random, g)),
    scalars: fill(n, () => BigInt(random.below(2))),
  }),
  // A bit of everything, repeats and opposites of earlier points among it.
  mixture: (random, n, g) => {
    const points = [];
    const scalars = [];
    for (let i = 0; i < n; i++) {
      const choice = random.below(6);
      if (choice === 0) points.push(g.Point.ZERO);
      else if (choice === 1 && i > 0) points.push(random.pick(points));
      else if (choice === 2 && i > 0) points.push(random.pick(points).negate());
      else points.push(randomPoint(random, g));
      const shape = random.below(4);
      if (shape === 0) scalars.push(random.pick(edgeScalars(g)));
      else if (shape === 1 && i > 0) scalars.push(random.pick(scalars));
      else if (shape === 2) scalars.push(random.integer(1 + random.below(256)));
      else scalars.push(random.integer());
    }
    return { points, scalars };
  },
};

const bn254 = groups.bn254.g1;
export const kinds = Object.fromEntries(
  Object.entries(kindsOf).map(([name, make]) => [name, (random, n, g = bn254) => make(random, n, g)]),
);

// Points on the curve of any order, among them such of the subgroup: here a scalar means an integer and
// not its remainder. Only where there are such points.
export const outside = (random, n, g) => ({
  points: fill(n, (i) => (i % 3 === 2 ? randomPoint(random, g) : outsideSubgroup(g, BigInt(1 + random.below(1 << 30))))),
  scalars: fill(n, () => random.integer()),
});
