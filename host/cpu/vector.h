/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors over a scalar field: elements in memory, counted by reference. Reads and writes are work
 * of the pool that uses them, which keeps everything in order. */
#ifndef PAIL_CPU_VECTOR_H
#define PAIL_CPU_VECTOR_H

#include <core/error.h>
#include <pail/backend.h>
#include <stdatomic.h>

#include "scalars.h"

struct pail_vector {
    pail_context *context;
    atomic_size_t references;
    const struct pail_curve_ops *ops; /* operations of a group of that order */
    const struct pail_cpu_scalars *scalars;
    uint64_t n;
    uint64_t *words; /* [n] elements, aligned, in the block */
    void *block;
};

/* Address of an element; NULL only for none. */
static inline uint64_t *pail_cpu_vector_at(const pail_vector *vector, uint64_t i)
{
    return vector->words + (size_t)i * PAIL_CPU_SCALAR_WORDS;
}

void pail_cpu_vector_retain(const pail_vector *vector);
void pail_cpu_vector_release(const pail_vector *vector);

/* Make the factor that turns elements into canonical integers, and the one that turns them into
 * elements: into `factor`, of scalars->factor_bytes. */
void pail_cpu_vector_factor_out(void *factor, const struct pail_cpu_scalars *scalars);
void pail_cpu_vector_factor_in(void *factor, const struct pail_cpu_scalars *scalars,
                               const struct pail_curve_ops *ops);

/* Elements from bytes, of any value, and to bytes: of the encoding that the factor is for. */
void pail_cpu_elements_load(const pail_vector *vector, uint64_t *words, const uint8_t *bytes,
                            const void *factor, size_t n);
void pail_cpu_elements_store(const struct pail_cpu_scalars *scalars, uint8_t *bytes,
                             const uint64_t *words, const void *factor, size_t n);

/* Behind the front. */
pail_status pail_cpu_vector_create(pail_context *context, pail_vector **vector, uint32_t curve,
                                   uint64_t n, struct pail_error *err);
void pail_cpu_vector_destroy(pail_vector *vector);
pail_status pail_cpu_vector_write(pail_vector *vector, uint64_t offset, const void *elements,
                                  uint64_t n, uint32_t encoding, struct pail_error *err);
pail_status pail_cpu_vector_fill(pail_vector *vector, uint64_t offset, pail_read_elements read,
                                 void *user, uint64_t n, uint32_t encoding, struct pail_error *err);
pail_status pail_cpu_vector_read(const pail_vector *vector, void *elements, uint64_t offset,
                                 uint64_t n, uint32_t encoding, struct pail_error *err);

#endif /* PAIL_CPU_VECTOR_H */
