/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a prime field as limbs for vectors, one element at a time: what ifma_field.h and
 * avx2_field.h have in common. They include it, with
 *
 *   VF           prefix of the functions
 *   VF_LIMBS     limbs of VF_BITS bits, R = 2^(VF_BITS VF_LIMBS)
 *   VF_STORED    words of an element in memory: those of the field, or one for each limb
 *   BASE         the field in host/base/curves, BASE_PARAMS the prefix of its constants
 *
 * and it makes VF_LOW, the mask of a limb, and VF_WORDS, words of the field, for them to undefine.
 */
#include <stdint.h>
#include <string.h>

#include <curves/paste.h>
#include <curves/words.h>

#define VF_(name)   PAIL_PASTE(VF, name)
#define BASE_(name) PAIL_PASTE(BASE, name)
#define VF_LOW      ((UINT64_C(1) << VF_BITS) - 1)
#define VF_WORDS    PAIL_PASTE(BASE_PARAMS, LIMBS)

/* Words to limbs; the top limb takes what is left. */
static inline void VF_(split)(uint64_t limbs[VF_LIMBS], const uint64_t words[VF_WORDS])
{
    for (size_t i = 0; i < VF_LIMBS; i++) {
        const size_t word = VF_BITS * i / 64, shift = VF_BITS * i % 64;
        uint64_t limb = words[word] >> shift;
        if (shift > 64 - VF_BITS && word + 1 < VF_WORDS)
            limb |= words[word + 1] << (64 - shift);
        limbs[i] = limb & VF_LOW;
    }
}

static inline void VF_(join)(uint64_t words[VF_WORDS], const uint64_t limbs[VF_LIMBS])
{
    for (size_t i = 0; i < VF_WORDS; i++)
        words[i] = 0;
    for (size_t i = 0; i < VF_LIMBS; i++) {
        const size_t word = VF_BITS * i / 64, shift = VF_BITS * i % 64;
        words[word] |= limbs[i] << shift;
        if (shift > 64 - VF_BITS && word + 1 < VF_WORDS)
            words[word + 1] |= limbs[i] >> (64 - shift);
    }
}

/* Limbs to the words of memory, and back. */
static inline void VF_(pack)(uint64_t stored[VF_STORED], const uint64_t limbs[VF_LIMBS])
{
#if VF_STORED == VF_LIMBS
    memcpy(stored, limbs, VF_LIMBS * sizeof limbs[0]);
#else
    VF_(join)(stored, limbs);
#endif
}

static inline void VF_(unpack)(uint64_t limbs[VF_LIMBS], const uint64_t stored[VF_STORED])
{
#if VF_STORED == VF_LIMBS
    memcpy(limbs, stored, VF_LIMBS * sizeof limbs[0]);
#else
    VF_(split)(limbs, stored);
#endif
}

/* Between the CPU's form and memory's, one element: their radices differ by 2^ratio. */
enum { VF_(ratio) = VF_BITS * VF_LIMBS - 64 * VF_WORDS };

static inline void VF_(import)(uint64_t stored[VF_STORED], const BASE *a)
{
    uint64_t factor[VF_WORDS] = {UINT64_C(1) << VF_(ratio)};
    BASE scaled;
    BASE_(from_integer)(&scaled, factor);
    BASE_(mul)(&scaled, &scaled, a);
#if VF_STORED == VF_LIMBS
    VF_(split)(stored, scaled.l);
#else
    memcpy(stored, scaled.l, sizeof scaled.l);
#endif
}

static inline void VF_(export)(BASE *r, const uint64_t stored[VF_STORED])
{
    BASE factor = {{0}}, value;
    factor.l[VF_WORDS - 1] = UINT64_C(1) << (64 - VF_(ratio)); /* R' / 2^ratio, below p */
#if VF_STORED == VF_LIMBS
    VF_(join)(value.l, stored);
#else
    memcpy(value.l, stored, sizeof value.l);
#endif
    BASE_(mul)(r, &factor, &value);
}

/* a = 2 p - a in memory, for a up to 2 p. */
static inline void VF_(negate_stored)(uint64_t a[VF_STORED])
{
    static const uint64_t modulus[VF_WORDS] = PAIL_PASTE(BASE_PARAMS, MODULUS);
    const unsigned width = VF_STORED == VF_LIMBS ? VF_BITS : 64;
    const uint64_t mask = UINT64_MAX >> (64 - width);
    uint64_t p[VF_LIMBS + 1] = {0};
    VF_(split)(p, modulus);
    if (VF_STORED != VF_LIMBS)
        memcpy(p, modulus, sizeof modulus);
    uint64_t borrow = 0, doubled_out = 0;
    for (size_t i = 0; i < VF_STORED; i++) {
        const uint64_t twice = p[i] << 1 | doubled_out;
        doubled_out = p[i] >> (width - 1);
        a[i] = pail_sub_borrow(twice & mask, a[i], &borrow) & mask;
    }
}
