// SPDX-License-Identifier: Apache-2.0
// Contracts of `pail key export` against those of snarkjs, in an EVM:
//   node solidity.mjs PAIL SETUP DATA
// SETUP is the program insecure_setup of the build, DATA is tests/data. Both contracts take what `pail export calldata` prints,
// which is what snarkjs prints, and the same with one word changed. Verification keys of both curves are compared as well.
import { createEVM } from '@ethereumjs/evm';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import * as snarkjs from 'snarkjs';
import solc from 'solc';

const [pail, setup, data] = process.argv.slice(2).map((path) => resolve(path));
if (data === undefined) {
  console.error('usage: node solidity.mjs PAIL SETUP DATA');
  process.exit(2);
}
const P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
const R = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
const folder = mkdtempSync(join(tmpdir(), 'pail-solidity-'));
const at = (name) => join(folder, name);
const template = { groth16: readFileSync(join(dirname(createRequire(import.meta.url).resolve('snarkjs')), '../templates/verifier_groth16.sol.ejs'), 'utf8') };

let checks = 0;
let failures = 0;
function expect(what, good) {
  checks++;
  if (good) return;
  failures++;
  console.log(`${what}: failed`);
}

function compiled(text) {
  const input = {
    language: 'Solidity',
    sources: { 'v.sol': { content: text } },
    settings: { optimizer: { enabled: true }, outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.methodIdentifiers'] } } },
  };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  for (const { severity, formattedMessage } of errors) if (severity === 'error') throw new Error(formattedMessage);
  expect('solc has no warnings of our contract', !text.includes('pail key export') || errors.length === 0);
  return contracts['v.sol'].Groth16Verifier.evm;
}

const bytes = (hex) => Uint8Array.from(Buffer.from(hex, 'hex'));
const word = (value) => BigInt.asUintN(256, value).toString(16).padStart(64, '0');

// A function of words: the contract's answer. One that reverts has none.
async function deployed(text) {
  const { bytecode, methodIdentifiers } = compiled(text);
  const evm = await createEVM();
  const { createdAddress } = await evm.runCall({ data: bytes(bytecode.object), gasLimit: 10n ** 9n });
  const [[, selector]] = Object.entries(methodIdentifiers);
  return async (words) => {
    const { execResult } = await evm.runCall({ to: createdAddress, data: bytes(selector + words.map(word).join('')), gasLimit: 10n ** 7n });
    return !execResult.exceptionError && BigInt(`0x${Buffer.from(execResult.returnValue).toString('hex')}`) === 1n;
  };
}

async function compareKeys(name, zkey) {
  execFileSync(pail, ['key', 'export', zkey, at('vk.json')]);
  const theirs = JSON.stringify(await snarkjs.zKey.exportVerificationKey(zkey), null, 1);
  expect(`${name}: the verification key of snarkjs`, readFileSync(at('vk.json'), 'utf8') === theirs);
}

async function compareContracts(name, zkey, wtns) {
  execFileSync(pail, ['prove', '--backend', 'cpu', zkey, wtns, at('proof.json'), at('public.json')], { stdio: 'ignore' });
  execFileSync(pail, ['key', 'export', zkey, at('v.sol')]);
  const [publics, proof] = ['public.json', 'proof.json'].map((file) => JSON.parse(readFileSync(at(file))));
  const calldata = execFileSync(pail, ['export', 'calldata', at('public.json'), at('proof.json')], { encoding: 'utf8' });
  expect(`${name}: calldata`, calldata.trim() === await snarkjs.groth16.exportSolidityCallData(proof, publics));
  const words = JSON.parse(`[${calldata}]`).flat(Infinity).map(BigInt);
  const ours = await deployed(readFileSync(at('v.sol'), 'utf8'));
  expect(`${name}: a proof`, await ours(words));
  if (publics.length === 0) return; // snarkjs writes a contract then that does not compile
  const theirs = await deployed(await snarkjs.zKey.exportSolidityVerifier(zkey, template));
  expect(`${name}: the proof in snarkjs's contract`, await theirs(words));
  const changed = (i, value) => words.map((one, k) => (k === i ? value : one));
  const wrong = [...words.map((one, i) => changed(i, one + 1n)), ...words.map((_, i) => changed(i, 0n)), words.map(() => 0n),
    ...words.slice(8).map((one, i) => changed(8 + i, one + R)), [...words.slice(0, 6), 0n, 0n, ...words.slice(8)]];
  for (const [i, one] of wrong.entries()) {
    if (one.every((value, k) => value === words[k])) continue;
    const [a, b] = [await ours(one), await theirs(one)];
    expect(`${name}: wrong words ${i}: ${a} and ${b}`, !a && !b);
  }
  // Coordinates have one form: snarkjs's contract takes -y of A modulo 2^256 then.
  for (let i = 0; i < 8; i++) expect(`${name}: word ${i} and P`, !await ours(changed(i, words[i] + P)));
}

// The answer ends the call, so a contract that inherits ours cannot call it as one of its own functions.
function refusesInnerCalls(text) {
  const heir = 'contract Heir is Groth16Verifier { function f(uint[2] calldata a, uint[2][2] calldata b, uint[2] calldata c, uint[3] calldata s)'
    + ' external view returns (bool) { return verifyProof(a, b, c, s); } }';
  try {
    compiled(text + heir);
  } catch (error) {
    return /Undeclared identifier/.test(error.message);
  }
  return false;
}

try {
  execFileSync(pail, ['key', 'export', join(data, 'ledger.zkey'), at('inherited.sol')]);
  expect('no call from inside', refusesInnerCalls(readFileSync(at('inherited.sol'), 'utf8')));
  await compareKeys('ledger', join(data, 'ledger.zkey'));
  await compareContracts('ledger', join(data, 'ledger.zkey'), join(data, 'ledger.wtns'));
  for (const curve of ['bn254', 'bls12-381']) {
    for (const publics of [0, 1, 5]) {
      const [r1cs, wtns, zkey] = ['r1cs', 'wtns', 'zkey'].map((kind) => at(`${curve}-${publics}.${kind}`));
      execFileSync(setup, ['circuit', curve, '40', String(publics), r1cs, wtns]);
      execFileSync(setup, ['key', r1cs, zkey]);
      await compareKeys(`${curve}, ${publics} public`, zkey);
      if (curve === 'bn254') await compareContracts(`${curve}, ${publics} public`, zkey, wtns);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${checks} checks, ${failures} failures`);
process.exit(failures > 0 ? 1 : 0); // the threads of snarkjs stay
