/* SPDX-License-Identifier: Apache-2.0 */
#include "finite.h"

#include <string.h>

enum { SAMPLES = 256, RUNS = 64, RUN = 16 };

/* Adds to *finite the points at ... at + n - 1 that are not infinity; n: at most RUN. False: they
 * cannot be read. */
static bool count(size_t *finite, const struct pail_zkey *zkey, enum pail_zkey_msm msm, size_t at,
                  size_t n)
{
    static const uint8_t infinity[PAIL_ZKEY_POINT_MAX];
    const struct pail_zkey_points *const points = &zkey->points[msm];
    const size_t bytes = points->point_bytes;
    uint8_t copy[RUN * PAIL_ZKEY_POINT_MAX];
    if (points->data)
        memcpy(copy, points->data + at * bytes, n * bytes);
    else if (pail_file_read(&zkey->file, copy, n * bytes, points->offset + at * bytes, NULL, 0) !=
             PAIL_OK)
        return false;
    for (size_t i = 0; i < n; i++)
        *finite += memcmp(copy + i * bytes, infinity, bytes) != 0;
    return true;
}

uint32_t pail_finite_share(const struct pail_zkey *zkey, enum pail_zkey_msm msm, uint32_t parts)
{
    const size_t n = zkey->points[msm].count, samples = n < SAMPLES ? n : SAMPLES;
    size_t finite = 0;
    for (size_t i = 0; i < samples; i++)
        if (!count(&finite, zkey, msm, n / samples * i, 1))
            return 0;
    return samples == 0 ? 0 : (uint32_t)((parts * finite + samples / 2) / samples);
}

bool pail_finite_sample(double *share, const struct pail_zkey *zkey, enum pail_zkey_msm msm)
{
    const size_t n = zkey->points[msm].count, run = n < RUN ? n : RUN;
    size_t finite = 0;
    for (size_t i = 0; i < RUNS && run != 0; i++)
        if (!count(&finite, zkey, msm, (n - run) * i / (RUNS - 1), run))
            return false;
    *share = run != 0 ? ((double)finite + 1) / ((double)(RUNS * run) + 1) : 1;
    return true;
}
