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

#endif
