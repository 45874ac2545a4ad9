/* SPDX-License-Identifier: Apache-2.0 */
/* Point operations, one for each thread or quad, with points in every special position. */
#include "probe.h"

#include <stdlib.h>
#include <string.h>

static const struct operation {
    const char *name;
    enum pail_kernel_id kernel;
    uint32_t number;
    bool affine_a, affine_b; /* operands with ZZ = ZZZ = 1, and all coordinates 0 for infinity */
} operations[] = {
    {"a + 3 b", PAIL_KERNEL_PROBE_POINT, PROBE_POINT_ADD, false, true},
    {"a - 3 b", PAIL_KERNEL_PROBE_POINT, PROBE_POINT_LESS, false, true},
    {"affine + affine", PAIL_KERNEL_PROBE_POINT, PROBE_POINT_AFFINE, true, true},
    {"a quad's sums and differences", PAIL_KERNEL_PROBE_QUAD, 0, false, false},
};
enum { OPERATION_COUNT = sizeof(operations) / sizeof(operations[0]) };

/* ---- Operands ------------------------------------------------------------------------------- */

/* Points with ZZ = ZZZ = 1: of a group so small that all its points are in the table, k G at k;
 * random ones otherwise. */
enum { TINY_ORDER_MAX = 64, POOL_RANDOM = 32 };

struct pool {
    pail_point at[TINY_ORDER_MAX];
    uint32_t n;
    bool tiny;
};

static void pool_make(struct pool *pool, struct pail_rng *rng)
{
    const pail_u256 *r = &test_ops()->order;
    pool->tiny = r->l[0] <= TINY_ORDER_MAX && !(r->l[1] | r->l[2] | r->l[3]);
    pool->n = pool->tiny ? (uint32_t)r->l[0] : POOL_RANDOM;
    for (uint32_t i = 0; i < pool->n; i++) {
        const pail_u256 k = pool->tiny ? (pail_u256){{i}} : random_u256(rng);
        const pail_point p = multiple_of_g(&k);
        pail_affine affine;
        test_ops()->to_affine(&affine, &p);
        test_ops()->from_affine(&pool->at[i], &affine);
    }
}

/* The same point with other ZZ: p + q - q. */
static pail_point scaled(const pail_point *p, const pail_point *q)
{
    pail_point r, minus;
    test_ops()->neg(&minus, q);
    test_ops()->add(&r, p, q);
    test_ops()->add(&r, &r, &minus);
    return r;
}

/* Infinity as a kernel may leave it: only ZZ is 0. */
static pail_point infinity_of(const pail_point *p, bool clean)
{
    pail_point r = *p;
    const size_t limbs = coordinate_words() / 2;
    memset(r.limbs + 2 * limbs, 0, limbs * sizeof(r.limbs[0]));
    return clean ? (pail_point){{0}} : r;
}

struct pair {
    pail_point a, b;
};

/* Position of a: so many times b, of which sums of some b become equal, opposite and infinite; or
 * another point; and which of both are infinite. */
static const struct position {
    int multiple; /* 0: another point */
    bool infinite_a, infinite_b;
} positions[] = {
    {0, false, false},  {1, false, false}, {-1, false, false}, {2, false, false},
    {-2, false, false}, {3, false, false}, {-3, false, false}, {0, true, false},
    {0, false, true},   {0, true, true},
};
enum { POSITION_COUNT = sizeof(positions) / sizeof(positions[0]) };

static pail_point multiple_of(int k, const pail_point *p)
{
    const struct pail_curve_ops *ops = test_ops();
    const pail_u256 times = {{(uint64_t)abs(k)}};
    pail_point r;
    pail_affine affine;
    ops->mul(&r, p, &times);
    if (k < 0)
        ops->neg(&r, &r);
    ops->to_affine(&affine, &r);
    ops->from_affine(&r, &affine);
    return r;
}

static struct pair pair_make(const struct operation *op, uint32_t number, const struct pool *pool,
                             struct pail_rng *rng)
{
    const struct position *position = &positions[number % POSITION_COUNT];
    const uint64_t first = pail_rng_below(rng, pool->n);
    const uint64_t second = (first + 1 + pail_rng_below(rng, pool->n - 1)) % pool->n;
    struct pair pair = {pool->at[first], pool->at[second]};
    if (position->multiple)
        pair.a = multiple_of(position->multiple, &pair.b);
    number /= POSITION_COUNT;
    if (!op->affine_a && number % 4 != 3)
        pair.a = scaled(&pair.a, &pool->at[(first + second) % pool->n]);
    if (!op->affine_b && number % 4 != 2)
        pair.b = scaled(&pair.b, &pool->at[(first + second + 1) % pool->n]);
    if (position->infinite_a)
        pair.a = infinity_of(&pair.a, op->affine_a || number % 2);
    if (position->infinite_b)
        pair.b = infinity_of(&pair.b, op->affine_b || number % 3);
    return pair;
}

