/* The calls of vectors on the CPU backend: what is refused and with which sentence, the order of
 * work, its end before its time, memory that runs out, statistics; and the self-test. */

#include "support.h"
#include "support/test.h"

#include <cpu/scalars.h>

enum { N = 64 };

static struct test_cpu cpu;

static void destroy(pail_vector *vector)
{
    cpu.backend->vector_destroy(cpu.context, &vector);
}

static void expect(const char *sentence)
{
    assert_string_equal(cpu.backend->error(cpu.context), sentence);
}

static void refused(const pail_vector_op *op, const char *sentence)
{
    /* The operation is the second of two, after a copy of nothing. */
    pail_vector *const some = op->r ? op->r : (pail_vector *)(uintptr_t)op->a;
    pail_vector_op ops[2] = {{.struct_size = sizeof ops[0]}, *op};
    ops[0].kind = PAIL_VECTOR_OP_COPY;
    ops[0].r = some;
    ops[0].a = some;
    pail_pending *pending = (pail_pending *)ops;
    assert_int_equal(cpu.backend->vector_start(cpu.context, &pending, ops, 2), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect(sentence);
}

/* An operation that is right but for one member. */
#define REFUSED(good, change, sentence)                                                            \
    do {                                                                                           \
        pail_vector_op changed = good;                                                             \
        changed.change;                                                                            \
        refused(&changed, sentence);                                                               \
    } while (0)

PAIL_TEST(operations_that_are_wrong)
{
    test_cpu_begin(&cpu, 1);
    field_choose(PAIL_CURVE_BN254);
    pail_vector *const r = field_vector(&cpu, N), *const a = field_vector(&cpu, N);
    field_choose(PAIL_CURVE_BLS12_381);
    pail_vector *const other = field_vector(&cpu, N);
    field_choose(PAIL_CURVE_BN254);
    const pail_vector_op good = field_transform(PAIL_VECTOR_OP_NTT, 0, 3, r, a, N, NULL);
    pail_vector_op op = good;
    op.kind = 10;
    refused(&op, "ops[1].kind is 10, which is none");
    REFUSED(good, flags = 2, "ops[1].flags is 0x2; kind 1, ntt, knows 0x1");
    op = good;
    op.kind = PAIL_VECTOR_OP_COPY;
    op.flags = PAIL_VECTOR_OP_BIT_REVERSED;
    refused(&op, "ops[1].flags is 0x1; kind 9, copy, knows 0x0");
    REFUSED(good, r = NULL, "ops[1].r is NULL");
    REFUSED(good, a = NULL, "ops[1].a is NULL");
    REFUSED(good, b = a, "ops[1].b is set, but kind 1, ntt, has no such operand");
    REFUSED(good, a = other, "ops[1].a is of bls12_381, but ops[1].r of bn254");
    op = good;
    op.a_offset = 1;
    refused(&op, "ops[1].a: elements 1 to 1 + 64 are asked for; there are 64");
    op.a_offset = UINT64_MAX;
    refused(&op, "ops[1].a: elements 18446744073709551615 to 18446744073709551615 + 64 are asked "
                 "for; there are 64");
    op = good;
    op.a = r;
    op.n = 32;
    op.a_offset = 8;
    refused(&op, "ops[1].a, from 8 to 8 + 32, overlaps ops[1].r, from 0 to 0 + 32");
    REFUSED(good, n = 12, "ops[1].n is 12, no multiple of 2^3");
    REFUSED(good, log_n = 29, "ops[1].log_n is 29; at most 28");
    /* Roots of order 4, of order 16, and not below r. */
    pail_u256 root = field_root(2);
    op = good;
    pail_u256_to_bytes(op.root, &root);
    refused(&op, "ops[1].root is not of order 2^3");
    root = field_root(4);
    pail_u256_to_bytes(op.root, &root);
    refused(&op, "ops[1].root is not of order 2^3");
    memset(op.root, 0, sizeof op.root);
    refused(&op, "ops[1].root is not of order 2^3");
    memset(op.root, 0xff, sizeof op.root);
    refused(&op, "ops[1].root is not below the order of bn254");
    REFUSED(good, log_n = 0, "ops[1].root is not of order 2^0");
    op = good;
    memset(op.shift, 0xff, sizeof op.shift);
    refused(&op, "ops[1].shift is not below the order of bn254");
    op.kind = PAIL_VECTOR_OP_POWERS;
    refused(&op, "ops[1].shift is not below the order of bn254");
    op = good;
    op.kind = PAIL_VECTOR_OP_POWERS;
    memset(op.scale, 0xff, sizeof op.scale);
    refused(&op, "ops[1].scale is not below the order of bn254");
    REFUSED(good, kind = PAIL_VECTOR_OP_SPMV, "ops[1].matrix is NULL");
    op = good;
    op.kind = PAIL_VECTOR_OP_MUL_SUB;
    op.b = a;
    refused(&op, "ops[1].c is NULL");

    const uint64_t starts[] = {0, 0, 0};
    const pail_matrix_desc desc = {.struct_size = sizeof desc,
                                   .curve = PAIL_CURVE_BN254,
                                   .n_rows = 2,
                                   .n_columns = N / 2,
                                   .row_starts = starts};
    pail_matrix *matrix;
    assert_int_equal(cpu.backend->matrix_create(cpu.context, &matrix, NULL, &desc), PAIL_OK);
    op = good;
    op.matrix = matrix;
    refused(&op, "ops[1].matrix is set, but kind 1, ntt, has none");
    op.kind = PAIL_VECTOR_OP_SPMV;
    refused(&op, "ops[1].n is 64; the matrix has 2 rows");
    op.n = 2;
    op.a = r;
    refused(&op, "ops[1].a, from 0 to 0 + 32, overlaps ops[1].r, from 0 to 0 + 2");
    op.a_offset = 33;
    refused(&op, "ops[1].a: elements 33 to 33 + 32 are asked for; there are 64");
    op.a_offset = 0;
    op.r = other;
    op.a = other;
    refused(&op, "ops[1].matrix is of another curve than r, which is of bls12_381");
    cpu.backend->matrix_destroy(cpu.context, &matrix);

    pail_pending *pending = (pail_pending *)&op;
    assert_int_equal(cpu.backend->vector_start(cpu.context, &pending, &good, 0), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect("n_ops is 0; at least 1 is needed");

    /* Vectors of another context. */
    pail_context *context;
    const pail_context_params params = {.struct_size = sizeof params, .threads = 1};
    assert_int_equal(cpu.backend->context_create(&cpu.host, &context, &params), PAIL_OK);
    assert_int_equal(cpu.backend->vector_start(context, &pending, &good, 1), PAIL_ERR_ARGUMENT);
    assert_string_equal(cpu.backend->error(context), "ops[0].r belongs to another context");
    cpu.backend->context_destroy(&context);
    destroy(r);
    destroy(a);
    destroy(other);
    test_cpu_end(&cpu);
}

PAIL_TEST(elements_that_are_wrong)
{
    test_cpu_begin(&cpu, 2);
    field_choose(PAIL_CURVE_BN254);
    pail_vector *v = (pail_vector *)&cpu;
    assert_int_equal(cpu.backend->vector_create(cpu.context, &v, 9, N), PAIL_ERR_UNSUPPORTED);
    assert_null(v);
    expect("curve is 9: the CPU backend has no such scalar field");
    assert_int_equal(cpu.backend->vector_create(cpu.context, &v, 1, UINT64_MAX),
                     PAIL_ERR_HOST_MEMORY);
    expect("no memory for a vector of 18446744073709551615 elements");
    enum { MANY = 20000 };
    uint8_t *const bytes = calloc(MANY, 32), *const got = malloc(32 * MANY);
    v = field_vector(&cpu, MANY);
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
    expect("elements[12345] is not below the order of bn254");
    assert_int_equal(cpu.backend->vector_read(v, got, 0, MANY, 1), PAIL_OK);
    assert_memory_equal(got, bytes, 32 * MANY);
    /* Part of it. */
    assert_int_equal(cpu.backend->vector_write(v, 5, others, 3, 0), PAIL_OK);
    memset(bytes + 32 * 5, 0, 32 * 3);
    assert_int_equal(cpu.backend->vector_read(v, got, 4, 10, 1), PAIL_OK);
    assert_memory_equal(got, bytes + 32 * 4, 32 * 10);
    assert_int_equal(cpu.backend->vector_write(v, MANY - 1, others, 2, 0), PAIL_ERR_ARGUMENT);
    expect("vector: elements 19999 to 19999 + 2 are asked for; there are 20000");
    assert_int_equal(cpu.backend->vector_read(v, got, 0, 1, 2), PAIL_ERR_ARGUMENT);
    expect("encoding is 2, which is none");
    assert_int_equal(got[0] | got[31], 0);
    assert_int_equal(cpu.backend->vector_read(v, NULL, 0, 1, 0), PAIL_ERR_ARGUMENT);
    expect("elements is NULL, but n is 1");
    assert_int_equal(cpu.backend->vector_read(v, NULL, MANY, 0, 0), PAIL_OK);
    destroy(v);
    free(others);
    free(got);
    free(bytes);
    test_cpu_end(&cpu);
}

PAIL_TEST(matrices_that_are_wrong)
{
    test_cpu_begin(&cpu, 1);
    field_choose(PAIL_CURVE_BN254);
    uint64_t starts[] = {0, 2, 3}, bad;
    uint32_t columns[] = {0, 4, 1};
    uint8_t values[3 * 32] = {1};
    const pail_matrix_desc good = {.struct_size = sizeof good,
                                   .curve = PAIL_CURVE_BN254,
                                   .n_rows = 2,
                                   .n_columns = 5,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .values = values};
    pail_matrix *matrix;
    const struct {
        uint64_t start0, start1;
        uint32_t column;
        uint8_t value;
        uint64_t bad;
        const char *sentence;
    } cases[] = {
        {1, 2, 4, 0, 0, "desc->row_starts[0] is 1; it has to be 0"},
        {0, 4, 4, 0, 2, "desc->row_starts[2] is 3, less than the 4 before it"},
        {0, 2, 5, 0, 1, "desc->columns[1] is 5; there are 5 columns"},
        {0, 2, 4, 0xff, 2, "desc->values[2] is not below the order of bn254"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        starts[0] = cases[i].start0;
        starts[1] = cases[i].start1;
        columns[1] = cases[i].column;
        memset(values + 64, cases[i].value, 32);
        matrix = (pail_matrix *)&cpu;
        assert_int_equal(cpu.backend->matrix_create(cpu.context, &matrix, &bad, &good),
                         PAIL_ERR_DATA);
        assert_null(matrix);
        assert_int_equal(bad, cases[i].bad);
        expect(cases[i].sentence);
    }
    pail_matrix_desc desc = good;
    desc.curve = 3;
    assert_int_equal(cpu.backend->matrix_create(cpu.context, &matrix, &bad, &desc),
                     PAIL_ERR_UNSUPPORTED);
    assert_true(bad == UINT64_MAX);
    desc = good;
    desc.n_columns = UINT64_C(1) << 32;
    assert_int_equal(cpu.backend->matrix_create(cpu.context, &matrix, NULL, &desc),
                     PAIL_ERR_ARGUMENT);
    expect("desc->n_columns is 4294967296; it has to be below 2^32");
    desc = good;
    desc.encoding = 2;
    assert_int_equal(cpu.backend->matrix_create(cpu.context, &matrix, NULL, &desc),
                     PAIL_ERR_ARGUMENT);
    desc = good;
    desc.columns = NULL;
    starts[0] = 0;
    assert_int_equal(cpu.backend->matrix_create(cpu.context, &matrix, NULL, &desc),
                     PAIL_ERR_ARGUMENT);
    expect("desc->columns is NULL, but there are 3 entries");
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
            {.struct_size = sizeof ops[0],
             .kind = PAIL_VECTOR_OP_MUL,
             .r = to,
             .a = from,
             .b = from,
             .n = MANY},
            {.struct_size = sizeof ops[0],
             .kind = PAIL_VECTOR_OP_ADD,
             .r = to,
             .a = to,
             .b = from,
             .n = MANY},
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

PAIL_TEST(ends_that_fail)
{
    test_cpu_begin(&cpu, 2);
    field_choose(PAIL_CURVE_BN254);
    uint8_t in[32 * N], got[32 * N], zeros[32 * N] = {0};
    field_numbers(in, N, 10);
    pail_vector *const a = field_vector_of(&cpu, in, N);
    const pail_vector_op op = field_transform(PAIL_VECTOR_OP_NTT, 0, 6, a, a, N, NULL);
    pail_stats stats = {.struct_size = 3};
    pail_pending *pending;
    assert_int_equal(cpu.backend->vector_start(cpu.context, &pending, &op, 1), PAIL_OK);
    assert_int_equal(cpu.backend->vector_finish(&pending, &stats), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    assert_non_null(strstr(cpu.backend->error(cpu.context), "stats: struct_size is 3; at least "));
    field_read(&cpu, a, got, N);
    assert_memory_equal(got, zeros, sizeof zeros); /* written elements are zeroed */

    /* By the wrong function. */
    pail_msm_result result = {.struct_size = sizeof result, .infinity = 1};
    assert_int_equal(cpu.backend->vector_start(cpu.context, &pending, &op, 1), PAIL_OK);
    assert_int_equal(cpu.backend->msm_finish(&pending, &result, 1, NULL), PAIL_ERR_ARGUMENT);
    assert_null(pending);
    assert_int_equal(result.infinity, 0);
    expect("pending is what vector_start started; what msm_start started is needed");
    assert_int_equal(cpu.backend->vector_finish(&pending, NULL), PAIL_ERR_ARGUMENT);
    assert_string_equal(cpu.backend->error(NULL), "pending is NULL");
    destroy(a);
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
        {.struct_size = sizeof ops[0],
         .kind = PAIL_VECTOR_OP_MUL,
         .r = a,
         .a = a,
         .b = a,
         .n = MANY},
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
    const pail_context_params params = {
        .struct_size = sizeof params, .threads = 1, .memory_budget = 1000};
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
    const pail_matrix_desc desc = {.struct_size = sizeof desc,
                                   .curve = PAIL_CURVE_BN254,
                                   .n_rows = 1,
                                   .n_columns = N,
                                   .row_starts = starts,
                                   .columns = columns,
                                   .values = in};
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
