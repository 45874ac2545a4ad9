/* SPDX-License-Identifier: Apache-2.0 */
#include "pairing.h"

#include <pthread.h>
#include <string.h>

#include "adx.h"
#include "bls12_381.h"
#include "bn254.h"
#include "fast.h"

#define CURVE         pail_bn254
#define CURVE_PARAMS  PAIL_BN254
#define CURVE_NUMBER  PAIL_BN254_CURVE
#define PRIME_WORDS   pail_bn254_fp
#define BASE_PRODUCTS pail_bn254_fp2
#define PAIRING_TABLE static const struct pail_pairing_ops pail_bn254_pairing_ops
#include "pairing_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER
#undef PRIME_WORDS
#undef BASE_PRODUCTS
#undef PAIRING_TABLE

#define CURVE         pail_bls12_381
#define CURVE_PARAMS  PAIL_BLS12_381
#define CURVE_NUMBER  PAIL_BLS12_381_CURVE
#define PRIME_WORDS   pail_bls12_381_fp
#define BASE_PRODUCTS pail_bls12_381_fp2
#define PAIRING_TABLE static const struct pail_pairing_ops pail_bls12_381_pairing_ops
#include "pairing_template.h"
#undef CURVE
#undef CURVE_PARAMS
#undef CURVE_NUMBER
#undef PRIME_WORDS
#undef BASE_PRODUCTS
#undef PAIRING_TABLE

const struct pail_pairing_ops *pail_pairing_ops(uint32_t curve)
{
    switch (curve) {
    case PAIL_BN254_CURVE:
        return &pail_bn254_pairing_ops;
    case PAIL_BLS12_381_CURVE:
        return &pail_bls12_381_pairing_ops;
    default:
        return NULL;
    }
}

/* ---- By what the processor has --------------------------------------------------------------- */
#if PAIL_FAST_BUILDS_ADX
static const struct pail_pairing_ops *adx_table(uint32_t curve)
{
    return curve == PAIL_BN254_CURVE ? &pail_bn254_pairing_adx : &pail_bls12_381_pairing_adx;
}
#else
static const struct pail_pairing_ops *adx_table(uint32_t curve)
{
    return pail_pairing_ops(curve);
}
#endif

bool pail_pairing_test(const struct pail_pairing_ops *fast, const struct pail_pairing_ops *ops)
{
    enum { PAIRS = 3 };
    const struct pail_curve_ops *const g1 = pail_curve_ops(ops->curve, 1);
    const struct pail_curve_ops *const g2 = pail_curve_ops(ops->curve, 2);
    uint64_t p[PAIRS * PAIL_AFFINE_LIMBS_MAX], q[PAIRS * PAIL_AFFINE_LIMBS_MAX];
    uint8_t got[PAIL_PAIRING_BYTES_MAX], want[PAIL_PAIRING_BYTES_MAX];
    pail_affine generators[2];
    pail_point sums[2];
    g1->generator(&generators[0]);
    g2->generator(&generators[1]);
    g1->from_affine(&sums[0], &generators[0]);
    g2->from_affine(&sums[1], &generators[1]);
    for (size_t i = 0; i < PAIRS; i++) {
        g1->dbl_times(&sums[0], &sums[0], 5);
        g1->add_affine(&sums[0], &sums[0], &generators[0]);
        g1->to_affine((uint8_t *)p + i * g1->affine_bytes, &sums[0]);
        g2->dbl_times(&sums[1], &sums[1], 7);
        g2->add_affine(&sums[1], &sums[1], &generators[1]);
        g2->to_affine((uint8_t *)q + i * g2->affine_bytes, &sums[1]);
    }
    fast->product(got, p, q, PAIRS);
    ops->product(want, p, q, PAIRS);
    return memcmp(got, want, ops->value_bytes) == 0;
}

const struct pail_pairing_ops *pail_pairing_fast(uint32_t curve)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        bool tested, passed;
    } tables[2];
    const struct pail_pairing_ops *const ops = pail_pairing_ops(curve);
    if (!ops || !pail_fast_has_adx())
        return ops;
    const struct pail_pairing_ops *const fast = adx_table(curve);
    const size_t i = curve == PAIL_BN254_CURVE;
    pthread_mutex_lock(&lock);
    if (!tables[i].tested)
        tables[i].passed = pail_pairing_test(fast, ops);
    tables[i].tested = true;
    const bool passed = tables[i].passed;
    pthread_mutex_unlock(&lock);
    return passed ? fast : ops;
}

bool pail_pairing_point_is_valid(const struct pail_curve_ops *group, const void *affine)
{
    return group->on_curve(affine) && group->in_subgroup(affine);
}

bool pail_pairing_key_point_is_valid(const struct pail_curve_ops *group, const void *affine)
{
    enum { KNOWN = 8 }; /* points: those of more than two keys */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct {
        uint32_t curve, group; /* 0: there is none */
        pail_affine point;
    } known[KNOWN];
    static size_t next;
    const size_t bytes = group->affine_bytes;
    pail_affine generator;
    group->generator(&generator);
    bool found = group->cofactor_one ? false : memcmp(&generator, affine, bytes) == 0;
    if (group->cofactor_one || found)
        return found || group->on_curve(affine);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < KNOWN && !found; i++)
        found = known[i].curve == group->curve && known[i].group == group->group &&
                memcmp(&known[i].point, affine, bytes) == 0;
    pthread_mutex_unlock(&lock);
    if (found || !pail_pairing_point_is_valid(group, affine))
        return found;
    pthread_mutex_lock(&lock);
    known[next].curve = group->curve;
    known[next].group = group->group;
    memcpy(&known[next].point, affine, bytes);
    next = (next + 1) % KNOWN;
    pthread_mutex_unlock(&lock);
    return true;
}
