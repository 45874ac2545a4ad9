/* SPDX-License-Identifier: Apache-2.0 */
/* Columns give what operations alone give, for every kind of processor, and cost what a loop does.
 */

#include <adstack/eval_run.h>
#include <platform/clock.h>

#include "support.h"
#include "support/test.h"

enum { ROUNDS = 400, MANY = 1 << 20 };

static uint64_t next(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *seed;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Numbers of one size, and sometimes those where something becomes another. */
static int64_t number(uint64_t *seed, uint32_t bits)
{
    static const int64_t edges[] = {0,
                                    1,
                                    -1,
                                    2,
                                    3,
                                    -2,
                                    16,
                                    17,
                                    INT32_MAX,
                                    INT32_MIN,
                                    INT64_C(1) << 31,
                                    INT64_C(1) << 32,
                                    -(INT64_C(1) << 32),
                                    (INT64_C(1) << 32) - 1,
                                    INT64_C(3037000499), /* the largest whose square fits */
                                    INT64_C(-3037000500),
                                    INT64_C(1) << 62,
                                    INT64_MAX,
                                    INT64_MIN,
                                    INT64_MIN + 1};
    const uint64_t x = next(seed);
    if (x % 97 == 0)
        return edges[x / 97 % (sizeof edges / sizeof edges[0])];
    return (int64_t)next(seed) >> (64 - bits);
}

static void fill(int64_t v[], uint32_t n, uint64_t *seed)
{
    static const uint32_t sizes[] = {3, 8, 31, 32, 33, 63, 64};
    const uint32_t bits = sizes[next(seed) % 7];
    const int64_t same = number(seed, bits);
    const uint64_t how = next(seed) % 4;
    for (uint32_t i = 0; i < n; i++) {
        v[i] = how == 0 ? same : number(seed, bits);
        if (how == 1) /* no edges, no sign */
            v[i] = (int64_t)(next(seed) >> (65 - bits));
    }
}

/* Operands as they may be: of 32 bits or of 64, and anywhere. */
struct operands {
    int64_t v[4][PAIL_AD_LANES];
    uint8_t memory[4][8 * PAIL_AD_LANES + 8];
    const uint8_t *at[4];
    uint32_t n;
    bool narrow;
};

static void lay(struct operands *o, uint32_t away)
{
    for (int k = 0; k < 4; k++) {
        uint8_t *at = &o->memory[k][away];
        o->at[k] = at;
        for (uint32_t i = 0; i < o->n; i++) {
            const int32_t narrow = (int32_t)o->v[k][i];
            if (o->narrow)
                memcpy(at + 4 * i, &narrow, sizeof narrow);
            else
                memcpy(at + 8 * i, &o->v[k][i], 8);
        }
    }
}

static void draw(struct operands *o, bool narrow, uint64_t *seed)
{
    o->n = 1 + (uint32_t)(next(seed) % PAIL_AD_LANES);
    o->narrow = narrow;
    for (int k = 0; k < 4; k++) {
        fill(o->v[k], o->n, seed);
        for (uint32_t i = 0; i < o->n && narrow; i++)
            o->v[k][i] = (int32_t)o->v[k][i];
    }
    lay(o, (uint32_t)(next(seed) % 8));
}

static bool expect(const struct operands *o, uint32_t op, int64_t expected[])
{
    bool wrong = false;
    for (uint32_t i = 0; i < o->n; i++) {
        struct pail_ad_value of[4];
        for (int k = 0; k < 4; k++)
            of[k] = (struct pail_ad_value){.v = o->v[k][i]};
        const struct pail_ad_step step = {.op = (uint16_t)op, .site = 9};
        const struct pail_ad_value value = pail_ad_step_value(&step, of[0], of[1], of[2], of[3]);
        expected[i] = value.v;
        wrong = wrong || value.error;
    }
    return !wrong;
}

static void check_kept(const int64_t to[], bool narrow, const int64_t expected[],
                       const struct operands *o, const char *name, uint32_t op)
{
    for (uint32_t i = 0; i < o->n; i++) {
        int32_t v;
        memcpy(&v, (const uint8_t *)to + 4 * i, sizeof v);
        const int64_t is = narrow ? v : to[i];
        if (is != expected[i])
            fail_msg("%s: operation %u of %lld and %lld is %lld", name, op, (long long)o->v[0][i],
                     (long long)o->v[1][i], (long long)is);
    }
}

/* An operation in all its loops; whether it went right. */
static bool check_operation(const struct pail_ad_columns *columns, const struct operands *o,
                            uint32_t op, const char *name)
{
    int64_t expected[PAIL_AD_LANES], to[PAIL_AD_LANES], largest = -1, sum = -1, max = 0;
    pail_ad_wide exact = 0;
    const bool right = expect(o, op, expected);
    memset(to, 0x55, sizeof to);
    if (pail_ad_is_division(op)) {
        assert_false(o->narrow);
        assert_int_equal(columns->divide(op, to, o->v[0], o->v[1], o->n), right);
        if (right)
            check_kept(to, false, expected, o, name, op);
        return right;
    }
    for (uint32_t i = 0; i < o->n; i++) {
        max = expected[i] > max ? expected[i] : max;
        exact += expected[i];
    }
    const bool within = exact == (int64_t)exact;
    if (columns->keep(op, o->narrow, to, o->at, o->n) != right ||
        columns->largest(op, o->narrow, &largest, o->at, o->n) != right ||
        columns->sum(op, o->narrow, &sum, o->at, o->n) != (right && within))
        fail_msg("%s: operation %u of %u cells, of which the first is %lld and %lld, is %s", name,
                 op, o->n, (long long)o->v[0][0], (long long)o->v[1][0], right ? "right" : "wrong");
    if (!right)
        return false;
    check_kept(to, pail_ad_gives_narrow(op, o->narrow), expected, o, name, op);
    assert_int_equal(largest, max);
    assert_true(!within || sum == exact);
    return true;
}

static void check_operations(const struct pail_ad_columns *columns, const char *name)
{
    static struct operands o;
    uint64_t seed = 1, good = 0, bad = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t op = PAIL_AD_ADD; op <= PAIL_AD_GREATER; op++) {
            if (op == PAIL_AD_READ || op == PAIL_AD_LOOP)
                continue;
            draw(&o, round % 3 == 0 && !pail_ad_is_division(op), &seed);
            const bool right = check_operation(columns, &o, op, name);
            assert_true(right || !o.narrow || pail_ad_is_division(op));
            good += right;
            bad += !right;
        }
    assert_true(good > ROUNDS && bad > ROUNDS / 2);
}

