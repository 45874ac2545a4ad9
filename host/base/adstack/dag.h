/* SPDX-License-Identifier: Apache-2.0 */
/* All expressions of a kernel, each of them once.
 *
 * What makes equal subtrees one, whatever their variables are called, is the number of a bound
 * variable: 1 more than the largest in what its range is over. It depends on nothing outside of the
 * range, and differs from the numbers of all ranges around and inside of it; so an expression's
 * meaning does not depend on how it was reached, and a part without free variables is one however
 * deep it is used. While a tree is read, variables that are not bound yet are named as in the tree
 * (NAME); a range puts its number (VARIABLE) in place of its name in what it is over. */
#ifndef PAIL_ADSTACK_DAG_H
#define PAIL_ADSTACK_DAG_H

#include "program.h"

/* Operations of nodes besides those of enum pail_ad_op. */
enum { PAIL_AD_VARIABLE = PAIL_AD_WRAP_MUL + 1, PAIL_AD_NAME };

#define PAIL_AD_MAX_DAG (1u << 21)

struct pail_ad_dag_node {
    uint16_t op, dtype;
    uint32_t a, b, c; /* earlier nodes; LOOP: begin, end, and what it is over */
    uint32_t source;
    uint32_t axis; /* SHAPE: axis; VARIABLE and LOOP: number, from 1 to 64; NAME: name */
    uint32_t reduction;
    uint32_t args_first, n_args; /* READ: in args, earlier nodes */
    int64_t imm;
    /* Not part of a node's identity: */
    uint32_t site;
    uint32_t height; /* the largest number of a range in it */
    uint64_t free;   /* bit i: variable i + 1 is free in it */
    uint64_t names;  /* a bit for each name that is free in it; several may share one */
};

struct pail_ad_dag {
    const struct pail_alloc *alloc;
    struct pail_error *err;
    struct pail_ad_dag_node *nodes;
    uint32_t n, capacity;
    uint32_t *args;
    uint32_t n_args, args_capacity;
    struct pail_ad_site *sites;
    uint32_t n_sites, sites_capacity;
    struct pail_ad_site here; /* site of new nodes */
    uint32_t here_site;       /* its number; PAIL_AD_NONE: not yet used */
    uint32_t *table;          /* hash table of nodes, number + 1 */
    uint32_t table_size;      /* 0 or a power of two */
    struct pail_ad_renamed *renamed;
    uint32_t n_renamed, renamed_size;
    struct pail_ad_rename *stack;
    uint32_t stack_capacity;
};

/* The number of a node with these members (all others 0); args: [n_args], args_first is ignored.
 * Simplifies what gives the same value and the same error.
 * Errors: PAIL_ERR_DATA (too many nodes), PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_dag_put(struct pail_ad_dag *dag, const struct pail_ad_dag_node *node,
                            const uint32_t args[], uint32_t *number);

/* Adds a reduction of `body` over [begin, end): *number is its node. begin, end, body: nodes; name:
 * the variable of the range, as nodes of `body` name it. */
pail_status pail_ad_dag_range(struct pail_ad_dag *dag, uint32_t reduction, uint32_t begin,
                              uint32_t end, uint32_t body, uint32_t name, uint32_t *number);

/* Adds one tree; *root is its last node. The tree was checked. flags: pail_kernel_flag, those
 * that this tree is read with. */
pail_status pail_ad_dag_tree(struct pail_ad_dag *dag, const pail_tree *tree, uint32_t flags,
                             uint32_t task, uint32_t stack, uint32_t *root);

void pail_ad_dag_free(struct pail_ad_dag *dag);

/* Operand k of a node, k < pail_ad_dag_operands. */
static inline uint32_t pail_ad_dag_operands(const struct pail_ad_dag_node *node)
{
    if (node->op == PAIL_AD_READ)
        return node->n_args;
    if (node->op == PAIL_AD_SELECT || node->op == PAIL_AD_LOOP)
        return 3;
    return pail_ad_is_binary(node->op) ? 2 : 0;
}

static inline uint32_t pail_ad_dag_operand(const struct pail_ad_dag *dag,
                                           const struct pail_ad_dag_node *node, uint32_t k)
{
    if (node->op == PAIL_AD_READ)
        return dag->args[node->args_first + k];
    return k == 0 ? node->a : k == 1 ? node->b : node->c;
}

/* The bit of a range's variable. */
static inline uint64_t pail_ad_bit(uint32_t variable)
{
    return UINT64_C(1) << (variable - 1);
}

#endif /* PAIL_ADSTACK_DAG_H */
