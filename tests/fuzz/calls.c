/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of calls of the boundary on the CPU backend: contexts, bases, work that is polled,
 * waited for, finished or abandoned, from several threads, with memory that runs out, and calls
 * that the header promises to refuse. Every status, every output and every result is checked, and
 * at the end all memory is back.
 *
 * The first byte is the number of threads, less one; thread t takes bytes 1 + t, 1 + t + threads
 * and so on. Each works on objects of its own and on the context and bases that all share, and
 * work may be handed from one to another. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cpu/cpu.h>
#include <curves/inputs.h>

#include "calls.h"
#include "target.h"

static const struct pail_curve_ops *ops;
static uint8_t points[64 * POINTS], off_curve[64 * POINTS], scalars[32 * POINTS];

/* Allocations of this thread until one fails; 0: none does. The backend's own threads allocate
 * nothing. */
static _Thread_local unsigned fail_in;
static _Thread_local bool failed;

void check(bool condition, const char *text, const char *file, int line)
{
    if (condition)
        return;
    (void)fprintf(stderr, "%s:%d: %s\n", file, line, text);
    abort();
}

uint8_t next(struct bytes *bytes)
{
    if (bytes->size == 0)
        return 0;
    const uint8_t byte = *bytes->data;
    const size_t step = bytes->step < bytes->size ? bytes->step : bytes->size;
    bytes->data += step;
    bytes->size -= step;
    return byte;
}

static void *allocate(void *user, size_t size)
{
    struct world *const world = user;
    if (fail_in != 0 && --fail_in == 0) {
        failed = true;
        return NULL;
    }
    void *const block = malloc(size);
    CHECK(block != NULL);
    atomic_fetch_add(&world->blocks, 1);
    return block;
}

static void release(void *user, void *block)
{
    struct world *const world = user;
    if (block != NULL)
        atomic_fetch_sub(&world->blocks, 1);
    free(block);
}

bool went(const struct thread *t, const pail_context *context, pail_status status,
          pail_status wanted)
{
    const bool memory = failed;
    failed = false;
    fail_in = 0;
    CHECK(status == wanted || (memory && status == PAIL_ERR_HOST_MEMORY));
    if (status != PAIL_OK && status != PAIL_NOT_READY) {
        const char *const sentence = t->world->backend->error(context);
        CHECK(sentence != NULL && sentence[0] != '\0' && strchr(sentence, '\n') == NULL);
    }
    return status == PAIL_OK;
}

/* ---- Contexts and bases --------------------------------------------------------------------- */
static bool holds_work(const struct thread *t)
{
    for (size_t i = 0; i < WORKS; i++)
        if (t->own[i] && t->works[i].pending != NULL)
            return true;
    return false;
}

/* Only when nothing of it is left, as the header wants it. */
static void destroy_context(struct thread *t)
{
    if (holds_work(t))
        return;
    for (size_t i = 0; i < SETS; i++)
        t->world->backend->bases_destroy(t->context, &t->sets[i].bases);
    t->world->backend->pending_abandon(&t->operations);
    for (size_t i = 0; i < 2; i++)
        t->world->backend->vector_destroy(t->context, &t->vectors[i]);
    t->world->backend->context_destroy(&t->context);
    CHECK(t->context == NULL);
    t->world->backend->context_destroy(&t->context); /* NULL by now */
}

static void create_context(struct thread *t)
{
    const uint8_t how = next(&t->bytes);
    pail_context_params params = {
        .struct_size = sizeof(params), .device = PAIL_DEVICE_BEST, .threads = 1 + how % 3};
    pail_status wanted = PAIL_OK;
    if (t->context != NULL)
        return;
    if (how >= 0xf8) {
        params.struct_size = 3;
        wanted = PAIL_ERR_ARGUMENT;
    } else if (how >= 0xf0) {
        params.device = 7;
        wanted = PAIL_ERR_ARGUMENT;
    }
    t->context = (pail_context *)(void *)t;
    const pail_status status =
        t->world->backend->context_create(&t->world->host, &t->context, &params);
    CHECK(went(t, NULL, status, wanted) == (t->context != NULL));
}

