/* SPDX-License-Identifier: Apache-2.0 */
/* libicicle_field_CURVE: scalars, their vectors and transforms. */
#include "names.h"

/* ---- Single scalars -------------------------------------------------------------------------- */

#define ELEMENT_OP(name, op)                                                                       \
    NAMED(void, NAME(name), const void *a, const void *b, void *result)                            \
    {                                                                                              \
        pail_icicle_element(CURVE_OF, ICICLE_SCALAR_FIELD, op, a, b, result);                      \
    }
ELEMENT_OP(add, ICICLE_ADD)
ELEMENT_OP(sub, ICICLE_SUB)
ELEMENT_OP(mul, ICICLE_MUL)

NAMED(void, NAME(inv), const void *a, void *result)
{
    pail_icicle_inverse(CURVE_OF, ICICLE_SCALAR_FIELD, a, result);
}

NAMED(void, NAME(pow), const void *a, int exponent, void *result)
{
    pail_icicle_power(CURVE_OF, ICICLE_SCALAR_FIELD, a, exponent, result);
}

NAMED(void, NAME(from_u32), uint32_t value, void *result)
{
    pail_icicle_from_u32(CURVE_OF, ICICLE_SCALAR_FIELD, value, result);
}

#if PAIL_ICICLE_VERSION < 40
NAMED(void, NAME(generate_scalars), void *scalars, int n)
{
    (void)pail_icicle_random(CURVE_OF, ICICLE_SCALAR_FIELD, scalars, n);
}
#else
NAMED(void, NAME(generate_random), void *scalars, int n)
{
    (void)pail_icicle_random(CURVE_OF, ICICLE_SCALAR_FIELD, scalars, n);
}

NAMED(void, NAME(sqr), const void *a, void *result)
{
    pail_icicle_element(CURVE_OF, ICICLE_SCALAR_FIELD, ICICLE_MUL, a, a, result);
}

NAMED(void, NAME(eq), const void *a, const void *b, bool *result)
{
    *result = pail_icicle_equal(CURVE_OF, ICICLE_SCALAR_FIELD, a, b);
}

NAMED(void, NAME(from_bytes_le), const void *bytes, void *result)
{
    pail_icicle_reduce(CURVE_OF, ICICLE_SCALAR_FIELD, bytes, result);
}
#endif

/* ---- Transforms ------------------------------------------------------------------------------ */

NAMED(int, NAME(ntt), const void *input, int n, int direction,
      const struct icicle_ntt_config *config, void *output)
{
    return pail_icicle_ntt(CURVE_OF, input, n, direction, config, output);
}

NAMED(int, NAME(ntt_init_domain), const void *root, const struct icicle_domain_config *config)
{
    return pail_icicle_domain_init(CURVE_OF, root, config);
}

NAMED(int, NAME(ntt_release_domain), void)
{
    return pail_icicle_domain_release(CURVE_OF);
}

NAMED(int, NAME(get_root_of_unity_from_domain), uint64_t log_n, void *root)
{
    return pail_icicle_domain_root(CURVE_OF, log_n, root);
}

#if PAIL_ICICLE_VERSION == 32
/* NULL on failure; valid until the thread's next call. */
NAMED(const void *, NAME(get_root_of_unity), size_t n)
{
    static _Thread_local uint32_t root[8];
    return pail_icicle_root(CURVE_OF, n, root) == ICICLE_SUCCESS ? root : NULL;
}
#else
NAMED(int, NAME(get_root_of_unity), uint64_t n, void *root)
{
    return pail_icicle_root(CURVE_OF, n, root);
}
#endif

/* ---- Vectors --------------------------------------------------------------------------------- */

/* A negative size becomes one that is too large. */
#define VECTOR_OP(name, kind)                                                                      \
    NAMED(int, NAME(name), const void *a, const void *b, icicle_size n,                            \
          const struct icicle_vectors_config *config, void *result)                                \
    {                                                                                              \
        return pail_icicle_vector(CURVE_OF, kind, a, b, (uint64_t)n, config, result);              \
    }
VECTOR_OP(vector_add, PAIL_VECTOR_OP_ADD)
VECTOR_OP(vector_sub, PAIL_VECTOR_OP_SUB)
VECTOR_OP(vector_mul, PAIL_VECTOR_OP_MUL)

NAMED(int, NAME(vector_div), const void *a, const void *b, icicle_size n,
      const struct icicle_vectors_config *config, void *result)
{
    return pail_icicle_map(CURVE_OF, ICICLE_MAP_DIV, a, (uint64_t)n, b, (uint64_t)n, config,
                           result);
}

/* Of one vector: its inverses, or one element. */
#define VECTOR_MAP(name, kind)                                                                     \
    NAMED(int, NAME(name), const void *a, icicle_size n,                                           \
          const struct icicle_vectors_config *config, void *result)                                \
    {                                                                                              \
        return pail_icicle_map(CURVE_OF, kind, a, (uint64_t)n, NULL, (uint64_t)n, config, result); \
    }
VECTOR_MAP(vector_inv, ICICLE_MAP_INV)
VECTOR_MAP(vector_sum, ICICLE_MAP_SUM)
VECTOR_MAP(vector_product, ICICLE_MAP_PRODUCT)

/* A scalar, one for each vector of the batch, and all elements of the vector. */
#define SCALAR_MAP(name, kind)                                                                     \
    NAMED(int, NAME(name), const void *a, const void *b, icicle_size n,                            \
          const struct icicle_vectors_config *config, void *result)                                \
    {                                                                                              \
        return pail_icicle_map(CURVE_OF, kind, a, 1, b, (uint64_t)n, config, result);              \
    }
