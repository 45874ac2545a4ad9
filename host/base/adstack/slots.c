/* SPDX-License-Identifier: Apache-2.0 */
#include "build.h"

static pail_status fail_many(const struct pail_ad_build *build, uint32_t site)
{
    const struct pail_ad_site *at = &build->dag.sites[site];
    return pail_fail(build->err, PAIL_ERR_DATA,
                     "task %u, stack %u: node %u: the kernel's trees have more than %u different "
                     "parts without variables",
                     at->task, at->stack, at->node, PAIL_AD_MAX_SLOTS);
}

static uint32_t slot_of(const struct pail_ad_build *build, uint32_t number)
{
    return build->slot_of[number] - 1;
}

static pail_status append(struct pail_ad_build *build, uint32_t number,
                          const struct pail_ad_slot *slot)
{
    struct pail_ad_program *program = build->program;
    if (program->n_slots == PAIL_AD_MAX_SLOTS)
        return fail_many(build, slot->site);
    pail_status status = pail_grow(build->alloc, &program->slots, &build->slots_capacity,
                                   program->n_slots + 1, sizeof(program->slots[0]), build->err);
    if (!status) /* numbers of new nodes come while slots are written */
        status = pail_grow(build->alloc, &build->slot_of, &build->slot_of_capacity, build->dag.n,
                           sizeof(build->slot_of[0]), build->err);
    if (status)
        return status;
    program->slots[program->n_slots++] = *slot;
    build->slot_of[number] = program->n_slots;
    return PAIL_OK;
}

pail_status pail_ad_write_args(struct pail_ad_build *build, const struct pail_ad_dag_node *node,
                               uint32_t (*value_of)(const struct pail_ad_build *, uint32_t))
{
    struct pail_ad_program *program = build->program;
    const pail_status status =
        pail_grow(build->alloc, &program->args, &build->args_capacity,
                  program->n_args + node->n_args, sizeof(program->args[0]), build->err);
    if (status)
        return status;
    for (uint32_t k = 0; k < node->n_args; k++)
        program->args[program->n_args++] =
            value_of(build, pail_ad_dag_operand(&build->dag, node, k));
    return PAIL_OK;
}

static pail_status write_plain(struct pail_ad_build *build, uint32_t number)
{
    const struct pail_ad_dag_node *node = &build->dag.nodes[number];
    struct pail_ad_program *program = build->program;
    struct pail_ad_slot slot = {
        .op = node->op,
        .dtype = node->dtype,
        .source = node->source,
        .axis = node->axis,
        .args_first = program->n_args,
        .n_args = node->n_args,
        .spec = PAIL_AD_NONE,
        .site = node->site,
        .imm = node->imm,
    };
    if (node->op == PAIL_AD_READ) {
        const pail_status status = pail_ad_write_args(build, node, slot_of);
        if (status)
            return status;
    } else if (pail_ad_dag_operands(node)) {
        slot.a = slot_of(build, node->a);
        slot.b = slot_of(build, node->b);
        if (node->op == PAIL_AD_SELECT)
            slot.c = slot_of(build, node->c);
    }
    return append(build, number, &slot);
}

/* The ranges that are axes of a spec, and what they are over. */
struct chain {
    uint32_t nodes[PAIL_AD_MAX_AXES];
    uint32_t n, over;
};

static bool is_closed(const struct pail_ad_build *build, uint32_t number)
{
    return !build->dag.nodes[number].free;
}

static struct chain chain_of(const struct pail_ad_build *build, uint32_t number)
{
    struct chain chain = {.over = number};
    const uint32_t reduction = build->dag.nodes[number].reduction;
    while (chain.n < PAIL_AD_MAX_AXES) {
        const struct pail_ad_dag_node *node = &build->dag.nodes[chain.over];
        /* A range over no variable from outside of it is a slot of its own. */
        if (node->op != PAIL_AD_LOOP || node->reduction != reduction || (chain.n && !node->free) ||
            !is_closed(build, node->a) || !is_closed(build, node->b))
            break;
        chain.nodes[chain.n++] = chain.over;
        chain.over = node->c;
    }
    return chain;
}

