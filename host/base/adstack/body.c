/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a body. Operations are done whether their value is taken or not: errors are values.
 * Loops are not, as they may have any number of turns: in an arm of a SELECT that is not taken, and
 * in front of a loop that has no turns, they have none (guards). Nodes that were computed under a
 * guard are computed again elsewhere, so parts that many arms share can make code long; that of a
 * body which would be too long is written without guards. */
#include "build.h"

/* A node that is needed, and how far it is. */
struct pail_ad_frame {
    uint32_t number;
    uint32_t next;     /* next operand; for a range: BOUNDS...CLOSE, for SELECT: CONDITION... */
    uint32_t instr;    /* LOOP: from OPEN on */
    uint32_t computed; /* LOOP: nodes that had registers when it was opened */
    uint32_t before;   /* nodes that had registers in front of what is guarded */
    uint32_t guards, first_guard; /* LOOP: as they were in front of it */
    uint32_t positive;            /* SELECT: operand that the first arm is */
    bool joined;
};

enum { BOUNDS, INVARIANTS, OPEN, OVER, CLOSE };
enum { CONDITION, POSITIVE, OTHERWISE, TAKE };

/* Loops are only needed if this is positive, or if it is not. */
struct pail_ad_guard {
    uint32_t condition; /* operand */
    bool positive;
};

static const struct pail_ad_dag_node *node_at(const struct pail_ad_build *build, uint32_t number)
{
    return &build->dag.nodes[number];
}

static bool has_operand(const struct pail_ad_build *build, uint32_t number)
{
    const struct pail_ad_dag_node *node = node_at(build, number);
    return !node->free || node->op == PAIL_AD_VARIABLE || build->body.register_of[number];
}

static uint32_t operand_of(const struct pail_ad_build *build, uint32_t number)
{
    const struct pail_ad_dag_node *node = node_at(build, number);
    if (!node->free)
        return pail_ad_slot_operand(build, number);
    if (node->op == PAIL_AD_VARIABLE)
        return build->body.variable_register[node->axis];
    return build->body.register_of[number] - 1;
}

static pail_status step(struct pail_ad_build *build)
{
    const struct pail_ad_site *site = &build->body.site;
    if (++build->body.steps <= PAIL_AD_MAX_STEPS)
        return PAIL_OK;
    return pail_fail(build->err, PAIL_ERR_DATA,
                     "task %u, stack %u: node %u: the ranges in it are too many to be sorted out",
                     site->task, site->stack, site->node);
}

static pail_status push(struct pail_ad_build *build, uint32_t number, bool joined)
{
    struct pail_ad_body *body = &build->body;
    pail_status status = step(build);
    if (!status)
        status = pail_grow(build->alloc, &body->frames, &body->frames_capacity, body->n_frames + 1,
                           sizeof(body->frames[0]), build->err);
    if (!status)
        body->frames[body->n_frames++] = (struct pail_ad_frame){.number = number, .joined = joined};
    return status;
}

static pail_status append(struct pail_ad_build *build, const struct pail_ad_instr *instr)
{
    struct pail_ad_program *program = build->program;
    const struct pail_ad_site *site = &build->body.site;
    if (program->n_code == PAIL_AD_MAX_SLOTS)
        return pail_fail(build->err, PAIL_ERR_DATA,
                         "task %u, stack %u: node %u: the kernel's ranges have more than %u "
                         "operations in them",
                         site->task, site->stack, site->node, PAIL_AD_MAX_SLOTS);
    const pail_status status = pail_grow(build->alloc, &program->code, &build->code_capacity,
                                         program->n_code + 1, sizeof(program->code[0]), build->err);
    if (!status)
        program->code[program->n_code++] = *instr;
    return status;
}

/* Notes that from here to the end of the innermost loop, the node is in this register. */
static pail_status computed(struct pail_ad_build *build, uint32_t number, uint32_t at)
{
    struct pail_ad_body *body = &build->body;
    const pail_status status =
        pail_grow(build->alloc, &body->computed, &body->computed_capacity, body->n_computed + 1,
                  sizeof(body->computed[0]), build->err);
    if (status)
        return status;
    body->register_of[number] = at + 1;
    body->computed[body->n_computed++] = number;
    return PAIL_OK;
}

