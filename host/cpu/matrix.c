/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include <inttypes.h>
#include <string.h>

#include "context.h"
#include "modular.h"
#include <curves/little_endian.h>
#include <front/front.h>

enum {
    SHARED_MIN = 64, /* entries from which on equal values are looked for */
    PROBES = 64,     /* of a table that is half full at most */
    TABLE_MIN = 256,
    AHEAD = 8, /* entries whose places in the table are on their way from memory */
};

/* A call for each of millions would take longer. */
static inline pail_u256 value_at(const uint8_t *bytes, uint64_t i)
{
    pail_u256 value;
    for (size_t k = 0; k < PAIL_CPU_SCALAR_WORDS; k++)
        value.l[k] = pail_read_u64(bytes + i * PAIL_SCALAR_BYTES + 8 * k);
    return value;
}

static pail_status check(pail_context *context, const struct pail_cpu_scalars **scalars,
                         const pail_matrix_desc *desc, struct pail_error *err)
{
    const pail_status status = pail_cpu_scalars_for(scalars, &context->choice, desc->curve, err);
    if (status == PAIL_OK && !*scalars) {
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "desc->curve is %u: the CPU backend has no such scalar field",
                         desc->curve);
    }
    return status;
}

static pail_status no_memory(const pail_matrix *matrix, struct pail_error *err)
{
    return pail_fail(err, PAIL_ERR_HOST_MEMORY,
                     "no memory for a matrix of %" PRIu64 " rows and %" PRIu64 " entries",
                     matrix->n_rows, matrix->n_entries);
}

/* ---- Values ---------------------------------------------------------------------------------- */
/* Values that were met, and where: open addressing, half full at most. */
struct met {
    uint32_t *numbers; /* [size]: number + 1; 0: none */
    uint64_t size;     /* a power of two */
};

