/* SPDX-License-Identifier: Apache-2.0 */
/* KZG commitments to polynomials: those of EIP-4844 (blobs) and EIP-7594 (cells), for a setup of
 * any size.
 *
 * A setup has n points of G1, n a power of two of at least 2. A blob is n scalars, the values of a
 * polynomial of degree below n at the n-th roots of unity in bit-reversed order. Extended to the
 * roots of order 2 n, again in bit-reversed order, its values are cut into cells of `cell_elements`
 * each: the first half of the cells is the blob itself. With Ethereum's setup n is 4096, a blob has
 * 131072 bytes, and there are 128 cells of 64 scalars, 2048 bytes each.
 *
 * Encodings. A scalar has 32 bytes, big-endian, and must be below r, the order of the groups. A
 * commitment and a proof are points of G1 in compressed form: 48 bytes, PAIL_POINT_ZCASH, for
 * BLS12-381; 32 bytes, PAIL_POINT_GNARK, for BN254. They must be on the curve and of order r;
 * infinity is allowed. Arrays are packed: that of m blobs has m times n times 32 bytes.
 *
 * Blobs, commitments and proofs are public: time depends on them. The library nevertheless wipes
 * its copies of blobs and cells, and the elements, coefficients and digits of them, before it
 * releases their memory; not so in memory of a device, nor where challenges are hashed.
 *
 * Functions report failures like those of <pail/pail.h>. Thread-safety: safe, unless stated
 * otherwise. Since version 1.1 of the library. */
#ifndef PAIL_KZG_H
#define PAIL_KZG_H

#include <pail/encoding.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_KZG_SCALAR_BYTES  32u
#define PAIL_KZG_POINT_BYTES   48u        /* of a commitment or a proof, BLS12-381 */
#define PAIL_KZG_CELL_ELEMENTS 64u        /* of EIP-7594 */
#define PAIL_KZG_N_MAX         (1u << 24) /* points of G1 */

/* ---- Setups ------------------------------------------------------------------------------------
 * A setup is opened once, checked, and kept with tables of multiples of its points. */

/* An opened setup. Immutable. Thread-safety: safe. */
typedef struct pail_kzg pail_kzg;

typedef enum pail_kzg_open_flag {
    /* Leaves out the checks that points have order r and that they are powers of one secret: for a
     * setup that was checked before. Points are on the curve, always. */
    PAIL_KZG_TRUSTED = 1 << 0,
    PAIL_KZG_OPEN_FLAG_FORCE_32 = 0x7fffffff
} pail_kzg_open_flag;

typedef struct pail_kzg_params {
    uint32_t struct_size;
    uint32_t flags;         /* pail_kzg_open_flag, or-ed */
    uint32_t curve;         /* pail_curve; 0: that of the file, and of points in memory BLS12-381 */
    uint32_t cell_elements; /* scalars of a cell: a power of two, at most n; 0: 64, or n if that is
                               less */
    /* A setup in one of three ways. First, the path of a text file as c-kzg-4844 reads it
     * (trusted_setup.txt): the numbers of points of G1 and G2, then the Lagrange points of G1, the
     * powers of G2 and the powers of G1, one a line, compressed, in hexadecimal. With 64 digits for
     * a point of G1 it is of BN254. Or of a binary file: "PAILKZG1", the curve and 0 (4 bytes
     * each), both numbers (8 each, all little-endian), and the same compressed points in the same
     * order, packed. Or of powers of tau of snarkjs (.ptau), told by its first bytes, of which the
     * powers that are used are read and the Lagrange points computed. Copied. */
    const char *path;
    const void *bytes; /* [n_bytes]: second, the contents of such a file; any alignment */
    uint64_t n_bytes;
    /* Third, points in memory, packed, of any alignment, only read during the call. form:
     * pail_point_form; 0: canonical, as <pail/encoding.h> has it. */
    const void *g1_powers;   /* [n_g1]: tau^i G1 */
    const void *g1_lagrange; /* [n_g1]: l_i(tau) G1, l_i being 1 at w^i and 0 at other n-th roots,
                                in natural order; NULL: they are computed. w is g^((r - 1) / n), g
                                being 7 over BLS12-381 (EIP-4844) and 5 over BN254 (gnark-crypto) */
    const void *g2_powers;   /* [n_g2]: tau^i G2 */
    uint64_t n_g1, n_g2;     /* n_g1: a power of two from 2 to PAIL_KZG_N_MAX. n_g2: at least
                                cell_elements + 1; or at least 2, and cells are not verified. With
                                powers of tau: how many of a file's are used; 0: of G1 2^power, the
                                power being the file's, and of G2 cell_elements + 1, or 2^power if
                                that is less. Not read for other files */
    uint32_t form;
    /* Threads of the host that compute; 0: those of the context if it is of the CPU backend,
     * otherwise the number of processors. */
    uint32_t threads;
    const char *name; /* optional: name of the setup in messages; default: path, or "the setup" */
    /* Most bytes for points that are kept, tables of their multiples and roots of unity, together:
     * of host memory with the CPU backend, and of device memory with others, which have no tables
     * on the host. 0: 160 MiB. It does not count tables of transforms, points while the setup is
     * opened, nor scratch of jobs. Larger tables mean fewer additions. Where the budget is not
     * enough for the smallest ones, the message of PAIL_ERR_HOST_MEMORY, or PAIL_ERR_DEVICE_MEMORY,
     * has the least. */
    uint64_t memory_budget;
} pail_kzg_params;

