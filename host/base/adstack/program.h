/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel's trees as one program, which the host evaluator, the device's interpreter and the
 * generator of kernels all read, so that they cannot disagree about what a tree means.
 *
 * All trees of a kernel share their parts: equal subtrees are one, whatever their variables are
 * called. A part without free variables is a *slot*: it has one value at a launch. A range over
 * slots is a *spec*: a reduction over cells, whose body is code for registers. Everything that does
 * not depend on a spec's variables is a slot of its own, computed once.
 *
 * Errors are values (PAIL_AD_ERROR): an operation on an erroneous operand gives the least of its
 * operands' errors, SELECT only looks at what it takes, and a spec gives the least error of all its
 * cells. So a result does not depend on the order of evaluation. */
#ifndef PAIL_ADSTACK_PROGRAM_H
#define PAIL_ADSTACK_PROGRAM_H

#include <stdbool.h>

#include <core/alloc.h>
#include <core/error.h>

/* Limits; what goes beyond is reported, never cut. */
#define PAIL_AD_MAX_NODES 65536u       /* in one tree */
#define PAIL_AD_MAX_SLOTS (1u << 20)   /* in one program; of instructions too */
#define PAIL_AD_MAX_DEPTH 64u          /* ranges inside one another */
#define PAIL_AD_MAX_RANK  16u          /* axes of an array */
#define PAIL_AD_MAX_AXES  16u          /* of a spec; further ranges are loops in its body */
#define PAIL_AD_MAX_CELLS (1ull << 48) /* of a spec, and turns of a loop */

#define PAIL_AD_NONE UINT32_MAX

/* Operations of slots and of code. */
enum pail_ad_op {
    PAIL_AD_CONST, /* slots only: imm */
    PAIL_AD_SHAPE, /* slots only: source, axis */
    PAIL_AD_SPEC,  /* slots only: spec */
    PAIL_AD_ADD,
    PAIL_AD_SUB, /* max(a - b, 0) */
    PAIL_AD_MUL,
    PAIL_AD_MAX,
    PAIL_AD_MIN,
    PAIL_AD_FLOOR_DIV,
    PAIL_AD_MOD,
    PAIL_AD_SELECT, /* a > 0 ? b : c */
    PAIL_AD_READ,   /* source, dtype, args: one operand for each axis */
    PAIL_AD_LOOP,   /* code only; see struct pail_ad_instr */
    /* Modulo 2^64, of trees that PAIL_KERNEL_WRAP_ARITHMETIC is for. They have no errors but their
     * operands'. What Pail adds to trees itself is checked always. */
    PAIL_AD_WRAP_ADD,
    PAIL_AD_WRAP_SUB, /* max(a - b, 0) of the difference as it wraps */
    PAIL_AD_WRAP_MUL,
};

/* True if an operation computes a value from operands a and b alone. */
static inline bool pail_ad_is_binary(uint32_t op)
{
    return (op >= PAIL_AD_ADD && op <= PAIL_AD_MOD) ||
           (op >= PAIL_AD_WRAP_ADD && op <= PAIL_AD_WRAP_MUL);
}

enum pail_ad_reduction { PAIL_AD_REDUCE_MAX, PAIL_AD_REDUCE_SUM };

/* An error: the kind, and the site that it comes from; of several the lowest is chosen. 0: none. */
#define PAIL_AD_ERROR(site, kind) ((uint32_t)(site) << 3 | (uint32_t)(kind))
#define PAIL_AD_ERROR_SITE(error) ((error) >> 3)
#define PAIL_AD_ERROR_KIND(error) ((error)&7u)
enum pail_ad_error_kind {
    PAIL_AD_RANGE = 1,    /* an index outside of its axis */
    PAIL_AD_OVERFLOW = 2, /* beyond 64 bits */
    PAIL_AD_DIVISION = 3, /* by 0 */
    PAIL_AD_CELLS = 4,    /* more than PAIL_AD_MAX_CELLS */
};

struct pail_ad_value {
    int64_t v; /* 0 where there is an error */
    uint32_t error;
    uint32_t reserved;
};

/* An operand of code is a register or, with this bit, a slot. Operands of slots are slots without
 * the bit. */
#define PAIL_AD_SLOT (1u << 31)

/* The place in the trees where something was first seen. */
struct pail_ad_site {
    uint32_t task, stack, node;
};

/* A part without free variables. Slots come after the slots they depend on. */
struct pail_ad_slot {
    uint16_t op, dtype;
    uint32_t a, b, c;
    uint32_t source, axis;
    uint32_t args_first, n_args; /* in pail_ad_program.args */
    uint32_t spec;
    uint32_t site;
    uint32_t deps_first, n_deps; /* in pail_ad_program.dep_lists; of everything below it, whether
                                  * taken or not; sorted; a source's contents include its shape */
    uint32_t level; /* specs that must be done before, one after the other: a spec's slot has 1
                       more than all it needs, everything else the largest of its operands */
    int64_t imm;
};

/* An instruction of a body. LOOP: for `var` from operand a to operand b (not included), run the
 * instructions up to `end`, and take operand c of each turn; dst is the largest of them and 0, or
 * their exact sum. The least error of a and b is the loop's; then it is 0 if a >= b; turns beyond
 * PAIL_AD_MAX_CELLS are an error of its site; then it has the least error of its turns, and a sum
 * beyond 64 bits is an error of its site.
 *
 * dst and var are registers. A register is used again for something else after its last use; dst
 * may be the register of an operand, but for a LOOP, whose operands a and b, var and dst are not
 * written by anything else until `end`. A value computed before a loop keeps its register while the
 * loop needs it. Registers of axes are never written by code.
 *
 * Code does what an arm of a SELECT needs whether the arm is taken or not, and what a loop's turns
 * have in common whether there are turns or not; errors of it hurt nobody. But it sees to it that
 * loops of that kind have no turns (their end is chosen by a SELECT), unless the code would be much
 * too long. Slots have no such protection: those that code uses are computed in any case. */
