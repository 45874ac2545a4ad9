/* SPDX-License-Identifier: Apache-2.0 */
/* Trees as people write them: ["max_over", "i", 0, ["shape", "n", 0], ["read", "n", "i"]]. A number
 * is a constant and a text a variable; everything else is an array that begins with a word. */
#include "case.h"

#include <string.h>

struct builder {
    struct pail_sizing_case *made;
    pail_node *nodes;
    size_t n_nodes, nodes_room;
    int64_t *indices;
    size_t n_indices, indices_room;
    const char **names; /* of variables, by their numbers */
    size_t n_names, names_room;
};

/* Variables that can be used. */
struct scope {
    const struct scope *up;
    const char *name;
    int32_t number;
};

static pail_status read_expression(struct builder *builder, const json_t *json,
                                   const struct scope *scope, const struct pail_json_place *place,
                                   int32_t *result);

/* ---- Growing arrays ------------------------------------------------------------------------- */
static bool grow(struct builder *builder, void **array, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room)
        return true;
    const size_t more = 2 * wanted + 16;
    void *const larger = pail_sizing_alloc(builder->made, more, size);
    if (!larger)
        return false;
    if (*room > 0)
        memcpy(larger, *array, *room * size);
    *array = larger;
    *room = more;
    return true;
}

static pail_status emit(struct builder *builder, pail_node node,
                        const struct pail_json_place *place, int32_t *result)
{
    void *nodes = builder->nodes;
    if (builder->n_nodes >= INT32_MAX ||
        !grow(builder, &nodes, &builder->nodes_room, builder->n_nodes + 1, sizeof(node)))
        return pail_sizing_no_memory(place);
    builder->nodes = nodes;
    *result = (int32_t)builder->n_nodes;
    builder->nodes[builder->n_nodes++] = node;
    return PAIL_OK;
}

static pail_node blank(uint32_t kind)
{
    return (pail_node){.kind = (uint16_t)kind,
                       .a = -1,
                       .b = -1,
                       .body = -1,
                       .variable = -1,
                       .source = -1,
                       .axis = -1};
}

/* The number of a name; the same for equal names, wherever they are. */
static pail_status number_of(struct builder *builder, const char *name,
                             const struct pail_json_place *place, int32_t *number)
{
    size_t i = 0;
    while (i < builder->n_names && strcmp(builder->names[i], name) != 0)
        i++;
    *number = (int32_t)i;
    if (i < builder->n_names)
        return PAIL_OK;
    void *names = builder->names;
    if (!grow(builder, &names, &builder->names_room, i + 1, sizeof(*builder->names)))
        return pail_sizing_no_memory(place);
    builder->names = names;
    builder->names[builder->n_names++] = name;
    return PAIL_OK;
}

/* ---- Leaves --------------------------------------------------------------------------------- */
static pail_status find_variable(const struct scope *scope, const json_t *json,
                                 const struct pail_json_place *place, int32_t *number)
{
    while (scope && strcmp(scope->name, json_string_value(json)) != 0)
        scope = scope->up;
    if (!scope)
        return pail_json_refuse(place, json, "no range around it has a variable of that name");
    *number = scope->number;
    return PAIL_OK;
}

static pail_status read_shape(struct builder *builder, const json_t *json,
                              const struct pail_json_place *place, int32_t *result)
{
    const struct pail_json_place source = pail_json_element(place, 1);
    const struct pail_json_place axis_place = pail_json_element(place, 2);
    const json_t *const axis = json_array_get(json, 2);
    pail_node node = blank(PAIL_NODE_SHAPE);
    if (json_array_size(json) != 3)
        return pail_json_refuse(place, json, "it is [\"shape\", source, axis]");
    const pail_status status =
        pail_sizing_find_source(builder->made, json_array_get(json, 1), &source, &node.source);
    if (status != PAIL_OK)
        return status;
    if (!json_is_integer(axis) || json_integer_value(axis) < 0 ||
        json_integer_value(axis) > INT32_MAX)
        return pail_json_refuse(&axis_place, axis, "it is the number of an axis");
    node.axis = (int32_t)json_integer_value(axis);
    return emit(builder, node, place, result);
}

/* ["read", source, index...], ["field", source, index...]: literals and variables go into the node
 * itself, anything else makes it a read at computed indices. */
