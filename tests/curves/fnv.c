/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a against the test vectors of draft-eastlake-fnv. */
#include <curves/fnv.h>

#include "support/test.h"

PAIL_TEST(published_values)
{
    assert_int_equal(pail_fnv1a64("", 0), 0xcbf29ce484222325);
    assert_int_equal(pail_fnv1a64("a", 1), 0xaf63dc4c8601ec8c);
    assert_int_equal(pail_fnv1a64("foobar", 6), 0x85944171f73967e8);
    assert_int_equal(pail_fnv1a64("foobar", 7), 0x34531ca7168b8f38); /* with its final zero */
}

PAIL_TEST(parts_are_the_whole)
{
    const char text[] = "chongo was here!";
    const size_t n = strlen(text);
    for (size_t cut = 0; cut <= n; cut++) {
        assert_int_equal(pail_fnv1a64_more(pail_fnv1a64(text, cut), text + cut, n - cut),
                         pail_fnv1a64(text, n));
    }
}
