/* SPDX-License-Identifier: Apache-2.0 */
/* A child of fork has the objects of its parent, but not the threads, locks and devices behind
 * them: every call with one of them fails with a sentence, none hangs, and the child can end in
 * every way. The parent goes on. */
#include "sums.h"

#include <pail/pail.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/await.h"
#include "support/test.h"

enum { THREADS = 2, ROUNDS = 6 };

/* State that the child inherits. */
struct inherited {
    struct sums sums;
    pail_pending *pending[2];
    pail_memory *memory;
    uint64_t address; /* of the memory */
    pail_vector *vector;
    pail_matrix *matrix;
    pail_pending *operations;
    pail_adstack_kernel kernel;
    pail_adstack_result *result;
    pail_adstack_prepared *prepared;
    pail_registry *registry;
    bool on_gpu; /* its driver does what it likes in exit() */
};

/* ---- In the child: no cmocka, and the number of the line is the exit status ------------------ */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "fork.c:%d: %s\n", __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Refused as the caller's mistake, with the sentence. */
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        CHECK((call) == PAIL_ERR_ARGUMENT);                                                        \
        CHECK(strstr(backend->error(sums->context), "fork") ||                                     \
              strstr(backend->error(NULL), "fork"));                                               \
    } while (0)

static void refuse_multiplications(struct inherited *in)
{
    struct sums *const sums = &in->sums;
    const pail_backend *const backend = sums->backend;
    pail_device_info info = {.struct_size = sizeof info};
    pail_bases *bases = sums->bases;
    pail_bases_info bases_info = {.struct_size = sizeof bases_info};
    pail_stats stats = {.struct_size = sizeof stats};
    pail_msm_result result = {.struct_size = sizeof result, .infinity = 1};
    pail_pending *pending = in->pending[0];
    size_t bad = 0;
    const pail_bases_desc desc = SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                                       .points = sums->points, .n_points = SUMS_N);
    const pail_msm_job job =
        SIZED(pail_msm_job, .bases = bases, .scalars = sums->scalars, .n = SUMS_N);

    REFUSED(backend->context_device(sums->context, &info));
    REFUSED(backend->bases_create(sums->context, &bases, &bad, &desc));
    CHECK(!bases && bad == SIZE_MAX);
    REFUSED(backend->bases_info(sums->bases, &bases_info));
    REFUSED(backend->msm_estimate(sums->context, &stats, &job, NULL));
    REFUSED(backend->msm_start(sums->context, &pending, &job, 1, NULL));
    CHECK(!pending);
    REFUSED(backend->pending_poll(in->pending[0]));
    REFUSED(backend->pending_wait(in->pending[0], UINT64_MAX));
    REFUSED(backend->msm_finish(&in->pending[0], &result, 1, &stats));
    CHECK(!in->pending[0] && !result.infinity);
    backend->pending_abandon(&in->pending[1]);
    CHECK(!in->pending[1]);
    if (PAIL_HAS(backend, msm_buckets)) {
        pail_bucket_info buckets = {.struct_size = sizeof buckets};
        size_t n_bytes = 1;
        REFUSED(backend->msm_buckets(sums->context, NULL, &n_bytes, &buckets, NULL, &job, NULL));
        CHECK(n_bytes == 0);
    }
    if (PAIL_HAS(backend, throttle))
        CHECK(backend->throttle(sums->context));
    if (PAIL_HAS(backend, throttle_begin)) {
        REFUSED(backend->throttle_begin(sums->context));
        REFUSED(backend->throttle_end(sums->context));
    }
}

static void refuse_pipelines(struct inherited *in)
{
    struct sums *const sums = &in->sums;
    const pail_backend *const backend = sums->backend;
    pail_tuning tuning = SIZED(pail_tuning, .curve = PAIL_CURVE_BN254, .group = PAIL_G1);
    REFUSED(backend->warm(sums->context, NULL, 0, NULL, NULL));
    REFUSED(backend->tuning_get(sums->context, &tuning));
    REFUSED(backend->tuning_set(sums->context, &tuning));
}

static void refuse_memory(struct inherited *in)
{
    struct sums *const sums = &in->sums;
    const pail_backend *const backend = sums->backend;
    pail_memory *memory = in->memory;
    uint64_t offset = 1;
    uint8_t bytes[32] = {1};
    REFUSED(backend->memory_create(sums->context, &memory, NULL, PAIL_MEMORY_DEVICE, 64));
    CHECK(!memory);
    if (in->memory) {
        REFUSED(backend->memory_write(in->memory, 0, bytes, sizeof bytes));
        REFUSED(backend->memory_read(in->memory, bytes, 0, sizeof bytes));
        CHECK(bytes[0] == 0);
        REFUSED(backend->memory_copy(in->memory, 0, in->memory, 32, 32));
        REFUSED(backend->memory_fill(in->memory, 0, 32, 1));
        REFUSED(backend->memory_find(sums->context, &memory, &offset, in->address));
        CHECK(!memory && offset == 0);
        backend->memory_destroy(sums->context, &in->memory);
        CHECK(!in->memory);
    }
}

