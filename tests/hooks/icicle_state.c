/* SPDX-License-Identifier: Apache-2.0 */
/* State that ICICLE's devices keep between calls, over Pail: domains and registered points; and the
 * results of calls that fail.
 *
 * Failures are those of two devices that the CPU backend is wrapped as. This file defines two
 * functions that Pail calls: the loader prefers them to those of the libraries. */
#include "icicle.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <curves/inputs.h>
#include <pail/pail.h>

#define PREFERRED __attribute__((visibility("default")))

/* ---- Domains --------------------------------------------------------------------------------- */

/* A domain grows, and does not shrink; roots of another sequence are refused. */
PAIL_TEST(domains_one_after_another)
{
    static const NTTInitDomainConfig config;
    const struct curve_api *const api = &icicle_curves[1];
    uint8_t roots[6][32], root[32];
    for (size_t i = 0; i < 6; i++)
        expect_status(api->root((uint64_t)1 << i, roots[i]), SUCCESS);
    expect_status(api->release_domain(), SUCCESS);
    for (size_t i = 2; i < 6; i += 3) { /* of 4, then of 32 */
        expect_status(api->init_domain(roots[i], &config), SUCCESS);
        expect_status(api->init_domain(roots[1], &config), SUCCESS);
        expect_status(api->root_from_domain(i, root), SUCCESS);
        assert_memory_equal(root, roots[i], 32);
        expect_refused(api->root_from_domain(i + 1, root), INVALID_ARGUMENT, "above the domain");
    }
    expect_status(api->release_domain(), SUCCESS);
    expect_status(api->init_domain(roots[4], &config), SUCCESS);
    for (size_t i = 3; i < 6; i++) { /* below, equal to and above it */
        api->field.pow(roots[i], 3, root);
        expect_refused(api->init_domain(root, &config), INVALID_ARGUMENT, "does not belong");
    }
    expect_status(api->root_from_domain(4, root), SUCCESS);
    assert_memory_equal(root, roots[4], 32);
    expect_status(api->release_domain(), SUCCESS);
}

/* ---- Two devices that fail when a test wants it ---------------------------------------------- */

enum place { NOWHERE, MEMORY, BASES, MSM, VECTOR, VECTOR_WRITE, VECTOR_OPS, READING };

static struct {
    bool on;
    const pail_backend *real;
    pail_backend table;
    pail_context *contexts[2];
    atomic_uint sets[2], made;  /* registered now, and in all */
    pthread_barrier_t *meeting; /* of those who register points; NULL: none */
    enum place place;           /* of the first device */
    unsigned room;              /* sets beside which there is memory for the call */
    uint32_t window_bits;       /* of the last multiplication */
    bool plain;                 /* the devices have no addresses */
    unsigned failures;          /* operations on vectors that are short of the host's memory now */
} wrapped;

static bool short_at(const pail_context *context, enum place place)
{
    return wrapped.place == place && context == wrapped.contexts[0] &&
           wrapped.sets[0] > wrapped.room;
}

static pail_status count_devices(const pail_host *host, uint32_t *count)
{
    (void)host;
    *count = 2;
    return PAIL_OK;
}

static pail_status describe(const pail_host *host, uint32_t index, pail_device_info *info)
{
    (void)index;
    const pail_status status = wrapped.real->device_info(host, 0, info);
    if (wrapped.plain)
        info->features &= ~(uint32_t)PAIL_FEATURE_DEVICE_ADDRESS;
    return status;
}

static pail_status open_context(const pail_host *host, pail_context **context,
                                const pail_context_params *params)
{
    pail_context_params first = *params;
    first.device = 0;
    const pail_status status = wrapped.real->context_create(host, context, &first);
    wrapped.contexts[params->device] = *context;
    return status;
}

static pail_status make_memory(pail_context *context, pail_memory **memory, pail_memory_info *info,
                               uint32_t kind, uint64_t bytes)
{
    return short_at(context, MEMORY)
               ? PAIL_ERR_DEVICE_MEMORY
               : wrapped.real->memory_create(context, memory, info, kind, bytes);
}

static pail_status read_memory(const pail_memory *memory, void *bytes, uint64_t offset, uint64_t n)
{
    return wrapped.place == READING ? PAIL_ERR_IO
                                    : wrapped.real->memory_read(memory, bytes, offset, n);
}

static pail_status make_bases(pail_context *context, pail_bases **bases, size_t *bad,
                              const pail_bases_desc *desc)
{
    if (short_at(context, BASES))
        return PAIL_ERR_DEVICE_MEMORY;
    if (wrapped.meeting)
        (void)pthread_barrier_wait(wrapped.meeting);
    wrapped.sets[context == wrapped.contexts[1]]++;
    wrapped.made++;
    return wrapped.real->bases_create(context, bases, bad, desc);
}

