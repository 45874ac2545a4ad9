/* SPDX-License-Identifier: Apache-2.0 */
// A cell by interpreting the spec's code (adstack_layout.h). Registers hold what instructions
// compute; a loop keeps its place, the turns it has left, and the number of the sum its turns go
// to: 0 is the spec's own, which a joined loop may feed directly.
#include "cells.glsl"

// Turns of one instruction: the loop over them, and those that it may hold, of a read's indices and
// of a division. Drivers that count turns count one of a loop that is not taken, too.
#ifdef PAIL_FORM_I64
#define AD_STEP 2
#else
#define AD_STEP 3
#endif

I64 registers[AD_REGISTERS_MAX];
uint register_errors[AD_REGISTERS_MAX];
uint loop_number[AD_LOOPS_MAX]; // instruction of the loop
I64 loop_left[AD_LOOPS_MAX];    // turns, with the one under way
uint loop_sum[AD_LOOPS_MAX];
ad_sum sums[AD_LOOPS_MAX + 1];

ad_value ad_operand(uint word)
{
    if ((word & AD_OPERAND_SLOT) != 0)
        return ad_local(word & ~AD_OPERAND_SLOT);
    return ad_value(registers[word], register_errors[word]);
}

void set_register(uint number, ad_value value)
{
    registers[number] = value.v;
    register_errors[number] = value.error;
}

void body()
{
    const uint code = arena[ad_spec + AD_SPEC_CODE], n_code = arena[ad_spec + AD_SPEC_N_CODE];
    for (uint k = 0; k < ad_n_axes; k++)
        set_register(k, ad_value(ad_axis(k), 0));
    sums[0] = ad_total;
    uint pc = 0, depth = 0;
    bool done = false;
    while (!done) {
        if (!ad_step(AD_STEP)) {
            sums[0].error = ad_total.error;
            break;
        }
        // The instruction at pc; at the end of a turn its loop again; at the end of all the spec's
        // value, as if it were a turn's.
        const uint loop = depth > 0 ? loop_number[depth - 1] : 0;
        const bool turn = depth > 0 && pc == arena[code + AD_INSTR_WORDS * loop + 4];
        done = !turn && pc == n_code;
        const uint number = turn ? loop : pc;
        const uint at = code + AD_INSTR_WORDS * number;
        const uint head = done ? AD_LOOP : arena[at];
        const uint op = head & 0xffu, dst = head >> 8 & 0xffu, var = head >> 16 & 0xffu;
        const uint flags = head >> 24;
        const uint site = done ? 0 : ad_site(number);
        if (op == AD_READ) {
            ad_step(2 * var);
            set_register(dst, ad_read(ad_source(arena[at + 1]), code + arena[at + 2], var, site));
            pc++;
            continue;
        }
        if (op >= AD_FLOOR_DIV && op <= AD_MOD)
            ad_step(AD_DIVISION);
        const uint word_c = done ? arena[ad_spec + AD_SPEC_VALUE] : arena[at + 3];
        const bool none = word_c == AD_NONE || (flags & AD_LOOP_EMPTY) != 0;
        const ad_value a = ad_operand(done ? 0 : arena[at + 1]);
        const ad_value b = ad_operand(done ? 0 : arena[at + 2]);
        const ad_value c = ad_operand(none ? 0 : word_c);
        if (op != AD_LOOP) {
            set_register(dst, ad_operate(op, a, b, c, site));
            pc++;
            continue;
        }

        const uint step = (flags & AD_LOOP_SHARED) != 0 ? ad_lanes : 1;
        const uint skipped = (flags & AD_LOOP_SHARED) != 0 ? ad_lane : 0;
        const uint outer = depth > (turn ? 1u : 0u) ? loop_sum[depth - (turn ? 2 : 1)] : 0;
        const uint mine = (flags & AD_LOOP_JOINED) != 0 ? outer : depth + (turn ? 0 : 1);
        bool over; // the loop is
        ad_sum item = ad_nothing();
        I64 left;
        if (turn || done) {
            if (!none)
                item = ad_one(c);
            left = turn ? loop_left[depth - 1] : i64_zero();
            over = !i64_less_unsigned(i64_from(step), left);
            left = i64_sub(left, i64_from(step));
        } else {
            depth++;
            left = i64_sub(b.v, a.v);
            item.error = ad_least(a.error, b.error);
            over = item.error != 0 || !i64_less(a.v, b.v);
            if (!over && i64_less_unsigned(i64(0, AD_CELLS_HIGH), left)) {
                item.error = site | AD_ERROR_CELLS;
                over = true;
            }
            over = over || !i64_less_unsigned(i64_from(skipped), left);
            left = i64_sub(left, i64_from(skipped));
            loop_number[depth - 1] = number;
            loop_sum[depth - 1] = mine;
            if ((flags & AD_LOOP_JOINED) == 0)
                sums[depth] = ad_nothing();
        }
        const uint into = done ? 0 : mine;
        const uint reduction = into == 0 ? AD_REDUCTION : flags & AD_LOOP_SUM;
        sums[into] = ad_join(reduction, sums[into], item);
        if (done)
            break;
        over = over || ad_is_decided(sums[into].error);
        if (over) {
            if ((flags & AD_LOOP_JOINED) == 0)
                set_register(dst, ad_result(reduction, sums[mine], site));
            pc = arena[at + 4];
            depth--;
        } else {
            loop_left[depth - 1] = left;
            const I64 first = i64_add(a.v, i64_from(skipped));
            set_register(var, ad_value(turn ? i64_add(registers[var], i64_from(step)) : first, 0));
            pc = number + 1;
        }
    }
    ad_total = sums[0];
}
