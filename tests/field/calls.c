/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors on the CPU backend: elements, the order of work, its end before its time, memory that
 * runs out, statistics; and the self-test. abi/conformance_sentences.c has what is refused. */

#include "support.h"
#include "support/test.h"

#include <cpu/scalars.h>

enum { N = 64 };

static struct test_cpu cpu;

static void destroy(pail_vector *vector)
{
    cpu.backend->vector_destroy(cpu.context, &vector);
}

PAIL_TEST(elements)
{
    enum { MANY = 20000 };
    test_cpu_begin(&cpu, 2);
    field_choose(PAIL_CURVE_BN254);
    uint8_t *const bytes = calloc(MANY, 32), *const got = malloc(32 * MANY);
    pail_vector *const v = field_vector(&cpu, MANY);
    field_read(&cpu, v, got, MANY);
    assert_memory_equal(got, bytes, 32 * MANY); /* all 0 at first */
    field_numbers(bytes, MANY, 4);
    assert_int_equal(cpu.backend->vector_write(v, 0, bytes, MANY, 1), PAIL_OK);
    assert_int_equal(cpu.backend->vector_read(v, got, 0, MANY, 1), PAIL_OK);
    assert_memory_equal(got, bytes, 32 * MANY);
    /* Canonical and Montgomery are a factor of 2^256 apart. */
    field_read(&cpu, v, got, MANY);
    for (size_t i = 0; i < MANY; i += 97) {
        pail_u256 x;
        uint8_t want[32];
        pail_u256_from_bytes(&x, bytes + 32 * i);
        field_ops()->scalar_from_montgomery(&x, &x);
        pail_u256_to_bytes(want, &x);
        assert_memory_equal(got + 32 * i, want, 32);
    }
    /* One bad element, or two: the first is named and nothing is changed. */
    uint8_t *const others = calloc(MANY, 32);
    memset(others + 32 * 19999, 0xff, 32);
    pail_u256_to_bytes(others + 32 * 12345, &field_ops()->order);
    assert_int_equal(cpu.backend->vector_write(v, 0, others, MANY, 0), PAIL_ERR_DATA);
    assert_string_equal(cpu.backend->error(cpu.context),
                        "elements[12345] is not below the order of bn254");
    assert_int_equal(cpu.backend->vector_read(v, got, 0, MANY, 1), PAIL_OK);
    assert_memory_equal(got, bytes, 32 * MANY);
    /* Part of it. */
    assert_int_equal(cpu.backend->vector_write(v, 5, others, 3, 0), PAIL_OK);
    memset(bytes + 32 * 5, 0, 32 * 3);
    assert_int_equal(cpu.backend->vector_read(v, got, 4, 10, 1), PAIL_OK);
    assert_memory_equal(got, bytes + 32 * 4, 32 * 10);
    destroy(v);
    free(others);
    free(got);
    free(bytes);
    test_cpu_end(&cpu);
}

/* ---- Order ----------------------------------------------------------------------------------- */

/* Many starts at once, each of which needs the one before: x -> x^2 + x by turns in two vectors. */
PAIL_TEST(work_is_done_in_order)
{
    enum { ROUNDS = 12, MANY = 40000 };
    test_cpu_begin(&cpu, 3);
    field_choose(PAIL_CURVE_BLS12_381);
    uint8_t *const in = malloc(32 * MANY), *const got = malloc(32 * MANY);
    field_numbers(in, MANY, 8);
    pail_vector *const v[2] = {field_vector_of(&cpu, in, MANY), field_vector(&cpu, MANY)};
    pail_pending *pending[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        pail_vector *const to = v[(i + 1) % 2], *const from = v[i % 2];
        const pail_vector_op ops[] = {
            SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_MUL, .r = to, .a = from, .b = from,
                  .n = MANY),
            SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_ADD, .r = to, .a = to, .b = from,
                  .n = MANY),
        };
        assert_int_equal(cpu.backend->vector_start(cpu.context, &pending[i], ops, 2), PAIL_OK);
    }
    field_read(&cpu, v[0], got, MANY); /* waits for all that was started */
    for (size_t i = 0; i < MANY; i += 61) {
        pail_u256 x, square;
        uint8_t want[32];
        pail_u256_from_bytes(&x, in + 32 * i);
        for (size_t round = 0; round < ROUNDS; round++) {
            field_ops()->scalar_mul(&square, &x, &x);
            field_ops()->scalar_add(&x, &square, &x);
        }
        pail_u256_to_bytes(want, &x);
        assert_memory_equal(got + 32 * i, want, 32);
    }
    destroy(v[0]); /* while handles are still about */
    destroy(v[1]);
    for (size_t i = ROUNDS; i-- > 0;)
        assert_int_equal(cpu.backend->vector_finish(&pending[i], NULL), PAIL_OK);
    free(got);
    free(in);
    test_cpu_end(&cpu);
}

