/* Groth16: proofs, their verification, and their text in JSON.
 *
 * Points are in the canonical form of <pail/encoding.h>: affine x then y, little-endian, in G2 c0
 * before c1, packed at the beginning of their field; the rest of the field is zero. All zero is
 * infinity. A coordinate takes 32 bytes with BN254 and 48 with BLS12-381, in G2 twice as much.
 * Scalars take 32 bytes, canonical, little-endian.
 *
 * r is the order of the groups. Functions report failures as those of <pail/pail.h>.
 */
#ifndef PAIL_GROTH16_H
#define PAIL_GROTH16_H

#include <pail/pail.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_GROTH16_G1_BYTES 96  /* room for a point of the first group */
#define PAIL_GROTH16_G2_BYTES 192 /* and of the second */

/* What a prover sends. */
typedef struct pail_groth16_proof {
    uint32_t struct_size;
    uint32_t curve; /* pail_curve */
    uint8_t a[PAIL_GROTH16_G1_BYTES];
    uint8_t b[PAIL_GROTH16_G2_BYTES];
    uint8_t c[PAIL_GROTH16_G1_BYTES];
} pail_groth16_proof;

/* What a verifier has. */
typedef struct pail_groth16_verifying_key {
    uint32_t struct_size;
    uint32_t curve;    /* pail_curve */
    uint64_t n_public; /* public values, without the constant 1; may be 0 */
    uint8_t alpha1[PAIL_GROTH16_G1_BYTES];
    uint8_t beta2[PAIL_GROTH16_G2_BYTES];
    uint8_t gamma2[PAIL_GROTH16_G2_BYTES];
    uint8_t delta2[PAIL_GROTH16_G2_BYTES];
    /* [(n_public + 1) * bytes of a point of G1], packed: that of the constant first */
    const uint8_t *ic;
} pail_groth16_verifying_key;

/* Whether the proof is valid: whether
 *     e(A, B) = e(alpha, beta) e(IC_0 + sum of public_i IC_(i + 1), gamma) e(C, delta)
 * (Groth, "On the Size of Pairing-based Non-interactive Arguments", ePrint 2016/260, section 3.2).
 * Every point of key and proof is checked first: on its curve, and of order r or infinity. Takes a
 * few milliseconds on one thread, and a tenth to four tenths of one more for each public value.
 * None of what it is given is secret. Thread-safety: safe.
 *
 * Out: *valid: 1: valid; 0: not, also on failure.
 * In:  publics: [n_public * 32], each below r; may be NULL when n_public is 0.
 * Returns PAIL_OK, whether valid or not; PAIL_ERR_ARGUMENT (a NULL pointer, no such curve);
 * PAIL_ERR_DATA for curves or numbers of publics that differ, a public value not below r, and a
 * point that is not one: the sentence names it; or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_groth16_verify(uint32_t *valid, const pail_groth16_verifying_key *key,
                                         const pail_groth16_proof *proof, const void *publics,
                                         uint64_t n_public, char *error, size_t capacity);

/* ---- Text --------------------------------------------------------------------------------------
 * Both write pi_a, pi_b, pi_c and protocol, numbers as decimal strings, points as x, y and 1, or
 * 0, 1 and 0 for infinity. */
typedef enum pail_groth16_layout {
    /* As snarkjs writes it: an indent of one space, also the curve ("bn128" or "bls12381"). */
    PAIL_GROTH16_SNARKJS = 1,
    /* As rapidsnark writes it: one line without spaces, no curve. */
    PAIL_GROTH16_RAPIDSNARK = 2,
    PAIL_GROTH16_FORCE_32 = 0x7fffffff
} pail_groth16_layout;

/* A proof as the text of proof.json, without a newline at the end. The points are not checked, but
 * for coordinates not below p.
 *
 * Out: text: [capacity]: the text and a zero byte; empty on failure. NULL when capacity is 0: only
 *      the length is asked for.
 *      *length: of the text, without the zero byte, also when it does not fit; otherwise 0 on
 *      failure.
 * In:  layout: pail_groth16_layout.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT (a NULL pointer, no such curve or layout, or 0 < capacity <=
 * *length); PAIL_ERR_DATA: a coordinate that is not below p. */
PAIL_API pail_status pail_groth16_proof_text(char *text, size_t capacity, size_t *length,
                                             const pail_groth16_proof *proof, uint32_t layout,
                                             char *error, size_t error_capacity);

/* Public values as the text of public.json: as pail_groth16_proof_text.
 *
 * In:  publics: [n_public * 32], any integers; may be NULL when n_public is 0. */
PAIL_API pail_status pail_groth16_public_text(char *text, size_t capacity, size_t *length,
                                              const void *publics, uint64_t n_public,
                                              uint32_t layout, char *error, size_t error_capacity);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_GROTH16_H */
