/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include <oracle.h>

static const struct pail_alloc from_libc;

static void bind(pail_binding *binding, const struct test_source *source, uint32_t number)
{
    uint64_t bytes = UINT64_C(1) << ((source->dtype - PAIL_DTYPE_I8) % 5);
    for (uint32_t k = 0; k < source->rank; k++)
        bytes *= (uint64_t)source->shape[k];
    *binding = (pail_binding){
        .struct_size = sizeof *binding,
        .source = number,
        .host = source->host,
        .size_bytes = bytes,
        .dtype = source->dtype,
        .rank = source->rank,
        .shape = source->shape,
        .stride_bytes = source->stride_bytes,
    };
}

void test_kernel_of(struct test_kernel *kernel, const pail_tree trees[], size_t n_trees,
                    const uint8_t ranks[], size_t n_sources)
{
    *kernel = (struct test_kernel){
        .desc = {.struct_size = sizeof kernel->desc,
                 .name = "test",
                 .name_bytes = 4,
                 .tasks = kernel->tasks,
                 .n_tasks = 1,
                 .source_rank = kernel->ranks,
                 .n_sources = n_sources},
        .tasks = {{.struct_size = sizeof kernel->tasks[0],
                   .stacks = kernel->stacks,
                   .n_stacks = n_trees}},
    };
    if (n_trees > 8 || n_sources > 8) {
        fail_msg("%zu trees and %zu sources are more than 8", n_trees, n_sources);
        return; /* compilers do not know that it does not come back */
    }
    for (size_t i = 0; i < n_trees; i++)
        kernel->stacks[i] = (pail_stack_desc){.struct_size = sizeof kernel->stacks[0],
                                              .static_capacity = !trees[i].nodes,
                                              .tree = trees[i]};
    for (size_t i = 0; i < n_sources; i++)
        kernel->ranks[i] = ranks[i];
}

struct pail_ad_program *test_build(const pail_kernel_desc *desc)
{
    struct pail_ad_program *program;
    struct pail_error err = {0};
    for (size_t task = 0; task < desc->n_tasks; task++)
        for (size_t i = 0; i < desc->tasks[task].n_stacks; i++) {
            const pail_stack_desc *stack = &desc->tasks[task].stacks[i];
            if (!stack->static_capacity &&
                pail_ad_tree_check(&stack->tree, desc->source_rank, desc->n_sources, "the test",
                                   &from_libc, &err))
                fail_msg("%s", err.text);
        }
    if (pail_ad_program_build(&program, desc, &from_libc, &err))
        fail_msg("%s", err.text);
    test_check_program(program);
    return program;
}

struct test_value test_evaluate(struct nodes *nodes, const struct test_source sources[],
                                size_t n_sources, uint64_t oracle_steps)
{
    return test_evaluate_as(0, nodes, sources, n_sources, oracle_steps);
}

struct test_value test_evaluate_as(uint32_t flags, struct nodes *nodes,
                                   const struct test_source sources[], size_t n_sources,
                                   uint64_t oracle_steps)
{
    struct test_kernel kernel;
    uint8_t ranks[8];
    pail_binding bindings[8];
    struct pail_ad_array arrays[8];
    const pail_tree tree = nodes_tree(nodes);
    for (size_t i = 0; i < n_sources; i++) {
        ranks[i] = (uint8_t)sources[i].rank;
        bind(&bindings[i], &sources[i], (uint32_t)i);
        arrays[i] = array_of(&bindings[i]);
    }
    test_kernel_of(&kernel, &tree, 1, ranks, n_sources);
    kernel.desc.flags = flags;
    struct pail_ad_program *program = test_build(&kernel.desc);
    struct pail_ad_values values = {
        .value = calloc(program->n_slots, sizeof values.value[0]),
        .known = calloc(program->n_slots, 1),
    };
    struct pail_error err = {0};
    const uint32_t root = program->roots[0].slot;
    assert_int_equal(pail_ad_eval(program, arrays, &values, &root, 1, &from_libc, &err), PAIL_OK);
    assert_true(values.known[root]);
    struct test_value value = {.v = values.value[root].v};
    const uint32_t error = values.value[root].error;
    if (error) {
        assert_int_equal(value.v, 0);
        value.kind = PAIL_AD_ERROR_KIND(error);
        assert_true(PAIL_AD_ERROR_SITE(error) < program->n_sites);
        value.node = program->sites[PAIL_AD_ERROR_SITE(error)].node;
        pail_ad_describe_error(program, arrays, error, value.text, sizeof value.text);
    }
    if (oracle_steps) {
        const struct oracle oracle = oracle_evaluate(&tree, bindings, flags, oracle_steps);
        assert_int_equal(oracle.state, error ? ORACLE_ERROR : ORACLE_VALUE);
        assert_true(error || oracle.v == value.v);
    }
    free(values.value);
    free(values.known);
    pail_ad_program_free(program, &from_libc);
    nodes_free(nodes);
    return value;
}