static pail_status push_guard(struct pail_ad_build *build, uint32_t condition, bool positive)
{
    struct pail_ad_body *body = &build->body;
    const pail_status status = pail_grow(build->alloc, &body->guards, &body->guards_capacity,
                                         body->n_guards + 1, sizeof(body->guards[0]), build->err);
    if (!status)
        body->guards[body->n_guards++] =
            (struct pail_ad_guard){.condition = condition, .positive = positive};
    return status;
}

/* Forgets what was computed behind the first `before` nodes and may be something else where the
 * guard does not hold: whatever has ranges in it. */
static void forget_guarded(struct pail_ad_build *build, uint32_t before)
{
    struct pail_ad_body *body = &build->body;
    uint32_t kept = before;
    if (!body->guarding)
        return;
    for (uint32_t i = before; i < body->n_computed; i++) {
        const uint32_t number = body->computed[i];
        if (node_at(build, number)->height)
            body->register_of[number] = 0;
        else
            body->computed[kept++] = number;
    }
    body->n_computed = kept;
}

/* Makes a loop end where it begins, without turns, unless all guards hold. */
static pail_status guarded_end(struct pail_ad_build *build, uint32_t site, uint32_t begin,
                               uint32_t *end)
{
    struct pail_ad_body *body = &build->body;
    for (uint32_t i = body->n_guards; i-- > body->first_guard;) {
        const struct pail_ad_guard *guard = &body->guards[i];
        const struct pail_ad_instr instr = {
            .op = PAIL_AD_SELECT,
            .dst = body->n_registers++,
            .a = guard->condition,
            .b = guard->positive ? *end : begin,
            .c = guard->positive ? begin : *end,
            .site = site,
        };
        const pail_status status = append(build, &instr);
        if (status)
            return status;
        *end = instr.dst;
    }
    return PAIL_OK;
}

static pail_status write_plain(struct pail_ad_build *build, uint32_t number)
{
    const struct pail_ad_dag_node *node = node_at(build, number);
    struct pail_ad_program *program = build->program;
    struct pail_ad_instr instr = {
        .op = node->op,
        .dtype = node->dtype,
        .dst = build->body.n_registers++,
        .source = node->source,
        .args_first = program->n_args,
        .n_args = node->n_args,
        .site = node->site,
    };
    if (node->op == PAIL_AD_READ) {
        const pail_status status = pail_ad_write_args(build, node, operand_of);
        if (status)
            return status;
    } else {
        instr.a = operand_of(build, node->a);
        instr.b = operand_of(build, node->b);
        if (node->op == PAIL_AD_SELECT)
            instr.c = operand_of(build, node->c);
    }
    const pail_status status = append(build, &instr);
    return status ? status : computed(build, number, instr.dst);
}

/* Computes a SELECT whose arms are guarded. The first arm's value stays in its register, which
 * lives as long as there is a use, when the node is forgotten. */
static pail_status advance_select(struct pail_ad_build *build, uint32_t at)
{
    struct pail_ad_body *body = &build->body;
    struct pail_ad_frame *frame = &body->frames[at];
    const uint32_t number = frame->number;
    const struct pail_ad_dag_node *node = node_at(build, number);
    const uint32_t arms[] = {node->b, node->c};
    switch (frame->next++) {
    case CONDITION:
        return has_operand(build, node->a) ? PAIL_OK : push(build, node->a, false);
    case POSITIVE:
    case OTHERWISE: {
        const bool positive = frame->next == OTHERWISE;
        if (!positive) {
            frame->positive = operand_of(build, node->b);
            body->n_guards--;
            forget_guarded(build, frame->before);
        }
        frame->before = body->n_computed;
        const pail_status status = push_guard(build, operand_of(build, node->a), positive);
        if (status || has_operand(build, arms[!positive]))
            return status;
        return push(build, arms[!positive], false);
    }
    default: {
        const struct pail_ad_instr instr = {
            .op = PAIL_AD_SELECT,
            .dst = body->n_registers++,
            .a = operand_of(build, node->a),
            .b = frame->positive,
            .c = operand_of(build, node->c),
            .site = node->site,
        };
        body->n_guards--;
        forget_guarded(build, frame->before);
        body->n_frames--;
        const pail_status status = append(build, &instr);
        return status ? status : computed(build, number, instr.dst);
    }
    }
}

