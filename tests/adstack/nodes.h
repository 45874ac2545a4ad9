/* SPDX-License-Identifier: Apache-2.0 */
/* Trees for tests, node by node. Functions return the number of the new node, which is the root as
 * long as nothing follows. Memory comes from malloc; there is always enough. */
#ifndef PAIL_TESTS_ADSTACK_NODES_H
#define PAIL_TESTS_ADSTACK_NODES_H

#include <pail/backend.h>

struct nodes {
    pail_node *nodes;
    size_t n, capacity;
    int64_t *indices;
    size_t n_indices, indices_capacity;
};

void nodes_free(struct nodes *nodes);
pail_tree nodes_tree(const struct nodes *nodes);

/* Any node; unused members are -1 or 0. */
int32_t nodes_put(struct nodes *nodes, const pail_node *node);

int32_t nodes_const(struct nodes *nodes, int64_t v);
int32_t nodes_variable(struct nodes *nodes, int32_t variable);
int32_t nodes_shape(struct nodes *nodes, int32_t source, int32_t axis);
int32_t nodes_op(struct nodes *nodes, pail_node_kind kind, int32_t a, int32_t b);
int32_t nodes_select(struct nodes *nodes, int32_t a, int32_t positive, int32_t otherwise);
/* kind: MAX_OVER_RANGE or SUM_OVER_RANGE */
int32_t nodes_range(struct nodes *nodes, pail_node_kind kind, int32_t variable, int32_t a,
                    int32_t b, int32_t body);
/* kind: ARRAY_READ, FIELD_READ or READ_AT. indices: [n]; as the node says, VARIABLE_INDEX(v) for a
 * variable. */
int32_t nodes_read(struct nodes *nodes, pail_node_kind kind, int32_t source, pail_dtype dtype,
                   size_t n, const int64_t indices[]);

#define VARIABLE_INDEX(v) (-(int64_t)(v)-1)

/* An expression, such as "(max_over i 0 (shape 0 0) (read:i64 0 i))": as trees of `pail adstack
 * eval`, with words and numbers of sources. A type is i32 unless it follows the word. Variables are
 * letters, of which i is number 0. A read with an index that is no number or variable is READ_AT.
 * % stands for the next value: a number anywhere, or a kind or type; @ is the node of this number.
 * Returns the root. */
int32_t nodes_text(struct nodes *nodes, const char *text, const int64_t values[]);
#define NODES(nodes, text, ...) nodes_text(nodes, text, (const int64_t[]){__VA_ARGS__})

#endif /* PAIL_TESTS_ADSTACK_NODES_H */
