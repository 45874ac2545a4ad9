/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by the instructions that x86-64 has for it. This file alone is built for them; sha256.c
 * asks the processor before it calls anything here. */
#include "sha256.h"

#include <cpuid.h>
#include <immintrin.h>

bool pail_sha256_has_ni(void)
{
    unsigned a, b = 0, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1) != 0 &&
           __builtin_cpu_supports("sse4.1");
}

/* Four rounds with the words w, and the constants from round t on. */
#define ROUNDS(w, t)                                                                               \
    do {                                                                                           \
        __m128i sum =                                                                              \
            _mm_add_epi32(w, _mm_loadu_si128((const __m128i_u *)&pail_sha256_constants[t]));       \
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);                                             \
        sum = _mm_shuffle_epi32(sum, 0x0e);                                                        \
        abef = _mm_sha256rnds2_epu32(abef, cdgh, sum);                                             \
    } while (0)

void pail_sha256_blocks_ni(uint32_t state[8], const uint8_t *bytes, size_t n_blocks)
{
    const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    /* The instructions take A, B, E, F and C, D, G, H, the first in the highest word. */
    __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
    __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
    for (; n_blocks > 0; n_blocks--, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i w[4];
        for (size_t i = 0; i < 4; i++) {
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i_u *)(bytes + 16 * i)), swap);
            ROUNDS(w[i], 4 * i);
        }
        for (size_t t = 16; t < 64; t += 4) {
            const size_t i = t / 4 % 4;
            const __m128i middle = _mm_alignr_epi8(w[(i + 3) % 4], w[(i + 2) % 4], 4);
            w[i] = _mm_add_epi32(_mm_sha256msg1_epu32(w[i], w[(i + 1) % 4]), middle);
            w[i] = _mm_sha256msg2_epu32(w[i], w[(i + 3) % 4]);
            ROUNDS(w[i], t);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    uint32_t words[8];
    _mm_storeu_si128((__m128i_u *)words, abef);
    _mm_storeu_si128((__m128i_u *)(words + 4), cdgh);
    state[0] = words[3];
    state[1] = words[2];
    state[4] = words[1];
    state[5] = words[0];
    state[2] = words[7];
    state[3] = words[6];
    state[6] = words[5];
    state[7] = words[4];
}
