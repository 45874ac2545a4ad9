/* SPDX-License-Identifier: Apache-2.0 */
/* A device that computes one kernel of vectors wrongly is refused before it gives a result, each
 * time and with one sentence that says what is wrong; what else it computes it may. The faults are
 * in plugin/faults.c, in the plugin of the tests alone. */

#include "faulty_plugin.h"
#include "field/gpu_plugin.h"
#include "support/test.h"

enum { N = 8 };

PAIL_FIXTURE(setup)
{
    return faulty_plugin_load(&plugin);
}

PAIL_FIXTURE(teardown)
{
    return faulty_plugin_close(&plugin);
}

static void close_context(void)
{
    plugin.api->context_destroy(&plugin.context);
}

/* Expects that a call is refused with this fault; NULL: that it is not. */
static void expect_status(pail_status status, const char *wrong)
{
    if (!wrong) {
        check(status);
        return;
    }
    const char *said = plugin.api->error(plugin.context);
    if (status != PAIL_ERR_UNSUPPORTED || !strstr(said, "fails its self-test") ||
        !strstr(said, wrong) || strchr(said, '\n'))
        fail_msg("status %d, not \"%s\": %s", (int)status, wrong, said);
}

static pail_matrix *matrix_of(uint32_t encoding, const char *wrong)
{
    static const uint64_t starts[N + 1] = {0, 1, 1, 1, 1, 1, 1, 1, 1};
    static const uint32_t columns[1] = {0};
    static const uint8_t values[32] = {1};
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .encoding = encoding, .n_rows = N,
              .n_columns = N, .row_starts = starts, .columns = columns, .values = values);
    pail_matrix *matrix = NULL;
    expect_status(plugin.api->matrix_create(plugin.context, &matrix, NULL, &desc), wrong);
    assert_true((matrix == NULL) == (wrong != NULL));
    return matrix;
}

/* Starts one operation; wrong: as above. */
static void start(uint32_t kind, const char *wrong)
{
    const pail_u256 root = field_root(ops_of(PAIL_CURVE_BN254), 3);
    pail_vector *a = make(PAIL_CURVE_BN254, N), *r = make(PAIL_CURVE_BN254, N);
    pail_matrix *matrix =
        kind == PAIL_VECTOR_OP_SPMV ? matrix_of(PAIL_ENCODING_MONTGOMERY, NULL) : NULL;
    pail_vector_op op =
        SIZED(pail_vector_op, .kind = kind, .n = N, .r = r, .a = a, .matrix = matrix);
    if (kind == PAIL_VECTOR_OP_BIT_REVERSE)
        op.log_n = 3;
    if (kind == PAIL_VECTOR_OP_NTT || kind == PAIL_VECTOR_OP_INTT) {
        op.log_n = 3;
        pail_u256_to_bytes(op.root, &root);
    }
    if (kind >= PAIL_VECTOR_OP_ADD && kind <= PAIL_VECTOR_OP_MUL_SUB)
        op.b = a;
    if (kind == PAIL_VECTOR_OP_MUL_SUB)
        op.c = a;
    for (uint32_t again = 0; again < 2; again++) {
        pail_pending *pending = NULL;
        expect_status(plugin.api->vector_start(plugin.context, &pending, &op, 1), wrong);
        assert_true((pending == NULL) == (wrong != NULL));
        if (pending)
            check(plugin.api->vector_finish(&pending, NULL));
    }
    plugin.api->matrix_destroy(plugin.context, &matrix);
    destroy(a);
    destroy(r);
}

/* The same of elements or points in memory, all zeros; nothing where the device has no addresses.
 */
