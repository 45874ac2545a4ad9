/** Types of Pail for Node.js. The README has encodings, rules for buffers, errors and threads. */

/** Integers in a typed array that is not over a SharedArrayBuffer; they are copied when a call is made. */
export type Bytes = Uint8Array | Uint8ClampedArray | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | BigUint64Array | BigInt64Array;
/** The value of an input signal, or values of an array, or of the signals of a bus. */
export type Input = bigint | number | string | boolean | Input[] | { [name: string]: Input };
/** A path, or the content of a file as bytes or as snarkjs has it in memory. */
export type File = string | Bytes | { type: 'mem'; data: Bytes };
/** An element of the scalar field: an integer, or 32 bytes, little-endian. */
export type Element = bigint | number | Bytes;

export const BN254: 1;
export const BLS12_381: 2;
export type Curve = 1 | 2;
export const G1: 1;
export const G2: 2;
export type Group = 1 | 2;
export const CANONICAL: 0;
export const MONTGOMERY: 1;
/** Of points alone: x, y, z in Montgomery form. */
export const JACOBIAN: 2;
export type Encoding = 0 | 1 | 2;
/** Validation of points: none, on the curve, in the subgroup. */
export type Validation = 0 | 1 | 2;

/** A failure. `code` is the name of a status, such as PAIL_ERR_DATA. */
export interface PailError extends Error {
  code: string;
}

/** A proof, as snarkjs writes it. */
export interface Proof {
  pi_a: string[];
  pi_b: string[][];
  pi_c: string[];
  protocol: string;
  curve: string;
}
export interface Proved {
  proof: Proof;
  publicSignals: string[];
}
type Number = string | number | bigint;
/** A proof of whatever origin: verification is false for one that is wrong, and does not fail. */
export type GivenProof = Proof | { [name: string]: unknown };

/** A device of a backend. */
export class Context {
  constructor(options?: { backend?: string; device?: number; threads?: number });
  readonly backend: string;
  /** Registers packed points. */
  bases(points: Bytes, options?: { curve?: Curve; group?: Group; encoding?: Encoding; validation?: Validation }): Promise<Bases>;
  /** Opens a proving key. */
  key(zkey: File): Promise<Key>;
  /** A vector of n zeros. */
  vector(n: number, curve?: Curve): Promise<Vector>;
  /** Registers a sparse matrix; rowStarts has one number more than there are rows. */
  matrix(rowStarts: BigUint64Array | Iterable<number | bigint>, columns: Uint32Array | Iterable<number | bigint>, values: Bytes, nColumns: number,
    curve?: Curve, encoding?: Encoding): Promise<Matrix>;
  /** Each operation sees the results of those before it. */
  run(operations: Iterable<Operation>): Promise<void>;
}

/** Points that are registered with a context. */
export interface Bases {
  readonly length: number;
  /** The sum of scalars[i] * bases[offset + i]. */
  msm(scalars: Bytes, options?: { offset?: number; encoding?: Encoding; signal?: AbortSignal }): Promise<Uint8Array>;
  msm(scalars: Vector, options?: { offset?: number; scalarOffset?: number; n?: number; signal?: AbortSignal }): Promise<Uint8Array>;
  /** The same in the calling thread: for a few points. */
  msmSync(scalars: Bytes, offset?: number, encoding?: Encoding): Uint8Array;
}

/** A Groth16 proving key that is registered with a context. */
export interface Key {
  /** blinding: 64 bytes, r and s: for tests alone. */
  prove(witness: File, options?: { blinding?: Bytes; signal?: AbortSignal }): Promise<Proved>;
  verify(publicSignals: Number[], proof: GivenProof): Promise<boolean>;
}

interface Stored {
  readonly length: number;
  /** Frees the memory with the last work that uses it. */
  close(): void;
}
/** Elements of the scalar field of a curve, in the memory of a device. */
export class Vector implements Stored {
  private constructor();
  readonly length: number;
  readonly curve: Curve;
  close(): void;
  write(elements: Bytes, offset?: number, encoding?: Encoding): Promise<void>;
  read(offset?: number, n?: number, encoding?: Encoding): Promise<Uint8Array>;
  /** A transform in place. */
  ntt(options?: TransformOptions): Promise<void>;
  intt(options?: TransformOptions): Promise<void>;
}
/** A sparse matrix; length is its number of rows. */
export class Matrix implements Stored {
  private constructor();
  readonly length: number;
  close(): void;
}

/** For Context.run; ntt and the functions beside it make them. */
export interface Operation {
  readonly kind: string;
}
export interface Range {
  rOffset?: number;
  aOffset?: number;
  n?: number;
}
export interface TransformOptions extends Range {
  /** Of order 2^logN; rootOfUnity by default. */
  root?: Element;
  logN?: number;
  shift?: Element;
  bitReversed?: boolean;
}
export function ntt(r: Vector, a?: Vector, options?: TransformOptions): Operation;
export function intt(r: Vector, a?: Vector, options?: TransformOptions): Operation;
/** r = matrix a. */
export function spmv(r: Vector, matrix: Matrix, a: Vector, options?: Range): Operation;
/** r = a + b. */
export function add(r: Vector, a: Vector, b: Vector, options?: Range & { bOffset?: number }): Operation;
/** r = a - b. */
export function sub(r: Vector, a: Vector, b: Vector, options?: Range & { bOffset?: number }): Operation;
/** r = a b. */
export function mul(r: Vector, a: Vector, b: Vector, options?: Range & { bOffset?: number }): Operation;
/** r = a b - c. */
export function mulSub(r: Vector, a: Vector, b: Vector, c: Vector, options?: Range & { bOffset?: number; cOffset?: number }): Operation;
/** r[i] = scale shift^i a[i]. */
export function powers(r: Vector, a: Vector, options?: Range & { scale?: Element; shift?: Element }): Operation;
/** r = a. */
export function copy(r: Vector, a: Vector, options?: Range): Operation;
/** The 32 bytes of the root of unity of order 2^logN that snarkjs and .zkey files use. */
export function rootOfUnity(curve: Curve, logN: number): Uint8Array;

/** Functions of the names and arguments that snarkjs.groth16 has. */
export const groth16: {
  prove(zkey: File, witness: File, options?: { signal?: AbortSignal }): Promise<Proved>;
  /** From the inputs of a circuit; wasm: as circom 2 compiles it. */
  fullProve(input: { [signal: string]: Input }, wasm: File, zkey: File, options?: { signal?: AbortSignal }): Promise<Proved>;
  verify(vkey: { curve: string; [name: string]: unknown }, publicSignals: Number[], proof: GivenProof): Promise<boolean>;
};

/** The version of the library. */
export function version(): string;
