/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of adstack sizing.
 *
 *     bench_adstack PLUGIN launches            a launch of 2 tasks with 300 stacks each, cold, with
 *                                              arrays in device and in host memory, again, and with
 *                                              other threads: all but the first in time of the
 *                                              thread
 *
 *     bench_adstack PLUGIN prepared            launches of 8, 100 and 500 arrays that hit, each
 *                                              described anew and prepared; by several threads
 *
 *     bench_adstack PLUGIN max LOG2_CELLS      the largest of an array of i32, against a copy on
 *                                              the device and a loop on the CPU, in turns
 *
 * Every result is compared with what is known to be right before a time is printed. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pail/backend.h>
#include <platform/clock.h>

#include "adstack_prepared.h"
#include "own_device.h"

enum {
    SOURCES = 8,
    TASKS = 2,
    STACKS = 300,
    LENGTH = 4096,
    SHORT = 64, /* of arrays in host memory */
    HITS = 100000,
    OTHERS = 10000,
    TURNS = 64,
    ROUNDS = 21,
    WARM_MS = 300,
    SLOW_MS = 10000
};

static const pail_backend *api;
static pail_context *context;

/* Processor time of this thread: for work that waits for nobody, whoever else uses the processor.
 * */
static double thread_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void check(pail_status status, const char *what)
{
    if (status == PAIL_OK)
        return;
    (void)fprintf(stderr, "%s: %s\n", what, api->error(context));
    exit(1);
}

static void expect(bool right, const char *what)
{
    if (right)
        return;
    (void)fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double v[], size_t n)
{
    qsort(v, n, sizeof(v[0]), by_value);
    return v[n / 2];
}

static double median(double v[ROUNDS])
{
    return median_of(v, ROUNDS);
}

static pail_adstack_stats stats_now(void)
{
    pail_adstack_stats stats = {.struct_size = sizeof(stats)};
    api->adstack_stats(context, &stats);
    return stats;
}

/* max over i in [0, shape(source)) of source[i] + add */
static void tree_of(pail_node nodes[7], int64_t *index, int32_t source, int64_t add)
{
    const pail_node blank = {
        .a = -1, .b = -1, .body = -1, .variable = -1, .source = -1, .axis = -1};
    for (int i = 0; i < 7; i++)
        nodes[i] = blank;
    *index = -1; /* variable 0 */
    nodes[0].kind = PAIL_NODE_CONST;
    nodes[1].kind = PAIL_NODE_SHAPE, nodes[1].source = source, nodes[1].axis = 0;
    nodes[2].kind = PAIL_NODE_ARRAY_READ, nodes[2].dtype = PAIL_DTYPE_I32;
    nodes[2].source = source, nodes[2].index_count = 1;
    nodes[3].kind = PAIL_NODE_CONST, nodes[3].imm = add;
    nodes[4].kind = PAIL_NODE_ADD, nodes[4].a = 2, nodes[4].b = 3;
    nodes[5].kind = PAIL_NODE_MAX_OVER_RANGE, nodes[5].a = 0, nodes[5].b = 1;
    nodes[5].body = add ? 4 : 2, nodes[5].variable = 0;
}

static pail_stack_desc stack_of(const pail_node *nodes, const int64_t *index)
{
    return (pail_stack_desc){
        .struct_size = sizeof(pail_stack_desc),
        .heap = PAIL_HEAP_FLOAT,
        .element_bytes = 4,
        .copies = 2,
        .tree = {.nodes = nodes, .n_nodes = 6, .indices = index, .n_indices = 1}};
}

static pail_adstack_kernel register_kernel(const pail_task_desc *tasks, size_t n_tasks,
                                           size_t n_sources)
{
    static const uint8_t ranks[SOURCES] = {1, 1, 1, 1, 1, 1, 1, 1};
    const pail_kernel_desc desc = {.struct_size = sizeof(desc),
                                   .name = "bench",
                                   .name_bytes = 5,
                                   .tasks = tasks,
                                   .n_tasks = n_tasks,
                                   .source_rank = ranks,
                                   .n_sources = n_sources};
    pail_adstack_kernel kernel;
    uint32_t ids[TASKS];
    check(api->adstack_register(context, &kernel, ids, &desc), "adstack_register");
    return kernel;
}

