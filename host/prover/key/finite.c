#include "finite.h"

#include <string.h>

enum { SAMPLES = 256 };

uint32_t pail_finite_share(const struct pail_zkey *zkey, enum pail_zkey_msm msm, uint32_t parts)
{
    static const uint8_t zero[PAIL_ZKEY_POINT_MAX];
    const struct pail_zkey_points *const points = &zkey->points[msm];
    uint8_t point[PAIL_ZKEY_POINT_MAX];
    const size_t samples = points->count < SAMPLES ? points->count : SAMPLES;
    size_t finite = 0;
    for (size_t i = 0; i < samples; i++) {
        const size_t at = points->count / samples * i * points->point_bytes;
        if (points->data)
            memcpy(point, points->data + at, points->point_bytes);
        else if (pail_file_read(&zkey->file, point, points->point_bytes, points->offset + at, NULL,
                                0) != PAIL_OK)
            return 0;
        finite += memcmp(point, zero, points->point_bytes) != 0;
    }
    return samples == 0 ? 0 : (uint32_t)((parts * finite + samples / 2) / samples);
}
