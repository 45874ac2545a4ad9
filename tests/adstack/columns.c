/* Columns give what operations alone give, for every kind of processor, and cost what a loop does.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <adstack/columns.h>
#include <clock.h>

#include "support.h"
#include "support/skip.h"

enum { ROUNDS = 400, MANY = 1 << 20 };

static uint64_t next(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *seed;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Numbers of one size, and sometimes of any. */
static int64_t number(uint64_t *seed, uint32_t bits)
{
    static const int64_t edges[] = {
        0,         1,  -1, 2,  INT64_MAX, INT64_MIN,        INT32_MAX,
        INT32_MIN, 16, 17, -2, 3,         INT64_C(1) << 32, INT64_MIN + 1};
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

static void check_operations(const struct pail_ad_columns *columns, const char *name)
{
    int64_t a[PAIL_AD_LANES], b[PAIL_AD_LANES], c[PAIL_AD_LANES], to[PAIL_AD_LANES];
    uint64_t seed = 1, good = 0, bad = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (uint32_t op = PAIL_AD_ADD; op <= PAIL_AD_SELECT; op++) {
            const uint32_t n = 1 + (uint32_t)(next(&seed) % PAIL_AD_LANES);
            bool wrong = false;
            fill(a, n, &seed);
            fill(b, n, &seed);
            fill(c, n, &seed);
            struct pail_ad_value expected[PAIL_AD_LANES];
            for (uint32_t i = 0; i < n; i++) {
                expected[i] = pail_ad_operate(op, 9, (struct pail_ad_value){.v = a[i]},
                                              (struct pail_ad_value){.v = b[i]},
                                              (struct pail_ad_value){.v = c[i]});
                wrong = wrong || expected[i].error;
            }
            const bool done = columns->operate(op, true, to, a, b, c, n);
            if (done == wrong)
                fail_msg("%s, round %d: operation %u says it is %s", name, round, op,
                         done ? "right" : "wrong");
            good += done;
            bad += !done;
            for (int checked = 0; checked < 2 && done; checked++) {
                memset(to, 0x55, sizeof to);
                assert_true(columns->operate(op, checked, to, a, b, c, n));
                for (uint32_t i = 0; i < n; i++)
                    if (to[i] != expected[i].v)
                        fail_msg("%s, round %d: operation %u of %lld and %lld is %lld", name, round,
                                 op, (long long)a[i], (long long)b[i], (long long)to[i]);
            }
        }
    assert_true(good > ROUNDS && bad > ROUNDS);
}

/* Products of one block, with one pair of factors in it that decides. */
static void check_pair(const struct pail_ad_columns *columns, int64_t x, int64_t y, uint32_t n,
                       uint32_t at)
{
    int64_t a[PAIL_AD_LANES], b[PAIL_AD_LANES], to[PAIL_AD_LANES], product;
    for (uint32_t i = 0; i < n; i++) {
        a[i] = (int64_t)i - 100;
        b[i] = 50 - (int64_t)i;
    }
    a[at] = x;
    b[at] = y;
    const bool fits = !__builtin_mul_overflow(x, y, &product);
    if (columns->operate(PAIL_AD_MUL, true, to, a, b, b, n) != fits)
        fail_msg("%lld times %lld, %u of %u: %s", (long long)x, (long long)y, at, n,
                 fits ? "said to overflow" : "not said to overflow");
    for (int checked = 1; checked >= 0 && fits; checked--) {
        memset(to, 0x55, sizeof to);
        assert_true(columns->operate(PAIL_AD_MUL, checked, to, a, b, b, n));
        for (uint32_t i = 0; i < n; i++)
            if (to[i] != a[i] * b[i])
                fail_msg("%lld times %lld, %u of %u: %lld", (long long)a[i], (long long)b[i], i, n,
                         (long long)to[i]);
    }
}

/* Factors beside every power of two and at the ends, of either sign: in blocks of which one pair
 * alone needs more bits, or overflows, wherever it is. */
static void check_products(const struct pail_ad_columns *columns)
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
                check_pair(columns, factors[i], factors[j], sizes[k], 0);
                check_pair(columns, factors[i], factors[j], sizes[k], sizes[k] / 2);
                check_pair(columns, factors[i], factors[j], sizes[k], sizes[k] - 1);
            }
}