/* Cells of which one alone is beyond 64 bits, or only just not: each place, in columns of every
 * length modulo that of a vector. */
static void check_one_cell(const struct pail_ad_columns *columns, const char *name)
{
    static const struct {
        uint32_t op;
        int64_t a, b;
        bool right;
    } cells[] = {
        {PAIL_AD_MUL, INT64_C(1) << 31, INT64_C(1) << 31, true},
        {PAIL_AD_MUL, INT64_C(1) << 32, INT64_C(1) << 31, false},
        {PAIL_AD_MUL, INT64_C(1) << 32, -(INT64_C(1) << 31), true}, /* INT64_MIN */
        {PAIL_AD_MUL, -(INT64_C(1) << 32), -(INT64_C(1) << 31), false},
        {PAIL_AD_MUL, INT64_C(1) << 32, INT64_C(1) << 32, false}, /* 0 modulo 2^64 */
        {PAIL_AD_MUL, INT64_C(3037000499), INT64_C(3037000499), true},
        {PAIL_AD_MUL, INT64_C(3037000500), INT64_C(3037000500), false},
        {PAIL_AD_MUL, INT64_C(-3037000500), INT64_C(3037000500), false},
        {PAIL_AD_MUL, INT64_MIN, 1, true},
        {PAIL_AD_MUL, INT64_MIN, -1, false},
        {PAIL_AD_MUL, -1, INT64_MIN, false},
        {PAIL_AD_MUL, INT64_MAX, -1, true},
        {PAIL_AD_MUL, INT64_MAX, 2, false},
        {PAIL_AD_MUL, INT64_MIN, 0, true},
        {PAIL_AD_ADD, INT64_MAX, 1, false},
        {PAIL_AD_ADD, INT64_MAX, INT64_MIN, true},
        {PAIL_AD_ADD, INT64_MIN, -1, false},
        {PAIL_AD_SUB, INT64_MAX, -1, false},
        {PAIL_AD_SUB, INT64_MIN, INT64_MAX, true}, /* 0 */
        {PAIL_AD_SUB, 0, INT64_MIN, false},
        {PAIL_AD_SUB, -1, INT64_MIN, true},
        {PAIL_AD_WRAP_ADD, INT64_MAX, 1, true},
        {PAIL_AD_WRAP_ADD, INT64_MIN, INT64_MIN, true},
        {PAIL_AD_WRAP_SUB, INT64_MAX, -1, true}, /* 0 */
        {PAIL_AD_WRAP_SUB, INT64_MIN, 1, true},  /* INT64_MAX */
        {PAIL_AD_WRAP_MUL, INT64_C(1) << 32, INT64_C(1) << 32, true},
        {PAIL_AD_WRAP_MUL, INT64_MIN, -1, true},
        {PAIL_AD_MAX, INT64_MIN, INT64_MAX, true},
        {PAIL_AD_MIN, INT64_MIN, INT64_MAX, true},
        {PAIL_AD_SELECT, INT64_MIN, 5, true},
        {PAIL_AD_SELECT, INT64_C(1) << 32, INT64_C(1) << 32, true},
        {PAIL_AD_GREATER, INT64_MAX, -1, false},
        {PAIL_AD_GREATER, -1, INT64_MIN, true},
        {PAIL_AD_GREATER, INT64_MIN, INT64_MAX, true},
        {PAIL_AD_GREATER, 7, 7, true},
    };
    static struct operands o;
    for (size_t c = 0; c < sizeof cells / sizeof cells[0]; c++)
        for (uint32_t n = 1; n <= 40; n++)
            for (uint32_t at = 0; at < n; at++) {
                o.n = n;
                o.narrow = false;
                for (int k = 0; k < 4; k++)
                    for (uint32_t i = 0; i < n; i++)
                        o.v[k][i] = (int64_t)(i + (uint32_t)k) - 9;
                o.v[0][at] = cells[c].a;
                o.v[1][at] = cells[c].b;
                lay(&o, at % 8);
                assert_int_equal(check_operation(columns, &o, cells[c].op, name), cells[c].right);
            }
}

