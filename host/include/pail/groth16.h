/* SPDX-License-Identifier: Apache-2.0 */
/* Groth16: proving, verification, and JSON of proofs and public values.
 *
 * Points are in the canonical form of <pail/encoding.h>: affine x then y, little-endian, in G2 c0
 * before c1, packed at the beginning of their array; the rest of it is zero. All zero is
 * infinity. A coordinate takes 32 bytes with BN254 and 48 with BLS12-381, in G2 twice as much.
 * Scalars take 32 bytes, canonical, little-endian.
 *
 * r is the order of the groups. Functions report failures like those of <pail/pail.h>.
 * Thread-safety: safe, unless stated otherwise. */
#ifndef PAIL_GROTH16_H
#define PAIL_GROTH16_H

#include <pail/pail.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_GROTH16_G1_BYTES 96  /* room for a point of G1 */
#define PAIL_GROTH16_G2_BYTES 192 /* room for a point of G2 */

/* A proof: the points A, B and C. */
typedef struct pail_groth16_proof {
    uint32_t struct_size;
    uint32_t curve; /* pail_curve */
    uint8_t a[PAIL_GROTH16_G1_BYTES];
    uint8_t b[PAIL_GROTH16_G2_BYTES];
    uint8_t c[PAIL_GROTH16_G1_BYTES];
} pail_groth16_proof;

/* The verification key of a circuit. */
typedef struct pail_groth16_verifying_key {
    uint32_t struct_size;
    uint32_t curve;    /* pail_curve */
    uint64_t n_public; /* public values, without the constant 1; may be 0 */
    uint8_t alpha1[PAIL_GROTH16_G1_BYTES];
    uint8_t beta2[PAIL_GROTH16_G2_BYTES];
    uint8_t gamma2[PAIL_GROTH16_G2_BYTES];
    uint8_t delta2[PAIL_GROTH16_G2_BYTES];
    /* [(n_public + 1) * bytes of a point of G1], packed; that of the constant 1 first */
    const uint8_t *ic;
} pail_groth16_verifying_key;

/* Verifies a proof: whether
 *     e(A, B) = e(alpha, beta) e(IC_0 + sum of public_i IC_(i + 1), gamma) e(C, delta)
 * (Groth, "On the Size of Pairing-based Non-interactive Arguments", ePrint 2016/260, section 3.2).
 * It first checks that every point of key and proof is on its curve, and of order r or infinity. It
 * takes a few milliseconds on one thread, and 0.1 to 0.4 ms more for each public value. All inputs
 * are public. Thread-safety: safe.
 *
 * Out: *valid: 1: valid; 0: invalid, also on failure.
 * In:  publics: [n_public * 32], each below r; may be NULL when n_public is 0.
 * Returns PAIL_OK, for valid and invalid proofs; PAIL_ERR_ARGUMENT (a NULL pointer, no such curve);
 * PAIL_ERR_DATA if the curve or n_public of key and proof differ, a public value is not below r, or
 * a point is invalid (the message names it); or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_groth16_verify(uint32_t *valid, const pail_groth16_verifying_key *key,
                                         const pail_groth16_proof *proof, const void *publics,
                                         uint64_t n_public, char *error, size_t capacity);

/* Names of the inputs in messages, such as the paths of their files. Those that are NULL: "the
 * verifying key", "the proof" and "the public values". */
typedef struct pail_groth16_names {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    const char *key, *proof, *publics;
} pail_groth16_names;

/* As pail_groth16_verify, with names of the inputs in messages. names: optional. Since version 1.1
 * of the library. */
PAIL_API pail_status pail_groth16_verify_named(uint32_t *valid,
                                               const pail_groth16_verifying_key *key,
                                               const pail_groth16_proof *proof, const void *publics,
                                               uint64_t n_public, const pail_groth16_names *names,
                                               char *error, size_t capacity);

