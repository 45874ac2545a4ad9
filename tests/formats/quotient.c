/* SPDX-License-Identifier: Apache-2.0 */

#include "build.h"
#include "support/test.h"
#include <curves/bn254.h>
#include <curves/curve_ops.h>
#include <formats/wtns.h>
#include <pail/groth16.h>

typedef pail_bn254_fr fr;

enum { LARGEST_DOMAIN = 16 };

static void power(fr *r, const fr *base, uint64_t exponent)
{
    fr result = pail_bn254_fr_one;
    for (uint64_t i = 0; i < exponent; i++)
        pail_bn254_fr_mul(&result, &result, base);
    *r = result;
}

/* The value at x of the polynomial of degree below n that has the given values on the powers of
 * `root`, by Lagrange's formula. */
static void lagrange(fr *r, const fr *values, size_t n, const fr *root, const fr *x)
{
    *r = (fr){0};
    for (size_t i = 0; i < n; i++) {
        fr term = values[i], at_i;
        power(&at_i, root, i);
        for (size_t j = 0; j < n; j++) {
            if (j == i)
                continue;
            fr at_j, above, below;
            power(&at_j, root, j);
            pail_bn254_fr_sub(&above, x, &at_j);
            pail_bn254_fr_sub(&below, &at_i, &at_j);
            pail_bn254_fr_inv(&below, &below);
            pail_bn254_fr_mul(&term, &term, &above);
            pail_bn254_fr_mul(&term, &term, &below);
        }
        pail_bn254_fr_add(r, r, &term);
    }
}

static void add_generator(struct buffer *to, uint32_t group)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BN254, group);
    uint8_t bytes[sizeof(pail_affine)];
    pail_affine affine;
    pail_point point;
    ops->generator(bytes);
    ops->from_affine(&point, bytes);
    ops->to_affine(&affine, &point);
    ops->encode(bytes, &affine, true);
    buffer_append(to, bytes, group == PAIL_G2 ? 128 : 64);
}

