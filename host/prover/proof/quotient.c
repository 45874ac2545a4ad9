#include "quotient.h"

#include <string.h>

#include <cpu/cpu.h>
#include <curves/curve_ops.h>
#include <formats/prime.h>
#include <formats/report.h>

enum { SCALAR_BYTES = 32, OPS = 8 };

/* An operation on elements from ... from + n - 1 of abc. */
static pail_vector_op transform(uint32_t kind, pail_vector *abc, const struct pail_domain *domain,
                                uint64_t from, uint64_t n)
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
    if (kind == PAIL_VECTOR_OP_NTT)
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
    if ((parts & (PAIL_QUOTIENT_A | PAIL_QUOTIENT_C)) != 0)
        ops[n_ops++] = product(abc, 0, witness, matrices[PAIL_MATRIX_A], n);
    if ((parts & (PAIL_QUOTIENT_B | PAIL_QUOTIENT_C)) != 0)
        ops[n_ops++] = product(abc, n, witness, matrices[PAIL_MATRIX_B], n);
    if ((parts & PAIL_QUOTIENT_C) != 0)
        ops[n_ops++] = multiply(abc, n);
    for (uint32_t third = 0; third < 3; third++) { /* neighbouring elements together */
        uint32_t thirds = 0;
        while (third + thirds < 3 && (parts >> (third + thirds) & 1) != 0)
            thirds++;
        if (thirds == 0)
            continue;
        ops[n_ops++] = transform(PAIL_VECTOR_OP_INTT, abc, domain, third * n, thirds * n);
        ops[n_ops++] = transform(PAIL_VECTOR_OP_NTT, abc, domain, third * n, thirds * n);
        third += thirds;
    }
    if ((parts & PAIL_QUOTIENT_JOIN) != 0)
        ops[n_ops++] = join(abc, n);
    return backend->vector_start(context, pending, ops, n_ops);
}

/* Memory of a quotient on the CPU. */
struct work {
    const pail_backend *backend;
    pail_context *context;
    pail_matrix *matrices[PAIL_MATRICES];
    pail_vector *witness, *abc;
};

static pail_status make(struct work *work, const struct pail_zkey *key,
                        const struct pail_coefficients *coefficients,
                        const struct pail_wtns *witness, bool *told, char *error, size_t error_cap)
{
    const pail_backend *const backend = work->backend;
    pail_status status = PAIL_OK;
    for (uint32_t m = 0; m < PAIL_MATRICES && status == PAIL_OK; m++) {
        struct pail_rows rows;
        status = pail_coefficients_rows(&rows, coefficients, m, error, error_cap);
        *told = status != PAIL_OK;
        if (*told)
            return status;
        const pail_matrix_desc desc = {.struct_size = sizeof(desc),
                                       .curve = key->curve,
                                       .encoding = PAIL_ENCODING_MONTGOMERY,
                                       .n_rows = key->domain_size,
                                       .n_columns = key->n_vars,
                                       .row_starts = rows.row_starts,
                                       .columns = rows.columns,
                                       .values = rows.values};
        status = backend->matrix_create(work->context, &work->matrices[m], NULL, &desc);
        pail_rows_free(&rows);
    }
    if (status == PAIL_OK)
        status = backend->vector_create(work->context, &work->witness, key->curve, witness->count);
    if (status == PAIL_OK)
        status = backend->vector_create(work->context, &work->abc, key->curve,
                                        3 * (uint64_t)key->domain_size);
    return status == PAIL_OK ? backend->vector_write(work->witness, 0, witness->values,
                                                     witness->count, PAIL_ENCODING_CANONICAL)
                             : status;
}

static pail_status compute(struct work *work, uint8_t *h, const struct pail_zkey *key)
{
    struct pail_domain domain;
    pail_pending *pending = NULL;
    pail_domain_init(&domain, pail_curve_ops(key->curve, PAIL_G1),
                     pail_domain_log2(key->domain_size));
    pail_status status =
        pail_quotient_start(work->backend, work->context, &pending, work->abc, work->witness,
                            work->matrices, &domain, PAIL_QUOTIENT_ALL);
    if (status == PAIL_OK)
        status = work->backend->vector_finish(&pending, NULL);
    return status == PAIL_OK ? work->backend->vector_read(work->abc, h, 0, key->domain_size,
                                                          PAIL_ENCODING_CANONICAL)
                             : status;
}

static void clean_up(struct work *work)
{
    if (!work->context)
        return;
    work->backend->vector_destroy(work->context, &work->witness);
    work->backend->vector_destroy(work->context, &work->abc);
    for (int m = 0; m < PAIL_MATRICES; m++)
        work->backend->matrix_destroy(work->context, &work->matrices[m]);
    work->backend->context_destroy(&work->context);
}

static pail_status check(const struct pail_zkey *key, const struct pail_wtns *witness, char *error,
                         size_t error_cap)
{
    if (witness->curve != key->curve)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: is a witness over %s, but %s is a key over %s", witness->name,
                           pail_prime_curve_name(witness->curve), key->container.name,
                           pail_prime_curve_name(key->curve));
    if (witness->count != key->n_vars)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has %zu values, but %s has %u variables", witness->name,
                           witness->count, key->container.name, (unsigned)key->n_vars);
    return PAIL_OK;
}

pail_status pail_groth16_quotient(uint8_t *h, const struct pail_zkey *key,
                                  const struct pail_wtns *witness,
                                  void (*tick)(void *user, double part), void *user, char *error,
                                  size_t error_cap)
{
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_context_params params = {.struct_size = sizeof(params)};
    struct work work = {0};
    struct pail_coefficients *coefficients = NULL;
    bool told = false;
    pail_status status = check(key, witness, error, error_cap);
    if (status == PAIL_OK)
        status = pail_coefficients_read(&coefficients, key, error, error_cap);
    if (status == PAIL_OK) {
        if (tick)
            tick(user, 0.2);
        status = pail_cpu_open(&host, &work.backend);
        if (status == PAIL_OK)
            status = work.backend->context_create(&host, &work.context, &params);
        if (status == PAIL_OK)
            status = make(&work, key, coefficients, witness, &told, error, error_cap);
        if (status == PAIL_OK)
            status = compute(&work, h, key);
        if (status != PAIL_OK && !told)
            (void)pail_report(error, error_cap, status, "the scalars of H of %s: %s",
                              key->container.name,
                              work.backend ? work.backend->error(work.context) : "no backend");
    }
    clean_up(&work);
    pail_coefficients_free(&coefficients);
    if (status != PAIL_OK)
        memset(h, 0, (size_t)SCALAR_BYTES * key->domain_size);
    return status;
}