/* Products of one column, with one pair of factors in it that decides. */
static void check_pair(const struct pail_ad_columns *columns, const char *name, int64_t x,
                       int64_t y, uint32_t n, uint32_t at)
{
    static struct operands o;
    int64_t product;
    o.n = n;
    o.narrow = false;
    for (uint32_t i = 0; i < n; i++) {
        o.v[0][i] = (int64_t)i - 100;
        o.v[1][i] = o.v[2][i] = o.v[3][i] = 50 - (int64_t)i;
    }
    o.v[0][at] = x;
    o.v[1][at] = y;
    lay(&o, at % 8);
    assert_int_equal(check_operation(columns, &o, PAIL_AD_MUL, name),
                     !__builtin_mul_overflow(x, y, &product));
}

/* Factors beside every power of two and at the ends, of either sign: in blocks of which one pair
 * alone needs more bits, or overflows, wherever it is. */
static void check_products(const struct pail_ad_columns *columns, const char *name)
{
    static const uint32_t powers[] = {0, 1, 15, 16, 29, 30, 31, 32, 33, 34, 47, 61, 62};
    static const uint32_t sizes[] = {1, 3, 4, 7, PAIL_AD_LANES};
    int64_t factors[6 * (sizeof powers / sizeof powers[0]) + 4];
    uint32_t n = 0;
    for (size_t k = 0; k < sizeof powers / sizeof powers[0]; k++)
        for (int64_t beside = -1; beside <= 1; beside++) {
            factors[n++] = (INT64_C(1) << powers[k]) + beside;
            factors[n++] = -(INT64_C(1) << powers[k]) + beside;
        }
    factors[n++] = INT64_MIN;
    factors[n++] = INT64_MIN + 1;
    factors[n++] = INT64_MAX;
    factors[n++] = INT64_MAX - 1;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
                check_pair(columns, name, factors[i], factors[j], sizes[k], 0);
                check_pair(columns, name, factors[i], factors[j], sizes[k], sizes[k] / 2);
                check_pair(columns, name, factors[i], factors[j], sizes[k], sizes[k] - 1);
            }
}

