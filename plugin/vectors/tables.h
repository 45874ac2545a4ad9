/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of a number in device memory: what transforms and PAIL_VECTOR_OP_POWERS multiply by. A
 * context keeps those that were used last. They are no secrets. */
#ifndef PAIL_FIELD_TABLES_H
#define PAIL_FIELD_TABLES_H

#include <pthread.h>

#include <pail/backend.h>

#include <core/error.h>

#include "ntt.h"
#include "scalar.h"
#include "vk/memory.h"
#include "vk/pipeline.h"

struct pail_vectors;

/* Power i is low[i mod 2^bits] high[i / 2^bits]; high is 0, and no more than `low` is there, where
 * 2^bits is all. Both are numbers of elements of the table. */
struct pail_powers {
    uint32_t low, high, bits;
};

/* Powers that the device makes: 2^bits, from those by the low and the high bits of exponents. */
struct pail_seed {
    struct pail_powers by;
    uint32_t first, bits; /* bits 0: there are none to make */
};

/* Inputs of a table; compared by their bytes. */
struct pail_table_key {
    uint32_t curve, form;
    uint32_t log_n;     /* size of a transform; of powers: n <= 2^log_n, at least 1 */
    uint32_t transform; /* 0: powers of `shift`, the first of which is `scale` */
    uint32_t inverse, parts;
    uint32_t bits[PAIL_NTT_PASSES_MAX]; /* same as in the plan */
    uint32_t shifted;
    uint32_t points; /* 1: twiddles of a transform of points, 2: constants of a truncation; then of
                        the above, curve, log_n and inverse alone are set */
    uint32_t unused; /* 0, for no padding */
    pail_u256 root, shift, scale;
};

struct pail_table {
    struct pail_table *next;
    uint32_t users; /* guarded by the cache's lock */
    struct pail_table_key key;
    uint32_t inner_bits; /* powers of a root of order 2^inner_bits begin the table */
    struct pail_powers twiddles[PAIL_NTT_PASSES_MAX], scales;
    struct pail_seed twiddle_seeds[PAIL_NTT_PASSES_MAX], scale_seed;
    uint64_t n, sent; /* elements; those that the host sends come first */
    struct pail_vk_buffer buffer;
};

struct pail_tables {
    pthread_mutex_t lock;
    struct pail_table *first; /* the one used last */
};

/* Finds or makes a table, for pail_table_give.
 * Errors: memory, PAIL_ERR_DEVICE_LOST. */
pail_status pail_table_take(struct pail_vectors *field, struct pail_tables *tables,
                            struct pail_table **out, const struct pail_table_key *key,
                            struct pail_error *err);

/* No submitted work may still use it. NULL is accepted. */
void pail_table_give(struct pail_vectors *field, struct pail_tables *tables,
                     struct pail_table *table);

/* Frees those that nobody uses. */
void pail_tables_trim(struct pail_vectors *field, struct pail_tables *tables);

/* The request for the kernel that makes powers. */
struct pail_vk_pipeline_request pail_table_request(uint32_t curve, enum pail_field_form form);

#endif /* PAIL_FIELD_TABLES_H */
