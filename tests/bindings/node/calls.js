// SPDX-License-Identifier: Apache-2.0
'use strict';
// The time and memory of a call of Pail for node, as consumer/calls.cpp prints it for C++.
const pail = require('pail-prover');

async function main() {
  const context = new pail.Context({ backend: 'cpu' });
  const point = new Uint8Array(64);
  point[0] = 1;
  point[32] = 2;
  const bases = await context.bases(point);
  const none = new Uint8Array(0);
  const many = new Uint8Array(32 << 20);
  const one = many.subarray(0, 32);
  const each = (times, call) => {
    let least = Infinity;
    for (let round = 0; round < 100; round++) {
      const begin = process.hrtime.bigint();
      for (let i = 0; i < times; i++) call();
      least = Math.min(least, Number(process.hrtime.bigint() - begin) / times);
    }
    return Math.round(least);
  };
  const refused = (scalars) => {
    try {
      bases.msmSync(scalars, 2);
    } catch (error) {
      if (error.code === 'PAIL_ERR_ARGUMENT') return;
      throw error;
    }
    throw new Error('it was not refused');
  };
  console.log(JSON.stringify({
    call_ns: each(200, () => bases.msmSync(none)),
    refused_1_ns: each(50, () => refused(one)),
    refused_many_ns: each(50, () => refused(many)),
  }));
}
main();
