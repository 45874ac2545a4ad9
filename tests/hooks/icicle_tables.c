/* SPDX-License-Identifier: Apache-2.0 */
/* ICICLE's functions with a curve in their names, and their tables; and the device under test. */
#include "icicle.h"

#include <curves/paste.h>

const Device *icicle_tested(void)
{
    static Device device;
    const char *const wanted = getenv("PAIL_BACKEND");
    (void)snprintf(device.type, sizeof(device.type), "%s",
                   wanted && !strcmp(wanted, "vulkan") ? "VULKAN" : "CPU");
    return &device;
}

void *icicle_upload(const void *bytes, size_t size)
{
    void *pointer = NULL;
    expect_status(icicle_malloc(&pointer, size), SUCCESS);
    assert_non_null(pointer);
    if (bytes)
        expect_status(icicle_copy_to_device(pointer, bytes, size), SUCCESS);
    return pointer;
}

#define DECLARE_GROUP(prefix)                                                                      \
    int prefix##msm(const void *scalars, const void *points, int n, const MSMConfig *config,       \
                    void *out);                                                                    \
    int prefix##msm_precompute_bases(const void *bases, int n, const MSMConfig *config,            \
                                     void *out);                                                   \
    int prefix##affine_convert_montgomery(const void *in, size_t n, bool into,                     \
                                          const VecOpsConfig *config, void *out);                  \
    int prefix##projective_convert_montgomery(const void *in, size_t n, bool into,                 \
                                              const VecOpsConfig *config, void *out);              \
    bool prefix##is_on_curve(const void *p);                                                       \
    void prefix##ecadd(const void *p, const void *q, void *r);                                     \
    void prefix##ecsub(const void *p, const void *q, void *r);                                     \
    void prefix##mul_scalar(const void *p, const void *k, void *r);                                \
    void prefix##to_affine(const void *p, void *r);                                                \
    void prefix##from_affine(const void *p, void *r);                                              \
    void prefix##generator(void *r);                                                               \
    void prefix##generate_affine_points(void *points, int n);                                      \
    void prefix##generate_projective_points(void *points, int n);                                  \
    void prefix##base_field_from_u32(uint32_t value, void *r);                                     \
    bool EQ_OF_POINTS(prefix)(const void *p, const void *q);

#define DECLARE_FIELD(prefix)                                                                      \
    void prefix##add(const void *a, const void *b, void *r);                                       \
    void prefix##sub(const void *a, const void *b, void *r);                                       \
    void prefix##mul(const void *a, const void *b, void *r);                                       \
    void prefix##inv(const void *a, void *r);                                                      \
    void prefix##pow(const void *a, int exponent, void *r);                                        \
    void prefix##from_u32(uint32_t value, void *r);                                                \
    void GENERATE(prefix)(void *scalars, int n);                                                   \
    int prefix##ntt(const void *in, int n, int direction, const NTTConfig *config, void *out);     \
    int prefix##ecntt(const void *in, int n, int direction, const NTTConfig *config, void *out);   \
    int prefix##ntt_init_domain(const void *root, const NTTInitDomainConfig *config);              \
    int prefix##ntt_release_domain(void);                                                          \
    int prefix##get_root_of_unity_from_domain(uint64_t log_n, void *root);                         \
    vector_function prefix##vector_add, prefix##vector_sub, prefix##vector_mul;                    \
    vector_function prefix##vector_div, prefix##scalar_add_vec, prefix##scalar_sub_vec;            \
    vector_function prefix##scalar_mul_vec;                                                        \
    map_function prefix##vector_inv, prefix##vector_sum, prefix##vector_product;                   \
    int prefix##vector_accumulate(void *a, const void *b, vector_size n,                           \
                                  const VecOpsConfig *config);                                     \
    int prefix##scalar_convert_montgomery(const void *in, size_t n, bool into,                     \
                                          const VecOpsConfig *config, void *out);                  \
    int prefix##bit_reverse(const void *in, uint64_t n, const VecOpsConfig *config, void *out);    \
    int prefix##slice(const void *in, uint64_t offset, uint64_t stride, uint64_t n_in,             \
                      uint64_t n_out, const VecOpsConfig *config, void *out);                      \
    int prefix##matrix_transpose(const void *in, uint32_t rows, uint32_t columns,                  \
                                 const VecOpsConfig *config, void *out);

