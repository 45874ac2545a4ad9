/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars are witnesses, and so are vectors: when a multiplication is over, and the caller has
 * wiped its own copy, none is left in the memory of the process: not after msm_finish, not when
 * bases, contexts and libraries are gone. Software drivers keep device memory there as well. */
#include "backends.h"
#include "scan.h"

#include <curves/curve_ops.h>
#include <curves/scalar.h>
#include <platform/memory.h>

#include "support/test.h"

/* Multiples of the generator of BN254 G1, affine, canonical. */
static const uint8_t g1_generator[64] = {[0] = 1, [32] = 2};
static const uint8_t g1_times_2[64] = {
    0xd3, 0xcf, 0x87, 0x6d, 0xc1, 0x08, 0xc2, 0xd3, 0xa8, 0x1c, 0x87, 0x16, 0xa9, 0x16, 0x78, 0xd9,
    0x85, 0x15, 0x18, 0x68, 0x5b, 0x04, 0x85, 0x9b, 0x02, 0x1a, 0x13, 0x2e, 0xe7, 0x44, 0x06, 0x03,
    0xc4, 0xa2, 0x18, 0x5a, 0x7a, 0xbf, 0x3e, 0xff, 0xc7, 0x8f, 0x53, 0xe3, 0x49, 0xa4, 0xa6, 0x68,
    0x0a, 0x9c, 0xae, 0xb2, 0x96, 0x5f, 0x84, 0xe7, 0x92, 0x7c, 0x0a, 0x0e, 0x8c, 0x73, 0xed, 0x15};

enum { SMALL = 70, MIDDLE = 2000 };

/* A backend with a context and points, every third of them infinity where they are wanted. */
struct scene {
    struct scan scan;
    struct opened opened;
    struct counting_host counting;
    const pail_backend *backend;
    char name[32]; /* the backend's, which outlives it */
    pail_context *context;
    pail_bases *bases;
    size_t n;
    uint8_t *scalars;  /* [n][32], the caller's */
    size_t montgomery; /* number of the secret that is given in Montgomery form */
};

struct how {
    const char *name;
    size_t n, jobs;
    uint32_t encoding, residency, kind; /* kind: pail_memory_kind, 0: host memory */
    uint32_t bits;                      /* promised, and not kept */
    bool infinities, abandoned;
    bool debug; /* halves of scalars, and two chunks, for any number of points */
};

static void check(const struct scene *s, const char *how, const char *when)
{
    char text[128];
    (void)snprintf(text, sizeof text, "%s, %s, %s", s->name, how, when);
    const size_t found = scan_count(&s->scan, text);
    if (found)
        fail_msg("%s: %zu copies of secrets", text, found);
}

static void make_secrets(struct scene *s)
{
    uint8_t plain[SCAN_SECRET_BYTES];
    pail_u256 scalar;
    scan_begin(&s->scan);
    (void)scan_make(&s->scan);
    (void)scan_make(&s->scan);
    /* A scalar in Montgomery form, and its value. */
    s->montgomery = scan_make(&s->scan);
    scan_reveal(&s->scan, s->montgomery, plain);
    pail_u256_from_bytes(&scalar, plain);
    pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1)->scalar_from_montgomery(&scalar, &scalar);
    pail_u256_to_bytes(plain, &scalar);
    pail_wipe(&scalar, sizeof scalar);
    (void)scan_add(&s->scan, plain);
    pail_wipe_stack();
}

/* PAIL_DEBUG of the environment, and more words. */
static void set_debug(const char *given, const char *more)
{
    char words[256];
    (void)snprintf(words, sizeof words, "%s%s%s", given, given[0] && more[0] ? "," : "", more);
    assert_int_equal(setenv("PAIL_DEBUG", words, 1), 0);
}

static void open_context(struct scene *s, const char *path)
{
    const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
    s->opened = backends_open(path);
    backends_host_init(&s->counting);
    assert_int_equal(s->opened.open(&s->counting.host, &s->backend), PAIL_OK);
    (void)snprintf(s->name, sizeof s->name, "%s", s->backend->name);
    if (s->backend->context_create(&s->counting.host, &s->context, &params) != PAIL_OK)
        SKIP_BECAUSE(s->backend->error(NULL));
}

