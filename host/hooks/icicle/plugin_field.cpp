// SPDX-License-Identifier: Apache-2.0
/* libicicle_backend_vulkan_field_CURVE: vectors of scalars and their transforms. */
#include "plugin.hpp"

#include "icicle/backend/ntt_backend.h"
#include "icicle/backend/vec_ops_backend.h"

namespace
{

using icicle::Device;
using icicle::NTTDir;
using icicle::NTTInitDomainConfig;
using icicle::VecOpsConfig;
using pail_plugin::on;
using pail_plugin::same;
using NTTConfig = icicle::NTTConfig<scalar_t>;

static_assert(sizeof(scalar_t) == PAIL_SCALAR_BYTES, "scalar_t");
static_assert(sizeof(NTTConfig) == sizeof(icicle_ntt_config), "NTTConfig");
PAIL_SAME_FIELD(NTTConfig, icicle_ntt_config, coset_gen);
PAIL_SAME_FIELD(NTTConfig, icicle_ntt_config, batch_size);
PAIL_SAME_FIELD(NTTConfig, icicle_ntt_config, columns_batch);
PAIL_SAME_FIELD(NTTConfig, icicle_ntt_config, ordering);
PAIL_SAME_FIELD(NTTConfig, icicle_ntt_config, are_inputs_on_device);
PAIL_SAME_FIELD(NTTConfig, icicle_ntt_config, are_outputs_on_device);
PAIL_SAME_FIELD(NTTConfig, icicle_ntt_config, is_async);
PAIL_SAME_FIELD(NTTConfig, icicle_ntt_config, ext);
static_assert(sizeof(NTTInitDomainConfig) == sizeof(icicle_domain_config), "NTTInitDomainConfig");

/* ---- Transforms ------------------------------------------------------------------------------ */

eIcicleError transform(const Device &device, const scalar_t *input, int n, NTTDir direction,
                       const NTTConfig &config, scalar_t *output)
{
    return on(device, pail_icicle_ntt, CURVE_OF, input, n, static_cast<int>(direction),
              reinterpret_cast<const icicle_ntt_config *>(&config), output);
}

eIcicleError init_domain(const Device &device, const scalar_t &root,
                         const NTTInitDomainConfig &config)
{
    return on(device, pail_icicle_domain_init, CURVE_OF, &root,
              reinterpret_cast<const icicle_domain_config *>(&config));
}

eIcicleError release_domain(const Device &device, const scalar_t &)
{
    return on(device, pail_icicle_domain_release, CURVE_OF);
}

eIcicleError root_of_domain(const Device &device, uint64_t log_n, scalar_t *root)
{
    return on(device, pail_icicle_domain_root, CURVE_OF, log_n, root);
}

/* ---- Vectors --------------------------------------------------------------------------------- */

template <uint32_t kind>
eIcicleError vector(const Device &device, const scalar_t *a, const scalar_t *b, uint64_t n,
                    const VecOpsConfig &config, scalar_t *result)
{
    return on(device, pail_icicle_vector, CURVE_OF, kind, a, b, n, same(config), result);
}

/* Of two vectors, or of a scalar for each vector of the batch and of a vector. */
template <icicle_map_kind kind, bool of_scalar>
eIcicleError map(const Device &device, const scalar_t *a, const scalar_t *b, uint64_t n,
                 const VecOpsConfig &config, scalar_t *result)
{
    return on(device, pail_icicle_map, CURVE_OF, kind, a, of_scalar ? uint64_t{1} : n, b, n,
              same(config), result);
}

eIcicleError convert(const Device &device, const scalar_t *input, uint64_t n, bool to_montgomery,
                     const VecOpsConfig &config, scalar_t *output)
{
    return on(device, pail_icicle_convert, CURVE_OF, input, n, to_montgomery, same(config), output);
}

#ifdef REGISTER_VECTOR_ACCUMULATE_BACKEND // icicle-gnark lacks this and what follows
eIcicleError accumulate(const Device &device, scalar_t *a, const scalar_t *b, uint64_t n,
                        const VecOpsConfig &config)
{
    icicle_vectors_config in_place = *same(config);
    in_place.is_result_on_device = in_place.is_a_on_device;
    return on(device, pail_icicle_vector, CURVE_OF, uint32_t{PAIL_VECTOR_OP_ADD}, a, b, n,
              &in_place, a);
}

template <icicle_map_kind kind>
eIcicleError map_one(const Device &device, const scalar_t *a, uint64_t n,
                     const VecOpsConfig &config, scalar_t *result)
{
    return on(device, pail_icicle_map, CURVE_OF, kind, a, n, nullptr, n, same(config), result);
}

eIcicleError reverse(const Device &device, const scalar_t *input, uint64_t n,
                     const VecOpsConfig &config, scalar_t *output)
{
    return on(device, pail_icicle_bit_reverse, input, n, same(config), output);
}

eIcicleError slice(const Device &device, const scalar_t *input, uint64_t offset, uint64_t stride,
                   uint64_t n_in, uint64_t n_out, const VecOpsConfig &config, scalar_t *output)
{
    return on(device, pail_icicle_slice, input, offset, stride, n_in, n_out, same(config), output);
}

eIcicleError transpose(const Device &device, const scalar_t *input, uint32_t rows, uint32_t columns,
                       const VecOpsConfig &config, scalar_t *output)
{
    return on(device, pail_icicle_transpose, input, rows, columns, same(config), output);
}
#endif

void enter(const std::string &type)
{
    icicle::register_ntt(type, transform);
    icicle::register_ntt_init_domain(type, init_domain);
    icicle::register_ntt_release_domain(type, release_domain);
    icicle::register_ntt_get_rou_from_domain(type, root_of_domain);
    icicle::register_vector_add(type, vector<PAIL_VECTOR_OP_ADD>);
    icicle::register_vector_sub(type, vector<PAIL_VECTOR_OP_SUB>);
    icicle::register_vector_mul(type, vector<PAIL_VECTOR_OP_MUL>);
    icicle::register_scalar_mul_vec(type, map<ICICLE_MAP_MUL, true>);
    icicle::register_scalar_convert_montgomery(type, convert);
#ifdef REGISTER_VECTOR_ACCUMULATE_BACKEND
    icicle::register_vector_accumulate(type, accumulate);
    icicle::register_vector_div(type, map<ICICLE_MAP_DIV, false>);
    icicle::register_vector_sum(type, map_one<ICICLE_MAP_SUM>);
    icicle::register_vector_product(type, map_one<ICICLE_MAP_PRODUCT>);
    icicle::register_scalar_add_vec(type, map<ICICLE_MAP_ADD, true>);
    icicle::register_scalar_sub_vec(type, map<ICICLE_MAP_SUB, true>);
    icicle::register_scalar_bit_reverse(type, reverse);
    icicle::register_slice(type, slice);
    icicle::register_matrix_transpose(type, transpose);
#endif
#ifdef REGISTER_VECTOR_INV_BACKEND // from 3.5 on
    icicle::register_vector_inv(type, map_one<ICICLE_MAP_INV>);
#endif
}

[[maybe_unused]] const bool registered = [] {
    for (const std::string &type : pail_plugin::types())
        enter(type);
    return true;
}();

} // namespace
