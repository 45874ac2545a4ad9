// What all kernels that scatter share: their interface, how an entry comes in, and where bins
// begin. Include it after the layout that sets the workgroup's size.
layout(push_constant) uniform Push { msm_sort_push push; };
// One buffer twice: the first pass reads digits, later ones entries.
layout(binding = 0, std430) readonly buffer Digits { uint digits[]; };
layout(binding = 1, std430) readonly buffer Entries { uvec2 entries[]; };
#ifdef PAIL_SORT_SERIAL
layout(binding = 2, std430) buffer Counts { uint counts[]; };
#else
layout(binding = 2, std430) readonly buffer Counts { uint counts[]; };
#endif
layout(binding = 3, std430) writeonly buffer Sorted { uvec2 sorted[]; };

// Of the row at hand: its first entry among all, and the handle of that one without sign.
uint row_first, row_handle;

void enter_row(uint row)
{
    row_first = row * push.n;
    row_handle = (push.first_row + row) / push.windows * push.handle_stride;
}

// Of entry i of the row, before it is sorted: the bases left out between its copy and the first.
uint skipped_before(uint i)
{
    return i / push.copy * push.skip;
}

// Its handle, without sign.
uint handle_at(uint i)
{
    return row_handle + i + (push.skip != 0 ? skipped_before(i) : 0);
}

uvec2 entry_at(uint i)
{
    if (push.first_pass == 0)
        return entries[row_first + i];
    const uint digit = digits[row_first + i];
    return uvec2(digit & ~MSM_HANDLE_SIGN, handle_at(i) | digit & MSM_HANDLE_SIGN);
}

uint bin_of(uint key)
{
    return key >> push.shift & (1u << push.bits) - 1;
}