static void drop_bases(pail_context *context, pail_bases **bases)
{
    wrapped.sets[context == wrapped.contexts[1]]--;
    wrapped.real->bases_destroy(context, bases);
}

static pail_status start_msm(pail_context *context, pail_pending **pending,
                             const pail_msm_job *jobs, size_t n_jobs, const pail_msm_config *config)
{
    wrapped.window_bits = config->window_bits;
    return short_at(context, MSM) ? PAIL_ERR_DEVICE_MEMORY
                                  : wrapped.real->msm_start(context, pending, jobs, n_jobs, config);
}

static pail_status make_vector(pail_context *context, pail_vector **vector, uint32_t curve,
                               uint64_t n)
{
    return short_at(context, VECTOR) ? PAIL_ERR_DEVICE_MEMORY
                                     : wrapped.real->vector_create(context, vector, curve, n);
}

static pail_status write_vector(pail_vector *vector, uint64_t offset, const void *elements,
                                uint64_t n, uint32_t encoding)
{
    return short_at(wrapped.contexts[0], VECTOR_WRITE)
               ? PAIL_ERR_DEVICE_MEMORY
               : wrapped.real->vector_write(vector, offset, elements, n, encoding);
}

static pail_status start_vectors(pail_context *context, pail_pending **pending,
                                 const pail_vector_op *ops, size_t n_ops)
{
    if (wrapped.failures) {
        wrapped.failures--;
        return PAIL_ERR_HOST_MEMORY;
    }
    return short_at(context, VECTOR_OPS) ? PAIL_ERR_DEVICE_MEMORY
                                         : wrapped.real->vector_start(context, pending, ops, n_ops);
}

/* The CPU backend as one of another name, which ICICLE's functions take for a GPU's; alone. */
PREFERRED pail_status pail_registry_get(const pail_registry *registry, pail_registry_entry *entry,
                                        size_t index)
{
    pail_status (*real)(const pail_registry *, pail_registry_entry *, size_t) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "pail_registry_get");
    const pail_status status = real(registry, entry, index);
    if (!wrapped.on || status != PAIL_OK)
        return status;
    if (!entry->name || strcmp(entry->name, PAIL_CPU_NAME) != 0) {
        entry->status = PAIL_ERR_UNSUPPORTED;
        return status;
    }
    wrapped.real = entry->backend;
    assert_true(wrapped.real->struct_size >= sizeof(wrapped.table));
    wrapped.table = *wrapped.real;
    wrapped.table.device_count = count_devices;
    wrapped.table.device_info = describe;
    wrapped.table.context_create = open_context;
    wrapped.table.memory_create = make_memory;
    wrapped.table.memory_read = read_memory;
    wrapped.table.bases_create = make_bases;
    wrapped.table.bases_destroy = drop_bases;
    wrapped.table.msm_start = start_msm;
    wrapped.table.vector_create = make_vector;
    wrapped.table.vector_write = write_vector;
    wrapped.table.vector_start = start_vectors;
    entry->name = "wrapped";
    entry->backend = &wrapped.table;
    return status;
}

static void choose(int id)
{
    Device device = {.type = "VULKAN", .id = id};
    expect_status(icicle_set_device(&device), SUCCESS);
}

static int wrap_devices(bool plain)
{
    pail_icicle_close();
    memset(&wrapped, 0, sizeof(wrapped));
    wrapped.on = true;
    wrapped.plain = plain;
    choose(1);
    choose(0);
    return 0;
}

PAIL_FIXTURE(wrap)
{
    return wrap_devices(false);
}

PAIL_FIXTURE(wrap_plain)
{
    return wrap_devices(true);
}

PAIL_FIXTURE(unwrap)
{
    pail_icicle_close();
    wrapped.on = false;
    return wrapped.sets[0] || wrapped.sets[1] ? -1 : 0;
}

/* ---- Registered points ----------------------------------------------------------------------- */

enum { N = 8, SETS = 512, POINT_BYTES = 64 };

static const struct curve_api *const bn254 = &icicle_curves[0];
static const uint8_t scalars[32 * N] = {3};

/* Points in memory of the active device, of which the first times 3 is the sum. */
static void *upload_points(void)
{
    uint8_t points[POINT_BYTES * N];
    pail_make_bases(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1), points, false, 0, N,
                    PAIL_BASES_DISTINCT, 5);
    return icicle_upload(points, sizeof(points));
}

static int multiply(const void *points, uint8_t *sum)
{
    const MSMConfig config = {
        .precompute_factor = 1, .batch_size = 1, .shared = true, .points_on_device = true};
    return bn254->groups[0].msm(scalars, points, N, &config, sum);
}