/* One value is the largest, wherever it is; and what is chosen goes by the sign alone. */
static void check_largest_and_select(const struct pail_ad_columns *columns)
{
    static const int64_t signs[] = {
        0, 1, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_C(1) << 32};
    int64_t v[PAIL_AD_LANES], b[7], c[7], to[7];
    for (uint32_t n = 1; n <= 67; n++)
        for (uint32_t at = 0; at < n; at++)
            for (int64_t low = INT64_MIN; low <= 0; low += INT64_MAX) {
                for (uint32_t i = 0; i < n; i++)
                    v[i] = low;
                v[at] = low + 1;
                assert_true(columns->largest(INT64_MIN, v, n) == low + 1);
                v[at] = INT64_MAX;
                assert_true(columns->largest(INT64_MIN, v, n) == INT64_MAX);
            }
    for (int i = 0; i < 7; i++) {
        b[i] = INT64_MIN + i;
        c[i] = INT64_MAX - i;
    }
    assert_true(columns->operate(PAIL_AD_SELECT, true, to, signs, b, c, 7));
    for (int i = 0; i < 7; i++)
        assert_true(to[i] == (signs[i] > 0 ? b[i] : c[i]));
}

static void check_elements(const struct pail_ad_columns *columns)
{
    static const pail_dtype types[] = {PAIL_DTYPE_I8,  PAIL_DTYPE_I16, PAIL_DTYPE_I32,
                                       PAIL_DTYPE_I64, PAIL_DTYPE_U8,  PAIL_DTYPE_U16,
                                       PAIL_DTYPE_U32, PAIL_DTYPE_U64};
    static uint8_t bytes[8 * 3 * PAIL_AD_LANES + 8];
    int64_t v[PAIL_AD_LANES], offset[PAIL_AD_LANES], index[PAIL_AD_LANES];
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
        columns->load(v, type, first, step, n);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(v[i], pail_ad_load(first + (int64_t)i * step, type));
            max = v[i] > max ? v[i] : max;
            sum += v[i];
        }
        assert_int_equal(columns->largest(INT64_MIN, v, n), max);
        assert_int_equal(columns->largest_element(type, first, step, n), max);
        assert_true(columns->sum(false, v, n) == sum);
        assert_true(columns->sum_elements(type, first, step, n) == sum);
        for (uint32_t i = 0; i < n; i++) {
            index[i] = (int64_t)(next(&seed) % n);
            offset[i] = 3;
        }
        assert_true(columns->add_axis(offset, index, n, step, n));
        columns->gather(v, type, bytes, offset, n);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(v[i], pail_ad_load(bytes + 3 + index[i] * step, type));
        index[n / 2] = round % 2 ? (int64_t)n : -1;
        assert_false(columns->add_axis(offset, index, n, step, n));
    }
    columns->count(v, INT64_MAX - 5, 3);
    assert_int_equal(v[2], INT64_MAX - 3);
}

static void test_portable(void **state)
{
    (void)state;
    check_operations(&pail_ad_columns_portable, "portable");
    check_products(&pail_ad_columns_portable);
    check_largest_and_select(&pail_ad_columns_portable);
    check_elements(&pail_ad_columns_portable);
}

static void test_of_this_processor(void **state)
{
    (void)state;
    if (pail_ad_columns() == &pail_ad_columns_portable)
        SKIP_BECAUSE("this processor has portable columns only");
    check_operations(pail_ad_columns(), "this processor's");
    check_products(pail_ad_columns());
    check_largest_and_select(pail_ad_columns());
    check_elements(pail_ad_columns());
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
    const int32_t other = nodes_op(t, PAIL_NODE_SUB, nodes_const(t, 1000000), element(t));
    return nodes_op(t, PAIL_NODE_MIN, element(t), other);
}

/* Milliseconds of the best of several rounds: others use this machine, too. */
static double best_ms(int32_t (*body)(struct nodes *), const int32_t data[], int64_t expected)
{
    const struct test_source source = test_line(data, MANY);
    double best = 1e9;
    for (int round = 0; round < 9; round++) {
        struct nodes t = {0};
        const int32_t begin = nodes_const(&t, 0), end = nodes_shape(&t, 0, 0);
        (void)nodes_range(&t, PAIL_NODE_SUM_OVER_RANGE, 0, begin, end, body(&t));
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
static void test_cost_of_bodies(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portable),
        cmocka_unit_test(test_of_this_processor),
        cmocka_unit_test(test_cost_of_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
