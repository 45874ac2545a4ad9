/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars, bytes, memory and bits of ckzg.h. */
#include "internal.h"

#include <curves/words.h>
#include <formats/bytes.h>
#include <kzg/challenge.h>

/* ---- Memory ---------------------------------------------------------------------------------- */
C_KZG_RET c_kzg_calloc(void **out, size_t count, size_t size)
{
    (void)ckzg_begin();
    *out = NULL;
    if (count == 0 || size == 0)
        return ckzg_fail(C_KZG_BADARGS, "an allocation of 0 bytes");
    *out = calloc(count, size);
    return *out ? C_KZG_OK
                : ckzg_fail(C_KZG_MALLOC, "no memory for %zu times %zu bytes", count, size);
}

C_KZG_RET c_kzg_malloc(void **out, size_t size)
{
    (void)ckzg_begin();
    *out = NULL;
    if (size == 0)
        return ckzg_fail(C_KZG_BADARGS, "an allocation of 0 bytes");
    *out = malloc(size);
    return *out ? C_KZG_OK : ckzg_fail(C_KZG_MALLOC, "no memory for %zu bytes", size);
}

/* The pointer is copied, for a T ** is not a void **. */
#define NEW_ARRAY(name, type)                                                                      \
    C_KZG_RET name(type **x, size_t n)                                                             \
    {                                                                                              \
        void *block;                                                                               \
        const C_KZG_RET ret = c_kzg_calloc(&block, n, sizeof(type));                               \
        *x = block;                                                                                \
        return ret;                                                                                \
    }
NEW_ARRAY(new_g1_array, g1_t)
NEW_ARRAY(new_g2_array, g2_t)
NEW_ARRAY(new_fr_array, fr_t)
NEW_ARRAY(new_bool_array, bool)