/* ---- Proving -----------------------------------------------------------------------------------
 * A key is opened once, on a context of a backend with PAIL_ABILITY_VECTORS, and makes any number
 * of proofs. Values derived from a witness are wiped before a function returns, also when it fails.
 * If other threads use the context, device memory is wiped after the work that they have submitted
 * before. */

/* A proving key whose points and matrices are registered with a context. Immutable. Thread-safety:
 * safe. */
typedef struct pail_groth16_key pail_groth16_key;

typedef enum pail_groth16_key_flag {
    PAIL_GROTH16_KEY_HASH = 1 << 0, /* reads the whole file again, for `hash` of the info */
    /* For a single proof with the least memory: the points of a section are registered when their
     * multiplication begins, and released when it ends. They are checked then, so their errors are
     * returned by the proof. `bytes` must stay valid until the key is closed; a file stays open and
     * must not change. A second proof fails with PAIL_ERR_ARGUMENT, also after a failed one. Not
     * for <pail/prover.h>. */
    PAIL_GROTH16_KEY_ONCE = 1 << 1,
    /* Since version 1.1: pipelines of a proof are built by all threads of the context while the key
     * is read, and not one stage after the other in the first proof. Opening lasts until they are
     * there. For devices that are GPUs: a software driver may take a minute. Not for
     * <pail/prover.h>. */
    PAIL_GROTH16_KEY_WARM = 1 << 2,
    PAIL_GROTH16_KEY_FLAG_FORCE_32 = 0x7fffffff
} pail_groth16_key_flag;

/* The place where B2, the multiplication in G2, is computed. */
typedef enum pail_groth16_b2 {
    /* DEVICE if the device is a GPU, CPU if it is a software driver: the faster place at every
     * measured size (docs/decisions/0241). DEVICE if there is no memory for the points beside the
     * device, if the context is of the CPU backend, or with PAIL_GROTH16_KEY_ONCE. */
    PAIL_GROTH16_B2_AUTO = 0,
    PAIL_GROTH16_B2_DEVICE = 1, /* on the device, with the other four multiplications */
    PAIL_GROTH16_B2_CPU = 2,  /* on the CPU backend at the same time; its points are in host memory.
                                 DEVICE if the context is of the CPU backend */
    PAIL_GROTH16_B2_KEPT = 3, /* as AUTO; deprecated */
    PAIL_GROTH16_B2_FORCE_32 = 0x7fffffff
} pail_groth16_b2;

typedef struct pail_groth16_key_params {
    uint32_t struct_size;
    uint32_t flags; /* pail_groth16_key_flag, or-ed */
    /* pail_validation of the points of sections 5 to 9. Points of the header are always checked: on
     * the curve, of order r, and not infinity. Points of section 3 are used only for verification.
     */
    uint32_t validation;
    uint32_t residency;    /* pail_residency, of the points */
    uint32_t table_factor; /* as in pail_bases_desc */
    uint32_t b2;           /* pail_groth16_b2 */
    /* A .zkey file of snarkjs or, since version 1.1 of the library, a .params file of bellman: they
     * are told by their contents. The string is copied. */
    const char *path;
    const void *bytes; /* [n_bytes]: instead of path, its contents in memory; any alignment */
    uint64_t n_bytes;
    const char *name;      /* optional: name of the key in messages; default: path, or "the key" */
    const char *cache_dir; /* deprecated: is not read */
    /* Most threads of the CPU backend for B2; 0: the number of processors. Fewer are used if their
     * scratch memory does not fit half of the L3 caches. */
    uint32_t b2_threads;
    uint32_t reserved; /* 0 */
    /* With PAIL_GROTH16_KEY_ONCE, since version 1.1 of the library: bytes of points that are
     * registered at a time, at least one point. A larger section is read, registered and multiplied
     * in pieces. 0: a section. */
    uint64_t points_budget;
} pail_groth16_key_params;