static pail_status give(void *user, void *to, uint64_t offset, size_t bytes)
{
    memcpy(to, (const uint8_t *)user + offset, bytes);
    return PAIL_OK;
}

static pail_status refuse(void *user, void *to, uint64_t offset, size_t bytes)
{
    (void)user;
    (void)to;
    (void)offset;
    (void)bytes;
    return PAIL_ERR_IO;
}

/* Registers bases; where: points come from a reader with bit 6, which fails with bit 5. */
static pail_status make_bases(struct thread *t, pail_context *context, struct set *set,
                              uint8_t where, uint8_t how)
{
    pail_bases_desc desc = {
        .struct_size = sizeof(desc),
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .validation = how / 16 % 3,
        .points = points,
        .n_points = how % (POINTS + 1),
    };
    pail_status wanted = PAIL_OK;
    size_t bad = 5, bad_wanted = SIZE_MAX;
    if (how >= 0xf8) {
        desc.encoding = 9;
        wanted = PAIL_ERR_ARGUMENT;
    } else if (how >= 0xf0) {
        desc.points = off_curve;
        desc.n_points = POINTS;
        desc.validation = PAIL_VALIDATE_CURVE;
        wanted = PAIL_ERR_DATA;
        bad_wanted = 1;
    }
    if (where & 0x40) {
        desc.read_points = where & 0x20 ? refuse : give;
        desc.read_user = (void *)(uintptr_t)desc.points;
        desc.points = NULL;
    }
    if (desc.read_points == refuse && wanted != PAIL_ERR_ARGUMENT && desc.n_points > 0) {
        wanted = PAIL_ERR_IO;
        bad_wanted = SIZE_MAX;
    }
    set->n = desc.n_points;
    set->bases = (pail_bases *)(void *)t;
    const pail_status status = t->world->backend->bases_create(context, &set->bases, &bad, &desc);
    const bool made = went(t, context, status, wanted);
    CHECK(made == (set->bases != NULL));
    CHECK(bad == (status == PAIL_ERR_DATA ? bad_wanted : SIZE_MAX));
    return status;
}

static void create_bases(struct thread *t)
{
    const uint8_t where = next(&t->bytes), how = next(&t->bytes);
    struct set *const set = &t->sets[where % SETS];
    if (t->context != NULL && set->bases == NULL)
        (void)make_bases(t, t->context, set, where, how);
}

/* Also while work uses them. */
static void destroy_bases(struct thread *t)
{
    struct set *const set = &t->sets[next(&t->bytes) % SETS];
    if (t->context == NULL)
        return;
    t->world->backend->bases_destroy(t->context, &set->bases);
    CHECK(set->bases == NULL);
}

