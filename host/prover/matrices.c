#include "matrices.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <formats/bytes.h>
#include <formats/prime.h>
#include <formats/report.h>

enum { VALUE_BYTES = 32, USUAL = 2 };

/* Values of a file are n R^2 modulo r, with R = 2^256, and those of a registered matrix n R. Nearly
 * all coefficients of nearly all circuits are 1 or -1, which need no division by R. */
struct converter {
    const struct pail_curve_ops *ops;
    struct {
        uint8_t from[VALUE_BYTES], to[VALUE_BYTES];
    } usual[USUAL];
};

static void converter_init(struct converter *converter, const struct pail_curve_ops *ops)
{
    converter->ops = ops;
    pail_u256 once = {{1}}; /* R, by doubling 1; then -R */
    for (int i = 0; i < 256; i++)
        ops->scalar_add(&once, &once, &once);
    const pail_u256 radix = once;
    for (int i = 0; i < USUAL; i++) {
        pail_u256 twice;
        ops->scalar_mul(&twice, &once, &radix);
        pail_u256_to_bytes(converter->usual[i].from, &twice);
        pail_u256_to_bytes(converter->usual[i].to, &once);
        ops->scalar_neg(&once, &once);
    }
}

static void convert(uint8_t *to, const uint8_t *from, const struct converter *converter)
{
    for (int i = 0; i < USUAL; i++) {
        if (memcmp(from, converter->usual[i].from, VALUE_BYTES) == 0) {
            memcpy(to, converter->usual[i].to, VALUE_BYTES);
            return;
        }
    }
    pail_u256 value;
    pail_u256_from_bytes(&value, from);
    converter->ops->scalar_from_montgomery(&value, &value);
    pail_u256_to_bytes(to, &value);
}

static pail_status check_value(const struct pail_zkey *key, size_t index, const uint8_t *bytes,
                               char *error, size_t error_cap)
{
    uint64_t value[PAIL_SCALAR_LIMBS];
    pail_read_u256(value, bytes);
    if (pail_u256_less(value, pail_prime_limbs(key->curve, PAIL_PRIME_SCALAR)))
        return PAIL_OK;
    return pail_report(error, error_cap, PAIL_ERR_DATA,
                       "%s: coefficient %zu in section 4, at byte %zu, has the value 0x%016" PRIx64
                       "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 ", not below the group order",
                       key->container.name, index, pail_zkey_coefficient_offset(key, index),
                       value[3], value[2], value[1], value[0]);
}

/* Checks all entries, and counts those of row i in row_starts[i + 1]. */
static pail_status count(struct pail_rows matrices[PAIL_MATRICES], const struct pail_zkey *key,
                         char *error, size_t error_cap)
{
    for (size_t i = 0; i < key->n_coefficients; i++) {
        struct pail_zkey_coefficient entry;
        pail_status status = pail_zkey_coefficient(&entry, key, i, error, error_cap);
        if (status == PAIL_OK)
            status = check_value(key, i, entry.value, error, error_cap);
        if (status != PAIL_OK)
            return status;
        matrices[entry.matrix].row_starts[entry.constraint + 1]++;
    }
    for (int m = 0; m < PAIL_MATRICES; m++)
        for (size_t row = 0; row < key->domain_size; row++)
            matrices[m].row_starts[row + 1] += matrices[m].row_starts[row];
    return PAIL_OK;
}

/* row_starts[i] moves through row i, and is where the next one begins in the end. */
static void place(struct pail_rows matrices[PAIL_MATRICES], const struct pail_zkey *key,
                  const struct converter *converter)
{
    for (size_t i = 0; i < key->n_coefficients; i++) {
        struct pail_zkey_coefficient entry;
        (void)pail_zkey_coefficient(&entry, key, i, NULL, 0); /* as it was in count */
        struct pail_rows *const rows = &matrices[entry.matrix];
        const size_t at = (size_t)rows->row_starts[entry.constraint]++;
        rows->columns[at] = entry.signal;
        convert(rows->values + VALUE_BYTES * at, entry.value, converter);
    }
    for (int m = 0; m < PAIL_MATRICES; m++) {
        uint64_t *const starts = matrices[m].row_starts;
        memmove(starts + 1, starts, key->domain_size * sizeof(*starts));
        starts[0] = 0;
    }
}

pail_status pail_matrices_sort(struct pail_rows matrices[PAIL_MATRICES],
                               const struct pail_zkey *key, char *error, size_t error_cap)
{
    memset(matrices, 0, PAIL_MATRICES * sizeof(*matrices));
    pail_status status = PAIL_OK;
    bool enough = true;
    for (int m = 0; m < PAIL_MATRICES; m++) {
        matrices[m].row_starts = calloc((size_t)key->domain_size + 1, sizeof(uint64_t));
        enough &= matrices[m].row_starts != NULL;
    }
    if (enough)
        status = count(matrices, key, error, error_cap);
    for (int m = 0; enough && status == PAIL_OK && m < PAIL_MATRICES; m++) {
        const size_t entries = (size_t)matrices[m].row_starts[key->domain_size];
        matrices[m].columns = malloc((entries + 1) * sizeof(uint32_t));
        matrices[m].values = malloc((entries + 1) * VALUE_BYTES);
        enough = matrices[m].columns != NULL && matrices[m].values != NULL;
    }
    if (!enough)
        status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                             "no memory for the %zu coefficients of %s", key->n_coefficients,
                             key->container.name);
    if (status != PAIL_OK) {
        pail_matrices_free(matrices);
        return status;
    }
    struct converter converter;
    converter_init(&converter, pail_curve_ops(key->curve, PAIL_G1));
    place(matrices, key, &converter);
    return PAIL_OK;
}

void pail_matrices_free(struct pail_rows matrices[PAIL_MATRICES])
{
    for (int m = 0; m < PAIL_MATRICES; m++) {
        free(matrices[m].row_starts);
        free(matrices[m].columns);
        free(matrices[m].values);
        matrices[m] = (struct pail_rows){0};
    }
}
