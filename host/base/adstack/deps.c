/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "build.h"
#include <curves/fnv.h>

/* Lists of numbers of dependencies, each of them once. */
struct lists {
    struct pail_ad_build *build;
    uint32_t *mask;  /* [n_sources] bit 0: contents, bit 1 + axis: shape */
    uint32_t *first; /* [n_sources] number of the source's first dependency */
    uint32_t *table; /* hash table of slots, number + 1, that have different lists */
    uint32_t table_size;
    uint32_t *merged, *spare; /* [n_deps] */
    uint32_t *direct;         /* slots that a slot depends on */
    uint32_t n_direct, direct_capacity;
    uint32_t lists_capacity;
    uint64_t steps;
};

static void mark(struct lists *lists, uint32_t op, uint32_t source, uint32_t axis)
{
    if (op == PAIL_AD_READ)
        lists->mask[source] |= 1u;
    else if (op == PAIL_AD_SHAPE)
        lists->mask[source] |= 2u << axis;
}

static uint32_t count_bits(uint32_t bits)
{
    uint32_t n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* The number of a dependency. */
static uint32_t number_of(const struct lists *lists, uint32_t op, uint32_t source, uint32_t axis)
{
    const uint32_t before = op == PAIL_AD_READ ? 0 : (2u << axis) - 1;
    return lists->first[source] + count_bits(lists->mask[source] & before);
}

static pail_status write_all(struct lists *lists)
{
    struct pail_ad_program *program = lists->build->program;
    for (uint32_t i = 0; i < program->n_slots; i++)
        mark(lists, program->slots[i].op, program->slots[i].source, program->slots[i].axis);
    for (uint32_t i = 0; i < program->n_code; i++)
        mark(lists, program->code[i].op, program->code[i].source, 0);
    for (uint32_t source = 0; source < program->n_sources; source++) {
        lists->first[source] = program->n_deps;
        program->n_deps += count_bits(lists->mask[source]);
    }
    const size_t n = program->n_deps ? program->n_deps : 1;
    program->deps = pail_calloc(lists->build->alloc, n, sizeof(program->deps[0]));
    lists->merged = pail_calloc(lists->build->alloc, n, sizeof(lists->merged[0]));
    lists->spare = pail_calloc(lists->build->alloc, n, sizeof(lists->spare[0]));
    if (!program->deps || !lists->merged || !lists->spare)
        return pail_fail(lists->build->err, PAIL_ERR_HOST_MEMORY,
                         "no host memory for %u dependencies", program->n_deps);
    struct pail_ad_dep *dep = program->deps;
    for (uint32_t source = 0; source < program->n_sources; source++) {
        if (lists->mask[source] & 1)
            *dep++ = (struct pail_ad_dep){.kind = PAIL_AD_DEP_CONTENTS, .source = source};
        for (uint32_t axis = 0; axis < PAIL_AD_MAX_RANK; axis++)
            if (lists->mask[source] & 2u << axis)
                *dep++ =
                    (struct pail_ad_dep){.kind = PAIL_AD_DEP_SHAPE, .source = source, .axis = axis};
    }
    return PAIL_OK;
}

/* ---- What a slot needs itself ---------------------------------------------------------------- */

static pail_status add_direct(struct lists *lists, uint32_t slot)
{
    const pail_status status =
        pail_grow(lists->build->alloc, &lists->direct, &lists->direct_capacity, lists->n_direct + 1,
                  sizeof(lists->direct[0]), lists->build->err);
    if (!status)
        lists->direct[lists->n_direct++] = slot;
    return status;
}

static pail_status add_operand(struct lists *lists, uint32_t operand)
{
    return operand & PAIL_AD_SLOT ? add_direct(lists, operand & ~PAIL_AD_SLOT) : PAIL_OK;
}

/* Merges ascending numbers into `merged`. */
static void merge(struct lists *lists, uint32_t *n, const uint32_t list[], uint32_t n_list)
{
    uint32_t *to = lists->spare;
    uint32_t i = 0, k = 0, made = 0;
    while (i < *n || k < n_list) {
        const uint32_t x = i < *n ? lists->merged[i] : UINT32_MAX;
        const uint32_t y = k < n_list ? list[k] : UINT32_MAX;
        to[made++] = x < y ? x : y;
        i += x <= y;
        k += y <= x;
    }
    lists->steps += made;
    lists->spare = lists->merged;
    lists->merged = to;
    *n = made;
}

static void merge_one(struct lists *lists, uint32_t *n, uint32_t op, uint32_t source, uint32_t axis)
{
    const uint32_t number = number_of(lists, op, source, axis);
    merge(lists, n, &number, 1);
}

static pail_status gather_code(struct lists *lists, const struct pail_ad_spec *spec, uint32_t *n)
{
    const struct pail_ad_program *program = lists->build->program;
    pail_status status = add_operand(lists, spec->value);
    for (uint32_t i = 0; i < spec->n_code && !status; i++) {
        const struct pail_ad_instr *instr = &program->code[spec->code_first + i];
        if (instr->op == PAIL_AD_READ) {
            merge_one(lists, n, instr->op, instr->source, 0);
            for (uint32_t k = 0; k < instr->n_args && !status; k++)
                status = add_operand(lists, program->args[instr->args_first + k]);
            continue;
        }
        status = add_operand(lists, instr->a);
        if (!status)
            status = add_operand(lists, instr->b);
        if (!status && (instr->op == PAIL_AD_SELECT || instr->op == PAIL_AD_LOOP))
            status = add_operand(lists, instr->c);
    }
    return status;
}

/* Slots it depends on in `direct`, and what it reads itself in the first *n of `merged`. */
static pail_status gather(struct lists *lists, const struct pail_ad_slot *slot, uint32_t *n)
{
    const struct pail_ad_program *program = lists->build->program;
    pail_status status = PAIL_OK;
    switch (slot->op) {
    case PAIL_AD_CONST:
        return PAIL_OK;
    case PAIL_AD_SHAPE:
        merge_one(lists, n, slot->op, slot->source, slot->axis);
        return PAIL_OK;
    case PAIL_AD_READ:
        merge_one(lists, n, slot->op, slot->source, 0);
        for (uint32_t k = 0; k < slot->n_args && !status; k++)
            status = add_direct(lists, program->args[slot->args_first + k]);
        return status;
    case PAIL_AD_SPEC: {
        const struct pail_ad_spec *spec = &program->specs[slot->spec];
        for (uint32_t k = 0; k < spec->n_axes && !status; k++) {
            const struct pail_ad_axis *axis = &program->axes[spec->axes_first + k];
            status = add_direct(lists, axis->begin);
            if (!status)
                status = add_direct(lists, axis->end);
        }
        return status ? status : gather_code(lists, spec, n);
    }
    default:
        status = add_direct(lists, slot->a);
        if (!status)
            status = add_direct(lists, slot->b);
        if (!status && slot->op == PAIL_AD_SELECT)
            status = add_direct(lists, slot->c);
        return status;
    }
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* An array's contents include its shape. */
static uint32_t without_shapes(const struct lists *lists, uint32_t n)
{
    const struct pail_ad_dep *deps = lists->build->program->deps;
    uint32_t kept = 0, source = PAIL_AD_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const struct pail_ad_dep *dep = &deps[lists->merged[i]];
        if (dep->kind == PAIL_AD_DEP_CONTENTS)
            source = dep->source;
        else if (dep->source == source)
            continue;
        lists->merged[kept++] = lists->merged[i];
    }
    return kept;
}

/* The slot's list, which is that of an earlier slot if it is equal. */
static pail_status put_list(struct lists *lists, struct pail_ad_slot *slot, uint32_t n)
{
    struct pail_ad_program *program = lists->build->program;
    const size_t bytes = n * sizeof(lists->merged[0]);
    uint32_t at = (uint32_t)pail_fnv1a64(lists->merged, bytes) & (lists->table_size - 1);
    for (; lists->table[at]; at = (at + 1) & (lists->table_size - 1)) {
        const struct pail_ad_slot *other = &program->slots[lists->table[at] - 1];
        if (other->n_deps == n &&
            !memcmp(&program->dep_lists[other->deps_first], lists->merged, bytes)) {
            slot->deps_first = other->deps_first;
            slot->n_deps = n;
            return PAIL_OK;
        }
    }
    const struct pail_ad_site *site = &lists->build->dag.sites[slot->site];
    if (n > PAIL_AD_MAX_LISTED - program->n_dep_lists || lists->steps > PAIL_AD_MAX_STEPS)
        return pail_fail(lists->build->err, PAIL_ERR_DATA,
                         "task %u, stack %u: node %u: it and what is in front of it depend on too "
                         "many arrays in too many ways",
                         site->task, site->stack, site->node);
    const pail_status status =
        pail_grow(lists->build->alloc, &program->dep_lists, &lists->lists_capacity,
                  program->n_dep_lists + n, sizeof(program->dep_lists[0]), lists->build->err);
    if (status)
        return status;
    memcpy(&program->dep_lists[program->n_dep_lists], lists->merged, bytes);
    slot->deps_first = program->n_dep_lists;
    slot->n_deps = n;
    program->n_dep_lists += n;
    lists->table[at] = (uint32_t)(slot - program->slots) + 1;
    return PAIL_OK;
}

static pail_status write_slot(struct lists *lists, struct pail_ad_slot *slot)
{
    struct pail_ad_program *program = lists->build->program;
    uint32_t n = 0;
    lists->n_direct = 0;
    const pail_status status = gather(lists, slot, &n);
    if (status)
        return status;
    slot->level = 0;
    for (uint32_t i = 0; i < lists->n_direct; i++) {
        const struct pail_ad_slot *other = &program->slots[lists->direct[i]];
        slot->level = other->level > slot->level ? other->level : slot->level;
        if (other->n_deps)
            merge(lists, &n, &program->dep_lists[other->deps_first], other->n_deps);
    }
    if (slot->op == PAIL_AD_SPEC) {
        const uint32_t turns = program->specs[slot->spec].turns;
        if (turns != PAIL_AD_NONE && program->slots[turns].level > slot->level)
            slot->level = program->slots[turns].level;
        slot->level++;
    }
    if (slot->level >= program->n_levels)
        program->n_levels = slot->level + 1;
    n = without_shapes(lists, n);
    return n ? put_list(lists, slot, n) : PAIL_OK;
}

static uint32_t table_for(uint32_t n)
{
    uint32_t size = 64;
    while (size / 2 < n)
        size *= 2;
    return size;
}

pail_status pail_ad_deps_write(struct pail_ad_build *build)
{
    struct pail_ad_program *program = build->program;
    struct lists lists = {.build = build, .table_size = table_for(program->n_slots)};
    const size_t n_sources = program->n_sources ? program->n_sources : 1;
    lists.mask = pail_calloc(build->alloc, n_sources, sizeof(lists.mask[0]));
    lists.first = pail_calloc(build->alloc, n_sources, sizeof(lists.first[0]));
    lists.table = pail_calloc(build->alloc, lists.table_size, sizeof(lists.table[0]));
    pail_status status;
    if (lists.mask && lists.first && lists.table)
        status = write_all(&lists);
    else
        status = pail_fail(build->err, PAIL_ERR_HOST_MEMORY,
                           "no host memory for dependencies on %u arrays", program->n_sources);
    program->n_levels = 1;
    for (uint32_t i = 0; i < program->n_slots && !status; i++)
        status = write_slot(&lists, &program->slots[i]);
    pail_free(build->alloc, lists.mask);
    pail_free(build->alloc, lists.first);
    pail_free(build->alloc, lists.table);
    pail_free(build->alloc, lists.merged);
    pail_free(build->alloc, lists.spare);
    pail_free(build->alloc, lists.direct);
    return status;
}

/* ---- Bodies ---------------------------------------------------------------------------------- */

/* An operand, but for which slot it is. */
static uint64_t plain(uint32_t operand)
{
    return operand & PAIL_AD_SLOT ? PAIL_AD_SLOT : operand;
}

static uint64_t hash_instr(const struct pail_ad_program *program, const struct pail_ad_instr *instr,
                           uint64_t hash)
{
    const uint64_t words[] = {
        instr->op,     instr->dtype, instr->dst, plain(instr->a),  plain(instr->b), plain(instr->c),
        instr->n_args, instr->var,   instr->end, instr->reduction, instr->joined,
    };
    hash = pail_fnv1a64_more(hash, words, sizeof words);
    for (uint32_t k = 0; k < instr->n_args; k++) {
        const uint64_t arg = plain(program->args[instr->args_first + k]);
        hash = pail_fnv1a64_more(hash, &arg, sizeof arg);
    }
    return hash;
}

static uint64_t hash_body(const struct pail_ad_program *program, const struct pail_ad_spec *spec)
{
    const uint64_t words[] = {spec->reduction, spec->n_axes, spec->n_code, plain(spec->value)};
    uint64_t hash = pail_fnv1a64(words, sizeof words);
    for (uint32_t i = 0; i < spec->n_code; i++)
        hash = hash_instr(program, &program->code[spec->code_first + i], hash);
    return hash;
}

static bool same_instr(const struct pail_ad_program *program, const struct pail_ad_instr *x,
                       const struct pail_ad_instr *y)
{
    bool same = x->op == y->op && x->dtype == y->dtype && x->dst == y->dst &&
                plain(x->a) == plain(y->a) && plain(x->b) == plain(y->b) &&
                plain(x->c) == plain(y->c) && x->n_args == y->n_args && x->var == y->var &&
                x->end == y->end && x->reduction == y->reduction && x->joined == y->joined;
    for (uint32_t k = 0; same && k < x->n_args; k++)
        same = plain(program->args[x->args_first + k]) == plain(program->args[y->args_first + k]);
    return same;
}

static bool same_body(const struct pail_ad_program *program, const struct pail_ad_spec *x,
                      const struct pail_ad_spec *y)
{
    bool same = x->reduction == y->reduction && x->n_axes == y->n_axes && x->n_code == y->n_code &&
                plain(x->value) == plain(y->value);
    for (uint32_t i = 0; same && i < x->n_code; i++)
        same = same_instr(program, &program->code[x->code_first + i],
                          &program->code[y->code_first + i]);
    return same;
}

pail_status pail_ad_bodies_number(struct pail_ad_build *build)
{
    struct pail_ad_program *program = build->program;
    const uint32_t size = table_for(program->n_specs);
    uint32_t *table = pail_calloc(build->alloc, size, sizeof(table[0])); /* specs: number + 1 */
    if (!table)
        return pail_fail(build->err, PAIL_ERR_HOST_MEMORY, "no host memory for a table of %u",
                         size);
    for (uint32_t i = 0; i < program->n_specs; i++) {
        struct pail_ad_spec *spec = &program->specs[i];
        uint32_t at = (uint32_t)hash_body(program, spec) & (size - 1);
        while (table[at] && !same_body(program, &program->specs[table[at] - 1], spec))
            at = (at + 1) & (size - 1);
        if (table[at]) {
            spec->body = program->specs[table[at] - 1].body;
        } else {
            spec->body = program->n_bodies++;
            table[at] = i + 1;
        }
    }
    pail_free(build->alloc, table);
    return PAIL_OK;
}