/* Abandoned work leaves its results as they were, or zeros, and other work goes on. */
PAIL_TEST(work_is_abandoned)
{
    enum { LOG_N = 15, MANY = 1 << LOG_N };
    test_cpu_begin(&cpu, 2);
    field_choose(PAIL_CURVE_BN254);
    uint8_t *const in = malloc(32 * MANY), *const got = malloc(32 * MANY),
                   *const zeros = calloc(MANY, 32);
    field_numbers(in, MANY, 9);
    for (int round = 0; round < 8; round++) {
        pail_vector *const a = field_vector_of(&cpu, in, MANY), *const r = field_vector(&cpu, MANY);
        const pail_vector_op ops[] = {
            field_transform(PAIL_VECTOR_OP_NTT, 0, LOG_N, a, a, MANY, NULL),
            field_transform(PAIL_VECTOR_OP_INTT, 0, LOG_N, r, a, MANY, NULL),
        };
        pail_pending *pending[2];
        for (size_t i = 0; i < 2; i++)
            assert_int_equal(cpu.backend->vector_start(cpu.context, &pending[i], &ops[i], 1),
                             PAIL_OK);
        if (round % 2 == 1)
            (void)cpu.backend->pending_wait(pending[1], UINT64_C(1000000) * (uint64_t)round / 2);
        cpu.backend->pending_abandon(&pending[1]);
        assert_null(pending[1]);
        field_read(&cpu, r, got, MANY);
        if (memcmp(got, zeros, 32 * MANY) != 0) /* it had been done already */
            assert_memory_equal(got, in, 32 * MANY);
        if (round < 4) {
            assert_int_equal(cpu.backend->vector_finish(&pending[0], NULL), PAIL_OK);
            field_run(&cpu, &ops[1], 1);
            field_read(&cpu, r, got, MANY);
            assert_memory_equal(got, in, 32 * MANY);
        } else {
            cpu.backend->pending_abandon(&pending[0]);
        }
        destroy(a);
        destroy(r);
    }
    free(zeros);
    free(got);
    free(in);
    test_cpu_end(&cpu);
}

PAIL_TEST(statistics)
{
    enum { MANY = 1 << 12 };
    test_cpu_begin(&cpu, 2);
    field_choose(PAIL_CURVE_BN254);
    pail_vector *const a = field_vector(&cpu, MANY);
    const pail_vector_op ops[] = {
        field_transform(PAIL_VECTOR_OP_NTT, 0, 12, a, a, MANY, NULL),
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_MUL, .r = a, .a = a, .b = a, .n = MANY),
        {.struct_size = sizeof ops[0], .kind = PAIL_VECTOR_OP_COPY, .r = a, .a = a}, /* n is 0 */
    };
    pail_stats stats = {.struct_size = sizeof stats, .adds = 1};
    pail_pending *pending;
    assert_int_equal(cpu.backend->vector_start(cpu.context, &pending, ops, 3), PAIL_OK);
    assert_int_equal(cpu.backend->vector_finish(&pending, &stats), PAIL_OK);
    assert_int_equal(stats.n_phases, 2);
    assert_string_equal(stats.phases[0].name, "ntt");
    assert_string_equal(stats.phases[1].name, "mul");
    assert_true(stats.wall_ms >= stats.phases[0].ms + stats.phases[1].ms);
    assert_true(stats.phases[0].ms > 0 && stats.phases[1].ms > 0);
    assert_true(stats.bytes_requested > 0 && stats.bytes_wiped == stats.bytes_requested);
    assert_true(stats.adds == 0);

    /* Nothing to do is done at once. */
    assert_int_equal(cpu.backend->vector_start(cpu.context, &pending, &ops[2], 1), PAIL_OK);
    assert_int_equal(cpu.backend->pending_poll(pending), PAIL_OK);
    assert_int_equal(cpu.backend->vector_finish(&pending, &stats), PAIL_OK);
    assert_int_equal(stats.n_phases, 0);
    destroy(a);

    /* A budget that does not have the tiles. */
    cpu.backend->context_destroy(&cpu.context);
    const pail_context_params params =
        SIZED(pail_context_params, .threads = 1, .memory_budget = 1000);
    assert_int_equal(cpu.backend->context_create(&cpu.host, &cpu.context, &params), PAIL_OK);
    pail_vector *const b = field_vector(&cpu, MANY);
    const pail_vector_op op = field_transform(PAIL_VECTOR_OP_NTT, 0, 12, b, b, MANY, NULL);
    assert_int_equal(cpu.backend->vector_start(cpu.context, &pending, &op, 1),
                     PAIL_ERR_DEVICE_MEMORY);
    assert_null(pending);
    destroy(b);
    test_cpu_end(&cpu);
}