static void close_context(struct scene *s)
{
    s->backend->context_destroy(&s->context);
    check(s, "all", "after context_destroy");
    assert_int_equal(s->counting.complaints, 0);
    backends_close(&s->opened);
    check(s, "all", "after the library was closed");
}

static void make_points_and_scalars(struct scene *s, const struct how *how)
{
    s->n = how->n;
    uint8_t *points = calloc(s->n, 64);
    s->scalars = calloc(s->n, 32);
    assert_true(points && s->scalars);
    for (size_t i = 0; i < s->n; i++)
        if (!how->infinities || i % 3)
            memcpy(points + 64 * i, i % 2 ? g1_times_2 : g1_generator, 64);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1, .points = points,
              .n_points = s->n, .residency = how->residency);
    if (s->backend->bases_create(s->context, &s->bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", s->backend->error(s->context));
    free(points);
    for (size_t i = 0; i < s->n; i++)
        scan_reveal(&s->scan, how->encoding == PAIL_ENCODING_MONTGOMERY ? s->montgomery : i / 5 % 2,
                    s->scalars + 32 * i);
}

/* Scalars in memory of the backend; false where it has none. */
static bool move_scalars(struct scene *s, const struct how *how, pail_memory **memory,
                         uint64_t *address)
{
    pail_memory_info info = {.struct_size = sizeof info};
    if (!PAIL_HAS(s->backend, memory_create) ||
        s->backend->memory_create(s->context, memory, &info, how->kind, 32 * s->n) != PAIL_OK)
        return false;
    assert_int_equal(s->backend->memory_write(*memory, 0, s->scalars, 32 * s->n), PAIL_OK);
    *address = info.address;
    return true;
}

/* Reads what was written, as a host that moves its scalars would. */
static void read_back(struct scene *s, pail_memory *memory)
{
    uint8_t *back = calloc(s->n, 32);
    assert_non_null(back);
    assert_int_equal(s->backend->memory_read(memory, back, 0, 32 * s->n), PAIL_OK);
    assert_memory_equal(back, s->scalars, 32 * s->n);
    pail_wipe(back, 32 * s->n);
    free(back);
}

static void start_and_end(struct scene *s, const struct how *how, uint64_t address)
{
    enum { JOBS_MOST = 3 };
    pail_pending *pending = NULL;
    pail_msm_job jobs[JOBS_MOST];
    pail_msm_result results[JOBS_MOST];
    const size_t n_jobs = how->jobs ? how->jobs : 1, n = s->n / n_jobs;
    for (size_t i = 0; i < n_jobs; i++) {
        uint8_t *host = s->scalars + 32 * n * i;
        jobs[i] = (pail_msm_job){
            .struct_size = sizeof jobs[i],
            .bases = s->bases,
            .base_offset = n * i,
            .n = n,
            .scalar_encoding = how->encoding,
            .scalar_bits = how->bits,
            .scalars = address ? (void *)(uintptr_t)(address + 32 * n * i) : host,
            .scalar_location = address ? PAIL_LOCATION_DEVICE_ADDRESS : PAIL_LOCATION_HOST,
        };
        results[i] = (pail_msm_result){.struct_size = sizeof results[i]};
    }
    const pail_status status = s->backend->msm_start(s->context, &pending, jobs, n_jobs, NULL);
    pail_wipe(s->scalars, 32 * s->n);
    if (how->bits && status != PAIL_OK) {
        assert_int_equal(status, PAIL_ERR_DATA);
        return;
    }
    if (status != PAIL_OK)
        fail_msg("%s", s->backend->error(s->context));
    if (how->abandoned)
        s->backend->pending_abandon(&pending);
    else
        assert_int_equal(s->backend->msm_finish(&pending, results, n_jobs, NULL),
                         how->bits ? PAIL_ERR_DATA : PAIL_OK);
}

static const struct how ways[] = {
    {.name = "few scalars", .n = SMALL},
    {.name = "many scalars", .n = MIDDLE},
    {.name = "Montgomery form", .n = SMALL, .encoding = PAIL_ENCODING_MONTGOMERY},
    {.name = "infinities", .n = MIDDLE, .infinities = true},
    {.name = "three jobs", .n = 3 * SMALL, .jobs = 3},
    {.name = "streamed points", .n = MIDDLE, .residency = PAIL_RESIDENCY_HOST},
    {.name = "streamed points, abandoned",
     .n = MIDDLE,
     .residency = PAIL_RESIDENCY_HOST,
     .abandoned = true},
    {.name = "abandoned", .n = MIDDLE, .abandoned = true},
    {.name = "a promise that is not kept", .n = SMALL, .bits = 100},
    {.name = "pinned memory", .n = MIDDLE, .kind = PAIL_MEMORY_HOST},
    {.name = "device memory", .n = MIDDLE, .kind = PAIL_MEMORY_DEVICE},
    {.name = "device memory and a promise that is not kept",
     .n = SMALL,
     .kind = PAIL_MEMORY_DEVICE,
     .bits = 100},
    {.name = "halves", .n = SMALL, .debug = true, .infinities = true},
    {.name = "scalars sent while there is work", .n = MIDDLE, .debug = true},
    {.name = "the same, abandoned", .n = MIDDLE, .debug = true, .abandoned = true},
    {.name = "pinned memory, sent while there is work",
     .n = MIDDLE,
     .kind = PAIL_MEMORY_HOST,
     .debug = true},
};

static void run(struct scene *s, const struct how *how)
{
    pail_memory *memory = NULL;
    uint64_t address = 0;
    make_points_and_scalars(s, how);
    /* The search finds what is there. */
    assert_true(scan_count(&s->scan, NULL) >= s->n);
    if (!how->kind || move_scalars(s, how, &memory, &address)) {
        if (memory)
            read_back(s, memory);
        start_and_end(s, how, address);
        if (memory)
            s->backend->memory_destroy(s->context, &memory);
        check(s, how->name, "after msm_finish");
    }
    pail_wipe(s->scalars, 32 * s->n);
    free(s->scalars);
    s->backend->bases_destroy(s->context, &s->bases);
    check(s, how->name, "after bases_destroy");
}

/* ---- Results --------------------------------------------------------------------------------- */
/* Scalars are 2^POWER, so that the sum is no small multiple: self-tests make those of the
 * generator. */
enum { POWER = 11 };

/* x of 3 2^POWER times the generator, as results have it and in Montgomery form. */
static void make_sum(struct scan *scan)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    uint8_t bytes[2 * SCAN_SECRET_BYTES];
    pail_affine affine;
    pail_point sum;
    scan_begin(scan);
    assert_true(ops->decode(&affine, g1_times_2, false));
    ops->from_affine(&sum, &affine);
    assert_true(ops->decode(&affine, g1_generator, false));
    ops->add_affine(&sum, &sum, &affine);
    ops->dbl_times(&sum, &sum, POWER);
    ops->to_affine(&affine, &sum);
    for (int montgomery = 0; montgomery < 2; montgomery++) {
        ops->encode(bytes, &affine, montgomery);
        (void)scan_add(scan, bytes);
    }
    pail_wipe(bytes, sizeof bytes);
    pail_wipe(&affine, sizeof affine);
    pail_wipe(&sum, sizeof sum);
    pail_wipe_stack();
}

