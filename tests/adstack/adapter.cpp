// SPDX-License-Identifier: Apache-2.0
/* host/example/adstack-adapter against an evaluator of its compiler's semantics, over random
 * expressions: the same sizes, rows and metadata in both forms, or a reason why not. */
#include "support/long.h"
#include "support/test.h"

#include <adstack-adapter/adapter.hpp>
#include <adstack-adapter/trees.hpp>

#include <cinttypes>

extern "C" {
#include <cpu/cpu.h>
}

namespace
{

__extension__ typedef __int128 wide_int;
using compiler::expression;
using compiler::node;

struct rng {
    uint64_t state;
    uint64_t next()
    {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    int64_t below(int64_t n)
    {
        return static_cast<int64_t>(next() % static_cast<uint64_t>(n));
    }
};

/* ---- Arrays ---------------------------------------------------------------------------------- */
enum { N_ARGUMENTS = 5, N_FIELDS = 3, N_ARRAYS = N_ARGUMENTS + N_FIELDS };

struct numbers {
    uint16_t type;
    std::vector<int64_t> shape, strides, values; /* strides in elements; values in C order */
    std::vector<uint8_t> bytes;
    uint64_t identity;
};

const int type_bytes[] = {0, 0, 0, 1, 2, 4, 8, 0, 1, 2, 4, 8};

/* Of a negative value the bits, as all types but the unsigned ones of 32 bits and less read them.
 */
void put(numbers &a, size_t element, int64_t v)
{
    const auto size = static_cast<size_t>(type_bytes[a.type]);
    for (size_t i = 0; i < size; i++)
        a.bytes[element * size + i] = static_cast<uint8_t>(static_cast<uint64_t>(v) >> 8 * i);
}

numbers make_numbers(rng &r, bool field)
{
    static const uint16_t types[] = {PAIL_DTYPE_I32, PAIL_DTYPE_I32, PAIL_DTYPE_I64,
                                     PAIL_DTYPE_I8,  PAIL_DTYPE_U8,  PAIL_DTYPE_I16,
                                     PAIL_DTYPE_U16, PAIL_DTYPE_U32, PAIL_DTYPE_U64};
    numbers a = {};
    a.type = types[r.below(field ? 3 : 9)];
    const int64_t rank = field ? r.below(3) : 1 + r.below(3);
    int64_t n = 1;
    for (int64_t k = 0; k < rank; k++) {
        a.shape.push_back(r.below(12) ? 1 + r.below(k ? 4 : 7) : 0);
        n *= a.shape.back();
    }
    const int64_t gap = field ? 1 + r.below(3) : 1; /* a field lies among others */
    int64_t stride = gap;
    for (size_t k = a.shape.size(); k-- > 0;) {
        a.strides.insert(a.strides.begin(), stride);
        stride *= a.shape[k];
    }
    a.bytes.resize(static_cast<size_t>(n * gap * type_bytes[a.type]) + 1);
    const bool is_signed = a.type <= PAIL_DTYPE_I64 || a.type == PAIL_DTYPE_U64;
    for (int64_t i = 0; i < n; i++) {
        a.values.push_back(is_signed && !r.below(8) ? -1 - r.below(4) : r.below(7));
        put(a, static_cast<size_t>(i * gap), a.values.back());
    }
    return a;
}

/* ---- Expressions ----------------------------------------------------------------------------- */
struct maker {
    rng *r;
    const std::vector<numbers> *arrays;
    expression made;
    std::vector<int32_t> scope; /* variables, the innermost last */

