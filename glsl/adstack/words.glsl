/* SPDX-License-Identifier: Apache-2.0 */
// The arena of a launch, and words at any address. AD_ARENA_ACCESS (optional): `coherent` where
// threads of a workgroup read what others wrote. `push` begins with the arena's address. Seen: for
// words that other workgroups of the dispatch may write at any time.
#ifndef AD_ARENA_ACCESS
#define AD_ARENA_ACCESS
#endif

layout(buffer_reference, std430, buffer_reference_align = 4) AD_ARENA_ACCESS buffer Words { uint words[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) volatile buffer Seen { uint words[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Contents { uint words[]; };

#define arena      Words(uvec2(push.arena_low, push.arena_high)).words
#define arena_seen Seen(uvec2(push.arena_low, push.arena_high)).words
