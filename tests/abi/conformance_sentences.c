/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that are refused: the status, the sentence, and that outputs are zeroed; by every
 * backend alike, but for the limits of one. */
#include "conformance.h"

enum { N = 8, BYTES = PAIL_SCALAR_BYTES };

/* A value of a later MINOR, or a mistake of the caller. A backend need not tell which. */
#define UNKNOWN PAIL_OK

/* want: the sentence or, with "..." in it, its beginning. A sentence that begins with '*' is that
 * of the backend that is built in, and others have words of their own. */
static void expect_refusal(const struct subject *subject, pail_status status, pail_status expected,
                           const char *want)
{
    if (expected == UNKNOWN ? status != PAIL_ERR_ARGUMENT && status != PAIL_ERR_UNSUPPORTED
                            : status != expected)
        fail_msg("%s: status %d, not %d: %s", subject->backend->name, (int)status, (int)expected,
                 want);
    const char *said = subject->backend->error(subject->context);
    const char *const end = subject->own != NULL ? strstr(said, "): ") : NULL;
    if (end != NULL) /* one of several devices is named before what it says */
        said = end + 3;
    if (*want == '*' && strcmp(subject->backend->name, "cpu") != 0)
        return;
    want += *want == '*';
    const char *const open = strstr(want, "...");
    if (open != NULL ? strncmp(said, want, (size_t)(open - want)) : strcmp(said, want))
        fail_msg("%s: \"%s\" and not \"%s\"", subject->backend->name, said, want);
}

/* ---- Vectors --------------------------------------------------------------------------------- */
/* The operation is the second of two, after a copy of nothing. */
static void refuse_op(const struct subject *subject, const pail_vector_op *op, const char *sentence)
{
    pail_vector *const some = op->r ? op->r : (pail_vector *)(uintptr_t)op->a;
    const pail_vector_op ops[2] = {
        {.struct_size = sizeof ops[0], .kind = PAIL_VECTOR_OP_COPY, .r = some, .a = some}, *op};
    pail_pending *pending = (pail_pending *)(uintptr_t)op;
    const pail_status status = subject->backend->vector_start(subject->context, &pending, ops, 2);
    assert_null(pending);
    expect_refusal(subject, status, PAIL_ERR_ARGUMENT, sentence);
}

/* An operation that is right but for some members. */
#define REFUSED(sentence, ...)                                                                     \
    do {                                                                                           \
        pail_vector_op changed = good;                                                             \
        changed.__VA_ARGS__;                                                                       \
        refuse_op(subject, &changed, sentence);                                                    \
    } while (0)
/* The same, where a number of 32 bytes is 2^256 - 1 or `byte` throughout. */
#define REFUSED_NUMBER(sentence, member, byte, ...)                                                \
    do {                                                                                           \
        pail_vector_op changed = good;                                                             \
        changed.__VA_ARGS__;                                                                       \
        memset(changed.member, byte, BYTES);                                                       \
        refuse_op(subject, &changed, sentence);                                                    \
    } while (0)

static void check_operands(const struct subject *subject, const pail_vector_op good,
                           pail_vector *other_curve, pail_vector *other_context)
{
    REFUSED("ops[1].kind is 99, which is none", kind = 99);
    REFUSED("ops[1].kind is 0, which is none", kind = 0);
    REFUSED("ops[1].flags is 0x6; kind 4, add, knows 0x0", flags = 6);
    REFUSED("ops[1].r is NULL", r = NULL);
    REFUSED("ops[1].a is NULL", a = NULL);
    REFUSED("ops[1].b is NULL", b = NULL);
    REFUSED("ops[1].c is NULL", kind = PAIL_VECTOR_OP_MUL_SUB);
    REFUSED("ops[1].c is set, but kind 4, add, has no such operand", c = good.a);
    REFUSED("ops[1].a belongs to another context", a = other_context);
    REFUSED("ops[1].b is of bls12_381, but ops[1].r of bn254", b = other_curve);
    REFUSED("ops[1].r: elements 6 to 6 + 4 are asked for; there are 8", r_offset = 6);
    REFUSED("ops[1].a: elements 18446744073709551615 to 18446744073709551615 + 4 are asked for; "
            "there are 8",
            a_offset = UINT64_MAX);
    REFUSED("ops[1].a, from 3 to 3 + 4, overlaps ops[1].r, from 0 to 0 + 4", a = good.r,
            changed.a_offset = 3);
    pail_pending *pending = (pail_pending *)other_curve;
    pail_vector_op other = good;
    other.r = other_context;
    pail_vector_op shorter = good;
    shorter.struct_size = 8;
    const pail_vector_op *const first[] = {&other, &good, NULL, &shorter};
    static const char *const sentences[] = {"ops[0].r belongs to another context",
                                            "n_ops is 0; at least 1 is needed", "ops is NULL...",
                                            "ops: struct_size is 8; at least ..."};
    for (size_t i = 0; i < 4; i++) {
        const pail_status status =
            subject->backend->vector_start(subject->context, &pending, first[i], i != 1);
        assert_null(pending);
        expect_refusal(subject, status, PAIL_ERR_ARGUMENT, sentences[i]);
    }
}