static void start_at(uint32_t kind, uint32_t log_n, const char *wrong)
{
    enum { BYTES = N * 64 };
    const bool points =
        kind <= PAIL_VECTOR_OP_POINTS_CONVERT || kind == PAIL_VECTOR_OP_POINTS_TRUNCATE;
    const pail_u256 root = field_root(ops_of(PAIL_CURVE_BN254), log_n);
    pail_memory_info info = {.struct_size = sizeof(info)};
    pail_memory *memory = NULL;
    const pail_status made =
        plugin.api->memory_create(plugin.context, &memory, &info, PAIL_MEMORY_DEVICE, BYTES);
    if (made == PAIL_ERR_UNSUPPORTED)
        return;
    check(made);
    check(plugin.api->memory_fill(memory, 0, BYTES, 0));
    pail_vector_op op = SIZED(pail_vector_op, .kind = kind, .n = N, .curve = PAIL_CURVE_BN254,
                              .address = info.address, .to_address = info.address);
    if (points)
        op.group = PAIL_G1, op.to_encoding = PAIL_ENCODING_MONTGOMERY;
    if (kind != PAIL_VECTOR_OP_POINTS_CONVERT) {
        op.log_n = log_n;
        pail_u256_to_bytes(op.root, &root);
    }
    pail_pending *pending = NULL;
    expect_status(plugin.api->vector_start(plugin.context, &pending, &op, 1), wrong);
    assert_true((pending == NULL) == (wrong != NULL));
    if (pending)
        check(plugin.api->vector_finish(&pending, NULL));
    plugin.api->memory_destroy(plugin.context, &memory);
}

static const struct {
    const char *fault, *wrong;
    uint32_t from, to; /* kinds of operations */
} cases[] = {
    {"broken_transform", "wrong transform", PAIL_VECTOR_OP_NTT, PAIL_VECTOR_OP_INTT},
    {"broken_product", "wrong sparse product", PAIL_VECTOR_OP_SPMV, PAIL_VECTOR_OP_SPMV},
    {"broken_arithmetic", "wrong sum, difference or product", PAIL_VECTOR_OP_ADD,
     PAIL_VECTOR_OP_MUL_SUB},
    {"broken_powers", "wrong product with powers", PAIL_VECTOR_OP_POWERS, PAIL_VECTOR_OP_POWERS},
    {"broken_reversal", "wrong order", PAIL_VECTOR_OP_BIT_REVERSE, PAIL_VECTOR_OP_BIT_REVERSE},
    {"broken_points", "wrong transform of points", PAIL_VECTOR_OP_POINTS_NTT,
     PAIL_VECTOR_OP_POINTS_INTT},
    {"broken_sums", "wrong sum of points", PAIL_VECTOR_OP_POINTS_TRUNCATE,
     PAIL_VECTOR_OP_POINTS_TRUNCATE},
    {"broken_coordinates", "wrong encoding of points", PAIL_VECTOR_OP_POINTS_CONVERT,
     PAIL_VECTOR_OP_POINTS_CONVERT},
};

/* LOAD and STORE have the kernel of encodings, whose fault has a test of its own below. */
static bool of_memory(uint32_t kind)
{
    return kind == PAIL_VECTOR_OP_LOAD || kind == PAIL_VECTOR_OP_STORE;
}

/* Operations of the kinds that the fault concerns are refused, and no others. */
PAIL_TEST(test_operations)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        faulty_plugin_context(&plugin, cases[i].fault);
        for (uint32_t kind = PAIL_VECTOR_OP_NTT; kind <= PAIL_VECTOR_OP_POINTS_TRUNCATE; kind++) {
            const bool at = kind == PAIL_VECTOR_OP_NTT_AT ||
                            kind == PAIL_VECTOR_OP_INTT_AT; /* by the kernels of NTT and INTT */
            const uint32_t known = at ? kind - PAIL_VECTOR_OP_NTT_AT + PAIL_VECTOR_OP_NTT : kind;
            const char *const wrong =
                known >= cases[i].from && known <= cases[i].to ? cases[i].wrong : NULL;
            if (kind == PAIL_VECTOR_OP_POINTS_TABLE || kind == PAIL_VECTOR_OP_POINTS_SUMS)
                continue; /* the self-test of POINTS_TRUNCATE is theirs */
            if (kind > PAIL_VECTOR_OP_BIT_REVERSE)
                start_at(kind, 3, wrong);
            else if (!of_memory(kind))
                start(kind, wrong);
        }
        close_context();
    }
}

