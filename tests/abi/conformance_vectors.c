/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors over the scalar field at the boundary: what must be refused, and what must come out.
 * Tests of a backend without them are skipped. */
#include "conformance.h"

#include <stdatomic.h>

enum { N = 8, BYTES = PAIL_SCALAR_BYTES };

/* 1, 2, 3, ... */
static pail_vector *make_vector(const struct subject *subject)
{
    uint8_t elements[N * BYTES] = {0};
    for (size_t i = 0; i < N; i++)
        elements[i * BYTES] = (uint8_t)(i + 1);
    pail_vector *vector = NULL;
    const pail_backend *const backend = subject->backend;
    if (backend->vector_create(subject->context, &vector, PAIL_CURVE_BN254, N) != PAIL_OK ||
        backend->vector_write(vector, 0, elements, N, PAIL_ENCODING_CANONICAL) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    return vector;
}

/* All elements are small. */
static void expect_elements(const struct subject *subject, const pail_vector *vector,
                            const uint8_t want[N])
{
    uint8_t got[N * BYTES], bytes[N * BYTES] = {0};
    for (size_t i = 0; i < N; i++)
        bytes[i * BYTES] = want[i];
    assert_int_equal(subject->backend->vector_read(vector, got, 0, N, PAIL_ENCODING_CANONICAL),
                     PAIL_OK);
    assert_memory_equal(got, bytes, sizeof got);
}

static void run(const struct subject *subject, const pail_vector_op *ops, size_t n)
{
    pail_pending *pending = NULL;
    if (subject->backend->vector_start(subject->context, &pending, ops, n) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    pail_stats stats = {.struct_size = sizeof stats};
    assert_int_equal(subject->backend->pending_wait(pending, UINT64_MAX), PAIL_OK);
    assert_int_equal(subject->backend->vector_finish(&pending, &stats), PAIL_OK);
    assert_null(pending);
    assert_true(stats.wall_ms > 0);
}

/* Work ends by a call that is refused: its results are zeros, and its handle is gone. */
CONFORMANCE_NEEDS(vectors_end_refused, vector_create)
{
    static const uint8_t zeros[N];
    pail_pending *pending = NULL;
    assert_int_equal(backend->vector_finish(&pending, NULL), PAIL_ERR_ARGUMENT);
    for (int by_msm_finish = 0; by_msm_finish < 2; by_msm_finish++) {
        pail_vector *v = make_vector(subject);
        const pail_vector_op op =
            SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_ADD, .r = v, .a = v, .b = v, .n = N);
        pail_stats stats = {.struct_size = 3};
        pail_msm_result result = {.struct_size = sizeof result, .infinity = 1};
        assert_int_equal(backend->vector_start(subject->context, &pending, &op, 1), PAIL_OK);
        assert_int_equal(by_msm_finish ? backend->msm_finish(&pending, &result, 1, NULL)
                                       : backend->vector_finish(&pending, &stats),
                         PAIL_ERR_ARGUMENT);
        assert_null(pending);
        expect_sentence(subject, by_msm_finish ? "pending is what vector_start started; what "
                                                 "msm_start started is needed"
                                               : "stats: struct_size is 3; at least ");
        if (by_msm_finish)
            assert_int_equal(result.infinity, 0);
        else
            expect_elements(subject, v, zeros);
        backend->vector_destroy(subject->context, &v);
    }
}

CONFORMANCE_NEEDS(vectors_are_computed_with, vector_create)
{
    pail_vector *a = make_vector(subject), *b = make_vector(subject);
    pail_vector_op op = {.struct_size = sizeof op, .r = b, .a = a, .n = N};
    op.kind = PAIL_VECTOR_OP_ADD;
    op.b = b;
    run(subject, &op, 1);
    expect_elements(subject, b, (const uint8_t[N]){2, 4, 6, 8, 10, 12, 14, 16});
    op.kind = PAIL_VECTOR_OP_SUB;
    op.a = b;
    op.b = a;
    run(subject, &op, 1);
    expect_elements(subject, b, (const uint8_t[N]){1, 2, 3, 4, 5, 6, 7, 8});
    op.kind = PAIL_VECTOR_OP_MUL_SUB;
    op.b = b;
    op.c = a;
    run(subject, &op, 1);
    expect_elements(subject, b, (const uint8_t[N]){0, 2, 6, 12, 20, 30, 42, 56});
    op = (pail_vector_op){
        .struct_size = sizeof op, .kind = PAIL_VECTOR_OP_POWERS, .r = b, .a = a, .n = 3};
    op.shift[0] = 2;
    op.scale[0] = 5;
    op.r_offset = 1;
    op.a_offset = 2;
    run(subject, &op, 1);
    expect_elements(subject, b, (const uint8_t[N]){0, 15, 40, 100, 20, 30, 42, 56});

    /* 2^1: sums and differences, and back; two operations of which the second needs the first. */
    pail_vector_op ops[2] = {
        {.struct_size = sizeof op, .kind = PAIL_VECTOR_OP_NTT, .log_n = 1, .r = b, .a = a, .n = N}};
    memcpy(ops[0].root, minus_one, BYTES);
    ops[1] = ops[0];
    ops[1].kind = PAIL_VECTOR_OP_MUL;
    ops[1].a = b;
    ops[1].b = b;
    run(subject, ops, 2);
    expect_elements(subject, b, (const uint8_t[N]){9, 1, 49, 1, 121, 1, 225, 1});
    ops[0].kind = PAIL_VECTOR_OP_INTT;
    ops[0].a = b;
    run(subject, ops, 1);
    expect_elements(subject, b, (const uint8_t[N]){5, 4, 25, 24, 61, 60, 113, 112});

    /* Two blocks of 4 in bit-reversed order. */
    op = (pail_vector_op){.struct_size = sizeof op,
                          .kind = PAIL_VECTOR_OP_BIT_REVERSE,
                          .log_n = 2,
                          .r = b,
                          .a = a,
                          .n = N};
    run(subject, &op, 1);
    expect_elements(subject, b, (const uint8_t[N]){1, 3, 2, 4, 5, 7, 6, 8});

    /* 3 times element 1 and twice element 7; nothing; element 0 and element 0. */
    const uint64_t starts[] = {0, 2, 2, 4};
    const uint32_t columns[] = {1, 7, 0, 0};
    uint8_t values[4 * BYTES] = {3};
    values[BYTES] = 2;
    values[2 * BYTES] = values[3 * BYTES] = 1;
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .n_rows = 3, .n_columns = N,
              .row_starts = starts, .columns = columns, .values = values);
    pail_matrix *matrix = NULL;
    assert_int_equal(backend->matrix_create(subject->context, &matrix, NULL, &desc), PAIL_OK);
    op = (pail_vector_op){.struct_size = sizeof op,
                          .kind = PAIL_VECTOR_OP_SPMV,
                          .r = b,
                          .a = a,
                          .matrix = matrix,
                          .n = 3};
    run(subject, &op, 1);
    expect_elements(subject, b, (const uint8_t[N]){22, 0, 2, 4, 5, 7, 6, 8});
    backend->matrix_destroy(subject->context, &matrix);
    backend->vector_destroy(subject->context, &a);
    backend->vector_destroy(subject->context, &b);
}

