/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: trees of <pail/adstack.h>, built by function calls. Header only; nothing is allocated and
 * no backend is called. C11, and C++11 with operators (namespace pail, below).
 *
 *     pail_node nodes[8];
 *     int64_t indices[1];
 *     const int64_t at[] = {PAIL_TREE_INDEX(0)};
 *     pail_tree_builder b = pail_tree_begin(nodes, 8, indices, 1);
 *     const int32_t zero = pail_tree_const(&b, 0);
 *     const int32_t end = pail_tree_shape(&b, STEPS, 0);
 *     const int32_t step = pail_tree_read(&b, STEPS, PAIL_DTYPE_I32, 1, at);
 *     const int32_t deepest = pail_tree_max_over(&b, 0, zero, end, step);
 *     pail_tree tree;
 *     const pail_status status = pail_tree_end(&b, deepest, &tree);
 *
 * Functions append nodes and return their numbers, the operands of later nodes. A call that has no
 * room, or an operand that is no earlier node, returns -1, makes all later calls return -1, and is
 * reported by pail_tree_end. Other rules of trees are checked at registration, where errors name
 * the node. */
#ifndef PAIL_ADSTACK_BUILD_H
#define PAIL_ADSTACK_BUILD_H

#include <pail/adstack.h>
#include <pail/status.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Members are for the functions below. The caller owns both arrays, which the tree points to. */
typedef struct pail_tree_builder {
    pail_node *nodes;
    size_t n_nodes, max_nodes;
    int64_t *indices;
    size_t n_indices, max_indices;
    pail_status status; /* PAIL_OK; PAIL_ERR_HOST_MEMORY: no room; PAIL_ERR_ARGUMENT: an operand */
    uint32_t reserved;
} pail_tree_builder;

/* Index of pail_tree_read that is variable v. Other indices are literals from 0 on. */
#define PAIL_TREE_INDEX(v) (-(int64_t)(v)-1)

/* Begins a tree in nodes: [max_nodes] and indices: [max_indices], which may be NULL for 0. */
static inline pail_tree_builder pail_tree_begin(pail_node *nodes, size_t max_nodes,
                                                int64_t *indices, size_t max_indices)
{
    const pail_tree_builder b = {nodes, 0, max_nodes, indices, 0, max_indices, PAIL_OK, 0};
    return b;
}

/* Writes the tree whose root is the node `root`. Nodes behind it are left out; the builder may go
 * on. On failure *tree is empty: PAIL_ERR_HOST_MEMORY if there was no room for a node or an index,
 * PAIL_ERR_ARGUMENT if an operand or the root is not a node. */
static inline pail_status pail_tree_end(const pail_tree_builder *b, int32_t root, pail_tree *tree)
{
    const pail_tree none = {NULL, 0, NULL, 0};
    *tree = none;
    if (b->status != PAIL_OK)
        return b->status;
    if (root < 0 || (size_t)root >= b->n_nodes)
        return PAIL_ERR_ARGUMENT;
    tree->nodes = b->nodes;
    tree->n_nodes = (size_t)root + 1;
    tree->indices = b->indices;
    tree->n_indices = b->n_indices;
    return PAIL_OK;
}

/* ---- Any node ---------------------------------------------------------------------------------
 */

/* A node of this kind without operands. */
static inline pail_node pail_tree_node(pail_node_kind kind)
{
    const pail_node node = {(uint16_t)kind, 0, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0};
    return node;
}

/* Appends the node as it is, for kinds that have no function here. */
static inline int32_t pail_tree_put(pail_tree_builder *b, pail_node node)
{
    if (b->status != PAIL_OK)
        return -1;
    if (b->n_nodes == b->max_nodes || b->n_nodes == INT32_MAX) {
        b->status = PAIL_ERR_HOST_MEMORY;
        return -1;
    }
    b->nodes[b->n_nodes] = node;
    return (int32_t)b->n_nodes++;
}

/* Checks an operand; a wrong one is reported by pail_tree_end. */
static inline int32_t pail_tree_operand(pail_tree_builder *b, int32_t operand)
{
    if (b->status == PAIL_OK && (operand < 0 || (size_t)operand >= b->n_nodes))
        b->status = PAIL_ERR_ARGUMENT;
    return operand;
}

