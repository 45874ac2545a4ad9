/* SPDX-License-Identifier: Apache-2.0 */
/* The front of a backend's table: each slot checks its arguments here, reads and writes structs of
 * other versions, zeroes outputs and keeps the sentence of a failure, and calls the backend's own
 * function. slots_template.h has the slots; the plugin and libpail compile them each for their own
 * tables. */
#ifndef PAIL_FRONT_H
#define PAIL_FRONT_H

#include <stdbool.h>

#include <core/log.h>
#include <core/ranges.h>
#include <core/structs.h>

#include <pail/backend.h>

/* The calling thread's last failure, with whichever context. Never NULL. */
const char *pail_front_error(const pail_context *context);

/* The end of a slot: keeps the sentence of a failure, and logs it. log: optional.
 * Returns status; PAIL_NOT_READY is no failure. */
pail_status pail_front_end(const struct pail_log *log, pail_status status,
                           const struct pail_error *err);

/* PAIL_ERR_ARGUMENT for NULL; for a child of fork; for either. */
pail_status pail_front_need(const void *argument, const char *name, struct pail_error *err);
pail_status pail_front_process(struct pail_error *err);
pail_status pail_front_object(const void *object, const char *name, struct pail_error *err);

/* Checks a host: PAIL_ERR_ARGUMENT, PAIL_ERR_ABI. Its members up to those of version 1.0 may be
 * read then. */
pail_status pail_front_host(const pail_host *host, struct pail_error *err);

/* Reads params, and what they point to into the three structs. */
pail_status pail_front_params(pail_context_params *ours, pail_vulkan_import *import,
                              pail_cache_callbacks *cache, pail_fetch_callbacks *fetch,
                              const pail_context_params *theirs, struct pail_error *err);

/* Reads a config; NULL: all zero. */
pail_status pail_front_config(pail_msm_config *ours, const pail_msm_config *theirs,
                              struct pail_error *err);

/* Jobs of an array, as ours. */
extern const struct pail_struct_array pail_front_jobs, pail_front_ops;

/* Checks and zeroes the outputs of msm_finish, as many as can be, whatever else is wrong: of
 * results as many as there are jobs, however many the caller speaks of. */
pail_status pail_front_outputs(pail_msm_result *results, size_t n_results, size_t n_jobs,
                               pail_stats *stats, struct pail_error *err);

/* ---- Contents of arguments (arguments.c) ----------------------------------------------------- */
/* Facts of objects; owner: equal for all of a context, and its FRONT_OWNER. */
struct pail_front_vector {
    const void *owner;
    uint32_t curve;
    uint64_t n;
};

struct pail_front_matrix {
    const void *owner;
    uint32_t curve;
    uint64_t n_rows, n_columns;
};

struct pail_front_bases {
    const void *owner; /* NULL: bases serve every context */
    uint32_t curve;
    uint64_t n;
};

struct pail_front_memory {
    const void *owner;
    uint64_t bytes;
};

/* Facts of a backend's objects, none of them NULL. */
struct pail_front_facts {
    struct pail_front_bases (*bases)(const pail_bases *bases);
    struct pail_front_vector (*vector)(const pail_vector *vector);
    /* NULL: operations are checked by the backend behind this one. */
    struct pail_front_matrix (*matrix)(const pail_matrix *matrix);
    /* NULL, as the next: contexts have no memory. */
    struct pail_front_memory (*memory)(const pail_memory *memory);
    /* The memory of an owner's context: ranges of pail_memory. */
    struct pail_ranges *(*memories)(const void *owner);
};

/* Checks all of a description but for the curve and for limits of the backend. */
struct pail_curve_ops;
/* Checks flags of bases, and what goes with them. name: of the flags, in a sentence.
 * Errors: PAIL_ERR_ARGUMENT, PAIL_ERR_UNSUPPORTED */
pail_status pail_front_bases_flags(uint32_t flags, uint32_t residency, uint32_t table_factor,
                                   uint32_t group, const char *name, struct pail_error *err);
pail_status pail_front_bases_desc(const pail_bases_desc *desc, const struct pail_curve_ops *ops,
                                  struct pail_error *err);

/* Checks a matrix; entries are below the order. *bad_index: as matrix_create's. */
pail_status pail_front_matrix_desc(const pail_matrix_desc *desc, const struct pail_curve_ops *ops,
                                   uint64_t *bad_index, struct pail_error *err);

/* Checks elements [offset, offset + n) of a vector. */
pail_status pail_front_range(const struct pail_front_vector *vector, uint64_t offset, uint64_t n,
                             const char *name, struct pail_error *err);

/* Checks what vector_write, vector_read and vector_fill take. given: `name` is not NULL. */
pail_status pail_front_copy(const struct pail_front_vector *vector, uint64_t offset, bool given,
                            const char *name, uint64_t n, uint32_t encoding,
                            struct pail_error *err);

/* Bytes of memory at an address. */
struct pail_front_place {
    pail_memory *memory;
    uint64_t offset;
};

/* Finds bytes that are in one memory, from a multiple of `align` on from its beginning. bytes: not
 * 0. name: of the address. */
pail_status pail_front_place(struct pail_front_place *place, struct pail_ranges *memories,
                             uint64_t address, uint64_t bytes, uint32_t align, const char *name,
                             struct pail_error *err);

/* Checks bytes of a memory; for memory_copy that ranges of one do not overlap. */
pail_status pail_front_bytes(const struct pail_front_memory *memory, uint64_t offset,
                             uint64_t n_bytes, const char *name, struct pail_error *err);
pail_status pail_front_memory_copy(const struct pail_front_facts *facts, const pail_memory *to,
                                   uint64_t to_offset, const pail_memory *from,
                                   uint64_t from_offset, uint64_t n_bytes, struct pail_error *err);

/* Checks jobs, whose locations are known ones. owner: of the context. scalars: the jobs' scalars
 * are going to be read. */
pail_status pail_front_check_jobs(const struct pail_front_facts *facts, const void *owner,
                                  const pail_msm_job *jobs, size_t n_jobs, bool scalars,
                                  struct pail_error *err);

/* Checks operations. owner: of the context. */
pail_status pail_front_check_ops(const struct pail_front_facts *facts, const void *owner,
                                 const pail_vector_op *ops, size_t n_ops, struct pail_error *err);

/* Checks the memory at `address` and at `to_address` of an operation of n points or elements of so
 * many bytes, n not 0: the same range, or ranges that do not overlap. */
pail_status pail_front_check_places(const struct pail_front_facts *facts, const void *owner,
                                    const pail_vector_op *op, size_t i, uint64_t from, uint64_t to,
                                    struct pail_error *err);

/* Checks what an operation on points has in place of vectors: number i of a list. */
pail_status pail_front_check_points(const struct pail_front_facts *facts, const void *owner,
                                    const pail_vector_op *op, size_t i, struct pail_error *err);

/* Checks the scalars of sums of points, rows times n of them; rows is not 0. */
pail_status pail_front_check_scalars(const struct pail_front_facts *facts, const void *owner,
                                     const pail_vector_op *op, size_t i, struct pail_error *err);

/* The member that an operation has set of those of tables of points; NULL: none. */
const char *pail_front_sums_member(const pail_vector_op *op);

/* Checks a pail_encoding: at most `last`. */
pail_status pail_front_encoding(uint32_t encoding, uint32_t last, const char *name,
                                struct pail_error *err);

/* The name of a kind of operation, which is one. */
const char *pail_front_op_name(uint32_t kind);

#endif /* PAIL_FRONT_H */
