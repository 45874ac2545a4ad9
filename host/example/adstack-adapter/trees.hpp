// SPDX-License-Identifier: Apache-2.0
/* Descriptions of tasks as a compiler has them, as far as adapter.hpp reads them. A compiler's own
 * structs take the place of these: only the names of members matter. */
#ifndef PAIL_EXAMPLE_ADSTACK_ADAPTER_TREES_HPP
#define PAIL_EXAMPLE_ADSTACK_ADAPTER_TREES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace compiler
{

/* Kinds: 0 const_value, 1 field, 2 +, 3 - (at least 0), 4 *, 5 max, 6 max over a range, 7 variable,
 * 8 extent of an argument, 9 element of an argument, whose type is const_value. Operands are
 * earlier nodes, or -1. Of a range operand_a and operand_b are begin and end. An index below 0 is
 * the variable -(index + 1). */
struct node {
    int32_t kind = 0;
    int64_t const_value = 0;
    int32_t snode_id = -1;
    std::vector<int32_t> indices;
    int32_t operand_a = -1, operand_b = -1, var_id = -1, body_node_idx = -1;
    std::vector<int32_t> arg_id_path;
    int32_t arg_shape_axis = -1;
};

/* Without nodes the size is the one of compile time. */
struct expression {
    std::vector<node> nodes;
};

enum class heap { FLOAT, INT };

/* A row of the float heap for each cell of one array that passes a comparison. */
struct gate {
    int cmp_op = 0;
    bool field_dtype_is_float = true, field_dtype_is_double = false;
    float literal_f32 = 0;
    double literal_f64 = 0;
    int32_t literal_i32 = 0;
    bool polarity = true;
    uint32_t loop_iter_static = 0; /* turns of the loop; 0: those of the expression, if it has one */
    expression loop_iter_size_expr;
};

/* For 64-bit numbers: expressions beside the stacks, and the bytes of a value with its adjoint. */
struct wide_stack {
    size_t max_size_compile_time = 0, entry_size_bytes = 0;
    heap heap_kind = heap::FLOAT;
};
struct wide_task {
    std::vector<wide_stack> allocas;
    std::vector<expression> size_exprs;
    std::optional<gate> bound_expr;
    uint32_t registry_id = 0; /* built into code; 0: none */
    int32_t task_id_in_kernel = 0;
};

/* For words. */
struct stack {
    heap heap_kind = heap::FLOAT;
    uint32_t max_size_compile_time = 0;
    expression size_expr;
};
struct task {
    std::vector<stack> allocas;
    std::optional<gate> bound_expr;
    uint32_t registry_id = 0;
};

} /* namespace compiler */

#endif