int64_t test_value_of(struct nodes *nodes, const struct test_source sources[], size_t n_sources)
{
    const struct test_value value = test_evaluate(nodes, sources, n_sources, TEST_STEPS);
    if (value.kind)
        fail_msg("%s", value.text);
    return value.v;
}

/* ---- What program.h promises ----------------------------------------------------------------- */

static void check_operand(const struct pail_ad_program *program, const struct pail_ad_spec *spec,
                          const uint8_t written[], uint32_t operand)
{
    if (operand & PAIL_AD_SLOT) {
        assert_true((operand & ~PAIL_AD_SLOT) < spec->slot);
        assert_true((operand & ~PAIL_AD_SLOT) < program->n_slots);
        return;
    }
    assert_true(operand < spec->n_registers);
    assert_true(written[operand]);
}

/* Registers that a loop needs are not written in it. */
static void check_write(const struct pail_ad_spec *spec, const struct pail_ad_instr code[],
                        const uint32_t loops[], uint32_t n_loops, uint32_t to)
{
    assert_true(to >= spec->n_axes && to < spec->n_registers);
    for (uint32_t i = 0; i < n_loops; i++) {
        const struct pail_ad_instr *loop = &code[loops[i]];
        assert_true(to != loop->a && to != loop->b && to != loop->dst && to != loop->var);
    }
}

static void check_code(const struct pail_ad_program *program, const struct pail_ad_spec *spec)
{
    const struct pail_ad_instr *code = spec->n_code ? &program->code[spec->code_first] : NULL;
    uint8_t *written = calloc(spec->n_registers + 1, 1);
    uint32_t loops[PAIL_AD_MAX_DEPTH + 1], n_loops = 0;
    memset(written, 1, spec->n_axes);
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const struct pail_ad_instr *instr = &code[i];
        while (n_loops && code[loops[n_loops - 1]].end == i)
            n_loops--;
        assert_true(instr->site < program->n_sites);
        if (instr->op == PAIL_AD_READ) {
            assert_true(instr->source < program->n_sources);
            assert_int_equal(instr->n_args, program->ranks[instr->source]);
            for (uint32_t k = 0; k < instr->n_args; k++)
                check_operand(program, spec, written, program->args[instr->args_first + k]);
        } else {
            assert_in_range(instr->op, PAIL_AD_ADD, PAIL_AD_WRAP_MUL);
            check_operand(program, spec, written, instr->a);
            check_operand(program, spec, written, instr->b);
            if (instr->op == PAIL_AD_SELECT)
                check_operand(program, spec, written, instr->c);
        }
        check_write(spec, code, loops, n_loops, instr->dst);
        if (instr->op == PAIL_AD_LOOP) {
            check_write(spec, code, loops, n_loops, instr->var);
            assert_true(instr->var != instr->dst && instr->var != instr->a &&
                        instr->var != instr->b && instr->dst != instr->a && instr->dst != instr->b);
            assert_in_range(instr->end, i + 1,
                            n_loops ? code[loops[n_loops - 1]].end : spec->n_code);
            if (instr->joined) {
                const bool inner = n_loops != 0;
                assert_int_equal(inner ? code[loops[n_loops - 1]].c : spec->value, instr->dst);
                assert_int_equal(inner ? code[loops[n_loops - 1]].reduction : spec->reduction,
                                 instr->reduction);
                assert_int_equal(instr->end, inner ? code[loops[n_loops - 1]].end : spec->n_code);
            }
            written[instr->var] = 1;
            loops[n_loops++] = i;
        }
        written[instr->dst] = 1;
    }
    check_operand(program, spec, written, spec->value);
    for (uint32_t i = 0; i < spec->n_code; i++)
        if (code[i].op == PAIL_AD_LOOP)
            check_operand(program, spec, written, code[i].c);
    if (spec->shared_loop != PAIL_AD_NONE) {
        assert_true(spec->shared_loop < spec->n_code);
        const struct pail_ad_instr *loop = &code[spec->shared_loop];
        assert_true(loop->op == PAIL_AD_LOOP && loop->joined && loop->dst == spec->value);
        assert_int_equal(loop->end, spec->n_code);
        assert_int_equal(loop->reduction, spec->reduction);
        assert_true(spec->turns < program->n_slots);
        assert_true(program->slots[spec->turns].level < program->slots[spec->slot].level);
    } else {
        assert_int_equal(spec->turns, PAIL_AD_NONE);
    }
    free(written);
}

