/* SPDX-License-Identifier: Apache-2.0 */
/* The faults of the tests' plugin: each still finds what it changes, and the shipped plugin knows
 * none. */

#include "support/test.h"

#include <modules.h>

#include <faults.h>

#include "support/moved.h"

/* Every fault that damages the sources finds its places in them, and changes something. */
PAIL_TEST(test_sources)
{
    size_t n = 0, damaged = 0;
    struct pail_fault_tree changed;
    struct pail_error err = {0};
    pail_status status;
    const char *name;
    for (; pail_fault_sources_of(n, &name, &changed, &pail_sources, &status, &err); n++) {
        if (status != PAIL_OK)
            fail_msg("%s", err.text);
        if (!changed.files)
            continue;
        size_t different = 0;
        assert_int_equal(changed.tree.n_files, pail_sources.n_files);
        for (size_t i = 0; i < changed.tree.n_files; i++) {
            const struct pail_source *new = &changed.files[i], *old = &pail_sources.files[i];
            different +=
                new->length != old->length || memcmp(new->text, old->text, old->length) != 0;
        }
        assert_in_range(different, 1, 4);
        damaged++;
        pail_fault_sources_free(&changed);
    }
    assert_in_range(n, 6, 100);
    assert_in_range(damaged, 5, n);
}

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be read", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long end = ftell(file);
    assert_true(end > 0);
    rewind(file);
    char *bytes = malloc((size_t)end);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)end, file);
    assert_int_equal(*size, end);
    fclose(file);
    return bytes;
}

static bool holds(const char *bytes, size_t size, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = bytes; (size_t)(at - bytes) + n <= size; at++) {
        at = memchr(at, word[0], size - n + 1 - (size_t)(at - bytes));
        if (!at)
            return false;
        if (memcmp(at, word, n) == 0)
            return true;
    }
    return false;
}

PAIL_TEST(test_shipped)
{
    size_t n_shipped, n_faulty;
    char *shipped = read_file(test_path(PAIL_TEST_PLUGIN_FILE).text, &n_shipped);
    char *faulty = read_file(test_path(PAIL_TEST_FAULTY_PLUGIN_FILE).text, &n_faulty);
    struct pail_fault_tree changed;
    struct pail_error err = {0};
    pail_status status;
    const char *word;
    assert_true(holds(faulty, n_faulty, "PAIL_FAULT"));
    assert_false(holds(shipped, n_shipped, "PAIL_FAULT"));
    for (size_t i = 0; pail_fault_sources_of(i, &word, &changed, &pail_sources, &status, &err);
         i++) {
        if (changed.files)
            pail_fault_sources_free(&changed);
        if (!holds(faulty, n_faulty, word) || holds(shipped, n_shipped, word))
            fail_msg("the fault %s is not in the tests' plugin alone", word);
    }
    free(shipped);
    free(faulty);
}
