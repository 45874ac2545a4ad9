/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a checked tree, without a case for each kind at every use. */
#ifndef PAIL_ADSTACK_TREE_H
#define PAIL_ADSTACK_TREE_H

#include "program.h"

static inline bool pail_ad_is_range(const pail_node *node)
{
    return node->kind == PAIL_NODE_MAX_OVER_RANGE || node->kind == PAIL_NODE_SUM_OVER_RANGE;
}

/* Reads whose indices are literals and variables. */
static inline bool pail_ad_is_plain_read(const pail_node *node)
{
    return node->kind == PAIL_NODE_ARRAY_READ || node->kind == PAIL_NODE_FIELD_READ;
}

/* Number of operands of a node. */
static inline uint32_t pail_ad_operands(const pail_node *node)
{
    switch (node->kind) {
    case PAIL_NODE_ADD:
    case PAIL_NODE_SUB:
    case PAIL_NODE_MUL:
    case PAIL_NODE_MAX:
    case PAIL_NODE_MIN:
    case PAIL_NODE_FLOOR_DIV:
    case PAIL_NODE_MOD:
        return 2;
    case PAIL_NODE_MAX_OVER_RANGE:
    case PAIL_NODE_SUM_OVER_RANGE:
    case PAIL_NODE_SELECT_POSITIVE:
        return 3;
    case PAIL_NODE_READ_AT:
        return node->index_count;
    default:
        return 0;
    }
}

/* The number of operand k: a, b, body, or the k-th index of a READ_AT. */
static inline int64_t pail_ad_operand(const pail_tree *tree, const pail_node *node, uint32_t k)
{
    if (node->kind == PAIL_NODE_READ_AT)
        return tree->indices[node->index_first + k];
    return k == 0 ? node->a : k == 1 ? node->b : node->body;
}

#endif /* PAIL_ADSTACK_TREE_H */
