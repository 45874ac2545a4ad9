/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/zkey.h>

#include <stdlib.h>

#include "target.h"

/* Reads each byte, for the sanitizers to see. */
static void touch(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const volatile uint8_t byte = data[i];
        (void)byte;
    }
}

/* Whatever the reader hands out must be readable; whatever it refuses must come with a sentence. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_zkey key;
    char error[512] = "";
    if (pail_zkey_parse(&key, "fuzz.zkey", data, size, error, sizeof(error)) != PAIL_OK) {
        if (error[0] == '\0' || key.container.data != NULL)
            abort();
        return 0;
    }
    for (int msm = PAIL_ZKEY_A; msm < PAIL_ZKEY_MSMS; msm++) {
        const struct pail_zkey_points *const points = &key.points[msm];
        touch(points->data, points->count * points->point_bytes);
        if (points->first_witness != SIZE_MAX &&
            points->first_witness + points->count != key.n_vars)
            abort();
    }
    for (size_t i = 0; i < key.n_coefficients; i++) {
        struct pail_zkey_coefficient coefficient;
        if (pail_zkey_coefficient(&coefficient, &key, i, error, sizeof(error)) != PAIL_OK)
            continue;
        if (coefficient.matrix > 1 || coefficient.constraint >= key.domain_size ||
            coefficient.signal >= key.n_vars)
            abort();
        touch(coefficient.value, 32);
    }
    pail_zkey_close(&key);
    return 0;
}
