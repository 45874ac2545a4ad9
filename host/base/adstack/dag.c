/* SPDX-License-Identifier: Apache-2.0 */
#include "dag.h"

#include <string.h>

#include "arith.h"
#include <curves/fnv.h>

static uint64_t name_bit(uint32_t name)
{
    return UINT64_C(1) << ((name * 0x9e3779b1u) >> 26);
}

static uint64_t hash_of(const struct pail_ad_dag_node *node, const uint32_t args[])
{
    const uint64_t words[] = {
        (uint64_t)node->op << 32 | node->dtype,
        (uint64_t)node->a << 32 | node->b,
        (uint64_t)node->c << 32 | node->source,
        (uint64_t)node->axis << 32 | node->reduction,
        (uint64_t)node->imm,
    };
    uint64_t hash = pail_fnv1a64(words, sizeof words);
    if (node->n_args)
        hash = pail_fnv1a64_more(hash, args, node->n_args * sizeof(args[0]));
    return hash;
}

static bool same(const struct pail_ad_dag *dag, const struct pail_ad_dag_node *x,
                 const struct pail_ad_dag_node *y, const uint32_t y_args[])
{
    return x->op == y->op && x->dtype == y->dtype && x->a == y->a && x->b == y->b && x->c == y->c &&
           x->source == y->source && x->axis == y->axis && x->reduction == y->reduction &&
           x->imm == y->imm && x->n_args == y->n_args &&
           (!x->n_args ||
            !memcmp(&dag->args[x->args_first], y_args, x->n_args * sizeof(y_args[0])));
}

/* The node's place in the table, or the empty place where it belongs. */
static uint32_t place_of(const struct pail_ad_dag *dag, const struct pail_ad_dag_node *node,
                         const uint32_t args[])
{
    uint32_t at = (uint32_t)hash_of(node, args) & (dag->table_size - 1);
    while (dag->table[at] && !same(dag, &dag->nodes[dag->table[at] - 1], node, args))
        at = (at + 1) & (dag->table_size - 1);
    return at;
}

static pail_status grow_table(struct pail_ad_dag *dag)
{
    if (dag->n < dag->table_size / 2)
        return PAIL_OK;
    const uint32_t size = dag->table_size ? 2 * dag->table_size : 256;
    uint32_t *table = pail_calloc(dag->alloc, size, sizeof(table[0]));
    if (!table)
        return pail_fail(dag->err, PAIL_ERR_HOST_MEMORY, "no host memory for a table of %u nodes",
                         size);
    pail_free(dag->alloc, dag->table);
    dag->table = table;
    dag->table_size = size;
    for (uint32_t i = 0; i < dag->n; i++) {
        const struct pail_ad_dag_node *node = &dag->nodes[i];
        const uint32_t *args = node->n_args ? &dag->args[node->args_first] : NULL;
        dag->table[place_of(dag, node, args)] = i + 1;
    }
    return PAIL_OK;
}

/* The site of new nodes. */
static pail_status site_here(struct pail_ad_dag *dag, uint32_t *site)
{
    if (dag->here_site == PAIL_AD_NONE) {
        const pail_status status = pail_grow(dag->alloc, &dag->sites, &dag->sites_capacity,
                                             dag->n_sites + 1, sizeof(dag->sites[0]), dag->err);
        if (status)
            return status;
        dag->sites[dag->n_sites] = dag->here;
        dag->here_site = dag->n_sites++;
    }
    *site = dag->here_site;
    return PAIL_OK;
}

/* Height and free variables of a new node, from its operands'. */
static void measure(const struct pail_ad_dag *dag, struct pail_ad_dag_node *node)
{
    node->height = 0;
    node->free = node->op == PAIL_AD_VARIABLE ? pail_ad_bit(node->axis) : 0;
    node->names = node->op == PAIL_AD_NAME ? name_bit(node->axis) : 0;
    for (uint32_t k = 0; k < pail_ad_dag_operands(node); k++) {
        const struct pail_ad_dag_node *of = &dag->nodes[pail_ad_dag_operand(dag, node, k)];
        node->height = of->height > node->height ? of->height : node->height;
        node->free |= of->free;
        node->names |= of->names;
    }
    if (node->op == PAIL_AD_LOOP) {
        /* The range's own variable is free in nothing but the third operand. */
        node->free &= ~pail_ad_bit(node->axis);
        node->height = node->axis > node->height ? node->axis : node->height;
    }
}