static pail_status read_nothing(void *user, void *to, uint64_t offset, size_t bytes)
{
    (void)user;
    (void)to;
    (void)offset;
    (void)bytes;
    return PAIL_ERR_INTERNAL;
}

static void refuse_vectors(struct inherited *in)
{
    struct sums *const sums = &in->sums;
    const pail_backend *const backend = sums->backend;
    pail_vector *vector = in->vector;
    pail_matrix *matrix = in->matrix;
    pail_pending *pending = in->operations;
    pail_stats stats = {.struct_size = sizeof stats, .n_jobs = 1};
    uint8_t element[PAIL_SCALAR_BYTES] = {1};
    uint64_t bad = 0;
    const uint64_t starts[] = {0};
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .row_starts = starts);
    const pail_vector_op op = SIZED(pail_vector_op, .kind = PAIL_VECTOR_OP_COPY, .r = in->vector,
                                    .a = in->vector, .n = 1);
    REFUSED(backend->vector_create(sums->context, &vector, PAIL_CURVE_BN254, 1));
    CHECK(!vector);
    REFUSED(backend->vector_write(in->vector, 0, element, 1, PAIL_ENCODING_CANONICAL));
    REFUSED(backend->vector_fill(in->vector, 0, read_nothing, NULL, 1, PAIL_ENCODING_CANONICAL));
    REFUSED(backend->vector_read(in->vector, element, 0, 1, PAIL_ENCODING_CANONICAL));
    CHECK(element[0] == 0);
    REFUSED(backend->matrix_create(sums->context, &matrix, &bad, &desc));
    CHECK(!matrix && bad == UINT64_MAX);
    REFUSED(backend->vector_start(sums->context, &pending, &op, 1));
    CHECK(!pending);
    REFUSED(backend->vector_finish(&in->operations, &stats));
    CHECK(!in->operations && stats.n_jobs == 0);
    backend->vector_destroy(sums->context, &in->vector);
    backend->matrix_destroy(sums->context, &in->matrix);
    CHECK(!in->vector && !in->matrix);
}

static void refuse_stacks(struct inherited *in)
{
    struct sums *const sums = &in->sums;
    const pail_backend *const backend = sums->backend;
    const pail_kernel_desc desc = {.struct_size = sizeof desc, .name = "k", .name_bytes = 1};
    const pail_launch launch = {.struct_size = sizeof launch, .kernel = in->kernel};
    const pail_overflow record = {.struct_size = sizeof record, .kind = PAIL_OVERFLOW_STACK};
    pail_adstack_kernel kernel = 1;
    pail_adstack_result *result = NULL;
    pail_task_size task_size = {.struct_size = sizeof task_size};
    pail_stack_size stack_size = {.struct_size = sizeof stack_size};
    pail_overflow found = {.struct_size = sizeof found};
    pail_diagnosis diagnosis = {.struct_size = sizeof diagnosis};
    pail_adstack_stats stats = {.struct_size = sizeof stats, .evaluations = 1};
    char text[16] = "";
    size_t n = 1;
    uint32_t id = 1;
    int32_t index = 1;
    uint64_t buffer = 1, address = 1;
    REFUSED(backend->adstack_register(sums->context, &kernel, &id, &desc));
    REFUSED(backend->adstack_unregister(sums->context, in->kernel));
    REFUSED(backend->adstack_lookup(sums->context, text, sizeof text, &index, 1));
    REFUSED(backend->adstack_evaluate(sums->context, &result, &launch));
    pail_adstack_prepared *prepared = NULL, *inherited = in->prepared;
    REFUSED(backend->adstack_prepare(sums->context, &prepared, &launch));
    REFUSED(backend->adstack_evaluate_prepared(in->prepared, &result, NULL));
    backend->adstack_prepared_destroy(&inherited);
    CHECK(!inherited);
    REFUSED(backend->adstack_record(sums->context, &result, &launch, &n, 0));
    REFUSED(backend->adstack_record_layout(sums->context, NULL, 0, &address, in->kernel));
    REFUSED(backend->adstack_task_size(in->result, &task_size, 0));
    REFUSED(backend->adstack_stack_size(in->result, &stack_size, 0, 0));
    REFUSED(backend->adstack_metadata(in->result, NULL, &n, 0));
    CHECK(n == 0);
    n = sizeof text;
    REFUSED(backend->adstack_explain(in->result, text, &n));
    REFUSED(backend->adstack_overflow_buffer(sums->context, &buffer, &address));
    CHECK(buffer == 0 && address == 0);
    n = 1;
    REFUSED(backend->adstack_poll_overflow(sums->context, &found, &n));
    REFUSED(backend->adstack_diagnose(sums->context, &diagnosis, &record));
    REFUSED(backend->adstack_export(sums->context, NULL, &n, in->kernel));
    REFUSED(backend->adstack_import(sums->context, &kernel, &id, text, sizeof text));
    backend->adstack_retain(in->result);
    backend->adstack_bump(sums->context, 1);
    backend->adstack_forget(sums->context, 1);
    backend->adstack_invalidate(sums->context, 0);
    backend->adstack_stats(sums->context, &stats);
    CHECK(stats.evaluations == 0);
    backend->adstack_reset_stats(sums->context);
    backend->adstack_release(in->result);
}