/* Opens a key of BN254 or BLS12-381: reads and checks it, sorts its matrices by rows, and registers
 * matrices and points with the context. A key of bellman (BLS12-381) has no matrices:
 * pail_groth16_prove_assignment makes its proofs, and PAIL_GROTH16_B2_CPU is PAIL_ERR_UNSUPPORTED.
 *
 * Out: *key: owned by the caller; freed by pail_groth16_key_close, before the context.
 * In:  backend, context: must outlive the key. params: only read during the call.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT; PAIL_ERR_DATA: the message has section, byte offset and
 * reason; PAIL_ERR_UNSUPPORTED: a key of another proof system, or a backend without vectors;
 * PAIL_ERR_IO; and what bases_create and matrix_create return. */
PAIL_API pail_status pail_groth16_key_open(pail_groth16_key **key, const pail_backend *backend,
                                           pail_context *context,
                                           const pail_groth16_key_params *params, char *error,
                                           size_t capacity);

/* No proof may be running. *key may be NULL. */
PAIL_API void pail_groth16_key_close(pail_groth16_key **key);

typedef struct pail_groth16_key_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t curve;       /* pail_curve */
    uint64_t n_vars;      /* values of a witness, including the constant 1 */
    uint64_t n_public;    /* public values, without the constant 1 */
    uint64_t domain_size;
    uint64_t n_coefficients;         /* of both matrices */
    uint64_t n_points, n_infinities; /* of sections 5 to 9 */
    uint64_t device_bytes;           /* of registered points, on the device and on the host */
    uint64_t host_bytes;
    /* With PAIL_GROTH16_KEY_ONCE the numbers of points and bytes above are valid after the proof,
     * and bytes are peaks. The info must not be requested during that proof. */
    uint64_t hash; /* FNV-1a, 64 bits, of the file; 0 without PAIL_GROTH16_KEY_HASH */
    double read_ms, matrices_ms, bases_ms;
    uint32_t b2;         /* pail_groth16_b2: DEVICE or CPU */
    uint32_t b2_threads; /* of the CPU backend, for B2; 0: none */
} pail_groth16_key_info;

PAIL_API pail_status pail_groth16_key_get_info(const pail_groth16_key *key,
                                               pail_groth16_key_info *info);

/* Gets the verification key. verifying->ic lives as long as the key. */
PAIL_API pail_status pail_groth16_key_verifying(const pail_groth16_key *key,
                                                pail_groth16_verifying_key *verifying);

/* A witness: values, or the contents or path of a .wtns file. */
typedef struct pail_groth16_witness {
    uint32_t struct_size;
    uint32_t reserved;
    const void *values; /* [n_values * 32], canonical, the constant 1 first; of any alignment */
    uint64_t n_values;
    const void *wtns; /* [n_wtns]: instead of values, the contents of a .wtns file */
    uint64_t n_wtns;
    const char *path; /* instead of both, the path of such a file */
    const char *name; /* optional: its name in messages; default: path, or "the witness" */
} pail_groth16_witness;

typedef enum pail_groth16_flag {
    /* Use the given r and s instead of random ones, for tests. Such a proof does not hide its
     * witness. */
    PAIL_GROTH16_FIXED_BLINDING = 1 << 0,
    /* Wait after each stage, to measure it; takes longer. */
    PAIL_GROTH16_STAGES = 1 << 1,
    PAIL_GROTH16_FLAG_FORCE_32 = 0x7fffffff
} pail_groth16_flag;

typedef enum pail_groth16_stage {
    PAIL_GROTH16_STAGE_WITNESS = 0,  /* open; check prime, length, constant 1, public values */
    PAIL_GROTH16_STAGE_UPLOAD = 1,   /* read, check and upload its values */
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
    uint8_t r[32], s[32]; /* with FIXED_BLINDING: canonical, below r; secret */
    /* optional: called in the calling thread when a stage (pail_groth16_stage) begins. Without
     * PAIL_GROTH16_STAGES, A is all multiplications. */
    void (*stage)(void *user, uint32_t stage);
    void *user;
    /* optional, since version 1.1: the proof ends with PAIL_ERR_STOPPED when it becomes non-zero.
     * It is read between stages and, while work is under way, every few milliseconds; with a key
     * on several devices only at the beginning. Any thread may set it. Must stay valid until the
     * call returns. */
    const uint32_t *cancel;
    /* optional, since version 1.1: with PAIL_GROTH16_KEY_ONCE, called in the calling thread with
     * the part of the key's points that is read and multiplied, above 0 and at last 1. */
    void (*tick)(void *user, double part);
} pail_groth16_options;

