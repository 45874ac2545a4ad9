/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of vectors through the boundary. Include it in one file of a program. */
#ifndef PAIL_TESTS_FIELD_GPU_PLUGIN_H
#define PAIL_TESTS_FIELD_GPU_PLUGIN_H

#include "support/test.h"

#include <curves/inputs.h>
#include <curves/rng.h>

#include "field/gpu_support.h"
#include "support/plugin_group.h"

static const uint32_t curves[] = {PAIL_CURVE_BN254, PAIL_CURVE_BLS12_381};

static inline const struct pail_curve_ops *ops_of(uint32_t curve)
{
    return pail_curve_ops(curve, PAIL_G1);
}

static inline void check(pail_status status)
{
    if (status != PAIL_OK)
        fail_msg("status %d: %s", (int)status, plugin.api->error(plugin.context));
}

static inline pail_vector *make(uint32_t curve, uint64_t n)
{
    pail_vector *vector = NULL;
    check(plugin.api->vector_create(plugin.context, &vector, curve, n));
    return vector;
}

static inline void destroy(pail_vector *vector)
{
    plugin.api->vector_destroy(plugin.context, &vector);
    assert_null(vector);
}

/* n elements below r, from a seed. */
static inline uint8_t *elements_of(const struct pail_curve_ops *ops, size_t n, uint64_t seed)
{
    uint8_t *bytes = malloc(32 * n + 1);
    for (size_t block = 0; block * PAIL_SCALARS_BLOCK < n; block++) {
        const size_t left = n - block * PAIL_SCALARS_BLOCK;
        pail_make_scalar_block(ops, bytes + 32 * block * PAIL_SCALARS_BLOCK, block,
                               left < PAIL_SCALARS_BLOCK ? left : PAIL_SCALARS_BLOCK,
                               PAIL_SCALARS_UNIFORM, seed);
    }
    return bytes;
}

static inline void write(pail_vector *vector, uint64_t offset, const uint8_t *elements, uint64_t n)
{
    check(plugin.api->vector_write(vector, offset, elements, n, PAIL_ENCODING_CANONICAL));
}

static inline void expect(const pail_vector *vector, uint64_t offset, const uint8_t *elements,
                          uint64_t n, const char *what)
{
    uint8_t *got = malloc(32 * n + 1);
    check(plugin.api->vector_read(vector, got, offset, n, PAIL_ENCODING_CANONICAL));
    for (uint64_t i = 0; i < n; i++)
        if (memcmp(got + 32 * i, elements + 32 * i, 32) != 0)
            fail_msg("%s: element %llu of %llu differs", what, (unsigned long long)i,
                     (unsigned long long)n);
    free(got);
}

static inline pail_stats run(const pail_vector_op *ops, size_t n)
{
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    check(plugin.api->vector_start(plugin.context, &pending, ops, n));
    check(plugin.api->vector_finish(&pending, &stats));
    assert_null(pending);
    return stats;
}

static inline pail_u256 number(uint64_t low)
{
    return (pail_u256){{low, 0, 0, 0}};
}

enum { ROWS = 400, COLUMNS = 300, ENTRIES_MAX = 20000 };

struct sparse {
    uint64_t starts[ROWS + 1];
    uint32_t *columns;
    uint8_t *values;
};

/* Rows that are empty, short, of 32 and 33 entries, and of some thousand. */
static inline struct sparse make_sparse(const struct pail_curve_ops *ops)
{
    struct sparse s = {.starts = {0}};
    struct pail_rng rng;
    pail_rng_init(&rng, 3);
    for (uint32_t row = 0; row < ROWS; row++) {
        uint64_t n = pail_rng_below(&rng, 5);
        n = row == 7 ? 32 : row == 8 ? 33 : row == 100 ? 3000 : row == ROWS - 1 ? 1025 : n;
        s.starts[row + 1] = s.starts[row] + n;
    }
    s.columns = calloc(s.starts[ROWS], sizeof(*s.columns));
    s.values = elements_of(ops, s.starts[ROWS], 4);
    for (uint64_t k = 0; k < s.starts[ROWS]; k++)
        s.columns[k] = (uint32_t)pail_rng_below(&rng, COLUMNS);
    return s;
}

static inline pail_matrix_desc desc_of(const struct sparse *s, uint32_t curve)
{
    return (pail_matrix_desc)SIZED(pail_matrix_desc, .curve = curve, .n_rows = ROWS,
                                   .n_columns = COLUMNS, .row_starts = s->starts,
                                   .columns = s->columns, .values = s->values);
}

static inline void multiply_sparse(const struct pail_curve_ops *ops, const struct sparse *s,
                                   const uint8_t *a, uint8_t *r)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        pail_u256 sum = number(0);
        for (uint64_t k = s->starts[row]; k < s->starts[row + 1]; k++) {
            pail_u256 x, y;
            pail_u256_from_bytes(&x, s->values + 32 * k);
            pail_u256_from_bytes(&y, a + 32 * s->columns[k]);
            ops->scalar_mul(&x, &x, &y);
            ops->scalar_add(&sum, &sum, &x);
        }
        pail_u256_to_bytes(r + 32 * row, &sum);
    }
}

#endif /* PAIL_TESTS_FIELD_GPU_PLUGIN_H */
