/* SPDX-License-Identifier: Apache-2.0 */
#include "groth16_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "proof_json.h"
#include "report.h"
#include <curves/curve_ops.h>

enum { SCALAR_BYTES = 32, PLACE_CHARS = 64, INTEGER_CHARS = 24, ELEMENTS = 3 };

/* The place that sentences go to, and their beginning. */
struct reader {
    const char *name;
    char *error;
    size_t error_cap;
};

/* ---- Numbers ---- */

/* Reads a number below 2^(8 n). The sentence calls it `place`. */
static pail_status read_number(uint8_t *bytes, size_t n, const json_t *value, const char *place,
                               const struct reader *reader)
{
    char digits[INTEGER_CHARS];
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    memset(bytes, 0, n);
    if (json_is_integer(value)) {
        length = (size_t)snprintf(digits, sizeof(digits), "%lld", json_integer_value(value));
        text = digits;
    }
    if (!text)
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s is not a string of decimal digits", reader->name, place);
    switch (pail_decimal_read(bytes, n, text, length)) {
    case PAIL_DECIMAL_OK:
        break;
    case PAIL_DECIMAL_NO_NUMBER:
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s is \"%s\", which is no decimal number", reader->name, place,
                           text);
    case PAIL_DECIMAL_TOO_LARGE:
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s has more than %zu bits", reader->name, place, 8 * n);
    }
    return PAIL_OK;
}

static pail_status expect_array(const json_t *value, size_t n, const char *place,
                                const struct reader *reader)
{
    if (json_is_array(value) && json_array_size(value) == n)
        return PAIL_OK;
    return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                       "%s: %s is not an array of %zu", reader->name, place, n);
}

/* Reads an element of the field of coordinates: coordinate_bytes, c0 before c1. */
static pail_status read_element(uint8_t *bytes, const struct pail_curve_ops *ops,
                                const json_t *value, const char *place, const struct reader *reader)
{
    if (ops->group == PAIL_G1)
        return read_number(bytes, ops->coordinate_bytes, value, place, reader);
    const size_t half = ops->coordinate_bytes / 2;
    pail_status status = expect_array(value, 2, place, reader);
    for (size_t i = 0; status == PAIL_OK && i < 2; i++) {
        char part[PLACE_CHARS + 8];
        (void)snprintf(part, sizeof(part), "%s[%zu]", place, i);
        status = read_number(bytes + i * half, half, json_array_get(value, i), part, reader);
    }
    return status;
}

static bool is_small(const uint8_t *bytes, size_t n, uint8_t value)
{
    size_t i = 1;
    while (i < n && bytes[i] == 0)
        i++;
    return i == n && bytes[0] == value;
}

/* point: [2 * coordinate_bytes], canonical. */
static pail_status read_point(uint8_t *point, const struct pail_curve_ops *ops, const json_t *value,
                              const char *place, const struct reader *reader)
{
    const size_t width = ops->coordinate_bytes;
    uint8_t elements[ELEMENTS * PAIL_COORDINATE_MAX];
    pail_affine affine;
    pail_status status = expect_array(value, ELEMENTS, place, reader);
    for (size_t i = 0; status == PAIL_OK && i < ELEMENTS; i++) {
        char element[PLACE_CHARS];
        (void)snprintf(element, sizeof(element), "%s[%zu]", place, i);
        status = read_element(elements + i * width, ops, json_array_get(value, i), element, reader);
    }
    if (status != PAIL_OK)
        return status;
    const uint8_t *const x = elements, *const y = elements + width, *const z = y + width;
    if (is_small(z, width, 0) && is_small(x, width, 0) && is_small(y, width, 1)) {
        memset(point, 0, 2 * width);
        return PAIL_OK;
    }
    if (!is_small(z, width, 1))
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s[2] is neither 1 nor, after 0 and 1, 0", reader->name, place);
    if (!ops->decode(&affine, elements, false))
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s has a coordinate that is not below the modulus, of %s",
                           reader->name, place, ops->curve_name);
    /* Its bytes would read as infinity. */
    if (ops->affine_is_infinity(&affine))
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s is (0, 0), which is not on the curve", reader->name, place);
    memcpy(point, elements, 2 * width);
    return PAIL_OK;
}

/* ---- Members ---- */

static pail_status find(const json_t **value, const json_t *root, const char *key,
                        const struct reader *reader)
{
    *value = json_object_get(root, key);
    if (*value)
        return PAIL_OK;
    return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                       json_is_object(root) ? "%s: there is no \"%s\""
                                            : "%s: is no object with \"%s\"",
                       reader->name, key);
}

static pail_status find_point(uint8_t *point, uint32_t curve, uint32_t group, const json_t *root,
                              const char *key, const struct reader *reader)
{
    const json_t *value;
    const pail_status status = find(&value, root, key, reader);
    return status != PAIL_OK ? status
                             : read_point(point, pail_curve_ops(curve, group), value, key, reader);
}

static pail_status find_text(const char **text, const json_t *root, const char *key,
                             const struct reader *reader)
{
    const json_t *value;
    const pail_status status = find(&value, root, key, reader);
    *text = json_string_value(value);
    if (status == PAIL_OK && !*text)
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: %s is not a string", reader->name, key);
    return status;
}

static pail_status check_protocol(const json_t *root, const struct reader *reader)
{
    const char *protocol;
    const pail_status status = find_text(&protocol, root, "protocol", reader);
    if (status == PAIL_OK && strcmp(protocol, "groth16") != 0)
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: protocol is \"%s\", but only \"groth16\" can be verified",
                           reader->name, protocol);
    return status;
}

