/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "limits.h"
#include "support/test.h"

char *limits_add(const char *word)
{
    const char *was = getenv("PAIL_LIMITS");
    char words[256], *copy = was ? strdup(was) : NULL;
    assert_in_range(snprintf(words, sizeof(words), "%s%s%s", was ? was : "", was ? "," : "", word),
                    1, sizeof(words) - 1);
    assert_int_equal(setenv("PAIL_LIMITS", words, 1), 0);
    return copy;
}

void limits_restore(char *words)
{
    assert_int_equal(words ? setenv("PAIL_LIMITS", words, 1) : unsetenv("PAIL_LIMITS"), 0);
    free(words);
}
