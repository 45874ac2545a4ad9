// SPDX-License-Identifier: Apache-2.0
'use strict';
// PLONK and FFLONK of snarkjs alone and with Pail's hook, in turns on the same cores.
//   node plonk_beside_snarkjs.js PROJECT [PROTOCOL [LOG [ROUNDS]]]
// PROJECT is a folder in whose node_modules snarkjs, ffjavascript and pail are installed.
// PROTOCOL is plonk or fflonk, 2^LOG the size of its domain. Two processes prove one after the other; the first proof of each is
// not counted. Rows are printed once every proof was verified by a third, which has no hook. Processor time, of all threads of a
// process, says more where the machine has other work.
const { fork } = require('node:child_process');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { write } = require('../bindings/node/squares.js');

const [project, protocol = 'plonk', log = '14', rounds = '3', how, zkey, wtns] = process.argv.slice(2);

// One of both: proves whenever it is told to.
async function prover(load) {
  const backend = how === 'hooked' ? new (load('pail-prover').Context)().backend : 'WebAssembly';
  if (how === 'hooked') load('pail-prover/snarkjs');
  const snarkjs = load('snarkjs');
  process.on('message', async () => {
    const [begin, used] = [process.hrtime.bigint(), process.cpuUsage()];
    const made = await snarkjs[protocol].prove(zkey, wtns);
    const ms = Number(process.hrtime.bigint() - begin) / 1e6;
    const { user, system } = process.cpuUsage(used);
    process.send({ ...made, ms, cpuMs: (user + system) / 1e3, backend });
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function main(load, folder) {
  const snarkjs = load('snarkjs');
  const curve = await load('ffjavascript').getCurveFromName('bn128');
  const files = await write(snarkjs, curve, folder, protocol, Number(log));
  const vkey = await snarkjs.zKey.exportVerificationKey(files.zkey);
  const sides = ['alone', 'hooked'].map((name) => ({
    name, ms: [], cpuMs: [], process: fork(__filename, [project, protocol, log, rounds, name, files.zkey, files.wtns]),
  }));
  for (let round = -1; round < Number(rounds); round++) {
    for (const side of sides) {
      const made = await new Promise((told, failed) => {
        side.process.once('message', told).once('exit', failed);
        side.process.send('prove');
      });
      if (!(await snarkjs[protocol].verify(vkey, made.publicSignals, made.proof))) throw new Error(`a proof of ${side.name} is not valid`);
      side.backend = made.backend;
      if (round < 0) continue;
      side.ms.push(made.ms);
      side.cpuMs.push(made.cpuMs);
    }
  }
  for (const side of sides) side.process.removeAllListeners('exit').kill();
  const cpus = os.cpus();
  console.log(`${protocol}, domain 2^${log}, ${cpus.length} x ${cpus[0].model}, median of ${rounds}`);
  for (const [name, what] of [['ms', 'time'], ['cpuMs', 'processor time']]) {
    const [alone, hooked] = sides.map((side) => median(side[name]));
    console.log(`${what}: snarkjs ${alone.toFixed(0)} ms, with Pail (${sides[1].backend}) ${hooked.toFixed(0)} ms: ${(alone / hooked).toFixed(2)} times as fast`);
  }
}

const load = createRequire(path.join(path.resolve(project ?? '.'), 'package.json'));
if (how) {
  prover(load);
} else {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pail-'));
  main(load, folder).then(() => 0, (error) => (console.error(error), 1)).then((status) => {
    fs.rmSync(folder, { recursive: true });
    process.exit(status); // snarkjs keeps threads
  });
}
