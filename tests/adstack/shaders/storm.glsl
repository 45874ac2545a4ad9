/* SPDX-License-Identifier: Apache-2.0 */
/* Every thread reports what its row says: id (0: nothing), stack, entries, serial. */
layout(set = 0, binding = 1, std430) readonly buffer rows_buffer
{
    uvec4 rows[];
};

void main()
{
    const uvec4 row = rows[gl_GlobalInvocationID.x];
    if (row.x != 0u)
        pail_overflow_report(row.x, row.y, row.z, row.w);
}
