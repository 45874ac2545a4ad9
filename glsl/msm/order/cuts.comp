#version 460
// The planner: cuts all entries of the batch into equal shares, one for each thread of the
// accumulation. Cut t is a function of t alone, so the end of one share is by construction the
// start of the next. Cuts do not look for the ends of buckets: a subgroup takes as long as the
// longest of its shares, and joining the pieces of a bucket costs less. One thread for each cut.
// Where a workgroup has a thread for each row, it adds up the rows itself, and msm/order/rows need
// not run.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_CUTS_WORKGROUP) in;

#include "../../lib/group_scan.glsl"

layout(push_constant) uniform Push { msm_cuts_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

// Entries of a row that count: where its buckets end.
uint entries_of(uint row)
{
    return index[push.starts + row * (push.stride + 1) + push.stride];
}

shared uint row_firsts[MSM_CUTS_WORKGROUP];

void add_up_rows()
{
    const uint lane = gl_LocalInvocationIndex;
    uint total;
    const uint before = group_scan(lane < push.rows ? entries_of(lane) : 0, total);
    row_firsts[lane] = before; // behind the rows: all entries
    barrier();
}

// Entries that count in the rows before.
uint row_first(uint row)
{
    return push.rows < MSM_CUTS_WORKGROUP ? row_firsts[row] : index[push.row_first + row];
}

// The row that holds an entry, by its number among all entries that count: the last one that starts
// at or before it.
uint row_at(uint entry)
{
    uint low = 0, high = push.rows;
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (row_first(middle) <= entry)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void main()
{
    const uint cut = gl_GlobalInvocationID.x;
    if (push.rows < MSM_CUTS_WORKGROUP)
        add_up_rows();
    if (cut > push.threads)
        return;
    const uint total = row_first(push.rows);
    // Fewer threads where there is little to do. The first `rest` shares have one entry more.
    const uint sharers = clamp(total / push.share, 1, push.threads);
    const uint each = total / sharers, rest = total % sharers;
    const uint t = min(cut, sharers);
    uint position = t * each + min(t, rest);

    // The end of all entries is (rows, 0).
    uint row = push.rows;
    if (position < total) {
        row = row_at(position);
        position -= row_first(row);
    } else {
        position = 0;
    }
    index[push.cuts + 2 * cut] = row;
    index[push.cuts + 2 * cut + 1] = position;
}
