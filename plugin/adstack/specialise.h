/* SPDX-License-Identifier: Apache-2.0 */
/* The text that stands in for glsl/adstack/body.glsl and makes adstack/reduce a kernel for one
 * body: straight code in place of an interpreter's. It depends on what the code is, and on nothing
 * of a launch but how arrays lie in memory where that makes it faster; so specs of equal bodies
 * share a kernel, and the text is the key by which it is kept. */
#ifndef PAIL_ADSTACK_SPECIALISE_H
#define PAIL_ADSTACK_SPECIALISE_H

#include "source_text.h"

#include <adstack/eval.h>

/* Cells that a thread takes at a time, side by side along the last axis, with loads of 16 bytes; 0:
 * one at a time. That needs code without loops, whose reads have the last axis' variable as last
 * index or not at all, and arrays that are packed along it. Pure.
 * In:  sources  the spec's, [n_sources] of the program
 *      n_axes   at least 1 */
uint32_t pail_ad_stream_cells(const struct pail_ad_program *program,
                              const struct pail_ad_spec *spec,
                              const struct pail_ad_array sources[]);

/* Adds the text. `together` is pail_ad_stream_cells's answer. Failure is text->failed. */
void pail_ad_specialise(struct pail_ad_text *text, const struct pail_ad_program *program,
                        const struct pail_ad_spec *spec, uint32_t together);

#endif /* PAIL_ADSTACK_SPECIALISE_H */
