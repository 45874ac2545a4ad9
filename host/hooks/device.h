/* SPDX-License-Identifier: Apache-2.0 */
/* The backend of all hooks of a process, and the work that they share. Thread-safe. */
#ifndef PAIL_HOOKS_DEVICE_H
#define PAIL_HOOKS_DEVICE_H

#include <stdbool.h>

#include <pail/pail.h>

/* The form in which a peer writes a sum. Coordinates x, y, z are in Montgomery form, and z is 1. */
enum hook_form {
    HOOK_BLST,               /* Jacobian; infinity is (0, 0, 0) */
    HOOK_CONSTANTINE_JACOBI, /* Jacobian; infinity is (1, 1, 0) */
    HOOK_CONSTANTINE_PROJ,   /* homogeneous; infinity is (0, 1, 0) */
};

/* Points in a peer's memory, in Montgomery form. */
struct hook_points {
    uint32_t curve, group;
    const void *points; /* [n], packed */
    size_t n;
    bool jacobian; /* otherwise affine */
};

/* Begins a call for hooks_error, or fails one with a sentence. */
void hook_begin(void);
pail_status hook_fail(pail_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

pail_status hook_bases_create(pail_bases **bases, const struct hook_points *points);
void hook_bases_destroy(pail_bases **bases);

/* Writes sum = the sum of scalars[i] times base i, i < n. sum: three coordinates of the group, of
 * any alignment; zeroed on failure. scalar_encoding: pail_encoding. */
pail_status hook_multiply(void *sum, enum hook_form form, const pail_bases *bases, uint32_t curve,
                          uint32_t group, const void *scalars, uint32_t scalar_encoding, size_t n);

/* The same with points that are registered for this call only. */
pail_status hook_multiply_once(void *sum, enum hook_form form, const struct hook_points *points,
                               const void *scalars, uint32_t scalar_encoding);

/* Releases the sets that g1_lincomb_fast keeps; part of hooks_close. */
void hook_sets_clear(void);

#endif /* PAIL_HOOKS_DEVICE_H */
