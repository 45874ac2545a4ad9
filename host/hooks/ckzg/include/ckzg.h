/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of c-kzg-4844 2.1.8 by its names, over Pail: KZG commitments and proofs of
 * EIP-4844, cells of EIP-7594. Names, structures and constants are those of ethereum/c-kzg-4844
 * (src); docs/from/c-kzg.md says how a binding is built with it and what differs.
 *
 * A scalar has 32 bytes, big-endian, and must be below r, the order of the groups; an fr_t holds it
 * in Montgomery form. A commitment or a proof is a compressed point of G1 of 48 bytes; a g1_t holds
 * it in Jacobian coordinates, Montgomery, z = 0 being infinity.
 *
 * Outputs of functions that return a C_KZG_RET are zeroed on failure, those of transforms aside,
 * which are left as they were; ckzg_error has the reason. NULL for a needed argument is
 * C_KZG_BADARGS in calls of EIP-4844 and EIP-7594 and in those that load setups. Thread-safety:
 * safe; a KZGSettings may be used by several threads between its loading and its release. Blobs and
 * what is computed from them are public. */
#ifndef PAIL_CKZG_H
#define PAIL_CKZG_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* blst's types: its own header where there is one, for callers that use both. */
#ifdef __has_include
#if !defined(PAIL_CKZG_OWN_TYPES) && __has_include("blst.h")
#define PAIL_CKZG_BLST
#endif
#endif
#ifdef PAIL_CKZG_BLST
#include "blst.h"
#else
typedef uint64_t limb_t;
typedef struct {
    limb_t l[4];
} blst_fr;
typedef struct {
    limb_t l[6];
} blst_fp;
typedef struct {
    blst_fp fp[2];
} blst_fp2;
typedef struct {
    blst_fp x, y, z;
} blst_p1;
typedef struct {
    blst_fp x, y;
} blst_p1_affine;
typedef struct {
    blst_fp2 x, y, z;
} blst_p2;
#endif

#define CKZG_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ----------------------------------------------------------------------------------- */

#define BYTES_PER_FIELD_ELEMENT     32
#define BYTES_PER_COMMITMENT        48
#define BYTES_PER_PROOF             48
#define BITS_PER_FIELD_ELEMENT      255
#define FIELD_ELEMENTS_PER_BLOB     4096
#define BYTES_PER_BLOB              (FIELD_ELEMENTS_PER_BLOB * BYTES_PER_FIELD_ELEMENT)
#define LOG_EXPANSION_FACTOR        1
#define FIELD_ELEMENTS_PER_EXT_BLOB (FIELD_ELEMENTS_PER_BLOB << LOG_EXPANSION_FACTOR)
#define FIELD_ELEMENTS_PER_CELL     64
#define BYTES_PER_CELL              (FIELD_ELEMENTS_PER_CELL * BYTES_PER_FIELD_ELEMENT)
#define CELLS_PER_BLOB              (FIELD_ELEMENTS_PER_BLOB / FIELD_ELEMENTS_PER_CELL)
#define CELLS_PER_EXT_BLOB          (FIELD_ELEMENTS_PER_EXT_BLOB / FIELD_ELEMENTS_PER_CELL)

typedef enum {
    C_KZG_OK = 0,
    C_KZG_BADARGS, /* an argument is invalid: a scalar not below r, a point, an index, NULL */
    C_KZG_ERROR,   /* no backend, or the backend failed */
    C_KZG_MALLOC,  /* no memory of the host or of the device */
} C_KZG_RET;

typedef blst_fr fr_t;
typedef blst_p1 g1_t;
typedef blst_p2 g2_t;

typedef struct {
    uint8_t bytes[32];
} Bytes32;

typedef struct {
    uint8_t bytes[48];
} Bytes48;

typedef struct {
    uint8_t bytes[BYTES_PER_BLOB];
} Blob;

typedef struct {
    uint8_t bytes[BYTES_PER_CELL];
} Cell;

typedef Bytes48 KZGCommitment;
typedef Bytes48 KZGProof;

