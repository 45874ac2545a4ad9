/* SPDX-License-Identifier: Apache-2.0 */
#include "prime.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "report.h"
#include <curves/params_bls12_381.h>
#include <curves/params_bn254.h>

enum { LIMBS_MAX = 6, N_CURVES = 2 };

static const char *const field_names[] = {
    [PAIL_PRIME_BASE] = "base field",
    [PAIL_PRIME_SCALAR] = "scalar field",
};

static const struct {
    uint32_t curve;
    const char *name;
    struct {
        size_t bytes;
        uint64_t limbs[LIMBS_MAX];
    } primes[2];
} curves[N_CURVES] = {
    {PAIL_CURVE_BN254,
     "BN254",
     {[PAIL_PRIME_BASE] = {32, PAIL_BN254_FP_MODULUS},
      [PAIL_PRIME_SCALAR] = {32, PAIL_BN254_FR_MODULUS}}},
    {PAIL_CURVE_BLS12_381,
     "BLS12-381",
     {[PAIL_PRIME_BASE] = {48, PAIL_BLS12_381_FP_MODULUS},
      [PAIL_PRIME_SCALAR] = {32, PAIL_BLS12_381_FR_MODULUS}}},
};

static size_t index_of(uint32_t curve)
{
    return curve == PAIL_CURVE_BLS12_381 ? 1 : 0;
}

const char *pail_prime_curve_name(uint32_t curve)
{
    return curves[index_of(curve)].name;
}

const uint64_t *pail_prime_limbs(uint32_t curve, enum pail_prime prime)
{
    return curves[index_of(curve)].primes[prime].limbs;
}

size_t pail_prime_bytes(uint32_t curve, enum pail_prime prime)
{
    return curves[index_of(curve)].primes[prime].bytes;
}

/* Name of the curve whose prime is required. */
static const char *wanted_name(uint32_t curve)
{
    if (curve == 0)
        return "BN254's and not BLS12-381's";
    return curve == PAIL_CURVE_BN254 ? "BN254's" : "BLS12-381's";
}

static bool is_wanted(size_t i, uint32_t curve)
{
    return curve == 0 || curves[i].curve == curve;
}

static pail_status complain_of_size(uint32_t n8, const struct pail_section *section, size_t offset,
                                    uint32_t curve, enum pail_prime prime, const char *file_name,
                                    char *error, size_t error_cap)
{
    char sizes[64] = "";
    for (size_t i = 0; i < N_CURVES; i++) {
        const size_t used = strlen(sizes);
        if (is_wanted(i, curve))
            (void)snprintf(sizes + used, sizeof(sizes) - used, "%s%s's has %zu",
                           used != 0 ? " and " : "", curves[i].name, curves[i].primes[prime].bytes);
    }
    return pail_report(error, error_cap, PAIL_ERR_DATA,
                       "%s: in section %" PRIu32 ", at byte %zu, the %s has a prime of %" PRIu32
                       " bytes, but %s",
                       file_name, section->type, offset, field_names[prime], n8, sizes);
}

pail_status pail_prime_read(uint32_t *curve, size_t *at, const struct pail_section *section,
                            const struct pail_section_head *head, enum pail_prime prime,
                            const char *file_name, char *error, size_t error_cap)
{
    const char *const field = field_names[prime];
    if (head->size - *at < 4)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section %" PRIu32
                           " at byte %zu ends after %zu bytes, before the prime of "
                           "the %s",
                           file_name, section->type, section->offset, section->size, field);
    const uint8_t *const prefix = head->data + *at;
    const size_t offset = section->offset + *at;
    const uint32_t n8 = pail_read_u32(prefix);
    bool known_size = false;
    for (size_t i = 0; i < N_CURVES; i++)
        known_size |= is_wanted(i, *curve) && curves[i].primes[prime].bytes == n8;
    if (!known_size)
        return complain_of_size(n8, section, offset, *curve, prime, file_name, error, error_cap);
    if (head->size - *at - 4 < n8)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section %" PRIu32
                           " at byte %zu ends after %zu bytes, inside the prime of "
                           "the %s",
                           file_name, section->type, section->offset, section->size, field);
    uint64_t limbs[LIMBS_MAX] = {0};
    for (size_t i = 0; i < n8 / 8; i++)
        limbs[i] = pail_read_u64(prefix + 4 + 8 * i);
    for (size_t i = 0; i < N_CURVES; i++) {
        if (!is_wanted(i, *curve) || curves[i].primes[prime].bytes != n8 ||
            memcmp(limbs, curves[i].primes[prime].limbs, n8) != 0)
            continue;
        *curve = curves[i].curve;
        *at += 4 + (size_t)n8;
        return PAIL_OK;
    }
    char digits[16 * LIMBS_MAX + 1];
    for (size_t i = 0; i < n8 / 8; i++)
        (void)snprintf(digits + 16 * i, 17, "%016" PRIx64, limbs[n8 / 8 - 1 - i]);
    return pail_report(error, error_cap, PAIL_ERR_DATA,
                       "%s: in section %" PRIu32
                       ", at byte %zu, the prime of the %s is 0x%s, which is not %s",
                       file_name, section->type, offset + 4, field, digits, wanted_name(*curve));
}
