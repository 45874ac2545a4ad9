/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms and polynomials of ckzg.h. The calls of EIP-4844 and EIP-7594 do without them. */
#include "internal.h"

/* A transform of elements of any kind, in place, from values that are bit-reversed. */
struct kind {
    size_t bytes;
    /* low, high = low + root high, low - root high */
    void (*butterfly)(void *low, void *high, const fr_t *root);
};

static void scalar_butterfly(void *low, void *high, const fr_t *root)
{
    fr_t product;
    fr_mul(&product, high, root);
    fr_sub(high, low, &product);
    fr_add(low, low, &product);
}

static void point_butterfly(void *low, void *high, const fr_t *root)
{
    g1_t product = *(g1_t *)high;
    if (!fr_is_one(root))
        g1_mul(&product, &product, root);
    g1_sub(high, low, &product);
    g1_add(low, low, &product);
}

static const struct kind scalars = {sizeof(fr_t), scalar_butterfly};
static const struct kind points = {sizeof(g1_t), point_butterfly};

/* Nothing is written before this is C_KZG_OK. */
static C_KZG_RET check(size_t n, const KZGSettings *s)
{
    (void)ckzg_begin();
    if (n > FIELD_ELEMENTS_PER_EXT_BLOB || !is_power_of_two(n))
        return ckzg_fail(C_KZG_BADARGS,
                         "%zu values, which is not a power of two up to %d: nothing is transformed",
                         n, FIELD_ELEMENTS_PER_EXT_BLOB);
    return n == 0 || ckzg_setup(s) ? C_KZG_OK : C_KZG_BADARGS;
}

/* out: [n]; in: [n], may be out. roots: [8192 + 1]. */
static C_KZG_RET transform(const struct kind *kind, void *out, const void *in, size_t n,
                           const KZGSettings *s, bool inverse)
{
    unsigned char *const v = out;
    const C_KZG_RET ret = check(n, s);
    if (ret != C_KZG_OK || n == 0)
        return ret;
    const fr_t *const roots = inverse ? s->reverse_roots_of_unity : s->roots_of_unity;
    if (out != in)
        memcpy(out, in, n * kind->bytes);
    (void)bit_reversal_permutation(out, kind->bytes, n);
    for (size_t half = 1; half < n; half *= 2)
        for (size_t i = 0; i < n; i += 2 * half)
            for (size_t k = 0; k < half; k++)
                kind->butterfly(v + (i + k) * kind->bytes, v + (i + k + half) * kind->bytes,
                                &roots[k * (FIELD_ELEMENTS_PER_EXT_BLOB / 2 / half)]);
    return C_KZG_OK;
}

C_KZG_RET fr_fft(fr_t *out, const fr_t *in, size_t n, const KZGSettings *s)
{
    return transform(&scalars, out, in, n, s, false);
}

C_KZG_RET fr_ifft(fr_t *out, const fr_t *in, size_t n, const KZGSettings *s)
{
    const C_KZG_RET ret = transform(&scalars, out, in, n, s, true);
    if (ret != C_KZG_OK)
        return ret;
    fr_t factor;
    fr_from_uint64(&factor, n);
    fr_inv(&factor, &factor);
    for (size_t i = 0; i < n; i++)
        fr_mul(&out[i], &out[i], &factor);
    return ret;
}

C_KZG_RET g1_fft(g1_t *out, const g1_t *in, size_t n, const KZGSettings *s)
{
    return transform(&points, out, in, n, s, false);
}

C_KZG_RET g1_ifft_unscaled(g1_t *out, const g1_t *in, size_t n, const KZGSettings *s)
{
    return transform(&points, out, in, n, s, true);
}

void shift_poly(fr_t *p, size_t len, const fr_t *shift_factor)
{
    fr_t power = FR_ONE;
    for (size_t i = 0; i < len; i++) {
        fr_mul(&p[i], &p[i], &power);
        fr_mul(&power, &power, shift_factor);
    }
}

static fr_t coset(bool inverse)
{
    fr_t shift;
    fr_from_uint64(&shift, 7); /* generates the multiplicative group */
    if (inverse)
        fr_inv(&shift, &shift);
    return shift;
}

C_KZG_RET coset_fft(fr_t *out, const fr_t *in, size_t n, const KZGSettings *s)
{
    const fr_t shift = coset(false);
    const C_KZG_RET ret = check(n, s);
    if (ret != C_KZG_OK || n == 0)
        return ret;
    if (out != in)
        memcpy(out, in, n * sizeof(*out));
    shift_poly(out, n, &shift);
    return fr_fft(out, out, n, s);
}