/* A loaded setup. It may be copied, but not used after any copy is released. */
typedef struct {
    fr_t *roots_of_unity;         /* [8193]: w^i, w of order 8192 */
    fr_t *brp_roots_of_unity;     /* [8192]: the same in bit-reversed order */
    fr_t *reverse_roots_of_unity; /* [8193]: w^-i */
    g1_t *g1_values_monomial;     /* [4096]: tau^i G1 */
    g1_t *g1_values_lagrange_brp; /* [4096]: l_i(tau) G1, in bit-reversed order */
    g2_t *g2_values_monomial;     /* [65]: tau^i G2 */
    g1_t **x_ext_fft_columns;     /* NULL: Pail keeps this in its own form */
    blst_p1_affine **tables;      /* Pail's setup, opaque; not an array of points */
    size_t wbits;                 /* as it was given to load_trusted_setup */
    size_t scratch_size;          /* 0 */
} KZGSettings;

static const fr_t FR_ZERO = {{0, 0, 0, 0}};
/* 2^256 mod r */
static const fr_t FR_ONE = {{UINT64_C(0x00000001fffffffe), UINT64_C(0x5884b7fa00034802),
                             UINT64_C(0x998c4fefecbc4ff5), UINT64_C(0x1824b159acc5056f)}};
static const g1_t G1_IDENTITY = {{{0}}, {{0}}, {{0}}};

/* ---- Pail's own ------------------------------------------------------------------------------ */

/* The sentence of this thread's last failed call; empty if its last call did not fail. Valid until
 * the thread's next call. */
CKZG_API const char *ckzg_error(void);

/* ---- Setups ----------------------------------------------------------------------------------
 * precompute: 0 to 15, a budget for points and tables: 32 MiB, and, unless it is 0, as much as
 * c-kzg's tables of this width take, which is 96 MiB for 8. */

/* Loads a setup from compressed points: 4096 powers and 4096 Lagrange points of G1, natural order,
 * 48 bytes each; 65 powers of G2, 96 bytes each. It checks all points and their relations. *out is
 * overwritten, without a look at what it had; on failure it may be given to free_trusted_setup. */
CKZG_API C_KZG_RET load_trusted_setup(KZGSettings *out, const uint8_t *g1_monomial_bytes,
                                      uint64_t num_g1_monomial_bytes,
                                      const uint8_t *g1_lagrange_bytes,
                                      uint64_t num_g1_lagrange_bytes,
                                      const uint8_t *g2_monomial_bytes,
                                      uint64_t num_g2_monomial_bytes, uint64_t precompute);
/* The same from text: 4096, 65, the Lagrange points, the powers of G2, the powers of G1, the points
 * in hexadecimal. Reads as far as that, and does not close the file. */
CKZG_API C_KZG_RET load_trusted_setup_file(KZGSettings *out, FILE *in, uint64_t precompute);
/* s may be NULL, zeroed, or freed before. No call with it or with a copy of it may be running. */
CKZG_API void free_trusted_setup(KZGSettings *s);

/* ---- EIP-4844 -------------------------------------------------------------------------------- */

CKZG_API C_KZG_RET blob_to_kzg_commitment(KZGCommitment *out, const Blob *blob,
                                          const KZGSettings *s);
CKZG_API C_KZG_RET compute_kzg_proof(KZGProof *proof_out, Bytes32 *y_out, const Blob *blob,
                                     const Bytes32 *z_bytes, const KZGSettings *s);
/* The commitment is not compared with that of the blob. */
CKZG_API C_KZG_RET compute_blob_kzg_proof(KZGProof *out, const Blob *blob,
                                          const Bytes48 *commitment_bytes, const KZGSettings *s);
CKZG_API C_KZG_RET verify_kzg_proof(bool *ok, const Bytes48 *commitment_bytes,
                                    const Bytes32 *z_bytes, const Bytes32 *y_bytes,
                                    const Bytes48 *proof_bytes, const KZGSettings *s);
CKZG_API C_KZG_RET verify_blob_kzg_proof(bool *ok, const Blob *blob,
                                         const Bytes48 *commitment_bytes,
                                         const Bytes48 *proof_bytes, const KZGSettings *s);
