#include <inttypes.h>
#include <stdio.h>

#include "adstack/eval.h"

/* What is computed at a site, of all that comes from the same node: the operation that can fail
 * like this. PAIL_AD_CONST: none was found. */
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

void pail_ad_describe_error(const struct pail_ad_program *program,
                            const struct pail_ad_array arrays[], uint32_t error, char *text,
                            size_t capacity)
{
    const uint32_t kind = PAIL_AD_ERROR_KIND(error), number = PAIL_AD_ERROR_SITE(error);
    if (!kind || number >= program->n_sites) {
        snprintf(text, capacity, "error %" PRIu32 " is none of this kernel's", error);
        return;
    }
    const struct pail_ad_site *site = &program->sites[number];
    uint32_t source = 0;
    const uint32_t op = op_at(program, number, kind, &source);
    char what[PAIL_AD_MAX_RANK * 24 + 64];
    if (kind == PAIL_AD_RANGE) {
        char shape[PAIL_AD_MAX_RANK * 24];
        write_shape(&arrays[source], shape, sizeof shape);
        snprintf(what, sizeof what, "an index is outside of source %" PRIu32 ", which is %s",
                 source, shape);
    } else if (kind == PAIL_AD_OVERFLOW) {
        snprintf(what, sizeof what, "%s", overflow_text(op));
    } else if (kind == PAIL_AD_DIVISION) {
        snprintf(what, sizeof what, "%s", "a division by 0");
    } else {
        snprintf(what, sizeof what, "a range has more than %llu turns", PAIL_AD_MAX_CELLS);
    }
    snprintf(text, capacity, "task %" PRIu32 ", stack %" PRIu32 ": node %" PRIu32 ": %s",
             site->task, site->stack, site->node, what);
}
