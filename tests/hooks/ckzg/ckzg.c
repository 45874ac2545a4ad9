/* SPDX-License-Identifier: Apache-2.0 */
/* Included by c-kzg's own test program (src/test/tests.c) in place of its sources: the interface,
 * and functions that are private to its sources and that its tests call. They stand on what the
 * library exports, so that a test of one of them is a test of that. `s` is the setup of the
 * program. */
#include <assert.h>
#include <ckzg.h>
#include <string.h>

#define ROOT_OF_UNITY         (s.roots_of_unity[1])
#define RECOVERY_SHIFT_FACTOR (*seven())

static const fr_t *seven(void)
{
    static fr_t factor;
    fr_from_uint64(&factor, 7);
    return &factor;
}

static bool fr_is_zero(const fr_t *a)
{
    return fr_equal(a, &FR_ZERO);
}

static C_KZG_RET fr_batch_inv(fr_t *out, const fr_t *a, int len)
{
    for (int i = 0; i < len; i++) {
        if (fr_is_zero(&a[i]))
            return C_KZG_BADARGS;
        fr_inv(&out[i], &a[i]);
    }
    return C_KZG_OK;
}

static void g2_mul(g2_t *out, const g2_t *a, const fr_t *b)
{
    blst_scalar k;
    blst_scalar_from_fr(&k, b);
    blst_p2_mult(out, a, k.b, BITS_PER_FIELD_ELEMENT);
}

static C_KZG_RET validate_kzg_g1(g1_t *out, const Bytes48 *b)
{
    return bytes_to_kzg_commitment(out, b);
}

/* The value that a proof is about. */
static C_KZG_RET evaluate_polynomial_in_evaluation_form(fr_t *out, const fr_t *poly, const fr_t *x,
                                                        const KZGSettings *settings)
{
    static Blob blob;
    Bytes32 scalar, y;
    KZGProof proof;
    for (size_t i = 0; i < FIELD_ELEMENTS_PER_BLOB; i++) {
        bytes_from_bls_field(&scalar, &poly[i]);
        memcpy(&blob.bytes[i * sizeof(scalar)], &scalar, sizeof(scalar));
    }
    bytes_from_bls_field(&scalar, x);
    const C_KZG_RET ret = compute_kzg_proof(&proof, &y, &blob, &scalar, settings);
    return ret == C_KZG_OK ? bytes_to_bls_field(out, &y) : ret;
}

static C_KZG_RET expand_root_of_unity(fr_t *out, const fr_t *root, size_t width)
{
    compute_powers(out, root, width + 1);
    for (size_t i = 1; i <= width; i++)
        if (fr_is_one(&out[i]) != (i == width))
            return C_KZG_BADARGS;
    return C_KZG_OK;
}

static void deduplicate_commitments(Bytes48 *commitments, uint64_t *indices, size_t *count)
{
    size_t unique = 0;
    for (size_t i = 0; i < *count; i++) {
        size_t k = 0;
        while (k < unique && memcmp(&commitments[k], &commitments[i], sizeof(Bytes48)) != 0)
            k++;
        commitments[k] = commitments[i];
        indices[i] = k;
        unique += k == unique;
    }
    *count = unique;
}

static void get_inv_coset_shift_for_cell(fr_t *out, uint64_t cell, const KZGSettings *settings)
{
    *out = settings->reverse_roots_of_unity[reverse_bits_limited(CELLS_PER_EXT_BLOB, cell)];
}

static void get_coset_shift_pow_for_cell(fr_t *out, uint64_t cell, const KZGSettings *settings)
{
    fr_pow(out, &settings->roots_of_unity[reverse_bits_limited(CELLS_PER_EXT_BLOB, cell)],
           FIELD_ELEMENTS_PER_CELL);
}

/* The product of x - roots[i]. */
static C_KZG_RET compute_vanishing_polynomial_from_roots(fr_t *poly, size_t *poly_len,
                                                         const fr_t *roots, size_t n)
{
    fr_t product;
    if (n == 0)
        return C_KZG_BADARGS;
    poly[0] = FR_ONE;
    for (size_t i = 0; i < n; i++) {
        poly[i + 1] = poly[i];
        for (size_t k = i + 1; k-- > 0;) {
            fr_mul(&product, &poly[k], &roots[i]);
            fr_sub(&poly[k], k > 0 ? &poly[k - 1] : &FR_ZERO, &product);
        }
    }
    *poly_len = n + 1;
    return C_KZG_OK;
}

static C_KZG_RET vanishing_polynomial_for_missing_cells(fr_t *poly, const uint64_t *missing,
                                                        size_t n, const KZGSettings *settings)
{
    fr_t roots[CELLS_PER_EXT_BLOB], of_cells[CELLS_PER_EXT_BLOB + 1];
    size_t len;
    if (n == 0 || n >= CELLS_PER_EXT_BLOB)
        return C_KZG_BADARGS;
    for (size_t i = 0; i < n; i++)
        roots[i] = settings->roots_of_unity[missing[i] * FIELD_ELEMENTS_PER_CELL];
    const C_KZG_RET ret = compute_vanishing_polynomial_from_roots(of_cells, &len, roots, n);
    memset(poly, 0, FIELD_ELEMENTS_PER_EXT_BLOB * sizeof(*poly));
    for (size_t i = 0; ret == C_KZG_OK && i < len; i++)
        poly[i * FIELD_ELEMENTS_PER_CELL] = of_cells[i];
    return ret;
}