C_KZG_RET coset_ifft(fr_t *out, const fr_t *in, size_t n, const KZGSettings *s)
{
    const fr_t shift = coset(true);
    const C_KZG_RET ret = fr_ifft(out, in, n, s);
    if (ret == C_KZG_OK)
        shift_poly(out, n, &shift);
    return ret;
}

C_KZG_RET poly_lagrange_to_monomial(fr_t *monomial_out, const fr_t *lagrange, size_t len,
                                    const KZGSettings *s)
{
    const C_KZG_RET ret = check(len, s);
    if (ret != C_KZG_OK)
        return ret;
    if (len == 0)
        return ckzg_fail(C_KZG_BADARGS, "no values: nothing is transformed");
    if (monomial_out != lagrange)
        memcpy(monomial_out, lagrange, len * sizeof(*lagrange));
    (void)bit_reversal_permutation(monomial_out, sizeof(*monomial_out), len);
    return fr_ifft(monomial_out, monomial_out, len, s);
}

/* ---- Of the setup's engine ------------------------------------------------------------------- */
C_KZG_RET compute_fk20_cell_proofs(g1_t *out, const fr_t *p, const KZGSettings *s)
{
    fr_t *values = NULL;
    Blob *blob = NULL;
    KZGProof proofs[CELLS_PER_EXT_BLOB];
    void *block = NULL;
    C_KZG_RET ret = new_fr_array(&values, FIELD_ELEMENTS_PER_BLOB);
    if (ret == C_KZG_OK)
        ret = c_kzg_malloc(&block, sizeof(*blob));
    if (ret == C_KZG_OK)
        ret = fr_fft(values, p, FIELD_ELEMENTS_PER_BLOB, s);
    if (ret == C_KZG_OK) {
        blob = block;
        for (size_t i = 0; i < FIELD_ELEMENTS_PER_BLOB; i++) {
            Bytes32 bytes;
            bytes_from_bls_field(&bytes, &values[reverse_bits_limited(FIELD_ELEMENTS_PER_BLOB, i)]);
            memcpy(&blob->bytes[i * sizeof(bytes)], bytes.bytes, sizeof(bytes));
        }
        ret = compute_cells_and_kzg_proofs(NULL, proofs, blob, s);
    }
    for (size_t i = 0; i < CELLS_PER_EXT_BLOB; i++)
        if (ret == C_KZG_OK)
            ret = bytes_to_kzg_proof(&out[reverse_bits_limited(CELLS_PER_EXT_BLOB, i)], &proofs[i]);
        else
            out[i] = G1_IDENTITY;
    free(values);
    free(block);
    return ret;
}

C_KZG_RET recover_cells(fr_t *reconstructed_data_out, const uint64_t *cell_indices,
                        size_t num_cells, fr_t *cells, const KZGSettings *s)
{
    void *block = NULL;
    C_KZG_RET ret = c_kzg_calloc(&block, 2 * CELLS_PER_EXT_BLOB, sizeof(Cell));
    Cell *const all = block, *given = ret == C_KZG_OK ? all + CELLS_PER_EXT_BLOB : NULL;
    for (size_t i = 0; ret == C_KZG_OK && i < num_cells; i++) {
        if (i >= CELLS_PER_EXT_BLOB || cell_indices[i] >= CELLS_PER_EXT_BLOB) {
            ret = ckzg_fail(C_KZG_BADARGS, "entry %zu of the indices: there are 128 cells", i);
            break;
        }
        for (size_t k = 0; k < FIELD_ELEMENTS_PER_CELL; k++) {
            Bytes32 one;
            bytes_from_bls_field(&one, &cells[cell_indices[i] * FIELD_ELEMENTS_PER_CELL + k]);
            memcpy(&given[i].bytes[k * sizeof(one)], one.bytes, sizeof(one));
        }
    }
    if (ret == C_KZG_OK)
        ret = recover_cells_and_kzg_proofs(all, NULL, cell_indices, given, num_cells, s);
    for (size_t i = 0; i < FIELD_ELEMENTS_PER_EXT_BLOB; i++) {
        Bytes32 one;
        if (ret == C_KZG_OK) {
            memcpy(one.bytes, (const uint8_t *)block + i * sizeof(one), sizeof(one));
            (void)bytes_to_bls_field(&reconstructed_data_out[i], &one); /* it is below r */
        } else {
            reconstructed_data_out[i] = FR_ZERO;
        }
    }
    free(block);
    return ret;
}
