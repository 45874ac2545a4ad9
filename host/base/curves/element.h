/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of a group as initialisers of a field's elements: PAIL_ELEMENT(1, PAIL_BN254_G1, B) is
 * {PAIL_BN254_G1_B}, and with degree 2 one element of the base field for each of c0 and c1. */
#ifndef PAIL_CURVES_ELEMENT_H
#define PAIL_CURVES_ELEMENT_H

#include "paste.h"

#define PAIL_ELEMENT(degree, prefix, name) PAIL_PASTE(PAIL_ELEMENT, degree)(prefix, name)
#define PAIL_ELEMENT_1(prefix, name)                                                               \
    {                                                                                              \
        PAIL_PASTE(prefix, name)                                                                   \
    }
#define PAIL_ELEMENT_2(prefix, name)                                                               \
    {                                                                                              \
        {PAIL_PASTE(prefix, name##_C0)},                                                           \
        {                                                                                          \
            PAIL_PASTE(prefix, name##_C1)                                                          \
        }                                                                                          \
    }

#endif /* PAIL_CURVES_ELEMENT_H */
