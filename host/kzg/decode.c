/* SPDX-License-Identifier: Apache-2.0 */
/* Commitments and proofs from their compressed form, many at once. */
#include "call.h"

#include <string.h>

enum { AT_ONCE = 16 };

/* As pail_kzg_decode, for n <= AT_ONCE points that are lifted together. */
static size_t decode_some(const struct pail_kzg *kzg, unsigned char *affine, const uint8_t *encoded,
                          size_t n)
{
    const struct pail_curve_ops *const ops = kzg->g1;
    struct pail_point_x x[AT_ONCE];
    uint8_t found[AT_ONCE];
    size_t readable = 0;
    for (; readable < n; readable++) {
        uint8_t point[2 * PAIL_COORDINATE_MAX] = {0};
        if (pail_point_read_x(&kzg->codec, &x[readable],
                              encoded + readable * kzg->codec.encoded_bytes, NULL, 0) != PAIL_OK)
            break;
        memcpy(point, x[readable].x, ops->coordinate_bytes);
        (void)ops->decode(affine + readable * ops->affine_bytes, point, false);
    }
    kzg->adder->lift(affine, found, readable, true);
    for (size_t i = 0; i < readable; i++) {
        unsigned char *const point = affine + i * ops->affine_bytes;
        if (x[i].infinity)
            memset(point, 0, ops->affine_bytes);
        else if (found[i] != 2)
            return i;
        else if (ops->y_is_largest(point) != x[i].largest)
            ops->affine_neg(point, point);
    }
    return readable;
}

size_t pail_kzg_decode(const struct pail_kzg *kzg, unsigned char *affine, const uint8_t *encoded,
                       size_t n)
{
    const size_t width = kzg->codec.encoded_bytes, bytes = kzg->g1->affine_bytes;
    for (size_t i = 0; i < n; i += AT_ONCE) {
        const size_t some = n - i < AT_ONCE ? n - i : AT_ONCE;
        const size_t good = decode_some(kzg, affine + i * bytes, encoded + i * width, some);
        if (good < some)
            return i + good;
    }
    return n;
}