/* Finds the node, or makes it. */
static pail_status intern(struct pail_ad_dag *dag, const struct pail_ad_dag_node *node,
                          const uint32_t args[], uint32_t site, uint32_t *number)
{
    pail_status status = grow_table(dag);
    if (status)
        return status;
    const uint32_t at = place_of(dag, node, args);
    if (dag->table[at]) {
        *number = dag->table[at] - 1;
        return PAIL_OK;
    }
    if (dag->n == PAIL_AD_MAX_DAG)
        return pail_fail(dag->err, PAIL_ERR_DATA,
                         "task %u, stack %u: node %u: the kernel's trees have more than %u "
                         "different parts",
                         dag->here.task, dag->here.stack, dag->here.node, PAIL_AD_MAX_DAG);
    if (site == PAIL_AD_NONE && (status = site_here(dag, &site)))
        return status;
    status = pail_grow(dag->alloc, &dag->nodes, &dag->capacity, dag->n + 1, sizeof(dag->nodes[0]),
                       dag->err);
    if (!status && node->n_args)
        status = pail_grow(dag->alloc, &dag->args, &dag->args_capacity, dag->n_args + node->n_args,
                           sizeof(dag->args[0]), dag->err);
    if (status)
        return status;
    struct pail_ad_dag_node *made = &dag->nodes[dag->n];
    *made = *node;
    made->args_first = dag->n_args;
    made->site = site;
    for (uint32_t k = 0; k < node->n_args; k++)
        dag->args[dag->n_args++] = args[k];
    measure(dag, made);
    dag->table[at] = ++dag->n;
    *number = dag->n - 1;
    return PAIL_OK;
}

static bool is_const(const struct pail_ad_dag *dag, uint32_t number)
{
    return dag->nodes[number].op == PAIL_AD_CONST;
}

static bool is_value(const struct pail_ad_dag *dag, uint32_t number, int64_t v)
{
    return is_const(dag, number) && dag->nodes[number].imm == v;
}

/* A range over a constant, between constants. */
static bool fold_range(const struct pail_ad_dag *dag, const struct pail_ad_dag_node *node,
                       int64_t *v)
{
    *v = 0;
    if (!is_const(dag, node->a) || !is_const(dag, node->b))
        return false;
    const int64_t begin = dag->nodes[node->a].imm, end = dag->nodes[node->b].imm;
    if (begin >= end)
        return true;
    const uint64_t turns = pail_ad_turns(begin, end);
    if (turns > PAIL_AD_MAX_CELLS || !is_const(dag, node->c))
        return false;
    const int64_t each = dag->nodes[node->c].imm;
    if (node->reduction == PAIL_AD_REDUCE_SUM)
        return !pail_ad_arith(PAIL_AD_MUL, each, (int64_t)turns, v);
    *v = each > 0 ? each : 0;
    return true;
}

/* A sum directly under another one counts as part of it, beyond 64 bits as well. So nothing may
 * come to be directly under a sum by being simplified. */
static bool is_sum(const struct pail_ad_dag *dag, uint32_t number)
{
    const struct pail_ad_dag_node *node = &dag->nodes[number];
    return node->op == PAIL_AD_LOOP && node->reduction == PAIL_AD_REDUCE_SUM;
}

/* A constant in place of an operation on constants that gives no error. */
static bool fold(const struct pail_ad_dag *dag, struct pail_ad_dag_node *node)
{
    int64_t v;
    if (!(node->op == PAIL_AD_LOOP && fold_range(dag, node, &v)) &&
        !(pail_ad_is_binary(node->op) && is_const(dag, node->a) && is_const(dag, node->b) &&
          !pail_ad_arith(node->op, dag->nodes[node->a].imm, dag->nodes[node->b].imm, &v)))
        return false;
    *node = (struct pail_ad_dag_node){.op = PAIL_AD_CONST, .imm = v};
    return true;
}

