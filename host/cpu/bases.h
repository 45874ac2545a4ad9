/* SPDX-License-Identifier: Apache-2.0 */
/* Registered points: decoded, checked, immutable, counted by reference. */
#ifndef PAIL_CPU_BASES_H
#define PAIL_CPU_BASES_H

#include <pail/backend.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "adder.h"
#include "memory.h"
#include <curves/curve_ops.h>

struct pail_bases {
    struct pail_alloc memory;
    atomic_size_t references;
    const struct pail_curve_ops *ops, *fold_ops; /* fold_ops: for the sums of windows */
    const struct pail_cpu_adder *adder;
    uint32_t residency; /* as asked for: all memory is the host's and the device's */
    bool order_known;   /* every point has order r, or is infinity */
    size_t n, n_infinities;
    size_t n_kept;         /* n, or without those at infinity */
    uint32_t *kept;        /* [n_kept]: which they are, rising; NULL: all */
    unsigned char *points; /* [n_kept] in the adder's form, aligned, in the block */
    void *block;
};

/* Number of points before number i that are kept. */
size_t pail_cpu_bases_kept_before(const pail_bases *bases, size_t i);

/* Bytes of the points. */
uint64_t pail_cpu_bases_bytes(const pail_bases *bases);

void pail_cpu_bases_retain(const pail_bases *bases);
void pail_cpu_bases_release(const pail_bases *bases);

/* Behind the front. */
pail_status pail_cpu_bases_create(pail_context *context, pail_bases **bases, size_t *bad_index,
                                  const pail_bases_desc *desc, struct pail_error *err);
pail_status pail_cpu_bases_info(const pail_bases *bases, pail_bases_info *info,
                                struct pail_error *err);

#endif /* PAIL_CPU_BASES_H */
