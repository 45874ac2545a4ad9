// Types of Pail for Node.js. README.md and the comments in the sources say what functions do.

/** Bytes, copied before a call returns its promise. */
export type Bytes = NodeJS.TypedArray | DataView | ArrayBuffer;
/** As snarkjs takes files: a path, bytes, or an object with bytes. */
export type File = string | Uint8Array | { type: 'mem'; data: Uint8Array };
export type Integer = bigint | number;
/** A value of an input signal, or arrays of values, or a bus. */
export type Input = bigint | number | string | boolean | Input[] | { [name: string]: Input };

export const BN254: 1;
export const BLS12_381: 2;
export const G1: 1;
export const G2: 2;
export const CANONICAL: 0;
export const MONTGOMERY: 1;
export const JACOBIAN: 2;
export const version: string;

export type Curve = typeof BN254 | typeof BLS12_381;
export type Group = typeof G1 | typeof G2;
export type Encoding = number;

export interface Groth16Proof {
  pi_a: [string, string, string];
  pi_b: [[string, string], [string, string], [string, string]];
  pi_c: [string, string, string];
  protocol: string;
  curve?: string;
}

export interface Proved {
  proof: Groth16Proof;
  publicSignals: string[];
}

/** A failure of Pail: an Error with the name of a status. */
export interface PailError extends Error {
  code: string;
}

export class Context {
  constructor(options?: { backend?: string; device?: number; threads?: number });
  readonly backend: string;
  bases(points: Bytes, options?: { curve?: Curve; group?: Group; encoding?: Encoding; validation?: number }): Promise<Bases>;
  key(zkey: File): Promise<Key>;
  vector(n: number, curve?: Curve): Promise<Vector>;
  matrix(rowStarts: BigUint64Array | Iterable<Integer>, columns: Uint32Array | Iterable<Integer>, values: Bytes, nColumns: number,
    curve?: Curve, encoding?: Encoding): Promise<Matrix>;
  run(operations: Iterable<Operation>): Promise<void>;
}

export class Bases {
  private constructor();
  readonly length: number;
  msm(scalars: Bytes | Vector, options?: { offset?: number; encoding?: Encoding; scalarOffset?: number; n?: number; signal?: AbortSignal }): Promise<Uint8Array>;
  msmSync(scalars: Bytes, offset?: number, encoding?: Encoding): Uint8Array;
}

export class Key {
  private constructor();
  prove(witness: File, options?: { blinding?: Uint8Array; signal?: AbortSignal }): Promise<Proved>;
  verify(publicSignals: (string | Integer)[], proof: Groth16Proof): Promise<boolean>;
}

export class Vector {
  private constructor();
  readonly length: number;
  readonly curve: Curve;
  write(elements: Bytes, offset?: number, encoding?: Encoding): Promise<void>;
  read(offset?: number, n?: number, encoding?: Encoding): Promise<Uint8Array>;
  ntt(options?: TransformOptions): Promise<void>;
  intt(options?: TransformOptions): Promise<void>;
  close(): void;
}

export class Matrix {
  private constructor();
  readonly length: number;
  close(): void;
}

export interface Offsets {
  rOffset?: number;
  aOffset?: number;
  bOffset?: number;
  cOffset?: number;
  n?: number;
}

export interface TransformOptions extends Offsets {
  root?: Integer | Uint8Array;
  logN?: number;
  shift?: Integer | Uint8Array;
  bitReversed?: boolean;
}

export interface Operation {
  readonly kind: string;
}

export function ntt(r: Vector, a?: Vector, options?: TransformOptions): Operation;
export function intt(r: Vector, a?: Vector, options?: TransformOptions): Operation;
export function spmv(r: Vector, matrix: Matrix, a: Vector, options?: Offsets): Operation;
export function add(r: Vector, a: Vector, b: Vector, options?: Offsets): Operation;
export function sub(r: Vector, a: Vector, b: Vector, options?: Offsets): Operation;
export function mul(r: Vector, a: Vector, b: Vector, options?: Offsets): Operation;
export function mulSub(r: Vector, a: Vector, b: Vector, c: Vector, options?: Offsets): Operation;
export function powers(r: Vector, a: Vector, options?: Offsets & { scale?: Integer | Uint8Array; shift?: Integer | Uint8Array }): Operation;
export function copy(r: Vector, a: Vector, options?: Offsets): Operation;
export function rootOfUnity(curve: Curve, logN: number): Uint8Array;

export const groth16: {
  prove(zkey: File, wtns: File, options?: { signal?: AbortSignal }): Promise<Proved>;
  /** From the inputs of a circuit; wasm: as circom 2 compiles it. */
  fullProve(input: { [signal: string]: Input }, wasm: File, zkey: File, options?: { signal?: AbortSignal }): Promise<Proved>;
  verify(vkey: object, publicSignals: (string | Integer)[], proof: Groth16Proof): Promise<boolean>;
};