static pail_status read_read(struct builder *builder, const json_t *json, bool field,
                             const struct scope *scope, const struct pail_json_place *place,
                             int32_t *result)
{
    const struct pail_json_place source = pail_json_element(place, 1);
    pail_node node = blank(field ? PAIL_NODE_FIELD_READ : PAIL_NODE_ARRAY_READ);
    pail_status status =
        json_array_size(json) < 2
            ? pail_json_refuse(place, json, "it is [\"%s\", source, index of each axis]",
                               field ? "field" : "read")
            : pail_sizing_find_source(builder->made, json_array_get(json, 1), &source,
                                      &node.source);
    if (status != PAIL_OK)
        return status;
    const size_t n = json_array_size(json) - 2;
    int64_t *const indices = pail_sizing_alloc(builder->made, n, sizeof(*indices));
    if (!indices)
        return pail_sizing_no_memory(place);
    bool computed = false;
    for (size_t i = 0; i < n; i++) {
        const json_t *const index = json_array_get(json, i + 2);
        computed |=
            !json_is_string(index) && !(json_is_integer(index) && json_integer_value(index) >= 0);
    }
    for (size_t i = 0; i < n && status == PAIL_OK; i++) {
        const json_t *const index = json_array_get(json, i + 2);
        const struct pail_json_place element = pail_json_element(place, i + 2);
        int32_t number = 0;
        if (computed)
            status = read_expression(builder, index, scope, &element, &number);
        else if (json_is_string(index))
            status = find_variable(scope, index, &element, &number);
        indices[i] = computed                ? number
                     : json_is_string(index) ? -((int64_t)number + 1)
                                             : json_integer_value(index);
    }
    if (status == PAIL_OK && computed && field)
        return pail_json_refuse(place, json,
                                "\"field\" takes literals and variables; \"read\" "
                                "takes computed indices as well");
    void *all = builder->indices;
    if (status == PAIL_OK && !grow(builder, &all, &builder->indices_room, builder->n_indices + n,
                                   sizeof(*builder->indices)))
        return pail_sizing_no_memory(place);
    if (status != PAIL_OK)
        return status;
    builder->indices = all;
    if (n > 0)
        memcpy(builder->indices + builder->n_indices, indices, n * sizeof(*indices));
    if (computed)
        node.kind = PAIL_NODE_READ_AT;
    node.dtype = (uint16_t)builder->made->bindings[node.source].dtype;
    node.index_first = (uint32_t)builder->n_indices;
    node.index_count = (uint32_t)n;
    builder->n_indices += n;
    return emit(builder, node, place, result);
}

/* ---- Operations ----------------------------------------------------------------------------- */
/* [word, a, b] and of those that may be chained [word, a, b, c...]. */
static pail_status read_binary(struct builder *builder, const json_t *json, uint32_t kind,
                               bool chained, const struct scope *scope,
                               const struct pail_json_place *place, int32_t *result)
{
    const size_t n = json_array_size(json);
    if (n < 3 || (n > 3 && !chained))
        return pail_json_refuse(place, json, "it has %s operands", chained ? "two or more" : "two");
    struct pail_json_place element = pail_json_element(place, 1);
    pail_node node = blank(kind);
    pail_status status =
        read_expression(builder, json_array_get(json, 1), scope, &element, &node.a);
    for (size_t i = 2; i < n && status == PAIL_OK; i++) {
        element = pail_json_element(place, i);
        status = read_expression(builder, json_array_get(json, i), scope, &element, &node.b);
        if (status == PAIL_OK)
            status = emit(builder, node, place, result);
        node.a = *result;
    }
    return status;
}

/* ["select", condition, then, else] */
static pail_status read_select(struct builder *builder, const json_t *json,
                               const struct scope *scope, const struct pail_json_place *place,
                               int32_t *result)
{
    if (json_array_size(json) != 4)
        return pail_json_refuse(place, json,
                                "it is [\"select\", condition, if above 0, otherwise]");
    pail_node node = blank(PAIL_NODE_SELECT_POSITIVE);
    int32_t *const operands[] = {&node.a, &node.b, &node.body};
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < 3 && status == PAIL_OK; i++) {
        const struct pail_json_place element = pail_json_element(place, i + 1);
        status =
            read_expression(builder, json_array_get(json, i + 1), scope, &element, operands[i]);
    }
    return status == PAIL_OK ? emit(builder, node, place, result) : status;
}

