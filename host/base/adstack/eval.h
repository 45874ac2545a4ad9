/* SPDX-License-Identifier: Apache-2.0 */
/* The host's evaluator. */
#ifndef PAIL_ADSTACK_EVAL_H
#define PAIL_ADSTACK_EVAL_H

#include "program.h"

/* A source at a launch; checked (arrays.h), so that every index inside the shape is inside the
 * memory. Strides are in bytes, of any sign. */
struct pail_ad_array {
    const uint8_t *host; /* address of index (0, 0, ...); NULL: not in host memory */
    uint64_t address;    /* the same on the device; 0: not there */
    uint64_t size_bytes; /* size from host or address on */
    /* Contents come by the host's callbacks, if host is NULL; address is 0 then. */
    bool foreign;
    uint64_t foreign_address; /* as bound; nobody here looks at it */
    uint32_t dtype, rank;
    int64_t shape[PAIL_AD_MAX_RANK], stride[PAIL_AD_MAX_RANK];
};

/* Bytes of an element; 0: no pail_dtype. */
uint32_t pail_ad_dtype_bytes(uint32_t dtype);

struct pail_ad_watch;

/* Memory of the evaluation of a reduction, kept for the next one. Zero: none yet. */
struct pail_ad_scratch {
    void *memory[2];
    size_t bytes[2];
};

void pail_ad_scratch_free(struct pail_ad_scratch *scratch, const struct pail_alloc *alloc);

/* Values of slots, while a launch is worked out. */
struct pail_ad_values {
    struct pail_ad_value *value;     /* [n_slots] */
    uint8_t *known;                  /* [n_slots] */
    uint64_t cells;                  /* looked at by the host so far */
    struct pail_ad_watch *watch;     /* limits of the caller; NULL: none */
    struct pail_ad_scratch *scratch; /* optional; the caller frees it */
};

/* Computes slots and what they depend on, as far as that is not known and needed: what only the
 * arm of a SELECT that was not taken depends on, or a range that is empty, stays unknown. Contents
 * of what is read must be in host memory. Errors of the computation are values.
 * Errors: PAIL_ERR_HOST_MEMORY, PAIL_ERR_STOPPED. */
pail_status pail_ad_eval(const struct pail_ad_program *program, const struct pail_ad_array arrays[],
                         struct pail_ad_values *values, const uint32_t slots[], uint32_t n_slots,
                         const struct pail_alloc *alloc, struct pail_error *err);

/* The least error that a cell of a spec can have whatever contents are, by `slots`, the values of
 * all that its bounds and its code use. Out: least, 0 where there can be none, and where there are
 * no cells. What has this error is decided: the evaluators take the least of all.
 * Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_least_error(const struct pail_ad_program *program,
                                const struct pail_ad_array arrays[],
                                const struct pail_ad_value slots[], const struct pail_ad_spec *spec,
                                uint32_t *least, const struct pail_alloc *alloc,
                                struct pail_error *err);

/* Bytes of an array that are read, [first, end); none where end is 0. */
struct pail_ad_reach {
    uint64_t first, end;
};

/* Joins bytes to a reach. */
void pail_ad_reach_join(struct pail_ad_reach *reach, uint64_t first, uint64_t end);

/* Joins bytes that elements with indices [lo[k], hi[k]] take, as far as these are inside the shape.
 * lo, hi: [rank of the array], NULL: all indices. */
void pail_ad_reach_elements(struct pail_ad_reach *reach, const struct pail_ad_array *array,
                            const int64_t lo[], const int64_t hi[]);

/* Joins bytes that cells of a spec may read whatever contents are, to the reach of each source that
 * it reads itself, by `slots` as in pail_ad_least_error. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_spec_reach(const struct pail_ad_program *program,
                               const struct pail_ad_array arrays[],
                               const struct pail_ad_value slots[], const struct pail_ad_spec *spec,
                               struct pail_ad_reach reach[], const struct pail_alloc *alloc,
                               struct pail_error *err);

/* Writes one sentence for an error, with task, stack and node and what was wrong there. */
void pail_ad_describe_error(const struct pail_ad_program *program,
                            const struct pail_ad_array arrays[], uint32_t error, char *text,
                            size_t capacity);

/* The same for the tree of a stack, whose place the sentence around it has: the node alone where it
 * is that tree's. An index outside of an array comes with its value where that can be found out
 * (culprit.h). */
void pail_ad_describe_tree(const struct pail_ad_program *program,
                           const struct pail_ad_array arrays[], const struct pail_ad_values *values,
                           uint32_t task, uint32_t stack, uint32_t error,
                           const struct pail_alloc *alloc, char *text, size_t capacity);

#endif /* PAIL_ADSTACK_EVAL_H */
