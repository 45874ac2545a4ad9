/* SPDX-License-Identifier: Apache-2.0 */
/* Layout that the kernels for transforms of points share with the code that records them. Included
 * by C and by GLSL.
 *
 * A twiddle is a number modulo r as k1 + k2 lambda (GLV), in signed digits of 4 bits: digit i of a
 * half, from -8 to 7, is bits 4 i to 4 i + 3 of its words, less 8. */
#ifndef PAIL_SHARED_POINTS_LAYOUT_H
#define PAIL_SHARED_POINTS_LAYOUT_H

#include "types.h"

#define POINTS_DIGIT_BITS    4
#define POINTS_DIGITS        32 /* of a half */
#define POINTS_DIGIT_OFFSET  8
#define POINTS_MULTIPLES     8 /* multiples of a point, from once on, that digits choose from */
#define POINTS_HALF_WORDS    4
#define POINTS_TWIDDLE_WORDS 8 /* k1, then k2; least significant word first */

/* Words of the twiddle 1: digit 1 and zeros. */
#define POINTS_ZEROS 0x88888888u
#define POINTS_ONE   0x88888889u

/* Encodings of points, with POINTS_MONTGOMERY or canonical. */
#define POINTS_AFFINE     0
#define POINTS_JACOBIAN   1
#define POINTS_PROJECTIVE 2
#define POINTS_MONTGOMERY 4

#define POINTS_WORKGROUP      64 /* of what has an invocation for each point or coordinate */
#define POINTS_QUAD_WORKGROUP 32 /* of what has a quad for each butterfly */
#define POINTS_QUAD           4

/* Between encoded points and XYZZ points in the kernels' own form. `reversed`: point i of each
 * sequence of 2^log_n is, in memory, at the place of its number's bits the other way round. */
struct points_load_push {
    PAIL_U32 n;
    PAIL_U32 encoding;
    PAIL_U32 log_n, reversed;
    PAIL_U32 first_raw; /* 16-byte vectors before the first point */
};

/* Two stages are one pass: a block is four parts a0 ... a3 of its points, for which it takes three
 * values, each a point times a twiddle or the sum of two. With c of the first stage's block b and
 * d, e of the second's blocks 2 b and 2 b + 1, these are forward c a2, d a1 + c d a3 and e a1 - c e
 * a3. Backward they are, of sums and differences, c a2, d a1 + e a3 and c d a1 - c e a3. A stage
 * alone has two parts, and one value, c a1. A value takes the place of part
 * POINTS_PART(parts, value). */
#define POINTS_VALUES(parts)      ((parts)-1)
#define POINTS_PART(parts, value) ((value) == 0 ? (parts) / 2 : 2 * (value)-1)

/* Twiddles are [2][2^log_n]: those of stages, and after them products of a second stage's with the
 * first's, c d and -c e in the places of d and e. Backward 1/n is in the first stage's c, and so in
 * products, and d and e times 1/n are in places 0 and 1 of the products. */

/* A multiplication is what its digits ask for, summed, and doublings: first the multiples of the
 * point, by additions in a row; then for each digit's place, all at once, the sum of the multiples
 * that the halves have there, for both points of a value; then, from the top place, doublings and
 * an addition of such a sum. A slot of `table` has the multiples of a value's own point, their
 * images (beta x, y), the sums, and last the result between dispatches. */
#define POINTS_STEPS_OF_DIGIT (POINTS_DIGIT_BITS + 1)
#define POINTS_STEPS          (POINTS_STEPS_OF_DIGIT * (POINTS_DIGITS - 1))
#define POINTS_SLOT_SUMS      (2 * POINTS_MULTIPLES)
#define POINTS_SLOT_RESULT    (POINTS_SLOT_SUMS + POINTS_DIGITS)
#define POINTS_SLOT           (POINTS_SLOT_RESULT + 1)

/* Steps of one dispatch where field arithmetic is in loops (form x32): llvmpipe ends all loops of
 * an invocation after 65535 rounds in all, and an addition has 5000. */
#define POINTS_STEPS_X32 8

