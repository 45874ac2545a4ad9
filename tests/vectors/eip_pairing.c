/* SPDX-License-Identifier: Apache-2.0 */
/* The pairing cases of EIP-197 and EIP-2537: those of tests/data, or of the folder PAIL_TEST_DATA,
 * which is laid out the same. */
#include "eip_cases.h"
#include "support/test.h"
#include <pail/encoding.h>

#include <curves/pairing.h>

enum { POINT_BYTES_MAX = 192, PAIRS_MAX = 64 };

struct input {
    size_t n;
    pail_affine p[PAIRS_MAX], q[PAIRS_MAX];
};

/* The point of a pair that begins at `encoded`, as the library decodes it. */
static pail_status decode(pail_affine *affine, uint32_t curve, uint32_t group, uint32_t form,
                          const uint8_t *encoded, char *error, size_t error_cap)
{
    const pail_point_format format = SIZED(pail_point_format, .curve = curve, .group = group,
                                           .form = form, .validation = PAIL_VALIDATE_SUBGROUP);
    uint8_t point[POINT_BYTES_MAX];
    const pail_status status = pail_points_decode(point, NULL, &format, encoded,
                                                  pail_point_bytes(&format), 1, error, error_cap);
    if (status == PAIL_OK) {
        const struct pail_curve_ops *const ops = pail_curve_ops(curve, group);
        assert_true(ops->decode(affine, point, false));
        assert_true(pail_pairing_point_is_valid(ops, affine));
    }
    return status;
}

static pail_status read_input(struct input *input, uint32_t curve, uint32_t form,
                              const struct eip_case *one, char *error, size_t error_cap)
{
    const pail_point_format of_g1 =
        SIZED(pail_point_format, .curve = curve, .group = PAIL_G1, .form = form);
    const size_t g1_bytes = pail_point_bytes(&of_g1), pair_bytes = 3 * g1_bytes;
    input->n = one->input_bytes / pair_bytes;
    assert_true(input->n <= PAIRS_MAX && one->input_bytes % pair_bytes == 0);
    pail_status status = PAIL_OK;
    for (size_t i = 0; status == PAIL_OK && i < input->n; i++) {
        const uint8_t *const pair = one->input + i * pair_bytes;
        status = decode(&input->p[i], curve, PAIL_G1, form, pair, error, error_cap);
        if (status == PAIL_OK)
            status = decode(&input->q[i], curve, PAIL_G2, form, pair + g1_bytes, error, error_cap);
    }
    return status;
}

/* The tables take points without gaps. */
static bool are_one(const struct input *input, uint32_t curve)
{
    const size_t p_bytes = pail_curve_ops(curve, PAIL_G1)->affine_bytes;
    const size_t q_bytes = pail_curve_ops(curve, PAIL_G2)->affine_bytes;
    uint64_t p[PAIRS_MAX * PAIL_AFFINE_LIMBS_MAX], q[PAIRS_MAX * PAIL_AFFINE_LIMBS_MAX];
    for (size_t i = 0; i < input->n; i++) {
        memcpy((uint8_t *)p + i * p_bytes, &input->p[i], p_bytes);
        memcpy((uint8_t *)q + i * q_bytes, &input->q[i], q_bytes);
    }
    return pail_pairing_ops(curve)->are_one(p, q, input->n);
}

static struct eip_cases load(const char *name)
{
    const char *const folder = getenv("PAIL_TEST_DATA");
    char path[4096];
    assert_true(snprintf(path, sizeof(path), "%s/%s",
                         folder == NULL || folder[0] == '\0' ? PAIL_TEST_DATA_DEFAULT : folder,
                         name) < (int)sizeof(path));
    const struct eip_cases cases = eip_cases_load(path);
    if (cases.count == 0)
        fail_msg("%s: no cases", path);
    return cases;
}

static void answers(const char *name, uint32_t curve, uint32_t form)
{
    static struct input input;
    struct eip_cases cases = load(name);
    for (size_t i = 0; i < cases.count; i++) {
        const struct eip_case *const one = &cases.one[i];
        char error[512];
        if (read_input(&input, curve, form, one, error, sizeof(error)) != PAIL_OK)
            fail_msg("%s: %s", one->name, error);
        uint8_t got[32] = {0};
        got[31] = are_one(&input, curve);
        if (one->expected_bytes != sizeof(got) || memcmp(got, one->expected, sizeof(got)) != 0)
            fail_msg("%s: another result", one->name);
    }
    eip_cases_free(&cases);
}

PAIL_TEST(eip_197)
{
    answers("eip-196/bn256Pairing.json", PAIL_CURVE_BN254, PAIL_POINT_EIP196);
}

PAIL_TEST(eip_2537)
{
    answers("eip-2537/pairing_check_bls.json", PAIL_CURVE_BLS12_381, PAIL_POINT_EIP2537);
}

/* Inputs that must not be paired. Lengths are the business of a precompile. */
PAIL_TEST(faults)
{
    static struct input input;
    static const char *const words[][2] = {
        {"invalid fp.Element encoding", "not below the modulus"},
        {"invalid field element top bytes", "the top 16 bytes of "},
        {"not on curve", " not on "},
        {"not in the correct subgroup", "not in the subgroup"},
    };
    size_t seen = 0;
    struct eip_cases cases = load("eip-2537/fail-pairing_check_bls.json");
    for (size_t i = 0; i < cases.count; i++) {
        const struct eip_case *const one = &cases.one[i];
        if (strstr(one->fault, "invalid input length") != NULL)
            continue;
        char error[512] = "";
        assert_int_equal(
            read_input(&input, PAIL_CURVE_BLS12_381, PAIL_POINT_EIP2537, one, error, sizeof(error)),
            PAIL_ERR_DATA);
        size_t row = 0;
        while (row < sizeof(words) / sizeof(words[0]) &&
               (strstr(one->fault, words[row][0]) == NULL || strstr(error, words[row][1]) == NULL))
            row++;
        if (row == sizeof(words) / sizeof(words[0]))
            fail_msg("%s: \"%s\" for \"%s\"", one->name, error, one->fault);
        seen++;
    }
    assert_true(seen >= 6);
    eip_cases_free(&cases);
}