static void check_transforms(const struct subject *subject, pail_vector_op good)
{
    good.kind = PAIL_VECTOR_OP_NTT;
    good.b = NULL;
    good.log_n = 1;
    memcpy(good.root, minus_one, BYTES);
    REFUSED("ops[1].flags is 0x4; kind 1, ntt, knows 0x3", flags = 4);
    REFUSED("ops[1].flags is 0x1; kind 9, copy, knows 0x0", flags = PAIL_VECTOR_OP_BIT_REVERSED,
            changed.kind = PAIL_VECTOR_OP_COPY);
    REFUSED("ops[1].b is set, but kind 1, ntt, has no such operand", b = good.a);
    REFUSED("ops[1].log_n is 33; at most 28", log_n = 33);
    REFUSED("ops[1].log_n is 29; at most 28", log_n = 29);
    REFUSED("ops[1].n is 3, no multiple of 2^1", n = 3);
    REFUSED("ops[1].root is not of order 2^2", log_n = 2);
    REFUSED("ops[1].root is not of order 2^0", log_n = 0);
    REFUSED_NUMBER("ops[1].root is not of order 2^1", root, 0, n = 4);
    REFUSED_NUMBER("ops[1].root is not below the order of bn254", root, 0xff, n = 4);
    REFUSED_NUMBER("ops[1].shift is not below the order of bn254", shift, 0xff, n = 4);
    REFUSED_NUMBER("ops[1].shift is not below the order of bn254", shift, 0xff,
                   kind = PAIL_VECTOR_OP_POWERS);
    REFUSED_NUMBER("ops[1].scale is not below the order of bn254", scale, 0xff,
                   kind = PAIL_VECTOR_OP_POWERS);
}

static pail_matrix_desc matrix_desc(const uint64_t *starts, const uint32_t *columns,
                                    const uint8_t *values)
{
    return (pail_matrix_desc)SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .n_rows = 2,
                                   .n_columns = N, .row_starts = starts, .columns = columns,
                                   .values = values);
}

static void check_products(const struct subject *subject, pail_vector_op good,
                           pail_vector *other_curve, pail_context *other_context)
{
    const uint64_t starts[] = {0, 0, 0};
    const pail_matrix_desc desc = matrix_desc(starts, NULL, NULL);
    pail_matrix *matrix = NULL;
    assert_int_equal(subject->backend->matrix_create(subject->context, &matrix, NULL, &desc),
                     PAIL_OK);
    REFUSED("ops[1].matrix is set, but kind 4, add, has none", matrix = matrix);
    good.kind = PAIL_VECTOR_OP_SPMV;
    good.b = NULL;
    good.n = 2;
    REFUSED("ops[1].matrix is NULL", n = 2);
    pail_matrix *stranger = NULL;
    assert_int_equal(subject->backend->matrix_create(other_context, &stranger, NULL, &desc),
                     PAIL_OK);
    REFUSED("ops[1].matrix belongs to another context", matrix = stranger);
    subject->backend->matrix_destroy(other_context, &stranger);
    good.matrix = matrix;
    REFUSED("ops[1].n is 4; the matrix has 2 rows", n = 4);
    REFUSED("ops[1].a: elements 1 to 1 + 8 are asked for; there are 8", a_offset = 1);
    REFUSED("ops[1].a, from 0 to 0 + 8, overlaps ops[1].r, from 0 to 0 + 2", a = good.r);
    REFUSED("ops[1].matrix is of another curve than r, which is of bls12_381", r = other_curve,
            changed.a = other_curve);
    subject->backend->matrix_destroy(subject->context, &matrix);
}