static pail_status advance_plain(struct pail_ad_build *build, uint32_t at)
{
    struct pail_ad_body *body = &build->body;
    const uint32_t number = body->frames[at].number;
    const struct pail_ad_dag_node *node = node_at(build, number);
    while (body->frames[at].next < pail_ad_dag_operands(node)) {
        const uint32_t operand = pail_ad_dag_operand(&build->dag, node, body->frames[at].next++);
        if (!has_operand(build, operand))
            return push(build, operand, false);
    }
    body->n_frames--;
    return write_plain(build, number);
}

/* True if a range's turns count as turns of the range of this reduction that is directly over it.
 * One without free variables is a slot instead: it is the same in all turns, so a sum of it that
 * does not fit 64 bits could not come back into them. */
static bool joins(const struct pail_ad_build *build, uint32_t number, uint32_t reduction)
{
    const struct pail_ad_dag_node *node = node_at(build, number);
    return node->op == PAIL_AD_LOOP && node->free && node->reduction == reduction &&
           (reduction == PAIL_AD_REDUCE_SUM || !build->body.register_of[number]);
}

/* Mark in a walk: reached by way of an arm of a SELECT. */
#define IN_ARM (1u << 31)

static pail_status walk_push(struct pail_ad_build *build, uint32_t *n, uint32_t number)
{
    struct pail_ad_body *body = &build->body;
    const pail_status status = pail_grow(build->alloc, &body->walk, &body->walk_capacity, *n + 1,
                                         sizeof(body->walk[0]), build->err);
    if (!status)
        body->walk[(*n)++] = number;
    return status;
}

/* Looks at a node in the turns of a loop: asks for it if it does not change from turn to turn, or
 * goes on to its operands. Loops stay in the arms that they are in. */
static pail_status walk_node(struct pail_ad_build *build, uint32_t *n, uint32_t entry)
{
    struct pail_ad_body *body = &build->body;
    const uint32_t number = entry & ~IN_ARM, arm = body->guarding ? entry & IN_ARM : 0;
    const struct pail_ad_dag_node *node = node_at(build, number);
    const uint32_t search = 2 * body->search + !arm;
    if (has_operand(build, number) || body->seen[number] >= search)
        return PAIL_OK;
    body->seen[number] = search;
    if (!(node->free & ~body->bound) && !(arm && node->height))
        return push(build, number, false);
    pail_status status = step(build);
    for (uint32_t k = 0; k < pail_ad_dag_operands(node) && !status; k++)
        status = walk_push(build, n,
                           pail_ad_dag_operand(&build->dag, node, k) |
                               (node->op == PAIL_AD_SELECT && k ? IN_ARM : arm));
    return status;
}

/* Asks for all that is in a range's turns and does not change from turn to turn. */
static pail_status push_invariants(struct pail_ad_build *build, const struct pail_ad_dag_node *loop)
{
    struct pail_ad_body *body = &build->body;
    uint32_t n = 0, over = loop->c;
    pail_status status = PAIL_OK;
    body->search++;
    /* An inner sum that counts as part of this one must not be finished outside. */
    while (!status && loop->reduction == PAIL_AD_REDUCE_SUM &&
           joins(build, over, loop->reduction)) {
        const struct pail_ad_dag_node *inner = node_at(build, over);
        status = walk_push(build, &n, inner->a);
        if (!status)
            status = walk_push(build, &n, inner->b);
        over = inner->c;
    }
    if (!status)
        status = walk_push(build, &n, over);
    while (n && !status)
        status = walk_node(build, &n, body->walk[--n]);
    return status;
}

