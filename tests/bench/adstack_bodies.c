/* SPDX-License-Identifier: Apache-2.0 */
/* Times of the host for simple bodies, against the same loop written in C.
 *
 *     bench_adstack_bodies LOG2_CELLS             with the columns for AVX2
 *     bench_adstack_bodies_portable LOG2_CELLS    with the columns for every processor
 *
 * A row for each body and type: nanoseconds of a cell, in turns with the loop, which is compiled
 * with -O3 for the same processors. Times are of the thread and not of a clock, and the least of
 * all rounds, since others use the machine as well. Results are compared with the loop's. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <adstack/columns.h>
#include <nodes.h>
#include <pail/adstack_build.h>

#include "adstack_loops.h"

enum { ROUNDS = 25, CELLS = 1 << 24 /* all turns of a round */ };

static const char *const names[BENCH_BODIES] = {"count a[i] > 3",
                                                "count real a[i] > -0.5",
                                                "max a[i]",
                                                "sum a[i]",
                                                "max a[i] + 1",
                                                "sum a[i] + b[i]",
                                                "sum max(a[i] - b[i], 0)",
                                                "sum min(a[i], b[i])",
                                                "max max(a[i], b[i])",
                                                "max a[i] > 0 ? b[i] : 7",
                                                "max a[i] * b[i]",
                                                "sum a[i] * b[i]",
                                                "max a[i] * 3",
                                                "max a[i] * b[i] * b[i]"};

/* Elements: their types, and how many bits a and b have beside the sign. */
struct kind {
    const char *name;
    enum bench_types types;
    pail_dtype dtype[2];
    unsigned bits[2];
    bool products; /* products alone */
};

