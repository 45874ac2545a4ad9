/* SPDX-License-Identifier: Apache-2.0 */
/* One operation while it is carried out. */
#ifndef PAIL_KZG_CALL_H
#define PAIL_KZG_CALL_H

#include "challenge.h"
#include "points.h"
#include "scalars.h"

/* Blobs that are worked on together: each takes about a megabyte. */
enum { PAIL_KZG_BLOBS_AT_ONCE = 32 };

struct pail_kzg_call {
    struct pail_kzg *kzg;
    pail_kzg_request request; /* checked as pail_kzg_start says */
    /* Outputs, zeroed on failure; NULL: not wanted. */
    uint8_t *commitments, *values, *proofs, *cells;
    uint32_t valid;
    uint64_t bad;
    uint64_t adds;
    double wall_ms, scalars_ms, fixed_ms, transform_ms;
    char error[512];
    pail_status status;

    /* optional: called before and after work on a device beside the processors; not nested. */
    void (*claim)(void *user, bool claims);
    void *claim_user;
    double device_ms; /* by the device's clock */

    struct pail_kzg_results results; /* of proofs on a device: no other call has them */
    struct pail_kzg_work work;
    atomic_bool failed; /* a thread has set status and error */
    pthread_mutex_t lock;
};

/* Blobs of a request that are worked on together. */
struct pail_kzg_some {
    struct pail_kzg_call *call;
    size_t first, n;
    pail_u256 *scalars;    /* of each, what points of the setup are multiplied with; optional */
    uint64_t *kept;        /* [at once][2 n] coefficients; NULL: cells are written at once */
    uint64_t *scratch;     /* of each thread */
    size_t scratch_size;   /* words of one */
    unsigned char *points; /* [at once][n_cells]; of cells */
};

static inline uint64_t *pail_kzg_scratch_of(const struct pail_kzg_some *some,
                                            const struct pail_kzg_worker *worker)
{
    return some->scratch + (size_t)(worker - some->call->work.workers) * some->scratch_size;
}

/* Carries the request out; status, error and outputs are set. cancelled: optional. */
void pail_kzg_execute(struct pail_kzg_call *call, const atomic_bool *cancelled);

/* The most bytes that a call takes beside its inputs and outputs, of the host and of the device. */
void pail_kzg_call_bytes(uint64_t *host, uint64_t *device, const struct pail_kzg_call *call);

/* Bytes of the outputs of a request; 0: it has not got it. */
struct pail_kzg_sizes {
    size_t commitments, values, proofs, cells;
};
struct pail_kzg_sizes pail_kzg_sizes(const struct pail_kzg *kzg, const pail_kzg_request *request);

/* Fails the call, in any thread: of several failures with an index the lowest stays. Returns the
 * status. */
PAIL_LINE_PRINTF(4, 5)
pail_status pail_kzg_fail(struct pail_kzg_call *call, pail_status status, uint64_t bad,
                          const char *format, ...);

static inline void pail_kzg_claim(const struct pail_kzg_call *call, bool claims)
{
    if (call->claim)
        call->claim(call->claim_user, claims);
}

/* The operations; each returns the status, which pail_kzg_fail has set. */
pail_status pail_kzg_commit(struct pail_kzg_call *call);
pail_status pail_kzg_prove(struct pail_kzg_call *call);
pail_status pail_kzg_cells(struct pail_kzg_call *call);
pail_status pail_kzg_verify(struct pail_kzg_call *call);
pail_status pail_kzg_verify_cells(struct pail_kzg_call *call);

/* Elements of blob `blob`; fails the call where one is not a scalar. */
bool pail_kzg_take_blob(struct pail_kzg_call *call, uint64_t *elements, uint64_t blob);

/* Commitments to polynomials by integers at the roots, [n][n of the setup], on the host or device.
 */
pail_status pail_kzg_multiply_lagrange(struct pail_kzg_call *call, pail_affine *sums,
                                       const pail_u256 *scalars, size_t n);

/* Writes a point in the compressed form. */
void pail_kzg_write_point(const struct pail_kzg *kzg, uint8_t *bytes, const pail_affine *point);