/* A sum is secret: whoever finds it can test a guess of the scalars. */
static void run_sum(struct scene *s)
{
    struct scan scan;
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof result};
    make_sum(&scan);
    make_points_and_scalars(s, &(struct how){.n = 2});
    for (size_t i = 0; i < 2; i++) {
        pail_wipe(s->scalars + 32 * i, 32);
        s->scalars[32 * i + POWER / 8] = 1 << POWER % 8;
    }
    const pail_msm_job job = SIZED(pail_msm_job, .bases = s->bases, .scalars = s->scalars, .n = 2);
    if (s->backend->msm_start(s->context, &pending, &job, 1, NULL) != PAIL_OK ||
        s->backend->msm_finish(&pending, &result, 1, NULL) != PAIL_OK)
        fail_msg("%s", s->backend->error(s->context));
    assert_true(scan_count(&scan, NULL) > 0); /* it is the sum */
    pail_wipe(&result, sizeof result);
    assert_int_equal(scan_count(&scan, s->name), 0);
    scan_end(&scan);
    free(s->scalars);
    s->backend->bases_destroy(s->context, &s->bases);
}

/* ---- Vectors --------------------------------------------------------------------------------- */
/* Entries of a row, more than a product adds up at a time: sums of pieces lie in between. */
enum { ROWS = 20, ROW = 40 };