/* Transforms of 2^log_n elements, n in all, there and back; wrong: as above. */
static void start_transforms(uint32_t log_n, uint64_t n, const char *wrong)
{
    const pail_u256 root = field_root(ops_of(PAIL_CURVE_BN254), log_n);
    pail_vector *a = make(PAIL_CURVE_BN254, n);
    for (uint32_t kind = PAIL_VECTOR_OP_NTT; kind <= PAIL_VECTOR_OP_INTT; kind++) {
        pail_vector_op op =
            SIZED(pail_vector_op, .kind = kind, .log_n = log_n, .n = n, .r = a, .a = a);
        pail_pending *pending = NULL;
        pail_u256_to_bytes(op.root, &root);
        expect_status(plugin.api->vector_start(plugin.context, &pending, &op, 1), wrong);
        assert_true((pending == NULL) == (wrong != NULL));
        if (pending)
            check(plugin.api->vector_finish(&pending, NULL));
    }
    destroy(a);
}

/* Only those are refused that take the broken workgroups: of 2^9 elements where there are many or a
 * column has as many, of 2^10 where a column has. */
PAIL_TEST(test_workgroups)
{
    static const char wrong[] = "wrong transform";
    static const struct {
        const char *fault;
        uint32_t log_n, log_all;
        bool refused;
    } transforms[] = {
        {"broken_many", 3, 3, false},       {"broken_many", 11, 11, false},
        {"broken_many", 11, 16, false},     {"broken_many", 11, 17, true},
        {"broken_many", 17, 17, true},      {"broken_many", 9, 9, true},
        {"broken_many", 10, 17, false},     {"broken_long", 11, 11, false},
        {"broken_long", 11, 17, false},     {"broken_long", 17, 17, false},
        {"broken_long", 10, 10, true},      {"broken_long", 10, 17, true},
        {"harmless_control", 3, 17, false},
    };
    for (size_t i = 0; i < sizeof(transforms) / sizeof(transforms[0]); i++) {
        if (i == 0 || strcmp(transforms[i].fault, transforms[i - 1].fault) != 0) {
            if (i)
                close_context();
            faulty_plugin_context(&plugin, transforms[i].fault);
        }
        print_message("%s, 2^%u, 2^%u in all\n", transforms[i].fault, transforms[i].log_n,
                      transforms[i].log_all);
        start_transforms(transforms[i].log_n, UINT64_C(1) << transforms[i].log_all,
                         transforms[i].refused ? wrong : NULL);
    }
    close_context();
}

static pail_status give_zeros(void *user, void *to, uint64_t offset, size_t bytes)
{
    (void)user;
    (void)offset;
    memset(to, 0, bytes);
    return PAIL_OK;
}

/* Nothing that is canonical goes in or out; every operation needs it for its test. */
PAIL_TEST(test_encodings)
{
    static const char wrong[] = "wrong encoding";
    static const uint8_t zeros[32 * N];
    uint8_t out[32 * N];
    faulty_plugin_context(&plugin, "broken_encoding");
    pail_vector *a = make(PAIL_CURVE_BN254, N);
    expect_status(plugin.api->vector_write(a, 0, zeros, N, PAIL_ENCODING_CANONICAL), wrong);
    expect_status(plugin.api->vector_fill(a, 0, give_zeros, NULL, N, PAIL_ENCODING_CANONICAL),
                  wrong);
    memset(out, 0xa5, sizeof(out));
    expect_status(plugin.api->vector_read(a, out, 0, N, PAIL_ENCODING_CANONICAL), wrong);
    assert_memory_equal(out, zeros, sizeof(out));
    expect_status(plugin.api->vector_write(a, 0, zeros, N, PAIL_ENCODING_MONTGOMERY), NULL);
    expect_status(plugin.api->vector_read(a, out, 0, N, PAIL_ENCODING_MONTGOMERY), NULL);
    assert_null(matrix_of(PAIL_ENCODING_CANONICAL, wrong));
    start(PAIL_VECTOR_OP_ADD, wrong);
    start(PAIL_VECTOR_OP_COPY, NULL);
    start_at(PAIL_VECTOR_OP_NTT_AT, 0, wrong); /* elements are reduced */
    destroy(a);
    close_context();
}

PAIL_TEST(test_no_fault)
{
    static const char *const faults[] = {"", "harmless_control"};
    for (size_t i = 0; i < 2; i++) {
        faulty_plugin_context(&plugin, faults[i]);
        for (uint32_t kind = PAIL_VECTOR_OP_NTT; kind <= PAIL_VECTOR_OP_BIT_REVERSE; kind++)
            if (!of_memory(kind))
                start(kind, NULL);
        close_context();
    }
}

PAIL_TEST_GROUP(setup, teardown)
