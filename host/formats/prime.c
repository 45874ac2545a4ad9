#include "prime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "report.h"
#include <curves/params_bn254.h>

enum { PRIME_BYTES = 32 };

static const struct {
    const char *name;
    uint64_t limbs[4];
} primes[] = {
    [PAIL_PRIME_BN254_BASE] = {"base field", PAIL_BN254_FP_MODULUS},
    [PAIL_PRIME_BN254_SCALAR] = {"scalar field", PAIL_BN254_FR_MODULUS},
};

const uint64_t *pail_prime_limbs(enum pail_prime prime)
{
    return primes[prime].limbs;
}

pail_status pail_prime_check(size_t *at, const struct pail_section *section,
                             const struct pail_section_head *head, enum pail_prime expected,
                             const char *file_name, char *error, size_t error_cap)
{
    if (head->size - *at < 4)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: the header at byte %zu ends after %zu bytes, before the prime of "
                           "the %s",
                           file_name, section->offset, section->size, primes[expected].name);
    const uint8_t *prefix = head->data + *at;
    const size_t offset = section->offset + *at;
    const uint32_t n8 = pail_read_u32(prefix);
    if (n8 != PRIME_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: at byte %zu the %s has a prime of %" PRIu32
                           " bytes, but BN254's has %d",
                           file_name, offset, primes[expected].name, n8, PRIME_BYTES);
    if (head->size - *at - 4 < PRIME_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: the header at byte %zu ends after %zu bytes, inside the prime of "
                           "the %s",
                           file_name, section->offset, section->size, primes[expected].name);
    uint64_t limbs[4];
    pail_read_u256(limbs, prefix + 4);
    if (memcmp(limbs, primes[expected].limbs, sizeof(limbs)) != 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: at byte %zu the prime of the %s is 0x%016" PRIx64 "%016" PRIx64
                           "%016" PRIx64 "%016" PRIx64 ", which is not BN254's",
                           file_name, offset + 4, primes[expected].name, limbs[3], limbs[2],
                           limbs[1], limbs[0]);
    *at += 4 + PRIME_BYTES;
    return PAIL_OK;
}
