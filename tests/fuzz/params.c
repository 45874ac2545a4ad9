/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/params.h>
#include <formats/verifying_key.h>

#include <stdlib.h>

#include "target.h"

/* The reader has the last point read whole, at any end of it, or says why not. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_zkey key;
    struct pail_verifying_key verifying;
    char error[512] = "";
    if (pail_key_file_open(&key, NULL, "fuzz.params", data, size, error, sizeof(error)) !=
        PAIL_OK) {
        if (error[0] == '\0' || key.container.data)
            abort();
        return 0;
    }
    if (key.form != PAIL_KEY_PARAMS) {
        pail_zkey_close(&key);
        return 0;
    }
    if (key.n_public >= key.n_vars || (key.domain_size & (key.domain_size - 1)) != 0 ||
        key.points[PAIL_ZKEY_B1].count != key.points[PAIL_ZKEY_B2].count)
        abort();
    for (enum pail_zkey_msm msm = PAIL_ZKEY_A; msm < PAIL_ZKEY_MSMS; msm++) {
        const struct pail_zkey_points *const points = &key.points[msm];
        uint8_t point[PAIL_ZKEY_POINT_MAX];
        struct pail_key_points reader;
        pail_key_points_init(&reader, &key, msm, 0, points->count);
        for (size_t i = 0; i < points->count; i++)
            if (pail_key_points_read(&reader, point, i * points->point_bytes,
                                     points->point_bytes) != PAIL_OK &&
                reader.part.error[0] == '\0')
                abort();
    }
    if (pail_verifying_key_of_zkey(&verifying, &key, error, sizeof(error)) == PAIL_OK &&
        verifying.key.n_public != key.n_public)
        abort();
    pail_verifying_key_free(&verifying);
    pail_zkey_close(&key);
    return 0;
}
