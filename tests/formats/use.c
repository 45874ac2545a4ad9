/* SPDX-License-Identifier: Apache-2.0 */
#include "use.h"
#include "support/test.h"

pail_status use_points(const struct pail_zkey *key, enum pail_zkey_msm msm, size_t piece_bytes,
                       uint8_t *sum, char *said, size_t said_bytes)
{
    struct pail_file_part part;
    uint8_t piece[USE_PIECE_MAX];
    assert_in_range(piece_bytes, 1, sizeof(piece));
    pail_zkey_points_part(&part, key, msm);
    assert_int_equal(part.size, key->points[msm].count * key->points[msm].point_bytes);
    pail_status status = PAIL_OK;
    for (size_t at = 0; at < part.size && status == PAIL_OK; at += piece_bytes) {
        const size_t size = part.size - at < piece_bytes ? part.size - at : piece_bytes;
        status = pail_file_part_read(&part, piece, at, size);
        for (size_t i = 0; i < size && status == PAIL_OK; i++)
            *sum ^= piece[i];
    }
    assert_true((part.error[0] != '\0') == (status != PAIL_OK));
    if (status != PAIL_OK)
        (void)snprintf(said, said_bytes, "%s", part.error);
    return status;
}

pail_status use_key_file(const char *path, size_t piece_bytes, char *said, size_t size)
{
    struct pail_zkey key;
    uint8_t sum = 0;
    pail_status status = pail_zkey_open(&key, path, said, size);
    for (enum pail_zkey_msm msm = PAIL_ZKEY_A; status == PAIL_OK && msm < PAIL_ZKEY_MSMS; msm++)
        status = use_points(&key, msm, piece_bytes, &sum, said, size);
    if (status == PAIL_OK)
        status = pail_zkey_load_coefficients(&key, said, size);
    for (size_t i = 0; status == PAIL_OK && i < key.n_coefficients; i++) {
        struct pail_zkey_coefficient coefficient;
        status = pail_zkey_coefficient(&coefficient, &key, i, said, size);
        sum ^= status == PAIL_OK ? coefficient.value[31] : 0;
    }
    const volatile uint8_t looked = sum;
    (void)looked;
    pail_zkey_close(&key);
    return status;
}
