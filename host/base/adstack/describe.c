/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "culprit.h"

/* Among the operations at a site, which all come from the same node, the one that can fail like
 * this. PAIL_AD_CONST: none was found. */
static uint32_t op_at(const struct pail_ad_program *program, uint32_t site, uint32_t kind,
                      uint32_t *source)
{
    for (uint32_t i = 0; i < program->n_slots; i++) {
        const struct pail_ad_slot *slot = &program->slots[i];
        if (slot->site == site && slot->op >= PAIL_AD_SPEC &&
            (slot->op == PAIL_AD_READ) == (kind == PAIL_AD_RANGE)) {
            *source = slot->source;
            return slot->op;
        }
    }
    for (uint32_t i = 0; i < program->n_code; i++) {
        const struct pail_ad_instr *instr = &program->code[i];
        if (instr->site == site && (instr->op == PAIL_AD_READ) == (kind == PAIL_AD_RANGE)) {
            *source = instr->source;
            return instr->op;
        }
    }
    return PAIL_AD_CONST;
}

static const char *overflow_text(uint32_t op)
{
    switch (op) {
    case PAIL_AD_ADD:
        return "a sum does not fit 64 bits";
    case PAIL_AD_SUB:
        return "a difference does not fit 64 bits";
    case PAIL_AD_MUL:
        return "a product does not fit 64 bits";
    case PAIL_AD_FLOOR_DIV:
        return "a quotient does not fit 64 bits";
    default:
        return "the sum over a range does not fit 64 bits";
    }
}

/* "3 x 4" */
static void write_shape(const struct pail_ad_array *array, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t k = 0; k < array->rank && used < capacity; k++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, k ? " x " : "",
                                 array->shape[k]);
}

/* Describes the error at a site. culprit: NULL: the index is not known. */
static void describe(const struct pail_ad_program *program, const struct pail_ad_array arrays[],
                     uint32_t error, const struct pail_ad_culprit *culprit, char *what,
                     size_t capacity)
{
    const uint32_t kind = PAIL_AD_ERROR_KIND(error);
    uint32_t source = 0;
    const uint32_t op = op_at(program, PAIL_AD_ERROR_SITE(error), kind, &source);
    if (kind == PAIL_AD_RANGE && culprit && culprit->first == culprit->last) {
        snprintf(what, capacity,
                 "an index is outside of source %" PRIu32 ": %" PRId64 " on axis %" PRIu32
                 ", which has %" PRId64 " elements",
                 culprit->source, culprit->first, culprit->axis,
                 arrays[culprit->source].shape[culprit->axis]);
    } else if (kind == PAIL_AD_RANGE && culprit) {
        snprintf(what, capacity,
                 "an index is outside of source %" PRIu32 ": one of those from %" PRId64
                 " to %" PRId64 " on axis %" PRIu32 ", which has %" PRId64 " elements",
                 culprit->source, culprit->first, culprit->last, culprit->axis,
                 arrays[culprit->source].shape[culprit->axis]);
    } else if (kind == PAIL_AD_RANGE) {
        char shape[PAIL_AD_MAX_RANK * 24];
        write_shape(&arrays[source], shape, sizeof shape);
        snprintf(what, capacity, "an index is outside of source %" PRIu32 ", which is %s", source,
                 shape);
    } else if (kind == PAIL_AD_OVERFLOW) {
        snprintf(what, capacity, "%s", overflow_text(op));
    } else if (kind == PAIL_AD_DIVISION) {
        snprintf(what, capacity, "%s", "a division by 0");
    } else {
        snprintf(what, capacity, "a range has more than %llu turns", PAIL_AD_MAX_CELLS);
    }
}

static const struct pail_ad_site *site_of(const struct pail_ad_program *program, uint32_t error,
                                          char *text, size_t capacity)
{
    if (PAIL_AD_ERROR_KIND(error) && PAIL_AD_ERROR_SITE(error) < program->n_sites)
        return &program->sites[PAIL_AD_ERROR_SITE(error)];
    snprintf(text, capacity, "error %" PRIu32 " is none of this kernel's", error);
    return NULL;
}

void pail_ad_describe_error(const struct pail_ad_program *program,
                            const struct pail_ad_array arrays[], uint32_t error, char *text,
                            size_t capacity)
{
    const struct pail_ad_site *site = site_of(program, error, text, capacity);
    char what[PAIL_AD_MAX_RANK * 24 + 64];
    if (!site)
        return;
    describe(program, arrays, error, NULL, what, sizeof what);
    snprintf(text, capacity, "task %" PRIu32 ", stack %" PRIu32 ": node %" PRIu32 ": %s",
             site->task, site->stack, site->node, what);
}

void pail_ad_describe_tree(const struct pail_ad_program *program,
                           const struct pail_ad_array arrays[], const struct pail_ad_values *values,
                           uint32_t task, uint32_t stack, uint32_t error,
                           const struct pail_alloc *alloc, char *text, size_t capacity)
{
    const struct pail_ad_site *site = site_of(program, error, text, capacity);
    struct pail_ad_culprit culprit;
    char what[PAIL_AD_MAX_RANK * 24 + 64];
    if (!site)
        return;
    const bool found = PAIL_AD_ERROR_KIND(error) == PAIL_AD_RANGE &&
                       pail_ad_find_culprit(program, arrays, values,
                                            program->roots[program->task_first[task] + stack].slot,
                                            error, alloc, &culprit);
    describe(program, arrays, error, found ? &culprit : NULL, what, sizeof what);
    if (site->task == task && site->stack == stack)
        snprintf(text, capacity, "node %" PRIu32 ": %s", site->node, what);
    else /* the trees have this part in common */
        snprintf(text, capacity, "as task %" PRIu32 ", stack %" PRIu32 ", node %" PRIu32 ": %s",
                 site->task, site->stack, site->node, what);
}