/* ---- Values -----------------------------------------------------------------------------------
 */

static inline int32_t pail_tree_const(pail_tree_builder *b, int64_t value)
{
    pail_node node = pail_tree_node(PAIL_NODE_CONST);
    node.imm = value;
    return pail_tree_put(b, node);
}

/* The variable of an enclosing range, by the number that the range gives it. */
static inline int32_t pail_tree_variable(pail_tree_builder *b, int32_t variable)
{
    pail_node node = pail_tree_node(PAIL_NODE_VARIABLE);
    node.variable = variable;
    return pail_tree_put(b, node);
}

/* Elements of the array `source` along an axis. */
static inline int32_t pail_tree_shape(pail_tree_builder *b, int32_t source, int32_t axis)
{
    pail_node node = pail_tree_node(PAIL_NODE_SHAPE);
    node.source = source;
    node.axis = axis;
    return pail_tree_put(b, node);
}

/* Operation of two nodes: ADD, SUB, MUL, MAX, MIN, FLOOR_DIV or MOD. */
static inline int32_t pail_tree_op(pail_tree_builder *b, pail_node_kind kind, int32_t first,
                                   int32_t second)
{
    pail_node node = pail_tree_node(kind);
    node.a = pail_tree_operand(b, first);
    node.b = pail_tree_operand(b, second);
    return pail_tree_put(b, node);
}

/* condition > 0 ? positive : otherwise */
static inline int32_t pail_tree_select(pail_tree_builder *b, int32_t condition, int32_t positive,
                                       int32_t otherwise)
{
    pail_node node = pail_tree_node(PAIL_NODE_SELECT_POSITIVE);
    node.a = pail_tree_operand(b, condition);
    node.b = pail_tree_operand(b, positive);
    node.body = pail_tree_operand(b, otherwise);
    return pail_tree_put(b, node);
}

/* ---- Comparisons ------------------------------------------------------------------------------
 * Conditions of gates, for trees that count rows (PAIL_HEAP_ROWS). A function returns the node of
 * `yes` where the comparison holds, otherwise of `no`; with both exchanged it is the negation. */
typedef enum pail_tree_comparison {
    PAIL_TREE_LESS = 0,
    PAIL_TREE_LESS_EQUAL = 1,
    PAIL_TREE_GREATER = 2,
    PAIL_TREE_GREATER_EQUAL = 3,
    PAIL_TREE_EQUAL = 4,
    PAIL_TREE_NOT_EQUAL = 5
} pail_tree_comparison;

/* first <= value <= last ? inside : outside. Both bounds are at least 0 and below 2^63 - 1, or both
 * are below -1; lowest: the least number of value's type. No difference that matters overflows or
 * wraps, whatever value is. */
static inline int32_t pail_tree_within_(pail_tree_builder *b, int32_t value, int64_t first,
                                        int64_t last, int64_t lowest, int32_t inside,
                                        int32_t outside)
{
    const int is_wide = lowest == INT64_MIN; /* differences of others fit 64 bits */
    int32_t node = inside, near = value;     /* near: no further than where the bounds' sign ends */
    if (first < 0 ? is_wide || first > lowest : is_wide && first > 0)
        near = pail_tree_op(b, first < 0 ? PAIL_NODE_MIN : PAIL_NODE_MAX, value,
                            pail_tree_const(b, first < 0 ? -1 : 0));
    if (first > lowest) { /* matters for values up to `last` alone */
        const int32_t before = pail_tree_const(b, first - 1);
        node = pail_tree_select(b, pail_tree_op(b, PAIL_NODE_SUB, near, before), inside, outside);
    }
    const int32_t end = pail_tree_const(b, last + 1);
    int32_t above = is_wide ? near : value;
    if (first >= 0 && near == value)
        above = pail_tree_op(b, PAIL_NODE_MAX, value, pail_tree_const(b, 0));
    return pail_tree_select(b, pail_tree_op(b, PAIL_NODE_SUB, end, above), node, outside);
}

/* bits: node with the bits of the element. constant: bits of what it is compared with; infinity:
 * bits of the infinity; lowest: bits of -0. Returns a node: `yes` where the comparison holds,
 * otherwise `no`. */
