/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words: what is between commas, and nothing that only begins or ends alike. */
#include <platform/text.h>

#include "support/test.h"

PAIL_TEST(one_after_the_other)
{
    static const char *const wanted[] = {"sync", "", "nocache"};
    const char *list = "sync,,nocache,";
    size_t length;
    for (size_t i = 0; i < 3; i++) {
        const char *const word = pail_words_next(&list, &length);
        assert_non_null(word);
        assert_true(pail_words_equal(word, length, wanted[i]));
    }
    assert_null(pail_words_next(&list, &length));
    assert_int_equal(length, 0);
    list = NULL;
    assert_null(pail_words_next(&list, &length));
}

PAIL_TEST(what_it_has)
{
    assert_true(pail_words_have("nocache", "nocache"));
    assert_true(pail_words_have("sync,nocache", "nocache"));
    assert_true(pail_words_have(",nocache,sync", "nocache"));
    static const char *const lists[] = {NULL, "", ",", "nocach", "nocaches", "sync", "no,cache"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        assert_false(pail_words_have(lists[i], "nocache"));
}
