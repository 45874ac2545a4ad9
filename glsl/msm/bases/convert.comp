/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Registers points: from packed canonical or Montgomery (R = 2^(32 words)) coordinates, or those of
// another field form, to the field form's own representation, with the checks the caller asked
// for. One thread for each point.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"
#include "../points.glsl"

layout(local_size_x = MSM_CONVERT_WORKGROUP) in;

#include "../../lib/grid.glsl"

layout(push_constant) uniform Push { msm_convert_push push; };
layout(binding = 0, std430) readonly buffer Raw { uvec4 raw[]; };
layout(binding = 1, std430) writeonly buffer Bases { uvec4 bases[]; };
layout(binding = 2, std430) buffer Status { uint status[]; };

#include "below_modulus.glsl"

void main()
{
    const uint point = grid_index();
    if (point >= push.n)
        return;
    uint factor_words[FP_WORDS] = FP_FROM_CANONICAL;
    if (push.encoding == MSM_ENCODING_MONTGOMERY)
        factor_words = FP_FROM_MONTGOMERY;
    else if (push.encoding == MSM_ENCODING_FORM + 1)
        factor_words = FP_FROM_FORM_1;
    else if (push.encoding == MSM_ENCODING_FORM + 2)
        factor_words = FP_FROM_FORM_2;
    else if (push.encoding == MSM_ENCODING_FORM + 3)
        factor_words = FP_FROM_FORM_3;
    const fp factor = fe_unpack(factor_words);
    fp part[2 * FE_DEGREE]; // base-field elements of both coordinates
    bool in_range = true;
    for (uint c = 0; c < 2 * FE_DEGREE; c++) {
        const uint at = (point * 2 * FE_DEGREE + c) * FP_VECTORS;
        uint words[FP_WORDS];
        for (uint i = 0; i < FP_VECTORS; i++) {
            const uvec4 v = raw[at + i];
            words[4 * i] = v.x;
            words[4 * i + 1] = v.y;
            words[4 * i + 2] = v.z;
            words[4 * i + 3] = v.w;
        }
        in_range = in_range && below_modulus(words);
        part[c] = fe_mul(fe_unpack(words), factor);
        fe_pack(part[c], words);
        for (uint i = 0; i < FP_VECTORS; i++)
            bases[at + i] =
                uvec4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
    }
    if (!in_range) {
        atomicMin(status[MSM_STATUS_RANGE], push.first + point);
        return;
    }
#if FE_DEGREE == 1
    const affine a = affine(part[0], part[1]);
#else
    const affine a = affine(FE(part[0], part[1]), FE(part[2], part[3]));
#endif
    if (push.validation != 0 && !ec_is_infinity(a) && !ec_on_curve(a))
        atomicMin(status[MSM_STATUS_OFF_CURVE], push.first + point);
}