/* ---- Work ----------------------------------------------------------------------------------- */
static void start(struct thread *t)
{
    const uint8_t where = next(&t->bytes), which = next(&t->bytes), how = next(&t->bytes);
    struct work *const work = &t->works[where % WORKS];
    const bool own = which % (SETS + 1) != SETS;
    pail_context *const context = own ? t->context : t->world->context;
    const struct set *const set = own ? &t->sets[which % SETS] : &t->world->set;
    if (work->pending != NULL || context == NULL || set->bases == NULL)
        return;
    const size_t n = set->n - set->n / (1u + which / 16u), offset = which / 8 % (set->n - n + 1);
    const size_t n_jobs = 1 + how % JOBS;
    uint8_t *const copy = malloc(sizeof(scalars)); /* is the caller's again at once */
    pail_msm_job *const jobs = calloc(JOBS, sizeof(*jobs));
    CHECK(copy != NULL && jobs != NULL);
    memcpy(copy, scalars, sizeof(scalars));
    for (size_t i = 0; i < n_jobs; i++) {
        const size_t fewer = n - (n > i ? i : n);
        jobs[i] = (pail_msm_job){.struct_size = sizeof(jobs[i]),
                                 .bases = set->bases,
                                 .base_offset = offset,
                                 .scalars = copy,
                                 .n = fewer};
        pail_expected_msm(ops, &work->expected[i], scalars, offset, fewer, PAIL_BASES_DISTINCT,
                          SEED);
    }
    pail_msm_config config = {.struct_size = sizeof(config), .window_bits = how / 4 % 8};
    pail_status wanted = PAIL_OK;
    size_t count = n_jobs;
    pail_msm_job *const last = &jobs[n_jobs - 1];
    switch (how >> 4) {
    case 8:
        count = 0;
        wanted = PAIL_ERR_ARGUMENT;
        break;
    case 9:
        last->base_offset = set->n + 1;
        wanted = PAIL_ERR_ARGUMENT;
        break;
    case 10:
        last->bases = NULL;
        wanted = PAIL_ERR_ARGUMENT;
        break;
    case 11:
        last->struct_size = 8;
        wanted = PAIL_ERR_ARGUMENT;
        break;
    case 12:
        config.accumulator = PAIL_ACCUMULATOR_DEBUG;
        wanted = PAIL_ERR_UNSUPPORTED;
        break;
    case 13:
        last->scalar_bits = 1; /* the first scalar has more */
        wanted = last->n > 0 ? PAIL_ERR_DATA : PAIL_OK;
        break;
    case 14:
        last->scalars = NULL;
        wanted = last->n > 0 ? PAIL_ERR_ARGUMENT : PAIL_OK;
        break;
    case 15:
        config.memory_budget = 1;
        wanted = n > 0 ? PAIL_ERR_ARGUMENT : PAIL_OK;
        break;
    default:
        break;
    }
    work->pending = (pail_pending *)(void *)t;
    const pail_status status =
        t->world->backend->msm_start(context, &work->pending, jobs, count, &config);
    CHECK(went(t, context, status, wanted) == (work->pending != NULL));
    memset(copy, 0xff, sizeof(scalars));
    free(copy);
    free(jobs);
    work->n_jobs = n_jobs;
    work->done = false;
    t->own[where % WORKS] = own;
}

static void wait(struct thread *t)
{
    static const uint64_t timeouts[] = {0, 1, 1000, 100000, UINT64_MAX};
    const uint8_t how = next(&t->bytes);
    struct work *const work = &t->works[how % WORKS];
    const size_t n = sizeof(timeouts) / sizeof(timeouts[0]), which = how / WORKS % (n + 1);
    const pail_status status =
        which == n ? t->world->backend->pending_poll(work->pending)
                   : t->world->backend->pending_wait(work->pending, timeouts[which]);
    if (work->pending == NULL) {
        (void)went(t, NULL, status, PAIL_ERR_ARGUMENT);
        return;
    }
    CHECK(status == PAIL_OK || status == PAIL_NOT_READY);
    CHECK(status == PAIL_OK || !(work->done || (which < n && timeouts[which] == UINT64_MAX)));
    work->done = status == PAIL_OK;
}

bool all_zero(const void *bytes, size_t n)
{
    const uint8_t *const at = bytes;
    for (size_t i = 0; i < n; i++)
        if (at[i] != 0)
            return false;
    return true;
}

static bool same(const pail_msm_result *result, const pail_point *expected)
{
    pail_affine affine;
    uint8_t bytes[2 * PAIL_COORDINATE_MAX];
    ops->to_affine(&affine, expected);
    ops->encode(bytes, &affine, false);
    return result->infinity == (uint32_t)ops->affine_is_infinity(&affine) &&
           result->coordinate_bytes == ops->coordinate_bytes &&
           memcmp(result->x, bytes, ops->coordinate_bytes) == 0 &&
           memcmp(result->y, bytes + ops->coordinate_bytes, ops->coordinate_bytes) == 0;
}

