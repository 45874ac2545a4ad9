/* SPDX-License-Identifier: Apache-2.0 */
#include "proof_json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "report.h"
#include <curves/curve_ops.h>
#include <curves/pairing.h>

enum { SCALAR_BYTES = 32 };

/* A text that is being written. Characters that do not fit are counted only. */
struct text {
    char *to;
    size_t capacity, length;
    bool indented;    /* items on lines of their own */
    const char *what; /* for sentences */
    size_t depth;
    bool fresh; /* no item yet in the innermost array or object */
};

const char *pail_snarkjs_curve_name(uint32_t curve)
{
    switch (curve) {
    case PAIL_CURVE_BN254:
        return "bn128";
    case PAIL_CURVE_BLS12_381:
        return "bls12381";
    default:
        return NULL;
    }
}

static void append(struct text *text, const char *bytes, size_t n)
{
    if (text->length < text->capacity && n <= text->capacity - text->length)
        memcpy(text->to + text->length, bytes, n);
    text->length += n;
}

static void put_line(struct text *text)
{
    if (!text->indented)
        return;
    append(text, "\n", 1);
    for (size_t i = 0; i < text->depth; i++)
        append(text, " ", 1);
}

static void begin_item(struct text *text)
{
    if (!text->fresh)
        append(text, ",", 1);
    text->fresh = false;
    put_line(text);
}

static void begin(struct text *text, const char *bracket)
{
    append(text, bracket, 1);
    text->depth++;
    text->fresh = true;
}

static void end(struct text *text, const char *bracket)
{
    text->depth--;
    put_line(text);
    append(text, bracket, 1);
    text->fresh = false;
}

static void put_quoted(struct text *text, const char *bytes, size_t n)
{
    append(text, "\"", 1);
    append(text, bytes, n);
    append(text, "\"", 1);
}

static void put_key(struct text *text, const char *key)
{
    begin_item(text);
    put_quoted(text, key, strlen(key));
    append(text, ": ", text->indented ? 2 : 1);
}

static void put_word(struct text *text, const char *key, const char *value)
{
    put_key(text, key);
    put_quoted(text, value, strlen(value));
}

static void put_number(struct text *text, const uint8_t *bytes, size_t n)
{
    char digits[PAIL_DECIMAL_DIGITS_MAX];
    begin_item(text);
    put_quoted(text, digits, pail_decimal_write(digits, bytes, n));
}

/* Writes an element of the field of a group's coordinates: a number, or in G2 an array of two. */
static void put_element(struct text *text, const struct pail_curve_ops *ops, const uint8_t *bytes)
{
    if (ops->group == PAIL_G1) {
        put_number(text, bytes, ops->coordinate_bytes);
        return;
    }
    const size_t half = ops->coordinate_bytes / 2;
    begin_item(text);
    begin(text, "[");
    put_number(text, bytes, half);
    put_number(text, bytes + half, half);
    end(text, "]");
}

/* key: NULL in an array. */
static pail_status put_point(struct text *text, const char *key, uint32_t curve, uint32_t group,
                             const uint8_t *bytes, char *error, size_t error_cap)
{
    static const uint8_t zero[PAIL_COORDINATE_MAX] = {0}, one[PAIL_COORDINATE_MAX] = {1};
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, group);
    pail_affine point;
    if (!ops->decode(&point, bytes, false))
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s of the %s has a coordinate that is not below the modulus of %s",
                           key ? key : "IC", text->what, ops->curve_name);
    const bool infinite = ops->affine_is_infinity(&point);
    if (key)
        put_key(text, key);
    else
        begin_item(text);
    begin(text, "[");
    put_element(text, ops, bytes);
    put_element(text, ops, infinite ? one : bytes + ops->coordinate_bytes);
    put_element(text, ops, infinite ? zero : one);
    end(text, "]");
    return PAIL_OK;
}

static struct text begin_text(char *to, size_t capacity, enum pail_groth16_layout layout)
{
    return (struct text){.to = to,
                         .capacity = capacity,
                         .indented = layout == PAIL_GROTH16_SNARKJS,
                         .what = "proof",
                         .fresh = true};
}

/* Ends the text with a zero byte, if all of it fits; otherwise empties it. */
static pail_status end_text(struct text *text, size_t *length, char *error, size_t error_cap)
{
    *length = text->length;
    if (text->length < text->capacity) {
        text->to[text->length] = '\0';
        return PAIL_OK;
    }
    if (text->capacity == 0)
        return PAIL_OK;
    memset(text->to, 0, text->capacity);
    return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                       "the text takes %zu bytes, its zero byte included, but there is room for "
                       "%zu",
                       text->length + 1, text->capacity);
}

static pail_status fail_text(struct text *text, size_t *length, pail_status status)
{
    *length = 0;
    if (text->capacity > 0)
        memset(text->to, 0, text->capacity);
    return status;
}

