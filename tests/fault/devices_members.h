/* SPDX-License-Identifier: Apache-2.0 */
/* All devices of the plugin, whose Vulkan can be made to fail, and the CPU backend as members of
 * one context, over a host that counts blocks. */
#ifndef PAIL_TESTS_FAULT_DEVICES_MEMBERS_H
#define PAIL_TESTS_FAULT_DEVICES_MEMBERS_H

#include <composite/composite.h>
#include <composite/table.h>

extern struct pail_devices devices;

/* Fills devices: the plugin's first, the CPU backend last. Those of a plugin's call for themselves
 * in the output. */
void devices_find(size_t replicate_up_to);
pail_context *devices_open(void);
/* A multiplication over BN254 G1: points [n], Montgomery form, infinities among them; scalars [n];
 * the affine sum, canonical. */
void devices_inputs(uint8_t *points, uint8_t *scalars, uint8_t *expected, size_t n);
/* Blocks that were taken from the host and not given back. */
long devices_blocks(void);

#endif /* PAIL_TESTS_FAULT_DEVICES_MEMBERS_H */
