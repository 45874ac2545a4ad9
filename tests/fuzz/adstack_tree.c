/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include <arrays.h>
#include <nodes.h>
#include <oracle.h>

#include "target.h"

enum { N_SOURCES = 4, MAX_FUZZ_NODES = 160, MAX_FUZZ_RANGES = 5, STEPS = 100000 };

static const struct pail_alloc from_libc;

struct bytes {
    const uint8_t *data;
    size_t size;
};

static uint8_t next(struct bytes *bytes)
{
    if (!bytes->size)
        return 0;
    bytes->size--;
    return *bytes->data++;
}

/* Small numbers most of the time, and anything. */
static int64_t number(struct bytes *bytes)
{
    const uint8_t first = next(bytes);
    if (first < 0xf0)
        return (int8_t)(first - 0x60) / 8;
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v = v << 8 | next(bytes);
    return (int64_t)(v >> 4 * (first % 16));
}

/* An earlier node most of the time, and anything. */
static int32_t operand(struct bytes *bytes, size_t n)
{
    const uint8_t byte = next(bytes);
    if (byte < 0xf8 && n)
        return (int32_t)(n - 1 - byte % n);
    return (int32_t)(uint32_t)number(bytes);
}

static const uint16_t kinds[16] = {
    PAIL_NODE_CONST,      PAIL_NODE_ARRAY_READ, PAIL_NODE_ADD,
    PAIL_NODE_SUB,        PAIL_NODE_MUL,        PAIL_NODE_MAX,
    PAIL_NODE_VARIABLE,   PAIL_NODE_VARIABLE,   PAIL_NODE_SHAPE,
    PAIL_NODE_FIELD_READ, PAIL_NODE_MIN,        PAIL_NODE_FLOOR_DIV,
    PAIL_NODE_MOD,        PAIL_NODE_READ_AT,    PAIL_NODE_SELECT_POSITIVE,
    PAIL_NODE_MAX,
};

/* A range that is over few turns, if it is tame. */
static void put_range(struct nodes *nodes, struct bytes *bytes, bool sum, bool tame)
{
    const size_t n = nodes->n;
    int32_t a = operand(bytes, n), b = operand(bytes, n);
    const int32_t body = operand(bytes, n), variable = next(bytes) % 4;
    if (tame) {
        a = nodes_op(nodes, PAIL_NODE_MAX, a, nodes_const(nodes, -1));
        b = nodes_op(nodes, PAIL_NODE_MIN, b, nodes_const(nodes, 5));
    }
    nodes_range(nodes, sum ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE, variable, a, b,
                body);
}

static void put(struct nodes *nodes, struct bytes *bytes, const uint8_t ranks[], uint32_t dtypes)
{
    const uint8_t byte = next(bytes);
    const size_t n = nodes->n;
    pail_node node = {
        .kind = byte < 0xf0 ? kinds[byte % 16] : next(bytes),
        .a = operand(bytes, n),
        .b = operand(bytes, n),
        .body = operand(bytes, n),
        .variable = next(bytes) % 5 - (byte == 0xef),
        .source = (int32_t)(next(bytes) % (N_SOURCES + (byte == 0xee))),
        .imm = number(bytes),
    };
    node.axis = node.source < N_SOURCES ? (int32_t)(next(bytes) % (ranks[node.source] + 1)) : 0;
    node.dtype = (uint16_t)(dtypes >> 8 * (node.source % N_SOURCES) & 0xff);
    int64_t indices[4];
    const uint32_t rank = node.source < N_SOURCES ? ranks[node.source] : 0;
    for (uint32_t k = 0; k < rank; k++)
        indices[k] = node.kind == PAIL_NODE_READ_AT ? operand(bytes, n) : number(bytes);
    const int32_t made = node.kind == PAIL_NODE_ARRAY_READ || node.kind == PAIL_NODE_FIELD_READ ||
                                 node.kind == PAIL_NODE_READ_AT
                             ? nodes_read(nodes, (pail_node_kind)node.kind, node.source,
                                          (pail_dtype)node.dtype, rank, indices)
                             : nodes_put(nodes, &node);
    if (byte == 0xed)
        nodes->nodes[made].index_first += next(bytes);
}

