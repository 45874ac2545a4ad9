/* SPDX-License-Identifier: Apache-2.0 */
#include "quotient.h"

#include <string.h>

enum { OPS = 8 };

/* An operation on elements from ... from + n - 1 of abc. */
static pail_vector_op transform(uint32_t kind, pail_vector *abc, const struct pail_domain *domain,
                                uint64_t from, uint64_t n, bool coset)
{
    pail_vector_op op = {
        .struct_size = sizeof(op),
        .kind = kind,
        .log_n = domain->log2_n,
        .r = abc,
        .a = abc,
        .r_offset = from,
        .a_offset = from,
        .n = n,
    };
    memcpy(op.root, domain->root, sizeof(op.root));
    if (coset)
        memcpy(op.shift, domain->shift, sizeof(op.shift));
    return op;
}

static pail_vector_op product(pail_vector *abc, uint64_t to, const pail_vector *witness,
                              const pail_matrix *matrix, uint64_t n)
{
    return (pail_vector_op){.struct_size = sizeof(pail_vector_op),
                            .kind = PAIL_VECTOR_OP_SPMV,
                            .r = abc,
                            .r_offset = to,
                            .a = witness,
                            .matrix = matrix,
                            .n = n};
}

/* c = a b, of three vectors of n elements in a row. */
static pail_vector_op multiply(pail_vector *abc, uint64_t n)
{
    return (pail_vector_op){.struct_size = sizeof(pail_vector_op),
                            .kind = PAIL_VECTOR_OP_MUL,
                            .r = abc,
                            .r_offset = 2 * n,
                            .a = abc,
                            .b = abc,
                            .b_offset = n,
                            .n = n};
}

/* a = a b - c. */
static pail_vector_op join(pail_vector *abc, uint64_t n)
{
    return (pail_vector_op){.struct_size = sizeof(pail_vector_op),
                            .kind = PAIL_VECTOR_OP_MUL_SUB,
                            .r = abc,
                            .a = abc,
                            .b = abc,
                            .b_offset = n,
                            .c = abc,
                            .c_offset = 2 * n,
                            .n = n};
}

pail_status pail_quotient_start(const pail_backend *backend, pail_context *context,
                                pail_pending **pending, pail_vector *abc,
                                const pail_vector *witness,
                                pail_matrix *const matrices[PAIL_MATRICES],
                                const struct pail_domain *domain, uint32_t parts)
{
    const uint64_t n = UINT64_C(1) << domain->log2_n;
    pail_vector_op ops[OPS];
    size_t n_ops = 0;
    const bool given = (parts & PAIL_QUOTIENT_GIVEN) != 0;
    if (!given && (parts & (PAIL_QUOTIENT_A | PAIL_QUOTIENT_C)) != 0)
        ops[n_ops++] = product(abc, 0, witness, matrices[PAIL_MATRIX_A], n);
    if (!given && (parts & (PAIL_QUOTIENT_B | PAIL_QUOTIENT_C)) != 0)
        ops[n_ops++] = product(abc, n, witness, matrices[PAIL_MATRIX_B], n);
    if (!given && (parts & PAIL_QUOTIENT_C) != 0)
        ops[n_ops++] = multiply(abc, n);
    for (uint32_t third = 0; third < 3; third++) { /* neighbouring elements together */
        uint32_t thirds = 0;
        while (third + thirds < 3 && (parts >> (third + thirds) & 1) != 0)
            thirds++;
        if (thirds == 0)
            continue;
        ops[n_ops++] = transform(PAIL_VECTOR_OP_INTT, abc, domain, third * n, thirds * n, false);
        ops[n_ops++] = transform(PAIL_VECTOR_OP_NTT, abc, domain, third * n, thirds * n, true);
        third += thirds;
    }
    if ((parts & PAIL_QUOTIENT_JOIN) != 0)
        ops[n_ops++] = join(abc, n);
    if (given)
        ops[n_ops++] = transform(PAIL_VECTOR_OP_INTT, abc, domain, 0, n, true);
    return backend->vector_start(context, pending, ops, n_ops);
}