static void check_deps(const struct pail_ad_program *program, const struct pail_ad_slot *slot)
{
    for (uint32_t k = 0; k < slot->n_deps; k++) {
        const uint32_t number = program->dep_lists[slot->deps_first + k];
        assert_true(number < program->n_deps);
        assert_true(k == 0 || number > program->dep_lists[slot->deps_first + k - 1]);
    }
}

void test_check_program(const struct pail_ad_program *program)
{
    for (uint32_t i = 0; i < program->n_slots; i++) {
        const struct pail_ad_slot *slot = &program->slots[i];
        assert_true(slot->site < program->n_sites && slot->level < program->n_levels);
        check_deps(program, slot);
        if (slot->op == PAIL_AD_SPEC)
            assert_int_equal(program->specs[slot->spec].slot, i);
        if (pail_ad_is_binary(slot->op) || slot->op == PAIL_AD_SELECT)
            assert_true(slot->a < i && slot->b < i && slot->c < i);
        for (uint32_t k = 0; slot->op == PAIL_AD_READ && k < slot->n_args; k++)
            assert_true(program->args[slot->args_first + k] < i);
    }
    for (uint32_t i = 0; i < program->n_specs; i++) {
        const struct pail_ad_spec *spec = &program->specs[i];
        assert_true(i == 0 || spec->slot > program->specs[i - 1].slot);
        assert_true(spec->body < program->n_bodies);
        assert_in_range(spec->n_axes, 1, PAIL_AD_MAX_AXES);
        for (uint32_t k = 0; k < spec->n_axes; k++)
            assert_true(program->axes[spec->axes_first + k].begin < spec->slot &&
                        program->axes[spec->axes_first + k].end < spec->slot);
        check_code(program, spec);
    }
    for (uint32_t i = 1; i < program->n_deps; i++) {
        const struct pail_ad_dep *last = &program->deps[i - 1], *dep = &program->deps[i];
        assert_true(last->source < dep->source ||
                    (last->source == dep->source && dep->kind == PAIL_AD_DEP_SHAPE &&
                     (last->kind == PAIL_AD_DEP_CONTENTS || last->axis < dep->axis)));
    }
}

/* ---- Arrays of one axis ---------------------------------------------------------------------- */

struct test_source test_line(const int32_t *host, int64_t n)
{
    return (struct test_source){PAIL_DTYPE_I32, 1, {n}, host, NULL};
}

int32_t test_read_1(struct nodes *t, int32_t source, int64_t index)
{
    return nodes_read(t, PAIL_NODE_ARRAY_READ, source, PAIL_DTYPE_I32, 1, &index);
}

int32_t test_over_all(struct nodes *t, pail_node_kind kind, int32_t variable, int32_t source)
{
    const int32_t begin = nodes_const(t, 0), end = nodes_shape(t, source, 0);
    const int32_t body = test_read_1(t, source, VARIABLE_INDEX(variable));
    return nodes_range(t, kind, variable, begin, end, body);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void *count_alloc(void *user, size_t size)
{
    struct test_memory *memory = user;
    if (++memory->made == memory->fail_at)
        return NULL;
    void *block = malloc(size ? size : 1);
    if (block)
        memset(block, 0xaa, size);
    memory->out += block != NULL;
    return block;
}

static void count_free(void *user, void *block)
{
    struct test_memory *memory = user;
    memory->out -= block != NULL;
    free(block);
}

struct pail_alloc test_alloc(struct test_memory *memory)
{
    return (struct pail_alloc){.user = memory, .alloc = count_alloc, .free = count_free};
}
