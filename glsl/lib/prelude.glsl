/* SPDX-License-Identifier: Apache-2.0 */
// The only place for #extension lines.
#extension GL_EXT_control_flow_attributes : require
#if defined(PAIL_SUBGROUP) || defined(PAIL_PAIRS)
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
#endif
#if defined(PAIL_FORM_X29) || defined(PAIL_FORM_D51) || defined(PAIL_FORM_I64)
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
#ifdef PAIL_ADDRESSES
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#endif
