/* Sentences about arguments that are refused: the same words by every backend. */
#include "conformance.h"
#include "support/test.h"

enum { N = 8, BYTES = PAIL_SCALAR_BYTES };

/* r - 1 of BN254, which is -1: the root of order 2. */
static const uint8_t minus_one[BYTES] = {
    0x00, 0x00, 0x00, 0xf0, 0x93, 0xf5, 0xe1, 0x43, 0x91, 0x70, 0xb9, 0x79, 0x48, 0xe8, 0x33, 0x28,
    0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30};

/* want: the sentence or, with "..." at its end, how it begins. */
static void expect_exactly(const struct subject *subject, const char *want)
{
    const char *said = subject->backend->error(subject->context);
    const char *const end = subject->own != NULL ? strstr(said, "): ") : NULL;
    if (end != NULL) /* one of several devices is named before what it says */
        said = end + 3;
    const char *const open = strstr(want, "...");
    if (open != NULL ? strncmp(said, want, (size_t)(open - want)) : strcmp(said, want))
        fail_msg("%s: \"%s\" and not \"%s\"", subject->backend->name, said, want);
}

static pail_vector *make(const struct subject *subject, pail_context *context, uint32_t curve)
{
    pail_vector *vector = NULL;
    if (subject->backend->vector_create(context, &vector, curve, N) != PAIL_OK)
        fail_msg("%s", subject->backend->error(context));
    return vector;
}

static void refused(const struct subject *subject, const pail_vector_op *op, const char *sentence)
{
    pail_pending *pending = (pail_pending *)(uintptr_t)op;
    assert_int_equal(subject->backend->vector_start(subject->context, &pending, op, 1),
                     PAIL_ERR_ARGUMENT);
    assert_null(pending);
    expect_exactly(subject, sentence);
}

/* An operation that is right but for one member. */
#define REFUSED(good, change, sentence)                                                            \
    do {                                                                                           \
        pail_vector_op changed = good;                                                             \
        changed.change;                                                                            \
        refused(subject, &changed, sentence);                                                      \
    } while (0)

static void check_operands(const struct subject *subject, const pail_vector_op *good,
                           pail_vector *other_curve, pail_vector *other_context)
{
    pail_vector_op op = *good;
    op.kind = 99;
    refused(subject, &op, "ops[0].kind is 99, which is none");
    REFUSED(*good, kind = 0, "ops[0].kind is 0, which is none");
    REFUSED(*good, flags = 6, "ops[0].flags is 0x6; kind 4, add, knows 0x0");
    REFUSED(*good, r = NULL, "ops[0].r is NULL");
    REFUSED(*good, b = NULL, "ops[0].b is NULL");
    REFUSED(*good, c = good->a, "ops[0].c is set, but kind 4, add, has no such operand");
    REFUSED(*good, r = other_context, "ops[0].r belongs to another context");
    REFUSED(*good, a = other_context, "ops[0].a belongs to another context");
    REFUSED(*good, b = other_curve, "ops[0].b is of bls12_381, but ops[0].r of bn254");
    REFUSED(*good, r_offset = 6, "ops[0].r: elements 6 to 6 + 4 are asked for; there are 8");
    REFUSED(*good, a_offset = UINT64_MAX,
            "ops[0].a: elements 18446744073709551615 to 18446744073709551615 + 4 are asked for; "
            "there are 8");
    op = *good;
    op.a = op.r;
    op.a_offset = 3;
    refused(subject, &op, "ops[0].a, from 3 to 3 + 4, overlaps ops[0].r, from 0 to 0 + 4");
}

static void check_transforms(const struct subject *subject, const pail_vector_op *add)
{
    pail_vector_op good = *add;
    good.kind = PAIL_VECTOR_OP_NTT;
    good.b = NULL;
    good.log_n = 1;
    memcpy(good.root, minus_one, BYTES);
    pail_vector_op op = good;
    op.flags = 4;
    refused(subject, &op, "ops[0].flags is 0x4; kind 1, ntt, knows 0x1");
    REFUSED(good, log_n = 33, "ops[0].log_n is 33; at most 28");
    REFUSED(good, n = 3, "ops[0].n is 3, no multiple of 2^1");
    REFUSED(good, log_n = 2, "ops[0].root is not of order 2^2");
    op = good;
    memset(op.root, 0xff, BYTES);
    refused(subject, &op, "ops[0].root is not below the order of bn254");
    op = good;
    memset(op.shift, 0xff, BYTES);
    refused(subject, &op, "ops[0].shift is not below the order of bn254");
    op = good;
    op.kind = PAIL_VECTOR_OP_POWERS;
    memset(op.shift, 0xff, BYTES);
    refused(subject, &op, "ops[0].shift is not below the order of bn254");
    memset(op.shift, 0, BYTES);
    memset(op.scale, 0xff, BYTES);
    refused(subject, &op, "ops[0].scale is not below the order of bn254");
}