/* Every allocation fails once. */
PAIL_TEST(memory_runs_out)
{
    test_cpu_begin(&cpu, 2);
    field_choose(PAIL_CURVE_BN254);
    uint8_t in[32 * N], got[32 * N];
    field_numbers(in, N, 11);
    const uint64_t starts[] = {0, 1};
    const uint32_t columns[] = {3};
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .n_rows = 1, .n_columns = N,
              .row_starts = starts, .columns = columns, .values = in);
    bool all = false;
    for (long fail = 1; !all; fail++) {
        assert_true(fail < 100);
        pail_vector *v = NULL;
        pail_matrix *matrix = NULL;
        pail_pending *pending = NULL;
        atomic_store(&cpu.memory.made, 0);
        atomic_store(&cpu.memory.fail_at, fail);
        pail_status status = cpu.backend->vector_create(cpu.context, &v, PAIL_CURVE_BN254, N);
        if (status == PAIL_OK)
            status = cpu.backend->vector_write(v, 0, in, N, 0);
        if (status == PAIL_OK)
            status = cpu.backend->matrix_create(cpu.context, &matrix, NULL, &desc);
        if (status == PAIL_OK) {
            const pail_vector_op ops[] = {
                field_transform(PAIL_VECTOR_OP_NTT, 0, 6, v, v, N, NULL),
                field_transform(PAIL_VECTOR_OP_INTT, 0, 6, v, v, N, NULL),
            };
            status = cpu.backend->vector_start(cpu.context, &pending, ops, 2);
            assert_int_equal(status == PAIL_OK, pending != NULL);
        }
        if (status == PAIL_OK)
            status = cpu.backend->vector_finish(&pending, NULL);
        if (status == PAIL_OK)
            status = cpu.backend->vector_read(v, got, 0, N, 0);
        all = status == PAIL_OK;
        if (all)
            assert_memory_equal(got, in, sizeof in);
        else
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
        atomic_store(&cpu.memory.fail_at, 0);
        cpu.backend->matrix_destroy(cpu.context, &matrix);
        cpu.backend->vector_destroy(cpu.context, &v);
    }
    test_cpu_end(&cpu);
}

/* ---- The self-test --------------------------------------------------------------------------- */
static const struct pail_cpu_scalars *right;

static void wrong_tile(const struct pail_cpu_tile *tile)
{
    right->tile(tile);
    if (tile->backward && tile->shifts)
        tile->to[0] ^= 1;
}

static void wrong_each(enum pail_vector_op_kind kind, uint64_t *r, const uint64_t *a,
                       const uint64_t *b, const uint64_t *c, size_t n)
{
    right->each(kind, r, a, b, c, n);
    if (kind == PAIL_VECTOR_OP_MUL_SUB)
        r[4 * (n - 1)] ^= 1;
}

static void wrong_rows(uint64_t *r, const uint64_t *starts, const uint32_t *columns,
                       const uint64_t *values, const uint32_t *which, const uint64_t *a,
                       size_t n_rows, struct pail_cpu_throttle *throttle)
{
    right->rows(r, starts, columns, values, which, a, n_rows - 2, throttle);
}

PAIL_TEST(the_self_test_finds)
{
    for (int way = 0; way < PAIL_CPU_ARITHMETIC_COUNT; way++) {
        if (!pail_cpu_arithmetic_runs((enum pail_cpu_arithmetic)way))
            continue;
        for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++) {
            right = pail_cpu_scalars_find((enum pail_cpu_arithmetic)way, curve);
            assert_non_null(right);
            assert_int_equal(pail_cpu_scalars_test(right), PAIL_OK);
            struct pail_cpu_scalars wrong = *right;
            wrong.tile = wrong_tile;
            assert_int_equal(pail_cpu_scalars_test(&wrong), PAIL_ERR_INTERNAL);
            wrong = *right;
            wrong.each = wrong_each;
            assert_int_equal(pail_cpu_scalars_test(&wrong), PAIL_ERR_INTERNAL);
            wrong = *right;
            wrong.rows = wrong_rows;
            assert_int_equal(pail_cpu_scalars_test(&wrong), PAIL_ERR_INTERNAL);
        }
    }
}

PAIL_TEST_MAIN
{
    return field_main();
}
