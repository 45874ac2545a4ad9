/* SPDX-License-Identifier: Apache-2.0 */
// A thread's cells, one after the other; see reduce.glsl.
uint ad_spec;
uint ad_lane, ad_lanes, ad_lane_step;
uint ad_rounds; // rounds left of the portion
uint ad_steps, ad_steps_max;
uint ad_looked; // steps at the last look at what other threads have found
uint ad_least_error;
ad_sum ad_total;

#ifdef AD_AXES
const uint ad_axes_max = AD_AXES;
#define ad_n_axes uint(AD_AXES)
#else
const uint ad_axes_max = 16;
uint ad_n_axes;
#endif
#ifndef AD_REDUCTION
uint ad_reduction;
#define AD_REDUCTION ad_reduction
#define AD_REDUCTION_OF_SPEC
#endif

// The cell's, from 0; of the last axis the stretch's, where cells are taken together.
I64 ad_digit[ad_axes_max];

uint ad_axis_at(uint k)
{
    return ad_spec + AD_SPEC_AXES + AD_AXIS_WORDS * k;
}

I64 ad_axis(uint k)
{
    const uint at = ad_axis_at(k) + AD_AXIS_BEGIN;
    return i64_add(i64(arena[at], arena[at + 1]), ad_digit[k]);
}

// Lengths and steps for ad_next. Where the number of axes is known they stay in registers.
#ifdef AD_AXES
I64 ad_lengths[AD_AXES];
uint ad_steps_of_axes[AD_AXES];
#define ad_length(k)  ad_lengths[k]
#define ad_further(k) ad_steps_of_axes[k]
#else
I64 ad_length(uint k)
{
    const uint at = ad_axis_at(k) + AD_AXIS_LENGTH;
    return i64(arena[at], arena[at + 1]);
}

uint ad_further(uint k)
{
    return arena[ad_axis_at(k) + AD_AXIS_STEP];
}
#endif

ad_value ad_local(uint i)
{
    return ad_slot(arena[arena[ad_spec + AD_SPEC_SLOTS] + i]);
}

uint ad_source(uint i)
{
    return arena[arena[ad_spec + AD_SPEC_SOURCES] + i];
}

uint ad_site(uint i)
{
    return arena[arena[ad_spec + AD_SPEC_SITES] + i];
}

void ad_take_sum(ad_sum sum)
{
    ad_total = ad_join(AD_REDUCTION, ad_total, sum);
}

void ad_take(ad_value value)
{
    ad_take_sum(ad_one(value));
}

// Some drivers end the loops of an invocation after a number of turns, without a word. Before that
// the whole spec is given back: a wrong value is worse than none. A portion that takes longer than
// it may is done again with fewer rounds.
// A division is a loop where there are no 64-bit integers.
#ifdef PAIL_FORM_I64
#define AD_DIVISION 0
#else
#define AD_DIVISION 65
#endif

// Steps between two looks: less than a millisecond, and hundreds of cells.
#define AD_STEPS_UNSEEN 1024

// True if the result is decided by what another thread has found, or this one before.
bool ad_is_over()
{
    return arena_seen[ad_spec + AD_SPEC_FOUND] != 0;
}

// The same before the first step. Where no error is expected, a look would cost more than a late
// end.
bool ad_is_over_at_once()
{
    return ad_least_error != 0 && ad_is_over();
}

bool ad_step(uint n)
{
    ad_steps += n;
    if (ad_steps - ad_looked >= AD_STEPS_UNSEEN) {
        if (ad_is_over())
            return false;
        ad_looked = ad_steps;
    }
    if (ad_steps_max == 0 || ad_steps <= ad_steps_max)
        return true;
    ad_total.error = arena[ad_spec + AD_SPEC_OVER];
    return false;
}

// True if nothing that comes can change a sum with this error.
bool ad_is_decided(uint error)
{
    return ad_decides(error, ad_least_error);
}

void ad_begin(uint spec)
{
    ad_spec = spec;
    ad_lanes = 1u << arena[spec + AD_SPEC_LANES];
    ad_steps = ad_looked = 0;
    ad_least_error = arena[spec + AD_SPEC_LEAST];
    ad_steps_max = arena[spec + AD_SPEC_ALLOWED];
    ad_rounds = arena[spec + AD_SPEC_ROUNDS];
    ad_lane_step = arena[spec + AD_SPEC_LANE_STEP];
    ad_total = ad_nothing();
#ifndef AD_AXES
    ad_n_axes = arena[spec + AD_SPEC_N_AXES];
#endif
#ifdef AD_AXES
    for (uint k = 0; k < AD_AXES; k++) {
        const uint at = ad_axis_at(k);
        ad_lengths[k] = i64(arena[at + AD_AXIS_LENGTH], arena[at + AD_AXIS_LENGTH + 1]);
        ad_steps_of_axes[k] = arena[at + AD_AXIS_STEP];
    }
#endif
#ifdef AD_REDUCTION_OF_SPEC
    ad_reduction = arena[spec + AD_SPEC_REDUCTION];
#endif
}

// The first item of a thread in this portion; its number among the spec's threads is given. false:
// it has none. Digits are below the lengths, and these at most 2^48.
bool ad_first(uint thread)
{
    uint carry = 0;
    uint cell = thread >> arena[ad_spec + AD_SPEC_LANES];
    ad_lane = (thread & (ad_lanes - 1)) + arena[ad_spec + AD_SPEC_FIRST_LANE];
    if (ad_lane >= ad_lanes) {
        ad_lane -= ad_lanes;
        carry = 1;
    }
    for (uint k = ad_n_axes; k-- > 0;) {
        const uint at = ad_axis_at(k);
        const I64 size = i64(arena[at + AD_AXIS_LENGTH], arena[at + AD_AXIS_LENGTH + 1]);
        const uint low = arena[at + AD_AXIS_LENGTH];
        const bool wide = arena[at + AD_AXIS_LENGTH + 1] != 0;
        const I64 first = i64(arena[at + AD_AXIS_FIRST], arena[at + AD_AXIS_FIRST + 1]);
        const I64 mine = i64_from(wide ? cell : cell % max(low, 1u));
        I64 digit = i64_add(i64_add(first, mine), i64_from(carry));
        carry = i64_less(digit, size) ? 0 : 1;
        if (carry != 0)
            digit = i64_sub(digit, size);
        ad_digit[k] = digit;
        cell = wide ? 0 : cell / max(low, 1u);
    }
    return cell == 0 && carry == 0;
}

bool ad_next()
{
    if (ad_is_decided(ad_total.error)) {
        // A portion that takes too long decides nothing.
        if (ad_total.error != AD_TOO_LONG)
            arena_seen[ad_spec + AD_SPEC_FOUND] = ad_total.error;
        return false;
    }
    // Steps of the loop over cells, of this one and the body's over the axes, which end with a turn
    // of their own.
    if (--ad_rounds == 0 || !ad_step(3 + 2 * ad_n_axes))
        return false;
    uint carry = 0;
    if (ad_lane_step != 0) {
        ad_lane += ad_lane_step;
        carry = ad_lane < ad_lanes ? 0 : 1;
        ad_lane -= carry != 0 ? ad_lanes : 0;
    }
    for (uint k = ad_n_axes; k-- > 0;) {
        const I64 size = ad_length(k);
        I64 digit = i64_add(ad_digit[k], i64_add(i64_from(ad_further(k)), i64_from(carry)));
        carry = i64_less(digit, size) ? 0 : 1;
        if (carry != 0)
            digit = i64_sub(digit, size);
        ad_digit[k] = digit;
    }
    return carry == 0;
}
