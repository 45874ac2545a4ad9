/* Point operations, one for each thread, with points in every special position. */
#include "probe.h"

#include <stdlib.h>
#include <string.h>

enum position {
    DIFFERENT,
    EQUAL,
    OPPOSITE,
    FIRST_INFINITE,
    SECOND_INFINITE,
    BOTH_INFINITE,
    POSITION_COUNT
};

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

/* Random points with ZZ = ZZZ = 1. */
enum { POOL = 100 };

static void pool_make(pail_point pool[POOL], struct pail_rng *rng)
{
    for (size_t i = 0; i < POOL; i++) {
        const pail_u256 k = random_u256(rng);
        const pail_point p = multiple_of_g(&k);
        pail_affine affine;
        test_ops()->to_affine(&affine, &p);
        test_ops()->from_affine(&pool[i], &affine);
    }
}

/* Affine operands have ZZ = ZZZ = 1, and all coordinates 0 for infinity. */
static struct pair pair_make(enum position position, bool affine_a, bool affine_b, uint32_t number,
                             const pail_point pool[POOL], struct pail_rng *rng)
{
    const uint64_t first = pail_rng_below(rng, POOL);
    const uint64_t second = (first + 1 + pail_rng_below(rng, POOL - 1)) % POOL;
    struct pair pair = {pool[first], pool[second]};
    if (position == EQUAL)
        pair.b = pair.a;
    else if (position == OPPOSITE)
        test_ops()->neg(&pair.b, &pair.a);
    if (!affine_a && number % 4 != 3)
        pair.a = scaled(&pair.a, &pool[(first + second) % POOL]);
    if (!affine_b && number % 4 != 2)
        pair.b = scaled(&pair.b, &pool[(first + second + 1) % POOL]);
    if (position == FIRST_INFINITE || position == BOTH_INFINITE)
        pair.a = infinity_of(&pair.a, affine_a || number % 2);
    if (position == SECOND_INFINITE || position == BOTH_INFINITE)
        pair.b = infinity_of(&pair.b, affine_b || number % 3);
    return pair;
}

/* Of a group so small that all its points are in the table: every sum there is, in four
 * representations. */
enum { TINY_ORDER_MAX = 64, TINY_WAYS = 4 };

static uint32_t tiny_order(void)
{
    const pail_u256 *r = &test_ops()->order;
    const bool tiny = r->l[0] <= TINY_ORDER_MAX && !(r->l[1] | r->l[2] | r->l[3]);
    return tiny ? (uint32_t)r->l[0] : 0;
}

static struct pair tiny_pair(bool affine_a, bool affine_b, uint32_t number)
{
    const uint32_t r = tiny_order(), way = number / (r * r);
    const pail_u256 ka = {{number / r % r}}, kb = {{number % r}}, other = {{1 + number % (r - 1)}};
    const pail_point a = multiple_of_g(&ka), b = multiple_of_g(&kb), q = multiple_of_g(&other);
    pail_affine affine;
    struct pair pair;
    test_ops()->to_affine(&affine, &a);
    test_ops()->from_affine(&pair.a, &affine);
    test_ops()->to_affine(&affine, &b);
    test_ops()->from_affine(&pair.b, &affine);
    if (!affine_a && way % 2)
        pair.a = ka.l[0] ? scaled(&pair.a, &q) : infinity_of(&q, false);
    if (!affine_b && way / 2)
        pair.b = kb.l[0] ? scaled(&pair.b, &q) : infinity_of(&q, false);
    return pair;
}

static void point_expected(pail_point *r, uint32_t operation, const struct pair *pair)
{
    const struct pail_curve_ops *ops = test_ops();
    pail_affine affine;
    if (operation == PROBE_POINT_MIXED && !ops->equal(&pair->a, &pair->b)) {
        ops->to_affine(&affine, &pair->b);
        ops->add_affine(r, &pair->a, &affine);
        return;
    }
    /* Equal points: the kernel doubles the first. */
    ops->add(r, &pair->a, &pair->b);
    if (operation == PROBE_POINT_AFFINE) {
        ops->to_affine(&affine, r);
        ops->from_affine(r, &affine);
    }
}

static void check_points(const struct vk_fixture *f, uint32_t operation, enum pail_field_form form,
                         uint32_t n)
{
    const struct pail_twin_variant variant = variant_of(form);
    const size_t words = 4 * coordinate_words(); /* of a point */
    struct buffer operands = buffer_make(2 * words * (size_t)n);
    struct buffer results = buffer_make(words * (size_t)n);
    pail_point pool[POOL];
    struct pail_rng rng;
    pail_rng_init(&rng, operation);
    pool_make(pool, &rng);
    const bool affine_a = operation == PROBE_POINT_AFFINE, affine_b = operation != PROBE_POINT_FULL;
    for (uint32_t i = 0; i < n; i++) {
        const enum position position = (enum position)(i % POSITION_COUNT);
        const struct pair pair =
            tiny_order() ? tiny_pair(affine_a, affine_b, i)
                         : pair_make(position, affine_a, affine_b, i / POSITION_COUNT, pool, &rng);
        uint32_t *a = operands.host + 2 * words * (size_t)i;
        pail_point sum;
        variant.ops->to_words(a, &pair.a, variant.radix);
        variant.ops->to_words(a + words, &pair.b, variant.radix);
        point_expected(&sum, operation, &pair);
        variant.ops->to_words(results.host + words * (size_t)i, &sum, variant.radix);
    }
    buffer_sync(&operands);
    const struct probe_push push = {.n = n, .operation = operation};
    const struct kernel_call call = {
        .id = PAIL_KERNEL_PROBE_POINT,
        .form = form,
        .push = &push,
        .gx = 3,
        .gy = groups_for(n, 3 * PROBE_WORKGROUP),
        .bindings = {&operands, &results},
    };
    kernel_run(f, &call);
    static const char *const names[PROBE_POINT_OPERATIONS] = {"XYZZ + affine", "XYZZ + XYZZ",
                                                              "affine + affine"};
    assert_same_points(&results, names[operation]);
    assert_same_words(&operands, "operands");
    buffer_free(&results);
    buffer_free(&operands);
}

void probe_points(const struct vk_fixture *f)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of_probe(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t operation = 0; operation < PROBE_POINT_OPERATIONS; operation++)
            check_points(f, operation, forms[i],
                         tiny_order() ? TINY_WAYS * tiny_order() * tiny_order()
                         : is_slow(f) ? 301
                                      : 1201);
}