static pail_binding bind(uint32_t source, const struct own_array *array, uint64_t generation,
                         const int64_t *shape)
{
    return (pail_binding){.struct_size = sizeof(pail_binding),
                          .source = source,
                          .identity = source + 1,
                          .generation = generation,
                          .device_address = array->address,
                          .size_bytes = array->bytes,
                          .dtype = PAIL_DTYPE_I32,
                          .rank = 1,
                          .shape = shape};
}

static int64_t raw_of(const pail_adstack_result *result, size_t task, size_t stack)
{
    pail_stack_size size = {.struct_size = sizeof(size)};
    check(api->adstack_stack_size(result, &size, task, stack), "adstack_stack_size");
    return size.raw;
}

/* Milliseconds of a launch that differs from all before it in the threads of a task alone. */
static double with_other_threads(const pail_launch *launch, pail_task_launch *task)
{
    const uint64_t threads = task->threads;
    const pail_adstack_stats before = stats_now();
    const double start = thread_ms();
    for (uint64_t i = 1; i <= OTHERS; i++) {
        pail_adstack_result *result;
        task->threads = threads + i;
        check(api->adstack_evaluate(context, &result, launch), "adstack_evaluate");
        api->adstack_release(result);
    }
    const double ms = (thread_ms() - start) / OTHERS;
    task->threads = threads;
    expect(stats_now().submissions == before.submissions, "no work of the device");
    return ms;
}

/* Milliseconds of a launch that was there TURNS launches before. */
static double with_bindings_in_turn(const pail_launch *launch, pail_binding *binding)
{
    const uint64_t generation = binding->generation;
    double start = 0;
    uint64_t hits = 0;
    for (uint64_t i = 0; i < TURNS + OTHERS; i++) {
        pail_adstack_result *result;
        if (i == TURNS) {
            start = thread_ms();
            hits = stats_now().launch_hits;
        }
        binding->generation = (UINT64_C(1) << 40) + i % TURNS;
        check(api->adstack_evaluate(context, &result, launch), "adstack_evaluate");
        api->adstack_release(result);
    }
    const double ms = (thread_ms() - start) / OTHERS;
    (void)printf("%s", stats_now().launch_hits == hits + OTHERS ? "" : "(not all are found)\n");
    binding->generation = generation;
    return ms;
}

/* Milliseconds of a launch whose arrays changed since the last one: the best of ROUNDS, of the
 * first SHORT elements of arrays in host memory. */
static double cold_on_host(pail_launch launch, const int32_t *const values[SOURCES])
{
    static const int64_t shape[1] = {SHORT};
    pail_binding bindings[SOURCES];
    double best = SLOW_MS;
    for (uint32_t s = 0; s < SOURCES; s++) {
        bindings[s] = bind(s, &(struct own_array){.bytes = sizeof(values[0][0]) * SHORT}, 0, shape);
        bindings[s].identity += SOURCES;
        bindings[s].host = values[s];
    }
    launch.bindings = bindings;
    launch.flags |= PAIL_LAUNCH_HOST;
    for (int round = 0; round < ROUNDS; round++) {
        pail_adstack_result *result;
        for (uint32_t s = 0; s < SOURCES; s++)
            bindings[s].generation = (uint64_t)round + 1;
        const pail_adstack_stats before = stats_now();
        const double start = thread_ms();
        check(api->adstack_evaluate(context, &result, &launch), "adstack_evaluate");
        const double ms = thread_ms() - start;
        best = ms < best ? ms : best;
        expect(stats_now().submissions == before.submissions, "no work of the device");
        for (int i = 0; i < TASKS * STACKS; i++)
            expect(raw_of(result, (size_t)i / STACKS, (size_t)i % STACKS) ==
                       values[i % SOURCES][SHORT - 1] + 1 + i,
                   "the size of a stack");
        api->adstack_release(result);
    }
    return best;
}