struct points_multiply_push {
    PAIL_U32 n; /* places in parts: first ... first + n - 1 */
    PAIL_U32 first;
    PAIL_U32 level;    /* stage, or the first of two: 2^level blocks */
    PAIL_U32 log_part; /* log2 of the points of a part */
    PAIL_U32 parts;    /* 2, or 4 */
    PAIL_U32 low;      /* 1: one value, part 0 times twiddle 0, in its place */
    PAIL_U32 backward;
    PAIL_U32 step, end; /* points/multiply: of POINTS_STEPS; points/windows: 0 makes multiples, 1
                           sums */
};

struct points_butterfly_push {
    PAIL_U32 n; /* places in parts */
    PAIL_U32 log_part;
    PAIL_U32 parts;
    PAIL_U32 backward;
};

/* Quads of a place in four parts. Forward each makes two of its four results. */
#define POINTS_BUTTERFLY_QUADS(parts, backward) ((parts) == 4 && !(backward) ? 2 : 1)

/* ---- Sums of multiples ------------------------------------------------------------------------
 * A sum of points times numbers is, for each window of the numbers' signed digits, a sum of entries
 * of a table, the multiples 1 to 2^(bits - 1) of each point, affine, in the kernels' own form; and
 * then the windows, put together from the top one down.
 *
 * A number is 8 words, least significant first. With the bias added, digit i is bits i * bits to
 * i * bits + bits - 1, less 2^(bits - 1) unless it is window `unbiased`. */
#define POINTS_NUMBER_WORDS 8
#define POINTS_NO_WINDOW    0xffffffffu

/* Numbers that are constants have their bias, and in the last word the place of their point in the
 * table: its entry in the first batch. */
#define POINTS_CONSTANT_BITS      6
#define POINTS_CONSTANT_WINDOWS   22 /* of halves (GLV) of up to 129 bits, of either sign */
#define POINTS_CONSTANT_MULTIPLES 32

#define POINTS_SUMS_WORKGROUP 64

/* The multiples 1 to `multiples` of n points, XYZZ: [n][multiples], after doublings of each, which
 * stay in place of the point. Steps are the doublings, then a multiple each. */
struct points_multiples_push {
    PAIL_U32 n;
    PAIL_U32 doublings, multiples;
    PAIL_U32 step, end;
};

/* n XYZZ points to entries of a table, from `first` on, by so many threads. With images, behind
 * each `multiples` entries are those of (beta x, y). */
struct points_normalize_push {
    PAIL_U32 n, threads;
    PAIL_U32 multiples, images;
    PAIL_U32 first;
    PAIL_U32 first_table; /* 16-byte vectors before the table */
};

/* Parts of sums, [windows][slices][n], n being sums of all batches, `columns` of each. Of a part's
 * terms, at most of_slice, the numbers are [batch][rows][columns], and terms are `rows` for each
 * copy of the table's points: [copies][rows][columns]. Copy c is of windows from c * windows on.
 * Constants: [terms][columns], the same for all batches, of each of which the table has `entries`.
 */
struct points_sums_push {
    PAIL_U32 n, columns;
    PAIL_U32 terms, rows, slices, of_slice;
    PAIL_U32 windows, bits;
    PAIL_U32 last; /* the top window of numbers */
    PAIL_U32 unbiased;
    PAIL_U32 constants, entries;
    PAIL_U32 first_table; /* 16-byte vectors before the table */
    PAIL_U32 bias[POINTS_NUMBER_WORDS];
};

/* Sums of `terms` points each, with so many doublings before each `of_window` of them, from the
 * last ones down: result q of n is of points ((q / width) * terms + term) * width + q % width. */
struct points_horner_push {
    PAIL_U32 n, width;
    PAIL_U32 terms, of_window, doublings;
    PAIL_U32 step, end; /* of terms / of_window * (doublings + of_window) - doublings */
};

/* Coordinates to Montgomery form, or back. */
struct points_encode_push {
    PAIL_U32 n; /* elements of the base field */
    PAIL_U32 to_montgomery;
    PAIL_U32 first_a, first_r; /* 16-byte vectors before the first */
    PAIL_U32 in_place;         /* 1: elements are read from first_r on, too */
};

#endif