static void check_matrices(const struct subject *subject)
{
    static const struct {
        const char *sentence;
        pail_status status;
        uint64_t bad, start0, start1;
        uint32_t column;
        uint8_t value;
    } entries[] = {
        {"desc->row_starts[0] is 1; it has to be 0", PAIL_ERR_DATA, 0, 1, 2, 7, 0},
        {"desc->row_starts[2] is 3, less than the 4 before it", PAIL_ERR_DATA, 2, 0, 4, 7, 0},
        {"desc->columns[1] is 8; there are 8 columns", PAIL_ERR_DATA, 1, 0, 2, N, 0},
        {"desc->values[2] is not below the order of bn254", PAIL_ERR_DATA, 2, 0, 2, 7, 0xff},
    };
    uint64_t starts[] = {0, 2, 3}, bad = 7;
    uint32_t columns[] = {0, 7, 1};
    uint8_t values[3 * BYTES] = {1};
    const pail_matrix_desc good = matrix_desc(starts, columns, values);
    pail_matrix *matrix;
    pail_status status;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        starts[0] = entries[i].start0;
        starts[1] = entries[i].start1;
        columns[1] = entries[i].column;
        memset(values + 2 * BYTES, entries[i].value, BYTES);
        matrix = (pail_matrix *)values;
        status = subject->backend->matrix_create(subject->context, &matrix, &bad, &good);
        assert_null(matrix);
        assert_true(bad == entries[i].bad);
        expect_refusal(subject, status, entries[i].status, entries[i].sentence);
    }
#define REFUSED_MATRIX(status, sentence, ...)                                                      \
    do {                                                                                           \
        pail_matrix_desc changed = good;                                                           \
        changed.__VA_ARGS__;                                                                       \
        matrix = (pail_matrix *)values;                                                            \
        const pail_status got =                                                                    \
            subject->backend->matrix_create(subject->context, &matrix, &bad, &changed);            \
        assert_null(matrix);                                                                       \
        assert_true(bad == UINT64_MAX);                                                            \
        expect_refusal(subject, got, status, sentence);                                            \
    } while (0)
    REFUSED_MATRIX(PAIL_ERR_ARGUMENT, "desc: struct_size is 4; at least ...", struct_size = 4);
    REFUSED_MATRIX(UNKNOWN, "...", curve = 3);
    REFUSED_MATRIX(PAIL_ERR_ARGUMENT, "desc->values is NULL, but there are 3 entries",
                   values = NULL);
    REFUSED_MATRIX(PAIL_ERR_ARGUMENT, "desc->columns is NULL, but there are 3 entries",
                   columns = NULL);
    REFUSED_MATRIX(PAIL_ERR_ARGUMENT, "desc->encoding is 9, which is none", encoding = 9);
    REFUSED_MATRIX(PAIL_ERR_ARGUMENT, "desc->row_starts is NULL", row_starts = NULL);
    REFUSED_MATRIX(PAIL_ERR_ARGUMENT, "desc->n_rows is 4294967296; it has to be below 2^32",
                   n_rows = UINT64_C(1) << 32);
    REFUSED_MATRIX(PAIL_ERR_ARGUMENT, "desc->n_columns is 4294967296; it has to be below 2^32",
                   n_columns = UINT64_C(1) << 32);
}

