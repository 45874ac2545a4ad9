#include "adstack_bodies.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <nodes.h>

enum { ROUNDS = 9 };

static const char *const names[BENCH_BODIES] = {"max a[i]",
                                                "max a[i] + 1",
                                                "sum a[i] + b[i]",
                                                "max a[i] * b[i]",
                                                "max a[i] * 3",
                                                "sum max(a[i] - b[i], 0)",
                                                "sum min(a[i], b[i])",
                                                "max a[i] > 0 ? b[i] : 7"};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void need(const pail_backend *api, pail_context *context, pail_status status)
{
    if (status == PAIL_OK)
        return;
    (void)fprintf(stderr, "%s\n", api->error(context));
    exit(1);
}

static void tree_of(struct nodes *nodes, enum bench_body body, pail_dtype dtype)
{
    const int64_t index[] = {VARIABLE_INDEX(0)};
    const bool sum = body == BENCH_SUM_ADD || body == BENCH_SUM_SUB || body == BENCH_SUM_MIN;
    const int32_t begin = nodes_const(nodes, 0), end = nodes_shape(nodes, 0, 0);
    const int32_t a = nodes_read(nodes, PAIL_NODE_ARRAY_READ, 0, dtype, 1, index);
    const int32_t b = nodes_read(nodes, PAIL_NODE_ARRAY_READ, 1, dtype, 1, index);
    int32_t cell = a;
    if (body == BENCH_MAX_ADD_1)
        cell = nodes_op(nodes, PAIL_NODE_ADD, a, nodes_const(nodes, 1));
    else if (body == BENCH_SUM_ADD)
        cell = nodes_op(nodes, PAIL_NODE_ADD, a, b);
    else if (body == BENCH_MAX_MUL)
        cell = nodes_op(nodes, PAIL_NODE_MUL, a, b);
    else if (body == BENCH_MAX_MUL_3)
        cell = nodes_op(nodes, PAIL_NODE_MUL, a, nodes_const(nodes, 3));
    else if (body == BENCH_SUM_SUB)
        cell = nodes_op(nodes, PAIL_NODE_SUB, a, b);
    else if (body == BENCH_SUM_MIN)
        cell = nodes_op(nodes, PAIL_NODE_MIN, a, b);
    else if (body == BENCH_MAX_SELECT)
        cell = nodes_select(nodes, a, b, nodes_const(nodes, 7));
    (void)nodes_range(nodes, sum ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE, 0, begin,
                      end, cell);
}

static pail_adstack_kernel kernel_of(const pail_backend *api, pail_context *context,
                                     enum bench_body body, pail_dtype dtype)
{
    static const uint8_t ranks[] = {1, 1};
    struct nodes nodes = {0};
    tree_of(&nodes, body, dtype);
    const pail_stack_desc stack = {
        .struct_size = sizeof(stack), .element_bytes = 4, .copies = 1, .tree = nodes_tree(&nodes)};
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = &stack, .n_stacks = 1};
    const pail_kernel_desc desc = {.struct_size = sizeof(desc),
                                   .name = "bodies",
                                   .name_bytes = 6,
                                   .tasks = &task,
                                   .n_tasks = 1,
                                   .source_rank = ranks,
                                   .n_sources = 2};
    pail_adstack_kernel kernel;
    uint32_t id;
    need(api, context, api->adstack_register(context, &kernel, &id, &desc));
    nodes_free(&nodes);
    return kernel;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench_one(const pail_backend *api, pail_context *context, enum bench_body body,
                      bool wide, const void *const data[2], int64_t n)
{
    const pail_dtype dtype = wide ? PAIL_DTYPE_I64 : PAIL_DTYPE_I32;
    const pail_adstack_kernel kernel = kernel_of(api, context, body, dtype);
    pail_binding bindings[2];
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] = (pail_binding){.struct_size = sizeof(bindings[i]),
                                     .source = i,
                                     .identity = 100 + i,
                                     .generation = 1,
                                     .host = data[i],
                                     .size_bytes = (uint64_t)n * (wide ? 8 : 4),
                                     .dtype = dtype,
                                     .rank = 1,
                                     .shape = &n};
    const pail_task_launch threads = {.struct_size = sizeof(threads), .threads = 1};
    const pail_launch launch = {.struct_size = sizeof(launch),
                                .flags = PAIL_LAUNCH_HOST | PAIL_LAUNCH_NO_CACHE,
                                .kernel = kernel,
                                .bindings = bindings,
                                .n_bindings = 2,
                                .tasks = &threads,
                                .n_tasks = 1};
    double pail[ROUNDS], loop[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
        pail_adstack_result *result;
        pail_stack_size size = {.struct_size = sizeof(size)};
        double start = now_ns();
        need(api, context, api->adstack_evaluate(context, &result, &launch));
        const double by_pail = now_ns() - start;
        need(api, context, api->adstack_stack_size(result, &size, 0, 0));
        api->adstack_release(result);
        int overflow = 0;
        start = now_ns();
        const int64_t expected = bench_loops[wide][body](data[0], data[1], (size_t)n, &overflow);
        const double by_loop = now_ns() - start;
        if (overflow || size.raw != expected) {
            (void)fprintf(stderr, "%s: %" PRId64 ", the loop has %" PRId64 "\n", names[body],
                          size.raw, expected);
            exit(1);
        }
        if (round >= 0)
            pail[round] = by_pail / (double)n, loop[round] = by_loop / (double)n;
    }
    qsort(pail, ROUNDS, sizeof(pail[0]), by_value);
    qsort(loop, ROUNDS, sizeof(loop[0]), by_value);
    (void)printf("%-26s %s %8.3f ns %8.3f ns %7.2fx\n", names[body], wide ? "i64" : "i32",
                 pail[ROUNDS / 2], loop[ROUNDS / 2], pail[ROUNDS / 2] / loop[ROUNDS / 2]);
    (void)api->adstack_unregister(context, kernel);
}

void bench_bodies(const pail_backend *api, pail_context *context, unsigned log2_cells)
{
    const size_t n = (size_t)1 << log2_cells;
    int32_t *narrow[2];
    int64_t *wide[2];
    for (int k = 0; k < 2; k++) {
        narrow[k] = malloc(n * sizeof(*narrow[k]));
        wide[k] = malloc(n * sizeof(*wide[k]));
        if (!narrow[k] || !wide[k]) {
            (void)fprintf(stderr, "no host memory for 2^%u elements\n", log2_cells);
            exit(1);
        }
        for (size_t i = 0; i < n; i++) {
            narrow[k][i] = (int32_t)((uint32_t)(i + 7 * (size_t)k) * 2654435761u >> 8) - (1 << 22);
            wide[k][i] = (int64_t)narrow[k][i] * 64;
        }
    }
    (void)printf("host, 2^%u cells, median of %d rounds in turns; the loop: C, checked 64 bits\n",
                 log2_cells, ROUNDS);
    (void)printf("%-26s type %10s %11s %8s\n", "body", "Pail", "loop", "of loop");
    for (int body = 0; body < BENCH_BODIES; body++) {
        const void *const of_narrow[] = {narrow[0], narrow[1]}, *const of_wide[] = {wide[0],
                                                                                    wide[1]};
        bench_one(api, context, (enum bench_body)body, false, of_narrow, (int64_t)n);
        bench_one(api, context, (enum bench_body)body, true, of_wide, (int64_t)n);
    }
    for (int k = 0; k < 2; k++) {
        free(narrow[k]);
        free(wide[k]);
    }
}
