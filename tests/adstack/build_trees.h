/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that build_trees.cpp builds with the classes of <pail/adstack_build.h>. */
#ifndef PAIL_TESTS_ADSTACK_BUILD_TREES_H
#define PAIL_TESTS_ADSTACK_BUILD_TREES_H

#include <pail/adstack.h>
#include <pail/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tree `which` of the table in build.c; PAIL_ERR_UNSUPPORTED behind the last one. */
pail_status build_tree_in_cpp(int which, pail_node *nodes, size_t max_nodes, int64_t *indices,
                              size_t max_indices, pail_tree *tree);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_TESTS_ADSTACK_BUILD_TREES_H */
