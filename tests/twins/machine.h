/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that executes steps by the CPU twins, in place of a device. */
#ifndef PAIL_TESTS_MACHINE_H
#define PAIL_TESTS_MACHINE_H

#include <vk/steps.h>

#define MACHINE_REGIONS_MAX 32u

struct machine {
    uint32_t *regions[MACHINE_REGIONS_MAX]; /* words; NULL: there is none */
    uint64_t bytes[MACHINE_REGIONS_MAX];
    bool strict; /* compare all regions before and after each step: slow */
};

/* Makes a region of so many bytes, a multiple of 4, and poisons it. A word behind it stays as it
 * is. */
void machine_region(struct machine *m, uint32_t region, uint64_t bytes);

/* Checks that no word behind a region was written, and frees all. */
void machine_end(struct machine *m);

/* Does all steps of the list, in order. Fails the test where a step has a range outside of its
 * region, where a kernel has no twin or, where the machine is strict, where a step writes anything
 * but what it says that it does. */
void machine_execute(struct machine *m, const struct pail_vk_steps *list);

#endif /* PAIL_TESTS_MACHINE_H */
