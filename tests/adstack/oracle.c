/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* A variable and what is around it. */
struct scope {
    const struct scope *around;
    int32_t variable;
    int64_t value;
};

struct walk {
    const pail_tree *tree;
    const pail_binding *bindings;
    bool clamped, wraps;
    uint64_t steps; /* left */
    bool tired;
};

struct result {
    bool error;
    wide v;
};

static struct result value_of(struct walk *walk, int64_t number, const struct scope *scope);

static const struct result failed = {.error = true};

static struct result fit(wide v)
{
    return v < INT64_MIN || v > INT64_MAX ? failed : (struct result){.v = v};
}

static int64_t look_up(const struct scope *scope, int32_t variable)
{
    while (scope->variable != variable)
        scope = scope->around;
    return scope->value;
}

static int64_t load(const uint8_t *p, uint32_t dtype)
{
    static const uint8_t bytes[] = {
        [PAIL_DTYPE_I8] = 1, [PAIL_DTYPE_I16] = 2, [PAIL_DTYPE_I32] = 4, [PAIL_DTYPE_I64] = 8,
        [PAIL_DTYPE_U8] = 1, [PAIL_DTYPE_U16] = 2, [PAIL_DTYPE_U32] = 4, [PAIL_DTYPE_U64] = 8};
    uint64_t bits = 0;
    for (uint32_t i = bytes[dtype]; i-- > 0;)
        bits = bits << 8 | p[i];
    if (dtype <= PAIL_DTYPE_I64 && bytes[dtype] < 8 && bits >> (8 * bytes[dtype] - 1))
        bits |= UINT64_MAX << 8 * bytes[dtype];
    int64_t v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static int64_t stride_of(const pail_binding *binding, uint32_t axis, uint32_t bytes)
{
    if (binding->stride_bytes)
        return binding->stride_bytes[axis];
    int64_t stride = bytes;
    for (uint32_t k = binding->rank; k-- > axis + 1;)
        stride *= binding->shape[k];
    return stride;
}

static struct result read(struct walk *walk, const pail_node *node, const struct scope *scope)
{
    const pail_binding *binding = &walk->bindings[node->source];
    const uint32_t bytes = 1u << ((node->dtype - PAIL_DTYPE_I8) % 5);
    const uint8_t *p = binding->host;
    bool outside = false;
    for (uint32_t k = 0; k < node->index_count; k++) {
        int64_t index = walk->tree->indices[node->index_first + k];
        if (node->kind == PAIL_NODE_READ_AT) {
            const struct result at = value_of(walk, index, scope);
            if (at.error)
                return failed;
            index = (int64_t)at.v;
        } else if (index < 0) {
            index = look_up(scope, (int32_t)(-(index + 1)));
        }
        outside = outside || index < 0 || index >= binding->shape[k];
        if (!outside)
            p += index * stride_of(binding, k, bytes);
    }
    return outside || walk->tired ? failed : (struct result){.v = load(p, node->dtype)};
}

/* ---- PAIL_KERNEL_CLAMP_RANGES ---------------------------------------------------------------- */
/* Iterations of a range without those that read outside, which follow one another. */
struct limits {
    const pail_node *range, *inner; /* the range, and the innermost directly in it so far */
    int64_t first, end;
    bool none;
};

static bool is_bound_between(const struct walk *walk, const struct limits *limits, int32_t variable)
{
    for (const pail_node *r = limits->range; r != limits->inner;) {
        r = &walk->tree->nodes[r->body];
        if (r->variable == variable)
            return true;
    }
    return false;
}

static void limit(struct walk *walk, int64_t number, const struct scope *scope,
                  struct limits *limits)
{
    const pail_node *node = &walk->tree->nodes[number];
    walk->tired = walk->tired || !walk->steps;
    walk->steps -= !walk->tired;
    if (walk->tired)
        return;
    if (node->kind == PAIL_NODE_READ_AT) {
        for (uint32_t k = 0; k < node->index_count; k++)
            limit(walk, walk->tree->indices[node->index_first + k], scope, limits);
    } else if (node->kind == PAIL_NODE_ARRAY_READ || node->kind == PAIL_NODE_FIELD_READ) {
        for (uint32_t k = 0; k < node->index_count; k++) {
            const int64_t index = walk->tree->indices[node->index_first + k];
            const int64_t n = walk->bindings[node->source].shape[k];
            const int32_t variable = index < 0 ? (int32_t)(-(index + 1)) : -1;
            if (variable >= 0 && is_bound_between(walk, limits, variable))
                continue;
            if (variable == limits->range->variable) {
                limits->first = limits->first > 0 ? limits->first : 0;
                limits->end = limits->end < n ? limits->end : n;
                continue;
            }
            const int64_t at = variable >= 0 ? look_up(scope, variable) : index;
            limits->none = limits->none || at < 0 || at >= n;
        }
    } else if (node->kind != PAIL_NODE_CONST && node->kind != PAIL_NODE_VARIABLE &&
               node->kind != PAIL_NODE_SHAPE) {
        limit(walk, node->a, scope, limits);
        if (node->kind != PAIL_NODE_SELECT_POSITIVE)
            limit(walk, node->b, scope, limits);
    }
}

static struct limits limits_of(struct walk *walk, const pail_node *range, const struct scope *scope)
{
    struct limits limits = {.range = range, .inner = range, .first = INT64_MIN, .end = INT64_MAX};
    while (walk->clamped && walk->tree->nodes[limits.inner->body].kind == range->kind) {
        const pail_node *inner = &walk->tree->nodes[limits.inner->body];
        limit(walk, inner->a, scope, &limits);
        limit(walk, inner->b, scope, &limits);
        limits.inner = inner;
    }
    if (walk->clamped)
        limit(walk, limits.inner->body, scope, &limits);
    return limits;
}

/* A sum directly under a sum is not looked at for itself. */
static struct result range(struct walk *walk, const pail_node *node, const struct scope *scope)
{
    struct result begin = value_of(walk, node->a, scope);
    struct result end = value_of(walk, node->b, scope);
    if (begin.error || end.error)
        return failed;
    const struct limits limits = limits_of(walk, node, scope);
    begin.v = begin.v > limits.first ? begin.v : limits.first;
    end.v = limits.none ? begin.v : end.v < limits.end ? end.v : limits.end;
    if (end.v - begin.v > (wide)1 << 48)
        return failed;
    const bool sum = node->kind == PAIL_NODE_SUM_OVER_RANGE;
    const pail_node *body = &walk->tree->nodes[node->body];
    struct result total = {0};
    struct scope inner = {.around = scope, .variable = node->variable};
    for (wide i = begin.v; i < end.v && !walk->tired; i++) {
        inner.value = (int64_t)i;
        const struct result turn = sum && body->kind == PAIL_NODE_SUM_OVER_RANGE
                                       ? range(walk, body, &inner)
                                       : value_of(walk, node->body, &inner);
        total.error = total.error || turn.error;
        if (sum)
            total.v += turn.v;
        else if (turn.v > total.v)
            total.v = turn.v;
    }
    return total;
}

/* The low 64 bits, as a signed number. */
static struct result wrap(wide v)
{
    const wide turn = (wide)1 << 64, low = ((v % turn) + turn) % turn;
    return (struct result){.v = low > INT64_MAX ? low - turn : low};
}

static struct result binary(const struct walk *walk, uint32_t kind, wide a, wide b)
{
    if (walk->wraps && (kind == PAIL_NODE_ADD || kind == PAIL_NODE_MUL))
        return wrap(kind == PAIL_NODE_ADD ? a + b : a * b);
    if (walk->wraps && kind == PAIL_NODE_SUB)
        return wrap(a - b).v > 0 ? wrap(a - b) : (struct result){.v = 0};
    switch (kind) {
    case PAIL_NODE_ADD:
        return fit(a + b);
    case PAIL_NODE_SUB:
        return fit(a > b ? a - b : 0);
    case PAIL_NODE_MUL:
        return fit(a * b);
    case PAIL_NODE_MAX:
        return fit(a > b ? a : b);
    case PAIL_NODE_MIN:
        return fit(a < b ? a : b);
    default:
        break;
    }
    if (b == 0)
        return failed;
    wide quotient = a / b;
    while (quotient * b > a ? b > 0 : quotient * b < a && b < 0)
        quotient--;
    return fit(kind == PAIL_NODE_FLOOR_DIV ? quotient : a - quotient * b);
}

static struct result value_of(struct walk *walk, int64_t number, const struct scope *scope)
{
    if (!walk->steps) {
        walk->tired = true;
        return failed;
    }
    walk->steps--;
    const pail_node *node = &walk->tree->nodes[number];
    switch (node->kind) {
    case PAIL_NODE_CONST:
        return fit(node->imm);
    case PAIL_NODE_VARIABLE:
        return fit(look_up(scope, node->variable));
    case PAIL_NODE_SHAPE:
        return fit(walk->bindings[node->source].shape[node->axis]);
    case PAIL_NODE_FIELD_READ:
    case PAIL_NODE_ARRAY_READ:
    case PAIL_NODE_READ_AT:
        return read(walk, node, scope);
    case PAIL_NODE_MAX_OVER_RANGE:
    case PAIL_NODE_SUM_OVER_RANGE: {
        const struct result total = range(walk, node, scope);
        return total.error ? failed : fit(total.v);
    }
    case PAIL_NODE_SELECT_POSITIVE: {
        const struct result a = value_of(walk, node->a, scope);
        return a.error ? failed : value_of(walk, a.v > 0 ? node->b : node->body, scope);
    }
    default: {
        const struct result a = value_of(walk, node->a, scope);
        const struct result b = value_of(walk, node->b, scope);
        return a.error || b.error ? failed : binary(walk, node->kind, a.v, b.v);
    }
    }
}

struct oracle oracle_evaluate(const pail_tree *tree, const pail_binding bindings[], uint32_t flags,
                              uint64_t steps)
{
    struct walk walk = {.tree = tree,
                        .bindings = bindings,
                        .clamped = flags & PAIL_KERNEL_CLAMP_RANGES,
                        .wraps = flags & PAIL_KERNEL_WRAP_ARITHMETIC,
                        .steps = steps};
    const struct result result = value_of(&walk, (int64_t)tree->n_nodes - 1, NULL);
    if (walk.tired)
        return (struct oracle){.state = ORACLE_TIRED};
    if (result.error)
        return (struct oracle){.state = ORACLE_ERROR};
    return (struct oracle){.state = ORACLE_VALUE, .v = (int64_t)result.v};
}
