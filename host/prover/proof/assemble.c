/* SPDX-License-Identifier: Apache-2.0 */
#include "assemble.h"

#include <errno.h>
#include <string.h>

#include <curves/fast.h>
#include <curves/fold.h>
#include <formats/bytes.h>
#include <formats/report.h>
#include <platform/memory.h>

enum { SCALAR_BYTES = 32 };

static bool is_below_order(const pail_u256 *value, const struct pail_curve_ops *ops)
{
    return pail_u256_less(value->l, ops->order.l);
}

/* Uniform below the order, by rejection: at least every other number is. */
static bool draw(pail_u256 *value, const struct pail_curve_ops *ops)
{
    const uint32_t top_bits = ops->order_bits - 192;
    do {
        if (!pail_random(value, sizeof(*value)))
            return false;
        value->l[3] &= UINT64_MAX >> (64 - top_bits);
    } while (!is_below_order(value, ops));
    return true;
}

pail_status pail_blinding_choose(struct pail_blinding *blinding, const pail_groth16_key *key,
                                 const pail_groth16_options *options, char *error, size_t error_cap)
{
    if ((options->flags & PAIL_GROTH16_FIXED_BLINDING) == 0) {
        if (draw(&blinding->r, key->g1) && draw(&blinding->s, key->g1))
            return PAIL_OK;
        return pail_report(error, error_cap, PAIL_ERR_INTERNAL,
                           "the system gives no random numbers: %s", strerror(errno));
    }
    pail_u256_from_bytes(&blinding->r, options->r);
    pail_u256_from_bytes(&blinding->s, options->s);
    if (is_below_order(&blinding->r, key->g1) && is_below_order(&blinding->s, key->g1))
        return PAIL_OK;
    return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                       "%s of the options is not below the group order",
                       is_below_order(&blinding->r, key->g1) ? "s" : "r");
}

void pail_blinding_prepare(struct pail_blinding *blinding, const pail_groth16_key *key)
{
    pail_point delta1, delta2;
    key->g1->from_affine(&delta1, &key->header[PAIL_ZKEY_DELTA1]);
    key->g2->from_affine(&delta2, &key->header[PAIL_ZKEY_DELTA2]);
    pail_fold_multiples(pail_fast_known_ops(key->g1), &blinding->r_delta1, &delta1, &blinding->r,
                        1);
    pail_fold_multiples(pail_fast_known_ops(key->g2), &blinding->s_delta2, &delta2, &blinding->s,
                        1);
    pail_wipe_stack(); /* of multiplications by r and s */
}

static bool point_of(pail_point *point, const struct pail_curve_ops *ops,
                     const pail_msm_result *result)
{
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    pail_affine affine;
    memcpy(bytes, result->x, ops->coordinate_bytes);
    memcpy(bytes + ops->coordinate_bytes, result->y, ops->coordinate_bytes);
    const bool decoded = ops->decode(&affine, bytes, false);
    ops->from_affine(point, &affine);
    pail_wipe(bytes, sizeof(bytes));
    pail_wipe(&affine, sizeof(affine));
    return decoded;
}

static bool add_parts(pail_point *sum, const struct pail_curve_ops *ops,
                      const pail_msm_result *results, size_t n_parts, enum pail_zkey_msm msm)
{
    bool decoded = point_of(sum, ops, &results[msm]);
    for (size_t i = 1; i < n_parts && decoded; i++) {
        pail_point part;
        decoded = point_of(&part, ops, &results[i * PAIL_PROOF_RESULTS + msm]);
        ops->add(sum, sum, &part);
        pail_wipe(&part, sizeof(part));
    }
    return decoded;
}