static void refuse_the_rest(struct inherited *in)
{
    struct sums *const sums = &in->sums;
    const pail_backend *const backend = sums->backend;
    pail_context *context = sums->context;
    pail_device_info info = {.struct_size = sizeof info};
    const pail_context_params params = {.struct_size = sizeof params, .device = PAIL_DEVICE_BEST};
    uint32_t count = 1;
    backend->bases_destroy(sums->context, &sums->bases);
    CHECK(!sums->bases);
    backend->context_destroy(&sums->context);
    CHECK(!sums->context);
    CHECK(backend->score(&sums->host) == 0);
    REFUSED(backend->device_count(&sums->host, &count));
    CHECK(count == 0);
    REFUSED(backend->device_info(&sums->host, 0, &info));
    REFUSED(backend->context_create(&sums->host, &context, &params));
    CHECK(!context);

    const pail_backend *found = backend;
    pail_registry *registry = in->registry;
    char error[256] = "";
    CHECK(pail_registry_create(&registry, NULL, error, sizeof error) == PAIL_ERR_ARGUMENT);
    CHECK(!registry && strstr(error, "fork"));
    CHECK(pail_registry_find(in->registry, &found, NULL, error, sizeof error) == PAIL_ERR_ARGUMENT);
    CHECK(!found && strstr(error, "fork"));
    CHECK(pail_registry_count(in->registry) >= 1);
    pail_registry_destroy(&in->registry);
    CHECK(!in->registry);
}

enum ending { BY_EXIT, BY_QUICK_EXIT, BY_EXEC, ENDINGS };

static void be_child(struct inherited *in, enum ending ending)
{
    (void)signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the tests of the parent */
    if (ending != BY_EXEC) {
        refuse_multiplications(in);
        if (PAIL_HAS(in->sums.backend, warm))
            refuse_pipelines(in);
        if (PAIL_HAS(in->sums.backend, memory_create))
            refuse_memory(in);
        if (PAIL_HAS(in->sums.backend, vector_create))
            refuse_vectors(in);
        if (PAIL_HAS(in->sums.backend, adstack_register))
            refuse_stacks(in);
        refuse_the_rest(in);
    }
    /* With what is registered for the end of the process; but no search for leaks, since what is
     * left alone is one. */
    if (ending == BY_EXIT && !BACKENDS_SANITIZED && !in->on_gpu)
        exit(0);
    if (ending == BY_EXEC)
        (void)execl("/bin/true", "true", (char *)NULL);
    _exit(ending == BY_EXEC);
}

/* ---- In the parent --------------------------------------------------------------------------- */
struct multiplier {
    const struct sums *sums;
    pthread_t thread;
    atomic_bool stop;
    unsigned right, wrong;
};

/* So that locks of the context are held now and then when the process forks. */
static void *multiply(void *argument)
{
    struct multiplier *m = argument;
    while (!atomic_load(&m->stop) && m->wrong == 0)
        *(sums_multiply(m->sums) ? &m->right : &m->wrong) += 1;
    return NULL;
}

static void inherit_vectors(struct inherited *in)
{
    const pail_backend *const backend = in->sums.backend;
    pail_context *const context = in->sums.context;
    const uint64_t starts[] = {0};
    const pail_matrix_desc desc =
        SIZED(pail_matrix_desc, .curve = PAIL_CURVE_BN254, .row_starts = starts);
    pail_vector_op op = {.struct_size = sizeof op, .kind = PAIL_VECTOR_OP_COPY, .n = 1};
    assert_int_equal(backend->vector_create(context, &in->vector, PAIL_CURVE_BN254, 8), PAIL_OK);
    assert_int_equal(backend->matrix_create(context, &in->matrix, NULL, &desc), PAIL_OK);
    op.r = in->vector;
    op.a = in->vector;
    assert_int_equal(backend->vector_start(context, &in->operations, &op, 1), PAIL_OK);
}

