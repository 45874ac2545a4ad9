/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a setup. Relations between its points are checked for a random combination, in which a
 * wrong point is cancelled by others with a probability of at most n / r. */
#include "setup.h"

#include <stdlib.h>
#include <string.h>

#include <cpu/modular.h>
#include <formats/report.h>
#include <platform/memory.h>

enum { PART = 32, G2_PART = 8 }; /* points of an item */

struct orders {
    const struct pail_kzg *kzg;
    const struct pail_kzg_points *points;
    atomic_size_t bad; /* the lowest index; of powers, then Lagrange points, then G2 */
};

/* True if a point, on the curve, has order r. */
static bool has_order(const struct orders *orders, size_t i)
{
    const struct pail_kzg *const kzg = orders->kzg;
    const size_t n = kzg->n;
    if (i < 2 * n)
        return kzg->g1->in_subgroup((i < n ? orders->points->powers : orders->points->lagrange) +
                                    i % n * kzg->g1->affine_bytes);
    return kzg->g2->in_subgroup(orders->points->g2 + (i - 2 * n) * kzg->g2->affine_bytes);
}

/* True if the points of an item, all of G1, have order r: by the curve alone, or by lifting them.
 * False: they are to be looked at one by one. n <= PART. */
static bool have_order(const struct orders *orders, size_t first, size_t n)
{
    const struct pail_kzg *const kzg = orders->kzg;
    const size_t bytes = kzg->g1->affine_bytes;
    unsigned char points[PART * sizeof(pail_affine)];
    uint8_t found[PART];
    bool good = true;
    if (first + n > 2 * kzg->n)
        return false;
    if (kzg->g1->cofactor_one)
        return true;
    for (size_t i = 0; i < n; i++) {
        const size_t at = first + i;
        memcpy(points + i * bytes,
               (at < kzg->n ? orders->points->powers : orders->points->lagrange) +
                   at % kzg->n * bytes,
               bytes);
    }
    kzg->adder->lift(points, found, n, true);
    for (size_t i = 0; i < n; i++)
        good &= found[i] == 2;
    return good;
}

static void check_orders(void *user, size_t item, struct pail_kzg_worker *worker)
{
    struct orders *const orders = user;
    const struct pail_kzg *const kzg = orders->kzg;
    const size_t all = 2 * kzg->n + kzg->n_g2, first = item * PART;
    const size_t n = all - first < PART ? all - first : PART;
    (void)worker;
    if (have_order(orders, first, n))
        return;
    for (size_t i = first; i < first + n; i++) {
        const bool good = has_order(orders, i);
        size_t lowest = atomic_load(&orders->bad);
        while (!good && i < lowest && !atomic_compare_exchange_weak(&orders->bad, &lowest, i)) {
        }
    }
}

static pail_status check_all_orders(struct pail_kzg_work *work,
                                    const struct pail_kzg_points *points, const char *name,
                                    char *error, size_t capacity)
{
    const struct pail_kzg *const kzg = work->kzg;
    const size_t n = kzg->n, all = 2 * n + kzg->n_g2;
    struct orders orders = {.kzg = kzg, .points = points};
    atomic_store(&orders.bad, all);
    pail_kzg_each(work, (all + PART - 1) / PART, check_orders, &orders);
    const size_t bad = atomic_load(&orders.bad);
    if (bad == all)
        return PAIL_OK;
    if (bad < n)
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: power %zu of G1 is not in the subgroup of order r", name, bad);
    if (bad < 2 * n)
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: Lagrange point %zu is not in the subgroup of order r", name,
                           pail_reverse_bits(bad - n, kzg->log_n));
    return pail_report(error, capacity, PAIL_ERR_DATA,
                       "%s: power %zu of G2 is not in the subgroup of order r", name, bad - 2 * n);
}

static bool random_scalar(const struct pail_kzg *kzg, pail_u256 *r)
{
    if (!pail_random(r, sizeof(*r)))
        return false;
    kzg->g1->scalar_reduce(r, r);
    return true;
}

struct combination {
    const struct pail_kzg *kzg;
    const unsigned char *points;
    const pail_u256 *weights;
    size_t n;
    pail_point *sums; /* of each item */
};

/* A part of the sum of weights[i] times the powers of G2, which are few. */
static void combine_g2_part(void *user, size_t item, struct pail_kzg_worker *worker)
{
    const struct combination *const part = user;
    const struct pail_curve_ops *const g2 = part->kzg->g2;
    pail_point *const sum = &part->sums[item];
    (void)worker;
    *sum = (pail_point){{0}};
    for (size_t i = item * G2_PART; i < part->n && i < (item + 1) * G2_PART; i++) {
        pail_point term;
        g2->from_affine(&term, part->points + i * g2->affine_bytes);
        g2->mul(&term, &term, &part->weights[i]);
        g2->add(sum, sum, &term);
    }
}

static pail_status combine_g2(struct pail_kzg_work *work, pail_point *sum,
                              const unsigned char *points, const pail_u256 *weights)
{
    const struct pail_kzg *const kzg = work->kzg;
    const size_t parts = (kzg->n_g2 + G2_PART - 1) / G2_PART;
    struct combination combination = {kzg, points, weights, kzg->n_g2,
                                      malloc(parts * sizeof(pail_point))};
    if (!combination.sums)
        return PAIL_ERR_HOST_MEMORY;
    pail_kzg_each(work, parts, combine_g2_part, &combination);
    *sum = combination.sums[0];
    for (size_t i = 1; i < parts; i++)
        kzg->g2->add(sum, sum, &combination.sums[i]);
    free(combination.sums);
    return PAIL_OK;
}