bool pail_result_add(pail_msm_result *sum, const pail_msm_result *part,
                     const struct pail_curve_ops *ops)
{
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    pail_affine affine;
    pail_point point, other;
    const bool decoded = point_of(&point, ops, sum) && point_of(&other, ops, part);
    if (decoded) {
        ops->add(&point, &point, &other);
        ops->to_affine(&affine, &point);
        ops->encode(bytes, &affine, false);
        memcpy(sum->x, bytes, ops->coordinate_bytes);
        memcpy(sum->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes);
        sum->infinity = pail_all_zero(bytes, 2 * ops->coordinate_bytes);
        pail_wipe(&affine, sizeof(affine));
        pail_wipe(&other, sizeof(other));
    }
    pail_wipe(&point, sizeof(point));
    pail_wipe(bytes, sizeof(bytes));
    return decoded;
}

/* Adds to sum the point of the header. */
static void add_header(pail_point *sum, const struct pail_curve_ops *ops,
                       const pail_groth16_key *key, enum pail_zkey_point point)
{
    ops->add_affine(sum, sum, &key->header[point]);
}

static void encode(uint8_t *bytes, const struct pail_curve_ops *ops, const pail_point *point)
{
    pail_affine affine;
    ops->to_affine(&affine, point);
    ops->encode(bytes, &affine, false);
}

/* An odd value without its last bit, by 2. */
static void halve(pail_u256 *half, const pail_u256 *value)
{
    for (int i = 0; i < 4; i++)
        half->l[i] = value->l[i] >> 1 | (i < 3 ? value->l[i + 1] << 63 : 0);
}

pail_status pail_assemble(pail_groth16_proof *proof, const pail_groth16_key *key,
                          const struct pail_blinding *blinding, const pail_msm_result *results,
                          size_t n_parts, char *error, size_t error_cap)
{
    const struct pail_curve_ops *const g1 = key->g1, *const g2 = key->g2;
    pail_point sums[PAIL_ZKEY_MSMS], term;
    pail_u256 by[] = {blinding->s, blinding->r}; /* of A and B1 */
    _Static_assert(PAIL_ZKEY_B1 == PAIL_ZKEY_A + 1, "they are multiplied together");
    pail_status status = PAIL_OK;
    for (enum pail_zkey_msm i = 0; i < PAIL_ZKEY_MSMS && status == PAIL_OK; i++) {
        if (!add_parts(&sums[i], pail_zkey_msm_group(i) == PAIL_G2 ? g2 : g1, results, n_parts, i))
            status = pail_report(error, error_cap, PAIL_ERR_INTERNAL,
                                 "%s: the result of the multiplication %s is no point",
                                 key->backend->name, pail_zkey_msm_name(i));
    }
    if (status == PAIL_OK) {
        pail_point *const a = &sums[PAIL_ZKEY_A], *const b1 = &sums[PAIL_ZKEY_B1],
                          *const b2 = &sums[PAIL_ZKEY_B2], *const c = &sums[PAIL_ZKEY_C];
        if (key->form == PAIL_KEY_PARAMS) {
            pail_u256 factor; /* (r - 1) / 2, which is -1 / 2 */
            halve(&factor, &g1->order);
            g1->mul(&sums[PAIL_ZKEY_H], &sums[PAIL_ZKEY_H], &factor);
        }
        add_header(a, g1, key, PAIL_ZKEY_ALPHA1);
        g1->add(a, a, &blinding->r_delta1);
        add_header(b1, g1, key, PAIL_ZKEY_BETA1);
        add_header(b2, g2, key, PAIL_ZKEY_BETA2);
        g2->add(b2, b2, &blinding->s_delta2);
        g1->add(c, c, &sums[PAIL_ZKEY_H]);
        pail_fold_multiples(pail_fast_known_ops(g1), &term, a, by, 2);
        g1->add(c, c, &term);
        *proof = (pail_groth16_proof){.struct_size = sizeof(*proof), .curve = key->curve};
        encode(proof->a, g1, a);
        encode(proof->b, g2, b2);
        encode(proof->c, g1, c);
    }
    pail_wipe(sums, sizeof(sums));
    pail_wipe(by, sizeof(by));
    pail_wipe(&term, sizeof(term));
    pail_wipe_stack(); /* of multiplications by r and s */
    return status;
}