static void finish(struct thread *t)
{
    const uint8_t how = next(&t->bytes);
    struct work *const work = &t->works[how % WORKS];
    const bool there = work->pending != NULL;
    const pail_context *const context = !there                ? NULL
                                        : t->own[how % WORKS] ? t->context
                                                              : t->world->context;
    pail_msm_result results[JOBS + 1];
    pail_stats stats = {.struct_size = sizeof(stats), .n_jobs = 9};
    size_t n = there ? work->n_jobs : 1;
    bool right = there;
    memset(results, 0x5a, sizeof(results));
    for (size_t i = 0; i <= JOBS; i++)
        results[i].struct_size = sizeof(results[i]);
    if (how >= 0xf0) {
        n++; /* more than were started */
        right = false;
    }
    const bool nowhere = how < 0xf0 && how >= 0xe8;
    if (nowhere)
        right = false;
    const pail_status status =
        t->world->backend->msm_finish(&work->pending, nowhere ? NULL : results, n, &stats);
    (void)went(t, context, status, right ? PAIL_OK : PAIL_ERR_ARGUMENT);
    CHECK(work->pending == NULL);
    /* One result is written for each job, whatever the caller says that there is room for. */
    const size_t n_jobs = there ? work->n_jobs : 1;
    for (size_t i = 0; i < n && !nowhere; i++) {
        const uint8_t *const bytes = (const uint8_t *)&results[i];
        if (status == PAIL_OK)
            CHECK(same(&results[i], &work->expected[i]));
        else if (i < n_jobs)
            CHECK(all_zero(bytes + offsetof(pail_msm_result, infinity),
                           sizeof(results[i]) - offsetof(pail_msm_result, infinity)));
        else
            CHECK(results[i].infinity == 0x5a5a5a5a);
    }
    CHECK(stats.n_jobs == (status == PAIL_OK ? n : 0));
}

static void abandon(struct thread *t)
{
    struct work *const work = &t->works[next(&t->bytes) % WORKS];
    t->world->backend->pending_abandon(&work->pending);
    CHECK(work->pending == NULL);
}

/* Work of the shared context to whoever takes it, or from whoever left it. */
static void hand_over(struct thread *t)
{
    const size_t which = next(&t->bytes) % WORKS;
    struct work *const work = &t->works[which];
    if (work->pending != NULL && t->own[which])
        return;
    CHECK(pthread_mutex_lock(&t->world->lock) == 0);
    const struct work left = t->world->mailbox;
    t->world->mailbox = *work;
    *work = left;
    CHECK(pthread_mutex_unlock(&t->world->lock) == 0);
    t->own[which] = false;
}

static void look(struct thread *t)
{
    const uint8_t how = next(&t->bytes);
    const struct set *const set = how % 2 ? &t->sets[how / 2 % SETS] : &t->world->set;
    pail_context *const context = how % 2 ? t->context : t->world->context;
    pail_bases_info info = {.struct_size = sizeof(info), .n_points = 77};
    const pail_backend *const backend = t->world->backend;
    pail_status status = backend->bases_info(set->bases, &info);
    const bool told = went(t, NULL, status, set->bases != NULL ? PAIL_OK : PAIL_ERR_ARGUMENT);
    CHECK(info.n_points == (told ? set->n : 0));
    if (!told || context == NULL)
        return;
    pail_stats stats = {.struct_size = sizeof(stats)};
    const pail_msm_job job = {
        .struct_size = sizeof(job), .bases = set->bases, .n = set->n + (how >= 0xf0)};
    status = backend->msm_estimate(context, &stats, &job, NULL);
    CHECK(went(t, context, status, how >= 0xf0 ? PAIL_ERR_ARGUMENT : PAIL_OK) ==
          (stats.n_jobs == 1));
}

