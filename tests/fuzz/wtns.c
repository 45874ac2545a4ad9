/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/wtns.h>

#include <stdlib.h>

#include <formats/bytes.h>
#include <formats/prime.h>

#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_wtns witness;
    char error[512] = "";
    if (pail_wtns_parse(&witness, "fuzz.wtns", data, size, error, sizeof(error)) != PAIL_OK) {
        if (error[0] == '\0' || witness.values != NULL)
            abort();
        return 0;
    }
    const uint64_t *const order = pail_prime_limbs(witness.curve, PAIL_PRIME_SCALAR);
    for (size_t i = 0; i < witness.count; i++) {
        uint64_t value[PAIL_SCALAR_LIMBS];
        pail_read_u256(value, witness.values + 32 * i);
        if (!pail_u256_less(value, order))
            abort();
    }
    pail_wtns_close(&witness);
    return 0;
}
