/* SPDX-License-Identifier: Apache-2.0 */
/* Field operations, one for each thread: random elements, and limbs that carry. */
#include "probe.h"

#include <stdlib.h>
#include <string.h>

#include <curves/bls12_381.h>
#include <curves/bn254.h>
#include <curves/toys.h>

/* ---- The CPU's fields, of coordinates ------------------------------------------------------- */
enum { BASE_LIMBS_MAX = 6, FE_LIMBS_MAX = 2 * BASE_LIMBS_MAX };

/* A coordinate: one base-field element or two, in the CPU's form, without gaps. */
struct element {
    uint64_t l[FE_LIMBS_MAX];
};

struct field {
    uint32_t curve, group;
    size_t limbs; /* in a base-field element */
    const uint64_t *modulus;
    void (*neg)(struct element *r, const struct element *a); /* base-field elements */
    void (*apply)(uint32_t operation, struct element *r, const struct element *a,
                  const struct element *b);
};

/* PROBE_FIELD_ operations of one of the CPU's fields. */
#define FIELD_APPLY(fe)                                                                            \
    static void fe##_apply(uint32_t operation, struct element *r, const struct element *left,      \
                           const struct element *right)                                            \
    {                                                                                              \
        fe a, b, c, x = fe##_one;                                                                  \
        memcpy(&a, left->l, sizeof(a));                                                            \
        memcpy(&b, right->l, sizeof(b));                                                           \
        if (operation == PROBE_FIELD_MUL)                                                          \
            fe##_mul(&x, &a, &b);                                                                  \
        else if (operation == PROBE_FIELD_SQR)                                                     \
            fe##_sqr(&x, &a);                                                                      \
        else if (operation == PROBE_FIELD_ADD)                                                     \
            fe##_add(&x, &a, &b);                                                                  \
        else if (operation == PROBE_FIELD_SUB)                                                     \
            fe##_sub(&x, &a, &b);                                                                  \
        else if (operation == PROBE_FIELD_NEG)                                                     \
            fe##_neg(&x, &a);                                                                      \
        else if (operation == PROBE_FIELD_INV)                                                     \
            fe##_inv(&x, &a);                                                                      \
        else if (operation == PROBE_FIELD_LESS) {                                                  \
            fe##_sub(&x, &a, &b);                                                                  \
            fe##_sub(&x, &x, &b);                                                                  \
            fe##_sub(&x, &x, &b);                                                                  \
        } else if (operation == PROBE_FIELD_DOT_LESS) {                                            \
            fe##_sub(&x, &a, &b);                                                                  \
            fe##_mul(&x, &x, &b);                                                                  \
            fe##_sqr(&c, &a);                                                                      \
            fe##_sub(&x, &x, &c);                                                                  \
        } else if (!fe##_equal(&a, &b)) /* one where equal, zero where not */                      \
            memset(&x, 0, sizeof(x));                                                              \
        memcpy(r->l, &x, sizeof(x));                                                               \
    }
#define FIELD_NEG(fe)                                                                              \
    static void fe##_negate(struct element *r, const struct element *a)                            \
    {                                                                                              \
        fe x;                                                                                      \
        memcpy(&x, a->l, sizeof(x));                                                               \
        fe##_neg(&x, &x);                                                                          \
        memcpy(r->l, &x, sizeof(x));                                                               \
    }

FIELD_APPLY(pail_toy1_fp)
FIELD_NEG(pail_toy1_fp)
FIELD_APPLY(pail_toy2_fp)
FIELD_NEG(pail_toy2_fp)
FIELD_APPLY(pail_bn254_fp)
FIELD_APPLY(pail_bn254_fp2)
FIELD_NEG(pail_bn254_fp)
FIELD_APPLY(pail_bls12_381_fp)
FIELD_APPLY(pail_bls12_381_fp2)
FIELD_NEG(pail_bls12_381_fp)

#define FIELD_ROW(number, group, base, fe)                                                         \
    {                                                                                              \
        number, group, sizeof(base) / 8, base##_modulus.l, base##_negate, fe##_apply               \
    }
static const struct field fields[] = {
    FIELD_ROW(PAIL_KC_TOY1, PAIL_KG_G1, pail_toy1_fp, pail_toy1_fp),
    FIELD_ROW(PAIL_KC_TOY2, PAIL_KG_G1, pail_toy2_fp, pail_toy2_fp),
    FIELD_ROW(PAIL_KC_BN254, PAIL_KG_G1, pail_bn254_fp, pail_bn254_fp),
    FIELD_ROW(PAIL_KC_BN254, PAIL_KG_G2, pail_bn254_fp, pail_bn254_fp2),
    FIELD_ROW(PAIL_KC_BLS12_381, PAIL_KG_G1, pail_bls12_381_fp, pail_bls12_381_fp),
    FIELD_ROW(PAIL_KC_BLS12_381, PAIL_KG_G2, pail_bls12_381_fp, pail_bls12_381_fp2),
};

static const struct field *field_of(const struct pail_curve_ops *ops)
{
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if (fields[i].curve == ops->curve && fields[i].group == ops->group)
            return &fields[i];
    fail_msg("no field for curve %u, group %u", ops->curve, ops->group);
    return NULL;
}

/* ---- Operands: integers below p, as memory has them, whatever the form makes of them --------- */
enum { EDGES_MAX = 1024 };

struct edges {
    struct element at[EDGES_MAX]; /* base-field elements */
    size_t n;
};

static bool below(const struct element *x, const struct field *field)
{
    for (size_t i = field->limbs; i-- > 0;)
        if (x->l[i] != field->modulus[i])
            return x->l[i] < field->modulus[i];
    return false;
}

static uint32_t bits_of(const struct field *field)
{
    uint32_t bits = 64 * (uint32_t)field->limbs;
    while (bits > 0 && !(field->modulus[(bits - 1) / 64] >> ((bits - 1) % 64) & 1))
        bits--;
    return bits;
}

static void edge_add(struct edges *edges, const struct element *x, const struct field *field)
{
    assert_true(edges->n < EDGES_MAX);
    if (below(x, field))
        edges->at[edges->n++] = *x;
}

static void edges_make(struct edges *edges, const struct field *field)
{
    const uint32_t bits = bits_of(field);
    struct element p = {{0}}, x;
    memcpy(p.l, field->modulus, 8 * field->limbs);
    edges->n = 0;
    for (uint64_t small = 0; small < 4; small++) {
        x = (struct element){{small}};
        edge_add(edges, &x, field);
        x = p;
        x.l[0] -= small; /* p is odd and large: no borrow */
        edge_add(edges, &x, field);
    }
    /* R of all forms, and what R^2 brings: images of one under the CPU's own multiplication. */
    static const struct element plain_one = {{1}};
    struct element one;
    const struct pail_curve_ops *ops = test_ops();
    field->apply(PROBE_FIELD_IS_ZERO, &one, &plain_one, &plain_one); /* R of form x32 */
    memset(one.l + field->limbs, 0, sizeof(one.l) - 8 * field->limbs);
    edge_add(edges, &one, field);
    pail_affine twice = {{0}};
    uint32_t words[4 * FE_LIMBS_MAX];
    memcpy(twice.limbs, one.l, 8 * field->limbs);
    for (enum pail_field_form form = PAIL_FORM_X29; form < PAIL_FORM_COUNT; form++) {
        ops->affine_to_words(words, &twice, form);
        x = (struct element){{0}};
        for (size_t i = 0; i < 2 * field->limbs; i++)
            x.l[i / 2] |= (uint64_t)words[i] << (32 * (i % 2));
        edge_add(edges, &x, field);
    }
    /* p / 2 rounded down and up */
    x = (struct element){{0}};
    for (size_t i = 0; i < field->limbs; i++)
        x.l[i] = p.l[i] >> 1 | (i + 1 < field->limbs ? p.l[i + 1] << 63 : 0);
    edge_add(edges, &x, field);
    x.l[0]++;
    edge_add(edges, &x, field);
    /* Every other limb all ones, in limbs of each form; then the top bit of every limb alone, where
     * balanced digits turn, and the same less one. */
    static const uint32_t widths[] = {29, 32, 51};
    for (uint32_t odd = 0; odd < 2; odd++)
        for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
            x = (struct element){{0}};
            for (uint32_t bit = 0; bit + 1 < bits; bit++)
                x.l[bit / 64] |= (uint64_t)(bit / widths[w] % 2 == odd) << (bit % 64);
            edge_add(edges, &x, field);
            x = (struct element){{0}};
            for (uint32_t bit = 0; bit + 1 < bits; bit++)
                x.l[bit / 64] |= (uint64_t)(bit % widths[w] == widths[w] - 1) << (bit % 64);
            x.l[0] -= odd;
            edge_add(edges, &x, field);
        }
    /* 2^k, 2^k - 1 and p - 2^k. */
    struct element ones = {{0}};
    for (uint32_t k = 1; k + 1 < bits; k++) {
        ones.l[(k - 1) / 64] |= UINT64_C(1) << ((k - 1) % 64);
        x = (struct element){{0}};
        x.l[k / 64] = UINT64_C(1) << (k % 64);
        edge_add(edges, &x, field);
        edge_add(edges, &ones, field);
        if (k % 8 == 0) {
            field->neg(&x, &x);
            edge_add(edges, &x, field);
        }
    }
}

