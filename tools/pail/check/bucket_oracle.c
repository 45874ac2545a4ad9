/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket_oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <curves/recode.h>

/* One copy of the bases, with the digits that go with it. */
struct copy {
    const struct pail_curve_ops *ops;
    pail_affine *points; /* [n], in the CPU's own form */
    size_t n;
};

static void first_copy(struct copy *copy, const uint8_t *bases)
{
    for (size_t i = 0; i < copy->n; i++)
        (void)copy->ops->decode(&copy->points[i], bases + i * 2 * copy->ops->coordinate_bytes,
                                true);
}

/* lambda times each, or each doubled as often as a window has bits. */
static void next_copy(struct copy *copy, const pail_bucket_info *info)
{
    const struct pail_curve_ops *const ops = copy->ops;
    for (size_t i = 0; i < copy->n; i++) {
        pail_point point;
        ops->from_affine(&point, &copy->points[i]);
        if ((info->flags & PAIL_BUCKETS_HALVES) != 0)
            ops->mul(&point, &point, &ops->lambda);
        else
            ops->dbl_times(&point, &point, info->window_bits);
        ops->to_affine(&copy->points[i], &point);
    }
}

/* digits: [n] words of one window and copy. */
static void add_window(pail_point *sums, const struct copy *copy, const uint32_t *digits,
                       uint32_t buckets)
{
    for (size_t i = 0; i < copy->n; i++) {
        const uint32_t key = digits[i] & ~MSM_HANDLE_SIGN;
        pail_affine point = copy->points[i];
        if (key >= buckets)
            continue; /* the digit is zero, or of the other window of its window */
        if ((digits[i] & MSM_HANDLE_SIGN) != 0)
            copy->ops->affine_neg(&point, &point);
        copy->ops->add_affine(&sums[key], &sums[key], &point);
    }
}

pail_status pail_bucket_oracle(uint8_t *points, const pail_bucket_info *info,
                               const struct pail_curve_ops *ops, const uint8_t *bases,
                               const uint8_t *scalars, size_t n, struct pail_error *error)
{
    const size_t n_buckets = (size_t)info->windows * info->buckets;
    const bool halves = (info->flags & PAIL_BUCKETS_HALVES) != 0;
    const uint32_t wide_top = pail_bucket_wide_top(info);
    if (n == 0 || n_buckets == 0) /* nothing is kept of points that are all at infinity */
        return PAIL_OK;
    if (n > UINT32_MAX || info->window_bits < 1 || info->window_bits > 31 || info->copies < 1 ||
        info->buckets != UINT32_C(1) << (info->window_bits - 1) || (halves && info->copies != 2) ||
        info->windows < (uint32_t)1 << wide_top)
        return pail_fail(error, PAIL_ERR_INTERNAL,
                         "%" PRIu32 " windows of %" PRIu32 " buckets and %" PRIu32
                         " copies do not go with windows of %" PRIu32 " bits",
                         info->windows, info->buckets, info->copies, info->window_bits);
    struct copy copy = {.ops = ops, .points = calloc(n, sizeof(*copy.points)), .n = n};
    pail_point *const sums = calloc(n_buckets, sizeof(*sums));
    uint32_t *const digits = calloc((size_t)info->windows * info->copies * n, sizeof(*digits));
    uint32_t *const words = calloc(n, 32);
    pail_status status = PAIL_OK;
    if (!copy.points || !sums || !digits || !words) {
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu buckets", n_buckets);
        goto out;
    }
    for (size_t i = 0; i < n; i++) {
        pail_u256 scalar;
        pail_u256_from_bytes(&scalar, scalars + 32 * i);
        for (size_t k = 0; k < 8; k++)
            words[8 * i + k] = (uint32_t)(scalar.l[k / 2] >> (k % 2 * 32));
    }
    const struct msm_decompose_push push = {
        .n = (uint32_t)n,
        .window_bits = info->window_bits,
        .vector_windows = info->windows,
        .wide_top = wide_top,
        .windows = info->windows,
        .reduce = (info->flags & PAIL_BUCKETS_REDUCED) != 0,
        .further = info->copies - 1,
    };
    pail_recode(&push, ops, halves, words, digits);
    first_copy(&copy, bases);
    for (uint32_t k = 0; k < info->copies; k++) {
        if (k > 0)
            next_copy(&copy, info);
        for (uint32_t window = 0; window < info->windows; window++)
            add_window(sums + (size_t)window * info->buckets, &copy,
                       digits + ((size_t)window * info->copies + k) * n, info->buckets);
    }
    for (size_t i = 0; i < n_buckets; i++) {
        pail_affine sum;
        ops->to_affine(&sum, &sums[i]);
        ops->encode(points + i * 2 * ops->coordinate_bytes, &sum, false);
    }
out:
    free(copy.points);
    free(sums);
    free(digits);
    free(words);
    return status;
}
