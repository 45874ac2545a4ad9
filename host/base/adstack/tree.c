/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include <platform/text.h>

/* A variable is bound by a range outside, so no node that the root depends on has more free ones
 * than ranges may be inside one another. */
#define FREE_MAX PAIL_AD_MAX_DEPTH

struct check {
    const pail_tree *tree;
    const uint8_t *ranks;
    size_t n_sources;
    const char *where;
    const struct pail_alloc *alloc;
    struct pail_error *err;
    uint32_t n;
    uint8_t *used;   /* [n] the root depends on it */
    uint8_t *depth;  /* [n] ranges inside one another */
    uint8_t *n_free; /* [n] free variables: pool[first_free...], ascending */
    uint32_t *first_free;
    int32_t *pool;
    uint32_t n_pool, pool_capacity;
};

static pail_status fail_node(const struct check *check, uint32_t i, const char *fmt, ...)
    PAIL_PRINTF(3, 4);

static pail_status fail_node(const struct check *check, uint32_t i, const char *fmt, ...)
{
    char what[256];
    va_list args;
    va_start(args, fmt);
    (void)pail_line_list(what, sizeof what, fmt, args);
    va_end(args);
    return pail_fail(check->err, PAIL_ERR_DATA, "%s: node %" PRIu32 ": %s", check->where, i, what);
}

static bool known_kind(uint32_t kind)
{
    return kind <= PAIL_NODE_ARRAY_READ ||
           (kind >= PAIL_NODE_MIN && kind <= PAIL_NODE_SUM_OVER_RANGE);
}

static bool known_dtype(uint32_t dtype)
{
    return (dtype >= PAIL_DTYPE_I8 && dtype <= PAIL_DTYPE_I64) ||
           (dtype >= PAIL_DTYPE_U8 && dtype <= PAIL_DTYPE_U64);
}

static pail_status check_source(const struct check *check, uint32_t i, const pail_node *node)
{
    if (node->source < 0 || (size_t)node->source >= check->n_sources)
        return fail_node(check, i, "source %" PRId32 " is none of the kernel's %zu", node->source,
                         check->n_sources);
    const uint8_t rank = check->ranks[node->source];
    if (rank > PAIL_AD_MAX_RANK)
        return fail_node(check, i, "source %" PRId32 " has %u axes; at most %u are possible",
                         node->source, rank, PAIL_AD_MAX_RANK);
    if (node->kind == PAIL_NODE_SHAPE && (node->axis < 0 || node->axis >= rank))
        return fail_node(check, i, "axis %" PRId32 " of source %" PRId32 ", which has %u",
                         node->axis, node->source, rank);
    return PAIL_OK;
}

static pail_status check_indices(const struct check *check, uint32_t i, const pail_node *node)
{
    const uint8_t rank = check->ranks[node->source];
    if (!known_dtype(node->dtype))
        return fail_node(check, i, "dtype %u is no integer type", node->dtype);
    if (node->index_count != rank)
        return fail_node(check, i, "%" PRIu32 " indices for source %" PRId32 ", which has %u axes",
                         node->index_count, node->source, rank);
    if (node->index_count > check->tree->n_indices ||
        node->index_first > check->tree->n_indices - node->index_count)
        return fail_node(check, i, "indices %" PRIu32 " and %" PRIu32 " more, of the tree's %zu",
                         node->index_first, node->index_count, check->tree->n_indices);
    for (uint32_t k = 0; k < node->index_count; k++) {
        const int64_t index = check->tree->indices[node->index_first + k];
        if (node->kind == PAIL_NODE_READ_AT) {
            if (index < 0 || index >= i)
                return fail_node(check, i,
                                 "index %" PRIu32 " is node %" PRId64 ", which is not earlier", k,
                                 index);
        } else if (index < -(int64_t)INT32_MAX - 1) {
            return fail_node(check, i,
                             "index %" PRIu32 " is %" PRId64 ", a variable beyond %" PRId32
                             ", the largest number of one",
                             k, index, INT32_MAX);
        }
    }
    return PAIL_OK;
}