static inline int32_t pail_tree_compare_bits_(pail_tree_builder *b, pail_tree_comparison comparison,
                                              int32_t bits, int64_t constant, int64_t infinity,
                                              int64_t lowest, int32_t yes, int32_t no)
{
    const int64_t magnitude = constant < 0 ? constant - lowest : constant;
    const int is_zero = magnitude == 0, is_negative = constant < 0 && !is_zero;
    const int is_equal = comparison == PAIL_TREE_LESS_EQUAL ||
                         comparison == PAIL_TREE_GREATER_EQUAL || comparison >= PAIL_TREE_EQUAL;
    const int is_less = comparison <= PAIL_TREE_LESS_EQUAL;
    const int is_greater = comparison == PAIL_TREE_GREATER || comparison == PAIL_TREE_GREATER_EQUAL;
    /* Magnitudes from and to which elements of either sign satisfy it; none where from > to. */
    int64_t positive[2] = {1, 0}, negative[2] = {1, 0};
    if (magnitude <= infinity) { /* no NaN */
        if (is_zero || !is_negative) {
            positive[0] = is_less ? 0 : magnitude + !is_equal;
            positive[1] = is_greater ? infinity : magnitude - !is_equal;
        } else if (is_greater) {
            positive[0] = 0;
            positive[1] = infinity;
        }
        if (is_zero || is_negative) {
            negative[0] = is_greater ? 0 : magnitude + !is_equal;
            negative[1] = is_less ? infinity : magnitude - !is_equal;
        } else if (is_less) {
            negative[0] = 0;
            negative[1] = infinity;
        }
    }
    if (comparison == PAIL_TREE_NOT_EQUAL) {
        const int32_t swapped = yes;
        yes = no;
        no = swapped;
    }
    int32_t node = no;
    if (negative[0] <= negative[1])
        node = pail_tree_within_(b, bits, lowest + negative[0], lowest + negative[1], lowest, yes,
                                 node);
    if (positive[0] <= positive[1])
        node = pail_tree_within_(b, bits, positive[0], positive[1], lowest, yes, node);
    return node;
}

/* Compares two integers whose difference fits 64 bits, as that of elements of 32 bits does. */
static inline int32_t pail_tree_compare(pail_tree_builder *b, pail_tree_comparison comparison,
                                        int32_t first, int32_t second, int32_t yes, int32_t no)
{
    const int swapped = comparison == PAIL_TREE_LESS_EQUAL ||
                        comparison == PAIL_TREE_GREATER_EQUAL || comparison == PAIL_TREE_EQUAL;
    const int32_t positive = swapped ? no : yes;
    int32_t otherwise = swapped ? yes : no;
    if (comparison == PAIL_TREE_EQUAL || comparison == PAIL_TREE_NOT_EQUAL)
        otherwise =
            pail_tree_select(b, pail_tree_op(b, PAIL_NODE_SUB, second, first), positive, otherwise);
    if (comparison == PAIL_TREE_LESS || comparison == PAIL_TREE_GREATER_EQUAL)
        return pail_tree_select(b, pail_tree_op(b, PAIL_NODE_SUB, second, first), positive,
                                otherwise);
    return pail_tree_select(b, pail_tree_op(b, PAIL_NODE_SUB, first, second), positive, otherwise);
}

/* Compares a float, whose bits are read as PAIL_DTYPE_I32, with a constant, as IEEE 754 has it: NaN
 * is unequal to everything, and -0 equals 0. */
static inline int32_t pail_tree_compare_float(pail_tree_builder *b, pail_tree_comparison comparison,
                                              int32_t bits, float constant, int32_t yes, int32_t no)
{
    int32_t word;
    memcpy(&word, &constant, sizeof word);
    return pail_tree_compare_bits_(b, comparison, bits, word, 0x7f800000, INT32_MIN, yes, no);
}

/* The same of a double, whose bits are read as PAIL_DTYPE_I64. */
static inline int32_t pail_tree_compare_double(pail_tree_builder *b,
                                               pail_tree_comparison comparison, int32_t bits,
                                               double constant, int32_t yes, int32_t no)
{
    int64_t word;
    memcpy(&word, &constant, sizeof word);
    return pail_tree_compare_bits_(b, comparison, bits, word, INT64_C(0x7ff0000000000000),
                                   INT64_MIN, yes, no);
}

