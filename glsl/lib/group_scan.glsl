/* SPDX-License-Identifier: Apache-2.0 */
// Exclusive sum over the threads of a workgroup, in workgroup memory alone (subgroups may be as
// small as 4). Also returns the total. Begins and ends with a barrier. A loop over the steps, not
// unrolled sums: those take SwiftShader minutes and gigabytes to compile. Include it after the
// layout that sets the workgroup's size.
shared uint scan_sums[gl_WorkGroupSize.x];

uint group_scan(uint value, out uint total)
{
    const uint lane = gl_LocalInvocationIndex;
    barrier();
    scan_sums[lane] = value;
    barrier();
    for (uint step = 1; step < gl_WorkGroupSize.x; step <<= 1) {
        const uint left = lane >= step ? scan_sums[lane - step] : 0;
        barrier();
        scan_sums[lane] += left;
        barrier();
    }
    total = scan_sums[gl_WorkGroupSize.x - 1];
    const uint result = scan_sums[lane] - value;
    barrier();
    return result;
}
