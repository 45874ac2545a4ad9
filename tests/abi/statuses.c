/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of <pail/pail.h> that need no backend: names of statuses, version, roots of unity. */

#include "support/test.h"

#include <curves/curve_ops.h>
#include <pail/pail.h>

PAIL_TEST(names_of_statuses)
{
    assert_string_equal(pail_status_name(PAIL_OK), "PAIL_OK");
    assert_string_equal(pail_status_name(PAIL_ERR_DEVICE_LOST), "PAIL_ERR_DEVICE_LOST");
    assert_string_equal(pail_status_name((pail_status)12345), "unknown status");
    assert_string_equal(pail_version(), PAIL_TEST_VERSION);
    assert_int_equal(PAIL_STATUS_KIND(PAIL_OK), PAIL_KIND_OK);
    assert_int_equal(PAIL_STATUS_KIND(PAIL_NOT_READY), PAIL_KIND_OK);
    assert_int_equal(PAIL_STATUS_KIND(PAIL_ERR_ABI), PAIL_KIND_CALLER);
    assert_int_equal(PAIL_STATUS_KIND(PAIL_ERR_INTERNAL), PAIL_KIND_WORLD);
}

/* Roots of the greatest order, as ffjavascript computes them: 5^((r - 1) / 2^s). Python's pow wrote
 * the bytes. */
static const struct {
    uint32_t curve, s;
    const char *root;
} fields[] = {
    {PAIL_CURVE_BN254, 28,
     "\xf0\x19\x5b\x72\x6e\x1b\xd6\x9b\xd4\x2e\x11\x41\x1e\x11\x2d\x40"
     "\xbc\x2a\xf6\x8e\xeb\xa7\xe0\x00\x85\x7e\x8a\xa5\xf0\x09\x3c\x2a"},
    {PAIL_CURVE_BLS12_381, 32,
     "\x1f\x2f\x91\x0b\x50\x8f\x78\x1b\x94\xe0\xb3\x70\xf2\x4f\x02\xc4"
     "\xc0\xd6\x68\xd1\xc8\x6d\xd5\x0f\x6f\x6b\x41\x5b\x9e\xd7\x12\x02"},
};

PAIL_TEST(roots_of_unity)
{
    const uint8_t zeros[PAIL_SCALAR_BYTES] = {0};
    uint8_t root[PAIL_SCALAR_BYTES];
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        const struct pail_curve_ops *ops = pail_curve_ops(fields[i].curve, PAIL_G1);
        pail_u256 expected;
        pail_u256_from_bytes(&expected, (const uint8_t *)fields[i].root);
        for (uint32_t log_n = fields[i].s;; log_n--) {
            uint8_t bytes[PAIL_SCALAR_BYTES];
            pail_u256_to_bytes(bytes, &expected);
            assert_int_equal(pail_root_of_unity(root, fields[i].curve, log_n), PAIL_OK);
            assert_memory_equal(root, bytes, sizeof root);
            if (log_n == 0)
                break;
            ops->scalar_mul(&expected, &expected, &expected);
            if (log_n == 1) /* -1, so that the order is no smaller */
                assert_true(root[0] != 1);
        }
        assert_memory_equal(root, ((const uint8_t[PAIL_SCALAR_BYTES]){1}), sizeof root);
        assert_int_equal(pail_root_of_unity(root, fields[i].curve, fields[i].s + 1),
                         PAIL_ERR_ARGUMENT);
        assert_memory_equal(root, zeros, sizeof root);
        memset(root, 1, sizeof root);
        assert_int_equal(pail_root_of_unity(root, fields[i].curve, UINT32_MAX), PAIL_ERR_ARGUMENT);
        assert_memory_equal(root, zeros, sizeof root);
        assert_int_equal(pail_root_of_unity(NULL, fields[i].curve, 3), PAIL_ERR_ARGUMENT);
    }
    memset(root, 1, sizeof root);
    assert_int_equal(pail_root_of_unity(root, 0, 3), PAIL_ERR_ARGUMENT);
    assert_memory_equal(root, zeros, sizeof root);
}