/* ---- Ranges -----------------------------------------------------------------------------------
 */

/* MAX_OVER_RANGE or SUM_OVER_RANGE of `body` for `variable` in [begin, end). */
static inline int32_t pail_tree_over(pail_tree_builder *b, pail_node_kind kind, int32_t variable,
                                     int32_t begin, int32_t end, int32_t body)
{
    pail_node node = pail_tree_node(kind);
    node.a = pail_tree_operand(b, begin);
    node.b = pail_tree_operand(b, end);
    node.body = pail_tree_operand(b, body);
    node.variable = variable;
    return pail_tree_put(b, node);
}

static inline int32_t pail_tree_max_over(pail_tree_builder *b, int32_t variable, int32_t begin,
                                         int32_t end, int32_t body)
{
    return pail_tree_over(b, PAIL_NODE_MAX_OVER_RANGE, variable, begin, end, body);
}

static inline int32_t pail_tree_sum_over(pail_tree_builder *b, int32_t variable, int32_t begin,
                                         int32_t end, int32_t body)
{
    return pail_tree_over(b, PAIL_NODE_SUM_OVER_RANGE, variable, begin, end, body);
}

/* ---- Elements of arrays -----------------------------------------------------------------------
 */

/* Appends an index of the read that pail_tree_read_from makes. */
static inline void pail_tree_put_index(pail_tree_builder *b, int64_t index)
{
    if (b->status == PAIL_OK && b->n_indices == b->max_indices)
        b->status = PAIL_ERR_HOST_MEMORY;
    if (b->status == PAIL_OK)
        b->indices[b->n_indices++] = index;
}

/* Element by a node of kind ARRAY_READ, FIELD_READ or READ_AT at all indices from number `first`
 * on. */
static inline int32_t pail_tree_read_from(pail_tree_builder *b, pail_node_kind kind, int32_t source,
                                          pail_dtype dtype, size_t first)
{
    pail_node node = pail_tree_node(kind);
    node.source = source;
    node.dtype = (uint16_t)dtype;
    node.index_first = (uint32_t)first;
    node.index_count = (uint32_t)(b->n_indices - first);
    return pail_tree_put(b, node);
}

/* Element of the array `source`. indices: [n], one for each axis: a literal, or PAIL_TREE_INDEX. */
static inline int32_t pail_tree_read(pail_tree_builder *b, int32_t source, pail_dtype dtype,
                                     size_t n, const int64_t indices[])
{
    const size_t first = b->n_indices;
    for (size_t i = 0; i < n; i++)
        pail_tree_put_index(b, indices[i]);
    return pail_tree_read_from(b, PAIL_NODE_ARRAY_READ, source, dtype, first);
}

/* Element of the array `source` at computed indices. at: [n], a node for each axis. */
static inline int32_t pail_tree_read_at(pail_tree_builder *b, int32_t source, pail_dtype dtype,
                                        size_t n, const int32_t at[])
{
    const size_t first = b->n_indices;
    for (size_t i = 0; i < n; i++)
        pail_tree_put_index(b, pail_tree_operand(b, at[i]));
    return pail_tree_read_from(b, PAIL_NODE_READ_AT, source, dtype, first);
}

/* ---- Claims -----------------------------------------------------------------------------------
 * Units of a thread's part of a heap with one stack of `entries` entries, at least one: round_up(
 * header_bytes + copies * element_bytes * entries, alignment), in bytes or, of a task with
 * PAIL_TASK_ELEMENT_UNITS, in units of 4 bytes. Added up for all stacks of a heap and summed over
 * the threads it is a tree for PAIL_HEAP_FLOAT_CLAIMS or PAIL_HEAP_INT_CLAIMS. task_flags:
 * pail_task_flag; of the stack the tree is not looked at. */