typedef struct pail_groth16_timings {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t b2;          /* pail_groth16_b2: where B2 was computed, DEVICE or CPU */
    double wall_ms;
    /* Indexed by pail_groth16_stage. Without PAIL_GROTH16_STAGES, A has the time of all
     * multiplications, including that of the quotient on the device; B2 has the time of the CPU
     * backend, if it computed B2. */
    double stage_ms[PAIL_GROTH16_STAGES_COUNT];
    /* Device time of the quotient and of multiplications; 0 without device timestamps. */
    double stage_device_ms[PAIL_GROTH16_STAGES_COUNT];
    /* Since version 1.1: time of making pipelines for a stage, which a process does once. It passes
     * where the stage is submitted, which without PAIL_GROTH16_STAGES is in the time of another. */
    double stage_pipelines_ms[PAIL_GROTH16_STAGES_COUNT];
} pail_groth16_timings;

/* Makes a proof (Groth, ePrint 2016/260, section 3.2). It does not check that the witness satisfies
 * the circuit: verify the proof for that. Thread-safety: safe; a key can make several proofs at the
 * same time.
 *
 * Out: proof; publics: [n_public * 32], canonical, in the order of the circuit; may be NULL if
 *      n_public is 0. timings: optional.
 * In:  options: optional.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT, also for a key of bellman; PAIL_ERR_DATA if the witness has
 * another length or prime than the key, a value not below r, or a first value other than 1;
 * PAIL_ERR_IO; PAIL_ERR_STOPPED by options->cancel; and what the backend returns. */
PAIL_API pail_status pail_groth16_prove(const pail_groth16_key *key, pail_groth16_proof *proof,
                                        void *publics, pail_groth16_timings *timings,
                                        const pail_groth16_witness *witness,
                                        const pail_groth16_options *options, char *error,
                                        size_t capacity);

/* ---- Proofs from assignments -------------------------------------------------------------------
 * A key of bellman (.params; docs/params-format.md) has no matrices: who builds the circuit
 * computes the products of its rows with the witness. */

/* An assignment: what bellman's and bellperson's provers collect of a circuit. Scalars have 32
 * bytes, little-endian, each below r, of any alignment. Bit i of a density is bit i % 64 of word
 * i / 64; later bits of the last word are ignored. */
typedef struct pail_groth16_assignment {
    uint32_t struct_size;
    uint32_t encoding; /* pail_encoding of all scalars: CANONICAL, or MONTGOMERY with R = 2^256 */
    /* [n_constraints] each: values of A w, B w and C w, constraint by constraint, with the rows
     * behind the constraints that have an input each. */
    const void *a, *b, *c;
    uint64_t n_constraints; /* above half of domain_size of the key, and not above it */
    const void *inputs;     /* [n_inputs]: the constant 1, then the public values */
    uint64_t n_inputs;      /* n_public + 1 of the key */
    const void *aux;        /* [n_aux]: the other values */
    uint64_t n_aux;         /* n_vars - n_inputs of the key */
    /* Variables with a point in the lists a (aux alone: inputs all have one), b_g1 and b_g2:
     * [(n + 63) / 64] words, n the number of inputs or aux. */
    const uint64_t *a_aux_density, *b_input_density, *b_aux_density;
    const char *name; /* optional: its name in messages; default: "the assignment" */
} pail_groth16_assignment;