/* True if the node equals one of its operands whatever they are, errors included. */
static bool is_operand(const struct pail_ad_dag *dag, const struct pail_ad_dag_node *node,
                       uint32_t *is)
{
    switch (node->op) {
    case PAIL_AD_SELECT:
        *is = is_const(dag, node->a) && dag->nodes[node->a].imm > 0 ? node->b : node->c;
        return is_const(dag, node->a) && !is_sum(dag, *is);
    case PAIL_AD_MAX:
    case PAIL_AD_MIN:
        *is = node->a;
        return node->a == node->b && !is_sum(dag, *is);
    case PAIL_AD_ADD:
    case PAIL_AD_MUL:
    case PAIL_AD_WRAP_ADD:
    case PAIL_AD_WRAP_MUL: {
        const bool adds = node->op == PAIL_AD_ADD || node->op == PAIL_AD_WRAP_ADD;
        const int64_t neutral = adds ? 0 : 1;
        *is = is_value(dag, node->a, neutral) ? node->b : node->a;
        return (is_value(dag, node->a, neutral) || is_value(dag, node->b, neutral)) &&
               !is_sum(dag, *is);
    }
    default:
        return false;
    }
}

/* Gives operands one order where it does not matter: a varying operand comes first, so that code
 * which differs in its slots alone is alike; the least error is the same. */
static void order(const struct pail_ad_dag *dag, struct pail_ad_dag_node *node)
{
    const bool either_way = node->op == PAIL_AD_ADD || node->op == PAIL_AD_MUL ||
                            node->op == PAIL_AD_MAX || node->op == PAIL_AD_MIN ||
                            node->op == PAIL_AD_WRAP_ADD || node->op == PAIL_AD_WRAP_MUL;
    if (!either_way)
        return;
    const struct pail_ad_dag_node *x = &dag->nodes[node->a], *y = &dag->nodes[node->b];
    const bool x_varies = (x->free | x->names) != 0, y_varies = (y->free | y->names) != 0;
    if (x_varies != y_varies ? x_varies : node->a <= node->b)
        return;
    const uint32_t a = node->a;
    node->a = node->b;
    node->b = a;
}

static pail_status put_at(struct pail_ad_dag *dag, const struct pail_ad_dag_node *node,
                          const uint32_t args[], uint32_t site, uint32_t *number)
{
    struct pail_ad_dag_node simple = *node;
    if (!fold(dag, &simple)) {
        if (is_operand(dag, &simple, number))
            return PAIL_OK;
        order(dag, &simple);
    }
    return intern(dag, &simple, args, site, number);
}

pail_status pail_ad_dag_put(struct pail_ad_dag *dag, const struct pail_ad_dag_node *node,
                            const uint32_t args[], uint32_t *number)
{
    return put_at(dag, node, args, PAIL_AD_NONE, number);
}

/* ---- A number in place of a name ------------------------------------------------------------ */

/* A node that was renamed already, so that no part is looked at twice. */
struct pail_ad_renamed {
    uint64_t key; /* 0: none */
    uint32_t number;
};

/* A node that is being rewritten, and the next of its operands. */
struct pail_ad_rename {
    uint32_t number, next;
};

static uint64_t key_of(uint32_t number, uint32_t name, uint32_t variable)
{
    return (uint64_t)number << 38 | (uint64_t)variable << 31 | name;
}

static struct pail_ad_renamed *renamed_place(const struct pail_ad_dag *dag, uint64_t key)
{
    uint32_t at = (uint32_t)(pail_fnv1a64(&key, sizeof key) >> 16) & (dag->renamed_size - 1);
    while (dag->renamed[at].key && dag->renamed[at].key != key)
        at = (at + 1) & (dag->renamed_size - 1);
    return &dag->renamed[at];
}

static pail_status grow_renamed(struct pail_ad_dag *dag)
{
    if (dag->n_renamed < dag->renamed_size / 2)
        return PAIL_OK;
    if (dag->n_renamed >= 2 * PAIL_AD_MAX_DAG)
        return pail_fail(dag->err, PAIL_ERR_DATA,
                         "task %u, stack %u: node %u: too many ranges around the same parts",
                         dag->here.task, dag->here.stack, dag->here.node);
    struct pail_ad_renamed *old = dag->renamed;
    const uint32_t old_size = dag->renamed_size, size = old_size ? 2 * old_size : 256;
    struct pail_ad_renamed *table = pail_calloc(dag->alloc, size, sizeof(table[0]));
    if (!table)
        return pail_fail(dag->err, PAIL_ERR_HOST_MEMORY, "no host memory for a table of %u nodes",
                         size);
    dag->renamed = table;
    dag->renamed_size = size;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i].key)
            *renamed_place(dag, old[i].key) = old[i];
    pail_free(dag->alloc, old);
    return PAIL_OK;
}