/* n compressed points, which must have order r or be infinity, to affine ones in the CPU's form.
 * Returns the index of the first that is refused, where it stops; n: none. */
size_t pail_kzg_decode(const struct pail_kzg *kzg, unsigned char *affine, const uint8_t *encoded,
                       size_t n);

static inline struct pail_kzg_hashed pail_kzg_hashed(const struct pail_kzg *kzg)
{
    return (struct pail_kzg_hashed){kzg->n, kzg->cell_elements, kzg->codec.encoded_bytes};
}

/* The scalar that a hash stands for: big-endian, modulo r. */
void pail_kzg_scalar_of_hash(const struct pail_kzg *kzg, pail_u256 *r, const uint8_t digest[32]);

/* The point of the challenge of EIP-4844. */
void pail_kzg_challenge(const struct pail_kzg *kzg, pail_u256 *z, const uint8_t *blob,
                        const uint8_t *commitment);

/* The same of a device: multiplications by points of the setup over the boundary. columns: in the
 * adder's form, as pail_kzg_columns_run has them. */
pail_status pail_kzg_device_open(struct pail_kzg *kzg, const unsigned char *lagrange,
                                 const unsigned char *fixed, const char *name, char *error,
                                 size_t capacity);
void pail_kzg_device_close(struct pail_kzg *kzg);

/* Device bytes of the Lagrange points without a table: what other tables leave of the budget. */
static inline uint64_t pail_kzg_lagrange_bytes(const struct pail_kzg *kzg)
{
    return (uint64_t)kzg->n * 2 * kzg->g1->coordinate_bytes;
}

/* A table of the columns' points on the device, [cell_elements][n_cells], encoded in Montgomery
 * form, within what the Lagrange points leave of the setup's budget; where none was given, a
 * smaller one if the device has no more room. *made: false: the device has no memory at addresses,
 * or binds too little for a table, or the setup has fewer than four cells. Errors:
 * PAIL_ERR_DEVICE_MEMORY: the budget is too small; those of memory_create and vector_start, also
 * where the device fails its self-test. */
pail_status pail_kzg_device_table(struct pail_kzg *kzg, const uint8_t *encoded, const char *name,
                                  bool *made, char *error, size_t capacity);
void pail_kzg_device_table_free(struct pail_kzg *kzg);

/* A batch of blobs whose proofs the device makes by the table. All zero but for what the caller
 * sets: nothing is under way. */
struct pail_kzg_device_job {
    size_t n;        /* blobs, at most as many as were prepared for */
    uint8_t *proofs; /* [n][n_cells], compressed */
    pail_pending *pending;
    pail_vector *vector;
    uint8_t *points; /* the proofs, as the device has them; owned by the job */
};

/* Makes room for a batch, until it is released; begins one with the integers of
 * pail_kzg_columns_scalars, which are read before it returns; waits for one that was begun, and has
 * its points; and writes its proofs. One is under way at a time. Each fails the call. */
pail_status pail_kzg_device_prepare(struct pail_kzg_call *call, size_t at_once);
pail_status pail_kzg_device_begin(struct pail_kzg_call *call, struct pail_kzg_device_job *job,
                                  const pail_u256 *scalars);
pail_status pail_kzg_device_end(struct pail_kzg_call *call, struct pail_kzg_device_job *job);
void pail_kzg_device_write(struct pail_kzg_call *call, struct pail_kzg_device_job *job);
void pail_kzg_device_release(struct pail_kzg_call *call);
pail_status pail_kzg_device_commit(struct pail_kzg_call *call, pail_affine *sums,
                                   const pail_u256 *scalars, size_t n);
pail_status pail_kzg_device_columns(struct pail_kzg_call *call, unsigned char *sums,
                                    const pail_u256 *scalars, size_t n);

/* The most bytes of the device that batches of n blobs take: proofs of cells by the table, columns
 * without one, and commitments. */
uint64_t pail_kzg_device_cells_bytes(const struct pail_kzg *kzg, uint64_t n);
uint64_t pail_kzg_device_columns_bytes(const struct pail_kzg *kzg);
uint64_t pail_kzg_device_commit_bytes(const struct pail_kzg *kzg, uint64_t n);

#endif /* PAIL_KZG_CALL_H */