static struct element random_base(struct pail_rng *rng, const struct field *field)
{
    const uint32_t bits = bits_of(field);
    for (;;) {
        struct element x = {{0}};
        for (size_t i = 0; i < field->limbs; i++)
            if (64 * i < bits)
                x.l[i] = pail_rng_next(rng) >> (64 * i + 64 > bits ? 64 * i + 64 - bits : 0);
        if (below(&x, field))
            return x;
    }
}

static void write_base(uint32_t *words, const struct element *x, const struct field *field)
{
    for (size_t i = 0; i < 2 * field->limbs; i++)
        words[i] = (uint32_t)(x->l[i / 2] >> (32 * (i % 2)));
}

/* A base-field element from the list, or a random one past its end. */
static struct element pick(const struct edges *edges, size_t i, struct pail_rng *rng,
                           const struct field *field)
{
    return i < edges->n ? edges->at[i] : random_base(rng, field);
}

/* [n][2] coordinates: the first edges with each other; every edge with itself, with its negative
 * and with a random element; random ones. In the extension the second coefficient is another edge,
 * or 0, or follows the same pattern on its own. */
static uint32_t pairs_make(struct buffer *pairs, const struct field *field, uint32_t n_random)
{
    enum { FIRST = 14 };
    struct edges *edges = malloc(sizeof(*edges));
    assert_non_null(edges);
    edges_make(edges, field);
    struct pail_rng rng;
    pail_rng_init(&rng, 11);
    const size_t degree = coordinate_words() / (2 * field->limbs), words = 2 * field->limbs;
    const size_t n = FIRST * FIRST + 3 * edges->n + n_random, none = edges->n;
    *pairs = buffer_make(2 * degree * words * n);
    for (size_t i = 0; i < n; i++) {
        const size_t rest = i - FIRST * FIRST;
        for (size_t c = 0; c < degree; c++) {
            /* The second coefficient walks through the list with another stride. */
            const size_t turn = c == 0 ? 1 : 5, shift = c == 0 ? 0 : i / 7;
            struct element a, b;
            if (i < FIRST * FIRST) {
                a = pick(edges, (i / FIRST * turn + shift) % FIRST, &rng, field);
                b = pick(edges, (i % FIRST * turn + shift) % FIRST, &rng, field);
            } else {
                const bool edge = rest < 3 * edges->n;
                a = pick(edges, edge ? (rest / 3 * turn + shift) % edges->n : none, &rng, field);
                b = pick(edges, none, &rng, field);
                if (edge && rest % 3 == 0)
                    b = a;
                else if (edge && rest % 3 == 1)
                    field->neg(&b, &a);
            }
            write_base(pairs->host + (2 * i * degree + c) * words, &a, field);
            write_base(pairs->host + ((2 * i + 1) * degree + c) * words, &b, field);
        }
    }
    free(edges);
    return (uint32_t)n;
}