/* A wish for windows of c bits is kept where there are 2^c points, and no larger one. */
PAIL_TEST_WITH(windows_are_no_wider_than_points_are_many, wrap, unwrap)
{
    uint8_t sum[96];
    void *const points = upload_points();
    for (int c = 0; c <= 17; c++) {
        const MSMConfig config = {.precompute_factor = 1,
                                  .c = c,
                                  .batch_size = 1,
                                  .shared = true,
                                  .points_on_device = true};
        expect_status(bn254->groups[0].msm(scalars, points, N, &config, sum), SUCCESS);
        assert_int_equal(wrapped.window_bits, 1 << c <= N ? c : 0);
    }
    expect_status(icicle_free(points), SUCCESS);
}

PAIL_TEST_WITH(sets_of_points_are_kept, wrap, unwrap)
{
    uint8_t sum[96], first[96];
    void *points[SETS + 1];
    for (size_t i = 0; i <= SETS; i++) {
        points[i] = upload_points();
        if (i == SETS) /* the first is then not the one that was not used for longest */
            expect_status(multiply(points[0], sum), SUCCESS);
        expect_status(multiply(points[i], i ? sum : first), SUCCESS);
        assert_memory_equal(i ? sum : first, first, sizeof(sum));
    }
    assert_int_equal(wrapped.sets[0], SETS);
    assert_int_equal(wrapped.made, SETS + 1);
    for (size_t i = 2; i <= SETS; i++)
        expect_status(multiply(points[i], sum), SUCCESS);
    expect_status(multiply(points[0], sum), SUCCESS);
    assert_int_equal(wrapped.made, SETS + 1);
    expect_status(multiply(points[1], sum), SUCCESS);
    assert_memory_equal(sum, first, sizeof(sum));
    assert_int_equal(wrapped.made, SETS + 2);
    for (size_t i = 0; i <= SETS; i++)
        expect_status(icicle_free(points[i]), SUCCESS);
    assert_int_equal(wrapped.sets[0], 0);
}

static void *multiply_once(void *points)
{
    uint8_t sum[96];
    choose(0);
    expect_status(multiply(points, sum), SUCCESS);
    return NULL;
}

/* Threads that register the same points at once keep one set. */
PAIL_TEST_WITH(sets_of_points_are_kept_once, wrap, unwrap)
{
    pthread_barrier_t meeting;
    pthread_t thread;
    uint8_t sum[96];
    void *const points = upload_points();
    assert_int_equal(pthread_barrier_init(&meeting, NULL, 2), 0);
    wrapped.meeting = &meeting;
    assert_int_equal(pthread_create(&thread, NULL, multiply_once, points), 0);
    expect_status(multiply(points, sum), SUCCESS);
    assert_int_equal(pthread_join(thread, NULL), 0);
    wrapped.meeting = NULL;
    assert_int_equal(wrapped.made, 2);
    assert_int_equal(wrapped.sets[0], 1);
    expect_status(multiply(points, sum), SUCCESS);
    assert_int_equal(wrapped.made, 2);
    expect_status(icicle_free(points), SUCCESS);
    assert_int_equal(wrapped.sets[0], 0);
    assert_int_equal(pthread_barrier_destroy(&meeting), 0);
}

static void *more_points, *more_memory;
static uint8_t elements[32 * N], results[32 * N];

static int transform(void)
{
    const NTTConfig config = {.batch_size = 1, .coset_gen = {1}};
    return bn254->ntt(elements, N, 0, &config, results);
}

static int transform_in_stream(void)
{
    NTTConfig config = {.batch_size = 1,
                        .coset_gen = {1},
                        .in_on_device = true,
                        .out_on_device = true,
                        .is_async = true};
    void *const values = icicle_upload(elements, sizeof(elements));
    expect_status(icicle_create_stream(&config.stream), SUCCESS);
    expect_status(bn254->ntt(values, N, 0, &config, values), SUCCESS);
    expect_status(icicle_free(values), SUCCESS);
    return icicle_destroy_stream(config.stream);
}

static int add(void)
{
    const VecOpsConfig config = {.batch_size = 1};
    return bn254->vector_add(elements, elements, N, &config, results);
}

static int allocate(void)
{
    return icicle_malloc(&more_memory, 64);
}

static int multiply_more(void)
{
    uint8_t sum[96];
    return multiply(more_points, sum);
}

/* A call that is short of memory on a device has what the device's sets of points occupy; those of
 * the other device stay. */
