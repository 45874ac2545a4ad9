#include "nodes.h"

#include <stdlib.h>

static void *more(void *array, size_t *capacity, size_t need, size_t size)
{
    if (need <= *capacity)
        return array;
    *capacity = need > 2 * *capacity ? need + 16 : 2 * *capacity;
    array = realloc(array, *capacity * size);
    if (!array)
        abort();
    return array;
}

void nodes_free(struct nodes *nodes)
{
    free(nodes->nodes);
    free(nodes->indices);
    *nodes = (struct nodes){0};
}

pail_tree nodes_tree(const struct nodes *nodes)
{
    return (pail_tree){
        .nodes = nodes->nodes,
        .n_nodes = nodes->n,
        .indices = nodes->indices,
        .n_indices = nodes->n_indices,
    };
}

int32_t nodes_put(struct nodes *nodes, const pail_node *node)
{
    nodes->nodes = more(nodes->nodes, &nodes->capacity, nodes->n + 1, sizeof(nodes->nodes[0]));
    nodes->nodes[nodes->n] = *node;
    return (int32_t)nodes->n++;
}

static pail_node node_of(pail_node_kind kind)
{
    return (pail_node){
        .kind = (uint16_t)kind,
        .a = -1,
        .b = -1,
        .body = -1,
        .variable = -1,
        .source = -1,
        .axis = -1,
    };
}

int32_t nodes_const(struct nodes *nodes, int64_t v)
{
    pail_node node = node_of(PAIL_NODE_CONST);
    node.imm = v;
    return nodes_put(nodes, &node);
}

int32_t nodes_variable(struct nodes *nodes, int32_t variable)
{
    pail_node node = node_of(PAIL_NODE_VARIABLE);
    node.variable = variable;
    return nodes_put(nodes, &node);
}

int32_t nodes_shape(struct nodes *nodes, int32_t source, int32_t axis)
{
    pail_node node = node_of(PAIL_NODE_SHAPE);
    node.source = source;
    node.axis = axis;
    return nodes_put(nodes, &node);
}

int32_t nodes_op(struct nodes *nodes, pail_node_kind kind, int32_t a, int32_t b)
{
    pail_node node = node_of(kind);
    node.a = a;
    node.b = b;
    return nodes_put(nodes, &node);
}

int32_t nodes_select(struct nodes *nodes, int32_t a, int32_t positive, int32_t otherwise)
{
    pail_node node = node_of(PAIL_NODE_SELECT_POSITIVE);
    node.a = a;
    node.b = positive;
    node.body = otherwise;
    return nodes_put(nodes, &node);
}

int32_t nodes_range(struct nodes *nodes, pail_node_kind kind, int32_t variable, int32_t a,
                    int32_t b, int32_t body)
{
    pail_node node = node_of(kind);
    node.a = a;
    node.b = b;
    node.body = body;
    node.variable = variable;
    return nodes_put(nodes, &node);
}

int32_t nodes_read(struct nodes *nodes, pail_node_kind kind, int32_t source, pail_dtype dtype,
                   size_t n, const int64_t indices[])
{
    pail_node node = node_of(kind);
    node.source = source;
    node.dtype = (uint16_t)dtype;
    node.index_first = (uint32_t)nodes->n_indices;
    node.index_count = (uint32_t)n;
    nodes->indices = more(nodes->indices, &nodes->indices_capacity, nodes->n_indices + n,
                          sizeof(nodes->indices[0]));
    for (size_t i = 0; i < n; i++)
        nodes->indices[nodes->n_indices++] = indices[i];
    return nodes_put(nodes, &node);
}