pail_status pail_proof_json(char *text, size_t capacity, size_t *length,
                            const pail_groth16_proof *proof, enum pail_groth16_layout layout,
                            char *error, size_t error_cap)
{
    struct text out = begin_text(text, capacity, layout);
    begin(&out, "{");
    pail_status status = put_point(&out, "pi_a", proof->curve, PAIL_G1, proof->a, error, error_cap);
    if (status == PAIL_OK)
        status = put_point(&out, "pi_b", proof->curve, PAIL_G2, proof->b, error, error_cap);
    if (status == PAIL_OK)
        status = put_point(&out, "pi_c", proof->curve, PAIL_G1, proof->c, error, error_cap);
    if (status != PAIL_OK)
        return fail_text(&out, length, status);
    put_word(&out, "protocol", "groth16");
    if (layout == PAIL_GROTH16_SNARKJS)
        put_word(&out, "curve", pail_snarkjs_curve_name(proof->curve));
    end(&out, "}");
    return end_text(&out, length, error, error_cap);
}

pail_status pail_public_json(char *text, size_t capacity, size_t *length, const uint8_t *publics,
                             size_t n_public, enum pail_groth16_layout layout, char *error,
                             size_t error_cap)
{
    struct text out = begin_text(text, capacity, layout);
    begin(&out, "[");
    for (size_t i = 0; i < n_public; i++)
        put_number(&out, publics + i * SCALAR_BYTES, SCALAR_BYTES);
    end(&out, "]");
    return end_text(&out, length, error, error_cap);
}

/* ---- Verification keys ----------------------------------------------------------------------- */

/* e(alpha, beta): an array of two arrays of three arrays of two numbers. */
static pail_status put_pairing(struct text *text, const pail_groth16_verifying_key *key,
                               char *error, size_t error_cap)
{
    const struct pail_curve_ops *const g1 = pail_curve_ops(key->curve, PAIL_G1);
    const struct pail_curve_ops *const g2 = pail_curve_ops(key->curve, PAIL_G2);
    const size_t width = g1->coordinate_bytes;
    uint8_t value[PAIL_PAIRING_BYTES_MAX];
    pail_affine alpha, beta;
    if (!g1->decode(&alpha, key->alpha1, false) || !g2->decode(&beta, key->beta2, false) ||
        !pail_pairing_point_is_valid(g1, &alpha) || !pail_pairing_point_is_valid(g2, &beta))
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "alpha or beta is not in its group, of %s", g1->curve_name);
    pail_pairing_ops(key->curve)->product(value, &alpha, &beta, 1);
    put_key(text, "vk_alphabeta_12");
    begin(text, "[");
    for (size_t i = 0; i < 12; i++) {
        if (i % 6 == 0) {
            begin_item(text);
            begin(text, "[");
        }
        if (i % 2 == 0)
            put_element(text, g2, value + i * width);
        if (i % 6 == 5)
            end(text, "]");
    }
    end(text, "]");
    return PAIL_OK;
}

pail_status pail_verifying_key_json(char *text, size_t capacity, size_t *length,
                                    const pail_groth16_verifying_key *key, char *error,
                                    size_t error_cap)
{
    const struct {
        const char *name;
        const uint8_t *bytes;
        uint32_t group;
    } points[] = {{"vk_alpha_1", key->alpha1, PAIL_G1},
                  {"vk_beta_2", key->beta2, PAIL_G2},
                  {"vk_gamma_2", key->gamma2, PAIL_G2},
                  {"vk_delta_2", key->delta2, PAIL_G2}};
    const size_t point_bytes = 2 * pail_curve_ops(key->curve, PAIL_G1)->coordinate_bytes;
    struct text out = begin_text(text, capacity, PAIL_GROTH16_SNARKJS);
    char digits[24];
    out.what = "key";
    begin(&out, "{");
    put_word(&out, "protocol", "groth16");
    put_word(&out, "curve", pail_snarkjs_curve_name(key->curve));
    put_key(&out, "nPublic");
    append(&out, digits, (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, key->n_public));
    pail_status status = PAIL_OK;
    for (size_t i = 0; status == PAIL_OK && i < sizeof(points) / sizeof(points[0]); i++)
        status = put_point(&out, points[i].name, key->curve, points[i].group, points[i].bytes,
                           error, error_cap);
    if (status == PAIL_OK)
        status = put_pairing(&out, key, error, error_cap);
    put_key(&out, "IC");
    begin(&out, "[");
    for (uint64_t i = 0; status == PAIL_OK && i <= key->n_public; i++)
        status = put_point(&out, NULL, key->curve, PAIL_G1,
                           (const uint8_t *)key->ic + i * point_bytes, error, error_cap);
    end(&out, "]");
    end(&out, "}");
    return status == PAIL_OK ? end_text(&out, length, error, error_cap)
                             : fail_text(&out, length, status);
}