/* One value is the largest, wherever it is. */
static void check_largest(const struct pail_ad_columns *columns)
{
    int64_t v[67];
    for (uint32_t n = 1; n <= 67; n++)
        for (uint32_t at = 0; at < n; at++)
            for (int64_t low = INT64_MIN; low <= 0; low += INT64_MAX) {
                const uint8_t *first = (const uint8_t *)v;
                for (uint32_t i = 0; i < n; i++)
                    v[i] = low;
                v[at] = low + 1;
                assert_true(columns->largest_element(PAIL_DTYPE_I64, first, 8, n) == low + 1);
                v[at] = INT64_MAX;
                assert_true(columns->largest_element(PAIL_DTYPE_I64, first, 8, n) == INT64_MAX);
            }
}

static void check_elements(const struct pail_ad_columns *columns)
{
    static const pail_dtype types[] = {PAIL_DTYPE_I8,  PAIL_DTYPE_I16, PAIL_DTYPE_I32,
                                       PAIL_DTYPE_I64, PAIL_DTYPE_U8,  PAIL_DTYPE_U16,
                                       PAIL_DTYPE_U32, PAIL_DTYPE_U64};
    static uint8_t bytes[8 * 3 * PAIL_AD_LANES + 8];
    int64_t v[PAIL_AD_LANES], column[PAIL_AD_LANES], offset[PAIL_AD_LANES], index[PAIL_AD_LANES];
    uint64_t seed = 2;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)next(&seed);
    for (int round = 0; round < ROUNDS; round++) {
        const pail_dtype type = types[round % 8];
        const int64_t step = (int64_t)pail_ad_dtype_bytes(type) * (1 + round / 8 % 3);
        const uint32_t n = 1 + (uint32_t)(next(&seed) % PAIL_AD_LANES);
        const uint8_t *first = bytes + round % 7;
        int64_t max = INT64_MIN;
        pail_ad_wide sum = 0;
        columns->load(column, type, first, step, n);
        columns->widen(v, pail_ad_is_narrow(type), (const uint8_t *)column, n);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(v[i], pail_ad_load(first + (int64_t)i * step, type));
            max = v[i] > max ? v[i] : max;
            sum += v[i];
        }
        assert_int_equal(columns->largest_element(type, first, step, n), max);
        assert_true(columns->sum_elements(type, first, step, n) == sum);
        for (uint32_t i = 0; i < n; i++) {
            index[i] = (int64_t)(next(&seed) % n);
            offset[i] = 3;
        }
        assert_true(columns->add_axis(offset, index, n, step, n));
        columns->gather(column, type, bytes, offset, n);
        columns->widen(v, pail_ad_is_narrow(type), (const uint8_t *)column, n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(v[i], pail_ad_load(bytes + 3 + index[i] * step, type));
        index[n / 2] = round % 2 ? (int64_t)n : -1;
        assert_false(columns->add_axis(offset, index, n, step, n));
    }
    columns->count(v, INT64_MAX - 5, 3);
    assert_int_equal(v[2], INT64_MAX - 3);
}

/* Rows at the very end of memory, and columns that are full: nothing behind them is touched. */
static void check_rows(const struct pail_ad_columns *columns)
{
    static const pail_dtype types[] = {PAIL_DTYPE_I8, PAIL_DTYPE_I32, PAIL_DTYPE_I64,
                                       PAIL_DTYPE_U32};
    uint64_t seed = 3;
    for (int round = 0; round < ROUNDS; round++) {
        const pail_dtype type = types[round % 4];
        const int64_t bytes = (int64_t)pail_ad_dtype_bytes(type);
        const uint32_t row = 1 + (uint32_t)(next(&seed) % (round % 3 ? 20 : PAIL_AD_LANES));
        const uint32_t rows = 1 + (uint32_t)(next(&seed) % (PAIL_AD_LANES / row));
        const int64_t step = bytes * (round / 4 % 3), wide = (row - 1) * step + bytes;
        const int64_t row_step = round % 5 ? wide + (int64_t)(next(&seed) % 3) * bytes : 0;
        const size_t size = (size_t)((rows - 1) * row_step + wide);
        uint8_t *memory = malloc(size);
        int64_t column[PAIL_AD_LANES + 1], v[PAIL_AD_LANES], expected[PAIL_AD_LANES];
        int64_t offset[PAIL_AD_LANES], turns[PAIL_AD_LANES];
        assert_non_null(memory);
        for (size_t i = 0; i < size; i++)
            memory[i] = (uint8_t)next(&seed);
        column[row * rows] = 0x5a5a;
        columns->load_rows(column, type, memory, step, row_step, row, rows);
        assert_int_equal(column[row * rows], 0x5a5a);
        columns->widen(v, pail_ad_is_narrow(type), (const uint8_t *)column, row * rows);
        bool right = true;
        for (uint32_t r = 0; r < rows; r++) {
            pail_ad_wide sum = 0;
            offset[r] = (int64_t)r * row_step;
            turns[r] = (int64_t)(next(&seed) % (row + 1));
            for (uint32_t i = 0; i < row; i++) {
                const int64_t element = pail_ad_load(memory + offset[r] + i * step, type);
                assert_int_equal(v[r * row + i], element);
                sum += i < turns[r] ? element : 0;
                right = right && sum >= INT64_MIN && sum <= INT64_MAX;
            }
            expected[r] = (int64_t)sum;
        }
        assert_int_equal(columns->reduce_rows(true, type, v, memory, step, offset, turns, rows),
                         right);
        for (uint32_t r = 0; r < rows && right; r++)
            assert_int_equal(v[r], expected[r]);
        assert_true(columns->reduce_rows(false, type, v, memory, step, offset, turns, rows));
        for (uint32_t r = 0; r < rows; r++) {
            const int64_t max = turns[r] ? columns->largest_element(type, memory + offset[r], step,
                                                                    (uint64_t)turns[r])
                                         : 0;
            assert_int_equal(v[r], max > 0 ? max : 0);
        }
        free(memory);
    }
}

