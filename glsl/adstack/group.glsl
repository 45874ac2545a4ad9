/* SPDX-License-Identifier: Apache-2.0 */
// Joins what all threads of a workgroup have found; thread 0 gets the result. In workgroup memory
// alone, with a loop over the steps: see lib/group_scan.glsl.
shared uvec4 group_sums[AD_WORKGROUP];
shared uint group_errors[AD_WORKGROUP];

ad_sum ad_group_join(uint reduction, ad_sum sum)
{
    const uint lane = gl_LocalInvocationIndex;
    for (uint half_size = AD_WORKGROUP / 2; half_size > 0; half_size >>= 1) {
        group_sums[lane] = uvec4(i64_words(sum.low), i64_words(sum.high));
        group_errors[lane] = sum.error;
        barrier();
        if (lane < half_size) {
            const uvec4 other = group_sums[lane + half_size];
            sum = ad_join(reduction, sum,
                          ad_sum(i64(other.x, other.y), i64(other.z, other.w),
                                 group_errors[lane + half_size]));
        }
        barrier();
    }
    return sum;
}
