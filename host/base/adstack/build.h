/* SPDX-License-Identifier: Apache-2.0 */
/* The way from the expressions of a kernel to its program. */
#ifndef PAIL_ADSTACK_BUILD_H
#define PAIL_ADSTACK_BUILD_H

#include "dag.h"

/* Steps of the search for what can be taken out of loops; only trees made to be slow need more. */
#define PAIL_AD_MAX_STEPS (1ull << 28)
/* Numbers in all slots' lists of dependencies together. */
#define PAIL_AD_MAX_LISTED (1u << 24)

struct pail_ad_frame;
struct pail_ad_guard;
struct pail_ad_live;

/* While a body's code is written. Registers are virtual: each is written in one place. */
struct pail_ad_body {
    uint32_t *register_of; /* by dag node: 1 + register; 0: not computed here */
    uint32_t *seen;        /* by dag node: the last search that was there, times 2, plus 1 if it was
                            * not by way of an arm of a SELECT alone */
    uint32_t register_capacity, seen_capacity, search;
    uint32_t *computed; /* nodes with a register, to be forgotten where their loop ends */
    uint32_t n_computed, computed_capacity;
    struct pail_ad_frame *frames;
    uint32_t n_frames, frames_capacity;
    uint32_t *walk;
    uint32_t walk_capacity;
    struct pail_ad_guard *guards; /* conditions that must hold for the present node to be needed */
    uint32_t n_guards, guards_capacity;
    uint32_t first_guard; /* first guard that the loops around the node do not check */
    bool guarding;
    uint32_t variable_register[PAIL_AD_MAX_DEPTH + 1];
    uint64_t bound; /* variables that have a register */
    uint32_t n_registers;
    uint32_t code_first;
    uint64_t steps;
    struct pail_ad_site site; /* site of the spec */
};

struct pail_ad_build {
    const struct pail_alloc *alloc;
    struct pail_error *err;
    struct pail_ad_dag dag;
    struct pail_ad_program *program;
    uint32_t slots_capacity, specs_capacity, code_capacity, args_capacity, axes_capacity;
    uint32_t *slot_of; /* by dag node: 1 + slot; 0: none yet */
    uint32_t slot_of_capacity;
    struct pail_ad_body body;
    struct pail_ad_live *live; /* [live_capacity] */
    uint32_t *dying;
    uint32_t live_capacity, dying_capacity;
};

/* The operand that a node without free variables is for code; its slot must be there. */
static inline uint32_t pail_ad_slot_operand(const struct pail_ad_build *build, uint32_t number)
{
    return PAIL_AD_SLOT | (build->slot_of[number] - 1);
}

/* slots.c: appends the indices of a READ to the program's args, each as value_of says. Errors:
 * PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_write_args(struct pail_ad_build *build, const struct pail_ad_dag_node *node,
                               uint32_t (*value_of)(const struct pail_ad_build *, uint32_t));

/* body.c: appends the code of the cells of spec `spec`, whose variables are axes[0...n_axes - 1],
 * and sets code_first, n_code, value, n_registers and shared_loop. Slots of all parts of `over`
 * without free variables are there. */
pail_status pail_ad_body_write(struct pail_ad_build *build, struct pail_ad_spec *spec,
                               const uint32_t axes[], uint32_t over);

/* registers.c: from virtual registers to as few as last uses allow. spec->n_registers: in: virtual
 * ones, out: the others. */
pail_status pail_ad_registers_assign(struct pail_ad_build *build, struct pail_ad_spec *spec);

/* slots.c: slots for everything the roots need. */
pail_status pail_ad_slots_write(struct pail_ad_build *build, const uint32_t roots[],
                                uint32_t n_roots);

/* deps.c: levels and dependencies of all slots, numbers of bodies. */
pail_status pail_ad_deps_write(struct pail_ad_build *build);
pail_status pail_ad_bodies_number(struct pail_ad_build *build);

#endif /* PAIL_ADSTACK_BUILD_H */
