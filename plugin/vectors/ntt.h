/* SPDX-License-Identifier: Apache-2.0 */
/* Division of a transform into passes over memory: a pure function of its size and the device's
 * limits. A pass is glsl/ntt/pass.comp. */
#ifndef PAIL_FIELD_NTT_H
#define PAIL_FIELD_NTT_H

#include <stdbool.h>
#include <stdint.h>

#include <kernels.h>

#include "vk/caps.h"

#define PAIL_NTT_PASSES_MAX 3u

/* Kernels of the passes, the same for all sizes. */
struct pail_ntt_kernel {
    enum pail_field_form form;
    uint32_t workgroup, limbs, items; /* specialisation */
    uint32_t log_elements;            /* elements of a workgroup: a pass has at most as many bits */
};

struct pail_ntt_kernel pail_ntt_kernel(const struct pail_vk_caps *caps, enum pail_field_form form);

/* Same, with the workgroups of a pass over so many elements: as small as its columns allow where
 * large ones would leave processors idle, and with twice the threads where there are few. */
struct pail_ntt_kernel pail_ntt_kernel_of_pass(const struct pail_vk_caps *caps,
                                               const struct pail_ntt_kernel *kernel,
                                               uint64_t elements, uint32_t log_k);

/* log2 of the elements from which on passes of as many bits have the same workgroups. */
#define PAIL_NTT_LOG_MANY 17u

/* Threads of a pass, workgroups filled or not. */
uint64_t pail_ntt_threads(const struct pail_ntt_kernel *kernel, uint64_t columns, uint32_t log_k);

/* The form that is fastest. */
enum pail_field_form pail_ntt_form_auto(const struct pail_vk_caps *caps);

/* One pass of a transform. */
struct pail_ntt_pass {
    uint32_t flags, log_k;
    uint32_t low_bits, high_bits;
    uint32_t in_element, in_low, in_high;
    uint32_t out_element, out_low, out_high;
    uint32_t part; /* part of the index that it transforms; its twiddles are those of that part */
    bool in_place; /* it may write where it reads */
};

struct pail_ntt_plan {
    uint32_t log_n, n;
    uint32_t bits[PAIL_NTT_PASSES_MAX]; /* [n] of the index, the upper ones first */
    struct pail_ntt_pass passes[PAIL_NTT_PASSES_MAX];
};

/* Kind of a transform. */
struct pail_ntt_kind {
    uint32_t log_n; /* at least 1 */
    bool inverse, reversed, shifted;
    bool any; /* elements may be any integers of 256 bits */
};

/* log_n is at most pail_ntt_log_max. */
struct pail_ntt_plan pail_ntt_plan(const struct pail_ntt_kernel *kernel,
                                   const struct pail_ntt_kind *kind);
uint32_t pail_ntt_log_max(const struct pail_ntt_kernel *kernel);

/* Bits of the index from part i on: its twiddles are powers of a root of order 2^this. */
uint32_t pail_ntt_bits_from(const struct pail_ntt_plan *plan, uint32_t i);

/* Products for each element, for an estimate of the work. */
double pail_ntt_pass_products(const struct pail_ntt_pass *pass);

#endif /* PAIL_FIELD_NTT_H */