static void check_products(const struct subject *subject, const pail_vector_op *add)
{
    const uint64_t starts[] = {0, 0, 0};
    const pail_matrix_desc desc = {.struct_size = sizeof desc,
                                   .curve = PAIL_CURVE_BN254,
                                   .n_rows = 2,
                                   .n_columns = N,
                                   .row_starts = starts};
    pail_matrix *matrix = NULL;
    assert_int_equal(subject->backend->matrix_create(subject->context, &matrix, NULL, &desc),
                     PAIL_OK);
    pail_vector_op op = *add;
    op.matrix = matrix;
    refused(subject, &op, "ops[0].matrix is set, but kind 4, add, has none");
    op.kind = PAIL_VECTOR_OP_SPMV;
    op.b = NULL;
    refused(subject, &op, "ops[0].n is 4; the matrix has 2 rows");
    op.n = 2;
    op.a_offset = 1;
    refused(subject, &op, "ops[0].a: elements 1 to 1 + 8 are asked for; there are 8");
    op.a_offset = 0;
    op.a = op.r;
    refused(subject, &op, "ops[0].a, from 0 to 0 + 8, overlaps ops[0].r, from 0 to 0 + 2");
    op.matrix = NULL;
    refused(subject, &op, "ops[0].matrix is NULL");
    subject->backend->matrix_destroy(subject->context, &matrix);
}

static void refuse_matrix(const struct subject *subject, const pail_matrix_desc *desc,
                          pail_status status, uint64_t place, const char *sentence)
{
    pail_matrix *matrix = (pail_matrix *)(uintptr_t)desc;
    uint64_t bad = 7;
    assert_int_equal(subject->backend->matrix_create(subject->context, &matrix, &bad, desc),
                     status);
    assert_null(matrix);
    assert_true(bad == place);
    expect_exactly(subject, sentence);
}

static void check_matrices(const struct subject *subject)
{
    uint64_t starts[] = {0, 2, 3};
    uint32_t columns[] = {0, 7, 1};
    uint8_t values[3 * BYTES] = {1};
    pail_matrix_desc desc = {.struct_size = sizeof desc,
                             .curve = PAIL_CURVE_BN254,
                             .n_rows = 2,
                             .n_columns = N,
                             .row_starts = starts,
                             .columns = columns,
                             .values = values};
    starts[0] = 1;
    refuse_matrix(subject, &desc, PAIL_ERR_DATA, 0, "desc->row_starts[0] is 1; it has to be 0");
    starts[0] = 0;
    starts[1] = 4;
    refuse_matrix(subject, &desc, PAIL_ERR_DATA, 2,
                  "desc->row_starts[2] is 3, less than the 4 before it");
    starts[1] = 2;
    columns[1] = N;
    refuse_matrix(subject, &desc, PAIL_ERR_DATA, 1, "desc->columns[1] is 8; there are 8 columns");
    columns[1] = 0;
    memset(values + 2 * BYTES, 0xff, BYTES);
    refuse_matrix(subject, &desc, PAIL_ERR_DATA, 2,
                  "desc->values[2] is not below the order of bn254");
    desc.values = NULL;
    refuse_matrix(subject, &desc, PAIL_ERR_ARGUMENT, UINT64_MAX,
                  "desc->values is NULL, but there are 3 entries");
    desc.encoding = 9;
    refuse_matrix(subject, &desc, PAIL_ERR_ARGUMENT, UINT64_MAX,
                  "desc->encoding is 9, which is none");
    desc.encoding = PAIL_ENCODING_CANONICAL;
    desc.row_starts = NULL;
    refuse_matrix(subject, &desc, PAIL_ERR_ARGUMENT, UINT64_MAX, "desc->row_starts is NULL");
    desc.n_rows = UINT64_C(1) << 32;
    refuse_matrix(subject, &desc, PAIL_ERR_ARGUMENT, UINT64_MAX,
                  "desc->n_rows is 4294967296; it has to be below 2^32");
}

