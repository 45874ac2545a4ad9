/* SPDX-License-Identifier: Apache-2.0 */
/* The value of a tree, straight from the nodes: as plain as can be, so that it can be believed. It
 * shares no code with the plugin. */
#ifndef PAIL_TESTS_ADSTACK_ORACLE_H
#define PAIL_TESTS_ADSTACK_ORACLE_H

#include <pail/backend.h>

enum oracle_state {
    ORACLE_VALUE, /* v */
    ORACLE_ERROR, /* the tree cannot be computed */
    ORACLE_TIRED, /* it would take more than the steps that were allowed */
};

struct oracle {
    enum oracle_state state;
    int64_t v;
};

/* bindings: one for each source, in their order, with contents in host memory where they are read.
 * flags: of the kernel (pail_kernel_flag). The tree is one that pail_ad_tree_check accepts, of few
 * ranges inside one another: it calls itself. */
struct oracle oracle_evaluate(const pail_tree *tree, const pail_binding bindings[], uint32_t flags,
                              uint64_t steps);

#endif /* PAIL_TESTS_ADSTACK_ORACLE_H */