/* Every sum that there is, in four representations. */
enum { TINY_WAYS = 4 };

static struct pair tiny_pair(const struct operation *op, uint32_t number, const struct pool *pool)
{
    const uint32_t r = pool->n, way = number / (r * r);
    const pail_point *q = &pool->at[1 + number % (r - 1)];
    const uint32_t ka = number / r % r, kb = number % r;
    struct pair pair = {pool->at[ka], pool->at[kb]};
    if (!op->affine_a && way % 2)
        pair.a = ka ? scaled(&pair.a, q) : infinity_of(q, false);
    if (!op->affine_b && way / 2)
        pair.b = kb ? scaled(&pair.b, q) : infinity_of(q, false);
    return pair;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* The kernels double the first of equal points, as the CPU does. */
static void expect_point(uint32_t operation, const struct pair *pair, pail_point *result)
{
    const struct pail_curve_ops *ops = test_ops();
    pail_point b = pair->b;
    pail_affine affine;
    *result = pair->a;
    if (operation == PROBE_POINT_LESS)
        ops->neg(&b, &b);
    for (uint32_t i = 0; i < (operation == PROBE_POINT_AFFINE ? 1 : PROBE_POINT_TIMES); i++)
        ops->add(result, result, &b);
    if (operation == PROBE_POINT_AFFINE) {
        ops->to_affine(&affine, result);
        ops->from_affine(result, &affine);
    }
}

static void expect_quad(const struct pair *pair, pail_point results[2 * PROBE_QUAD_ROUNDS])
{
    const struct pail_curve_ops *ops = test_ops();
    pail_point sum = pair->a;
    for (uint32_t round = 0; round < PROBE_QUAD_ROUNDS; round++) {
        const pail_point term = round + 1 < PROBE_QUAD_ROUNDS ? pair->b : sum;
        pail_point *difference = &results[2 * round + 1];
        ops->neg(difference, &term);
        ops->add(difference, &sum, difference);
        ops->add(&sum, &sum, &term);
        results[2 * round] = sum;
    }
}

static void check_operation(const struct vk_fixture *f, const struct operation *op,
                            enum pail_field_form form, const struct pool *pool, uint32_t n)
{
    const struct pail_twin_variant variant = variant_of(form);
    const size_t words = 4 * coordinate_words(); /* in a point */
    const bool quad = op->kernel == PAIL_KERNEL_PROBE_QUAD;
    const size_t n_results = quad ? 2 * PROBE_QUAD_ROUNDS : 1; /* for each pair */
    struct buffer operands = buffer_make(2 * words * n),
                  results = buffer_make(n_results * words * n);
    struct pail_rng rng;
    pail_rng_init(&rng, op->number);
    for (uint32_t i = 0; i < n; i++) {
        const struct pair pair = pool->tiny ? tiny_pair(op, i, pool) : pair_make(op, i, pool, &rng);
        uint32_t *a = operands.host + 2 * words * i;
        pail_point expected[2 * PROBE_QUAD_ROUNDS];
        variant.ops->to_words(a, &pair.a, variant.form);
        variant.ops->to_words(a + words, &pair.b, variant.form);
        if (quad)
            expect_quad(&pair, expected);
        else
            expect_point(op->number, &pair, expected);
        for (size_t k = 0; k < n_results; k++)
            variant.ops->to_words(results.host + words * (n_results * i + k), &expected[k],
                                  variant.form);
    }
    buffer_sync(&operands);
    const uint32_t threads = quad ? MSM_QUAD * n : n;
    const struct probe_push push = {.n = n, .operation = op->number};
    const struct kernel_call call = {
        .id = op->kernel,
        .form = form,
        .push = &push,
        .gx = 3,
        .gy = groups_for(threads, 3 * (quad ? PROBE_QUAD_WORKGROUP : PROBE_WORKGROUP)),
        .bindings = {&operands, &results},
    };
    kernel_run(f, &call);
    points_settle(&results, form);
    assert_same_points(&results, op->name);
    assert_same_words(&operands, "operands");
    buffer_free(&results);
    buffer_free(&operands);
}

void probe_points(const struct vk_fixture *f)
{
    enum { PAIRS = 24 * POSITION_COUNT + 1 };
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of_probe(f, 1, forms);
    struct pool pool;
    struct pail_rng rng;
    pail_rng_init(&rng, 1);
    pool_make(&pool, &rng);
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t k = 0; k < OPERATION_COUNT; k++)
            check_operation(f, &operations[k], forms[i], &pool,
                            pool.tiny ? TINY_WAYS * pool.n * pool.n : PAIRS);
}