/* ["max_over", variable, begin, end, body] */
static pail_status read_range(struct builder *builder, const json_t *json, uint32_t kind,
                              const struct scope *scope, const struct pail_json_place *place,
                              int32_t *result)
{
    const json_t *const name = json_array_get(json, 1);
    if (json_array_size(json) != 5 || !json_is_string(name))
        return pail_json_refuse(place, json, "it is [\"%s\", variable, begin, end, body]",
                                kind == PAIL_NODE_SUM_OVER_RANGE ? "sum_over" : "max_over");
    pail_node node = blank(kind);
    pail_status status = number_of(builder, json_string_value(name), place, &node.variable);
    const struct scope inner = {scope, json_string_value(name), node.variable};
    int32_t *const operands[] = {&node.a, &node.b, &node.body};
    for (size_t i = 0; i < 3 && status == PAIL_OK; i++) {
        const struct pail_json_place element = pail_json_element(place, i + 2);
        status = read_expression(builder, json_array_get(json, i + 2), i == 2 ? &inner : scope,
                                 &element, operands[i]);
    }
    return status == PAIL_OK ? emit(builder, node, place, result) : status;
}

enum form { BINARY, CHAIN, SELECT, RANGE, SHAPE, READ, FIELD };

static const struct {
    const char *word;
    enum form form;
    uint32_t kind;
} words[] = {{"add", CHAIN, PAIL_NODE_ADD},
             {"sub", BINARY, PAIL_NODE_SUB},
             {"mul", CHAIN, PAIL_NODE_MUL},
             {"max", CHAIN, PAIL_NODE_MAX},
             {"min", CHAIN, PAIL_NODE_MIN},
             {"floor_div", BINARY, PAIL_NODE_FLOOR_DIV},
             {"mod", BINARY, PAIL_NODE_MOD},
             {"select", SELECT, PAIL_NODE_SELECT_POSITIVE},
             {"max_over", RANGE, PAIL_NODE_MAX_OVER_RANGE},
             {"sum_over", RANGE, PAIL_NODE_SUM_OVER_RANGE},
             {"shape", SHAPE, PAIL_NODE_SHAPE},
             {"read", READ, PAIL_NODE_ARRAY_READ},
             {"field", FIELD, PAIL_NODE_FIELD_READ}};

static pail_status read_operation(struct builder *builder, const json_t *json,
                                  const struct scope *scope, const struct pail_json_place *place,
                                  int32_t *result)
{
    const char *const word = json_string_value(json_array_get(json, 0));
    for (size_t i = 0; word && i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(word, words[i].word) != 0)
            continue;
        switch (words[i].form) {
        case BINARY:
        case CHAIN:
            return read_binary(builder, json, words[i].kind, words[i].form == CHAIN, scope, place,
                               result);
        case SELECT:
            return read_select(builder, json, scope, place, result);
        case RANGE:
            return read_range(builder, json, words[i].kind, scope, place, result);
        case SHAPE:
            return read_shape(builder, json, place, result);
        case READ:
        case FIELD:
            return read_read(builder, json, words[i].form == FIELD, scope, place, result);
        }
    }
    return pail_json_refuse(place, json,
                            "it begins with add, sub, mul, max, min, floor_div, mod, select, "
                            "max_over, sum_over, shape, read or field");
}

static pail_status read_expression(struct builder *builder, const json_t *json,
                                   const struct scope *scope, const struct pail_json_place *place,
                                   int32_t *result)
{
    if (json_is_array(json))
        return read_operation(builder, json, scope, place, result);
    if (json_is_integer(json)) {
        pail_node node = blank(PAIL_NODE_CONST);
        node.imm = json_integer_value(json);
        return emit(builder, node, place, result);
    }
    if (!json_is_string(json))
        return pail_json_refuse(place, json,
                                "it is a number, the name of a variable, or an array "
                                "that begins with a word");
    pail_node node = blank(PAIL_NODE_VARIABLE);
    const pail_status status = find_variable(scope, json, place, &node.variable);
    return status == PAIL_OK ? emit(builder, node, place, result) : status;
}

pail_status pail_sizing_read_nested(struct pail_sizing_case *made, json_t *json, pail_tree *tree,
                                    const struct pail_json_place *place)
{
    struct builder builder = {.made = made};
    int32_t root;
    const pail_status status = read_expression(&builder, json, NULL, place, &root);
    if (status == PAIL_OK)
        *tree = (pail_tree){builder.nodes, builder.n_nodes, builder.indices, builder.n_indices};
    return status;
}