/* From the combination of powers 0 to n - 1 by the powers of r: that of powers 0 to n - 2, and that
 * of powers 1 to n - 1, by the same weights; both times r. */
static void shift(pail_point *low, pail_point *high, const pail_point *whole,
                  const struct pail_curve_ops *ops, const unsigned char *points, size_t n,
                  const pail_u256 *weights)
{
    pail_point end;
    ops->from_affine(&end, points + (n - 1) * ops->affine_bytes);
    ops->mul(&end, &end, &weights[n - 1]);
    ops->neg(&end, &end);
    ops->add(low, whole, &end);
    ops->mul(low, low, &weights[1]);
    ops->from_affine(&end, points);
    ops->neg(&end, &end);
    ops->add(high, whole, &end);
}

struct relations {
    /* r times combinations of powers 0 to n - 2, and 1 to n - 1. */
    pail_point low, high, g2_low, g2_high;
    pail_point whole, lagrange; /* of all powers, and of the Lagrange points */
};

static pail_status combine_all(struct pail_kzg_work *work, struct relations *sums,
                               const struct pail_kzg_points *points, pail_u256 *weights,
                               uint64_t *elements)
{
    struct pail_kzg *const kzg = work->kzg;
    const size_t n = kzg->n;
    pail_u256 r, power = {{1}};
    pail_point whole;
    if (!random_scalar(kzg, &r))
        return PAIL_ERR_INTERNAL;
    for (size_t i = 0; i < n || i < kzg->n_g2; i++) {
        weights[i] = power;
        kzg->g1->scalar_mul(&power, &power, &r);
    }
    pail_status status = combine_g2(work, &whole, points->g2, weights);
    if (status == PAIL_OK) {
        shift(&sums->g2_low, &sums->g2_high, &whole, kzg->g2, points->g2, kzg->n_g2, weights);
        status = pail_kzg_combine(work, &sums->whole, points->powers, weights, n);
    }
    if (status != PAIL_OK)
        return status;
    shift(&sums->low, &sums->high, &sums->whole, kzg->g1, points->powers, n, weights);
    /* The same polynomial by its values. */
    kzg->scalars->scale(elements, weights[0].l, kzg->factor_in, n);
    pail_kzg_transform(kzg, PAIL_KZG_NTT_VALUES, elements, elements, work->workers[0].ntt_scratch);
    pail_kzg_integers(kzg, weights, elements, n);
    return pail_kzg_combine(work, &sums->lagrange, points->lagrange, weights, n);
}

static bool is_generator(const struct pail_curve_ops *ops, const unsigned char *affine)
{
    pail_affine generator;
    ops->generator(&generator);
    return memcmp(generator.limbs, affine, ops->affine_bytes) == 0;
}

pail_status pail_kzg_check_points(struct pail_kzg_work *work, const struct pail_kzg_points *points,
                                  const char *name, char *error, size_t capacity)
{
    const struct pail_kzg *const kzg = work->kzg;
    const size_t most = kzg->n > kzg->n_g2 ? kzg->n : kzg->n_g2;
    struct relations sums;
    pail_point one, tau;
    pail_affine g2_low, g2_high;
    pail_status status = check_all_orders(work, points, name, error, capacity);
    if (status != PAIL_OK)
        return status;
    if (!is_generator(kzg->g1, points->powers) || !is_generator(kzg->g2, points->g2))
        return pail_report(error, capacity, PAIL_ERR_DATA, "%s: power 0 of %s is not the generator",
                           name, is_generator(kzg->g1, points->powers) ? "G2" : "G1");
    kzg->g1->from_affine(&one, points->powers);
    kzg->g1->from_affine(&tau, points->powers + kzg->g1->affine_bytes);
    if (kzg->g1->is_infinity(&tau))
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: power 1 of G1 is infinity: the secret is 0", name);
    pail_u256 *const weights = malloc(most * sizeof(*weights));
    uint64_t *const elements = malloc(kzg->n * sizeof(pail_u256));
    status = weights && elements ? combine_all(work, &sums, points, weights, elements)
                                 : PAIL_ERR_HOST_MEMORY;
    free(weights);
    free(elements);
    if (status == PAIL_ERR_INTERNAL)
        return pail_report(error, capacity, status, "the system gives no random bytes");
    if (status != PAIL_OK)
        return pail_report(error, capacity, status, "%s: no memory to check its points", name);
    if (!pail_kzg_pairings_equal(kzg, &sums.low, points->g2 + kzg->g2->affine_bytes, &sums.high,
                                 points->g2))
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: points of G1 are not the powers of the secret of G2", name);
    kzg->g2->to_affine(&g2_low, &sums.g2_low);
    kzg->g2->to_affine(&g2_high, &sums.g2_high);
    if (!pail_kzg_pairings_equal(kzg, &tau, &g2_low, &one, &g2_high))
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: points of G2 are not the powers of the secret of G1", name);
    if (!kzg->g1->equal(&sums.whole, &sums.lagrange))
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: Lagrange points do not belong to the powers of G1", name);
    return PAIL_OK;
}