/* A multiplication takes its scalars from what is still being computed when it starts. */
CONFORMANCE_NEEDS(multiplications_read_vectors, vector_create)
{
    pail_vector *v = make_vector(subject);
    pail_bases *bases = make_bases(subject, 2); /* the generator, and infinity */
    const pail_vector_op op = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_SUB, .r = v, .a = v,
                                    .b = v, .r_offset = 4, .a_offset = 4, .b_offset = 4, .n = 4);
    pail_vector_op add = op;
    add.kind = PAIL_VECTOR_OP_ADD; /* 3 at place 4, out of 0 */
    add.b_offset = 2;
    add.n = 1;
    const pail_vector_op ops[] = {op, add};
    pail_pending *pending[2] = {NULL};
    assert_int_equal(backend->vector_start(subject->context, &pending[0], ops, 2), PAIL_OK);
    const pail_msm_job job = SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_VECTOR,
                                   .scalar_vector = v, .scalar_offset = 4, .bases = bases, .n = 2);
    if (backend->msm_start(subject->context, &pending[1], &job, 1, NULL) != PAIL_OK)
        fail_msg("%s", backend->error(subject->context));
    backend->vector_destroy(subject->context, &v); /* in use */
    pail_msm_result result = {.struct_size = sizeof result};
    assert_int_equal(backend->msm_finish(&pending[1], &result, 1, NULL), PAIL_OK);
    assert_memory_equal(result.x, g1_times_3, 32);
    assert_memory_equal(result.y, g1_times_3 + 32, 32);
    assert_int_equal(backend->vector_finish(&pending[0], NULL), PAIL_OK);
    pail_msm_job wrong = job;
    wrong.scalar_vector = NULL;
    assert_int_equal(backend->msm_start(subject->context, &pending[1], &wrong, 1, NULL),
                     PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "scalar_vector");
    backend->bases_destroy(subject->context, &bases);
}

