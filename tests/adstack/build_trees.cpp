// SPDX-License-Identifier: Apache-2.0
#include "build_trees.h"

#include <pail/adstack_build.h>

pail_status build_tree_in_cpp(int which, pail_node *nodes, size_t max_nodes, int64_t *indices,
                              size_t max_indices, pail_tree *tree)
{
    pail::tree_builder t(nodes, max_nodes, indices, max_indices);
    const pail::tree_variable i(0), j(1);
    switch (which) {
    case 0:
        return t.end(t.max_over(i, 0, t.shape(0, 0), t.read(0, PAIL_DTYPE_I64, {i})), tree);
    case 1:
        return t.end(t.sum_over(i, 0, t.shape(1, 0),
                                t.max_over(j, t.value(i), t.shape(1, 1),
                                           t.read(1, PAIL_DTYPE_U8, {i, j}) * 3)),
                     tree);
    case 2: {
        const pail::tree_node n = t.shape(0, 0);
        return t.end(t.max_over(i, 1, n,
                                t.read(0, PAIL_DTYPE_I64, {t.value(i)}) -
                                    t.read(0, PAIL_DTYPE_I64, {t.value(i) - 1})),
                     tree);
    }
    case 3: {
        const pail::tree_node first = t.read(0, PAIL_DTYPE_I64, {0});
        return t.end(t.select_positive(first % 2, max(first / 2, 4), min(7 - first, 5L)), tree);
    }
    case 4: /* a negative literal is no variable */
        return t.end(t.read(0, PAIL_DTYPE_I64, {-1}), tree);
    case 5: {
        const pail::tree_node x = t.read(0, PAIL_DTYPE_I64, {i});
        const pail::tree_node above = t.compare(PAIL_TREE_GREATER, x, 0);
        return t.end(t.sum_over(i, 0u, t.shape(0, 0),
                                above + t.compare_double(PAIL_TREE_EQUAL, x, 1.5, 2, size_t(0))),
                     tree);
    }
    case 6: {
        pail_stack_desc stack = {};
        stack.copies = 2;
        stack.element_bytes = stack.header_bytes = 4;
        stack.alignment = 16;
        const pail::tree_node x = t.read(0, PAIL_DTYPE_I64, {i});
        return t.end(t.sum_over(i, 0, t.shape(0, 0), t.part(x, stack, PAIL_TASK_ELEMENT_UNITS)),
                     tree);
    }
    default:
        return PAIL_ERR_UNSUPPORTED;
    }
}