/* *ok: true if all n are valid, and for none. Arrays may be NULL then. */
CKZG_API C_KZG_RET verify_blob_kzg_proof_batch(bool *ok, const Blob *blobs,
                                               const Bytes48 *commitments_bytes,
                                               const Bytes48 *proofs_bytes, uint64_t n,
                                               const KZGSettings *s);
/* The point at which a blob with this commitment is proven. */
CKZG_API void compute_challenge(fr_t *eval_challenge_out, const Blob *blob, const g1_t *commitment);

/* ---- EIP-7594 -------------------------------------------------------------------------------- */

/* cells, proofs: [128]; one of both may be NULL. */
CKZG_API C_KZG_RET compute_cells_and_kzg_proofs(Cell *cells, KZGProof *proofs, const Blob *blob,
                                                const KZGSettings *s);
/* From num_cells cells, 64 to 128, with ascending indices. Outputs: [128]; one of both may be NULL.
 */
CKZG_API C_KZG_RET recover_cells_and_kzg_proofs(Cell *recovered_cells, KZGProof *recovered_proofs,
                                                const uint64_t *cell_indices, const Cell *cells,
                                                uint64_t num_cells, const KZGSettings *s);
/* *ok: true if each cell with its proof is the cell with this index of the blob of its commitment,
 * and for none. All arrays: [num_cells], and may be NULL if that is 0. */
CKZG_API C_KZG_RET verify_cell_kzg_proof_batch(bool *ok, const Bytes48 *commitments_bytes,
                                               const uint64_t *cell_indices, const Cell *cells,
                                               const Bytes48 *proofs_bytes, uint64_t num_cells,
                                               const KZGSettings *s);
/* The scalar by whose powers cells of a batch are combined. commitments_bytes: without duplicates;
 * commitment_indices: into them. */
CKZG_API C_KZG_RET compute_verify_cell_kzg_proof_batch_challenge(
    fr_t *challenge_out, const Bytes48 *commitments_bytes, uint64_t num_commitments,
    const uint64_t *commitment_indices, const uint64_t *cell_indices, const Cell *cells,
    const Bytes48 *proofs_bytes, uint64_t num_cells);

/* ---- Declarations of c-kzg's other headers ---------------------------------------------------
 * Polynomials have their coefficients in natural order. Lengths of transforms: 0, or a power of two
 * up to 8192. */

#define c_kzg_free(p)                                                                              \
    do {                                                                                           \
        free(p);                                                                                   \
        (p) = NULL;                                                                                \
    } while (0)

/* *out: of malloc; NULL on failure. A size of 0 is C_KZG_BADARGS; so are 0 elements below. */
CKZG_API C_KZG_RET c_kzg_malloc(void **out, size_t size);
CKZG_API C_KZG_RET c_kzg_calloc(void **out, size_t count, size_t size);
CKZG_API C_KZG_RET new_g1_array(g1_t **x, size_t n);
CKZG_API C_KZG_RET new_g2_array(g2_t **x, size_t n);
CKZG_API C_KZG_RET new_fr_array(fr_t **x, size_t n);
CKZG_API C_KZG_RET new_bool_array(bool **x, size_t n);

CKZG_API void bytes_from_uint64(uint8_t out[8], uint64_t n); /* big-endian */
CKZG_API void bytes_from_g1(Bytes48 *out, const g1_t *in);
CKZG_API void bytes_from_bls_field(Bytes32 *out, const fr_t *in);
CKZG_API C_KZG_RET bytes_to_bls_field(fr_t *out, const Bytes32 *b);
/* A point of order r, or infinity. */
CKZG_API C_KZG_RET bytes_to_kzg_commitment(g1_t *out, const Bytes48 *b);
CKZG_API C_KZG_RET bytes_to_kzg_proof(g1_t *out, const Bytes48 *b);
CKZG_API void hash_to_bls_field(fr_t *out, const Bytes32 *b); /* any integer, modulo r */
CKZG_API C_KZG_RET blob_to_polynomial(fr_t *p, const Blob *blob);