static void check_copies(const struct subject *subject, pail_vector *vector)
{
    const pail_backend *const backend = subject->backend;
    uint8_t elements[2 * BYTES] = {1};
    memset(elements + BYTES, 0xff, BYTES);
    assert_int_equal(backend->vector_write(vector, 0, elements, 2, PAIL_ENCODING_CANONICAL),
                     PAIL_ERR_DATA);
    expect_exactly(subject, "elements[1] is not below the order of bn254");
    assert_int_equal(backend->vector_write(vector, 7, elements, 2, PAIL_ENCODING_CANONICAL),
                     PAIL_ERR_ARGUMENT);
    expect_exactly(subject, "vector: elements 7 to 7 + 2 are asked for; there are 8");
    assert_int_equal(backend->vector_write(vector, 0, elements, 1, 5), PAIL_ERR_ARGUMENT);
    expect_exactly(subject, "encoding is 5, which is none");
    assert_int_equal(backend->vector_read(vector, NULL, 0, 3, PAIL_ENCODING_CANONICAL),
                     PAIL_ERR_ARGUMENT);
    expect_exactly(subject, "elements is NULL, but n is 3");
    assert_int_equal(backend->vector_read(vector, elements, 9, 0, PAIL_ENCODING_CANONICAL),
                     PAIL_ERR_ARGUMENT);
    expect_exactly(subject, "vector: elements 9 to 9 + 0 are asked for; there are 8");
}

void vectors_are_refused_in_the_same_words(void **state)
{
    const struct subject *const subject = *state;
    const pail_backend *const backend = subject->backend;
    if (!PAIL_HAS(backend, vector_create))
        SKIP_BECAUSE("the backend has no vectors");
    const pail_context_params params = {.struct_size = sizeof params, .device = PAIL_DEVICE_BEST};
    pail_context *context = NULL;
    assert_int_equal(backend->context_create(subject->host, &context, &params), PAIL_OK);
    pail_vector *r = make(subject, subject->context, PAIL_CURVE_BN254);
    pail_vector *a = make(subject, subject->context, PAIL_CURVE_BN254);
    pail_vector *other_curve = make(subject, subject->context, PAIL_CURVE_BLS12_381);
    pail_vector *other_context = make(subject, context, PAIL_CURVE_BN254);
    const pail_vector_op add = {
        .struct_size = sizeof add, .kind = PAIL_VECTOR_OP_ADD, .r = r, .a = a, .b = a, .n = 4};
    check_operands(subject, &add, other_curve, other_context);
    check_transforms(subject, &add);
    check_products(subject, &add);
    check_matrices(subject);
    check_copies(subject, a);
    backend->vector_destroy(context, &other_context);
    backend->vector_destroy(subject->context, &other_curve);
    backend->vector_destroy(subject->context, &a);
    backend->vector_destroy(subject->context, &r);
    backend->context_destroy(&context);
}

/* A multiplication that is right but for one member of its job or of its configuration. */
struct multiplication {
    pail_msm_job job;
    pail_msm_config config;
};

static void refuse_start(const struct subject *subject, const struct multiplication *m,
                         const char *sentence)
{
    pail_pending *pending = NULL;
    if (subject->backend->msm_start(subject->context, &pending, &m->job, 1, &m->config) == PAIL_OK)
        fail_msg("%s: not refused: %s", subject->backend->name, sentence);
    assert_null(pending);
    expect_exactly(subject, sentence);
}

#define REFUSED_START(change, sentence)                                                            \
    do {                                                                                           \
        struct multiplication m = good;                                                            \
        m.change;                                                                                  \
        refuse_start(subject, &m, sentence);                                                       \
    } while (0)

static void refuse_bases(const struct subject *subject, const pail_bases_desc *desc,
                         const char *sentence)
{
    pail_bases *bases = NULL;
    if (subject->backend->bases_create(subject->context, &bases, NULL, desc) == PAIL_OK)
        fail_msg("%s: not refused: %s", subject->backend->name, sentence);
    assert_null(bases);
    expect_exactly(subject, sentence);
}

