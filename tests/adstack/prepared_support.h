/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of prepared launches: a kernel over some arrays, a launch of it that is
 * prepared, and the same launch described anew to compare with. */
#ifndef PAIL_TESTS_ADSTACK_PREPARED_SUPPORT_H
#define PAIL_TESTS_ADSTACK_PREPARED_SUPPORT_H

#include <adstack/prepared.h>

#include "service_support.h"

/* A struct of the boundary, as a value. */
#define GIVEN(type, ...) ((type)SIZED(type, __VA_ARGS__))

enum { ARRAYS = 6, LENGTH = 5, TASKS = 2 };

/* A kernel of two tasks over six arrays; each array is of LENGTH elements at most. */
struct prepared {
    struct stage stage;
    uint64_t kernel;
    int32_t data[2 * ARRAYS][LENGTH];
    int64_t shape[ARRAYS];
    pail_binding bindings[ARRAYS];
    pail_task_launch tasks[TASKS];
    pail_launch launch;
    struct pail_adstack_prepared *prepared;
};

/* Opens a stage, registers the kernel and prepares the launch. cache_bytes: 0: the default. */
struct prepared *prepared_open_with(uint64_t cache_bytes);
struct prepared *prepared_open(void);
void prepared_close(struct prepared *s);

/* Prepares the launch as it is described now. */
void prepared_again(struct prepared *s);

/* Launches, or fails the test. */
struct pail_adstack_result *prepared_launch(struct prepared *s, const pail_launch_change *change);

/* Launches, which must be refused with a sentence that has the word. */
void prepared_refused(struct prepared *s, const pail_launch_change *change, const char *word);

/* Compares with a launch that computes everything and keeps nothing, of the same description. */
void prepared_expect_right(struct prepared *s, const struct pail_adstack_result *result);

/* Reductions that were computed, and launches that hit, so far. */
uint64_t prepared_computed(struct prepared *s);
uint64_t prepared_hits(struct prepared *s);

/* Launches and compares. Returns the reductions that it took. */
uint64_t prepared_step(struct prepared *s, const pail_launch_change *change);

#endif /* PAIL_TESTS_ADSTACK_PREPARED_SUPPORT_H */