    int32_t add(node n)
    {
        made.nodes.push_back(std::move(n));
        return static_cast<int32_t>(made.nodes.size()) - 1;
    }
    int32_t constant(int64_t v)
    {
        node n;
        n.kind = 0, n.const_value = v;
        return add(n);
    }
    int32_t shape(size_t argument)
    {
        node n;
        n.kind = 8, n.arg_id_path = {static_cast<int32_t>(argument)};
        n.arg_shape_axis =
            static_cast<int32_t>(r->below(static_cast<int64_t>((*arrays)[argument].shape.size())));
        return add(n);
    }
    int32_t read()
    {
        const auto which = static_cast<size_t>(r->below(N_ARRAYS));
        const numbers &a = (*arrays)[which];
        node n;
        n.kind = which < N_ARGUMENTS ? 9 : 1;
        if (which < N_ARGUMENTS)
            n.arg_id_path = {static_cast<int32_t>(which)}, n.const_value = a.type;
        else
            n.snode_id = static_cast<int32_t>(which);
        for (const int64_t extent : a.shape)
            n.indices.push_back(
                !scope.empty() && r->below(8)
                    ? -1 - scope[static_cast<size_t>(r->below(static_cast<int64_t>(scope.size())))]
                    : static_cast<int32_t>(r->below(std::max<int64_t>(extent + !r->below(9), 1))));
        return add(n);
    }
    int32_t leaf()
    {
        switch (r->below(5)) {
        case 0:
            return constant(r->below(40) ? r->below(6) - (r->below(9) == 0) * 3
                                         : INT64_MAX / (1 + r->below(4)));
        case 1:
            return shape(static_cast<size_t>(r->below(N_ARGUMENTS)));
        case 2:
            if (!scope.empty()) {
                node n;
                n.kind = 7;
                n.var_id = scope[static_cast<size_t>(r->below(static_cast<int64_t>(scope.size())))];
                return add(n);
            }
            return read();
        default:
            return read();
        }
    }
    /* Ends that are extents, or upper bounds that may pass them. */
    int32_t end(int depth)
    {
        switch (r->below(8)) {
        case 0:
            return constant(r->below(6));
        case 1:
            return any(depth - 1);
        default:
            return shape(static_cast<size_t>(r->below(N_ARGUMENTS)));
        }
    }
    int32_t range(int depth)
    {
        node n;
        n.kind = 6;
        n.operand_a = r->below(5) ? constant(r->below(8) ? 0 : r->below(3)) : any(depth - 2);
        n.operand_b = end(depth);
        n.var_id = static_cast<int32_t>(r->below(4)); /* may hide one further out */
        scope.push_back(n.var_id);
        n.body_node_idx = any(depth - 1);
        scope.pop_back();
        return add(n);
    }
    int32_t any(int depth)
    {
        if (depth <= 0)
            return leaf();
        const int64_t which = r->below(8);
        if (which < 3)
            return scope.size() < 3 ? range(depth) : leaf();
        if (which == 3)
            return leaf();
        node n;
        n.kind = static_cast<int32_t>(2 + r->below(4));
        n.operand_a = any(depth - 1);
        n.operand_b = any(depth - 1);
        return add(n);
    }
};

expression make_expression(rng &r, const std::vector<numbers> &arrays)
{
    maker m = {&r, &arrays, {}, {}};
    if (r.below(12) == 0)
        return m.made; /* the size of compile time */
    if (r.below(6))
        (void)m.range(3 + static_cast<int>(r.below(2)));
    else
        (void)m.any(4);
    return m.made;
}

/* ---- What the compiler's evaluator gives -------------------------------------------------------
 */
/* It reads whatever is at an index outside of an axis, which is no size, and wraps. clamped:
 * iterations that read outside are left out, as PAIL_KERNEL_CLAMP_RANGES has it. */
struct state {
    const expression *of;
    const std::vector<numbers> *arrays;
    int clamped, wrapping;
    std::map<int32_t, int64_t> variables;
    bool outside, wraps;
    uint64_t turns;
};

int64_t fits(state &s, wide_int v)
{
    s.wraps = s.wraps || v < INT64_MIN || v > INT64_MAX;
    return static_cast<int64_t>(static_cast<uint64_t>(v));
}

int64_t element(state &s, const node &n)
{
    const numbers &a =
        (*s.arrays)[static_cast<size_t>(n.kind == 1 ? n.snode_id : n.arg_id_path[0])];
    int64_t at = 0;
    for (size_t k = 0; k < n.indices.size(); k++) {
        const int64_t index = n.indices[k] < 0 ? s.variables.at(-1 - n.indices[k]) : n.indices[k];
        if (index < 0 || index >= a.shape[k]) {
            s.outside = true;
            return 0;
        }
        at = at * a.shape[k] + index;
    }
    return a.values[static_cast<size_t>(at)];
}

/* hidden: variables of ranges between the one that asks and the node. */
bool reads_outside(const state &s, int32_t number, const std::vector<int32_t> &hidden)
{
    const node &n = s.of->nodes[static_cast<size_t>(number)];
    if (n.kind != 1 && n.kind != 9)
        return n.operand_a >= 0 &&
               (reads_outside(s, n.operand_a, hidden) || reads_outside(s, n.operand_b, hidden));
    const numbers &a =
        (*s.arrays)[static_cast<size_t>(n.kind == 1 ? n.snode_id : n.arg_id_path[0])];
    for (size_t k = 0; k < n.indices.size(); k++) {
        const int32_t variable = -1 - n.indices[k];
        if (variable >= 0 && std::count(hidden.begin(), hidden.end(), variable))
            continue;
        const int64_t index = variable >= 0 ? s.variables.at(variable) : n.indices[k];
        if (index < 0 || index >= a.shape[k])
            return true;
    }
    return false;
}

bool is_left_out(const state &s, const node &range)
{
    std::vector<int32_t> hidden;
    const node *n = &range;
    int32_t body = range.body_node_idx;
    while ((n = &s.of->nodes[static_cast<size_t>(body)])->kind == 6) {
        if (reads_outside(s, body, hidden)) /* its bounds */
            return true;
        hidden.push_back(n->var_id);
        body = n->body_node_idx;
    }
    return reads_outside(s, body, hidden);
}

int64_t evaluate(state &s, int32_t number)
{
    const node &n = s.of->nodes[static_cast<size_t>(number)];
    if (n.kind == 0)
        return n.const_value;
    if (n.kind == 1 || n.kind == 9)
        return element(s, n);
    if (n.kind == 7)
        return s.variables.at(n.var_id);
    if (n.kind == 8)
        return (*s.arrays)[static_cast<size_t>(n.arg_id_path[0])]
            .shape[static_cast<size_t>(n.arg_shape_axis)];
    const int64_t a = evaluate(s, n.operand_a), b = evaluate(s, n.operand_b);
    if (n.kind == 2)
        return fits(s, static_cast<wide_int>(a) + b);
    if (n.kind == 3 && s.wrapping)
        return std::max<int64_t>(fits(s, static_cast<wide_int>(a) - b), 0);
    if (n.kind == 3) /* below 64 bits it is 0, as every difference that is negative */
        return a > b ? fits(s, static_cast<wide_int>(a) - b) : 0;
    if (n.kind == 4)
        return fits(s, static_cast<wide_int>(a) * b);
    if (n.kind == 5)
        return std::max(a, b);
    int64_t most = 0;
    const auto outer = s.variables.find(n.var_id);
    const bool hides = outer != s.variables.end();
    const int64_t hidden = hides ? outer->second : 0;
    const bool stops = !s.wrapping;
    for (int64_t i = a; i < b && !s.outside && !(stops && s.wraps) && s.turns < 20000;
         i++, s.turns++) {
        s.variables[n.var_id] = i;
        if (!s.clamped || !is_left_out(s, n))
            most = std::max(most, evaluate(s, n.body_node_idx));
    }
    if (hides)
        s.variables[n.var_id] = hidden;
    else
        s.variables.erase(n.var_id);
    return most;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */
struct stack {
    expression tree;
    uint32_t maximum;
    size_t value_bytes;
    bool is_float;
    int64_t value; /* -1 without nodes */
};

enum { CLAMPED = 1, WRAPPING = 2, N_WAYS = 4 }; /* ways to read an expression */

struct counts {
    uint64_t trees, computed, outside, clamped, wraps, nonzero, rows, wrapped[N_WAYS];
};

struct stage {
    bool by_accessor; /* fields are in containers without an address */
    const pail_backend *api;
    pail_context *context;
    std::vector<numbers> arrays;
    std::vector<float> cells;
    compiler::gate gate;
    uint64_t rows, serial;
};

pail_binding binding_of(const numbers &a, const std::vector<int64_t> &strides)
{
    pail_binding b = {};
    b.identity = a.identity, b.host = a.bytes.data(), b.size_bytes = a.bytes.size();
    b.rank = static_cast<uint32_t>(a.shape.size());
    b.shape = a.shape.data(), b.stride_bytes = strides.data();
    return b;
}

/* Bytes of a field in a container without an address, element by element. */
pail_status copy_elements(void *user, uint64_t *, void *to, const pail_fetch_range *range)
{
    const stage &s = *static_cast<const stage *>(user);
    for (const numbers &a : s.arrays) {
        const auto size = static_cast<uint64_t>(type_bytes[a.type]);
        for (uint64_t i = 0; a.identity == range->identity && i < range->bytes; i++) {
            const uint64_t at = range->offset + i;
            static_cast<uint8_t *>(to)[i] = static_cast<uint8_t>(
                static_cast<uint64_t>(a.values.at(at / size)) >> 8 * (at % size));
        }
    }
    return PAIL_OK;
}

/* Sizes the stacks in both forms; throws what the adapter does. */
void size_both(stage &s, adapter::kernel &kernel, const std::vector<stack> &stacks, bool gated)
{
    compiler::task words;
    compiler::wide_task wide;
    for (const stack &k : stacks) {
        const compiler::heap heap = k.is_float ? compiler::heap::FLOAT : compiler::heap::INT;
        words.allocas.push_back({heap, k.maximum, k.tree});
        wide.allocas.push_back({k.maximum, 2 * k.value_bytes, heap});
        wide.size_exprs.push_back(k.tree);
    }
    wide.task_id_in_kernel = 1;
    if (gated)
        words.bound_expr = wide.bound_expr = s.gate;
    kernel.add_task(0, words);
    kernel.add_wide_task(wide);
    (void)kernel.register_all();
    std::vector<std::vector<int64_t>> strides;
    for (size_t i = 0; i < s.arrays.size(); i++) {
        strides.push_back(s.arrays[i].strides);
        for (int64_t &stride : strides.back())
            stride *= type_bytes[s.arrays[i].type];
        strides.back().reserve(1);
        if (i < N_ARGUMENTS)
            kernel.bind_argument({static_cast<int>(i)}, binding_of(s.arrays[i], strides.back()));
        else if (!s.by_accessor)
            kernel.bind_field(static_cast<int>(i), binding_of(s.arrays[i], strides.back()));
        else {
            pail_binding field = binding_of(s.arrays[i], strides.back());
            field.flags = PAIL_BINDING_FOREIGN, field.host = nullptr, field.stride_bytes = nullptr;
            field.size_bytes =
                s.arrays[i].values.size() * static_cast<uint64_t>(type_bytes[s.arrays[i].type]);
            kernel.bind_field(static_cast<int>(i), field);
        }
    }
    const int64_t n_cells[] = {static_cast<int64_t>(s.cells.size())};
    pail_binding cells = {};
    cells.identity = 1000 + 100 * s.serial, cells.host = s.cells.data();
    cells.size_bytes = 4 * s.cells.size(), cells.rank = 1, cells.shape = n_cells;
    kernel.bind_gate(0, cells);
    kernel.bind_gate(1, cells);
    kernel.size({64, 3}, s.serial);
}

adapter::options options_of(const stage &s, int way)
{
    adapter::options how;
    how.clamp_ranges = way & CLAMPED;
    how.wrapping_arithmetic = way & WRAPPING;
    how.field_type = [&s](int field) { return s.arrays[static_cast<size_t>(field)].type; };
    return how;
}

void compare(stage &s, const std::vector<stack> &stacks, bool gated, int way)
{
    adapter::kernel kernel(s.api, s.context, "random", options_of(s, way));
    size_both(s, kernel, stacks, gated);
    uint64_t stride_f[2] = {0, 0}, stride_i[2] = {0, 0};
    const std::vector<uint32_t> words = kernel.words(0);
    const adapter::wide_sizes wide = kernel.wide(1);
    assert_int_equal(words.size(), 3 + 2 * stacks.size());
    assert_int_equal(wide.offsets.size(), stacks.size());
    assert_int_equal(wide.max_sizes.size(), stacks.size());
    for (size_t i = 0; i < stacks.size(); i++) {
        const stack &k = stacks[i];
        const bool has_tree = !k.tree.nodes.empty();
        const auto maximum = static_cast<uint64_t>(std::max<int64_t>(k.maximum, 1));
        const auto value = static_cast<uint64_t>(std::max<int64_t>(k.value, 1));
        const uint64_t narrow = has_tree ? value : maximum;
        const uint64_t broad = k.value < 0 ? maximum : value;
        uint64_t *stride = k.is_float ? stride_f : stride_i;
        assert_int_equal(words[2 + 2 * i], stride[0]);
        assert_int_equal(words[3 + 2 * i], narrow);
        assert_int_equal(wide.offsets[i], stride[1]);
        assert_int_equal(wide.max_sizes[i], broad);
        stride[0] += k.is_float ? 2 * narrow : narrow;
        stride[1] += (8 + 2 * k.value_bytes * broad + 7) / 8 * 8;
    }
    assert_int_equal(words[0], stride_f[0]);
    assert_int_equal(words[1], stride_i[0]);
    assert_int_equal(words.back(), 0);
    assert_int_equal(wide.stride_float, stride_f[1]);
    assert_int_equal(wide.stride_int, stride_i[1]);
    assert_int_equal(kernel.heaps(0).heap_float, 4 * stride_f[0] * (gated ? s.rows : 64));
    assert_int_equal(kernel.heaps(0).heap_int, 4 * stride_i[0] * 64);
    assert_int_equal(kernel.heaps(1).heap_float, stride_f[1] * (gated ? s.rows : 3));
    assert_int_equal(kernel.heaps(1).heap_int, stride_i[1] * 3);
}

/* A tree that cannot be computed is refused in words. */
void expect_refused(stage &s, const stack &alone, int way)
{
    adapter::kernel kernel(s.api, s.context, "random", options_of(s, way));
    try {
        size_both(s, kernel, {alone}, false);
    } catch (const adapter::refused &refused) {
        const std::string text = refused.what();
        const bool named = text.find("outside") != text.npos || text.find("64 bits") != text.npos ||
                           text.find("turns") != text.npos;
        if (!named)
            fail_msg("%s", refused.what());
        return;
    }
    fail_msg("seed %" PRIu64 ": a tree was computed that reads outside, or wraps", s.serial);
}

/* 5, if the tree has its value in all of its 64 bits. */
stack exactly(const stack &of)
{
    const auto root = static_cast<int32_t>(of.tree.nodes.size()) - 1;
    node value, difference;
    value.const_value = static_cast<int64_t>(static_cast<uint64_t>(of.value) - 5);
    difference.kind = 3, difference.operand_a = root, difference.operand_b = root + 1;
    stack made = of;
    made.value = 5, made.tree.nodes.insert(made.tree.nodes.end(), {value, difference});
    return made;
}

bool passes(const compiler::gate &gate, float cell)
{
    const float t = gate.literal_f32;
    const bool of[] = {cell<t, cell <= t, cell> t, cell >= t, cell == t, cell != t};
    return of[gate.cmp_op - 15] == gate.polarity;
}

void make_stage(stage &s, rng &r)
{
    s.arrays.clear();
    for (int i = 0; i < N_ARRAYS; i++) {
        s.arrays.push_back(make_numbers(r, i >= N_ARGUMENTS));
        s.arrays.back().identity = 1 + 1000 * s.serial + static_cast<uint64_t>(i);
    }
    static const float values[] = {-1, 0, -0.0f, 1, 2.5f, __builtin_nanf(""), 1e30f};
    s.cells.resize(1 + static_cast<size_t>(r.below(9)));
    s.gate = {};
    s.gate.cmp_op = 15 + static_cast<int>(r.below(6));
    s.gate.literal_f32 = values[r.below(7)];
    s.gate.polarity = r.below(3) != 0;
    uint64_t passed = 0;
    for (float &cell : s.cells) {
        cell = values[r.below(7)];
        passed += passes(s.gate, cell);
    }
    uint64_t most = UINT64_MAX;
    const int64_t turns = r.below(6);
    if (r.below(3) == 0 && turns > 0) {
        s.gate.loop_iter_static = static_cast<uint32_t>(turns);
        most = static_cast<uint64_t>(turns);
    } else if (r.below(2)) {
        node n;
        n.kind = 0, n.const_value = turns - 1;
        s.gate.loop_iter_size_expr.nodes = {n};
        most = turns > 1 ? static_cast<uint64_t>(turns) - 1 : UINT64_MAX;
    }
    s.rows = std::max<uint64_t>(std::min(passed, most), 1);
}

void some_trees(stage &s, uint64_t seed, counts &c)
{
    rng r = {seed};
    std::vector<stack> batches[N_WAYS];
    s.serial = seed;
    s.by_accessor = seed % 4 == 0;
    make_stage(s, r);
    for (int i = 0; i < 16; i++) {
        stack k = {};
        k.tree = make_expression(r, s.arrays);
        k.maximum = static_cast<uint32_t>(r.below(5));
        k.is_float = r.below(2);
        k.value_bytes = k.is_float ? 4u << r.below(2) : 1u << r.below(3);
        bool outside = false, wraps = false;
        for (int way = 0; way < N_WAYS; way++) {
            state run = {&k.tree, &s.arrays, way & CLAMPED, way & WRAPPING, {}, false, false, 0};
            const auto n = static_cast<int32_t>(k.tree.nodes.size());
            k.value = n == 0 ? -1 : evaluate(run, n - 1);
            if (run.turns >= 20000)
                break;
            c.trees += way == 0;
            c.outside += way == 0 && run.outside;
            c.clamped += way == CLAMPED && outside && !run.outside && !run.wraps;
            wraps = way == 0 ? run.wraps : wraps;
            c.wrapped[way] += wraps && !run.outside;
            c.wraps += way == 0 && wraps;
            c.nonzero += way == 0 && k.value > 1;
            outside = way == 0 && run.outside;
            if (run.outside || (run.wraps && !(way & WRAPPING)))
                expect_refused(s, k, way);
            else if (k.value <= 0x7fffffff)
                batches[way].push_back(k);
            if (run.wraps && (way & WRAPPING) && !run.outside)
                batches[way].push_back(exactly(k));
        }
    }
    const bool gated = r.below(2);
    c.computed += batches[0].size();
    c.rows += gated && s.rows > 1;
    for (int way = 0; way < N_WAYS; way++)
        compare(s, batches[way], gated, way);
    for (const numbers &a : s.arrays)
        s.api->adstack_forget(s.context, a.identity);
}

} /* namespace */

PAIL_TEST(random_expressions)
{
    const pail_host host = {sizeof host, PAIL_ABI_MAJOR, PAIL_ABI_MINOR, 0,
                            nullptr,     nullptr,        nullptr,        nullptr};
    pail_context_params params = {};
    params.struct_size = sizeof params, params.threads = 1;
    stage s = {};
    counts c = {};
    pail_fetch_callbacks fetch = {};
    fetch.struct_size = sizeof fetch, fetch.user = &s, fetch.start = copy_elements;
    params.fetch = &fetch;
    const uint64_t wanted = test_long() ? 1000000 : 8000;
    assert_int_equal(pail_cpu_open(&host, &s.api), PAIL_OK);
    assert_int_equal(s.api->context_create(&host, &s.context, &params), PAIL_OK);
    for (uint64_t seed = 1; c.trees < wanted; seed++) {
        try {
            some_trees(s, seed, c);
        } catch (const adapter::refused &refused) {
            fail_msg("seed %" PRIu64 ": %s", seed, refused.what());
        }
    }
    pail_adstack_stats stats = {};
    stats.struct_size = sizeof stats;
    s.api->adstack_stats(s.context, &stats);
    assert_true(stats.fetches > 0);
    s.api->context_destroy(&s.context);
    print_message("%" PRIu64 " expressions: %" PRIu64 " computed (%" PRIu64 " above 1), %" PRIu64
                  " read outside (%" PRIu64 " computed if clamped), %" PRIu64 " wrap (%" PRIu64
                  " computed if they may, %" PRIu64 " if clamped as well); %" PRIu64
                  " gates with rows\n",
                  c.trees, c.computed, c.nonzero, c.outside, c.clamped, c.wraps,
                  c.wrapped[WRAPPING], c.wrapped[WRAPPING | CLAMPED], c.rows);
    assert_true(c.computed > c.trees / 3 && c.nonzero > c.trees / 4);
    assert_true(c.outside > c.trees / 20 && c.wraps > 0 && c.rows > 0);
    assert_true(c.clamped > c.outside / 2 && c.wrapped[WRAPPING] > c.wraps / 3);
}