PAIL_TEST_WITH(sets_of_points_make_room, wrap, unwrap)
{
    static const struct {
        enum place place;
        unsigned left;
        int (*call)(void);
    } rows[] = {
        {MEMORY, 0, allocate},
        {BASES, 1, multiply_more},
        {MSM, 1, multiply_more},
        {VECTOR, 0, transform},
        {VECTOR_WRITE, 0, transform},
        {VECTOR_OPS, 0, transform},
        {VECTOR, 0, add},
        {VECTOR_WRITE, 0, add},
        {VECTOR_OPS, 0, add},
        {VECTOR_OPS, 0, transform_in_stream},
    };
    static const NTTInitDomainConfig config;
    uint8_t root[32], sum[96];
    void *points[3];
    for (size_t i = 0; i < 3; i++) {
        choose(i == 2);
        points[i] = upload_points();
    }
    choose(1);
    expect_status(multiply(points[2], sum), SUCCESS);
    choose(0);
    more_points = upload_points();
    expect_status(bn254->root(N, root), SUCCESS);
    expect_status(bn254->init_domain(root, &config), SUCCESS);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        expect_status(multiply(points[0], sum), SUCCESS);
        expect_status(multiply(points[1], sum), SUCCESS);
        assert_true(wrapped.sets[0] >= 2);
        wrapped.room = rows[i].place == MSM; /* its own set stays */
        wrapped.place = rows[i].place;
        expect_status(rows[i].call(), SUCCESS);
        assert_int_equal(wrapped.sets[0], rows[i].left);
        assert_int_equal(wrapped.sets[1], 1);
        wrapped.place = NOWHERE;
        if (rows[i].call == allocate)
            expect_status(icicle_free(more_memory), SUCCESS);
    }
    /* Sets that are in use make no room. */
    wrapped.place = MSM;
    wrapped.room = 0;
    expect_status(multiply(points[0], sum), OUT_OF_MEMORY);
    wrapped.place = NOWHERE;
    expect_status(multiply(points[0], sum), SUCCESS);
}

/* A device whose memory is the host's is short of that: vectors that it keeps make room. */
PAIL_TEST_WITH(vectors_make_room_in_memory_of_the_host, wrap_plain, unwrap)
{
    static const VecOpsConfig config = {.batch_size = 1};
    const struct curve_api *const other = &icicle_curves[1];
    expect_status(other->vector_add(elements, elements, N, &config, results), SUCCESS);
    wrapped.failures = 1;
    expect_status(add(), SUCCESS);
    assert_int_equal(wrapped.failures, 0);
    wrapped.failures = 1; /* nothing is kept but what it works in */
    expect_status(add(), OUT_OF_MEMORY);
}

/* ---- Results of calls that fail -------------------------------------------------------------- */

#define ZEROED(call)                                                                               \
    do {                                                                                           \
        memset(result, 0xff, sizeof(result));                                                      \
        expect_status(call, COPY_FAILED);                                                          \
        assert_memory_equal(result, zero, sizeof(result));                                         \
    } while (0)

PAIL_TEST_WITH(results_of_failed_work_are_zero, wrap, unwrap)
{
    static const VecOpsConfig config = {.batch_size = 1, .a_on_device = true};
    static const MSMConfig msm_config = {
        .precompute_factor = 1, .batch_size = 1, .points_on_device = true};
    static const uint8_t zero[2 * POINT_BYTES];
    uint8_t result[2 * POINT_BYTES];
    void *const a = upload_points();
    wrapped.place = READING;
    ZEROED(bn254->scalar_mul(a, elements, 4, &config, result));
    ZEROED(bn254->vector_inv(a, 4, &config, result));
    ZEROED(bn254->bit_reverse(a, 4, &config, result));
    ZEROED(bn254->slice(a, 0, 1, 8, 4, &config, result));
    ZEROED(bn254->transpose(a, 2, 2, &config, result));
    ZEROED(bn254->groups[0].precompute(a, 2, &msm_config, result));
    ZEROED(bn254->groups[0].affine_convert(a, 2, true, &config, result));
    wrapped.place = NOWHERE;
    expect_status(icicle_free(a), SUCCESS);
}

static bool no_random_numbers;

PREFERRED ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
    if (no_random_numbers) {
        errno = ENOSYS;
        return -1;
    }
    return syscall(SYS_getrandom, buffer, length, flags);
}

PAIL_TEST(no_random_numbers_no_elements)
{
    static const uint8_t zero[4 * 96];
    uint8_t made[4 * 96];
    memset(made, 0xff, sizeof(made));
    no_random_numbers = true;
    bn254->field.generate(made, 4);
    no_random_numbers = false;
    assert_memory_equal(made, zero, 4 * 32);
    assert_int_equal(made[4 * 32], 0xff);
    assert_non_null(strstr(pail_icicle_error(), "no random numbers: all 4 elements are 0"));
    memset(made, 0xff, sizeof(made));
    no_random_numbers = true;
    bn254->groups[0].generate_projective(made, 4);
    no_random_numbers = false;
    assert_memory_equal(made, zero, 4 * 96);
    bn254->field.generate(made, 0);
    bn254->field.generate(made, -1);
    assert_memory_equal(made, zero, 4 * 96);
}