#if PAIL_ICICLE_VERSION < 40
#define EQ_OF_POINTS(prefix) prefix##eq
#define GENERATE(prefix)     prefix##generate_scalars
#else
#define EQ_OF_POINTS(prefix) prefix##projective_eq
#define GENERATE(prefix)     prefix##generate_random
#endif

DECLARE_GROUP(bn254_)
DECLARE_GROUP(bn254_g2_)
DECLARE_GROUP(bls12_381_)
DECLARE_GROUP(bls12_381_g2_)
DECLARE_FIELD(bn254_)
DECLARE_FIELD(bls12_381_)

#if PAIL_ICICLE_VERSION == 32
#define ROOT(prefix)                                                                               \
    int *prefix##get_root_of_unity(size_t n);                                                      \
    static int prefix##root(uint64_t n, void *root)                                                \
    {                                                                                              \
        const int *const found = prefix##get_root_of_unity(n);                                     \
        if (found)                                                                                 \
            memcpy(root, found, 32);                                                               \
        return found ? SUCCESS : INVALID_ARGUMENT;                                                 \
    }
#else
#define ROOT(prefix)                                                                               \
    int prefix##get_root_of_unity(uint64_t n, void *root);                                         \
    static int prefix##root(uint64_t n, void *root)                                                \
    {                                                                                              \
        return prefix##get_root_of_unity(n, root);                                                 \
    }
#endif
ROOT(bn254_)
ROOT(bls12_381_)

#define GROUP(prefix)                                                                              \
    {                                                                                              \
        prefix##msm, prefix##msm_precompute_bases, prefix##affine_convert_montgomery,              \
            prefix##projective_convert_montgomery, EQ_OF_POINTS(prefix), prefix##is_on_curve,      \
            prefix##ecadd, prefix##ecsub, prefix##mul_scalar, prefix##to_affine,                   \
            prefix##from_affine, prefix##generator, prefix##generate_affine_points,                \
            prefix##generate_projective_points, prefix##base_field_from_u32                        \
    }