static uint64_t place_of(const uint64_t *value)
{
    const uint64_t mixed = value[0] ^ value[1] * 3 ^ value[2] * 5 ^ value[3] * 7;
    return mixed * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

/* The entry that has the value, or an empty one for it; NULL after PROBES others, which somebody
 * may have chosen to collide. */
static uint32_t *find_value(const struct met *met, const pail_matrix *matrix, const uint64_t *value)
{
    const uint64_t first = place_of(value);
    for (uint64_t at = first; at < first + PROBES; at++) {
        uint32_t *const entry = &met->numbers[at & (met->size - 1)];
        if (*entry == 0 || memcmp(matrix->values + (uint64_t)(*entry - 1) * PAIL_CPU_SCALAR_WORDS,
                                  value, PAIL_SCALAR_BYTES) == 0)
            return entry;
    }
    return NULL;
}

/* Gives the matrix room for as many values as the table may have: a block for all entries would
 * take a large page, or several, for a few of them. */
static bool grow_values(pail_matrix *matrix, uint64_t n, const struct pail_alloc *memory)
{
    uint64_t *const values = pail_cpu_alloc(memory, (size_t)n, PAIL_SCALAR_BYTES);
    if (!values)
        return false;
    if (matrix->n_values > 0)
        memcpy(values, matrix->values, (size_t)matrix->n_values * PAIL_SCALAR_BYTES);
    pail_cpu_free(memory, matrix->values);
    matrix->values = values;
    return true;
}

/* Makes it twice as large; false: there is no memory, or no place for a value. */
static bool grow(struct met *met, pail_matrix *matrix, const struct pail_alloc *memory)
{
    const struct met before = *met;
    met->size = before.size == 0 ? TABLE_MIN : 2 * before.size;
    met->numbers = pail_cpu_alloc(memory, (size_t)met->size, sizeof *met->numbers);
    bool good = met->numbers && grow_values(matrix, met->size / 2, memory);
    if (good)
        memset(met->numbers, 0, (size_t)met->size * sizeof *met->numbers);
    for (uint64_t i = 0; i < matrix->n_values && good; i++) {
        uint32_t *const entry = find_value(met, matrix, matrix->values + i * PAIL_CPU_SCALAR_WORDS);
        good = entry != NULL;
        if (good)
            *entry = (uint32_t)i + 1;
    }
    pail_cpu_free(memory, before.numbers);
    return good;
}

/* Most circuits have few different coefficients, and each is kept once. false: there are more than
 * half as many as entries, or there is no memory to look for them. */
static bool share_values(pail_matrix *matrix, const uint8_t *bytes, const struct pail_alloc *memory)
{
    const uint64_t n_most = matrix->n_entries / 2;
    struct met met = {0};
    bool good = true;
    for (uint64_t i = 0; i < matrix->n_entries && good; i++) {
        const pail_u256 value = value_at(bytes, i);
        if (2 * matrix->n_values >= met.size)
            good = grow(&met, matrix, memory);
        if (good && i + AHEAD < matrix->n_entries) {
            const pail_u256 later = value_at(bytes, i + AHEAD);
            __builtin_prefetch(&met.numbers[place_of(later.l) & (met.size - 1)], 1);
        }
        uint32_t *const entry = good ? find_value(&met, matrix, value.l) : NULL;
        if (entry && *entry == 0 && matrix->n_values < n_most) {
            memcpy(matrix->values + matrix->n_values * PAIL_CPU_SCALAR_WORDS, value.l,
                   sizeof value.l);
            *entry = (uint32_t)++matrix->n_values;
        }
        good = entry && *entry != 0;
        if (good)
            matrix->which[i] = *entry - 1;
    }
    pail_cpu_free(memory, met.numbers);
    return good;
}

static pail_status copy_values(pail_matrix *matrix, const uint8_t *bytes,
                               const struct pail_alloc *memory, struct pail_error *err)
{
    pail_cpu_free(memory, matrix->values);
    matrix->values = pail_cpu_alloc(memory, (size_t)matrix->n_entries, PAIL_SCALAR_BYTES);
    if (!matrix->values)
        return no_memory(matrix, err);
    for (uint64_t i = 0; i < matrix->n_entries; i++) {
        const pail_u256 value = value_at(bytes, i);
        memcpy(matrix->values + i * PAIL_CPU_SCALAR_WORDS, value.l, sizeof value.l);
    }
    matrix->n_values = matrix->n_entries;
    return PAIL_OK;
}

static pail_status take_values(pail_context *context, pail_matrix *matrix, const uint8_t *bytes,
                               struct pail_error *err)
{
    const struct pail_alloc *const memory = &context->memory;
    if (matrix->n_entries < SHARED_MIN || matrix->n_entries > UINT32_MAX)
        return copy_values(matrix, bytes, memory, err);
    matrix->which = pail_cpu_alloc(memory, (size_t)matrix->n_entries, sizeof *matrix->which);
    if (!matrix->which)
        return no_memory(matrix, err);
    if (share_values(matrix, bytes, memory))
        return PAIL_OK;
    pail_cpu_free(memory, matrix->which);
    matrix->which = NULL;
    return copy_values(matrix, bytes, memory, err);
}

/* Values are kept times 2^radix_bits. */
static void scale_values(pail_matrix *matrix, const struct pail_curve_ops *ops, bool montgomery)
{
    const struct pail_cpu_scalars *const scalars = matrix->scalars;
    uint64_t factor[PAIL_CPU_FACTOR_WORDS];
    /* 2^radix_bits, or what is left of it where there is a 2^256 already; and as an element. */
    pail_u256 power = {{UINT64_C(1) << (scalars->radix_bits - 256)}}, element;
    if (!montgomery)
        pail_cpu_to_element(&power, ops, &power);
    pail_cpu_to_element(&element, ops, &power);
    scalars->factor(factor, &element);
    scalars->scale(matrix->values, matrix->values, factor, (size_t)matrix->n_values);
}

static pail_status make(pail_context *context, pail_matrix **out,
                        const struct pail_cpu_scalars *scalars, const pail_matrix_desc *desc,
                        struct pail_error *err)
{
    const struct pail_alloc *const memory = &context->memory;
    const uint64_t n_entries = desc->row_starts[desc->n_rows];
    pail_matrix *const matrix = pail_cpu_alloc(memory, 1, sizeof *matrix);
    if (!matrix)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no memory for a matrix");
    *matrix = (pail_matrix){
        .context = context,
        .scalars = scalars,
        .curve = desc->curve,
        .n_rows = desc->n_rows,
        .n_columns = desc->n_columns,
        .n_entries = n_entries,
    };
    atomic_init(&matrix->references, 1);
    matrix->row_starts =
        pail_cpu_alloc(memory, (size_t)desc->n_rows + 1, sizeof *matrix->row_starts);
    if (n_entries <= SIZE_MAX / PAIL_SCALAR_BYTES)
        matrix->columns = pail_cpu_alloc(memory, (size_t)n_entries, sizeof *matrix->columns);
    pail_status status;
    if (!matrix->row_starts || !matrix->columns) {
        status = no_memory(matrix, err);
    } else {
        const struct pail_curve_ops *const ops = pail_curve_ops(desc->curve, PAIL_G1);
        memcpy(matrix->row_starts, desc->row_starts,
               ((size_t)desc->n_rows + 1) * sizeof *matrix->row_starts);
        if (n_entries > 0)
            memcpy(matrix->columns, desc->columns, (size_t)n_entries * sizeof *matrix->columns);
        status = take_values(context, matrix, desc->values, err);
        if (status == PAIL_OK)
            scale_values(matrix, ops, desc->encoding == PAIL_ENCODING_MONTGOMERY);
    }
    if (status == PAIL_OK)
        *out = matrix;
    else
        pail_cpu_matrix_release(matrix);
    return status;
}

pail_status pail_cpu_matrix_create(pail_context *context, pail_matrix **out, uint64_t *bad_index,
                                   const pail_matrix_desc *desc, struct pail_error *err)
{
    const struct pail_cpu_scalars *scalars;
    pail_status status = check(context, &scalars, desc, err);
    if (status == PAIL_OK)
        status = pail_front_matrix_desc(desc, pail_curve_ops(desc->curve, PAIL_G1), bad_index, err);
    return status == PAIL_OK ? make(context, out, scalars, desc, err) : status;
}

void pail_cpu_matrix_retain(const pail_matrix *matrix)
{
    atomic_fetch_add(&((pail_matrix *)(uintptr_t)matrix)->references, 1);
}

void pail_cpu_matrix_release(const pail_matrix *matrix)
{
    pail_matrix *const m = (pail_matrix *)(uintptr_t)matrix;
    if (atomic_fetch_sub(&m->references, 1) != 1)
        return;
    const struct pail_alloc *const memory = &m->context->memory;
    pail_cpu_free(memory, m->row_starts);
    pail_cpu_free(memory, m->columns);
    pail_cpu_free(memory, m->which);
    pail_cpu_free(memory, m->values);
    pail_cpu_free(memory, m);
}

void pail_cpu_matrix_destroy(pail_context *context, pail_matrix *matrix)
{
    (void)context;
    pail_cpu_matrix_release(matrix);
}
