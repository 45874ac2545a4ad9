/* SPDX-License-Identifier: Apache-2.0 */
// Runs as msm/order/place leaves them. The includer has the push block and `index`.
#ifndef MSM_ORDERED_RUN_GLSL
#define MSM_ORDERED_RUN_GLSL

struct run {
    uint first, count, bucket, piece;
};

uint count_runs()
{
    return min(index[push.counts + MSM_ORDER_RUNS], push.n_buckets + 2 * push.threads);
}

// Loads a run; one that msm/order/place cannot have written has no entries: so every thread ends,
// and writes within bounds.
run load_run(uint number)
{
    const uint at = push.runs + MSM_RUN_WORDS * number;
    run r = run(index[at + MSM_RUN_FIRST], index[at + MSM_RUN_COUNT], index[at + MSM_RUN_BUCKET],
                index[at + MSM_RUN_PIECE]);
    const bool sound = r.count <= push.most && r.first < push.n_entries &&
                       r.count <= push.n_entries - r.first && r.bucket < push.n_buckets &&
                       (r.piece == MSM_KEY_NONE || r.piece < 2 * push.threads);
    r.count = sound ? r.count : 0;
    return r;
}

// The first place, in keys and pieces, of a run that is a piece of its bucket.
uint place_of(run r)
{
    return push.places_first + push.places * r.piece;
}

// True if the run is the first piece of its bucket, or all of it.
bool begins_bucket(run r)
{
    return r.piece == MSM_KEY_NONE || r.piece == 0 ||
           index[push.keys + place_of(r) - 1] != r.bucket;
}

#endif