static inline int32_t pail_tree_part(pail_tree_builder *b, int32_t entries,
                                     const pail_stack_desc *stack, uint32_t task_flags)
{
    const int64_t unit = task_flags & PAIL_TASK_ELEMENT_UNITS ? 4 : 1;
    const int64_t entry = (int64_t)stack->copies * stack->element_bytes / unit;
    const int64_t header = stack->header_bytes / unit, alignment = stack->alignment / unit;
    const int uneven = alignment > 1 && (entry % alignment != 0 || header % alignment != 0);
    const int64_t more = uneven ? header + alignment - 1 : header;
    int32_t node = pail_tree_op(b, PAIL_NODE_MAX, entries, pail_tree_const(b, 1));
    if (entry != 1)
        node = pail_tree_op(b, PAIL_NODE_MUL, node, pail_tree_const(b, entry));
    if (more != 0)
        node = pail_tree_op(b, PAIL_NODE_ADD, node, pail_tree_const(b, more));
    if (!uneven)
        return node;
    node = pail_tree_op(b, PAIL_NODE_FLOOR_DIV, node, pail_tree_const(b, alignment));
    return pail_tree_op(b, PAIL_NODE_MUL, node, pail_tree_const(b, alignment));
}

#ifdef __cplusplus
} /* extern "C" */

/* ---- C++ --------------------------------------------------------------------------------------
 *     pail::tree_storage<8, 1> storage;
 *     pail::tree_builder t(storage);
 *     const pail::tree_variable i(0);
 *     const pail::tree_node step = t.read(STEPS, PAIL_DTYPE_I32, {i});
 *     const pail::tree_node deepest = t.max_over(i, 0, t.shape(STEPS, 0), step);
 *     pail_tree tree;
 *     const pail_status status = t.end(deepest, &tree);
 *
 * Integers are constants. A builder outlives its nodes, and the storage the tree. Nothing throws.
 */
#include <initializer_list>
#include <type_traits>

namespace pail
{

class tree_builder;

/* A node of a builder, with the operators + - * / % and max, min, select_positive. */
class tree_node
{
  public:
    int32_t number() const
    {
        return number_;
    }
    tree_builder *builder() const
    {
        return builder_;
    }

  private:
    friend class tree_builder;
    tree_node(tree_builder *builder, int32_t number) : builder_(builder), number_(number)
    {
    }
    tree_builder *builder_;
    int32_t number_;
};

/* Variable of a range. It is an index of reads, and a node by tree_builder::value. */
struct tree_variable {
    explicit tree_variable(int32_t variable_number) : number(variable_number)
    {
    }
    int32_t number;
};

/* Operand: a node, a constant or a variable. */
class tree_value
{
  public:
    tree_value(tree_node node) : kind_(NODE), number_(node.number())
    {
    }
    tree_value(tree_variable variable) : kind_(VARIABLE), number_(variable.number)
    {
    }
    template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
    tree_value(T constant) : kind_(CONSTANT), number_(static_cast<int64_t>(constant))
    {
    }

  private:
    friend class tree_builder;
    enum kind { NODE, VARIABLE, CONSTANT } kind_;
    int64_t number_;
};

/* Room for a tree. */
template <size_t max_nodes, size_t max_indices>
struct tree_storage {
    pail_node nodes[max_nodes];
    int64_t indices[max_indices > 0 ? max_indices : 1];
};

class tree_builder
{
  public:
    tree_builder(pail_node *nodes, size_t max_nodes, int64_t *indices, size_t max_indices)
        : b_(pail_tree_begin(nodes, max_nodes, indices, max_indices))
    {
    }
    template <size_t max_nodes, size_t max_indices>
    explicit tree_builder(tree_storage<max_nodes, max_indices> &storage)
        : b_(pail_tree_begin(storage.nodes, max_nodes, storage.indices, max_indices))
    {
    }
    tree_builder(const tree_builder &) = delete;
    tree_builder &operator=(const tree_builder &) = delete;