CKZG_API void print_bytes32(const Bytes32 *bytes);
CKZG_API void print_bytes48(const Bytes48 *bytes);
CKZG_API void print_blob(const Blob *blob);
CKZG_API void print_cell(const Cell *cell);
CKZG_API void print_fr(const fr_t *f);
CKZG_API void print_g1(const g1_t *g);

CKZG_API bool fr_equal(const fr_t *a, const fr_t *b);
CKZG_API bool fr_is_one(const fr_t *p);
CKZG_API void fr_add(fr_t *out, const fr_t *a, const fr_t *b);
CKZG_API void fr_sub(fr_t *out, const fr_t *a, const fr_t *b);
CKZG_API void fr_mul(fr_t *out, const fr_t *a, const fr_t *b);
CKZG_API void fr_neg(fr_t *out, const fr_t *a);
CKZG_API void fr_inv(fr_t *out, const fr_t *a); /* 0 for 0 */
CKZG_API void fr_div(fr_t *out, const fr_t *a, const fr_t *b);
CKZG_API void fr_pow(fr_t *out, const fr_t *a, uint64_t n);
CKZG_API void fr_from_uint64(fr_t *out, uint64_t n);

CKZG_API void g1_add(g1_t *out, const g1_t *a, const g1_t *b);
CKZG_API void g1_sub(g1_t *out, const g1_t *a, const g1_t *b);
CKZG_API void g1_mul(g1_t *out, const g1_t *a, const fr_t *b);
CKZG_API void g1_lincomb_naive(g1_t *out, const g1_t *p, const fr_t *coeffs, size_t len);
/* The same by the backend. A len of 0 is C_KZG_BADARGS. */
CKZG_API C_KZG_RET g1_lincomb_fast(g1_t *out, const g1_t *p, const fr_t *coeffs, size_t len);
/* e(a1, a2) = e(b1, b2) */
CKZG_API bool pairings_verify(const g1_t *a1, const g2_t *a2, const g1_t *b1, const g2_t *b2);

CKZG_API bool is_power_of_two(uint64_t n); /* of 0 too */
CKZG_API uint64_t log2_pow2(uint64_t n);
CKZG_API uint64_t reverse_bits(uint64_t n);
CKZG_API uint64_t reverse_bits_limited(uint64_t n, uint64_t value); /* of log2_pow2(n) bits */
CKZG_API C_KZG_RET bit_reversal_permutation(void *values, size_t size, size_t n);
CKZG_API void compute_powers(fr_t *out, const fr_t *x, size_t n);

CKZG_API C_KZG_RET fr_fft(fr_t *out, const fr_t *in, size_t n, const KZGSettings *s);
CKZG_API C_KZG_RET fr_ifft(fr_t *out, const fr_t *in, size_t n, const KZGSettings *s);
CKZG_API C_KZG_RET g1_fft(g1_t *out, const g1_t *in, size_t n, const KZGSettings *s);
CKZG_API C_KZG_RET g1_ifft_unscaled(g1_t *out, const g1_t *in, size_t n, const KZGSettings *s);
/* At the coset 7 w^i. */
CKZG_API C_KZG_RET coset_fft(fr_t *out, const fr_t *in, size_t n, const KZGSettings *s);
CKZG_API C_KZG_RET coset_ifft(fr_t *out, const fr_t *in, size_t n, const KZGSettings *s);
/* p(factor x) */
CKZG_API void shift_poly(fr_t *p, size_t len, const fr_t *shift_factor);
/* Coefficients from values in bit-reversed order. */
CKZG_API C_KZG_RET poly_lagrange_to_monomial(fr_t *monomial_out, const fr_t *lagrange, size_t len,
                                             const KZGSettings *s);
/* Proofs of the 128 cells of a polynomial of 4096 coefficients, in the order of the roots. */
CKZG_API C_KZG_RET compute_fk20_cell_proofs(g1_t *out, const fr_t *p, const KZGSettings *s);
/* All 8192 values from those of the given cells, which are at their places. */
CKZG_API C_KZG_RET recover_cells(fr_t *reconstructed_data_out, const uint64_t *cell_indices,
                                 size_t num_cells, fr_t *cells, const KZGSettings *s);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_CKZG_H */
