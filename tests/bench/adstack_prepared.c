/* SPDX-License-Identifier: Apache-2.0 */
#include "adstack_prepared.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <platform/clock.h>
#include <platform/machine.h>

enum { ARRAYS = 500, LENGTH = 64, LAUNCHES = 20000, ROUNDS = 11, THREADS = 16, THREAD_MS = 300 };

static const pail_backend *api;
static pail_context *context;

static void must(bool good, const char *what)
{
    if (good)
        return;
    (void)fprintf(stderr, "%s: %s\n", what, api->error(context));
    exit(1);
}

/* A kernel with a stack for each array, of its largest element. */
struct subject {
    uint32_t n;
    int32_t (*values)[LENGTH];
    pail_binding *bindings;
    pail_task_launch threads;
    pail_adstack_kernel kernel;
    pail_launch launch;
    pail_adstack_prepared *prepared;
};

static const int64_t shape[1] = {LENGTH};

static void register_kernel(struct subject *s)
{
    static const int64_t index = -1; /* the variable 0 */
    pail_node(*nodes)[4] = calloc(s->n, sizeof(*nodes));
    pail_stack_desc *stacks = calloc(s->n, sizeof(*stacks));
    uint8_t *ranks = malloc(s->n);
    must(nodes && stacks && ranks, "host memory");
    memset(ranks, 1, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        for (int k = 0; k < 4; k++)
            nodes[i][k] =
                (pail_node){.a = -1, .b = -1, .body = -1, .variable = -1, .source = -1, .axis = -1};
        nodes[i][0].kind = PAIL_NODE_CONST;
        nodes[i][1].kind = PAIL_NODE_SHAPE, nodes[i][1].source = (int32_t)i, nodes[i][1].axis = 0;
        nodes[i][2].kind = PAIL_NODE_ARRAY_READ, nodes[i][2].dtype = PAIL_DTYPE_I32;
        nodes[i][2].source = (int32_t)i, nodes[i][2].index_count = 1;
        nodes[i][3].kind = PAIL_NODE_MAX_OVER_RANGE, nodes[i][3].a = 0, nodes[i][3].b = 1;
        nodes[i][3].body = 2, nodes[i][3].variable = 0;
        stacks[i] = (pail_stack_desc){.struct_size = sizeof(stacks[i]),
                                      .element_bytes = 4,
                                      .copies = 2,
                                      .tree = {nodes[i], 4, &index, 1}};
    }
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = stacks, .n_stacks = s->n};
    const pail_kernel_desc desc = {.struct_size = sizeof(desc),
                                   .name = "prepared",
                                   .name_bytes = 8,
                                   .tasks = &task,
                                   .n_tasks = 1,
                                   .source_rank = ranks,
                                   .n_sources = s->n};
    uint32_t id;
    must(api->adstack_register(context, &s->kernel, &id, &desc) == PAIL_OK, "adstack_register");
    free(nodes);
    free(stacks);
    free(ranks);
}

static void make(struct subject *s, uint32_t n, uint64_t first_identity)
{
    *s = (struct subject){.n = n};
    s->values = calloc(n, sizeof(*s->values));
    s->bindings = calloc(n, sizeof(*s->bindings));
    must(s->values && s->bindings, "host memory");
    register_kernel(s);
    for (uint32_t i = 0; i < n; i++) {
        s->values[i][i % LENGTH] = 1000 + (int32_t)i;
        s->bindings[i] = (pail_binding){.struct_size = sizeof(s->bindings[i]),
                                        .source = i,
                                        .identity = first_identity + i,
                                        .host = s->values[i],
                                        .size_bytes = sizeof(s->values[i]),
                                        .dtype = PAIL_DTYPE_I32,
                                        .rank = 1,
                                        .shape = shape};
    }
    s->threads = (pail_task_launch){.struct_size = sizeof(s->threads), .threads = 64};
    s->launch = (pail_launch){.struct_size = sizeof(s->launch),
                              .kernel = s->kernel,
                              .bindings = s->bindings,
                              .n_bindings = n,
                              .tasks = &s->threads,
                              .n_tasks = 1};
    must(api->adstack_prepare(context, &s->prepared, &s->launch) == PAIL_OK, "adstack_prepare");
}