static void check_columns(const struct pail_ad_columns *columns, const char *name)
{
    check_operations(columns, name);
    check_one_cell(columns, name);
    check_products(columns, name);
    check_largest(columns);
    check_elements(columns);
    check_rows(columns);
}

PAIL_TEST(test_portable)
{
    check_columns(&pail_ad_columns_portable, "portable");
}

PAIL_TEST(test_of_this_processor)
{
    if (pail_ad_columns() == &pail_ad_columns_portable)
        SKIP_BECAUSE("this processor has portable columns only");
    check_columns(pail_ad_columns(), "this processor's");
}

/* The sum over an array of what a body makes of an element. */
static int32_t element(struct nodes *t)
{
    return test_read_1(t, 0, VARIABLE_INDEX(0));
}

static int32_t element_and_1(struct nodes *t)
{
    return nodes_op(t, PAIL_NODE_ADD, element(t), nodes_const(t, 1));
}

static int32_t smaller_of_two(struct nodes *t)
{
    return NODES(t, "(min @ (sub 1000000 @))", element(t), element(t));
}

/* Milliseconds of the best of several rounds: others use this machine, too. */
static double best_ms(int32_t (*body)(struct nodes *), const int32_t data[], int64_t expected)
{
    const struct test_source source = test_line(data, MANY);
    double best = 1e9;
    for (int round = 0; round < 9; round++) {
        struct nodes t = {0};
        NODES(&t, "(sum_over i 0 (shape 0 0) @)", body(&t));
        const double start = pail_now_ms();
        const struct test_value value = test_evaluate(&t, &source, 1, 0);
        const double took = pail_now_ms() - start;
        assert_int_equal(value.kind, 0);
        assert_int_equal(value.v, expected);
        best = took < best ? took : best;
    }
    return best;
}

/* A body of an operation or two is no other kind of work than a bare element: cells are not
 * computed one by one. */
PAIL_TEST(test_cost_of_bodies)
{
#ifdef PAIL_TEST_SANITIZED
    SKIP_BECAUSE("times of instrumented code say nothing");
#endif
    int32_t *data = malloc(MANY * sizeof *data);
    int64_t sum = 0, smaller = 0;
    assert_non_null(data);
    for (int32_t i = 0; i < MANY; i++) {
        data[i] = (int32_t)((uint32_t)i * 2654435761u >> 12);
        sum += data[i];
        const int64_t other = data[i] < 1000000 ? 1000000 - data[i] : 0;
        smaller += data[i] < other ? data[i] : other;
    }
    const double bare = best_ms(element, data, sum);
    const double added = best_ms(element_and_1, data, sum + MANY);
    const double two = best_ms(smaller_of_two, data, smaller);
    print_message("%.3f ms for a[i], %.3f ms for a[i] + 1, %.3f ms for min(a[i], n - a[i])\n", bare,
                  added, two);
    assert_true(added < 12 * bare && two < 20 * bare);
    free(data);
}
