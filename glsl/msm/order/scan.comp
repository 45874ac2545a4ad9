/* SPDX-License-Identifier: Apache-2.0 */
#version 460
// Finds where runs of each length begin (order.glsl): sums over the counters before, in place; and
// the steps of the tasks before those that begin with this length. One workgroup, in which a thread
// has some counters next to each other, in workgroup memory: two scans over the threads are all
// that anybody waits for.
#include "../../lib/prelude.glsl"
#include "../../shared/msm_layout.h"

layout(local_size_x = MSM_ORDER_SCAN_WORKGROUP) in;

#include "../../lib/group_scan.glsl"
#include "length.glsl"

layout(push_constant) uniform Push { msm_order_push push; };
layout(binding = 0, std430) buffer Index { uint index[]; };

#define EACH (MSM_ORDER_BINS / MSM_ORDER_SCAN_WORKGROUP)

shared uint counts[MSM_ORDER_BINS];

// Place of a bin's counter: those of neighbouring threads are in different banks.
uint place_of(uint bin)
{
    return bin % EACH * MSM_ORDER_SCAN_WORKGROUP + bin / EACH;
}

void load_counts()
{
    for (uint bin = gl_LocalInvocationIndex; bin < MSM_ORDER_BINS; bin += MSM_ORDER_SCAN_WORKGROUP)
        counts[place_of(bin)] = index[push.counts + bin];
    barrier();
}

void store_counts(uint at)
{
    barrier();
    for (uint bin = gl_LocalInvocationIndex; bin < MSM_ORDER_BINS; bin += MSM_ORDER_SCAN_WORKGROUP)
        index[at + bin] = counts[place_of(bin)];
    barrier();
}

// Sums over the counters before, in place; returns the sum of all.
uint scan_counts()
{
    const uint first = EACH * gl_LocalInvocationIndex;
    uint sum = 0, total;
    for (uint i = 0; i < EACH; i++)
        sum += counts[place_of(first + i)];
    uint before = group_scan(sum, total);
    for (uint i = 0; i < EACH; i++) {
        const uint count = counts[place_of(first + i)];
        counts[place_of(first + i)] = before;
        before += count;
    }
    return total;
}

// Tasks that begin before a run.
uint tasks_before(uint run)
{
    return (run + MSM_TASK - 1) / MSM_TASK;
}

void main()
{
    load_counts();
    const uint runs = scan_counts();
    store_counts(push.counts);
    // Steps of the tasks that begin with each length. The bin after the last of a thread is the
    // first of the next one, who overwrites it.
    const uint first = EACH * gl_LocalInvocationIndex, end = first + EACH;
    const uint last = end < MSM_ORDER_BINS ? counts[place_of(end)] : runs;
    barrier();
    for (uint bin = first; bin < end; bin++) {
        const uint next = bin + 1 < end ? counts[place_of(bin + 1)] : last;
        counts[place_of(bin)] =
            (tasks_before(next) - tasks_before(counts[place_of(bin)])) * longest_of(bin);
    }
    barrier();
    const uint steps = scan_counts();
    store_counts(push.counts + MSM_ORDER_STEPS);
    if (gl_LocalInvocationIndex == 0) {
        index[push.counts + MSM_ORDER_RUNS] = runs;
        index[push.counts + MSM_ORDER_STEPS + MSM_ORDER_BINS] = steps;
    }
}