struct vectors {
    pail_vector *a, *b;
    pail_matrix *first; /* each row of the product is element 0 */
};

static void write_vectors(struct scene *s, struct vectors *v, uint32_t encoding)
{
    pail_vector **both[] = {&v->a, &v->b};
    s->n = MIDDLE;
    s->scalars = calloc(s->n, 32);
    assert_non_null(s->scalars);
    /* The value of a Montgomery form is the secret after it. */
    for (size_t i = 0; i < s->n; i++)
        scan_reveal(&s->scan, s->montgomery + (encoding == PAIL_ENCODING_CANONICAL),
                    s->scalars + 32 * i);
    assert_true(scan_count(&s->scan, NULL) >= s->n);
    for (size_t i = 0; i < 2; i++)
        if (s->backend->vector_create(s->context, both[i], PAIL_CURVE_BN254, s->n) != PAIL_OK ||
            s->backend->vector_write(*both[i], 0, s->scalars, s->n, encoding) != PAIL_OK)
            fail_msg("%s", s->backend->error(s->context));
}

static void make_matrix(struct scene *s, struct vectors *v)
{
    uint64_t starts[ROWS + 1];
    uint32_t columns[ROWS * ROW];
    static uint8_t values[32 * ROWS * ROW];
    for (uint32_t i = 0; i < ROWS * ROW; i++) {
        columns[i] = i % ROW;
        values[32 * i] = i % ROW == 0;
    }
    for (uint32_t i = 0; i <= ROWS; i++)
        starts[i] = i * ROW;
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .n_rows = ROWS, .n_columns = ROW,
              .row_starts = starts, .columns = columns, .values = values);
    if (s->backend->matrix_create(s->context, &v->first, NULL, &desc) != PAIL_OK)
        fail_msg("%s", s->backend->error(s->context));
}

/* -1, the root of order 2: the number that is one less than the order. */
static void put_root(pail_vector_op *op)
{
    pail_u256 root = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1)->order;
    root.l[0]--;
    pail_u256_to_bytes(op->root, &root);
}

/* Transforms there and back, differences, products by 1, a sparse product with sums in scratch, and
 * a multiplication. */
static void compute(struct scene *s, struct vectors *v, bool abandoned)
{
    const pail_vector_op there = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_NTT, .log_n = 1,
                                       .r = v->b, .a = v->a, .n = s->n);
    pail_vector_op ops[5] = {there, there, there, there, there};
    put_root(&ops[0]);
    put_root(&ops[1]);
    ops[1].kind = PAIL_VECTOR_OP_INTT;
    ops[1].a = v->b;
    ops[2].kind = PAIL_VECTOR_OP_POWERS;
    ops[2].shift[0] = ops[2].scale[0] = 1;
    ops[3].kind = PAIL_VECTOR_OP_SUB;
    ops[3].r = v->a;
    ops[3].b = v->b;
    ops[4].kind = PAIL_VECTOR_OP_SPMV;
    ops[4].r = v->a;
    ops[4].a = v->b;
    ops[4].n = ROWS;
    ops[4].matrix = v->first;
    ops[2].log_n = ops[3].log_n = ops[4].log_n = 0;
    pail_pending *pending = NULL, *sum = NULL;
    if (s->backend->vector_start(s->context, &pending, ops, 5) != PAIL_OK)
        fail_msg("%s", s->backend->error(s->context));
    const pail_msm_job job = SIZED(pail_msm_job, .scalar_location = PAIL_LOCATION_VECTOR,
                                   .scalar_vector = v->b, .bases = s->bases, .n = SMALL);
    pail_msm_result result = {.struct_size = sizeof result};
    if (s->backend->msm_start(s->context, &sum, &job, 1, NULL) != PAIL_OK)
        fail_msg("%s", s->backend->error(s->context));
    if (abandoned) {
        s->backend->pending_abandon(&pending);
        s->backend->pending_abandon(&sum);
        return;
    }
    assert_int_equal(s->backend->vector_finish(&pending, NULL), PAIL_OK);
    assert_int_equal(s->backend->msm_finish(&sum, &result, 1, NULL), PAIL_OK);
}

