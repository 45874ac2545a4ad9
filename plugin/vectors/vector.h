/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors over a scalar field, in device memory: 32 bytes an element, as
 * glsl/shared/vector_layout.h says. */
#ifndef PAIL_FIELD_VECTOR_H
#define PAIL_FIELD_VECTOR_H

#include <stdatomic.h>

#include <pail/backend.h>

#include <core/error.h>

#include "scalar.h"
#include "vk/memory.h"
#include "vk/queue.h"

struct pail_vectors;
struct pail_field_steps;

struct pail_vector {
    struct pail_vectors *field;
    const struct pail_curve_ops *ops; /* of the curve's first group; elements are its scalars */
    uint32_t curve;
    uint64_t n;
    struct pail_vk_buffer buffer; /* no buffer where n is 0 */
    atomic_uint refs;
    /* Ticket of the last wipe or fill of the vector on the main queue, where later work comes
     * behind it anyhow. Other users wait for it. */
    _Atomic pail_vk_ticket settled;
    /* Last work on the main queue that writes elements: side queues wait for it. */
    _Atomic pail_vk_ticket written;
    /* By side queue: its last work that reads them. What writes them afterwards waits for it. */
    _Atomic pail_vk_ticket read[PAIL_VK_SIDES_MAX];
};

/* The table of a curve's scalars. Errors: PAIL_ERR_ARGUMENT. */
pail_status pail_vector_curve(const struct pail_curve_ops **out, uint32_t curve,
                              struct pail_error *err);

/* See backend.h. *out is NULL on failure. */
pail_status pail_vector_make(struct pail_vectors *field, struct pail_vector **out, uint32_t curve,
                             uint64_t n, struct pail_error *err);

/* Kept by work that uses it, until its scratch is idle. The last release wipes the vector and idle
 * scratch: no submitted work may still use it. NULL is accepted. */
void pail_vector_retain(struct pail_vector *vector);
void pail_vector_release(struct pail_vector *vector);

/* Elements from one on, as a vector of their own; waits. n is not 0. Errors: memory. */
pail_status pail_vector_copy(const struct pail_vector *vector, struct pail_vector **out,
                             uint64_t first, uint64_t n, struct pail_error *err);

/* Work on a side queue reads the vector, or work on the main queue writes it. */
void pail_vector_note_read(struct pail_vector *vector, uint32_t side, pail_vk_ticket ticket);
void pail_vector_note_written(struct pail_vector *vector, pail_vk_ticket ticket);

/* Elements of a vector; n is not 0. */
struct pail_vk_slice pail_vector_all(const struct pail_vector *vector);

/* See backend.h; ranges lie in the vector, and encodings are checked. */
pail_status pail_vector_put(struct pail_vector *vector, uint64_t offset, const void *elements,
                            uint64_t n, uint32_t encoding, struct pail_error *err);
/* Fills by a reader, in fill.c: see backend.h. */
pail_status pail_vector_fill(struct pail_vector *vector, uint64_t offset, pail_read_elements read,
                             void *user, uint64_t n, uint32_t encoding, struct pail_error *err);
pail_status pail_vector_get(const struct pail_vector *vector, void *elements, uint64_t offset,
                            uint64_t n, uint32_t encoding, struct pail_error *err);

/* Adds the steps of pail_vector_encode, in the list's phase. */
void pail_vector_encode_steps(struct pail_field_steps *s, uint32_t curve, uint32_t operation,
                              const struct pail_vk_slice *to, uint64_t to_offset,
                              const struct pail_vk_slice *from, uint64_t from_offset, uint64_t n);

/* Brings n canonical elements that were sent to a place in device memory into the form of vectors,
 * or back into another place. Both are slices of their own buffers. */
pail_status pail_vector_encode(struct pail_vectors *field, uint32_t curve, uint32_t operation,
                               const struct pail_vk_slice *to, uint64_t to_offset,
                               const struct pail_vk_slice *from, uint64_t from_offset, uint64_t n,
                               struct pail_error *err);

#endif /* PAIL_FIELD_VECTOR_H */