/* Writes a spec; its slot is the next one. */
static pail_status write_spec(struct pail_ad_build *build, uint32_t number,
                              const struct chain *chain, uint32_t turns)
{
    struct pail_ad_program *program = build->program;
    const struct pail_ad_dag_node *node = &build->dag.nodes[number];
    struct pail_ad_spec spec = {
        .reduction = node->reduction,
        .slot = program->n_slots,
        .axes_first = program->n_axes,
        .n_axes = chain->n,
        .site = node->site,
        .turns = turns,
    };
    const struct pail_ad_slot slot = {
        .op = PAIL_AD_SPEC, .spec = program->n_specs, .site = node->site};
    pail_status status =
        pail_grow(build->alloc, &program->axes, &build->axes_capacity, program->n_axes + chain->n,
                  sizeof(program->axes[0]), build->err);
    if (!status)
        status = pail_grow(build->alloc, &program->specs, &build->specs_capacity,
                           program->n_specs + 1, sizeof(program->specs[0]), build->err);
    if (status)
        return status;
    uint32_t axes[PAIL_AD_MAX_AXES];
    for (uint32_t k = 0; k < chain->n; k++) {
        const struct pail_ad_dag_node *axis = &build->dag.nodes[chain->nodes[k]];
        program->axes[program->n_axes++] = (struct pail_ad_axis){
            .begin = slot_of(build, axis->a),
            .end = slot_of(build, axis->b),
        };
        axes[k] = axis->axis;
    }
    status = pail_ad_body_write(build, &spec, axes, chain->over);
    if (status)
        return status;
    program->specs[program->n_specs++] = spec;
    return append(build, number, &slot);
}

/* The slot with the most turns of the range that the chain ends at, in *slot. */
static pail_status write_turns(struct pail_ad_build *build, const struct chain *chain,
                               uint32_t *slot)
{
    struct pail_ad_dag *dag = &build->dag;
    const struct pail_ad_dag_node loop = dag->nodes[chain->over];
    const struct pail_ad_dag_node turns = {.op = PAIL_AD_SUB, .a = loop.b, .b = loop.a};
    dag->here = dag->sites[loop.site];
    dag->here_site = loop.site;
    uint32_t number;
    pail_status status = pail_ad_dag_put(dag, &turns, NULL, &number);
    if (status)
        return status;
    /* The range is only over the axes that they depend on; the innermost is made first. */
    struct chain ranges = {.over = number};
    const uint64_t needed = dag->nodes[number].free;
    for (uint32_t k = chain->n; k-- > 0 && !status;) {
        struct pail_ad_dag_node range = dag->nodes[chain->nodes[k]];
        if (!(needed & pail_ad_bit(range.axis)))
            continue;
        range.reduction = PAIL_AD_REDUCE_MAX;
        range.c = number;
        status = pail_ad_dag_put(dag, &range, NULL, &number);
        for (uint32_t at = ranges.n++; at > 0; at--)
            ranges.nodes[at] = ranges.nodes[at - 1];
        ranges.nodes[0] = number;
    }
    if (!status)
        status = pail_grow(build->alloc, &build->slot_of, &build->slot_of_capacity, dag->n,
                           sizeof(build->slot_of[0]), build->err);
    if (!status && !build->slot_of[number])
        status = ranges.n ? write_spec(build, number, &ranges, PAIL_AD_NONE)
                          : write_plain(build, number);
    if (!status)
        *slot = slot_of(build, number);
    return status;
}

static pail_status write_range(struct pail_ad_build *build, uint32_t number)
{
    const struct chain chain = chain_of(build, number);
    const struct pail_ad_dag_node *over = &build->dag.nodes[chain.over];
    uint32_t turns = PAIL_AD_NONE;
    if (over->op == PAIL_AD_LOOP && over->free &&
        over->reduction == build->dag.nodes[number].reduction) {
        const pail_status status = write_turns(build, &chain, &turns);
        if (status)
            return status;
    }
    return write_spec(build, number, &chain, turns);
}

pail_status pail_ad_slots_write(struct pail_ad_build *build, const uint32_t roots[],
                                uint32_t n_roots)
{
    const uint32_t n = build->dag.n; /* new ones are for what `turns` is */
    uint8_t *used = pail_calloc(build->alloc, n ? n : 1, 1);
    if (!used)
        return pail_fail(build->err, PAIL_ERR_HOST_MEMORY, "no host memory for %u marks", n);
    pail_status status = pail_grow(build->alloc, &build->slot_of, &build->slot_of_capacity, n,
                                   sizeof(build->slot_of[0]), build->err);
    for (uint32_t i = 0; i < n_roots; i++)
        if (roots[i] != PAIL_AD_NONE)
            used[roots[i]] = 1;
    for (uint32_t i = n; i-- > 0;) {
        const struct pail_ad_dag_node *node = &build->dag.nodes[i];
        for (uint32_t k = 0; used[i] && k < pail_ad_dag_operands(node); k++)
            used[pail_ad_dag_operand(&build->dag, node, k)] = 1;
    }
    for (uint32_t i = 0; i < n && !status; i++) {
        const struct pail_ad_dag_node *node = &build->dag.nodes[i];
        if (!used[i] || node->free || node->names || build->slot_of[i])
            continue;
        status = node->op == PAIL_AD_LOOP ? write_range(build, i) : write_plain(build, i);
    }
    pail_free(build->alloc, used);
    return status;
}