/* Makes a proof from an assignment, with a key of bellman. It does not check that the assignment
 * satisfies the circuit. Thread-safety: safe; several proofs with a key can be made at the same
 * time. Since version 1.1 of the library.
 *
 * Out: proof; publics: optional: [n_public * 32], canonical. timings: optional.
 * In:  assignment: read during the call; secret, and wiped wherever it is copied to. options: as
 *      for pail_groth16_prove.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT, also for a key with matrices, from which pail_groth16_prove
 * makes proofs; PAIL_ERR_DATA if a number of values or of density bits is not that of the key, a
 * scalar is not below r, or the first input is not 1; PAIL_ERR_STOPPED by options->cancel; and what
 * the backend returns. */
PAIL_API pail_status pail_groth16_prove_assignment(const pail_groth16_key *key,
                                                   pail_groth16_proof *proof, void *publics,
                                                   pail_groth16_timings *timings,
                                                   const pail_groth16_assignment *assignment,
                                                   const pail_groth16_options *options, char *error,
                                                   size_t capacity);

/* Computes the scalars of the multiplication H: the quotient of the proof's polynomials at the
 * points to which section 9 of the key belongs, as snarkjs does. It takes no device and no open
 * key, for programs that multiply on their own. Runs on the CPU backend, with all processors.
 *
 * Out: scalars: [n * 32], canonical; secret. Zeroed on failure.
 * In:  n: the domain_size of the key.
 *      key: path or bytes, and name; other members are ignored.
 *      tick: optional: called in the calling thread with the part that is done, 0 to 1.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT; PAIL_ERR_DATA if the witness has another length or prime than
 * the key, a value not below r, or another first value than 1, or if pail_groth16_key_open refuses
 * the header, the points of IC or the coefficients of the key; PAIL_ERR_UNSUPPORTED: a key of
 * another proof system, or one of bellman, which has no coefficients; PAIL_ERR_IO; or
 * PAIL_ERR_HOST_MEMORY. Since version 1.1 of the library. */
PAIL_API pail_status pail_groth16_h_scalars(void *scalars, uint64_t n,
                                            const pail_groth16_key_params *key,
                                            const pail_groth16_witness *witness,
                                            void (*tick)(void *user, double part), void *user,
                                            char *error, size_t capacity);

/* ---- Text --------------------------------------------------------------------------------------
 * Both layouts have pi_a, pi_b, pi_c and protocol. Numbers are decimal strings; points are x, y, 1,
 * or 0, 1, 0 for infinity. */
typedef enum pail_groth16_layout {
    /* As snarkjs: indented by one space, with the curve ("bn128" or "bls12381"). */
    PAIL_GROTH16_SNARKJS = 1,
    /* As rapidsnark: one line without spaces or curve. */
    PAIL_GROTH16_RAPIDSNARK = 2,
    PAIL_GROTH16_FORCE_32 = 0x7fffffff
} pail_groth16_layout;

/* Writes a proof as proof.json, without a final newline. Of the points it only checks that
 * coordinates are below p.
 *
 * Out: text: [capacity]: the text and a zero byte; empty on failure. NULL if capacity is 0: only
 *      the length is returned.
 *      *length: of the text, without the zero byte, also if it does not fit; 0 on other failures.
 * In:  layout: pail_groth16_layout.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT (a NULL pointer, no such curve or layout, or 0 < capacity <=
 * *length); PAIL_ERR_DATA: a coordinate that is not below p. */
PAIL_API pail_status pail_groth16_proof_text(char *text, size_t capacity, size_t *length,
                                             const pail_groth16_proof *proof, uint32_t layout,
                                             char *error, size_t error_capacity);

/* Writes public values as public.json; see pail_groth16_proof_text.
 *
 * In:  publics: [n_public * 32], any integers; may be NULL when n_public is 0. */
PAIL_API pail_status pail_groth16_public_text(char *text, size_t capacity, size_t *length,
                                              const void *publics, uint64_t n_public,
                                              uint32_t layout, char *error, size_t error_capacity);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_GROTH16_H */
