/* SPDX-License-Identifier: Apache-2.0 */
/* The quotient of a Groth16 proof as gnark computes it, for gnark.go. */
#ifndef PAIL_GO_GNARK_H
#define PAIL_GO_GNARK_H

#include "bridge.h"

/* Numbers of the domain, canonical, little-endian. */
typedef struct bridge_domain {
    uint32_t curve, log_n;
    uint8_t root[PAIL_SCALAR_BYTES];  /* w, of order n = 2^log_n */
    uint8_t shift[PAIL_SCALAR_BYTES]; /* g, of the coset */
    uint8_t scale[PAIL_SCALAR_BYTES]; /* 1 / (g^n - 1) */
} bridge_domain;

static inline pail_vector_op bridge_transform(uint32_t kind, uint32_t flags, pail_vector *abc,
                                              const bridge_domain *domain, const uint8_t *shift,
                                              uint64_t vectors)
{
    pail_vector_op op = {.struct_size = sizeof op,
                         .kind = kind,
                         .flags = flags,
                         .log_n = domain->log_n,
                         .r = abc,
                         .a = abc,
                         .n = vectors << domain->log_n};
    memcpy(op.root, domain->root, sizeof op.root);
    if (shift)
        memcpy(op.shift, shift, sizeof op.shift);
    return op;
}

/* h: [2^log_n]. a, b, c: [n] of Montgomery form, n <= 2^log_n; what is missing counts as zeros.
 * gnark has h in bit-reversed order. */
static inline pail_status bridge_compute_h(const bridge_context *in, uint8_t *h, const uint8_t *a,
                                           const uint8_t *b, const uint8_t *c, uint64_t n,
                                           const bridge_domain *domain, char *error)
{
    const uint64_t size = UINT64_C(1) << domain->log_n;
    const void *const given[3] = {a, b, c};
    pail_vector *abc = NULL;
    pail_pending *pending = NULL;
    pail_status status = bridge_vector(in, &abc, domain->curve, 3 * size, error);
    for (uint64_t i = 0; i < 3 && status == PAIL_OK && n > 0; i++)
        status = bridge_write(in, abc, i * size, given[i], n, PAIL_ENCODING_MONTGOMERY, error);
    if (status == PAIL_OK) {
        pail_vector_op ops[] = {
            bridge_transform(PAIL_VECTOR_OP_INTT, 0, abc, domain, NULL, 3),
            bridge_transform(PAIL_VECTOR_OP_NTT, 0, abc, domain, domain->shift, 3),
            {.struct_size = sizeof ops[0],
             .kind = PAIL_VECTOR_OP_MUL_SUB,
             .r = abc,
             .a = abc,
             .b = abc,
             .b_offset = size,
             .c = abc,
             .c_offset = 2 * size,
             .n = size},
            bridge_transform(PAIL_VECTOR_OP_INTT, PAIL_VECTOR_OP_COEFFICIENTS_REVERSED, abc, domain,
                             domain->shift, 1),
            {.struct_size = sizeof ops[0],
             .kind = PAIL_VECTOR_OP_POWERS,
             .r = abc,
             .a = abc,
             .n = size},
        };
        memcpy(ops[4].scale, domain->scale, sizeof ops[4].scale);
        status = bridge_operations(in, &pending, ops, sizeof ops / sizeof ops[0], error);
    }
    if (status == PAIL_OK)
        status = bridge_operations_finish(in, pending, error);
    if (status == PAIL_OK)
        status = bridge_read(in, abc, h, 0, size, PAIL_ENCODING_MONTGOMERY, error);
    if (abc)
        bridge_vector_close(in, abc);
    return status;
}

#endif /* PAIL_GO_GNARK_H */
