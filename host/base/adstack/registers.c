/* SPDX-License-Identifier: Apache-2.0 */
/* A linear scan: a virtual register is written in one place of the code, so it lives from there to
 * its last use, or to the end of the outermost loop that began in between and has a use in it. */
#include "build.h"

struct pail_ad_live {
    uint32_t from;     /* the instruction that writes it */
    uint32_t dies;     /* the first instruction that may write to its register again */
    uint32_t next;     /* another one that dies there; 1 + register, 0: none */
    uint32_t assigned; /* the register it got */
};

struct scan {
    struct pail_ad_build *build;
    struct pail_ad_spec *spec;
    struct pail_ad_instr *code;
    struct pail_ad_live *live;
    uint32_t *dying; /* [n_code + 2] of instructions: who dies there; 1 + register, 0: none */
    uint32_t loops[PAIL_AD_MAX_DEPTH];
    uint32_t n_loops; /* around the present instruction, the outermost first */
    uint32_t n_axes;
    uint32_t *freed; /* registers to be used again; the part of `dying` behind what was scanned */
    uint32_t n_freed, n_registers;
};

static void use(struct scan *scan, uint32_t operand, uint32_t at)
{
    if (operand & PAIL_AD_SLOT || operand < scan->n_axes)
        return;
    struct pail_ad_live *live = &scan->live[operand];
    uint32_t dies = at;
    for (uint32_t i = 0; i < scan->n_loops; i++) {
        const uint32_t loop = scan->loops[i];
        if (loop <= live->from)
            continue; /* written in it, or its own variable */
        dies = scan->code[loop].end > dies ? scan->code[loop].end : dies;
        break;
    }
    live->dies = dies > live->dies ? dies : live->dies;
}

static void written(struct scan *scan, uint32_t number, uint32_t at, uint32_t until)
{
    scan->live[number] = (struct pail_ad_live){.from = at, .dies = until};
}

/* Measures how long each register lives. */
static void measure(struct scan *scan)
{
    for (uint32_t at = 0; at < scan->spec->n_code; at++) {
        const struct pail_ad_instr *instr = &scan->code[at];
        while (scan->n_loops && scan->code[scan->loops[scan->n_loops - 1]].end == at)
            scan->n_loops--;
        if (instr->op == PAIL_AD_LOOP) {
            use(scan, instr->a, instr->end);
            use(scan, instr->b, instr->end);
            written(scan, instr->dst, at, instr->end);
            written(scan, instr->var, at, instr->end);
            scan->loops[scan->n_loops++] = at;
            continue;
        }
        if (instr->op == PAIL_AD_READ) {
            for (uint32_t k = 0; k < instr->n_args; k++)
                use(scan, scan->build->program->args[instr->args_first + k], at);
        } else {
            use(scan, instr->a, at);
            use(scan, instr->b, at);
            if (instr->op == PAIL_AD_SELECT)
                use(scan, instr->c, at);
        }
        written(scan, instr->dst, at, at + 1);
    }
}

/* Extends the lives of the loops' values. A turn's value is read at the turn's end; it may have
 * been written behind the loop's beginning, so this comes when all of them are known. */
static void measure_turns(struct scan *scan)
{
    scan->n_loops = 0;
    for (uint32_t at = 0; at < scan->spec->n_code; at++) {
        while (scan->n_loops && scan->code[scan->loops[scan->n_loops - 1]].end <= at)
            scan->n_loops--;
        if (scan->code[at].op != PAIL_AD_LOOP)
            continue;
        scan->loops[scan->n_loops++] = at;
        use(scan, scan->code[at].c, scan->code[at].end);
    }
    scan->n_loops = 0;
    use(scan, scan->spec->value, scan->spec->n_code + 1);
}

static uint32_t assigned(const struct scan *scan, uint32_t operand)
{
    if (operand & PAIL_AD_SLOT || operand < scan->n_axes)
        return operand;
    return scan->live[operand].assigned;
}

static uint32_t assign(struct scan *scan, uint32_t number)
{
    struct pail_ad_live *live = &scan->live[number];
    live->assigned = scan->n_freed ? scan->freed[--scan->n_freed] : scan->n_registers++;
    live->next = scan->dying[live->dies];
    scan->dying[live->dies] = number + 1;
    return live->assigned;
}

/* n_freed never goes beyond what was assigned, so the virtual registers' number is room enough. */
static void rewrite(struct scan *scan)
{
    for (uint32_t at = 0; at < scan->spec->n_code; at++) {
        for (uint32_t i = scan->dying[at]; i; i = scan->live[i - 1].next)
            scan->freed[scan->n_freed++] = scan->live[i - 1].assigned;
        struct pail_ad_instr *instr = &scan->code[at];
        if (instr->op == PAIL_AD_READ) {
            uint32_t *args = &scan->build->program->args[instr->args_first];
            for (uint32_t k = 0; k < instr->n_args; k++)
                args[k] = assigned(scan, args[k]);
        } else {
            instr->a = assigned(scan, instr->a);
            instr->b = assigned(scan, instr->b);
            if (instr->op == PAIL_AD_SELECT)
                instr->c = assigned(scan, instr->c);
        }
        instr->dst = assign(scan, instr->dst);
        if (instr->op == PAIL_AD_LOOP)
            instr->var = assign(scan, instr->var);
    }
    for (uint32_t at = 0; at < scan->spec->n_code; at++)
        if (scan->code[at].op == PAIL_AD_LOOP)
            scan->code[at].c = assigned(scan, scan->code[at].c);
    scan->spec->value = assigned(scan, scan->spec->value);
}

pail_status pail_ad_registers_assign(struct pail_ad_build *build, struct pail_ad_spec *spec)
{
    const uint32_t n = spec->n_registers, n_dying = spec->n_code + 2;
    pail_status status = pail_grow(build->alloc, &build->live, &build->live_capacity, n,
                                   sizeof(build->live[0]), build->err);
    if (!status)
        status = pail_grow(build->alloc, &build->dying, &build->dying_capacity, n_dying + n,
                           sizeof(build->dying[0]), build->err);
    if (status || n == spec->n_axes)
        return status;
    struct scan scan = {
        .build = build,
        .spec = spec,
        .code = &build->program->code[spec->code_first],
        .live = build->live,
        .dying = build->dying,
        .freed = &build->dying[n_dying],
        .n_axes = spec->n_axes,
        .n_registers = spec->n_axes,
    };
    for (uint32_t i = 0; i < n_dying; i++)
        scan.dying[i] = 0;
    measure(&scan);
    measure_turns(&scan);
    rewrite(&scan);
    spec->n_registers = scan.n_registers;
    return PAIL_OK;
}