/* Points that are all infinity take no additions, and scalars all the same. */
CONFORMANCE_NEEDS(multiplications_of_infinities_end, vector_create)
{
    const uint64_t ten_seconds = 10000000000;
    pail_vector *v = make_vector(subject);
    pail_bases *bases = make_bases(subject, 2); /* the generator, and infinity */
    const pail_msm_job job = SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_VECTOR,
                                   .scalar_vector = v, .bases = bases, .base_offset = 1, .n = 1);
    pail_pending *pending = NULL;
    assert_int_equal(backend->msm_start(subject->context, &pending, &job, 1, NULL), PAIL_OK);
    assert_int_equal(backend->pending_wait(pending, ten_seconds), PAIL_OK);
    pail_msm_result result = {.struct_size = sizeof result};
    assert_int_equal(backend->msm_finish(&pending, &result, 1, NULL), PAIL_OK);
    assert_int_equal(result.infinity, 1);
    backend->bases_destroy(subject->context, &bases);
    backend->vector_destroy(subject->context, &v);
}

/* ---- From a reader --------------------------------------------------------------------------- */
enum { MANY = 20000, ASKED_MAX = MANY * BYTES };

struct source {
    const uint8_t *elements; /* [MANY * BYTES] */
    uint64_t fails_from;     /* the byte from which on it cannot be read */
    pail_status status;      /* the status of such a read */
    atomic_uint calls, failures;
    atomic_uchar asked[MANY]; /* times that each element was asked for */
};

static pail_status read_source(void *user, void *to, uint64_t offset, size_t bytes)
{
    struct source *const source = user;
    atomic_fetch_add(&source->calls, 1);
    if (bytes == 0 || offset % BYTES != 0 || bytes % BYTES != 0 || offset > ASKED_MAX ||
        bytes > ASKED_MAX - offset)
        return PAIL_ERR_INTERNAL;
    if (offset + bytes > source->fails_from) {
        atomic_fetch_add(&source->failures, 1);
        return source->status;
    }
    for (uint64_t i = offset / BYTES; i < (offset + bytes) / BYTES; i++)
        atomic_fetch_add(&source->asked[i], 1);
    memcpy(to, source->elements + offset, bytes);
    return PAIL_OK;
}

static void expect_range(const struct subject *subject, const pail_vector *vector, uint64_t offset,
                         const uint8_t *want, size_t n, uint32_t encoding)
{
    uint8_t *const got = malloc(n * BYTES);
    assert_non_null(got);
    assert_int_equal(subject->backend->vector_read(vector, got, offset, n, encoding), PAIL_OK);
    assert_memory_equal(got, want, n * BYTES);
    free(got);
}