/* Checks a node without regard to its users. */
static pail_status check_node(const struct check *check, uint32_t i)
{
    const pail_node *node = &check->tree->nodes[i];
    if (!known_kind(node->kind))
        return fail_node(check, i, "kind %u is unknown", node->kind);
    if (node->kind == PAIL_NODE_SHAPE)
        return check_source(check, i, node);
    if (pail_ad_is_plain_read(node) || node->kind == PAIL_NODE_READ_AT) {
        const pail_status status = check_source(check, i, node);
        return status ? status : check_indices(check, i, node);
    }
    if ((pail_ad_is_range(node) || node->kind == PAIL_NODE_VARIABLE) && node->variable < 0)
        return fail_node(check, i, "variable %" PRId32 " is negative", node->variable);
    for (uint32_t k = 0; k < pail_ad_operands(node); k++) {
        static const char *const names[] = {"a", "b", "body"};
        const int64_t operand = pail_ad_operand(check->tree, node, k);
        if (operand < 0 || operand >= i)
            return fail_node(check, i, "operand %s is node %" PRId64 ", which is not earlier",
                             names[k], operand);
    }
    return PAIL_OK;
}

/* Operands are earlier, so one way back from the root sees everything it depends on. */
static void mark_used(struct check *check)
{
    check->used[check->n - 1] = 1;
    for (uint32_t i = check->n; i-- > 0;) {
        const pail_node *node = &check->tree->nodes[i];
        for (uint32_t k = 0; check->used[i] && k < pail_ad_operands(node); k++)
            check->used[pail_ad_operand(check->tree, node, k)] = 1;
    }
}

struct set {
    uint32_t n;
    int32_t of[FREE_MAX];
};

/* false: there are too many. */
static bool insert(struct set *set, int32_t variable)
{
    uint32_t at = set->n;
    while (at && set->of[at - 1] >= variable)
        at--;
    if (at < set->n && set->of[at] == variable)
        return true;
    if (set->n == FREE_MAX)
        return false;
    memmove(&set->of[at + 1], &set->of[at], (set->n - at) * sizeof(set->of[0]));
    set->of[at] = variable;
    set->n++;
    return true;
}

static bool contains(const struct check *check, uint32_t i, int32_t variable)
{
    for (uint32_t k = 0; k < check->n_free[i]; k++)
        if (check->pool[check->first_free[i] + k] == variable)
            return true;
    return false;
}

/* True if `variable` is bound by this node in its operand k. */
static bool binds(const pail_node *node, uint32_t k, int32_t variable)
{
    return k == 2 && pail_ad_is_range(node) && node->variable == variable;
}

static bool gather(const struct check *check, uint32_t i, struct set *set)
{
    const pail_node *node = &check->tree->nodes[i];
    if (node->kind == PAIL_NODE_VARIABLE)
        return insert(set, node->variable);
    if (pail_ad_is_plain_read(node)) {
        for (uint32_t k = 0; k < node->index_count; k++) {
            const int64_t index = check->tree->indices[node->index_first + k];
            if (index < 0 && !insert(set, (int32_t) - (index + 1)))
                return false;
        }
        return true;
    }
    for (uint32_t k = 0; k < pail_ad_operands(node); k++) {
        const int64_t operand = pail_ad_operand(check->tree, node, k);
        for (uint32_t f = 0; f < check->n_free[operand]; f++) {
            const int32_t variable = check->pool[check->first_free[operand] + f];
            if (!binds(node, k, variable) && !insert(set, variable))
                return false;
        }
    }
    return true;
}

