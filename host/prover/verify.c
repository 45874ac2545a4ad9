/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/pairing.h>
#include <formats/proof_json.h>
#include <formats/report.h>

enum { SCALAR_BYTES = 32, NAME_CHARS = 32, PAIRS = 4, FIELDS = 4, TEST_FROM = 4, OF_PROOF = 3 };

/* The coordinates of a point as hexadecimal numbers, those of two parts with the real one first. */
static void point_text(char *text, size_t chars, const struct pail_curve_ops *ops,
                       const uint8_t *bytes)
{
    const size_t parts = ops->group == PAIL_G2 ? 2 : 1, width = ops->coordinate_bytes / parts;
    size_t used = 0;
    for (size_t field = 0; field < 2 * parts; field++) {
        const uint8_t *const number = bytes + field * width;
        size_t digits = 2 * width;
        used += (size_t)snprintf(text + used, chars - used, "%s0x", field > 0 ? ", " : "");
        while (digits > 1 && (number[(digits - 1) / 2] >> 4 * ((digits - 1) % 2) & 15) == 0)
            digits--;
        while (digits-- > 0)
            used += (size_t)snprintf(text + used, chars - used, "%x",
                                     number[digits / 2] >> 4 * (digits % 2) & 15);
    }
}

/* Decodes a point of a key or of a proof and checks it; The sentence calls it `file` and `name`. */
static pail_status read_point(void *affine, const struct pail_curve_ops *ops, const uint8_t *bytes,
                              bool of_key, const char *file, const char *name, char *error,
                              size_t error_cap)
{
    const char *fault = NULL;
    if (!ops->decode(affine, bytes, false))
        fault = "has a coordinate that is not below the modulus";
    else if (!ops->on_curve(affine))
        fault = "is not on the curve";
    else if (!(of_key ? pail_pairing_key_point_is_valid : pail_pairing_point_is_valid)(ops, affine))
        fault = "is not in the subgroup of order r";
    if (!fault)
        return PAIL_OK;
    char numbers[FIELDS * (2 * PAIL_COORDINATE_MAX + 8)];
    point_text(numbers, sizeof(numbers), ops, bytes);
    return pail_report(error, error_cap, PAIL_ERR_DATA, "%s: %s %s, of %s: (%s)", file, name, fault,
                       ops->curve_name, numbers);
}

static pail_status read_publics(pail_u256 *scalars, const struct pail_curve_ops *ops,
                                const uint8_t *publics, size_t n, const char *file, char *error,
                                size_t error_cap)
{
    for (size_t i = 0; i < n; i++) {
        pail_u256 reduced;
        pail_u256_from_bytes(&scalars[i], publics + i * SCALAR_BYTES);
        ops->scalar_reduce(&reduced, &scalars[i]);
        if (memcmp(&reduced, &scalars[i], sizeof(reduced)) != 0)
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: public value %zu is not below the order r of %s", file, i,
                               ops->curve_name);
    }
    return PAIL_OK;
}

/* sum = IC_0 + sum of scalars[i] IC_(i + 1): all scalars bit by bit together, so that they share
 * the doublings. points: [(n + 1) * ops->affine_bytes]. */
static void add_up(void *sum, const struct pail_curve_ops *ops, const uint8_t *points,
                   const pail_u256 *scalars, size_t n)
{
    const pail_affine infinity = {{0}};
    pail_point total;
    ops->from_affine(&total, &infinity);
    for (size_t bit = ops->order_bits; n > 0 && bit-- > 0;) {
        ops->dbl(&total, &total);
        for (size_t i = 0; i < n; i++)
            if (scalars[i].l[bit / 64] >> (bit % 64) & 1)
                ops->add_affine(&total, &total, points + (i + 1) * ops->affine_bytes);
    }
    ops->add_affine(&total, &total, points);
    ops->to_affine(sum, &total);
}

/* The point of G1 that is paired with gamma. scratch: room for n scalars and n + 1 points. */
static pail_status fold_publics(void *sum, const pail_groth16_verifying_key *key,
                                const uint8_t *publics, size_t n,
                                const struct pail_verify_names *names, pail_u256 *scalars,
                                uint8_t *points, char *error, size_t error_cap)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(key->curve, PAIL_G1);
    pail_status status = read_publics(scalars, ops, publics, n, names->publics, error, error_cap);
    for (size_t i = 0; status == PAIL_OK && i <= n; i++) {
        char name[NAME_CHARS];
        (void)snprintf(name, sizeof(name), "IC[%zu]", i);
        status =
            read_point(points + i * ops->affine_bytes, ops, key->ic + i * 2 * ops->coordinate_bytes,
                       true, names->key, name, error, error_cap);
    }
    if (status == PAIL_OK)
        add_up(sum, ops, points, scalars, n);
    return status;
}