    tree_node value(tree_value v)
    {
        return node(number(v));
    }
    tree_node shape(int32_t source, int32_t axis)
    {
        return node(pail_tree_shape(&b_, source, axis));
    }
    tree_node op(pail_node_kind kind, tree_value first, tree_value second)
    {
        const int32_t a = number(first);
        return node(pail_tree_op(&b_, kind, a, number(second)));
    }
    tree_node select_positive(tree_value condition, tree_value positive, tree_value otherwise)
    {
        const int32_t a = number(condition), p = number(positive);
        return node(pail_tree_select(&b_, a, p, number(otherwise)));
    }
    /* Comparisons; yes and no are constants or nodes. */
    tree_node compare(pail_tree_comparison comparison, tree_value first, tree_value second,
                      tree_value yes = 1, tree_value no = 0)
    {
        const int32_t a = number(first), c = number(second), y = number(yes);
        return node(pail_tree_compare(&b_, comparison, a, c, y, number(no)));
    }
    tree_node compare_float(pail_tree_comparison comparison, tree_node bits, float constant,
                            tree_value yes = 1, tree_value no = 0)
    {
        const int32_t y = number(yes);
        return node(
            pail_tree_compare_float(&b_, comparison, bits.number(), constant, y, number(no)));
    }
    tree_node compare_double(pail_tree_comparison comparison, tree_node bits, double constant,
                             tree_value yes = 1, tree_value no = 0)
    {
        const int32_t y = number(yes);
        return node(
            pail_tree_compare_double(&b_, comparison, bits.number(), constant, y, number(no)));
    }
    tree_node part(tree_value entries, const pail_stack_desc &stack, uint32_t task_flags)
    {
        return node(pail_tree_part(&b_, number(entries), &stack, task_flags));
    }
    tree_node max_over(tree_variable variable, tree_value begin, tree_value end, tree_value body)
    {
        return over(PAIL_NODE_MAX_OVER_RANGE, variable, begin, end, body);
    }
    tree_node sum_over(tree_variable variable, tree_value begin, tree_value end, tree_value body)
    {
        return over(PAIL_NODE_SUM_OVER_RANGE, variable, begin, end, body);
    }
    /* Element at constants and variables, an ARRAY_READ, or at any values, a READ_AT. */
    tree_node read(int32_t source, pail_dtype dtype, std::initializer_list<tree_value> at)
    {
        const size_t first = b_.n_indices;
        bool computed = false;
        for (const tree_value &v : at)
            computed = computed || v.kind_ == tree_value::NODE ||
                       (v.kind_ == tree_value::CONSTANT && v.number_ < 0);
        for (const tree_value &v : at)
            pail_tree_put_index(&b_, computed                          ? number(v)
                                     : v.kind_ == tree_value::VARIABLE ? PAIL_TREE_INDEX(v.number_)
                                                                       : v.number_);
        return node(pail_tree_read_from(&b_, computed ? PAIL_NODE_READ_AT : PAIL_NODE_ARRAY_READ,
                                        source, dtype, first));
    }
    pail_status end(tree_node root, pail_tree *tree) const
    {
        return pail_tree_end(&b_, root.number(), tree);
    }

  private:
    tree_node node(int32_t number)
    {
        return tree_node(this, number);
    }
    int32_t number(tree_value v)
    {
        return v.kind_ == tree_value::CONSTANT ? pail_tree_const(&b_, v.number_)
               : v.kind_ == tree_value::VARIABLE
                   ? pail_tree_variable(&b_, static_cast<int32_t>(v.number_))
                   : static_cast<int32_t>(v.number_);
    }
    tree_node over(pail_node_kind kind, tree_variable variable, tree_value begin, tree_value end,
                   tree_value body)
    {
        const int32_t first = number(begin), last = number(end);
        return node(pail_tree_over(&b_, kind, variable.number, first, last, number(body)));
    }
    pail_tree_builder b_;
};

#define PAIL_TREE_OPERATOR_(name, kind)                                                            \
    inline tree_node name(tree_node a, tree_value b)                                               \
    {                                                                                              \
        return a.builder()->op(kind, a, b);                                                        \
    }                                                                                              \
    inline tree_node name(int64_t a, tree_node b)                                                  \
    {                                                                                              \
        return b.builder()->op(kind, a, b);                                                        \
    }
PAIL_TREE_OPERATOR_(operator+, PAIL_NODE_ADD)
PAIL_TREE_OPERATOR_(operator-, PAIL_NODE_SUB) /* at least 0 */
PAIL_TREE_OPERATOR_(operator*, PAIL_NODE_MUL)
PAIL_TREE_OPERATOR_(operator/, PAIL_NODE_FLOOR_DIV)
PAIL_TREE_OPERATOR_(operator%, PAIL_NODE_MOD)
PAIL_TREE_OPERATOR_(max, PAIL_NODE_MAX)
PAIL_TREE_OPERATOR_(min, PAIL_NODE_MIN)
#undef PAIL_TREE_OPERATOR_

} /* namespace pail */
#endif

#endif /* PAIL_ADSTACK_BUILD_H */