#define CURVE_TABLE(number, prefix)                                                                \
    {                                                                                              \
        number, {GROUP(prefix), GROUP(prefix##g2_)},                                               \
            {prefix##add, prefix##sub,      prefix##mul,     prefix##inv,                          \
             prefix##pow, prefix##from_u32, GENERATE(prefix)},                                     \
            prefix##ntt, prefix##ecntt, prefix##ntt_init_domain, prefix##ntt_release_domain,       \
            prefix##get_root_of_unity_from_domain, prefix##vector_add, prefix##vector_sub,         \
            prefix##vector_mul, prefix##vector_div, prefix##scalar_add_vec,                        \
            prefix##scalar_sub_vec, prefix##scalar_mul_vec, prefix##vector_inv,                    \
            prefix##vector_sum, prefix##vector_product, prefix##vector_accumulate,                 \
            prefix##scalar_convert_montgomery, prefix##bit_reverse, prefix##slice,                 \
            prefix##matrix_transpose, prefix##root                                                 \
    }

const struct curve_api icicle_curves[2] = {CURVE_TABLE(1, bn254_), CURVE_TABLE(2, bls12_381_)};

/* ---- Elements of 4.0 alone, and functions that are not offered ------------------------------- */

#define DECLARE_ELEMENTS(prefix)                                                                   \
    void prefix##add(const void *a, const void *b, void *r);                                       \
    void prefix##sub(const void *a, const void *b, void *r);                                       \
    void prefix##mul(const void *a, const void *b, void *r);                                       \
    void prefix##sqr(const void *a, void *r);                                                      \
    void prefix##inv(const void *a, void *r);                                                      \
    void prefix##pow(const void *a, int exponent, void *r);                                        \
    void prefix##eq(const void *a, const void *b, bool *r);                                        \
    void prefix##from_u32(uint32_t value, void *r);                                                \
    void prefix##from_bytes_le(const void *bytes, void *r);                                        \
    void prefix##generate_random(void *elements, int n);

/* (a + b)^2 - (a - b)^2 = 4 a b, a^3 = a^2 a, a / a = 1, and bytes above the modulus are reduced.
 */
#define CHECK_ELEMENTS(prefix, width)                                                              \
    do {                                                                                           \
        uint8_t a[96], b[96], x[96], y[96], four[96];                                              \
        bool same = false;                                                                         \
        prefix##generate_random(a, 1);                                                             \
        prefix##generate_random(b, 1);                                                             \
        prefix##add(a, b, x);                                                                      \
        prefix##sqr(x, x);                                                                         \
        prefix##sub(a, b, y);                                                                      \
        prefix##sqr(y, y);                                                                         \
        prefix##sub(x, y, x);                                                                      \
        prefix##from_u32(4, four);                                                                 \
        prefix##mul(a, b, y);                                                                      \
        prefix##mul(y, four, y);                                                                   \
        assert_memory_equal(x, y, width);                                                          \
        prefix##pow(a, 3, x);                                                                      \
        prefix##sqr(a, y);                                                                         \
        prefix##mul(y, a, y);                                                                      \
        prefix##eq(x, y, &same);                                                                   \
        assert_true(same);                                                                         \
        prefix##eq(x, a, &same);                                                                   \
        assert_false(same);                                                                        \
        prefix##inv(a, x);                                                                         \
        prefix##mul(x, a, x);                                                                      \
        prefix##from_u32(1, y);                                                                    \
        assert_memory_equal(x, y, width);                                                          \
        memset(a, 0xff, sizeof(a));                                                                \
        prefix##from_bytes_le(a, x);                                                               \
        assert_memory_not_equal(x, a, width);                                                      \
        prefix##from_bytes_le(x, y);                                                               \
        assert_memory_equal(x, y, width);                                                          \
    } while (0)

#if PAIL_ICICLE_VERSION >= 40
void bn254_sqr(const void *a, void *r);
void bn254_eq(const void *a, const void *b, bool *r);
void bn254_from_bytes_le(const void *bytes, void *r);
void bls12_381_sqr(const void *a, void *r);
void bls12_381_eq(const void *a, const void *b, bool *r);
void bls12_381_from_bytes_le(const void *bytes, void *r);
DECLARE_ELEMENTS(bn254_base_field_)
DECLARE_ELEMENTS(bn254_g2_base_field_)
DECLARE_ELEMENTS(bls12_381_base_field_)
DECLARE_ELEMENTS(bls12_381_g2_base_field_)

PAIL_TEST(elements_of_all_fields)
{
    CHECK_ELEMENTS(bn254_, 32);
    CHECK_ELEMENTS(bls12_381_, 32);
    CHECK_ELEMENTS(bn254_base_field_, 32);
    CHECK_ELEMENTS(bn254_g2_base_field_, 64);
    CHECK_ELEMENTS(bls12_381_base_field_, 48);
    CHECK_ELEMENTS(bls12_381_g2_base_field_, 96);
}
#endif

int bn254_pairing(const void *p, const void *q, void *out);
int bls12_381_pairing(const void *p, const void *q, void *out);
void *bn254_create_poseidon_hasher(unsigned t, const void *tag, unsigned size);
void *icicle_create_keccak_256(uint64_t chunk);
int delete_program(void *program);

PAIL_TEST(what_is_not_offered_says_so)
{
    expect_refused(bn254_pairing(NULL, NULL, NULL), API_NOT_IMPLEMENTED, "bn254_pairing is not");
    expect_refused(bls12_381_pairing(NULL, NULL, NULL), API_NOT_IMPLEMENTED,
                   "bls12_381_pairing is not");
    assert_null(bn254_create_poseidon_hasher(3, NULL, 0));
    assert_non_null(strstr(pail_icicle_error(), "bn254_create_poseidon_hasher is not"));
    assert_null(icicle_create_keccak_256(0));
    assert_non_null(strstr(pail_icicle_error(), "icicle_create_keccak_256 is not"));
    expect_refused(delete_program(NULL), API_NOT_IMPLEMENTED, "delete_program is not");
}
