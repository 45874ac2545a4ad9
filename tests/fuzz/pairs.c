/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/pairs.h>

#include <stdlib.h>

#include "target.h"

/* The first byte chooses the curve and group; the rest is the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_point_codec codec;
    struct pail_pairs pairs;
    char error[512] = "";
    if (size == 0)
        return 0;
    const bool bn254 = data[0] % 2 == 0;
    if (!pail_point_codec_init(&codec, bn254 ? PAIL_CURVE_BN254 : PAIL_CURVE_BLS12_381,
                               data[0] / 2 % 2 == 0 ? PAIL_G1 : PAIL_G2,
                               bn254 ? PAIL_POINT_EIP196 : PAIL_POINT_EIP2537))
        abort();
    if (pail_pairs_parse(&pairs, "fuzz", data + 1, size - 1, &codec, error, sizeof(error)) !=
        PAIL_OK) {
        if (error[0] == '\0' || pairs.points != NULL || pairs.scalars != NULL || pairs.count != 0)
            abort();
        return 0;
    }
    /* Reads the ends, for the sanitizers to see. */
    if (pairs.count > 0) {
        const volatile uint8_t last_point = pairs.points[pairs.count * codec.point_bytes - 1];
        const volatile uint8_t last_scalar = pairs.scalars[pairs.count * 32 - 1];
        (void)last_point;
        (void)last_scalar;
    }
    pail_pairs_free(&pairs);
    return 0;
}
