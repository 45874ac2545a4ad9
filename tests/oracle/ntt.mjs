// SPDX-License-Identifier: Apache-2.0
// The time of ffjavascript's transform, to set beside `pail ntt --direction forward`:
//   node ntt.mjs CURVE LOG2 REPEAT
// CURVE: bn254 or bls12-381. Elements in Montgomery form, natural order in and out, all processors. The inverse has to give
// the input again, or there is no time. Prints the least of REPEAT, in ms: by the clock, and of processors.
import { getCurveFromName } from 'ffjavascript';

const [name, log2, repeat] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const names = { bn254: 'bn128', 'bls12-381': 'bls12381' };
if (!names[name] || !(log2 >= 1 && log2 <= 24) || !(repeat >= 1)) {
    console.error('usage: ntt.mjs bn254|bls12-381 LOG2 REPEAT');
    process.exit(2);
}
const curve = await getCurveFromName(names[name]);
const n = 2 ** log2;
const input = new Uint8Array(n * 32);
for (let i = 0; i < n; i++)
    input.set(curve.Fr.e(BigInt(i) * 0x9e3779b97f4a7c15n + 1n), 32 * i);
let [wall, cpu, output] = [Infinity, Infinity, null];
for (let i = 0; i < repeat; i++) {
    const [began, used] = [performance.now(), process.cpuUsage()];
    output = await curve.Fr.fft(input);
    const { user, system } = process.cpuUsage(used);
    wall = Math.min(wall, performance.now() - began);
    cpu = Math.min(cpu, (user + system) / 1000);
}
const again = await curve.Fr.ifft(output);
await curve.terminate();
if (Buffer.compare(Buffer.from(again), Buffer.from(input)) !== 0) {
    console.error('the inverse gives another input');
    process.exit(1);
}
console.log(`${name} 2^${log2}: ${wall.toFixed(3)} ms, ${cpu.toFixed(3)} ms of processors`);