/* Guards the loop's invariants: they are needed only if there are turns. */
static pail_status guard_turns(struct pail_ad_build *build, uint32_t at)
{
    struct pail_ad_body *body = &build->body;
    const struct pail_ad_dag_node *node = node_at(build, body->frames[at].number);
    const uint32_t n_frames = body->n_frames;
    body->frames[at].before = body->n_computed;
    body->frames[at].guards = body->n_guards;
    body->frames[at].first_guard = body->first_guard;
    pail_status status = push_invariants(build, node);
    bool loops = false;
    for (uint32_t i = n_frames; i < body->n_frames; i++)
        loops = loops || node_at(build, body->frames[i].number)->height;
    if (status || !loops || !body->guarding)
        return status;
    const struct pail_ad_instr instr = {
        .op = PAIL_AD_SUB,
        .dst = body->n_registers++,
        .a = operand_of(build, node->b),
        .b = operand_of(build, node->a),
        .site = node->site,
    };
    status = append(build, &instr);
    return status ? status : push_guard(build, instr.dst, true);
}

static pail_status open_loop(struct pail_ad_build *build, struct pail_ad_frame *frame)
{
    struct pail_ad_body *body = &build->body;
    const struct pail_ad_dag_node *node = node_at(build, frame->number);
    const uint32_t begin = operand_of(build, node->a);
    uint32_t end = operand_of(build, node->b);
    body->n_guards = frame->guards;
    pail_status status = guarded_end(build, node->site, begin, &end);
    if (status)
        return status;
    const struct pail_ad_instr instr = {
        .op = PAIL_AD_LOOP,
        .dst = body->n_registers,
        .a = begin,
        .b = end,
        .site = node->site,
        .var = body->n_registers + 1,
        .reduction = node->reduction,
        .joined = frame->joined,
    };
    body->n_registers += 2;
    body->variable_register[node->axis] = instr.var;
    body->bound |= pail_ad_bit(node->axis);
    body->first_guard = body->n_guards;
    frame->instr = build->program->n_code;
    frame->computed = body->n_computed;
    return append(build, &instr);
}

static pail_status close_loop(struct pail_ad_build *build, const struct pail_ad_frame *frame,
                              uint32_t c)
{
    struct pail_ad_body *body = &build->body;
    struct pail_ad_program *program = build->program;
    const uint32_t number = frame->number;
    while (body->n_computed > frame->computed)
        body->register_of[body->computed[--body->n_computed]] = 0;
    forget_guarded(build, frame->before);
    body->first_guard = frame->first_guard;
    body->bound &= ~pail_ad_bit(node_at(build, number)->axis);
    struct pail_ad_instr *instr = &program->code[frame->instr];
    instr->c = c;
    instr->end = program->n_code - body->code_first;
    const bool joined = frame->joined;
    body->n_frames--;
    return joined ? PAIL_OK : computed(build, number, instr->dst);
}

/* *last: the register of the loop that was closed last. */
static pail_status advance_loop(struct pail_ad_build *build, uint32_t at, uint32_t *last)
{
    struct pail_ad_body *body = &build->body;
    struct pail_ad_frame *frame = &body->frames[at];
    const struct pail_ad_dag_node *node = node_at(build, frame->number);
    switch (frame->next++) {
    case BOUNDS:
        /* The second is looked at once the first is there: what they share is computed once. */
        if (!has_operand(build, node->a)) {
            frame->next = BOUNDS;
            return push(build, node->a, false);
        }
        if (!has_operand(build, node->b)) {
            frame->next = BOUNDS;
            return push(build, node->b, false);
        }
        return PAIL_OK;
    case INVARIANTS:
        return guard_turns(build, at);
    case OPEN:
        return open_loop(build, frame);
    case OVER:
        if (joins(build, node->c, node->reduction))
            return push(build, node->c, true);
        return has_operand(build, node->c) ? PAIL_OK : push(build, node->c, false);
    default: {
        const uint32_t c =
            joins(build, node->c, node->reduction) ? *last : operand_of(build, node->c);
        *last = build->program->code[frame->instr].dst;
        return close_loop(build, frame, c);
    }
    }
}

static void forget_all(struct pail_ad_body *body)
{
    while (body->n_computed)
        body->register_of[body->computed[--body->n_computed]] = 0;
}

