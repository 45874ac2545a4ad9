/* SPDX-License-Identifier: Apache-2.0 */
/* Functions by ICICLE's names, for the version PAIL_ICICLE_VERSION (32: icicle-gnark's 3.2 alone,
 * 39: ICICLE's own 3.0 to 3.9, 40: 4.0) and the curve CURVE. The libraries that are built from
 * names_*.c differ in what changed between the versions, and in nothing else:
 *
 * | | 3.2 | 3.9 | 4.0 |
 * |---|---|---|---|
 * | size of a vector | int | uint64_t | uint64_t |
 * | get_root_of_unity | returns a pointer | writes, and returns a status | as 3.9 |
 * | CURVE_eq | of points | of points | of scalars; of points it is projective_eq |
 * | random scalars | generate_scalars | generate_scalars | generate_random |
 * | fields of coordinates | - | from_u32 | add, sub, mul, ... |
 */
#ifndef PAIL_ICICLE_NAMES_H
#define PAIL_ICICLE_NAMES_H

#include <curves/paste.h>

#include "icicle.h"

#define NAME(name)       PAIL_PASTE(CURVE, name)
#define CURVE_OF         PAIL_PASTE(NUMBER, CURVE)
#define NUMBER_bn254     PAIL_CURVE_BN254
#define NUMBER_bls12_381 PAIL_CURVE_BLS12_381

/* A function with default visibility, and the declaration that the compiler asks for. */
#define NAMED(type, name, ...)                                                                     \
    PAIL_API type name(__VA_ARGS__);                                                               \
    type name(__VA_ARGS__)

#if PAIL_ICICLE_VERSION == 32
typedef int icicle_size;
#else
typedef uint64_t icicle_size;
#endif

#define TEXT(name)  TEXT_(name)
#define TEXT_(name) #name

/* A function that is not offered says so by its name. Callers pass arguments, which are not looked
 * at. A function that returns a handle, a size or nothing returns 0. */
#define MISSING(name)                                                                              \
    NAMED(int, name, void)                                                                         \
    {                                                                                              \
        return pail_icicle_missing(TEXT(name));                                                    \
    }
#define MISSING_HANDLE(name)                                                                       \
    NAMED(void *, name, void)                                                                      \
    {                                                                                              \
        (void)pail_icicle_missing(TEXT(name));                                                     \
        return NULL;                                                                               \
    }

/* Four of a line, and the same with a curve before the name. */
#define MISSING_4(a, b, c, d) MISSING(a) MISSING(b) MISSING(c) MISSING(d)
#define MISSING_HANDLE_4(a, b, c, d)                                                               \
    MISSING_HANDLE(a) MISSING_HANDLE(b) MISSING_HANDLE(c) MISSING_HANDLE(d)
#define CURVE_MISSING(name)                MISSING(NAME(name))
#define CURVE_MISSING_HANDLE(name)         MISSING_HANDLE(NAME(name))
#define CURVE_MISSING_4(a, b, c, d)        MISSING_4(NAME(a), NAME(b), NAME(c), NAME(d))
#define CURVE_MISSING_HANDLE_4(a, b, c, d) MISSING_HANDLE_4(NAME(a), NAME(b), NAME(c), NAME(d))

#endif /* PAIL_ICICLE_NAMES_H */