struct pail_ad_instr {
    uint16_t op, dtype;
    uint32_t dst;
    uint32_t a, b, c;
    uint32_t source;
    uint32_t args_first, n_args;
    uint32_t site;
    uint32_t var, end;  /* LOOP; the instructions after this one and before `end` are a turn */
    uint32_t reduction; /* LOOP */
    /* LOOP: 1 when dst is nothing but operand c of the LOOP around it, or the spec's `value`, and
     * the reduction is the same. Its turns then count as the other's: for SUM they must, because
     * the total is exact where dst would not fit 64 bits. */
    uint32_t joined;
};

struct pail_ad_axis {
    uint32_t begin, end; /* slots: [begin, end) */
};

/* A reduction over all cells of its axes, the outermost first; registers 0...n_axes - 1 hold the
 * axes' variables. Directly nested ranges of one kind with bounds that are slots are axes.
 *
 * The result, axis by axis from the outermost: the least error of begin and end is the result's;
 * else an axis with begin >= end makes it 0, and one longer than PAIL_AD_MAX_CELLS an error of the
 * site, whatever comes further inside. Then more cells than PAIL_AD_MAX_CELLS are that error too,
 * the least error of a cell is the result's, and a sum beyond 64 bits is an error of the site. */
struct pail_ad_spec {
    uint32_t reduction; /* enum pail_ad_reduction */
    uint32_t slot;      /* slot of its value */
    uint32_t axes_first, n_axes;
    uint32_t code_first, n_code; /* in pail_ad_program.code; LOOP's `end` counts from code_first */
    uint32_t value;              /* operand: what a cell is */
    uint32_t n_registers;
    uint32_t site;
    /* The code ends in a loop of the same reduction whose result is `value`: its turns may be
     * shared among threads. Number of the instruction; PAIL_AD_NONE: there is none. */
    uint32_t shared_loop;
    /* Slot with the most turns that loop has in any cell: a spec of its own, the largest
     * SUB(end, begin) over the axes that these depend on, or SUB alone. Only a device needs it;
     * PAIL_AD_NONE when there is no such loop. It is a hint: nothing depends on it, the host does
     * not compute it unless it is asked for, and where it has an error a device takes 1. It is at
     * an earlier level. */
    uint32_t turns;
    /* Number of the body: specs of as many axes, with the same reduction and with equal code but
     * for sources, sites, and which slot an operand is. */
    uint32_t body;
};

/* Contents or one extent of an array: what a value depends on. */
enum pail_ad_dep_kind { PAIL_AD_DEP_SHAPE, PAIL_AD_DEP_CONTENTS /* and its whole shape */ };
struct pail_ad_dep {
    uint32_t kind, source, axis;
};

struct pail_ad_root {
    uint32_t slot; /* PAIL_AD_NONE: the stack's size is static */
};

struct pail_ad_program {
    uint32_t n_sources, n_slots, n_specs, n_code, n_args, n_axes, n_deps, n_sites, n_dep_lists;
    uint32_t n_levels; /* 1 + the largest level of a slot */
    uint32_t n_bodies;
    uint8_t *ranks; /* [n_sources] */
    struct pail_ad_slot *slots;
    struct pail_ad_spec *specs; /* in the order of their slots */
    struct pail_ad_instr *code;
    struct pail_ad_axis *axes;
    uint32_t *args;           /* operands of READ: slots (of slots), or operands (of code) */
    struct pail_ad_dep *deps; /* all there are, sorted by source, then contents first, then axis */
    uint32_t *dep_lists;      /* slots' lists of numbers of deps */
    struct pail_ad_site *sites;
    uint32_t n_tasks;
    uint32_t *task_first; /* [n_tasks + 1]: a task's stacks in roots */
    struct pail_ad_root *roots;
};

/* The n_code instructions of a spec's body; NULL where there are none, and the program may have no
 * code at all. */
static inline const struct pail_ad_instr *pail_ad_code_of(const struct pail_ad_program *program,
                                                          const struct pail_ad_spec *spec)
{
    return spec->n_code > 0 ? &program->code[spec->code_first] : NULL;
}

/* Checks one tree: operands earlier, kinds, sources, ranks, axes and types legal, no free variable
 * at the root, limits. where: "task 3, stack 2", for the sentence.
 * Errors: PAIL_ERR_DATA (the sentence has the node), PAIL_ERR_ARGUMENT (a pointer is NULL),
 * PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_tree_check(const pail_tree *tree, const uint8_t *ranks, size_t n_sources,
                               const char *where, const struct pail_alloc *alloc,
                               struct pail_error *err);

/* Builds the program of a kernel whose description was checked (structs at full size), trees
 * included. Errors: PAIL_ERR_DATA for limits, PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_program_build(struct pail_ad_program **out, const pail_kernel_desc *desc,
                                  const struct pail_alloc *alloc, struct pail_error *err);
void pail_ad_program_free(struct pail_ad_program *program, const struct pail_alloc *alloc);

#endif /* PAIL_ADSTACK_PROGRAM_H */
