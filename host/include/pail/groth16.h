/* Groth16: proofs, how they are made and verified, and their text in JSON.
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

/* ---- Proving -----------------------------------------------------------------------------------
 * A key is opened once, on a context of any backend that has vectors, and proves any number of
 * times. What is made of a witness is wiped before a function returns, also when it fails; where
 * others use the context meanwhile, once the device has done what it was given before. */

/* A proving key whose points and matrices are registered with a context. Immutable. Safe */
typedef struct pail_groth16_key pail_groth16_key;

typedef enum pail_groth16_key_flag {
    PAIL_GROTH16_KEY_HASH = 1 << 0, /* reads the whole file once more, for info's hash */
    /* For one proof, in the least memory: the points of each section are registered when their
     * multiplication begins, and gone when it has ended. They are checked then, and so is what
     * registering refuses: such errors come from the proof. `bytes` stay valid until the key is
     * closed; a file stays open, and must not change. A second proof is PAIL_ERR_ARGUMENT, also
     * where the first one failed. Not for <pail/prover.h>. */
    PAIL_GROTH16_KEY_ONCE = 1 << 1,
    PAIL_GROTH16_KEY_FLAG_FORCE_32 = 0x7fffffff
} pail_groth16_key_flag;

/* Where B2 is multiplied, the one sum over the second group. */
typedef enum pail_groth16_b2 {
    /* Where proofs end earlier. The first proofs that have nobody beside them are measured, in
     * turns, and the choice is kept for keys that are alike (docs/decisions/0156). Until then the
     * points are in both places. DEVICE where the context is the CPU backend's, or with
     * PAIL_GROTH16_KEY_ONCE. */
    PAIL_GROTH16_B2_AUTO = 0,
    PAIL_GROTH16_B2_DEVICE = 1, /* with the other four */
    PAIL_GROTH16_B2_CPU = 2,    /* on the CPU backend beside them; its points are in the host's
                                   memory. DEVICE where the context is the CPU backend's */
    /* As AUTO, but nothing is measured: what was kept, otherwise on the device where that is a GPU,
     * and on the CPU backend where it is a software driver. What AUTO is in <pail/prover.h>. */
    PAIL_GROTH16_B2_KEPT = 3,
    PAIL_GROTH16_B2_FORCE_32 = 0x7fffffff
} pail_groth16_b2;

typedef struct pail_groth16_key_params {
    uint32_t struct_size;
    uint32_t flags; /* pail_groth16_key_flag, or-ed */
    /* pail_validation of the points of sections 5 to 9. Those of the header are checked in any
     * case: on the curve, of order r, and not infinity. Those of section 3 only verify. */
    uint32_t validation;
    uint32_t residency;    /* pail_residency, of the points */
    uint32_t table_factor; /* as in pail_bases_desc */
    uint32_t b2;           /* pail_groth16_b2 */
    const char *path;      /* of a .zkey file as snarkjs writes it; the string is copied */
    const void *bytes;     /* [n_bytes]: in place of path, the same in memory, of any alignment */
    uint64_t n_bytes;
    const char *name; /* optional: what sentences call the key; otherwise path, or "the key" */
    /* optional: the folder of measured choices, as in pail_context_params; "": none are kept */
    const char *cache_dir;
    uint32_t b2_threads; /* of the CPU backend, for B2, at most; 0: as many as there are processors.
                            Fewer where their scratch would not fit half of the L3 caches */
    uint32_t reserved;   /* 0 */
} pail_groth16_key_params;

/* Opens a key of BN254 or BLS12-381: reads and checks it, sorts its matrices by rows, and registers
 * them and its points.
 *
 * Out: *key: to be given to pail_groth16_key_close before the context is destroyed.
 * In:  backend, context: must outlive the key. params: only read during the call.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT; PAIL_ERR_DATA: the sentence has the section, the byte and
 * what is wrong there; PAIL_ERR_UNSUPPORTED: a key of another proof system, or a backend without
 * vectors; PAIL_ERR_IO, and what registering returns. */
PAIL_API pail_status pail_groth16_key_open(pail_groth16_key **key, const pail_backend *backend,
                                           pail_context *context,
                                           const pail_groth16_key_params *params, char *error,
                                           size_t capacity);

/* No proof may be under way. Legal on a handle that is NULL. */
PAIL_API void pail_groth16_key_close(pail_groth16_key **key);

