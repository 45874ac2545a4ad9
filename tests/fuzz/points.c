/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/points.h>

#include <stdlib.h>
#include <string.h>

#include "target.h"

static const struct {
    uint32_t curve, group, form;
} kinds[] = {
    {PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_EIP196},
    {PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_EIP196},
    {PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_EIP2537},
    {PAIL_CURVE_BLS12_381, PAIL_G2, PAIL_POINT_EIP2537},
    {PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_ZCASH},
    {PAIL_CURVE_BLS12_381, PAIL_G2, PAIL_POINT_ZCASH},
    {PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_GNARK},
    {PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_GNARK},
    {PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_ARKWORKS},
    {PAIL_CURVE_BN254, PAIL_G2, PAIL_POINT_ARKWORKS},
};

/* The first byte chooses the form and the second the validation; the rest is one point, cut or
 * completed with zeros. Each point has one encoding: what is decoded must encode to the same bytes.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_point_codec codec;
    uint8_t encoded[256] = {0}, back[256], point[192];
    static const uint8_t zeros[192];
    char error[256] = "";
    if (size < 2)
        return 0;
    const size_t kind = data[0] % (sizeof(kinds) / sizeof(kinds[0]));
    if (!pail_point_codec_init(&codec, kinds[kind].curve, kinds[kind].group, kinds[kind].form))
        abort();
    memcpy(encoded, data + 2, size - 2 < codec.encoded_bytes ? size - 2 : codec.encoded_bytes);
    if (pail_point_decode(&codec, point, encoded, data[1] % 3, error, sizeof(error)) != PAIL_OK) {
        if (error[0] == '\0' || memcmp(point, zeros, codec.point_bytes) != 0)
            abort();
        return 0;
    }
    if (pail_point_encode(&codec, back, point, NULL, 0) != PAIL_OK ||
        memcmp(back, encoded, codec.encoded_bytes) != 0)
        abort();
    return 0;
}
