#include "dag.h"
#include "tree.h"

static uint16_t op_of(const pail_node *node)
{
    switch (node->kind) {
    case PAIL_NODE_ADD:
        return PAIL_AD_ADD;
    case PAIL_NODE_SUB:
        return PAIL_AD_SUB;
    case PAIL_NODE_MUL:
        return PAIL_AD_MUL;
    case PAIL_NODE_MAX:
        return PAIL_AD_MAX;
    case PAIL_NODE_MIN:
        return PAIL_AD_MIN;
    case PAIL_NODE_FLOOR_DIV:
        return PAIL_AD_FLOOR_DIV;
    case PAIL_NODE_MOD:
        return PAIL_AD_MOD;
    default:
        return PAIL_AD_SELECT;
    }
}

static pail_status put_const(struct pail_ad_dag *dag, int64_t v, uint32_t *number)
{
    const struct pail_ad_dag_node node = {.op = PAIL_AD_CONST, .imm = v};
    return pail_ad_dag_put(dag, &node, NULL, number);
}

static pail_status put_name(struct pail_ad_dag *dag, uint32_t name, uint32_t *number)
{
    const struct pail_ad_dag_node node = {.op = PAIL_AD_NAME, .axis = name};
    return pail_ad_dag_put(dag, &node, NULL, number);
}

static pail_status put_read(struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *node,
                            const uint32_t numbers[], uint32_t *number)
{
    uint32_t args[PAIL_AD_MAX_RANK];
    pail_status status = PAIL_OK;
    for (uint32_t k = 0; k < node->index_count && !status; k++) {
        const int64_t index = tree->indices[node->index_first + k];
        if (node->kind == PAIL_NODE_READ_AT)
            args[k] = numbers[index];
        else if (index >= 0)
            status = put_const(dag, index, &args[k]);
        else
            status = put_name(dag, (uint32_t) - (index + 1), &args[k]);
    }
    if (status)
        return status;
    const struct pail_ad_dag_node read = {
        .op = PAIL_AD_READ,
        .dtype = node->dtype,
        .source = (uint32_t)node->source,
        .n_args = node->index_count,
    };
    return pail_ad_dag_put(dag, &read, args, number);
}

static pail_status put_node(struct pail_ad_dag *dag, const pail_tree *tree, const pail_node *node,
                            const uint32_t numbers[], uint32_t *number)
{
    switch (node->kind) {
    case PAIL_NODE_CONST:
        return put_const(dag, node->imm, number);
    case PAIL_NODE_VARIABLE:
        return put_name(dag, (uint32_t)node->variable, number);
    case PAIL_NODE_FIELD_READ:
    case PAIL_NODE_ARRAY_READ:
    case PAIL_NODE_READ_AT:
        return put_read(dag, tree, node, numbers, number);
    case PAIL_NODE_SHAPE: {
        const struct pail_ad_dag_node shape = {
            .op = PAIL_AD_SHAPE, .source = (uint32_t)node->source, .axis = (uint32_t)node->axis};
        return pail_ad_dag_put(dag, &shape, NULL, number);
    }
    case PAIL_NODE_MAX_OVER_RANGE:
    case PAIL_NODE_SUM_OVER_RANGE:
        return pail_ad_dag_chain(dag, tree, node, numbers, number);
    default: {
        struct pail_ad_dag_node op = {
            .op = op_of(node), .a = numbers[node->a], .b = numbers[node->b]};
        if (op.op == PAIL_AD_SELECT)
            op.c = numbers[node->body];
        return pail_ad_dag_put(dag, &op, NULL, number);
    }
    }
}

pail_status pail_ad_dag_tree(struct pail_ad_dag *dag, const pail_tree *tree, uint32_t task,
                             uint32_t stack, uint32_t *root)
{
    const uint32_t n = (uint32_t)tree->n_nodes;
    uint32_t *numbers = pail_calloc(dag->alloc, n, sizeof(numbers[0]));
    uint8_t *used = pail_calloc(dag->alloc, n, 1);
    pail_status status = PAIL_OK;
    if (!numbers || !used) {
        status = pail_fail(dag->err, PAIL_ERR_HOST_MEMORY,
                           "task %u, stack %u: no host memory to read %u nodes", task, stack, n);
        goto end;
    }
    used[n - 1] = 1;
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = 0; used[i] && k < pail_ad_operands(&tree->nodes[i]); k++)
            used[pail_ad_operand(tree, &tree->nodes[i], k)] = 1;
    for (uint32_t i = 0; i < n && !status; i++) {
        if (!used[i])
            continue;
        dag->here = (struct pail_ad_site){.task = task, .stack = stack, .node = i};
        dag->here_site = PAIL_AD_NONE;
        status = put_node(dag, tree, &tree->nodes[i], numbers, &numbers[i]);
    }
    *root = numbers[n - 1];
end:
    pail_free(dag->alloc, numbers);
    pail_free(dag->alloc, used);
    return status;
}
