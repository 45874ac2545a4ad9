/** KZG of EIP-4844 and EIP-7594, by the names and arguments of c-kzg. The README has encodings, errors and threads. */
import type { Bytes } from './index.js';

export const BYTES_PER_BLOB: 131072;
export const BYTES_PER_CELL: 2048;
export const BYTES_PER_COMMITMENT: 48;
export const BYTES_PER_FIELD_ELEMENT: 32;
export const BYTES_PER_PROOF: 48;
export const CELLS_PER_EXT_BLOB: 128;
export const FIELD_ELEMENTS_PER_BLOB: 4096;
export const FIELD_ELEMENTS_PER_CELL: 64;

/** Lists of points in hexadecimal, such as the ceremony's JSON files have. */
export interface SetupData {
  g1_lagrange: string[];
  g2_monomial: string[];
  g1_monomial?: string[];
}
/** Cells of a blob, and their proofs. */
export type CellsAndProofs = [cells: Uint8Array[], proofs: Uint8Array[]];

/** Opens the setup of all functions: the ceremony's, or a file (.txt or .json). precompute: from 0 to 15, the width of tables. */
export function loadTrustedSetup(precompute?: number, filePath?: string): void;
export function blobToKzgCommitment(blob: Bytes): Uint8Array;
/** The proof and the value of a blob's polynomial at z. */
export function computeKzgProof(blob: Bytes, z: Bytes): [proof: Uint8Array, y: Uint8Array];
export function computeBlobKzgProof(blob: Bytes, commitment: Bytes): Uint8Array;
export function verifyKzgProof(commitment: Bytes, z: Bytes, y: Bytes, proof: Bytes): boolean;
export function verifyBlobKzgProof(blob: Bytes, commitment: Bytes, proof: Bytes): boolean;
export function verifyBlobKzgProofBatch(blobs: Bytes[], commitments: Bytes[], proofs: Bytes[]): boolean;
export function computeCells(blob: Bytes): Uint8Array[];
export function computeCellsAndKzgProofs(blob: Bytes): CellsAndProofs;
/** All cells and proofs from half of the cells or more; indices ascend. */
export function recoverCellsAndKzgProofs(cellIndices: number[], cells: Bytes[]): CellsAndProofs;
export function verifyCellKzgProofBatch(commitments: Bytes[], cellIndices: number[], cells: Bytes[], proofs: Bytes[]): boolean;
/** Of many blobs at once. Cells are views of one ArrayBuffer, and proofs of another. */
export function computeCellsAndKzgProofsBatch(blobs: Bytes[]): CellsAndProofs[];

type Later<Function extends (...given: never[]) => unknown> = (...given: Parameters<Function>) => Promise<ReturnType<Function>>;
/** The same functions, carried out by other threads. */
export const promises: {
  readonly loadTrustedSetup: Later<typeof loadTrustedSetup>;
  readonly blobToKzgCommitment: Later<typeof blobToKzgCommitment>;
  readonly computeKzgProof: Later<typeof computeKzgProof>;
  readonly computeBlobKzgProof: Later<typeof computeBlobKzgProof>;
  readonly verifyKzgProof: Later<typeof verifyKzgProof>;
  readonly verifyBlobKzgProof: Later<typeof verifyBlobKzgProof>;
  readonly verifyBlobKzgProofBatch: Later<typeof verifyBlobKzgProofBatch>;
  readonly computeCells: Later<typeof computeCells>;
  readonly computeCellsAndKzgProofs: Later<typeof computeCellsAndKzgProofs>;
  readonly recoverCellsAndKzgProofs: Later<typeof recoverCellsAndKzgProofs>;
  readonly verifyCellKzgProofBatch: Later<typeof verifyCellKzgProofBatch>;
  readonly computeCellsAndKzgProofsBatch: Later<typeof computeCellsAndKzgProofsBatch>;
};

/** A blob in hexadecimal, or its elements. */
export type HexBlob = string | string[] | bigint[];
/** The methods of micro-eth-signer's class of that name, with a setup of its own. Bytes are in hexadecimal. */
export class KZG {
  /** setup: without it the ceremony's; g1_monomial must be there. memoryBudget: bytes, 0: 160 MiB; or precompute. */
  constructor(setup?: SetupData | string, options?: { precompute?: number; memoryBudget?: number; backend?: string; device?: number; threads?: number });
  blobToKzgCommitment(blob: HexBlob): string;
  computeProof(blob: HexBlob, z: bigint | string): [proof: string, y: string];
  verifyProof(commitment: string, z: bigint | string, y: bigint | string, proof: string): boolean;
  computeBlobProof(blob: HexBlob, commitment: string): string;
  verifyBlobProof(blob: HexBlob, commitment: string, proof: string): boolean;
  verifyBlobProofBatch(blobs: string[], commitments: string[], proofs: string[]): boolean;
  computeCells(blob: HexBlob): string[];
  computeCellsAndProofs(blob: HexBlob): [cells: string[], proofs: string[]];
  recoverCellsAndProofs(cellIndices: number[], cells: string[]): [cells: string[], proofs: string[]];
  verifyCellKzgProofBatch(commitments: string[], cellIndices: number[], cells: string[], proofs: string[]): boolean;
  close(): void;
}