static void inherit_more(struct inherited *in)
{
    if (PAIL_HAS(in->sums.backend, vector_create))
        inherit_vectors(in);
    const struct sums *sums = &in->sums;
    for (size_t i = 0; i < 2; i++) {
        in->pending[i] = sums_start(sums, sums->bases);
        assert_non_null(in->pending[i]);
    }
    if (PAIL_HAS(sums->backend, memory_create)) {
        pail_memory_info info = {.struct_size = sizeof info};
        const pail_status status =
            sums->backend->memory_create(sums->context, &in->memory, &info, PAIL_MEMORY_DEVICE, 64);
        in->address = info.address;
        assert_true(status == PAIL_OK || status == PAIL_ERR_UNSUPPORTED);
    }
    if (PAIL_HAS(sums->backend, adstack_register)) {
        const pail_stack_desc stack = SIZED(pail_stack_desc, .heap = PAIL_HEAP_INT,
                                            .element_bytes = 4, .copies = 1, .static_capacity = 7);
        const pail_task_desc task = {.struct_size = sizeof task, .stacks = &stack, .n_stacks = 1};
        const pail_kernel_desc desc = SIZED(pail_kernel_desc, .name = "kernel", .name_bytes = 6,
                                            .tasks = &task, .n_tasks = 1);
        const pail_task_launch extent = {.struct_size = sizeof extent, .threads = 1};
        pail_launch launch = {.struct_size = sizeof launch, .tasks = &extent, .n_tasks = 1};
        uint32_t id;
        assert_int_equal(sums->backend->adstack_register(sums->context, &in->kernel, &id, &desc),
                         PAIL_OK);
        launch.kernel = in->kernel;
        if (sums->backend->adstack_evaluate(sums->context, &in->result, &launch) != PAIL_OK ||
            sums->backend->adstack_prepare(sums->context, &in->prepared, &launch) != PAIL_OK)
            fail_msg("%s", sums->backend->error(sums->context));
    }
}

static void children(void **state)
{
    const char *path = *state;
    static struct inherited in;
    struct opened opened = backends_open(path);
    in = (struct inherited){.pending = {NULL}};
    if (!sums_open(&in.sums, opened.open, THREADS, PAIL_RESIDENCY_AUTO))
        fail();
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .path = "");
    assert_int_equal(pail_registry_create(&in.registry, &params, NULL, 0), PAIL_OK);
    assert_true(sums_multiply(&in.sums));
    pail_device_info device = {.struct_size = sizeof device};
    assert_int_equal(in.sums.backend->context_device(in.sums.context, &device), PAIL_OK);
    in.on_gpu = device.type != PAIL_DEVICE_CPU;
    inherit_more(&in);
    struct multiplier other = {.sums = &in.sums};
    assert_int_equal(pthread_create(&other.thread, NULL, multiply, &other), 0);

    for (int i = 0; i < ROUNDS; i++) {
        (void)fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            be_child(&in, (enum ending)(i % ENDINGS));
        const int status = await(child);
        if (status != 0)
            print_error("child %d: %s, status 0x%x\n", i, status < 0 ? "hung" : "failed", status);
        assert_int_equal(status, 0);
        assert_true(sums_multiply(&in.sums));
    }

    atomic_store(&other.stop, true);
    assert_int_equal(pthread_join(other.thread, NULL), 0);
    assert_true(other.right > 0);
    assert_int_equal(other.wrong, 0);
    assert_true(sums_finish(&in.sums, in.pending[0]));
    in.sums.backend->pending_abandon(&in.pending[1]);
    if (in.operations)
        assert_int_equal(in.sums.backend->vector_finish(&in.operations, NULL), PAIL_OK);
    if (in.vector) {
        in.sums.backend->vector_destroy(in.sums.context, &in.vector);
        in.sums.backend->matrix_destroy(in.sums.context, &in.matrix);
    }
    if (in.memory)
        in.sums.backend->memory_destroy(in.sums.context, &in.memory);
    if (in.result)
        in.sums.backend->adstack_release(in.result);
    if (in.prepared)
        in.sums.backend->adstack_prepared_destroy(&in.prepared);
    sums_close(&in.sums);
    pail_registry_destroy(&in.registry);
    backends_close(&opened);
}

int main(int argc, char **argv)
{
    char path[4096];
    const bool cpu_only = backends_arguments(path, sizeof path, argc, argv);
    const struct CMUnitTest tests[] = {
        {"children of the CPU backend", children, NULL, NULL, NULL},
        {"children of the plugin", children, NULL, NULL, path},
    };
    return _cmocka_run_group_tests(argv[0], tests, cpu_only ? 1 : 2, NULL, NULL);
}