static void launches(struct own_device *device)
{
    static pail_node nodes[TASKS * STACKS][7];
    static int64_t indices[TASKS * STACKS];
    static pail_stack_desc stacks[TASKS * STACKS];
    static int32_t values[SOURCES][LENGTH];
    static const int64_t shape[1] = {LENGTH};
    const int32_t *all_values[SOURCES];
    struct own_array arrays[SOURCES];
    pail_binding bindings[SOURCES];
    for (uint32_t s = 0; s < SOURCES; s++) {
        for (int32_t i = 0; i < LENGTH; i++)
            values[s][i] = i;
        values[s][LENGTH - 1] = 10000 * (int32_t)(s + 1);
        all_values[s] = values[s];
        own_array_make(device, &arrays[s], values[s], sizeof(values[s]));
        bindings[s] = bind(s, &arrays[s], 1, shape);
    }
    for (int i = 0; i < TASKS * STACKS; i++) {
        tree_of(nodes[i], &indices[i], i % SOURCES, 1 + i);
        stacks[i] = stack_of(nodes[i], &indices[i]);
    }
    pail_task_desc tasks[TASKS];
    pail_task_launch threads[TASKS];
    for (int t = 0; t < TASKS; t++) {
        tasks[t] = (pail_task_desc){.struct_size = sizeof(tasks[t]),
                                    .task_index = t,
                                    .stacks = &stacks[(size_t)t * STACKS],
                                    .n_stacks = STACKS};
        threads[t] = (pail_task_launch){.struct_size = sizeof(pail_task_launch), .threads = 1024};
    }
    const pail_adstack_kernel kernel = register_kernel(tasks, TASKS, SOURCES);
    const pail_launch launch = {.struct_size = sizeof(launch),
                                .kernel = kernel,
                                .bindings = bindings,
                                .n_bindings = SOURCES,
                                .tasks = threads,
                                .n_tasks = TASKS};
    double cold[ROUNDS], device_of[ROUNDS], thread_of[ROUNDS], hit[ROUNDS], other[ROUNDS];
    double turns[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) { /* the first one warms up */
        pail_adstack_result *result;
        for (uint32_t s = 0; s < SOURCES; s++)
            bindings[s].generation++;
        const pail_adstack_stats before = stats_now();
        const double thread_start = thread_ms();
        double start = pail_now_ms();
        check(api->adstack_evaluate(context, &result, &launch), "adstack_evaluate");
        const double cold_ms = pail_now_ms() - start, cold_thread_ms = thread_ms() - thread_start;
        const pail_adstack_stats after = stats_now();
        const double cold_device_ms = (double)(after.device_ns - before.device_ns) * 1e-6;
        expect(after.submissions == before.submissions + 1 && after.waits == before.waits + 1,
               "one submission and one wait for a cold launch");
        for (int i = 0; i < TASKS * STACKS; i++)
            expect(raw_of(result, (size_t)i / STACKS, (size_t)i % STACKS) ==
                       10000 * (i % SOURCES + 1) + 1 + i,
                   "the size of a stack");
        api->adstack_release(result);
        start = thread_ms();
        for (int i = 0; i < HITS; i++) {
            (void)api->adstack_evaluate(context, &result, &launch);
            api->adstack_release(result);
        }
        const double hit_ms = (thread_ms() - start) / HITS;
        const pail_adstack_stats last = stats_now();
        expect(last.launch_hits == after.launch_hits + HITS &&
                   last.submissions == after.submissions && last.waits == after.waits,
               "hits without work of the device");
        const double other_ms = with_other_threads(&launch, &threads[1]);
        const double turns_ms = with_bindings_in_turn(&launch, &bindings[0]);
        if (round >= 0)
            cold[round] = cold_ms, device_of[round] = cold_device_ms,
            thread_of[round] = cold_thread_ms, hit[round] = hit_ms, other[round] = other_ms,
            turns[round] = turns_ms;
    }
    const double cold_ms = median(cold), hit_ms = median(hit), other_ms = median(other);
    const double turns_ms = median(turns);
    (void)printf("%d stacks in %d tasks, %d arrays on %s\n", TASKS * STACKS, TASKS, SOURCES,
                 own_device_name(device));
    (void)printf("cold launch     %8.3f ms   (%.3f to %.3f), one submission, one wait\n", cold_ms,
                 cold[0], cold[ROUNDS - 1]);
    (void)printf("  of it         %8.3f ms   on the device, %.3f ms of the thread\n",
                 median(device_of), median(thread_of));
    (void)printf("cold on the host%8.3f ms   the best, time of the thread, %d elements an array\n",
                 cold_on_host(launch, all_values), SHORT);
    (void)printf("cached launch   %8.3f us   (%.3f to %.3f), none\n", hit_ms * 1e3, hit[0] * 1e3,
                 hit[ROUNDS - 1] * 1e3);
    (void)printf("other threads   %8.3f us   (%.3f to %.3f), none\n", other_ms * 1e3,
                 other[0] * 1e3, other[ROUNDS - 1] * 1e3);
    (void)printf("%3d in turn     %8.3f us   (%.3f to %.3f), none\n", TURNS, turns_ms * 1e3,
                 turns[0] * 1e3, turns[ROUNDS - 1] * 1e3);
    (void)api->adstack_unregister(context, kernel);
    for (uint32_t s = 0; s < SOURCES; s++)
        own_array_free(device, &arrays[s]);
}