static void run_vectors(struct scene *s, uint32_t encoding, bool abandoned)
{
    const char *how = abandoned ? "vectors, abandoned" : "vectors";
    struct vectors v = {NULL, NULL, NULL};
    if (!PAIL_HAS(s->backend, vector_create))
        return;
    make_points_and_scalars(s, &(struct how){.n = SMALL});
    pail_wipe(s->scalars, 32 * s->n);
    free(s->scalars);
    make_matrix(s, &v);
    write_vectors(s, &v, encoding);
    compute(s, &v, abandoned);
    memset(s->scalars, 0, 32 * s->n);
    assert_int_equal(s->backend->vector_read(v.b, s->scalars, 0, s->n, encoding), PAIL_OK);
    /* It was the secret all the time; the CPU backend stops what is abandoned, with zeros. */
    assert_true(abandoned || scan_count(&s->scan, NULL) >= s->n);
    pail_wipe(s->scalars, 32 * s->n);
    free(s->scalars);
    s->backend->vector_destroy(s->context, &v.a);
    s->backend->vector_destroy(s->context, &v.b);
    check(s, how, "after vector_destroy");
    s->backend->matrix_destroy(s->context, &v.first);
    s->backend->bases_destroy(s->context, &s->bases);
}

/* ---- Memory ---------------------------------------------------------------------------------- */
/* The first element is the secret, and the others are zeros: its transform is the secret in each
 * element, and so it is in scratch between the passes of one of this size. */
enum { LOG_BLOCK = 11, BLOCK = 1 << LOG_BLOCK };

static pail_memory *make_memory(struct scene *s, uint64_t *address)
{
    pail_memory_info info = {.struct_size = sizeof info};
    pail_memory *memory = NULL;
    if (s->backend->memory_create(s->context, &memory, &info, PAIL_MEMORY_DEVICE, 32 * BLOCK) !=
        PAIL_OK)
        return NULL;
    *address = info.address;
    return memory;
}

static void put_block_root(pail_vector_op *op)
{
    const pail_u256 root = pail_scalar_root(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), LOG_BLOCK);
    pail_u256_to_bytes(op->root, &root);
}

/* Ends of the last work: memory goes behind it, or between its end on the device and its finish. */
enum end { FINISHED, ABANDONED, WAITED, ENDS };

/* Loads, stores in both encodings, and transforms there and back, within one memory and to another.
 * *left: WAITED's. */