typedef struct pail_groth16_key_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t curve;       /* pail_curve */
    uint64_t n_vars;      /* values of a witness, the constant 1 included */
    uint64_t n_public;    /* public values, without the constant 1 */
    uint64_t domain_size;
    uint64_t n_coefficients;         /* of both matrices */
    uint64_t n_points, n_infinities; /* of sections 5 to 9 */
    uint64_t device_bytes;           /* that registered points take there, and on the host */
    uint64_t host_bytes;
    /* With PAIL_GROTH16_KEY_ONCE these are known after the proof, during which nobody may ask for
     * them, and bytes are the largest. */
    uint64_t hash; /* FNV-1a, 64 bits, of the file; 0 without PAIL_GROTH16_KEY_HASH */
    double read_ms, matrices_ms, bases_ms;
    uint32_t b2; /* pail_groth16_b2: DEVICE or CPU; AUTO: it is still being measured, and the
                    points are in both places */
    uint32_t b2_threads; /* of the CPU backend, for B2; 0: none */
} pail_groth16_key_info;

PAIL_API pail_status pail_groth16_key_get_info(const pail_groth16_key *key,
                                               pail_groth16_key_info *info);

/* What verifies the key's proofs. verifying->ic lives as long as the key. */
PAIL_API pail_status pail_groth16_key_verifying(const pail_groth16_key *key,
                                                pail_groth16_verifying_key *verifying);

/* A witness, in one of three ways. */
typedef struct pail_groth16_witness {
    uint32_t struct_size;
    uint32_t reserved;
    const void *values; /* [n_values * 32], canonical, the constant 1 first; of any alignment */
    uint64_t n_values;
    const void *wtns; /* [n_wtns]: in place of values, the bytes of a .wtns file */
    uint64_t n_wtns;
    const char *path; /* in place of both, such a file */
    const char *name; /* optional: what sentences call it; otherwise path, or "the witness" */
} pail_groth16_witness;

typedef enum pail_groth16_flag {
    /* r and s as given and not by chance: for tests. Such a proof tells of its witness. */
    PAIL_GROTH16_FIXED_BLINDING = 1 << 0,
    /* Waits after each stage, so that each has a time of its own; takes longer. */
    PAIL_GROTH16_STAGES = 1 << 1,
    PAIL_GROTH16_FLAG_FORCE_32 = 0x7fffffff
} pail_groth16_flag;

typedef enum pail_groth16_stage {
    PAIL_GROTH16_STAGE_WITNESS = 0,  /* finding it: prime, length, the constant, public values */
    PAIL_GROTH16_STAGE_UPLOAD = 1,   /* reading and checking its values while they are sent */
    PAIL_GROTH16_STAGE_QUOTIENT = 2, /* products with the matrices, transforms */
    PAIL_GROTH16_STAGE_A = 3,
    PAIL_GROTH16_STAGE_B1 = 4,
    PAIL_GROTH16_STAGE_B2 = 5,
    PAIL_GROTH16_STAGE_C = 6,
    PAIL_GROTH16_STAGE_H = 7,
    PAIL_GROTH16_STAGE_ASSEMBLE = 8,
    PAIL_GROTH16_STAGES_COUNT = 9,
    PAIL_GROTH16_STAGE_FORCE_32 = 0x7fffffff
} pail_groth16_stage;

typedef struct pail_groth16_options {
    uint32_t struct_size;
    uint32_t flags;       /* pail_groth16_flag, or-ed */
    uint8_t r[32], s[32]; /* with FIXED_BLINDING: canonical, below r. Secret */
    /* optional: called in the thread of the call when a stage (pail_groth16_stage) begins. Without
     * PAIL_GROTH16_STAGES, A stands for all multiplications. */
    void (*stage)(void *user, uint32_t stage);
    void *user;
} pail_groth16_options;

typedef struct pail_groth16_timings {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t b2;          /* pail_groth16_b2: where it was multiplied, DEVICE or CPU */
    double wall_ms;
    /* By pail_groth16_stage. Without PAIL_GROTH16_STAGES the time of all multiplications is A's,
     * and it includes what the quotient takes of the device beside them. That of B2 is what the CPU
     * backend worked meanwhile then, where it had B2. */
    double stage_ms[PAIL_GROTH16_STAGES_COUNT];
    /* Of the quotient and of multiplications, by the device's clock: 0 where there is none. */
    double stage_device_ms[PAIL_GROTH16_STAGES_COUNT];
} pail_groth16_timings;

/* Proves. Whether the witness satisfies the circuit is not looked at, for a key does not have what
 * that takes: verify the proof.
 *
 * Out: proof; publics: [n_public * 32], canonical, in the order of the circuit; may be NULL when
 *      that is 0. timings: optional.
 * In:  options: optional.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT; PAIL_ERR_DATA for a witness that has another length or prime
 * than the key's, a value not below r, or another first value than 1; PAIL_ERR_IO; and what the
 * backend returns. */
PAIL_API pail_status pail_groth16_prove(const pail_groth16_key *key, pail_groth16_proof *proof,
                                        void *publics, pail_groth16_timings *timings,
                                        const pail_groth16_witness *witness,
                                        const pail_groth16_options *options, char *error,
                                        size_t capacity);

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
