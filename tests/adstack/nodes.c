/* SPDX-License-Identifier: Apache-2.0 */
#include "nodes.h"

#include <pail/adstack_build.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int32_t nodes_const(struct nodes *nodes, int64_t v)
{
    pail_node node = pail_tree_node(PAIL_NODE_CONST);
    node.imm = v;
    return nodes_put(nodes, &node);
}

int32_t nodes_variable(struct nodes *nodes, int32_t variable)
{
    pail_node node = pail_tree_node(PAIL_NODE_VARIABLE);
    node.variable = variable;
    return nodes_put(nodes, &node);
}

int32_t nodes_shape(struct nodes *nodes, int32_t source, int32_t axis)
{
    pail_node node = pail_tree_node(PAIL_NODE_SHAPE);
    node.source = source;
    node.axis = axis;
    return nodes_put(nodes, &node);
}

int32_t nodes_op(struct nodes *nodes, pail_node_kind kind, int32_t a, int32_t b)
{
    pail_node node = pail_tree_node(kind);
    node.a = a;
    node.b = b;
    return nodes_put(nodes, &node);
}

int32_t nodes_select(struct nodes *nodes, int32_t a, int32_t positive, int32_t otherwise)
{
    pail_node node = pail_tree_node(PAIL_NODE_SELECT_POSITIVE);
    node.a = a;
    node.b = positive;
    node.body = otherwise;
    return nodes_put(nodes, &node);
}

int32_t nodes_range(struct nodes *nodes, pail_node_kind kind, int32_t variable, int32_t a,
                    int32_t b, int32_t body)
{
    pail_node node = pail_tree_node(kind);
    node.a = a;
    node.b = b;
    node.body = body;
    node.variable = variable;
    return nodes_put(nodes, &node);
}

int32_t nodes_read(struct nodes *nodes, pail_node_kind kind, int32_t source, pail_dtype dtype,
                   size_t n, const int64_t indices[])
{
    pail_node node = pail_tree_node(kind);
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

/* ---- Text ------------------------------------------------------------------------------------ */

struct reader {
    struct nodes *nodes;
    const char *at;
    const int64_t *values;
};

static const struct {
    const char *word;
    pail_node_kind kind;
} words[] = {
    {"add", PAIL_NODE_ADD},
    {"sub", PAIL_NODE_SUB},
    {"mul", PAIL_NODE_MUL},
    {"max", PAIL_NODE_MAX},
    {"min", PAIL_NODE_MIN},
    {"floor_div", PAIL_NODE_FLOOR_DIV},
    {"mod", PAIL_NODE_MOD},
    {"select", PAIL_NODE_SELECT_POSITIVE},
    {"max_over", PAIL_NODE_MAX_OVER_RANGE},
    {"sum_over", PAIL_NODE_SUM_OVER_RANGE},
    {"shape", PAIL_NODE_SHAPE},
    {"read", PAIL_NODE_ARRAY_READ},
    {"field", PAIL_NODE_FIELD_READ},
};

static char next(struct reader *reader)
{
    reader->at += strspn(reader->at, " ");
    return *reader->at;
}

_Noreturn static void refuse(const struct reader *reader)
{
    fprintf(stderr, "no expression of a tree at \"%s\"\n", reader->at);
    abort();
}

static int64_t read_number(struct reader *reader)
{
    if (next(reader) == '%') {
        reader->at++;
        return *reader->values++;
    }
    char *end;
    const int64_t number = strtoll(reader->at, &end, 10);
    if (end == reader->at)
        refuse(reader);
    reader->at = end;
    return number;
}

static int32_t read_variable(struct reader *reader)
{
    if (next(reader) == '%')
        return (int32_t)read_number(reader);
    if (!islower((unsigned char)*reader->at))
        refuse(reader);
    return (*reader->at++ - 'i' + 26) % 26;
}

static pail_node_kind read_kind(struct reader *reader)
{
    if (next(reader) == '%')
        return (pail_node_kind)read_number(reader);
    const size_t length = strspn(reader->at, "abcdefghijklmnopqrstuvwxyz_");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i].word) == length && !memcmp(words[i].word, reader->at, length)) {
            reader->at += length;
            return words[i].kind;
        }
    refuse(reader);
}

static pail_dtype read_type(struct reader *reader)
{
    if (*reader->at != ':')
        return PAIL_DTYPE_I32;
    if (*++reader->at == '%')
        return (pail_dtype)read_number(reader);
    const pail_dtype first = *reader->at++ == 'u' ? PAIL_DTYPE_U8 : PAIL_DTYPE_I8;
    const int64_t bits = read_number(reader);
    return (pail_dtype)(first + (bits > 8) + (bits > 16) + (bits > 32));
}

static int32_t read_expression(struct reader *reader);

static int32_t read_read(struct reader *reader, pail_node_kind kind)
{
    const pail_dtype type = read_type(reader);
    const int32_t source = (int32_t)read_number(reader);
    int64_t indices[16];
    size_t n = 0;
    if (reader->at[strcspn(reader->at, "(@)")] != ')')
        kind = PAIL_NODE_READ_AT;
    while (next(reader) != ')' && n < 16)
        indices[n++] = kind == PAIL_NODE_READ_AT             ? read_expression(reader)
                       : islower((unsigned char)*reader->at) ? VARIABLE_INDEX(read_variable(reader))
                                                             : read_number(reader);
    return nodes_read(reader->nodes, kind, source, type, n, indices);
}

static int32_t read_call(struct reader *reader)
{
    const pail_node_kind kind = read_kind(reader);
    pail_node node = pail_tree_node(kind);
    if (kind == PAIL_NODE_ARRAY_READ || kind == PAIL_NODE_FIELD_READ)
        return read_read(reader, kind);
    if (kind == PAIL_NODE_SHAPE) {
        node.source = (int32_t)read_number(reader);
        node.axis = (int32_t)read_number(reader);
        return nodes_put(reader->nodes, &node);
    }
    const bool range = kind == PAIL_NODE_MAX_OVER_RANGE || kind == PAIL_NODE_SUM_OVER_RANGE;
    if (range)
        node.variable = read_variable(reader);
    node.a = read_expression(reader);
    node.b = read_expression(reader);
    if (range || kind == PAIL_NODE_SELECT_POSITIVE)
        node.body = read_expression(reader);
    return nodes_put(reader->nodes, &node);
}

static int32_t read_expression(struct reader *reader)
{
    const char first = next(reader);
    if (first == '@') {
        reader->at++;
        return (int32_t)*reader->values++;
    }
    if (first != '(')
        return islower((unsigned char)first) ? nodes_variable(reader->nodes, read_variable(reader))
                                             : nodes_const(reader->nodes, read_number(reader));
    reader->at++;
    const int32_t result = read_call(reader);
    if (next(reader) != ')')
        refuse(reader);
    reader->at++;
    return result;
}

int32_t nodes_text(struct nodes *nodes, const char *text, const int64_t values[])
{
    struct reader reader = {.nodes = nodes, .at = text, .values = values};
    const int32_t result = read_expression(&reader);
    if (next(&reader) != '\0')
        refuse(&reader);
    return result;
}