/* Every pair of elements of a field small enough for it, in the same shape. */
static uint32_t all_pairs_make(struct buffer *pairs, const struct field *field)
{
    const uint64_t p = field->modulus[0];
    const size_t words = 2 * field->limbs;
    assert_int_equal(coordinate_words(), words);
    *pairs = buffer_make(2 * words * (size_t)(p * p));
    for (uint64_t i = 0; i < p * p; i++) {
        const struct element a = {{i / p}}, b = {{i % p}};
        write_base(pairs->host + 2 * words * (size_t)i, &a, field);
        write_base(pairs->host + (2 * (size_t)i + 1) * words, &b, field);
    }
    return (uint32_t)(p * p);
}

/* ---- Runs ------------------------------------------------------------------------------------ */
static void check_field(const struct vk_fixture *f, const struct field *field, uint32_t operation,
                        enum pail_field_form form, const struct buffer *pairs, uint32_t n)
{
    const struct pail_twin_variant variant = variant_of(form);
    const size_t words = coordinate_words();
    struct buffer operands = buffer_make(2 * words * (size_t)n);
    struct buffer results = buffer_make(words * (size_t)n);
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
        /* Two coordinates have the shape of an affine point. */
        pail_affine both, result = {{0}};
        struct element a = {{0}}, b = {{0}}, r;
        uint32_t out[4 * FE_LIMBS_MAX];
        assert_true(variant.ops->affine_from_words(&both, operands.host + 2 * words * (size_t)i,
                                                   variant.form));
        memcpy(a.l, both.limbs, 4 * words);
        memcpy(b.l, both.limbs + words / 2, 4 * words);
        field->apply(operation, &r, &a, &b);
        memcpy(result.limbs, r.l, 4 * words);
        variant.ops->affine_to_words(out, &result, variant.form);
        memcpy(results.host + words * (size_t)i, out, 4 * words);
    }
    static const char *const names[PROBE_FIELD_OPERATIONS] = {
        "a * b", "a^2", "a + b", "a - b", "-a", "1/a", "a - b = 0", "a^2 - 3 b", "(a - b) b - a^2"};
    assert_same_words(&results, names[operation]);
    assert_same_words(&operands, "operands");
    buffer_free(&results);
    buffer_free(&operands);
}

void probe_field(const struct vk_fixture *f)
{
    const struct field *field = field_of(test_ops());
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of_probe(f, 1, forms);
    const uint32_t n_operations =
        test_ops()->group == PAIL_KG_G1 ? PROBE_FIELD_OPERATIONS : PROBE_FIELD_LESS;
    struct buffer pairs;
    const bool tiny = bits_of(field) <= 8;
    const uint32_t n =
        tiny ? all_pairs_make(&pairs, field) : pairs_make(&pairs, field, is_slow(f) ? 300 : 2000);
    for (uint32_t i = 0; i < n_forms; i++)
        for (uint32_t operation = 0; operation < n_operations; operation++) {
            const bool few = operation == PROBE_FIELD_INV && !tiny;
            check_field(f, field, operation, forms[i], &pairs, few ? (is_slow(f) ? 300 : 900) : n);
        }
    buffer_free(&pairs);
}
