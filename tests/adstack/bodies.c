/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of several operations over arrays of every type, in columns: values and errors are the
 * oracle's, wherever the arrays are in memory, and arrays stay as they are. */

#include "support.h"
#include "support/test.h"

enum { BODIES = 3000, SOURCES = 3, MOST = 700 };

static uint64_t draw(uint64_t *seed, uint64_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % n;
}

struct arrays {
    struct test_source of[SOURCES];
    int64_t stride[SOURCES];
    uint8_t memory[SOURCES][24 * MOST + 8], before[SOURCES][24 * MOST + 8];
};

static const pail_dtype types[] = {PAIL_DTYPE_I8,  PAIL_DTYPE_I16, PAIL_DTYPE_I32, PAIL_DTYPE_I64,
                                   PAIL_DTYPE_U8,  PAIL_DTYPE_U16, PAIL_DTYPE_U32, PAIL_DTYPE_U64,
                                   PAIL_DTYPE_I32, PAIL_DTYPE_I64, PAIL_DTYPE_I64};

/* Small, but for a few in an array of some kinds: one cell of a block may be the one that fails. */
static int64_t element(uint64_t *seed, uint64_t kind)
{
    static const int64_t edges[] = {
        INT64_C(1) << 31,       INT64_C(1) << 32,    -(INT64_C(1) << 31), -(INT64_C(1) << 32),
        (INT64_C(1) << 31) - 1, INT64_C(3037000500), INT64_MAX,           INT64_MIN};
    static const uint64_t rare[] = {0, 2, 50, 1000};
    if (rare[kind] && draw(seed, rare[kind]) == 0)
        return edges[draw(seed, 8)];
    return (int64_t)draw(seed, 41) - 20;
}

static void fill(struct arrays *arrays, int64_t n, uint64_t *seed)
{
    for (int k = 0; k < SOURCES; k++) {
        const pail_dtype type = types[draw(seed, sizeof types / sizeof types[0])];
        const size_t bytes = (size_t)pail_ad_dtype_bytes(type);
        const size_t apart = draw(seed, 4) ? 1 : 1 + draw(seed, 2), away = draw(seed, 8);
        const uint64_t kind = draw(seed, 4);
        uint8_t *host = &arrays->memory[k][away];
        memset(arrays->memory[k], 0x5a, sizeof arrays->memory[k]);
        for (size_t i = 0; i < (size_t)n; i++) {
            const int64_t v = element(seed, kind); /* the first bytes are its lowest */
            memcpy(host + i * apart * bytes, &v, bytes);
        }
        arrays->stride[k] = (int64_t)(apart * bytes);
        arrays->of[k] = (struct test_source){type, 1, {n}, host, &arrays->stride[k]};
    }
    memcpy(arrays->before, arrays->memory, sizeof arrays->before);
}

static int32_t body_of(struct nodes *t, const struct arrays *arrays, int64_t n, uint64_t *seed,
                       uint32_t depth)
{
    static const pail_node_kind kinds[] = {PAIL_NODE_ADD, PAIL_NODE_SUB,      PAIL_NODE_MUL,
                                           PAIL_NODE_MAX, PAIL_NODE_MIN,      PAIL_NODE_MUL,
                                           PAIL_NODE_MOD, PAIL_NODE_FLOOR_DIV};
    const int32_t source = (int32_t)draw(seed, SOURCES);
    const pail_dtype type = arrays->of[source].dtype;
    const uint64_t how = draw(seed, depth ? 12 : 6);
    if (how < 3) {
        const int64_t index[] = {VARIABLE_INDEX(0)};
        return nodes_read(t, PAIL_NODE_ARRAY_READ, source, type, 1, index);
    }
    if (how == 3)
        return nodes_const(t, draw(seed, 2) ? (int64_t)draw(seed, 9) - 2 : element(seed, 1));
    if (how == 4)
        return nodes_variable(t, 0);
    const int32_t a = depth ? body_of(t, arrays, n, seed, depth - 1) : nodes_variable(t, 0);
    if (how == 5) { /* an index that mostly is inside */
        const int64_t at[] = {nodes_op(t, PAIL_NODE_MOD, a, nodes_const(t, n))};
        return nodes_read(t, PAIL_NODE_READ_AT, source, type, 1, at);
    }
    const int32_t b = body_of(t, arrays, n, seed, depth - 1);
    if (how == 6)
        return nodes_select(t, a, b, body_of(t, arrays, n, seed, depth - 1));
    return nodes_op(t, kinds[draw(seed, 8)], a, b);
}

