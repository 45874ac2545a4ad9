/* SPDX-License-Identifier: Apache-2.0 */
/* The backends that the tests of the boundary run on: the one that is built in, and a real plugin.
 */
#ifndef PAIL_TESTS_BACKENDS_H
#define PAIL_TESTS_BACKENDS_H

#include "support/asan.h"

#include <pail/backend.h>

#include <stdbool.h>

#define BACKENDS_SANITIZED TEST_ASAN /* slow */

/* PAIL_TEST_PLUGIN of the environment, or the plugin of this build. */
const char *backends_plugin_path(void);
/* Copies the path of the plugin, which the states of tests are, to `path`: for a program whose
 * tests are those of the CPU backend, then those of the plugin. True: the first argument is "cpu",
 * and only the first test is to run. */
bool backends_arguments(char *path, size_t size, int argc, char **argv);

struct opened {
    void *handle; /* NULL: built in */
    pail_backend_open_fn open;
};

/* Opens a shared object, or ends the test with a message. path NULL: the CPU backend. */
struct opened backends_open(const char *path);
void backends_close(struct opened *opened);

/* dlclose; tests with sanitizers have another one in its place, which does nothing. */
int backends_dlclose(void *handle);

/* A host that counts: what was allocated and not yet freed, how many lines were logged, and how
 * many of them are complaints of the validation layer. */
struct counting_host {
    pail_host host;
    _Atomic long blocks;
    _Atomic long lines;
    _Atomic long complaints;
    _Atomic long fail_after; /* allocations that still succeed; negative: all */
};

void backends_host_init(struct counting_host *host);

#endif
