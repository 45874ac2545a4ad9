/* SPDX-License-Identifier: Apache-2.0 */
/* One tree over a few arrays: checked, built, evaluated, and compared with the oracle. */
#ifndef PAIL_TESTS_UNIT_ADSTACK_SUPPORT_H
#define PAIL_TESTS_UNIT_ADSTACK_SUPPORT_H

#include <arrays.h>
#include <nodes.h>

#include "support/test.h"

/* An array in C order, or with strides. */
struct test_source {
    pail_dtype dtype;
    uint32_t rank;
    int64_t shape[PAIL_AD_MAX_RANK];
    const void *host;
    const int64_t *stride_bytes;
};

struct test_value {
    int64_t v;
    uint32_t kind; /* enum pail_ad_error_kind; 0: there is a value */
    uint32_t node; /* the error's */
    char text[512];
};

/* Steps that the oracle may take; 0: it is not asked. */
enum { TEST_STEPS = 2000000 };

/* Frees the nodes. A result that is not the oracle's fails the test. */
struct test_value test_evaluate(struct nodes *nodes, const struct test_source sources[],
                                size_t n_sources, uint64_t oracle_steps);

/* The same, in a kernel with these flags. */
struct test_value test_evaluate_as(uint32_t flags, struct nodes *nodes,
                                   const struct test_source sources[], size_t n_sources,
                                   uint64_t oracle_steps);

/* An array of 32-bit integers of one axis. */
struct test_source test_line(const int32_t *host, int64_t n);

/* The element of such a source at an index. */
int32_t test_read_1(struct nodes *t, int32_t source, int64_t index);

/* The range over all of such a source, of its elements. */
int32_t test_over_all(struct nodes *t, pail_node_kind kind, int32_t variable, int32_t source);

/* The value of a tree that has one. */
int64_t test_value_of(struct nodes *nodes, const struct test_source sources[], size_t n_sources);

/* A kernel of one task with these trees; tree[i].nodes NULL: a stack of static size. */
struct test_kernel {
    pail_kernel_desc desc;
    pail_task_desc tasks[2];
    pail_stack_desc stacks[8];
    uint8_t ranks[8];
};
void test_kernel_of(struct test_kernel *kernel, const pail_tree trees[], size_t n_trees,
                    const uint8_t ranks[], size_t n_sources);

/* Builds, and checks what program.h promises. */
struct pail_ad_program *test_build(const pail_kernel_desc *desc);
void test_check_program(const struct pail_ad_program *program);

/* Memory whose fail_at-th allocation fails (0: none). */
struct test_memory {
    uint64_t made, fail_at;
    int64_t out; /* not freed yet */
};
struct pail_alloc test_alloc(struct test_memory *memory);

#endif /* PAIL_TESTS_UNIT_ADSTACK_SUPPORT_H */
