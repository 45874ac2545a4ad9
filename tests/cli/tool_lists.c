/* SPDX-License-Identifier: Apache-2.0 */
/* tools/pail/options/lists: numbers, ranges, powers of two. */
#include "support/test.h"

#include <options/number.h>

static struct pail_list list;

static void expect(const char *text, enum pail_range range, const uint64_t *values, size_t n)
{
    if (!pail_list_parse(&list, text, range))
        fail_msg("\"%s\" is refused", text);
    if (list.n != n)
        fail_msg("\"%s\" has %zu values", text, list.n);
    for (size_t i = 0; i < n; i++)
        if (list.values[i] != values[i])
            fail_msg("\"%s\": value %zu is %llu", text, i, (unsigned long long)list.values[i]);
}
#define EXPECT(text, range, ...)                                                                   \
    expect(text, range, (const uint64_t[]){__VA_ARGS__},                                           \
           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

PAIL_TEST(good)
{
    EXPECT("1000", PAIL_RANGE_LOG2, 1000);
    EXPECT("10", PAIL_RANGE_LOG2, 10);
    EXPECT("2^16,0x10,3", PAIL_RANGE_LOG2, 65536, 16, 3);
    EXPECT("3..5", PAIL_RANGE_LOG2, 8, 16, 32);
    EXPECT("3..5", PAIL_RANGE_EACH, 3, 4, 5);
    EXPECT("2^3..2^5", PAIL_RANGE_LOG2, 8, 16, 32);
    EXPECT("2^3..2^5", PAIL_RANGE_EACH, 8, 16, 32);
    EXPECT("3..9..3", PAIL_RANGE_EACH, 3, 6, 9);
    EXPECT("3..8..3", PAIL_RANGE_EACH, 3, 6);
    EXPECT("5..3", PAIL_RANGE_EACH, 5, 4, 3);
    EXPECT("1..0", PAIL_RANGE_EACH, 1, 0);
    EXPECT("4..4", PAIL_RANGE_EACH, 4);
    EXPECT("2^0..2^4..2,7,1..2", PAIL_RANGE_EACH, 1, 4, 16, 7, 1, 2);
    EXPECT("63..63", PAIL_RANGE_LOG2, UINT64_C(1) << 63);
    EXPECT("18446744073709551614..18446744073709551615", PAIL_RANGE_EACH, UINT64_MAX - 1,
           UINT64_MAX);
    EXPECT("1..256..255", PAIL_RANGE_EACH, 1, 256);
}

PAIL_TEST(bad)
{
    static const char *const texts[] = {"",           ",",
                                        "1,",         ",1",
                                        "x",          "1..",
                                        "..1",        "1..2..",
                                        "1..x",       "1...2",
                                        "1..2..0",    "-1",
                                        "1 ",         "2^3..5",
                                        "3..2^5",     "2^64",
                                        "1..64",      "64..64",
                                        "2^1..2^64",  "1..2..2^1",
                                        "1..2..3..4", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (pail_list_parse(&list, texts[i], PAIL_RANGE_LOG2))
            fail_msg("\"%s\" is taken", texts[i]);
    assert_true(pail_list_parse(&list, "1..256", PAIL_RANGE_EACH));
    assert_int_equal(list.n, PAIL_LIST_MAX);
    assert_false(pail_list_parse(&list, "1..257", PAIL_RANGE_EACH));
}