/* Both have to say the same. */
static void evaluate(const struct pail_ad_program *program, const pail_tree *tree,
                     const pail_binding bindings[], uint32_t flags)
{
    struct pail_ad_array arrays[N_SOURCES];
    for (uint32_t i = 0; i < N_SOURCES; i++)
        arrays[i] = array_of(&bindings[i]);
    struct pail_ad_values values = {.value = calloc(program->n_slots, sizeof values.value[0]),
                                    .known = calloc(program->n_slots, 1)};
    struct pail_error err;
    const uint32_t root = program->roots[0].slot;
    if (!values.value || !values.known ||
        pail_ad_eval(program, arrays, &values, &root, 1, &from_libc, &err) || !values.known[root])
        abort();
    const struct pail_ad_value value = values.value[root];
    const struct oracle oracle = oracle_evaluate(tree, bindings, flags, STEPS);
    if (oracle.state == ORACLE_ERROR
            ? !value.error
            : oracle.state == ORACLE_VALUE && (value.error || value.v != oracle.v))
        abort();
    if (value.error) {
        char text[512];
        pail_ad_describe_error(program, arrays, value.error, text, sizeof text);
        if (strncmp(text, "task 0, stack 0: node ", 22) != 0)
            abort();
    }
    free(values.value);
    free(values.known);
}

static void try(struct nodes *nodes, const pail_binding bindings[], const uint8_t ranks[],
                uint32_t flags, bool tame)
{
    const pail_tree tree = nodes_tree(nodes);
    struct pail_error err = {0};
    const pail_status status =
        pail_ad_tree_check(&tree, ranks, N_SOURCES, "task 0, stack 0", &from_libc, &err);
    if (status) {
        if (status != PAIL_ERR_DATA || strncmp(err.text, "task 0, stack 0: ", 17) != 0)
            abort();
        return;
    }
    const pail_stack_desc stack = {.struct_size = sizeof stack, .tree = tree};
    const pail_task_desc task = {.struct_size = sizeof task, .stacks = &stack, .n_stacks = 1};
    const pail_kernel_desc desc = {.struct_size = sizeof desc,
                                   .flags = flags,
                                   .tasks = &task,
                                   .n_tasks = 1,
                                   .source_rank = ranks,
                                   .n_sources = N_SOURCES};
    struct pail_ad_program *program;
    if (pail_ad_program_build(&program, &desc, &from_libc, &err)) {
        if (tame || !strstr(err.text, "more than"))
            abort();
        return;
    }
    if (tame)
        evaluate(program, &tree, bindings, flags);
    pail_ad_program_free(program, &from_libc);
}

/* Four small arrays, then nodes. By the first byte ranges are kept so small that the tree can be
 * evaluated, and are clamped. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    const uint8_t how = next(&bytes);
    const bool tame = how % 4 != 0;
    uint8_t contents[8 * 4 * 4 * 4], ranks[N_SOURCES];
    int64_t shapes[N_SOURCES][3];
    pail_binding bindings[N_SOURCES];
    uint32_t dtypes = 0, n_ranges = 0;
    for (size_t i = 0; i < sizeof contents; i++)
        contents[i] = i % 3 ? (uint8_t)(i % 5) : (uint8_t)(i % 8 == 7 ? 0xff : 0);
    for (uint32_t i = 0; i < N_SOURCES; i++) {
        static const uint8_t types[8] = {3, 4, 5, 6, 8, 9, 10, 11};
        const uint8_t byte = next(&bytes);
        ranks[i] = byte % 4;
        bindings[i] = (pail_binding){.source = i,
                                     .host = contents,
                                     .size_bytes = sizeof contents,
                                     .dtype = types[byte / 4 % 8],
                                     .rank = ranks[i],
                                     .shape = shapes[i]};
        dtypes |= bindings[i].dtype << 8 * i;
        for (uint32_t k = 0; k < ranks[i]; k++)
            shapes[i][k] = next(&bytes) % 5;
    }
    struct nodes nodes = {0};
    while (bytes.size && nodes.n < MAX_FUZZ_NODES) {
        const uint8_t what = *bytes.data;
        if (what % 8 == 7 && what < 0xf0 && (!tame || n_ranges++ < MAX_FUZZ_RANGES)) {
            (void)next(&bytes);
            put_range(&nodes, &bytes, what / 8 % 3 == 0, tame);
        } else {
            put(&nodes, &bytes, ranks, dtypes);
        }
    }
    const uint32_t flags =
        (how & 4 ? PAIL_KERNEL_CLAMP_RANGES : 0u) | (how & 8 ? PAIL_KERNEL_WRAP_ARITHMETIC : 0u);
    try(&nodes, bindings, ranks, flags, tame);
    nodes_free(&nodes);
    return 0;
}