static pail_status find_curve(uint32_t *curve, const json_t *root, const struct reader *reader)
{
    static const struct {
        const char *name;
        uint32_t curve;
    } names[] = {{"bn128", PAIL_CURVE_BN254},
                 {"bn254", PAIL_CURVE_BN254},
                 {"bls12381", PAIL_CURVE_BLS12_381}};
    const char *name;
    const pail_status status = find_text(&name, root, "curve", reader);
    if (status != PAIL_OK)
        return status;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i].name, name) == 0) {
            *curve = names[i].curve;
            return PAIL_OK;
        }
    }
    return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                       "%s: curve is \"%s\", which is neither \"bn128\" nor \"bls12381\"",
                       reader->name, name);
}

/* ---- Files ---- */

static pail_status read_ic(struct pail_verifying_key *key, const json_t *root,
                           const struct reader *reader)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(key->key.curve, PAIL_G1);
    const json_t *points;
    const json_t *const claimed = json_object_get(root, "nPublic");
    pail_status status = find(&points, root, "IC", reader);
    if (status != PAIL_OK)
        return status;
    if (!json_is_array(points) || json_array_size(points) == 0)
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: IC is not an array of one or more points", reader->name);
    const uint64_t n_public = json_array_size(points) - 1;
    if (claimed &&
        (!json_is_integer(claimed) || json_integer_value(claimed) != (json_int_t)n_public))
        return pail_report(reader->error, reader->error_cap, PAIL_ERR_DATA,
                           "%s: nPublic is not %" PRIu64 ", but IC has %zu points", reader->name,
                           n_public, json_array_size(points));
    status =
        pail_verifying_key_reserve(key, reader->name, n_public, reader->error, reader->error_cap);
    for (size_t i = 0; status == PAIL_OK && i <= n_public; i++) {
        char place[PLACE_CHARS];
        (void)snprintf(place, sizeof(place), "IC[%zu]", i);
        status = read_point(key->ic + i * 2 * ops->coordinate_bytes, ops, json_array_get(points, i),
                            place, reader);
    }
    return status;
}

pail_status pail_verifying_key_of_json(struct pail_verifying_key *key, const json_t *root,
                                       const char *name, char *error, size_t error_cap)
{
    const struct reader reader = {name, error, error_cap};
    struct pail_verifying_key made = {.key = {.struct_size = sizeof(made.key)}};
    *key = (struct pail_verifying_key){0};
    pail_status status = check_protocol(root, &reader);
    if (status == PAIL_OK)
        status = find_curve(&made.key.curve, root, &reader);
    const struct {
        const char *key;
        uint8_t *to;
        uint32_t group;
    } points[] = {{"vk_alpha_1", made.key.alpha1, PAIL_G1},
                  {"vk_beta_2", made.key.beta2, PAIL_G2},
                  {"vk_gamma_2", made.key.gamma2, PAIL_G2},
                  {"vk_delta_2", made.key.delta2, PAIL_G2}};
    for (size_t i = 0; status == PAIL_OK && i < sizeof(points) / sizeof(points[0]); i++)
        status =
            find_point(points[i].to, made.key.curve, points[i].group, root, points[i].key, &reader);
    if (status == PAIL_OK)
        status = read_ic(&made, root, &reader);
    if (status == PAIL_OK)
        *key = made;
    else
        pail_verifying_key_free(&made);
    return status;
}

pail_status pail_proof_of_json(pail_groth16_proof *proof, uint32_t curve, const json_t *root,
                               const char *name, char *error, size_t error_cap)
{
    const struct reader reader = {name, error, error_cap};
    pail_groth16_proof made = {.struct_size = sizeof(made), .curve = curve};
    uint32_t claimed = curve;
    *proof = (pail_groth16_proof){0};
    pail_status status = check_protocol(root, &reader);
    if (status == PAIL_OK && json_object_get(root, "curve"))
        status = find_curve(&claimed, root, &reader);
    if (status == PAIL_OK && claimed != curve)
        status = pail_report(error, error_cap, PAIL_ERR_DATA,
                             "%s: curve is \"%s\", but that of the key is \"%s\"", name,
                             pail_snarkjs_curve_name(claimed), pail_snarkjs_curve_name(curve));
    if (status == PAIL_OK)
        status = find_point(made.a, curve, PAIL_G1, root, "pi_a", &reader);
    if (status == PAIL_OK)
        status = find_point(made.b, curve, PAIL_G2, root, "pi_b", &reader);
    if (status == PAIL_OK)
        status = find_point(made.c, curve, PAIL_G1, root, "pi_c", &reader);
    if (status == PAIL_OK)
        *proof = made;
    return status;
}

pail_status pail_publics_of_json(uint8_t **publics, uint64_t *n_public, const json_t *root,
                                 const char *name, char *error, size_t error_cap)
{
    const struct reader reader = {name, error, error_cap};
    *publics = NULL;
    *n_public = 0;
    if (!json_is_array(root))
        return pail_report(error, error_cap, PAIL_ERR_DATA, "%s: is no array of numbers", name);
    const size_t n = json_array_size(root);
    uint8_t *const made = calloc(n + 1, SCALAR_BYTES);
    if (!made)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                           "%s: no memory for %zu public values", name, n);
    pail_status status = PAIL_OK;
    for (size_t i = 0; status == PAIL_OK && i < n; i++) {
        char place[PLACE_CHARS];
        (void)snprintf(place, sizeof(place), "[%zu]", i);
        status = read_number(made + i * SCALAR_BYTES, SCALAR_BYTES, json_array_get(root, i), place,
                             &reader);
    }
    if (status != PAIL_OK) {
        free(made);
        return status;
    }
    *publics = made;
    *n_public = n;
    return PAIL_OK;
}
