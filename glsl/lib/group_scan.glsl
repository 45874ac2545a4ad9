// Exclusive sum over the threads of a workgroup of MSM_SORT_WORKGROUP threads, in workgroup memory
// alone (subgroups may be as small as 4). Two levels of serial sums instead of a tree: a barrier costs
// a software driver far more than the additions saved, and costs a GPU no less. The loops are left to
// the driver to unroll: unrolled inside the caller's loop, they keep SwiftShader compiling for minutes.
#define SCAN_RUN  16
#define SCAN_RUNS (MSM_SORT_WORKGROUP / SCAN_RUN)

shared uint scan_values[MSM_SORT_WORKGROUP];
shared uint scan_runs[SCAN_RUNS];

// Also returns the total. Holds three barriers, the last of them at the end.
uint group_scan(uint value, out uint total)
{
    const uint lane = gl_LocalInvocationIndex;
    scan_values[lane] = value;
    barrier();
    if (lane < SCAN_RUNS) {
        uint run = 0;
        for (uint i = 0; i < SCAN_RUN; i++)
            run += scan_values[lane * SCAN_RUN + i];
        scan_runs[lane] = run;
    }
    barrier();
    uint before = 0;
    total = 0;
    for (uint r = 0; r < SCAN_RUNS; r++) {
        before += r < lane / SCAN_RUN ? scan_runs[r] : 0;
        total += scan_runs[r];
    }
    for (uint i = 0; i < SCAN_RUN; i++)
        before += i < lane % SCAN_RUN ? scan_values[lane / SCAN_RUN * SCAN_RUN + i] : 0;
    barrier();
    return before;
}