/* ---- Arithmetic ------------------------------------------------------------------------------ */
bool fr_equal(const fr_t *a, const fr_t *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

bool fr_is_one(const fr_t *p)
{
    return fr_equal(p, &FR_ONE);
}

void fr_add(fr_t *out, const fr_t *a, const fr_t *b)
{
    const scalar x = ckzg_scalar(a), y = ckzg_scalar(b);
    scalar r;
    pail_bls12_381_fr_add(&r, &x, &y);
    ckzg_store(out, &r);
}

void fr_sub(fr_t *out, const fr_t *a, const fr_t *b)
{
    const scalar x = ckzg_scalar(a), y = ckzg_scalar(b);
    scalar r;
    pail_bls12_381_fr_sub(&r, &x, &y);
    ckzg_store(out, &r);
}

void fr_mul(fr_t *out, const fr_t *a, const fr_t *b)
{
    const scalar x = ckzg_scalar(a), y = ckzg_scalar(b);
    scalar r;
    pail_bls12_381_fr_mul(&r, &x, &y);
    ckzg_store(out, &r);
}

void fr_neg(fr_t *out, const fr_t *a)
{
    fr_sub(out, &FR_ZERO, a);
}

void fr_inv(fr_t *out, const fr_t *a)
{
    const scalar x = ckzg_scalar(a);
    scalar r;
    pail_bls12_381_fr_inv(&r, &x);
    ckzg_store(out, &r);
}

void fr_div(fr_t *out, const fr_t *a, const fr_t *b)
{
    fr_t inverse;
    fr_inv(&inverse, b);
    fr_mul(out, a, &inverse);
}

void fr_pow(fr_t *out, const fr_t *a, uint64_t n)
{
    fr_t square = *a, r = FR_ONE;
    for (; n != 0; n >>= 1) {
        if ((n & 1) != 0)
            fr_mul(&r, &r, &square);
        fr_mul(&square, &square, &square);
    }
    *out = r;
}

void fr_from_uint64(fr_t *out, uint64_t n)
{
    const uint64_t integer[4] = {n, 0, 0, 0};
    scalar r;
    pail_bls12_381_fr_from_integer(&r, integer);
    ckzg_store(out, &r);
}

void compute_powers(fr_t *out, const fr_t *x, size_t n)
{
    const fr_t base = *x; /* x may be one of the powers */
    for (size_t i = 0; i < n; i++)
        if (i == 0)
            out[0] = FR_ONE;
        else
            fr_mul(&out[i], &out[i - 1], &base);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */
void bytes_from_uint64(uint8_t out[8], uint64_t n)
{
    for (size_t i = 0; i < 8; i++)
        out[i] = (uint8_t)(n >> (56 - 8 * i));
}

void bytes_from_bls_field(Bytes32 *out, const fr_t *in)
{
    const scalar a = ckzg_scalar(in);
    uint8_t bytes[32];
    pail_bls12_381_fr_to_bytes(bytes, &a, false);
    pail_copy_reversed(out->bytes, bytes, sizeof(bytes));
}

static bool scalar_from_bytes(fr_t *out, const uint8_t *big_endian)
{
    uint8_t bytes[32];
    scalar r;
    pail_copy_reversed(bytes, big_endian, sizeof(bytes));
    const bool below = pail_bls12_381_fr_from_bytes(&r, bytes, false);
    ckzg_store(out, &r);
    return below;
}

C_KZG_RET bytes_to_bls_field(fr_t *out, const Bytes32 *b)
{
    (void)ckzg_begin();
    return scalar_from_bytes(out, b->bytes)
               ? C_KZG_OK
               : ckzg_fail(C_KZG_BADARGS, "the scalar is not below the order");
}

void hash_to_bls_field(fr_t *out, const Bytes32 *b)
{
    uint64_t integer[4] = {0};
    scalar r;
    for (size_t i = 0; i < 32; i++)
        integer[i / 8] |= (uint64_t)b->bytes[31 - i] << (8 * (i % 8));
    pail_bls12_381_fr_from_integer(&r, integer); /* of any integer below 2^256 */
    ckzg_store(out, &r);
}

C_KZG_RET blob_to_polynomial(fr_t *p, const Blob *blob)
{
    (void)ckzg_begin();
    for (size_t i = 0; i < FIELD_ELEMENTS_PER_BLOB; i++)
        if (!scalar_from_bytes(&p[i], &blob->bytes[i * BYTES_PER_FIELD_ELEMENT])) {
            memset(p, 0, FIELD_ELEMENTS_PER_BLOB * sizeof(*p));
            return ckzg_fail(C_KZG_BADARGS, "scalar %zu of the blob is not below the order", i);
        }
    return C_KZG_OK;
}

/* ---- Challenges ------------------------------------------------------------------------------ */
static const struct pail_kzg_hashed sizes = {FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL,
                                             sizeof(Bytes48)};

void compute_challenge(fr_t *eval_challenge_out, const Blob *blob, const g1_t *commitment)
{
    Bytes32 digest;
    Bytes48 bytes;
    bytes_from_g1(&bytes, commitment);
    pail_kzg_hash_blob(digest.bytes, &sizes, blob, &bytes);
    hash_to_bls_field(eval_challenge_out, &digest);
}

C_KZG_RET compute_verify_cell_kzg_proof_batch_challenge(
    fr_t *challenge_out, const Bytes48 *commitments_bytes, uint64_t num_commitments,
    const uint64_t *commitment_indices, const uint64_t *cell_indices, const Cell *cells,
    const Bytes48 *proofs_bytes, uint64_t num_cells)
{
    const struct pail_kzg_hashed_cells batch = {.n_commitments = num_commitments,
                                                .n = num_cells,
                                                .commitments = commitments_bytes,
                                                .numbers = commitment_indices,
                                                .indices = cell_indices,
                                                .cells = cells,
                                                .proofs = proofs_bytes};
    Bytes32 digest;
    (void)ckzg_begin();
    pail_kzg_hash_cells(digest.bytes, &sizes, &batch);
    hash_to_bls_field(challenge_out, &digest);
    return C_KZG_OK;
}

/* ---- Bits ------------------------------------------------------------------------------------ */
bool is_power_of_two(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

uint64_t log2_pow2(uint64_t n)
{
    uint64_t log = 0;
    while (n >>= 1)
        log++;
    return log;
}

uint64_t reverse_bits_limited(uint64_t n, uint64_t value)
{
    return pail_reverse_bits((size_t)value, (uint32_t)log2_pow2(n));
}

uint64_t reverse_bits(uint64_t n)
{
    return reverse_bits_limited(UINT64_C(1) << 63, n >> 1) | n << 63;
}

C_KZG_RET bit_reversal_permutation(void *values, size_t size, size_t n)
{
    unsigned char *const v = values;
    (void)ckzg_begin();
    if (!is_power_of_two(n))
        return ckzg_fail(C_KZG_BADARGS, "%zu values, which is not a power of two", n);
    for (size_t i = 0; i < n; i++) {
        const size_t r = reverse_bits_limited(n, i);
        for (size_t k = 0; r > i && k < size; k++) {
            const unsigned char kept = v[i * size + k];
            v[i * size + k] = v[r * size + k];
            v[r * size + k] = kept;
        }
    }
    return C_KZG_OK;
}

/* ---- Printing -------------------------------------------------------------------------------- */
static void print_hex(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)printf("%02x", bytes[i]);
    (void)printf("\n");
}

void print_bytes32(const Bytes32 *bytes)
{
    print_hex(bytes->bytes, sizeof(bytes->bytes));
}

void print_bytes48(const Bytes48 *bytes)
{
    print_hex(bytes->bytes, sizeof(bytes->bytes));
}

/* Prints each scalar in a line. */
static void print_scalars(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        print_hex(&bytes[i * BYTES_PER_FIELD_ELEMENT], BYTES_PER_FIELD_ELEMENT);
}

void print_blob(const Blob *blob)
{
    print_scalars(blob->bytes, FIELD_ELEMENTS_PER_BLOB);
}

void print_cell(const Cell *cell)
{
    print_scalars(cell->bytes, FIELD_ELEMENTS_PER_CELL);
}

void print_fr(const fr_t *f)
{
    Bytes32 bytes;
    bytes_from_bls_field(&bytes, f);
    print_bytes32(&bytes);
}

void print_g1(const g1_t *g)
{
    Bytes48 bytes;
    bytes_from_g1(&bytes, g);
    print_bytes48(&bytes);
}
