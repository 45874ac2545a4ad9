// SPDX-License-Identifier: Apache-2.0
/* From an autodiff compiler's own descriptions of its stacks to Pail. The compiler has for each
 * task a list of stacks, a serialised size expression for each, and perhaps a gate. Its structs are
 * taken as they are, by the names of their members; trees.hpp has the same. docs/from/adstack.md
 * says what is called when. Whatever is refused throws `refused`. */
#ifndef PAIL_EXAMPLE_ADSTACK_ADAPTER_HPP
#define PAIL_EXAMPLE_ADSTACK_ADAPTER_HPP
#include <pail/adstack_build.h>
#include <pail/backend.h>
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace adapter {
struct refused : std::runtime_error { using std::runtime_error::runtime_error; };
/* Semantics that differ from Pail's. */
struct options {
    bool wrapping_arithmetic = false; /* otherwise values beyond 64 bits are errors */
    bool clamp_ranges = true; /* ends of ranges may pass the axes that are read */
    int less = 15; /* the number of < among comparisons; <=, >, >=, == and != follow */
    /* pail_dtype of a field's elements, which expressions do not have */
    std::function<uint16_t(int field)> field_type = [](int) { return PAIL_DTYPE_I32; };
};
struct wide_sizes {
    uint64_t stride_float, stride_int;
    std::vector<uint64_t> offsets, max_sizes;
};
class kernel
{
  public:
    kernel(const pail_backend *api, pail_context *context, std::string name, options how = {})
        : api_(api), context_(context), name_(std::move(name)), how_(std::move(how))
    {
    }
    kernel(const kernel &) = delete;
    ~kernel()
    {
        api_->adstack_release(result_);
        (void)api_->adstack_unregister(context_, handle_); /* 0: no such kernel */
    }
    /* A task whose stacks are pairs behind a count, in bytes, with 64-bit numbers. A negative size
     * is the one of compile time. */
    template <class Info> void add_wide_task(const Info &info)
    {
        begin_task(info.task_id_in_kernel, info.registry_id, PAIL_TASK_WIDE_METADATA);
        auto trees = info.size_exprs;
        trees.resize(info.allocas.size()); /* later ones have none */
        for (size_t i = 0; i < trees.size(); i++)
            add_stack(info.allocas[i], trees[i], info.allocas[i].entry_size_bytes);
        if (info.bound_expr)
            add_gate(*info.bound_expr);
    }
    /* A task whose stacks are blocks of values and of adjoints, in words. A negative size is 1. */
    template <class Attributes> void add_task(int32_t index, const Attributes &attributes)
    {
        begin_task(index, attributes.registry_id, PAIL_TASK_ELEMENT_UNITS);
        for (const auto &a : attributes.allocas)
            add_stack(a, a.size_expr, 0);
        if (attributes.bound_expr)
            add_gate(*attributes.bound_expr);
    }
    /* Returns the tasks' ids. */
    std::vector<uint32_t> register_all()
    {
        std::vector<pail_task_desc> tasks;
        std::vector<uint8_t> ranks;
        for (described &t : tasks_) {
            t.desc.stacks = t.stacks.data(), t.desc.n_stacks = t.stacks.size();
            tasks.push_back(t.desc);
        }
        for (const pail_binding &source : sources_)
            ranks.push_back(static_cast<uint8_t>(source.rank));
        uint32_t flags = how_.clamp_ranges ? PAIL_KERNEL_CLAMP_RANGES : 0;
        flags |= how_.wrapping_arithmetic ? PAIL_KERNEL_WRAP_ARITHMETIC : 0;
        const pail_kernel_desc desc = {sizeof desc,  flags,        name_.data(), name_.size(),
                                       tasks.data(), tasks.size(), ranks.data(), ranks.size()};
        std::vector<uint32_t> ids(tasks.size());
        check(api_->adstack_register(context_, &handle_, ids.data(), &desc));
        return ids;
    }
    /* Arrays of the next launches; those that no expression uses are passed over. Of `a` all but
     * source and dtype; shape and strides stay where they are. identity: no other array ever has
     * it, though an address may come back. generation: the compiler's, 0 too is one. A gate's cells
     * are one axis. */
    void bind_argument(const std::vector<int> &path, pail_binding a) { bind(ARGUMENT, path, a); }
    void bind_field(int field, pail_binding a) { bind(FIELD, {field}, a); }
    void bind_gate(int task, pail_binding a) { bind(GATE, {task}, a); }
    /* Sizes all tasks; threads: [tasks]. */
    void size(const std::vector<uint64_t> &threads, uint64_t serial)
    {
        std::vector<pail_task_launch> tasks(threads.size());
        for (size_t i = 0; i < threads.size(); i++)
            tasks[i].struct_size = sizeof tasks[i], tasks[i].threads = threads[i];
        pail_launch launch = {};
        launch.struct_size = sizeof launch, launch.kernel = handle_, launch.serial = serial;
        launch.bindings = sources_.data(), launch.n_bindings = sources_.size();
        launch.tasks = tasks.data(), launch.n_tasks = tasks.size();
        api_->adstack_release(result_);
        check(api_->adstack_evaluate(context_, &result_, &launch));
    }
    pail_task_size heaps(size_t task) const
    {
        pail_task_size size = {};
        size.struct_size = sizeof size;
        check(api_->adstack_task_size(result_, &size, task));
        return size;
    }
    /* float stride, int stride, offset and size of each stack, a flag that is 0 */
    std::vector<uint32_t> words(size_t task) const
    {
        size_t n = 4 + 4 * tasks_[task].stacks.size(); /* of either form, or more */
        std::vector<uint32_t> words(n);
        check(api_->adstack_metadata(result_, words.data(), &n, task));
        words.resize(n);
        return words;
    }
    wide_sizes wide(size_t task) const
    {
        const std::vector<uint32_t> w = words(task);
        std::vector<uint64_t> n;
        for (size_t i = 0; i + 1 < w.size(); i += 2)
            n.push_back(w[i] | static_cast<uint64_t>(w[i + 1]) << 32);
        const auto half = n.begin() + static_cast<std::ptrdiff_t>(n.size() / 2 + 1);
        return {n[0], n[1], {n.begin() + 2, half}, {half, n.end()}};
    }
    /* The message about a report. words: stack + 1, or UINT32_MAX of a gate that more threads
     * passed, and an id; 0 and an id where a runtime has a flag instead of a stack. serial:
     * UINT64_MAX: unknown. */
    pail_diagnosis diagnose(uint32_t stack_word, uint32_t id, uint64_t serial) const
    {
        const bool gate = stack_word == UINT32_MAX;
        const pail_overflow record = {sizeof record, id, gate ? UINT32_MAX : stack_word - 1,
                                      gate ? PAIL_OVERFLOW_GATE : PAIL_OVERFLOW_STACK, 0, serial};
        pail_diagnosis diagnosis = {};
        diagnosis.struct_size = sizeof diagnosis;
        check(api_->adstack_diagnose(context_, &diagnosis, &record));
        return diagnosis;
    }

  private:
    enum kind { FIELD, ARGUMENT, GATE };
    struct described {
        pail_task_desc desc;
        std::vector<pail_stack_desc> stacks;
    };

    void check(pail_status status) const
    {
        if (status != PAIL_OK)
            throw refused(api_->error(context_));
    }
    void begin_task(int32_t index, uint32_t wanted_id, uint32_t flags)
    {
        tasks_.push_back({{sizeof(pail_task_desc), index, nullptr, 0, wanted_id, flags}, {}});
    }
    /* pair_bytes 0: words */
    template <class A, class T> void add_stack(const A &a, const T &tree, size_t pair_bytes)
    {
        const bool is_float = static_cast<int>(a.heap_kind) == 0;
        pail_stack_desc s = {};
        s.struct_size = sizeof s, s.heap = is_float ? PAIL_HEAP_FLOAT : PAIL_HEAP_INT;
        s.element_bytes = pair_bytes ? static_cast<uint32_t>(pair_bytes) : 4;
        s.copies = pair_bytes || !is_float ? 1 : 2; /* a pair is an element */
        s.header_bytes = s.alignment = pair_bytes ? 8 : 0;
        s.static_capacity = std::max<uint64_t>(a.max_size_compile_time, 1);
        if (!tree.nodes.empty()) {
            pail_tree_builder b = begin(tree, 6);
            int32_t root = put(b, tree);
            if (pair_bytes) { /* root >= 0 ? root : the size of compile time */
                const int32_t below = pail_tree_op(&b, PAIL_NODE_MIN, root, pail_tree_const(&b, 0));
                const int32_t sign = pail_tree_op(&b, PAIL_NODE_ADD, below, pail_tree_const(&b, 1));
                const auto maximum = static_cast<int64_t>(s.static_capacity);
                root = pail_tree_select(&b, sign, root, pail_tree_const(&b, maximum));
            }
            finish(b, root, s);
        }
        tasks_.back().stacks.push_back(s);
    }
    /* type 0: the shape alone is used */
    int32_t source_of(kind k, const std::vector<int> &path, size_t rank, uint32_t type)
    {
        const auto place = places_.emplace(std::make_pair(k, path), sources_.size());
        if (place.second)
            sources_.push_back({});
        pail_binding &b = sources_[place.first->second];
        const bool differs = type && b.dtype && (rank != b.rank || type != b.dtype);
        if (differs || rank > UINT8_MAX || (b.dtype && rank > b.rank) || (type && rank < b.rank))
            throw refused("an array has different numbers of indices, or types");
        b.struct_size = sizeof b, b.source = static_cast<uint32_t>(place.first->second);
        b.rank = std::max(static_cast<uint32_t>(rank), b.rank), b.dtype = type ? type : b.dtype;
        return static_cast<int32_t>(b.source);
    }
    void bind(kind k, const std::vector<int> &path, pail_binding a)
    {
        const auto place = places_.find({k, path});
        if (place == places_.end())
            return;
        pail_binding &b = sources_[place->second];
        if (a.rank < b.rank || (b.dtype && a.rank != b.rank))
            throw refused("an array has another number of axes than expressions use");
        a.struct_size = sizeof a, a.source = b.source, a.dtype = b.dtype, a.rank = b.rank;
        a.generation++; /* 0 would mean that writes are not counted */
        b = a;
    }
    template <class Tree> pail_tree_builder begin(const Tree &tree, size_t more)
    {
        size_t indices = 1;
        for (const auto &n : tree.nodes)
            indices += n.indices.size();
        nodes_.emplace_back(tree.nodes.size() + more);
        indices_.emplace_back(indices);
        return pail_tree_begin(nodes_.back().data(), nodes_.back().size(), indices_.back().data(),
                               indices);
    }
    /* Appends the nodes: kinds, indices, variables and types have the same numbers. */
    template <class Tree> int32_t put(pail_tree_builder &b, const Tree &tree)
    {
        const auto base = static_cast<int32_t>(b.n_nodes);
        const auto moved = [base](int32_t node) { return node < 0 ? -1 : node + base; };
        for (const auto &n : tree.nodes) {
            const bool field = n.kind == PAIL_NODE_FIELD_READ;
            pail_node node = pail_tree_node(static_cast<pail_node_kind>(n.kind));
            node.a = moved(n.operand_a), node.b = moved(n.operand_b);
            node.body = moved(n.body_node_idx), node.variable = n.var_id, node.imm = n.const_value;
            if (n.kind == PAIL_NODE_SHAPE) {
                const size_t rank = static_cast<size_t>(n.arg_shape_axis) + 1;
                node.axis = n.arg_shape_axis;
                node.source = source_of(ARGUMENT, n.arg_id_path, rank, 0);
            } else if (field || n.kind == PAIL_NODE_ARRAY_READ) {
                node.dtype = static_cast<uint16_t>(field ? how_.field_type(n.snode_id)
                                                         : n.const_value);
                node.source = source_of(field ? FIELD : ARGUMENT,
                                        field ? std::vector<int>{n.snode_id} : n.arg_id_path,
                                        n.indices.size(), node.dtype);
                node.index_first = static_cast<uint32_t>(b.n_indices);
                node.index_count = static_cast<uint32_t>(n.indices.size());
                for (const int32_t index : n.indices)
                    pail_tree_put_index(&b, index);
            }
            (void)pail_tree_put(&b, node);
        }
        return static_cast<int32_t>(b.n_nodes) - 1;
    }
    static void finish(const pail_tree_builder &b, int32_t root, pail_stack_desc &stack)
    {
        if (pail_tree_end(&b, root, &stack.tree) != PAIL_OK)
            throw refused("a node of an expression has an operand that is not earlier");
        stack.static_capacity = 0;
    }
    /* Rows of the float heap: the cells that pass, no more than the loop's turns, at least 1 */
    template <class Gate> void add_gate(const Gate &gate)
    {
        pail_tree_builder b = begin(gate.loop_iter_size_expr, 48);
        const bool is_double = gate.field_dtype_is_float && gate.field_dtype_is_double;
        const pail_dtype type = is_double ? PAIL_DTYPE_I64 : PAIL_DTYPE_I32;
        const int32_t cells = source_of(GATE, {static_cast<int>(tasks_.size()) - 1}, 1, type);
        const auto op = static_cast<pail_tree_comparison>(gate.cmp_op - how_.less);
        if (gate.cmp_op < how_.less || op > PAIL_TREE_NOT_EQUAL)
            throw refused("a gate has a comparison that is none of the six");
        const int64_t at[] = {PAIL_TREE_INDEX(0)};
        const int32_t zero = pail_tree_const(&b, 0), one = pail_tree_const(&b, 1);
        const int32_t yes = gate.polarity ? one : zero, no = gate.polarity ? zero : one;
        const int32_t bits = pail_tree_read(&b, cells, type, 1, at);
        const int32_t number = pail_tree_const(&b, gate.literal_i32);
        int32_t rows = !gate.field_dtype_is_float ? pail_tree_compare(&b, op, bits, number, yes, no)
                       : is_double
                           ? pail_tree_compare_double(&b, op, bits, gate.literal_f64, yes, no)
                           : pail_tree_compare_float(&b, op, bits, gate.literal_f32, yes, no);
        rows = pail_tree_sum_over(&b, 0, zero, pail_tree_shape(&b, cells, 0), rows);
        if (gate.loop_iter_static > 0 || !gate.loop_iter_size_expr.nodes.empty()) {
            const int32_t turns = gate.loop_iter_static > 0
                                      ? pail_tree_const(&b, gate.loop_iter_static)
                                      : put(b, gate.loop_iter_size_expr);
            const int32_t fewer = pail_tree_op(&b, PAIL_NODE_MIN, rows, turns);
            rows = pail_tree_select(&b, turns, fewer, rows);
        }
        pail_stack_desc stack = {sizeof(pail_stack_desc), PAIL_HEAP_ROWS, 0, 0, 0, 0, 0, {}};
        finish(b, pail_tree_op(&b, PAIL_NODE_MAX, rows, one), stack);
        tasks_.back().stacks.push_back(stack);
    }

    const pail_backend *api_;
    pail_context *context_;
    const std::string name_;
    options how_;
    std::vector<described> tasks_;
    std::vector<pail_binding> sources_; /* dtype 0: elements are not read */
    std::map<std::pair<kind, std::vector<int>>, size_t> places_;
    std::deque<std::vector<pail_node>> nodes_; /* of trees */
    std::deque<std::vector<int64_t>> indices_;
    pail_adstack_kernel handle_ = 0;
    pail_adstack_result *result_ = nullptr;
};
} /* namespace adapter */
#endif