#define REFUSED_BASES(change, sentence)                                                            \
    do {                                                                                           \
        pail_bases_desc changed = good;                                                            \
        changed.change;                                                                            \
        refuse_bases(subject, &changed, sentence);                                                 \
    } while (0)

static pail_status read_nothing(void *user, void *to, uint64_t offset, size_t bytes)
{
    (void)user;
    (void)to;
    (void)offset;
    (void)bytes;
    return PAIL_ERR_IO;
}

static void check_sets(const struct subject *subject)
{
    const uint8_t off[64] = {0x2a, 1}; /* no point has this x and y = 0 */
    const pail_bases_desc good = {.struct_size = sizeof good,
                                  .curve = PAIL_CURVE_BN254,
                                  .group = PAIL_G1,
                                  .validation = PAIL_VALIDATE_CURVE,
                                  .points = off,
                                  .n_points = 1};
    REFUSED_BASES(encoding = 9, "desc->encoding is 9, which is none");
    REFUSED_BASES(validation = 9, "desc->validation is 9, which is none");
    REFUSED_BASES(residency = 9, "desc->residency is 9, which is none");
    REFUSED_BASES(flags = 6, "desc->flags is 0x6; only 0x1 is known");
    REFUSED_BASES(stride = 63, "desc->stride is 63; a point has 64 bytes");
    REFUSED_BASES(infinity_byte = 65, "desc->infinity_byte is 65, beyond the stride of 64 bytes");
    REFUSED_BASES(read_points = read_nothing, "desc->points and desc->read_points are both given");
    REFUSED_BASES(points = NULL,
                  "desc->points and desc->read_points are NULL, but desc->n_points is 1");
    REFUSED_BASES(n_points = SIZE_MAX,
                  "desc->n_points is 18446744073709551615 and desc->stride 0: more than an address "
                  "space");
    refuse_bases(
        subject, &good,
        "point 0 (x = 0x000000000000000000000000000000000000000000000000000000000000012a as "
        "given) is not on bn254 g1");
}

void multiplications_are_refused_in_the_same_words(void **state)
{
    const struct subject *const subject = *state;
    static const uint8_t scalars[4][BYTES] = {{1}, {2}, {3}, {4}};
    pail_bases *bases = make_bases(subject, 4);
    const struct multiplication good = {
        .job = {.struct_size = sizeof good.job, .bases = bases, .scalars = scalars, .n = 4},
        .config = {.struct_size = sizeof good.config}};
    REFUSED_START(job.bases = NULL, "jobs[0].bases is NULL");
    REFUSED_START(job.base_offset = 1, "jobs[0] wants bases 1 to 1 + 4; there are 4");
    REFUSED_START(job.scalar_encoding = 9, "jobs[0].scalar_encoding is 9, which is none");
    REFUSED_START(job.scalar_bits = 257, "jobs[0].scalar_bits is 257; at most 256");
    REFUSED_START(job.scalars = NULL, "jobs[0].scalars is NULL, but n is 4");
    if (subject->own == NULL) /* one of several devices counts from the first scalar of its part */
        REFUSED_START(job.scalar_bits = 2,
                      "jobs[0].scalars[3] is not below 2^2, as scalar_bits says");
    REFUSED_START(job.scalar_location = PAIL_LOCATION_VECTOR,
                  "jobs[0].scalars is set, but scalars come from a vector");
    REFUSED_START(config.flags = 0x80, "config->flags is 0x80; only 0x3 is known");
    REFUSED_START(config.threads = 16777217, "config->threads is 16777217; at most 16777216");
    REFUSED_START(config.prefix_placement = 9, "config->prefix_placement is 9, which is none");
    REFUSED_START(config.window_bits = 23, "config->window_bits is 23; the ...");
    REFUSED_START(config.accumulator = 9, "config->accumulator is 9; the ...");
    REFUSED_START(config.field = 9, "config->field is 9; the ...");
    REFUSED_START(config.slots = 33, "config->slots is 33; ...");
    REFUSED_START(config.workgroup = 1u << 30, "config->workgroup is 1073741824; ...");
    REFUSED_START(config.inversion_group = 3, "config->inversion_group is 3; ...");
    REFUSED_START(config.memory_budget = 1, "config->memory_budget is 1; at least ...");
    subject->backend->bases_destroy(subject->context, &bases);
    check_sets(subject);
}
