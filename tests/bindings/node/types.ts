// Programs in TypeScript may write this, and may not: tsc reads it, and nothing runs it.
import * as pail from 'pail-prover';
import * as kzg from 'pail-prover/kzg';
import { accelerate } from 'pail-prover/snarkjs';

export async function everything(signal: AbortSignal): Promise<boolean> {
  const context = new pail.Context({ backend: 'cpu', threads: 2 });
  const bases = await context.bases(new Uint8Array(128), { curve: pail.BN254, group: pail.G1, validation: 1 });
  const point: Uint8Array = await bases.msm(new Uint8Array(64), { signal });
  bases.msmSync(new BigUint64Array(8), 0, pail.MONTGOMERY);
  const a = await context.vector(8), b = await context.vector(8, pail.BLS12_381);
  const matrix = await context.matrix([0, 1n], [0], new Uint8Array(32), 1);
  await context.run([pail.ntt(a), pail.intt(a, b, { shift: 5n, bitReversed: true }), pail.spmv(a, matrix, b), pail.powers(a, a, { scale: 2 })]);
  await bases.msm(a, { scalarOffset: 1, n: 2 });
  const key = await context.key('circuit.zkey');
  const { proof, publicSignals } = await key.prove({ type: 'mem', data: point }, { signal });
  const first: string = proof.pi_a[0] + publicSignals[0] + pail.version();
  accelerate({ name: 'bn128', first });
  // @ts-expect-error: points are no text
  await context.bases('text');
  // @ts-expect-error: there is no such curve
  await context.vector(8, 3);
  // @ts-expect-error: floats are no bytes
  await bases.msm(new Float64Array(8));
  // @ts-expect-error: operations are made by functions
  await context.run(['ntt']);
  // @ts-expect-error: vectors are made by a context
  new pail.Vector();
  return await key.verify(publicSignals, proof) && pail.groth16.verify(JSON.parse('{}'), [1, 2n, '3'], proof);
}

// Types of c-kzg and of micro-eth-signer are those of the functions here.
import type * as ckzg from 'c-kzg';
import type { KZG } from 'micro-eth-signer/kzg.js' with { 'resolution-mode': 'import' };

export async function everythingOfKzg(blob: Uint8Array): Promise<boolean> {
  const same: typeof ckzg = kzg;
  const methods: Omit<{ [Name in keyof KZG]: KZG[Name] }, '_Fk20Precomputes'> = new kzg.KZG();
  same.loadTrustedSetup(8);
  const [cells, proofs]: [Uint8Array[], Uint8Array[]] = await kzg.promises.computeCellsAndKzgProofs(blob);
  // @ts-expect-error: a promise is awaited
  const commitment: Uint8Array = kzg.promises.blobToKzgCommitment(blob);
  // @ts-expect-error: indices are numbers
  kzg.recoverCellsAndKzgProofs(['0'], cells);
  return methods.verifyProof('', 1n, 2n, '') && kzg.promises.verifyCellKzgProofBatch([commitment], [0], cells, proofs);
}