static pail_status check_agreement(const pail_groth16_verifying_key *key,
                                   const pail_groth16_proof *proof, uint64_t n_public,
                                   const struct pail_verify_names *names, char *error,
                                   size_t error_cap)
{
    if (proof->curve != key->curve)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: the proof is of curve %s, but the key, %s, of %s", names->proof,
                           pail_snarkjs_curve_name(proof->curve), names->key,
                           pail_snarkjs_curve_name(key->curve));
    if (n_public != key->n_public)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: there are %" PRIu64 " public values, but the key, %s, is for "
                           "%" PRIu64,
                           names->publics, n_public, names->key, key->n_public);
    return PAIL_OK;
}

/* The fast pairing is tested once, which takes as long as is won in five verifications. */
static const struct pail_pairing_ops *pairing_for(uint32_t curve)
{
    static atomic_uint verified; /* by the plain one */
    if (atomic_load(&verified) >= TEST_FROM)
        return pail_pairing_fast(curve);
    atomic_fetch_add(&verified, 1);
    return pail_pairing_ops(curve);
}

/* Checks that e(-A, B) e(alpha, beta) e(publics, gamma) e(C, delta) is 1, which is the equation
 * with all of it on one side. */
static pail_status check_equation(bool *valid, const pail_groth16_verifying_key *key,
                                  const pail_groth16_proof *proof, const uint8_t *publics,
                                  const struct pail_verify_names *names, pail_u256 *scalars,
                                  uint8_t *points, char *error, size_t error_cap)
{
    const struct pail_curve_ops *const g1 = pail_curve_ops(key->curve, PAIL_G1);
    const struct pail_curve_ops *const g2 = pail_curve_ops(key->curve, PAIL_G2);
    uint64_t p[PAIRS * PAIL_AFFINE_LIMBS_MAX], q[PAIRS * PAIL_AFFINE_LIMBS_MAX];
    const struct {
        const struct pail_curve_ops *ops;
        uint64_t *to;
        const uint8_t *bytes;
        const char *file, *name;
    } rows[] = {
        {g1, p, proof->a, names->proof, "pi_a"},
        {g2, q, proof->b, names->proof, "pi_b"},
        {g1, p + 3 * (g1->affine_bytes / 8), proof->c, names->proof, "pi_c"},
        {g1, p + 1 * (g1->affine_bytes / 8), key->alpha1, names->key, "alpha1"},
        {g2, q + 1 * (g2->affine_bytes / 8), key->beta2, names->key, "beta2"},
        {g2, q + 2 * (g2->affine_bytes / 8), key->gamma2, names->key, "gamma2"},
        {g2, q + 3 * (g2->affine_bytes / 8), key->delta2, names->key, "delta2"},
    };
    pail_status status = PAIL_OK;
    for (size_t i = 0; status == PAIL_OK && i < sizeof(rows) / sizeof(rows[0]); i++)
        status = read_point(rows[i].to, rows[i].ops, rows[i].bytes, i >= OF_PROOF, rows[i].file,
                            rows[i].name, error, error_cap);
    if (status == PAIL_OK)
        status = fold_publics(p + 2 * (g1->affine_bytes / 8), key, publics, (size_t)key->n_public,
                              names, scalars, points, error, error_cap);
    if (status == PAIL_OK) {
        g1->affine_neg(p, p);
        *valid = pairing_for(key->curve)->are_one(p, q, PAIRS);
    }
    return status;
}

pail_status pail_verify(bool *valid, const pail_groth16_verifying_key *key,
                        const pail_groth16_proof *proof, const uint8_t *publics, uint64_t n_public,
                        const struct pail_verify_names *names, char *error, size_t error_cap)
{
    *valid = false;
    pail_status status = check_agreement(key, proof, n_public, names, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const size_t n = (size_t)n_public;
    pail_u256 *const scalars = calloc(n + 1, sizeof(*scalars));
    uint8_t *const points = calloc(n + 1, sizeof(pail_affine));
    if (!scalars || !points)
        status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                             "no memory for %zu public values", n);
    else
        status =
            check_equation(valid, key, proof, publics, names, scalars, points, error, error_cap);
    free(points);
    free(scalars);
    return status;
}