PAIL_TEST(test_random)
{
    static struct arrays arrays;
    uint32_t errors = 0, overflows = 0, zeros = 0;
    for (uint64_t round = 1; round <= BODIES; round++) {
        uint64_t seed = round;
        struct nodes t = {0};
        const int64_t n = 1 + (int64_t)draw(&seed, draw(&seed, 2) ? MOST : 40);
        fill(&arrays, n, &seed);
        const int32_t body = body_of(&t, &arrays, n, &seed, 1 + (uint32_t)draw(&seed, 3));
        NODES(&t, "(% i 0 % @)",
              draw(&seed, 2) ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE, n, body);
        const struct test_value value = test_evaluate(&t, arrays.of, SOURCES, TEST_STEPS);
        errors += value.kind != 0;
        overflows += value.kind == PAIL_AD_OVERFLOW;
        zeros += !value.kind && value.v == 0;
        if (memcmp(arrays.before, arrays.memory, sizeof arrays.before) != 0)
            fail_msg("body %llu: an array is not what it was", (unsigned long long)round);
    }
    print_message("%u errors, %u of them overflows, %u zeros\n", errors, overflows, zeros);
    assert_true(overflows > BODIES / 20 && errors + zeros < BODIES * 3 / 4);
}

/* ---- Rows ------------------------------------------------------------------------------------ */
enum { ROWS = 2000, MOST_ROWS = 60, MOST_COLUMNS = 600, ELEMENTS = 6000 };

/* Two matrices with elements and rows apart, one of them with its axes swapped; a column; and
 * bounds of ragged rows of `line`, which mostly are inside. */
struct matrices {
    struct test_source of[4];
    int64_t stride[4][2];
    uint8_t memory[4][8 * 4 * ELEMENTS + 8];
    int64_t n_rows, n_columns;
};

static void fill_matrices(struct matrices *m, uint64_t *seed)
{
    static const int64_t most[] = {4, 40, MOST_COLUMNS};
    const bool outside = draw(seed, 4) == 0;
    m->n_columns = 1 + (int64_t)draw(seed, (uint64_t)most[draw(seed, 3)]);
    m->n_rows = 1 + (int64_t)draw(seed, (uint64_t)(ELEMENTS / m->n_columns > MOST_ROWS
                                                       ? MOST_ROWS
                                                       : ELEMENTS / m->n_columns));
    for (int k = 0; k < 4; k++) {
        const pail_dtype type = types[draw(seed, sizeof types / sizeof types[0])];
        const int64_t bytes = pail_ad_dtype_bytes(type), kind = (int64_t)draw(seed, 4);
        const int64_t step = draw(seed, 3) ? 1 : 2, gap = draw(seed, 2) ? 0 : 1;
        const int64_t length[] = {k == 3 ? m->n_rows + 1 : m->n_rows, k < 2 ? m->n_columns : 1};
        uint8_t *host = &m->memory[k][draw(seed, 8)];
        m->stride[k][k == 1] = (k == 1 ? m->n_rows : length[1] * step) * bytes + gap * bytes;
        m->stride[k][k != 1] = (k == 1 ? 1 : step) * bytes;
        for (int64_t i = 0; i < length[0]; i++)
            for (int64_t j = 0; j < length[1]; j++) {
                const int64_t v = k == 3 ? (int64_t)draw(seed, (uint64_t)m->n_columns + 1 +
                                                                   (outside && !draw(seed, 20)))
                                         : element(seed, (uint64_t)kind);
                memcpy(host + i * m->stride[k][0] + j * m->stride[k][1], &v, (size_t)bytes);
            }
        m->of[k] =
            (struct test_source){type, k < 2 ? 2 : 1, {length[0], length[1]}, host, m->stride[k]};
    }
}

/* A value of the cell of variables i and j; of row i alone without j. */
static int32_t cell_of(struct nodes *t, const struct matrices *m, bool j, uint64_t *seed,
                       uint32_t depth)
{
    const int64_t both[] = {VARIABLE_INDEX(0), VARIABLE_INDEX(1)};
    const int64_t along[] = {VARIABLE_INDEX(0), VARIABLE_INDEX(2)};
    const uint64_t how = draw(seed, depth ? 13 : 7);
    if (how < 3 && j)
        return nodes_read(t, PAIL_NODE_ARRAY_READ, how == 2, m->of[how == 2].dtype, 2, both);
    if (how < 3) { /* a ragged row, whose end is larger than its begin, or not */
        const int32_t begin = draw(seed, 2)
                                  ? nodes_const(t, (int64_t)draw(seed, 3))
                                  : nodes_read(t, PAIL_NODE_ARRAY_READ, 3, m->of[3].dtype, 1, both);
        const int64_t next[] = {
            nodes_op(t, PAIL_NODE_ADD, nodes_variable(t, 0), nodes_const(t, 1))};
        const int32_t end = nodes_read(t, PAIL_NODE_READ_AT, 3, m->of[3].dtype, 1, next);
        const int32_t read =
            nodes_read(t, PAIL_NODE_ARRAY_READ, how == 2, m->of[how == 2].dtype, 2, along);
        return nodes_range(t, draw(seed, 2) ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE,
                           2, begin, end, read);
    }
    if (how < 5)
        return nodes_read(t, PAIL_NODE_ARRAY_READ, 2, m->of[2].dtype, 1, both);
    if (how == 5)
        return nodes_variable(t, j && draw(seed, 2));
    if (how == 6)
        return nodes_const(t, (int64_t)draw(seed, 9) - 2);
    const int32_t a = cell_of(t, m, j, seed, depth - 1), b = cell_of(t, m, j, seed, depth - 1);
    if (how == 11) /* an error of what is not chosen is none */
        return nodes_select(t, cell_of(t, m, j, seed, depth - 1), a, b);
    static const pail_node_kind kinds[] = {PAIL_NODE_ADD, PAIL_NODE_SUB, PAIL_NODE_MAX,
                                           PAIL_NODE_MIN, PAIL_NODE_MUL};
    return nodes_op(t, kinds[draw(seed, 5)], a, b);
}

