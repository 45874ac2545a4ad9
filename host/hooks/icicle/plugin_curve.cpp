// SPDX-License-Identifier: Apache-2.0
/* libicicle_backend_vulkan_curve_CURVE: multiplications, and conversions of points. */
#include "plugin.hpp"

#include "icicle/backend/msm_backend.h"
#include "icicle/curves/montgomery_conversion.h"
#if __has_include("icicle/backend/ecntt_backend.h") // icicle-gnark has none
#include "icicle/backend/ecntt_backend.h"
#endif

namespace
{

using icicle::Device;
using icicle::MSMConfig;
using icicle::VecOpsConfig;
using pail_plugin::on;
using pail_plugin::same;

static_assert(sizeof(MSMConfig) == sizeof(icicle_msm_config), "MSMConfig");
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, precompute_factor);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, c);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, bitsize);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, batch_size);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, are_points_shared_in_batch);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, are_scalars_on_device);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, are_scalars_montgomery_form);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, are_points_on_device);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, are_points_montgomery_form);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, are_results_on_device);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, is_async);
PAIL_SAME_FIELD(MSMConfig, icicle_msm_config, ext);

const icicle_msm_config *same(const MSMConfig &config)
{
    return reinterpret_cast<const icicle_msm_config *>(&config);
}

template <uint32_t group, typename Affine, typename Projective>
eIcicleError multiply(const Device &device, const scalar_t *scalars, const Affine *points, int n,
                      const MSMConfig &config, Projective *results)
{
    return on(device, pail_icicle_msm, CURVE_OF, group, scalars, points, n, same(config), results);
}

template <uint32_t group, typename Affine>
eIcicleError precompute(const Device &device, const Affine *points, int n, const MSMConfig &config,
                        Affine *output)
{
    return on(device, pail_icicle_precompute, CURVE_OF, group, points, n, same(config), output);
}

template <uint32_t group, uint32_t coordinates, typename Point>
eIcicleError convert(const Device &device, const Point *input, size_t n, bool to_montgomery,
                     const VecOpsConfig &config, Point *output)
{
    return on(device, pail_icicle_convert_points, CURVE_OF, group, coordinates, input, n,
              to_montgomery, same(config), output);
}

#ifdef REGISTER_ECNTT_BACKEND
eIcicleError transform(const Device &device, const projective_t *input, int n,
                       icicle::NTTDir direction, const icicle::NTTConfig<scalar_t> &config,
                       projective_t *output)
{
    return on(device, pail_icicle_ecntt, CURVE_OF, input, n, static_cast<int>(direction),
              reinterpret_cast<const icicle_ntt_config *>(&config), output);
}
#endif

constexpr uint32_t g1 = PAIL_G1, g2 = PAIL_G2;

[[maybe_unused]] const bool registered = [] {
    for (const std::string &type : pail_plugin::types()) {
#ifdef REGISTER_ECNTT_BACKEND
        icicle::register_ecntt(type, transform);
#endif
        icicle::register_msm(type, multiply<g1, affine_t, projective_t>);
        icicle::register_g2_msm(type, multiply<g2, g2_affine_t, g2_projective_t>);
        icicle::register_msm_precompute_bases(type, precompute<g1, affine_t>);
        icicle::register_g2_msm_precompute_bases(type, precompute<g2, g2_affine_t>);
        icicle::register_affine_convert_montgomery(type, convert<g1, 2, affine_t>);
        icicle::register_projective_convert_montgomery(type, convert<g1, 3, projective_t>);
        icicle::register_g2_affine_convert_montgomery(type, convert<g2, 2, g2_affine_t>);
        icicle::register_g2_projective_convert_montgomery(type, convert<g2, 3, g2_projective_t>);
    }
    return true;
}();

} // namespace