/* Opens a setup: decodes and checks its points, and makes the tables.
 *
 * Unless PAIL_KZG_TRUSTED is set, it checks that all points have order r, that the powers in both
 * groups are those of one secret, which is not 0, and that the Lagrange points belong to them.
 * Those relations are checked for random combinations, with an error below 2^-120.
 *
 * With a context of the CPU backend all is computed on the host. With others, multiplications by
 * points of the setup and transforms of points are done on the device, and what remains of the work
 * on the host.
 *
 * Out: *kzg: owned by the caller; freed by pail_kzg_close, before the context.
 * In:  backend, context: must outlive *kzg. params: only read during the call.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT; PAIL_ERR_DATA: the message has the line or the index of the
 * point and the reason; PAIL_ERR_UNSUPPORTED; PAIL_ERR_IO; PAIL_ERR_HOST_MEMORY; and what
 * bases_create returns. */
PAIL_API pail_status pail_kzg_open(pail_kzg **kzg, const pail_backend *backend,
                                   pail_context *context, const pail_kzg_params *params,
                                   char *error, size_t capacity);

/* Jobs must have been finished or abandoned. *kzg may be NULL. */
PAIL_API void pail_kzg_close(pail_kzg **kzg);

typedef struct pail_kzg_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t curve;       /* pail_curve */
    uint64_t n;           /* scalars of a blob */
    uint64_t n_g2;        /* points of G2 */
    uint32_t cell_elements, n_cells;
    uint32_t scalar_bytes, point_bytes;
    uint32_t table_bits;  /* digits of which the columns' table has all multiples; 0: none: the
                             device has no memory at addresses, or binds too little, or there are
                             fewer than four cells; columns are multiplications then */
    uint32_t commit_bits; /* the same of windows of commitments and proofs; 0: the budget, or the
                             device, has no room for a table of the Lagrange points beside that */
    uint32_t threads;
    uint32_t reserved;
    uint64_t table_bytes;  /* of all tables, on the host or the device */
    uint64_t host_bytes;   /* of points and tables */
    uint64_t device_bytes; /* of registered points and of tables there */
    double read_ms, check_ms, table_ms;
} pail_kzg_info;

/* Returns PAIL_OK or PAIL_ERR_ARGUMENT. */
PAIL_API pail_status pail_kzg_get_info(const pail_kzg *kzg, pail_kzg_info *info);

/* ---- Jobs --------------------------------------------------------------------------------------
 * An operation is started, runs in the background, and is finished. Jobs of a setup run in the
 * order of their starts. A verification of nothing (n of 0) is valid. */

typedef enum pail_kzg_operation {
    /* commitments[i] to blobs[i]. */
    PAIL_KZG_COMMIT = 1,
    /* proofs[i] that the polynomial of blobs[i] has values[i] at points[i]; computes both. */
    PAIL_KZG_PROVE = 2,
    /* proofs[i] of blobs[i] at the point that EIP-4844 derives from it and commitments[i]. The
     * commitment is not compared with that of the blob. */
    PAIL_KZG_PROVE_BLOB = 3,
    /* *valid: 1 if each proofs[i] shows that the polynomial of commitments[i] has values[i] at
     * points[i]. */
    PAIL_KZG_VERIFY = 4,
    /* *valid: 1 if each blobs[i] has commitments[i], by proofs[i] of PROVE_BLOB. */
    PAIL_KZG_VERIFY_BLOBS = 5,
    /* cells[i][] of blobs[i], and their proofs[i][]: n_cells of each. */
    PAIL_KZG_CELLS = 6,
    /* The same from half of the cells or more: blob i has its indices and cells from starts[i] to
     * starts[i + 1] - 1. All cells must be of one polynomial of degree below n: if they are not,
     * the job fails with PAIL_ERR_DATA. */
    PAIL_KZG_RECOVER = 7,
    /* *valid: 1 if each cells[i] with proofs[i] is cell indices[i] of the blob of
     * commitments[i]. Commitments may repeat. */
    PAIL_KZG_VERIFY_CELLS = 8,
    PAIL_KZG_OPERATION_FORCE_32 = 0x7fffffff
} pail_kzg_operation;

/* Outputs of CELLS and RECOVER. 0: both. */
typedef enum pail_kzg_want {
    PAIL_KZG_WANT_CELLS = 1 << 0,
    PAIL_KZG_WANT_PROOFS = 1 << 1,
    PAIL_KZG_WANT_FORCE_32 = 0x7fffffff
} pail_kzg_want;

