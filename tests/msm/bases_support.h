/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of base sets: a device on which every set has several segments, sets with
 * points left out of them, and what a registered set must hold. */
#ifndef PAIL_TESTS_GPU_BASES_SUPPORT_H
#define PAIL_TESTS_GPU_BASES_SUPPORT_H

#include <curves/inputs.h>

#include "support/jacobian.h"
#include "vk/support.h"
#include <api/api.h>
#include <msm/bases/bases.h>
#include <msm/bases/points.h>

/* BINDING: bytes that the devices here bind at a time. */
enum { BINDING = 40000, POINT_MAX = 3 * PAIL_COORDINATE_MAX };

/* Multiplications on the device of a fixture, as pail_context_open has them on its own. */
struct fixture {
    struct vk_fixture vk;
    struct pail_msm *msm;
};

void open_device(struct fixture *f, bool no_int64);
void close_device(struct fixture *f);

/* The groups that the plugin has kernels for; returns how many. */
uint32_t groups_of(struct pail_msm_group groups[4]);

/* True if one group is enough: sanitizers look at code of the host, which is the same for each, and
 * the optimised build has all. */
bool few_groups(void);

/* The forms that the device has kernels for; returns how many. */
uint32_t forms_of(const struct fixture *f, enum pail_field_form forms[PAIL_FORM_COUNT]);

/* Points of a set that are at infinity. */
enum pattern { NONE, ALL, FIRST, LAST, MOST, THIRD, FEW, PATTERNS };

/* True if point i of n is. */
bool is_infinite(enum pattern pattern, size_t i, size_t n);

struct set {
    const struct pail_msm_group *group;
    size_t n, stride, point_bytes;
    enum pattern pattern;
    uint8_t *points;
    uint8_t *affine; /* before they were made Jacobian, if they were */
    pail_bases_desc desc;
};

size_t points_needed(const struct pail_msm_group *group);

/* strided: with a byte in front and one behind each point, the latter non-zero at infinity, where
 * the coordinates are then not even below the modulus. */
struct set set_make(const struct pail_msm_group *group, size_t n, enum pattern pattern,
                    uint32_t encoding, bool strided);
void set_free(struct set *s);

/* Registers it, which must go well. */
struct pail_bases *set_register(struct fixture *f, const struct set *s);

/* Every point, in stretches of odd lengths that stop at segments. */
void expect_points(struct fixture *f, const struct set *s, const struct pail_bases *bases,
                   enum pail_field_form form);

/* The map, the counts, and ranges against a count by hand. */
void expect_numbers(const struct set *s, const struct pail_bases *bases);

/* Checks what pail_bases_info says of the set when it has been brought into so many forms. */
void expect_info(const struct set *s, struct pail_bases *bases, uint32_t forms);

/* vkAllocateMemory, counted, and failing where that is asked for: once, or from there on. */
extern long device_until_fail;
extern bool device_keeps_failing;
extern uint64_t allocated_bytes, allocations;
void hook_allocations(struct fixture *f);
void unhook_allocations(struct fixture *f);

#endif /* PAIL_TESTS_GPU_BASES_SUPPORT_H */