SCALAR_MAP(scalar_add_vec, ICICLE_MAP_ADD)
SCALAR_MAP(scalar_sub_vec, ICICLE_MAP_SUB)
SCALAR_MAP(scalar_mul_vec, ICICLE_MAP_MUL)

/* a += b: `a` has one place for what it is and becomes. */
NAMED(int, NAME(vector_accumulate), void *a, const void *b, icicle_size n,
      const struct icicle_vectors_config *config)
{
    struct icicle_vectors_config in_place;
    if (!config)
        return pail_icicle_vector(CURVE_OF, PAIL_VECTOR_OP_ADD, a, b, (uint64_t)n, NULL, a);
    in_place = *config;
    in_place.is_result_on_device = config->is_a_on_device;
    return pail_icicle_vector(CURVE_OF, PAIL_VECTOR_OP_ADD, a, b, (uint64_t)n, &in_place, a);
}

NAMED(int, NAME(scalar_convert_montgomery), const void *input, uint64_t n, bool to_montgomery,
      const struct icicle_vectors_config *config, void *output)
{
    return pail_icicle_convert(CURVE_OF, input, n, to_montgomery, config, output);
}

NAMED(int, NAME(bit_reverse), const void *input, uint64_t n,
      const struct icicle_vectors_config *config, void *output)
{
    return pail_icicle_bit_reverse(input, n, config, output);
}

NAMED(int, NAME(slice), const void *input, uint64_t offset, uint64_t stride, uint64_t n_in,
      uint64_t n_out, const struct icicle_vectors_config *config, void *output)
{
    return pail_icicle_slice(input, offset, stride, n_in, n_out, config, output);
}

NAMED(int, NAME(matrix_transpose), const void *input, uint32_t rows, uint32_t columns,
      const struct icicle_vectors_config *config, void *output)
{
    return pail_icicle_transpose(input, rows, columns, config, output);
}

/* ---- Functions that are not offered ---------------------------------------------------------- */

/* vectors */
CURVE_MISSING_4(highest_non_zero_idx, poly_eval, poly_division, matmul)
/* programs and symbols */
CURVE_MISSING_4(execute_program, generate_program, generate_returning_value_program, inverse_symbol)
CURVE_MISSING(add_symbols)
CURVE_MISSING(sub_symbols)
CURVE_MISSING(multiply_symbols)
CURVE_MISSING_HANDLE_4(create_predefined_program, create_predefined_returning_value_program,
                       create_input_symbol, create_scalar_symbol)
CURVE_MISSING_HANDLE(copy_symbol)
/* hashes */
CURVE_MISSING_HANDLE(create_poseidon_hasher)
CURVE_MISSING_HANDLE(create_poseidon2_hasher)
/* lattices */
CURVE_MISSING_4(decompose_balanced_digits, recompose_from_balanced_digits, check_norm_bound,
                check_norm_relative)
CURVE_MISSING(jl_projection)
CURVE_MISSING(jl_projection_get_rows)
/* polynomials */
CURVE_MISSING_HANDLE_4(polynomial_create_from_coefficients, polynomial_create_from_rou_evaluations,
                       polynomial_clone, polynomial_print)
CURVE_MISSING_HANDLE_4(polynomial_delete, polynomial_add, polynomial_add_inplace,
                       polynomial_subtract)
CURVE_MISSING_HANDLE_4(polynomial_multiply, polynomial_multiply_by_scalar, polynomial_quotient,
                       polynomial_remainder)
CURVE_MISSING_HANDLE_4(polynomial_division, polynomial_divide_by_vanishing,
                       polynomial_add_monomial_inplace, polynomial_sub_monomial_inplace)
CURVE_MISSING_HANDLE_4(polynomial_slice, polynomial_even, polynomial_odd,
                       polynomial_evaluate_on_domain)
CURVE_MISSING_HANDLE_4(polynomial_evaluate_on_rou_domain, polynomial_degree,
                       polynomial_copy_coeffs_range, polynomial_get_coeffs_raw_ptr)
CURVE_MISSING_HANDLE_4(polynomial_get_coeff_view, polynomial_intergrity_ptr_get,
                       polynomial_intergrity_ptr_is_valid, polynomial_intergrity_ptr_destroy)
/* sumcheck */
CURVE_MISSING_4(sumcheck_delete, sumcheck_verify, sumcheck_get_challenge_vector,
                sumcheck_get_challenge_size)
CURVE_MISSING_4(sumcheck_proof_delete, sumcheck_proof_get_poly_sizes, sumcheck_proof_print,
                sumcheck_proof_get_serialized_size)
CURVE_MISSING(sumcheck_proof_serialize)
CURVE_MISSING(sumcheck_proof_deserialize)
CURVE_MISSING_HANDLE_4(sumcheck_create, sumcheck_get_proof, sumcheck_proof_create,
                       sumcheck_proof_get_round_poly_at)
/* FRI */
CURVE_MISSING_4(icicle_delete_fri_proof, fri_proof_get_nof_queries, fri_proof_get_nof_rounds,
                fri_proof_get_round_proofs_for_query)
CURVE_MISSING_4(fri_proof_get_final_poly_size, fri_proof_get_final_poly, fri_proof_get_pow_nonce,
                fri_proof_get_serialized_size)
CURVE_MISSING_4(fri_proof_serialize, fri_proof_deserialize, fri_merkle_tree_prove,
                fri_merkle_tree_verify)
CURVE_MISSING_HANDLE(icicle_initialize_fri_proof)
CURVE_MISSING_HANDLE(icicle_create_with_arguments_fri_proof)
#ifdef PAIL_ICICLE_SHARED_NAMES /* without a curve in them: in the library of one curve */
MISSING(delete_program)
#endif