static void set_u32(uint8_t *at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* A key over the domain whose coefficients are made up, two for each row of each matrix, and the
 * rows times the witness 1, 2, 3, ... of make_witness. */
static struct pieces make_key_over(uint32_t n, fr rows[2][LARGEST_DOMAIN])
{
    struct pieces pieces = make_key();
    struct buffer *const header = &pieces.piece[pieces_find(&pieces, 2)].payload;
    struct piece *const inputs = &pieces.piece[pieces.count++];
    header->size -= 3 * 64 + 3 * 128;
    for (int i = 0; i < 6; i++) /* alpha, beta, beta, gamma, delta, delta */
        add_generator(header, i == 2 || i == 3 || i == 5 ? PAIL_G2 : PAIL_G1);
    *inputs = (struct piece){.type = 3};
    for (int i = 0; i <= KEY_PUBLIC; i++)
        add_generator(&inputs->payload, PAIL_G1);
    set_u32(pieces.piece[pieces_find(&pieces, 2)].payload.data + 80, n);
    struct buffer *const points = &pieces.piece[pieces_find(&pieces, 9)].payload;
    points->size = 0;
    buffer_zeros(points, (size_t)n * 64);
    struct buffer *const entries = &pieces.piece[pieces_find(&pieces, 4)].payload;
    entries->size = 0;
    buffer_u32(entries, 4 * n);
    for (uint32_t i = 0; i < 4 * n; i++) {
        const uint32_t matrix = i & 1, constraint = (i / 2) % n, signal = (i * 3 + 1) % KEY_VARS;
        const uint64_t integer[4] = {i + 3, UINT64_C(0x9e3779b97f4a7c15) * (i + 1), i, i % 7};
        fr value, stored, w, product;
        pail_bn254_fr_from_integer(&value, integer);
        /* The file holds the value times R^2: once more into Montgomery form than an element is. */
        pail_bn254_fr_from_integer(&stored, value.l);
        buffer_u32(entries, matrix);
        buffer_u32(entries, constraint);
        buffer_u32(entries, signal);
        for (size_t limb = 0; limb < 4; limb++)
            buffer_u64(entries, stored.l[limb]);
        const uint64_t witness[4] = {signal + 1};
        pail_bn254_fr_from_integer(&w, witness);
        pail_bn254_fr_mul(&product, &value, &w);
        pail_bn254_fr_add(&rows[matrix][constraint], &rows[matrix][constraint], &product);
    }
    return pieces;
}

static void count_ticks(void *user, double part)
{
    assert_true(part > 0 && part <= 1);
    ++*(int *)user;
}

/* With the witness in both forms: the same bytes, or none. */
static void expect_same(const uint8_t *h, uint64_t n, const struct buffer *key_file,
                        const struct buffer *witness_file)
{
    struct pail_wtns witness;
    assert_int_equal(
        pail_wtns_parse(&witness, "w", witness_file->data, witness_file->size, NULL, 0), PAIL_OK);
    const pail_groth16_key_params key =
        SIZED(pail_groth16_key_params, .bytes = key_file->data, .n_bytes = key_file->size);
    const pail_groth16_witness forms[] = {
        {.struct_size = sizeof(forms[0]), .wtns = witness_file->data, .n_wtns = witness_file->size},
        {.struct_size = sizeof(forms[0]), .values = witness.values, .n_values = witness.count}};
    static const uint8_t zero[32 * LARGEST_DOMAIN];
    uint8_t got[32 * LARGEST_DOMAIN];
    char error[512];
    for (size_t i = 0; i < 2; i++) {
        int ticks = 0;
        memset(got, 0xaa, sizeof(got));
        if (pail_groth16_h_scalars(got, n, &key, &forms[i], count_ticks, &ticks, error,
                                   sizeof(error)) != PAIL_OK)
            fail_msg("%s", error);
        assert_memory_equal(got, h, 32 * n);
        assert_true(ticks > 0);
    }
    assert_int_equal(
        pail_groth16_h_scalars(got, n - 1, &key, &forms[0], NULL, NULL, error, sizeof(error)),
        PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(error, "the key has a domain of "));
    assert_memory_equal(got, zero, 32 * (n - 1));
    pail_groth16_witness other = forms[1];
    other.n_values--;
    other.name = "some witness";
    assert_int_equal(pail_groth16_h_scalars(got, n, &key, &other, NULL, NULL, error, sizeof(error)),
                     PAIL_ERR_DATA);
    assert_non_null(strstr(error, "some witness: has "));
    assert_memory_equal(got, zero, 32 * n);
    assert_int_equal(pail_groth16_h_scalars(NULL, n, &key, &other, NULL, NULL, NULL, 0),
                     PAIL_ERR_ARGUMENT);
}

/* Against the definition, on every small domain. */
PAIL_TEST(agrees_with_interpolation)
{
    /* 5^((r - 1) / 32), by another program. */
    static const uint64_t root_32[4] = {UINT64_C(0x3eed4c533bb512d0), UINT64_C(0x9c18d51b838eeb1d),
                                        UINT64_C(0x9678200d47c0b2a9), UINT64_C(0x09c532c6306b93d2)};
    fr top;
    pail_bn254_fr_from_integer(&top, root_32);
    for (uint32_t n = 1; n <= LARGEST_DOMAIN; n *= 2) {
        fr rows[2][LARGEST_DOMAIN] = {{{{0}}}};
        struct pieces pieces = make_key_over(n, rows);
        struct pieces values = make_witness();
        struct buffer key_file = write_container(&pieces, "zkey", 1);
        struct buffer witness_file = write_container(&values, "wtns", 2);
        uint8_t h[32 * LARGEST_DOMAIN];

        fr root, half, c[LARGEST_DOMAIN];
        power(&half, &top, LARGEST_DOMAIN / n);
        pail_bn254_fr_sqr(&root, &half);
        for (size_t i = 0; i < n; i++)
            pail_bn254_fr_mul(&c[i], &rows[0][i], &rows[1][i]);
        for (size_t i = 0; i < n; i++) {
            fr x, a_at, b_at, c_at, expected;
            power(&x, &half, 2 * i + 1);
            lagrange(&a_at, rows[0], n, &root, &x);
            lagrange(&b_at, rows[1], n, &root, &x);
            lagrange(&c_at, c, n, &root, &x);
            pail_bn254_fr_mul(&expected, &a_at, &b_at);
            pail_bn254_fr_sub(&expected, &expected, &c_at);
            uint8_t bytes[32];
            pail_bn254_fr_to_bytes(bytes, &expected, false);
            memcpy(h + 32 * i, bytes, 32);
        }
        expect_same(h, n, &key_file, &witness_file);
        buffer_free(&key_file);
        buffer_free(&witness_file);
        pieces_free(&pieces);
        pieces_free(&values);
    }
}

PAIL_TEST(refuses_a_bad_coefficient)
{
    fr rows[2][LARGEST_DOMAIN] = {{{{0}}}};
    struct pieces pieces = make_key_over(KEY_DOMAIN, rows);
    struct pieces values = make_witness();
    pieces.piece[pieces_find(&pieces, 4)].payload.data[4 + 2 * 44 + 8] = KEY_VARS;
    struct buffer key_file = write_container(&pieces, "zkey", 1);
    struct buffer witness_file = write_container(&values, "wtns", 2);
    const pail_groth16_key_params key = {
        .struct_size = sizeof(key), .bytes = key_file.data, .n_bytes = key_file.size};
    const pail_groth16_witness witness = {
        .struct_size = sizeof(witness), .wtns = witness_file.data, .n_wtns = witness_file.size};
    static const uint8_t zero[32 * KEY_DOMAIN];
    uint8_t h[32 * KEY_DOMAIN];
    char error[512] = "";
    memset(h, 0xaa, sizeof(h));
    assert_int_equal(
        pail_groth16_h_scalars(h, KEY_DOMAIN, &key, &witness, NULL, NULL, error, sizeof(error)),
        PAIL_ERR_DATA);
    assert_non_null(strstr(error, "coefficient 2 in section 4"));
    assert_memory_equal(h, zero, sizeof(h));
    buffer_free(&key_file);
    buffer_free(&witness_file);
    pieces_free(&pieces);
    pieces_free(&values);
}
