/* The arithmetic under the kernels, one operation for each thread, against the CPU: fields on
 * random elements and on limbs that carry, points in every special position. */
#include "kernels_support.h"

#include <stdlib.h>
#include <string.h>

#include <bn254.h>

enum { FE_WORDS = 8 };

/* ---- Fields --------------------------------------------------------------------------------- */

/* Elements in memory are integers below p: edges, all ones in all limbs of either form, and single
 * bits. Random ones follow. */
enum { EDGES_MAX = 640 };

static size_t edges_make(pail_bn254_fp edges[EDGES_MAX])
{
    static const pail_bn254_fp p = {PAIL_BN254_FP_MODULUS};
    size_t n = 0;
    edges[n++] = (pail_bn254_fp){{0}};
    edges[n++] = (pail_bn254_fp){{1}};
    edges[n++] = (pail_bn254_fp){{2}};
    for (uint64_t below = 1; below <= 3; below++) {
        edges[n] = p;
        edges[n++].l[0] -= below;
    }
    edges[n++] = (pail_bn254_fp){PAIL_BN254_FP_ONE};    /* R = 2^256 */
    edges[n++] = (pail_bn254_fp){PAIL_BN254_FP_TO_X29}; /* R = 2^261 */
    edges[n++] = (pail_bn254_fp){PAIL_BN254_FP_R2};
    edges[n++] = (pail_bn254_fp){PAIL_BN254_FP_FROM_X29}; /* 2^251 */
    edges[n++] = (pail_bn254_fp){PAIL_BN254_FP_R3};
    /* p / 2 rounded down and up */
    pail_bn254_fp half = p;
    for (size_t i = 0; i < 4; i++)
        half.l[i] = half.l[i] >> 1 | (i < 3 ? p.l[i + 1] << 63 : 0);
    edges[n++] = half;
    half.l[0]++;
    edges[n++] = half;
    /* 2^k and 2^k - 1 up to 2^253 < p, and p - 2^k. */
    for (uint32_t k = 1; k < 254; k++) {
        pail_bn254_fp power = {{0}}, ones = {{0}};
        power.l[k / 64] = UINT64_C(1) << (k % 64);
        for (uint32_t bit = 0; bit < k; bit++)
            ones.l[bit / 64] |= UINT64_C(1) << (bit % 64);
        edges[n++] = power;
        edges[n++] = ones;
        if (k % 8 == 0)
            pail_bn254_fp_neg(&edges[n++], &power);
    }
    /* Every other limb all ones, in limbs of 32 and of 29 bits. */
    for (uint32_t odd = 0; odd < 2; odd++)
        for (uint32_t width = 29; width <= 32; width += 3) {
            pail_bn254_fp e = {{0}};
            for (uint32_t bit = 0; bit < 253; bit++)
                e.l[bit / 64] |= (uint64_t)(bit / width % 2 == odd) << (bit % 64);
            edges[n++] = e;
        }
    assert_true(n <= EDGES_MAX);
    return n;
}

static pail_bn254_fp random_element(struct pail_rng *rng)
{
    pail_bn254_fp x;
    const pail_u256 k = random_u256(rng);
    pail_bn254_fp_from_integer(&x, k.l);
    return x;
}

/* Words to and from the CPU's form: the words of form x29 are 2^5 times those of x32. */
static pail_bn254_fp element_of(const uint32_t *words, enum pail_field_form form)
{
    static const pail_bn254_fp from_x29 = {PAIL_BN254_FP_FROM_X29};
    pail_bn254_fp x;
    for (size_t i = 0; i < 4; i++)
        x.l[i] = words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
    if (form == PAIL_FORM_X29)
        pail_bn254_fp_mul(&x, &x, &from_x29);
    return x;
}

static void element_words(uint32_t *words, pail_bn254_fp x, enum pail_field_form form)
{
    static const pail_bn254_fp to_x29 = {PAIL_BN254_FP_TO_X29};
    if (form == PAIL_FORM_X29)
        pail_bn254_fp_mul(&x, &x, &to_x29);
    for (size_t i = 0; i < FE_WORDS; i++)
        words[i] = (uint32_t)(x.l[i / 2] >> (32 * (i % 2)));
}

static pail_bn254_fp field_expected(uint32_t operation, const pail_bn254_fp *a,
                                    const pail_bn254_fp *b)
{
    pail_bn254_fp r = pail_bn254_fp_one;
    switch (operation) {
    case PROBE_FIELD_MUL:
        pail_bn254_fp_mul(&r, a, b);
        break;
    case PROBE_FIELD_SQR:
        pail_bn254_fp_sqr(&r, a);
        break;
    case PROBE_FIELD_ADD:
        pail_bn254_fp_add(&r, a, b);
        break;
    case PROBE_FIELD_SUB:
        pail_bn254_fp_sub(&r, a, b);
        break;
    case PROBE_FIELD_NEG:
        pail_bn254_fp_neg(&r, a);
        break;
    case PROBE_FIELD_INV:
        pail_bn254_fp_inv(&r, a);
        break;
    default: /* one where equal, zero where not */
        if (!pail_bn254_fp_equal(a, b))
            r = (pail_bn254_fp){{0}};
        break;
    }
    return r;
}