/* The node that `number` is under the range; false: not known yet. */
static bool renamed_as(const struct pail_ad_dag *dag, uint32_t number, uint32_t name,
                       uint32_t variable, uint32_t *as)
{
    *as = number;
    if (!(dag->nodes[number].names & name_bit(name)))
        return true;
    const struct pail_ad_renamed *found = renamed_place(dag, key_of(number, name, variable));
    *as = found->number;
    return found->key != 0;
}

/* The node with what its operands became. */
static pail_status rewrite(struct pail_ad_dag *dag, uint32_t number, uint32_t name,
                           uint32_t variable, uint32_t *as)
{
    struct pail_ad_dag_node node = dag->nodes[number];
    uint32_t args[PAIL_AD_MAX_RANK];
    if (node.op == PAIL_AD_NAME) {
        if (node.axis != name) {
            *as = number;
            return PAIL_OK;
        }
        node.op = PAIL_AD_VARIABLE;
        node.axis = variable;
    }
    for (uint32_t k = 0; k < pail_ad_dag_operands(&node); k++) {
        uint32_t *to = node.op == PAIL_AD_READ ? &args[k]
                       : k == 0                ? &node.a
                       : k == 1                ? &node.b
                                               : &node.c;
        (void)renamed_as(dag, pail_ad_dag_operand(dag, &dag->nodes[number], k), name, variable, to);
    }
    return put_at(dag, &node, args, node.site, as);
}

static pail_status rename_all(struct pail_ad_dag *dag, uint32_t root, uint32_t name,
                              uint32_t variable, uint32_t *as)
{
    pail_status status = grow_renamed(dag);
    if (status)
        return status;
    if (renamed_as(dag, root, name, variable, as))
        return PAIL_OK;
    uint32_t depth = 0;
    uint32_t push = root;
    for (;;) {
        if (push != PAIL_AD_NONE) {
            status = pail_grow(dag->alloc, &dag->stack, &dag->stack_capacity, depth + 1,
                               sizeof(dag->stack[0]), dag->err);
            if (status)
                return status;
            dag->stack[depth++] = (struct pail_ad_rename){.number = push};
            push = PAIL_AD_NONE;
        }
        struct pail_ad_rename *top = &dag->stack[depth - 1];
        const struct pail_ad_dag_node *node = &dag->nodes[top->number];
        while (top->next < pail_ad_dag_operands(node) && push == PAIL_AD_NONE) {
            const uint32_t operand = pail_ad_dag_operand(dag, node, top->next++);
            uint32_t ignored;
            if (!renamed_as(dag, operand, name, variable, &ignored))
                push = operand;
        }
        if (push != PAIL_AD_NONE)
            continue;
        const uint32_t done = top->number;
        if ((status = rewrite(dag, done, name, variable, as)) || (status = grow_renamed(dag)))
            return status;
        const uint64_t key = key_of(done, name, variable);
        struct pail_ad_renamed *place = renamed_place(dag, key);
        dag->n_renamed += !place->key;
        *place = (struct pail_ad_renamed){.key = key, .number = *as};
        if (!--depth)
            return PAIL_OK;
    }
}

pail_status pail_ad_dag_range(struct pail_ad_dag *dag, uint32_t reduction, uint32_t begin,
                              uint32_t end, uint32_t body, uint32_t name, uint32_t *number)
{
    const uint32_t variable = dag->nodes[body].height + 1;
    uint32_t over;
    const pail_status status = rename_all(dag, body, name, variable, &over);
    if (status)
        return status;
    const struct pail_ad_dag_node node = {
        .op = PAIL_AD_LOOP,
        .a = begin,
        .b = end,
        .c = over,
        .axis = variable,
        .reduction = reduction,
    };
    return pail_ad_dag_put(dag, &node, NULL, number);
}

void pail_ad_dag_free(struct pail_ad_dag *dag)
{
    pail_free(dag->alloc, dag->nodes);
    pail_free(dag->alloc, dag->args);
    pail_free(dag->alloc, dag->sites);
    pail_free(dag->alloc, dag->table);
    pail_free(dag->alloc, dag->renamed);
    pail_free(dag->alloc, dag->stack);
}
