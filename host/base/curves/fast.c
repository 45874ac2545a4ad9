/* SPDX-License-Identifier: Apache-2.0 */
#include "fast.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "adx.h"

enum { CURVES = 2, GROUPS = 2 };

#if PAIL_FAST_BUILDS_ADX
#include <cpuid.h>
/* Leaf 7, ebx: Intel's manual, volume 2, CPUID. */
#define BIT_BMI2 (1u << 8)
#define BIT_ADX  (1u << 19)

static void (*const adx_use[CURVES][GROUPS])(struct pail_curve_ops *ops) = {
    {pail_bn254_g1_adx_use, pail_bn254_g2_adx_use},
    {pail_bls12_381_g1_adx_use, pail_bls12_381_g2_adx_use},
};

bool pail_fast_has_adx(void)
{
    /* Kept: in a virtual machine an answer takes 8 us, as the host gives it, and a proof asks for
     * twenty. */
    static atomic_int known;     /* 0: not yet asked; 1: no; 2: yes */
    unsigned eax, ebx, ecx, edx; /* __builtin_cpu_supports does not know adx everywhere */
    if (atomic_load(&known) == 0) {
        const bool has = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & BIT_BMI2) != 0 &&
                         (ebx & BIT_ADX) != 0;
        atomic_store(&known, has ? 2 : 1);
    }
    return atomic_load(&known) == 2;
}
#else
static void (*const adx_use[CURVES][GROUPS])(struct pail_curve_ops *ops);

bool pail_fast_has_adx(void)
{
    return false;
}
#endif

/* ---- The test --------------------------------------------------------------------------------
 */
enum { LAST = 2, SIDE = 2 * LAST + 1, SHIFTS = 4 };

/* Compares more than coordinates: a wrong factor of ZZ shows when something is added. */
static bool same(const struct pail_curve_ops *ops, const pail_point *got, const pail_point *want)
{
    pail_point sum_got, sum_want;
    pail_affine generator;
    ops->generator(&generator);
    ops->add_affine(&sum_got, got, &generator);
    ops->add_affine(&sum_want, want, &generator);
    return ops->is_infinity(got) == ops->is_infinity(want) && ops->equal(got, want) &&
           ops->equal(&sum_got, &sum_want);
}

static bool words_agree(const struct pail_curve_ops *fast, const struct pail_curve_ops *ops,
                        const pail_point *p)
{
    const size_t element = ops->coordinate_bytes / ops->group, point = 4 * ops->coordinate_bytes;
    uint32_t words[sizeof(pail_point) / sizeof(uint32_t)];
    for (int form = PAIL_FORM_X32; form < PAIL_FORM_COUNT; form++) {
        pail_point got;
        ops->to_words(words, p, (enum pail_field_form)form);
        if (!fast->from_words(&got, words, (enum pail_field_form)form) || !same(ops, &got, p))
            return false;
        for (size_t at = 0; at < point; at += element) {
            uint32_t bad[sizeof words / sizeof words[0]];
            memcpy(bad, words, sizeof bad);
            memset(bad + at / sizeof bad[0], 0xff, element);
            if (fast->from_words(&got, bad, (enum pail_field_form)form) || !ops->is_infinity(&got))
                return false;
        }
    }
    return true;
}

/* Multiples of a generator from -LAST to LAST, none but two of which has ZZ = 1. */
static void multiples(const struct pail_curve_ops *ops, pail_point points[SIDE])
{
    pail_affine generator;
    ops->generator(&generator);
    points[LAST] = (pail_point){{0}};
    for (int k = 1; k <= LAST; k++) {
        ops->add_affine(&points[LAST + k], &points[LAST + k - 1], &generator);
        ops->neg(&points[LAST - k], &points[LAST + k]);
    }
}

bool pail_fast_test(const struct pail_curve_ops *fast, const struct pail_curve_ops *ops)
{
    pail_point points[SIDE], got, want;
    multiples(ops, points);
    for (int i = 0; i < SIDE; i++) {
        if (!words_agree(fast, ops, &points[i]))
            return false;
        for (int k = 0; k < SIDE; k++) {
            fast->add(&got, &points[i], &points[k]);
            ops->add(&want, &points[i], &points[k]);
            if (!same(ops, &got, &want))
                return false;
        }
        fast->dbl(&got, &points[i]);
        ops->dbl(&want, &points[i]);
        if (!same(ops, &got, &want))
            return false;
        for (uint32_t n = 0; n < SHIFTS; n++) {
            fast->dbl_times(&got, &points[i], n);
            ops->dbl_times(&want, &points[i], n);
            if (!same(ops, &got, &want))
                return false;
        }
    }
    /* Results are inputs again, many times. */
    got = want = points[SIDE - 1];
    for (int i = 0; i < 4 * SIDE; i++) {
        fast->dbl_times(&got, &got, (uint32_t)i % SHIFTS);
        ops->dbl_times(&want, &want, (uint32_t)i % SHIFTS);
        fast->add(&got, &got, &points[i % SIDE]);
        ops->add(&want, &want, &points[i % SIDE]);
    }
    return same(ops, &got, &want);
}

/* ---- The choice ------------------------------------------------------------------------------
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool tested, passed;
    struct pail_curve_ops ops;
} tables[CURVES][GROUPS]; /* under the lock; the operations of one that was tested stay */

const struct pail_curve_ops *pail_fast_known_ops(const struct pail_curve_ops *ops)
{
    const uint32_t c = ops->curve - 1, g = ops->group - 1;
    if (c >= CURVES || g >= GROUPS)
        return ops;
    pthread_mutex_lock(&lock);
    const bool passed = tables[c][g].tested && tables[c][g].passed;
    pthread_mutex_unlock(&lock);
    return passed ? &tables[c][g].ops : ops;
}

const struct pail_curve_ops *pail_fast_ops(const struct pail_curve_ops *ops, bool *failed)
{
    const uint32_t c = ops->curve - 1, g = ops->group - 1;
    if (failed)
        *failed = false;
    if (c >= CURVES || g >= GROUPS || !pail_fast_has_adx())
        return ops;
    pthread_mutex_lock(&lock);
    if (!tables[c][g].tested) {
        tables[c][g].ops = *ops;
        adx_use[c][g](&tables[c][g].ops);
        tables[c][g].passed = pail_fast_test(&tables[c][g].ops, ops);
        tables[c][g].tested = true;
    }
    const bool passed = tables[c][g].passed;
    pthread_mutex_unlock(&lock);
    if (failed)
        *failed = !passed;
    return passed ? &tables[c][g].ops : ops;
}