/* Counts the different operations of a body. */
static pail_status count_nodes(struct pail_ad_build *build, uint32_t over, uint32_t *count)
{
    struct pail_ad_body *body = &build->body;
    const uint32_t search = 2 * ++body->search;
    uint32_t n = 0;
    pail_status status = walk_push(build, &n, over);
    *count = 0;
    while (n && !status) {
        const uint32_t number = body->walk[--n];
        const struct pail_ad_dag_node *node = node_at(build, number);
        if (has_operand(build, number) || body->seen[number] >= search)
            continue;
        body->seen[number] = search;
        ++*count;
        status = step(build);
        for (uint32_t k = 0; k < pail_ad_dag_operands(node) && !status; k++)
            status = walk_push(build, &n, pail_ad_dag_operand(&build->dag, node, k));
    }
    return status;
}

static pail_status prepare(struct pail_ad_build *build, const struct pail_ad_spec *spec)
{
    struct pail_ad_body *body = &build->body;
    pail_status status = pail_grow(build->alloc, &body->register_of, &body->register_capacity,
                                   build->dag.n, sizeof(body->register_of[0]), build->err);
    if (!status)
        status = pail_grow(build->alloc, &body->seen, &body->seen_capacity, build->dag.n,
                           sizeof(body->seen[0]), build->err);
    body->code_first = build->program->n_code;
    body->site = build->dag.sites[spec->site];
    return status;
}

/* *value: the operand that a cell is. *fits: there are no more than `limit` instructions; otherwise
 * the code is not finished. */
static pail_status write_code(struct pail_ad_build *build, const struct pail_ad_spec *spec,
                              const uint32_t axes[], uint32_t over, uint32_t limit, uint32_t *value,
                              bool *fits)
{
    struct pail_ad_body *body = &build->body;
    body->n_frames = 0;
    body->n_guards = 0;
    body->first_guard = 0;
    body->bound = 0;
    body->n_registers = spec->n_axes;
    for (uint32_t k = 0; k < spec->n_axes; k++) {
        body->bound |= pail_ad_bit(axes[k]);
        body->variable_register[axes[k]] = k;
    }
    const bool loop = joins(build, over, spec->reduction);
    uint32_t last = PAIL_AD_NONE;
    pail_status status = PAIL_OK;
    *fits = true;
    if (loop || !has_operand(build, over))
        status = push(build, over, loop);
    while (body->n_frames && !status && *fits) {
        const uint32_t at = body->n_frames - 1;
        const struct pail_ad_frame *frame = &body->frames[at];
        const uint32_t op = node_at(build, frame->number)->op;
        /* The node may have been asked for twice. */
        if (!frame->joined && frame->next == 0 && has_operand(build, frame->number))
            body->n_frames--;
        else if (op == PAIL_AD_LOOP)
            status = advance_loop(build, at, &last);
        else if (op == PAIL_AD_SELECT && body->guarding)
            status = advance_select(build, at);
        else
            status = advance_plain(build, at);
        *fits = build->program->n_code - body->code_first <= limit;
    }
    if (!status && *fits)
        *value = loop ? last : operand_of(build, over);
    forget_all(body);
    return status;
}

pail_status pail_ad_body_write(struct pail_ad_build *build, struct pail_ad_spec *spec,
                               const uint32_t axes[], uint32_t over)
{
    struct pail_ad_body *body = &build->body;
    struct pail_ad_program *program = build->program;
    const uint32_t args_first = program->n_args;
    uint32_t count = 0;
    bool fits = false;
    pail_status status = prepare(build, spec);
    if (!status)
        status = count_nodes(build, over, &count);
    body->guarding = true;
    if (!status)
        status = write_code(build, spec, axes, over, 4 * count + 64, &spec->value, &fits);
    if (!status && !fits) {
        program->n_code = body->code_first;
        program->n_args = args_first;
        body->guarding = false;
        status = write_code(build, spec, axes, over, UINT32_MAX, &spec->value, &fits);
    }
    if (status)
        return status;
    spec->code_first = body->code_first;
    spec->n_code = program->n_code - body->code_first;
    spec->n_registers = body->n_registers;
    spec->shared_loop = PAIL_AD_NONE;
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const struct pail_ad_instr *instr = &program->code[body->code_first + i];
        if (instr->op == PAIL_AD_LOOP && instr->joined && instr->dst == spec->value)
            spec->shared_loop = i;
    }
    return pail_ad_registers_assign(build, spec);
}