/* Kept out of line so that the compiler sees a loop over an array and nothing else. */
__attribute__((noinline)) static int32_t max_of(const int32_t *v, size_t n)
{
    int32_t max = 0;
    for (size_t i = 0; i < n; i++)
        max = v[i] > max ? v[i] : max;
    return max;
}

struct way {
    const char *name;
    bool host; /* contents are in host memory */
    uint32_t flags;
    size_t n; /* rounds */
    double spent, wall[ROUNDS], device[ROUNDS];
};

static void evaluate_way(struct way *way, pail_adstack_kernel kernel, const pail_binding *binding,
                         int32_t expected, int round)
{
    if (way->n > 0 && way->spent > SLOW_MS)
        return;
    const pail_task_launch threads = {.struct_size = sizeof(pail_task_launch), .threads = 1};
    const pail_launch launch = {.struct_size = sizeof(launch),
                                .flags = way->flags,
                                .kernel = kernel,
                                .bindings = binding,
                                .n_bindings = 1,
                                .tasks = &threads,
                                .n_tasks = 1};
    pail_adstack_result *result;
    const pail_adstack_stats before = stats_now();
    const double start = pail_now_ms();
    check(api->adstack_evaluate(context, &result, &launch), way->name);
    const double wall = pail_now_ms() - start;
    const pail_adstack_stats after = stats_now();
    expect(raw_of(result, 0, 0) == expected, way->name);
    const uint64_t specialised = after.specialised - before.specialised;
    expect(!(way->flags & PAIL_LAUNCH_SPECIALISE) || specialised == 1, "not specialised");
    expect(!(way->flags & PAIL_LAUNCH_INTERPRET) || specialised == 0, "not interpreted");
    api->adstack_release(result);
    if (round < 0)
        return;
    way->spent += wall;
    way->wall[way->n] = wall;
    way->device[way->n++] = (double)(after.device_ns - before.device_ns) * 1e-6;
}