static void check_copies(const struct subject *subject, pail_vector *vector)
{
    const pail_backend *const backend = subject->backend;
    uint8_t bytes[2 * BYTES];
#define REFUSED_COPY(call, status, sentence)                                                       \
    do {                                                                                           \
        memset(bytes, 0xff, sizeof bytes);                                                         \
        memset(bytes, 0, BYTES);                                                                   \
        bytes[0] = 1;                                                                              \
        expect_refusal(subject, backend->call, status, sentence);                                  \
    } while (0)
    REFUSED_COPY(vector_write(vector, 0, bytes, 2, PAIL_ENCODING_CANONICAL), PAIL_ERR_DATA,
                 "elements[1] is not below the order of bn254");
    REFUSED_COPY(vector_write(vector, 7, bytes, 2, PAIL_ENCODING_CANONICAL), PAIL_ERR_ARGUMENT,
                 "vector: elements 7 to 7 + 2 are asked for; there are 8");
    REFUSED_COPY(vector_write(vector, 0, bytes, 1, 5), PAIL_ERR_ARGUMENT,
                 "encoding is 5, which is none");
    REFUSED_COPY(vector_read(vector, bytes, 0, 1, 2), PAIL_ERR_ARGUMENT,
                 "encoding is 2, which is none");
    assert_int_equal(bytes[0], 0);
    REFUSED_COPY(vector_read(vector, NULL, 0, 3, PAIL_ENCODING_CANONICAL), PAIL_ERR_ARGUMENT,
                 "elements is NULL, but n is 3");
    REFUSED_COPY(vector_read(vector, bytes, 9, 0, PAIL_ENCODING_CANONICAL), PAIL_ERR_ARGUMENT,
                 "vector: elements 9 to 9 + 0 are asked for; there are 8");
    assert_int_equal(backend->vector_read(vector, NULL, N, 0, PAIL_ENCODING_CANONICAL), PAIL_OK);
    pail_vector *none = vector;
    REFUSED_COPY(vector_create(subject->context, &none, 77, N), UNKNOWN,
                 "*curve is 77: the CPU backend has no such scalar field");
    assert_null(none);
    if (strcmp(backend->name, "cpu") == 0)
        REFUSED_COPY(vector_create(subject->context, &none, PAIL_CURVE_BN254, UINT64_MAX),
                     PAIL_ERR_HOST_MEMORY,
                     "no memory for a vector of 18446744073709551615 elements");
    REFUSED_COPY(vector_create(subject->context, NULL, PAIL_CURVE_BN254, N), PAIL_ERR_ARGUMENT,
                 "vector is NULL");
}

static pail_vector *make(const struct subject *subject, pail_context *context, uint32_t curve)
{
    pail_vector *vector = NULL;
    if (subject->backend->vector_create(context, &vector, curve, N) != PAIL_OK)
        fail_msg("%s", subject->backend->error(context));
    return vector;
}

CONFORMANCE_NEEDS(vectors_are_refused_in_the_same_words, vector_create)
{
    const pail_context_params params =
        SIZED(pail_context_params, .device = PAIL_DEVICE_BEST, .import = subject->import);
    pail_context *context = NULL;
    assert_int_equal(backend->context_create(subject->host, &context, &params), PAIL_OK);
    pail_vector *r = make(subject, subject->context, PAIL_CURVE_BN254);
    pail_vector *a = make(subject, subject->context, PAIL_CURVE_BN254);
    pail_vector *other_curve = make(subject, subject->context, PAIL_CURVE_BLS12_381);
    pail_vector *other_context = make(subject, context, PAIL_CURVE_BN254);
    const pail_vector_op add =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_ADD, .r = r, .a = a, .b = a, .n = 4);
    uint8_t before[N * BYTES] = {0}, after[N * BYTES];
    for (size_t i = 0; i < sizeof before; i += BYTES)
        before[i] = (uint8_t)i;
    assert_int_equal(backend->vector_write(a, 0, before, N, PAIL_ENCODING_CANONICAL), PAIL_OK);
    check_operands(subject, add, other_curve, other_context);
    check_transforms(subject, add);
    check_products(subject, add, other_curve, context);
    check_matrices(subject);
    check_copies(subject, a);
    assert_int_equal(backend->vector_read(a, after, 0, N, PAIL_ENCODING_CANONICAL), PAIL_OK);
    assert_memory_equal(after, before, sizeof after);
    backend->vector_destroy(context, &other_context);
    backend->vector_destroy(subject->context, &other_curve);
    backend->vector_destroy(subject->context, &a);
    backend->vector_destroy(subject->context, &r);
    backend->vector_destroy(subject->context, &r); /* NULL is harmless */
    backend->context_destroy(&context);
}

