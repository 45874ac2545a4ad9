/* SPDX-License-Identifier: Apache-2.0 */
// The additions of a step, where the eight elements of a job are added in place in steps of 4, 2
// and 1 additions (reduce.comp says what of). A step leaves its results in elements that the pass
// does not need any more. The last group of a level has four elements only, with no place for their
// differences from nothing: there each step adds one to the middle and turns it into its negative.
//
// The kernel declares `push`.
#ifndef MSM_REDUCE_STEPS_GLSL
#define MSM_REDUCE_STEPS_GLSL

const uint scale = 3; // log2 of what a level makes of an element

// Elements by their numbers in level 0.
struct addition {
    uint left, right;
    uint sum;        // target
    bool difference; // left - right, to `left`
    bool negative;   // negates `right` in place, when all is done
};

// Addition `number` of a job, whose list is 0 for a level's own elements. False if there is none.
bool find_addition(uint list, uint index, bool last, uint number, uint step, out addition a)
{
    const uint shift = scale * push.pass;
    a = addition(0, 0, 0, false, false);
    if (list != 0) {
        // Elements 0 .. 7, from the group's first on.
        const uint level = (list - 1) / 4, column = (list - 1) % 4 + 1;
        const uint first = ((8 * index) << shift) + (column << (scale * level));
        a.left = first + ((number << step << 1) << shift);
        a.right = a.left + ((1 << step) << shift);
        a.sum = a.left;
        return number < 4 >> step;
    }
    const uint middle = 8 * index + 8;
    a.left = middle;
    a.right = middle - 2;
    if (last) {
        a.right = middle - 1 - step;
        a.negative = true;
    } else if (step == 0) {
        a.left = middle + number;
        a.right = number == 0 ? middle + 4 : middle - number;
        a.difference = number != 0;
    } else if (step == 1) {
        a.left = middle - 2 * number;
        a.right = a.left - 1;
    }
    a.sum = (a.difference ? a.right : a.left) << shift;
    a.left <<= shift;
    a.right <<= shift;
    return number < (last ? 1 : 4 >> step);
}

#endif
