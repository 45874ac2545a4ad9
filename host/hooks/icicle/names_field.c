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
    pail_icicle_random(CURVE_OF, ICICLE_SCALAR_FIELD, scalars, n);
}
#else
NAMED(void, NAME(generate_random), void *scalars, int n)
{
    pail_icicle_random(CURVE_OF, ICICLE_SCALAR_FIELD, scalars, n);
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

/* ---- What is not offered --------------------------------------------------------------------- */

MISSING(NAME(vector_div))
MISSING(NAME(vector_inv))
MISSING(NAME(vector_sum))
MISSING(NAME(vector_product))
MISSING(NAME(scalar_add_vec))
MISSING(NAME(scalar_sub_vec))
MISSING(NAME(scalar_mul_vec))
MISSING(NAME(highest_non_zero_idx))
MISSING(NAME(poly_eval))
MISSING(NAME(poly_division))
MISSING(NAME(matmul))
MISSING(NAME(execute_program))
MISSING(NAME(generate_program))
MISSING(NAME(generate_returning_value_program))
MISSING_HANDLE(NAME(create_predefined_program))
MISSING_HANDLE(NAME(create_predefined_returning_value_program))
MISSING_HANDLE(NAME(create_input_symbol))
MISSING_HANDLE(NAME(create_scalar_symbol))
MISSING_HANDLE(NAME(copy_symbol))
MISSING(NAME(inverse_symbol))
MISSING(NAME(add_symbols))
MISSING(NAME(sub_symbols))
MISSING(NAME(multiply_symbols))
MISSING_HANDLE(NAME(create_poseidon_hasher))
MISSING_HANDLE(NAME(create_poseidon2_hasher))
MISSING(NAME(decompose_balanced_digits))
MISSING(NAME(recompose_from_balanced_digits))
MISSING(NAME(check_norm_bound))
MISSING(NAME(check_norm_relative))
MISSING(NAME(jl_projection))
MISSING(NAME(jl_projection_get_rows))
MISSING_HANDLE(NAME(polynomial_create_from_coefficients))
MISSING_HANDLE(NAME(polynomial_create_from_rou_evaluations))
MISSING_HANDLE(NAME(polynomial_clone))
MISSING_HANDLE(NAME(polynomial_print))
MISSING_HANDLE(NAME(polynomial_delete))
MISSING_HANDLE(NAME(polynomial_add))
MISSING_HANDLE(NAME(polynomial_add_inplace))
MISSING_HANDLE(NAME(polynomial_subtract))
MISSING_HANDLE(NAME(polynomial_multiply))
MISSING_HANDLE(NAME(polynomial_multiply_by_scalar))
MISSING_HANDLE(NAME(polynomial_quotient))
MISSING_HANDLE(NAME(polynomial_remainder))
MISSING_HANDLE(NAME(polynomial_division))
MISSING_HANDLE(NAME(polynomial_divide_by_vanishing))
MISSING_HANDLE(NAME(polynomial_add_monomial_inplace))
MISSING_HANDLE(NAME(polynomial_sub_monomial_inplace))
MISSING_HANDLE(NAME(polynomial_slice))
MISSING_HANDLE(NAME(polynomial_even))
MISSING_HANDLE(NAME(polynomial_odd))
MISSING_HANDLE(NAME(polynomial_evaluate_on_domain))
MISSING_HANDLE(NAME(polynomial_evaluate_on_rou_domain))
MISSING_HANDLE(NAME(polynomial_degree))
MISSING_HANDLE(NAME(polynomial_copy_coeffs_range))
MISSING_HANDLE(NAME(polynomial_get_coeffs_raw_ptr))
MISSING_HANDLE(NAME(polynomial_get_coeff_view))
MISSING_HANDLE(NAME(polynomial_intergrity_ptr_get))
MISSING_HANDLE(NAME(polynomial_intergrity_ptr_is_valid))
MISSING_HANDLE(NAME(polynomial_intergrity_ptr_destroy))
MISSING_HANDLE(NAME(sumcheck_create))
MISSING(NAME(sumcheck_delete))
MISSING_HANDLE(NAME(sumcheck_get_proof))
MISSING(NAME(sumcheck_verify))
MISSING(NAME(sumcheck_get_challenge_vector))
MISSING(NAME(sumcheck_get_challenge_size))
MISSING_HANDLE(NAME(sumcheck_proof_create))
MISSING(NAME(sumcheck_proof_delete))
MISSING(NAME(sumcheck_proof_get_poly_sizes))
MISSING_HANDLE(NAME(sumcheck_proof_get_round_poly_at))
MISSING(NAME(sumcheck_proof_print))
MISSING(NAME(sumcheck_proof_get_serialized_size))
MISSING(NAME(sumcheck_proof_serialize))
MISSING(NAME(sumcheck_proof_deserialize))
MISSING_HANDLE(NAME(icicle_initialize_fri_proof))
MISSING_HANDLE(NAME(icicle_create_with_arguments_fri_proof))
MISSING(NAME(icicle_delete_fri_proof))
MISSING(NAME(fri_proof_get_nof_queries))
MISSING(NAME(fri_proof_get_nof_rounds))
MISSING(NAME(fri_proof_get_round_proofs_for_query))
MISSING(NAME(fri_proof_get_final_poly_size))
MISSING(NAME(fri_proof_get_final_poly))
MISSING(NAME(fri_proof_get_pow_nonce))
MISSING(NAME(fri_proof_get_serialized_size))
MISSING(NAME(fri_proof_serialize))
MISSING(NAME(fri_proof_deserialize))
MISSING(NAME(fri_merkle_tree_prove))
MISSING(NAME(fri_merkle_tree_verify))
#ifdef PAIL_ICICLE_SHARED_NAMES /* without a curve in them: in the library of one curve */
MISSING(delete_program)
#endif