/* Bodies over two axes, and over rows between bounds in an array. */
PAIL_TEST(test_rows)
{
    static struct matrices m;
    uint32_t errors = 0, zeros = 0;
    for (uint64_t round = 1; round <= ROWS; round++) {
        uint64_t seed = round;
        struct nodes t = {0};
        fill_matrices(&m, &seed);
        const bool axes = draw(&seed, 2);
        const pail_node_kind kind =
            draw(&seed, 2) ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE;
        const int32_t body = cell_of(&t, &m, axes, &seed, (uint32_t)draw(&seed, 3));
        const int64_t first = draw(&seed, 3) ? 0 : (int64_t)draw(&seed, 2);
        const int32_t inner =
            axes ? nodes_range(&t, kind, 1, nodes_const(&t, first),
                               nodes_const(&t, m.n_columns - (int64_t)draw(&seed, 2)), body)
                 : body;
        (void)nodes_range(&t, kind, 0, nodes_const(&t, (int64_t)draw(&seed, 2)),
                          nodes_const(&t, m.n_rows), inner);
        const struct test_value value = test_evaluate(&t, m.of, 4, TEST_STEPS);
        errors += value.kind != 0;
        zeros += !value.kind && value.v == 0;
    }
    print_message("%u errors, %u zeros\n", errors, zeros);
    assert_true(errors > ROWS / 50 && errors + zeros < ROWS / 2);
}

/* One product of a range is beyond 64 bits, or the last that fits; and the node that says so is the
 * product, not the sum around it. */
PAIL_TEST(test_one_product)
{
    static const struct {
        int64_t a, b;
    } products[] = {{INT64_C(1) << 32, INT64_C(1) << 31},
                    {INT64_C(1) << 32, -(INT64_C(1) << 31)},
                    {-(INT64_C(1) << 32), -(INT64_C(1) << 31)},
                    {INT64_C(1) << 32, INT64_C(1) << 32},
                    {INT64_C(3037000499), INT64_C(3037000499)},
                    {INT64_C(3037000500), INT64_C(3037000500)},
                    {INT64_MIN, -1},
                    {INT64_MIN, 1},
                    {INT64_MAX, -1},
                    {INT64_MAX, 1},
                    {(INT64_C(1) << 31) - 1, INT64_C(1) << 32}};
    static const int64_t places[] = {0, 7, 255, 511, 512, 599};
    int64_t v[2][600];
    for (size_t p = 0; p < sizeof products / sizeof products[0]; p++)
        for (size_t place = 0; place < sizeof places / sizeof places[0]; place++)
            for (int sum = 0; sum < 2; sum++) {
                struct test_source sources[2];
                const int64_t index[] = {VARIABLE_INDEX(0)};
                struct nodes t = {0};
                int64_t product;
                for (int k = 0; k < 2; k++) {
                    for (int64_t i = 0; i < 600; i++)
                        v[k][i] = (i % 3 - 1) * (k ? 1 : 5);
                    v[k][places[place]] = k ? products[p].b : products[p].a;
                    sources[k] = (struct test_source){PAIL_DTYPE_I64, 1, {600}, v[k], NULL};
                }
                const bool fits = !__builtin_mul_overflow(products[p].a, products[p].b, &product);
                const int32_t begin = nodes_const(&t, 0), end = nodes_const(&t, 600);
                const int32_t a = nodes_read(&t, PAIL_NODE_ARRAY_READ, 0, PAIL_DTYPE_I64, 1, index);
                const int32_t b = nodes_read(&t, PAIL_NODE_ARRAY_READ, 1, PAIL_DTYPE_I64, 1, index);
                const int32_t cell = nodes_op(&t, PAIL_NODE_MUL, a, b);
                (void)nodes_range(&t, sum ? PAIL_NODE_SUM_OVER_RANGE : PAIL_NODE_MAX_OVER_RANGE, 0,
                                  begin, end, cell);
                const struct test_value value = test_evaluate(&t, sources, 2, TEST_STEPS);
                if (!fits) {
                    assert_int_equal(value.kind, PAIL_AD_OVERFLOW);
                    assert_int_equal(value.node, cell);
                }
            }
}