static void largest(struct own_device *device, unsigned log2_cells)
{
    const size_t n = (size_t)1 << log2_cells;
    const double bytes = (double)(n * sizeof(int32_t));
    int32_t *values = malloc(n * sizeof(*values));
    expect(values, "host memory");
    for (size_t i = 0; i < n; i++)
        values[i] = (int32_t)((uint32_t)i * 2654435761u >> 8); /* below 2^24 */
    values[n - 1] = 1 << 30;
    struct own_array array;
    own_array_make(device, &array, values, n * sizeof(*values));
    const int64_t shape[1] = {(int64_t)n};
    pail_node nodes[7];
    int64_t index;
    tree_of(nodes, &index, 0, 0);
    const pail_stack_desc stack = stack_of(nodes, &index);
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = &stack, .n_stacks = 1};
    const pail_adstack_kernel kernel = register_kernel(&task, 1, 1);
    pail_binding on_device = bind(0, &array, 1, shape), on_host = on_device;
    on_host.identity++;
    on_host.host = values;
    on_host.device_address = 0;

    struct way ways[] = {
        {.name = "at a device address, Pail's choice"},
        {.name = "on the device, specialised",
         .flags = PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_SPECIALISE},
        {.name = "on the device, interpreted", .flags = PAIL_LAUNCH_DEVICE | PAIL_LAUNCH_INTERPRET},
        {.name = "in host memory, Pail's choice", .host = true},
    };
    const size_t n_ways = sizeof(ways) / sizeof(ways[0]);
    /* First what the device does, without work of the host in between: a card lowers its clock
     * while it waits. What is the host's own work is done in turns with its loop. */
    const pail_adstack_stats unused = stats_now();
    on_device.generation++;
    evaluate_way(&ways[0], kernel, &on_device, values[n - 1], -1);
    const bool by_host = stats_now().host_cells > unused.host_cells;
    double loop[ROUNDS], copy_command[ROUNDS], copy_kernel[ROUNDS];
    const double start = pail_now_ms();
    for (int round = -2; round<ROUNDS; round += pail_now_ms() - start> WARM_MS || round < -1) {
        for (size_t w = 0; w < n_ways; w++) {
            on_device.generation++;
            if (!ways[w].host && !(by_host && w == 0))
                evaluate_way(&ways[w], kernel, &on_device, values[n - 1], round);
        }
        double command_ms, kernel_ms;
        own_copy(device, &array, &command_ms, &kernel_ms);
        if (round >= 0)
            copy_command[round] = command_ms, copy_kernel[round] = kernel_ms;
    }
    for (int round = -1; round < ROUNDS; round++) {
        for (size_t w = 0; w < n_ways; w++) {
            on_host.generation++;
            on_device.generation++;
            if (ways[w].host || (by_host && w == 0))
                evaluate_way(&ways[w], kernel, ways[w].host ? &on_host : &on_device, values[n - 1],
                             round);
        }
        const double begin = pail_now_ms();
        expect(max_of(values, n) == values[n - 1], "the loop");
        if (round >= 0)
            loop[round] = pail_now_ms() - begin;
    }
    const double by_command = median(copy_command), by_kernel = median(copy_kernel);
    const double copy_ms = by_command < by_kernel ? by_command : by_kernel;
    const double copy_gbs = 2 * bytes / copy_ms * 1e-6, loop_ms = median(loop);
    (void)printf("largest of 2^%u i32 on %s; median of %d rounds (of fewer where they take more "
                 "than %d s), in turns\n",
                 log2_cells, own_device_name(device), ROUNDS, SLOW_MS / 1000);
    (void)printf("%-34s %9.3f ms %7.0f GB/s\n", "copy: command (read and write)", by_command,
                 2 * bytes / by_command * 1e-6);
    (void)printf("%-34s %9.3f ms %7.0f GB/s\n", "copy: kernel (read and write)", by_kernel,
                 2 * bytes / by_kernel * 1e-6);
    (void)printf("%-34s %9.3f ms %7.1f GB/s\n", "loop on the CPU, one thread", loop_ms,
                 bytes / loop_ms * 1e-6);
    (void)printf("%-34s %12s %12s %9s %9s %9s\n", "Pail, array", "wall", "device", "GB/s",
                 "of copy", "of loop");
    for (size_t w = 0; w < n_ways; w++) {
        const double wall = median_of(ways[w].wall, ways[w].n);
        const double on = median_of(ways[w].device, ways[w].n);
        const double gbs = on > 0 ? bytes / on * 1e-6 : 0;
        (void)printf("%-34s %9.3f ms %9.3f ms %9.0f %8.0f%% %8.2fx\n", ways[w].name, wall, on, gbs,
                     100 * gbs / copy_gbs, wall / loop_ms);
    }
    (void)api->adstack_unregister(context, kernel);
    own_array_free(device, &array);
    free(values);
}

static void open_plugin(const char *path, struct own_device *device, void **library)
{
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    pail_backend_open_fn open = NULL;
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = *library ? dlsym(*library, PAIL_BACKEND_SYMBOL) : NULL;
    memcpy(&open, &symbol, sizeof(open));
    if (!symbol || open(&host, &api) != PAIL_OK || !PAIL_HAS(api, adstack_evaluate)) {
        (void)fprintf(stderr, "%s: no plugin with adstack sizing\n", path);
        exit(1);
    }
    const pail_vulkan_import import = own_device_import(device);
    const pail_context_params params = {.struct_size = sizeof(params), .import = &import};
    check(api->context_create(&host, &context, &params), "context_create");
}

int main(int argc, char **argv)
{
    const bool max = argc == 4 && strcmp(argv[2], "max") == 0;
    const unsigned long cells = max ? strtoul(argv[3], NULL, 10) : 0;
    const bool prepared = argc == 3 && strcmp(argv[2], "prepared") == 0;
    if (!prepared && !(argc == 3 && strcmp(argv[2], "launches") == 0) &&
        !(cells >= 10 && cells <= 32)) {
        (void)fprintf(stderr, "usage: bench_adstack PLUGIN launches | prepared | max LOG2_CELLS\n");
        return 2;
    }
    struct own_device *device = own_device_open();
    void *library;
    open_plugin(argv[1], device, &library);
    if (max)
        largest(device, (unsigned)cells);
    else if (prepared)
        bench_prepared(api, context);
    else
        launches(device);
    api->context_destroy(&context);
    (void)dlclose(library);
    own_device_close(device);
    return 0;
}
