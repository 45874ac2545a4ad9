// As group_scan.glsl, with shuffles: two barriers. The includer sets `lane`, by which the threads
// of the workgroup are ordered: subgroup by subgroup, `lanes` of them in each.
shared uint scan_sums[gl_WorkGroupSize.x];

uint group_scan(uint value, out uint total)
{
    const uint id = gl_SubgroupInvocationID;
    uint sum = value;
    for (uint step = 1; step < lanes; step <<= 1) {
        const uint left = subgroupShuffle(sum, id >= step ? id - step : id);
        sum += id >= step ? left : 0;
    }
    if (id + 1 == lanes)
        scan_sums[gl_SubgroupID] = sum;
    barrier();
    uint before = 0;
    total = 0;
    for (uint s = 0; s < gl_NumSubgroups; s++) {
        before = s == gl_SubgroupID ? total : before;
        total += scan_sums[s];
    }
    barrier();
    return before + sum - value;
}
