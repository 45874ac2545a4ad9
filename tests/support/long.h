/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that a test leaves out of an ordinary run, because others find the same faults, run in a
 * long one: tools/test --long. docs/lab/mutations.md has the faults that were tried. */
#ifndef PAIL_TESTS_LONG_H
#define PAIL_TESTS_LONG_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool test_long(void)
{
    const char *word = getenv("PAIL_TEST_LONG");
    return word && *word;
}

#endif /* PAIL_TESTS_LONG_H */
