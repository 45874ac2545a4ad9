/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as compilers serialise them: an array of nodes, operands before what uses them. */
#include "case.h"

#include <string.h>

const struct pail_name pail_node_names[] = {{"const", PAIL_NODE_CONST},
                                            {"field_read", PAIL_NODE_FIELD_READ},
                                            {"add", PAIL_NODE_ADD},
                                            {"sub", PAIL_NODE_SUB},
                                            {"mul", PAIL_NODE_MUL},
                                            {"max", PAIL_NODE_MAX},
                                            {"max_over_range", PAIL_NODE_MAX_OVER_RANGE},
                                            {"variable", PAIL_NODE_VARIABLE},
                                            {"shape", PAIL_NODE_SHAPE},
                                            {"array_read", PAIL_NODE_ARRAY_READ},
                                            {"min", PAIL_NODE_MIN},
                                            {"floor_div", PAIL_NODE_FLOOR_DIV},
                                            {"mod", PAIL_NODE_MOD},
                                            {"select_positive", PAIL_NODE_SELECT_POSITIVE},
                                            {"read_at", PAIL_NODE_READ_AT},
                                            {"sum_over_range", PAIL_NODE_SUM_OVER_RANGE},
                                            {NULL, 0}};

static bool reads(uint32_t kind)
{
    return kind == PAIL_NODE_FIELD_READ || kind == PAIL_NODE_ARRAY_READ ||
           kind == PAIL_NODE_READ_AT;
}

/* Copies an array of integers to `to`. */
static pail_status read_indices(int64_t *to, const json_t *array,
                                const struct pail_json_place *place)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *const value = json_array_get(array, i);
        const struct pail_json_place element = pail_json_element(place, i);
        if (!json_is_integer(value))
            return pail_json_refuse(&element, value, "it is an integer");
        to[i] = json_integer_value(value);
    }
    return PAIL_OK;
}

/* Finds a node's indices: in the tree's list, or in the node itself, from where they are put into
 * the list. */
static pail_status place_indices(pail_node *node, json_t *json, int64_t *indices, size_t *n_indices,
                                 const struct pail_json_place *place)
{
    const json_t *const own = json_object_get(json, "indices");
    json_int_t first = 0, count = 0;
    pail_json_integer(json, place, "index_first", 0, UINT32_MAX, &first);
    pail_json_integer(json, place, "index_count", 0, UINT32_MAX, &count);
    pail_status status = pail_json_status(place);
    if (status != PAIL_OK)
        return status;
    const struct pail_json_place member = pail_json_member(place, "indices");
    if (own && (!json_is_array(own) || json_object_get(json, "index_first") ||
                json_object_get(json, "index_count") != NULL))
        return pail_json_refuse(&member, own,
                                "it is an array, without \"index_first\" and \"index_count\"");
    if (own) {
        first = (json_int_t)*n_indices;
        count = (json_int_t)json_array_size(own);
        status = read_indices(indices + first, own, &member);
        *n_indices += (size_t)count;
    }
    node->index_first = (uint32_t)first;
    node->index_count = (uint32_t)count;
    return status;
}

static pail_status read_node(const struct pail_sizing_case *made, pail_node *node, json_t *json,
                             int64_t *indices, size_t *n_indices,
                             const struct pail_json_place *place)
{
    static const char *const keys[] = {"kind",        "dtype",  "a",    "b",       "body",
                                       "variable",    "source", "axis", "indices", "index_first",
                                       "index_count", "imm",    "note", NULL};
    *node = (pail_node){.a = -1, .b = -1, .body = -1, .variable = -1, .source = -1, .axis = -1};
    uint32_t kind = 0, dtype = 0;
    pail_json_object(json, place, keys);
    if (pail_json_status(place) == PAIL_OK && !json_object_get(json, "kind"))
        (void)pail_json_complain(place, PAIL_ERR_DATA, "there is no \"kind\"");
    pail_json_word(json, place, "kind", pail_node_names, &kind);
    const struct {
        const char *key;
        int32_t *to;
    } numbers[] = {{"a", &node->a},
                   {"b", &node->b},
                   {"body", &node->body},
                   {"variable", &node->variable},
                   {"axis", &node->axis}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        json_int_t number = -1;
        pail_json_integer(json, place, numbers[i].key, -1, INT32_MAX, &number);
        *numbers[i].to = (int32_t)number;
    }
    json_int_t imm = 0;
    pail_json_integer(json, place, "imm", INT64_MIN, INT64_MAX, &imm);
    node->imm = imm;
    const json_t *const source = json_object_get(json, "source");
    const struct pail_json_place source_place = pail_json_member(place, "source");
    if (pail_json_status(place) == PAIL_OK && source && json_integer_value(source) != -1)
        (void)pail_sizing_find_source(made, source, &source_place, &node->source);
    /* The type of a read's elements is its source's, unless the read names another. */
    if (reads(kind) && node->source >= 0)
        dtype = made->bindings[node->source].dtype;
    pail_json_word(json, place, "dtype", pail_dtype_names, &dtype);
    node->kind = (uint16_t)kind;
    node->dtype = (uint16_t)dtype;
    const pail_status status = pail_json_status(place);
    return status == PAIL_OK ? place_indices(node, json, indices, n_indices, place) : status;
}

static pail_status read_flat(struct pail_sizing_case *made, const json_t *list,
                             const json_t *shared, pail_tree *tree,
                             const struct pail_json_place *nodes_place,
                             const struct pail_json_place *shared_place)
{
    const size_t n = json_array_size(list);
    size_t n_indices = json_array_size(shared), most = n_indices;
    for (size_t i = 0; i < n; i++)
        most += json_array_size(json_object_get(json_array_get(list, i), "indices"));
    pail_node *const nodes = pail_sizing_alloc(made, n, sizeof(*nodes));
    int64_t *const indices = pail_sizing_alloc(made, most, sizeof(*indices));
    if (!nodes || !indices)
        return pail_sizing_no_memory(nodes_place);
    pail_status status = read_indices(indices, shared, shared_place);
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        const struct pail_json_place element = pail_json_element(nodes_place, i);
        status = read_node(made, &nodes[i], json_array_get(list, i), indices, &n_indices, &element);
    }
    *tree = (pail_tree){nodes, n, indices, n_indices};
    return status;
}

pail_status pail_sizing_read_tree(struct pail_sizing_case *made, json_t *json, pail_tree *tree,
                                  const struct pail_json_place *place)
{
    static const char *const keys[] = {"nodes", "indices", "note", NULL};
    if (json_is_array(json) && json_is_object(json_array_get(json, 0)))
        return read_flat(made, json, NULL, tree, place, place);
    if (!json_is_object(json))
        return pail_sizing_read_nested(made, json, tree, place);
    pail_json_object(json, place, keys);
    if (pail_json_status(place) != PAIL_OK)
        return pail_json_status(place);
    const json_t *const nodes = json_object_get(json, "nodes");
    const json_t *const indices = json_object_get(json, "indices");
    const struct pail_json_place nodes_place = pail_json_member(place, "nodes");
    const struct pail_json_place indices_place = pail_json_member(place, "indices");
    if (!json_is_array(nodes))
        return pail_json_complain(place, PAIL_ERR_DATA, "there is no array \"nodes\"");
    if (indices && !json_is_array(indices))
        return pail_json_refuse(&indices_place, indices, "it is an array of integers");
    return read_flat(made, nodes, indices, tree, &nodes_place, &indices_place);
}
