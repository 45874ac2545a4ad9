/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a build that was moved to another machine or folder. Paths are compiled into tests;
 * tools/test --built names the new places in PAIL_TEST_MOVED, as OLD=NEW separated by colons. */
#ifndef PAIL_TESTS_MOVED_H
#define PAIL_TESTS_MOVED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_path {
    char text[4096];
};

/* The current place of a file or folder, by the first OLD that is the path or a folder above it.
 * Use .text within the same expression, or store the structure. */
static inline struct test_path test_path(const char *compiled)
{
    struct test_path path;
    (void)snprintf(path.text, sizeof(path.text), "%s", compiled);
    for (const char *moved = getenv("PAIL_TEST_MOVED"); moved != NULL && *moved != '\0';) {
        const size_t pair = strcspn(moved, ":"), old = strcspn(moved, "=");
        if (old < pair && strncmp(compiled, moved, old) == 0 &&
            (compiled[old] == '/' || compiled[old] == '\0')) {
            (void)snprintf(path.text, sizeof(path.text), "%.*s%s", (int)(pair - old - 1),
                           moved + old + 1, compiled + old);
            break;
        }
        moved += pair + (moved[pair] == ':');
    }
    return path;
}

#endif /* PAIL_TESTS_MOVED_H */
