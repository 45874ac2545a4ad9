/* Lists of words: what is between commas, and nothing that only begins or ends alike. */
#include <platform/text.h>

#include <string.h>

#include "support/cmocka_all.h"

static void one_after_the_other(void **state)
{
    (void)state;
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

static void what_it_has(void **state)
{
    (void)state;
    assert_true(pail_words_have("nocache", "nocache"));
    assert_true(pail_words_have("sync,nocache", "nocache"));
    assert_true(pail_words_have(",nocache,sync", "nocache"));
    static const char *const lists[] = {NULL, "", ",", "nocach", "nocaches", "sync", "no,cache"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        assert_false(pail_words_have(lists[i], "nocache"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_the_other),
        cmocka_unit_test(what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
