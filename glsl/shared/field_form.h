/* SPDX-License-Identifier: Apache-2.0 */
/* Representation of an element of a prime field: the limbs that arithmetic works on, and so its
 * Montgomery radix. Kernels have a variant for each form; the host converts between them.
 * Of C alone: a kernel knows its form by a macro. */
#ifndef PAIL_SHARED_FIELD_FORM_H
#define PAIL_SHARED_FIELD_FORM_H

/* Forms in registers; in memory an element is always packed 32-bit words. Radix for BN254 and
 * BLS12-381:
 *   X32: 2^256, 2^384, as at the boundary
 *   X29: 2^261, 2^406
 *   D51: 2^255, 2^408 */
enum pail_field_form {
    PAIL_FORM_NONE = 0,
    PAIL_FORM_X32 = 1, /* 32-bit limbs, umulExtended: runs where there is no 64-bit integer */
    PAIL_FORM_X29 = 2, /* 29-bit limbs in 64-bit accumulators: needs shaderInt64 */
    PAIL_FORM_D51 = 3, /* 51-bit digits in doubles: needs shaderInt64 and shaderFloat64 */
    PAIL_FORM_COUNT
};

#endif /* PAIL_SHARED_FIELD_FORM_H */