static void free_all(struct subject *s)
{
    api->adstack_prepared_destroy(&s->prepared);
    (void)api->adstack_unregister(context, s->kernel);
    free(s->values);
    free(s->bindings);
}

/* All sizes, but for the last array, which is `last`. */
static void expect_sizes(const struct subject *s, const pail_adstack_result *result, int64_t last)
{
    for (uint32_t i = 0; i < s->n; i++) {
        pail_stack_size size = {.struct_size = sizeof(size)};
        must(api->adstack_stack_size(result, &size, 0, i) == PAIL_OK, "adstack_stack_size");
        must(size.raw == (i + 1 < s->n ? 1000 + (int64_t)i : last), "the size of a stack");
    }
}

/* ---- Ways to launch -------------------------------------------------------------------------- */
static pail_adstack_result *evaluate(struct subject *s, const pail_launch_change *change)
{
    pail_adstack_result *result = NULL;
    must(api->adstack_evaluate_prepared(s->prepared, &result, change) == PAIL_OK,
         "adstack_evaluate_prepared");
    return result;
}

static pail_adstack_result *described(struct subject *s, uint64_t i)
{
    pail_adstack_result *result = NULL;
    (void)i;
    must(api->adstack_evaluate(context, &result, &s->launch) == PAIL_OK, "adstack_evaluate");
    return result;
}

static pail_adstack_result *unchanged(struct subject *s, uint64_t i)
{
    const pail_launch_change change = {.struct_size = sizeof(change), .serial = i};
    return evaluate(s, &change);
}

/* The last array has one of two generations. */
static pail_adstack_result *one_generation(struct subject *s, uint64_t i)
{
    const pail_generation generation = {
        .struct_size = sizeof(generation), .source = s->n - 1, .generation = 10 + i % 2};
    const pail_launch_change change = {
        .struct_size = sizeof(change), .serial = i, .generations = &generation, .n_generations = 1};
    return evaluate(s, &change);
}

/* The last array is one of two, of which the other one's largest element is 7. */
static pail_adstack_result *one_binding(struct subject *s, uint64_t i)
{
    static const int32_t other[LENGTH] = {7};
    pail_binding binding = s->bindings[s->n - 1];
    if (i % 2) {
        binding.identity += UINT64_C(1) << 40;
        binding.host = other;
    }
    const pail_launch_change change = {
        .struct_size = sizeof(change), .serial = i, .bindings = &binding, .n_bindings = 1};
    return evaluate(s, &change);
}

static pail_adstack_result *other_threads(struct subject *s, uint64_t i)
{
    const pail_task_launch threads = {.struct_size = sizeof(threads), .threads = 64 + i % 2};
    const pail_launch_change change = {
        .struct_size = sizeof(change), .serial = i, .tasks = &threads, .n_tasks = 1};
    return evaluate(s, &change);
}

/* An array that the launch does not have is written. */
static pail_adstack_result *others_write(struct subject *s, uint64_t i)
{
    api->adstack_bump(context, 1);
    return unchanged(s, i);
}

static const struct way {
    const char *name;
    pail_adstack_result *(*launch)(struct subject *s, uint64_t i);
    int64_t odd; /* size of the last stack in odd launches; 0: as in even ones */
} ways[] = {{"adstack_evaluate", described, 0},  {"prepared", unchanged, 0},
            {"a generation", one_generation, 0}, {"a binding", one_binding, 7},
            {"threads", other_threads, 0},       {"another's write", others_write, 0}};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static uint64_t hits(void)
{
    pail_adstack_stats stats = {.struct_size = sizeof(stats)};
    api->adstack_stats(context, &stats);
    return stats.launch_hits;
}

/* Processor time of this thread, whoever else uses the processor. */
static double thread_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Microseconds of a launch. */
static double measure(struct subject *s, const struct way *way)
{
    for (uint64_t i = 0; i < 6; i++) {
        pail_adstack_result *result = way->launch(s, i);
        expect_sizes(s, result, i % 2 && way->odd ? way->odd : 1000 + (int64_t)s->n - 1);
        api->adstack_release(result);
    }
    const uint64_t before = hits();
    const double start = thread_us();
    for (uint64_t i = 0; i < LAUNCHES; i++)
        api->adstack_release(way->launch(s, i));
    const double us = (thread_us() - start) / LAUNCHES;
    must(hits() == before + LAUNCHES, "launches that hit");
    api->adstack_release(way->launch(s, 0)); /* as it was */
    return us;
}