static void compute_in_memory(struct scene *s, pail_vector *v, uint64_t from, uint64_t to,
                              enum end end, pail_pending **left)
{
    const pail_vector_op load =
        SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_LOAD, .r = v, .n = BLOCK, .address = from);
    pail_vector_op ops[3] = {load};
    pail_vector_op at[2];
    ops[1] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_STORE, .a = v, .n = BLOCK,
                                   .address = to, .encoding = PAIL_ENCODING_MONTGOMERY);
    ops[2] = ops[1];
    ops[2].encoding = PAIL_ENCODING_CANONICAL;
    at[0] = (pail_vector_op)SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_NTT_AT, .log_n = LOG_BLOCK,
                                  .n = BLOCK, .curve = PAIL_CURVE_BN254, .address = from,
                                  .to_address = to);
    put_block_root(&at[0]);
    at[1] = at[0];
    at[1].kind = PAIL_VECTOR_OP_INTT_AT;
    at[1].address = to;
    for (int transforms = 0; transforms < 2; transforms++) {
        pail_pending *pending = NULL;
        if (s->backend->vector_start(s->context, &pending, transforms ? at : ops,
                                     transforms ? 2 : 3) != PAIL_OK)
            fail_msg("%s", s->backend->error(s->context));
        if (end == ABANDONED)
            s->backend->pending_abandon(&pending);
        else
            assert_int_equal(s->backend->vector_finish(&pending, NULL), PAIL_OK);
        if (!transforms) /* scratch of transforms has to be wiped without any vector */
            s->backend->vector_destroy(s->context, &v);
    }
    if (end != WAITED)
        return;
    /* Scratch has the secret once more: of the way back it has multiples. */
    if (s->backend->vector_start(s->context, left, at, 1) != PAIL_OK)
        fail_msg("%s", s->backend->error(s->context));
    assert_int_equal(s->backend->pending_wait(*left, UINT64_MAX), PAIL_OK);
}

static void run_memory(struct scene *s, enum end end)
{
    static const char *const hows[ENDS] = {"memory", "memory, abandoned", "memory, waited"};
    const char *how = hows[end];
    pail_pending *left = NULL;
    uint64_t addresses[2] = {0, 0};
    pail_memory *memories[2] = {NULL, NULL};
    pail_vector *v = NULL;
    if (!PAIL_HAS(s->backend, memory_copy) || !(memories[0] = make_memory(s, &addresses[0])))
        return;
    memories[1] = make_memory(s, &addresses[1]);
    assert_non_null(memories[1]);
    assert_int_equal(s->backend->vector_create(s->context, &v, PAIL_CURVE_BN254, BLOCK), PAIL_OK);
    uint8_t *const block = calloc(BLOCK, 32), *const back = calloc(BLOCK, 32);
    assert_true(block && back);
    scan_reveal(&s->scan, s->montgomery + 1, block);
    assert_int_equal(s->backend->memory_write(memories[1], 0, block, 32 * BLOCK), PAIL_OK);
    assert_int_equal(s->backend->memory_copy(memories[0], 0, memories[1], 0, 32 * BLOCK), PAIL_OK);
    compute_in_memory(s, v, addresses[0], addresses[1], end, &left);
    assert_int_equal(s->backend->memory_read(memories[1], back, 0, 32 * BLOCK), PAIL_OK);
    if (end == FINISHED) {
        assert_memory_equal(back, block, 32 * BLOCK);
        assert_true(scan_count(&s->scan, NULL) >= 2); /* at least in both blocks here */
    }
    pail_wipe(block, 32 * BLOCK);
    pail_wipe(back, 32 * BLOCK);
    free(block);
    free(back);
    for (size_t i = 0; i < 2; i++)
        s->backend->memory_destroy(s->context, &memories[i]);
    if (left)
        assert_int_equal(s->backend->vector_finish(&left, NULL), PAIL_OK);
    check(s, how, "after memory_destroy");
}

static void run_all(const char *path)
{
    const char *value = getenv("PAIL_DEBUG");
    char given[128];
    (void)snprintf(given, sizeof given, "%s", value ? value : "");
    for (int debug = 0; debug < 2; debug++) {
        struct scene s = {.n = 0};
        make_secrets(&s);
        set_debug(given, debug ? "glv,overlap" : "");
        open_context(&s, path);
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
            if (ways[i].debug == debug)
                run(&s, &ways[i]);
        run_sum(&s);
        for (int i = 0; i < 4; i++)
            run_vectors(&s, i % 2 ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL, i / 2);
        for (enum end end = FINISHED; end < ENDS; end++)
            run_memory(&s, end);
        close_context(&s);
        scan_end(&s.scan);
    }
    set_debug(given, "");
}

PAIL_TEST(nothing_is_left_by_the_cpu_backend)
{
    run_all(NULL);
}

PAIL_TEST(nothing_is_left_by_the_plugin)
{
    run_all(backends_plugin_path());
}
