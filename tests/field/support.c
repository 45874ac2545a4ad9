/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <cpu/adders.h>
#include <cpu/modular.h>
#include <curves/rng.h>

#include "support/test.h"

static uint32_t curve = PAIL_CURVE_BN254;

void field_choose(uint32_t chosen)
{
    curve = chosen;
}

uint32_t field_curve(void)
{
    return curve;
}

const struct pail_curve_ops *field_ops(void)
{
    return pail_curve_ops(curve, PAIL_G1);
}

pail_u256 field_number(uint64_t seed, uint64_t i)
{
    struct pail_rng rng;
    pail_rng_init(&rng, seed * UINT64_C(1000003) + i);
    pail_u256 r;
    for (size_t k = 0; k < 4; k++)
        r.l[k] = pail_rng_next(&rng);
    field_ops()->scalar_reduce(&r, &r);
    return r;
}

void field_numbers(uint8_t *elements, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        const pail_u256 number = field_number(seed, i);
        pail_u256_to_bytes(elements + 32 * i, &number);
    }
}

pail_u256 field_power(const pail_u256 *a, uint64_t e)
{
    const pail_u256 exponent = {{e}};
    pail_u256 r;
    pail_cpu_power(&r, field_ops(), a, &exponent);
    return r;
}

pail_u256 field_inverse(const pail_u256 *a)
{
    pail_u256 r;
    pail_cpu_inverse(&r, field_ops(), a);
    return r;
}

pail_u256 field_sub(const pail_u256 *a, const pail_u256 *b)
{
    pail_u256 r;
    field_ops()->scalar_neg(&r, b);
    field_ops()->scalar_add(&r, &r, a);
    return r;
}

pail_u256 field_root(uint32_t log_n)
{
    const pail_u256 five = {{5}};
    pail_u256 e = field_ops()->order, root;
    e.l[0]--;
    for (uint32_t i = 0; i < log_n; i++)
        for (size_t k = 0; k < 4; k++)
            e.l[k] = e.l[k] >> 1 | (k < 3 ? e.l[k + 1] << 63 : 0);
    pail_cpu_power(&root, field_ops(), &five, &e);
    return root;
}

pail_u256 field_horner(const uint8_t *coefficients, size_t n, const pail_u256 *x)
{
    pail_u256 sum = {{0}};
    for (size_t i = n; i-- > 0;) {
        pail_u256 c;
        pail_u256_from_bytes(&c, coefficients + 32 * i);
        field_ops()->scalar_mul(&sum, &sum, x);
        field_ops()->scalar_add(&sum, &sum, &c);
    }
    return sum;
}

size_t field_reverse(size_t i, uint32_t bits)
{
    size_t r = 0;
    for (uint32_t k = 0; k < bits; k++)
        r |= (i >> k & 1) << (bits - 1 - k);
    return r;
}

pail_vector *field_vector(struct test_cpu *cpu, uint64_t n)
{
    pail_vector *vector;
    if (cpu->backend->vector_create(cpu->context, &vector, curve, n) != PAIL_OK)
        fail_msg("%s", cpu->backend->error(cpu->context));
    return vector;
}

pail_vector *field_vector_of(struct test_cpu *cpu, const uint8_t *elements, uint64_t n)
{
    pail_vector *const vector = field_vector(cpu, n);
    if (cpu->backend->vector_write(vector, 0, elements, n, PAIL_ENCODING_CANONICAL) != PAIL_OK)
        fail_msg("%s", cpu->backend->error(cpu->context));
    return vector;
}

void field_read(struct test_cpu *cpu, const pail_vector *vector, uint8_t *elements, uint64_t n)
{
    if (cpu->backend->vector_read(vector, elements, 0, n, PAIL_ENCODING_CANONICAL) != PAIL_OK)
        fail_msg("%s", cpu->backend->error(cpu->context));
}

void field_run(struct test_cpu *cpu, const pail_vector_op *ops, size_t n_ops)
{
    pail_pending *pending;
    if (cpu->backend->vector_start(cpu->context, &pending, ops, n_ops) != PAIL_OK)
        fail_msg("%s", cpu->backend->error(cpu->context));
    assert_int_equal(cpu->backend->pending_wait(pending, UINT64_MAX), PAIL_OK);
    assert_int_equal(cpu->backend->vector_finish(&pending, NULL), PAIL_OK);
    assert_null(pending);
}

pail_vector_op field_transform(pail_vector_op_kind kind, uint32_t flags, uint32_t log_n,
                               pail_vector *r, const pail_vector *a, uint64_t n,
                               const pail_u256 *shift)
{
    pail_vector_op op =
        SIZED(pail_vector_op, .kind = kind, .flags = flags, .log_n = log_n, .r = r, .a = a, .n = n);
    const pail_u256 root = field_root(log_n);
    pail_u256_to_bytes(op.root, &root);
    if (shift)
        pail_u256_to_bytes(op.shift, shift);
    return op;
}

void field_on_both(void (*test)(void))
{
    for (uint32_t c = PAIL_CURVE_BN254; c <= PAIL_CURVE_BLS12_381; c++) {
        field_choose(c);
        test();
    }
}

int field_main(void)
{
    const char *const word = getenv("PAIL_CPU");
    for (int i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        const enum pail_cpu_arithmetic way = (enum pail_cpu_arithmetic)i;
        if (word && strcmp(word, pail_cpu_arithmetic_name(way)) == 0 &&
            !pail_cpu_arithmetic_runs(way)) {
            printf("skipped: this processor or this build has no arithmetic %s\n", word);
            return 77; /* skipped */
        }
    }
    return test_run("field", NULL, NULL);
}