/* ---- Multiplications ------------------------------------------------------------------------- */
/* A multiplication that is right but for a member of its job or of its configuration. */
struct multiplication {
    pail_msm_job job;
    pail_msm_config config;
};

/* The job is the second of two. */
static void refuse_start(const struct subject *subject, const pail_msm_job *good,
                         const struct multiplication *m, pail_status status, const char *sentence)
{
    const pail_msm_job jobs[2] = {*good, m->job};
    pail_pending *pending = (pail_pending *)(uintptr_t)good;
    const pail_status got =
        subject->backend->msm_start(subject->context, &pending, jobs, 2, &m->config);
    assert_null(pending);
    expect_refusal(subject, got, status, sentence);
}

#define REFUSED_START(status, sentence, ...)                                                       \
    do {                                                                                           \
        struct multiplication m = good;                                                            \
        m.__VA_ARGS__;                                                                             \
        refuse_start(subject, &good.job, &m, status, sentence);                                    \
    } while (0)

CONFORMANCE(multiplications_are_refused_in_the_same_words)
{
    pail_bases *bases = make_bases(subject, 4);
    const struct multiplication good = {.job = job_of(bases, small_scalars, 4),
                                        .config = {.struct_size = sizeof good.config}};
    const pail_status argument = PAIL_ERR_ARGUMENT;
    REFUSED_START(argument, "jobs: struct_size is 20; at least ...", job.struct_size = 20);
    REFUSED_START(argument, "jobs[1].bases is NULL", job.bases = NULL);
    REFUSED_START(argument, "jobs[1].scalars is NULL, but n is 4", job.scalars = NULL);
    REFUSED_START(argument, "jobs[1] wants bases 0 to 0 + 5; there are 4", job.n = 5);
    REFUSED_START(argument, "jobs[1] wants bases 1 to 1 + 4; there are 4", job.base_offset = 1);
    REFUSED_START(argument,
                  "jobs[1] wants bases 18446744073709551615 to 18446744073709551615 + 2; there are "
                  "4",
                  job.base_offset = SIZE_MAX, m.job.n = 2);
    REFUSED_START(argument, "jobs[1] wants bases 0 to 0 + 18446744073709551615; there are 4",
                  job.n = SIZE_MAX);
    REFUSED_START(argument, "jobs[1].scalar_encoding is 9, which is none", job.scalar_encoding = 9);
    REFUSED_START(argument, "jobs[1].scalar_encoding is 2, which is none", /* for points alone */
                  job.scalar_encoding = PAIL_ENCODING_JACOBIAN);
    REFUSED_START(argument, "jobs[1].scalar_bits is 257; at most 256", job.scalar_bits = 257);
    if (subject->own == NULL) /* one of several devices counts from the first scalar of its part */
        REFUSED_START(PAIL_ERR_DATA, "jobs[1].scalars[3] is not below 2^2, as scalar_bits says",
                      job.scalar_bits = 2);
    REFUSED_START(argument, "jobs[1].scalars is set, but scalars come from a vector",
                  job.scalar_location = PAIL_LOCATION_VECTOR);
    REFUSED_START(argument, "jobs[1].wait_value is 3, but there is no wait_semaphore",
                  job.wait_value = 3);
    if (PAIL_HAS(backend, vector_create)) {
        pail_vector *other_curve = make(subject, subject->context, PAIL_CURVE_BLS12_381);
        REFUSED_START(argument, "jobs[1].scalar_vector is set, but scalar_location is 0",
                      job.scalar_vector = other_curve);
        REFUSED_START(argument, "jobs[1].scalar_vector is of bls12_381, but the bases of bn254",
                      job.scalar_vector = other_curve, m.job.scalars = NULL,
                      m.job.scalar_location = PAIL_LOCATION_VECTOR);
        REFUSED_START(argument, "jobs[1].scalar_vector is NULL",
                      job.scalar_location = PAIL_LOCATION_VECTOR, m.job.scalars = NULL);
        backend->vector_destroy(subject->context, &other_curve);
    }
    REFUSED_START(UNKNOWN, "jobs[1].scalar_location is 7...", job.scalar_location = 7);
    REFUSED_START(argument, "config: struct_size is 12; at least ...", config.struct_size = 12);
    REFUSED_START(argument, "config->flags is 0x80; only 0x3 is known", config.flags = 0x80);
    REFUSED_START(argument, "config->threads is 16777217; at most 16777216",
                  config.threads = 16777217);
    REFUSED_START(argument, "config->prefix_placement is 9, which is none",
                  config.prefix_placement = 9);
    REFUSED_START(argument, "config->window_bits is 23; the ...", config.window_bits = 23);
    REFUSED_START(UNKNOWN, "config->accumulator is 9; the ...", config.accumulator = 9);
    REFUSED_START(UNKNOWN, "config->field is 9; the ...", config.field = 9);
    REFUSED_START(UNKNOWN, "config->slots is 33; ...", config.slots = 33);
    REFUSED_START(UNKNOWN, "config->workgroup is 1073741824; ...", config.workgroup = 1u << 30);
    REFUSED_START(UNKNOWN, "config->inversion_group is 3; ...", config.inversion_group = 3);
    REFUSED_START(argument, "config->memory_budget is 1; at least ...", config.memory_budget = 1);
    if (strcmp(backend->name, "cpu") == 0) { /* limits of its own */
        const pail_status unsupported = PAIL_ERR_UNSUPPORTED;
        REFUSED_START(argument, "jobs[1].scalars is 0x...",
                      job.scalar_location = PAIL_LOCATION_DEVICE_ADDRESS);
        REFUSED_START(argument, "jobs[1].result_address is 0x8, where no memory of the context is",
                      job.result_location = PAIL_LOCATION_DEVICE_ADDRESS, m.job.result_address = 8);
        REFUSED_START(argument, "jobs[1].result_location is 2, which is none",
                      job.result_location = PAIL_LOCATION_VECTOR);
        REFUSED_START(unsupported,
                      "jobs[1].wait_semaphore is set; the CPU backend has no Vulkan device",
                      job.wait_semaphore = 5);
        REFUSED_START(argument, "config->window_bits is 17; the CPU backend takes 1 to 16",
                      config.window_bits = 17);
        REFUSED_START(unsupported, "config->accumulator is 3; the CPU backend has only walker (2)",
                      config.accumulator = PAIL_ACCUMULATOR_COOP);
        REFUSED_START(unsupported, "config->field is 2; the CPU backend has only host (4)",
                      config.field = PAIL_FIELD_LIMB29);
        REFUSED_START(unsupported, "config->slots is 8; the CPU backend has no slots to choose",
                      config.slots = 8);
    }
    backend->bases_destroy(subject->context, &bases);
}

