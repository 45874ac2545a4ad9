/* SPDX-License-Identifier: Apache-2.0 */
/* Code that fails its self-test is not taken. In a program of its own, for a process asks only
 * once. */
#include "support/test.h"
#include <curves/fast.h>

static bool never(const pail_point *p, const pail_point *q)
{
    (void)p;
    (void)q;
    return false;
}

PAIL_TEST(falls_back)
{
    for (uint32_t i = 0; i < 4; i++) {
        const struct pail_curve_ops *ops = pail_curve_ops(1 + i / 2, 1 + i % 2);
        struct pail_curve_ops doubtful = *ops; /* with it, nothing passes */
        doubtful.equal = never;
        for (int round = 0; round < 2; round++) {
            bool failed = false;
            assert_ptr_equal(pail_fast_ops(&doubtful, &failed), &doubtful);
            assert_int_equal(failed, pail_fast_has_adx());
        }
        assert_ptr_equal(pail_fast_ops(ops, NULL), ops); /* the test's end is kept */
    }
}