/* ---- Threads -------------------------------------------------------------------------------- */
static void *run(void *argument)
{
    static void (*const calls[])(struct thread *) = {
        start,         start,   start,          finish,       finish,
        wait,          wait,    create_context, create_bases, create_bases,
        destroy_bases, abandon, look,           hand_over,    destroy_context,
    };
    static void (*const of_vectors[])(struct thread *) = {
        change_vector,
        start_operations,
        finish_operations,
        read_vector,
    };
    enum { N_CALLS = sizeof(calls) / sizeof(calls[0]) };
    struct thread *const t = argument;
    for (int i = 0; i < CALLS_MAX && t->bytes.size > 0; i++) {
        const uint8_t byte = next(&t->bytes);
        failed = false;
        fail_in = byte >= 0xf0 ? 1u + byte % 16u : 0; /* the allocation that fails */
        if (byte >= 0xb0 && byte < 0xc0)
            fail_in = 1u + byte / 4u % 4u;
        if (byte >= 0xa0 && byte < 0xc0)
            of_vectors[byte % 4](t);
        else
            calls[byte % N_CALLS](t);
        fail_in = 0;
    }
    for (size_t i = 0; i < WORKS; i++)
        t->world->backend->pending_abandon(&t->works[i].pending);
    destroy_context(t);
    CHECK(t->context == NULL);
    return NULL;
}

static void make_inputs(void)
{
    ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1);
    pail_make_bases(ops, points, false, 0, POINTS, PAIL_BASES_DISTINCT, SEED);
    pail_make_scalars(ops, scalars, POINTS, PAIL_SCALARS_BITS256, SEED);
    scalars[31] |= 0x80;
    memcpy(off_curve, points, sizeof(points));
    off_curve[64] ^= 1; /* point 1 leaves the curve */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (ops == NULL)
        make_inputs();
    if (size == 0)
        return 0;
    const size_t n_threads = 1 + data[0] % THREADS_MAX;
    struct world world = {.set = {.n = POINTS}};
    struct thread threads[THREADS_MAX];
    pthread_t ids[THREADS_MAX];
    atomic_init(&world.blocks, 0);
    world.host = (pail_host){
        .struct_size = sizeof(world.host),
        .abi_major = PAIL_ABI_MAJOR,
        .abi_minor = PAIL_ABI_MINOR,
        .user = &world,
        .alloc = allocate,
        .free = release,
    };
    const pail_context_params params = {
        .struct_size = sizeof(params), .device = PAIL_DEVICE_BEST, .threads = 1 + data[0] / 4 % 3};
    CHECK(pthread_mutex_init(&world.lock, NULL) == 0);
    CHECK(pail_cpu_open(&world.host, &world.backend) == PAIL_OK);
    CHECK(world.backend->context_create(&world.host, &world.context, &params) == PAIL_OK);
    for (size_t i = 0; i < n_threads; i++) {
        threads[i] = (struct thread){.world = &world};
        if (size > 1 + i)
            threads[i].bytes = (struct bytes){data + 1 + i, size - 1 - i, n_threads};
    }
    CHECK(make_bases(&threads[0], world.context, &world.set, 0, POINTS) == PAIL_OK);
    for (size_t i = 1; i < n_threads; i++)
        CHECK(pthread_create(&ids[i], NULL, run, &threads[i]) == 0);
    (void)run(&threads[0]);
    for (size_t i = 1; i < n_threads; i++)
        CHECK(pthread_join(ids[i], NULL) == 0);
    world.backend->pending_abandon(&world.mailbox.pending);
    world.backend->bases_destroy(world.context, &world.set.bases);
    world.backend->context_destroy(&world.context);
    CHECK(pthread_mutex_destroy(&world.lock) == 0);
    CHECK(atomic_load(&world.blocks) == 0);
    return 0;
}