CONFORMANCE_NEEDS(vectors_fill, vector_create)
{
    enum { OFFSET = 3 };
    uint8_t *const elements = calloc(MANY, BYTES), *const zeros = calloc(MANY, BYTES);
    struct source *const source = calloc(1, sizeof *source);
    assert_true(elements && zeros && source);
    for (size_t i = 0; i < MANY; i++)
        memcpy(elements + i * BYTES, &(uint32_t){(uint32_t)i * 2654435761u}, 4);
    source->elements = elements;
    pail_vector *vector = NULL;
    assert_int_equal(
        backend->vector_create(subject->context, &vector, PAIL_CURVE_BN254, MANY + OFFSET + 1),
        PAIL_OK);
    /* All of it, each element once, and nothing beside it. */
    for (uint32_t encoding = 0; encoding <= PAIL_ENCODING_MONTGOMERY; encoding++) {
        memset(source->asked, 0, sizeof source->asked);
        source->fails_from = UINT64_MAX;
        assert_int_equal(backend->vector_fill(vector, OFFSET, read_source, source, MANY, encoding),
                         PAIL_OK);
        expect_range(subject, vector, OFFSET, elements, MANY, encoding);
        expect_range(subject, vector, 0, zeros, OFFSET, encoding);
        expect_range(subject, vector, MANY + OFFSET, zeros, 1, encoding);
        for (size_t i = 0; i < MANY; i++)
            assert_int_equal(source->asked[i], 1);
    }
    /* A refused call changes nothing, and nothing is read. */
    source->calls = 0;
    assert_int_equal(backend->vector_fill(vector, OFFSET + 2, read_source, source, MANY, 0),
                     PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->vector_fill(vector, 0, read_source, source, 1, 5), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "5");
    assert_int_equal(backend->vector_fill(vector, 0, NULL, source, 1, 0), PAIL_ERR_ARGUMENT);
    expect_sentence(subject, "read");
    assert_int_equal(backend->vector_fill(NULL, 0, read_source, source, 1, 0), PAIL_ERR_ARGUMENT);
    assert_int_equal(backend->vector_fill(vector, 0, NULL, NULL, 0, 0), PAIL_OK);
    assert_int_equal(source->calls, 0);
    expect_range(subject, vector, OFFSET, elements, MANY, PAIL_ENCODING_MONTGOMERY);
    /* Two that are too large: the first is named, and all are zero. */
    memset(elements + 19998 * BYTES, 0xff, BYTES);
    memset(elements + 12345 * BYTES, 0xff, BYTES);
    assert_int_equal(backend->vector_fill(vector, OFFSET, read_source, source, MANY, 0),
                     PAIL_ERR_DATA);
    expect_sentence(subject, "elements[12345] is not below the order");
    expect_range(subject, vector, 0, zeros, MANY, 0);
    /* A reader that fails, in the end or at once, by a status or by a number that is none. */
    const pail_status said[] = {PAIL_ERR_IO, PAIL_ERR_HOST_MEMORY, PAIL_NOT_READY};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        source->fails_from = i == 1 ? 0 : ASKED_MAX - 5;
        source->status = said[i];
        source->failures = 0;
        assert_int_equal(backend->vector_fill(vector, OFFSET, read_source, source, MANY, 0),
                         i == 2 ? PAIL_ERR_IO : said[i]);
        expect_sentence(subject, "read");
        assert_true(source->failures >= 1);
        expect_range(subject, vector, 0, zeros, MANY, 0);
    }
    /* The vector is as usable as before. */
    source->fails_from = UINT64_MAX;
    memset(elements + 12345 * BYTES, 0, BYTES);
    assert_int_equal(backend->vector_fill(vector, 0, read_source, source, 19998, 0), PAIL_OK);
    expect_range(subject, vector, 0, elements, 19998, 0);
    backend->vector_destroy(subject->context, &vector);
    free(elements);
    free(zeros);
    free(source);
}