/* ---- Bases ----------------------------------------------------------------------------------- */
static pail_status read_nothing(void *user, void *to, uint64_t offset, size_t bytes)
{
    (void)user;
    (void)to;
    (void)offset;
    (void)bytes;
    return PAIL_ERR_IO;
}

#define REFUSED_BASES(status, sentence, ...)                                                       \
    do {                                                                                           \
        pail_bases_desc changed = good;                                                            \
        changed.__VA_ARGS__;                                                                       \
        bases = (pail_bases *)&changed;                                                            \
        bad = 5;                                                                                   \
        const pail_status got = backend->bases_create(subject->context, &bases, &bad, &changed);   \
        assert_null(bases);                                                                        \
        assert_true(bad == ((status) == PAIL_ERR_DATA ? 0 : SIZE_MAX));                            \
        expect_refusal(subject, got, status, sentence);                                            \
    } while (0)

CONFORMANCE(bases_are_refused_in_the_same_words)
{
    const uint8_t off[96] = {0x2a, 1}; /* no point has this x and y = 0 */
    const pail_bases_desc good = desc_of(off, 1);
    const pail_status argument = PAIL_ERR_ARGUMENT;
    pail_bases *bases;
    size_t bad;
    REFUSED_BASES(argument, "desc: struct_size is 24; at least ...", struct_size = 24);
    REFUSED_BASES(UNKNOWN, "*desc->curve 77, desc->group 1: the CPU backend has no such group",
                  curve = 77);
    REFUSED_BASES(UNKNOWN, "*desc->curve 1, desc->group 9: the CPU backend has no such group",
                  group = 9);
    REFUSED_BASES(argument, "desc->encoding is 9, which is none", encoding = 9);
    REFUSED_BASES(argument, "desc->validation is 9, which is none", validation = 9);
    REFUSED_BASES(argument, "desc->residency is 9, which is none", residency = 9);
    REFUSED_BASES(argument, "desc->flags is 0x6; only 0x3 is known", flags = 6);
    REFUSED_BASES(
        argument,
        "desc->flags has PAIL_BASES_COMPACT, and the residency is 2, host memory; compact "
        "points stay on the device",
        flags = PAIL_BASES_COMPACT, changed.residency = PAIL_RESIDENCY_HOST);
    REFUSED_BASES(argument,
                  "desc->flags has PAIL_BASES_COMPACT, and the table factor is 4; compact points "
                  "have no tables, which take more memory",
                  flags = PAIL_BASES_COMPACT, changed.table_factor = 4);
    REFUSED_BASES(PAIL_ERR_UNSUPPORTED,
                  "desc->flags has PAIL_BASES_COMPACT, and the group is 2; only points of G1 (1) "
                  "can be compact",
                  flags = PAIL_BASES_COMPACT, changed.group = PAIL_G2);
    REFUSED_BASES(argument, "desc->stride is 63; a point has 64 bytes", stride = 63);
    REFUSED_BASES(argument, "desc->stride is 95; a point has 96 bytes", stride = 95,
                  changed.encoding = PAIL_ENCODING_JACOBIAN);
    REFUSED_BASES(argument, "desc->infinity_byte is 65, beyond the stride of 64 bytes",
                  infinity_byte = 65);
    REFUSED_BASES(argument, "desc->points and desc->read_points are both given",
                  read_points = read_nothing);
    REFUSED_BASES(
        argument,
        "desc->points, desc->read_points and desc->address are NULL, but desc->n_points is 1",
        points = NULL);
    REFUSED_BASES(argument,
                  "desc->n_points is 18446744073709551615 and desc->stride 0: more than an address "
                  "space",
                  n_points = SIZE_MAX);
    REFUSED_BASES(
        PAIL_ERR_DATA,
        "point 0 (x = 0x000000000000000000000000000000000000000000000000000000000000012a as "
        "given) is not on bn254 g1",
        n_points = 1);
    REFUSED_BASES(PAIL_ERR_DATA, "point 0...", flags = PAIL_BASES_COMPACT,
                  changed.validation = PAIL_VALIDATE_NONE);
    uint8_t large[64];
    memset(large, 0xff, sizeof large);
    REFUSED_BASES(PAIL_ERR_DATA, "point 0...", points = large,
                  changed.encoding = PAIL_ENCODING_MONTGOMERY,
                  changed.validation = PAIL_VALIDATE_NONE);
    if (strcmp(backend->name, "cpu") == 0)
        REFUSED_BASES(PAIL_ERR_UNSUPPORTED,
                      "desc->table_factor is 4; the CPU backend has no tables", table_factor = 4);
    /* No points need no memory to read them from. */
    pail_bases_desc none = desc_of(NULL, 0);
    bad = 5;
    assert_int_equal(backend->bases_create(subject->context, &bases, &bad, &none), PAIL_OK);
    assert_non_null(bases);
    assert_true(bad == SIZE_MAX);
    pail_bases_info info = {.struct_size = sizeof info, .n_kept = 1};
    assert_int_equal(backend->bases_info(NULL, &info), argument);
    assert_int_equal(info.n_kept, 0);
    backend->bases_destroy(subject->context, &bases);
    assert_null(bases);
}