static void print_costs(void)
{
    const uint32_t arrays[] = {8, 100, ARRAYS};
    (void)printf("us of the thread for a launch that hits, least of %d rounds of %d in turns\n%-7s",
                 ROUNDS, LAUNCHES, "arrays");
    for (size_t w = 0; w < WAYS; w++)
        (void)printf(" %16s", ways[w].name);
    (void)printf("\n");
    for (size_t a = 0; a < sizeof(arrays) / sizeof(arrays[0]); a++) {
        struct subject s, other;
        double us[WAYS];
        make(&s, arrays[a], 1000);
        make(&other, 1, 1); /* so that there is an array 1 */
        for (int round = 0; round < ROUNDS; round++)
            for (size_t w = 0; w < WAYS; w++) {
                const double now = measure(&s, &ways[w]);
                us[w] = round == 0 || now < us[w] ? now : us[w];
            }
        (void)printf("%-7u", arrays[a]);
        for (size_t w = 0; w < WAYS; w++)
            (void)printf(" %16.3f", us[w]);
        (void)printf("\n");
        free_all(&other);
        free_all(&s);
    }
}

/* ---- Threads --------------------------------------------------------------------------------- */
struct worker {
    char apart[64];
    struct subject subject;
    pthread_t thread;
    const struct way *way;
    atomic_bool *stop;
    uint64_t launches;
    char apart_too[64];
};

static void *work(void *user)
{
    struct worker *w = user;
    uint64_t n = 0;
    while (!atomic_load_explicit(w->stop, memory_order_relaxed)) {
        for (int i = 0; i < 64; i++)
            api->adstack_release(w->way->launch(&w->subject, 2 * n));
        n += 64;
    }
    w->launches = n;
    return NULL;
}

/* Launches of n threads in a microsecond. */
static double rate(struct worker *workers, uint32_t n, const struct way *way)
{
    atomic_bool stop = false;
    uint64_t launches = 0;
    const double start = pail_now_ms();
    for (uint32_t i = 0; i < n; i++) {
        workers[i].way = way;
        workers[i].stop = &stop;
        must(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "a thread");
    }
    (void)nanosleep(&(const struct timespec){0, THREAD_MS * 1000000L}, NULL);
    atomic_store(&stop, true);
    for (uint32_t i = 0; i < n; i++)
        (void)pthread_join(workers[i].thread, NULL);
    const double us = (pail_now_ms() - start) * 1e3;
    for (uint32_t i = 0; i < n; i++)
        launches += workers[i].launches;
    return (double)launches / us;
}

static void print_threads(void)
{
    struct worker *workers = calloc(THREADS, sizeof(*workers));
    must(workers, "host memory");
    for (uint32_t i = 0; i < THREADS; i++)
        make(&workers[i].subject, 100, 1000 * (i + 1));
    (void)printf("launches in a us of threads on a kernel of 100 arrays each; %u processors\n"
                 "%-7s %16s %16s\n",
                 pail_machine_processors(), "threads", ways[0].name, ways[1].name);
    for (uint32_t n = 1; n <= THREADS; n *= 2)
        (void)printf("%-7u %16.2f %16.2f\n", n, rate(workers, n, &ways[0]),
                     rate(workers, n, &ways[1]));
    for (uint32_t i = 0; i < THREADS; i++) {
        pail_adstack_result *result = unchanged(&workers[i].subject, 0);
        expect_sizes(&workers[i].subject, result, 1099);
        api->adstack_release(result);
        free_all(&workers[i].subject);
    }
    free(workers);
}

void bench_prepared(const pail_backend *backend, pail_context *in)
{
    api = backend;
    context = in;
    if (!PAIL_HAS(api, adstack_prepare)) {
        (void)fprintf(stderr, "%s: no prepared launches\n", api->version);
        exit(1);
    }
    print_costs();
    print_threads();
}