/* Free variables and depth of a node whose operands have theirs. */
static pail_status measure(struct check *check, uint32_t i)
{
    const pail_node *node = &check->tree->nodes[i];
    struct set set = {0};
    if (!gather(check, i, &set))
        return fail_node(
            check, i,
            "more than %u variables have to be bound outside of it; ranges can be %u deep",
            FREE_MAX, PAIL_AD_MAX_DEPTH);
    pail_status status = pail_grow(check->alloc, &check->pool, &check->pool_capacity,
                                   check->n_pool + set.n, sizeof(check->pool[0]), check->err);
    if (status)
        return status;
    check->first_free[i] = check->n_pool;
    check->n_free[i] = (uint8_t)set.n;
    for (uint32_t k = 0; k < set.n; k++)
        check->pool[check->n_pool++] = set.of[k];

    uint32_t depth = 0;
    for (uint32_t k = 0; k < pail_ad_operands(node); k++) {
        const uint32_t below = check->depth[pail_ad_operand(check->tree, node, k)] +
                               (pail_ad_is_range(node) && k == 2 ? 1u : 0u);
        depth = below > depth ? below : depth;
    }
    if (depth > PAIL_AD_MAX_DEPTH)
        return fail_node(check, i, "ranges are more than %u deep", PAIL_AD_MAX_DEPTH);
    check->depth[i] = (uint8_t)depth;
    return PAIL_OK;
}

/* The sentence for a variable that is free at the root: goes down to a node that uses it. */
static pail_status fail_unbound(const struct check *check)
{
    uint32_t i = check->n - 1;
    const int32_t variable = check->pool[check->first_free[i]];
    for (;;) {
        const pail_node *node = &check->tree->nodes[i];
        uint32_t next = i;
        for (uint32_t k = 0; k < pail_ad_operands(node) && next == i; k++) {
            const int64_t operand = pail_ad_operand(check->tree, node, k);
            if (!binds(node, k, variable) && contains(check, (uint32_t)operand, variable))
                next = (uint32_t)operand;
        }
        if (next == i)
            return fail_node(check, i, "no range around it binds variable %" PRId32, variable);
        i = next;
    }
}

static pail_status check_all(struct check *check)
{
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < check->n && !status; i++)
        status = check_node(check, i);
    if (status)
        return status;
    mark_used(check);
    for (uint32_t i = 0; i < check->n && !status; i++)
        if (check->used[i])
            status = measure(check, i);
    if (!status && check->n_free[check->n - 1])
        status = fail_unbound(check);
    return status;
}

pail_status pail_ad_tree_check(const pail_tree *tree, const uint8_t *ranks, size_t n_sources,
                               const char *where, const struct pail_alloc *alloc,
                               struct pail_error *err)
{
    if (!tree)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: tree is NULL", where);
    if (!tree->nodes && tree->n_nodes)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: tree.nodes is NULL", where);
    if (!tree->indices && tree->n_indices)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: tree.indices is NULL", where);
    if (!ranks && n_sources)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "%s: source_rank is NULL", where);
    struct check check = {
        .tree = tree,
        .ranks = ranks,
        .n_sources = n_sources,
        .where = where,
        .alloc = alloc,
        .err = err,
    };
    if (!tree->n_nodes)
        return pail_fail(err, PAIL_ERR_DATA, "%s: the tree has no nodes", where);
    if (tree->n_nodes > PAIL_AD_MAX_NODES)
        return fail_node(&check, PAIL_AD_MAX_NODES,
                         "one too many: a tree has at most %u, this one %zu", PAIL_AD_MAX_NODES,
                         tree->n_nodes);
    check.n = (uint32_t)tree->n_nodes;
    check.used = pail_calloc(alloc, check.n, 1);
    check.depth = pail_calloc(alloc, check.n, 1);
    check.n_free = pail_calloc(alloc, check.n, 1);
    check.first_free = pail_calloc(alloc, check.n, sizeof(check.first_free[0]));
    pail_status status;
    if (check.used && check.depth && check.n_free && check.first_free)
        status = check_all(&check);
    else
        status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "%s: no host memory to check %u nodes", where,
                           check.n);
    pail_free(alloc, check.used);
    pail_free(alloc, check.depth);
    pail_free(alloc, check.n_free);
    pail_free(alloc, check.first_free);
    pail_free(alloc, check.pool);
    return status;
}