/* Inputs. Arrays that the operation does not name above are not read and may be NULL; so may all
 * with an n of 0. */
typedef struct pail_kzg_request {
    uint32_t struct_size;
    uint32_t operation;      /* pail_kzg_operation */
    uint32_t want;           /* pail_kzg_want, or-ed; 0 for other operations */
    uint32_t reserved;       /* 0 */
    uint64_t n;              /* blobs; of VERIFY claims, of VERIFY_CELLS cells. At most 2^20 */
    const void *blobs;       /* [n * n_of_setup * 32] */
    const void *commitments; /* [n * point_bytes] */
    const void *points;      /* [n * 32]: scalars z */
    const void *values;      /* [n * 32]: scalars y */
    const void *proofs;      /* [n * point_bytes] */
    const uint64_t *starts;  /* RECOVER: [n + 1], from 0 on, not decreasing */
    const uint64_t *indices; /* of cells, each below n_cells. RECOVER: [starts[n]], ascending within
                                a blob; VERIFY_CELLS: [n] */
    const void *cells;       /* [as many as indices, * cell_elements * 32] */
} pail_kzg_request;

/* Outputs. Those that the operation has not are not written. On failure all that it has are zeroed,
 * except `bad`, unless the request itself has no size: its operation, want or n is refused. Arrays
 * may not overlap each other nor those of the request. */
typedef struct pail_kzg_result {
    uint32_t struct_size; /* in */
    uint32_t valid;       /* out: 1: valid; 0: not */
    /* out: after PAIL_ERR_DATA: the index below n of the first blob, claim or cell with a bad
     * value, of RECOVER always the blob; otherwise UINT64_MAX. */
    uint64_t bad;
    /* The caller's, to be written to: */
    void *commitments; /* [n * point_bytes] */
    void *values;      /* [n * 32] */
    void *proofs;      /* [n * point_bytes]; CELLS and RECOVER: [n * n_cells * point_bytes]. May be
                          NULL if not wanted */
    void *cells;       /* [n * n_cells * cell_elements * 32]; may be NULL if not wanted */
    /* Everything below: out. */
    uint64_t adds;       /* additions of points on the host */
    double wall_ms;      /* from the first stage of the job to the last */
    double scalars_ms;   /* of that, scalars: checks, transforms, quotients */
    double fixed_ms;     /* multiplications by points of the setup */
    double transform_ms; /* the transform of the columns' sums to proofs, and other points */
} pail_kzg_result;

/* A job that was started. */
typedef struct pail_kzg_job pail_kzg_job;

/* Starts a job. Values of the request are checked in the background.
 *
 * Out: *job: freed by pail_kzg_finish or pail_kzg_abandon.
 * In:  request: copied, with its arrays.
 * Returns PAIL_OK; PAIL_ERR_ARGUMENT: no such operation, a missing array, n too large, decreasing
 * starts or more cells than n blobs have; PAIL_ERR_UNSUPPORTED: VERIFY_CELLS with a setup of too
 * few points of G2; or PAIL_ERR_HOST_MEMORY. */
PAIL_API pail_status pail_kzg_start(pail_kzg *kzg, pail_kzg_job **job,
                                    const pail_kzg_request *request, char *error, size_t capacity);

/* PAIL_OK if pail_kzg_finish will not block, otherwise PAIL_NOT_READY; PAIL_ERR_ARGUMENT in a child
 * of fork. */
PAIL_API pail_status pail_kzg_poll(const pail_kzg_job *job);

/* Waits for the end of the job, at most timeout_ns. Returns as pail_kzg_poll. */
PAIL_API pail_status pail_kzg_wait(const pail_kzg_job *job, uint64_t timeout_ns);

/* Waits, writes the results, and frees *job, also on failure. One thread at a time for a job.
 *
 * Returns PAIL_OK, for valid and invalid proofs; PAIL_ERR_ARGUMENT: an output that the operation
 * has is NULL; PAIL_ERR_DATA: a scalar that is not below r, a point that is not one or not of order
 * r, an index that is too large or out of order, too few cells, or cells that do not belong
 * together (the message names value, index and reason); PAIL_ERR_HOST_MEMORY; and what the backend
 * returns.
 */
PAIL_API pail_status pail_kzg_finish(pail_kzg_job **job, pail_kzg_result *result, char *error,
                                     size_t capacity);

/* Drops a job: stages that have not begun are left out. Waits for the one that runs. *job may be
 * NULL. */
PAIL_API void pail_kzg_abandon(pail_kzg_job **job);

/* pail_kzg_start and pail_kzg_finish, without copies of the request's arrays. Blocks. */
PAIL_API pail_status pail_kzg_run(pail_kzg *kzg, pail_kzg_result *result,
                                  const pail_kzg_request *request, char *error, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_KZG_H */
