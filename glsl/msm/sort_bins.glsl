// Sets bin_next: where the tile's entries of each bin begin in the row, behind all of lesser bins
// and those of the bin in earlier tiles. The includer has bin_next, `threads` and group_scan, whose
// order of threads `lane` follows. Others see it after a barrier.
void place_bins(uint row, uint tile, uint lane)
{
    const uint n_bins = 1u << push.bits;
    const uint each = (n_bins + threads - 1) / threads;
    const uint first = min(lane * each, n_bins), end = min(first + each, n_bins);
    uint sum = 0;
    for (uint b = first; b < end; b++)
        sum += counts[push.totals + row * n_bins + b];
    uint total;
    uint running = group_scan(sum, total);
    for (uint b = first; b < end; b++) {
        bin_next[b] = running + counts[(row * push.tiles + tile) * n_bins + b];
        running += counts[push.totals + row * n_bins + b];
    }
}