static void check_field(const struct vk_fixture *f, uint32_t operation, enum pail_field_form form,
                        const struct buffer *pairs, uint32_t n)
{
    struct buffer operands = buffer_make(2 * FE_WORDS * (size_t)n);
    struct buffer results = buffer_make(FE_WORDS * (size_t)n);
    memcpy(operands.host, pairs->host, 4 * operands.n);
    buffer_sync(&operands);
    const struct probe_push push = {.n = n, .operation = operation};
    const struct kernel_call call = {
        .id = PAIL_KERNEL_PROBE_FIELD,
        .form = form,
        .push = &push,
        .gx = 3,
        .gy = groups_for(n, 3 * PROBE_WORKGROUP),
        .bindings = {&operands, &results},
    };
    kernel_run(f, &call);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *words = operands.host + 2 * FE_WORDS * (size_t)i;
        const pail_bn254_fp a = element_of(words, form), b = element_of(words + FE_WORDS, form);
        element_words(results.host + FE_WORDS * (size_t)i, field_expected(operation, &a, &b), form);
    }
    static const char *const names[PROBE_FIELD_OPERATIONS] = {"a * b", "a^2", "a + b",    "a - b",
                                                              "-a",    "1/a", "a - b = 0"};
    assert_same_words(&results, names[operation]);
    assert_same_words(&operands, "operands");
    buffer_free(&results);
    buffer_free(&operands);
}

/* The first edges with each other, all edges with themselves and with a random element. */
static uint32_t field_pairs_make(struct buffer *pairs, uint32_t n_random)
{
    enum { FIRST = 24 };
    pail_bn254_fp edges[EDGES_MAX];
    struct pail_rng rng;
    pail_rng_init(&rng, 11);
    const size_t n_edges = edges_make(edges);
    *pairs = buffer_make(2 * FE_WORDS * (FIRST * FIRST + 3 * n_edges + n_random));
    uint32_t n = 0;
    /* Here elements are what memory holds, so that edges are edges in both forms. */
    const enum pail_field_form as_is = PAIL_FORM_X32;
    for (size_t i = 0; i < FIRST * FIRST + 3 * n_edges + n_random; i++) {
        pail_bn254_fp a = random_element(&rng), b = random_element(&rng);
        const size_t rest = i - FIRST * FIRST;
        if (i < FIRST * FIRST) {
            a = edges[i / FIRST];
            b = edges[i % FIRST];
        } else if (rest < 3 * n_edges) {
            a = edges[rest / 3];
            if (rest % 3 == 0)
                b = a;
            else if (rest % 3 == 1)
                pail_bn254_fp_neg(&b, &a);
        }
        element_words(pairs->host + 2 * FE_WORDS * (size_t)n, a, as_is);
        element_words(pairs->host + 2 * FE_WORDS * (size_t)n + FE_WORDS, b, as_is);
        n++;
    }
    return n;
}

static void test_field(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    struct buffer pairs;
    const uint32_t n = field_pairs_make(&pairs, is_slow(f) ? 300 : 5000);
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t operation = 0; operation < PROBE_FIELD_OPERATIONS; operation++) {
            const bool few = operation == PROBE_FIELD_INV && is_slow(f);
            check_field(f, operation, forms[i], &pairs, few ? 700 : n);
        }
    buffer_free(&pairs);
}

/* ---- Points --------------------------------------------------------------------------------- */
enum position {
    DIFFERENT,
    EQUAL,
    OPPOSITE,
    FIRST_INFINITE,
    SECOND_INFINITE,
    BOTH_INFINITE,
    POSITION_COUNT
};

/* The same point with other coordinates: x z^2, y z^3, zz z^2, zzz z^3. */
static pail_point scaled(const pail_point *p, struct pail_rng *rng)
{
    const pail_bn254_fp z = random_element(rng);
    pail_bn254_fp z2, z3, c[4];
    pail_bn254_fp_sqr(&z2, &z);
    pail_bn254_fp_mul(&z3, &z2, &z);
    pail_point r = *p;
    memcpy(c, r.limbs, sizeof(c));
    for (size_t i = 0; i < 4; i++)
        pail_bn254_fp_mul(&c[i], &c[i], i % 2 ? &z3 : &z2);
    memcpy(r.limbs, c, sizeof(c));
    return r;
}

/* Infinity as a kernel may leave it: only ZZ is 0. */
static pail_point infinity_of(const pail_point *p, bool clean)
{
    pail_point r = *p;
    memset(r.limbs + 8, 0, 4 * sizeof(r.limbs[0]));
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
        pair.a = scaled(&pair.a, rng);
    if (!affine_b && number % 4 != 2)
        pair.b = scaled(&pair.b, rng);
    if (position == FIRST_INFINITE || position == BOTH_INFINITE)
        pair.a = infinity_of(&pair.a, affine_a || number % 2);
    if (position == SECOND_INFINITE || position == BOTH_INFINITE)
        pair.b = infinity_of(&pair.b, affine_b || number % 3);
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
    struct buffer operands = buffer_make(2 * XYZZ_WORDS * (size_t)n);
    struct buffer results = buffer_make(XYZZ_WORDS * (size_t)n);
    pail_point pool[POOL];
    struct pail_rng rng;
    pail_rng_init(&rng, operation);
    pool_make(pool, &rng);
    for (uint32_t i = 0; i < n; i++) {
        const enum position position = (enum position)(i % POSITION_COUNT);
        const struct pair pair =
            pair_make(position, operation == PROBE_POINT_AFFINE, operation != PROBE_POINT_FULL,
                      i / POSITION_COUNT, pool, &rng);
        uint32_t *words = operands.host + 2 * XYZZ_WORDS * (size_t)i;
        pail_point sum;
        variant.ops->to_words(words, &pair.a, variant.radix);
        variant.ops->to_words(words + XYZZ_WORDS, &pair.b, variant.radix);
        point_expected(&sum, operation, &pair);
        variant.ops->to_words(results.host + XYZZ_WORDS * (size_t)i, &sum, variant.radix);
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

static void test_points(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t operation = 0; operation < PROBE_POINT_OPERATIONS; operation++)
            check_points(f, operation, forms[i], is_slow(f) ? 301 : 2501);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_points),
    };
    return cmocka_run_group_tests_name("probe", tests, vk_setup, vk_teardown);
}