static const struct kind kinds[] = {
    {"i32", BENCH_I32, {PAIL_DTYPE_I32, PAIL_DTYPE_I32}, {20, 20}, false},
    {"i64", BENCH_I64, {PAIL_DTYPE_I64, PAIL_DTYPE_I64}, {20, 20}, false},
    {"i64, 36 and 12 bits", BENCH_I64, {PAIL_DTYPE_I64, PAIL_DTYPE_I64}, {36, 12}, true},
    {"i64, 1 in 100 of 48 bits", BENCH_I64, {PAIL_DTYPE_I64, PAIL_DTYPE_I64}, {0, 0}, true},
    {"i32 and i64", BENCH_MIXED, {PAIL_DTYPE_I32, PAIL_DTYPE_I64}, {13, 20}, true},
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *need(void *memory)
{
    if (!memory) {
        (void)fprintf(stderr, "no host memory\n");
        exit(1);
    }
    return memory;
}

static bool is_sum(enum bench_body body)
{
    return body == BENCH_COUNT || body == BENCH_COUNT_REAL || body == BENCH_SUM_READ ||
           body == BENCH_SUM_ADD || body == BENCH_SUM_SUB || body == BENCH_SUM_MIN ||
           body == BENCH_SUM_MUL;
}

/* 1 where the element is above a constant, else 0. */
static int32_t count_of(struct nodes *nodes, enum bench_body body, int32_t a, bool wide)
{
    pail_node room[32];
    pail_tree_builder t = pail_tree_begin(room, 32, NULL, 0);
    for (size_t i = 0; i < nodes->n; i++)
        (void)pail_tree_put(&t, nodes->nodes[i]);
    const int32_t yes = pail_tree_const(&t, 1), no = pail_tree_const(&t, 0);
    const int32_t cell = body == BENCH_COUNT ? pail_tree_compare(&t, PAIL_TREE_GREATER, a,
                                                                 pail_tree_const(&t, 3), yes, no)
                         : wide ? pail_tree_compare_double(&t, PAIL_TREE_GREATER, a, -0.5, yes, no)
                                : pail_tree_compare_float(&t, PAIL_TREE_GREATER, a, -0.5f, yes, no);
    while (nodes->n < t.n_nodes)
        (void)nodes_put(nodes, &room[nodes->n]);
    return cell;
}

static int32_t cell_of(struct nodes *nodes, enum bench_body body, int32_t a, int32_t b, bool wide)
{
    switch (body) {
    case BENCH_COUNT:
    case BENCH_COUNT_REAL:
        return count_of(nodes, body, a, wide);
    case BENCH_MAX_ADD_1:
        return nodes_op(nodes, PAIL_NODE_ADD, a, nodes_const(nodes, 1));
    case BENCH_SUM_ADD:
        return nodes_op(nodes, PAIL_NODE_ADD, a, b);
    case BENCH_SUM_SUB:
        return nodes_op(nodes, PAIL_NODE_SUB, a, b);
    case BENCH_SUM_MIN:
        return nodes_op(nodes, PAIL_NODE_MIN, a, b);
    case BENCH_MAX_MAX:
        return nodes_op(nodes, PAIL_NODE_MAX, a, b);
    case BENCH_MAX_SELECT:
        return nodes_select(nodes, a, b, nodes_const(nodes, 7));
    case BENCH_MAX_MUL:
    case BENCH_SUM_MUL:
        return nodes_op(nodes, PAIL_NODE_MUL, a, b);
    case BENCH_MAX_MUL_3:
        return nodes_op(nodes, PAIL_NODE_MUL, a, nodes_const(nodes, 3));
    case BENCH_MAX_MUL_MUL:
        return nodes_op(nodes, PAIL_NODE_MUL, nodes_op(nodes, PAIL_NODE_MUL, a, b), b);
    case BENCH_MAX_READ:
    case BENCH_SUM_READ:
    case BENCH_BODIES:
        break;
    }
    return a;
}

/* The program of a tree, over two arrays. Frees the nodes. */
static struct pail_ad_program *build(struct nodes *nodes, const uint8_t ranks[2])
{
    static const struct pail_alloc alloc;
    const pail_stack_desc stack = {
        .struct_size = sizeof(stack), .element_bytes = 4, .copies = 1, .tree = nodes_tree(nodes)};
    const pail_task_desc task = {.struct_size = sizeof(task), .stacks = &stack, .n_stacks = 1};
    const pail_kernel_desc desc = {.struct_size = sizeof(desc),
                                   .name = "bodies",
                                   .name_bytes = 6,
                                   .tasks = &task,
                                   .n_tasks = 1,
                                   .source_rank = ranks,
                                   .n_sources = 2};
    struct pail_ad_program *program;
    struct pail_error err = {0};
    if (pail_ad_program_build(&program, &desc, &alloc, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    nodes_free(nodes);
    return program;
}

static struct pail_ad_program *program_of(enum bench_body body, const struct kind *kind)
{
    const int64_t index[] = {VARIABLE_INDEX(0)};
    struct nodes nodes = {0};
    const int32_t begin = nodes_const(&nodes, 0), end = nodes_shape(&nodes, 0, 0);
    int32_t read[2];
    for (int i = 0; i < 2; i++)
        read[i] = nodes_read(&nodes, PAIL_NODE_ARRAY_READ, i, kind->dtype[i], 1, index);
    (void)nodes_range(&nodes, is_sum(body) ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE, 0,
                      begin, end,
                      cell_of(&nodes, body, read[0], read[1], kind->dtype[0] == PAIL_DTYPE_I64));
    return build(&nodes, (const uint8_t[]){1, 1});
}
static int64_t evaluate(const struct pail_ad_program *program, const struct pail_ad_array arrays[])
{
    static const struct pail_alloc alloc;
    const uint32_t root = program->roots[0].slot;
    struct pail_error err = {0};
    struct pail_ad_values values = {
        .value = need(calloc(program->n_slots, sizeof values.value[0])),
        .known = need(calloc(program->n_slots, 1)),
    };
    if (pail_ad_eval(program, arrays, &values, &root, 1, &alloc, &err) ||
        values.value[root].error) {
        (void)fprintf(stderr, "no value: %s\n", err.text);
        exit(1);
    }
    const int64_t v = values.value[root].v;
    free(values.value);
    free(values.known);
    return v;
}

/* Prints the row of a program, which it frees. */
static void bench(const char *name, const char *elements, struct pail_ad_program *program,
                  const struct pail_ad_array arrays[2], bench_loop *in_c, int64_t n)
{
    static const struct pail_alloc alloc;
    const int64_t turns = n < CELLS / ROUNDS ? CELLS / ROUNDS / n : 1;
    double pail = 1e30, loop = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t v = 0, expected = 0;
        int overflow = 0;
        double start = now_ns();
        for (int64_t i = 0; i < turns; i++)
            v = evaluate(program, arrays);
        const double by_pail = (now_ns() - start) / (double)(n * turns);
        start = now_ns();
        for (int64_t i = 0; i < turns; i++)
            expected = in_c(arrays[0].host, arrays[1].host, (size_t)n, &overflow);
        const double by_loop = (now_ns() - start) / (double)(n * turns);
        if (overflow || v != expected) {
            (void)fprintf(stderr, "%s, %s: %" PRId64 ", the loop has %" PRId64 "%s\n", name,
                          elements, v, expected, overflow ? " and an overflow" : "");
            exit(1);
        }
        pail = by_pail < pail ? by_pail : pail;
        loop = by_loop < loop ? by_loop : loop;
    }
    (void)printf("%-24s %-24s %7.3f ns %7.3f ns %6.2fx\n", name, elements, pail, loop, pail / loop);
    pail_ad_program_free(program, &alloc);
}

static void bench_body(enum bench_body body, const struct kind *kind, const void *const data[2],
                       int64_t n)
{
    struct pail_ad_array arrays[2];
    for (int i = 0; i < 2; i++)
        arrays[i] = (struct pail_ad_array){
            .host = data[i],
            .size_bytes = (uint64_t)n * pail_ad_dtype_bytes(kind->dtype[i]),
            .dtype = kind->dtype[i],
            .rank = 1,
            .shape = {n},
            .stride = {pail_ad_dtype_bytes(kind->dtype[i])},
        };
    bench(names[body], kind->name, program_of(body, kind), arrays, bench_loops[kind->types][body],
          n);
}

/* ---- Rows ------------------------------------------------------------------------------------ */
static const struct {
    const char *name, *tree;
    uint8_t ranks[2];
} rows[BENCH_ROWS] = {
    {"max a[i][j]", "(max_over i 0 (shape 0 0) (max_over j 0 (shape 0 1) (read 0 i j)))", {2, 1}},
    {"max a[i][j], 6 of 8", "(max_over i 0 (shape 0 0) (max_over j 0 6 (read 0 i j)))", {2, 1}},
    {"sum a[i][j] + b[i][j]",
     "(sum_over i 0 (shape 0 0) (sum_over j 0 (shape 0 1) (add (read 0 i j) (read 1 i j))))",
     {2, 2}},
    {"max a[i][j] * b[i]",
     "(max_over i 0 (shape 0 0) (max_over j 0 (shape 0 1) (mul (read 0 i j) (read 1 i))))",
     {2, 1}},
    {"sum of ragged sums",
     "(sum_over i 0 (sub (shape 1 0) 1) (sum_over j (read 1 i) (read 1 (add i 1)) (read 0 j)))",
     {1, 1}},
    {"max of ragged sums",
     "(max_over i 0 (sub (shape 1 0) 1) (sum_over j (read 1 i) (read 1 (add i 1)) (read 0 j)))",
     {1, 1}},
};

/* In: data: [n] of i32 each, with room for one more in the second. */
static void bench_rows(void *const data[2], int64_t n)
{
    for (int k = 0; k < BENCH_ROWS; k++) {
        struct nodes nodes = {0};
        struct pail_ad_array arrays[2];
        const bool ragged = k >= BENCH_RAGGED_SUM;
        int32_t *b = data[1];
        for (int64_t i = 0, at = 0; ragged && i <= n / BENCH_ROW; i++) {
            b[i] = (int32_t)(i < n / BENCH_ROW ? at : n);
            at += i % 3 ? BENCH_ROW + 2 * (i % 2 ? -i % 5 : i % 5) / 2 : BENCH_ROW;
            at = at < n ? at : n;
        }
        const int64_t n_b = ragged ? n / BENCH_ROW + 1 : rows[k].ranks[1] == 1 ? n / BENCH_ROW : n;
        const int64_t length[2] = {n, n_b};
        for (int i = 0; i < 2; i++) {
            const bool matrix = rows[k].ranks[i] == 2;
            arrays[i] = (struct pail_ad_array){
                .host = data[i],
                .size_bytes = (uint64_t)length[i] * 4,
                .dtype = PAIL_DTYPE_I32,
                .rank = rows[k].ranks[i],
                .shape = {matrix ? length[i] / BENCH_ROW : length[i], BENCH_ROW},
                .stride = {matrix ? BENCH_ROW * 4 : 4, 4},
            };
        }
        (void)nodes_text(&nodes, rows[k].tree, NULL);
        bench(rows[k].name, "i32, rows of 8", build(&nodes, rows[k].ranks), arrays,
              bench_row_loops[k], n);
    }
}

static uint64_t next(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *seed;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Long ones are where the other factor is short, so that no product is beyond 64 bits. */
static void fill(void *const data[2], const struct kind *kind, size_t n)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            const unsigned bits = kind->bits[k] ? kind->bits[k] : i % 100 != 17 ? 20 : k ? 2 : 48;
            const int64_t v = (int64_t)next(&seed) >> (63 - bits);
            if (kind->dtype[k] == PAIL_DTYPE_I32)
                ((int32_t *)data[k])[i] = (int32_t)v;
            else
                ((int64_t *)data[k])[i] = v;
        }
}

int main(int argc, char **argv)
{
    const unsigned long log2_cells = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (log2_cells < 4 || log2_cells > 30) {
        (void)fprintf(stderr, "usage: %s LOG2_CELLS, from 4 to 30\n", argv[0]);
        return 2;
    }
#if BENCH_AVX2
    if (pail_ad_columns() == &pail_ad_columns_portable) {
        (void)fprintf(stderr, "this processor has no AVX2\n");
        return 1;
    }
#endif
    const size_t n = (size_t)1 << log2_cells;
    void *const data[2] = {need(malloc(n * 8)), need(malloc(n * 8 + 8))};
    (void)printf("columns and loops for %s, 2^%lu cells, least of %d rounds in turns\n",
                 BENCH_AVX2 ? "AVX2" : "every processor", log2_cells, ROUNDS);
    (void)printf("%-24s %-24s %10s %10s %7s\n", "body", "elements", "Pail", "loop", "of loop");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        fill(data, &kinds[k], n);
        for (int body = kinds[k].products ? BENCH_PRODUCTS : 0; body < BENCH_BODIES; body++)
            bench_body((enum bench_body)body, &kinds[k], (const void *const *)data, (int64_t)n);
    }
    fill(data, &kinds[0], n);
    bench_rows(data, (int64_t)n);
    free(data[0]);
    free(data[1]);
    return 0;
}
